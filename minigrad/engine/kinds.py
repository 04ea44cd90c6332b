"""The kinds of arguments: the values in a call, compared with the annotations of the function.

    @checked
    def load(path: str | os.PathLike): ...

    load(3)       ArgumentError: load: path is a text or a path, not 3

So an annotation is the one place that says which values an argument may have. These check it:

    checked             each argument of a function for users, before the call
    named               the names alone, of a function that checks the values itself
    nobody, at first    definitions and modules run in each step of training: when one has failed,
                        `failures.error_of_arguments` looks for the culprit
    not_of              one value, where it is set, as in `x.requires_grad = True`

A value with limits, such as a number from 1, or one of a few names, is checked by `minigrad.settings`,
inside the function: a ConfigError.
"""

from __future__ import annotations

import builtins
import collections
import functools
import inspect
import itertools
import operator
import os
import types
import typing
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..idioms import CALLS
from .advice import renamed
from .errors import UNCLEAR, ArgumentError, MinigradError, described, texts_told, unwatched
from .modes import current_box

Function = TypeVar("Function", bound=Callable)  # what a decorator takes and gives


def checked(function: Function) -> Function:
    """Decorate a function so that a call with an argument that its annotation does not allow raises an
    `ArgumentError`. Python itself raises an error if one is missing, or is one too many. Inside a module
    or a definition, the arguments are looked at only after a call has failed.

    Decorates a class, such as a dataclass, by its `__init__`.
    """
    if isinstance(function, type):
        function.__init__ = checked(function.__init__)  # type: ignore[misc]
        return function  # type: ignore[return-value]

    name = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        if current_box.get() is None and (wrong := misfit(function, args, kwargs)) is not None:
            raise ArgumentError(f"{name}: {wrong}")
        try:
            return function(*args, **kwargs)
        except MinigradError:
            raise
        except UNCLEAR as problem:
            wrong = misfit(function, args, kwargs, with_axes=True)
            if wrong is None:
                raise
            raise ArgumentError(f"{name}: {wrong}") from problem

    return call  # type: ignore[return-value]


def named(function: Function) -> Function:
    """Decorate a function that checks the values of its arguments itself.

    A call with an unknown name of an argument raises an `ArgumentError` that says the right name. So
    does a call with too few or too many arguments, if `idioms.CALLS` has a right call of the function.
    """
    name = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        if kwargs and (wrong := unknown(function, kwargs)):
            raise ArgumentError(f"{name}: {wrong}")
        try:
            return function(*args, **kwargs)
        except TypeError as problem:
            inside = problem.__traceback__ and problem.__traceback__.tb_next  # it was called
            if inside or name not in CALLS:
                raise
            raise ArgumentError(f"{problem}; write {CALLS[name]}") from None

    return call  # type: ignore[return-value]


def misfit(
    function: Callable, args: tuple, kwargs: Mapping[str, object], with_axes: bool = False
) -> str | None:
    """Say which argument is not what its annotation allows; None if all are.

    Args:
        with_axes: whether a number is refused for an array. Many functions take a number as an array;
            when one that does not has failed, the number is the culprit.
    """
    method: Any = function
    if isinstance(method, types.MethodType):
        function, args = method.__func__, (method.__self__, *args)
    parameters = _known.get(function) or _parameters(function)
    given = zip(itertools.chain(parameters.places, itertools.repeat(parameters.starred)), args)
    if kwargs:
        if wrong := unknown(function, kwargs):
            return wrong
        by_name = ((parameters.names.get(k, ANYTHING), value) for k, value in kwargs.items())
        given = itertools.chain(given, by_name)  # type: ignore[assignment]
    for parameter, value in given:
        if not parameter.kind.fits(value):
            told = texts_told(parameter.name, value) if parameter.kind.is_array else ""
            return _unlike(parameter.name, parameter.kind.words, value) + told
        if (
            with_axes
            and parameter.kind.is_array
            and value is not None
            and not getattr(value, "shape", ())
        ):
            return f"{parameter.name} is an array that has axes, not {described(value)}"
    return None


