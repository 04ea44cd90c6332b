"""Positions: the numbers of the papers, for any width, from any offset; and what order changes."""

import math

import numpy as np
import pytest
from model_checks import check_gradients, random_tensor, randomized

from minigrad import errors
from minitransformer import AttentionSizes, Learned, MultiHeadAttention, masks, rotary, sinusoidal
from minitransformer.model.positions import POSITIONS

# --- sines and cosines ----------------------------------------------------------------------------


def literal(length, width, offset=0):
    """Section 3.5 of the paper, number by number."""
    table = np.empty((length, width))
    for t in range(length):
        for j in range(width):
            angle = (offset + t) / 10000 ** ((j - j % 2) / width)
            table[t, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return table


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 7, 8, 64, 65])
@pytest.mark.parametrize("offset", [0, 1, 13])
def test_sines_and_cosines_for_even_and_odd_widths(width, offset):
    table = sinusoidal(6, width, offset, "float64")
    np.testing.assert_allclose(table, literal(6, width, offset), atol=1e-12)


def test_the_first_positions_of_width_four():
    by_hand = [
        [0.0, 1.0, 0.0, 1.0],
        [0.8415, 0.5403, 0.0100, 1.0000],
        [0.9093, -0.4161, 0.0200, 0.9998],
        [0.1411, -0.9900, 0.0300, 0.9996],
    ]
    np.testing.assert_allclose(sinusoidal(4, 4), by_hand, atol=5e-5)


def test_an_offset_continues_the_same_table_to_the_bit():
    whole = sinusoidal(20, 7)
    for offset in range(19):
        np.testing.assert_array_equal(sinusoidal(1, 7, offset), whole[offset : offset + 1])
        np.testing.assert_array_equal(sinusoidal(20 - offset, 7, offset), whole[offset:])


def test_no_length_is_no_rows():
    assert sinusoidal(0, 4).shape == (0, 4)


def test_dtype_is_the_one_asked_for():
    assert sinusoidal(3, 4).dtype == np.float32
    assert sinusoidal(3, 4, dtype="float64").dtype == np.float64


def test_a_table_that_many_models_share_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        sinusoidal(3, 4)[0, 0] = 1


# --- learned ----------------------------------------------------------------------------------------


def test_learned_rows_are_added_from_the_offset_on():
    positions = randomized(Learned(7, 3))
    x = random_tensor(2, 4, 3)
    rows = positions.table.weight.data
    np.testing.assert_array_equal(positions(x, 2).data, x.data + rows[2:6])
    check_gradients(lambda x: positions(x, 2)[:, 1:], x[:, :4], module=positions)


def test_more_positions_than_were_learned():
    positions = randomized(Learned(5, 3))
    positions(random_tensor(1, 2, 3), 3)
    with pytest.raises(errors.LengthError, match=r"5 learned positions.* has 6"):
        positions(random_tensor(1, 2, 3), 4)


def test_learned_positions_of_one_vector_are_refused():
    with pytest.raises(errors.ShapeError, match=r"\(\.\.\., T, D\).*\(3,\)"):
        Learned(5, 3)(random_tensor(3))


# --- rotary -----------------------------------------------------------------------------------------


def test_each_pair_is_turned_by_its_position_times_its_frequency():
    x = random_tensor(2, 3, 5, 6)
    turned = rotary(x, offset=4).data
    for t in range(5):
        for i in range(3):
            angle = (4 + t) / 10000 ** (2 * i / 6)
            turn = np.array(
                [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
            )
            pair = slice(2 * i, 2 * i + 2)
            np.testing.assert_allclose(
                turned[..., t, pair], x.data[..., t, pair] @ turn.T, rtol=1e-12, atol=1e-12
            )


def test_products_of_turned_queries_and_keys_depend_on_the_distance_alone():
    q, k = random_tensor(1, 8), random_tensor(1, 8, seed=1)
    product = lambda t, s: (rotary(q, t).data @ rotary(k, s).data.T).item()
    assert product(9, 4) == pytest.approx(product(105, 100), rel=1e-12)
    assert product(9, 4) == pytest.approx(product(5, 0), rel=1e-12)
    assert abs(product(9, 4) - product(9, 5)) > 1e-3


def test_turning_keeps_lengths_and_dtype():
    x = random_tensor(3, 4, dtype=np.float32)
    assert rotary(x).dtype == np.float32
    np.testing.assert_allclose((rotary(x, 7).data ** 2).sum(-1), (x.data**2).sum(-1), rtol=1e-6)


def test_gradients_of_turning():
    check_gradients(lambda x: rotary(x, 2), random_tensor(2, 3, 4))


def test_an_odd_width_has_no_pairs():
    with pytest.raises(errors.ShapeError, match=r"pairs of numbers.*\(3, 5\)"):
        rotary(random_tensor(3, 5))


# --- what order changes -----------------------------------------------------------------------------

ORDER = [2, 0, 3, 1]


def attend(kind, x, mask=None):
    """Self-attention over embeddings (B, T, D) that were given positions of this kind."""
    layer = randomized(MultiHeadAttention(AttentionSizes(4, 2, rotary=kind == "rotary")))
    positions = POSITIONS[kind](4, 8)
    if kind == "learned":
        randomized(positions, seed=5)
    y = positions(x)
    return layer(y, y, mask)[0].data


def test_without_positions_a_new_order_of_inputs_is_the_same_order_of_outputs():
    x = random_tensor(1, 4, 4)
    np.testing.assert_allclose(
        attend("none", x[:, ORDER]), attend("none", x)[:, ORDER], rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", "rotary"])
def test_with_positions_it_is_not(kind):
    x = random_tensor(1, 4, 4)
    assert np.abs(attend(kind, x[:, ORDER]) - attend(kind, x)[:, ORDER]).max() > 1e-3


@pytest.mark.parametrize("kind", POSITIONS)
def test_the_same_order_is_the_same_output(kind):
    x = random_tensor(1, 4, 4)
    np.testing.assert_array_equal(attend(kind, x), attend(kind, x[:, [0, 1, 2, 3]]))


def test_rotary_outputs_do_not_change_when_all_positions_move_on():
    """A window of padding before the sequence shifts it, and rotary attention sees distances only."""
    x = random_tensor(1, 6, 4)
    layer = randomized(MultiHeadAttention(AttentionSizes(4, 2, rotary=True)))
    hidden = masks.arbitrary(lambda q, k: k >= 2, 6)
    shifted, _ = layer(x, x, hidden)
    alone, _ = layer(x[:, 2:], x[:, 2:])
    np.testing.assert_allclose(shifted.data[:, 2:], alone.data, rtol=1e-12, atol=1e-12)
