"""Troubles with the numbers of a computation: where a NaN came from, and why nothing learns.

    print(mg.diagnose(loss))
    mg.diagnose(loss, page="why.html")

It reads the graph, forward and back, and names the first operation that gave a NaN or an infinity,
parameters whose gradient is exactly zero, gradients that vanish or explode on their way, a softmax of
a softmax, one along another axis than is added, and a column of numbers less a row of answers. Of
what PyTorch computed it names gradients that are others than those of the computation, because of a
hook or a function's own `backward()`, those that 16 bits round to 0, steps of training that are too
long, and a NaN outside the loss. Each is told with the line of code, the numbers that led there, and
what people do about it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from .. import errors
from ..aten.watched import Watched
from ..engine.errors import described
from ..engine.source import SourceLine
from ..engine.tensor import Tensor
from ..ran.data import GraphNode, Ref
from ..recording import memory_of
from .graph import Graph, graph_with_gradients
from .graph import graph as graph_of
from .page import explore

# A gradient that shrinks, or grows, by so much on its way is said to vanish, or to explode.
FAR = 1e4
LISTED = 3  # names in a sentence
# Operations that leave numbers where they were, as a dropout has them.
SCALED = {"multiply", "divide"}
STEPS = 6  # on a way of at least so many operations
# Steps are too long that make the loss so many times as large, and move parameters by this part of them.
GROWS, LONG = 10, 0.1
SHOWN = 6  # losses
TINY = 1e-30
Cuts = Callable[[np.ndarray | None], SourceLine | None]

# What people do about it, by the kind of the trouble and the operation that it came from.
REMEDIES = {
    "not finite": {
        "log": "log of 0, or of less: take F.log_softmax or a cross-entropy of the scores themselves, "
        "or the log of a number that is kept above 0",
        "exp": "exp of a large number: subtract the largest first, as softmax and logsumexp do",
        "expm1": "expm1 of a large number: subtract the largest first",
        "divide": "a division by 0: add a small number to the divisor, or leave those elements out",
        "reciprocal": "a division by 0: add a small number to the divisor",
        "sqrt": "its slope at 0 is infinite: take the root of x plus a small number",
        "power": "its slope at 0 may be infinite, as a power below 0 is: keep the base away from 0",
        "large power": "a power of a large number overflows: if it has grown while learning, a smaller "
        "learning rate, or clipping of the gradient",
        "root": "its slope at 0 is infinite: add a small number under the root",
        "arccos": "its slope at -1 and 1 is infinite: clip its argument a little inside these",
        "arcsin": "its slope at -1 and 1 is infinite: clip its argument a little inside these",
        "where": "every element of a row is masked: a softmax has nothing to choose from. Leave such "
        "rows out, or let them attend to something",
        "matmul": "the sum of the products overflows: make the weights or the inputs smaller",
        "astype": "numbers of 16 bits go up to 65,504: scale down what comes in, or take bfloat16 or "
        "float32",
    },
    "zero": {
        "relu": "no element is above 0 (a dead ReLU): a smaller learning rate, another start of the "
        "biases, or leaky_relu or gelu",
        "clamp": "every element lies beyond the bounds, where the slope is 0: clip later, or less",
        "clip": "every element lies beyond the bounds, where the slope is 0: clip later, or less",
        "maximum": "the other argument wins everywhere, and takes the whole gradient",
        "minimum": "the other argument wins everywhere, and takes the whole gradient",
        "sigmoid": "it is saturated: its slope is 0. Scale its argument down, or take a loss of scores",
        "tanh": "it is saturated: its slope is 0. Scale its argument down, or normalize it",
        "round": "its slope is 0: a straight-through estimate is x + (round(x) - x).detach()",
        "sign": "its slope is 0: a straight-through estimate is x + (sign(x) - x).detach()",
        "multiply": "what it is multiplied by is 0",
        "matmul": "what it is multiplied by is 0: weights that start at 0, or values that died before",
    },
}
GENERAL = {
    "overflows": "numbers of 16 bits go up to 65,504: scale the loss down, as torch.amp.GradScaler does "
    "after such a step, or take bfloat16 or float32",
    "underflows": "numbers of 16 bits below 6e-8 are 0: scale the loss up, as torch.amp.GradScaler "
    "does, or take bfloat16 or float32",
    "hook": "look at what the hook gives: where that is not meant, as clipping is, leave the hook out, "
    "or let it return None",
    "another": "look for code that changes gradients on their way, or numbers that PyTorch had saved: "
    "print(watched.compare()) says more",
    "own backward": "if it is not meant, as a reversed gradient is, its backward() is wrong: "
    "torch.autograd.gradcheck compares it with finite differences",
    "steps": "a smaller learning rate, a tenth at first; a warm-up; clipping of the gradient",
    "uphill": "the step is to be against the gradient: p -= lr * p.grad",
    "outside": "look at the line: what is kept, as a running statistic, has a NaN from now on",
    "pairs": "give both one shape: y[:, None], or .squeeze(-1) of the column",
    "not finite": "look at the numbers that came in: are they as large as they should be?",
    "infinite": "an infinite number times 0: put it in after this operation, as a mask, or take a large "
    "finite number",
    "parameter": "a step of training made it so: look at the one before, whose gradient shows it; a "
    "smaller learning rate, or clipping of the gradient",
    "data": "drop or fill such elements before the model sees them: np.isnan, torch.isnan",
    "zero": "look at what it is multiplied by, or chosen against, there",
    "cut off": "leave out detach(), item(), no_grad() and NumPy between the parameter and the loss",
    "vanishes": "residual connections, a normalization in each layer, ReLU or GELU, a start with a "
    "larger scale; for long sequences an LSTM, a GRU or attention",
    "explodes": "a start with a smaller scale, a normalization in each layer, clipping of the gradient",
    "axis": "for scores of (queries, keys) take the softmax along the keys: axis=-1, dim=-1",
    "twice": "leave the first one out: a cross-entropy and log_softmax take the scores themselves",
}


@dataclass(frozen=True)
class Trouble:
    """One finding.

    Attributes:
        kind: "not finite", "data" (it was so when it came in), "outside" (a NaN that does not reach the
            loss), "steps" (too long, or uphill), "another gradient", "own backward" (of a function),
            "underflows", "zero", "cut off", "vanishes", "explodes", "twice" (a softmax of a softmax),
            "axis" (one along another) or "pairs" (a column with a row).
        what: in a sentence.
        line: of the code, or None.
        numbers: those that led there, each in words.
        remedy: what people do about it.
        node: the number of the operation in the graph.
        back: whether it happens on the way back.
    """

    kind: str
    what: str
    line: SourceLine | None
    numbers: tuple[str, ...]
    remedy: str
    node: int
    back: bool = False

    def __str__(self) -> str:
        at = [] if self.line is None else [f"at {self.line}"]
        return "\n  ".join([f"{self.kind}: {self.what}", *at, *self.numbers, self.remedy])


class Troubles(tuple[Trouble, ...]):
    """The troubles found, most urgent first; printed, it is a text."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "every number is finite, and every gradient arrives"

    __repr__ = __str__


