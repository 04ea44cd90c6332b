"""Layer normalisation: each position's numbers brought to mean 0 and variance 1, then rescaled."""

from __future__ import annotations

import numpy as np

from minigrad import Array, Tensor
from minigrad.functional import layer_norm
from minigrad.nn import Module, Parameter
from minigrad.settings import real, whole


class LayerNorm(Module):
    """Bring each position's numbers to one size, so that no layer drowns out another.

    standardize(x) * gain + bias over the last axis (Ba et al., 2016, equation 4;
    Phuong & Hutter, 2022, algorithm 6; lesson 11).

    Args:
        width: D, of the last axis.
        eps: added to the variance, so that equal numbers do not divide by zero.

    Raises:
        ConfigError: if the width is not a whole number from 1, or eps no finite number from 0.
    """

    def __init__(self, width: int, eps: float = 1e-5):
        width = whole("width", width, least=1)
        self.gain = Parameter([1.0] * width)  # (D,)
        self.bias = Parameter([0.0] * width)  # (D,)
        self.eps = real("eps", eps)

    def forward(self, x: Array) -> Tensor:
        return layer_norm(x, self.gain, self.bias, self.eps)  # (..., D)

    def describe(self) -> str:
        return f"{np.size(self.gain)}"
