"""How what the engine holds becomes a `Graph`: the one place where views touch the engine.

Nodes and leaves are found by a walk from the roots, numbered in order of creation, and given the names
that a reader knows them by: of variables, of the attributes of modules.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine import rules, table
from ..engine.errors import MinigradError
from ..engine.modes import Scope, scoped
from ..engine.node import Node, Note
from ..engine.tensor import Tensor, _target, _wrap, apply
from ..engine.walk import _pass_on, backward, copied_axes
from ..nn import Module, Parameter
from .graph import UNKNOWN, Box, Edge, Graph, GraphNode, Ref
from .show import read_only
from .source import line_of, variables

NOT_MADE = table.Spec((), np.dtype(np.float32))  # the result of an operation that failed


def capture(roots: Sequence[Tensor]) -> Graph:
    """The computation of `roots` as data (see `graph`)."""
    with _no_collection():
        return _Capture(roots).graph()


def numbers(root: Tensor) -> dict[Node | Tensor, int]:
    """The number that each operation and leaf has in the graph of `root`."""
    reached = _Reached([root])
    nodes = (s for s in reached.sources.values() if isinstance(s, (Node, Tensor)))
    return {s: reached.number[id(s)] for s in nodes}


def from_error(error: MinigradError) -> Graph | None:
    """The computation that an error came up in, as far as it got; None where there was none.

    The frames of the traceback have all there is to know: in the engine's own loops they hold the
    operation that failed, and what it was called with.
    """
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        place, held = frame.f_code, frame.f_locals
        if place is _pass_on.__code__:
            return _marked(error, held["node"], _root_of(error, held["node"]))
        if place is apply.__code__ or place is scoped.__code__:
            scope = held["outer"] if place is scoped.__code__ else _scope_of(error)
            culprit = _failed(error, held, scope)
            return _marked(error, culprit, _wrap(held.get("y"), culprit))
    return None


def _marked(error: MinigradError, culprit: Node, root: Tensor) -> Graph:
    with _no_collection():
        capture = _Capture([root], error)
        graph = dataclasses.replace(capture.graph(), title=type(error).__name__)
        graph[capture.number[id(culprit)]].error = str(error).split("\n  at ")[0]
    return graph


def _failed(error: MinigradError, held: dict[str, Any], scope: Scope | None) -> Node:
    """The call that failed, as the node that it would have become."""
    function, owner = held["function"], held.get("owner")
    if owner is not None:  # a module, or a composition
        kind = owner if isinstance(owner, str) else type(owner).__name__
        function = functools.partial(function)
        function.__name__ = kind  # type: ignore[attr-defined]
    args = (*held["args"], *held["kwargs"].values())
    y = held.get("y")
    y = y if hasattr(y, "shape") else NOT_MADE
    edges = [(i, to) for i, a in enumerate(args) if (to := _target(a)) is not None]
    node = Node(function, (), args, {}, edges, y, (), scope)
    value = y if isinstance(y, np.ndarray) else None
    node.note = Note(value, args, line_of(error))
    return node


def _scope_of(error: MinigradError) -> Scope | None:
    """The module or composition in which an operation failed."""
    frames = [f for f, _ in traceback.walk_tb(error.__traceback__)]
    inside = [f.f_locals["scope"] for f in frames if f.f_code is scoped.__code__]
    return inside[-1] if inside else None


def _root_of(error: MinigradError, node: Node) -> Tensor:
    """What a backward pass that failed had started from; the node itself where that is not known."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code is backward.__code__:
            return frame.f_locals["root"]
    return _wrap(node.note.value if node.note is not None else None, node)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Spare the garbage collector many looks at a graph's new objects, none of which is garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Reached:
    """Everything that some tensors were computed from, numbered in order of creation.

    Sources are engine nodes, leaf tensors, raw arrays and `Spec`s of arrays that were not kept; they
    are found by identity.
    """

    def __init__(self, roots: Sequence[Tensor]):
        self.roots = roots
        self.sources: dict[int, Any] = {}  # id -> source; holding it keeps the id its own
        self.calls: dict[int, tuple] = {}  # id of a node -> its arguments, `_Source`s among them
        self.supplies: dict[int, list[tuple]] = {}  # id -> (position, place in a list, source)
        self.order: dict[int, tuple] = {}  # id -> where it comes in the order of creation
        self._reach()
        ids = sorted(self.sources, key=self.order.__getitem__)
        self.number = {i: n for n, i in enumerate(ids)}

    def _reach(self) -> None:
        """Find every source, with a loop: graphs are deeper than Python recurses."""
        waiting = [_source(r) for r in self.roots]
        self.sources.update((id(s), s) for s in waiting)
        while waiting:
            source = waiting.pop()
            if not isinstance(source, Node):
                self.order.setdefault(id(source), (getattr(source, "number", 0), 1))
                continue
            self.order[id(source)] = (source.number, 1)
            call = self.calls[id(source)] = _call(source)
            supplies = self.supplies[id(source)] = _supplies(call)
            for k, (_, _, s) in enumerate(supplies):
                if isinstance(s, (Node, Tensor)):
                    if id(s) not in self.sources:
                        waiting.append(s)
                else:  # an array has no number: it comes just before its first use
                    mine = self.order.get(id(s), (source.number, 0, k))
                    self.order[id(s)] = min(mine, (source.number, 0, k))
                self.sources[id(s)] = s


