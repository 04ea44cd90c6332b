"""Modules and layers: what they hold, what they compute, and the mistakes that they refuse."""

import collections
import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors, nn


@pytest.fixture
def double():
    """float64 as the default dtype, for one test."""
    mg.set_default_dtype(np.float64)
    yield
    mg.set_default_dtype(np.float32)


class Block(nn.Module):
    def __init__(self, width):
        self.inner = nn.Linear(width, width, bias=False)
        self.gain = nn.Parameter(np.ones(width, np.float32))
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        return self.dropout(self.inner(x)) * self.gain


class Tied(nn.Module):
    """The output layer shares the embedding's matrix, and a block occurs twice."""

    def __init__(self):
        self.embedding = nn.Embedding(5, 3)
        self.out = nn.Linear(5, 3, bias=False)
        self.out.weight = self.embedding.weight
        self.first = Block(3)
        self.again = self.first

    def forward(self, ids):
        return self.again(self.first(self.embedding(ids))) @ self.out.weight.T


NAMES = [
    "embedding.weight", "out.weight", "first.gain", "first.inner.weight", "again.gain",
    "again.inner.weight",
]  # fmt: skip


# --- what a module holds --------------------------------------------------------------------------


def test_every_parameter_is_named_once_by_its_first_path():
    model = Tied()
    assert [name for name, _ in model.named_parameters()] == [NAMES[0], NAMES[2], NAMES[3]]
    assert model.parameters() == [p for _, p in model.named_parameters()]
    assert [name for name, _ in model.named_children()] == ["embedding", "out", "first", "again"]
    assert [name for name, _ in model.first.named_modules("a")] == ["a", "a.inner", "a.dropout"]
    assert [name for name, _ in model.named_modules()][:4] == ["", "embedding", "out", "first"]


def test_a_shared_parameter_is_changed_once_by_a_step():
    model = Tied().eval()
    before = model.embedding.weight.data.copy()
    np.sum(model(np.array([1, 2]))).backward()
    g = model.embedding.weight.grad.data
    mg.optim.SGD(model.parameters(), lr=1.0).step()
    np.testing.assert_allclose(model.embedding.weight.data, before - g, rtol=1e-6)
    assert model.out.weight is model.embedding.weight


def test_train_and_eval_reach_everything_inside():
    model = Tied()
    assert model.training
    assert model.eval() is model
    assert not any(m.training for _, m in model.named_modules())
    assert model.train() is model
    assert all(m.training for _, m in model.named_modules())
    assert not model.train(False).first.dropout.training


def test_zero_grad_and_astype():
    model = Tied().eval()
    np.sum(model(np.array([1, 2]))).backward()
    assert all(p.grad is not None for p in model.parameters())
    model.zero_grad()
    assert all(p.grad is None for p in model.parameters())

    np.sum(model(np.array([1, 2]))).backward()
    values = model.state_dict()
    assert model.astype(np.float64) is model
    for name, p in model.named_parameters():
        assert p.dtype == np.float64
        assert p.grad is None
        np.testing.assert_array_equal(p.data, values[name])
    assert model(np.array([1])).dtype == np.float64
    model.parameters()[0].requires_grad = False
    with pytest.raises(errors.DTypeError, match="int64"):
        model.astype(int)
    assert {p.dtype for p in model.parameters()} == {np.dtype(np.float64)}


@pytest.mark.parametrize(
    "change",
    [lambda layer: layer.astype(np.float64),
     lambda layer: layer.load_state_dict({"weight": np.zeros((2, 2)), "bias": np.zeros(2)})],
    ids=["a conversion", "loading"],
)  # fmt: skip
def test_new_values_between_forward_and_backward_change_no_gradient(change):
    """The graph keeps the arrays that it was computed with."""
    layer, x = nn.Linear(2, 2), mg.Tensor(np.ones((1, 2), np.float32), requires_grad=True)
    expected = mg.grad(lambda x: np.sum(layer(x) ** 2))(x)
    loss = np.sum(layer(x) ** 2)
    change(layer)
    loss.backward()
    np.testing.assert_allclose(x.grad.data, expected.data, rtol=1e-6)
    assert layer.weight.grad.dtype == layer.weight.dtype


