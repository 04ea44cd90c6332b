"""Whoever computes the parts of a batch, and however many they are: the weights are the same bits."""

import hashlib
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from limits import SECONDS
from model_checks import quickly_the_first
from progress import problems
from toy_task import Toy

from minigrad import errors
from minigrad.workers import Threads
from minitransformer import DecoderSizes, Settings, Sizes, Training, load_training
from minitransformer.__main__ import main
from minitransformer.tasks import make
from minitransformer.training.parts import filled_up
from minitransformer.training.vocabulary import PAD

ROOT = Path(__file__).parents[3]
TINY = {"width": 8, "heads": 2, "feed_forward": 8, "dropout": 0.3}
SETTINGS = Settings(steps=5, batch=11, warmup=2, seed=3, accumulate=4)


def toy(**settings):
    return Training(Toy(3), Sizes(7, 7, **TINY), Settings(**{**vars(SETTINGS), **settings}))


def digest(run):
    return hashlib.sha256(
        b"".join(a.tobytes() for a in run.model.state_dict().values())
    ).hexdigest()


def finished(run, workers):
    with workers as run.workers:
        run.fit()
    return digest(run)


@pytest.fixture(scope="module")
def expected():
    assert len(toy().parts(1)) == 4
    return finished(toy(), Threads(1))


@pytest.mark.slow
@pytest.mark.parametrize("count", quickly_the_first([2, 3, 4]))
def test_any_number_of_threads_gives_the_same_weights(count, expected):
    """With dropout: it depends on the step and on the part, not on who draws when."""
    assert finished(toy(), Threads(count)) == expected


@pytest.mark.slow
def test_threads_that_come_and_go_give_the_same_weights(expected):
    run = toy()
    for count in (2, 1, 4, 3, 1):
        with Threads(count) as run.workers:
            run.step()
    assert digest(run) == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Dask's own
def test_processes_give_the_same_weights(expected, monkeypatch):
    pytest.importorskip("distributed")
    from minigrad.workers.cluster import Cluster

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests" / "helpers")]))
    assert finished(toy(), Cluster(count=3)) == expected


def test_dropout_differs_between_parts_and_steps():
    """Parts of equal examples would otherwise leave out the same numbers."""
    run = toy()
    one = run.parts(1)[0]
    again, part, step = (
        run.job(part)[0] for part in (one, one._replace(number=1), one._replace(step=2))
    )
    assert run.job(one)[0] == again
    assert len({float(again), float(part), float(step)}) == 3


def test_parts_of_different_sizes_give_the_mean_over_all_symbols():
    """A mean of means would weigh the symbols of small parts more."""
    run = Training(Toy(3), Sizes(7, 7, **{**TINY, "dropout": 0.0}), SETTINGS)
    whole = run.loss(run.batch(1)).item()
    shares = [float(run.job(part)[0]) for part in run.parts(1)]
    assert sum(shares) == pytest.approx(whole, rel=1e-6)
    assert len({len(part.examples) for part in run.parts(1)}) > 1


@pytest.mark.slow
def test_a_step_whose_part_fails_is_not_taken(expected):
    run = toy()
    with Threads(2) as run.workers:
        run.step()
        before, real = digest(run), run.job.loss

        def fail(part):
            if part.number == 1:
                raise errors.WorkersError("this part fails")
            return real(part)

        run.job.loss = fail
        with pytest.raises(errors.WorkersError):
            run.step()
        assert (digest(run), run.steps_done, len(run.curve)) == (before, 1, 1)
        run.job.loss = real
        run.fit()
    assert digest(run) == expected


@pytest.mark.slow
@pytest.mark.parametrize("kind", quickly_the_first(["encoder-decoder", "decoder", "text"]))
def test_a_job_is_the_same_in_another_process(kind, tmp_path):
    """It takes little to send: the weights are not in it."""
    path = tmp_path / "text"
    path.write_text("\n".join(f"{n} is {n:b}" for n in range(300)))
    task = make("text", file=path, window=9) if kind == "text" else Toy(3)
    symbols = len(task.vocabulary if kind == "text" else task.source)
    sizes = {**TINY, "width": 64}
    of_kind = Sizes(symbols, symbols, **sizes)
    if kind != "encoder-decoder":
        of_kind = DecoderSizes(symbols, **sizes)
    run = Training(task, of_kind, SETTINGS, kind=kind)
    run.step()
    sent = pickle.dumps(run.job)
    assert len(sent) < sum(p.size for p in run.job.parameters)
    other = pickle.loads(sent)
    for mine, theirs in zip(run.job.parameters, other.parameters, strict=True):
        theirs.copy_(mine)
    for part in run.parts(2):
        for a, b in zip(run.job(part), other(part), strict=True):
            np.testing.assert_array_equal(a, b)


