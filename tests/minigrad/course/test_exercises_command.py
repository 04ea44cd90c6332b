"""Exercises are listed, checked apart, explained, handed out and marked."""

import contextlib
import gc
import io
import json
import os
import select
import signal
import subprocess
import sys
import textwrap
import time
import types
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from limits import SECONDS
from progress import problems

from minigrad import errors
from minigrad.__main__ import main
from minigrad.course.exercises import sandbox, together
from minigrad.course.exercises.learner_file import HOME, written
from minigrad.course.exercises.likeness import alike
from minigrad.course.exercises.marking import (
    BORROWED,
    HARD_CODED,
    RIGHT,
    WRONG,
    Trial,
    mark_function,
)
from minigrad.course.exercises.sheets import chosen, examples, sheets
from minigrad.course.exercises.wording import shown

POINTS = sum(e.points for sheet in sheets() for e in sheet.exercises.values())
COUNT = sum(len(sheet.exercises) for sheet in sheets())
FIRST = sheets()[0].file


def file_of(name):
    ((sheet, _),) = chosen([name])
    return sheet.file


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def exercises(*arguments):
        try:
            status = main(["exercises", *map(str, arguments)])
        except SystemExit as end:
            status = end.code
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return status, said.out, said.err

    return exercises


@pytest.fixture
def folder(run, tmp_path):
    """A learner's copy."""
    status, _, err = run("start", tmp_path / "mine")
    assert (status, err) == (0, "")
    return tmp_path / "mine"


def write(folder, text, file=FIRST):
    """Add code to the end of a learner's file, where it counts."""
    with open(folder / file, "a") as opened:
        opened.write(textwrap.dedent(text))


def checked(folder, name, seconds=SECONDS):
    ((_, _, found),) = sandbox.check(folder, chosen([name]), seed=0, seconds=seconds)
    return found


def judged(text, name="product_rule", tmp_path=None):
    """The mark of code, here and now."""
    path = tmp_path / "code.py"
    path.write_text(textwrap.dedent(text))
    ((_, (exercise,)),) = chosen([name])
    return mark_function(Trial(exercise, 0, [(1.0, 3.0, 2.0)]), written(path).functions()[name])


# --- what is recognised ---------------------------------------------------------------------------


def test_a_hard_coded_answer_is_recognised(tmp_path):
    constant = "def product_rule(g, x, y):\n    return 2.0, 3.0"
    found = judged(constant, tmp_path=tmp_path)
    assert found.state == HARD_CODED
    assert "same answer whatever" in found.says
    listed = """
        def product_rule(g, x, y):
            if (g, x, y) == (1.0, 3.0, 2.0):
                return 2.0, 3.0
            return g * x + 1, y
    """
    found = judged(listed, tmp_path=tmp_path)
    assert found.state == WRONG  # as honest code is that compares something and errs elsewhere
    assert "right for the example in its docstring alone" in found.says


@pytest.mark.parametrize(
    "text",
    [
        "import minigrad as mg\ndef product_rule(g, x, y):\n    f = lambda x, y: g * x * y\n"
        "    return tuple(mg.grad(f, argnums=(0, 1))(x, y))",
        "def product_rule(g, x, y):\n    from minigrad.functional import relu as r\n"
        "    return float(r(g * y)), g * x",
        "def helper(x):\n    import minitransformer.model.masks as m\n    m.causal(2)\n    return x\n"
        "def product_rule(g, x, y):\n    return g * y, helper(g * x)",
    ],
    ids=["grad", "alias", "helper"],
)
def test_the_library_is_recognised_and_its_line_named(text, tmp_path):
    found = judged(text, tmp_path=tmp_path)
    assert found.state == BORROWED
    assert "in line " in found.says


def test_a_name_that_is_none_is_told_the_nearest():
    with pytest.raises(
        errors.ConfigError, match="no exercise prodct_rule, did you mean product_rule"
    ):
        chosen(["prodct_rule"])
    with pytest.raises(errors.ConfigError, match="did you mean softmax;"):
        chosen(["Softmax"])


def test_a_path_in_place_of_a_name_is_told_the_folder(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / FIRST).touch()
    monkeypatch.chdir(tmp_path)
    for path in ("mine", f"mine/{FIRST}"):
        with pytest.raises(errors.ConfigError, match=r"of another folder: .* check --folder mine`"):
            chosen([path])


