"""The command line:

python -m minitransformer                                      train on dates, and write a report
python -m minitransformer train dates --steps 500 --out runs/short
python -m minitransformer train pairs phrases.tsv --model decoder
python -m minitransformer train --resume runs/short             go on where a run was stopped
python -m minitransformer translate runs/dates "3rd of march 1998"
python -m minitransformer explain runs/dates "3rd of march 1998"   a page that explains each step
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import itertools
import math
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

import minigrad as mg
from minigrad import errors, serialize
from minigrad.terminal import INTERRUPTED, Parser, complain, ended

from .model.sizes import DecoderSizes, Sizes
from .tasks import FILE_TASKS, TASKS, load_training, make
from .training.checkpoints import load_reader
from .training.loop import Settings, Training
from .training.progress import progress
from .training.readers import READERS, Reader
from .training.threads import one_thread
from .views import explain as explanation
from .views import report

PROGRAM = "minitransformer"
CHECKPOINT, CURVE, REPORT = FILES = "checkpoint.npz", "curve.csv", "report.html"

# Tasks that need more steps than `Settings.steps` to be learned completely.
STEPS = {"reverse": 2000, "sort": 2400, "addition": 4500}
HELP = {
    "steps": f"how many batches to learn from (default: {Settings.steps}; "
    + "; ".join(f"{task} {steps}" for task, steps in STEPS.items())
    + ")",
    "batch": "examples in a batch",
    "learning_rate": "the highest, reached at the end of the warm-up",
    "warmup": "steps until then",
    "label_smoothing": "share of each target that is spread over all symbols",
    "clip": "largest norm that the gradient may have",
    "seed": "of the data, the first weights and dropout; the same seed gives the same weights",
    "width": "numbers that stand for a symbol (D)",
    "heads": "attentions side by side (H); they must divide the width",
    "feed_forward": "width inside the feed-forward layers (F)",
    "encoder_layers": "layers that read",
    "decoder_layers": "layers that write",
    "dropout": "probability that a number is left out while learning",
    "schedule": "of the learning rate after the warm-up: cosine, inverse_sqrt or constant",
    "accumulate": "parts in which a batch is read, to need less memory",
    "norm": "post, after each part of a layer, or pre, before it (a decoder alone: pre; else post)",
    "activation": "relu, gelu, silu or gated (a decoder alone: gelu; else relu)",
    "positions": "sinusoidal, learned, rotary or none (a decoder alone: learned; else sinusoidal)",
    "tied": "matrices that are one: none, target (embedding and output) or all",
}
# Their defaults are not fixed: the steps depend on the task, the others on the model's paper.
NOT_FIXED = ("steps", "norm", "activation", "positions")
# Options of a task, besides its file: type, placeholder, help text.
DATA = {
    "digits": (int, "N", "of the numbers to be added, for addition"),
    "level": (str, "character|word", "what a model of pairs reads and writes"),
    "longest": (int, "N", "characters or words on either side of a pair"),
    "window": (int, "N", "characters of a text that are read at once"),
    "encoding": (str, "NAME", "of the file"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    for stream in (sys.stdout, sys.stdin):  # any file name or line can be read and printed
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="surrogateescape" if stream is sys.stdin else "backslashreplace"
            )
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in ("-h", "--help")):
        given = ["train", *given]
    return ended(PROGRAM, lambda: _run(given))


def _run(given: list[str]) -> int:
    options = command_line().parse_args(given)
    return options.run(options)


# --- the options ----------------------------------------------------------------------------------


def command_line() -> Parser:
    """The commands and their options."""
    shape: dict[str, Any] = {
        "formatter_class": argparse.ArgumentDefaultsHelpFormatter,
        "allow_abbrev": False,
    }
    options = _training_options()
    parser = Parser(
        prog="python -m minitransformer",
        description="Train a transformer, and use it. Without a command: train dates. The options "
        "below belong to train.",
        parents=[options],
        **shape,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    about = "learn a task, and write a checkpoint, the curve and a report"
    command = commands.add_parser(
        "train", help=about, description=about, parents=[options], **shape
    )
    command.add_argument(
        "task",
        metavar="TASK",
        nargs="?",
        default="dates",
        help=", ".join(TASKS) + "; or, with a file, " + " or ".join(FILE_TASKS),
    )
    command.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="pairs: a line each, source tab target; text: anything in UTF-8",
    )
    command.set_defaults(run=train)

    about = "read lines with a trained model"
    command = commands.add_parser("translate", help=about, description=about, **shape)
    command.add_argument("checkpoint", metavar="RUN", help="the folder of a run, or its checkpoint")
    command.add_argument(
        "lines", metavar="LINE", nargs="*", help="what to read; without any, standard input"
    )
    command.set_defaults(run=translate)

    about = "write a page on which to walk through one reading, forwards and back"
    command = commands.add_parser("explain", help=about, description=about, **shape)
    command.add_argument("checkpoint", metavar="RUN", help="the folder of a run, or its checkpoint")
    command.add_argument("line", metavar="LINE", help="what to read")
    command.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="the page (default: explain.html in the folder of the run)",
    )
    command.set_defaults(run=explain)
    return parser


def _training_options() -> Parser:
    parser = Parser(add_help=False)
    for kind, title in ((Settings, "training"), (Sizes, "the model")):
        group = parser.add_argument_group(title)
        for field in fields(kind):
            if field.name in HELP:
                group.add_argument(
                    "--" + field.name.replace("_", "-"),
                    type=type(field.default),
                    metavar={int: "N", float: "X"}.get(type(field.default), "NAME"),
                    default=argparse.SUPPRESS if field.name in NOT_FIXED else field.default,
                    help=HELP[field.name],
                )
    group.add_argument(
        "--model",
        choices=["encoder-decoder", "decoder"],
        default="encoder-decoder",
        help="what learns the task; a decoder alone has --decoder-layers layers",
    )
    group = parser.add_argument_group("the data")
    for name, (kind_of, metavar, told) in DATA.items():
        group.add_argument(
            f"--{name}", type=kind_of, metavar=metavar, default=argparse.SUPPRESS, help=told
        )
    group.add_argument(
        "--skip-bad", action="store_true", help="use what can be used of a file with faults"
    )
    group = parser.add_argument_group("the run")
    group.add_argument(
        "--resume",
        type=Path,
        metavar="RUN",
        default=argparse.SUPPRESS,
        help="go on with the run in this folder, by its own settings",
    )
    group.add_argument(
        "--stop-at",
        type=float,
        metavar="X",
        default=argparse.SUPPRESS,
        help="stop early, once this share of the held-out examples looked at is read exactly",
    )
    group.add_argument(
        "--every",
        type=int,
        metavar="N",
        default=250,
        help="steps between two looks at held-out examples; the checkpoint is saved then too",
    )
    group.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        default=argparse.SUPPRESS,
        help="where the checkpoint, the curve and the report go (default: runs/TASK)",
    )
    return parser


def _chosen(kind: type, options: argparse.Namespace, **others: Any) -> Any:
    """The settings or sizes that the options ask for."""
    names = [f.name for f in fields(kind) if f.name in HELP and hasattr(options, f.name)]
    return kind(**{name: getattr(options, name) for name in names} | others)


# --- train ----------------------------------------------------------------------------------------


def train(options: argparse.Namespace) -> int:
    """Train, and leave the checkpoint, the curve and the report; when interrupted too."""
    started = time.perf_counter()
    if options.every < 1:
        raise errors.ConfigError(f"every must be a whole number from 1, not {options.every}")
    run, folder = resumed(options) if hasattr(options, "resume") else begun(options)
    exam = run.task.held_out(min(1000, run.task.held_out_count))
    goal = getattr(options, "stop_at", math.inf)

    with one_thread(), interruptible() as interrupted, np.errstate(over="ignore", invalid="ignore"):
        learn(run, exam[:200], options.every, goal, folder / CHECKPOINT, interrupted)
        stopped = interrupted()
        if stopped:
            print(
                f"interrupted after step {run.steps_done}; a second Ctrl-C stops at once",
                flush=True,
            )
        written, accuracy = examined(run, exam)
        if run.curve:
            run.curve[-1].accuracy = accuracy
        run.save(folder / CHECKPOINT)
        save_curve(folder / CURVE, run)
        seconds = time.perf_counter() - started
        page, left_out = report.page(run, exam, written, seconds, peak_memory())
        serialize.write_whole(folder / REPORT, lambda file: file.write(page.encode()))

    if accuracy is not None:
        print(said(run, exam, accuracy))
    memory = peak_memory()
    print(
        f"{run.steps_done} steps and the report in {time.perf_counter() - started:.1f} s"
        + (f", peak memory {memory} MB" if memory else "")
    )
    print(f"in {folder}: {', '.join(FILES)}")
    if left_out:
        print(left_out)
    return INTERRUPTED if stopped else 0


def begun(options: argparse.Namespace) -> tuple[Training, Path]:
    """A new run as the options ask for it, and its folder."""
    steps = getattr(options, "steps", STEPS.get(options.task, Settings.steps))
    settings = _chosen(Settings, options, steps=steps)
    made = {name: getattr(options, name) for name in DATA if hasattr(options, name)}
    if options.file is not None:
        made["file"] = os.path.abspath(options.file)
    if options.skip_bad:
        made["skip_bad"] = True
    try:
        task = make(options.task, settings.seed, **made)
    except TypeError as problem:
        raise errors.ConfigError(
            f"the task {options.task!r} has no such option: {problem}"
        ) from None
    if "file" in made:
        made["sha256"] = task.sha256
        for fault in task.faults:
            complain(PROGRAM, f"left out: line {fault.line}: {fault.what}")
    kind = "text" if options.task == "text" else options.model
    reader = READERS[kind]
    sides = (task.vocabulary,) * 2 if kind == "text" else (task.source, task.target)
    others: dict[str, Any] = dict(reader.symbols(*sides))
    if reader.sizes is DecoderSizes:
        others["layers"] = options.decoder_layers
    sizes = _chosen(reader.sizes, options, **others)
    run = Training(task, sizes, settings, kind=kind, made=made)
    return run, ready(getattr(options, "out", Path("runs", task.name)))


def resumed(options: argparse.Namespace) -> tuple[Training, Path]:
    """The run that the options name, as its last checkpoint left it, and its folder.

    Raises:
        ConfigError: if the options ask for other settings than it has.
    """
    defaults = _training_options().parse_args([])
    others = [
        name
        for name, value in vars(options).items()
        if name not in ("every", "stop_at", "resume", "run", "task")
        and value != getattr(defaults, name, None)
    ]
    if others or options.task != "dates":
        raise errors.ConfigError(
            f"--resume goes on with the run as it was begun: leave out "
            f"{', '.join('--' + name.replace('_', '-') for name in others) or options.task}"
        )
    folder = ready(options.resume)
    return load_training(folder / CHECKPOINT), folder


def learn(
    run: Training,
    exam: Sequence[Any],
    every: int,
    goal: float,
    checkpoint: Path,
    interrupted: Callable[[], bool],
) -> None:
    """Take the steps that are left; every `every` steps, test on `exam` and save the checkpoint. Stop
    when the accuracy reaches `goal`."""
    last = run.settings.steps
    with progress(last, run.steps_done) as bar:

        def after_step(run: Training) -> bool:
            point = run.curve[-1]
            figures = {"loss": f"{point.loss:.4f}"}
            if run.steps_done % every == 0 and run.steps_done < last:
                written, point.accuracy = examined(run, exam)
                run.save(checkpoint)
                for (source, target), w in zip(exam[:3], written):
                    bar.say(_marked(source, target, w))
                if point.accuracy is not None:
                    figures["held-out"] = f"{point.accuracy:.1%}"
            bar.advance(**figures)
            return interrupted() or (point.accuracy or 0) >= goal

        run.fit(after_step)
    run.save(checkpoint)


def examined(run: Training, exam: Sequence[Any]) -> tuple[list[str], float | None]:
    """Return what the model writes for held-out pairs, and the share that is right. For a text, return
    no lines, and the share of symbols predicted right. The share is None if nothing is held out."""
    if not exam:
        return [], None
    with mg.fast():
        if run.kind == "text":
            return [], run.reader.accuracy(exam)
        written = run.reader.read([source for source, _ in exam])
    return written, _right(exam, written) / len(exam)


def said(run: Training, exam: Sequence[Any], accuracy: float) -> str:
    """The result of the run in a line."""
    if run.kind == "text":
        return f"of the symbols in {len(exam)} held-out windows, {accuracy:.1%} predicted"
    right = round(accuracy * len(exam))
    return f"{right} of {len(exam)} held-out {run.task.name} read exactly: {accuracy:.1%}"


def _right(pairs: Sequence[tuple[str, str]], written: Sequence[str]) -> int:
    return sum(w == target for w, (_, target) in zip(written, pairs))


def _marked(source: str, target: str, written: str) -> str:
    """A reading in a line, right or wrong."""
    if written == target:
        return f"  right  {source} -> {written}"
    return f"  wrong  {source} -> {written or 'nothing'}, not {target}"


def save_curve(path: Path, run: Training) -> None:
    """The loss of every step, and the accuracy where it was measured, as a table for any program."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["step", "loss", "accuracy"])
    table.writerows((p.step, p.loss, p.accuracy) for p in run.curve)
    serialize.write_whole(path, lambda file: file.write(text.getvalue().encode()))


