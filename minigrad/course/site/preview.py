"""The site before it is built: the front, and lessons that have not run, which run when asked for."""

from __future__ import annotations

import html
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from ..lessons.addresses import Site
from ..lessons.lesson import Lesson, LessonFails
from ..lessons.markdown import Renderer
from . import front
from .site_folder import SiteFolder

RUNNING = """<p class="running">This lesson runs now, for the first time on this machine. What its cells
print and draw joins it here.</p>"""
FAILED = """<p class="running">This lesson does not run to its end on this machine: <code>{why}</code>.
Here it is without what its cells print and draw.</p>"""

Say = Callable[[str], object]


class Preview:
    """The site before it is built: the front, and pages of lessons that have not run.

    Attributes:
        folder: where it is written. Without the reference, there will be no source either.
        asked: the lessons whose pages were asked for.
        run_now: is told of each.
        failed: what the page of a lesson that does not run to its end says about it.
        stopped: is set when no further lesson is to run.

    Raises:
        ConfigError: if what renders is not installed.
    """

    def __init__(
        self,
        lessons: Sequence[Lesson],
        folder: Path,
        learner: Path | None,
        with_reference: bool = True,
    ):
        self.folder = SiteFolder(folder, Site(lessons, source=with_reference), learner, Renderer())
        self.asked: set[Lesson] = set()
        self.run_now: Callable[[Lesson], object] = lambda lesson: None
        self.failed: dict[Lesson, str] = {}
        self.one_at_a_time, self.stopped = threading.Lock(), threading.Event()
        self.folder.write_front()
        self.folder.write_scripts()

    def write(self, address: str) -> None:
        """Write a page that something links to, if there is none yet: that of a lesson without what
        its cells print and draw."""
        site = self.folder.site
        lessons = {site.page_of(lesson.path): lesson for lesson in site.lessons}
        if address in lessons:
            self.asked.add(lessons[address])
            self.run_now(lessons[address])
        with self.one_at_a_time:
            files = {page: file for file, page in site.asked.items()}
            if (self.folder.path / address).exists():
                return
            if address in lessons:
                self.folder.write_lesson(lessons[address], None, RUNNING)
            elif address in files:
                self.folder.write_file(files[address])

    def show(self, run: Callable[[Lesson], Path], say: Say, lesson: Lesson) -> Path | None:
        """Run a lesson and write its page; None if it fails, which the page says then."""
        if self.stopped.is_set():
            raise KeyboardInterrupt
        try:
            at = run(lesson)
        except LessonFails as problem:
            say(f"{problem}; its page is there all the same, without what its cells print and draw")
            self.fail(lesson, problem.why)
            return None
        self.join(lesson, at)
        return at

    def fail(self, lesson: Lesson, why: str) -> None:
        """Write the page of a lesson that failed, and say so on it."""
        with self.one_at_a_time:
            self.failed[lesson] = FAILED.format(why=html.escape(why))
            self.folder.write_lesson(lesson, None, self.failed[lesson])

    def join(self, lesson: Lesson, at: Path) -> None:
        """Write the page of a lesson that ran in `at`."""
        with self.one_at_a_time:
            self.folder.copy_outputs(at)
            self.folder.write_lesson(lesson, at)
            if (at / front.LOOKED).is_file():
                self.folder.write_front()
