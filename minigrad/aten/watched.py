"""A computation of PyTorch's, watched: its graph as ours, and the distance between the two."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import errors
from ..engine.backward import backward
from ..engine.source import SourceLine, pass_over
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..recording import memory_of, names_here, record
from .comparison import NOT_FINITE, Comparison

if TYPE_CHECKING:
    from .calls import Distance

pass_over(os.path.dirname(__file__) + os.sep)

BEFORE: list[Callable[[Watched], object]] = []  # what is called before a block is entered
WATCHED: weakref.WeakSet[Watched] = weakref.WeakSet()  # those that want to know of backward()


class Backward(NamedTuple):
    """A call of PyTorch's `backward()` or `grad()`, which ours has followed.

    Attributes:
        roots: (our Tensor, the gradient that it started with, or None for 1) for each.
        distances: of each gradient of ours from PyTorch's.
        finite: whether all numbers of PyTorch's roots and gradients are finite.
    """

    roots: list[tuple[Tensor, np.ndarray | None]]
    distances: list[Distance]
    finite: bool


class Watched:
    """A `with` block that watches PyTorch: use it afterwards with `mg.graph` and `mg.explore`."""

    def __init__(self, *given: Any, **options: Any) -> None:
        if given or options:
            raise errors.ArgumentError(
                "mg.pytorch() takes no arguments: it watches what PyTorch computes in its block, "
                "with mg.pytorch() as watched: loss = ..."
            )
        self.calls: Any = None  # `Calls`, once the block is entered
        self.backwards: list[Backward] = []
        self.is_open = False
        self._last: Tensor | None = None
        self._last_finite = True
        self._problem = ""  # that the block ended with
        self.overflows: list[str] = []  # of gradients
        self._own: dict[Any, str] = {}  # what is said of functions with a backward of their own

    def __repr__(self) -> str:
        return (
            "what PyTorch computed in a block: mg.explore(watched), mg.diagnose(watched), "
            "mg.graph(watched), watched.compare()"
        )

    def __enter__(self) -> Watched:
        if self.calls is not None:
            raise errors.ArgumentError(
                "each `with mg.pytorch()` watches one computation: a new one"
            )
        try:
            import torch
        except ImportError:
            raise errors.UnsupportedError(
                'mg.pytorch() watches PyTorch, which is not installed: pip install -e ".[torch]"'
            ) from None
        from . import hooks
        from .calls import Calls

        for call in BEFORE:
            call(self)
        hooks.tell(WATCHED)
        WATCHED.add(self)
        self.calls = Calls()
        with contextlib.ExitStack() as block:
            block.enter_context(_plain_calls(torch))
            block.enter_context(record())
            block.enter_context(self.calls.hooks())
            block.enter_context(hooks.functions_seen(self.calls.called))
            block.enter_context(self.calls)
            self._block = block.pop_all()
        self.is_open = True
        return self

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        self._block.__exit__(kind, problem, trace)
        self.is_open = False
        alive = [t for r in self.calls.results if (t := r()) is not None]
        if problem is not None:
            self._problem = f"; the block ended with {type(problem).__name__}: {problem}"
        if alive:
            self._name(alive)
            computed = lambda t: t.requires_grad and (t._is_view() or not t.is_leaf)
            rank = [(computed(t), t.numel() == 1, i) for i, t in enumerate(alive)]
            last = alive[max(rank)[2]]
            self._last, self._last_finite = self.calls.values.of(last), bool(last.isfinite().all())

    def _name(self, theirs: list) -> None:
        """Take the names of the variables that hold these tensors just now."""
        for tensor, name in names_here(theirs):
            node = self.calls.values.of(tensor).node
            if node.note is not None:
                node.note.names.append((node, name))

    # --- what was watched --------------------------------------------------------------------------

    @property
    def losses(self) -> list[Tensor]:
        """The results that `backward()` was called on last; or the last that requires a gradient.

        Raises:
            GraphError: if nothing was computed.
            UnsupportedError: if no gradient can be told, as an operation without a row lies on its way.
        """
        if self.backwards:
            return self._told([root for root, _ in self.backwards[-1].roots])
        if self._last is not None:
            return self._told([self._last])
        raise errors.GraphError(
            "nothing that PyTorch computed was seen, or nothing is left of it: compute the loss "
            f"inside the block, and keep it{self._problem}"
        )

    def _told(self, losses: list[Tensor]) -> list[Tensor]:
        """These losses, and have the modules hold the parameters that they were computed from."""
        nodes = order([loss.node for loss in losses])
        for node in nodes:
            if node in self.calls.values.severed:
                raise errors.UnsupportedError(self.calls.values.severed[node])
        self._name_parameters({*nodes})
        return losses

    def first_not_finite(self) -> int | None:
        """The place of the first `backward()` with a number of PyTorch's that is not finite, if any."""
        return next((i for i, b in enumerate(self.backwards) if not b.finite), None)

    def at(self, place: int) -> Tensor:
        """The loss of the `backward()` at a place."""
        return self._told([root for root, _ in self.backwards[place].roots])[0]

    def _name_parameters(self, nodes: set) -> None:
        """Have the modules hold the parameters as these nodes saw them: steps may have come since."""
        for theirs, leaves in self.calls.values.leaves.values():
            seen = [leaf for leaf in leaves if leaf.node in nodes]
            if seen:
                self.calls.values.counterparts.renew(theirs, seen[-1])

    @property
    def loss(self) -> Tensor:
        """The only one, or the first, of the losses."""
        return self.losses[0]

    def of(self, theirs: Any) -> Tensor:
        """Our Tensor for a tensor of PyTorch's that was computed in the block, for any view of it.

        Raises:
            ArgumentError: if it is none.
        """
        if not self.calls.values.knows(theirs):
            raise errors.ArgumentError(
                f"a tensor of shape {tuple(theirs.shape)} was not computed or used inside the block"
            )
        return self.calls.values.of(theirs)

    def detached(self, value: np.ndarray | None) -> SourceLine | None:
        """The line that detached a value of the graph, if one did."""
        return self.calls.detached.get(memory_of(value), (None, None))[1]

    def compare(self) -> Comparison:
        """The distances of every value and every gradient from PyTorch's."""
        calls = self.calls
        gradients = [d for one in self.backwards for d in one.distances]
        reasons = [
            *dict.fromkeys((*calls.values.severed.values(), *calls.values.elsewhere.values())),
            *calls.hooked,
        ]
        own = [*self._own.values(), *self.overflows, *([] if self.finite else [NOT_FINITE])]
        return Comparison(calls.distances, gradients, calls.half, calls.unread, own, reasons)

    @property
    def finite(self) -> bool:
        """Tell whether all numbers of PyTorch's losses and gradients are finite."""
        return all(b.finite for b in self.backwards) if self.backwards else self._last_finite

    def checked(self) -> list[Tensor]:
        """The losses, with gradients as PyTorch's `backward()` left them, if any.

        Raises:
            GraphError: if a value or gradient differs by more than rounding, and PyTorch's are finite.
        """
        losses = self.losses
        compared = self.compare()
        first = compared.first
        if first is not None and self.finite:
            at = f" at {first.line}" if first.line is not None else ""
            why = "its row in minigrad.aten.rows may be wrong, or code changed numbers unseen"
            if "gradient" in first.of:
                why = "; ".join(compared.reasons) or (
                    "the rule of a row may be wrong, code changed numbers that PyTorch had saved, or "
                    "a hook (Tensor.register_hook) changed a gradient on the way"
                )
            raise errors.GraphError(
                f"{first.of}{at} differs from PyTorch's by {first.size:.2g} of {first.unit:.3g} + its "
                f"size, and up to {first.allowed:.2g} is rounding: {why}. print(watched.compare()) says "
                f"more"
            )
        return losses

    # --- gradients ---------------------------------------------------------------------------------

    def _with_own_backwards(self) -> None:
        """Give functions whose own `backward()` differs from the derivative its gradients."""
        for function in self.calls.functions:
            if function in self._own:
                function.substitute(self.calls.values.severed)  # there may be more to give
            elif function.seen:
                size = function.differs(self.calls.values.severed)
                if size:
                    function.substitute(self.calls.values.severed)
                    by = (
                        f"by up to {size:.2g} of 1 + its size"
                        if np.isfinite(size)
                        else "which has none"
                    )
                    self._own[function] = (
                        f"{function.name}.backward gives another gradient than the derivative of its "
                        f"forward, {by}, at {function.line}: the graph has its own"
                    )

    def copy_gradients(self) -> list[Any]:
        """Copies of the gradients that PyTorch's leaves have."""
        return [_copied(theirs.grad) for theirs, _ in self.calls.values.leaves.values()]

    def compare_backward(
        self, roots: list, seeds: list, before: list[Any], only: set[int] | None
    ) -> None:
        """Compare what a call of PyTorch's `backward()` added to the gradients, `only` to some."""
        from .numbers import array_of

        gradients, paths = [], self._paths()
        for (theirs, ours), old in zip(self.calls.values.leaves.values(), before):
            if only is None or id(theirs) in only:
                new = theirs.grad
                if old is not None and not np.isfinite(array_of(old)).all():
                    name = self._called(theirs, paths)
                    self._own[id(theirs)] = (
                        f"the gradient of {name} was not finite before backward(), which adds to it: "
                        f"call optimizer.zero_grad() first"
                    )
                    continue
                added = new if new is None or old is None else new.detach() - old
                gradients.append((self._called(theirs, paths), ours, added))
        self._walked(roots, seeds, gradients)

    def compare_grad(self, roots: list, seeds: list, inputs: list, found: Any) -> None:
        """Compare what a call of `torch.autograd.grad()` gave."""
        calls = self.calls
        gradients, paths = [], self._paths()
        for theirs, gradient in zip(inputs, found):
            if calls.values.knows(theirs):
                _, ours = calls.values.leaves.get(id(theirs), (None, [calls.values.of(theirs)]))
                gradients.append((self._called(theirs, paths), ours, gradient))
            if self.is_open and gradient is not None and not gradient.is_sparse:
                calls.values.take(
                    gradient, calls.values.constant(gradient, "a gradient, by PyTorch")
                )
        self._walked(roots, seeds, gradients)

    def _walked(
        self, roots: list, seeds: list, gradients: list[tuple[str, list[Tensor], Any]]
    ) -> None:
        """Walk back as PyTorch did, and compare each gradient: its name, our leaves, PyTorch's.

        There are several leaves of ours for one of PyTorch's that was changed.
        """
        from .numbers import array_of, distance, distance_from_none, unit_of

        known = [
            (self.calls.values.of(t), None if s is None else array_of(s).copy())
            for t, s in zip(roots, seeds)
            if self.calls.values.knows(t)
        ]
        self._name(roots)
        paths = self._paths()
        self.calls.note_hooks(lambda theirs: self._called(theirs, paths))
        self._with_own_backwards()
        before = [root for root, _ in self.backwards[-1].roots] if self.backwards else []
        leaves = [leaf.node for _, some, _ in gradients for leaf in some]
        for node in (*order([t.node for t in (*before, *(root for root, _ in known))]), *leaves):
            node.grad = None  # what came before is no part of this call
            if node.note is not None:
                node.note.contributions = []
        with np.errstate(all="ignore"):
            for root, gradient in known:
                if root.requires_grad:
                    backward(root, gradient, retain_graph=True)
        rough = max((d.allowed for d in self.calls.distances), default=0.0)
        finite = lambda t: t is None or bool(np.isfinite(array_of(t)).all())
        broken = not all(finite(t) for _, _, t in gradients)
        unit = unit_of([array_of(t) for _, _, t in gradients if t is not None])
        found = []
        for name, ours, theirs in gradients:
            arrays = [leaf.grad._array for leaf in ours if leaf.grad is not None]
            of = f"the gradient of {name}"
            if theirs is None:
                found.append(distance_from_none(arrays, of))
            else:
                mine = sum(arrays[1:], arrays[0]) if arrays else np.zeros(ours[0].shape, np.float32)
                apart = distance(mine, theirs, of, allowed=rough, of_finite=broken, unit=unit)
                found.append(apart)
                here, there = (np.isfinite(a).all() for a in (mine, array_of(theirs)))
                if here and not there:
                    self.overflows.append(f"{of} is not finite in PyTorch, and is here, in 32 bits")
        self.backwards.append(Backward(known, found, not broken and all(map(finite, roots))))

    def _called(self, theirs: Any, paths: dict[int, str]) -> str:
        names = [name for _, name in names_here([theirs])]
        shape = f"a tensor of shape {tuple(theirs.shape)}"
        return paths.get(id(theirs)) or next(iter(names), shape)

    def parameters(self) -> dict[str, list[np.ndarray]]:
        """The parameters that require a gradient, by name, if one module has them all: the arrays that
        each was, a new one each time that it was changed."""
        leaves = self.calls.values.leaves
        return {
            name: [leaf._array for leaf in leaves.get(id(parameter), (None, []))[1]]
            for module, _ in self._outermost()
            for name, parameter in module.named_parameters()
            if parameter.requires_grad
        }

    def _outermost(self) -> list[tuple[Any, Any]]:
        known = list(self.calls.values.counterparts.known.values())
        inside = {id(m) for module, _ in known for m in module.modules() if m is not module}
        outer = [pair for pair in known if id(pair[0]) not in inside]
        return outer if len(outer) == 1 else []  # of several, names begin with those of variables

    def _paths(self) -> dict[int, str]:
        """The names of parameters, by the identity of PyTorch's tensors."""
        paths: dict[int, str] = {}
        for module, _ in self.calls.values.counterparts.known.values():
            for name, parameter in module.named_parameters():
                if len(name) > len(paths.get(id(parameter), "")):
                    paths[id(parameter)] = name
        return paths


