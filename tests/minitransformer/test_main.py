"""The command line, run as a person runs it: in a process of its own."""

import csv
import html
import io
import math
import os
import re
import shlex
import signal
import struct
import subprocess
import sys
from dataclasses import fields
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from extras import bare
from limits import SECONDS
from progress import problems

from minigrad.arrays import serialize
from minitransformer import Reader, Settings, Sizes, decoding, load_reader, load_training
from minitransformer.__main__ import COMMANDS, command_line, main
from minitransformer.commands import telling
from minitransformer.tasks import TASKS
from minitransformer.tasks.dates import EXAMPLES
from minitransformer.training.loop import Point

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "minitransformer"]
SIZES = ("--width", "8", "--heads", "2", "--feed-forward", "8")
TINY = (*SIZES, "--batch", "4", "--warmup", "5")
FILES = ["checkpoint.npz", "curve.csv", "report.html"]


def environment(without=None):
    """As it is; or with a folder of `extras.bare`, as if Graphviz and these packages were missing."""
    path = [str(ROOT)]
    others = {"OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    if without is not None:
        path.insert(0, without)
        others["PATH"] = without
    given = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}  # as people run it
    return {**given, "PYTHONPATH": os.pathsep.join(path), **others}


def run(*arguments, cwd, whole=False, variables=(), **options):
    """The finished process; without the extras unless asked for, which is quicker."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        env=environment(None if whole else bare(cwd / ".bare")) | dict(variables),
        stdin=None if "input" in options else subprocess.DEVNULL,
        capture_output=True,
        **{"text": True, "timeout": SECONDS, **options},
    )


def refused(result, *patterns):
    """It said in one line what is wrong, and nothing else."""
    assert result.returncode == 2, result.stderr
    lines = problems(result.stderr)
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("minitransformer: ")
    assert len(lines[0]) < 400
    for pattern in patterns:
        assert re.search(pattern, lines[0]), lines[0]


def left(folder):
    return sorted(os.listdir(folder)) if folder.exists() else None


@pytest.fixture
def here(tmp_path, monkeypatch, capsys):
    """What `run` does, in this process, and so in no time."""
    monkeypatch.chdir(tmp_path)

    def run_here(*arguments, given=""):
        # Lines are in UTF-8, whatever the system writes.
        stdin = io.TextIOWrapper(io.BytesIO(given.encode()), encoding="latin-1")
        monkeypatch.setattr(sys, "stdin", stdin)
        try:
            status = main([*map(str, arguments)])
        except SystemExit as end:  # argparse's way
            status = end.code
        return subprocess.CompletedProcess(arguments, status, *capsys.readouterr())

    return run_here


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder in which dates were trained on, at a size that learns nothing: `runs/dates`."""
    folder = tmp_path_factory.mktemp("home")
    result = run("--steps", 20, "--every", 8, *TINY, cwd=folder, whole=True)
    assert result.returncode == 0, result.stderr
    (folder / "said").write_text(result.stdout + result.stderr)
    return folder


# --- train ----------------------------------------------------------------------------------------


def test_a_run_says_how_it_goes(home):
    said = (home / "said").read_text()
    figures = r"loss \d\.\d{3}  held-out 0\.0%  held-out loss \d\.\d{3}  perplexity [\d.]+"
    assert re.search(rf"^step 20 of 20  {figures}  [\d.]+ steps/s$", said, re.M)
    exam = TASKS["dates"](0).held_out(3)
    for source, target in exam:  # at steps 8 and 16
        line = rf"^  wrong  {re.escape(source)} -> \S+, not {target}$"
        assert len(re.findall(line, said, re.M)) == 2
    end = re.search(
        r"^0 of 1000 held-out dates read exactly: 0\.0%; loss ([\d.]+) nats a symbol, "
        r"perplexity ([\d.]+)$", said, re.M
    )  # fmt: skip
    assert math.exp(float(end[1])) == pytest.approx(float(end[2]), rel=0.01)
    assert re.search(r"^20 steps and the report in [\d.]+ s, peak memory \d+ MB$", said, re.M)
    assert f"in runs/dates: {', '.join(FILES)}" in said


