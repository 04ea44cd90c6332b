"""The page "If you know PyTorch, JAX, Keras": the table of idioms, to be searched."""

from __future__ import annotations

import html

from ... import idioms
from ..folders import EXAMPLES
from ..lessons.addresses import Links, Site
from ..lessons.pages import page

PAGE = "idioms.html"
KERAS = EXAMPLES / "KERAS.md"
TITLE = "If you know PyTorch, JAX, Keras"
GROUPS = (  # what stands before the name here, and the rows
    ("mg.", "whole modules, against minigrad and NumPy", idioms.MODULES),
    ("x.", "the methods of a Tensor", idioms.METHODS),
    ("x.", "the same names, and other results: no error tells", idioms.OTHERWISE),
    ("nn.", "layers", idioms.LAYERS),
    ("F.", "functions", idioms.FUNCTIONS),
    ("optim.", "optimisers", idioms.OPTIMISERS),
    ("model.", "the methods of a module", idioms.MODULE_METHODS),
)
IMPORTS = """import numpy as np
import minigrad as mg
from minigrad import functional as F, nn, optim"""


def idioms_page(site: Site) -> str:
    """Write what others write, and what to write here: a table for each group, to be searched."""
    links = Links(site, PAGE)
    groups = "".join(
        f"<section><h2><code>{name}</code> {about}</h2>"
        f"{_table('they write', 'write here', rows)}</section>"
        for name, about, rows in GROUPS
    )
    words = _table("they call it", "here", sorted(idioms.WORDS.items()))
    body = f"""<h1>{TITLE}</h1>
<p>Shapes and axes are NumPy's, gradients PyTorch's, functions of functions JAX's. A name that is not
here raises an error that says what to write, from this same table;
each line on the right is run by a test.
<code>x</code> and <code>y</code> are Tensors (2, 3), <code>c</code> one (2, 3, 4), <code>w</code> a leaf
(3,), <code>ids</code> an array of integers, <code>mask</code> one of booleans,
<code>t</code> one of labels 0 and 1, <code>f</code> a function that gives one number,
<code>model</code> a module.</p>
<pre>{IMPORTS}</pre>
<p>With Keras, begin with <a href="{links.local(site.page_of(KERAS))}">a whole program, and the same
here</a>.</p>
<p><label>Find <input id="filter" type="search" placeholder="such as cat or dim" autofocus></label></p>
{groups}<section><h2>Names of arguments</h2>{words}</section>"""
    return page(TITLE, body, links)


def _table(theirs: str, here: str, rows: list[tuple[str, str]]) -> str:
    lines = "".join(
        f'<tr class="idiom">{"".join(f"<td>{_code(one)}</td>" for one in row)}</tr>' for row in rows
    )
    return (
        f'<div class="table"><table><tr><th>{theirs}</th><th>{here}</th></tr>{lines}</table></div>'
    )


def _code(text: str) -> str:
    text = html.escape(text)
    return f"<pre>{text}</pre>" if "\n" in text else f"<code>{text}</code>"
