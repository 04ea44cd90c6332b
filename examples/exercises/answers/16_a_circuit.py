"""Lesson 16: a circuit: two heads that copy."""

import numpy as np

from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.exercise import SIZES

# --- the task -------------------------------------------------------------------------------------


def rows_and_places(rng, size):
    """Rows of different symbols, with room for a part of two or more, and for its copy behind it; with
    size 5, of two symbols only."""
    B = min(size, 3)
    length = rng.integers(2, 2 + size, B)
    T = 2 * int(length.max()) + size
    start = np.array([rng.integers(0, T - 2 * n + 1) for n in length])
    to = np.array([rng.integers(s + n, T - n + 1) for s, n in zip(start, length)])
    x = rng.permuted(np.tile(np.arange(T), (B, 1)), axis=1)
    return x % 2 if size == 5 else x, start, to, length


def symbol_by_symbol(x, start, to, length):
    rows, known = x.copy(), np.zeros(x.shape, dtype=bool)
    for b in range(len(x)):
        for i in range(length[b]):
            rows[b, to[b] + i] = x[b, start[b] + i]
            known[b, to[b] + i] = i > 0
    return rows, known


@exercise(
    points=2,
    draw=rows_and_places,
    sizes=(*SIZES, 5),
    truth=symbol_by_symbol,
    properties={
        "symbols stay whole numbers": lambda f, *inputs: f(*inputs)[0].dtype.kind in "iu",
        "what is known is one less than what is copied": lambda f, x, start, to, length: (
            np.array_equal(f(x, start, to, length)[1].sum(axis=1), np.asarray(length) - 1)
        ),
    },
    hints=[
        "Copy x first. Then go through the rows: each has a start, a place and a length.",
        "In a row, row[to : to + n] = row[start : start + n].",
        "Known are the positions from to + 1 to to + n - 1.",
    ],
    worked=(
        lambda: (np.array([[5, 6, 7, 8, 9, 4, 3]]), np.array([0]), np.array([3]), np.array([3])),
        [
            "The part is {p := x[0, 0:3]}, and goes to the positions 3, 4 and 5.",
            "The row: {rows := np.array([[5, 6, 7, 5, 6, 7, 3]])}",
            "The 5 at position 3 could have been anything. The 6 and the 7 behind it are known: "
            "{known := np.isin(np.arange(7), [4, 5])[None]}",
            "Both: {(rows, known)}",
        ],
    ),
)
def repeat_part(x, start, to, length):
    rows, known = x.copy(), np.zeros(x.shape, dtype=bool)
    for row, sure, s, t, n in zip(rows, known, start, to, length):
        row[t : t + n] = row[s : s + n]
        sure[t + 1 : t + n] = True
    return rows, known


@repeat_part.mistake(
    "The first symbol of the copy counts as known. But nothing that stands before it says that a copy "
    "begins."
)
def _(x, start, to, length):
    rows, known = symbol_by_symbol(x, start, to, length)
    for sure, t in zip(known, to):
        sure[t] = True
    return rows, known


@repeat_part.mistake(
    "A symbol counts as known because it stood in the row before. Only those of the copy can be known: "
    "that any other comes again is chance."
)
def _(x, start, to, length):
    rows, _ = symbol_by_symbol(x, start, to, length)
    known = np.array([[row[t] in row[:t] for t in range(len(row))] for row in rows])
    known[np.arange(len(x)), to] = False
    return rows, known


@repeat_part.mistake(
    "Known are the positions of the part itself. It is in the copy that one can know what comes."
)
def _(x, start, to, length):
    rows, known = symbol_by_symbol(x, start, to, length)
    known[:] = False
    for sure, s, n in zip(known, start, length):
        sure[s + 1 : s + n] = True
    return rows, known


@repeat_part.mistake(
    "What is known stands one position too early: it marks from where one could say the next symbol, "
    "and not where that symbol stands."
)
def _(x, start, to, length):
    rows, known = symbol_by_symbol(x, start, to, length)
    return rows, np.roll(known, -1, axis=1)


@repeat_part.mistake("It copies the other way: the later part to the place of the first one.")
def _(x, start, to, length):
    _, known = symbol_by_symbol(x, start, to, length)
    return symbol_by_symbol(x, to, start, length)[0], known


@repeat_part.mistake("All rows have the places and the length of the first. Each row has its own.")
def _(x, start, to, length):
    B = len(x)
    return symbol_by_symbol(x, [start[0]] * B, [to[0]] * B, [length[0]] * B)


