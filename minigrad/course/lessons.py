"""The lessons of the course: listed, run, and written as notebooks or as pages.

    python -m minigrad lessons                          what there is
    python -m minigrad lessons 06                       run one
    python -m minigrad lessons --notebooks DIR          notebooks, to be opened in Jupyter
    python -m minigrad lessons --html DIR               pages to read, with all that the lessons print

A lesson is a file of `examples/` in the percent format. Below its title stands, in italics, what it is
about and how long it took when it was measured.
"""

from __future__ import annotations

import argparse
import ast
import base64
import html
import importlib
import inspect
import os
import re
import runpy
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import errors
from ..serialize import write_whole
from ..views.source import line_of
from .places import EXAMPLES, ROOT

PACKAGES = "minigrad", "minitransformer"
HEAD = re.compile(
    r"# %% \[markdown\]\n# # (\d\d) (.+)\n(?:#\n# \*(.+?) About (\d+) seconds\.\*\n)?"
)
SECONDS = 600  # that a cell may take; the slowest takes about 20
INSTALL = 'pip install -e ".[course]"'


@dataclass(frozen=True)
class Lesson:
    """A lesson: its number such as "06", its title, and, where it says so, what it is about and how
    many seconds it takes."""

    path: Path
    number: str
    title: str
    about: str = ""
    seconds: int | None = None

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")


def lessons(folder: Path = EXAMPLES) -> list[Lesson]:
    """The lessons in a folder, in order.

    Raises:
        ConfigError: if there are none, or one has no title.
    """
    paths = sorted(folder.glob("[0-9][0-9]_*.py"))
    if not paths:
        raise errors.ConfigError(
            f"there are no lessons in {folder}: they come with a clone of the repository, in the "
            f"folder examples"
        )
    found = []
    for path in paths:
        head = HEAD.match(path.read_text(encoding="utf-8"))
        if head is None:
            raise errors.ConfigError(
                f"{path} is no lesson: it does not begin with a cell of text whose first line is "
                f"'# # {path.stem[:2]} Title'"
            )
        number, title, about, seconds = head.groups()
        found.append(Lesson(path, number, title, about or "", int(seconds) if seconds else None))
    return found


def chosen(numbers: Sequence[str]) -> list[Lesson]:
    """The lessons of these numbers, "6" as well as "06"; all without any.

    Raises:
        ConfigError: if there is none of a number.
    """
    every = {lesson.number: lesson for lesson in lessons()}
    wanted = [number.zfill(2) for number in numbers] or list(every)
    for given, number in zip(numbers, wanted):
        if number not in every:
            raise errors.ConfigError(f"there is no lesson {given}; there are {', '.join(every)}")
    return [every[number] for number in wanted]


def listing(some: Iterable[Lesson]) -> str:
    """A line for each lesson."""
    some = list(some)
    wide = max(len(lesson.title) for lesson in some)
    return "\n".join(
        f"{s.number}  {s.title:<{wide}}  {_time(s):>4}  {s.about}".rstrip() for s in some
    )


def _time(lesson: Lesson) -> str:
    return "" if lesson.seconds is None else f"{lesson.seconds} s"