# --- at the command line --------------------------------------------------------------------------

COMMAND = ("train", "dates", "--width", "8", "--heads", "2", "--feed-forward", "8", "--dropout", "0.2",
           "--batch", "8", "--accumulate", "3")  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--workers", "0"], "the number of workers is a whole number from 1 up to 1000, not 0"),
        (["--workers", "0", "--engine", "dask"], "the number of workers is a whole number from 1"),
        (["--engine", "celery"], "--engine is one of 'threads', 'dask', not 'celery'"),
    ],
)
def test_workers_that_make_no_sense(arguments, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        status = main([*COMMAND, "--steps", "1", *arguments])
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr().err
    assert status == 2
    assert told in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_a_run_goes_on_with_another_number_of_workers(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = (*COMMAND, "--steps", "6")
    assert main([*command, "--out", "alone"]) == 0
    real = Training.step

    def stop(run):
        if run.steps_done == 3:
            signal.raise_signal(signal.SIGINT)
        return real(run)

    monkeypatch.setattr(Training, "step", stop)
    assert main([*command, "--workers", "3", "--out", "several"]) == 130
    monkeypatch.setattr(Training, "step", real)
    assert load_training("several/checkpoint.npz").steps_done == 4
    assert main(["--resume", "several", "--workers", "2"]) == 0
    alone, several = (load_training(f"{name}/checkpoint.npz") for name in ("alone", "several"))
    assert digest(alone) == digest(several)


@pytest.mark.slow
def test_control_c_ends_a_run_of_processes_as_one_of_threads(tmp_path):
    """A terminal sends it to every process there is."""
    pytest.importorskip("distributed")
    if os.name != "posix":
        pytest.skip("needs groups of processes")
    code = "import sys; from minitransformer.__main__ import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *COMMAND, "--steps", "100000", "--every", "10000",
         "--workers", "2", "--engine", "dask", "--out", "run"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert any(line.startswith("step 50 ") for line in process.stderr)
    os.killpg(process.pid, signal.SIGINT)
    said, progress = process.communicate(timeout=SECONDS)
    assert problems(progress) == []
    assert process.returncode == 130
    assert "and saved" in said
    stopped = load_training(tmp_path / "run/checkpoint.npz")
    alone = load_training(tmp_path / "run/checkpoint.npz")
    assert 50 <= stopped.steps_done < 100_000
    assert digest(alone) == digest(stopped)


@pytest.mark.parametrize("most", [1, 3, 8, 11, 37, 100])
@pytest.mark.parametrize("pad", [1, 4, 50])
def test_lengths_are_filled_up_to_four_at_most(pad, most):
    widths = set()
    for columns in range(1, most + 1):
        ids = np.arange(1, 2 * columns + 1).reshape(2, columns)
        filled = filled_up(ids, pad, most)
        np.testing.assert_array_equal(filled[:, :columns], ids)
        assert (filled[:, columns:] == PAD).all()
        assert filled.shape[1] == most or filled.shape[1] % pad == 0
        widths.add(filled.shape[1])
    assert len(widths) <= 4
    assert max(widths) == most


@pytest.mark.slow
@pytest.mark.parametrize("positions", quickly_the_first(["sinusoidal", "learned", "rotary"]))
def test_what_is_filled_up_and_compiled_learns_the_same_to_rounding(positions):
    def losses(pad, compiled=True):
        sizes = Sizes(7, 7, **TINY | {"positions": positions, "dropout": 0.0})
        run = Training(Toy(3), sizes, Settings(**{**vars(SETTINGS), "pad": pad}))
        if not compiled:
            run.job.summed_loss = run.job.summed_loss.function
        return [run.step() for _ in range(4)]

    plain = losses(1, compiled=False)
    np.testing.assert_allclose(losses(1), plain, rtol=1e-5)
    np.testing.assert_allclose(losses(50), plain, rtol=1e-5)
