"""The site, built: the lessons run beside each other, and then every page is written."""

from __future__ import annotations

import contextlib
import html
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from ... import errors
from ...disk import write_whole
from ..lessons import forms
from ..lessons.addresses import Site
from ..lessons.lesson import Lesson, lessons
from ..lessons.markdown import Renderer
from ..lessons.notebooks import executed, read, written
from ..lessons.pages import PACKAGES, file_page, lesson_page
from ..places import EXAMPLES, ROOT
from . import front
from .idioms import PAGE, idioms_page
from .kept import digest, home, kept, sweep

HERE = Path(__file__).parent
TEMPLATES = HERE / "pdoc-theme"
MATTER = (  # to what is made
    "numpy", "matplotlib", "pygraphviz", "graphviz", "ipykernel", "pdoc", "pytest",
)  # fmt: skip
IMPORT = {  # libraries that are not needed, and the modules (as patterns) that import them at once
    "pytest": r"minigrad\.course\.exercises\.collecting",
    "torch": r"minigrad\.aten\.",
}
OWN = ("exercises", "lessons", "site")  # of the course's folders: no lesson imports them

Say = Callable[[str], object]


def build(
    some: Sequence[Lesson],
    folder: Path,
    learner: Path | None = None,
    say: Say = lambda line: None,
    with_reference: bool = True,
) -> Site:
    """Run lessons and write the site into a folder. What is there stays, where nothing replaces it.

    Nothing on the pages comes from a network: formulas are MathML, pictures and fonts are there.

    Args:
        learner: the folder of a learner's exercises, whose state is shown.
        say: is told of each page that took long, and in the end of what was left out.
        with_reference: whether the reference of the packages is made too.

    Returns:
        What there is to be read.

    Raises:
        ConfigError: if what renders is not installed, or a lesson fails.
    """
    render = Renderer()
    reference, ran = _made(some, say, with_reference)
    site = Site(some, reference is not None)
    left_out = ["the reference (no pdoc)"] if with_reference and not reference else []
    for at in ran.values():
        shutil.copytree(at / "out", folder / "out", copy_function=_copied, dirs_exist_ok=True)
        for page in sorted((at / "out").glob("*.html")):
            site.written[f"out/{page.name}"] = _title(page)
        left_out += _without(at)
    if reference:
        shutil.copytree(reference, folder / "reference", copy_function=_copied, dirs_exist_ok=True)
    for lesson, at in ran.items():
        shown = lesson_page(lesson, at, front.exercises_of(lesson), site, render)
        written(folder / site.page_of(lesson.path), shown)
    write_front(site, folder, learner, render)
    written(folder / PAGE, idioms_page(site))
    done: set[Path] = set()
    while waiting := sorted(site.asked.keys() - done):  # a page may link to further files
        for file in waiting:
            page = folder / site.asked[file]
            if page.suffix == ".html":
                written(page, file_page(file, site, render))
            else:
                page.parent.mkdir(parents=True, exist_ok=True)
                _copied(file, page)
        done.update(waiting)
    left_out += [file.name for file in front.GUIDES if not file.is_file()]
    written(folder / "course.css", f"{render.style()}\n{_text('course.css')}\n{forms.style()}")
    written(folder / "course.js", _text("course.js"))
    written(folder / "forms.js", forms.script())
    if left_out:
        what = ", ".join(dict.fromkeys(left_out))
        say(f'left out: {what}; pip install -e ".[course]" in a clone brings what is missing')
    return site


def write_front(site: Site, folder: Path, learner: Path | None, render: Renderer) -> None:
    """Write the pages that show how far a learner is."""
    marks = front.marks_of(learner)
    written(folder / "index.html", front.index(site, marks))
    written(folder / "exercises.html", front.exercises(site, learner, marks, render))


def _made(
    some: Sequence[Lesson], say: Say, with_reference: bool
) -> tuple[Path | None, dict[Lesson, Path]]:
    """The folder of the reference, if wanted and possible, and that of each lesson that ran."""
    packages = _sources()
    used = [file for file in packages if not set(OWN) & set(file.relative_to(ROOT).parts)]
    others = sorted(set(EXAMPLES.glob("*.py")) - {lesson.path for lesson in lessons()})
    common = digest([*_surroundings(), *used, *others])

    def ran(lesson: Lesson) -> Path:
        of = digest([common, lesson.path, EXAMPLES / "questions" / f"{lesson.number}.py"])
        return kept(lesson.number, of, lambda folder: _run(lesson, folder, say), home())

    def reference() -> Path | None:
        if not with_reference or find_spec("pdoc") is None:
            return None
        of = digest([*_surroundings(), *packages, *sorted(TEMPLATES.iterdir())])
        return kept("reference", of, lambda folder: _reference(folder, say), home())

    pool = ThreadPoolExecutor(os.cpu_count() or 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the machinery, about its own parts
            slowest = sorted(some, key=lambda lesson: -(lesson.seconds or 0))
            runs = {lesson: pool.submit(ran, lesson) for lesson in slowest}
            other = pool.submit(reference)
            made = other.result(), {lesson: runs[lesson].result() for lesson in some}
    except KeyboardInterrupt:
        say("stopping as soon as the lessons that run have ended; they are kept")
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    sweep(home())
    return made


def _sources() -> list[Path]:
    """The modules of both packages."""
    return [file for name in PACKAGES for file in sorted((ROOT / name).rglob("*.py"))]


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
    done = subprocess.run(
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
    if done.returncode:
        *_, last = done.stderr.splitlines() or ["for no reason that it told"]
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
    found = re.search(r"<title>(.*?)</title>", page.read_text(encoding="utf-8"), re.S)
    return html.unescape(found[1]) if found else page.stem


def _without(folder: Path) -> list[str]:
    """List what a lesson that ran there could not draw, as it says itself."""
    *_, last = read(folder)
    printed = "".join(output.get("text", "") for output in last.outputs)
    return [f"what {name} draws" for name in re.findall(r"\(no (\w+)\)", printed)]


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
