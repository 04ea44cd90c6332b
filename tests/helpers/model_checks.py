"""What the tests of the model's parts share: random weights, and gradients checked throughout."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest

from minigrad import Tensor
from minigrad.checking.gradcheck import gradcheck
from minigrad.nn import Module

M = TypeVar("M", bound=Module)


def randomized(module: M, seed: int = 0, dtype=np.float64) -> M:
    """`module` with every parameter drawn at random: no gain is uniform, no bias zero."""
    rng = np.random.default_rng(seed)
    for parameter in module.parameters():
        parameter.copy_(rng.standard_normal(parameter.shape) * 0.7, dtype=dtype)
    return module


def quickly_the_first(cases: list) -> list:
    """Parameters for a test that takes long: all but the first are left out where slow ones are."""
    return [
        pytest.param(c, marks=pytest.mark.slow if i else (), id=str(c)) for i, c in enumerate(cases)
    ]


def random_tensor(*shape: int, seed: int = 0, dtype=np.float64) -> Tensor:
    """A leaf of random numbers that requires a gradient."""
    values = np.random.default_rng(seed).standard_normal(shape)
    return Tensor(values, dtype=dtype, requires_grad=True)


def weighted_sum(output: Tensor) -> Tensor:
    """One number that depends on every element of the output, each in a way of its own."""
    weights = np.random.default_rng(99).standard_normal(output.shape)
    return (output * weights.astype(output.dtype)).sum()


def check_gradients(f: Callable, *inputs: Tensor, module: Module | None = None) -> None:
    """Every element of every gradient of f, by its inputs and by the parameters of `module`, against
    finite differences; and that a gradient reaches each."""
    module = f if isinstance(f, Module) else module
    parameters = {} if module is None else dict(module.named_parameters())
    report = gradcheck(f, *inputs, parameters=parameters)
    assert len(report.inputs) >= len(parameters)
    for checked in report.inputs:
        assert checked.reached, f"no gradient reaches {checked.name}"
