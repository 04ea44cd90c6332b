"""Products, and what is found of matrices: inverses, determinants, norms."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import string
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..engine.base import AnyArray
from ..engine.rules import scatter_add, transposed
from ..engine.table import definition, rule
from .axes import as_arrays, axes_of, axis_of, largest, on_diagonal, product_of_others
from .half import in_single
from .reductions import root

# fmt: off
rule(np.vecdot,     lambda g, _y, _a, b: g[..., None] * b,
                    lambda g, _y, a, _b: g[..., None] * a)
rule(np.linalg.inv, lambda g, y, _a: -transposed(y) @ g @ transposed(y))
rule(np.linalg.det, lambda g, _y, a: g[..., None, None] * cofactors(a))
rule(np.linalg.solve,
                    lambda g, y, a, _b: -outer_last(solve_transposed(a, g, _b.ndim), y, _b.ndim),
                    lambda g, _y, a, _b: solve_transposed(a, g, _b.ndim))
# fmt: on


def solve_transposed(a: AnyArray, g: AnyArray, ndim: int) -> AnyArray:
    """The solution x of a^T x = g, for a matrix of right-hand sides or a single one."""
    if ndim == 1:
        return np.linalg.solve(transposed(a), g[..., None])[..., 0]
    return np.linalg.solve(transposed(a), g)


def outer_last(a: AnyArray, b: AnyArray, ndim: int) -> AnyArray:
    """The product of columns by rows: of two vectors, if the right-hand side (ndim 1) was one."""
    return a[..., :, None] * b[..., None, :] if ndim == 1 else a @ transposed(b)


def cofactors(a: AnyArray) -> AnyArray:
    """The gradient of each determinant: the transposed adjugate, det(a) inv(a)^T where a is regular.

    It is found from the singular values, and so right for singular matrices as well. Its own
    derivative divides by the determinant: the second derivatives of `np.linalg.det` are right
    where it is not zero, and elsewhere not finite.
    """
    finite = np.isfinite(a).all(axis=(-2, -1), keepdims=True)  # NaN has no singular values
    u, s, v = np.linalg.svd(np.where(finite, a, 0))
    sign = (np.linalg.det(u) * np.linalg.det(v))[..., None, None]
    gradient = sign * (u * product_of_others(s, -1)[..., None, :]) @ v
    return np.where(finite, gradient, a.dtype.type(math.nan))


cofactors = rule(
    cofactors,
    lambda g, y, a: (
        (np.sum(g * y, axis=(-2, -1), keepdims=True) * y - y @ transposed(g) @ y)
        / np.linalg.det(a)[..., None, None]
    ),
)


def logabsdet(a: AnyArray) -> AnyArray:
    """The logarithm of the absolute value of the determinant of each matrix."""
    return np.linalg.slogdet(a)[1]


logabsdet = rule(logabsdet, lambda g, _y, a: g[..., None, None] * transposed(np.linalg.inv(a)))


sign_of_det = rule(lambda a: np.linalg.slogdet(a)[0])


@definition(of=np.linalg.slogdet)
def slogdet(a):
    """det(a) = sign exp(logabsdet), of matrices (..., n, n): the sign as a plain array (...), the
    logarithm as a Tensor (...)."""
    return np.linalg.slogdet(np.eye(1))._replace(sign=sign_of_det(a), logabsdet=logabsdet(a))


@definition(of=np.linalg.matrix_power)
def matrix_power(a, n):
    """a^n, of matrices (..., m, m), by squares; that of inv(a) for a negative n.

    Raises:
        ShapeError: if a matrix is not square.
        DTypeError: if n is no integer.
    """
    n = operator.index(n)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("a power is one of square matrices: the last two sizes must be equal")
    if n < 0:
        a, n = np.linalg.inv(a), -n
    if n == 0:  # the same for every `a`, infinities included
        return np.where(False, a, np.eye(a.shape[-1], dtype=a.dtype))
    if n == 1:
        return a
    half = np.linalg.matrix_power(a, n // 2)
    return half @ half @ a if n % 2 else half @ half


@definition(of=np.linalg.multi_dot)
def multi_dot(arrays):
    """The product of all arrays, from left to right: matrices, of which the first and the last may
    be vectors.

    Raises:
        ShapeError: if there is one array alone, or they are of other axes.
    """
    if len(arrays) < 2:
        raise ValueError("a product has two arrays at least")
    if len(arrays) == 2:
        return np.dot(*arrays)
    ndims = [np.ndim(a) for a in arrays]
    if set(ndims[1:-1]) != {2} or not {ndims[0], ndims[-1]} <= {1, 2}:
        raise ValueError("more than two arrays are matrices, but the first and last may be vectors")
    return functools.reduce(np.matmul, arrays)


NORMS: dict[Any, Any] = {  # of matrices: of columns, of rows, of singular values
    1: lambda a: largest(np.sum(np.absolute(a), axis=-2), axis=-1),
    -1: lambda a: np.min(np.sum(np.absolute(a), axis=-2), axis=-1),
    math.inf: lambda a: largest(np.sum(np.absolute(a), axis=-1), axis=-1),
    -math.inf: lambda a: np.min(np.sum(np.absolute(a), axis=-1), axis=-1),
    2: lambda a: largest(np.linalg.svd(a, compute_uv=False), axis=-1),
    -2: lambda a: np.min(np.linalg.svd(a, compute_uv=False), axis=-1),
    "nuc": lambda a: np.sum(np.linalg.svd(a, compute_uv=False), axis=-1),
}


@definition(of=np.linalg.norm)
@in_single
def norm(x, ord=None, axis=None, keepdims=False):  # noqa: A002
    """(sum |x|^ord)^(1 / ord) along one axis; of all elements with ord = 2 by default. An element
    that is 0 has the slope 0.

    The order inf gives max |x|, -inf min |x|, and 0 the number of elements that are not 0. Along
    two axes `NORMS` are those of matrices; "fro" is the root of the sum of squares there.

    Raises:
        ShapeError: for an order that there is not, or more axes with an order.
    """
    axis = axis if axis is None or isinstance(axis, tuple) else int(axis)
    axes = axes_of(axis, x.ndim)
    if len(axes) not in (1, 2) and not (axis is None and ord is None):
        raise ValueError(
            f"a norm is taken over one axis or two, not {len(axes)}; "
            f"without ord= and axis=, it is that of all elements"
        )
    x = x if x.dtype.kind == "f" else x.astype(float)
    if ord is None or (ord in ("fro", "f") and len(axes) == 2) or (ord == 2 and len(axes) == 1):
        return root(np.sum(x * x, axis=axes, keepdims=keepdims))
    if (len(axes) == 2 and ord not in NORMS) or (len(axes) == 1 and isinstance(ord, str)):
        raise ValueError(f"there is no norm of the order {ord!r} over {len(axes)} axes")
    if len(axes) == 2:
        norms = NORMS[ord](np.moveaxis(x, axes, (-2, -1)))
        return np.expand_dims(norms, axes) if keepdims else norms
    size = np.absolute(x)
    if math.isinf(ord):
        return (largest if ord > 0 else np.min)(size, axis=axes, keepdims=keepdims)
    if ord == 0:
        return np.sum(np.sign(np.where(np.isnan(size), 1, size)), axis=axes, keepdims=keepdims)
    if ord == 1:
        return np.sum(size, axis=axes, keepdims=keepdims)
    flat = np.equal(size, 0)
    powers = np.where(flat, math.inf if ord < 0 else 0, np.where(flat, 1, size) ** ord)
    return root(np.sum(powers, axis=axes, keepdims=keepdims), ord)


@definition(of=np.dot)
def dot(a, b, out=None):
    """y[..., j] = sum over k of a[..., k] b[..., k, j]; for numbers, their product. The last axis of
    `a` meets the last but one of `b`, or its only one: (A, K), (B, K, J) to (A, B, J), where A and
    B are any axes."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    if np.ndim(b) <= 2:
        return np.matmul(a, b)
    return np.tensordot(a, b, axes=((-1,), (-2,)))


