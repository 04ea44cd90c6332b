"""Rows: decompositions of matrices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .in_pytorch import like, torch
from .inputs import REGULAR
from .row import Row, rows

# fmt: off

def decompositions() -> Iterator[Row]:
    """Of vectors whose sign is any, PyTorch is asked for the absolute values."""
    la, apart = np.linalg, {"domain": "regular, apart"}
    lower, upper = lambda x: like.lower(x), lambda x: like.lower(x.mT)
    square = [[(3, 3)], [(1, 1)], [(2, 3, 3)], [(0, 2, 2)], [(0, 0)]]
    for then, half in (((), lower), (("U",), upper)):
        yield from rows(la.eigh, None, *square, then=then, **apart)
        yield from rows(la.eigh, lambda x, half=half: abs(torch.linalg.eigh(half(x))[1]), *square,
                        call=lambda x, then=then: abs(la.eigh(x, *then)[1]),
                        name=f"vectors of eigh{then}", smooth=False, **apart)
    yield from rows(la.eigvalsh, lambda x: torch.linalg.eigvalsh(lower(x)), *square,
                    also=[lambda x: la.eigh(x).eigenvalues], **apart)
    yield from rows(la.cholesky, lambda x: torch.linalg.cholesky(lower(x)), *square, **REGULAR)
    yield from rows(la.cholesky, lambda x: torch.linalg.cholesky(upper(x)).mT, *square, upper=True,
                    **REGULAR)
    yield from rows(la.pinv, lambda x: torch.linalg.pinv(lower(x)), *square, hermitian=True, **REGULAR)
    yield from rows(la.svd, None, *square, **apart)
    yield from rows(la.qr, "linalg.qr", *square, then=("complete",), **apart)

    wide = [[(3, 3)], [(4, 2)], [(2, 4)], [(2, 3, 2)], [(0, 2, 3)], [(3, 0)], [(0, 3)]]
    yield from rows(la.svd, None, *wide, full_matrices=False, **apart)
    for i in (0, 2):
        theirs = lambda x, i=i: abs(torch.linalg.svd(x, full_matrices=False)[i])
        yield from rows(la.svd, theirs, *wide, call=lambda x, i=i: abs(la.svd(x, False)[i]),
                        name=f"vectors {i} of svd", smooth=False, **apart)
    yield from rows(la.svdvals, "linalg.svdvals", *wide,
                    also=[lambda x: la.svd(x).S, lambda x: la.svd(x, compute_uv=False)], **apart)
    yield from rows(la.qr, "linalg.qr", *wide, **apart)
    yield from rows(la.qr, lambda x: torch.linalg.qr(x)[1], *wide, mode="r", **apart)
    yield from rows(la.pinv, "linalg.pinv", *wide, also=[lambda x: la.pinv(x, 1e-12)], **apart)
    solution = lambda x, y: torch.linalg.pinv(x) @ y
    several = [[s, (s[0], *more)] for (s,) in wide if len(s) == 2 for more in ((), (2,))]
    yield from rows(la.lstsq, solution, *several, call=lambda x, y: la.lstsq(x, y)[0],
                    domain=("regular, apart", "any"))
    yield from rows(la.lstsq, lambda x, y: ((y - x @ solution(x, y)) ** 2).reshape(4, -1).sum(0),
                    [(4, 2), (4,)], [(4, 2), (4, 2)], call=lambda x, y: la.lstsq(x, y, None)[1],
                    domain=("regular, apart", "any"))
    for order in ("nuc", 2, -2):
        yield from rows(la.matrix_norm, "linalg.matrix_norm", [(2, 3, 3)], ord=order)
