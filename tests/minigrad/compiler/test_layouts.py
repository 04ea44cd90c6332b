"""Layouts: a product that is only copied in another order is written in that order, without a copy."""

import numpy as np
import pytest
from compiling import both_ways, compiled
from leaves import leaf

B, H, T, K = 3, 2, 5, 4


def joined(x):  # (B, H, T, K) -> (B, T, H K)
    return np.reshape(np.swapaxes(x, 1, 2), (B, T, H * K))


def product_used_twice(w, v):
    y = w @ v
    return joined(y) * np.sum(y)


def swap_used_twice(w, v):
    y = np.swapaxes(w @ v, 1, 2)
    return np.reshape(y, (B, T, H * K)) * np.sum(y)


CASES = {  # a function of weights (B, H, T, T) and values (B, H, T, K); copies that are left forward
    "heads joined": (lambda w, v: joined(w @ v) * 2, 0),
    "twice swapped": (lambda w, v: joined(np.swapaxes(np.swapaxes(w @ v, 0, 1), 0, 1)) * 2, 0),
    "reshaped twice": (lambda w, v: np.reshape(joined(w @ v), (B * T, H * K)) @ np.eye(H * K), 0),
    "it leaves": (lambda w, v: joined(w @ v), 0),
    "used twice": (product_used_twice, 1),
    "swap used twice": (swap_used_twice, 1),
    "columns would have gaps": (lambda w, v: np.reshape(np.swapaxes(w @ v, 1, 3), (B, -1)) * 2, 1),
    "no product": (lambda w, v: joined(np.tanh(v)) * np.sum(w), 1),
}


@pytest.mark.parametrize("name", CASES)
def test_a_copy_of_a_product_is_left_out_where_it_can_be(name):
    function, copies = CASES[name]
    rng = np.random.default_rng(0)
    inputs = [leaf(rng.normal(size=shape)) for shape in ((B, H, T, T), (B, H, T, K))]
    step = compiled(function, *inputs, exact=False)
    forward = step.program(buffers=True).partition(" = yield ")[0]
    assert forward.count("np.copyto") == copies
    step.function = None  # which is called where the program ends in an error
    for _ in range(2):
        inputs = [leaf(rng.normal(size=x.shape)) for x in inputs]
        for found, wanted in zip(both_ways(step, inputs), both_ways(function, inputs)):
            np.testing.assert_allclose(found, wanted, 0, 1e-12)


def test_the_gradients_of_heads_are_joined_without_copies():
    def attention(q, k, v):
        heads = [np.swapaxes(np.reshape(x, (B, T, H, K)), 1, 2) for x in (q, k, v)]
        return joined(np.tanh(heads[0] @ np.swapaxes(heads[1], -1, -2)) @ heads[2])

    inputs = [leaf(np.random.default_rng(n).normal(size=(B, T, H * K))) for n in range(3)]
    step = compiled(attention, *inputs, exact=False)
    assert "np.copyto" not in step.program(buffers=True)
    for found, wanted in zip(both_ways(step, inputs), both_ways(attention, inputs)):
        np.testing.assert_allclose(found, wanted, 0, 1e-12)


def test_exact_keeps_the_copy():
    inputs = [leaf(np.random.default_rng(0).normal(size=s)) for s in ((B, H, T, T), (B, H, T, K))]
    step = compiled(lambda w, v: joined(w @ v) * 2, *inputs, exact=True)
    assert "np.copyto" in step.program(buffers=True)
