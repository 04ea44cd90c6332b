"""Properties of an exercise: what holds of every right answer, checked by calls of the function."""

from __future__ import annotations

import numpy as np

from ..exercise import Case, Exercise
from ..messages import StoppedError
from .remote_function import RemoteFunction


def broken_rules(exercise: Exercise, function: RemoteFunction, case: Case) -> str:
    """Name in sentences the properties that the function lacks in this case; "" if it has all."""
    sentences = []
    for text, holds in exercise.properties.items():
        try:
            with np.errstate(all="ignore"):
                is_true = holds(function, *case.inputs())
        except StoppedError:
            raise
        except Exception:  # an answer of the wrong kind has no properties
            is_true = False
        if not is_true:
            sentences.append(f"This must be true, and is not: {text}.")
    return " ".join(sentences)