def ready(folder: Path) -> Path:
    """Make the folder if necessary, and check that a run can write its files there.

    Raises:
        ConfigError: if it cannot.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        in_the_way = [name for name in FILES if (folder / name).is_dir()]
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise errors.ConfigError(f"cannot write to the folder {folder}: {why}") from None
    if in_the_way:
        raise errors.ConfigError(f"{folder / in_the_way[0]} is a folder; a run writes a file there")
    return folder


@contextlib.contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Make a context in which the first Ctrl-C is only noted: the function that it yields tells whether
    there was one. The second Ctrl-C interrupts as usual."""
    noted: list[int] = []

    def note(number: int, frame: Any) -> None:
        noted.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGINT, before)


def peak_memory() -> int | None:
    """The most memory that this process has had, in MB; None where the system does not tell."""
    try:
        # Linux counts in rusage what the process that started this one had; this line does not.
        lines = Path("/proc/self/status").read_text().splitlines()
        line = next(x for x in lines if x.startswith("VmHWM"))
        return round(int(line.split()[1]) * 1024 / 1e6)
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (1e6 if sys.platform == "darwin" else 1e6 / 1024))


# --- translate ------------------------------------------------------------------------------------


def translate(options: argparse.Namespace) -> int:
    """Read lines, and print one result per line. A bad line is reported, and the others are read."""
    reader, _ = load_reader(_checkpoint(options))
    if options.lines:
        return _translate("argument", options.lines, reader, len(options.lines))
    at_once = 1 if sys.stdin is not None and sys.stdin.isatty() else 256
    return _translate("line", sys.stdin or (), reader, at_once)


