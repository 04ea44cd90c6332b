"""Lines that the model read, beside its output: examples, mistakes, and attention maps."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...training.examination import Result
from ...training.line_reader import Pair
from ...training.loop import Training
from .. import model_plots
from ..explain import reading_of
from .parts import Figures, escape, section

MOST_MISTAKES = 20
EXAMPLES = 3  # at the beginning of the page
MAPS = 4  # examples whose attention is shown


def examples(run: Training, result: Result | None) -> str:
    """Three examples of the task with the model's output; two of them right, if there are so many."""
    if not (result and result.written):
        some = (e if isinstance(e, tuple) else (e,) for e in run.batch(1)[:EXAMPLES])
        cells = ("".join(f'<td class="text">{escape(text)}</td>' for text in e) for e in some)
        rows = "\n".join(f"<tr>{row}</tr>" for row in cells)
        return f"<p>It learns from examples such as these:</p>\n<table>\n{rows}\n</table>"
    every = [(*pair, w) for pair, w in zip(result.examples, result.written)]
    right = [one for one in every if one[2] == one[1]]
    wrong = [one for one in every if one[2] != one[1]]
    chosen = [*right[: EXAMPLES - 1], *wrong, *right[EXAMPLES - 1 :]][:EXAMPLES]
    rows = "\n".join(_example(*one) for one in chosen)
    return f"<table>\n<tr><th>reads</th><th>writes</th><th></th></tr>\n{rows}\n</table>"


def _example(source: str, target: str, written: str) -> str:
    verdict = '<span class="verdict right">✓ right</span>'
    if written != target:
        should = f'it should be <span class="text">{escape(target)}</span>'
        verdict = f'<span class="verdict wrong">✗ wrong</span>: {should}'
    return (
        f'<tr><td class="text">{escape(source)}</td><td class="text">{compared(written, target)}</td>'
        f"<td>{verdict}</td></tr>"
    )


def what_it_gets_wrong(pairs: Sequence[Pair], written: Sequence[str]) -> str:
    """A table of examples whose output is wrong."""
    wrong = [(*pair, w) for pair, w in zip(pairs, written) if w != pair[1]]
    if not wrong:
        return section("What it gets wrong", f"<p>Nothing, of {len(pairs):,} examples.</p>")
    rows = "\n".join(
        f'<tr><td class="text">{escape(source)}</td><td class="text">{escape(target)}</td>'
        f'<td class="text">{compared(w, target)}</td></tr>'
        for source, target, w in wrong[:MOST_MISTAKES]
    )
    shown = f", of which these are the first {MOST_MISTAKES}" if len(wrong) > MOST_MISTAKES else ""
    return section(
        "What it gets wrong",
        f"<p>{len(wrong):,} of {len(pairs):,} examples{shown}:</p>",
        f"<table>\n<tr><th>read</th><th>right</th><th>written</th></tr>\n{rows}\n</table>",
    )


def what_it_reads(paragraph: str, forms: Sequence[str]) -> str:
    """The forms that the model has learned to read, with an example of each."""
    rows = "".join(f'<li class="text">{escape(form)}</li>' for form in forms)
    return section(
        "What it reads", f"<p>It reads {escape(paragraph)}</p>", f'<ul class="forms">{rows}</ul>'
    )


def compared(written: str, target: str) -> str:
    """Return `written` as HTML, with symbols marked that differ from `target` at their place."""
    if not written:
        return '<span class="soft">nothing</span>'
    same = [w == t for w, t in itertools.zip_longest(written, target)]
    groups = itertools.groupby(zip(written, same), key=lambda one: one[1])
    return "".join(
        text if right else f"<mark>{text}</mark>"
        for right, group in groups
        for text in [escape("".join(letter for letter, _ in group))]
    )


def where_it_looks(
    run: Training, pairs: Sequence[Pair], written: Sequence[str], pictures: Figures
) -> str:
    """The attention maps of some examples; wrong ones first."""
    paragraph = (
        "The model writes one symbol after the other, and at each looks at "
        + ("the encoded source" if run.kind == "encoder-decoder" else "all that was there before")
        + ": a row is a symbol that it wrote, a column one that it could look at, and the colour is "
        "the share of its attention, from none to all of it. A row sums to one. ␣ is a space."
    )
    wrong = [i for i, (w, pair) in enumerate(zip(written, pairs)) if w != pair[1]]
    right = [i for i in range(len(pairs)) if i not in set(wrong)]
    chosen = [*wrong[: MAPS // 2], *right, *wrong[MAPS // 2 :]][:MAPS]
    drawn = [_maps(run, *pairs[i], pictures) for i in chosen]
    return section("Where it looks", f"<p>{paragraph}</p>", *drawn)


def _maps(run: Training, line: str, target: str, pictures: Figures) -> str:
    source = run.reader.encode([line])  # (1, S)
    reading = reading_of(run.reader, line, source, run.reader.write(source))
    verdict = "right" if reading.written == target else f"wrong: it should be {target}"
    return pictures.plot(
        "the attention maps",
        lambda: model_plots.attention_maps(
            reading.weights,
            queries=reading.symbols,
            keys=reading.looked_at,
            sides=("written", "read"),
            columns=4 if len(reading.looked_at) < 12 else 2,
            kind="cross-attention" if run.kind == "encoder-decoder" else "self-attention",
        ),
        f"Attention of each head: rows {reading.written}, columns {line}",
        f"“{line}” read as {reading.written or 'nothing'} ({verdict}).",
    )
