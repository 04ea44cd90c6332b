"""The diagnosis: each finder in its turn, most urgent first."""

from __future__ import annotations

import os
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ... import errors
from ...aten.for_diagnosis import first_to_look_at, training_of
from ...aten.watched import Watched, unwatched
from ...engine.errors import described
from ...engine.tensor import Tensor
from ...ran.loop import Loop
from ...ran.training import SeenTraining
from ..graph import Graph, graph_with_gradients
from ..graph import graph as graph_of
from ..page import Extras, explore
from .attention import another_axis, inverted_mask, of_attention
from .finite import not_finite
from .long_steps import keeps_gradients, long_steps, losses_of
from .losses import other_inputs
from .mistakes import pairs, twice
from .notes import notes_on_block, notes_on_graph, notes_on_steps
from .on_the_way import along_the_way
from .pytorchs import of_pytorchs
from .reading import module_of
from .remedies import GENERAL
from .trouble import Trouble, Troubles
from .unchanged import changes_nothing
from .units import lost_units
from .zero import zero

if TYPE_CHECKING:
    from ...aten.backward_passes import Backward

FOUND = "Found by mg.diagnose"
NO_STEPS = "not looked at: labels, inputs, and steps (learning rate, zero_grad, whose parameters)"


def diagnose(loss: Tensor | Watched | Loop, page: str | os.PathLike | bool = False) -> Troubles:
    """Find what is wrong with the numbers of a computation, forward and back: `print` it.

    Compute the loss inside `with mg.record():`, so that all values are known; if `backward()` was not
    called, the gradients are computed, and forgotten. Or put a whole loop of training in the block, as
    `with mg.record() as watched:`, or `with mg.pytorch() as watched:`, and give `watched`.

    It tells numbers that are not finite, with the line that they came from; gradients that are 0, reach
    no parameter, vanish or explode; units that are dead or alike; losses that are given something else
    than they take; softmaxes, masks and heads along a wrong axis. Of a loop also steps that are too long
    or change nothing, and gradients that are kept; of PyTorch's those that are lost, or another's:
    lesson 21 has one, and `help("minigrad.views.troubles")` lists all. It knows nothing of wrong labels
    or inputs.

    Args:
        page: the path of a page to be written, as by `explore`, which opens at the step of the first
            trouble, under its sentence, and has a section with all; True: it is shown at once.

    Raises:
        ArgumentError: if it is neither a Tensor nor watched.
        GraphError: if it was not recorded; or requires no gradient, and a page is wanted; or the loss
            was not computed in the block, or `backward()` not called in that of `record()`.
    """
    subject = _subject_of(loss)
    with np.errstate(all="ignore"):
        learns = subject.loss.requires_grad and not subject.problem
        graph = graph_with_gradients(subject.loss) if learns else graph_of(subject.loss)
        if not graph.recorded:
            raise errors.GraphError(
                "its values were not kept: compute it inside `with mg.record():`"
            )
        troubles = [
            replace(trouble, what=trouble.what + subject.when, module=_module(graph, trouble))
            for trouble in _in_graph(subject, graph)
        ]
        troubles = _with_training(subject, graph, troubles)
        if page:
            # With our gradients, if others are wrong: a page of what was watched has PyTorch's.
            ours = any(trouble.kind == "another gradient" for trouble in troubles)
            step = _step(graph, troubles[0]) if troubles else 0
            extras = Extras(
                sections={FOUND: _in_html(troubles)} if troubles else {},
                notes=[f"{trouble.kind}: {trouble.what}" for trouble in troubles[:1]],
            )
            explore(
                subject.loss if ours else subject.shown, None if page is True else page, step=step,
                extras=extras,
            )  # fmt: skip
    remarks = [*notes_on_graph(graph)]
    remarks += notes_on_block(graph, subject.watched, subject.loss) if subject.watched else ()
    remarks += notes_on_steps(subject.training) if subject.training else ()
    stepped = subject.training is not None and subject.training.steps
    if not (troubles or stepped or remarks):
        remarks = [NO_STEPS]
    return Troubles(troubles, remarks, _extent(subject))


class Subject(NamedTuple):
    """The computation that a diagnosis is about.

    Attributes:
        loss: what is looked at, forward and back.
        shown: what a page shows.
        watched: the block that it was computed in, if it is PyTorch's.
        training: the steps of training in the block; None of a single loss.
        place: which `backward()` of that block is looked at; None where there was none.
        when: words for that, after each sentence; "" for the last.
    """

    loss: Tensor
    shown: Tensor | Watched
    watched: Watched | None = None
    training: SeenTraining | None = None
    place: int | None = None
    when: str = ""

    @property
    def walked(self) -> Backward | None:
        """PyTorch's walk back that is looked at, with what ours gave; None where there was none."""
        if self.watched is None or self.place is None:
            return None
        return self.watched.backwards[self.place]

    @property
    def problem(self) -> str:
        """The reason why ours could not follow it; "" where there is none."""
        return "" if self.walked is None else self.walked.problem


