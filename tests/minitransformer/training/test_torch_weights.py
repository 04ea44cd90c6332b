"""Weights carried to and from PyTorch: the same outputs, weights and gradients."""

import numpy as np
import pytest
from model_checks import quickly_the_first, weighted_sum

import minigrad as mg
from minigrad import Tensor, errors, optim
from minigrad.functional import cross_entropy
from minitransformer import (
    AttentionSizes,
    Decoder,
    Encoder,
    MultiHeadAttention,
    Sizes,
    Transformer,
    masks,
    sinusoidal,
)
from minitransformer.model.decoder import DecoderLayer
from minitransformer.model.encoder import EncoderLayer
from minitransformer.model.sizes import LayerSizes
from minitransformer.training.torch_weights import (
    from_torch,
    mask_from_torch,
    mask_to_torch,
    stacks,
    to_torch,
)

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # these models are too small to share out
RNG = np.random.default_rng(0)


def equal(ours, theirs, what=""):
    theirs = theirs.detach().numpy() if isinstance(theirs, torch.Tensor) else theirs
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9, err_msg=what)


def alike(mine, theirs):
    """`mine` in float64 with the weights of `theirs`, which are drawn at random first."""
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.copy_(torch.from_numpy(RNG.normal(size=parameter.shape) * 0.5))
    mine.astype(np.float64).load_state_dict(from_torch(theirs))
    back = to_torch(mine.state_dict())
    assert back.keys() == theirs.state_dict().keys()
    for name, array in back.items():
        np.testing.assert_array_equal(array, theirs.state_dict()[name].numpy(), err_msg=name)
    return mine


def compare(mine, theirs, ours_out, their_out, ours_in, their_in):
    """Outputs, and after a backward pass from the same loss, every gradient."""
    for ours, other in zip(ours_out, their_out, strict=True):
        equal(ours.data, other)
    weighted_sum(ours_out[0]).backward()
    shares = torch.from_numpy(np.random.default_rng(99).standard_normal(ours_out[0].shape))
    (their_out[0] * shares).sum().backward()
    for ours, other in zip(ours_in, their_in, strict=True):
        equal(ours.grad.data, other.grad)
    gradients = to_torch({name: p.grad.data for name, p in mine.named_parameters()})
    for name, parameter in theirs.named_parameters():
        equal(gradients[name], parameter.grad, name)


def test_initial_matrices_are_spread_as_pytorch_draws_them():
    """By Glorot & Bengio; those of queries, keys and values as the one matrix that they are there."""
    mg.manual_seed(0)
    torch.manual_seed(0)
    sizes = LayerSizes(width=64, heads=4, feed_forward=128)
    mine = to_torch(stacks(Encoder(1, sizes, True), Decoder(1, sizes, True)).state_dict())
    theirs = torch.nn.Transformer(64, 4, 1, 1, 128, batch_first=True).state_dict()
    assert mine.keys() == theirs.keys()
    for name in [name for name, array in mine.items() if array.ndim == 2]:
        one, other = mine[name], theirs[name].numpy()
        assert one.std() == pytest.approx(other.std(), rel=0.03), name
        assert abs(one).max() == pytest.approx(abs(other).max(), rel=0.01), name


def inputs(*shapes):
    arrays = [RNG.normal(size=shape) for shape in shapes]
    ours = [Tensor(a, requires_grad=True) for a in arrays]
    return ours, [torch.tensor(a, requires_grad=True) for a in arrays]


def some_mask(B, H, T, S):
    mask = RNG.random((B, H, T, S)) < 0.6
    mask[..., 0] = True  # PyTorch makes NaN of a row with nothing to attend to
    return mask


# --- module by module -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("masked", [False, True], ids=["no mask", "mask"])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("apart", [None, (5, 3), (6, 3)], ids=str)
def test_multi_head_attention(seed, masked, bias, apart):
    rng = np.random.default_rng(seed)
    H, K = rng.integers(1, 4), rng.integers(1, 5)
    B, T, S = rng.integers(1, 6, size=3)
    D = int(H * K)
    kdim, vdim = apart or (D, D)
    theirs = torch.nn.MultiheadAttention(
        D, int(H), bias=bias, kdim=kdim, vdim=vdim, batch_first=True, dtype=torch.float64
    )
    mine = alike(
        MultiHeadAttention(AttentionSizes(D, int(H), bias=bias, context_width=(kdim, vdim))), theirs
    )
    ours, others = inputs((B, T, D), (B, S, kdim), (B, S, vdim))
    mask = some_mask(B, H, T, S) if masked else None
    other_mask = torch.from_numpy(mask_to_torch(mask, B, H, T, S)) if masked else None
    output, weights = mine(ours[0], mask=mask, key=ours[1], value=ours[2])
    their_output, their_weights = theirs(*others, attn_mask=other_mask, average_attn_weights=False)
    compare(mine, theirs, [output, weights], [their_output, their_weights], ours, others)


