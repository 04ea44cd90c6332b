"""The text field of a reading's page: the page reads any line that is typed there.

The model's forward pass is recorded once, with inputs padded to the longest that the reader takes. The
masks are computed from the ids inside the graph: so the page can replace the ids, and run it again.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import minigrad as mg
from minigrad.views.page.another_line import AnotherLine

from ..training.line_reader import LineReader, Pair
from ..training.readers import TextReader
from ..training.vocabulary import BOS, EOS, PAD
from .stages import stages

FIELD = """<div id="another" class="another" hidden>
<label for="another-line">Let it read another line</label>
<input id="another-line" type="text" autocomplete="off" autocapitalize="off" spellcheck="false"
  aria-describedby="another-said" value="{line}" />
<div id="another-examples" role="group" aria-label="Lines that stand ready"></div>
<div id="another-guess" role="group" aria-label="A guess" hidden></div>
<p id="another-output"></p>
<p id="another-said" role="status"></p>
{picture}
<details id="sampling"><summary>From scores to a symbol that is drawn</summary>
<div id="sampling-steps" role="group" aria-label="Which symbol of the output"></div>
<div class="settings">
<label>temperature
<input id="sampling-temperature" type="range" min="0.1" max="3" step="0.1" value="1" />
<output id="sampling-told" for="sampling-temperature">1.0</output></label>
<label>top-k <input id="sampling-k" type="text" inputmode="numeric" placeholder="all" /></label>
<label>top-p <input id="sampling-p" type="text" inputmode="decimal" placeholder="1" /></label>
<button id="sampling-draw" type="button">Draw once more</button>
</div>
<p id="sampling-wrong" role="status" aria-live="polite"></p>
<table id="sampling-table" aria-label="Scores, and what is made of them"></table>
<p id="sampling-rest" class="soft"></p>
</details>
</div>"""

PICTURE = Path(__file__).with_name("flow.html")  # from letters to a symbol


def field(line: str) -> str:
    """The text field, in HTML; the page shows it where it can compute."""
    return FIELD.format(line=html.escape(line), picture=PICTURE.read_text(encoding="utf-8"))


def another_line(
    reader: LineReader,
    line: str,
    examples: Sequence[Pair],
    variations: Sequence[str],
    likely: int,
    heads: int,
) -> AnotherLine:
    """The data with which a page lets `reader` read another line than `line`.

    Args:
        examples: other lines that a click has read, each with its right output.
        variations: lines that differ a little from `line`; the page asks for a guess on each.
        likely, heads: how many symbols and how many heads are shown at each step.
    """
    model, is_text = reader.model, isinstance(reader, TextReader)
    source = reader.encode([line])  # (1, S)
    written = reader.beginning(source, reader.write(source))  # (1, T)
    most = reader.longest_target + (not is_text)  # symbols to write, the end among them
    inputs = reader.inputs(source, written)

    def scores_and_weights(*ids: np.ndarray) -> list[mg.Tensor]:
        """The scores of the next symbol at each place, and the attention weights of each layer."""
        memory = model.encode(ids[0])
        vectors, weights, cross = model.decode(ids[-1], memory)
        return [model.unembedding(vectors), *(cross or weights)]

    return AnotherLine(
        scores_and_weights,
        [np.pad(ids, ((0, 0), (0, n - ids.shape[1]))) for ids, n in zip(inputs, reader.widest)],
        {
            "line": line,
            "wrote": written[0].tolist(),
            "level": reader.source.level,
            "ids": {s: int(reader.encode([s])[0, 0]) for s in reader.source.symbols},
            "before": [] if is_text else [BOS],  # of what it writes
            "longest": reader.longest_source,
            "most": most,
            "never": [PAD, BOS, *([EOS] if is_text else [])],
            "symbols": reader.writes.tokens(range(len(reader.writes))),
            "pad": PAD,
            "end": EOS,
            "likely": likely,
            "heads": heads,
            "examples": [list(pair) for pair in examples],
            "variations": list(variations),
        },
        stages(model),
    )


def misread(reader: LineReader, pairs: Sequence[Pair], most: int = 3) -> list[Pair]:
    """The first of `pairs` for which the model's output is not right."""
    written = reader.read([source for source, _ in pairs])
    return [pair for pair, text in zip(pairs, written) if text != pair[1]][:most]
