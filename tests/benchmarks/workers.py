"""How the time of a training step falls with the number of workers, and what it would be with many more.

    python tests/benchmarks/workers.py               threads and processes, 1 to 4, in 1 to 16 parts
    python tests/benchmarks/workers.py mid 2 4       a size, the most workers, the most parts

Each worker multiplies in one thread. Measured for each: seconds a step; the bytes that are sent, weights
to every worker, and gradients from one to another as the workers count them; and the share of the
workers' time in which they do not compute (processes are taken to compute as long as one thread does).
The model of cost is

    work / min(workers, parts) + sums + sending,        sending = messages x latency + bytes / bandwidth

where work, latency and bandwidth are measured in the same run. Sending is that of a central sum (all
gradients go through one machine, as here), of a ring (Patarasuk & Yuan, 2009: 2 (N - 1) messages, twice
the gradient in all), or of a tree (2 log2 N messages, each of a whole gradient). It is drawn with the
measured points and carried on to 1,000 machines, for the size measured and for a model of 175 billion
parameters. A table says where more machines stop paying, and what more parts, compression or rarer sums
would change. Nothing beyond this machine was run: that is planned on paper, by the model, with a network
as assumed below.
"""

from __future__ import annotations

import math
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1])]

from minigrad.workers import Threads, Workers  # noqa: E402
from minigrad.workers.cluster import Cluster  # noqa: E402
from minitransformer import Settings, Sizes, Training, Vocabulary  # noqa: E402
from minitransformer.training import parts as parts_of_batches  # noqa: E402
from minitransformer.training.threads import one_thread  # noqa: E402

STEPS = 3  # of which the median is taken
WORKERS, PARTS = (1, 2, 3, 4), (1, 2, 4, 8, 16)
SIZES: dict[str, dict[str, Any]] = {
    "tiny": {"width": 32, "heads": 2, "feed_forward": 64, "batch": 16, "length": 10},
    "mid": {"width": 256, "heads": 8, "feed_forward": 1024, "layers": 3, "batch": 32, "length": 32},
    "base": {
        "width": 512,
        "heads": 8,
        "feed_forward": 2048,
        "layers": 6,
        "batch": 16,
        "length": 32,
    },
}
# A network between machines, assumed: 25 Gbit/s, 20 microseconds a message.
LATENCY, BANDWIDTH = 20e-6, 25e9 / 8
# 175 billion parameters and batches of 3.2 million tokens (Brown et al., 2020), six operations for each
# weight and token, gradients of 2 bytes; each "machine" has 8 GPUs at 150 teraflop/s.
LARGE = {"bytes": 2 * 175e9, "work": 6 * 175e9 * 3.2e6 / (8 * 150e12), "parts": 1536}


class Noise:
    """Texts of random letters, all of one length."""

    name = "noise"
    source = target = Vocabulary.of_characters("abcdefghijklmnopqrstuvwxyz")

    def __init__(self, length: int):
        self.longest_source = self.longest_target = length

    def batch(self, step: int, size: int) -> list[tuple[str, str]]:
        letters = np.random.default_rng(step).integers(97, 123, (2 * size, self.longest_source))
        texts = ["".join(map(chr, row)) for row in letters]
        return list(zip(texts[:size], texts[size:], strict=True))


class Point(NamedTuple):
    """What was measured: seconds a step, those that threads computed (nan for processes), bytes sent."""

    seconds: float
    computed: float
    sent: float


def training(size: str) -> Training:
    given = dict(SIZES[size])
    batch, length, layers = given.pop("batch"), given.pop("length"), given.pop("layers", 1)
    task = Noise(length)
    N = len(task.source)
    sizes = Sizes(N, N, encoder_layers=layers, decoder_layers=layers, **given)
    return Training(task, sizes, Settings(batch=batch))


