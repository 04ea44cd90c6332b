"""Leaves, and the gradients that arrive at them: for the tests of many rooms."""

from __future__ import annotations

import numpy as np

import minigrad as mg


def leaf(values, **options):
    return mg.Tensor(values, requires_grad=True, **options)


def positive_leaf(*shape, seed=0, **options):
    """A leaf of random numbers from 0.5 to 1.5, float64 unless the options say otherwise."""
    values = np.random.default_rng(seed).random(shape) + 0.5
    return leaf(values, **options)


def gradients(leaves: list[mg.Tensor]) -> list[np.ndarray]:
    """What has arrived at the leaves, which is taken from them."""
    found = [np.zeros(x.shape) if x.grad is None else x.grad.detach().numpy() for x in leaves]
    for x in leaves:
        x.grad = None
    return found
