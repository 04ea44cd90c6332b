"""What may stand where a regular file is meant: made for tests that must not replace or open it."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest


def _device(path: Path) -> None:
    """Make another /dev/null: a test that went wrong would replace this one."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("needs the right to make a device")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        here = os.getcwd()
        os.chdir(path.parent)  # a socket's name is short
        try:
            one.bind(path.name)
        finally:
            os.chdir(here)


def _link(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def linked(path: Path) -> None:
        make(path.with_name("behind"))
        path.symlink_to("behind")

    return linked


_PLAIN: dict[str, tuple[Callable[[Path], object], str]] = {
    "a folder": (Path.mkdir, "a folder"),
    "a pipe": (lambda path: os.mkfifo(path), "a pipe"),
    "a socket": (_socket, "a socket"),
    "a device": (_device, "a device"),
}
KINDS = (
    {
        **_PLAIN,
        **{f"a link to {kind}": (_link(make), said) for kind, (make, said) in _PLAIN.items()},
    }
    if os.name == "posix"
    else {"a folder": _PLAIN["a folder"]}
)
