"""The numbers of PyTorch's tensors as arrays."""

from __future__ import annotations

import functools

import numpy as np
import torch

from .. import errors
from .functorch import is_wrapped


def has_numbers(theirs: torch.Tensor) -> bool:
    """Tell whether a tensor has numbers of its own: not in a lazy module at first, nor in vmap."""
    return not is_wrapped(theirs) and not hasattr(theirs, "materialize")


def array_of(theirs: torch.Tensor) -> np.ndarray:
    """The numbers of one of PyTorch's tensors; floats of 16 bits as float32.

    Raises:
        UnsupportedError: if it has no numbers, as on the device "meta".
    """
    if theirs.is_meta:
        raise errors.UnsupportedError(
            f"a tensor of shape {tuple(theirs.shape)} on the device 'meta' has no numbers: give it "
            f"some first, by model.to_empty(device='cpu') and weights"
        )
    plain = theirs.detach().resolve_conj().resolve_neg()
    if plain._is_zerotensor():  # PyTorch has no memory for it
        plain = plain.clone()
    if plain.is_floating_point() and plain.dtype != torch.float64:
        plain = plain.float()
    plain = plain.to_dense().cpu() if plain.is_sparse else plain.cpu()
    return np.from_dlpack(plain)  # .numpy() would forbid PyTorch to resize it


@functools.cache
def numpy_dtype(dtype: torch.dtype) -> np.dtype:
    """The dtype of `array_of`."""
    return array_of(torch.empty(0, dtype=dtype)).dtype