def test_how_modules_look():
    model = nn.Sequential(nn.Linear(2, 3), np.tanh, nn.Sequential(nn.Dropout(0.25)))
    assert repr(model) == (
        "Sequential(): 9 parameters\n"
        "  0: Linear(2 -> 3): 9 parameters\n"
        "  1: Function(np.tanh)\n"
        "  2: Sequential()\n"
        "    0: Dropout(p=0.25)"
    )
    assert repr(nn.Linear(4, 1, bias=False)) == "Linear(4 -> 1, no bias): 4 parameters"
    assert repr(nn.Embedding(700, 2)) == "Embedding(700 symbols -> 2): 1,400 parameters"
    layer = nn.Linear(2, 2)
    assert repr(nn.Sequential(layer, layer)).startswith("Sequential(): 6 parameters")  # shared
    assert repr(nn.Linear(1, 1, bias=False)).endswith("1 parameter")


def test_copies_and_pickles_have_parameters_of_their_own_shared_as_before():
    model = Tied().eval()
    np.sum(model(np.array([1, 2]))).backward()
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin.out.weight is twin.embedding.weight
        assert twin.again is twin.first
        assert isinstance(twin.out.weight, nn.Parameter)
        assert all(p.requires_grad and p.is_leaf for p in twin.parameters())
        for name, value in twin.state_dict().items():
            np.testing.assert_array_equal(value, model.state_dict()[name])
        before = model.state_dict()
        np.sum(twin(np.array([1, 2]))).backward()
        mg.optim.SGD(twin.parameters(), lr=1.0).step()
        for p in twin.parameters():
            p.copy_(p.data + 1)
        for name, value in model.state_dict().items():
            np.testing.assert_array_equal(value, before[name])


# --- states ---------------------------------------------------------------------------------------


def test_a_state_has_every_path_and_copies():
    model = Tied()
    state = model.state_dict()
    assert list(state) == NAMES
    assert all(type(value) is np.ndarray for value in state.values())
    state["first.gain"] += 1
    np.testing.assert_array_equal(model.first.gain.data, 1)

    other = Tied()
    state["out.weight"] = state["embedding.weight"] = np.arange(15.0).reshape(5, 3)
    state["again.gain"] = mg.Tensor(state["first.gain"], requires_grad=True)
    state["first.inner.weight"] = state["again.inner.weight"].tolist()
    other.load_state_dict(state)
    state["first.gain"] += 1
    np.testing.assert_array_equal(other.first.gain.data, 2)
    np.testing.assert_array_equal(other.out.weight.data, np.arange(15).reshape(5, 3))
    np.testing.assert_array_equal(other.first.inner.weight.data, model.first.inner.weight.data)
    assert {p.dtype for p in other.parameters()} == {np.dtype(np.float32)}
    assert other.out.weight is other.embedding.weight


def test_a_state_that_does_not_fit_changes_nothing_and_says_all_that_is_wrong():
    model = Tied()
    before = model.state_dict()
    state = {name: value + 1 for name, value in before.items()}
    del state["first.inner.weight"]
    state["out.weight"] = np.ones((3, 5))
    state["first.gain"] = np.array(["a", "b", "c"])
    state["extra"] = np.ones(2)
    with pytest.raises(errors.StateDictError) as caught:
        model.load_state_dict(state)
    assert str(caught.value) == (
        "the state does not fit Tied:\n"
        "  missing: first.inner.weight (3, 3)\n"
        "  unexpected: extra (2,)\n"
        "  out.weight: expected the shape (5, 3), got (3, 5); "
        "PyTorch's Linear keeps (out, in): give its .T, and that of each square weight of a Linear\n"
        "  first.gain: expected real numbers, got <U1"
    )
    for name, value in model.state_dict().items():
        np.testing.assert_array_equal(value, before[name])


def test_a_state_with_two_values_for_one_parameter():
    model = Tied()
    state = model.state_dict()
    state["out.weight"] += 1
    with pytest.raises(
        errors.StateDictError, match=r"embedding.weight and out.weight are the same"
    ):
        model.load_state_dict(state)
    state["embedding.weight"][0] = state["out.weight"][:] = np.nan
    with pytest.raises(errors.StateDictError, match=r"different values"):
        model.load_state_dict(state)
    state["embedding.weight"][:] = np.nan  # equal at last
    model.load_state_dict(state)


