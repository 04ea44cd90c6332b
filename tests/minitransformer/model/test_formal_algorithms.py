"""The algorithms of Phuong & Hutter (2022), written out number by number, against this library.

As in the paper a sequence is a matrix with a column for each token, `Mask[t_z, t_x]` says whether
query t_x may attend to key t_z; indices count from 0 instead of 1. The algorithms use no product of
matrices and no axis: each number is computed by a loop.
"""

import functools
import importlib
import math
import re

import numpy as np
import pytest
from model_checks import randomized

import minitransformer
from minigrad import optim
from minigrad.functional import cross_entropy, softmax
from minitransformer import (
    AttentionSizes,
    DecoderOnly,
    DecoderSizes,
    EncoderOnly,
    EncoderSizes,
    LayerNorm,
    MultiHeadAttention,
    Sizes,
    Transformer,
    attention,
    greedy,
    single_query,
)
from minitransformer.model.embedding import embed, embedding_table, unembedding
from minitransformer.model.encoder_only import hide
from minitransformer.model.positions import Learned, add_nothing
from minitransformer.training.decoding import sample

RNG = np.random.default_rng(0)
H = 2  # heads, in every model below


def close(ours, literal):
    ours = ours.data if hasattr(ours, "data") else ours
    np.testing.assert_allclose(ours, literal, rtol=1e-11, atol=1e-11)


# --- what the algorithms are written with -------------------------------------------------------------


def times(W, x):
    """W x."""
    y = np.zeros(len(W))
    for i in range(len(W)):
        for j in range(len(x)):
            y[i] += W[i, j] * x[j]
    return y


