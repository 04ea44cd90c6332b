"""The feed-forward layer works within each position, and not between them."""

import contextlib
import math

import numpy as np
import pytest
from model_checks import check_gradients, random_tensor, randomized

from minigrad import errors, graph, no_grad, record
from minigrad.nn import Linear
from minitransformer import GatedFeedForward
from minitransformer.model.feed_forward import FEED_FORWARDS, FeedForward

ACTIVATIONS = {
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "silu": lambda x: x / (1 + math.exp(-x)),
}


@pytest.mark.parametrize("kind", FEED_FORWARDS)
def test_gradients(kind):
    check_gradients(randomized(FEED_FORWARDS[kind](3, 5)), random_tensor(2, 4, 3))


@pytest.mark.parametrize("kind", FEED_FORWARDS)
def test_is_two_linear_maps_with_an_activation_and_perhaps_a_gate_between(kind):
    layer = randomized(FEED_FORWARDS[kind](3, 5))
    x = random_tensor(2, 4, 3)
    w = layer.state_dict()
    activation = np.vectorize(ACTIVATIONS["silu" if kind == "gated" else kind])
    hidden = activation(x.data @ w["widen.weight"] + w["widen.bias"])
    if kind == "gated":
        hidden = hidden * (x.data @ w["gate.weight"] + w["gate.bias"])
    y = hidden @ w["narrow.weight"] + w["narrow.bias"]
    np.testing.assert_allclose(layer(x).data, y, rtol=1e-12, atol=1e-12)


def test_the_gate_may_have_another_activation():
    check_gradients(randomized(GatedFeedForward(3, 5, activation=np.tanh)), random_tensor(2, 4, 3))


def test_a_drawing_has_a_box_for_each_map():
    with record():
        y = FeedForward(3, 5)(random_tensor(2, 4, 3).astype(np.float32))
    assert {"widen", "narrow"} <= {box.name for box in graph(y).boxes}


@pytest.mark.parametrize("context", [contextlib.nullcontext, no_grad])
def test_a_part_that_was_replaced_is_used(context):
    class Doubled(Linear):
        def forward(self, x):
            return 2 * super().forward(x)

    layer, other = randomized(FeedForward(3, 5)), Doubled(5, 3)
    other.load_state_dict(layer.narrow.state_dict())
    x = random_tensor(1, 4, 3).astype(np.float32)
    layer, other = layer.astype(np.float32), other.astype(np.float32)
    with context():
        y, layer.narrow = layer(x), other
        np.testing.assert_allclose(layer(x).data, 2 * y.data, rtol=1e-6)
        layer.widen = Linear(3, 5, bias=False)
        assert layer(x).shape == (1, 4, 3)
        layer.narrow = Linear(5, 3, bias=False)
        assert layer(x).shape == (1, 4, 3)


@pytest.mark.parametrize("shape", [(2, 4), ()])
def test_an_input_of_another_width_is_refused_by_the_map_that_it_is_for(shape):
    with pytest.raises(
        errors.ShapeError, match="Linear takes a last axis of width 3, and the shape"
    ):
        FeedForward(3, 5)(random_tensor(*shape))


def test_an_activation_is_a_function():
    with pytest.raises(errors.ConfigError, match="activation is a function, not 'relu'"):
        FeedForward(4, 8, activation="relu")


@pytest.mark.parametrize("kind", FEED_FORWARDS)
def test_a_position_depends_on_itself_alone(kind):
    layer = randomized(FEED_FORWARDS[kind](3, 5))
    x = random_tensor(1, 4, 3)
    layer(x)[0, 2].sum().backward()
    reached = np.abs(x.grad.data).sum(axis=-1)[0] > 0
    np.testing.assert_array_equal(reached, [False, False, True, False])


@pytest.mark.parametrize("kind", FEED_FORWARDS)
def test_dtype_stays(kind):
    layer = FEED_FORWARDS[kind](3, 5)
    assert layer(random_tensor(1, 4, 3, dtype=np.float32)).dtype == np.float32
