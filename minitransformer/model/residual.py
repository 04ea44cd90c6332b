"""The residual: what a part finds is added to what there was, and one of the two is normalised."""

from __future__ import annotations

from minigrad import Array, Tensor
from minigrad.nn import Dropout, Module
from minigrad.settings import choice

from .layer_norm import LayerNorm

NORMS = {"post": "the sum is normalised", "pre": "what the part reads is normalised"}


class Residual(Module):
    """Add what a part finds to what was there, so that nothing is lost.

        y = part(residual.before(x))
        x = residual.after(x, y)

    This is norm(x + part(x)) with "post" (Vaswani et al., 2017, section 3.1), and x + part(norm(x))
    with "pre": from one end of a stack to the other, x is only ever added to (Xiong et al., 2020,
    figure 1b; lesson 11).

    Args:
        width: D.
        norm: "post" or "pre": where it normalises.
        dropout: the probability, applied to what the part finds.

    Raises:
        ConfigError: for another norm, a width that is not a whole number from 1, or a dropout that is
            no number from 0 to below 1.
    """

    def __init__(self, width: int, norm: str = "post", dropout: float = 0.0):
        self.pre = choice("norm", norm, NORMS) == "pre"
        self.norm = LayerNorm(width)
        self.dropout = Dropout(dropout)

    def before(self, x: Array) -> Tensor:
        """Return what the part reads: x (B, T, D), normalised with "pre"."""
        return self.norm(x) if self.pre else x  # (B, T, D)

    def after(self, x: Array, y: Tensor) -> Tensor:
        """The sum of x and of what the part found, y (B, T, D): normalised with "post"."""
        x = x + self.dropout(y)
        return x if self.pre else self.norm(x)  # (B, T, D)

    def describe(self) -> str:
        return f"{'pre' if self.pre else 'post'}-norm"
