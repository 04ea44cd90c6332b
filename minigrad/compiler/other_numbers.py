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
from .keys import bare_array, form_of
from .outside import Outside
from .recorded import RecordedCall, record_call


def check_with_other_numbers(
    function: Callable,
    args: tuple,
    kwargs: dict[str, Any],
    recorded: RecordedCall,
    outside: Outside,
) -> None:
    """Record the function for other numbers, drawn from these arguments, and compare; draws differ too.

    An error that the function raises says nothing: it may refuse such numbers.

    Raises:
        GraphError: if it is another computation, has other constants, or may have them.
    """
    compared: list[list[TakenOut]] = []
    for most in (np.max, np.min):
        others: dict[Any, Any] = {}
        change = lambda a: a if outside.holds(a) else _resampled(a, most, others)
        changed, options = mapped((args, kwargs), change)
        arrays: list[Any] = []
        form_of((changed, options), arrays)
        try:
            with (
                warnings.catch_warnings(),
                np.errstate(all="ignore"),
                outside.drawn_again(others=True),
            ):
                warnings.simplefilter("ignore")
                other = record_call(function, changed, options, arrays, outside.leaves())[1]
        except GraphError:
            raise
        except Exception:
            continue
        other.check(recorded.facts())
        compared.append(other.unused)
        del other  # before the next one
    recorded.check_unused(compared)


def _resampled(a: Any, most: Callable, others: dict[Any, Any]) -> Any:
    """Other numbers of the same kind: elements of the array itself, and mostly `most` of them.

    An array that occurs several times gets the same numbers each time: `others` has them.
    """
    plain = bare_array(a)
    if id(a) in others or type(plain) is not np.ndarray or not plain.ndim or not plain.size:
        return others.get(id(a), a)
    if (key := memory_of(plain)) not in others:
        array: Any = copied_as_it_lies(plain)
        rng = np.random.default_rng(0)
        drawn = rng.choice(plain.ravel(), plain.shape)
        array[...] = np.where(rng.random(plain.shape) < 0.6, most(plain), drawn)
        others[key] = array
    array = others[key]
    if isinstance(a, Tensor):
        view = others.setdefault(id(plain), array.view())  # one for a tensor and itself detached
        array = others[id(a)] = tensor_of(view)
        if a.requires_grad:
            array.requires_grad = True
    return array
