"""State dicts: arrays by name, checked as a whole before any of them is taken."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import errors
from ..engine.tensor import Tensor
from .pytorchs import array_of_pytorchs, is_pytorchs

TURNED = (
    "; PyTorch's Linear keeps (out, in): give its .T, and that of each square weight of a Linear"
)


def arrays_for(
    owner: str, template: Mapping[str, Any], state: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """The arrays in `state`, if there is one of the right shape for each of `template`, and no other.

    Args:
        owner: what the state is for, as the message calls it.
        template: arrays of the shapes that are expected, by name.
        state: the arrays (or Tensors, or numbers) to be taken, by name.

    Raises:
        StateDictError: if entries are missing, unexpected, of another shape or not of numbers; it
            lists them all.
    """
    if not isinstance(state, Mapping):
        is_of_file = isinstance(state, (tuple, str, os.PathLike))
        raise errors.StateDictError(
            f"a state for {owner} maps names to arrays, as state_dict() does; "
            f"got {type(state).__name__}{'; of a file: mg.load(path)[0]' if is_of_file else ''}"
        )
    arrays = {name: _array(value) for name, value in state.items()}
    problems = [
        f"missing: {name} {np.shape(template[name])}" for name in template if name not in arrays
    ]
    problems += [
        f"unexpected: {name} {a.shape}" for name, a in arrays.items() if name not in template
    ]
    for name in template:
        a, expected = arrays.get(name), np.shape(template[name])
        if a is not None and a.shape != expected:
            turned = TURNED if a.shape == expected[::-1] else ""
            problems.append(f"{name}: expected the shape {expected}, got {a.shape}{turned}")
        if a is not None and a.dtype.kind not in "fiub":
            problems.append(f"{name}: expected real numbers, got {a.dtype}")
    if problems:
        raise errors.StateDictError(f"the state does not fit {owner}:\n  " + "\n  ".join(problems))
    return {name: arrays[name] for name in template}


def _array(value: Any) -> np.ndarray:
    if isinstance(value, Tensor):
        return value.data
    return array_of_pytorchs(value) if is_pytorchs(value) else np.asarray(value)
