"""Sampling, beams and the cache: against enumeration, against each other, and without the cache."""

import itertools

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors
from minitransformer import Sizes, Transformer
from minitransformer.model.cache import Cache
from minitransformer.model.decoder_only import DecoderOnly
from minitransformer.model.sizes import DecoderSizes
from minitransformer.training.decoding import Writing, beam_search, distribution, greedy, sample
from minitransformer.training.vocabulary import BOS, EOS, PAD

RNG = np.random.default_rng(3)
SOURCE = np.array([[5, 6, 7, 3, 4], [8, 4, PAD, PAD, PAD], [3, 3, 3, 8, PAD]])
PROMPT = np.array([[BOS, 4, 5, 6], [BOS, 7, PAD, PAD], [BOS, 3, 3, PAD]])
OPTIONS = {
    "as in the paper": {},
    "pre-norm, learned": {"norm": "pre", "positions": "learned", "activation": "gelu"},
    "rotary, tied": {"positions": "rotary", "tied": "target"},
    "no positions": {"positions": "none", "norm": "pre"},
}


def seq2seq(symbols=9, **options):
    mg.manual_seed(1)
    sizes = {"width": 16, "heads": 2, "feed_forward": 24, "decoder_layers": 2, **options}
    return sharpened(Transformer(Sizes(9, symbols, **sizes)).eval())


def decoder_only(symbols=9, **options):
    mg.manual_seed(2)
    sizes = {"width": 16, "heads": 2, "feed_forward": 24, "layers": 2, **options}
    return sharpened(DecoderOnly(DecoderSizes(symbols, **sizes)).eval())


def sharpened(model):
    """Larger weights, so that the distributions are not nearly even and ties do not come up."""
    for p in model.parameters():
        p.copy_(p.data * 1.7 + 0.05 * RNG.standard_normal(p.shape))
    return model


def logits_at_every_step(model, given, text, cached):
    """The scores of each symbol of `text` (B, T), read one by one."""
    writing, prompt = Writing.begin(model, given, cached)
    steps = [prompt, *np.split(text, text.shape[1], axis=1)[:-1]]
    return np.stack([writing.scores(new) for new in steps], axis=1)  # (B, T, N)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-10), (np.float32, 1e-5)])
def test_cached_uncached_and_teacher_forced_scores_agree_at_every_step(options, dtype, tolerance):
    text = RNG.integers(3, 9, (3, 7))
    model = seq2seq(**options).astype(dtype)
    cached = logits_at_every_step(model, SOURCE, text, cached=True)
    uncached = logits_at_every_step(model, SOURCE, text, cached=False)
    read = np.concatenate([np.full((3, 1), BOS), text[:, :-1]], axis=1)
    with mg.no_grad():
        forced = model(SOURCE, read).numpy().astype(np.float64)
    scale = np.abs(forced).max()
    allowed = [i for i in range(9) if i not in (PAD, BOS)]
    for scores in (cached, uncached):
        np.testing.assert_allclose(
            scores[..., allowed] / scale, forced[..., allowed] / scale, rtol=0, atol=tolerance
        )


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary"])
def test_the_decoder_only_model_agrees_as_well(positions):
    model = decoder_only(positions=positions).astype(np.float64)
    text = RNG.integers(3, 9, (2, 6))
    prompt = np.array([[BOS, 4, 5], [BOS, 7, 3]])
    cached = logits_at_every_step(model, prompt, text, cached=True)
    with mg.no_grad():
        forced = model(np.concatenate([prompt, text], axis=1)[:, :-1]).numpy()[:, 2:]
    np.testing.assert_allclose(cached[..., 2:], forced[..., 2:], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("model", "given"), [(seq2seq(), SOURCE), (decoder_only(), PROMPT)], ids=["source", "prompt"]
)
def test_a_batch_is_written_as_its_rows_are_one_by_one(model, given):
    together = greedy(model, given, longest=8)
    for row, ids in zip(given, together, strict=True):
        alone = greedy(model, row[row != PAD][None], longest=8)[0]
        np.testing.assert_array_equal(ids[: len(alone)], alone)
        assert (ids[len(alone) :] == PAD).all()
    np.testing.assert_array_equal(together, greedy(model, given, longest=8, cached=False))
    of_tensor = greedy(model, mg.Tensor(given), longest=8)
    assert type(of_tensor) is np.ndarray
    np.testing.assert_array_equal(together, of_tensor)
    assert not np.isin(together, [BOS]).any()


def test_sampling_at_a_temperature_towards_zero_is_greedy():
    model = seq2seq()
    expected = greedy(model, SOURCE, 8)
    np.testing.assert_array_equal(sample(model, SOURCE, 8, temperature=0), expected)
    np.testing.assert_array_equal(sample(model, SOURCE, 8, temperature=1e-4), expected)
    np.testing.assert_array_equal(sample(model, SOURCE, 8, temperature=1e-310), expected)
    np.testing.assert_array_equal(sample(model, SOURCE, 8, top_k=1), expected)
    np.testing.assert_array_equal(sample(model, SOURCE, 8, top_p=1e-9), expected)


