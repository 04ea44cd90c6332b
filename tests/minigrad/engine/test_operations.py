"""Every row of the table of operations: against NumPy, PyTorch and finite differences."""

import functools
import inspect
import math
import operator

import numpy as np
import pytest
from layouts import ALIKE, ARRIVING, LAYOUTS, laid_out, tensor
from operations import ROWS
from operations.elementwise import elementwise
from operations.inputs import MASK, PLACES, C
from operations.numbers import numbers, product, run, slope
from operations.row import NUMPY, Row, written

import minigrad as mg
from minigrad import errors
from minigrad import functional as F
from minigrad.engine import table
from minigrad.engine.backward import first_gradient
from minigrad.engine.names import name_of
from minigrad.engine.walk import order, walk

try:
    import torch
except ImportError:
    torch = None

# Operations are also tried where they warn: 0 / 0, an empty mean, log(0).
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

A = numbers((2, 3))
BY_FUNCTION: dict[str, list[Row]] = {}
for row in ROWS:
    BY_FUNCTION.setdefault(name_of(row.function), []).append(row)
ELEMENTWISE = {row.name for row in elementwise()}
each_function = pytest.mark.parametrize("rows", BY_FUNCTION.values(), ids=BY_FUNCTION)
first_row_and_others = pytest.mark.parametrize(
    "rows",
    [
        *(pytest.param(rows[:1], id=name) for name, rows in BY_FUNCTION.items()),
        *(
            pytest.param(rows[1:], id=f"{name}, its other rows", marks=pytest.mark.slow)
            for name, rows in BY_FUNCTION.items()
            if rows[1:]
        ),
    ],
)


def row_by_row(test):
    """A test of one row as a test of several, which says of all that fail which they are."""

    def of_rows(rows, **others):
        failed = {}
        for row in rows:
            try:
                test(row=row, **others)
            except Exception as problem:  # noqa: PERF203
                failed[f"{row.name}: {type(problem).__name__}: {problem}"] = problem
        if failed:
            raise AssertionError("\n\n".join(failed)) from next(iter(failed.values()))

    functools.update_wrapper(of_rows, test)
    names = ["rows", *(name for name in inspect.signature(test).parameters if name != "row")]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    of_rows.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    return of_rows


# --- what the tests are made of -------------------------------------------------------------------


def fixed(arrays, seed=0):
    """Numbers in the shapes and dtypes of `arrays`, the same ones every time."""
    return [numbers(a.shape, seed).astype(a.dtype) for a in arrays]


def array(grad, like):
    """A gradient as an array: zeros where there is none."""
    return np.zeros(like.shape, like.dtype) if grad is None else np.array(grad.data)


def derived(call, inputs, leaves=None, arriving="in C order"):
    """The results of a call of tensors, and the gradients of a fixed projection of them."""
    results = run(call, inputs)
    leaves = leaves or inputs
    last = [ARRIVING[arriving](y) for y in results]
    product(last, fixed(last)).backward()
    return results, [array(x.grad, x) for x in leaves]


def leaves_of(arrays, dtype=np.float64):
    return [mg.Tensor(a, dtype=dtype, requires_grad=True) for a in arrays]


def close(actual, expected, rtol):
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    if not np.all(np.abs(actual - expected) <= rtol + rtol * np.abs(expected)):  # NaN among others
        np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol)


# --- every row ------------------------------------------------------------------------------------


@each_function
@row_by_row
def test_values_are_those_of_numpy(row):
    """Of the call and of the other ways to write it; in float32 as in float64."""
    for dtype in (np.float64, np.float32):
        check_values(row, [a.astype(dtype) for a in row.arrays()], dtype)


def check_values(row, arrays, dtype):
    expected = [np.asarray(a) for a in run(row.call, arrays)]
    for call in (row.call, *row.also):
        results = run(call, leaves_of(arrays, dtype))
        assert len(results) == len(expected)
        for y, e in zip(results, expected):
            assert isinstance(y, mg.Tensor)
            assert y.dtype == e.dtype
            close(y.data, e, rtol=1e-12 if dtype == np.float64 else 1e-5)


@first_row_and_others
@row_by_row
def test_derivatives_are_those_of_finite_differences(row):
    """To the second order; the second also by the incoming gradient."""
    if row.smooth:
        check_derivatives(row, row.arrays())


def check_derivatives(row, arrays):
    xs = leaves_of(arrays)
    ys = run(row.call, xs)
    ws, vs, us = leaves_of(fixed(ys)), fixed(arrays, 1), fixed(arrays, 2)

    product(ws, ys).backward(create_graph=True)
    first = [x.grad for x in xs]
    projected = lambda a: product(run(row.call, a), fixed(ys))
    analytic = product([array(g, x) for g, x in zip(first, xs)], vs)
    close(analytic, slope(projected, arrays, vs), 1e-7)

    for leaf in xs + ws:
        leaf.grad = None
    tied = [(g, v) for g, v in zip(first, vs) if g is not None and g.requires_grad]
    if tied:  # a gradient that is zero everywhere depends on nothing
        product(*zip(*tied)).backward()
    analytic = product([array(x.grad, x) for x in xs], us)
    gradient = lambda a: product(derived(row.call, leaves_of(a))[1], vs)
    close(analytic, slope(gradient, arrays, us), 1e-7)

    others = fixed(ys, 3)
    analytic = product([array(w.grad, w) for w in ws], others)
    close(analytic, slope(lambda a: product(run(row.call, a), others), arrays, vs), 1e-7)


@each_function
@pytest.mark.skipif(torch is None, reason="PyTorch is not installed")
@row_by_row
def test_values_and_gradients_are_those_of_pytorch(row):
    if row.torch is not None:
        check_with_pytorch(row, np.float64, rtol=1e-10)
        check_with_pytorch(row, np.float32, rtol=1e-5)


def check_with_pytorch(row, dtype, rtol):
    arrays = [a.astype(dtype) for a in row.arrays()]
    ys, gradients = derived(row.call, leaves_of(arrays, dtype))
    inputs = [torch.tensor(a, requires_grad=True) for a in arrays]
    expected = run(row.torch, inputs)
    product(expected, map(torch.from_numpy, fixed(ys))).backward()
    assert len(ys) == len(expected)
    for y, e in zip(ys, expected):
        close(y.data, e.detach().numpy(), rtol)
    for g, x in zip(gradients, inputs):
        assert g.dtype == dtype
        close(g, x.grad.numpy(), rtol)


