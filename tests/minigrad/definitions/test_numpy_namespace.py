"""NumPy's whole namespace, called with Tensors: the same as with arrays, or a refusal that helps.

Nothing here knows which functions have an entry in the table of derivatives. NumPy itself says what
is right: each call is made on arrays first, and then on Tensors.
"""

import functools
import itertools
import re

import numpy as np
import pytest
from operations import NUMPY, written

import minigrad as mg
from minigrad import errors
from minigrad.engine import table

# Calls are also made where they warn: 0 / 0, log(0), an empty mean.
pytestmark = pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::DeprecationWarning", "ignore::PendingDeprecationWarning"
)

NUMBER = np.array(0.6)
EMPTY = np.zeros(0)
ROW = np.array([0.3, 0.8, 0.2])
FOUR = np.array([0.5, 0.9, 0.1, 0.7])
MATRIX = np.array([[0.2, 0.5, 0.1], [0.9, 0.4, 0.6]])
TALL = np.array([[0.2, 0.9], [0.5, 0.4], [0.1, 0.6]])
SQUARE = np.array([[2.1, 0.6, 0.3], [0.65, 3.2, 0.8], [0.35, 0.85, 4.3]])
CUBE = np.sin(np.arange(24.0)).reshape(2, 3, 4) / 2 + 0.1
PLACES = np.array([0, 2, 1])
MASK = np.array([True, False, True])


# --- a call, on arrays and on Tensors -------------------------------------------------------------


class Call:
    """A function and what it is called with, as data."""

    def __init__(self, function, *args, **kwargs):
        self.function, self.args, self.kwargs = function, args, kwargs

    def __repr__(self):
        given = [*map(_shown, self.args), *(f"{k}={_shown(v)}" for k, v in self.kwargs.items())]
        return f"{name_of(self.function)}({', '.join(given)})"

    def on(self, change):
        """The result, with `change(a)` in place of each array of floats or integers."""
        args = [_changed(a, change) for a in self.args]
        return self.function(*args, **{k: _changed(v, change) for k, v in self.kwargs.items()})


def _shown(a):
    if isinstance(a, np.ndarray):
        return f"{a.dtype}{list(a.shape)}"
    if isinstance(a, (list, tuple)) and any(isinstance(b, np.ndarray) for b in a):
        return f"[{', '.join(map(_shown, a))}]"
    return repr(a) if not callable(a) else getattr(a, "__name__", "f")


def _changed(a, change):
    if isinstance(a, np.ndarray):
        return change(a)
    if type(a) in (list, tuple) and any(isinstance(b, (np.ndarray, list)) for b in a):
        return type(a)(_changed(b, change) for b in a)
    return a


def as_leaf(a):
    """A Tensor that requires a gradient, if numbers like these can."""
    return mg.Tensor(a, requires_grad=True) if a.dtype.kind == "f" else mg.Tensor(a)


def as_constant(a):
    return mg.Tensor(a)


def as_floats(a):
    """A Tensor of floats; integers and masks stay arrays, as one writes them."""
    return as_leaf(a) if a.dtype.kind == "f" else a


def same(result, expected):
    """Assert that a result is NumPy's: in structure, dtype and value."""
    if isinstance(expected, (list, tuple)):
        assert isinstance(result, (list, tuple))
        assert len(result) == len(expected)
        for r, e in zip(result, expected):
            same(r, e)
    elif isinstance(result, mg.Tensor) or isinstance(expected, (np.ndarray, np.generic)):
        array = result.data if isinstance(result, mg.Tensor) else np.asarray(result)
        assert array.dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(array, expected, rtol=1e-9, atol=1e-12)
    else:
        assert result == expected or result is expected


def name_of(function):
    """The names under which NumPy has a function, first the shortest: `np.max`."""
    found = [
        f"{prefix}.{name}"
        for prefix, module in MODULES.items()
        for name in dir(module)
        if getattr(module, name, None) is function
    ]
    own = getattr(function, "__name__", repr(function))
    return min(found, key=lambda name: not name.endswith(f".{own}"), default=own)


