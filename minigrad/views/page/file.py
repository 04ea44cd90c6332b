"""The page as one file of HTML, with everything that it needs inside."""

from __future__ import annotations

import html
import json
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import colours
from . import scripts

HERE = Path(__file__).parent
COMPARED = "Compared with PyTorch"  # the only section whose tab stands after the drawing


def page(content: Mapping[str, Any], sections: Mapping[str, str]) -> str:
    """The page as HTML, with its `content` as JSON, and with further sections by their titles."""
    data = json.dumps(content, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    extra = "\n".join(
        f'<section class="tab extra{" after" * (name == COMPARED)}" data-title="{html.escape(name)}" '
        f"hidden>{body}</section>"
        for name, body in sections.items()
    )
    left_out = set() if content["another"] else scripts.ANOTHER_LINE
    template = string.Template(_text("page.html"))
    return template.substitute(
        title=html.escape(content["title"]),
        style=scripts.small(colours.css() + _text("style.css") + _text("live.css")),
        script=scripts.joined(tuple(file for file in scripts.SCRIPTS if file not in left_out)),
        data=data.replace("<", "\\u003c").replace("&", "\\u0026"),  # no tag can end the element
        sections=extra,
    )


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
