"""Code for numbers, settings and indices, which are no symbols."""

from __future__ import annotations

from collections.abc import Callable
from types import EllipsisType, NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import errors
from ...engine.names import is_numpys, name_of
from ...script.operators import SIGN, TIGHT
from ...script.symbols import Shape

if TYPE_CHECKING:
    from .notation import Notation

    Writer = Callable[[Notation, Any, int | None], str]


def number_as_code(value: Any) -> str:
    """A number with all its digits, as code."""
    value = float(value) if isinstance(value, (float, np.floating)) else int(value)
    if value != value:
        return "np.nan"
    return repr(value).replace("inf", "np.inf")


def _number(notation: Notation, value: float, needed: int | None) -> str:
    code = number_as_code(value)
    return f"({code})" if code.startswith("-") and (needed or 0) > SIGN else code


def _scalar(notation: Notation, value: Any, needed: int | None) -> str:
    if np.isfinite(value):
        return repr(value)
    return f"np.{value.dtype}({number_as_code(value)})"


def _slice(notation: Notation, value: slice, needed: int | None) -> str:
    if needed is not None:
        return repr(value)
    ends = [value.start, value.stop, *([value.step] if value.step is not None else [])]
    return ":".join("" if e is None else notation.literal(e, 0) for e in ends)


def _tuple(notation: Notation, values: tuple, needed: int | None) -> str:
    inside = needed is None
    items = ", ".join(
        notation.text(v, None if inside and not isinstance(v, tuple) else 0) for v in values
    )
    if inside and values:
        return items
    return f"({items}{',' if len(values) == 1 else ''})"


def _list(notation: Notation, values: list, needed: int | None) -> str:
    return f"[{', '.join(notation.text(v, 0) for v in values)}]"


def _class(notation: Notation, value: type, needed: int | None) -> str:
    if issubclass(value, np.generic):
        return f"np.{np.dtype(value).name}"
    return _object(notation, value, needed)


def _object(notation: Notation, value: object, needed: int | None) -> str:
    """A function by its name, and any other object as it shows itself.

    Raises:
        GraphError: if that is no code.
    """
    if callable(value):
        return name_of(value) if is_numpys(value) else notation.function(value)
    if repr(value).startswith("<"):
        remedy = getattr(value, "to_be_seen", "give operations arrays, numbers and functions")
        raise errors.GraphError(
            f"an object of the class {type(value).__name__} cannot be written into a program: "
            f"{remedy}"
        )
    return repr(value)


LITERALS: dict[type | tuple[type, ...], Writer] = {  # the first that a value is an instance of
    Shape: lambda notation, value, needed: f"{notation.text(value.symbol, TIGHT)}.shape",
    np.generic: _scalar,
    (bool, str, NoneType): lambda notation, value, needed: repr(value),
    (int, float): _number,
    EllipsisType: lambda notation, value, needed: "...",
    slice: _slice,
    tuple: _tuple,
    list: _list,
    np.dtype: lambda notation, value, needed: f"np.{value.name}",
    type: _class,
    np.ndarray: lambda notation, value, needed: notation.array(value),
    object: _object,
}