# --- the command ----------------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "numbers",
        metavar="LESSON",
        nargs="*",
        help="numbers of lessons, such as 06 (default: all)",
    )
    parser.add_argument(
        "--pictures",
        metavar="DIR",
        default="out",
        help="where a lesson that runs leaves its pictures",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--notebooks", metavar="DIR", type=Path, help="write them as notebooks")
    group.add_argument("--html", metavar="DIR", type=Path, help="run them, and write pages")


def command(options: argparse.Namespace) -> int:
    """List, run or write lessons; returns the exit status."""
    some = chosen(options.numbers)
    if options.notebooks is not None:
        for path in write_notebooks(some, options.notebooks):
            print(path)
    elif options.html is not None:
        print(f"open {write_pages(some, options.html, say=print)}")
    elif options.numbers:
        for lesson in some:
            run(lesson, options.pictures)
    else:
        print(listing(some))
        print("\npython -m minigrad lessons 01 runs one; --notebooks and --html write them")
    return 0


def run(lesson: Lesson, pictures: str = "out") -> None:
    """Run a lesson as a script.

    Args:
        pictures: the folder that its pictures go to.

    Raises:
        ConfigError: if it fails; it says at which line.
    """
    before = sys.argv
    sys.argv = [str(lesson.path), pictures]
    try:
        runpy.run_path(str(lesson.path), run_name="__main__")
    except Exception as problem:
        told = f"{type(problem).__name__}: {problem}".partition("\n")[0]
        raise errors.ConfigError(
            f"{lesson.path.name} fails: {told}, at {line_of(problem)}"
        ) from problem
    finally:
        sys.argv = before


# --- notebooks ------------------------------------------------------------------------------------


def write_notebooks(some: Iterable[Lesson], folder: Path) -> list[Path]:
    """Write lessons as notebooks that have not run; returns their paths.

    Raises:
        ConfigError: without jupytext.
    """
    jupytext = _needed("jupytext")
    paths = []
    for lesson in some:
        text = jupytext.writes(_notebook(lesson), fmt="ipynb")
        paths.append(_written(folder / f"{lesson.path.stem}.ipynb", text))
    return paths


def _notebook(lesson: Lesson) -> Any:
    notebook = _needed("jupytext").read(lesson.path)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = kernel
    return notebook


def executed(lesson: Lesson, beside: Path) -> Any:
    """The lesson as a notebook with all that its cells print and draw.

    Args:
        beside: the folder in which the lesson's page will be. Pages that the lesson writes itself are
            put there, by the paths that it prints.

    Raises:
        ConfigError: without nbclient and ipykernel, or if a cell fails.
    """
    nbclient, _ = _needed("nbclient"), _needed("ipykernel")
    notebook = _notebook(lesson)
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the machinery, about its own parts
        client = nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3")
        client.resources["metadata"] = {"path": folder}
        try:
            client.execute(
                env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)}, stderr=subprocess.DEVNULL
            )
        except nbclient.exceptions.CellExecutionError as problem:
            raise errors.ConfigError(
                f"{lesson.path.name} fails: {problem.ename}: {problem.evalue}"
            ) from None
        for made in Path(folder).rglob("*.html"):
            _written(beside / made.relative_to(folder), made.read_text(encoding="utf-8"))
    return notebook


# --- pages ----------------------------------------------------------------------------------------


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
    render = _Renderer()
    sources: set[str] = set()
    for lesson in some:
        started = time.perf_counter()
        notebook = executed(lesson, folder)
        links = uses(lesson.text)
        sources |= {file for file, _ in links.values()}
        page = _lesson_page(lesson, notebook, links, some, render)
        path = _written(folder / f"{lesson.path.stem}.html", page)
        say(f"{path}  {time.perf_counter() - started:.0f} s")
    for file in sorted(sources):
        _written(folder / _page_of(file), _source_page(file, render))
    return _written(folder / "index.html", _index_page(some, render))


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


def _page_of(file: str) -> str:
    return f"source/{file.removesuffix('.py')}.html"


class _Renderer:
    """Markdown with formulas, and Python in colours, as HTML."""

    def __init__(self) -> None:
        latex = _needed("latex2mathml.converter")
        markdown, plugin = _needed("markdown_it"), _needed("mdit_py_plugins.dollarmath")
        self.pygments = _needed("pygments")
        self.formatters = _needed("pygments.formatters")
        self.lexer = _needed("pygments.lexers").PythonLexer()

        def formula(content: str, options: dict[str, Any]) -> str:
            display = "block" if options["display_mode"] else "inline"
            return latex.convert(content.strip(), display=display)

        self.markdown = markdown.MarkdownIt("commonmark").enable("table")
        self.markdown.use(plugin.dollarmath_plugin, renderer=formula, allow_digits=False)

    def prose(self, text: str, files: Iterable[str] = ()) -> str:
        """Markdown as HTML; names of lessons become links to their pages."""
        page = self.markdown.render(text)
        pages = {file.removesuffix(".py"): file for file in files}
        page = re.sub(r'href="(\d\d_\w+)\.py"', r'href="\1.html"', page)
        for stem, file in pages.items():
            page = page.replace(f"<code>{file}</code>", f'<a href="{stem}.html">{file}</a>')
        by_number = {stem[:2]: stem for stem in pages}
        return re.sub(
            r"\b([Ll]esson) (\d\d)\b",
            lambda m: f'<a href="{by_number[m[2]]}.html">{m[0]}</a>' if m[2] in by_number else m[0],
            page,
        )

    def code(self, text: str, links: dict[str, tuple[str, int]]) -> str:
        """Python as HTML, in which the names in `links` lead to their source."""
        formatter = self.formatters.HtmlFormatter(nowrap=True)
        page = self.pygments.highlight(text, self.lexer, formatter)
        for name in sorted(links, key=len, reverse=True):
            file, line = links[name]
            spans = [f'<span class="n">{part}</span>' for part in name.split(".")]
            whole = '<span class="o">.</span>'.join(spans)
            link = f'<a href="{_page_of(file)}#L-{line}" title="{file}, line {line}">'
            alone = rf'(?<!<span class="o">\.</span>){re.escape(whole)}(?!</a>)'
            page = re.sub(alone, f"{link}{name}</a>", page)
        return f"<pre class='code'>{page}</pre>"

    def source(self, text: str) -> str:
        """A file of Python as HTML, with an anchor for each line."""
        formatter = self.formatters.HtmlFormatter(linenos="inline", lineanchors="L")
        return self.pygments.highlight(text, self.lexer, formatter)

    def style(self) -> str:
        return self.formatters.HtmlFormatter(style="xcode").get_style_defs("pre")


