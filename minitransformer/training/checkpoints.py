"""Loading a checkpoint: as a model that can read, or as a run that can continue."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from minigrad import errors
from minigrad.arrays import serialize
from minigrad.engine.kinds import checked
from minigrad.settings import whole

from .line_reader import LineReader
from .loop import Point, Training
from .readers import READERS
from .settings import Settings
from .threads import core
from .vocabulary import Vocabulary

CHECKPOINT = "checkpoint.npz"  # in the folder of a run
# Names of weights in checkpoints written before the residuals, and the names now.
NORMS = {r"\.norm([123])\.": r".residual\1.norm."}
RENAMED = dict.fromkeys(READERS, NORMS) | {
    kind: NORMS | {r"^decoder\.": "stack."} for kind in ("decoder", "text")
}
# Errors that a file of another model, or of no model, can cause.
FOREIGN = (KeyError, TypeError, ValueError, OverflowError, MemoryError)

OTHER_BITS = (
    "{} was trained with matrix products for {}, and here they are for {}: the run goes on, and its "
    "last bits will be others"
)


def checkpoint_of(run: str | os.PathLike) -> Path:
    """The checkpoint that is named by its path, or by the folder of its run.

    Raises:
        CheckpointError: if it is not there: it names others in the folder, beside it, or in `runs`.
    """
    path = Path(run)
    folder = os.path.isdir(path)
    file = path / CHECKPOINT if folder else path
    if os.path.lexists(file):
        return file
    runs = {f.parent for at in (path.parent, Path("runs")) for f in at.glob(f"*/{CHECKPOINT}")}
    others = sorted(path.glob("*.npz") if folder else ()) or sorted(runs - {path})
    some = f"; there is one in {', '.join(map(str, others[:5]))}" if others else ""
    advice = some or ": `python -m minitransformer` trains a model, and writes one to runs/dates"
    raise errors.CheckpointError(f"there is no checkpoint {file}{advice}")


@checked
def load_reader(path: str | os.PathLike) -> tuple[LineReader, dict[str, Any]]:
    """Load the model of a checkpoint, ready to read, and the checkpoint's data about its training.

    Args:
        path: the checkpoint, or the folder of its run, such as "runs/dates".

    Raises:
        CheckpointError: if the file is missing, truncated, or not of such a model.
    """
    path = checkpoint_of(path)
    arrays, about = serialize.load(path)
    try:
        source, target = (Vocabulary.from_dict(about[side]) for side in ("source", "target"))
        kind = READERS[about["kind"]]
        weights = _weights(arrays, about["kind"])
        sizes = _sizes(kind, about["sizes"], weights)
        if not asdict(sizes).items() >= kind.symbols(source, target).items():
            raise ValueError(f"{sizes} for {len(source)} and {len(target)} symbols")
        model = kind.architecture(sizes)
        model.load_state_dict(weights)
        longest = [whole("longest", n, least=1) for n in about["longest"]]
        return kind(model.eval(), source, target, *longest), about
    except FOREIGN as problem:
        raise _foreign(path, problem) from None


def training_in(path: str | os.PathLike, make: Callable, steps: int | None = None) -> Training:
    """Load a run as it was when its checkpoint was written, ready for its next step.

    Args:
        path: the checkpoint, or the folder of its run.
        make: makes the task again, from the name, the seed and the options in the checkpoint.
        steps: the number of steps in all, in place of the number that the run was begun with. The
            schedule "cosine" goes on as if the run had been begun with this number.

    Raises:
        CheckpointError: if the file is missing, truncated, or not of such a run.
        ConfigError: if it has taken more steps.
        DataError: if the file of examples has changed or is gone.
    """
    path = checkpoint_of(path)
    longer = {} if steps is None else {"steps": whole("steps", steps)}
    arrays, about = serialize.load(path)
    try:
        settings = Settings(**{**about["settings"], **longer})
        task = make(about["task"], settings.seed, **about["made"])
        weights = _weights(arrays, about["kind"])
        sizes = _sizes(READERS[about["kind"]], about["sizes"], weights)
        curve = [Point(**point) for point in about["curve"]]
        done = whole("steps_done", about["steps_done"])
        if len(curve) != done or any(point.step != i for i, point in enumerate(curve, 1)):
            raise ValueError(f"the curve has {len(curve)} points for {done} steps")
        run = Training(task, sizes, settings, done, curve, about["kind"], about["made"])
        sides = [run.reader.source.to_dict(), run.reader.target.to_dict()]
        if sides != [about["source"], about["target"]]:
            raise ValueError(f"it was trained on other symbols than {task.name} has now")
        if core() and about.get("core") not in (None, "", core()):
            warnings.warn(OTHER_BITS.format(os.fspath(path), about["core"], core()), stacklevel=2)
        run.model.load_state_dict(weights)
        run.optimizer.load_state_dict(_part(arrays, "optimizer."))
    except errors.DataError as problem:
        raise errors.DataError(f"{os.fspath(path)} goes on with the same data: {problem}") from None
    except FOREIGN as problem:
        raise _foreign(path, problem) from None
    if steps is not None and steps < done:
        raise errors.ConfigError(
            f"{os.fspath(path)} has taken {done} steps already: give as many or more, not {steps}"
        )
    return run


def _sizes(kind: type[LineReader], saved: dict[str, object], weights: dict[str, np.ndarray]) -> Any:
    """The saved sizes, if a model of these sizes could have these weights: so no model is made that
    needs far more memory than the file.

    Raises:
        ValueError: if the weights are too few, or not finite.
    """
    sizes: Any = kind.sizes(**saved)
    for name, array in weights.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} has numbers that are not finite")
    layers, symbols = (
        sum(n for name, n in asdict(sizes).items() if name.endswith(part))
        for part in ("layers", "symbols")
    )
    places = sizes.longest if sizes.positions == "learned" else 0
    least = sizes.width * (layers * (sizes.width + sizes.feed_forward) + symbols // 2 + places)
    numbers = sum(array.size for array in weights.values())
    if least > numbers:
        raise ValueError(f"{numbers} weights are too few for {sizes}")
    return sizes


def _weights(arrays: dict[str, np.ndarray], kind: str) -> dict[str, np.ndarray]:
    """The weights of a model, by the names that they have now."""
    weights = _part(arrays, "model.")
    for old, new in RENAMED[kind].items():
        weights = {re.sub(old, new, name): array for name, array in weights.items()}
    return weights


def _part(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {k.removeprefix(prefix): a for k, a in arrays.items() if k.startswith(prefix)}


def _foreign(path, problem) -> errors.CheckpointError:
    lines = str(problem).splitlines() or ["not enough memory for it"]
    what = " ".join(line.strip() for line in lines[:4])
    more = f" and {len(lines) - 4} more" if len(lines) > 4 else ""
    return errors.CheckpointError(
        f"{os.fspath(path)} is not a checkpoint of this model: {type(problem).__name__}: {what}{more}"
    )
