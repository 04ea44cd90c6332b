"""Messages between the judge and the process of a learner's function: plain data, as bytes.

    data = packed({"call": (np.array([3.0]), [1, 2])})
    unpacked(data)                                        {"call": (np.array([3.0]), [1, 2])}

Numbers, texts, arrays, and lists, tuples and dictionaries of them go across, and nothing that could
run: the structure as JSON, arrays as their bytes behind it. A function among the inputs goes as its
`Recipe`, towards the learner only. Of anything else that a learner's function returns, there is left
what is said of it: an `Other`.
"""

from __future__ import annotations

import io
import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np

from .likeness import data_of
from .recipes import MAKERS, recipe_of

SIZE = struct.Struct(">II")  # bytes of the structure, and of the arrays
MOST_BYTES = 1 << 24  # of either: no right answer has a thousandth of it
DEEP = 50  # lists in lists: NumPy's arrays have 64 axes at most
KINDS = "biufc"  # of numbers that arrays hold


@dataclass(frozen=True)
class Other:
    """A value that is no plain data, or too long: what kind of thing it is, and how it is shown."""

    kind: str
    text: str


class MessageError(ValueError):
    """The error of data that is not what this file writes, or that it cannot write."""


class StoppedError(Exception):
    """The error of a function that cannot be asked any more: why, in a sentence.

    Args:
        kind: that of the fault, as in `marking.mark`; or "".
    """

    def __init__(self, says: str, kind: str = ""):
        super().__init__(says)
        self.kind = kind


class Readable(Protocol):
    """A stream, or a room, that bytes are read from."""

    def read(self, count: int, /) -> bytes: ...


def packed(message: object, other: Callable[[object], Other] | None = None) -> bytes:
    """A message as bytes.

    Args:
        other: what stands for a value that is no plain data. It is asked, too, for what stands for the
            whole of a value that is too long.

    Raises:
        MessageError: for such a value, without `other`.
    """
    arrays = io.BytesIO()
    text = json.dumps(_Packing(arrays, other).value(message, 0)).encode("ascii")
    if max(len(text), arrays.tell()) > MOST_BYTES:
        raise MessageError("the message is too long")
    return SIZE.pack(len(text), arrays.tell()) + text + arrays.getvalue()


class _Packing(NamedTuple):
    arrays: BinaryIO
    other: Callable[[object], Other] | None

    def value(self, value: Any, depth: int) -> Any:
        if isinstance(value, Other):
            return {"other": [value.kind, value.text]}
        if recipe := recipe_of(value):
            return {"made": [recipe.maker, [self.value(one, depth + 1) for one in recipe.data]]}
        value = data_of(value)
        if value is None or type(value) in (bool, float, str):
            return value
        if type(value) is int and abs(value) < 1 << 200:
            return value
        if depth > DEEP:
            return self._other(value)
        if isinstance(value, dict):
            pairs = value.items()
            return {
                "dict": [[self.value(k, depth + 1), self.value(v, depth + 1)] for k, v in pairs]
            }
        if isinstance(value, (list, tuple)):
            if len(value) > MOST_BYTES // 16:
                return self._other(value)
            items = [self.value(one, depth + 1) for one in value]
            return {"tuple": items} if isinstance(value, tuple) else items
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in KINDS:
            array = np.asarray(value)
            if array.nbytes + self.arrays.tell() <= MOST_BYTES:
                begin = self.arrays.tell()
                self.arrays.write(array.tobytes())
                name = "scalar" if isinstance(value, np.generic) else "array"
                return {name: [array.dtype.str, list(array.shape), begin]}
        return self._other(value)

    def _other(self, value: object) -> Any:
        if self.other is None:
            raise MessageError(f"a {type(value).__name__} is no plain data")
        other = self.other(value)
        return {"other": [other.kind, other.text]}


def unpacked(data: bytes, make: bool = False) -> Any:
    """The message that the bytes hold.

    Args:
        make: whether functions are made of recipes.

    Raises:
        MessageError: if it is none.
    """
    try:
        text, arrays = SIZE.unpack_from(data)
        rest = memoryview(data)[SIZE.size :]
        if len(rest) != text + arrays:
            raise MessageError("the lengths do not fit")
        return _unpacked(json.loads(bytes(rest[:text])), rest[text:], make, 0)
    except MessageError:
        raise
    except Exception as problem:  # whatever a forged message may set off
        raise MessageError(f"{type(problem).__name__}") from None


def _unpacked(value: Any, arrays: memoryview, make: bool, depth: int) -> Any:
    if depth > 2 * DEEP:
        raise MessageError("too deep")
    inner = lambda one: _unpacked(one, arrays, make, depth + 1)
    if isinstance(value, list):
        return [inner(one) for one in value]
    if not isinstance(value, dict):
        return value
    ((name, of),) = value.items()
    if name == "tuple":
        return tuple(inner(one) for one in of)
    if name == "dict":
        return {inner(k): inner(v) for k, v in of}
    if name in ("array", "scalar"):
        dtype, shape, begin = of
        array = _array(dtype, shape, begin, arrays)
        return array[()] if name == "scalar" else array
    if name == "other":
        kind, text = of
        return Other(str(kind), str(text))
    if name == "made" and make:
        maker, args = of
        return MAKERS[maker](*map(inner, args))
    raise MessageError(f"unknown: {name}")


def _array(dtype: str, shape: list[int], begin: int, arrays: memoryview) -> np.ndarray:
    kind = np.dtype(dtype)
    sizes = [n for n in shape if isinstance(n, int) and n >= 0]
    count = math.prod(sizes)
    end = begin + count * kind.itemsize
    if kind.kind not in KINDS or len(sizes) != len(shape) or not 0 <= begin <= end <= len(arrays):
        raise MessageError("no such array")
    return np.frombuffer(arrays[begin:end], kind, count).reshape(shape).copy()


def read(stream: Readable) -> bytes:
    """The next message of a stream.

    Raises:
        MessageError: if it is too long.
        EOFError: if the stream ends.
    """
    head = _exactly(stream, SIZE.size)
    text, arrays = SIZE.unpack(head)
    if max(text, arrays) > MOST_BYTES:
        raise MessageError("too long")
    return head + _exactly(stream, text + arrays)


def _exactly(stream: Readable, count: int) -> bytes:
    parts = []
    while count:
        part = stream.read(min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
