"""The pages of the site, and the addresses of links to them.

A lesson has a page. So has any other file of the project, as soon as something links to it.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..folders import EXAMPLES, ROOT
from .lesson import Lesson

SHOWN = (".py", ".md")  # files that are made into a page; others are copied
CODE = (".py", ".js")  # which a site without source leaves out
TEACHERS = EXAMPLES / "TEACHING.md"  # which the site leaves out: it is for students
INSIDE = ("__init__.py", "README.md")  # what stands for a folder


@dataclass
class Site:
    """The lessons and files that are there to be read.

    Attributes:
        lessons: those that have a page.
        reference: whether it has the reference of the packages.
        source: whether it has pages of source, beside the lessons.
        written: the addresses of the pages that the lessons write themselves, and their titles.
        asked: each file that something links to, and the address of its page.
    """

    lessons: Sequence[Lesson]
    reference: bool = False
    source: bool = True
    written: dict[str, str] = field(default_factory=dict)
    asked: dict[Path, str] = field(default_factory=dict)

    def page_of(self, file: Path) -> str:
        """The address of the page of a file, from the site's own folder on; "" for what is no file of
        the project, or for teachers alone."""
        file = Path(os.path.normpath(file))
        for lesson in self.lessons:
            if lesson.path == file:
                return f"{file.stem}.html"
        if file.is_dir():
            file = next((file / name for name in INSIDE if (file / name).is_file()), file)
        if not file.is_file() or ROOT not in file.parents or file == TEACHERS:
            return ""
        if not self.source and file.suffix in CODE:
            return ""
        page = f"source/{file.relative_to(ROOT).as_posix()}"
        return self.asked.setdefault(file, f"{page}.html" if file.suffix in SHOWN else page)


@dataclass(frozen=True)
class Links:
    """The addresses of links, as they stand on one page.

    Attributes:
        page: the address of the page itself.
        folder: the folder of the file whose text the page shows.
    """

    site: Site
    page: str
    folder: Path = ROOT

    def of(self, address: str) -> str:
        """The address of what a text links to; "" if the site has nothing of it."""
        if re.match(r"[a-z]+:|#", address) or address in self.site.written:
            return address
        file, mark, anchor = address.partition("#")
        page = self.site.page_of(self.folder / file)
        return self.local(page) + mark + anchor if page else ""

    def to(self, file: str, line: int) -> str:
        """The address of a line in a file of the project, which is named from its root on."""
        return f"{self.local(self.site.page_of(ROOT / file))}#L-{line}"

    def lesson(self, number: str) -> str:
        """The address of a lesson; "" if there is none of this number."""
        pages = (self.local(f"{s.path.stem}.html") for s in self.site.lessons if s.number == number)
        return next(pages, "")

    def local(self, page: str) -> str:
        """The address of a page, from this one on."""
        return posixpath.relpath(page, posixpath.dirname(self.page))
