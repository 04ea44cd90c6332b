"""A tape in a page: each call gives what NumPy gives, and all of it what the engine gives."""

import operator

import in_a_page
import numpy as np
import pytest
from in_a_page import as_array, as_text, close, packed, tape_of
from operations import ROWS
from operations.numbers import numbers, product, run
from operations.row import rows

import minigrad as mg
from minigrad import functional as F
from minigrad import nn, optim

ERROR = {np.float32: 1e-6, np.float64: 1e-12}  # relative to what the sums are made of
SUMS = {"contract", "sum", "mean", "cumsum", "put", "add", "subtract", "logaddexp", "logaddexp2"}

# Functions without a derivative, where a change of x must reach what they give.
PLAIN = [
    lambda x: np.where(x > 0.5, x, -x),
    lambda x: np.where(np.less_equal(x, 0.3), x, 0),
    lambda x: np.where(np.not_equal(np.floor(x), 0), x, 0),
    lambda x: np.where(np.isinf(1 / np.floor(np.absolute(x))), x, 2 * x),
    lambda x: np.where(np.signbit(x), x, 3 * x),
    lambda x: np.where(np.logical_not(np.floor(x)), x, 3 * x),
    lambda x: np.where(np.logical_or(np.floor(x), 0), x, 3 * x),
    lambda x: np.where(np.logical_xor(x > 1, x), x, 3 * x),
    lambda x: np.where(np.bitwise_xor(np.floor(x).astype(int), 1), x, 3 * x),
    lambda x: x * np.any(np.floor(x), axis=0),
    lambda x: x * np.all(np.floor(x), axis=0),
    lambda x: x * np.count_nonzero(x, axis=0),
    lambda x: x * np.argmin(x, axis=0),
    lambda x: x[np.argmax(x, axis=0), np.arange(4)],
    lambda x: np.exp(x - F.softmaxes.row_maximum(x, -1)),
    lambda x: np.exp(x - np.max(x).detach()),
]
# Arrays of integers on axes apart, so that the axes that they make come first.
APART = np.s_[:, np.array([0, 2]), :, np.array([1, -2])]
MORE = [
    *(row for call in PLAIN for row in rows(operator.getitem, None, [(3, 4)], call=call)),
    *rows(operator.getitem, None, [(2, 3, 4, 2)], then=(APART,)),
]


@pytest.fixture
def page(browser, tmp_path):
    """What a script makes of some data, in a page with the interpreter."""
    return lambda data, script: in_a_page.run(browser, tmp_path, data, script)


def graph_of(row, dtype, arrays):
    """What a row gives, weighted and summed, as a graph; and the gradients by its inputs."""
    xs = [mg.Tensor(a, requires_grad=True, dtype=dtype) for a in arrays]
    with mg.record(), np.errstate(all="ignore"):
        ys = [y for y in run(row.call, xs) if isinstance(y, mg.Tensor) and y.requires_grad]
        loss = product(ys, [numbers(y.shape).astype(dtype) for y in ys])
        if isinstance(loss, mg.Tensor):
            loss.backward(retain_graph=True)
    return (mg.graph(loss), xs) if isinstance(loss, mg.Tensor) else (None, xs)


def chosen(every):
    """All rows, or the first of each function."""
    first = {row.function: row for row in reversed(ROWS)}
    return [*(ROWS if every else first.values()), *MORE]


ALL = pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])


@ALL
@pytest.mark.parametrize("dtype", [np.float64, pytest.param(np.float32, marks=pytest.mark.slow)])
def test_each_call_gives_what_numpy_gives(page, dtype, every):
    """Every call of the forward and backward pass of every row, on the numbers that NumPy had."""
    graphs = [graph_of(row, dtype, row.arrays())[0] for row in chosen(every)]
    tapes = [tape_of(graph) for graph in graphs if graph is not None]
    script = "return data.map((one) => one.calls.map((call) => both(one, call)));"
    seen = 0
    for made, results in zip(tapes, page([packed(t) for t in tapes], script)):
        for (name, slot, _, params), (got, sizes) in zip(made.calls, results):
            wanted = np.asarray(made.arrays[slot])
            size = np.abs(wanted.astype(float))
            if name in SUMS:  # and of log(1 + exp(x)) the result may be larger than x
                size = np.fmax(size, as_array(sizes, wanted))
            assert close(as_array(got, wanted), wanted, size, ERROR[dtype]), (name, params)
            seen += 1
    assert seen > 1000


