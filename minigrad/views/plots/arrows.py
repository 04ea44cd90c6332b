"""Vectors as arrows, in the plane or in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ... import errors
from ...engine.kinds import checked
from ...settings import real
from ..colours import BLUE
from .axes import array, check_colour, figure_of, frame, new_axes, places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@checked
def vectors(
    values: ArrayLike,
    labels: Sequence[str] | None = None,
    *,
    starts: ArrayLike = 0.0,
    colour: str | Sequence[str] = BLUE,
    width: float = 1.8,
    names: tuple[str, ...] = ("first number", "second number", "third number"),
    title: str = "",
    ax: Any = None,
) -> Figure:
    """Each row as an arrow, in the plane or in space. Call it again with `ax` to add more arrows.

    Args:
        values: (n, 2) or (n, 3).
        labels: n texts, to stand at the tips; default: none.
        starts: where the arrows start, of the same shape or (2,) or (3,); default: the origin.
            An arrow leads from its start by its value.
        colour: of all arrows, or one for each.
        width: of the lines, in points.
        names: what the axes are called.
        title: what stands above.
        ax: where to draw, with projection="3d" for three numbers; default: a new figure.
            The arrows that it has already stay in sight.

    Raises:
        ShapeError: if the vectors are not in the plane or in space; if the labels or colours are not
            as many, or the starts of another shape; or if `ax` is of the other kind.
        ConfigError: if the width is no number from 0, or matplotlib does not know a colour.
    """
    values, start, colours = _fitting(values, labels, starts, colour)
    width, d = real("width", width), values.shape[1]
    if ax is None:
        ax = new_axes(1, 1, 4.8, 4.6, **({"projection": "3d"} if d == 3 else {}))[0, 0]
    (ax,) = places(ax, 1)
    if (ax.name == "3d") != (d == 3):
        raise errors.ShapeError(
            f"vectors of {d} numbers need axes of {d} dimensions: make them with "
            f"figure.add_subplot({'projection=' + chr(34) + '3d' + chr(34) if d == 3 else ''})"
        )
    tails = np.broadcast_to(start, values.shape)
    tips = tails + values
    _include(ax, np.concatenate([tails, tips, np.zeros((1, d))]))
    for tail, value, each in zip(tails, values, colours):
        _arrow(ax, tail, value, each, width)
    _label(ax, () if labels is None else labels, tips, _ways(tips, values), colours)
    for axis, name in zip("xyz", names[:d]):
        ax.set(**{f"{axis}label": name})
    ax.set_title(title, parse_math=False)
    return figure_of(ax)


def _fitting(
    values: ArrayLike,
    labels: Sequence[str] | None,
    starts: ArrayLike,
    colour: str | Sequence[str],
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The vectors (n, d), their starts, and a colour for each, if all of them fit."""
    values = array(values)
    if values.ndim != 2 or values.shape[1] not in (2, 3):
        raise errors.ShapeError(
            f"arrows are drawn of vectors (n, 2) or (n, 3), not {values.shape}; a projection, such "
            f"as by the first rows of np.linalg.svd's third result, makes others fit"
        )
    n, d = values.shape
    colours = [colour] * n if isinstance(colour, str) else list(colour)
    for name, texts in {"labels": labels, "colours": colours}.items():
        if texts is not None and len(texts) != n:
            raise errors.ShapeError(f"{len(texts)} {name} do not fit {n} vectors")
    for each in colours:
        check_colour(each)
    start = array(starts)
    if not (np.isfinite(values).all() and np.isfinite(start).all()):
        raise errors.ShapeError(
            "an arrow has finite numbers alone: leave out rows with NaN and infinity"
        )
    if start.shape not in ((), (d,), (1, d), (n, d)):
        raise errors.ShapeError(
            f"arrows of {values.shape} start at one place ({d},) or at {values.shape}, not {start.shape}"
        )
    return values, start, colours


def _label(
    ax: Any, labels: Sequence[str], tips: np.ndarray, ways: np.ndarray, colours: Sequence[str]
) -> None:
    """Write each label beside the tip of its arrow."""
    for text, tip, way, each in zip(labels, tips, ways, colours):
        style: dict[str, Any] = {"color": each, "parse_math": False, "zorder": 9}
        if len(tip) == 2:
            style |= {"textcoords": "offset points", **_alignment(way)}
            ax.annotate(text, tip, 5 * way, **style)
        else:
            place = tip + 0.05 * np.ptp(ax.get_xlim()) * way
            ax.text(*place, text, ha="center", va="center", **style)


def _ways(tips: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Compute the way from each tip to its label: onwards, and to different sides of near tips."""
    near = 0.15 * np.abs(tips).max(initial=0)
    ways = []
    for i, (tip, value) in enumerate(zip(tips, values)):
        way = value / (np.linalg.norm(value) or 1.0)
        close = np.linalg.norm(tips - tip, axis=1) < near
        if close.sum() > 1:
            side = close[:i].sum() - (close.sum() - 1) / 2
            way = way + side * 1.6 * _sideways(way)
            way = way / np.linalg.norm(way)
        ways.append(way)
    return np.array(ways).reshape(tips.shape)


def _alignment(way: np.ndarray) -> dict[str, str]:
    """Return the alignment with which a text begins where `way` leads, and does not lie over it."""
    across, up = np.where(np.abs(way) < 0.5, 0, np.sign(way)).astype(int)
    return {
        "ha": ("center", "left", "right")[across],
        "va": ("center", "bottom", "top")[up],
    }


def _sideways(way: np.ndarray) -> np.ndarray:
    """The way turned by 90 degrees, in the plane; in space, upwards."""
    return np.array([-way[1], way[0]]) if len(way) == 2 else np.array([0.0, 0.0, 1.0])


def _arrow(ax: Axes, start: np.ndarray, value: np.ndarray, colour: str, width: float) -> None:
    """Draw an arrow from its start by its value."""
    size = float(np.linalg.norm(value))
    if len(value) == 3:
        head = 0.04 * np.ptp(ax.get_xlim()) / size if size else 0
        ax.quiver(
            *start, *value, color=colour, linewidth=width, arrow_length_ratio=min(head, 0.5)
        )  # fmt: skip
    else:
        ax.quiver(
            *start, *value, color=colour, angles="xy", scale_units="xy", scale=1, units="dots",
            width=width * ax.figure.dpi / 72, headwidth=4.5, headlength=6, headaxislength=5.4,
            zorder=3,
        )  # fmt: skip


def _include(ax: Any, points: np.ndarray) -> None:
    """Widen the limits to have the points in sight, one unit alike on all axes."""
    from matplotlib.ticker import MaxNLocator

    low, high = points.min(0), points.max(0)
    margin = 0.12 * ((high - low).max() or 1.0)
    low, high = low - margin, high + margin
    if ax.has_data():
        old = np.array([getattr(ax, f"get_{axis}lim")() for axis in "xyz"[: len(low)]])
        low, high = np.minimum(low, old[:, 0]), np.maximum(high, old[:, 1])
    for axis, *ends in zip("xyz", low, high):
        ax.set(**{f"{axis}lim": ends})
    if len(low) == 3:
        ax.set_box_aspect(high - low, zoom=0.85)  # the label of the third axis stays in sight
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color((0, 0, 0, 0))
            axis.set_major_locator(MaxNLocator(4))
    else:
        ax.set_aspect("equal")
        frame(ax)
