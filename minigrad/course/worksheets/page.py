"""A worksheet, or its key, as a page that prints."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import numpy as np

from ...ran.data import GraphNode
from ...views.drawing.drawing import Drawing
from ...views.text.expressions import expression
from ..lessons.addresses import Links, Site
from ..lessons.lesson import Lesson
from ..lessons.markdown import Renderer
from ..questions import Question, questions_of
from .walks import Walk, shapes, walks

PARTS = ("graphs", "shapes", "questions")
TOOLTIP = re.compile(r'tooltip="(?:[^"\\]|\\.)*"')  # of a drawing, which holds numbers
GRAPHS = """<h2>Graphs to walk by hand</h2>
<p>Write down each value, from top to bottom: L, in the last line, is the result. Its gradient at a
number says how fast L changes when that number does. At L itself it is 1: begin there, and go back.
What arrives at a number over several ways is added.</p>"""
escape = html.escape


def worksheet(lesson: Lesson, seed: int, key: bool, parts: Collection[str] = PARTS) -> str:
    """The worksheet of a lesson in HTML; with `key`, its boxes are filled.

    Args:
        parts: those that it has, some of `PARTS`; their numbers are the same without the others.

    Raises:
        ConfigError: if what renders formulas is not installed.
    """
    rng = np.random.default_rng([seed, *lesson.number.encode()])  # two lessons have other graphs
    style = Path(__file__).with_name("worksheet.css").read_text(encoding="utf-8")
    title = f"{'Key' if key else 'Worksheet'} {lesson.number}: {lesson.title}"
    name = "" if key else '<p class="name">Name</p>'
    by_hand, of_shapes = walks(lesson.number, rng), shapes(lesson.number, rng)
    body = [f"<h1>{escape(title)}</h1><p>sheet {signs(lesson, seed)}</p>{name}"]
    if "graphs" in parts:
        body += [GRAPHS, *(_walk(k, walk, key) for k, walk in enumerate(by_hand, 1))]
    if "shapes" in parts:
        body += ["<h2>Shapes to fill in</h2>", *(_shapes(walk, key) for walk in of_shapes)]
    if "questions" in parts:
        body += _questions(lesson, key)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}'
        f"</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def signs(lesson: Lesson, seed: int) -> str:
    """Four signs that a sheet and its key have in common, and that do not tell the seed."""
    return hashlib.sha256(f"{lesson.number} {seed}".encode()).hexdigest()[:4]


# --- graphs ---------------------------------------------------------------------------------------


def _walk(number: int, walk: Walk, key: bool) -> str:
    rows = [
        f"<tr>{_made_by(walk, node)}<td>{_boxes(node, 'value', key or node.kind != 'operation')}</td>"
        f"<td>{_boxes(node, 'gradient', key or node is walk.graph.nodes[-1])}</td></tr>"
        for node in _table_nodes(walk)
    ]
    steps = "\n".join(walk.steps)
    way = f"<details><summary>The way back</summary><pre>{escape(steps)}</pre></details>"
    return (
        f"<section><h3>{number}.</h3><pre>{escape(walk.program)}</pre>{_drawing(walk)}"
        f'<table><tr><th scope="col"></th><th scope="col">made by</th><th scope="col">value</th>'
        f'<th scope="col">gradient of L</th></tr>{"".join(rows)}</table>{way * key}</section>'
    )


def _table_nodes(walk: Walk) -> Iterator[GraphNode]:
    """The nodes that are a row of the table: not single numbers such as the 0 of `maximum`."""
    yield from (node for node in walk.graph.nodes if node.label or node.kind == "operation")


def _called(walk: Walk, number: int) -> str:
    return walk.graph[number].short


def _made_by(walk: Walk, node: GraphNode) -> str:
    how = "given"
    if node.kind == "operation":
        how = expression(node, lambda number: _called(walk, number)).replace("np.", "")
    return f'<th scope="row">{escape(node.short)}</th><td><code>{escape(how)}</code></td>'


def _boxes(node: GraphNode, what: str, filled: bool) -> str:
    """A box for each number of an array, with the number if it is `filled`."""
    array = getattr(node, what)
    if array is None:
        return "none" if filled or what == "gradient" else ""
    rows = np.atleast_2d(array)
    cell = lambda number: f"<td>{number:g}</td>" if filled else "<td></td>"
    lines = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    return f'<table class="boxes" aria-label="{what} of {escape(node.short)}">{lines}</table>'


def _drawing(walk: Walk) -> str:
    """The graph without numbers, as SVG; "" where there is no Graphviz."""
    dot = walk.graph.draw(values=False, gradients=False, direction="right").dot
    return Drawing(TOOLTIP.sub('tooltip=" "', dot), "").svg() or ""


def _shapes(walk: Walk, key: bool) -> str:
    rows = [
        f"<tr>{_made_by(walk, node)}<td class='shape'>"
        f"{node.shape if key or node.kind != 'operation' else ''}</td></tr>"
        for node in _table_nodes(walk)
    ]
    return (
        f"<section><pre>{escape(walk.program)}</pre>"
        f'<table><tr><th scope="col"></th><th scope="col">made by</th><th scope="col">shape</th></tr>'
        f"{''.join(rows)}</table></section>"
    )


# --- questions ------------------------------------------------------------------------------------


def _questions(lesson: Lesson, key: bool) -> Iterator[str]:
    asked = questions_of(lesson.number)
    if asked:
        render = Renderer()
        links = Links(Site([lesson]), "worksheet.html", lesson.path.parent)
        yield "<h2>Questions of the lesson</h2>"
        yield (
            f"<p>These ask about the code and the results of lesson {escape(lesson.number)}, "
            f"{escape(lesson.title)}. Have the lesson beside you.</p>"
        )
        for number, question in enumerate(asked.values(), 1):
            yield _question(number, question, key, lambda text: render.prose(text, links))


def _question(number: int, question: Question, key: bool, prose: Callable[[str], str]) -> str:
    choices = "".join(f"<li>{prose(choice)}</li>" for choice in question.choices)
    listed = f"<ol type='a'>{choices}</ol>" if choices else ""
    answer = prose(question.reply("!")) if key else "<p class='line'></p>"
    return f"<section><h3>{number}.</h3>{prose(question.text)}{listed}{answer}</section>"