def inner(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def softmax_(s):
    total = 0.0
    for x in s:
        total += math.exp(x)
    return [math.exp(x) / total for x in s]


def ReLU(x):
    return max(0.0, x)


def GELU(x):
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def columns(vectors):
    return np.array(vectors).T


# --- algorithms 1 to 7: the parts ---------------------------------------------------------------------


def algorithm_1(v, W_e):
    """Token embedding: token ID -> vector."""
    e = np.zeros(len(W_e))
    for i in range(len(W_e)):
        e[i] = W_e[i, v]
    return e


def algorithm_2(t, W_p):
    """Positional embedding: position -> vector."""
    e = np.zeros(len(W_p))
    for i in range(len(W_p)):
        e[i] = W_p[i, t]
    return e


def algorithm_3(e, context, W_q, b_q, W_k, b_k, W_v, b_v):
    """Basic single-query attention."""
    q = times(W_q, e) + b_q
    k, v, scores = [], [], []
    for e_t in context:
        k.append(times(W_k, e_t) + b_k)
        v.append(times(W_v, e_t) + b_v)
        scores.append(inner(q, k[-1]) / math.sqrt(len(q)))
    alpha = softmax_(scores)
    out = np.zeros(len(v[0]))
    for t in range(len(context)):
        out += alpha[t] * v[t]
    return out, alpha


def algorithm_4(X, Z, W_q, b_q, W_k, b_k, W_v, b_v, Mask):
    """Attention: each column of X attends to the columns of Z."""
    Q = columns([times(W_q, x) + b_q for x in X.T])
    K = columns([times(W_k, z) + b_k for z in Z.T])
    V = columns([times(W_v, z) + b_v for z in Z.T])
    l_z, l_x = Z.shape[1], X.shape[1]
    S = np.zeros((l_z, l_x))
    for t_z in range(l_z):
        for t_x in range(l_x):
            S[t_z, t_x] = inner(K[:, t_z], Q[:, t_x])
            if not Mask[t_z, t_x]:
                S[t_z, t_x] = -math.inf
    out = np.zeros((len(V), l_x))
    for t_x in range(l_x):
        alpha = softmax_(S[:, t_x] / math.sqrt(len(Q)))
        for t_z in range(l_z):
            out[:, t_x] += alpha[t_z] * V[:, t_z]
    return out


def algorithm_5(X, Z, heads, W_o, b_o, Mask):
    """Multi-head attention; `heads` holds the six parameters of each."""
    Y = []
    for head in heads:
        Y += list(algorithm_4(X, Z, *head, Mask))
    Y = np.array(Y)
    return columns([times(W_o, y) + b_o for y in Y.T])


def algorithm_6(e, gamma, beta):
    """Layer norm."""
    m, v = 0.0, 0.0
    for x in e:
        m += x / len(e)
    for x in e:
        v += (x - m) ** 2 / len(e)
    out = np.zeros(len(e))
    for i in range(len(e)):
        out[i] = (e[i] - m) / math.sqrt(v) * gamma[i] + beta[i]
    return out


def algorithm_7(e, W_u):
    """Unembedding: vector -> distribution over the vocabulary."""
    return np.array(softmax_(times(W_u, e)))


# --- where their parameters are in a state dict -------------------------------------------------------


def heads_of(w, name):
    def part(which, h):
        W, b = w[f"{name}.{which}.weight"].T, w[f"{name}.{which}.bias"]
        n = len(W) // H
        return W[h * n : (h + 1) * n], b[h * n : (h + 1) * n]

    return [(*part("query", h), *part("key", h), *part("value", h)) for h in range(H)]


def mha(w, name, X, Z, Mask):
    W_o, b_o = w[f"{name}.output.weight"].T, w[f"{name}.output.bias"]
    return algorithm_5(X, Z, heads_of(w, name), W_o, b_o, Mask)


def norm(w, name, X):
    return columns([algorithm_6(x, w[f"{name}.gain"], w[f"{name}.bias"]) for x in X.T])


def mlp(w, name, X, activation):
    W_1, b_1 = w[f"{name}.widen.weight"].T, w[f"{name}.widen.bias"]
    W_2, b_2 = w[f"{name}.narrow.weight"].T, w[f"{name}.narrow.bias"]
    Y = []
    for x in X.T:
        hidden = [activation(n) for n in times(W_1, x) + b_1]
        Y.append(times(W_2, hidden) + b_2)
    return columns(Y)


def embedded(w, name, tokens):
    W_e = w[f"{name}.weight"].T
    W_e = W_e * math.sqrt(len(W_e))  # this library scales by sqrt(D), as Vaswani et al. do
    W_p = w["positions.table.weight"].T
    return columns([algorithm_1(v, W_e) + algorithm_2(t, W_p) for t, v in enumerate(tokens)])


def distributions(w, X):
    return columns([algorithm_7(x, w["unembedding.weight"].T) for x in X.T])


def everything(l_z, l_x):
    return np.ones((l_z, l_x), dtype=bool)


def no_future(l_x):
    return np.array([[t <= t2 for t2 in range(l_x)] for t in range(l_x)])


# --- algorithms 8 to 10: the models -------------------------------------------------------------------


def algorithm_8(z, x, w, L_enc, L_dec):
    """Encoder-decoder transformer: P[:, t] is the distribution of the token after x[t]."""
    Z = embedded(w, "source_embedding", z)
    for i in range(L_enc):
        name = f"encoder.layers.{i}"
        Z = Z + mha(w, f"{name}.self_attention", Z, Z, everything(len(z), len(z)))
        Z = norm(w, f"{name}.residual1.norm", Z)
        Z = Z + mlp(w, f"{name}.feed_forward", Z, ReLU)
        Z = norm(w, f"{name}.residual2.norm", Z)
    X = embedded(w, "target_embedding", x)
    for i in range(L_dec):
        name = f"decoder.layers.{i}"
        X = X + mha(w, f"{name}.self_attention", X, X, no_future(len(x)))
        X = norm(w, f"{name}.residual1.norm", X)
        X = X + mha(w, f"{name}.cross_attention", X, Z, everything(len(z), len(x)))
        X = norm(w, f"{name}.residual2.norm", X)
        X = X + mlp(w, f"{name}.feed_forward", X, ReLU)
        X = norm(w, f"{name}.residual3.norm", X)
    return distributions(w, X)


def algorithm_9(x, w, L):
    """Encoder-only transformer: P[:, t] is the distribution of the token at t."""
    X = embedded(w, "embedding", x)
    for i in range(L):
        name = f"encoder.layers.{i}"
        X = X + mha(w, f"{name}.self_attention", X, X, everything(len(x), len(x)))
        X = norm(w, f"{name}.residual1.norm", X)
        X = X + mlp(w, f"{name}.feed_forward", X, GELU)
        X = norm(w, f"{name}.residual2.norm", X)
    W_f, b_f = w["final.weight"].T, w["final.bias"]
    X = columns([[GELU(n) for n in times(W_f, e) + b_f] for e in X.T])
    X = norm(w, "norm", X)
    return distributions(w, X)


def algorithm_10(x, w, L):
    """Decoder-only transformer: P[:, t] is the distribution of the token after x[t]."""
    X = embedded(w, "embedding", x)
    for i in range(L):
        name = f"stack.layers.{i}"
        Y = norm(w, f"{name}.residual1.norm", X)
        X = X + mha(w, f"{name}.self_attention", Y, Y, no_future(len(x)))
        Y = norm(w, f"{name}.residual2.norm", X)
        X = X + mlp(w, f"{name}.feed_forward", Y, GELU)
    X = norm(w, "stack.norm", X)
    return distributions(w, X)


def as_in_the_paper(model, seed=0):
    """Random weights in float64; no epsilon in the norms, and no bias in the unembedding."""
    randomized(model, seed)
    for _, module in model.named_modules():
        if isinstance(module, LayerNorm):
            module.eps = 0.0
    model.unembedding.bias.copy_(np.zeros(model.unembedding.bias.shape))
    return model, model.state_dict()


def encoder_decoder(layers=2):
    return as_in_the_paper(
        Transformer(
            Sizes(
                7, 6, width=4, heads=H, feed_forward=3, positions="learned", longest=6,
                encoder_layers=layers, decoder_layers=layers,
            )
        )
    )  # fmt: skip


def encoder_only(layers=2):
    sizes = EncoderSizes(7, layers=layers, width=4, heads=H, feed_forward=3, longest=6)
    return as_in_the_paper(EncoderOnly(sizes))


def decoder_only(layers=2):
    sizes = DecoderSizes(7, layers=layers, width=4, heads=H, feed_forward=3, longest=6)
    return as_in_the_paper(DecoderOnly(sizes))


Z, X = [3, 5, 4, 6], [1, 4, 3, 5, 5]

# --- the table in the documentation -----------------------------------------------------------------


def test_every_row_of_the_table_names_what_there_is_and_has_a_test():
    rows = re.findall(r"^ +(\d+)  (\S.*?)  +(.*)$", minitransformer.__doc__, flags=re.M)
    assert [int(number) for number, _, _ in rows] == list(range(1, 16))
    for number, _, place in rows:
        names = re.findall(r"`([\w.]+)`", place)
        assert names, place
        for name in names:
            module, _, attribute = name.rpartition(".")
            if module and module[0].islower():
                found = importlib.import_module(f"minitransformer.{module}")
                assert hasattr(found, attribute), name
            else:
                assert functools.reduce(getattr, name.split("."), minitransformer), name
        assert any(test.startswith(f"test_{number}_") for test in globals()), number


# --- the parts, compared ----------------------------------------------------------------------------


def test_1_token_embedding():
    table = randomized(embedding_table(7, 4))
    W_e = table.weight.data.T
    for v in range(7):
        close(table(np.array(v)), algorithm_1(v, W_e))
        close(embed(np.array([[v]]), table, add_nothing)[0, 0], 2 * algorithm_1(v, W_e))


def test_2_positional_embedding():
    positions = randomized(Learned(6, 4))
    W_p = positions.table.weight.data.T
    placed = positions(np.zeros((5, 4)))
    for t in range(5):
        close(placed[t], algorithm_2(t, W_p))
        close(positions(np.zeros((1, 4)), offset=t)[0], algorithm_2(t, W_p))


def qkv(d_x, d_z, d_attn, d_out):
    W = [RNG.normal(size=s) for s in ((d_attn, d_x), (d_attn, d_z), (d_out, d_z))]
    b = [RNG.normal(size=len(M)) for M in W]
    return [W[0], b[0], W[1], b[1], W[2], b[2]]


def test_3_basic_single_query_attention():
    W_q, b_q, W_k, b_k, W_v, b_v = given = qkv(4, 5, 3, 2)
    e, context = RNG.normal(size=4), RNG.normal(size=(6, 5))
    output, weights = single_query(W_q @ e + b_q, context @ W_k.T + b_k, context @ W_v.T + b_v)
    expected, alpha = algorithm_3(e, context, *given)
    close(output, expected)
    close(weights, alpha)


def test_4_attention():
    W_q, b_q, W_k, b_k, W_v, b_v = given = qkv(4, 5, 3, 2)
    x, z = RNG.normal(size=(3, 4)), RNG.normal(size=(6, 5))
    mask = RNG.random((3, 6)) < 0.6
    mask[:, 0] = True
    output, _ = attention(x @ W_q.T + b_q, z @ W_k.T + b_k, z @ W_v.T + b_v, mask)
    close(output.T, algorithm_4(x.T, z.T, *given, mask.T))


def test_5_multi_head_attention():
    layer = randomized(
        MultiHeadAttention(
            AttentionSizes(4, H, context_width=5, key_width=3, value_width=2, output_width=6)
        )
    )
    x, z = RNG.normal(size=(3, 4)), RNG.normal(size=(6, 5))
    mask = RNG.random((3, 6)) < 0.6
    mask[:, 0] = True
    output, _ = layer(x, z, mask)
    w = {f"layer.{name}": a for name, a in layer.state_dict().items()}
    close(output.data.T, mha(w, "layer", x.T, z.T, mask.T))


def test_6_layer_norm():
    layer = randomized(LayerNorm(5, eps=0.0))
    for e in RNG.normal(size=(3, 5)):
        close(layer(e), algorithm_6(e, layer.gain.data, layer.bias.data))


@pytest.mark.parametrize("tied", [False, True])
def test_7_unembedding(tied):
    table = randomized(embedding_table(7, 4))
    layer = randomized(unembedding(table, tied), seed=1)
    layer.bias.copy_(np.zeros(7))
    W_u = table.weight.data if tied else layer.weight.data.T
    e = RNG.normal(size=4)
    close(softmax(layer(e)), algorithm_7(e, W_u))


# --- the models, compared ---------------------------------------------------------------------------


def test_8_encoder_decoder_transformer():
    model, w = encoder_decoder()
    P = softmax(model(np.array([Z]), np.array([X])))
    close(P.data[0].T, algorithm_8(Z, X, w, 2, 2))


def test_9_encoder_only_transformer():
    model, w = encoder_only()
    close(softmax(model(np.array([X]))).data[0].T, algorithm_9(X, w, 2))


def test_10_decoder_only_transformer():
    model, w = decoder_only()
    close(softmax(model(np.array([X]))).data[0].T, algorithm_10(X, w, 2))


# --- algorithms 11 to 13: training --------------------------------------------------------------------


def one_step(model, w, loss, literal_loss, eta=0.1):
    """theta <- theta - eta grad loss, for some numbers of every parameter; the slopes are differences
    of the loss written out."""
    sgd = optim.SGD(model.parameters(), lr=eta)
    loss.backward()
    assert loss.item() == pytest.approx(literal_loss(w), rel=1e-11)
    sgd.step()
    h = 1e-6
    for name, after in model.state_dict().items():
        places = list(np.ndindex(after.shape))
        for i in RNG.choice(len(places), size=2):
            sides = []
            for step in (h, -h):
                moved = w[name].copy()
                moved[places[i]] += step
                sides.append(literal_loss({**w, name: moved}))
            slope = (sides[0] - sides[1]) / (2 * h)
            if name != "unembedding.bias":  # the paper has none
                assert after[places[i]] == pytest.approx(w[name][places[i]] - eta * slope, abs=1e-8)


def test_11_sequence_to_sequence_training():
    model, w = encoder_decoder(layers=1)
    z, x = np.array([Z]), np.array([X])
    loss = cross_entropy(model(z, x[:, :-1]), x[:, 1:], reduction="sum")

    def literal_loss(w):
        P = algorithm_8(Z, X, w, 1, 1)
        total = 0.0
        for t in range(len(X) - 1):
            total -= math.log(P[X[t + 1], t])
        return total

    one_step(model, w, loss, literal_loss)


def test_12_training_on_masked_tokens():
    model, w = encoder_only(layers=1)
    mask_token, p_mask = 2, 0.5
    read, guess = hide(np.array([X]), mask_token, p_mask, rng=np.random.default_rng(1))
    loss = cross_entropy(model(read), guess, ignore_index=0, reduction="sum")

    chance = np.random.default_rng(1).random(len(X))
    x_seen, hidden = list(X), []
    for t in range(len(X)):
        if chance[t] < p_mask:
            x_seen[t] = mask_token
            hidden.append(t)
    assert 0 < len(hidden) < len(X)
    assert read[0].tolist() == x_seen

    def literal_loss(w):
        P = algorithm_9(x_seen, w, 1)
        total = 0.0
        for t in hidden:
            total -= math.log(P[X[t], t])
        return total

    one_step(model, w, loss, literal_loss)


def test_13_training_on_next_tokens():
    model, w = decoder_only(layers=1)
    x = np.array([X])
    loss = cross_entropy(model(x[:, :-1]), x[:, 1:], reduction="sum")

    def literal_loss(w):
        P = algorithm_10(X, w, 1)
        total = 0.0
        for t in range(len(X) - 1):
            total -= math.log(P[X[t + 1], t])
        return total

    one_step(model, w, loss, literal_loss)


def test_hiding_spares_padding_and_hides_as_often_as_asked():
    tokens = np.where(np.arange(1000) < 900, 5, 0)[None]
    read, guess = hide(tokens, 2, 0.25, rng=np.random.default_rng(0))
    assert not (read[tokens == 0] == 2).any()
    np.testing.assert_array_equal(guess != 0, read == 2)
    np.testing.assert_array_equal(guess[read == 2], 5)
    assert (read == 2).sum() == pytest.approx(225, abs=45)


# --- algorithms 14 and 15: inference ------------------------------------------------------------------

BOS, EOS = 1, 2
NEVER = (0, BOS)  # padding and the start symbol are no symbols to write


def drawn(p, tau, u):
    """A token from q, which is proportional to p^(1 / tau): the one that u in [0, 1) falls to."""
    q = [0.0 if v in NEVER else p[v] ** (1 / tau) for v in range(len(p))]
    total = 0.0
    for share in q:
        total += share
    below = 0.0
    for v in range(len(q)):
        below += q[v] / total
        if u < below:
            return v
    raise AssertionError("u is below 1")


def algorithm_14(x, l_gen, w, tau, chance):
    """Prompting a decoder-only model; it may end early, as this library does."""
    x, y = list(x), []
    while len(y) < l_gen:
        P = algorithm_10(x, w, 1)
        y.append(drawn(P[:, len(x) - 1], tau, chance.random()))
        x.append(y[-1])
        if y[-1] == EOS:
            break
    return y


def algorithm_15(z, w, tau, chance, longest):
    """Sequence-to-sequence inference."""
    x, y = [BOS], None
    while y != EOS and len(x) <= longest:
        P = algorithm_8(z, x, w, 1, 1)
        y = drawn(P[:, len(x) - 1], tau, chance.random())
        x.append(y)
    return x[1:]


@pytest.mark.parametrize("tau", [0.5, 1.0, 3.0])
def test_14_prompting_a_decoder_only_model(tau):
    model, w = decoder_only(layers=1)
    prompt = [BOS, 4, 3]
    written = sample(model, np.array([prompt]), 2, temperature=tau, rng=np.random.default_rng(7))
    expected = algorithm_14(prompt, 3, w, tau, np.random.default_rng(7))
    assert written[0].tolist() == expected


@pytest.mark.parametrize("tau", [0.5, 1.0, 3.0])
def test_15_sequence_to_sequence_inference(tau):
    model, w = encoder_decoder(layers=1)
    written = sample(model, np.array([Z]), 4, temperature=tau, rng=np.random.default_rng(7))
    assert written[0].tolist() == algorithm_15(Z, w, tau, np.random.default_rng(7), longest=5)


@pytest.mark.parametrize("seed", range(3))
def test_15_at_temperatures_towards_zero_is_greedy(seed):
    model, _ = encoder_decoder(layers=1)
    model, w = as_in_the_paper(model, seed)
    cold = algorithm_15(Z, w, 1e-2, np.random.default_rng(7), longest=5)
    assert greedy(model, np.array([Z]), 4)[0].tolist() == cold
