"""A softmax or sigmoid before a loss that makes one itself is warned of, and nothing else is."""

import warnings

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as F
from minigrad import nn

IDS, ONES = np.zeros(3, int), np.ones(3)
BINARY = F.binary_cross_entropy_with_logits

SQUASHED = {
    "softmax": lambda x: F.cross_entropy(F.softmax(x), IDS),
    "masked": lambda x: F.cross_entropy(F.masked_softmax(x, np.ones(3, bool)), IDS),
    "some rows": lambda x: F.cross_entropy(F.softmax(x)[:2], IDS[:2]),
    "layers": lambda x: nn.CrossEntropyLoss()(nn.Sequential(F.relu, F.softmax)(x), IDS),
    "compiled": lambda x: mg.compile(lambda x: F.cross_entropy(F.softmax(x), IDS))(x),
    "sigmoid": lambda x: BINARY(F.sigmoid(x)[:, 0], ONES),
    "two classes": lambda x: BINARY(F.softmax(x).reshape(-1), np.ones(9)),
}
RIGHT = {
    "scores": lambda x: F.cross_entropy(x, IDS),
    "logarithms": lambda x: F.cross_entropy(F.log_softmax(x), IDS),
    "logarithms of a mixture": lambda x: F.cross_entropy(np.log(F.softmax(x) + F.softmax(-x)), IDS),
    "another axis": lambda x: F.cross_entropy(F.softmax(x, axis=0), IDS),
    "turned": lambda x: F.cross_entropy(F.softmax(x).T, IDS),
    "scaled": lambda x: F.cross_entropy(10 * F.sigmoid(x), IDS),
    "one score": lambda x: BINARY(x[:, 0], ONES),
    "gates inside": lambda x: BINARY((x * F.sigmoid(x))[:, 0], ONES),
}


@pytest.mark.parametrize("loss_of", SQUASHED.values(), ids=SQUASHED)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_it_is_named_at_the_line_of_the_loss(loss_of, dtype):
    x = mg.Tensor([[1, 2, 0.5]] * 3, dtype=dtype, requires_grad=True)
    with pytest.warns(UserWarning, match=r"takes scores.*Leave that \w+ out") as seen:
        loss_of(x)
    assert {w.filename for w in seen} == {__file__}


@pytest.mark.parametrize("loss_of", RIGHT.values(), ids=RIGHT)
def test_what_may_be_meant_is_left_alone(loss_of):
    loss_of(mg.Tensor([[1, 2, 0.5]] * 3, requires_grad=True))


def test_it_is_said_once_in_a_loop():
    x = mg.Tensor([[1, 2, 0.5]] * 3, requires_grad=True)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            SQUASHED["softmax"](x)
    assert len(seen) == 1
