"""How long a test waits for what may hang: far longer than it takes, also on a busy machine."""

import contextlib
import signal

SECONDS = 600  # a process
IN_A_PAGE = 120  # a script in a browser, and what it waits for


@contextlib.contextmanager
def never_endless(seconds=60):
    """End a block that would go on forever, where the system can."""

    def end(number, frame):
        raise AssertionError(f"no end after {seconds} s")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
