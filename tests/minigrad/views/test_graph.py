"""The graph as data, the table that prints it, and the summary of what it costs."""

import contextlib
import re
import textwrap

import numpy as np
import pytest
from leaves import leaf
from processes import printed

import minigrad as mg
from minigrad import functional as F
from minigrad import nn, optim
from minigrad.engine.walk import order
from minigrad.ran.data import UNKNOWN, Ref
from minigrad.views.graph import graph_with_gradients


def by_label(graph):
    return {n.label: n for n in graph.nodes if n.label}


class TwoLayers(nn.Module):
    def __init__(self):
        self.hidden = nn.Linear(3, 4)
        self.out = nn.Linear(4, 2)

    def forward(self, x):
        activated = np.tanh(self.hidden(x))
        return self.out(activated)


# --- nodes and edges ------------------------------------------------------------------------------


def test_table_of_a_small_expression():
    with mg.record():
        a, b = leaf(2.0), leaf(-3.0)
        c = a * b + 10.0
        d = c + c
        loss = np.tanh(d / 10) ** 2
    loss.backward()
    lines = str(mg.graph(loss)).splitlines()
    table = "\n".join(re.sub(r"  test_graph.py:\d+: ", "  here: ", line) for line in lines)
    assert table == textwrap.dedent(
        """\
        graph of loss: 6 operations, 2 inputs. All float32 unless said.

            name  made by      shape  value   gradient  line
        #0  a     input        ()     2       -0.4455
        #1  b     input        ()     -3      0.297
        #2        #0 * #1      ()     -6      0.1485    here: c = a * b + 10.0
        #3  c     #2 + 10      ()     4       0.1485    here: c = a * b + 10.0
        #4  d     #3 + #3      ()     8       0.07425   here: d = c + c
        #5        #4 / 10      ()     0.8     0.7425    here: loss = np.tanh(d / 10) ** 2
        #6        np.tanh(#5)  ()     0.664   1.328     here: loss = np.tanh(d / 10) ** 2
        #7  loss  #6 ** 2      ()     0.4409  1         here: loss = np.tanh(d / 10) ** 2"""
    )


def test_a_tensor_that_is_detached_before_its_first_use_is_one_node():
    w = leaf([1.0, 2.0])
    with mg.record():
        loss = np.sum(w.detach() * w)
    graph = mg.graph(loss)
    assert [n.label for n in graph.nodes if n.kind != "operation"] == ["w"]
    assert [e.differentiable for e in graph.edges if e.target == 1] == [False, True]


def test_a_tensor_used_twice_has_two_edges_with_their_own_contributions():
    x = leaf(3.0)
    with mg.record():
        y = x * x + x
    y.backward()
    graph = mg.graph(y)
    edges = [(e.source, e.target, e.position) for e in graph.edges]
    assert edges == [(0, 1, 0), (0, 1, 1), (1, 2, 0), (0, 2, 1)]
    assert [float(e.contribution) for e in graph.edges] == [3.0, 3.0, 1.0, 1.0]
    assert [e.argument for e in graph.edges] == ["a", "b", "a", "b"]


def test_contributions_along_the_edges_of_a_node_sum_to_its_gradient():
    mg.manual_seed(0)
    model = TwoLayers()
    x = leaf(np.linspace(-1, 1, 15).reshape(5, 3), dtype=np.float32)
    with mg.record():
        out = model(x)
        both = np.concatenate([out, x[:, :2] * out, out], axis=0)
        loss = F.cross_entropy(both, np.zeros(15, dtype=int)) + np.sum(out * out)
    loss.backward()
    graph = mg.graph(loss)
    total = {}
    for e in graph.edges:
        assert (e.contribution is None) == (not e.differentiable)
        if e.differentiable:
            total[e.source] = total.get(e.source, 0) + e.contribution
    checked = 0
    for node in graph.nodes:
        if node.state == "known" and node.number not in graph.roots:
            np.testing.assert_allclose(total[node.number], node.gradient, rtol=1e-5, atol=1e-6)
            checked += 1
    assert checked > 15


def test_elements_of_a_list_are_edges_of_their_own():
    x, y = leaf([1.0]), mg.Tensor([2.0])
    with mg.record():
        z = np.sum(np.concatenate([x, y, x]))
    z.backward()
    graph = mg.graph(z)
    edges = [e for e in graph.edges if graph[e.target].operation == "np.concatenate"]
    assert [(e.position, e.item, graph[e.source].label) for e in edges] == [
        (0, 0, "x"), (0, 1, "y"), (0, 2, "x"),
    ]  # fmt: skip
    assert [e.differentiable for e in edges] == [True, False, True]
    assert [e.contribution is not None for e in edges] == [True, False, True]


