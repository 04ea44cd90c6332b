"""The page that a run leaves behind: what was learned, how, and by what.

One file of HTML that needs nothing else: no network, no script. Its pictures are vector graphics in
the text; those for which a package is missing are left out, and the page says which.
"""

from __future__ import annotations

import html
import io
import itertools
import re
import string
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.engine.kinds import checked
from minigrad.views.drawing.drawing import Drawing
from minigrad.views.graph import Graph, graph

from ..model.attention import attention
from ..tasks import FORMS
from ..training.examination import Result
from ..training.loop import Training, perplexity
from ..training.readers import Pair
from ..training.vocabulary import Vocabulary
from . import model_plots
from .explain import reading

__all__ = ["page"]

TEMPLATE = Path(__file__).with_name("report.html")
MOST_MISTAKES = 20
MOST_SYMBOLS = 6
EXAMPLES = 3  # with which the page begins
MAPS = 4  # examples whose attention is shown

escape = html.escape


@checked
def page(
    run: Training, result: Result | None, seconds: float, memory: int | None
) -> tuple[str, str]:
    """The report of a run.

    Args:
        run: after its last step.
        result: what came of held-out examples, if there are any.
        seconds: how long training took.
        memory: the most memory that was in use, in MB, if it is known.

    Returns:
        The page, and one line that says which pictures it leaves out ("" for none).
    """
    run.model.eval().zero_grad()  # the last batch's gradients are of no interest here
    pictures = _Figures()
    sections = [_learned(run, result, pictures)]
    figures = {}
    if result:
        of = (
            "of the symbols in {:,} held-out windows predicted"
            if run.kind == "text"
            else "of {:,} held-out examples read exactly"
        )
        figures[of.format(len(result.examples))] = f"{result.accuracy:.1%}"
        figures["loss on them, nats a symbol"] = f"{result.loss:.3g}"
        figures["perplexity on them"] = f"{perplexity(result.loss):.4g}"
    if result and result.written:
        sections.append(_mistakes(result.examples, result.written))
        sections.append(_looked(run, result.examples, result.written, pictures))
    if run.task.name in FORMS:
        sections.append(_reads(*FORMS[run.task.name]))
    sections.append(_modules(run, result.examples if result else run.batch(1), pictures))
    if result and run.kind == "encoder-decoder":
        wrong = [pair for pair, w in zip(result.examples, result.written) if w != pair[1]]
        sections.append(_head(run, wrong or result.examples, pictures))
    figures |= {
        "steps": f"{run.steps_done:,}",
        "seconds of training": f"{seconds:.0f}",
        "parameters": f"{sum(p.size for p in run.model.parameters()):,}",
    }
    if memory:
        figures["MB of memory while training"] = str(memory)
    left_out = pictures.left_out()
    text = string.Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        title=escape(f"A transformer learns: {run.task.name}"),
        examples=_examples(run, result),
        figures="\n".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(figure)}</dd></div>"
            for name, figure in figures.items()
        ),
        left_out=f'<p class="note">{escape(left_out)}</p>' if left_out else "",
        sections="\n".join(sections),
        footer=f"Made by minitransformer {escape(mg.__version__)} on NumPy {escape(np.__version__)}.",
    )
    return text, left_out


def _examples(run: Training, result: Result | None) -> str:
    """Three examples of the task: what the model read and wrote, two of them right if there are."""
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
        f'<tr><td class="text">{escape(source)}</td><td class="text">{_compared(written, target)}</td>'
        f"<td>{verdict}</td></tr>"
    )


def _settings(run: Training) -> str:
    """Say in one line how it was trained, and what the model is."""
    s, n = run.settings, run.sizes
    if run.kind == "encoder-decoder":
        layers = f"{n.encoder_layers} + {n.decoder_layers} layers"
    else:
        layers = f"a decoder of {n.layers} layers"
    return (
        f"Seed {s.seed}, batches of {s.batch}, learning rate {s.learning_rate:g} after {s.warmup} "
        f"steps of warm-up; width {n.width}, {n.heads} heads, {layers}"
    )


