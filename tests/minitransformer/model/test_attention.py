"""Attention against loops written out by hand, finite differences, and rows with nothing to see."""

import math

import numpy as np
import pytest
from layouts import LAYOUTS, laid_out, tensor
from model_checks import check_gradients, random_tensor, randomized, weighted_sum

from minigrad import Tensor, errors
from minigrad.nn import Module
from minitransformer import (
    SCORES,
    Additive,
    Concat,
    General,
    Weights,
    attention,
    dot,
    masks,
    scaled_dot,
    single_query,
)
from minitransformer.model.scores import score_named

RNG = np.random.default_rng(1)
B, H, T, S, K, V = 2, 3, 4, 5, 6, 2
SOME = RNG.random((B, H, T, S)) < 0.6
SOME[..., 0] = True  # every query sees at least one key
MASKS = [None, SOME, SOME[0, 0], SOME[:, :1, :1]]


def literal(query, key, value, mask, score, phi=math.exp):
    """One batch and head, query by query and key by key."""
    weights, output = np.zeros((len(query), len(key))), np.zeros((len(query), value.shape[1]))
    for t in range(len(query)):
        total = 0.0
        for s in range(len(key)):
            if mask[t, s]:
                weights[t, s] = phi(score(query[t], key[s]))
                total += weights[t, s]
        for s in range(len(key)):
            if total:
                weights[t, s] /= total
            output[t] += weights[t, s] * value[s]
    return output, weights


def inner(a, b):
    return sum(x * y for x, y in zip(a, b))


def literal_score(name, w):
    """The score of one query and one key, as its paper writes it."""
    return {
        "dot": inner,
        "scaled_dot": lambda q, k: inner(q, k) / math.sqrt(len(q)),
        "general": lambda q, k: inner(q, w["weight"] @ k),
        "concat": lambda q, k: inner(
            w["vector"][:, 0], np.tanh(w["weight"].T @ np.concatenate([q, k]))
        ),
        "additive": lambda q, k: inner(
            w["vector"][:, 0], np.tanh(w["query"].T @ q + w["key"].T @ k)
        ),
    }[name]


def made(name, heads=None, width=K):
    score = score_named(name, width, heads)
    return randomized(score) if isinstance(score, Module) else score


def weights_of(score, head=None):
    state = score.state_dict() if isinstance(score, Module) else {}
    return state if head is None else {name: a[head] for name, a in state.items()}


