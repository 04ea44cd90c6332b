"""The page that a run leaves behind: the task, the training, and the model.

It is one file of HTML that needs no network and no script. Its pictures are vector graphics in the text.
If a package is missing, its pictures are left out, and the page says so.

`page` puts sections of `learning`, `lines` and `modules` together; all are made of `parts`.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import minigrad as mg
from minigrad.engine.kinds import checked

from ...tasks import FORMS
from ...training.examination import Result
from ...training.loop import Training, perplexity
from .learning import how_it_learned
from .lines import examples, what_it_gets_wrong, what_it_reads, where_it_looks
from .modules import one_attention_head, the_model
from .parts import Figures, escape

__all__ = ["page"]

TEMPLATE = Path(__file__).with_name("report.html")


@checked
def page(
    run: Training, result: Result | None, seconds: float, memory: int | None
) -> tuple[str, str]:
    """The report of a run.

    Args:
        run: after its last step.
        result: of the examination on held-out examples; None without any.
        seconds: how long training took.
        memory: the most memory that was in use, in MB, if it is known.

    Returns:
        The page, and one line that says which pictures it leaves out ("" for none).
    """
    run.model.eval().zero_grad()  # the last batch's gradients are of no interest here
    pictures = Figures()
    sections = list(_sections(run, result, pictures))
    numbers = _numbers(run, result, seconds, memory)
    left_out = pictures.left_out()
    text = string.Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        title=escape(f"A transformer learns: {run.task.name}"),
        examples=examples(run, result),
        figures="\n".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(number)}</dd></div>"
            for name, number in numbers.items()
        ),
        left_out=f'<p class="note">{escape(left_out)}</p>' if left_out else "",
        sections="\n".join(sections),
        footer=f"Made by minitransformer {escape(mg.__version__)} on NumPy {escape(np.__version__)}.",
    )
    return text, left_out


def _sections(run: Training, result: Result | None, pictures: Figures) -> Iterator[str]:
    """The sections of the page that there is something to say in, as HTML."""
    yield how_it_learned(run, result, pictures)
    if result and result.written:
        yield what_it_gets_wrong(result.examples, result.written)
        yield where_it_looks(run, result.examples, result.written, pictures)
    if run.task.name in FORMS:
        yield what_it_reads(*FORMS[run.task.name])
    yield the_model(run, result.examples if result else run.batch(1), pictures)
    if result and run.kind == "encoder-decoder":
        wrong = [pair for pair, w in zip(result.examples, result.written) if w != pair[1]]
        yield one_attention_head(run, wrong or result.examples, pictures)


def _numbers(
    run: Training, result: Result | None, seconds: float, memory: int | None
) -> dict[str, str]:
    """The numbers at the top of the page, each by what it is."""
    numbers = {}
    if result:
        of = (
            "of the symbols in {:,} held-out windows predicted"
            if run.kind == "text"
            else "of {:,} held-out examples read exactly"
        )
        numbers[of.format(len(result.examples))] = f"{result.accuracy:.1%}"
        numbers["loss on them, nats a symbol"] = f"{result.loss:.3g}"
        numbers["perplexity on them"] = f"{perplexity(result.loss):.4g}"
    numbers["steps"] = f"{run.steps_done:,}"
    numbers["seconds of training"] = f"{seconds:.0f}"
    numbers["parameters"] = f"{sum(p.size for p in run.model.parameters()):,}"
    if memory:
        numbers["MB of memory while training"] = str(memory)
    return numbers
