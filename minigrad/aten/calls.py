"""Each call of PyTorch's operations, run by PyTorch and again by minigrad, and compared.

The calls come from below PyTorch's own autograd, so they are what was computed, and no more. Calls that
its backward pass makes are passed over: minigrad has a backward pass of its own. So are those of an
optimizer's step: the parameters that it leaves are leaves again.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .. import errors
from ..engine import modes, source
from ..engine.node import Node
from ..engine.source import SourceLine, source_line
from ..engine.tensor import Tensor, tensor_of
from ..ran.recording import Note, Recording, memory_of, names_here
from ..with_blocks import no_grad
from .aten_call import AtenCall, outputs_of, results, tensors_in
from .functions import OwnBackward
from .hooks import in_function, refuse_transforms
from .numbers import (
    LAST_BITS,
    ROUNDINGS,
    Distance,
    array_of,
    distance,
    numpys,
    rounded_otherwise,
    tolerance,
)
from .rows.places import written_over
from .values import Values, collects, region_of, wants_gradients

source.pass_over(os.path.dirname(torch.__file__) + os.sep)

COMPOSITE = "CompositeImplicitAutograd"  # of what PyTorch writes in other calls
HOOKED = "{} has a hook on its gradient"
MOST_ENDS = 100  # values that no gradient comes to, whose graphs are kept to tell of them
LARGEST_HALF = float(np.finfo(np.float16).max)


class Calls(TorchDispatchMode):
    """Sees each call, has its row computed, and compares the results."""

    def __init__(self) -> None:
        super().__init__()
        self.values = Values()
        self.drawn: list[Tensor] = []  # constants that PyTorch drew
        self.taken: list[
            tuple[Node, SourceLine | None, int]
        ] = []  # and when, in the order of nodes
        self.detached: dict[Any, tuple[Tensor, SourceLine | None]] = {}  # by memory; and where last
        self.used: dict[int, Any] = {}  # those of PyTorch's leaves that gradients were to come to
        # Values that no gradient comes to, newest last, and the line that used them otherwise.
        self.ends: dict[Node, SourceLine | None] = {}
        self.unread: dict[str, int] = {}  # calls without a row, by name
        self.distances: list[Distance] = []
        self.half = False  # numbers of 16 bits were computed with 32
        self.results: list[Any] = []  # weak references to what was computed, oldest first
        self.functions: list[OwnBackward] = []
        # What may change gradients, by the identity of a tensor or module, and the line, if known.
        self.hooked: dict[int, tuple[str, SourceLine | None]] = {}
        self.steps = 0  # optimizers that are just taking a step

    def alive(self) -> list[torch.Tensor]:
        """The results that are still held somewhere, oldest first."""
        return [t for r in self.results if (t := r()) is not None]

    def note_hooks(self, called: Callable[[torch.Tensor], str]) -> None:
        """Note the tensors with hooks, which may change gradients, by what they are `called`."""
        for t in (*self.alive(), *(theirs for theirs, _ in self.values.leaves.values())):
            if t._backward_hooks or t._post_accumulate_grad_hooks:
                _, line = self.hooked.get(id(t), ("", None))
                hooks = (*(t._backward_hooks or {}).values(),)
                self.hooked[id(t)] = HOOKED.format(called(t)), line or _line_of(hooks)
        for module, _ in self.values.counterparts.known.values():
            if module._backward_hooks or module._backward_pre_hooks:
                self.hooked[id(module)] = f"a {type(module).__name__} has a backward hook", None

    def note_taken(self, theirs: torch.Tensor) -> None:
        """Note that Python has the numbers of a tensor, and may choose by them, or compute with them."""
        ours = self.values.of(theirs)
        self._note_end(ours)
        seen = [w.node_of(ours) for w in modes.mode.get().watchers if isinstance(w, Recording)]
        self.taken.append((seen[0] if seen else ours.node, source_line(), modes.count()))

    def note_function(self, cls: type, args: tuple, outputs: list, made: list) -> None:
        """Note a call of an `autograd.Function`."""
        inputs = {id(t) for t in tensors_in(args)}  # one that it wrote into is seen through
        if made and not any(id(o) in inputs for o in outputs):
            self.functions.append(OwnBackward(cls, args, outputs, made, self.values))

    # --- calls -------------------------------------------------------------------------------------

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else the first call imports all of the compiler, for seconds

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if torch._C._current_graph_task_id() != -1 or (self.steps and not torch.is_grad_enabled()):
            return func(*args, **kwargs)
        refuse_transforms()
        call = AtenCall(func, args, kwargs)
        has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
        if call.row is None and has_kernel(func.name(), COMPOSITE):
            with self:  # as under inference_mode()
                return func.decompose(*args, **kwargs)
        self._take_arguments(call)  # before PyTorch may write into them
        theirs = func(*args, **kwargs)
        if isinstance(theirs, (bool, int, float)):  # as for `item()` and an `if`
            for tensor in call.tensors():
                self.values.of(tensor)._read()
                self._note_end(self.values.of(tensor))
                if isinstance(theirs, bool):
                    self.note_taken(tensor)
        self._note_use(call, self._compute(call, outputs_of(theirs)))
        return theirs

    def _note_end(self, ours: Tensor) -> None:
        """Note the line if a value that no gradient comes to yet is used where none goes back."""
        if ours.requires_grad and self.ends.get(ours.node, ours) is None:
            self.ends[ours.node] = source_line()

    def _note_use(self, call: AtenCall, learns: bool) -> None:
        """Note the use of each argument; `learns`: a gradient goes back from the results."""
        for tensor, ours in call.pairs:
            if not learns:
                self._note_end(ours)
            elif ours.requires_grad:
                self.ends.pop(ours.node, None)
                if collects(tensor):
                    self.used[id(tensor)] = tensor
        while len(self.ends) > MOST_ENDS:
            del self.ends[next(iter(self.ends))]

    def _take_arguments(self, call: AtenCall) -> None:
        """Take the arguments of a call as ours, and how rough they are; or note why that cannot be."""
        if call.row is None:
            call.reason = "" if call.makes_constants else "it has no row"
        else:
            try:
                call.ours = call.as_ours(self.values.of)
            except errors.UnsupportedError:
                raise
            except Exception as problem:
                call.row, call.reason = None, f"its arguments cannot be taken: {_why(problem)}"
            if call.packet == "detach" and any(y.requires_grad for _, y in call.pairs):
                ((_, y),) = call.pairs
                self.detached[memory_of(y._array)] = y, source_line()
        call.rough = max((self.values.storage(t).rough for t, _ in call.pairs), default=0.0)

    def _compute(self, call: AtenCall, outputs: list) -> bool:
        """Call the row for a call that PyTorch has run to `outputs`, and keep what it gives; tell
        whether a gradient goes back from there."""
        values: Sequence[Any] = [None] * len(outputs)
        quiet = np.errstate(all="ignore")  # PyTorch does not warn
        with quiet, contextlib.nullcontext() if wants_gradients() else no_grad():
            if call.row is not None:
                try:
                    values = results(call.row, call.ours, outputs)
                except Exception as problem:
                    call.reason = f"its row cannot do it: {_why(problem)}"
            if call.reason:
                call.reason = _reason_with_remedy(call, outputs)
            again = functools.partial(_with_pytorchs, call, call.row, outputs)
            for place, (output, value, written) in enumerate(
                zip(outputs, values, call.written_results())
            ):
                if isinstance(output, torch.Tensor) and not output.is_complex():
                    self._keep(call, output, value, written, functools.partial(again, place))
            returned = {id(o) for o in outputs}
            for tensor in call.written():
                if id(tensor) not in returned:
                    self._keep(call, tensor, None, True, again)
        learns = any(isinstance(v, Tensor) and v.requires_grad for v in values)
        return learns and call.packet != "detach"

    def _keep(
        self, call: AtenCall, output: Any, value: Any, written: bool, alone: Callable[..., Any]
    ) -> None:
        """Keep the value of a result, or make a constant of it; `alone` computes it from PyTorch's."""
        storage, region = self.values.storage(output), region_of(output)
        storage.rough = max(storage.rough, call.rough, tolerance(output.dtype))
        outside = functools.partial(self.values.from_outside, output)
        if value is not None:
            value = self._converted(output, value)
            apart = self._compared(call, output, value, storage.rough, alone)
            storage.rough = max(storage.rough, apart.allowed if output.is_floating_point() else 0.0)
            self.distances.append(apart)
            _note_names(call, value)
        elif not written and storage.values:
            return  # a view: it is read when it is used
        else:
            value = self._constant_of(call, output)
        old = next((y for t, y in call.pairs if t is output), None) if written else None
        if old is not None and old.requires_grad and not value.requires_grad and wants_gradients():
            value = written_over(old, value)
        if value.requires_grad and call.packet != "detach":
            self.ends[value.node] = None
        if written:
            keeps = output.requires_grad or value.requires_grad or in_function()
            with contextlib.nullcontext() if keeps else no_grad():
                storage.write(region, value, outside)
        else:
            storage.learn(region, value)
        if output.is_floating_point():
            self.results.append(weakref.ref(output))

    def _constant_of(self, call: AtenCall, output: torch.Tensor) -> Tensor:
        """A result as PyTorch computed it, with the reason why it is a constant."""
        value = Tensor(array_of(output))
        if call.draws:
            value.name = f"drawn by {call.packet.rstrip('_')}"
            self.drawn.append(value)
        if call.reason:
            self.values.reasons[value] = call.reason
            self.unread[call.name] = self.unread.get(call.name, 0) + 1
        else:
            self.values.reasons[value] = (
                f"aten.{call.name}, called at {source_line()}, gives a constant here"
            )
        return value

    def _converted(self, output: torch.Tensor, value: Any) -> Tensor:
        """A value as a Tensor of the dtype and the shape of PyTorch's result."""
        expected, shape = numpys(output.dtype), tuple(output.shape)
        value = value if isinstance(value, Tensor) else tensor_of(np.asarray(value))
        self.half |= output.is_floating_point() and output.dtype.itemsize == 2
        if value.dtype != expected:
            value = value.astype(expected)
        if value.shape != shape:
            same = value.size == output.numel()  # of an axis of length 1 for none
            value = np.reshape(value, shape) if same else np.broadcast_to(value, shape)
        if output.dtype == torch.float16 and np.abs(value._array).max(initial=0) > LARGEST_HALF:
            value = value.astype(np.float16).astype(expected)  # to infinity, as there
        return value

    def _compared(
        self, call: AtenCall, output: torch.Tensor, value: Tensor, rough: float,
        alone: Callable[..., Any],
    ) -> Distance:  # fmt: skip
        """The distance of a value from PyTorch's result."""
        allowed = rough if output.is_floating_point() else 0.0
        line, memory = source_line(), output.untyped_storage()._cdata
        is_view = not call.written() and any(
            t.untyped_storage()._cdata == memory for t, _ in call.pairs
        )
        compared = functools.partial(
            distance, value._array, output, f"aten.{call.name}", line, allowed, is_view
        )
        apart = compared()
        if apart.size == math.inf and not all(np.isfinite(y._array).all() for _, y in call.pairs):
            apart = compared(of_finite=True)  # a NaN or an infinity spreads in more than one way
        if not apart.size <= apart.allowed:
            apart = self._unseen_write(call) or self._rounded_before(apart, call, output, alone)
        return apart

    def _rounded_before(
        self, apart: Distance, call: AtenCall, output: torch.Tensor, alone: Callable[..., Any]
    ) -> Distance:
        """The same distance; it is due to rounding if the row gives PyTorch's result for its numbers, or
        if these, rounded otherwise, give as different ones.

        A difference of large numbers, as in a model that has diverged, makes the rounding of what came
        before as large as the result.
        """
        if call.written() or not math.isfinite(apart.size):
            return apart
        with no_grad():
            value, other = (
                self._converted(output, alone(last_bits=n))._array for n in (0.0, LAST_BITS)
            )
        here = distance(value, output, apart.of)
        moved = ROUNDINGS * distance(array_of(output) + (other - value), output, apart.of).size
        is_rounding = here.size <= max(here.allowed, moved)
        return apart._replace(allowed=2 * apart.size) if is_rounding else apart

    def _unseen_write(self, call: AtenCall) -> Distance | None:
        """The distance of an argument that was changed by other code than PyTorch's, if one was."""
        written = {id(t) for t in call.written()}
        for theirs, ours in call.pairs:
            if id(theirs) not in written:
                of = f"an argument of aten.{call.name}, which code changed unseen,"
                apart = distance(
                    ours._array, theirs, of, source_line(), self.values.storage(theirs).rough
                )
                if not apart.size <= apart.allowed:
                    return apart
        return None


