"""Each call of PyTorch's operations, run by PyTorch and again by minigrad, and compared.

The calls come from below PyTorch's own autograd, so they are what was computed, and no more. Calls that
its backward pass makes are passed over: minigrad has a backward pass of its own.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ..engine import modes, source
from ..engine.node import Node
from ..engine.source import SourceLine, source_line
from ..engine.tensor import Tensor, tensor_of
from ..nn import Parameter
from ..recording import Note, names_here
from ..with_blocks import no_grad
from .counterparts import Counterparts
from .rows import ROWS
from .storages import Region, TorchStorage

TORCH = os.path.dirname(torch.__file__) + os.sep
source.pass_over(TORCH)

# Options that change where a result lies, or how, and none of its numbers; dtypes are converted.
OF_MEMORY = {
    "device", "dtype", "generator", "layout", "memory_format", "non_blocking", "out", "pin_memory",
}  # fmt: skip
TOLERANCES = {torch.float64: 1e-9, torch.float32: 2e-4}  # for others `ROUGH`, as with 8 bits
ROUGH = 0.05


class Distance(NamedTuple):
    """The distance of a value of ours from PyTorch's.

    Attributes:
        size: the largest |ours - theirs| / (1 + |theirs|).
        allowed: the size up to which it is due to rounding.
        of: ATen's function, or the name of a gradient.
        line: of the call.
    """

    size: float
    allowed: float
    of: str
    line: SourceLine | None = None


def distance(ours: Any, theirs: torch.Tensor, of: str, line: SourceLine | None = None) -> Distance:
    """Compare an array of ours with a tensor of PyTorch's of the same shape."""
    expected = array_of(theirs)
    with np.errstate(all="ignore"):
        wide = np.asarray(ours, np.float64), np.asarray(expected, np.float64)
        apart = np.abs(wide[0] - wide[1]) / (1 + np.abs(wide[1]))
        same = (wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1]))
    size = float(np.where(same, 0, np.where(np.isfinite(apart), apart, np.inf)).max(initial=0))
    return Distance(size, TOLERANCES.get(theirs.dtype, ROUGH), of, line)


def array_of(theirs: torch.Tensor) -> np.ndarray:
    """The numbers of one of PyTorch's tensors; those with 16 bits as float32."""
    plain = theirs.detach().resolve_conj().resolve_neg()
    if plain.is_floating_point() and plain.dtype != torch.float64:
        plain = plain.float()
    return plain.to_dense().cpu().numpy() if plain.is_sparse else plain.cpu().numpy()