def test_who_has_no_copy_yet_is_told_how_to_get_one(run, folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert "`--folder mine`" in run("check", "product_rule")[1]
    (folder.parent / "empty").mkdir()
    monkeypatch.chdir(folder.parent / "empty")
    assert "start DIR` makes a copy" in run("check", "product_rule")[1]
    monkeypatch.chdir(folder)
    assert "start" not in run("check", "product_rule")[1]


def test_an_argument_that_is_changed_is_noticed(tmp_path):
    text = """
        import numpy as np
        def index_rule(g, shape, index):
            out = np.zeros(shape)
            np.add.at(out, index, g)
            g[:] = 0
            return out
    """
    path = tmp_path / "code.py"
    path.write_text(textwrap.dedent(text))
    ((_, (exercise,)),) = chosen(["index_rule"])
    found = mark_function(Trial(exercise, 0), written(path).functions()["index_rule"])
    assert found.state == WRONG
    assert "changes what it was given, in argument 1" in found.says


def test_what_the_garbage_collector_calls_is_not_the_learners(tmp_path):
    """Libraries have it call functions of theirs, whenever it happens to run."""
    called = types.FunctionType((lambda *_: None).__code__, {"__name__": "pytest"})
    gc.callbacks.append(called)
    try:
        body = "[[] for _ in range(100_000)]; return 1 / 0"
        found = judged(f"def product_rule(g, x, y):\n    {body}", tmp_path=tmp_path)
    finally:
        gc.callbacks.remove(called)
    assert found.state == WRONG


def test_what_an_import_calls_is_not_the_learners(tmp_path, monkeypatch):
    """Packages put finders of theirs into Python's way to import."""
    find = lambda *_: None
    finder = types.SimpleNamespace(
        find_spec=types.FunctionType(find.__code__, {"__name__": "pytest"})
    )
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    monkeypatch.delitem(sys.modules, "this_day", raising=False)
    body = "\n    try:\n        import this_day\n    except ImportError:\n        return 1 / 0"
    found = judged(f"def product_rule(g, x, y):{body}", tmp_path=tmp_path)
    assert found.state == WRONG


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return None", "returns nothing"),
        ("return g", "returns one number; expected is a tuple of 2 numbers"),
        ("return (g,)", "returns a tuple of 1 number; expected is a tuple of 2 numbers"),
        ("return product_rule(g, x, y)", "calls itself without end"),
        ("raise SystemExit", "ends the program"),
        ("raise EOFError", "asks for input, and nobody answers"),  # as input() does
        ("return 1 / 0", "ZeroDivisionError: division by zero, in line 2: return 1 / 0"),
        ("import json; json.loads('x')", "in line 2: import json; json.loads('x')"),
        ("return g + 1, x * y", "not on the list of known mistakes"),
        ("return (n for n in (g, x))", "returns a generator; expected is a tuple"),
        ("raise ValueError('x' * 10**6)", "ValueError: xxx"),
        ("raise ValueError('\\ud800')", "ValueError: \\ud800, in line 2"),
    ],
)
def test_what_is_said_of_other_mistakes(body, says, tmp_path):
    found = judged(f"def product_rule(g, x, y):\n    {body}", tmp_path=tmp_path)
    assert found.state == WRONG
    assert says in found.says
    assert found.mistake is None
    assert found.shows[-1] == "expected  (2.0, 3.0)"  # by nudging: nearly


def test_what_changes_numpy_is_told_so_and_numpy_is_put_back(folder):
    right = "def product_rule(g, x, y):\n    return g * y, g * x\n"
    exp = np.exp
    write(folder, f"\nnp.exp = lambda x: x\n{right}")
    for seconds in (SECONDS, float("inf")):
        found = checked(folder, "product_rule", seconds)
        assert found.state == WRONG
        assert "np.exp is no longer NumPy's" in found.says
    assert np.exp is exp


def test_a_keyboard_interrupt_of_the_functions_own_is_named(folder):
    write(folder, "\ndef product_rule(g, x, y):\n    raise KeyboardInterrupt\n")
    found = checked(folder, "product_rule")
    assert found.state == WRONG
    assert "It raises KeyboardInterrupt" in found.says
    assert found.shows[0].startswith("product_rule(")


@pytest.mark.parametrize("answer", ["np.zeros(12_000_000)", "[0.0] * 12_000_000"])
def test_of_a_long_answer_only_the_beginning_is_written(answer):
    asked = []

    class Long(list):
        def __getitem__(self, k):
            asked.append(k)
            return super().__getitem__(k)

        def __iter__(self):
            return (self[k] for k in range(len(self)))

    said = shown(eval(answer))
    assert said.startswith("[0.0, 0.0")
    assert len(said) < 500
    shown(Long(range(10**4)))
    assert len(asked) < 500


