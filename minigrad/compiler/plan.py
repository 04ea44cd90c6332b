"""Plan: the program for arguments of some shapes, and its runs."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np

from ..engine.saving import unshared
from ..engine.tensor import Tensor
from ..errors import GraphError
from ..script.script import Script
from ..script.symbols import Shape, stand_in
from . import freed
from .emptying import empty_all, ids, own_lines, walk_back
from .keeping import memory_use
from .lowering import lowered, once
from .memory import Buffers
from .recorded import Recorded
from .rewritings import rewrite
from .source import Source

Run = Generator[Any, Any, None]


class Plan:
    """The program of a recorded call.

    Args:
        recorded: the call.
        grad: whether a way back is wanted.
        exact: whether the bits are to be those of the function itself, but for the sign of a zero.

    Attributes:
        takes: the places of the arguments that the program reads; it reads them first.
        indices: those of them that hold integers, all from 0.
        tensors: those that it reads after them, and the shape, dtype and requires_grad of each.
        draws: what gives each random array, which it reads last, and whether it does.
        parents: the places of those that get a gradient, among all that it reads.
        text: what runs.
        memory: what it keeps for the way back.
        space: the arrays and functions that the text names, but does not define.
    """

    def __init__(self, recorded: Recorded, grad: bool, exact: bool):
        freed.keep()
        self.exact, graph = exact, recorded.graph
        (root,) = graph.roots
        script = Script(graph)
        places = {n: i for i, n in enumerate(recorded.arguments) if n is not None}
        self.takes = list(places.values())
        self.indices = [i for n, i in places.items() if _may_be_index(graph[n].value)]
        numbers = [*places, *(n for n in recorded.tensors if n not in places)]
        self.tensors = [recorded.tensors[n] for n in numbers[len(places) :]]
        self.forms = self._forms()
        numbers += [n for n, _ in recorded.draws if n is not None]
        self.draws = [(draw, n is not None) for n, draw in recorded.draws]
        given = [script.values[n] for n in numbers]
        ends, start = [script.values[root]], None
        self.parents: list[int] = []
        if grad and graph[root].state != "needs none":
            walk_back(script, root, given)
            start = script.gradients[root]
            self.parents = [i for i, n in enumerate(numbers) if n in script.gradients]
            ends += [script.gradients[numbers[i]] for i in self.parents]
        varying = given if start is None else [*given, start]
        empty_all(own_lines(script.lines, ids(varying)))
        lines, ends = lowered(script.lines, ends, varying)
        empty_all(own_lines(lines, ids(varying)))
        notes: dict[int, str] = {}
        lines, ends, notes = rewrite(lines, ends, exact)
        lines, ends = once(lines, ends, varying)
        buffers = Buffers(lines, ends)
        forward = max([k + 1 for k, line in enumerate(lines) if line is ends[0]], default=0)
        self.memory = memory_use(graph, lines, forward, buffers)
        source = Source(graph, lines, forward, given, start, ends, buffers, notes)
        self.text, self.space = source.code, source.space
        self.code = compile(self.text, "<compiled>", "exec")
        for symbol in (*lines, *given):  # of arrays, shapes and dtypes are needed from here on
            if isinstance(symbol.value, np.ndarray):
                symbol.value = stand_in(symbol.value.shape, symbol.value.dtype)
            if symbol.call is not None:
                symbol.call = symbol.call._replace(args=_without_symbols(symbol.call.args))
        for node in graph.nodes:
            node.value = None
        self._parts = graph, lines, forward, given, start, ends, None, notes
        self.instances = threading.local()
        freed.trim()

    @functools.cached_property
    def text_without_buffers(self) -> str:
        """The program as plain calls."""
        return Source(*self._parts).code

    def _forms(self) -> list[tuple]:
        return [(t._array.shape, t._array.dtype, t.requires_grad) for t in self.tensors]

    def fits(self, arrays: Sequence[Any]) -> bool:
        """Tell whether the program is right for what it would read now.

        The tensors must have the shapes and dtypes that they had, and integers that may be indices must
        be from 0 on: NumPy takes others without an error.
        """
        return self._forms() == self.forms and all(
            np.min(getattr(arrays[i], "_array", arrays[i])) >= 0 for i in self.indices
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

    def errors(self) -> contextlib.AbstractContextManager:
        """Make the context of a run.

        BLAS can say "invalid" of sums of finite numbers, as it also reads what lies beyond the end of a
        row; sums that the function itself does not compute so are silent.
        """
        return contextlib.nullcontext() if self.exact else np.errstate(invalid="ignore")


def _without_symbols(args: tuple) -> tuple:
    """Arguments with the numbers of shapes alone, which else keep the symbol that they are of."""
    return tuple([tuple(a) if isinstance(a, Shape) else a for a in args])


def _may_be_index(array: np.ndarray | None) -> bool:
    return array is not None and array.dtype.kind == "i" and array.size > 0 and array.min() >= 0


class Instance:
    """A plan's program with memory of its own, which belongs to one thread.

    Attributes:
        program: makes a run.
        errors: makes what a run happens in.
        latest: the call that the memory is of.
    """

    def __init__(self, plan: Plan):
        space = dict(plan.space)
        exec(plan.code, space)
        self.program: Callable[..., Run] = space["program"]
        self.errors = plan.errors
        self.latest: ProgramCall | None = None


class ProgramCall:
    """One run of a program: forward, and once back."""

    __slots__ = ("instance", "result", "run")

    def __init__(self, instance: Instance, run: Run):
        instance.latest = None  # from now on, also after an error
        self.instance = instance
        self.run: Run | None = run
        with instance.errors():
            self.result = next(run)
        instance.latest = self

    def back(self, g: Any) -> list[np.ndarray]:
        """The gradients of the parents, for that of the result.

        Raises:
            GraphError: for a gradient that is a Tensor, at a second time, or after a later call.
        """
        itself = "or call the function itself, without mg.compile"
        if isinstance(g, Tensor):
            raise GraphError(
                f"a compiled call has no graph to differentiate again, as create_graph asks: leave that "
                f"out, {itself}"
            )
        if self.run is None:
            raise GraphError(
                f"this compiled call was already walked, and can be once: call it again, {itself}"
            )
        if self.instance.latest is not self:
            raise GraphError(
                f"a later call has overwritten the memory of this compiled one: call backward() before "
                f"the next call, {itself}"
            )
        run, self.run = self.run, None
        with self.instance.errors():
            return run.send(g)
