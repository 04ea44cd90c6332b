"""Pictures of a transformer's attention, positions and learning, drawn with matplotlib.

As in `minigrad.views.plots`, each function returns its figure, and draws into the axes `ax` if they are
given.

Every function raises ImportError without matplotlib, which the `course` extra installs; and
ArgumentError for an argument that its annotation does not allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from minigrad import errors
from minigrad.engine.kinds import checked
from minigrad.settings import whole
from minigrad.views.plots import BLUE, ORANGE, heat_map, shades
from minigrad.views.plots.axes import array, figure_of, frame, new_axes, places
from minigrad.views.plots.tables import colour_scale, extent, map_axes

from ..training.loop import Point, perplexity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["attention_map", "attention_maps", "curves", "positional_encodings"]


@checked
def attention_map(
    weights: ArrayLike,
    *,
    queries: Sequence[str],
    keys: Sequence[str],
    sides: tuple[str, str] = ("query", "key"),
    title: str = "",
    numbers: str | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw attention weights: one row per query, one column per key, stronger colour = more weight.

    Args:
        weights: (T, S), each from 0 to 1.
        queries: T labels, from top to bottom.
        keys: S labels, from left to right.
        sides: the names of rows and columns.
        title: the text above the picture.
        numbers: a format such as ".2f" to write each weight into its cell.
        ax: where to draw (default: a new figure).

    Raises:
        ShapeError: if the labels do not fit the weights.
    """
    weights = array(weights)
    if weights.shape != (len(queries), len(keys)):
        raise errors.ShapeError(
            f"attention weights {weights.shape} do not fit {len(queries)} queries (rows) and "
            f"{len(keys)} keys (columns)"
        )
    return heat_map(
        weights, rows=queries, columns=keys, sides=sides, title=title, quantity="weight",
        limits=(0, 1), numbers=numbers, ax=ax,
    )  # fmt: skip


@checked
def attention_maps(
    maps: Sequence[ArrayLike],
    *,
    queries: Sequence[str],
    keys: Sequence[str],
    sides: tuple[str, str] = ("query", "key"),
    columns: int = 2,
    kind: str = "",
    ax: object = None,
) -> Figure:
    """Draw `attention_map` for every head of every layer, in reading order, with the scale of colours.

    Args:
        maps: for each layer, the weights of its heads (H, T, S).
        queries: T labels.
        keys: S labels.
        sides: the names of rows and columns.
        columns: how many maps stand side by side.
        kind: of the attention, such as "cross-attention", for the titles.
        ax: as many axes as there are maps, and one for the scale (default: a new figure).

    Raises:
        ShapeError: if the labels do not fit the weights, or the axes the maps.
        ConfigError: if `columns` is not a whole number from 1.
    """
    columns = whole("columns", columns, least=1)
    layers = [array(heads) for heads in maps]
    wrong = [heads.shape for heads in layers if heads.ndim != 3]
    if wrong or not layers:
        raise errors.ShapeError(
            f"maps are weights (H, T, S) of each layer, not {wrong[0] if wrong else 'none at all'}"
        )
    named = [
        (f"{kind} " * bool(kind) + f"layer {i}, head {h}", weights)
        for i, heads in enumerate(layers, 1)
        for h, weights in enumerate(heads, 1)
    ]
    if ax is None:
        ax = map_axes(len(named), columns, queries, keys)
    *pictures, scale = places(ax, len(named) + 1)
    for i, (picture, (title, weights)) in enumerate(zip(pictures, named)):
        # Only the axes at the left and at the bottom have names.
        beside, below = i % columns == 0, i + columns >= len(named)
        some = (sides[0] if beside else "", sides[1] if below else "")
        attention_map(weights, queries=queries, keys=keys, sides=some, title=title, ax=picture)
    colour_scale(pictures[0], scale, "weight")
    return figure_of(scale)


