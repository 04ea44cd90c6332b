"""Small graphs to be walked by hand, in whole numbers.

    for walk in walks("08", np.random.default_rng(7)):
        walk.program, walk.graph, walk.steps

A graph is that of a program which has run; so are its numbers, and those of the key.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...engine.tensor import Tensor
from ...ran.loop import record
from ...views.graph import Graph, graph
from ...views.text.steps import steps

LARGEST_BY_HAND = 99  # a number that one writes by hand
COUNTS = 4, 5  # operations of the graphs of numbers
NAMES = "uvwz"  # of what is computed on the way


@dataclass(frozen=True)
class Walk:
    """A program, and what came of it.

    Attributes:
        program: its lines; the last one computes L.
        graph: of L, with all values and gradients.
        steps: the way back, as text.
    """

    program: str
    graph: Graph
    steps: list[str]


class Template(NamedTuple):
    """A program of arrays.

    Attributes:
        lesson: the first whose worksheet may have it.
        text: the program.
        shapes: of what it begins with; of one whose shapes are asked for, a letter for each axis.
    """

    lesson: str
    text: str
    shapes: Mapping[str, Any]


BY_HAND = [
    Template("02", "Y = X @ W + b\nL = np.sum(Y * Y)", {"X": (2, 2), "W": (2, 2), "b": (2,)}),
    Template("02", "R = E[ids]\nL = np.sum(R * R)", {"E": (3, 2), "ids": (3,)}),
    Template("03", "d = x - y\nL = np.sum(d * d * x)", {"x": (3,), "y": (3,)}),
    Template("06", "c = a @ V\nL = np.sum(c * q)", {"a": (3,), "V": (3, 2), "q": (2,)}),
    Template("07", "S = X @ X.T\nY = S @ X\nL = np.sum(Y)", {"X": (2, 2)}),
    Template(
        "08", "S = Q @ K.T\nY = S @ V\nL = np.sum(Y)", {"Q": (1, 2), "K": (2, 2), "V": (2, 2)}
    ),
    Template(
        "10", "Z = E + P\nY = Z @ W\nL = np.sum(Y * Z)", {"E": (2, 2), "P": (2, 2), "W": (2, 2)}
    ),
    Template(
        "11", "H = np.maximum(X @ W, 0)\nY = X + H\nL = np.sum(Y * Y)", {"X": (2, 2), "W": (2, 2)}
    ),
]
SHAPES = [
    Template(
        "01",
        "Y = X * w\nZ = Y + b\nm = np.mean(Z, axis=0)\nL = np.sum(m * m)",
        {"X": "BD", "w": "D", "b": "B1"},
    ),
    Template(
        "02",
        "Y = X @ W\nZ = Y + b\nm = np.mean(Z, axis=1, keepdims=True)\nD = Z - m\nL = np.sum(D * D)",
        {"X": "BD", "W": "DF", "b": "F"},
    ),
    Template(
        "08",
        "S = Q @ np.swapaxes(K, 1, 2)\nY = S @ V\nZ = Y @ W\nL = np.sum(Z)",
        {"Q": "BTK", "K": "BSK", "V": "BSV", "W": "VD"},
    ),
    Template(
        "09",
        "Y = X @ W\nR = np.reshape(Y, ({B}, {T}, {H}, {K}))\nG = np.swapaxes(R, 1, 2)\n"
        "S = G @ np.swapaxes(G, 2, 3)\nO = S @ G\nL = np.sum(O)",
        {"X": "BTD", "W": "DD"},
    ),
]  # fmt: skip


def run_program(program: str, leaves: Mapping[str, np.ndarray]) -> Walk:
    """Run a program on arrays, forward and back; those of floats get gradients."""
    space: dict[str, Any] = {"np": np}
    for name, array in leaves.items():
        learns = array.dtype.kind == "f"
        space[name] = Tensor(array, requires_grad=True, name=name) if learns else array
    with record():
        exec(compile(program, "worksheet", "exec"), space)
        loss = space["L"]
        way_back = [str(step) for step in steps(loss)]
        loss.backward()
    drawn = graph(loss)
    drawn.nodes[-1].variable = "L"  # no line is left that would find the variable
    return Walk(program, drawn, way_back)


def walks(lesson: str, rng: np.random.Generator) -> list[Walk]:
    """Two graphs of numbers and, from lesson 02 on, one or two of arrays."""
    fitting = [template for template in BY_HAND if template.lesson <= lesson][-3:]
    picked = [fitting[k] for k in sorted(rng.permutation(len(fitting))[:2])]
    return [
        *(_handy(functools.partial(_of_numbers, rng, count)) for count in COUNTS),
        *(_handy(functools.partial(_of_arrays, rng, template)) for template in picked),
    ]


def shapes(lesson: str, rng: np.random.Generator) -> list[Walk]:
    """Two graphs whose shapes are to be filled in."""
    fitting = [template for template in SHAPES if template.lesson <= lesson][-2:]
    return [_of_shapes(rng, template) for template in fitting]


def _handy(draw: Callable[[], Walk]) -> Walk:
    """The first walk drawn whose numbers are whole, small, rarely 0, and never at a kink."""
    while True:
        walk = draw()
        arrays = [
            array for n in walk.graph.nodes for array in (n.value, n.gradient) if array is not None
        ]
        every = np.concatenate([np.ravel(array) for array in arrays])
        at_a_kink = any(
            n.function is np.maximum and not np.all(walk.graph[n.arguments[0].number].value)
            for n in walk.graph.nodes
        )
        whole = (
            not at_a_kink
            and np.array_equal(every, np.round(every))
            and abs(every).max() <= LARGEST_BY_HAND
        )
        if whole and np.mean(every == 0) < 0.2:
            return walk


def _of_numbers(rng: np.random.Generator, count: int) -> Walk:
    """A program of `count` operations on three numbers, in which what was computed is used twice."""
    while True:
        names, lines = ["a", "b", "c"], []
        for name in [*NAMES[: count - 1], "L"]:
            x, y = rng.choice(names, 2)
            lines.append(f"{name} = {x} {rng.choice(['*', '*', '+', '-'])} {y}")
            names.append(str(name))
        text = "\n".join(lines)
        right = " ".join(line.partition("= ")[2] for line in lines)
        uses = [len(re.findall(rf"\b{name}\b", right)) for name in names[:-1]]
        if min(uses) >= 1 and max(uses[3:]) >= 2 and not re.search(r"\b(\w) - \1\b", right):
            return run_program(text, {name: _whole(rng, ()) for name in "abc"})


def _of_arrays(rng: np.random.Generator, template: Template) -> Walk:
    """A program of arrays in whole numbers."""
    shapes = template.shapes
    leaves: dict[str, np.ndarray] = {name: _whole(rng, shape) for name, shape in shapes.items()}
    if "ids" in leaves:
        leaves["ids"] = rng.integers(len(leaves["E"]), size=shapes["ids"])
    return run_program(template.text, leaves)


def _whole(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Whole numbers from -3 to 4, mostly above 0, and never 0: float32."""
    choices = np.array([-3, -2, -1, 1, 1, 2, 2, 3, 3, 4], np.float32)
    return rng.choice(choices, shape)


def _of_shapes(rng: np.random.Generator, template: Template) -> Walk:
    """A program of arrays whose lengths are drawn, each letter another one; D is H times K."""
    _, text, shapes = template
    lengths = dict(zip("BTSKVFH", map(int, rng.permutation(np.arange(2, 9)))))
    lengths |= {"1": 1, "D": lengths["H"] * lengths["K"] if "{H}" in text else 9}
    shape = lambda letters: tuple(lengths[letter] for letter in letters)
    leaves = {name: np.ones(shape(letters), np.float32) for name, letters in shapes.items()}
    return run_program(text.format(**lengths) if "{" in text else text, leaves)
