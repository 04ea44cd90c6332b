"""How the time of a training step grows with the model: with its layers, its width, the length.

    python tests/benchmarks/growth.py        prints a table, and keeps the plot in growth.svg

Beside the seconds stands the work: the floating-point operations of the forward pass, counted in
the graph, and which share of them compares queries and keys. These grow with the square of the
length, and each takes longer: they are many small products, and exponentials. What an operation of
either kind takes is found where there is most of it, at the greatest width and the greatest length,
and the line in the plot is what the work of each size would take by that. Time above it is paid for
what does not grow; no time may grow faster than the line. The sizes of a series take turns, as a
machine's speed can change while they run.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import statistics
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

import minigrad as mg  # noqa: E402
from minigrad.functional import cross_entropy  # noqa: E402
from minitransformer import Sizes, Transformer  # noqa: E402

SYMBOLS, BATCH = 64, 16
AT_FIRST = {"layers": 1, "width": 64, "length": 16}
SERIES = {
    "layers": [1, 2, 4, 8, 16],
    "width": [32, 64, 128, 256, 512],
    "length": [8, 16, 32, 64, 128, 256],
}
TURNS = 9


def step_of(layers, width, length):
    """A function that takes one training step; the operations of its forward pass, and which share of
    them is attention."""
    mg.manual_seed(0)
    model = Transformer(
        Sizes(
            source_symbols=SYMBOLS, target_symbols=SYMBOLS, width=width, heads=4,
            feed_forward=4 * width, encoder_layers=layers, decoder_layers=layers,
        )
    )  # fmt: skip
    optimizer = mg.optim.Adam(model.parameters())
    draw = np.random.default_rng(0).integers
    source = draw(3, SYMBOLS, (BATCH, length))
    text = draw(3, SYMBOLS, (BATCH, length + 1))

    @mg.compile
    def loss(source, read, write):
        return cross_entropy(model(source, read), write)

    def step():
        optimizer.zero_grad()
        loss(source, text[:, :-1], text[:, 1:]).backward()
        optimizer.step()

    with mg.record():
        summary = mg.graph(loss(source, text[:, :-1], text[:, 1:])).summary()
    whole = sum(r.flops for r in summary.by_module if r.name.endswith("_attention"))
    linear = sum(r.flops for r in summary.by_module if "_attention." in r.name)
    squares = whole - linear
    return step, summary.total.flops, squares / summary.total.flops


def measured(name):
    """(size, seconds, operations, share) for each size of a series: the median of several steps."""
    made = {n: step_of(**{**AT_FIRST, name: n}) for n in SERIES[name]}
    times = {n: [] for n in made}
    for step, *_ in made.values():
        for _ in range(3):  # which make its program
            step()
    for _ in range(TURNS):
        for n, (step, _, _) in made.items():
            step()  # the caches are another size's
            start = time.perf_counter()
            step()
            times[n].append(time.perf_counter() - start)
    return [(n, statistics.median(times[n]), *rest) for n, (_, *rest) in made.items()]


def costs(found):
    """Seconds for an operation of the linear maps and the like, and for one of attention."""
    (_, t1, work1, share1), (_, t2, work2, share2) = found["width"][-1], found["length"][-1]
    kinds = np.array([[1 - share1, share1], [1 - share2, share2]])
    return np.linalg.solve(kinds * [[work1], [work2]], [t1, t2])


def plot(found):
    from matplotlib.figure import Figure

    from minigrad.views.plots import BLUE, GREY

    linear, attention = costs(found)
    figure = Figure((9.5, 3.4), layout="constrained")
    for ax, (name, rows) in zip(figure.subplots(1, len(found), sharey=True), found.items()):
        sizes, seconds, work, share = map(np.array, zip(*rows))
        ax.loglog(sizes, seconds * 1e3, "o-", color=BLUE, label="measured")
        least = work * ((1 - share) * linear + share * attention)
        ax.loglog(sizes, least * 1e3, "--", color=GREY, label="the work alone")
        ax.set_xticks(sizes, [str(n) for n in sizes])
        ax.minorticks_off()
        ax.set_xlabel(
            {"layers": "layers on each side", "length": "symbols on each side"}.get(name, name)
        )
    figure.axes[0].set_ylabel("a training step (ms)")
    figure.axes[0].legend(frameon=False)
    return figure


def main():
    found = {}
    print("| | size | ms a step | million operations forward | of attention | ns an operation |")
    print("|---|---|---|---|---|---|")
    for name in SERIES:
        found[name] = measured(name)
        for n, seconds, work, share in found[name]:
            print(
                f"| {name} | {n} | {seconds * 1e3:.1f} | {work / 1e6:.1f} | {share:.0%} "
                f"| {seconds / work * 1e9:.3f} |"
            )
    linear, attention = costs(found) * 1e9
    print(f"\nan operation of attention takes {attention:.2f} ns, another {linear:.2f} ns")
    plot(found).savefig(HERE / "growth.svg")


if __name__ == "__main__":
    main()
