"""Every exception that the engine raises. Each message says what was given, what was expected, and what
to do.

All of them derive from `MinigradError`, and each also from the built-in exception that a reader
of NumPy would expect, so that `except ValueError` still catches a wrong shape.

`failures` makes them of the exceptions that a failed call raised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .modes import Box
    from .node import Node

Options = dict[str, Any]  # of a call: its arguments by name


class FailedCall(NamedTuple):
    """A call that failed, as its error remembers it."""

    owner: Any  # the function, the module, or the name of the definition
    args: tuple
    kwargs: Options
    box: Box | None  # the box in which it ran
    y: Any = None  # its result, where there is one


class MinigradError(Exception):
    """The base of every exception raised by minigrad and minitransformer.

    `graph(error)` shows the computation up to what failed, which is marked in it.
    """

    reason: str | None = None  # what was wrong, apart from the function and what it was given
    culprit: Any = None  # the `FailedCall`, or the node in a backward pass, that failed
    place = ""  # the module that failed, after the modules around it; the message ends with it
    root: Node | None = None  # the node from which that backward pass started


class ShapeError(MinigradError, ValueError, IndexError):
    """Shapes that do not fit each other, an axis or index that an array does not have, or another value
    that a function of NumPy's refuses, as a singular matrix."""


class DTypeError(MinigradError, TypeError):
    """A dtype with which the operation makes no sense, such as the gradient of an integer."""


class ArgumentError(MinigradError, TypeError):
    """An argument of a kind that the function does not take, such as a text in place of an array."""


class UnsupportedError(MinigradError, NotImplementedError, TypeError):
    """A function, or an argument of one, that cannot be differentiated here; or an item that is set."""


class GraphError(MinigradError, RuntimeError):
    """A use that a graph does not allow: a walk through freed nodes, new values for a result."""


class ReadOnlyError(MinigradError, ValueError):
    """A change in place of the array that a Tensor holds."""


class DetachError(MinigradError, TypeError):
    """A value taken out of the graph unnoticed, which would lose its gradient."""


# --- what a call can end in -------------------------------------------------------------------------

# A call of NumPy's.
PROBLEMS = (
    ValueError, TypeError, IndexError, NotImplementedError, OverflowError, np.linalg.LinAlgError,
)  # fmt: skip
# A call of a function that does not check its arguments, where one of these is wrong.
UNCLEAR = (TypeError, ValueError, AttributeError, IndexError, NotImplementedError)


def described(value: object) -> str:
    """A value in an error message: an array by its shape and dtype, anything else in short."""
    if isinstance(value, type):  # a dtype, such as np.float32
        return value.__name__
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, (list, tuple)) and has_arrays(value):
        return f"[{', '.join(map(described, value))}]"
    text = " ".join(repr(value).split())  # on one line
    return text if len(text) <= 60 else text[:57] + "..."


def has_arrays(values: list | tuple) -> bool:
    """Tell whether an array is among them."""
    return any(hasattr(v, "shape") for v in values)
