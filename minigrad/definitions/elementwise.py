"""Functions of each number by itself: rules that a first reading does not need, and definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import errors
from ..engine.base import AnyArray
from ..engine.rules import log_or_zero, power_slope
from ..engine.table import definition, rule
from .axes import of_shape


def over_square(a: AnyArray, b: AnyArray) -> AnyArray:
    """a / b^2, and 0 where b is 0, without a square that could overflow or vanish."""
    return ratio_or_zero(ratio_or_zero(a, b), b)


def log_odds(b: AnyArray, a: AnyArray, y: AnyArray) -> AnyArray:
    """b - a, the logarithm of exp(b) / exp(a); infinite where their sum exp(y) is 0."""
    return np.where(np.equal(y, -math.inf), y.dtype.type(0), b) - a


def one_minus_square(x: AnyArray) -> AnyArray:
    """1 - x^2; near 1 and -1 the factors keep the digits that x^2 loses."""
    return (1 - x) * (1 + x)


one_minus_square = rule(one_minus_square, lambda g, _y, x: -2 * g * x)


def ratio_or_zero(a: AnyArray, b: AnyArray) -> AnyArray:
    """a / b, and 0 where b is 0."""
    flat = np.equal(b, 0)
    return np.where(flat, 0, a / np.where(flat, 1, b))


def is_greater(a: AnyArray, b: AnyArray) -> AnyArray:
    """1 where a > b or one is NaN, 1/2 where they are equal, else 0; in the dtype of their sum."""
    one = np.result_type(a, b).type(1)
    return np.where(np.equal(a, b), one / 2, np.where(np.less(a, b), one * 0, one))


# fmt: off
rule(np.sign,       lambda g, _y, _x: np.zeros_like(g))
rule(np.floor,      lambda g, _y, _x: np.zeros_like(g))
rule(np.maximum,    lambda g, _y, a, b: g * is_greater(a, b),
                    lambda g, _y, a, b: g * is_greater(b, a))
rule(np.minimum,    lambda g, _y, a, b: g * is_greater(b, a),
                    lambda g, _y, a, b: g * is_greater(a, b))
rule(np.float_power, lambda g, _y, a, b: g * power_slope(a, b),
                    lambda g, y, a, b: g * y * log_or_zero(a, b))
rule(np.reciprocal, lambda g, y, _x: -g * y * y)
rule(np.copy,       lambda g, _y, _a, order="K", subok=False: g)
rule(np.cbrt,       lambda g, y, _x: g / (3 * y * y))
rule(np.expm1,      lambda g, _y, x: g * np.exp(x))
rule(np.log1p,      lambda g, _y, x: g / (1 + x))
rule(np.logaddexp,  lambda g, y, a, b: g * np.exp(-np.logaddexp(0, log_odds(b, a, y))),
                    lambda g, y, a, b: g * np.exp(-np.logaddexp(0, log_odds(a, b, y))))
rule(np.tan,        lambda g, y, _x: g * (1 + y * y))
rule(np.arcsin,     lambda g, _y, x: g / np.sqrt(one_minus_square(x)))
rule(np.arccos,     lambda g, _y, x: -g / np.sqrt(one_minus_square(x)))
rule(np.arctan,     lambda g, _y, x: g / (1 + x * x))
rule(np.sinh,       lambda g, _y, x: g * np.cosh(x))
rule(np.cosh,       lambda g, _y, x: g * np.sinh(x))
rule(np.exp2,       lambda g, y, _x: g * y * math.log(2))
rule(np.log2,       lambda g, _y, x: g / (x * math.log(2)))
rule(np.log10,      lambda g, _y, x: g / (x * math.log(10)))
rule(np.logaddexp2, lambda g, y, a, b: g * np.exp2(-np.logaddexp2(0, log_odds(b, a, y))),
                    lambda g, y, a, b: g * np.exp2(-np.logaddexp2(0, log_odds(a, b, y))))
rule(np.arctan2,    lambda g, _y, a, b: g * over_square(b, np.hypot(a, b)),
                    lambda g, _y, a, b: -g * over_square(a, np.hypot(a, b)))
rule(np.arcsinh,    lambda g, _y, x: g / np.hypot(x, 1))
rule(np.arccosh,    lambda g, _y, x: g / (np.sqrt(x - 1) * np.sqrt(x + 1)))
rule(np.arctanh,    lambda g, _y, x: g / one_minus_square(x))
rule(np.hypot,      lambda g, y, a, _b: g * ratio_or_zero(a, y),
                    lambda g, y, _a, b: g * ratio_or_zero(b, y))

rule(np.fabs,       lambda g, _y, x: g * np.sign(x))
rule(np.copysign,   lambda g, _y, a, b: g * np.sign(a) * np.copysign(1, b),
                    lambda g, _y, _a, _b: np.zeros_like(g))
rule(np.ceil,       lambda g, _y, _x: np.zeros_like(g))
rule(np.trunc,      lambda g, _y, _x: np.zeros_like(g))
rule(np.rint,       lambda g, _y, _x: np.zeros_like(g))
rule(np.round,      lambda g, _y, _a, decimals=0, out=None: np.zeros_like(g))
rule(np.around,     lambda g, _y, _a, decimals=0, out=None: np.zeros_like(g))
rule(np.floor_divide, lambda g, _y, _a, _b: np.zeros_like(g),
                    lambda g, _y, _a, _b: np.zeros_like(g))
rule(np.mod,        lambda g, _y, _a, _b: g,
                    lambda g, _y, a, b: -g * np.floor_divide(a, b))
rule(np.fmod,       lambda g, _y, _a, _b: g,
                    lambda g, y, a, b: -g * np.rint((a - y) / b))
rule(np.deg2rad,    lambda g, _y, _x: g * (math.pi / 180))
rule(np.rad2deg,    lambda g, _y, _x: g * (180 / math.pi))
rule(np.radians,    lambda g, _y, _x: g * (math.pi / 180))
rule(np.degrees,    lambda g, _y, _x: g * (180 / math.pi))
# fmt: on


def clamp(x: AnyArray, low: AnyArray, high: AnyArray) -> AnyArray:
    """`x` kept between two bounds, either of which may be None; the upper wins if they cross."""
    return np.clip(x, low, high)


def below(x: AnyArray, low: AnyArray, high: AnyArray) -> AnyArray:
    """Tell for each element whether clipping returns the lower bound."""
    return np.less(x, low) if high is None else np.less(x, low) & np.less(low, high)


def above(x: AnyArray, low: AnyArray, high: AnyArray) -> AnyArray:
    """Tell for each element whether clipping returns the upper bound."""
    return np.greater(x, high) if low is None else np.greater(x, high) | np.less(high, low)


def within(x: AnyArray, low: AnyArray, high: AnyArray) -> AnyArray:
    """Tell for each element whether clipping returns `x` itself, the bounds included."""
    upwards = True if low is None else np.greater_equal(x, low)
    return upwards if high is None else upwards & np.less_equal(x, high)


clamp = rule(
    clamp,
    lambda g, _y, x, low, high: np.where(within(x, low, high), g, 0),
    lambda g, _y, x, low, high: np.where(below(x, low, high), g, 0),
    lambda g, _y, x, low, high: np.where(above(x, low, high), g, 0),
    makes_new=True,
)


@definition(of=np.clip)
def clip(a, a_min=np._NoValue, a_max=np._NoValue, out=None, *, min=None, max=None):  # noqa: A002
    """min(max(a, a_min), a_max) of each number; None is no bound. The shapes broadcast.

    Raises:
        UnsupportedError: for one bound alone, without None for the other.
        ShapeError: for a bound that is given twice.
    """
    none = [bound is np._NoValue for bound in (a_min, a_max)]
    if all(none):
        return clamp(a, min, max)
    if any(none):
        raise errors.UnsupportedError(
            "np.clip takes both bounds: write None for one that is not meant, as in np.clip(x, 0, None)"
        )
    if min is not None or max is not None:
        raise ValueError("min= is another name of a_min, and max= of a_max: give each bound once")
    return clamp(a, a_min, a_max)


@definition(of=np.fmax)
def fmax(a, b):
    """max(a, b) of each pair, the other one beside NaN. The shapes broadcast."""
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, np.maximum(a, b)))


@definition(of=np.fmin)
def fmin(a, b):
    """min(a, b) of each pair, the other one beside NaN. The shapes broadcast."""
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, np.minimum(a, b)))


@definition(of=np.sinc)
def sinc(x):
    """sin(pi x) / (pi x), 1 at 0, of any shape; near 0 its series, whose derivatives are right
    there."""
    y = math.pi * x
    near = np.less(np.absolute(y), 1)
    square, far = np.where(near, y * y, 0), np.where(near, 1, y)
    series: Any = 1
    for n in range(20, 0, -2):  # y^20 / 21! is below rounding
        series = 1 - square / (n * (n + 1)) * series
    return np.where(near, series, np.sin(far) / far)


@definition(of=np.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """x, of any shape, with 0 (or `nan`) in place of NaN, and the largest numbers of its dtype (or
    `posinf`, `neginf`) in place of infinite ones.

    Raises:
        ShapeError: if what is put in has axes that x has not.
    """
    if x.dtype.kind != "f":
        return np.copy(x)
    largest = float(np.finfo(x.dtype).max)
    y = np.where(np.isnan(x), nan, x)
    y = np.where(np.isposinf(y), largest if posinf is None else posinf, y)
    y = np.where(np.isneginf(y), -largest if neginf is None else neginf, y)
    return of_shape(y, x.shape)


@definition(of=np.select)
def select(condlist, choicelist, default=0):
    """choicelist[i] for the first i whose condlist[i] is true, else `default`. The shapes
    broadcast.

    Raises:
        ShapeError: if there are not as many conditions as choices.
    """
    if len(condlist) != len(choicelist):
        raise ValueError(f"{len(condlist)} conditions and {len(choicelist)} choices")
    chosen = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        chosen = np.where(condition, choice, chosen)
    return chosen
