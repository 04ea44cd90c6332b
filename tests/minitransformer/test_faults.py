"""What goes wrong around a run, injected for real: each leaves one line, and whole files."""

import errno
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from extras import bare, without_graphviz, without_plots
from limits import SECONDS, never_endless
from progress import problems

from minigrad import errors
from minitransformer import DecoderSizes, Settings, Sizes, Training, load_reader, load_training
from minitransformer.__main__ import main
from minitransformer.commands import folder
from minitransformer.commands.folder import FILES, claimed
from minitransformer.commands.machine import interruptible
from minitransformer.tasks import make

ROOT = Path(__file__).parents[2]
SIZES = ("--width", "8", "--heads", "2", "--feed-forward", "8")
TINY = (*SIZES, "--batch", "4", "--warmup", "5")
JOB = ("train", "pairs", "pairs.tsv", *TINY)
PAIRS = "".join(f"{number}{number}\t{number:b}\n" for number in range(11, 41))
posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """A run ends with a report: without its pictures it does so in less time."""
    without_plots(monkeypatch)
    without_graphviz(monkeypatch)


@pytest.fixture
def here(tmp_path, monkeypatch, capsys):
    """Runs a command line in this process, in a folder with pairs.tsv: its status and what it said."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def run(*arguments):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as end:
            status = end.code
        return subprocess.CompletedProcess(arguments, status, *capsys.readouterr())

    return run


def apart(*arguments, cwd, first="", **options):
    """The same in a process of its own, which begins by running `first`."""
    path = os.pathsep.join([bare(cwd / ".bare"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    code = f"import sys; from minitransformer.__main__ import main\n{first}\nsys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=cwd, env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, **options,
    )  # fmt: skip


def refused(result, *patterns):
    """It said in one line what is wrong and what to do, and nothing else."""
    assert result.returncode == 2, result.stderr
    (problem,) = problems(result.stderr)
    assert len(problem) < 400
    for pattern in patterns:
        assert re.search(pattern, problem), problem


def left(folder):
    return sorted(os.listdir(folder))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder `run`, of four steps on pairs.tsv. Made once."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "pairs.tsv").write_text(PAIRS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main([*JOB, "--steps", "4", "--out", "run"]) == 0
    return folder / "run"


@pytest.fixture
def ran(here, made, tmp_path):
    """A copy of that folder beside pairs.tsv."""
    return shutil.copytree(made, tmp_path / "run")


# --- before the first step ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", [["--model", "decoder"], ["--positions", "learned"]])
def test_a_run_has_positions_for_its_longest_pair(here, tmp_path, kind):
    """A batch that has it may come late: it would stop the run there, and each time it is resumed."""
    source, target = "3" * 300, "101" * 100
    for longest in (source, target), (source * 2, target * 2):
        (tmp_path / "long.tsv").write_text(PAIRS + "\t".join(longest) + "\n")
        result = here("train", "pairs", "long.tsv", "--longest", 600, "--steps", 1, "--seed", 3,
                      *TINY, *kind, "--replace", "--out", "run")  # fmt: skip
        assert result.returncode == 0, result.stderr
        run = load_training(tmp_path / "run/checkpoint.npz")
        run.loss([longest])
        run.reader.read(longest[:1])


def test_a_model_that_has_no_positions_for_a_task_is_refused(tmp_path):
    (tmp_path / "long.tsv").write_text(PAIRS + "3" * 30 + "\t" + "1" * 30)
    task = make("pairs", file=tmp_path / "long.tsv")
    tiny = {"width": 8, "heads": 2, "feed_forward": 8, "positions": "learned"}
    decoder = DecoderSizes(14, longest=60, **tiny)
    with pytest.raises(errors.ConfigError, match="take 61 positions, and the model learns 60"):
        Training(task, decoder, kind="decoder", settings=Settings())
    with pytest.raises(errors.ConfigError, match="take 31 positions, and the model learns 30"):
        Training(task, Sizes(13, 5, longest=30, **tiny), settings=Settings())


# --- a folder has one run -------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_is_replaced_only_when_told(here, ran):
    before = (ran / "checkpoint.npz").read_bytes()
    arguments = (*JOB, "--steps", 1, "--out", "run")
    refused(here(*arguments), "a run in run already: .*--resume run, .*--out, .*--replace")
    assert (ran / "checkpoint.npz").read_bytes() == before
    assert here(*arguments, "--replace").returncode == 0
    assert load_training(ran / "checkpoint.npz").steps_done == 1


def test_a_run_is_claimed_before_it_is_read(here, ran, monkeypatch):
    """Else another that ends in between would be undone."""

    def load(checkpoint, steps):
        with pytest.raises(errors.ConfigError, match="another run is writing"), claimed(ran):
            pass
        return load_training(checkpoint, steps)

    monkeypatch.setattr("minitransformer.commands.asked.load_training", load)
    assert here("--resume", "run").returncode == 0


@pytest.mark.slow
def test_of_two_runs_in_a_folder_the_second_is_refused(here, ran):
    more = (["--resume", "run"], [*JOB, "--steps", 1, "--out", "run", "--replace"])
    with claimed(ran):
        for arguments in more:
            refused(here(*arguments), "another run is writing in run: wait .*--out")
    for arguments in more:
        assert here(*arguments).returncode == 0
    assert left(ran) == sorted(FILES)


@posix
@pytest.mark.parametrize("problem", ["EACCES", "ENOLCK"])
def test_a_folder_that_cannot_be_locked_is_written_and_not_swept(tmp_path, monkeypatch, problem):
    """It may not be read, or its file system has no locks: another run may be saving there."""

    def unlocked(*_):
        number = getattr(errno, problem)
        raise OSError(number, os.strerror(number))

    (tmp_path / ".checkpoint.npz.1.part").touch()
    monkeypatch.setattr(folder, "lock", unlocked)
    with claimed(tmp_path):
        assert left(tmp_path) == [".checkpoint.npz.1.part"]


@pytest.mark.slow
@posix
def test_what_a_killed_run_leaves_is_removed(here, ran):
    """It is killed while it saves: the checkpoint before stands, and nothing is claimed for good."""
    kill = "import os; os.fsync = lambda file: os.kill(os.getpid(), 9)"
    result = apart(*JOB, "--steps", 2, "--out", "run", "--replace", cwd=ran.parent, first=kill)
    assert result.returncode == -signal.SIGKILL
    assert any(re.fullmatch(r"\.checkpoint\.npz\.\d+\.part", name) for name in left(ran))
    assert load_training(ran / "checkpoint.npz").steps_done == 4
    assert here("--resume", "run").returncode == 0
    assert left(ran) == sorted(FILES)


# --- told to stop ---------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_to_stop_is_noted_and_a_second_one_obeyed(name):
    number = getattr(signal, name)
    before = signal.getsignal(number)
    with interruptible() as interrupted:
        assert interrupted() == 0
        signal.raise_signal(number)
        assert interrupted() == number
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert signal.getsignal(number) is before


@posix
def test_a_signal_that_is_ignored_stays_so():
    """As nohup asks for."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible() as interrupted:
            signal.raise_signal(signal.SIGHUP)
            assert not interrupted()
    finally:
        signal.signal(signal.SIGHUP, before)


