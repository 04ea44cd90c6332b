"""The inputs of several rows: shapes, arrays, and where numbers are drawn from."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

# fmt: off
SHAPES = [[()], [(2, 3)], [(0, 3)], [(2, 1, 2, 1, 2)]]
PAIRS = [
    [(2, 3), (2, 3)], [(2, 3), (3,)], [(2, 1), (1, 3)], [(), (3,)], [(2, 3), ()], [(1,), ()],
    [(0, 3), (1, 3)], [(4, 1, 3), (2, 1)], [(2, 1, 2, 1, 3), (2, 1, 1)],
]
T = (2, 3, 4)
NUMBER, VECTOR, MATRIX = [()], [(3,)], [(2, 3)]
C = np.array([True, False, True])
MASK = np.array([[True, False, True], [False, False, True]])
NONE = np.zeros((2, 3), bool)
PLACES = np.array([1, 0, 1, 1])  # some more than once
COLUMNS = np.array([[2], [0]])
ALONG = np.array([[2, 0], [1, 1]])
TARGETS = np.array([2, 0])
YES = [[0.95, 0.05, 0.25], [0.1, 0.9, 0.5]]

KINKED = ("between", "halves")  # apart from each other
LAST_KEPT = {"axis": 1, "keepdims": True}
REGULAR: dict[str, Any] = {"domain": "regular"}
# fmt: on

# Functions of a generator and a shape. Those that keep off certain numbers do so because a function
# is not defined there, or has a kink that finite differences must not straddle.
DOMAINS: dict[str, Callable] = {
    "any": lambda rng, shape: rng.standard_normal(shape),
    "positive": lambda rng, shape: rng.uniform(0.3, 2.0, shape),
    "negative": lambda rng, shape: rng.uniform(-2.0, -0.3, shape),
    "probabilities": lambda rng, shape: rng.uniform(0.2, 0.8, shape),
    "not zero": lambda rng, shape: rng.uniform(0.3, 2.0, shape) * rng.choice([-1, 1], shape),
    "unit": lambda rng, shape: rng.uniform(-0.8, 0.8, shape),
    "above one": lambda rng, shape: rng.uniform(1.2, 3.0, shape),
    "between": lambda rng, shape: rng.integers(-3, 3, shape) + rng.uniform(0.1, 0.4, shape),
    "halves": lambda rng, shape: rng.choice([-1.0, -0.5, 0.5, 1.0], shape),
    "apart": lambda rng, shape: rng.permuted(np.arange(math.prod(shape)) - 2.0).reshape(shape) / 2,
    "of different sizes": lambda rng, shape: (
        rng.permuted(np.sqrt(np.arange(1.0, 1 + math.prod(shape)))).reshape(shape)
        * rng.choice([-1, 1], shape)
    ),
    "regular": lambda rng, shape: rng.uniform(-0.5, 0.5, shape) + 2 * np.eye(shape[-1]),
    "regular, apart": lambda rng, shape: (
        rng.uniform(-0.4, 0.4, shape) + np.eye(*shape[-2:]) * np.arange(1.0, 1 + shape[-1])
    ),
}