# --- the sections ---------------------------------------------------------------------------------


def _section(title: str, *parts: str) -> str:
    return "\n".join([f"<section>\n<h2>{escape(title)}</h2>", *filter(None, parts), "</section>"])


def _learned(run: Training, result: Result | None, pictures: _Figures) -> str:
    if not run.curve:
        return _section("How it learned", "<p>It has not learned yet: no step was taken.</p>")
    recent = model_plots.window(run.curve)
    first, last = run.curve[0].loss, np.mean([point.loss for point in run.curve[-recent:]])
    told = (
        f"The loss went from {first:.3g} to {last:.3g}, the mean of the last {recent} of "
        f"{len(run.curve):,} batches. It is the cross-entropy: the mean of -log p, "
        f"with p the probability of the right symbol, given those before it. A model that knows nothing "
        f"and picks evenly among the {len(run.reader.writes)} symbols has "
        f"{np.log(len(run.reader.writes)):.3g}."
    )
    if result:
        told += (
            f" On the {len(result.examples):,} held-out examples it is {result.loss:.3g}: a perplexity "
            f"of {perplexity(result.loss):.4g}, for the model is as unsure as if it chose among that "
            f"many symbols, all equally likely."
        )
    picture = pictures.plot(
        "the curve",
        lambda: model_plots.curves(run.curve),
        "Two curves over the steps: the loss, and the accuracy on held-out examples",
        "Left: the loss of each step, and of held-out examples. Right: "
        + (
            "the share of symbols in held-out windows that the model predicts."
            if run.kind == "text"
            else "the share of held-out examples that the model, writing by itself, gets right to the "
            "last symbol."
        ),
    )
    how = f'<p class="soft">{escape(_settings(run))}</p>'
    return _section("How it learned", f"<p>{escape(told)}</p>", how, picture)


def _mistakes(pairs: Sequence[Pair], written: Sequence[str]) -> str:
    wrong = [(*pair, w) for pair, w in zip(pairs, written) if w != pair[1]]
    if not wrong:
        return _section("What it gets wrong", f"<p>Nothing, of {len(pairs):,} examples.</p>")
    rows = "\n".join(
        f'<tr><td class="text">{escape(source)}</td><td class="text">{escape(target)}</td>'
        f'<td class="text">{_compared(w, target)}</td></tr>'
        for source, target, w in wrong[:MOST_MISTAKES]
    )
    shown = f", of which these are the first {MOST_MISTAKES}" if len(wrong) > MOST_MISTAKES else ""
    return _section(
        "What it gets wrong",
        f"<p>{len(wrong):,} of {len(pairs):,} examples{shown}:</p>",
        f"<table>\n<tr><th>read</th><th>right</th><th>written</th></tr>\n{rows}\n</table>",
    )


def _reads(told: str, forms: Sequence[str]) -> str:
    """The forms that it has learned to read, with an example of each."""
    rows = "".join(f'<li class="text">{escape(form)}</li>' for form in forms)
    return _section(
        "What it reads", f"<p>It reads {escape(told)}</p>", f'<ul class="forms">{rows}</ul>'
    )


def _compared(written: str, target: str) -> str:
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