class _Capture(_Reached):
    """One walk over what the engine holds, and what is looked up on the way."""

    def __init__(self, roots: Sequence[Tensor], error: MinigradError | None = None):
        super().__init__(roots)
        self.names = _Names(self.sources.values(), roots, error)
        self.places = _Places(self.sources, self.supplies, self.names)

    def graph(self) -> Graph:
        values = self._values()
        kept = self._kept()
        nodes: list[GraphNode] = []
        edges: list[Edge] = []
        for i, n in self.number.items():
            source = self.sources[i]
            nodes.append(self._node(n, i, source, values, kept))
            if isinstance(source, Node):
                edges += self._edges(n, i, source)
        roots = tuple(self.number[id(_source(r))] for r in self.roots)
        recorded = all(_recorded(s) for s in self.sources.values() if isinstance(s, Node))
        title = ", ".join(nodes[r].label for r in roots)
        return Graph(tuple(nodes), tuple(edges), tuple(self.places.boxes), roots, recorded, title)

    def _values(self) -> dict[int, np.ndarray]:
        """What is still known of the values: recorded, or kept for the backward pass."""
        held: list[tuple[Any, Any]] = [(_source(r), r._array) for r in self.roots]
        for source in self.sources.values():
            if isinstance(source, Node):
                held.append((source, source.note.value if source.note is not None else source.y))
                if source.args is not None:  # what it keeps of its arguments is their value
                    held += ((p, source.args[i]) for i, p in source.edges if isinstance(p, Node))
            else:
                held.append((source, source._array if isinstance(source, Tensor) else source))
        return {id(s): v for s, v in held if isinstance(v, np.ndarray)}

    def _kept(self) -> dict[int, int]:
        """For each node, the bytes that it is the first to keep; what a leaf holds is the leaf's."""
        seen = {id(_memory(s._array)) for s in self.sources.values() if isinstance(s, Tensor)}
        kept: dict[int, int] = {}
        for i in self.number:
            source = self.sources[i]
            if isinstance(source, Node) and source.args is not None:
                for array in _arrays((source.y, *source.args)):
                    memory = _memory(array)
                    if id(memory) not in seen:
                        seen.add(id(memory))
                        kept[i] = kept.get(i, 0) + memory.nbytes
        return kept

    def _node(self, n: int, i: int, source: Any, values: dict, kept: dict) -> GraphNode:
        gradient, state = _gradient(source)
        node = source if isinstance(source, Node) else None
        value = values.get(i)
        if value is not None and (node is None or value.base is not None):
            value = value.copy(order="K")  # leaves change, and so do views of them
        elif value is not None:
            value = read_only(value)
        box = self.places.of.get(i)
        return GraphNode(
            number=n,
            kind=self.names.kind(source),
            operation=_facts(node.function).name if node is not None else "",
            function=node.function if node is not None else None,
            arguments=tuple([self._refer(a) for a in self.calls[i]]) if node is not None else (),
            options=dict(node.kwargs) if node is not None else {},
            shape=source.shape,
            dtype=source.dtype,
            value=value,
            gradient=gradient,
            state=state,
            name=self.names.given.get(i, ""),
            variable=self.names.variable.get(i, ""),
            line=node.note.where if node is not None and node.note is not None else None,
            box=box,
            module=self.places.module_of(box),
            kept=kept.get(i, 0),
            rules=node.rules if node is not None else (),
        )

    def _refer(self, argument: Any) -> Any:
        if type(argument) is _Source:
            return Ref(self.number[id(argument.of)])
        return (
            type(argument)(map(self._refer, argument))
            if type(argument) in (list, tuple)
            else argument
        )

    def _edges(self, n: int, i: int, node: Node) -> Iterator[Edge]:
        supplies = self.supplies[i]
        passing = [p for p, _ in node.edges]
        contributions = iter(node.note.contributions if node.note is not None else ())
        facts = _facts(node.function)
        shapes = [s.shape for _, _, s in supplies]
        made = node.y is not NOT_MADE
        copied = facts.copied(node.shape, shapes) if made else [()] * len(shapes)
        for (position, item, source), axes in zip(supplies, copied):
            passes = position in passing and _requires_grad(source)
            contribution = next(contributions, None) if passes else None
            yield Edge(
                source=self.number[id(source)],
                target=n,
                position=position,
                item=item,
                argument=facts.parameters[position] if position < len(facts.parameters) else "",
                differentiable=passes,
                contribution=_plain(contribution[2]) if contribution is not None else None,
                copied=axes,
            )


