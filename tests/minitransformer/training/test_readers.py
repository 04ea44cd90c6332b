"""Readers: what each kind of model learns from examples, and that one trainer serves them all."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from limits import SECONDS
from model_checks import quickly_the_first
from progress import problems
from toy_task import Toy

import minigrad as mg
from minigrad import errors
from minigrad.functional import cross_entropy
from minitransformer import Continuer, DecoderSizes, Settings, Sizes, TextReader, Training
from minitransformer.__main__ import main
from minitransformer.tasks import load_training, make
from minitransformer.training import parts
from minitransformer.training.checkpoints import load_reader
from minitransformer.training.loop import SCHEDULES
from minitransformer.training.readers import READERS, joint
from minitransformer.training.vocabulary import BOS, EOS, PAD, Vocabulary

TINY = {"width": 8, "heads": 2, "feed_forward": 8}
PAIRS = [("abc", "cba"), ("d", "d"), ("ab", "ba")]


@pytest.fixture
def text_file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("to be or not to be that is the question " * 20, encoding="utf-8")
    return path


def run_of(kind, text_file=None, **settings):
    settings = Settings(**{"steps": 12, "batch": 6, "warmup": 3, **settings})
    if kind == "text":
        made = {"file": str(text_file), "window": 8}
        task = make("text", 0, **made)
        return Training(
            task, DecoderSizes(len(task.vocabulary), **TINY), settings, kind=kind, made=made
        )
    task = Toy(settings.seed)
    reader = READERS[kind]
    sizes = reader.sizes(**reader.symbols(task.source, task.target), **TINY)
    return Training(task, sizes, settings, kind=kind)


def test_a_decoder_learns_only_what_comes_after_the_start_symbol():
    run = run_of("decoder")
    inputs, write = run.reader.inputs_and_targets(PAIRS)
    logits = run.model(*inputs)
    a, b, c, d = (run.reader.writes.encode(letter)[0] for letter in "abcd")
    np.testing.assert_array_equal(
        write,
        [
            [PAD, PAD, PAD, c, b, a, EOS],
            [PAD, d, EOS, *[PAD] * 4],
            [PAD, PAD, b, a, EOS, *[PAD] * 2],
        ],
    )
    read = np.array(
        [[a, b, c, BOS, c, b, a], [d, BOS, d, EOS, *[PAD] * 3], [a, b, BOS, b, a, EOS, PAD]]
    )  # what follows the end is read, and counts for nothing
    with mg.no_grad():
        np.testing.assert_allclose(logits.data, run.model(read).data, atol=1e-6)
    assert run.reader.to_write(PAIRS) == (write != PAD).sum() == 9


def test_both_sides_of_a_decoders_task_share_one_vocabulary():
    source, target = Vocabulary.of_characters("abc"), Vocabulary.of_characters("c12")
    both = joint(source, target)
    assert both.symbols == ("1", "2", "a", "b", "c")
    assert Continuer.symbols(source, target) == {"symbols": 8}


def test_a_text_is_learned_one_symbol_ahead(text_file):
    run = run_of("text", text_file)
    windows = run.task.batch(1, 3)
    _, write = run.reader.inputs_and_targets(windows)
    assert [run.reader.source.decode(row) for row in write] == [window[1:] for window in windows]
    assert run.reader.to_write(windows) == 3 * 8
    assert 0 <= run.reader.accuracy(run.task.held_out(2)) <= 1


@pytest.mark.parametrize("kind", quickly_the_first(list(READERS)))
def test_every_kind_learns_and_goes_on_bit_for_bit(kind, tmp_path, text_file, monkeypatch):
    monkeypatch.setitem(__import__("minitransformer").tasks.TASKS, "toy", Toy)
    whole = run_of(kind, text_file)
    whole.fit()
    part = run_of(kind, text_file)
    part.fit(lambda run: run.steps_done == 5)
    assert part.steps_done == 5
    part.save(tmp_path / "part.npz")
    resumed = load_training(tmp_path / "part.npz")
    resumed.fit()
    assert [p.loss for p in resumed.curve] == [p.loss for p in whole.curve]
    for name, array in whole.model.state_dict().items():
        np.testing.assert_array_equal(array, resumed.model.state_dict()[name], err_msg=name)
    whole.save(tmp_path / "whole.npz")
    reader, _ = load_reader(tmp_path / "whole.npz")
    assert type(reader) is READERS[kind]
    line = "to be" if kind == "text" else "abc"
    assert reader.read([line]) == whole.reader.read([line])


@pytest.mark.slow
def test_a_longer_run_lowers_the_loss_of_a_decoder():
    run = run_of("decoder", steps=120, batch=24, learning_rate=1e-2)
    run.fit()
    early, late = (np.mean([p.loss for p in part]) for part in (run.curve[:10], run.curve[-10:]))
    assert late < early / 2


@pytest.mark.parametrize("parts", quickly_the_first([4, 2, 3, 50]))
def test_accumulated_gradients_are_those_of_the_whole_batch(parts):
    """Batches of unequal lengths: the mean of the parts' means would be another number."""
    whole, split = run_of("encoder-decoder"), run_of("encoder-decoder", accumulate=parts)
    for run in (whole, split):
        run.model.astype(np.float64)
        run.optimizer.lr = 0.0
        run.step()
    assert split.curve[0].loss == pytest.approx(whole.curve[0].loss, rel=1e-12)
    for p, q in zip(whole.model.parameters(), split.model.parameters(), strict=True):
        np.testing.assert_allclose(q.grad.data, p.grad.data, rtol=1e-9, atol=1e-14)