class Timed:
    """A job that notes how long it computes, in threads."""

    def __init__(self, job: Any):
        self.job, self.parameters, self.times = job, job.parameters, []  # type: ignore[var-annotated]

    def __call__(self, part: Any) -> Any:
        start = time.thread_time()
        result = self.job(part)
        self.times.append(time.thread_time() - start)
        return result


def measured(size: str, workers: Workers, parts: Sequence[int]) -> Iterator[Point]:
    """A point for each number of parts, after a step that is not counted."""
    run = training(size)
    run.workers = workers
    if isinstance(workers, Threads):
        run.job = Timed(run.job)  # type: ignore[assignment]
    run.step()
    for some in parts:
        run.settings = replace(run.settings, accumulate=some)
        times, computed, before = [], [], gathered(workers)
        for _ in range(STEPS):
            if isinstance(run.job, Timed):
                run.job.times.clear()
            start = time.perf_counter()
            run.step()
            times.append(time.perf_counter() - start)
            computed.append(sum(run.job.times) if isinstance(run.job, Timed) else math.nan)
        sent = (gathered(workers) - before) / STEPS
        if isinstance(workers, Cluster):
            sent += workers.count * gradient_bytes(run)  # the weights
        yield Point(statistics.median(times), statistics.median(computed), sent)


def gathered(workers: Workers) -> int:
    """The bytes that others have had from Dask's workers."""
    if not isinstance(workers, Cluster):
        return 0
    counts = workers.client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    return sum(counts.values())


def gradient_bytes(run: Training) -> int:
    return 4 * sum(p.size for p in run.job.parameters)


def seconds(work, parts, n, size, latency, bandwidth, way):
    """The model: a step with `n` workers, of gradients of `size` bytes, sent in one `way`."""
    messages, volume = {
        "central": (2 * n, 2 * n * size),
        "ring": (2 * (n - 1), 2 * size * (n - 1) / n),
        "tree": (2 * math.ceil(math.log2(n)), 2 * math.ceil(math.log2(n)) * size),
    }[way]
    return work * math.ceil(parts / n) / parts + messages * latency + volume / bandwidth


def constants(points):
    """Latency and seconds a byte between processes here: the non-negative least squares of what they
    take beyond the work."""
    rows, rest = [], []
    for (kind, n, parts), point in points.items():
        if kind == "processes":
            rows.append([n + 2 * parts, point.sent])
            rest.append(point.seconds - worked(points, n, parts))
    rows, rest = np.array(rows), np.array(rest)
    tries = []
    for used in ([0, 1], [0], [1]):
        found = np.zeros(2)
        found[used] = np.linalg.lstsq(rows[:, used], rest, rcond=None)[0]
        if (found >= 0).all():
            tries.append((np.square(rows @ found - rest).sum(), *found))
    return min(tries)[1:] if tries else (0.0, 0.0)