# --- scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("heads", [None, H])
@pytest.mark.parametrize("mask", MASKS, ids=lambda m: str(np.shape(m)))
@pytest.mark.parametrize("name", SCORES)
def test_equals_the_loops(name, mask, heads):
    score = made(name, heads)
    q, k, v = (
        RNG.normal(size=(B, H, T, K)),
        RNG.normal(size=(B, H, S, K)),
        RNG.normal(size=(B, H, S, V)),
    )
    output, weights = attention(Tensor(q), Tensor(k), Tensor(v), mask, score=score)
    seen = np.broadcast_to(True if mask is None else mask, (B, H, T, S))
    for b, h in np.ndindex(B, H):
        one = literal_score(name, weights_of(score, h if heads else None))
        o, w = literal(q[b, h], k[b, h], v[b, h], seen[b, h], one)
        np.testing.assert_allclose(output.data[b, h], o, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(weights.data[b, h], w, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("heads", [None, 2])
@pytest.mark.parametrize("name", SCORES)
def test_gradients(name, heads):
    score = made(name, heads, width=3)
    q, k, v = (random_tensor(2, n, w, seed=n) for n, w in ((3, 3), (4, 3), (4, 2)))
    check_gradients(
        lambda q, k, v: attention(q, k, v, SOME[0, :2, :3, :4], score=score),
        q, k, v,
        module=score if isinstance(score, Module) else None,
    )  # fmt: skip


@pytest.mark.parametrize("kind", [General, Concat, Additive])
def test_scores_that_learn_compare_queries_and_keys_of_different_widths(kind):
    score = randomized(kind(3, 5))
    q, k, v = random_tensor(T, 3), random_tensor(S, 5), random_tensor(S, V)
    output, _ = attention(q, k, v, score=score)
    one = literal_score(kind.__name__.lower(), weights_of(score))
    expected, _ = literal(q.data, k.data, v.data, np.ones((T, S), bool), one)
    np.testing.assert_allclose(output.data, expected, rtol=1e-11, atol=1e-11)
    check_gradients(lambda q, k: score(q, k), q, k, module=score)


@pytest.mark.parametrize("heads", [None, 3])
def test_concat_and_additive_are_the_same_function(heads):
    one, other = randomized(Concat(3, 5, heads, hidden=4)), Additive(3, 5, heads, hidden=4)
    both = one.weight.data
    other.astype(np.float64).load_state_dict(
        {"query": both[..., :3, :], "key": both[..., 3:, :], "vector": one.vector.data}
    )
    q, k = random_tensor(2, 3, T, 3), random_tensor(2, 3, S, 5)
    np.testing.assert_allclose(one(q, k).data, other(q, k).data, rtol=1e-12, atol=1e-12)


def test_scaling_keeps_the_variance_of_scores():
    q, k = RNG.normal(size=(500, 64)), RNG.normal(size=(500, 64))
    assert np.var(dot(q, k)) == pytest.approx(64, rel=0.1)
    assert np.var(scaled_dot(q, k)) == pytest.approx(1, rel=0.1)


def test_an_unknown_score_is_refused_with_the_names_of_all():
    with pytest.raises(errors.ConfigError, match=r"'dot'.*'additive', not 'cosine'"):
        score_named("cosine", 4)
    row = np.ones((1, 2))
    with pytest.raises(errors.ConfigError, match="score is a function, not 'dot'"):
        attention(row, row, row, score="dot")


# --- one query ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCORES)
def test_a_single_query_is_a_row_of_many(name):
    score = made(name)
    q, k, v = random_tensor(T, K), random_tensor(S, K, seed=1), random_tensor(S, V, seed=2)
    mask = SOME[0, 0]
    output, weights = attention(q, k, v, mask, score=score)
    for t in range(T):
        o, w = single_query(q[t], k, v, mask[t], score=score)
        assert o.shape == (V,)
        assert w.shape == (S,)
        np.testing.assert_allclose(o.data, output.data[t], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(w.data, weights.data[t], rtol=1e-12, atol=1e-12)


def test_gradients_of_a_single_query():
    q, k, v = random_tensor(3), random_tensor(4, 3, seed=1), random_tensor(4, 2, seed=2)
    check_gradients(lambda q, k, v: single_query(q, k, v), q, k, v)


# --- phi ------------------------------------------------------------------------------------------

PHIS = {
    "square": (np.square, lambda s: s * s),
    "one and more": (lambda s: 1 + np.square(s), lambda s: 1 + s * s),
    "powers of two": (np.exp2, lambda s: 2.0**s),
}


@pytest.mark.parametrize("phi", PHIS)
@pytest.mark.parametrize("mask", [None, SOME[0, 0]], ids=["no mask", "mask"])
def test_phi_can_be_replaced(phi, mask):
    phi, literal_phi = PHIS[phi]
    q, k, v = random_tensor(T, K), random_tensor(S, K, seed=1), random_tensor(S, V, seed=2)
    output, weights = attention(q, k, v, mask, phi=phi)
    seen = np.ones((T, S), bool) if mask is None else mask
    o, w = literal(q.data, k.data, v.data, seen, literal_score("scaled_dot", {}), literal_phi)
    np.testing.assert_allclose(output.data, o, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(weights.data, w, rtol=1e-11, atol=1e-11)
    check_gradients(lambda q, k, v: attention(q, k, v, mask, phi=phi), q, k, v)


def test_exp_by_another_name_is_the_same_attention():
    q, k, v = random_tensor(T, K), random_tensor(S, K, seed=1), random_tensor(S, V, seed=2)
    mask = masks.causal(T, S)
    for one, other in zip(
        attention(q, k, v, mask), attention(q, k, v, mask, phi=lambda s: np.exp(s))
    ):
        np.testing.assert_allclose(one.data, other.data, rtol=1e-12)


# --- rows -----------------------------------------------------------------------------------------


def test_weights_of_a_row_sum_to_one():
    _, weights = attention(random_tensor(4, 3), random_tensor(5, 3), random_tensor(5, 2))
    np.testing.assert_allclose(weights.data.sum(axis=-1), 1)


def test_each_row_has_its_own_maximum():
    """One maximum for the whole array would leave rows far below it with 0 / 0."""
    q, k = Tensor([[1000.0, 0.0], [0.0, 1.0]]), Tensor([[1.0, 0.0], [0.0, 1.0]])
    _, weights = attention(q, k, k, score=dot)
    np.testing.assert_allclose(weights.data[0], [1, 0])
    np.testing.assert_allclose(weights.data[1], np.exp([0, 1]) / np.exp([0, 1]).sum(), rtol=1e-6)


@pytest.mark.parametrize("phi", [np.exp, np.square], ids=["exp", "square"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_query_with_nothing_to_attend_to(dtype, phi):
    """Zero weights, zero output, finite gradients; the other rows are what they are without it."""
    mask = np.ones((4, 5), dtype=bool)
    mask[2] = False
    others = [0, 1, 3]

    def run(mask):
        q, k = random_tensor(4, 3, seed=4, dtype=dtype), random_tensor(5, 3, seed=5, dtype=dtype)
        v = random_tensor(5, 2, seed=7, dtype=dtype)
        output, weights = attention(q, k, v, mask, phi=phi)
        (output[others] * np.arange(1, 7, dtype=dtype).reshape(3, 2)).sum().backward()
        return output, weights, (q.grad, k.grad, v.grad)

    output, weights, gradients = run(mask)
    np.testing.assert_array_equal(weights.data[2], 0)
    np.testing.assert_array_equal(output.data[2], 0)
    seen, _, expected = run(np.ones((4, 5), dtype=bool))
    np.testing.assert_array_equal(output.data[others], seen.data[others])
    for g, e in zip(gradients, expected):
        assert np.isfinite(g.data).all()
        assert g.dtype == dtype
        np.testing.assert_allclose(g.data, e.data, rtol=1e-5, atol=1e-7)


def test_nothing_to_attend_to_passes_no_gradient_on():
    q, k, v = random_tensor(2, 3), random_tensor(4, 3, seed=1), random_tensor(4, 2, seed=2)
    output, _ = attention(q, k, v, np.zeros((2, 4), dtype=bool))
    output.sum().backward()
    for leaf in (q, k, v):
        np.testing.assert_array_equal(leaf.grad.data, 0)


# --- orders in memory -----------------------------------------------------------------------------


def in_numpy(q, k, v, mask):
    """softmax(Q K^T / sqrt(K)) V, with zeros where nothing is seen: in float64 and C order."""
    q, k, v = (np.array(a, np.float64, order="C") for a in (q, k, v))
    scores = np.exp(q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1]))
    seen = scores * (True if mask is None else mask)
    total = seen.sum(axis=-1, keepdims=True)
    weights = seen / np.where(total == 0, 1, total)
    return weights @ v, weights


def in_layout(layout, *shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [laid_out(rng.standard_normal(shape), layout) for shape in shapes]


def seen_by(layout, lead):
    """Masks for the scores (..., T, S), in that order in memory."""
    some = np.random.default_rng(3).random((*lead, T, S)) < 0.6
    some[..., 1, :] = False  # this query has nothing to see
    masks_of = [
        some,
        some[..., :1, :],
        some[..., :1],
        some[(0,) * len(lead)],
        np.zeros((T, S), bool),
    ]
    return [None, *(laid_out(mask, layout) for mask in masks_of)]


@pytest.mark.parametrize("lead", [(), (2,), (3, 2), (2, 3, 2)], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_order_in_memory_does_not_matter(layout, lead):
    """Arrays and tensors, and the gradients by them; under masks of every form."""
    arrays = in_layout(layout, (*lead, T, K), (*lead, S, K), (*lead, S, V))
    for mask in seen_by(layout, lead):
        expected = in_numpy(*arrays, mask)
        tensors = [tensor(a, layout) for a in arrays]
        in_order = [tensor(np.array(a)) for a in arrays]
        found, usual = attention(*tensors, mask), attention(*in_order, mask)
        for given in (attention(*arrays, mask), found, usual):
            for a, e in zip(given, expected, strict=True):
                np.testing.assert_allclose(getattr(a, "data", a), e, rtol=1e-12, atol=1e-14)
        for output, weights in (found, usual):
            (weighted_sum(np.flip(output)) + weighted_sum(np.swapaxes(weights, 0, 1))).backward()
        for a, b in zip(tensors, in_order):
            np.testing.assert_allclose(a.grad.data, b.grad.data, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_order_in_memory_does_not_matter_to_any_score(layout, name):
    score = made(name)
    q, k, v = in_layout(layout, (H, B, T, K), (H, B, S, K), (H, B, S, V))
    mask = laid_out(np.swapaxes(SOME, 0, 1), layout)
    found = attention(Tensor(q), Tensor(k), Tensor(v), mask, score=score)
    usual = attention(*(Tensor(np.array(a, order="C")) for a in (q, k, v)), mask, score=score)
    for a, b in zip(found, usual):
        np.testing.assert_allclose(a.data, b.data, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_order_in_memory_does_not_matter_to_one_query(layout):
    q, k, v = in_layout(layout, (K,), (S, K), (S, V))
    mask = laid_out(SOME[0, 0, 0], layout)
    for seen in (None, mask, np.zeros(S, bool)):
        expected = in_numpy(q[None], k, v, None if seen is None else seen[None])
        for a, e in zip(single_query(Tensor(q), Tensor(k), Tensor(v), seen), expected):
            np.testing.assert_allclose(a.data, e[0], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_float32_and_float64_mixed_in_any_order(layout):
    """The wider one decides; each gradient has the dtype of its own argument."""
    arrays = in_layout(layout, (3, 2, T, K), (3, 2, S, K), (3, 2, S, V))
    for i in range(3):
        given = [a.astype(np.float64 if j == i else np.float32) for j, a in enumerate(arrays)]
        tensors = [tensor(a, layout) for a in given]
        output, weights = attention(*tensors)
        assert (output.dtype, weights.dtype) == (np.float64, np.float64 if i < 2 else np.float32)
        for a, e in zip((output, weights), in_numpy(*given, None)):
            np.testing.assert_allclose(a.data, e, rtol=1e-5, atol=1e-6)
        weighted_sum(output).backward()
        assert [x.grad.dtype for x in tensors] == [a.dtype for a in given]


# --- what cannot be -------------------------------------------------------------------------------


def test_keys_and_values_must_be_equal_in_number():
    with pytest.raises(errors.ShapeError, match=r"keys \(5, 3\).*values \(4, 3\)"):
        attention(random_tensor(2, 3), random_tensor(5, 3), random_tensor(4, 3))


@pytest.mark.parametrize("score", [dot, scaled_dot])
def test_products_need_queries_and_keys_of_one_width(score):
    with pytest.raises(errors.ShapeError, match=r"queries \(2, 3\).*keys \(5, 4\)"):
        attention(random_tensor(2, 3), random_tensor(5, 4), random_tensor(5, 4), score=score)


@pytest.mark.parametrize("kind", [General, Concat, Additive])
def test_a_score_that_learns_is_made_for_certain_widths(kind):
    with pytest.raises(errors.ShapeError, match=r"3 wide .* 5 wide.*\(2, 3\).*\(5, 4\)"):
        attention(random_tensor(2, 3), random_tensor(5, 4), random_tensor(5, 4), score=kind(3, 5))


@pytest.mark.parametrize("shape", [(3, 5), (4, 4), (7, 4, 5), (1, 1, 1, 4, 5), (5,) * 2])
def test_a_mask_that_does_not_fit(shape):
    q, k = random_tensor(2, 4, 3), random_tensor(2, 5, 3)
    with pytest.raises(errors.ShapeError, match=r"does not broadcast to the scores \(2, 4, 5\)"):
        attention(q, k, k, np.ones(shape, dtype=bool))


def test_a_mask_that_is_no_array():
    q = random_tensor(2, 3)
    with pytest.raises(errors.DTypeError, match=r"an array of booleans.*not list"):
        attention(q, q, q, [[True, True], [True, False]])


@pytest.mark.parametrize("which", range(3))
def test_a_vector_in_place_of_a_matrix_is_refused(which):
    arrays = [np.ones((2, 3)), np.ones((4, 3)), np.ones((4, 5))]
    arrays[which] = arrays[which][0]
    with pytest.raises(errors.ShapeError, match="are matrices at least"):
        attention(*arrays)


def test_a_query_alone_is_pointed_to_the_function_for_it():
    q, k = random_tensor(3), random_tensor(2, 3)
    with pytest.raises(errors.ShapeError, match=r"queries \(3,\).*single_query"):
        attention(q, k, k)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_a_mask_of_numbers_is_refused(dtype):
    """One to be added to the scores would be read as its opposite: 0 = may be attended to."""
    q = random_tensor(4, 3)
    with pytest.raises(errors.DTypeError, match=rf"booleans.*not {np.dtype(dtype)}"):
        attention(q, q, q, np.ones((4, 4), dtype=dtype))


# --- labels ---------------------------------------------------------------------------------------


def test_weights_come_with_their_tokens():
    q, k, v = random_tensor(2, 3), random_tensor(4, 3, seed=1), random_tensor(4, 2, seed=2)
    _, plain = attention(q, k, v)
    weights = Weights(plain, "ab", ["the", "man", "hit", "it"])
    np.testing.assert_array_equal(weights.numpy(), plain.data)
    assert (weights.queries, weights.keys) == ("ab", ["the", "man", "hit", "it"])


def test_tokens_of_swapped_axes_are_refused():
    q, k = random_tensor(2, 3), random_tensor(4, 3)
    with pytest.raises(
        errors.ShapeError, match=r"\(2, 4\) do not fit 4 queries \(rows\) and 2 keys"
    ):
        Weights(attention(q, k, k)[1], "abcd", "ab")


def test_printed_with_queries_down_and_keys_across():
    values = np.array([[0.25, 0.75, 0.0], [0.0, 0.004, 0.996]])
    assert str(Weights(values, ["I", "am"], ["je", "suis", "."])).splitlines() == [
        "    je suis   .",
        " I  25   75   0",
        "am   0    0 100",
    ]


def test_heads_are_picked_by_index_and_printed_apart():
    weights = Weights(np.arange(8).reshape(2, 2, 2) / 8, "ab", "xy")
    np.testing.assert_array_equal(weights[1].numpy(), weights.numpy()[1])
    assert str(weights[1]) in str(weights)
    assert str(weights).splitlines()[0] == "[0]"
    with pytest.raises(errors.ShapeError, match=r"\(2,\) do not fit"):
        weights[0, 0]
