"""An engine of one's own under a transformer: what is right, and which mistake is named."""

import re
from pathlib import Path

import pytest

from minigrad import errors
from minigrad.__main__ import main
from minigrad.course.exercises.marking.mark import RIGHT, WRONG
from minigrad.course.exercises.own_engine.command import marked_and_compared
from minigrad.course.folders import EXAMPLES, EXERCISES

ENGINE = (EXAMPLES / "own_engine.py").read_text()
HELPERS = Path(__file__).parents[4] / "helpers"


def slow(*case):
    return pytest.param(*case, marks=pytest.mark.slow)


def compared(tmp_path, *changes):
    text = ENGINE
    for right, wrong in changes:
        assert right in text
        text = text.replace(right, wrong)
    (tmp_path / "mine.py").write_text(text)
    return marked_and_compared(tmp_path / "mine.py", 60)


def test_the_engine_of_the_lesson_is_right(tmp_path):
    mark, found = compared(tmp_path)
    assert mark.state == RIGHT
    assert found.right
    assert found.first == ""
    assert len(found.weights) == 46
    assert max(row.off for row in found.functions) < 1e-12


@pytest.mark.parametrize(
    ("right", "wrong", "says", "first"),
    [
        slow("arrived.get(a, 0) + given", "given", "they add", ""),
        slow(
            "undo_broadcast(rule", "(lambda g, shape: g)(rule", "No broadcast is undone", "divide"
        ),
        (
            "return g.sum(axis=tuple(i for i",
            "return g.mean(axis=tuple(i for i",
            "their sum",
            "divide",
        ),
        slow("RULES[np.sqrt] =", "NONE =", "no rule for np.sqrt", "sqrt"),
        slow("np.add.at(out, index, g)", "out[index] += g", "loses repeats", "getitem"),
        slow("-g * y / b", "-g / b", "-a / b**2", "divide"),
        slow("g * (1 - y * y)", "g", "", ""),  # tanh, which a transformer does not call
    ],
    ids=["=", "copies", "mean", "sqrt", "index", "divide", "tanh"],
)
def test_a_planted_mistake_is_named_with_the_first_function(tmp_path, right, wrong, says, first):
    mark, found = compared(tmp_path, (right, wrong))
    assert says in mark.says
    assert mark.state == (WRONG if says else RIGHT)
    assert found.first.partition(":")[0] == (first and f"np.{first}")
    assert found.right == (not says)


@pytest.mark.slow
def test_an_engine_that_takes_the_oldest_tensor_is_found_by_the_weights(tmp_path):
    mark, found = compared(
        tmp_path,
        ("_, y = heapq.heappop(waiting)", "_, y = waiting.pop(0)"),
        ("heapq.heappush(waiting, (-a.number, a))", "waiting.append((-a.number, a))"),
        ("arrived.pop(y)", "arrived.pop(y, 0)"),
    )
    assert "Take the newest one that is waiting" in mark.says
    assert not found.first
    assert any("off by" in row.says for row in found.weights)


@pytest.mark.slow
def test_the_file_of_exercises_is_an_engine_when_it_is_written(tmp_path):
    path = tmp_path / "04_your_own_engine.py"
    path.write_text((EXERCISES / path.name).read_text())
    with pytest.raises(errors.ConfigError, match="is not written yet"):
        marked_and_compared(path, 60)
    path.write_text(f"{path.read_text()}\n{ENGINE}\ndef engine():\n    return Tensor, backward\n")
    mark, found = marked_and_compared(path, 60)
    assert mark.state == RIGHT
    assert found.right


@pytest.mark.slow
def test_by_how_much_a_gradient_is_off_and_where(tmp_path):
    _, found = compared(tmp_path, ("lambda g, y, a: g / a,", "lambda g, y, a: 2 * g / a,"))
    (log,) = (row for row in found.functions if row.name == "log")
    off, given, right = re.search(
        r"off by (\S+): (\S+) at .*, and should be (\S+)", log.says
    ).groups()
    assert float(given) == pytest.approx(2 * float(right), rel=1e-2)
    assert float(off) == pytest.approx(abs(float(right)), rel=0.1)


BLOCKS = re.findall(r"```python\n(.*?)```", (EXERCISES / "README.md").read_text(), re.S)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("named", "engine", "place"),
    [("micrograd", "scalar", "micrograd/engine.py"), slow("minitorch", "tensor", "minitorch.py")],
    ids=["micrograd", "minitorch"],
)
def test_an_engine_of_another_course_comes_in_by_twenty_lines(tmp_path, named, engine, place):
    (adapter,) = (block for block in BLOCKS if f" {named}" in block)
    assert len(re.findall(r"^.*\S", adapter, re.M)) <= 20
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text((HELPERS / f"{engine}_engine.py").read_text())
    (tmp_path / "adapter.py").write_text(adapter)
    mark, found = marked_and_compared(tmp_path / "adapter.py", 60)
    assert mark.state == RIGHT, mark
    assert found.right, found


@pytest.mark.slow
def test_the_command_shows_it_and_its_status_says_whether_all_is_right(tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text(ENGINE.replace("-g * y / b", "-g / b"))
    assert main(["exercises", "engine", str(path)]) == 1
    said = capsys.readouterr().out
    assert "First wrong, from the loss back: np.divide: the gradient of argument 2" in said
    assert "decoder.layers.0.feed_forward.narrow.bias" in said
    assert "-a / b**2" in said


ENDLESS = "class Tensor: pass\nbackward = None\nwhile True: pass\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1", "has no engine"),
        ("class Tensor:\n    pass\ndef backward(loss:\n", "has no engine"),
        (None, "No such file"),
        slow(ENDLESS, "had not come to an end after 1 seconds"),
    ],
    ids=["nothing", "unreadable", "no file", "endless"],
)
def test_a_file_that_is_no_engine_is_one_error(tmp_path, text, says):
    path = tmp_path / "mine.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(errors.ConfigError, match=says):
        marked_and_compared(path, 1)
