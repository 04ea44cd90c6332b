"""One element of a result worked out with its numbers: `x[0]·g[1] = 1·10`.

The way leads back from the element along the calls of a tape (see `script.tape_reading`), to elements of
arrays that have a name. A page does the same in JavaScript, with the tape that it computes with.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...ran import words
from ...script.operators import OPERATORS, PRODUCT, SIGN, SUM, TIGHT, Operator
from ...script.page_functions import ELEMENTWISE
from ...script.tape import Tape
from ...script.tape_reading import MOVES, SUMS, Element, Index, TapeReader

MOST_TERMS = 3  # terms of a sum that are written out
LONG = 120  # letters of one side of an equation, beyond which it is no help
WHOLE = 1e7  # a constant from here on is written as 1e+07


class UnclearError(Exception):
    """An operation of which one element is not made of a few others."""


class Expression(NamedTuple):
    """A text, and how tightly it binds (see `script.operators`)."""

    text: str
    binds: int = TIGHT


class ElementText(NamedTuple):
    """An element in names, and in numbers."""

    names: Expression
    numbers: Expression


def worked_out(
    tape: Tape,
    names: Mapping[int, str],
    element: Element,
    target: str,
    result: Any,
    equals: str = "=",
) -> str:
    """`w[0, 1] = x[0]·g[1] = 1·10 = 10`; "" where it would be no help.

    Args:
        tape: has the calls that the array of the element is computed by.
        names: of the slots that it is computed from.
        element: which one.
        target: what it is an element of.
        result: the element itself.
        equals: what stands after that: "=", or a verb.
    """
    try:
        text = _ElementWriter(tape, names).text(element)
    except UnclearError:
        return ""
    sides = dict.fromkeys([text.names.text, text.numbers.text, words.number(result)])
    if max(map(len, sides)) > LONG:
        return ""
    return f"{_at(target, element.at)} {equals} {' = '.join(sides)}"


class _ElementWriter:
    """Writes an element by the elements that it is made of, back to elements of slots with a name."""

    def __init__(self, tape: Tape, names: Mapping[int, str]):
        self.tape = TapeReader(tape)
        self.fixed = tape.fixed
        self.names = names

    def call(self, element: Element) -> str:
        """The name of the call that is to be followed from an element; "" where the way ends."""
        return "" if element.slot in self.names else self.tape.name(element.slot)

    def text(self, element: Element) -> ElementText:
        """The element in names and in numbers.

        Raises:
            UnclearError: if a call on the way makes one element of all, or a page cannot run it.
        """
        name = self.call(element)
        if not name:
            return self._end(element)
        if name in MOVES:
            source = self.tape.moved(element)
            return self.text(source) if source else _constant(0)
        if name in SUMS:
            return self._total(name, element)
        if name not in ELEMENTWISE:
            raise UnclearError
        operands = self.tape.operands(element)
        texts = [self.text(operand) for operand in operands]
        if name == "where":
            return _of_where(bool(self.tape.number(operands[0])), *texts)
        return _of_function(name, texts)

    def _end(self, element: Element) -> ElementText:
        """An element of an array that has a name, or of a constant."""
        number = self.tape.number(element)
        if element.slot in self.names:
            named = Expression(_at(self.names[element.slot], element.at))
            return ElementText(named, Expression(words.number(number)))
        if element.slot in self.fixed:
            raise UnclearError
        return _constant(number.item())

    def _total(self, name: str, element: Element) -> ElementText:
        """A sum, or the greatest or least, of many elements, of which the first are written out."""
        sign = FOLDS.get(name, "+")
        count = self._count(sign, element)
        most = count if count <= MOST_TERMS + 1 else MOST_TERMS
        terms = [
            _of_function("multiply", [*map(self.text, term)]) if len(term) > 1 else self.text(*term)
            for term in itertools.islice(self._terms(sign, element), most)
        ]
        total = _of_sum(sign, terms, count)
        if name != "mean":
            return total
        return _of_function("divide", [total, _constant(self.tape.terms(element).number)])

    def _terms(self, sign: str, element: Element) -> Iterator[list[Element]]:
        """The terms of an element, each a product; a sum of sums is one sum."""
        for term in self.tape.terms(element).products:
            inner = self._same_sum(sign, term)
            yield from [term] if inner is None else self._terms(sign, inner)

    def _count(self, sign: str, element: Element) -> int:
        count, terms = self.tape.terms(element)
        inner = self._same_sum(sign, next(terms, []))
        return count if inner is None else count * self._count(sign, inner)

    def _same_sum(self, sign: str, term: list[Element]) -> Element | None:
        """The term itself, before it was moved, if it is a sum of the same kind; else None."""
        element = term[0] if len(term) == 1 else None
        while element is not None and self.call(element) in ("same", "view"):
            element = self.tape.moved(element)
        return element if element is not None and FOLDS.get(self.call(element)) == sign else None


FOLDS = {"sum": "+", "contract": "+", "max": "max", "min": "min"}


# --- texts of elements joined to one ------------------------------------------------------------------


class Sign(NamedTuple):
    """An operator as a person writes it between two elements, or before one, which has no `left`.

    Attributes:
        shown: the sign.
        binds: how tightly.
        left, right: how tightly its operands must bind, to stand there without brackets.
        counts: whether it counts with its operands: True is 1 then.
    """

    shown: str
    binds: int
    left: int | None
    right: int
    counts: bool = False


def _sign(row: Operator) -> Sign:
    """An operator of Python as it stands between elements: a dot for `*`, `and` for `&`."""
    left, right = row.needed
    if row.unary:
        return Sign("-", SIGN, None, PRODUCT) if row.sign == "-" else Sign("not ", 2, None, PRODUCT)
    if row.sign in WORDS:  # which bind less tightly than Python's signs for bits
        word, binds = WORDS[row.sign]
        return Sign(f" {word} ", binds, binds, binds)
    shown = {"*": "·", "**": "**"}.get(row.sign, f" {row.sign} ")
    right = left if row.sign in "+*" else right
    return Sign(shown, row.binds, left, right, not row.compares)


WORDS = {"&": ("and", 2), "|": ("or", 1)}
SIGNS: dict[str, Sign] = {  # by the names of calls
    row.ufunc.__name__: _sign(row) for row in OPERATORS if row.sign not in ("//", "%", "@")
}
for word, bits in (("and", "bitwise_and"), ("or", "bitwise_or"), ("not", "invert")):
    SIGNS[f"logical_{word}"] = SIGNS[bits]
BITS = {"True": "1", "False": "0"}


def _constant(number: Any) -> ElementText:
    if isinstance(number, float) and number.is_integer() and abs(number) < WHOLE:
        number = int(number)
    text = Expression(words.number(number))
    return ElementText(text, text)


def _of_function(name: str, operands: Sequence[ElementText]) -> ElementText:
    """A function of single elements: `a·b`, `exp(a)`."""
    names = [o.names for o in operands]
    numbers = [o.numbers for o in operands]
    if name in SIGNS and SIGNS[name].counts:
        numbers = [n._replace(text=BITS.get(n.text, n.text)) for n in numbers]
    return ElementText(_call(name, names), _call(name, numbers))


def _call(name: str, operands: Sequence[Expression]) -> Expression:
    """A call with its sign, where it has one: `a·b`; else with its name: `exp(a)`."""
    if name not in SIGNS:
        return Expression(f"{name}({', '.join(o.text for o in operands)})")
    sign = SIGNS[name]
    right = _bracketed(operands[-1], sign.right, True)
    left = "" if sign.left is None else _bracketed(operands[0], sign.left, name == "power")
    return Expression(left + sign.shown + right, sign.binds)


def _of_where(holds: bool, condition: ElementText, a: ElementText, b: ElementText) -> ElementText:
    """`a if condition else b`, and the numbers of the one that is chosen."""
    names = f"{_bracketed(a.names, 1)} if {condition.names.text} else {b.names.text}"
    return ElementText(Expression(names, 0), (a if holds else b).numbers)


def _of_sum(sign: str, first: Sequence[ElementText], count: int) -> ElementText:
    """The first elements of a sum, or of a call that takes one of many; there are `count` in all."""
    if not first:
        return _constant(0)
    if len(first) == 1 and sign == "+":
        return first[0]
    names, numbers = (_list(sign, texts, len(first) < count) for texts in zip(*first))
    if sign == "+" and len(first) < count:
        names = names._replace(text=f"{names.text} ({count} terms)")
    return ElementText(names, numbers)


def _list(sign: str, terms: Sequence[Expression], cut: bool) -> Expression:
    """`a + b + …`, or `max(a, b, …)`."""
    more = ["…"] if cut else []
    if sign == "+":
        parts = [_bracketed(term, SUM, i > 0) for i, term in enumerate(terms)]
        return Expression(" + ".join(parts + more), SUM)
    return Expression(f"{sign}({', '.join([*(term.text for term in terms), *more])})")


def _at(name: str, index: Index) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def _bracketed(operand: Expression, needed: int, inner: bool = False) -> str:
    """In brackets where it binds less tightly than is needed, or begins with a sign after a sign."""
    binds_less = operand.binds < needed or (inner and operand.text.startswith("-"))
    return f"({operand.text})" if binds_less else operand.text
