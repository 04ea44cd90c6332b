"""The checker: right gradients pass, and each kind of mistake is caught and called by its name."""

import operator
import re

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors, gradcheck, transforms
from minigrad import functional as F
from minigrad.checking import causes
from minigrad.engine import table, walk
from minigrad.engine.names import name_of


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def perceptron(x, w, b):
    return np.tanh(x @ w + b) / np.sum(x * x)


# --- what is right passes -------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_right_gradient_passes(order):
    report = gradcheck(perceptron, normal(2, 3), normal(3, 2), normal(2), order=order)
    assert report
    assert report.ok
    assert [c.name for c in report.inputs] == ["x", "w", "b"] * order
    assert {c.order for c in report.inputs} == set(range(1, order + 1))
    assert report.worst.error[report.worst.worst] < 0.1


def test_the_report_has_both_sides_and_prints_them():
    report = gradcheck(lambda x: x[0] ** 3, [2.0])
    (checked,) = report.inputs
    assert checked.name == "x[0]"
    assert checked.analytic == 12
    np.testing.assert_allclose(checked.numeric, 12, rtol=1e-8)
    assert "gradcheck of <lambda>: right" in str(report)
    assert "x[0] (argument 0), (): worst: analytic 12, finite differences 12" in str(report)


def test_what_is_checked_and_what_is_constant():
    seen = []

    def f(tensor, constant, array, number, whole, mask, more):
        seen.append((tensor, constant, array, number, whole, mask, more))
        return tensor * constant + array * number * whole + np.where(mask, more["a"], 0.0)

    report = gradcheck(
        f,
        mg.Tensor([1.0, 2.0], requires_grad=True),
        mg.Tensor([1.0, 2.0]),
        np.array([1.0, 2.0], np.float32),
        1.5,
        2,
        np.array([True, False]),
        {"a": np.ones(2), "b": "text"},
    )
    assert [c.name for c in report.inputs] == ["tensor", "array", "number", "more['a']"]
    tensor, constant, array, number, whole, mask, more = seen[0]
    assert all(t.dtype == np.float64 for t in (tensor, constant, array, number, more["a"]))
    assert whole == 2
    assert mask.dtype == bool
    assert more["b"] == "text"


def test_arguments_in_a_tuple_as_in_pytorch_are_told():
    """A function that takes a tuple gets it all the same."""
    for brackets in (tuple, list):
        with pytest.raises(errors.GradcheckError, match=r"without brackets: gradcheck\(f, x, y\)"):
            gradcheck(lambda x: np.sum(x**2), brackets([normal(3)]))
    gradcheck(lambda pair: np.sum(pair[0] * pair[1]), (normal(3), normal(3, seed=1)))
    with pytest.raises(TypeError, match="NoneType"):
        gradcheck(lambda x: np.sum(x) + (None + 1), normal(3))


def test_every_element_is_looked_at():
    """One wrong element of a thousand is enough."""

    def g(x):
        return x * np.where(np.arange(1000) == 777, x.detach().numpy(), x)

    x = 1 + np.random.default_rng(0).random(1000)
    with pytest.raises(errors.GradcheckError, match=r"1 of 1000 wrong, worst at \[777\]"):
        gradcheck(g, x)


def test_float32_inputs_are_checked_in_float64_and_left_alone():
    x = mg.Tensor([0.5, 2.0], requires_grad=True, dtype=np.float32)
    before = x.numpy() if not x.requires_grad else x.detach().numpy()
    assert gradcheck(lambda x: np.log(x) * x, x)
    assert x.dtype == np.float32
    assert x.grad is None
    np.testing.assert_array_equal(x.data, before)


def test_a_module_has_its_parameters_checked_and_gets_them_back():
    mg.manual_seed(0)
    layer = mg.nn.Linear(3, 2)
    layer.bias.requires_grad = False
    before = layer.state_dict()
    report = gradcheck(layer, normal(4, 3))
    assert [c.name for c in report.inputs] == ["x", "weight"]
    assert layer.weight.dtype == np.float32
    for name, array in layer.state_dict().items():
        np.testing.assert_array_equal(array, before[name])

    report = gradcheck(lambda x: layer(x).sum(), normal(4, 3), parameters={"w": layer.weight})
    assert [c.name for c in report.inputs] == ["x", "w"]


def test_outputs_may_be_a_tree_and_of_any_shape():
    assert gradcheck(lambda x: {"a": x * x, "b": [np.exp(x), (x.sum(),)]}, normal(2, 3), order=2)


