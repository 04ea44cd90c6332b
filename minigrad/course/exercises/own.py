"""`exercises engine`: an engine of a learner's under a transformer, beside minigrad.

    compared = compare(Asked(...))        or compare(of_engine(Tensor, backward)), here and now
    compared.functions, compared.weights  a row for each; what is wrong, and by how much
    print(compared)

Each function is asked by itself, with the arguments that the transformer calls it with, from the loss
back: what comes first is where the walk back first goes wrong. Then the whole transformer runs on the
engine. What is asked, and what is right, is in `examples/exercises/engines.py`.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ... import errors
from ..printing import say
from .asking import Asked, Outcome, StoppedError
from .calls import Callee
from .exercise import Case, Exercise
from .isolation.house import JUDGE, House
from .learner_file import content, written
from .likeness import alike, numbers_of
from .marking import RIGHT, Mark, Trial, mark
from .messages import packed
from .sheets import RUN, asked, beside, chosen
from .wording import shown

THROUGH = "engines.asked"
RTOL, ATOL = 1e-6, 1e-9
FILES = 200  # that an engine may have beside it


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
        return [row for row in (*self.functions, *self.weights) if row.says]

    @property
    def right(self) -> bool:
        return not self.wrong and not isinstance(self.loss, str)

    @property
    def first(self) -> str:
        """The first function that is wrong, from the loss back, in a sentence; "" if none is."""
        return next((f"np.{r.name}: {r.says}" for r in self.functions if r.says), "")

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
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


def of_engine(make: Callable, backward: Callable) -> Asked:
    """An engine that is asked here and now.

    Args:
        make: makes a tensor of an array.
        backward: walks back from a tensor with one number.
    """
    return Asked(Callee(asked(lambda: (make, backward), THROUGH)))


def compare(engine: Asked, seed: int = 0) -> Compared:
    """Compare an engine with minigrad under a small transformer.

    Raises:
        StoppedError: if it cannot be asked any more.
    """
    about, of_minigrad = beside("engines"), asked(beside("engines").minigrad, THROUGH)
    case = about.transformer_case(seed)
    rows: dict[str, ComparedRow] = {}
    for one, calls in about.rules_of_a_transformer(case, seed):
        _, name, arguments, _, place, _ = one
        row = rows.setdefault(name, ComparedRow(name))
        row.calls += calls
        off, says = _difference(_asked(engine, one), of_minigrad(*one))
        if says and not row.says:
            given = " and ".join(_kind(a) for a in arguments)
            row.says = f"the gradient of argument {place + 1} of {given}: {says}"
        row.off = max(row.off, off)
    loss, gradients = of_minigrad("transformer", *case)
    found = _asked(engine, ("transformer", *case))
    if found.error is not None:
        return Compared(f"{found.error.told}{found.error.line}", list(rows.values()), [])
    try:
        own, given = found.value
        own = float(own)
    except (TypeError, ValueError):
        return Compared(f"it gives {shown(found.value)}", list(rows.values()), [])
    weights = []
    for path, right in gradients.items():
        off, says = _difference(Outcome(given.get(path)), right)
        weights.append(ComparedRow(path, 0, off, says))
    return Compared((own, loss), list(rows.values()), weights)


def _asked(engine: Asked, case: tuple) -> Outcome:
    return engine.outcome(_engine(), Case(lambda: case, drawn=True))


@functools.cache
def _engine() -> Exercise:
    ((_, (exercise,)),) = chosen(["engine"])
    return exercise


def _difference(found: Outcome, right: Any) -> tuple[float, str]:
    """Measure how far a gradient is off, and say what is wrong in a line; "" if it is right."""
    if found.error is not None:
        return np.inf, f"{found.error.told}{found.error.line}"
    given = numbers_of(found.value)
    if found.value is None or given is None:
        return np.inf, "it gets no gradient"
    if given.shape != right.shape:
        return np.inf, f"it has the shape {given.shape}, and should have {right.shape}"
    far = abs(given - right)
    off = float(np.max(far, initial=0.0))
    if alike(given, right, RTOL, ATOL):
        return off, ""
    place = np.unravel_index(np.argmax(np.nan_to_num(far, nan=np.inf)), far.shape)
    at = f" at {[int(k) for k in place]}" if place else ""
    return off, f"off by {off:.1e}: {given[place]:.4g}{at}, and should be {right[place]:.4g}"


def _kind(argument: object) -> str:
    return f"{argument.shape}" if isinstance(argument, np.ndarray) else str(argument)


# --- the command ------------------------------------------------------------------------------------


def marked_and_compared(path: Path, seconds: float, seed: int = 0) -> tuple[Mark, Compared]:
    """Mark an engine in a file of a learner's, and compare it; both in a room.

    Raises:
        ConfigError: if the file cannot be read, or does not come to an end.
    """
    request = _request(path)
    with contextlib.closing(House()) as house, JUDGE:
        engine = Asked(lambda request: room.ask(request))
        try:
            with contextlib.closing(house.room(seconds)) as room:
                room.send(packed(request))
                return mark(Trial(_engine(), seed), engine), compare(engine, seed)
        except StoppedError as problem:
            raise errors.ConfigError(f"{path}: {problem} ({engine.last})") from None


def _request(path: Path) -> dict[str, object]:
    """The engine in a file as a room is asked for it: a function, in a file that imports the learner's.

    Raises:
        ConfigError: if the file cannot be read, or has no engine.
    """
    try:
        names = {alias for alias in ("engine", "Tensor", "backward") if written(path).has(alias)}
        files = dict(_files(path))
    except OSError as problem:
        raise errors.ConfigError(f"cannot read {path}: {problem.strerror}") from None
    except ValueError as problem:
        raise errors.ConfigError(f"cannot read {path}: {problem}") from None
    if unread := written(path).problem:
        raise errors.ConfigError(unread)
    if written(path).is_stub("engine"):
        raise errors.ConfigError(f"`engine` in {path} is not written yet: `{RUN} hint engine`")
    if not ("engine" in names or names >= {"Tensor", "backward"}):
        raise errors.ConfigError(
            f"{path} has no engine: a class Tensor and a function backward, or a function `engine` "
            f"that returns both"
        )
    stem = _stem(path)
    both = f"{stem}.engine()" if "engine" in names else f"({stem}.Tensor, {stem}.backward)"
    code = f"def engine():\n    import {stem}\n    return {both}\n".encode()
    return {
        "path": str(path),
        "data": np.frombuffer(code, np.uint8),
        "name": "engine",
        "without": None,  # it may be made of another engine
        "through": THROUGH,
        "files": files,
    }


def _stem(path: Path) -> str:
    """The name that a file can be imported by."""
    return path.stem if path.stem.isidentifier() else f"engine_{path.stem}".replace("-", "_")


def _files(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    """The file, and those beside it that it imports, by the paths that they have beside one another."""
    waiting, seen = [(path, f"{_stem(path)}.py")], {path}
    while waiting:
        one, place = waiting.pop()
        data = content(one)
        yield place, np.frombuffer(data, np.uint8)
        for name in _imported(data):
            module, package = path.parent / f"{name}.py", path.parent / name
            new = [module] if module.is_file() else sorted(package.rglob("*.py"))[:FILES]
            waiting += [(n, str(n.relative_to(path.parent))) for n in new if n not in seen]
            seen |= set(new)


def _imported(data: bytes) -> Iterator[str]:
    with contextlib.suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(data)):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                yield (node.module or "").partition(".")[0]


def engine_of_ones_own(options: Any) -> int:
    """Run an engine under a transformer, and show what is right and wrong; the status is 1 if anything
    is wrong."""
    found, compared = marked_and_compared(options.file, options.seconds)
    for line in compared.lines():
        say(line)
    print()
    say(f"{options.file}: {found.state}")
    for line in filter(None, (found.says, *found.shows)):
        say(f"    {line}")
    return 0 if found.state == RIGHT and compared.right else 1
