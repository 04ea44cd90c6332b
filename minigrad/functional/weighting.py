"""Functions that give attention weights: each is marked as one, so that no page has to guess.

    @gives_weights
    @definition
    def softmax(x, axis=-1): ...

A page shows what such a function gives as an attention map, if values are multiplied by it.
"""

from __future__ import annotations

from ..engine.kinds import Function
from ..engine.names import name_of

NAMES: set[str] = set()  # by which a graph knows them


def gives_weights(function: Function) -> Function:
    """Mark `function`, an operation or a definition, as one that gives attention weights, or makes them
    inside: (..., T, S), a row for each query, a column for each key. Returns the function."""
    NAMES.add(name_of(function))
    return function
