"""A computation of PyTorch's, watched: its graph as ours, and the distance between the two."""

from __future__ import annotations

import contextlib
import functools
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import errors
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..recording import names_here, record

if TYPE_CHECKING:
    from .calls import Distance

WATCHED: weakref.WeakSet[Watched] = weakref.WeakSet()  # those that want to know of backward()


class Backward(NamedTuple):
    """A call of PyTorch's `backward()`.

    Attributes:
        roots: (our Tensor, the gradient that it started with, or None for 1) for each.
        gradients: (the name, our leaves, what PyTorch added to `.grad`) for each leaf of PyTorch's,
            for which there are several of ours if it was changed.
    """

    roots: list[tuple[Tensor, np.ndarray | None]]
    gradients: list[tuple[str, list[Tensor], Any]]


class Comparison(NamedTuple):
    """The distances of numbers of ours from PyTorch's.

    Attributes:
        values: the distance of each result of each call.
        gradients: that of each gradient, by all calls of `backward()`.
        half: whether numbers of 16 bits were computed with 32 here.
        unread: calls without a row, whose results are constants: how many, by name.
    """

    values: list[Distance]
    gradients: list[Distance]
    half: bool
    unread: dict[str, int]

    @property
    def first(self) -> Distance | None:
        """The first distance that is more than rounding, or None."""
        beyond = (d for d in (*self.values, *self.gradients) if not d.size <= d.allowed)
        return next(beyond, None)

    def __str__(self) -> str:
        lines = []
        for kind, some in (("values", self.values), ("gradients", self.gradients)):
            if not some:
                lines.append(f"no {kind} were compared")
                continue
            most = max(some, key=lambda d: d.size)
            at = f" at {most.line}" if most.line is not None and kind == "values" else ""
            lines.append(
                f"{len(some):,} {kind} compared with PyTorch's: the largest difference is "
                f"{most.size:.2g}, of {most.of}{at}"
            )
        if self.half:
            lines.append("numbers of 16 bits were computed with 32")
        if self.unread:
            names = ", ".join(f"aten.{name} ({n})" for name, n in sorted(self.unread.items()))
            lines.append(f"constants, because they have no row: {names}")
        return "\n".join(lines)


