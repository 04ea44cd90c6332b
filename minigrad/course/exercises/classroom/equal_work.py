"""Equal work: students whose functions are the same, up to names of files, comments and layout."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping
from pathlib import Path

from ..catalogue import sheets
from ..learner_file import read_learner_file

FEWEST = 3  # functions that both have begun: one or two lines are often the same by chance
MOST, MANY = 0.75, 6  # a share of them that is told, if it is so many
Work = Mapping[str, int]


def equal_work(works: Mapping[str, Work]) -> dict[str, list[str]]:
    """For each student the others with whom all functions are equal that both have begun, or most, as
    "Ada (7 of 8)"; those alone who have some. So a copy is found beside what one of the two has written
    since, or changed.

    Args:
        works: what `work_in` gives for each.
    """
    equal: dict[str, list[str]] = {one: [] for one in works}
    for one, other in itertools.combinations(works, 2):
        both = works[one].keys() & works[other].keys()
        same = sum(works[one][name] == works[other][name] for name in both)
        if same == len(both) >= FEWEST or same >= max(MANY, MOST * len(both)):
            part = f" ({same} of {len(both)})" if same < len(both) else ""
            equal[one].append(other + part)
            equal[other].append(one + part)
    return {one: others for one, others in equal.items() if others}


def work_in(folder: Path) -> Work:
    """A number for each function in a folder that is begun, by its name; equal ones have the same."""
    return {
        name: hash(ast.dump(definition))
        for sheet in sheets()
        for file in [read_learner_file(folder / sheet.file)]
        for name in sheet.exercises
        if (definition := file.definition(name)) and not file.is_stub(name)
    }
