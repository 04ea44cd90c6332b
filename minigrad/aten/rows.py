"""The table: ATen's functions in minigrad's.

    ROWS["lerp"] = lambda self, end, weight: self + weight * (end - self)

A row has the names of ATen's arguments, in ATen's order, and gives what ATen's function gives: a
Tensor, or a list of them where that gives several, with None for one that has no gradient and is not
worth a row. It needs no argument that stays at its default, and no `dtype`: the result is converted to
PyTorch's. It has to take every other argument: one that it does not take is an error. A row that names
`theirs` is given PyTorch's own results, as arrays: it may take from these what has no gradient, such as
the places of maxima.

`foo` stands for all overloads of ATen's `foo`, unless `foo.overload` has a row; and for `foo_`, which
writes the result into its first argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import functional as F
from ..definitions.elementwise import clamp
from ..engine.rules import scatter_add
from ..engine.tensor import Tensor, tensor_of

ROWS: dict[str, Callable[..., Any]] = {}


def row(*names: str) -> Callable[[Callable], Callable]:
    """Enter the decorated function into the table under some names of ATen's."""

    def enter(function: Callable) -> Callable:
        ROWS.update(dict.fromkeys(names, function))
        return function

    return enter


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
    "add": lambda self, other, alpha=1: self + _times(alpha, other),
    "sub": lambda self, other, alpha=1: self - _times(alpha, other),
    "rsub": lambda self, other, alpha=1: other - _times(alpha, self),
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
    "addcmul": lambda self, tensor1, tensor2, value=1: self + _times(value, tensor1 * tensor2),
    "addcdiv": lambda self, tensor1, tensor2, value=1: self + _times(value, tensor1 / tensor2),
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


def _times(factor: Any, x: Any) -> Any:
    return x if isinstance(factor, (int, float)) and factor == 1 else factor * x


def _rounded(x: Any, rounding_mode: str | None) -> Any:
    kinds: dict[str | None, Callable] = {None: _same, "floor": np.floor, "trunc": np.trunc}
    return kinds[rounding_mode](x)


def _same(x: Any) -> Any:
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
    "mish": lambda self: self * np.tanh(F.softplus(self)),
    "_prelu_kernel": lambda self, weight: np.where(np.greater(self, 0), self, self * weight),
    "_softmax": lambda self, dim, half_to_float: F.softmax(self, dim),
    "_safe_softmax": lambda self, dim: F.softmax(self, dim),
    "_log_softmax": lambda self, dim, half_to_float: F.log_softmax(self, dim),
    "logsumexp": lambda self, dim, keepdim=False: F.logsumexp(self, _axes(dim), keepdim),
    "glu": lambda self, dim=-1: _glu(*np.split(self, 2, dim)),
}  # fmt: skip


def _between(x: Any, low: float, high: float) -> Any:
    """`clamp`, with no gradient at the bounds themselves."""
    inside = np.logical_and(np.greater(x, low), np.less(x, high))
    return np.where(inside, x, np.clip(x.detach(), low, high))


def _glu(a: Any, b: Any) -> Any:
    return a * F.sigmoid(b)


@row("elu")
def _elu(self, alpha=1, scale=1, input_scale=1):
    if input_scale == 1:
        return _times(scale, F.elu(self, alpha))
    positive = np.greater(self, 0)
    negative = alpha * np.expm1(input_scale * np.where(positive, 0.0, self))
    return _times(scale, np.where(positive, self, negative))


# --- sums and their kin -----------------------------------------------------------------------------


def _axes(dim: int | Sequence[int] | None) -> Any:
    """ATen's axes as NumPy's: none at all are all of them."""
    if dim is None or isinstance(dim, int):
        return dim
    return (tuple(dim) if len(dim) > 1 else dim[0]) if len(dim) else None


