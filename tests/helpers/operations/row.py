"""A row of the table: one way to call a function."""

from __future__ import annotations

import operator
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.engine.names import name_of
from minigrad.ran.rules_as_text import source_of

from .in_pytorch import same_in_torch
from .inputs import DOMAINS

NUMPY = tuple(map(int, np.__version__.split(".")[:2]))


class Row(NamedTuple):
    """One way to call a function.

    Attributes:
        name: the call and its inputs, in short.
        function: the function whose entry in the table of derivatives this is about.
        call: a function of the inputs.
        inputs: an array (as a list), or a shape to draw one for, for each argument.
        torch: the same for PyTorch's tensors; None where it has nothing like it.
        also: other functions of the inputs that mean the same.
        smooth: whether finite differences can follow it, to second order.
        domain: where inputs are drawn from, one for all or one for each; see `DOMAINS`.
        given: what is called, and what it is called with after the inputs, by position and by name.
    """

    name: str
    function: Callable
    call: Callable
    inputs: Sequence[Any]
    torch: Callable | None = None
    also: Sequence[Callable] = ()
    smooth: bool = True
    domain: Any = "any"
    given: tuple[Callable, tuple, dict[str, Any]] | None = None

    def arrays(self) -> list[np.ndarray]:
        """The inputs, in float64; the same ones every time."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        domains = self.domain if isinstance(self.domain, tuple) else (self.domain,) * 3
        return [
            np.array(DOMAINS[d](rng, i) if isinstance(i, tuple) else i, dtype=np.float64)
            for i, d in zip(self.inputs, domains)
        ]


def rows(
    function: Callable,
    torch_call: Any,
    *several: Sequence[Any],
    then: tuple = (),
    call: Callable | None = None,
    name: str | None = None,
    also: Iterable[Any] = (),
    smooth: bool = True,
    domain: Any = "any",
    **options: Any,
) -> Iterator[Row]:
    """A row for each of `several` inputs. The call is of the inputs, then of `then` and the options.

    Args:
        torch_call: a name of PyTorch's, called with the same arguments; `...` for the same call; or
            a function of the inputs alone. None where PyTorch has nothing like it.
        call: what is called, where that is not `function` itself.
        name: what the rows are called, where not by the function or the text of `call`.
        also: the names of methods, called with the same arguments; or functions of the inputs alone.
    """
    f = call or function
    text = name or (name_of(function) if call is None else written(call))
    more = [*map(shown, then), *(f"{k}={shown(v)}" for k, v in options.items())]
    if torch_call is ... or isinstance(torch_call, str):
        torch_call = same_in_torch(f if torch_call is ... else torch_call, then, options)
    others = [
        (lambda x, *xs, method=operator.attrgetter(o): method(x)(*xs, *then, **options))
        if isinstance(o, str)
        else o
        for o in also
    ]  # fmt: skip
    for inputs in several:
        sizes = ", ".join(shown(i if isinstance(i, tuple) else np.shape(i)) for i in inputs)
        yield Row(
            "; ".join([f"{text} of {sizes}", *more]), function, lambda *xs: f(*xs, *then, **options),
            inputs, torch_call, others, smooth, domain, (f, then, options),
        )  # fmt: skip


def shown(value: Any) -> str:
    """An argument in the name of a row."""
    if isinstance(value, np.ndarray):
        return f"array {value.tolist()}"
    if isinstance(value, slice):
        ends = ("" if end is None else str(end) for end in (value.start, value.stop, value.step))
        return ":".join(ends)
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    return "..." if value is ... else getattr(value, "__name__", repr(value))


def written(value: Any) -> str | None:
    """The text of a function, as the name of a test; None for anything else."""
    if hasattr(value, "__code__"):
        return source_of(value)
    return getattr(value, "__name__", None)