@definition(of=np.inner)
def inner(a, b):
    """y = sum over k of a[..., k] b[..., k]: (A, K), (B, K) to (A, B), where A and B are any axes;
    for numbers, their product."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    return np.tensordot(a, b, axes=((-1,), (-1,)))


@definition(of=np.outer)
def outer(a, b, out=None):
    """y[i, j] = a_i b_j, each with its elements in a row: (n, m) of n and m elements."""
    return np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))


@definition(of=np.vdot)
def vdot(a, b):
    """sum over i of a_i b_i, each with its elements in a row: a number."""
    return np.matmul(np.reshape(a, (-1,)), np.reshape(b, (-1,)))


@definition(of=np.tensordot)
def tensordot(a, b, axes=2):
    """y[i, j] = sum over k of a[i, k] b[k, j], where i, j and k are several axes each: both
    arguments are made matrices, and multiplied.

    Args:
        axes: how many, the last of `a` and the first of `b`; or a list of those of each.

    Raises:
        ShapeError: if the axes to sum over differ in size.
    """
    if np.iterable(axes):
        axes_a, axes_b = axes
    else:
        axes_a, axes_b = range(np.ndim(a) - axes, np.ndim(a)), range(axes)
    summed_a = normalize_axis_tuple(axes_a, np.ndim(a))
    summed_b = normalize_axis_tuple(axes_b, np.ndim(b))
    kept_a = [i for i in range(np.ndim(a)) if i not in summed_a]
    kept_b = [i for i in range(np.ndim(b)) if i not in summed_b]
    rows, columns = [np.shape(a)[i] for i in kept_a], [np.shape(b)[i] for i in kept_b]
    summed = [np.shape(a)[i] for i in summed_a]
    if summed != [np.shape(b)[i] for i in summed_b]:
        raise ValueError(f"the axes {summed_a} and {summed_b} to sum over differ in size")
    n = math.prod(summed)
    left = np.reshape(np.transpose(a, (*kept_a, *summed_a)), (math.prod(rows), n))
    right = np.reshape(np.transpose(b, (*summed_b, *kept_b)), (n, math.prod(columns)))
    return np.reshape(np.matmul(left, right), (*rows, *columns))


@definition(of=np.einsum)
def einsum(*operands, out=None, optimize=False):
    """Sum of products, over the letters that the result has not: "ij,jk->ik" is y[i, k] = sum over
    j of a[i, j] b[j, k].

    Raises:
        ShapeError: if the subscripts do not fit the arrays.
    """
    subscripts, *tensors = operands if isinstance(operands[0], str) else _in_letters(operands)
    tensors = as_arrays(*tensors)
    return contract(tensors, _explicit(subscripts, [t.ndim for t in tensors]))


def _in_letters(operands: tuple) -> tuple:
    """`(x, [0, 1], y, [1, 2], [0, 2])` as `("AB,BC->AC", x, y)`."""
    letters = dict(enumerate(string.ascii_uppercase + string.ascii_lowercase)) | {Ellipsis: "..."}
    n = len(operands) // 2 * 2
    terms = [[letters.get(i, "") for i in term] for term in (*operands[1:n:2], *operands[n:])]
    if not all(map(all, terms)):
        raise ValueError("an axis is a number from 0 to 51, or the axes left over are an Ellipsis")
    words = ["".join(term) for term in terms]
    inputs = ",".join(words[: n // 2])
    return "->".join([inputs, *words[n // 2 :]]), *operands[:n:2]


def contract(operands, subscripts):
    """`np.einsum` with all subscripts written out: no ellipsis, and the result's after `->`."""
    return np.einsum(subscripts, *operands, optimize=len(operands) > 1)