def window(points: Sequence[Point]) -> int:
    """The number of batches in the running mean of the loss."""
    return max(1, len(points) // 50)


@checked
def curves(points: Sequence[Point], *, ax: object = None) -> Figure:
    """Draw the loss at every step and its running mean, and the loss and the accuracy on held-out
    examples.

    Args:
        points: in order of their steps.
        ax: two axes, for the loss and for the accuracy (default: a new figure).
    """
    first, second = places(new_axes(1, 2, 9.6, 3.2) if ax is None else ax, 2)
    steps = [p.step for p in points]
    _draw_losses(first, points, np.array(steps))
    measured = [p for p in points if p.accuracy is not None]
    second.plot(
        [p.step for p in measured],
        [100 * p.accuracy for p in measured if p.accuracy is not None],
        color=ORANGE, marker="o", markersize=3.5, linewidth=1.8,
    )  # fmt: skip
    second.set(xlabel="step", ylabel="held out, right (%)", ylim=(-3, 103))
    for picture in (first, second):
        picture.set_xlim(0, max(1, steps[-1] if steps else 0) * 1.02)
        picture.grid(alpha=0.25, linewidth=0.6)
        frame(picture)
    return figure_of(first)


def _draw_losses(first: Any, points: Sequence[Point], steps: np.ndarray) -> None:
    """Draw the loss at every step, its running mean, and the loss on held-out examples."""
    from matplotlib.ticker import LogLocator, NullLocator

    losses = np.array([p.loss for p in points], dtype=float)
    losses[~(np.isfinite(losses) & (losses > 0))] = np.nan  # a log scale cannot show these
    size = window(points)
    first.plot(steps, losses, color=BLUE, alpha=0.35, linewidth=0.8, label="each batch")
    if size > 1:
        mean = np.convolve(losses, np.full(size, 1 / size), "valid")
        first.plot(steps[size - 1 :], mean, color=BLUE, linewidth=1.8, label=f"mean of {size}")
    held_out = [(p.step, p.held_out_loss) for p in points if p.held_out_loss is not None]
    if held_out:
        last = held_out[-1][1]
        first.plot(
            *zip(*held_out), color=ORANGE, marker="o", markersize=3.5, linewidth=1.8,
            label=f"held out: at last {last:.3g}, perplexity {perplexity(last):.4g}",
        )  # fmt: skip
    if np.isfinite(losses).any():
        first.set_yscale("log")
        decades = np.log10(np.nanmax(losses) / np.nanmin(losses))
        first.yaxis.set_major_locator(LogLocator(subs=(1,) if decades > 2 else (1, 2, 5)))
        first.yaxis.set_major_formatter("{x:g}")
        first.yaxis.set_minor_locator(NullLocator())
        first.legend(frameon=False, fontsize=8)
    first.set(xlabel="step", ylabel="loss (nats a symbol)")


@checked
def positional_encodings(
    table: ArrayLike,
    *,
    offset: int = 0,
    quantity: str = "added to the embedding",
    title: str = "",
    ax: Axes | None = None,
) -> Figure:
    """Draw positional encodings: one row per position, one column per dimension.

    Args:
        table: (T, D), such as `sinusoidal(T, D)` or the weight of `Learned`.
        offset: the position of the first row.
        quantity: what the numbers are, for the scale of colours.
        title: the text above the picture.
        ax: where to draw (default: a new figure, with the scale of colours).

    Raises:
        ShapeError: if the encodings do not have two axes.
    """
    from matplotlib.ticker import MaxNLocator

    table = array(table)
    if table.ndim != 2:
        raise errors.ShapeError(f"positional encodings are a table (T, D), not {table.shape}")
    low, high = extent(table)
    T, D = table.shape
    own = ax is None
    (ax,) = places(new_axes(1, 1, 6.4, 3.8) if ax is None else ax, 1)
    picture = ax.imshow(
        table, cmap=shades(low, high), vmin=low, vmax=high, interpolation="none", aspect="auto",
        extent=(-0.5, D - 0.5, offset + T - 0.5, offset - 0.5),
    )  # fmt: skip
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="dimension", ylabel="position")
    ax.set_title(title, fontsize=10, parse_math=False)
    frame(ax)
    if own:
        bar = figure_of(ax).colorbar(picture, ax=ax)
        bar.set_label(quantity, fontsize=8)
        for strips in bar.ax.collections:
            strips.set_rasterized(True)  # one picture, not a shape for each colour
    return figure_of(ax)
