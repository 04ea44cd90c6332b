"""No silent wrong answer: what a graph needs cannot change unnoticed, and misuse says what to do."""

import array as python
import collections
import functools
import math
import operator
import re

import numpy as np
import pytest
from leaves import positive_leaf

import minigrad as mg
from minigrad import errors
from minigrad import functional as F

# --- a graph is walked once -----------------------------------------------------------------------


def test_a_second_backward_raises_before_any_gradient_is_touched():
    x, y = positive_leaf(3), positive_leaf(3)
    loss = np.sum(x * y)
    loss.backward()
    before = x.grad, y.grad
    with pytest.raises(errors.GraphError, match=r"already walked.*retain_graph=True$"):
        loss.backward()
    assert (x.grad, y.grad) == before


def test_a_state_that_was_kept_from_an_earlier_step_is_to_be_detached():
    w = positive_leaf(3)
    state = np.tanh(w)
    np.sum(state).backward()
    with pytest.raises(errors.GraphError, match=r"already walked.*state = state\.detach\(\)"):
        np.sum(np.tanh(w * state)).backward()
    np.sum(np.tanh(w * state.detach())).backward()


def test_a_graph_that_shares_a_freed_part_raises_before_any_gradient_is_touched():
    x, z = positive_leaf(3), positive_leaf(3)
    shared = np.exp(x)
    np.sum(shared * 2).backward()
    before = x.grad
    with pytest.raises(errors.GraphError, match=r"np\.exp"):
        np.sum(shared * z).backward()
    assert z.grad is None
    assert x.grad is before


def test_retain_graph_allows_a_second_one_that_adds_up():
    x = positive_leaf(3)
    loss = np.sum(x * x)
    loss.backward(retain_graph=True)
    once = x.grad.numpy()
    loss.backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * once)


def test_create_graph_keeps_the_graph():
    x = positive_leaf(3)
    loss = np.sum(x**3)
    loss.backward(create_graph=True)
    once = x.grad.detach().numpy()
    loss.backward()
    np.testing.assert_array_equal(x.grad.detach().numpy(), 2 * once)


# --- a leaf that is given new values --------------------------------------------------------------


def change_by_step(w):
    w.grad = np.ones(w.shape)
    mg.optim.SGD([w], lr=0.1).step()


def change_by_copy(w):
    w.copy_(w.detach() * 2)


def change_by_load(w):
    module = mg.nn.Module()
    module.w = w
    module.load_state_dict({"w": np.zeros(w.shape)})


def change_by_dtype(w):
    module = mg.nn.Module()
    module.w = w
    module.astype(np.float32)


CHANGES = [change_by_step, change_by_copy, change_by_load, change_by_dtype]


VIEWS = {
    "transpose": lambda w: w.T,
    "swapaxes": lambda w: np.swapaxes(w, 0, 1),
    "moveaxis": lambda w: np.moveaxis(w, 0, 1),
    "row": lambda w: w[0],
    "column": lambda w: w[:, 1],
    "slice": lambda w: w[::2, 1:],
    "element": lambda w: w[1, 1],
    "new axis": lambda w: w[None],
    "ellipsis": lambda w: w[...],
    "reshape": lambda w: w.reshape(-1),
    "ravel": lambda w: np.ravel(w),
    "flatten": lambda w: w.flatten(),
    "expand_dims": lambda w: np.expand_dims(w, 0),
    "squeeze": lambda w: np.squeeze(w[:, :1]),
    "broadcast_to": lambda w: np.broadcast_to(w, (2, 4, 3)),
    "broadcast_arrays": lambda w: np.broadcast_arrays(w, np.ones((2, 4, 3)))[0],
    "flip": lambda w: np.flip(w),
    "rot90": lambda w: np.rot90(w, 2),
    "diagonal": lambda w: np.diagonal(w),
    "split": lambda w: np.split(w, 2)[1],
    "atleast_3d": lambda w: np.atleast_3d(w),
    "iteration": lambda w: next(iter(w)),
    "view of a view of a view": lambda w: w.T[1:].reshape(2, 2, 2)[0].T,
    "by two steps without a gradient": lambda w: without_grad(lambda: w.T[1:]),
    "its own function": lambda w: itself(w),
}
itself = mg.rule(lambda x: x, lambda g, y, x: g)


