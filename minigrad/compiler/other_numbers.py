"""A function recorded for other numbers: so constants are found that depend on its arguments."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.identity import memory_of
from ..engine.copies import copied_as_it_lies
from ..engine.tensor import Tensor, tensor_of
from ..errors import GraphError
from ..ran.recording import TakenOut, mapped
from .keys import bare_array, signature_of
from .outside import Outside
from .recorded import RecordedCall, record_call


def check_with_other_numbers(
    function: Callable,
    args: tuple,
    kwargs: dict[str, Any],
    recorded: RecordedCall,
    outside: Outside,
) -> None:
    """Record the function for other numbers, drawn from these arguments, and compare.

    Its random numbers are others, too. An error that the function raises says nothing: it may refuse
    such numbers.

    Raises:
        GraphError: if it is another computation, has other constants, or may have them.
    """
    unused: list[list[TakenOut]] = []
    for most in (np.max, np.min):
        others: dict[Any, Any] = {}
        change = lambda a: a if outside.holds(a) else _resampled(a, most, others)
        other_args, other_kwargs = mapped((args, kwargs), change)
        arrays: list[Any] = []
        signature_of((other_args, other_kwargs), arrays)
        try:
            with (
                warnings.catch_warnings(),
                np.errstate(all="ignore"),
                outside.drawn_again(others=True),
            ):
                warnings.simplefilter("ignore")
                other = record_call(function, other_args, other_kwargs, arrays, outside.leaves())[1]
        except GraphError:
            raise
        except Exception:
            continue
        other.check(recorded.facts())
        unused.append(other.unused)
        del other  # before the next one
    recorded.check_unused(unused)


def _resampled(a: Any, most: Callable, others: dict[Any, Any]) -> Any:
    """Other numbers of the same kind: elements of the array itself, and mostly `most` of them.

    An array that occurs several times gets the same numbers each time: `others` has them, by the
    memory of the array, and the tensors and views that were made of them, by ids.
    """
    array = bare_array(a)
    if id(a) in others or type(array) is not np.ndarray or not array.ndim or not array.size:
        return others.get(id(a), a)
    memory = memory_of(array)
    if memory not in others:
        rng = np.random.default_rng(0)
        drawn = rng.choice(array.ravel(), array.shape)
        others[memory] = copied_as_it_lies(array)
        others[memory][...] = np.where(rng.random(array.shape) < 0.6, most(array), drawn)
    if not isinstance(a, Tensor):
        return others[memory]
    # One for a tensor and itself detached.
    view = others.setdefault(id(array), others[memory].view())
    tensor = others[id(a)] = tensor_of(view)
    if a.requires_grad:
        tensor.requires_grad = True
    return tensor
