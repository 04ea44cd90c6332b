"""Namespaces of Linux: a process that sees Python and nothing of anybody's, and has no network.

    shut(folder)         once: other files are gone, all that is left is read-only, no network is there
    forked(); inside()   for each room, and in it: no other process is there, WORK is empty and can be
                         written to, and all privileges are dropped

No rights are needed for this where the system lets everybody make namespaces; some containers and
some systems do not. All calls raise OSError then.
"""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...folders import EXAMPLES, PACKAGES, ROOT

WORK = "/room"  # the folder that can be written to
BYTES, FILES = 1 << 26, 1000  # that it holds
NOBODY = 1000  # who one is inside: not 0, who could become more

# from sched.h, sys/mount.h, sys/prctl.h, linux/mount.h and linux/capability.h
NEW = {"mount": 0x20000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000,
       "net": 0x40000000}  # fmt: skip
NOSUID, NODEV, BIND, RECURSIVE, PRIVATE, DETACH = 2, 4, 0x1000, 0x4000, 0x40000, 2
MOUNT_SETATTR, HERE, RECURSIVELY, READ_ONLY = 442, -100, 0x8000, 1
DROP_FROM_BOUND, NO_NEW_PRIVILEGES, SUBREAPER, VERSION_3 = 24, 38, 36, 0x20080522


def shut(folder: str) -> None:
    """Leave this process no files but Python's, read-only, and no network; it goes on as a child, and
    with that all that it forks comes to an end.

    Args:
        folder: an empty one, where the new root is put together.
    """
    user, group = os.getuid(), os.getgid()
    _call("unshare", sum(NEW.values()))
    become_nobody = {
        "setgroups": "deny",
        "uid_map": f"{NOBODY} {user} 1",
        "gid_map": f"{NOBODY} {group} 1",
    }
    for name, text in become_nobody.items():
        Path("/proc/self", name).write_text(text)
    _mount(None, "/", None, RECURSIVE | PRIVATE)
    _put_root_together(folder)
    os.chdir(folder)
    _call("pivot_root", b".", b".")
    _call("umount2", b".", DETACH)
    os.chdir("/")
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY | NOSUID, 0, 0, 0)
    _call("syscall", MOUNT_SETATTR, HERE, b"/", RECURSIVELY, attributes, ctypes.sizeof(attributes))
    child = os.fork()
    if child:
        os._exit(os.waitpid(child, 0)[1] != 0)


def _put_root_together(folder: str) -> None:
    """Mount Python, its packages and devices in a folder; no lesson and no answer."""
    _mount("tmpfs", folder, "tmpfs", NOSUID | NODEV, f"mode=755,size={BYTES}")
    for path in _needed():
        inside = folder + path
        os.makedirs(os.path.dirname(inside), exist_ok=True)
        if os.path.islink(path):
            os.symlink(os.readlink(path), inside)
        elif os.path.isdir(path):
            os.makedirs(inside, exist_ok=True)
            _mount(path, inside, None, BIND | RECURSIVE)
        else:  # a device
            Path(inside).touch()
            _mount(path, inside, None, BIND)
    if os.path.isdir(folder + str(EXAMPLES)):  # beside the packages, in a wheel
        _mount("tmpfs", folder + str(EXAMPLES), "tmpfs", NOSUID | NODEV)
    os.mkdir(folder + WORK)


def _needed() -> Iterator[str]:
    """The folders of Python and its packages, each once, and none inside another."""
    packages = {
        Path(np.__file__).parent,
        *(ROOT / name for name in PACKAGES),
    }
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    folders = {"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", *python, *map(str, packages)}
    outermost: list[str] = []
    for path in sorted(filter(os.path.lexists, folders), key=len):
        if path != "/" and not any(path.startswith(f"{one}/") for one in outermost):
            outermost.append(path)
    yield from outermost
    yield "/proc"  # without which none can be mounted over it
    yield from ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def forked() -> int:
    """Fork, as `os.fork` does; the child is the first process of a room, which ends with it."""
    _call("unshare", NEW["pid"])  # of children alone
    child = os.fork()
    if child == 0:
        _call("unshare", NEW["mount"] | NEW["ipc"])
    else:
        with open("/proc/self/ns/pid", "rb") as own:
            _call("setns", own.fileno(), NEW["pid"])
    return child


def inside() -> None:
    """Furnish the room, in its first process, and drop all privileges."""
    _mount("proc", "/proc", "proc", NOSUID | NODEV)
    _mount("tmpfs", WORK, "tmpfs", NOSUID | NODEV, f"mode=700,size={BYTES},nr_inodes={FILES}")
    library = ctypes.CDLL(None)
    for capability in range(64):
        library.prctl(DROP_FROM_BOUND, capability, 0, 0, 0)
    _call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _call("capset", (ctypes.c_uint32 * 2)(VERSION_3, 0), (ctypes.c_uint32 * 6)())


def adopting() -> None:
    """Have processes whose parents end be children of this one, where the system can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    text = lambda one: None if one is None else one.encode()
    _call("mount", text(source), text(target), text(kind), ctypes.c_ulong(flags), data.encode())


def _call(name: str, *arguments: object) -> None:
    """Call a function of the C library.

    Raises:
        OSError: if it fails.
    """
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