def without_grad(f):
    with mg.no_grad():
        return f()


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_graph_walked_after_an_update_has_the_gradient_of_what_was_computed(view, change):
    """It keeps the arrays that it used: the leaf has a new one, of which it knows nothing."""

    def gradients(then):
        w = mg.Parameter(np.arange(12.0).reshape(4, 3) + 1)
        x = positive_leaf()
        part = VIEWS[view](w)
        loss = np.sum(x * part * part) + np.sum(np.exp(part * 0.01 + x) * part)
        then(w)
        w.grad = None
        loss.backward()
        return [x.grad.numpy(), np.zeros(()) if w.grad is None else w.grad.numpy()]

    for changed, expected in zip(gradients(change), gradients(lambda w: None)):
        np.testing.assert_allclose(changed, expected, rtol=1e-7)  # w may be of float32 by then


def test_a_result_that_was_saved_and_lies_in_a_leaf_stays_what_it_was():
    """The rule of a user's own function may read y, and y may be a view of the leaf."""
    turned = mg.rule(lambda x: x.T, lambda g, y, x: g.T * y.T)
    w = positive_leaf(2, 3)
    before, loss = w.data, np.sum(turned(w))
    change_by_copy(w)
    loss.backward()
    np.testing.assert_array_equal(w.grad.numpy(), before)


def test_a_gradient_with_a_graph_keeps_its_arrays_too():
    """The second walk needs w.T, saved by a node of the first graph that it does not visit."""
    w, x, z = positive_leaf(3, 3), positive_leaf(3), positive_leaf(3)
    before = w.data
    np.sum((x @ w.T) * z).backward(create_graph=True)
    penalty = np.sum(x.grad)  # z @ w, linear in z
    change_by_step(w)
    z.grad = None
    penalty.backward()
    np.testing.assert_allclose(z.grad.numpy(), before.sum(axis=1))


def test_a_tensor_is_not_the_array_that_its_function_was_given():
    """What a user's own function returns may be one of its arguments."""
    second = mg.rule(lambda x, c: c, lambda g, y, x, c: 0 * x, None)
    x, c = positive_leaf(3), np.ones(3)
    y = second(x, c)
    c[:] = 5
    np.testing.assert_array_equal(y.data, 1)
    assert c.flags.writeable


# --- arrays that belong to the user ---------------------------------------------------------------


def spoil(array):
    array[...] = 0 if array.dtype.kind in "iub" else 1e3


