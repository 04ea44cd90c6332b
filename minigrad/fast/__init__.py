"""Every kernel, and nothing else: each computes what a definition does, in few passes over the arrays,
with a derivative worked out by hand.

`with mg.fast():` runs them. Nothing else depends on this folder: without it definitions run.
"""

from . import cross_entropy, layer_norm, linear, lookup, memory, relu, softmax
from .common import kernel

__all__ = ["cross_entropy", "kernel", "layer_norm", "linear", "lookup", "memory", "relu", "softmax"]
