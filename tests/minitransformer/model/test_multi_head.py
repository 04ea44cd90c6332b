"""Multi-head attention, with every option, against head after head by hand and finite differences."""

import numpy as np
import pytest
from model_checks import check_gradients, random_tensor, randomized
from properties import given, settings, st

from minigrad import errors, nn
from minitransformer import SCORES, AttentionSizes, Cache, MultiHeadAttention, attention, masks

OPTIONS = [
    {},
    {"bias": False},
    {"bias": ("query", "output")},
    {"context_width": 3},
    {"context_width": (3, 5)},
    {"key_width": 3},
    {"value_width": 3},
    {"output_width": 5},
    {"context_width": 3, "key_width": 1, "value_width": 3, "output_width": 5},
    {"join": "add"},
    {"join": "add", "output_width": 3},
    {"rotary": True},
    *({"score": name} for name in SCORES),
]


def small(**options):
    return randomized(MultiHeadAttention(AttentionSizes(4, 2, **options)))


def inputs(options, T=3, S=4):
    width = options.get("context_width", 4)
    key, value = width if isinstance(width, tuple) else (width, width)
    return (
        random_tensor(2, T, 4),
        random_tensor(2, S, key, seed=1),
        random_tensor(2, S, value, seed=2),
    )


def quickly(options):
    """For one option alone stands a row of several."""
    slow = len(options) == 1 and "rotary" not in options
    return pytest.param(options, id=str(options), marks=pytest.mark.slow if slow else ())


@pytest.mark.parametrize("options", [quickly(options) for options in OPTIONS])
def test_gradients(options):
    layer = small(**options)
    mask = masks.causal(3, 4)
    check_gradients(
        lambda x, k, v: layer(x, mask=mask, key=k, value=v), *inputs(options), module=layer
    )


def by_head(layer, x, k, v, heads, **options):
    """Each head's output (B, T, V) and weights, from its own part of the weights."""
    w = layer.state_dict()
    parts = []
    for h in range(heads):
        q_h, k_h, v_h = (
            z @ np.split(w[f"{name}.weight"], heads, axis=1)[h]
            + np.split(w[f"{name}.bias"], heads)[h]
            for z, name in ((x, "query"), (k, "key"), (v, "value"))
        )
        parts.append(attention(q_h, k_h, v_h, **options))
    return parts


def test_is_each_head_by_itself_then_joined_and_projected():
    layer = small(context_width=(3, 6), key_width=5, value_width=3)
    x, k, v = inputs({"context_width": (3, 6)})
    heads = by_head(layer, x.data, k.data, v.data, 2)
    w = layer.state_dict()
    joined = np.concatenate([head for head, _ in heads], axis=-1)
    output, weights = layer(x, key=k, value=v)
    np.testing.assert_allclose(
        output.data, joined @ w["output.weight"] + w["output.bias"], rtol=1e-12
    )
    np.testing.assert_allclose(weights.data, np.stack([w for _, w in heads], axis=1), rtol=1e-12)


def test_heads_that_are_added():
    layer = small(join="add", output_width=3)
    x, k, v = inputs({})
    heads = by_head(layer, x.data, k.data, v.data, 2)
    output, _ = layer(x, key=k, value=v)
    assert output.shape == (2, 3, 3)
    np.testing.assert_allclose(output.data, heads[0][0] + heads[1][0], rtol=1e-12)
    assert not any(name.startswith("output") for name in layer.state_dict())


