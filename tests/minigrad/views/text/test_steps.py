"""The backward walk in steps: what it says, and that it is the walk of backward()."""

import re

import numpy as np
import pytest
from leaves import leaf

import minigrad as mg
from minigrad import errors
from minigrad.engine.node import Node


def printed(loss, **options):
    return "\n\n".join(map(str, mg.steps(loss, **options)))


def test_the_steps_of_a_small_example_read_as_they_should():
    x = mg.Tensor([1.0, 2.0, 3.0], requires_grad=True, name="x")
    b = mg.Tensor([[1.0], [2.0]], requires_grad=True)
    with mg.record():
        loss = np.sum(x * x + b)
    assert printed(loss) == (
        """\
Step 1: loss = np.sum #4, () float32
  test_steps.py:22: loss = np.sum(x * x + b)
  g = 1
  for a, which is np.add #3
    g spread over all 6 elements = [[1, 1, 1],
                                    [1, 1, 1]]
    #3.grad[0, 0] = g = 1

Step 2: np.add #3, (2, 3) float32
  test_steps.py:22: loss = np.sum(x * x + b)
  g = [[1, 1, 1],
       [1, 1, 1]]
  for a, which is np.multiply #2
    g                            = [[1, 1, 1],
                                    [1, 1, 1]]
    summed over axis 0 of (2, 3) = [2, 2, 2]
    #2.grad[0] = g[0, 0] + g[1, 0] = 1 + 1 = 2
  for b, which is leaf b #1
    g                            = [[1, 1, 1],
                                    [1, 1, 1]]
    summed over axis 1 of (2, 3) = [[3],
                                    [3]]
    b.grad[0, 0] = g[0, 0] + g[0, 1] + g[0, 2] = 1 + 1 + 1 = 3

Step 3: np.multiply #2, (3,) float32
  test_steps.py:22: loss = np.sum(x * x + b)
  g = [2, 2, 2]
  x = [1, 2, 3]
  for a, which is leaf x #0
    g * x = [2, 4, 6]
    x.grad[0] gets g[0]·x[0] = 2·1 = 2
  for b, which is leaf x #0
    g * x          = [2, 4, 6]
    arrived before = [2, 4, 6]
    the sum        = [ 4,  8, 12]
    x.grad[0] gets g[0]·x[0] = 2·1 = 2

Step 4: leaf b #1, (2, 1) float32
  g            = [[3],
                  [3]]
  .grad before = not computed
  .grad after  = [[3],
                  [3]]

Step 5: leaf x #0, (3,) float32
  g            = [ 4,  8, 12]
  .grad before = not computed
  .grad after  = [ 4,  8, 12]"""
    )


@pytest.mark.parametrize("record", [False, True])
def test_steps_and_the_graph_have_the_same_numbers(record):
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    with mg.record() if record else mg.enable_grad():
        h = np.where(np.array([True, False]), x * np.array([2.0, 3.0]), w)
        loss = np.sum(np.stack([h, w]) * h)
    graph = mg.graph(loss)
    for step in mg.steps(loss):
        node = graph[step.of]
        assert f"#{node.number}" in str(step).splitlines()[0]
        assert (node.label, node.shape) == (step.name, step.node.shape)
        assert [s.of for s in step.shares] == [
            e.source for e in graph.arguments(step.of) if e.differentiable
        ]


def test_steps_speak_of_variables_by_their_names():
    def inner(x):
        h = np.exp(x)  # gone when the steps are taken; record() has noted it
        return h * h

    x = mg.Tensor(0.0, requires_grad=True)
    w = mg.Tensor(0.0, requires_grad=True, name="weight")
    with mg.record():
        y = inner(x) + w
    head = [str(step).splitlines()[0].split(",")[0] for step in mg.steps(y, retain_graph=True)]
    assert [re.sub(r" #\d+", "", line) for line in head] == [
        "Step 1: y = np.add", "Step 2: np.multiply", "Step 3: h = np.exp",
        "Step 4: leaf weight", "Step 5: leaf x",
    ]  # fmt: skip
    assert [s.name for step in mg.steps(y) for s in step.shares] == ["", "weight", "h", "h", "x"]


