"""One reading explained: a page that goes through the computation of the model, step by step.

The model writes by itself, symbol by symbol. Then the model reads the whole output again, at once and
recorded. The loss is the cross-entropy of its symbols. The page steps through that computation, forward
and back (see `minigrad.explore`). The attention maps carry their tokens. A separate section begins with
one picture from the letters to a symbol (see `stages`), and shows how each symbol was chosen.
"""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
from minigrad.course.lessons.lesson import links
from minigrad.engine.kinds import checked
from minigrad.functional import cross_entropy
from minigrad.views.page import Extras
from minigrad.views.page.attention import Tokens

from ..training.chances import chances
from ..training.line_reader import LineReader, Pair
from ..training.vocabulary import PAD
from . import (
    over_time,
    position_switch,  # noqa: F401 - registers it
)
from .another_line import another_line, field
from .sentences import ATTENTIONS, READING, purposes

__all__ = ["explain"]

STYLES = [Path(__file__).with_name(f"{name}.css") for name in ("explain", "flow")]
LIKELY = 4  # symbols whose probability is shown at each step
HEADS = 8  # attention heads that are shown at each step; the others open

escape = html.escape


class Reading(NamedTuple):
    """The reading of one line: the T steps in which the model wrote a symbol.

    Attributes:
        line: the text that the model read; `written`: the text that it wrote.
        symbols: the T symbols that it wrote, with the end of sequence.
        p: (T, N), the probability of each symbol at each step.
        looked_at: the S tokens that the heads could look at.
        weights: for each layer, (H, T, S): the attention weights of each head.
        names: the N symbols of the vocabulary.
        grows: whether `looked_at` includes the output, as for a decoder alone.
    """

    line: str
    written: str
    symbols: list[str]
    p: np.ndarray
    looked_at: list[str]
    weights: list[np.ndarray]
    names: list[str]
    grows: bool


@checked
def explain(
    reader: LineReader,
    line: str,
    path: str | os.PathLike,
    *,
    examples: Sequence[Pair] = (),
    variations: Sequence[str] = (),
    snapshots: Mapping[str, Any] | None = None,
) -> Path:
    """Write the page of one reading.

    Args:
        reader: a trained encoder-decoder, or a decoder alone, with its vocabularies.
        line: the text to read.
        path: of the page.
        examples: other lines that a click has read, each with its right output.
        variations: lines that differ a little from `line`; the user guesses which symbols change.
        snapshots: of the training, from `training.snapshots.Snapshots.as_data`, for a slider.

    Returns:
        The path.

    Raises:
        VocabularyError: for an empty line, or symbols that the model has never seen.
        LengthError: for a line longer than the model reads.
    """
    source = reader.encode([line])  # (1, S)
    written = reader.beginning(source, reader.write(source))  # (1, T)
    model, inputs = reader.model, reader.inputs(source, written)
    unasked = np.full((1, inputs[-1].shape[1] - written.shape[1]), PAD)
    target = np.concatenate([unasked, written], axis=1)  # (1, T)

    def loss(*inputs: np.ndarray) -> mg.Tensor:
        """The cross-entropy of what the model wrote."""
        return cross_entropy(model(*inputs), target, ignore_index=PAD)

    reading = reading_of(reader, line, source, written)
    sizes = model.sizes
    unit = "letter" if reader.source.level == "character" else "word"
    letters = {
        "B": 1, "D": sizes.width, "H": sizes.heads, "F": sizes.feed_forward,
        "K": sizes.width // sizes.heads, "V": sizes.width // sizes.heads, "N": len(reading.names),
        **{letter: ids.shape[1] for letter, ids in sides(inputs).items()},
    }  # fmt: skip
    sections = {"Reading": section(reading)}
    if snapshots:
        sections["Training"] = over_time.section(snapshots)
    return mg.explore(
        loss,
        path,
        inputs=inputs,
        title=f"“{line}” read as “{reading.written}”",
        letters=letters,
        labels=labels(reader, inputs),
        tokens=tokens(reader, inputs),
        vocabularies=vocabularies(reader),
        extras=Extras(
            sections=sections,
            lessons=links(Path(path)),
            purposes=purposes(line, unit, reading.symbols[:-1] or reading.symbols),
            another=another_line(reader, line, examples, variations, LIKELY, HEADS),
        ),
    )


