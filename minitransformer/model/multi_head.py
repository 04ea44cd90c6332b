"""Several attentions side by side, each in a separate space."""

from __future__ import annotations

import numpy as np

from minigrad import Array, Tensor, errors
from minigrad.engine.errors import described
from minigrad.engine.kinds import named
from minigrad.nn import Module

from .attention import attention
from .attention_sizes import AttentionSizes, check_sizes
from .cache import Cache
from .positions import rotary
from .projection import OfHeads, ToHeads
from .scores import score_named

CALLS = (
    "call attention(x, x) for self-attention, attention(query, context), or attention(query, key=..., "
    "value=...)"
)


class MultiHeadAttention(Module):
    """Let each position ask those that it may see, one question in each head, and mix what they answer.

    Concat(head_1 ... head_H) W_O, with head_h = attention(Q W_Q^h, C W_K^h, C W_V^h)
    (Vaswani et al., 2017, section 3.2.2; Phuong & Hutter, 2022, algorithm 5; lesson 09).

    The weights of all heads stand side by side: `query.weight` is (D, HK), `key.weight` (C, HK),
    `value.weight` (C, HV), `output.weight` (HV, output width).

    Args:
        sizes: its widths, and the choices beside them.
    """

    @named
    def __init__(self, sizes: AttentionSizes):
        s = check_sizes(sizes, AttentionSizes)
        w, H = s.widths, s.heads
        self.query = ToHeads(s.width, H, w.key, s.has_bias("query"))
        self.key = ToHeads(w.key_context, H, w.key, s.has_bias("key"))
        self.value = ToHeads(w.value_context, H, w.value, s.has_bias("value"))
        self.output = None
        if s.join == "concat":
            self.output = OfHeads(H, w.value, w.output, s.has_bias("output"))
        self.heads, self.rotary = H, s.rotary
        self.score = score_named(s.score, w.key, H) if isinstance(s.score, str) else s.score

    def forward(
        self,
        query: Array,
        context: Array | None = None,
        mask: np.ndarray | None = None,
        *,
        key: Array | None = None,
        value: Array | None = None,
        cache: Cache | None = None,
        stays: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Let each position of `query` attend to the positions of `context`.

        Args:
            query: (B, T, D).
            context: (B, S, C), from which keys and values are made: `query` itself for
                self-attention.
            mask: booleans that broadcast to (B, H, T, S); True = may be attended to. Of keys (B, S)
                write mask[:, None, None, :], of queries and keys (B, T, S) mask[:, None]. A query that
                may attend to nothing gets what the output projection makes of zeros: its bias, if it
                has one.
            key: (B, S, C), in place of the context for the keys.
            value: (B, S, C), in place of the context for the values, as many as the keys.
            cache: the keys and values of earlier calls, which come before those of this context.
            stays: whether the context is the same in each call with this cache, as a source is: its
                keys and values are made in the first call, and only remembered after it.

        Returns:
            The output (B, T, output width), and the weights (B, H, T, S).

        Raises:
            ShapeError: if a width is not the one this attention was made for, if keys and values
                differ in number, or if the mask does not fit, or has three axes of which the first
                is not of size 1.
            DTypeError: if the mask is not of booleans.
        """
        if mask is not None:
            _check_axes(mask)
        key = context if key is None else key
        value = context if value is None else value
        # The number of positions that the cache has; S, if the context stays.
        known = 0 if cache is None else cache.length(self)
        self._check_widths(query=query)
        q = self.query(query)  # (B, H, T, K)
        q = rotary(q, known) if self.rotary else q
        if cache is not None and stays and known:
            k, v = cache.kept(self)  # (B, H, S, K), (B, H, S, V)
        else:
            self._check_widths(key=key, value=value)
            k = self.key(key)  # type: ignore[arg-type]  # (B, H, S, K)
            v = self.value(value)  # type: ignore[arg-type]  # (B, H, S, V)
            k = rotary(k, known) if self.rotary else k
            if cache is not None:
                k, v = cache.grow(self, k, v)  # the earlier ones come first
        heads, weights = attention(q, k, v, mask, score=self.score)  # (B, H, T, V), (B, H, T, S)
        if self.output is None:
            return np.sum(heads, axis=-3), weights  # (B, T, V)
        return self.output(heads), weights  # (B, T, D)

    def _check_widths(self, **inputs: Array | None) -> None:
        """Check that the inputs of the projections have the right widths.

        Raises:
            ShapeError: if one is not, or is missing.
        """
        for name, x in inputs.items():
            if x is None:
                raise errors.ShapeError(f"there is nothing to make the {name} from: {CALLS}")
            width = getattr(self, name).weight.shape[0]
            if len(x.shape) < 2 or x.shape[-1] != width:
                raise errors.ShapeError(
                    f"the {name} is made from an input {x.shape}, and this attention was made for "
                    f"(batch, positions, {width})"
                )

    def describe(self) -> str:
        return f"{self.heads} heads"


def _check_axes(mask: np.ndarray) -> None:
    """Refuse a mask of three axes: NumPy would take one of each of a batch for one of each head.

    Raises:
        ShapeError, DTypeError: if it is one.
    """
    if len(getattr(mask, "shape", ())) != 3:
        return
    if mask.dtype.kind == "f":
        raise errors.DTypeError(
            f"the third argument is the mask, of booleans, not {described(mask)}: {CALLS}; of a mask "
            f"of ones and zeros write mask == 1, of 0 and -inf mask == 0"
        )
    if mask.shape[0] == 1:
        return
    raise errors.ShapeError(
        f"a mask {mask.shape} is of four axes here: write mask[:, None] for one of each of a batch, "
        f"mask[None] for one of each head"
    )
