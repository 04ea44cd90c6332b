"""Each call of PyTorch's operations, run by PyTorch and again by minigrad, and compared.

PyTorch dispatches a call to this file below its own autograd: only calls that compute are seen. Two
kinds of calls are passed over: those of a backward pass, for minigrad walks back itself; and those of
an optimizer's step, after which the parameters are new leaves.

PyTorch's program goes on, whatever goes wrong here. A row may be a function of the user's, and may raise
anything: so `_take_arguments` and `_from_row` catch every `Exception`. Then the result is a constant,
and its reason says what was raised. Only an `UnsupportedError` about an argument ends the program: it
says what to write in place of the call.
"""

from __future__ import annotations

import contextlib
import functools
import os
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .. import errors
from ..engine import modes, source
from ..engine.node import Node
from ..engine.source import source_line
from ..engine.tensor import Tensor
from ..ran.recording import Note, Recording
from ..ran.variables import names_here
from ..with_blocks import no_grad
from .aten_call import AtenCall, outputs_of, tensors_in
from .distances import Distance, distance, tolerance
from .ends import Ends
from .function_calls import in_function
from .functorch import refuse_transforms
from .hooks import Hooks
from .numbers import array_of
from .observations import GivenToLoss, Observations, Taken
from .own_backward import OwnBackward
from .row_results import but_for_rounding, converted, distance_of, results
from .rows.writes import written_over
from .values import Values, region_of, wants_gradients

source.pass_over(os.path.dirname(torch.__file__) + os.sep)

COMPOSITE = "CompositeImplicitAutograd"  # of what PyTorch writes in other calls


def in_backward() -> bool:
    """Tell whether PyTorch is just walking back, in this thread."""
    return torch._C._current_graph_task_id() != -1


class Output(NamedTuple):
    """A tensor that a call gave, or wrote into.

    Attributes:
        call: the call.
        tensor: PyTorch's tensor.
        place: its place among the results of the call; -1 for an argument that is not a result.
        written: whether it is an argument that the call wrote into.
    """

    call: AtenCall
    tensor: torch.Tensor
    place: int
    written: bool


