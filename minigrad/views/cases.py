"""The rule for the case at hand, as a person would write it.

The table of derivatives says `g @ transposed(b)`; for `h = x @ w` that is `g @ w.T`. A rule is called
on symbols of the shapes and with the settings of the case, and writes itself down: what depends on
shapes and settings alone is decided by then. The same is done with an operation of the forward pass.
"""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ..engine import rules
from ..engine.table import code_of
from ..engine.tensor import Array
from ..rules_as_text import source_of
from . import text
from .elements import terms
from .symbols import TIGHT, Notation, Shape, Symbol, bare, follow, undone, write

LONGEST = 72  # letters of a rule that was followed; beyond it the table's own text says more
Role = (
    str | int | tuple[int, int]
)  # "g", "y", an argument's position, or that and its place in a list


class Case(NamedTuple):
    """A rule, or an operation, simplified for certain shapes and settings.

    Attributes:
        text: as a person would write it.
        result: the symbol that it gives; None where it could not be followed.
        reads: the symbols in it, by what they are to the operation.
        note: what the function does that the text is written with, where it could not be followed.
    """

    text: str
    result: Symbol | None
    reads: Mapping[Role, Symbol]
    note: str = ""

    def used(self) -> dict[Role, Symbol]:
        """Those of the symbols whose values the result is made of, and not their shapes alone."""
        if self.result is None:
            said = lambda name: re.search(rf"(?<!\w){re.escape(name)}(?!\w|\.shape)", self.text)
            return {role: s for role, s in self.reads.items() if said(s.name)}
        found: set[int] = set()
        waiting: list[Any] = [self.result]
        while waiting:
            value = waiting.pop()
            if isinstance(value, (list, tuple)) and not isinstance(value, Shape):
                waiting += value
            elif isinstance(value, Symbol):
                found.add(id(value))
                waiting += value.call[1] if value.call is not None else ()
        return {role: s for role, s in self.reads.items() if id(s) in found}

    def terms(self) -> Any:
        """Find what each element of the result is made of; None where that is not known."""
        return terms(self.result, self.reads)

    def of_argument(self, position: int, item: int | None) -> Case:
        """The same for one argument: of a list's rule, its part, and with broadcasting undone."""
        argument = self.reads.get(position if item is None else (position, item))
        result = self.result
        if item is not None and isinstance(result, (list, tuple)):
            result = result[item]
        if not isinstance(result, Symbol) or argument is None:
            return self._replace(result=None)
        said = READING.sentence(result) if item is not None else ""
        case = self._replace(text=said, note="") if said else self
        return case._replace(result=undone(result, argument))


def of_rule(
    rule: Callable,
    g: Array,
    saved: Sequence[Any],
    options: Mapping[str, Any],
    names: RoleNames,
    given: Array | None = None,
) -> Case:
    """The case of a rule of the table: `saved` has the result and the arguments, or outlines of them.

    `given` is the array that the rule gave, where that is known: then it is called once more, not twice.
    """
    y, *args = saved
    reads: dict[Role, Symbol] = {"g": _symbol(g, "g"), "y": _symbol(y, names["y"])}
    called = [_argument(a, i, names, reads) for i, a in enumerate(args)]
    made = _followed(rule, [reads["g"], reads["y"], *called], options, given)
    said, note = READING.sentence(made) if made is not None else "", ""
    if not said:
        said, note = _in_the_table(rule, args, options, names)
    return Case(said, made, reads, note)


def of_operation(
    function: Callable, args: Sequence[Any], options: Mapping[str, Any], names: RoleNames
) -> Case:
    """The case of an operation of the forward pass, which is given arrays."""
    reads: dict[Role, Symbol] = {}
    given = [_argument(a, i, names, reads) for i, a in enumerate(args)]
    try:
        with np.errstate(all="ignore"):
            made = write(function, given, dict(options))
    except Exception:  # whatever a function does that symbols cannot
        made = None
    if made is None or not isinstance(made, Symbol):
        return Case("", None, reads)
    inner = _followed(bare(function), given, options)
    return Case(READING.sentence(made), made if inner is None else inner, reads)


def of_edge(graph: Any, edge: Any, numbered: bool = True) -> Case:
    """The case of the rule by which a gradient goes back along an edge; see `RoleNames.of`."""
    node = graph[edge.target]
    rule = node.rules[edge.position] if edge.position < len(node.rules) else None
    if not edge.differentiable or rule is None:
        return Case("", None, {})
    names = RoleNames.of(graph, node, numbered)
    g = node.gradient if node.gradient is not None else stand_in(node.shape, node.dtype)
    y = node.value if node.value is not None else stand_in(node.shape, node.dtype)
    known = node.gradient is not None and edge.passed is not None and edge.item is None
    given = edge.passed.given if known else None
    case = of_rule(rule, g, [y, *graph.given(node)], node.options, names, given)
    return case.of_argument(edge.position, edge.item)