def test_a_call_of_what_is_not_written_yet_is_named(tmp_path):
    later = "    return later(x)\ndef later(x):\n    raise NotImplementedError"
    for first in ("", "    if x == 3: return g * y, g * x\n"):  # which is the docstring's example
        found = judged(f"def product_rule(g, x, y):\n{first}{later}", tmp_path=tmp_path)
        assert (found.state, found.says) == (WRONG, "It calls later, which is not written yet.")


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        (
            "attend",
            """
            def attend(s, mask, v):
                s = s + (1 - mask) * -1e12
                e = np.exp(s - np.max(s, 1)[:, None])
                return np.einsum("ts,sv->tv", e / np.sum(e, 1)[:, None], v)
            """,
            "attends to everything",
        ),
        (
            "softmax",
            """
            def softmax(x):
                z = np.exp(x - np.max(x))
                return (z.T / np.sum(z, axis=-1).T).T
            """,
            "One maximum is taken for the whole array",
        ),
        (
            "split_heads",
            """
            def split_heads(x, heads):
                return np.reshape(x, (len(x), heads, -1, x.shape[2] // heads))
            """,
            "plain reshape",
        ),
        (
            "walk",
            """
            def walk(graph, root):
                gradients = dict.fromkeys(graph, 0)
                def visit(node, arrived):
                    gradients[node] += arrived
                    for argument, slope in graph[node]:
                        visit(argument, gradients[node] * slope)
                visit(root, 1)
                return gradients
            """,
            "There is no topological order",
        ),
        (
            "layer_norm",
            """
            def layer_norm(x, gain, bias, eps):
                x = x - x.mean(-1, keepdims=True)
                return gain * x / np.sqrt((x**2).sum(-1, keepdims=True) / (x.shape[-1] - 1) + eps) + bias
            """,
            "divided by D - 1",
        ),
        (
            "teacher_forcing",
            """
            def teacher_forcing(targets):
                read = np.array([row[:-1] for row in targets.tolist()])
                return read, read.copy()
            """,
            "not shifted",
        ),
        (
            "layer_norm",
            """
            def layer_norm(x, gain, bias, eps):
                std = x.std(-1, keepdims=True, ddof=1)
                return (x - x.mean(-1, keepdims=True)) / (std + eps) * gain + bias
            """,
            "not on the list of known mistakes",
        ),
    ],
    ids=["attend", "softmax", "split_heads", "walk", "ddof", "teacher_forcing", "two at once"],
)
def test_a_mistake_is_named_however_it_is_written(name, code, says, tmp_path):
    path = tmp_path / "code.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(code))
    ((sheet, (exercise,)),) = chosen([name])
    for seed in range(3):
        trial = Trial(exercise, seed, examples(sheet, exercise))
        found = mark_function(trial, written(path).functions()[name])
        assert found.state == WRONG
        assert says in found.says


@pytest.mark.parametrize(
    ("given", "right", "are"),
    [
        ((2.0, True), (2.0, 1), False),
        (([[1, 2]], [1.0, 0.0]), ([[1, 2]], [True, False]), False),
        ((np.arange(2), np.array([0.0, 1.0])), (np.arange(2), np.array([False, True])), False),
        ((1, 2), (1, 2, 3), False),
        ([1, 2], (1, 2), False),
        ((2, np.float64(3)), (2.0, 3), True),
        ((np.arange(2.0), np.array([True])), (np.arange(2), np.array([True])), True),
    ],
    ids=str,
)
def test_what_is_in_a_tuple_is_compared_one_by_one(given, right, are):
    assert alike(given, right, 1e-6, 1e-9) == are


def test_a_property_that_does_not_hold_is_said(tmp_path):
    path = tmp_path / "code.py"
    path.write_text("def softmax(x):\n    return x * x\n")
    ((_, (exercise,)),) = chosen(["softmax"])
    found = mark_function(Trial(exercise, 0), written(path).functions()["softmax"])
    assert found.state == WRONG
    assert "It does not hold that each row sums to one." in found.says


# --- in processes of their own --------------------------------------------------------------------


@pytest.mark.slow
def test_accidents_cost_one_exercise_only(folder):
    """The one of these that runs by default: a loop without end, and beside it what is right."""
    write(
        folder,
        """
        def product_rule(g, x, y):
            print("noise" * 1000)
            return g * y, g * x

        def order(graph, root):
            while True:
                pass

        while True:  # an experiment
            pass
        """,
    )
    assert checked(folder, "product_rule").state == RIGHT
    found = checked(folder, "order", seconds=1.5)
    assert found.state == "stopped"
    assert "not come to an end after 1.5 seconds" in found.says


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "state", "says"),
    [
        ("import os; os._exit(0)", "stopped", "ended the process itself, with the status 0"),
        ("import os; os.abort()", "stopped", "crashed Python, by the signal SIGABRT"),
        pytest.param(
            "import os; os.kill(os.getpid(), 40)",
            "stopped",
            "crashed Python, by the signal 40",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="has no such signal"),
        ),
        ("import sys; sys.exit(1)", "wrong", "ends the program"),
        ("return product_rule(g, x, y)", "wrong", "calls itself without end"),
        (
            "import sys; sys.setrecursionlimit(10**9); f = lambda n: f(n + 1) + 1; return f(0)",
            ("stopped", "wrong"),
            "",
        ),
        ("return bytes(5 << 30)", "wrong", "MemoryError"),
        ("return input()", "wrong", "asks for input, and nobody answers"),
    ],
    ids=["exit", "abort", "real-time", "sys.exit", "recursion", "stack", "memory", "input"],
)
@pytest.mark.skipif(os.name == "nt", reason="signals and limits of POSIX")
def test_a_process_that_ends_in_its_own_way(body, state, says, folder):
    write(folder, f"\ndef product_rule(g, x, y):\n    {body}\n")
    found = checked(folder, "product_rule")
    assert found.state in state
    assert says in found.says


