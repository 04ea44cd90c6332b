"""The name and the code of a function, as readers and the table know it."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np


def name_of(function: Any) -> str:
    """The name under which a reader knows `function`: `np.exp`, `np.linalg.inv`, `softmax`."""
    if (numpys := _numpys_names().get(id(function))) is not None:
        return numpys
    name = getattr(function, "__name__", str(function))
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return f"{name_of(function.__self__)}.{name}"
    return name


def is_numpys(function: Any) -> bool:
    """Tell whether `function` is one of NumPy's, or a method of a ufunc of NumPy's."""
    return name_of(function).startswith("np.")


@functools.cache
def _numpys_names() -> dict[int, str]:
    """The names of NumPy's functions, by their ids; the first one, if two modules have a function."""
    homes = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "np.emath": np.emath}
    homes["np.lib.stride_tricks"] = np.lib.stride_tricks
    return {
        id(value): f"{home}.{name}"
        for home, module in reversed(homes.items())
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__name__", None) == name
    }


def anything(*args: object, **kwargs: object) -> None: ...


def code_of(function: Callable) -> types.CodeType:
    """The code of a function; for methods, and functions not written in Python, the code of `anything`.

    It looks through wrappers made with `functools.wraps`, whose own parameters say nothing: of a
    `dispatched` function, or a rule made of another, the names of the inner function count.
    """
    return (f if inspect.isfunction(f := inspect.unwrap(function)) else anything).__code__
