"""Every fault is told with its line; what is used is what the file says; the split is clean."""

import random
import re
import tempfile
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from properties import given, st

from minigrad.errors import ConfigError, DataError
from minitransformer.tasks import files, survey
from minitransformer.tasks import pairs as pairs_module
from minitransformer.tasks.pairs import Pairs
from minitransformer.training.vocabulary import Vocabulary

# Twelve lines without a fault, and with enough in common that some can be held out.
GOOD = [f"{number}{number}\t{number:b}" for number in range(11, 23)]


def everything(task: Pairs) -> dict[str, str]:
    """All that a task holds, as 40 batches of a small file draw it."""
    trained = [pair for step in range(40) for pair in task.batch(step, 64)]
    return dict(trained + task.held_out(task.held_out_count))


def as_pairs(lines: list[str]) -> dict[str, str]:
    return dict(tuple(line.split("\t")) for line in lines)


@pytest.fixture
def write(tmp_path):
    """Writes a file of these lines (or bytes), and returns its path."""

    def write(content: list[str] | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / "some.tsv"
        if not isinstance(content, bytes):
            content = "".join(line + "\n" for line in content).encode(encoding)
        path.write_bytes(content)
        return path

    return write


def refused(path: Path, **options) -> str:
    """The message with which the file is refused: one line, not too long, with the path."""
    with pytest.raises(DataError) as error:
        Pairs(0, path, **options)
    message = str(error.value)
    assert str(path) in message
    assert "\n" not in message
    assert len(message) < 500 + len(str(path))
    return message


# --- files without a fault ------------------------------------------------------------------------


def test_all_pairs_of_the_file_are_used(write):
    task = Pairs(0, write(GOOD))
    assert task.faults == []
    assert everything(task) == as_pairs(GOOD)
    assert task.longest_source == 4
    assert task.longest_target == 5


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("last", [True, False])
def test_ends_of_lines(write, end, last):
    """Of any system; the last line may lack its own. Nothing of them gets into the text."""
    content = end.join(line.encode() for line in GOOD) + end * last
    task = Pairs(0, write(content))
    assert everything(task) == as_pairs(GOOD)


def test_what_ends_a_line_only_for_python(write):
    """str.splitlines would count other lines than an editor does, and cut these in two."""
    odd = ["a\u2028b\tc\x0cd", "a\x85b\tc\x1dd", "b\u2028a\td\x0cc", "b\x85a\td\x1dc"]
    task = Pairs(0, write([*GOOD, *odd]))
    assert everything(task) == as_pairs([*GOOD, *odd])
    message = refused(write([*odd, "", *GOOD]))
    assert "1 fault: line 5: empty" in message


def test_any_language(write):
    lines = [
        f"{word} {word}\t{word}" for word in ("おはよう", "здравствуй", "שלום", "👩‍🚀", "e\u0301")
    ]
    lines += [line.replace("\t", "!\t") for line in lines]
    for level in ("character", "word"):
        task = Pairs(0, write(lines), level=level, skip_bad=True)
        assert task.faults == []
        assert everything(task) == as_pairs(lines)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gb18030"])
def test_the_replacement_character_is_a_character(write, encoding):
    """U+FFFD in the file is text, also beside a line that cannot be decoded."""
    lines = [f"\ufffd{line}" for line in GOOD]
    path = write("\n".join(lines).encode(encoding))
    assert everything(Pairs(0, path, encoding=encoding)) == as_pairs(lines)
    path = write("\n".join([*lines, ""]).encode(encoding) + b"\xff")
    message = refused(path, encoding=encoding)
    assert f"has 1 fault: line 13: not {encoding}" in message


def test_white_space_is_no_difference(write):
    """To a reader of words none of it is; to one of characters, that around a text."""
    path = write([" a  b \t  x   y\u3000", "a b\tx y"])
    by_words = Pairs(0, path, level="word", skip_bad=True)
    assert everything(by_words) == {"a b": "x y"}
    by_characters = Pairs(0, path, skip_bad=True)
    assert everything(by_characters) == {"a  b": "x   y", "a b": "x y"}


def test_words(write):
    path = write([f"the {a} sees the {b}\tdie {a} sieht die {b}" for a in "pqrs" for b in "pqrs"])
    task = Pairs(0, path, level="word")
    assert task.source == Vocabulary.of_words(["the sees p q r s"])
    assert task.target == Vocabulary.of_words(["die sieht p q r s"])
    assert (task.longest_source, task.longest_target) == (5, 5)
    for source, target in task.batch(0, 64):
        assert task.target.decode(task.target.encode(target)) == target
        assert task.source.decode(task.source.encode(source)) == source


@pytest.mark.parametrize(("divider", "name"), pairs_module.DIVIDERS.items())
def test_a_csv_is_read_by_what_divides_it_and_its_quotes(tmp_path, divider, name):
    path = tmp_path / "some.CSV"
    lines = [f'"{n},{n};""a"""{divider}{n:b}' for n in range(11, 23)]
    path.write_text("\n".join(lines))
    assert everything(Pairs(0, path)) == {f'{n},{n};"a"': f"{n:b}" for n in range(11, 23)}
    faults = "seven", f"a{divider}b{divider}c", f'"a{divider}b'
    path.write_text("\n".join([*lines, *faults]))
    message = refused(path)
    assert f"line 13: no {name}; expected one; line 14: 2 {name}s; expected one" in message
    assert "line 15: a quote that does not end in its line" in message


@pytest.mark.parametrize("name", ["some.csv", "some.txt"])
def test_a_first_line_that_names_the_columns_is_no_pair_and_this_is_said(tmp_path, name):
    path, divider = tmp_path / name, "," if name.endswith("csv") else "\t"
    rows = [f"{n}{divider}{n:b}" for n in range(11, 23)]
    path.write_text("\n".join([f"Source{divider}target", *rows]), encoding="utf-8-sig")
    task = Pairs(0, path)
    assert everything(task) == {f"{n}": f"{n:b}" for n in range(11, 23)}
    assert task.left_out == "line 1 names the columns, Source and target: it is no pair"
    path.write_text("\n".join([*rows, f"source{divider}target"]))
    assert "source" in everything(Pairs(0, path))  # of another line nobody knows


def test_two_words_in_the_first_line_may_be_names_and_this_is_said(write):
    path = write(["words\tnumber", *GOOD])
    task = Pairs(0, path, skip_bad=True)
    assert "words" in everything(task)
    assert task.left_out == "line 1, words -> number, is taken as a pair; header=True leaves it out"
    task = Pairs(0, path, header=True)
    assert everything(task) == as_pairs(GOOD)
    assert task.left_out == "line 1 names the columns, words and number: it is no pair"


# --- faults ---------------------------------------------------------------------------------------

FAULTS = {
    "empty": ("", "empty"),
    "blank": (" \u3000 ", "empty"),
    "only a tab": ("\t", "empty"),
    "no tab": ("seven", "no tab; expected one"),
    "two tabs": ("a\tb\tc", "2 tabs; expected one"),
    "a tab at the end": ("a\tb\t", "2 tabs; expected one"),
    "no source": (" \tb", "no source"),
    "no target": ("a\t ", "no target"),
    "long source": ("7" * 41 + "\t7", "a source of 41 characters; the model reads at most 40"),
    "long target": ("7\t" + "7" * 41, "a target of 41 characters; the model reads at most 40"),
    "not decodable": (b"caf\xe9\tx", "not utf-8 at character 4"),
    "cut off": (b"x\t\xe3\x81", "not utf-8 at character 3"),
    "a NUL": ("a\0\tb", "a NUL"),
}


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("place", [2, pytest.param(len(GOOD), marks=pytest.mark.slow)])
def test_a_fault_is_told_with_its_line(write, kind, place):
    """And nothing of the line is used, unless the user says so; then all others are."""
    line, what = FAULTS[kind]
    raw = [text.encode() for text in GOOD]
    raw.insert(place, line if isinstance(line, bytes) else line.encode())
    path = write(b"\n".join(raw) + b"\n")
    message = refused(path, longest=40)
    assert f"has 1 fault: line {place + 1}: {what}" in message
    assert "skip_bad=True to use the 12 lines left" in message

    task = Pairs(0, path, longest=40, skip_bad=True)
    assert [(fault.line, what in fault.what) for fault in task.faults] == [(place + 1, True)]
    assert everything(task) == as_pairs(GOOD)
    assert task.longest_source == 4  # not that of the line that is too long


def test_many_faults_are_counted_and_the_first_are_told(write):
    """In the order of the file, whether the bytes are wrong or the tabs."""
    bad = [b"no tab", b"\xff", b"", b"a\tb\tc", b"\xfe\tx"] * 3
    message = refused(write(b"\n".join([*bad, *(line.encode() for line in GOOD)])))
    assert "has 15 faults" in message
    told = [message.index(f"line {n}: ") for n in range(1, 6)]
    assert told == sorted(told)
    assert "line 6" not in message
    assert "and 10 more" in message
    assert "the 12 lines left" in message


def test_a_file_with_nothing_to_use(write):
    for skip_bad in (False, True):
        message = refused(write(["a", "b", ""]), skip_bad=skip_bad)
        assert "3 faults: line 1: no tab" in message
        assert "skip_bad" not in message  # it would be of no use


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf"])
def test_an_empty_file(write, content):
    for skip_bad in (False, True):
        assert "empty" in refused(write(content), skip_bad=skip_bad)


def test_the_limit_counts_what_the_model_reads(write):
    lines = [*GOOD, " " + "7" * 40 + "\t7"]
    assert Pairs(0, write(lines), longest=40).longest_source == 40
    words = [f"one two {number}{number}\t{number}" for number in range(11)]
    assert "a source of 3 words" in refused(write(words), level="word", longest=2)


# --- encodings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("told", [{}, {"encoding": "utf-8"}, {"encoding": "utf-16"}])
def test_a_byte_order_mark_says_how_to_read(write, encoding, told):
    """Whatever was told: it would be a letter of the first source, or all lines would be faults."""
    task = Pairs(0, write(GOOD, encoding), **told)
    assert task.faults == []
    assert everything(task) == as_pairs(GOOD)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_characters_without_a_mark(write, encoding):
    """Every line has zeros, so nothing can be used; told the right encoding, all can."""
    path = write(GOOD, encoding)
    for skip_bad in (False, True):
        assert "line 1: a NUL character, as in utf-16" in refused(path, skip_bad=skip_bad)
    assert everything(Pairs(0, path, encoding=encoding)) == as_pairs(GOOD)
    marked = write("\ufeff".encode(encoding) + path.read_bytes())
    assert everything(Pairs(0, marked, encoding=encoding)) == as_pairs(GOOD)


def test_another_encoding(write):
    lines = [f"é{number}\tü{number}" for number in range(30)]
    path = write(lines, "latin-1")
    message = refused(path)
    assert "30 faults: line 1: not utf-8 at character 1; line 2" in message
    assert message.endswith(
        "name the file's encoding, such as encoding='cp1252' for one of Windows"
    )
    assert everything(Pairs(0, path, encoding="latin-1")) == as_pairs(lines)


@pytest.mark.parametrize("encoding", ["utf-9", "", "rot13", "hex", "idna"])
def test_an_encoding_that_is_none(write, encoding):
    with pytest.raises(ConfigError, match="encoding"):
        Pairs(0, write(GOOD), encoding=encoding)


# --- what cannot be opened ------------------------------------------------------------------------


def test_no_such_file(tmp_path):
    assert "No such file" in refused(tmp_path / "none.tsv")
    assert "is a folder" in refused(tmp_path)


def test_a_file_that_has_changed(write):
    """Going on with other data would be another run, with nothing to show for it."""
    sha256 = Pairs(0, write(GOOD)).sha256
    assert Pairs(0, write(GOOD), sha256=sha256).sha256 == sha256
    assert "has changed" in refused(write([*GOOD, "a1\t1"]), sha256=sha256, skip_bad=True)


@pytest.mark.parametrize("options", [{"level": "byte"}, {"longest": 0}, {"longest": "9"}])
def test_options_that_make_no_sense(write, options):
    (name, value) = next(iter(options.items()))
    with pytest.raises(ConfigError, match=f"{name}.*{value}"):
        Pairs(0, write(GOOD), **options)


# --- the split ------------------------------------------------------------------------------------

some_pairs = st.lists(st.tuples(*[st.text("abcdefgh", min_size=1, max_size=6)] * 2), min_size=1)


@pytest.mark.slow
@given(some_pairs, st.integers(0, 3), st.sampled_from(["character", "word"]))
def test_every_split_is_clean(pairs, seed, level):
    """No source on both sides, however often it comes; nothing lost; each held-out symbol seen in
    training; at most a tenth held out; for each seed the same vocabularies and lengths."""
    if level == "word":
        pairs = [(" ".join(source), " ".join(target)) for source, target in pairs]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "some.tsv")
        path.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
        task = Pairs(seed, path, level=level, skip_bad=True)
        other = Pairs(seed + 1, path, level=level, skip_bad=True)
        trained = task.batch(0, 30 * len(pairs))

    held_out = task.held_out(task.held_out_count)
    hidden = {source for source, _ in held_out}
    assert len(hidden) == len(held_out) <= -(-len(pairs) // 10)
    assert set(held_out) <= set(pairs)
    assert set(trained) == {pair for pair in pairs if pair[0] not in hidden}
    assert task.faults == []

    shown = [{s for text in side for s in (text.split() if level == "word" else text)}
             for side in zip(*trained, strict=True)]  # fmt: skip
    assert [set(task.source.symbols), set(task.target.symbols)] == shown
    for source, target in held_out:
        assert len(task.source.encode(source)) <= task.longest_source
        assert len(task.target.encode(target)) <= task.longest_target
    for name in ("source", "target", "longest_source", "longest_target"):
        assert getattr(task, name) == getattr(other, name)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.text("uvwxyz", min_size=1, max_size=3)),
                min_size=1, max_size=80),
       st.sampled_from(["character", "word"]), st.integers(0, 3), st.integers(2, 40))  # fmt: skip
