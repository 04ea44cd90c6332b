"""Greedy decoding against a literal one, a row and a symbol at a time; and the attention maps."""

import numpy as np
import pytest
from toy_task import trained

from minitransformer import Sizes, Transformer, greedy
from minitransformer.training.decoding import cross_attention
from minitransformer.training.vocabulary import BOS, EOS, PAD

SOURCE = np.array(
    [
        [3, 4, 5, 6, 7, 8],
        [8, 3, PAD, PAD, PAD, PAD],
        [5, 5, 5, PAD, PAD, PAD],
        [4, 8, 3, 6, PAD, PAD],
    ]
)


def model(seed, eager=0.0, layers=2):
    """A model of random weights in float64, the more `eager` to end the sooner."""
    sizes = Sizes(9, 7, width=8, heads=2, feed_forward=8, encoder_layers=1, decoder_layers=layers)
    m = Transformer(sizes).astype(np.float64).eval()
    rng = np.random.default_rng(seed)
    for parameter in m.parameters():
        parameter.copy_(rng.standard_normal(parameter.shape))
    bias = m.unembedding.bias.detach().numpy()
    bias[EOS] += eager
    m.unembedding.bias.copy_(bias)
    return m


def literally(m, source, longest):
    """The symbols for one source without padding, each the likeliest after those before it."""
    written = []
    while len(written) <= longest and EOS not in written:
        logits = m(source[None], np.array([[BOS, *written]])).detach().numpy()
        written.append(int(np.argmax(logits[0, -1])))
    return written


def check(m, source, longest):
    """Compare every row with the literal one; returns at which step each ended."""
    target = greedy(m, source, longest)
    ends = []
    for read, row in zip(source, target):
        expected = literally(m, read[read != PAD], longest)
        assert row[: len(expected)].tolist() == expected
        assert (row[len(expected) :] == PAD).all()
        ends.append(len(expected))
    assert target.shape == (len(source), max(ends))
    return ends


@pytest.mark.parametrize("longest", [1, 7])
@pytest.mark.parametrize("seed", range(3))
def test_greedy_is_the_literal_one_for_every_row(seed, longest):
    check(model(seed), SOURCE, longest)


@pytest.mark.slow
@pytest.mark.parametrize("longest", [1, 2, 3, 6])
def test_rows_end_by_themselves(longest):
    """In a trained model, at different steps: nothing comes after but padding."""
    reader = trained().reader
    source = reader.encode(["abc", "d", "ab", "dd", "bca", "a"])
    m = Transformer(reader.model.sizes).eval()
    m.load_state_dict(reader.model.state_dict())
    ends = check(m.astype(np.float64), source, longest)
    assert len(set(ends)) > 1 or longest < 2


def test_it_writes_no_more_than_asked():
    m = model(0, eager=-1000.0)
    for longest in (1, 5):
        target = greedy(m, SOURCE, longest)
        assert target.shape == (4, longest + 1)
        assert EOS not in target


def test_it_stops_when_all_rows_have_ended():
    target = greedy(model(0, eager=1000.0), SOURCE, 12)
    assert target.tolist() == [[EOS]] * 4


def test_it_keeps_no_graph():
    m, tied = model(0), []
    next_scores = m.next_scores

    def watched(*args, **kwargs):
        scores = next_scores(*args, **kwargs)
        tied.append(scores.requires_grad)
        return scores

    m.next_scores = watched
    greedy(m, SOURCE, 3)
    assert tied
    assert not any(tied)
    read = np.full((len(SOURCE), 1), BOS)
    assert next_scores(read, m.encode(SOURCE)).requires_grad  # as ever, after it


# --- attention maps -------------------------------------------------------------------------------


def test_a_row_belongs_to_the_step_that_wrote_its_symbol():
    m = model(1)
    target = greedy(m, SOURCE, 5)
    maps = cross_attention(m, SOURCE, target)
    assert [weights.shape for weights in maps] == [(4, 2, target.shape[1], 6)] * 2
    for row in range(4):
        source = SOURCE[row : row + 1]
        memory = m.encode(source)
        for t in range(target.shape[1]):
            read = np.array([[BOS, *target[row, :t]]])
            if PAD in read:
                break
            step = m.decode(read, memory).cross  # what was known when symbol t was written
            for layer, weights in enumerate(step):
                np.testing.assert_allclose(
                    maps[layer][row, :, t], weights.detach().numpy()[0, :, t], rtol=1e-9
                )


def test_rows_sum_to_one_and_padding_gets_nothing():
    m = model(2)
    target = greedy(m, SOURCE, 5)
    for weights in cross_attention(m, SOURCE, target):
        np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-12)
        hidden = np.broadcast_to((SOURCE == PAD)[:, None, None, :], weights.shape)
        assert (weights[hidden] == 0).all()
        assert (weights[~hidden] > 0).all()
