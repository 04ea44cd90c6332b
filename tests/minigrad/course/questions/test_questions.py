"""Questions: what kind of answer came, in Python and in a page; asked at a prompt and in a notebook."""

import html
import io
import json
import re
import runpy
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors
from minigrad.course import judging
from minigrad.course.lessons import forms
from minigrad.course.questions import Question, Questions, questions
from minigrad.course.questions import question as data
from minigrad.course.questions.headings import headings

NINTH = Question("1/9?", answer=1 / 9, by="1 / 9", mistakes={"0.33": "The root."})
COUNT = Question(
    "How many?", answer=2000, by="2000", hint="Count.", because="So it is.", counted=True
)
RISE = Question("How many times as much?", answer=8, by="8")
ZERO = Question("How far?", answer=0, by="0")
ROOT = Question("How long?", answer=10**0.5, by="10**0.5")
SURPRISE = Question("How surprised?", answer=float(np.log(19)), by="np.log(19)")
LOGS = Question("Which?", answer=[float(np.log(9)), float(-np.log(9))], by="...")
ROUGH = Question("About?", answer=57.665, by="57.665", digits=2)
LIST = Question("Which?", answer=[0.25, 0.5, -3], by="...", mistakes={"[1, 2, 3]": "Too even."})
NULLS = Question("Which?", answer=[0.625, 0.375, 0, 0], by="...")
SHAPE = Question("Shape?", answer=(3, 4, 11), by="...")
NESTED = Question("Rows?", answer=[[-1, 1], [-1, 1]], by="...")
TABLE = Question("Rows?", answer=[[1, 2, 3], [4, 5, 6]], by="...")
SECOND = questions(first=COUNT, second=Question("And then?", answer=7, by="7", hint="Halve 14."))[
    "second"
]
CHOICE = Question(
    "Where?", choices=["v1 and v2", "v3", "a side."], answer="v3", by="...",
    mistakes={"a": "The query of v6 is nearly zero."},
)  # fmt: skip
DIGITS = Question("Which?", choices=["4", "2", "1"], answer="2", by="...")
POINTS = Question("Which?", choices=["(2, 0)", "(0.5, 1)", "1e-5"], answer="(0.5, 1)", by="...")
CODE = Question(
    "Which?", choices=["`G @ B`", "`G @ B.T`", "less than 23 %"], answer="`G @ B.T`", by="..."
)