MODULES = {
    "np": np, "np.linalg": np.linalg, "np.fft": np.fft, "np.emath": np.emath,
    "np.lib.stride_tricks": np.lib.stride_tricks,
}  # fmt: skip


# --- what a refusal says --------------------------------------------------------------------------

# The last words of a message that say what to write.
REMEDY = re.compile(
    r"write |call it on `x\.detach\(\)\.numpy\(\)`|it takes \w|choose with |convert with |"
    r"put it in afterwards|join another border with |give \w+= by its position|"
    r"is read in order 'C' or 'F'"
)
# What a reader of NumPy's manual would not know.
INTERNALS = re.compile(
    r"<lambda>|_dispatcher|_implementation|object at 0x|Traceback|<locals>|_NoValue"
)


def check_refusal(error, call):
    """A refusal is an error of ours, and says of what, given what, and what to do."""
    assert isinstance(error, errors.MinigradError), f"{type(error).__name__}: {error}"
    text = str(error)
    assert any(name in text for name in names_of(call.function)), text
    assert not INTERNALS.search(text), text
    assert len(text.splitlines()) <= 2, text  # the second is the line of code
    if isinstance(error, (errors.UnsupportedError, errors.DetachError)):
        assert REMEDY.search(text), text
    elif " cannot take " in text:
        for a in (*call.args, *call.kwargs.values()):
            if isinstance(a, np.ndarray):
                assert str(list(a.shape)) in text, text
    else:
        given = [*call.args, *call.kwargs.values()]
        given += [b for a in given if isinstance(a, list) for b in a]
        assert any(repr(a) in text for a in given), text


@functools.cache
def names_of(function):
    """All that NumPy calls it."""
    return [
        f"{path}.{name}" for path, module in MODULES.items() for name in dir(module)
        if getattr(module, name, None) is function
    ]  # fmt: skip


def attempt(call, change):
    """The result of a call, or the error."""
    try:
        return call.on(change), None
    except Exception as problem:
        return None, problem


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


# --- the whole namespace --------------------------------------------------------------------------

