"""The exercises' command, and a learner's copy to run it on."""

import pytest

from minigrad.__main__ import main


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def exercises(*arguments):
        try:
            status = main(["exercises", *map(str, arguments)])
        except SystemExit as end:
            status = end.code
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return status, said.out, said.err

    return exercises


@pytest.fixture
def folder(run, tmp_path):
    """A learner's copy."""
    status, _, err = run("start", tmp_path / "mine")
    assert (status, err) == (0, "")
    return tmp_path / "mine"
