"""What holds for all shapes, axes, subscripts and indices: drawn, and compared with NumPy and slopes.

Each test draws a call; `check` compares its value with NumPy's on plain arrays, and its first and
second derivatives with finite differences.
"""

import numpy as np
import pytest
from operations.numbers import numbers, product, slope
from properties import HealthCheck, arrays_of, given, settings, st

import minigrad as mg
from minigrad import functional as F

drawn = settings(
    max_examples=15,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
SIDES = {"min_side": 0, "max_side": 3}


def projected(f, arrays):
    results = f(*arrays)
    results = results if isinstance(results, (list, tuple)) else [results]
    return product(results, [numbers(y.shape, 5) for y in results])


def gradients(f, arrays, create_graph=False):
    leaves = [mg.Tensor(a, requires_grad=True) for a in arrays]
    projected(f, leaves).backward(create_graph=create_graph)
    return leaves, [np.zeros(x.shape) if x.grad is None else x.grad for x in leaves]


def check(f, *shapes):
    """Value, first and second derivatives of `f` at arrays of these shapes."""
    arrays = [numbers(shape, i) for i, shape in enumerate(shapes)]
    expected, found = f(*arrays), f(*map(mg.Tensor, arrays))
    several = isinstance(expected, (list, tuple))
    for y, e in zip(*((found, expected) if several else ([found], [expected]))):
        assert y.shape == np.shape(e)
        np.testing.assert_allclose(y.data, e, rtol=1e-12, atol=1e-12)

    along = [numbers(shape, 7 + i) for i, shape in enumerate(shapes)]
    leaves, first = gradients(f, arrays, create_graph=True)
    numeric = slope(lambda a: projected(f, a), arrays, along)
    np.testing.assert_allclose(
        product([np.asarray(getattr(g, "data", g)) for g in first], along),
        numeric,
        rtol=1e-7,
        atol=1e-7,
    )

    total = product(first, along)
    for leaf in leaves:
        leaf.grad = None
    if getattr(total, "requires_grad", False):
        total.backward()
    second = [np.zeros(x.shape) if x.grad is None else x.grad.data for x in leaves]
    plain = lambda a: product(
        [np.asarray(getattr(g, "data", g)) for g in gradients(f, a)[1]], along
    )
    numeric = slope(plain, arrays, along)
    np.testing.assert_allclose(product(second, along), numeric, rtol=1e-6, atol=1e-6)


@drawn
@given(
    arrays_of.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=3),
    st.sampled_from([np.add, np.subtract, np.multiply, np.divide, np.maximum, np.arctan2,
                     lambda a, b: np.where(a > 0, b, a * b), lambda a, b: (a * a + 1) ** b]),
)  # fmt: skip
def test_two_shapes_that_broadcast(shapes, f):
    check(f, *shapes.input_shapes)


@drawn
@given(arrays_of.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3))
def test_three_shapes_that_broadcast(shapes):
    check(lambda a, b, c: (a * b + c) * np.tanh(c), *shapes.input_shapes)


@st.composite
def reduced(draw, min_side=0):
    shape = draw(arrays_of.array_shapes(min_dims=1, max_dims=4, min_side=min_side, max_side=3))
    axes = draw(
        st.none()
        | st.integers(-len(shape), len(shape) - 1)
        | arrays_of.valid_tuple_axes(len(shape))
    )
    return shape, axes, draw(st.booleans())


@drawn
@given(reduced(), st.sampled_from([np.sum, np.prod]))
def test_reductions_over_any_axes(drawing, f):
    shape, axis, keepdims = drawing
    check(lambda x: f(x, axis=axis, keepdims=keepdims), shape)


@drawn
@given(reduced(min_side=1), st.sampled_from([np.mean, np.max, np.min, np.var, np.ptp]))
def test_reductions_of_something_over_any_axes(drawing, f):
    shape, axis, keepdims = drawing
    check(lambda x: f(x, axis=axis, keepdims=keepdims), shape)


@drawn
@given(reduced(min_side=2))
def test_logsumexp_is_the_logarithm_of_the_sum(drawing):
    shape, axis, keepdims = drawing
    x = numbers(shape, 0)
    y = F.logsumexp(mg.Tensor(x), axis, keepdims)
    np.testing.assert_allclose(
        y.data, np.log(np.exp(x).sum(axis=axis, keepdims=keepdims)), rtol=1e-12
    )
    check(lambda x: F.logsumexp(x, axis, keepdims), shape)


