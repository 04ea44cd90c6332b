"""Symbols as a person would write them by hand: in names, and without what matters to code alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...engine import rules
from ...ran import words
from ...script.bodies import body_of
from ...script.operators import TIGHT
from ...script.symbols import Number, Shape, Symbol, plain
from .notation import Notation

LONGEST = 72  # letters of a rule that was traced; beyond it the table's own text says more


class HandNotation(Notation):
    """Symbols as a person would write them: vectors are multiplied as vectors, and copies are told.

    Args:
        names: of symbols, by their ids.
        axes: whether to write new axes of size 1, which matter to code alone.
    """

    def __init__(self, names: Mapping[int, str], axes: bool = True):
        self.names = names
        self.axes = axes

    def name(self, symbol: Symbol) -> str:
        name = self.names.get(id(symbol), "")
        unnamed = not name and (symbol.call is None or isinstance(symbol, Number))
        return self.literal(symbol.value, 0) if unnamed else name

    def sentence(self, result: Any) -> str:
        """The text of what a rule gives, in one line; "" where it is too long to be read."""
        if not isinstance(result, Symbol):
            return ""
        text = self._spread(result) or self._scattered(result) or self.text(result, 0)
        text = text.replace(", optimize=True", "")  # how einsum is computed, not what
        return text if len(text) <= LONGEST else ""

    def literal(self, value: Any, needed: int | None) -> str:
        return words.number(value) if isinstance(value, float) else super().literal(value, needed)

    def array(self, array: np.ndarray) -> str:
        return words.array(array) if array.size <= 4 else words.literal(array)

    def _spread(self, result: Symbol) -> str:
        """`g spread over rows`, for an array that is copied along axes."""
        call = self.call(result)
        if call is None or call.function is not np.broadcast_to:
            return ""
        source, shape = call.args[0], result.value.shape
        narrow = source.value.shape
        extra = len(shape) - len(narrow)
        axes = [i for i, n in enumerate(shape) if i < extra or narrow[i - extra] != n]
        what = (HandNotation(self.names, axes=False) if axes else self).text(source, 0)
        if not axes or result.value.size == 1:
            return what
        if len(axes) == len(shape):
            return f"{what} spread over all {result.value.size} elements"
        if len(shape) == 2:
            return f"{what} spread over {'columns' if axes[0] else 'rows'}"
        return (
            f"{what} spread over {'axes' if len(axes) > 1 else 'axis'} {', '.join(map(str, axes))}"
        )

    def _scattered(self, result: Symbol) -> str:
        """`g at w[0], elsewhere 0`, for the gradient of an index."""
        call = self.call(result)
        if call is None or call.function is not body_of(rules.scatter_add):
            return ""
        values, index, shape = call.args
        whole = self.text(shape.symbol, TIGHT) if isinstance(shape, Shape) else "it"
        where = f"{whole}[{self.text(index, None)}]"
        more = "at" if rules.selects_each_once(plain(index)) else "added up at"
        return f"{self.text(values, 0)} {more} {where}, elsewhere 0"
