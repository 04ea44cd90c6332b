"""`mg.diagnose`: thirty planted faults, half of each framework; the line with `# here` is named."""

import html
import importlib.util
import inspect
import re
import warnings

import numpy as np
import pytest
from leaves import leaf
from pages import contents

import minigrad as mg
from minigrad import functional as MF
from minigrad.views.troubles import Trouble

if importlib.util.find_spec("torch"):
    import torch
    from torch.nn import functional as F


def weights(*numbers):
    return torch.tensor(numbers, requires_grad=True)


# --- minigrad ----------------------------------------------------------------------------------------


def log_of_zero():
    p = MF.softmax(leaf([0.0, 200.0], name="w"))
    return -np.sum(np.log(p))  # here


def exp_of_much():
    e = np.exp(leaf([1.0, 100.0], name="w") * 2)  # here
    return np.sum(e / np.sum(e))


def nothing_by_nothing():
    x = np.maximum(leaf([-1.0, -2.0], name="w"), 0)
    mean = np.sum(x) / np.sum(np.where(x > 0, 1.0, 0.0) * x)  # here
    return mean * 2


def slope_of_a_root():
    x = leaf([0.0, 4.0], name="w")
    r = np.sqrt(x * x)  # here
    return np.sum(r)


def the_branch_not_taken():
    x = leaf([0.0, 2.0], name="w")
    safe = np.log(x)  # here
    return np.sum(np.where(x > 0, safe, 0.0))


def slope_of_arccos():
    c = leaf([1.0, 0.5], name="w")
    angle = np.arccos(c)  # here
    return np.sum(angle)


def data_with_a_nan():
    x = np.array([1.0, np.nan], np.float32)
    y = leaf([1.0, 2.0], name="w") * x  # here
    return np.sum(np.tanh(y))


def products_that_overflow():
    w = leaf([1e20, 1e20], name="w")
    y = w @ w  # here
    return MF.sigmoid(y) * 1


def dead_relu():
    h = leaf([-1.0, -2.0], name="w") - 3
    return np.sum(np.tanh(MF.relu(h) + 1))  # here


def detached():
    w, v = leaf([1.0, 2.0], name="w"), mg.Tensor([3.0, 4.0], requires_grad=True, name="v")
    h = np.tanh(w * 2)
    return np.sum(h.detach() * v)  # here


def clipped():
    y = leaf([5.0, 7.0], name="w") * 2
    return np.sum(np.clip(y, 0, 1) ** 2)  # here


def saturated():
    y = leaf([100.0, 200.0], name="w") * 3
    p = np.tanh(y)  # here
    return np.sum(p * 2)


def too_deep():
    h = leaf([0.5, 0.1], name="w")
    for _ in range(12):
        h = MF.sigmoid(h)  # here
    return np.sum(h)


def too_large():
    h = leaf([0.5, 0.1], name="w")
    for _ in range(8):
        h = h * 30 - 0.5  # here
    return np.sum(h)


def times_nothing():
    gate = np.zeros(2, np.float32)
    h = leaf([1.0, 2.0], name="w") * gate  # here
    return np.sum(h * 3 + 1)


# --- PyTorch -----------------------------------------------------------------------------------------


def torch_log_of_zero():
    p = torch.softmax(weights(0.0, 200.0), 0)
    return -p.log().sum()  # here


def torch_exp_of_much():
    e = torch.exp(weights(1.0, 100.0) * 2)  # here
    return (e / e.sum()).sum()


def torch_row_of_masks():
    scores = weights(1.0, 2.0) * 2
    scores = scores.masked_fill(torch.ones(2, dtype=torch.bool), float("-inf"))
    share = scores.softmax(0)  # here
    return (share * 2).sum()


def torch_spread_of_one_sample():
    x = weights(3.0) * 2
    y = x - x.mean()
    scaled = y / y.std(correction=0)  # here
    return scaled.sum()


def torch_slope_of_a_norm():
    x = weights(0.0, 0.0)
    far = (x * x).sum().sqrt()  # here
    return far + 1


def torch_the_branch_not_taken():
    x = weights(0.0, 2.0)
    return torch.where(x > 0, 1 / x, x).sum()  # here


def torch_data_with_a_nan():
    net = torch.nn.Linear(2, 2)
    y = net(torch.tensor([1.0, float("nan")]))  # here
    return F.relu(y).sum()


def torch_power():
    x = weights(0.0, 4.0)
    y = x**0.5  # here
    return y.sum()


def torch_dead_relu():
    first, last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    torch.nn.init.constant_(first.bias, -50)
    h = first(torch.ones(4, 2))
    h = F.relu(h)  # here
    return last(h).sum()


