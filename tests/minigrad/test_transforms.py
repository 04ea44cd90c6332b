"""Functions that turn functions into derivatives: closed forms, PyTorch, and any order."""

import math

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors
from minigrad import functional as F


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def value(x):
    return x.detach().numpy()


def close(a, b, rtol=1e-10, atol=1e-12):
    np.testing.assert_allclose(value(a) if isinstance(a, mg.Tensor) else a, b, rtol, atol)


def softmax(x):
    e = np.exp(x)
    return e / np.sum(e, axis=-1, keepdims=True)


# --- the form of arguments and results ------------------------------------------------------------


def test_grad_of_a_float_is_a_tensor_of_the_default_dtype():
    slope = mg.grad(np.sin)(0.5)
    assert isinstance(slope, mg.Tensor)
    assert slope.dtype == np.float32
    assert not slope.requires_grad
    close(slope, math.cos(0.5), 1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes_are_kept(dtype):
    x = np.ones(3, dtype)
    v = np.ones(3)
    f = lambda x: np.sum(np.exp(x) * 2.5)
    assert mg.grad(f)(x).dtype == dtype
    assert mg.grad(lambda x: mg.grad(f)(x)[0])(x).dtype == dtype
    assert mg.hessian(f)(x).dtype == dtype
    assert mg.hvp(f, x, v).dtype == dtype
    assert mg.jacobian(np.tanh)(x).dtype == dtype
    y, t = mg.jvp(np.tanh, x, v)
    assert (y.dtype, t.dtype) == (dtype, dtype)
    y, pull = mg.vjp(np.tanh, x)
    assert (y.dtype, pull(v)[0].dtype) == (dtype, dtype)


def test_argnums_pick_the_arguments():
    f = lambda a, b, c: a * b**2 * c**3
    args = tuple(np.array(v) for v in (2.0, 3.0, 5.0))
    close(mg.grad(f)(*args), 9 * 125)
    close(mg.grad(f, 1)(*args), 2 * 6 * 125)
    close(mg.grad(f, -1)(*args), 2 * 9 * 75)
    close(mg.grad(f, np.int64(1))(*args), 2 * 6 * 125)
    both = mg.grad(f, (2, 0))(*args)
    assert isinstance(both, tuple)
    close(both[0], 2 * 9 * 75)
    close(both[1], 9 * 125)


def test_other_arguments_arrive_as_they_are():
    def f(x, n, *, mask):
        assert isinstance(n, int)
        assert isinstance(mask, np.ndarray)
        return np.sum(np.where(mask, x**n, 0.0))

    close(mg.grad(f)(np.array([2.0, 3.0]), 3, mask=np.array([True, False])), [12, 0])


def test_trees_go_in_and_come_out():
    def f(parameters, x):
        (w, b), scale = parameters["layer"], parameters["scale"]
        return np.sum(x @ w + b) * scale

    parameters = {"layer": [np.ones((2, 3)), np.zeros(3)], "scale": 2.0}
    x = np.array([[1.0, 5.0]])
    gradient = mg.grad(f)(parameters, x)
    assert list(gradient) == ["layer", "scale"]
    assert isinstance(gradient["layer"], list)
    close(gradient["layer"][0], [[2, 2, 2], [10, 10, 10]])
    close(gradient["layer"][1], [2, 2, 2])
    close(gradient["scale"], 18)


def test_value_and_grad_gives_both_and_calls_once():
    calls = []

    def f(x):
        calls.append(x)
        return np.sum(x * x)

    y, g = mg.value_and_grad(f)(np.array([1.0, 2.0]))
    close(y, 5)
    close(g, [2, 4])
    assert not y.requires_grad
    assert len(calls) == 1


def test_vjp_and_jvp_are_the_two_products_with_the_jacobian():
    f = lambda x, w: np.tanh(x @ w)
    x, w = normal(3), normal(3, 2)
    J = value(mg.jacobian(f)(x, w))
    assert J.shape == (2, 3)
    close(J, (1 - np.tanh(x @ w) ** 2)[:, None] * w.T)
    u, v = normal(2, seed=1), normal(3, seed=2)
    y, pull = mg.vjp(f, x, w)
    close(y, np.tanh(x @ w))
    close(pull(u)[0], u @ J)
    close(pull(2 * u)[0], 2 * u @ J)  # more than once
    y, tangent = mg.jvp(f, (x, w), (v, np.zeros((3, 2))))
    close(y, np.tanh(x @ w))
    close(tangent, J @ v)


def test_jacobians_of_trees_are_trees_of_trees():
    f = lambda x: {"a": x[0] * 2, "b": (np.outer(x[0], x[1]),)}
    jacobian = mg.jacobian(f)([normal(2), normal(3)])
    assert jacobian["a"][0].shape == (2, 2)
    assert jacobian["a"][1].shape == (2, 3)
    assert jacobian["b"][0][1].shape == (2, 3, 3)
    close(jacobian["a"][0], 2 * np.eye(2))
    close(jacobian["a"][1], np.zeros((2, 3)))


def test_hessian_of_several_arguments():
    f = lambda a, b: a**2 * b**3
    (aa, ab), (ba, bb) = mg.hessian(f, (0, 1))(np.array(2.0), np.array(3.0))
    for found, right in ((aa, 54), (ab, 108), (ba, 108), (bb, 72)):
        close(found, right)


def test_what_nothing_depends_on_has_the_derivative_zero():
    close(mg.grad(lambda x, y: np.sum(x), 1)(mg.Tensor([1.0]), np.ones(3)), np.zeros(3))
    close(mg.grad(mg.grad(mg.grad(lambda x: x * x)))(np.array(5.0)), 0)
    close(mg.hessian(np.sum)(np.ones(3)), np.zeros((3, 3)))
    close(mg.jvp(lambda x, y: x, (np.ones(2), np.ones(2)), (np.zeros(2), np.ones(2)))[1], [0, 0])
    close(mg.jacobian(lambda x: mg.Tensor(np.ones(2)))(np.ones(3)), np.zeros((2, 3)))


def test_empty_results_and_arguments():
    assert mg.jacobian(lambda x: x[:0])(np.ones(3)).shape == (0, 3)
    assert mg.jacobian(lambda x: np.sum(x))(np.ones(0)).shape == (0,)


# --- errors ---------------------------------------------------------------------------------------


def test_errors_say_what_to_do():
    with pytest.raises(
        errors.ShapeError, match=r"one number, and np.tanh returns \(3,\).*jacobian"
    ):
        mg.grad(np.tanh)(np.ones(3))
    with pytest.raises(errors.DTypeError, match=r"argument 0 is of int64, .*write 2[.]0 for 2"):
        mg.grad(np.sin)(2)
    for tree, what in (
        ({"w": 1.0, "act": None}, r"0\['act'\] is None"),
        (mg.nn.Linear(1, 1), "0 is Linear"),
    ):
        with pytest.raises(errors.DTypeError, match=rf"argument {what}.*lists, tuples and dicts"):
            mg.grad(lambda tree: 0.0)(tree)
    with pytest.raises(errors.GraphError, match="returns a float, not a Tensor"):
        mg.grad(lambda x: x.item() ** 2)(2.0)
    with pytest.raises(errors.DTypeError, match="returns int64"):
        mg.grad(lambda x: np.floor(x).astype(int))(2.0)
    with pytest.raises(errors.ShapeError, match=r"argument 3, and np.sin was called with 1"):
        mg.grad(np.sin, 3)(2.0)
    with pytest.raises(errors.ShapeError, match=r"called with 0 by position: one given by name"):
        mg.grad(lambda x: x * x)(x=2.0)
    with pytest.raises(errors.ShapeError, match="argnums is empty"):
        mg.grad(np.sin, ())(2.0)
    with pytest.raises(
        errors.DTypeError, match="argnums is an integer, or a tuple of integers, not 'x'"
    ):
        mg.grad(np.sin, "x")(2.0)
    w = mg.Tensor([1.0, 2.0], requires_grad=True)
    for wrong in (lambda: mg.grad(w.sum(), w), lambda: mg.vjp(w.sum(), w)):  # PyTorch's order
        with pytest.raises(errors.ConfigError, match=r"not float32\[\].*\(create_graph=True\)"):
            wrong()
    for argnums in ((0, 0), (0, -2)):
        with pytest.raises(errors.ShapeError, match=rf"an argument twice: \(0, {argnums[1]}\)"):
            mg.grad(np.multiply, argnums)(2.0, 3.0)
    with pytest.raises(errors.ShapeError, match=r"expected the shape \(3,\), and got \(2,\)"):
        mg.vjp(np.tanh, np.ones(3))[1](np.ones(2))
    with pytest.raises(errors.ShapeError, match="tree"):
        mg.jvp(lambda x: x["a"], ({"a": np.ones(3)},), ({"b": np.ones(3)},))


# --- nobody else is touched -----------------------------------------------------------------------


def times_vectors_of_a_matrix_with_equal_singular_values():
    w = mg.Tensor(np.eye(2), requires_grad=True)
    return mg.grad(lambda x: np.sum(x * np.linalg.svd(w).U))(np.ones((2, 2))), np.eye(2)


def times_a_root_that_is_steep_at_zero():
    w = mg.Tensor([0.0, 1.0], requires_grad=True)
    return mg.grad(lambda x: np.sum(x * np.sqrt(w)))(np.ones(2)), [0, 1]


def along_a_direction_at_a_singular_matrix():
    return mg.jvp(np.linalg.det, np.ones((2, 2)), np.diag([5.0, 0.0]))[1], 5


@pytest.mark.parametrize(
    "derivative",
    [
        times_vectors_of_a_matrix_with_equal_singular_values,
        times_a_root_that_is_steep_at_zero,
        along_a_direction_at_a_singular_matrix,
    ],
)
def test_a_derivative_that_nobody_asked_for_may_be_missing(derivative):
    with mg.detect_anomaly(), np.errstate(all="raise"):
        found, right = derivative()
    close(found, right)


def test_no_grad_of_anyone_is_touched():
    w = mg.Tensor(normal(3), requires_grad=True)
    x = mg.Tensor(normal(3), requires_grad=True)
    w.grad = np.ones(3)
    f = lambda x: np.sum(np.sin(x) * w)
    for transform in (mg.grad, mg.hessian, lambda f: lambda x: mg.hvp(f, x, x),
                      lambda f: lambda x: mg.jvp(f, x, x), mg.jacobian):  # fmt: skip
        transform(f)(x)
    mg.vjp(f, x)[1](1.0)
    assert x.grad is None
    close(w.grad, np.ones(3))


def test_gradients_can_be_part_of_a_loss():
    """A gradient penalty: the loss's own gradient reaches the weights through an inner one."""
    w = mg.Tensor(normal(3), requires_grad=True)
    x = mg.Tensor(normal(3, seed=1), requires_grad=True)
    penalty = np.sum(mg.grad(lambda x: np.sum(np.sin(x * w)))(x) ** 2)
    penalty.backward()
    a, b = value(w), value(x)
    # sum (w cos(x w))^2, by w and by x
    close(w.grad, 2 * a * np.cos(a * b) * (np.cos(a * b) - a * b * np.sin(a * b)))
    close(x.grad, -2 * a**3 * np.cos(a * b) * np.sin(a * b))


def test_inside_no_grad_derivatives_are_numbers():
    w = mg.Tensor(2.0, requires_grad=True)
    with mg.no_grad():
        y, g = mg.value_and_grad(lambda x: x**2 * w)(mg.Tensor(3.0, requires_grad=True))
        second = mg.grad(mg.grad(lambda x: x**3))(3.0)
    assert not g.requires_grad
    assert not y.requires_grad
    close(g, 12)
    close(second, 18)


@pytest.mark.parametrize("back", ["it", "its square", "an unrelated leaf"])
def test_a_leaf_that_the_function_makes_may_be_differentiated_by(back):
    """On the first call as on the second, and where the function returns that leaf."""
    of = {
        "it": lambda w, x: w,
        "its square": lambda w, x: w * w * x * x,
        "an unrelated leaf": lambda w, x: x * x + w * 0,
    }[back]
    kept = {}

    def f(x):
        w = kept.setdefault("w", kept.get("w") or mg.Tensor(3.0, requires_grad=True))
        return of(w, x)

    found = []
    for _ in range(2):
        value, g = mg.value_and_grad(f)(2.0)
        (value + g * g).backward()
        found.append(kept["w"].grad.item())
        kept["w"].grad = None
    # d/dw of w; of 4 w^2 + (4 w^2)^2; of 4 + 0 w + 16
    assert found == [{"it": 1, "its square": 24 + 16 * 4 * 27, "an unrelated leaf": 0}[back]] * 2


def test_results_nobody_differentiates_hold_no_graph():
    y, g = mg.value_and_grad(lambda x: np.sum(np.exp(x)))(normal(3))
    assert g._node is None
    assert y._node is None


def test_an_argument_and_the_same_tensor_used_from_outside_are_told_apart():
    x = mg.Tensor(3.0, requires_grad=True)
    close(mg.grad(lambda y: y * x)(x), 3)  # not 6: y varies, x does not
    outer = mg.grad(lambda x: mg.grad(lambda y: y * x)(x))
    close(outer(x), 1)
    close(mg.grad(lambda x: x * mg.grad(lambda y: x + y)(1.0))(1.0), 1)  # and not 2


def test_a_vjp_can_be_pulled_after_its_input_changed():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.no_grad():
        _, pull = mg.vjp(lambda x: x**2, x)
    x.copy_([7.0, 7.0])
    close(pull(np.ones(2))[0], [2, 4])


# --- orders ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", range(5))
@pytest.mark.parametrize(
    ("f", "derivatives"),
    [
        (np.sin, [np.sin, np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin]),
        (np.exp, [np.exp] * 5),
        (
            lambda x: x**5,
            [lambda x: x**5, lambda x: 5 * x**4, lambda x: 20 * x**3, lambda x: 60 * x**2,
             lambda x: 120 * x],
        ),
        (
            np.log,
            [np.log, lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3, lambda x: -6 / x**4],
        ),
    ],
    ids=["sin", "exp", "x**5", "log"],
)  # fmt: skip
def test_nested_derivatives_have_their_closed_forms(f, derivatives, order):
    g = f
    for _ in range(order):
        g = mg.grad(g)
    for x in (0.3, 1.7):
        close(g(mg.Tensor(x, dtype=np.float64)), derivatives[order](x), 1e-12)


def test_powers_at_zero_are_right_at_every_order():
    for n, right in ((2, [0, 0, 2, 0, 0]), (3, [0, 0, 0, 6, 0])):
        g = lambda x: x**n
        for order in range(5):
            close(g(np.array(0.0)) if order else 0.0, right[order])
            g = mg.grad(g)


def test_mixed_derivatives_commute():
    f = lambda x, y: np.sin(x * y) * np.exp(x)
    args = np.array(0.7), np.array(1.3)
    paths = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    found = []
    for path in paths:
        g = f
        for argnum in path:
            g = mg.grad(g, argnum)
        found.append(g(*args).item())
    np.testing.assert_allclose(found, found[0], rtol=1e-13)


def layer_norm(np_, x):
    deviation = x - x.mean(-1, keepdims=True)
    return deviation / np_.sqrt((deviation * deviation).mean(-1, keepdims=True) + 1e-5) * 1.7 + 0.3


def attention(np_, x):
    q, k, v = x[..., :2], x[..., 2:4], x[..., 4:]
    s = q @ k.swapaxes(-1, -2) / math.sqrt(2)
    e = np_.exp(s - s.max())
    return np_.tanh(e / e.sum(-1, keepdims=True) @ v)


BLOCKS = {
    "softmax": (lambda np_, x: np_.exp(x) / np_.exp(x).sum(-1, keepdims=True), (2, 4)),
    "layer norm": (layer_norm, (2, 4)),
    "attention": (attention, (3, 6)),
}


def along(grad, f, v):
    """The derivative of f along v, as a function of x."""
    return lambda x: (grad(f)(x) * v).sum()


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_agree_with_pytorch_at_every_order(name, order):
    torch = pytest.importorskip("torch")
    block, shape = BLOCKS[name]
    x, w, v = normal(*shape), normal(*shape, seed=1), normal(*shape, seed=2)
    w = w[..., : block(np, x).shape[-1]]
    ours = lambda x: (block(np, x) * w).sum()
    theirs = lambda x: (block(torch, x) * torch.tensor(w)).sum()
    torch_grad = lambda f: lambda x: torch.autograd.grad(f(x), x, create_graph=True)[0]
    for _ in range(order - 1):
        ours = along(mg.grad, ours, v)
        theirs = along(torch_grad, theirs, torch.tensor(v))
    right = torch_grad(theirs)(torch.tensor(x, requires_grad=True))
    close(mg.grad(ours)(x), right.detach(), 1e-9, 1e-8)


@pytest.mark.parametrize("f", [F.softmax, F.log_softmax, F.standardize])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_compositions_agree_with_what_they_stand_for(f, order):
    x, w, v = normal(2, 5), normal(2, 5, seed=1), normal(2, 5, seed=2)
    plain = {
        "softmax": softmax,
        "log_softmax": lambda x: np.log(softmax(x)),
        "standardize": lambda x: (layer_norm(np, x) - 0.3) / 1.7,
    }[f.__name__]
    ours, theirs = (lambda g: lambda x: (g(x) * w).sum())(f), lambda x: (plain(x) * w).sum()
    for _ in range(order - 1):
        ours, theirs = along(mg.grad, ours, v), along(mg.grad, theirs, v)
    close(mg.grad(ours)(x), value(mg.grad(theirs)(x)), 1e-9, 1e-9)


FLAT = {
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "round": np.round,
    "around": np.around, "sign": np.sign, "floor_divide": lambda x: x // 0.7,
    "floor_divide by it": lambda x: 3.1 // x, "copysign to it": lambda x: np.copysign(2.0, x),
    "one axis": lambda x: np.transpose(np.floor(x), 0), "a clip": lambda x: np.clip(x, 50, 60),
}  # fmt: skip


@pytest.mark.parametrize("name", FLAT)
def test_functions_that_are_flat_between_their_steps(name):
    """As a factor they are a constant: f(x) x x has the slope 2 f(x) x, and then 2 f(x)."""
    f, x = FLAT[name], np.array([0.3, 1.2, -2.6])
    _, tangent = mg.jvp(f, (x,), (x,))
    assert isinstance(tangent, mg.Tensor)
    close(tangent, 0 * x)
    product = lambda x: np.sum(f(x) * x * x)
    close(mg.hvp(product, (x,), (np.ones(3),))[0], 2 * f(x))
    close(mg.grad(lambda x: np.sum(mg.grad(product)(x)))(x), 2 * f(x))
    assert mg.gradcheck(product, x, order=2)


def test_a_flat_function_after_a_definition():
    flat = lambda x: np.sum(np.round(F.layer_norm(x, np.ones(4), np.zeros(4))) * x)
    for second in mg.hvp(flat, (normal(3, 4),), (normal(3, 4),)):
        close(second, np.zeros((3, 4)))


def test_agreement_with_pytorchs_functions():
    torch = pytest.importorskip("torch")
    their = torch.autograd.functional
    x, w, v = normal(3), normal(3, 4), normal(3, seed=5)
    ours = lambda x, w: np.log(np.sum(np.exp(np.tanh(x @ w) * 2)))
    theirs = lambda x, w: torch.log(torch.sum(torch.exp(torch.tanh(x @ w) * 2)))
    args = torch.tensor(x), torch.tensor(w)
    for a, b in zip(mg.grad(ours, (0, 1))(x, w), their.jacobian(theirs, args)):
        close(a, b)
    for row, right in zip(mg.hessian(ours, (0, 1))(x, w), their.hessian(theirs, args)):
        for block, b in zip(row, right):
            close(block, b)
    tangents = v, normal(3, 4, seed=6)
    right = tuple(map(torch.tensor, tangents))
    for a, b in zip(mg.jvp(ours, (x, w), tangents), their.jvp(theirs, args, right)):
        close(a, b)
    for a, b in zip(mg.hvp(ours, (x, w), tangents), their.hvp(theirs, args, right)[1]):
        close(a, b)


def test_jvp_of_jvp_and_of_grad():
    """Derivatives from the right nest too: both walks of the inner one are differentiated again."""
    x, v = np.array([0.3, 0.8]), np.array([1.0, -2.0])
    f = lambda x: np.sum(np.sin(x) * x**2)
    forward = lambda f: lambda x: mg.jvp(f, (x,), (v,))[1]
    third = forward(forward(forward(f)))(x)
    sin, cos = np.sin(x), np.cos(x)
    right = -cos * x**2 - 3 * sin * 2 * x + 3 * cos * 2
    close(third, np.sum(right * v**3))
    close(mg.grad(forward(f))(x), value(mg.hvp(f, x, v)))
    close(forward(mg.grad(f))(x), value(mg.hvp(f, x, v)))


def test_jvp_is_differentiable_by_its_tangents():
    x = np.array([0.5, 2.0])
    g = mg.grad(lambda v: np.sum(mg.jvp(lambda x: x**3, (x,), (v,))[1]))(np.ones(2))
    close(g, 3 * x**2)


def test_a_result_that_is_returned_twice_counts_twice():
    close(mg.jvp(lambda x: (x * 2, x * 2), 3.0, 1.0)[1][1], 2)

    def f(x):
        y = x**2
        return (y, y)

    _, pull = mg.vjp(f, np.array(3.0))
    close(pull((1.0, 10.0))[0], 66)
    _, tangents = mg.jvp(f, np.array(3.0), 1.0)
    close(tangents[0], 6)
    close(tangents[1], 6)


@pytest.mark.parametrize("argnums", [
    2.0, [1.0, 2.0], np.ones(2), np.array(1), mg.Tensor([1.0, 2.0]), mg.Tensor(1),
    (mg.Tensor(1.0, requires_grad=True),), None, "x",
], ids=str)  # fmt: skip
@pytest.mark.parametrize("transform", [mg.grad, mg.value_and_grad, mg.jacobian, mg.hessian])
def test_an_argument_in_place_of_argnums_is_refused_at_once(transform, argnums):
    """As PyTorch's functions of these names take it."""
    with pytest.raises(errors.DTypeError, match=r"argnums is an integer.*grad\(.*\)\(x\)"):
        transform(lambda x: np.sum(x * x), argnums)


@pytest.mark.parametrize("transform", [mg.grad, mg.value_and_grad, mg.jacobian, mg.hessian])
def test_what_is_no_function_is_refused_at_once(transform):
    with pytest.raises(errors.ConfigError, match="is a function, not"):
        transform(mg.Tensor(1.0), 0)
