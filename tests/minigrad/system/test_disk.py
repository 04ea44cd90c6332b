"""What is written replaces regular files alone, and is whole or not there; links lead on."""

import os
import stat

import numpy as np
import pytest
from extras import without_graphviz
from irregular import KINDS

import minigrad as mg
from minigrad import errors
from minigrad.arrays import serialize
from minigrad.course.lessons.notebooks import write_text
from minigrad.course.site.site_folder import copied
from minigrad.system.disk import sweep, write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")


def loss():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        return np.sum(x * x)


WRITERS = {
    "whole": lambda path: write_whole(path, lambda file: file.write(b"new")),
    "save": lambda path: serialize.save(path, {"w": np.zeros(2)}),
    "drawing": lambda path: mg.graph(loss()).draw().save(path),
    "page": lambda path: mg.explore(loss(), path),
    "program": lambda path: mg.graph(loss()).program().write(path),
    "text": lambda path: write_text(path, "new"),
    "copy": lambda path: copied(__file__, path),
}


def kind(path):
    return stat.S_IFMT(os.lstat(path).st_mode), os.lstat(path).st_rdev


@pytest.mark.parametrize("what", KINDS)
def test_nothing_but_a_regular_file_is_replaced(tmp_path, what):
    make, said = KINDS[what]
    path = tmp_path / "place.dot"
    make(path)
    before = {name: kind(tmp_path / name) for name in os.listdir(tmp_path)}
    with pytest.raises(errors.ConfigError, match=rf"place\.dot is {said}, not a regular file"):
        write_whole(path, lambda file: pytest.fail("nothing is written"))
    assert {name: kind(tmp_path / name) for name in os.listdir(tmp_path)} == before


@posix
@pytest.mark.parametrize("writer", WRITERS)
def test_every_writer_refuses_a_pipe_and_follows_a_link(tmp_path, monkeypatch, writer):
    without_graphviz(monkeypatch)
    write, pipe, link, behind = WRITERS[writer], *(tmp_path / f"{n}.dot" for n in "plb")
    os.mkfifo(pipe)
    with pytest.raises(errors.ConfigError, match="is a pipe"):
        write(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    behind.write_bytes(b"old")
    link.symlink_to(behind.name)
    write(link)
    assert link.is_symlink()
    assert behind.read_bytes() not in (b"", b"old")
    assert sorted(os.listdir(tmp_path)) == ["b.dot", "l.dot", "p.dot"]


@posix
def test_a_link_to_nothing_makes_what_it_leads_to(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to("far/new")
    write_whole(tmp_path / "link", lambda file: file.write(b"new"))
    assert (tmp_path / "far/new").read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()


@posix
def test_what_a_killed_process_left_behind_a_link_is_swept(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to("far/new")
    left = tmp_path / "far" / ".new.123.part"
    left.touch()
    sweep(tmp_path / "link")
    assert not left.exists()


@posix
def test_links_in_a_circle_are_an_error_of_the_system(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(tmp_path / "a", lambda file: file.write(b"new"))
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