def test_the_weights_are_random_and_always_the_same(monkeypatch):
    """The sum of a softmax is 1 whatever comes in: with equal weights, zero would seem right."""
    f = mg.rule(lambda x: F.softmax(x), lambda g, y, x: (g - np.sum(g * y)) * y)
    assert np.array_equal(*(gradcheck(f, V).inputs[0].numeric for _ in range(2)))
    wrong = mg.rule(lambda x: F.softmax(x), lambda g, y, x: np.zeros_like(g))
    assert not gradcheck(wrong, V, raise_on_failure=False)


def test_an_input_that_reaches_nothing_counts_as_zero_and_is_named():
    report = gradcheck(lambda x, unused: x * 2, normal(3), normal(2))
    assert report.ok
    assert [c.reached for c in report.inputs] == [True, False]
    assert "unused (argument 1), (2,), which no gradient reaches" in str(report)


def test_inputs_without_elements_pass():
    assert gradcheck(lambda x: np.exp(x).sum(), np.zeros((0, 3)))


# --- what cannot be checked says why --------------------------------------------------------------


def test_float32_results_cannot_be_checked():
    with pytest.raises(errors.GradcheckError, match="returns float32 although its inputs are floa"):
        gradcheck(lambda x: (x * 2).astype(np.float32), normal(2), raise_on_failure=False)


def test_results_outside_the_graph_cannot_be_checked():
    with pytest.raises(errors.GradcheckError, match="returns a float, not a Tensor"):
        gradcheck(lambda x: x.sum().item(), normal(2))


@pytest.mark.parametrize("given", [(), (3,), (np.arange(3),), (mg.Tensor(3.0),)])
def test_a_check_of_nothing_is_an_error_and_not_right(given):
    with pytest.raises(errors.GradcheckError, match="nothing whose gradient could be checked"):
        gradcheck(lambda *xs: mg.Tensor(2.0), *given, raise_on_failure=False)


@pytest.mark.parametrize(("factor", "ok"), [(2, True), (1, False)])
def test_gradients_written_by_hand_are_checked_as_its_help_shows(factor, ok):
    def loss(w, b):
        return np.mean(np.square(w * V + b))

    def grads(w, b):
        d = (w * V + b) / V.size
        return np.sum(2 * d * V), np.sum(factor * d)

    with pytest.raises(errors.GradcheckError, match=r"by hand .* as help\(mg.gradcheck\) shows"):
        gradcheck(loss, grads)
    space = {"mg": mg, "loss": loss, "grads": grads}
    exec("\n".join(re.findall("((?:rule|mine) = .*)", gradcheck.__doc__)), space)
    assert gradcheck(space["mine"], 0.3, 0.5, raise_on_failure=False).ok == ok


def test_a_function_that_uses_none_of_its_inputs_is_an_error_and_not_right():
    w = mg.Tensor(normal(2), requires_grad=True)
    with pytest.raises(errors.GradcheckError, match=r"reaches x or y: .*parameters=\{'w': w\}"):
        gradcheck(lambda x, y: np.sum(w * w), normal(2), normal(3), raise_on_failure=False)
    assert gradcheck(lambda x: np.sum(w * w), normal(2), parameters={"w": w})
    assert gradcheck(lambda x: np.sum(x * 2), normal(2), order=2)  # its second derivative is zero


@pytest.mark.parametrize("order", [0, -1, 1.5])
def test_an_order_that_checks_nothing_is_refused(order):
    with pytest.raises(errors.ConfigError, match="order is a whole number from 1"):
        gradcheck(np.sin, V, order=order)


def test_functions_that_are_not_deterministic_cannot_be_checked():
    rng = np.random.default_rng(0)
    with pytest.raises(errors.GradcheckError, match="not deterministic"):
        gradcheck(lambda x: F.dropout(x, 0.5, rng=rng), normal(20))


# --- failures, named ------------------------------------------------------------------------------


def test_the_message_names_input_element_and_both_numbers(monkeypatch):
    monkeypatch.setitem(
        table.TABLE, np.exp, table.Operation(np.exp, (lambda g, y, x: 777 * g * y,))
    )
    with pytest.raises(errors.GradcheckError) as caught:
        gradcheck(lambda a, late: (a * np.exp(late[0])).sum(), normal(2), [np.array([0.0, 1.0])])
    message = str(caught.value)
    assert "late[0] (argument 1), (2,): 2 of 2 wrong, worst at [" in message
    assert "factor: it is 777 times what it should be" in message
    assert "in the rule of np.exp for x: " in message
    assert "test_gradcheck.py:" in message
    assert "a (argument 0), (2,): worst at" in message  # and that one is right


