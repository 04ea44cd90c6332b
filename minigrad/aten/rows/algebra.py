"""Linear algebra and distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.table import rule
from .row_table import ROWS, row

ROWS |= {
    "linalg_inv_ex": lambda A, check_errors=False: [np.linalg.inv(A), None],
    "_linalg_det": lambda A: [np.linalg.det(A), None, None],
    "_linalg_slogdet": lambda A: [sign_of_det(A), np.linalg.slogdet(A)[1], None, None],
    "linalg_cross": lambda self, other, dim=-1: np.cross(self, other, axis=dim),
    "dist": lambda self, other, p=2: _norm(np.reshape(self - other, (-1,)), p),
    "linalg_lstsq": lambda self, b, rcond=None, driver=None: [
        np.matmul(np.linalg.pinv(self), b), None, None, None
    ],
    "cholesky_inverse": lambda self, upper=False: np.linalg.inv(_gram(self, upper)),
    "cholesky_solve": lambda self, input2, upper=False: np.linalg.solve(_gram(input2, upper), self),
    "_euclidean_dist": lambda x1, x2: ROWS["_cdist_forward"](x1, x2, 2.0, None),
}  # fmt: skip


def sign_of_det(A: Any) -> Any:
    return np.linalg.slogdet(A)[0]


# PyTorch has a gradient for it: of zeros, where `logdet` asks whether it is -1.
sign_of_det = rule(sign_of_det, lambda g, _y, A: np.zeros_like(A))


def _turned(x: Any) -> Any:
    return np.swapaxes(x, -2, -1)


def _symmetric(A: Any) -> Any:
    """The mean of a symmetric matrix and its transpose: so its gradient is symmetric, as PyTorch's."""
    plain = np.asarray(A.detach())
    if not np.allclose(plain, _turned(plain)):
        raise NotImplementedError("a matrix that is not symmetric")
    return (A + _turned(A)) / 2


def _gram(factor: Any, upper: bool) -> Any:
    """The matrix of which this is Cholesky's factor."""
    factor = np.triu(factor) if upper else np.tril(factor)
    return np.matmul(_turned(factor), factor) if upper else np.matmul(factor, _turned(factor))


@row("_linalg_solve_ex")
def _solve(A, B, left=True, check_errors=False):
    if not left:
        return [_turned(np.linalg.solve(_turned(A), _turned(B))), None, None, None]
    vectors = B.ndim == A.ndim - 1
    x = np.linalg.solve(A, np.expand_dims(B, -1) if vectors else B)
    return [np.squeeze(x, -1) if vectors else x, None, None, None]


@row("linalg_solve_triangular")
def _solve_triangular(self, B, upper, left=True, unitriangular=False):
    A = np.triu(self, int(unitriangular)) if upper else np.tril(self, -int(unitriangular))
    if unitriangular:
        A = A + np.eye(A.shape[-1], dtype=A.dtype)
    return _solve(A, B, left)[0]


@row("triangular_solve")
def _triangular_solve(self, A, upper=True, transpose=False, unitriangular=False):
    A = _turned(A) if transpose else A
    return [_solve_triangular(A, self, upper != transpose, True, unitriangular), None]


@row("linalg_cholesky_ex", "cholesky")
def _cholesky(self, upper=False, check_errors=False):
    lower = np.linalg.cholesky(_symmetric(self))
    return [_turned(lower) if upper else lower, None]


# Vectors have a sign that is anybody's choice: it is PyTorch's here.


def _signs(ours: Any, theirs: Any) -> Any:
    """The signs of columns, (..., 1, n), with which ours are theirs."""
    sign = np.sign(np.sum(np.asarray(ours.detach()) * theirs, axis=-2, keepdims=True))
    return np.where(sign == 0, 1, sign).astype(theirs.dtype)


@row("_linalg_eigh")
def _eigh(A, UPLO="L", compute_v=True, *, theirs):
    A = _symmetric(A)
    if not compute_v:
        return [np.linalg.eigvalsh(A), None]
    values, vectors = np.linalg.eigh(A)
    return [values, vectors * _signs(vectors, theirs[1])]


@row("_linalg_svd")
def _svd(A, full_matrices=False, compute_uv=True, *, driver=None, theirs):
    if not compute_uv:
        return [None, np.linalg.svdvals(A), None]
    u, s, vh = np.linalg.svd(A, full_matrices)
    n = s.shape[-1]
    signs = _signs(u[..., :n], theirs[0][..., :n])
    if full_matrices and u.shape != vh.shape:
        raise NotImplementedError("full_matrices=True")
    return [u * signs, s, vh * _turned(signs)]


@row("linalg_qr")
def _qr(A, mode="reduced", *, theirs):
    if mode != "reduced" and A.shape[-2] != A.shape[-1]:
        raise NotImplementedError(f"mode={mode!r}")
    q, r = np.linalg.qr(A)
    signs = _signs(q, theirs[0])
    return [q * signs, r * _turned(signs)]


@row("_cdist_forward")
def _cdist(x1, x2, p, compute_mode):
    return _norm(np.expand_dims(x1, -2) - np.expand_dims(x2, -3), p)


@row("_pdist_forward")
def _pdist(self, p=2.0):
    a, b = np.triu_indices(self.shape[0], 1)
    return _norm(self[a] - self[b], p)


def _norm(x: Any, p: float) -> Any:
    if p == 0:
        return np.sum(np.not_equal(x, 0) + 0 * x, axis=-1)
    return np.linalg.vector_norm(x, axis=-1, ord=p)
