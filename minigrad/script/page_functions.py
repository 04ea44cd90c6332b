"""The functions that the interpreter of a page has (`kernels.js` and `functions.js`), by their names.

An elementwise function, a reduction and a call that only moves elements are each one kind of call; what
is in `EXPANDED` is written with them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import rules
from ..engine.names import is_numpys, name_of
from ..functional.activations import erf
from .bodies import body_of
from .operators import BY_FUNCTION

ELEMENTWISE = {
    "negative", "add", "subtract", "multiply", "divide", "power", "float_power", "square", "sqrt",
    "reciprocal", "exp", "log", "sin", "cos", "tanh", "absolute", "fabs", "sign", "floor", "ceil",
    "trunc", "rint", "cbrt", "expm1", "log1p", "logaddexp", "logaddexp2", "tan", "arcsin",
    "arccos", "arctan", "arctan2", "sinh", "cosh", "arcsinh", "arccosh", "arctanh", "exp2",
    "log2", "log10", "hypot", "copysign", "maximum", "minimum", "floor_divide", "remainder",
    "fmod", "deg2rad", "rad2deg", "radians", "degrees", "where", "erf", "isnan", "isinf",
    "isfinite", "isposinf", "isneginf", "signbit", "equal", "not_equal", "less", "less_equal",
    "greater", "greater_equal", "logical_and", "logical_or", "logical_xor", "logical_not",
    "bitwise_and", "bitwise_or", "bitwise_xor", "invert",
}  # fmt: skip
REDUCING = {
    "sum", "mean", "prod", "max", "amax", "min", "amin", "any", "all", "argmax", "argmin",
    "count_nonzero", "cumsum", "cumprod", "argsort",
}  # fmt: skip
MOVING = {
    "reshape", "expand_dims", "broadcast_to", "transpose", "swapaxes", "squeeze", "moveaxis",
    "flip", "roll", "rot90", "tril", "triu", "ravel", "copy", "positive", "pad", "astype",
}  # fmt: skip
FILLED = {"zeros_like", "ones_like", "empty_like"}  # whatever the numbers are
OWN = {body_of(f): f.__name__ for f in (rules.scatter_add, rules.astype, erf)}


class Unwritten(Exception):  # noqa: N818
    """A call that the interpreter cannot run; the message says why."""


def not_in_page(function: Callable) -> Unwritten:
    """The error for a function that the interpreter does not have."""
    return Unwritten(f"{name_of(function)} is not among the functions that a page can run")


def name_in_page(function: Callable) -> str:
    """The name that the interpreter has for a function; "" for one that only looks like NumPy's."""
    if function in BY_FUNCTION:
        return BY_FUNCTION[function].ufunc.__name__
    name = getattr(function, "__name__", "")
    if function is operator.getitem:
        return name
    return name if is_numpys(function) else OWN.get(body_of(function), "")


def _clipped(x: Any, low: Any, high: Any) -> Any:
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _rounded(a: Any, decimals: int) -> Any:
    if decimals < 0:
        return np.rint(a / 10**-decimals) * 10**-decimals
    return np.rint(a * 10**decimals) / 10**decimals if decimals else np.rint(a)


EXPANDED: dict[str, Callable] = {  # in functions that the interpreter has
    "clip": _clipped,
    "round": lambda a, decimals=0: _rounded(a, decimals),
    "around": lambda a, decimals=0: _rounded(a, decimals),
}
