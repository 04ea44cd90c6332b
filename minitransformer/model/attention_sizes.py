"""The sizes and the choices of an attention with several heads, checked in one place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from minigrad import errors
from minigrad.engine.errors import described
from minigrad.engine.kinds import named
from minigrad.settings import Check, check, choice, flag, function, whole

from .attention import Score
from .scores import SCORES

S = TypeVar("S")
PROJECTIONS = "query", "key", "value", "output"


class Widths(NamedTuple):
    """The widths of an attention, with none left out.

    Attributes:
        key, value: K and V, of one head.
        key_context, value_context: C, of what keys and of what values are made from.
        output: of the result.
    """

    key: int
    value: int
    key_context: int
    value_context: int
    output: int


def named_sizes(kind: type[S]) -> type[S]:
    """Decorate a class of sizes: a call with an unknown name raises an error with the right ones."""
    kind.__init__ = named(kind.__init__)  # type: ignore[method-assign, misc]
    return kind


@named_sizes
@dataclass(frozen=True)
class AttentionSizes:
    """Sizes and choices of an attention with several heads.

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
        join: "concat", the heads' outputs beside each other and a projection of them, or "add": their
            sum, with no projection after it, and the default of V is the output width.
        rotary: turn queries and keys by their positions; for self-attention.

    Raises:
        ConfigError: for widths below 1, or that cannot go together: H does not divide D and no key
            width is given, K is odd and `rotary`, or heads are added that are not as wide as the
            output.
    """

    width: int
    heads: int
    _: KW_ONLY
    context_width: int | tuple[int, int] | None = None
    key_width: int | None = None
    value_width: int | None = None
    output_width: int | None = None
    bias: bool | Collection[str] = True
    score: Score | str = "scaled_dot"
    join: str = "concat"
    rotary: bool = False

    def __post_init__(self) -> None:
        check(self, CHECKS)
        if self.key_width is None:
            check_heads(self.width, self.heads)
        w = self.widths
        if self.join == "add" and w.output != w.value:
            raise errors.ConfigError(
                f"heads {w.value} wide are added, and the output is to be {w.output} wide: leave out "
                f"one of value_width and output_width, or make them equal"
            )
        if self.rotary and w.key % 2:
            raise errors.ConfigError(
                f"rotary positions turn pairs of numbers, and a key has {w.key}"
            )
        _check_bias(self.bias, PROJECTIONS if self.join == "concat" else PROJECTIONS[:3])

    @property
    def widths(self) -> Widths:
        """All widths, the default ones too."""
        key = self.key_width or self.width // self.heads
        output = self.output_width or self.width
        value = self.value_width or (output if self.join == "add" else key)
        context = self.context_width or self.width
        pair = context if isinstance(context, tuple) else (context, context)
        return Widths(key, value, *pair, output)

    def has_bias(self, projection: str) -> bool:
        """Tell whether the projection of that name has a bias.

        Raises:
            ConfigError: if there is none of that name.
        """
        choice("projection", projection, PROJECTIONS)
        return self.bias if isinstance(self.bias, bool) else projection in self.bias


# --- checks ---------------------------------------------------------------------------------------


def _width(name: str, value: int | None) -> int | None:
    return None if value is None else whole(name, value, least=1)


def _context(name: str, value: Any) -> Any:
    if not isinstance(value, tuple):
        return _width(name, value)
    if len(value) != 2:
        raise errors.ConfigError(f"{name} is one width, or a pair of them, not {described(value)}")
    return tuple(_width(name, one) for one in value)


def _check_bias(bias: Any, projections: Sequence[str]) -> None:
    several = isinstance(bias, Collection) and not isinstance(bias, (str, np.ndarray))
    if not (all(one in projections for one in bias) if several else isinstance(bias, bool)):
        raise errors.ConfigError(
            f"bias is True, False, or a collection of the projections that have one, "
            f"{', '.join(map(repr, projections))}: not {described(bias)}"
        )


def _score(name: str, value: object) -> Any:
    return choice(name, value, SCORES) if isinstance(value, str) else function(name, value)


CHECKS: dict[str, Check] = {
    "width": partial(whole, least=1),
    "heads": partial(whole, least=1),
    "context_width": _context,
    **dict.fromkeys(("key_width", "value_width", "output_width"), _width),
    "score": _score,
    "join": partial(choice, names=("concat", "add")),
    "rotary": flag,
}


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


def check_sizes(sizes: object, kind: type[S], exactly: bool = False) -> S:
    """Return `sizes`.

    Args:
        exactly: whether sizes of a model that adds something to `kind` are refused too.

    Raises:
        ConfigError: if they are not of this kind.
    """
    if not isinstance(sizes, kind) or (exactly and type(sizes) is not kind):
        raise errors.ConfigError(f"sizes are {kind.__name__}(...), not {described(sizes)}")
    return sizes
