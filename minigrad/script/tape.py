"""A graph as a tape: its script, written with the few calls that a page's interpreter has.

It is the program of `views.text.program`, for a machine in place of a reader. `tape_writing` says how
each call is written. A call that cannot be written, such as a decomposition, keeps its result: this is
fixed, and so is all that is computed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..ran.data import Passed
from .arrays import form
from .page_functions import Unwritten
from .script import Script
from .symbols import Line, Symbol
from .tape_writing import slot_of_call
from .way_back import fitted_to

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


DTYPES = {"f4", "f8", "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"}
LARGEST_INTEGER = 1 << 53  # a page has no larger integers


class TapeCall(NamedTuple):
    """One call of a tape: its function, the slot to write, the slots to read, and further arguments."""

    name: str
    slot: int
    reads: list[int]
    params: list[Any]


class Tape:
    """A list of calls, and the slots that they read and write.

    Args:
        for_page: refuse arrays that a page cannot hold.

    Attributes:
        arrays: for each slot the array that it held when the graph was computed.
        held: the slots that are not computed, in order.
        calls: the calls, in the order in which they are run. A call that writes a slot of `held` is not
            run: it says how a fixed array came about.
        value_slots, gradient_slots: the slots of the values and the gradients of nodes, by number.
        numbers: the slots of Python numbers among a node's arguments, by its number and their position.
        passed: the slots of the gradients along each edge, by its place in the graph; `given` only
            where `fitted` is of another shape.
        with_numbers: the slot of a contribution that is computed with plain Python numbers, if it is
            another slot, by the place of its edge.
        gates: the slots of booleans that say whether a node is on, by its number.
        fixed: why a slot cannot change with what it was computed from.
        pinned: why the array of a slot can have no other numbers.
        work: the number of products of two numbers that the calls sum.
        tracing: the functions that are being traced, one in another.
    """

    def __init__(self, for_page: bool = True) -> None:
        self.for_page = for_page
        self.arrays: list[np.ndarray] = []
        self.held: dict[int, None] = {}
        self.calls: list[TapeCall] = []
        self.value_slots: dict[int, int] = {}
        self.gradient_slots: dict[int, int] = {}
        self.numbers: dict[int, dict[int, int]] = {}
        self.passed: dict[int, Passed] = {}
        self.with_numbers: dict[int, int] = {}
        self.gates: dict[int, int] = {}
        self.fixed: dict[int, str] = {}
        self.pinned: dict[int, str] = {}
        self.work = 0
        self.tracing: list[Callable] = []
        # The slot of each symbol, which is kept alive; and those of equal calls and constants.
        self._slot_of: dict[int, tuple[Symbol, int]] = {}
        self._slot_by_key: dict[tuple, int] = {}

    def packed(self) -> dict[str, Any]:
        """The slots and calls as JSON can hold them; functions and kinds of arrays are written once.

        A call is a list, as there are many: the number of its function's name, the slot that it
        writes, the slots that it reads, and further arguments. `interpreter.js` unpacks it.
        """
        kinds: dict[tuple[str, tuple[int, ...]], int] = {}
        names: dict[str, int] = {}
        slots = [
            kinds.setdefault((a.dtype.str[1:], a.shape), len(kinds))
            for a in map(np.asarray, self.arrays)
        ]
        calls = [
            [names.setdefault(name, len(names)), slot, reads, *params]
            for name, slot, reads, params in self.calls
        ]
        return {
            "kinds": [{"dtype": dtype, "shape": list(shape)} for dtype, shape in kinds],
            "slots": slots, "names": list(names), "calls": calls,
        }  # fmt: skip

    def slot(self, a: Symbol | ArrayLike) -> int:
        """The slot of a symbol or an array; what computes it is put on the tape first."""
        if not isinstance(a, Symbol):
            return self.constant(np.asarray(a))
        if not isinstance(a, Line):
            return self.hold(a)
        if id(a) not in self._slot_of:
            self._slot_of[id(a)] = a, self._write_line(a)
        return self._slot_of[id(a)][1]

    def hold(self, symbol: Symbol) -> int:
        """The slot of a symbol, whose array is as it is: what computes it is not put on the tape."""
        if id(symbol) not in self._slot_of:
            self._slot_of[id(symbol)] = symbol, self._held(np.asarray(symbol.value))
        return self._slot_of[id(symbol)][1]

    def _new(self, array: np.ndarray) -> int:
        """A new slot for an array.

        Raises:
            Unwritten: if a page cannot hold it.
        """
        dtype = array.dtype.str[1:]
        if self.for_page and dtype not in DTYPES:
            raise Unwritten(f"a page does not compute with {array.dtype}")
        large = self.for_page and dtype in ("i8", "u8") and array.size
        if large and np.abs(array.astype(float)).max() > LARGEST_INTEGER:
            raise Unwritten("a page has no integers beyond 2 ** 53")
        self.arrays.append(array)
        return len(self.arrays) - 1

    def _held(self, array: np.ndarray, fixed: str = "") -> int:
        """A new slot that no call computes; `fixed` says why, if one should."""
        slot = self._new(array)
        self.held[slot] = None
        if fixed:
            self.fixed[slot] = fixed
        return slot

    def constant(self, array: np.ndarray) -> int:
        """The slot of an array that no call computes; equal ones share it."""
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self._slot_by_key:
            self._slot_by_key[key] = self._held(array)
        return self._slot_by_key[key]

    def write(self, name: str, value: ArrayLike, reads: Sequence[int], *params: object) -> int:
        """Put a call on the tape, unless it is there; return the slot of its result.

        It gives the array `value`; `reads` are the slots that it reads, and `params` further arguments
        of its function (see `tape_writing`).
        """
        array = np.asarray(value)
        if name == "same" and form(array) == form(self.arrays[reads[0]]):
            return reads[0]
        key = name, tuple(reads), repr(params), array.dtype.str, array.shape
        if key not in self._slot_by_key:
            reasons = [self.fixed[s] for s in reads if s in self.fixed]
            slot = self._held(array, reasons[0]) if reasons else self._new(array)
            self._slot_by_key[key] = slot
            self.calls.append(TapeCall(name, slot, list(reads), list(params)))
        return self._slot_by_key[key]

    def _write_line(self, line: Line) -> int:
        """Write a line's call; return the slot of its result, fixed if a page cannot run it."""
        try:
            function, args, options, _ = line.call
            return slot_of_call(self, line.value, function, args, options)
        except Unwritten as reason:
            if not isinstance(line.value, (np.ndarray, np.generic)):
                raise
            return self._held(np.asarray(line.value), str(reason))