def test_a_state_of_pytorchs_tensors_is_taken_as_pytorch_lays_it_out():
    torch = pytest.importorskip("torch")
    theirs = torch.nn.Sequential(
        torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Embedding(3, 3), torch.nn.Linear(4, 2)
    )
    mine = nn.Sequential(nn.Linear(4, 4), mg.functional.relu, nn.Embedding(3, 3), nn.Linear(4, 2))
    mine.load_state_dict(theirs.state_dict())
    x = torch.randn(5, 4)
    for layers in ((0, 1), (0, 1, 3)):  # a square weight fits either way
        y, expected = mg.Tensor(x.numpy()), x
        for i in layers:
            y, expected = list(mine)[i](y), theirs[i](expected)
        np.testing.assert_allclose(y.data, expected.detach(), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(list(mine)[2].weight.data, theirs[2].weight.detach())
    one = nn.Linear(4, 4)
    one.load_state_dict(theirs[0].state_dict())
    np.testing.assert_array_equal(one.weight.data, theirs[0].weight.detach().T)
    one.load_state_dict(dict(theirs[0].to(torch.bfloat16).named_parameters()))
    np.testing.assert_array_equal(one.weight.data, theirs[0].weight.detach().float().T)


@pytest.mark.parametrize("given", [None, [1, 2], "weights.npz", nn.Linear(1, 1)])
def test_what_is_no_state(given):
    with pytest.raises(errors.StateDictError, match=r"a state for Linear maps names to arrays"):
        nn.Linear(1, 1).load_state_dict(given)


# --- mistakes -------------------------------------------------------------------------------------


@dataclasses.dataclass
class Weights:
    w: nn.Parameter


def holding(value):
    module = nn.Module()
    module.stuff = value
    return module


@pytest.mark.parametrize(
    "value",
    [
        [nn.Linear(1, 1)],
        (3, nn.Linear(1, 1)),
        {"one": nn.Dropout()},
        [[nn.Linear(1, 1)]],
        [nn.Parameter(np.ones(2))],
        {"w": nn.Parameter(np.ones(2))},
        {nn.Linear(1, 1): "first"},
        collections.deque([nn.Parameter(np.ones(2))]),
        frozenset([nn.Linear(1, 1)]),
        np.array([nn.Linear(1, 1), None]),
        Weights(nn.Parameter(np.ones(2))),
        mg.Tensor(np.ones(2), requires_grad=True),
        [mg.Tensor(np.ones(2), requires_grad=True)],
    ],
)
def test_what_would_be_overlooked_is_refused(value):
    inside = holding(holding(value))
    for walk in (inside.parameters, inside.state_dict, inside.train, inside.zero_grad):
        with pytest.raises(
            errors.ModuleError, match=r"Module.stuff would not be listed.*ModuleList"
        ):
            walk()
    assert repr(inside) == "Module()\n  stuff: Module()"  # in an error message it must not fail too


@pytest.mark.parametrize("value", [nn.Parameter(np.ones(2)), nn.Linear(1, 1), [nn.Linear(1, 1)]])
def test_what_all_modules_of_a_class_would_share_is_refused(value):
    with pytest.raises(errors.ModuleError, match=r"Net.w .* self.w = \.\.\. in __init__"):
        type("Net", (nn.Module,), {"w": value})


def test_a_list_that_is_filled_later_is_refused_too():
    module = holding([])
    assert module.parameters() == []
    module.stuff.append(nn.Linear(1, 1))
    with pytest.raises(errors.ModuleError, match="would not be listed"):
        mg.optim.SGD(module.parameters())


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1, 2.0, "three", None],
        np.ones(3),
        mg.Tensor(np.ones(2)),
        nn.Parameter(np.ones(2)) * 2,  # a result, kept to be looked at
        [nn.Parameter(np.ones(2)) * 2],
        nn.Linear,
        np.tanh,
        {"a": {"b": (1, 2)}},
    ],
)
def test_other_attributes_are_nobodys_business(value):
    assert holding(value).parameters() == []


def test_a_module_inside_itself():
    parent, child = nn.Module(), nn.Module()
    parent.child, child.parent = child, parent
    with pytest.raises(
        errors.ModuleError, match=r"child.parent is a module that it is itself inside"
    ):
        parent.parameters()


def test_a_module_without_forward():
    class Forgetful(nn.Module):
        def foward(self, x):
            return x

    with pytest.raises(errors.ModuleError, match=r"Forgetful has no forward\(\): define forward"):
        Forgetful()(1)
    with pytest.raises(errors.ModuleError, match=r"ModuleList has no forward.*call the modules"):
        nn.ModuleList([nn.Linear(1, 1)])(1)


