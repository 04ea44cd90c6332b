"""The spread of numbers: histograms of arrays, of weights and of gradients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...engine.kinds import checked
from ...nn import Module
from ...settings import whole
from ..colours import BLUE, GRADIENTS, GREY
from .axes import array, check_colour, figure_of, frame, new_axes, places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@checked
def histograms(
    arrays: Mapping[str, ArrayLike | None],
    *,
    quantity: str = "value",
    sizes: bool = False,
    bins: int = 60,
    colour: str = BLUE,
    title: str = "",
    ax: Axes | None = None,
) -> Figure:
    """Draw how the numbers of each array are spread: one row for each array, all along one scale.

    Each row is as high as its fullest bin, whatever the array's size.

    Args:
        arrays: what each is called, from top to bottom, and its numbers; None has no row's content,
            and says so.
        quantity: what the numbers are, with their unit.
        sizes: spread the sizes of the numbers, without their signs, along powers of ten; zeros are
            left out, and their share is written beside the row.
        bins: into how many steps the scale is cut.
        colour: of the rows.
        title: what stands above.
        ax: where to draw; default: a new figure.

    Raises:
        ConfigError: if `bins` is not a whole number from 1, or matplotlib does not know the colour.
    """
    bins = whole("bins", bins, least=1)
    check_colour(colour)
    height = 0.9 + 0.42 * max(1, len(arrays))
    (ax,) = places(new_axes(1, 1, 6.4, height) if ax is None else ax, 1)
    flat = {name: None if a is None else np.ravel(array(a)) for name, a in arrays.items()}
    asides = [_aside(values, sizes) for values in flat.values()]
    if sizes:
        flat = {name: None if a is None else np.abs(a[a != 0]) for name, a in flat.items()}
    edges = _edges([*flat.values()], sizes, bins)
    for i, (name, values) in enumerate(flat.items()):
        _draw_row(ax, len(flat) - 1 - i, values, edges, asides[i], color=colour, label=name)
    _name_rows(ax, [*flat])
    if sizes:
        ax.set_xscale("log")
    ax.set(xlim=(edges[0], edges[-1]), ylim=(-0.05, len(flat)))
    ax.set_xlabel(f"size of {quantity}" if sizes else quantity)
    ax.set_title(title, fontsize=10, parse_math=False)
    frame(ax)
    ax.spines["left"].set_visible(False)
    return figure_of(ax)


def _name_rows(ax: Axes, names: list[str]) -> None:
    """Write the name of each row beside it, from top to bottom."""
    ax.set_yticks(
        [len(names) - 1 - i + 0.3 for i in range(len(names))], names,
        family="monospace", fontsize=8, parse_math=False,
    )  # fmt: skip
    ax.tick_params(axis="y", length=0)


def _aside(values: np.ndarray | None, sizes: bool) -> str:
    """Return the text beside a row: what the row does not show."""
    if values is None:
        return "not computed"
    if not values.size:
        return "empty"
    parts = []
    if not np.isfinite(values).all():
        parts.append(f"{np.mean(~np.isfinite(values)):.0%} not finite")
    if sizes and (values == 0).any():
        parts.append(f"{np.mean(values == 0):.0%} zero")
    return ", ".join(parts)


def _draw_row(
    ax: Axes, bottom: int, values: np.ndarray | None, edges: np.ndarray, aside: str, **style: Any
) -> None:
    """Draw the histogram of `values` from `bottom` up, and the text beside it."""
    ax.axhline(bottom, color=GREY, linewidth=0.5)
    if values is not None and values.size:
        counts, _ = np.histogram(values, edges)
        heights = bottom + 0.85 * counts / max(1, counts.max())
        ax.stairs(heights, edges, baseline=bottom, fill=True, alpha=0.85, **style)
    ax.text(
        1, bottom + 0.45, aside, ha="right", va="center", fontsize=7, color=GREY,
        transform=ax.get_yaxis_transform(),
    )  # fmt: skip


def _edges(arrays: list[np.ndarray | None], sizes: bool, bins: int) -> np.ndarray:
    """The edges (bins + 1,) between the steps of the scale on which all finite numbers lie."""
    finite = [a[np.isfinite(a)] for a in arrays if a is not None]
    values = np.concatenate([*finite, np.empty(0)])
    if not values.size:
        return np.geomspace(0.1, 1, bins + 1) if sizes else np.linspace(-1, 1, bins + 1)
    low, high = float(values.min()), float(values.max())
    if sizes:
        return np.geomspace(low / 1.1, high * 1.1, bins + 1)
    margin = 0.02 * (high - low) or 0.5
    return np.linspace(low - margin, high + margin, bins + 1)


@checked
def weights_and_gradients(model: Module, *, ax: object = None) -> Figure:
    """The weights of a model, and the sizes of their gradients: a row a parameter.

    Args:
        model: after `backward()`, or else the rows of gradients say that there are none.
        ax: two axes, for the weights and for the gradients; default: a new figure.
    """
    named = dict(model.named_parameters())
    height = 0.9 + 0.42 * max(1, len(named))
    first, second = places(new_axes(1, 2, 10, height) if ax is None else ax, 2)
    histograms(named, quantity="weight", ax=first)
    gradients = {name: p.grad for name, p in named.items()}
    histograms(gradients, quantity="gradient", sizes=True, colour=GRADIENTS.plus, ax=second)
    second.set_yticks([])
    return figure_of(first)
