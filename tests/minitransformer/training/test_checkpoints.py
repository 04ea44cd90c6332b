"""A run that was stopped and goes on ends as one that never was; no other file passes for one."""

import copy
import os
import shutil

import numpy as np
import pytest
from model_checks import quickly_the_first
from toy_task import Toy, trained

import minigrad as mg
from minigrad.arrays import serialize
from minigrad.errors import CheckpointError
from minitransformer import DecoderSizes, Settings, Sizes, Training, load_reader, load_training
from minitransformer.tasks import TASKS
from minitransformer.training import checkpoints, loop

LAST = 12


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    monkeypatch.setitem(TASKS, "toy", Toy)


def started():
    sizes = Sizes(7, 7, width=8, heads=2, feed_forward=8, dropout=0.3)
    return Training(Toy(4), sizes, Settings(steps=LAST, batch=5, warmup=3, seed=4))


def advanced(run, last=LAST, before=lambda: None):
    """`run` after step `last`, having called `before` before each."""
    while run.steps_done < last:
        before()
        run.step()
        if run.steps_done % 5 == 0:
            run.curve[-1].accuracy = run.reader.accuracy(run.task.held_out(5))
    return run


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "checkpoint.npz"
    advanced(started()).save(path)
    return path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("stop", quickly_the_first([7, 0, 1, 4, 8, 9, LAST]))
def test_stopping_at_any_step_changes_no_bit(tmp_path, uninterrupted, stop):
    """Weights, optimiser, random state, data and curve: the files are equal to the byte."""
    path = tmp_path / "checkpoint.npz"
    advanced(started(), stop).save(path)
    mg.manual_seed(99)  # as if in another process
    advanced(load_training(path)).save(path)
    assert path.read_bytes() == uninterrupted