class Calls(TorchDispatchMode):
    """Sees each call, has its row computed, and compares the results.

    Attributes:
        values: our Tensors for PyTorch's.
        functions: the calls of `autograd.Function` that have gradients.
        results: weak references to PyTorch's results, oldest first.
        steps: how many optimizers are just taking a step, as `modules.new_leaves` counts them.
        ends: where ways of gradients end.
        hooks: the user's, which may change a gradient.
        observed: what is said of it afterwards is made of.
        count: how many calls there were, which `begins` is told of.
    """

    def __init__(self) -> None:
        super().__init__()
        self.values = Values()
        self.functions: list[OwnBackward] = []
        self.results: list[Any] = []
        self.steps = 0
        self.ends, self.hooks = Ends(), Hooks()
        self.observed = Observations()
        self.count = 0
        self.begins: Callable[[str], None] = lambda part: None

    def alive(self) -> list[torch.Tensor]:
        """The results that are still held somewhere, oldest first."""
        return [t for r in self.results if (t := r()) is not None]

    def note_taken(self, theirs: torch.Tensor) -> None:
        """Note that Python got the numbers of a tensor: it may choose or compute with them."""
        ours = self.values.of(theirs)
        self.ends.note_end(ours)
        seen = [w.node_of(ours) for w in modes.mode.get().watchers if isinstance(w, Recording)]
        self.observed.taken.append(
            Taken(seen[0] if seen else ours.node, source_line(), modes.count())
        )

    def note_function(self, cls: type, args: tuple, outputs: list, context: Any) -> None:
        """Note a call of an `autograd.Function`, unless it returns an argument: then the calls inside it
        are enough."""
        inputs = {id(t) for t in tensors_in(args)}
        if not any(id(o) in inputs for o in outputs):
            self.functions.append(OwnBackward(cls, args, outputs, context, self.values))

    # --- calls -------------------------------------------------------------------------------------

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else the first call imports all of the compiler, for seconds

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        # A closure that an optimizer calls in its step has gradients, and is no part of the step.
        in_step = self.steps and not torch.is_grad_enabled()
        if in_backward() or in_step:
            return func(*args, **kwargs)
        refuse_transforms()
        call = AtenCall(func, args, kwargs)
        has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
        if call.row is None and has_kernel(func.name(), COMPOSITE):
            with self:  # as under inference_mode()
                return func.decompose(*args, **kwargs)
        self.count += 1
        self.begins(f"operation {self.count:,}")
        self._take_arguments(call)  # before PyTorch may write into them
        theirs = func(*args, **kwargs)
        if isinstance(theirs, (bool, int, float)):  # as for `item()` and an `if`
            self._note_number(call, theirs)
        call.outputs = outputs_of(theirs)
        learns = self._compute(call)
        self.ends.note_use(call, learns)
        return theirs

    def _note_number(self, call: AtenCall, number: bool | int | float) -> None:
        """Note that Python gets a number by this call. By a bool it chooses what to compute next."""
        for tensor in call.tensors():
            ours = self.values.of(tensor)
            ours._taken_out()
            self.ends.note_end(ours)
            if isinstance(number, bool):
                self.note_taken(tensor)

    def _take_arguments(self, call: AtenCall) -> None:
        """Take the arguments of a call as ours, and their roughness; or note why that cannot be done."""
        if call.row is None:
            call.reason = "" if call.makes_constants else "it has no row"
        else:
            try:
                call.take(self.values.of)
                if "loss" in call.packet or "cross_entropy" in call.packet:
                    self._note_loss(call)
            except errors.UnsupportedError:
                raise
            except Exception as problem:  # PyTorch goes on: see the beginning of this file
                call.row, call.reason = None, f"its arguments cannot be taken: {_why(problem)}"
            if call.packet == "detach" and any(y.requires_grad for _, y in call.pairs):
                ((_, y),) = call.pairs
                self.ends.note_cut(y._array, [y])
        call.rough = max((self.values.storage(t).rough for t, _ in call.pairs), default=0.0)

    def _note_loss(self, call: AtenCall) -> None:
        given, _ = call.ours
        if isinstance(given[0], Tensor) and given[0].requires_grad:
            self.observed.losses.append(GivenToLoss(call.packet, given, source_line()))

    # --- their results -----------------------------------------------------------------------------

    def _compute(self, call: AtenCall) -> bool:
        """Compute a call that PyTorch has run, and keep a value for each output.

        Returns:
            whether a gradient goes back from the call.
        """
        quiet = np.errstate(all="ignore")  # PyTorch does not warn
        with quiet, contextlib.nullcontext() if wants_gradients() else no_grad():
            values = self._from_row(call)
            for place, (tensor, written) in enumerate(zip(call.outputs, call.written_results())):
                if isinstance(tensor, torch.Tensor) and not tensor.is_complex():
                    self._keep(Output(call, tensor, place, written), values[place])
            returned = {id(o) for o in call.outputs}
            for tensor in call.written():
                if id(tensor) not in returned:
                    self._keep(Output(call, tensor, -1, written=True), None)
        learns = any(isinstance(v, Tensor) and v.requires_grad for v in values)
        return learns and wants_gradients() and call.packet != "detach"

    def _from_row(self, call: AtenCall) -> Sequence[Any]:
        """The value that the row gives for each output; None, and a reason, if it gives none."""
        values: Sequence[Any] = [None] * len(call.outputs)
        if call.row is not None:
            try:
                values = results(call.row, call.ours, call.outputs)
            except Exception as problem:  # PyTorch goes on: see the beginning of this file
                call.reason = f"its row cannot do it: {_why(problem)}"
        if call.reason:
            call.reason = _reason_with_remedy(call)
        return values

    def _keep(self, output: Output, value: Any) -> None:
        """Keep the value that a row gave for an output; a constant, if it gave None."""
        storage = self.values.storage(output.tensor)
        storage.rough = max(storage.rough, output.call.rough, tolerance(output.tensor.dtype))
        if value is not None:
            value = self._compared(output, value)
            _note_names(output.call, value)
            self._store(output, value)
        elif output.written or not storage.values:
            self._store(output, self._constant_of(output))
        # Otherwise the output is a view: it is read from its storage when it is used.

    def _store(self, output: Output, value: Tensor) -> None:
        """Make a value the one of an output."""
        theirs = output.tensor
        storage, region = self.values.storage(theirs), region_of(theirs)
        if output.written:
            value = _with_old_gradient(output, value)
        if value.requires_grad and wants_gradients() and output.call.packet != "detach":
            self.ends.note_result(value)
        if output.written:
            keeps = theirs.requires_grad or value.requires_grad or in_function()
            with contextlib.nullcontext() if keeps else no_grad():
                storage.write(region, value, functools.partial(self.values.from_outside, theirs))
        else:
            storage.learn(region, value)
        if theirs.is_floating_point():
            self.results.append(weakref.ref(theirs))

    def _constant_of(self, output: Output) -> Tensor:
        """A constant with the numbers that PyTorch computed; the reason for it is noted."""
        call, value = output.call, Tensor(array_of(output.tensor))
        if call.draws:
            value.name = f"drawn by {call.packet.rstrip('_')}"
            self.observed.drawn.append(value)
            known = [t for t in call.tensors() if self.values.knows(t)]
            if known and not (output.written or call.packet.endswith("_like")):  # of a shape alone
                self.ends.note_cut(value._array, [self.values.of(t) for t in known])
        if call.reason:
            self.values.reasons[value] = call.reason
            unread = self.observed.unread
            unread[call.name] = unread.get(call.name, 0) + 1
        else:
            self.values.reasons[value] = (
                f"aten.{call.name}, called at {source_line()}, gives a constant here"
            )
        return value

    def _compared(self, output: Output, value: Any) -> Tensor:
        """A value as our Tensor for an output; its distance from PyTorch's is noted."""
        call, theirs = output.call, output.tensor
        storage, is_floating = self.values.storage(theirs), theirs.is_floating_point()
        self.observed.half |= is_floating and theirs.dtype.itemsize == 2
        value = converted(value, theirs)
        apart = distance_of(call, value, theirs, storage.rough)
        if not apart.is_rounding:
            apart = self._unseen_write(call) or but_for_rounding(apart, call, output.place)
        storage.rough = max(storage.rough, apart.allowed if is_floating else 0.0)
        self.observed.distances.append(apart)
        return value

    def _unseen_write(self, call: AtenCall) -> Distance | None:
        """The distance of an argument that code outside PyTorch has changed, if there is one."""
        written = {id(t) for t in call.written()}
        for theirs, ours in call.pairs:
            if id(theirs) not in written:
                of = f"an argument of aten.{call.name}, which code changed unseen,"
                apart = distance(
                    ours._array, theirs, of, source_line(), self.values.storage(theirs).rough
                )
                if not apart.is_rounding:
                    return apart
        return None