@each_function
@row_by_row
def test_float32_stays_float32(row):
    """Nothing on the way back is computed in a wider dtype and only then rounded."""
    ys = run(row.call, leaves_of(row.arrays(), np.float32))
    if all(y.dtype == np.float32 for y in ys):  # unless the call itself widens
        check_dtypes(row, product(ys, fixed(ys)))


@each_function
@row_by_row
def test_where_no_gradient_is_wanted_a_definition_gives_the_same(row):
    """It may be called with plain arrays then: type, dtype and bits are those that it has else."""
    if getattr(table.TABLE.get(row.function), "plain", False):
        for dtype in (np.float16, np.float32, np.float64):
            wanted = run(row.call, leaves_of(row.arrays(), dtype))
            with mg.no_grad():
                found = run(row.call, leaves_of(row.arrays(), dtype))
            for a, b in zip(found, wanted, strict=True):
                assert (type(a), a.dtype) == (type(b), b.dtype)
                np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy())


def check_dtypes(row, loss):
    for _, g, contributions in walk({loss._node: first_gradient(loss, None, False)}):
        assert g.dtype == np.float32
        assert {c.given.dtype for c in contributions} <= {np.dtype(np.float32)}


@first_row_and_others
def test_the_order_in_memory_does_not_matter(rows):
    """Of what is given, and of the gradients that come back. Up to three rows share the orders."""
    apart = min(len(rows), 3)
    for number, row in enumerate(rows):
        for layout in unlike(row)[number % apart :: apart]:
            check_layout(row, layout, layout if layout in ARRIVING else "in C order")