def worked(points, n, parts):
    """The seconds that so many workers compute, of which no more than the cores do at a time."""
    work = points["threads", 1, parts].seconds
    return work * math.ceil(parts / min(n, cores())) / parts


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def draw(size, points, found, cases, path):
    """The measured points with the model on them, and the model carried on."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (here, *others) = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
    most = max(parts for _, _, parts in points)
    for kind, colour in (("threads", "C0"), ("processes", "C1")):
        some = {n: p for (k, n, parts), p in sorted(points.items()) if (k, parts) == (kind, most)}
        here.plot(list(some), [p.seconds for p in some.values()], "o", color=colour, ms=8)
        model = [worked(points, n, most) for n in some]
        if kind == "processes":
            model = [s + found[0] * (n + 2 * most) + found[1] * p.sent
                     for s, (n, p) in zip(model, some.items())]  # fmt: skip
        here.plot(list(some), model, "--", color=colour)
        here.text(max(some) + 0.1, model[-1], f"{kind}", color=colour, va="center")
    here.set(
        title=f"{size}, {most} parts, {cores()} cores: measured, and by the model",
        xlabel="workers", ylabel="seconds a step", xticks=list(some), xlim=(0.8, max(some) + 1.2),
    )  # fmt: skip
    here.set_ylim(0)
    machines = np.unique(np.geomspace(1, 1000, 60).round().astype(int))
    for axes, (title, whole, parts, volume) in zip(others, cases):
        for way, colour in (("central", "C3"), ("tree", "C2"), ("ring", "C0")):
            times = [seconds(whole, parts, n, volume, LATENCY, BANDWIDTH, way) for n in machines]
            axes.plot(machines, times, color=colour, label=way)
            least = int(np.argmin(times))
            axes.plot(machines[least], times[least], "o", color=colour, ms=7)
        axes.plot(machines, [whole / n for n in machines], ":", color="grey", label="work / N")
        axes.set(
            title=f"{title}: on paper", xlabel="machines (dots: the quickest)", ylabel="seconds a step",
            xscale="log", yscale="log",
        )  # fmt: skip
        axes.legend(frameon=False)
    for axes in (here, *others):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)


def planned(cases):
    """A table: by the model, where more machines stop paying, and what would change that."""
    print(
        "\nOn paper, by the model: the machines (of up to 1,000) with which a step is quickest, and its"
    )
    print(
        "seconds; with more parts in proportion, a quarter of the bytes, or a sum every 8 steps\n"
    )
    print("| model | sum | quickest | twice the parts | a quarter of the bytes | every 8 steps |")
    print("|" + "---|" * 6)
    for name, whole, parts, volume in cases:
        for way in ("central", "tree", "ring"):
            row = [
                best(whole, parts, volume, way),
                best(2 * whole, 2 * parts, volume, way),
                best(whole, parts, volume / 4, way),
                best(8 * whole, 8 * parts, volume, way, steps=8),
            ]
            print(f"| {name} | {way} |", *(f"{n}: {t:.3g} s |" for t, n in row))


def best(whole, parts, volume, way, steps=1):
    """The seconds a step, and with how many machines, where it is quickest."""
    return min((seconds(whole, parts, n, volume, LATENCY, BANDWIDTH, way) / steps, n)
               for n in range(1, 1001))  # fmt: skip


def main() -> None:
    parts_of_batches.LARGE = math.inf  # as many parts as are asked for
    size = sys.argv[1] if len(sys.argv) > 1 else "mid"
    most_workers = int(sys.argv[2]) if len(sys.argv) > 2 else max(WORKERS)
    most_parts = int(sys.argv[3]) if len(sys.argv) > 3 else max(PARTS)
    parts = [p for p in PARTS if p <= most_parts]
    points: dict[tuple[str, int, int], Point] = {}
    print("| workers | kind | parts | s a step | waiting | MB sent |")
    print("|" + "---|" * 6)
    for kind, made in (("threads", Threads), ("processes", lambda n: Cluster(count=n))):
        for n in (n for n in WORKERS if n <= most_workers):
            with made(n) as workers, one_thread():
                for some, point in zip(parts, measured(size, workers, parts)):
                    points[kind, n, some] = point
                    computed = points["threads", 1, some].computed  # processes compute the same
                    waiting = max(0, 1 - computed / (n * point.seconds))
                    row = f"| {n} | {kind} | {some} | {point.seconds:.3f} | {waiting:.0%} |"
                    print(row, f"{point.sent / 1e6:.1f} |", flush=True)
    found = constants(points)
    rate = f"{1e-9 / found[1]:.2f} GB/s" if found[1] else "no time for bytes"
    print(f"\nbetween processes here: {found[0] * 1e3:.2f} ms a message, {rate}")
    work, volume = points["threads", 1, parts[-1]].seconds, gradient_bytes(training(size))
    cases = [
        (f"{size}, 1,000 parts", work * 1000 / parts[-1], 1000, volume),
        ("175 billion parameters", LARGE["work"], LARGE["parts"], LARGE["bytes"]),
    ]
    planned(cases)
    if len(sys.argv) < 3:
        draw(size, points, found, cases, HERE / f"workers-{size}.svg")


if __name__ == "__main__":
    main()
