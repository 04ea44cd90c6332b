"""The operators of Python: the sign of each, how tightly it binds, and the functions that it stands for.

All code that writes a sign reads this table, and so do symbols, the calls of a tape and the compiler. A
page gets its signs from here as data.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

# How tightly an expression binds: a name or call, and the operators.
TIGHT, POWER, SIGN, PRODUCT, SUM, BITS, COMPARED = 9, 8, 7, 6, 5, 4, 3


class Operator(NamedTuple):
    """An operator: `sign` between its operands, or before the only one.

    `ufunc` is NumPy's function and `python` that of Python's module `operator`.
    """

    sign: str
    binds: int
    ufunc: np.ufunc
    python: Callable

    @property
    def unary(self) -> bool:
        return self.binds == SIGN

    @property
    def compares(self) -> bool:
        return self.binds == COMPARED

    @property
    def needed(self) -> tuple[int, int]:
        """Say how tightly its operands must bind to stand there without brackets: left, right."""
        if self.sign == "**":
            return TIGHT, SIGN
        if self.sign == "@":  # a * b @ c would be read in two ways
            return SIGN, SIGN
        right = self.binds + 1
        return (right if self.compares else self.binds), right  # a < b == c is two comparisons


OPERATORS = (
    Operator("+", SUM, np.add, operator.add),
    Operator("-", SUM, np.subtract, operator.sub),
    Operator("*", PRODUCT, np.multiply, operator.mul),
    Operator("/", PRODUCT, np.divide, operator.truediv),
    Operator("//", PRODUCT, np.floor_divide, operator.floordiv),
    Operator("%", PRODUCT, np.remainder, operator.mod),
    Operator("@", PRODUCT, np.matmul, operator.matmul),
    Operator("**", POWER, np.power, operator.pow),
    Operator("-", SIGN, np.negative, operator.neg),
    Operator("~", SIGN, np.invert, operator.invert),
    Operator("&", BITS, np.bitwise_and, operator.and_),
    Operator("|", BITS, np.bitwise_or, operator.or_),
    Operator("<", COMPARED, np.less, operator.lt),
    Operator("<=", COMPARED, np.less_equal, operator.le),
    Operator(">", COMPARED, np.greater, operator.gt),
    Operator(">=", COMPARED, np.greater_equal, operator.ge),
    Operator("==", COMPARED, np.equal, operator.eq),
    Operator("!=", COMPARED, np.not_equal, operator.ne),
)
BY_FUNCTION: dict[Callable, Operator] = {
    f: row for row in OPERATORS for f in (row.ufunc, row.python)
}
