"""`mg.diagnose` of steps of training that change nothing: each mistake, and its healthy twin."""

import re

import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402 - after the skip
from torch.nn import functional as F  # noqa: E402

X, Y = torch.linspace(-1, 1, 16).reshape(8, 2), torch.arange(8) % 3


def sgd(*modules, rate=0.1):
    return torch.optim.SGD([p for m in modules for p in m.parameters()], rate)


def trained(loss_of, *optimizers, between=lambda: None):
    for _ in range(4):
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss_of().backward()
        between()
        for optimizer in optimizers:
            optimizer.step()
    return optimizers


def two_layers():
    return nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 3))


def a_step_too_soon(mistaken):
    net = two_layers()
    optimizer = sgd(net)
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(X), Y)
        for move in (optimizer.step, loss.backward)[:: 1 if mistaken else -1]:
            move()
    return optimizer


def a_layer_that_no_optimizer_has(mistaken):
    body, head = nn.Linear(2, 6), nn.Linear(6, 3)
    loss_of = lambda: F.cross_entropy(head(body(X).tanh()), Y)
    return trained(loss_of, sgd(head) if mistaken else sgd(body, head))


def a_layer_that_another_optimizer_has(mistaken):
    body, head = nn.Linear(2, 6), nn.Linear(6, 3)
    other = None if mistaken else sgd(body)  # whose turn comes later
    return *trained(lambda: F.cross_entropy(head(body(X).tanh()), Y), sgd(head)), other


def a_layer_that_is_not_to_learn(mistaken):
    body, head = nn.Linear(2, 6), nn.Linear(6, 3)
    body.requires_grad_(mistaken)
    return trained(lambda: F.cross_entropy(head(body(X).tanh()), Y), sgd(head))


def a_judge_after_what_learns(mistaken):
    judge, learner = nn.Linear(3, 1), two_layers()
    net = nn.Sequential(learner, judge) if mistaken else lambda x: judge(learner(x))
    return trained(lambda: net(X).square().mean(), sgd(learner))


def a_layer_made_anew(mistaken):
    net = two_layers()
    optimizer = sgd(net)
    if mistaken:
        net[2] = nn.Linear(6, 3)
    return trained(lambda: F.cross_entropy(net(X), Y), optimizer)