CASES = [  # what is asked, what is typed, and what both sides say to it
    (NINTH, "0.111", "right"),
    (NINTH, "1/9", "right"),
    (NINTH, " 2 / 18 ", "right"),
    (NINTH, "11.1%", "right"),
    (NINTH, "11.1 %", "right"),
    (NINTH, "11.1\N{NO-BREAK SPACE}%", "right"),
    (NINTH, "1\N{NARROW NO-BREAK SPACE}/\N{NARROW NO-BREAK SPACE}9", "right"),
    (NINTH, "0,111", "right"),
    (NINTH, "\N{ZERO WIDTH NO-BREAK SPACE}0.111", "right"),
    (NINTH, "0.111\x85", "right"),
    (NINTH, "\N{ARABIC-INDIC DIGIT ONE}", "number"),
    (NINTH, "[0.11111]", "right"),
    (NINTH, "1.11e-1", "right"),
    (NINTH, ".111", "right"),
    (NINTH, "0.11", "rounded"),
    (NINTH, "0.1", "rounded"),
    (NINTH, "0.112", "near"),
    (NINTH, "-1/9", "sign"),
    (NINTH, "\N{MINUS SIGN}0.111", "sign"),
    (NINTH, "\N{EN DASH}0.111", "sign"),
    (NINTH, "9", "reciprocal"),
    (NINTH, "1.11", "ten"),
    (NINTH, "11.1", "ten"),
    (NINTH, "2/9", "double"),
    (NINTH, "1/18", "half"),
    (NINTH, "1/3", "wrong"),
    (NINTH, "0.33", "mistake"),
    (NINTH, "0.7", "wrong"),
    (NINTH, "a ninth", "number"),
    (NINTH, "1/0", "number"),
    (NINTH, "1 - 8/9", "right"),
    (NINTH, "1-8/9", "right"),
    (NINTH, "1 -2", "count"),
    (NINTH, "1 - 8/9 of it", "number"),
    (NINTH, "(1 + 2) / 27", "number"),
    (NINTH, "4 / 4 / 9", "right"),
    (NINTH, "3^-2", "right"),
    (NINTH, "3⁻²", "right"),
    (NINTH, "3^(-2)", "right"),
    (NINTH, "1/3² 000", "count"),
    (NINTH, "1/(9)", "right"),
    (NINTH, "1/(-3)^2", "number"),
    (NINTH, "100 * 1/9 %", "right"),
    (NINTH, "0^-1", "number"),
    (NINTH, "3^2^1", "number"),
    (NINTH, "", "number"),
    (NINTH, "0.111, 0.222", "count"),
    (COUNT, "2,000", "right"),
    (COUNT, "2·10³", "right"),
    (COUNT, "2 * 10^3", "right"),
    (COUNT, "2 × 1000", "right"),
    (COUNT, "20 * -10 ** 2", "sign"),
    (COUNT, "2^11 - 50 + 2", "right"),
    (COUNT, "2000 times", "number"),
    (COUNT, "2 TB", "number"),
    (COUNT, "2 * many", "number"),
    (COUNT, "1e200 * 1e200", "number"),
    (COUNT, "2_000", "right"),
    (COUNT, "2 000", "right"),
    (COUNT, "0,2e4", "right"),
    (COUNT, "- 2000", "sign"),
    (COUNT, "2 00", "count"),
    (COUNT, "2e3", "right"),
    (COUNT, "2000.0", "right"),
    (COUNT, "1000", "half"),
    (COUNT, "4000", "double"),
    (COUNT, "200", "ten"),
    (COUNT, "1999", "one"),
    (COUNT, "2001", "one"),
    (COUNT, "1998", "wrong"),
    (ROUGH, "58", "right"),
    (ROUGH, "57.665", "right"),
    (ROUGH, "60", "rounded"),
    (ROUGH, "57", "near"),
    (LIST, "[0.25, 0.5, -3]", "right"),
    (LIST, "0.25 0.5 -3", "right"),
    (LIST, "(1/4; 1/2; -3)", "right"),
    (LIST, "[2^-2, 5 * 0.1, -3*1]", "right"),
    (LIST, "1/4 1/2 -3", "right"),
    (LIST, "0,25; 0,5; -3", "right"),
    (LIST, "0.25, 0.5, - 3.", "right"),
    (LIST, "1\N{FRACTION SLASH}4, 1/2, \N{EM DASH}3", "right"),
    (LIST, "-3, 0.25, 0.5", "order"),
    (LIST, "-0.25, -0.5, 3", "sign"),
    (LIST, "0.25, 0.7, -3", "some"),
    (LIST, "7, 0.5, 7", "some"),
    (LIST, "0.25, 0.5", "count"),
    (LIST, "0.3, 0.5, -3", "rounded"),
    (LIST, "1 2 3", "mistake"),
    (LIST, "7 8 9", "wrong"),
    (NULLS, "0.625 0.375 0 0", "right"),
    (NULLS, "0 0 0 0", "some"),
    (NULLS, "0.625 0.375 0.001 0", "some"),
    (SHAPE, "(3, 4, 11)", "right"),
    (SHAPE, "3x4 × 11", "right"),
    (SHAPE, "11, 4, 3", "reversed"),
    (SHAPE, "4, 3, 11", "order"),
    (SHAPE, "(3, 11)", "missing"),
    (SHAPE, "(3, 5)", "count"),
    (NESTED, "[[-1, 1], [-1, 1]]", "right"),
    (NESTED, "-1,1;-1,1", "right"),
    (NESTED, "[[1, -1], [1, -1]]", "sign"),
    (NESTED, "[[-1, -1], [1, 1]]", "transpose"),
    (TABLE, "1 4 2 5 3 6", "transpose"),
    (TABLE, "1 4 2 5 6 3", "order"),
    (SECOND, "7", "right"),
    (SECOND, "2000", "before"),
    (SECOND, "8", "wrong"),
    (RISE, "7", "wrong"),
    (RISE, "9", "wrong"),
    (ZERO, "5000", "wrong"),
    (ROOT, "sqrt(10)", "right"),
    (ROOT, "√10", "right"),
    (ROOT, "√(20/2)", "right"),
    (ROOT, "np.sqrt( 10 )", "right"),
    (ROOT, "-√10", "sign"),
    (ROOT, "√10/2", "half"),
    (ROOT, "2√10", "number"),
    (ROOT, "1/sqrt(10)", "reciprocal"),
    (ROOT, "sqrt(-10)", "number"),
    (ROOT, "10 ** 0.5", "right"),
    (ROOT, "2 * sqrt(10)", "double"),
    (SURPRISE, "log(19)", "right"),
    (SURPRISE, "log 19", "right"),
    (SURPRISE, "Ln 19", "right"),
    (SURPRISE, "-ln(1/19)", "right"),
    (SURPRISE, "-ln 1/19", "number"),
    (SURPRISE, "1-log(19)", "number"),
    (SURPRISE, "log(0)", "number"),
    (SURPRISE, "log2(19)", "number"),
    (SURPRISE, "exp(1000)", "number"),
    (LOGS, "[log 9, log(1/9)]", "right"),
    (LOGS, "(ln(9); -ln(9))", "right"),
    (NINTH, "exp(-2.197225)", "right"),
    (CHOICE, "v3", "right"),
    (CHOICE, " V3 ", "right"),
    (CHOICE, "b", "right"),
    (CHOICE, "b)", "right"),
    (CHOICE, "2", "right"),
    (CHOICE, "a side", "wrong"),
    (CHOICE, "1", "mistake"),
    (CHOICE, "V1  and v2", "mistake"),
    (CHOICE, "v9", "choice"),
    (CHOICE, "(b)", "right"),
    (CHOICE, "'v3'", "right"),
    (CODE, "G@B.T", "right"),
    (CODE, "g @ b", "wrong"),
    (CODE, "less than 23%", "wrong"),
    (CODE, "G\x1c@ B\N{ZERO WIDTH NO-BREAK SPACE}.T", "right"),
    (CODE, "", "choice"),
    (POINTS, "0.5,1", "right"),
    (POINTS, "[1/2, 1.0]", "right"),
    (POINTS, "0.00001", "wrong"),
    (POINTS, "0.5", "choice"),
    (POINTS, "2", "right"),
    (DIGITS, "2", "right"),
    (DIGITS, "1", "wrong"),
    (DIGITS, "b", "right"),
]