def torch_detached():
    first, last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    h = first(torch.ones(4, 2)).tanh()
    h = h.detach()  # here
    return last(h.relu()).sum()


def torch_clamped():
    y = weights(5.0, 7.0) * 2
    return (y.clamp(0, 1) * 3).sum()  # here


def torch_rounded():
    y = weights(0.2, 0.7) * 2
    code = y.round()  # here
    return (code * 2).sum()


def torch_too_deep():
    layers = [torch.nn.Linear(4, 4) for _ in range(10)]
    h = torch.ones(1, 4)
    for layer in layers:
        torch.nn.init.constant_(layer.weight, 0.02)
        h = torch.sigmoid(layer(h))  # here
    return h.sum()


def torch_through_time():
    w = weights(9.0)
    h = torch.ones(1)
    for _ in range(10):
        h = w * h  # here
    return h.sum()


def torch_times_nothing():
    gate = torch.zeros(2)
    h = weights(1.0, 2.0) * gate  # here
    return (h * 3 + 1).sum()


CASES = {
    "not finite": [
        log_of_zero, exp_of_much, nothing_by_nothing, slope_of_a_root, the_branch_not_taken,
        slope_of_arccos, products_that_overflow, torch_log_of_zero, torch_exp_of_much,
        torch_row_of_masks, torch_spread_of_one_sample, torch_slope_of_a_norm,
        torch_the_branch_not_taken, torch_power,
    ],
    "data": [data_with_a_nan, torch_data_with_a_nan],
    "zero": [
        dead_relu, clipped, saturated, times_nothing, torch_dead_relu, torch_clamped, torch_rounded,
        torch_times_nothing,
    ],
    "cut off": [detached, torch_detached],
    "vanishes": [too_deep, torch_too_deep],
    "explodes": [too_large, torch_through_time],
}  # fmt: skip
OURS = [c for cases in CASES.values() for c in cases if not c.__name__.startswith("torch_")]
PLANTED = [(kind, case) for kind, cases in CASES.items() for case in cases]


# --- PyTorch alone: what became of the gradients, and of training -------------------------------------

ROWS = 16
if importlib.util.find_spec("torch"):

    class Squared(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(w)
            return x * w

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0], None


def answers(net):
    return net(torch.linspace(-1, 1, ROWS)[:, None])


def a_factor_too_few():
    x = weights(1.0, 2.0) * 1e-3
    return Squared.apply(x).mean()  # here


def a_gradient_left_out():
    x, w = weights(1.0, 2.0), weights(3.0, 4.0)
    return Product.apply(x * 2, w).sum()  # here


def a_hook_with_a_factor():
    h = torch.nn.Linear(1, 2)(torch.ones(3, 1)) * 1e-3
    h.register_hook(lambda g: g * 3)  # here
    return torch.nn.Linear(2, 1)(h.tanh()).mean()


def a_hook_of_a_parameter():
    net = torch.nn.Linear(1, 1)
    net.weight.register_hook(lambda g: -g)  # here
    return answers(net).square().mean()


def a_hook_of_a_module():
    net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    net[1].register_full_backward_hook(lambda module, before, after: (before[0] * 2,))
    return net(torch.ones(2, 1)).mean()  # here


def a_hook_that_makes_a_nan():
    h = torch.nn.Linear(1, 2)(torch.ones(3, 1))
    h.register_hook(lambda g: g / g.mul(0))  # here
    return h.tanh().mean()


def rounded_to_zero():
    net = torch.nn.Linear(1, 1).half()
    return net(torch.ones(3, 1).half()).float().mean() * 1e-9  # here


def a_running_statistic():
    global kept
    x = answers(torch.nn.Linear(1, 1))
    kept = torch.ones(1)
    with torch.no_grad():
        none = x[:0].mean()  # here
        kept.mul_(0.9).add_(none)
    return x.square().mean()


def a_column_less_a_row():
    return (answers(torch.nn.Linear(1, 1)) - torch.ones(ROWS)).square().mean()  # here


def a_loss_that_spreads():
    with warnings.catch_warnings(action="ignore"):
        return F.mse_loss(answers(torch.nn.Linear(1, 1)), torch.ones(ROWS))  # here


def trained(net, rate, scale=1.0, steps=6):
    for step in range(steps):
        loss = (answers(net) - 3).square().mean()  # here
        if step < steps - 1:
            (loss * scale).backward()
            with torch.no_grad():
                for p in net.parameters():
                    p -= rate * p.grad / scale
                    p.grad = None
    return loss * scale