# --- what the engine holds ------------------------------------------------------------------------


class _Source(NamedTuple):
    """An argument that becomes a node of the graph."""

    of: Any


def _source(tensor: Tensor) -> Node | Tensor:
    return tensor._node or tensor


def _recorded(node: Node) -> bool:
    return node.note is not None and bool(node.note.inputs)  # retain_grad() notes no inputs


def _call(node: Node) -> tuple:
    """The arguments of a node, each array and tensor among them as a `_Source`."""
    parents = dict(node.edges)
    given = node.note.inputs if node.note is not None and _recorded(node) else node.args
    if given is None:  # freed, and not recorded: only the edges are left
        n = max(len(node.rules), *(p + 1 for p in parents))
        given = (UNKNOWN,) * n
    return tuple(_argument(a, parents.get(i)) for i, a in enumerate(given))


def _argument(given: Any, parent: Any) -> Any:
    if isinstance(parent, list):
        given = [UNKNOWN] * len(parent) if given is UNKNOWN else given
        return list(map(_argument, given, parent))
    if parent is not None:
        return _Source(parent)
    if isinstance(given, (int, float)):
        return given
    if isinstance(given, Tensor):
        return _Source(_source(given))
    if isinstance(given, table.Spec):  # one can stand for many arrays
        return _Source(table.Spec(given.shape, given.dtype)) if given.ndim else UNKNOWN
    if isinstance(given, np.ndarray) and given.ndim:
        return _Source(given)
    if isinstance(given, (list, tuple)) and any(isinstance(a, Tensor) for a in given):
        return type(given)([_argument(a, None) for a in given])
    return given


def _supplies(call: tuple) -> list[tuple[int, int | None, Any]]:
    """Every source among the arguments: its position, its place in a list there, the source."""
    found: list[tuple[int, int | None, Any]] = []
    for position, argument in enumerate(call):
        if type(argument) is _Source:
            found.append((position, None, argument.of))
        elif isinstance(argument, (list, tuple)):
            found += [(position, j, a.of) for j, a in enumerate(argument) if isinstance(a, _Source)]
    return found


class _Facts(NamedTuple):
    """What there is to know about a function, whatever it is called with."""

    name: str
    parameters: tuple[str, ...]
    spreads: str  # broadcasting: of "all" axes, of those before a "matrix", or ""

    def copied(self, shape: tuple[int, ...], shapes: list[tuple[int, ...]]) -> list[tuple]:
        """For each argument, the axes of the result along which broadcasting copied it."""
        matrices = self.spreads == "matrix" and all(len(s) > 1 for s in shapes)
        if matrices:
            shape, shapes = shape[:-2], [s[:-2] for s in shapes]
        if not (matrices or self.spreads == "all"):
            return [()] * len(shapes)
        return [() if s == shape else copied_axes(shape, s) for s in shapes]


@functools.cache
def _facts(function: Callable) -> _Facts:
    entry = table.TABLE.get(function)
    elementwise = isinstance(function, np.ufunc) and function.signature is None
    return _Facts(
        name=table.name_of(function),
        parameters=entry.parameters if isinstance(entry, table.Rule) else (),
        spreads="matrix" if function is np.matmul
        else "all" if elementwise or function in (np.where, rules.clamp) else "",
    )  # fmt: skip


