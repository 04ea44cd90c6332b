"""A small transformer learns to read dates, with a learner's functions in their places.

`python -m minigrad exercises run` starts this in a process of its own, with what it is to do as JSON.
It stops when its input ends, after the step that it is taking; if that does not end, it says what is
running, and ends all the same. Its exit status is FAILED where it has said itself what went wrong.
"""

import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from places import PLACES

import minigrad as mg
from minigrad import errors
from minigrad.course.exercises.in_transformer.profiler import Profiler
from minigrad.course.exercises.in_transformer.replacement import FAILED, replacement
from minigrad.course.exercises.learner_file import read_learner_file
from minigrad.course.pictures import Pictures
from minigrad.ran.variables import line_of
from minigrad.system.working import working
from minigrad.views.plots import BLUE, GREY, ORANGE
from minitransformer import Settings, Sizes, Training, decoding
from minitransformer.tasks import dates
from minitransformer.tasks.split import seeded
from minitransformer.training.progress import progress
from minitransformer.training.threads import one_thread
from minitransformer.views.explain import explain

FORMS = ("{nth} of {month} {year}", "{month} {d}, {year}", "{d} {month} {year}")
SETTINGS = {"batch": 32, "warmup": 50, "learning_rate": 6e-3}
SIZES = {"width": 32, "heads": 2, "feed_forward": 64, "dropout": 0.02}
WARM = 5  # steps that take longer than the others, because everything happens for the first time
EXAM, SHOWN, BEAMED = 100, 5, 2  # dates that are read: in all, and printed, and by beam search too


