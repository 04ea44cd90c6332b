"""Every exception that the engine raises. Each message says what was given, what was expected, and what
to do.

All of them derive from `MinigradError`, and each also from the built-in exception that a reader
of NumPy would expect, so that `except ValueError` still catches a wrong shape.

The way of an error: what NumPy raises in a call becomes one of ours (`as_minigrad_error`), which names
the function and what it was given (`error_of_call`). Where an argument does not fit its annotation,
that is the reason (`kinds.error_of_arguments`). Outside the box of a definition, the error names the
definition, which is what the user called (`boxes.call_in_box`). On the way back, it names the node
whose rule failed (`walk.pass_on`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..idioms import renamed
from .source import source_line

if TYPE_CHECKING:
    from .modes import Box
    from .node import Node

Options = dict[str, Any]  # of a call: its arguments by name


class FailedCall(NamedTuple):
    """A call that failed: what an error knows of where it came up."""

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
    place = ""  # the module that failed, inside of which others; the message ends with it
    root: Node | None = None  # the node from which that backward pass started


class ShapeError(MinigradError, ValueError, IndexError):
    """Shapes that do not fit each other, or an axis or index that an array does not have."""


class DTypeError(MinigradError, TypeError):
    """A dtype with which the operation makes no sense, such as the gradient of an integer."""


class ArgumentError(MinigradError, TypeError):
    """An argument of a kind that the function does not take, such as a text in place of an array."""


class UnsupportedError(MinigradError, NotImplementedError, TypeError):
    """A NumPy function, or a keyword of one, that has no entry in the table of derivatives."""


class GraphError(MinigradError, RuntimeError):
    """A backward pass that cannot be right: freed, not a scalar, no gradient."""


class ReadOnlyError(MinigradError, ValueError):
    """A change in place of the array that a Tensor holds."""


class DetachError(MinigradError, TypeError):
    """A value taken out of the graph unnoticed, which would lose its gradient."""


# --- messages --------------------------------------------------------------------------------------

# What a call of NumPy's can end in.
PROBLEMS = (
    ValueError, TypeError, IndexError, NotImplementedError, OverflowError, np.linalg.LinAlgError,
)  # fmt: skip


def error_of_call(name: str, call: FailedCall, problem: Exception) -> MinigradError:
    """Make the error for an exception raised in a call of `name`: a MinigradError gets a new text, any
    other becomes one. The text has what was given, and the line of code.

    If a function that `name` is written with raised it, the traceback still leads there, but the text
    names `name`, which the user called.
    """
    arguments = [
        *map(described, call.args),
        *(f"{k}={described(v)}" for k, v in call.kwargs.items()),
    ]
    error, line = as_minigrad_error(problem), source_line()
    if error.reason is not None and any(map(is_pytorchs, (*call.args, *call.kwargs.values()))):
        error.reason = "a tensor of PyTorch's is no array: write x.detach().numpy() for it"
    if isinstance(call.owner, np.ufunc):
        pair = next((a for a in call.args if type(a) is tuple and _has_arrays(a)), None)
        if pair and error.reason is not None:
            error.reason += f"; a tuple of {len(pair)} is given, as attention gives one: take [0]"
    if error.reason is not None:
        text = f"{name} cannot take {', '.join(arguments) or 'nothing'}: {error.reason}"
        error.args = (text + (f"\n  at {line}" if line else ""),)
    elif name not in str(error):
        error.args = (f"{name}: {error}",)
    error.culprit = error.culprit or call
    return error


def as_minigrad_error(problem: Exception) -> MinigradError:
    """`problem` itself, if it is one of these exceptions; else the one of these that it amounts to."""
    if isinstance(problem, MinigradError):
        return problem
    kinds = {
        TypeError: DTypeError,
        OverflowError: DTypeError,  # a Python integer that the dtype beside it cannot hold
        NotImplementedError: UnsupportedError,
        StopIteration: GraphError,  # which would end the walk, a generator
    }
    kind = next((ours for k, ours in kinds.items() if isinstance(problem, k)), ShapeError)
    error = kind(_in_plain_words(str(problem)) or repr(problem))
    error.reason, error.__cause__ = str(error), problem
    return error


# What NumPy says of products of matrices, in the words of its C code; and what is said here.
PLAINER = {
    r"matmul: Input operand 1 has a mismatch .*\(size (\d+) is different from (\d+)\)":
        r"each row of the first has \2 numbers, and each column of the second \1: they must match",
    r"matmul: Input operand \d does not have enough dimensions \(has 0":
        "a product of matrices takes no single number: multiply by one with *",
}  # fmt: skip


def _in_plain_words(said: str) -> str:
    for pattern, plain in PLAINER.items():
        if found := re.search(pattern, said):
            return found.expand(plain)
    unexpected = re.search(r"got an unexpected keyword argument '(\w+)'", said)
    return said + (renamed(unexpected[1]) if unexpected else "")


def described(value: object) -> str:
    """A value in an error message: an array by its shape and dtype, anything else in short."""
    if isinstance(value, type):  # a dtype, such as np.float32
        return value.__name__
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, (list, tuple)) and _has_arrays(value):
        return f"[{', '.join(map(described, value))}]"
    text = " ".join(repr(value).split())  # on one line
    return text if len(text) <= 60 else text[:57] + "..."


def is_pytorchs(value: object) -> bool:
    """Tell whether something is of a class of PyTorch's, which need not be there."""
    return any(kind.__module__.partition(".")[0] == "torch" for kind in type(value).__mro__)


def _has_arrays(values: list | tuple) -> bool:
    return any(hasattr(v, "shape") for v in values)
