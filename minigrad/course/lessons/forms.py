"""Questions in a page: a form that judges in the browser, and cells that wait for its answer.

What the learner answered is kept in the browser's own storage, under `minigrad:07/name`, as JSON:
`given`, and `done` once the answer was right or was shown. Without JavaScript every cell is open, and
the hint and the answer can be unfolded.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ...views.page.scripts import as_object
from .. import judging
from ..questions import Question, questions_of

CONSTANTS = (  # that both judges have
    "SAYS", "FACTORS", "BRACKETS", "POWERS_AND_PRODUCTS", "SUM", "RAISED", "DASHES", "SPACES", "SLACK",
    "ORDINALS",
)  # fmt: skip
ASK = re.compile(r'ask\("((?:\w+/)?\w+)", \.\.\.\)')
HERE = Path(__file__).parent


def question_in(number: str, source: str) -> tuple[str, Question] | None:
    """The question that a cell of lesson `number` asks, with its whole name, such as "07/moved";
    None if the cell does something else."""
    match = ASK.fullmatch(source.strip())
    if match is None:
        return None
    name = match[1] if "/" in match[1] else f"{number}/{match[1]}"
    lesson, _, short = name.partition("/")
    return name, questions_of(lesson)[short]


def prediction_in(number: str, source: str) -> str | None:
    """The name of the question of a cell, if the cells below it are to wait for its answer."""
    question = question_in(number, source)
    return (
        question[0]
        if question and not question[1].end and question[0].startswith(f"{number}/")
        else None
    )


def form(
    name: str,
    question: Question,
    prose: Callable[[str], str],
    pictures: Mapping[str, str] = {},
) -> str:
    """A question as HTML.

    Args:
        name: its whole name, such as "07/moved".
        prose: Markdown -> HTML.
        pictures: the pictures of the page, by their names, as addresses: a choice that is the name of
            one is shown as the picture.
    """
    place = f"question-{name.replace('/', '-')}"
    facts = {
        **question.facts._asdict(),
        "mistakes": [[typed, prose(says)] for typed, says in question.mistakes.items()],
        "because": prose(question.because),
        "case": prose(question.hint),
    }
    group = "radiogroup" if question.choices else "group"
    answers = _answers(question, place, prose, pictures)
    unfolded = [("hint", "Hint", question.hint), ("answer", "Show the answer", question.reply("!"))]
    details = "".join(
        f'<details class="{kind}"><summary>{title}</summary>{prose(text)}</details>'
        for kind, title, text in unfolded
        if text
    )
    return (
        f'<form class="question" data-name="{name}" '
        f'data-asked="{html.escape(json.dumps(facts))}">'
        f'<div id="{place}">{prose(question.text)}</div>'
        f'<div class="given" role="{group}" aria-labelledby="{place}">{answers}'
        f"<button hidden>Check</button></div>"
        f'<div class="feedback" role="status" aria-live="polite"></div>{details}'
        f'<p class="waiting" hidden>What follows opens with the answer.</p></form>'
    )


def _answers(
    question: Question, place: str, prose: Callable[[str], str], pictures: Mapping[str, str]
) -> str:
    """The choices of a question, or a field for its answer."""
    if not question.choices:
        return (
            f'<input name="given" autocomplete="off" spellcheck="false" size="24" '
            f'aria-labelledby="{place}" placeholder="{_like(question)}">'
        )

    def choice(text: str) -> str:
        if text in pictures:
            return f'<img src="{pictures[text]}" alt="{text}">'
        return prose(text)

    return "".join(
        f'<label><input type="radio" name="given" value="{i}">{choice(text)}</label>'
        for i, text in enumerate(question.choices, 1)
    )


def _like(question: Question) -> str:
    """Say how an answer is written."""
    if isinstance(question.answer, tuple):
        return "such as (2, 3)"
    return "such as [1, 2]" if isinstance(question.answer, list) else "a number"


def script() -> str:
    """The JavaScript of all forms of a page, after that which judges their answers."""
    constants = {name: getattr(judging, name) for name in CONSTANTS}
    filled_in = json.dumps(
        {**constants, "NUMBER": judging.NUMBER.pattern, "CALL": judging.CALL.pattern}
    )
    judge = (
        (HERE.parent / "judging.js").read_text(encoding="utf-8").replace('"OF_PYTHON"', filled_in)
    )
    own = (HERE / "forms.js").read_text(encoding="utf-8")
    return f'"use strict";\n{as_object("Judging", judge)}\n{as_object("Forms", own)}'


def style() -> str:
    """The CSS of the forms."""
    return (HERE / "forms.css").read_text(encoding="utf-8")
