"""Tapes run by the interpreter of the pages, in a real engine of JavaScript."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from minigrad.ran.data import GraphData
from minigrad.script import tape
from minigrad.script.script import Script
from minigrad.views.page import scripts

RUNNING = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def run(browser: Any, folder: Any, data: Any, script: str) -> Any:
    """What a script makes of `data`, in a page that has the interpreter and the functions above."""
    code = scripts.joined(("once", "shapes", "functions", "kernels", "interpreter"))
    file = folder / "interpreter.html"
    file.write_text(
        f"<meta charset=utf-8><script>{code}\n{RUNNING}\nconst data = {json.dumps(data)};</script>",
        encoding="utf-8",
    )
    browser.open(file)
    found = browser.run(script)
    assert browser.messages() == []
    return found


def tape_of(graph: GraphData, instead: Mapping[int, int] | None = None) -> tape.Tape:
    """The tape of a graph as a page has it."""
    return tape.tape_of(Script(graph, follow_numbers=True, instead=instead))


def as_text(array: Any) -> str:
    return base64.b64encode(np.asarray(array).astype(float).tobytes()).decode()


def as_array(text: str, like: Any) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text)).reshape(np.shape(like))


def packed(made: Any, **more: Any) -> dict[str, Any]:
    """A tape as a page has it, with the array of every slot."""
    return (
        made.packed() | {"data": list(made.held), "values": list(map(as_text, made.arrays))} | more
    )


def close(found: np.ndarray, wanted: Any, size: Any, error: float) -> bool:
    """Whether an array is another one, as far as numbers of a certain size can be added."""
    wanted = np.asarray(wanted, float)
    with np.errstate(all="ignore"):
        near = np.abs(found - wanted) <= error * np.asarray(size)
    return bool(np.all(near | (found == wanted) | (np.isnan(found) & np.isnan(wanted))))
