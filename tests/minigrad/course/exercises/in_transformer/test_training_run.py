"""A transformer trained with a learner's functions: `exercises run`."""

import subprocess
import sys

import pytest
from learners import file_of, write
from limits import SECONDS
from progress import problems

from minigrad.__main__ import main
from minigrad.course.exercises.in_transformer import training_run


def trained(tmp_path, *options):
    """What a run says, and its exit status; its own process prints, too."""
    command = [sys.executable, "-m", "minigrad", "exercises", "run", "mine", *map(str, options)]
    ran = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, timeout=SECONDS)
    assert problems(ran.stderr) == []
    return ran.returncode, ran.stdout


@pytest.mark.slow
def test_a_run_trains_with_what_is_right_and_names_what_is_wrong(folder, tmp_path):
    write(folder, "def product_rule(g, x, y):\n    return g * y, g * x\n")
    write(folder, "def scores(q, k):\n    return q @ k.T\n", file_of("scores"))
    status, said = trained(tmp_path, "--steps", 2)
    assert status == 1
    assert "In their places: product_rule." in said
    assert "08 scores is wrong: There is no scaling." in said
    assert "2 steps in" in said
    assert "Of 100 dates" in said
    assert "product_rule" in said.partition("your function")[2]


@pytest.mark.slow
def test_a_wrong_function_trains_beside_a_right_run(folder, tmp_path):
    write(folder, "def scores(q, k):\n    return q @ k.T\n", file_of("scores"))
    status, said = trained(tmp_path, "--steps", 3, "--even-if-wrong", "--out", "drawn")
    assert status == 0
    assert said.index("The library in its place:") < said.index("With what is wrong:")
    pytest.importorskip("matplotlib")
    assert (tmp_path / "drawn" / "run.svg").exists()


@pytest.mark.slow
def test_a_run_is_stopped_by_its_limit(folder, tmp_path):
    write(folder, "def product_rule(g, x, y):\n    return g * y, g * x\n")
    status, said = trained(tmp_path, "--steps", 10**6, "--seconds", 8)
    assert status == 0
    assert "Of 100 dates" in said


@pytest.mark.slow
def test_a_run_that_fails_names_the_function_and_its_status_is_not_0(folder, tmp_path):
    """The check refuses these; a run with `--even-if-wrong` shows what comes of them."""
    code = """
        def softmax(x):
            return 1 / np.exp(x[..., None, :] - x[..., :, None]).sum(axis=-1)
    """
    write(folder, code, file_of("softmax"))
    status, said = trained(tmp_path, "--steps", 1, "--even-if-wrong")
    assert status == 1
    assert "It came to an end by an error: softmax was the first to give nan, in its call 1" in said


@pytest.mark.slow
def test_a_run_that_does_not_come_back_names_the_function_that_is_running(
    tmp_path, monkeypatch, capfd
):
    monkeypatch.setattr(training_run, "GRACE", 2.0)
    folder = tmp_path / "mine"
    assert main(["exercises", "start", str(folder)]) == 0
    right = "def scores(q, k):\n    return q @ k.T / np.sqrt(q.shape[1])\n"
    forever = "    while len(q) > 9:\n        pass\n"  # as no input of the check is
    write(folder, right.replace("    return", forever + "    return"), file_of("scores"))
    status = training_run.run(folder, 5, 4.0, folder / "out", even_if_wrong=False)
    assert status == 1
    assert "Call 1 of scores does not come back" in capfd.readouterr().out


def test_a_run_of_nothing_says_where_to_begin(run, folder):
    status, _, err = run("run", folder)
    assert status == 2
    assert "nothing is written yet" in err
