"""A class is marked: whatever way its work was handed in, in several runs, and nothing is lost."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from datetime import datetime, timezone

import numpy as np
import pytest
from honest_class import honest_student, in_a_file
from limits import SECONDS

from minigrad.__main__ import main
from minigrad.course.exercises import sandbox
from minigrad.course.exercises.catalogue import sheets
from minigrad.course.exercises.classroom import class_results, teacher
from minigrad.course.exercises.classroom.class_results import ClassResults
from minigrad.course.exercises.classroom.equal_work import COMPARED
from minigrad.course.exercises.classroom.roster import Enrolled, read_roster
from minigrad.course.exercises.classroom.students import students_in
from minigrad.course.exercises.isolation import container
from minigrad.course.exercises.marking.mark import STOPPED, TOO_LONG, Mark
from minigrad.course.exercises.values_as_text import as_html
from minigrad.course.folders import EXERCISES
from minigrad.errors import ConfigError

FIRST, SECOND = (sheet.file for sheet in sheets()[:2])
STUBS = (EXERCISES / FIRST).read_text()
RIGHT = f"{STUBS}\n\ndef product_rule(g, x, y):\n    return g * y, g * x\n"
WRONG = f"{STUBS}\n\ndef product_rule(g, x, y):\n    return y, x\n"


@pytest.fixture
def room(tmp_path):
    (tmp_path / "room").mkdir()
    return tmp_path / "room"


@pytest.fixture
def marked(room, tmp_path, capsys):
    """What `class` says of the room, and the rows of its table by student."""

    def run(*more):
        arguments = ["class", room, "01", "--in-process", "--out", tmp_path / "out", *more]
        assert main(["exercises", *map(str, arguments)]) == 0
        with open(tmp_path / "out/class.csv", newline="", encoding="utf-8-sig") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        return capsys.readouterr().out, rows

    return run


def put(path, text=RIGHT, encoding="utf-8"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding=encoding)


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def test_nothing_that_was_handed_in_is_lost_without_a_word(room, marked):
    put(room / "plain" / FIRST)
    put(room / "nested" / "submission" / "mine" / FIRST)
    put(room / "again" / "01_one_derivative (1).py")
    put(room / "wide" / FIRST, encoding="utf-16")
    (room / "packed.zip").write_bytes(zipped({f"mine/{FIRST}": RIGHT, "../../evil.py": "x"}))
    (room / "twice.zip").write_bytes(zipped({"inner.zip": zipped({FIRST: RIGHT})}))
    (room / "broken.zip").write_bytes(b"PK no zip")
    put(room / "other" / "solution.py")
    put(room / "other" / "one_derivative.py")
    put(room / "hidden" / f"{FIRST}.txt")
    put(room / "other" / "notes.ipynb")
    put(room / "by mail.py")
    (room / "packed otherwise.tar.gz").write_bytes(b"")
    said, rows = marked()
    assert {name: row["points"] for name, row in rows.items()} == {
        "plain": "1", "nested": "1", "again": "1", "wide": "1", "packed": "1", "twice": "1",
        "hidden": "1", "broken": "0", "other": "0", "by mail": "0", "packed otherwise": "0",
    }  # fmt: skip
    for part in (
        "again: taken for 01_one_derivative.py: again/01_one_derivative (1).py",
        "packed: not marked: ../../evil.py: no file of exercises has such a name",
        "broken: not marked: broken.zip: File is not a zip file",
        "other: not marked: other/notes.ipynb: a notebook; save its code as",
        "by mail: not marked: by mail.py: no file of exercises has such a name",
        "packed otherwise: not marked: packed otherwise.tar.gz: an archive that is no zip",
        "other: not marked: other/solution.py: no file of exercises has such a name; it has functions "
        "that belong in 01_one_derivative.py: rename it to that",
        "such a name; did it mean 01_one_derivative.py",
        "other: no file of exercises is there",
    ):
        assert part in said
    assert rows["other"]["not marked"] == "4"
    assert rows["again"]["not marked"] == ""  # it was, under another name
    assert not (room.parent / "evil.py").exists()


def test_of_two_files_for_one_lesson_the_later_is_marked(room, marked):
    put(room / "ada" / FIRST, WRONG)
    put(room / "ada" / "01_one_derivative (1).py", RIGHT)
    os.utime(room / "ada" / FIRST, (1, 1))
    said, rows = marked()
    assert rows["ada"]["points"] == "1"
    assert f"not marked: ada/{FIRST}: ada/01_one_derivative (1).py is later" in said


def test_of_the_same_file_in_two_zips_it_is_said_which_zip_is_later(tmp_path):
    (tmp_path / "room/ada").mkdir(parents=True)
    for name, text, year in (("mine", WRONG, 2001), ("mine (1)", RIGHT, 2002)):
        with zipfile.ZipFile(tmp_path / f"room/ada/{name}.zip", "w") as archive:
            archive.writestr(zipfile.ZipInfo(f"mine/{FIRST}", (year, 1, 1, 0, 0, 0)), text)
            archive.writestr("mine/notes.ipynb", "")
    (tmp_path / "work").mkdir()
    (student,) = students_in(tmp_path / "room", tmp_path / "work")
    assert (student.folder / FIRST).read_text() == RIGHT
    assert [note.says for note in student.notes if f"mine/{FIRST}" in note.says] == [
        f"not marked: mine/{FIRST} in ada/mine.zip: that in ada/mine (1).zip is later"
    ]
    assert len(student.notes) == 2, "a line is there once"


def test_of_two_files_of_the_same_time_that_is_said(tmp_path):
    """In a zip either may come first, and the same one is marked."""
    files = [("mine/01_one_derivative (1).py", WRONG), (f"mine/{FIRST}", RIGHT)]
    for k, order in enumerate((files, files[::-1])):
        (tmp_path / "room.zip").write_bytes(zipped(dict(order)))
        (tmp_path / f"{k}").mkdir()
        (student,) = students_in(tmp_path / "room.zip", tmp_path / f"{k}")
        assert (student.folder / FIRST).read_text() == RIGHT
        assert [note.says for note in student.notes] == [
            f"not marked: {files[0][0]}: mine/{FIRST} has the same time, and is marked"
        ]


def test_the_zips_of_moodle_and_canvas_are_read(tmp_path):
    moodle = {
        f"Ada L_123_assignsubmission_file_/{FIRST}": RIGHT,
        "Ben_9_assignsubmission_file_/a.txt": "",
    }
    canvas = {f"adal_LATE_42_777_{FIRST}": RIGHT, "benk_43_778_01_one_derivative-1.py": RIGHT}
    for name, files in {"moodle": moodle, "canvas": canvas}.items():
        (tmp_path / f"{name}.zip").write_bytes(zipped(files))
        (tmp_path / name).mkdir()
    found = students_in(tmp_path / "moodle.zip", tmp_path / "moodle")
    assert [(one.name, one.number) for one in found] == [("Ada L", "123"), ("Ben", "9")]
    found = students_in(tmp_path / "canvas.zip", tmp_path / "canvas")
    assert [(one.name, one.number) for one in found] == [("adal", "42"), ("benk", "43")]
    assert all((one.folder / FIRST).read_text() == RIGHT for one in found)


@pytest.mark.parametrize("unpacked", [False, True])
@pytest.mark.parametrize(
    "names",
    [
        [f"adal_42_777_{FIRST}", f"adal_42_778_{SECOND}"],  # Canvas has a number for each file
        [
            f"Ada L_123_assignsubmission_file_/{FIRST}",
            f"Ada L_123_assignsubmission_file_/{SECOND}",
            "Ada L_123_assignsubmission_onlinetext_/onlinetext.html",
        ],
        [
            f"Ada L_123_assignsubmission_file_{FIRST}",  # where the download has no folders
            f"Ada L_123_assignsubmission_file_{SECOND}",
        ],
    ],
)
def test_all_that_a_platform_has_of_a_student_is_one_students(tmp_path, names, unpacked):
    room, work = tmp_path / "room.zip", tmp_path / "work"
    work.mkdir()
    room.write_bytes(zipped(dict.fromkeys(names, RIGHT)))
    if unpacked:
        zipfile.ZipFile(room).extractall(tmp_path / "room")
    (student,) = students_in(tmp_path / "room" if unpacked else room, work)
    assert {path.name for path in student.folder.iterdir()} == {FIRST, SECOND}


@pytest.mark.parametrize(
    ("form", "unpacked"),
    [
        (f"{{}}_assignsubmission_file_/{FIRST}", False),
        (f"{{}}_assignsubmission_file_/{FIRST}", True),
        (f"ML101/{{}}_assignsubmission_file_/{FIRST}", False),
        (f"ML101/{{}}_assignsubmission_file_/{FIRST}", True),
        (f"{{}}_777_{FIRST}", False),  # Canvas has no folders
    ],
)
def test_a_platforms_zip_in_the_room_is_a_class(form, unpacked, tmp_path):
    room = tmp_path / "room"
    (tmp_path / "work").mkdir()
    put(room / "zoe" / FIRST)
    put(room / "zoe" / "hw_1_2_notes.py", "")
    names = [form.format(one) for one in ("Ada_1", "Ben_2")]
    (room / "ML101.zip").write_bytes(zipped(dict.fromkeys(names, RIGHT)))
    if unpacked:
        zipfile.ZipFile(room / "ML101.zip").extractall(room / "ML101")
        (room / "ML101.zip").unlink()
    found = students_in(room, tmp_path / "work")
    assert {(one.name, one.number) for one in found} == {("Ada", "1"), ("Ben", "2"), ("zoe", "")}
    assert all((one.folder / FIRST).read_text() == RIGHT for one in found)


@pytest.mark.skipif(sys.platform == "win32", reason="refuses such names")
def test_names_are_shown_and_are_neither_formulas_nor_orders(room, marked, tmp_path):
    names = "=HYPERLINK(1)", "a\nb", "\u202eturned", "\x1b[2J", "-1+2"
    for name in names:
        put(room / name / FIRST)
    said, rows = marked()
    assert set(rows) == {"'=HYPERLINK(1)", "a\\nb", "\\u202eturned", "\\x1b[2J", "'-1+2"}
    page = (tmp_path / "out/class.html").read_text()
    for text in (said, page):
        assert "\\u202eturned" in text
        assert not {"\x1b", "\u202e"} & set(text)
    assert {one["folder"] for one in json.loads((tmp_path / "out/class.json").read_text())} == {
        *names
    }


def test_equal_work_is_shown_with_what_was_compared(room, marked, tmp_path):
    first = in_a_file(honest_student(np.random.default_rng(3)), ["product_rule", "order", "walk"])
    put(room / "anna" / FIRST, first)
    put(room / "X, Aver" / FIRST, first)
    put(room / "xaver" / FIRST, re.sub(r"\b(node|n|v|current)\b", "one", first))
    for one in ("zoe", "yan"):
        put(room / one / FIRST)  # one line is the same by chance
    _, rows = marked()
    assert {name: row["equal to"] for name, row in rows.items()} == {
        "anna": "X, Aver (3 of 3 equal); xaver (3 of 3 equal)", "yan": "", "zoe": "",
        "xaver": "X, Aver (3 of 3 equal); anna (3 of 3 equal)",
        "X, Aver": "anna (3 of 3 equal); xaver (3 of 3 equal)",
    }  # fmt: skip
    page = (tmp_path / "out/class.html").read_text()
    assert "as <bdi>X, Aver (3 of 3 equal)</bdi>; <bdi>xaver (3 of 3 equal)</bdi>" in page
    assert COMPARED in page
    for who, what in (
        ("X, Aver</bdi>; <bdi>anna", f"{FIRST}, byte for byte; {FIRST}; order"),
        ("yan</bdi>; <bdi>zoe", f"{FIRST}, byte for byte"),
    ):
        assert f"<li><bdi>{who}</bdi>: {what}</li>" in page
    for one in ("anna", "xaver"):
        shutil.rmtree(room / one)
    marked()
    page = (tmp_path / "out/class.html").read_text()
    assert "None that can be told, of 3 functions of 3 students. Where these are few" in page


def test_whose_functions_took_too_long_is_told(capsys):
    slow, right = Mark(STOPPED, kind=TOO_LONG), Mark("right")
    sandbox.tell_of_time({"ada": [right], "ben": [right, slow]})
    assert "this was stopped: functions of ben" in capsys.readouterr().out.replace("\n", " ")
    sandbox.tell_of_time({"ada": [right]})
    assert not capsys.readouterr().out


def test_equal_work_is_of_what_is_marked(room, marked, tmp_path):
    first = in_a_file(honest_student(np.random.default_rng(3)), ["product_rule", "order", "walk"])
    for name in ("ada", "ben"):
        put(room / name / FIRST, first)
        put(room / name / SECOND, "")
    assert all("equal" in row["equal to"] for row in marked()[1].values())
    arguments = ["class", room, "02", "--in-process", "--out", tmp_path / "out"]
    assert main(["exercises", *map(str, arguments)]) == 0
    assert "equal" not in (tmp_path / "out/class.csv").read_text()


def test_an_interrupted_run_goes_on_and_what_is_unchanged_is_not_marked_again(
    room, marked, monkeypatch, tmp_path
):
    for k, name in enumerate(["ada", "ben", "eve"]):
        put(room / name / FIRST, f"{RIGHT}# {k}\n")
    names = []
    mark = sandbox.mark_of

    def marking(job, conditions):
        names.append(job.exercise.name)
        if len(names) == 5:
            raise KeyboardInterrupt
        return mark(job, conditions)

    monkeypatch.setattr(sandbox, "mark_of", marking)
    arguments = ["class", room, "01", "--in-process", "--out", tmp_path / "out"]
    assert main(["exercises", *map(str, arguments)]) == 130
    table = (tmp_path / "out/class.csv").read_text()
    assert "ada,1,0,0,1" in table
    assert "ben" not in table
    kept = tmp_path / "out/class.kept"
    kept.write_bytes(kept.read_bytes()[:-9])  # the last verdict was cut short
    assert len(marked()[1]) == 3
    assert len(names) == 5 + 6
    put(room / "ben" / FIRST, WRONG)
    said, rows = marked()
    assert rows["ben"]["points"] == "0"
    assert len(names) == 11 + 3  # ben's
    assert "as before" in said


def test_the_page_ranks_and_groups_and_can_be_read_aloud(room, marked, tmp_path):
    other = f"{STUBS}\n\ndef product_rule(g, x, y):\n    return g + 1, x * y\n"
    error = f"{STUBS}\n\ndef product_rule(g, x, y):\n    return nothing\n"
    again = f"{STUBS}\n\ndef walk(graph, root):\n    return none\n"
    for name, text in {
        "ada": RIGHT,
        "ben": WRONG,
        "eve": WRONG,
        "kim": other,
        "lea": other,
        "max": error,
        "ole": again,
    }.items():
        put(room / name / FIRST, text)
    marked()
    page = (tmp_path / "out/class.html").read_text()
    assert "<code>product_rule</code> wrong for 5 of 6" in page
    assert (
        "<b>2 of 7</b>: lesson 01, <code>product_rule</code>: The incoming gradient g is left"
        in page
    )
    errors = page.partition("<h3>An error, NameError</h3>")[2].partition("</ul>")[0]
    assert [name in errors for name in ("kim", "lea", "max", "ole")] == [False, False, True, True]
    assert '<i class="who">kim; lea</i>' in page
    assert '<th scope="row">' in page
    assert '<span class="read">wrong</span>' in page
    assert 'id="nameless"' in page


def test_the_page_shows_code_and_emphasis_and_one_line_for_what_is_wrong_with_a_file(
    room, marked, tmp_path
):
    assert as_html("`a <*b*> c` is *less* 2 * b * c") == (
        "<code>a &lt;*b*&gt; c</code> is <em>less</em> 2 * b * c"
    )
    put(room / "ada" / FIRST, "import numpy as np\n\nnp.exp = abs\n" + STUBS.replace(
        "raise NotImplementedError", "return 1"))  # fmt: skip
    marked()
    page = (tmp_path / "out/class.html").read_text()
    lines = [
        line for line in page.split("<li>") if "NumPy itself: np.exp" in line and "<b>" in line
    ]
    assert len(lines) == 1
    assert "<code>product_rule</code>, <code>" in lines[0]


def test_the_results_in_a_room_are_no_student(room):
    put(room / "ada" / FIRST)
    arguments = ["class", room, "01", "--in-process", "--out", room / "out"]
    for _ in range(2):
        assert main(["exercises", *map(str, arguments)]) == 0
        assert (room / "out/class.csv").read_text().count("\n") == 2


def test_results_are_written_before_the_end(room, marked, monkeypatch, tmp_path):
    monkeypatch.setattr(class_results, "PAUSE", 0.0)
    monkeypatch.setattr(class_results, "SHARE", float("inf"))
    seen, write = [], ClassResults.write

    def writing(self, whole=False):
        write(self, whole)
        seen.append((tmp_path / "out/class.csv").read_text())

    monkeypatch.setattr(ClassResults, "write", writing)
    for name in ("ada", "ben"):
        put(room / name / FIRST)
    marked()
    assert [text.count("\n") for text in seen] == [2, 3, 3]


# --- from a roster to what is handed back --------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ['id,name\n7,"Lovelace, Ada"\n8,Ben\n9,Zoë\n', "id;name\n7;Lovelace, Ada\n8;Ben\n9;Zoë\n"],
    ids=["commas", "semicolons"],
)
def test_folders_are_handed_out_by_a_roster_and_marks_come_back_with_its_ids(
    text, room, marked, tmp_path, capsys
):
    roster = tmp_path / "names.csv"
    roster.write_text(text, encoding="utf-8")
    start = ["exercises", "start", str(room), "--names", str(roster), "--without-answers"]
    assert main(start) == 0
    assert sorted(os.listdir(room)) == ["Ben", "Lovelace_Ada", "Zoë"]
    told = capsys.readouterr().out.replace("\n", " ")
    assert f"has a folder for each of the 3 names in {roster}, such as {room}" in told
    assert (room / "Ben" / FIRST).read_text() == STUBS
    put(room / "Lovelace_Ada" / FIRST)
    for file in (room / "Zoë").iterdir():
        file.unlink()
    (room / "Zoë").rmdir()
    put(room / "guest" / FIRST)
    capsys.readouterr()
    said, rows = marked("--roster", roster)
    assert {name: (row["id"], row["points"]) for name, row in rows.items()} == {
        "Lovelace, Ada": ("7", "1"), "Ben": ("8", "0"), "Zoë": ("9", "0"), "guest": ("", "1"),
    }  # fmt: skip
    assert "Zoë: handed in nothing" in said
    assert "guest: not in the roster" in said
    page = (tmp_path / "out/class.html").read_text(encoding="utf-8")
    assert "<h1>3 students, 1 absent</h1>" in page
    assert "handed in nothing</h2><ul><li><bdi>Zoë</bdi></li></ul>" in page.replace("\n", "")
    table = (tmp_path / "out/class.csv").read_bytes()
    assert table.startswith(b"\xef\xbb\xbf")  # by which Excel reads the ë


@pytest.mark.parametrize(
    "text",
    [
        'name,id\n"Schmidt, Anna",1002\n',
        "Vorname,Nachname,ID-Nummer,E-Mail-Adresse\nAnna,Schmidt,1002,a@b.c\n",
        "Vorname;Nachname;Matrikel\nAnna;Schmidt;1002\n",
        "Vollständiger Name,ID-Nummer,E-Mail-Adresse\nAnna Schmidt,1002,a@b.c\n",
        'Student,ID,SIS User ID\n"Schmidt, Anna",1002,s7\n',
    ],
)
def test_a_name_is_found_in_the_rosters_of_learning_platforms(text, room, marked, tmp_path):
    (tmp_path / "names.csv").write_text(text, encoding="utf-8")
    put(room / "Anna_Schmidt" / FIRST)
    said, rows = marked("--roster", tmp_path / "names.csv")
    assert [(row["id"], "_" in name) for name, row in rows.items()] == [
        ("1002", False)
    ]  # its spelling
    assert "nothing" not in said
    assert "not in the roster" not in said


@pytest.mark.parametrize("by_roster", [True, False])
def test_a_folder_that_was_never_begun_yields_to_what_came_in(by_roster, room, marked, tmp_path):
    (tmp_path / "names.csv").write_text("Ada Lovelace,4101\nBen,7\n")
    put(room / "Ada_Lovelace" / FIRST, STUBS)
    put(room / "Ada Lovelace_4101_assignsubmission_file_" / FIRST)
    put(room / "Ben" / FIRST, WRONG)  # both were begun: neither is left out
    put(room / "Ben_7_assignsubmission_file_" / FIRST)
    put(room / "Cy" / FIRST, STUBS)
    said, rows = marked(*(["--roster", tmp_path / "names.csv"] * by_roster))
    assert rows["Ada Lovelace"]["points"] == "1"
    assert not [name for name in rows if "_" in name]
    assert len(rows) == 4
    assert "Ada_Lovelace: handed out and not begun; what came in elsewhere is marked" in said


def test_who_handed_in_an_empty_zip_is_not_absent(room, marked, tmp_path):
    (tmp_path / "names.csv").write_text("Ada,1\nBen,2\nCy,3\n")
    put(room / "Ada_1_assignsubmission_file_" / FIRST)
    put(room / "Ben_2_assignsubmission_file_" / "notes.txt")
    for name in ("Ben_2", "Cy_3"):
        (room / f"{name}_assignsubmission_file_").mkdir(exist_ok=True)
        (room / f"{name}_assignsubmission_file_" / "mine.zip").write_bytes(zipped({"a/": ""}))
    said, rows = marked("--roster", tmp_path / "names.csv", "--feedback")
    assert "Cy: not marked: Cy_3_assignsubmission_file_/mine.zip: an empty zip" in said
    assert "handed in nothing" not in said
    assert rows["Cy"]["not marked"]
    assert len(list((tmp_path / "out/feedback").glob("*.html"))) == 3


def test_a_roster_that_is_not_there_is_told_in_words(tmp_path, capsys):
    missing = str(tmp_path / "missing.csv")
    for option in ("--roster", "--points"):
        assert main(["exercises", "class", str(tmp_path), option, missing]) == 2
        said = capsys.readouterr().err
        assert "No such file" in said
        assert "Errno" not in said


@pytest.mark.parametrize("text", ["", "name,id\n", "Ada\nada\n"])
def test_a_roster_without_names_or_with_one_twice_is_refused(text, tmp_path, capsys):
    (tmp_path / "names").write_text(text)
    assert (
        main(["exercises", "start", str(tmp_path / "room"), "--names", str(tmp_path / "names")])
        == 2
    )
    assert capsys.readouterr().err.count("\n") == 1


def test_the_days_that_work_is_late_are_counted(room, marked):
    for name, hours in {"early": -1, "late": 1, "later": 49}.items():
        put(room / name / FIRST)
        when = datetime(2026, 11, 20, 18).timestamp() + 3600 * hours
        os.utime(room / name / FIRST, (when, when))
    _, rows = marked("--due", "2026-11-20T18:00")
    assert {name: row["days late"] for name, row in rows.items()} == {
        "early": "", "late": "1", "later": "3",
    }  # fmt: skip


@pytest.mark.parametrize("day", ["2026-11-20", "20.11.2026"])
def test_work_is_due_until_the_end_of_a_day(day, room, marked):
    for name, hour in {"ada": 23, "ben": 24}.items():
        put(room / name / FIRST)
        when = datetime(2026, 11, 20).timestamp() + 3600 * hour
        os.utime(room / name / FIRST, (when, when))
    said, rows = marked("--due", day)
    assert "late is what was handed in after 2026-11-20 23:59" in said
    assert {name: row["days late"] for name, row in rows.items()} == {"ada": "", "ben": "1"}


def test_whose_times_count_is_told(room, marked, tmp_path):
    put(room / "ada" / FIRST)
    put(room / "ben" / FIRST)
    said = marked("--due", "2026-11-20T18:00")[0].replace("\n", " ")
    assert "2026-11-20 18:00, by the times of the files" in said
    (tmp_path / "names.csv").write_text("ada,1,2026-11-20T17:00\n")
    said = marked("--due", "2026-11-20T18:00", "--roster", tmp_path / "names.csv")[0]
    assert "by the times in the roster; of ben, by those of the files" in said.replace("\n", " ")


def test_a_file_later_than_the_time_in_the_roster_is_told(room, marked, tmp_path):
    for name, day in {"ada": 21, "ben": 19}.items():
        put(room / name / FIRST)
        when = datetime(2026, 11, day).timestamp()
        os.utime(room / name / FIRST, (when, when))
    (tmp_path / "names.csv").write_text("ada,1,2026-11-18T17:00\nben,2,2026-11-18T17:00\n")
    said, rows = marked("--due", "2026-11-20", "--roster", tmp_path / "names.csv")
    assert "\nada: the time in the roster counts, and a file is later." in said
    assert "\nben: the time" not in said  # it is in time by both
    assert "days late" not in rows["ada"]


def test_what_is_taken_off_for_lateness_needs_a_time(room, capsys):
    put(room / "ada" / FIRST)
    assert main(["exercises", "class", str(room), "--late", "0.1"]) == 2
    assert "--late needs --due" in capsys.readouterr().err


def test_what_was_not_begun_is_not_late(room, marked):
    put(room / "ada" / FIRST)
    put(room / "untouched" / FIRST, STUBS)
    _, rows = marked("--due", "2001-01-01")
    assert rows["ada"]["days late"]
    assert rows["untouched"]["days late"] == ""


def test_a_page_goes_back_to_each_student_without_answers_or_classmates(room, marked, tmp_path):
    put(room / "ada" / FIRST)
    put(room / "ben" / FIRST, WRONG)
    marked("--feedback")
    ada, ben = sorted((tmp_path / "out/feedback").iterdir())
    page = ben.read_text()
    assert "ben: 0 of 6 points" in page
    assert "The incoming gradient g is left out" in page
    assert "lesson 01" in page
    assert "return" not in page
    assert "ada" not in page
    assert "1 of 6 points" in ada.read_text()


def test_what_came_from_moodle_goes_back_in_a_zip_that_it_takes(room, marked, tmp_path):
    put(room / "Ada L_123_assignsubmission_file_" / FIRST)
    put(room / f"Ben_9_assignsubmission_file_{FIRST}", WRONG)
    put(room / "guest" / FIRST)
    marked("--feedback")
    with zipfile.ZipFile(tmp_path / "out/feedback/feedback.zip") as archive:
        assert archive.namelist() == [
            f"{name}_assignsubmission_file_/feedback.html" for name in ("Ada L_123", "Ben_9")
        ]
        assert b"Ben: 0 of 6" in archive.read(archive.namelist()[1])


def test_other_results_are_replaced_with_a_word_and_old_pages_are_told(room, marked, tmp_path):
    put(room / "ada" / FIRST)
    put(room / "ben" / FIRST, WRONG)
    marked("--feedback")
    said, _ = marked()
    assert "replaced" not in said
    assert "marks of before" not in said
    put(room / "ben" / FIRST)
    said, _ = marked()
    assert "replaced" not in said  # of the same students and exercises
    assert f"{tmp_path / 'out/feedback'} has the marks of before" in said.replace("\n", " ")
    (room / "ben").rename(room / "eve")
    assert "were replaced" in marked()[0]


def test_no_path_of_this_machine_goes_back(room, marked, tmp_path):
    beside = (
        f"{STUBS}\n\nimport os\nimport traceback\n\nimport numpy as np\n\n"
        "def product_rule(g, x, y):\n"
        "    return np.load(os.path.join(os.path.dirname(__file__), 'mine/w.npy'))\n\n"
        "def walk(graph, root):\n    try:\n        np.load('w.npy')\n"
        "    except OSError:\n        raise ValueError(traceback.format_exc()) from None\n"
    )
    put(room / "ada" / FIRST, beside)
    marked("--feedback")
    page = next((tmp_path / "out/feedback").iterdir()).read_text()
    assert "No such file or directory: &#x27;mine/w.npy&#x27;" in page
    assert f"File &quot;{FIRST}&quot;, line" in page
    assert sys.prefix not in page
    assert "/tmp" not in page


def test_points_come_in_parts_if_the_instructor_wants(room, marked, tmp_path):
    """Half of what the share of right answers is worth, and never all."""
    almost = f"{STUBS}\n\ndef product_rule(g, x, y):\n    return g * y, (g * x if x else 1)\n"
    for name, text in {"ada": RIGHT, "ben": WRONG, "eve": almost}.items():
        put(room / name / FIRST, text)
    _, rows = marked("--seed", 3)
    assert [rows[name]["points"] for name in ("ada", "ben", "eve")] == ["1", "0", "0"]
    said, rows = marked("--seed", 3, "--parts", "0.5")
    points = {name: float(row["points"]) for name, row in rows.items()}
    assert points["ada"] == 1
    assert 0 <= points["ben"] < points["eve"] < 0.5
    assert f"{points['eve']} points" in said
    marked("--seed", 3, "--parts", "0.5", "--feedback")
    eve = next((tmp_path / "out/feedback").glob("*eve*")).read_text()
    assert re.search(r"wrong, 0\.\d+ of 1, right for \d+ of \d+ inputs", eve)


def test_what_has_no_points_is_not_counted(room, marked, tmp_path):
    put(room / "ben" / FIRST, WRONG)
    (tmp_path / "points").write_text("product_rule,0\n")
    marked("--points", tmp_path / "points", "--feedback")
    page = next((tmp_path / "out/feedback").iterdir()).read_text()
    assert "product_rule: wrong, not counted" in page


def test_what_a_file_takes_from_another_is_not_marked_and_told_so(room, marked, tmp_path):
    put(room / "ada" / FIRST, f"{STUBS}\nfrom helper import f\n\n\n"
        "def product_rule(g, x, y):\n    return f(g, x, y)\n")  # fmt: skip
    marked()
    assert "product_rule: borrowed." in (tmp_path / "out/class.html").read_text()
    (room / "ada").rename(room / "ada_1_assignsubmission_file_")
    helper = "ada_1_assignsubmission_file_helper.py"
    put(room / helper, "def f(g, x, y):\n    return g * y, g * x\n")
    marked()
    page = (tmp_path / "out/class.html").read_text()
    assert "product_rule: not marked. Put what it uses of helper into this file" in page


def test_an_empty_file_is_told_of_to_teacher_and_student(room, marked, tmp_path):
    put(room / "ada" / FIRST, "\n")
    said, rows = marked("--feedback")
    assert f"ada: not marked: ada/{FIRST}: the file is empty" in said
    assert rows["ada"]["not marked"] == "1"
    page = next((tmp_path / "out/feedback").iterdir()).read_text()
    assert page.count(f"{FIRST} has no code in it: was it saved") == 1


def test_a_class_is_forgotten(room, marked, tmp_path, capsys):
    put(room / "ada" / FIRST)
    marked("--feedback")
    (tmp_path / "out" / "mine").write_text("")
    assert main(["exercises", "forget", str(tmp_path / "out")]) == 0
    assert os.listdir(tmp_path / "out") == ["mine"]
    capsys.readouterr()
    assert main(["exercises", "forget", str(tmp_path / "out")]) == 2
    assert "there is nothing in" in capsys.readouterr().err


def test_a_submission_in_a_folder_is_marked_for_gradescope(tmp_path):
    """The form that https://gradescope-autograders.readthedocs.io documents."""
    put(tmp_path / "submission" / "mine" / FIRST)
    target = tmp_path / "results.json"
    mark = ["mark", tmp_path / "submission", "--in-process", "--seed", 3, "--gradescope", target]
    assert main(["exercises", *map(str, mark)]) == 0
    found = json.loads(target.read_text())
    assert found["score"] == 1 == sum(test["score"] for test in found["tests"])
    assert found["tests"][0]["name"] == "product_rule"
    assert {test["status"] for test in found["tests"]} == {"passed", "failed"}
    assert all(0 <= test["score"] <= test["max_score"] for test in found["tests"])


