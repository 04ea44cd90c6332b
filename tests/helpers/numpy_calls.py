"""Calls of NumPy's functions, made on arrays and on Tensors, and what a refusal of ours must say."""

import functools
import re

import numpy as np

import minigrad as mg
from minigrad import errors

NUMBER = np.array(0.6)
EMPTY = np.zeros(0)
ROW = np.array([0.3, 0.8, 0.2])
FOUR = np.array([0.5, 0.9, 0.1, 0.7])
MATRIX = np.array([[0.2, 0.5, 0.1], [0.9, 0.4, 0.6]])
TALL = np.array([[0.2, 0.9], [0.5, 0.4], [0.1, 0.6]])
SQUARE = np.array([[2.1, 0.6, 0.3], [0.65, 3.2, 0.8], [0.35, 0.85, 4.3]])
CUBE = np.sin(np.arange(24.0)).reshape(2, 3, 4) / 2 + 0.1
PLACES = np.array([0, 2, 1])
MASK = np.array([True, False, True])


# --- a call, on arrays and on Tensors -------------------------------------------------------------


class Call:
    """A function and what it is called with, as data."""

    def __init__(self, function, *args, **kwargs):
        self.function, self.args, self.kwargs = function, args, kwargs

    def __repr__(self):
        given = [*map(_shown, self.args), *(f"{k}={_shown(v)}" for k, v in self.kwargs.items())]
        return f"{name_of(self.function)}({', '.join(given)})"

    def on(self, change):
        """The result, with `change(a)` in place of each array of floats or integers."""
        args = [_changed(a, change) for a in self.args]
        return self.function(*args, **{k: _changed(v, change) for k, v in self.kwargs.items()})


def _shown(a):
    if isinstance(a, np.ndarray):
        return f"{a.dtype}{list(a.shape)}"
    if isinstance(a, (list, tuple)) and any(isinstance(b, np.ndarray) for b in a):
        return f"[{', '.join(map(_shown, a))}]"
    return repr(a) if not callable(a) else getattr(a, "__name__", "f")


def _changed(a, change):
    if isinstance(a, np.ndarray):
        return change(a)
    if type(a) in (list, tuple) and any(isinstance(b, (np.ndarray, list)) for b in a):
        return type(a)(_changed(b, change) for b in a)
    return a


def as_leaf(a):
    """A Tensor that requires a gradient, if numbers like these can."""
    return mg.Tensor(a, requires_grad=True) if a.dtype.kind == "f" else mg.Tensor(a)


def as_constant(a):
    return mg.Tensor(a)


def as_floats(a):
    """A Tensor of floats; integers and masks stay arrays, as one writes them."""
    return as_leaf(a) if a.dtype.kind == "f" else a


def same(result, expected):
    """Assert that a result is NumPy's: in structure, dtype and value."""
    if isinstance(expected, (list, tuple)):
        assert isinstance(result, (list, tuple))
        assert len(result) == len(expected)
        for r, e in zip(result, expected):
            same(r, e)
    elif isinstance(result, mg.Tensor) or isinstance(expected, (np.ndarray, np.generic)):
        array = result.data if isinstance(result, mg.Tensor) else np.asarray(result)
        assert array.dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(array, expected, rtol=1e-9, atol=1e-12)
    else:
        assert result == expected or result is expected


def name_of(function):
    """The names under which NumPy has a function, first the shortest: `np.max`."""
    found = [
        f"{prefix}.{name}"
        for prefix, module in MODULES.items()
        for name in dir(module)
        if getattr(module, name, None) is function
    ]
    own = getattr(function, "__name__", repr(function))
    return min(found, key=lambda name: not name.endswith(f".{own}"), default=own)


MODULES = {
    "np": np, "np.linalg": np.linalg, "np.fft": np.fft, "np.emath": np.emath,
    "np.lib.stride_tricks": np.lib.stride_tricks,
}  # fmt: skip


# --- what a refusal says --------------------------------------------------------------------------

# The last words of a message that say what to write.
REMEDY = re.compile(
    r"write |call it on `x\.detach\(\)\.numpy\(\)`|it takes \w|choose with |convert with |"
    r"put it in afterwards|join another border with |give \w+= by its position|"
    r"is read in order 'C' or 'F'"
)
# What a reader of NumPy's manual would not know.
INTERNALS = re.compile(
    r"<lambda>|_dispatcher|_implementation|object at 0x|Traceback|<locals>|_NoValue"
)


def check_refusal(error, call):
    """A refusal is an error of ours, and says of what, given what, and what to do."""
    assert isinstance(error, errors.MinigradError), f"{type(error).__name__}: {error}"
    text = str(error)
    assert any(name in text for name in names_of(call.function)), text
    assert not INTERNALS.search(text), text
    assert len(text.splitlines()) <= 2, text  # the second is the line of code
    if isinstance(error, (errors.UnsupportedError, errors.DetachError)):
        assert REMEDY.search(text), text
    elif " cannot take " in text:
        for a in (*call.args, *call.kwargs.values()):
            if isinstance(a, np.ndarray):
                assert str(list(a.shape)) in text, text
    else:
        given = [*call.args, *call.kwargs.values()]
        given += [b for a in given if isinstance(a, list) for b in a]
        assert any(repr(a) in text for a in given), text


@functools.cache
def names_of(function):
    """All that NumPy calls it."""
    return [
        f"{path}.{name}" for path, module in MODULES.items() for name in dir(module)
        if getattr(module, name, None) is function
    ]  # fmt: skip


def attempt(call, change):
    """The result of a call, or the error."""
    try:
        return call.on(change), None
    except Exception as problem:
        return None, problem
