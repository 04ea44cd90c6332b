"""Functions written in the engine's operations: activations, softmax, losses, dropout.

A definition is ordinary NumPy on Tensors, so that its derivatives of every order come from the table; it
is a box in a drawing. A function with a rule of its own, such as `relu`, is a node.

1. `activations`: of each number by itself
2. `linear_maps`, `lookup`: products with weights, rows of a table
3. `masks`, `softmaxes`: scores made into weights; `weighting`: which functions give attention weights
4. `normalization`: numbers brought to one size, and dropout
5. `losses`; `squashed`: a warning of theirs
"""

from ..missing import PUBLIC, missing
from .activations import elu, erf, gelu, leaky_relu, relu, sigmoid, silu, softplus
from .linear_maps import linear
from .lookup import embedding, one_hot
from .losses import binary_cross_entropy_with_logits, cross_entropy, mse_loss, nll_loss
from .normalization import dropout, layer_norm, standardize
from .softmaxes import log_softmax, logsumexp, masked_fill, masked_softmax, not_zero, softmax

__all__ = [
    "binary_cross_entropy_with_logits", "cross_entropy", "dropout", "elu", "embedding", "erf", "gelu",
    "layer_norm", "leaky_relu", "linear", "log_softmax", "logsumexp", "masked_fill", "masked_softmax",
    "mse_loss", "nll_loss", "not_zero", "one_hot", "relu", "sigmoid", "silu", "softmax", "softplus",
    "standardize",
]  # fmt: skip
PUBLIC[__name__] = __all__


def __dir__() -> list[str]:
    return __all__  # a tab shows what is for users


def __getattr__(name: str) -> object:
    raise missing(__name__, name, "F", "torch")