# How to call what no guess of `plausible` fits. Integers and masks stay arrays.
CALLS = [
    Call(np.apply_along_axis, np.sum, 0, SQUARE),
    Call(np.apply_over_axes, np.sum, SQUARE, [0]),
    Call(np.astype, ROW, np.float64),  # with the digits that finite differences need
    Call(np.bmat, [[SQUARE, SQUARE]]),
    Call(np.broadcast_to, ROW, (2, 3)),
    Call(np.can_cast, np.float32, np.float64),
    Call(np.choose, PLACES, [ROW, ROW, ROW]),
    Call(np.compress, MASK, ROW),
    Call(np.copyto, ROW, NUMBER),
    Call(np.cov, SQUARE),
    Call(np.cross, ROW, SQUARE[0]),
    Call(np.delete, ROW, 1),
    Call(np.digitize, ROW, np.sort(FOUR)),
    Call(np.dsplit, CUBE, 2),
    Call(np.einsum, "ij,j->i", SQUARE, ROW),
    Call(np.einsum_path, "ij,j->i", SQUARE, ROW),
    Call(np.extract, MASK, ROW),
    Call(np.fill_diagonal, SQUARE, NUMBER),
    Call(np.frombuffer, ROW),
    Call(np.fromfunction, lambda i: i, (2,)),
    Call(np.fromiter, ROW, np.float64),
    Call(np.full, (2,), NUMBER),
    Call(np.full, (3,), ROW),
    Call(np.full_like, ROW, NUMBER),
    Call(np.geomspace, NUMBER, 2.0, 3),
    Call(np.histogram, ROW, 2),
    Call(np.histogram2d, ROW, ROW, 2),
    Call(np.histogramdd, SQUARE, 2),
    Call(np.insert, ROW, 1, NUMBER),
    Call(np.interp, ROW, np.sort(FOUR), FOUR),
    Call(np.isdtype, np.dtype(float), "real floating"),
    Call(np.issubdtype, np.float32, np.floating),
    Call(np.kaiser, 3, NUMBER),
    Call(np.linspace, NUMBER, 2.0, 3),
    Call(np.logspace, NUMBER, 2.0, 3),
    Call(np.mask_indices, 3, np.triu),
    Call(np.piecewise, ROW, [MASK], [1.0, 2.0]),
    Call(np.place, ROW, MASK, FOUR),
    Call(np.polyfit, ROW, ROW, 1),
    Call(np.promote_types, np.float32, np.int64),
    Call(np.put, ROW, [0], NUMBER),
    Call(np.put_along_axis, ROW, PLACES, NUMBER, 0),
    Call(np.putmask, ROW, MASK, FOUR),
    Call(np.quantile, ROW, 0.3),
    Call(np.nanquantile, ROW, 0.3),
    Call(np.ravel_multi_index, (PLACES, PLACES), (3, 3)),
    Call(np.reshape, MATRIX, (3, 2)),
    Call(np.resize, ROW, (2, 3)),
    Call(np.select, [MASK], [ROW]),
    Call(np.take_along_axis, ROW, PLACES, 0),
    Call(np.typename, "f"),
    Call(np.unpackbits, np.array([3], np.uint8)),
    Call(np.unravel_index, PLACES, (2, 3)),
    Call(np.vander, ROW),
    Call(np.where, MASK, ROW, 0.0),
    Call(np.linalg.cholesky, SQUARE),
    Call(np.linalg.tensorsolve, SQUARE, ROW),
    # With Tensors among the options, whose gradient must not be lost either.
    Call(np.pad, ROW, 1, constant_values=NUMBER),
    Call(np.clip, ROW, NUMBER, FOUR[:3] + 1),
    Call(np.nan_to_num, np.array([np.nan, 0.5]), nan=NUMBER),
    Call(np.average, ROW, weights=FOUR[:3]),
    Call(np.trapezoid, ROW, FOUR[:3]),
    Call(np.trapezoid, ROW, dx=NUMBER),
    Call(np.select, [MASK], [ROW], NUMBER),
    Call(np.diff, ROW, prepend=NUMBER),
    Call(np.where, MASK, NUMBER, ROW),
]

# What is not called, and why.
LEFT_OUT = {
    "reads or writes files": """fromfile fromregex genfromtxt load loadtxt memmap save savetxt savez
        savez_compressed""",
    "prints": "info show_config show_runtime",
    "runs tests": "test",
    "holds settings": """errstate getbufsize geterr geterrcall get_include get_printoptions
        printoptions set_printoptions setbufsize seterr seterrcall""",
    "takes functions or texts, not arrays": "frompyfunc fromstring nested_iters datetime_data",
    "is about dates": "busday_count busday_offset datetime_as_string is_busday isnat",
}
NOT_CALLED = {name for names in LEFT_OUT.values() for name in names.split()}

# These ask no Tensor before they look for what a NumPy array alone has: its memory.
MEMORY = {np.frombuffer, np.from_dlpack, np.isfortran}

PLAUSIBLE = (
    (SQUARE,), (ROW,), (NUMBER,), (SQUARE, SQUARE), (ROW, ROW), (SQUARE, 1), (ROW, 1),
    ([SQUARE, SQUARE],), (SQUARE, 0, 1), (ROW, ROW, ROW), (PLACES,), (PLACES, PLACES), (MASK,), (3,),
)  # fmt: skip


