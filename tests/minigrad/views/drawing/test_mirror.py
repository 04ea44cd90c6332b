"""The backward pass as a graph of its own, and beside the forward one in a drawing."""

import re
import textwrap

import numpy as np
import pytest
from leaves import leaf

import minigrad as mg
from minigrad import functional as F
from minigrad import nn


@pytest.fixture
def diamond():
    a, b = leaf([1.0, 2.0]), leaf(-3.0)
    with mg.record():
        c = a * b + a
        loss = np.sum(c * c)
    loss.backward()
    return mg.graph(loss)


def test_the_backward_pass_of_a_diamond(diamond):
    lines = str(diamond.backward).splitlines()
    lines = [re.sub(r" +(test_mirror.*|line)? +(#\d+|of)$", r"  \2", line) for line in lines]
    assert "\n".join(lines) == textwrap.dedent(
        """\
        graph of the backward pass of loss: 10 operations. All float32 unless said.

            name         made by                                   shape  value  of
        #0  d_loss       where it starts                           ()     1  #5
        #1  d_#4         g spread over all 2 elements with g = #0  (2,)   [1, 1]  #4
        #2  part of d_c  g * c with g = #1                         (2,)   [-2, -4]  #4
        #3  part of d_c  g * c with g = #1                         (2,)   [-2, -4]  #4
        #4  d_c          #2 + #3                                   (2,)   [-4, -8]  #3
        #5  part of d_a  g with g = #4                             (2,)   [-4, -8]  #3
        #6  d_#2         g with g = #4                             (2,)   [-4, -8]  #2
        #7  part of d_a  g * b with g = #6                         (2,)   [12, 24]  #2
        #8  d_b          g * a, summed over axis 0 with g = #6     ()     -20  #1
        #9  d_a          #5 + #7                                   (2,)   [8, 16]  #0"""
    )  # fmt: skip


def test_contributions_sum_to_the_gradients_of_the_forward_graph():
    mg.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), np.tanh, nn.Linear(4, 3))
    x = leaf(np.linspace(-1, 1, 15).reshape(5, 3), dtype=np.float32)
    with mg.record():
        loss = F.cross_entropy(np.concatenate([model(x), x]) * 2, np.zeros(10, dtype=int))
    loss.backward()
    forward = mg.graph(loss)
    backward = forward.backward
    assert backward is forward.backward
    gradients = {n.of: n for n in backward.nodes if not n.label.startswith("part of")}
    assert set(gradients) == {n.number for n in forward.nodes if n.state != "needs none"}
    assert all(n.box == forward[n.of].box for n in backward.nodes if n.label.startswith("part of"))
    several = 0
    for number, node in gradients.items():
        np.testing.assert_array_equal(node.value, forward[number].gradient)
        assert node.box == forward[number].box
        parts = [backward[e.source] for e in backward.arguments(node.number)]
        if node.operation == "sum":
            np.testing.assert_allclose(sum(p.value for p in parts), node.value, rtol=1e-6)
            several += 1
        elif node.operation != "start":
            (arrived,) = parts
            edges = [e for e in forward.edges if (e.source, e.target) == (number, arrived.of)]
            assert any(forward.rule(e).startswith(node.operation.split(",")[0][:4]) for e in edges)
    assert several == 2
    leaves = {n.number for n in forward.nodes if n.kind in ("parameter", "input")}
    assert {backward[r].of for r in backward.roots} == leaves


def test_before_backward_the_gradients_are_unknown():
    x = leaf([1.0, 2.0])
    backward = mg.graph(np.sum(x * x)).backward
    assert [n.value for n in backward.nodes] == [None] * 5


def test_a_root_that_another_root_was_computed_from():
    x = leaf(2.0)
    with mg.record():
        y = x * 3
        z = y * 2
    backward = mg.graph(y, z).backward
    names = [n.label for n in backward.nodes]
    assert names == ["d_z", "part of d_y", "d_y", "d_x"]
    assert backward[2].operation == "sum"


def test_without_record_the_gradients_of_the_leaves_are_known_afterwards():
    x = leaf([1.0, 2.0])
    loss = np.sum(np.sin(x))
    loss.backward()
    first, *_, last = mg.graph(loss).backward.nodes
    assert first.value is None
    np.testing.assert_array_equal(last.value, x.grad.numpy())


def test_the_gradient_of_a_matrix_for_all_batches_is_summed_over_them():
    x, w, many = leaf(np.ones((2, 5, 6))), leaf(np.ones((6, 7))), leaf(np.ones((1, 6, 7)))
    with mg.record():
        loss = np.sum(x @ w + x @ many)
    made = {n.label: n.operation for n in mg.graph(loss).backward.nodes}
    assert made["d_w"] == made["d_many"] == "x.mT @ g, summed over axis 0"


def test_both_passes_side_by_side(diamond):
    dot = diamond.to_dot(backward=True)
    assert "{ rank=same; n3 -> d_n3 [" in dot
    back = re.findall(r"(d_n\d+) -> (d_n\d+) (\[dir=\"back\".*\]);", dot)
    assert [(a, b) for a, b, _ in back] == [
        ("d_n0", "d_n2"), ("d_n1", "d_n2"), ("d_n2", "d_n3"), ("d_n0", "d_n3"), ("d_n3", "d_n4"),
        ("d_n3", "d_n4"), ("d_n4", "d_n5"),
    ]  # fmt: skip
    assert "g * a, summed over axis 0 \\n -20 " in back[1][2]
    assert 'label="d_c = the sum of 2\\n(2,)\\n[-4, -8]"' in dot
    assert "d_n" not in diamond.to_dot()


def test_closed_boxes_have_one_too_and_data_has_none():
    model, x = nn.Sequential(nn.Linear(2, 2), np.tanh), mg.Tensor([[1.0, 2.0]])
    with mg.record():
        loss = np.sum(model(x))
    dot = mg.graph(loss).to_dot(backward=True, depth=0)
    assert 'label="back through model: Sequential"' in dot
    x_number = next(n.number for n in mg.graph(loss).nodes if n.label == "x")
    assert f"d_n{x_number}" not in dot


def test_a_name_cannot_break_the_drawing_of_both():
    x = leaf([1.0], name='"];\n<b>|{}\\')
    dot = mg.graph(x * x).to_dot(backward=True)
    assert dot.count("\n") == len(dot.splitlines())
    assert 'd_\\"];\\\\n<b>|{}\\\\' in dot


@pytest.mark.slow
def test_a_large_graph_folds_with_both_passes():
    x = leaf(np.ones(3))
    y = x
    for _ in range(2_000):
        y = np.tanh(y * 1.5)
    dot = mg.graph(y).to_dot(backward=True)
    assert dot.count("dir=") < 200
