"""Plan: the program for one key, and what each run of it is given."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.saving import unshared
from ..engine.tensor import Tensor
from ..ran.data import GraphData
from . import heap
from .keeping import MemoryUse, memory_use
from .lowered_script import lowered_script, without_arrays
from .memory import MemoryPlan
from .program_text import ProgramText
from .recorded import Inputs
from .running import Instance, ProgramCall


class Plan:
    """The program of a recorded graph.

    Args:
        inputs: the graph, and what each run is given.
        grad: whether a way back is wanted.
        exact: whether the bits are to be those of the function itself, but for the sign of a zero.

    Attributes:
        takes: the places of the arguments that the program reads; it reads them first.
        indices: those of them that hold integers, all from 0.
        tensors: those that it reads after them.
        forms: the shape, dtype and requires_grad of each of these, as the program was made for.
        draws: what gives each random array, which it reads last, and whether it does.
        parents: the places of those that get a gradient, among all that it reads.
        text: what runs; `code`, the same compiled by Python.
        memory: what it keeps for the way back.
        space: the arrays and functions that the text names, but does not define.
        unchecked: functions that the text defines without their checks, which run with them.
        instances: the program with memory of its own, for each thread.
    """

    def __init__(self, inputs: Inputs, grad: bool, exact: bool):
        heap.keep_freed_memory()
        self.exact = exact
        self._write(inputs.graph, self._read(inputs), grad)
        self.instances = threading.local()
        heap.give_back_free_memory()

    def _read(self, inputs: Inputs) -> list[int]:
        """Settle what each run reads; return the numbers of the nodes that are given, in that order."""
        places = {n: i for i, n in enumerate(inputs.arguments) if n is not None}
        self.takes = list(places.values())
        self.indices = [i for n, i in places.items() if _may_be_index(inputs.graph[n].value)]
        others = [n for n in inputs.tensors if n not in places]
        self.tensors = [inputs.tensors[n] for n in others]
        self.forms = self._forms()
        self.draws = [(draw, n is not None) for n, draw in inputs.draws]
        return [*places, *others, *(n for n, _ in inputs.draws if n is not None)]

    def _write(self, graph: GraphData, numbers: list[int], grad: bool) -> None:
        """Write the program, which is given the values of the nodes with these numbers."""
        self._script = script = lowered_script(graph, numbers, grad, self.exact)
        self.parents = script.parents
        memory = MemoryPlan(script.lines, script.ends)
        self.memory = memory_use(script, memory)
        written = ProgramText(script, memory)
        self.text, self.space = written.code, written.space
        self.unchecked = written.functions.unchecked
        self.code = compile(self.text, "<compiled>", "exec")
        without_arrays(script)

    @functools.cached_property
    def text_without_buffers(self) -> str:
        """The program as plain calls."""
        return ProgramText(self._script).code

    def _forms(self) -> list[tuple]:
        return [(t._array.shape, t._array.dtype, t.requires_grad) for t in self.tensors]

    def fits(self, arrays: Sequence[Any]) -> bool:
        """Tell whether the program is right for what it would read now.

        The tensors must have the shapes and dtypes that they had, and integers that may be indices must
        be from 0 on: NumPy takes others without an error.
        """
        return self._forms() == self.forms and all(
            np.minimum.reduce(getattr(arrays[i], "_array", arrays[i]), axis=None) >= 0
            for i in self.indices
        )

    def start(self, arrays: Sequence[Any]) -> tuple[ProgramCall, list[Any]]:
        """Run forward, for all arguments that are arrays; return the call, and its parents."""
        read = [arrays[i] for i in self.takes] + self.tensors
        given = [a._array if isinstance(a, Tensor) else unshared(a) for a in read]
        for draw, used in self.draws:
            array = draw()
            if used:
                given.append(array)
        instance = getattr(self.instances, "of_thread", None)
        if instance is None:
            instance = self.instances.of_thread = Instance(self)
        call = ProgramCall(instance, instance.program(*given))
        if not self.parents:
            call.run = None  # nothing goes back
        return call, [read[i] for i in self.parents]


class WithProgram:
    """A base for those that have plans: it shows the last one."""

    def _last(self) -> Plan:
        """The last plan that was made or used."""
        raise NotImplementedError

    @property
    def source(self) -> str:
        """The program of the last plan that was made or used, as plain calls; see `program`."""
        return self.program()

    def program(self, *, buffers: bool = False) -> str:
        """The program of the last plan, as text: with `buffers`, what runs, with where each result is.

        Raises:
            GraphError: if no shape of arguments was met often enough for a plan.
        """
        plan = self._last()
        return plan.text if buffers else plan.text_without_buffers

    def memory(self) -> MemoryUse:
        """Return what the last plan keeps for the way back, and the size of all its buffers: printed, a
        table; by `draw()`, a picture.

        Raises:
            GraphError: as `program`.
        """
        return self._last().memory


def _may_be_index(array: np.ndarray | None) -> bool:
    return array is not None and array.dtype.kind == "i" and array.size > 0 and array.min() >= 0