# --- modules in a row -----------------------------------------------------------------------------


def test_module_list():
    a, b, c = nn.Linear(1, 2), nn.Dropout(), nn.Linear(2, 1)
    row = nn.ModuleList(m for m in (a, b))
    row.append(c)
    assert list(row) == [a, b, c]
    assert len(row) == 3
    assert row[0] is a
    assert row[-1] is c
    assert row[1:] == [b, c]
    assert list(row.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert list(nn.ModuleList()) == []
    for other in (np.tanh, nn.Linear, None, [a]):
        with pytest.raises(errors.ModuleError, match="ModuleList holds modules, not"):
            row.append(other)


def test_sequential_runs_modules_and_functions_in_order():
    first, last = nn.Linear(2, 3), nn.Linear(3, 1)
    model = nn.Sequential(first, np.tanh, lambda x: x * 2, last)
    x = mg.Tensor(np.random.default_rng(0).standard_normal((4, 2), np.float32))
    np.testing.assert_array_equal(model(x).data, last(np.tanh(first(x)) * 2).data)
    assert len(model) == 4
    assert list(model.state_dict()) == ["0.weight", "0.bias", "3.weight", "3.bias"]
    assert nn.Sequential()(x) is x
    for other in (nn.Linear, 3, None):
        with pytest.raises(errors.ModuleError, match="Sequential holds modules, not"):
            nn.Sequential(first, other)


def test_an_error_inside_of_modules_names_the_one_that_failed():
    class Net(nn.Module):
        def __init__(self):
            self.layers = nn.Sequential(nn.Linear(4, 8), np.tanh, nn.Linear(4, 2), nn.ReLU())

        def forward(self, x):
            return self.layers(x)

    with pytest.raises(
        errors.ShapeError, match=r"\(3, 8\)\n  in Net\.layers\[2\]: Linear\(4 -> 2\)$"
    ):
        Net()(np.ones((3, 4), np.float32))
    model = nn.Sequential(nn.Linear(4, 8), lambda x: x @ np.ones((4, 2), np.float32))
    with pytest.raises(
        errors.ShapeError, match=r"test_nn.py:\d+.*\n  in Sequential\[1\]: Function"
    ):
        model(np.ones((3, 4), np.float32))
    with pytest.raises(errors.ShapeError, match=r"the shape is \(3, 8\)$"):  # nothing is around it
        nn.Linear(4, 2)(np.ones((3, 8), np.float32))


# --- layers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4), (2, 1, 3, 4), (0, 4)])
def test_linear_is_that_of_pytorch(shape, bias, dtype):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    layer = nn.Linear(4, 5, bias, rng=rng).astype(dtype)
    x = mg.Tensor(rng.standard_normal(shape).astype(dtype), requires_grad=True)
    y = layer(x)
    g = rng.standard_normal(y.shape).astype(dtype)
    y.backward(g)

    twin = torch.nn.Linear(4, 5, bias, dtype=getattr(torch, np.dtype(dtype).name))
    with torch.no_grad():
        twin.weight.copy_(torch.tensor(layer.weight.data.T.copy()))
        if bias:
            twin.bias.copy_(torch.tensor(layer.bias.data.copy()))
    tx = torch.tensor(x.data.copy(), requires_grad=True)
    ty = twin(tx)
    ty.backward(torch.tensor(g))

    pairs = [(y, ty), (x.grad, tx.grad), (layer.weight.grad, twin.weight.grad.T)]
    if bias:
        pairs.append((layer.bias.grad, twin.bias.grad))
    for ours, theirs in pairs:
        assert ours.dtype == dtype
        tolerance = 1e-5 if dtype == np.float32 else 1e-12
        np.testing.assert_allclose(ours.data, theirs.detach().numpy(), tolerance, tolerance)


def test_what_made_the_input_of_linear_float64_is_named():
    """Far from it, and also where all that it was given is float64."""
    layer, x = nn.Linear(3, 3), np.ones((2, 3), np.float32)
    with pytest.warns(UserWarning, match=r"np\.divide was given a float64 .* write float\(n\)"):
        layer(np.tanh(layer(x) / np.sqrt(3)) + 1)
    gain = nn.Parameter(np.ones(3))
    with pytest.warns(
        UserWarning, match=r"a leaf \(3,\) is float64: make it of an array of float32"
    ):
        layer(np.tanh(x * gain))
    with pytest.warns(
        UserWarning, match=r"^your x is float64: write x\.astype\(np\.float32\)"
    ) as seen:
        nn.Sequential(layer, np.tanh, layer)(np.ones((2, 3)))
    assert len(seen) == 1  # the second layer was given what the first made


def test_linear_takes_lists_and_arrays_too():
    layer = nn.Linear(2, 3)
    x = np.array([[1, 2]], np.float32)
    for given in (x, x.tolist(), mg.Tensor(x)):
        y = layer(given)
        assert y.dtype == np.float32
        np.testing.assert_array_equal(y.data, layer(x).data)


@pytest.mark.parametrize("shape", [(), (3,), (2, 4), (3, 2)])
def test_linear_refuses_another_width(shape):
    with pytest.raises(errors.ShapeError) as caught:
        nn.Linear(1 if shape == () else 5, 4)(np.ones(shape, np.float32))
    assert str(shape) in str(caught.value)
    turned = shape == (2, 4)
    assert ("(in, out), and PyTorch's is (out, in)" in str(caught.value)) == turned


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize(
    "ids", [2, [0, 1], [3, 3, 3], [[0, 4], [4, 0], [1, 4]], np.zeros((0, 2), int)]
)
def test_embedding_is_that_of_pytorch(ids, dtype):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    layer = nn.Embedding(5, 3, rng=rng).astype(dtype)
    y = layer(ids)
    g = rng.standard_normal(y.shape).astype(dtype)
    y.backward(g)
    weight = torch.tensor(layer.weight.data.copy(), requires_grad=True)
    ty = torch.nn.functional.embedding(torch.tensor(ids), weight)
    ty.backward(torch.tensor(g))
    assert y.shape == (*np.shape(ids), 3)
    assert y.dtype == layer.weight.grad.dtype == dtype
    np.testing.assert_array_equal(y.data, ty.detach().numpy())
    np.testing.assert_allclose(layer.weight.grad.data, weight.grad.numpy(), rtol=1e-6)


def test_embedding_takes_ids_of_every_integer_dtype():
    layer = nn.Embedding(5, 3)
    for ids in (np.array([1, 4], np.uint8), np.array([1, 4], np.int32), mg.Tensor([1, 4])):
        np.testing.assert_array_equal(layer(ids).data, layer.weight.data[[1, 4]])


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([0.0, 1.0], errors.DTypeError, "an integer from 0 to 4, not float32"),
        (
            mg.Tensor([1.0], requires_grad=True),
            errors.DTypeError,
            "an integer from 0 to 4, not float32",
        ),
        ([True, False], errors.DTypeError, "an integer from 0 to 4, not bool"),
        ([0, 5], errors.ShapeError, "from 0 to 4, not 5"),
        ([-1], errors.ShapeError, "from 0 to 4, not -1"),
        ([[1], [1, 2]], errors.ShapeError, "cannot make an array"),
        (["a"], errors.DTypeError, "real numbers"),
    ],
)
def test_embedding_refuses_other_ids(ids, error, message):
    with pytest.raises(error, match=message):
        nn.Embedding(5, 3)(ids)


