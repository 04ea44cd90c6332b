"""The memory of a compiled program, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..colours import BLUE, ORANGE
from .axes import figure_of, frame, new_axes, places

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...compiler.keeping import MemoryUse

NOTE: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8}


def bytes_in_use(use: MemoryUse, ax: Any) -> Figure:
    """Draw the bytes in use while each line runs, up to the way back and along it."""
    (ax,) = places(new_axes(1, 1, 7, 3.2) if ax is None else ax, 1)
    lines, turn = range(1, len(use.in_use) + 1), use.forward + 0.5
    for first, last, colour in ((0, use.forward, BLUE), (use.forward, len(lines), ORANGE)):
        ways = lines[first:last], use.in_use[first:last]
        ax.fill_between(*ways, step="mid", color=colour, alpha=0.6, linewidth=0)
    kept = sum(k.nbytes for k in use.kept)
    ax.hlines([use.peak, kept], 0.5, [len(lines) + 0.5, turn], colors="black", linewidth=0.8)
    ax.annotate("all buffers", (len(lines), use.peak), (0, 3), ha="right", **NOTE)
    ax.annotate("kept for the way back", (turn, kept), (-3, -10), ha="right", **NOTE)
    ax.set(xlabel="line of the program: forward, then back", ylabel="bytes in use", ylim=(0, None))
    ax.yaxis.set_major_formatter("{x:,.0f}")
    frame(ax)
    return figure_of(ax)