def test_how_targets_are_kept_changes_no_split(pairs, level, few, most):
    splits = []
    for kept in (few, 10**9):
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setattr(survey, "FEW", kept)
            patch.setattr(survey, "MOST_LINES", most)
            path = Path(folder, "some.tsv")
            path.write_text("".join(f"{source}\t{' '.join(target)}\n" for source, target in pairs))
            task = Pairs(0, path, level=level, skip_bad=True)
            splits.append((task.held_out(task.held_out_count), task.batch(0, 20)))
    assert splits[0] == splits[1]


LINES = {  # of a file, by what it has many of
    "targets of one source": lambda n: f"ab\t{n:b}",
    "targets of a few sources": lambda n: f"{n % 30}\t{n:b}",
    "sources": lambda n: f"{n:x}{n:b}\t{n % 100}",
    "bad lines": lambda n: f"no tab {n:b}" if n % 1000 else f"{n % 7000}\t{n % 3000}",
    "empty lines": lambda n: " " * 30 if n % 1000 else f"{n % 7000}\t{n % 3000}",
}


@pytest.mark.slow
@pytest.mark.parametrize("many", LINES)
def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch, many):
    """But for a number or two for each 4 kB of it."""
    monkeypatch.setattr(survey, "CANDIDATES", 500)
    monkeypatch.setattr(survey, "MOST_LINES", 1000)
    path, most = tmp_path / "many.tsv", []
    for count in (3_000, 9_000):
        path.write_text("".join(f"{LINES[many](n)}\n" for n in range(count)))
        tracemalloc.start()
        try:
            Pairs(0, path, skip_bad=True).batch(1, 8)
            most.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert most[1] < most[0] + 60_000


