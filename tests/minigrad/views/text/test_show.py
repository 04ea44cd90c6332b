"""Arrays as text: aligned, without noise, and never a zero that is not one."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.arrays.identity import frozen_view
from minigrad.views.text.show import extent, numbers, texts


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.76159415), "0.7616"),
        (np.ones(3, np.float32), "[1, 1, 1]"),
        ([0.5, 1.0, -0.25], "[ 0.50,  1.00, -0.25]"),
        ([-0.0, 2.0], "[0, 2]"),
        ([1, 20], "[ 1, 20]"),
        ([True, False], "[ True, False]"),
        ([np.nan, 1.5, np.inf], "[nan, 1.5, inf]"),
        ([1e-9, 2.0], "[1.000e-09, 2.000e+00]"),  # small beside large, but no zero
        ([0.0, 1e-9], "[        0, 1.000e-09]"),
        ([123456.789, 1.0], "[123457,      1]"),
        (np.zeros((0, 30)), "empty, (0, 30) float64"),
        ([[1.0, 2.5], [3.0, 4.0]], "[[1.0, 2.5],\n [3.0, 4.0]]"),
    ],
)
def test_small_arrays_are_shown_whole(value, text):
    assert numbers(np.asarray(value)) == text


def test_further_lines_stand_below_the_first():
    assert "x = " + numbers(np.eye(2), 4) == "x = [[1, 0],\n     [0, 1]]"


def test_large_arrays_are_summarised():
    text = numbers(mg.Tensor(np.linspace(-1.0, 2.0, 301)))
    assert text == "(301,) float64, from -1 to 2, first -1.00, -0.99, -0.98 ..."


def test_extents_name_what_is_not_finite():
    assert extent(np.array([1.0, np.nan, -2.5, np.inf, -np.inf])) == (
        "from -2.5 to 1, 1 of 5 NaN, 2 of 5 infinite"
    )
    assert extent(np.full(3, 7)) == "all 7"
    assert extent(np.zeros((0,))) == "empty"
    assert extent(np.array([np.nan])) == "1 of 1 NaN"


@pytest.mark.parametrize("seed", range(30))
def test_no_number_is_shown_as_another(seed):
    """What is written differs from the number by at most one part in a thousand of the largest,
    and is zero only for zero."""
    rng = np.random.default_rng(seed)
    array = rng.standard_normal(8) * 10.0 ** rng.integers(-12, 12)
    array[rng.integers(8)] = 0.0
    back = np.array([float(t) for t in texts(array)])
    np.testing.assert_allclose(back, array, atol=1e-3 * np.abs(array).max())
    assert np.array_equal(back == 0, array == 0)


def test_a_read_only_view_shares_and_cannot_write():
    array = np.zeros(3)
    view = frozen_view(array)
    array[0] = 1.0
    assert view[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 2.0
