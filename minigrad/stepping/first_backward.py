"""The first `backward()` of a script, which the reader walks."""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..aten.watched import Watched, pytorch
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..ran.loop import record
from ..views.text.steps import steps
from .walk import walk


@contextlib.contextmanager
def first_backward_walked(walked: list[Any]) -> Iterator[None]:
    """Record, and let the first backward() of the script be walked by the reader.

    It is reached as `loss.backward()` and as `minigrad.backward`; in a script that imports PyTorch, as
    PyTorch's.

    Args:
        walked: gets what the reader has walked.
    """

    def stepped(root: Tensor, gradient=None, *, retain_graph=False, create_graph=False) -> None:
        recording.close()
        walked.append(root)
        options = {"retain_graph": retain_graph or create_graph, "create_graph": create_graph}
        walk(root, steps(root, gradient, accumulate=True, **options))

    with contextlib.ExitStack() as recording:
        recording.enter_context(record())
        for home in (Tensor, sys.modules["minigrad"]):
            recording.enter_context(_replaced(home, "backward", stepped))
        watch = functools.partial(_watch, walked, recording)
        recording.enter_context(_once_imported("torch", watch))
        yield


def _watch(walked: list[Any], recording: contextlib.ExitStack, torch: Any) -> None:
    """Watch PyTorch until its first backward(): by a block of ours, or by the script's own."""
    ours = recording.enter_context(contextlib.ExitStack())
    watched = ours.enter_context(pytorch())
    enter, original = Watched.__enter__, torch.autograd.backward

    def entering(own: Watched) -> Watched:
        nonlocal watched
        if own.calls is None:  # else it cannot be entered again
            ours.close()
            watched = own
        return enter(own)

    @functools.wraps(original)
    def stepped(*args: Any, **kwargs: Any) -> None:
        original(*args, **kwargs)
        if watched.backwards:  # else it was of another computation
            recording.close()
            walked.append(watched)
            _walk_watched(watched)

    recording.enter_context(_replaced(Watched, "__enter__", entering))
    recording.enter_context(_replaced(torch.autograd, "backward", stepped))


def _walk_watched(watched: Watched) -> None:
    """Have the reader walk the `backward()` that PyTorch has just done."""
    root, gradient = watched.checked()[0], watched.backwards[-1].roots[0][1]
    print(f"{watched.compare()}\n")
    for node in order([root.node]):
        node.grad = None  # the reader is to see how they come about
    walk(root, steps(root, gradient, accumulate=True))


@contextlib.contextmanager
def _once_imported(name: str, act: Callable[[Any], None]) -> Iterator[None]:
    """Within it, `act` is called with a module as soon as the script has imported it."""
    original = builtins.__import__

    def importing(*args: Any, **kwargs: Any) -> Any:
        imported = original(*args, **kwargs)
        module = sys.modules.get(name)
        if module is not None and not getattr(module.__spec__, "_initializing", False):
            builtins.__import__ = original
            act(module)
        return imported

    with _replaced(builtins, "__import__", importing):
        yield


@contextlib.contextmanager
def _replaced(home: Any, name: str, value: Any) -> Iterator[None]:
    """Within it, an attribute has another value."""
    before = getattr(home, name)
    setattr(home, name, value)
    try:
        yield
    finally:
        setattr(home, name, before)
