"""One element of a result worked out with its numbers: `x[0]·g[1] = 1·10`.

The symbol that a rule gives (see `cases`) is a tree of NumPy's functions. An element of it needs few of
them: of what works element by element the same function of elements, of a sum its terms, and of what
only moves elements the one that comes to that place, which is found by moving numbers of places. As
`terms`, a tree says which elements of which arrays an element is made of; here it is worked out as
text, and a page, which gets the same as data, works out the element under the pointer.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine import rules, table
from . import text
from .symbols import COMPARED, POWER, PRODUCT, SIGN, SIGNS, SUM, TIGHT, Symbol, bare, plain

MOST = 3  # terms of a sum that are written out
LONG = 120  # letters of one side of an equation, beyond which it is no help
PLACES = 4096  # places that a term may list

# --- terms ----------------------------------------------------------------------------------------


class Leaf(NamedTuple):
    """An array with a name; `role` is what it is to the operation."""

    role: Any
    name: str
    array: Any


class Each(NamedTuple):
    """A function of single elements: `sign` is an operator's, or the function's name."""

    sign: str
    of: tuple


class Moved(NamedTuple):
    """The elements of `of`, whose shape is `shape`, at `offset` plus each index times its stride."""

    of: Any
    shape: tuple[int, ...]
    offset: int
    strides: tuple[int, ...]

    def source(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """The index of the element that stands at `index`."""
        place = self.offset + sum(i * stride for i, stride in zip(index, self.strides))
        return _index(place, self.shape)


class Picked(NamedTuple):
    """Elements by their places, in `shape`, among those of several, one after the other.

    `by` has the roles of the arrays that the places were read from, if there were any.
    """

    of: tuple
    shapes: tuple[tuple[int, ...], ...]
    shape: tuple[int, ...]
    places: tuple[int, ...]
    by: tuple = ()


class Reduced(NamedTuple):
    """All elements along the last axes of `of`, of these `counts`: their "+", "max" or "min"."""

    sign: str
    counts: tuple[int, ...]
    of: Any


class Scattered(NamedTuple):
    """Sums of the elements of `of` that go to each place of `shape`; `by` is as for `Picked`."""

    of: Any
    inner: tuple[int, ...]
    shape: tuple[int, ...]
    places: tuple[int, ...]
    by: tuple = ()


class UnclearError(Exception):
    """An operation of which one element is not made of a few others."""


def terms(symbol: Any, reads: Mapping[Any, Symbol]) -> Any:
    """Find what each element of `symbol` is made of; None where that is not known.

    Args:
        symbol: as a rule gave it.
        reads: the symbols that it is made of, by their roles.
    """
    roles = {id(s): role for role, s in reads.items()}
    try:
        return _terms(symbol, roles)
    except UnclearError:
        return None


def _terms(value: Any, roles: Mapping[int, Any]) -> Any:
    if not isinstance(value, Symbol):
        array = np.asarray(value)
        if array.size != 1 or array.dtype.kind not in "fiub":
            raise UnclearError
        return array.item()
    if value.call is None:
        if id(value) not in roles:
            raise UnclearError
        return Leaf(roles[id(value)], value.name, value.value)
    function, args, options = value.call
    of = lambda a: _terms(a, roles)
    shape = np.shape(value.value)
    if function in CONSTANT:
        return CONSTANT[function]
    if function in SAME:
        return of(args[0])
    if function in EACH or (isinstance(function, np.ufunc) and function.signature is None):
        sign = EACH.get(function) or table.name_of(function).rpartition(".")[2]
        return Each(sign, tuple([_spread(of(a), _shape(a), shape) for a in args]))
    if function in (np.matmul, operator.matmul):
        return _product(of(args[0]), of(args[1]), _shape(args[0]), _shape(args[1]))
    if function in REDUCED:
        return _reduced(function, of(args[0]), _shape(args[0]), args, options)
    if function in MOVES:
        return _moved(function, of, args, options, _roles(args[1:], roles))
    if function is bare(rules.scatter_add):
        values, index, shape_made = (*args, *options.values())
        return _scattered(of(values), values, index, shape_made, _roles(index, roles))
    raise UnclearError


EACH: dict[Any, str] = {
    **{function: sign for function, (sign, _) in SIGNS.items() if function is not np.matmul},
    np.power: "**", np.negative: "neg", np.where: "where", operator.neg: "neg",
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/",
    operator.pow: "**", operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=",
    operator.eq: "==", operator.ne: "!=", operator.and_: "and", operator.or_: "or",
    operator.invert: "not", np.logical_and: "and", np.logical_or: "or", np.logical_not: "not",
}  # fmt: skip
REDUCED = {np.sum: "+", np.mean: "+", np.max: "max", np.amax: "max", np.min: "min", np.amin: "min"}
MOVES = {
    np.reshape, np.squeeze, np.expand_dims, np.broadcast_to, np.transpose, np.swapaxes, np.moveaxis,
    np.flip, np.roll, np.ravel, np.repeat, np.concatenate, np.stack, operator.getitem,
}  # fmt: skip
SAME = {np.copy, np.positive, rules.astype, bare(rules.astype)}
CONSTANT = {np.zeros_like: 0, np.ones_like: 1}


def _roles(value: Any, roles: Mapping[int, Any]) -> tuple:
    """The roles of the symbols among some arguments."""
    if isinstance(value, (list, tuple)):
        return tuple(itertools.chain.from_iterable(_roles(v, roles) for v in value))
    return (roles[id(value)],) if id(value) in roles else ()


def _shape(value: Any) -> tuple[int, ...]:
    return np.shape(value.value if isinstance(value, Symbol) else value)


def _places(shape: Sequence[int], start: int = 0) -> np.ndarray:
    return np.arange(start, start + math.prod(shape)).reshape(shape)


def _seen(of: Any, shape: tuple[int, ...], moved: np.ndarray, places: np.ndarray) -> Any:
    """The elements of `of` as a view of its `places` has them."""
    if not isinstance(of, tuple):
        return of
    if not moved.size:
        raise UnclearError
    start = (moved.__array_interface__["data"][0] - places.__array_interface__["data"][0]) // 8
    return Moved(of, shape, start, tuple(s // 8 for s in moved.strides))


def _spread(of: Any, shape: tuple[int, ...], wide: tuple[int, ...]) -> Any:
    """`of` with broadcasting done."""
    if shape == wide:
        return of
    places = _places(shape)
    return _seen(of, shape, np.broadcast_to(places, wide), places)


def _product(a: Any, b: Any, shape_a: tuple[int, ...], shape_b: tuple[int, ...]) -> Reduced:
    """A product of matrices: rows times columns, the last axis that along which is summed."""
    of_a, of_b = _places(shape_a), _places(shape_b)
    rows = of_a[None, :] if of_a.ndim == 1 else of_a
    columns = np.swapaxes(of_b[:, None] if of_b.ndim == 1 else of_b, -1, -2)
    rows, columns = np.broadcast_arrays(rows[..., :, None, :], columns[..., None, :, :])
    if of_b.ndim == 1:
        rows, columns = rows[..., 0, :], columns[..., 0, :]
    if of_a.ndim == 1:
        axis = -2 if of_b.ndim == 1 else -3
        rows, columns = np.squeeze(rows, axis), np.squeeze(columns, axis)
    pair = _seen(a, shape_a, rows, of_a), _seen(b, shape_b, columns, of_b)
    return Reduced("+", rows.shape[-1:], Each("*", pair))


def _reduced(
    function: Any, of: Any, shape: tuple[int, ...], args: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    given = dict(zip(table.TABLE[function].parameters, args)) | dict(options)
    axis = given.get("axis")
    chosen = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = sorted(a % len(shape) for a in chosen) if shape else []
    places = _places(shape)
    moved = np.moveaxis(places, axes, range(-len(axes), 0)) if axes else places
    if given.get("keepdims"):
        moved = np.expand_dims(moved, axes)
    counts = tuple(shape[a] for a in axes)
    total = Reduced(REDUCED[function], counts, _seen(of, shape, moved, places))
    return Each("/", (total, math.prod(counts))) if function is np.mean else total


def _moved(
    function: Any, of: Callable, args: Sequence[Any], options: Mapping[str, Any], by: tuple
) -> Any:
    """A function that only moves elements, called on the numbers of their places."""
    operands = args[0] if isinstance(args[0], (list, tuple)) else [args[0]]
    shapes = [_shape(a) for a in operands]
    starts = [0, *itertools.accumulate(map(math.prod, shapes))]
    numbered = [_places(shape, start) for shape, start in zip(shapes, starts)]
    rest = [plain(a) for a in args[1:]]
    if isinstance(args[0], (list, tuple)):
        moved = function(numbered, *rest, **options)
    else:
        moved = np.asarray(function(numbered[0], *rest, **options))
        if np.shares_memory(moved, numbered[0]):
            return _seen(of(args[0]), shapes[0], moved, numbered[0])
    if moved.size > PLACES:
        raise UnclearError
    places = tuple(moved.ravel().tolist())
    return Picked(tuple(map(of, operands)), tuple(shapes), moved.shape, places, by)


def _scattered(of: Any, values: Any, index: Any, shape: Any, by: tuple) -> Scattered:
    places = np.broadcast_to(_places(tuple(shape))[plain(index)], _shape(values))
    if places.size > PLACES:
        raise UnclearError
    return Scattered(of, _shape(values), tuple(shape), tuple(places.ravel().tolist()), by)


def as_data(made_of: Any) -> Any:
    """The same as JSON can hold it; a page works an element out as `element` does here."""
    if isinstance(made_of, Leaf):
        return {"name": made_of.name, "role": made_of.role}
    if isinstance(made_of, tuple):
        kind = type(made_of).__name__.lower()
        return {"kind": kind} | {k: _data(v) for k, v in made_of._asdict().items()}  # type: ignore
    endless = isinstance(made_of, float) and not math.isfinite(made_of)
    return text.number(made_of) if endless else made_of


def _data(value: Any) -> Any:
    if type(value) is tuple:
        return [_data(v) for v in value]
    return as_data(value)


# --- one element, as text -------------------------------------------------------------------------


class Written(NamedTuple):
    """An element in names and in numbers, and how tightly each binds; and its value, if it is known."""

    names: str
    numbers: str
    value: Any
    binds: int = TIGHT
    numbers_bind: int | None = None  # where the names bind in another way

    @property
    def texts(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """The names, and the numbers, each with how tightly it binds."""
        bind = self.binds if self.numbers_bind is None else self.numbers_bind
        return (self.names, self.binds), (self.numbers, bind)


def worked_out(
    made_of: Any, index: tuple[int, ...], target: str, result: Any, equals: str = "="
) -> str:
    """`w[0, 1] = x[0]·g[1] = 1·10 = 10`; "" where it would be no help.

    Args:
        made_of: the terms of the array.
        index: which element.
        target: what it is an element of.
        result: the element itself.
        equals: what stands after that: "=", or a verb.
    """
    if made_of is None:
        return ""
    with np.errstate(all="ignore"):
        found = element(made_of, index)
    said = dict.fromkeys([found.names, found.numbers, text.number(result)])
    if max(map(len, said)) > LONG:
        return ""
    parts = [f"{_at(target, index)} {equals}", *(f"{one} =" for one in said)]
    parts[-1] = parts[-1].removesuffix(" =")
    return " ".join(parts)


def element(made_of: Any, index: tuple[int, ...]) -> Written:
    """One element of what is made of these terms."""
    if not isinstance(made_of, tuple):
        said = text.number(made_of)
        return Written(said, said, made_of)
    if isinstance(made_of, Leaf):
        value = made_of.array[index]
        return Written(_at(made_of.name, index), text.number(value), value)
    if isinstance(made_of, Moved):
        return element(made_of.of, made_of.source(index))
    if isinstance(made_of, Picked):
        place = made_of.places[_place(index, made_of.shape)]
        for of, shape in zip(made_of.of, made_of.shapes):
            if place < math.prod(shape):
                return element(of, _index(place, shape))
            place -= math.prod(shape)
    if isinstance(made_of, Scattered):
        wanted = _place(index, made_of.shape)
        found = [p for p, place in enumerate(made_of.places) if place == wanted]
        return _all("+", len(found), [(made_of.of, _index(p, made_of.inner)) for p in found])
    if isinstance(made_of, Reduced):
        sign: str = made_of.sign
        return _all(sign, _count(sign, made_of), _parts(sign, made_of, index))
    assert isinstance(made_of, Each)
    return _each(made_of.sign, [element(a, index) for a in made_of.of])


def _at(name: str, index: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def _index(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(place, shape)) if shape else ()


def _place(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(index, shape)) if shape else 0


def _parts(sign: str, of: Any, index: tuple[int, ...]) -> Iterator[tuple[Any, tuple[int, ...]]]:
    """The terms of an element that is a sum; a sum of sums is one sum."""
    while isinstance(of, Moved):
        index, of = of.source(index), of.of
    if not isinstance(of, Reduced) or of.sign != sign:
        yield of, index
        return
    for k in itertools.product(*map(range, of.counts)):
        yield from _parts(sign, of.of, (*index, *k))


def _count(sign: str, of: Any) -> int:
    """Count its terms."""
    while isinstance(of, Moved):
        of = of.of
    same = isinstance(of, Reduced) and of.sign == sign
    return math.prod(of.counts) * _count(sign, of.of) if same else 1


def _all(sign: str, count: int, parts: Iterable[tuple[Any, tuple]]) -> Written:
    """A sum, or the greatest or least, of many elements, of which the first are written out."""
    if not count:
        return Written("0", "0", 0)
    most = count if count <= MOST + 1 else MOST
    some = [element(of, index) for of, index in itertools.islice(parts, most)]
    more = ["…"] if most < count else []
    values = [s.value for s in some]
    known = not more and None not in values
    if sign != "+":
        names, numbers = (", ".join([*(s.texts[k][0] for s in some), *more]) for k in (0, 1))
        value = {"max": max, "min": min}[sign](values) if known else None
        return Written(f"{sign}({names})", f"{sign}({numbers})", value)
    if count == 1:
        return some[0]
    names, numbers = (
        " + ".join([*(_bracketed(s.texts[k], SUM, i > 0) for i, s in enumerate(some)), *more])
        for k in (0, 1)
    )
    names = f"{names} ({count} terms)" if more else names
    return Written(names, numbers, sum(values) if known else None, SUM)


# Each sign as it is shown, how tightly it binds, and what it does.
SHOWN: dict[str, tuple[str, int, Any]] = {
    "*": ("·", PRODUCT, operator.mul), "/": (" / ", PRODUCT, operator.truediv),
    "+": (" + ", SUM, operator.add), "-": (" - ", SUM, operator.sub),
    "**": ("**", POWER, operator.pow), "<": (" < ", COMPARED, operator.lt),
    "<=": (" <= ", COMPARED, operator.le), ">": (" > ", COMPARED, operator.gt),
    ">=": (" >= ", COMPARED, operator.ge), "==": (" == ", COMPARED, operator.eq),
    "!=": (" != ", COMPARED, operator.ne), "and": (" and ", 2, operator.and_),
    "or": (" or ", 1, operator.or_),
}  # fmt: skip

ARITHMETIC = {"*", "/", "+", "-", "**"}
BITS = {"True": "1", "False": "0"}


def _each(sign: str, of: list[Written]) -> Written:
    """A function of single elements."""
    known = all(o.value is not None for o in of)
    values = [o.value for o in of]
    if sign in SHOWN and len(of) == 2:
        shown, binds, function = SHOWN[sign]
        if sign in ARITHMETIC:  # True counts as 1
            of = [o._replace(numbers=BITS.get(o.numbers, o.numbers)) for o in of]
        right = binds + (sign in ("-", "/", "**"))
        names, numbers = (
            _bracketed(a, binds + (sign == "**"), sign == "**") + shown + _bracketed(b, right, True)
            for a, b in zip(of[0].texts, of[1].texts)
        )
        return Written(names, numbers, function(*values) if known else None, binds)
    if sign in ("neg", "not"):
        mark = "-" if sign == "neg" else "not "
        names, numbers = (mark + _bracketed(said, PRODUCT, True) for said in of[0].texts)
        return Written(names, numbers, None, SIGN if sign == "neg" else 2)
    if sign == "where":
        condition, a, b = of
        names = f"{_bracketed(a.texts[0], 1, False)} if {condition.names} else {b.names}"
        if condition.value is None:
            numbers = f"{a.numbers} if {condition.numbers} else {b.numbers}"
            return Written(names, numbers, None, 0)
        chosen = a if condition.value else b
        return Written(names, chosen.numbers, chosen.value, 0, chosen.texts[1][1])
    names, numbers = (f"{sign}({', '.join(o.texts[k][0] for o in of)})" for k in (0, 1))
    return Written(names, numbers, getattr(np, sign)(*values) if known else None)


def _bracketed(said: tuple[str, int], needed: int, inner: bool) -> str:
    """In brackets where it binds less tightly than is needed, or begins with a sign after a sign."""
    code, binds = said
    return f"({code})" if binds < needed or (inner and code.startswith("-")) else code
