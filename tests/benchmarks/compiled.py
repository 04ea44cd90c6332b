"""One training step compiled, against the same step uncompiled, in one process.

    python tests/benchmarks/compiled.py                 all sizes
    python tests/benchmarks/compiled.py lesson course   these
    python tests/benchmarks/compiled.py --exact mid     without rewritings too

A step is the forward pass, the mean cross-entropy, the backward pass and Adam, in float32. The ways
take turns, in blocks; in brackets is the median of the ratios to that, each within a block. A block
in which the machine multiplied large matrices at less than 0.9 of its best rate is left out: something
else ran. The core is the one that OpenBLAS chose for this processor, or was told to by
OPENBLAS_CORETYPE: the figures depend on it.
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent / "step")]

from machine import blas, cpu, sgemm  # noqa: E402

import minigrad as mg  # noqa: E402
from minigrad.functional import cross_entropy  # noqa: E402
from minitransformer import Sizes, Transformer  # noqa: E402

BLOCKS = 15
SIZES = {  # as in the benchmark `step`; and steps in a block
    "lesson": (32, 32, 2, 64, 1, 16, 10, 10, 20),
    "course": (64, 64, 4, 256, 2, 32, 24, 12, 6),
    "mid": (512, 256, 8, 1024, 3, 32, 32, 32, 1),
    "base": (4000, 512, 8, 2048, 6, 16, 32, 32, 1),
}


def ways(size, exact):
    """Functions that take one training step each, by name; and the seconds that making a plan took."""
    vocabulary, width, heads, feed_forward, layers, batch, source, target, _ = SIZES[size]
    draw = np.random.default_rng(0).integers
    written = draw(3, vocabulary, (batch, target + 1))
    read, write = written[:, :-1].copy(), written[:, 1:].copy()
    words = draw(3, vocabulary, (batch, source))

    def training(compiling=None):
        mg.manual_seed(0)
        sizes = {"width": width, "heads": heads, "feed_forward": feed_forward}
        sizes |= {"source_symbols": vocabulary, "target_symbols": vocabulary}
        model = Transformer(Sizes(**sizes, encoder_layers=layers, decoder_layers=layers))
        optimizer = mg.optim.Adam(model.parameters(), 1e-4)
        loss_of = lambda words, read, write: cross_entropy(
            model(words, read), write, ignore_index=0
        )
        loss_of = loss_of if compiling is None else compiling(loss_of)

        def step():
            optimizer.zero_grad()
            loss = loss_of(words, read, write)
            loss.backward()
            optimizer.step()
            return loss.item()

        return step

    found = {"uncompiled": training(), "compiled": training(mg.compile)}
    if exact:
        found["compiled, exact"] = training(lambda f: mg.compile(f, exact=True))
    losses = {name: [step(), step()] for name, step in found.items()}
    start = time.perf_counter()
    losses["compiled"].append(found["compiled"]())
    plan = time.perf_counter() - start
    for name, step in found.items():
        losses[name] += [step() for _ in range(4 - len(losses[name]))]
        if not np.allclose(losses[name], losses["uncompiled"], atol=1e-3, rtol=0):
            raise SystemExit(
                f"{size}: {name} has the losses {losses[name]}, not {losses['uncompiled']}"
            )
    return found, plan


def measure(size, exact):
    """Milliseconds and ratios to that, by name; the blocks that count, and the plan's seconds."""
    found, plan = ways(size, exact)
    blocks = []
    for _ in range(BLOCKS):
        seconds = {}
        for name, step in found.items():
            times = []
            for _ in range(SIZES[size][-1]):
                start = time.perf_counter()
                step()
                times.append(time.perf_counter() - start)
            seconds[name] = statistics.median(times)
        blocks.append((sgemm(), seconds))
    best = max(rate for rate, _ in blocks)
    counted = [seconds for rate, seconds in blocks if rate >= 0.9 * best]
    ms = {name: statistics.median(s[name] for s in counted) * 1e3 for name in found}
    ratios = {name: statistics.median(s[name] / s["uncompiled"] for s in counted) for name in found}
    return ms, ratios, len(counted), plan, best


def main():
    exact = "--exact" in sys.argv
    chosen = [name for name in sys.argv[1:] if name in SIZES] or list(SIZES)
    print(f"{cpu()}; NumPy {np.__version__}; {blas()}", flush=True)
    for size in chosen:
        ms, ratios, counted, plan, best = measure(size, exact)
        each = ", ".join(f"{name} {ms[name]:.2f} ms ({ratios[name]:.2f})" for name in ms)
        print(
            f"{size}: {each}; plan {plan:.2f} s; {counted} of {BLOCKS} blocks, "
            f"sgemm {best / 1e9:.0f} GFLOP/s",
            flush=True,
        )


if __name__ == "__main__":
    main()
