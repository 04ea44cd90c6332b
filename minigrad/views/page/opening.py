"""The opening of a page without a path: in a notebook in place, else in a browser."""

from __future__ import annotations

import html
import re
import tempfile
import webbrowser
from pathlib import Path

from ...system.working import in_notebook

HEIGHT = 640  # pixels of a frame in a notebook


def fresh_path(title: str) -> Path:
    """The path of a new file in a new folder, named after a title."""
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
        from IPython.display import display  # type: ignore[import-not-found]

        frame = framed(path.read_text(encoding="utf-8"))
        display({"text/html": frame, "text/plain": str(path)}, raw=True)  # HTML() warns of frames
        return
    opened = webbrowser.open(path.resolve().as_uri())
    print(path if opened else f"no browser was found: open {path} in one")