def diagnose(loss: Tensor | Watched, page: str | os.PathLike | bool = False) -> Troubles:
    """Find what is wrong with the numbers of a computation, forward and back.

    Compute the loss inside `with mg.record():`, so that all values are known; or give what
    `mg.pytorch()` gave. If `backward()` was not called, the gradients are computed, and forgotten.

    Args:
        page: the path of a page to be written, as by `explore`, which opens at the step of the first
            trouble; True: it is shown at once.

    Raises:
        ArgumentError: if it is neither a Tensor nor watched.
        GraphError: if it was not recorded; or requires no gradient, and a page is wanted.
    """
    expected: dict[str, list[np.ndarray]] = {}
    cuts: Cuts = lambda value: None
    shown = loss
    when = ""
    watched = loss if isinstance(loss, Watched) else None
    if watched is not None:
        loss = watched.loss
        expected, cuts = watched.parameters(), watched.detached
        first, calls = watched.first_to_look_at(), len(watched.backwards)
        if first is not None and first < calls - 1:  # the way there, not what became of it
            shown = loss = watched.at(first)
            when = f", in backward() number {first + 1} of {calls}"
    if not isinstance(loss, Tensor):
        raise errors.ArgumentError(
            f"diagnose() takes a loss, or what mg.pytorch() gave, not {described(loss)}"
        )
    with np.errstate(all="ignore"):
        graph = graph_with_gradients(loss) if loss.requires_grad else graph_of(loss)
        if not graph.recorded:
            raise errors.GraphError(
                "its values were not kept: compute it inside `with mg.record():`"
            )
        found = [*_not_finite(graph)]
        if not found:
            theirs = [] if watched is None else [*_of_pytorchs(graph, watched, first)]
            told = {t.line for t in theirs}
            zero = _zero(graph, expected, loss.requires_grad, cuts)
            way = () if any(t.kind == "underflows" for t in theirs) else _along_the_way(graph)
            late = (*way, *_softmax_twice(graph), *_another_axis(graph), *_pairs(graph))
            found = [*theirs, *(t for t in zero if t.line not in told), *late]
    found = [replace(trouble, what=trouble.what + when) for trouble in found]
    if watched is not None and first is not None:
        at = 1 if found and found[0].kind in ("not finite", "data") else 0
        found[at:at] = [*_long_steps(graph, watched, first)]
    if any(t.kind == "another gradient" for t in found):
        shown = loss  # with our gradients: a page of what was watched has PyTorch's
    if page:
        step = _step(graph, found[0]) if found else 0
        with np.errstate(all="ignore"):
            explore(shown, None if page is True else page, step=step)
    return Troubles(found)


