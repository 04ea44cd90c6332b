"""Readers of a small task, for tests of what shows a reading: untrained, or trained for some steps."""

from toy_task import Toy

from minitransformer import Settings, Sizes, Training
from minitransformer.model.sizes import DecoderSizes
from minitransformer.tasks import make
from minitransformer.training.readers import READERS

KINDS = ["encoder-decoder", "decoder"]


def untrained(kind="encoder-decoder", task=None, layers=1, tied="none"):
    """A reader whose weights are random, from seeds with which it writes more than one symbol."""
    task = task or Toy()
    common = {"width": 8, "heads": 2, "feed_forward": 12}
    if kind == "decoder":
        sizes = DecoderSizes(symbols=7, layers=layers, **common)
    else:
        depth = {"encoder_layers": layers, "decoder_layers": layers, "norm": "pre", "tied": tied}
        sizes = Sizes(len(task.source), len(task.target), **depth, **common)
    settings = Settings(steps=0, seed=3 if kind == "decoder" else 14)
    reader = Training(task, sizes, settings, kind=kind).reader
    if kind == "decoder":
        for parameter in reader.model.parameters():
            parameter.copy_(4 * parameter.data)
    return reader


def a_reader(kind, folder, steps=0):
    """A reader that has learned for some steps: enough for what it writes to depend on what it reads."""
    if kind == "text":
        file = folder / "text.txt"
        file.write_text("the quick brown fox jumps over the lazy dog. " * 60, encoding="utf-8")
        task = make("text", 0, file, window=24)
        symbols = READERS[kind].symbols(task.vocabulary, task.vocabulary)
    else:
        task = make("dates", 0)
        symbols = READERS[kind].symbols(task.source, task.target)
    sizes = (Sizes if kind == "encoder-decoder" else DecoderSizes)(
        **symbols, width=32, heads=2, feed_forward=32
    )
    training = Training(task, sizes, Settings(steps=steps, batch=16, warmup=20), kind=kind)
    for _ in range(steps):
        training.step()
    return training.reader
