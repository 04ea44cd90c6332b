"""Functions of each number by itself, and activations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import functional as F
from ...definitions.elementwise import clamp
from .row_table import ROWS, row

# --- each number by itself --------------------------------------------------------------------------

ROWS |= {
    "abs": np.absolute, "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin,
    "asinh": np.arcsinh, "atan": np.arctan, "atan2": np.arctan2, "atanh": np.arctanh,
    "ceil": np.ceil, "copysign": np.copysign, "cos": np.cos, "cosh": np.cosh, "deg2rad": np.deg2rad,
    "erf": F.erf, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "floor": np.floor,
    "hypot": np.hypot, "log": np.log, "log10": np.log10, "log1p": np.log1p, "log2": np.log2,
    "logaddexp": np.logaddexp, "logaddexp2": np.logaddexp2, "maximum": np.maximum,
    "minimum": np.minimum, "fmax": np.fmax, "fmin": np.fmin, "neg": np.negative,
    "rad2deg": np.rad2deg, "reciprocal": np.reciprocal, "relu": F.relu, "sgn": np.sign,
    "sigmoid": F.sigmoid, "sign": np.sign, "silu": F.silu, "sin": np.sin, "sinc": np.sinc,
    "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "isnan": np.isnan, "isinf": np.isinf, "logical_and": np.logical_and,
    "logical_or": np.logical_or, "logical_not": np.logical_not, "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "bitwise_not": np.invert,
}  # fmt: skip

ROWS |= {
    "add": lambda self, other, alpha=1: self + times(alpha, other),
    "sub": lambda self, other, alpha=1: self - times(alpha, other),
    "rsub": lambda self, other, alpha=1: other - times(alpha, self),
    "mul": lambda self, other: self * other,
    "div": lambda self, other, rounding_mode=None: _rounded(self / other, rounding_mode),
    "pow": lambda self, exponent: self**exponent,
    "square": lambda self: self * self,
    "rsqrt": lambda self: 1 / np.sqrt(self),
    "erfc": lambda self: 1 - F.erf(self),
    "frac": lambda self: self - np.trunc(self),
    "round": lambda self, decimals=0: np.round(self, decimals),
    "remainder": lambda self, other: self - np.floor(self / other) * other,
    "fmod": lambda self, other: self - np.trunc(self / other) * other,
    "addcmul": lambda self, tensor1, tensor2, value=1: self + times(value, tensor1 * tensor2),
    "addcdiv": lambda self, tensor1, tensor2, value=1: self + times(value, tensor1 / tensor2),
    "lerp": lambda self, end, weight: self + weight * (end - self),
    "clamp": lambda self, min=None, max=None: clamp(self, min, max),
    "clamp_min": lambda self, min: clamp(self, min, None),
    "clamp_max": lambda self, max: clamp(self, None, max),
    "xlogy": lambda self, other: np.where(
        np.equal(self, 0), 0.0, self * np.log(np.where(np.equal(self, 0), 1, other))
    ),
    "special_xlog1py": lambda self, other: np.where(
        np.equal(self, 0), 0.0, self * np.log1p(np.where(np.equal(self, 0), 0, other))
    ),
    "logit": lambda self, eps=None: _logit(self if eps is None else clamp(self, eps, 1 - eps)),
    "where": lambda condition, self, other: np.where(condition, self, other),
    "masked_fill": lambda self, mask, value: np.where(mask, value, self),
    "nan_to_num": lambda self, nan=0.0, posinf=None, neginf=None: np.nan_to_num(
        self, nan=nan or 0.0, posinf=posinf, neginf=neginf
    ),
}  # fmt: skip


def times(factor: Any, x: Any) -> Any:
    return x if isinstance(factor, (int, float)) and factor == 1 else factor * x


def _rounded(x: Any, rounding_mode: str | None) -> Any:
    kinds: dict[str | None, Callable] = {None: same, "floor": np.floor, "trunc": np.trunc}
    return kinds[rounding_mode](x)


def same(x: Any) -> Any:
    return x


def _logit(p: Any) -> Any:
    return np.log(p / (1 - p))


# --- activations ------------------------------------------------------------------------------------

ROWS |= {
    "gelu": lambda self, approximate="none": F.gelu(self, approximate),
    "leaky_relu": lambda self, negative_slope=0.01: F.leaky_relu(self, negative_slope),
    "softplus": lambda self, beta=1, threshold=20: np.where(
        np.greater(self * beta, threshold), self, F.softplus(self * beta) / beta
    ),
    "log_sigmoid_forward": lambda self: [-F.softplus(-self), None],
    "hardtanh": lambda self, min_val=-1, max_val=1: _between(self, min_val, max_val),
    "hardsigmoid": lambda self: _between(self / 6 + 0.5, 0.0, 1.0),
    "hardswish": lambda self: self * clamp(self / 6 + 0.5, 0.0, 1.0),
    "threshold": lambda self, threshold, value: np.where(np.greater(self, threshold), self, value),
    "hardshrink": lambda self, lambd=0.5: np.where(np.greater(np.absolute(self), lambd), self, 0.0),
    "softshrink": lambda self, lambd=0.5: np.where(
        np.greater(np.absolute(self), lambd), self - lambd * np.sign(self), 0.0
    ),
    "celu": lambda self, alpha=1.0: np.where(
        np.greater(self, 0), self, alpha * np.expm1(clamp(self, None, 0.0) / alpha)
    ),
    "special_entr": lambda self: np.where(
        np.equal(self, 0), 0.0, -self * np.log(np.where(np.equal(self, 0), 1.0, self))
    ),
    "angle": lambda self: np.where(np.less(self, 0), math.pi, 0.0) + 0 * self,
    "mish": lambda self: self * np.tanh(F.softplus(self)),
    "_prelu_kernel": lambda self, weight: np.where(np.greater(self, 0), self, self * weight),
    "_softmax": lambda self, dim, half_to_float: _of_rows(F.softmax, self, dim),
    "_safe_softmax": lambda self, dim: F.softmax(self, dim),
    "_log_softmax": lambda self, dim, half_to_float: _of_rows(F.log_softmax, self, dim),
    "glu": lambda self, dim=-1: _glu(*np.split(self, 2, dim)),
}  # fmt: skip


def _of_rows(function: Callable, x: Any, axis: int) -> Any:
    """A softmax; NaN where all of a row is -inf, as there is nothing to choose from."""
    empty = (
        np.max(x.detach(), axis=axis, keepdims=True)._array == -np.inf if x.size else np.array(0)
    )
    y = function(x, axis)
    return np.where(empty, np.nan, y) if empty.any() else y


def _between(x: Any, low: float, high: float) -> Any:
    """`clamp`, with no gradient at the bounds themselves."""
    inside = np.logical_and(np.greater(x, low), np.less(x, high))
    return np.where(inside, x, np.clip(x.detach(), low, high))


def _glu(a: Any, b: Any) -> Any:
    return a * F.sigmoid(b)


@row("elu")
def _elu(self, alpha=1, scale=1, input_scale=1):
    if input_scale == 1:
        return times(scale, F.elu(self, alpha))
    positive = np.greater(self, 0)
    negative = alpha * np.expm1(input_scale * np.where(positive, 0.0, self))
    return times(scale, np.where(positive, self, negative))