def _step(graph: Graph, trouble: Trouble) -> int:
    """The step of a page at which a trouble happens; of a leaf, that of the first that uses it."""
    computed = [n.number for n in graph.nodes if n.kind == "operation"]
    if trouble.back:
        back = [n.number for n, _ in graph.way_back]
        return len(computed) + back.index(trouble.node) + 1 if trouble.node in back else 0
    at = trouble.node if trouble.node in computed else min(graph.users(trouble.node), default=-1)
    return computed.index(at) + 1 if at in computed else 0


# --- a NaN or an infinity -------------------------------------------------------------------------


def _bad(array: np.ndarray | None) -> bool:
    return array is not None and array.dtype.kind == "f" and not np.isfinite(array).all()


def _not_finite(graph: Graph) -> Iterator[Trouble]:
    """The origin of the first number that is not finite, if one reaches the result or a gradient."""
    root = graph[graph.roots[0]]
    if _bad(root.value):
        yield _forward(graph, root)
    elif any(_bad(n.gradient) for n in graph.nodes):
        yield from _back(graph)
    else:  # an infinity can end in a slope of 0
        differentiable = (n for n in graph.nodes if n.operation and n.state != "needs none")
        bad = next((n for n in differentiable if _bad(n.value) and _gives(graph, n)), None)
        if bad is not None:
            yield _forward(graph, bad)


def _forward(graph: Graph, root: GraphNode) -> Trouble:
    """The operation that gave the first such number on the way to the result."""
    reached, waiting = {root.number}, [root]
    while waiting:
        for source in _sources(graph, waiting.pop()):
            if _bad(source.value) and source.number not in reached:
                reached.add(source.number)
                waiting.append(source)
    nodes = [graph[n] for n in sorted(reached)]
    made = [n for n in nodes if n.operation and _gives(graph, n)]
    if not made:  # it came in
        leaf = next((n for n in nodes if not n.operation), nodes[0])
        line = graph.line_of(leaf.number)
        what = f"{_called(leaf)} has {_counted(leaf.value)} when it comes in"
        remedy = GENERAL["parameter" if leaf.kind == "parameter" else "data"]
        return Trouble("data", what, line, (), remedy, leaf.number)
    first = made[0]
    what = f"{_called(first)} is the first to give {_counted(first.value)}"
    return Trouble(
        "not finite", what, first.line, _inputs(graph, first), _remedy(graph, first), first.number
    )


