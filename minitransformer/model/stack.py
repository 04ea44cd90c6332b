"""Layers one after the other: what an encoder and a decoder have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from minigrad import Array, Tensor
from minigrad.nn import Module, ModuleList
from minigrad.settings import flag, whole

from .attention_sizes import check_sizes
from .layer_norm import LayerNorm
from .sizes import LayerSizes


class Stack(Module):
    """`layers` layers of one kind, and the normalisation after them, if there is one.

    Args:
        layers: how many, from 1.
        sizes: of each layer.
        final_norm: whether the last layer's output is normalised too (default: only with "pre",
            where no layer does it).

    Raises:
        ConfigError: if the number of layers is not a whole number from 1.
    """

    kind: ClassVar[type[Module]]  # of the layers

    def __init__(self, layers: int, sizes: LayerSizes, final_norm: bool | None = None):
        kind: Any = self.kind
        check_sizes(sizes, LayerSizes)
        self.layers = ModuleList(kind(sizes) for _ in range(whole("layers", layers, least=1)))
        final_norm = sizes.norm == "pre" if final_norm is None else flag("final_norm", final_norm)
        self.norm = LayerNorm(sizes.width) if final_norm else None

    def end(self, x: Array) -> Tensor:
        """Normalise what the last layer gave (B, T, D), if this stack does so."""
        return x if self.norm is None else self.norm(x)  # (B, T, D)
