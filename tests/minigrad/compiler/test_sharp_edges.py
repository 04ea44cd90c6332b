"""What a compiled function may not take for granted: it gives the plain run's numbers, or an error."""

import collections
import copy
import enum
import functools
import operator
import pickle
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from leaves import leaf

import minigrad as mg
from minigrad import errors, nn
from minigrad import functional as F

rng = np.random.default_rng(0)
START = rng.bit_generator.state


@pytest.fixture(autouse=True)
def draws_from_the_start():
    """Each test draws the same numbers, whichever ran before it."""
    rng.bit_generator.state = START


def array(*shape):
    return rng.standard_normal(shape)


def new_leaf(*shape):
    return leaf(array(*shape))


def numbers_of(function, args, leaves):
    """What a call gives, and the gradients of leaves."""
    for x in leaves:
        x.grad = None
    y = function(*args)
    y.backward()
    return [y.data, *(x.grad.data for x in leaves if x.grad is not None)]


def assert_alike(function, calls, leaves=(), may_refuse=False):
    """Each call gives what the plain function gives, and the leaves the same gradients; or is refused,
    where it `may_refuse`.

    A call is what the arguments are, or a function that changes what is outside and returns them.
    """
    step = mg.compile(function, exact=True)
    refused = False
    for call in calls:
        args = call() if callable(call) else call
        plain = numbers_of(function, args, leaves)
        try:
            compiled = numbers_of(step, args, leaves)
        except errors.GraphError:
            if not may_refuse:
                raise
            refused = True
            continue
        assert len(plain) == len(compiled)
        for one, other in zip(plain, compiled):
            np.testing.assert_array_equal(one, other)
    assert refused or step.source


W = new_leaf(4)


def test_one_array_given_twice_is_one_argument_and_two_are_two():
    f = lambda a, b: np.sum(W * a * np.square(b))
    a = array(4)
    assert_alike(f, [(a, a)] * 4 + [(array(4), array(4)) for _ in range(4)] + [(a, a)], [W])
    x = new_leaf(4)
    assert_alike(lambda a, b: np.sum(a * b * b), [(x, x)] * 4 + [(x, new_leaf(4))] * 4, [x])


def test_an_argument_that_stands_outside_too_is_no_argument_alone():
    f = lambda x: np.sum(x * W * W)
    assert_alike(f, [(W,)] * 4 + [(new_leaf(4),)] * 4, [W])


LAYOUTS = {
    "rows": lambda a: a,
    "columns": lambda a: np.asfortranarray(a),
    "turned": lambda a: np.ascontiguousarray(a.T).T,
    "backwards": lambda a: a[::-1, ::-1],
    "with gaps": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "some columns": lambda a: np.hstack([a, a])[:, 3 : 3 + a.shape[1]],
    "one row": lambda a: np.broadcast_to(a[0], a.shape),
    "one column": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "windows": lambda a: np.lib.stride_tricks.sliding_window_view(a.ravel(), a.shape[1])[: len(a)],
}
TABLE = leaf(rng.standard_normal((50, 64)).astype(np.float32))


@pytest.mark.parametrize("of", [lambda a: a, mg.Tensor], ids=["an array", "a tensor"])
def test_the_bits_are_those_of_how_an_argument_lies_in_memory(of):
    f = lambda x: np.sum(np.square(x) @ TABLE.T) * np.sum(np.square(x))
    a = [array(50, 64).astype(np.float32) for _ in range(4)]
    assert_alike(f, [(of(lie(one)),) for lie in LAYOUTS.values() for one in a], [TABLE])


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_a_reshape_has_its_order(order, exact):
    def f(x, w):
        y = np.reshape(x * w if order != "A" else x, (5, 4), order=order)
        return np.sum(y * np.arange(20.0).reshape(5, 4)) * np.sum(w)

    step = mg.compile(f, exact=exact)
    for k in range(12):
        w, x = new_leaf(4, 5), mg.Tensor(np.array(array(4, 5), order="CF"[k % 2]))
        np.testing.assert_allclose(*[numbers_of(g, (x, w), [w])[1] for g in (f, step)])


def swapped_in_a_list():
    weights = [new_leaf(4)]
    return lambda a: np.sum(weights[0] * a), lambda: weights.__setitem__(0, new_leaf(4))


