"""How large a graph may be, how long it takes, and how long it lives."""

import contextlib
import copy
import gc
import importlib.util
import pathlib
import sys
import weakref

import numpy as np
import pytest
from leaves import positive_leaf

import minigrad as mg
from minigrad import errors
from minigrad import functional as F
from minigrad.engine.table import TABLE
from minigrad.engine.walk import walk


@contextlib.contextmanager
def collector_off(clean=True):
    if clean:  # where what it would find is counted
        gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextlib.contextmanager
def shallow():
    """Within it, even a little recursion is too much."""
    limit = sys.getrecursionlimit()
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + 60)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


# --- size -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "n", [20_000, pytest.param(200_000, marks=pytest.mark.slow)], ids=["2e4", "2e5"]
)
def test_a_long_chain_needs_no_recursion(n):
    """Neither the walk, nor copies, nor letting go of it."""
    x = mg.Tensor(1.0, requires_grad=True)
    with shallow():
        y = x
        for _ in range(n):
            y = y + 1.0
        twins = copy.copy(y), copy.deepcopy(y), copy.deepcopy([y, {"y": y}])
        y.backward()
        del y, twins
    assert x.grad.item() == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("mode", [contextlib.nullcontext, mg.detect_anomaly])
def test_a_long_chain_that_is_never_walked_goes_away_without_recursion(mode):
    x = positive_leaf()
    with shallow(), mode():
        y = x
        for _ in range(30_000):
            y = np.tanh(y)
        last = weakref.ref(y._node)
        del y
        assert last() is None


def test_a_long_chain_with_create_graph():
    x = mg.Tensor(0.5, requires_grad=True, dtype=np.float64)
    y = x
    with shallow():
        for _ in range(2_000):
            y = y * 1.0001
        (y * y).backward(create_graph=True)
        first, x.grad = x.grad, None
        first.backward()
        del first, y
    np.testing.assert_allclose(x.grad.item(), 2 * 1.0001**4000)


def test_a_ladder_of_sixty_diamonds_is_walked_once():
    """Every rung doubles the number of paths: 2 to the 60, and each node is still visited once."""
    x = mg.Tensor(1.0, requires_grad=True, dtype=np.float64)
    y = x
    for _ in range(60):
        y = y + y
    y.backward()
    assert x.grad.item() == 2.0**60
    z = x
    for _ in range(60):
        z = z * 0.75 + z * 0.5
    *_, leaf_step = steps = list(mg.steps(z))
    assert len(steps) == 3 * 60 + 1
    np.testing.assert_allclose(leaf_step.gradient, 1.25**60)


@pytest.mark.slow
def test_a_wide_graph_is_walked_once():
    """One tensor used ten thousand times: its gradients are added in place."""
    x = mg.Tensor(np.ones(3), requires_grad=True)
    total = np.sum(np.stack([x] * 5_000)) + sum((x.sum() for _ in range(5_000)), start=0.0)
    total.backward()
    np.testing.assert_array_equal(x.grad.numpy(), 10_000)


def instructions(function):
    """How many of Python's instructions a call of `function` takes."""
    count = 0

    def watch(frame, event, _):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def test_work_grows_in_proportion_to_the_tensors_in_a_list():
    def work(n):
        y = np.sum(np.concatenate([positive_leaf(1) for _ in range(n)]) ** 2)
        return instructions(lambda: y.backward(create_graph=True))

    assert work(400) < 5 * work(100)


@pytest.mark.parametrize("number", [0.5, True, np.float64(0.5)])
def test_a_list_of_numbers_is_no_work_for_each_of_them(number):
    assert instructions(lambda: mg.Tensor([number] * 5_000)) < 5_000


@pytest.mark.slow
def test_time_grows_in_proportion_to_the_number_of_operations():
    path = pathlib.Path(__file__).parents[2] / "benchmarks" / "scale.py"
    spec = importlib.util.spec_from_file_location("scale", path)
    scale = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scale)
    for _ in range(3):  # other work on the machine can slow down any one of them
        curve = scale.curve((5_000, 30_000, 200_000))
        each = [(forward + backward) / n for n, forward, backward in curve]
        if each[-1] < 3 * min(each):
            break
    assert each[-1] < 3 * min(each), curve