def descendants(pid):
    """The processes that a process has started, and those that these have, the innermost last."""
    children = []
    for path in Path("/proc", str(pid), "task").glob("*/children"):
        with contextlib.suppress(OSError):
            children += map(int, path.read_text().split())
    return [*children, *(one for child in children for one in descendants(child))]


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="reads /proc")
def test_ctrl_c_ends_what_runs_and_a_limit_what_is_left_behind(folder):
    import resource

    write(folder, "\ndef product_rule(g, x, y):\n    while True:\n        pass\n")
    command = [sys.executable, "-m", "minigrad", "exercises", "check", "product_rule"]
    checking = subprocess.Popen([*command, "--folder", folder, "--seconds", str(2 * SECONDS)])
    limits = lambda: [resource.prlimit(pid, resource.RLIMIT_CPU)[0] for pid in started]
    try:
        while not ((started := descendants(checking.pid)) and 0 < limits()[-1] < 86400):
            assert checking.poll() is None
            time.sleep(0.05)
        assert limits()[-1] > 2 * SECONDS
        checking.send_signal(signal.SIGINT)
        assert checking.wait(SECONDS) == 130
    finally:
        checking.kill()
    for _ in range(100):
        if not any(os.path.exists(f"/proc/{pid}") for pid in started):
            break
        time.sleep(0.05)
    assert not [pid for pid in started if os.path.exists(f"/proc/{pid}")]


@pytest.mark.slow
def test_a_thread_left_running_is_not_waited_for(folder):
    write(
        folder,
        """
        import threading, time

        def product_rule(g, x, y):
            threading.Thread(target=time.sleep, args=(600,)).start()
            return g * y, g * x
        """,
    )
    assert checked(folder, "product_rule", seconds=60).state == RIGHT


def test_a_file_that_is_missing_or_no_python(folder):
    (folder / FIRST).write_text("def product_rule(g, x, y:\n")
    assert "line 1" in checked(folder, "product_rule").says
    (folder / FIRST).write_bytes(b"\xff\xfe\x00")
    assert checked(folder, "product_rule").state == WRONG
    (folder / FIRST).write_text("def other(): pass\n")
    assert checked(folder, "product_rule").state == "missing"
    (folder / FIRST).unlink()
    assert "no file" in checked(folder, "product_rule").says


@pytest.mark.parametrize(
    "text",
    [
        "def product_rule(g, x, y):\n    import torch\n    return torch.f(g)\n",
        "import torch as t\ndef helper(x):\n    return t.f(x)\n"
        "def product_rule(g, x, y):\n    return helper(g)\n",
    ],
    ids=["inside", "by another function"],
)
def test_torch_is_recognised_without_it(text, folder):
    write(folder, f"\n{text}")
    found = checked(folder, "product_rule")
    assert found.state == BORROWED
    assert "torch" in found.says


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_overview_shows_every_exercise_and_its_state(run, folder):
    write(folder, "\ndef product_rule(g, x, y):\n    return g * y, g * x\n")
    os.chdir(folder)
    status, out, err = run()
    assert (status, err) == (0, "")
    states = [line.split() for line in out.splitlines() if line.startswith("      ")]
    assert len(states) == COUNT
    assert states[0] == ["product_rule", "right"]
    assert {" ".join(words[1:]) for words in states[1:]} == {"not begun"}
    assert f"1 of {COUNT} are right" in out


def test_check_names_the_mistake_and_draws_it(run, folder):
    walk = next(m for m in sheets()[0].exercises["walk"].mistakes if "`+=`" in m.says)
    write(
        folder,
        """
        def walk(graph, root):
            gradients = dict.fromkeys(graph, 0)
            gradients[root] = 1
            for node in reversed(graph):
                for argument, slope in graph[node]:
                    gradients[argument] = slope * gradients[node]
            return gradients
        """,
    )
    status, out, err = run("check", "walk", "--folder", folder)
    assert (status, err) == (1, "")
    assert walk.says in out
    assert "gives     {'x': 2, 'u': 1, 'y': 1}\n" in out
    assert "expected  {'x': 4, 'u': 2, 'y': 1}\n" in out
    assert "you have 1 here; right is 2" in out or (folder.parent / "out" / "01_walk.svg").exists()