def _requires_grad(source: Any) -> bool:
    if isinstance(source, Node):
        return bool(source.edges)
    return isinstance(source, Tensor) and source.requires_grad


def _gradient(source: Any) -> tuple[np.ndarray | None, str]:
    """The gradient of a source, and the state that it is in."""
    if not _requires_grad(source):
        return None, "needs none"
    if isinstance(source, Node):
        gradient = source.note.grad if source.note is not None else None
        if gradient is None:
            return None, "freed" if source.args is None else "not computed"
    else:
        gradient = source.grad
        if gradient is None:
            return None, "not computed"
    array = _plain(gradient)
    return array, "known" if array is None or array.any() else "zero"


def _plain(gradient: Any) -> np.ndarray | None:
    """The array in a gradient; None where it is of another kind, yet to be computed."""
    array = gradient._array if isinstance(gradient, Tensor) else gradient
    return read_only(np.asarray(array)) if isinstance(array, (np.ndarray, np.generic)) else None


def _arrays(values: Iterable[Any]) -> list[np.ndarray]:
    """The arrays among `values`, and in the lists among them."""
    found = []
    for v in values:
        if isinstance(v, np.ndarray):
            found.append(v)
        elif isinstance(v, (list, tuple)):
            found += _arrays(v)
    return found


def _memory(array: Any) -> Any:
    """The array in whose memory `array` lies."""
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array


# --- names and places -----------------------------------------------------------------------------


class _Names:
    """What a reader calls things: the variables that hold them, the attributes of modules."""

    def __init__(
        self, sources: Iterable[Any], roots: Sequence[Tensor], error: MinigradError | None = None
    ):
        self.variable: dict[int, str] = {}  # by the id of a source
        self.given: dict[int, str] = {}
        self.owner: dict[int, Module] = {}  # the module of which it is an attribute
        self.paths: dict[int, str] = {}  # by the id of a module
        self.modules: dict[int, tuple[str, Module]] = {}  # those that variables hold
        for name, value in variables(error):
            if isinstance(value, Tensor):
                for key in (value._node or value, value._array):
                    self.variable.setdefault(id(key), name)
            elif isinstance(value, np.ndarray):
                self.variable.setdefault(id(value), name)
            elif isinstance(value, Module) and name != "self":
                self.modules.setdefault(id(value), (name, value))
        self.outer = frozenset(self.variable)
        tensors = list(roots)
        for source in sources:
            if isinstance(source, Node) and source.note is not None:
                tensors += (a for a in source.note.inputs if isinstance(a, Tensor))
                for tensor, name in source.note.names:
                    self.variable.setdefault(id(_source(tensor)), name)
            elif isinstance(source, Tensor):
                tensors.append(source)
        self.given.update((id(_source(t)), t.name) for t in tensors if t.name)

    def learn(self, root: Module, prefix: str) -> None:
        """Take the names of everything inside `root`, with `prefix` before them."""
        for path, module in root.named_modules(prefix):
            if id(module) in self.paths:
                continue
            self.paths[id(module)] = path
            for name, value in vars(module).items():
                if isinstance(value, (Tensor, np.ndarray)) and id(value) not in self.owner:
                    self.owner[id(value)] = module
                    self.given[id(value)] = f"{path}.{name}" if path else name

    def kind(self, source: Any) -> str:
        if isinstance(source, Node):
            return "operation"
        if not _requires_grad(source):
            return "data"
        learned = isinstance(source, Parameter) or id(source) in self.owner
        return "parameter" if learned else "input"