# --- lifetime -------------------------------------------------------------------------------------


class Net(mg.nn.Module):
    """A bit of everything that a model does."""

    def __init__(self):
        self.table = mg.nn.Embedding(7, 6)
        self.query, self.key = mg.nn.Linear(6, 6), mg.nn.Linear(6, 6)
        self.out = mg.nn.Sequential(mg.nn.Linear(6, 7))
        self.dropout = mg.nn.Dropout(0.1)

    def forward(self, ids):
        x = self.dropout(self.table(ids))  # (B, T, D)
        scores = self.query(x) @ np.swapaxes(self.key(x), -1, -2)  # (B, T, T)
        scores = np.where(np.tri(ids.shape[1], dtype=bool), scores, -np.inf)
        x = F.standardize(x + F.softmax(scores) @ x)
        x = np.concatenate([np.tanh(x), x], axis=-1)[..., ::2]
        return self.out(F.relu(x) + np.std(x, axis=-1, keepdims=True))


def training(optimizer):
    mg.manual_seed(0)
    net, ids = Net(), np.arange(12).reshape(3, 4) % 7
    opt = optimizer(net.parameters(), lr=1e-3)

    def step():
        opt.zero_grad()
        loss = F.cross_entropy(net(ids), ids)
        loss.backward()
        mg.optim.clip_grad_norm(net.parameters(), 1.0)
        opt.step()
        return loss.item()

    return step


def blocks_in_use():
    """Pieces of memory that Python has given out: arrays too, of which the collector knows nothing.

    A collection with everything frozen frees no cycle, only what Python keeps for reuse.
    """
    gc.freeze()
    gc.collect()
    gc.unfreeze()
    return sys.getallocatedblocks()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("optimizer", "steps"),
    [(mg.optim.Adam, 50), (mg.optim.SGD, 50), (mg.optim.AdamW, 1_000)],
)
def test_training_leaves_nothing_for_the_garbage_collector(optimizer, steps):
    step = training(optimizer)
    with collector_off():
        for _ in range(10):
            step()
        blocks, objects = blocks_in_use(), len(gc.get_objects())  # the first unfreezes objects
        for _ in range(steps):
            step()
        assert len(gc.get_objects()) - objects < 10
        if steps >= 1_000:  # Python's own stores grow by some hundred before they are full
            assert blocks_in_use() - blocks < steps  # not one array more for each step
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            gc.collect()
            garbage = [o for o in gc.garbage if type(o).__module__.startswith("minigrad")]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
    assert garbage == []


USES = {
    "nothing": lambda x: None,
    "backward": lambda x: x.sum().backward(),
    "retain_graph": lambda x: (x.T @ x).sum().backward(retain_graph=True),
    "steps": lambda x: list(mg.steps(np.tanh(x).sum())),
    "half the steps": lambda x: next(mg.steps(np.tanh(x).sum())),
    "retain_grad": lambda x: (x * 2).retain_grad().sum().backward(),
    "deepcopy": lambda x: copy.deepcopy(x),
    "detach": lambda x: x.detach()[0],
    "split": lambda x: np.split(x, 3)[0] * next(iter(x)),
    "gradcheck": lambda x: mg.gradcheck(np.tanh, x, order=2),
    "vjp": lambda x: mg.vjp(np.tanh, x)[1](x),
    "jacobian": lambda x: mg.jacobian(np.tanh)(x[0]),
    "grad": lambda x: mg.grad(lambda x: np.sum(x**3))(x),
    "hessian": lambda x: mg.hessian(lambda x: np.sum(x**3))(x[:2, 0]),
    "jvp": lambda x: mg.jvp(np.tanh, x, x),
    "graph": lambda x: mg.graph(np.tanh(x).sum()).summary(),
}
GRADIENTS_WITH_A_GRAPH = ("vjp", "jacobian", "grad", "hessian", "jvp")


