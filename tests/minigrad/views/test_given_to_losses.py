"""`mg.diagnose` of losses that are given something else than they take, and of the healthy twins."""

import contextlib

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as MF

X, Y = np.linspace(-1, 1, 24, dtype=np.float32).reshape(8, 3), np.arange(8) % 3
SHARES = (np.arange(24).reshape(8, 3) + 1) / np.arange(6, 78, 9)[:, None]

PROGRAMS = [
    (
        "F.nll_loss(s, y)", "F.nll_loss(s.log_softmax(1), y)",
        "nll_loss takes log-probabilities, which are at most 0",
    ),
    (
        "F.nll_loss(s.softmax(1), y)", "F.nll_loss(s.softmax(1).log(), y)",
        "nll_loss takes log-probabilities, and was given probabilities",
    ),
    (
        "F.nll_loss(s.log_softmax(0), y)", "F.nll_loss(s.log_softmax(-1) * 2, y)",
        "along axis 1, and was given such along axis 0 of (8, 3)",
    ),
    (
        "F.binary_cross_entropy_with_logits(s.sigmoid()[:, 0], h)",
        "F.binary_cross_entropy(s.sigmoid()[:, 0], h)", "given what a sigmoid made",
    ),
    (
        "F.binary_cross_entropy_with_logits(s[:, 0], 2 * h - 1)",
        "F.binary_cross_entropy_with_logits(s[:, 0], h)", "targets from 0 to 1",
    ),
    (
        "F.kl_div(s.softmax(1), p)", "F.kl_div(s.log_softmax(1), p)",
        "kl_div takes log-probabilities first, and was given probabilities",
    ),
    (
        "F.kl_div(s.softmax(1), p.log(), log_target=True)",
        "F.kl_div(s.log_softmax(1), p.log(), log_target=True)", "and was given probabilities",
    ),
    (
        "F.cross_entropy(net(x).view(2, 3, 4), y.view(2, 4))",
        "F.cross_entropy(net(x).view(2, 4, 3).movedim(-1, 1), y.view(2, 4))",
        "the softmax along axis 1 of (2, 3, 4) adds up numbers of different positions",
    ),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize(("mistaken", "right", "what"), PROGRAMS)
def test_a_loss_that_is_given_something_else_is_told(mistaken, right, what):
    torch = pytest.importorskip("torch")
    net = torch.nn.Linear(3, 3)
    names = {"F": torch.nn.functional, "y": torch.tensor(Y), "h": torch.tensor(Y > 0).float()}
    names |= {"p": torch.tensor(SHARES, dtype=torch.float32), "net": net, "x": torch.tensor(X)}
    for program, found in ((mistaken, ["loss"]), (right, [])):
        with mg.pytorch() as watched:
            for _ in range(2):
                loss = eval(program, names | {"s": 3 * net(torch.tensor(X)) + 1})
                loss.backward()
        troubles = mg.diagnose(watched)
        assert [t.kind for t in troubles] == found, troubles
        assert all(what in t.what and t.remedy for t in troubles), troubles


@pytest.mark.parametrize("between", [lambda s: s, lambda s: s[:, 0], lambda s: s.reshape(-1)])
@pytest.mark.parametrize(("mistaken", "kinds"), [(True, ["loss"]), (False, [])])
def test_a_sigmoid_before_a_loss_of_scores_is_told_of_ours_too(mistaken, kinds, between):
    w = mg.Tensor(np.ones((3, 1), np.float32), requires_grad=True)
    with mg.record():
        scores = X @ w
        given = MF.sigmoid(scores) if mistaken else scores
        with pytest.warns(UserWarning, match="sigmoid") if mistaken else contextlib.nullcontext():
            loss = MF.binary_cross_entropy_with_logits(between(given), between(Y[:, None] > 0.5))
    assert [t.kind for t in mg.diagnose(loss)] == kinds