def steps_that_are_too_long():
    return trained(torch.nn.Linear(1, 1), 3.0, scale=1024.0)


def one_step_that_is_too_long():
    return trained(torch.nn.Linear(1, 1), 300.0, steps=2)


def steps_whose_loss_comes_down_again():
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.Adam(net.parameters(), 10.0)
    for step in range(6):
        loss = (answers(net) - 3).square().mean()
        if step < 5:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss


def steps_by_which_the_loss_rises_a_little_each_time():
    return trained(torch.nn.Linear(1, 1), 1.1)


def steps_uphill():
    return trained(torch.nn.Linear(1, 1), -0.9)


OF_PYTORCH = {
    "own backward": [a_factor_too_few, a_gradient_left_out],
    "another gradient": [a_hook_with_a_factor, a_hook_of_a_parameter, a_hook_of_a_module],
    "not finite": [a_hook_that_makes_a_nan],
    "underflows": [rounded_to_zero],
    "outside": [a_running_statistic],
    "pairs": [a_column_less_a_row, a_loss_that_spreads],
}
PLANTED_THERE = [(kind, case) for kind, cases in OF_PYTORCH.items() for case in cases]


def test_they_are_thirty_half_of_each():
    assert len(PLANTED) == 30
    assert sum(case.__name__.startswith("torch_") for _, case in PLANTED) == 15


def data_of(page):
    return contents(page.read_text("utf-8"))


def opened_at(page):
    """The node of the step at which a page opens."""
    shown = data_of(page)
    steps = shown["forward"] + shown["backward"]
    return next(n for n in shown["nodes"] if n["n"] == steps[shown["opens"] - 1])


def diagnosed(case, page=False):
    if case not in OURS:
        pytest.importorskip("torch")
        torch.manual_seed(0)
        with mg.pytorch() as watched:
            loss = case()
        loss.backward()
        return mg.diagnose(watched, page)
    with np.errstate(all="ignore"):
        with mg.record():
            loss = case()
        return mg.diagnose(loss)


@pytest.mark.parametrize(
    ("kind", "case"), PLANTED + PLANTED_THERE, ids=lambda p: getattr(p, "__name__", "")
)
def test_the_right_line_is_named(kind, case):
    found = diagnosed(case)
    lines, first = inspect.getsourcelines(case)
    (here,) = [first + i for i, line in enumerate(lines) if line.rstrip().endswith("# here")]
    assert found, "nothing was found"
    assert found[0].kind == kind, str(found)
    assert found[0].line.number == here, str(found)
    assert found[0].line.file == __file__
    assert found[0].remedy


def test_a_gradient_that_is_another_is_told_with_what_it_is():
    pytest.importorskip("torch")
    for case, what in (
        (a_factor_too_few, "0.5 times what it should be"),
        (a_gradient_left_out, r"tensor number 2, of shape \(2,\), there is none"),
        (a_hook_with_a_factor, "weight and bias is another .* 3 times"),
        (a_hook_of_a_parameter, "weight is another .* the sign is wrong"),
        (a_hook_of_a_module, "a Tanh has a backward hook"),
        (a_hook_that_makes_a_nan, "(?s)is here\n.*h has a hook"),
        (rounded_to_zero, "of weight is 0 in PyTorch in 1 of 1 elements.*; and 1 more"),
    ):
        assert re.search(what, str(diagnosed(case))), diagnosed(case)


def test_a_page_of_another_gradient_opens_where_it_may_turn(tmp_path):
    pytest.importorskip("torch")
    (trouble,) = diagnosed(a_hook_with_a_factor, page=tmp_path / "why.html")
    assert opened_at(tmp_path / "why.html")["n"] == trouble.node


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (steps_that_are_too_long, r"they are too long\n.*\n.*\n.*\n  the first is 3 times"),
        (one_step_that_is_too_long, "in 1 step of training"),
        (
            steps_whose_loss_comes_down_again,
            r"(?s)grows from 9\.\d+ to .*the learning rate of Adam is 10\n",
        ),
        (steps_by_which_the_loss_rises_a_little_each_time, r"from 6\.\d+ to 37\.\d+ in 5 steps"),
        (steps_uphill, "they go along the gradient"),
    ],
)
def test_steps_that_make_the_loss_grow_are_told(case, why):
    pytest.importorskip("torch")
    trouble = diagnosed(case)[0]
    assert trouble.kind == "steps"
    assert re.search(why, str(trouble))


