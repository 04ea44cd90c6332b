"""A model that reads token by token computes what it computes when it reads all at once."""

import numpy as np
import pytest
from model_checks import randomized

import minigrad as mg
from minitransformer import Cache, DecoderOnly, DecoderSizes, Sizes, Transformer

SOURCE = np.array([[3, 4, 5, 6, 7], [8, 3, 4, 0, 0], [5, 0, 0, 0, 0]])
READ = np.array([[1, 3, 4, 5, 6, 7], [1, 6, 7, 2, 0, 0], [1, 4, 3, 3, 2, 0]])
PIECES = [[1] * 6, [3, 1, 2], [6]]
STYLES = [
    {},
    {"norm": "pre"},
    {"positions": "learned"},
    {"positions": "rotary"},
    {"score": "additive", "activation": "gated", "tied": "target"},
]
TOLERANCE = {np.float64: 1e-10, np.float32: 1e-5}
every_style = pytest.mark.parametrize("style", STYLES, ids=str)
every_dtype = pytest.mark.parametrize("dtype", TOLERANCE)
every_pieces = pytest.mark.parametrize("pieces", PIECES, ids=str)


def step_by_step(model, memory, tokens, pieces):
    """The logits of each piece, one after the other."""
    cache, start, logits = Cache(), 0, []
    with mg.no_grad():
        for n in pieces:
            logits.append(model.next_scores(tokens[:, start : start + n], memory, cache).data)
            start += n
            assert cache.offset == start
    return np.concatenate(logits, axis=1)


def assert_close(found, expected, dtype):
    assert found.dtype == dtype
    bound = TOLERANCE[dtype] * np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound)


@every_style
@every_dtype
@every_pieces
def test_encoder_decoder(style, dtype, pieces):
    sizes = Sizes(9, 8, width=8, heads=2, feed_forward=5, decoder_layers=2, **style)
    model = randomized(Transformer(sizes), dtype=dtype)
    found = step_by_step(model, model.encode(SOURCE), READ, pieces)
    assert_close(found, model(SOURCE, READ).data, dtype)


@every_style
@every_dtype
@every_pieces
def test_decoder_only(style, dtype, pieces):
    sizes = DecoderSizes(8, width=8, heads=2, feed_forward=5, layers=2, **style)
    model = randomized(DecoderOnly(sizes), dtype=dtype)
    assert_close(step_by_step(model, model.encode(READ), READ, pieces), model(READ).data, dtype)


def test_selected_rows_go_on_as_if_they_had_been_alone():
    model = randomized(DecoderOnly(DecoderSizes(8, width=8, heads=2, feed_forward=5, layers=2)))
    cache = Cache()
    model.next_scores(READ[:, :3], cache=cache)
    for rows in (np.array([2, 0, 0]), np.array([False, True, False])):
        chosen = cache.select(rows)
        found = model.next_scores(READ[rows, 3:], cache=chosen).data
        np.testing.assert_allclose(found, model(READ[rows]).data[:, 3:], rtol=1e-10, atol=1e-12)
    assert cache.offset == 3  # the one they were selected from has read nothing more


def test_the_source_is_projected_once():
    """Later steps take keys and values of the memory from the cache; the memory itself is not read."""
    model = randomized(Transformer(Sizes(9, 8, width=8, heads=2, feed_forward=5)))
    memory = model.encode(SOURCE)
    cache = Cache()
    model.decode(READ[:, :1], memory, cache)
    attention = model.decoder.layers[0].cross_attention
    assert cache.length(attention) == 5
    kept = cache.kept(attention)
    nonsense = memory._replace(vectors=mg.Tensor(np.full(memory.vectors.shape, np.nan)))
    found = model.next_scores(READ[:, 1:2], nonsense, cache)
    np.testing.assert_allclose(found.data, model(SOURCE, READ).data[:, 1:2], rtol=1e-10, atol=1e-12)
    assert cache.kept(attention) is kept