@pytest.mark.parametrize("mode", [contextlib.nullcontext, mg.record, mg.no_grad])
@pytest.mark.parametrize("name", USES)
def test_tensors_go_away_with_their_last_reference(name, mode):
    def used():
        x = positive_leaf(3, 2)
        with mode(), contextlib.suppress(errors.GraphError):  # no_grad() has no backward
            USES[name](x)
        return weakref.ref(x), weakref.ref(x.node)

    if mode is mg.record and name in GRADIENTS_WITH_A_GRAPH:
        pytest.skip("record() keeps gradients beside what they were computed from: a cycle")
    with collector_off(clean=False):
        assert [part() for part in used()] == [None, None]


@pytest.mark.slow
def test_a_failed_call_keeps_nothing():
    with collector_off():
        x = positive_leaf(3, 2)
        with pytest.raises(errors.ShapeError):
            x @ x
        x = weakref.ref(x)
    gc.collect()  # the traceback itself is a cycle
    assert x() is None


def raising(problem):
    def rule(g, y, x):
        raise problem("mine")

    return rule


def of_another_shape(g, y, x):
    return np.zeros(7)


FAILURES = {  # errors of every place through which one passes
    "an operation": lambda x: np.linalg.inv(x),
    "a definition": lambda x: F.cross_entropy(x, [9, 9, 9]),
    "a function without an entry": lambda x: np.spacing(x),
    "a rule that gives another shape": lambda x: backward_through(of_another_shape, x),
    "a rule that raises": lambda x: backward_through(raising(ValueError), x),
    "a rule with another error": lambda x: backward_through(raising(KeyError), x),
    "a rule that ends a loop": lambda x: backward_through(raising(StopIteration), x),
    "a freed graph": lambda x: [loss := np.sum(x * x), loss.backward(), loss.backward()],
    "a gradient of a function": lambda x: mg.grad(lambda x: np.linalg.inv(x))(x),
    "within a recording": lambda x: recorded(lambda: backward_through(of_another_shape, x)),
}


def backward_through(rule, x):
    np.sum(mg.rule(lambda x: x * 1, rule)(np.exp(x))).backward()


def recorded(call):
    with mg.record():
        call()


@pytest.mark.parametrize("name", FAILURES)
def test_an_error_that_was_caught_leaves_nothing_for_the_garbage_collector(name):
    """An error that a variable of its own traceback names would keep the graph alive."""

    def fails():
        x = positive_leaf(3, 2)
        array = weakref.ref(x._array)
        try:
            FAILURES[name](x)
        except (errors.MinigradError, KeyError):
            return array

    fails()  # what is imported when the first error is written
    with collector_off():
        assert fails()() is None


@pytest.mark.slow
def test_rules_and_definitions_made_in_a_loop_end_with_their_functions():
    """With what their closures hold."""

    def step():
        held = positive_leaf(100)
        twice = mg.rule(lambda x: x * 2 + 0 * held.data[0], lambda g, _y, _x: 2 * g)
        four = mg.definition(lambda x: twice(twice(x)))
        x = positive_leaf(3)
        np.sum(four(x)).backward()
        np.testing.assert_array_equal(x.grad, [4, 4, 4])
        return weakref.ref(held)

    step()
    gc.collect()
    before = len(TABLE), list(TABLE)
    held = [step() for _ in range(100)]
    gc.collect()
    assert (len(TABLE), list(TABLE)) == before
    assert not any(one() for one in held)


def test_arrays_that_nodes_kept_are_released_as_the_walk_passes():
    """Each array dies once its node has been walked, not when the whole pass is over."""
    x = positive_leaf(4)
    y = x
    arrays = []
    for _ in range(10):
        y = np.tanh(y * 0.5)
        arrays.append(weakref.ref(y._array))
    loss = np.sum(y)
    del y
    assert all(array() is not None for array in arrays)
    alive = []
    for visit in walk({loss._node: np.ones((), np.float32)}):
        visit.node.saved = None
        del visit
        alive.append(sum(array() is not None for array in arrays))
    assert alive[0] == 10
    assert alive == sorted(alive, reverse=True)
    assert alive[-1] == 0
    assert sorted(set(alive)) == list(range(11))
    assert loss._node.saved is None


