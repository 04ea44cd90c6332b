"""The site, built: the lessons run beside each other, and then every page is written."""

from __future__ import annotations

import contextlib
import functools
import html
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from ... import errors
from ...system.disk import write_whole
from ...system.working import working
from ..folders import EXAMPLES, PACKAGES, ROOT
from ..lessons import forms, running
from ..lessons.addresses import Site
from ..lessons.lesson import Lesson, LessonFails, lessons
from ..lessons.markdown import Renderer
from ..lessons.notebooks import written
from ..lessons.pages import ALONE, file_page, lesson_page
from ..lessons.running import executed, ran
from . import front
from .cache import digest, home, kept, sweep
from .idioms import PAGE, idioms_page
from .side_by_side import SideBySide

HERE = Path(__file__).parent
TEMPLATES = HERE / "pdoc-theme"
MATTER = (  # to what is made
    "numpy", "matplotlib", "pygraphviz", "graphviz", "pdoc", "pytest",
)  # fmt: skip
IMPORT = {  # libraries that are not needed, and the modules (as patterns) that import them at once
    "pytest": r"minigrad\.course\.exercises\.collecting",
    "torch": r"minigrad\.aten\.",
}
PARTS = (".py", ".js", ".css", ".html")  # of the pages that lessons write
SCRIPT = re.compile(r"<script>(.{10000,}?)</script>", re.S)  # of a page that a lesson writes
LINK = re.compile(r'\{"title":"([^"]*)","address":"[^"]*/(\w+\.py)"\}')
# What such a page may load: alone, and in a site.
LOADS = ("script-src 'unsafe-inline'", "script-src 'unsafe-inline' 'self' file:")
OWN = ("exercises", "lessons", "site")  # of the course's folders: no lesson imports them

RUNNING = """<p class="running">This lesson runs now, for the first time on this machine. What its cells
print and draw joins it here.</p>"""
FAILED = """<p class="running">This lesson does not run to its end on this machine: <code>{why}</code>.
Here it is without what its cells print and draw.</p>"""
STOPPING = "stopping as soon as the lessons that run have ended; they are kept"

Say = Callable[[str], object]


def build(
    some: Sequence[Lesson],
    folder: Path,
    learner: Path | None = None,
    say: Say = lambda line: None,
    with_reference: bool = True,
    preview: Preview | None = None,
) -> Site:
    """Run lessons and write the site into a folder. What is there stays, where nothing replaces it.

    Nothing on the pages comes from a network: formulas are MathML, pictures and fonts are there.

    Args:
        learner: the folder of a learner's exercises, whose state is shown.
        say: is told of each page that took long, and in the end of what was left out.
        with_reference: whether the reference of the packages is made too, and pages of their source.
        preview: what is shown meanwhile: it gets each lesson as soon as it has run. The one whose page
            is asked for runs at once then, and the others in the order in which they are read; else
            the slowest first. One that fails is named, and shown as it is before it has run: nobody
            loses the others by it.

    Returns:
        What there is to be read.

    Raises:
        ConfigError: if what renders is not installed, or, without a preview, a lesson fails.
    """
    render = Renderer()
    reference, places = _run_all(some, say, with_reference, preview)
    site = Site(some, reference is not None, source=with_reference)
    left_out = ["the reference (no pdoc)"] if with_reference and not reference else []
    for at in places.values():
        _copy_written(at, folder, site)
        for page in sorted((at / "out").glob("*.html")):
            site.written[f"out/{page.name}"] = _title(page)
        left_out += _without(at)
    if reference:
        shutil.copytree(reference, folder / "reference", copy_function=_copied, dirs_exist_ok=True)
    for lesson, at in places.items():
        shown = lesson_page(lesson, at, front.exercises_of(lesson), site, render)
        written(folder / site.page_of(lesson.path), shown)
    for lesson, note in preview.failed.items() if preview else ():
        _write_without(lesson, note, folder, site, render)
    write_front(site, folder, learner, render)
    written(folder / PAGE, idioms_page(site))
    done: set[Path] = set()
    while waiting := sorted(site.asked.keys() - done):  # a page may link to further files
        for file in waiting:
            _write_file(file, folder / site.asked[file], site, render)
        done.update(waiting)
    left_out += [file.name for file in front.GUIDES if not file.is_file()]
    _write_scripts(folder, render)
    if left_out:
        what = ", ".join(dict.fromkeys(left_out))
        say(f'left out: {what}; pip install -e ".[course]" in a clone brings what is missing')
    return site


