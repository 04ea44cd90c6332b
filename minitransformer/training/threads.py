"""The way NumPy multiplies matrices: in one thread, while a model trains; and for which processors.

Small matrices are multiplied faster than a second thread can be started; and while other programs run,
threads that wait for each other make each step many times slower. And a sum that is shared between
threads is rounded in another order: the same seed would give other weights, according to their number.
"""

from __future__ import annotations

import contextlib
import os
import sys

# Each library that NumPy may be built with reads one of these, once, when NumPy is imported.
VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "OMP_NUM_THREADS")

if sys.argv[:1] == ["-m"]:  # `python -m minitransformer`, which Python is only about to run
    os.environ |= dict.fromkeys(VARIABLES, "1")


def one_thread() -> contextlib.AbstractContextManager:
    """Make a context in which matrix products run in one thread, if threadpoolctl is installed: for
    programs other than `python -m minitransformer`, which has only one."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return contextlib.nullcontext()
    return threadpool_limits(limits=1, user_api="blas")


def core() -> str:
    """The kind of processor that NumPy's products of matrices are made for here, such as "Haswell": with
    another one, sums are rounded otherwise. It is "" where threadpoolctl, which knows it, is missing."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return ""
    libraries = [i for i in threadpool_info() if i["user_api"] == "blas"]
    numpys = [i for i in libraries if "numpy" in i["filepath"]]  # SciPy has one of its own
    numpys = numpys or libraries
    return str(numpys[0].get("architecture", "")) if numpys else ""
