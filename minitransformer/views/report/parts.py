"""The parts of the page: sections, and figures with a text that describes them."""

from __future__ import annotations

import html
import io
import itertools
import re
import warnings
from collections.abc import Callable
from typing import Any

from minigrad.views.drawing.drawing import Drawing

escape = html.escape


def section(title: str, *parts: str) -> str:
    return "\n".join([f"<section>\n<h2>{escape(title)}</h2>", *filter(None, parts), "</section>"])


class Figures:
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
        missing = " and ".join(
            f"{', '.join(dict.fromkeys(what))} (no {package})"
            for package, what in self.missing.items()
        )
        return (
            f'left out of the report: {missing}; pip install -e ".[course]" brings what they need'
        )

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
