"""The table of ATen's functions: `row_table` says how to read a row.

Each of these files has a kind of rows:

- `elements`: functions of each number by itself; `sums`: functions that make one number of many
- `ranks`: elements chosen by their size; `places`: elements at chosen places; `writes`: writing them
- `shapes`: products, and the shapes around them; `algebra`: other functions of matrices
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