ROWS |= {
    "sum": lambda self, dim=None, keepdim=False: np.sum(self, _axes(dim), keepdims=keepdim),
    "nansum": lambda self, dim=None, keepdim=False: np.nansum(self, _axes(dim), keepdims=keepdim),
    "mean": lambda self, dim=None, keepdim=False: np.mean(self, _axes(dim), keepdims=keepdim),
    "amax": lambda self, dim=(), keepdim=False: np.max(self, _axes(dim), keepdims=keepdim),
    "amin": lambda self, dim=(), keepdim=False: np.min(self, _axes(dim), keepdims=keepdim),
    "max": lambda self: np.max(self),
    "min": lambda self: np.min(self),
    "prod": lambda self, dim=None, keepdim=False: np.prod(self, dim, keepdims=keepdim),
    "all": lambda self, dim=None, keepdim=False: np.all(self, _axes(dim), keepdims=keepdim),
    "any": lambda self, dim=None, keepdim=False: np.any(self, _axes(dim), keepdims=keepdim),
    "argmax": lambda self, dim=None, keepdim=False: np.argmax(self, dim, keepdims=keepdim),
    "argmin": lambda self, dim=None, keepdim=False: np.argmin(self, dim, keepdims=keepdim),
    "cumsum": lambda self, dim: np.cumsum(self, dim),
    "cumprod": lambda self, dim: np.cumprod(self, dim),
    "var": lambda self, dim=None, correction=1, keepdim=False: np.var(
        self, _axes(dim), ddof=correction, keepdims=keepdim
    ),
    "std": lambda self, dim=None, correction=1, keepdim=False: np.std(
        self, _axes(dim), ddof=correction, keepdims=keepdim
    ),
    "var_mean": lambda self, dim=None, correction=1, keepdim=False: [
        ROWS["var"](self, dim, correction, keepdim), ROWS["mean"](self, dim, keepdim)
    ],
    "std_mean": lambda self, dim=None, correction=1, keepdim=False: [
        ROWS["std"](self, dim, correction, keepdim), ROWS["mean"](self, dim, keepdim)
    ],
    "linalg_vector_norm": lambda self, ord=2, dim=None, keepdim=False: np.linalg.vector_norm(
        self, axis=_axes(dim), keepdims=keepdim, ord=ord
    ),
}  # fmt: skip


def _at(self: Any, places: Any, dim: int, keepdim: bool) -> list:
    """Take from each row the elements that PyTorch chose, at `places`."""
    if not self.ndim:
        return [self, None]
    y = np.take_along_axis(self, places if keepdim else np.expand_dims(places, dim), dim)
    return [y if keepdim else np.squeeze(y, dim), None]


@row("max.dim", "min.dim", "median.dim", "nanmedian.dim", "mode")
def _chosen(self, dim=-1, keepdim=False, *, theirs):
    return _at(self, theirs[1], dim, keepdim)


ROWS |= {
    "kthvalue": lambda self, k, dim=-1, keepdim=False, *, theirs: _at(
        self, theirs[1], dim, keepdim
    ),
    "topk": lambda self, k, dim=-1, largest=True, sorted=True, *, theirs: _at(
        self, theirs[1], dim, True
    ),
    "sort": lambda self, dim=-1, descending=False, stable=None, *, theirs: _at(
        self, theirs[1], dim, True
    ),
}


# --- products ---------------------------------------------------------------------------------------


def _forms(x: Any) -> list:
    """`x`, and what it is a reshape of, nearest first.

    ATen's `matmul` reshapes its arguments to three axes, or two, and the product back. By this,
    `q @ k.mT` and `x @ w` are one product here too.
    """
    forms = [x]
    node = getattr(x, "_node", None)
    while node is not None and node.note is not None and node.operation is not None:
        if node.operation.function is not np.reshape:
            break
        (source, *_), (array, *_) = node.note.sources, node.note.args
        if source is None or source.requires_grad != node.requires_grad:
            break
        forms.append(tensor_of(array, source))
        node = source
    return forms