def test_a_run_says_what_it_shows_what_is_held_out_and_when_it_learned_by_heart(tmp_path):
    # None follows from the others.
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    (tmp_path / "few.tsv").write_text("".join(f"{word}\t{n}\n" for n, word in enumerate(words, 1)))
    done = run("train", "pairs", "few.tsv", "--steps", 100, "--every", 20, cwd=tmp_path)
    assert "1 of 10 lines held out, to test on and never to learn from: line 1\n" in done.stderr
    assert re.search(r"^loss: of the batch of a step, .*; \d\.\d\d if each", done.stderr, re.M)
    columns = (
        "held-out, held-out loss, perplexity: after each 20 steps, of 1 held-out examples: the"
    )
    assert columns in done.stderr
    assert done.stderr.count("the loss on held-out examples grows since step ") == 1
    assert done.stdout.count("the loss on held-out examples grows since step ") == 1
    assert re.search(
        r"^step 100 of 100  loss 0\.0+[1-9]\d{3}  ", done.stderr, re.M
    )  # small, and told
    assert "stopped at" not in done.stderr
    goal = run(
        "train",
        "pairs",
        "few.tsv",
        *TINY,
        "--every",
        8,
        "--stop-at",
        0,
        "--out",
        "goal",
        cwd=tmp_path,
    )
    assert (
        "stopped at step 8 of 1500: 0.0% of the 1 held-out examples looked at are right, and --stop-at "
        "asks for 0.0%\n" in goal.stderr
    )
    assert len(load_training(tmp_path / "goal/checkpoint.npz").curve) == 8


