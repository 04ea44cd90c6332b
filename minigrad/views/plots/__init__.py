"""Pictures of numbers, on matplotlib: tables as colours, vectors, histograms, gradients by layer.

Each function returns its figure, and draws into the axes given as `ax` if there are any. Ink is
black and the ground is left transparent; the colours can be told apart on white and on black. Arrays
and Tensors do alike.

Raises everywhere: ImportError without matplotlib, which the `course` extra brings; ArgumentError for an
argument of another kind than its annotation says.

1. `tables`: heat maps; `arrows`: vectors; `spread`: histograms; `layers`: the sizes of gradients
2. `memory`: the memory of a compiled program
3. `axes`: axes, checks and colours that all of them use
"""

from ..colours import BLUE, GREEN, GREY, ORANGE, PURPLE
from .arrows import vectors
from .axes import shades
from .layers import gradient_size, gradient_sizes
from .spread import histograms, weights_and_gradients
from .tables import heat_map

__all__ = [
    "BLUE", "GREEN", "GREY", "ORANGE", "PURPLE", "gradient_size", "gradient_sizes", "heat_map",
    "histograms", "shades", "vectors", "weights_and_gradients",
]  # fmt: skip
