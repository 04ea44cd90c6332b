"""How the time of a training step falls with the number of workers, and what it would be with many more.

    python tests/benchmarks/workers.py               threads and processes, 1 to 4, in 1 to 16 parts
    python tests/benchmarks/workers.py mid 2 4       a size, the most workers, the most parts

Measured for each: seconds a step; bytes that are sent, weights to every worker and a gradient from
every sum; and the share of the workers' time in which they do not compute (processes are taken to
compute as long as one thread does). The model of cost is

    work / min(workers, parts) + sums + sending,        sending = messages x latency + bytes / bandwidth

where work, latency and bandwidth are measured in the same run. Sending is that of a central sum (all
gradients go through one machine, as here), of a ring (Patarasuk & Yuan, 2009: 2 (N - 1) messages, twice
the gradient in all), or of a tree (2 log2 N messages, each of a whole gradient). It is drawn with the
measured points and carried on to 1,000 machines, for the size measured and for a model of 175 billion
parameters. Nothing beyond this machine was run: that part is the model, with a network as assumed below.
"""

from __future__ import annotations

import math
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1])]

from minigrad.cluster import Cluster  # noqa: E402
from minigrad.workers import Threads, Workers  # noqa: E402
from minitransformer import Settings, Sizes, Training, Vocabulary  # noqa: E402
from minitransformer.training import parts as parts_of_batches  # noqa: E402

STEPS = 3  # of which the median is taken, after one that is not counted
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


def training(size: str, parts: int) -> Training:
    given = dict(SIZES[size])
    batch, length, layers = given.pop("batch"), given.pop("length"), given.pop("layers", 1)
    task = Noise(length)
    N = len(task.source)
    sizes = Sizes(N, N, encoder_layers=layers, decoder_layers=layers, **given)
    return Training(task, sizes, Settings(batch=batch, accumulate=parts))


class Timed:
    """A job that notes how long it computes, in threads."""

    def __init__(self, job: Any):
        self.job, self.parameters, self.seconds = job, job.parameters, 0.0

    def __call__(self, part: Any) -> Any:
        start = time.thread_time()
        result = self.job(part)
        self.seconds += time.thread_time() - start
        return result


def measured(size: str, workers: Workers, count: int, parts: int) -> tuple[float, float, int]:
    """Seconds a step, those computed by all threads (nan for processes), and the bytes sent."""
    run = training(size, parts)
    run.workers = workers
    threads = isinstance(workers, Threads)
    if threads:
        run.job = Timed(run.job)  # type: ignore[assignment]
    run.step()
    times, computed = [], []
    for _ in range(STEPS):
        before = getattr(run.job, "seconds", math.nan)
        start = time.perf_counter()
        run.step()
        times.append(time.perf_counter() - start)
        computed.append(getattr(run.job, "seconds", math.nan) - before)
    sent = 0 if threads else gradient_bytes(size) * (count + parts)
    return statistics.median(times), statistics.median(computed), sent


def gradient_bytes(size: str) -> int:
    return 4 * sum(p.size for p in training(size, 1).job.parameters)


def seconds(work, parts, n, size, latency, bandwidth, way):
    """The model: a step with `n` workers, of gradients of `size` bytes, sent in one `way`."""
    messages, volume = {
        "central": (2 * n, 2 * n * size),
        "ring": (2 * (n - 1), 2 * size * (n - 1) / n),
        "tree": (2 * math.ceil(math.log2(n)), 2 * math.ceil(math.log2(n)) * size),
    }[way]
    return work * math.ceil(parts / n) / parts + messages * latency + volume / bandwidth


