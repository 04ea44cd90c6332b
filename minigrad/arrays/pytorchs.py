"""Tensors of PyTorch's, where an array is expected. PyTorch need not be installed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.errors import FailedCall
from ..engine.failures import BETTER_REASONS


def is_pytorchs(value: object) -> bool:
    """Tell whether a value is of a class of PyTorch's."""
    return any(kind.__module__.partition(".")[0] == "torch" for kind in type(value).__mro__)


def array_of_pytorchs(value: Any) -> np.ndarray:
    """The array of a tensor. NumPy itself takes none with a gradient, and none of bfloat16."""
    value = value.detach().cpu()
    return np.asarray(value.float() if value.dtype.itemsize == 2 else value)


def _is_no_array(call: FailedCall) -> str:
    is_given = any(map(is_pytorchs, (*call.args, *call.kwargs.values())))
    return "a tensor of PyTorch's is no array: write x.detach().numpy() for it" if is_given else ""


BETTER_REASONS.append(_is_no_array)