def not_of(kind: Any, name: str, value: object) -> str | None:
    """Say that the argument `name` is not of a kind in `KINDS`, such as `bool`; None if it is."""
    known = KINDS[kind]
    return None if known.fits(value) else _unlike(name, known.words, value)


def _unlike(name: str, words: str, value: object) -> str:
    block = unwatched(value) if "Watched" in words else ""
    return f"{name} is {words}, not {described(value)}{block}"


def unknown(function: Callable, given: Mapping[str, object]) -> str | None:
    """Say which of the given names is no argument of the function, and which are; None if all are."""
    parameters = _known.get(function) or _parameters(function)
    for name, value in given.items():
        if parameters.is_closed and name not in parameters.names:
            takes = f"; it takes {', '.join(k for k in parameters.names if k != 'self')}"
            return f"there is no argument {name!r}{renamed(name, parameters.names, value) or takes}"
    return None


# --- annotations ----------------------------------------------------------------------------------


Test = Callable[[Any], bool]  # of a value: whether it fits


class Kind(NamedTuple):
    """The values that an annotation allows: a test, in words, and whether they are arrays."""

    fits: Test
    words: str
    is_array: bool = False


class Argument(NamedTuple):
    """The values that one parameter may have."""

    name: str
    kind: Kind


class Parameters(NamedTuple):
    """The parameters of a function: by position, that of `*args`, and all by name."""

    places: list[Argument]
    starred: Argument
    names: dict[str, Argument]
    is_closed: bool  # it has no `**kwargs`


ANYTHING = Argument("", Kind(lambda value: True, "anything"))


_known: weakref.WeakKeyDictionary[Callable, Parameters] = weakref.WeakKeyDictionary()


class _KnownNames(collections.ChainMap):
    """The names that annotations are made of. One that is imported for type checkers alone, such as a
    class of matplotlib's, stands for anything."""

    def __missing__(self, name: str) -> Any:
        return Any


def _parameters(function: Callable) -> Parameters:
    try:
        parameters = inspect.signature(function).parameters.values()
        names = _KnownNames(inspect.unwrap(function).__globals__, vars(builtins))
    except (ValueError, TypeError, AttributeError):  # of what is not written in Python
        return Parameters([], ANYTHING, {}, False)
    by_name = {p.name: Argument(p.name, _kind(_resolved(p.annotation, names))) for p in parameters}
    of = lambda *kinds: [by_name[p.name] for p in parameters if p.kind in kinds]
    starred = of(inspect.Parameter.VAR_POSITIONAL)
    by_position = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    is_closed = not of(inspect.Parameter.VAR_KEYWORD)
    _known[function] = Parameters(
        of(*by_position), starred[0] if starred else ANYTHING, by_name, is_closed
    )
    return _known[function]


def _resolved(annotation: object, names: _KnownNames) -> Any:
    """The type of an annotation, which may be a text; `Any` if it is no type."""
    try:
        kind = eval(annotation, {}, names) if isinstance(annotation, str) else annotation
        hash(kind)
    except (SyntaxError, TypeError, AttributeError, LookupError):  # it is no type
        return Any
    return kind


def _kind(kind: Any) -> Kind:
    """The values that an annotation allows."""
    if isinstance(kind, typing.TypeVar):
        kind = kind.__bound__ or Any
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind in (Any, object, inspect.Parameter.empty):
        return ANYTHING.kind
    if origin in (typing.Union, types.UnionType):
        kinds = [_kind(part) for part in inner]
        phrases = dict.fromkeys(k.words for k in kinds)  # each once
        fits_one = lambda value: any(k.fits(value) for k in kinds)
        return Kind(fits_one, " or ".join(phrases), any(k.is_array for k in kinds))
    if origin is typing.Literal:
        among = lambda value: value.__hash__ and value in inner
        return Kind(among, " or ".join(map(repr, inner)))
    known = KINDS.get(origin or kind)
    if known is None:
        is_class = isinstance(origin or kind, type)
        fits = _of_class(origin or kind) if is_class else ANYTHING.kind.fits
        return Kind(fits, f"a {getattr(kind, '__name__', kind)}")
    if origin in CONTAINERS:
        parts = [_kind(part) for part in inner if part is not ...]
        return _container(known, parts, whole=origin is tuple and ... not in inner)
    return known


