"""NumPy's options, and narrow dtypes: they mean what they mean to NumPy, or a refusal helps.

Each call is made on arrays first, with sensible options and with others, and then on Tensors.
"""

import itertools

import numpy as np
import pytest
from numpy_calls import (
    CUBE,
    EMPTY,
    FOUR,
    MASK,
    MATRIX,
    NUMBER,
    ROW,
    SQUARE,
    TALL,
    Call,
    as_floats,
    attempt,
    check_refusal,
    same,
)
from operations.row import NUMPY, written

import minigrad as mg
from minigrad import errors

# Calls are also made where they warn: 0 / 0, log(0), an empty mean.
pytestmark = pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::DeprecationWarning", "ignore::PendingDeprecationWarning"
)

# --- options --------------------------------------------------------------------------------------

AXES = (
    None, 0, 1, -1, 2, -2, 5, -5, np.int64(0), (0,), (0, 1), (0, 0), (1, -1), (0, 5), 1.0, "0",
)  # fmt: skip


def since(*names):
    """Functions that not every NumPy has."""
    return [getattr(np, name) for name in names if hasattr(np, name)]


OVER_AXES = (
    np.sum, np.mean, np.prod, np.max, np.min, np.amax, np.amin, np.var, np.std, np.ptp, np.median,
    np.average, np.nansum, np.nanmean, np.cumsum, np.cumprod, np.sort, np.argsort, np.argmax,
    np.argmin, np.any, np.all, np.count_nonzero, np.diff, np.trapezoid, np.flip, np.squeeze,
    np.linalg.norm, np.linalg.vector_norm, np.nanprod, np.nanmax, np.nanmin, np.nanvar, np.nanstd,
    np.nanmedian, np.nancumsum, np.nancumprod, *since("unstack", "cumulative_sum", "cumulative_prod"),
)  # fmt: skip
METHODS_OF_QUANTILES = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
    "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
)  # fmt: skip
WITH_AXIS = {  # those that need more than an array and an axis
    np.expand_dims: (), np.repeat: (2,), np.take: ([0],), np.split: (1,), np.array_split: (2,),
    np.append: (SQUARE,), np.roll: (1,), np.take_along_axis: (np.array([[0]]),),
    np.quantile: (0.3,), np.percentile: (30,), np.nanquantile: ([0.25, 0.5],), np.nanpercentile: (30,),
    np.linalg.vecdot: (CUBE,),
}  # fmt: skip
OF_SEVERAL = (np.concatenate, np.stack)
JOINING = (*OF_SEVERAL, np.hstack, np.vstack, np.dstack, np.column_stack, np.linalg.multi_dot)
LISTS = (
    [ROW, ROW], [ROW], [MATRIX, MATRIX], [CUBE, CUBE], [NUMBER, NUMBER], [ROW, MATRIX],
    [MATRIX, ROW], [MATRIX, TALL], [MATRIX, TALL, MATRIX], [ROW, SQUARE, ROW], [CUBE, MATRIX],
    [ROW, SQUARE, CUBE], [CUBE, SQUARE, SQUARE], [NUMBER, SQUARE, SQUARE], [ROW, SQUARE, SQUARE],
    [ROW, FOUR], [EMPTY, ROW], [ROW, [1.0, [2.0]]], MATRIX, CUBE,
)  # fmt: skip
ARRAYS = (NUMBER, EMPTY, ROW, MATRIX, TALL, SQUARE, CUBE)
SECTIONS = (1, 2, 3, 0, -2, 1.5, "2", None, [1], [1, 2], [2, 1], [-1], [9], [], [1.5], [[1]])
COUNTS = (0, 1, 2, -1, 1.5, "1", None, (1,), [1, 2], [1, 0, 2], [-1, 1, 1], (2, 1), (1, 1, 2))


def tried(function, *pools, arrays=ARRAYS, names=None):
    """A call for each array and each choice of one option from each pool."""
    for a, *options in itertools.product(arrays, *pools):
        if names is None:
            yield Call(function, a, *options)
        else:
            yield Call(function, a, **dict(zip(names, options)))


