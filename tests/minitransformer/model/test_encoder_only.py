"""The encoder-only model: its gradients, and that it looks both ways but never at padding."""

import numpy as np
import pytest
from model_checks import check_gradients, quickly_the_first, randomized

from minigrad import errors
from minigrad.functional import cross_entropy
from minitransformer import EncoderOnly, EncoderSizes
from minitransformer.model.encoder_only import hide

TOKENS = np.array([[3, 4, 5, 6, 2], [6, 3, 2, 0, 0]])


@pytest.mark.parametrize(
    "style", quickly_the_first([{}, {"norm": "pre", "positions": "rotary"}, {"tied": "target"}])
)
def test_gradients(style):
    sizes = EncoderSizes(5, **{"width": 4, "heads": 2, "feed_forward": 1, "longest": 3, **style})
    model = randomized(EncoderOnly(sizes), seed=2)
    tokens = np.array([[3, 4, 0]])
    check_gradients(lambda: model(tokens), module=model)


def model():
    return randomized(EncoderOnly(EncoderSizes(8, width=6, heads=2, feed_forward=5, layers=2)))


def test_every_position_sees_what_comes_before_and_after_it():
    m, changed = model(), TOKENS.copy()
    changed[0, 4] = 7
    assert (np.abs(m(changed).data - m(TOKENS).data)[0] > 1e-6).any(axis=-1).all()
    np.testing.assert_array_equal(m(changed).data[1], m(TOKENS).data[1])


def test_padding_changes_nothing():
    m = model()
    longer = np.pad(TOKENS[1:, :3], [(0, 0), (0, 4)])
    np.testing.assert_allclose(
        m(longer).data[:, :3], m(TOKENS[1:, :3]).data, rtol=1e-12, atol=1e-12
    )


def test_all_that_was_hidden_can_be_learned_from():
    m = model()
    read, guess = hide(TOKENS, 7, p=0.5, rng=np.random.default_rng(0))
    loss = cross_entropy(m(read), guess, ignore_index=0)
    loss.backward()
    assert all(p.grad is not None for p in m.parameters())
    assert (guess != 0).sum() == (read == 7).sum() > 0


def test_a_sequence_longer_than_the_positions():
    m = EncoderOnly(EncoderSizes(8, width=6, heads=2, feed_forward=5, longest=4))
    with pytest.raises(errors.LengthError, match=r"4 learned positions.* has 5"):
        m(TOKENS)


def test_attention_weights_come_with_their_tokens():
    maps = model().attention_weights(TOKENS[1:], list("abcde")).encoder
    assert [w.shape for w in maps] == [(1, 2, 5, 5)] * 2
    for weights in maps:
        values = weights.numpy()
        np.testing.assert_array_equal(values[..., 3:], 0)  # padding
        np.testing.assert_allclose(values.sum(axis=-1), 1)
        assert "".join(weights.queries) == "".join(weights.keys) == "abcde"