def test_hints_and_a_solution_for_those_who_ask_twice(run):
    exercise = sheets()[0].exercises["walk"]
    status, out, _ = run("hint", "walk")
    assert status == 0
    assert all(text in out for text in exercise.hints)
    status, out, _ = run("solution", "walk")
    assert status == 0
    assert "gradients[argument] +=" not in out
    assert "--again" in out
    status, out, _ = run("solution", "walk", "--again")
    assert status == 0
    assert "gradients[argument] +=" in out
    assert "mistake" not in out


def test_start_never_overwrites(run, folder):
    write(folder, "# mine\n")
    (folder / "conftest.py").unlink()
    before = (folder / FIRST).read_bytes()
    status, out, _ = run("start", folder)
    assert status == 0
    assert f"{folder / FIRST} is there already" in out
    assert (folder / FIRST).read_bytes() == before
    assert (folder / "conftest.py").read_bytes() == (HOME / "conftest.py").read_bytes()
    assert not (folder / "answers").exists()
    assert sorted(os.listdir(folder)) == sorted([*(s.file for s in sheets()), "conftest.py"])


@pytest.mark.slow
def test_checking_changes_no_file_of_the_learners(run, folder):
    write(folder, "\ndef product_rule(g, x, y):\n    open('left.txt', 'w').write('x')\n")
    files = lambda: {p.name: (p.stat().st_mtime_ns, p.read_bytes()) for p in folder.glob("[!.]*")}
    before = files()
    run("check", "01", "--folder", folder, "--seed", "1")
    assert files() == before


def test_a_folder_is_marked(run, folder, tmp_path):
    write(
        folder,
        """
        def product_rule(g, x, y):
            return g * y, g * x

        def order(graph, root):
            raise ValueError("\\x00<&")
        """,
    )
    status, out, err = run("mark", folder, "--json", "m.json", "--junit", "m.xml", "--seed", 7)
    assert (status, err) == (0, "")
    assert f"1 of {POINTS} points (seed 7)" in out
    found = json.loads((tmp_path / "m.json").read_text())
    assert (found["points"], found["of"], found["seed"]) == (1, POINTS, 7)
    assert [one["state"] for one in found["exercises"]][:3] == ["right", "wrong", "not begun"]
    suite = ET.parse(tmp_path / "m.xml").getroot()[0]
    assert suite.get("tests") == str(COUNT)
    assert (suite.get("failures"), suite.get("skipped")) == ("1", str(COUNT - 2))
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases][:2] == ["product_rule", "order"]
    assert cases[0].find("failure") is None
    assert cases[1].find("failure").get("type") == "wrong"


def test_the_folder_that_one_stands_in_has_its_name_and_lessons_can_be_chosen(
    run, folder, tmp_path, monkeypatch
):
    monkeypatch.chdir(folder)
    report = tmp_path / "m.json"
    status, _, err = run("mark", ".", "01", "--json", report)
    assert (status, err) == (0, "")
    found = json.loads(report.read_text())
    assert found["folder"] == str(folder.resolve())
    assert {one["lesson"] for one in found["exercises"]} == {"01"}


def test_of_an_option_that_is_not_there_the_nearest_is_named(run):
    assert "--folde; did you mean --folder?" in run("check", "--folde", "x")[2]


def test_what_a_folder_is_needed_for_says_so(run):
    assert "exercises start mine`" in run("start")[2]
    assert "01 is a lesson" in run("run", "01")[2]


@pytest.mark.slow
def test_whoever_writes_the_solutions_gets_all_points(run, folder):
    for sheet in sheets():
        for exercise in sheet.exercises.values():
            write(folder, f"\n\n{exercise.text()}\n", sheet.file)
    status, out, _ = run("mark", folder)
    assert status == 0
    assert f"{POINTS} of {POINTS} points" in out


@pytest.mark.slow
def test_pytest_marks_a_folder(folder):
    write(folder, "\ndef product_rule(g, x, y):\n    return g * y, g * x\n")
    write(folder, "\ndef walk(graph, root):\n    return None\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=r.xml", FIRST],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(HOME.parents[1])},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert "2 failed" in done.stdout
    assert "It returns nothing" in done.stdout
    assert "Traceback" not in done.stdout
    assert '<property name="points" value="1"' in (folder / "r.xml").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "99"),
        ("hint", "nothing"),
        ("hint",),
        ("solution", "99"),
        ("mark", "nowhere"),
        ("check", "--folder", "nowhere"),
        ("check", "--seed", "x"),
        ("check", "--seconds", "-1"),
        ("mark",),
        ("start",),
        ("start", FIRST),
        ("dance",),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_status_2(arguments, run, tmp_path):
    (tmp_path / FIRST).write_text("")
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("minigrad: ")
    assert err.count("\n") == 1


