"""Lessons as pages to read in a browser, with the source that they use, and an index."""

from __future__ import annotations

import ast
import base64
import html
import importlib
import inspect
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..places import EXAMPLES, ROOT
from .forms import asked, form, predicted, script
from .forms import style as style_of_forms
from .lesson import Lesson, time_of
from .notebooks import executed, written
from .rendering import Renderer, page_of

PACKAGES = "minigrad", "minitransformer"


def write_pages(
    some: Sequence[Lesson], folder: Path, say: Callable[[str], Any] = lambda line: None
) -> Path:
    """Run lessons and write a page for each, with the source that they use, and an index.

    Nothing on the pages comes from a network: formulas are MathML, pictures are in the page.

    Args:
        say: is told of each page as it is finished.

    Returns:
        The path of the index.

    Raises:
        ConfigError: if what renders is not installed, or a lesson fails.
    """
    render = Renderer()
    sources: set[str] = set()
    for lesson in some:
        started = time.perf_counter()
        notebook = executed(lesson, folder)
        links = uses(lesson.text)
        sources |= {file for file, _ in links.values()}
        page = _lesson_page(lesson, notebook, links, some, render)
        path = written(folder / f"{lesson.path.stem}.html", page)
        say(f"{path}  {time.perf_counter() - started:.0f} s")
    for file in sorted(sources):
        written(folder / page_of(file), _source_page(file, render))
    return written(folder / "index.html", _index_page(some, render))


def uses(text: str) -> dict[str, tuple[str, int]]:
    """Find what a program takes from the two packages. Map each name there, such as `mt.attention`,
    to the file that defines it, from the root on, and the line."""
    tree = ast.parse(text)
    known: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in PACKAGES:
                    known[alias.asname or alias.name] = importlib.import_module(alias.name)
        elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in PACKAGES:
            for alias in node.names:
                home = importlib.import_module(str(node.module))
                known[alias.asname or alias.name] = _part(home, alias.name)
    found = {}
    for node in ast.walk(tree):
        dotted = _dotted(node)
        if dotted and dotted[0] in known:
            thing = known[dotted[0]]
            for name in dotted[1:]:
                thing = _part(thing, name)
            where = _defined(thing)
            if where is not None:
                found[".".join(dotted)] = where
    return found


def _part(home: Any, name: str) -> Any:
    """An attribute, or a module of a package that was not imported yet."""
    if isinstance(home, ModuleType) and not hasattr(home, name) and hasattr(home, "__path__"):
        return importlib.import_module(f"{home.__name__}.{name}")
    return getattr(home, name, None)


