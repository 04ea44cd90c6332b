"""What makes no sense is refused where it is given: a row each, with what the error must say. It says
what was given, what was expected, and, where that does not follow, what to do."""

# ruff: noqa: E501 (a row each)

import math
import re

import numpy as np
import pytest
from limits import never_endless

from minigrad import errors
from minigrad.arrays import serialize
from minitransformer import (
    AttentionSizes,
    Decoder,
    DecoderOnly,
    DecoderSizes,
    Encoder,
    EncoderOnly,
    EncoderSizes,
    FeedForward,
    LayerNorm,
    LayerSizes,
    MultiHeadAttention,
    Reader,
    Settings,
    Sizes,
    Training,
    Transformer,
    Vocabulary,
    load_reader,
    load_training,
    masks,
    positions,
    tasks,
)
from minitransformer.__main__ import main
from minitransformer.commands.options import TRAIN, TRANSLATE, WRITE
from minitransformer.training.decoding import beam_search, greedy, likelihood, sample
from minitransformer.training.torch_weights import mask_from_torch
from minitransformer.training.vocabulary import BOS, PAD

SMALL = {"width": 8, "heads": 2, "feed_forward": 8}
NAN, INF = math.nan, math.inf
SOURCE = np.array([[3, 4, 5], [6, PAD, PAD]])
PROMPT = np.array([[BOS, 4, 5], [BOS, PAD, PAD]])


def seq2seq(**options):
    return Transformer(Sizes(9, 9, **SMALL | options)).eval()


def decoder():
    return DecoderOnly(DecoderSizes(9, **SMALL)).eval()


def with_nan(model):
    weight = model.unembedding.weight
    weight.copy_(np.where(np.arange(weight.size).reshape(weight.shape) == 5, NAN, weight.data))
    return model


def reader(**options):
    letters = Vocabulary.of_characters("abcdef")
    return Reader(seq2seq(**options), letters, letters, 5, 5)


def training(**options):
    return Training(
        tasks.make("copy"), **{"sizes": Sizes(29, 29, **SMALL), "settings": Settings()} | options
    )


