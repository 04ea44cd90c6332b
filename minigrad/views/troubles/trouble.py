"""Troubles as a diagnosis finds them: each with its line, and with what people do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...engine.source import SourceLine


@dataclass(frozen=True)
class Trouble:
    """One finding.

    Attributes:
        kind: one of the table at the door, `minigrad.views.troubles`.
        what: in a sentence.
        line: of the code, or None.
        numbers: those that led there, each in words.
        remedy: what people do about it.
        node: the number of the operation in the graph.
        back: whether it happens on the way back.
        module: the path of the module in which it happens; "" where there is none.
    """

    kind: str
    what: str
    line: SourceLine | None
    numbers: tuple[str, ...]
    remedy: str
    node: int
    back: bool = False
    module: str = ""

    def __str__(self) -> str:
        at = [] if self.line is None else [f"at {self.line}"]
        at += [f"in the module {self.module}"] if self.module else []
        return "\n  ".join([f"{self.kind}: {self.what}", *at, *self.numbers, self.remedy])


class Troubles(tuple[Trouble, ...]):
    """The troubles found, most urgent first; printed, it is a text.

    Attributes:
        notes: what may be meant, and what was not looked at, a sentence each.
        extent: how many steps were looked at, and their losses, in words; "" of a single loss.
    """

    notes: tuple[str, ...]
    extent: str

    def __new__(
        cls, troubles: Iterable[Trouble], notes: Iterable[str] = (), extent: str = ""
    ) -> Troubles:
        self = super().__new__(cls, troubles)
        self.notes, self.extent = tuple(notes), extent
        return self

    def __str__(self) -> str:
        well = f"every number is finite, and every gradient arrives{self.extent}"
        return "\n".join([*map(str, self)] or [well]) + "".join(f"\n{note}" for note in self.notes)

    __repr__ = __str__