def _with_old_gradient(output: Output, value: Tensor) -> Tensor:
    """The value written into an argument.

    If PyTorch wants a gradient and the value has none, it gets the way back of the old value.
    """
    old = next((ours for theirs, ours in output.call.pairs if theirs is output.tensor), None)
    if old is not None and old.requires_grad and not value.requires_grad and wants_gradients():
        return written_over(old, value)
    return value


def _reason_with_remedy(call: AtenCall) -> str:
    """The reason why a result of a call is a constant, its line, and a remedy."""
    begin = f"aten.{call.name}, called at {source_line()}:"
    if any(t.is_complex() for t in tensors_in([*call.tensors(), *call.outputs])):
        return (
            f"{begin} complex numbers are not computed here. Compute with real and imaginary parts, "
            f"each a tensor of its own, or under torch.no_grad()"
        )
    return (
        f"{begin} {call.reason}. Add a row for it, as in "
        f"minigrad.aten.rows.ROWS[{call.packet!r}] = lambda self, ...: ..., or compute it under "
        f"torch.no_grad()"
    )


def _note_names(call: AtenCall, value: Tensor) -> None:
    """Note the variables of the user that hold the arguments of the call that gave a value.

    If an argument is a leaf in another shape, the leaf gets the name of the argument, or of its base.
    """
    note: Note | None = None if value._node is None else value._node.note
    if note is None:
        return
    for theirs, ours in call.pairs:
        base, leaf = theirs._base, _leaf_in_another_shape(ours.node)
        whole = base is not None and base.numel() == theirs.numel()
        variables = names_here([theirs, base] if whole and leaf is not None else [theirs])
        for tensor, name in variables:
            nodes = [ours.node, leaf] if tensor is theirs else [leaf]
            note.names += [(node, name) for node in nodes if node is not None]


def _leaf_in_another_shape(node: Node) -> Node | None:
    """The leaf that a node is, or is a reshaped copy of; None if another operation made the node."""
    while node.operation is not None:
        source = node.note.sources[0] if node.note is not None and node.note.sources else None
        if node.operation.function is not np.reshape or not isinstance(source, Node):
            return None
        node = source
    return node


def _why(problem: Exception) -> str:
    return f"{type(problem).__name__}: {str(problem).splitlines()[0]}"
