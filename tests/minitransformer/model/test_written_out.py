"""Attention, and the whole transformer with its loss, written out as NumPy programs and run."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as F
from minitransformer.model.attention_sizes import AttentionSizes
from minitransformer.model.multi_head import MultiHeadAttention
from minitransformer.model.sizes import Sizes
from minitransformer.model.transformer import Transformer


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def dtype(request):
    mg.set_default_dtype(request.param)
    yield np.dtype(request.param)
    mg.set_default_dtype(np.float32)


def assert_gives_the_same(model, loss):
    """To the last bit: the loss, and the gradient of every parameter."""
    loss.backward()
    program = mg.graph(loss).program()
    value, gradients = program.run()
    assert value == loss.item()
    assert "import minigrad" not in program.source
    for name, parameter in model.named_parameters():
        found = gradients[name.replace(".", "_")]
        assert found.dtype == parameter.dtype
        np.testing.assert_array_equal(found, parameter.grad.numpy(), err_msg=name)
    return program


@pytest.mark.parametrize("options", [{}, {"score": "additive"}, {"rotary": True}])
def test_an_attention_block(dtype, options):
    mg.manual_seed(0)
    block = MultiHeadAttention(AttentionSizes(8, 2, **options))
    x = mg.Tensor(np.random.default_rng(0).standard_normal((2, 5, 8)), dtype=dtype)
    mask = np.tril(np.full((5, 5), True))
    with mg.record():
        output, weights = block(x, x, mask)
        loss = np.sum(output * output) + np.sum(weights * weights)
    program = assert_gives_the_same(block, loss)
    assert "query_weight,  # (8, 8)" in program.source


def test_the_whole_transformer_with_dropout_and_its_loss(dtype):
    mg.manual_seed(1)
    sizes = Sizes(
        source_symbols=11, target_symbols=12, width=16, heads=2, feed_forward=24,
        encoder_layers=2, decoder_layers=1, dropout=0.1,
    )  # fmt: skip
    model = Transformer(sizes)
    source = np.array([[3, 4, 5, 0], [6, 7, 8, 9]])
    target = np.array([[1, 4, 5, 6, 0], [1, 7, 8, 2, 3]])
    with mg.record():
        logits = model(source, target[:, :-1])
        loss = F.cross_entropy(logits, target[:, 1:], ignore_index=0, label_smoothing=0.1)
    program = assert_gives_the_same(model, loss)
    drawn = [name for name in program.inputs if name.startswith("dropout_mask")]
    assert len(drawn) == 2 + 2 * 2 + 3
    assert "# encoder.layers.1.self_attention.query" in program.source