def changeable(value):
    """An option with lists for tuples, and arrays of its own."""
    if isinstance(value, (list, tuple)):
        return list(map(changeable, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def spoil(value):
    """Change an option as much as its caller can."""
    if isinstance(value, np.ndarray):
        value[...] = 0
    elif isinstance(value, list):
        for v in value:
            spoil(v)
        value.clear()


@each_function
@row_by_row
def test_lists_and_arrays_that_change_after_the_call_change_no_gradient(row):
    """Options by position and by name; where a function takes tuples alone, its arrays."""
    if row.given is not None and any(
        isinstance(v, (list, tuple, np.ndarray)) for v in (*row.given[1], *row.given[2].values())
    ):
        check_spoiled(row)


def check_spoiled(row):
    f, then, options = row.given

    def gradients(change):
        mine, named = changeable(then), {k: changeable(v) for k, v in options.items()}
        xs = leaves_of(row.arrays())
        try:
            ys = run(lambda *xs: f(*xs, *mine, **named), xs)
        except (errors.MinigradError, TypeError):
            return None
        change([mine, *named.values()])
        product(ys, fixed(ys)).backward()
        return [array(x.grad, x) for x in xs]

    found, expected = gradients(spoil), gradients(lambda values: None)
    for g, e in zip(found or (), expected or (), strict=True):
        np.testing.assert_array_equal(g, e, err_msg=row.name)


@pytest.mark.slow
@each_function
@row_by_row
def test_no_pair_of_orders_matters(row):
    layouts = ["in C order", *unlike(row)]
    for arriving in (layout for layout in layouts if layout in ARRIVING):
        in_order = functools.cache(functools.partial(derived_in_order, row, arriving=arriving))
        for layout in layouts:
            check_layout(row, layout, arriving, in_order)


def unlike(row):
    """The orders that are not the usual one, nor one another, for what a row takes and gives.

    A tensor holds no array that somebody else could write to: to it, read-only is the usual order.
    """
    arrays = row.arrays()
    most = max(np.ndim(a) for a in [*arrays, *run(row.call, arrays)])
    same = {"in C order", "read-only"}
    if most < 2:
        same |= {"in Fortran order"}
    if most < 3:  # two axes can only be swapped
        same |= {"leading axes swapped", "last axes swapped"}
    return [layout for layout in LAYOUTS if layout not in same]


def check_layout(row, layout, arriving, in_order=None):
    if layout not in ALIKE and "regular" in str(row.domain):
        return  # a matrix of equal rows has no inverse
    found, given = derived(row.call, [tensor(a, layout) for a in row.arrays()], arriving=arriving)
    same = "in C order" if layout in ALIKE else layout  # elements
    ys, gradients = in_order(same) if in_order else derived_in_order(row, same, arriving)
    for a, b in zip([*(y.data for y in found), *given], [*(y.data for y in ys), *gradients]):
        close(a, b, 1e-12)


def derived_in_order(row, layout, arriving):
    """The results and gradients of the elements of a layout, which lie in C order."""
    arrays = [np.array(laid_out(a, layout), order="C") for a in row.arrays()]
    return derived(row.call, leaves_of(arrays), arriving=arriving)


@first_row_and_others
@row_by_row
def test_it_does_not_matter_which_arguments_require_a_gradient(row):
    """The others are tensors, or arrays in any order in memory, which change after the call."""
    if len(row.inputs) > 1:
        arrays = row.arrays()
        _, gradients = derived(row.call, leaves_of(arrays))
        for i, gradient in enumerate(gradients):
            check_alone(row, i, arrays, gradient)


def check_alone(row, i, arrays, gradient):
    kinds = [[laid_out(a, layout) for a in arrays] for layout in ALIKE]
    for others in (*kinds, [mg.Tensor(a) for a in arrays]):
        leaf = mg.Tensor(arrays[i], requires_grad=True)
        _, (alone,) = derived(changing(row.call), [*others[:i], leaf, *others[i + 1 :]], [leaf])
        close(alone, gradient, 1e-12)


def changing(call):
    """The same call, after which its caller changes the arrays and lists that it was given."""

    def called(*inputs):
        result = call(*inputs)
        for a in inputs:
            change(a)
        return result

    return called


def change(a):
    if isinstance(a, list):
        for inner in a:
            change(inner)
        a.clear()
    elif isinstance(a, np.ndarray):
        (a if a.flags.writeable else a.base)[...] = 7


@each_function
@row_by_row
def test_float32_and_float64_mixed(row):
    """The dtype of the value is the one that NumPy gives it; each gradient has its argument's own."""
    if len(row.inputs) > 1:
        arrays = rounded(row.arrays())
        _, gradients = derived(row.call, leaves_of(arrays))
        for i in range(len(arrays)):
            check_mixed(row, [a if j == i else a.astype(np.float32) for j, a in enumerate(arrays)],
                        gradients)  # fmt: skip
            check_mixed(row, [a.astype(np.float32) if j == i else a for j, a in enumerate(arrays)],
                        gradients)  # fmt: skip


def rounded(arrays):
    """In float64, but no more exact than float32."""
    return [a.astype(np.float32).astype(np.float64) for a in arrays]


def check_mixed(row, arrays, gradients):
    expected = [np.asarray(y) for y in run(row.call, arrays)]
    found, given = derived(row.call, [mg.Tensor(a, requires_grad=True) for a in arrays])
    for y, e in zip(found, expected, strict=True):
        assert y.dtype == e.dtype
        close(y.data, e, 1e-5)
    for g, a, gradient in zip(given, arrays, gradients):
        assert g.dtype == a.dtype
        close(g, gradient, 1e-4)


@each_function
@row_by_row
def test_a_list_in_place_of_one_argument(row):
    """It is taken where NumPy itself takes it, and means the array of its numbers at the call: of
    integers, or of float64, as the other arguments are."""
    if len(row.inputs) > 1:
        arrays = row.arrays()
        for i, a in enumerate(arrays):
            check_list(row, arrays, i, a.tolist())
            whole = [*arrays[:i], np.round(3 * np.nan_to_num(a)), *arrays[i + 1 :]]
            check_list(row, whole, i, whole[i].astype(int).tolist())


def check_list(row, arrays, i, numbers):
    try:
        expected = run(row.call, [*arrays[:i], numbers, *arrays[i + 1 :]])
    except Exception:
        return  # NumPy takes none there
    leaves = leaves_of(arrays)
    others = [*leaves[:i], *leaves[i + 1 :]]
    shape = np.shape(numbers)
    found, given = derived(changing(row.call), [*leaves[:i], numbers, *leaves[i + 1 :]], others)
    for y, e in zip(found, expected, strict=True):
        close(y.data, e, 1e-12)
    if shape == arrays[i].shape:  # one without elements has lost its shape
        _, gradients = derived(row.call, leaves_of(arrays))
        for g, gradient in zip(given, [*gradients[:i], *gradients[i + 1 :]]):
            close(g, gradient, 1e-12)


SPECIAL = [math.nan, math.inf, pytest.param(-math.inf, marks=pytest.mark.slow)]


@first_row_and_others
@pytest.mark.parametrize("special", SPECIAL)
@row_by_row
def test_one_element_that_is_no_usual_number(row, special):
    """The value is NumPy's. Gradients have their shapes; where each element is for itself, what comes
    back to the others is what it was."""
    check_special(row, special)


def check_special(row, special):
    arrays = row.arrays()
    for i, a in enumerate(arrays):
        if a.size:
            other = a.copy()
            other.flat[-1] = special
            check_special_argument(row, [*arrays[:i], other, *arrays[i + 1 :]], i)


def check_special_argument(row, arrays, i):
    try:
        expected = run(row.call, arrays)
    except (np.linalg.LinAlgError, errors.ConfigError):  # a loss refuses it
        return
    found, gradients = derived(row.call, leaves_of(arrays))
    if row.function in (np.linalg.lstsq, np.linalg.qr, np.interp):
        expected = []  # LAPACK spreads an infinity; NumPy sees whether `x` is one of the points
    for y, e in zip(found, map(np.asarray, expected)):
        # Of several products, the one to be taken first decides where inf - inf comes up; and of
        # quantiles, the version of NumPy.
        several = row.function in (
            np.einsum, np.linalg.multi_dot, np.linalg.matrix_power,
            np.quantile, np.nanquantile, np.percentile, np.nanpercentile,
        )  # fmt: skip
        where = np.isfinite(e) if several else ...
        close(y.data[where], e[where], 1e-12)
    for g, a in zip(gradients, arrays):
        assert g.shape == a.shape
    if row.name in ELEMENTWISE:
        _, usual = derived(row.call, leaves_of(row.arrays()))
        (shape,) = {np.shape(e) for e in expected}
        for g, u in zip(gradients, usual):
            if g.shape == shape == arrays[i].shape:
                close(g.ravel()[:-1], u.ravel()[:-1], 1e-12)


# --- the table is complete ------------------------------------------------------------------------

NAMED = """
    add subtract multiply divide power negative reciprocal square sqrt cbrt exp exp2 expm1 log log2
    log10 log1p logaddexp sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh
    arctanh absolute sign floor ceil round maximum minimum clip where hypot mod
    sum prod mean var std max min cumsum cumprod linalg.norm argmax argmin any all
    equal not_equal less less_equal greater greater_equal
    matmul dot inner outer vdot tensordot einsum trace diag diagonal tril triu kron
    linalg.inv linalg.solve linalg.det linalg.slogdet linalg.svd linalg.eigh linalg.eigvalsh
    linalg.cholesky linalg.qr linalg.pinv linalg.lstsq
    nansum nanprod nanmean nanvar nanstd nanmax nanmin nanmedian quantile percentile median cov
    fmax fmin sinc interp convolve block
    reshape ravel transpose swapaxes moveaxis expand_dims squeeze broadcast_to concatenate stack
    hstack vstack split array_split flip roll rot90 tile repeat pad atleast_1d atleast_2d
    take take_along_axis
""".split()  # noqa: SIM905


def home_of(entry):
    return getattr(entry.function, "__module__", None) or "numpy"


OURS = [  # entries of the engine's own, not those that other tests, PyTorch's rows and mg.compile add
    entry
    for entry in list(table.TABLE.values())
    if home_of(entry).split(".")[0] in ("numpy", "minigrad", "_operator")
    and not home_of(entry).startswith(("minigrad.aten.", "minigrad.compiler."))
]


def ran(row):
    """The rules that the first and second derivatives of a row use, and the boxes it opens."""
    xs = leaves_of(row.arrays())
    loss = product(run(row.call, xs), fixed(run(row.call, xs)))
    loss.backward(create_graph=True)
    tied = (t._node for t in [loss, *(x.grad for x in xs)] if isinstance(t, mg.Tensor))
    for node in order(n for n in tied if n is not None and n.requires_grad):
        yield from ((node.operation, edge.position) for edge in node.edges)
        box = node.box
        while box is not None:
            yield box.owner
            box = box.outer


def test_every_rule_and_every_definition_has_a_row():
    seen = {found for row in ROWS for found in ran(row)}
    missing = []
    for entry in OURS:
        if isinstance(entry, table.Definition):
            refuses = isinstance(getattr(entry.function, "__self__", None), np.ufunc)
            missing += [entry.name] if not refuses and entry.name not in seen else []
        else:
            places = [i for i, rule in enumerate(entry.rules) if rule is not None]
            missing += [f"{entry.name}, argument {i}" for i in places if (entry, i) not in seen]
    assert not missing, "without a row in tests/helpers/operations: " + "; ".join(missing)


@pytest.mark.parametrize("name", NAMED)
def test_what_learners_use_is_in_the_table(name):
    assert operator.attrgetter(name)(np) in table.TABLE


@pytest.mark.skipif(NUMPY < (2, 4), reason="this NumPy does not tell all of its signatures")
@pytest.mark.parametrize(
    "entry",
    [e for e in OURS if getattr(e, "rules", True) and hasattr(e.function, "_implementation")],
    ids=lambda entry: entry.name,
)
def test_arguments_have_the_names_and_defaults_that_numpy_gives_them(entry):
    """So that what is right in NumPy, by position or by name, means the same here."""
    theirs = inspect.signature(entry.function).parameters
    if isinstance(entry, table.Definition):
        ours = list(inspect.signature(entry.body).parameters.values())
    else:
        rule = next(rule for rule in entry.rules if rule is not None)
        ours = list(inspect.signature(rule).parameters.values())[2:]  # after g and y
    for place, parameter in enumerate(ours):
        parameter = parameter.replace(name=parameter.name.lstrip("_"))
        by_place = (
            list(theirs.values())[place] if parameter.kind < parameter.VAR_POSITIONAL else None
        )
        if by_place is not None and by_place.kind == parameter.POSITIONAL_ONLY:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL or parameter.name not in theirs:
            assert by_place is None or by_place.kind is parameter.VAR_POSITIONAL, parameter
            continue
        same = theirs[parameter.name]
        assert by_place in (None, same)
        if not (same.default is np._NoValue or parameter.default is parameter.empty):
            assert same.default == parameter.default, parameter


# --- what finite differences cannot follow --------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "inputs", "expected"),
    [
        (np.absolute, [[-1.0, 0.0, -0.0, 2.0]], [[-1, 0, 0, 1]]),
        (np.maximum, [[1.0, 2.0, 3.0], 2.0], [[0, 0.5, 1], 1.5]),
        (np.minimum, [[1.0, 2.0, 3.0], 2.0], [[1, 0.5, 0], 1.5]),
        (np.max, [[3.0, 1.0, 3.0, 3.0]], [[1 / 3, 0, 1 / 3, 1 / 3]]),
        (lambda x: np.min(x, axis=0), [[[0.0, 1.0], [0.0, 2.0]]], [[[0.5, 1], [0.5, 0]]]),
        (lambda x: np.clip(x, 0, 1), [[-1.0, 0.0, 0.5, 1.0, 2.0]], [[0, 1, 1, 1, 0]]),
        (np.clip, [[0.0, 1.0, 2.0], 1.0, 2.0], [[0, 1, 1], 1, 0]),
        (np.hypot, [[0.0, 3.0], [0.0, 4.0]], [[0, 0.6], [0, 0.8]]),
        (np.arctan2, [0.0, 0.0], [0, 0]),
        (np.linalg.norm, [[0.0, 0.0]], [[0, 0]]),
        (lambda x: np.linalg.norm(x, 2.5), [[0.0, 0.0]], [[0, 0]]),
        (np.std, [[5.0, 5.0]], [[0, 0]]),
        (lambda x: np.linalg.norm(x, 0.5), [[0.0, 4.0]], [[0, 1]]),
        (lambda x: np.linalg.norm(x, -1), [[0.0, 4.0]], [[0, 0]]),
        (np.fmax, [[1.0, math.nan, 2.0], [1.0, 0.0, math.nan]], [[0.5, 0, 1], [0.5, 1, 0]]),
        (np.nanmax, [[3.0, math.nan, 3.0]], [[0.5, 0, 0.5]]),
        (np.sinc, [[0.0]], [[0]]),
        (
            lambda x: np.interp(x, [0, 1, 3], [0.0, 5.0, 6.0]),
            [[0.0, 1.0, 3.0, 3.5, -1.0]],
            [[5, 0.5, 0.5, 0, 0]],
        ),
        (np.logaddexp, [[-math.inf, 0.0], [-math.inf, -math.inf]], [[0, 1], [0, 0]]),
        (np.power, [[0.0, 0.0, 2.0], [0.0, 3.0, 0.0]], [[0, 0, 0], [0, 0, math.log(2)]]),
        (lambda x: x ** np.array([0, 1, 2], np.uint8), [[1e9, 1e9, 1e9]], [[0, 1, 2e9]]),
        (F.relu, [[-1.0, 0.0, 1.0, math.nan]], [[0, 0, 1, 0]]),
    ],
    ids=written,
)
def test_slopes_at_kinks_are_those_that_the_table_promises(call, inputs, expected):
    leaves = leaves_of([np.array(a) for a in inputs])
    sum(y.sum() for y in run(call, leaves)).backward()
    for leaf, e in zip(leaves, expected):
        close(leaf.grad.data, np.array(e, dtype=float), 1e-15)


@pytest.mark.parametrize(
    ("call", "inputs", "expected"),
    [
        (np.arctan2, [3e-30, 4e-30], [1.6e29, -1.2e29]),
        (np.arctan2, [3e30, 4e30], [1.6e-31, -1.2e-31]),
        (np.hypot, [3e-30, 4e-30], [0.6, 0.8]),
        (np.hypot, [3e30, 4e30], [0.6, 0.8]),
        (np.arcsinh, [1e30], [1e-30]),
        (np.arccosh, [1e30], [1e-30]),
        (np.logaddexp, [1e30, -1e30], [1, 0]),
        (np.logaddexp, [1e8, 1e8], [0.5, 0.5]),
        (np.logaddexp2, [-1e8, -1e8], [0.5, 0.5]),
        (np.logaddexp, [math.inf, 1.0], [1, 0]),
        (F.elu, [-30.0], [math.exp(-30)]),
        (np.sqrt, [1e-30], [5e14]),
        (F.standardize, [[1e4, 1e4 + 1]], [[0, 0]]),
    ],
    ids=written,
)
@pytest.mark.filterwarnings("error")
def test_slopes_far_from_one_in_float32(call, inputs, expected):
    """Where squares would overflow, or vanish, or sums lose a part, as they stand; without a warning."""
    leaves = leaves_of([np.array(a) for a in inputs], np.float32)
    sum(y.sum() for y in run(call, leaves)).backward()
    for leaf, e in zip(leaves, expected):
        np.testing.assert_allclose(leaf.grad.data, e, rtol=1e-5, atol=1e-35)


def repeated(f, x, times):
    """f at x and its first derivatives, elementwise."""
    x = mg.Tensor(x, requires_grad=True)
    y = f(x)
    found = [y.data]
    for _ in range(times):
        x.grad = None
        if y.requires_grad:
            y.sum().backward(create_graph=True)
        y = mg.Tensor(np.zeros(x.shape)) if x.grad is None else x.grad
        found.append(y.data)
    return found


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x**2, [0, 0, 2, 0, 0]),
        (lambda x: x**2.0, [0, 0, 2, 0, 0]),
        (lambda x: x ** np.array([2, 2]), [0, 0, 2, 0, 0]),
        (lambda x: x ** mg.Tensor([2.0, 2.0], dtype=np.float64), [0, 0, 2, 0, 0]),
        (np.square, [0, 0, 2, 0, 0]),
        (lambda x: x * x, [0, 0, 2, 0, 0]),
        (lambda x: x**3, [0, 0, 0, 6, 0]),
        (lambda x: x**1, [0, 1, 0, 0, 0]),
        (lambda x: x**0, [1, 0, 0, 0, 0]),
        (lambda x: x * x * x * x, [0, 0, 0, 0, 24]),
    ],
)
def test_powers_are_right_at_zero_at_every_order(f, expected):
    for y, e in zip(repeated(f, np.array([0.0, -0.0]), 4), expected):
        np.testing.assert_array_equal(y, [e, e])


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (np.sin, [np.sin, np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin]),
        (np.exp, [np.exp] * 5),
        (lambda x: x**5, [lambda x, n=n: math.perm(5, n) * x ** (5 - n) for n in range(5)]),
        (np.log, [np.log, *(lambda x, n=n: math.factorial(n - 1) * -((-x) ** -n) for n in range(1, 5))]),
        (np.sqrt, [lambda x, c=c, n=n: c * x ** (0.5 - n)
                   for n, c in enumerate([1, 1 / 2, -1 / 4, 3 / 8, -15 / 16])]),
    ],
)  # fmt: skip
def test_the_first_four_derivatives_in_closed_form(f, expected):
    x = np.array([0.3, 1.7])
    for y, e in zip(repeated(f, x, 4), expected):
        close(y, e(x), 1e-12)