@posix
@pytest.mark.parametrize("name", ["SIGTERM", pytest.param("SIGHUP", marks=pytest.mark.slow)])
def test_a_run_that_is_told_to_stop_saves_and_ends(here, tmp_path, name):
    """In the middle of a step."""
    first = f"""
import signal
from minitransformer import Training
step = Training.step
def stop(run):
    if run.steps_done == 3:
        signal.raise_signal(signal.{name})
    return step(run)
Training.step = stop
"""
    result = apart(*JOB, "--steps", 1000, cwd=tmp_path, first=first)
    assert result.returncode == 128 + getattr(signal, name)
    assert problems(result.stderr) == []
    assert "interrupted after step 4, and saved" in result.stdout
    assert left(tmp_path / "runs/pairs") == sorted(FILES)
    assert load_training(tmp_path / "runs/pairs/checkpoint.npz").steps_done == 4


@pytest.mark.slow
@posix
def test_output_that_nobody_reads_any_more_takes_nothing_with_it(here, tmp_path):
    """A terminal that is closed, or `head`: the run ends, and is saved."""
    code = "import sys; from minitransformer.__main__ import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *JOB, "--steps", "1000000", "--every", "1000000"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process.stderr as read:
        assert any(line.startswith("step 50 ") for line in iter(read.readline, ""))
    assert process.communicate(timeout=SECONDS)[0] == ""
    assert process.returncode in (120, 141)  # 120 where Python cannot close standard error
    done = load_training(tmp_path / "runs/pairs/checkpoint.npz").steps_done
    assert done >= 100
    assert done % 50 == 0


