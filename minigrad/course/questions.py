"""The questions of the lessons: asked in a terminal, a notebook and the pages, and judged.

A lesson's questions stand in `examples/questions`, in a file that is named by its number:

    QUESTIONS = questions(
        slope=Question("What is the slope of $x^2$ at 3?", answer=6, by="slope.item()"),
    )

and are asked in a cell each, before the cell that answers:

    ask = Questions("01")
    ask("slope", ...)               shows it; the learner writes the answer in place of the dots
    ask("slope", 6)                 judges; "?" gives a hint, "!" the answer
    ask("05/cosine", ...)           a question of an older lesson

When a lesson runs as a script in a terminal, the learner is asked at a prompt.
"""

from __future__ import annotations

import builtins
import os
import re
import runpy
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Rational
from types import FrameType
from typing import Any

import numpy as np

from .. import errors
from ..engine.tensor import Tensor
from ..system.terminal import INTERRUPTED
from .judging import QuestionFacts, Verdict, chosen, verdict_on
from .places import EXAMPLES
from .plain import plain

KEYS = "Enter goes on, ? gives a hint, ! the answer, Ctrl-C leaves the lesson"
DOTS = '*Write the answer in place of the dots, or "?" for a hint, "!" for the answer.*'
HEADING = re.compile(r"#{1,6} ")


@dataclass(frozen=True)
class Question:
    """A question of a lesson.

    Attributes:
        text: Markdown, with formulas between `$`.
        answer: a number, a list of numbers, a shape as a tuple, or one of the choices.
        by: an expression in the names of the lesson after it ran, whose value is the answer. A test
            compares the two.
        hint: what to think of, or a case to try; it is also told after a wrong answer of no known kind.
        choices: texts, or names of the lesson's pictures.
        mistakes: wrong answers, as typed, and what each of them shows.
        because: a sentence that is told with the right answer.
        digits: how many digits are asked for. Without, whole numbers must be given exactly, others
            to three digits.
        end: asked at the end of the lesson; others are predictions, answered by the cells that follow.
        before: the numbers that answer the question before; `questions` fills them in.
    """

    text: str
    answer: Any
    by: str
    hint: str = ""
    choices: Sequence[str] = ()
    mistakes: Mapping[str, str] = field(default_factory=dict)
    because: str = ""
    digits: int | None = None
    end: bool = False
    before: Sequence[float] = ()

    def __post_init__(self) -> None:
        """Raises ConfigError if the answer, or a mistake, is none that can be given."""
        try:
            kinds = {str(self.answer): self.verdict_on(self.answer).kind == "right"}
        except (TypeError, ValueError):  # no numbers
            kinds = {str(self.answer): False}
        else:
            kinds |= {typed: self.verdict_on(typed).kind == "mistake" for typed in self.mistakes}
        for typed, fits in kinds.items():
            if not fits:
                raise errors.ConfigError(
                    f"{typed!r} cannot stand for an answer, or for a mistake, of the question "
                    f"{self.text!r}"
                )

    @property
    def asked(self) -> QuestionFacts:
        """Return what a verdict on an answer depends on."""
        if self.choices:
            place = chosen(self.choices, str(self.answer))
            answer: Any = -1 if place is None else place
        else:
            answer = np.asarray(self.answer, float).ravel().tolist()
        shape = isinstance(self.answer, tuple)
        rows = len(self.answer) if np.ndim(self.answer) == 2 else 0
        choices = tuple(self.choices)
        return QuestionFacts(
            answer, shape, self.digits, choices, self.mistakes, rows, self.before, self.hint
        )

    def verdict_on(self, given: object) -> Verdict:
        """Tell what kind of answer was given: as typed, or numbers."""
        return verdict_on(self.asked, _typed(given))

    def shown(self) -> str:
        """The question with its choices, as Markdown."""
        letters = (f"- {chr(ord('a') + i)}) {choice}" for i, choice in enumerate(self.choices))
        return "\n".join([self.text, *([""] if self.choices else []), *letters])

    def reply(self, given: object) -> str:
        """Return what the learner is told: a verdict, on "?" the hint, on "!" the answer."""
        key = given if isinstance(given, str) else ""  # an array compares its elements
        if key == "?":
            return self.hint or "There is no hint."
        if key == "!":
            return f"The answer: {self.written()}. {self.because}".strip()
        verdict = self.verdict_on(given)
        return f"{verdict.says} {self.because if verdict.kind == 'right' else ''}".strip()

    def written(self) -> str:
        """The answer, in as many digits as are asked for."""
        if self.choices:
            return str(self.answer)
        return _written(self.answer, self.digits)


