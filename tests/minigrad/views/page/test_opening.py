"""A page without a path is shown: in a notebook in place, else in a browser."""

import sys
import types
import webbrowser

import numpy as np
import pytest

import minigrad as mg
from minigrad.views.page import opening


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(opening.tempfile, "mkdtemp", lambda prefix: str(tmp_path))


def loss(count=2):
    y = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        for _ in range(count):
            y = np.tanh(y)
        return np.sum(y)


@pytest.mark.parametrize("found", [True, False])
def test_a_browser_opens_and_the_path_is_printed(found, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(webbrowser, "open", lambda address: asked.append(address) or found)
    path = mg.explore(loss(), title="a / b")
    assert asked == [path.resolve().as_uri()]
    assert path.name == "a-b.html"
    assert "<!DOCTYPE html>" in path.read_text("utf-8")
    said = capsys.readouterr()
    assert said.out.strip().endswith(f"open {path} in one" if not found else str(path))
    assert said.err == ""


def test_a_notebook_shows_it_in_a_frame(monkeypatch, capsys):
    shown = []
    ipython = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()))
    display = types.SimpleNamespace(display=lambda data, raw: shown.append(data["text/html"]))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(webbrowser, "open", lambda address: pytest.fail("a browser opened"))
    mg.explore(loss())
    (frame,) = shown
    assert frame.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert capsys.readouterr().out == ""