def swapped_in_a_dict():
    weights = {"w": new_leaf(4)}
    return lambda a: np.sum(weights["w"] * a), lambda: weights.update(w=new_leaf(4))


def swapped_deep_inside():
    weights = {"layers": [SimpleNamespace(w=new_leaf(4))]}
    f = lambda a: np.sum(weights["layers"][0].w * a)
    return f, lambda: setattr(weights["layers"][0], "w", new_leaf(4))


def swapped_in_a_method():
    class Model:
        def __init__(self):
            self.w, self.scale = new_leaf(4), 1.0

        def loss(self, a):
            return np.sum(self.w * a) * self.scale

    model = Model()
    return model.loss, lambda: vars(model).update(w=new_leaf(4), scale=model.scale + 1)


def swapped_in_an_object_that_is_called():
    class Model:
        w = None

        def __call__(self, a):
            return np.sum(self.w * a)

    model = Model()
    model.w = new_leaf(4)
    return model, lambda: setattr(model, "w", new_leaf(4))


def swapped_in_a_default():
    def f(a, w=new_leaf(4)):  # noqa: B008
        return np.sum(w * a)

    return f, lambda: setattr(f, "__defaults__", (new_leaf(4),))


def swapped_in_a_partial():
    options = {"w": new_leaf(4)}
    f = functools.partial(lambda a, options: np.sum(options["w"] * a), options=options)
    return f, lambda: options.update(w=new_leaf(4))


def a_number_in_a_closure():
    scale = 1.0

    def f(a):
        inner = lambda: np.sum(W * a) * scale
        return inner()

    def change():
        nonlocal scale
        scale += 1

    return f, change


SCALE = 1.0


def scaled(a):
    return np.sum(W * a) * SCALE


def a_global_of_a_helper():
    def change():
        global SCALE
        SCALE += 1

    return lambda a: scaled(a), change


def another_mode_of_a_module_that_is_not_called():
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)).astype(np.float64)
    return lambda a: np.sum(model.forward(a)), lambda: model.train(not model.training)


def a_number_in_a_list_that_a_loop_goes_over():
    scales = [1.0, 2.0]
    f = lambda a: np.sum(sum(scale * W for scale in scales) * a)
    return f, lambda: scales.__setitem__(1, 5.0)


def an_item_whose_key_is_computed():
    scales = {"ab": 1.0}
    return lambda a: np.sum(W * a) * scales["a" + "b" * len(a[:1])], lambda: scales.update(ab=3.0)


def a_property_and_a_method_and_an_attribute_of_the_class():
    class Model:
        per, w = 1.0, new_leaf(4)

        def __init__(self):
            self.own = 1.0

        @property
        def scale(self):
            return self.own * 2

        def scaled(self, y):
            return y * self.scale * self.per

        def loss(self, a):
            return self.scaled(np.sum(self.w * a))

    model = Model()

    def change():
        model.own += 1
        Model.per += 1

    return model.loss, change


def an_array_that_is_written():
    mask = np.array([1.0, 0.0, 1.0, 1.0])
    return lambda a: np.sum(W * a * mask), lambda: mask.__setitem__(0, 0.0)


settings = types.ModuleType("settings")
settings.scale = 1.0


def an_attribute_of_a_module_of_pythons():
    return lambda a: np.sum(W * a) * settings.scale, lambda: setattr(settings, "scale", 4.0)


def an_item_of_a_module_of_pythons():
    settings.sizes = [1.0]
    return lambda a: np.sum(W * a) * settings.sizes[0], lambda: settings.sizes.append(
        settings.sizes.pop() + 1
    )


class Constants:
    scale = 1.0

    class Inner:
        scale = 1.0

    @staticmethod
    def fixed():
        return SCALE

    @classmethod
    def own(cls):
        return cls.scale


def an_attribute_of_a_class_that_is_named():
    def change():
        Constants.scale += 1

    return lambda a: np.sum(W * a) * Constants.scale, change


def an_attribute_of_a_class_in_a_class():
    def change():
        Constants.Inner.scale += 1

    return lambda a: np.sum(W * a) * Constants.Inner.scale, change


def an_attribute_in_a_method_of_the_class():
    def change():
        Constants.scale += 1

    return lambda a: np.sum(W * a) * Constants.own(), change


def a_global_in_a_static_method():
    _, change = a_global_of_a_helper()
    constants = Constants()
    return lambda a: np.sum(W * a) * constants.fixed(), change