class _Places:
    """The boxes, and in which of them each source lies."""

    def __init__(self, sources: dict[int, Any], supplies: dict[int, list], names: _Names):
        self.names = names
        self.sources = sources
        scopes: dict[int, Scope] = {}
        for source in sources.values():
            scope = source.scope if isinstance(source, Node) else None
            while scope is not None and scope.number not in scopes:
                scopes[scope.number] = scope
                scope = scope.outer
        self.scopes = [scopes[n] for n in sorted(scopes)]
        self.number = {scope.number: i for i, scope in enumerate(self.scopes)}
        self._learn_names()
        self.boxes: list[Box] = []
        for scope in self.scopes:
            self.boxes.append(self._box(scope))
        self.of = {
            i: self._in(source.scope) for i, source in sources.items() if isinstance(source, Node)
        }
        users: dict[int, int | None] = {}
        for i, supplied in supplies.items():
            for _, _, source in supplied:
                if not isinstance(source, Node):
                    j = id(source)
                    users[j] = self._common(users[j], self.of[i]) if j in users else self.of[i]
        self.of.update((i, self._settle(sources[i], box)) for i, box in users.items())

    def _in(self, scope: Scope | None) -> int | None:
        return None if scope is None else self.number[scope.number]

    def _learn_names(self) -> None:
        """Name the modules from the outermost ones, or from a variable's that contains those."""
        held = [module for _, module in self.names.modules.values()]
        within = {id(m) for outer in held for p, m in outer.named_modules() if p}
        containing = {
            id(m): outer
            for outer in held
            if id(outer) not in within
            for _, m in outer.named_modules()
        }
        modules = [s for s in self.scopes if isinstance(s.owner, Module)]
        outermost = [s.owner for s in modules if _module_around(s) is None]
        tops = {id(r): r for r in (containing.get(id(m), m) for m in outermost)}
        for root in {id(r): r for r in containing.values()}.values():
            if any(id(p) in self.sources for p in root.parameters()):  # used without a call
                tops.setdefault(id(root), root)
        taken: set[str] = set()
        for root in tops.values():
            name, _ = self.names.modules.get(id(root), (type(root).__name__, None))
            unique, k = name, 1
            while unique in taken:
                k += 1
                unique = f"{name}_{k}"
            taken.add(unique)
            self.names.learn(root, unique if len(tops) > 1 else "")
        for scope in modules:  # those that no attribute leads to
            if id(scope.owner) not in self.names.paths:
                around = _module_around(scope)
                prefix = self.names.paths[id(around.owner)] if around is not None else ""
                self.names.learn(scope.owner, f"{prefix}.{type(scope.owner).__name__}".lstrip("."))

    def _box(self, scope: Scope) -> Box:
        number, parent = self.number[scope.number], self._in(scope.outer)
        around = self.boxes[parent].path if parent is not None else ""
        owner = scope.owner
        if not isinstance(owner, Module):
            path = f"{around}/{owner}" if around else str(owner)
            return Box(number, "composition", str(owner), "", path, parent)
        path = self.names.paths[id(owner)]
        module_around = _module_around(scope)
        outer_path = self.names.paths[id(module_around.owner)] if module_around is not None else ""
        name = path[len(outer_path) + 1 :] if path.startswith(f"{outer_path}.") else path
        if not path:
            name, _ = self.names.modules.get(id(owner), ("", None))
        details = owner.describe()
        kind = type(owner).__name__ + (f" {details}" if details else "")
        return Box(number, "module", name, kind, path, parent)

    def module_of(self, box: int | None) -> str | None:
        while box is not None and self.boxes[box].kind != "module":
            box = self.boxes[box].parent
        return None if box is None else self.boxes[box].path

    def _around(self, box: int | None) -> list[int]:
        """The box and those around it, outermost first."""
        chain: list[int] = []
        while box is not None:
            chain.append(box)
            box = self.boxes[box].parent
        return chain[::-1]

    def _common(self, a: int | None, b: int | None) -> int | None:
        """The innermost box around both."""
        if a == b:
            return a
        shared = [x for x, y in zip(self._around(a), self._around(b)) if x == y]
        return shared[-1] if shared else None

    def _settle(self, source: Any, box: int | None) -> int | None:
        """Where to show what no operation made: at its module, or where it came into being."""
        owner = self.names.owner.get(id(source))
        chain = self._around(box)
        if owner is not None:
            at_home = [b for b in chain if self.scopes[b].owner is owner]
            modules = [b for b in chain if self.boxes[b].kind == "module"]
            return at_home[-1] if at_home else modules[-1] if modules else None
        if isinstance(source, Tensor):
            made = [b for b in chain if self.scopes[b].number < source.number]
            return made[-1] if made else None
        return None if id(source) in self.names.outer else box


def _module_around(scope: Scope) -> Scope | None:
    """The nearest call of a module in which a call was made."""
    outer = scope.outer
    while outer is not None and not isinstance(outer.owner, Module):
        outer = outer.outer
    return outer