def test_dropout_zeroes_a_share_and_keeps_the_mean():
    p, n = 0.3, 100_000
    layer = nn.Dropout(p)
    x = mg.Tensor(np.full(n, 2.0, np.float32), requires_grad=True)
    mg.manual_seed(0)
    y = layer(x)
    zeros = np.mean(y.data == 0)
    assert abs(zeros - p) < 4 * math.sqrt(p * (1 - p) / n)  # four standard deviations
    np.testing.assert_allclose(y.data[y.data != 0], 2 / (1 - p), rtol=1e-6)
    assert y.dtype == np.float32
    np.sum(y).backward()
    np.testing.assert_allclose(x.grad.data, y.data / 2, rtol=1e-6)  # the same were let through

    again = layer(x)
    assert np.mean((again.data == 0) == (y.data == 0)) < 0.7  # others are chosen next time
    mg.manual_seed(0)
    np.testing.assert_array_equal(layer(x).data, y.data)
    both = np.mean((y.data[1:] == 0) & (y.data[:-1] == 0))  # neighbours are independent
    assert abs(both - p * p) < 5 * math.sqrt(p * p / n)


def test_dropout_does_nothing_in_evaluation_or_without_probability():
    x = mg.Tensor(np.ones(100))
    assert nn.Dropout(0.5).eval()(x) is x
    assert nn.Dropout(0.0)(x) is x
    for p in (-0.1, 1, 1.5, math.nan, "half"):
        with pytest.raises(errors.ConfigError, match="p is from 0 to below 1"):
            nn.Dropout(p)


