"""A file is read in blocks, and again a block at a time, as if it were read at once."""

import contextlib
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from irregular import KINDS
from limits import never_endless
from properties import given, st

from minigrad.errors import DataError
from minitransformer.tasks import files
from minitransformer.tasks.files import File
from minitransformer.tasks.pairs import Pairs
from minitransformer.tasks.text import Text

ROOT = Path(__file__).parents[3]


def at_once(text):
    """The lines of a text by number, as an editor counts them."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
    return dict(enumerate(lines, 1))


contents = st.text(st.sampled_from("ab\t\r\néж👩\u2028"), min_size=1, max_size=60)


@given(contents, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"]),
       st.integers(1, 40))  # fmt: skip
def test_lines_are_the_same_for_any_size_of_blocks(text, encoding, size):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "BLOCK", size)
        path = Path(folder, "file")
        path.write_bytes(text.encode(encoding))
        file = File(path, encoding)
        if at_once(text) == {1: ""}:
            with pytest.raises(DataError, match="empty"):
                list(file.blocks())
            return
        blocks = list(file.blocks())
        assert [file.block(i) for i in range(len(blocks))] == blocks
    assert {n: line for block in blocks for n, line in block.texts.items()} == at_once(text)
    for i, block in enumerate(blocks):
        for line in block.texts:
            assert file.holding(line, file.first) == i


@pytest.mark.parametrize("what", KINDS)
def test_what_is_no_regular_file_is_not_opened(tmp_path, what):
    """It is read again and again: a pipe has no second time, and a device no end."""
    make, said = KINDS[what]
    make(tmp_path / "file")
    with (
        never_endless(),
        pytest.raises(DataError, match=f"is {said}, not a regular file.*: give a"),
    ):
        File(tmp_path / "file", "utf-8")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_very_long_line(tmp_path, monkeypatch, encoding):
    """Text is drawn from all of it; of pairs it is one fault, wherever it is cut."""
    monkeypatch.setattr(files, "BLOCK", 16)
    monkeypatch.setattr(files, "LONG", 64)
    path = tmp_path / "long"
    line = "".join(random.Random(0).choices("abcdeж👩", k=500))
    path.write_text(line, encoding, newline="")
    text = Text(0, path, window=20)
    assert all(window in line for window in text.batch(0, 64) + text.held_out(1))
    path.write_text("a" * 64 + "\n", encoding, newline="")  # its end is a block of its own
    assert Text(0, path, window=8).held_out(1) == ["a" * 9]

    good = [f"{n}{n}\t{n:b}" for n in range(30)]
    for cut in range(12):  # a piece of it may look like a pair
        odd = "x" * cut + "a\tb" * 70
        path.write_text("\n".join([*good[:7], odd, *good[7:]]), encoding, newline="")
        pairs = Pairs(0, path, longest=40, skip_bad=True)
        assert [fault.line for fault in pairs.faults] == [8]
        drawn = {
            f"{source}\t{target}" for source, target in pairs.batch(0, 600) + pairs.held_out(3)
        }
        assert drawn == set(good)


def test_a_file_that_changes_while_it_is_used(tmp_path):
    path = tmp_path / "pairs"
    path.write_text("".join(f"{n}{n}\t{n:b}\n" for n in range(30)))
    task = Pairs(0, path)
    path.write_text("".join(f"{n}{n}\t{n:b}\n" for n in range(29)))
    with pytest.raises(DataError, match="has changed while it was in use"):
        task.batch(0, 1)
    path.unlink()
    with pytest.raises(DataError, match="No such file"):
        task.batch(0, 1)


def test_reading_says_how_far_it_is(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(files, "working", lambda what: contextlib.nullcontext(said.append))
    path = tmp_path / "pairs"
    path.write_text("".join(f"{n}{n}\t{n:b}\n" for n in range(3000)))
    Pairs(0, path)
    assert said[-1] == "100%"
    assert len(said) > 3


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs Linux")
@pytest.mark.parametrize("task", ["Pairs", "Text"])
@pytest.mark.parametrize("megabytes", [60])
def test_large_files_take_little_memory(tmp_path, task, megabytes):
    path = tmp_path / "large"
    draw = random.Random(0)
    some = "".join(
        f"{draw.random()} and {draw.random()}\t{draw.randrange(10**9)}\n" for _ in range(20_000)
    )
    with open(path, "w") as file:
        for n in range(megabytes * 1_000_000 // len(some)):
            file.write(some.replace(" and ", f" and {n} and "))
    code = f"""
from minitransformer.tasks.{task.lower()} import {task}
task = {task}(0, {str(path)!r})
for step in range(20):
    task.batch(step, 64)
print(*(line.split()[1] for line in open("/proc/self/status") if line.startswith("RssAnon")))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(result.stdout) < 50_000  # kB
