"""Processes for code that the judge does not trust: their environment, and their end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Any

from ...folders import ROOT

PASSED_ON = (  # of the environment
    "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "SYSTEMROOT",
)  # fmt: skip


def apart() -> dict[str, Any]:
    """The start of the process of rooms: with little of the environment, apart from the keyboard."""
    passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment = {**passed_on, **with_packages(), "LC_ALL": "C.UTF-8"}
    return {"env": environment, "stderr": subprocess.DEVNULL, "start_new_session": True}


def with_packages() -> dict[str, str]:
    """The environment in which a process finds both packages; its matrix products run in one thread."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}


def end(process: subprocess.Popen) -> None:
    """See that a process has ended, and those that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