@drawn
@given(
    reduced(min_side=1),
    st.sampled_from([F.softmax, F.log_softmax, lambda x, axis: F.standardize(x, axis, eps=0.5)]),
)
def test_softmax_and_the_like_along_any_axis(drawing, f):
    shape, axis, _ = drawing
    axis = axis if isinstance(axis, int) else -1
    check(lambda x: f(x, axis=axis), shape)
    if f is F.softmax:
        x = mg.Tensor(numbers(shape, 0))
        np.testing.assert_allclose(f(x, axis=axis).data.sum(axis=axis), 1, rtol=1e-12)
        np.testing.assert_allclose(f(x + 500, axis=axis).data, f(x, axis=axis).data, rtol=1e-9)


@drawn
@given(reduced(), st.sampled_from([np.cumsum, np.cumprod]))
def test_running_sums_and_products(drawing, f):
    shape, axis, _ = drawing
    check(lambda x: f(x, axis=axis if isinstance(axis, int) else None), shape)


@drawn
@given(
    arrays_of.mutually_broadcastable_shapes(signature=np.matmul.signature, max_dims=2, max_side=3)
)
def test_matrix_products_of_all_shapes(shapes):
    check(np.matmul, *shapes.input_shapes)


@drawn
@given(
    arrays_of.mutually_broadcastable_shapes(signature="(n,n),(n,m)->(n,m)", max_dims=2, max_side=3)
)
def test_linear_systems_of_all_shapes(shapes):
    a, b = shapes.input_shapes
    check(lambda a, b: np.linalg.solve(a * 0.1 + 2 * np.eye(a.shape[-1]), b), a, b)


@st.composite
def contractions(draw):
    """Subscripts of all kinds, and shapes that fit them: sizes of 1 are broadcast."""
    letters = "ijkl"
    size = {c: draw(st.integers(0, 3)) for c in letters}
    batch = draw(st.lists(st.integers(1, 3), min_size=1, max_size=2))
    terms, shapes = [], []
    for _ in range(draw(st.integers(1, 3))):
        term = draw(st.text(letters, max_size=3))
        ones = {c for c in term if term.count(c) == 1 and draw(st.integers(0, 5)) == 0}
        shape = [1 if c in ones else size[c] for c in term]
        if draw(st.booleans()):
            kept = batch[draw(st.integers(0, len(batch))) :]
            kept = [1 if draw(st.integers(0, 3)) == 0 else n for n in kept]
            place = draw(st.integers(0, len(term)))
            term, shape = f"{term[:place]}...{term[place:]}", shape[:place] + kept + shape[place:]
        terms.append(term)
        shapes.append(tuple(shape))
    subscripts = ",".join(terms)
    if draw(st.booleans()):
        used = sorted(set(subscripts) & set(letters))
        result = "".join(draw(st.permutations(used))[: draw(st.integers(0, len(used)))])
        place = draw(st.integers(0, len(result)))
        dots = "..." if "..." in subscripts else ""
        subscripts += f"->{result[:place]}{dots}{result[place:]}"
    return subscripts, shapes


@settings(drawn, max_examples=50)
@given(contractions())
def test_einsum_of_all_subscripts(drawing):
    subscripts, shapes = drawing
    check(lambda *arrays: np.einsum(subscripts, *arrays), *shapes)


