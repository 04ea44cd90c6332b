"""max(x, 0): NumPy compares two arrays in half the time of an array and a number."""

from __future__ import annotations

import numpy as np

from .. import functional as F
from ..engine.table import AnyArray
from .common import in_rows, kernel, operation


@kernel(F.relu)
def relu(x: AnyArray) -> AnyArray:
    """`functional.relu`, of rows."""
    return relu_of_rows(x) if in_rows(x) else NotImplemented


def relu_of_rows(x: AnyArray) -> AnyArray:
    """max(x, 0), by comparing each row with one of zeros."""
    return np.maximum(x, np.zeros(x.shape[-1:], x.dtype))


# Converted first: inside the product, NumPy takes twice as long.
relu_of_rows = operation(relu_of_rows, lambda g, y, _x: np.greater(y, 0).astype(g.dtype) * g)