class Watched:
    """A `with` block that watches PyTorch: use it afterwards with `mg.graph` and `mg.explore`."""

    def __init__(self) -> None:
        self.calls: Any = None  # `Calls`, once the block is entered
        self.backwards: list[Backward] = []
        self._last: Tensor | None = None
        self._compared = 0  # how many of `backwards`

    def __enter__(self) -> Watched:
        if self.calls is not None:
            raise errors.ArgumentError(
                "each `with mg.pytorch()` watches one computation: a new one"
            )
        try:
            import torch
        except ImportError:
            raise errors.UnsupportedError(
                "mg.pytorch() watches PyTorch, which is not installed: pip install minigrad[torch]"
            ) from None
        from .calls import Calls

        _told_of_backward(torch)
        WATCHED.add(self)
        self.calls = Calls()
        with contextlib.ExitStack() as block:
            block.enter_context(_plain_calls(torch))
            block.enter_context(record())
            block.enter_context(self.calls.modules())
            block.enter_context(self.calls)
            self._block = block.pop_all()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._block.__exit__(*problem)
        alive = [t for r in self.calls.results if (t := r()) is not None]
        self.calls.results.clear()
        if alive and problem[0] is None:
            self._name(alive)
            rank = [(t.requires_grad, t.numel() == 1, i) for i, t in enumerate(alive)]
            self._last = self.calls.value(alive[max(rank)[2]])

    def _name(self, theirs: list) -> None:
        """Take the names of the variables that hold these tensors just now."""
        for tensor, name in names_here(theirs):
            node = self.calls.value(tensor).node
            if node.note is not None:
                node.note.names.append((node, name))

    # --- what was watched --------------------------------------------------------------------------

    @property
    def loss(self) -> Tensor:
        """The result that `backward()` was called on last; or the last that requires a gradient.

        Raises:
            GraphError: if nothing was computed; or if no gradient can be told, as an operation without
                a row lies on its way.
        """
        if self.backwards:
            loss = self.backwards[-1].roots[0][0]
        elif self._last is not None:
            loss = self._last
        else:
            raise errors.GraphError(
                "nothing that PyTorch computed was seen: compute the loss inside the block"
            )
        for node in order([loss.node]):
            if node in self.calls.severed:
                raise errors.UnsupportedError(self.calls.severed[node])
        return loss

    def compare(self) -> Comparison:
        """Compare every value and every gradient with PyTorch's, and leave the last gradients."""
        gradients: list[Distance] = []
        for backward in self.backwards:
            gradients += self._gradients(backward)
        calls = self.calls
        return Comparison(calls.distances, gradients, calls.half, calls.unread)

    def checked(self) -> Tensor:
        """The loss, with gradients as PyTorch's `backward()` left them, if any.

        Raises:
            GraphError: if a value or gradient differs by more than rounding.
        """
        loss = self.loss
        first = self.compare().first
        if first is not None:
            at = f" at {first.line}" if first.line is not None else ""
            raise errors.GraphError(
                f"{first.of}{at} differs from PyTorch's by {first.size:.2g} of 1 + its size, and up to "
                f"{first.allowed:.2g} is rounding: its row in minigrad.aten.rows may be wrong, or code "
                f"changed numbers that PyTorch did not see. print(watched.compare()) says more"
            )
        return loss

    # --- gradients ---------------------------------------------------------------------------------

    def _gradients(self, backward: Backward) -> list[Distance]:
        from .calls import distance, torch

        leaves = [leaf.node for _, some, _ in backward.gradients for leaf in some]
        for node in (*order([root.node for root, _ in backward.roots]), *leaves):
            node.grad = None  # what came before is no part of this call
        for root, gradient in backward.roots:
            if root.requires_grad:
                root.backward(gradient, retain_graph=True)
        found = []
        for name, ours, theirs in backward.gradients:
            arrays = [leaf.grad._array for leaf in ours if leaf.grad is not None]
            none = np.zeros(ours[0].shape, ours[0].dtype)
            tensor = torch.as_tensor(none) if theirs is None else theirs
            found.append(distance(sum(arrays, none), tensor, f"the gradient of {name}"))
        return found

    def before(self) -> list[Any]:
        """Copies of the gradients that PyTorch's leaves have."""
        return [_copied(theirs.grad) for theirs, _ in self.calls.leaves.values()]

    def after(self, roots: list, seeds: list, before: list[Any]) -> None:
        """Take what a call of PyTorch's `backward()` added to the gradients."""
        from .calls import array_of

        calls = self.calls
        paths = self._paths()
        gradients = []
        for (theirs, ours), old in zip(calls.leaves.values(), before):
            new = _copied(theirs.grad)
            added = new if new is None or old is None else new - old
            name = paths.get(id(theirs)) or f"a tensor of shape {ours[0].shape}"
            gradients.append((name, ours, added))
        known = [
            (calls.value(t), None if s is None else array_of(s))
            for t, s in zip(roots, seeds)
            if calls.knows(t)
        ]
        self._name(roots)
        self.backwards.append(Backward(known, gradients))

    def _paths(self) -> dict[int, str]:
        """The names of parameters, by the identity of PyTorch's tensors."""
        paths: dict[int, str] = {}
        for module, _ in self.calls.counterparts.known.values():
            for name, parameter in module.named_parameters():
                if len(name) > len(paths.get(id(parameter), "")):
                    paths[id(parameter)] = name
        return paths


pytorch = Watched


def _copied(gradient: Any) -> Any:
    return None if gradient is None else gradient.detach().clone()


@contextlib.contextmanager
def _plain_calls(torch: Any):
    """Within it, PyTorch computes layers by plain operations, not by one call for a whole layer."""
    mkldnn, fast = torch.backends.mkldnn.enabled, torch.backends.mha.get_fastpath_enabled()
    torch.backends.mkldnn.enabled = False
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mkldnn.enabled = mkldnn
        torch.backends.mha.set_fastpath_enabled(fast)


def _told_of_backward(torch: Any) -> None:
    """Have PyTorch's `backward()` tell those who watch, from now on."""
    original = torch.autograd.backward
    if hasattr(original, "tells"):
        return

    @functools.wraps(original)
    def backward(tensors, grad_tensors=None, *args, **kwargs):
        roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        seeds = grad_tensors
        if seeds is None or isinstance(seeds, torch.Tensor):
            seeds = [seeds]
        seeds = [*seeds, *[None] * (len(roots) - len(seeds))]
        off = torch.utils._python_dispatch._disable_current_modes
        with off():
            watching = [w for w in WATCHED if any(map(w.calls.knows, roots))]
            before = [w.before() for w in watching]
        result = original(tensors, grad_tensors, *args, **kwargs)
        with off():
            for watched, old in zip(watching, before):
                watched.after(roots, seeds, old)
        return result

    backward.tells = True  # type: ignore[attr-defined]
    torch.autograd.backward = backward