def over_axes():
    for function in OVER_AXES:
        yield from tried(function, AXES, names=["axis"], arrays=[NUMBER, ROW, MATRIX, CUBE])
    for function, more in WITH_AXIS.items():
        for a, axis in itertools.product([NUMBER, ROW, SQUARE, CUBE], AXES):
            yield Call(function, a, *more, axis=axis)
    for function in OF_SEVERAL:
        for arrays, axis in itertools.product(LISTS, AXES):
            yield Call(function, arrays, axis=axis)


def one_or_two_axes():
    some = (0, 1, -1, 2, 5, (0, 1), (0, 0), 1.0, None, "0")
    for function in (np.swapaxes, np.moveaxis):
        yield from tried(function, some, some, arrays=[NUMBER, MATRIX, CUBE])
    yield from tried(np.rollaxis, some, (0, 1, 3, 4, -1, -4, (0,), None))
    orders = (None, (1, 0), (0, 0), (0,), (0, 2, 1), (-1, 0), (1.0, 0), "10", 1, (0, 5), [1, 0])
    yield from tried(np.transpose, orders, arrays=[NUMBER, MATRIX, CUBE])
    for function in (np.trace, np.diagonal):
        for a, first, second in itertools.product([ROW, MATRIX, CUBE], some, some):
            yield Call(function, a, 0, first, second)
        yield from tried(function, COUNTS)
    planes = ((0, 1), (1, 0), (0, 0), (0,), (0, 1, 2), (0, 5), None)
    yield from tried(np.rot90, (1, 2, -1, "1"), planes)


def shapes():
    shapes = (
        (2, 3), 6, -1, (3, -1), (-1, -1), (7,), (), None, "6", 2.0, (2.0, 3), (3, 2), [3, 2],
        (-2, 3), (2, 3, 4), (4, 2, 3), (1, 1, 3), np.int64(6),
    )  # fmt: skip
    for function in (np.reshape, np.broadcast_to):
        yield from tried(function, shapes)
    yield from tried(np.reshape, [(3, -1)], ["C", "F", "A", "K", "C-like", 0, None])
    yield from tried(np.ravel, ["C", "F", "A", "K", "C-like", 0])
    for function in (np.tile, np.repeat, np.diag, np.diagflat, np.tril, np.triu):
        yield from tried(function, COUNTS)
    for function in (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit):
        yield from tried(function, SECTIONS)
    for function in (np.fliplr, np.flipud, np.matrix_transpose, np.linalg.matrix_transpose):
        yield from tried(function)
    for function in JOINING:
        for arrays in LISTS:
            yield Call(function, arrays)
    for a, shift, axis in itertools.product(
        [ROW, CUBE], (1, (1, 2), (1, 2, 3), 1.5, "1"), (None, 0, (0, 1), (0, 1, 1), 5)
    ):
        yield Call(np.roll, a, shift, axis)
    for function in (np.atleast_1d, np.atleast_2d, np.atleast_3d, np.broadcast_arrays):
        for pair in itertools.product(ARRAYS, ARRAYS):
            yield Call(function, *pair)
    for pair in itertools.product([NUMBER, ROW, MATRIX], repeat=2):
        for indexing in ("xy", "ij", "yx"):
            yield Call(np.meshgrid, *pair, indexing=indexing)


def borders():
    widths = (
        0, 1, -1, 1.5, "1", None, (1, 2), [1], [[1, 2], [0, 1]], [[1], [2]], [[1, 2]], [1, 2, 3],
        [[1, -1], [0, 0]],
    )  # fmt: skip
    if "int, dict" in np.pad.__doc__:  # NumPy 2.0 has no such widths
        widths += ({0: 1}, {-1: (1, 2)}, {5: 1}, {0: 1.5}, {0: -1}, {})
    modes = ("constant", "edge", "reflect", "symmetric", "wrap", "mean", "empty", "no such mode")
    yield from tried(np.pad, widths, modes, arrays=[NUMBER, ROW, MATRIX, EMPTY])
    values = (0, 2.5, None, (1, 2), ((1, 2), (3, 4)), (1, 2, 3), "1")
    for a, mode, value in itertools.product([ROW, MATRIX], ("constant", "edge"), values):
        yield Call(np.pad, a, 1, mode, constant_values=value)


