"""With blocks: what holds within a `with` block, or while a decorated function runs.

    with no_grad():
        guess = model(x)

    @no_grad
    def predict(x):
        return model(x)

`@no_grad()` does the same. The setting belongs to the thread, or the task of asyncio, that made it.
Blocks may be left in any order. In a decorated generator function, the setting holds while its own code
runs, and not while it waits for the next `next`. A generator that waits inside a `with` block is another
matter: Python runs what comes meanwhile in the same context, so the setting holds there too.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, Protocol, overload

import numpy as np

from .engine.kinds import Function, checked
from .engine.modes import setting
from .errors import UnsupportedError

# The open blocks of this thread or task, each with its `WithBlock`.
_entered: ContextVar[tuple[tuple[WithBlock, contextlib.AbstractContextManager], ...]] = ContextVar(
    "_entered", default=()
)


class WithBlock(contextlib.AbstractContextManager):
    """A context manager that can be entered again, and decorates functions of every kind."""

    def __init__(self, manager: Callable[[], contextlib.AbstractContextManager]):
        self.manager = manager

    def __enter__(self) -> Any:
        manager, before = self.manager(), _entered.get()
        try:  # after an error or Ctrl-C in here, Python does not call __exit__
            given = manager.__enter__()
            _entered.set((*before, (self, manager)))
            return given
        except BaseException as problem:
            _entered.set(before)
            manager.__exit__(type(problem), problem, problem.__traceback__)
            raise

    def __exit__(self, *problem: Any) -> bool | None:
        blocks = _entered.get()
        own = [k for k, (block, _) in enumerate(blocks) if block is self]
        if not own:  # it was entered in another thread or task, whose setting it is
            return None
        last = own[-1]
        _entered.set(blocks[:last] + blocks[last + 1 :])
        return blocks[last][1].__exit__(*problem)

    @checked
    def __call__(self, function: Function) -> Function:
        """Return `function`, made to run with the setting.

        Raises:
            UnsupportedError: for an asynchronous generator function.
        """
        if inspect.isasyncgenfunction(function):
            raise UnsupportedError(
                f"{function.__name__} is an asynchronous generator function, which cannot be "
                f"decorated: write the `with` block around the operations in it"
            )

        def run(*args: object, **kwargs: object) -> object:
            with self.manager():
                return function(*args, **kwargs)

        async def wait(*args: object, **kwargs: object) -> object:
            with self.manager():
                return await function(*args, **kwargs)

        def resume(*args: object, **kwargs: object) -> Iterator[object]:
            generator = function(*args, **kwargs)
            go_on, value = generator.send, None
            while True:
                with self.manager():
                    try:
                        result = go_on(value)
                    except StopIteration as end:
                        return end.value
                try:
                    go_on, value = generator.send, (yield result)
                except BaseException as problem:
                    go_on, value = generator.throw, problem

        kind = resume if inspect.isgeneratorfunction(function) else run
        within: Any = wait if inspect.iscoroutinefunction(function) else kind
        functools.update_wrapper(within, function)
        return within


class Switch(Protocol):
    """The two ways to write a setting: `with no_grad():`, and `@no_grad`."""

    @overload
    def __call__(self, decorated: None = None) -> WithBlock: ...

    @overload
    def __call__(self, decorated: Function) -> Function: ...


def with_block(function: Callable[[], Iterator[Any]]) -> Switch:
    """Make a `with` block of a generator function that yields once, like `contextlib.contextmanager`."""
    manager = contextlib.contextmanager(function)

    @functools.wraps(function)
    def make(decorated: Callable | None = None) -> Any:
        return WithBlock(manager) if decorated is None else WithBlock(manager)(decorated)

    return make


@with_block
def no_grad() -> Iterator[None]:
    """Within it, results do not remember how they were made."""
    with setting(grad=False):
        yield


@with_block
def enable_grad() -> Iterator[None]:
    """Within it, results remember how they were made again, inside `no_grad` too."""
    with setting(grad=True):
        yield


# --- of NumPy -------------------------------------------------------------------------------------

_silenced: ContextVar[tuple[dict[str, Any], ...]] = ContextVar("_silenced", default=())


@contextlib.contextmanager
def silent(*kinds: str) -> Iterator[None]:
    """Within it, NumPy does not warn of these kinds, such as "invalid". `np.errstate` does the same, but
    such blocks may be left in any order: each hands what it is to restore to the next one.
    """
    before: dict[str, Any] = {kind: how for kind, how in np.geterr().items() if kind in kinds}
    off: dict[str, Any] = dict.fromkeys(kinds, "ignore")
    try:
        _silenced.set((*_silenced.get(), before))
        np.seterr(**off)
        yield
    finally:
        blocks = _silenced.get()
        place = next((k for k, block in enumerate(blocks) if block is before), len(blocks))
        later = blocks[place + 1 :]
        _silenced.set(blocks[:place] + later)
        for block in later:
            block.update({kind: before.pop(kind) for kind in block if kind in before})
        np.seterr(**before)