@pytest.mark.parametrize(
    ("shape", "other", "copied"),
    [
        ((3,), (2, 3), (0,)),
        ((2, 1), (2, 3), (1,)),
        ((1, 3), (2, 3), (0,)),
        ((), (2, 3), (0, 1)),
        ((2, 3), (2, 3), ()),
        ((2, 3), (4, 1, 1), (0,)),
    ],
)
def test_an_edge_names_the_axes_that_broadcasting_copied(shape, other, copied):
    x = leaf(np.ones(shape))
    edge = mg.graph(x * np.ones(other)).edges[0]
    assert edge.copied == copied


def test_matrix_products_copy_only_along_the_axes_before_the_matrices():
    x, w = leaf(np.ones((5, 2, 3))), leaf(np.ones((3, 3)))
    edges = mg.graph(x @ w).edges
    assert [e.copied for e in edges] == [(), (0,)]
    assert mg.graph(leaf(np.ones(3)) @ w).edges[1].copied == ()


def test_numbers_are_arguments_and_arrays_are_nodes():
    x, mask = leaf([1.0, 2.0]), np.array([True, False])
    with mg.record():
        y = np.where(mask, x * 3, 0) + np.where(mask, x, 1)
    graph = mg.graph(y)
    data = [n for n in graph.nodes if n.kind == "data"]
    assert [(n.label, n.dtype) for n in data] == [("mask", np.dtype(bool))]
    where = next(n for n in graph.nodes if n.operation == "np.where")
    assert where.arguments == (Ref(data[0].number), Ref(where.arguments[1].number), 0)


def test_comparisons_and_other_operations_without_a_derivative_are_nodes():
    x = leaf([1.0, 3.0])
    with mg.record():
        large = x > 2
        best = np.argmax(x)
        y = np.where(large, x, 0) + x[best]
    graph = mg.graph(y)
    assert [n.operation for n in graph.nodes if n.state == "needs none"] == [
        "np.greater", "np.argmax",
    ]  # fmt: skip
    nodes = by_label(graph)
    assert nodes["large"].arguments == (Ref(nodes["x"].number), 2)
    np.testing.assert_array_equal(nodes["large"].value, [False, True])
    assert "x[best]" in str(graph.draw())
    assert not [n for n in graph.nodes if n.kind == "data"]


def test_an_array_that_was_changed_is_another_node():
    x = leaf([1.0, 3.0])
    with mg.record():
        large = x > 2
        y = np.where(large, x, 0)
        large[0] = True
        z = np.where(large, y, x)
    graph = mg.graph(z)
    masks = [n for n in graph.nodes if n.dtype == bool]
    assert [(n.operation, n.value.tolist()) for n in masks] == [
        ("np.greater", [False, True]), ("", [True, True]),
    ]  # fmt: skip


def test_arrays_in_an_index_are_nodes():
    x, i, j = leaf(np.ones((2, 3))), np.array([0, 1]), mg.Tensor([2, 1])
    with mg.record():
        y = x[i, j] + x[1, i]
    graph = mg.graph(y)
    nodes = by_label(graph)
    assert [(n.kind, n.value.tolist()) for n in (nodes["i"], nodes["j"])] == [
        ("data", [0, 1]), ("data", [2, 1]),
    ]  # fmt: skip
    drawn = str(graph.draw())
    assert "x[i, j]" in drawn
    assert "x[1, i]" in drawn


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(
    ("index", "text"),
    [
        (np.int64(1), "1"),
        (np.array(1), "1"),
        (np.True_, "True"),
        ((), "()"),
        ((1,), "1"),
        (..., "..."),
    ],
)
def test_any_index_is_shown(index, text, recorded):
    with mg.record() if recorded else contextlib.nullcontext():
        y = np.sum(leaf(np.ones((2, 3)))[index])
    assert f"#0[{text}]" in str(mg.graph(y))
    str(mg.graph(y).draw())