def options(activation, norm):
    theirs = {"activation": activation, "norm_first": norm == "pre", "dropout": 0.0}
    return {**theirs, "batch_first": True, "dtype": torch.float64}


every_style = pytest.mark.parametrize(
    ("activation", "norm"), [(a, n) for a in ("relu", "gelu") for n in ("post", "pre")]
)


@every_style
def test_encoder_layer(activation, norm):
    theirs = torch.nn.TransformerEncoderLayer(6, 2, 5, **options(activation, norm))
    sizes = LayerSizes(width=6, heads=2, feed_forward=5, activation=activation, norm=norm)
    mine = alike(EncoderLayer(sizes), theirs)
    ours, others = inputs((3, 4, 6))
    tokens = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]])
    mask = masks.padding(tokens) & masks.causal(4)
    y, _ = mine(ours[0], mask)
    z = theirs(
        others[0],
        src_mask=torch.from_numpy(~masks.causal(4)),
        src_key_padding_mask=torch.from_numpy(tokens == 0),
    )
    compare(mine, theirs, [y], [z], ours, others)


@every_style
def test_decoder_layer(activation, norm):
    theirs = torch.nn.TransformerDecoderLayer(6, 3, 5, **options(activation, norm))
    sizes = LayerSizes(width=6, heads=3, feed_forward=5, activation=activation, norm=norm)
    mine = alike(DecoderLayer(sizes), theirs)
    ours, others = inputs((2, 4, 6), (2, 5, 6))
    cross = some_mask(2, 3, 4, 5)
    y, _, _ = mine(ours[0], ours[1], masks.causal(4), cross)
    z = theirs(
        *others,
        tgt_mask=torch.from_numpy(~masks.causal(4)),
        memory_mask=torch.from_numpy(mask_to_torch(cross, 2, 3, 4, 5)),
    )
    compare(mine, theirs, [y], [z], ours, others)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # of PyTorch, about its fast paths
@every_style
def test_whole_transformer_with_its_final_norms(activation, norm):
    theirs = torch.nn.Transformer(6, 2, 2, 2, 5, **options(activation, norm))
    sizes = LayerSizes(width=6, heads=2, feed_forward=5, activation=activation, norm=norm)
    mine = stacks(Encoder(2, sizes, final_norm=True), Decoder(2, sizes, final_norm=True))
    alike(mine, theirs)
    ours, others = inputs((3, 5, 6), (3, 4, 6))
    source = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]])
    target = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0]])
    memory, _ = mine.encoder(ours[0], masks.padding(source))
    y, _, _ = mine.decoder(
        ours[1], memory, masks.causal(4) & masks.padding(target), masks.padding(source)
    )
    hidden = {
        "src_key_padding_mask": torch.from_numpy(source == 0),
        "memory_key_padding_mask": torch.from_numpy(source == 0),
        "tgt_key_padding_mask": torch.from_numpy(target == 0),
    }
    z = theirs(*others, tgt_mask=torch.from_numpy(~masks.causal(4)), **hidden)
    compare(mine, theirs, [y], [z], ours, others)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_layers_without_biases():
    """Their missing biases are zeros here, and everything else is as with biases."""
    theirs = torch.nn.Transformer(6, 2, 1, 2, 5, **options("gelu", "pre"), bias=False)
    sizes = LayerSizes(width=6, heads=2, feed_forward=5, activation="gelu", norm="pre")
    mine = stacks(Encoder(1, sizes), Decoder(2, sizes))
    mine.astype(np.float64).load_state_dict(from_torch(theirs))
    ours, others = inputs((3, 5, 6), (3, 4, 6))
    memory, _ = mine.encoder(ours[0])
    y, _, _ = mine.decoder(ours[1], memory)
    z = theirs(*others)
    equal(y.data, z)
    weighted_sum(y).backward()
    shares = torch.from_numpy(np.random.default_rng(99).standard_normal(y.shape))
    (z * shares).sum().backward()
    gradients = to_torch({name: p.grad.data for name, p in mine.named_parameters()})
    for name, parameter in theirs.named_parameters():
        equal(gradients[name], parameter.grad, name)


