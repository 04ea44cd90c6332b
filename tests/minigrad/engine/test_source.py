"""Lines of code, as a reader knows them: in files, and in the cells of a notebook."""

import sys
import types

import numpy as np
import pytest

import minigrad as mg
from minigrad.ran.variables import SourceLine


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("/home/ada/train.py", "train.py:7"),
        ("<ipython-input-12-0a1b2c3d>", "cell 12, line 7"),
        ("/tmp/ipykernel_4711/1234567.py", "cell, line 7"),
        ("C:\\Temp\\ipykernel_4711\\1234567.py", "cell, line 7"),
        ("/home/ada/ipykernel_1/train.py", "train.py:7"),
    ],
)
def test_a_place_in_a_file_or_a_cell(file, place):
    assert SourceLine(file, 7).place == str(SourceLine(file, 7)) == place


def test_the_cell_has_the_number_that_the_notebook_shows(monkeypatch):
    file = "/tmp/ipykernel_4711/1234567.py"
    shell = types.SimpleNamespace(compile=types.SimpleNamespace(_filename_map={file: 3}))
    module = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", module)
    assert SourceLine(file, 7).place == "cell 3, line 7"


def test_a_recorded_line_in_a_cell():
    x = mg.Tensor([1.0], requires_grad=True)
    code = compile("\n\ny = np.exp(x)", "/tmp/ipykernel_4711/1234567.py", "exec")
    space = {"np": np, "x": x}
    with mg.record():
        exec(code, space)
    assert "cell, line 3" in str(mg.graph(space["y"]))
    assert "1234567" not in str(mg.graph(space["y"]))