def of_node(graph: Any, node: Any) -> Case:
    """The case of the operation that made a node of a graph."""
    return of_operation(node.function, graph.given(node), node.options, RoleNames.of(graph, node))


# --- what things are called -----------------------------------------------------------------------


class RoleNames(dict):
    """Names for the symbols of a rule, by their roles: the learner's, else #number."""

    @classmethod
    def of(cls, graph: Any, node: Any, numbered: bool = True) -> RoleNames:
        """The names for the operation that made a node of a graph; not `numbered`, the rule's own."""
        sources: dict[Role, int] = {"y": node.number}
        own: dict[Role, str] = {"y": "y"}
        for e in graph.arguments(node.number):
            role = e.position if e.item is None else (e.position, e.item)
            sources[role] = e.source
            own[role] = e.argument if e.item is None else f"{e.argument}[{e.item}]"
        if numbered:
            own = {role: own[role] if role == "y" else f"#{n}" for role, n in sources.items()}
        found = {role: _short(graph[n].label) or own[role] for role, n in sources.items()}
        if len({*found.values()}) < len({*sources.values()}):  # two have one name
            found = {role: f"#{n}" if numbered else own[role] for role, n in sources.items()}
        return cls(found)


def _short(label: str) -> str:
    """The last part of a name, where that can stand in code and is not the gradient's; else ""."""
    last = label.rpartition(".")[2]
    return last if last.isidentifier() and last != "g" else ""


def _argument(a: Any, role: Role, names: RoleNames, reads: dict[Role, Symbol]) -> Any:
    """An argument as a symbol, where it is an array with a name; a list with these in it."""
    if isinstance(a, (list, tuple)):
        return type(a)([_argument(b, (role, k), names, reads) for k, b in enumerate(a)])  # type: ignore[arg-type]
    if role not in names or not hasattr(a, "dtype"):
        return a
    reads[role] = _symbol(a, names[role])
    return reads[role]


def _symbol(value: Any, name: str) -> Symbol:
    array = getattr(value, "_array", value)
    if not isinstance(array, (np.ndarray, np.generic)):
        array = stand_in(array.shape, array.dtype)
    return Symbol(np.asarray(array), name=name)