def _reshaped(x: Any, size: Sequence[int]) -> Any:
    """Reshape; where that undoes an earlier reshape, give what stood before it."""
    sizes = list(size)
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.size // max(1, -math.prod(sizes))
    same = (form for form in _forms(x) if form.shape == tuple(sizes))
    form = next(same, None)
    return np.reshape(x, tuple(sizes)) if form is None else form


def _product(a: Any, b: Any) -> Any:
    """a @ b of two matrices, or two stacks of these, by their forms before ATen's reshapes."""
    pairs = [(rows, b) for rows in _forms(a)[1:] if rows.shape[-1:] == a.shape[-1:]]
    if a.ndim == 3:
        rows = [form for form in _forms(a)[1:] if form.shape[-2:] == a.shape[-2:]]
        columns = [form for form in _forms(b)[1:] if form.shape[-2:] == b.shape[-2:]]
        pairs = [(x, y) for x in rows for y in columns if x.shape[:-2] == y.shape[:-2]]
    pairs = [(x, y) for x, y in pairs if x.ndim > a.ndim]
    rows, columns = pairs[0] if pairs else (a, b)
    return _reshaped(np.matmul(rows, columns), (*a.shape[:-1], b.shape[-1]))


def _plus(product: Any, other: Any, beta: float, alpha: float) -> Any:
    """beta other + alpha product."""
    forms = _forms(product)
    added = forms[1] if len(forms) > 1 and other.ndim <= 1 else product  # a bias, of the columns
    return _reshaped(_times(alpha, added) + _times(beta, other), product.shape)


ROWS |= {
    "mm": lambda self, mat2: _product(self, mat2),
    "bmm": lambda self, mat2: _product(self, mat2),
    "mv": lambda self, vec: np.matmul(self, vec),
    "dot": lambda self, tensor: np.matmul(self, tensor),
    "vdot": lambda self, other: np.matmul(self, other),
    "addmm": lambda self, mat1, mat2, beta=1, alpha=1: _plus(
        _product(mat1, mat2), self, beta, alpha
    ),
    "baddbmm": lambda self, batch1, batch2, beta=1, alpha=1: _plus(
        _product(batch1, batch2), self, beta, alpha
    ),
    "addbmm": lambda self, batch1, batch2, beta=1, alpha=1: _plus(
        np.sum(np.matmul(batch1, batch2), axis=0), self, beta, alpha
    ),
    "addmv": lambda self, mat, vec, beta=1, alpha=1: (
        _times(alpha, np.matmul(mat, vec)) + _times(beta, self)
    ),
    "addr": lambda self, vec1, vec2, beta=1, alpha=1: (
        _times(alpha, np.outer(vec1, vec2)) + _times(beta, self)
    ),
}


# --- shapes: results that share PyTorch's memory, and others ----------------------------------------