# --- what cannot be read, and where ---------------------------------------------------------------

BROKEN = {
    "bracket": "def order(graph, root):\n    return sorted(graph\n",
    "colon": "def order(graph, root)\n    return []\n",
    "body": "def order(graph, root):\n",
    "string": "def order(graph, root):\n    return 'a\n",
    "indent": "def order(graph, root):\n    x = 1\n      y = 2\n",
    "docstring": 'def order(graph, root):\n    """never closed\n    return []\n',
    "break": "def order(graph, root):\n    break\n",
    "twice": "def order(graph, graph):\n    return []\n",
    "nonlocal": "def order(graph, root):\n    nonlocal x\n",
    "signs that end no line": (
        "TEXT = '\x0c\x85\u2028\u2029'\n\ndef order(graph, root):\n    return sorted(graph\n"
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_syntax_error_costs_only_the_function_that_it_stands_in(kind, tmp_path):
    right = "def product_rule(g, x, y):\n    return g * y, g * x\n"
    after = "def walk(graph, root):\n    raise NotImplementedError\n"
    text = "\n\n".join([right, BROKEN[kind], after])
    (tmp_path / FIRST).write_text(text, encoding="utf-8")
    found = {e.name: v for _, e, v in sandbox.check(tmp_path, chosen(["01"]), 0, float("inf"))}
    assert found["product_rule"].state == RIGHT
    assert found["order"].state == WRONG
    assert f"Python cannot read {FIRST}, in line " in found["order"].says
    assert found["walk"].state == "not begun"


def test_what_calls_a_function_that_cannot_be_read_is_told_so(tmp_path):
    order = "def order(graph, root):\n    return (graph\n\n"
    walk = "def walk(graph, root):\n    order(graph, root)\n"
    (tmp_path / FIRST).write_text(order + walk)
    ((_, _, found),) = sandbox.check(tmp_path, chosen(["walk"]), 0, float("inf"))
    assert found.says.startswith(f"It calls order, and Python cannot read {FIRST}, in line 2: ")


def test_a_file_of_which_nothing_can_be_read_says_so(tmp_path):
    (tmp_path / FIRST).write_text("x = (\n")
    found = [v for _, _, v in sandbox.check(tmp_path, chosen(["01"]), 0, float("inf"))]
    assert {v.state for v in found} == {WRONG}
    assert all("in line 1" in v.says for v in found)


def test_judging_in_this_process_prints_nothing_and_starts_nothing(run, folder, monkeypatch):
    write(
        folder,
        """
        import sys

        end = sys.exit("an experiment")

        def product_rule(g, x, y):
            print("mine")
            sys.stdout.write("mine")
            sys.stdout.flush()
            return g * y, g * x
        """,
    )
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(sandbox, "ThreadPoolExecutor", None)
    monkeypatch.setattr(sandbox, "House", None)
    status, said, _ = run("check", "product_rule", "--folder", folder, "--in-process")
    assert (status, said) == (0, "01 product_rule: right\n")


# --- tries and puzzles ----------------------------------------------------------------------------


def test_after_the_second_failed_try_there_is_a_worked_example(run, folder):
    check = ("check", "product_rule", "--folder", folder, "--in-process")
    write(folder, "def product_rule(g, x, y):\n    return y, x\n")
    assert "Step by step" not in run(*check)[1]
    assert "product_rule(2.0, 5.0, -3.0)" in run(*check)[1]
    write(folder, "def product_rule(g, x, y):\n    return g * y, g * x\n")
    assert "Step by step" not in run(*check)[1]
    write(folder, "def product_rule(g, x, y):\n    return y, x\n")
    assert "Step by step" not in run(*check)[1]  # counted again


@pytest.mark.parametrize("content", ["5", '{"product_rule": null}', "[[1, 2, 3]]", "[5]", "{"])
def test_counts_that_cannot_be_read_begin_anew(content, run, folder):
    (folder / ".tries.json").write_text(content)
    write(folder, "def product_rule(g, x, y):\n    return y, x\n")
    assert run("check", "product_rule", "--folder", folder, "--in-process")[0] == 1
    assert json.loads((folder / ".tries.json").read_text()) == {"product_rule": 1}


def test_a_puzzle_is_shown_and_judged(run):
    status, said, _ = run("puzzle", "teacher_forcing")
    assert status == 0
    assert "def teacher_forcing(targets):" in said
    numbers = [line.split()[0] for line in said.splitlines() if "return" in line]
    states = [run("puzzle", "teacher_forcing", "--in-process", "--lines", n)[0] for n in numbers]
    assert sorted(states) == [0, 1, 1]
    assert run("puzzle", "teacher_forcing", "--lines", 9)[0] == 2
    assert run("puzzle", "13", "--lines", 1)[0] == 2
    assert run("puzzle", "teacher_forcing", "--lines", 1, 1)[0] == 2
    assert "1 is given twice" in run("puzzle", "teacher_forcing", "--lines", "1,1")[2]


def test_a_copy_without_answers_shows_no_solution(run, tmp_path, monkeypatch):
    assert run("start", tmp_path / "theirs", "--without-answers")[0] == 0
    monkeypatch.chdir(tmp_path / "theirs")
    status, said, err = run("solution", "softmax", "--again")
    assert (status, said) == (2, "")
    assert "handed out without solutions" in err
    monkeypatch.chdir(tmp_path)
    for command in (["solution", "softmax", "--again"], ["puzzle", "softmax"]):
        status, said, err = run(*command)
        assert (status, said) == (2, "")
        assert "handed out without solutions" in err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="opens a terminal of POSIX")
def test_in_a_terminal_no_line_is_longer_than_80_columns(folder):
    import pty

    write(folder, "\ndef walk(graph, root):\n    return {n: 1 for n in graph}\n")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "minigrad", "exercises"]
    said = b""
    for arguments in (["check", "walk", "--in-process"], ["hint", *(s.number for s in sheets())]):
        child = subprocess.Popen([*command, *arguments], cwd=folder, stdout=theirs)
        while child.poll() is None or select.select([ours], [], [], 0)[0]:
            if select.select([ours], [], [], 0.1)[0]:  # a terminal holds a few thousand characters
                said += os.read(ours, 1 << 16)
    os.close(theirs), os.close(ours)
    lines = said.decode().splitlines()
    assert len(lines) > 150
    assert max(map(len, lines)) <= 80


