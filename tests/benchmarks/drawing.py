"""How long a large graph takes to be drawn: its DOT text, the layout, and the SVG.

    python tests/benchmarks/drawing.py

Processor time, Graphviz's own included. A chain folds into one pattern and modules into boxes; a graph
without a pattern is cut to what can be drawn.
"""

import os
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

import minigrad as mg
from minigrad import functional as F
from minigrad import nn


def chain(operations):
    x = mg.Tensor([0.5, 1.5], requires_grad=True)
    for _ in range(operations // 2):
        x = np.tanh(x) * 0.5
    return np.sum(x)


def no_pattern(operations):
    rng = np.random.default_rng(0)
    made = [mg.Tensor(float(i), requires_grad=True) for i in range(300)]
    functions = np.minimum, np.maximum, np.hypot, np.arctan2
    for f, i, j in zip(*(rng.integers(n, size=operations).tolist() for n in (4, 300, 300))):
        made.append(functions[f](made[-1 - i], made[-1 - j]))
    return made[-1]


def modules(operations):
    class Block(nn.Module):
        def __init__(self, inner):
            self.up, self.down = nn.Linear(4, inner), nn.Linear(inner, 4)

        def forward(self, x):
            return x + self.down(F.relu(self.up(x)))

    x = mg.Tensor(np.ones((2, 4)), requires_grad=True)
    with mg.record():
        for i in range(operations // 6):
            x = Block(4 + i % 5)(x)
    return np.sum(x)


def main():
    for make, operations in (
        (chain, 10_000), (chain, 100_000), (no_pattern, 130_000), (modules, 100_000),
    ):  # fmt: skip
        graph = mg.graph(make(operations))
        start = sum(os.times()[:4])
        graph.draw().svg()
        seconds = sum(os.times()[:4]) - start
        name = make.__name__.replace("_", " ")
        print(f"{name:10} {len(graph):7,} nodes {seconds:5.2f} s", flush=True)


if __name__ == "__main__":
    main()