@st.composite
def indexed(draw):
    """Indices of all kinds, mixed: integers, slices, None, Ellipsis, masks, arrays with repeats."""
    shape = draw(arrays_of.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
    if draw(st.integers(0, 5)) == 0:
        return shape, draw(arrays_of.arrays(bool, shape[: draw(st.integers(1, len(shape)))]))
    together = draw(arrays_of.array_shapes(max_dims=2, max_side=3))  # the shape of all arrays
    kinds = ["int", "slice", "array", "list"]
    if draw(st.booleans()):
        kinds[2:] = ["mask"]

    def item(n):
        kind = draw(st.sampled_from(kinds))
        if kind == "int":
            return draw(st.integers(-n, n - 1))
        if kind == "slice":
            return draw(st.slices(n))
        if kind == "mask":
            kinds.remove("mask")  # one at most: others would have to mark as many
            return draw(arrays_of.arrays(bool, n))
        places = draw(arrays_of.arrays(int, together, elements=st.integers(-n, n - 1)))
        return places if kind == "array" else places.tolist()

    first = draw(st.integers(0, len(shape)))
    last = draw(st.integers(first, len(shape)))
    dots = [Ellipsis] if last - first or draw(st.booleans()) else []
    index = [*map(item, shape[:first]), *dots, *map(item, shape[last:])]
    for _ in range(draw(st.integers(0, 2))):
        index.insert(draw(st.integers(0, len(index))), None)
    return shape, index[0] if len(index) == 1 else tuple(index)


@settings(drawn, max_examples=50)
@given(indexed())
def test_indices_of_all_kinds(drawing):
    shape, index = drawing
    check(lambda x: x[index] * x[index], shape)


@drawn
@given(st.data())
def test_axes_in_any_order(data):
    shape = data.draw(arrays_of.array_shapes(min_dims=1, max_dims=4, **SIDES))
    axes = data.draw(
        st.permutations([i - len(shape) * data.draw(st.booleans()) for i in range(len(shape))])
    )
    weights = numbers(shape, 3)
    check(lambda x: np.transpose(x * weights, axes) ** 2, shape)
    check(lambda x: np.moveaxis(x * weights, axes, range(len(axes))) ** 2, shape)


@drawn
@given(st.data())
def test_arrays_joined_along_any_axis_and_cut_again(data):
    shape = data.draw(arrays_of.array_shapes(min_dims=1, max_dims=3, **SIDES))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    other = list(shape)
    other[axis] = data.draw(st.integers(0, 3))
    check(lambda a, b: np.concatenate([a, b, a * b.sum()], axis=axis) ** 2, shape, tuple(other))
    cuts = sorted(data.draw(st.lists(st.integers(0, shape[axis]), max_size=3)))
    check(lambda a: [p * p for p in np.split(a, cuts, axis=axis)], shape)
    check(lambda a: np.stack([a, a * a], axis=axis), shape)


@drawn
@given(st.data())
def test_copies_and_borders(data):
    shape = data.draw(arrays_of.array_shapes(min_dims=1, max_dims=3, **SIDES))
    widths = data.draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)),
                                min_size=len(shape), max_size=len(shape)))  # fmt: skip
    reps = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    times = data.draw(arrays_of.arrays(int, shape[axis], elements=st.integers(0, 2)))
    check(lambda x: np.pad(x * x, widths, constant_values=1.5), shape)
    check(lambda x: np.tile(x * x, reps), shape)
    check(lambda x: np.repeat(x * x, times, axis=axis), shape)
    check(lambda x: np.repeat(x * x, 2, axis=axis), shape)
    check(lambda x: np.roll(x * x, (1, -2), axis=(axis, 0)), shape)


@drawn
@given(st.data())
def test_diagonals_of_all_planes(data):
    shape = data.draw(arrays_of.array_shapes(min_dims=2, max_dims=4, **SIDES))
    first, second = data.draw(st.permutations(range(len(shape))))[:2]
    offset = data.draw(st.integers(-3, 3))
    check(lambda x: np.diagonal(x * x, offset, first, second - len(shape)), shape)
    check(lambda x: np.trace(x * x, offset, first, second), shape)


@drawn
@given(arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4), st.data())
def test_adjoints_agree(shape, data):
    """<A x, y> is <x, A' y> for gathering and its adjoint, scattering, exactly."""
    index = data.draw(
        arrays_of.integer_array_indices(shape, result_shape=arrays_of.array_shapes(max_dims=2))
    )
    x = mg.Tensor(np.round(numbers(shape, 0), 2), requires_grad=True)
    y = np.ones(x[index].shape)
    (x[index] * y).sum().backward()
    expected = np.zeros(shape)
    np.add.at(expected, index, y)
    np.testing.assert_array_equal(x.grad.data, expected)


BASES = [0.0, -0.0, 5e-324, 1e-310, -1e-310, 1e-308, 2.3e-308, -2.3e-308, 1.0, -2.0, np.inf, np.nan]
EXPONENTS = [0.0, 1.0, 2.0, 3.0, 0.5, -1.0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("power", [np.power, np.float_power])
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_powers_next_to_zero_have_the_slope_of_a_calculus_book(power, exponent):
    """Of an exponent in an array as of a number: b a^(b - 1), and 0 for every a where b is 0."""
    bases = np.array(BASES)
    slope = exponent * bases ** (exponent - 1) if exponent else np.zeros_like(bases)
    for b in (np.full(len(BASES), exponent), np.array(exponent), exponent):
        for b_ in (b, mg.Tensor(b, dtype=np.float64, requires_grad=True)):
            x = mg.Tensor(bases, requires_grad=True)
            np.sum(power(x, b_)).backward()
            np.testing.assert_allclose(x.grad.data, slope, rtol=1e-12)
    for dtype in (np.float16, np.float32):
        least = np.finfo(dtype).smallest_subnormal
        x = mg.Tensor(np.array([0, least, 1], dtype), requires_grad=True)
        np.sum(power(x, np.zeros(3, dtype))).backward()
        np.testing.assert_array_equal(x.grad.data, np.zeros(3))
