"""A table as colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ... import errors
from ...engine.kinds import checked
from .axes import array, check_format, figure_of, frame, places, shades, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


@checked
def heat_map(
    values: ArrayLike,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    sides: tuple[str, str] = ("", ""),
    title: str = "",
    quantity: str = "value",
    limits: tuple[float, float] | None = None,
    numbers: str | None = None,
    ax: Axes | None = None,
) -> Figure:
    """A table (n, m) as coloured cells: blue above zero, orange below, none at it.

    Args:
        values: (n, m).
        rows: n labels, from top to bottom; default: numbers from 0.
        columns: m labels, from left to right; default: numbers from 0.
        sides: what rows and columns are called.
        title: what stands above.
        quantity: what the numbers are, with their unit, for the scale of colours.
        limits: of the scale; default: up to the largest number, and as far below zero as above, if
            there is any below.
        numbers: a format such as ".2f" to write each number into its cell.
        ax: where to draw; default: a new figure, with the scale of colours.

    Raises:
        ShapeError: if the values are no table, or the labels do not fit.
        ConfigError: if the limits are no two growing numbers, or no number can be written so.
    """
    values, rows, columns = _labelled(values, rows, columns)
    low, high = extent(values) if limits is None else limits
    if not -math.inf < low < high < math.inf:
        raise errors.ConfigError(f"limits are two numbers, the smaller one first, not {limits}")
    if numbers is not None:
        check_format(numbers)
    scale = None
    if ax is not None:
        (ax,) = places(ax, 1)
    else:
        ax, scale = map_axes(1, 1, rows, columns, cell=0.16 if numbers is None else 0.42)
    ax.imshow(values, cmap=shades(low, high), vmin=low, vmax=high, interpolation="none")
    upright = max(map(len, columns), default=1) <= (1 if numbers is None else 5)
    _label(ax.xaxis, columns, 0 if upright else 90)
    _label(ax.yaxis, rows)
    if numbers is not None:
        _write_numbers(ax, values, numbers)
    ax.tick_params(length=0, pad=2)
    ax.set_title(title, fontsize=9, parse_math=False)
    ax.set_ylabel(sides[0], fontsize=8)
    ax.set_xlabel(sides[1], fontsize=8)
    frame(ax)
    if scale is not None:
        colour_scale(ax, scale, quantity)
    return figure_of(ax)


def _write_numbers(ax: Axes, values: np.ndarray, form: str) -> None:
    """Write each number into its cell."""
    for (i, j), value in np.ndenumerate(values):
        text = format(value, form)
        ax.text(j, i, text, ha="center", va="center", fontsize=8, parse_math=False)


def _labelled(
    values: ArrayLike, rows: Sequence[str] | None, columns: Sequence[str] | None
) -> tuple[np.ndarray, Sequence[str], Sequence[str]]:
    """The table (n, m), and the labels of its rows and columns, if they fit."""
    values = array(values)
    if values.ndim != 2:
        raise errors.ShapeError(f"a heat map shows a table (rows, columns), not {values.shape}")
    n, m = values.shape
    rows = [str(i) for i in range(n)] if rows is None else rows
    columns = [str(j) for j in range(m)] if columns is None else columns
    if (n, m) != (len(rows), len(columns)):
        raise errors.ShapeError(
            f"a table {values.shape} does not fit {len(rows)} labels of rows and {len(columns)} of "
            f"columns"
        )
    return values, rows, columns


def _label(axis: Axis, labels: Sequence[str], rotation: int = 0) -> None:
    """Write the labels of rows or columns along an axis, turned by `rotation` degrees."""
    axis.set_ticks(
        range(len(labels)), [visible(label) for label in labels],
        family="monospace", fontsize=8, parse_math=False, rotation=rotation,
    )  # fmt: skip


def extent(values: np.ndarray) -> tuple[float, float]:
    """From 0 to the largest number; from minus the largest size if there are numbers below zero."""
    size = np.abs(values[np.isfinite(values)]).max(initial=0) or 1.0
    return (-size if (values < 0).any() else 0.0), size


def colour_scale(ax: Axes, scale: Axes, quantity: str) -> None:
    """Draw into `scale` what the colours of the map in `ax` stand for."""
    bar = figure_of(scale).colorbar(ax.images[0], cax=scale)
    bar.set_label(quantity, fontsize=8)
    scale.tick_params(labelsize=8)
    scale.spines["outline"].set_linewidth(0.6)
    for strips in scale.collections:
        strips.set_rasterized(True)  # one picture, not a shape for each colour


def map_axes(
    count: int, across: int, rows: Sequence[str], columns: Sequence[str], cell: float = 0.16
) -> list[Axes]:
    """Axes for `count` maps with square cells, `across` side by side, and one for a scale.

    Everything is placed by its size in inches: fitting so many labels by trial takes seconds.
    """
    from matplotlib.figure import Figure

    letter = 0.07
    across = min(across, count)
    down = math.ceil(count / across)
    longest = max(map(len, columns), default=1)
    left, top = 0.35 + letter * max(map(len, rows), default=1), 0.3
    bottom = 0.38 + letter * (longest if longest > 1 else 1)
    w = max(1.0, cell * len(columns))  # no less than the title needs
    h = max(0.8, cell * len(rows))  # and the scale
    wide, high = left + w, top + h + bottom
    width, height = across * wide + 0.9, down * high
    figure = Figure((width, height), layout="none")  # type: ignore[arg-type]
    boxes = [
        (i % across * wide + left, (down - 1 - i // across) * high + bottom, w, h)
        for i in range(count)
    ]
    boxes.append((width - 0.7, boxes[0][1], 0.1, h))
    return [figure.add_axes((x / width, y / height, w / width, h / height)) for x, y, w, h in boxes]