def sides(inputs: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """The ids of each input of a model, by the letter of its length: S for a source, T for a target, or
    for the whole text of a decoder alone."""
    return dict(zip("ST"[-len(inputs) :], inputs))


def texts(reader: LineReader, inputs: Sequence[np.ndarray]) -> dict[str, list[str]]:
    """The tokens of each of `sides`."""
    vocabularies = {"S": reader.source, "T": reader.writes}
    return {letter: vocabularies[letter].tokens(ids[0]) for letter, ids in sides(inputs).items()}


def reading_of(reader: LineReader, line: str, source: np.ndarray, written: np.ndarray) -> Reading:
    """The probabilities and the attention weights of the model at each step."""
    T, inputs = written.shape[1], reader.inputs(source, written)
    symbols = [*texts(reader, inputs).values()]
    with mg.no_grad():
        attention = reader.model.attention_weights(*inputs, *symbols)
    return Reading(
        line=line,
        written=reader.decode(written[0]),
        symbols=reader.writes.tokens(written[0]),
        p=chances(reader.model.eval(), inputs, T),
        looked_at=symbols[0],
        weights=[weights.numpy()[0, :, -T:] for weights in attention.cross or attention.decoder],
        names=reader.writes.tokens(range(len(reader.writes))),
        grows=not attention.cross,
    )


def tokens(reader: LineReader, inputs: Sequence[np.ndarray]) -> Tokens:
    """The tokens of the queries and the keys of every attention, by its path."""
    read = [*texts(reader, inputs).values()]
    source, target = read[0], read[-1]
    paths = [path for path, _ in reader.model.named_modules()]
    cross = {path: (target, source) for path in paths if path.endswith(".cross_attention")}
    return {"": (target, target), "encoder": (source, source), **cross}


def labels(reader: LineReader, inputs: Sequence[np.ndarray]) -> Mapping[str, Sequence[str]]:
    """The symbols along the dimensions S and T of positions, and N of the vocabulary."""
    return {**texts(reader, inputs), "N": reader.writes.tokens(range(len(reader.writes)))}


def vocabularies(reader: LineReader) -> Mapping[str, Sequence[str]]:
    """The symbols of the ids that each embedding and the loss take, by path."""
    names = lambda vocabulary: vocabulary.tokens(range(len(vocabulary)))
    return {"source_embedding": names(reader.source), "": names(reader.writes)}


# --- the section of the page that shows how each symbol was chosen --------------------------------


def section(reading: Reading) -> str:
    """The steps of writing, in HTML."""
    heads = sum(len(layer) for layer in reading.weights)
    introduction = READING.format(
        read=f"<span id='another-read'>{escape(reading.line)}</span>",
        heads=heads,
        attention=ATTENTIONS[reading.grows],
    )
    steps = "\n".join(_step(reading, t) for t in range(len(reading.symbols)))
    style = "".join(file.read_text(encoding="utf-8") for file in STYLES)
    beginning = f"<style>\n{style}</style>\n{field(reading.line)}\n<p>{introduction}</p>"
    return f'{beginning}\n<ol class="writing">\n{steps}\n</ol>'


def _step(reading: Reading, t: int) -> str:
    so_far = "".join(map(_symbol, reading.symbols[:t])) or '<span class="soft">nothing yet</span>'
    layers = enumerate(reading.weights)
    rows = [_head(reading, layer, h, t) for layer, w in layers for h in range(len(w))]
    last = len(rows) - len(reading.weights[-1]) if len(rows) > HEADS else 0
    others = (
        f"<details><summary>the layers before</summary>{''.join(rows[:last])}</details>"
        if last
        else ""
    )
    return (
        f'<li><div class="so-far"><span class="label">written</span>{so_far}'
        f'<b class="next">{_symbol(reading.symbols[t])}</b></div>'
        f'<div class="chances">{_chances(reading, t)}</div>'
        f'<div class="looks">{others}{"".join(rows[last:])}</div></li>'
    )


def _chances(reading: Reading, t: int) -> str:
    """The likeliest symbols, each with a bar."""
    likeliest = np.argsort(-reading.p[t], kind="stable")[:LIKELY]
    return "".join(
        f'<div class="chance"><span class="token">{_symbol(reading.names[i])}</span>'
        f'<span class="bar"><span style="width:{100 * reading.p[t, i]:.1f}%"></span></span>'
        f'<span class="percent">{_percent(reading.p[t, i])}</span></div>'
        for i in likeliest
    )


def _head(reading: Reading, layer: int, head: int, t: int) -> str:
    """The attention of one head at one step, letter by letter, in HTML."""
    ahead = len(reading.symbols) - 1 - t if reading.grows else 0  # symbols that are not written yet
    weights = reading.weights[layer][head, t, : len(reading.looked_at) - ahead]
    name = (
        f"head {head + 1}" if len(reading.weights) == 1 else f"layer {layer + 1}, head {head + 1}"
    )
    letters = "".join(
        f'<span class="letter" style="--share:{100 * w:.0f}%" title="{escape(token)}: {_percent(w)}">'
        f"{_symbol(token)}</span>"
        for token, w in zip(reading.looked_at, weights)
    )
    top = int(np.argmax(weights))
    most = f"{_symbol(reading.looked_at[top])} {_percent(weights[top])}"
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
