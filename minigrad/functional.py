"""Compositions of the engine's operations: activations, softmax, losses, dropout.

Each is ordinary NumPy on Tensors, so its derivatives of every order come from the table; each is a
box in a drawing. Those marked with a rule of their own have a kink, or a value, that NumPy's
functions would not get right.

Where time goes, a composition has a kernel beside it: the same function in as few passes over the
arrays as possible, with its derivative worked out by hand. It runs unless the graph is recorded for
a drawing, which shows the composition.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import errors
from .composition import (
    column_sums,
    composition,
    in_rows,
    kernel,
    row_products,
    row_starts,
    row_sums,
    rows,
)
from .modes import get_default_dtype
from .random import generator
from .rules import spread
from .table import derivatives, together
from .tensor import Tensor, as_array

# --- activations ----------------------------------------------------------------------------------


@derivatives(lambda g, y, x: g * np.greater(y, 0))
def relu(x: Any) -> Any:
    """max(x, 0), of any shape; its slope at 0 is taken as 0, as PyTorch does."""
    return np.maximum(x, 0)


@composition
def leaky_relu(x: Any, slope: float = 0.01) -> Any:
    """x where it is above 0, elsewhere `slope` times x (Maas et al., 2013); any shape."""
    return np.where(np.greater(x, 0), x, slope * x)


@composition
def elu(x: Any, alpha: float = 1.0) -> Any:
    """x where it is above 0, elsewhere alpha (exp(x) - 1) (Clevert et al., 2015); any shape."""
    positive = np.greater(x, 0)
    return np.where(positive, x, alpha * np.expm1(np.where(positive, 0, x)))


@composition
def softplus(x: Any) -> Any:
    """log(1 + exp(x)), a smooth `relu` (Dugas et al., 2001), of any shape; it never overflows."""
    return np.logaddexp(x, 0)


@derivatives(lambda g, y, x: g * y * (1 - y))
def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)), of any shape, by exp(-|x|) alone, which never overflows."""
    e = np.exp(-np.absolute(x))
    return np.where(np.greater(x, 0), 1, e) / (1 + e)


@composition
def silu(x: Any) -> Any:
    """x sigmoid(x), of any shape (Hendrycks & Gimpel, 2016, where it is called SiLU)."""
    return x * sigmoid(x)


@derivatives(lambda g, y, x: g * (2 / math.sqrt(math.pi)) * np.exp(-np.square(np.clip(x, -30, 30))))
def erf(x: Any) -> Any:
    """The error function, of any shape: SciPy's where that is installed, else Python's, slowly.

    Its slope at 30 and beyond is 0; it is clipped there because x x could overflow.
    """
    return _erf()(x)


@functools.cache
def _erf() -> Callable[[Any], Any]:
    try:
        from scipy.special import erf
    except ImportError:
        each = np.vectorize(math.erf, otypes=[float])
        return lambda x: each(x).astype(np.result_type(x, 0.0))
    return erf


@composition
def gelu(x: Any, approximate: str = "none") -> Any:
    """x times the chance that a standard normal number is below it (Hendrycks & Gimpel, 2016).

    Args:
        x: of any shape.
        approximate: "none", through `erf`, as in BERT; or "tanh", as in GPT-2.

    Raises:
        ConfigError: for another approximation.
    """
    if approximate not in ("none", "tanh"):
        raise errors.ConfigError(f"approximate is 'none' or 'tanh', not {approximate!r}")
    if approximate == "tanh":
        z = np.clip(x, -10, 10)  # the tangent is 1 from there on, and z z z could overflow
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z * z * z)))
    return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))


# --- softmax --------------------------------------------------------------------------------------


@composition
def softmax(x: Any, axis: int = -1) -> Any:
    """Positive weights along `axis` that sum to one: exp(x) / sum exp(x).

    Each row has its own maximum taken off first, which changes no weight and keeps exp finite. A row
    of which every element is minus infinity gets zeros: it has nothing to choose from.
    """
    e = np.exp(x - row_maximum(x, axis))
    total = np.sum(e, axis=axis, keepdims=True)
    return e / (total + np.equal(total, 0))