class Table:
    """Its methods are called by Python itself, and it has no dict."""

    __slots__ = ("number",)

    def __getitem__(self, i):
        return self.number

    def __len__(self):
        return self.number


def a_slot():
    table = Table()
    table.number = 1
    return lambda a: np.sum(W * a) * table.number, lambda: setattr(table, "number", 2)


def an_item_by_a_method_of_its_class():
    table = Table()
    table.number = 1
    return lambda a: np.sum(W * a) * table[0], lambda: setattr(table, "number", 2)


def a_length_by_a_method_of_its_class():
    table = Table()
    table.number = 1
    return lambda a: np.sum(W * a) * len(table), lambda: setattr(table, "number", 2)


def an_item_of_a_deque():
    scales = collections.deque([1.0])
    return lambda a: np.sum(W * a) * scales[0], lambda: scales.appendleft(2.0)


def an_attribute_of_a_function():
    def scale():
        return scale.number

    scale.number = 1.0
    return lambda a: np.sum(W * a) * scale(), lambda: setattr(scale, "number", 2.0)


def the_code_of_a_function_that_a_notebook_loads_again():
    def scaled(a):
        return np.sum(W * a)

    def other(a):
        return np.sum(W * a) * 2

    return lambda a: scaled(a), lambda: setattr(scaled, "__code__", other.__code__)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(array(4))

    def forward(self, a):
        return np.sum(self.weight * a) * SCALE


def a_global_in_the_forward_of_a_module():
    _, change = a_global_of_a_helper()
    model = Scaled()
    return lambda a: model(a), change


def a_global_in_the_forward_of_a_module_that_is_compiled():
    _, change = a_global_of_a_helper()
    return Scaled(), change


def the_gradient_of_a_tensor():
    w = new_leaf(4)
    w.grad = array(4)
    return lambda a: np.sum(W * w.grad * a), lambda: setattr(w, "grad", array(4) * 2)


def whether_a_tensor_has_a_gradient():
    w = new_leaf(4)
    f = lambda a: np.sum(W * a) if w.grad is None else np.sum(W * w.grad * a)
    return f, lambda: setattr(w, "grad", array(4))


def a_large_array_that_is_written():
    scales = np.ones((100, 200))
    return lambda a: np.sum(W * scales[0, 0] * a), lambda: np.multiply(scales, 2, out=scales)


def an_array_that_comes_to_lie_otherwise():
    kept = {"scales": array(4, 5)}
    f = lambda a: np.sum(W * a * np.ravel(kept["scales"], order="A")[:4])
    return f, lambda: kept.update(scales=np.asfortranarray(kept["scales"]))


def a_property_in_another_file():
    optimizer = mg.optim.SGD([new_leaf(4)], lr=0.5)
    return lambda a: np.sum(W * a) * optimizer.lr, lambda: setattr(optimizer, "lr", 0.25)


def a_global_of_a_rule():
    _, change = a_global_of_a_helper()
    scaled = mg.rule(lambda x: x * 1, lambda g, _y, _x: g * SCALE)
    return lambda a: np.sum(scaled(W) * a), change


def a_global_of_the_function_of_a_rule():
    _, change = a_global_of_a_helper()
    scaled = mg.rule(lambda x: x * SCALE, lambda g, _y, _x: g)
    return lambda a: np.sum(scaled(W) * a), change


def a_global_of_a_definition():
    _, change = a_global_of_a_helper()

    @mg.definition
    def scaled(x):
        return x * SCALE

    return lambda a: np.sum(scaled(W) * a), change


OUTSIDE = [
    the_gradient_of_a_tensor, whether_a_tensor_has_a_gradient, a_large_array_that_is_written,
    an_array_that_comes_to_lie_otherwise, a_property_in_another_file,
    a_global_of_a_rule, a_global_of_the_function_of_a_rule, a_global_of_a_definition,
    an_item_of_a_module_of_pythons, an_attribute_of_a_class_that_is_named,
    an_attribute_of_a_class_in_a_class, an_attribute_in_a_method_of_the_class,
    a_global_in_a_static_method, a_slot, an_item_by_a_method_of_its_class,
    a_length_by_a_method_of_its_class, an_item_of_a_deque, an_attribute_of_a_function,
    the_code_of_a_function_that_a_notebook_loads_again, a_global_in_the_forward_of_a_module,
    a_global_in_the_forward_of_a_module_that_is_compiled,
    a_number_in_a_list_that_a_loop_goes_over, an_item_whose_key_is_computed,
    a_property_and_a_method_and_an_attribute_of_the_class, an_array_that_is_written,
    an_attribute_of_a_module_of_pythons,
    swapped_in_a_list, swapped_in_a_dict, swapped_deep_inside, swapped_in_a_method,
    swapped_in_an_object_that_is_called, swapped_in_a_default, swapped_in_a_partial,
    a_number_in_a_closure, a_global_of_a_helper, another_mode_of_a_module_that_is_not_called,
]  # fmt: skip


