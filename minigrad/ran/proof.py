"""The constants of a computation that are made of its inputs: seen by running it with other numbers.

A recording follows what NumPy makes of an array, but not what is made of numbers taken out. So a mask
made of `ids.tolist()` is a constant of the graph, as a table of positions is. Run again with other ids,
the function makes another mask, and the same table.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import errors
from ..arrays.identity import memory_of
from ..arrays.ranges import numbers_in
from ..engine.node import Node
from ..engine.tensor import Tensor
from ..random import generator
from . import capture
from .comparing import bits, differing
from .data import GraphData
from .recording import TakenOut, as_arguments, recording

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


IDS = 64  # ids that are all tried


class Proof(NamedTuple):
    """The facts that running a function again has shown.

    Attributes:
        loss: the recorded result for its own inputs.
        inputs: how many inputs there are.
        made_of: for each constant the nodes that it is made of, all by their places in the graph. These
            are inputs, or nodes whose elements were taken out and were the same in each run. If node 4
            is the mask of the ids in node 1, it is {4: (1,)}.
        proven: the constants that had other elements in a run.
        paths: the inputs with which other operations may run.
        absent: the places of the arrays among the inputs that are not in the graph, though others may
            have been made of them.
    """

    loss: Tensor
    inputs: int
    made_of: dict[int, tuple[int, ...]]
    proven: tuple[int, ...]
    paths: tuple[int, ...]
    absent: tuple[int, ...]


def prove(function: Callable[..., Tensor], inputs: Sequence[object]) -> Proof:
    """Run `function` with its inputs, and with other numbers in one of them at a time.

    Random numbers of the common generator are the same in every run. What differs between two runs with
    the same inputs is made of none of them.

    Raises:
        DTypeError: if the function gives no Tensor.
    """
    draws = generator().bit_generator
    before = draws.state
    taken_out: list[TakenOut] = []
    loss = _run(function, inputs, taken_out)
    after = draws.state
    graph, captured = capture.captured(GraphData, loss)
    numbers = [number_of(value, captured.number) for value in inputs]
    runs = _OtherRuns(function, inputs, taken_out, graph, before)
    try:
        runs.vary(numbers)
    finally:
        draws.state = after
    made_of = {constant: set(sources) for constant, sources in runs.made_of.items()}
    for node, number in captured.number.items():
        for taken, sources in captured.constants.sources[node]:
            if taken.number not in runs.varied:
                made_of.setdefault(number, set()).update(sources)
    return Proof(
        loss=loss,
        inputs=len(inputs),
        made_of={constant: tuple(sorted(sources)) for constant, sources in made_of.items()},
        proven=tuple(sorted(runs.made_of)),
        paths=tuple(sorted(runs.paths)),
        absent=tuple([i for i, n in enumerate(numbers) if n is None and _is_array(inputs[i])]),
    )


class _OtherRuns:
    """Further runs of a recorded function, with other inputs, and the constants that differ there.

    Args:
        taken_out: the numbers taken out while it was recorded.
        graph: the recorded graph.
        draws: the state of the generator of random numbers at its start.

    Attributes:
        made_of: the inputs that a constant is made of, by its number.
        paths: the inputs with which other operations ran.
        varied: the numbers taken out that differed in some run, as `TakenOut.number`.
    """

    def __init__(
        self,
        function: Callable[..., Tensor],
        inputs: Sequence[object],
        taken_out: list[TakenOut],
        graph: GraphData,
        draws: Mapping[str, Any],
    ):
        self.function, self.inputs = function, inputs
        self.taken_out, self.graph, self.draws = taken_out, graph, draws
        self.made_of: dict[int, set[int]] = {}
        self.paths: set[int] = set()
        self.varied: set[int] = set()

    def vary(self, numbers: Sequence[int | None]) -> None:
        """Run it with the same inputs, and then with other numbers in one after the other.

        `numbers` are those of the inputs' nodes; None where nothing in the graph is an input, so that no
        page can change it.
        """
        shown = [(i, number) for i, number in enumerate(numbers) if number is not None]
        again = self._compared(self.inputs) if shown else None
        unsteady = again.constants if again is not None else set()
        for i, number in shown:
            for other in _others(self.inputs[i]):
                run = self._compared([*self.inputs[:i], other, *self.inputs[i + 1 :]])
                if run is None:
                    continue
                self.varied |= _varied(self.taken_out, run.taken_out)
                for constant in run.constants - unsteady - {number}:
                    self.made_of.setdefault(constant, set()).add(number)
                if not run.same_path:
                    self.paths.add(number)

    def _compared(self, inputs: Sequence[object]) -> _SecondRun | None:
        """Run it and compare; None for numbers that the function refuses, which show nothing else."""
        taken_out: list[TakenOut] = []
        generator().bit_generator.state = self.draws
        try:
            loss = _run(self.function, inputs, taken_out)
        except Exception:
            self.varied |= _varied(self.taken_out, taken_out, refused=True)
            return None
        constants, same_path = differing(self.graph, capture.of_tensors(GraphData, [loss]))
        return _SecondRun(set(constants), same_path, taken_out)


class _SecondRun(NamedTuple):
    """One more run, compared with the one that was recorded.

    Attributes:
        constants: those of the first that are others here.
        same_path: whether the same operations ran.
        taken_out: the numbers taken out.
    """

    constants: set[int]
    same_path: bool
    taken_out: list[TakenOut]


def _run(
    function: Callable[..., Tensor], inputs: Sequence[object], taken_out: list[TakenOut]
) -> Tensor:
    """The result, recorded; `taken_out` gets the numbers that were taken out, as far as it got."""
    with recording() as notes, np.errstate(all="ignore"):
        try:
            loss = function(*as_arguments(inputs))
        finally:
            taken_out += notes.taken_out
    if not isinstance(loss, Tensor):
        raise errors.DTypeError(
            f"explore() takes a function that gives the Tensor to walk back from, and this one gives "
            f"a {type(loss).__name__}"
        )
    return loss


def number_of(value: object, numbers: dict[Node, int]) -> int | None:
    """The number of the leaf that an input is in the graph."""
    if isinstance(value, Tensor):
        return numbers.get(value.node)
    if not isinstance(value, np.ndarray):
        return None
    arrays = ((node.note.array, n) for node, n in numbers.items() if node.note is not None)
    return next((n for a, n in arrays if a is not None and memory_of(a) == memory_of(value)), None)


def _is_array(value: object) -> bool:
    return isinstance(value, (np.ndarray, Tensor))


def _others(value: object) -> Iterator[Tensor | np.ndarray]:
    """Other numbers for an input, of its shape and dtype: large, small, 0, NaN, and in other places."""
    array = numbers_in(value)
    if array is None or not array.size:
        return
    low, high = array.min(), array.max()
    one_there = lambda place, number: _with(array, place, number)
    if array.dtype.kind == "b":
        others = [~array, one_there(0, not array.flat[0])]
    elif array.dtype.kind == "f":
        numbers = np.where(np.isnan(array), 1, array)
        others = [numbers * 1.5 + 0.25, -array, 1000 * numbers + 500, one_there(0, np.nan)]
    else:
        beyond = min(int(high) + 1, int(np.iinfo(array.dtype).max))
        others = [
            one_there(place, number) for place in (0, -1) for number in (0, low, high, beyond)
        ]
        if 0 <= low <= high < IDS:  # ids: each of them somewhere
            turns = range(0, beyond + 1, max(array.size, beyond // 8))
            others += [
                (np.arange(array.size) + k).reshape(array.shape) % (beyond + 1) for k in turns
            ]
    for other in [*others, array.ravel()[::-1].reshape(array.shape)]:
        if not np.array_equal(other, array):
            other = np.array(other, array.dtype)
            yield _like(value, other) if isinstance(value, Tensor) else other


def _with(array: np.ndarray, place: int, number: ArrayLike) -> np.ndarray:
    other = array.copy()
    other.flat[place] = number
    return other


def _like(tensor: Tensor, array: np.ndarray) -> Tensor:
    """Another tensor in its place: in the order of creation too, by which nodes are compared."""
    other = Tensor(array, requires_grad=tensor.requires_grad, name=tensor.name)
    other.node.number = tensor.node.number
    return other


def _varied(first: list[TakenOut], second: list[TakenOut], refused: bool = False) -> set[int]:
    """Find the numbers taken out that differ in a second run, as far as both took the same ones out.

    Of a run that was refused only the last one is known to have any consequence: that the run ended.
    """
    both = zip(first, second)
    alike = itertools.takewhile(lambda two: np.shape(two[0].value) == np.shape(two[1].value), both)
    others = [a for a, b in alike if bits(np.asarray(a.value)) != bits(np.asarray(b.value))]
    if refused:
        last = first[len(second) - 1 : len(second)]
        others = [a for a in others if last and a.node is last[0].node]
    return {a.number for a in others}