def test_the_first_four_derivatives_of_sinc_where_numbers_cancel():
    """At 0 and beside it: the first terms of its series."""
    x, pi = np.array([0.0, 1e-9, -1e-5]), math.pi
    expected = [1 - 0 * x, -(pi**2) / 3 * x, -(pi**2) / 3 + 0 * x, pi**4 / 5 * x, pi**4 / 5 + 0 * x]
    for y, e in zip(repeated(np.sinc, x, 4), expected):
        np.testing.assert_allclose(y, e, rtol=1e-8)


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (F.softplus, 17.0, math.exp(-17)),
        (F.softplus, -17.0, math.exp(-17)),
        (F.softplus, 0.0, 0.25),
        (F.softplus, math.inf, 0),
        (F.elu, 0.0, 1),
        (lambda x: np.logaddexp2(x, 0), 30.0, math.log(2) * 2**-30),
        (np.arcsin, 1e-8, 1e-8),
        (np.arccos, 1e-8, -1e-8),
        (np.arctanh, 1e-8, 2e-8),
        (np.arctanh, 1 - 2**-24, 2 * 2**46),
    ],
    ids=written,
)
@pytest.mark.filterwarnings("error")
def test_second_derivatives_where_numbers_cancel_in_float32(f, x, expected):
    _, _, second = repeated(f, np.float32(x), 2)
    np.testing.assert_allclose(second, expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("f", "recorded"),
    [
        *(
            (f, recorded)
            for f in (F.softmax, F.standardize, F.log_softmax)
            for recorded in (False, True)
        ),
        (F.gelu, False),
        (np.tanh, False),
        (lambda x: np.prod(x, axis=-1), False),
        (lambda x: np.linalg.inv(x @ x.T + np.eye(2)), False),
        (lambda x: np.linalg.det(x @ x.T), False),
        (lambda x: F.softmax(x @ x.T) @ x, False),
    ],
)
def test_each_derivative_is_the_slope_of_the_one_before(f, recorded):
    """Along a line, up to the fourth."""
    x, v = fixed([np.zeros((2, 3)), np.zeros((2, 3))]), fixed([np.zeros((2, 3))], 5)[0]

    def along(t):
        y = f(x[0] + t * v)
        return (y * np.cos(np.arange(y.size)).reshape(y.shape)).sum()

    @functools.cache
    def derivatives(t):
        with mg.record() if recorded else mg.enable_grad():
            return repeated(along, np.array(t), 4)

    at_0 = derivatives(0.0)
    for n in range(4):
        numeric = slope(lambda t, n=n: derivatives(t[0])[n], [0.0], [1.0])
        close(at_0[n + 1], numeric, 1e-7)


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_the_gradient_of_a_determinant_is_the_matrix_of_cofactors_at_every_rank(rank):
    """PyTorch gives zeros where the rank is one too low: here the minors are written out."""
    rng = np.random.default_rng(rank)
    a = rng.standard_normal((3, rank)) @ rng.standard_normal((rank, 3))
    minors = [
        [np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) * (-1) ** (i + j) for j in range(3)]
        for i in range(3)
    ]
    x = mg.Tensor(a, requires_grad=True)
    np.linalg.det(x).backward()
    close(x.grad.data, np.array(minors), 1e-14)


