"""One reading explained: a page that goes through everything that the model did, step by step.

The model writes by itself, symbol by symbol. Then what it wrote is read once more, all at once and
recorded, and the loss is the cross-entropy of each symbol: that computation, forwards and back, is
what the page steps through (see `minigrad.explore`). The attention maps carry their tokens, and a
separate part tells how each symbol was chosen.
"""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
from minigrad import errors
from minigrad.course.lessons.lesson import links
from minigrad.functional import cross_entropy

from ..model.decoder_only import DecoderOnly
from ..model.multi_head import MultiHeadAttention
from ..training.decoding import distribution
from ..training.readers import Reader, TextReader
from ..training.vocabulary import BOS, PAD
from . import switches  # noqa: F401 - registers them

STYLE = Path(__file__).with_name("explain.css")
LIKELY = 4  # symbols whose probability is shown at each step
HEADS = 8  # attention heads that are shown at each step; the others open

escape = html.escape
Tokens = Mapping[str, tuple[Sequence[str], Sequence[str]]]


class Reading(NamedTuple):
    """The record of what a model did with one line, at each of the T steps that wrote a symbol.

    Attributes:
        line, written: what it read and wrote, as text.
        symbols: the T symbols that it wrote, the end of sequence among them.
        p: (T, N), how likely it found each symbol.
        looked_at: the S tokens that it could look at.
        weights: for each layer, (H, T, S): how much each head looked at each of them.
        names: the N symbols.
        grows: whether `looked_at` includes what it has written: for a decoder-only model.
    """

    line: str
    written: str
    symbols: list[str]
    p: np.ndarray
    looked_at: list[str]
    weights: list[np.ndarray]
    names: list[str]
    grows: bool


def explain(reader: Reader, line: str, path: str | os.PathLike) -> Path:
    """Write the page of one reading.

    Args:
        reader: a trained model with its vocabularies: of an encoder-decoder, or a decoder alone.
        line: what it is to read.
        path: of the page.

    Returns:
        The path.

    Raises:
        VocabularyError: for an empty line, or symbols that the model has never seen.
        LengthError: for a line longer than the model reads.
    """
    source = reader.encode([line])  # (1, S)
    written = reader.write(source)  # (1, T)
    if isinstance(reader, TextReader):  # all of it is read at once once more
        room = reader.longest_source + 1 - source.shape[1]
        if room < 1:
            raise errors.LengthError(
                f"the line has {source.shape[1]} symbols, and the model reads {reader.longest_source} "
                f"at once: shorten it"
            )
        written = written[:, :room]
    model = reader.model
    so_far = read_before(model, source, written)
    unasked = np.full((1, so_far.shape[1] - written.shape[1]), PAD)
    target = np.concatenate([unasked, written], axis=1)  # (1, T)
    alone = isinstance(model, DecoderOnly)

    def loss(*inputs: np.ndarray) -> mg.Tensor:
        """The cross-entropy of what the model wrote."""
        return cross_entropy(model(*inputs), target, ignore_index=PAD)

    said = reading(reader, line, source, written)
    sizes = model.sizes
    letters = {
        "B": 1, "T": written.shape[1], "D": sizes.width, "H": sizes.heads, "F": sizes.feed_forward,
        "K": sizes.width // sizes.heads, "V": sizes.width // sizes.heads, "N": len(said.names),
    }  # fmt: skip
    if not alone:
        letters["S"] = source.shape[1]
    else:
        letters["T"] = len(said.looked_at)
    return mg.explore(
        loss,
        path,
        inputs=[so_far] if alone else [source, so_far],
        title=f"“{line}” read as “{said.written}”",
        letters=letters,
        labels=labels(reader, source, written),
        tokens=tokens(reader, source, written),
        symbols=symbols(reader),
        sections={"Reading": section(said)},
        lessons=links(Path(path)),
    )


def read_before(model: Any, given: np.ndarray, written: np.ndarray) -> np.ndarray:
    """The ids (1, T) that the model has read when it writes each symbol: those before it."""
    if isinstance(model, DecoderOnly):
        return np.concatenate([given, written[:, :-1]], axis=1)  # (1, S + T - 1)
    start = np.full((1, 1), BOS)
    return np.concatenate([start, written[:, :-1]], axis=1)  # (1, T)


def reading(reader: Reader, line: str, given: np.ndarray, written: np.ndarray) -> Reading:
    """Return what the model did at each step: its probabilities, and where each head looked."""
    model, T = reader.model, written.shape[1]
    read = read_before(model, given, written)
    with mg.no_grad():
        if isinstance(model, DecoderOnly):
            logits = model(read)
            looked_at = reader.writes.tokens(read[0])
            maps = model.attention_weights(read, looked_at)
        else:
            logits = model(given, read)
            looked_at = reader.source.tokens(given[0])
            maps = model.attention_weights(
                given, read, looked_at, reader.writes.tokens(read[0])
            ).cross
    scores = logits.numpy()[0, -T:].astype(np.float64)  # (T, N)
    scores[:, [PAD, BOS]] = -np.inf  # as when it writes
    return Reading(
        line=line,
        written=reader.decode(written[0]),
        symbols=reader.writes.tokens(written[0]),
        p=distribution(scores),
        looked_at=looked_at,
        weights=[weights.numpy()[0, :, -T:] for weights in maps],
        names=reader.writes.tokens(range(len(reader.writes))),
        grows=isinstance(model, DecoderOnly),
    )