@pytest.mark.parametrize(
    "options", [{}, {"temperature": 0.5}, {"top_k": 3}, {"top_p": 0.7}, {"top_k": 4, "top_p": 0.9}]
)
def test_sampled_frequencies_are_those_of_the_distribution(options):
    """Against the probabilities worked out symbol by symbol, in the order of likelihood."""
    model, n = seq2seq(), 8_000
    given = np.repeat(SOURCE[:1], n, axis=0)
    first = sample(model, given, 1, rng=np.random.default_rng(5), **options)[:, 0]
    with mg.no_grad():
        logits = model(SOURCE[:1], np.array([[BOS]])).numpy()[0, 0].astype(np.float64)
    logits[[PAD, BOS]] = -np.inf
    p = np.exp(logits / options.get("temperature", 1.0))
    p /= p.sum()
    kept, total = [], 0.0
    for symbol in sorted(range(len(p)), key=lambda i: -p[i]):
        if len(kept) == options.get("top_k", len(p)) or total >= options.get("top_p", 1.1):
            break
        kept.append(symbol)
        total += p[symbol]
    expected = np.array([p[i] / total if i in kept else 0 for i in range(len(p))])
    np.testing.assert_allclose(
        distribution(logits[None], **options)[0], expected, atol=1e-12, rtol=0
    )
    frequency = np.bincount(first, minlength=len(p)) / n
    assert not frequency[expected == 0].any()
    spread = np.sqrt(expected * (1 - expected) / n)
    assert (np.abs(frequency - expected) <= 4.5 * spread).all()


@pytest.mark.parametrize("shape", [(3,), (2, 0), (1, 2, 3)])
def test_scores_of_other_shapes_have_no_distribution(shape):
    with pytest.raises(errors.ShapeError, match=r"\(B, N\)"):
        distribution(np.zeros(shape))


def test_the_same_generator_draws_the_same():
    model = seq2seq()
    once, twice = (sample(model, SOURCE, 6, rng=np.random.default_rng(9)) for _ in range(2))
    np.testing.assert_array_equal(once, twice)


@pytest.mark.parametrize(
    ("model", "given"),
    [(seq2seq(), SOURCE), (decoder_only(), np.array([[BOS, 4], [BOS, 7], [BOS, 3]]))],
    ids=["source", "prompt"],
)
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_one_beam_is_greedy(model, given, penalty):
    ids, _ = beam_search(model, given, 8, beams=1, length_penalty=penalty)
    expected = greedy(model, given, 8)
    np.testing.assert_array_equal(ids[:, 0][:, : expected.shape[1]], expected)


@pytest.mark.slow
@pytest.mark.parametrize("penalty", [0.0, 0.6, 2.0])
def test_a_wide_enough_beam_finds_the_best_of_all_sequences(penalty):
    """Four symbols and at most three steps: every sequence can be scored by the model itself."""
    model, longest = seq2seq(symbols=5).astype(np.float64), 3
    symbols = [3, 4]
    endings = [
        (*body, EOS) for n in range(longest + 1) for body in itertools.product(symbols, repeat=n)
    ] + list(itertools.product(symbols, repeat=longest + 1))
    for row, source in enumerate(SOURCE):
        scored = []
        for text in endings:
            with mg.no_grad():
                logits = model(source[None], np.array([[BOS, *text[:-1]]])).numpy()[0]
            logits[:, [PAD, BOS]] = -np.inf
            log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
            total = sum(log_p[t, symbol] for t, symbol in enumerate(text))
            scored.append((total / ((5 + len(text)) / 6) ** penalty, text))
        ids, scores = beam_search(
            model, SOURCE, longest, beams=len(endings), length_penalty=penalty
        )
        ranked = sorted(scored, reverse=True)
        for place in range(3):
            text = tuple(int(i) for i in ids[row, place] if i != PAD)
            assert text == ranked[place][1]
            assert scores[row, place] == pytest.approx(ranked[place][0], abs=1e-9)


def test_beams_without_the_cache_find_the_same():
    model = seq2seq().astype(np.float64)
    cached, scores = beam_search(model, SOURCE, 8, beams=3, length_penalty=0.6)
    plain, plain_scores = beam_search(model, SOURCE, 8, beams=3, length_penalty=0.6, cached=False)
    np.testing.assert_array_equal(cached, plain)
    np.testing.assert_allclose(scores, plain_scores, atol=1e-9)
    assert (np.diff(scores, axis=1) <= 0).all()


def test_a_cache_of_chosen_rows_goes_on_as_those_rows():
    model = seq2seq().astype(np.float64)
    with mg.no_grad():
        memory = model.encode(SOURCE)
        cache = Cache()
        text = RNG.integers(3, 9, (3, 4))
        model.decode(text[:, :2], memory, cache)
        rows = np.array([2, 0, 2])
        chosen = model.next_scores(text[rows, 2:], memory.select(rows), cache.select(rows))
        whole = model.next_scores(text, memory)
    np.testing.assert_allclose(chosen.data, whole.data[rows, 2:], atol=1e-12)


def test_prompts_of_unequal_lengths_are_searched_as_if_each_were_alone():
    model = decoder_only()
    ids, scores = beam_search(model, PROMPT, 6, beams=3, length_penalty=0.6)
    for row, found, score in zip(PROMPT, ids, scores):
        alone = beam_search(model, row[row != PAD][None], 6, beams=3, length_penalty=0.6)
        T = alone[0].shape[2]
        np.testing.assert_array_equal(found[:, :T], alone[0][0])
        assert np.all(found[:, T:] == PAD)
        np.testing.assert_array_equal(score, alone[1][0])
