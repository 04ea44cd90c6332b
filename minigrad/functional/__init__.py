"""Compositions of the engine's operations: activations, softmax, losses, dropout.

Each is ordinary NumPy on Tensors, so its derivatives of every order come from the table; each is a
box in a drawing. Those marked with a rule of their own have a kink, or a value, that NumPy's
functions would not get right.

Where time goes, a composition has a kernel beside it: the same function in as few passes over the
arrays as possible, with its derivative worked out by hand. It runs unless the graph is recorded for
a drawing, which shows the composition.
"""

from .activations import elu, erf, gelu, leaky_relu, relu, sigmoid, silu, softplus
from .attention import dot_weights
from .composition import broadcasts, composition, kernels_run, shortcut
from .linear_maps import (
    feed_forward,
    join_heads,
    linear,
    linear_of_heads,
    linear_to_heads,
    products,
    split_heads,
)
from .lookup import embedding, one_hot
from .losses import binary_cross_entropy_with_logits, cross_entropy, mse_loss, nll_loss
from .normalization import dropout, layer_norm, standardize
from .softmaxes import log_softmax, logsumexp, masked_fill, masked_softmax, softmax

__all__ = [
    "binary_cross_entropy_with_logits", "broadcasts", "composition", "cross_entropy", "dot_weights",
    "dropout", "elu", "embedding", "erf", "feed_forward", "gelu", "join_heads", "kernels_run",
    "layer_norm", "leaky_relu", "linear", "linear_of_heads", "linear_to_heads", "log_softmax",
    "logsumexp", "masked_fill", "masked_softmax", "mse_loss", "nll_loss", "one_hot", "products",
    "relu", "shortcut", "sigmoid", "silu", "softmax", "softplus", "split_heads", "standardize",
]  # fmt: skip
