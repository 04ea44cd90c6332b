"""Checkpoints: every bit comes back, nothing is half-written, and nothing else is taken for one."""

import io
import json
import os
import pickle
import struct
import time
import tracemalloc
import zipfile

import numpy as np
import pytest
from irregular import KINDS
from limits import never_endless
from properties import arrays_of, given, settings, st

from minigrad.arrays import serialize
from minigrad.errors import ArgumentError, CheckpointError

ARRAYS = {
    "weight": np.arange(6, dtype=np.float32).reshape(2, 3),
    "nothing": np.zeros((0, 4)),
    "number": np.float64(0.1),
    "odd/name .npy": np.array([True, False]),
}
ABOUT = {"steps": 3, "random": 2**127 + 1, "text": 'Œ "\\ ', "list": [None, 0.1, float("inf")]}


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "checkpoint.npz"
    serialize.save(path, ARRAYS, ABOUT)
    return path


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@settings(max_examples=60)
@given(
    array=arrays_of.arrays(
        arrays_of.floating_dtypes(sizes=(16, 32, 64))
        | arrays_of.integer_dtypes()
        | arrays_of.boolean_dtypes(),
        arrays_of.array_shapes(min_dims=0, min_side=0, max_side=4),
    ),
    name=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
)
def test_every_bit_comes_back(tmp_path_factory, array, name):
    path = tmp_path_factory.mktemp("bits") / "c.npz"
    saved = {name: array, f"{name}.npy": array.T}  # the ends that names have in the file
    serialize.save(path, saved)
    arrays, about = serialize.load(path)
    assert list(arrays) == list(saved)
    assert all(same(arrays[k], saved[k]) for k in saved)
    assert about is None


def test_what_was_said_comes_back(saved):
    arrays, about = serialize.load(saved)
    assert about == ABOUT
    assert list(arrays) == list(ARRAYS)


def test_the_same_contents_give_the_same_bytes(saved, tmp_path, monkeypatch):
    later = time.time() + 1e8
    monkeypatch.setattr(time, "time", lambda: later)
    monkeypatch.setattr(time, "localtime", lambda *_: time.gmtime(later))
    serialize.save(tmp_path / "later.npz", ARRAYS, ABOUT)
    assert (tmp_path / "later.npz").read_bytes() == saved.read_bytes()


def test_any_program_for_numpy_reads_it(saved):
    with np.load(saved) as file:
        assert same(file["weight"], ARRAYS["weight"])
        assert json.loads(file["about.json"])["about"] == ABOUT


# --- nothing half-written -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arrays", "about", "error"),
    [
        ({"a": np.array([{}])}, None, TypeError),
        ({"a": np.zeros(2)}, object(), TypeError),
        ({"about.json": np.zeros(2)}, None, ValueError),
        ({"a\0b": np.zeros(2)}, None, ValueError),
        ({1: np.zeros(2)}, None, ValueError),
        ([np.zeros(2)], None, TypeError),
    ],
)
def test_what_cannot_be_saved_leaves_all_as_it_was(saved, arrays, about, error):
    before = saved.read_bytes()
    with pytest.raises(error):
        serialize.save(saved, arrays, about)
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


@pytest.mark.parametrize("problem", [OSError("disk full"), KeyboardInterrupt()])
def test_a_save_that_fails_leaves_all_as_it_was(saved, monkeypatch, problem):
    before = saved.read_bytes()
    real, calls = np.lib.format.write_array, []

    def fails_in_the_middle(*args, **kwargs):
        calls.append(args)
        if len(calls) == 3:
            raise problem
        return real(*args, **kwargs)

    monkeypatch.setattr(np.lib.format, "write_array", fails_in_the_middle)
    with pytest.raises(type(problem)):
        serialize.save(saved, ARRAYS, ABOUT)
    assert len(calls) == 3
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def test_a_dict_in_a_dict_is_told_how_to_be_saved(tmp_path):
    with pytest.raises(ArgumentError, match=r"model is a dict, .* names such as 'model\.weight'"):
        serialize.save(tmp_path / "c.npz", {"model": {"weight": np.ones(2)}, "step": 3})


