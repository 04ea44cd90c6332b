"""`python -m minigrad step` of a script that uses PyTorch."""

import builtins
import io
import re
import sys

import pytest

from minigrad.__main__ import main
from minigrad.engine.modes import mode

torch = pytest.importorskip("torch")

SCRIPT = """\
import torch
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(2, 3)
for _ in range(2):
    optimizer.zero_grad()
    loss = (net(x) ** 2).mean()
    loss.backward()
    optimizer.step()
print("the end", net.weight.grad is not None)
"""


def test_the_first_backward_of_pytorchs_is_walked_and_the_script_goes_on(
    tmp_path, monkeypatch, capsys
):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    monkeypatch.setattr(sys, "stdin", io.StringIO("g weight\nc\n"))
    before = builtins.__import__
    assert main(["step", str(path)]) == 0
    said = capsys.readouterr().out
    assert "2 gradients compared with PyTorch's" in said
    assert "script.py:7: loss = (net(x) ** 2).mean()" in said
    assert "leaf weight #" in said
    assert re.search(r"\.grad before *= .*not computed", said)
    assert said.endswith("the end True\n")
    assert builtins.__import__ is before
    assert not mode.get().watchers
    assert torch._C._len_torch_dispatch_stack() == 0
