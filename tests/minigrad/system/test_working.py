"""What takes long says so, on standard error, in good time."""

import re
import sys
import time

import pytest

from minigrad.system import working as module
from minigrad.system.working import hearing_prints, say, working


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.3)


def test_the_innermost_that_is_being_done_is_said_on_standard_error(capsys):
    with working("a book") as begins, working("a page"):
        begins("part 2")
        time.sleep(0.7)
    with working("a book") as begins:
        begins("part 3")
        time.sleep(0.45)
    time.sleep(0.2)
    said = capsys.readouterr()
    assert said.out == ""
    lines = list(dict.fromkeys(line.partition(":")[0] for line in said.err.splitlines()))
    assert lines == ["a page", "a book, part 3"]


def test_nothing_is_said_where_it_is_quick_or_other_lines_come(capsys):
    with working("a page"):
        time.sleep(0.05)
    with working("a page"), hearing_prints():
        for _ in range(12):
            time.sleep(0.03)
            print("a line", file=sys.stderr)
            time.sleep(0.03)
            say("another")
    assert set(capsys.readouterr().err.splitlines()) == {"a line", "another"}


def test_a_terminal_has_one_line_and_none_in_the_end(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with working("a page"):
        time.sleep(0.7)
        say("half of it")
    said = capsys.readouterr().err
    clear = re.escape(module.CLEAR)
    assert re.fullmatch(rf"({clear}a page: \d s)+{clear}half of it\n", said)


def test_a_question_is_not_talked_over(capsys, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: time.sleep(0.7) or "42")
    with working("a lesson"), hearing_prints():
        assert input("? ") == "42"
    assert capsys.readouterr().err == ""