def test_files_have_the_permissions_of_any_other(saved, tmp_path):
    other = tmp_path / "other"
    other.touch()
    assert saved.stat().st_mode == other.stat().st_mode


# --- nothing else is taken for a checkpoint -------------------------------------------------------


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.npz"
    serialize.save(path, {"w": np.arange(2.0)}, 1)
    return path


def test_cut_off_anywhere(small):
    data = small.read_bytes()
    for length in range(len(data)):
        small.write_bytes(data[:length])
        with pytest.raises(CheckpointError, match="truncated"):
            serialize.load(small)


def test_a_changed_byte_is_found_or_changes_nothing(small):
    data = bytearray(small.read_bytes())
    for i in range(len(data)):
        data[i] ^= 0xFF
        small.write_bytes(data)
        data[i] ^= 0xFF
        try:
            arrays, about = serialize.load(small)
        except CheckpointError:
            continue
        assert (about, list(arrays)) == (1, ["w"]), i
        assert same(arrays["w"], np.arange(2.0)), i


def written(path, how, *args, **kwargs):
    with path.open("wb") as file:
        how(file, *args, **kwargs)


def archive(**entries):
    def write(path):
        with zipfile.ZipFile(path, "w") as file:
            for name, data in entries.items():
                file.writestr(name.replace("_", "."), data)

    return write


def json_text(value):
    return json.dumps(value)


EMPTY = {"format": "minigrad 1", "arrays": [], "about": None}