ROWS = np.array([0, 2, 2])
MASK = np.array([True, False, True])
KEEPERS = {
    "a factor": (lambda x, c: x * c, np.ones(3) * 2),
    "a divisor": (lambda x, c: x / c, np.ones(3) * 2),
    "a dividend": (lambda x, c: c / x, np.ones(3) * 2),
    "a base": (lambda x, c: c**x, np.ones(3) * 2),
    "an exponent": (lambda x, c: x**c, np.ones(3) * 2),
    "a matrix": (lambda x, c: x @ c, np.ones((3, 2)) * 2),
    "the first matrix": (lambda x, c: c @ x, np.ones((2, 3)) * 2),
    "einsum": (lambda x, c: np.einsum("i,ij->j", x, c), np.ones((3, 2)) * 2),
    "tensordot": (lambda x, c: np.tensordot(x, c, 1), np.ones((3, 2)) * 2),
    "dot": (lambda x, c: np.dot(x, c), np.ones((3, 2)) * 2),
    "where": (lambda x, c: np.where(c, x * x, 0.0), MASK),
    "maximum": (lambda x, c: np.maximum(x, c), np.array([0.1, 9.0, 0.1])),
    "clip": (lambda x, c: np.clip(x, c, None), np.array([0.1, 9.0, 0.1])),
    "integers": (lambda x, c: x[c], ROWS),
    "integers in a tuple": (lambda x, c: x[None][:, c], ROWS),
    "a mask": (lambda x, c: x[c], MASK),
    "take": (lambda x, c: np.take(x, c), ROWS),
    "take_along_axis": (lambda x, c: np.take_along_axis(x, c, 0), ROWS),
    "a list": (lambda x, c: np.concatenate([x * x, c]) ** 2, np.ones(3)),
    "repeat": (lambda x, c: np.repeat(x, c), np.array([1, 0, 2])),
    "targets": (lambda x, c: F.cross_entropy(np.stack([x, x]), c), np.array([1, 2])),
    "embedding": (lambda x, c: F.embedding(x, c), ROWS),
    "masked_fill": (lambda x, c: F.masked_fill(x * x, c, 0.0), MASK),
    "logaddexp": (lambda x, c: np.logaddexp(x, c), np.ones(3)),
    "arctan2": (lambda x, c: np.arctan2(x, c), np.ones(3)),
    "solve": (lambda x, c: np.linalg.solve(c, x), 2 * np.eye(3) + 1),
    "a tensor made of it": (lambda x, c: x * mg.Tensor(c), np.ones(3) * 2),
}


@pytest.mark.parametrize("name", KEEPERS)
def test_changing_ones_own_array_after_the_call_changes_no_gradient(name):
    f, constant = KEEPERS[name]

    def gradient(then):
        x = mg.Tensor([1.5, 2.0, 2.5], requires_grad=True, dtype=np.float64)
        mine = constant.copy()
        loss = np.sum(f(x, mine) * 1.0)
        then(mine)
        loss.backward()
        return x.grad.numpy()

    np.testing.assert_array_equal(gradient(spoil), gradient(lambda array: None))


@pytest.mark.parametrize("kind", [list, collections.deque, functools.partial(python.array, "q")])
def test_changing_a_list_after_the_call_changes_no_gradient(kind):
    def gradient(changed):
        x = mg.Tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
        shift, index, factor = kind([1, 2]), kind([0, 0]), kind([1, 3, 2])
        y = np.roll(x, shift, axis=(0, 1)) * x * factor
        loss = np.sum(y) + np.sum(x[index] ** 2) + np.sum(x[index, 1:] ** 2)
        for values in (shift, index, factor):
            values[0] = 1 - values[0] if changed else values[0]
        loss.backward()
        return x.grad.numpy()

    np.testing.assert_array_equal(gradient(changed=True), gradient(changed=False))


first = lambda g, _y, _x, *_others, **_options: 0 * g
HOLDERS = {  # a call with x and an array, whose result is that array, or a view of it
    "an argument": lambda x, mine: mg.rule(lambda x, a: a, first, None)(x, mine),
    "a view of an argument": lambda x, mine: mg.rule(lambda x, a: a[::-1], first, None)(x, mine),
    "an item of a list": lambda x, mine: mg.rule(lambda x, a: a[1], first, None)(x, [0, mine]),
    "of a list in a list": lambda x, mine: mg.rule(lambda x, a: a[0][0], first, None)(x, [[mine]]),
    "an item of a dict": lambda x, mine: mg.rule(lambda x, a: a["b"], first, None)(x, {"b": mine}),
    "of a list by name": lambda x, mine: mg.rule(lambda x, a=0: a[0][:1], first)(x, a=[mine]),
    "a buffer of its own": lambda x, mine: mg.rule(lambda x: mine, first)(x),
    "a view of its buffer": lambda x, mine: mg.rule(lambda x: mine[:2], first)(x),
    "the gradient of a list": lambda x, mine: mg.rule(
        lambda a: a[1], lambda g, _y, a: [0 * g, 0 * g]
    )([x, mine]),
}


