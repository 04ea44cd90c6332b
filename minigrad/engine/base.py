"""The base of Tensor, for the files that come before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .kinds import KINDS, Kind

AnyArray = Any  # NumPy's, another library's such as Dask's, or a Tensor: rules compute with each


class BaseTensor:
    """An array, and the node that made it."""

    __slots__ = ("__weakref__", "_array", "_node")

    _is_symbol = False  # a symbol has no numbers: it notes the calls that are made with it

    _array: AnyArray
    _node: Any  # None for a result outside the graph, until somebody asks for its node
    dtype: np.dtype
    requires_grad: bool

    @staticmethod
    def _wrap(array: AnyArray, node: Any = None) -> Any:
        """Make a Tensor around an array that nothing else will write to."""
        raise NotImplementedError  # Tensor has it


KINDS[BaseTensor] = Kind(lambda value: isinstance(value, BaseTensor), "a Tensor")