@pytest.mark.parametrize("scale", [1.0, 65536.0])
def test_training_that_goes_well_has_no_troubles_however_its_loss_is_scaled(scale):
    pytest.importorskip("torch")
    net = lambda: torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    assert not diagnosed(lambda: trained(net(), 0.05, scale))


def test_a_straight_through_estimate_and_pairs_that_are_meant_are_no_troubles():
    pytest.importorskip("torch")

    from own_backwards import Rounded

    assert not diagnosed(lambda: Rounded.apply(weights(0.2, 1.7)).square().sum())
    assert not diagnosed(
        lambda: (lambda w: (w[:, None] - w).square().sum() + w.sum())(weights(1, 2.5))
    )


def products_overflow():
    h = torch.nn.Embedding(10, 8)(torch.arange(5)) * 1e20
    scores = h @ h.T  # here
    return torch.softmax(scores, -1).sum()


def layers_overflow():
    net = torch.nn.Sequential(*[torch.nn.Linear(16, 16, bias=False) for _ in range(40)])
    for layer in net:
        torch.nn.init.normal_(layer.weight, std=30.0)
    return net(torch.randn(4, 16)).square().mean()  # here


def mean_of_none():
    errors = torch.nn.Linear(4, 1)(torch.randn(6, 4)).square()
    return errors[torch.zeros(6, dtype=torch.bool)].mean()  # here


def every_target_is_ignored():
    scores = torch.nn.Linear(4, 3)(torch.randn(5, 4))
    return F.cross_entropy(scores, torch.full((5,), -100))  # here


def an_infinity_that_ends_in_a_gradient():
    e = torch.exp(weights(1.0, 100.0))  # here
    return (1 / e).sum() + (e[:1] / e.sum()).sum()


def a_mask_before_a_division():
    scores = torch.where(torch.tensor([True, False]), weights(1.0, 2.0), -torch.inf)
    p = torch.softmax(scores / weights(2.0), 0)  # here
    return p[0] ** 2


DIVERGING = [
    products_overflow, layers_overflow, mean_of_none, every_target_is_ignored,
    an_infinity_that_ends_in_a_gradient, a_mask_before_a_division,
]  # fmt: skip


@pytest.mark.parametrize(
    "case", [DIVERGING[0], *(pytest.param(case, marks=pytest.mark.slow) for case in DIVERGING[1:])]
)
def test_a_diverging_model_of_pytorchs_opens_and_its_page_at_the_line(case, tmp_path):
    pytest.importorskip("torch")
    torch.manual_seed(0)
    with mg.pytorch() as watched:
        loss = case()
    loss.backward()
    found = mg.diagnose(watched, page=tmp_path / "why.html")
    assert found[0].kind == "not finite"
    assert found[0].line.text.endswith("# here")
    assert opened_at(tmp_path / "why.html")["line"]["number"] == found[0].line.number
    assert len(mg.graph(watched)) > 3


def test_of_many_steps_the_first_that_went_wrong_is_shown(tmp_path):
    pytest.importorskip("torch")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=5.0)
    x, y, finite = torch.randn(32, 4), torch.randn(32, 1), []
    with mg.pytorch() as watched:
        for _ in range(9):
            optimizer.zero_grad()
            loss = ((net(x) - y) ** 2).mean()  # here
            loss.backward()
            optimizer.step()
            numbers = (loss, *(p.grad for p in net.parameters()))
            finite.append(all(n.isfinite().all() for n in numbers))
    first = finite.index(False)
    assert 0 < first < 8
    cause, trouble = mg.diagnose(watched, page=tmp_path / "why.html")
    assert cause.kind == "steps"
    assert "the learning rate of SGD is 5" in cause.numbers
    assert trouble.what.endswith(f", in backward() number {first + 1} of 9")
    assert "np.power" in trouble.what
    assert trouble.remedy.startswith("a power of a large number overflows")
    assert trouble.line.text.endswith("# here")
    assert opened_at(tmp_path / "why.html")["line"]["number"] == trouble.line.number


def test_a_healthy_computation_has_no_troubles():
    with mg.record():
        x = leaf([1.0, 2.0], name="w")
        scores = np.where(np.array([True, False]), x, -np.inf)  # a mask is no trouble
        loss = -MF.log_softmax(scores)[0] + np.sum(x * x)
    said = str(mg.diagnose(loss))
    assert said.startswith("every number is finite, and every gradient arrives\nnot looked at: ")
    assert "learning rate" in said
    assert x.grad is None


