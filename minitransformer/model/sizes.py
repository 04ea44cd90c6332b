"""The sizes and the parts of the three models, as a checkpoint stores them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from minigrad import errors
from minigrad.settings import check, choice, real, whole

from .attention import SCORES
from .encoder import ENCODER_LAYERS
from .feed_forward import FEED_FORWARDS
from .multi_head import check_heads
from .positions import POSITIONS

TIED = {"none": "no weights", "target": "target embedding and output", "all": "both embeddings too"}
# Of what is not a whole number from 1.
CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "dropout": partial(real, below=1),
    "norm": partial(choice, names=ENCODER_LAYERS),
    "activation": partial(choice, names=FEED_FORWARDS),
    "positions": partial(choice, names=POSITIONS),
    "score": partial(choice, names=SCORES),
    "tied": partial(choice, names=TIED),
}


@dataclass(frozen=True, kw_only=True)
class Common:
    """Sizes and choices that every model has.

    Args:
        width: D.
        heads: H; it must divide D.
        feed_forward: F.
        dropout: the probability, on embeddings and on every part's output.
        norm: "post", after each part, or "pre", before it and once more at the end.
        activation: of the feed-forward layers: "relu", "gelu", "silu" or "gated".
        positions: "sinusoidal", "learned", "rotary" or "none".
        longest: how many positions there are to learn.
        score: how queries and keys are compared, a name in `SCORES`.
        tied: which matrices are one and the same: "none"; "target", the embedding of what is written
            and the output's; or "all", the source's embedding too.

    Raises:
        ConfigError: for sizes that cannot go together.
    """

    width: int = 64
    heads: int = 4
    feed_forward: int = 128
    dropout: float = 0.0
    norm: str = "post"
    activation: str = "relu"
    positions: str = "sinusoidal"
    longest: int = 512
    score: str = "scaled_dot"
    tied: str = "none"

    def __post_init__(self) -> None:
        size = partial(whole, least=1)
        check(self, {f.name: CHECKS.get(f.name, size) for f in fields(self)})
        check_heads(self.width, self.heads)

    @property
    def layer(self) -> dict[str, Any]:
        """The arguments for `Encoder` and `Decoder`, without the number of layers."""
        return {
            "width": self.width,
            "heads": self.heads,
            "feed_forward": self.feed_forward,
            "dropout": self.dropout,
            "norm": self.norm,
            "activation": self.activation,
            "score": self.score,
            "rotary": self.positions == "rotary",
        }


@dataclass(frozen=True)
class Sizes(Common):
    """The sizes of an encoder-decoder.

    Args:
        source_symbols, target_symbols: N of each vocabulary, special symbols included.
        encoder_layers, decoder_layers: how many.
        others: as for every model.
    """

    source_symbols: int
    target_symbols: int
    encoder_layers: int = 1
    decoder_layers: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tied == "all" and self.source_symbols != self.target_symbols:
            raise errors.ConfigError(
                f"tied='all' makes one matrix of both embeddings, and the vocabularies have "
                f"{self.source_symbols} and {self.target_symbols} symbols: give both the same"
            )


@dataclass(frozen=True)
class EncoderSizes(Common):
    """The sizes of an encoder-only model.

    Args:
        symbols: N of the vocabulary, special symbols included.
        layers: how many.
        others: as for every model.
    """

    symbols: int
    layers: int = 1
    activation: str = field(default="gelu", kw_only=True)
    positions: str = field(default="learned", kw_only=True)


@dataclass(frozen=True)
class DecoderSizes(EncoderSizes):
    """The sizes of a decoder-only model. Args: as for `EncoderSizes`."""

    norm: str = field(default="pre", kw_only=True)