@pytest.mark.parametrize("requires_grad", [True, False])
@pytest.mark.parametrize("name", HOLDERS)
def test_a_result_that_somebody_else_holds_is_copied(name, requires_grad):
    mine = np.ones(2)
    y = HOLDERS[name](mg.Tensor(np.zeros(2), requires_grad=requires_grad), mine)
    mine[:] = 5  # it can still be written to
    assert not np.shares_memory(y._array, mine)
    np.testing.assert_array_equal(y.data, np.ones(y.shape))


def test_options_of_ones_own_rule_may_change_before_the_walk_back():
    """By position and by name: lists, dicts and arrays in them."""
    scaled = mg.rule(
        lambda x, how, *, more=None: x * how["by"][0] * more[0]["by"],
        lambda g, _y, _x, how, *, more=None: g * how["by"][0] * more[0]["by"],
        None,
    )
    x = positive_leaf(2)
    how, more = {"by": [np.full(2, 3.0)]}, [{"by": np.full(2, 5.0)}]
    y = scaled(x, how, more=more)
    how["by"][0][:], more[0]["by"][:] = 0, 0
    how["by"], more[0] = [7.0], {"by": 7.0}
    y.sum().backward()
    np.testing.assert_array_equal(x.grad, [15, 15])


def test_a_gradient_that_was_handed_in_is_copied():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    mine = np.ones(2, np.float32)
    (x + 0).backward(mine)
    mine[:] = 7
    np.testing.assert_array_equal(x.grad.numpy(), [1, 1])


def test_arrays_that_are_handed_out_cannot_reach_in():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    c = mg.Tensor([1.0, 2.0])
    for array in (x.data, c.data, np.asarray(c)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5.0
    for array in (x.detach().numpy(), c.numpy(), np.array(c)):
        array[:] = 5.0
    for tensor in (x, c):
        np.testing.assert_array_equal(tensor.data, [1, 2])


def test_a_graph_that_is_looked_at_cannot_be_changed():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        y = np.exp(x)
        loss = np.sum(y * y)
    loss.backward(retain_graph=True)
    shown = mg.graph(loss)
    for array in (a for n in shown.nodes for a in (n.value, n.gradient)):
        if array.flags.writeable:
            array[...] = 7.0
    assert all(e.contribution is None or not e.contribution.flags.writeable for e in shown.edges)
    once = x.grad.numpy()
    loss.backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * once)
    np.testing.assert_array_equal(x.data, [1, 2])


@pytest.mark.parametrize(
    "reuse",
    [
        lambda y, g: without_grad(lambda: y.T),
        lambda y, g: without_grad(lambda: y[:1]),
        lambda y, g: g,
    ],
    ids=["a view made without a gradient", "a part of one", "a gradient"],
)
def test_what_becomes_a_leaf_has_an_array_of_its_own(reuse):
    """Whatever is trained, neither a graph nor another tensor's gradient changes with it."""
    x, z = positive_leaf(2, 3), positive_leaf(2, 3)
    np.sum(x + z).backward()
    y = np.exp(x)
    start = reuse(y, x.grad)
    before = start.numpy() if not start.requires_grad else None
    right = np.exp(x.data) + 1
    start.requires_grad = True
    change_by_step(start)
    assert not np.array_equal(start.data, before)
    np.testing.assert_array_equal(z.grad.numpy(), 1)
    x.grad = np.ones((2, 3))
    np.sum(y).backward()
    np.testing.assert_allclose(x.grad.numpy(), right)


def test_optimising_a_detached_result_leaves_the_graph_alone():
    x = positive_leaf(3)
    y = np.exp(x)
    start = y.detach().requires_grad_()
    right = y.detach().numpy()
    change_by_step(start)
    np.sum(y).backward()
    np.testing.assert_allclose(x.grad.numpy(), right)


# --- misuse ---------------------------------------------------------------------------------------