def _translate(what: str, lines: Iterable[str], reader: Reader, at_once: int) -> int:
    status = 0
    numbered = enumerate((line.strip() for line in lines), 1)
    while some := list(itertools.islice(numbered, at_once)):
        problems = {number: _problem(reader, line) for number, line in some}
        good = [line for number, line in some if problems[number] is None]
        with mg.fast():
            read = reader.read(good)
        print("".join(f"{written}\n" for written in read), end="", flush=True)
        for number, problem in problems.items():
            if problem is not None:
                status = complain(PROGRAM, f"{what} {number}: {problem}")
    return status


def _checkpoint(options: argparse.Namespace) -> Path:
    path = Path(options.checkpoint)
    return path / CHECKPOINT if path.is_dir() else path


def _problem(reader: Reader, line: str) -> errors.MinigradError | None:
    """Return the error if the reader cannot read `line`, else None."""
    try:
        reader.encode([line])
    except errors.MinigradError as problem:
        return problem
    return None


# --- explain --------------------------------------------------------------------------------------


def explain(options: argparse.Namespace) -> int:
    """Write the page of one reading."""
    checkpoint = _checkpoint(options)
    reader, _ = load_reader(checkpoint)
    page = getattr(options, "out", checkpoint.with_name("explain.html"))
    with one_thread():
        explanation.explain(reader, options.line.strip(), page)
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
