"""What minitransformer and `torch.nn.Transformer` learn, with the same sizes, pairs and recipe.

    python tests/benchmarks/learning.py
    python tests/benchmarks/learning.py --steps 100 --width 32       a quick look
    python tests/benchmarks/learning.py --seeds 0 1 2

The pairs come from the manual that Python ships (`pydoc_data.topics`), cut into pieces of up to 36
characters: one is read, and the one that follows it written. Both models are given the same batches,
learning rates, clipping, dropout and Adam, and begin with the weights that they draw by themselves, as
their users would. A third row is PyTorch begun with the weights of the first. PyTorch's stacks end in a
layer norm that the paper's do not have, and its dropout leaves out attention weights and hidden units of
the feed-forward layers, too. The loss is the mean over all held-out symbols, in nats.
"""

import argparse
import math
import pydoc_data.topics
import random
import re
import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from minitransformer import Settings, Sizes, Training, tasks
from minitransformer.model import positions
from minitransformer.training import torch_weights
from minitransformer.training.vocabulary import PAD

LENGTH = 36  # of a piece, in characters


def pieces(count):
    """Draw `count` pairs: a piece of the manual, and the piece that follows it."""
    text = " ".join(pydoc_data.topics.topics[name] for name in sorted(pydoc_data.topics.topics))
    words = re.sub(r"[^!-~]|[*=|+-]{2,}", " ", text).split()
    found = textwrap.wrap(" ".join(words), LENGTH)
    return random.Random(0).sample(sorted(dict(zip(found[::2], found[1::2])).items()), count)


class Theirs(torch.nn.Module):
    """`torch.nn.Transformer` between embeddings, sinusoids and a projection, as its users write it."""

    def __init__(self, sizes, longest):
        super().__init__()
        table = positions.sinusoidal(longest + 1, sizes.width, 0, "float32")
        self.register_buffer("table", torch.tensor(table))
        self.source = torch.nn.Embedding(sizes.source_symbols, sizes.width)
        self.target = torch.nn.Embedding(sizes.target_symbols, sizes.width)
        self.stacks = torch.nn.Transformer(
            sizes.width, sizes.heads, sizes.encoder_layers, sizes.decoder_layers,
            sizes.feed_forward, sizes.dropout, batch_first=True,
        )  # fmt: skip
        self.stacks.encoder.use_nested_tensor = False  # which warns, and changes no result
        self.scores = torch.nn.Linear(sizes.width, sizes.target_symbols)
        self.dropout = torch.nn.Dropout(sizes.dropout)
        for embedding in (self.source, self.target):
            torch.nn.init.normal_(embedding.weight, std=sizes.width**-0.5)

    def embed(self, embedding, ids):
        x = embedding(ids) * math.sqrt(embedding.embedding_dim) + self.table[: ids.shape[1]]
        return self.dropout(x)  # (B, T, D)

    def forward(self, source, read):
        hidden, later = source == PAD, self.stacks.generate_square_subsequent_mask(read.shape[1])
        y = self.stacks(
            self.embed(self.source, source), self.embed(self.target, read),
            tgt_mask=later.isinf(), src_key_padding_mask=hidden, memory_key_padding_mask=hidden,
            tgt_key_padding_mask=read == PAD,
        )  # fmt: skip
        return self.scores(y)  # (B, T, N)


def ids(run, pairs):
    """A batch as tensors: the sources, what the decoder reads, and what it is to write."""
    reader = run.reader
    source = reader.encode([source for source, _ in pairs])
    target = reader.target.batch([target for _, target in pairs], start=True, end=True)
    return torch.tensor(source), torch.tensor(target[:, :-1]), torch.tensor(target[:, 1:])


def loss_of(model, source, read, write, reduction="mean"):
    logits = model(source, read).flatten(0, 1)
    return F.cross_entropy(logits, write.flatten(), ignore_index=PAD, reduction=reduction)


def learn_theirs(model, run, held_out):
    """Train as `run` would, with its batches and its recipe; returns the held-out loss."""
    settings = run.settings
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    model.train()
    for step in range(1, settings.steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = run.schedule(step)
        optimizer.zero_grad()
        loss_of(model, *ids(run, run.batch(step))).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()
    model.eval()
    total = symbols = 0
    with torch.no_grad():
        for i in range(0, len(held_out), settings.batch):
            source, read, write = ids(run, held_out[i : i + settings.batch])
            total += loss_of(model, source, read, write, "sum").item()
            symbols += int((write != PAD).sum())
    return total / symbols


def with_weights_of(run, model):
    """Give their model the first weights of ours; the two norms that only it has stay at 1 and 0."""
    ours = run.model.state_dict()
    stacks = {k: v for k, v in ours.items() if k.startswith(("encoder.", "decoder."))}
    theirs = {f"stacks.{k}": v for k, v in torch_weights.to_torch(stacks).items()}
    theirs |= {
        "source.weight": ours["source_embedding.weight"],
        "target.weight": ours["target_embedding.weight"],
        "scores.weight": ours["unembedding.weight"].T,
        "scores.bias": ours["unembedding.bias"],
    }
    arrays = {k: torch.tensor(np.ascontiguousarray(v)) for k, v in theirs.items()}
    left = model.load_state_dict(arrays, strict=False)
    assert not left.unexpected_keys, left.unexpected_keys
    assert all(".norm." in k or k == "table" for k in left.missing_keys), left.missing_keys
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--width", type=int, default=128)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "pairs.tsv")
        file.write_text("".join(f"{a}\t{b}\n" for a, b in pieces(options.pairs)), encoding="utf-8")
        print("| seed | model | held-out loss | seconds |\n|---|---|---|---|", flush=True)
        for seed in options.seeds:
            compare(file, seed, options)


def compare(file, seed, options):
    task = tasks.make("pairs", seed, file=file, skip_bad=True)
    symbols = {"source_symbols": len(task.source), "target_symbols": len(task.target)}
    sizes = Sizes(**symbols, width=options.width, heads=4, feed_forward=4 * options.width,
                  encoder_layers=2, decoder_layers=2, dropout=0.1)  # fmt: skip
    run = Training(task, sizes, Settings(steps=options.steps, seed=seed))
    held_out = task.held_out(task.held_out_count)
    torch.manual_seed(seed)
    longest = max(task.longest_source, task.longest_target)
    models = {
        "torch.nn.Transformer": Theirs(sizes, longest),
        "the same, begun with minitransformer's weights": with_weights_of(
            run, Theirs(sizes, longest)
        ),
    }

    def ours():
        run.fit()
        return run.held_out_loss(held_out)

    rows = {"minitransformer": ours} | {
        name: lambda model=model: learn_theirs(model, run, held_out)
        for name, model in models.items()
    }
    for name, learn in rows.items():
        start = time.perf_counter()
        loss = learn()
        print(f"| {seed} | {name} | {loss:.3f} | {time.perf_counter() - start:.0f} |", flush=True)


if __name__ == "__main__":
    main()