def constants(points, size):
    """Latency and bandwidth between processes here, by least squares from what is beyond the work."""
    rows, rest = [], []
    work = {
        parts: s for (kind, n, parts), (s, _, _) in points.items() if kind == "threads" and n == 1
    }
    for (kind, n, parts), (s, _, sent) in points.items():
        if kind == "processes":
            rows.append([n + 2 * parts, sent])
            rest.append(max(s - work[parts] * math.ceil(parts / min(n, cores())) / parts, 0))
    latency, by_byte = np.linalg.lstsq(np.array(rows, float), np.array(rest), rcond=None)[0]
    return max(latency, 1e-6), 1 / max(by_byte, 1e-12)


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def draw(size, points, found, path):
    """The measured points with the model on them, and the model carried on."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (here, there, large) = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
    most = max(parts for _, _, parts in points)
    for kind, colour in (("threads", "C0"), ("processes", "C1")):
        some = [
            (n, s)
            for (k, n, parts), (s, _, _) in sorted(points.items())
            if (k, parts) == (kind, most)
        ]
        here.plot(*zip(*some), "o", color=colour, label=f"{kind}, measured")
    work = points["threads", 1, most][0]
    bytes_of = gradient_bytes(size)
    counts = range(1, max(n for _, n, _ in points) + 1)
    beside = [min(n, cores()) for n in counts]
    model = [seconds(work, most, n, 0, 0, 1, "ring") for n in beside]
    here.plot(counts, model, "--", color="C0", label="model, nothing sent")
    model = [s + found[0] * (n + 2 * most) + bytes_of * (n + most) / found[1]
             for n, s in zip(counts, model)]  # fmt: skip
    here.plot(counts, model, "--", color="C1", label="model, with what is sent")
    here.set(
        title=f"{size}, {most} parts, {cores()} cores", xlabel="workers", ylabel="seconds a step"
    )
    machines = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]
    cases = (
        (there, f"{size}, 1,000 parts (not run)", work * 1000 / most, 1000, bytes_of),
        (large, "175 billion parameters (not run)", LARGE["work"], LARGE["parts"], LARGE["bytes"]),
    )
    for axes, title, whole, parts, volume in cases:
        for way in ("central", "ring", "tree"):
            axes.plot(
                machines,
                [seconds(whole, parts, n, volume, LATENCY, BANDWIDTH, way) for n in machines],
                label=way,
            )
        axes.plot(machines, [whole / n for n in machines], ":", color="grey", label="work / N")
        axes.set(title=title, xlabel="machines", xscale="log", yscale="log")
    for axes in (here, there, large):
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)


def best(whole, parts, volume, way, factor=1.0):
    """The number of machines, up to 1,000, at which a step is fastest, and its time."""
    return min((seconds(whole, parts, n, volume * factor, LATENCY, BANDWIDTH, way), n)
               for n in range(1, 1001))  # fmt: skip


def main() -> None:
    parts_of_batches.LARGE = math.inf  # as many parts as are asked for
    size = sys.argv[1] if len(sys.argv) > 1 else "mid"
    most_workers = int(sys.argv[2]) if len(sys.argv) > 2 else max(WORKERS)
    most_parts = int(sys.argv[3]) if len(sys.argv) > 3 else max(PARTS)
    points: dict[tuple[str, int, int], tuple[float, float, int]] = {}
    print("| workers | kind | parts | s a step | waiting | MB sent |")
    print("|---|---|---|---|---|---|")
    for kind, made in (("threads", Threads), ("processes", lambda n: Cluster(count=n))):
        for n in (n for n in WORKERS if n <= most_workers):
            with made(n) as workers:
                for parts in (p for p in PARTS if p <= most_parts):
                    found = points[kind, n, parts] = measured(size, workers, n, parts)
                    computed = points["threads", 1, parts][1]  # processes compute the same
                    waiting = max(0, 1 - computed / (n * found[0]))
                    row = f"| {n} | {kind} | {parts} | {found[0]:.3f} | {waiting:.0%} |"
                    print(row, f"{found[2] / 1e6:.1f} |", flush=True)
    latency, bandwidth = constants(points, size)
    print(f"\nbetween processes here: {latency * 1e3:.2f} ms a message, {bandwidth / 1e9:.2f} GB/s")
    work, volume = points["threads", 1, most_parts][0], gradient_bytes(size)
    cases = [(size, work * 1000 / most_parts, 1000, volume),
             ("175 billion parameters", LARGE["work"], LARGE["parts"], LARGE["bytes"])]  # fmt: skip
    print("\nBy the model, not run: machines at which a step is fastest, and its seconds")
    for name, whole, parts, bytes_of in cases:
        for way in ("central", "ring", "tree"):
            s, n = best(whole, parts, bytes_of, way)
            more = {
                "twice the parts": best(2 * whole, 2 * parts, bytes_of, way),
                "a quarter of the bytes": best(whole, parts, bytes_of, way, 0.25),
                "a sum every 8 steps, a step": best(8 * whole, 8 * parts, bytes_of, way),
            }
            others = "; ".join(
                f"{what}: {m}, {t / (8 if '8' in what else 1):.3g} s"
                for what, (t, m) in more.items()
            )
            print(f"  {name}, {way}: {n}, {s:.3g} s; {others}")
    if len(sys.argv) < 3:
        draw(size, points, (latency, bandwidth), HERE / f"workers-{size}.svg")


if __name__ == "__main__":
    main()