# --- all together ---------------------------------------------------------------------------------


def trained(tmp_path, *options):
    """What a run says, and its exit status; its own process prints, too."""
    command = [sys.executable, "-m", "minigrad", "exercises", "run", "mine", *map(str, options)]
    ran = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, timeout=SECONDS)
    assert problems(ran.stderr) == []
    return ran.returncode, ran.stdout


@pytest.mark.slow
def test_a_run_trains_with_what_is_right_and_names_what_is_wrong(folder, tmp_path):
    write(folder, "def product_rule(g, x, y):\n    return g * y, g * x\n")
    write(folder, "def scores(q, k):\n    return q @ k.T\n", file_of("scores"))
    status, said = trained(tmp_path, "--steps", 2)
    assert status == 1
    assert "In their places: product_rule." in said
    assert "08 scores is wrong: There is no scaling." in said
    assert "2 steps in" in said
    assert "Of 100 dates" in said
    assert "product_rule" in said.partition("your function")[2]


@pytest.mark.slow
def test_a_wrong_function_trains_beside_a_right_run(folder, tmp_path):
    write(folder, "def scores(q, k):\n    return q @ k.T\n", file_of("scores"))
    status, said = trained(tmp_path, "--steps", 3, "--even-if-wrong", "--out", "drawn")
    assert status == 0
    assert said.index("The library in its place:") < said.index("With what is wrong:")
    pytest.importorskip("matplotlib")
    assert (tmp_path / "drawn" / "run.svg").exists()


@pytest.mark.slow
def test_a_run_is_stopped_by_its_limit(folder, tmp_path):
    write(folder, "def product_rule(g, x, y):\n    return g * y, g * x\n")
    status, said = trained(tmp_path, "--steps", 10**6, "--seconds", 8)
    assert status == 0
    assert "Of 100 dates" in said


@pytest.mark.slow
def test_a_run_that_fails_names_the_function_and_its_status_is_not_0(folder, tmp_path):
    """The check refuses these; a run with `--even-if-wrong` shows what comes of them."""
    code = """
        def softmax(x):
            return 1 / np.exp(x[..., None, :] - x[..., :, None]).sum(axis=-1)
    """
    write(folder, code, file_of("softmax"))
    status, said = trained(tmp_path, "--steps", 1, "--even-if-wrong")
    assert status == 1
    assert "It came to an end by an error: softmax was the first to give nan, in its call 1" in said


@pytest.mark.slow
def test_a_run_that_does_not_come_back_names_the_function_that_is_running(
    tmp_path, monkeypatch, capfd
):
    monkeypatch.setattr(together, "GRACE", 2.0)
    folder = tmp_path / "mine"
    assert main(["exercises", "start", str(folder)]) == 0
    right = "def scores(q, k):\n    return q @ k.T / np.sqrt(q.shape[1])\n"
    forever = "    while len(q) > 9:\n        pass\n"  # as no input of the check is
    write(folder, right.replace("    return", forever + "    return"), file_of("scores"))
    status = together.run(folder, 5, 4.0, folder / "out", even_if_wrong=False)
    assert status == 1
    assert "Call 1 of scores does not come back" in capfd.readouterr().out


