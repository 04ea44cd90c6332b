"""A mark: the result of one exercise."""

from __future__ import annotations

from dataclasses import dataclass

RIGHT, WRONG, NOT_BEGUN, MISSING = "right", "wrong", "not begun", "missing"
BORROWED, HARD_CODED, STOPPED = "borrowed", "hard-coded", "stopped"
NOT_MARKED = "not marked"

# The kinds of faults that have no name, as the page of a class heads them.
WRONG_NUMBERS = "Wrong numbers"
OTHER_KIND = "An answer of another kind or shape"
RETURN_IN_LOOP = "A return in the loop"
BROKEN_RULE = "A rule that is broken"
CHANGED_ARGUMENT = "An argument that is changed"
UNSTEADY = "Another answer each time"
CALLS_WRONG = "A call of a function that is not right, or not written"
CHANGED_NUMPY = "NumPy changed"
NO_FUNCTION = "No function"
NOT_READ = "What Python cannot read"
TOO_LONG = "No end in time"
NO_FILE = "No file"
KINDS = {  # of a state, where a mark has none of its own
    BORROWED: "Work that is left to a library",
    HARD_CODED: "One answer for all inputs",
    STOPPED: "Stopped",
    NOT_MARKED: "Not marked",
}


def error_kind(name: str) -> str:
    """The kind of a fault that is an error with this name, such as "builtins.NameError"."""
    return f"An error, {name.rpartition('.')[2]}"


@dataclass(frozen=True)
class Mark:
    """The result of an exercise.

    Attributes:
        state: "right", "wrong", "not begun", "missing" (there is no such function), "borrowed" (the
            library did it), "hard-coded", "stopped" (it took too long, or ended the process), or
            "not marked" (it needs another file).
        says: why, in a sentence; "" where it is right.
        kind: the kind of a fault that is no known mistake, one of those above; "" of another mark.
        fault: the fault in words that are the same for all who have it, where `says` shows a line of
            the learner's; or "".
        shows: the smallest input that shows it, and what comes of it; a line each.
        mistake: the number of the written-down mistake that it is, or None.
        picture: the text of a drawing, in DOT, and of the table that stands in for it; or None.
        share: the part of the inputs that a wrong function answers right, from 0 to 1.
        right_for: the same as a count: "9 of 19".
        uses: what the function uses that leads to files, networks, processes or threads: no fault, but
            for a teacher to look at, as "subprocess"; or "".
    """

    state: str
    says: str = ""
    shows: tuple[str, ...] = ()
    mistake: int | None = None
    picture: tuple[str, str] | None = None
    share: float = 0.0
    right_for: str = ""
    kind: str = ""
    fault: str = ""
    uses: str = ""

    @property
    def heading(self) -> str:
        """The kind of the fault, as a page of many has it."""
        return self.kind or KINDS.get(self.state, WRONG_NUMBERS)
