"""How people write it: each idiom does what its reader expects, or raises with the line to write."""

import operator

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors, nn

# --- training by hand -------------------------------------------------------------------------------


def data_minus(w, no_grad):
    w.data -= 0.1 * w.grad


def data_minus_data(w, no_grad):
    w.data -= 0.1 * w.grad.data


def data_assigned(w, no_grad):
    w.data = w.data - 0.1 * w.grad.data


def data_of_its_name(w, no_grad):
    data = w.data
    data -= 0.1 * w.grad.data
    assert data.tolist() == w.data.tolist()


def data_times(w, no_grad):
    w.data *= 0.9


def leaf_minus(w, no_grad):
    with no_grad():
        w -= 0.1 * w.grad


def leaf_in_a_loop(w, no_grad):
    with no_grad():
        for p in [w]:
            p -= 0.1 * p.grad


FORMS = [
    data_minus, data_minus_data, data_assigned, data_of_its_name, data_times, leaf_minus,
    leaf_in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("zero", ["none", "zero_", "never"])
@pytest.mark.parametrize("update", FORMS, ids=operator.attrgetter("__name__"))
def test_a_training_loop_trains_as_in_pytorch(update, zero):
    torch = pytest.importorskip("torch", reason="compares with PyTorch")
    ours = mg.Tensor([1.0, -2.0, 0.5], requires_grad=True)
    theirs = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
    name = ours
    for w, no_grad in ((ours, mg.no_grad), (theirs, torch.no_grad)):
        for _ in range(4):
            if zero == "none":
                w.grad = None
            elif zero == "zero_" and w.grad is not None:
                w.grad.zero_()
            (w * w * w).sum().backward()
            update(w, no_grad)
    assert ours is name
    assert ours.is_leaf
    assert ours.requires_grad
    np.testing.assert_allclose(ours.data, theirs.detach().numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    "operator_", ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul"]
)
def test_every_operator_in_place(operator_):
    in_place, plain = getattr(operator, operator_), getattr(operator, operator_[1:])
    start, other = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[2.0, 1.0], [0.5, 3.0]])
    expected = plain(start, other)
    for by_data in (False, True):
        w = mg.Tensor(start, requires_grad=True)
        with mg.no_grad():
            if by_data:
                w.data = in_place(w.data, other)
            else:
                assert in_place(w, other) is w
        np.testing.assert_array_equal(w.data, expected)
        constant = mg.Tensor(start)
        assert in_place(constant, other) is not constant
        np.testing.assert_array_equal(constant.data, start)
        y = mg.Tensor(start, requires_grad=True) * 1
        assert in_place(y, other).requires_grad  # a new tensor, inside the graph


def test_a_graph_keeps_the_values_that_it_used():
    w = mg.Tensor([2.0, 3.0], requires_grad=True)
    loss, held = (w * w).sum(), w.data
    w.data *= 0.0
    loss.backward()
    np.testing.assert_array_equal(w.grad.data, [4, 6])
    np.testing.assert_array_equal(held, [2, 3])


def test_the_parameters_of_a_module_in_a_loop():
    layer = nn.Linear(2, 1)
    names = [name for name, _ in layer.named_parameters()]
    layer(mg.Tensor(np.ones((4, 2), np.float32))).sum().backward()
    expected = [p.data - 0.5 * p.grad.data for p in layer.parameters()]
    with mg.no_grad():
        layer.weight -= 0.5 * layer.weight.grad
        for p in layer.parameters()[1:]:
            p -= 0.5 * p.grad
    assert [name for name, _ in layer.named_parameters()] == names
    for p, values in zip(layer.parameters(), expected):
        np.testing.assert_array_equal(p.data, values)


def written(program):
    """The text of the error that a program raises, run on a leaf with a gradient and a layer."""
    w, layer, frozen = mg.Tensor([1.0, 2.0], requires_grad=True), nn.Linear(2, 1), nn.Linear(2, 1)
    frozen.weight.requires_grad = False
    names = {"mg": mg, "np": np, "w": w, "layer": layer, "frozen": frozen}
    (w * 3).sum().backward()
    with pytest.raises((errors.MinigradError, AttributeError)) as raised:
        exec(program, names)
    return str(raised.value)