def test_a_run_leaves_its_files_and_nothing_else(home):
    assert left(home / "runs/dates") == FILES
    with open(home / "runs/dates/curve.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows] == list(range(1, 21))
    for column in ("accuracy", "held_out_loss", "perplexity"):
        assert {row["step"] for row in rows if row[column]} == {"8", "16", "20"}
    curve = load_training(home / "runs/dates/checkpoint.npz").curve
    assert [float(row["loss"]) for row in rows] == [point.loss for point in curve]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_weights_whatever_the_number_of_threads(tmp_path):
    """Without the extras, and with products so large that OpenBLAS would share them out."""
    runs = [
        run("train", "addition", "--steps", 2, "--batch", 512, "--out", threads, cwd=tmp_path,
            variables={"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads})
        for threads in ("1", "2")
    ]  # fmt: skip
    assert [r.returncode for r in runs] == [0, 0], runs[0].stderr
    one, other = (serialize.load(tmp_path / name / "checkpoint.npz")[0] for name in "12")
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


@pytest.mark.skipif(not find_spec("matplotlib"), reason="needs matplotlib")
def test_the_report_is_whole(home):
    text = (home / "runs/dates/report.html").read_text(encoding="utf-8")
    assert text.endswith("</html>\n")
    assert text.count("<figure") >= 5
    assert all(f">{html.escape(form)}</li>" in text for form in EXAMPLES)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(home):
    """In another process, whose hashes differ, without the extras, and watched less often."""
    result = run("train", "dates", "--steps", 20, *TINY, "--every", 8, "--out", "again", cwd=home)
    assert result.returncode == 0, result.stderr
    files = [serialize.load(home / run / "checkpoint.npz") for run in ("again", "runs/dates")]
    cores = {about.pop("core") for _, about in files}  # without threadpoolctl it is not known
    assert len(cores - {""}) <= 1
    (arrays, about), (others, other) = files
    assert about == other
    assert {k: a.tobytes() for k, a in arrays.items()} == {
        k: a.tobytes() for k, a in others.items()
    }


@pytest.mark.slow
def test_every_setting_reaches_the_run(tmp_path):
    options = {
        "steps": 1, "batch": 3, "learning_rate": 0.01, "warmup": 7, "label_smoothing": 0.1,
        "clip": 0.5, "seed": 5, "width": 12, "heads": 3, "feed_forward": 10, "encoder_layers": 2,
        "decoder_layers": 3, "dropout": 0.25,
    }  # fmt: skip
    given = [
        word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)
    ]
    assert run(*given, "--out", "all", cwd=tmp_path).returncode == 0
    made = load_training(tmp_path / "all/checkpoint.npz")
    for name, value in options.items():
        assert getattr(made.settings if hasattr(made.settings, name) else made.sizes, name) == value


@pytest.mark.slow
def test_no_steps_at_all(tmp_path):
    result = run("--steps", 0, *TINY, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert left(tmp_path / "runs/dates") == FILES


def test_help_shows_every_option_with_its_default():
    told = re.sub(r"\s+", " ", command_line().format_help())
    shown = dict(re.findall(r" --([a-z-]+) [A-Z]+ (?:(?! --).)*?\(default: (\S+?)\)", told))
    defaults = {field.name.replace("_", "-"): field.default for field in fields(Settings)}
    steps = defaults.pop("steps")  # other tasks take others
    defaults |= {name: getattr(Sizes(1, 1), name) for name in ("width", "heads", "dropout")}
    assert {name: shown.get(name) for name in defaults} == {k: str(v) for k, v in defaults.items()}
    assert (
        "--out FOLDER where the checkpoint, the curve and the report go (default: runs/TASK)"
        in told
    )
    assert f"(default: {steps}; copy 600;" in told


def test_help_begins_with_examples_and_ten_options():
    """Each example is one that could be run; the rest of the options stand under later headings."""
    told = command_line().format_help()
    examples = re.findall(r"^python -m minitransformer(.*?)(?: {3}.*)?$", told, re.MULTILINE)
    assert len(examples) >= 6
    for example in examples:
        given = shlex.split(example) or ["train"]
        assert command_line().parse_args(given).run.__name__ == given[0]
    assert {shlex.split(example)[0] for example in examples if example.strip()} == set(COMMANDS)
    first, *others = re.split(
        r"^(?:the ten options that matter most|more of .*):$", told, flags=re.M
    )[1:]
    assert len(re.findall(r"^  --", first, re.M)) == 10
    assert len(others) >= 3
    assert all(re.search(r"^  --", other, re.M) for other in others)


def test_help_lists_the_forms_of_dates(capsys):
    with pytest.raises(SystemExit):
        main(["translate", "--help"])
    told = re.sub(r"\s+", " ", capsys.readouterr().out)
    for example in EXAMPLES:
        assert f" {example};" in f"{told.strip()};".replace("; ", ";  "), example
    assert "3/4/1998 is the 3rd of April" in told


@pytest.mark.slow
def test_without_the_extras_the_run_says_what_it_leaves_out(tmp_path):
    result = run("--steps", 2, *TINY, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    last = result.stdout.splitlines()[-1]
    assert last.startswith("left out of the report: the curve, the attention maps (no matplotlib)")
    text = (tmp_path / "runs/dates/report.html").read_text(encoding="utf-8")
    assert "<figure" not in text
    assert "left out of the report" in text


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("tqdm"), reason="needs tqdm")
def test_a_terminal_gets_a_bar(tmp_path):
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 100, 0, 0))
    process = subprocess.Popen(
        [*COMMAND, "--steps", "12", "--every", "5", *TINY],
        cwd=tmp_path, env=environment(bare(tmp_path / ".bare", without=("matplotlib", "pygraphviz"))),
        stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    assert process.wait(SECONDS) == 0
    assert b"|" in shown
    assert b"step/s" in shown
    assert b"loss=" in shown
    assert b"held-out=0.0%" in shown
    assert b"  wrong  " in shown


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end was closed
        return b""


# --- interrupted ----------------------------------------------------------------------------------


def started(cwd, *options, until):
    """A long run, once it has said `until`."""
    process = subprocess.Popen(
        [*COMMAND, "--steps", "1000000", *TINY, *options],
        cwd=cwd, env=environment(bare(cwd / ".bare")),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for line in process.stderr:
        if line.startswith(until):
            return process
    raise AssertionError(process.stdout.read())


@pytest.mark.slow
def test_interrupted_once_it_leaves_all_as_usual(tmp_path):
    process = started(tmp_path, until="step 50 ")
    process.send_signal(signal.SIGINT)
    said, progress = process.communicate(timeout=SECONDS)
    assert problems(progress) == []
    assert process.returncode == 130
    (steps,) = re.findall(r"interrupted after step (\d+)", said)
    assert left(tmp_path / "runs/dates") == FILES
    stopped = load_training(tmp_path / "runs/dates/checkpoint.npz")
    assert stopped.steps_done == int(steps) == len(stopped.curve) >= 50
    assert stopped.curve[-1].accuracy is not None
    assert (tmp_path / "runs/dates/report.html").read_text().endswith("</html>\n")
    read = run("translate", "runs/dates", "3 March 1998", cwd=tmp_path)
    assert read.returncode in (0, 1)
    assert read.stdout.count("\n") == 1


@pytest.mark.slow
def test_interrupted_twice_it_stops_at_once(tmp_path):
    process = started(tmp_path, "--every", "20", until="  wrong")
    process.send_signal(signal.SIGINT)
    for line in process.stdout:
        if line.startswith("interrupted after step"):
            process.send_signal(signal.SIGINT)
            break
    _, progress = process.communicate(timeout=SECONDS)
    assert problems(progress) == []
    assert process.returncode == 130
    assert left(tmp_path / "runs/dates") == ["checkpoint.npz"]  # the report would come next
    load_reader(tmp_path / "runs/dates/checkpoint.npz")


@pytest.mark.parametrize(
    ("shares", "told"), [((1, 0.5, 1), True), ((1, 1, 1), False), ((1,), False)]
)
def test_a_run_that_is_right_twice_is_told_once_how_to_stop_there(shares, told):
    curve = [Point(step, 0.1, share, 0.1) for step, share in enumerate(shares, 1)]
    run = SimpleNamespace(curve=curve, settings=SimpleNamespace(steps=9))
    assert ("--stop-at 1" in telling.all_right(run, 200)) == told


# --- translate ------------------------------------------------------------------------------------

LINES = ["3rd of march 1998", "1998-03-03", "  Tue 3 Mar 1998 "]


@pytest.fixture(scope="module")
def readings(home):
    """What is printed for these lines: a model that has learned nothing is sure of nothing."""
    reader, _ = load_reader(home / "runs/dates/checkpoint.npz")
    lines = [line.strip() for line in LINES]
    return [f"{written}\t0.0%\tnot sure" for written in reader.read(lines)]


@pytest.mark.parametrize("where", ["runs/dates", "runs/dates/checkpoint.npz"])
def test_lines_as_arguments(home, here, readings, where):
    result = here("translate", home / where, *LINES)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.splitlines() == readings


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_lines_on_standard_input(home, here, readings, end):
    text = "\n".join(LINES) if end == "" else "".join(line + end for line in LINES)
    result = here("translate", home / "runs/dates", given=text)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.splitlines() == readings


def test_a_terminal_is_told_what_the_percentages_are(home, here, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    result = here("translate", home / "runs/dates", *LINES)
    assert result.stderr.count("that the model itself gives") == 1


def test_no_lines_at_all(home, here):
    result = here("translate", home / "runs/dates")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


BAD = {
    "": "'' has no characters",
    "   ": "'' has no characters",
    "3 März 1998": "unknown character 'ä' at position 3",
    "3\tMarch": r"unknown character '\\t'",
    "1" * 99: r"has 99 characters, and the model reads at most \d+",
    "1" * 1_000_000: r"has 1000000 characters",
    "Œ" * 1_000_000: "unknown character 'Œ'",
}


def test_bad_lines_are_reported_and_the_others_read(home, here, readings):
    """Wherever they stand: lines are read some hundreds at a time."""
    good = LINES[0]
    lines = [good, *BAD, *[good] * 300, *BAD]
    result = here("translate", home / "runs/dates", given="\n".join(lines))
    assert result.returncode == 2
    unread = ["\t\tnot read"] * len(BAD)
    expected = [readings[0], *unread, *[readings[0]] * 300, *unread]
    assert result.stdout.splitlines() == expected  # a line for each, in their order
    said = result.stderr.splitlines()
    numbers = [*range(2, 9), *range(309, 316)]
    assert len(said) == len(numbers)
    for line, number, reason in zip(said, numbers, [*BAD.values()] * 2):
        assert line.startswith(f"minitransformer: line {number}: "), line
        assert re.search(reason, line), line
        assert len(line) < 400


def test_bad_arguments_are_reported_and_the_others_read(home, here, readings):
    result = here("translate", home / "runs/dates", LINES[0], "é", LINES[1], "")
    assert result.returncode == 2
    first, second = readings[:2]
    assert result.stdout.splitlines() == [first, "\t\tnot read", second, "\t\tnot read"]
    first, second = result.stderr.splitlines()
    assert first.startswith("minitransformer: argument 2: unknown character 'é'")
    assert second.startswith("minitransformer: argument 4: '' has no characters")


def test_a_byte_order_mark_on_standard_input_is_no_character(home, here, readings):
    result = here("translate", home / "runs/dates", given="\ufeff" + "\n".join(LINES))
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.splitlines() == readings


@pytest.mark.slow
def test_bytes_that_are_no_text(home, readings):
    """In a process: of its own standard input, what is no text is read as some other sign."""
    lines = b"\xff\xfe\n" + LINES[0].encode() + b"\n\x00\n"
    result = run("translate", "runs/dates", cwd=home, input=lines, text=False)
    assert result.returncode == 2
    assert result.stdout.decode().splitlines() == ["\t\tnot read", readings[0], "\t\tnot read"]
    first, second = result.stderr.decode().splitlines()
    assert first.startswith("minitransformer: line 1: unknown character")
    assert second.startswith("minitransformer: line 3: unknown character")


@pytest.mark.parametrize(
    ("options", "calls"),
    [
        ([], "greedy"),
        (["--temperature", 0], "greedy"),
        (["--temperature", 0.5], {"temperature": 0.5}),
        (["--top-k", 3], {"temperature": 1.0, "top_k": 3}),
        (["--top-p", 0.5, "--temperature", 2], {"temperature": 2.0, "top_p": 0.5}),
    ],
)
def test_options_of_writing_reach_the_model(home, here, options, calls):
    """Compared with the library's own functions, called with these options."""
    reader, _ = load_reader(home / "runs/dates/checkpoint.npz")
    lines = [f"{n} march 1998" for n in range(1, 32)]
    source = reader.encode(lines)
    for seed in (0, 5):
        how = decoding.greedy
        if calls != "greedy":
            how = partial(decoding.sample, rng=np.random.default_rng(seed), **calls)
        expected = [reader.decode(ids) for ids in reader.write(source, how)]
        seeded = options if calls == "greedy" else [*options, "--seed", seed]
        result = here("translate", home / "runs/dates", *lines, *seeded)
        assert [line.split("\t")[0] for line in result.stdout.splitlines()] == expected


def test_beams_find_what_is_at_least_as_likely(home, here):
    reader, _ = load_reader(home / "runs/dates/checkpoint.npz")
    source = reader.encode(["march", "3.iii.1998"])
    ids, scores = decoding.beam_search(reader.model, source, reader.longest_target, beams=3)
    result = here(
        "translate", home / "runs/dates", "march", "3.iii.1998", "--beams", 3, "--sure", 0
    )
    found = [line.split("\t") for line in result.stdout.splitlines()]
    assert [text for text, *_ in found] == [reader.decode(row[0]) for row in ids]
    assert [p for _, p, *_ in found] == [f"{p:.1%}" for p in np.exp(scores[:, 0])]


def test_how_sure_it_is(home, here, monkeypatch):
    """Marked below the probability asked for; not above; and impossible dates, however sure."""
    monkeypatch.setattr(
        Reader, "probabilities", lambda reader, source, ids: np.array([0.8, 0.95, 1.0])
    )
    monkeypatch.setattr(Reader, "decode", lambda reader, ids: next(texts))
    for options, marks in (([], ["not sure", "", FEBRUARY]), (["--sure", 0.5], ["", "", FEBRUARY])):
        texts = iter(["1998-03-03", "1998-03-04", "2023-02-29"])
        result = here("translate", home / "runs/dates", "a", "b", "c", *options)
        printed = zip(["1998-03-03\t80.0%", "1998-03-04\t95.0%", "2023-02-29\t100.0%"], marks)
        assert result.stdout.splitlines() == ["\t".join(filter(None, one)) for one in printed]
        assert (result.returncode, result.stderr) == (1, "")


FEBRUARY = "no such date: February 2023 has 28 days"


# --- write ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def novel(tmp_path_factory):
    """A short run on a text, at a size that learns nothing."""
    folder = tmp_path_factory.mktemp("novel")
    (folder / "novel.txt").write_text("to be or not to be, that is the question\n" * 9)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        given = ["train", "text", "novel.txt", "--window", "8", "--steps", "2", *TINY]
        assert main(given) == 0
    return folder / "runs/text"


def test_a_text_goes_on_as_far_as_asked(novel, here):
    """Past the window of 8 characters, from less than it and from more."""
    starts = ["to be", "or not to be"]
    for options, how in (
        (["--temperature", 0], decoding.greedy),
        ([], partial(decoding.sample, temperature=0.8, rng=np.random.default_rng(0))),
        (["--seed", 4, "--top-k", 2, "--temperature", 1.5],
         partial(decoding.sample, temperature=1.5, top_k=2, rng=np.random.default_rng(4))),
    ):  # fmt: skip
        result = here("write", novel, *starts, "--length", 30, *options)
        reader, _ = load_reader(novel / "checkpoint.npz")
        ids = how(reader.model, reader.encode(starts), 30, window=8, ends=False)
        written = "".join(f"{start}{reader.decode(row)}\n" for start, row in zip(starts, ids))
        assert result.returncode == 0
        assert result.stdout == written
        assert len(written) == len("".join(starts)) + 2 * 31


def test_a_line_longer_than_the_model_reads_is_said_so_and_costs_no_other(novel, here):
    lines = ["to be", "or not to be, that is", "Ω", " to "]
    result = here("write", novel, *lines, "--length", 5)
    assert result.returncode == 2
    first, second = result.stderr.splitlines()
    assert re.search("'or not to be, that is'.* has 21 characters: .* the last 8", first)
    assert "argument 3: unknown character 'Ω'" in second
    ends = result.stdout.splitlines()
    assert result.stdout.startswith("to be")
    assert "\n to " in result.stdout  # a space belongs to the text
    assert len(ends) >= 3


def test_who_begins_with_nothing_is_told_to_begin_with_a_newline(novel, here):
    result = here("write", novel, "", "to be", "--length", 5)
    assert result.returncode == 2
    assert "argument 1: '' has no characters; to begin with nothing, give" in result.stderr
    assert "$'\\n' in the shell" in result.stderr
    result = here("write", novel, "\n", "--length", 5)
    assert (result.returncode, result.stderr) == (0, "")


def test_each_command_says_where_the_other_is_meant(novel, home, here):
    refused(here("translate", novel, "to be"), "use the command write")
    refused(here("write", home / "runs/dates", "to be"), "use the command translate")


# --- bad checkpoints ------------------------------------------------------------------------------


def truncated(path):
    path.write_bytes(path.read_bytes()[:5000])


def text_file(path):
    path.write_text("a text\n")


def other_model(path):
    serialize.save(path, {"w": np.zeros(3)}, {"layers": 3})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (Path.unlink, "there is no checkpoint copy.checkpoint.npz"),
        (truncated, "checkpoint.npz is truncated, or is not a checkpoint"),
        (text_file, "checkpoint.npz is truncated, or is not a checkpoint"),
        (other_model, "checkpoint.npz is not a checkpoint of this model"),
    ],
)
@pytest.mark.parametrize("lines", [["3 March 1998"], []])
def test_bad_checkpoints(home, here, tmp_path, change, reason, lines):
    (tmp_path / "copy").mkdir()
    path = tmp_path / "copy/checkpoint.npz"
    path.write_bytes((home / "runs/dates/checkpoint.npz").read_bytes())
    change(path)
    result = here("translate", "copy", *lines)
    refused(result, reason)
    assert result.stdout == ""


@pytest.mark.parametrize("run", ["runs/date", "3rd of march 1998"])
def test_a_run_that_is_not_there_beside_one_that_is(here, tmp_path, run):
    """Also where the line was given first: it is taken for the run."""
    (tmp_path / "runs/dates").mkdir(parents=True)
    (tmp_path / "runs/dates/checkpoint.npz").touch()
    beside = re.escape(os.path.join("runs", "dates"))
    refused(here("translate", run), f"there is no checkpoint {run}; there is one in {beside}")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell with pipes")
@pytest.mark.parametrize(
    "command",
    ["yes '3 March 1998' | {} translate runs/dates | head -1", "{} --steps 60 {} | head -0"],
)
def test_a_reader_that_goes_away_is_no_trouble(home, tmp_path, command):
    """`head` closes the pipe: what writes into it ends, and says nothing."""
    os.symlink(home / "runs", tmp_path / "runs")
    command = command.format(" ".join(COMMAND), " ".join([*TINY, "--out", str(tmp_path / "out")]))
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    assert problems(result.stderr) == []
    assert result.stdout.count("\n") <= 1
    assert result.returncode == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_that_cannot_be_written(home):
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*COMMAND, "translate", "runs/dates", "3 March 1998"],
            cwd=home, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=SECONDS,
        )  # fmt: skip
    refused(result, "No space left")


