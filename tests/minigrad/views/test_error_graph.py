"""The graph of an error: the computation as far as it got, with the culprit marked."""

import contextlib
import gc
import re
import weakref

import numpy as np
import pytest
from leaves import leaf

import minigrad as mg
from minigrad import errors, nn
from minigrad import functional as F


class Net(nn.Module):
    def __init__(self, width=5):
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(width))
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = np.tanh(layer(x))
        return self.out(x)


def culprit(error):
    """The one node that is marked."""
    (node,) = [n for n in mg.graph(error).nodes if n.error]
    return node


def names(graph, node):
    return [graph[e.source].label for e in graph.arguments(node.number)]


def test_shapes_that_do_not_fit():
    def inner(x, w):
        h = np.exp(x)
        return h @ w

    x, w = leaf(np.ones((2, 3))), leaf(np.ones((4, 2)))
    with pytest.raises(errors.ShapeError) as caught:
        inner(x, w)
    graph, node = mg.graph(caught.value), culprit(caught.value)
    assert [n.operation for n in graph.nodes] == ["", "", "np.exp", "np.matmul"]
    assert node.operation == "np.matmul"
    assert names(graph, node) == ["h", "w"]  # of a function that has been left
    assert node.error.startswith("np.matmul cannot take float64[2, 3], float64[4, 2]")
    assert node.line.text == "return h @ w"
    assert graph.roots == (node.number,)
    table = str(graph)
    assert re.search(r"^#3 +#2 @ #1 +- +failed +- +test_error_graph", table, re.MULTILINE)
    assert "\n#3 failed: np.matmul cannot take" in table


def test_a_module_that_refuses_its_input():
    net, x = Net(), leaf(np.ones((2, 3), np.float32))
    with pytest.raises(errors.ShapeError) as caught:
        net(x)
    graph, node = mg.graph(caught.value), culprit(caught.value)
    assert (node.operation, node.error) == ("Linear", str(caught.value))
    assert node.line.text == "return self.out(x)"
    assert graph.box(node.box).type == "Net"
    assert {n.name for n in graph.nodes if n.kind == "parameter"} >= {"layers.0.weight"}


def test_an_operation_that_fails_inside_a_module_lies_in_its_box():
    class Mixed(nn.Module):
        def forward(self, x):
            return F.softmax(x @ x)

    class Outer(nn.Module):
        def __init__(self):
            self.mixed = Mixed()

        def forward(self, x):
            return self.mixed(x * 2)

    with pytest.raises(errors.ShapeError) as caught:
        Outer()(leaf(np.ones((2, 3))))
    graph, node = mg.graph(caught.value), culprit(caught.value)
    assert (node.operation, graph.box(node.box).type) == ("np.matmul", "Mixed")


@pytest.mark.parametrize("shape", [(), (3,)])
def test_the_first_nan_of_a_forward_pass(shape):
    x = leaf(np.ones(shape))
    with mg.detect_anomaly():
        y = x - 2
        with pytest.raises(errors.AnomalyError) as caught:
            np.sum(np.sqrt(y) * 3)
    node = culprit(caught.value)
    assert node.operation == "np.sqrt"
    assert np.isnan(node.value).all()
    assert node.error.startswith("np.sqrt gives")
    assert mg.graph(caught.value)[1].label == "y"


def test_the_first_infinity_of_a_backward_pass():
    x = leaf([0.0])
    with mg.detect_anomaly():
        loss = np.sum(np.sqrt(x) * 2)
        with pytest.raises(errors.AnomalyError) as caught:
            loss.backward()
    graph, node = mg.graph(caught.value), culprit(caught.value)
    assert node.operation == "np.sqrt"
    assert [n.label for n in graph.nodes] == ["x", "", "", "loss"]


def test_the_same_in_steps():
    with mg.detect_anomaly():
        loss = np.sum(np.sqrt(leaf([0.0])) * 2)
        with pytest.raises(errors.AnomalyError) as caught:
            list(mg.steps(loss))
    assert culprit(caught.value).operation == "np.sqrt"


@pytest.mark.parametrize(
    ("call", "operation", "boxes"),
    [
        (lambda x: np.stack([x, x[0]]), "np.concatenate", ["np.stack"]),
        (lambda x: np.split(x, 5), "np.split", []),
        (lambda x: F.cross_entropy(x * 2, np.array([0, 7])), "cross_entropy", []),
        (lambda x: x[5], "getitem", []),
        (lambda x: np.where(x > 0, x, np.ones(7)), "np.where", []),
    ],
)
def test_an_error_inside_a_definition(call, operation, boxes):
    with pytest.raises(errors.MinigradError) as caught:
        call(leaf(np.ones((2, 3))))
    assert culprit(caught.value).operation == operation
    assert [b.name for b in mg.graph(caught.value).boxes] == boxes


def test_the_culprit_is_drawn_in_its_own_colour_with_its_message():
    x = leaf(np.ones((2, 3)))
    with pytest.raises(errors.ShapeError) as caught:
        np.exp(x) @ leaf(np.ones((4, 2)), name='"a|b"\\')
    dot = mg.graph(caught.value).to_dot()
    (line,) = [line for line in dot.splitlines() if "#fbd5e0" in line]
    assert "np.matmul cannot take float64[2, 3]" in line
    assert 'class="error' in line


def test_the_culprit_is_seen_in_a_closed_box_too():
    net, x = Net(width=40), leaf(np.ones((2, 3), np.float32))
    with pytest.raises(errors.ShapeError) as caught:
        net(x)
    dot = mg.graph(caught.value).to_dot(depth=0)
    (line,) = [line for line in dot.splitlines() if "#fbd5e0" in line]
    assert "Linear takes a last axis" in line


@pytest.mark.parametrize("asked", [False, True])
def test_nothing_is_kept_alive_once_the_error_is_gone(asked):
    def fail():
        x = leaf(np.ones((2, 3)))
        with contextlib.suppress(errors.ShapeError):
            try:
                x @ x
            except errors.ShapeError as error:
                if asked:
                    len(mg.graph(error))
                raise
        return weakref.ref(x)

    gc.disable()
    try:
        gone = fail()
        if asked:  # Python's own picture of a frame's variables may need the collector
            gc.collect()
        assert gone() is None
    finally:
        gc.enable()


def test_there_is_no_graph_without_a_computation():
    with pytest.raises(errors.ConfigError) as caught:
        nn.Dropout(2.0)
    with pytest.raises(errors.GraphError, match=r"outside any computation: .*2\.0"):
        mg.graph(caught.value)
    with pytest.raises(errors.GraphError, match="this ShapeError came up outside"):
        mg.graph(errors.ShapeError("made by hand"))


def test_the_traceback_is_not_needed():
    with pytest.raises(errors.ShapeError) as caught:
        leaf([1.0, 2.0]) @ leaf([1.0, 2.0, 3.0])
    error = caught.value.with_traceback(None)
    assert culprit(error).operation == "np.matmul"
    assert culprit(error).line is None