def test_backward_needs_one_number_or_a_gradient_of_the_right_shape():
    x = positive_leaf(2, 3)
    with pytest.raises(errors.ShapeError, match=r"\(2, 3\).*\.sum\(\)"):
        (x * 2).backward()
    with pytest.raises(
        errors.ShapeError, match=re.escape("has the shape (3,), and the tensor (2, 3)")
    ):
        (x * 2).backward(np.ones(3))
    assert x.grad is None
    (x * 2).backward(np.ones((2, 3)))
    np.testing.assert_array_equal(x.grad.numpy(), np.full((2, 3), 2))


def test_backward_of_what_requires_no_gradient_says_so():
    with pytest.raises(errors.GraphError, match="requires_grad=True"):
        mg.Tensor(1.0).backward()
    with pytest.raises(errors.GraphError, match="no gradient reaches this one, \\(\\) int64"):
        mg.Tensor(3).backward()
    x = positive_leaf(3)
    with mg.no_grad():
        loss = np.sum(x)
        with pytest.raises(errors.GraphError, match="no_grad"):
            loss.backward()
    with pytest.raises(errors.GraphError, match="no gradient reaches"):
        loss.backward()


@pytest.mark.parametrize("dtype", [np.int64, np.int8, bool, np.uint8])
def test_integers_cannot_require_a_gradient(dtype):
    with pytest.raises(errors.DTypeError, match=rf"not {np.dtype(dtype)}: use dtype"):
        mg.Tensor(np.ones(2, dtype), requires_grad=True)
    with pytest.raises(errors.DTypeError, match="cannot require a gradient"):
        positive_leaf(2).copy_(np.ones(2), dtype=dtype)


@pytest.mark.parametrize(
    ("take", "instead"),
    [
        (np.asarray, "x.detach().numpy()"), (np.array, "x.detach().numpy()"), (float, "x.item()"),
        (int, "int(x.item())"), (operator.index, "int(x.item())"), ("%.3f".__mod__, "x.item()"),
        (lambda x: [1, 2, 3][x], "int(x.item())"), (lambda x: np.ones(3)[x], "x."),
        (lambda x: x.numpy(), "x.detach().numpy()"), (np.float64, "x."),
    ],
)  # fmt: skip
def test_values_do_not_leave_the_graph_unnoticed(take, instead):
    """And the first thing that is said is what to write."""
    x = mg.Tensor(1.0, requires_grad=True)
    for tensor in (x, x * 2):
        with pytest.raises(errors.DetachError, match=f"^write {re.escape(instead)}"):
            take(tensor)
    with pytest.raises(errors.DetachError, match=r"requires$"):  # and nothing more
        x.numpy()


def test_storing_a_tensor_into_an_array_is_an_error_too():
    array = np.zeros(3)
    with pytest.raises(errors.DetachError, match=r"detach\(\)"):
        array[:] = positive_leaf(3)
    with pytest.raises(ValueError, match="setting an array element") as caught:
        array[0] = positive_leaf()  # NumPy's own error, and ours is its cause
    assert isinstance(caught.value.__cause__, errors.DetachError)
    np.testing.assert_array_equal(array, 0)


def test_an_error_is_never_its_own_cause():
    """Or code that follows the causes would never end."""
    for wrong in (
        lambda: np.stack([positive_leaf(1), object()]),
        lambda: np.stack([positive_leaf(1), positive_leaf(2)]),
    ):
        with pytest.raises(errors.MinigradError) as caught:
            wrong()
        causes, cause = [], caught.value
        while cause is not None and len(causes) < 9:
            causes.append(cause)
            cause = cause.__cause__
        assert len({*map(id, causes)}) == len(causes)
    assert type(causes[-1]) is ValueError, "NumPy's own"


def test_items_of_detached_tensors_may_leave():
    x = mg.Tensor(1.0, requires_grad=True)
    assert x.item() == 1.0
    assert float(x.detach()) == 1.0
    assert np.asarray(x.detach()) == 1.0
    assert (x * 2).tolist() == 2.0


