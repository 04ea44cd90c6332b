"""A run of a program: forward, as one node of the graph, and once back.

    call = ProgramCall(instance, instance.program(w, x))
    y = one_node(call, parents)

`y.backward()` calls `call.back`, which is the rule of that node.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..engine.node import Edge, Node, new, outline
from ..engine.table import lookup, rule
from ..engine.tensor import Array, Tensor, tensor_of
from ..errors import GraphError

Run = Generator[Any, Any, None]


class CompiledProgram(NamedTuple):
    """A program that can run.

    Attributes:
        text: the program; `code`, the same compiled by Python.
        space: the arrays and functions that the text names, but does not define.
        unchecked: functions that the text defines without their checks, which run with them.
    """

    text: str
    code: types.CodeType
    space: Mapping[str, Any]
    unchecked: Mapping[str, Callable]


class Instance:
    """A program with memory of its own, which belongs to one thread.

    Attributes:
        program: makes a run.
        exact: whether its results have the bits of the function's own.
        latest: the call that the memory is of.
    """

    def __init__(self, program: CompiledProgram, exact: bool):
        space = dict(program.space)
        exec(program.code, space)
        # Of the checks that are left out, other numbers may fail one.
        space.update(program.unchecked)
        self.program: Callable[..., Run] = space["program"]
        self.exact = exact
        self.latest: ProgramCall | None = None

    def errors(self) -> contextlib.AbstractContextManager:
        """Make the context of a run.

        BLAS may report "invalid" for sums of finite numbers, as it also reads memory beyond the end of a
        row. If the function itself does not make these sums by BLAS, the report is silenced.
        """
        return contextlib.nullcontext() if self.exact else np.errstate(invalid="ignore")


class ProgramCall:
    """One run of a program: forward, and once back."""

    __slots__ = ("instance", "result", "run")
    to_be_seen = "compute inside `with mg.record():`, where a compiled function runs as it is"

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
                f"the next call, compile one function that makes both calls, {itself}"
            )
        run, self.run = self.run, None
        with self.instance.errors():
            return run.send(g)


# --- one node of the graph ---------------------------------------------------------------------------


def compiled_call(call: ProgramCall, _parents: list[Tensor]) -> Array:
    """The result of a run, computed from its parents: one operation of the table."""
    return call.result


compiled_call = rule(
    compiled_call, None, lambda g, _y, call, _parents: call.back(g), makes_new=True
)
OPERATION = lookup(compiled_call)


def one_node(call: ProgramCall, parents: list[Tensor]) -> Tensor:
    """The result of a run as a Tensor, with the node that a call of `compiled_call` would give it.

    Such a call would look at each parent again, and there may be hundreds.
    """
    edges = [new(Edge, (1, item, parent.node)) for item, parent in enumerate(parents)]
    shape = outline(call.result.shape, call.result.dtype)
    saved = shape, call, [shape] * len(parents)
    return tensor_of(call.result, Node(call.result, OPERATION, saved, {}, edges))  # type: ignore[arg-type]