def _gives(graph: Graph, node: GraphNode) -> bool:
    """Tell whether it gave a NaN where none came in; or an infinity where no number was infinite."""
    arrays = [s.value for s in _sources(graph, node) if s.value is not None]
    literals = [a for a in node.arguments if isinstance(a, float)]
    came = [a for a in (*arrays, *map(np.asarray, literals)) if a.dtype.kind == "f"]
    if np.isnan(node.value).any():  # type: ignore[arg-type]
        return not any(np.isnan(a).any() for a in arrays if a.dtype.kind == "f")
    return not any(np.isinf(a).any() for a in came)


def _back(graph: Graph) -> Iterator[Trouble]:
    """The rule that gave the first such gradient, newest operation first."""
    for edge in sorted(graph.edges, key=lambda e: -e.target):
        node = graph[edge.target]
        if _bad(edge.contribution) and not _bad(node.gradient):
            what = f"the gradient that {_called(node)} passes back to {_called(graph[edge.source])} has "
            numbers = (f"the gradient that arrives: {_range(node.gradient)}", *_inputs(graph, node))
            what += _counted(edge.contribution)
            bad = [s for s in _sources(graph, node) if _bad(s.value)]
            remedy = GENERAL["infinite"] if bad else _remedy(graph, node)
            back = Trouble("not finite", what, node.line, numbers, remedy, node.number, back=True)
            came = (_forward(graph, source) for source in bad)
            # What came in otherwise is meant, as in a mask.
            yield next((t for t in came if t.kind == back.kind), back)
            return


# --- gradients of PyTorch's that are others -------------------------------------------------------


def _of_pytorchs(graph: Graph, watched: Watched, place: int | None) -> Iterator[Trouble]:
    """The troubles in PyTorch alone: with gradients of the `backward()` at a place, or elsewhere."""
    root = graph[graph.roots[0]]
    others = () if place is None else watched.backwards[place].others
    overflows, underflows, wrong = others or ((), (), ())
    hooks, half = dict(watched.calls.hooked.values()), watched.calls.half
    hooked = next((line for line in hooks.values() if line is not None), None)
    if overflows:
        remedies = [GENERAL["hook"]] * bool(hooks) + [GENERAL["overflows"]] * half
        yield Trouble(
            "not finite", overflows[0] + (", in 32 bits" if half else ""), hooked or root.line,
            tuple(hooks), "; or ".join(remedies) or GENERAL["another"], root.number, back=True,
        )  # fmt: skip
    for function in watched.passes.wrong_functions():
        made = next((n for n in graph.nodes if n.operation == function.name), root)
        yield Trouble(
            "own backward", function.said, function.line, _inputs(graph, made),
            GENERAL["own backward"], made.number, back=True,
        )  # fmt: skip
    if wrong:
        node = _where_it_turns(graph, [leaf for _, leaves, _ in wrong for leaf in leaves])
        names = _listed([name for name, _, _ in wrong])
        what = f"PyTorch's gradient of {names} is another than that of what was computed: {wrong[0][2]}"
        turns = f"the last that may be right is that of {_called(node)}"
        numbers = (*hooks, turns)
        remedy = GENERAL["hook" if hooks else "another"]
        line = hooked or graph.line_of(node.number)
        yield Trouble("another gradient", what, line, numbers, remedy, node.number, back=True)
    if underflows:
        what = underflows[0] + (f"; and {len(underflows) - 1} more" if underflows[1:] else "")
        remedy = GENERAL["underflows"]
        yield Trouble("underflows", what, root.line, (), remedy, root.number, back=True)
    there = {memory_of(n.value) for n in graph.nodes}
    for name, tensor in watched.nan:
        if memory_of(tensor._array) not in there:
            outside = graph_of(tensor)
            origin = _forward(outside, outside[outside.roots[0]])
            how = (
                watched.calls.values.reasons.get(tensor, "")
                if origin.kind == "data"
                else origin.what
            )
            what = f"{name} has a NaN at the end of the block, which did not reach the loss"
            numbers = (*filter(None, [how]), *origin.numbers)
            yield Trouble("outside", what, origin.line, numbers, GENERAL["outside"], root.number)
            return