OTHERS = {
    "an empty file": lambda path: path.write_bytes(b""),
    "a text": lambda path: path.write_text("2001-01-01\n" * 100),
    "an array": lambda path: written(path, np.save, np.zeros(3)),
    "arrays": lambda path: written(path, np.savez, a=np.zeros(3)),
    "an array in place of the text": lambda path: written(path, np.savez, **{"about.json": 1}),
    "a pickle": lambda path: path.write_bytes(pickle.dumps({"a": 1})),
    "an archive": archive(readme_txt="hello"),
    "PyTorch's": archive(**{"w/data_pkl": b""}),
    "no JSON": archive(about_json="{"),
    "JSON in JSON": archive(about_json="[" * 100_000),
    "a list": archive(about_json=json_text([1, 2])),
    "a number": archive(about_json="1"),
    "no format": archive(about_json=json_text({"about": 1})),
    "nothing said": archive(about_json=json_text({"format": "minigrad 1", "arrays": []})),
    "arrays missing": archive(about_json=json_text({**EMPTY, "arrays": ["weight"]})),
    "arrays that are none": archive(
        about_json=json_text({**EMPTY, "arrays": ["notes.txt"]}), notes_txt="hello"
    ),
    "one array too many": archive(about_json=json_text(EMPTY), notes_txt="hello"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_files(tmp_path, what):
    path = tmp_path / "other.npz"
    OTHERS[what](path)
    told = r".*load_state_dict\(torch\.load\(path\)\)" if what == "PyTorch's" else ""
    with pytest.raises(CheckpointError, match=f"is truncated, or is not a checkpoint{told}"):
        serialize.load(path)


def test_another_format(tmp_path):
    archive(about_json=json_text({**EMPTY, "format": "minigrad 2"}))(tmp_path / "new.npz")
    with pytest.raises(CheckpointError, match=r"'minigrad 2'; this version reads 'minigrad 1'"):
        serialize.load(tmp_path / "new.npz")


@pytest.mark.parametrize("name", ["missing.npz", ".", "no/such/folder.npz"])
def test_no_file(tmp_path, name):
    folder = "which is a folder: give a file in it" if name == "." else ""
    with pytest.raises(CheckpointError, match=f"there is no checkpoint .*{folder}$"):
        serialize.load(tmp_path / name)


def forged(path, about=(), **entries):
    """A checkpoint of `small` with other entries, each of a ZipInfo's fields and data."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("about.json", json_text({**EMPTY, "arrays": ["w"], **dict(about)}))
        for name, (data, compress) in entries.items():
            file.writestr(f"{name}.npy", data, compress)


def npy(array, **header):
    """An array as NumPy writes it, which promises something else."""
    file = io.BytesIO()
    of = np.lib.format.header_data_from_array_1_0(array)
    np.lib.format.write_array_header_1_0(file, {**of, **header})
    return file.getvalue() + array.tobytes()


ZEROS, STORED, DEFLATED = np.zeros(1 << 23), zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
SMALL = npy(np.zeros(2))
PROMISES = {
    "an array that is compressed": ({"w": (npy(ZEROS), DEFLATED)}, "w.npy is compressed"),
    "an array by another method": ({"w": (SMALL, zipfile.ZIP_LZMA)}, "w.npy is compressed"),
    "a compressed entry too many": (
        {"w": (SMALL, STORED), "x": (bytes(1 << 26), DEFLATED)}, "x.npy is compressed",
    ),
    "an entry too many": ({"w": (SMALL, STORED), "x": (SMALL, STORED)}, "with x, which are no arrays"),
    "a shape that is too large": ({"w": (npy(np.zeros(2), shape=(10**12,)), STORED)}, "promises 8"),
    "a shape that is endless": ({"w": (npy(np.zeros(2), shape=(10**30,)), STORED)}, "promises 8"),
    "a shape that is too small": ({"w": (npy(ZEROS, shape=(2,)), STORED)}, "promises 16 bytes and"),
    "numbers that are too wide": ({"w": (npy(np.zeros(2), descr="|V9999999"), STORED)}, "promises"),
}  # fmt: skip


@pytest.mark.parametrize("what", PROMISES)
def test_what_an_entry_promises_is_checked_before_it_is_read(tmp_path, what):
    entries, said = PROMISES[what]
    forged(tmp_path / "forged.npz", **entries)
    tracemalloc.start()
    try:
        with pytest.raises(CheckpointError, match=f"is truncated, or is not a checkpoint.*{said}"):
            serialize.load(tmp_path / "forged.npz")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 1 << 22


def test_entries_that_share_their_bytes_are_refused(small):
    """Each could be as large as the file, and there could be thousands of them."""
    data = small.read_bytes()
    end = data.rindex(b"PK\5\6")
    first = data.index(b"PK\1\2")
    entry = data[data.rindex(b"PK\1\2") : end]
    n, size = 40, end - first + 38 * len(entry)
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, n, n, size, first, 0)
    small.write_bytes(data[:end] + 38 * entry + tail)
    with pytest.raises(CheckpointError, match="larger than the file"):
        serialize.load(small)


def test_a_promise_that_is_kept_is_read(tmp_path):
    """What is forged above is right but for one thing."""
    forged(tmp_path / "right.npz", w=(SMALL, STORED))
    arrays, _ = serialize.load(tmp_path / "right.npz")
    assert same(arrays["w"], np.zeros(2))


@pytest.mark.parametrize("what", KINDS)
def test_what_is_no_regular_file_is_not_opened(tmp_path, what):
    make, said = KINDS[what]
    make(tmp_path / "c.npz")
    with never_endless(), pytest.raises(CheckpointError, match=rf"c\.npz, which is {said}: give"):
        serialize.load(tmp_path / "c.npz")


class Trap:
    """Unpickling it would leave a file behind."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_reading_runs_no_code(tmp_path):
    sprung = tmp_path / "sprung"
    trap = Trap(sprung)
    pickled = tmp_path / "trapped.npz"
    pickled.write_bytes(pickle.dumps(trap))
    hidden = tmp_path / "hidden.npz"
    with zipfile.ZipFile(hidden, "w") as file:
        file.writestr("about.json", json_text({**EMPTY, "arrays": ["weight"]}))
        with file.open("weight.npy", "w") as entry:
            np.lib.format.write_array(entry, np.array([trap], dtype=object), allow_pickle=True)
    for path in (pickled, hidden):  # and no word of what the reader never asked for
        with pytest.raises(CheckpointError, match=r"^((?!pickle\b).)*$"):
            serialize.load(path)
    assert not sprung.exists()
    np.load(hidden, allow_pickle=True)["weight"]  # the trap itself works
    assert sprung.exists()