def test_what_can_be_used_is_found_at_once_and_drawn_alike(tmp_path, monkeypatch):
    """However few lines it is: among thousands that cannot, and among some."""
    monkeypatch.setattr(files, "BLOCK", 256)
    lines = [f"{n}\tx{n % 7}" if n > 19_960 or not n % 500 else "no tab" for n in range(20_000)]
    good = {tuple(line.split("\t")) for line in lines if "\t" in line}
    path = tmp_path / "bad.tsv"
    path.write_text("\n".join(lines))
    task = Pairs(0, path, skip_bad=True)
    reads, block = [], task._file.block
    monkeypatch.setattr(task._file, "block", lambda i: reads.append(i) or block(i))
    drawn = Counter(pair for step in range(100) for pair in task.batch(step, 64))
    assert len(reads) < 2 * 6400
    assert drawn.keys() == good - set(task.held_out(task.held_out_count))
    assert min(drawn.values()) * len(drawn) / 6400 > 0.5
    assert max(drawn.values()) * len(drawn) / 6400 < 1.6


def test_which_sources_are_held_out_is_decided_by_a_hash(write):
    """Other lines of the file, and their order, change it only as their number does."""
    lines = [f"{number}\t{number % 7}" for number in range(400)]
    before = dict(Pairs(0, write(lines)).held_out(40))
    random.Random(0).shuffle(lines)
    assert dict(Pairs(0, write(lines)).held_out(40)) == before
    more = dict(Pairs(0, write([*lines, *(f"{n}\t{n % 7}" for n in range(400, 500))])).held_out(50))
    assert len(before.keys() & more.keys()) > 30
    assert dict(Pairs(1, write(lines)).held_out(40)) != before


