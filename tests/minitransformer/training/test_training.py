"""Training: the loss is what it should be, padding counts for nothing, and the seed decides all."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from toy_task import WORDS, Toy, trained

import minigrad as mg
from minigrad import errors
from minitransformer import Settings, Sizes, Training, Vocabulary
from minitransformer.training.examination import examined
from minitransformer.training.loop import perplexity

TINY = {"width": 8, "heads": 2, "feed_forward": 8}


def sizes(**others):
    return Sizes(len(Toy.source), len(Toy.target), **{**TINY, **others})


def training(seed=0, dropout=0.0, **settings):
    given = {"steps": 40, "batch": 6, "warmup": 5, **settings}
    return Training(Toy(seed), sizes(dropout=dropout), Settings(seed=seed, **given))


def weights(run):
    return {name: a.tobytes() for name, a in run.model.state_dict().items()}


# --- the loss -------------------------------------------------------------------------------------

PAIRS = [("abc", "cba"), ("d", "d"), ("ab", "ba")]


def surprise(run, source, target, smoothing=0.0):
    """The summed loss of one pair, a symbol at a time: nothing here is padded."""
    ids = {"<bos>": 1, "<eos>": 2, "a": 3, "b": 4, "c": 5, "d": 6}
    read = [1]
    total = 0.0
    for symbol in [*target, "<eos>"]:
        scores = run.model(np.array([[ids[s] for s in source]]), np.array([read])).tolist()[0][-1]
        all_of_them = math.log(sum(math.exp(score) for score in scores))
        total += (1 - smoothing) * (all_of_them - scores[ids[symbol]])
        total += smoothing * sum(all_of_them - score for score in scores) / len(scores)
        read.append(ids[symbol])
    return total


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_the_mean_surprise_of_the_symbols(smoothing):
    run = training(label_smoothing=smoothing)
    run.model.astype(np.float64)
    symbols = sum(len(target) + 1 for _, target in PAIRS)
    expected = sum(surprise(run, *pair, smoothing) for pair in PAIRS) / symbols
    assert run.loss(PAIRS).item() == pytest.approx(expected, rel=1e-12)


def test_the_held_out_loss_is_without_smoothing_and_dropout_and_keeps_nothing():
    """Of batches with unequal lengths: the mean of their means would be another number."""
    run = training(label_smoothing=0.1, dropout=0.5, batch=2)
    run.model.astype(np.float64)
    measured = run.held_out_loss(PAIRS)
    symbols = sum(len(target) + 1 for _, target in PAIRS)
    assert measured == pytest.approx(
        sum(surprise(run, *pair) for pair in PAIRS) / symbols, rel=1e-9
    )
    assert all(p.grad is None for p in run.model.parameters())


def test_perplexity_is_among_how_many_even_chances_the_choice_is():
    assert perplexity(math.log(26)) == pytest.approx(26)
    assert perplexity(0.0) == 1
    assert perplexity(1e4) == perplexity(math.inf) == math.inf
    assert math.isnan(perplexity(math.nan))


@pytest.mark.slow
def test_what_held_out_pairs_gave_stands_at_the_last_point_of_the_curve():
    run = training()
    right = [(word, w) for word, w in zip(WORDS, run.reader.read(WORDS)) if w][:1]
    wrong = [(source, target + "a") for source, target in right * 2]
    assert examined(run, right + wrong).accuracy == 1 / 3  # and there is no point to note it at
    run.step()
    run.step()
    result = examined(run, PAIRS)
    assert result.written == run.reader.read([source for source, _ in PAIRS])
    assert result.loss == run.held_out_loss(PAIRS)
    first, last = run.curve
    assert (first.accuracy, first.held_out_loss) == (None, None)
    assert (last.accuracy, last.held_out_loss) == (result.accuracy, result.loss)
    assert examined(run, []) is None


def test_padding_counts_for_nothing():
    """The loss, and every gradient, of a batch is the mean of its pairs', weighted by symbols."""
    run = training()
    run.model.astype(np.float64)
    run.loss(PAIRS).backward()
    together = {name: p.grad.numpy() for name, p in run.model.named_parameters()}
    run.model.zero_grad()
    symbols = [len(target) + 1 for _, target in PAIRS]
    for pair, n in zip(PAIRS, symbols):
        (run.loss([pair]) * (n / sum(symbols))).backward()
    for name, p in run.model.named_parameters():
        np.testing.assert_allclose(together[name], p.grad.numpy(), rtol=1e-9, atol=1e-14)


# --- the steps ------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_weights_bit_for_bit():
    random.seed(1)
    one = training(dropout=0.2)
    losses = [one.step() for _ in range(10)]
    random.seed(2)  # nobody else's generator plays a part
    other = training(dropout=0.2)
    assert [other.step() for _ in range(10)] == losses
    assert weights(one) == weights(other)


def test_another_seed_gives_other_weights():
    one, other = training(seed=0), training(seed=1)
    assert weights(one)["source_embedding.weight"] != weights(other)["source_embedding.weight"]