contract = rule(
    contract,
    lambda g, _y, operands, subscripts: [
        contract_to(g, operands, subscripts, i) for i in range(len(operands))
    ],
    None,
)


def contract_to(g, operands, subscripts, i):
    """The gradient of a contraction by operand `i`: the same contraction, with `g` in its place.

    Along a letter of this operand alone, it was summed, and the gradient is copied. Along one in which
    its size is 1, it may have been copied, and the gradient is summed. A letter that it has twice named
    a diagonal: the gradient lies on that diagonal.
    """
    inputs, result = subscripts.split("->")
    terms = inputs.split(",")
    term, others = terms[i], terms[:i] + terms[i + 1 :]
    shape = operands[i].shape
    size = dict(zip(term, shape))
    elsewhere = set(result).union(*others)
    letters = "".join(c for c in size if c in elsewhere and size[c] != 1)
    rest = [o for j, o in enumerate(operands) if j != i]
    gradient = contract([g, *rest], f"{','.join([result, *others])}->{letters}")
    gradient = np.expand_dims(gradient, tuple(k for k, c in enumerate(size) if c not in letters))
    gradient = np.broadcast_to(gradient, tuple(size.values()))
    if len(size) == len(term):
        return gradient
    grid = dict(zip(size, np.ix_(*map(np.arange, size.values()))))
    return scatter_add(gradient, tuple(grid[c] for c in term), shape)


