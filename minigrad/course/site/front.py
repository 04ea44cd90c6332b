"""The pages that are about the whole: the index, and the exercises with a learner's own state."""

from __future__ import annotations

import ast
import functools
import html
import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..exercises.catalogue import RUN, Sheet, sheets
from ..exercises.exercise import Exercise
from ..exercises.learner_file import read_learner_file
from ..exercises.marking.mark import MISSING, NOT_BEGUN, RIGHT, Mark
from ..exercises.sandbox import check
from ..folders import EXAMPLES, EXERCISES, ROOT
from ..lessons.addresses import Links, Site
from ..lessons.lesson import LINES, WORDS, Lesson
from ..lessons.markdown import Renderer
from ..lessons.pages import REFERENCE, page
from ..questions import questions_of
from . import idioms
from .cache import digest
from .overview import overview

Marks = Mapping[str, Mark]  # by the names of the exercises
escape = html.escape
SOON = "Lesson 00 trains a model that reads dates. Soon you can see here what it does, and try it."
PAPER = 2.6  # times the minutes of reading, when one computes what the lessons ask for
LOOKED, TYPED = "out/00_where_it_looked.svg", "out/00_your_date.html"  # lesson 00 writes them
GUIDES = {  # files to read, and what each is
    EXAMPLES / "README.md": "About the course: what each lesson is for, and where ideas come from",
    EXAMPLES / "SYMBOLS.md": "Symbols: what each letter means, through the whole course",
    EXAMPLES / "NUMPY.md": "The NumPy that is used",
    EXAMPLES / "MATHEMATICS.md": "The mathematics that is used",
    idioms.KERAS: "If you know Keras: a program of Keras, and the same here",
    EXAMPLES / "exercises/README.md": "About the exercises",
    ROOT / "README.md": "About minigrad and minitransformer",
}


def index(site: Site, folder: Path, marks: Marks, render: Renderer) -> str:
    """The first page.

    Args:
        folder: of the site.
        marks: on what a learner has written; nothing where there is none.
    """
    links = Links(site, "index.html", EXAMPLES)
    total = sum(lesson.minutes[0] for lesson in site.lessons)
    rows = "".join(_row(lesson, marks) for lesson in site.lessons)
    source = "Names in the code lead to their source, and drawings" if site.source else "Drawings"
    body = f"""<h1>From one derivative to a transformer</h1>
{_beginning(site, folder)}<p>A course in which every number is checked. Each page is a lesson as it
ran. {source} open larger. <span class="keys">The arrow keys
← and → lead from lesson to lesson.</span></p>
<p id="resume"></p>
{overview(site.lessons, links, render)}
<h2>Lessons</h2>
<ol class="lessons">{rows}</ol>
<p class="quiet">Times are to read, and estimated: {WORDS} words of prose a minute, and {LINES} lines of
code; {total / 60:.1f} hours in all, without the optional parts. With pen and paper, as the lessons ask,
it takes about {PAPER} times as long: {PAPER * total / 60:.0f} hours. Your progress is kept in this
browser alone.</p>
{_more(site, links)}{_interactive(site)}"""
    return page("The course", body, links)


def _more(site: Site, links: Links) -> str:
    """List what there is to read beside the lessons."""
    reference = f'<li><a href="{REFERENCE}">Reference</a> of both packages</li>' * site.reference
    guides = "".join(
        f'<li><a href="{links.local(site.page_of(file))}">{about}</a></li>'
        for file, about in GUIDES.items()
        if file.is_file()
    )
    return f"""<h2>More</h2>
<ul>
<li><a href="exercises.html">Exercises</a>: functions to write, which mark themselves and name the
mistake</li>
<li><a href="{idioms.PAGE}">{idioms.TITLE}</a>: what they write, and what to write here</li>
{reference}{guides}</ul>
"""


def _interactive(site: Site) -> str:
    """List the pages that lessons wrote."""
    items = "".join(
        f'<li>{address[4:].partition("_")[0]} <a href="{address}">{escape(title)}</a></li>'
        for address, title in site.written.items()
    )
    return f"<h2>Interactive pages</h2>\n<ul>{items}</ul>\n" if items else ""


def _beginning(site: Site, folder: Path) -> str:
    """Show what a transformer does with a date, and let one be typed; nothing where lesson 00 is not
    there, or can draw nothing."""
    if not (folder / LOOKED).is_file():
        waits = TYPED not in site.written and any(one.number == "00" for one in site.lessons)
        return f'<p class="running">{SOON}</p>\n' * waits
    return f"""<div class="beginning"><figure><a class="picture" href="{LOOKED}" title="larger"><img
src="{LOOKED}" alt="A map of weights: a row for each symbol written, a column for each letter read"></a>
<figcaption class="quiet">It read “the 3rd of March 1998” and wrote 1998-03-03. A row for each symbol
that it wrote: the darker, the more it looked at that letter.</figcaption></figure>
<form data-opens="{TYPED}"><p>At the end you know every number of a machine that reads dates. Nobody told
it what a month is: it was shown examples. Let it read a date of yours.</p>
<p><input name="line" value="24 Nov 2026" aria-label="A date" autocomplete="off" spellcheck="false">
<button>Read it</button></p>
<p class="quiet">Such as 3 May 1998, or the 3rd of March 1998. The page that opens shows how it comes
to each digit. Then change a letter.</p></form></div>
"""


