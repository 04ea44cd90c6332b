"""Memory that is freed stays at hand: the system would give it back page by page, in each step again.

The C library of Linux keeps blocks up to the size of the largest one that was ever freed, up to 32 MB,
and so one of that size is freed here. Nothing is written to it. Elsewhere it does nothing.
"""

import numpy as np

np.empty(31 << 20, np.uint8)