@pytest.mark.parametrize("make", OUTSIDE, ids=lambda make: make.__name__)
def test_what_is_outside_may_change_between_calls(make):
    function, change = make()
    a = array(4)

    def changed():
        change()
        return (a,)

    mg.manual_seed(0)
    calls = [(a,)] * 4 + [changed] + [(a,)] * 4
    if "mode" not in make.__name__:  # draws differ between the two runs
        assert_alike(function, calls)
        return
    step = mg.compile(function, exact=True)
    for call in calls:
        args = call() if callable(call) else call
        results = []
        for f in (function, step):
            mg.manual_seed(1)
            results.append(f(*args).item())
        assert results[0] == results[1]


def by_boolean_index(a):
    return np.sum(W * np.sum(np.square(a)[a > 0]))


def by_flatnonzero(a):
    return np.sum(W) * np.sum(a[np.flatnonzero(a > 0)])


def by_repeat(a):
    return np.sum(W) * np.sum(np.repeat(mg.Tensor(a), (a > 0).astype(int)))


def by_a_copy(a):
    mask = np.array(a > 0)
    return np.sum(np.where(mask, W, 2 * W))


def by_a_written_mask(a):
    mask, seen = a > 0, np.zeros(4)
    seen[mask] = 1
    return np.sum(W * seen)


def by_a_float(a):
    return np.sum(W) * np.float64(np.sum(a > 0))


def by_text(a):
    return np.sum(W) * float(f"{np.sum(a > 0)}")


def by_flat(a):
    return np.sum(W * np.array(list((a > 0).flat)))


def by_asarray(a):
    return np.sum(W * np.asarray(a)[::-1])


def by_a_list(a):
    return np.sum(W * np.array(a.tolist()))


def by_array_equal(a):
    return np.sum(W) * (2.0 if np.array_equal(mg.Tensor(a) > 0, np.array([True] * 4)) else 1.0)


def by_where(a):
    return np.sum(W[np.where(mg.Tensor(a) > 0)])


BY = [
    by_boolean_index, by_flatnonzero, by_repeat, by_a_copy, by_a_written_mask, by_a_float, by_text,
    by_flat, by_asarray, by_a_list, by_array_equal, by_where,
]  # fmt: skip


@pytest.mark.parametrize("function", BY, ids=lambda f: f.__name__)
@pytest.mark.parametrize("first", ["one array", "as many positive", "others"])
def test_what_is_made_of_an_argument_is_made_anew_or_refused(function, first):
    same = np.array([1.0, -2.0, 3.0, -4.0])
    if first == "as many positive":
        same = np.array([1.0, -1.0, 1.0, 1.0])
    calls = [(same,)] * 4 if first != "others" else [(array(4),) for _ in range(4)]
    others = [np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 2.0, 3.0, -1.0]), -same, array(4)]
    assert_alike(function, [*calls, *((a,) for a in others)], [W], may_refuse=True)


def test_a_plain_result_that_nothing_uses_is_refused_only_if_a_constant_may_be_of_it():
    def unused(a):
        _ = a > 0, np.mean(a), np.stack([a, a])
        return np.sum(W * a * np.ones(4))

    assert_alike(unused, [(array(4),) for _ in range(6)], [W])
    step = mg.compile(lambda a: np.sum(W * np.array([np.sum(a > 9)])))
    with pytest.raises(errors.GraphError, match="takes numbers out of the graph"):
        [step(array(4)) for _ in range(3)]