@pytest.mark.parametrize("swap", [False, True])
def test_an_array_comes_just_before_its_first_use(swap):
    x, mask = leaf([1.0, 2.0]), np.array([True, False])
    with mg.record():
        early = np.where(mask, x, 1)
        late = np.where(mask, x, 2)
        y = late + early if swap else early + late
    assert [n.label for n in mg.graph(y).nodes] == ["x", "mask", "early", "late", "y"]


def test_unrecorded_constants_of_one_shape_stay_apart():
    x, a, b = leaf([1.0, 2.0]), np.array([1.0, 2.0]), np.array([3.0, 4.0])
    graph = mg.graph((x + a) + (x + b))
    assert sum(n.kind == "data" for n in graph.nodes) == 2


def test_nodes_are_numbered_in_order_of_creation():
    second = leaf(1.0)
    first = leaf(2.0)
    y = first * second + first
    graph = mg.graph(y)
    assert [n.number for n in graph.nodes] == list(range(4))
    assert [n.label for n in graph.nodes] == ["second", "first", "", "y"]
    assert all(e.source < e.target for e in graph.edges)


def test_several_roots_and_a_root_without_a_history():
    x = leaf(1.0)
    y, z = x + 1, x * 2
    graph = mg.graph(y, z)
    assert [graph[n].label for n in graph.roots] == ["y", "z"]
    assert graph.title == "y, z"
    assert len(mg.graph(x)) == 1
    assert "input" in str(mg.graph(x))


@pytest.mark.parametrize("given", [(), (1.0,), (np.ones(2),)])
def test_graph_takes_tensors_only(given):
    with pytest.raises(mg.errors.DTypeError, match=r"takes the Tensors"):
        mg.graph(*given)


@pytest.mark.slow
def test_a_chain_of_ten_thousand_operations():
    x = leaf(1.0)
    y = x
    for _ in range(10_000):
        y = y + 1
    graph = mg.graph(y)
    assert len(graph) == 10_001
    assert graph.summary().depth == 10_000


# --- states of values and gradients ---------------------------------------------------------------


def test_gradient_states_before_and_after_backward():
    x, dead = leaf([1.0, 2.0]), leaf([5.0, 5.0])
    data = mg.Tensor([1.0, 1.0])
    with mg.record():
        y = np.sum(x * data + F.relu(-dead))
    before = {n.label or n.operation: n.state for n in mg.graph(y).nodes}
    assert before == {
        "x": "not computed", "dead": "not computed", "data": "needs none",
        "np.multiply": "not computed", "np.negative": "not computed", "relu": "not computed",
        "np.add": "not computed", "y": "not computed",
    }  # fmt: skip
    assert all(n.gradient is None for n in mg.graph(y).nodes)
    y.backward()
    after = {n.label or n.operation: n.state for n in mg.graph(y).nodes}
    assert after == {
        "x": "known", "dead": "zero", "data": "needs none", "np.multiply": "known",
        "np.negative": "zero", "relu": "known", "np.add": "known", "y": "known",
    }  # fmt: skip
    np.testing.assert_array_equal(by_label(mg.graph(y))["dead"].gradient, [0.0, 0.0])


def test_gradients_computed_for_a_view_are_forgotten_after_it():
    x = leaf([1.0, 2.0])
    with mg.record():
        y = np.sum(x * x)
    graph_with_gradients(y)
    assert x.grad is None
    notes = [node.note for node in order([y.node])]
    assert all(note.gradient is None and not note.contributions for note in notes if note)


def test_the_gradient_of_a_recorded_leaf_is_that_of_this_computation_whatever_grad_is_by_now():
    x = leaf([1.0, 2.0])
    with mg.record():
        positive = x > 0
        y = np.sum(x * x + x + np.exp(x) * positive)
    expected = 2 * x.data + 1 + np.exp(x.data)
    y.backward()
    for now in (mg.Tensor([9.0, 9.0]), None):
        x.grad = now
        assert by_label(mg.graph(y))["x"].state == "known"
        np.testing.assert_allclose(by_label(mg.graph(y))["x"].gradient, expected, rtol=1e-6)


def test_what_an_earlier_computation_left_in_grad_is_no_gradient_of_one_that_was_not_walked():
    x = leaf([1.0, 2.0])
    np.sum(100 * x).backward()
    with mg.record():
        y, z = np.sum(x * x), np.sum(x + x)
    assert {n.state for n in mg.graph(y).nodes} == {"not computed"}
    assert by_label(mg.graph(x))["x"].state == "known"
    z.backward()
    assert {n.state for n in mg.graph(y).nodes} == {"not computed"}
    assert by_label(mg.graph(y, z))["x"].state == "known"