class Preview:
    """The site before it is built: the front, and pages of lessons that have not run.

    Attributes:
        site: what there will be to read. Without the reference, there will be no source either.
        asked: the lessons whose pages were asked for.
        run_now: is told of each.
        failed: what the page of a lesson that does not run to its end says about it.
        stopped: is set when no further lesson is to run.

    Raises:
        ConfigError: if what renders is not installed.
    """

    def __init__(
        self,
        some: Sequence[Lesson],
        folder: Path,
        learner: Path | None,
        with_reference: bool = True,
    ):
        self.site, self.render = Site(some, source=with_reference), Renderer()
        self.folder, self.learner = folder, learner
        self.asked: set[Lesson] = set()
        self.run_now: Callable[[Lesson], object] = lambda lesson: None
        self.failed: dict[Lesson, str] = {}
        self.one_at_a_time, self.stopped = threading.Lock(), threading.Event()
        write_front(self.site, folder, learner, self.render)
        _write_scripts(folder, self.render)

    def write(self, address: str) -> None:
        """Write a page that something links to, if there is none yet: that of a lesson without what
        its cells print and draw."""
        lessons = {self.site.page_of(lesson.path): lesson for lesson in self.site.lessons}
        if address in lessons:
            self.asked.add(lessons[address])
            self.run_now(lessons[address])
        with self.one_at_a_time:
            files = {page: file for file, page in self.site.asked.items()}
            if (self.folder / address).exists():
                return
            if address in lessons:
                _write_without(lessons[address], RUNNING, self.folder, self.site, self.render)
            elif address in files:
                _write_file(files[address], self.folder / address, self.site, self.render)

    def show(self, run: Callable[[Lesson], Path], say: Say, lesson: Lesson) -> Path | None:
        """Run a lesson and write its page; None if it fails, which the page says then."""
        if self.stopped.is_set():
            raise KeyboardInterrupt
        try:
            at = run(lesson)
        except LessonFails as problem:
            say(f"{problem}; its page is there all the same, without what its cells print and draw")
            self.fail(lesson, str(problem).partition(": ")[2])
            return None
        self.join(lesson, at)
        return at

    def fail(self, lesson: Lesson, why: str) -> None:
        """Write the page of a lesson that failed, and say so on it."""
        with self.one_at_a_time:
            self.failed[lesson] = FAILED.format(why=html.escape(why))
            _write_without(lesson, self.failed[lesson], self.folder, self.site, self.render)

    def join(self, lesson: Lesson, at: Path) -> None:
        """Write the page of a lesson that ran in `at`."""
        with self.one_at_a_time:
            _copy_written(at, self.folder, self.site)
            written(self.folder / self.site.page_of(lesson.path), self._page(lesson, at))
            if (at / front.LOOKED).is_file():
                write_front(self.site, self.folder, self.learner, self.render)

    def _page(self, lesson: Lesson, at: Path) -> str:
        return lesson_page(lesson, at, front.exercises_of(lesson), self.site, self.render)


def _write_without(lesson: Lesson, note: str, folder: Path, site: Site, render: Renderer) -> None:
    """Write the page of a lesson without what its cells print and draw, under a note."""
    page = lesson_page(lesson, None, front.exercises_of(lesson), site, render)
    written(folder / site.page_of(lesson.path), page.replace("</h1>", f"</h1>{note}", 1))


def _copy_written(at: Path, folder: Path, site: Site) -> None:
    """Copy the pictures and pages that a lesson wrote.

    The script of the pages, most of each, is the same for nearly all: it becomes a file that they load,
    so that the site is smaller by a quarter. What leads to lessons leads to their pages.
    """

    def lead(link: re.Match[str]) -> str:
        page = site.page_of(EXAMPLES / link[2])
        return f'{{"title":"{link[1]}","address":"../{page}"}}' if page else "null"

    shutil.copytree(at / "out", folder / "out", copy_function=_copied, dirs_exist_ok=True)
    for page in sorted((at / "out").glob("*.html")):
        text = page.read_text(encoding="utf-8")
        for script in SCRIPT.findall(text):
            name = f"page-{digest([script])[:8]}.js"
            written(folder / "out" / name, script)
            text = text.replace(
                f"<script>{script}</script>", f'<script src="{name}" {ALONE}></script>'
            )
        written(folder / "out" / page.name, LINK.sub(lead, text).replace(*LOADS))


def _write_file(file: Path, page: Path, site: Site, render: Renderer) -> None:
    """Write the page of a file of the project, or a copy of it."""
    if page.suffix == ".html":
        written(page, file_page(file, site, render))
    else:
        page.parent.mkdir(parents=True, exist_ok=True)
        _copied(file, page)


def _write_scripts(folder: Path, render: Renderer) -> None:
    """Write the styles and scripts that all pages share."""
    written(folder / "course.css", f"{render.style()}\n{_text('course.css')}\n{forms.style()}")
    for name in ("course.js", "present.js"):
        written(folder / name, _text(name))
    written(folder / "forms.js", forms.script())


def write_front(site: Site, folder: Path, learner: Path | None, render: Renderer) -> None:
    """Write the pages that show how far a learner is."""
    marks = front.marks_of(learner)
    written(folder / "index.html", front.index(site, folder, marks, render))
    written(folder / "exercises.html", front.exercises(site, learner, marks, render))