def _lesson_page(
    lesson: Lesson,
    notebook: Any,
    links: dict[str, tuple[str, int]],
    some: Sequence[Lesson],
    render: _Renderer,
) -> str:
    files = [each.path.name for each in some]
    place = list(some).index(lesson)
    around = [some[i] if 0 <= i < len(some) else None for i in (place - 1, place + 1)]
    rows: list[str] = []
    cells = [cell for cell in notebook.cells if cell.source.strip()]
    for i, cell in enumerate(cells):
        if cell.cell_type == "markdown":
            rows.append(f'<div class="prose">{render.prose(cell.source, files)}</div>')
        else:
            if i == 0 or cells[i - 1].cell_type == "code":
                rows.append('<div class="prose"></div>')
            code = render.code(cell.source, links)
            if "    from matplotlib import pyplot as plt" in cell.source:
                code = f"<details><summary>how it is drawn</summary>{code}</details>"
            shown = "".join(map(_output, _joined(cell.outputs)))
            rows.append(f'<div class="cell">{code}{shown}</div>')
        last = i + 1 == len(cells) or cells[i + 1].cell_type == "markdown"
        if cell.cell_type == "markdown" and last:
            rows.append('<div class="cell"></div>')
    used = sorted({(file, line, name) for name, (file, line) in links.items()})
    found_in = "".join(
        f'<li><a href="{_page_of(file)}#L-{line}"><code>{name}</code></a> in {file}</li>'
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
    if "image/svg+xml" in data:
        picture = base64.b64encode("".join(data["image/svg+xml"]).encode()).decode()
        name = re.search(r"(\w+)\.svg", "".join(data.get("text/plain", "")))
        alt = name[1] if name else "picture"
        return f'<img src="data:image/svg+xml;base64,{picture}" alt="{alt}">'
    return f'<pre class="printed">{html.escape("".join(data.get("text/plain", "")))}</pre>'


def _source_page(file: str, render: _Renderer) -> str:
    code = render.source((ROOT / file).read_text(encoding="utf-8"))
    up = "../" * file.count("/") + "../index.html"
    body = f'<nav><a href="{up}">All lessons</a></nav><h1><code>{file}</code></h1>{code}'
    return _page(file, f'<div class="source">{body}</div>', render)


def _index_page(some: Sequence[Lesson], render: _Renderer) -> str:
    rows = "".join(
        f'<tr><td>{s.number}</td><td><a href="{s.path.stem}.html">{html.escape(s.title)}</a></td>'
        f"<td>{html.escape(s.about)}</td><td>{_time(s)}</td></tr>"
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


def _page(title: str, body: str, render: _Renderer) -> str:
    style = (Path(__file__).parent / "lessons.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" href="data:,">\n<title>{html.escape(title)}</title>\n'
        f"<style>\n{render.style()}\n{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


# --- both -----------------------------------------------------------------------------------------


def _needed(module: str) -> Any:
    """Import a module of the `course` extra.

    Raises:
        ConfigError: if it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise errors.ConfigError(
            f"this needs {problem.name or module}, which is not installed: {INSTALL}"
        ) from None


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, lambda file: file.write(text.encode()))
    return path