def test_stacks_of_layers_alone():
    layer = torch.nn.TransformerEncoderLayer(6, 2, 5, **options("relu", "pre"))
    theirs = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    sizes = LayerSizes(width=6, heads=2, feed_forward=5, norm="pre")
    mine = alike(Encoder(2, sizes, final_norm=False), theirs)
    ours, others = inputs((2, 3, 6))
    compare(mine, theirs, [mine(ours[0])[0]], [theirs(others[0])], ours, others)


# --- training ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", quickly_the_first([20, 200]))
def test_training_follows_pytorch(steps):
    """An encoder-decoder from equal weights on equal data, each with its own Adam."""
    sizes = Sizes(12, 11, width=16, heads=4, feed_forward=24)
    mine = Transformer(sizes).astype(np.float64)
    nn = torch.nn
    layer = (16, 4, 24, 0.0, "relu")
    like = {"batch_first": True, "dtype": torch.float64}
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(*layer, **like), 1, enable_nested_tensor=False
    )
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(*layer, **like), 1)
    for ours, theirs in ((mine.encoder, encoder), (mine.decoder, decoder)):
        arrays = to_torch(ours.state_dict())
        theirs.load_state_dict({name: torch.from_numpy(a) for name, a in arrays.items()})
    state = {name: torch.from_numpy(a) for name, a in mine.state_dict().items()}
    embed = {
        side: nn.Embedding.from_pretrained(state[f"{side}_embedding.weight"], freeze=False)
        for side in ("source", "target")
    }
    output = nn.Linear(16, 11, dtype=torch.float64)
    output.load_state_dict(
        {"weight": state["unembedding.weight"].T, "bias": state["unembedding.bias"]}
    )
    parts = nn.ModuleList([encoder, decoder, *embed.values(), output])
    adam = optim.Adam(mine.parameters(), lr=3e-3)
    their_adam = torch.optim.Adam(parts.parameters(), lr=3e-3)

    def their_loss(source, read, write):
        hidden = torch.from_numpy(source == 0)
        x, y = (
            embed[side](torch.from_numpy(ids)) * 4.0
            + torch.from_numpy(sinusoidal(ids.shape[1], 16, dtype="float64").copy())
            for side, ids in (("source", source), ("target", read))
        )
        memory = encoder(x, src_key_padding_mask=hidden)
        y = decoder(
            y,
            memory,
            tgt_mask=torch.from_numpy(~masks.causal(read.shape[1])),
            tgt_key_padding_mask=torch.from_numpy(read == 0),
            memory_key_padding_mask=hidden,
        )
        return nn.functional.cross_entropy(
            output(y).flatten(0, 1), torch.from_numpy(write).flatten(), ignore_index=0
        )

    rng = np.random.default_rng(5)
    followed = []
    for _ in range(steps):
        source = rng.integers(3, 11, (6, 5))
        source[:3, 3:] = 0
        write = np.where(source == 0, 0, source[:, ::-1] % 8 + 3)
        read = np.concatenate([np.ones((6, 1), int), write[:, :-1]], axis=1)
        loss = cross_entropy(mine(source, read), write, ignore_index=0)
        other = their_loss(source, read, write)
        for one, optimiser in ((loss, adam), (other, their_adam)):
            optimiser.zero_grad()
            one.backward()
            optimiser.step()
        followed.append((loss.item(), other.item()))
    ours, theirs = np.array(followed).T
    np.testing.assert_allclose(ours, theirs, atol=1e-5, rtol=0)
    assert ours[-1] < 0.8 * ours[0]  # and both have learned


# --- strictly ---------------------------------------------------------------------------------------


def attending(**options):
    return MultiHeadAttention(AttentionSizes(4, 2, **options))


def theirs_and_mine():
    theirs = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    return dict(theirs.state_dict()), attending()


def test_an_entry_without_a_place_here_is_refused_and_all_are_listed():
    with_more = torch.nn.MultiheadAttention(4, 2, add_bias_kv=True).state_dict()
    with pytest.raises(errors.StateDictError, match=r"bias_k \(1, 1, 4\)\n  bias_v"):
        from_torch(with_more)


