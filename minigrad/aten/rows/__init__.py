"""The table of ATen's functions: `row_table` says how to read a row."""

from . import algebra, elements, layers, places, shapes, windows  # noqa: F401 - they enter their rows
from .row_table import ROWS, row

__all__ = ["ROWS", "row"]