def stand_in(shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """An array of a shape, for one of which only that is known, or wanted."""
    return np.broadcast_to(np.ones((), dtype), shape)


def _followed(
    function: Callable, args: list[Any], options: Mapping[str, Any], wanted: Any = None
) -> Any:
    """The result of a function for symbols, where it can be followed; else None."""
    try:
        with np.errstate(all="ignore"):
            made = follow(function, args, dict(options), wanted=wanted)
    except Exception:  # whatever a user's rule does with arrays that only stand for others
        return None
    whole = made[0] if isinstance(made, (list, tuple)) and made else made
    if not isinstance(whole, Symbol):
        return None
    return None if whole.call is not None and whole.call[0] is function else made


def _in_the_table(
    rule: Callable, args: Sequence[Any], options: Mapping[str, Any], names: RoleNames
) -> tuple[str, str]:
    """A rule as the table has it, with the names and settings of the case;
    and what a function in it does."""
    code, source = code_of(rule), source_of(rule)
    if "\n" in source:
        return source, ""
    given = inspect.signature(rule).bind(None, None, *args, **options)
    given.apply_defaults()
    (_, y, *others) = given.arguments
    called: dict[str, str] = {y.lstrip("_"): names["y"]}
    for i, name in enumerate(others):
        value = given.arguments[name]
        if i in names or not hasattr(value, "shape"):
            called[name.lstrip("_")] = names.get(i) or READING.literal(value, 0)
    said = re.sub(r"[^\W\d]\w*", lambda n: called.get(n[0], n[0]), source)
    helpers = (rule.__globals__.get(name) for name in code.co_names)
    notes = (
        f"{h.__name__}: {text.first_sentence(h.__doc__)}" for h in helpers if inspect.isfunction(h)
    )
    return said, next(notes, "")


# --- as a person would write it -------------------------------------------------------------------


class Reading(Notation):
    """Symbols as a person would write them: vectors are multiplied as vectors, and copies are told.

    Args:
        axes: whether to write new axes of size 1, which matter to code alone.
    """

    def __init__(self, axes: bool = True):
        self.axes = axes

    def sentence(self, made: Any) -> str:
        """The text of what a rule gives, in one line; "" where it is too long to be read."""
        if not isinstance(made, Symbol):
            return ""
        said = self._spread(made) or self._scattered(made) or self.text(made, 0)
        said = said.replace(", optimize=True", "")  # how einsum is computed, not what
        return said if len(said) <= LONGEST else ""

    def text(self, value: Any, needed: int | None) -> str:
        simple = _as_vectors(value) if isinstance(value, Symbol) else value
        if isinstance(simple, Symbol) and simple.call is not None:
            function, of, *more = simple.call[0], *simple.call[1]
            if function is np.expand_dims:
                new = _new_axes(simple.value.ndim, more[0]) if self.axes else ""
                return self.text(of, TIGHT if new else needed) + new
        return super().text(simple, needed)

    def literal(self, value: Any, needed: int | None) -> str:
        return text.number(value) if isinstance(value, float) else super().literal(value, needed)

    def array(self, array: np.ndarray) -> str:
        return text.array(array) if array.size <= 4 else text.literal(array)

    def _spread(self, made: Symbol) -> str:
        """`g spread over rows`, for what is copied along axes."""
        if made.call is None or made.call[0] is not np.broadcast_to:
            return ""
        of, shape = made.call[1][0], made.value.shape
        narrow = of.value.shape
        extra = len(shape) - len(narrow)
        axes = [i for i, n in enumerate(shape) if i < extra or narrow[i - extra] != n]
        what = (LOOSE if axes else self).text(of, 0)
        if not axes or made.value.size == 1:
            return what
        if len(axes) == len(shape):
            return f"{what} spread over all {made.value.size} elements"
        if len(shape) == 2:
            return f"{what} spread over {'columns' if axes[0] else 'rows'}"
        return (
            f"{what} spread over {'axes' if len(axes) > 1 else 'axis'} {', '.join(map(str, axes))}"
        )

    def _scattered(self, made: Symbol) -> str:
        """`g at w[0], elsewhere 0`, for the gradient of an index."""
        if made.call is None or made.call[0] is not bare(rules.scatter_add):
            return ""
        values, index, shape = made.call[1]
        whole = shape.text.removesuffix(".shape") if isinstance(shape, Shape) else "it"
        where = f"{whole}[{self.text(index, None)}]"
        more = "at" if rules.selects_each_once(index) else "added up at"
        return f"{self.text(values, 0)} {more} {where}, elsewhere 0"


READING, LOOSE = Reading(), Reading(axes=False)


def _new_axes(ndim: int, axis: Any) -> str:
    """`[:, None]`: the index that puts an axis there."""
    axes = {a % ndim for a in (axis if isinstance(axis, (tuple, list)) else (axis,))}
    items = ["None" if i in axes else ":" for i in range(ndim)]
    while items and items[-1] == ":":
        items.pop()
    return f"[{', '.join(items)}]"


def _as_vectors(made: Symbol) -> Symbol:
    """A product in which a vector was made a matrix, written with the vector itself."""
    if made.call is None:
        return made
    function, args = made.call[0], made.call[1]
    if function is operator.getitem:  # of a product, the row or the column that a vector was
        of, index = args
        if of.call is not None and of.call[0] in PRODUCTS:
            left, right = of.call[1]
            if index == (Ellipsis, 0, slice(None)) and (v := _vector(left, -2)) is not None:
                right = u if v.ndim == 0 and (u := _vector(right, -2)) is not None else right
                return _product(v, right)
            if index == (Ellipsis, 0) and (v := _vector(right, -1)) is not None:
                left = u if v.ndim == 0 and (u := _vector(left, -1)) is not None else left
                return _product(left, v)
    elif function in PRODUCTS:
        column, row = _vector(args[0], -1), _vector(args[1], -2)
        if column is not None and row is not None:
            return write(np.outer, [column, row], {})
    return made


PRODUCTS = (np.matmul, operator.matmul)


def _product(left: Any, right: Any) -> Any:
    return left * right if left.ndim == 0 or right.ndim == 0 else left @ right


def _vector(value: Any, axis: int) -> Symbol | None:
    """The vector, or number, that was made a matrix by a new axis -1 (a column) or -2 (a row)."""
    if not isinstance(value, Symbol) or value.value.ndim != 2 or value.call is None:
        return None
    function, (of, *more) = value.call[0], value.call[1]
    if function is np.swapaxes:
        return _vector(of, -3 - axis)
    if value.value.shape[axis] != 1 or not isinstance(of, Symbol) or of.value.ndim > 1:
        return None
    if function is np.expand_dims:
        axes = more[0] if isinstance(more[0], tuple) else (more[0],)
        return of if of.value.ndim == 0 or axis in axes else None
    if function is operator.getitem:
        column = more[0] == (slice(None), None)
        return of if column == (axis == -1) and None in more[0] else None
    return None
