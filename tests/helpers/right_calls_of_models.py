"""One right call of each public callable of minitransformer: what mistaken calls are made from."""

# ruff: noqa: E501 (a row each)

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from right_calls import RNG, Call, axes, call, x

import minitransformer as mt
from minitransformer.training import decoding
from minitransformer.training.loop import Point
from minitransformer.training.readers import Reader
from minitransformer.views import explain, model_plots, report

SMALL = {"width": 8, "heads": 2, "feed_forward": 8}
SOURCE = np.array([[3, 4, 5], [6, 3, 0]])
PROMPT = np.array([[1, 4, 5], [1, 3, 4]])
MASK = np.full((3, 3), True)
LETTERS = mt.Vocabulary.of_characters("abcdef")
COPY = mt.tasks.make("copy")


def seq2seq() -> mt.Transformer:
    return mt.Transformer(mt.Sizes(9, 9, **SMALL)).eval()


def decoder(**options: Any) -> mt.DecoderOnly:
    return mt.DecoderOnly(mt.DecoderSizes(9, **SMALL, **options)).eval()


def encoder() -> mt.EncoderOnly:
    return mt.EncoderOnly(mt.EncoderSizes(9, **SMALL)).eval()


def layer() -> mt.LayerSizes:
    return mt.LayerSizes(**SMALL)


def reader() -> Reader:
    return Reader(seq2seq(), LETTERS, LETTERS, 5, 3)


def run() -> mt.Training:
    sizes = mt.Sizes(**Reader.sizes_for(COPY), **SMALL)
    return mt.Training(COPY, sizes, mt.Settings(steps=1, batch=2))


def saved(folder: Path) -> Path:
    path = folder / "checkpoint.npz"
    if not path.exists():
        run().save(path)
    return path


SCORE_ROWS = {
    name: row
    for kind in (mt.General, mt.Concat, mt.Additive)
    for name, row in {
        kind.__name__: lambda _, kind=kind: call(kind, 4, 4, 2),
        f"{kind.__name__}.forward": lambda _, kind=kind: call(kind(4), x(2, 3, 4), x(2, 5, 4)),
    }.items()
}