def _container(holder: Kind, parts: list[Kind], whole: bool) -> Kind:
    """The kind of a container: its elements are all of one kind, or, if `whole`, of a kind for each."""

    def all_fit(value: object) -> bool:
        if not holder.fits(value):
            return False
        if isinstance(value, Mapping):
            if len(parts) == 2:
                return all(parts[0].fits(k) and parts[1].fits(v) for k, v in value.items())
            value = list(value)
        if isinstance(value, np.ndarray):  # its elements are of one type, or texts and objects
            value = value.tolist() if value.dtype.hasobject else list(value[:1])
        if not isinstance(value, (list, tuple, str)):
            return True
        if whole:
            return len(value) == len(parts) and all(part.fits(v) for part, v in zip(parts, value))
        return all(map(parts[0].fits, value))

    phrases = list(dict.fromkeys(part.words for part in parts))
    of = f" of {' and '.join(phrases)}" if phrases != ["anything"] else ""
    return Kind(all_fit, holder.words + of)


def _of_class(kind: type) -> Test:
    """Return the test for instances of a class, or for what has the methods of a protocol."""
    if not getattr(kind, "_is_protocol", False):
        return lambda value: isinstance(value, kind)
    methods = [name for name, method in vars(kind).items() if callable(method) and name[0] != "_"]
    return lambda value: all(callable(getattr(value, name, None)) for name in methods)


def is_whole(value: Any) -> bool:
    """Tell whether `value` is an integer, which a boolean is not."""
    if isinstance(value, (bool, np.bool_)):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def is_array(value: Any) -> bool:
    """Tell whether `value` is an array of real numbers of any kind, a number, or a list of them."""
    if isinstance(value, (list, tuple)):
        return all(map(is_array, value)) and len(set(map(_length, value))) < 2
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, np.dtype):
        exact = dtype.kind == "O" and all(isinstance(v, Real) for v in np.ravel(value))  # fractions
        return exact or dtype.kind in "fiub"
    return isinstance(value, Real) or hasattr(type(value), "__array__")


def _length(value: object) -> int:
    return len(value) if hasattr(value, "__len__") and has_axes(value) else -1


def has_axes(value: object) -> bool:
    """Tell whether `value` is no array, or one with elements to go over."""
    return getattr(value, "shape", None) != ()


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) or bool(getattr(value, "shape", ()))


KINDS: dict[Any, Kind] = {
    type(None): Kind(lambda value: value is None, "None"),
    bool: Kind(lambda value: isinstance(value, (bool, np.bool_)), "True or False"),
    int: Kind(is_whole, "a whole number"),
    float: Kind(lambda value: isinstance(value, Real) and not isinstance(value, bool), "a number"),
    str: Kind(lambda value: isinstance(value, str), "a text"),
    np.ndarray: Kind(is_array, "an array", is_array=True),
    os.PathLike: Kind(lambda value: isinstance(value, os.PathLike), "a path"),
    Callable: Kind(callable, "a function"),
    Mapping: Kind(lambda value: isinstance(value, Mapping), "a dict"),
    dict: Kind(lambda value: isinstance(value, dict), "a dict"),
    Sequence: Kind(_is_sequence, "a list"),
    Collection: Kind(lambda value: isinstance(value, Collection) and has_axes(value), "a list"),
    Iterable: Kind(lambda value: isinstance(value, Iterable) and has_axes(value), "a list"),
    Iterator: Kind(lambda value: isinstance(value, Iterator), "an iterator"),
    list: Kind(lambda value: isinstance(value, (list, tuple)), "a list"),
    tuple: Kind(lambda value: isinstance(value, (list, tuple)), "a tuple"),
}  # fmt: skip
CONTAINERS = (Mapping, dict, Sequence, Collection, Iterable, list, tuple)