def test_all_lines_of_a_held_out_source_are_hidden(write):
    lines = [f"{number}{number}\t{number % 7}{also}" for number in range(40) for also in "ab"]
    task = Pairs(0, write(lines))
    hidden = {source for source, _ in task.held_out(task.held_out_count)}
    drawn = {source for step in range(40) for source, _ in task.batch(step, 64)}
    assert len(hidden) == 8
    assert drawn == {line.split("\t")[0] for line in lines} - hidden


def test_a_tenth_is_held_out_and_at_most_a_thousand(write):
    lines = [f"{number}\t{number % 7}" for number in range(20_000)]
    assert Pairs(0, write(lines[:41])).held_out_count == 5
    assert Pairs(0, write(lines[:1000])).held_out_count == 100
    assert Pairs(0, write(lines)).held_out_count == 1000


def test_a_symbol_that_one_pair_alone_has_is_trained_on(write):
    """Held out, it could not be read: the model would never have seen it."""
    rare = "11q\tb"
    for seed in range(30):
        task = Pairs(seed, write([rare, *GOOD, "12\tb", "13\tb"]))
        assert "q" in task.source.symbols
        assert task.held_out_count == 2
        assert "11q" not in dict(task.held_out(2))


def test_of_two_pairs_that_share_a_symbol_one_is_trained_on(write):
    """Each letter is in two pairs: holding out one of them makes the other the last to show it."""
    path = write([f"{letter * n}\t1" for letter in "abcdefghijklmnopqrstuvwxyz" for n in (1, 2)])
    for seed in range(30):
        task = Pairs(seed, path)
        hidden = [source[0] for source, _ in task.held_out(6)]
        assert len(set(hidden)) == len(hidden) == task.held_out_count
        assert len(task.source.symbols) == 26


