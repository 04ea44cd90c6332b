"""A script is the graph once more, on symbols: the same numbers, and each rule called but twice."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.ran.capture import of_tensors
from minigrad.ran.data import GraphData
from minigrad.script.script import Script

FIELDS = ("given", "fitted", "before", "after")


def recorded(make, *arrays):
    leaves = [mg.Tensor(a, requires_grad=True) for a in arrays]
    with mg.record():
        loss = np.sum(make(*leaves))
    loss.backward(retain_graph=True)
    return of_tensors(GraphData, [loss])


@pytest.mark.parametrize(
    "make",
    [
        lambda x, y: x * y + x,
        lambda x, y: np.concatenate([x, y[None], x]) ** 2,
        lambda x, y: np.exp(x) @ y / 3,
    ],
)
def test_what_goes_along_each_edge_is_what_the_walk_passed_on(make):
    graph = recorded(make, [[1.0, 2.0], [3.0, -1.0]], [0.5, 2.0])
    script = Script(graph, follow_numbers=True).with_way_back()
    reached = [e for e in graph.edges if e.passed is not None]
    assert set(script.back.passed) == set(reached)
    for edge in reached:
        for field in FIELDS:
            walked, symbol = getattr(edge.passed, field), getattr(script.back.passed[edge], field)
            assert (walked is None) == (symbol is None)
            assert walked is None or walked.tobytes() == np.asarray(symbol.value).tobytes()


def test_a_rule_is_called_once_with_arrays_and_once_with_symbols():
    calls = []

    def rule(g, _y, arrays):
        calls.append(type(g))
        return [g * 2.0 for _ in arrays]

    doubled = mg.rule(lambda arrays: 2.0 * sum(arrays), rule)
    graph = recorded(lambda x, y: doubled([x, y, x]), [1.0, 2.0], [3.0, 4.0])
    calls.clear()
    Script(graph).with_way_back()
    assert len(calls) == 2  # and not for each of three arrays
