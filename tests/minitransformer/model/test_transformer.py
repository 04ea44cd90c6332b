"""The whole model: finite differences, PyTorch's functions, masks to the bit, float32 throughout."""

import math
from dataclasses import replace

import numpy as np
import pytest
from model_checks import check_gradients, quickly_the_first, randomized
from properties import given, settings, st

import minigrad as mg
from minigrad import errors
from minigrad import functional as F
from minigrad.functional import cross_entropy
from minitransformer import SCORES, Sizes, Transformer, attention, masks, sinusoidal
from minitransformer.model.feed_forward import FEED_FORWARDS
from minitransformer.model.positions import POSITIONS

SIZES = Sizes(9, 8, width=6, heads=2, feed_forward=5, encoder_layers=2, decoder_layers=2)
SOURCE = np.array([[3, 4, 5, 6, 7], [8, 3, 4, 0, 0], [5, 0, 0, 0, 0]])
READ = np.array([[1, 3, 4, 5], [1, 6, 7, 0], [1, 4, 0, 0]])
WRITE = np.array([[3, 4, 5, 2], [6, 7, 2, 0], [4, 2, 0, 0]])


def model(sizes=SIZES, dtype=np.float64):
    return randomized(Transformer(sizes), dtype=dtype)


def loss_of(model):
    return cross_entropy(model(SOURCE, READ), WRITE, ignore_index=0)


STYLES = [
    {},
    {"norm": "pre", "positions": "learned", "longest": 4},
    {"positions": "rotary", "width": 4, "heads": 2, "activation": "gated"},
    {"positions": "none", "score": "additive"},
    {"tied": "target"},
    {"tied": "all", "source_symbols": 5},
]


@pytest.mark.parametrize("style", quickly_the_first(STYLES))
def test_gradients(style):
    given = {"source_symbols": 4, "width": 3, "heads": 1, "feed_forward": 2, **style}
    m = randomized(Transformer(Sizes(target_symbols=5, **given)), seed=5)
    source, read = np.array([[3, 1, 0]]), np.array([[1, 4]])
    check_gradients(lambda: m(source, read), module=m)


def test_logits_and_all_gradients_equal_pytorchs():
    """The same model in torch.nn.functional, its mask polarity the same as here for this function."""
    torch = pytest.importorskip("torch")
    F = torch.nn.functional
    m = model()
    w = {name: torch.tensor(a, requires_grad=True) for name, a in m.state_dict().items()}

    def linear(x, name):
        return F.linear(x, w[f"{name}.weight"].T, w[f"{name}.bias"])

    def norm(x, name):
        return F.layer_norm(x, x.shape[-1:], w[f"{name}.gain"], w[f"{name}.bias"])

    def attend(x, context, mask, name):
        H = SIZES.heads
        q, k, v = (
            linear(z, f"{name}.{part}").unflatten(-1, (H, -1)).transpose(1, 2)
            for z, part in ((x, "query"), (context, "key"), (context, "value"))
        )
        heads = F.scaled_dot_product_attention(q, k, v, mask)
        return linear(heads.transpose(1, 2).flatten(2), f"{name}.output")

    def feed_forward(x, name):
        return linear(F.relu(linear(x, f"{name}.widen")), f"{name}.narrow")

    def embed(ids, name):
        D = SIZES.width
        positions = torch.tensor(sinusoidal(ids.shape[1], D, dtype="float64"))
        return F.embedding(torch.tensor(ids), w[f"{name}.weight"]) * math.sqrt(D) + positions

    source_mask = torch.tensor(masks.padding(SOURCE))
    x = embed(SOURCE, "source_embedding")
    for i in range(SIZES.encoder_layers):
        layer = f"encoder.layers.{i}"
        x = norm(
            x + attend(x, x, source_mask, f"{layer}.self_attention"), f"{layer}.residual1.norm"
        )
        x = norm(x + feed_forward(x, f"{layer}.feed_forward"), f"{layer}.residual2.norm")
    memory = x
    target_mask = torch.tensor(masks.causal(4) & masks.padding(READ))
    x = embed(READ, "target_embedding")
    for i in range(SIZES.decoder_layers):
        layer = f"decoder.layers.{i}"
        x = norm(
            x + attend(x, x, target_mask, f"{layer}.self_attention"), f"{layer}.residual1.norm"
        )
        y = attend(x, memory, source_mask, f"{layer}.cross_attention")
        x = norm(x + y, f"{layer}.residual2.norm")
        x = norm(x + feed_forward(x, f"{layer}.feed_forward"), f"{layer}.residual3.norm")
    logits = linear(x, "unembedding")
    loss = F.cross_entropy(logits.flatten(0, 1), torch.tensor(WRITE).flatten(), ignore_index=0)
    loss.backward()

    ours = m(SOURCE, READ)
    np.testing.assert_allclose(ours.data, logits.detach().numpy(), rtol=1e-9, atol=1e-9)
    our_loss = cross_entropy(ours, WRITE, ignore_index=0)
    our_loss.backward()
    assert our_loss.item() == pytest.approx(loss.item(), abs=1e-9)
    for name, parameter in m.named_parameters():
        np.testing.assert_allclose(
            parameter.grad.data, w[name].grad.numpy(), rtol=1e-9, atol=1e-9, err_msg=name
        )


