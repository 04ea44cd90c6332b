"""A window that slides over a text longer than a model has learned: against reading it afresh."""

import numpy as np
import pytest

import minigrad as mg
from minitransformer import DecoderOnly, DecoderSizes, TextReader, Vocabulary
from minitransformer.training.decoding import beam_search, greedy, likelihood, sample
from minitransformer.training.vocabulary import BOS, EOS, PAD
from minitransformer.training.writing import Writing, window_start

POSITIONS = ["learned", "sinusoidal", "rotary", "none"]
LETTERS = Vocabulary.of_characters("abcdef")


def model(positions="learned", longest=8, dtype=np.float64):
    """As many positions to learn as the window has: one more would be an error."""
    mg.manual_seed(4)
    sizes = {"width": 16, "heads": 2, "feed_forward": 24, "layers": 2, "positions": positions}
    m = DecoderOnly(DecoderSizes(len(LETTERS), longest=longest, **sizes)).eval()
    rng = np.random.default_rng(3)
    for p in m.parameters():
        p.copy_(p.data * 1.7 + 0.05 * rng.standard_normal(p.shape))
    return m.astype(dtype)


def literally(m, prompt, count, window):
    """The likeliest symbols, each after reading afresh what is in the window; and their scores."""
    text, scores = list(prompt), []
    for _ in range(count):
        begins = 0
        while len(text) - begins > window:  # full: it moves on by a quarter
            begins += max(1, window // 4)
        with mg.no_grad():
            row = m(np.array([text[begins:]])).numpy()[0, -1].astype(np.float64)
        row[[PAD, BOS, EOS]] = -np.inf
        scores.append(row)
        text.append(int(np.argmax(row)))
    return text[len(prompt) :], np.array(scores)


@pytest.mark.slow
@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("length", [1, 5, 8, 9, 30])
def test_a_text_goes_on_as_if_the_window_were_read_afresh(positions, length):
    m = model(positions)
    prompt = np.random.default_rng(length).integers(3, 9, (1, length))
    expected, _ = literally(m, prompt[0], 14, window=8)
    for cached in (True, False):
        written = greedy(m, prompt, 14, window=8, ends=False, cached=cached)
        assert written.tolist() == [expected]


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 1e-4)])
@pytest.mark.parametrize("window", [1, 2, 3, 8])
def test_the_scores_are_those_of_reading_afresh(window, dtype, tolerance):
    """To rounding at every step; to the bit where the window has just moved: the cache is new there."""
    m = model(dtype=dtype)
    text = np.random.default_rng(1).integers(3, 9, (2, 30))
    writing, _ = Writing.begin(m, text[:, :1], window=window, ends=False)
    moved = 0
    for n in range(1, 30):
        before = writing.begins
        scores = writing.scores(text[:, n - 1 : n])
        begins = window_start(n, window)
        assert writing.begins == begins
        assert window - max(1, window // 4) < n - begins <= window or begins == 0
        with mg.no_grad():
            afresh = m(text[:, begins:n]).numpy()[:, -1].astype(np.float64)
        np.testing.assert_allclose(scores[:, 3:], afresh[:, 3:], rtol=0, atol=tolerance)
        if writing.begins > before:
            moved += 1
            np.testing.assert_array_equal(scores[:, 3:], afresh[:, 3:])
    assert moved >= 29 // max(1, window // 4) - window


def test_rows_of_a_batch_do_not_move_each_other_s_window():
    """Prompts shorter and longer than the window, together and alone."""
    m = model()
    rng = np.random.default_rng(2)
    prompts = [rng.integers(3, 9, n) for n in (2, 8, 9, 21)]
    given = np.full((4, 21), PAD)
    for row, prompt in zip(given, prompts):
        row[: len(prompt)] = prompt
    together = greedy(m, given, 12, window=8, ends=False)
    for prompt, row in zip(prompts, together):
        assert row.tolist() == literally(m, prompt, 12, window=8)[0]


def test_every_way_to_write_slides_and_no_text_ends():
    m = model()
    m.unembedding.bias.copy_(m.unembedding.bias.data + np.eye(len(LETTERS))[EOS] * 50)
    prompt = np.array([[3, 4, 5]])
    expected, _ = literally(m, prompt[0], 20, window=8)
    rng = np.random.default_rng(0)
    assert greedy(m, prompt, 20, window=8, ends=False).tolist() == [expected]
    assert sample(m, prompt, 20, top_k=1, rng=rng, window=8, ends=False).tolist() == [expected]
    ids, _ = beam_search(m, prompt, 20, beams=1, window=8, ends=False)
    assert ids[:, 0].tolist() == [expected]
    assert greedy(m, prompt, 20, window=8).tolist() == [[EOS]]  # where there is an end


def test_a_reader_of_text_writes_past_what_it_learned():
    reader = TextReader(model(), LETTERS, LETTERS, 8, 40)
    start = "abcdefabcdef"  # longer than the window too
    (written,) = reader.read([start])
    ids = LETTERS.encode(start)
    assert LETTERS.encode(written) == literally(reader.model, ids, 40, window=8)[0]


def test_likelihood_is_the_product_of_the_steps():
    """Against one symbol at a time; of prompts that differ in length, each by itself."""
    m = model(longest=20)
    given = np.array([[BOS, 3, 4, 5], [BOS, 6, PAD, PAD], [BOS, 7, 8, PAD]])
    written = np.array([[5, 6, EOS], [3, EOS, PAD], [4, 4, 4]])
    found = likelihood(m, given, written)
    for row, symbols, p in zip(given, written, found):
        text, expected = list(row[row != PAD]), 1.0
        for symbol in symbols[symbols != PAD]:
            scores, _ = Writing.begin(m, np.array([text]))
            e = np.exp(scores.scores(np.array([text]))[0])
            expected *= e[symbol] / e.sum()
            text.append(symbol)
        assert p == pytest.approx(expected, rel=1e-9)
