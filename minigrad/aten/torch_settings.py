"""PyTorch's settings inside a block: plain operations, and nothing compiled."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
from collections.abc import Iterator
from typing import Any

import torch

# For each open block, in any thread, the settings of PyTorch before the first block.
OPEN: list[tuple[bool, bool]] = []
SETTING = threading.Lock()
EAGER = contextlib.ExitStack()  # closed with the last block


@contextlib.contextmanager
def plain_calls() -> Iterator[None]:
    """Within it, PyTorch computes each layer by plain operations, not by one call for the whole layer.

    It runs code of torch.compile as it was written.
    """
    mha = torch.backends.mha
    with SETTING:
        now = torch.backends.mkldnn.enabled, mha.get_fastpath_enabled()
        if not OPEN:
            _compile_nothing()
        OPEN.append(OPEN[0] if OPEN else now)
        torch._C._set_mkldnn_enabled(False)  # the attribute can be locked
        mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        with SETTING:
            mkldnn, fast = OPEN.pop()
            if not OPEN:
                EAGER.close()
                torch._C._set_mkldnn_enabled(mkldnn)
                mha.set_fastpath_enabled(fast)


def _compile_nothing() -> None:
    """Run code of torch.compile as it was written, until `EAGER` closes.

    Otherwise the compiler would also compile the functions that watch. It is imported only by a program
    that uses it, for this takes seconds.
    """
    original = torch.compile

    def run_as_written() -> None:
        if hasattr(torch.compiler, "set_stance"):  # from PyTorch 2.6 on
            EAGER.enter_context(torch.compiler.set_stance("force_eager"))

    @functools.wraps(original)
    def made_and_left(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        run_as_written()
        return made

    torch.compile = made_and_left
    EAGER.callback(setattr, torch, "compile", original)
    if "torch._dynamo" in sys.modules:
        run_as_written()