def test_gradients_that_stop_at_the_same_place_are_told_together():
    with mg.record():
        parts = [leaf([float(i)], name="w") for i in range(6)]
        loss = np.sum(np.concatenate(parts) * np.zeros(6, np.float32) + 1)
    (trouble,) = mg.diagnose(loss)
    assert re.search(r"gradient of input #0 \(w\), .*, .* and 3 more is exactly zero", str(trouble))


@pytest.mark.parametrize("second", [MF.softmax, MF.log_softmax])
def test_a_softmax_of_a_softmax_is_told(second):
    with mg.record():
        p = MF.softmax(leaf([1.0, 2.0, 4.0], name="w"))  # of log_softmax it would change nothing
        loss = second(p)[0]
    (trouble,) = mg.diagnose(loss)
    assert trouble.kind == "twice"
    assert trouble.line.text.startswith("p = MF.softmax")


@pytest.mark.parametrize(
    ("between", "axis", "kinds"),
    [
        (lambda p: np.reshape(p, (-1, 5)), -1, ["twice"]),
        (lambda p: np.swapaxes(p, 1, 2), 1, ["twice"]),
        (lambda p: np.swapaxes(p, 1, 2), 2, []),  # over rows, and then over columns: it is meant
    ],
)
def test_a_softmax_that_is_arranged_otherwise_before_the_next_is_told(between, axis, kinds):
    with mg.record():
        w = leaf(np.arange(30.0).reshape(2, 3, 5) % 7, name="w")
        loss = np.sum(np.square(MF.log_softmax(between(MF.softmax(w)), axis)))
    assert [trouble.kind for trouble in mg.diagnose(loss)] == kinds


def of_choices(scores):
    return torch.distributions.Categorical(logits=scores).log_prob(torch.tensor([0, 1, 2]))


def of_one(scores):
    return F.binary_cross_entropy(scores[:, 0], torch.ones(3))


@pytest.mark.parametrize(
    ("loss_of", "squash", "kinds"),
    [
        (of_choices, lambda h: h.softmax(-1), ["twice"]),
        (of_choices, lambda h: h, []),
        (of_one, lambda h: h.sigmoid().sigmoid(), ["twice"]),
        (of_one, lambda h: torch.nn.Linear(3, 3)(h.sigmoid()).sigmoid(), []),
    ],
)
def test_two_in_a_row_before_a_loss_of_pytorchs_are_told(loss_of, squash, kinds):
    pytest.importorskip("torch")
    torch.manual_seed(0)
    net, x = torch.nn.Linear(2, 3), torch.randn(3, 2)
    with mg.pytorch() as watched:
        loss_of(squash(net(x))).mean().backward()
    assert [t.kind for t in mg.diagnose(watched)] == kinds


@pytest.mark.parametrize("dropped", [0, 0.1])
@pytest.mark.parametrize(("axis", "kinds"), [(-1, []), (-2, ["axis"])])
def test_a_softmax_along_another_axis_than_is_added_is_told(axis, kinds, dropped):
    q = mg.Tensor(np.linspace(-1, 1, 24).reshape(2, 3, 4), requires_grad=True)
    with mg.record():
        weights = MF.softmax(q @ q.mT, axis)
        loss = np.sum((MF.dropout(weights, dropped) @ q) ** 2)
    found = mg.diagnose(loss)
    assert [t.kind for t in found] == kinds
    assert all(t.line.text.startswith("weights =") and "along axis 1 of 3" in t.what for t in found)


def test_of_a_parameter_that_comes_in_as_nan_the_step_before_is_told():
    pytest.importorskip("torch")
    net = torch.nn.Linear(3, 1)
    with torch.no_grad():
        net.weight[0, 1] = float("nan")
    with mg.pytorch() as watched:
        loss = net(torch.ones(2, 3)).sum()
    loss.backward()
    (trouble,) = mg.diagnose(watched)
    assert "weight" in trouble.what
    assert "smaller learning rate" in trouble.remedy


def test_a_loss_without_a_gradient_is_one_trouble_and_not_each_parameters():
    pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)).eval()
    with mg.pytorch() as watched, torch.no_grad():
        loss = net(torch.ones(2, 3)).mean()
    (trouble,) = mg.diagnose(watched)
    assert str(trouble).startswith("cut off: the loss requires no gradient")
    assert trouble.line.number == inspect.currentframe().f_lineno - 3
    assert np.isfinite(loss.item())


def test_the_sign_that_logdet_asks_for_is_no_input():
    pytest.importorskip("torch")
    A = torch.tensor([[2.0, 0.5], [0.25, 1.0]], requires_grad=True)
    with mg.pytorch() as watched:
        loss = torch.logdet(A)
    loss.backward()
    assert not mg.diagnose(watched)
    watched.checked()