def test_dropout_takes_part_in_training_only():
    run = training(dropout=0.5)
    without = training()
    assert weights(run) == weights(without)
    run.model.eval()
    assert run.loss(PAIRS).item() == without.loss(PAIRS).item()
    assert run.step() != without.step()


@pytest.mark.slow
def test_looking_at_held_out_pairs_changes_nothing():
    alone = training(dropout=0.3)
    losses = [alone.step() for _ in range(5)]
    watched = training(dropout=0.3)
    for loss in losses:
        examined(watched, watched.task.held_out(5))
        assert watched.step() == loss
    assert weights(watched) == weights(alone)


@pytest.mark.slow
def test_two_trainings_in_turn_equal_each_alone():
    """With dropout, and with others that draw from the common generator meanwhile."""
    alone = [training(seed, dropout=0.3) for seed in (0, 1)]
    for run in alone:
        for _ in range(4):
            run.step()
    common = str(mg.generator().bit_generator.state)
    together = [training(seed, dropout=0.3) for seed in (0, 1)]
    for _ in range(4):
        for run in together:
            run.step()
    assert str(mg.generator().bit_generator.state) == common
    for one, other in zip(alone, together):
        assert weights(one) == weights(other)


def test_the_curve_has_every_step():
    run = training()
    losses = [run.step() for _ in range(3)]
    assert [(p.step, p.loss, p.accuracy) for p in run.curve] == [
        (1, losses[0], None),
        (2, losses[1], None),
        (3, losses[2], None),
    ]


def test_the_learning_rate_follows_the_schedule():
    """Up in a line over the warm-up, then along a cosine to nothing at the last step."""
    run = training(steps=15, warmup=5, learning_rate=0.01)
    rates = []
    for _ in range(15):
        run.step()
        rates.append(run.optimizer.lr)
    up = [0.002, 0.004, 0.006, 0.008]
    down = [0.01 * (1 + math.cos(math.pi * k / 10)) / 2 for k in range(11)]
    assert rates == pytest.approx(up + down, abs=1e-12)


def test_the_gradient_is_clipped():
    run = training(clip=1e-3)
    run.step()
    norm = math.sqrt(sum(float((p.grad.numpy() ** 2).sum()) for p in run.model.parameters()))
    assert norm == pytest.approx(1e-3, rel=1e-2)


def test_a_batch_is_drawn_by_the_task_and_read_with_the_shortest_first():
    run = training(batch=5)
    for step in range(1, 4):
        batch = run.batch(step)
        assert Counter(batch) == Counter(run.task.batch(step, 5))
        lengths = [len(source) + len(target) for source, target in batch]
        assert lengths == sorted(lengths)


def test_a_batch_depends_on_its_step_alone():
    forward, backward = training(), training()
    batches = {step: list(forward.batch(step)) for step in range(1, 30)}
    for step in reversed(range(1, 30)):
        assert list(backward.batch(step)) == batches[step]
    assert len({str(b) for b in batches.values()}) == 29


@pytest.mark.slow
def test_a_tiny_model_learns():
    run, seen = trained(), Toy().batch(1, 50)
    assert training().reader.accuracy(seen) < 0.1
    assert run.curve[0].loss > 1
    assert run.curve[-1].loss < 0.1
    assert run.reader.accuracy(seen) >= 0.8


# --- reading --------------------------------------------------------------------------------------


def test_lines_are_read_in_batches_of_any_size():
    reader = training().reader
    lines = ["abc", "d", "ab", "ddd", "ca"]
    together = reader.read(lines)
    assert [reader.read([line])[0] for line in lines] == together
    assert reader.read(lines, batch=2) == together
    assert reader.read([]) == []


def test_accuracy_is_the_share_of_exact_readings():
    reader = training().reader
    read = reader.read(["abc", "d"])
    assert reader.accuracy([("abc", read[0]), ("d", read[1] + "x")]) == 0.5
    assert reader.accuracy([("abc", read[0]), ("d", read[1])]) == 1


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        ("", errors.VocabularyError, "has no characters"),
        ("abx", errors.VocabularyError, "'x' at position 2"),
        ("abcd", errors.LengthError, "'abcd' has 4 characters, and the model reads at most 3"),
        ("a" * 1000, errors.LengthError, r"'a{40}'\.\.\. has 1000 characters"),
    ],
)
def test_lines_that_cannot_be_read(line, error, message):
    with pytest.raises(error, match=message):
        training().reader.read(["a", line])


# --- numbers that make no sense -------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": -1},
        {"steps": 1.5},
        {"batch": 0},
        {"warmup": -1},
        {"seed": -1},
        {"learning_rate": 0.0},
        {"learning_rate": math.nan},
        {"learning_rate": math.inf},
        {"clip": 0.0},
        {"clip": math.nan},
        {"label_smoothing": 1.0},
        {"label_smoothing": -0.1},
        {"label_smoothing": math.nan},
    ],
)
def test_settings_that_make_no_sense(wrong):
    (name,) = wrong
    with pytest.raises(errors.ConfigError, match=name):
        Settings(**wrong)


def test_vocabularies_are_those_of_the_task():
    reader = training().reader
    assert reader.source == reader.target == Vocabulary.of_characters("abcd")
