"""The transformer's kernels, and nothing else: see `minigrad.kernels`, which imports this folder by its
name. Without it, or without minigrad's kernels, the definitions run.
"""

import importlib.util

if importlib.util.find_spec("minigrad.fast") is not None:
    from . import attention, feed_forward, projection  # noqa: F401
