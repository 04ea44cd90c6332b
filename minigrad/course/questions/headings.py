"""The headings of a lesson, printed while it runs as a script."""

from __future__ import annotations

import builtins
import re
from types import FrameType
from typing import Any

HEADING = re.compile(r"#{1,6} ")


class PrintWithHeadings:
    """The `print` of a lesson that runs: before it prints, the headings that have been passed."""

    def __init__(self, lesson: FrameType):
        self.lesson = lesson
        with open(lesson.f_code.co_filename, encoding="utf-8") as file:
            self.headings = headings(file.read())

    def __call__(self, *values: Any, **options: Any) -> None:
        while self.headings and self.headings[0][0] < self.lesson.f_lineno:
            builtins.print(f"\n{self.headings.pop(0)[1]}")
        builtins.print(*values, **options)


def headings(text: str) -> list[tuple[int, str]]:
    """The headings of a lesson, each with the number of its line."""
    places, prose = [], False
    for place, line in enumerate(text.splitlines(), 1):
        if line.startswith("# %%"):
            prose = "[markdown]" in line
        elif prose and HEADING.match(line[2:]):
            places.append((place, line[2:]))
    return places
