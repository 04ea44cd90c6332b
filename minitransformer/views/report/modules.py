"""The sections that draw the model: all its modules, and one attention head down to its operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.views.graph import Graph, graph

from ...model.attention import attention
from ...training.line_reader import Pair
from ...training.loop import Training
from ...training.vocabulary import Vocabulary
from .parts import Figures, escape, section

MOST_SYMBOLS = 6


def the_model(run: Training, examples: Sequence[Any], pictures: Figures) -> str:
    """A drawing of the modules of the model, for one example."""
    example = min(examples, key=lambda example: len(example[0]))
    inputs, _ = run.reader.inputs_and_targets([example])
    logits = run.model(*inputs)
    line = example[0] if isinstance(example, tuple) else example
    paragraph = (
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
    return section("The model", f"<p>{escape(paragraph)}</p>", picture, listing)


def one_attention_head(run: Training, pairs: Sequence[Pair], pictures: Figures) -> str:
    """One head of the first layer's cross-attention, at one step, with all its operations."""
    line, target = _shortest(pairs)
    h, t, whole = _head_alone(run, line, target)
    wrote = run.task.target.tokens(run.task.target.encode(target, end=True))
    given = f"“{_between(run.task.target).join(wrote[:t])}”" if t else "nothing"
    paragraph = (
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
    return section(
        "One attention head",
        f"<p>{escape(paragraph)}</p>",
        _step(run.task.source, line, whole),
        picture,
        f"<details><summary>As text</summary><pre>{escape(str(whole))}</pre></details>",
    )


def _head_alone(run: Training, line: str, target: str) -> tuple[int, int, Graph]:
    """The head and the step whose output has the largest gradient, and the graph of these alone.

    The query, the keys, the values, and the gradient of the output are taken from the graph of the loss.
    Then the head is computed again by itself.
    """
    with mg.record():
        loss = run.loss([(line, target)])
    loss.backward()
    box = graph(loss).inside("decoder.layers.0.cross_attention/attention")
    supplied = {node.variable: np.asarray(node.value) for node in box.nodes if node.outside}
    gradient = np.asarray(box[box.roots[-1]].gradient)  # (1, H, T, V)
    size = np.linalg.norm(gradient[0], axis=-1)  # (H, T)
    h, t = map(int, np.unravel_index(size.argmax(), size.shape))
    rows = {"query": slice(t, t + 1), "key": slice(None), "value": slice(None)}
    query, key, value = (
        mg.Tensor(supplied[name][0, h, rows[name]], requires_grad=True, name=name) for name in rows
    )
    with mg.record():
        head, _ = attention(query, key, value)  # (1, V)
    assert isinstance(head, mg.Tensor)
    head.backward(gradient[0, h, t : t + 1])
    return h, t, graph(head)


def _step(vocabulary: Vocabulary, line: str, head: Graph) -> str:
    """The numbers of one step, for the symbols of the source with the largest weights."""
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
