"""The course's server answers this machine alone, whatever is asked, and leaves nothing behind."""

import contextlib
import functools
import http.client
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import types

import pytest
from limits import SECONDS

from minigrad.course.folders import ROOT
from minigrad.course.site import command
from minigrad.course.site.build import STOPPING


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A folder with a large file, served; how often the front was asked for."""
    folder, fronts = tmp_path_factory.mktemp("served"), []
    (folder / "index.html").write_text("the front")
    (folder / "large.bin").write_bytes(bytes(1 << 24))
    handler = functools.partial(command._Handler, directory=folder)
    with command._bound(0, handler) as server:
        server.refresh = lambda: fronts.append(1)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], fronts
        server.shutdown()


def asked(port, path, **headers):
    """The status of an answer, and its text."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as talk:
        talk.putrequest("GET", path, skip_host=True)
        for name, value in headers.items():
            talk.putheader(name, value)
        talk.endheaders()
        answer = talk.getresponse()
        return answer.status, answer.read()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:{}", "localhost:{}", "LocalHost", None])
def test_this_machine_is_answered(served, host):
    headers = {} if host is None else {"Host": host.format(served[0])}
    assert asked(served[0], "/", **headers) == (200, b"the front")


@pytest.mark.parametrize(
    "host",
    ["rebound.example", "rebound.example:{}", "127.0.0.1.rebound.example:{}", "localhost.example",
     "rebound.example:127.0.0.1", "", "127.0.0.1@rebound.example", "0.0.0.0:{}", "[::1]:{}"],
)  # fmt: skip
def test_a_name_of_the_web_that_leads_here_is_refused(served, host):
    """Before anything is read or refreshed."""
    before = len(served[1])
    status, text = asked(served[0], "/", Host=host.format(served[0]))
    assert status == 421
    assert b"the front" not in text
    assert len(served[1]) == before


@pytest.mark.parametrize(
    "path", ["/%00", "/a%00b.html", "/%ff%fe", "/%ed%a0%80", "/" + "x" * 5000, "/../../etc/passwd",
     "/%2e%2e/x"]
)  # fmt: skip
def test_an_address_that_no_file_can_have_is_answered(served, path, capfd):
    assert asked(served[0], path, Host="127.0.0.1")[0] == 404
    assert capfd.readouterr().err == ""


def test_a_browser_that_hangs_up_is_no_word_worth(served, capfd):
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", served[0])) as talk:
            talk.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            talk.sendall(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
            talk.recv(100)
    assert asked(served[0], "/", Host="localhost")[0] == 200
    while any("process_request_thread" in one.name for one in threading.enumerate()):
        time.sleep(0.01)
    assert capfd.readouterr().err == ""


SERVING = """
import pathlib, sys
from minigrad.__main__ import main
from minigrad.course.site import command
command.build = lambda some, folder, *others: pathlib.Path(folder, "index.html").write_text("all")
sys.exit(main(["course", "--no-browser", "--port", "0"]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_nothing_stays_in_the_temporary_folder(tmp_path, name):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVING], cwd=tmp_path, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        lines = iter(process.stdout.readline, "")
        assert any(line.startswith("the course is at") for line in lines)
        assert os.listdir(temporary)
        process.send_signal(getattr(signal, name))
        _, said = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert (process.returncode, os.listdir(temporary)) == (0, [])
    assert set(said.splitlines()) <= {command.BUILDING, command.READY, STOPPING}


def test_when_all_is_built_it_is_said_last(capsys):
    preview = types.SimpleNamespace(folder="the preview")
    builder = command._Builder(preview, None, lambda: "the whole")
    builder.run()
    assert (preview.folder, builder.problem) == ("the whole", None)
    assert capsys.readouterr().err.splitlines()[-1] == command.READY


def test_a_folder_that_is_not_complete_after_a_stop_is_told(tmp_path, monkeypatch, capsys):
    def stopped(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "build", stopped)
    with pytest.raises(KeyboardInterrupt):
        command._write([], tmp_path / "full", None, False)
    said = "".join(capsys.readouterr()).replace("\n", " ")
    assert f"{tmp_path / 'full'} is not complete; the same command goes on" in said
