"""What holds for the operations that run right now: gradients or none, recording, the open boxes."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import errors

count = itertools.count(1).__next__  # numbers tensors, nodes and scopes in their order of creation


class _Mode(threading.local):
    """What holds for the operations of this thread right now."""

    grad = True  # tie results to their arguments
    recording = False  # keep values, gradients and source lines for the views
    kernels = True  # run fused kernels in place of the compositions that they stand for
    anomaly = False  # stop at the first NaN or infinity
    scope: Scope | None = None  # the module or composition that is running
    dtype = np.dtype(np.float32)  # of Python floats


class Scope:
    """One call of a module or of a composition, inside another: a box in a drawing."""

    __slots__ = ("number", "outer", "owner")

    def __init__(self, outer: Scope | None, owner: Any):
        self.outer = outer
        self.owner = owner  # the module, or the name of the composition
        self.number = count()


mode = _Mode()


@contextlib.contextmanager
def _set(**settings: Any) -> Iterator[None]:
    before = {name: getattr(mode, name) for name in settings}
    try:
        for name, value in settings.items():
            setattr(mode, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(mode, name, value)


def no_grad() -> contextlib.AbstractContextManager[None]:
    """Within it, results are not tied to their arguments. Works as a decorator too."""
    return _set(grad=False)


def enable_grad() -> contextlib.AbstractContextManager[None]:
    """Within it, results are tied to their arguments again, inside `no_grad` too."""
    return _set(grad=True)


def record(kernels: bool = False) -> contextlib.AbstractContextManager[None]:
    """Within it, every value, gradient, contribution and source line is kept for the views.

    Args:
        kernels: whether fused kernels run as they do outside; unless they do, the compositions that
            they stand for run, and are seen.
    """
    return _set(recording=True, kernels=kernels)


@contextlib.contextmanager
def detect_anomaly() -> Iterator[None]:
    """Within it, the first NaN or infinity raises `AnomalyError`, in the forward pass or backward.

    The error names the operation, the ranges of what it was given and the line that asked for it;
    NumPy's own warnings are silent. An infinity that an operation was given, as for a mask, may
    stay one. Everything is recorded, as under `record()`, so it is slow.
    """
    with np.errstate(all="ignore"), _set(anomaly=True):
        yield


def set_default_dtype(dtype: Any) -> None:
    """Set the dtype that Python floats, and lists of them, become: float32 unless set otherwise."""
    dtype = np.dtype(dtype)
    if not np.issubdtype(dtype, np.floating):
        raise errors.DTypeError(f"the default dtype must be a floating one, not {dtype}")
    _Mode.dtype = dtype


def get_default_dtype() -> np.dtype:
    """The dtype that Python floats, and lists of them, become."""
    return _Mode.dtype


def scoped(owner: Any, function: Callable, args: tuple, kwargs: dict) -> Any:
    """Call `function`, with what it computes inside a box of its own."""
    outer = mode.scope
    scope = mode.scope = Scope(outer, owner)  # noqa: F841 - read from the traceback of an error
    try:
        return function(*args, **kwargs)
    finally:
        mode.scope = outer
