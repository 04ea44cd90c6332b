"""What a program prints in processes that hash differently: the same in each."""

from __future__ import annotations

import os
import subprocess
import sys

from limits import SECONDS


def printed(program: str, *arguments: object) -> str:
    """What the program prints; it finds the modules that this process finds."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, *map(str, arguments)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True, text=True, encoding="utf-8", check=True, timeout=SECONDS,
        ).stdout
        for seed in ("0", "1")
    }  # fmt: skip
    assert len(outputs) == 1
    return outputs.pop()