def test_parameters_are_known_by_their_numbers_whatever_they_are_called():
    """A module that is parametrized while it is watched has been called in parts before."""
    pytest.importorskip("torch")
    with mg.pytorch() as watched:
        net = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 4))
        loss = (net(torch.ones(2, 3)) ** 2).mean()
    loss.backward()
    assert not mg.diagnose(watched)


def test_a_column_less_a_row_is_told_in_either_order_and_one_shape_is_none():
    y = np.ones(3, np.float32)
    for answer, given, pairs in ((y[:, None], y, True), (y, y[:, None], True), (y, y, False)):
        with mg.record():
            loss = np.mean((leaf(answer * 2, name="w") - given) ** 2)
        assert [t.kind for t in mg.diagnose(loss)] == ["pairs"] * pairs


@pytest.mark.parametrize(("shape", "kinds"), [((8,), ["pairs"]), ((8, 1), [])])
def test_a_row_of_returns_times_a_column_of_logarithms_is_told(shape, kinds):
    given = np.linspace(-1, 2, 8, dtype=np.float32).reshape(shape)
    scores = leaf(np.linspace(-1, 1, 24).reshape(8, 3), name="w")
    with mg.record():
        log_p = np.take_along_axis(MF.log_softmax(scores), np.arange(8)[:, None] % 3, 1)
        loss = -np.mean(log_p * given)
    assert [t.kind for t in mg.diagnose(loss)] == kinds


def test_a_layer_by_hand_of_as_many_units_as_examples_is_no_trouble():
    w = leaf(np.linspace(-1, 1, 8), name="w")
    with mg.record():
        loss = np.mean(np.tanh(np.ones((8, 1), np.float32) * w))
    assert not mg.diagnose(loss)


@pytest.mark.parametrize(("held", "kinds"), [(True, ["cut off"]), (False, [])])
def test_what_no_optimizer_has_is_a_target_and_not_cut_off(held, kinds):
    learner, target = mg.nn.Linear(2, 3), mg.nn.Linear(2, 3)
    learned = [*learner.parameters(), *(target.parameters() if held else ())]
    optimizer = mg.optim.SGD(learned, 0.1)
    with mg.record():
        x = np.ones((4, 2), np.float32)
        loss = np.mean(np.square(learner(x) - target(x).detach()))
    assert [t.kind for t in mg.diagnose(loss)] == kinds
    assert optimizer.parameters


def two_modules():
    first, last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    h = torch.from_numpy(first(torch.ones(4, 2)).detach().numpy() * 2)  # here
    return last(h).sum()


def no_gradients_kept():
    first, last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    h = first(torch.ones(4, 2))
    with torch.no_grad():
        h = h.tanh()  # here
    return last(h).sum()


def places_of_the_largest():
    first, last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    best = first(torch.ones(4, 2)).argmax(1)  # here
    return last(F.one_hot(best, 3).float()).sum()


def a_sample():
    first, last = torch.nn.Linear(2, 6), torch.nn.Linear(3, 1)
    mean, log = first(torch.ones(4, 2)).chunk(2, 1)
    q = torch.distributions.Normal(mean, log.exp())
    h = q.sample()  # here
    return last(h).sum()


def python_numbers():
    first, last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    h = torch.tensor(first(torch.ones(4, 2)).tolist())  # here
    return last(h).sum()


def a_loss_made_anew():
    first = torch.nn.Linear(2, 3)
    first.weight.grad, first.bias.grad = torch.ones(3, 2), torch.ones(3)  # of a step before
    return torch.tensor(first(torch.ones(4, 2)).mean().item(), requires_grad=True)  # here


def a_layer_whose_result_is_not_used():
    first, last = torch.nn.MultiheadAttention(4, 2), torch.nn.Linear(4, 1)
    x = torch.ones(3, 2, 4)
    first(x, x, x, need_weights=False)
    return last(x).sum()  # here


def beyond_hardtanh():
    h = torch.nn.Linear(2, 3)(torch.ones(4, 2)) + 100
    return F.relu6(h).square().mean()  # here


def a_bias_that_cancels():
    x = torch.tensor([[1.0], [2.0]])
    s = x + weights(3.0)  # here
    return F.softplus(s - s.mT).sum()


def softmax_of_one():
    h = torch.nn.Linear(2, 1)(torch.ones(4, 2))
    p = h.softmax(1)  # here
    return (p - 3).square().mean()


def cross_entropy_of_one():
    h = torch.nn.Linear(2, 1)(torch.ones(4, 2))
    return F.cross_entropy(h, torch.zeros(4, dtype=torch.long))  # here