def test_joining_and_projecting_is_adding_heads_that_were_projected_each():
    """Concat(heads) W_O = sum over h of head_h W_O^h, and W_V^h W_O^h may as well be one matrix."""
    joined, added = small(), small(join="add")
    w = joined.state_dict()
    projections = np.split(w["output.weight"], 2)  # W_O^h
    for name in ("weight", "bias"):
        values = np.split(w[f"value.{name}"], 2, axis=-1)
        both = [value @ W for value, W in zip(values, projections)]
        w[f"value.{name}"] = np.concatenate(both, axis=-1)
    w["value.bias"][:4] += w.pop("output.bias")  # the weights of a row sum to one
    del w["output.weight"]
    added.load_state_dict(w)
    x = random_tensor(2, 3, 4)
    np.testing.assert_allclose(joined(x, x)[0].data, added(x, x)[0].data, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", SCORES)
def test_each_head_has_a_score_of_its_own(name):
    layer = small(score=name)
    x, k, v = inputs({})
    _, weights = layer(x, key=k, value=v)
    for h in range(2):
        score = SCORES[name]
        if isinstance(score, type):
            score = score(2).astype(np.float64)
            state = layer.score.state_dict()
            score.load_state_dict({part: a[h] for part, a in state.items()})
        _, expected = by_head(layer, x.data, k.data, v.data, 2, score=score)[h]
        expected = getattr(expected, "data", expected)
        np.testing.assert_allclose(weights.data[:, h], expected, rtol=1e-12)


@pytest.mark.parametrize(
    "bias",
    [True, False, (), ("key",), pytest.param({"query", "value"}, id="a set"), ["output"]],
    ids=str,
)
def test_each_projection_has_a_bias_or_none(bias):
    names = {"query", "key", "value", "output"}
    wanted = {True: names, False: set()}[bias] if isinstance(bias, bool) else set(bias)
    layer = MultiHeadAttention(AttentionSizes(4, 2, bias=bias))
    assert {name for name in names if getattr(layer, name).bias is not None} == wanted


# --- ways to call it ------------------------------------------------------------------------------


def test_context_is_for_keys_and_values_unless_they_are_given_apart():
    layer = small()
    x, k, v = inputs({})
    one, _ = layer(x, k)
    for other in (layer(x, k, key=k), layer(x, key=k, value=k), layer(x, v, key=k, value=k)):
        np.testing.assert_array_equal(one.data, other[0].data)
    np.testing.assert_array_equal(layer(x, k, value=v)[0].data, layer(x, key=k, value=v)[0].data)
    assert not np.allclose(one.data, layer(x, k, value=v)[0].data)


def test_a_batch_is_its_examples_one_by_one():
    layer = small()
    x, k, _ = inputs({})
    output, weights = layer(x, k, masks.causal(3, 4))
    for b in range(2):
        one, maps = layer(x[b], k[b], masks.causal(3, 4))
        np.testing.assert_allclose(one.data, output.data[b], rtol=1e-12)
        np.testing.assert_allclose(maps.data, weights.data[b], rtol=1e-12)


@pytest.mark.parametrize("rotary", [False, True])
def test_a_context_given_in_pieces_to_a_cache_is_the_whole_context(rotary):
    layer = small(rotary=rotary)
    x = random_tensor(2, 5, 4)
    whole, maps = layer(x, x, masks.causal(5))
    cache = Cache()
    for start, end in ((0, 2), (2, 3), (3, 5)):
        piece = x[:, start:end]
        mask = masks.causal(end - start, end)
        y, weights = layer(piece, piece, mask, cache=cache)
        np.testing.assert_allclose(y.data, whole.data[:, start:end], rtol=1e-12)
        np.testing.assert_allclose(weights.data, maps.data[:, :, start:end, :end], rtol=1e-12)
    assert cache.length(layer) == 5


def test_keys_and_values_of_a_context_that_stays_are_made_once():
    layer, cache = small(), Cache()
    x, context, _ = inputs({})
    for start, end in ((0, 1), (1, 3)):
        piece = x[:, start:end]
        found, maps = layer(piece, context, cache=cache, stays=True)
        expected, weights = layer(piece, context)
        np.testing.assert_array_equal(found.data, expected.data)
        np.testing.assert_array_equal(maps.data, weights.data)
        made = cache.kept(layer)
    assert cache.length(layer) == context.shape[1]
    layer(x, context, cache=cache, stays=True)
    assert cache.kept(layer) is made


def test_a_query_with_nothing_to_attend_to_gives_the_bias_of_the_output_alone():
    layer = small()
    mask = np.ones((2, 1, 3, 3), dtype=bool)
    mask[1, :, 2] = False
    x = random_tensor(2, 3, 4)
    output, weights = layer(x, x, mask)
    np.testing.assert_array_equal(weights.data[1, :, 2], 0)
    np.testing.assert_array_equal(output.data[1, 2], layer.output.bias.data)
    seen, _ = layer(x, x)
    mask[1, :, 2] = True
    np.testing.assert_array_equal(output.data[0], seen.data[0])
    np.testing.assert_array_equal(output.data[1, :2], seen.data[1, :2])
    output.sum().backward()
    for name, parameter in layer.named_parameters():
        assert np.isfinite(parameter.grad.data).all(), name
    assert np.isfinite(x.grad.data).all()


@pytest.mark.parametrize(
    ("mask", "remedy"),
    [
        (np.ones((2, 3, 3), dtype=bool), r"mask\[:, None\] for one of each of a batch"),
        (np.ones((2, 3), dtype=bool), r"of keys \(B, S\) write mask\[:, None, None, :\]"),
        (random_tensor(2, 3, 4), r"or attention\(query, key=..., value=...\)"),
    ],
    ids=["of each of a batch", "of keys", "the value, as in Keras"],
)
def test_what_other_libraries_give_in_place_of_a_mask_is_told(mask, remedy):
    """As many heads as there are in the batch: NumPy would take a mask of each for one of each head."""
    x = random_tensor(2, 3, 4)
    with pytest.raises(errors.MinigradError, match=remedy):
        small()(x, x, mask)


def test_the_pair_that_it_gives_is_no_array_and_this_is_told():
    layer, x = small(), random_tensor(2, 3, 4)
    for use in (lambda y: np.mean(y, axis=1), lambda y: x + y, nn.Linear(4, 2)):
        with pytest.raises(errors.MinigradError, match=r"\[0\]"):
            use(layer(x, x))


def test_its_sizes_as_in_other_libraries_are_told():
    for make in (lambda: MultiHeadAttention(8, 2), lambda: MultiHeadAttention(num_heads=2)):
        with pytest.raises(errors.MinigradError, match="AttentionSizes"):
            make()


sizes = st.integers(1, 4)


@settings(max_examples=25)
@given(
    st.integers(0, 3), sizes, sizes, sizes, sizes, sizes, sizes, sizes, sizes,
    st.sampled_from(["concat", "add"]), st.sampled_from(sorted(SCORES)),
)  # fmt: skip
def test_shapes(B, T, S, H, D, C, K, V, out, join, score):
    layer = MultiHeadAttention(AttentionSizes(
        D, H, context_width=C, key_width=K, value_width=out if join == "add" else V,
        output_width=out, join=join, score=score,
    ))  # fmt: skip
    x, context = (random_tensor(B, n, w, dtype=np.float32) for n, w in ((T, D), (S, C)))
    output, weights = layer(x, context, np.ones((B, 1, 1, S), dtype=bool))
    assert output.shape == (B, T, out)
    assert weights.shape == (B, H, T, S)
    assert output.dtype == weights.dtype == np.float32
    output.sum().backward()
    assert x.grad.shape == x.shape
    assert all(p.grad.dtype == np.float32 for p in layer.parameters())


# --- what cannot be -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"heads": 3}, r"3 heads .* 4"),
        ({"heads": 0}, r"heads is a whole number from 1, not 0"),
        ({"join": "sum"}, r"join is one of 'concat', 'add', not 'sum'"),
        ({"join": "add", "value_width": 3}, r"3 wide are added, .* 4 wide"),
        ({"join": "add", "bias": ("output",)}, r"not \('output',\)"),
        ({"bias": ("keys",)}, r"'key'.*not \('keys',\)"),
        ({"bias": "query"}, r"a collection.*not 'query'"),
        ({"rotary": True, "key_width": 3}, r"pairs of numbers, and a key has 3"),
        ({"score": "cosine"}, r"not 'cosine'"),
        ({"context_width": (4, 4, 4)}, r"one width, or a pair of them, not \(4, 4, 4\)"),
    ],
)
def test_options_that_cannot_go_together(options, message):
    with pytest.raises(errors.ConfigError, match=message):
        MultiHeadAttention(AttentionSizes(4, **{"heads": 2, **options}))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"query": (2, 3, 5), "context": (2, 4, 3)}, r"query .* \(2, 3, 5\).*positions, 4\)"),
        ({"query": (2, 3, 4), "context": (2, 4, 5)}, r"key .* \(2, 4, 5\).*positions, 3\)"),
        ({"query": (2, 3, 4), "key": (2, 4, 3), "value": (2, 4, 5)}, r"value .* \(2, 4, 5\)"),
        ({"query": (2, 3, 4), "key": (2, 4, 3), "value": (2, 5, 3)}, r"equal in number: 4 and 5"),
        ({"query": (2, 3, 4), "context": (3, 4, 3)}, r"\(2, 2, 3, 2\).*\(3, 2, 4, 2\).*batch"),
        ({"query": (4,), "context": (2, 4, 3)}, r"query .* \(4,\)"),
        ({"query": (2, 3, 4)}, r"nothing to make the key from: call attention\(x, x\)"),
        ({"query": (2, 3, 4), "key": (2, 4, 3)}, r"nothing to make the value from"),
    ],
)
def test_shapes_that_disagree_are_named(given, message):
    layer = small(context_width=3)
    with pytest.raises(errors.ShapeError, match=message):
        layer(**{name: random_tensor(*shape) for name, shape in given.items()})


def test_the_call_of_keras_is_told_how_attention_is_called():
    layer = MultiHeadAttention(AttentionSizes(8, 2))
    for batch in (1, 2):
        x = np.ones((batch, 5, 8), np.float32)
        with pytest.raises(errors.DTypeError, match=r"call attention\(x, x\) for self-attention"):
            layer(x, x, x)
    with pytest.raises(errors.ArgumentError, match="attention returns a pair"):
        layer(x, x, return_attention_scores=True)