def test_a_submission_without_exercises_is_told_on_gradescope(tmp_path):
    put(tmp_path / "submission" / "notes.txt")
    target = tmp_path / "results.json"
    mark = ["mark", tmp_path / "submission", "--in-process", "--gradescope", target]
    assert main(["exercises", *map(str, mark)]) == 0
    found = json.loads(target.read_text())
    assert found["score"] == 0
    assert "notes.txt: no Python file" in found["output"]


def test_what_is_no_work_of_one_student_is_told(tmp_path, capsys):
    """Neither is the exercise put where the teacher mistyped a name, nor are students mixed."""
    many = {f"{who}_assignsubmission_file_/{FIRST}": RIGHT for who in ("Ada_1", "Ben_2")}
    (tmp_path / "class.zip").write_bytes(zipped(many))
    put(tmp_path / "other" / "notes.txt")
    for name, why in {
        "nobody": "there is no folder or zip ", "class.zip": "`mark` is for one: ",
        "other": "other; not marked: other/notes.txt: no Python file",
    }.items():  # fmt: skip
        assert main(["exercises", "mark", str(tmp_path / name), "01"]) == 2
        assert why in capsys.readouterr().err


def test_after_ctrl_c_the_points_so_far_are_told(room, monkeypatch, capsys):
    put(room / FIRST)
    every = teacher.check

    def interrupted(*arguments):
        yield next(every(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(teacher, "check", interrupted)
    assert main(["exercises", "mark", str(room), "--in-process", "--seed", "3"]) == 130
    assert capsys.readouterr().out.endswith("\n1 of 1 points (seed 3)\n")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="runs bash")
def test_the_autograder_runs_from_its_zip_alone(tmp_path):
    put(tmp_path / "submission" / FIRST)
    grader = str(tmp_path / "grader.zip")
    assert main(["exercises", "autograder", grader, "product_rule", "--seed", "3"]) == 0
    with zipfile.ZipFile(tmp_path / "grader.zip") as archive:
        archive.extractall(tmp_path / "source")
    python = tmp_path / "python"  # that has NumPy, and no minigrad
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    environment = {"PATH": os.environ["PATH"], "AUTOGRADER": str(tmp_path), "PYTHON": str(python)}
    command = ["bash", str(tmp_path / "source/run_autograder")]
    subprocess.run(command, env=environment, cwd=tmp_path, check=True, timeout=SECONDS)
    found = json.loads((tmp_path / "results/results.json").read_text())
    assert found["score"] == 1
    assert [test["name"] for test in found["tests"]] == ["product_rule"]


# --- as the instructor sets it ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "table",
    ["exercise,points,share\n01.product_rule,4,0.5\nwalk,0.5\n",
     "exercise;points;share\nproduct_rule;4;0,5\nwalk;0,5\n"],
    ids=["commas", "a spreadsheet's"],
)  # fmt: skip
def test_points_are_those_of_a_table(table, room, marked, tmp_path):
    almost = f"{STUBS}\n\ndef product_rule(g, x, y):\n    return g * y, (g * x if x else 1)\n"
    for name, text in {"ada": RIGHT, "ben": WRONG, "eve": almost}.items():
        put(room / name / FIRST, text)
    (tmp_path / "points.csv").write_text(table)
    said, rows = marked("--seed", 3, "--points", tmp_path / "points.csv")
    points = {name: float(row["points"]) for name, row in rows.items()}
    assert points["ada"] == 4
    assert 0 <= points["ben"] < points["eve"] < 2
    assert "of 6.5 points" in said  # 2 of the course's for `order`


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("softmaks,1", "there is no exercise softmaks, did you mean softmax"),
        ("1,2", "1 is a lesson; give each of its exercises a line"),
        ("walk,-1", "the points: '-1' is no number from 0."),
        ("walk,ten", "the points: 'ten' is no number from 0."),
        ("walk,1,50%", "the share: '50%' is no number from 0 to 1"),
        ("walk,1,2", "the share: '2' is no number from 0 to 1"),
        ("walk", "the points: is missing"),
        ("walk,1,1,x", "there is something behind the share: x"),
        ("walk,1\n01.walk,2", "walk is there twice"),
    ],
)
def test_a_table_of_points_that_says_nothing_clear_is_refused(line, why, room, tmp_path, capsys):
    (tmp_path / "points").write_text(line)
    assert main(["exercises", "class", str(room), "--points", str(tmp_path / "points")]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert "a share from 0 to 1" in said


@pytest.mark.parametrize(
    ("head", "one", "when"),
    [
        *(("Identifier,Full name,Email address,Status,Grade,Last modified (submission)",
           "Participant ", when) for when in ("Tuesday, 20 January 2026, 6:30 PM",
           "Tuesday, 20 January 2026, 18:30", "Tuesday, January 20, 2026, 6:30 PM", "2026-01-20T18:30")),
        ("ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Zuletzt geändert (Abgabe)",
         "Teilnehmer/in", "Dienstag, 20. Januar 2026, 18:30"),
        ("Nr,Name,E-Mail,Status,Note,Abgabe", "", "20.01.2026 18:30"),
    ],
)  # fmt: skip
def test_the_grading_worksheet_of_moodle_is_a_roster(head, one, when, tmp_path):
    sheet = tmp_path / "worksheet.csv"
    sheet.write_text(
        f'{head}\n{one}4711,Ada King,a@b.c,Submitted,,"{when}"\n'
        f"{one}12,Ben,b@b.c,No submission,,-\n",
        encoding="utf-8",
    )
    assert read_roster(sheet) == [
        Enrolled("Ada King", "4711", datetime(2026, 1, 20, 18, 30).timestamp()),
        Enrolled("Ben", "12", 0.0),
    ]
    sheet.write_text("name,id,time\nZoe,3,2026-01-20 18:30:00 UTC\n")
    (zoe,) = read_roster(sheet)
    assert zoe.time == datetime(2026, 1, 20, 18, 30, tzinfo=timezone.utc).timestamp()
    sheet.write_text("Surname;First name;ID number;Groups\nKing;Ada;4711;\nKing;Ben;12;A\n")
    assert read_roster(sheet) == [Enrolled("Ada King", "4711"), Enrolled("Ben King", "12")]
    sheet.write_text("name,id,time\nZoe,3,yesterday\n")
    with pytest.raises(ConfigError, match="'yesterday'"):
        read_roster(sheet)


@pytest.mark.parametrize(
    "text",
    [
        "Müller, Anna\nRoth, Ben\n",
        "1. Anna Müller\n2. Ben Roth\n",
        "1.\tAnna Müller\n2.\tBen Roth\n",
    ],
)
def test_a_list_of_names_is_a_roster(text, tmp_path):
    (tmp_path / "names.txt").write_text(text, encoding="utf-8")
    assert [one.name for one in read_roster(tmp_path / "names.txt")] == ["Anna Müller", "Ben Roth"]
    for unclear, name in {
        "Müller, Anna\nRoth, b17\n": "Müller",
        "Ada King,Anna\n": "Ada King",
    }.items():
        (tmp_path / "names.txt").write_text(unclear, encoding="utf-8")
        with pytest.raises(ConfigError, match=f"the name would be '{name}' and the id 'Anna'"):
            read_roster(tmp_path / "names.txt")
    (tmp_path / "names.txt").write_text("Anna,b16\nBen,b17\n", encoding="utf-8")
    assert read_roster(tmp_path / "names.txt")[1] == Enrolled("Ben", "b17")


def test_a_column_of_times_that_is_not_read_is_told(room, marked, tmp_path):
    put(room / "ada" / FIRST)
    (tmp_path / "names.csv").write_text("name,id,uploaded,note\nada,7,2026-01-20 18:30,0:1\n")
    said, _ = marked("--roster", tmp_path / "names.csv")
    assert "the column 'uploaded' is not read" in said.replace("\n", " ")
    assert "'note'" not in said


def test_a_name_is_found_however_its_letters_and_words_stand(room, marked, tmp_path):
    roster = tmp_path / "names.csv"
    roster.write_text("name,id\nJörg Weiß,1\nPeter Hans,2\nHans Peter,3\n", encoding="utf-8")
    for name in ("Weiß_Jörg", "Weiß, Jo\u0308rg", "Hans Peter", "Hans, Peter"):
        put(room / name / FIRST)
    said, rows = marked("--roster", roster)
    assert {name: row["id"] for name, row in rows.items() if row["student"] != "Peter Hans"} == {
        "Weiß_Jörg": "1", "Weiß, Jörg": "1", "Hans Peter": "3", "Hans, Peter": "",
    }  # fmt: skip
    assert "Hans, Peter: not in the roster" in said
    assert "Weiß, Jörg; Weiß_Jörg: the roster has one student for these" in said


def test_who_is_excused_has_no_points(room, marked, tmp_path):
    put(room / "ada" / FIRST)
    (tmp_path / "names").write_text("name,id,time\nada,1,\nben,2,excused\neve,3,\n")
    said, rows = marked("--roster", tmp_path / "names")
    assert "ben: excused" in said
    assert [rows[name]["points"] for name in ("ada", "ben", "eve")] == ["1", "excused", "0"]
    assert rows["ben"]["01.product_rule"] == ""
    assert "<bdi>ben, excused</bdi>" in (tmp_path / "out/class.html").read_text()


def test_names_that_moodle_hides_are_numbers(tmp_path, room, marked):
    for number in (4711, 12):
        put(room / f"Participant_{number}_assignsubmission_file_" / FIRST)
    sheet = tmp_path / "worksheet.csv"
    sheet.write_text("Identifier,Status,Grade\nParticipant 4711,Submitted,\nParticipant 12,-,\n")
    said, rows = marked("--roster", sheet)
    assert {name: row["id"] for name, row in rows.items()} == {
        "Participant 12": "12", "Participant 4711": "4711",
    }  # fmt: skip
    assert "nothing" not in said


@pytest.mark.parametrize(
    ("head", "one"),
    [
        ("Identifier,Full name,Grade,Feedback comments", "Participant "),
        ("ID;Vollständiger Name;Bewertung;Feedback als Kommentar", "Teilnehmer/in"),
    ],
    ids=["English", "German"],
)
def test_moodles_grading_worksheet_is_filled_in(head, one, room, marked, tmp_path):
    put(room / "Ada_7_assignsubmission_file_" / FIRST)
    put(room / "Ben_12_assignsubmission_file_" / FIRST)
    divider = ";" if ";" in head else ","
    known = [["7", "Ada", "", 'said "so",\nand so'], ["12", "Ben", "3", ""], ["5", "Eve", "2", ""]]
    lines = [head.split(divider), *([one + number, *rest] for number, *rest in known)]
    with open(tmp_path / "sheet.csv", "w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=divider).writerows(lines)
    by_day = ("--due", "2001-01-01", "--late", "1", "--feedback")
    for more, points in (((), "1"), (by_day, "0.0")):
        marked("--roster", tmp_path / "sheet.csv", *more)
        with open(tmp_path / "out/grades.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert [row[2] for row in rows] == [lines[0][2], points, points, "0"]
        assert [[*row[:2], row[3]] for row in rows] == [[*row[:2], row[3]] for row in lines]
    put(room / "Ben_12_assignsubmission_file_" / FIRST, WRONG)
    (tmp_path / "names.csv").write_text("name,id,grade\nAda,7,10\n")
    said, _ = marked("--roster", tmp_path / "names.csv", "--feedback")  # of grades that are none
    assert f"{tmp_path / 'out/grades.csv'} has the marks of before" in said.replace("\n", " ")


@pytest.mark.parametrize(
    ("title", "most"), [("Maximum grade", "11.00"), ("Bestwertung", "11,00")], ids=["dot", "comma"]
)
def test_another_maximum_grade_than_the_sum_of_the_points_is_told(
    title, most, room, marked, tmp_path
):
    put(room / "Ada_7_assignsubmission_file_" / FIRST)
    of = sum(one.points for one in sheets()[0].exercises.values())
    for maximum in (most, f"{of}.00", "A scale"):
        with open(tmp_path / "sheet.csv", "w", newline="") as file:
            csv.writer(file).writerows(
                [["Identifier", "Full name", "Grade", title], ["Participant 7", "Ada", "", maximum]]
            )
        said = marked("--roster", tmp_path / "sheet.csv")[0].replace("\n", " ")
        told = f"Moodle's maximum grade is 11, and the points sum to {of}"
        assert (told in said) == (maximum == most)


def test_the_gradebook_of_canvas_is_a_roster(tmp_path):
    (tmp_path / "gradebook.csv").write_text(
        'Student,ID,Section,Exercises (7)\n"    Points Possible",,,10\n"King, Ada",42,A,\n'
        '"Student, Test",1,A,\n'
    )
    assert read_roster(tmp_path / "gradebook.csv") == [Enrolled("King, Ada", "42")]


def test_each_day_late_takes_off_a_share_by_the_time_in_the_roster(room, marked, tmp_path):
    for name in ("ada", "ben", "eve"):
        put(room / name / FIRST)  # now: much later than all of these times
    roster = tmp_path / "names"
    roster.write_text(
        "name,id,submitted\nada,1,2001-01-01T18:59\nben,2,2001-01-02T18:01\neve,3,2001-03-01\n"
    )
    said, rows = marked(
        "--roster", roster, "--due", "2001-01-01T18:00", "--late", "0.2", "--feedback"
    )
    assert {name: (row["days late"], row["points left"]) for name, row in rows.items()} == {
        "ada": ("1", "0.8"), "ben": ("2", "0.6"), "eve": ("59", "0.0"),
    }  # fmt: skip
    ben = next((tmp_path / "out/feedback").glob("*ben*")).read_text()
    assert "2 days late: 0.6 points are left." in ben
    ada = next((tmp_path / "out/feedback").glob("*ada*")).read_text()
    assert "1 day late: 0.8 points are left." in ada
    assert re.search("ben +1 point, 2 days late: 0.6 points are left", said)
    page = (tmp_path / "out/class.html").read_text()
    assert "<li><bdi>ben</bdi>: 2 days late: 0.6 points are left</li>" in page


def test_code_that_leads_out_of_the_exercise_is_listed_and_takes_off_no_points(
    room, marked, tmp_path
):
    body = "    import subprocess as s\n    open, s\n    return g * y, g * x\n"
    put(room / "ada" / FIRST, f"{STUBS}\n\ndef product_rule(g, x, y):\n{body}")
    put(room / "ben" / FIRST, f"import os\n\ndef order(signal, open):\n    return open\n{RIGHT}")
    said, rows = marked()
    assert rows["ada"]["points"] == rows["ben"]["points"] == "1"
    assert "ada: look at: product_rule uses open, subprocess" in said
    assert "ben: look" not in said
    assert rows["ada"]["look at"] == "product_rule uses open, subprocess"
    page = (tmp_path / "out/class.html").read_text()
    assert "<li><bdi>ada</bdi>: <code>product_rule</code> uses open, subprocess</li>" in page


# --- in a container ---------------------------------------------------------------------------

STAND_IN = """#!/bin/sh
echo "$@" >> {folder}/calls
case "$1" in
  build) for last in "$@"; do :; done; cp -r "$last" {folder}/context ;;
  run) while [ "$1" != python ]; do shift; done; shift
       cd {folder} && exec env -i PYTHONPATH={folder}/context/course {python} "$@" ;;
esac
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="runs sh")
def test_what_students_wrote_runs_in_a_container(room, tmp_path, monkeypatch, capsys):
    """A stand-in for the program: it records what it is asked, and has the image's files alone."""
    stand_in = tmp_path / "bin" / "podman"
    put(stand_in, STAND_IN.format(folder=tmp_path, python=sys.executable))
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}")
    put(room / "ada" / FIRST)
    loop = f"{STUBS}\n\ndef product_rule(g, x, y):\n    while True:\n        pass\n"
    put(room / "eve" / FIRST, loop)
    monkeypatch.setattr(container, "START", 3.0)
    what = ["class", room, "product_rule", "--container", "podman", "--out", tmp_path / "out"]
    assert main(["exercises", *map(str, [*what, "--seconds", "1"])]) == 0
    marks = {one["folder"]: one["exercises"][0] for one in json.loads(
        (tmp_path / "out/class.json").read_text())}  # fmt: skip
    assert marks["ada"]["state"] == "right"
    assert marks["eve"]["state"] == "stopped"
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[0].startswith("build ")
    runs = [call for call in calls if call.startswith("run ")]
    assert len(runs) == 3  # that it can be run, and two functions
    assert all("--network=none --read-only" in run for run in runs)
    names = {part for run in runs for part in run.split() if part.startswith("--name=")}
    assert len(names) == 2
    assert any(f"--name={call.split()[-1]}" in names for call in calls if call.startswith("rm "))
    assert "Not held" not in capsys.readouterr().out
    context = tmp_path / "context"
    assert (context / "Dockerfile").is_file()
    assert not list(context.rglob("answers"))


def test_without_the_program_the_container_is_refused_in_a_line(room, monkeypatch, capsys):
    put(room / "ada" / FIRST)
    monkeypatch.setenv("PATH", "")
    assert main(["exercises", "class", str(room), "--container", "docker", "--out", str(room)]) == 2
    assert "there is no docker here" in capsys.readouterr().err


def test_without_a_lesson_named_those_count_that_somebody_has(tmp_path, capsys):
    room = tmp_path / "the room"
    put(room / "ada" / FIRST)
    put(room / "ben" / SECOND, "")
    assert (
        main(["exercises", "class", str(room), "--in-process", "--out", str(tmp_path / "o")]) == 0
    )
    said = capsys.readouterr().out
    assert "marked are the lessons of which there are files: 01, 02" in said
    assert f"class '{room}' 01 02`" in said.replace("\n", " ")
    assert "of 12 points" in said


def test_mark_without_a_lesson_named_marks_those_of_which_there_are_files(room, capsys):
    put(room / "ada" / FIRST)
    mark = ["exercises", "mark", str(room / "ada"), "--in-process"]
    assert main(mark) == 0
    said = capsys.readouterr().out
    assert "marked are the lessons of which there are files: 01" in said
    assert "1 of 6 points" in said
    assert main([*mark, "--json", str(room / "ada.json")]) == 0  # a program's, which expects all
    assert "1 of 6 points" not in capsys.readouterr().out