@repeat_part.mistake("The copy is one symbol too short: a slice ends before its second number.")
def _(x, start, to, length):
    shorter = np.asarray(length) - 1
    return symbol_by_symbol(x, start, to, shorter)


# --- the first head -------------------------------------------------------------------------------


def some_weights(rng, size):
    H, T = [(1, 2), (1, 3), (2, 4), (3, 5)][size - 1]
    weights = np.abs(numbers(rng, H, T, T))
    return (weights / weights.sum(axis=-1, keepdims=True),)


@exercise(
    draw=some_weights,
    truth=lambda weights: np.array(
        [np.mean([w[t, t - 1] for t in range(1, len(w))]) for w in weights]
    ),
    properties={
        "a head that only looks one back has 1": lambda f, weights: np.allclose(
            f(np.eye(weights.shape[-1], k=-1)[None]), 1
        ),
    },
    hints=[
        "The weight of position t for position t - 1 stands in row t, column t - 1: just below the "
        "diagonal.",
        "np.diagonal(weights, -1, axis1=1, axis2=2) takes these of all heads: (H, T - 1).",
    ],
    worked=(
        lambda: (np.array([[[1.0, 0.0, 0.0], [0.2, 0.8, 0.0], [0.3, 0.6, 0.1]]]),),
        [
            "Position 1 gives {weights[0, 1, 0]} to position 0, and position 2 gives "
            "{weights[0, 2, 1]} to position 1.",
            "Their mean, for the one head: {np.array([(0.2 + 0.6) / 2])}",
        ],
    ),
)
def previous_share(weights):
    return np.diagonal(weights, -1, axis1=1, axis2=2).mean(axis=-1)


@previous_share.mistake(
    "It takes the weights above the diagonal, those for the position that follows. Rows are queries: "
    "t - 1 stands to the left of t."
)
def _(weights):
    return np.diagonal(weights, 1, axis1=1, axis2=2).mean(axis=-1)


@previous_share.mistake("It takes the diagonal: the weight that each position gives to itself.")
def _(weights):
    return np.diagonal(weights, 0, axis1=1, axis2=2).mean(axis=-1)


@previous_share.mistake(
    "The sum is divided by T. Position 0 has nothing before it, so there are T - 1 of these weights."
)
def _(weights):
    return np.diagonal(weights, -1, axis1=1, axis2=2).sum(axis=-1) / weights.shape[-1]


@previous_share.mistake(
    "Position 0 counts, too, with the weight that index -1 finds: that of the last position."
)
def _(weights):
    T = weights.shape[-1]
    return weights[:, np.arange(T), np.arange(T) - 1].mean(axis=-1)


@previous_share.mistake("The heads are averaged; each head has its own share, (H,).")
def _(weights):
    return np.diagonal(weights, -1, axis1=1, axis2=2).mean()


@previous_share.mistake("The weights are added, and not divided by how many there are.")
def _(weights):
    return np.diagonal(weights, -1, axis1=1, axis2=2).sum(axis=-1)


@previous_share.mistake(
    "It adds all that a position gives to those before it; only the one before it counts."
)
def _(weights):
    return np.tril(weights, -1)[:, 1:].sum(axis=-1).mean(axis=-1)


# --- both -----------------------------------------------------------------------------------------


