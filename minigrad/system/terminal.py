"""The two command lines: their commands, their exit status, and one line for an error."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import math
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, NoReturn

from .. import errors

WRONG, INTERRUPTED, NO_READER = 2, 128 + signal.SIGINT, 128 + 13  # exit statuses; 13 is SIGPIPE
STOPS = ("SIGTERM", "SIGHUP", "SIGBREAK")  # by name: no system has all of them
REMEDIES = {  # by the names of errors: not every system has all of them
    "ENOSPC": "make room on that disk",
    "EDQUOT": "make room: no more files of yours may be there",
    "EFBIG": "no file may be so large there",
    "EROFS": "nothing can be written there",
    "EACCES": "it is not yours to write or read",
}


def ended(program: str, run: Callable[[], int]) -> int:
    """Run `run`, which returns an exit status. An error is one line that begins with `program`."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # set in `starting`
        signal.signal(signal.SIGINT, signal.default_int_handler)
    stopped = [INTERRUPTED]
    try:
        with _stopping(stopped):
            status = run()
            if sys.stdout is not None:
                sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return stopped[-1]
    except BrokenPipeError:
        let_go()
        return NO_READER
    except errors.MinigradError as problem:
        return complain(program, problem)
    except MemoryError as problem:
        what = f" ({problem})" if str(problem) else ""
        return complain(program, f"not enough memory{what}: choose smaller sizes or batches")
    except OSError as problem:
        let_go()
        return complain(program, _in_words(problem))


@contextlib.contextmanager
def _stopping(statuses: list[int]) -> Iterator[None]:
    """Within it, `kill` and the end of the terminal act like Ctrl-C: temporary files are removed.

    The exit status is added to `statuses`. A second `kill` ends the process at once. A signal that was
    ignored before, as under `nohup`, is still ignored.
    """

    def stop(number: int, frame: object) -> NoReturn:
        signal.signal(number, signal.SIG_DFL)
        statuses.append(128 + number)
        raise KeyboardInterrupt

    # Only the main thread may set what signals do.
    here = threading.current_thread() is threading.main_thread()
    signals = [getattr(signal, name) for name in STOPS if here and hasattr(signal, name)]
    signals = [one for one in signals if signal.getsignal(one) is signal.SIG_DFL]
    for one in signals:
        signal.signal(one, stop)
    try:
        yield
    finally:
        for one in signals:
            signal.signal(one, signal.SIG_DFL)


def complain(program: str, problem: object) -> int:
    """Write one line on standard error about a problem; return the exit status for it."""
    with contextlib.suppress(OSError):  # the terminal may be gone
        print(f"{program}: {' '.join(str(problem).split())}", file=sys.stderr)
    return WRONG


def _in_words(problem: OSError) -> str:
    """The file, what is wrong with it, and the remedy."""
    where = f"{problem.filename}: " if problem.filename is not None else ""
    remedy = REMEDIES.get(errno.errorcode.get(problem.errno or 0, ""))
    return f"{where}{problem.strerror or problem}" + (f": {remedy}" if remedy else "")


def let_go() -> None:
    """Discard text that could not be written to standard output.

    Otherwise Python would try to write it again when it ends, and report the error again.
    """
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Parser(argparse.ArgumentParser):
    """A parser that reports wrong options in one line, and names the option that was probably meant.

    The line begins with the program: "minigrad", also for `python -m minigrad step`.
    """

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def, override]
        options, others = super().parse_known_args(self._names_first(args), namespace)
        options_known = {name.lstrip("-"): name for name in self._option_string_actions}
        initials = {
            "".join(word[0] for word in name.split("-")): name
            for name in options_known
            if "-" in name
        }
        for one in (name.partition("=")[0] for name in others if name.startswith("--")):
            stem = one.lstrip("-")
            if any(action.dest == stem and not action.option_strings for action in self._actions):
                self.error(f"unrecognized arguments: {one}; the {stem} is written without {one}")
            nearest = [initials.get(stem), *difflib.get_close_matches(stem, options_known, 1, 0.5)]
            meant = next(filter(None, nearest), None)
            if meant and stem not in options_known:
                self.error(f"unrecognized arguments: {one}; did you mean {options_known[meant]}?")
        return options, others

    def _names_first(self, args: list[str] | None) -> list[str] | None:
        """Put names before options: if any number of names is allowed, `argparse` takes none of those
        that stand behind an option."""
        many = {action.nargs for action in self._actions if not action.option_strings}
        if args is None or "--" in args or not many or not many <= {None, "?", "*", "+"}:
            return args
        names, options, left = [], [], 0.0
        for one in args:
            if one.startswith("-") and len(one) > 1:
                action = self._option_string_actions.get(one)
                takes = action.nargs if action else 0
                left = takes if isinstance(takes, int) else 1 if takes is None else math.inf
                options.append(one)
            elif left:
                options.append(one)
                left -= 1
            else:
                names.append(one)
        return [*names, *options]

    def error(self, message: str) -> NoReturn:
        program = self.prog.removeprefix("python -m ").partition(" ")[0]
        if wrong := re.search(r"invalid choice: '(.+)' \(choose from (.+)\)", message):
            commands = re.findall(r"[\w-]+", wrong[2])
            near = difflib.get_close_matches(wrong[1], commands, 1)
            if "check" in commands and wrong[1].isdecimal():  # the number of a lesson
                near = [f"check {wrong[1]}"]
            message += f"; did you mean {near[0]}?" if near else ""
        self.exit(complain(program, f"{message} (--help lists all options)"))


def seed_of(text: str) -> int:
    """A seed as an option gives it: a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a seed is a whole number from 0, not {text!r}")
    return int(text)


class Command(NamedTuple):
    """A command: the function that runs it, one line about it, and a function that adds its options."""

    run: Callable[[argparse.Namespace], int]
    about: str
    takes: Callable[[argparse.ArgumentParser], object]


def add_commands(parser: Parser, commands: Mapping[str, Command], prog: str) -> None:
    """Give a parser commands, by their names."""
    group = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, prog=prog)
    for name, command in commands.items():
        about = command.about
        own = group.add_parser(name, help=about, description=f"{about}.", allow_abbrev=False)
        command.takes(own)
        own.set_defaults(run=command.run)
