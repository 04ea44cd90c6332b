"""A block in which PyTorch is watched: the graph as ours, and the distances from PyTorch's numbers."""

from __future__ import annotations

import contextlib
import os
import warnings
from typing import TYPE_CHECKING, Any

from .. import errors
from ..arrays.pytorchs import is_pytorchs
from ..engine.kinds import KINDS, Kind
from ..engine.source import level_outside, pass_over
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..ran.recording import recording
from ..system.working import hearing_prints, working
from .comparison import NOT_FINITE, Comparison
from .prepared import made_data

if TYPE_CHECKING:
    from .backward_passes import Backward

pass_over(os.path.dirname(__file__) + os.sep)


class Watched:
    """Watch PyTorch in a `with` block; users know this class as `mg.pytorch`.

        with mg.pytorch() as watched:
            loss = loss_of(model(x))
            loss.backward()
        mg.explore(watched, "page.html")

    A whole training loop may stand in the block, with `zero_grad()` and `step()`: then `mg.diagnose`
    also says at which step something went wrong (lesson 21). Make the data before the block: otherwise
    the operations that make it are computed twice, and few of them are drawn. After the block, give
    `watched` to `mg.graph`, `mg.explore`, `mg.steps`, `mg.diagnose` or `mg.compile`.

    Where it takes long, a line on standard error says how many operations have been computed.

    Attributes:
        calls: the calls of PyTorch in the block, a `Calls`; None before the block.
        passes: the backward passes, a `BackwardPasses`; None before the block.
        backwards: each backward pass of PyTorch's, compared with ours.
        nan: the results with a NaN at the end of the block, by name.
        problem: the error that ended the block, in words; "" if it ended well.
        left_out: sentences on operations that made data, and are not shown.
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        if given or options:
            raise errors.ArgumentError(
                "mg.pytorch() takes no arguments: it watches what PyTorch computes in its block, "
                "with mg.pytorch() as watched: loss = ..."
            )
        self.calls: Any = None
        self.passes: Any = None
        self.backwards: list[Backward] = []
        self.nan: list[tuple[str, Tensor]] = []
        self.problem = ""
        self.left_out: list[str] = []
        self._block = contextlib.ExitStack()
        self._last: Tensor | None = None  # of the results, the one that may be the loss
        self._last_finite = True

    def __repr__(self) -> str:
        return (
            "what PyTorch computed in a block: mg.explore(watched), mg.diagnose(watched), "
            "mg.graph(watched).draw(), mg.steps(watched), mg.compile(watched), watched.compare()"
        )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"mg.pytorch() has no attribute {name!r}: it gives {self!r}")

    def __enter__(self) -> Watched:
        if self.calls is not None:
            raise errors.ArgumentError(
                "each `with mg.pytorch()` watches one computation: a new one"
            )
        try:
            import torch  # noqa: F401 - the imports below need it
        except ImportError:
            raise errors.UnsupportedError(
                'mg.pytorch() watches PyTorch, which is not installed: pip install -e ".[torch]"'
            ) from None
        from .backward_passes import BackwardPasses  # these files import PyTorch
        from .dispatch import Calls
        from .function_calls import functions_seen
        from .modules import boxes, new_leaves
        from .patches import watch_backward
        from .torch_settings import plain_calls

        self.calls = Calls()
        self.passes = BackwardPasses(self.calls, self.backwards)
        watch_backward(self.passes)
        with contextlib.ExitStack() as block:
            self.calls.begins = block.enter_context(working("watching PyTorch"))
            block.enter_context(hearing_prints())
            block.enter_context(plain_calls())
            block.enter_context(recording())
            block.enter_context(boxes(self.calls.values.counterparts))
            block.enter_context(new_leaves(self.calls, self.passes.histories))
            block.enter_context(functions_seen(self.calls.note_function))
            block.enter_context(self.calls)
            self._block = block.pop_all()
        self.passes.is_open = True
        return self

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        self._block.__exit__(kind, problem, trace)
        self.passes.is_open = False
        if problem is not None:
            self.problem = f"; the block ended with {type(problem).__name__}: {problem}"
        alive = self.calls.alive()
        if alive:
            self._look_at_results(alive)

    def _look_at_results(self, alive: list[Any]) -> None:
        """Note the last result, and the results with a NaN, among those that are still held."""
        of = self.calls.values.of
        self.calls.values.take_names(alive)
        # A result with a gradient is preferred; then one that is a single number; then a later one.
        computed = lambda t: t.requires_grad and (t._is_view() or not t.is_leaf)
        ranks = [(computed(t), t.numel() == 1, place) for place, t in enumerate(alive)]
        last = alive[max(ranks)[2]]
        self._last = of(last)
        # It is detached, for a tensor of inference_mode() may take part in nothing that has gradients.
        self._last_finite = bool(last.detach().isfinite().all())
        nan = [t for t in alive if bool(t.detach().isnan().any())]
        called = self.passes.names() if nan else str
        self.nan = [(called(t), of(t)) for t in nan]

    # --- the results -------------------------------------------------------------------------------

    def checked_losses(self, place: int = -1) -> list[Tensor]:
        """The results that the `backward()` at a place was called on; without one, the last result that
        requires a gradient. The counterparts get the parameters that these came from.

        Raises:
            GraphError: if nothing was computed.
            UnsupportedError: if a gradient is not known, because a call on its way had no row.
        """
        if self.backwards:
            losses = [root for root, _ in self.backwards[place].roots]
        elif self._last is not None:
            losses = [self._last]
        else:
            raise self._nothing()
        nodes, severed = order([loss.node for loss in losses]), self.calls.values.severed
        for node in nodes:
            if node in severed:
                raise errors.UnsupportedError(severed[node])
        self._name_parameters({*nodes})
        return losses

    @property
    def loss(self) -> Tensor:
        """The first of the losses, usually the only one."""
        return self.checked_losses()[0]

    def _nothing(self) -> errors.GraphError:
        return errors.GraphError(
            "nothing that PyTorch computed was seen, or nothing is left of it: compute the loss "
            f"inside the block, not under no_grad(), and keep it{self.problem}"
        )

    def _name_parameters(self, nodes: set) -> None:
        """Put the parameters of these nodes into the counterparts: a step may have made newer ones."""
        for theirs, leaves in self.calls.values.leaves.values():
            seen = [leaf for leaf in leaves if leaf.node in nodes]
            if seen:
                self.calls.values.counterparts.renew(theirs, seen[-1])

    def of(self, theirs: Any) -> Tensor:
        """Our Tensor for a tensor, or a view of one, that was computed or used in the block.

        Raises:
            ArgumentError: if it was not.
        """
        if self.calls is None or not self.calls.values.knows(theirs):
            raise errors.ArgumentError(
                f"a tensor of shape {tuple(theirs.shape)} was not computed or used inside the block"
            )
        return self.calls.values.of(theirs)

    def compare(self) -> Comparison:
        """The distances of every value and every gradient from PyTorch's.

        Raises:
            GraphError: before the block.
        """
        if self.calls is None:
            raise self._nothing()
        calls = self.calls
        gradients = [d for one in self.backwards for d in one.distances]
        reasons = [
            *dict.fromkeys((*calls.values.severed.values(), *calls.values.elsewhere.values())),
            *dict.fromkeys(sentence for sentence, _ in calls.hooks.seen.values()),
        ]
        own = [
            *self.passes.own_backwards.values(),
            *(history.stale for history in self.passes.histories.values() if history.stale),
            *(sentence for b in self.backwards for sentence in b.others.overflows),
            *dict.fromkeys(text for b in self.backwards for text in (*b.broken, b.problem) if text),
            *([] if self.finite else [self._not_finite()]),
            *calls.values.counterparts.not_run, *self.left_out,
        ]  # fmt: skip
        seen, walked = calls.observed, bool(self.backwards)
        return Comparison(seen.distances, gradients, seen.half, seen.unread, own, reasons, walked)

    def _not_finite(self) -> str:
        try:
            self.checked_losses()
        except errors.UnsupportedError as problem:
            return f"{NOT_FINITE.format('cannot say')}: {problem}"
        return NOT_FINITE.format("says")

    @property
    def finite(self) -> bool:
        """Tell whether all numbers of PyTorch's losses and gradients are finite."""
        return all(b.finite for b in self.backwards) if self.backwards else self._last_finite

    def checked(self) -> list[Tensor]:
        """The losses, with gradients as PyTorch's `backward()` left them, if any.

        Raises:
            GraphError: if a value or a gradient differs by more than rounding. (If PyTorch's numbers
                are not finite, they are not compared.)
        """
        losses, compared = self.checked_losses(), self.compare()
        if compared.first is not None and self.finite:
            raise errors.GraphError(compared.explained(compared.first))
        made, sentence = made_data(losses)
        if sentence:
            self.calls.values.outside += made
            self.left_out.append(sentence)
            warnings.warn(sentence, stacklevel=level_outside())
        return losses


pytorch = Watched


def unwatched(value: object) -> str:
    """Say what to give in place of something of PyTorch's, or of an error; "" for anything else."""
    if not is_pytorchs(value) and not isinstance(value, Exception):
        return ""
    given = "of PyTorch it takes what `with mg.pytorch() as watched:` gave, also after an error"
    return f"; {given}: compute the loss in such a block"


KINDS[Watched] = Kind(
    lambda value: isinstance(value, Watched),
    "a Watched",
    hint=lambda _name, value: unwatched(value),
)