def few_symbols(rng, size):
    return rng.integers(0, 2 + size // 2, 3 + 2 * size), 4 + size // 2


def place_by_place(ids, symbols):
    shares = np.zeros((len(ids), symbols))
    for t in range(len(ids)):
        followed = [ids[s + 1] for s in range(t) if ids[s] == ids[t]]
        for symbol in followed or range(symbols):
            shares[t, symbol] += 1 / len(followed or range(symbols))
    return shares


@exercise(
    points=3,
    draw=few_symbols,
    truth=place_by_place,
    properties={
        "the shares of a position sum to one": lambda f, ids, symbols: np.allclose(
            f(ids, symbols).sum(axis=1), 1
        ),
        "what comes later changes nothing": lambda f, ids, symbols: np.allclose(
            f(ids[:-1], symbols), f(ids, symbols)[:-1]
        ),
    },
    hints=[
        "First the notes: at each position the symbol one back, and at position 0 one that does not "
        "exist, such as -1.",
        "Position t fits position s if ids[t] is the note of s, and s is not later than t: (T, T) "
        "booleans.",
        "np.eye(symbols)[ids] has a 1 at the symbol of each position. The fits times that count what "
        "followed.",
    ],
    worked=(
        lambda: (np.array([1, 0, 1, 0, 1]), 3),
        [
            "The symbols one back, with -1 before the first: {notes := np.array([-1, 1, 0, 1, 0])}",
            "Position 4 has a 1. Which positions up to it have the note 1? "
            "{np.flatnonzero(notes == 1)}",
            "There stand {ids[[1, 3]]}: the 0 gets all. Position 3 has a 0; after the 0 at position 1 "
            "came a {ids[2]}. Position 2 has a 1; after the 1 at position 0 came a {ids[1]}.",
            "Positions 0 and 1 are new, a third for each. All rows: "
            "{np.array([[1 / 3] * 3, [1 / 3] * 3, [1, 0, 0], [0, 1, 0], [1, 0, 0]])}",
        ],
    ),
)
def induction(ids, symbols):
    notes = np.concatenate([[-1], ids[:-1]])  # (T,)
    fits = (ids[:, None] == notes) & np.tri(len(ids), dtype=bool)  # (T, T)
    counts = fits @ np.eye(symbols)[ids]  # (T, N)
    total = counts.sum(axis=1, keepdims=True)  # (T, 1)
    return np.where(total > 0, counts / np.maximum(total, 1), 1 / symbols)


def by_fits(fits, delivered, symbols):
    """Shares of the symbols that are delivered where it fits, or equal ones where nothing does."""
    counts = fits @ np.eye(symbols)[delivered]
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), 1 / symbols)


def fitting(ids):
    notes = np.concatenate([[-1], ids[:-1]])
    return (ids[:, None] == notes) & np.tri(len(ids), dtype=bool)


@induction.mistake(
    "It delivers the symbol that it has found, and not the one that followed: it stops one position "
    "too early."
)
def _(ids, symbols):
    earlier = (ids[:, None] == ids) & np.tri(len(ids), k=-1, dtype=bool)
    return by_fits(earlier, ids, symbols)


@induction.mistake(
    "It looks at what comes later, too. At position t only the symbols up to t may be used: the mask "
    "is missing."
)
def _(ids, symbols):
    notes = np.concatenate([[-1], ids[:-1]])
    return by_fits(ids[:, None] == notes, ids, symbols)


@induction.mistake(
    "Position 0 has a note, the last symbol of all: that is what np.roll brings round. Nothing stands "
    "before position 0."
)
def _(ids, symbols):
    fits = (ids[:, None] == np.roll(ids, 1)) & np.tri(len(ids), dtype=bool)
    return by_fits(fits, ids, symbols)


@induction.mistake("Where the symbol is new, the row is all zeros; every symbol is to get 1 / N.")
def _(ids, symbols):
    return np.where(fitting(ids).any(axis=1)[:, None], place_by_place(ids, symbols), 0)


@induction.mistake(
    "The symbol just before is left out: where one stands twice in a row, the second is what followed "
    "the first."
)
def _(ids, symbols):
    notes = np.concatenate([[-1], ids[:-1]])
    earlier = (ids[:, None] == notes) & np.tri(len(ids), k=-1, dtype=bool)
    return by_fits(earlier, ids, symbols)


@induction.mistake("Only the first time counts; all earlier positions with the symbol do.")
def _(ids, symbols):
    fits = fitting(ids)
    return by_fits(fits & (fits.cumsum(axis=1) == 1), ids, symbols)


@induction.mistake("Only the last time counts; all earlier positions with the symbol do.")
def _(ids, symbols):
    fits = fitting(ids)
    later = fits[:, ::-1].cumsum(axis=1)[:, ::-1]
    return by_fits(fits & (later == 1), ids, symbols)


@induction.mistake("The counts are not divided by how many there are: the rows sum to one.")
def _(ids, symbols):
    fits = fitting(ids)
    counts = fits @ np.eye(symbols)[ids]
    return np.where(fits.any(axis=1)[:, None], counts, 1 / symbols)


@induction.mistake(
    "A symbol that followed twice gets no more than one that followed once; each time counts."
)
def _(ids, symbols):
    counts = fitting(ids) @ np.eye(symbols)[ids] > 0
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), 1 / symbols)


@induction.mistake(
    "It looks at what comes later, too. At position t only the symbols up to t may be used: the mask "
    "is missing."
)
def _(ids, symbols):
    notes = np.concatenate([[-1], ids[:-1]])
    itself = np.eye(len(ids), k=1, dtype=bool)  # what follows position t itself
    return by_fits((ids[:, None] == notes) & ~itself, ids, symbols)