def _where_it_turns(graph: Graph, wrong: list[Tensor]) -> GraphNode:
    """The newest node whose gradient goes to leaves with a wrong one alone, and to all of these; or a
    leaf."""
    there = {memory_of(leaf._array) for leaf in wrong}
    leaves: dict[int, set[int]] = {
        n.number: {n.number} for n in graph.nodes if not n.operation and n.state != "needs none"
    }
    bad = {n for n in leaves if memory_of(graph[n].value) in there}
    for edge in sorted(graph.edges, key=lambda e: e.target):
        if edge.differentiable:
            leaves.setdefault(edge.target, set()).update(leaves.get(edge.source, ()))
    turns = [n for n, of in leaves.items() if of == bad]
    return graph[max(turns or bad or graph.roots)]


# --- steps of training ----------------------------------------------------------------------------


def _long_steps(graph: Graph, watched: Watched, place: int) -> Iterator[Trouble]:
    """Steps that make the loss grow, up to the `backward()` at a place: they are too long, or uphill.

    Where a gradient is wrong nothing is said of the steps.
    """
    root, losses = graph[graph.roots[0]], _losses(watched, place)
    sizes = [size for _, size in losses]
    if len(losses) < 2:
        return
    grows = GROWS if len(losses) > 2 else GROWS**3  # of one step alone: data differ too
    if not 0 < grows * sizes[0] <= sizes[-1] or min(sizes) < sizes[0]:
        return
    wrong = any(b.others.wrong for b in watched.backwards[: place + 1])
    if wrong or watched.passes.wrong_functions():
        return
    looked_at = dict.fromkeys([losses[0], *losses[-4:-1]])
    steps = [step for k, _ in looked_at if (step := watched.updates(k))]
    moved = [_together(c.after - c.before for c in step) for step in steps]
    before = [_together(c.before for c in step) for step in steps]
    shares = [m / max(w, TINY) for m, w in zip(moved, before)]
    shares = [share for share in shares if math.isfinite(share)]
    if max(shares, default=0) < LONG:
        return
    uphill = sum(float(np.vdot(c.after - c.before, c.gradient)) for c in steps[0]) > 0
    why = "they go along the gradient, not against it" if uphill else "they are too long"
    what = (
        f"the loss grows from {sizes[0]:.4g} to {sizes[-1]:.4g} in {len(sizes) - 1} "
        f"step{'s' * (len(sizes) > 2)} of training, whose gradients are right: {why}"
    )
    farthest = max(float(np.abs(c.after - c.before).max(initial=0)) for c in steps[0])
    scale = watched.backwards[losses[0][0]].roots[0][0].item() / sizes[0]
    rate = moved[0] * scale / max(_together(c.gradient for c in steps[0]), TINY)
    numbers = (
        "the loss: " + ", ".join(f"{size:.4g}" for size in sizes[-SHOWN:]),
        f"a step changes the parameters by up to {max(shares):.2g} times their size",
        f"the first is {rate:.3g} times as long as its gradient, which is the learning rate of plain "
        f"SGD, and moves numbers by up to {farthest:.3g}, which is that of Adam",
    )
    kind = "uphill" if uphill else "steps"
    yield Trouble("steps", what, root.line, numbers, GENERAL[kind], root.number)


def _together(arrays: Iterable[np.ndarray]) -> float:
    """The length of arrays as one vector."""
    return math.hypot(*map(_size, arrays))