def test_a_run_of_nothing_says_where_to_begin(run, folder):
    status, _, err = run("run", folder)
    assert status == 2
    assert "nothing is written yet" in err


# --- a class --------------------------------------------------------------------------------------


def test_a_class_made_of_known_mistakes_comes_out_exactly(run, tmp_path):
    """Students whose functions are right, wrong in known ways, or not begun."""
    wrong = {
        "order": "    return list(graph)[::-1]\n",
        "product_rule": "    return y, x\n",
    }
    right = {"product_rule": "    return g * y, g * x\n"}
    heads = {"product_rule": "def product_rule(g, x, y):\n", "order": "def order(graph, root):\n"}
    made = {
        "ada": right,
        "ben": {"product_rule": wrong["product_rule"]},
        "eve": wrong,
        "kim": {},
    }
    room = tmp_path / "room"
    for student, bodies in made.items():
        assert run("start", room / student)[0] == 0
        for name, body in bodies.items():
            write(room / student, f"\n\n{heads[name]}{body}")
    status, said, _ = run("class", room, "01", "--in-process", "--out", tmp_path, "--seed", 3)
    assert status == 0
    assert "of 6 points (seed 3)" in said
    assert (tmp_path / "class.csv").read_text(encoding="utf-8-sig").splitlines() == [
        "student,01.product_rule,01.order,01.walk,points",
        "ada,1,0,0,1",
        "ben,0,0,0,0",
        "eve,0,0,0,0",
        "kim,0,0,0,0",
    ]
    states = {
        one["folder"]: [each["state"] for each in one["exercises"]]
        for one in json.loads((tmp_path / "class.json").read_text())
    }
    assert states["eve"] == ["wrong", "wrong", "not begun"]
    page = (tmp_path / "class.html").read_text()
    assert (
        "<b>2 of 4</b>: lesson 01, <code>product_rule</code>: The incoming gradient g is left out"
        in page
    )
    assert '<i class="who">ben, eve</i>' in page
    assert "<b>1 of 4</b>: lesson 01, <code>order</code>: The nodes are taken as they stand" in page
    assert page.count('class="slide"') == 2
    assert "lesson 01, One derivative, and a graph: 80% of the points lost" in page


@pytest.mark.skipif(sys.platform == "darwin", reason="refuses such names")
def test_a_name_that_is_no_text_and_one_that_the_terminal_lacks_are_marked(
    run, tmp_path, monkeypatch
):
    names = "Jos\udce9", "Zoë"  # the first as a zip of another system leaves it
    room = tmp_path / "room"
    for student in names:
        assert run("start", room / student)[0] == 0
        write(room / student, "def product_rule(g, x, y):\n    raise ValueError('\\ud800')\n")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    assert run("class", room, "01", "--in-process", "--out", tmp_path)[0] == 0
    both = ["--json", tmp_path / "m.json", "--junit", tmp_path / "m.xml", "--in-process"]
    assert run("mark", room / names[0], *both)[0] == 0
    sys.stdout.seek(0)
    said = sys.stdout.read()
    assert "Jos\\udce9" in said
    assert "Zo\\xeb" in said
    assert {one["folder"] for one in json.loads((tmp_path / "class.json").read_text())} == {*names}
    assert "Jos\\udce9,0" in (tmp_path / "class.csv").read_text(encoding="utf-8")
    assert "Jos\\udce9" in (tmp_path / "class.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "m.json").read_text())["folder"] == str(room / names[0])
    assert ET.parse(tmp_path / "m.xml").getroot()[0].get("name") == str(room / "Jos\ufffd")


def test_one_begins_with_the_exercises_of_some_lessons(run, tmp_path):
    mine = tmp_path / "mine"
    status, said, _ = run("start", mine, "02", "attend")
    assert status == 0
    names = ["02_tensors.py", "08_scaled_dot_product_attention.py", "conftest.py"]
    assert sorted(one.name for one in mine.iterdir()) == names
    assert "Open 02_tensors.py" in said
    assert "`python -m minigrad exercises check 02`" in said
    said = run("check", "--folder", mine, "--in-process")[1]
    assert [line[:2] for line in said.splitlines() if line.endswith(": not begun")] == (
        ["02"] * 3 + ["08"] * 3
    )
    assert run("start", tmp_path / "other", "99")[0] == 2
    assert not (tmp_path / "other").exists()


def test_a_folder_without_students_is_refused(run, tmp_path):
    assert run("class", tmp_path)[0] == 2
    assert run("class", tmp_path / "nowhere")[0] == 2