@posix
@pytest.mark.parametrize("package", ["minigrad", "minitransformer"])
def test_control_c_while_importing_is_quiet(tmp_path, package):
    (tmp_path / "numpy.py").write_text("import signal, time\nsignal.raise_signal(signal.SIGINT)\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    result = subprocess.run(
        [sys.executable, "-m", package, "translate"],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    assert (result.stdout, result.stderr) == ("", "")
    assert result.returncode == -signal.SIGINT
    elsewhere = subprocess.run(  # a program of the user's sees the exception, as ever
        [sys.executable, "-c", f"import {package}"],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    assert elsewhere.stderr.endswith("KeyboardInterrupt\n")


# --- no room --------------------------------------------------------------------------------------


def limited(**limits):
    """What a process runs at its beginning, to have less of something."""

    def limit():
        import resource

        for name, most in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))

    return limit


@pytest.mark.slow
@posix
def test_a_disk_that_is_full(here, ran):
    before = (ran / "checkpoint.npz").read_bytes()
    result = apart(*JOB, "--steps", 1, "--out", "run", "--replace",
                   cwd=ran.parent, preexec_fn=limited(FSIZE=20_000))  # fmt: skip
    refused(result, "run/checkpoint.npz: File too large: no file may be so large there")
    assert (ran / "checkpoint.npz").read_bytes() == before
    assert left(ran) == sorted(FILES)


