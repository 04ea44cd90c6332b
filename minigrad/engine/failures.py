"""Errors for users, made of the exceptions that a failed call raised.

An exception of NumPy's becomes one of minigrad's (`as_minigrad_error`). Then the error says where it
came up, and what was wrong:

    error_of_call        in a call of an operation: the function, its arguments, the line of code
    error_of_arguments   in a definition, a module or an operation of a user's: the argument that does
                         not fit its annotation
    error_in_box         in a definition or a module: the definition that the user called, and not an
                         operation inside it; the innermost module, by the attributes that lead to it
    error_in_rule        on the way back: the node, and the argument whose rule failed
    error_of_detaching   a number is asked of a Tensor that requires a gradient
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..idioms import MATH
from .advice import our_name
from .errors import (
    ArgumentError,
    DetachError,
    DTypeError,
    FailedCall,
    GraphError,
    MinigradError,
    ShapeError,
    UnsupportedError,
    described,
    has_arrays,
)
from .kinds import misfit
from .modes import outward
from .source import source_line

if TYPE_CHECKING:
    from .modes import Box
    from .node import Node


def as_minigrad_error(problem: Exception) -> MinigradError:
    """`problem` itself, if it is an exception of minigrad's; else the exception of minigrad's for it."""
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


# From a pattern of NumPy's message, in the words of its C code, to plain words.
PLAIN_WORDS = {
    r"matmul: Input operand 1 has a mismatch .*\(size (\d+) is different from (\d+)\)":
        r"each row of the first has \2 numbers, and each column of the second \1: they must match",
    r"matmul: Input operand \d does not have enough dimensions \(has 0":
        "a product of matrices takes no single number: multiply by one with *",
    r"'list' object cannot be interpreted as an integer":
        "a whole number, or a tuple of them such as axis=(0, 1), is expected, not a list",
}  # fmt: skip


def _in_plain_words(message: str) -> str:
    for pattern, ours in PLAIN_WORDS.items():
        if match := re.search(pattern, message):
            return match.expand(ours)
    unexpected = re.search(r"got an unexpected keyword argument '(\w+)'", message)
    return message + (our_name(unexpected[1]) if unexpected else "")


# From a call to the reason of its failure, in better words than NumPy's, or "": other rooms add to it.
BETTER_REASONS: list[Callable[[FailedCall], str]] = []


# --- on the way forward ---------------------------------------------------------------------------


def error_of_call(name: str, call: FailedCall, problem: Exception) -> MinigradError:
    """Make the error for an exception raised in a call of `name`: a MinigradError gets a new text, any
    other exception becomes a MinigradError. The text has the arguments, and the line of code.

    If a function that `name` is written with raised it, the traceback still leads there, but the text
    names `name`, which the user called.
    """
    error = as_minigrad_error(problem)
    if error.reason is not None:
        error.reason = _reason(name, call, error.reason)
        by_name = (f"{k}={described(v)}" for k, v in call.kwargs.items())
        arguments = ", ".join([*map(described, call.args), *by_name])
        line = source_line()
        text = f"{name} cannot take {arguments or 'nothing'}: {error.reason}"
        error.args = (text + (f"\n  at {line}" if line else ""),)
    elif name not in str(error):
        error.args = (f"{name}: {error}",)
    error.culprit = error.culprit or call
    return error


def _reason(name: str, call: FailedCall, reason: str) -> str:
    """The reason of a failed call; with a remedy, for some mistakes that are often made."""
    reason = next(filter(None, (better(call) for better in BETTER_REASONS)), reason)
    several = next((a for a in call.args if type(a) is tuple and has_arrays(a)), None)
    if several and isinstance(call.owner, np.ufunc):
        return f"{reason}; a tuple of {len(several)} is given, as a module may return one: take [0]"
    if not (call.args or call.kwargs) and "missing 1 required positional" in reason:
        return f"{reason}; as a layer it stands without brackets: {name}, not {name}()"
    return reason


def error_of_arguments(
    owner: Any, function: Callable, args: tuple, kwargs: dict, problem: Exception
) -> Exception:
    """The error to raise where a call of a definition, or of a module, ended in `problem`.

    It names the argument that does not fit, if there is one. If not, it is minigrad's exception for the
    problem; for a module, whose code may be a user's, it is the problem itself.
    """
    is_definition = isinstance(owner, str)
    if isinstance(problem, MinigradError):
        if problem.reason and is_definition:
            problem.reason = misfit(function, args, kwargs) or problem.reason
        return problem
    wrong = misfit(function, args, kwargs, with_axes=not isinstance(problem, ValueError))
    if wrong is None and not is_definition:
        return problem
    error = problem
    if wrong is not None:
        error = ArgumentError(wrong)
        error.reason, error.__cause__ = wrong, problem
    name = owner if is_definition else type(owner).__name__
    return error_of_call(name, FailedCall(owner, args, kwargs, None), error)


def error_in_box(
    owner: Any, function: Callable, args: tuple, kwargs: dict, outer: Box | None, problem: Exception
) -> Exception:
    """Make the error for an exception in a box; `outer` is the box around that.

    It remembers the innermost box. It names the outermost definition, which the user called, and the
    innermost module, if other modules are around it. The frame that raises the error must have no
    variable for it: the two would keep each other alive.
    """
    error = error_of_arguments(owner, function, args, kwargs, problem)
    if isinstance(error, MinigradError):
        call = FailedCall(owner, args, kwargs, outer)
        error.culprit = error.culprit or call
        if error.reason and isinstance(owner, str):
            return error_of_call(owner, call, error)
        if not isinstance(owner, str) and not error.place:
            error.place = _place_of(owner, outer)
            error.args = (f"{error}{error.place}",)
    return error


def _place_of(module: Any, outer: Box | None) -> str:
    """A line with the attributes that lead to a module, as in Net.layers[2]; "" if none is around it."""
    owners = [module, *(box.owner for box in outward(outer) if not isinstance(box.owner, str))]
    if len(owners) == 1:
        return ""
    path = type(owners[-1]).__name__
    for parent, child in itertools.pairwise(reversed(owners)):
        name = next((n for n, value in vars(parent).items() if value is child), None)
        path += f" > {type(child).__name__}" if name is None else _item(name)
    details = module.describe() if hasattr(module, "describe") else ""
    return f"\n  in {path}: {type(module).__name__}({details})"


def _item(name: str) -> str:
    return f"[{name}]" if name.isdecimal() else f".{name}"


# --- on the way back ------------------------------------------------------------------------------


def error_in_rule(problem: Exception, node: Node, position: int) -> MinigradError:
    """Make the error for an exception that a rule raised; as in `error_in_box`, nothing may name it."""
    error = as_minigrad_error(problem)
    error.culprit = error.culprit or node
    error.args = (f"{error}\n  in a rule of {node!r}, for its argument {position}",)
    return error


# --- out of the graph ---------------------------------------------------------------------------------

WAYS_OUT = {  # what to write where the gradient is not wanted any more
    "Tensor(x)": "x.detach()", "float(x)": "x.item()", "int(x)": "int(x.item())",
    "x as an index": "int(x.item())",
}  # fmt: skip
BY_NUMPY = ("np.asarray(x)", "float(x)")  # which NumPy may have asked for, and not the user
OTHERWISE = (
    "\nOtherwise write np.sin for math.sin, losses.append(loss.item()) for numbers to draw, np.stack "
    "for a list of tensors (in place of z[i] = x, collect them in a list), [0] for the tuple that a "
    "module returns, np.concatenate for np.r_, np.column_stack for np.c_"
)


def error_of_detaching(use: str) -> DetachError:
    """The error for `use`, such as float(x), of a Tensor that requires a gradient."""
    line = source_line()
    text = line.text if line and use == "float(x)" else ""
    of_math = re.search(r"\bmath\.(\w+)\((?![\d.]*\))", text)  # not of a number, as math.sqrt(2)
    if of_math and not re.search(r"\bfloat\(|\] *=[^=]", text):
        name = of_math[1]
        return DetachError(
            f"write {MATH.get(name, f'np.{name}')} for math.{name}, which would lose the gradient "
            f"that x requires"
        )
    way_out = WAYS_OUT.get(use, "x.detach().numpy()")
    otherwise = OTHERWISE if use in BY_NUMPY else ""
    return DetachError(f"write {way_out}: {use} would lose the gradient that x requires{otherwise}")
