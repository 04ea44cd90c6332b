"""`mg.diagnose` of a loop of minigrad's own: each mistake is told by its line, and its twin is not."""

import re

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors, nn, optim
from minigrad import functional as F

X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4) ** 3
Y = np.arange(8) % 2


def net():
    mg.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def trained(model, optimizer, steps=6, clear=True, between=lambda: None):
    with mg.record() as watched:
        for _ in range(steps):
            if clear:
                optimizer.zero_grad()
            loss = F.cross_entropy(model(X), Y)
            loss.backward()
            between()
            optimizer.step()
    return watched


def gradients_that_are_kept(mistaken):
    model = net()
    return trained(model, optim.Adam(model.parameters(), 0.01), clear=not mistaken)


def steps_that_are_too_long(mistaken):
    model = net()
    return trained(model, optim.Adam(model.parameters(), 30 if mistaken else 0.01))


def steps_that_end_in_nan(mistaken):
    model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 1))
    optimizer = optim.SGD(model.parameters(), 30 if mistaken else 0.01)
    with mg.record() as watched, np.errstate(all="ignore"):
        for _ in range(9):
            optimizer.zero_grad()
            np.mean((model(X)[:, 0] - Y) ** 2).backward()
            optimizer.step()
    return watched


def steps_that_are_too_short(mistaken):
    model = net()
    return trained(model, optim.SGD(model.parameters(), 1e-9 if mistaken else 0.1))


def a_part_alone(mistaken):
    model = net()
    return trained(model, optim.SGD((model[2] if mistaken else model).parameters(), 0.1))


@pytest.mark.filterwarnings("ignore:no parameter has a gradient")
def cleared_between(mistaken):
    model = net()
    optimizer = optim.SGD(model.parameters(), 0.1)
    return trained(model, optimizer, between=optimizer.zero_grad if mistaken else lambda: None)


def another_model(mistaken):
    model = net()
    other = net() if mistaken else model
    return trained(model, optim.SGD(other.parameters(), 0.1))


def by_hand(mistaken):
    w = mg.Tensor(np.zeros(4, np.float32), requires_grad=True, name="w")
    with mg.record() as watched:
        for _ in range(4):
            np.mean((X @ w - Y) ** 2).backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
            if not mistaken:
                w.grad = None
    return watched


def gradients_that_are_added_up_on_purpose(_):
    model = net()
    optimizer = optim.SGD(model.parameters(), 0.1)
    with mg.record() as watched:
        for k in range(8):
            (F.cross_entropy(model(X), Y) / 2).backward()
            if k % 2:
                optimizer.step()
                optimizer.zero_grad()
    return watched


def two_that_learn_against_each_other(_):
    maker, judge = net(), net()
    ours, theirs = (optim.Adam(m.parameters(), 0.01) for m in (maker, judge))
    with mg.record() as watched:
        for _ in range(4):
            theirs.zero_grad()
            F.cross_entropy(judge(np.concatenate([maker(X).detach()] * 2, 1)), Y).backward()
            theirs.step()
            ours.zero_grad()
            F.cross_entropy(judge(np.concatenate([maker(X)] * 2, 1)), 1 - Y).backward()
            ours.step()
    return watched


def a_target_network(mistaken):
    model, target = net(), net()
    parts = [model, target] if mistaken else [model]
    optimizer = optim.SGD([p for part in parts for p in part.parameters()], 0.1)
    with mg.record() as watched:
        for _ in range(4):
            goal = target(X).detach()
            optimizer.zero_grad()
            np.mean((model(X) - goal + 1) ** 2).backward()
            optimizer.step()
    return watched


PROGRAMS = [
    (
        gradients_that_are_kept,
        "kept: backward() added to the gradient of 2.bias, 2.weight.* 5 times",
    ),
    (steps_that_are_too_long, "steps: the loss grows from .*\n.*\n.*\n.*\n.*rate of Adam is 30"),
    (steps_that_end_in_nan, "steps: the loss grows from .*\n.*\n.*\n.*\n.*rate of SGD is 30"),
    (steps_that_are_too_short, "unchanged: the learning rate is 1e-09"),
    (a_part_alone, "unchanged: no step changed 0.bias and 0.weight.* in no optimizer"),
    (cleared_between, "unchanged: step() found no gradient.* 6 times of 6, though backward()"),
    (another_model, "unchanged: step() found no gradient.* no loss was computed from them"),
    (
        a_target_network,
        "cut off: no gradient reaches .* and .*: what is computed from there leaves",
    ),
    (by_hand, "kept: backward() added to the gradient of w .* 3 times"),
    (gradients_that_are_added_up_on_purpose, ""),
    (two_that_learn_against_each_other, ""),
]


@pytest.mark.filterwarnings("ignore:no parameter has a gradient")
@pytest.mark.parametrize(("program", "told"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("mistaken", [True, False])
def test_mistakes_of_a_loop_are_told_and_their_twins_are_not(program, told, mistaken):
    found = mg.diagnose(program(mistaken))
    if not (told and mistaken):
        assert not found, found
        return
    assert re.match(told.replace("()", r"\(\)"), str(found)), found
    assert found[0].line.file == __file__


def test_it_says_how_much_was_looked_at():
    model = net()
    watched = trained(model, optim.SGD(model.parameters(), 0.1))
    first, last = (f"{watched.losses[k].item():.4g}" for k in (0, -1))
    how = f"arrives, in 6 calls of backward(); the loss went from {first} to {last}"
    assert str(mg.diagnose(watched)).endswith(how)


def test_a_gradient_that_was_not_finite_is_found_at_its_step():
    w = mg.Tensor(np.array([1.0, 4.0], np.float32), requires_grad=True, name="w")
    with mg.record() as watched, np.errstate(all="ignore"):
        for _ in range(4):
            w.grad = None
            np.sum(np.sqrt(np.maximum(w, 0))).backward()  # here
            with mg.no_grad():
                w -= 2 * w.grad
    (trouble,) = mg.diagnose(watched)
    assert (trouble.kind, trouble.back) == ("not finite", True)
    assert "# here" in trouble.line.text
    assert trouble.what.endswith("in backward() number 2 of 4")


def test_a_gradient_of_before_hides_no_loss_that_has_none():
    model = net()
    F.cross_entropy(model(X), Y).backward()
    with mg.record(), mg.no_grad():
        loss = F.cross_entropy(model(X), Y)
    (trouble,) = mg.diagnose(loss)
    assert trouble.kind == "cut off"


def test_a_block_without_a_backward_says_so():
    with mg.record() as watched:
        pass
    with pytest.raises(errors.GraphError, match=r"no backward\(\) was called"):
        mg.diagnose(watched)
    assert repr(watched).startswith("a loop with 0 backward(), for mg.diagnose")