def test_after_two_walks_over_one_part_leaves_have_the_sum_as_other_nodes_have():
    x = leaf([1.0, 2.0])
    with mg.record():
        h = x * x
        a, b = np.sum(h), np.sum(h * h)
    a.backward(retain_graph=True)
    b.backward()
    found = by_label(mg.graph(a, b))
    np.testing.assert_allclose(found["h"].gradient, 1 + 2 * h.data)
    np.testing.assert_allclose(found["x"].gradient, found["h"].gradient * 2 * x.data)


def test_without_record_what_backward_freed_is_unknown_and_the_table_says_how_to_see_it():
    x = leaf([1.0, 2.0])
    y = np.sum(np.exp(x) + 1)
    before = mg.graph(y)
    assert [n.value is not None for n in before.nodes] == [True, True, False, True]
    y.backward()
    after = mg.graph(y)
    assert [n.state for n in after.nodes] == ["known", "freed", "freed", "freed"]
    assert [n.value is not None for n in after.nodes] == [True, False, False, True]
    assert after[2].arguments == (Ref(1), UNKNOWN)
    assert "with mg.record():" in str(after)
    assert not after.recorded


def test_without_record_a_value_is_known_where_the_rule_of_a_user_keeps_it():
    x = leaf([1.0, 2.0])
    doubled = x * 2
    graph = mg.graph(np.sum(np.sin(doubled)))
    np.testing.assert_array_equal(by_label(graph)["doubled"].value, [2.0, 4.0])


def test_a_recorded_table_has_no_hint():
    with mg.record():
        y = leaf(1.0) + 1
    assert "record()" not in str(mg.graph(y))


def test_a_graph_does_not_change_when_its_leaves_do():
    w = leaf(np.ones((2, 2)))
    with mg.record():
        loss = np.sum(w.T * 2)
    loss.backward()
    graph = mg.graph(loss)
    optim.SGD([w], lr=0.5).step()
    assert float(w.data[0, 0]) == 0
    np.testing.assert_array_equal(graph[0].value, np.ones((2, 2)))
    np.testing.assert_array_equal(graph[1].value, np.ones((2, 2)))


def test_under_no_grad_recorded_operations_need_no_gradient():
    with mg.record(), mg.no_grad():
        y = leaf(2.0) * 3
    graph = mg.graph(y)
    assert [n.operation for n in graph.nodes] == ["", "np.multiply"]
    assert graph[1].state == "needs none"


def test_retained_gradients_show_without_record():
    x = leaf(2.0)
    h = (x * x).retain_grad()
    y = h * 3
    y.backward()
    node = by_label(mg.graph(y))["h"]
    assert node.state == "known"
    assert float(node.gradient) == 3


# --- names ----------------------------------------------------------------------------------------


def test_variables_of_functions_that_have_returned_are_known_under_record():
    def distance(p, q):
        gap = p - q
        _hidden = gap * gap
        return np.sqrt(np.sum(_hidden))

    a, b = leaf([1.0, 2.0]), leaf([3.0, 5.0], name="a name of its own")
    with mg.record():
        result = distance(a, b)
    names = [(n.operation, n.label) for n in mg.graph(result).nodes]
    assert names == [
        ("", "a"), ("", "a name of its own"), ("np.subtract", "gap"), ("np.multiply", ""),
        ("np.sum", ""), ("np.sqrt", "result"),
    ]  # fmt: skip


def test_the_line_of_code_is_that_of_the_user():
    x = leaf([1.0, 2.0])
    with mg.record():
        y = F.softmax(x)  # this very line
    lines = {n.line.text for n in mg.graph(y).nodes if n.line is not None}
    assert lines == {"y = F.softmax(x)  # this very line"}


def test_parameters_have_the_paths_of_the_state_dict():
    model = TwoLayers()
    y = model(mg.Tensor(np.ones((1, 3), np.float32)))
    named = [n.name for n in mg.graph(y).nodes if n.kind == "parameter"]
    assert named == list(model.state_dict())


def test_parameters_of_two_modules_are_told_apart_by_the_variables():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    y = second(first(mg.Tensor(np.ones((1, 2), np.float32))))
    named = [n.name for n in mg.graph(y).nodes if n.kind == "parameter"]
    assert named == ["first.weight", "first.bias", "second.weight", "second.bias"]


