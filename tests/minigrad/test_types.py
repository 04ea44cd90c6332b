"""What a type checker says of a user's program: an editor completes by it, after each operation too."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import numpy as np
import minigrad as mg
import minitransformer as mt
from minigrad import functional as F, nn

x = mg.Tensor([1.0, 2.0])
reveal_type(x @ x)  # Tensor
reveal_type(2.0 * x - x**2)  # Tensor
reveal_type(-x)  # Tensor
reveal_type(x.sum(axis=0).reshape(1, 1).T)  # Tensor
reveal_type(x[0])  # Tensor
reveal_type([row for row in x])  # list[Tensor]
reveal_type(x > 1)  # ndarray
reveal_type(x == x)  # ndarray
reveal_type(x.argmax())  # ndarray
reveal_type(x.grad)  # Tensor | None
reveal_type(x.backward())  # None
reveal_type(x.shape)  # tuple[int, ...]
reveal_type(x.dtype)  # dtype[Any]
reveal_type(x.size)  # int
reveal_type(x.name)  # str | None
reveal_type(x.data)  # ndarray

reveal_type(F.relu(x))  # Tensor
reveal_type(F.relu(np.ones(2)))  # ndarray
reveal_type(F.cross_entropy(x, np.ones(2)))  # Tensor

class Net(nn.Module):
    def __init__(self) -> None:
        self.out = nn.Linear(2, 2)
    def forward(self, x: mg.Tensor) -> mg.Tensor:
        return F.relu(self.out(x))

reveal_type(Net()(x))  # Tensor
reveal_type(nn.Sequential(nn.Linear(2, 2))(x))  # Tensor
Net()("text")  # error
reveal_type(nn.Dropout()(x))  # Tensor

ids = np.array([[1, 2]])
reveal_type(mt.Transformer(mt.Sizes(9, 9))(ids, ids))  # Tensor
reveal_type(mt.DecoderOnly(mt.DecoderSizes(9))(ids))  # Tensor
reveal_type(mt.EncoderOnly(mt.EncoderSizes(9))(ids))  # Tensor
reveal_type(mt.EncoderLayer(mt.LayerSizes())(x))  # tuple[Tensor, Tensor]
reveal_type(mt.MultiHeadAttention(mt.AttentionSizes(8, 2))(x, x))  # tuple[Tensor, Tensor]
reveal_type(mt.attention(x, x, x))  # tuple[Tensor, Tensor]

reveal_type(mg.grad(np.sum)(x))  # Tensor
reveal_type(mg.grad(np.sum, (0, 1))(x, x))  # tuple[Tensor, ...]
reveal_type(mg.value_and_grad(F.mse_loss)(x, x)[1])  # Tensor
reveal_type(mg.vjp(F.relu, x)[1](x))  # tuple[Tensor, ...]
reveal_type(mg.hessian(F.mse_loss)(x, x))  # Tensor
reveal_type(mg.hvp(np.sum, (x,), (x,)))  # tuple[Tensor, ...]
reveal_type(mg.steps(x))  # Iterator[Step]
reveal_type(mg.graph(x))  # Graph
cube = mg.rule(lambda x: x**3, lambda g, _y, x: g * 3 * x * x)

@mg.definition
def square(x: mg.Tensor) -> mg.Tensor:
    return x * x

reveal_type(square(x))  # Tensor

@mg.no_grad()
def predict(x: mg.Tensor) -> mg.Tensor:
    return x

@mg.record
def run(x: mg.Tensor) -> mg.Tensor:
    return x

reveal_type(predict(x))  # Tensor
reveal_type(run(x))  # Tensor
reveal_type(np.sum(x))  # Any
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="needs mypy")
def test_the_type_after_an_operation_is_known(tmp_path):
    """NumPy's own types decide of `np.sum(x)` that it is anything: `x.sum()` is a Tensor."""
    (tmp_path / "user.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent"]  # reads what CI has cached
    done = subprocess.run(
        [*command, str(tmp_path / "user.py")], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    said = {}
    for line, kind, text in re.findall(r"user\.py:(\d+): (\w+): (.*)", done.stdout):
        revealed = re.search(r'Revealed type is "(.*)"', text)
        name = re.sub(r"(\w+\.)+(?=\w)", "", revealed[1]) if revealed else kind
        said[int(line)] = re.sub(r"ndarray\[.*\]", "ndarray", name)
    lines = enumerate(PROGRAM.splitlines(), 1)
    assert said == {i: line.rpartition("  # ")[2] for i, line in lines if "  # " in line}, (
        done.stderr
    )