def test_going_on_for_another_kind_of_processor_is_said(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint.npz"
    monkeypatch.setattr(loop, "core", lambda: "Haswell")
    started().save(path)
    monkeypatch.setattr(checkpoints, "core", lambda: "SkylakeX")
    with pytest.warns(UserWarning, match="for Haswell, and here they are for SkylakeX"):
        advanced(load_training(path), 1)
    for unknown in ("", "Haswell"):
        monkeypatch.setattr(checkpoints, "core", lambda: unknown)
        load_training(path)  # a warning is an error in these tests


# Names of weights in checkpoints of before, by those of now.
BEFORE = {
    "encoder-decoder": {
        "residual1.norm": "norm1", "residual2.norm": "norm2", "residual3.norm": "norm3",
    },
    "decoder": {"residual1.norm": "norm1", "residual2.norm": "norm2", "model.stack": "model.decoder"},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", quickly_the_first(list(BEFORE)))
def test_a_checkpoint_of_before_goes_on_and_reads_as_one_of_now(tmp_path, kind):
    part = {"width": 8, "heads": 2, "feed_forward": 8, "norm": "pre"}  # it ends with a norm, too
    sizes = Sizes(7, 7, **part) if kind == "encoder-decoder" else DecoderSizes(7, **part)
    run = Training(Toy(4), sizes, Settings(steps=LAST, batch=5, seed=4), kind=kind)
    path, before = tmp_path / "now.npz", tmp_path / "before.npz"
    advanced(run, 4).save(path)
    arrays, about = serialize.load(path)
    for now, then in BEFORE[kind].items():
        assert any(now in name for name in arrays)
        arrays = {name.replace(now, then): array for name, array in arrays.items()}
    serialize.save(before, arrays, about)
    line = "".join(run.reader.source.symbols[3:5])
    assert load_reader(before)[0].read([line]) == load_reader(path)[0].read([line])
    for one in (path, before):
        advanced(load_training(one)).save(one)
    assert before.read_bytes() == path.read_bytes()


def test_saving_changes_nothing(tmp_path, uninterrupted):
    path, run = tmp_path / "checkpoint.npz", started()
    advanced(run, before=lambda: run.save(path)).save(path)
    assert path.read_bytes() == uninterrupted


@pytest.mark.slow
def test_the_reader_of_a_checkpoint_reads_as_the_run_did(tmp_path):
    run = trained()
    run.save(tmp_path / "checkpoint.npz")
    reader, about = load_reader(tmp_path / "checkpoint.npz")
    lines = ["abc", "d", "ca"]
    assert reader.read(lines) == run.reader.read(lines)
    assert (reader.source, reader.target) == (Toy.source, Toy.target)
    assert (reader.longest_source, reader.longest_target) == (3, 3)
    assert not reader.model.training
    assert about["task"] == "toy"
    assert about["steps_done"] == run.steps_done


@pytest.mark.parametrize("load", [load_reader, load_training])
def test_a_run_is_loaded_by_its_folder(tmp_path, whole, load, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        CheckpointError, match=r"trans\.npz: `python -m minitransformer` trains a model"
    ):
        load("trans.npz")
    shutil.copy(whole, "other.npz")
    with pytest.raises(CheckpointError, match=r"checkpoint\.npz; there is one in .*other\.npz"):
        load(tmp_path)
    shutil.copy(whole, "checkpoint.npz")
    load(tmp_path)


def test_a_save_that_fails_leaves_the_checkpoint_before(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint.npz"
    run = started()
    run.save(path)
    before = path.read_bytes()
    run.step()
    real, calls = np.lib.format.write_array, []

    def full(*args, **kwargs):
        calls.append(args)
        if len(calls) == 20:
            raise OSError(28, "No space left on device")
        real(*args, **kwargs)

    monkeypatch.setattr(np.lib.format, "write_array", full)
    with pytest.raises(OSError, match="No space"):
        run.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["checkpoint.npz"]
    assert load_training(path).steps_done == 0


# --- other files ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TASKS, "toy", Toy)
        path = tmp_path_factory.mktemp("whole") / "checkpoint.npz"
        run = started()
        run.step()
        run.save(path)
    return path


@pytest.mark.parametrize("load", [load_reader, load_training])
def test_cut_off_anywhere(tmp_path, whole, load):
    data = whole.read_bytes()
    rng = np.random.default_rng(0)
    ends = {0, 1, 3, 4, 29, 30, 31, len(data) - 1, len(data) - 22, *rng.integers(0, len(data), 60)}
    for end in sorted(ends):
        (tmp_path / "cut.npz").write_bytes(data[:end])
        with pytest.raises(CheckpointError, match="truncated"):
            load(tmp_path / "cut.npz")


@pytest.fixture(scope="module")
def loaded(whole):
    return serialize.load(whole)


def changed(loaded, path, change):
    arrays, about = copy.deepcopy(loaded)
    serialize.save(path, arrays, change(arrays, about))


def put(value, *keys):
    """A change that puts `value` at that place in what the checkpoint says of itself."""

    def change(arrays, about):
        place = about
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value
        return about

    return change


def without(key):
    def change(arrays, about):
        del about[key]
        return about

    return change


def with_array(name, make):
    def change(arrays, about):
        arrays[name] = make(arrays.get(name))
        return about

    return change


def drop(name):
    def change(arrays, about):
        del arrays[name]
        return about

    return change


BIAS = "model.unembedding.bias"
IN_EITHER = {
    "says nothing": lambda arrays, about: {},
    "says a list": lambda arrays, about: [1],
    "no sizes": without("sizes"),
    "a size too many": put(3, "sizes", "storeys"),
    "a size that is no number": put("8", "sizes", "width"),
    "a width that heads do not divide": put(7, "sizes", "width"),
    "another width": put(16, "sizes", "width"),
    "more layers": put(2, "sizes", "encoder_layers"),
    "no memory is so large": put(10**12, "sizes", "feed_forward"),
    "more symbols than the vocabulary has": put(9, "sizes", "source_symbols"),
    "a vocabulary with a symbol twice": put(["a", "a", "b", "c"], "source", "symbols"),
    "no vocabulary": put(None, "target"),
    "a parameter missing": drop(BIAS),
    "a parameter too many": with_array("model.unembedding.gain", lambda _: np.zeros(7)),
    "a parameter of another shape": with_array(BIAS, lambda a: a[:-1]),
    "a parameter of text": with_array(BIAS, lambda a: a.astype(str)),
}
IN_READERS = {
    "no lengths": without("longest"),
    "three lengths": put([3, 3, 3], "longest"),
    "an endless length": put([float("inf"), 3], "longest"),
}
IN_TRAINING = {
    "no settings": without("settings"),
    "a setting that makes no sense": put(-1, "settings", "batch"),
    "an unknown task": put("tea", "task"),
    "a task that is a list": put([], "task"),
    "other symbols than the task has": put(["a", "b", "c", "e"], "source", "symbols"),
    "an endless number of steps": put(float("inf"), "steps_done"),
    "a curve of something else": put([{"time": 1}], "curve"),
    "an optimiser's array missing": drop("optimizer.mean.0"),
    "an optimiser's array of another shape": with_array("optimizer.mean.0", lambda a: a[:1]),
}
CASES = [(load_reader, IN_EITHER | IN_READERS), (load_training, IN_EITHER | IN_TRAINING)]


@pytest.mark.parametrize(
    ("load", "change"),
    [(load, change) for load, changes in CASES for change in changes.values()],
    ids=[f"{load.__name__}-{name}" for load, changes in CASES for name in changes],
)
def test_another_model(tmp_path, loaded, load, change):
    changed(loaded, tmp_path / "other.npz", change)
    with pytest.raises(CheckpointError, match=r"other\.npz is not a checkpoint of this model: \w+"):
        load(tmp_path / "other.npz")


def test_the_changes_above_begin_with_a_checkpoint_that_loads(tmp_path, whole, loaded):
    changed(loaded, tmp_path / "same.npz", lambda arrays, about: about)
    assert (tmp_path / "same.npz").read_bytes() == whole.read_bytes()
    load_reader(tmp_path / "same.npz")
    assert load_training(tmp_path / "same.npz").steps_done == 1
