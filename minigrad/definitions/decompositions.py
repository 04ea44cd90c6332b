"""Matrices as products of simpler ones, and what is found with these: pseudo-inverse, least squares.

NumPy returns the factors of a matrix apart. An operation has one result, so here the factors stand in
one array, one below the other. One rule is for all of them, and the definition of NumPy's function cuts
the array.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..engine import errors
from ..engine.base import AnyArray
from ..engine.rules import transposed
from ..engine.table import definition, rule
from .axes import as_arrays, largest
from .elementwise import ratio_or_zero


def mirrored(a: AnyArray, upper: bool = False) -> AnyArray:
    """Symmetric matrices of one triangle: all that NumPy reads of a symmetric matrix.

    Raises:
        ValueError: if they are not square; broadcasting would make them so.
    """
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("the last two sizes of a symmetric matrix are equal")
    lower = np.tri(a.shape[-1], dtype=bool)
    return np.where(lower.T if upper else lower, a, transposed(a))


def on_the_diagonal(values: AnyArray, others: AnyArray) -> AnyArray:
    """The matrices `others`, with `values` on their diagonals."""
    return np.where(np.eye(others.shape[-1], dtype=bool), values[..., None, :], others)


def differences(values: AnyArray) -> AnyArray:
    """The value of each column minus that of each row."""
    return values[..., None, :] - values[..., :, None]


def at_equal_values(values: AnyArray, *g: AnyArray) -> bool:
    """Tell whether a gradient arrives at the vectors of two values that are equal to rounding.

    Computed values that should be equal differ by up to 10 units in the last place of the largest.
    """
    size = np.absolute(values)
    rounding = 16 * float(np.finfo(values.dtype).eps) * largest(size, axis=-1, keepdims=True)
    equal = np.less_equal(np.absolute(differences(values)), rounding[..., None])
    equal = np.any(equal & ~np.eye(values.shape[-1], dtype=bool), axis=(-2, -1))
    return bool(np.any(equal & any_nonzero(*g)))


def any_nonzero(*matrices: AnyArray) -> AnyArray:
    """Tell for each of a stack of matrices whether one has an element that is not zero."""
    return sum(np.any(np.not_equal(a, 0), axis=(-2, -1)) for a in matrices) > 0


def deficient(a: AnyArray, rcond: AnyArray = None) -> bool:
    """Tell whether one of some finite matrices has a rank below its smaller size."""
    if not a.size or not np.all(np.isfinite(a)):
        return False
    return bool(np.any(np.less(np.linalg.matrix_rank(a, rtol=rcond), min(a.shape[-2:]))))


TURNED = (
    "the vectors of two equal {0} can be turned in their plane, so they have no derivative: two "
    "{0} of a matrix are equal here. Compute with the {0} alone, or with the matrix itself"
)


# --- eigenvalues ----------------------------------------------------------------------------------


def stacked_eigh(a: AnyArray, triangle: Literal["L", "U"]) -> AnyArray:
    """The eigenvalues of symmetric matrices (..., n, n) in a row; below, their vectors as columns."""
    values, vectors = np.linalg.eigh(a, triangle)
    return np.concatenate([values[..., None, :], vectors], axis=-2)  # (..., 1 + n, n)


def of_eigh(g, y, _a, triangle):
    """V (diag(g of w) + V^T (g of V) / (w_j - w_i)) V^T: Giles (2008), section 3.1."""
    (w, v), (gw, gv) = ((t[..., 0, :], t[..., 1:, :]) for t in (y, g))
    if at_equal_values(w, gv):
        raise errors.GraphError(TURNED.format("eigenvalues"))
    turn = ratio_or_zero(transposed(v) @ gv, differences(w))
    return v @ on_the_diagonal(gw, turn) @ transposed(v)


stacked_eigh = rule(stacked_eigh, of_eigh, None)


@definition(of=np.linalg.eigh)
def eigh(a, UPLO="L"):
    """a = V diag(w) V^T, of symmetric matrices (..., n, n): rising eigenvalues w (..., n), and V
    (..., n, n), their vectors as columns.

    The gradient is that of the triangle that NumPy reads; of (a + a.T) / 2 it is symmetric.

    Raises:
        ShapeError: if a matrix is not square, or UPLO is neither "L" nor "U".
        GraphError: on the way back, if a gradient arrives at the vectors of two equal eigenvalues.
    """
    if UPLO not in ("L", "U", "l", "u"):
        raise ValueError(f"UPLO is 'L' for the lower triangle or 'U' for the upper, not {UPLO!r}")
    y = stacked_eigh(mirrored(a, UPLO in "Uu"), UPLO)
    return np.linalg.eigh(np.eye(1))._replace(eigenvalues=y[..., 0, :], eigenvectors=y[..., 1:, :])


@definition(of=np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    """The eigenvalues w (..., n) of `np.linalg.eigh`, rising. Among equal ones, the gradient of each
    is that of the vector which NumPy has for it. Raises: as `eigh`."""
    return np.linalg.eigh(a, UPLO).eigenvalues


# --- singular values ------------------------------------------------------------------------------


def stacked_svd(a: AnyArray, full: bool) -> AnyArray:
    """The singular values of matrices (..., m, n) in a row; below, U, and below that, V."""
    u, s, vh = np.linalg.svd(a, full_matrices=full)
    parts = [s[..., None, :], u, transposed(vh)]
    width = max(p.shape[-1] for p in parts)
    none = [(0, 0)] * (u.ndim - 1)
    wide = [np.pad(p, [*none, (0, width - p.shape[-1])]) for p in parts]
    return np.concatenate(wide, axis=-2)  # (..., 1 + m + n, width)


def of_svd(g, y, _a, full):
    """Townsend (2016), "Differentiating the singular value decomposition"."""
    m, n = _a.shape[-2:]
    k = min(m, n)
    s, u, v = y[..., 0, :k], y[..., 1 : m + 1, :k], y[..., m + 1 :, :k]
    gs, gu, gv = g[..., 0, :k], g[..., 1 : m + 1, :k], g[..., m + 1 :, :k]
    if np.any(any_nonzero(g[..., 1:, k:])):
        raise errors.GraphError(
            f"only {k} singular vectors follow from a matrix of shape ({m}, {n}); the others have no "
            f"derivative: write np.linalg.svd(a, full_matrices=False)"
        )
    others = s if m == n else np.concatenate([s, s[..., :1] * 0], axis=-1)  # have the value 0
    if at_equal_values(others, gu, gv):
        raise errors.GraphError(
            TURNED.format("singular values") + (", or one is 0" if m != n else "")
        )
    ut, vt, row = transposed(u), transposed(v), s[..., None, :]
    gaps = differences(s) * (row + s[..., :, None])
    turn_u = ratio_or_zero(ut @ gu - transposed(gu) @ u, gaps)
    turn_v = ratio_or_zero(vt @ gv - transposed(gv) @ v, gaps)
    gradient = u @ on_the_diagonal(gs, turn_u * row + s[..., :, None] * turn_v) @ vt
    if m > k:
        gradient = gradient + ratio_or_zero(gu - u @ (ut @ gu), row) @ vt
    if n > k:
        gradient = gradient + u @ transposed(ratio_or_zero(gv - v @ (vt @ gv), row))
    return gradient


stacked_svd = rule(stacked_svd, of_svd, None)


@definition(of=np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True):
    """a = U diag(s) V^T, of matrices (..., m, n): U (..., m, m), falling s (..., k) and V^T
    (..., n, n), where k = min(m, n). U and V have k columns without `full_matrices`; without
    `compute_uv`, s comes alone.

    Raises:
        GraphError: on the way back, if a gradient arrives at the vectors of two equal singular
            values, or of one that is 0 where m is not n; or at more than k vectors.
    """
    m, n = a.shape[-2:]
    k = min(m, n)
    y = stacked_svd(a, bool(full_matrices and compute_uv))
    s = y[..., 0, :k]
    if not compute_uv:
        return s
    width = (m, n) if full_matrices else (k, k)
    u, v = y[..., 1 : m + 1, : width[0]], y[..., m + 1 :, : width[1]]
    return np.linalg.svd(np.eye(1))._replace(U=u, S=s, Vh=transposed(v))


# --- QR and Cholesky ------------------------------------------------------------------------------


def stacked_qr(a: AnyArray, full: bool) -> AnyArray:
    """Q of matrices (..., m, n) that have no more columns than rows; below, R transposed."""
    q, r = np.linalg.qr(a, "complete" if full else "reduced")
    return np.concatenate([q, transposed(r)], axis=-2)  # (..., m + n, n), or m columns in full


def of_qr(g, y, a, full):
    """Walter and Lehmann (2010), "Algorithmic differentiation of linear algebra functions"."""
    m, n = a.shape[-2:]
    q, r = y[..., :m, :n], transposed(y[..., m:, :n])
    gq, gr = g[..., :m, :n], transposed(g[..., m:, :n])
    if deficient(a):
        raise errors.GraphError(
            "Q and R have no derivative where the columns depend on each other, as they do here"
        )
    if np.any(any_nonzero(g[..., :m, n:])):
        raise errors.GraphError(
            f"only {n} columns of Q follow from a matrix of shape ({m}, {n}); the others have no "
            f"derivative: write np.linalg.qr(a, mode='reduced')"
        )
    inner = r @ transposed(gr) - transposed(gq) @ q
    given = gq + q @ mirrored(inner)
    return transposed(np.linalg.solve(r, transposed(given)))


stacked_qr = rule(stacked_qr, of_qr, None)


@definition(of=np.linalg.qr)
def qr(a, mode="reduced"):
    """a = Q R, of matrices (..., m, n): Q (..., m, k), whose columns are orthonormal, and R
    (..., k, n), upper triangular, where k = min(m, n), or m in the mode "complete"; R alone in the
    mode "r".

    If there are more columns than rows, the square at the left gives Q.

    Raises:
        UnsupportedError: for another mode.
        GraphError: on the way back, where columns depend on each other, or if a gradient arrives
            at more than n columns of Q.
    """
    if mode not in ("reduced", "complete", "r"):
        raise errors.UnsupportedError(
            f"np.linalg.qr of a Tensor knows the modes reduced, complete and r, not {mode!r}; "
            f"write np.linalg.qr(a) for Q and R"
        )
    m, n = a.shape[-2:]
    y = stacked_qr(a[..., :m] if n > m else a, mode == "complete")
    q, r = y[..., :m, :], transposed(y[..., m:, :])
    if n > m:
        r = np.concatenate([r, transposed(q) @ a[..., m:]], axis=-1)
    return r if mode == "r" else np.linalg.qr(np.eye(1))._replace(Q=q, R=r)


def lower_factor(a: AnyArray) -> AnyArray:
    """The lower triangular matrix L of each symmetric positive matrix L @ L.T."""
    return np.linalg.cholesky(a)


def of_lower_factor(g, y, _a):
    """Murray (2016), "Differentiation of the Cholesky decomposition"."""
    inner = transposed(y) @ g
    inner = on_the_diagonal(np.diagonal(inner, axis1=-2, axis2=-1) / 2, np.tril(inner))
    half = np.linalg.solve(transposed(y), inner)
    return transposed(np.linalg.solve(transposed(y), transposed(half)))


lower_factor = rule(lower_factor, of_lower_factor)


@definition(of=np.linalg.cholesky)
def cholesky(a, /, *, upper=False):
    """a = L L^T, of symmetric positive definite matrices (..., n, n): L, lower triangular; L^T if
    `upper`.

    The gradient is that of the triangle that NumPy reads; of (a + a.T) / 2 it is symmetric.

    Raises:
        ShapeError: if a matrix is not square, or not positive definite.
    """
    factor = lower_factor(mirrored(a, upper))
    return transposed(factor) if upper else factor


# --- the inverse of what has none -----------------------------------------------------------------


def pseudo_inverse(a: AnyArray, rcond: AnyArray, hermitian: bool) -> AnyArray:
    """`np.linalg.pinv`, which takes singular values below `rcond` times the largest as 0."""
    return np.linalg.pinv(a, rcond, hermitian)


def of_pseudo_inverse(g, y, a, rcond, hermitian):
    """Golub and Pereyra (1973), "The differentiation of pseudo-inverses": right at a constant rank."""
    if deficient(a, rcond):
        raise errors.GraphError(
            f"a pseudo-inverse jumps, and has no derivative, where the rank of a matrix is below its "
            f"smaller size: here it is below {min(a.shape[-2:])}"
        )
    left, right = transposed(g) @ y @ transposed(y), transposed(y) @ y @ transposed(g)
    return left - a @ y @ left + right - right @ y @ a - transposed(y) @ g @ transposed(y)


pseudo_inverse = rule(pseudo_inverse, of_pseudo_inverse, None, None)


@definition(of=np.linalg.pinv)
def pinv(a, rcond=None, hermitian=False):
    """V diag(1 / s) U^T, where a = U diag(s) V^T: (..., m, n) to (..., n, m). Where s is at most
    `rcond` times the largest, 0 takes the place of 1 / s.

    Raises:
        GraphError: on the way back, if the rank of a matrix is below its smaller size.
    """
    return pseudo_inverse(mirrored(a) if hermitian else a, rcond, hermitian)


@definition(of=np.linalg.lstsq)
def lstsq(a, b, rcond=None):
    """The shortest x for which |a x - b| is least, pinv(a) b; with the squares of what is left,
    the rank of a, and its singular values: a (m, n), b (m,) or (m, k), x (n,) or (n, k).

    Raises:
        ShapeError: if a is no matrix, or b neither a matrix nor a vector.
    """
    if np.ndim(a) != 2 or np.ndim(b) not in (1, 2):
        raise ValueError("a is one matrix here, and b one matrix or a vector")
    a, b = (t if t.dtype.kind == "f" else t.astype(float) for t in as_arrays(a, b))
    (m, n), eps = a.shape, float(np.finfo(np.result_type(a, b, np.float32)).eps)
    rcond = max(m, n) * eps if rcond is None else eps if rcond == -1 else rcond
    x, s = np.linalg.pinv(a, rcond) @ b, np.linalg.svd(a, compute_uv=False)
    rank = np.sum(np.greater(s, rcond * largest(s, axis=-1)), dtype=np.int32)
    rest = b - a @ x
    squares = np.atleast_1d(np.sum(rest * rest, axis=0))
    return x, squares if rank == n and m > n else squares[:0], rank, s
