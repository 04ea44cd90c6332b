"""The decoder-only model: its gradients, PyTorch's, and that no position sees what comes after it."""

import math

import numpy as np
import pytest
from model_checks import check_gradients, quickly_the_first, randomized

from minigrad.functional import cross_entropy
from minitransformer import DecoderOnly, DecoderSizes, masks
from minitransformer.training.torch_weights import to_torch

TOKENS = np.array([[3, 4, 5, 6, 2], [6, 3, 2, 0, 0]])


@pytest.mark.parametrize(
    "style", quickly_the_first([{}, {"norm": "post", "positions": "rotary"}, {"tied": "target"}])
)
def test_gradients(style):
    sizes = DecoderSizes(5, **{"width": 4, "heads": 2, "feed_forward": 1, "longest": 3, **style})
    model = randomized(DecoderOnly(sizes), seed=2)
    tokens = np.array([[3, 4, 1]])
    check_gradients(lambda: model(tokens), module=model)


def model():
    return randomized(DecoderOnly(DecoderSizes(8, width=6, heads=2, feed_forward=5, layers=2)))


def test_no_position_sees_what_comes_after_it():
    m = model()
    for t in range(5):
        changed = TOKENS.copy()
        changed[:, t + 1 :] = 7
        np.testing.assert_array_equal(m(changed).data[:, : t + 1], m(TOKENS).data[:, : t + 1])
    changed[0, 0] = 7
    assert (np.abs(m(changed).data - m(TOKENS).data)[0] > 1e-6).any(axis=-1).all()


def test_logits_and_all_gradients_of_the_stack_equal_pytorchs():
    torch = pytest.importorskip("torch")
    m = model()
    layer = torch.nn.TransformerEncoderLayer(
        6, 2, 5, 0.0, "gelu", batch_first=True, norm_first=True, dtype=torch.float64
    )
    norm = torch.nn.LayerNorm(6, dtype=torch.float64)
    stack = torch.nn.TransformerEncoder(layer, 2, norm, enable_nested_tensor=False)
    arrays = to_torch(m.stack.state_dict())
    stack.load_state_dict({name: torch.from_numpy(a) for name, a in arrays.items()})
    w = {name: torch.from_numpy(a) for name, a in m.state_dict().items()}
    x = w["embedding.weight"][torch.from_numpy(TOKENS)] * math.sqrt(6)
    x = x + w["positions.table.weight"][:5]
    future = torch.from_numpy(~masks.causal(5))
    y = stack(x, mask=future, src_key_padding_mask=torch.from_numpy(TOKENS == 0))
    logits = y @ w["unembedding.weight"] + w["unembedding.bias"]
    read, write = TOKENS, np.roll(TOKENS, -1, axis=1)
    ours = m(read)
    np.testing.assert_allclose(ours.data, logits.detach().numpy(), rtol=1e-9, atol=1e-9)
    cross_entropy(ours, write, ignore_index=0).backward()
    torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), torch.from_numpy(write).flatten(), ignore_index=0
    ).backward()
    gradients = to_torch({name: p.grad.data for name, p in m.stack.named_parameters()})
    for name, parameter in stack.named_parameters():
        np.testing.assert_allclose(
            gradients[name], parameter.grad.numpy(), rtol=1e-9, atol=1e-9, err_msg=name
        )


def test_attention_weights_come_with_their_tokens():
    maps = model().attention_weights(TOKENS[1:], list("abcde")).decoder
    assert [w.shape for w in maps] == [(1, 2, 5, 5)] * 2
    for weights in maps:
        values = weights.numpy()
        np.testing.assert_array_equal(values[0, 0][np.triu_indices(5, 1)], 0)
        np.testing.assert_allclose(values.sum(axis=-1), 1)
        assert "".join(weights.queries) == "".join(weights.keys) == "abcde"
