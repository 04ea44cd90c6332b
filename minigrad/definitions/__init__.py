"""NumPy's other functions: rules that a first reading does not need, and functions written in others.

A function that is written in others needs no derivative, and a drawing can open it to show what it is
made of.
"""

from . import elementwise, linear_algebra, reductions, selection, shapes, ufunc_methods

__all__ = ["elementwise", "linear_algebra", "reductions", "selection", "shapes", "ufunc_methods"]
