"""The functions among the inputs of exercises, each made of plain data.

A learner's function runs in a process of its own, which has this file and no answers. It is told which
maker to call, and of what; so no maker here may say how an exercise is solved.
"""

import math

import numpy as np

import minigrad as mg
from minigrad.course.exercises import Limited, maker

ALWAYS = math.inf  # how often a function may be called that has no limit

# --- lesson 01 --------------------------------------------------------------------------------------


class Visits(dict):
    def __init__(self, graph, most):
        super().__init__(graph)
        self.visit = Limited(super().__getitem__, most, "the graph")

    def __getitem__(self, node):
        return self.visit(node)


@maker
def visits(graph):
    """A graph that gives up when it is asked too often, as it is by a walk over every path."""
    return Visits(graph, 1000)


# --- lesson 03 --------------------------------------------------------------------------------------


@maker
def cubic(a, b):
    """A function with a third derivative, so that the step can be seen in the differences."""
    f = lambda x: float(np.sum(a * x**3 + b * x**2) + np.prod(x))
    return Limited(f, ALWAYS, f"f: sum({a.tolist()} x**3 + {b.tolist()} x**2) + prod(x)")


# --- lesson 11 --------------------------------------------------------------------------------------


@maker
def layer(w):
    return Limited(lambda x: np.tanh(x @ w), ALWAYS, f"x -> tanh(x @ {w.tolist()})")


@maker
def norm():
    return Limited(lambda x: x / 2 - 0.5, ALWAYS, "x -> x / 2 - 0.5")


@maker
def nothing():
    return Limited(lambda x: 0 * x, ALWAYS, "x -> 0 * x")


# --- lesson 14 --------------------------------------------------------------------------------------


@maker
def writer(text, start):
    """A model that writes a text, if it is given all that was written, and else something else."""

    def scores(tokens):
        tokens = [int(token) for token in tokens]
        n = len(tokens) - 1
        right = tokens == [start, *text[:n]] and n < len(text)
        favourite = text[n] if right else 2 + (sum(tokens) + len(tokens)) % 4
        return np.where(np.arange(6) == favourite, 3.0, -np.arange(6) / 10)

    shown = f"{text[:4]} over and over" if len(text) > 9 else str(text)
    return Limited(scores, 60, f"scores: a model that writes {shown}")


@maker
def random_model(seed, level):
    """Scores that depend on all that was written, and whose level says nothing."""

    def scores(tokens):
        own = np.random.default_rng([seed, *map(int, tokens)])
        return np.array([-9.0, *own.normal(0, 1.5, 3)]) + own.integers(-6, 7) + level

    about = f", all about {level}" if level else ""
    return Limited(scores, 4000, f"scores: random model {seed}{about}")


@maker
def model_with(kind, seed, chances):
    """A model of a few chances, in percent, by what was written; anything else is likely to end."""

    def scores(tokens):
        own = np.random.default_rng([seed, *map(int, tokens)])
        likely = chances.get(tuple(map(int, tokens[1:])), {1: 97})
        p = np.array([likely.get(i, 0.01) for i in range(5)]) * own.uniform(0.99, 1.01, 5)
        return np.log(p) + own.integers(-6, 7)

    return Limited(scores, 4000, f"scores: {kind} model {seed}")


# --- lesson 17 --------------------------------------------------------------------------------------

MANY = 12  # numbers, so that a row of the matrix for each of them shows in the calls of f
STEEP = (
    1e17  # is added to a function: it changes no derivative, and leaves no digit to a difference
)


def bowl_of(a, b, c):
    """sum(a x^4) + (b . x)^2 + c . x: all numbers meet all others, and H can be inverted."""
    return lambda x: np.sum(a * x**4) + np.square(np.sum(b * x)) + np.sum(c * x)


def _shown(a, b, c):
    return f"f: sum({a.tolist()} x**4) + sum({b.tolist()} x)**2 + sum({c.tolist()} x)"


@maker
def bowl(a, b, c):
    return Limited(bowl_of(a, b, c), ALWAYS, _shown(a, b, c))


@maker
def counted_bowl(a, b, c):
    """The same, which may be neither called nor walked back through once for each row of its Hessian."""
    walk = Limited(lambda g: entered(g), MANY - 1, "the gradient of f")
    entered = mg.rule(lambda x: x, lambda g, _y, _x: walk(g))  # which is walked back through too
    whole = bowl_of(a, b, c)
    return Limited(lambda x: whole(entered(x)), MANY - 1, _shown(a, b, c))


@maker
def wave(matrix):
    """tanh(x M): from (n,) to (m,)."""
    return Limited(lambda x: np.tanh(x @ matrix), ALWAYS, f"f: tanh(x @ {matrix.tolist()})")


@maker
def steeper(f):
    """f, and a straight line that is steep."""
    return Limited(lambda x: f(x) + STEEP * np.sum(x), ALWAYS, f"{f!r}, and a steep straight line")


@maker
def higher(f):
    """f, and a large number."""
    return Limited(lambda x: f(x) + STEEP, ALWAYS, f"{f!r} + {STEEP:g}")


# --- lesson 18 --------------------------------------------------------------------------------------


@maker
def pair(most):
    return Limited(lambda x, y: f"({x}{y})", most, "add: '({x}{y})'")