def test_sides_are_counted_apart(write):
    """Each of the letters occurs twice, but on either side once."""
    assert "none of its 2 pairs" in refused(write(["a\tb", "b\ta"]))
    assert Pairs(0, write(["a\tb", "aa\tbb"])).held_out_count == 1


def test_one_example(write):
    """None is left to hold out; training on it alone is possible, if asked for."""
    path = write(["", "a\tb"])
    assert "1 fault: line 1: empty" in refused(path)
    path = write(["a\tb"])
    message = refused(path)
    assert "line 1: the only pair" in message
    assert "skip_bad" in message
    task = Pairs(0, path, skip_bad=True)
    assert task.held_out_count == 0
    assert task.held_out(0) == []
    assert task.batch(0, 2) == [("a", "b")] * 2
    with pytest.raises(ConfigError, match=r"1 held-out.*0 to 0"):
        task.held_out(1)


def test_one_source_alone(write):
    assert "all its 5 pairs have 'a' in the first column" in refused(write(["a\tb"] * 5))
    assert Pairs(0, write(["a\tb"] * 5 + ["b\tb", "ab\tb"])).held_out_count == 1


def test_words_that_occur_once(write):
    lines = [f"word{number}\tWort{number}" for number in range(20)]
    message = refused(write(lines), level="word")
    assert "none of its 20 pairs can be held out" in message
    assert "a word that no other has" in message
    assert Pairs(0, write(lines)).held_out_count > 0  # their letters occur again