def test_slogdet_gives_the_sign_as_a_plain_array():
    sign, logarithm = np.linalg.slogdet(mg.Tensor(-np.eye(3), requires_grad=True))
    assert type(sign) in (np.float64, np.ndarray)
    assert sign == -1
    assert isinstance(logarithm, mg.Tensor)


# --- what is refused, and how ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "remedy"),
    [
        (lambda x: np.exp(x, out=A.copy()), "write y = f(x)"),
        (lambda x: np.exp(x, A.copy()), "write y = f(x)"),
        (lambda x: np.add(x, 1, A.copy()), "write y = f(x)"),
        (lambda x: np.exp(A, out=x), "write y = f(x)"),
        (lambda x: np.sum(x, out=A[0]), "write y = f(x)"),
        (lambda x: np.sum(x, 0, None, A[0]), "write y = f(x)"),
        (lambda x: np.std(x, 0, None, A[0]), "write y = f(x)"),
        (lambda x: np.dot(x, x.T, A), "write y = f(x)"),
        (lambda x: np.concatenate([x, x], out=A), "write y = f(x)"),
        (lambda x: np.add.reduce(x, out=A[0]), "write y = f(x)"),
        (lambda x: np.add.accumulate(x, out=A), "write y = f(x)"),
        (lambda x: np.add.outer(x, x, out=A), "write y = f(x)"),
        (lambda x: np.argmax(x, out=A[0]), "write y = f(x)"),
        (lambda x: np.greater(x, 0, out=A > 0), "write y = f(x)"),
        (A.__iadd__, "write y = f(x)"),
        (lambda x: np.exp(x, where=MASK), "np.where(mask"),
        (lambda x: np.sum(x, where=MASK), "np.where(mask"),
        (lambda x: np.var(x, where=MASK), "np.where(mask"),
        (lambda x: np.add.reduce(x, where=MASK), "np.where(mask"),
        (lambda x: np.sum(x, None, None, None, False, 1.0), "it takes a, axis"),
        (lambda x: np.max(x, initial=0), "np.maximum(np.max(x), initial)"),
        (lambda x: np.exp(x, dtype=np.float64), "x.astype(dtype)"),
        (lambda x: np.var(x, dtype=np.float64), "x.astype(dtype)"),
        (lambda x: np.exp(x, casting='unsafe'), "it takes x"),
        (lambda x: x.sum(axes=1), "it takes a, axis"),
        (lambda x: x.__setitem__(0, 1.0), "np.where(mask, new, x)"),
        (lambda x: np.copyto(x, 1.0), "np.copyto has no derivative"),
        (lambda x: np.copyto(A, x), "np.copyto has no derivative"),
        (lambda x: np.put(x, 0, 1.0), "minigrad.rule(np.put"),
        (lambda x: np.add.at(A.copy(), PLACES, x), "one-hot"),
        (lambda x: np.add.reduceat(x, [0, 1]), "np.add itself"),
        (lambda x: np.multiply.reduce(x, axis=0, initial=2.0), "np.maximum(np.max(x), initial)"),
        (np.linalg.eig, "np.linalg.eig has no derivative"),
        (lambda x: np.linalg.svd(x, hermitian=True), "it takes a, full_matrices, compute_uv"),
        (lambda x: np.linalg.qr(x, 'raw'), "write np.linalg.qr(a) for Q and R"),
        (np.emath.sqrt, "minigrad.rule(np.emath.sqrt, lambda g, y"),
        (np.fft.fft, "np.fft.fft has no derivative"),
        (lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, 1), "x[:, i, j]"),
        (lambda x: np.savez("w.npz", w=x), "minigrad.save('w.npz', {'w': w.data})"),
        (np.unique, "x.detach().numpy()"),
        (np.histogram, "x.detach().numpy()"),
        (lambda x: np.bincount(PLACES, weights=x[0]), "x.detach().numpy()"),
        (np.frexp, "np.frexp has no derivative"),
        (lambda x: np.quantile(x, 0.5, weights=A), "it takes a, q, axis"),
        *[(lambda x: np.clip(x, a_min=0), "np.clip(x, 0, None)")] * (NUMPY >= (2, 1)),
        (lambda x: np.cov(x, aweights=A[0]), "it takes m, y, rowvar"),
        (lambda x: np.convolve(x[0], x[1], 0), "write np.convolve(a, v) for all sums"),
        (lambda x: np.pad(x, 1, 'mean'), "constant, edge, reflect, symmetric and wrap"),
        (lambda x: np.ravel(x, order='K'), "'C' or 'F'"),
        (lambda x: np.reshape(x, 6, order='A').sum().backward(), "'C' or 'F'"),
        (lambda x: np.diff(x, prepend=0.0), "it takes a, n, axis"),
    ],
    ids=written,
)  # fmt: skip
def test_what_is_not_supported_says_what_to_write_instead(call, remedy):
    x = mg.Tensor(fixed([np.zeros((2, 3))])[0], requires_grad=True)
    before = x.data.copy()
    with pytest.raises(errors.UnsupportedError) as caught:
        run(call, [x])
    assert remedy in str(caught.value)
    np.testing.assert_array_equal(x.data, before)