OF_A_LEAF = {
    "data": lambda w: w.data * 2,
    "a row of data": lambda w: w.data[:1],
    "a number of data": lambda w: np.abs(w.data).max(),
    "a mask of data": lambda w: np.where(w.data > 0, 1.0, 2.0),
    "a copy": lambda w: w.detach().numpy(),
    "a tensor of a copy": lambda w: mg.Tensor(w.data + 1),
    "a state": lambda w: kept_in(w).state_dict()["w"],
    "by asarray": lambda w: np.asarray(w.detach()) * 2,
    "by item": lambda w: w[0].item(),
    "by float": lambda w: float(w.data[0]),
    "by an array": lambda w: np.array([w.data[0], w.data[1], 1.0, 1.0]),
    "by its gradient": lambda w: 1.0 if w.grad is None else np.sum(w.grad.data),
}


def kept_in(w):
    model = nn.Module()
    model.w = w
    return model


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("name", OF_A_LEAF)
def test_what_is_made_of_a_leaf_is_made_anew_or_refused(name, at_once):
    read = OF_A_LEAF[name]
    w, a = nn.Parameter(array(4)), array(4)
    step = mg.compile(lambda a: np.sum(a * w * read(w)), exact=True, at_once=at_once)
    for k in range(8):
        plain = numbers_of(step.function, (a,), [w])
        try:
            compiled = numbers_of(step, (a,), [w])
        except errors.GraphError:
            continue
        assert [a.tolist() for a in compiled] == [a.tolist() for a in plain]
        w.data = array(4) if k > 3 else w.data
    assert name.startswith("by ") or step.source


@pytest.mark.parametrize("of", [np.array, mg.Tensor])
def test_one_hot_is_made_anew(of):
    f = lambda a: np.sum(W * F.one_hot(a, 4))
    assert_alike(f, [(of([k % 4, 3]),) for k in range(7)], [W])


MADE = {
    "a leaf and a result": lambda x: (x, x * 2),
    "two results": lambda x: (x * 2, x * 3),
    "a leaf and itself detached": lambda x: (x, x.detach()),
    "a result and itself detached": lambda x: ((y := x * 2), y.detach()),
    "a leaf and a view of it": lambda x: (x, x[::-1]),
}


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_arguments_may_be_results(made, at_once):
    function = lambda a, b: np.sum(np.tanh(a) * b)
    step = mg.compile(function, exact=True, at_once=at_once)
    for _ in range(6):
        x, found = new_leaf(4), []
        for f in (function, step):
            x.grad = None
            y = f(*made(x))
            y.backward()
            found.append([y.item(), *x.grad.data])
        assert found[0] == found[1]
    assert step.source


def test_results_of_calls_that_ran_as_they_are_may_be_arguments():
    step = mg.compile(lambda h, x: np.tanh(h * W + x))
    for _ in range(4):
        h = new_leaf(4)
        for _ in range(3):
            h = step(h, array(4))
    assert step.source
    with pytest.raises(errors.GraphError, match="one function that makes both calls"):
        np.sum(h).backward()


OPTIMIZER = mg.optim.SGD([W], lr=0.1)
BUFFER = np.zeros(20_000)  # too large to be looked at as a whole
EFFECTS = {
    "W.copy_(a)": lambda a: W.copy_(a),
    "W.data = a": lambda a: setattr(W, "data", a),
    "W.zero_()": lambda _: W.zero_(),
    "W.grad = None": lambda _: setattr(W, "grad", None),
    "zero_grad": lambda _: OPTIMIZER.zero_grad(),
    "step": lambda _: OPTIMIZER.step(),
    "lr": lambda _: setattr(OPTIMIZER, "lr", 0.1),
    "backward": lambda a: np.sum(W * a).backward(),
    "manual_seed": lambda _: mg.manual_seed(0),
    "a += 1": lambda a: operator.iadd(a, 1),
    "a[0] = 1": lambda a: operator.setitem(a, 0, 1),
    "out": lambda a: np.multiply(a, 2, out=BUFFER[1:5]),
}


