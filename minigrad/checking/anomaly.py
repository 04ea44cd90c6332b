"""The first NaN or infinity: the operation that made it, and its arguments."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays.ranges import extent, numbers_in, shape_and_dtype
from ..engine.errors import FailedCall
from ..engine.modes import Watcher, setting
from ..engine.node import Node
from ..engine.source import source_line
from ..engine.walk import Visit
from ..errors import AnomalyError
from ..ran.rules_as_text import source_of
from ..with_blocks import silent, with_block


@with_block
def detect_anomaly() -> Iterator[None]:
    """Within it, the first NaN or infinity raises `AnomalyError`, in the forward pass or backward.

    The error names the operation, the ranges of its arguments and the line that asked for it. NumPy's
    own warnings are silent. If an argument has an infinity, as a mask may, the result may have one.
    """
    with silent(*np.geterr()), setting(watchers=(Detector(),)):
        yield


class Detector(Watcher):
    """Looks at every result, and at every gradient that a rule gives."""

    def __init__(self) -> None:
        # The arguments of each node and its line, as long as somebody holds the node.
        self.seen: weakref.WeakKeyDictionary[Node, Any] = weakref.WeakKeyDictionary()

    def on_operation(self, node: Node, args: tuple, y: Any) -> None:
        """Raise if `y` has a NaN, or has an infinity that no argument has.

        Raises:
            AnomalyError: it names the operation, the ranges of its arguments, and the line of code.
        """
        assert node.operation is not None
        line = source_line()
        self.seen[node] = args, line
        result = numbers_in(y)
        if result is None or result.dtype.kind != "f" or np.all(np.isfinite(result)):
            return
        numbers = [array for a in _floats_in(args) if (array := numbers_in(a)) is not None]
        if np.any(np.isnan(result)) or not any(np.any(np.isinf(a)) for a in numbers):
            ranges = "; ".join(f"{shape_and_dtype(a)} {extent(a)}" for a in numbers)
            error = AnomalyError(
                f"{node.operation.name} gives {shape_and_dtype(result)} {extent(result)}, from {ranges}"
                f"\n  at {line}"
            )
            error.culprit = FailedCall(node.operation.function, args, node.kwargs, node.box, result)
            raise error

    def on_visit(self, visit: Visit) -> None:
        """Raise if a rule gives a NaN or an infinity.

        Raises:
            AnomalyError: it names the operation and the argument, the ranges, and the line of code.
        """
        for contribution in visit.contributions:
            gradient, node = numbers_in(contribution.fitted), visit.node
            if gradient is None or np.all(np.isfinite(gradient)):
                continue
            assert node.operation is not None
            args, line = self.seen.get(node, ((), None))
            ranges = "; ".join(
                f"{shape_and_dtype(a)} {extent(a)}" for a in _floats_in(args) if hasattr(a, "shape")
            )
            error = AnomalyError(
                f"the gradient of {node.operation.name} by its argument {contribution.position} is "
                f"{extent(gradient)}, from a gradient {extent(visit.gradient)} and arguments {ranges}\n"
                f"  by the rule {source_of(node.operation.rules[contribution.position])}"
                + (f"\n  forward at {line}" if line else "")
            )
            error.culprit = node
            raise error


def _floats_in(args: Any) -> Iterator[Any]:
    for a in args:
        if isinstance(a, (list, tuple)):
            yield from _floats_in(a)
        elif isinstance(a, float) or getattr(getattr(a, "dtype", None), "kind", "") == "f":
            yield a
