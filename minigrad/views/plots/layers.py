"""The sizes of gradients, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ... import errors
from ...engine.kinds import checked
from ...engine.tensor import Tensor
from ...nn import Module
from ..colours import BLUE, GREEN, ORANGE, PURPLE
from .axes import array, figure_of, frame, new_axes, places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = BLUE, ORANGE, GREEN, PURPLE
MARKS = "o", "s", "^", "D"


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
