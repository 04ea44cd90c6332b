"""minigrad: a tensor autograd engine in NumPy, small enough to read in an evening.

    import numpy as np
    import minigrad as mg

    x = mg.Tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = np.sum(np.tanh(x) * x)
    y.backward()
    x.grad

Read it in this order: `tensor` (an array that remembers how it was made), `rules` (the table of
derivatives), `backprop` (the walk back). Everything else is built on these three.
"""

from . import functional, nn, optim
from .checking.gradcheck import gradcheck
from .engine import errors
from .engine.modes import (
    detect_anomaly,
    enable_grad,
    get_default_dtype,
    no_grad,
    record,
    set_default_dtype,
)
from .engine.table import definition, derivatives, plain, rule
from .engine.tensor import Tensor
from .engine.walk import backward
from .nn import Parameter
from .random import generator, manual_seed
from .serialize import load, save
from .transforms import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from .views.explorer import explore
from .views.graph import Graph, graph
from .views.steps import steps

__version__ = "0.1.0"

__all__ = [
    "Graph",
    "Parameter",
    "Tensor",
    "backward",
    "definition",
    "derivatives",
    "detect_anomaly",
    "enable_grad",
    "errors",
    "explore",
    "functional",
    "generator",
    "get_default_dtype",
    "grad",
    "gradcheck",
    "graph",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "load",
    "manual_seed",
    "nn",
    "no_grad",
    "optim",
    "plain",
    "record",
    "rule",
    "save",
    "set_default_dtype",
    "steps",
    "value_and_grad",
    "vjp",
]
