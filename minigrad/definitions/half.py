"""Half precision: sums and counts beyond 65,504, where float16 ends."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..engine.kinds import Function

HALF = np.dtype(np.float16)


def in_single(body: Function) -> Function:
    """Have `body` compute with float32 in place of float16, and round its result: as NumPy's mean does.

    If an argument is of a wider dtype, the result is wide in any case, and nothing is converted.
    """

    @functools.wraps(body)
    def call(*args: object, **kwargs: object) -> Any:
        first = args[0] if args else next(iter(kwargs.values()), None)
        if getattr(first, "dtype", None) != HALF:
            return body(*args, **kwargs)
        dtypes = (a.dtype for a in (*args, *kwargs.values()) if hasattr(a, "dtype"))
        if any(dtype.kind == "f" and dtype != HALF for dtype in dtypes):
            return body(*args, **kwargs)
        y = body(*map(_single, args), **{k: _single(v) for k, v in kwargs.items()})
        return y.astype(HALF)

    return call  # type: ignore[return-value]


def _single(a: Any) -> Any:
    return a.astype(np.float32) if getattr(a, "dtype", None) == HALF else a
