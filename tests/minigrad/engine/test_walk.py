"""The walk itself: order, sums, what it yields, and gradients that are returned."""

import functools
import re

import numpy as np
import pytest
from leaves import positive_leaf

import minigrad as mg
from minigrad import errors
from minigrad.engine.node import Node, Outline
from minigrad.engine.walk import copied_axes, fit, order, walk
from minigrad.transforms import gradients

# --- the order ------------------------------------------------------------------------------------


def random_graph(rng, n):
    """A tensor made by n random operations of three leaves, each of earlier results."""
    made = [positive_leaf(2, seed=i) for i in range(3)]
    for _ in range(n):
        i, j = rng.integers(len(made), size=2)
        made.append(
            [
                lambda a, b: a * 0.5 + b * 0.25,
                lambda a, b: np.tanh(a * b),
                lambda a, b: np.sum(np.stack([a, b, a]), axis=0) * 0.3,
                lambda a, b: a[[1, 0]] - b,
            ][rng.integers(4)](made[i], made[j])
        )
    return made


@pytest.mark.parametrize("seed", range(20))
def test_every_node_comes_after_all_that_use_it_and_once(seed):
    *_, root = random_graph(np.random.default_rng(seed), 40)
    nodes = list(order([root._node]))
    place = {node: i for i, node in enumerate(nodes)}
    assert len(place) == len(nodes)
    assert nodes[0] is root._node
    for node in nodes:
        if isinstance(node, Node):
            assert all(place[edge.to] > place[node] for edge in node.edges)


def test_walk_visits_each_node_newest_first():
    x = positive_leaf(3)
    seen = [visit.node for visit in walk({np.sum(np.tanh(x))._node: np.ones(())})]
    assert [n.operation and n.operation.name for n in seen] == ["np.sum", "np.tanh", None]
    assert seen[-1] is x._node


@pytest.mark.parametrize("seed", range(20))
def test_with_goals_only_what_leads_to_one_of_them_is_left(seed):
    """Against a search from each node by itself; of the wanted ones, some are leaves, others not."""
    rng = np.random.default_rng(seed)
    made = random_graph(rng, 40)
    starts = [made[-1]._node, made[20]._node]
    wanted = {made[i]._node for i in rng.integers(len(made), size=rng.integers(4))}
    leads = functools.cache(
        lambda node: node in wanted or any(leads(edge.to) for edge in node.edges)
    )
    right = [
        (node, [edge for edge in node.edges if leads(edge.to)])
        for node in order(starts)
        if leads(node)
    ]
    assert list(order(starts, wanted).items()) == right


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_have_the_gradients_that_recursion_gives(seed):
    """Against the sum over all paths, taken one path at a time, with no sharing of work."""
    rng = np.random.default_rng(seed)
    *_, root = random_graph(rng, 12)
    loss = np.sum(root)
    found = {}

    def naive(node, g):
        if node.operation is None:
            found[node] = found.get(node, 0) + g
            return
        for position, item, to in node.edges:
            given = node.operation.rules[position](g, *node.saved, **node.kwargs)
            naive(to, given if item is None else given[item])

    naive(loss._node, np.ones(()))
    loss.backward()
    assert found
    for x, g in found.items():
        np.testing.assert_allclose(x.grad.numpy(), g, rtol=1e-12)


# --- broadcasting is undone at the edge -----------------------------------------------------------


@pytest.mark.parametrize(
    ("wide", "shape"),
    [
        ((2, 3), (3,)), ((2, 3), (1, 3)), ((2, 3), (2, 1)), ((2, 3), (1, 1)), ((2, 3), ()),
        ((2, 3), (2, 3)), ((4, 2, 3), (2, 1)), ((4, 2, 3), (4, 1, 3)), ((0, 3), (3,)),
        ((0, 3), (1, 3)), ((1, 3), (1, 3)), ((1, 1, 1), ()),
    ],
)  # fmt: skip
def test_the_gradient_of_copies_is_their_sum(wide, shape):
    g = np.random.default_rng(0).standard_normal(wide)
    undone = fit(g, Outline(shape, g.dtype), g)
    assert undone.shape == shape
    # <g, broadcast(x)> = <undone, x> for every x: the two are adjoint.
    x = np.random.default_rng(1).standard_normal(shape)
    np.testing.assert_allclose(np.vdot(g, np.broadcast_to(x, wide)), np.vdot(undone, x))


