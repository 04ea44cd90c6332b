"""The switch for kernels: fast forms of definitions, in rooms that can be deleted.

    with mg.fast():
        loss = model.loss(batch)

A kernel computes what a definition does, in as few passes over the arrays as possible, with a
derivative worked out by hand. Kernels stand in the modules named in `ROOMS`, and nothing but `fast`
imports these. Where such a module was deleted, definitions run.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator

from .engine.modes import setting
from .with_blocks import silent, with_block

ROOMS: dict[str, bool] = {"minigrad.fast": False}  # and whether it was imported


def register(module: str) -> None:
    """Have `fast` import the kernels of a module when it is first entered, or now if it was."""
    ROOMS.setdefault(module, False)
    if any(ROOMS.values()):
        _import_rooms()


def _import_rooms() -> None:
    for module, imported in ROOMS.items():
        if not imported and importlib.util.find_spec(module) is not None:
            importlib.import_module(module)
            ROOMS[module] = True


@with_block
def fast() -> Iterator[None]:
    """Within it, kernels run in place of definitions.

    NumPy's warning of invalid values is silent then: BLAS can give it for sums of finite numbers, since
    it also reads what lies beyond the end of a row.
    """
    _import_rooms()
    with silent("invalid"), setting(fast=True):
        yield
