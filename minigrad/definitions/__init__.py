"""NumPy's other functions: rules that a first reading does not need, and functions written in others.

A function that is written in others needs no derivative, and a drawing can open it to show what it is
made of.
"""

from . import (
    decompositions,
    elementwise,
    ignoring_nan,
    linear_algebra,
    other_names,
    quantiles,
    reductions,
    samples,
    selection,
    shapes,
    ufunc_methods,
)

__all__ = [
    "decompositions", "elementwise", "ignoring_nan", "linear_algebra", "other_names", "quantiles",
    "reductions", "samples", "selection", "shapes", "ufunc_methods",
]  # fmt: skip
