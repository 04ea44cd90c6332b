"""The sizes and the choices of layers and of the three models, as a checkpoint stores them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import partial

from minigrad import errors
from minigrad.settings import Check, check, choice, real, whole

from .attention_sizes import AttentionSizes, check_heads, named_sizes
from .feed_forward import FEED_FORWARDS
from .positions import POSITIONS
from .residual import NORMS
from .scores import SCORES

TIED = {"none": "no weights", "target": "target embedding and output", "all": "both embeddings too"}
LAYERS = partial(whole, least=1, most=1000)
# Of what is not a whole number from 1.
CHECKS: dict[str, Check] = {
    "dropout": partial(real, below=1),
    "norm": partial(choice, names=NORMS),
    "activation": partial(choice, names=FEED_FORWARDS),
    "positions": partial(choice, names=POSITIONS),
    "score": partial(choice, names=SCORES),
    "tied": partial(choice, names=TIED),
    **dict.fromkeys(("layers", "encoder_layers", "decoder_layers"), LAYERS),
}


@named_sizes
@dataclass(frozen=True, kw_only=True)
class LayerSizes:
    """Sizes and choices of a layer; all layers of a model have the same.

    Args:
        width: D.
        heads: H; it must divide D.
        feed_forward: F.
        dropout: the probability, on embeddings and on what every part of a layer finds.
        norm: "post", after each sum, or "pre", before each part and once more at the end.
        activation: of the feed-forward layers: "relu", "gelu", "silu" or "gated".
        positions: "sinusoidal", "learned", "rotary" or "none"; only the rotary ones are the layers'.
        score: how queries and keys are compared, a name in `SCORES`.

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
    score: str = "scaled_dot"

    def __post_init__(self) -> None:
        size = partial(whole, least=1)
        check(self, {f.name: CHECKS.get(f.name, size) for f in fields(self)})
        check_heads(self.width, self.heads)

    @property
    def self_attention(self) -> AttentionSizes:
        """The attention to what the layer itself reads; rotary positions are turned there."""
        rotary = self.positions == "rotary"
        return AttentionSizes(self.width, self.heads, score=self.score, rotary=rotary)

    @property
    def cross_attention(self) -> AttentionSizes:
        """The attention to the source."""
        return AttentionSizes(self.width, self.heads, score=self.score)


@dataclass(frozen=True, kw_only=True)
class ModelSizes(LayerSizes):
    """Sizes and choices that every model has, beside those of its layers.

    Args:
        longest: how many positions there are to learn.
        tied: which matrices are one and the same: "none"; "target", the embedding of what is written
            and the output's; or "all", the source's embedding too.
        the other sizes: as for `LayerSizes`.
    """

    longest: int = 512
    tied: str = "none"


@named_sizes
@dataclass(frozen=True)
class Sizes(ModelSizes):
    """The sizes of an encoder-decoder.

    Args:
        source_symbols, target_symbols: N of each vocabulary, special symbols included.
        encoder_layers, decoder_layers: how many.
        the other sizes: as for every model.
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


@named_sizes
@dataclass(frozen=True)
class EncoderSizes(ModelSizes):
    """The sizes of an encoder-only model.

    Args:
        symbols: N of the vocabulary, special symbols included.
        layers: how many.
        the other sizes: as for every model.
    """

    symbols: int
    layers: int = 1
    activation: str = field(default="gelu", kw_only=True)
    positions: str = field(default="learned", kw_only=True)


@named_sizes
@dataclass(frozen=True)
class DecoderSizes(EncoderSizes):
    """The sizes of a decoder-only model. Args: as for `EncoderSizes`."""

    norm: str = field(default="pre", kw_only=True)