def selections():
    places = (
        0, -1, 5, -5, [0, 1], [], [0, 5], [[0, 1], [1, 0]], "0", None, [True, False],
        np.array([0, 1]), np.array([0.0]), np.array([[0, 1]]), np.array([[0, 1, 0]]),
    )  # fmt: skip
    yield from tried(np.take, places, (None, 0, 1), ("raise",))
    yield from tried(np.take, places, (0,), ("clip", "wrap", "no such mode"))
    yield from tried(np.take_along_axis, places, (None, 0, -1, 5))
    for choices in ([ROW], [ROW, ROW], [FOUR]):
        yield Call(np.select, [MASK], choices)
    yield from tried(np.full_like, (0, 1.5, [1, 2, 3], [1, 2], "a", ROW))
    sizes, orders = (None, 2, (2, 3), (), [3], "2", -1), ("K", "C", "no such order", None)
    for shape, order in itertools.product(sizes, orders):
        yield Call(np.full_like, ROW, 1.5, order=order, shape=shape)
    yield from tried(np.nan_to_num, (True, False), (0.0, 1, [1.0, 2.0, 3.0], "a"))
    for triple in itertools.product([MASK, True], [ROW, NUMBER, FOUR, MATRIX], [ROW, 0.0, "a"]):
        yield Call(np.where, *triple)
    yield Call(np.where, MASK, ROW)
    bounds = (0, 0.5, None, [0.0, 0.25, 0.5], [0.0, 0.25], ROW, FOUR, "a")
    yield from tried(np.clip, bounds, bounds, arrays=[NUMBER, ROW, MATRIX])
    yield Call(np.clip, ROW, 0.0, 1.0, min=0.5)
    yield Call(np.clip, ROW, 0.0, 1.0, max=0.5)
    alone = ({"a_min": 0.5}, {"a_max": 0.5}, {"a_min": None}, {"a_min": 0.5, "max": 0.7}, {"min": 0.5},
             {"max": 0.5}, {})  # fmt: skip
    for bound in alone if NUMPY >= (2, 1) else ():  # which tells a bound that is None from none
        yield Call(np.clip, ROW, **bound)


