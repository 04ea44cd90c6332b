"""No part of a transformer computes anything else where its input lies otherwise in memory."""

import numpy as np
import pytest
from layouts import LAYOUTS, laid_out, tensor
from model_checks import randomized, weighted_sum

from minigrad.nn import Embedding
from minitransformer import (
    AttentionSizes,
    DecoderLayer,
    DecoderOnly,
    DecoderSizes,
    EncoderLayer,
    FeedForward,
    GatedFeedForward,
    LayerNorm,
    LayerSizes,
    Learned,
    MultiHeadAttention,
    Sizes,
    Transformer,
    masks,
    rotary,
)
from minitransformer.model.attention import normalized
from minitransformer.model.embedding import Tied
from minitransformer.model.positions import add_sinusoidal
from minitransformer.model.projection import OfHeads, ToHeads
from minitransformer.training.decoding import distribution

B, H, T, S, D = 3, 2, 4, 5, 6
SEEN = np.random.default_rng(5).random((B, H, T, S)) < 0.6
SEEN[0, 0, 1] = False  # this query has nothing to see


def attending(**options):
    return randomized(MultiHeadAttention(AttentionSizes(D, H, **options)))


PLAIN = attending()
SIZES = LayerSizes(width=D, heads=H, feed_forward=7, norm="pre")

# Functions of arrays of real numbers, and the shapes of these.
OF_NUMBERS = {
    "multi-head attention": (PLAIN, [(B, T, D), (B, S, D)]),
    "multi-head attention, rotary": (
        attending(rotary=True, key_width=4), [(B, T, D), (B, S, D)],
    ),
    "multi-head attention, additive": (attending(score="additive"), [(B, T, D), (B, S, D)]),
    "multi-head attention, heads added": (attending(join="add"), [(B, T, D), (B, S, D)]),
    "multi-head attention, masked": (
        lambda x, context: PLAIN(x, context, SEEN), [(B, T, D), (B, S, D)],
    ),
    "multi-head attention, blind": (
        lambda x, context: PLAIN(x, context, np.zeros((T, S), bool)),
        [(B, T, D), (B, S, D)],
    ),
    "encoder layer": (randomized(EncoderLayer(SIZES)), [(B, T, D)]),
    "decoder layer": (randomized(DecoderLayer(SIZES)), [(B, T, D), (B, S, D)]),
    "layer norm": (randomized(LayerNorm(D)), [(B, H, T, D)]),
    "feed-forward": (randomized(FeedForward(D, 7)), [(B, H, T, D)]),
    "gated feed-forward": (randomized(GatedFeedForward(D, 7)), [(B, T, D)]),
    "to heads": (randomized(ToHeads(D, H, 3)), [(B, T, D)]),
    "of heads": (randomized(OfHeads(H, 3, D)), [(B, H, T, 3)]),
    "rotary": (rotary, [(B, H, T, D)]),
    "sinusoidal": (add_sinusoidal, [(B, T, D)]),
    "learned": (randomized(Learned(T, D)), [(B, T, D)]),
    "tied": (randomized(Tied(Embedding(S, D))), [(B, T, D)]),
    "normalized by squares": (lambda x: normalized(x, SEEN, np.square), [(B, H, T, S)]),
}  # fmt: skip


def results(output):
    """The tensors in what a module returns."""
    if isinstance(output, (tuple, list)):
        return [y for part in output for y in results(part)]
    return [output]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_numbers(name, layout):
    f, shapes = OF_NUMBERS[name]
    rng = np.random.default_rng(1)
    arrays = [laid_out(rng.standard_normal(shape), layout) for shape in shapes]
    found = []
    for inputs in ([tensor(a, layout) for a in arrays], [tensor(np.array(a)) for a in arrays]):
        ys = results(f(*inputs))
        sum(weighted_sum(np.flip(y)) for y in ys).backward()
        found.append([*(y.data for y in ys), *(x.grad.data for x in inputs)])
    for a, b in zip(*found, strict=True):
        scale = 1 + np.abs(b).max()
        np.testing.assert_allclose(a / scale, b / scale, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_masks(layout):
    rng = np.random.default_rng(2)
    x, context = rng.standard_normal((B, T, D)), rng.standard_normal((B, S, D))
    for mask in (SEEN, SEEN[:, :1], SEEN[0, 0], SEEN[:, :1, :1]):
        mask = laid_out(mask, layout)
        for a, b in zip(PLAIN(x, context, mask), PLAIN(x, context, np.array(mask))):
            np.testing.assert_allclose(a.data, b.data, rtol=1e-12, atol=1e-12)
    assert masks.show(laid_out(SEEN[0, 0], "last axes swapped")) == masks.show(SEEN[0, 0])


decoder = randomized(DecoderOnly(DecoderSizes(8, width=D, heads=H, feed_forward=5, layers=1)))
both_stacks = randomized(
    Transformer(Sizes(8, 8, width=D, heads=H, feed_forward=5, encoder_layers=1, decoder_layers=1))
)
OF_TOKENS = {
    "decoder-only model": lambda ids: decoder(ids),
    "transformer": lambda ids: both_stacks(ids, ids),
    "embedding": randomized(Embedding(8, D)),
    "padding": masks.padding,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", OF_TOKENS)
def test_tokens(name, layout):
    ids = laid_out(np.array([[3, 4, 5, 6, 2], [6, 3, 2, 0, 0], [1, 7, 4, 4, 0]]), layout)
    f = OF_TOKENS[name]
    a, b = (np.asarray(getattr(y, "data", y)) for y in (f(ids), f(np.array(ids, order="C"))))
    np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("few", [{}, {"top_k": 2}, {"top_p": 0.6}], ids=str)
def test_the_distribution_that_symbols_are_drawn_from(layout, few):
    scores = laid_out(np.random.default_rng(4).standard_normal((B, S)), layout)
    before = np.array(scores, order="C")
    p = distribution(scores, 0.7, **few)
    np.testing.assert_allclose(p, distribution(before, 0.7, **few), rtol=1e-12)
    np.testing.assert_array_equal(scores, before)
