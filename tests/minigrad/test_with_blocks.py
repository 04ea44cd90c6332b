"""Switches: whom a setting belongs to, how long it holds, and what it decorates."""

import asyncio
import contextvars
import gc
import itertools
import sys

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors, nn
from minigrad.engine.modes import mode
from minigrad.with_blocks import silent

SWITCHES = {
    "no_grad": mg.no_grad,
    "enable_grad": mg.enable_grad,
    "record": mg.record,
    "detect_anomaly": mg.detect_anomaly,
}


def remembers() -> bool:
    """Tell whether a result remembers how it was made."""
    return (mg.Tensor(1.0, requires_grad=True) * 2).requires_grad


def settings() -> tuple:
    """What holds now, of what NumPy warns of too: who watches is known by its class."""
    now = mode.get()
    return now.grad, [type(watcher) for watcher in now.watchers], np.geterr()


@pytest.mark.parametrize("first", SWITCHES)
@pytest.mark.parametrize("second", SWITCHES)
def test_blocks_left_in_any_order_take_back_what_is_theirs(first, second):
    before = settings()
    with SWITCHES[second]():
        with_second = settings()
    one, two = SWITCHES[first](), SWITCHES[second]()
    one.__enter__()
    two.__enter__()
    one.__exit__(None, None, None)
    assert settings() == with_second
    two.__exit__(None, None, None)
    assert settings() == before


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_what_numpy_warned_of_comes_back_when_all_blocks_are_left(order):
    with np.errstate(invalid="raise", over="warn"):
        before = np.geterr()
        blocks = [silent("invalid"), mg.detect_anomaly(), silent("invalid")]
        for block in blocks:
            block.__enter__()
        for n, k in enumerate(order):
            assert np.geterr()["invalid"] == "ignore"
            blocks[k].__exit__(None, None, None)
            assert (np.geterr()["over"] == "warn") == (1 in order[: n + 1])
        assert np.geterr() == before


def test_the_same_switch_can_be_entered_again():
    off = mg.no_grad()
    with off:
        with off:
            assert not remembers()
        assert not remembers()
    assert remembers()
    with off:
        assert not remembers()


def test_tasks_that_enter_one_switch_leave_each_their_own_block():
    """The first to leave closes its own block, not the last one that was entered."""
    off, found = mg.no_grad(), {}

    async def task(name, steps):
        with off:
            for _ in range(steps):
                await asyncio.sleep(0)
            found[name] = remembers()
        found[name + " after"] = remembers()

    async def both():
        await asyncio.gather(task("first", 1), task("second", 3))

    asyncio.run(both())
    assert found == {"first": False, "first after": True, "second": False, "second after": True}


def test_a_generator_that_ends_inside_a_box_leaves_no_setting_behind():
    """A call in a box took back, when it ended, the settings that held when it began."""

    class Closes(nn.Module):
        def forward(self, generator):
            generator.close()
            return remembers()

    def generator():
        with mg.no_grad():
            yield

    one = generator()
    next(one)
    assert not remembers()
    assert Closes()(one)
    assert remembers()


@pytest.mark.parametrize("switch", SWITCHES.values())
def test_a_block_that_another_task_leaves_changes_nothing_here(switch):
    """So a generator may end anywhere, when it is garbage."""

    def generator():
        with switch():
            yield

    before, one = settings(), generator()
    contextvars.copy_context().run(next, one)
    one.close()
    assert settings() == before


def test_tasks_of_asyncio_do_not_see_each_others_settings():
    found = {}

    async def task(name, switch, wait):
        with switch():
            for _ in range(3):
                await asyncio.sleep(wait)
                found.setdefault(name, []).append(remembers())

    async def both():
        await asyncio.gather(
            task("off", mg.no_grad, 0.001), task("on", mg.enable_grad, 0.002), task("rec", mg.record, 0)
        )  # fmt: skip

    asyncio.run(both())
    assert found == {"off": [False] * 3, "on": [True] * 3, "rec": [True] * 3}
    assert remembers()


@pytest.mark.parametrize("switch", SWITCHES.values(), ids=SWITCHES)
@pytest.mark.parametrize("called", [False, True])
def test_a_decorated_function_keeps_its_name_and_runs_with_the_setting(switch, called):
    before = settings()
    with switch():
        within = settings()

    @(switch() if called else switch)
    def guess(x, *, twice=False):
        """Guess."""
        return settings(), x, twice

    assert guess(3, twice=True) == (within, 3, True)
    assert (guess.__name__, guess.__doc__) == ("guess", "Guess.")
    assert settings() == before


def test_a_decorated_generator_function_has_the_setting_while_it_runs():
    @mg.no_grad()
    def generator():
        try:
            got = yield remembers()
            yield got, remembers()
        except KeyError as error:
            yield repr(error), remembers()
        return "end"

    one, two = generator(), generator()
    assert [next(one), remembers(), next(two), remembers()] == [False, True, False, True]
    assert (one.send("sent"), remembers()) == (("sent", False), True)
    assert (two.throw(KeyError("thrown")), remembers()) == (("KeyError('thrown')", False), True)
    with pytest.raises(StopIteration) as end:
        next(two)
    assert end.value.value == "end"


def test_closing_a_decorated_generator_runs_its_end_with_the_setting():
    ended = []

    @mg.no_grad()
    def generator():
        try:
            yield from itertools.count()
        finally:
            ended.append(remembers())

    one = generator()
    next(one)
    one.close()
    assert ended == [False]
    assert remembers()


def test_a_decorated_coroutine_function_has_the_setting_and_nobody_else_has():
    @mg.no_grad()
    async def wait():
        await asyncio.sleep(0.001)
        return remembers()

    async def watch():
        await asyncio.sleep(0)
        return remembers()

    async def both():
        return await asyncio.gather(wait(), watch())

    assert asyncio.run(both()) == [False, True]


def test_an_asynchronous_generator_function_cannot_be_decorated():
    async def steps():
        yield 1

    with pytest.raises(errors.UnsupportedError, match="`with` block around"):
        mg.no_grad()(steps)


def test_an_error_inside_leaves_the_setting():
    with pytest.raises(errors.ShapeError), mg.no_grad():
        mg.Tensor(np.ones(2)) + np.ones(3)
    assert remembers()


@pytest.mark.slow
@pytest.mark.parametrize("name", SWITCHES)
def test_ctrl_c_at_any_line_of_entering_leaves_no_setting(name):
    """Whoever catches it, as a notebook does, goes on without the setting; the traceback is kept."""
    with SWITCHES[name]():  # what is imported when it is first entered
        pass
    gc.collect()  # no generator of another test ends in here
    before, held = settings(), []
    for n in itertools.count():
        left = n
        entered = False

        def interrupt(frame, event, arg):
            nonlocal left
            if event == "line" and frame.f_globals["__name__"].startswith("minigrad"):
                left -= 1
                if left == 0:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return interrupt

        switch = SWITCHES[name]()
        tracing = sys.gettrace()
        try:
            sys.settrace(interrupt)
            switch.__enter__()
            entered = True
        except KeyboardInterrupt as problem:
            held.append(problem)
        finally:
            sys.settrace(tracing)
        if entered:
            switch.__exit__(None, None, None)
        assert settings() == before
        if entered and left > 0:
            break
    assert len(held) > 5