def _line_of(functions: Sequence[Any]) -> SourceLine | None:
    """The line where the first of these functions that is Python's begins."""
    codes = (f.__code__ for f in functions if hasattr(f, "__code__"))
    return next((SourceLine(c.co_filename, c.co_firstlineno) for c in codes), None)


def _reason_with_remedy(call: AtenCall, outputs: list) -> str:
    """Say why a result of a call is a constant, at which line, and what helps."""
    begin = f"aten.{call.name}, called at {source_line()}:"
    if any(t.is_complex() for t in tensors_in([*call.tensors(), *outputs])):
        return (
            f"{begin} complex numbers are not computed here. Compute with real and imaginary parts, "
            f"each a tensor of its own, or under torch.no_grad()"
        )
    return (
        f"{begin} {call.reason}. Add a row for it, as in "
        f"minigrad.aten.rows.ROWS[{call.packet!r}] = lambda self, ...: ..., or compute it under "
        f"torch.no_grad()"
    )


def _with_pytorchs(
    call: AtenCall, row: Any, outputs: list, place: int, last_bits: float = 0.0
) -> Any:
    """The result of a row for PyTorch's own numbers, moved by so many last bits, in place of ours."""
    moved = rounded_otherwise(last_bits)
    given = call.as_ours(lambda theirs: tensor_of(moved(array_of(theirs))))
    return results(row, given, outputs)[place]


def _note_names(call: AtenCall, value: Tensor) -> None:
    """Note which variables of the user's hold the arguments of the call that gave a value."""
    note: Note | None = None if value._node is None else value._node.note
    if note is not None:
        ours = {id(t): y for t, y in call.pairs}
        held = names_here(t for t, _ in call.pairs)
        note.names += [(ours[id(t)].node, name) for t, name in held]


def _why(problem: Exception) -> str:
    return f"{type(problem).__name__}: {str(problem).splitlines()[0]}"
