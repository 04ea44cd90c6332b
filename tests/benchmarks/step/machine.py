"""The machine that figures are of: its processor, and how fast it multiplies matrices."""

import os
import platform
import time
from pathlib import Path

import numpy as np


def cpu():
    try:
        names = [s for s in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in s]
        return names[0].split(":")[1].strip()
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


def blas():
    """The core that OpenBLAS runs, its threads, and whether the environment chose it. On one machine,
    one core multiplies in half the time of another."""
    pinned = f"OPENBLAS_CORETYPE {os.environ.get('OPENBLAS_CORETYPE', 'unset')}"
    try:
        import threadpoolctl
    except ImportError:
        return f"{pinned} (threadpoolctl, which would name the core, is not installed)"
    libraries = [i for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"]
    cores = [f"{i.get('architecture')}, {i['num_threads']} threads" for i in libraries]
    return "; ".join([*cores, pinned])


def sgemm(n=1024, times=5):
    """Operations a second in products of large float32 matrices, with all of BLAS's threads."""
    x = np.ones((n, n), np.float32)
    start = time.perf_counter()
    for _ in range(times):
        x @ x
    return times * 2 * n**3 / (time.perf_counter() - start)