@ALL
def test_after_a_change_the_result_and_the_gradients_are_those_of_the_engine(page, every):
    """Other inputs for every row, against the engine run anew: what stayed as it was would be seen."""
    cases, expected = [], []
    for row in chosen(every):
        rng = np.random.default_rng(0)
        near = [a * (1 + 0.01 * rng.standard_normal(a.shape)) for a in row.arrays()]
        graph, _ = graph_of(row, np.float64, row.arrays())
        anew, xs = graph_of(row, np.float64, near)
        made = graph and tape_of(graph)
        if not made or made.fixed:
            continue
        slots = [made.value_slots[n.number] for n in graph.nodes if n.kind == "input"]
        xs = [x for x in xs if x.grad is not None]
        asked = [
            made.value_slots[graph.roots[0]],
            *(made.gradient_slots[n.number] for n in graph.nodes if n.kind == "input"),
        ]
        assert len(slots) == len(xs)
        to = [[slot, as_text(x.data)] for slot, x in zip(slots, xs)]
        cases.append(packed(made, to=to, asked=asked))
        expected.append((row, [anew[anew.roots[0]].value, *(x.grad.data for x in xs)]))
    for (row, arrays), found in zip(expected, page(cases, "return data.map(changed);")):
        size = max([1.0, *(np.abs(a[np.isfinite(a)]).max(initial=0) for a in arrays)])
        for wanted, got in zip(arrays, found):
            assert close(as_array(got, wanted), wanted, size, 1e-12), row.name
    assert len(cases) > 100


# Integers that become 0, and numbers that become NaN, which is true: by NumPy's own rules.
ODD = [
    lambda x: 5 // np.floor(x).astype(int),
    lambda x: 5 % np.floor(x).astype(int),
    lambda x: np.fmod(5, np.floor(x).astype(int)),
    lambda x: np.reciprocal(np.ceil(x + 1).astype(int)),
    lambda x: np.where(np.log(x - 1), 2, 3),
    lambda x: np.log(x - 1).astype(bool),
    lambda x: np.logical_not(np.log(x - 1)),
    lambda x: np.logical_and(np.log(x - 1), x),
    lambda x: np.logical_or(np.log(x - 1), 0),
    lambda x: np.logical_xor(np.log(x - 1), x),
    lambda x: np.any(np.log(x - 1)),
    lambda x: np.all(np.log(x - 1)),
]
# Older versions give Python's int, as `item()` does.
if isinstance(np.count_nonzero(np.ones(1)), np.generic):
    ODD.append(lambda x: np.count_nonzero(np.log(x - 1)))


def test_division_by_integers_that_are_0_and_the_truth_of_nan_are_numpys(page):
    x, powers = np.array([2.0, 3.5, 4.0]), np.array([1.0, 10.0, 100.0])
    cases, wanted = [], []
    with np.errstate(all="ignore"):
        for call in ODD:
            for then in ([0.0, 1.5, 3.0], [0.5, 0.25, 0.75]):
                one = mg.Tensor(x, requires_grad=True, dtype=np.float64)
                with mg.record():
                    loss = np.sum((one * 0 + powers) * call(one))
                loss.backward(retain_graph=True)
                graph = mg.graph(loss)
                made = tape_of(graph)
                (slot,) = (made.value_slots[n.number] for n in graph.nodes if n.kind == "input")
                root = made.value_slots[graph.roots[0]]
                cases.append(packed(made, to=[[slot, as_text(then)]], asked=[root]))
                then = np.array(then)
                wanted.append(np.sum(powers * call(then)))
    found = [as_array(one, 0.0).item() for (one,) in page(cases, "return data.map(changed);")]
    assert found == wanted


@pytest.mark.slow
def test_every_function_of_the_interpreter_is_reached_by_a_row(page):
    graphs = [graph_of(row, np.float64, row.arrays())[0] for row in chosen(True)]
    names = {name for graph in graphs if graph is not None for name, *_ in tape_of(graph).calls}
    tables = "Functions.UFUNCS, Functions.LOOPS, Functions.FOLDS, Functions.SCANS, Functions.PLACES"
    assert set(page([], f"return [{tables}].flatMap(Object.keys);")) <= names


# --- what cannot be computed again ------------------------------------------------------------------


