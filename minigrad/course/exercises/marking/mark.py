"""A mark: the result of one exercise."""

from __future__ import annotations

from dataclasses import dataclass

RIGHT, WRONG, NOT_BEGUN, MISSING = "right", "wrong", "not begun", "missing"
BORROWED, HARD_CODED, STOPPED = "borrowed", "hard-coded", "stopped"
NOT_MARKED = "not marked"


@dataclass(frozen=True)
class Mark:
    """The result of an exercise.

    Attributes:
        state: "right", "wrong", "not begun", "missing" (there is no such function), "borrowed" (the
            library did it), "hard-coded", "stopped" (it took too long, or ended the process), or
            "not marked" (it needs another file).
        says: why, in a sentence; "" where it is right.
        shows: the smallest input that shows it, and what comes of it; a line each.
        mistake: the number of the written-down mistake that it is, or None.
        picture: the text of a drawing, in DOT, and of the table that stands in for it; or None.
        share: of the inputs, those that a function which is wrong answers right.
        right_for: how many these are, of how many: "9 of 19".
    """

    state: str
    says: str = ""
    shows: tuple[str, ...] = ()
    mistake: int | None = None
    picture: tuple[str, str] | None = None
    share: float = 0.0
    right_for: str = ""