def test_parameters_of_a_module_that_is_not_called_have_their_paths_too():
    model = TwoLayers()
    y = np.sum(model.out.weight * 2)
    assert [n.name for n in mg.graph(y).nodes if n.kind == "parameter"] == ["out.weight"]


def test_modules_that_no_variable_holds_are_told_apart_by_their_class():
    def two():
        layers = [nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)]
        return layers[1](layers[0](mg.Tensor(np.ones((1, 2), np.float32))))

    named = [n.name for n in mg.graph(two()).nodes if n.kind == "parameter"]
    assert named == ["Linear.weight", "Linear_2.weight"]


# --- boxes ----------------------------------------------------------------------------------------


def test_modules_and_definitions_are_nested_boxes():
    model = TwoLayers()
    X = np.ones((1, 3), np.float32)
    with mg.record():
        y = F.softmax(model(X))
    graph = mg.graph(y)
    assert [(b.kind, b.path, b.parent) for b in graph.boxes] == [
        ("module", "", None),
        ("module", "hidden", 0),
        ("definition", "hidden/linear", 1),
        ("module", "out", 0),
        ("definition", "out/linear", 3),
        ("definition", "softmax", None),
    ]
    assert [b.title for b in graph.boxes[:2]] == ["model: TwoLayers", "hidden: Linear 3 -> 4"]
    nodes = by_label(graph)
    assert nodes["hidden.weight"].box == 1
    assert nodes["X"].box is None
    assert nodes["activated"].module == ""
    assert graph[graph.roots[0]].module is None
    top = next(n for n in graph.nodes if n.operation == "row_maximum")
    assert (top.state, graph.box(top.box).name) == ("needs none", "softmax")


def test_what_is_made_inside_a_module_is_shown_inside():
    class Shifted(nn.Module):
        def forward(self, x):
            shift = mg.Tensor([10.0])
            return x * 2 + shift

    module, x = Shifted(), mg.Tensor([1.0])
    with mg.record():
        y = module(x)
    nodes = by_label(mg.graph(y))
    assert nodes["shift"].box == 0
    assert nodes["x"].box is None


def test_a_module_called_twice_has_two_boxes_of_one_path():
    layer = nn.Linear(2, 2)
    y = layer(layer(mg.Tensor(np.ones((1, 2), np.float32))))
    graph = mg.graph(y)
    assert [b.path for b in graph.boxes] == ["", "linear", "", "linear"]
    assert by_label(graph)["weight"].box is None  # both calls use it


def test_inside_a_module():
    model = TwoLayers()
    x = mg.Tensor(np.ones((5, 3), np.float32))
    with mg.record():
        y = np.sum(model(x))
    whole = mg.graph(y)
    part = whole.inside("out")
    assert [(n.label or n.operation, n.outside) for n in part.nodes] == [
        ("out.weight", False), ("out.bias", False), ("activated", True),
        ("np.matmul", False), ("np.add", False),
    ]  # fmt: skip
    for node in part.nodes:
        assert whole[node.number].operation == node.operation
    assert [part[n].operation for n in part.roots] == ["np.add"]
    assert [b.path for b in part.boxes] == ["out/linear"]
    assert part.title == "out"
    assert part.inside("out/linear").boxes == ()
    assert part.summary().total.operations == 2


def test_inside_names_the_boxes_that_there_are():
    y = TwoLayers()(mg.Tensor(np.ones((1, 3), np.float32)))
    with pytest.raises(mg.errors.GraphError, match=r"'outt'.*'hidden', .*'out'"):
        mg.graph(y).inside("outt")


def test_a_number_that_is_not_there():
    with pytest.raises(mg.errors.GraphError, match="no node 7; its nodes are numbered 0 to 1"):
        mg.graph(leaf(1.0) + 1)[7]


# --- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (np.linspace(0, 1, 100), "0 to 1"),
        (np.full(9, 1 / 3), "all 0.3333"),
        (np.array([1.0, np.nan, 3.0, np.inf, 5.0]), "1 nan, 1 inf, 1 to 5"),
        (np.array([-0.0]), "[0]"),
        (np.array([1e-7, 123456.0]), "[1e-07, 1.235e+05]"),
        (np.zeros((0, 3)), "empty"),
        (np.arange(10) % 3 == 0, "4 of 10 True"),
        (np.arange(3), "[0, 1, 2]"),
    ],
)
def test_values_are_short(values, shown):
    x = mg.Tensor(values)
    cells = re.split(r"  +", str(mg.graph(x)).splitlines()[-1])
    assert cells[4] == shown


