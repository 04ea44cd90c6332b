"""The command `explain`: a page that explains one reading."""

from __future__ import annotations

import argparse

from ..training.checkpoints import load_reader
from ..training.threads import one_thread
from ..views import explain as explanation
from .folder import checkpoint_of, writable


def explain(options: argparse.Namespace) -> int:
    """Write the page of one reading."""
    checkpoint = checkpoint_of(options.checkpoint)
    reader, _ = load_reader(checkpoint)
    page = writable(getattr(options, "out", checkpoint.with_name("explain.html")))
    with one_thread():
        explanation.explain(reader, options.line.strip(), page)
    print(page)
    return 0
