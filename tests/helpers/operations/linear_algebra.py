"""Rows: products of matrices, inverses, norms."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from .in_pytorch import torch
from .inputs import REGULAR
from .row import Row, rows

# fmt: off

PRODUCTS = [
    [(3,), (3,)], [(2, 3), (3,)], [(3,), (3, 2)], [(2, 3), (3, 4)], [(5, 2, 3), (3,)],
    [(3,), (5, 3, 2)], [(5, 2, 3), (3, 4)], [(2, 3), (5, 3, 4)], [(5, 2, 3), (5, 3, 4)],
    [(2, 1, 2, 3), (5, 3, 4)], [(1, 2, 3), (4, 3, 2)], [(4, 2, 3), (1, 3, 2)], [(1, 1), (1, 1)],
    [(0, 3), (3, 2)], [(2, 0), (0, 3)], [(2, 3), (3, 0)], [(0,), (0,)], [(0, 2, 3), (3,)],
    [(2, 2, 0), (0, 3)], [(2, 2, 0), (0,)], [(0, 2, 3), (3, 4)],
]

EINSUMS = {
    "ij,jk->ik": [(2, 3), (3, 4)],
    "ij,jk": [(2, 3), (3, 4)],
    "ba": [(2, 3)],
    "ij->ji": [(2, 3)],
    "ij->": [(2, 3)],
    "ij->j": [(2, 3)],
    "ii": [(3, 3)],
    "ii->i": [(3, 3)],
    "iij->ij": [(2, 2, 3)],
    "iji->j": [(2, 3, 2)],
    "iii->i": [(2, 2, 2)],
    "iijj->ij": [(2, 2, 3, 3)],
    "iij,jk->ik": [(2, 2, 3), (3, 4)],
    "ii,jj->ij": [(2, 2), (3, 3)],
    "ii,ij->j": [(2, 2), (2, 3)],
    "i,i": [(3,), (3,)],
    "i,i->i": [(3,), (3,)],
    "i, i->i": [(1,), (3,)],  # a size of 1 is broadcast
    "ij, jk->ik": [(2, 1), (3, 4)],
    "ij, ij->": [(1, 3), (2, 1)],
    "ii, i->i": [(1, 1), (3,)],
    "i,j->ij": [(2,), (3,)],
    "i,j->j": [(2,), (3,)],
    "ij,kl->l": [(2, 3), (2, 2)],
    "ij,j->i": [(2, 3), (3,)],
    "bij,bjk->bik": [(2, 2, 3), (2, 3, 4)],
    "bhqd,bhkd->bhqk": [(2, 2, 3, 2), (2, 2, 4, 2)],
    "ij,jk,kl->il": [(2, 3), (3, 4), (4, 2)],
    "i,i,i->": [(3,), (3,), (3,)],
    "i,ij,j": [(2,), (2, 3), (3,)],
    "...ij,...jk->...ik": [(2, 2, 3), (3, 4)],
    "...ij,...jk": [(1, 2, 3), (4, 3, 2)],
    "...->...": [(2, 3)],
    "i...->...i": [(2, 3, 2)],
    "...i,...i->...": [(2, 3), (3,)],
    "...i, ...i->...": [(2, 3, 4), (3, 4)],  # as in broadcasting, the last axes belong together
    "i...,i...": [(2, 3), (2, 1)],
    "ij...,jk...->ik...": [(2, 3, 2), (3, 2, 2)],
    "...ii->...i": [(2, 3, 3)],
    "ij,ij->": [(2, 0), (2, 0)],
    "ij,jk->ik ": [(0, 3), (3, 2)],
    ",i->i": [(), (3,)],
    ",": [(), ()],
}


def linear_algebra() -> Iterator[Row]:
    yield from rows(np.matmul, "matmul", *PRODUCTS, also=[operator.matmul])
    yield from rows(np.matmul, ..., [(3,), (2, 3)], call=lambda x, a: x @ a.T)
    yield from rows(np.matmul, ..., [(2, 3), (3, 2)], call=operator.matmul)
    yield from rows(np.dot, "matmul", *PRODUCTS[:4], also=["dot"])
    yield from rows(np.dot, operator.mul, [(), (3,)], [(2, 3), ()])
    yield from rows(np.dot, lambda x, y: torch.tensordot(x, y, ([-1], [-2])), [(2, 2, 3), (4, 3, 2)],
                    [(3,), (4, 3, 2)])
    yield from rows(np.inner, "inner", [(3,), (3,)], [(2, 3), (3,)], [(2, 3), (4, 3)],
                    [(2, 2, 3), (2, 3)])
    yield from rows(np.inner, operator.mul, [(), (3,)])
    yield from rows(np.outer, lambda x, y: torch.outer(x.reshape(-1), y.reshape(-1)), [(2,), (3,)],
                    [(2, 2), (3, 1)])
    yield from rows(np.outer, lambda x: torch.outer(x, torch.tensor([1, 2])), [(3,)], then=([1, 2],))
    yield from rows(np.vdot, lambda x, y: torch.vdot(x.reshape(-1), y.reshape(-1)), [(3,), (3,)],
                    [(2, 3), (3, 2)])
    yield from rows(np.vecdot, "linalg.vecdot", [(3,), (3,)], [(2, 3), (3,)], [(2, 1, 3), (4, 3)],
                    [(0, 3), (3,)])
    for axes, shapes in (
        (2, [(2, 3, 4), (3, 4, 2)]), (1, [(2, 3), (3, 2)]), (0, [(2,), (3,)]),
        (([0], [1]), [(3, 2), (2, 3)]), (((0, 1), (1, 0)), [(2, 3, 4), (3, 2)]),
        ((-1, -2), [(2, 3), (3, 2)]), (([-1, 0], [0, 1]), [(2, 3, 4), (4, 2)]),
        (([1, 2], [1, 0]), [(2, 3, 0), (0, 3, 2)]),
    ):
        lists = ([-1], [-2]) if axes == (-1, -2) else axes
        theirs = lambda x, y, axes=lists: torch.tensordot(x, y, axes)
        yield from rows(np.tensordot, theirs, shapes, axes=axes,
                        also=[np.tensordot] if axes == 2 else [])
    for subscripts, shapes in EINSUMS.items():
        yield from rows(np.einsum, lambda *xs, s=subscripts: torch.einsum(s, *xs), shapes,
                        call=lambda *xs, s=subscripts: np.einsum(s, *xs), name=f"einsum {subscripts!r}",
                        also=[lambda *xs, s=subscripts: np.einsum(s, *xs, optimize=True)])
    yield from rows(np.einsum, lambda x: x @ x, [(3,)], call=lambda x: np.einsum("i,i->", x, x))

    wide = [[(3, 3)], [(2, 4)], [(4, 2)], [(1, 1)], [(0, 3)]]
    for k in (0, 1, -2):
        yield from rows(np.diagonal, "diagonal", *wide, then=(k,), also=["diagonal"])
        yield from rows(np.trace, lambda x, k=k: torch.diagonal(x, k).sum(), *wide, then=(k,),
                        also=[lambda x, k=k: x.trace(offset=k)])
        yield from rows(np.tril, lambda x, k=k: torch.tril(x, k), *wide, k=k)
        yield from rows(np.triu, lambda x, k=k: torch.triu(x, k), *wide, k=k)
        yield from rows(np.diag, "diag", [(3,)], then=(k,))
        yield from rows(np.diagflat, "diagflat", [(2, 2)], then=(k,))
    yield from rows(np.diag, "diag", *wide, then=(1,))
    yield from rows(np.tril, "tril", [(2, 3, 4)])
    yield from rows(np.triu, "triu", [(2, 3, 4)])
    for offset, axis1, axis2 in ((0, 1, 2), (1, -1, 0), (-1, 2, 0)):
        theirs = lambda x, a=(offset, axis1, axis2): torch.diagonal(x, *a)
        form = {"offset": offset, "axis1": axis1, "axis2": axis2}
        yield from rows(np.diagonal, theirs, [(2, 3, 4)], **form,
                        also=[lambda x, form=form: np.diagonal(x, *form.values())])
        yield from rows(np.trace, lambda x, f=theirs: f(x).sum(-1), [(2, 3, 4)], **form,
                        also=[lambda x, form=form: np.trace(x, *form.values())])
    yield from rows(np.kron, "kron", [(2, 3), (3, 2)], [(2,), (3,)], [(2, 2), (3,)], [(), (3,)],
                    [(2, 1, 2), (2, 2)], [(2,), (2, 2, 1)], [(0, 2), (2, 2)])

    square = [[(3, 3)], [(1, 1)], [(2, 3, 3)], [(2, 1, 2, 2)], [(0, 2, 2)]]
    yield from rows(np.linalg.inv, "linalg.inv", *square, **REGULAR)
    yield from rows(np.linalg.det, "linalg.det", *square, **REGULAR)
    yield from rows(np.linalg.det, lambda x: torch.linalg.det(-x), *square,
                    call=lambda x: np.linalg.det(-x), **REGULAR)
    yield from rows(np.linalg.slogdet, lambda x: torch.linalg.slogdet(x)[1], *square,
                    call=lambda x: np.linalg.slogdet(x)[1],
                    also=[lambda x: np.linalg.slogdet(-x).logabsdet], **REGULAR)
    for n in (-2, -1, 0, 1, 2, 3, 5, 6):
        theirs = lambda x, n=n: torch.linalg.matrix_power(x, n) + 0 * x
        yield from rows(np.linalg.matrix_power, theirs, *square, then=(n,), **REGULAR)
    yield from rows(np.linalg.solve, "linalg.solve", [(3, 3), (3, 2)], [(2, 3, 3), (2, 3, 4)],
                    [(2, 3, 3), (3, 2)], [(3, 3), (2, 3, 2)], [(2, 1, 2, 2), (3, 2, 1)],
                    [(0, 2, 2), (0, 2, 1)], domain=("regular", "any"))
    yield from rows(  # PyTorch reads a batch of vectors where it can
        np.linalg.solve,
        lambda x, y: torch.linalg.solve(x, y[:, None])[..., 0],
        [(3, 3), (3,)],
        [(2, 3, 3), (3,)],
        [(1, 1), (1,)],
        domain=("regular", "any"),
    )
    in_a_row = lambda *xs: np.linalg.multi_dot(xs)
    yield from rows(np.linalg.multi_dot, operator.matmul, [(2, 3, 4), (4,)], call=in_a_row,
                    name="multi_dot of two")
    yield from rows(np.linalg.multi_dot, lambda *xs: torch.linalg.multi_dot(xs), [(2, 3), (3, 4), (4,)],
                    call=in_a_row, name="multi_dot of three")
    for form, theirs in (
        ({}, lambda x, y: torch.cross(x, y, dim=-1)),
        ({"axis": 0}, lambda x, y: torch.cross(x, y, dim=0)),
        ({"axisa": 1, "axisb": -1, "axisc": 0}, lambda x, y: torch.cross(x, y, dim=1).T),
    ):
        yield from rows(np.cross, theirs, [(3, 3), (3, 3)], **form)
    yield from rows(np.cross, lambda x, y: torch.linalg.cross(x, y.expand(2, 3)), [(2, 3), (3,)])