def _run_all(
    some: Sequence[Lesson], say: Say, with_reference: bool, preview: Preview | None
) -> tuple[Path | None, dict[Lesson, Path]]:
    """Run lessons beside each other, and pdoc: the folder of the reference, if wanted and possible, and
    that of each lesson that did not fail."""
    keep = functools.partial(_kept_lesson, _common(), say)
    run = keep if preview is None else functools.partial(preview.show, keep, say)
    order = some if preview else sorted(some, key=lambda lesson: -(lesson.seconds or 0))
    try:
        with SideBySide(run, order) as runs:
            if preview is not None:
                preview.run_now = runs.now
                for lesson in [*preview.asked]:
                    runs.now(lesson)
            last = runs.in_turn.submit(_kept_reference, with_reference, say)
            places = {lesson: runs.result(lesson) for lesson in order}
            reference = last.result()
    except KeyboardInterrupt:
        if preview is None:
            say(STOPPING)
        raise
    sweep(home())
    return reference, {lesson: at for lesson in some if (at := places[lesson]) is not None}


def _common() -> str:
    """The digest of what each lesson is run with."""
    used = [file for file in _sources(PARTS) if not set(OWN) & set(file.relative_to(ROOT).parts)]
    others = sorted(set(EXAMPLES.glob("*.py")) - {lesson.path for lesson in lessons()})
    return digest([*_surroundings(), *used, *others, Path(running.__file__)])


def _kept_lesson(common: str, say: Say, lesson: Lesson) -> Path:
    """The folder in which a lesson ran, now or before."""
    of = digest([common, lesson.path, EXAMPLES / "questions" / f"{lesson.number}.py"])
    return kept(lesson.number, of, lambda folder: _run(lesson, folder, say), home())


def _kept_reference(wanted: bool, say: Say) -> Path | None:
    """The folder of the reference, if it is wanted and possible."""
    if not wanted or find_spec("pdoc") is None:
        return None
    of = digest([*_surroundings(), *_sources(), *sorted(TEMPLATES.iterdir())])
    with working("the reference"):
        return kept("reference", of, lambda folder: _reference(folder, say), home())


def _sources(suffixes: Sequence[str] = (".py",)) -> list[Path]:
    """The modules of both packages, or other files of theirs."""
    files = (file for name in PACKAGES for file in sorted((ROOT / name).rglob("*")))
    return [file for file in files if file.suffix in suffixes]


def _surroundings() -> list[str]:
    """List what a page is made with, beside the files."""
    facts = [f"python {sys.version}", f"dot {shutil.which('dot')}"]
    for name in MATTER:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            facts.append(f"{name} {importlib.metadata.version(name)}")
    return facts


def _run(lesson: Lesson, folder: Path, say: Say) -> None:
    started = time.perf_counter()
    (folder / "out").mkdir()
    with working(f"{lesson.number} {lesson.title}"):
        executed(lesson, folder)
    say(f"{lesson.number} {lesson.title}  {time.perf_counter() - started:.0f} s")


def _reference(folder: Path, say: Say) -> None:
    """Write the reference of both packages, by pdoc.

    Raises:
        ConfigError: if that fails.
    """
    started = time.perf_counter()
    modules = sorted(
        {
            ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            for file in _sources()
        }
    )
    left_out = [f"!{name}" for library, name in IMPORT.items() if find_spec(library) is None]
    options = ["--docformat", "google", "--no-show-source", "--template-directory", str(TEMPLATES)]
    process = subprocess.run(
        [
            sys.executable,
            "-m",
            "pdoc",
            *options,
            "--output-directory",
            str(folder),
            *modules,
            *left_out,
        ],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    if process.returncode:
        *_, last = process.stderr.splitlines() or ["for no reason that it told"]
        raise errors.ConfigError(f"pdoc cannot make the reference: {last}")
    for page in [*folder.rglob("*.html"), *folder.glob("*.js")]:  # values of constants are shown
        text = page.read_text(encoding="utf-8")
        if str(ROOT) in text:
            page.write_text(text.replace(str(ROOT), "."), encoding="utf-8")
    say(f"reference  {time.perf_counter() - started:.0f} s")


def _copied(source: str | os.PathLike, target: str | os.PathLike) -> None:
    with open(source, "rb") as file:
        write_whole(target, lambda copy: shutil.copyfileobj(file, copy))


def _title(page: Path) -> str:
    """The title of a page that a lesson wrote."""
    title = re.search(r"<title>(.*?)</title>", page.read_text(encoding="utf-8"), re.S)
    return html.unescape(title[1]) if title else page.stem


def _without(folder: Path) -> list[str]:
    """List what a lesson that ran there could not draw, as it says itself."""
    *_, last = ran(folder)
    return [f"what {name} draws" for name in re.findall(r"\(no (\w+)\)", last.printed)]


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
