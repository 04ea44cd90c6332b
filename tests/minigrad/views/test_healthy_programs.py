"""`mg.diagnose` of healthy programs: what may look like a mistake, and is meant, is never called one."""

import copy

import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402 - after the skip
from torch.nn import functional as F  # noqa: E402

X, Y = torch.linspace(-1, 1, 16).reshape(8, 2), torch.arange(8) % 3


def net(out=3):
    return nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, out))


def steps(loss_of, *modules, count=3, rate=0.1):
    """Take some steps of training; gives the optimizer, which is known while it lives."""
    parameters = [
        p for m in modules for p in ([m] if isinstance(m, nn.Parameter) else m.parameters())
    ]
    optimizer = torch.optim.SGD(parameters, rate)
    for k in range(count):
        optimizer.zero_grad()
        loss_of(k).backward()
        optimizer.step()
    return optimizer


def chunks_of_a_long_sequence():
    table, cell, head = nn.Embedding(4, 6), nn.GRUCell(2, 6), nn.Linear(6, 3)
    state = [table(torch.arange(4))]

    def loss_of(k):
        h = state[-1] if k == 0 else state[-1].detach()
        for t in range(3):
            h = cell(X[t : t + 4], h)
        state.append(h)
        return F.cross_entropy(head(h), Y[:4])

    return steps(loss_of, table, cell, head)


def a_target_network():
    q, target = net(), net()
    goal = lambda: target(X).max(1).values.detach()
    return steps(lambda k: F.smooth_l1_loss(q(X)[:, 0], goal()), q)


def a_teacher_that_follows():
    student, teacher = net(), net()

    def loss_of(k):
        with torch.no_grad():
            for a, b in zip(teacher.parameters(), student.parameters()):
                a.mul_(0.9).add_(b, alpha=0.1)
            given = teacher(X).softmax(1)
        return F.kl_div(student(X).log_softmax(1), given, reduction="batchmean")

    return steps(loss_of, student)


def a_target_inside_the_module():
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.online, self.predictor = net(), nn.Linear(3, 3)
            self.target = copy.deepcopy(self.online)

        def forward(self, x):
            p = self.predictor(self.online(x))
            return -F.cosine_similarity(p, self.target(x).detach()).mean()

    both = Both()
    return steps(lambda k: both(X), both.online, both.predictor)


def features_of_a_network_that_is_kept():
    body, head = net(), nn.Linear(3, 3)
    optimizer = torch.optim.SGD(head.parameters(), 0.1)
    with torch.no_grad():
        h = body(X)
    F.cross_entropy(head(h), Y).backward()
    return optimizer


def two_networks_in_turn():
    g, d = net(2), net(1)
    loss_of = lambda k: F.softplus(-d(X + g(X).detach())).mean() + F.softplus(d(X)).mean()
    return steps(lambda k: F.softplus(-d(g(X))).mean(), g), steps(loss_of, d)


def a_multiplier_that_another_optimizer_raises():
    one, multiplier = nn.Linear(2, 1), nn.Parameter(torch.ones(()))
    of_one, of_multiplier = (
        torch.optim.SGD(one.parameters(), 0.05),
        torch.optim.SGD([multiplier], 2.5, maximize=True),
    )
    for _ in range(6):
        of_one.zero_grad()
        of_multiplier.zero_grad()
        (multiplier * F.mse_loss(one(X)[:, 0], Y.float())).backward()
        of_one.step()
        of_multiplier.step()
    return of_one, of_multiplier


def an_old_policy():
    policy = net()
    old = policy(X).log_softmax(1).detach()
    return steps(lambda k: -(policy(X).log_softmax(1) - old).exp()[:, 0].mean(), policy)


def experts(all_are_called):
    class Mixture(nn.Module):
        def __init__(self):
            super().__init__()
            self.experts = nn.ModuleList([nn.Linear(2, 3) for _ in range(3)])

        def forward(self, x):
            to = torch.arange(8) % 2  # the last gets none
            out = torch.zeros(8, 3)
            for k in range(3 if all_are_called else 2):
                at = (to == k).nonzero()[:, 0]
                out = out.index_add(0, at, self.experts[k](x[at]))
            return out

    mixture = Mixture()
    return steps(lambda k: F.cross_entropy(mixture(X), Y), mixture)


