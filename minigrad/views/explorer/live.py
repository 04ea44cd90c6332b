"""The data that a page computes with: the tape of its graph, and the numbers in full at the start."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import text
from ..data import GraphData
from ..symbols import uniform
from ..tape import Lost, Tape, tape
from . import switches
from .packing import Arrays, base64_of

OPERATIONS = 2_000
PRODUCTS = 20_000_000  # that are summed, forward and back
NUMBERS = 350_000  # in what no call computes; a page has them in full

Symbols = Mapping[str, Sequence[str]]


def live(graph: GraphData, arrays: Arrays, symbols: Symbols | None) -> dict[str, Any]:
    """Return what a page needs to compute `graph` again, as data; or `frozen`, why it cannot.

    `leaves` are the slots that have an array of the page, `filled` those of one number everywhere, and
    `held` those of other constants. `picks` says of integers how many there are to choose from, and
    which of `symbols` these are.
    """
    places = switches.places(graph)
    operations = sum(n.kind == "operation" for n in graph.nodes)
    if operations > OPERATIONS:
        return {"frozen": _too_much(operations, OPERATIONS, "operations")}
    try:
        found = tape(graph, dict(place for some in places.values() for place in some))
    except Lost as reason:
        return {"frozen": text.visible(str(reason))}
    numbers = sum(found.values[slot].size for slot in found.data)
    if found.work > PRODUCTS:
        return {"frozen": _too_much(found.work, PRODUCTS, "products to sum")}
    if numbers > NUMBERS:
        return {"frozen": _too_much(numbers, NUMBERS, "numbers to begin with")}
    leaves = {
        found.value[n.number]: arrays.add(n.value, full=True)
        for n in graph.nodes
        if n.kind != "operation"
    }
    others = {slot: np.asarray(found.values[slot]) for slot in found.data if slot not in leaves}
    alike = {s for s, a in others.items() if uniform(a)}
    vocabularies = {path: list(map(text.visible, names)) for path, names in (symbols or {}).items()}
    return {
        **found.packed(),
        "leaves": list(leaves.items()),
        "filled": [[s, _exact(others[s].flat[0])] for s in others if s in alike],
        "held": [[s, base64_of(_wide(a))] for s, a in others.items() if s not in alike],
        "value": found.value,
        "gradient": found.gradient,
        "numbers": found.numbers,
        "passed": found.passed,
        "fixed": {n: found.fixed[s] for n, s in found.value.items() if s in found.fixed},
        "fixed_gradient": {
            n: found.fixed[s] for n, s in found.gradient.items() if s in found.fixed
        },
        "pinned": found.pinned,
        "reads": [[n, "" if line is None else text.visible(str(line))] for n, line in graph.reads],
        "made_of": {n.number: list(n.may_be_of) for n in graph.nodes if n.may_be_of},
        "switches": [
            [
                name,
                switches.SWITCHES[name].off,
                [[n, instead, found.gates[n]] for n, instead in some],
            ]
            for name, some in places.items()
        ],
        "output": _output(graph),
        "picks": _picks(graph, found, vocabularies),
        "symbols": vocabularies,
    }


def _too_much(count: int, most: int, what: str) -> str:
    return f"it has {count:,} {what}, and a page computes with {most:,} at most"


def _output(graph: GraphData) -> int | None:
    """The last result of a module: what a model gives, and a loss is computed from."""
    given = [n.number for n in graph.nodes if n.kind == "operation" and n.module is not None]
    return max(given, default=None)


def _picks(graph: GraphData, found: Tape, symbols: Symbols) -> dict[int, list[Any]]:
    """For each slot of integers that picks along axes: the least size, and the path of its symbols."""
    labels = {slot: graph[n].label for n, slot in found.value.items()}
    picks: dict[int, list[Any]] = {}
    for name, _, (read, *indices), params in found.calls:
        if name != "take":
            continue
        for slot, axis in zip(indices, params[0]):
            size, label = found.values[read].shape[axis], labels.get(read, "")
            fits = [p for p, s in symbols.items() if len(s) == size and label.startswith(p)]
            if slot not in picks or size < picks[slot][0]:
                picks[slot] = [size, max(fits, key=len, default=None)]
    return picks


def _wide(array: np.ndarray) -> np.ndarray:
    """An array in the dtype that the interpreter keeps its numbers in."""
    return array.astype(np.float64) if array.dtype.itemsize == 8 else array


def _exact(value: Any) -> Any:
    """A number with all its digits, as JSON can hold it; a word where it is not finite."""
    number = value.item()
    if isinstance(number, float) and not math.isfinite(number):
        return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"
    return number