def test_casting_may_be_named_as_it_is_by_itself():
    """As np.row_stack does, which calls np.vstack."""
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    assert np.vstack([x, x], casting="same_kind").requires_grad
    with pytest.raises(errors.UnsupportedError, match="takes no casting="):
        np.vstack([x, x], casting="unsafe")


@pytest.mark.parametrize(
    ("call", "pieces"),
    [
        (lambda x: x @ x, ["np.matmul", "float64[2, 3]"]),
        (lambda x: x + np.ones(4), ["np.add", "float64[2, 3]", "float64[4]"]),
        (lambda x: x.reshape(5), ["np.reshape", "float64[2, 3]", "5"]),
        (lambda x: x[5], ["float64[2, 3]", "out of bounds"]),
        (lambda x: np.concatenate([x, x[0]]), ["np.concatenate", "float64[2, 3]", "float64[3]"]),
        (lambda x: np.sum(x, axis=2), ["np.sum", "axis 2"]),
        (lambda x: np.prod(x, axis=-3), ["np.prod", "axis -3"]),
        (lambda x: np.linalg.norm(x, axis=2), ["np.linalg.norm", "axis 2", "dimension 2"]),
        (lambda x: np.split(x, 2, axis=1), ["float64[2, 3]", "2 equal parts", "np.array_split"]),
        (lambda x: np.split(x, 2, axis=2), ["np.split", "axis 2"]),
        (lambda x: np.array_split(x, 0), ["0 parts"]),
        (lambda x: np.take(x, [7], axis=1), ["out of bounds"]),
        (
            lambda x: np.einsum("ij->i", x, x),
            ["np.einsum", "1 operands", "2 were given", "float64[2, 3]"],
        ),
        (lambda x: np.einsum("ijk->i", x), ["float64[2, 3]"]),
        (lambda x: np.einsum("i...->i", x), ["'i...->i'", "write ... there too"]),
        (lambda x: np.cross(x[:, :2], x[:, :2]), ["np.cross", "float64[2, 2]", "three elements"]),
        (lambda x: np.diag(x.reshape(1, 2, 3)), ["np.diag", "float64[1, 2, 3]"]),
        (
            lambda x: np.average(x, axis=(0, 1), weights=np.ones(3)),
            ["(2, 3)", "(3,)", "the axes to average over"],
        ),
        (
            lambda x: np.tensordot(x, x.T, axes=([0, 1], [0, 1])),
            ["(0, 1) and (0, 1)", "float64[3, 2]"],
        ),
        (
            lambda x: np.tensordot(x, x.ravel(), axes=([0, 1], [0])),
            ["(0, 1) and (0,)", "float64[6]"],
        ),
        (lambda x: np.take_along_axis(x, PLACES, axis=1), ["int64[4]", "integers in 2 dimensions"]),
        (lambda x: np.take_along_axis(x, MASK, axis=1), ["bool[2, 3]", "integers in 2 dimensions"]),
        (lambda x: np.select([x > 0], [x, x]), ["np.select", "1 conditions and 2 choices"]),
        (lambda x: np.diff(x, n=-1), ["np.diff", "not -1"]),
        (lambda x: np.linalg.inv(x), ["np.linalg.inv", "float64[2, 3]"]),
        (lambda x: np.linalg.eigh(x), ["np.linalg.eigh", "float64[2, 3]"]),
        (lambda x: np.linalg.eigh(x[:, :2], "upper"), ["np.linalg.eigh", "'L'", "'U'", "'upper'"]),
        (lambda x: np.linalg.norm(x, 3), ["np.linalg.norm", "the order 3 over 2 axes"]),
        (lambda x: np.linalg.norm(x[0], "nuc"), ["np.linalg.norm", "the order 'nuc' over 1 axes"]),
        (lambda x: np.einsum(x, [0, 52]), ["np.einsum", "a number from 0 to 51"]),
        (lambda x: np.take(x, [0], mode="edge"), ["np.take", "'wrap'", "'clip'", "'edge'"]),
        (
            lambda x: np.multiply.accumulate(x[0, 0]),
            ["np.multiply.accumulate", "no axis to accumulate along"],
        ),
        (lambda x: np.quantile(x, 1.5), ["np.quantile", "range [0, 1]"]),
        (lambda x: np.interp(x, [0.0, 1.0], [1.0]), ["np.interp", "two vectors of one length"]),
        (lambda x: np.convolve(x, x[0]), ["np.convolve", "two vectors", "float64[2, 3]"]),
        (lambda x: np.block([[x], x]), ["np.block", "more lists than others"]),
        (lambda x: np.block([[x], []]), ["np.block", "a list is empty"]),
        (lambda x: np.linalg.inv(x[:, :2] * 0), ["np.linalg.inv", "Singular"]),
    ],
    ids=written,
)
def test_shapes_that_do_not_fit_are_named(call, pieces):
    with pytest.raises(errors.ShapeError) as caught:
        run(call, [mg.Tensor(np.ones((2, 3)), requires_grad=True)])
    for piece in (*pieces, f"at test_operations.py:{call.__code__.co_firstlineno}"):
        assert piece in str(caught.value)


