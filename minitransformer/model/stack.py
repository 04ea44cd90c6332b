"""Layers one after the other: what an encoder and a decoder have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from minigrad.nn import Module, ModuleList
from minigrad.settings import whole

from .choices import chosen
from .layer_norm import LayerNorm


class Stack(Module):
    """`layers` layers of one kind, and the normalisation after them, if there is one.

    Args:
        layers: how many, from 1.
        norm: "post" or "pre": where each layer normalises.
        final_norm: whether the last layer's output is normalised too (default: only with "pre",
            where no layer does it).
        others: as for the layers.

    Raises:
        ConfigError: for sizes that no layer can have.
    """

    kinds: ClassVar[Mapping[str, type[Module]]]  # of layers, by where they normalise

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        feed_forward: int,
        dropout: float = 0.0,
        *,
        norm: str = "post",
        final_norm: bool | None = None,
        **others: Any,
    ):
        layer: Any = chosen(self.kinds, norm, "norm")
        self.layers = ModuleList(
            layer(width, heads, feed_forward, dropout, **others)
            for _ in range(whole("layers", layers, least=1))
        )
        final_norm = norm == "pre" if final_norm is None else final_norm
        self.norm = LayerNorm(width) if final_norm else None