@pytest.mark.parametrize(("wide", "shape"), [((3,), (2, 3)), ((2, 3), (4,)), ((2, 3), (2, 2))])
def test_what_no_broadcasting_makes_is_an_error(wide, shape):
    with pytest.raises(errors.ShapeError, match="a rule gave shape"):
        copied_axes(wide, shape)


def test_a_rule_of_the_wrong_shape_is_an_error_that_names_the_operation():
    wrong = mg.rule(lambda x: np.sum(x * x), lambda g, y, x: g * 2 * x[:1, 0])
    x = positive_leaf(2, 3)
    with pytest.raises(errors.ShapeError) as caught:
        wrong(x).backward()
    assert "shape (1,) for an argument of shape (2, 3)" in str(caught.value)
    assert "in a rule of <wrong #" in str(caught.value)
    assert caught.value.culprit is not None
    assert x.grad is None


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("given", [None, 2.0, [1.0, 2.0, 3.0]])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_rule_that_gives_no_array_is_an_error_that_names_the_argument(shape, given, create_graph):
    product = mg.rule(lambda a, b: a * b, lambda g, _y, _a, b: g * b, lambda g, _y, _a, _b: given)
    a, b = positive_leaf(*shape), positive_leaf(*shape)
    with pytest.raises(errors.DTypeError) as caught:
        np.sum(product(a, b)).backward(create_graph=create_graph)
    assert str(caught.value).startswith(f"a rule gave {given}, which is no array")
    assert re.search("in a rule of <product #.*>, for its argument 1", str(caught.value))
    assert a.grad is None


@pytest.mark.parametrize("given", [np.ones(2) * 1j, np.array(["1", "2"]), np.array([1.0, None])])
def test_a_rule_that_gives_no_real_numbers_is_an_error(given):
    f = mg.rule(lambda x: x * 2, lambda g, _y, _x: given)
    x = mg.Tensor(np.ones(2), requires_grad=True)
    with pytest.raises(errors.DTypeError, match=r"a rule gave \w+\[2\]|gave <U1\[2\]"):
        np.sum(f(x)).backward()
    assert x.grad is None


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(
    ("rule", "kind"),
    [(lambda g, y, x: g @ np.ones(7), ValueError), (lambda g, y, x: np.sum(g, axis=3), IndexError),
     (lambda g, y, x: int("x"), ValueError), (lambda g, y, x: g + "x", TypeError)],
)  # fmt: skip
def test_an_error_in_a_rule_names_the_operation(rule, kind, create_graph):
    f = mg.rule(lambda x: x * 1, rule)
    with pytest.raises(kind, match=r"\n  in a rule of <f #") as caught:
        np.sum(f(positive_leaf(3))).backward(create_graph=create_graph)
    assert isinstance(caught.value, errors.MinigradError)
    assert caught.value.culprit is not None


# --- sums -----------------------------------------------------------------------------------------


def test_sums_in_place_never_write_into_what_a_rule_gave():
    """The rule of a sum gives a read-only view, that of an addition the same array to both."""
    x, y = positive_leaf(3), positive_leaf(3)
    loss = np.sum(x) + np.sum(x + y) + np.sum(y * 2) + np.sum(x * 3) + np.sum((x + y) * 5)
    loss.backward()
    np.testing.assert_array_equal(x.grad.numpy(), 1 + 1 + 3 + 5)
    np.testing.assert_array_equal(y.grad.numpy(), 1 + 2 + 5)


