"""The pages that show a file: a lesson as it ran, source, text."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..folders import ROOT
from ..questions import Question
from .addresses import Links, Site
from .cells import HEADING, Cell, sections
from .cells import cells as cells_of
from .forms import form, prediction_in, question_in
from .lesson import Lesson
from .markdown import Renderer
from .running import cells_that_ran
from .source_links import uses

DRAWS = "    from matplotlib import pyplot as plt"  # a cell that says how a picture is drawn
REFERENCE = "reference/index.html"
ALONE = (  # of a script that a page loads: says why much is missing where the page lies by itself
    "onerror=\"document.documentElement.prepend('This page lies by itself, without the files of the "
    "course: put the whole folder, or its zip, where it lies.')\""
)
SCRIPTS = {"course.js": f" {ALONE}", "forms.js": " defer"}  # light or dark before anything is drawn
OF_LESSONS = {"present.js": " defer"}
SECONDS = re.compile(r" About \d+ seconds\.\*")  # to run: the page has run
LAST = "print(pictures)"  # for whoever runs a lesson as a script


def lesson_page(
    lesson: Lesson, at: Path | None, exercises: Sequence[str], site: Site, render: Renderer
) -> str:
    """The page of a lesson.

    Args:
        at: the folder that it ran in; None if it has not.
        exercises: the names of its functions to write.
    """
    links = Links(site, f"{lesson.path.stem}.html", lesson.path.parent)
    names = uses(lesson.text) if site.source else {}
    cells = [
        cell
        for cell in sections(cells_that_ran(at) if at else cells_of(lesson.text))
        if cell.text != LAST
    ]
    show = _CellsAsHtml(lesson, cells, at, names, links, render)
    blocks: list[str] = []
    for title, its_cells in itertools.groupby(cells, key=lambda cell: cell.optional):
        shown = list(show(its_cells))
        if title:
            head, *shown = shown
            blocks.append(
                f'<details class="optional"><summary>{head}</summary>{"".join(shown)}</details>'
            )
        else:
            blocks += shown
    blocks[0] = blocks[0].replace("</em></p>", f"</em></p>{_facts(lesson, exercises)}", 1)
    used = "".join(
        f'<li><a href="{links.to(file, line)}"><code>{name}</code></a> in {file}</li>'
        for file, line, name in sorted((file, line, name) for name, (file, line) in names.items())
    )
    body = [
        *blocks,
        _further(lesson, exercises, links),
        f"<details><summary>What this lesson uses</summary><ul>{used}</ul></details>" * bool(used),
    ]
    return page(f"{lesson.number} {lesson.title}", "\n".join(body), links, lesson)


def _facts(lesson: Lesson, exercises: Sequence[str]) -> str:
    """The line below the title."""
    core, optional = lesson.minutes
    facts = [f"about {core:.0f} minutes to read"]
    if optional >= 0.5:
        facts.append(f"{optional:.0f} more with the optional parts")
    if exercises:
        facts.append(f'<a href="exercises.html#{lesson.number}">{len(exercises)} exercises</a>')
    return f'<p class="facts">{" · ".join(facts)}</p>'


def _further(lesson: Lesson, exercises: Sequence[str], links: Links) -> str:
    """List what there is to do after a lesson."""
    todo = [
        f'<li><a href="{address}">Step through it: {html.escape(title)}</a></li>'
        for address, title in links.site.written.items()
        if address.startswith(f"out/{lesson.number}_")
    ]
    if exercises:
        written = ", ".join(f"<code>{name}</code>" for name in exercises)
        todo.append(
            f'<li><a href="exercises.html#{lesson.number}">Exercises</a>: write {written}</li>'
        )
    return (
        f'<section class="further"><h2>Further</h2><ul>{"".join(todo)}</ul></section>'
        if todo
        else ""
    )


class _CellsAsHtml:
    """Cells of a lesson as HTML: text, code with what it printed and drew, and questions."""

    def __init__(
        self,
        lesson: Lesson,
        cells: Sequence[Cell],
        at: Path | None,
        names: dict[str, tuple[str, int]],
        links: Links,
        render: Renderer,
    ):
        self.lesson, self.names, self.links, self.render = lesson, names, links, render
        self.at = at
        self.drawn = {Path(cell.picture).stem: cell.picture for cell in cells if cell.picture}

    def __call__(self, cells: Iterable[Cell]) -> Iterator[str]:
        """The cells of a section and of those below it; the heading that makes it optional stands
        alone. What follows a prediction waits for its answer, up to the next heading."""
        waits: list[str] = []
        for place, cell in enumerate(cells):
            if cell.kind == "markdown" and HEADING.match(cell.text.partition("\n")[0]):
                waits = []
            folded = cell.optional and not place
            for text in cell.text.split("\n", 1) if folded else (cell.text,):
                shown = self._one(cell._replace(text=text))
                yield f'<div data-waits="{" ".join(waits)}">{shown}</div>' if waits else shown
            waits += filter(None, [prediction_in(self.lesson.number, cell.text)])

    def _one(self, cell: Cell) -> str:
        if cell.kind == "markdown":
            return self._prose(SECONDS.sub("*", cell.text))
        if question := question_in(self.lesson.number, cell.text):
            return self._question(*question)
        code = self.render.code(cell.text, self.names, self.links)
        if DRAWS in cell.text:
            code = f"<details><summary>how it is drawn</summary>{code}</details>"
        if cell.printed:
            code += f'<pre class="printed">{html.escape(cell.printed)}</pre>'
        if cell.picture and self.at:
            code += _picture(cell.picture, self.at)
        return code

    def _question(self, name: str, question: Question) -> str:
        """A question as a form; of a lesson that the site lacks, it is folded away."""
        shown = form(name, question, self._prose, self.drawn)
        number = name.partition("/")[0]
        if number == self.lesson.number or self.links.lesson(number):
            return shown
        head = f"A question of lesson {number}, which is not on this site"
        return f"<details><summary>{head}</summary>{shown}</details>"

    def _prose(self, text: str) -> str:
        return self.render.prose(text, self.links)


def _picture(address: str, at: Path) -> str:
    """A picture that a cell drew, in the folder that it ran in."""
    size = _size((at / address).read_text(encoding="utf-8"))
    return (
        f'<a class="picture" href="{address}" title="larger">'
        f'<img src="{address}" alt="{Path(address).stem}"{size} loading="lazy"></a>'
    )


def _size(picture: str) -> str:
    """The size of a picture in pixels, so that nothing moves when it comes."""
    size = re.search(r'<svg width="([\d.]+)pt" height="([\d.]+)pt"', picture)
    if size is None:
        return ""
    wide, high = (round(float(points) * 4 / 3) for points in size.groups())
    return f' width="{wide}" height="{high}"'


def file_page(file: Path, site: Site, render: Renderer) -> str:
    """The page of another file: text, or source in which each line has an anchor."""
    links = Links(site, site.page_of(file), file.parent)
    name, text = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        return page(name, render.prose(text, links), links)
    code = f'<h1 class="file">{name}</h1><div class="source">{render.source(text)}</div>'
    return page(name, code, links)


def page(title: str, body: str, links: Links, lesson: Lesson | None = None) -> str:
    """A page of the site.

    Args:
        body: what is on it, as HTML.
        lesson: that it shows; the pages before and after it are named on it.
    """
    places = {"Lessons": "index.html", "Exercises": "exercises.html"}
    if links.site.reference:
        places["Reference"] = REFERENCE
    nav = "".join(f'<a href="{links.local(to)}">{name}</a>' for name, to in places.items())
    way = "" if lesson is None else _way(lesson, links)
    scripts = "".join(
        f'<script src="{links.local(name)}"{how}></script>\n'
        for name, how in (SCRIPTS | (OF_LESSONS if lesson else {})).items()
    )
    number = f' data-lesson="{lesson.number}"' if lesson else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{html.escape(title)}</title>
<link rel="stylesheet" href="{links.local("course.css")}">
{scripts}</head>
<body{number}>
<header><nav aria-label="The course">{nav}</nav>
<button id="theme" title="light or dark (D)">◐</button></header>
<main>
{body}
</main>
{way}</body>
</html>
"""


def _way(lesson: Lesson, links: Links) -> str:
    """To the lessons before and after a lesson."""
    lessons = [None, *links.site.lessons, None]
    place = lessons.index(lesson)
    ways = {"prev": lessons[place - 1], "next": lessons[place + 1]}
    to = "".join(
        f'<a rel="{which}" href="{one.path.stem}.html">{one.number} {html.escape(one.title)}</a>'
        for which, one in ways.items()
        if one is not None
    )
    return f'<footer><nav class="way" aria-label="Lessons before and after">{to}</nav></footer>\n'