@kernel(softmax, in_rows, lambda g, y, x, axis=-1: softmax_slope(g, y))
def _(x, axis=-1):
    return weights_in_place(x.copy())


def weights_in_place(x: np.ndarray, mask: Any = None) -> np.ndarray:
    """The softmax of each row, in the memory of `x`."""
    each, mild = rows(x), is_mild(x)
    if mask is not None and (hidden := ~np.asarray(mask, dtype=bool)).any():
        np.copyto(x, -np.inf, where=hidden)
    if not mild:
        each -= shifts(each)
    np.exp(each, out=each)
    total = row_sums(each)  # (n, 1)
    each /= np.maximum(total, TINY, out=total)  # 0 only where all is hidden
    return x


MILD = 30  # exp of numbers up to it, and of minus these, is neither infinite nor 0
TINY = 1e-30  # below any sum of exponentials that is not 0


def is_mild(x: np.ndarray) -> bool:
    """Whether no row needs a shift, as in most models: to find the maxima would take half the time."""
    return bool(x.min() >= -MILD and x.max() <= MILD)


def shifts(x: np.ndarray) -> np.ndarray:
    """What exp needs taken off each row of a matrix (n, m): its maximum unless that is mild; (n, 1).

    It depends on that row alone: what is hidden changes no weight, not even in its last bit.
    """
    starts = row_starts(*x.shape)  # reduceat is twice as fast as max on short rows
    top = np.maximum.reduceat(x.reshape(-1), starts)
    top[~(np.isfinite(top) & (np.abs(top) > MILD))] = 0
    return top[:, None]


def softmax_slope(g: Any, y: Any) -> Any:
    """The gradient of the softmax: what is left of `g` without its mean weighted by y, times y."""
    each_g, each_y = rows(g), rows(y)
    slope = each_g - row_products(each_g, each_y)
    slope *= each_y
    return slope.reshape(y.shape)


@composition
def masked_softmax(x: Any, mask: Any = None, axis: int = -1) -> Any:
    """`softmax` over the elements where the boolean `mask` is True; the others get weight zero.

    A row with nothing to choose from gets zeros, and passes no gradient on.
    """
    return softmax(x if mask is None else np.where(mask, x, -np.inf), axis)


@kernel(
    masked_softmax,
    lambda x, mask=None, axis=-1: in_rows(x, axis) and np.ndim(mask) <= x.ndim,
    lambda g, y, x, mask=None, axis=-1: softmax_slope(g, y),
    None,
)
def _(x, mask=None, axis=-1):
    return weights_in_place(x.copy(), mask)