class Layered(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layers, self.head = kind([nn.Linear(2, 2) for _ in range(2)]), nn.Linear(2, 3)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return self.head(x)


def layers_in_a_list(mistaken):
    net = Layered(list if mistaken else nn.ModuleList)
    return trained(lambda: F.cross_entropy(net(X), Y), sgd(net))


def a_tiny_rate(mistaken):
    net = two_layers()
    optimizer = sgd(net, rate=1e-9)
    (group,) = optimizer.param_groups
    rise = lambda: group.update(lr=group["lr"] * (1 if mistaken else 10))
    return trained(lambda: F.cross_entropy(net(X), Y), optimizer, between=rise)


def a_small_error(mistaken):
    net = two_layers()
    goal = net(X).detach() + 1e-8
    return trained(lambda: F.mse_loss(net(X), goal), sgd(net, rate=1e-9 if mistaken else 0.1))


def a_clipped_gradient(mistaken):
    net = two_layers()
    clip = lambda: nn.utils.clip_grad_norm_(net.parameters(), 1e-6 if mistaken else 0.1)
    return trained(lambda: F.cross_entropy(net(X), Y), sgd(net), between=clip)


PROGRAMS = [
    (a_step_too_soon, "step() found no gradient in any parameter of its optimizer, 3 times of 3"),
    (
        a_layer_that_no_optimizer_has,
        "no step changed .*weight and .*bias, .*: they are in no optimizer",
    ),
    (a_layer_that_another_optimizer_has, "they are in no optimizer"),
    (a_layer_that_is_not_to_learn, "they are in no optimizer"),
    (a_judge_after_what_learns, "1.weight and 1.bias"),
    (a_layer_made_anew, "2.weight and 2.bias, .* one has others of these shapes"),
    (layers_in_a_list, "they are in the list Layered.layers"),
    (a_tiny_rate, "the learning rate is 1e-09"),
    (a_small_error, "the learning rate is 1e-09"),
    (a_clipped_gradient, "the gradient becomes .* of its length"),
]


@pytest.mark.parametrize(("program", "what"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("mistaken", [True, False])
def test_steps_that_change_nothing_are_told_and_their_twins_are_not(program, what, mistaken):
    torch.manual_seed(0)
    with mg.pytorch() as watched:
        kept = program(mistaken)
    found = mg.diagnose(watched)
    assert [t.kind for t in found] == ["unchanged"] * mistaken, found
    assert kept
    for trouble in found:
        assert re.search(what.replace("()", r"\(\)"), trouble.what), trouble
        assert trouble.line.file == __file__


def a_loop(optimizer, net, step=True, count=4):
    for _ in range(count):
        optimizer.zero_grad()
        F.cross_entropy(net(X), Y).backward()
        if step:
            optimizer.step()


def test_what_may_be_meant_is_a_note_and_no_trouble():
    for step, mode, note in (
        (True, True, ""),
        (False, True, "4 calls of backward(), and no step() of the optimizer"),
        (True, False, "Dropout: in evaluation mode, with gradients"),
    ):
        net = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.1)).train(mode)
        optimizer = sgd(net)
        with mg.pytorch() as watched:
            a_loop(optimizer, net, step)
        found = mg.diagnose(watched)
        assert not found
        assert len(found.notes) == bool(note)
        assert note in str(found)


def test_what_was_computed_before_the_block_is_noted():
    body, head = nn.Linear(2, 6), nn.Linear(6, 3)
    h = body(X).tanh()
    with mg.pytorch() as watched:
        F.cross_entropy(head(h), Y).backward()
    (note,) = mg.diagnose(watched).notes
    assert note.startswith("not looked at: a tensor of shape (8, 6), used at test_unchanged.py")


class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(2, 3), nn.Linear(2, 3)

    def forward(self, x):
        return self.one(x)


@pytest.mark.parametrize(
    ("held", "step", "left"),
    [
        (lambda net: net.parameters(), True, "other.bias and other.weight"),
        (lambda net: net.parameters(), False, "other.bias and other.weight"),
        (lambda net: net.one.parameters(), True, ""),
        (lambda net: net.other.requires_grad_(False) and net.parameters(), True, ""),
    ],
)
def test_what_an_optimizer_has_and_nothing_used_is_noted(held, step, left):
    net = Unused()
    optimizer = torch.optim.SGD(held(net), 0.1)
    with mg.pytorch() as watched:
        a_loop(optimizer, net, step, count=1)
    found = mg.diagnose(watched)
    assert not found
    used = f"nothing in the block used {left}, which an optimizer has"
    assert found.notes == (used,) * bool(left)


@pytest.mark.parametrize("kind", [nn.GRU, nn.LSTM, nn.RNN])
@pytest.mark.parametrize(
    ("first", "of", "noted"),
    [
        (False, lambda h: h[:, -1], True),
        (False, lambda h: h.mean(1), True),
        (True, lambda h: h[:, -1], False),
        (False, lambda h: h[-1], False),
        (False, lambda h: h.flatten(0, 1), False),
    ],
)
def test_a_recurrence_along_the_batch_is_noted(kind, first, of, noted):
    layer, head = kind(2, 4, batch_first=first), nn.Linear(4, 1)
    with mg.pytorch() as watched:
        head(of(layer(X.reshape(2, 4, 2))[0])).square().mean().backward()
    found = mg.diagnose(watched)
    assert not found
    assert [note for note in found.notes if note.startswith(kind.__name__)] == [
        *found.notes
    ] * noted


def through_numpy(mean, spread):
    return torch.tensor((mean + spread * torch.randn_like(spread)).detach().numpy())


def without_noise(mean, _):
    return mean


def detached_alone(mean, spread):
    return mean + (spread * torch.randn_like(spread)).detach()  # no layer takes it


@pytest.mark.parametrize(
    ("draw", "noted"),
    [
        (lambda mean, spread: torch.distributions.Normal(mean, spread).sample(), True),
        (lambda mean, spread: torch.distributions.Normal(mean, spread).rsample(), False),
        (through_numpy, True),
        (without_noise, False),
        (detached_alone, False),
    ],
)
def test_a_draw_that_a_layer_takes_without_a_way_back_is_noted(draw, noted):
    torch.manual_seed(0)
    encoder, decoder = nn.Linear(2, 6), nn.Linear(3, 2)
    with mg.pytorch() as watched:
        mean, log = encoder(X).chunk(2, 1)
        near = (mean.square() + log.exp() - log).mean()
        (F.mse_loss(decoder(draw(mean, log.exp())), X) + near).backward()
    found = mg.diagnose(watched)
    assert not found
    told = re.search(r"no gradient goes back from .* to .*\(mean\) and .*\(log\), ", str(found))
    assert bool(told) == noted


def test_a_judge_of_what_was_detached_is_not_noted():
    maker, judge = nn.Linear(2, 2), nn.Linear(2, 1)
    with mg.pytorch() as watched:
        made = maker(X)
        judge(made.detach()).square().mean().backward()
    assert not any("no gradient goes back" in note for note in mg.diagnose(watched).notes)


def test_of_two_that_were_detached_both_lines_are_named():
    value, policy = nn.Linear(2, 1), nn.Linear(2, 3)
    with mg.pytorch() as watched:
        v = value(X)[:, 0]
        advantage = (1 - v).detach()
        chosen = policy(X).log_softmax(1)[:, 0]
        (F.mse_loss(v.detach(), Y.float()) - (chosen * advantage).mean()).backward()
    (trouble,) = mg.diagnose(watched)
    assert trouble.line.text.startswith("advantage = ")
    (other,) = trouble.numbers
    assert "(F.mse_loss(v.detach()" in other


@pytest.mark.parametrize("kind", [nn.GRU, nn.LSTM, nn.RNN])
@pytest.mark.parametrize(
    ("both", "take", "told"),
    [
        (False, lambda o: o[:, 0], True),
        (False, lambda o: o[:, -1], False),
        (True, lambda o: o[:, -1], True),
        (True, lambda o: o.mean(1), False),
    ],
)
def test_the_first_step_of_a_recurrence_alone_is_told_as_that(kind, both, take, told):
    torch.manual_seed(0)
    layer = kind(2, 4, batch_first=True, bidirectional=both)
    head = nn.Linear(4 + 4 * both, 1)
    with mg.pytorch() as watched:
        head(take(layer(X.reshape(2, 4, 2))[0])).square().mean().backward()
    found = mg.diagnose(watched)
    assert [t.kind for t in found] == ["zero"] * told
    assert all("has seen one input alone" in t.remedy for t in found)


def test_a_gradient_that_explodes_after_some_steps_is_of_the_steps():
    def a_product(scale):
        layers = [nn.Linear(8, 8, bias=False) for _ in range(10)]
        net, x = nn.Sequential(*layers), torch.randn(4, 8)
        with mg.pytorch() as watched:
            for rate in (scale, 1.0):
                net(x).tanh().mean().backward()
                with torch.no_grad():
                    for p in net.parameters():
                        p *= rate
                        p.grad = None
            net(x).mean().backward()
        return [t for t in mg.diagnose(watched) if t.kind == "explodes"]

    torch.manual_seed(0)
    (later,) = a_product(20.0)
    assert later.remedy.startswith("it was not so at the first backward()")
