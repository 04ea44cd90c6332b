"""NumPy's whole namespace, called with Tensors: the same as with arrays, or a refusal that helps.

Nothing here knows which functions have an entry in the table of derivatives. NumPy itself says what
is right: each call is made on arrays first, and then on Tensors.
"""

import re

import numpy as np
import pytest
from numpy_calls import (
    CUBE,
    FOUR,
    INTERNALS,
    MASK,
    MATRIX,
    MODULES,
    NUMBER,
    PLACES,
    REMEDY,
    ROW,
    SQUARE,
    Call,
    as_constant,
    as_floats,
    as_leaf,
    attempt,
    same,
)

import minigrad as mg
from minigrad import errors
from minigrad.engine import table

# Calls are also made where they warn: 0 / 0, log(0), an empty mean.
pytestmark = pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::DeprecationWarning", "ignore::PendingDeprecationWarning"
)

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


def test_the_reason_for_an_element_that_cannot_be_set_says_what_to_write():
    with pytest.raises(ValueError, match="setting an array element") as caught:
        np.zeros(3)[0] = as_leaf(ROW)[0]
    assert "in place of z[i] = x, collect them in a list" in str(caught.value.__cause__)


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
