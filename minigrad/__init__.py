"""minigrad: a tensor autograd engine in NumPy, small enough to read in an evening.

    import numpy as np
    import minigrad as mg

    x = mg.Tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = np.sum(np.tanh(x) * x)
    y.backward()
    x.grad

The engine is in the folder `engine`, and says there in which order to read it. Everything else is
built on it: `definitions` (NumPy's other functions), `functional`, `nn` and `optim` (what models are
made of), `workers` (a gradient in parts), `checking` (finite differences), `ran` and `script` (a
computation as data, and line by line), `views` (what shows it), `compiler` (what makes steps fast),
`aten` (PyTorch's computations as ours), `course` (what teaches), `stepping` (a script, walked back at
the keys), `transforms` (`grad`, `jacobian` and their kin), `random` (the generator).

Beside these, `arrays` and `system` are what is asked of NumPy and of the machine; `settings` checks
options, `with_blocks` makes blocks that do not meet, `widening` warns of float64, `errors` has the
errors, and `missing` says, from the table in `idioms`, what to write for the names of other libraries.
"""

from .system import starting  # noqa: F401 - before all that takes time

# isort: split

import importlib
from typing import TYPE_CHECKING, Any

from . import definitions, errors, functional, nn, optim
from .arrays.serialize import load, save
from .checking.anomaly import detect_anomaly
from .engine.backward import backward
from .engine.modes import get_default_dtype, set_default_dtype
from .engine.table import definition, rule
from .engine.tensor import Array, Tensor
from .missing import answer_imports, missing
from .nn import Parameter
from .ran.loop import record
from .random import generator, manual_seed
from .system.namesake import warn_of_namesake
from .transforms import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from .with_blocks import enable_grad, no_grad

if TYPE_CHECKING:  # the types of `LATER`
    from .aten.watched import pytorch
    from .checking.gradcheck import gradcheck
    from .views.graph import Graph, graph
    from .views.page import explore
    from .views.text.steps import steps
    from .views.troubles import diagnose

warn_of_namesake()
answer_imports(nn, optim)
__version__ = "1.0.0"

LATER = {  # what is imported when it is first used
    "Graph": "views.graph",
    "compile": "compiler.step",
    "diagnose": "views.troubles",
    "explore": "views.page",
    "gradcheck": "checking.gradcheck",
    "graph": "views.graph",
    "pytorch": "aten.watched",
    "steps": "views.text.steps",
}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise missing(__name__, name, "torch", "jax", "tf", "keras", "sklearn")
    value = globals()[name] = getattr(importlib.import_module(f".{LATER[name]}", __name__), name)
    return value


__all__ = [
    "Array", "Graph", "Parameter", "Tensor", "backward", "compile", "definition", "definitions",
    "detect_anomaly", "diagnose", "enable_grad", "errors", "explore", "functional", "generator",
    "get_default_dtype", "grad", "gradcheck", "graph", "hessian", "hvp", "jacobian", "jvp", "load",
    "manual_seed", "nn", "no_grad", "optim", "pytorch", "record", "rule", "save",
    "set_default_dtype", "steps", "value_and_grad", "vjp",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__  # a tab shows what is for users
