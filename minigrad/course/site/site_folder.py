"""The folder that a site is written into, and how each of its pages comes there."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ...system.disk import write_whole
from ..folders import EXAMPLES
from ..lessons import forms
from ..lessons.addresses import Site
from ..lessons.lesson import Lesson
from ..lessons.markdown import Renderer
from ..lessons.notebooks import write_text
from ..lessons.pages import ALONE, file_page, lesson_page
from . import front
from .cache import digest
from .idioms import PAGE, idioms_page

HERE = Path(__file__).parent
SCRIPT = re.compile(r"<script>(.{10000,}?)</script>", re.S)  # of a page that a lesson writes
LINK = re.compile(r'\{"title":"([^"]*)","address":"[^"]*/(\w+\.py)"\}')
# What such a page may load: alone, and in a site.
LOADS = ("script-src 'unsafe-inline'", "script-src 'unsafe-inline' 'self' file:")


@dataclass
class SiteFolder:
    """A folder that a site is written into. What is there stays, where nothing replaces it.

    Attributes:
        site: what there is to be read.
        learner: the folder of a learner's exercises, whose state is shown.
    """

    path: Path
    site: Site
    learner: Path | None
    render: Renderer

    def write_front(self) -> None:
        """Write the pages that show how far a learner is."""
        marks = front.marks_of(self.learner, self.site.lessons)
        write_text(self.path / "index.html", front.index(self.site, self.path, marks, self.render))
        exercises = front.exercises(self.site, self.learner, marks, self.render)
        write_text(self.path / "exercises.html", exercises)

    def write_idioms(self) -> None:
        """Write the page of what to write instead of other libraries."""
        write_text(self.path / PAGE, idioms_page(self.site))

    def write_lesson(self, lesson: Lesson, at: Path | None, note: str = "") -> None:
        """Write the page of a lesson that ran in `at`; with None, without what its cells print and draw,
        under a note."""
        page = lesson_page(lesson, at, front.exercises_of(lesson), self.site, self.render)
        write_text(
            self.path / self.site.page_of(lesson.path), page.replace("</h1>", f"</h1>{note}", 1)
        )

    def write_file(self, file: Path) -> None:
        """Write the page of a file of the project that something links to, or a copy of it."""
        page = self.path / self.site.asked[file]
        if page.suffix == ".html":
            write_text(page, file_page(file, self.site, self.render))
        else:
            page.parent.mkdir(parents=True, exist_ok=True)
            copied(file, page)

    def write_scripts(self) -> None:
        """Write the styles and scripts that all pages share."""
        style = f"{self.render.style()}\n{_text('course.css')}\n{forms.style()}"
        write_text(self.path / "course.css", style)
        for name in ("course.js", "present.js"):
            write_text(self.path / name, _text(name))
        write_text(self.path / "forms.js", forms.script())

    def copy_outputs(self, at: Path) -> None:
        """Copy the pictures and pages that a lesson wrote where it ran.

        The script of the pages, most of each, is the same for nearly all: it becomes a file that they
        load, so that the site is smaller by a quarter. What leads to lessons leads to their pages.
        """

        def lead(link: re.Match[str]) -> str:
            page = self.site.page_of(EXAMPLES / link[2])
            return f'{{"title":"{link[1]}","address":"../{page}"}}' if page else "null"

        to = self.path / "out"
        shutil.copytree(at / "out", to, copy_function=copied, dirs_exist_ok=True)
        for page in sorted((at / "out").glob("*.html")):
            text = page.read_text(encoding="utf-8")
            for script in SCRIPT.findall(text):
                name = f"page-{digest([script])[:8]}.js"
                write_text(to / name, script)
                text = text.replace(
                    f"<script>{script}</script>", f'<script src="{name}" {ALONE}></script>'
                )
            write_text(to / page.name, LINK.sub(lead, text).replace(*LOADS))


def copied(source: str | os.PathLike, target: str | os.PathLike) -> None:
    """Copy a file, whole or not at all."""
    with open(source, "rb") as file:
        write_whole(target, lambda copy: shutil.copyfileobj(file, copy))


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