ROWS |= {
    "alias": _same, "clone": _same, "contiguous": _same, "detach": _same, "lift_fresh": _same,
    "lift_fresh_copy": _same, "_to_copy": _same, "view": _reshaped, "_unsafe_view": _reshaped,
    "reshape": _reshaped, "_reshape_alias": lambda self, size, stride: _reshaped(self, size),
    "copy": lambda self, src: np.broadcast_to(src, self.shape) if src.shape != self.shape else src,
    "as_strided": lambda self, size, stride, storage_offset=None: None,  # is read from the storage
    "unfold": lambda self, dimension, size, step: None,
    "t": lambda self: np.transpose(self) if self.ndim > 1 else self,
    "transpose": lambda self, dim0, dim1: np.swapaxes(self, dim0, dim1) if self.ndim else self,
    "permute": lambda self, dims: np.transpose(self, dims),
    "unsqueeze": lambda self, dim: np.expand_dims(self, dim),
    "select": lambda self, dim, index: self[_along(dim, index, self.ndim)],
    "slice": lambda self, dim=0, start=None, end=None, step=1: self[
        _along(dim, slice(start, end, step), self.ndim)
    ] if (start or 0, step) != (0, 1) or (end or 0) < self.shape[dim] else self,
    "unbind": lambda self, dim=0: [
        self[_along(dim, i, self.ndim)] for i in range(self.shape[dim])
    ],
    "diagonal": lambda self, offset=0, dim1=0, dim2=1: np.diagonal(self, offset, dim1, dim2),
    "cat": lambda tensors, dim=0: np.concatenate([a for a in tensors if a.shape != (0,)], dim),
    "stack": lambda tensors, dim=0: np.stack(tensors, dim),
    "flip": lambda self, dims: np.flip(self, tuple(dims)),
    "roll": lambda self, shifts, dims=(): np.roll(self, tuple(shifts), tuple(dims) or None)
    if dims else np.reshape(np.roll(np.reshape(self, (-1,)), shifts[0]), self.shape),
    "repeat": lambda self, repeats: np.tile(self, tuple(repeats)),
    "tril": lambda self, diagonal=0: np.tril(self, diagonal),
    "triu": lambda self, diagonal=0: np.triu(self, diagonal),
}  # fmt: skip


def _along(axis: int, index: Any, ndim: int) -> tuple:
    """The index that is `index` along one axis, and everything along the others."""
    return (slice(None),) * (axis % ndim) + (index,)


@row("expand")
def _expand(self, size, implicit=False):
    missing = len(size) - self.ndim
    shape = tuple([self.shape[i - missing] if n == -1 else n for i, n in enumerate(size)])
    return self if shape == self.shape else np.broadcast_to(self, shape)


