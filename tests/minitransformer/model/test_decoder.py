"""The decoder: its gradients, and that neither the future nor padding changes anything, to the bit."""

import numpy as np
import pytest
from model_checks import check_gradients, quickly_the_first, random_tensor, randomized, weighted_sum

from minigrad import Tensor, errors
from minitransformer import Decoder, DecoderLayer, LayerSizes, masks

SOURCE = masks.padding(np.array([[5, 6, 7], [5, 0, 0]]))  # (B, 1, 1, S)
TARGET = masks.causal(4) & masks.padding(np.array([[1, 5, 6, 7], [1, 5, 0, 0]]))  # (B, 1, T, T)
NORMS = ["post", "pre"]


@pytest.mark.parametrize("norm", quickly_the_first(NORMS))
def test_gradients_of_a_layer(norm):
    layer = randomized(DecoderLayer(LayerSizes(width=4, heads=2, feed_forward=2, norm=norm)))
    x, memory = random_tensor(2, 3, 4), random_tensor(2, 2, 4, seed=1)
    target, source = TARGET[:, :, :3, :3], SOURCE[..., :2]
    check_gradients(lambda x, m: layer(x, m, target, source), x, memory, module=layer)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", quickly_the_first([{"positions": "rotary"}, {"score": "general"}])
)
def test_gradients_of_a_layer_with_other_parts(options):
    layer = randomized(DecoderLayer(LayerSizes(width=4, heads=2, feed_forward=1, **options)))
    x, memory = random_tensor(1, 3, 4), random_tensor(1, 2, 4, seed=1)
    check_gradients(lambda x, m: layer(x, m, masks.causal(3)), x, memory, module=layer)


@pytest.mark.slow
@pytest.mark.parametrize("norm", NORMS)
def test_gradients_of_a_stack(norm):
    stack = randomized(Decoder(2, LayerSizes(width=3, heads=1, feed_forward=2, norm=norm)))
    x, memory = random_tensor(1, 3, 3), random_tensor(1, 2, 3, seed=1)
    check_gradients(lambda x, m: stack(x, m, masks.causal(3)), x, memory, module=stack)


def test_a_layer_is_its_parts():
    x, memory = random_tensor(2, 4, 4), random_tensor(2, 3, 4, seed=1)
    post = randomized(DecoderLayer(LayerSizes(width=4, heads=2, feed_forward=5)))
    y = post.residual1.norm(x + post.self_attention(x, x, TARGET)[0])
    y = post.residual2.norm(y + post.cross_attention(y, memory, SOURCE)[0])
    expected = post.residual3.norm(y + post.feed_forward(y))
    np.testing.assert_array_equal(post(x, memory, TARGET, SOURCE)[0].data, expected.data)

    pre = randomized(DecoderLayer(LayerSizes(width=4, heads=2, feed_forward=5, norm="pre")))
    normed = pre.residual1.norm(x)
    y = x + pre.self_attention(normed, normed, TARGET)[0]
    y = y + pre.cross_attention(pre.residual2.norm(y), memory, SOURCE)[0]
    expected = y + pre.feed_forward(pre.residual3.norm(y))
    np.testing.assert_array_equal(pre(x, memory, TARGET, SOURCE)[0].data, expected.data)


def test_weights_are_the_self_attentions_and_those_over_the_source_in_this_order():
    stack = randomized(Decoder(2, LayerSizes(width=4, heads=2, feed_forward=5)))
    x, memory = random_tensor(2, 4, 4), random_tensor(2, 3, 4, seed=1)
    _, own, cross = stack(x, memory, TARGET, SOURCE)
    assert [w.shape for w in own] == [(2, 2, 4, 4)] * 2
    assert [w.shape for w in cross] == [(2, 2, 4, 3)] * 2
    for w in own:
        np.testing.assert_array_equal(w.data[np.broadcast_to(~TARGET, w.shape)], 0)
    for w in cross:
        np.testing.assert_array_equal(w.data[np.broadcast_to(~SOURCE, w.shape)], 0)


@pytest.mark.parametrize("norm", NORMS)
def test_a_later_position_changes_nothing_before_it(norm):
    stack = randomized(Decoder(2, LayerSizes(width=4, heads=2, feed_forward=5, norm=norm)))
    memory = random_tensor(1, 3, 4, seed=1).detach()

    def run(last):
        values = np.random.default_rng(3).standard_normal((1, 4, 4))
        values[0, 3] *= last
        x = Tensor(values, requires_grad=True)
        y, *_ = stack(x, memory, masks.causal(4))
        stack.zero_grad()
        weighted_sum(y[:, :3]).backward()
        return y.data[:, :3], x.grad.data, [p.grad.data for p in stack.parameters()]

    (y, dx, parameters), (y2, dx2, parameters2) = run(0.5), run(-1234.5)
    np.testing.assert_array_equal(y, y2)
    np.testing.assert_array_equal(dx, dx2)
    np.testing.assert_array_equal(dx[:, 3], 0)
    for p, p2 in zip(parameters, parameters2):
        np.testing.assert_array_equal(p, p2)


@pytest.mark.parametrize("norm", NORMS)
def test_padding_of_the_source_changes_nothing(norm):
    stack = randomized(Decoder(2, LayerSizes(width=4, heads=2, feed_forward=5, norm=norm)))

    def run(fill):
        values = np.random.default_rng(3).standard_normal((2, 3, 4))
        values[1, 1:] *= fill
        x, memory = random_tensor(2, 4, 4), Tensor(values, requires_grad=True)
        y, *_ = stack(x, memory, TARGET, SOURCE)
        stack.zero_grad()
        weighted_sum(y).backward()
        gradients = [x.grad.data, memory.grad.data, *(p.grad.data for p in stack.parameters())]
        return y.data, gradients

    (y, gradients), (y2, gradients2) = run(0.5), run(-1234.5)
    np.testing.assert_array_equal(y, y2)
    for g, g2 in zip(gradients, gradients2):
        np.testing.assert_array_equal(g, g2)
    np.testing.assert_array_equal(gradients[1][1, 1:], 0)


def test_a_memory_of_another_width_is_named():
    layer = DecoderLayer(LayerSizes(width=4, heads=2, feed_forward=5))
    with pytest.raises(errors.ShapeError, match=r"key .* \(2, 3, 5\).*positions, 4\)"):
        layer(random_tensor(2, 4, 4), random_tensor(2, 3, 5))