SENTENCES = [
    (LIST, "0.25, 0.7, -3", "The 2nd of 3 is wrong; the rest is right."),
    (NULLS, "0 0 0 7", "The 1st, 2nd and 4th of 4 are wrong; the rest is right."),
    (LIST, "7, 0.5, 7", "The 1st and 3rd of 3 are wrong; the rest is right."),
    (COUNT, "200000", "Right up to a factor of 100."),
    (COUNT, "2", "Right up to a factor of 1000."),
    (COUNT, "2e15", "Right up to a factor of 10^12."),
    (COUNT, "0.002", "Right up to a factor of 10^6."),
    (SHAPE, "1, 2", "Numbers asked for: 3; given: 2."),
    (NINTH, "0.1", "Rounded too far: give 3 digits."),
    (CHOICE, "a", "The query of v6 is nearly zero."),
    (SECOND, "12", "Not right. Try this first: Halve 14."),
    (LIST, "7 8 9", "Not right. Try this first: the question once more."),
]


@pytest.mark.parametrize(("question", "given", "kind"), CASES)
def test_the_judge_says_what_kind_of_answer_came(question, given, kind):
    assert question.verdict_on(given).kind == kind


@pytest.mark.parametrize(("question", "given", "says"), SENTENCES)
def test_it_says_what_is_off(question, given, says):
    assert question.verdict_on(given).says == says