def _written(answer: Any, digits: int | None) -> str:
    if isinstance(answer, (list, tuple)):
        inside = ", ".join(_written(each, digits) for each in answer)
        return f"({inside})" if isinstance(answer, tuple) else f"[{inside}]"
    if digits is None and answer == int(answer):
        return str(int(answer))
    return f"{answer:.{digits or 3}g}"


def _typed(given: object) -> str:
    """An answer as it would be typed."""
    if isinstance(given, (str, Rational)):  # whole numbers and fractions
        return str(given)
    if isinstance(given, Tensor):
        given = given.detach().numpy()
    try:
        return str(np.asarray(given, float).tolist())
    except (TypeError, ValueError):  # no numbers, or a ragged list
        return str(given)


def questions(**named: Question) -> dict[str, Question]:
    """The questions of a lesson, by their names; each knows the answer to the one before."""
    before: Sequence[float] = ()
    for name, question in named.items():
        named[name] = replace(question, before=before)
        before = () if question.choices else np.asarray(question.answer, float).ravel().tolist()
    return named


def questions_of(number: str) -> dict[str, Question]:
    """The questions of the lesson of this number, such as "07"; none if it has no file of them."""
    path = EXAMPLES / "questions" / f"{number}.py"
    return runpy.run_path(str(path))["QUESTIONS"] if path.is_file() else {}


class Reply(str):
    """A text that shows itself in a notebook, formulas too."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str:
        return str(self)


class Questions:
    """Asks the questions of a lesson: `ask = Questions("07")`.

    In a lesson that runs as a script it also prints the headings of the text, each before the first
    thing that is printed below it.

    Args:
        number: the lesson's.
    """

    def __init__(self, number: str):
        self.number = number
        self.script = hasattr(sys.modules["__main__"], "__file__")  # which a notebook is not
        self.say: Callable[..., None] = print
        lesson = sys._getframe(1)
        if self.script and os.path.isfile(lesson.f_code.co_filename):
            self.say = lesson.f_globals["print"] = _Print(lesson)

    def __call__(self, name: str, given: object = ...) -> Reply | None:
        """Ask a question, or judge an answer to it.

        Args:
            name: the question's; with an older lesson's number before it: "05/cosine".
            given: `...` to be asked; an answer; "?" for the hint; "!" for the answer.

        Returns:
            In a notebook, what is shown there.

        Raises:
            ConfigError: if there is no such question.
        """
        number, _, name = f"{self.number}/{name}".rpartition("/")
        number = number.rpartition("/")[2]
        found = questions_of(number)
        if name not in found:
            raise errors.ConfigError(
                f"lesson {number} has no question {name!r}; it has: {', '.join(found) or 'none'}"
            )
        question = found[name]
        asking = given is ...
        if not self.script:
            return Reply(f"{question.shown()}\n\n{DOTS}" if asking else question.reply(given))
        self.say(f"\nQuestion: {_readable(question.shown())}")
        if not asking:
            self.say(_readable(question.reply(given)))
        elif sys.stdin is not None and sys.stdin.isatty():
            _prompt(question)
        return None


def _readable(markdown: str) -> str:
    """The text with its formulas in Unicode, if what it is printed to has these signs."""
    shown = plain(markdown)
    try:
        shown.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return markdown
    return shown


def _prompt(question: Question) -> None:
    """Ask until the answer is right or shown, or the learner goes on."""
    print(f"({KEYS})")
    while True:
        try:
            given = input("> ").strip()
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            print()
            raise SystemExit(INTERRUPTED) from None
        if not given:
            return
        print(_readable(question.reply(given)))
        if given == "!" or (given != "?" and question.verdict_on(given).kind == "right"):
            return


class _Print:
    """The `print` of a lesson that runs: before it prints, the headings that have been passed."""

    def __init__(self, lesson: FrameType):
        self.lesson = lesson
        with open(lesson.f_code.co_filename, encoding="utf-8") as file:
            self.headings = headings(file.read())

    def __call__(self, *values: Any, **options: Any) -> None:
        while self.headings and self.headings[0][0] < self.lesson.f_lineno:
            builtins.print(f"\n{self.headings.pop(0)[1]}")
        builtins.print(*values, **options)


def headings(text: str) -> list[tuple[int, str]]:
    """The headings of a lesson, each with the number of its line."""
    found, prose = [], False
    for place, line in enumerate(text.splitlines(), 1):
        if line.startswith("# %%"):
            prose = "[markdown]" in line
        elif prose and HEADING.match(line[2:]):
            found.append((place, line[2:]))
    return found
