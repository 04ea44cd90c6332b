"""The stages of a model, in the order in which they compute: what the picture of a reading shows."""

from __future__ import annotations

from collections.abc import Iterator

from minigrad.nn import Module
from minigrad.views.page.stages import Stage

from ..model.decoder import Decoder, DecoderLayer
from ..model.decoder_only import DecoderOnly
from ..model.encoder import Encoder
from ..model.transformer import Transformer

BEGINS = "symbols {of} become vectors"
GATHERS = "each looks at the others"
LOOKS_BACK = "the next symbol looks back"
LOOKS_OVER = "it looks at the line"
WORKS_OUT = "each works out what it stands for"
TURNS = "this becomes what to write"
ENDS = "each symbol gets a score"
ALIKE = "Nothing of its neighbours is in it yet. Cut, all these symbols are alike{but}."
PLACES = ", but for their places"


def stages(model: Transformer | DecoderOnly) -> list[Stage]:
    """The embeddings, attentions, feed-forwards and the unembedding of `model`."""
    paths: dict[Module, str] = {}
    for path, part in model.named_modules():
        paths.setdefault(part, path)  # what both sides share has one path
    alike = ALIKE.format(but="" if model.sizes.positions == "none" else PLACES)

    def embedding(part: Module, side: str, name: str, of: str) -> Stage:
        return Stage(paths[part], name, BEGINS.format(of=of), None, side, None, alike)

    if isinstance(model, Transformer):
        before = [
            embedding(model.source_embedding, "source", "source embedding", "of the line"),
            *_of_layers(paths, "source", model.encoder),
            embedding(model.target_embedding, "target", "target embedding", "written"),
            *_of_layers(paths, "target", model.decoder),
        ]
    else:
        before = [
            embedding(model.embedding, "target", "embedding", "of the text"),
            *_of_layers(paths, "target", model.stack),
        ]
    return [
        *before,
        Stage(paths[model.unembedding], "unembedding", ENDS, None, "target", None, None),
    ]


def _of_layers(paths: dict[Module, str], side: str, stack: Encoder | Decoder) -> Iterator[Stage]:
    """The stages of all layers of a side."""
    for number, layer in enumerate(stack.layers, 1):
        path = paths[layer]
        looks, works = (GATHERS, WORKS_OUT) if side == "source" else (LOOKS_BACK, TURNS)
        yield Stage(f"{path}.self_attention", "self-attention", looks, number, side, side)
        if isinstance(layer, DecoderLayer):
            yield Stage(
                f"{path}.cross_attention", "cross-attention", LOOKS_OVER, number, side, "source"
            )
        yield Stage(f"{path}.feed_forward", "feed-forward", works, number, side, None)