def _losses(watched: Watched, place: int) -> list[tuple[int, float]]:
    """The losses of the line whose loss that at a place is, as far as there, and the place of each. A
    number that the loss was multiplied by last, as a GradScaler does, is no part of it."""
    found, line = [], None
    for k in range(place, -1, -1):
        root = next((root.node for root, _ in watched.backwards[k].roots), None)
        if root is None or root.shape or root.operation is None:
            continue
        while _plain(root.operation.name) == "multiply" and len(root.edges) == 1:
            ((_, _, before),) = root.edges
            if before.shape or before.operation is None:
                break
            root = before
        line = line or root.note.line
        size = float(root.note.y)
        if root.note.line == line and not math.isnan(size):
            found.append((k, size))
    return found[::-1]


# --- no gradient ----------------------------------------------------------------------------------


def _zero(
    graph: Graph, expected: dict[str, list[np.ndarray]], learns: bool, cuts: Cuts
) -> Iterator[Trouble]:
    """Parameters and inputs whose gradient is exactly zero, or that none reaches: told together where it
    stops at the same place.

    Args:
        expected: the parameters that should have one, by name: the arrays of each.
        learns: whether the loss requires a gradient at all.
        cuts: gives the line that detached a value, where that is known.
    """
    root = graph[graph.roots[0]]
    if expected and not learns:
        what = "the loss requires no gradient, so no parameter has one"
        yield Trouble("cut off", what, root.line, (), GENERAL["cut off"], root.number)
        return
    together: dict[tuple[str, SourceLine | None], tuple[Trouble, list[str]]] = {}
    for leaf in graph.nodes:
        if not leaf.operation and leaf.kind != "data" and leaf.state in ("zero", "not computed"):
            trouble = _stopped(graph, leaf, cuts)
            known = together.setdefault((trouble.what, trouble.line), (trouble, []))
            known[1].append(_called(leaf))
    for trouble, names in together.values():
        yield replace(trouble, what=trouble.what.replace(WHOSE, _listed(names), 1))
    there = {memory_of(n.value) for n in graph.nodes if not n.operation}
    if missing := sorted(
        name for name in expected if there.isdisjoint(map(memory_of, expected[name]))
    ):
        what = f"no gradient reaches {_listed(missing)}: the loss was not computed from there"
        yield Trouble("cut off", what, root.line, (), GENERAL["cut off"], root.number)


WHOSE = "\0"  # stands for the names of the leaves


def _stopped(graph: Graph, leaf: GraphNode, cuts: Cuts) -> Trouble:
    """The place where the gradient of a leaf stops on its way back."""
    ways = _used_by(graph, leaf)
    stops = [
        e for e in graph.edges
        if e.source in ways and graph[e.target].gradient is not None
        and graph[e.target].gradient.any() and not _arrives(e.contribution)  # type: ignore[union-attr]
    ]  # fmt: skip
    stop = max(stops, key=lambda e: e.target, default=None)
    before = sorted(n for n in ways if stop is None or n <= stop.source)
    cut = [line for n in before for line in [cuts(graph[n].value)] if line is not None]
    if stop is None:
        lines = [graph[n].line for n in before if graph[n].line is not None]
        return _cut_off(leaf, next(iter([*cut, *lines]), None))
    node = graph[stop.target]
    if not stop.differentiable and not _is_flat(node):
        return _cut_off(leaf, cut[-1] if cut else node.line)
    what = f"the gradient of {WHOSE} is exactly zero: {_called(node)} passes none back"
    remedy = _remedy(graph, node, "zero")
    return Trouble("zero", what, node.line, _inputs(graph, node), remedy, node.number, back=True)


def _cut_off(leaf: GraphNode, line: SourceLine | None) -> Trouble:
    what = f"no gradient reaches {WHOSE}: what is computed from there leaves the graph"
    return Trouble("cut off", what, line, (), GENERAL["cut off"], leaf.number)