def test_list_arguments_indices_and_boxes_are_named():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    text = printed(np.std(np.concatenate([x[[0, 0]], np.ones(1), x])))
    assert "for arrays[0], which is getitem #1" in text
    assert "for arrays[2], which is leaf x #0" in text
    assert "g[3:5]" in text
    assert "g added up at x[[0, 0]], elsewhere 0" in text
    assert ", (5,) float64, in np.var, in np.std" in text
    assert "as float32" in text  # the ones are float64, so the gradient narrows on its way to x


def test_a_large_array_is_summarised():
    x = mg.Tensor(np.linspace(-1.0, 2.5, 3000).reshape(30, 100), requires_grad=True)
    text = printed((x * x).sum())
    assert "x = (30, 100) float64, from -1 to 2.5, first -1.000" in text
    assert max(map(len, text.splitlines())) < 130


def accumulated(loss):
    return list(mg.steps(loss, accumulate=True))


@pytest.mark.parametrize("record", [False, True])
def test_looking_changes_nothing(record):
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record() if record else mg.enable_grad():
        loss = np.sum(np.tanh(x) * x)
    before = str(mg.graph(loss)), str(mg.graph(loss).summary())
    seen = [list(map(str, mg.steps(loss))), list(map(str, mg.steps(loss)))]
    assert seen[0] == seen[1]
    assert x.grad is None
    assert (str(mg.graph(loss)), str(mg.graph(loss).summary())) == before
    *_, leaf = mg.steps(loss)
    loss.backward()
    np.testing.assert_array_equal(leaf.after.numpy(), x.grad.numpy())


@pytest.mark.parametrize("record", [False, True])
def test_steps_leave_the_gradients_that_backward_leaves(record):
    def leaves_after(walk):
        x = mg.Tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
        w = mg.Tensor(np.arange(3.0) + 1, requires_grad=True)
        with mg.record() if record else mg.enable_grad():
            h = np.tanh(x * w) + w
            loss = np.sum(h * h[::-1] @ w)
        walk(loss)
        return x.grad.numpy(), w.grad.numpy()

    stepped, ran = leaves_after(accumulated), leaves_after(mg.backward)
    for s, r in zip(stepped, ran):
        np.testing.assert_array_equal(s, r)


def layouts():
    """Arrays of one shape that lie in memory in every order."""
    a = np.random.default_rng(0).standard_normal((3, 16, 33)).astype(np.float32)
    return {
        "C": a,
        "Fortran": np.asfortranarray(a),
        "swapped": np.swapaxes(np.swapaxes(a, 0, 1).copy(), 0, 1),
        "reversed": a[::-1, :, ::-1].copy()[::-1, :, ::-1],
        "transposed": np.transpose(np.transpose(a, (2, 0, 1)).copy(), (1, 2, 0)),
    }


@pytest.mark.parametrize("first", layouts())
@pytest.mark.parametrize("second", layouts())
def test_sums_of_gradients_lie_in_memory_as_they_do_in_backward(first, second):
    """What is computed from them would round differently."""
    one, two = layouts()[first], layouts()[second]

    def gradient(walk):
        bias = mg.Tensor(np.ones((16, 1), np.float32), requires_grad=True)
        x = np.broadcast_to(bias, one.shape) * 1
        walk(np.sum(x * one) + np.sum(x * two) + np.sum(x * two))
        return bias.grad.numpy()

    stepped, ran = gradient(accumulated), gradient(mg.backward)
    assert stepped.tobytes() == ran.tobytes()


def test_a_step_holds_what_it_shows():
    x = mg.Tensor([3.0], requires_grad=True)
    first, second, third = mg.steps((x * x).sum(), np.array(2.0))
    assert isinstance(first.node, Node)
    assert third.node is x._node
    assert [s.number for s in (first, second, third)] == [1, 2, 3]
    assert second.values["x"] == 3
    a, b = second.shares
    assert (a.rule, b.rule) == ("g * x", "g * x")
    assert (a.before, a.after.item()) == (None, 6)
    assert (b.before.item(), b.fitted.item(), b.after.item()) == (6, 6, 12)
    assert third.before is None
    assert third.after.item() == 12