def test_a_batch_is_cut_where_padding_costs_more_than_another_part():
    assert parts.cut([37] * 64, weights=0, least=1) == [slice(0, 64)]
    assert parts.cut([2] * 32 + [81] * 32, weights=0, least=1) == [slice(0, 32), slice(32, 64)]
    assert parts.cut([37], weights=0, least=3) == [slice(0, 1)]
    assert [len(parts.cut([9] * 64, 0, least)) for least in (1, 2, 4, 64)] == [1, 2, 4, 64]


def test_a_batch_of_much_work_is_cut_in_two():
    """Two parts at a time are worth while there; the cut does not ask how many cores there are."""
    assert len(parts.cut([32] * 32, weights=1_000_000, least=1)) == 1
    assert len(parts.cut([32] * 32, weights=5_000_000, least=1)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", quickly_the_first(list(READERS)))
def test_a_batch_in_parts_that_were_chosen_teaches_the_same(kind, text_file, monkeypatch):
    whole, split = (run_of(kind, text_file, batch=9) for _ in range(2))
    for run, start in ((whole, 500), (split, 0)):
        monkeypatch.setattr(parts, "START", start)
        assert (len(run.parts(1)) > 1) == (start == 0 and kind != "text")
        run.model.astype(np.float64)
        run.optimizer.lr = 0.0
        run.step()
    assert split.curve[0].loss == pytest.approx(whole.curve[0].loss, rel=1e-12)
    for p, q in zip(whole.model.parameters(), split.model.parameters(), strict=True):
        np.testing.assert_allclose(q.grad.data, p.grad.data, rtol=1e-9, atol=1e-14)


def test_schedules_rise_and_fall_as_named():
    settings = {
        name: Settings(steps=100, warmup=10, learning_rate=2e-3, schedule=name)
        for name in SCHEDULES
    }
    lr = {name: [SCHEDULES[name](s)(t) for t in range(1, 101)] for name, s in settings.items()}
    for rates in lr.values():
        np.testing.assert_allclose(rates[:10], np.arange(1, 11) * 2e-4)
    assert lr["constant"][10:] == [2e-3] * 90
    np.testing.assert_allclose(lr["inverse_sqrt"][39], 2e-3 * (10 / 40) ** 0.5)
    np.testing.assert_allclose(lr["cosine"][54], 1e-3)  # half-way from step 10 to step 100
    with pytest.raises(errors.ConfigError, match="schedule is one of 'cosine'"):
        Settings(schedule="linear")


@pytest.mark.slow
def test_masked_tokens_are_learned_by_the_same_parts():
    """Encoder-only: hidden tokens of a pattern are filled in after a little training."""
    from minitransformer import EncoderOnly, EncoderSizes
    from minitransformer.model.encoder_only import hide

    mg.manual_seed(0)
    rng = np.random.default_rng(0)
    model = EncoderOnly(EncoderSizes(6, width=16, heads=2, feed_forward=16))
    optimizer = mg.optim.Adam(model.parameters(), 1e-2)

    def batch():
        first = rng.integers(3, 5, (32, 1))
        return np.where(np.arange(6) % 2, 7 - first, first)  # 3 4 3 4 ... or 4 3 4 3 ...

    def loss_of(tokens):
        read, guess = hide(tokens, mask_id=5, rng=rng)
        return cross_entropy(model(read), guess, ignore_index=PAD)

    first = loss_of(batch()).item()
    for _ in range(150):
        loss = loss_of(batch())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < first / 4


# --- the command line -----------------------------------------------------------------------------


def minitransformer(*arguments, **options):
    command = [sys.executable, "-m", "minitransformer", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, **options)


SMALL = ("--width", 8, "--heads", 2, "--feed-forward", 8, "--batch", 4, "--warmup", 2)


def weights(folder):
    return load_training(folder / "checkpoint.npz").model.state_dict()


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["constant", "inverse_sqrt"])
def test_a_run_that_is_made_longer_is_one_that_began_so_long(
    schedule, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    options = ["train", "copy", *map(str, SMALL), "--schedule", schedule, "--warmup", "2"]
    for steps, out in (("7", "long"), ("4", "short")):
        assert main([*options, "--steps", steps, "--out", out]) == 0
    assert main(["train", "--resume", "short", "--steps", "7"]) == 0
    long, made_long = weights(tmp_path / "long"), weights(tmp_path / "short")
    for name in long:
        np.testing.assert_array_equal(long[name], made_long[name], err_msg=name)
    capsys.readouterr()
    assert main(["train", "--resume", "short", "--steps", "6"]) == 2
    assert "has taken 7 steps already: give as many or more, not 6" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_to_the_same_weights(tmp_path):
    options = ("copy", *SMALL, "--dropout", 0.1, "--steps", 60, "--every", 5)
    done = minitransformer("train", *options, "--out", tmp_path / "whole")
    assert done.returncode == 0, done.stderr
    command = [sys.executable, "-m", "minitransformer", "train", *map(str, options)]
    killed = subprocess.Popen(
        [*command, "--out", str(tmp_path / "killed")], stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + SECONDS
    while not (tmp_path / "killed" / "checkpoint.npz").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert load_training(tmp_path / "killed" / "checkpoint.npz").steps_done < 60
    resumed = minitransformer("train", "--resume", tmp_path / "killed", "--every", 5)
    assert resumed.returncode == 0, resumed.stderr
    whole, again = weights(tmp_path / "whole"), weights(tmp_path / "killed")
    for name in whole:
        np.testing.assert_array_equal(whole[name], again[name], err_msg=name)


@pytest.mark.slow
def test_pairs_from_a_file_are_learned_and_read(tmp_path):
    file = tmp_path / "pairs.tsv"
    lines = [f"{a}{b}\t{b}{a}" for a in "abcdef" for b in "abcdef"]
    file.write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "run"
    done = minitransformer(
        "train", "pairs", file, *SMALL, "--steps", 4, "--out", out, "--model", "decoder"
    )
    assert done.returncode == 0, done.stderr
    assert "held-out pairs read exactly" in done.stdout
    read = minitransformer("translate", out, "ab")
    assert read.returncode in (0, 1), read.stderr
    assert len(read.stdout.splitlines()) == 1
    file.write_text("\n".join([*lines, "no tab here"]), encoding="utf-8")
    changed = minitransformer("train", "--resume", out)
    assert changed.returncode == 2
    assert "has changed" in changed.stderr
    bad = minitransformer("train", "pairs", file, *SMALL, "--steps", 1, "--out", tmp_path / "bad")
    assert bad.returncode == 2
    assert "line 37" in bad.stderr
    assert len(problems(bad.stderr)) == 1
    assert not (tmp_path / "bad").exists()
    skipped = minitransformer(
        "train", "pairs", file, *SMALL, "--steps", 1, "--out", tmp_path / "ok", "--skip-bad"
    )
    assert skipped.returncode == 0
    assert "left out 1 line: line 37" in skipped.stderr


@pytest.mark.slow
def test_a_text_is_learned_from_the_command_line(tmp_path, text_file):
    out = tmp_path / "run"
    done = minitransformer(
        "train", "text", text_file, *SMALL, "--steps", 3, "--out", out, "--window", 8
    )
    assert done.returncode == 0, done.stderr
    assert "predicted" in done.stdout
    assert minitransformer("write", out, "to be").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["train", "juggling"], "there is no task 'juggling'"),
        (["train", "pairs"], "reads a file"),
        (["train", "copy", "file.txt"], "reads no file"),
        (["train", "copy", "--digits", "3"], "the task 'copy' does not use --digits 3"),
        (["train", "pairs", __file__, "--window", "3"], "does not use --window 3"),
        (["train", "--resume", "nowhere", "--width", "8"], "leave out --width"),
        (["train", "--positions", "spiral", "--steps", "1"], "spiral"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line(arguments, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert told in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "runs" / "dates" / "checkpoint.npz").exists()


def test_kinds_and_their_sizes_belong_together():
    assert READERS["encoder-decoder"].sizes is Sizes
    assert READERS["decoder"].sizes is READERS["text"].sizes is DecoderSizes
    assert READERS["text"] is TextReader