def _dotted(node: ast.AST) -> list[str]:
    """["mt", "masks", "causal"] for mt.masks.causal; nothing for other expressions."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return [*before, node.attr] if before else []
    return []


def _defined(thing: Any) -> tuple[str, int] | None:
    """The file and line of a function or class of the two packages; None for anything else."""
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return None
    try:
        thing = inspect.unwrap(thing)
        file = Path(str(inspect.getsourcefile(thing))).resolve().relative_to(ROOT)
        _, line = inspect.getsourcelines(thing)
    except (TypeError, OSError, ValueError):
        return None
    return (file.as_posix(), line) if file.parts[0] in PACKAGES else None


def _lesson_page(
    lesson: Lesson,
    notebook: Any,
    links: dict[str, tuple[str, int]],
    some: Sequence[Lesson],
    render: Renderer,
) -> str:
    files = [each.path.name for each in some]
    place = list(some).index(lesson)
    around = [some[i] if 0 <= i < len(some) else None for i in (place - 1, place + 1)]
    rows: list[str] = []
    cells = [cell for cell in notebook.cells if cell.source.strip()]
    drawn = dict(picture for cell in cells for picture in _pictures(cell.get("outputs", ())))
    waits: list[str] = []  # the questions, since the last heading, whose answers come below
    for i, cell in enumerate(cells):
        if re.match("#{1,6} ", cell.source) and cell.cell_type == "markdown":
            waits = []
        waiting = f' data-waits="{" ".join(waits)}"' if waits else ""
        if cell.cell_type == "markdown":
            prose = render.prose(cell.source, files)
            rows.append(f'<div class="prose"{waiting}>{prose}</div>')
        elif question := asked(lesson.number, cell.source):
            rows.append(f'<div class="prose">{form(*question, render.prose, drawn)}</div>')
            waits += filter(None, [predicted(lesson.number, cell.source)])
            rows.append('<div class="cell"></div>')
        else:
            if i == 0 or cells[i - 1].cell_type == "code":
                rows.append('<div class="prose"></div>')
            code = render.code(cell.source, links)
            if "    from matplotlib import pyplot as plt" in cell.source:
                code = f"<details><summary>how it is drawn</summary>{code}</details>"
            shown = "".join(map(_output, _joined(cell.outputs)))
            rows.append(f'<div class="cell"{waiting}>{code}{shown}</div>')
        last = i + 1 == len(cells) or cells[i + 1].cell_type == "markdown"
        if cell.cell_type == "markdown" and last:
            rows.append('<div class="cell"></div>')
    used = sorted({(file, line, name) for name, (file, line) in links.items()})
    found_in = "".join(
        f'<li><a href="{page_of(file)}#L-{line}"><code>{name}</code></a> in {file}</li>'
        for file, line, name in used
    )
    before, after = map(_link, around)
    way = (
        f'<nav><span>{before}</span><a href="index.html">All lessons</a><span>{after}</span></nav>'
    )
    body = "\n".join(
        [way, f"<main>{''.join(rows)}</main>",
         f"<footer><h2>What this lesson uses</h2><ul>{found_in}</ul></footer>", way]
    )  # fmt: skip
    return _page(f"{lesson.number} {lesson.title}", body, render)


def _link(lesson: Lesson | None) -> str:
    if lesson is None:
        return ""
    return f'<a href="{lesson.path.stem}.html">{lesson.number} {html.escape(lesson.title)}</a>'


def _joined(outputs: Iterable[Any]) -> list[Any]:
    """The outputs of a cell, what it printed in pieces put together."""
    found: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and found and found[-1].output_type == "stream":
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def _output(output: Any) -> str:
    """Return what a cell printed or drew, as HTML."""
    if output.output_type == "stream":
        return f'<pre class="printed">{html.escape(output.text)}</pre>'
    data = output.get("data", {})
    for name, address in _pictures([output]):
        return f'<img src="{address}" alt="{name}">'
    return f'<pre class="printed">{html.escape("".join(data.get("text/plain", "")))}</pre>'


def _pictures(outputs: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """The pictures among what a cell shows: names and addresses."""
    for data in (output.get("data", {}) for output in outputs):
        if "image/svg+xml" in data:
            name = re.search(r"(\w+)\.svg", "".join(data.get("text/plain", "")))
            picture = base64.b64encode("".join(data["image/svg+xml"]).encode()).decode()
            yield (name[1] if name else "picture"), f"data:image/svg+xml;base64,{picture}"


def _source_page(file: str, render: Renderer) -> str:
    code = render.source((ROOT / file).read_text(encoding="utf-8"))
    up = "../" * file.count("/") + "../index.html"
    body = f'<nav><a href="{up}">All lessons</a></nav><h1><code>{file}</code></h1>{code}'
    return _page(file, f'<div class="source">{body}</div>', render)


def _index_page(some: Sequence[Lesson], render: Renderer) -> str:
    rows = "".join(
        f'<tr><td>{s.number}</td><td><a href="{s.path.stem}.html">{html.escape(s.title)}</a></td>'
        f"<td>{html.escape(s.about)}</td><td>{time_of(s)}</td></tr>"
        for s in some
    )
    told = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    sources = told[told.index("## Where the ideas come from") :].partition("\n\n`")[0]
    body = (
        "<h1>The course</h1><p>From one derivative to a transformer, with every number checked. Each "
        "page is a lesson as it ran; names in the code lead to their source.</p>"
        f"<table><tr><th></th><th>lesson</th><th>about</th><th>runs in</th></tr>{rows}</table>"
        f"{render.prose(sources)}"
    )
    return _page("The course", f'<div class="index">{body}</div>', render)


def _page(title: str, body: str, render: Renderer) -> str:
    style = (Path(__file__).parent / "lessons.css").read_text(encoding="utf-8")
    forms = f"<script>\n{script()}</script>\n" if 'class="question"' in body else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" href="data:,">\n<title>{html.escape(title)}</title>\n'
        f"<style>\n{render.style()}\n{style}\n{style_of_forms()}</style>\n"
        f"</head>\n<body>\n{body}\n{forms}</body>\n</html>\n"
    )