def _subject_of(computed: Tensor | Watched | Loop) -> Subject:
    """The subject of a loss; or of what was watched, at the `backward()` to be looked at first."""
    if isinstance(computed, Tensor):
        return Subject(computed, computed)
    if isinstance(computed, Loop):
        place, count = computed.first_to_look_at(), len(computed.losses)
        loss, when = computed.losses[place], _when(place, count)
        return Subject(loss, loss, training=computed.training(), place=place, when=when)
    if not isinstance(computed, Watched):
        raise errors.ArgumentError(
            f"diagnose() takes a loss, or what mg.record() or mg.pytorch() gave, not "
            f"{described(computed)}{unwatched(computed)}"
        )
    loss, count = computed.loss, len(computed.backwards)
    if not count and loss.requires_grad and loss.size != 1:
        raise errors.GraphError(
            f"the last result in the block has the shape {loss.shape}, and is no loss: compute the "
            f"loss inside the block{computed.problem}"
        )
    first, training = first_to_look_at(computed), training_of(computed)
    if first is None or first == count - 1:
        return Subject(loss, computed, computed, training, first)
    loss = computed.checked_losses(first)[0]  # the way there, not what became of it
    return Subject(loss, loss, computed, training, first, _when(first, count))


def _when(place: int, count: int) -> str:
    return "" if place == count - 1 else f", in backward() number {place + 1} of {count}"


def _extent(subject: Subject) -> str:
    """The number of steps that were looked at, and their losses, in words."""
    if subject.training is None or subject.place is None or not subject.training.steps:
        return ""
    losses = [f"{size:.4g}" for _, size in losses_of(subject.training, subject.place)]
    if len(losses) < 2:
        return ""
    return f", in {len(losses)} calls of backward(); the loss went from {losses[0]} to {losses[-1]}"


def _in_graph(subject: Subject, graph: Graph) -> list[Trouble]:
    """The troubles of one way forward and back; of numbers that are not finite, these alone."""
    bad = [*not_finite(graph, gradients=subject.walked is None or not subject.walked.finite)]
    if bad:
        inverted = inverted_mask(graph)
        if inverted is not None and bad[0].node in graph.users(inverted.node):
            return [replace(inverted, numbers=(bad[0].what,))]  # its last row is empty
        for axis in another_axis(graph):  # along which a mask may leave nothing
            if bad[0].line == axis.line and bad[0].node in graph.made_from(axis.node):
                return [replace(axis, numbers=(bad[0].what,))]
        return bad
    if subject.problem:
        root, remedy = graph[graph.roots[0]], GENERAL["not computed"]
        return [Trouble("not computed", subject.problem, root.line, (), remedy, root.number)]
    watched = subject.watched
    theirs = [] if watched is None else [*of_pytorchs(graph, watched, subject.place)]
    lines = {trouble.line for trouble in theirs}
    learns, training = subject.loss.requires_grad, subject.training
    stopped = [t for t in zero(graph, watched, training, learns) if t.line not in lines]
    underflows = any(trouble.kind == "underflows" for trouble in theirs)
    way = () if underflows else along_the_way(graph)
    mistaken = [
        *other_inputs(graph, watched),
        *twice(graph),
        *of_attention(graph),
        *pairs(graph),
    ]
    units = () if stopped else lost_units(graph)
    return [*theirs, *stopped, *way, *units, *mistaken]


def _with_training(subject: Subject, graph: Graph, troubles: list[Trouble]) -> list[Trouble]:
    """Add the troubles of several steps: gradients that are kept come first, steps that are too long
    before a number that is not finite, which they explain, if it did not come in as data."""
    if subject.training is None:
        return troubles
    exploded = [trouble for trouble in troubles if trouble.kind == "explodes"]
    if exploded and subject.place and not _explodes(subject.training.losses[0]):
        later = replace(exploded[0], remedy=GENERAL["explodes later"])
        troubles = [later if trouble is exploded[0] else trouble for trouble in troubles]
    kept = keeps_gradients(graph, subject.training)
    if kept or subject.place is None:
        return [*kept, *troubles]
    if not troubles and not subject.when:
        troubles = [*changes_nothing(graph, subject.training)]
    first = troubles[:1]
    if first and (first[0].kind != "data" or graph[first[0].node].kind == "parameter"):
        first = []
    long = long_steps(graph, subject.training, subject.place)
    return [*first, *long, *troubles[len(first) :]]


def _explodes(loss: Tensor | None) -> bool:
    """Tell whether the gradient of a loss explodes on its way."""
    if loss is None:
        return False
    return any(trouble.kind == "explodes" for trouble in along_the_way(graph_with_gradients(loss)))


def _in_html(troubles: list[Trouble]) -> str:
    """The troubles as a section of a page, a paragraph each."""
    lines = (escape(str(trouble)).replace("\n", "<br>") for trouble in troubles)
    return "".join(f"<p>{text}</p>" for text in lines)


def _module(graph: Graph, trouble: Trouble) -> str:
    """The path of the innermost module in which a trouble happens; of the result's none is told."""
    module = module_of(graph, graph[trouble.node])
    return "" if module is None or trouble.node == graph.roots[0] else module.path


def _step(graph: Graph, trouble: Trouble) -> int:
    """The step of a page at which a trouble happens; of a leaf, that of the first that uses it."""
    computed = [n.number for n in graph.nodes if n.kind == "operation"]
    if trouble.back:
        back = [n.number for n, _ in graph.way_back]
        return len(computed) + back.index(trouble.node) + 1 if trouble.node in back else 0
    at = trouble.node if trouble.node in computed else min(graph.users(trouble.node), default=-1)
    return computed.index(at) + 1 if at in computed else 0