def test_backward_releases_what_nodes_kept_and_the_loss_stays():
    x = positive_leaf(4)
    y = np.exp(x)
    array = weakref.ref(y._array)
    loss = np.sum(y * y)
    del y
    loss.backward()
    assert array() is None
    assert np.isfinite(loss.item())


@pytest.mark.slow
@pytest.mark.parametrize("walked", [False, True])
def test_a_loop_within_detect_anomaly_keeps_no_step(walked):
    x, arrays = positive_leaf(4), []
    with mg.detect_anomaly(), collector_off():
        for _ in range(3):
            y = np.exp(x)
            arrays.append(weakref.ref(y._array))
            loss = np.sum(y * y)
            if walked:
                loss.backward()
            del y, loss
        assert all(array() is None for array in arrays)


def test_what_no_rule_reads_is_not_kept():
    x = positive_leaf(4)
    y = x * 2
    array = weakref.ref(y._array)
    loss = np.sum((y + 1).reshape(2, 2).T)
    del y
    assert array() is None
    loss.backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2)


@pytest.mark.slow
def test_gradients_with_a_graph_make_a_cycle_that_ends_with_the_gradient():
    """x.grad was computed from x: as long as x's leaf holds it, each keeps the other."""
    with collector_off():
        x = positive_leaf(3)
        np.sum(x**3).backward(create_graph=True)
        alive = weakref.ref(x.grad)
        del x
        assert alive() is not None
        gc.collect()
        assert alive() is None
        x = positive_leaf(3)
        np.sum(x**3).backward(create_graph=True)
        alive = weakref.ref(x.grad)
        x.grad = None
        assert alive() is None
        (g,) = (mg.grad(lambda x: np.sum(x**3))(x),)  # returned, not kept: no cycle
        alive = weakref.ref(g)
        del g
        assert alive() is None


# --- dtypes and odd arrays ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_walk_keeps_the_dtype_of_every_leaf(dtype):
    x, w = positive_leaf(3, 4, dtype=dtype), positive_leaf(4, dtype=dtype)
    y = np.mean(np.sqrt(x) * 2 + x @ w[:, None] / 3, axis=0) ** 2.5
    (np.max(y) + np.std(y) * 0.1 + np.sum(np.where(y.data > 1, y, 0.5))).backward()
    assert x.grad.dtype == dtype
    assert w.grad.dtype == dtype


def test_each_leaf_has_a_gradient_of_its_own_dtype():
    x, w = positive_leaf(3, dtype=np.float32), positive_leaf(3, dtype=np.float64)
    np.sum(x * w).backward()
    assert (x.grad.dtype, w.grad.dtype) == (np.float32, np.float64)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0), (1, 1, 1), (1,)])
def test_empty_and_small_arrays(shape):
    x, w = positive_leaf(*shape), positive_leaf(*shape[-1:])
    loss = np.sum(np.exp(x) * w + x) + np.sum(x * 2, axis=None)
    loss.backward()
    assert x.grad.shape == shape
    assert w.grad.shape == shape[-1:]
    np.testing.assert_allclose(x.grad.numpy(), np.exp(x.data) * w.data + 3)


@pytest.mark.parametrize(
    "make",
    [
        np.asfortranarray,
        lambda a: a[::-1, ::-1],
        lambda a: np.broadcast_to(a[:1], a.shape),
        lambda a: np.ascontiguousarray(a.T).T,
        lambda a: np.lib.stride_tricks.as_strided(a, a.shape, a.strides, writeable=False),
    ],
    ids=["Fortran", "negative strides", "broadcast", "transposed", "read-only"],
)
def test_arrays_of_every_layout_are_the_same_to_a_walk(make):
    array = make(np.random.default_rng(0).random((3, 4)))
    layouts = []
    for values in (array, np.array(array, order="C")):
        x = mg.Tensor(values, requires_grad=True)
        np.sum(np.tanh(x * values) @ values.T).backward()
        np.sum(x.reshape(4, 3)[1:, ::2].T * 2).backward(make(np.ones((1, 1)))[0, 0])
        layouts.append(x.grad.numpy())
    np.testing.assert_array_equal(*layouts)