class FewDates(dates.Dates):
    """Dates in few forms, so that a small model learns them soon."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        generator = seeded(self.name, seed, "few")
        self._held_out = [_few(date.fromisoformat(day), generator) for _, day in self._held_out]

    def batch(self, step: int, size: int) -> list[tuple[str, str]]:
        generator = seeded(self.name, self.seed, step)
        return [_few(day, generator) for day in generator.choices(self._days, k=size)]


def _few(day: date, generator: random.Random) -> tuple[str, str]:
    return dates.write(day, generator.choice(FORMS)), day.isoformat()


@dataclass
class Result:
    """The results of a run.

    Attributes:
        losses: of each step.
        read: (date, right, written) for each date of the exam.
        beamed: what beam search wrote for the first of them; nothing where it is not the learner's.
        profiler: the learner's functions that ran.
        seconds: of training.
        problem: the error that ended it, in a line, or "".
    """

    profiler: Profiler
    losses: list[float] = field(default_factory=list)
    read: list[tuple[str, str, str]] = field(default_factory=list)
    beamed: list[str] = field(default_factory=list)
    seconds: float = 0.0
    problem: str = ""

    @property
    def right(self) -> int:
        return sum(right == wrote for _, right, wrote in self.read)


def train(
    functions: Mapping[str, Callable],
    steps: int,
    stopped: Callable[[], bool] = lambda: False,
    page: Path | None = None,
    profiler: Profiler | None = None,
) -> Result:
    """Train with these functions in their places, and read dates.

    Args:
        functions: by the names of their exercises.
        steps: how many to take.
        stopped: whether to stop after this step.
        page: where a page goes that steps through one reading.
        profiler: what counts their calls; default: a new one.
    """
    before = mg.get_default_dtype()
    mg.set_default_dtype(np.float64)  # in which the functions compute
    with (
        replacement(PLACES, functions, profiler) as profiler,
        one_thread(),
        np.errstate(all="ignore"),
    ):
        result = Result(profiler)
        try:
            _learn(result, functions, steps, stopped, page)
        except errors.AnomalyError as problem:
            result.problem = profiler.odd or str(problem)
        except Exception as problem:  # of the learner's
            line = line_of(problem)
            at = f", at {line}" if line is not None else ""
            result.problem = f"{type(problem).__name__}: {' '.join(str(problem).split())}{at}"
        finally:
            mg.set_default_dtype(before)
    return result


def _learn(result, functions, steps, stopped, page):
    task = FewDates(seed=0)
    sizes = Sizes(len(task.source), len(task.target), **SIZES)
    run = Training(task, sizes, Settings(steps=steps, **SETTINGS))
    run.job.summed_loss = run.job.summed_loss.function  # uncompiled, so that their functions run
    started, warm = time.perf_counter(), []
    with working("training"), progress(steps, every=100) as bar:

        def after_step(run):
            result.losses.append(run.curve[-1].loss)
            result.seconds = time.perf_counter() - started
            if run.steps_done == WARM:
                warm.append(result.seconds)
            elif run.steps_done == 2 * WARM:
                whole = result.seconds + (result.seconds - warm[0]) / WARM * (steps - 2 * WARM)
                bar.say(f"{steps} steps will take about {whole:.0f} s, by the first {2 * WARM}")
            bar.advance(loss=f"{result.losses[-1]:.4f}")
            return stopped()

        run.fit(after_step)
    exam = task.held_out(EXAM)
    lines = [source for source, _ in exam]
    with working("reading dates"):
        read = run.reader.read(lines, how=decoding.greedy)
        result.read = [(*pair, wrote) for pair, wrote in zip(exam, read)]
    if "beam_search" in functions:
        given = run.reader.encode(lines[:BEAMED])
        found, _ = decoding.beam_search(run.model.eval(), given, run.reader.longest_target, beams=3)
        result.beamed = [run.reader.decode(best[0]) for best in found]
    if page is not None:
        explain(run.reader, lines[0], page)


# --- what is said of it ---------------------------------------------------------------------------


def told(result: Result, functions: Mapping[str, Callable]) -> str:
    """The report on a run: the dates that it reads, and the functions that ran."""
    lines = []
    if result.losses:
        lines.append(
            f"{len(result.losses)} steps in {result.seconds:.0f} s; "
            f"the loss went from {result.losses[0]:.3f} to {np.mean(result.losses[-20:]):.3f}"
        )
    if result.problem:
        lines.append(f"It came to an end by an error: {result.problem}")
    if result.read:
        lines.append(
            f"Of {len(result.read)} dates that it never saw, it reads {result.right} right"
        )
    for source, right, wrote in result.read[:SHOWN]:
        mark = "right" if wrote == right else f"wrong, it is {right}"
        lines.append(f"    {source:<26} -> {wrote:<11} {mark}")
    lines += [
        f"    by beam search, number {i}: {wrote}" for i, wrote in enumerate(result.beamed, 1)
    ]
    return "\n".join([*lines, *_times(result.profiler, functions)])


def _times(profiler: Profiler, functions: Mapping[str, Callable]) -> list[str]:
    if not functions:
        return []
    ran = sorted(functions, key=lambda name: -profiler.seconds[name])
    lines = ["", f"{'your function':<22} {'calls':>9}   share of the time"]
    for name in ran:
        if profiler.calls[name]:
            share = f"{profiler.share(name):.1%}"
            lines.append(f"{name:<22} {profiler.calls[name]:>9,} {share:>8}")
    lines.append(f"{'the library':<22} {'':>9} {profiler.share(''):>8.1%}")
    idle = [name for name in functions if not profiler.calls[name]]
    return [*lines, *([f"did not run: {', '.join(idle)}"] if idle else [])]


def picture(results: Mapping[str, Result], title: str) -> Any:
    """The loss of each run over its steps, and what each reads at the end."""
    from matplotlib import pyplot as plt

    figure, (curve, text) = plt.subplots(1, 2, figsize=(11, 4), width_ratios=(1, 1))
    for colour, (name, result) in zip((BLUE, ORANGE), results.items()):
        losses = np.array(result.losses)
        width = min(20, max(len(losses), 1))
        curve.plot(losses, color=colour, alpha=0.25, linewidth=0.8)
        if len(losses) >= width:
            mean = np.convolve(losses, np.ones(width) / width, "valid")
            curve.plot(np.arange(width - 1, len(losses)), mean, color=colour, label=name)
    curve.set(yscale="log", xlabel="step", ylabel="loss")
    if curve.get_legend_handles_labels()[0]:  # none where an error came at the first step
        curve.legend(frameon=False)
    text.axis("off")
    rows = [("", "read as", GREY)]
    for colour, (name, result) in zip((BLUE, ORANGE), results.items()):
        rows.append((name, f"{result.right} of {len(result.read)} right", colour))
        if result.problem:
            rows.append((result.problem[:60], "", colour))
        rows += [(f"  {source}", wrote, colour) for source, _, wrote in result.read[:SHOWN]]
    for k, (left, right, colour) in enumerate(rows):
        at = 1 - (k + 0.5) / (len(rows) + 1)
        text.text(0.0, at, left, color=colour, transform=text.transAxes)
        text.text(0.72, at, right, color=colour, transform=text.transAxes)
    figure.suptitle(title, fontsize=10, wrap=True)
    return figure


# --- the process ----------------------------------------------------------------------------------


def main(asked: dict[str, Any]) -> int:
    """Train as asked for, once, or twice where some functions are wrong; returns the exit status."""
    ended, profilers = threading.Event(), [Profiler()]

    def end_in_time() -> None:
        sys.stdin.read()
        ended.set()
        time.sleep(asked["grace"] / 2)
        profiler, calls = profilers[-1], profilers[-1].calls.copy()
        time.sleep(asked["grace"] / 2)
        print(stuck(profiler, calls, asked["grace"] / 2), flush=True)
        os._exit(FAILED)

    threading.Thread(target=end_in_time, daemon=True).start()
    out = Path(asked["out"])
    out.mkdir(parents=True, exist_ok=True)
    every = {name: _function(Path(asked["folder"], file), name)
             for file, name in (*asked["right"], *asked["wrong"])}  # fmt: skip
    find = lambda names: {name: every[name] for _, name in names if callable(every[name])}
    right, wrong = find(asked["right"]), find(asked["wrong"])
    page = out / "run.html"
    results = {}
    names = {"the library in its place": right, "with what is wrong": right | wrong}
    for name, functions in names.items() if wrong else [("yours", right)]:
        print(f"\n{name.capitalize()}:" if wrong else "", flush=True)
        profilers.append(Profiler())
        results[name] = result = train(
            functions, asked["steps"], ended.is_set, None if wrong else page, profilers[-1]
        )
        print(told(result, functions), flush=True)
    pictures = Pictures(out)
    pictures("run", lambda: picture(results, asked["title"]))
    print()
    if not wrong and page.exists() and not result.problem:
        print(f"step through one reading, your functions marked: {page}")
    print(pictures, flush=True)
    return FAILED if any(result.problem for result in results.values()) else 0


def stuck(profiler: Profiler, before: Mapping[str, int], seconds: float) -> str:
    """Say what a run is doing that was to stop.

    Args:
        before: how often each function had been called some seconds ago.
    """
    name = profiler.now()
    if not name:
        said = "It is the library that is running; the table says which of yours take the time."
    elif profiler.calls[name] == before.get(name, 0):
        call = f"Call {profiler.calls[name]:,} of {name}"
        said = f"{call} does not come back: is there a loop without an end?"
    else:
        calls = profiler.calls[name] - before.get(name, 0)
        said = (
            f"{name} is running, and was called {calls:,} times in {seconds:g} s: its own work is "
            f"{profiler.share(name):.0%} of the time. Arrays as a whole are faster than loops over "
            f"their numbers."
        )
    lines = [f"It was to stop, and has not come to an end. {said}"]
    return "\n".join([*lines, *_times(profiler, dict.fromkeys(profiler.calls))])


def _function(path: Path, name: str) -> Any:
    """The function of that name in a learner's file; what it prints would hide everything else."""
    space = read_learner_file(path).functions()
    space["print"] = lambda *things, **options: None
    return space.get(name)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
