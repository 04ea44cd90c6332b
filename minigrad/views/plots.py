"""Pictures of numbers, on matplotlib: tables as colours, vectors, histograms, gradients by layer.

Each function returns its figure, and draws into the axes given as `ax` if there are any. Ink is
black and the ground is left transparent; the colours can be told apart on white and on black. Arrays
and Tensors do alike.

Raises everywhere: ImportError without matplotlib, which the `course` extra brings; ArgumentError for an
argument of another kind than its annotation says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import errors
from ..engine.errors import described
from ..engine.kinds import checked, is_array
from ..engine.tensor import Tensor
from ..nn import Module
from ..settings import real, whole
from .colours import BLUE, GRADIENTS, GREEN, GREY, ORANGE, PURPLE, VALUES, Signs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

__all__ = [
    "gradient_size", "gradient_sizes", "heat_map", "histograms", "vectors", "weights_and_gradients",
]  # fmt: skip

COLOURS = BLUE, ORANGE, GREEN, PURPLE
MARKS = "o", "s", "^", "D"

# --- a table as colours ---------------------------------------------------------------------------


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
    for axis, labels in ((ax.xaxis, columns), (ax.yaxis, rows)):
        axis.set_ticks(
            range(len(labels)), [visible(label) for label in labels],
            family="monospace", fontsize=8, parse_math=False,
            rotation=90 if axis is ax.xaxis and not upright else 0,
        )  # fmt: skip
    if numbers is not None:
        for i, j in np.ndindex(n, m):
            text = format(values[i, j], numbers)
            ax.text(j, i, text, ha="center", va="center", fontsize=8, parse_math=False)
    ax.tick_params(length=0, pad=2)
    ax.set_title(title, fontsize=9, parse_math=False)
    ax.set_ylabel(sides[0], fontsize=8)
    ax.set_xlabel(sides[1], fontsize=8)
    frame(ax)
    if scale is not None:
        colour_scale(ax, scale, quantity)
    return figure_of(ax)


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


# --- vectors --------------------------------------------------------------------------------------


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
    width, start = real("width", width), array(starts)
    if not (np.isfinite(values).all() and np.isfinite(start).all()):
        raise errors.ShapeError(
            "an arrow has finite numbers alone: leave out rows with NaN and infinity"
        )
    if start.shape not in ((), (d,), (1, d), (n, d)):
        raise errors.ShapeError(
            f"arrows of {values.shape} start at one place ({d},) or at {values.shape}, not {start.shape}"
        )
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
    for text, tip, way, each in zip(
        () if labels is None else labels, tips, _ways(tips, values), colours
    ):
        style = {"color": each, "parse_math": False, "zorder": 9}
        if d == 2:
            style |= {"textcoords": "offset points", **_alignment(way)}
            ax.annotate(text, tip, 5 * way, **style)
        else:
            place = tip + 0.05 * np.ptp(ax.get_xlim()) * way
            ax.text(*place, text, ha="center", va="center", **style)
    for axis, name in zip("xyz", names[:d]):
        ax.set(**{f"{axis}label": name})
    ax.set_title(title, parse_math=False)
    return figure_of(ax)


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
    return np.array([-way[1], way[0]]) if len(way) == 2 else np.array([0.0, 0.0, 1.0])


def _arrow(ax: Axes, start: np.ndarray, value: np.ndarray, colour: str, width: float) -> None:
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


# --- histograms -----------------------------------------------------------------------------------


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
    told = {name: _aside(values, sizes) for name, values in flat.items()}
    if sizes:
        flat = {name: None if a is None else np.abs(a[a != 0]) for name, a in flat.items()}
    shown = [a[np.isfinite(a)] for a in flat.values() if a is not None]
    together = np.concatenate([*shown, np.empty(0)])
    edges = _edges(together, sizes, bins)
    for i, (name, values) in enumerate(flat.items()):
        bottom = len(flat) - 1 - i
        ax.axhline(bottom, color=GREY, linewidth=0.5)
        if values is not None and values.size:
            counts, _ = np.histogram(values, edges)
            ax.stairs(
                bottom + 0.85 * counts / max(1, counts.max()), edges, baseline=bottom,
                fill=True, color=colour, alpha=0.85, label=name,
            )  # fmt: skip
        ax.text(
            1, bottom + 0.45, told[name], ha="right", va="center", fontsize=7, color=GREY,
            transform=ax.get_yaxis_transform(),
        )  # fmt: skip
    ax.set_yticks(
        [len(flat) - 1 - i + 0.3 for i in range(len(flat))], list(flat),
        family="monospace", fontsize=8, parse_math=False,
    )  # fmt: skip
    if sizes:
        ax.set_xscale("log")
    ax.set(xlim=(edges[0], edges[-1]), ylim=(-0.05, len(flat)))
    ax.set_xlabel(f"size of {quantity}" if sizes else quantity)
    ax.set_title(title, fontsize=10, parse_math=False)
    ax.tick_params(axis="y", length=0)
    frame(ax)
    ax.spines["left"].set_visible(False)
    return figure_of(ax)


def _aside(values: np.ndarray | None, sizes: bool) -> str:
    """Return the text beside a row: what the row does not show."""
    if values is None:
        return "not computed"
    if not values.size:
        return "empty"
    told = []
    if not np.isfinite(values).all():
        told.append(f"{np.mean(~np.isfinite(values)):.0%} not finite")
    if sizes and (values == 0).any():
        told.append(f"{np.mean(values == 0):.0%} zero")
    return ", ".join(told)


def _edges(values: np.ndarray, sizes: bool, bins: int) -> np.ndarray:
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


# --- gradients by layer ---------------------------------------------------------------------------


@checked
def gradient_size(of: Module | Tensor) -> float:
    """The root of the mean square of the gradient: of a tensor, or of all parameters of a module.

    Raises:
        GraphError: if there is no gradient, or only of some parameters.
    """
    tensors = of.parameters() if isinstance(of, Module) else [of]
    missing = [t.name or f"a tensor of shape {t.shape}" for t in tensors if t.grad is None]
    if missing or not tensors:
        raise errors.GraphError(
            f"no gradient was computed for {missing[0] if missing else 'a module without parameters'}"
            f": call backward() first, and retain_grad() before it for results in between"
        )
    flat = np.concatenate([np.ravel(array(t.grad)) for t in tensors]).astype(np.float64)
    return float(np.sqrt(np.mean(np.square(flat))))


@checked
def gradient_sizes(
    sizes: Mapping[str, Sequence[float]],
    *,
    layers: str = "layer, from the input on",
    title: str = "",
    ax: Axes | None = None,
) -> Figure:
    """Draw how large the gradient is in each layer, for several models: one line for each model.

    Args:
        sizes: for what each model is called, one size a layer, such as `gradient_size` gives; from
            the layer nearest to the input on. Zeros have no place on the scale and are left out.
        layers: what the layers are called.
        title: what stands above.
        ax: where to draw; default: a new figure.
    """
    from matplotlib.ticker import MaxNLocator

    (ax,) = places(new_axes(1, 1, 6.4, 4) if ax is None else ax, 1)
    for i, (name, of_layers) in enumerate(sizes.items()):
        values = np.asarray(of_layers, dtype=float)
        values = np.where(values > 0, values, np.nan)
        ax.plot(
            range(1, len(values) + 1), values, label=name, color=COLOURS[i % len(COLOURS)],
            marker=MARKS[i % len(MARKS)], markersize=4, linewidth=1.8,
        )  # fmt: skip
    ax.set_yscale("log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel=layers, ylabel="size of the gradient (root mean square)")
    ax.set_title(title, fontsize=10, parse_math=False)
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.legend(frameon=False, fontsize=9)
    frame(ax)
    return figure_of(ax)


# --- what these, and the transformer's plots, are drawn with --------------------------------------


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