def orders_and_weights():
    for options in ({"kind": "stable"}, {"kind": "no such kind"}, {"kind": 3}, {"order": "f"},
                    {"stable": True}, {"kind": "stable", "stable": True}):  # fmt: skip
        yield Call(np.sort, ROW, **options)
        yield Call(np.argsort, ROW, **options)
    weights = (
        1.0, ROW, FOUR, np.zeros(3), np.zeros((2, 3)), MATRIX, TALL, CUBE, [1, 2], [1, 1, 1], "a",
        np.array([1.0, -1.0, 0.0]), CUBE[:, 0], CUBE[0], CUBE[0].T,
    )  # fmt: skip
    axes = (None, 0, 1, -1, 5, (0,), (0, 1), (1, 0), (0, 2), (2, 1), (0, 0), 1.0)
    yield from tried(np.average, axes, weights, arrays=[NUMBER, ROW, MATRIX, CUBE])
    yield from tried(np.average, [None], [None, ROW], [True])  # returned
    for function in (np.var, np.std):
        yield from tried(function, (0, 1, 5, 0.5, "1"), names=["ddof"], arrays=[ROW, MATRIX])
    yield from tried(np.diff, (0, 1, 2, 4, -1, 1.5, "1", None))
    widths = (None, ROW, FOUR, MATRIX, MATRIX[:, :2], NUMBER, [0, 1, 3], [0, 1])
    yield from tried(np.trapezoid, widths, (1.0, "1", [1.0, 2.0]), (-1, 0, 5, (0,)))
    yield from tried(np.round, (0, 2, -1, 1.5, "1", None))
    sizes = (None, 0, 1, 2, 3, 2.5, -1, -2, 0.5, np.inf, -np.inf, "fro", "f", "nuc", "no such norm")
    axes = (None, 0, (0, 1), (0, 0), (), [0], (0, 1, 2), 5)
    empty = [EMPTY, np.zeros((0, 3)), np.zeros((2, 0, 3))] if NUMPY >= (2, 4) else []  # was refused
    yield from tried(np.linalg.norm, sizes, axes, arrays=[NUMBER, ROW, MATRIX, CUBE, *empty])
    for size, kept in itertools.product(sizes[1:], (True, False)):
        yield Call(np.linalg.vector_norm, CUBE, ord=size, axis=(0, 2), keepdims=kept)
        yield Call(np.linalg.matrix_norm, CUBE, ord=size, keepdims=kept)
    with_nan = np.array([[0.5, np.nan, 0.25], [np.nan, np.nan, 0.75]])
    for function in (np.quantile, np.percentile, np.nanquantile, np.nanpercentile):
        share = 100 if "percentile" in function.__name__ else 1
        several = [0.25 * share, 0.5 * share], [[0.75 * share]], [[[0.5]]], [0, 1], []
        some = (0, 1, 0.3 * share, 1.5 * share, "a", None, *several)
        yield from tried(function, some, (None, 0, 1), arrays=[NUMBER, ROW, MATRIX, with_nan])
        for method, q in itertools.product((*METHODS_OF_QUANTILES, "no such", None), (0.3, 0.5, 1)):
            yield Call(function, FOUR, q * share, method=method, keepdims=q == 1)
    yield Call(np.median, np.full(2, 60000, np.float16))  # their sum is infinite
    some = np.median, np.nanmedian, np.nanmax, np.nansum, np.nanvar, np.nanstd, np.nanmean
    for function in some:
        yield from tried(function, (None, 0, 1, (0, 1)), (True, False), names=["axis", "keepdims"],
                         arrays=[with_nan, with_nan * np.nan, MATRIX])  # fmt: skip
    yield from tried(
        np.cov, (None, TALL.T, ROW, FOUR), (True, False), arrays=[NUMBER, ROW, MATRIX, CUBE]
    )
    yield from tried(np.cov, (True, False), (None, 0, 1.0, 5, 1.5), names=["bias", "ddof"])


def products():
    for function in (np.matmul, np.dot, np.inner, np.outer, np.vdot, np.vecdot, np.kron, np.cross,
                     np.fmax, np.linalg.matmul, np.linalg.outer, np.linalg.cross, np.linalg.tensordot,
                     np.linalg.vecdot, *since("matvec", "vecmat")):  # fmt: skip
        for pair in itertools.product(ARRAYS, ARRAYS):
            yield Call(function, *pair)
    axes = (
        0, 1, 2, 3, -1, 1.0, "1", None, (0, 0), (1, 0), (0, 1, 1), (0,), ((0, 1), (1, 0)),
        ((0, 1), (0,)), ((0, 0), (0, 0)), ([1], [0]), ((5,), (0,)), ((1.0,), (0,)),
    )  # fmt: skip
    for a, b in itertools.product([NUMBER, ROW, MATRIX, TALL, CUBE], repeat=2):
        for summed in axes:
            yield Call(np.tensordot, a, b, summed)
    subscripts = (
        "ij,jk->ik", "ij,jk", "ij->ik", "ii", "ij,jk,kl", "i,jk", "ij,ij", "->", "", "i..j,jk",
        "...j,jk->...k", "ij,jk->ii", "ij,jk->im", "ij,j k", "1j,jk",
    )  # fmt: skip
    for text, operands in itertools.product(
        subscripts, [(MATRIX, TALL), (MATRIX, MATRIX), (SQUARE,), (ROW, TALL)]
    ):
        yield Call(np.einsum, text, *operands)
    places = ([0, 1], [1, 2], (0, 0), [Ellipsis, 1], [0, 60], [-1, 0], [0], ["i", 0], [0, 1, 2], 0)
    for first, second in itertools.product(places, repeat=2):
        for result in ((), ([0],), ([2, 0],), ([...],), (0,)):
            yield Call(np.einsum, MATRIX, first, SQUARE, second, *result)
    with_inf = np.array([[np.inf, 1.0], [2.0, 3.0]])
    powers = (0, 1, 2, 3, 5, -1, -2, 1.5, "2", None)
    yield from tried(np.linalg.matrix_power, powers, arrays=[*ARRAYS, SQUARE[None]])
    yield Call(np.linalg.matrix_power, with_inf, 0)
    for function in (np.linalg.inv, np.linalg.det, np.linalg.slogdet):
        yield from tried(function, arrays=[*ARRAYS, np.zeros((2, 2)), with_inf * 0 + 1])
    for pair in itertools.product([NUMBER, ROW, MATRIX, TALL, SQUARE, np.ones((3, 3))], repeat=2):
        yield Call(np.linalg.solve, *pair)
    axes = (-1, 0, 1, 5, (0,), 1.0, None, "0")
    for name, axis in itertools.product(["axisa", "axisb", "axisc", "axis"], axes):
        yield Call(np.cross, SQUARE, SQUARE, **{name: axis})