def test_every_kind_of_answer_is_in_the_table():
    assert {kind for _, _, kind in CASES} == {*judging.SAYS, "mistake"}


@pytest.mark.parametrize(
    ("question", "given"),
    [
        (NINTH, Fraction(1, 9)),
        (NINTH, np.float32(1 / 9)),
        (NINTH, mg.Tensor(1 / 9, requires_grad=True)),
        (LIST, (0.25, 0.5, -3)),
        (LIST, np.array([0.25, 0.5, -3])),
        (LIST, mg.Tensor([0.25, 0.5, -3])),
        (SHAPE, np.zeros((3, 4, 11)).shape),
        (CHOICE, 2),
    ],
)
def test_answers_are_python_as_well(question, given):
    assert question.verdict_on(given).kind == "right"
    assert question.reply(given).startswith("Right.")


def test_the_judge_of_the_pages_says_the_same(browser, tmp_path):
    (tmp_path / "page.html").write_text(f"<script>{forms.script()}</script>", encoding="utf-8")
    browser.open(tmp_path / "page.html")
    table = [*CASES, *SENTENCES]
    asked = [
        ({**question.facts._asdict(), "mistakes": list(question.mistakes.items())}, typed)
        for question, typed, _ in table
    ]
    script = "return arguments[0].map(([asked, text]) => Judging.verdictOn(asked, text))"
    there = browser.run(script, asked)
    assert not browser.messages()
    for (question, typed, expected), verdict in zip(table, there):
        assert expected in (verdict["kind"], verdict["says"]), typed
        assert (verdict["kind"], verdict["says"]) == tuple(question.verdict_on(typed)), typed


def test_the_two_judges_have_the_same_functions_in_the_same_order():
    python, javascript = (
        Path(judging.__file__).with_suffix(suffix).read_text(encoding="utf-8")
        for suffix in (".py", ".js")
    )
    here = [name.lstrip("_").split("_") for name in re.findall(r"^def (\w+)", python, re.M)]
    there = re.findall(r"^(?:function|const) ([a-z]\w*)", javascript, re.M)
    assert there == [first + "".join(map(str.capitalize, rest)) for first, *rest in here]


# --- a page ---------------------------------------------------------------------------------------


def paragraph(text):
    return f"<p>{html.escape(text)}</p>" if text else ""


def page(tmp_path):
    asked = "".join(
        forms.form(name, question, paragraph)
        for name, question in {"07/count": COUNT, "07/choice": CHOICE}.items()
    )
    (tmp_path / "page.html").write_text(
        f'<!DOCTYPE html><style>{forms.style()}</style>{asked}<div id="one" data-waits="07/count">'
        f'1</div><div id="both" data-waits="07/count 07/choice">2</div>'
        f"<script>{forms.script()}</script>"
    )
    return tmp_path / "page.html"


SHOWN = "return ['one', 'both'].map(id => document.getElementById(id).offsetParent !== null)"


def reopened(browser, path, ready):
    """Open the page until it finds what the one before kept: another process of the browser's reads it,
    which may be told a little later."""
    for _ in range(50):
        browser.open(path)
        if browser.run(f"return {ready}"):
            return
        time.sleep(0.1)


