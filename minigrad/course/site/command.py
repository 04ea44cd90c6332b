"""The command: the site built, and served on this machine alone, or written as files."""

from __future__ import annotations

import argparse
import functools
import re
import shutil
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ... import errors
from ...system.working import say, working
from ..exercises.catalogue import folder_of, sheets
from ..folders import EXERCISES
from ..lessons.lesson import Lesson, lessons_named
from ..lessons.running import warm
from .build import STOPPING, build
from .cache import digest
from .preview import Preview
from .site_folder import SiteFolder

BUILDING = (
    "building the course; the first time all lessons run, which takes some minutes (`course 01 02` "
    "builds two)"
)
READY = "ready: the whole course is there"
PORT = 8423  # the same each time: a browser keeps answers and progress by the address
HOSTS = ("127.0.0.1", "localhost")
FRONT = ("/", "/index.html", "/exercises.html")  # the pages that show how far a learner is


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "numbers", metavar="LESSON", nargs="*", help="numbers of lessons (default: all)"
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help="write it there as files, and serve nothing; as one file if the name ends in .zip",
    )
    parser.add_argument(
        "--exercises",
        metavar="DIR",
        type=Path,
        help="a folder made by `exercises start`, whose state is shown (default: this folder)",
    )
    parser.add_argument(
        "--port", type=_port, default=PORT, metavar="N", help=f"default: {PORT}; 0: any free one"
    )
    parser.add_argument(
        "--no-reference",
        action="store_true",
        help="leave out the reference of both packages, and their source",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="only print the address, open nothing"
    )


def _port(text: str) -> int:
    """A port as an option gives it."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a whole number from 0 to 65535, not {text!r}")
    return int(text)


def command(options: argparse.Namespace) -> int:
    """Build the site; write it, or serve it until Ctrl-C; returns the exit status."""
    lessons = lessons_named(options.numbers)
    warm()
    learner = folder_of(options.exercises)
    shown = None if learner == EXERCISES else learner
    if options.out is not None:
        _write(lessons, options.out, shown, not options.no_reference)
    else:
        _serve(lessons, options, shown)
    return 0


def _write(
    lessons: Sequence[Lesson], out: Path, learner: Path | None, with_reference: bool
) -> None:
    """Write the course into a folder, or into one file if the name ends in .zip."""
    say(BUILDING)
    if out.suffix != ".zip":
        try:
            with working("the course"):
                build(lessons, out, learner, say, with_reference)
        except KeyboardInterrupt:
            say(f"{out} is not complete; the same command goes on: lessons that have run are kept")
            raise
        print(f"open {out / 'index.html'}")
        return
    with tempfile.TemporaryDirectory() as folder, working("the course"):
        build(lessons, Path(folder), learner, say, with_reference)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.make_archive(str(out.with_suffix("")), "zip", folder)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB; it begins at index.html")


def _serve(lessons: Sequence[Lesson], options: argparse.Namespace, learner: Path | None) -> None:
    """Serve the course until Ctrl-C, and build it meanwhile."""
    with_reference = not options.no_reference
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with _bound(options.port, functools.partial(_Handler, directory=name)) as server:
            say(BUILDING)
            preview = Preview(lessons, folder, learner, with_reference)
            server.refresh = _changed(learner, lambda: preview.folder.write_front())
            server.on_page = preview.write
            whole = lambda: build(lessons, folder, learner, say, with_reference, preview)
            builder = _Builder(preview, server, whole)
            builder.start()
            address = f"http://127.0.0.1:{server.server_address[1]}/"
            try:
                print(f"the course is at {address} until Ctrl-C", flush=True)
                if not options.no_browser:
                    webbrowser.open(address)
                server.serve_forever()
            except KeyboardInterrupt:
                preview.stopped.set()
                if builder.is_alive():
                    say(STOPPING)
            builder.join()
            if builder.problem is not None and not preview.stopped.is_set():
                raise builder.problem


class _Builder(threading.Thread):
    """Builds the course in place of its preview, while that is served; a problem ends the server.

    Attributes:
        problem: why it could not be built; None if it was.
    """

    def __init__(self, preview: Preview, server: _Server, whole: Callable[[], SiteFolder]) -> None:
        super().__init__()
        self.preview, self.server, self.whole = preview, server, whole
        self.problem: BaseException | None = None

    def run(self) -> None:
        """Build it, as `start` asks."""
        try:
            with working("the course"):
                self.preview.folder = self.whole()
            say(READY)
        except BaseException as problem:
            self.problem = problem
            self.server.shutdown()


class _Server(ThreadingHTTPServer):
    """Says nothing of a browser that hangs up.

    Attributes:
        refresh: is called before a page that shows how far the learner is.
        on_page: is called with the address of each page that is asked for.
    """

    refresh: Callable[[], object] = staticmethod(lambda: None)
    on_page: Callable[[str], object] = staticmethod(lambda address: None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _bound(port: int, handler: Callable[..., SimpleHTTPRequestHandler]) -> _Server:
    """A server on this machine alone.

    Raises:
        ConfigError: if the port is taken.
    """
    try:
        return _Server((HOSTS[0], port), handler)
    except OSError as problem:
        raise errors.ConfigError(
            f"port {port} cannot be had ({problem.strerror}): is the course open in another terminal? "
            f"--port takes another one"
        ) from None


def _changed(learner: Path | None, refresh: Callable[[], object]) -> Callable[[], None]:
    """Call `refresh` only where a learner's files have changed since the last time."""
    files = [] if learner is None else [learner / sheet.file for sheet in sheets()]
    before, one_at_a_time = digest(files), threading.Lock()

    def act() -> None:
        nonlocal before
        with one_at_a_time:
            now = digest(files)
            if now != before:
                refresh()
                before = now

    return act


class _Handler(SimpleHTTPRequestHandler):
    """Serves a folder, whose pages may be written when they are asked for."""

    server: _Server

    def parse_request(self) -> bool:
        """Refuse a request by another name: a page of the web may have its name lead here, to read what
        this server shows."""
        if not super().parse_request():
            return False
        host = self.headers.get("Host", HOSTS[0])  # a browser always gives one
        if re.sub(r":\d*$", "", host).lower() in HOSTS:
            return True
        self.send_error(HTTPStatus.MISDIRECTED_REQUEST, f"open http://{HOSTS[0]} in its place")
        return False

    def send_head(self) -> Any:
        try:
            return super().send_head()
        except ValueError:  # no file can have such a name
            self.send_error(HTTPStatus.NOT_FOUND)
            return None

    def do_GET(self) -> None:
        address = self.path.partition("?")[0]
        if address in FRONT:
            self.server.refresh()
        self.server.on_page(address[1:])
        super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Say nothing of each request."""