def plausible(function):
    """The first call of a function, of those that make sense, which NumPy accepts."""
    given = [call for call in CALLS if call.function is function]
    if given:
        return given
    guesses = [Call(function, *args) for args in PLAUSIBLE]
    if isinstance(function, np.ufunc):
        kinds = (SQUARE, MATRIX, SQUARE + 1, PLACES)
        guesses = [Call(function, *(a,) * function.nin) for a in kinds]
        if function.signature is not None:
            guesses += [Call(function, ROW, SQUARE), Call(function, SQUARE, ROW)]
    results = ((g, *attempt(g, np.copy)) for g in guesses)
    return [g for g, y, error in results if error is None and np.all(np.isfinite(floats_of(y)))][:1]


def namespace():
    seen = set()
    for prefix, module in MODULES.items():
        for name in dir(module):
            function = getattr(module, name)
            public = callable(function) and not isinstance(function, type) and name[0] != "_"
            if public and name not in NOT_CALLED and function not in seen:
                seen.add(function)
                yield pytest.param(function, id=f"{prefix}.{name}")


each_function = pytest.mark.parametrize("function", list(namespace()))


def parts_of(result):
    """The Tensors, arrays, numbers and texts in a result, one after the other."""
    if isinstance(result, (list, tuple)):
        return [part for r in result for part in parts_of(r)]
    return [result]


def floats_of(result):
    """All floats in a result, in one row."""
    found = [np.zeros(0)]
    for part in parts_of(result):
        data = part.data if isinstance(part, mg.Tensor) else part
        if isinstance(data, (np.ndarray, np.generic, float)) and np.asarray(data).dtype.kind == "f":
            found.append(np.ravel(data))
    return np.concatenate(found)


def direction(a):
    """In which each argument moves."""
    return (1 + np.cos(np.arange(a.size))).reshape(a.shape)


def moved(call, step):
    """The floats of NumPy's result where the arguments moved by a step."""
    return floats_of(call.on(lambda a: a + step * direction(a) if a.dtype.kind == "f" else a))


def check_slopes(call, result, leaves):
    """What moves with the arguments is a Tensor whose gradient says so; nothing has left the graph."""
    slopes = (moved(call, 1e-5) - moved(call, -1e-5)) / 2e-5
    loss, expected = np.sum(mg.Tensor(0.0)), 0.0
    for part in parts_of(result):
        size = floats_of(part).size
        here, slopes = slopes[:size], slopes[size:]
        if getattr(part, "requires_grad", False):
            weights = np.cos(np.arange(size) + 1)
            loss, expected = loss + np.sum(np.ravel(part) * weights), expected + weights @ here
        else:
            assert not np.any(here), "it depends on the arguments, and takes no gradient to them"
    if loss.requires_grad:
        loss.backward()
    found = sum(np.sum(x.grad.data * direction(x)) for x in leaves if x.grad is not None)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@each_function
def test_every_function_gives_what_numpy_gives_or_says_what_to_write(function):
    calls = plausible(function)
    assert calls, "add a call of it to CALLS"
    for call in calls:
        check_call(call)


def check_call(call):
    expected = call.on(np.copy)
    arrays, leaves = [], []

    def leaf(a):
        arrays.append(a)
        leaves.append(as_floats(a))
        return leaves[-1]

    result, problem = attempt(call, leaf)
    leaves = [(x, a) for x, a in zip(leaves, arrays) if isinstance(x, mg.Tensor)]
    for x, a in leaves:
        np.testing.assert_array_equal(x.data, a)  # nothing was written into it
    if problem is None:
        check_same(call, result, expected)
        if call.function is not np.empty_like:  # whose values are any
            check_slopes(call, result, [x for x, _ in leaves])
    elif call.function in MEMORY:
        assert "Tensor" in str(problem)
    else:
        check_way_out(problem, (errors.UnsupportedError, errors.DetachError))
    result, problem = attempt(call, lambda a: mg.Tensor(a) if a.dtype.kind == "f" else a)
    if problem is None:
        assert not any(getattr(part, "requires_grad", False) for part in parts_of(result))
        check_same(call, result, expected)
    elif call.function not in MEMORY:
        check_way_out(problem, errors.UnsupportedError)