@pytest.mark.parametrize("effect", EFFECTS.values(), ids=EFFECTS)
def test_what_a_program_would_leave_out_is_refused_with_the_line(effect):
    before = W.data
    W.grad = array(4)  # else step() warns

    def function(a):
        effect(a)
        return np.sum(W * a)

    step = mg.compile(function)
    try:
        step(array(4))
        with pytest.raises(errors.GraphError, match=r"a compiled function .* at test_sharp_edges"):
            step(array(4)), step(array(4))  # the first may have changed what is outside
    finally:
        W.data, W.grad = before, None


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.linalg.pinv(x) ** 2),
        lambda x: np.sum(np.linalg.lstsq(x, x[0])[0] ** 2),
        lambda x: np.sum(np.linalg.svd(x)[0] ** 3),
        lambda x: np.sum(np.linalg.qr(x)[0] ** 3),
        lambda x: np.sum(np.linalg.eigh(x)[1] ** 3),
    ],
    ids=["pinv", "lstsq", "svd", "qr", "eigh"],
)
def test_factors_of_a_matrix_have_the_checks_of_the_function_itself(function):
    """A derivative that one matrix has, another lacks: the program looks again at each."""
    step = mg.compile(function, exact=True)
    for _ in range(4):
        a, found = array(3, 3), []
        for f in (function, step):
            x = mg.Tensor(a @ a.T + np.eye(3), requires_grad=True)
            f(x).backward()
            found.append(x.grad.data)
        np.testing.assert_array_equal(*found)
    assert step.source
    assert str(step.memory())
    for f in (function, step):
        with pytest.raises(errors.GraphError, match=r"no derivative"):
            f(mg.Tensor(np.zeros((3, 3)), requires_grad=True)).backward()


@pytest.mark.parametrize("at_once", [False, True])
def test_a_tensor_outside_that_is_the_result_itself_is_read_again(at_once):
    w, x = new_leaf(4), new_leaf(4)
    step = mg.compile(lambda x: w, at_once=at_once)
    for _ in range(6):
        w.grad = None
        y = step(x)
        y.backward(np.ones(4))
        np.testing.assert_array_equal(y.data, w.data)
        np.testing.assert_array_equal(w.grad.data, np.ones(4))
        w.data += 1


DETACHED = {
    "alone": lambda x, w: np.sum(x * w.detach()),
    "before itself": lambda x, w: np.sum(x * w.detach() * w),
    "after itself": lambda x, w: np.sum(w * x * w.detach()),
    "twice detached": lambda x, w: np.sum(x * w.detach().detach()),
}


@pytest.mark.parametrize("changes_from", [0, 4])
@pytest.mark.parametrize("f", DETACHED.values(), ids=DETACHED)
def test_a_tensor_outside_that_is_detached_is_read_again(f, changes_from):
    w, x = new_leaf(4), new_leaf(4)
    step = mg.compile(lambda x: f(x, w), exact=True)
    for k in range(8):
        assert step(x).item() == f(x, w).item()
        if k >= changes_from:
            w.data += 1
    assert step.source


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("f", [lambda v, w: v * w, lambda v, w: w.detach() * v * w])
def test_a_tensor_that_was_detached_before_is_another_one(f, at_once):
    w, x = new_leaf(4), new_leaf(4)
    v = w.detach()
    step = mg.compile(lambda x: np.sum(f(v, w) * x), exact=True, at_once=at_once)
    for k in range(8):
        assert step(x).item() == np.sum(f(v, w) * x).item()
        if k >= 4:
            w.data += 1
    assert step.source


@pytest.mark.parametrize("at_once", [False, True])
def test_a_leaf_of_the_numbers_of_a_tensor_outside_is_refused(at_once):
    w, x = new_leaf(4), new_leaf(4)
    step = mg.compile(lambda x: np.sum(w.detach().requires_grad_() * x), at_once=at_once)
    with pytest.raises(
        errors.GraphError, match="takes numbers out of the graph, at test_sharp_edges"
    ):
        step(x), step(x), step(x)


def test_a_method_is_compiled_for_each_object():
    class Model:
        def __init__(self):
            self.w = new_leaf(4)

        @mg.compile
        def loss(self, a):
            return np.sum(self.w * a)

    with pytest.raises(errors.ArgumentError, match=r"self\.loss = mg\.compile\(self\.loss\)"):
        Model().loss(array(4))


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_of_an_argument_is_made_anew_or_refused(copied):
    assert_alike(
        lambda x: np.sum(W * copied(x)),
        [(mg.Tensor(array(4)),) for _ in range(6)],
        [W],
        may_refuse=True,
    )