def decompositions():
    one, none = np.array([[0.5, 0.5], [0.5, 0.5]]), np.zeros((3, 3))
    arrays = [*ARRAYS, SQUARE[None], SQUARE - SQUARE.T, one, none, np.zeros((0, 3)), np.eye(3)]
    for function in (np.linalg.svdvals, np.linalg.eigvalsh, np.linalg.pinv, np.linalg.cholesky):
        yield from tried(function, arrays=arrays)
    for function in (np.linalg.eigh, np.linalg.eigvalsh):
        yield from tried(function, ("L", "U", "l", "u", "X", "", 0, None), arrays=[SQUARE, CUBE])
    yield from tried(np.linalg.svd, (True, False, 0), (True, False), arrays=arrays)
    modes = ("reduced", "complete", "r", "raw", "full", "economic", "no such mode", None, 0)
    yield from tried(np.linalg.qr, modes, arrays=arrays)
    yield from tried(np.linalg.pinv, (None, 1e-15, 0.5, "a", np.array([0.4])), (True, False))
    for upper in (True, False, 1, None):
        yield Call(np.linalg.cholesky, SQUARE, upper=upper)
    matrices = [SQUARE, MATRIX, TALL, one, TALL * [1, 0], CUBE, ROW]
    right = [ROW, FOUR, SQUARE, TALL, CUBE, EMPTY]
    for a, b, rcond in itertools.product(matrices, right, (None, -1, 0.1, "a")):
        yield Call(np.linalg.lstsq, a, b, rcond)
    for function in (np.linalg.trace, np.linalg.diagonal):
        yield from tried(function, (0, 1, -2, 9, 1.5), names=["offset"])


def samples():
    pairs = itertools.product([NUMBER, EMPTY, ROW, FOUR, FOUR[:1], MATRIX], repeat=2)
    modes = ("full", "same", "valid", "no such mode", "s", 0, 2, None)
    for (a, v), mode in itertools.product(pairs, modes):
        yield Call(np.convolve, a, v, mode)
    points = (np.array([0.0, 0.5, 0.75]), np.array([0.0, 0.5]), np.array([0.5]), EMPTY, MATRIX)
    for x, xp, fp in itertools.product([NUMBER, ROW, MATRIX, EMPTY, 0.6], points, points):
        if np.size(xp) or np.size(x) or NUMPY >= (2, 5):  # before, nothing at no points was refused
            yield Call(np.interp, x, xp, fp)
    sides = (None, 0.25, 3, "a", [1.0])
    for left, right, period in itertools.product(sides, sides, (None, 0, 0.8, -2, "a")):
        x = np.array([-1.0, 0.0, 0.3, 0.5, 0.6, 0.75, 0.9])  # the points among them
        yield Call(np.interp, x, points[0], ROW, left, right, period)
    for twice in ([0.0, 0.0, 1.0], [0.0, 0.6, 0.6], [0.3, 0.3, 0.3]):
        yield Call(np.interp, np.array([-1.0, 0.0, 0.3, 0.6, 1.0]), np.array(twice), ROW)
    for arrays in (
        MATRIX, [ROW, FOUR], [ROW, NUMBER], [EMPTY, ROW], [MATRIX, ROW], [CUBE[:1, :2], MATRIX],
        [[NUMBER, ROW]],
        [[MATRIX, TALL.T], [SQUARE, SQUARE]], [[MATRIX], [SQUARE]], [[MATRIX, MATRIX], [SQUARE]],
        [[[ROW, FOUR]], [[FOUR, ROW]]], [[[CUBE]], [[CUBE]]],
        [[ROW], FOUR], [ROW, [FOUR]], [[ROW, ROW], ROW], [[ROW], []], [ROW, (ROW, ROW)],
    ):  # fmt: skip
        yield Call(np.block, arrays)