RIGHT: dict[str, Callable[[Path], Call]] = {
    # attention
    **SCORE_ROWS,
    "dot": lambda _: call(mt.dot, x(2, 3, 4), x(2, 5, 4)),
    "scaled_dot": lambda _: call(mt.scaled_dot, x(2, 3, 4), x(2, 5, 4)),
    "attention": lambda _: call(mt.attention, x(2, 3, 4), x(2, 3, 4), x(2, 3, 4), MASK, score=mt.dot, phi=np.exp),
    "single_query": lambda _: call(mt.single_query, x(4), x(3, 4), x(3, 4), MASK[0], score=mt.dot, phi=np.exp),
    "AttentionSizes": lambda _: call(
        mt.AttentionSizes, 8, 2, context_width=6, key_width=4, value_width=4, output_width=8, bias=True, score="dot",
        join="concat", rotary=False,
    ),
    "AttentionSizes.has_bias": lambda _: call(mt.AttentionSizes(8, 2).has_bias, "query"),
    "MultiHeadAttention": lambda _: call(mt.MultiHeadAttention, mt.AttentionSizes(8, 2)),
    "MultiHeadAttention.forward": lambda _: call(mt.MultiHeadAttention(mt.AttentionSizes(8, 2)), x(2, 3, 8), x(2, 3, 8), MASK),
    "MultiHeadAttention.describe": lambda _: call(mt.MultiHeadAttention(mt.AttentionSizes(8, 2)).describe),
    "Weights": lambda _: call(mt.Weights, x(1, 2, 3), ["a", "b"], ["c", "d", "e"]),
    "Weights.numpy": lambda _: call(mt.Weights(x(1, 2, 3), ["a", "b"], ["c", "d", "e"]).numpy),
    # parts of models
    "LayerNorm": lambda _: call(mt.LayerNorm, 4, 1e-5),
    "LayerNorm.forward": lambda _: call(mt.LayerNorm(4), x(2, 4)),
    "LayerNorm.describe": lambda _: call(mt.LayerNorm(4).describe),
    "Residual": lambda _: call(mt.Residual, 4, "post", 0.1),
    "Residual.before": lambda _: call(mt.Residual(4, "pre").before, x(2, 4)),
    "Residual.after": lambda _: call(mt.Residual(4).after, x(2, 4), x(2, 4)),
    "Residual.describe": lambda _: call(mt.Residual(4).describe),
    "FeedForward": lambda _: call(mt.FeedForward, 4, 6, np.tanh),
    "FeedForward.forward": lambda _: call(mt.FeedForward(4, 6), x(2, 4)),
    "GatedFeedForward": lambda _: call(mt.GatedFeedForward, 4, 6, np.tanh),
    "GatedFeedForward.forward": lambda _: call(mt.GatedFeedForward(4, 6), x(2, 4)),
    "Learned": lambda _: call(mt.Learned, 5, 4),
    "Learned.forward": lambda _: call(mt.Learned(5, 4), x(2, 3, 4), 1),
    "sinusoidal": lambda _: call(mt.sinusoidal, 3, 4, 1, "f8"),
    "rotary": lambda _: call(mt.rotary, x(2, 3, 4), 1),
    "EncoderLayer": lambda _: call(mt.EncoderLayer, layer()),
    "EncoderLayer.forward": lambda _: call(mt.EncoderLayer(layer()), x(2, 3, 8), MASK),
    "DecoderLayer": lambda _: call(mt.DecoderLayer, layer()),
    "DecoderLayer.forward": lambda _: call(mt.DecoderLayer(layer()), x(2, 3, 8), x(2, 3, 8), MASK, MASK),
    "Encoder": lambda _: call(mt.Encoder, 1, layer(), True),
    "Encoder.forward": lambda _: call(mt.Encoder(1, layer()), x(2, 3, 8), MASK),
    "Decoder": lambda _: call(mt.Decoder, 1, layer(), True),
    "Decoder.forward": lambda _: call(mt.Decoder(1, layer()), x(2, 3, 8), x(2, 3, 8), MASK, MASK),
    # models
    "LayerSizes": lambda _: call(mt.LayerSizes, width=8, heads=2, norm="pre", dropout=0.1),
    "Sizes": lambda _: call(mt.Sizes, 9, 9, 1, 1, width=8, heads=2),
    "EncoderSizes": lambda _: call(mt.EncoderSizes, 9, 1, width=8, heads=2),
    "DecoderSizes": lambda _: call(mt.DecoderSizes, 9, 1, width=8, heads=2),
    "Transformer": lambda _: call(mt.Transformer, mt.Sizes(9, 9, **SMALL)),
    "Transformer.forward": lambda _: call(seq2seq(), SOURCE, PROMPT),
    "Transformer.encode": lambda _: call(seq2seq().encode, SOURCE, None),
    "Transformer.decode": lambda _: call((m := seq2seq()).decode, PROMPT, m.encode(SOURCE)),
    "Transformer.next_scores": lambda _: call((m := seq2seq()).next_scores, PROMPT, m.encode(SOURCE)),
    "Transformer.attention_weights": lambda _: call(
        seq2seq().attention_weights, SOURCE[:1], PROMPT[:1], ["a", "b", "c"], ["d", "e", "f"]
    ),
    "DecoderOnly": lambda _: call(mt.DecoderOnly, mt.DecoderSizes(9, **SMALL)),
    "DecoderOnly.forward": lambda _: call(decoder(), PROMPT),
    "DecoderOnly.encode": lambda _: call(decoder().encode, PROMPT),
    "DecoderOnly.decode": lambda _: call(decoder().decode, PROMPT),
    "DecoderOnly.next_scores": lambda _: call(decoder().next_scores, PROMPT),
    "DecoderOnly.attention_weights": lambda _: call(decoder().attention_weights, PROMPT[:1], ["a", "b", "c"]),
    "EncoderOnly": lambda _: call(mt.EncoderOnly, mt.EncoderSizes(9, **SMALL)),
    "EncoderOnly.forward": lambda _: call(encoder(), SOURCE),
    "EncoderOnly.encode": lambda _: call(encoder().encode, SOURCE, None),
    "EncoderOnly.attention_weights": lambda _: call(encoder().attention_weights, SOURCE[:1], ["a", "b", "c"]),
    # masks, positions
    "masks.causal": lambda _: call(mt.masks.causal, 3, 4),
    "masks.padding": lambda _: call(mt.masks.padding, SOURCE, 0),
    "masks.decoder": lambda _: call(mt.masks.decoder, SOURCE, 2),
    "masks.window": lambda _: call(mt.masks.window, 3, 1, 1, 4),
    "masks.arbitrary": lambda _: call(mt.masks.arbitrary, lambda q, k: q >= k, 3, 4),
    "masks.show": lambda _: call(mt.masks.show, MASK, ["a", "b", "c"], ["a", "b", "c"]),
    "positions.add_sinusoidal": lambda _: call(mt.positions.add_sinusoidal, x(2, 3, 4), 1),
    "positions.add_nothing": lambda _: call(mt.positions.add_nothing, x(2, 3, 4), 1),
    # writing
    "greedy": lambda _: call(mt.greedy, seq2seq(), SOURCE, 3, window=None, ends=True, cached=True),
    "decoding.sample": lambda _: call(
        decoding.sample, decoder(), PROMPT, 3, temperature=1.0, top_k=2, top_p=0.5, rng=RNG, ends=True, cached=True
    ),
    "decoding.distribution": lambda _: call(decoding.distribution, np.ones((2, 4)), 1.0, 2, 0.5),
    "decoding.beam_search": lambda _: call(
        decoding.beam_search, decoder(), PROMPT, 3, beams=2, length_penalty=0.5, ends=True, cached=True
    ),
    "decoding.cross_attention": lambda _: call(decoding.cross_attention, seq2seq(), SOURCE, PROMPT),
    "decoding.likelihood": lambda _: call(decoding.likelihood, seq2seq(), SOURCE, PROMPT),
    # text, training
    "Vocabulary": lambda _: call(mt.Vocabulary, ("a", "b"), "character"),
    "Vocabulary.of_characters": lambda _: call(mt.Vocabulary.of_characters, ["abc", "abd"]),
    "Vocabulary.of_words": lambda _: call(mt.Vocabulary.of_words, ["to be", "or not"]),
    "Vocabulary.encode": lambda _: call(LETTERS.encode, "abc", start=True, end=True),
    "Vocabulary.count": lambda _: call(LETTERS.count, "abc"),
    "Vocabulary.decode": lambda _: call(LETTERS.decode, [3, 4, 2]),
    "Vocabulary.tokens": lambda _: call(LETTERS.tokens, [3, 4, 2]),
    "Vocabulary.batch": lambda _: call(LETTERS.batch, ["abc", "ab"], start=True, end=True),
    "Vocabulary.to_dict": lambda _: call(LETTERS.to_dict),
    "Vocabulary.from_dict": lambda _: call(mt.Vocabulary.from_dict, LETTERS.to_dict()),
    "Reader": lambda _: call(Reader, seq2seq(), LETTERS, LETTERS, 5, 3),
    "Continuer": lambda _: call(mt.Continuer, decoder(), LETTERS, LETTERS, 5, 3),
    "TextReader": lambda _: call(mt.TextReader, decoder(), LETTERS, LETTERS, 5, 3),
    "Reader.read": lambda _: call(reader().read, ["abc", "ab"], 1, decoding.greedy),
    "Reader.encode": lambda _: call(reader().encode, ["abc", "ab"]),
    "Reader.write": lambda _: call(reader().write, SOURCE, decoding.greedy),
    "Reader.probabilities": lambda _: call(reader().probabilities, SOURCE, PROMPT),
    "Reader.decode": lambda _: call(reader().decode, [3, 4, 2]),
    "Reader.accuracy": lambda _: call(reader().accuracy, [("abc", "ab")]),
    "Reader.examined": lambda _: call(reader().examined, [("abc", "ab")]),
    "Settings": lambda _: call(
        mt.Settings, 10, 2, 0.1, 3, 0.1, 1.0, 0, "cosine", 1
    ),
    "Training": lambda _: call(
        mt.Training, COPY, mt.Sizes(**Reader.sizes_for(COPY), **SMALL), mt.Settings(steps=1, batch=2), 1, [Point(1, 1.0)],
        "encoder-decoder", {}, mt.Training.__dataclass_fields__["workers"].default_factory(),
    ),
    "Training.fit": lambda _: call(run().fit, lambda run: True),
    "Training.step": lambda _: call(run().step),
    "Training.batch": lambda _: call(run().batch, 1),
    "Training.parts": lambda _: call(run().parts, 1),
    "Training.is_large": lambda _: call(run().is_large),
    "Training.loss": lambda _: call(run().loss, [("abc", "ab")]),
    "Training.held_out_loss": lambda _: call(run().held_out_loss, [("abc", "ab")]),
    "Training.save": lambda folder: call(run().save, folder / "new.npz"),
    "load_reader": lambda folder: call(mt.load_reader, saved(folder)),
    "load_training": lambda folder: call(mt.load_training, saved(folder)),
    "tasks.make": lambda _: call(mt.tasks.make, "copy", 1, None, longest=5),
    "threads.one_thread": lambda _: call(mt.threads.one_thread),
    "threads.core": lambda _: call(mt.threads.core),
    # views
    "model_plots.attention_map": lambda _: call(
        model_plots.attention_map, x(2, 3), queries=["a", "b"], keys=["c", "d", "e"], sides=("query", "key"),
        title="a title", numbers=".2f", ax=axes(1)[0],
    ),
    "model_plots.attention_maps": lambda _: call(
        model_plots.attention_maps, [x(2, 2, 3)], queries=["a", "b"], keys=["c", "d", "e"], sides=("query", "key"),
        columns=2, ax=axes(3),
    ),
    "model_plots.curves": lambda _: call(model_plots.curves, [Point(1, 2.0), Point(2, 1.0, 0.5, 1.5)], ax=axes(2)),
    "model_plots.positional_encodings": lambda _: call(
        model_plots.positional_encodings, x(3, 4), offset=1, quantity="m", title="a title", ax=axes(1)[0]
    ),
    "explain.explain": lambda folder: call(explain.explain, reader(), "ab", folder / "page.html"),
    "report.page": lambda _: call(report.page, run(), None, 1.0, 5),
}  # fmt: skip