@pytest.mark.parametrize(
    ("program", "remedy"),
    [
        ("w -= w.grad", "with minigrad.no_grad(): w -="),
        ("for p in [w]: p -= p.grad", "w.data -="),
        ("w.data[0] = 1", "x.data = a"),
        ("w.data[:1] -= 1", "x.data = a"),
        ("w.data.T[0] = 1", "x.data = a"),
        ("w[0] = 1", "np.where(mask, new, x)"),
        ("(w * 1).data -= 1", "only a leaf"),
        ("np.add.at(w.data, 0, 1)", "x.data = a"),
        ("w.abs()", "write np.abs(x)"),
        ("w.relu()", "write mg.functional.relu(x)"),
        ("w.view(2, 1)", "write x.reshape(3, 2)"),
        ("old = w.data; w.data -= 1; old *= 2", "the x.data of now"),
        ("layer.weight = layer.weight - 1", ".weight.data = ..."),
        ("frozen.weight -= 1", ".weight.data = ..."),
        ("layer.bias = np.zeros(1)", "nn.Parameter(...)"),
        ("float(w.sum())", "x.item()"),
        ("np.array([w, w])", "np.stack"),
        ("w.sort()", "np.sort(x)"),
        ("w.exp()", "np.exp(x)"),
        ("w.softmax(-1)", "mg.functional.softmax(x, -1)"),
        ("w.itemsize", "x.detach().numpy().itemsize"),
        ("w.numpy()", "x.detach().numpy()"),
        ("w.reshape(2.0)", "cannot be interpreted as an integer"),
        ("w.astype('f9')", "not understood"),
        ("(w * 1).zero_()", "only a leaf"),
    ],
)
def test_what_cannot_work_says_what_to_write(program, remedy):
    assert remedy in written(program)


def test_the_remedy_for_some_numbers_of_a_leaf():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    a = x.data.copy()
    a[0] = 5
    a += 1
    x.data = a
    np.testing.assert_array_equal(x.data, [6, 3])
    assert x.requires_grad


# --- numbers in and out -----------------------------------------------------------------------------


def test_data_is_an_array_like_any_other():
    x = mg.Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    assert isinstance(x.data, np.ndarray)
    assert not x.data.flags.writeable
    assert repr(x.data) == repr(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
    for result in (
        np.exp(x.data),
        x.data * 2,
        x.data @ x.data,
        np.sqrt(x.data, out=np.ones((2, 2))),
    ):
        assert type(result) is np.ndarray
    assert type(x.data.sum()) is np.float32
    y = x * x.data + np.concatenate([x.data[:1], x])[1:]
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, x.data + 1)
    assert type((x * x.data).data.base) is np.ndarray


def test_numbers_of_a_tensor():
    x = mg.Tensor([1.25, -2.5], requires_grad=True)
    assert x.detach().numpy().tolist() == [1.25, -2.5]
    assert float(x.detach()[0]) == 1.25
    assert f"{x.sum():.3f}" == "-1.250"
    np.testing.assert_array_equal(np.array([x.detach(), x.detach()]), [[1.25, -2.5]] * 2)
    assert [t.item() for t in list(x)] == [1.25, -2.5]
    assert x.nbytes == 8
    assert x.real is x


@pytest.mark.parametrize(
    "f",
    [lambda x: x.astype("f8", copy=False), lambda x: x.transpose(np.array([1, 0])),
     lambda x: x.transpose(None), lambda x: x.reshape(np.array([2, 1])),
     lambda x: x.reshape(np.int64(2))],
)  # fmt: skip
def test_methods_are_called_as_numpys(f):
    x = np.array([[1.0, 2.0]], np.float32)
    y = f(mg.Tensor(x))
    assert y.dtype == f(x).dtype
    np.testing.assert_array_equal(y.data, f(x))


def test_python_s_functions_have_derivatives():
    x = mg.Tensor([1.25, -2.5], requires_grad=True)
    whole, rest = divmod(x, 2.0)
    np.testing.assert_array_equal(whole.data, [0, -2])
    np.testing.assert_array_equal(rest.data, [1.25, 1.5])
    (rest + sum([x, x * 2]) + round(x, 1)).sum().backward()
    np.testing.assert_array_equal(x.grad.data, [4, 4])
    np.testing.assert_array_equal(divmod(5.0, x)[1].data, np.mod(5.0, x.data))