# --- masks ----------------------------------------------------------------------------------------


def run(m, source, source_mask, read, write):
    """Logits, and the gradient of every parameter, of the loss over what is not padding."""
    m.zero_grad()
    logits = m.next_scores(read, m.encode(source, source_mask))
    cross_entropy(logits, write, ignore_index=0).backward()
    return logits.data, {name: p.grad.data for name, p in m.named_parameters()}


def test_a_padded_token_of_the_source_changes_nothing():
    m = model()
    mask = masks.padding(SOURCE)
    changed = SOURCE.copy()
    changed[SOURCE == 0] = 7
    logits, gradients = run(m, SOURCE, mask, READ, WRITE)
    logits2, gradients2 = run(m, changed, mask, READ, WRITE)
    np.testing.assert_array_equal(logits, logits2)
    for name in gradients:
        np.testing.assert_array_equal(gradients[name], gradients2[name], err_msg=name)


def test_more_padding_changes_no_more_than_rounding():
    m = model()
    longer = np.pad(SOURCE, [(0, 0), (0, 6)])
    np.testing.assert_allclose(m(longer, READ).data, m(SOURCE, READ).data, rtol=1e-12, atol=1e-12)


def test_a_padded_token_of_the_target_changes_nothing_elsewhere():
    """What the loss ignores may be any symbol: the causal mask alone hides what follows."""
    m = model()
    mask, real = masks.padding(SOURCE), READ != 0
    changed = READ.copy()
    changed[~real] = 5
    logits, gradients = run(m, SOURCE, mask, READ, WRITE * real)
    logits2, gradients2 = run(m, SOURCE, mask, changed, WRITE * real)
    np.testing.assert_array_equal(logits[real], logits2[real])
    for name in gradients:
        np.testing.assert_array_equal(gradients[name], gradients2[name], err_msg=name)


@pytest.mark.parametrize("t", [0, 1, 2])
def test_a_future_token_changes_nothing_before_it(t):
    m = model()
    read, write = READ[:1], WRITE[:1].copy()
    write[:, t + 1 :] = 0  # the loss looks at no position after t
    changed = read.copy()
    changed[:, t + 1 :] = 7
    mask = masks.padding(SOURCE[:1])
    logits, gradients = run(m, SOURCE[:1], mask, read, write)
    logits2, gradients2 = run(m, SOURCE[:1], mask, changed, write)
    np.testing.assert_array_equal(logits[:, : t + 1], logits2[:, : t + 1])
    assert not np.array_equal(logits[:, t + 1 :], logits2[:, t + 1 :])
    for name in gradients:
        np.testing.assert_array_equal(gradients[name], gradients2[name], err_msg=name)


def test_a_source_of_nothing_but_padding_is_no_nan():
    m = model()
    source = SOURCE.copy()
    source[1] = 0
    logits, gradients = run(m, source, masks.padding(source), READ, WRITE)
    assert np.isfinite(logits).all()
    assert all(np.isfinite(g).all() for g in gradients.values())
    others = [0, 2]
    np.testing.assert_array_equal(logits[others], m(SOURCE, READ).data[others])


def test_one_source_is_not_read_for_all_targets_unasked():
    message = r"1 sources \(1, 5\) and 3 targets \(3, 4\): give a target for each source"
    with pytest.raises(errors.ShapeError, match=message):
        model()(SOURCE[:1], READ)