def test_a_decomposition_is_fixed_with_what_follows_and_the_rest_lives(page):
    a = mg.Tensor([[2.0, 1.0], [0.0, 3.0]], requires_grad=True, name="a", dtype=np.float64)
    b = mg.Tensor([1.0, 2.0], requires_grad=True, name="b", dtype=np.float64)
    with mg.record():
        inverse = np.linalg.inv(a)
        free = a * b
        loss = np.sum(inverse @ b) + np.sum(free)
    loss.backward()
    graph = mg.graph(loss)
    made = tape_of(graph)
    slots = {n.label: made.value_slots[n.number] for n in graph.nodes}
    assert slots["inverse"] in made.fixed
    assert slots["loss"] in made.fixed
    assert made.fixed[slots["loss"]].startswith("np.linalg.inv is not among the functions")
    assert slots["free"] not in made.fixed
    case = packed(
        made, to=[[slots["b"], as_text([5.0, 7.0])]], asked=[slots["free"], slots["loss"]]
    )
    ((free, loss_then),) = page([case], "return data.map(changed);")
    assert as_array(free, (2, 2)[:0] or np.zeros((2, 2))).tolist() == [[10, 7], [0, 21]]
    assert as_array(loss_then, 0.0) == loss.item()


def test_a_function_that_python_decides_is_fixed():
    odd = mg.rule(lambda x: x * 2 if float(np.sum(x)) > 0 else x, lambda g, y, x: g * 2)
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        loss = np.sum(odd(x))
    loss.backward()
    made = tape_of(mg.graph(loss))
    assert any("a page has no Python" in reason for reason in made.fixed.values())


def test_a_function_of_ones_own_that_can_be_followed_lives(page):
    cube = mg.rule(lambda x: x * x * x, lambda g, y, x: g * 3 * x * x)
    x = mg.Tensor([1.0, 2.0], requires_grad=True, name="x")
    with mg.record():
        loss = np.sum(cube(x))
    loss.backward()
    graph = mg.graph(loss)
    made = tape_of(graph)
    assert not made.fixed
    asked = [made.gradient_slots[n.number] for n in graph.nodes if n.label == "x"]
    to = [[made.value_slots[n.number], as_text([2.0, 3.0])] for n in graph.nodes if n.label == "x"]
    ((gradient,),) = page([packed(made, to=to, asked=asked)], "return data.map(changed);")
    assert as_array(gradient, [0, 0]).tolist() == [12, 27]


def test_a_function_that_only_has_a_name_of_numpys_is_not_taken_for_it(page):
    def exp(x):
        return x * x

    exp = mg.rule(exp, lambda g, _y, x: g * 2 * x)
    x = mg.Tensor([1.0, 2.0], requires_grad=True, name="x")
    with mg.record():
        loss = np.sum(exp(x))
    loss.backward()
    graph = mg.graph(loss)
    made = tape_of(graph)
    case = packed(made, to=[], asked=[made.value_slots[graph.roots[0]]])
    ((found,),) = page([case], "return data.map(changed);")
    assert as_array(found, 0.0) == 5


def test_an_index_outside_its_axis_gives_nan(page):
    table = mg.Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True, name="table")
    ids = np.array([0, -2, 1])
    with mg.record():
        loss = np.sum(table[:, ids])
    loss.backward()
    graph = mg.graph(loss)
    made = tape_of(graph)
    slots = {n.label: n for n in graph.nodes}
    picked = next(n for n in graph.nodes if n.kind == "operation")
    asked = [made.value_slots[picked.number], made.gradient_slots[slots["table"].number]]
    to = [[made.value_slots[slots["ids"].number], as_text(np.array([2, -3, 1]))]]
    ((found, gradient),) = page([packed(made, to=to, asked=asked)], "return data.map(changed);")
    nan = [np.nan, np.nan]
    assert np.array_equal(as_array(found, picked.value).T, [nan, nan, [2, 4]], equal_nan=True)
    assert as_array(gradient, table.data).tolist() == [[0, 1], [0, 1]]


def test_without_its_numbers_a_graph_is_lost():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    loss = np.sum(np.exp(x * 2))
    loss.backward()
    with pytest.raises(mg.errors.GraphError):
        tape_of(mg.graph(loss))


# --- whole computations -----------------------------------------------------------------------------


