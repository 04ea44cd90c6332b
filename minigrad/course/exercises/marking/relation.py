"""Sentences about how wrong answers lie to the right ones, where no mistake is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..likeness import alike, data_of, numbers_of
from ..values_as_text import FEW, shown

Pairs = Sequence[tuple[Any, Any]]  # of wrong answers, and the right ones
NEAR = 1e-6, 1e-9


def relation(pairs: Pairs, some_right: bool = False) -> str:
    """The first sentence of the tables below that is true of all pairs; "" if none is.

    Args:
        some_right: whether other inputs are answered right: then True and False are not exchanged.
    """
    with np.errstate(all="ignore"):
        return _relation(pairs, some_right) if pairs else ""


def _relation(pairs: Pairs, some_right: bool) -> str:
    if all(isinstance(one, tuple) for pair in pairs for one in pair):
        return _of_parts(pairs, some_right)
    if all(isinstance(one, dict) for pair in pairs for one in pair):
        return _of_names(pairs, some_right)
    rows = all(isinstance(data_of(one), (list, np.ndarray)) for pair in pairs for one in pair)
    return (_first(OF_ROWS, pairs) if rows else "") or _of_numbers(pairs, some_right)


def _of_parts(pairs: Pairs, some_right: bool) -> str:
    """Say which values of a tuple are right, and what is true of the one that is not."""
    counts = {len(one) for pair in pairs for one in pair}
    if len(counts) > 1:
        return ""
    parts = [[(x[k], y[k]) for x, y in pairs] for k in range(*counts)]
    wrong = [k for k, part in enumerate(parts) if not all(alike(*pair, *NEAR) for pair in part)]
    if len(wrong) != 1 or len(parts) == 1:
        swapped = len(parts) == 2 and all(alike(g, r[::-1], *NEAR) for g, r in pairs)
        return "The two values have changed places." if swapped else _of_numbers(pairs, some_right)
    (k,) = wrong
    off = [pair for pair in parts[k] if not alike(*pair, *NEAR)]
    how = _relation(off, some_right or len(off) < len(pairs))
    return f"Of its {len(parts)} values, only number {k + 1} is wrong. {how}".rstrip()


def _of_names(pairs: Pairs, some_right: bool) -> str:
    for says, one, other in (("Missing is {}.", 1, 0), ("There is {}, and should not be.", 0, 1)):
        names = [[n for n in pair[one] if n not in pair[other]] for pair in pairs]
        if any(names):
            return says.format(", ".join(map(shown, next(filter(None, names))[:FEW])))
    ordered = [([x[n] for n in y], [*y.values()]) for x, y in pairs]
    return _of_numbers(ordered, some_right)


def _of_numbers(pairs: Pairs, some_right: bool) -> str:
    flat = []
    for pair in pairs:
        x, y = map(_flat, pair)
        if x is None or y is None or x.shape != y.shape:
            return ""
        flat.append((x, y))
    booleans = all(x.dtype.kind == y.dtype.kind == "b" for x, y in flat)
    if booleans and any(np.shape(x) != np.shape(y) for x, y in pairs):
        return ""  # which place belongs to which?
    if booleans or any("b" in (x.dtype.kind, y.dtype.kind) for x, y in flat):
        return _first(OF_BOOLEANS[some_right:], flat) if booleans else ""
    flat = [(x, y) for x, y in flat if np.isfinite(x).all() and np.isfinite(y).all()]
    enough = sum(x.size for x, _ in flat) > 2  # that it is no accident
    return (_first(OF_NUMBERS, flat) or _steady(flat)) if enough else ""


def _first(table: Iterable[tuple[str, Callable[..., Any]]], pairs: Pairs) -> str:
    true = (says for says, holds in table if all(_holds(holds, *pair) for pair in pairs))
    return next(true, "")


def _holds(holds: Callable[..., Any], answer: Any, right: Any) -> bool:
    try:
        return bool(holds(answer, right))
    except (TypeError, ValueError, IndexError):  # of a number there are no rows
        return False


def _flat(value: Any) -> np.ndarray | None:
    """All numbers of an answer, one behind the other; None if there is anything else."""
    if isinstance(value, (list, tuple)):
        parts = [_flat(one) for one in value]
        arrays = [part for part in parts if part is not None]
        return np.concatenate(arrays) if arrays and len(arrays) == len(parts) else None
    numbers = numbers_of(value)
    return None if numbers is None else numbers.ravel()


def _steady(flat: Pairs) -> str:
    """Say by which factor, or by how much, all numbers are off, if that is the same for all."""
    for of_each, of_all, difference in STEADY:
        differences = [difference(x, y) for x, y in flat]
        if all(one.size and _near(one, one[0]) for one in differences):
            first = differences[0][0]
            if len(differences) > 1 and _near(np.concatenate(differences), first):
                return of_all.format(first)
            if sum(one.size > 1 for one in differences) > 1:
                return of_each.format(first)
    return ""


def _near(a: Any, b: Any) -> bool:
    return np.allclose(a, b, *NEAR)


def _same(a: Any, b: Any) -> bool:
    return alike(a, b, *NEAR)


def _but(place: slice) -> Callable[[Any, Any], bool]:
    """Return a test: of several rows, those at this place are right."""
    return lambda x, y: len(x) == len(y) > 1 and _same(x[place], y[place])


def _only_first(x: Any, y: Any) -> bool:
    same = [_same(a, b) for a, b in zip(x, y)]
    return len(x) == len(y) > 2 and same[0] and not any(same[1:])


# A sentence for a difference that is the same within each answer, one for a difference that is the same
# in all answers, and the difference.
STEADY = (
    (
        "All numbers of an answer are off by one factor: here they are {:.4g} times what is right.",
        "All numbers are off by one factor: they are {:.4g} times what is right.",
        lambda x, y: np.append((x / y)[y != 0], [np.nan] * int(x[y == 0].any())),
    ),
    (
        "All numbers of an answer are off by as much: here they are {:+.4g} from what is right.",
        "All numbers are off by as much: they are {:+.4g} from what is right.",
        lambda x, y: x - y,
    ),
)
# Sentences, each with what is true of a wrong answer and the right one: of lists and arrays.
OF_ROWS = (
    ("The first is missing: all others are right.", lambda x, y: _same(x, y[1:])),
    ("The last is missing: all others are right.", lambda x, y: _same(x, y[:-1])),
    ("There is one more in front; all others are right.", lambda x, y: len(x) and _same(x[1:], y)),
    (
        "There is one more at the end; all others are right.",
        lambda x, y: len(x) and _same(x[:-1], y),
    ),
    ("It is back to front.", lambda x, y: len(y) > 1 and _same(x, y[::-1])),
    ("It is transposed.", lambda x, y: np.ndim(y) > 1 and _same(x, np.swapaxes(y, -1, -2))),
    ("Only the first is right.", lambda x, y: _only_first(x, y)),
    ("All but the first are right.", _but(slice(1, None))),
    ("All but the last are right.", _but(slice(None, -1))),
)
OF_BOOLEANS = (  # the first is left out where other inputs are answered right
    ("True and False are exchanged.", lambda x, y: (x != y).all()),
    ("All that should be True is, but more than that.", lambda x, y: (x >= y).all()),
    ("All that should be False is, but more than that.", lambda x, y: (x <= y).all()),
)
OF_NUMBERS = (
    ("The numbers are right; what holds them is of another kind.", _near),
    ("All numbers are 0.", lambda x, y: not x.any()),
    ("All signs are wrong.", lambda x, y: _near(x, -y)),
    ("These are the right numbers without their signs.", lambda x, y: _near(x, abs(y))),
    (
        "What stands behind the point is cut off: do whole numbers hold it, or does `//`?",
        lambda x, y: (x == np.trunc(x)).all() and (_near(x, np.trunc(y)) or _near(x, np.floor(y))),
    ),
    (
        "These are the right numbers, at other places.",
        lambda x, y: len(x) > 1 and _near(np.sort(x), np.sort(y)),
    ),
    ("These are the squares of what is right.", lambda x, y: _near(x, y * y)),
    ("These are the square roots of what is right.", lambda x, y: _near(x * x, y)),
    ("This is exp of what is right.", lambda x, y: _near(x, np.exp(y))),
    ("This is the logarithm of what is right.", lambda x, y: _near(np.exp(x), y)),
    (
        "These are the right numbers, rounded: leave them as they are.",
        lambda x, y: any(_near(x, np.round(y, digits)) for digits in range(6)),
    ),
    (
        "Where it is wrong there is 0; all other numbers are right.",
        lambda x, y: _near(x[x != 0], y[x != 0]),
    ),
    (
        "It is wrong only where 0 should be; all other numbers are right.",
        lambda x, y: _near(x[y != 0], y[y != 0]),
    ),
)
