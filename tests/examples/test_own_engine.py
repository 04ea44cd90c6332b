"""The engine of one file, and the two lessons that write it and put it under a transformer."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
import minitransformer as mt
from minigrad.functional import cross_entropy

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("own_engine", ROOT / "examples" / "own_engine.py")
own = importlib.util.module_from_spec(spec)
spec.loader.exec_module(own)


def test_it_has_at_most_120_lines():
    lines = (ROOT / "examples" / "own_engine.py").read_text().splitlines()
    assert len([x for x in lines if x.strip() and not x.strip().startswith("#")]) <= 120


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("tied", ["none", "all"])
def test_it_gives_a_transformer_the_gradients_of_minigrad(norm, tied):
    mg.manual_seed(1)
    sizes = mt.Sizes(
        9, 9, width=8, heads=2, feed_forward=12, encoder_layers=2, norm=norm, tied=tied
    )
    model = mt.Transformer(sizes).astype(np.float64)
    source, target = (
        np.array([[3, 4, 5, 0], [4, 5, 6, 7]]),
        np.array([[1, 3, 4, 2, 0], [1, 5, 6, 7, 2]]),
    )
    loss = lambda: cross_entropy(model(source, target[:, :-1]), target[:, 1:], ignore_index=0)
    expected = loss()
    expected.backward()
    parameters = model.parameters()
    tensors = {parameter: own.Tensor(parameter.data) for parameter in parameters}
    for _, module in list(model.named_modules()):
        for name, value in list(vars(module).items()):
            if isinstance(value, mg.Tensor):
                vars(module)[name] = tensors[value]
    found = loss()
    own.backward(found)
    assert np.isclose(found.array, expected.item(), rtol=1e-9)
    for parameter in parameters:
        np.testing.assert_allclose(tensors[parameter].grad, parameter.grad, rtol=1e-6, atol=1e-12)


def test_what_is_used_many_times_is_visited_once():
    x = y = own.Tensor(np.ones(2))
    for _ in range(60):
        y = y + y
    own.backward(np.sum(y))
    assert x.grad.tolist() == [2.0**60] * 2


def test_a_chain_may_be_long():
    x = y = own.Tensor(np.ones(2))
    for _ in range(5000):
        y = y + 1.0
    own.backward(np.sum(y))
    assert x.grad.tolist() == [1, 1]
