"""An engine of a learner's under a transformer, beside minigrad.

    compared = compare(RemoteFunction(...))      or compare(of_engine(Tensor, backward)), here and now
    compared.functions, compared.weights         a row for each; what is wrong, and by how much
    print(compared)

Each function is asked by itself, with the arguments that the transformer calls it with, from the loss
back: what comes first is where the walk back first goes wrong. Then the whole transformer runs on the
engine. What is asked, and what is right, is in `examples/exercises/engines.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..catalogue import exercises_named
from ..exercise import Case, Exercise
from ..learner_side.callee import Callee
from ..likeness import alike, numbers_of
from ..marking.outcome import Outcome
from ..marking.remote_function import RemoteFunction
from ..shared_files import shared_file, wrapped
from ..values_as_text import shown

THROUGH = "engines.asked"
RTOL, ATOL = 1e-6, 1e-9


@dataclass
class ComparedRow:
    """A function or a weight.

    Attributes:
        calls: how often the transformer calls the function.
        off: by how much its gradient is off at most; infinity where there is none.
        says: what is wrong, in a line; "" if nothing is.
    """

    name: str
    calls: int = 0
    off: float = 0.0
    says: str = ""


@dataclass
class Compared:
    """An engine compared with minigrad.

    Attributes:
        loss: the loss by the engine and by minigrad; or why there is none.
        functions: from the loss back, each with the worst of its calls.
        weights: by their paths.
    """

    loss: tuple[float, float] | str
    functions: list[ComparedRow]
    weights: list[ComparedRow]

    @property
    def wrong(self) -> list[ComparedRow]:
        """The functions and weights whose gradients are wrong."""
        return [row for row in (*self.functions, *self.weights) if row.says]

    @property
    def right(self) -> bool:
        """Tell whether the transformer runs, and all gradients are right."""
        return not self.wrong and not isinstance(self.loss, str)

    @property
    def first(self) -> str:
        """The first function that is wrong, from the loss back, in a sentence; "" if none is."""
        return next((f"np.{r.name}: {r.says}" for r in self.functions if r.says), "")

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The comparison as text, line by line."""
        yield f"{'function':<18} {'calls':>5}  furthest off"
        for row in self.functions:
            yield f"{row.name:<18} {row.calls:>5}  {_by(row.off)}{'  wrong' * bool(row.says)}"
        yield ""
        if isinstance(self.loss, str):
            yield f"The transformer does not run: {self.loss}"
        else:
            own, right = self.loss
            yield f"The loss of a transformer is {own:.9g}; by minigrad it is {right:.9g}."
            wrong = [row for row in self.weights if row.says]
            many = f"Of the gradients of {len(self.weights)} weights {len(wrong)} are wrong"
            yield f"{many}, by:" if wrong else f"{many}."
            for row in wrong:
                yield f"    {_by(row.off):<12} {row.name}"
        if self.first:
            yield f"First wrong, from the loss back: {self.first}"


def _by(off: float) -> str:
    return f"{off:.1e}" if np.isfinite(off) else "no gradient"


def of_engine(make: Callable, backward: Callable) -> RemoteFunction:
    """An engine that is asked here and now.

    Args:
        make: makes a tensor of an array.
        backward: walks back from a tensor with one number.
    """
    return RemoteFunction(Callee(wrapped(lambda: (make, backward), THROUGH)))


def compare(engine: RemoteFunction, seed: int = 0) -> Compared:
    """Compare an engine with minigrad under a small transformer.

    Raises:
        StoppedError: if it cannot be asked any more.
    """
    about, of_minigrad = shared_file("engines"), wrapped(shared_file("engines").minigrad, THROUGH)
    case = about.transformer_case(seed)
    rows: dict[str, ComparedRow] = {}
    for one, calls in about.rules_of_a_transformer(case, seed):
        _, name, arguments, _, place, _ = one
        row = rows.setdefault(name, ComparedRow(name))
        row.calls += calls
        off, says = _difference(_outcome(engine, one), of_minigrad(*one))
        if says and not row.says:
            given = " and ".join(_kind(a) for a in arguments)
            row.says = f"the gradient of argument {place + 1} of {given}: {says}"
        row.off = max(row.off, off)
    loss, gradients = of_minigrad("transformer", *case)
    outcome = _outcome(engine, ("transformer", *case))
    if outcome.error is not None:
        return Compared(f"{outcome.error.text}{outcome.error.line}", list(rows.values()), [])
    try:
        own, given = outcome.value
        own = float(own)
    except (TypeError, ValueError):
        return Compared(f"it gives {shown(outcome.value)}", list(rows.values()), [])
    weights = []
    for path, right in gradients.items():
        off, says = _difference(Outcome(given.get(path)), right)
        weights.append(ComparedRow(path, 0, off, says))
    return Compared((own, loss), list(rows.values()), weights)


def _outcome(engine: RemoteFunction, case: tuple) -> Outcome:
    return engine.outcome(engine_exercise(), Case(lambda: case, drawn=True))


@functools.cache
def engine_exercise() -> Exercise:
    """The exercise `engine` of lesson 04."""
    ((_, (exercise,)),) = exercises_named(["engine"])
    return exercise


def _difference(outcome: Outcome, right: Any) -> tuple[float, str]:
    """Measure how far a gradient is off, and say what is wrong in a line; "" if it is right."""
    if outcome.error is not None:
        return np.inf, f"{outcome.error.text}{outcome.error.line}"
    gradient = numbers_of(outcome.value)
    if outcome.value is None or gradient is None:
        return np.inf, "it gets no gradient"
    if gradient.shape != right.shape:
        return np.inf, f"it has the shape {gradient.shape}, and should have {right.shape}"
    far = abs(gradient - right)
    off = float(np.max(far, initial=0.0))
    if alike(gradient, right, RTOL, ATOL):
        return off, ""
    place = np.unravel_index(np.argmax(np.nan_to_num(far, nan=np.inf)), far.shape)
    at = f" at {[int(k) for k in place]}" if place else ""
    return off, f"off by {off:.1e}: {gradient[place]:.4g}{at}, and should be {right[place]:.4g}"


def _kind(argument: object) -> str:
    return f"{argument.shape}" if isinstance(argument, np.ndarray) else str(argument)
