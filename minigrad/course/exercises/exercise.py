"""An exercise as data, and what its author writes it with."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...views.graph import Graph
from .recipes import made_again

SIZES = (1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4)  # of the inputs drawn, the smallest first
LIBRARY = ("minigrad", "minitransformer")


class Mistake(NamedTuple):
    """A wrong solution, and in a sentence what whoever writes it has not understood yet."""

    function: Callable
    says: str


@dataclass(frozen=True, eq=False)
class Case:
    """Inputs that can be made again and again, so that a function may do with them what it will."""

    inputs: Callable[[], tuple]
    drawn: bool  # afresh; not the example of the docstring


@dataclass(eq=False)
class Exercise:
    """A function to be written.

    Attributes:
        solution: one that is right.
        draw: (generator, size) -> the arguments, as a tuple. Called again with an equal generator,
            it draws the same.
        truth: the right answer for these arguments, found in another way than by the solution: by
            the library, by finite differences, or written out.
        hints: the first gives the least away.
        worked: an example step by step: the arguments, and a line a step, in which each `{expression}`
            is shown with its value. It knows the arguments by their names, and what was named before
            as in `{e := np.exp(x)}`; the last one is the answer.
        points: what it counts in a course.
        without: modules and functions of the library that may not do the work.
        key: (answer, *arguments) -> what of an answer is compared, where several answers are right;
            else the answer itself. Of an order of nodes, the pairs that are the wrong way round.
        properties: sentences, each with a function (f, *arguments) that says whether it is true.
        picture: (arguments, given, right) -> a graph with the offending node marked, or None.
        sizes: what `draw` is called with.
        through: what makes of the function what is asked in its place, as "file.name" of a file beside
            the exercises; "": the function itself is asked. "engines.asked" makes of `engine`, which
            gives classes, a function that is asked for gradients.
        whole: the text of a solution that is longer than a function, such as that of a whole engine
            with `def engine(): return Tensor, backward` at its end; "": that of the function.
        story: told to whoever has it right; paragraphs between empty lines.
        rtol, atol: how far numbers may be off.
        mistakes: the wrong solutions; `mistake` adds one.
    """

    solution: Callable
    draw: Callable[[np.random.Generator, int], tuple]
    truth: Callable
    hints: Sequence[str]
    worked: tuple[Callable[[], tuple], Sequence[str]]
    points: float = 1
    without: Sequence[str] = LIBRARY
    key: Callable | None = None
    properties: Mapping[str, Callable[..., bool]] = field(default_factory=dict)
    picture: Callable[[tuple, Any, Any], Graph | None] | None = None
    sizes: Sequence[int] = SIZES
    through: str = ""
    whole: str = ""
    story: str = ""
    rtol: float = 1e-6
    atol: float = 1e-9
    mistakes: list[Mistake] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.solution.__name__

    def mistake(self, says: str) -> Callable[[Callable], Callable]:
        """Write down the function below as a wrong solution, and what is wrong in a sentence."""

        def add(function: Callable) -> Callable:
            self.mistakes.append(Mistake(function, says))
            return function

        return add

    def cases(self, seed: int, examples: Sequence[tuple] = ()) -> Iterator[Case]:
        """The arguments of the docstring's examples, and others drawn for this seed."""
        for example in examples:
            yield Case(functools.partial(made_again, example), drawn=False)
        for place, size in enumerate(self.sizes):
            yield Case(functools.partial(self._drawn, [seed, place], size), drawn=True)

    def _drawn(self, seed: list[int], size: int) -> tuple:
        return self.draw(np.random.default_rng(seed), size)

    @property
    def has_puzzle(self) -> bool:
        """Tell whether a few lines are to be written; not a whole file, and not one line repaired."""
        return not (self.whole or self.story)

    @property
    def paragraphs(self) -> list[str]:
        """The story, a line for each paragraph."""
        return [" ".join(one.split()) for one in self.story.split("\n\n") if one.strip()]

    def text(self) -> str:
        """The solution, as one writes it: without its decorator."""
        if self.whole:
            return self.whole
        whole = textwrap.dedent(inspect.getsource(self.solution))
        (definition,) = ast.parse(whole).body
        return "\n".join(whole.splitlines()[definition.lineno - 1 :])


def exercise(**about: Any) -> Callable[[Callable], Exercise]:
    """Make the function below the solution of an `Exercise`, whose attributes are given."""
    return lambda solution: Exercise(solution, **about)


# --- for the authors of exercises -----------------------------------------------------------------


def numbers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers that are easy to read, from -2 to 2 in steps of 0.1, and never 0: float64."""
    n = rng.integers(1, 41, shape)
    return np.where(n > 20, 20 - n, n) / 10


def with_culprit(graph: Graph, label: str, says: str) -> Graph:
    """The graph, which shows the node of that name or variable as what is wrong."""
    for node in graph.nodes:
        if node.label == label:
            node.error = says
    return graph