def spread(g, shape):
    return np.broadcast_to(g, shape)


def set_once(g, index, shape):
    out = np.zeros(shape, g.dtype)
    out[index] = g
    return out


def rule_of_sum(body):
    return lambda g, y, x, axis=None, dtype=None, out=None, keepdims=False: body(g, x, axis)


def flipped_cumsum(g, axis):
    return np.flip(np.cumsum(np.flip(g, axis), axis), axis)


A, B, V = normal(3, 3, seed=1), normal(3, 3, seed=2) + 3, normal(3, seed=3) + 3
WIDE = normal(3, 4, seed=4)

BROKEN = {
    # name: (kind that it must be called, operation, its rules, a function, its inputs)
    "a factor": (
        "factor", np.multiply, [lambda g, y, a, b: 777 * g * b, lambda g, y, a, b: g * a],
        lambda x, w: x * w, (A, B)),
    "one of two uses forgotten": (
        "factor", np.square, [lambda g, y, x: g * x], np.square, (A,)),
    "a forgotten 1/n": (
        "factor", np.mean, [rule_of_sum(lambda g, x, axis: spread(g, x.shape))],
        np.mean, (WIDE,)),
    "a sign": (
        "sign", np.subtract, [lambda g, y, a, b: g, lambda g, y, a, b: g],
        lambda x, w: x - w, (A, B)),
    "zero": (
        "zero", np.tanh, [lambda g, y, x: np.zeros_like(g)], np.tanh, (A,)),
    "a missing transpose in a product": (
        "transpose", np.matmul, [lambda g, y, a, b: g @ b, lambda g, y, a, b: a.T @ g],
        lambda x, w: x @ w, (A, B)),
    "the other one": (
        "transpose", np.matmul, [lambda g, y, a, b: g @ b.T, lambda g, y, a, b: a @ g],
        lambda x, w: x @ w, (A, B)),
    "a transposed result": (
        "transpose", np.matmul, [lambda g, y, a, b: (g @ b.T).T, lambda g, y, a, b: a.T @ g],
        lambda x, w: x @ w, (A, B)),
    "a transpose that is not undone": (
        "transpose", np.transpose, [lambda g, y, x, axes=None: g], lambda x: x.T * B, (A,)),
    "one row in place of the sum of all": (
        "missing sum", np.add, [lambda g, y, a, b: g, lambda g, y, a, b: g[0]],
        lambda x, b: x + b, (WIDE, normal(4))),
    "a mean over an axis in place of a sum": (
        "factor", np.add, [lambda g, y, a, b: g, lambda g, y, a, b: np.mean(g, axis=0)],
        lambda x, b: x + b, (WIDE, normal(4))),
    "missing keepdims": (
        "missing keepdims", np.sum, [rule_of_sum(lambda g, x, axis: spread(g, x.shape))],
        lambda x: np.sum(x, axis=1), (A,)),
    "a sum spread along the wrong axis": (
        "wrong axis", np.sum,
        [rule_of_sum(lambda g, x, axis: spread(np.expand_dims(g, 0), x.shape))],
        lambda x: np.sum(x, axis=1), (A,)),
    "a cumulative sum along the wrong axis": (
        "wrong axis", np.cumsum,
        [lambda g, y, x, axis=None, dtype=None, out=None: flipped_cumsum(g, 0)],
        lambda x: np.cumsum(x, axis=1), (WIDE,)),
    "the other argument read": (
        "wrong argument", np.multiply, [lambda g, y, a, b: g * a, lambda g, y, a, b: g * a],
        lambda x, w: x * w, (A, B)),
    "rules exchanged": (
        "wrong argument", np.divide, [lambda g, y, a, b: -g * y / b, lambda g, y, a, b: g / b],
        lambda x, w: x / w, (A, B)),
    "an exponent one too high": (
        "power", np.power, [lambda g, y, a, b: g * b * a**b, None],
        lambda x: x**3, (B,)),
    "an exponent one too low": (
        "power", np.power, [lambda g, y, a, b: g * b * a ** (b - 2), None],
        lambda x: x**3, (B,)),
    "y forgotten": (
        "power", np.exp, [lambda g, y, x: g], np.exp, (A,)),
    "g forgotten": (
        "no g", np.sin, [lambda g, y, x: np.cos(x)], lambda x: np.sin(x) * B, (A,)),
    "repeats of an index dropped": (
        "repeated index", operator.getitem,
        [lambda g, y, x, index: set_once(g, index, x.shape), None],
        lambda x: x[np.array([0, 2, 0])], (V,)),
    "no simple mistake": (
        "unknown", np.tanh, [lambda g, y, x: g * (1 - y)], np.tanh, (A,)),
    "a wrong choice at a tie": (
        "kink", np.maximum,
        [lambda g, y, a, b: g * np.greater_equal(a, b), lambda g, y, a, b: g * np.less_equal(a, b)],
        lambda x, w: np.maximum(x, w), (V, V)),
    "an element that is not finite": (
        "not finite", np.log, [lambda g, y, x: g / (x - x)], lambda x: np.log(x), (V,)),
}  # fmt: skip


