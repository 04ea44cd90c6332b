"""The kinds of arguments: the values in a call, compared with the annotations of the function.

    @checked
    def load(path: str | os.PathLike): ...

    load(3)       ArgumentError: load: path is a text or a path, not 3

So an annotation is the one place that says which values an argument may have. These compare with it:

    checked     the arguments of a function for users, before each call
    named       the names of the arguments alone, for a function that checks the values itself
    misfit      the arguments of a call that has failed. Definitions and modules run in each step of
                training, so theirs are looked at only then, by `failures.error_of_arguments`
    not_of      one value, where it is set, as in `x.requires_grad = True`

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
from .advice import our_name
from .errors import UNCLEAR, ArgumentError, MinigradError, described
from .modes import current_box

Function = TypeVar("Function", bound=Callable)  # what a decorator takes and gives


def checked(function: Function) -> Function:
    """Decorate a function: an argument that its annotation does not allow raises an `ArgumentError`.

    Python itself raises an error if one is missing, or is one too many. Inside a module or a definition,
    the arguments are looked at only after a call has failed.

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
        if kwargs and (wrong := unknown_name(function, kwargs)):
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
    parameters = _parameters_of.get(function) or _parameters(function)
    pairs = zip(itertools.chain(parameters.places, itertools.repeat(parameters.starred)), args)
    if kwargs:
        if wrong := unknown_name(function, kwargs):
            return wrong
        by_name = ((parameters.names.get(k, ANYTHING), value) for k, value in kwargs.items())
        pairs = itertools.chain(pairs, by_name)  # type: ignore[assignment]
    for parameter, value in pairs:
        if not parameter.kind.fits(value):
            return _text_of_misfit(parameter.name, parameter.kind, value)
        is_number = value is not None and not getattr(value, "shape", ())
        if with_axes and parameter.kind.is_array and is_number:
            return f"{parameter.name} is an array that has axes, not {described(value)}"
    return None


def not_of(kind: Any, name: str, value: object) -> str | None:
    """Say that the argument `name` is not of a kind in `KINDS`, such as `bool`; None if it is."""
    return None if KINDS[kind].fits(value) else _text_of_misfit(name, KINDS[kind], value)


def _text_of_misfit(name: str, kind: Kind, value: object) -> str:
    return f"{name} is {kind.words}, not {described(value)}{kind.hint(name, value)}"


def unknown_name(function: Callable, options: Mapping[str, object]) -> str | None:
    """Say which of the given names is no argument of the function, and which are; None if all are."""
    parameters = _parameters_of.get(function) or _parameters(function)
    for name, value in options.items():
        if parameters.is_closed and name not in parameters.names:
            takes = f"; it takes {', '.join(k for k in parameters.names if k != 'self')}"
            return (
                f"there is no argument {name!r}{our_name(name, parameters.names, value) or takes}"
            )
    return None


# --- annotations ----------------------------------------------------------------------------------


Test = Callable[[Any], bool]  # of a value: whether it fits


class Kind(NamedTuple):
    """The values that an annotation allows.

    Attributes:
        fits: the test for them.
        words: what they are, in an error.
        is_array: whether they are arrays.
        hint: from the name of an argument, and a value that does not fit, to what is to be written;
            "" if there is nothing to say.
    """

    fits: Test
    words: str
    is_array: bool = False
    hint: Callable[[str, Any], str] = lambda name, value: ""


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


_parameters_of: weakref.WeakKeyDictionary[Callable, Parameters] = weakref.WeakKeyDictionary()


class _Namespace(collections.ChainMap):
    """The names that annotations are made of. One that is imported for type checkers alone, such as a
    class of matplotlib's, stands for anything."""

    def __missing__(self, name: str) -> Any:
        return Any


def _parameters(function: Callable) -> Parameters:
    try:
        parameters = inspect.signature(function).parameters.values()
        names = _Namespace(inspect.unwrap(function).__globals__, vars(builtins))
    except (ValueError, TypeError, AttributeError):  # of what is not written in Python
        return Parameters([], ANYTHING, {}, False)
    by_name = {p.name: Argument(p.name, _kind(_resolved(p.annotation, names))) for p in parameters}
    arguments_of = lambda *kinds: [by_name[p.name] for p in parameters if p.kind in kinds]
    starred = arguments_of(inspect.Parameter.VAR_POSITIONAL)
    by_position = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    is_closed = not arguments_of(inspect.Parameter.VAR_KEYWORD)
    _parameters_of[function] = Parameters(
        arguments_of(*by_position), starred[0] if starred else ANYTHING, by_name, is_closed
    )
    return _parameters_of[function]


def _resolved(annotation: object, names: _Namespace) -> Any:
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
        return Kind(
            fits=lambda value: any(k.fits(value) for k in kinds),
            words=" or ".join(dict.fromkeys(k.words for k in kinds)),  # each once
            is_array=any(k.is_array for k in kinds),
            hint=lambda name, value: next(filter(None, (k.hint(name, value) for k in kinds)), ""),
        )
    if origin is typing.Literal:
        among = lambda value: value.__hash__ and value in inner
        return Kind(among, " or ".join(map(repr, inner)))
    kind_of_class = KINDS.get(origin or kind)
    if kind_of_class is None:
        is_class = isinstance(origin or kind, type)
        fits = _of_class(origin or kind) if is_class else ANYTHING.kind.fits
        return Kind(fits, f"a {getattr(kind, '__name__', kind)}")
    if origin in CONTAINERS:
        parts = [_kind(part) for part in inner if part is not ...]
        return _container(kind_of_class, parts, whole=origin is tuple and ... not in inner)
    return kind_of_class


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


def hint_for_texts(name: str, value: Any, dtype: str = "np.float32") -> str:
    """Say what to write for an array that has texts, as of a file: "; write ..."; "" for any other."""
    if not isinstance(value, np.ndarray) or not any(isinstance(one, str) for one in value.flat):
        return ""
    try:
        value.astype(np.float32)
        return f"; write {name}.astype({dtype})"
    except (ValueError, TypeError):
        if value.ndim > 1:
            return f"; not all are numbers: of the columns that are write {name}.astype({dtype})"
        return f"; number words by np.unique({name}, return_inverse=True)[1]"


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
    np.ndarray: Kind(is_array, "an array", is_array=True, hint=hint_for_texts),
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
