"""The encoder: its gradients, where it normalises, and that what a mask hides changes nothing, to the
bit."""

import numpy as np
import pytest
from model_checks import check_gradients, quickly_the_first, random_tensor, randomized, weighted_sum

import minigrad as mg
from minigrad import Tensor, errors
from minitransformer import Encoder, EncoderLayer, EncoderSizes, LayerSizes, masks

PADDED = np.array([[5, 6, 7, 8], [5, 6, 0, 0]])
MASK = masks.padding(PADDED)  # (B, 1, 1, S)
NORMS = ["post", "pre"]
OPTIONS = [{"activation": "gated"}, {"score": "additive"}, {"positions": "rotary"}]


def sizes(width, heads, feed_forward, **options):
    return LayerSizes(width=width, heads=heads, feed_forward=feed_forward, **options)


@pytest.mark.parametrize("norm", quickly_the_first(NORMS))
def test_gradients_of_a_layer(norm):
    layer = randomized(EncoderLayer(sizes(4, 2, 3, norm=norm)))
    check_gradients(lambda x: layer(x, MASK), random_tensor(2, 4, 4), module=layer)


@pytest.mark.slow
@pytest.mark.parametrize("options", quickly_the_first(OPTIONS))
def test_gradients_of_a_layer_with_other_parts(options):
    layer = randomized(EncoderLayer(sizes(4, 2, 2, **options)))
    mask = MASK[:, :, :, :3]
    check_gradients(lambda x: layer(x, mask), random_tensor(2, 3, 4), module=layer)


@pytest.mark.slow
@pytest.mark.parametrize("norm", NORMS)
def test_gradients_of_a_stack(norm):
    stack = randomized(Encoder(2, sizes(3, 1, 1, norm=norm), final_norm=True))
    check_gradients(lambda x: stack(x, MASK), random_tensor(2, 4, 3), module=stack)


def test_a_layer_is_its_parts():
    x = random_tensor(2, 4, 4)
    post = randomized(EncoderLayer(sizes(4, 2, 5)))
    y = post.residual1.norm(x + post.self_attention(x, x, MASK)[0])
    expected = post.residual2.norm(y + post.feed_forward(y))
    np.testing.assert_array_equal(post(x, MASK)[0].data, expected.data)

    pre = randomized(EncoderLayer(sizes(4, 2, 5, norm="pre")))
    normed = pre.residual1.norm(x)
    y = x + pre.self_attention(normed, normed, MASK)[0]
    expected = y + pre.feed_forward(pre.residual2.norm(y))
    np.testing.assert_array_equal(pre(x, MASK)[0].data, expected.data)


@pytest.mark.parametrize(
    ("norm", "said", "final"),
    [("post", None, False), ("pre", None, True), ("post", True, True), ("pre", False, False)],
)
def test_a_final_norm_comes_with_pre_norm_unless_said_otherwise(norm, said, final):
    stack = randomized(Encoder(2, sizes(4, 2, 5, norm=norm), said))
    assert (stack.norm is not None) == final
    x = random_tensor(2, 4, 4)
    y = x
    for layer in stack.layers:
        y, _ = layer(y)
    expected = stack.norm(y) if final else y
    np.testing.assert_array_equal(stack(x)[0].data, expected.data)


def test_each_layer_returns_its_weights():
    stack = randomized(Encoder(2, sizes(4, 2, 5)))
    x = random_tensor(2, 4, 4)
    _, maps = stack(x, MASK)
    assert [w.shape for w in maps] == [(2, 2, 4, 4)] * 2
    _, first = stack.layers[0].self_attention(x, x, MASK)
    np.testing.assert_array_equal(maps[0].data, first.data)


@pytest.mark.parametrize("norm", NORMS)
def test_dropout_is_on_what_each_part_adds(norm):
    """With all but nothing left, a pre-norm stack is the identity and a post-norm one only norms."""
    p = 1 - 1e-12
    stack = randomized(Encoder(1, sizes(4, 2, 5, dropout=p, norm=norm), final_norm=False))
    mg.manual_seed(0)
    x = random_tensor(2, 4, 4)
    expected = x
    if norm == "post":
        layer = stack.layers[0]
        expected = layer.residual2.norm(layer.residual1.norm(x))
    np.testing.assert_array_equal(stack(x)[0].data, expected.data)
    assert not np.allclose(stack.eval()(x)[0].data, expected.data)


@pytest.mark.parametrize("norm", NORMS)
def test_what_stands_in_the_padding_changes_nothing_elsewhere(norm):
    stack = randomized(Encoder(2, sizes(4, 2, 5, norm=norm)))
    real = PADDED != 0

    def run(fill):
        values = np.random.default_rng(3).standard_normal((2, 4, 4))
        values[~real] = fill * values[~real]
        x = Tensor(values, requires_grad=True)
        y, _ = stack(x, MASK)
        stack.zero_grad()
        weighted_sum(y[real]).backward()
        return y.data[real], x.grad.data, [p.grad.data for p in stack.parameters()]

    (y, dx, parameters), (y2, dx2, parameters2) = run(0.5), run(-1234.5)
    np.testing.assert_array_equal(y, y2)
    np.testing.assert_array_equal(dx[real], dx2[real])
    np.testing.assert_array_equal(dx[~real], 0)
    for p, p2 in zip(parameters, parameters2):
        np.testing.assert_array_equal(p, p2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"norm": "both"}, r"norm is one of 'post', 'pre', not 'both'"),
        ({"activation": "step"}, r"activation is one of 'relu', .*, not 'step'"),
        ({"score": "cosine"}, r"score is one of 'dot', .*, not 'cosine'"),
    ],
)
def test_names_of_parts_that_there_are_not(options, message):
    with pytest.raises(errors.ConfigError, match=message):
        sizes(4, 2, 5, **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: EncoderLayer(16, 4, 32), r"write EncoderLayer\(LayerSizes\(width=16, heads=4"),
        (lambda: LayerSizes(16, 4, 32), r"write LayerSizes\(width=16, .*, each by its name"),
        (
            lambda: LayerSizes(hidden=32),
            r"no argument 'hidden'; it takes width, heads, feed_forward",
        ),
        (lambda: EncoderSizes(5, layer=2), r"no argument 'layer'; it takes .*symbols, layers"),
    ],
)
def test_sizes_by_place_or_by_other_names_say_what_to_write(call, message):
    with pytest.raises(errors.ArgumentError, match=message):
        call()