@pytest.mark.parametrize("at_once", [False, True])
def test_the_mask_of_a_number_is_drawn_again(at_once):
    function = lambda x: np.sum(F.dropout(np.sum(x), 0.5)) + np.sum(F.dropout(x, 0.5))
    step = mg.compile(function, exact=True, at_once=at_once)
    for seed in range(12):
        x, results = new_leaf(3), []
        for f in (function, step):
            mg.manual_seed(seed)
            results.append(f(x).item())
        assert results[0] == results[1]


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize(
    "draw",
    [
        lambda: mg.random.drawn(lambda rng: rng.random()),
        lambda: mg.generator().random(4),
        lambda: np.where(mg.random.drawn(lambda rng: rng.random()) > -1, 1.0, 2.0),
    ],
)
def test_what_is_drawn_once_is_refused(at_once, draw):
    step = mg.compile(lambda x: np.sum(x * draw()), at_once=at_once)
    with pytest.raises(errors.GraphError, match=r"draws a number|random"):
        [step(new_leaf(4)) for _ in range(3)]


def test_a_rule_that_each_call_makes_keeps_no_function_from_its_program():
    def function(a):
        k = 2.0
        return np.sum(mg.rule(lambda x: x * k, lambda g, _y, _x: g * k)(W) * a)

    assert_alike(function, [(array(4),)] * 6, [W])


def test_a_rule_whose_function_draws_is_named():
    noise = mg.rule(lambda x: x + np.random.default_rng().random(4), lambda g, _y, _x: g)
    step = mg.compile(lambda x: np.sum(noise(W) * x))
    with pytest.raises(errors.GraphError, match=r"noise #\d gives other numbers .*size=\(4,\)"):
        [step(array(4)) for _ in range(3)]


class Kind(enum.Enum):
    ADD = 1
    TAKE = 2


Batch = collections.namedtuple("Batch", "a b")


def test_arguments_of_every_kind_are_seen():
    assert_alike(lambda n: np.sum(W * n), [(np.array(float(i)),) for i in (1, 1, 1, 2, 1)])
    assert_alike(lambda n: np.sum(W * n), [(np.float32(i),) for i in (0.0, 0.0, 0.0, -0.0, 3)])
    f = lambda batch: np.sum(W * batch.a * batch.b)
    assert_alike(f, [(Batch(array(4), array(4)),) for _ in range(5)], [W])
    f = lambda d: np.sum(W * d["x"] * d["y"])
    ordered = lambda: collections.OrderedDict(x=array(4), y=array(4))
    assert_alike(f, [(ordered(),) for _ in range(5)], [W])
    f = lambda kind: np.sum(W) if kind is Kind.ADD else -np.sum(W)
    assert_alike(f, [(k,) for k in [Kind.ADD] * 4 + [Kind.TAKE] * 4])


def test_functions_as_arguments_may_be_others_and_may_change():
    class Scaled:
        scale = 1.0

        def __call__(self, x):
            return x * self.scale

    scaled = Scaled()
    f = lambda g, x: np.sum(g(W * x))
    a = array(4)
    times = lambda k: lambda: (lambda x: x * k, a)  # made in the call: the next may have its id
    step = mg.compile(f, exact=True)
    for k in (2.0, 2.0, 2.0, 2.0, 3.0, 4.0):
        assert step(*times(k)()).item() == f(*times(k)()).item()
    changed = lambda k: lambda: setattr(scaled, "scale", k) or (scaled, a)
    assert_alike(f, [(scaled, a)] * 4 + [changed(2.0)] * 4 + [changed(3.0)], [W])
    layer = nn.Linear(4, 4).astype(np.float64)
    swapped = lambda: setattr(layer, "weight", nn.Parameter(array(4, 4))) or (layer, a)
    assert_alike(lambda m, x: np.sum(m.forward(x)), [(layer, a)] * 4 + [swapped] + [(layer, a)] * 4)


@pytest.mark.parametrize(
    "argument",
    [np.ma.masked_array([1.0, 2.0]), {1}, object(), SimpleNamespace(a=1)],
)
def test_other_arguments_are_refused_by_name(argument):
    with pytest.raises(errors.ArgumentError, match="arguments of a compiled function are"):
        mg.compile(lambda a: np.sum(W))(argument)


def test_the_data_of_a_tensor_is_refused_with_a_remedy():
    with pytest.raises(errors.ArgumentError, match=r"class Data: give np\.asarray\(a\)"):
        mg.compile(lambda a: np.sum(W * a))(W.data)


def test_a_number_whose_reciprocal_overflows_still_divides():
    x = mg.Tensor(np.full((100, 100), 1e-40, np.float32), requires_grad=True)
    step = mg.compile(lambda x: np.sum(x / 1e-40))
    with mg.no_grad():  # the gradient itself is beyond float32
        for _ in range(5):
            np.testing.assert_allclose(step(x).item(), 1e4, rtol=1e-3)
    assert step.source