@pytest.mark.parametrize(
    ("call", "pieces"),
    [
        (lambda x: x.astype(np.uint8) + 300, ["np.add", "uint8[2, 3]", "300", "out of bounds"]),
        (lambda x: x.astype(np.uint8) ** -1, ["np.power", "uint8[2, 3]", "-1"]),
        (lambda x: np.less([1.0], x, dtype=np.float32), ["np.less", "dtype=float32"]),
    ],
)
def test_dtypes_that_do_not_fit_are_named(call, pieces):
    with pytest.raises(errors.DTypeError) as caught:
        call(mg.Tensor(np.ones((2, 3))))
    assert all(piece in str(caught.value) for piece in pieces)


# --- plain results --------------------------------------------------------------------------------


OF_TWO = [
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, np.equal, np.isclose,
    np.array_equal, np.logical_and, np.isin, np.result_type, lambda x, y: np.searchsorted(x[0], y[0]),
]  # fmt: skip
OF_ONE = [
    len, np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, np.isnan, np.isfinite, np.signbit,
    np.any, np.nonzero, np.count_nonzero, np.flatnonzero, np.argmax, np.argsort, np.where,
    lambda x: x > 0, lambda x: 0 > x,  # noqa: SIM300
    lambda x: ~(x > 0), lambda x: np.where(x > 0),
    lambda x: np.allclose(x, x), lambda x: x == [[1.0, 2.0, 3.0]],
    lambda x: np.argmax(x, axis=1), lambda x: x.argmax(axis=0), lambda x: x.argmin(),
    lambda x: np.argmin(x, 1), lambda x: np.argmax(a=x, axis=1, keepdims=True),
    lambda x: x.argsort(axis=0), lambda x: x.any(axis=0), lambda x: np.all(x, axis=(0, 1)),
    lambda x: x.all(), lambda x: np.digitize(x, np.array([0.0, 1.0])), lambda x: np.full_like(x, 2),
    lambda x: np.empty_like(x).shape,
]  # fmt: skip


@pytest.mark.parametrize("call", [*OF_ONE, *OF_TWO], ids=written)
def test_plain_results_are_numpys_own(call):
    arrays = fixed([np.zeros((2, 3))] * (2 if call in OF_TWO else 1), 4)
    results, expected = run(call, leaves_of(arrays)), run(call, arrays)
    assert len(results) == len(expected)
    for y, e in zip(results, expected):
        assert type(y) is type(e)
        np.testing.assert_array_equal(y, e)


# --- other things that arguments can be -----------------------------------------------------------