def tokens(reader: Reader, given: np.ndarray, written: np.ndarray) -> Tokens:
    """The tokens of the queries and the keys of every attention, by its path."""
    read = read_before(reader.model, given, written)
    target = reader.writes.tokens(read[0])
    if isinstance(reader.model, DecoderOnly):
        return {"": (target, target)}
    source = reader.source.tokens(given[0])
    found = {}
    for path, module in reader.model.named_modules():
        if isinstance(module, MultiHeadAttention):
            queries = source if path.startswith("encoder.") else target
            found[path] = (
                queries,
                target
                if path.startswith("decoder.") and path.endswith("self_attention")
                else source,
            )
    return found


def labels(reader: Reader, given: np.ndarray, written: np.ndarray) -> Mapping[str, Sequence[str]]:
    """The symbols along each dimension of positions, and along that of the vocabulary."""
    read = reader.writes.tokens(read_before(reader.model, given, written)[0])
    names = reader.writes.tokens(range(len(reader.writes)))
    if isinstance(reader.model, DecoderOnly):
        return {"T": read, "N": names}
    return {"S": reader.source.tokens(given[0]), "T": read, "N": names}


def symbols(reader: Reader) -> Mapping[str, Sequence[str]]:
    """The names of the ids that each embedding, and the loss, is given."""
    names = lambda vocabulary: vocabulary.tokens(range(len(vocabulary)))
    written = names(reader.writes)
    if isinstance(reader.model, DecoderOnly):
        return {"": written}
    return {"source_embedding": names(reader.source), "target_embedding": written, "": written}


# --- the part of the page that tells how each symbol was chosen -----------------------------------


def section(said: Reading) -> str:
    """The steps of writing, in HTML."""
    heads = sum(len(layer) for layer in said.weights)
    told = (
        f"The model reads “{said.line}” and writes one symbol after the other. At each step it is "
        f"given what it has written so far, finds how likely each symbol is to come next, and takes the "
        f"likeliest. Each of its {heads} attention heads shares itself out over what there is to look "
        f"at: the stronger the colour behind a letter, the more of it. At the right stands the one that "
        f"it looks at most."
    )
    steps = "\n".join(_step(said, t) for t in range(len(said.symbols)))
    style = STYLE.read_text(encoding="utf-8")
    return f'<style>\n{style}</style>\n<p>{escape(told)}</p>\n<ol class="writing">\n{steps}\n</ol>'


def _step(said: Reading, t: int) -> str:
    so_far = "".join(map(_symbol, said.symbols[:t])) or '<span class="soft">nothing yet</span>'
    rows = [_head(said, layer, h, t) for layer, w in enumerate(said.weights) for h in range(len(w))]
    last = len(rows) - len(said.weights[-1]) if len(rows) > HEADS else 0
    others = (
        f"<details><summary>the layers before</summary>{''.join(rows[:last])}</details>"
        if last
        else ""
    )
    return (
        f'<li><div class="so-far"><span class="label">written</span>{so_far}'
        f'<b class="next">{_symbol(said.symbols[t])}</b></div>'
        f'<div class="chances">{_chances(said, t)}</div>'
        f'<div class="looks">{others}{"".join(rows[last:])}</div></li>'
    )


def _chances(said: Reading, t: int) -> str:
    """The likeliest symbols, each with a bar."""
    likeliest = np.argsort(-said.p[t], kind="stable")[:LIKELY]
    return "".join(
        f'<div class="chance"><span class="token">{_symbol(said.names[i])}</span>'
        f'<span class="bar"><span style="width:{100 * said.p[t, i]:.1f}%"></span></span>'
        f'<span class="percent">{_percent(said.p[t, i])}</span></div>'
        for i in likeliest
    )


def _head(said: Reading, layer: int, head: int, t: int) -> str:
    """Return HTML that shows what one head looks at, letter by letter."""
    ahead = len(said.symbols) - 1 - t if said.grows else 0  # not written yet
    weights = said.weights[layer][head, t, : len(said.looked_at) - ahead]
    name = f"head {head + 1}" if len(said.weights) == 1 else f"layer {layer + 1}, head {head + 1}"
    letters = "".join(
        f'<span class="letter" style="--share:{100 * w:.0f}%" title="{escape(token)}: {_percent(w)}">'
        f"{_symbol(token)}</span>"
        for token, w in zip(said.looked_at, weights)
    )
    top = int(np.argmax(weights))
    most = f"{_symbol(said.looked_at[top])} {_percent(weights[top])}"
    return (
        f'<div class="look"><span class="soft">{name}</span><span class="row">{letters}</span>'
        f'<span class="most">{most}</span></div>'
    )


def _symbol(token: str) -> str:
    """A token as the page shows it: a space must be seen."""
    if token == "<eos>":
        return '<span class="special">end</span>'
    if token == "<bos>":
        return '<span class="special">start</span>'
    return escape("␣" if token == " " else token)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
