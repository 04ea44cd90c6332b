"""The stages of a model, in the order in which they compute: what the picture of a reading shows."""

from __future__ import annotations

from collections.abc import Iterator

from minigrad.nn import Module
from minigrad.views.page.stages import Stage

from ..model.decoder import DecoderLayer
from ..model.encoder import EncoderLayer

GATHERS = "each symbol of the line looks at the others"
LOOKS_BACK = "the next symbol looks back at those before it"
LOOKS_OVER = "the next symbol looks at the line that was read"
WORKS = "each works alone on what it has gathered"


def stages(model: Module) -> list[Stage]:
    """The attentions and feed-forwards of `model`, first those that read a source, if it has one."""
    layers = [
        (path, part)
        for path, part in model.named_modules()
        if isinstance(part, (EncoderLayer, DecoderLayer))
    ]
    has_source = any(isinstance(layer, DecoderLayer) for _, layer in layers)
    return [stage for path, layer in layers for stage in _of_layer(path, layer, has_source)]


def _of_layer(path: str, layer: Module, has_source: bool) -> Iterator[Stage]:
    """The stages of one layer; that of an encoder reads the source, unless there is none."""
    number = int(path.rpartition(".")[2]) + 1
    side = "source" if isinstance(layer, EncoderLayer) and has_source else "target"
    about = GATHERS if side == "source" else LOOKS_BACK
    yield Stage(f"{path}.self_attention", "self-attention", about, number, side, side)
    if isinstance(layer, DecoderLayer):
        yield Stage(
            f"{path}.cross_attention", "cross-attention", LOOKS_OVER, number, side, "source"
        )
    yield Stage(f"{path}.feed_forward", "feed-forward", WORKS, number, side, None)