def test_an_unneeded_gradient_is_never_computed():
    called = []
    product = mg.rule(
        lambda a, b: a * b,
        lambda g, y, a, b: called.append("a") or g * b,
        lambda g, y, a, b: called.append("b") or g * a,
    )
    a, b = positive_leaf(3), mg.Tensor(np.ones(3))
    np.sum(product(a, b)).backward()
    assert called == ["a"]


# --- gradients that are returned ------------------------------------------------------------------


def test_gradients_touch_no_grad_and_walk_no_further_than_the_inputs():
    w = positive_leaf(3)
    before = np.exp(w)  # older than x: x cannot have made it
    x = positive_leaf(3)
    y = np.sum(before * x * x)
    (g,) = gradients([y], [np.ones(())], [x])
    np.testing.assert_allclose(g, 2 * before.data * x.data)
    assert x.grad is None
    assert w.grad is None
    assert before._node.saved is not None  # not freed


def test_gradients_call_the_rules_of_those_arguments_alone_that_an_input_made():
    called = []
    joined = mg.rule(
        lambda arrays, b: np.concatenate(arrays) * b,
        lambda g, y, arrays, b: called.append("arrays") or np.split(g * b, len(arrays)),
        lambda g, y, arrays, b: called.append("b") or g * np.concatenate(arrays),
    )
    a, w, b = positive_leaf(1), positive_leaf(1), positive_leaf(2)
    y = np.sum(joined([np.sin(a), np.cos(w)], np.exp(b)))
    visits = [[c.to for c in visit.contributions] for visit in walk({y._node: 1.0}, {a._node})]
    assert list(map(len, visits)) == [1, 1, 1, 0]  # np.sum, joined, np.sin, a
    assert called == ["arrays"]
    (by_a,) = gradients([y], [mg.Tensor(np.ones(()))], [a], create_graph=True)
    np.testing.assert_allclose(by_a.data, np.cos(a.data) * np.exp(b.data[:1]))
    (by_b,) = gradients([y], [np.ones(())], [b], retain_graph=True)
    assert isinstance(by_b, np.ndarray)  # the rule is given arrays again, not the tensors of before
    (mixed,) = gradients([by_a], [np.ones(1)], [b])  # what was left out is still in its graph
    np.testing.assert_allclose(mixed, [by_a.item(), 0])


def test_a_freed_part_matters_only_where_a_gradient_goes_through_it():
    """As in PyTorch."""
    a, w = positive_leaf(3), positive_leaf(3)
    shared = np.exp(w)
    np.sum(shared).backward()
    loss = np.sum(a * shared)
    by_a, by_shared = gradients([loss], [np.ones(())], [a, shared], retain_graph=True)
    np.testing.assert_array_equal(by_a, shared.data)
    np.testing.assert_array_equal(by_shared, a.data)
    with pytest.raises(errors.GraphError, match=r"freed at <np\.exp"):
        gradients([loss], [np.ones(())], [w])


def test_gradients_with_respect_to_results_in_between():
    x = positive_leaf(3)
    y = np.exp(x)
    z = np.sum(y**2)
    by_x, by_y, by_z = gradients([z], [np.ones(())], [x, y, z])
    np.testing.assert_allclose(by_y, 2 * y.data)
    np.testing.assert_allclose(by_x, 2 * y.data * y.data)
    assert by_z == 1


def test_gradients_from_several_roots_add_up_and_none_stands_for_no_way():
    x, other = positive_leaf(2), positive_leaf(2)
    a, b = x * 2, x * 3
    found = gradients([a, b, a], [np.ones(2), np.ones(2) * 10, np.ones(2)], [x, other])
    np.testing.assert_array_equal(found[0], 2 + 30 + 2)
    assert found[1] is None
    assert gradients([a], [np.ones(2)], []) == []