def check_same(call, result, expected):
    if call.function in (np.empty, np.empty_like):
        assert result.shape == expected.shape
    else:
        same(result, expected)


def check_way_out(problem, kinds):
    """The refusal is ours, and names a way that leads on."""
    while problem.__cause__ is not None and not isinstance(problem, errors.MinigradError):
        problem = problem.__cause__  # NumPy's own words for what a list holds
    assert isinstance(problem, kinds), repr(problem)
    assert REMEDY.search(str(problem)), str(problem)
    assert not INTERNALS.search(str(problem)), str(problem)


UFUNCS = {f for f in vars(np).values() if isinstance(f, np.ufunc)}
METHODS = {
    "reduce": [(SQUARE,), (SQUARE, 1), (SQUARE, None), (CUBE, (0, 2)), (SQUARE, 5), (SQUARE, "0"),
               (SQUARE, 0, None, None, True), (SQUARE, 0, np.float64)],
    "accumulate": [(SQUARE,), (SQUARE, 1), (SQUARE, 5), (SQUARE, (0, 1)), (SQUARE, 0, None)],
    "reduceat": [(SQUARE, [0, 2]), (SQUARE, [0, 9])],
    "outer": [(ROW, FOUR), (MATRIX, ROW), (ROW, NUMBER)],
    "at": [(ROW, [0, 0], FOUR[:2]), (ROW, [0, 9], 1.0)],
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_methods_of_ufuncs_are_numpys_or_say_what_to_write(method):
    for ufunc in sorted(UFUNCS, key=str):
        if (ufunc.nin, ufunc.nout, ufunc.signature) != (2, 1, None):
            continue  # NumPy has these methods for functions of two numbers that give one
        for args in METHODS[method]:
            call = Call(getattr(ufunc, method), *args)
            expected, theirs = attempt(call, np.copy)
            result, ours = attempt(call, as_floats)
            if theirs is not None:
                assert isinstance(ours, errors.MinigradError), f"{ufunc} {args}: {ours!r}"
            elif ours is None and method != "at":
                same(result, expected)
            else:
                assert isinstance(ours, errors.UnsupportedError), f"{ufunc} {args}: {ours!r}"
            if ours is not None:
                assert f"np.{ufunc.__name__}" in str(ours), str(ours)
                assert not INTERNALS.search(str(ours)), str(ours)


# --- what asks no protocol ------------------------------------------------------------------------

TO_ARRAYS = {
    "np.array of tensors": lambda x: np.array([x, x]),
    "np.array of elements": lambda x: np.array([x[0], x[1]]),
    "np.array with a number": lambda x: np.array([x[0], 1.0]),
    "np.array of nested lists": lambda x: np.array([[x[0]], [x[1]]]),
    "np.array of what it iterates over": lambda x: np.array(list(x)),
    "np.asarray of tensors": lambda x: np.asarray([x, x]),
    "np.r_": lambda x: np.r_[x, x],
    "np.r_ with a number": lambda x: np.r_[x, 1.0],
    "np.c_": lambda x: np.c_[x, x],
    "np.mean of a list": lambda x: np.mean([x[0], x[1]]),
    "np.std of a list": lambda x: np.std([x, x]),
    "np.append of lists": lambda x: np.append([x[0]], [x[1]]),
    "np.exp of a list": lambda x: np.exp([x, x]),
    "np.sum of a list": lambda x: np.sum([x[0], x[1]]),
    "np.max of a list": lambda x: np.max([x[0], x[1]]),
    "np.linalg.norm of a list": lambda x: np.linalg.norm([x[0], x[1]]),
    "np.fromiter": lambda x: np.fromiter(x, np.float64),
    "np.vectorize": lambda x: np.vectorize(lambda a: a * a)(x),
    "np.ndenumerate": lambda x: [a for _, a in np.ndenumerate(x)],
    "np.broadcast": lambda x: np.broadcast(x, x).shape,
    "np.float64": lambda x: np.float64(x[0]),
    "np.matrix": lambda x: np.matrix(x),
    "np.ma.array": lambda x: np.ma.array(x),
    "np.bmat": lambda x: np.bmat([[x, x]]),
    "a method of an array": lambda x: np.ones(3).dot(x),
    "the start of a sum": lambda x: np.ones(3).sum(initial=x[0]),
    "a random generator": lambda x: np.random.default_rng(0).normal(x),
}


@pytest.mark.parametrize("name", TO_ARRAYS)
def test_what_makes_arrays_of_tensors_refuses_to_lose_a_gradient(name):
    """And of a Tensor that requires none, it makes what it makes of an array."""
    f = TO_ARRAYS[name]
    with pytest.raises((errors.DetachError, ValueError)) as caught:
        f(as_leaf(ROW))
    check_way_out(caught.value, errors.DetachError)
    same(f(as_constant(ROW)), f(ROW))


@pytest.mark.parametrize(
    ("f", "way", "instead"),
    [
        (lambda x: np.mean([x, 2 * x]), "np.stack for a list", lambda x: np.mean(np.stack([x, 2 * x]))),
        (lambda x: np.r_[x, 1, x], "np.concatenate for np.r_", lambda x: np.concatenate([x, [1], x])),
        (lambda x: np.c_[x, x], "np.column_stack for np.c_", lambda x: np.column_stack([x, x])),
    ],
)  # fmt: skip
def test_what_the_message_says_to_write_for_lists_gives_the_same(f, way, instead):
    with pytest.raises(errors.DetachError, match=f"Otherwise write .*{way}"):
        f(as_leaf(ROW))
    same(instead(as_leaf(ROW)), f(ROW))


# --- the ways out lead on -------------------------------------------------------------------------


def refused():
    """Each call that Tensors refuse for want of an entry."""
    for parameter in namespace():
        for call in plausible(parameter.values[0]):
            _, problem = attempt(call, as_floats)
            if isinstance(problem, errors.UnsupportedError) and "minigrad.rule(" in str(problem):
                yield call, str(problem)


REFUSED = list(refused())


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=str)
def test_a_function_without_an_entry_can_be_called_on_the_detached_array(call):
    expected = call.on(np.copy)
    check_same(call, call.on(lambda a: as_leaf(a).detach().numpy()), expected)


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=str)
def test_a_function_without_an_entry_can_be_given_a_rule(call, message, monkeypatch):
    """As the message writes it; where that cannot be, for want of one array, an error says so."""
    written = r"minigrad\.rule\(([\w.]+), lambda g, y, \*args: \.\.\.\)"
    home, _, name = re.search(written, message)[1].rpartition(".")
    function, asked = call.function, []
    assert getattr(MODULES[home], name) is function
    # What is set here is taken back: the others do not see this rule.
    monkeypatch.setitem(table.TABLE, function, table.Operation(function, ()))

    def slope(g, y, *args, **options):
        asked.append(g)
        return np.zeros_like(args[0])

    mg.rule(function, slope)
    expected = call.on(np.copy)
    result, problem = attempt(call, as_floats)
    if "read-only" in str(problem):  # it writes into its argument
        assert isinstance(problem, errors.ShapeError)
        return
    if isinstance(expected, tuple) and problem is None:  # no argument that has a rule is a tensor
        assert result == expected
        return
    array = isinstance(expected, (np.ndarray, np.generic, float))
    if not array or np.asarray(expected).dtype.kind not in "fiub":
        assert isinstance(problem, (errors.UnsupportedError, errors.DTypeError)), repr(problem)
        assert "one array" in str(problem) or "real numbers" in str(problem), str(problem)
        return
    same(result, expected)
    if result.requires_grad:
        np.sum(result).backward()
        assert asked
