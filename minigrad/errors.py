"""Every exception that the two packages raise: those of the engine, and those of what is built on it."""

from __future__ import annotations

from .engine.errors import (
    ArgumentError,
    DetachError,
    DTypeError,
    GraphError,
    MinigradError,
    ReadOnlyError,
    ShapeError,
    UnsupportedError,
)

__all__ = [
    "AnomalyError",
    "ArgumentError",
    "CheckpointError",
    "ConfigError",
    "DTypeError",
    "DataError",
    "DetachError",
    "GradcheckError",
    "GraphError",
    "LengthError",
    "MinigradError",
    "ModuleError",
    "ReadOnlyError",
    "ShapeError",
    "StateDictError",
    "UnsupportedError",
    "VocabularyError",
    "WorkersError",
]

# --- checks --------------------------------------------------------------------------------------


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


class WorkersError(MinigradError, RuntimeError):
    """Workers that cannot be reached, do not fit, or failed."""


# --- text ------------------------------------------------------------------------------------------


class VocabularyError(MinigradError, ValueError):
    """A symbol that the vocabulary does not know, or a line with no symbols at all."""


class LengthError(MinigradError, ValueError):
    """A sequence longer than the model can read."""


class DataError(MinigradError, ValueError):
    """A file of examples that cannot be used, or not without changes."""