def tape_of(script: Script) -> Tape:
    """A script with its way back as a tape.

    Raises:
        Unwritten: if a page cannot hold one of its arrays.
    """
    tape = Tape()
    with np.errstate(all="ignore"):
        script.with_way_back()
        _write_values(tape, script)
        _write_gradients(tape, script)
    return tape


def _write_values(tape: Tape, script: Script) -> None:
    """Write the forward pass: the numbers, the gate and the value of each node."""
    for node in script.graph.nodes:
        for position, number in script.numbers.get(node.number, {}).items():
            tape.numbers.setdefault(node.number, {})[position] = tape.slot(number)
        if node.number in script.gates:
            tape.gates[node.number] = tape.slot(script.gates[node.number])
        tape.value_slots[node.number] = tape.slot(script.values[node.number])


def _write_gradients(tape: Tape, script: Script) -> None:
    """Write the way back: the gradients of the nodes, and those along each edge."""
    back = script.back
    for number, gradient in back.gradients.items():
        tape.gradient_slots[number] = tape.slot(gradient)
    places = {edge: i for i, edge in enumerate(script.graph.edges)}
    for edge, (given, fitted, before, after) in back.passed.items():
        if edge in back.with_numbers:
            other = fitted_to(script.values[edge.source], back.with_numbers[edge])
            tape.with_numbers[places[edge]] = tape.slot(other)
        tape.passed[places[edge]] = Passed(
            tape.slot(given) if given.value.shape != fitted.value.shape else None,
            tape.slot(fitted),
            None if before is None else tape.slot(before),
            tape.slot(after),
        )
    for pinned in back.pinned:
        tape.pinned[tape.slot(pinned)] = "its rule reads it as a plain number"
