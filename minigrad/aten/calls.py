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
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.optim import optimizer
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from .. import errors
from ..engine import modes, source
from ..engine.node import Node
from ..engine.source import SourceLine, source_line
from ..engine.tensor import Tensor, tensor_of
from ..nn import Parameter
from ..recording import Note, memory_of, names_here
from ..with_blocks import no_grad
from .call import AtenCall, outputs_of, results, tensors_in
from .counterparts import Counterparts
from .functions import OwnBackward
from .hooks import in_function, refuse_transforms
from .numbers import Distance, array_of, distance, numpys, tolerance
from .rows.places import written_over, written_unseen
from .storages import Region, TorchStorage

source.pass_over(os.path.dirname(torch.__file__) + os.sep)

COMPOSITE = "CompositeImplicitAutograd"  # of what PyTorch writes in other calls
LARGEST_HALF = float(np.finfo(np.float16).max)
ELSEWHERE = "PyTorch computed it before the block, in another thread, or by other code than its own"


class Calls(TorchDispatchMode):
    """Sees each call, and keeps the value of each of PyTorch's tensors as a Tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.storages: dict[int, TorchStorage] = {}
        self.counterparts = Counterparts(self.value)
        self.leaves: dict[int, tuple[torch.Tensor, list[Tensor]]] = {}  # that require a gradient
        self.reasons: dict[Tensor, str] = {}  # why a constant is one, that has no row
        self.drawn: list[Tensor] = []  # constants that PyTorch drew
        self.taken: list[Tensor] = []  # leaves from outside the block
        self.severed: dict[Node, str] = {}  # leaves where a gradient ends, and why
        self.elsewhere: dict[Node, str] = {}  # leaves that PyTorch computed out of sight
        self.detached: dict[Any, tuple[Tensor, SourceLine | None]] = {}  # by memory; and where last
        self.unread: dict[str, int] = {}  # calls without a row, by name
        self.distances: list[Distance] = []
        self.half = False  # numbers of 16 bits were computed with 32
        self.results: list[Any] = []  # weak references to what was computed, oldest first
        self.functions: list[OwnBackward] = []
        self.hooked: dict[str, None] = {}  # what may change gradients, in the order of finding
        self.thread = threading.get_ident()  # hooks are called in every thread
        self.steps = 0  # optimizers that are just taking a step

    # --- values ------------------------------------------------------------------------------------

    def storage(self, theirs: torch.Tensor) -> TorchStorage:
        held = theirs.untyped_storage()
        storage, size = self.storages.get(held._cdata), held.nbytes()
        if storage is None or storage.reference.expired() or storage.nbytes != size:
            storage = self.storages[held._cdata] = TorchStorage(StorageWeakRef(held), size)
        return storage

    def knows(self, theirs: torch.Tensor) -> bool:
        """Tell whether a tensor was computed or used here."""
        return not theirs.is_sparse and bool(self.storage(theirs).values)

    def value(self, theirs: torch.Tensor) -> Tensor:
        """Our Tensor for one of PyTorch's; one that was not computed here becomes a leaf."""
        storage, region = self.storage(theirs), _region(theirs)
        ours = storage.read(region, functools.partial(self._outside, theirs))
        if ours._node is not None and ours._node.operation is None:
            now = array_of(theirs)
            if not _same(now, ours._array, theirs.dtype):
                ours = self._leaf(theirs, now)  # written by other means
                self.take(theirs, ours)
        if theirs.requires_grad and not ours.requires_grad and _with_gradients():
            ours = storage.values[region] = self._with_gradient(theirs, ours)
        elif ours.requires_grad and not theirs.requires_grad and not in_function():
            return ours.detach()
        elif ours.requires_grad and _collects(theirs):
            return self._own_leaf(theirs, ours)
        return ours

    def _outside(self, theirs: torch.Tensor, region: Region) -> Tensor:
        """A leaf with the numbers that a region of a storage holds now."""
        at = theirs.detach().as_strided(region.shape, region.strides, region.offset)
        return self._leaf(theirs if region == _region(theirs) else at, array_of(at))

    def _leaf(self, theirs: torch.Tensor, array: np.ndarray) -> Tensor:
        needs = theirs.requires_grad
        learned = isinstance(theirs, torch.nn.Parameter) or self.counterparts.holds(theirs)
        kind = Parameter if learned and _collects(theirs) else Tensor
        leaf = kind(array, requires_grad=needs)
        self.taken.append(leaf)
        storage = self.storage(theirs)
        storage.rough = max(storage.rough, tolerance(theirs.dtype))
        if _collects(theirs):  # each time it was changed
            self.leaves.setdefault(id(theirs), (theirs, []))[1].append(leaf)
            self.counterparts.renew(theirs, leaf)
        elif needs:
            self.elsewhere[leaf.node] = (
                f"a tensor of shape {leaf.shape}, used at {source_line()}, is a leaf here: {ELSEWHERE}"
            )
        return leaf

    def _own_leaf(self, theirs: torch.Tensor, ours: Tensor) -> Tensor:
        """The leaf for one of PyTorch's: `ours` may be of another, which shares its memory."""
        _, known = self.leaves.get(id(theirs), (None, []))
        if any(leaf is ours for leaf in known):
            return ours
        now = [leaf for leaf in known if _same(leaf._array, ours._array, theirs.dtype)]
        leaf = now[-1] if now else self._leaf(theirs, ours._array)
        self.take(theirs, leaf)
        return leaf

    def _with_gradient(self, theirs: torch.Tensor, ours: Tensor) -> Tensor:
        """A stand-in for a constant whose gradient PyTorch wants, or has a way for.

        What was written under no_grad(), or to .data, has for PyTorch the gradient of what was there
        before. Else it is a leaf.
        """
        before = self.storage(theirs).tracked.get(_region(theirs))
        if before is not None and not _collects(theirs):
            return written_unseen(before, ours)
        leaf = self._leaf(theirs, ours._array)
        return leaf if _collects(theirs) else self.sever(leaf, ours)

    def sever(self, leaf: Tensor, ours: Tensor) -> Tensor:
        """Note why no gradient can be told of a leaf that stands for `ours`; returns the leaf."""
        self.elsewhere.pop(leaf.node, None)
        self.severed[leaf.node] = self.reasons.get(ours) or (
            f"PyTorch has a gradient for a tensor of shape {ours.shape}, used at {source_line()}, "
            f"whose numbers came from elsewhere, as by NumPy: compute them by PyTorch's operations"
        )
        return leaf

    def take(self, theirs: torch.Tensor, ours: Tensor) -> None:
        """Take `ours` as the value of one of PyTorch's tensors, whatever was known of it."""
        storage = self.storage(theirs)
        storage.forget()
        storage.values[_region(theirs)] = ours

    def constant(self, theirs: torch.Tensor, name: str) -> Tensor:
        return Tensor(array_of(theirs), name=name)

    def note_hooks(self, called: Callable[[torch.Tensor], str]) -> None:
        """Note the tensors with hooks, which may change gradients, by what they are `called`."""
        alive = [t for r in self.results if (t := r()) is not None]
        for t in (*alive, *(theirs for theirs, _ in self.leaves.values())):
            if t._backward_hooks:
                self.hooked[f"{called(t)} has a hook on its gradient"] = None

    def called(self, cls: type, args: tuple, outputs: list, made: list) -> None:
        """See a call of an `autograd.Function`."""
        inputs = {id(t) for t in tensors_in(args)}  # one that it wrote into is seen through
        if made and not any(id(o) in inputs for o in outputs):
            self.functions.append(OwnBackward(cls, args, outputs, made, self))

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
        row = call.row()
        has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
        if row is None and has_kernel(func.name(), COMPOSITE):
            with self:  # as under inference_mode()
                return func.decompose(*args, **kwargs)
        ours: tuple[list, dict] = ([], {})
        reason = "" if row is not None or call.makes_constants else "it has no row"
        if row is not None:
            try:  # before PyTorch may write into them
                ours = call.as_ours(self.value)
            except errors.UnsupportedError:
                raise
            except Exception as problem:
                row, reason = None, f"its arguments cannot be taken: {_why(problem)}"
            if call.packet == "detach" and any(y.requires_grad for _, y in call.taken):
                ((_, y),) = call.taken
                self.detached[memory_of(y._array)] = y, source_line()
        rough = max((self.storage(t).rough for t, _ in call.taken), default=0.0)
        theirs = func(*args, **kwargs)
        if isinstance(theirs, (bool, int, float)):  # as for `item()` and an `if`
            for tensor in call.tensors():
                self.value(tensor)._read()
        self._computed(call, row, reason, ours, outputs_of(theirs), rough)
        return theirs

    def _computed(self, call, row, reason, ours, outputs, rough) -> None:
        values: Sequence[Any] = [None] * len(outputs)
        quiet = np.errstate(all="ignore")  # PyTorch does not warn
        with quiet, contextlib.nullcontext() if _with_gradients() else no_grad():
            if row is not None:
                try:
                    values = results(row, ours, outputs)
                except Exception as problem:
                    reason = f"its row cannot do it: {_why(problem)}"
            if reason and any(t.is_complex() for t in tensors_in([*call.tensors(), *outputs])):
                reason = (
                    f"aten.{call.name}, called at {source_line()}: complex numbers are not computed "
                    f"here. Compute with real and imaginary parts, each a tensor of its own, or under "
                    f"torch.no_grad()"
                )
            elif reason:
                reason = (
                    f"aten.{call.name}, called at {source_line()}: {reason}. Add a row for it, as in "
                    f"minigrad.aten.rows.ROWS[{call.packet!r}] = lambda self, ...: ..., or compute it "
                    f"under torch.no_grad()"
                )
            for output, value, written in zip(outputs, values, call.written_results()):
                if isinstance(output, torch.Tensor) and not output.is_complex():
                    self._result(call, output, value, written, reason, rough)
            returned = {id(o) for o in outputs}
            for tensor in call.written():
                if id(tensor) not in returned:
                    self._result(call, tensor, None, True, reason, rough)

    def _result(self, call, output, value, written, reason, rough) -> None:
        """Keep the value of a result, or make a constant of it."""
        storage, region = self.storage(output), _region(output)
        storage.rough = max(storage.rough, rough, tolerance(output.dtype))
        outside = functools.partial(self._outside, output)
        if value is not None:
            value = self._fitted(call, output, value, storage.rough)
        elif not written and storage.values:
            return  # a view: it is read when it is used
        if value is None:
            value = Tensor(array_of(output))
            if call.draws:
                value.name = f"drawn by {call.packet.rstrip('_')}"
                self.drawn.append(value)
            if reason:
                self.reasons[value] = reason
                self.unread[call.name] = self.unread.get(call.name, 0) + 1
            else:
                self.reasons[value] = (
                    f"aten.{call.name}, called at {source_line()}, gives a constant here"
                )
        old = next((y for t, y in call.taken if t is output), None) if written else None
        if old is not None and old.requires_grad and not value.requires_grad and _with_gradients():
            value = written_over(old, value)
        if written:
            keeps = output.requires_grad or value.requires_grad or in_function()
            with contextlib.nullcontext() if keeps else no_grad():
                storage.write(region, value, outside)
        else:
            storage.learn(region, value)
        if output.is_floating_point():
            self.results.append(weakref.ref(output))

    def _fitted(self, call: AtenCall, output: torch.Tensor, value: Any, rough: float) -> Tensor:
        """A value as a Tensor of the result's dtype, named and compared."""
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
        allowed = rough if output.is_floating_point() else 0.0
        line, held = source_line(), output.untyped_storage()._cdata
        is_view = not call.written() and any(
            t.untyped_storage()._cdata == held for t, _ in call.taken
        )
        compared = functools.partial(
            distance, value._array, output, f"aten.{call.name}", line, allowed, is_view
        )
        apart = compared()
        if apart.size == math.inf and not all(np.isfinite(y._array).all() for _, y in call.taken):
            apart = compared(of_finite=True)  # a NaN or an infinity spreads in more than one way
        if not apart.size <= apart.allowed:
            apart = self._unseen_write(call) or apart
        self.distances.append(apart)
        note: Note | None = None if value._node is None else value._node.note
        if note is not None:
            ours = {id(t): y for t, y in call.taken}
            held = names_here(t for t, _ in call.taken)
            note.names += [(ours[id(t)].node, name) for t, name in held]
        return value

    def _unseen_write(self, call: AtenCall) -> Distance | None:
        """The distance of an argument that was changed by other code than PyTorch's, if one was."""
        written = {id(t) for t in call.written()}
        for theirs, ours in call.taken:
            if id(theirs) not in written:
                of = f"an argument of aten.{call.name}, which code changed unseen,"
                apart = distance(ours._array, theirs, of, source_line(), self.storage(theirs).rough)
                if not apart.size <= apart.allowed:
                    return apart
        return None

    # --- modules and optimizers ----------------------------------------------------------------------

    @contextlib.contextmanager
    def hooks(self) -> Iterator[None]:
        """Within it, each call of a module is a box, and an optimizer's step makes new leaves."""

        mine = lambda: threading.get_ident() == self.thread

        def enter(module, args) -> None:
            refuse_transforms()
            if torch._C._current_graph_task_id() == -1 and mine():
                with _disable_current_modes():
                    counterpart = self.counterparts.of(module)
                modes.running.set(modes.Box(modes.running.get(), counterpart))

        def leave(module, args, output) -> None:
            box = modes.running.get()
            if (
                mine()
                and box is not None
                and box.owner is self.counterparts.known.get(id(module), (0, 0))[1]
            ):
                modes.running.set(box.outer)
                with _disable_current_modes():
                    self.counterparts.fill(module)

        def step(*_) -> None:
            self.steps += mine()

        def stepped(who, *_) -> None:
            self.steps -= mine()
            for group in who.param_groups:
                for parameter in group["params"]:
                    self.storage(parameter).forget()

        hooks = torch.nn.modules.module
        handles = [
            hooks.register_module_forward_pre_hook(enter),
            hooks.register_module_forward_hook(leave, always_call=True),
            optimizer.register_optimizer_step_pre_hook(step),
            optimizer.register_optimizer_step_post_hook(stepped),
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


def _region(theirs: torch.Tensor) -> Region:
    return Region(theirs.storage_offset(), tuple(theirs.shape), theirs.stride(), theirs.dtype)


def _collects(theirs: torch.Tensor) -> bool:
    """Tell whether PyTorch collects a gradient for it: not for a view made under no_grad()."""
    stale = theirs._is_view() and theirs._base.requires_grad
    return theirs.requires_grad and not stale and theirs.is_leaf


def _same(a: np.ndarray, b: np.ndarray, dtype: torch.dtype) -> bool:
    """Tell whether two arrays are the same, as numbers of a dtype of PyTorch's."""
    if numpys(dtype).itemsize == dtype.itemsize:
        return np.array_equal(a, b) or (
            a.dtype.kind == "f" and np.array_equal(a, b, equal_nan=True)
        )
    return torch.equal(torch.tensor(a).to(dtype), torch.tensor(b).to(dtype))


def _with_gradients() -> bool:
    """Tell whether ours get gradients: within a `forward` too, which is differentiated here."""
    return torch.is_grad_enabled() or in_function()


def _why(problem: Exception) -> str:
    return f"{type(problem).__name__}: {str(problem).splitlines()[0]}"