def _arrives(contribution: np.ndarray | None) -> bool:
    return contribution is not None and bool(contribution.any())


def _is_flat(node: GraphNode) -> bool:
    """Tell whether it is its slope that is zero everywhere."""
    return _plain(node.operation) in ("round", "sign", "floor", "ceil", "trunc", "rint")


def _used_by(graph: Graph, leaf: GraphNode) -> set[int]:
    """The numbers of all that was computed from a leaf, and its own."""
    ways = {leaf.number}
    for edge in sorted(graph.edges, key=lambda e: e.target):
        if edge.source in ways:
            ways.add(edge.target)
    return ways


# --- gradients that become too small, or too large, on their way ----------------------------------


def _along_the_way(graph: Graph) -> Iterator[Trouble]:
    """The deepest way back from the result: how much the size of the gradient changes on it."""
    depth: dict[int, int] = {}
    deepest = {}
    for edge in sorted(graph.edges, key=lambda e: e.target):
        if edge.differentiable and edge.contribution is not None:
            here = depth.get(edge.source, 0) + 1
            if here > depth.get(edge.target, 0):
                depth[edge.target], deepest[edge.target] = here, edge
    way, number = [], graph.roots[0]
    while number in deepest:
        way.append(deepest[number])
        number = way[-1].source
    steps: list[tuple[float, GraphNode]] = []
    for edge in way:
        came, passed = (_size(graph[n].gradient) for n in (edge.target, edge.source))
        node = graph[edge.target]
        scales = not node.shape and _plain(node.operation) in SCALED  # as a GradScaler does
        leading = not steps and (scales or _plain(node.operation) in ("sum", "mean"))
        if came and passed and not leading:
            steps.append((math.log(passed / came), node))
    change = sum(log for log, _ in steps)
    if len(steps) < STEPS or abs(change) < math.log(FAR):
        return
    kind = "vanishes" if change < 0 else "explodes"
    by_line: dict[SourceLine | None, float] = {}
    for log, node in steps:
        by_line[node.line] = by_line.get(node.line, 0) + log
    line = (min if change < 0 else max)(by_line, key=by_line.__getitem__)
    node = next(n for _, n in steps if n.line == line)
    what = (
        f"on the way back through {len(steps)} operations the size of the gradient changes by a factor "
        f"of {math.exp(change):.2g}, of which {math.exp(by_line[line]):.2g} on one line"
    )
    sizes = [_size(graph[e.source].gradient) for e in way[:: max(1, len(way) // 5)]]
    numbers = ("its size on the way back: " + ", ".join(f"{size:.2g}" for size in sizes),)
    yield Trouble(kind, what, line, numbers, GENERAL[kind], node.number, back=True)


def _size(gradient: np.ndarray | None) -> float:
    """The root of the sum of squares."""
    return (
        0.0 if gradient is None else float(np.sqrt(np.sum(np.square(gradient, dtype=np.float64))))
    )


# --- a softmax of a softmax ------------------------------------------------------------------------


def _softmax_twice(graph: Graph) -> Iterator[Trouble]:
    """Each softmax, or logarithm of one, that is given what a softmax made."""
    names = {box.number: box.name for box in graph.boxes}
    for edge in graph.edges:
        given, taken = graph[edge.source], graph[edge.target]
        of, by = (names.get(n.box, "") for n in (given, taken))  # type: ignore[arg-type]
        if edge.differentiable and given.box != taken.box and of == "softmax" and "softmax" in by:
            what = f"{by} takes {_called(given)}, which a softmax made: it is flatter than meant"
            inputs = _inputs(graph, taken)[:1]
            yield Trouble("twice", what, given.line, inputs, GENERAL["twice"], taken.number)


def _another_axis(graph: Graph) -> Iterator[Trouble]:
    """Each product that adds up what a softmax made along another axis than it sums to one."""
    softmaxes = {box.number for box in graph.boxes if box.name == "softmax"}
    for node in graph.nodes:
        if _plain(node.operation) != "matmul":
            continue
        weights = _sources(graph, node)[0]
        while weights.box not in softmaxes and _plain(weights.operation) in SCALED:  # as by dropout
            weights = _sources(graph, weights)[0]
        a = weights.value
        if weights.box not in softmaxes or a is None or a.ndim < 2:
            continue
        ones = [k for k in range(a.ndim) if np.allclose(np.sum(a, k), 1, atol=1e-2)]
        if ones and a.ndim - 1 not in ones:
            what = (
                f"{_called(node)} adds up along the last axis of {_called(weights)}, which a softmax "
                f"made to sum to one along axis {ones[-1]} of {a.ndim}"
            )
            remedy = GENERAL["axis"]
            yield Trouble("axis", what, weights.line, _inputs(graph, node), remedy, node.number)


def _pairs(graph: Graph) -> Iterator[Trouble]:
    """Each column less a row, one learned and the other given: each number with every other."""
    for node in graph.nodes:
        if _plain(node.operation) != "subtract" or len(node.shape) != 2:
            continue
        terms = _sources(graph, node)
        for k, term in enumerate(terms):  # PyTorch's losses spread them first
            while _plain(term.operation) == "broadcast_to":
                term = terms[k] = _sources(graph, term)[0]
        shapes = sorted([t.shape for t in terms], key=len)
        n = node.shape[0]
        learned = {t.state != "needs none" for t in terms}
        if shapes == [(n,), (n, 1)] and n > 1 and len(learned) == 2:
            less, of = terms[::-1]
            what = (
                f"{_called(node)} takes {less.shape} from {of.shape}, which gives {node.shape}: each "
                f"number with every other"
            )
            remedy = GENERAL["pairs"]
            yield Trouble("pairs", what, node.line, _inputs(graph, node), remedy, node.number)


# --- words ----------------------------------------------------------------------------------------


def _sources(graph: Graph, node: GraphNode) -> list[GraphNode]:
    return [graph[e.source] for e in graph.arguments(node.number)]


def _plain(operation: str) -> str:
    name = operation.rpartition(".")[2]
    return {"true_divide": "divide"}.get(name, name)


def _called(node: GraphNode) -> str:
    made_by = node.operation or node.kind
    return f"{made_by} #{node.number}" + (f" ({node.label})" if node.label else "")


def _listed(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    if len(names) <= LISTED + 1:
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"{', '.join(names[:LISTED])} and {len(names) - LISTED} more"


def _remedy(graph: Graph, node: GraphNode, kind: str = "not finite") -> str:
    name = _plain(node.operation)
    if name == "power" and _bad(node.value):
        base = node.arguments[0]
        number = _sources(graph, node)[0].value if isinstance(base, Ref) else base
        name = "large power" if np.all(number) else name
    return REMEDIES[kind].get(name, GENERAL[kind])


def _inputs(graph: Graph, node: GraphNode) -> tuple[str, ...]:
    """The arguments, in words."""
    said = [
        f"{_called(s)}: {_range(s.value)}" for s in _sources(graph, node) if s.value is not None
    ]
    numbers = [
        f"the number {a:g}"
        for a in node.arguments
        if isinstance(a, (int, float)) and not isinstance(a, (Ref, bool))
    ]
    return tuple(dict.fromkeys([*said, *numbers]))


def _range(array: np.ndarray | None) -> str:
    if array is None or not array.size:
        return "no numbers"
    if array.size == 1:
        return f"{float(array.flat[0]):.4g}"
    return f"from {np.min(array):.4g} to {np.max(array):.4g}, {array.shape}"


def _counted(array: np.ndarray | None) -> str:
    if array is None:
        return "nothing"
    counts = {"NaN": int(np.isnan(array).sum()), "infinite": int(np.isinf(array).sum())}
    said = " and ".join(f"{n:,} {name}" for name, n in counts.items() if n)
    return f"{said} of {array.size:,} number{'s' if array.size > 1 else ''}"
