"""Showing a page that has no path: in a notebook in place, else in a browser."""

from __future__ import annotations

import html
import re
import sys
import tempfile
import webbrowser
from pathlib import Path

LARGE = 1000  # nodes: of a graph with more it is told how far its page has come
HEIGHT = 640  # pixels of a frame in a notebook


def in_notebook() -> bool:
    """Tell whether a notebook runs this, which can show a page in place."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def fresh_path(title: str) -> Path:
    """The path of a new file, called by a title, in a folder of its own."""
    name = re.sub(r"\W+", "-", title).strip("-")[:40] or "page"
    return Path(tempfile.mkdtemp(prefix="minigrad-")) / f"{name}.html"


def framed(page: str) -> str:
    """A page as a frame in another."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" title="a computation" '
        f'style="width:100%;height:{HEIGHT}px;border:1px solid #bbb"></iframe>'
    )


def show(path: Path) -> None:
    """Show the page in a notebook; or else open it in a browser, and print where it is."""
    if in_notebook():
        from IPython.display import HTML, display  # type: ignore[import-not-found]

        display(HTML(framed(path.read_text(encoding="utf-8"))))
        return
    opened = webbrowser.open(path.resolve().as_uri())
    print(path if opened else f"no browser was found: open {path} in one")


class PageProgress:
    """Says on standard error how far the page of a large graph has come, a line for each part of it.

    Args:
        nodes: of the graph; of a small one nothing is said.
    """

    PARTS = "its script", "its drawings", "its nodes", "its edges", "its arrays"

    def __init__(self, nodes: int):
        self.nodes = nodes

    def __call__(self, part: str) -> None:
        """Say that a part, one of `PARTS`, begins."""
        if self.nodes > LARGE:
            at = f"{self.PARTS.index(part) + 1} of {len(self.PARTS)}"
            print(f"a page of {self.nodes:,} nodes, {at}: {part}", file=sys.stderr, flush=True)


SILENT = PageProgress(0)