def test_a_long_table_shows_both_ends():
    x = leaf(1.0)
    y = x
    for _ in range(1000):
        y = y + 1
    graph = mg.graph(y)
    lines = str(graph).splitlines()
    assert len(lines) < 210
    assert any("... 801 more; graph.table(None) shows all ..." in line for line in lines)
    assert lines[3].startswith("#0")
    assert any(line.startswith("#1000 ") for line in lines)
    assert "#500 " in graph.table(None)


def test_columns_line_up_under_wide_letters():
    x, y = leaf(1.0, name="重み"), leaf(2.0, name="w")
    lines = str(mg.graph(x * y)).splitlines()[3:5]
    wide, narrow = lines
    assert wide.index("input") + 2 == narrow.index("input")  # two letters, four columns


def test_a_name_cannot_break_the_table():
    x = leaf(1.0, name="two\nlines\x1b[31m")
    text = str(mg.graph(x + 1))
    assert "two\\nlines\\x1b[31m" in text
    assert "\x1b" not in text


# --- the summary ----------------------------------------------------------------------------------


def test_floating_point_operations():
    a, b = leaf(np.ones((4, 2, 3))), leaf(np.ones((3, 5)))
    y = np.sum(np.tanh(np.reshape(a @ b, (8, 5))))
    rows = {r.name: r for r in mg.graph(y).summary().by_operation}
    assert rows["np.matmul"].flops == 4 * (2 * 2 * 3 * 5)
    assert rows["np.tanh"].flops == 40
    assert rows["np.sum"].flops == 40
    assert rows["np.reshape"].flops == 0
    assert mg.graph(y).summary().total.flops == 240 + 40 + 40
    einsum = mg.graph(np.einsum("bij,jk->bik", a, b)).summary()
    assert einsum.total.flops == 4 * (2 * 2 * 3 * 5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, w, b: F.linear(x, w, b),
        lambda x, w, b: F.linear(x, w),
        lambda x, w, b: F.softmax(x),
        lambda x, w, b: F.masked_softmax(x, np.ones((2, 1, 6), bool)),
        lambda x, w, b: F.masked_softmax(x),
        lambda x, w, b: F.layer_norm(x, w[:, 0], w[:, 1]),
        lambda x, w, b: F.logsumexp(x),
        *(
            lambda x, w, b, reduction=reduction, smoothing=smoothing: F.cross_entropy(
                x, np.ones((2, 5), int), label_smoothing=smoothing, reduction=reduction
            )
            for reduction in ("mean", "sum", "none")
            for smoothing in (0.0, 0.1)
        ),
    ],
)
def test_every_operation_of_a_definition_is_counted(call):
    x, w, b = leaf(np.ones((2, 5, 6))), leaf(np.ones((6, 7))), leaf(np.ones(7))
    with mg.record():
        total = mg.graph(call(x, w, b)).summary().total
    assert total.flops > 0
    assert total.uncounted == 0


def test_what_cannot_be_counted_is_said():
    cube = mg.rule(lambda x: x * x * x, lambda g, y, x: g * 3 * x * x)
    total = mg.graph(cube(leaf([1.0, 2.0]))).summary()
    assert total.total.uncounted == 1
    assert "1 call not counted" in str(total)


def test_bytes_kept_for_the_backward_pass():
    x = leaf(np.ones(100, np.float32))
    e = np.exp(x)
    y = np.sum(np.sin(e) * e)
    graph = mg.graph(y)
    kept = {n.operation: n.kept for n in graph.nodes if n.operation}
    assert kept == {"np.exp": 400, "np.sin": 0, "np.multiply": 400, "np.sum": 0}
    assert graph.summary().total.kept == 800  # e and sin(e), each once; x is the leaf's own


@pytest.mark.parametrize("recorded", [False, True])
def test_after_backward_the_summary_says_what_was_kept(recorded):
    w = leaf(np.ones((3, 4), np.float32))
    with mg.record() if recorded else mg.enable_grad():
        h = mg.functional.relu(leaf(np.ones((5, 3), np.float32)) @ w)
        y = np.sum(np.concatenate([h, np.tanh(h)]) * 2.0)
    before = str(mg.graph(y).summary())
    y.backward()
    assert str(mg.graph(y).summary()) == before


