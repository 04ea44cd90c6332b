"""The docstrings of definitions: there is one each, and the errors that it names come."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors
from minigrad.engine.table import TABLE, Definition

WRITTEN = [
    entry
    for entry in TABLE.values()
    if isinstance(entry, Definition)
    and entry.body.__module__.startswith(("minigrad.definitions.", "minigrad.functional."))
    and not entry.body.__module__.endswith("ufunc_methods")
    and entry.body.__name__ != "<lambda>"  # one line, which is its formula
]


def test_each_definition_says_what_it_computes():
    assert len(WRITTEN) > 100
    assert not [entry.name for entry in WRITTEN if not entry.body.__doc__]


def leaf(*shape: int, fill: float | None = None) -> mg.Tensor:
    a = np.random.default_rng(0).standard_normal(shape) if fill is None else np.full(shape, fill)
    return mg.Tensor(a, requires_grad=True)


EYE = mg.Tensor(np.eye(3), requires_grad=True)
DTYPE, GRAPH, SHAPE, UNSUPPORTED = (
    errors.DTypeError, errors.GraphError, errors.ShapeError, errors.UnsupportedError,
)  # fmt: skip
NAMED = [
    (UNSUPPORTED, lambda x: np.clip(x, 1)),
    (SHAPE, lambda x: np.clip(x, 1, 2, min=3)),
    (SHAPE, lambda x: np.nan_to_num(x * np.nan, nan=np.ones((2, 3, 3)))),
    (SHAPE, lambda x: np.select([x > 0], [x, x])),
    (SHAPE, lambda x: np.linalg.eigh(x[:2])),
    (SHAPE, lambda x: np.linalg.eigh(x, UPLO="Z")),
    (GRAPH, lambda _: np.linalg.eigh(EYE).eigenvectors[0, 0].backward()),
    (GRAPH, lambda _: np.linalg.svd(EYE).U[0, 0].backward()),
    (GRAPH, lambda x: np.linalg.svd(x[:, :2]).U[0, 2].backward()),
    (GRAPH, lambda _: np.linalg.svd(leaf(3, 2, fill=1.0)).U[0, 0].backward()),
    (UNSUPPORTED, lambda x: np.linalg.qr(x, "raw")),
    (GRAPH, lambda _: np.linalg.qr(leaf(3, 2, fill=1.0)).Q[0, 0].backward()),
    (GRAPH, lambda x: np.linalg.qr(x[:, :2], "complete").Q[0, 2].backward()),
    (SHAPE, lambda x: np.linalg.cholesky(x[:2])),
    (SHAPE, lambda _: np.linalg.cholesky(-EYE)),
    (GRAPH, lambda _: np.linalg.pinv(leaf(3, 2, fill=1.0))[0, 0].backward()),
    (SHAPE, lambda x: np.linalg.lstsq(x[0], x[0])),
    (SHAPE, lambda x: np.average(x, weights=np.ones(2))),
    (SHAPE, lambda x: np.average(x, weights=np.zeros((3, 3)))),
    (SHAPE, lambda x: np.cov(x[None])),
    (SHAPE, lambda x: np.cov(x, ddof=0.5)),
    (SHAPE, lambda x: np.linalg.matrix_power(x[:2], 2)),
    (DTYPE, lambda x: np.linalg.matrix_power(x, 2.5)),
    (SHAPE, lambda x: np.linalg.multi_dot([x])),
    (SHAPE, lambda x: np.linalg.multi_dot([x, x[0], x])),
    (SHAPE, lambda x: np.linalg.norm(x, 3, axis=(0, 1))),
    (SHAPE, lambda x: np.linalg.norm(x[None], 2)),
    (SHAPE, lambda x: np.tensordot(x, x[:2, :2])),
    (SHAPE, lambda x: np.einsum("ij,j", x, np.ones(4))),
    (SHAPE, lambda x: np.einsum("ij", x, x)),
    (SHAPE, lambda x: np.diag(x[None])),
    (SHAPE, lambda x: np.cross(x[:, :2], x[:, :2])),
    (SHAPE, lambda x: np.linalg.outer(x, x)),
    (SHAPE, lambda x: np.quantile(x, 1.5)),
    (SHAPE, lambda x: np.quantile(x, 0.5, method="other")),
    (SHAPE, lambda x: np.diff(x, -1)),
    (SHAPE, lambda x: np.interp(x, [1.0, 2.0], [1.0])),
    (SHAPE, lambda x: np.interp(x, [], [])),
    (SHAPE, lambda x: np.interp(x, [1.0, 2.0], [1.0, 2.0], period=0)),
    (DTYPE, lambda x: np.interp(x, [1.0, 2.0], [1.0, 2.0], left=np.ones(2))),
    (SHAPE, lambda x: np.convolve(x, x)),
    (UNSUPPORTED, lambda x: np.convolve(x[0], x[0], "other")),
    (SHAPE, lambda x: np.take(x, 9)),
    (SHAPE, lambda x: np.take(x, 1, mode="other")),
    (SHAPE, lambda x: np.take_along_axis(x, np.array([1]), 0)),
    (SHAPE, lambda x: np.take_along_axis(x, np.ones((3, 3)), 0)),
    (SHAPE, lambda x: np.split(x, 2)),
    (SHAPE, lambda x: np.array_split(x, 0)),
    (SHAPE, lambda x: np.hsplit(x[0, 0], 1)),
    (SHAPE, lambda x: np.vsplit(x[0], 1)),
    (SHAPE, lambda x: np.dsplit(x, 1)),
    (UNSUPPORTED, lambda x: np.pad(x, 1, mode="mean")),
    (DTYPE, lambda x: np.pad(x, 1.5)),
    (SHAPE, lambda x: np.pad(x, -1)),
    (SHAPE, lambda x: np.meshgrid(x[0], x[0], indexing="other")),
    (SHAPE, lambda x: np.full_like(x, np.ones((2, 3, 3)))),
    (SHAPE, lambda x: np.block([[x], x])),
    (SHAPE, lambda x: np.block([[x], []])),
]


@pytest.mark.parametrize(("kind", "call"), NAMED)
def test_an_error_that_a_docstring_names_comes(kind, call):
    with pytest.raises(kind):
        call(leaf(3, 3))
