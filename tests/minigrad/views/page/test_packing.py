"""The numbers of a page: how many digits each keeps, and what is left out."""

import json
from decimal import Decimal

import numpy as np
import pytest
from pages import rounded, unpacked

from minigrad.views.page import packing


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_arrays_keep_three_digits_of_each_number(dtype):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(3000) * 10.0 ** rng.integers(-12, 12, 3000)).astype(dtype)
    edges = [9.995, 99.95, 0.9995, 1.0, 1e-3, 999.5, 9994e3, 0.1, 5e-7, 0.125, -1.115, 1e7]
    x = np.concatenate([x, np.array(edges, dtype)])
    packed = packing.pack(x, 1 << 16)
    assert unpacked(packed) == [rounded(float(v), 3) for v in x]


def test_numbers_without_digits():
    x = np.array([0.0, np.nan, np.inf, -np.inf, -0.0, 1e30, 1e-30] * 10)
    got = unpacked(packing.pack(x, 1 << 16))[:7]
    assert np.array_equal(got, [0, np.nan, np.inf, -np.inf, 0, 1e30, 0], equal_nan=True)
    assert packing.pack(x, 1 << 16)["m"][4:] == [20, 30]
    json.dumps(packing.pack(np.full(9, np.nan), 99), allow_nan=False)


def test_small_arrays_keep_five_digits():
    x = np.random.default_rng(1).standard_normal((4, 5)).astype(np.float32)
    assert unpacked(packing.pack(x, 99)) == [rounded(float(v), 5) for v in x.ravel()]
    assert packing.pack(np.array([3, -(2**40)]), 99)["v"] == [3, -(2**40)]


def test_what_is_left_out_leaves_rows_and_columns_that_are_the_arrays_own():
    x = np.arange(4096.0).reshape(32, 128) + 100_000
    arrays = packing.Arrays(budget=2000)
    arrays.add(x)
    (packed,) = arrays.packed()
    kept, steps = packing.thinned(x, len(unpacked(packed)))
    assert packed["k"] == steps
    assert unpacked(packed) == [rounded(v, 3) for v in kept.ravel()]
    assert len(json.dumps(packed)) < 2500
    assert packed["m"][:3] == [rounded(v, 4) for v in (x.min(), x.max(), x.mean())]
    assert sum(packed["h"]) == x.size


@pytest.mark.parametrize("copies", [1, 100])
@pytest.mark.parametrize("row", [[1e200, 1.0], [np.finfo(np.float64).max, -1e308], [1e-320, 1e300]])
def test_numbers_near_the_largest_have_a_summary_of_finite_numbers(row, copies):
    x = np.array(row * copies)
    packed = packing.pack(x, 1 << 16)
    json.dumps(packed, allow_nan=False)
    exact = [Decimal(v) for v in x.tolist()]
    norm = min(sum(v * v for v in exact).sqrt(), Decimal(np.finfo(np.float64).max))
    wanted = [min(exact), max(exact), sum(exact) / len(exact), norm]
    assert np.allclose(packed["m"][:4], [float(v) for v in wanted], rtol=1e-3, atol=0)
    assert sum(packed["h"]) == x.size


@pytest.mark.parametrize("number", [1.0, -3e300, 1e-320])
def test_neighbouring_numbers_have_a_histogram(number):
    packed = packing.pack(np.array([number, np.nextafter(number, np.inf)]), 99)
    assert packed["h"] == [1, *[0] * (packing.BINS - 2), 1]


def test_equal_arrays_are_kept_once():
    arrays = packing.Arrays(budget=1000)
    a = np.arange(6.0)
    assert arrays.add(a) == arrays.add(a.copy()) != arrays.add(a.reshape(2, 3))
    assert arrays.add(None) is None
