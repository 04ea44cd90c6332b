"""The site, built: the lessons run beside each other, and then every page is written."""

from __future__ import annotations

import contextlib
import functools
import html
import importlib.metadata
import itertools
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from ... import errors
from ...system.working import working
from ..folders import EXAMPLES, EXERCISES, PACKAGES, ROOT
from ..lessons import running
from ..lessons.addresses import Site
from ..lessons.lesson import Lesson, lessons
from ..lessons.markdown import Renderer
from ..lessons.running import cells_that_ran, execute
from . import front
from .cache import digest, home, kept_folder, sweep
from .preview import Preview, Say
from .side_by_side import SideBySide
from .site_folder import SiteFolder, copied

TEMPLATES = Path(__file__).with_name("pdoc-theme")
# Packages whose versions change what lessons print and draw, and what the reference says.
VERSIONS_COUNT = ("numpy", "matplotlib", "pygraphviz", "graphviz", "pdoc", "pytest")
IMPORT = {  # libraries that are not needed, and the modules (as patterns) that import them at once
    "pytest": r"minigrad\.course\.exercises\.collecting",
    "torch": r"minigrad\.aten\.",
}
PARTS = (".py", ".js", ".css", ".html")  # of the pages that lessons write
# Folders of the course that lessons do without; `_files_of` has what one of them uses all the same.
OWN = ("exercises", "lessons", "site")
# As `python -m pdoc` does, a quarter faster: what is read is needed until the end, so nothing is freed.
PDOC = "import gc; gc.disable(); import pdoc.__main__ as pdoc; pdoc.cli()"
STOPPING = "stopping as soon as the lessons that run have ended; they are kept"


def build(
    site_lessons: Sequence[Lesson],
    folder: Path,
    learner: Path | None = None,
    say: Say = lambda line: None,
    with_reference: bool = True,
    preview: Preview | None = None,
) -> SiteFolder:
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
        The folder, with what there is to be read.

    Raises:
        ConfigError: if what renders is not installed, or, without a preview, a lesson fails.
    """
    render = Renderer()
    reference, places = _run_all(site_lessons, say, with_reference, preview)
    site = Site(site_lessons, reference is not None, source=with_reference)
    to = SiteFolder(folder, site, learner, render)
    left_out = ["the reference (no pdoc)"] if with_reference and not reference else []
    for at in places.values():
        to.copy_outputs(at)
        for page in sorted((at / "out").glob("*.html")):
            site.written[f"out/{page.name}"] = _title(page)
        left_out += _without(at)
    if reference:
        shutil.copytree(reference, folder / "reference", copy_function=copied, dirs_exist_ok=True)
    for lesson, at in places.items():
        to.write_lesson(lesson, at)
    for lesson, note in preview.failed.items() if preview else ():
        to.write_lesson(lesson, None, note)
    to.write_front()
    to.write_idioms()
    done: set[Path] = set()
    while waiting := sorted(site.asked.keys() - done):  # a page may link to further files
        for file in waiting:
            to.write_file(file)
        done.update(waiting)
    left_out += [file.name for file in front.GUIDES if not file.is_file()]
    to.write_scripts()
    if left_out:
        what = ", ".join(dict.fromkeys(left_out))
        say(f'left out: {what}; pip install -e ".[course]" in a clone brings what is missing')
    return to


def _run_all(
    site_lessons: Sequence[Lesson], say: Say, with_reference: bool, preview: Preview | None
) -> tuple[Path | None, dict[Lesson, Path]]:
    """Run lessons beside each other, and pdoc: the folder of the reference, if wanted and possible, and
    that of each lesson that did not fail."""
    keep = functools.partial(_kept_lesson, _common(), say, itertools.count(1), len(site_lessons))
    run = keep if preview is None else functools.partial(preview.show, keep, say)
    order = (
        site_lessons if preview else sorted(site_lessons, key=lambda lesson: -(lesson.seconds or 0))
    )
    try:
        with SideBySide(run, order) as runs:
            if preview is not None:
                preview.run_now = runs.now
                for lesson in [*preview.asked]:
                    runs.now(lesson)
            # It takes about as long as the slowest lesson, and begins beside it, unless somebody waits.
            pool = runs.at_once if preview is None else runs.in_turn
            last = pool.submit(_kept_reference, with_reference, say)
            places = {lesson: runs.result(lesson) for lesson in order}
            reference = last.result()
    except KeyboardInterrupt:
        if preview is None:
            say(STOPPING)
        raise
    sweep(home())
    return reference, {lesson: at for lesson in site_lessons if (at := places[lesson]) is not None}


def _common() -> str:
    """The digest of what each lesson is run with."""
    used = [file for file in _sources(PARTS) if not set(OWN) & set(file.relative_to(ROOT).parts)]
    others = sorted(set(EXAMPLES.glob("*.py")) - {lesson.path for lesson in lessons()})
    return digest([*_surroundings(), *used, *others, Path(running.__file__)])


def _kept_lesson(common: str, say: Say, count: Iterator[int], total: int, lesson: Lesson) -> Path:
    """The folder in which a lesson ran, now or before."""
    seconds: list[float] = []
    content = digest([common, *_files_of(lesson)])
    at = kept_folder(
        lesson.number, content, lambda folder: seconds.append(_run(lesson, folder)), home()
    )
    done = next(count)  # those that ran before count, too
    if seconds:
        say(f"{lesson.number} {lesson.title}  {seconds[0]:.0f} s, {done} of {total}")
    return at


def _files_of(lesson: Lesson) -> list[Path]:
    """The files that one lesson is run with, beside those of all."""
    files = [lesson.path, EXAMPLES / "questions" / f"{lesson.number}.py"]
    if "course.exercises" in lesson.text:
        folders = ROOT / "minigrad" / "course" / "exercises", EXERCISES
        files += sorted(file for folder in folders for file in folder.rglob("*.py"))
    return files


def _kept_reference(wanted: bool, say: Say) -> Path | None:
    """The folder of the reference, if it is wanted and possible."""
    if not wanted or find_spec("pdoc") is None:
        return None
    content = digest([*_surroundings(), *_sources(), *sorted(TEMPLATES.iterdir())])
    with working("the reference"):
        return kept_folder("reference", content, lambda folder: _reference(folder, say), home())


def _sources(suffixes: Sequence[str] = (".py",)) -> list[Path]:
    """The modules of both packages, or other files of theirs."""
    files = (file for name in PACKAGES for file in sorted((ROOT / name).rglob("*")))
    return [file for file in files if file.suffix in suffixes]


def _surroundings() -> list[str]:
    """List what a page is made with, beside the files."""
    facts = [f"python {sys.version}", f"dot {shutil.which('dot')}"]
    for name in VERSIONS_COUNT:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            facts.append(f"{name} {importlib.metadata.version(name)}")
    return facts


def _run(lesson: Lesson, folder: Path) -> float:
    """Run a lesson; returns the seconds that it took."""
    started = time.perf_counter()
    (folder / "out").mkdir()
    with working(f"{lesson.number} {lesson.title}"):
        execute(lesson, folder)
    return time.perf_counter() - started


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
            "-c",
            PDOC,
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


def _title(page: Path) -> str:
    """The title of a page that a lesson wrote."""
    title = re.search(r"<title>(.*?)</title>", page.read_text(encoding="utf-8"), re.S)
    return html.unescape(title[1]) if title else page.stem


def _without(folder: Path) -> list[str]:
    """List what a lesson that ran there could not draw, as it says itself."""
    *_, last = cells_that_ran(folder)
    return [f"what {name} draws" for name in re.findall(r"\(no (\w+)\)", last.printed)]