def test_in_place_operations_are_refused():
    x = positive_leaf(3)
    array = np.zeros(3)
    with pytest.raises(errors.UnsupportedError, match="does not change in place"):
        x[0] = 1.0
    for inplace in (
        lambda: operator.iadd(array, x),
        lambda: operator.imul(array, x),
        lambda: np.add(x, 1, out=array),
        lambda: np.sum(x, out=np.zeros(())),
    ):
        with pytest.raises(errors.UnsupportedError, match=r"makes a new (one|array)"):
            inplace()
    np.testing.assert_array_equal(array, 0)
    with pytest.raises(errors.GraphError, match="only a leaf"):
        (x * 2).copy_(np.ones(3))


STEPS = {
    "with minigrad.no_grad(): w -= ...": "with mg.no_grad(): w -= 0.1 * w.grad",
    "w.data -= ...": "w.data -= 0.1 * w.grad",
}


@pytest.mark.parametrize("said", STEPS)
def test_what_the_error_of_a_step_says_to_write_goes_on_for_many_rounds(said):
    w = mg.Tensor([1.0, 2.0], requires_grad=True)
    np.sum(w * w).backward()
    with pytest.raises(errors.GraphError, match=re.escape(f"`{said}`") + ".*`w.grad = None`"):
        w -= 0.1 * w.grad
    for _ in range(2):
        exec(STEPS[said], {"mg": mg, "w": w})
        w.grad = None
        np.sum(w * w).backward()
    np.testing.assert_allclose(w.data, np.multiply([1, 2], 0.8**2), rtol=1e-6)


def test_a_function_of_math_is_answered_with_that_of_numpy():
    x = mg.Tensor(0.5, requires_grad=True)
    with pytest.raises(errors.DetachError, match=r"^write np\.sin for math\.sin, .* requires$"):
        math.sin(x * x)
    with pytest.raises(errors.DetachError, match=r"^write np\.arcsin for math\.asin"):
        math.asin(x)
    with pytest.raises(errors.DetachError, match=r"^write x\.item\(\)"):
        math.sqrt(2) * float(x)  # the first is of a plain number


WRONG_SHAPES = {
    "add": (lambda: positive_leaf(2, 3) + positive_leaf(4), ["float64[2, 3]", "float64[4]"]),
    "matmul": (lambda: positive_leaf(2, 3) @ positive_leaf(2, 3), ["float64[2, 3], float64[2, 3]"]),
    "dot": (lambda: np.dot(positive_leaf(2, 3), np.ones(2)), ["float64[2, 3]", "float64[2]"]),
    "tensordot": (lambda: np.tensordot(positive_leaf(2, 3), positive_leaf(2, 3), 1), ["[2, 3]"]),
    "einsum": (
        lambda: np.einsum("ij,jk->ik", positive_leaf(2, 3), positive_leaf(4, 5)),
        ["[2, 3]", "[4, 5]"],
    ),
    "concatenate": (
        lambda: np.concatenate([positive_leaf(2, 3), positive_leaf(2, 4)]),
        ["[2, 3]", "[2, 4]"],
    ),
    "stack": (lambda: np.stack([positive_leaf(2, 3), positive_leaf(2, 4)]), ["2, 3", "2, 4"]),
    "reshape": (lambda: positive_leaf(2, 3).reshape(4, 2), ["[2, 3]", "(4, 2)"]),
    "broadcast_to": (lambda: np.broadcast_to(positive_leaf(2, 3), (3, 3)), ["[2, 3]", "(3, 3)"]),
    "where": (lambda: np.where(np.ones(2, bool), positive_leaf(3), 0.0), ["bool[2]", "[3]"]),
    "index": (lambda: positive_leaf(2, 3)[5], ["[2, 3]", "5"]),
    "mask": (lambda: positive_leaf(2, 3)[np.ones(3, bool)], ["[2, 3]", "bool[3]"]),
    "axis": (lambda: positive_leaf(2, 3).sum(axis=2), ["[2, 3]", "2"]),
    "transpose": (lambda: positive_leaf(2, 3).transpose(0, 1, 2), ["[2, 3]", "(0, 1, 2)"]),
    "solve": (lambda: np.linalg.solve(positive_leaf(3, 3), positive_leaf(2)), ["[3, 3]", "[2]"]),
    "inv": (lambda: np.linalg.inv(positive_leaf(2, 3)), ["[2, 3]"]),
}