@pytest.mark.slow
def test_pairs_are_drawn_from_all_over_the_file(write):
    lines = [f"{number}\t{number}" for number in range(1000)]
    random.Random(0).shuffle(lines)
    task = Pairs(0, write(lines))
    drawn = [int(target) for step in range(100) for _, target in task.batch(step, 64)]
    assert len(set(drawn)) > 0.99 * 900
    assert task.batch(0, 64) != task.batch(1, 64)


# --- what is told before a run --------------------------------------------------------------------


def test_the_lines_that_are_held_out_are_told(write):
    lines = [f"{n}\t{n:b}" for n in range(100, 300)]
    lines += [lines[7]] * 3
    task = Pairs(0, write(lines))
    held_out = [n for n, line in enumerate(lines, 1) if line.split("\t")[0] in task._hidden]
    shown = re.fullmatch(
        r"(\d+) of 203 lines held out, to test on and never to learn from: "
        r"lines ([\d, ]+) and (\d+) more", task.remarks[0],
    )  # fmt: skip
    first = [int(n) for n in shown[2].split(", ")]
    assert int(shown[1]) == len(held_out) == len(first) + int(shown[3])
    assert first == held_out[: len(first)]
    assert len(task.remarks) == 1


def test_a_source_with_two_targets_is_told_with_an_example(write):
    lines = [*GOOD, f"1111\t{'9' * 50}", "1212\t1", "1111\t1", GOOD[0]]
    assert Pairs(0, write(lines)).remarks[1] == (
        "2 of 12 sources have more than one target, and the model can write only one: '1111' is '1011' "
        f"in line 1, and '{'9' * 37}...' in line 13"
    )
    assert "1 of 12 sources has" in Pairs(0, write([*GOOD, "1111\t1"])).remarks[1]
    assert len(Pairs(0, write([*GOOD, GOOD[0]])).remarks) == 1


def test_nothing_held_out_is_told(write):
    assert Pairs(0, write(["a\tb"]), skip_bad=True).remarks == [
        "no line is held out, so that nothing will tell how well others are read"
    ]


def test_of_a_line_that_is_too_long_it_is_said_how_to_allow_it(write):
    long = ["x" * 30 + "\t1", "x\t" + "1" * 40]
    assert "longest=40" in refused(write([*GOOD, *long]), longest=20)
    assert Pairs(0, write([*GOOD, *long]), longest=40).longest_target == 40
    assert "longest=" not in refused(write([*GOOD, "x\ty\tz"]))


def test_of_lines_without_a_tab_it_is_said_what_to_put_between(write):
    assert "put one tab between source and target" in refused(write(["ab ba", "cd dc"]))
    assert "put one tab" not in refused(write([*GOOD, "x\ty\tz"]))
