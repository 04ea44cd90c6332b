"""Plan: the program for one key, and the reader of its inputs."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

from . import heap
from .inputs import InputReader, Inputs
from .keeping import MemoryUse, memory_use
from .lowered_script import LoweredScript, lowered_script, without_arrays
from .memory import MemoryPlan
from .program_text import ProgramText
from .running import CompiledProgram, Instance, ProgramCall


class Plan:
    """The program of a recorded graph.

    Args:
        inputs: the graph, and the sources of the arrays that each run reads.
        grad: whether the program goes back, too.
        exact: whether the bits are to be those of the function itself, but for the sign of a zero.

    Attributes:
        inputs: reads the arrays for each run.
        program: the program that runs.
        memory: the memory that it keeps for the way back.
        instances: the program with memory of its own, for each thread.
    """

    def __init__(self, inputs: Inputs, grad: bool, exact: bool):
        heap.keep_freed_memory()
        self.exact = exact
        self.inputs = InputReader(inputs)
        self._script = lowered_script(inputs.graph, self.inputs.nodes, grad, exact)
        self.program, self.memory = _with_memory(self._script)
        without_arrays(self._script)
        self.instances = threading.local()
        heap.give_back_free_memory()

    def start(self, arguments: Sequence[Any]) -> tuple[ProgramCall, list[Any]]:
        """Run forward, for all arguments that are arrays; return the call, and its parents."""
        read, arrays = self.inputs.read(arguments)
        instance = getattr(self.instances, "of_thread", None)
        if instance is None:
            instance = self.instances.of_thread = Instance(self.program, self.exact)
        call = ProgramCall(instance, instance.program(*arrays))
        parents = [read[i] for i in self._script.parents]
        if not parents:
            call.run = None  # nothing goes back
        return call, parents

    @functools.cached_property
    def text_without_buffers(self) -> str:
        """The program as plain calls."""
        return ProgramText(self._script).code


def _with_memory(script: LoweredScript) -> tuple[CompiledProgram, MemoryUse]:
    """The program of a script, whose results lie in planned memory; and the memory that it keeps."""
    memory = MemoryPlan(script.lines, script.ends)
    written = ProgramText(script, memory)
    code = compile(written.code, "<compiled>", "exec")
    program = CompiledProgram(written.code, code, written.space, written.functions.unchecked)
    return program, memory_use(script, memory)


class WithProgram:
    """A base for classes that have plans: it shows the last plan."""

    def _last(self) -> Plan:
        """The last plan that was made or used."""
        raise NotImplementedError

    @property
    def source(self) -> str:
        """The program of the last plan that was made or used, as plain calls; see `program`."""
        return self.program()

    def program(self, *, buffers: bool = False) -> str:
        """The program of the last plan, as plain calls; with `buffers`, the program that runs, in which
        each result has its place in memory.

        Raises:
            GraphError: if there is no plan yet: no shape of arguments was met often enough.
        """
        plan = self._last()
        return plan.program.text if buffers else plan.text_without_buffers

    def memory(self) -> MemoryUse:
        """Return the memory that the last plan keeps for the way back, and the size of its buffers.

        Printed, it is a table; `draw()` makes a picture of it.

        Raises:
            GraphError: as `program`.
        """
        return self._last().memory
