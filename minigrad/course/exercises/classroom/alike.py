"""Equal work: students whose functions are the same, up to names of files, comments and layout."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..learner_file import written
from ..sheets import sheets

FEWEST = 3  # functions begun: one or two lines are often the same by chance


def equal_work(works: Mapping[str, str]) -> dict[str, list[str]]:
    """For each student the others whose functions are all equal to theirs; those alone who have some.

    Args:
        works: what `work_in` gives for each.
    """
    by_work: dict[str, list[str]] = {}
    for student, work in works.items():
        if work:
            by_work.setdefault(work, []).append(student)
    groups = [group for group in by_work.values() if len(group) > 1]
    return {one: [other for other in group if other != one] for group in groups for one in group}


def work_in(folder: Path) -> str:
    """One number for the functions in a folder; "" if few are begun."""
    functions = list(_functions(folder))
    return hashlib.sha256("\n".join(functions).encode()).hexdigest() * (len(functions) >= FEWEST)


def _functions(folder: Path) -> Iterator[str]:
    """The text of each function that is begun."""
    for sheet in sheets():
        file = written(folder / sheet.file)
        for name in sheet.exercises:
            if file.has(name) and not file.is_stub(name):
                yield ast.dump(ast.Module(file.definition(name), []))