def saturated_before_its_logarithm():
    h = torch.nn.Linear(2, 1)(torch.ones(4, 2)) + 100
    p = h.sigmoid()  # here
    return F.binary_cross_entropy(p, torch.tensor([[0.0], [1.0], [0.0], [0.0]]))


def dead_before_what_is_wanted():
    h = torch.nn.Linear(2, 1)(torch.ones(4, 2)) - 100
    y = F.relu(h)  # here
    return F.mse_loss(y, torch.tensor([[1.0], [-1.0], [2.0], [0.0]]))


def embedding_of_padding():
    table = torch.nn.Embedding(5, 3, padding_idx=0)
    h = table(torch.zeros(4, dtype=torch.long))  # here
    return torch.nn.Linear(3, 1)(h + 1).square().mean()


@pytest.mark.parametrize(
    ("kind", "case", "what"),
    [
        ("cut off", two_modules, r"no gradient reaches Linear\.bias and Linear\.weight"),
        ("cut off", no_gradients_kept, "weight.* and .*bias"),
        ("cut off", places_of_the_largest, "bias and .*weight"),
        ("cut off", a_sample, "bias and .*weight"),
        ("cut off", python_numbers, "bias and .*weight"),
        ("cut off", a_loss_made_anew, "bias and .*weight"),
        ("cut off", a_layer_whose_result_is_not_used, "and .*out_proj.weight"),
        ("zero", beyond_hardtanh, "np.where .* passes none back"),
        ("zero", a_bias_that_cancels, "add up to 0"),
        ("zero", softmax_of_one, "add up to 0"),
        ("zero", cross_entropy_of_one, "add up to 0"),
        ("zero", saturated_before_its_logarithm, "sigmoid .* passes none back"),
        ("zero", dead_before_what_is_wanted, "relu .* passes none back"),
        ("zero", embedding_of_padding, "passes none back"),
    ],
)
def test_a_gradient_that_is_none_is_told_from_one_of_zeros_with_its_line(kind, case, what):
    (trouble,) = diagnosed(case)
    assert trouble.kind == kind
    assert re.search(what, trouble.what), trouble
    assert trouble.line.text.endswith("# here"), trouble
    assert ("rsample()" in trouble.remedy) == (case is a_sample)


def test_gradients_that_pytorch_has_are_no_trouble_where_those_of_the_graph_are_nan():
    pytest.importorskip("torch")
    x = weights(-1.0, 2.0)
    with mg.pytorch() as watched:
        s = F.relu(x)
        loss = torch.where(s > 0, s.log(), 0.0).sum()
    loss.backward()
    assert x.grad.isfinite().all()
    assert not mg.diagnose(watched)
    said = str(watched.compare())
    assert "inf" not in said.replace("finite", "")
    assert "PyTorch's gradient of x is finite, and that of this graph is not: np.log at" in said


def negative_variance():
    norm = torch.nn.BatchNorm1d(2).eval()
    norm.running_var.fill_(-1.0)
    return norm(weights(1.0, 2.0)[None] * 2).sum()


def logsumexp_of_masks():
    scores = (weights(1.0, 2.0) * 2).masked_fill(torch.ones(2, dtype=torch.bool), float("-inf"))
    return scores.logsumexp(0)


def no_target():
    return F.cross_entropy(weights(1.0, 2.0)[None] * 2, torch.tensor([-100]))


@pytest.mark.parametrize(
    ("case", "remedy"),
    [
        (negative_variance, "the root of a number below 0"),
        (logsumexp_of_masks, "a row of which every element is masked"),
        (no_target, "no element counts"),
    ],
)
def test_a_remedy_is_for_the_numbers_that_came_in(case, remedy):
    (trouble,) = diagnosed(case)
    assert trouble.kind == "not finite"
    assert remedy in trouble.remedy


def test_the_module_in_which_it_happens_is_named():
    pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Softmax(-1), torch.nn.Linear(3, 1))
    torch.nn.init.constant_(net[0].bias, float("inf"))
    with mg.pytorch() as watched:
        loss = net(torch.ones(4, 2)).sum()
    loss.backward()
    assert "  in the module 1\n" in str(mg.diagnose(watched))


def test_a_hook_that_was_there_before_the_block_is_named_by_its_own_line():
    pytest.importorskip("torch")
    x = weights(1.0, 2.0)
    x.register_hook(lambda g: g * float("nan"))  # here
    with mg.pytorch() as watched:
        loss = (x * 2).sum()
    loss.backward()
    (trouble,) = mg.diagnose(watched)
    assert trouble.line.text.endswith("# here")