pytorch = Watched


def _copied(gradient: Any) -> Any:
    return None if gradient is None else gradient.detach().clone()


# For each open block, in any thread: how PyTorch was set at first.
OPEN: list[tuple[bool, bool]] = []
SETTING = threading.Lock()
EAGER = contextlib.ExitStack()  # closed with the last block


@contextlib.contextmanager
def _plain_calls(torch: Any):
    """Within it, PyTorch computes layers by plain operations, not by one call for a whole layer; and it
    runs what torch.compile made as it was written."""
    mha = torch.backends.mha
    with SETTING:
        now = torch.backends.mkldnn.enabled, mha.get_fastpath_enabled()
        if not OPEN:
            _compile_nothing(torch)
        OPEN.append(OPEN[0] if OPEN else now)
        torch._C._set_mkldnn_enabled(False)  # the attribute can be locked
        mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        with SETTING:
            mkldnn, fast = OPEN.pop()
            if not OPEN:
                EAGER.close()
                torch._C._set_mkldnn_enabled(mkldnn)
                mha.set_fastpath_enabled(fast)


def _compile_nothing(torch: Any) -> None:
    """Until `EAGER` closes, run what torch.compile made, or makes, as it was written: else it would also
    compile the calls that watch. A compiler that nothing imports takes no time."""
    original = torch.compile

    def run_as_written() -> None:
        if hasattr(torch.compiler, "set_stance"):  # from PyTorch 2.6 on
            EAGER.enter_context(torch.compiler.set_stance("force_eager"))

    @functools.wraps(original)
    def made_and_left(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        run_as_written()
        return made

    torch.compile = made_and_left
    EAGER.callback(setattr, torch, "compile", original)
    if "torch._dynamo" in sys.modules:
        run_as_written()