# --- initial values -------------------------------------------------------------------------------

DECILES = np.linspace(0.1, 0.9, 9)


def deciles_are(values, expected, density):
    """Whether the sample has the distribution whose deciles and density there are given."""
    deviation = np.sqrt(DECILES * (1 - DECILES) / values.size) / density
    return np.all(np.abs(np.quantile(values, DECILES) - expected) < 4 * deviation)


def test_linear_starts_as_in_pytorch():
    layer = nn.Linear(50, 2000, rng=np.random.default_rng(0))
    bound = 1 / math.sqrt(50)
    uniform = bound * (2 * DECILES - 1), 1 / (2 * bound)
    for p in (layer.weight, layer.bias):
        assert np.abs(p.data).max() <= bound
        assert deciles_are(p.data, *uniform)
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    theirs = torch.nn.Linear(50, 2000)
    assert deciles_are(theirs.weight.detach().numpy(), *uniform)
    assert deciles_are(theirs.bias.detach().numpy(), *uniform)


def test_embedding_starts_normal():
    values = nn.Embedding(500, 100, std=0.1, rng=np.random.default_rng(0)).weight.data
    quantiles = np.array([-1.2815516, -0.8416212, -0.5244005, -0.2533471, 0])  # of the normal
    quantiles = 0.1 * np.concatenate([quantiles, -quantiles[-2::-1]])
    density = np.exp(-((quantiles / 0.1) ** 2) / 2) / (0.1 * math.sqrt(2 * math.pi))
    assert deciles_are(values, quantiles, density)
    assert values.std() == pytest.approx(0.1, rel=0.02)
    assert np.abs(values).max() > 0.35


def test_xavier():
    values = nn.xavier_uniform((300, 100), rng=np.random.default_rng(0))
    bound = math.sqrt(6 / 400)
    assert np.abs(values).max() <= bound
    assert deciles_are(values, bound * (2 * DECILES - 1), 1 / (2 * bound))


def test_the_default_dtype_decides(double):
    for layer in (nn.Linear(2, 3), nn.Embedding(2, 3)):
        assert {p.dtype for p in layer.parameters()} == {np.dtype(np.float64)}
    mg.set_default_dtype(np.float32)
    assert nn.Linear(2, 3).weight.dtype == np.float32
    assert nn.Embedding(2, 3, std=np.float64(0.1)).weight.dtype == np.float32


@pytest.mark.parametrize(
    "make",
    [
        lambda rng=None: nn.Linear(3, 2, rng=rng).weight,
        lambda rng=None: nn.Embedding(3, 2, rng=rng).weight,
        lambda rng=None: nn.Dropout(0.5, rng=rng)(mg.Tensor(np.ones(50))),
        lambda rng=None: mg.Tensor(nn.xavier_uniform((3, 2), rng)),
    ],
)
def test_a_seed_fixes_the_values_and_a_given_generator_leaves_the_common_one_alone(make):
    def common():
        return str(mg.generator().bit_generator.state)

    mg.manual_seed(3)
    first = make().data
    mg.manual_seed(3)
    second = make().data
    np.testing.assert_array_equal(first, second)
    before = common()
    given = make(np.random.default_rng(3)).data
    assert common() == before
    np.testing.assert_array_equal(given, first)
    assert not np.array_equal(make().data, first)
    with pytest.raises(errors.ConfigError, match="rng is a generator"):
        make(0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Linear(2.0, 3), r"inputs is a whole number from 0, not 2.0"),
        (lambda: nn.Linear(2, -3), r"outputs is a whole number from 0, not -3"),
        (lambda: nn.Embedding("5", 3), r"symbols is a whole number from 0, not '5'"),
        (lambda: nn.Embedding(5, 3, std=-1), r"std is a finite number from 0, not -1"),
    ],
)
def test_sizes_that_make_no_sense(make, message):
    with pytest.raises(errors.ConfigError, match=message):
        make()


def test_layers_of_no_width():
    assert nn.Linear(0, 3)(np.ones((2, 0), np.float32)).shape == (2, 3)
    assert nn.Linear(3, 0)(np.ones((2, 3), np.float32)).shape == (2, 0)