def answer(browser, form, text):
    browser.run(
        f"const form = document.forms[{form}]; form.elements.given.value = {json.dumps(text)};"
        "form.requestSubmit()"
    )
    return browser.run(f"return document.forms[{form}].querySelector('.feedback').innerText")


@pytest.mark.slow
def test_cells_wait_for_the_answers_which_the_browser_keeps(browser, tmp_path):
    path = page(tmp_path)
    browser.open(path)
    assert browser.run(SHOWN) == [False, False]
    assert answer(browser, 0, "") == "Give an answer first."
    assert answer(browser, 0, "200") == "Right up to a factor of 10."
    assert browser.run(SHOWN) == [False, False]
    assert answer(browser, 0, "2000").split() == ["Right.", "So", "it", "is."]
    assert browser.run(SHOWN) == [True, False]
    assert answer(browser, 1, "1") == "The query of v6 is nearly zero."
    reopened(browser, path, "document.forms[1].elements.given.value === '1'")
    assert browser.run(SHOWN) == [True, False]
    assert browser.run("return document.forms[0].elements.given.value") == "2000"
    assert browser.run("return document.forms[1].elements.given.value") == "1"
    browser.run("document.forms[1].querySelector('.answer summary').click()")
    browser.driver.execute_async_script("setTimeout(arguments[0], 100)")
    assert browser.run(SHOWN) == [True, True]
    assert not browser.messages()


def test_the_signs_of_the_terminal_open_the_hint_and_the_answer(browser, tmp_path):
    browser.open(page(tmp_path))
    opened = "return ['hint', 'answer'].map(k => document.forms[0].querySelector('.' + k).open)"
    answer(browser, 0, "?")
    assert browser.run(opened) == [True, False]
    answer(browser, 0, "!")
    assert browser.run(opened) == [True, True]


@pytest.mark.slow
def test_an_answer_is_given_by_the_keyboard_and_heard(browser, tmp_path):
    keys = pytest.importorskip("selenium.webdriver").Keys
    path = page(tmp_path)
    browser.open(path)
    browser.run("localStorage.clear()")
    reopened(browser, path, "localStorage.length + document.forms[0].elements.given.value === '0'")
    field = browser.driver.find_element("css selector", "input:not([type])")
    assert field.accessible_name == "How many?"
    while field.get_property("value") != "2000":  # a busy browser can lose a key
        field.clear()
        field.send_keys("2000")
    field.send_keys(keys.ENTER)
    heard = browser.driver.find_element("css selector", ".feedback")
    assert heard.text.startswith("Right.")
    assert heard.aria_role == "status"
    radio = browser.driver.find_element("css selector", "input[type=radio]")
    assert radio.accessible_name == "v1 and v2"
    radio.send_keys(keys.ARROW_DOWN, keys.ENTER)
    assert browser.run(SHOWN) == [True, True]


def test_no_answer_can_be_read_in_the_page(browser, tmp_path):
    path = page(tmp_path)
    browser.open(path)
    browser.run("localStorage.clear()")
    reopened(browser, path, "localStorage.length + document.forms[0].elements.given.value === '0'")
    seen = browser.run("return document.body.innerText")
    assert "How many?" in seen
    assert "2000" not in seen
    assert "So it is" not in seen


# --- asked where a lesson runs --------------------------------------------------------------------

LESSON = '''# %% [markdown]
# # 99 A title
#
# Text.

# %%
from minigrad.course.questions import Questions

ask = Questions("99")

# %% [markdown]
# ## One
# # Two

# %%
ask("count", ...)

# %%
def show():
    """
    # ## no heading
    """
    print("shown")


show()

# %% [markdown]
# ## Three

# %%
ask("98/ninth", GIVEN)
'''


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "EXAMPLES", tmp_path)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", "lesson.py", raising=False)
    (tmp_path / "questions").mkdir()
    for number, name, question in ("99", "count", COUNT), ("98", "ninth", NINTH):
        (tmp_path / "questions" / f"{number}.py").write_text(
            "from minigrad.course.questions import Question, questions\n"
            f"QUESTIONS = questions({name}={question!r})\n"
        )

    def run(given="...", typed=None):
        (tmp_path / "99_lesson.py").write_text(LESSON.replace("GIVEN", given))
        lines = iter(typed or [])
        monkeypatch.setattr(
            sys, "stdin", type("In", (), {"isatty": lambda self: typed is not None})()
        )
        monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
        runpy.run_path(str(tmp_path / "99_lesson.py"))

    return run


