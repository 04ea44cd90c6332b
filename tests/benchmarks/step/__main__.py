"""The time of one training step of the encoder-decoder transformer, against others.

    python tests/benchmarks/step                    all sizes, and keeps the table in step.md
    python tests/benchmarks/step lesson course      these sizes only, and keeps nothing
    python tests/benchmarks/step --busy mid         beside a process that keeps one core busy

A step is the forward pass, the mean cross-entropy, the backward pass and Adam, in float32. All start
from the same weights, and must report the same losses for the first three steps to 1e-4. Each runs in
a process of its own, and they take turns, with a pause after each: for a while the worker threads of
the last one still wait for more, and keep a core busy (without the pause, the first step of a turn
took three times as long as the others). "minigrad" has its loss given to `mg.compile`, as the trainer
has, "uncompiled" has not; "2 threads" is minigrad with half of the batch in each of two threads; "2
threads to PyTorch" is its time as a part of PyTorch's. The share of sgemm is what of the rate at which
this machine multiplies large float32 matrices, measured between the turns, the faster of both reaches
with its products. JAX has the whole step, Adam with it, in one function compiled by XLA. HIPS autograd,
JAX and PyTorch are left out where they are not installed.
"""

import contextlib
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[2]), str(HERE)]

from contenders import CONTENDERS  # noqa: E402
from machine import blas, cpu, sgemm  # noqa: E402

import minigrad as mg  # noqa: E402
from minitransformer import Sizes, Transformer  # noqa: E402

PAUSE = 0.2  # seconds
NEEDS = {
    "pytorch": "torch", "hips_autograd": "autograd", "jax_jit": "jax", "two_threads": "threadpoolctl"
}  # fmt: skip
SIZES = {  # vocabulary, width, heads, feed-forward, layers, batch, source, target; turns, steps
    "lesson": (32, 32, 2, 64, 1, 16, 10, 10, 30, 10),
    "course": (64, 64, 4, 256, 2, 32, 24, 12, 20, 4),
    "mid": (512, 256, 8, 1024, 3, 32, 32, 32, 8, 1),
    "base": (4000, 512, 8, 2048, 6, 16, 32, 32, 5, 1),
}


def prepare(folder, vocabulary, width, heads, feed_forward, layers, batch, source, target):
    """Weights, one batch, and the sizes, for every contender to read."""
    mg.manual_seed(0)
    sizes = {
        "source_symbols": vocabulary, "target_symbols": vocabulary, "width": width,
        "heads": heads, "feed_forward": feed_forward,
        "encoder_layers": layers, "decoder_layers": layers,
    }  # fmt: skip
    np.savez(folder / "weights.npz", **Transformer(Sizes(**sizes)).state_dict())
    draw = np.random.default_rng(0).integers
    written = draw(3, vocabulary, (batch, target + 1))
    np.savez(
        folder / "batch.npz",
        source=draw(3, vocabulary, (batch, source)),
        read=written[:, :-1],
        write=written[:, 1:],
    )
    (folder / "sizes.json").write_text(json.dumps(sizes))


def ask(process, what):
    process.stdin.write(f"{what}\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise SystemExit(f"a contender stopped: {process.args}")
    return json.loads(answer)


def measure(size):
    """Seconds per step and peak memory in MB, by contender."""
    *shape, turns, steps = SIZES[size]
    names = [n for n in CONTENDERS if n not in NEEDS or importlib.util.find_spec(NEEDS[n])]
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), *shape)
        running = {
            name: subprocess.Popen(
                [sys.executable, str(HERE / "contenders.py"), name, folder],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "PYTHONPATH": str(HERE.parents[2])},
            )
            for name in names
        }  # fmt: skip
        first = {name: [loss for _, loss in ask(p, 3)] for name, p in running.items()}
        for name, losses in first.items():
            if not np.allclose(losses, first["by_hand"], atol=1e-4, rtol=0):
                raise SystemExit(f"{size}: {name} has the losses {losses}, not {first['by_hand']}")
        times = {name: [] for name in names}
        rates = []
        for _ in range(turns):
            time.sleep(PAUSE)
            rates.append(sgemm())
            for name, process in running.items():
                time.sleep(PAUSE)
                times[name] += [seconds for seconds, _ in ask(process, steps)]
        memory = {name: ask(process, "memory") for name, process in running.items()}
        for process in running.values():
            process.communicate()
    seconds = {name: statistics.median(t) for name, t in times.items()}
    return seconds, memory, operations(*shape) / statistics.median(rates)


def operations(N, D, heads, F, layers, B, S, T):
    """Additions and multiplications in the products of a step; the walk back takes two for each one."""
    encoder = S * (4 * D * D + 2 * D * F + 2 * S * D)
    decoder = T * (8 * D * D + 2 * D * F + 2 * (S + T) * D)
    return 3 * 2 * B * (layers * (encoder + decoder) + T * D * N)


@contextlib.contextmanager
def busy():
    """A process that keeps one core busy meanwhile."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def main():
    chosen = [name for name in sys.argv[1:] if name != "--busy"] or list(SIZES)
    lines = [
        "| size | minigrad, ms | uncompiled, ms | 2 threads, ms | by hand, ms | PyTorch, ms | JAX, ms "
        "| autograd, ms | to uncompiled | to 2 threads | to by hand | to PyTorch | to JAX | to autograd "
        "| 2 threads to PyTorch "
        "| share of sgemm | minigrad, MB | uncompiled, MB | 2 threads, MB | PyTorch, MB |",
        "|" + "---|" * 20,
    ]
    print("\n".join(lines), flush=True)
    for size in chosen:
        with busy() if "--busy" in sys.argv else contextlib.nullcontext():
            seconds, memory, at_best = measure(size)
        ours = seconds["minigrad"]

        def ms(name):
            return f"{seconds[name] * 1e3:.2f}" if name in seconds else "-"

        def ratio(one, other):
            there = one in seconds and other in seconds
            return f"{seconds[one] / seconds[other]:.2f}" if there else "-"

        row = [size, *map(ms, CONTENDERS)]
        row += [ratio("minigrad", other) for other in list(CONTENDERS)[1:]]
        row.append(ratio("two_threads", "pytorch"))
        row.append(f"{at_best / min(ours, seconds.get('two_threads', ours)):.0%}")
        row += [
            f"{memory[n]:.0f}" if n in memory else "-"
            for n in ("minigrad", "uncompiled", "two_threads", "pytorch")
        ]
        lines.append(f"| {' | '.join(row)} |")
        print(lines[-1], flush=True)
    if not sys.argv[1:]:
        about = f"{cpu()}, {os.cpu_count()} cores; Python {platform.python_version()}, "
        about += f"NumPy {np.__version__}; {blas()}"
        text = f"# One training step\n\n{__doc__}\n{about}. Medians, all in one run.\n\n"
        (HERE.parent / "step.md").write_text(text + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
