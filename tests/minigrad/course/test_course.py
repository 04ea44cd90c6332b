"""The folder of the pictures of a lesson."""

import sys

import pytest

import minigrad as mg
from minigrad.course.pictures import Pictures


def curve():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots()
    ax.plot([1, 2, 4])
    return figure


def a_graph():
    x = mg.Tensor(2.0, requires_grad=True)
    return mg.graph(x * x)


@pytest.mark.parametrize(
    "drawn", [a_graph, lambda: a_graph().draw(direction="right"), lambda: curve]
)
def test_a_picture_is_a_file_and_shows_itself(tmp_path, drawn):
    pytest.importorskip("matplotlib")
    pytest.importorskip("pygraphviz")
    pictures = Pictures(tmp_path / "a" / "b")
    picture = pictures("name", drawn())
    assert picture.path == tmp_path / "a" / "b" / "name.svg"
    assert picture.path.read_text() == picture._repr_svg_()
    assert "<svg" in picture.svg
    assert str(pictures) == f"Pictures in {tmp_path / 'a' / 'b'}: name"


def test_the_same_curve_is_the_same_file(tmp_path):
    pytest.importorskip("matplotlib")
    pictures = Pictures(tmp_path)
    assert pictures("one", curve).svg == pictures("two", curve).svg


def test_what_cannot_be_drawn_is_named_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    monkeypatch.setenv("PATH", "")
    pictures = Pictures(tmp_path / "out")
    assert pictures("first", curve) is pictures("second", a_graph()) is None
    assert pictures("third", curve) is None
    assert str(pictures) == (
        "Pictures left out: first, third (no matplotlib), second (no Graphviz); "
        'pip install -e ".[course]" brings what is missing'
    )
    assert not (tmp_path / "out").exists()


def test_a_mistake_in_a_drawing_is_no_missing_library(tmp_path):
    pytest.importorskip("matplotlib")

    def wrong():
        raise ImportError("something else")

    with pytest.raises(ImportError, match="something else"):
        Pictures(tmp_path)("name", wrong)
