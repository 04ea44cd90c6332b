"""Lesson 10: where am I?"""

import math

import numpy as np

from minigrad.course.exercises import exercise, numbers
from minitransformer import positions

# --- sines and cosines ----------------------------------------------------------------------------


def angles(length, width, offset):
    pos = np.arange(offset, offset + length)[:, None]
    return pos / 10000 ** (np.arange(0, width, 2) / width)  # (T, D/2)


def some_positions(rng, size):
    """With sizes 1 and 2, a single new position after others, as in step-by-step decoding."""
    if size in (1, 2):
        return 1, 4, int(rng.integers(1, 30))
    if size == 3:
        return int(rng.integers(2, 5)), 6, 0
    return int(rng.integers(2, 5)), [5, 8, 3][size - 4], int(rng.integers(1, 9))


@exercise(
    points=2,
    draw=some_positions,
    sizes=(1, 2, 3, 3, 4, 4, 5, 6),
    truth=lambda length, width, offset: positions.sinusoidal(length, width, offset, "float64"),
    properties={
        "what begins later is a part of what begins at 0": lambda f, T, D, offset: np.allclose(
            f(T, D, offset), f(offset + T, D, 0)[offset:]
        ),
    },
    hints=[
        "First the angles: positions down, (T, 1), divided by 10000^(2i/D) along, (D/2,).",
        "table[:, 0::2] are the columns of the sines, table[:, 1::2] those of the cosines; there "
        "is one less of these if the width is odd.",
    ],
    worked=(
        lambda: (2, 4, 5),
        [
            "The positions are {pos := np.arange(5, 7)}. There are two pairs; 10000^(0/4) = 1 and "
            "10000^(2/4) = {10000 ** 0.5}",
            "Position 5 has the angles 5 / 1 and 5 / 100: {a := pos[0] / np.array([1, 100])}",
            "Their sines are {np.sin(a)}, their cosines {np.cos(a)}; they take turns, a sine "
            "first.",
            "Both positions: {np.stack([np.sin(pos[:, None] / [1, 100]), np.cos(pos[:, None] / "
            "[1, 100])], -1).reshape(2, 4)}",
        ],
    ),
)
def sinusoidal(length, width, offset):
    pos = np.arange(offset, offset + length)[:, None]  # (T, 1)
    angle = pos / 10000 ** (np.arange(0, width, 2) / width)  # (T, D/2)
    table = np.empty((length, width))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle[:, : width // 2])
    return table


def interleaved(sines, cosines):
    table = np.empty((len(sines), sines.shape[1] + cosines.shape[1]))
    table[:, 0::2], table[:, 1::2] = sines, cosines
    return table


@sinusoidal.mistake(
    "The offset is ignored: in step-by-step decoding, where each new token comes alone, all of "
    "them would stand at position 0."
)
def _(length, width, offset):
    return sinusoidal.solution(length, width, 0)


@sinusoidal.mistake(
    "The cosines have 2i + 1 in the exponent. A sine and its cosine share one frequency, 2i / D, "
    "or the pair does not turn in a circle."
)
def _(length, width, offset):
    pos = np.arange(offset, offset + length)[:, None]
    angle = pos / 10000 ** (np.arange(width) / width)
    return interleaved(np.sin(angle[:, 0::2]), np.cos(angle[:, 1::2]))


@sinusoidal.mistake(
    "All sines come first and then all cosines; here they take turns, sine, cosine, sine, cosine."
)
def _(length, width, offset):
    angle = angles(length, width, offset)
    return np.concatenate([np.sin(angle), np.cos(angle[:, : width // 2])], axis=1)


@sinusoidal.mistake(
    "The exponent is i / D, where the pairs are counted by i = 0, 1, 2, and the formula has 2i / D."
)
def _(length, width, offset):
    pos = np.arange(offset, offset + length)[:, None]
    angle = pos / 10000 ** (np.arange((width + 1) // 2) / width)
    return interleaved(np.sin(angle), np.cos(angle[:, : width // 2]))


@sinusoidal.mistake(
    "The exponent is 2j / D with the column j; 2i is the column of the sine, which its cosine shares."
)
def _(length, width, offset):
    pos = np.arange(offset, offset + length)[:, None]
    angle = pos / 10000 ** (2 * np.arange(width) / width)
    return interleaved(np.sin(angle[:, 0::2]), np.cos(angle[:, 1::2]))


@sinusoidal.mistake("Sines and cosines have changed places: a sine comes first.")
def _(length, width, offset):
    angle = angles(length, width, offset)
    return interleaved(np.cos(angle), np.sin(angle[:, : width // 2]))


@sinusoidal.mistake("It crashes on an odd width, which has one cosine less than sines.")
def _(length, width, offset):
    angle = angles(length, width, offset)
    table = np.empty((length, width))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


@sinusoidal.mistake("The positions are counted from 1; the first is 0.")
def _(length, width, offset):
    return sinusoidal.solution(length, width, offset + 1)


@sinusoidal.mistake(
    "The angles are multiplied by 10000^(2i/D), so that the frequencies rise; they are to fall."
)
def _(length, width, offset):
    pos = np.arange(offset, offset + length)[:, None]
    angle = pos * 10000 ** (np.arange(0, width, 2) / width)
    return interleaved(np.sin(angle), np.cos(angle[:, : width // 2]))


@sinusoidal.mistake(
    "The positions go from `offset` to `length`; there are `length` of them, whatever the offset."
)
def _(length, width, offset):
    return sinusoidal.solution(max(length - offset, 0), width, offset)


@sinusoidal.mistake(
    "2i is doubled once more: where i steps by 2, as the columns of the sines do, the exponent is "
    "i / D."
)
def _(length, width, offset):
    pos = np.arange(offset, offset + length)[:, None]
    angle = pos / 10000 ** (2 * np.arange(0, width, 2) / width)
    return interleaved(np.sin(angle), np.cos(angle[:, : width // 2]))


@sinusoidal.mistake("The exponent is cut to a whole number: `//` in it should be `/`.")
def _(length, width, offset):
    p, j = np.ogrid[offset : offset + length, :width]
    a = p / 10000.0 ** (2 * (j // 2) // width)
    return np.where(j % 2, np.cos(a), np.sin(a))


# --- step by step ---------------------------------------------------------------------------------


def row_by_row(x, table, read):
    y = x.copy()
    for t in range(x.shape[1]):
        y[:, t] += table[read + t]
    return y


def new_tokens(rng, size):
    B, T, read = [(1, 1, int(rng.integers(1, 4))), (1, 2, 0), (2, 2, 1), (2, 3, 2)][size - 1]
    return numbers(rng, B, T, 2), numbers(rng, 6, 2), read


@exercise(
    draw=new_tokens,
    truth=row_by_row,
    properties={
        "one by one, tokens get what they get all at once": lambda f, x, table, read: np.allclose(
            np.concatenate([f(x[:, [t]], table, read + t) for t in range(x.shape[1])], axis=1),
            f(x, table, read),
        ),
    },
    hints=["If three tokens were read, at positions 0, 1 and 2, where does the next one stand?"],
    worked=(
        lambda: (np.array([[[1.0], [2.0]]]), np.array([[10.0], [20.0], [30.0], [40.0]]), 1),
        [
            "One token was read, at position 0. The two new ones stand at positions 1 and 2.",
            "Those rows of the table: {t := table[1:3]}",
            "Added: {x + t}",
        ],
    ),
)
def add_positions(x, table, read):
    return x + table[read : read + x.shape[1]]


@add_positions.mistake(
    "Every new token gets position 0, also in step-by-step decoding: positions go on from the "
    "tokens that were read before."
)
def _(x, table, read):
    return x + table[: x.shape[1]]


@add_positions.mistake("It is off by one: after `read` tokens the next stands at position `read`.")
def _(x, table, read):
    return x + table[read + 1 : read + 1 + x.shape[1]]


@add_positions.mistake(
    "It is off by one: position `read - 1` belongs to the last token read before."
)
def _(x, table, read):
    return x + table[np.arange(read, read + x.shape[1]) - 1]


@add_positions.mistake("All the new tokens get one position; each has its own.")
def _(x, table, read):
    return x + table[read]


@add_positions.mistake("The embeddings are multiplied by the positions; they are added.")
def _(x, table, read):
    return x * table[read : read + x.shape[1]]


@add_positions.mistake("The positions take the place of the embeddings; they are added to them.")
def _(x, table, read):
    return 0 * x + table[read : read + x.shape[1]]


@add_positions.mistake(
    "All positions from `read` on are added, however many tokens there are: T rows of the table are."
)
def _(x, table, read):
    return x + table[read:]


@add_positions.mistake(
    "The rows end at T; they go from `read` to `read` + T, as the tokens before have their own."
)
def _(x, table, read):
    return x + table[read : x.shape[1]]


@add_positions.mistake(
    "It is off by one: after `read` tokens the next stands at position `read`, not one before."
)
def _(x, table, read):
    first = max(read - 1, 0)
    return x + table[first : first + x.shape[1]]


@add_positions.mistake(
    "The embeddings are multiplied by the square root of the width, as in later lessons; not here."
)
def _(x, table, read):
    return x * np.sqrt(x.shape[-1]) + table[read : read + x.shape[1]]


@add_positions.mistake("The number of the position is added; it is the row of the table that is.")
def _(x, table, read):
    return x + np.arange(read, read + x.shape[1])[:, None]


# --- a shift is a rotation ------------------------------------------------------------------------


def by_solving(width, k):
    """The matrix that takes D positions to those k further on, pair by pair."""
    M = np.zeros((width, width))
    here = positions.sinusoidal(40, width, 10, "float64")
    there = positions.sinusoidal(40, width, 10 + k, "float64")
    for pair in range(0, width, 2):
        block = slice(pair, pair + 2)
        M[block, block] = np.linalg.lstsq(here[:, block], there[:, block], rcond=None)[0].T
    return M


@exercise(
    points=2,
    draw=lambda rng, size: (2 * min(size, 3), int(rng.integers(1, 6)) * (-1 if size == 4 else 1)),
    truth=by_solving,
    atol=1e-6,
    properties={
        "M PE(pos) = PE(pos + k)": lambda f, D, k: np.allclose(
            f(D, k) @ positions.sinusoidal(1, D, 7, "float64")[0],
            positions.sinusoidal(1, D, 7 + k, "float64")[0],
        ),
        "the matrix is orthogonal": lambda f, D, k: np.allclose(f(D, k) @ f(D, k).T, np.eye(D)),
    },
    hints=[
        "The matrix has a block of 2 x 2 on its diagonal for each pair, and zeros elsewhere.",
        "The block is [[cos kw, sin kw], [-sin kw, cos kw]], with the pair's own w.",
    ],
    worked=(
        lambda: (4, 2),
        [
            "Two pairs, with w = 1 and w = 1 / 10000^(2/4) = {10000 ** -0.5}. They turn by 2 * 1 "
            "and 2 * 0.01.",
            "The first block: {a := np.array([[np.cos(2), np.sin(2)], [-np.sin(2), np.cos(2)]])}",
            "The second: {b := np.array([[np.cos(0.02), np.sin(0.02)], [-np.sin(0.02), "
            "np.cos(0.02)]])}",
            "On the diagonal of a matrix of zeros: {np.block([[a, np.zeros((2, 2))], "
            "[np.zeros((2, 2)), b]])}",
        ],
    ),
)
def shift(width, k):
    M = np.zeros((width, width))
    for i in range(0, width, 2):
        angle = k / 10000 ** (i / width)
        c, s = np.cos(angle), np.sin(angle)
        M[i : i + 2, i : i + 2] = [[c, s], [-s, c]]
    return M


def turned(width, angle_of):
    M = np.zeros((width, width))
    for i in range(0, width, 2):
        c, s = math.cos(angle_of(i)), math.sin(angle_of(i))
        M[i : i + 2, i : i + 2] = [[c, s], [-s, c]]
    return M


@shift.mistake(
    "It turns the wrong way, to position pos - k: the signs of the two sines are exchanged."
)
def _(width, k):
    return shift.solution(width, -k)


@shift.mistake("All pairs are turned by the same angle, k; each has its own frequency.")
def _(width, k):
    return turned(width, lambda i: k)


@shift.mistake("Every matrix turns by one position, whatever k is.")
def _(width, k):
    return shift.solution(width, 1)


@shift.mistake(
    "Both sines have the same sign: such a matrix mirrors or stretches, and does not turn."
)
def _(width, k):
    M = np.zeros((width, width))
    for i in range(0, width, 2):
        c, s = math.cos(k / 10000 ** (i / width)), math.sin(k / 10000 ** (i / width))
        M[i : i + 2, i : i + 2] = [[c, s], [s, c]]
    return M


@shift.mistake(
    "The frequencies are those of an exponent i / D, with pairs counted by i; the formula has 2i "
    "/ D."
)
def _(width, k):
    return turned(width, lambda i: k / 10000 ** (i / 2 / width))


@shift.mistake(
    "Sines and cosines are taken to stand in two halves; in PE they take turns, and a pair stands "
    "side by side."
)
def _(width, k):
    c = np.diag([math.cos(k / 10000 ** (i / width)) for i in range(0, width, 2)])
    s = np.diag([math.sin(k / 10000 ** (i / width)) for i in range(0, width, 2)])
    return np.block([[c, s], [-s, c]])