def _row(lesson: Lesson, marks: Marks) -> str:
    core, optional = lesson.minutes
    facts = [f"{core:.0f} min"]
    if optional >= 0.5:
        facts.append(f"+ {optional:.0f} optional")
    if todo := exercises_of(lesson):
        right = sum(marks[name].state == RIGHT for name in todo if name in marks)
        count = f"{right} of {len(todo)}" if marks else f"{len(todo)}"
        facts.append(f'<a href="exercises.html#{lesson.number}">{count} exercises</a>')
    asked = " ".join(f"{lesson.number}/{name}" for name in questions_of(lesson.number))
    return (
        f'<li data-lesson="{lesson.number}" data-questions="{asked}">'
        f'<span class="number">{lesson.number}</span>'
        f'<a class="title" href="{lesson.path.stem}.html">{escape(lesson.title)}</a>'
        f'<span class="facts">{" · ".join(facts)}</span>'
        f'<span class="about">{escape(lesson.about)}</span></li>\n'
    )


def _sheets(lessons: Sequence[Lesson]) -> list[Sheet]:
    """The exercises of these lessons."""
    files = {lesson.path.name for lesson in lessons}
    return [sheet for sheet in sheets() if sheet.file in files]


def exercises_of(lesson: Lesson) -> list[str]:
    """The names of the functions to write after a lesson."""
    return [name for sheet in _sheets([lesson]) for name in sheet.exercises]


def marks_of(folder: Path | None, lessons: Sequence[Lesson]) -> dict[str, Mark]:
    """Mark what a learner has written in a folder, after these lessons."""
    marks: dict[str, Mark] = {}
    if folder is not None:
        for sheet in _sheets(lessons):
            marks |= _marked(folder, sheet, digest([folder / sheet.file]))
    return marks


@functools.lru_cache(maxsize=256)
def _marked(folder: Path, sheet: Sheet, content: str) -> dict[str, Mark]:
    """The marks of one file; it is marked once for each content."""
    exercises = [(sheet, list(sheet.exercises.values()))]
    return {exercise.name: mark for _, exercise, mark in check(folder, exercises)}


def exercises(site: Site, folder: Path | None, marks: Marks, render: Renderer) -> str:
    """The page of the exercises of the site's lessons.

    Args:
        folder: the learner's, or None.
    """
    links = Links(site, "exercises.html", EXAMPLES / "exercises")
    its_sheets = _sheets(site.lessons)
    if not its_sheets:
        text = "<p>The lessons that are there have none.</p>"
    elif folder is None:
        numbers = [sheet.number for sheet in its_sheets]
        which = "" if len(numbers) == len(sheets()) else f" {' '.join(numbers)}"
        text = (
            f"<p>Make a copy to work in: <code>{RUN} start mine{which}</code>. Write the functions "
            f"there with any editor, and ask what is right: <code>{RUN} check {numbers[0]}</code>. "
            f"<code>python -m minigrad course{which} --exercises mine</code> shows on this page how far "
            f"you are.</p>"
        )
    else:
        right = sum(mark.state == RIGHT for mark in marks.values())
        text = (
            f"<p>{right} of {len(marks)} are right, in <code>{escape(str(folder.resolve()))}</code>. "
            f"Load this page again after you have saved a file.</p>"
        )
    parts = []
    for sheet in its_sheets:
        lesson = links.lesson(sheet.file.partition("_")[0])
        title, about = escape(sheet.title), _docstrings(sheet)
        items = "".join(
            _exercise(exercise, about[exercise.name], marks.get(exercise.name), render)
            for exercise in sheet.exercises.values()
        )
        parts.append(
            f'<section><h2 id="{sheet.number}">{sheet.number} '
            f'<a href="{lesson}">{title}</a></h2><ul class="exercises">{items}</ul></section>'
        )
    return page("Exercises", f"<h1>Exercises</h1>{text}{''.join(parts)}", links)


def _exercise(exercise: Exercise, about: str, mark: Mark | None, render: Renderer) -> str:
    state = "" if mark is None or mark.state == MISSING else mark.state
    says = ""
    if mark is not None and mark.state not in (RIGHT, NOT_BEGUN):
        shows = (
            f"<pre class='printed'>{escape(chr(10).join(mark.shows))}</pre>" if mark.shows else ""
        )
        says = f"<p>{escape(mark.says)}</p>{shows}"
    if state == RIGHT:
        says = "".join(f"<p>{render.markdown.renderInline(one)}</p>" for one in exercise.paragraphs)
    hints = "".join(f"<li>{render.markdown.renderInline(hint)}</li>" for hint in exercise.hints)
    first, _, rest = about.partition("\n")
    todo = "repair" if exercise.story else "write"
    todo_text = f"{exercise.name}{inspect.signature(exercise.solution)}\n\n{rest.strip(chr(10))}"
    points = f"{exercise.points} point{'s' * (exercise.points > 1)}"
    return (
        f'<li><code>{exercise.name}</code> <b class="state" data-state="{state}">{state}</b> '
        f"{render.markdown.renderInline(first)} <span class='quiet'>{points}</span>{says}"
        f"<details><summary>what to {todo}</summary><pre>{escape(todo_text)}</pre></details>"
        f"<details><summary>hints</summary><ol>{hints}</ol></details></li>"
    )


def _docstrings(sheet: Sheet) -> dict[str, str]:
    """Return what each function is to do, as it is handed out."""
    definitions = read_learner_file(EXERCISES / sheet.file).tree.body
    return {
        one.name: ast.get_docstring(one) or ""
        for one in definitions
        if isinstance(one, ast.FunctionDef)
    }
