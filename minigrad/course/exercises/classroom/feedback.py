"""A page for each student to be handed back: what is right, what is not, and what to read again."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path

from ..marking.mark import MISSING, NO_FILE, NOT_BEGUN, RIGHT
from ..sandbox import Marked
from ..values_as_text import as_html, cleaned
from .points import begun, part_told, points_of, total

escape = html.escape


def write_feedback(
    folder: Path,
    number: int,
    student: str,
    marked: Sequence[Marked],
    late: str = "",
    notes: Sequence[str] = (),
) -> Path:
    """Write the page of a student; it has neither a solution nor anything of another student.

    Args:
        late: what is to be said of work that is late.
        notes: what of the student's files was not marked, and why; a line each.
    """
    name = re.sub(r"[^\w.-]+", "_", cleaned(student)).strip("._")
    path = folder / f"{number:03}_{name or 'student'}.html"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(feedback_page(student, marked, late, notes), encoding="utf-8")
    return path


def feedback_page(
    student: str, marked: Sequence[Marked], late: str = "", notes: Sequence[str] = ()
) -> str:
    """The page, in HTML that needs nothing else."""
    style = Path(__file__).with_name("class.css").read_text(encoding="utf-8")
    most = sum(exercise.points for _, exercise, _ in marked)
    right = [exercise.name for _, exercise, mark in marked if mark.state == RIGHT]
    wrong = [one for one in marked if begun([one]) and one[2].state != RIGHT]
    rest = [exercise.name for _, exercise, mark in marked if mark.state in (NOT_BEGUN, MISSING)]
    # Where the file itself is missing, no more is to be said.
    missing = dict.fromkeys(
        m.says for _, _, m in marked if m.state == MISSING and m.kind != NO_FILE
    )
    again = dict.fromkeys(f"lesson {sheet.number}, {escape(sheet.title)}" for sheet, _, _ in wrong)
    parts = [
        f"<h1>{escape(cleaned(student))}: {total(marked)} of {most} points</h1>",
        *(f"<p>{escape(cleaned(says))}</p>" for says in (late, *notes) if says),
        f"<h2>Right</h2><p>{', '.join(right) or 'Nothing yet.'}</p>",
        "<h2>Not right yet</h2>",
        "".join(map(_wrong, wrong)) or "<p>Nothing.</p>",
        f"<h2>To read again</h2><p>{'; '.join(again) or 'Nothing.'}</p>",
        f"<h2>Not begun</h2><p>{', '.join(rest) or 'Nothing.'}</p>",
        *(f"<p>{escape(says)}</p>" for says in missing),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Exercises</title>\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def _wrong(one: Marked) -> str:
    sheet, exercise, mark = one
    points = (
        f"{points_of(exercise, mark)} of {exercise.points}" if exercise.points else "not counted"
    )
    facts = (mark.state, points, part_told(exercise, mark))
    shows = f"<pre>{escape(chr(10).join(mark.shows))}</pre>" if mark.shows else ""
    return (
        f"<section><h3>{sheet.number} {exercise.name}: {', '.join(filter(None, facts))}</h3>"
        f"<p>{as_html(mark.says)}</p>{shows}</section>"
    )