def test_tensors_can_be_indices():
    x = mg.Tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    rows, mask = mg.Tensor([1, 0, 1]), mg.Tensor([[True, False, True], [False, False, True]])
    (x[rows].sum() + 10 * x[mask].sum() + 100 * x[rows, mg.Tensor(2)].sum()).backward()
    np.testing.assert_array_equal(x.grad.data, [[11, 1, 111], [2, 2, 212]])
    y = (
        np.take(x, rows, axis=0)
        + np.take_along_axis(x, mg.Tensor([[0], [1], [1]])[1:], axis=1).sum()
    )
    np.testing.assert_array_equal(y.data, x.data[[1, 0, 1]] + x.data[0, 1] + x.data[1, 1])


def test_an_index_changed_after_use_changes_nothing():
    x = mg.Tensor(np.arange(3.0), requires_grad=True)
    places, mask, shift = np.array([0, 0]), np.array([True, False, True]), np.array([1])
    y = x[places].sum() + x[mask].sum() * 10 + (np.roll(x, shift=shift, axis=0) * [100, 0, 0]).sum()
    places[:], mask[:], shift[:] = 2, False, 0
    y.backward()
    np.testing.assert_array_equal(x.grad.data, [12, 0, 110])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + [1.0, 2.0, 3.0],  # noqa: RUF005
        lambda x: [1.0, 2.0, 3.0] * x,
        lambda x: np.dot(x, [1.0, 2.0, 3.0]), lambda x: np.outer([1.0, 2.0], x),
        lambda x: np.concatenate([x, [1.0, 2.0]]), lambda x: np.stack([x, [1.0, 2.0, 3.0]]),
        lambda x: np.stack([x[0], 1.0]), lambda x: np.where(C, x, [1.0, 2.0, 3.0]),
        lambda x: np.append(x, 1.0),
        lambda x: np.linalg.solve(np.eye(3, dtype=np.float32) * x, [1.0, 2.0, 3.0]),
        lambda x: np.clip(x, [0.0] * 3, 1.0), lambda x: np.average(x, weights=[0.2, 0.3, 0.5]),
        lambda x: np.append(x, [x[0], 2.5]), lambda x: np.stack([x, [x[0], 1.0, x[2]]]),
        lambda x: np.block([x, 2.5, [x[0]][0]]), lambda x: np.block([[x[:1], 2.5], [0.5, x[1]]]),
        lambda x: np.fmax(x, [0.5, 0.0, 3.0]), lambda x: np.quantile(x, 0.3), lambda x: x * 2.5,
        lambda x: np.power(2.5, x), lambda x: np.full_like(x, 2.5) * x,
        lambda x: np.pad(x, 1, constant_values=2.5),
    ],
    ids=written,
)  # fmt: skip
def test_python_numbers_do_not_widen_float32(call):
    """PyTorch's convention where NumPy's differs: a list of floats is of the default dtype."""
    x = mg.Tensor([0.5, -1.5, 2.5], requires_grad=True)
    (y,) = run(call, [x])
    assert y.dtype == np.float32
    y.sum().backward()
    expected = run(call, [x.data.astype(np.float64)])[0]
    close(y.data, expected, 1e-6)
    assert x.grad.dtype == np.float32


def test_arrays_can_be_given_by_name():
    a, b = leaves_of(fixed([np.zeros((2, 2)), np.zeros(2)]))
    for y, e in [
        (np.sum(a=a, axis=0), a.data.sum(0)),
        (np.linalg.solve(a=a, b=b), np.linalg.solve(a.data, b.data)),
        (np.linalg.solve(a.data, b=b), np.linalg.solve(a.data, b.data)),
        (np.transpose(axes=[1, 0], a=a), a.data.T),
        (np.roll(a=a, shift=1, axis=1), np.roll(a.data, 1, 1)),
        (np.clip(a, a_min=0.0, a_max=b), np.clip(a.data, 0, b.data)),
        (a.clip(min=b), np.clip(a.data, b.data, None)),
    ]:
        assert y.requires_grad
        close(y.data, e, 1e-15)


def test_integers_and_booleans_pass_without_a_gradient():
    """And a result that is no longer of real numbers is outside the graph."""
    n = mg.Tensor([3, 1, 2])
    for y, dtype in [(n * n, np.int64), (np.sum(n), np.int64), (np.sort(n), np.int64),
                     (n > 1, bool), (n / 2, np.float64), (n[n > 1], np.int64),
                     (np.clip(n, 2, None), np.int64), (np.nanmax(n), np.int64),
                     (np.linalg.norm(n, 1), np.float64)]:  # fmt: skip
        assert y.dtype == dtype
        assert not getattr(y, "requires_grad", False)
    x = mg.Tensor([1.5], requires_grad=True)
    for whole in (x.astype(int), *([np.astype(x, int)] if NUMPY >= (2, 1) else [])):
        assert not np.sum(whole).requires_grad


WITH_DTYPE = [
    function for function, entry in table.TABLE.items()
    if "dtype" in entry.names and "dtype" not in entry.refused and "axis" in entry.names
]  # fmt: skip


@pytest.mark.parametrize("f", WITH_DTYPE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [int, "q", np.uint8, bool])
def test_a_dtype_that_ends_the_graph_is_refused(f, dtype):
    """Else the gradient would be zero, without a word."""
    x = mg.Tensor([1.5, 2.5], requires_grad=True)
    for call in (lambda x: f(x, dtype=dtype), lambda x: f(x, None, dtype)):
        with pytest.raises(errors.DTypeError, match=r"has no gradient.*write x\.astype\('\w+'\)"):
            call(x * 2)
        with mg.no_grad():  # nobody asks for one
            assert call(x).dtype == dtype
        expected = call(x.data.astype(dtype))
        for outside in (x.astype(dtype), x.astype(dtype).detach()):
            np.testing.assert_array_equal(call(outside).data, expected)
    assert f(x, dtype="f8").requires_grad


def test_nan_is_passed_on_as_numpy_does():
    x = mg.Tensor([1.0, math.nan, 3.0, math.nan], requires_grad=True)
    for f in (np.max, np.min, np.median, np.sum, np.sort):
        for some in (x, x[:3]):
            np.testing.assert_array_equal(f(some).data, f(some.data))
    nothing = mg.Tensor(np.zeros((0, 2)), requires_grad=True)
    for f in (np.mean, np.var, np.std):
        np.testing.assert_array_equal(f(nothing, axis=0).data, f(nothing.data, axis=0))
    np.testing.assert_array_equal(np.var(x[:1], ddof=2).data, np.var(x.data[:1], ddof=2))
    np.max(x).backward()
    np.testing.assert_array_equal(x.grad.data, [0, 0.5, 0, 0.5])
