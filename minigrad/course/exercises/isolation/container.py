"""Containers of Docker or Podman, in which learners' functions run: one for each function.

What is asked and what is answered cross as plain data, through the container's standard streams. It has
no network, no file of this machine, and no right to become more than nobody.
"""

from __future__ import annotations

import contextlib
import math
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from .... import errors
from ...folders import EXERCISES, PACKAGES, ROOT
from ..shared_files import SHARED
from . import room_process
from .limits import memory
from .processes import end
from .room import AFTER, ProcessRoom, Room

PROGRAMS = ("docker", "podman")
IMAGE = "minigrad-exercises"
DOCKERFILE = Path(__file__).with_name("Dockerfile")
LIMITS = (
    "--network=none", "--read-only", "--tmpfs=/room:rw,mode=1777,size=64m", "--tmpfs=/tmp:rw,size=64m",
    "--cap-drop=ALL", "--security-opt=no-new-privileges", "--user=65534:65534", "--pids-limit=256",
    f"--memory={memory()}",
)  # fmt: skip
START = 20.0  # seconds that a container may take to start, beside those of the function
WAIT = 2.0  # seconds for a container to end by itself, once nothing more is asked


def build(program: str) -> None:
    """Build the image, of this library and of the exercises without their answers.

    Raises:
        ConfigError: if there is no such program, or it fails.
    """
    if shutil.which(program) is None:
        raise errors.ConfigError(
            f"there is no {program} here: install it, or leave --container out"
        )
    with tempfile.TemporaryDirectory() as folder:
        write_context(Path(folder))
        _run([program, "build", "--quiet", "--tag", IMAGE, folder])
    _run([program, "run", "--rm", *LIMITS, IMAGE, "python", "-c", "import minigrad"])


def _run(command: list[str]) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise errors.ConfigError(f"`{command[0]} {command[1]}` failed: {last}")


def write_context(folder: Path) -> None:
    """Write to a folder all that the image is made of."""
    shutil.copy(DOCKERFILE, folder)
    for package in PACKAGES:
        nothing = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(ROOT / package, folder / "course" / package, ignore=nothing)
    exercises = folder / "course" / "examples" / "exercises"
    exercises.mkdir(parents=True)
    for file in (
        *EXERCISES.glob("[0-9][0-9]_*.py"),
        *(EXERCISES / f"{name}.py" for name in SHARED),
    ):
        shutil.copy(file, exercises)


class ContainerRoom(ProcessRoom):
    """A room that is a container; its time begins before it has started."""

    def __init__(self, program: str, seconds: float, on_close: Callable[[Room], object]) -> None:
        self.program = program
        command, self.name = _command(program, math.ceil(seconds) + AFTER)
        how = {"stderr": subprocess.DEVNULL, "start_new_session": True}
        super().__init__(seconds + START, on_close, command, **how)
        self.seconds = seconds

    def end(self) -> None:
        """End it: what runs in it is no child of this process, and goes on without its client."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()  # type: ignore[union-attr]
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0 if self.late else WAIT)
            return
        _remove(self.program, self.name)
        end(self.process)


def _command(program: str, seconds: int) -> tuple[list[str], str]:
    """The command that runs a room in a container, and the container's name."""
    name = f"{IMAGE}-{secrets.token_hex(8)}"
    room = ["python", "-m", room_process.__name__, str(seconds)]
    command = [program, "run", "--rm", "--interactive", "--init", f"--name={name}"]
    return [*command, *LIMITS, IMAGE, *room], name


def _remove(program: str, name: str) -> None:
    """End a container, and all that runs in it."""
    quiet = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "stdin": subprocess.DEVNULL,
    }
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run([program, "rm", "--force", name], timeout=60, **quiet)  # type: ignore[call-overload]