WITHOUT_A_TERMINAL = """
# 99 A title

## One

# Two

Question: How many?
shown

## Three

Question: 1/9?
"""


def test_without_a_terminal_headings_and_questions_are_printed(lesson, capsys):
    lesson()
    assert capsys.readouterr().out == WITHOUT_A_TERMINAL


def test_an_answer_in_the_lesson_is_judged(lesson, capsys):
    lesson("'-1/9'")
    assert capsys.readouterr().out == f"{WITHOUT_A_TERMINAL}The size is right, the sign is not.\n"


def test_control_c_leaves_a_lesson(lesson, capsys, monkeypatch):
    def pressed():
        raise KeyboardInterrupt
        yield

    with pytest.raises(SystemExit, match="130"):
        lesson(typed=pressed())
    assert capsys.readouterr().out.endswith("Ctrl-C leaves the lesson)\n\n")


def test_a_terminal_asks_until_the_answer_is_right_or_passed(lesson, capsys):
    lesson(typed=["?", "1000", "2000", "!"])
    printed = capsys.readouterr().out
    assert "\nCount.\nThis is half of the answer.\nRight. So it is.\nshown\n" in printed
    assert printed.endswith("The answer: 0.111.\n")
    lesson(typed=["", ""])
    assert "Right" not in capsys.readouterr().out


@pytest.mark.parametrize(("encoding", "shown"), [("utf-8", "e⁻ˣ?"), ("ascii", "$e^{-x}$?")])
def test_a_formula_is_printed_in_signs_that_the_terminal_has(
    lesson, tmp_path, monkeypatch, encoding, shown
):
    path = tmp_path / "questions" / "98.py"
    path.write_text(path.read_text().replace("1/9?", "$e^{-x}$?"))
    written = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", written)
    lesson()
    written.seek(0)
    assert f"Question: {shown}\n" in written.read()


def test_in_a_notebook_it_shows_itself(lesson, monkeypatch):
    lesson()
    monkeypatch.setattr(sys, "modules", {**sys.modules, "__main__": type(sys)("__main__")})
    ask = Questions("99")
    shown = ask("count", ...)._repr_markdown_()
    assert shown.startswith("How many?\n\n")
    assert "in place of the dots" in shown
    assert ask("count", 2000) == "Right. So it is."
    assert ask("count", "?") == "Count."
    assert ask("98/ninth", "!") == "The answer: 0.111."
    with pytest.raises(errors.ConfigError, match="lesson 98 has no question 'x'; it has: ninth"):
        ask("98/x")


def test_a_choice_has_letters():
    assert CHOICE.as_markdown() == "Where?\n\n- a) v1 and v2\n- b) v3\n- c) a side."


@pytest.mark.parametrize(
    "wrong",
    [
        {"choices": ["a side", "b side"], "answer": "c side"},
        {"answer": "many"},
        {"answer": 3, "mistakes": {"3.0": "This is right."}},
        {"answer": 3, "mistakes": {"x": "No number."}},
    ],
)
def test_a_question_without_an_answer_is_refused(wrong):
    with pytest.raises(errors.ConfigError, match="cannot stand for an answer"):
        questions(wrong=Question("?", by="...", **wrong))


def test_headings_are_those_of_the_text():
    assert headings(LESSON) == [
        (2, "# 99 A title"),
        (12, "## One"),
        (13, "# Two"),
        (29, "## Three"),
    ]