class Calls(TorchDispatchMode):
    """Sees each call, and keeps the value of each of PyTorch's tensors as a Tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.storages: dict[int, TorchStorage] = {}
        self.counterparts = Counterparts(self.value)
        self.leaves: dict[int, tuple[torch.Tensor, list[Tensor]]] = {}  # that require a gradient
        self.reasons: dict[Tensor, str] = {}  # why a constant is one, that has no row
        self.severed: dict[Node, str] = {}  # leaves where a gradient ends, and why
        self.unread: dict[str, int] = {}  # calls without a row, by name
        self.distances: list[Distance] = []
        self.half = False  # numbers of 16 bits were computed with 32
        self.results: list[Any] = []  # weak references to what was computed, oldest first

    # --- values ------------------------------------------------------------------------------------

    def storage(self, theirs: torch.Tensor) -> TorchStorage:
        held = theirs.untyped_storage()
        return self.storages.setdefault(held._cdata, TorchStorage(held))

    def knows(self, theirs: torch.Tensor) -> bool:
        """Tell whether a tensor was computed or used here."""
        storage = self.storages.get(theirs.untyped_storage()._cdata)
        return storage is not None and bool(storage.values)

    def value(self, theirs: torch.Tensor) -> Tensor:
        """Our Tensor for one of PyTorch's; one that was not computed here becomes a leaf."""
        storage, region = self.storage(theirs), _region(theirs)
        ours = storage.read(region, functools.partial(self._outside, theirs))
        if ours._node is not None and ours._node.operation is None:
            now = array_of(theirs)
            if not np.array_equal(now, ours._array, equal_nan=now.dtype.kind == "f"):
                ours = storage.values[region] = self._leaf(theirs, now)  # written by other means
        if theirs.requires_grad and not ours.requires_grad and _with_gradients():
            ours = storage.values[region] = self._with_gradient(theirs, ours)
        elif ours.requires_grad and not theirs.requires_grad and not _in_function():
            return ours.detach()
        return ours

    def _outside(self, theirs: torch.Tensor, region: Region) -> Tensor:
        """A leaf with the numbers that a region of a storage holds now."""
        at = theirs.detach().as_strided(region.shape, region.strides, region.offset)
        return self._leaf(theirs if region == _region(theirs) else at, array_of(at))

    def _leaf(self, theirs: torch.Tensor, array: np.ndarray) -> Tensor:
        needs = theirs.requires_grad
        kind = Parameter if isinstance(theirs, torch.nn.Parameter) and needs else Tensor
        leaf = kind(array, requires_grad=needs)
        if needs and theirs.is_leaf:
            self.leaves.setdefault(id(theirs), (theirs, []))[1].append(
                leaf
            )  # each time it was changed
        return leaf

    def _with_gradient(self, theirs: torch.Tensor, ours: Tensor) -> Tensor:
        """A leaf in region of a constant whose gradient PyTorch wants, or has a way for."""
        leaf = self._leaf(theirs, ours._array)
        if not theirs.is_leaf:
            self.severed[leaf.node] = self.reasons.get(ours) or (
                f"PyTorch has a gradient for a tensor of shape {ours.shape} that minigrad saw only "
                f"without one, used at {source_line()}"
            )
        return leaf

    # --- calls -------------------------------------------------------------------------------------

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if torch._C._current_graph_task_id() != -1:
            return func(*args, **kwargs)
        call = AtenCall(func, args, kwargs)
        row = call.row()
        ours: tuple[list, dict] = ([], {})
        reason = "" if row is not None or call.makes_constants else "it has no row"
        if row is not None:
            try:  # before PyTorch may write into them
                ours = call.as_ours(self.value)
            except Exception as problem:
                row, reason = None, f"its arguments cannot be taken: {_why(problem)}"
        theirs = func(*args, **kwargs)
        self._computed(call, row, reason, ours, _outputs(theirs))
        return theirs

    def _computed(self, call, row, reason, ours, outputs) -> None:
        values: Sequence[Any] = [None] * len(outputs)
        if row is not None:
            try:
                with contextlib.nullcontext() if _with_gradients() else no_grad():
                    values = _results(row, ours, outputs)
            except Exception as problem:
                reason = f"its row cannot do it: {_why(problem)}"
        if reason:
            reason = (
                f"aten.{call.name}, called at {source_line()}: {reason}. Add a row for it, as in "
                f"minigrad.aten.rows.ROWS[{call.packet!r}] = lambda self, ...: ..., or compute it "
                f"under torch.no_grad()"
            )
        for output, value, written in zip(outputs, values, call.written_results()):
            if isinstance(output, torch.Tensor) and not output.is_complex():
                self._result(call, output, value, written, reason)
        returned = {id(o) for o in outputs}
        for tensor in call.written():
            if id(tensor) not in returned:
                self._result(call, tensor, None, True, reason)

    def _result(self, call, output, value, written, reason) -> None:
        """Keep the value of a result, or make a constant of it."""
        storage, region = self.storage(output), _region(output)
        outside = functools.partial(self._outside, output)
        if value is not None:
            value = self._fitted(call, output, value)
        elif not written and storage.values:
            return  # a view: it is read when it is used
        if value is None:
            value = Tensor(array_of(output))
            if call.draws:
                value.name = f"drawn by {call.packet.rstrip('_')}"
            if reason:
                self.reasons[value] = reason
                self.unread[call.name] = self.unread.get(call.name, 0) + 1
            else:
                self.reasons[value] = (
                    f"aten.{call.name}, called at {source_line()}, gives a constant here"
                )
        if written:
            storage.write(region, value, outside)
        else:
            storage.learn(region, value)
        if output.is_floating_point():
            self.results.append(weakref.ref(output))

    def _fitted(self, call: AtenCall, output: torch.Tensor, value: Any) -> Tensor | None:
        """A value as a Tensor of the result's dtype, named and compared."""
        expected = _numpys(output.dtype)
        value = value if isinstance(value, Tensor) else tensor_of(np.asarray(value))
        self.half |= output.is_floating_point() and output.dtype.itemsize == 2
        if value.dtype != expected:
            value = value.astype(expected)
        if value.shape != tuple(output.shape):
            value = np.broadcast_to(value, tuple(output.shape))
        self.distances.append(distance(value._array, output, f"aten.{call.name}", source_line()))
        note: Note | None = None if value._node is None else value._node.note
        if note is not None:
            ours = {id(t): y for t, y in call.taken}
            held = names_here(t for t, _ in call.taken)
            note.names += [(ours[id(t)].node, name) for t, name in held]
        return value

    # --- modules -----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def modules(self) -> Iterator[None]:
        """Within it, each call of a module is a box."""

        def enter(module, args) -> None:
            if torch._C._current_graph_task_id() == -1:
                with torch.utils._python_dispatch._disable_current_modes():
                    counterpart = self.counterparts.of(module)
                modes.running.set(modes.Box(modes.running.get(), counterpart))

        def leave(module, args, output) -> None:
            box = modes.running.get()
            if box is not None and box.owner is self.counterparts.known.get(id(module), (0, 0))[1]:
                modes.running.set(box.outer)

        hooks = torch.nn.modules.module
        handles = [
            hooks.register_module_forward_pre_hook(enter),
            hooks.register_module_forward_hook(leave, always_call=True),
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


class AtenCall:
    """One call of an ATen function."""

    def __init__(self, func: Any, args: tuple, kwargs: dict):
        self.schema = func._schema
        self.packet = func._overloadpacket.__name__
        overload = self.schema.overload_name
        self.name = f"{self.packet}.{overload}" if overload else self.packet
        self.draws = torch.Tag.nondeterministic_seeded in func.tags
        parameters = self.schema.arguments
        self.given = {p.name: a for p, a in zip(parameters, args)} | kwargs
        self.taken: list[tuple[torch.Tensor, Tensor]] = []  # tensors among them, and ours

    @property
    def makes_constants(self) -> bool:
        """Tell whether it reads no numbers: it draws them, or makes ones, zeros and their like."""
        like = self.packet.endswith("_like") or self.packet.startswith("new_")
        return self.draws or like or not self.tensors()

    def row(self) -> Callable | None:
        plain = self.packet.removesuffix("_")
        return ROWS.get(self.name) or ROWS.get(self.packet) or ROWS.get(plain)

    def as_ours(self, value: Callable[[torch.Tensor], Tensor]) -> tuple[list, dict]:
        """The arguments as a row takes them, without those at their defaults at the end."""
        by_position: list[Any] = []
        by_name: dict[str, Any] = {}
        needed = 0
        for p in self.schema.arguments:
            default = p.default_value if p.has_default_value() else inspect.Parameter.empty
            given = self.given.get(p.name, default)
            is_default = given is default or (
                type(given) in (bool, int, float, list, str) and given == default
            )
            if p.kwarg_only:
                if not is_default and p.name not in OF_MEMORY:
                    by_name[p.name] = self._as_ours(given, value)
                continue
            by_position.append(self._as_ours(given, value))
            needed = needed if is_default or p.name in OF_MEMORY else len(by_position)
        return by_position[:needed], by_name

    def _as_ours(self, given: Any, value: Callable[[torch.Tensor], Tensor]) -> Any:
        if isinstance(given, torch.Tensor):
            self.taken.append((given, value(given)))
            return self.taken[-1][1]
        if isinstance(given, (list, tuple)):
            return [self._as_ours(a, value) for a in given]
        return given

    def tensors(self) -> list[torch.Tensor]:
        return list(_tensors(self.given.values()))

    def written(self) -> list[torch.Tensor]:
        """The tensors that it writes into."""
        names = [p.name for p in self.schema.arguments if p.alias_info and p.alias_info.is_write]
        return list(_tensors([self.given.get(name) for name in names]))

    def written_results(self) -> Iterator[bool]:
        """Tell for each result whether it is an argument that was written into."""
        for r in self.schema.returns:
            yield bool(r.alias_info and r.alias_info.is_write)
        while True:
            yield False


def _results(row: Callable, ours: tuple[list, dict], outputs: list) -> list:
    """AtenCall a row, and list what it gives, as many as PyTorch's results."""
    args, options = ours
    if "theirs" in _names(row):
        options = {
            **options,
            "theirs": [array_of(o) if isinstance(o, torch.Tensor) else o for o in outputs],
        }
    values = row(*args, **options)
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    return values + [None] * (len(outputs) - len(values))


@functools.cache
def _names(row: Callable) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(row).parameters)
    except ValueError:  # a ufunc
        return ()


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for v in values:
        if isinstance(v, torch.Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from _tensors(v)


def _outputs(theirs: Any) -> list:
    """The results in one list, those in lists among them."""
    if not isinstance(theirs, (list, tuple)):
        return [theirs]
    return [o for one in theirs for o in (one if isinstance(one, (list, tuple)) else [one])]


def _region(theirs: torch.Tensor) -> Region:
    return Region(theirs.storage_offset(), tuple(theirs.shape), theirs.stride(), theirs.dtype)


@functools.cache
def _numpys(dtype: torch.dtype) -> np.dtype:
    """The dtype of `array_of`."""
    return array_of(torch.empty(0, dtype=dtype)).dtype


def _with_gradients() -> bool:
    return torch.is_grad_enabled() or _in_function()


def _in_function() -> bool:
    """Tell whether the forward() of an `autograd.Function` is running: it is differentiated here."""
    if torch.is_grad_enabled():
        return False
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_name == "apply" and code.co_filename.endswith(f"autograd{os.sep}function.py"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _why(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"
