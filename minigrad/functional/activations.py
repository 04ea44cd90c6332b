"""Functions of each number by itself, like those between linear maps."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from .. import errors
from ..definitions.axes import as_arrays
from ..engine.followed import Followed
from ..engine.table import definition, rule
from ..engine.tensor import A


def relu(x: A) -> A:
    """max(x, 0), of any shape; its slope at 0 is taken as 0, as PyTorch does."""
    return np.maximum(x, 0)


relu = rule(relu, lambda g, y, _x: g * np.greater(y, 0), makes_new=True)


@definition(plain=True)
def leaky_relu(x: A, slope: float = 0.01) -> A:
    """x where it is above 0, elsewhere `slope` times x (Maas et al., 2013); any shape."""
    (x,) = as_arrays(x)
    return np.where(np.greater(x, 0), x, slope * x)


@definition(plain=True)
def elu(x: A, alpha: float = 1.0) -> A:
    """x where it is above 0, elsewhere alpha (exp(x) - 1) (Clevert et al., 2015); any shape."""
    positive = np.greater(x, 0)
    return np.where(positive, x, alpha * np.expm1(np.where(positive, 0, x)))


@definition(plain=True)
def softplus(x: A) -> A:
    """log(1 + exp(x)), a smooth `relu` (Dugas et al., 2001), of any shape; it never overflows."""
    return np.logaddexp(x, 0)


def sigmoid(x: A) -> A:
    """1 / (1 + exp(-x)), of any shape, by exp(-|x|) alone, which never overflows."""
    e = np.exp(-np.absolute(x))
    return np.where(np.greater(x, 0), 1, e) / (1 + e)


sigmoid = rule(sigmoid, lambda g, y, _x: g * y * (1 - y), makes_new=True)


@definition(plain=True)
def silu(x: A) -> A:
    """x sigmoid(x), of any shape (Hendrycks & Gimpel, 2016, where it is called SiLU)."""
    return x * sigmoid(x)


def erf(x: A) -> A:
    """The error function, of any shape: SciPy's where that is installed, else Python's, which takes
    several times as long.

    Its slope at 30 and beyond is 0; it is clipped there because x x could overflow.
    """
    return _erf()(x)


erf = rule(
    erf,
    lambda g, _y, x: g * (2 / math.sqrt(math.pi)) * np.exp(-np.square(np.clip(x, -30, 30))),
    makes_new=True,
)


@functools.cache
def _erf() -> Callable[[np.ndarray], np.ndarray]:
    """The error function of an array, in the dtype that NumPy's own functions would give."""
    try:
        from scipy.special import erf
    except ImportError:
        return _erf_of_each

    def of_scipy(x: np.ndarray) -> np.ndarray:
        wider = {np.dtype(np.float16): np.float32, np.dtype(np.longdouble): np.float64}
        dtype = getattr(x, "dtype", None)
        return erf(x.astype(wider[dtype])).astype(dtype) if dtype in wider else erf(x)

    return of_scipy


def _erf_of_each(x: object) -> np.ndarray:
    if isinstance(x, Followed):  # the loop below would lose sight of it
        return x.apply(_erf_of_each, (x,), {})
    x = np.asarray(x)
    y = np.fromiter(map(math.erf, x.ravel().tolist()), np.result_type(x, 0.0), x.size)
    return y.reshape(x.shape)


@definition(plain=True)
def gelu(x: A, approximate: str = "none") -> A:
    """x times the chance that a standard normal number is below it (Hendrycks & Gimpel, 2016).

    x (1 + erf(x / sqrt(2))) / 2, or x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.

    Args:
        x: of any shape.
        approximate: "none", through `erf`, as in BERT; or "tanh", as in GPT-2.

    Raises:
        ConfigError: for another approximation.
    """
    if approximate not in ("none", "tanh"):
        raise errors.ConfigError(f"approximate is 'none' or 'tanh', not {approximate!r}")
    (x,) = as_arrays(x)
    if approximate == "tanh":
        z = np.clip(x, -10, 10)  # tanh is 1 or -1 from there on, and z z z could overflow
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z * z * z)))
    return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))