# --- dtypes, positions, sizes -----------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_stays_what_it_is(dtype, style):
    given = {"source_symbols": 9, "width": 6, "heads": 3, "feed_forward": 5, **style}
    given |= {"source_symbols": 9, "longest": 9}
    m = model(Sizes(target_symbols=9, **given), dtype)
    with mg.record():
        loss = loss_of(m)
    waiting, seen = [loss._node], set()
    while waiting:
        node = waiting.pop()
        assert node.dtype == dtype, node
        for edge in node.edges:
            if edge.to not in seen and not isinstance(edge.to, mg.Tensor):
                seen.add(edge.to)
                waiting.append(edge.to)
    assert len(seen) > 60
    loss.backward()
    for name, parameter in m.named_parameters():
        assert parameter.grad.dtype == dtype, name
    assert loss_of(m).dtype == dtype


def test_the_order_of_the_source_matters():
    m = model()
    swapped = SOURCE[:1, [1, 0, 2, 3, 4]]
    assert not np.allclose(m(SOURCE[:1], READ[:1]).data, m(swapped, READ[:1]).data)


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", "rotary", "none"])
def test_outputs_change_when_and_only_when_order_changes(kind):
    """The encoder sees the order of the source with every kind of positions, and not with none."""
    sizes = Sizes(9, 8, width=6, heads=3, feed_forward=5, positions=kind)
    m = model(sizes)
    source, mask = SOURCE[:1], masks.padding(SOURCE[:1])
    order = [1, 0, 2, 4, 3]
    read = lambda ids: m.encode(ids, mask).vectors.data
    memory, moved = read(source), read(source[:, order])
    np.testing.assert_array_equal(memory, read(source.copy()))
    change = np.abs(moved - memory[:, order]).max()
    assert change < 1e-12 if kind == "none" else change > 1e-3


# --- weights tied -----------------------------------------------------------------------------------


def test_tied_matrices_are_one_parameter_with_the_gradients_of_all_its_uses():
    untied = Transformer(Sizes(8, 8, width=6, heads=2, feed_forward=5))
    for tied, ways in (("target", 2), ("all", 3)):
        m = model(Sizes(8, 8, width=6, heads=2, feed_forward=5, tied=tied))
        assert m.unembedding.weight is m.target_embedding.weight
        assert (m.source_embedding.weight is m.target_embedding.weight) == (ways == 3)
        saved = untied.parameters(), m.parameters()
        spared = [sum(p.size for p in parameters) for parameters in saved]
        assert spared[0] - spared[1] == (ways - 1) * 8 * 6

        state = m.state_dict()
        state["unembedding.weight"] = state["unembedding.weight"].T
        untied.astype(np.float64).load_state_dict(state)
        losses = [cross_entropy(each(SOURCE % 8, READ), WRITE) for each in (m, untied)]
        assert losses[0].item() == pytest.approx(losses[1].item(), rel=1e-12)
        untied.zero_grad()
        for loss in losses:
            loss.backward()
        gradient = untied.target_embedding.weight.grad.data + untied.unembedding.weight.grad.data.T
        if ways == 3:
            gradient = gradient + untied.source_embedding.weight.grad.data
        np.testing.assert_allclose(
            m.target_embedding.weight.grad.data, gradient, rtol=1e-10, atol=1e-12
        )


# --- attention weights ------------------------------------------------------------------------------


def test_all_attention_weights_with_their_tokens_and_the_masks_of_training():
    m = model()
    maps = m.attention_weights(SOURCE[1:2], READ[1:2], list("abcde"), list("wxyz"))
    for weights, shape, queries, keys in (
        (maps.encoder, (1, 2, 5, 5), "abcde", "abcde"),
        (maps.decoder, (1, 2, 4, 4), "wxyz", "wxyz"),
        (maps.cross, (1, 2, 4, 5), "wxyz", "abcde"),
    ):
        assert [w.shape for w in weights] == [shape] * 2
        assert "".join(weights[0].queries) == queries
        assert "".join(weights[0].keys) == keys
    for w in maps.encoder + maps.cross:
        np.testing.assert_array_equal(w.numpy()[..., 3:], 0)  # padding of the source
        np.testing.assert_allclose(w.numpy().sum(-1), 1)
    for w in maps.decoder:
        np.testing.assert_array_equal(w.numpy()[0, 0][np.triu_indices(4, 1)], 0)
    cross = m.decode(READ[1:2], m.encode(SOURCE[1:2])).cross
    np.testing.assert_array_equal(cross[1].data, maps.cross[1].numpy())


def test_the_same_seed_gives_the_same_model():
    def fresh():
        mg.manual_seed(3)
        return Transformer(SIZES).state_dict()

    first, second = fresh(), fresh()
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])


