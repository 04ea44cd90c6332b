"""The table of ATen's functions: `row_table` says how to read a row.

Each of these files has a kind of rows:

- `elements`: of each number by itself, and activations; `sums`: of many numbers one
- `ranks`: elements chosen by their size; `places`: at chosen places, read and written, by `writes`
- `shapes`: products, and the shapes around them; `algebra`: of matrices
- `layers`: norms, attention and losses; `windows`: convolutions, pools, images
"""

from . import (  # noqa: F401 - they enter their rows
    algebra,
    elements,
    layers,
    places,
    ranks,
    shapes,
    sums,
    windows,
)
from .row_table import ROWS, row

__all__ = ["ROWS", "row"]