def _looked(
    run: Training, pairs: Sequence[Pair], written: Sequence[str], pictures: _Figures
) -> str:
    """Show where each head looked for some examples, first for some that went wrong."""
    told = (
        "The model writes one symbol after the other, and at each looks at "
        + ("the encoded source" if run.kind == "encoder-decoder" else "all that was there before")
        + ": a row is a symbol that it wrote, a column one that it could look at, and the colour is "
        "the share of its attention, from none to all of it. A row sums to one. ␣ is a space."
    )
    wrong = [i for i, (w, pair) in enumerate(zip(written, pairs)) if w != pair[1]]
    right = [i for i in range(len(pairs)) if i not in set(wrong)]
    chosen = [*wrong[: MAPS // 2], *right, *wrong[MAPS // 2 :]][:MAPS]
    drawn = [_maps(run, *pairs[i], pictures) for i in chosen]
    return _section("Where it looks", f"<p>{told}</p>", *drawn)


def _maps(run: Training, line: str, target: str, pictures: _Figures) -> str:
    source = run.reader.encode([line])  # (1, S)
    said = reading(run.reader, line, source, run.reader.write(source))
    verdict = "right" if said.written == target else f"wrong: it should be {target}"
    return pictures.plot(
        "the attention maps",
        lambda: model_plots.attention_maps(
            said.weights,
            queries=said.symbols,
            keys=said.looked_at,
            sides=("written", "read"),
            columns=4 if len(said.looked_at) < 12 else 2,
            kind="cross-attention" if run.kind == "encoder-decoder" else "self-attention",
        ),
        f"Attention of each head: rows {said.written}, columns {line}",
        f"“{line}” read as {said.written or 'nothing'} ({verdict}).",
    )


def _modules(run: Training, examples: Sequence[Any], pictures: _Figures) -> str:
    example = min(examples, key=lambda example: len(example[0]))
    inputs, _ = run.reader.inputs_and_targets([example])
    logits = run.model(*inputs)
    line = example[0] if isinstance(example, tuple) else example
    told = (
        f"The model as it read “{line}”: a box is a module, an arrow an array on its way, and the "
        f"numbers in brackets are an array's shape, with the batch of one, the positions, and the "
        f"numbers that stand for each."
    )
    caption = {
        "encoder-decoder": "The encoder reads the source; the decoder, which looks at the encoder's "
        "result, writes.",
    }.get(run.kind, "Each position sees those before it, and predicts what follows.")
    picture = pictures.drawing(
        "the model by modules",
        graph(logits).draw(depth=3),
        "The modules of the model, and how arrays flow through them",
        caption,
    )
    listing = f"<details><summary>As text</summary><pre>{escape(repr(run.model))}</pre></details>"
    return _section("The model", f"<p>{escape(told)}</p>", picture, listing)


def _head(run: Training, pairs: Sequence[Pair], pictures: _Figures) -> str:
    """One head of the first layer's attention to the source, at one step, down to its operations.

    Its queries, keys and values, and the gradient that reaches its output, are taken from the graph
    of the loss, and the head is computed once more by itself.
    """
    line, target = _shortest(pairs)
    with mg.record():
        loss = run.loss([(line, target)])
    loss.backward()
    box = graph(loss).inside("decoder.layers.0.cross_attention/attention")
    supplied = {node.variable: np.asarray(node.value) for node in box.nodes if node.outside}
    gradient = np.asarray(box[box.roots[-1]].gradient)  # (1, H, T, V)
    size = np.linalg.norm(gradient[0], axis=-1)  # (H, T)
    h, t = np.unravel_index(size.argmax(), size.shape)
    rows = {"query": slice(t, t + 1), "key": slice(None), "value": slice(None)}
    query, key, value = (
        mg.Tensor(supplied[name][0, h, rows[name]], requires_grad=True, name=name) for name in rows
    )
    with mg.record():
        head, _ = attention(query, key, value)  # (1, V)
    assert isinstance(head, mg.Tensor)
    head.backward(gradient[0, h, t : t + 1])
    whole = graph(head)
    wrote = run.task.target.tokens(run.task.target.encode(target, end=True))
    given = f"“{_between(run.task.target).join(wrote[:t])}”" if t else "nothing"
    told = (
        f"Head {h + 1} of the first layer, while the model reads “{line}”, has been given {given}, "
        f"and is to write “{wrote[t]}”: of all its heads and steps, the one whose output the loss "
        f"depends on most. A negative gradient says that a higher score, more attention there, "
        f"would lower the loss."
    )
    picture = pictures.drawing(
        "an attention head",
        whole.draw(),
        "The operations of one attention head, with values and gradients",
        "The same step, operation by operation: the shape of each result, its value, and the "
        "gradient of the loss with respect to it.",
    )
    return _section(
        "One attention head",
        f"<p>{escape(told)}</p>",
        _step(run.task.source, line, whole),
        picture,
        f"<details><summary>As text</summary><pre>{escape(str(whole))}</pre></details>",
    )


def _step(vocabulary: Vocabulary, line: str, head: Graph) -> str:
    """The numbers of one step, for the symbols of the source to which it gives most weight."""
    nodes: dict[str, Any] = {node.variable: node for node in head.nodes}
    scores, weights = (nodes[name].value[0] for name in ("scores", "weights"))  # (S,) each
    slopes = nodes["scores"].gradient[0]
    symbols = vocabulary.tokens(vocabulary.encode(line))
    rows = []
    for i in np.argsort(-weights, kind="stable")[:MOST_SYMBOLS]:
        place = _between(vocabulary).join(
            f'<mark class="here">{escape(symbol)}</mark>' if k == i else escape(symbol)
            for k, symbol in enumerate(symbols)
        )
        numbers = f"<td>{scores[i]:.2f}</td><td>{weights[i]:.1%}</td><td>{slopes[i]:+.2g}</td>"
        rows.append(f'<tr><td class="text">{place}</td>{numbers}</tr>')
    titles = "<th>looks at</th><th>score</th><th>weight</th><th>gradient by the score</th>"
    return "\n".join(["<table>", f"<tr>{titles}</tr>", *rows, "</table>"])


def _between(vocabulary: Vocabulary) -> str:
    """Return the text between two symbols: none between characters, a space between words."""
    return "" if vocabulary.level == "character" else " "


def _shortest(pairs: Sequence[Pair]) -> tuple[str, str]:
    return min(pairs, key=lambda pair: len(pair[0]))


# --- the pictures ---------------------------------------------------------------------------------


class _Figures:
    """Maker of a page's figures. It remembers which could not be made, and which package is missing."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)
        self.missing: dict[str, list[str]] = {}

    def plot(self, what: str, make: Callable[[], object], alt: str, caption: str) -> str:
        """A figure of HTML around what `make()` draws with matplotlib; `alt` says what it shows."""
        try:
            drawn = make()
        except ImportError:
            return self._without(what, "matplotlib")
        return self._figure("plot", _svg_of(drawn), alt, caption)

    def drawing(self, what: str, drawing: Drawing, alt: str, caption: str) -> str:
        """The same around a drawing by Graphviz."""
        svg = drawing.svg()
        return (
            self._figure("drawing", svg, alt, caption) if svg else self._without(what, "Graphviz")
        )

    def left_out(self) -> str:
        """A line that says which pictures are missing, and how to get them; "" for none."""
        if not self.missing:
            return ""
        told = " and ".join(
            f"{', '.join(dict.fromkeys(what))} (no {package})"
            for package, what in self.missing.items()
        )
        return f'left out of the report: {told}; pip install -e ".[course]" brings what they need'

    def _without(self, what: str, package: str) -> str:
        self.missing.setdefault(package, []).append(what)
        return ""

    def _figure(self, kind: str, svg: str, alt: str, caption: str) -> str:
        drawn = _inline(svg, f"figure{next(self.numbers)}-", alt)
        under = f"<figcaption>{escape(caption)}</figcaption>"
        return f'<figure class="{kind}">\n{drawn}\n{under}\n</figure>'


def _svg_of(figure: Any) -> str:
    """A figure of matplotlib as SVG, the same bytes each time, its letters as text."""
    import matplotlib

    file = io.StringIO()
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "minitransformer"}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's browser has more fonts
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    svg = re.sub(r' id="image\w+"', "", file.getvalue())  # equal images have equal ids
    return svg.replace("#000000", "currentColor")


def _inline(svg: str, prefix: str, label: str) -> str:
    """An SVG file as part of a page: no header, and names that no other figure has."""
    head, body = svg[svg.index("<svg") + 4 :].split(">", 1)
    head = re.sub(r'\s(role|aria-label)="[^"]*"', "", head)
    svg = f'<svg role="img" aria-label="{escape(label)}"{head}>{body.strip()}'
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    return re.sub(r'(href="|url\()#', rf"\1#{prefix}", svg)