@composition
def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithm of `softmax(x, axis)`, right where the softmax itself would round to zero.

    A row of which every element is minus infinity stays so, and its gradients are finite.
    """
    x = x - row_maximum(x, axis)
    total = np.sum(np.exp(x), axis=axis, keepdims=True)
    return x - np.log(total + np.equal(total, 0))


@derivatives(
    lambda g, y, x, axis=-1, keepdims=False: spread(g, x.shape, axis, keepdims) * softmax(x, axis)
)
def logsumexp(x: Any, axis: Any = -1, keepdims: bool = False) -> Any:
    """log sum exp(x) along `axis`, an integer, a tuple or None for all; it never overflows.

    Where every element is minus infinity the result is, and passes no gradient on.
    """
    top = row_maximum(x, axis)
    total = np.sum(np.exp(x - top), axis=axis, keepdims=True)
    empty = np.equal(total, 0)
    y = np.where(empty, -np.inf, np.log(total + empty) + top)
    return y if keepdims else np.squeeze(y, axis)


def row_maximum(x: Any, axis: Any) -> Any:
    """The greatest element of each row, as a constant; 0 where that is infinite, or there is none."""
    array = x.data if isinstance(x, Tensor) else as_array(x)
    if array.size == 0:
        return np.sum(array, axis=axis, keepdims=True)
    top = np.max(array, axis=axis, keepdims=True)
    return np.where(np.isfinite(top), top, 0)


# --- losses ---------------------------------------------------------------------------------------


@composition
def cross_entropy(
    logits: Any,
    targets: Any,
    *,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
) -> Any:
    """How surprised a model is by the right classes, in nats.

    Args:
        logits: `(..., N)`, scores of N classes.
        targets: integers of shape `(...)`, each from 0 to N - 1 or `ignore_index`.
        ignore_index: a target that counts for nothing, such as padding.
        label_smoothing: the share of each target spread evenly over all N classes
            (Szegedy et al., 2016, section 7).
        reduction: "mean" over the targets that count, "sum", or "none". The mean of none is 0.

    Raises:
        ShapeError, DTypeError: if `targets` does not fit `logits`, or is not of integers.
        ConfigError: for a smoothing outside 0 to 1, or another reduction.
    """
    targets = np.asarray(targets)
    _check_targets(logits.shape, targets, ignore_index, reduction, label_smoothing)
    log_p = log_softmax(logits)  # (..., N)
    loss = nll_loss(log_p, targets, ignore_index=ignore_index, reduction="none")  # (...)
    counted = _counts(targets, ignore_index)
    if label_smoothing:
        over_all = np.where(counted, -np.mean(log_p, axis=-1), 0)
        loss = (1 - label_smoothing) * loss + label_smoothing * over_all
    return _reduced(loss, reduction, int(counted.sum()))


@kernel(
    cross_entropy,
    lambda logits, targets, **options: in_rows(logits),
    lambda g, y, logits, targets, *, ignore_index=None, label_smoothing=0.0, reduction="mean": (
        cross_entropy_slope(g, logits, targets, ignore_index, label_smoothing, reduction)
    ),
    None,
)
def _(logits, targets, *, ignore_index=None, label_smoothing=0.0, reduction="mean"):
    targets = np.asarray(targets)
    _check_targets(logits.shape, targets, ignore_index, reduction, label_smoothing)
    x, ids, counted, share = _counted(logits, targets, ignore_index, reduction)
    top = 0 if is_mild(x) else shifts(x)  # (B T, 1)
    total = row_sums(np.exp(x - top))
    total = np.log(np.maximum(total, TINY)) + top
    right = x.reshape(-1).take(ids + row_starts(*x.shape))[:, None]
    if label_smoothing:
        right = (1 - label_smoothing) * right + (label_smoothing / x.shape[1]) * row_sums(x)
    loss = np.where(counted, total - right, 0) * share  # (B T, 1)
    return loss.reshape(targets.shape) if reduction == "none" else loss.sum()


def cross_entropy_slope(g, logits, targets, ignore_index, label_smoothing, reduction):
    """softmax(logits) less what the targets ask for, and nothing where a target does not count."""
    x, ids, counted, share = _counted(logits, targets, ignore_index, reduction)
    asked = np.full(x.shape, label_smoothing / x.shape[1], x.dtype)  # (B T, N)
    asked[np.arange(ids.size), ids] += 1 - label_smoothing
    weight = g.reshape(-1, 1) * (counted * np.asarray(share, x.dtype))
    return ((softmax(x) - asked) * weight).reshape(logits.shape)


def _counted(logits, targets, ignore_index, reduction):
    """Logits (B T, N), class numbers (B T,), which count (B T, 1), and the share of each."""
    flat = np.reshape(targets, -1)
    counted = _counts(flat, ignore_index)
    share = 1 / max(int(np.count_nonzero(counted)), 1) if reduction == "mean" else 1.0
    return rows(logits), flat * counted, counted[:, None], share


def _check_targets(shape, targets, ignore_index, reduction, label_smoothing=0.0) -> None:
    if targets.shape != shape[:-1]:
        raise errors.ShapeError(
            f"scores of shape {shape} ask for targets of shape {shape[:-1]}, not {targets.shape}"
        )
    counting = targets if ignore_index is None else targets[targets != ignore_index]
    _check_numbers(counting, shape[-1], "target")
    if not 0 <= label_smoothing <= 1:
        raise errors.ConfigError(f"label_smoothing is a share from 0 to 1, not {label_smoothing}")
    _check_reduction(reduction)


def _counts(targets, ignore_index):
    return np.full(targets.shape, True) if ignore_index is None else targets != ignore_index


def _check_numbers(ids: np.ndarray, N: int, name: str) -> None:
    if ids.dtype.kind not in "iu":
        raise errors.DTypeError(f"a {name} is an integer from 0 to {N - 1}, not {ids.dtype}")
    if ids.size and not (ids.min() >= 0 and ids.max() < N):
        wrong = ids[(ids < 0) | (ids >= N)].ravel()[0]
        raise errors.ShapeError(f"a {name} is an integer from 0 to {N - 1}, not {wrong}")


def _check_reduction(reduction) -> None:
    if reduction not in ("mean", "sum", "none"):
        raise errors.ConfigError(f"reduction is 'mean', 'sum' or 'none', not {reduction!r}")


def _reduced(loss, reduction, count):
    """The losses apart, their sum, or that over how many there are: the mean of none is 0."""
    if reduction == "none":
        return loss
    return np.sum(loss) / max(count, 1) if reduction == "mean" else np.sum(loss)


@composition
def nll_loss(
    log_p: Any, targets: Any, *, ignore_index: int | None = None, reduction: str = "mean"
) -> Any:
    """Minus the logarithm of the probability that the right classes were given.

    Args:
        log_p: `(..., N)`, logarithms of probabilities, such as `log_softmax` gives.
        targets, ignore_index, reduction: as for `cross_entropy`.

    Raises:
        ShapeError, DTypeError, ConfigError: as `cross_entropy`.
    """
    targets = np.asarray(targets)
    _check_targets(log_p.shape, targets, ignore_index, reduction)
    counted = _counts(targets, ignore_index)
    ids = np.where(counted, targets, 0)[..., None]  # (..., 1)
    loss = -np.take_along_axis(log_p, ids, axis=-1)[..., 0]  # (...)
    return _reduced(np.where(counted, loss, 0), reduction, int(counted.sum()))


@composition
def mse_loss(predicted: Any, targets: Any, *, reduction: str = "mean") -> Any:
    """The squares of the differences of two arrays of one shape.

    Args:
        predicted, targets: of one shape.
        reduction: "mean" over all elements, "sum", or "none". The mean of none is 0.

    Raises:
        ShapeError: if the shapes differ; broadcasting here is nearly always a mistake.
        ConfigError: for another reduction.
    """
    _check_pair(predicted, targets, reduction)
    return _reduced(np.square(predicted - targets), reduction, predicted.size)


@composition
def binary_cross_entropy_with_logits(logits: Any, targets: Any, *, reduction: str = "mean") -> Any:
    """How surprised a model is by the right answers to questions of yes or no, in nats.

    Args:
        logits: of any shape, one for each question; `sigmoid` makes probabilities of them.
        targets: of that shape, from 0 to 1.
        reduction: "mean" over all elements, "sum", or "none". The mean of none is 0.

    Raises:
        ShapeError: if the shapes differ.
        ConfigError: for another reduction.
    """
    _check_pair(logits, targets, reduction)
    return _reduced((1 - targets) * logits + softplus(-logits), reduction, logits.size)


def _check_pair(values, targets, reduction) -> None:
    if np.shape(values) != np.shape(targets):
        raise errors.ShapeError(
            f"targets have the shape of what they are compared with: {np.shape(values)}, "
            f"not {np.shape(targets)}"
        )
    _check_reduction(reduction)


# --- regularisation, normalisation ----------------------------------------------------------------


@composition
def dropout(x: Any, p: float, training: bool = True, rng: np.random.Generator | None = None) -> Any:
    """Each element zeroed with probability `p`, the others divided by 1 - p; `x` itself otherwise
    (Srivastava et al., 2014)."""
    if not 0 <= p < 1:
        raise errors.ConfigError(f"the probability of dropout is from 0 to below 1, not {p}")
    if not training or p == 0:
        return x
    kept = generator(rng).random(x.shape, dtype=np.float32) >= p
    return x * kept * (1 / (1 - p))


@composition
def standardize(x: Any, axis: int = -1, eps: float = 1e-5) -> Any:
    """`x` less its mean, over its standard deviation, along `axis` (Ba et al., 2016, equation 3)."""
    deviation = x - np.mean(x, axis=axis, keepdims=True)
    variance = np.mean(deviation * deviation, axis=axis, keepdims=True)
    return deviation / np.sqrt(variance + eps)


@composition
def layer_norm(x: Any, gain: Any, bias: Any, eps: float = 1e-5) -> Any:
    """standardize(x) gain + bias: x is (..., D), and each of its D columns has a gain and a bias (D,)
    (Ba et al., 2016, equation 4)."""
    return standardize(x, eps=eps) * gain + bias


def layer_norm_slopes(g, y, x, gain, bias, eps=1e-5, kept=None):
    """The gradients of `layer_norm`. Of g gain, x gets what is left without its mean and its part
    along the standardised rows."""
    z, scale = kept or standardized(rows(x), eps)
    g, share = rows(g), (gain / x.shape[-1])[:, None]
    along = g * z
    of_gain, of_bias = column_sums(along), column_sums(g)
    slope = g * gain
    slope -= g @ share  # (n, 1)
    slope -= z * (along @ share)
    slope *= scale
    return slope.reshape(x.shape), of_gain, of_bias


@kernel(
    layer_norm,
    lambda x, gain, bias, eps=1e-5: in_rows(x) and gain.shape == bias.shape == x.shape[-1:],
    *together(layer_norm_slopes, 3),
)
def _(x, gain, bias, eps=1e-5, kept=None):
    z, scale = standardized(rows(x), eps)
    if kept is not None:
        kept += z, scale
    return with_bias(z * gain, bias).reshape(x.shape)


def standardized(x: Any, eps: float) -> tuple[Any, Any]:
    """The rows of a matrix brought to mean 0 and variance 1, and the factor of each (n, 1)."""
    share = 1 / x.shape[1]
    z = x - row_sums(x) * share
    scale = 1 / np.sqrt(row_products(z, z) * share + eps)
    z *= scale
    return z, scale


@composition
def embedding(table: Any, ids: Any) -> Any:
    """The rows of `table` (N, D) named by integers `ids` (...): shape (..., D).

    Raises:
        DTypeError, ShapeError: if the ids are no integers, or not from 0 to N - 1.
    """
    ids = ids.data if isinstance(ids, Tensor) else as_array(ids)
    _check_numbers(ids, table.shape[0], "symbol")
    return table[ids]


def one_hot(ids: Any, N: int) -> np.ndarray:
    """An array (..., N) of the default dtype: 1 where `ids` (...) says, 0 elsewhere.

    Raises:
        DTypeError, ShapeError: if the ids are no integers, or not from 0 to N - 1.
    """
    ids = np.asarray(ids)
    _check_numbers(ids, N, "class")
    return np.equal(ids[..., None], np.arange(N)).astype(get_default_dtype())


@composition
def linear(x: Any, weight: Any, bias: Any | None = None) -> Any:
    """x W + b: x (..., in), weight (in, out), bias (out,); the result is (..., out)."""
    y = x @ weight  # (..., out)
    return y if bias is None else y + bias


def is_linear(x: Any, weight: Any, bias: Any = None, heads: int = 1) -> bool:
    """Whether the kernels below can compute it: weight (in, out), bias (out,)."""
    return in_rows(x) and weight.ndim == 2 and (bias is None or bias.ndim == 1)


@kernel(
    linear,
    is_linear,
    lambda g, y, x, weight, bias=None: (rows(g) @ weight.T).reshape(x.shape),
    lambda g, y, x, weight, bias=None: rows(x).T @ rows(g),
    lambda g, y, x, weight, bias=None: column_sums(g),
)
def _(x, weight, bias=None):
    return one_product(rows(x), weight, bias).reshape(*x.shape[:-1], -1)


def one_product(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    """x W + b of matrices: one product for the whole batch."""
    y = x @ weight
    return y if bias is None else with_bias(y, bias)


def with_bias(y: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """y + b, in the memory of y if their dtype is one."""
    return np.add(y, bias, out=y if y.dtype is bias.dtype else None)


@composition
def products(a: Any, b: Any, factor: float = 1.0) -> Any:
    """The product of every row of a with every row of b, times a factor: factor a b^T.

    a is (..., n, k) and b (..., m, k); the result is (..., n, m).
    """
    return (a if factor == 1.0 else a * factor) @ np.swapaxes(b, -1, -2)


@kernel(
    products,
    lambda a, b, factor=1.0: in_rows(a) and in_rows(b) and a.ndim > 1 and b.ndim > 1,
    lambda g, y, a, b, factor=1.0: (g * factor) @ b,
    lambda g, y, a, b, factor=1.0: np.swapaxes(g, -1, -2) @ (a * factor),
)
def _(a, b, factor=1.0):
    return (a * factor) @ b.swapaxes(-1, -2)


@composition
def split_heads(x: Any, heads: int) -> Any:
    """The last axis cut into heads, which are put before the positions: (..., T, H K) to
    (..., H, T, K)."""
    *lead, T, HK = x.shape
    return np.swapaxes(np.reshape(x, (*lead, T, heads, HK // heads)), -3, -2)


@composition
def join_heads(x: Any) -> Any:
    """The heads beside each other again: (..., H, T, K) to (..., T, H K), undoing `split_heads`."""
    *lead, H, T, K = x.shape
    return np.reshape(np.swapaxes(x, -3, -2), (*lead, T, H * K))


@composition
def linear_to_heads(x: Any, weight: Any, bias: Any | None, heads: int) -> Any:
    """`linear`, and then its result cut into heads: (..., T, in) to (..., H, T, out / H)."""
    return split_heads(linear(x, weight, bias), heads)


def to_heads_slopes(g, y, x, weight, bias, heads):
    g = rows(join_heads(g))  # it is copied once for all three
    return (g @ weight.T).reshape(x.shape), rows(x).T @ g, column_sums(g)


@kernel(
    linear_to_heads,
    lambda x, weight, bias, heads: is_linear(x, weight, bias) and x.ndim > 1,
    *together(to_heads_slopes, 3),
)
def _(x, weight, bias, heads):
    y = one_product(rows(x), weight, bias)
    return y.reshape(*x.shape[:-1], heads, -1).swapaxes(-3, -2)


@composition
def linear_of_heads(heads: Any, weight: Any, bias: Any | None) -> Any:
    """Heads beside each other again, and then `linear`: (..., H, T, V) to (..., T, out)."""
    return linear(join_heads(heads), weight, bias)


def of_heads_slopes(g, y, heads, weight, bias):
    g, joined = rows(g), join_heads(heads)
    of_heads = split_heads((g @ weight.T).reshape(joined.shape), heads.shape[-3])
    return of_heads, rows(joined).T @ g, column_sums(g)


@kernel(
    linear_of_heads,
    lambda heads, weight, bias: is_linear(heads, weight, bias) and heads.ndim > 2,
    *together(of_heads_slopes, 3),
)
def _(heads, weight, bias):
    *lead, H, T, V = heads.shape
    y = one_product(heads.swapaxes(-3, -2).reshape(-1, H * V), weight, bias)
    return y.reshape(*lead, T, -1)


@composition
def masked_fill(x: Any, mask: Any, value: float) -> Any:
    """`x` with `value` where the boolean `mask`, which broadcasts to its shape, is True."""
    return np.where(mask, value, x)