def mlp():
    mg.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 8), np.tanh, nn.Linear(8, 8), F.relu, nn.Linear(8, 2))
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal((5, 3)).astype(mg.get_default_dtype())
    x = mg.Tensor(numbers, requires_grad=True, name="x")
    targets = rng.integers(0, 2, 5)

    def loss():
        return F.cross_entropy(model(x), targets)

    return [x, *model.parameters()], loss


def normalized():
    rng = np.random.default_rng(0)
    x, gain, bias = (
        mg.Tensor(rng.standard_normal(s), requires_grad=True, name=n)
        for n, s in (("x", (4, 6)), ("gain", 6), ("bias", 6))
    )
    return [x, gain, bias], lambda: np.sum(np.sin(F.layer_norm(x, gain, bias)))


def attending():
    rng = np.random.default_rng(0)
    q, k, v = (mg.Tensor(rng.standard_normal((5, 4)), requires_grad=True, name=n) for n in "qkv")
    mask = np.tril(np.ones((5, 5), bool))

    def loss():
        weights = F.masked_softmax(q @ k.T / 2, mask)
        return np.sum(np.square(weights @ v))

    return [q, k, v], loss


def recorded(loss):
    with mg.record():
        found = loss()
    found.backward()
    return mg.graph(found)


@pytest.mark.parametrize("make", [mlp, normalized, attending])
def test_after_random_changes_everything_is_what_the_engine_computes_anew(page, make):
    """The value and the gradient of every node: scores of 800 too, where a frozen maximum gives NaN."""
    mg.set_default_dtype(np.float64)
    try:
        leaves, loss = make()
        graph = recorded(loss)
        made = tape_of(graph)
        slots = {id(leaf): made.value_slots[n] for leaf in leaves for n in [number_of(graph, leaf)]}
        cases, anew = [], []
        for scale in (0.1, 1.0, 300.0):
            rng = np.random.default_rng(1)
            for leaf in leaves:
                leaf.grad = None
                leaf.copy_(leaf.data + scale * rng.standard_normal(leaf.shape))
            then = recorded(loss)
            to = [[slots[id(leaf)], as_text(leaf.data)] for leaf in leaves]
            asked = [*made.value_slots.values(), *made.gradient_slots.values()]
            cases.append(packed(made, to=to, asked=asked))
            anew.append(
                [
                    *(then[n].value for n in made.value_slots),
                    *(then[n].gradient for n in made.gradient_slots),
                ]
            )
        for arrays, found in zip(anew, page(cases, "return data.map(changed);")):
            size = max(
                np.abs(np.where(np.isfinite(a), a, 0)).max() for a in arrays if a.dtype.kind == "f"
            )
            for wanted, got in zip(arrays, found):
                assert close(as_array(got, wanted), wanted, size, 1e-12)
    finally:
        mg.set_default_dtype(np.float32)


def number_of(graph, leaf):
    (found,) = [
        n.number
        for n in graph.nodes
        if n.kind != "operation"
        and n.value is not None
        and n.shape == leaf.shape
        and np.array_equal(n.value, leaf.data)
    ]
    return found


@pytest.mark.parametrize("dtype", ERROR)
def test_twenty_steps_of_gradient_descent_are_those_of_sgd(page, dtype):
    mg.set_default_dtype(dtype)
    try:
        leaves, loss = mlp()
        graph = recorded(loss)
        made = tape_of(graph)
        numbers_of = [number_of(graph, leaf) for leaf in leaves]
        pairs = [[made.value_slots[n], made.gradient_slots[n]] for n in numbers_of]
        case = packed(
            made, learners=pairs, rate=0.3, steps=20, loss=made.value_slots[graph.roots[0]]
        )
        learner = optim.SGD(leaves, lr=0.3)
        losses = []
        for step in range(21):
            value = loss()
            losses.append(value.item())
            if step < 20:
                learner.zero_grad()
                value.backward()
                learner.step()
        ((found, *arrays),) = page([case], "return data.map(descended);")
        error = 100 * ERROR[dtype]  # each step begins with the rounding of those before it
        assert close(np.array(found), losses, 1, error)
        assert losses[20] < losses[0] / 2
        for leaf, got in zip(leaves, arrays):
            assert close(as_array(got, leaf.data), leaf.data, np.abs(leaf.data).max(), error)
    finally:
        mg.set_default_dtype(np.float32)