def a_hinge_that_is_satisfied(of=lambda h: h):
    one, other = net(), nn.Linear(2, 1)
    nn.init.constant_(other.bias, 9.0)
    hinge = lambda: of((1 - other(X)).clamp(min=0)).mean()
    return steps(lambda k: F.cross_entropy(one(X), Y) + 0.5 * hinge(), one, other)


def a_branch_that_starts_at_0():
    branch, head = net(2), nn.Linear(2, 3)
    nn.init.zeros_(branch[2].weight)
    nn.init.zeros_(branch[2].bias)
    return steps(lambda k: F.cross_entropy(head(X + branch(X)), Y), branch, head, count=1)


def a_bias_of_what_is_subtracted():
    critic = net(1)
    return steps(lambda k: critic(X).mean() - critic(X + 1).mean(), critic)


def a_gate_that_closes_for_once():
    one = net()
    return steps(lambda k: (one(X) * float(k != 2)).square().mean() + 1, one)


def a_large_loss_at_first():
    one = net(1)
    given = 1e5 + X[:, :1]
    return steps(lambda k: F.mse_loss(one(X), given, reduction="sum"), one, rate=1e-9)


def slots_and_clusters():
    slots, key, value = nn.Parameter(torch.randn(1, 4, 2)), nn.Linear(2, 2), nn.Linear(2, 2)

    def loss_of(k):
        x = X.reshape(2, 4, 2)
        a = (slots @ key(x).mT).softmax(1)
        return ((a / a.sum(-1, keepdim=True)) @ value(x)).square().mean() + 0 * value(x).sum()

    few = nn.Linear(2, 3)
    return steps(loss_of, slots, key, value), steps(
        lambda k: (few(X).T.softmax(0) @ X).square().mean(), few
    )


def pictures():
    convolution, head = nn.Conv2d(1, 3, 3), nn.Linear(12, 3)
    x = X.reshape(1, 1, 4, 4).repeat(8, 1, 1, 1)
    return steps(lambda k: F.cross_entropy(head(convolution(x).flatten(1)), Y), convolution, head)


def as_many_centres_as_examples():
    centres, head = nn.Parameter(torch.linspace(-1, 1, 8)), nn.Linear(8, 1)
    x = X[:, :1]
    return steps(lambda k: F.mse_loss(head(torch.exp(-((x - centres) ** 2))), x), centres, head)


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, sign):
        ctx.sign = sign
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return ctx.sign * 0.3 * g, None


def a_domain_that_is_not_to_be_known(sign=-1):
    body, head, domain = net(4), nn.Linear(4, 3), nn.Linear(4, 2)
    of = lambda h: F.cross_entropy(domain(Reversed.apply(h, sign)), Y % 2)
    return steps(lambda k: F.cross_entropy(head(body(X)), Y) + of(body(X)), body, head, domain)


HEALTHY = [
    chunks_of_a_long_sequence, a_target_network, a_teacher_that_follows, a_target_inside_the_module,
    features_of_a_network_that_is_kept, two_networks_in_turn, an_old_policy,
    a_multiplier_that_another_optimizer_raises,
    lambda: experts(True), lambda: experts(False), a_hinge_that_is_satisfied,
    lambda: a_hinge_that_is_satisfied(torch.square), lambda: a_hinge_that_is_satisfied(lambda h: h * h),
    a_branch_that_starts_at_0, a_bias_of_what_is_subtracted, a_gate_that_closes_for_once,
    a_large_loss_at_first, slots_and_clusters, pictures, as_many_centres_as_examples,
    a_domain_that_is_not_to_be_known,
]  # fmt: skip


@pytest.mark.parametrize("program", HEALTHY, ids=lambda p: p.__name__)
def test_a_healthy_program_is_not_accused(program):
    torch.manual_seed(0)
    with mg.pytorch() as watched:
        kept = program()
    assert not mg.diagnose(watched)
    assert kept


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_reversed_gradient_is_a_note_and_another_factor_a_trouble(sign):
    with mg.pytorch() as watched:
        kept = a_domain_that_is_not_to_be_known(sign)
    found = mg.diagnose(watched)
    assert [t.kind for t in found] == ["own backward"] * (sign > 0)
    assert ("Reversed.backward reverses the gradient" in str(found)) == (sign < 0)
    assert kept