def test_zeros_added_to_what_is_attended_to_are_refused():
    """No entry shows them: only the module does."""
    theirs = torch.nn.MultiheadAttention(4, 2, add_zero_attn=True)
    with pytest.raises(errors.StateDictError, match="from PyTorch:\n  add_zero_attn=True"):
        from_torch(theirs)
    layer = torch.nn.TransformerEncoderLayer(4, 2, 3)
    layer.self_attn = theirs
    with pytest.raises(errors.StateDictError, match="  self_attn: add_zero_attn=True"):
        from_torch(layer)


@pytest.mark.parametrize("theirs", [None, "model.pt"])
def test_what_is_no_state_dict_is_refused(theirs):
    with pytest.raises(
        errors.ArgumentError, match=r"or its state_dict\(\), not .*torch.load\(path\)"
    ):
        from_torch(theirs)


def test_an_entry_of_another_module_is_refused():
    with pytest.raises(errors.StateDictError, match=r"weight_ih_l0(.|\n)*each weight transposed"):
        from_torch(torch.nn.LSTM(3, 3).state_dict())


def test_weights_that_are_on_the_right_side_already_are_not_turned_round():
    state, mine = theirs_and_mine()
    with pytest.raises(errors.StateDictError, match=r"query\.weight \(4, 4\)"):
        from_torch(mine.state_dict())
    with pytest.raises(errors.StateDictError, match=r"in_proj_weight \(12, 4\)"):
        to_torch(state)
    with pytest.raises(errors.StateDictError, match=r"norm1\.weight \(4,\)"):
        to_torch(torch.nn.TransformerEncoderLayer(4, 2, 3).state_dict())


def test_a_missing_entry_is_missed():
    state, mine = theirs_and_mine()
    del state["in_proj_weight"]
    with pytest.raises(errors.StateDictError, match=r"missing: query\.weight \(4, 4\)"):
        mine.load_state_dict(from_torch(state))


def test_a_joined_array_that_is_not_three_is_refused():
    state, _ = theirs_and_mine()
    state["in_proj_bias"] = np.zeros(11)
    with pytest.raises(errors.StateDictError, match=r"in_proj_bias \(11,\)"):
        from_torch(state)


@pytest.mark.parametrize(
    ("mine", "message"),
    [
        (
            lambda: EncoderLayer(LayerSizes(activation="gated")),
            r"feed_forward\.gate\.weight \(64, 128\)",
        ),
        (
            lambda: Encoder(1, LayerSizes(score="general")),
            r"layers\.0\.self_attention\.score\.weight",
        ),
        (lambda: attending(score="general"), r"score\.weight"),
        (lambda: attending(join="add"), "no output.* added"),
        (lambda: attending(key_width=3), "as wide as the queries"),
        (lambda: attending(output_width=3), "as wide as the queries"),
        (lambda: attending(bias=("query",)), "all four projections have a bias"),
    ],
)
def test_what_pytorch_has_no_place_for_is_refused(mine, message):
    with pytest.raises(errors.StateDictError, match=message):
        to_torch(mine().state_dict())


def test_arrays_are_copies():
    state, mine = theirs_and_mine()
    arrays = from_torch(state)
    arrays["output.bias"][:] = 7
    assert not (state["out_proj.bias"].numpy() == 7).any()
    own = mine.state_dict()
    to_torch(own)["out_proj.bias"][:] = 7
    assert not (own["output.bias"] == 7).any()


def test_masks_there_and_back():
    mask = some_mask(2, 3, 4, 5)
    there = mask_to_torch(mask, 2, 3, 4, 5)
    assert there.shape == (6, 4, 5)
    np.testing.assert_array_equal(mask_from_torch(there, heads=3), mask)
    np.testing.assert_array_equal(mask_from_torch(~masks.causal(4)), masks.causal(4))
    tokens = np.array([[1, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(
        mask_from_torch(~masks.causal(3), tokens == 0), masks.causal(3) & masks.padding(tokens)
    )
    assert mask_from_torch() is None
    with pytest.raises(errors.DTypeError, match="float64"):
        mask_from_torch(np.zeros((3, 3)))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_norms_in_other_places_are_refused_where_both_modules_are_given(first, norm):
    theirs = torch.nn.TransformerEncoderLayer(4, 2, 3, norm_first=first)
    mine = EncoderLayer(LayerSizes(width=4, heads=2, feed_forward=3, norm=norm))
    if first == (norm == "pre"):
        mine.load_state_dict(from_torch(theirs, mine))
        return
    with pytest.raises(errors.StateDictError, match="norm='pre' is as norm_first=True"):
        from_torch(theirs, mine)