# --- bad input to train ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["bogus"], "invalid choice: 'bogus'"),
        (["train", "bogus"], "bogus"),
        (["--bogus"], "unrecognized arguments: --bogus"),
        (["--step", 3], "unrecognized arguments: --step; did you mean --steps?"),
        (["train", "--epochs=3"], "unrecognized arguments: --epochs; did you mean --steps?"),
        (["train", "--lr", 0.1], "unrecognized arguments: --lr; did you mean --learning-rate?"),
        (["train", "--task", "dates"], "the task is written without --task"),
        (["translate"], "arguments are required"),
        (["--steps", "many"], "--steps: invalid int value: 'many'"),
        (["--steps", "1.5"], "--steps: invalid int value"),
        (["--steps"], "--steps: expected one argument"),
        (["--steps", -1], "--steps is a whole number from 0, not -1"),
        (["--batch", 0], "--batch is a whole number from 1 up to 1000000, not 0"),
        (["--seed", -3], "--seed is a whole number from 0, not -3"),
        (["--every", 0], "--every is a whole number from 1, not 0"),
        (["--learning-rate", 0], "--learning-rate is a finite number above 0"),
        (["--learning-rate", "nan"], "--learning-rate is .*, not nan"),
        (["--learning-rate", "inf"], "--learning-rate is .*, not inf"),
        (["--clip", -1], "--clip is a finite number above 0"),
        (["--label-smoothing", 1], "--label-smoothing is from 0 to below 1"),
        (["--dropout", 1], "--dropout is from 0 to below 1"),
        (["--width", 0], "--width is a whole number from 1, not 0"),
        (["--heads", 3], "3 heads do not divide a width of 64"),
        (["--width", 10**12], "not enough memory"),
    ],
)
def test_what_makes_no_sense(here, tmp_path, arguments, reason):
    refused(here(*arguments), reason)
    assert left(tmp_path / "runs") is None


