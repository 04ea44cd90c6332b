"""A question as data: its text, its answer, and what is said of the answers that learners give."""

from __future__ import annotations

import runpy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Rational
from typing import Any

import numpy as np

from ... import errors
from ...engine.tensor import Tensor
from ..folders import EXAMPLES
from ..judging import QuestionFacts, Verdict, choice_named, verdict_on


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
        counted: whether the number is found by counting: an answer one off has missed an end.
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
    counted: bool = False
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
    def facts(self) -> QuestionFacts:
        """Return what a verdict on an answer depends on."""
        if self.choices:
            place = choice_named(self.choices, str(self.answer))
            answer: Any = -1 if place is None else place
        else:
            answer = np.asarray(self.answer, float).ravel().tolist()
        return QuestionFacts(
            answer=answer,
            shape=isinstance(self.answer, tuple),
            digits=self.digits,
            choices=tuple(self.choices),
            mistakes=self.mistakes,
            rows=len(self.answer) if np.ndim(self.answer) == 2 else 0,
            counted=self.counted,
            before=self.before,
            case=self.hint,
        )

    def verdict_on(self, given: object) -> Verdict:
        """Tell what kind of answer was given: as typed, or numbers."""
        return verdict_on(self.facts, _typed(given))

    def as_markdown(self) -> str:
        """The question with its choices, as Markdown."""
        letters = (f"- {chr(ord('a') + i)}) {choice}" for i, choice in enumerate(self.choices))
        return "\n".join([self.text, *([""] if self.choices else []), *letters])

    def reply(self, given: object) -> str:
        """Return what the learner is told: a verdict, on "?" the hint, on "!" the answer."""
        key = given if isinstance(given, str) else ""  # an array compares its elements
        if key == "?":
            return self.hint or "There is no hint."
        if key == "!":
            return f"The answer: {self.answer_text()}. {self.because}".strip()
        verdict = self.verdict_on(given)
        return f"{verdict.says} {self.because if verdict.kind == 'right' else ''}".strip()

    def answer_text(self) -> str:
        """The answer, in as many digits as are asked for."""
        if self.choices:
            return str(self.answer)
        return _as_text(self.answer, self.digits)


def _as_text(answer: Any, digits: int | None) -> str:
    if isinstance(answer, (list, tuple)):
        inside = ", ".join(_as_text(each, digits) for each in answer)
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
