"""Several attentions side by side, each in a separate space."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from minigrad import Array, errors
from minigrad.nn import Module
from minigrad.settings import whole

from .attention import Labels, Score, attention, scaled_dot, score_named
from .cache import Cache
from .positions import rotary
from .projection import OfHeads, ToHeads


class MultiHeadAttention(Module):
    """Let each position ask a question of all others, one in each head, and mix what they answer.

    Concat(head_1 ... head_H) W_O, with head_h = attention(Q W_Q^h, C W_K^h, C W_V^h)
    (Vaswani et al., 2017, section 3.2.2; Phuong & Hutter, 2022, algorithm 5; lesson 09).

    The weights of all heads stand side by side: `query.weight` is (D, HK), `key.weight` (C, HK),
    `value.weight` (C, HV), `output.weight` (HV, output width).

    Args:
        width: D, of the queries.
        heads: H.
        context_width: C, of what is attended to (default: D). A pair, if keys and values are made
            from inputs of different widths.
        key_width: K, of a head's queries and keys (default: D / H).
        value_width: V, of a head's values (default: K).
        output_width: of the result (default: D).
        bias: True, False, or the projections that have one, of "query", "key", "value", "output".
        score: how queries and keys are compared, or its name in `SCORES`; one that learns, given by
            its name, has separate weights for each head.
        phi: what makes the scores positive.
        join: "concat", as above, or "add": the heads' outputs are added, with no projection after
            them, and the default of V is the output width.
        rotary: turn queries and keys by their positions; for self-attention.

    Raises:
        ConfigError: for widths below 1, or that cannot go together: H does not divide D and no key
            width is given, K is odd and `rotary`, or heads are added that are not as wide as the
            output.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        context_width: int | tuple[int, int] | None = None,
        key_width: int | None = None,
        value_width: int | None = None,
        output_width: int | None = None,
        bias: bool | Collection[str] = True,
        score: Score | str = scaled_dot,
        phi: Callable[[Array], Array] = np.exp,
        join: str = "concat",
        rotary: bool = False,
    ):
        width, heads = whole("width", width, least=1), whole("heads", heads, least=1)
        if key_width is None:
            check_heads(width, heads)
        size = lambda name, value, default: default if value is None else whole(name, value, 1)
        K = size("key_width", key_width, width // heads)
        output_width = size("output_width", output_width, width)
        V = size("value_width", value_width, output_width if join == "add" else K)
        pair = context_width if isinstance(context_width, tuple) else (context_width,) * 2
        C = [size("context_width", one, width) for one in pair]
        _check_options(bias, join, rotary, K, V, output_width)
        has_bias = lambda name: name in bias if isinstance(bias, Collection) else bias
        self.query = ToHeads(width, heads, K, has_bias("query"))
        self.key = ToHeads(C[0], heads, K, has_bias("key"))
        self.value = ToHeads(C[1], heads, V, has_bias("value"))
        self.output = None
        if join == "concat":
            self.output = OfHeads(heads, V, output_width, has_bias("output"))
        self.heads = heads
        self.score = score_named(score, K, heads) if isinstance(score, str) else score
        self.phi = phi
        self.rotary = rotary

    def forward(
        self,
        query: Array,
        context: Array | None = None,
        mask: np.ndarray | None = None,
        *,
        key: Array | None = None,
        value: Array | None = None,
        labels: Labels | None = None,
        cache: Cache | None = None,
    ) -> tuple[Array, Array]:
        """Let each position of `query` attend to the positions of `context`.

        Args:
            query: (B, T, D).
            context: (B, S, C), from which keys and values are made: `query` itself for
                self-attention.
            mask: booleans that broadcast to (B, H, T, S); True = may be attended to. A query that may
                attend to nothing gets the output projection's bias.
            key: (B, S, C), in place of the context for the keys.
            value: (B, S, C), in place of the context for the values, as many as the keys.
            labels: the tokens of the queries and those of the keys, for the weights to be returned
                with.
            cache: what was attended to in earlier calls, and still is: keys and values of this
                context are added to it.

        Returns:
            The output (B, T, output width), and the weights (B, H, T, S).

        Raises:
            ShapeError: if a width is not the one this attention was made for, if keys and values
                differ in number, or if the mask or the labels do not fit.
        """
        key = context if key is None else key
        value = context if value is None else value
        self.check(query=query, key=key, value=value)
        q = self.query(query)  # (B, H, T, K)
        k = self.key(key)  # (B, H, S, K)
        v = self.value(value)  # (B, H, S, V)
        if self.rotary:
            offset = 0 if cache is None else cache.length(self)
            q, k = rotary(q, offset), rotary(k, offset)
        if cache is not None:
            k, v = cache.grow(self, k, v)
        heads, weights = attention(
            q, k, v, mask, score=self.score, phi=self.phi, labels=labels
        )  # (B, H, T, V), (B, H, T, S)
        if self.output is None:
            return np.sum(heads, axis=-3), weights  # (B, T, V)
        return self.output(heads), weights  # (B, T, D)

    def check(self, **inputs: Any) -> None:
        """Check that the inputs of the projections have the right widths.

        Raises:
            ShapeError: if one is not, or is missing.
        """
        for name, x in inputs.items():
            if x is None:
                raise errors.ShapeError(
                    f"there is nothing to make the {name} from: call attention(query, context), or "
                    f"attention(query, key=..., value=...)"
                )
            width = getattr(self, name).weight.shape[0]
            if len(x.shape) < 2 or x.shape[-1] != width:
                raise errors.ShapeError(
                    f"the {name} is made from an input {x.shape}, and this attention was made for "
                    f"(batch, positions, {width})"
                )

    def describe(self) -> str:
        return f"{self.heads} heads"


def check_heads(width: int, heads: int) -> None:
    """Check that each of the heads can have an equal part of the width.

    Raises:
        ConfigError: if not.
    """
    if width % heads:
        raise errors.ConfigError(
            f"{heads} heads do not divide a width of {width}: choose a width that is a multiple of "
            f"the number of heads"
        )


def _check_options(
    bias: bool | Collection[str], join: str, rotary: bool, K: int, V: int, output_width: int
) -> None:
    if join not in ("concat", "add"):
        raise errors.ConfigError(f"heads are joined by 'concat' or 'add', not {join!r}")
    if join == "add" and output_width != V:
        raise errors.ConfigError(
            f"heads {V} wide are added, and the output is to be {output_width} wide: leave out one of "
            f"value_width and output_width, or make them equal"
        )
    if rotary and K % 2:
        raise errors.ConfigError(f"rotary positions turn pairs of numbers, and a key has {K}")
    named = set() if isinstance(bias, bool) else set(bias)
    unknown = named - {"query", "key", "value", "output"}
    if unknown or isinstance(bias, str) or (join == "add" and "output" in named):
        raise errors.ConfigError(
            f"bias is True, False, or a collection of the projections that have one, "
            f"'query', 'key', 'value'{', ' + repr('output') if join == 'concat' else ''}: not {bias!r}"
        )