@pytest.mark.parametrize("mistake", BROKEN)
def test_a_broken_rule_is_caught_and_rightly_named(monkeypatch, mistake):
    kind, operation, rules, f, inputs = BROKEN[mistake]
    loss = lambda *args: np.sin(f(*args) * 1.0)  # so that the gradient that arrives is not uniform
    right = kind == "kink" or gradcheck(loss, *inputs)  # at a tie, half is what differences say too
    assert right
    monkeypatch.setitem(table.TABLE, operation, table.Operation(operation, tuple(rules)))
    report = gradcheck(loss, *inputs, raise_on_failure=False)
    assert not report
    assert [found.kind for found in report.findings] == [kind] * len(report.findings)
    assert name_of(operation) in report.findings[0].place
    with pytest.raises(errors.GradcheckError, match=f"{kind}: "):
        gradcheck(loss, *inputs)


@pytest.mark.parametrize("factor", [1, 0.5])
def test_a_rule_that_forgets_g_is_named_where_the_result_is_one_number(factor):
    """The gradient that comes to it is that factor, which 1 hides."""
    squares = mg.rule(lambda x: np.sum(x * x), lambda g, y, x: 2 * x)
    report = gradcheck(lambda x: factor * squares(x), A, raise_on_failure=False)
    assert [found.kind for found in report.findings] == ["no g"]


def test_a_broken_rule_is_named_although_the_gradient_that_arrives_is_all_ones(monkeypatch):
    """Under a sum, one row of the gradient looks like a third of it, and much else like a factor."""
    rules = (lambda g, y, a, b: g, lambda g, y, a, b: g[0])
    monkeypatch.setitem(table.TABLE, np.add, table.Operation(np.add, rules))
    report = gradcheck(lambda x, b: np.sum(x + b), WIDE, normal(4), raise_on_failure=False)
    assert [found.kind for found in report.findings] == ["missing sum"]


def test_one_of_several_arrays_in_a_list_is_named(monkeypatch):
    """Tensors that are not checked, and one that stands there twice, do not confuse the places."""

    def parts(g, y, arrays, axis=0):
        ends = np.cumsum([len(a) for a in arrays])
        pieces = np.split(g, ends[:-1])
        pieces[3] = pieces[3] * 5
        return pieces

    older = mg.Tensor(V, requires_grad=True)
    f = lambda x: np.concatenate([older, x, V, x * 2, x])
    assert gradcheck(f, V)
    monkeypatch.setitem(table.TABLE, np.concatenate, table.Operation(np.concatenate, (parts,)))
    (finding,) = gradcheck(f, V, raise_on_failure=False).findings
    assert finding.what.startswith("it is 5 times what it should be")


def test_broadcasting_that_is_not_undone_is_named(monkeypatch):
    monkeypatch.setattr(walk, "fit", lambda given, to, g: given)
    report = gradcheck(lambda x, b: x * b, WIDE, normal(4), raise_on_failure=False)
    assert not report
    assert [found.kind for found in report.findings] == ["missing sum"]
    assert "along axes 0 of (3, 4), are not summed" in str(report)


def test_one_row_in_place_of_the_sum_that_undoes_broadcasting_is_named(monkeypatch):
    def first_row(given, to, g):
        extra = given.ndim - len(to.shape)
        return given[(0,) * extra] if extra > 0 else given

    monkeypatch.setattr(walk, "fit", first_row)
    report = gradcheck(lambda x, b: x * b, WIDE, normal(4), raise_on_failure=False)
    assert [found.kind for found in report.findings] == ["missing sum"]


@pytest.mark.parametrize(
    "f", [lambda x: x * np.sin(x), lambda x: x + x, lambda x: x**2 + np.exp(x)]
)
def test_gradients_overwritten_instead_of_added_are_named(monkeypatch, f):
    def overwriting(starts, wanted=None, frees=False):
        arrived = dict(starts)
        for node, edges in walk.order(starts, wanted).items():
            visit = walk.pass_on(node, edges, arrived, ())
            arrived.update((c.to, c.fitted) for c in visit.contributions)  # = in place of +=
            yield visit

    assert gradcheck(f, V)
    for module in (transforms, causes):
        monkeypatch.setattr(module, "walk", overwriting)
    report = gradcheck(f, V, raise_on_failure=False)
    assert not report
    assert [found.kind for found in report.findings] == ["overwritten"]
    assert "2 gradients arrive at leaf" in str(report)
    assert "but the last of them" in str(report)


