"""Ctrl-C while a command line still imports: the process ends without a traceback.

This file is imported first, and imports only Python's own modules. Later, `terminal.ended` gives Ctrl-C
its usual meaning back.
"""

import signal
import sys

COMMANDS = ("minigrad", "minitransformer")

if sys.argv[:1] == ["-m"] and "-m" in sys.orig_argv:  # while Python imports the package to run
    command = sys.orig_argv[sys.orig_argv.index("-m") + 1]
    if command in COMMANDS and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