def test_dropout_works_while_training_only():
    m = randomized(Transformer(Sizes(9, 8, width=6, heads=2, feed_forward=5, dropout=0.5)))
    mg.manual_seed(0)
    m.train()
    assert not np.array_equal(m(SOURCE, READ).data, m(SOURCE, READ).data)
    m.eval()
    np.testing.assert_array_equal(m(SOURCE, READ).data, m(SOURCE, READ).data)


def test_dropout_is_on_the_embeddings_too():
    """With all but nothing left of a pre-norm encoder, its last norm is given zeros."""
    m = model(Sizes(9, 8, width=6, heads=2, feed_forward=5, norm="pre", dropout=1 - 1e-12))
    mg.manual_seed(0)
    memory = m.encode(SOURCE).vectors
    np.testing.assert_array_equal(memory.data, np.broadcast_to(m.encoder.norm.bias.data, (3, 5, 6)))


lengths = st.integers(1, 5)


@settings(max_examples=25)
@given(
    st.integers(1, 3), lengths, lengths, st.sampled_from([1, 2, 4]), st.integers(0, 1000),
    st.sampled_from(["post", "pre"]), st.sampled_from(sorted(POSITIONS)),
    st.sampled_from(sorted(FEED_FORWARDS)), st.sampled_from(sorted(SCORES)),
)  # fmt: skip
def test_shapes(B, S, T, heads, seed, norm, positions, activation, score):
    sizes = Sizes(
        9, 7, width=8, heads=heads, feed_forward=3, norm=norm, positions=positions,
        activation=activation, score=score, longest=5,
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, 9, (B, S)), rng.integers(0, 7, (B, T))
    m = Transformer(sizes)
    logits = m(source, target)
    assert logits.shape == (B, T, 7)
    assert logits.dtype == np.float32
    cross_entropy(logits, target).backward()
    assert all(np.isfinite(p.grad.data).all() for p in m.parameters())


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"width": 6, "heads": 4}, "4 heads .* 6"),
        ({"width": 0}, "width .* 0"),
        ({"encoder_layers": 1.5}, "encoder_layers .* 1.5"),
        ({"dropout": 1.0}, "dropout .* 1.0"),
        ({"norm": "both"}, "norm is one of 'post', 'pre', not 'both'"),
        ({"activation": "step"}, "activation .* not 'step'"),
        ({"positions": "magic"}, "positions .* not 'magic'"),
        ({"score": "cosine"}, "score .* not 'cosine'"),
        ({"tied": "source"}, "tied .* not 'source'"),
        ({"tied": "all"}, "9 and 8 symbols"),
    ],
)
def test_sizes_that_cannot_go_together(sizes, message):
    with pytest.raises(errors.ConfigError, match=message):
        Sizes(9, 8, **sizes)


@pytest.mark.parametrize("style", STYLES)
def test_logits_have_the_same_bits_where_no_gradient_is_wanted(style):
    fitting = {"width": 8, **style, "source_symbols": 9, "target_symbols": 9, "longest": 9}
    m = model(replace(SIZES, **fitting), np.float32)
    wanted = m(SOURCE, READ)
    with mg.no_grad():
        found = m(SOURCE, READ)
    assert wanted.requires_grad
    assert not found.requires_grad
    np.testing.assert_array_equal(found.numpy(), wanted.detach().numpy())


def test_a_definition_calls_with_arrays_what_can_do_with_them_alone():
    """A score of one's own that needs Tensors gets them; what it gives is nobody else's memory."""
    x, seen = mg.Tensor(np.ones((2, 3, 4), np.float32)), []

    def of_tensors(query, key):
        seen.append(type(query))
        return query.detach() @ np.swapaxes(key, -1, -2)

    with mg.no_grad():
        output, _ = attention(x, x, x, score=of_tensors)
        values = np.ones((2, 4), np.float32)
        passed = F.dropout(x, 0.5, training=False), F.linear(values, mg.Tensor(np.eye(4)))
    assert seen == [np.ndarray, mg.Tensor]
    assert type(output) is mg.Tensor
    assert passed[0] is x
    values[:] = 5
    np.testing.assert_array_equal(passed[1].numpy(), 1)


def test_a_memory_with_one_mask_for_all_rows_can_be_selected():
    model = Transformer(SIZES).eval()
    source = np.array([[3, 4, 5], [6, 7, 1]])
    memory = model.encode(source, np.ones((1, 1, 1, 3), bool))
    one = memory.select([1])
    of_one, of_both = (
        model.decode(s, m).vectors.data for s, m in ((source[1:], one), (source, memory))
    )
    np.testing.assert_allclose(of_one, of_both[1:], rtol=1e-6)
