"""Properties of an exercise: what holds of every right answer, checked by calls of the function."""

from __future__ import annotations

import numpy as np

from ..exercise import Case, Exercise
from ..messages import StoppedError
from .remote_function import RemoteFunction


def broken(exercise: Exercise, function: RemoteFunction, case: Case) -> str:
    """Name in sentences the properties that the function does not have in this case."""
    sentences = ""
    for text, holds in exercise.properties.items():
        try:
            with np.errstate(all="ignore"):
                held = holds(function, *case.inputs())
        except StoppedError:
            raise
        except Exception:  # an answer of the wrong kind has no properties
            held = False
        sentences += "" if held else f" This must be true, and is not: {text}."
    return sentences
