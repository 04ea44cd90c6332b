"""Masks: rows are queries, columns are keys, True may be attended to."""

import numpy as np
import pytest

from minitransformer import masks


def test_causal_sees_itself_and_what_came_before():
    expected = [[q >= k for k in range(4)] for q in range(4)]
    np.testing.assert_array_equal(masks.causal(4), expected)


def test_causal_queries_are_the_last_of_more_keys():
    np.testing.assert_array_equal(masks.causal(2, 5), masks.causal(5)[-2:])
    np.testing.assert_array_equal(masks.causal(1, 5), np.ones((1, 5), dtype=bool))


def test_padding_hides_columns_and_never_rows():
    tokens = np.array([[5, 6, 0], [7, 0, 0]])
    mask = masks.padding(tokens)
    assert mask.shape == (2, 1, 1, 3)
    np.testing.assert_array_equal(mask[:, 0, 0], [[True, True, False], [True, False, False]])
    whole = np.broadcast_to(mask, (2, 1, 3, 3))
    assert whole[0, 0].any(axis=1).all()  # a padded query still has keys to look at


def test_padding_may_be_another_symbol():
    np.testing.assert_array_equal(masks.padding(np.array([[0, 9]]), pad=9)[0, 0], [[True, False]])


def test_padding_of_one_sequence():
    assert masks.padding(np.array([5, 0])).shape == (1, 1, 2)


@pytest.mark.parametrize(("before", "after"), [(1, None), (0, 2), (2, 0), (0, 0), (9, 9)])
def test_a_window_sees_its_neighbours(before, after):
    right = before if after is None else after
    expected = [[q - before <= k <= q + right for k in range(5)] for q in range(5)]
    np.testing.assert_array_equal(masks.window(5, before, after), expected)
    np.testing.assert_array_equal(masks.window(2, before, after, keys=5), expected[-2:])


def test_a_window_that_looks_back_is_part_of_the_causal_mask():
    np.testing.assert_array_equal(masks.window(6, 5, 0), masks.causal(6))
    np.testing.assert_array_equal(masks.window(6, 2) & masks.causal(6), masks.window(6, 2, 0))


def test_an_arbitrary_rule():
    same_parity = masks.arbitrary(lambda q, k: q % 2 == k % 2, 3)
    np.testing.assert_array_equal(same_parity, [[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    everything = masks.arbitrary(lambda q, k: True, 2, 3)
    assert everything.dtype == bool
    np.testing.assert_array_equal(everything, np.ones((2, 3)))
    np.testing.assert_array_equal(masks.arbitrary(lambda q, k: q >= k, 2, 5), masks.causal(2, 5))


def test_masks_are_joined_by_and():
    tokens = np.array([[5, 6, 0]])
    both = masks.causal(3) & masks.padding(tokens)
    assert both.shape == (1, 1, 3, 3)
    assert both.dtype == bool
    expected = [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    np.testing.assert_array_equal(both[0, 0], np.array(expected, dtype=bool))


def test_shown_as_a_grid():
    grid = masks.show(masks.causal(3), ["the", "man", "hit"], ["a", "b", "c"])
    assert grid.splitlines() == ["     a b c", "the  ■ · ·", "man  ■ ■ ·", "hit  ■ ■ ■"]


def test_shown_with_numbers_where_there_are_no_labels():
    assert masks.show(masks.causal(1, 11)).splitlines()[0] == "   0 1 2 3 4 5 6 7 8 9 10"


def test_a_batch_is_shown_one_by_one():
    batch = masks.causal(2) & masks.padding(np.array([[5, 6], [5, 0]]))
    first, second = masks.show(batch).split("\n\n")
    assert first.splitlines() == ["[0, 0]", "   0 1", "0  ■ ·", "1  ■ ■"]
    assert second.splitlines() == ["[1, 0]", "   0 1", "0  ■ ·", "1  ■ ·"]
    assert masks.show(batch[:1]) == "\n".join(first.splitlines()[1:])