@pytest.mark.parametrize("name", WRONG_SHAPES)
def test_shape_errors_name_the_shapes_and_the_line(name):
    call, shapes = WRONG_SHAPES[name]
    with pytest.raises(errors.ShapeError) as caught:
        call()
    for shape in shapes:
        assert shape in str(caught.value)
    assert re.search(r"\n  at test_safety.py:\d+: ", str(caught.value))


# --- the first NaN --------------------------------------------------------------------------------


def test_the_first_infinity_is_found_where_it_is_made():
    x = mg.Tensor([0.0, 1.0], requires_grad=True)
    with mg.detect_anomaly():
        np.sum(np.exp(x) * 2)
        with pytest.raises(errors.AnomalyError) as caught:
            np.log(x)  # here
    message = str(caught.value)
    assert "np.log gives (2,) float32 all 0, 1 of 2 infinite" in message
    assert "from (2,) float32 from 0 to 1" in message
    assert "test_safety.py:" in message
    assert "np.log(x)  # here" in message


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x / 0.0,
        lambda x: np.exp(x * 1e3),
        lambda x: np.sqrt(-x),
        lambda x: x @ np.array([np.nan, 1.0]),
        lambda x: np.where([True, False], x, -np.inf) - np.where([True, False], x, -np.inf),
        lambda x: mg.Tensor([np.nan, 1.0]) + 1,
    ],
)
def test_nan_and_infinity_of_every_origin(f):
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(errors.AnomalyError), mg.detect_anomaly():
        f(x)
    with pytest.raises(errors.AnomalyError), mg.detect_anomaly(), mg.no_grad():
        f(x)


def test_the_infinity_of_a_mask_is_no_anomaly():
    x = mg.Tensor([1.0, 2.0, 3.0], requires_grad=True)
    with mg.detect_anomaly():
        scores = np.where(np.array([True, False, True]), x, -np.inf)
        weights = np.exp(scores - 3.0)
        np.sum(weights / np.sum(weights) * x).backward()
    assert np.all(np.isfinite(x.grad.numpy()))


def test_the_first_infinity_of_a_backward_pass_names_the_rule_and_the_forward_line():
    x = mg.Tensor([0.0, 1.0], requires_grad=True)
    with mg.detect_anomaly():
        y = np.sqrt(x)
        with pytest.raises(errors.AnomalyError) as caught:
            np.sum(y).backward()
    message = str(caught.value)
    assert "the gradient of np.sqrt by its argument 0 is all 0.5, 1 of 2 infinite" in message
    assert "arguments (2,) float32 from 0 to 1" in message
    assert "the rule g / (2 * y)" in message
    assert "y = np.sqrt(x)" in message
    assert x.grad is None


def test_without_detect_anomaly_nothing_is_checked():
    x = mg.Tensor([1.0], requires_grad=True)
    assert np.isinf((x * np.inf).item())


# --- settings of one thread and one block ---------------------------------------------------------


def test_modes_end_with_their_block_even_by_an_error():
    def fail():
        with mg.no_grad(), mg.record(), mg.detect_anomaly():
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    y = positive_leaf(3) * 2
    assert y.requires_grad
    assert y._node.note is None


def test_backward_inside_no_grad_works_and_leaves_the_mode():
    x = positive_leaf(3)
    loss = np.sum(x * x)
    with mg.no_grad():
        loss.backward(create_graph=True)
        assert not (x * 2).requires_grad
    assert x.grad.requires_grad
