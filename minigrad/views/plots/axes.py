"""Axes, colours and checks that all plots are drawn with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import errors
from ...engine.errors import described
from ...engine.kinds import is_array
from ...engine.tensor import Tensor
from ..colours import BLUE, VALUES, Signs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure


def array(values: object) -> np.ndarray:
    """Return the numbers of an array, a Tensor or a list, outside the graph.

    Raises:
        ArgumentError: if they are none.
    """
    if not is_array(values):
        raise errors.ArgumentError(f"a drawing shows an array of numbers, not {described(values)}")
    return np.asarray(values.data if isinstance(values, Tensor) else values)


def new_axes(rows: int, columns: int, width: float, height: float, **options: object) -> np.ndarray:
    """An array (rows, columns) of axes in a new figure, which no window or notebook holds on to."""
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained")
    return figure.subplots(rows, columns, squeeze=False, subplot_kw=options)


def places(ax: object, count: int) -> list[Any]:
    """Return the axes to draw into, out of what a caller gave as `ax`: one, or an array or list.

    Raises:
        ArgumentError: if one is no axes of matplotlib.
        ShapeError: if there are not `count`.
    """
    from matplotlib.axes import Axes

    several = isinstance(ax, (np.ndarray, list, tuple))
    axes = list(np.ravel(np.array(ax, dtype=object))) if several else [ax]
    for each in axes:
        if not isinstance(each, Axes):
            raise errors.ArgumentError(
                f"ax is axes of matplotlib, such as Figure().subplots() gives, not {described(each)}"
            )
    if len(axes) != count:
        raise errors.ShapeError(f"the drawing needs {count} axes, not {len(axes)}")
    return axes


def check_colour(colour: str) -> None:
    """Check that matplotlib knows a colour.

    Raises:
        ConfigError: if not.
    """
    from matplotlib.colors import is_color_like

    if not is_color_like(colour):
        raise errors.ConfigError(
            f"a colour is a name or a code such as {BLUE!r}, not {described(colour)}"
        )


def check_format(numbers: str) -> None:
    """Check that numbers can be written in a format.

    Raises:
        ConfigError: if not.
    """
    try:
        format(0.0, numbers)
    except ValueError:
        raise errors.ConfigError(
            f"numbers is a format such as '.2f', not {described(numbers)}"
        ) from None


def figure_of(ax: Any) -> Figure:
    """The figure that axes are in."""
    return ax.get_figure(root=True)


def frame(ax: Axes) -> None:
    """Thin lines to the left and below, and none elsewhere."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_linewidth(0.6)


def shades(low: float, high: float, signs: Signs = VALUES) -> Colormap:
    """From transparent at zero to one colour above it, and to the other below it if `low` is there:
    `VALUES` or `GRADIENTS` of `colours`.

    The map lies on whatever ground there is.
    """
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    minus, plus = map(to_rgb, signs)
    if low >= 0:
        return LinearSegmentedColormap.from_list("above", [(*plus, 0), (*plus, 1)])
    zero = low / (low - high) if high > 0 else 1.0
    ends = [(0.0, (*minus, 1)), (zero, (*minus, 0))]
    if high > 0:
        ends += [(zero, (*plus, 0)), (1.0, (*plus, 1))]
    return LinearSegmentedColormap.from_list("both", ends)


def visible(label: str) -> str:
    """`label`, or a sign for it where it is a space."""
    return "\N{OPEN BOX}" if label == " " else label