def test_a_backward_that_raised_is_told():
    pytest.importorskip("torch")
    x = weights(1.0, 2.0)
    with mg.pytorch() as watched:
        y = x.exp()
        y.add_(1)
        loss = y.sum()
    with pytest.raises(RuntimeError):
        loss.backward()
    (trouble,) = mg.diagnose(watched)
    assert "the last backward() raised RuntimeError: one of the variables" in trouble.what


def test_a_state_that_is_carried_with_its_graph_is_told():
    pytest.importorskip("torch")

    def two_steps(w):
        h = w
        for _ in range(2):
            h = (h * w).tanh()
            h.sum().backward()

    with pytest.raises(RuntimeError), mg.pytorch() as watched:
        two_steps(weights(1.0, 2.0))
    assert "h = h.detach()" in mg.diagnose(watched)[0].remedy


def test_what_is_no_loss_and_what_has_no_row_is_said():
    pytest.importorskip("torch")
    with mg.pytorch() as watched:
        y = weights(1.0, 2.0).exp()
    with pytest.raises(mg.errors.GraphError, match="compute the loss inside the block"):
        mg.diagnose(watched)
    assert y.requires_grad
    x = weights(0.0, 2.0)
    with mg.pytorch() as watched:
        loss = torch.fft.fft(x).abs().log().sum() - float("inf")
    loss.backward()
    assert "mg.diagnose(watched) cannot say where that begins: aten." in str(watched.compare())


def test_a_gradient_that_was_nan_before_is_told():
    pytest.importorskip("torch")
    x = weights(1.0, 2.0)
    x.grad = torch.tensor([float("nan"), 0.0])
    with mg.pytorch() as watched:
        loss = x.sum()
    loss.backward()
    (trouble,) = mg.diagnose(watched)
    assert "x was not finite before backward()" in trouble.what


@pytest.mark.parametrize(("forgotten", "kinds"), [(True, ["kept"]), (False, [])])
def test_steps_that_keep_the_gradients_of_the_one_before_are_told(forgotten, kinds):
    pytest.importorskip("torch")
    net = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(net.parameters(), 1e-3)
    with mg.pytorch() as watched:
        for _ in range(4):
            for _ in range(2):  # which are meant to be added
                answers(net).square().mean().backward()
            optimizer.step()
            if not forgotten:
                optimizer.zero_grad()
    found = mg.diagnose(watched)
    assert [t.kind for t in found] == kinds
    assert all("weight and bias that the step before had used, " in t.what for t in found)


def test_a_rule_that_fails_leaves_the_program_alone_and_is_told(monkeypatch):
    pytest.importorskip("torch")
    x = torch.ones(2, 2, requires_grad=True)
    with mg.pytorch() as watched:
        loss = torch.logdet(x)
    loss.backward()
    assert "could not be computed again: Singular matrix" in str(watched.compare())
    assert mg.diagnose(watched)[0].kind == "not finite"


def test_where_no_line_is_known_none_is_named():
    assert "None" not in str(Trouble("data", "w is NaN", None, (), "look", 0))


def test_what_cannot_be_diagnosed_says_so():
    loss = np.sum(np.exp(leaf([1.0], name="w")))
    with pytest.raises(mg.errors.GraphError, match="record"):
        mg.diagnose(loss)
    with pytest.raises(mg.errors.ArgumentError, match="diagnose"):
        mg.diagnose(3.0)


@pytest.mark.parametrize("case", [log_of_zero, slope_of_a_root, data_with_a_nan, dead_relu])
def test_the_page_opens_at_the_step_of_the_first_trouble(case, tmp_path):
    with np.errstate(all="ignore"):
        with mg.record():
            loss = case()
        (trouble, *_) = mg.diagnose(loss, page=tmp_path / "why.html")
    shown = data_of(tmp_path / "why.html")
    at = opened_at(tmp_path / "why.html")
    assert at["line"]["number"] == trouble.line.number
    assert (shown["opens"] > len(shown["forward"])) == trouble.back
    assert shown["notes"] == [f"{trouble.kind}: {trouble.what}"]
    assert html.escape(trouble.what) in (tmp_path / "why.html").read_text("utf-8")


def test_the_page_of_a_healthy_computation_opens_at_its_start(tmp_path):
    with mg.record():
        loss = np.sum(leaf([1.0, 2.0], name="w") ** 2)
    mg.diagnose(loss, page=tmp_path / "fine.html")
    assert '"opens":0' in (tmp_path / "fine.html").read_text("utf-8")
