"""Rewritings: each gives the same to rounding, and is named in the program; with exact=True, those are
left that give the same bits."""

import numpy as np
import pytest
from compiling import CALLS, both_ways, compiled, inputs_of
from leaves import leaf
from random_programs import loss_of, random_program

import minigrad as mg
from minigrad import functional as F
from minigrad.compiler import rewritings

ROWS, COLUMNS = 80, 12
TABLE = {row.change.__name__: row for rows in rewritings.REWRITINGS.values() for row in rows}


def array(*shape, dtype):
    return np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)


def negated_twice(x):
    y = np.exp(x)
    return np.sum(-(y * y))


def with_mean_and_deviation(x):
    deviation = x - np.mean(x, axis=-1, keepdims=True)
    return deviation * np.mean(deviation * deviation, axis=-1, keepdims=True)


CASES = {  # a function of a matrix, and how wide that is
    "sum_of_rows": (lambda x: np.sqrt(np.sum(np.exp(x), axis=-1)), COLUMNS),
    "sum_of_columns": (lambda x: np.sqrt(np.sum(np.exp(x), axis=0)), COLUMNS),
    "sum_of_multiples": (
        lambda x: np.sum(np.tanh(x) * np.max(x, -1, keepdims=True), axis=-1, keepdims=True),
        COLUMNS,
    ),
    "product_transposed": (lambda x: np.tanh(np.swapaxes(x.T @ np.tanh(x), 0, 1)), COLUMNS),
    "multiple_of_a_sum": (lambda x: np.mean(np.exp(x), axis=-1), COLUMNS),
    "multiple_of_a_sum of columns": (lambda x: -np.sum(np.exp(x), axis=0), COLUMNS),
    "sum_of_a_multiple": (lambda x: np.sum(np.exp(x) * 3, axis=-1), COLUMNS),
    "sum_of_a_multiple of columns": (lambda x: np.sum(3 * np.exp(x), axis=0), COLUMNS),
    "sum_of_products": (lambda x: np.sum(np.exp(x) * np.tanh(x), axis=1), 80),
    "sum_of_negatives": (negated_twice, COLUMNS),
    "product_with_a_negative": (lambda x: -np.exp(x) * np.sin(x), COLUMNS),
    "multiple_of_a_multiple": (lambda x: (np.exp(x) * 3) * 5, COLUMNS),
    "multiple_of_a_multiple by a sign": (lambda x: np.tanh(-np.exp(x) * -3), COLUMNS),
    "quotient_of_a_multiple": (lambda x: np.sqrt(np.exp(x)) / 4, COLUMNS),
    "plus_a_negative": (lambda x: np.exp(x) + -np.sin(x), COLUMNS),
    "quotient": (lambda x: np.exp(x) / 3, COLUMNS),
    "quotient by a column": (lambda x: x / np.sum(np.exp(x), axis=-1, keepdims=True), COLUMNS),
    "twice_a_product": (with_mean_and_deviation, COLUMNS),
    "chosen_last": (lambda x: np.where(np.greater(x, 0), np.exp(x), -1) * 2, COLUMNS),
    "factor_of_booleans": (lambda x: np.exp(x) * np.greater(x, 0), COLUMNS),
    "maximum_of_rows": (lambda x: F.softmax(2 * x), COLUMNS),
    "above_a_row": (lambda x: np.maximum(np.exp(x), 1.5), COLUMNS),
    "rows_added": (lambda x: x[np.array([[1, 2], [1, 0]])] * 3, 20),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_a_rewriting_gives_the_same_to_rounding(name, dtype):
    function, width = CASES[name]
    formula, _, same_bits = TABLE[name.split()[0]]
    x = mg.Tensor(array(ROWS, width, dtype=dtype), requires_grad=True)
    step = compiled(function, x, exact=False)
    assert f"# {formula}\n" in step.source
    assert f"# {formula}\n" in step.program(buffers=True)
    assert (formula in compiled(function, x, exact=True).source) == same_bits
    step.function = None  # which is called where the program ends in an error
    for k in range(2):
        again = mg.Tensor(x.data * (k + 1), requires_grad=True)
        for found, wanted in zip(both_ways(step, [again]), both_ways(function, [again])):
            assert found.dtype == wanted.dtype
            scale = max(1, np.abs(wanted).max())
            np.testing.assert_allclose(found, wanted, 0, 100 * np.finfo(dtype).eps * scale)


def test_every_rewriting_is_tested():
    assert TABLE.keys() == {name.split()[0] for name in CASES}


SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e30, 1.0, 2.0], np.float32)


# Nothing times infinity is NaN.
@pytest.mark.parametrize("name", [n for n in CASES if n != "rows_added"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_number_becomes_finite_or_stops_being_so(name):
    function, width = CASES[name]
    x = leaf(np.resize(SPECIAL, (ROWS, width)).astype(np.float32))
    wanted = both_ways(function, [x])
    for exact in (False, True):
        found = both_ways(compiled(function, x, exact=exact), [x])
        np.testing.assert_array_equal(np.isfinite(found[0]), np.isfinite(wanted[0]))
    for a, b in zip(found, wanted):
        np.testing.assert_array_equal(a, b)


def check(program):
    function = lambda *inputs: loss_of(program, inputs)
    step = mg.compile(function)
    for k in range(CALLS):
        found = both_ways(step, list(inputs_of(program, k)))
        for a, b in zip(found, both_ways(function, list(inputs_of(program, k)))):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "seeds", [range(15), pytest.param(range(15, 75), marks=pytest.mark.slow)], ids=["15", "60 more"]
)
def test_random_programs_give_the_same_to_rounding(seeds):
    for seed in seeds:
        check(random_program(seed))


def test_rewriting_ends_where_both_choices_are_numbers():
    x = leaf(2.0)
    step = compiled(lambda x: np.where(np.greater(x, 0), np.exp(x), x * 0) * 2, x, exact=False)
    assert step(leaf(1.0)).item() == pytest.approx(2 * np.e)


def test_a_sum_of_narrow_integers_times_floats_stays_one_of_floats():
    narrow = np.arange(-8, 8, dtype=np.int8).reshape(4, 4)
    x = leaf(np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4))
    f = lambda x: np.sum(narrow * np.max(x, -1, keepdims=True), axis=-1, keepdims=True)
    (found, _), (wanted, _) = (both_ways(g, [x]) for g in (compiled(f, x, exact=False), f))
    assert found.dtype == wanted.dtype == np.float32
    np.testing.assert_allclose(found, wanted, 1e-6)
