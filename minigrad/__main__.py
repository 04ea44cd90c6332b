"""The command line:

python -m minigrad step FILE [ARGUMENT ...]     run a script to its first backward(), and step from there
python -m minigrad course                       the course in a browser: lessons, exercises, reference
python -m minigrad lessons [LESSON ...]         list the lessons of the course, run them, or write them
python -m minigrad exercises [COMMAND ...]      the exercises of the course: what is right, and why not
python -m minigrad worksheet LESSON             a worksheet on paper, and its key
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import functools
import io
import os
import runpy
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from . import errors
from .aten.watched import BEFORE, Watched, pytorch
from .course.exercises import command as exercises
from .course.lessons import command as lessons
from .course.site import command as site
from .course.worksheets import command as worksheet
from .disk import other_kind
from .engine import backward as home_of_backward
from .engine.tensor import Tensor
from .engine.walk import order
from .ran.variables import line_of
from .recording import record
from .terminal import Command, Parser, add_commands, complain, ended
from .views.graph import graph
from .views.text.steps import Step, made, steps
from .views.troubles import diagnose

PROGRAM = "minigrad"
PROG = f"python -m {PROGRAM}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # any file name or error can be printed
    given = list(sys.argv[1:] if arguments is None else arguments)
    return ended(PROGRAM, lambda: _run(given))


def _run(given: list[str]) -> int:
    parser = command_line()
    if not given:
        parser.print_help()
        return 0
    options = parser.parse_args(given)
    return options.run(options)


def command_line() -> Parser:
    """The commands and their options."""
    parser = Parser(prog=PROG, description="See how gradients come about.")
    add_commands(parser, COMMANDS, PROG)
    return parser


# --- step -----------------------------------------------------------------------------------------

KEYS = """\
Enter         the next step
NUMBER        that step
g NAME        the step of a variable or parameter, or of a node of the table: g w, g #5
f NAME        how that was made on the way forward, its first element worked out: f y, f #5
t             the table of the forward pass
c             all the other steps, and on with the script
q             quit
h             this list"""


LONG = 60  # rows of a table that is shown only when asked for


class _Quit(BaseException):
    """The reader has seen enough. No handler of the script's is to catch it."""


