"""`python -m minigrad step` of a script that uses PyTorch."""

import builtins
import io
import re
import sys

import pytest

from minigrad.__main__ import main
from minigrad.engine.backward import backward
from minigrad.engine.modes import mode

torch = pytest.importorskip("torch")

PASSES = "minigrad.aten.backward_passes"
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
    monkeypatch.delitem(sys.modules, PASSES, raising=False)  # it is loaded while the script runs
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
    assert sys.modules[PASSES].backward is backward
    assert not mode.get().watchers
    assert torch._C._len_torch_dispatch_stack() == 0


def test_a_block_of_the_scripts_own_is_the_one_that_is_shown(tmp_path, monkeypatch, capsys):
    own = SCRIPT.replace("import torch\n", "import torch, minigrad as mg\n")
    own = own.replace("    loss = ", "    with mg.pytorch() as watched:\n      loss = ")
    own = own.replace("    loss.backward", "      loss.backward")
    path = tmp_path / "script.py"
    path.write_text(own + "print(len(watched.compare().gradients), 'compared')")
    monkeypatch.setattr(sys, "stdin", io.StringIO("c\n"))
    assert main(["step", str(path)]) == 0
    said = capsys.readouterr().out
    assert re.search(r"loss +np.mean.*not computed +script.py", said)  # it lies in no module
    assert said.endswith("the end True\n2 compared\n")
    assert not mode.get().watchers
    assert torch._C._len_torch_dispatch_stack() == 0


def test_a_script_whose_numbers_break_is_told_where_before_the_first_step(
    tmp_path, monkeypatch, capsys
):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.replace("(net(x) ** 2)", "((net(x) - net(x)) ** 2).sqrt()"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert main(["step", str(path)]) == 0
    said = capsys.readouterr().out
    assert re.search(r"not finite: the gradient that np.sqrt .* passes back", said)
    assert "  at script.py:7: loss" in said