def test_modules_include_what_is_inside_them():
    model = TwoLayers()
    with mg.record():
        y = model(mg.Tensor(np.ones((2, 3), np.float32)))
    rows = {r.name: r for r in mg.graph(y).summary().by_module}
    assert list(rows) == ["model", "hidden", "out"]
    assert rows["model"].operations == 5
    assert rows["model"].parameters == 3 * 4 + 4 + 4 * 2 + 2
    assert rows["hidden"].flops == 2 * 2 * 3 * 4 + 8
    assert rows["model"].flops == rows["hidden"].flops + rows["out"].flops + 8


def test_leaves_outside_of_modules_count_as_parameters_if_they_are_trained():
    summary = mg.graph(np.sum(leaf(np.ones((2, 3))) * mg.Tensor(np.ones(3)))).summary()
    assert "6 parameter values" in str(summary)


def test_the_longest_chain():
    x = leaf(1.0)
    y = np.exp(np.sin(np.cos(x))) + x
    assert mg.graph(y).summary().depth == 4


# --- the same every time --------------------------------------------------------------------------

SCRIPT = """
import numpy as np, minigrad as mg
from minigrad import nn, functional as F
mg.manual_seed(1)
class Net(nn.Module):
    def __init__(self):
        self.embed = nn.Embedding(5, 4)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = F.relu(layer(x))
        return F.softmax(x)
net = Net()
with mg.record():
    loss = np.sum(net(np.array([[0, 1, 2]])) ** 2)
loss.backward()
graph = mg.graph(loss)
print(graph, graph.summary(), graph.to_dot(), graph.to_dot(values=False), sep="\\n")
"""


def test_two_processes_print_and_draw_the_same():
    assert "digraph" in printed(SCRIPT)


# --- numbers that leave the graph -------------------------------------------------------------------


def test_an_array_that_came_up_after_numbers_were_read_may_be_of_them():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    before = np.array([True, False])
    with mg.record():
        y = x * 3
        early = np.where(before, y, 0)
        mask = np.array([v > 2 for v in y.tolist()])
        loss = np.sum(np.where(mask, early, 1))
    graph = mg.graph(loss)
    nodes = {n.label: n for n in graph.nodes}
    assert nodes["mask"].may_be_of == (nodes["y"].number,)
    assert nodes["before"].may_be_of == ()
    assert {graph[n].label for n, _ in graph.taken_out} == {"y"}
    assert "for v in y.tolist()" in str(graph.taken_out[0][1])


@pytest.mark.parametrize("read", [float, bool, np.asarray, mg.Tensor.item, mg.Tensor.tolist])
def test_every_way_out_of_the_graph_is_seen(read):
    x = mg.Tensor([2.0], requires_grad=True)
    with mg.record():
        y = x * 3
        read(y.detach())
        loss = np.sum(y)
    graph = mg.graph(loss)
    assert [graph[n].label for n, _ in graph.taken_out] == ["y"]


@pytest.mark.parametrize("read", [lambda w: w.data, lambda w: w.detach().numpy()])
def test_what_numpy_makes_of_the_array_in_a_tensor_is_followed(read):
    w = mg.Tensor([1.0, -2.0], requires_grad=True, name="w")
    with mg.record():
        loss = np.sum(w * np.abs(read(w)).max())
    graph = mg.graph(loss)
    nodes = {n.operation or n.label: n.number for n in graph.nodes}
    assert [e.source for e in graph.arguments(nodes["np.absolute"])] == [nodes["w"]]
    assert not [n for n in graph.nodes if n.may_be_of]
    loss.backward()
    assert w.grad.data.tolist() == [2.0, 2.0]


def test_a_step_by_hand_may_be_recorded():
    w = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        np.sum(w * w).backward()
        w.data -= 0.5 * w.grad
        assert w.data.tolist() == [0.0, 0.0]
        for change in (lambda: w.data.fill(1), lambda: np.add.at(w.data, [0], 1.0)):
            with pytest.raises(mg.errors.ReadOnlyError, match=r"x\.data = a"):
                change()


def test_a_detached_tensor_is_what_it_was_taken_from():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        y = np.exp(x)
        loss = np.sum(y * y.detach())
    graph = mg.graph(loss)
    (product,) = [n for n in graph.nodes if n.operation == "np.multiply"]
    assert product.arguments[0] == product.arguments[1]
    assert [e.differentiable for e in graph.arguments(product.number)] == [True, False]
