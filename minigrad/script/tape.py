"""A graph as a tape: its script, written with the few calls that a page's interpreter has.

It is the program of `program`, for a machine in place of a reader (see `calls`). What cannot be
written so, such as a decomposition, keeps the value that it has: it is fixed, and so is all that is
computed from it.
"""

from __future__ import annotations

import numpy as np

from ..ran.data import Passed
from .calls import Tape
from .script import Script
from .symbols import undone


def tape(script: Script) -> Tape:
    """A script with its way back as a tape.

    Raises:
        Unwritten: if a page cannot hold one of its arrays.
    """
    tape = Tape()
    with np.errstate(all="ignore"):
        script.walked()
        for node in script.graph.nodes:
            for position, number in script.numbers.get(node.number, {}).items():
                tape.numbers.setdefault(node.number, {})[position] = tape.slot(number)
            if node.number in script.gates:
                tape.gates[node.number] = tape.slot(script.gates[node.number])
            tape.value[node.number] = tape.slot(script.values[node.number])
        places = {edge: i for i, edge in enumerate(script.graph.edges)}
        for of, gradient in script.gradients.items():
            tape.gradient[of] = tape.slot(gradient)
        for edge, (given, fitted, before, after) in script.passed.items():
            if edge in script.with_numbers:
                other = undone(script.with_numbers[edge], script.values[edge.source])
                tape.plain[places[edge]] = tape.slot(other)
            tape.passed[places[edge]] = Passed(
                tape.slot(given) if given.value.shape != fitted.value.shape else None,
                tape.slot(fitted),
                None if before is None else tape.slot(before),
                tape.slot(after),
            )
        for pinned in script.pinned:
            tape.pinned[tape.slot(pinned)] = "its rule reads it as a plain number"
    return tape