@pytest.mark.slow
@posix
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs mount")
def test_a_small_disk_that_is_full(here, tmp_path):
    """A real one, where this user may make one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", disk], capture_output=True
    )
    if mount.returncode:
        pytest.skip("needs the right to mount")
    try:
        refused(
            apart(*JOB, "--steps", 1, "--out", disk / "run", cwd=tmp_path),
            f"{disk}/run/checkpoint.npz: No space left on device: make room",
        )
        assert left(disk / "run") == []
    finally:
        subprocess.run(["umount", disk], check=True)


@posix
@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a limit that is kept")
def test_memory_that_is_full(here, tmp_path):
    result = apart(*JOB, "--steps", 1, "--batch", 16_000, "--feed-forward", 50_000, cwd=tmp_path,
                   preexec_fn=limited(AS=600_000_000))  # fmt: skip
    refused(result, "not enough memory.*: choose smaller sizes or batches")
    assert left(tmp_path / "runs/pairs") == []


def test_an_error_of_memory_that_says_nothing(here, tmp_path, monkeypatch):
    monkeypatch.setattr(Training, "step", lambda run: [].extend(bytes(1) * (1 << 62)))
    refused(here(*JOB), "not enough memory: choose smaller")


# --- other files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"a text\n", b"\x80\x04N.", b"\x93NUMPY\x01\x00"])
def test_a_file_that_is_no_checkpoint(here, tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    result = here("translate", "other", "3 March 1998")
    refused(result, "other is truncated, or is not a checkpoint.*give the file as it was saved")
    assert "pickle" not in result.stderr


PIPES = {  # the place of a pipe, and a command that would read or replace it
    "of pairs": ("pipe", ["train", "pairs", "pipe", *TINY]),
    "of a text": ("pipe", ["train", "text", "pipe", *TINY]),
    "as a checkpoint": ("pipe", ["translate", "pipe", "11"]),
    "in the folder of a run": ("run/checkpoint.npz", ["translate", "run", "11"]),
    "to go on from": ("run/checkpoint.npz", ["--resume", "run"]),
    "to go on into": ("run/report.html", ["--resume", "run"]),
    "for a page": ("pipe", ["explain", "run", "11", "--out", "pipe"]),
    "for a report": ("run/report.html", [*JOB, "--out", "run", "--replace"]),
}


@posix
@pytest.mark.parametrize("what", PIPES)
def test_a_pipe_is_refused_before_anything_else(here, ran, what):
    place, command = PIPES[what]
    pipe = ran.parent / place
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    with never_endless():
        refused(here(*command), rf"{pipe.name},? (which )?is a pipe.*: give ")
    assert pipe.is_fifo()


@posix
def test_what_a_shell_gives_as_a_file_is_refused(here):
    """`<(cat pairs.tsv)`: it cannot be read a second time."""
    reading, writing = os.pipe()
    os.write(writing, PAIRS.encode())
    os.close(writing)
    with never_endless():
        refused(
            here("train", "pairs", f"/dev/fd/{reading}", *TINY), "is a pipe, not a regular file"
        )
    os.close(reading)


@pytest.mark.slow
@posix
def test_a_page_is_written_through_a_link(here, ran):
    page, link = ran.parent / "page.html", ran.parent / "link.html"
    page.write_text("old")
    link.symlink_to(page.name)
    assert here("explain", "run", "11", "--out", "link.html").returncode == 0
    assert link.is_symlink()
    assert "<html" in page.read_text()


def test_faults_that_are_skipped_are_told_in_a_line(here, tmp_path):
    (tmp_path / "bad.tsv").write_text("no tab\n" * 3000 + PAIRS)
    result = here("train", "pairs", "bad.tsv", *TINY, "--steps", 1, "--skip-bad")
    assert result.returncode == 0
    left_out = r"minitransformer: left out 3,000 lines: line 1: no tab; .*; and 2,995 more"
    (problem,) = problems(result.stderr)
    assert re.fullmatch(left_out, problem)


@pytest.mark.parametrize("missing", [1, 5])
def test_a_checkpoint_without_some_of_its_many_arrays(here, ran, missing):
    path = ran / "checkpoint.npz"
    with zipfile.ZipFile(path) as whole:
        entries = {name: whole.read(name) for name in whole.namelist()}
    with zipfile.ZipFile(path, "w") as damaged:
        for name in sorted(entries)[: len(entries) - missing]:
            damaged.writestr(name, entries[name])
    for command in (["translate", "run", "11"], ["--resume", "run"]):
        refused(
            here(*command),
            rf"run.checkpoint.npz .*without optimizer.\S+.* of its {len(entries) - 1} ",
        )


def test_a_run_whose_data_has_changed_or_gone(here, made, ran):
    data = made.with_name("pairs.tsv")
    data.write_text(PAIRS + "7\t111\n")
    refused(here("--resume", "run"), r"run.checkpoint.npz goes on with the same data: \S+pairs.tsv "
            "has changed.*put the old contents back")  # fmt: skip
    data.unlink()
    refused(here("--resume", "run"), r"goes on with the same data: \S+pairs.tsv: No such file")
    data.write_text(PAIRS)
    assert here("--resume", "run").returncode == 0


@pytest.mark.slow
def test_data_that_is_touched_takes_no_step_with_it(here, tmp_path, monkeypatch):
    """It may have changed: the run ends, and goes on when it has found the same contents."""
    step = Training.step

    def touching(run):
        if run.steps_done == 3:
            os.utime("pairs.tsv", (0, 0))
        return step(run)

    monkeypatch.setattr(Training, "step", touching)
    refused(here(*JOB, "--steps", 5), "pairs.tsv has changed while it was in use")
    assert load_training(tmp_path / "runs/pairs/checkpoint.npz").steps_done == 3
    assert here("--resume", "runs/pairs").returncode == 0


def test_a_run_that_is_not_there(here, tmp_path):
    refused(here("--resume", "typo"), "there is no run in typo: give the folder of one")
    assert left(tmp_path) == ["pairs.tsv"]


@pytest.mark.slow
def test_a_byte_order_mark_is_read(here, tmp_path):
    """As Windows writes it; Excel's text with tabs is in utf-16."""
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "pairs.tsv").write_text(PAIRS, encoding)
        result = here(*JOB, "--steps", 1, "--out", encoding)
        assert (result.returncode, problems(result.stderr)) == (0, [])
        reader, _ = load_reader(tmp_path / encoding / "checkpoint.npz")
        assert set(reader.source.symbols) == set("0123456789")
