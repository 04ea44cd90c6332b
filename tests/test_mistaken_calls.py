"""A mistaken call of anything public ends in an error of the package, never in a raw one, and is never
taken for a right one.

The mistakes are made from the right calls in `right_calls`: each argument replaced by what is of another
kind, two exchanged, one left out, one too many.
"""

# ruff: noqa: E501 (a row each)

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from right_calls import RIGHT as OF_MINIGRAD
from right_calls import Call
from right_calls_of_models import RIGHT as OF_MODELS

import minigrad as mg
import minitransformer as mt
from minigrad import nn, optim
from minigrad.errors import MinigradError
from minigrad.views import plots
from minitransformer.training import decoding
from minitransformer.views import explain, model_plots, report

RIGHT = {**OF_MINIGRAD, **OF_MODELS}


class Thing:
    """A class that is no kind of argument."""

    def __init__(self, *args: Any):
        pass


# What is of another kind than an argument, unless it is of the kind of the right one.
OTHER_KINDS: dict[str, Any] = {
    "None": None,
    "a text": "nonsense",
    "an object": object(),
    "a dict": {"?": 1},
    "a ragged list": [[1.0, 2.0], [3.0]],
    "a function": lambda *args: None,
    "a class": Thing,
    "an array of texts": np.array(["a", "b"]),
    "an array of objects": np.array([None, object()]),
}
# What may do, as NumPy's functions take numbers for arrays and broadcast; but no raw error comes of it.
OTHER_VALUES: dict[str, Any] = {
    "1.5": 1.5,
    "-3": -3,
    "NaN": float("nan"),
    "True": True,
    "a number as an array": np.array(1.5),
    "an array of 4 axes": np.ones((2, 1, 2, 3)),
    "complex numbers": np.ones((2, 4)) * 1j,
}
# By the type of the right argument, what of the other kinds is of the same.
SAME = {
    str: {"a text"},
    dict: {"a dict"},
    Path: {"a text"},
    types.FunctionType: {"a function", "a class"},
    np.ufunc: {"a function", "a class"},
}
# What is right although it looks mistaken: by the call and the argument, what may be given.
RIGHT_TOO = {
    ("save", "about"): {"a dict", "a text", "a ragged list"},  # anything that JSON can hold
    ("explore", "inputs"): set(OTHER_KINDS),  # what a function is called with, as it likes
    ("Tensor.reshape", "order"): {"None"},  # for NumPy "C"
    ("AttentionSizes", "score"): {"a function", "a class"},
    **{
        (name, labels): {"an array of texts", "an array of objects"}
        for name in ("Weights", "masks.show", "model_plots.attention_map", "model_plots.attention_maps")
        for labels in ("queries", "keys")
    },
    **{
        (name, lines): {"an array of texts"}
        for name in ("Vocabulary.batch", "Reader.read", "Reader.encode")
        for lines in ("texts", "lines")
    },
    **{("plots.heat_map", labels): {"an array of texts"} for labels in ("rows", "columns")},
    ("plots.vectors", "labels"): {"an array of texts"},
    # A dict of texts is its keys, as a Counter; one text is an alphabet.
    ("Vocabulary.of_characters", "texts"): {"an array of texts", "a dict", "a text"},
    ("Vocabulary.of_words", "texts"): {"an array of texts", "a dict"},
    ("workers.Threads.total", "parts"): {"a ragged list", "a text", "an array of texts", "an array of objects"},
}  # fmt: skip
OF_PYTHON = re.compile(
    r"missing .* argument|takes .* arguments?|unexpected keyword|multiple values"
)


def mistakes(name: str, make: Callable[[], Call]) -> Iterator[tuple[str, bool, Call]]:
    """What is mistaken, whether the call must be refused, and the call."""
    function, args, kwargs = make()
    parameters = names(function, args)
    places = [*range(len(args)), *kwargs]
    for place in places:
        for kinds in OTHER_KINDS, OTHER_VALUES:
            for said, value in kinds.items():
                function, args, kwargs = make()
                right = args[place] if isinstance(place, int) else kwargs[place]
                parameter = parameters[place] if isinstance(place, int) else place
                same = SAME.get(next((t for t in SAME if isinstance(right, t)), None), set())
                same = same | RIGHT_TOO.get((name, parameter), set())
                optional = value is None and may_be_none(function, parameter)
                if isinstance(place, int):
                    args = (*args[:place], value, *args[place + 1 :])
                else:
                    kwargs = {**kwargs, place: value}
                must = kinds is OTHER_KINDS and said not in same and not optional
                yield f"{parameter} = {said}", must, Call(function, args, kwargs)
    for i in range(len(args)):
        function, args, kwargs = make()
        yield f"without {parameters[i]}", False, Call(function, (*args[:i], *args[i + 1 :]), kwargs)
        for j in range(i):
            function, args, kwargs = make()
            exchanged = list(args)
            exchanged[i], exchanged[j] = exchanged[j], exchanged[i]
            said = f"{parameters[j]} and {parameters[i]} exchanged"
            yield said, False, Call(function, tuple(exchanged), kwargs)
    function, args, kwargs = make()
    yield "one too many", False, Call(function, (*args, object()), kwargs)
    function, args, kwargs = make()
    yield "an unknown name", True, Call(function, args, {**kwargs, "nonsense": 1})


