"""Windows are pieces of the file; none that is held out shares a part with one that is trained on."""

import re
from pathlib import Path

import pytest

from minigrad.errors import ConfigError, DataError
from minitransformer.tasks import files
from minitransformer.tasks import text as text_module
from minitransformer.tasks.text import Text

# No piece of six characters occurs twice in it, so that each tells its place.
LINES = [f"{number}," for number in range(1000, 2000)]
WHOLE = "\n".join(LINES)
WINDOW = 16


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / "some.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


def refused(path: Path, **options) -> str:
    with pytest.raises(DataError) as error:
        Text(0, path, **options)
    message = str(error.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def test_windows_are_pieces_of_the_text(write):
    task = Text(0, write(WHOLE), window=WINDOW)
    windows = task.batch(0, 64) + task.held_out(task.held_out_count)
    assert all(len(window) == WINDOW + 1 and window in WHOLE for window in windows)


def test_how_much_is_held_out_is_told(write):
    assert Text(0, write(WHOLE), window=WINDOW).remarks == [
        "the last 599 of 5,999 characters held out, to test on and never to learn from"
    ]


def test_what_is_read_and_written(write):
    """As the protocol's docstring says, with ids: what is written is what the text has next."""
    task = Text(0, write(WHOLE), window=WINDOW)
    ids = task.vocabulary.batch(task.batch(step=3, size=8))  # (B, T + 1)
    read, write_ = ids[:, :-1], ids[:, 1:]  # (B, T) each
    assert read.shape == write_.shape == (8, WINDOW)
    for row_read, row_write in zip(read, write_, strict=True):
        place = WHOLE.index(task.vocabulary.decode(row_read))
        assert task.vocabulary.decode(row_write) == WHOLE[place + 1 :][:WINDOW]


@pytest.mark.slow
def test_the_last_tenth_is_held_out_and_nothing_else(write):
    task = Text(0, write(WHOLE), window=WINDOW)
    border = len(WHOLE) - len(WHOLE) // 10
    starts = {WHOLE.index(w) for step in range(800) for w in task.batch(step, 64)}
    assert starts == set(range(border - WINDOW))  # the last of them ends just before the border
    assert all(WHOLE.index(window) >= border for window in task.held_out(task.held_out_count))


def test_each_held_out_symbol_is_predicted_once(write):
    """All but the first, which is only read, and what is left at the end: less than a window."""
    task = Text(0, write(WHOLE), window=WINDOW)
    border = len(WHOLE) - len(WHOLE) // 10
    written = "".join(window[1:] for window in task.held_out(task.held_out_count))
    assert WHOLE[border + 1 :].startswith(written)
    assert 0 <= len(WHOLE) - border - 1 - len(written) < WINDOW


def test_what_training_never_shows_is_not_asked(write):
    """The model cannot read it. The other windows of the last tenth are."""
    place = len(WHOLE) - 50
    task = Text(0, write(WHOLE[:place] + "§" + WHOLE[place:]), window=WINDOW)
    assert "§" not in task.vocabulary.symbols
    windows = task.held_out(task.held_out_count)
    assert not any("§" in window for window in windows)
    assert len(windows) > 20
    assert max(WHOLE.find(window) for window in windows) > place


def test_a_short_text(write):
    """Two windows are enough: one to train on, one to hold out."""
    for window in (1, 5):
        enough = "ab" * (window + 1)
        task = Text(0, write(enough), window=window)
        assert task.batch(0, 2) == [enough[: window + 1]] * 2
        assert task.held_out(1) == [enough[window + 1 :]]
        message = refused(write(enough[1:]), window=window)
        assert f"has {len(enough) - 1} characters" in message
        assert f"at least {len(enough)}" in message
        refused(write(enough[1:]), window=window, skip_bad=True)


def test_a_text_of_which_nothing_can_be_held_out(write):
    path = write("a" * 200 + "b" * 20)
    assert "no window can be held out" in refused(path, window=10)
    task = Text(0, path, window=10, skip_bad=True)
    assert task.held_out_count == 0
    assert task.batch(0, 1) == ["a" * 11]


def test_empty_lines_and_ends_of_lines(write):
    """An empty line is text; how the file ends its lines is not."""
    content = "\n\n".join(LINES)
    for end in ("\n", "\r\n"):
        task = Text(0, write(content.replace("\n", end)))
        windows = task.batch(0, 8)
        assert all(window in content for window in windows)
        assert any("\n\n" in window for window in windows)
        assert "\r" not in task.vocabulary.symbols


def test_no_block_is_read_that_has_no_text(tmp_path, monkeypatch):
    """Of a file with long stretches that cannot be used."""
    monkeypatch.setattr(files, "BLOCK", 256)
    path = tmp_path / "bad.txt"
    path.write_bytes(b"to be or not\n" * 20 + b"\xff\n" * 20_000 + b"to be or not\n" * 20)
    task = Text(0, path, window=WINDOW, skip_bad=True)
    reads, block = [], task._file.block
    monkeypatch.setattr(task._file, "block", lambda i: reads.append(i) or block(i))
    assert any("not\nto" in window for step in range(10) for window in task.batch(step, 64))
    assert len(reads) < 3 * 640


def test_faults_are_told_with_their_lines(write):
    raw = [line.encode() for line in LINES]
    raw[4], raw[9] = b"caf\xe9", b"a\0b"
    path = write(b"\xef\xbb\xbf" + b"\n".join(raw))
    message = refused(path, window=WINDOW)
    assert "2 faults: line 5: not utf-8 at character 4; line 10: a NUL" in message
    assert "the 998 lines left" in message
    task = Text(0, path, window=WINDOW, skip_bad=True)
    assert [fault.line for fault in task.faults] == [5, 10]
    assert set(task.vocabulary.symbols) == set(WHOLE)


def test_what_cannot_be_read_at_all(write, tmp_path):
    assert "empty" in refused(write(b""))
    assert "No such file" in refused(tmp_path / "none.txt")
    assert "line 1" in refused(write(WHOLE, "utf-16-le"), skip_bad=True)
    task = Text(0, write(WHOLE, "utf-16"))  # a mark says so
    path = write(WHOLE)
    assert task.vocabulary == Text(0, path).vocabulary
    assert "has changed" in refused(path, sha256=task.sha256)


@pytest.mark.parametrize("window", [0, -1, 2.5])
def test_a_window_that_is_none(write, window):
    with pytest.raises(ConfigError, match=f"window.*{window}"):
        Text(0, write(WHOLE), window=window)


def test_the_example_in_the_docstring_is_true():
    found = re.findall(r"^    (\w+): +(.*)$", text_module.__doc__ or "", re.MULTILINE)
    shown = dict(found)
    window = shown["window"]
    assert shown == {"window": window, "read": window[:-1], "write": window[1:]}
