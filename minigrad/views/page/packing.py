"""Arrays as text that a page can hold: every digit that it shows is one of the number's own.

A small array is written as decimal numbers of five significant digits. A large one takes 16 bits a
number: three significant digits, a sign, and one of 36 powers of ten (900 x 2 x 36 = 64,800 codes), up
to the power of the array's largest number. Arrays that the page computes with are kept in full.

If the arrays are more than a page may hold, only every second, fourth ... row and column is kept; the
summary of an array is still made of all its numbers. If there are many arrays, those that the page can
compute from its leaves are left out.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

SMALL = 64  # an array of up to so many numbers is written in decimals
DIGITS = 5  # of each of these numbers
SPARE = 300_000  # characters: if all arrays take no more, none is left out
BINS = 24  # of a histogram
PIECE = 1 << 20  # numbers that are summed up at a time
POWERS = 36  # of ten, from that of the largest number down
SUMMARY = ("least", "greatest", "mean", "norm", "zeros", "odd")  # of the numbers of an array
# Numbers that no digits tell: the last two are too small for the powers.
ZERO, NAN, INFINITY, MINUS_INFINITY, TINY, MINUS_TINY = range(6)
SPECIAL = 6  # how many codes these are: the codes of digits follow


class Arrays:
    """Collects the arrays of a page, each once, and packs them into a budget.

    Args:
        budget: characters that all of them may take.
    """

    def __init__(self, budget: int):
        self.budget = budget
        self.arrays: list[np.ndarray] = []
        self.places: dict[tuple, int] = {}  # by dtype, shape and a digest of the numbers
        self.full: set[int] = set()  # the places of arrays that are kept in full
        self.slots: dict[int, int] = {}  # the slots of arrays that the page can compute

    def add(self, array: np.ndarray | None, full: bool = False) -> int | None:
        """The number under which the page finds `array`; None for none. `full` keeps all its bits."""
        if array is None:
            return None
        array = np.asarray(array)
        if array.dtype.kind not in "fiub":
            return None
        numbers = np.ascontiguousarray(array)
        key = array.dtype.str, array.shape, hashlib.sha256(numbers.data).digest()
        if key not in self.places:
            self.places[key] = len(self.arrays)
            self.arrays.append(array)
        if full:
            self.full.add(self.places[key])
        return self.places[key]

    def note_computed(
        self, array: np.ndarray | None, slot: int | None, on_tape: np.ndarray | None
    ) -> None:
        """Note that a page computes `array`, if its tape has the same in that slot: `on_tape`."""
        number = self.add(array)
        if number is None or slot is None or array is None or array.dtype.kind != "f":
            return
        if array.size > SMALL and on_tape is not None and on_tape.shape == array.shape:
            small = 1e-5 * np.abs(array[np.isfinite(array)]).max(initial=0)
            if np.allclose(on_tape, array, rtol=1e-4, atol=small, equal_nan=True):
                self.slots.setdefault(number, slot)

    def packed(self) -> list[dict[str, Any]]:
        """All arrays; the largest are thinned out as far as the budget needs it.

        If there are many, those that the page can compute are left out. A leaf is never left out, even
        if it is equal to a computed array, as x is to x[np.arange(n)].
        """
        most = 1 << 16
        left_out = {i: slot for i, slot in self.slots.items() if i not in self.full}
        self.slots = {}
        if self._size(most) > SPARE:
            self.slots = left_out
        while most > SMALL and self._size(most) > self.budget:
            most //= 2
        return [
            {"s": list(array.shape), "t": array.dtype.kind, "p": self.slots[i]}
            if i in self.slots
            else pack(array, most, i in self.full)
            for i, array in enumerate(self.arrays)
        ]

    def _size(self, most: int) -> int:
        return sum(
            40 if i in self.slots
            else 4 * a.nbytes // 3 if i in self.full
            else 3 * min(a.size, most) if a.size > SMALL
            else 8 * a.size
            for i, a in enumerate(self.arrays)
        )  # fmt: skip


def pack(array: np.ndarray, most: int, full: bool = False) -> dict[str, Any]:
    """An array as JSON can hold it.

    The keys are short, as there are many arrays:

        s, t    the shape, and the letter of the dtype's kind
        v       the numbers of a small array
        c, e    the codes of a large array, and the power of ten of its largest number
        x, w    the bytes of an array kept in full, and the bytes of a number
        b       the bits of booleans
        k       the step along each axis, if numbers were left out
        p       in place of these: the slot of an array that the page computes
        m, h    the `SUMMARY` of all numbers (least, greatest, mean, norm, the counts of zeros and of
                numbers that are not finite), and a histogram
    """
    packed: dict[str, Any] = {"s": list(array.shape), "t": array.dtype.kind}
    if full and array.dtype.kind == "f":
        wide = array.dtype.itemsize > 4
        packed["w"] = 8 if wide else 4
        packed["x"] = base64_of(array.astype("<f8" if wide else "<f4"))
    else:
        numbers, steps = thinned(array, max(array.size if full else most, SMALL))
        if array.size > SMALL and array.dtype.kind == "f":
            packed["c"], packed["e"] = codes(numbers)
        elif array.size > SMALL and array.dtype.kind == "b":
            packed["b"] = base64_of(np.packbits(numbers, bitorder="little"))
        else:
            packed["v"] = [decimal(v) for v in numbers.ravel().tolist()]
        if max(steps, default=1) > 1:
            packed["k"] = steps
    if array.size > 1 and array.dtype.kind != "b":
        packed["m"] = summary(array)
        packed["h"] = histogram(array)
    return packed


def table(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Records with the same names as a table: `names`, and in `rows` the values of each record.

    `records` of `graph.js` makes them objects again.
    """
    return {
        "names": list(records[0]) if records else [],
        "rows": [list(record.values()) for record in records],
    }