def parameters_of(function: Callable) -> dict[str, inspect.Parameter]:
    called = function.forward if isinstance(function, nn.Module) else function
    return dict(inspect.signature(called).parameters)


def names(function: Callable, args: tuple) -> list[str]:
    """The parameters that these arguments are for."""
    known = parameters_of(function).values()
    places = [p.name for p in known if p.kind is not p.KEYWORD_ONLY] or ["the first"]
    return places + places[-1:] * (len(args) - len(places))


def may_be_none(function: Callable, parameter: str) -> bool:
    known = parameters_of(function).get(parameter)
    return known is None or known.default is None or "None" in str(known.annotation)


def run(call: Call) -> Any:
    result = call.function(*call.args, **call.kwargs)
    return list(result) if inspect.isgenerator(result) else result


def fault(call: Call, must: bool) -> str | None:
    """What is wrong with what became of a mistaken call, if it `must` be refused or may be right."""
    try:
        run(call)
    except MinigradError as error:
        return None if len(str(error)) > 10 else f"the error says only {str(error)!r}"
    except Exception as error:
        signature = type(error) is TypeError and OF_PYTHON.search(str(error))
        return None if signature else f"{type(error).__name__}: {error}"
    return "accepted" if must else None


@pytest.fixture(autouse=True)
def what_calls_change(tmp_path, monkeypatch):
    """The default dtype and the common generator, as they were; what is written goes to a new folder."""
    monkeypatch.chdir(tmp_path)
    dtype = mg.get_default_dtype()
    yield
    mg.set_default_dtype(dtype)
    mg.manual_seed(0)


# Calls that make a model, or of which each that is right all the same trains, writes a whole page, or
# draws a picture.
SLOW = OF_MODELS.keys() | {
    "Training.fit", "explain.explain", "explore", "model_plots.attention_map",
    "model_plots.attention_maps", "model_plots.curves", "model_plots.positional_encodings",
    "plots.gradient_sizes", "plots.heat_map", "plots.histograms", "plots.vectors",
    "plots.weights_and_gradients", "report.page",
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in RIGHT]
)
@pytest.mark.filterwarnings("ignore")  # of NumPy, for numbers such as NaN
def test_a_mistaken_call_is_refused_with_an_error_of_the_package(name, tmp_path, capsys):
    make = lambda: RIGHT[name](tmp_path)
    run(make())  # it is right
    verdicts = {said: fault(call, must) for said, must, call in mistakes(name, make)}
    wrong = [f"{said}: {what}" for said, what in verdicts.items() if what]
    assert not wrong, f"{name}\n" + "\n".join(wrong)


# --- nothing is forgotten -------------------------------------------------------------------------


def public(module: Any, room: str = "") -> Iterator[str]:
    """The names of all that can be called in a module, methods of classes included."""
    home = lambda one: getattr(one, "__module__", "")
    own = [name for name, one in vars(module).items() if home(one) == module.__name__]
    for name in getattr(module, "__all__", own):
        value = getattr(module, name)
        if isinstance(value, (types.ModuleType, types.GenericAlias)) or not callable(value):
            continue
        if isinstance(value, type) and issubclass(value, BaseException):
            continue
        yield room + name
        if isinstance(value, type):
            for method, of in vars(value).items():
                if not method.startswith("_") and isinstance(of, (types.FunctionType, classmethod)):
                    yield f"{room}{name}.{method}"


ROOMS = [
    (mg, ""), (mg.functional, "functional."), (nn, "nn."), (optim, "optim."), (mt, ""),
    (mg.workers, "workers."), (mt.tasks, "tasks."), (mt.masks, "masks."), (mt.threads, "threads."),
    (decoding, "decoding."), (plots, "plots."), (model_plots, "model_plots."), (explain, "explain."),
    (report, "report."),
]  # fmt: skip
# What calls these is the project itself: NumPy's protocols, `step()`, training, attention; `pytorch`
# needs PyTorch, and has tests of its own.
NOT_CALLED_BY_READERS = re.compile(
    r"Graph(\.rule)?|Cache.*|Tensor\.apply|optim\..*\.(update|move)|.*\._.*|masks\.grid|plots\.shades|decoding\.greedy"
    r"|MultiHeadAttention\.check|.*Reader\.(check|inputs_and_targets|length|to_write|beginning|inputs|of|sizes_for)"
    r"|Continuer\..*|TextReader\..*|tasks\.(Text)?Task.*|tasks\.load_training"
    r"|workers\.(Workers.*|tree)|pytorch(\..*)?"
)


def test_every_public_callable_has_a_right_call():
    expected = {name for module, room in ROOMS for name in public(module, room)}
    missing = {
        name for name in expected - RIGHT.keys() if not NOT_CALLED_BY_READERS.fullmatch(name)
    }
    assert not missing, f"without a row in tests/helpers/right_calls*.py: {', '.join(missing)}"
