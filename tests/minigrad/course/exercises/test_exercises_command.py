"""The command: exercises are listed, checked, hinted at, handed out and marked."""

import io
import json
import os
import select
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from learners import FIRST, write
from limits import SECONDS

from minigrad.course.exercises.catalogue import sheets
from minigrad.course.folders import EXERCISES

POINTS = sum(e.points for sheet in sheets() for e in sheet.exercises.values())
COUNT = sum(len(sheet.exercises) for sheet in sheets())


# --- commands --------------------------------------------------------------------------------------


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
    assert (folder / "conftest.py").read_bytes() == (EXERCISES / "conftest.py").read_bytes()
    assert not (folder / "answers").exists()
    assert sorted(os.listdir(folder)) == sorted(
        [*(s.file for s in sheets()), "conftest.py", "README.txt"]
    )


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
        env=os.environ | {"PYTHONPATH": str(EXERCISES.parents[1])},
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


# --- tries and puzzles -----------------------------------------------------------------------------


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


# --- a class ---------------------------------------------------------------------------------------


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
    assert '<i class="who">ben; eve</i>' in page
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
    names = ["02_tensors.py", "08_scaled_dot_product_attention.py", "README.txt", "conftest.py"]
    assert sorted(one.name for one in mine.iterdir()) == names
    assert "Open 02_tensors.py" in said
    assert "A file comes whole: scores, softmax_rule came along" in said
    note = (mine / "README.txt").read_text()
    assert (
        "Asked for: undo_broadcast, matmul_rule, index_rule, attend. The files have others" in note
    )
    assert note.count("check undo_broadcast matmul_rule index_rule attend\n") == 1
    assert "exercises check undo_broadcast matmul_rule index_rule attend`" in said
    said = run("check", "--folder", mine, "--in-process")[1]
    assert [line[:2] for line in said.splitlines() if line.endswith(": not begun")] == (
        ["02"] * 3 + ["08"] * 3
    )
    assert run("start", tmp_path / "other", "99")[0] == 2
    assert not (tmp_path / "other").exists()


def test_a_folder_without_students_is_refused(run, tmp_path):
    assert run("class", tmp_path)[0] == 2
    assert run("class", tmp_path / "nowhere")[0] == 2


def test_a_folder_says_what_it_is_to_whoever_gets_it_and_the_note_is_no_work(run, tmp_path):
    run("start", tmp_path / "room/ada", "01")
    note = (tmp_path / "room/ada/README.txt").read_text()
    assert "exercises check\n" in note
    assert "README" not in run("class", tmp_path / "room", "--in-process")[1]
