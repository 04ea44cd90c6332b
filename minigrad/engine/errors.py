"""Every exception that the two packages raise. Each message says what was given, what was
expected, and what to do.

All of them derive from `MinigradError`, and each also from the built-in exception that a reader
of NumPy would expect, so that `except ValueError` still catches a wrong shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..views.source import source_line

if TYPE_CHECKING:
    from ..views.graph import Graph


class MinigradError(Exception):
    """The base of every exception raised by minigrad and minitransformer."""

    reason: str | None = None  # what was wrong, apart from the function and what it was given

    @property
    def graph(self) -> Graph | None:
        """The computation up to the operation or module that failed, which is marked in it.

        It is read from the traceback, so there is none once that is gone, nor for an error that
        came up outside any operation. At a prompt, `sys.last_value.graph` is that of the last error.
        """
        from ..views.capture import from_error

        return from_error(self)


# --- the engine -----------------------------------------------------------------------------------


class ShapeError(MinigradError, ValueError, IndexError):
    """Shapes that do not fit each other, or an axis or index that an array does not have."""


class DTypeError(MinigradError, TypeError):
    """A dtype with which the operation makes no sense, such as the gradient of an integer."""


class UnsupportedError(MinigradError, NotImplementedError, TypeError):
    """A NumPy function, or a keyword of one, that has no entry in the table of derivatives."""


class GraphError(MinigradError, RuntimeError):
    """A backward pass that cannot be right: freed, changed since, not a scalar, no gradient."""


class DetachError(MinigradError, TypeError):
    """A value taken out of the graph unnoticed, which would lose its gradient."""


class AnomalyError(MinigradError, FloatingPointError):
    """A NaN or infinity: the first one, under `detect_anomaly`; or in gradients to be clipped."""


class GradcheckError(MinigradError, AssertionError):
    """An analytic gradient that differs from finite differences."""


# --- layers, files ---------------------------------------------------------------------------------


class ModuleError(MinigradError, TypeError):
    """A module put together so that it cannot run, or so that parameters would be overlooked."""


class StateDictError(MinigradError, ValueError):
    """A state dict whose entries are missing, unexpected or of another shape."""


class CheckpointError(MinigradError, ValueError):
    """A file that is missing, truncated, of another model, or not a checkpoint at all."""


class ConfigError(MinigradError, ValueError):
    """Sizes or settings that cannot go together."""


# --- text ------------------------------------------------------------------------------------------


class VocabularyError(MinigradError, ValueError):
    """A symbol that the vocabulary does not know, or a line with no symbols at all."""


class LengthError(MinigradError, ValueError):
    """A sequence longer than the model can read."""


class DataError(MinigradError, ValueError):
    """A file of examples that cannot be used, or not as it stands."""


# --- messages --------------------------------------------------------------------------------------


def failed(name: str, args: tuple, kwargs: dict, problem: Exception) -> MinigradError:
    """What a `problem` in `name` amounts to here: with the shapes, and the line that asked.

    An error of a function that `name` is written with stays where it came up in the traceback, but
    speaks of `name`, which the reader wrote.
    """
    given = ", ".join([*map(_outline, args), *(f"{k}={_outline(v)}" for k, v in kwargs.items())])
    line = source_line()
    reason = problem.reason if isinstance(problem, MinigradError) else str(problem)
    text = f"{name} cannot take {given}: {reason}" + (f"\n  at {line}" if line else "")
    if isinstance(problem, MinigradError):
        if reason is not None:
            problem.args = (text,)
        elif name not in str(problem):
            problem.args = (f"{name}: {problem}",)
        return problem
    kinds = {TypeError: DTypeError, NotImplementedError: UnsupportedError}
    kind = next((ours for theirs, ours in kinds.items() if isinstance(problem, theirs)), ShapeError)
    error = kind(text)
    error.reason = reason
    return error


def _outline(value: object) -> str:
    """A value in an error message: an array by its shape and dtype, anything else as it is."""
    if isinstance(value, type):  # a dtype, such as np.float32
        return value.__name__
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, (list, tuple)) and any(hasattr(v, "shape") for v in value):
        return f"[{', '.join(map(_outline, value))}]"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
