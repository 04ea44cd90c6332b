"""The reader at the keys: the forward pass, and then each step back as it is asked for."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from ..engine.tensor import Tensor
from ..views.graph import Graph, graph
from ..views.text.how_made import how_made
from ..views.text.steps import Step
from ..views.troubles import diagnose

KEYS = """\
Enter         the next step
NUMBER        that step
g NAME        the step of a variable or parameter, or of a node of the table: g w, g #5
f NAME        how that was made on the way forward, its first element worked out: f y, f #5
t             the table of the forward pass
c             all the other steps, and on with the script
q             quit
h or ?        this list"""
LONG = 60  # rows of a table that is shown only when asked for


class Quit(BaseException):
    """The reader has seen enough. No handler of the script's is to catch it."""


class StepsDone:
    """The steps of a walk back that were done so far; more are done as they are asked for.

    Args:
        forward: the graph of the way forward.
        back: does the steps.

    Attributes:
        texts: each of them, as text.
        numbers: the number of each, by itself and by the names of its node.
    """

    def __init__(self, forward: Graph, back: Iterator[Step]):
        self.forward, self.back = forward, back
        self.texts: list[str] = []
        self.numbers: dict[int | str, int] = {}

    def reach(self, step: int | str) -> int | None:
        """Walk on until a step has been done; return its number, or None where it does not come."""
        while step not in self.numbers:
            one = next(self.back, None)
            if one is None:
                return None
            self.texts.append(str(one))
            self.numbers |= {one.number: one.number, f"#{one.of}": one.number}
            label = self.forward[one.of].label if one.of is not None else ""
            for name in filter(None, (one.name, label)):
                self.numbers.setdefault(name, one.number)
        return self.numbers[step]


def walk(root: Tensor, back: Iterator[Step]) -> None:
    """Show the forward pass, and then each step back as the reader asks for it.

    Raises:
        Quit: when the reader has seen enough.
    """
    forward = graph(root)
    _show_forward(forward, root)
    steps = StepsDone(forward, back)
    place = 0  # the number of the step shown last
    asking = True
    while True:
        key = _key() if asking else ""
        if _answered(key, forward):
            continue
        asking = asking and key != "c"
        step = _step_of(key, place)
        if step is None:
            print(f"{key!r} is no key; ? lists them")
            continue
        number = steps.reach(step)
        if number is not None:
            print(f"\n{steps.texts[number - 1]}")
            place = number
        elif key in ("", "c"):
            break
        else:
            print(f"there is no step {step}; there are {len(steps.texts)}")
    print("\nThe end of the backward pass; the script goes on.")


def _show_forward(forward: Graph, root: Tensor) -> None:
    long = len(forward) > LONG
    print(f"{forward.summary()}\n\nt shows the table of {len(forward)} rows." if long else forward)
    for trouble in diagnose(root) if root.size == 1 else ():
        if trouble.kind in ("not finite", "data"):
            print(f"\n{trouble}")
    print("\nAnd back, step by step: Enter for the next one, ? for all keys.")


def _answered(key: str, forward: Graph) -> bool:
    """Answer a key that asks for no step, and tell whether it was one.

    Raises:
        Quit: for `q`.
    """
    if key == "q":
        raise Quit
    if key in ("h", "?"):
        print(KEYS)
    elif key == "t":
        print(forward)
    elif key.startswith("f "):
        print(f"\n{how_made(forward, key[2:].strip())}")
    else:
        return False
    return True


def _step_of(key: str, place: int) -> int | str | None:
    """The step that a key asks for: its number, or the name of its node."""
    if key in ("", "c"):
        return place + 1
    if key.isdecimal():
        return int(key) or None
    if key.startswith("#"):
        return key
    command, _, name = key.partition(" ")
    return name.strip() or None if command == "g" else None


def _key() -> str:
    """Read what the user types; the end of the input, or a closed input, counts as `q`."""
    if sys.stdin is None:
        return "q"
    if sys.stdin.isatty():
        with contextlib.suppress(EOFError):
            return input("> ").strip()
        print()
        return "q"
    line = sys.stdin.readline()
    return line.strip() if line else "q"