TABLES = {
    "decompositions": decompositions, "samples": samples,
    "over axes": over_axes, "one or two axes": one_or_two_axes, "shapes": shapes,
    "borders": borders, "selections": selections, "orders and weights": orders_and_weights,
    "products": products,
}  # fmt: skip

# Where this is on purpose not as NumPy, or cannot be.
OTHERWISE = {
    "a negative number of copies of nothing": lambda c: (
        c.function in (np.tile, np.repeat) and c.args[0] is EMPTY and c.args[1] == -1
    ),
    "NumPy gives up vectors of two elements": lambda c: (
        c.function is np.cross and 2 in (c.args[0].shape[-1:] + c.args[1].shape[-1:])
    ),
    "text is no number of a Tensor": lambda c: (
        c.function in (np.where, np.clip, np.full_like, np.nan_to_num, np.interp)
        and any(isinstance(a, str) for a in (*c.args, *c.kwargs.values()))
    ),
}


def check_options(call):
    """What NumPy refuses is refused; what it accepts gives its value, or is refused with a remedy."""
    expected, theirs = attempt(call, lambda a: a)
    result, ours = attempt(call, as_floats)
    if theirs is not None:
        assert ours is not None, f"NumPy: {theirs}"
        check_refusal(ours, call)
    elif ours is None:
        same(result, expected)
    else:
        check_refusal(ours, call)
        assert isinstance(ours, errors.UnsupportedError), ours
    return theirs is None


@pytest.mark.parametrize("name", TABLES)
def test_options_mean_what_they_mean_to_numpy(name):
    """What NumPy refuses is refused, by name; what it accepts is the same, or refused with a remedy."""
    wrong, accepted, count = [], 0, 0
    for call in TABLES[name]():
        if any(excused(call) for excused in OTHERWISE.values()):
            continue
        count += 1
        try:
            accepted += check_options(call)
        except AssertionError as problem:
            wrong.append(f"{call}: {problem}")
    assert not wrong, f"{len(wrong)} calls:\n" + "\n".join(wrong[:40])
    assert 0.05 < accepted / count < 0.95  # both kinds are among them


# --- narrow dtypes --------------------------------------------------------------------------------

ACCUMULATING = [
    np.sum, np.prod, np.mean, np.var, np.std, np.median, np.average, np.cumsum, np.cumprod,
    np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd, np.nancumsum, np.nancumprod,
    np.multiply.accumulate, *since("cumulative_sum", "cumulative_prod"),
    lambda a: np.average(a, weights=a), lambda a: np.average(a, weights=a.astype(np.float32)),
]  # fmt: skip
BETWEEN = [lambda a: np.quantile(a, 1 / 3), lambda a: np.quantile(a, 1 / 3, method="lower")]


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int32])
@pytest.mark.parametrize("function", [*ACCUMULATING, *BETWEEN], ids=written)
def test_what_a_narrow_integer_cannot_hold_is_computed_as_numpy_does(function, dtype):
    a = np.array([90, 100, 3, 1, 60, 4] * 40, dtype)
    if dtype is bool and function is BETWEEN[0]:  # NumPy subtracts no booleans
        with pytest.raises(errors.DTypeError, match="boolean subtract"):
            function(mg.Tensor(a))
    else:
        same(function(mg.Tensor(a)), function(a))