@row("squeeze")
def _squeeze(self, dim=None):
    axes = range(self.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    axes = tuple([d for d in axes if self.ndim and self.shape[d] == 1])
    return np.squeeze(self, axes) if axes else self


@row("split", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes")
def _split(self, sizes, dim=0):
    n = self.shape[dim]
    ends = (
        np.cumsum(sizes).tolist()
        if not isinstance(sizes, int)
        else [min(n, k + sizes) for k in range(0, max(n, 1), sizes or 1)]
    )
    return [self[_along(dim, slice(a, b), self.ndim)] for a, b in zip([0, *ends], ends)]


@row("constant_pad_nd")
def _pad(self, pad, value=0):
    pairs = [(0, 0)] * (self.ndim - len(pad) // 2) + [*zip(pad[::2], pad[1::2])][::-1]
    kept = tuple([slice(max(0, -a), n - max(0, -b)) for (a, b), n in zip(pairs, self.shape)])
    positive = [(max(0, a), max(0, b)) for a, b in pairs]
    cut = self[kept] if any(n < 0 for n in pad) else self
    return np.pad(cut, positive, constant_values=value)


# --- chosen elements --------------------------------------------------------------------------------

ROWS |= {
    "index_select": lambda self, dim, index: (
        self[_along(dim, index, self.ndim)] if self.ndim else self
    ),
    "gather": lambda self, dim, index, sparse_grad=False: (
        np.take_along_axis(self, index, dim)
        if self.ndim and self.ndim == index.ndim and _covers(self, index, dim)
        else _gathered(self, dim, index)
    ),
    "index": lambda self, indices: self[tuple([slice(None) if i is None else i for i in indices])],
    "masked_select": lambda self, mask: (
        self[mask] if self.shape == mask.shape else np.broadcast_to(self, mask.shape)[mask]
    ),
}


def _covers(self, index, dim):
    """Tell whether both have the same sizes, except along `dim`."""
    return all(
        n == m for k, (n, m) in enumerate(zip(self.shape, index.shape)) if k != dim % self.ndim
    )


def _gathered(self, dim, index):
    if not self.ndim:
        return np.broadcast_to(self, index.shape)
    return self[_grid(index, dim)]


@row("embedding")
def _embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    if scale_grad_by_freq:
        raise NotImplementedError("scale_grad_by_freq=True")
    if padding_idx >= 0:  # this row does not learn
        still = np.equal(np.arange(weight.shape[0]), padding_idx)[:, None]
        weight = np.where(still, weight.detach(), weight)
    return F.embedding(weight, indices)


def put(flat: Any, places: np.ndarray, values: Any) -> Any:
    """`flat` (N,) with `values` at `places`: integers, as many as there are values."""
    values, places = np.reshape(values, (-1,)), places.ravel()
    if not places.size:
        return flat
    first, end = int(places[0]), int(places[-1]) + 1
    if end - first == places.size and (np.diff(places) == 1).all():
        return np.concatenate([flat[:first], values, flat[end:]])
    source = np.full(flat.shape, -1)
    source[places] = np.arange(places.size)
    return np.where(source >= 0, values[np.maximum(source, 0)], flat)


def _put(x: Any, index: tuple, values: Any) -> Any:
    """`x` with `values`, which are broadcast, at an index as NumPy's."""
    places = np.arange(x.size).reshape(x.shape)[tuple(map(_plain, index))]
    values = np.broadcast_to(values, places.shape)
    return np.reshape(put(np.reshape(x, (-1,)), places, values), x.shape)


def _plain(index: Any) -> Any:
    return np.asarray(index) if isinstance(index, Tensor) else index


def _grid(index: Any, dim: int) -> tuple:
    """ATen's index along one axis, for `scatter` and its kin, as NumPy's."""
    grid = list(np.indices(index.shape, sparse=True))
    grid[dim] = np.asarray(index)
    return tuple(grid)


def _first(values: Any, shape: tuple[int, ...]) -> Any:
    """The part of `values` that `scatter` reads; of a number, as many."""
    if not hasattr(values, "shape"):
        return np.full(shape, values)
    return values[tuple(map(slice, shape))] if values.shape != shape else values


def _added(x: Any, index: tuple, values: Any) -> Any:
    values = values if isinstance(values, Tensor) else np.asarray(values, x.dtype)
    return x + scatter_add(values, tuple(map(_plain, index)), x.shape)


@row("index_put", "_unsafe_index_put")
def _index_put(self, indices, values, accumulate=False):
    index = tuple([slice(None) if i is None else _plain(i) for i in indices])
    if not accumulate:
        return _put(self, index, values)
    shape = np.empty(self.shape, bool)[index].shape
    return _added(self, index, np.broadcast_to(values, shape))


ROWS |= {
    "zero": lambda self: np.zeros_like(self),
    "fill": lambda self, value: np.broadcast_to(value, self.shape) if isinstance(value, Tensor)
    else np.full_like(self, value),
    "scatter": lambda self, dim, index, src: _put(self, _grid(index, dim), _first(src, index.shape)),
    "scatter_add": lambda self, dim, index, src: _added(
        self, _grid(index, dim), _first(src, index.shape)
    ),
    "index_add": lambda self, dim, index, source, alpha=1: _added(
        self, _along(dim, index, self.ndim), _times(alpha, source)
    ),
    "index_copy": lambda self, dim, index, source: _put(
        self, _along(dim, index, self.ndim), source
    ),
    "index_fill": lambda self, dim, index, value: _put(self, _along(dim, index, self.ndim), value),
    "select_scatter": lambda self, src, dim, index: _put(self, _along(dim, index, self.ndim), src),
    "slice_scatter": lambda self, src, dim=0, start=None, end=None, step=1: _put(
        self, _along(dim, slice(start, end, step), self.ndim), src
    ),
}  # fmt: skip


# --- layers and losses ------------------------------------------------------------------------------


@row("native_layer_norm")
def _layer_norm(input, normalized_shape, weight, bias, eps):
    if len(normalized_shape) == 1 and weight is not None and bias is not None:
        return [F.layer_norm(input, weight, bias, eps), None, None]
    axes = len(normalized_shape)
    rows = _reshaped(input, (*input.shape[: input.ndim - axes], math.prod(normalized_shape)))
    y = _reshaped(F.standardize(rows, eps=eps), input.shape)
    return [_scaled(y, weight, bias), None, None]


def _scaled(y: Any, weight: Any, bias: Any) -> Any:
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


@row("_weight_norm_interface")
def _weight_norm(v, g, dim=0):
    axes = tuple([k for k in range(v.ndim) if k != dim % v.ndim])
    size = np.linalg.vector_norm(v, axis=axes, keepdims=True)
    return [v * (g / size), None]


@row("native_group_norm")
def _group_norm(input, weight, bias, N, C, HxW, group, eps):
    rows = np.reshape(input, (N, group, C // group * HxW))
    y = np.reshape(F.standardize(rows, eps=eps), input.shape)
    return [_scaled(y, *_channels(input.ndim, weight, bias)), None, None]


def _channels(ndim: int, *vectors: Any) -> list:
    """Vectors of numbers, one a channel, so that they broadcast along the second of `ndim` axes."""
    shape = (-1, *[1] * (ndim - 2))
    return [v if v is None else np.reshape(v, shape) for v in vectors]


@row("native_batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit.no_stats")
def _batch_norm(input, weight, bias, *rest):
    *running, training, _momentum, eps = rest
    if training:
        axes = (0, *range(2, input.ndim))
        mean = np.mean(input, axis=axes, keepdims=True)
        variance = np.mean(np.square(input - mean), axis=axes, keepdims=True)
    else:
        mean, variance = _channels(input.ndim, *running)
    y = (input - mean) / np.sqrt(variance + eps)
    return [_scaled(y, *_channels(input.ndim, weight, bias)), None, None]


@row("_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_attention_math")
def _attention(query, key, value, dropout_p=0.0, is_causal=False, attn_mask=None, scale=None):
    if dropout_p:
        raise NotImplementedError("dropout_p above 0")
    scores = np.matmul(query, np.swapaxes(key, -2, -1)) * (scale or query.shape[-1] ** -0.5)
    if is_causal:
        allowed = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
        return [np.matmul(F.masked_softmax(scores, allowed), value), None]
    if attn_mask is not None and attn_mask.dtype == bool:
        return [np.matmul(F.masked_softmax(scores, attn_mask), value), None]
    weights = F.softmax(scores if attn_mask is None else scores + attn_mask)
    return [np.matmul(weights, value), None]


REDUCTIONS = "none", "mean", "sum"  # by ATen's numbers


@row("nll_loss_forward", "nll_loss2d_forward")
def _nll_loss(self, target, weight, reduction, ignore_index):
    target = np.asarray(target)
    log_p = np.moveaxis(self, 1, -1) if self.ndim > 2 else self
    kind = REDUCTIONS[reduction]
    if weight is None:
        return [F.nll_loss(log_p, target, ignore_index=ignore_index, reduction=kind), None]
    counted = np.not_equal(target, ignore_index)
    weights = np.where(counted, weight[np.where(counted, target, 0)], 0.0)
    loss = weights * F.nll_loss(log_p, target, ignore_index=ignore_index, reduction="none")
    if kind == "none":
        return [loss, None]
    return [np.sum(loss) / np.sum(weights) if kind == "mean" else np.sum(loss), None]


def _reduced(loss: Any, reduction: int) -> Any:
    return (_same, np.mean, np.sum)[reduction](loss)


ROWS |= {
    "mse_loss": lambda self, target, reduction=1: _reduced(np.square(self - target), reduction),
    "smooth_l1_loss": lambda self, target, reduction=1, beta=1.0: _reduced(
        _huber(np.absolute(self - target), beta) / beta, reduction
    ),
    "huber_loss": lambda self, target, reduction=1, delta=1.0: _reduced(
        _huber(np.absolute(self - target), delta), reduction
    ),
    "binary_cross_entropy": lambda self, target, weight=None, reduction=1: _reduced(
        _times(1 if weight is None else weight, _bernoulli(self, target)), reduction
    ),
    "binary_cross_entropy_with_logits": lambda self, target, weight=None, pos_weight=None, reduction=1: (
        _reduced(
            _times(1 if weight is None else weight, _logistic(self, target, pos_weight)), reduction
        )
    ),
}


def _huber(size: Any, delta: float) -> Any:
    """size^2 / 2 up to delta, a straight line beyond."""
    return np.where(np.less(size, delta), 0.5 * np.square(size), delta * (size - 0.5 * delta))


def _bernoulli(p: Any, target: Any) -> Any:
    return -(target * _log(p) + (1 - target) * _log(1 - p))


def _log(p: Any) -> Any:
    """log p, at least -100."""
    return np.maximum(np.log(p), -100.0)


def _logistic(x: Any, target: Any, pos_weight: Any) -> Any:
    weight = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    return (1 - target) * x + _times(weight, F.softplus(-x))


# --- convolutions and pools -------------------------------------------------------------------------


def _windows(
    x: Any, size: Sequence[int], stride: Any, padding: Any, dilation: Any, fill: float
) -> Any:
    """The windows over the last axes of `x` (B, C, ...): (B, C, *places, *size)."""
    n = len(size)
    if any(padding):
        x = np.pad(x, [(0, 0)] * (x.ndim - n) + [(p, p) for p in padding], constant_values=fill)
    index: list[Any] = [...]
    for k in range(n):
        places = (x.shape[k - n] - dilation[k] * (size[k] - 1) - 1) // stride[k] + 1
        starts, steps = np.arange(places) * stride[k], np.arange(size[k]) * dilation[k]
        shape = [1] * (2 * n)
        shape[k], shape[n + k] = places, size[k]
        index.append((starts[:, None] + steps).reshape(shape))
    return x[tuple(index)]


@row("convolution")
def _convolution(
    input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
):
    if transposed:
        raise NotImplementedError("transposed=True")
    n = weight.ndim - 2
    windows = _windows(input, weight.shape[2:], stride, padding, dilation, 0.0)
    B, C, *places = windows.shape[: 2 + n]
    grouped = np.reshape(windows, (B, groups, C // groups, *windows.shape[2:]))
    filters = np.reshape(weight, (groups, -1, *weight.shape[1:]))
    at, of = "xyz"[:n], "uvw"[:n]
    y = np.einsum(f"bgc{at}{of},goc{of}->bgo{at}", grouped, filters)
    y = np.reshape(y, (B, weight.shape[0], *places))
    return y if bias is None else y + _channels(y.ndim, bias)[0]


@row("max_pool2d_with_indices")
def _max_pool(self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False, *, theirs):
    places = theirs[1]
    flat = np.reshape(self, (*self.shape[:-2], -1))
    rows = np.reshape(places, (*places.shape[:-2], -1))
    return [np.reshape(np.take_along_axis(flat, rows, -1), places.shape), None]


def _pair(sizes: Any) -> list[int]:
    sizes = [sizes] if isinstance(sizes, int) else list(sizes)
    return sizes * 2 if len(sizes) == 1 else sizes


@row("avg_pool2d")
def _avg_pool(self, kernel_size, stride=(), padding=0):
    size = _pair(kernel_size)
    windows = _windows(self, size, _pair(stride or size), _pair(padding), [1, 1], 0.0)
    return np.mean(windows, axis=(-2, -1))


@row("_adaptive_avg_pool2d")
def _adaptive(self, output_size):
    size = [n // m for n, m in zip(self.shape[-2:], output_size)]
    if any(n % m for n, m in zip(self.shape[-2:], output_size)):
        raise NotImplementedError("windows of different sizes")
    return np.mean(_windows(self, size, size, [0, 0], [1, 1], 0.0), axis=(-2, -1))