A_NUMBER = "is a finite number from 0, not"
A_COUNT = "is a whole number from 1, not"
REFUSED = {
    # settings and sizes
    "learning rate of text": (lambda: Settings(learning_rate="x"), "learning_rate is a finite number above 0, not 'x'"),
    "no learning rate": (lambda: Settings(learning_rate=0), "learning_rate is a finite number above 0, not 0"),
    "clip is NaN": (lambda: Settings(clip=NAN), "clip is a finite number above 0, not nan"),
    "half a step": (lambda: Settings(steps=0.5), "steps is a whole number from 0, not 0.5"),
    "a step that is a boolean": (lambda: Settings(steps=True), "steps is a whole number from 0, not True"),
    "batch of text": (lambda: Settings(batch="8"), "batch is a whole number from 1 up to 1000000, not '8'"),
    "smoothing is NaN": (lambda: Settings(label_smoothing=NAN), "label_smoothing is from 0 to below 1, not nan"),
    "a schedule that is a list": (lambda: Settings(schedule=[]), r"schedule is one of 'cosine', .*, not \[\]"),
    "dropout of text": (lambda: Sizes(9, 9, dropout="x"), "dropout is from 0 to below 1, not 'x'"),
    "width of text": (lambda: Sizes(9, 9, width="x"), f"width {A_COUNT} 'x'"),
    "no source symbols": (lambda: Sizes(0, 9), f"source_symbols {A_COUNT} 0"),
    "a norm that is a list": (lambda: Sizes(9, 9, norm=[]), r"norm is one of 'post', 'pre', not \[\]"),
    "kind of model": (lambda: training(kind="x"), "kind is one of 'encoder-decoder', 'decoder', 'text', not 'x'"),
    "sizes of another kind": (lambda: training(kind="decoder"), r"kind 'decoder' are DecoderSizes\(...\), not Sizes\("),
    "a task's option": (lambda: tasks.make("dates", digits=3), "'dates' does not use digits=3; leave it out"),
    "no letters": (lambda: tasks.make("copy", longest=0), "longest is a whole number from 1 up to 1000, not 0"),
    "half a digit": (lambda: tasks.make("addition", digits=1.5), "digits is a whole number from 1 up to 1000, not 1.5"),
    # parts of models
    "width 0": (lambda: MultiHeadAttention(AttentionSizes(0, 1)), f"width {A_COUNT} 0"),
    "half a head": (lambda: MultiHeadAttention(AttentionSizes(8, 2.5)), f"heads {A_COUNT} 2.5"),
    "key width 0": (lambda: MultiHeadAttention(AttentionSizes(8, 2, key_width=0)), f"key_width {A_COUNT} 0"),
    "value width -1": (lambda: MultiHeadAttention(AttentionSizes(8, 2, value_width=-1)), f"value_width {A_COUNT} -1"),
    "output width 0": (lambda: MultiHeadAttention(AttentionSizes(8, 2, output_width=0)), f"output_width {A_COUNT} 0"),
    "context width 0": (lambda: MultiHeadAttention(AttentionSizes(8, 2, context_width=(8, 0))), f"context_width {A_COUNT} 0"),
    "layer norm": (lambda: LayerNorm(-1), f"width {A_COUNT} -1"),
    "layer norm's eps": (lambda: LayerNorm(8, eps=NAN), f"eps {A_NUMBER} nan"),
    "feed-forward": (lambda: FeedForward(8, 0), f"hidden {A_COUNT} 0"),
    "encoder layers": (lambda: Encoder(-1, LayerSizes()), f"layers {A_COUNT} -1"),
    "decoder layers": (lambda: Decoder(1.5, LayerSizes()), f"layers {A_COUNT} 1.5"),
    "sines": (lambda: positions.sinusoidal(-1, 8), "length is a whole number from 0, not -1"),
    "causal mask": (lambda: masks.causal(2.5), "queries is a whole number from 0, not 2.5"),
    "causal mask's keys": (lambda: masks.causal(2, -3), "keys is a whole number from 0, not -3"),
    "window mask": (lambda: masks.window(4, -1), "before is a whole number from 0, not -1"),
    "masks of other heads": (lambda: mask_from_torch(np.zeros((6, 3, 3), bool), heads=4),
                             r"\(6, 3, 3\) .* 6 is no multiple of 4 heads"),
    "masks of no heads": (lambda: mask_from_torch(np.zeros((6, 3, 3), bool), heads=0), f"heads {A_COUNT} 0"),
    "masks of another batch": (lambda: mask_from_torch(np.zeros((6, 3, 3), bool), np.zeros((2, 3), bool)),
                               r"\(6, 1, 3, 3\) and \(2, 1, 1, 3\), with 1 heads, .* do not fit"),
    "a mask of four axes": (lambda: mask_from_torch(np.zeros((1, 2, 3, 3), bool)), "attn_mask has 2 or 3 axes"),
    # what a model reads
    "a list": (lambda: seq2seq()([[3, 4]], SOURCE), r"tokens are an array of integers, not \[\[3, 4\]\]: write np.array"),
    "a list as target": (lambda: seq2seq()(SOURCE[:1], [[1]]), r"tokens are an array of integers, not \[\[1\]\]"),
    "a source of one axis": (lambda: seq2seq()(SOURCE[0], SOURCE), r"\(batch, positions\), and the shape is \(3,\): write tokens\[None\]"),
    "numbers with a point": (lambda: decoder()(PROMPT * 1.0), "array of integers, not float64"),
    "a sequence alone": (lambda: EncoderOnly(EncoderSizes(9, **SMALL))(SOURCE[0]), r"the shape is \(3,\)"),
    "lines in one text": (lambda: reader().read("abc"), r"expected a list of texts, .* write \['abc'\]"),
    "no line at once": (lambda: reader().read(["abc"], batch=0), f"batch {A_COUNT} 0"),
    # how it writes
    "temperature NaN": (lambda: sample(seq2seq(), SOURCE, 3, temperature=NAN), f"temperature {A_NUMBER} nan"),
    "temperature infinite": (lambda: sample(seq2seq(), SOURCE, 3, temperature=INF), f"temperature {A_NUMBER} inf"),
    "temperature -1": (lambda: sample(seq2seq(), SOURCE, 3, temperature=-1), f"temperature {A_NUMBER} -1"),
    "top_k 2.5": (lambda: sample(seq2seq(), SOURCE, 3, top_k=2.5), f"top_k {A_COUNT} 2.5"),
    "top_k 0": (lambda: sample(seq2seq(), SOURCE, 3, top_k=0), f"top_k {A_COUNT} 0"),
    "top_p 0": (lambda: sample(seq2seq(), SOURCE, 3, top_p=0), "top_p is above 0 up to 1, not 0"),
    "top_p NaN": (lambda: sample(seq2seq(), SOURCE, 3, top_p=NAN), "top_p is above 0 up to 1, not nan"),
    "beams 2.5": (lambda: beam_search(seq2seq(), SOURCE, 3, beams=2.5), "beams is a whole number from 1 up to 1000, not 2.5"),
    "beams 0": (lambda: beam_search(seq2seq(), SOURCE, 3, beams=0), "beams is a whole number from 1 up to 1000, not 0"),
    "penalty NaN": (lambda: beam_search(seq2seq(), SOURCE, 3, length_penalty=NAN), f"length_penalty {A_NUMBER} nan"),
    "longest 0": (lambda: greedy(seq2seq(), SOURCE, 0), f"longest {A_COUNT} 0"),
    "longest 2.5": (lambda: sample(seq2seq(), SOURCE, 2.5), f"longest {A_COUNT} 2.5"),
    "longest -1": (lambda: beam_search(seq2seq(), SOURCE, -1), f"longest {A_COUNT} -1"),
    "window 0": (lambda: greedy(decoder(), PROMPT, 3, window=0), f"window {A_COUNT} 0"),
    "a prompt of one axis": (lambda: greedy(decoder(), PROMPT[0], 3), r"the shape is \(3,\): write tokens\[None\]"),
    "a prompt of no axis": (lambda: greedy(decoder(), np.array(1), 3), r"the shape is \(\)"),
    "a prompt of letters": (lambda: greedy(decoder(), np.array([["a"]]), 3), "array of integers, not <U1"),
    "no prompts": (lambda: greedy(decoder(), PROMPT[:0], 3), "there is at least one row"),
    "an empty prompt": (lambda: greedy(decoder(), PROMPT * [[1], [0]], 3), "at least one symbol"),
    "padding inside": (lambda: greedy(decoder(), np.array([[BOS, 4], [PAD, 4]]), 3),
                       r"row 1 has padding \(0\) before a symbol: \[0, 4\]; fill rows up on the right only"),
    "padding inside a source": (lambda: greedy(seq2seq(), np.array([[3, PAD, 4]]), 3), "row 0 has padding"),
    "NaN weights": (lambda: greedy(with_nan(seq2seq()), SOURCE, 3), "unembedding.weight has some that are not"),
    "NaN weights that draw": (lambda: sample(with_nan(decoder()), PROMPT, 3), "unembedding.weight"),
    "NaN weights that search": (lambda: beam_search(with_nan(seq2seq()), SOURCE, 3), "unembedding.weight"),
    "NaN weights that judge": (lambda: likelihood(with_nan(seq2seq()), SOURCE, SOURCE), "unembedding.weight"),
    "rows without an answer": (lambda: likelihood(decoder(), PROMPT, PROMPT[:0]), "2 rows were given, and 0 are"),
    "one matrix, two alphabets": (
        lambda: Reader(seq2seq(tied="all"), Vocabulary.of_characters("abcdef"), Vocabulary.of_characters("uvwxyz"), 5, 5),
        "tied='all' makes one matrix .* choose tied='target'"),
    "too few positions": (lambda: reader(positions="learned", longest=5), "take 6 positions, and the model learns 5: make it with longest=6"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what):
    make, said = REFUSED[what]
    with pytest.raises(errors.MinigradError) as found:
        make()
    assert re.search(said, str(found.value)), found.value


def test_the_same_settings_of_numpy_are_taken_and_can_be_saved():
    """NumPy's numbers become Python's: JSON can hold them, and no float64 widens a float32."""
    settings = Settings(steps=np.int64(3), learning_rate=np.float32(0.5))
    assert (type(settings.steps), type(settings.learning_rate)) == (int, float)
    assert type(Sizes(9, 9, width=np.int32(8)).width) is int


def test_one_matrix_for_one_alphabet_and_for_a_decoder_of_two():
    assert reader(tied="all").read(["abc"])
    task = tasks.make("addition")
    sizes = DecoderSizes(len(task.source), tied="all", **SMALL)
    assert Training(task, sizes, Settings(), kind="decoder").step() > 0


# --- checkpoints ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "checkpoint.npz"
    run = training()
    for _ in range(2):
        run.step()
    run.save(path)
    return path


CHANGES = {
    "steps below 0": (load_training, {"steps_done": -5}, "steps_done is a whole number from 0, not -5"),
    "steps that were not taken": (load_training, {"steps_done": 7}, "the curve has 2 points for 7 steps"),
    "a curve of text": (load_training, {"curve": ["a", "b"]}, "checkpoint of this model"),
    "points of text": (load_training, {"curve": [{"step": 1, "loss": "low"}, {"step": 2, "loss": 1.0}]}, "'low'"),
    "a step of text": (load_training, {"curve": [{"step": "1", "loss": 1.0}]}, f"step {A_COUNT} '1'"),
    "many layers": (load_reader, {"sizes": {"decoder_layers": 900}}, "weights are too few for"),
    "many layers to train": (load_training, {"sizes": {"encoder_layers": 900}}, "weights are too few for"),
    "layers without end": (load_reader, {"sizes": {"decoder_layers": 10**12}}, "decoder_layers is a whole number from 1 up to 1000"),
    "steps without end": (load_training, {"steps_done": 10**12}, "the curve has 2 points for 1000000000000 steps"),
    "a batch without end": (load_training, {"settings": {"batch": 10**12}}, "batch is a whole number from 1 up to 1000000"),
    "an example without end": (load_training, {"made": {"longest": 10**12}}, "longest is a whole number from 1 up to 1000"),
    "data without end": (load_training, {"task": "pairs", "made": {"file": "."}}, "goes on with the same data: .* is a folder"),
    "a wide model": (load_reader, {"sizes": {"width": 2**20}}, "weights are too few for"),
    "many positions": (load_reader, {"sizes": {"positions": "learned", "longest": 10**9}}, "weights are too few"),
    "length -3": (load_reader, {"longest": [-3, 3]}, f"longest {A_COUNT} -3"),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_header_that_cannot_be(saved, tmp_path, what):
    load, change, said = CHANGES[what]
    error = errors.DataError if "data" in what else errors.CheckpointError
    arrays, about = serialize.load(saved)
    for name, value in change.items():
        about[name] = about[name] | value if isinstance(value, dict) else value
    serialize.save(tmp_path / "other.npz", arrays, about)
    with never_endless(), pytest.raises(error, match=said):
        load(tmp_path / "other.npz")


@pytest.mark.parametrize("load", [load_reader, load_training])
def test_weights_that_are_no_numbers(saved, tmp_path, load):
    arrays, about = serialize.load(saved)
    arrays["model.unembedding.bias"][4] = NAN
    serialize.save(tmp_path / "nan.npz", arrays, about)
    with pytest.raises(
        errors.CheckpointError, match=r"unembedding\.bias has numbers that are not finite"
    ):
        load(tmp_path / "nan.npz")


# --- the command line -----------------------------------------------------------------------------

COMMANDS = {
    "a share above 1": (["--stop-at", "1.5"], "--stop-at is from 0 up to 1, not 1.5"),
    "a share of NaN": (["--stop-at", "nan"], "--stop-at is from 0 up to 1, not nan"),
    "another task's option": (["train", "dates", "--digits", "3"], "does not use --digits 3; leave it out"),
    "a text's option": (["train", "copy", "--window", "8"], "does not use --window 8"),
    "a file's option": (["train", "dates", "--skip-bad"], "does not use --skip-bad; leave it out"),
    "no encoder": (["--model", "decoder", "--encoder-layers", "2"], "no encoder: leave out --encoder-layers 2"),
    "a model of text": (["train", "text", "{text}", "--model", "encoder-decoder"], "leave out --model encoder-decoder"),
    "another model": (["--model", "text"], "--model is one of 'encoder-decoder', 'decoder', not 'text'"),
    "two alphabets of one size": (["train", "pairs", "{pairs}", "--tied", "all"], "--tied all makes .* choose --tied target"),
    "faults": (["train", "pairs", "{bad}"], "line 3: no tab.* or give --skip-bad to use the"),
    "another encoding": (["train", "pairs", "{pairs}", "--encoding", "x"], "unknown encoding 'x'; expected one such as 'utf-8'"),
    "longest 0": (["train", "pairs", "{pairs}", "--longest", "0"], "--longest is a whole number from 1, not 0"),
    "window 0": (["train", "text", "{text}", "--window", "0"], "--window is a whole number from 1, not 0"),
    "drawn and searched": (["translate", "{run}", "a", "--beams", "2", "--top-k", "3"], "--beams .* leave out --top-k"),
    "a seed for nothing": (["translate", "{run}", "a", "--seed", "3"], "nothing is drawn: leave out --seed, or give a --temperature"),
    "temperature NaN": (["translate", "{run}", "a", "--temperature", "nan"], "--temperature is .* not nan"),
    "beams 0": (["translate", "{run}", "a", "--beams", "0"], "--beams is a whole number from 1 up to 1000, not 0"),
    "more than sure": (["translate", "{run}", "a", "--sure", "2"], "--sure is from 0 up to 1, not 2"),
    "to write with a translator": (["write", "{run}", "a"], "not to go on with a text: use the command translate"),
    "a page that is a folder": (["explain", "{run}", "a", "--out", "."], r"\. is a folder, not a regular file: give the file to write"),
    "a page in no folder": (["explain", "{run}", "a", "--out", "no/page.html"], "there is no folder no"),
}  # fmt: skip


@pytest.mark.parametrize("what", COMMANDS)
def test_what_the_command_line_refuses(what, saved, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files = {
        "text": "to be or not to be\n" * 20,
        "pairs": "".join(f"{a}-{b}\t{chr(ord(a) + 4)}-{chr(ord(b) + 4)}\n" for a in "abcd" for b in "abcd"),
        "bad": "ab\tba\nba\tab\nno tab\naa\taa\nbb\tbb\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    arguments, said = COMMANDS[what]
    names = {name: str(tmp_path / name) for name in files}
    assert main([a.format(run=saved, **names) for a in arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(said, line), line
    assert not (tmp_path / "runs").exists()


@pytest.fixture(scope="module")
def of_text(tmp_path_factory):
    """A model that writes."""
    folder = tmp_path_factory.mktemp("text")
    (folder / "text").write_text("to be or not to be\n" * 20)
    task = tasks.make("text", file=folder / "text", window=8)
    sizes = DecoderSizes(len(task.vocabulary), **SMALL)
    Training(task, sizes, Settings(), kind="text").save(folder / "checkpoint.npz")
    return folder


HUGE = 10**12
SETS = {  # the options that a huge number does not refuse; they do not decide how much is made at once
    "seed", "warmup", "accumulate", "every", "steps", "window", "top_k", "pad",
}  # fmt: skip
NUMBERS = [
    (command, option.name)
    for command, table in (("train", TRAIN), ("translate", TRANSLATE), ("write", WRITE))
    for rows in table.values()
    for option in rows
    if option.kind is int and option.name not in SETS
]


@pytest.mark.parametrize(("command", "name"), NUMBERS)
def test_a_huge_number_is_refused_at_once(command, name, saved, of_text, tmp_path, capsys):
    """Not after all memory, or forever."""
    given = {
        "train": [
            "addition" if name == "digits" else "copy",
            "--out",
            tmp_path / "run",
            "--steps",
            1,
        ],
        "translate": [saved, "abc"],
        "write": [of_text, "to be"],
    }[command]
    with never_endless():
        assert main([*map(str, (command, *given)), f"--{name.replace('_', '-')}", str(HUGE)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(rf"not {HUGE}$|not enough memory|{HUGE} heads do not divide", line), line
