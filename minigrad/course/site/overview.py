"""The map of what builds on what, and paths through it.

Both are tables of `examples/README.md`: what a lesson builds on stands in its row, and the lessons of a
path in that of the path. Here they are read, drawn and linked.
"""

from __future__ import annotations

import functools
import html
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...views.drawing.dot import quoted
from ...views.drawing.rendering import rendered
from ..folders import EXAMPLES
from ..lessons.addresses import Links
from ..lessons.lesson import Lesson
from ..lessons.markdown import Renderer

CHOOSE = """Choose a path: it stands out in the map and in the list of lessons, and the end of each of
its lessons leads to the next one."""
ARROWS = """An arrow leads from a lesson to one that builds on it. What follows from other arrows has
none of its own."""
WRAPPED = 19  # letters of a line, where the map has titles
TABLES = EXAMPLES / "README.md"
NUMBER = r"\d\d[a-z]?"
# The row of a lesson: what it builds on comes last.
ROW = re.compile(rf"^\| \[({NUMBER}) .*\| (.*?) ?\|$", re.M)
PATH = re.compile(rf"^\| ([^|[]+) \| ([^|]+) \| ({NUMBER}(?: {NUMBER})*) \|$", re.M)

# Colours come from the page's style, so that the map is light or dark with it.
DRAWN = """digraph map {{
  graph [bgcolor=transparent, ranksep={gap}, nodesep={gap}, pad=0.05];
  node [shape=box, style=rounded, fontname=Helvetica, fontsize={size}, margin="0.1,0.06", height=0.3,
    width=0.3];
  edge [arrowsize=0.6];
{lines}
}}"""


class Path(NamedTuple):
    """A path: its name, for whom it is, and the numbers of its lessons in the order of reading."""

    name: str
    about: str
    numbers: tuple[str, ...]


@functools.cache
def builds_on() -> dict[str, tuple[str, ...]]:
    """Map the number of each lesson to those of the lessons that it builds on."""
    rows = ROW.findall(TABLES.read_text(encoding="utf-8"))
    return {number: tuple(re.findall(NUMBER, before)) for number, before in rows}


@functools.cache
def paths() -> tuple[Path, ...]:
    """The paths."""
    rows = PATH.findall(TABLES.read_text(encoding="utf-8"))
    return tuple(Path(name, about, tuple(numbers.split())) for name, about, numbers in rows)


def before(number: str) -> set[str]:
    """The numbers of all lessons that one builds on, directly or not."""
    direct = builds_on().get(number, ())
    return set(direct).union(*map(before, direct))


def arrows(numbers: Iterable[str]) -> list[tuple[str, str]]:
    """The fewest pairs, of a lesson and one that builds on it, from which all others follow."""
    lessons = list(numbers)
    behind = {number: before(number) & set(lessons) for number in lessons}
    return [
        (one, number)
        for number in lessons
        for one in sorted(behind[number])
        if not any(one in behind[other] for other in behind[number])
    ]


def overview(lessons: Sequence[Lesson], links: Links, render: Renderer) -> str:
    """The paths, each with links to its lessons, and the map of the lessons, as HTML.

    Where there is no Graphviz, the map is left out.
    """
    listed = "".join(_path(path, lessons, links, render) for path in paths())
    titles = {s.number: "\n".join(textwrap.wrap(f"{s.number} {s.title}", WRAPPED)) for s in lessons}
    drawn = {
        "wide": _drawn(lessons, links, titles, size=12, gap=0.2),
        "narrow": _drawn(lessons, links, {s.number: s.number for s in lessons}, size=15, gap=0.25),
    }
    shown = "".join(f'<div class="map {name}">{svg}</div>' for name, svg in drawn.items() if svg)
    return (
        bool(listed or shown) * '<h2 id="paths">What builds on what</h2>\n'
        + bool(listed) * f'<p>{CHOOSE}</p>\n<ul class="paths">{listed}</ul>\n'
        + bool(shown) * f"<p>{ARROWS}</p>\n{shown}\n"
    )


def _path(path: Path, lessons: Sequence[Lesson], links: Links, render: Renderer) -> str:
    """A line of the list of paths; nothing of one whose lessons are not all there."""
    there = {lesson.number: lesson for lesson in lessons}
    if not set(path.numbers) <= there.keys():
        return ""
    hours = sum(there[number].minutes[0] for number in path.numbers) / 60
    to = " ".join(f'<a href="{links.lesson(number)}">{number}</a>' for number in path.numbers)
    about = render.prose(path.about, links).strip().removeprefix("<p>").removesuffix("</p>")
    return (
        f'<li><button aria-pressed="false">{html.escape(path.name)}</button> '
        f'<span class="quiet">{hours:.1f} hours to read. {about}</span> '
        f'<span class="numbers">{to}</span></li>\n'
    )


def _drawn(
    lessons: Sequence[Lesson], links: Links, labels: Mapping[str, str], size: int, gap: float
) -> str:
    """The map as SVG, or "" without Graphviz."""
    lines = [
        f'  "{s.number}" [label={quoted(labels[s.number])}, URL="{links.lesson(s.number)}", '
        f'tooltip={quoted(f"{s.number} {s.title}")}, class="n{s.number}"];'
        for s in lessons
    ]
    lines += [f'  "{one}" -> "{other}" [class="n{one} n{other}"];' for one, other in arrows(labels)]
    return _svg(DRAWN.format(lines="\n".join(lines), size=size, gap=gap))


@functools.lru_cache(maxsize=8)  # the front is written again whenever a learner saves a file
def _svg(dot: str) -> str:
    """DOT as SVG to stand within a page, without the names by which Graphviz calls its parts."""
    svg = (rendered(dot, "svg") or b"").decode()
    svg = re.sub(r"<!--.*?-->\n?|<title>.*?</title>\n?", "", svg, flags=re.S)
    return re.sub(r' id="[^"]*"| font-family="[^"]*"', "", svg[max(svg.find("<svg"), 0) :])