def thinned(array: np.ndarray, most: int) -> tuple[np.ndarray, list[int]]:
    """Take every 2nd, 4th, 8th ... element along the longest axes, until at most `most` are left.

    Returns:
        the smaller array, and for each axis the step with which it was taken.
    """
    steps = [1] * array.ndim
    length = lambda axis: -(-array.shape[axis] // steps[axis])
    while math.prod(map(length, range(array.ndim))) > most:
        longest = max(range(array.ndim), key=length)
        steps[longest] *= 2
    return array[tuple(slice(None, None, step) for step in steps)], steps


def decimal(value: Any) -> Any:
    """A number of five significant digits, as JSON can hold it; a word, if it is not finite."""
    if not isinstance(value, float):
        return int(value)
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return rounded(value, DIGITS)


def rounded(value: float, digits: int) -> float:
    """A finite number of so many significant digits; the number itself, if that would be infinite."""
    short = float(f"{value + 0.0:.{digits - 1}e}")
    return short if math.isfinite(short) else float(value)


def codes(array: np.ndarray) -> tuple[str, int]:
    """The codes of an array of floats, and the power of ten of its largest number.

    The number of sign s, digits d (100 to 999) and power p has the code
    6 + ((p - e + 35) * 2 + s) * 900 + d - 100.
    """
    x = array.astype(np.float64).ravel()
    size = np.abs(x)
    finite = np.isfinite(size) & (size > 0)
    power = np.zeros(x.shape, int)
    power[finite] = np.floor(np.log10(size[finite])).astype(int)
    digits = np.zeros(x.shape, int)
    # Python's own conversion is exact. It decides near the middle between two numbers of three digits,
    # and if the logarithm or the rounding steps over a power of ten.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        hundreds = size[finite] * 10.0 ** (2 - power[finite])
        digits[finite] = np.rint(hundreds)
        near = np.abs(hundreds - np.floor(hundreds) - 0.5) < 1e-6
    for i in np.flatnonzero(finite)[near | ~((hundreds >= 100) & (hundreds < 999))]:
        mantissa, exponent = f"{size[i]:.2e}".split("e")
        digits[i], power[i] = round(100 * float(mantissa)), int(exponent)
    top = int(power[finite].max()) if finite.any() else 0
    place = power - top + POWERS - 1
    code = SPECIAL + (place * 2 + (x < 0)) * 900 + digits - 100
    code[finite & (place < 0)] = TINY
    code[finite & (place < 0) & (x < 0)] = MINUS_TINY
    for special, found in (
        (ZERO, x == 0), (NAN, np.isnan(x)), (INFINITY, x == np.inf), (MINUS_INFINITY, x == -np.inf),
    ):  # fmt: skip
        code[found] = special
    return base64_of(code.astype("<u2")), top


def summary(array: np.ndarray) -> list[Any]:
    """The least, the greatest, the mean and the norm of the finite numbers; the counts of zeros, and of
    numbers that are not finite."""
    ends = [(x.min(), x.max(), x.size, np.sum(x == 0)) for x in finite_pieces(array)]
    if not ends:
        return [None, None, None, None, 0, array.size]
    least, greatest, sizes, zeros = zip(*ends)
    power = power_above(array)
    sums = [(x.sum(), x @ x) for x in (np.ldexp(x, -power) for x in finite_pieces(array))]
    total, squares = map(sum, zip(*sums))
    most, n = np.finfo(np.float64).max, sum(sizes)
    with np.errstate(over="ignore"):
        norm = min(np.ldexp(np.sqrt(squares), power), most)
    first_four = min(least), max(greatest), np.ldexp(total / n, power), norm
    return [*[rounded(v, 4) for v in first_four], int(sum(zeros)), array.size - n]


def histogram(array: np.ndarray) -> list[int]:
    """Count the finite numbers in each of equal parts of their range."""
    power = power_above(array)
    ends = [(x.min(), x.max()) for x in finite_pieces(array)]
    low, high = (np.ldexp(f(e), -power) for f, e in zip((min, max), zip(*ends))) if ends else (0, 0)
    if low == high:
        return []
    parts = ((np.ldexp(x, -power) - low) / (high - low) for x in finite_pieces(array))
    return np.sum([np.histogram(x, BINS, (0, 1))[0] for x in parts], axis=0).tolist()


def finite_pieces(array: np.ndarray) -> Iterator[np.ndarray]:
    """The finite numbers in double precision, a piece at a time, to save memory."""
    flat = array.reshape(-1)
    for start in range(0, flat.size, PIECE):
        x = flat[start : start + PIECE].astype(np.float64)
        x = x[np.isfinite(x)]
        if x.size:
            yield x


def power_above(array: np.ndarray) -> int:
    """The power of two by which all finite numbers are divided, so that sums cannot overflow."""
    return int(np.frexp(max((np.abs(x).max() for x in finite_pieces(array)), default=0))[1])


def base64_of(array: np.ndarray) -> str:
    """The bytes of an array as text."""
    return base64.b64encode(array.tobytes()).decode()