@pytest.mark.slow
def test_a_process_ends_with_status_2(tmp_path):
    refused(run("translate", "nowhere", "3 March 1998", cwd=tmp_path), "no checkpoint nowhere")


def test_a_loss_that_is_no_number(here, tmp_path):
    result = here("--steps", 50, *TINY, "--learning-rate", 1e30)
    refused(result, r"step \d+ has a loss of .* choose a learning rate below 1e\+30")
    assert left(tmp_path / "runs/dates") == []


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("taken", "cannot write to the folder taken"),
        ("taken/below", "cannot write to the folder taken/below: Not a directory"),
        ("blocked", "blocked/report.html is a folder"),
        ("x" * 300, "cannot write to the folder x+: File name too long"),
    ],
)
def test_a_folder_that_cannot_be_written(here, tmp_path, out, reason):
    """It is found out before a minute is spent on training."""
    (tmp_path / "taken").write_text("a file")
    (tmp_path / "blocked/report.html").mkdir(parents=True)
    refused(here("--steps", 1, *TINY, "--out", out), reason)
    assert left(tmp_path) == ["blocked", "taken"]
    assert left(tmp_path / "blocked") == ["report.html"]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_folder_without_permission(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    result = run("--steps", 10**9, "--out", "locked/run", cwd=tmp_path)
    refused(result, "cannot write to the folder locked/run: Permission denied")


# --- the job itself -------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_main_job(tmp_path):
    """What it promises: 99.5 % of 1,000 held-out dates in 400 MB; a benchmark tells its seconds."""
    result = run(cwd=tmp_path, whole=True, timeout=SECONDS)
    assert result.returncode == 0, result.stderr
    right, memory = (
        float(re.search(pattern, result.stdout).group(1))
        for pattern in (r"(\d+) of 1000 held-out", r"memory (\d+) MB")
    )
    assert right >= 995
    assert memory <= 400
    same = ["3rd of march 1998", "Tuesday the 3rd of March, 1998", "3.iii.1998"]
    read = run("translate", "runs/dates", *same, "3/3/1998", "--sure", 0.5, cwd=tmp_path)
    assert re.fullmatch(r"(1998-03-03\t(100\.0|[5-9]\d\.\d)%\n){4}", read.stdout)
    assert read.returncode == 0
    doubtful = ["tomorrow", "hello world", "3 March", "2023-02-29", "4/25/1998"]
    read = run("translate", "runs/dates", *doubtful, cwd=tmp_path)
    assert read.returncode == 1
    said = [line.split("\t")[2] for line in read.stdout.splitlines()]
    assert said[:3] == ["not sure"] * 3
    assert said[3] == "no such date: February 2023 has 28 days"
    assert said[4].startswith(("no such date: 25 is no month", "not sure"))