def test_threads_share_a_function():
    step = mg.compile(lambda a: np.sum(W * a), exact=True)
    problems = []

    def work(i):
        try:
            for _ in range(20):
                a = array(4)
                np.testing.assert_array_equal(step(a).data, np.sum(W.data * a))
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_a_table_that_two_first_calls_make_at_once_is_one_in_the_program():
    """`lru_cache` keeps the table of the call that ends first; the other call met both."""
    other_began, first_ended = threading.Event(), threading.Event()
    waits = [lambda: other_began.set() or first_ended.wait(), other_began.wait]

    @functools.lru_cache
    def table():
        if waits:
            waits.pop()()
        return np.arange(4.0)

    step = mg.compile(lambda a: np.sum(W * a * table() * table()), exact=True)
    a = array(4)
    with ThreadPoolExecutor(2) as threads:
        first, other = threads.submit(step, a), threads.submit(step, a)
        first.add_done_callback(lambda _: first_ended.set())
        losses = [first.result(), other.result(), *[step(a) for _ in range(3)]]
    assert len({loss.item() for loss in losses}) == 1
    assert step.source


def a_list_that_the_function_reads():
    known = []
    return lambda a: known.append(1) or np.sum(W * a), "known"


def a_count_of_a_module():
    class Counting(nn.Module):
        def __init__(self):
            self.count = 0

        def forward(self, a):
            self.count += 1
            return np.sum(W * a)

    model = Counting()
    return lambda a: model(a), r"model\.count"


def an_array_in_a_dict():
    state = {"mean": np.zeros(4)}
    return lambda a: state["mean"].__iadd__(1) is not None and np.sum(W * a), r"state\['mean'\]"


@pytest.mark.parametrize(
    "make", [a_list_that_the_function_reads, a_count_of_a_module, an_array_in_a_dict],
    ids=lambda make: make.__name__,
)  # fmt: skip
def test_what_is_different_at_each_call_is_named_once(make):
    function, name = make()
    step = mg.compile(function)
    with pytest.warns(UserWarning, match=f"{name} was different at each of the last 8") as seen:
        [step(array(4)) for _ in range(18)]
    assert [w.filename for w in seen] == [__file__]
    with pytest.raises(errors.GraphError, match=f"{name} was different at each call"):
        step.source


def test_at_once_what_changes_as_often_as_the_function_runs_is_refused():
    model = SimpleNamespace(mean=np.zeros(4), table=None)

    def f(a):
        model.mean = 0.9 * model.mean + 0.1
        return np.sum(W * (a - model.mean))

    def with_a_table(a):
        model.table = np.ones(4) if model.table is None else model.table
        return np.sum(W * a * model.table)

    with pytest.raises(errors.GraphError, match="changes what stands outside of it"):
        mg.compile(f, at_once=True)(array(4))
    step = mg.compile(with_a_table, at_once=True)
    step(array(4))
    assert step.source


def test_a_list_that_only_grows_keeps_no_function_from_its_program():
    class Trainer:
        def __init__(self):
            self.model, self.losses = nn.Linear(4, 1).astype(np.float64), []

        def loss(self, a):
            return F.mse_loss(self.model(a), np.zeros((3, 1)))

    trainer = Trainer()
    step = mg.compile(trainer.loss)
    for _ in range(4):
        loss = step(array(3, 4))
        loss.backward()
        trainer.losses.append(loss.item())
    assert step.source


@pytest.mark.parametrize(
    "show",
    [
        lambda loss, path: mg.explore(loss, path),
        lambda loss, _: mg.graph(loss).program(),
        lambda loss, _: mg.graph(loss).draw(backward=True),
    ],
    ids=["explore", "program", "draw"],
)
def test_what_shows_a_computation_says_how_to_see_into_a_compiled_one(show, tmp_path):
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    step = mg.compile(lambda scale: np.sum(np.tanh(x) * scale))
    for _ in range(4):
        step(np.ones(2))
    with pytest.raises(mg.errors.GraphError, match=r"inside `with mg\.record\(\):`"):
        show(step(np.ones(2)), tmp_path / "page.html")
    with mg.record():
        loss = step(np.ones(2))
    show(loss, tmp_path / "page.html")