def test_an_earlier_gradient_is_added_to_and_shown():
    x = mg.Tensor([1.0], requires_grad=True)
    (x * 2).sum().backward()
    *_, leaf = mg.steps((x * 3).sum())
    assert (leaf.before.item(), leaf.after.item()) == (2, 5)
    assert ".grad before = [2]" in str(leaf)


def test_arrays_of_a_step_cannot_be_written_to():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    first, second, _ = mg.steps((x * x).sum())
    share = second.shares[0]
    for array in (first.gradient, second.values["x"], share.given, share.fitted, share.after):
        assert not array.flags.writeable


def test_sums_of_earlier_steps_stay_as_they_were():
    """Gradients are added up in place where that is safe; what has been shown is not."""
    x = mg.Tensor([1.0], requires_grad=True)
    y = x * 1.0
    shares = [share for step in mg.steps((y * 2 + y * 3 + y * 4 + y * 5).sum())
              for share in step.shares if share.to is y._node]  # fmt: skip
    assert [share.after.item() for share in shares] == [5, 9, 12, 14]


def test_steps_with_create_graph_are_tensors_that_can_be_differentiated():
    x = mg.Tensor([2.0], requires_grad=True)
    *_, leaf = mg.steps((x**3).sum(), create_graph=True)
    assert isinstance(leaf.gradient, mg.Tensor)
    x.grad = None
    leaf.gradient.sum().backward()
    assert x.grad.item() == 12


def test_errors_come_at_once_and_not_at_the_first_step():
    with pytest.raises(errors.GraphError):
        mg.steps(mg.Tensor(1.0))
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(errors.ShapeError, match=re.escape("(2,)")):
        mg.steps(x * 2)


def test_a_leaf_with_new_values_between_two_steps_has_the_gradient_of_the_old_ones():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    walk = mg.steps((x * x).sum())
    next(walk)
    x.copy_([5.0, 5.0])
    *_, leaf = walk
    np.testing.assert_array_equal(leaf.gradient, [2, 4])


def test_two_walks_over_one_graph_do_not_mix():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    one = mg.steps(loss, accumulate=True, retain_graph=False)
    other = mg.steps(loss, accumulate=True, retain_graph=False)
    list(one)
    with pytest.raises(errors.GraphError, match="already walked"):
        next(other)
    np.testing.assert_array_equal(x.grad.numpy(), [2, 4])


def test_a_rule_that_cannot_be_followed_is_shown_whole():
    def slope(g, y, x):
        """How fast it grows."""
        doubled = 2 * g
        doubled[:] *= x
        return doubled

    square = mg.rule(lambda x: x * x, slope)
    x = mg.Tensor([3.0], requires_grad=True)
    text = printed(square(x).sum())
    assert (
        "      doubled = 2 * g\n      doubled[:] *= x\n      return doubled\n    which gives = [6]"
        in text
    )


def test_a_rule_is_called_by_the_walk_and_for_its_script_on_numbers_and_on_symbols():
    called = []

    def slope(g, _y, x):
        called.append(x)
        return g * 2 * x

    square = mg.rule(lambda x: x * x, slope)
    list(mg.steps(np.sum(square(leaf([1.0, 2.0])))))
    assert len(called) == 3


def test_a_rule_of_a_lambda_has_the_name_of_its_variable():
    cube = mg.rule(lambda x: x**3, lambda g, _y, x: g * 3 * x * x)
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        loss = np.sum(cube(x))
    assert "which is cube #1" in str(next(mg.steps(loss)))
    assert "cube(#0)" in str(mg.graph(loss))
    assert [mg.rule(lambda x: x, lambda g, _y, _x: g)][0].__name__ == "<lambda>"