def _explicit(subscripts: str, ndims: list[int]) -> str:
    """Subscripts with the ellipsis and the result written out.

    _explicit("...ij,jk", [4, 2])       "ZYij,jk->ZYik"
    _explicit("ii", [2])                "ii->"
    """
    subscripts = subscripts.replace(" ", "")
    inputs, arrow, result = subscripts.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ndims):
        raise ValueError(f"{subscripts!r} names {len(terms)} operands, and {len(ndims)} were given")
    free = [
        c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkjihgfedcba" if c not in subscripts
    ]
    hidden = [n - len(term.replace("...", "")) for term, n in zip(terms, ndims)]
    most = max((n for term, n in zip(terms, hidden) if "..." in term), default=0)
    if arrow and "..." not in result and most > 0:
        raise ValueError(
            f"the axes under the ellipsis of {subscripts!r} are missing from the result: write ... "
            f"there too, or name the axes and leave them out to sum over them"
        )
    batch = "".join(free[:most])
    full = [
        term.replace("...", batch[len(batch) - n :] if n else "") for term, n in zip(terms, hidden)
    ]
    letters = inputs.replace("...", "").replace(",", "")
    once = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    result = result.replace("...", batch) if arrow else batch + once
    return f"{','.join(full)}->{result}"


@definition(of=np.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """sum over i of a[i, i + offset], along `axis1` and `axis2`."""
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1)


@definition(of=np.diagonal)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """y[..., i] = a[i, i + offset], along `axis1` and `axis2`, in place of which the last axis comes."""
    a = np.moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = on_diagonal(a.shape[-2], a.shape[-1], operator.index(offset))
    return a[..., rows, columns]


@definition(of=np.diag)
def diag(v, k=0):
    """y[i] = v[i, i + k], for a matrix; for a vector (n,), the matrix (n + |k|, n + |k|) with it on
    that diagonal.

    Raises:
        ShapeError: if `v` has other axes.
    """
    if v.ndim == 2:
        return np.diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("a diagonal has one dimension, a matrix two")
    return np.diagflat(v, k)


@definition(of=np.diagflat)
def diagflat(v, k=0):
    """y[i, i + k] = v_i, 0 elsewhere: (n + |k|, n + |k|), for the n elements of `v` in a row."""
    n = v.size + abs(k)
    return scatter_add(np.ravel(v), on_diagonal(n, n, k), (n, n))


@definition(of=np.kron)
def kron(a, b):
    """y[i N + k, j M + l] = a[i, j] b[k, l], of b (N, M): a copy of b for each element of a; for
    any number of axes."""
    ndim = max(np.ndim(a), np.ndim(b))
    shape_a = (1,) * (ndim - np.ndim(a)) + np.shape(a)
    shape_b = (1,) * (ndim - np.ndim(b)) + np.shape(b)
    a = np.reshape(a, tuple(itertools.chain(*((n, 1) for n in shape_a))))
    b = np.reshape(b, tuple(itertools.chain(*((1, n) for n in shape_b))))
    return np.reshape(a * b, tuple(map(operator.mul, shape_a, shape_b)))


@definition(of=np.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """(a2 b3 - a3 b2, a3 b1 - a1 b3, a1 b2 - a2 b1), along an axis of three.

    Raises:
        ShapeError: if that axis has another size.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a = np.moveaxis(a, axis_of(axisa, np.ndim(a)), -1)
    b = np.moveaxis(b, axis_of(axisb, np.ndim(b)), -1)
    if np.shape(a)[-1] != 3 or np.shape(b)[-1] != 3:
        raise ValueError("vectors have three elements here; one in the plane has 0 for the third")
    (a1, a2, a3), (b1, b2, b3) = ([t[..., i] for i in range(3)] for t in (a, b))
    return np.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], axis=axisc)


@definition(of=np.matrix_transpose)
@definition(of=np.linalg.matrix_transpose)
def matrix_transpose(x):
    """y[..., j, i] = x[..., i, j]: (..., n, m) to (..., m, n)."""
    return transposed(x)