def _step_options(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"keys:\n{KEYS}"
    parser.add_argument("file", metavar="FILE", help="a script that calls backward()")
    parser.add_argument(
        "arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="what the script is given"
    ).required = False


def step(options: argparse.Namespace) -> int:
    """Run a script to its first backward(), PyTorch's too, and step from there."""
    found: list[Any] = []  # what was walked
    if kind := other_kind(options.file):
        raise errors.ConfigError(f"{options.file} is {kind}, not a regular file: give a script")
    with open(options.file, "rb"):  # a file that is not there is no error of the script's
        pass
    try:
        with _script(options.file, options.arguments), _stopping(found):
            runpy.run_path(options.file, run_name="__main__")
    except _Quit:
        return 0
    except SystemExit as end:
        if found:
            return _status(end)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except BaseException as problem:
        line = line_of(problem)
        at = f", at {line}" if line is not None and "runpy" not in line.file else ""
        return complain(
            "minigrad", f"{type(problem).__name__}: {str(problem).partition(chr(10))[0]}{at}"
        )
    if not found:
        return complain(PROGRAM, f"{options.file} came to its end without a backward()")
    return 0


def _status(end: SystemExit) -> int:
    """The exit status that a script asks for."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


@contextlib.contextmanager
def _script(file: str, arguments: Sequence[str]) -> Iterator[None]:
    """The surroundings of a script that Python runs: its arguments, and its folder on the path."""
    before = sys.argv, sys.path[:]
    sys.argv = [file, *arguments]
    sys.path[:0] = [os.path.dirname(os.path.abspath(file))]
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before


@contextlib.contextmanager
def _stopping(found: list[Any]) -> Iterator[None]:
    """Record, and let the first backward() of the script be walked by the reader.

    It is reached as `loss.backward()` and as `minigrad.backward`; in a script that imports PyTorch, as
    PyTorch's.
    """
    homes: list[Any] = [Tensor, home_of_backward, sys.modules[__package__]]
    original = home_of_backward.backward

    def stepped(root: Tensor, gradient=None, *, retain_graph=False, create_graph=False) -> None:
        recording.close()
        found.append(root)
        options = {"retain_graph": retain_graph or create_graph, "create_graph": create_graph}
        _walk(root, steps(root, gradient, accumulate=True, **options))

    def restore() -> None:
        for home in homes:
            home.backward = original

    with contextlib.ExitStack() as recording:
        recording.enter_context(record())
        recording.callback(restore)
        for home in homes:
            home.backward = stepped
        recording.enter_context(_watching_pytorch(found, recording))
        yield


@contextlib.contextmanager
def _watching_pytorch(found: list[Any], recording: contextlib.ExitStack) -> Iterator[None]:
    """Watch PyTorch as soon as the script has imported it, until its first backward()."""
    imported = builtins.__import__
    ours = contextlib.ExitStack()  # left at the first block of the script's own

    def importing(*args: Any, **kwargs: Any) -> Any:
        module = imported(*args, **kwargs)
        torch = sys.modules.get("torch")
        if torch is not None and not getattr(torch.__spec__, "_initializing", False):
            builtins.__import__ = imported
            _watch(torch)
        return module

    def _watch(torch: Any) -> None:
        watched = ours.enter_context(pytorch())
        original = torch.autograd.backward

        def entering(own: Watched) -> None:
            nonlocal watched
            ours.close()
            watched = own

        @functools.wraps(original)
        def stepped(*args: Any, **kwargs: Any) -> None:
            original(*args, **kwargs)
            if not watched.backwards:  # of another computation
                return
            recording.close()
            found.append(watched)
            root, gradient = watched.checked()[0], watched.backwards[-1].roots[0][1]
            print(f"{watched.compare()}\n")
            for node in order([root.node]):
                node.grad = None  # the reader is to see how they come about
            _walk(root, steps(root, gradient, accumulate=True))

        def restore() -> None:
            torch.autograd.backward = original
            BEFORE.remove(entering)

        torch.autograd.backward = stepped
        BEFORE.append(entering)
        recording.callback(restore)

    builtins.__import__ = importing
    try:
        with ours:
            yield
    finally:
        builtins.__import__ = imported


def _walk(root: Tensor, back: Iterator[Step]) -> None:
    """Show the forward pass, and then each step back as the reader asks for it."""
    forward = graph(root)
    long = len(forward) > LONG
    print(f"{forward.summary()}\n\nt shows the table of {len(forward)} rows." if long else forward)
    troubles = diagnose(root) if root.size == 1 else ()
    for trouble in troubles:
        if trouble.kind in ("not finite", "data"):
            print(f"\n{trouble}")
    print("\nAnd back, step by step: Enter for the next one, h for all keys.")
    seen: list[str] = []  # every step so far, as text
    names: dict[str, int] = {}  # the number of a step, by the names of its node
    place = 0  # the number of the step shown last
    asking = True

    def reach(wanted: int | str) -> int | None:
        """Walk on until a step has been done; return its number, or None where it does not come."""
        while (len(seen) < wanted) if isinstance(wanted, int) else (wanted not in names):
            one = next(back, None)
            if one is None:
                return None
            seen.append(str(one))
            names.update({f"#{one.of}": one.number})
            for name in filter(
                None, (one.name, forward[one.of].label if one.of is not None else "")
            ):
                names.setdefault(name, one.number)
        return wanted if isinstance(wanted, int) else names[wanted]

    while True:
        key = _key() if asking else ""
        if key == "q":
            raise _Quit
        if key == "h":
            print(KEYS)
            continue
        if key == "t":
            print(forward)
            continue
        if key.startswith("f "):
            print(f"\n{made(forward, key[2:].strip())}")
            continue
        asking = asking and key != "c"
        wanted = _wanted(key, place)
        number = reach(wanted) if wanted is not None else None
        if number is not None:
            print(f"\n{seen[number - 1]}")
            place = number
        elif wanted is None:
            print(f"{key!r} is no key; h lists them")
        elif isinstance(wanted, int) and key in ("", "c"):
            break
        else:
            print(f"there is no step {wanted}; there are {len(seen)}")
    print("\nThe end of the backward pass; the script goes on.")


def _wanted(key: str, place: int) -> int | str | None:
    """The step that a key asks for: its number, or the name of its node."""
    if key in ("", "c"):
        return place + 1
    if key.isdecimal():
        return int(key) or None
    if key.startswith("#"):
        return key
    command, _, name = key.partition(" ")
    return name.strip() or None if command == "g" else None


def _key() -> str:
    """Read what the user types; the end of the input, or a closed input, counts as `q`."""
    if sys.stdin is None:
        return "q"
    if sys.stdin.isatty():
        with contextlib.suppress(EOFError):
            return input("> ").strip()
        print()
        return "q"
    line = sys.stdin.readline()
    return line.strip() if line else "q"


COMMANDS = {
    "step": Command(
        step, "run a script to its first backward(), and step from there", _step_options
    ),
    "course": Command(
        site.command,
        "show the course in a browser: lessons, exercises, reference; or write it as files",
        site.add_options,
    ),
    "lessons": Command(
        lessons.command,
        "list the lessons of the course, run one, or write them as notebooks",
        lessons.add_options,
    ),
    "exercises": Command(
        exercises.command,
        "list the exercises of the course, check what you have written, or mark a folder",
        exercises.add_options,
    ),
    "worksheet": Command(
        worksheet.command,
        "write a worksheet to be printed: graphs to walk by hand, shapes, questions; and its key",
        worksheet.add_options,
    ),
}

if __name__ == "__main__":
    sys.exit(main())
