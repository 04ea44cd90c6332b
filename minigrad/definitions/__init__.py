"""NumPy's other functions: rules that a first reading does not need, and definitions.

A definition is a function written in other functions of the table. It needs no derivative, and a drawing
can open it to show these functions.

Where a function has a kink, its derivative there is a choice, and the choice is mostly PyTorch's:

    absolute, sign, relu, arctan2  0 at 0
    std and norm                   0 at 0 (`reductions.root`)
    maximum, minimum               each of two equal arguments gets half
    max, min over an axis          equal elements get equal parts
    clip                           1 at its bounds
    power                          by the exponent, 0 where the base is 0 and stays 0

Where PyTorch has NaN, hypot has 0 at 0, and logaddexp 0 where both arguments are -inf. These choices are
not PyTorch's:

    fmax, fmin    each of two equal arguments gets half, as for maximum; PyTorch's first one gets all
    relu at NaN   0, as at every input that is not above 0; PyTorch has 1
    elu at 0      its second derivative is that of its negative side, alpha; PyTorch has 0

Each file is a kind of function, and can be read by itself:

- `elementwise`; `without_rules`: functions that give plain arrays, outside the graph
- `shapes`: elements moved, repeated, joined; `selection`: elements chosen by their places
- `reductions`, `ignoring_nan`, `quantiles`: over axes; `samples`: of a function given by its values
- `linear_algebra`, `decompositions`
- `ufunc_methods`: `np.add.reduce` and its like; `other_names`: names of NumPy 2, as `np.unstack`
- `axes` and `half`: functions that the other files use

If a definition raises a ValueError, as NumPy does, the caller gets a ShapeError that names the function
and its arguments (`engine/failures.py`).
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
    without_rules,
)

__all__ = [
    "decompositions", "elementwise", "ignoring_nan", "linear_algebra", "other_names", "quantiles",
    "reductions", "samples", "selection", "shapes", "ufunc_methods", "without_rules",
]  # fmt: skip