def test_a_rule_whose_shape_cannot_fit_is_an_error_with_its_name(monkeypatch):
    rules = (lambda g, y, a, b: (g @ b.T).T, lambda g, y, a, b: a.T @ g)
    monkeypatch.setitem(table.TABLE, np.matmul, table.Operation(np.matmul, rules))
    with pytest.raises(
        errors.GradcheckError, match=r"shape \(3, 2\) for an argument of shape \(2, 3"
    ):
        gradcheck(lambda x, w: x @ w, normal(2, 3), normal(3, 4))


def test_a_rule_that_is_wrong_only_in_the_second_order_is_caught(monkeypatch):
    """Its numbers are right, and they are cut off from what they were computed from."""

    def rule(g, y, x):
        constant = x.data if isinstance(x, mg.Tensor) else x
        return g * np.cos(constant)

    monkeypatch.setitem(table.TABLE, np.sin, table.Operation(np.sin, (rule,)))
    assert gradcheck(np.sin, V)
    report = gradcheck(lambda x: np.exp(np.sin(x)), V, order=2, raise_on_failure=False)
    (finding,) = report.findings
    assert finding.kind == "outside the graph"
    assert "in the rule of np.sin for x: " in finding.place


def test_a_wrong_first_order_is_not_excused_by_a_second_order_that_fits_it(monkeypatch):
    rules = (lambda g, y, x: 2 * g * np.cos(x),)
    monkeypatch.setitem(table.TABLE, np.sin, table.Operation(np.sin, rules))
    assert not gradcheck(np.sin, V, order=2, raise_on_failure=False)


# --- kinks, steps, and values that leave the graph --------------------------------------------------


@pytest.mark.parametrize("at", [0.0, 3e-7, -5e-7, 9e-7])
def test_a_kink_between_the_two_points_is_named(at):
    report = gradcheck(lambda x: F.relu(x) * 3, np.array([1.0, at, -1.0]), raise_on_failure=False)
    assert not report
    (finding,) = report.findings
    assert finding.kind == "kink"
    assert "check beside the kink" in finding.what
    assert "relu" in finding.place


def test_a_derivative_of_choice_where_the_function_is_flat_is_named():
    through = mg.rule(lambda x: np.round(x), lambda g, _y, _x: g)
    with pytest.raises(errors.GradcheckError, match="flat: the function is flat there"):
        mg.gradcheck(lambda x: through(x) ** 2, np.array([0.3, 1.2]))


def test_a_kink_that_python_makes_is_named():
    f = lambda x: x * 2 if x.item() > 1 else x * 5 - 3
    report = gradcheck(f, np.array(1.0), raise_on_failure=False)
    assert [found.kind for found in report.findings] == ["kink"]


def test_strong_curvature_is_not_taken_for_a_kink(monkeypatch):
    rules = (lambda g, y, x: 2 * g * y,)
    monkeypatch.setitem(table.TABLE, np.exp, table.Operation(np.exp, rules))
    report = gradcheck(lambda x: np.exp(30 * x), np.array([0.1, 0.5]), raise_on_failure=False)
    assert [found.kind for found in report.findings] == ["factor"]


def test_a_step_that_is_too_large_is_named():
    report = gradcheck(
        lambda x: np.exp(5 * x), np.array([1.0, 2.0]), eps=1e-2, raise_on_failure=False
    )
    assert [found.kind for found in report.findings] == ["step"]


def test_a_value_taken_out_of_the_graph_is_named():
    report = gradcheck(lambda x: x * x.detach(), V, raise_on_failure=False)
    (finding,) = report.findings
    assert finding.kind == "outside the graph"
    assert "0.5 times" in finding.what


def test_float32_inside_is_named():
    f = lambda x: np.sin(x.astype(np.float32)).astype(np.float64)
    report = gradcheck(f, V, raise_on_failure=False)
    assert [found.kind for found in report.findings] == ["float32"]


def test_the_edge_of_a_domain_is_named():
    report = gradcheck(lambda x: np.sqrt(x) ** 3, np.array([0.0, 1.0]), raise_on_failure=False)
    assert [found.kind for found in report.findings] == ["not finite"]
