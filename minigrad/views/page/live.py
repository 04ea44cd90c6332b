"""The data that a page computes with: the tape of its graph, and the numbers in full at the start."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...ran import words
from ...ran.data import GraphData
from ...ran.proof import Proof
from ...script.arrays import uniform
from ...script.page_functions import Unwritten
from ...script.script import Script
from ...script.tape import Tape, tape_of
from . import switches
from .packing import Arrays, base64_of

# The most that a page computes with:
OPERATIONS = 2_000
PRODUCTS = 20_000_000  # of two numbers, that are summed, forward and back
NUMBERS = 350_000  # in leaves and constants: the page has them in full

Vocabularies = Mapping[str, Sequence[str]]


def live(
    script: Script,
    parts: Mapping[str, list[switches.Bypass]],
    arrays: Arrays,
    vocabularies: Vocabularies,
    proof: Proof | None,
) -> dict[str, Any]:
    """The data with which a page computes a graph again; or `frozen`, the reason why it cannot.

    A slot is the place of one array (see `minigrad.script`), and a node is named by its number:

        kinds: (dtype, shape) of arrays, each once
        slots: the kind of each slot
        names: the functions that are called, each once
        calls: [function, slot to write, slots to read, ...], as `Tape.packed` writes them
        value, gradient: the slots of nodes
        passed, with_numbers: the slots of the arrays that go along an edge, by its place; see `Tape`
        leaves: the slots that begin with an array of the page
        filled: the slots that have one number everywhere
        held: the slots of other constants, with every bit
        numbers: the slots of Python numbers among a node's arguments, by their position
        fixed: why a slot keeps its numbers when others change
        pinned: why the reader cannot change the numbers of a slot
        switches: parts that can be off: for each place the node, the node that stands in its place, and
            the slot of the gate
        reads: the places where numbers left the graph: the node and the line
        inside: the box in which a leaf without a name was made
        made_of: the nodes from which Python or NumPy may have made the numbers of a node
        output: the node of the model's result, or None
        picks: for slots of integers, how many symbols there are, and the name of the vocabulary
        vocabularies: the symbols of each vocabulary, by the path of its table

        paths, proven: what other runs of the function have shown, as `Proof` says

    If there is too much to compute, the arrays that the calls begin with are left out: the calls still
    say what an element is made of.
    """
    graph = script.graph
    try:
        tape = tape_of(script)
    except Unwritten as reason:
        return {"frozen": words.visible(str(reason))}
    calls = _calls(tape, parts)
    excess = too_much(graph, tape)
    if excess:
        filled = _filled({slot: np.asarray(tape.arrays[slot]) for slot in tape.held})
        return {"frozen": excess, "filled": filled, **calls}
    begins = beginning(graph, tape, arrays)
    note_computed(graph, tape, arrays, {leaf["slot"] for leaf in begins["leaves"]})
    return {
        **calls,
        **begins,
        "numbers": tape.numbers,
        "pinned": tape.pinned,
        "reads": _reads(graph),
        "inside": _inside(graph),
        "made_of": {n.number: list(n.may_be_of) for n in graph.nodes if n.may_be_of},
        "output": _output(graph),
        "paths": proof.paths if proof is not None else (),
        "proven": proof.proven if proof is not None else (),
        **_choices(graph, tape, vocabularies),
    }


def _calls(tape: Tape, parts: Mapping[str, list[switches.Bypass]]) -> dict[str, Any]:
    """A tape as data, without its numbers: its slots and calls, their nodes and edges, the switches."""
    return {
        **tape.packed(),
        "value": tape.value_slots,
        "gradient": tape.gradient_slots,
        "passed": {e: slots._asdict() for e, slots in tape.passed.items()},
        "with_numbers": tape.with_numbers,
        "fixed": tape.fixed,
        "switches": [
            {
                "name": name,
                "off": switches.SWITCHES[name].off,
                "places": [
                    {"node": n, "instead": instead, "gate": tape.gates[n]} for n, instead in some
                ],
            }
            for name, some in parts.items()
        ],
    }


def beginning(graph: GraphData, tape: Tape, arrays: Arrays) -> dict[str, Any]:
    """The numbers that the calls begin with: `leaves`, `filled` and `held`, as `live` gives them.

    Each leaf is added to `arrays` in full. Every other constant is here, with every bit.
    """
    leaves = {
        tape.value_slots[n.number]: arrays.add(n.value, full=True)
        for n in graph.nodes
        if n.kind != "operation"
    }
    constants = {s: np.asarray(tape.arrays[s]) for s in tape.held if s not in leaves}
    filled = _filled(constants)
    for one in filled:
        del constants[one["slot"]]
    return {
        "leaves": [{"slot": slot, "array": number} for slot, number in leaves.items()],
        "filled": filled,
        "held": [{"slot": s, "bytes": base64_of(_wide(a))} for s, a in constants.items()],
    }


def note_computed(graph: GraphData, tape: Tape, arrays: Arrays, leaves: set[int]) -> None:
    """Tell `arrays` which values, gradients and contributions the page can compute from its leaves."""

    def note(array: np.ndarray | None, slot: int | None) -> None:
        if array is not None and slot is not None and slot not in leaves and slot not in tape.fixed:
            arrays.note_computed(array, slot, tape.arrays[slot])

    for node in graph.nodes:
        if node.kind == "operation":
            note(node.value, tape.value_slots.get(node.number))
        note(node.gradient, tape.gradient_slots.get(node.number))
    for number, slots in tape.passed.items():
        passed = graph.edges[number].passed
        for name, slot in slots._asdict().items():
            note(getattr(passed, name, None), slot)


def too_much(graph: GraphData, tape: Tape) -> str:
    """The reason why a graph is too much for a page; "" if it is not."""
    counts = (
        (sum(n.kind == "operation" for n in graph.nodes), OPERATIONS, "operations"),
        (tape.work, PRODUCTS, "products to sum"),
        (sum(tape.arrays[slot].size for slot in tape.held), NUMBERS, "numbers to begin with"),
    )
    for count, most, what in counts:
        if count > most:
            return f"it has {count:,} {what}, and a page computes with {most:,} at most"
    return ""


def _filled(arrays: Mapping[int, np.ndarray]) -> list[dict[str, Any]]:
    """The slots that have one number everywhere, and that number."""
    return [{"slot": slot, "value": _exact(a.flat[0])} for slot, a in arrays.items() if uniform(a)]


def _reads(graph: GraphData) -> list[dict[str, Any]]:
    """Each place where numbers left the graph: the node and the line."""
    return [
        {"node": n, "line": "" if line is None else words.visible(str(line))}
        for n, line in graph.taken_out
    ]


def _inside(graph: GraphData) -> dict[int, str]:
    """The definition in which a leaf without a name came up, by the number of the leaf."""
    return {
        n.number: graph.box(n.box).path
        for n in graph.nodes
        if n.kind == "data" and not n.label and n.box is not None
        if graph.box(n.box).kind == "definition"
    }


def _output(graph: GraphData) -> int | None:
    """The last result of a module: the output of the model, from which the loss is computed."""
    results = [n.number for n in graph.nodes if n.kind == "operation" and n.module is not None]
    return max(results, default=None)


def _choices(graph: GraphData, tape: Tape, vocabularies: Vocabularies) -> dict[str, Any]:
    """The symbols that integers choose from: `picks` and `vocabularies`, as `live` gives them.

    If a slot picks along several axes, the shortest axis counts.
    """
    visible = {path: list(map(words.visible, names)) for path, names in vocabularies.items()}
    labels = {slot: graph[n].label for n, slot in tape.value_slots.items()}
    picks: dict[int, dict[str, Any]] = {}
    for name, _, (read, *indices), params in tape.calls:
        if name != "take":
            continue
        for slot, axis in zip(indices, params[0]):
            size, label = tape.arrays[read].shape[axis], labels.get(read, "")
            fits = [p for p, names in visible.items() if len(names) == size and label.startswith(p)]
            if slot not in picks or size < picks[slot]["size"]:
                picks[slot] = {"size": size, "vocabulary": max(fits, key=len, default=None)}
    return {"picks": picks, "vocabularies": visible}


def _wide(array: np.ndarray) -> np.ndarray:
    """An array in the dtype that the interpreter keeps its numbers in."""
    return array.astype(np.float64) if array.dtype.itemsize == 8 else array


def _exact(value: Any) -> Any:
    """A number with all its digits, as JSON can hold it; a word where it is not finite."""
    number = value.item()
    if isinstance(number, float) and not math.isfinite(number):
        return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"
    return number
