"""Rows: functions of each element by itself, and where they have kinks."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator

import numpy as np

from minigrad import functional as F
from minigrad.definitions.elementwise import clamp
from minigrad.engine import rules

from .in_pytorch import torch
from .inputs import KINKED, MASK, PAIRS, SHAPES, C
from .row import Row, rows

# fmt: off

UNARY = {
    "any": "negative positive square exp exp2 expm1 sin cos tanh sinh cosh arctan arcsinh "
           "deg2rad rad2deg",
    "not zero": "reciprocal absolute sign",
    "positive": "sqrt log log2 log10 log1p",
    "above one": "arccosh",
    "unit": "tan arcsin arccos arctanh",
    "between": "floor ceil trunc round",
}
ALMOST_UNARY = [  # what PyTorch calls by other names
    (np.cbrt, lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3), "not zero"),
    (np.fabs, "abs", "not zero"),
    (np.radians, "deg2rad", "not zero"),
    (np.degrees, "rad2deg", "not zero"),
    (np.copy, "clone", "not zero"),
    (np.nan_to_num, "nan_to_num", "not zero"),
    (np.rint, "round", "between"),
    (np.around, "round", "between"),
]
BINARY = [
    (np.add, "add", "any", operator.add), (np.subtract, "subtract", "any", operator.sub),
    (np.multiply, "multiply", "any", operator.mul),
    (np.divide, "divide", "not zero", operator.truediv),
    (np.power, "pow", ("positive", "any"), operator.pow), (np.mod, "remainder", KINKED, operator.mod),
    (np.logaddexp, "logaddexp", "any"), (np.logaddexp2, "logaddexp2", "any"),
    (np.copysign, "copysign", "not zero"), (np.arctan2, "atan2", "not zero"),
    (np.hypot, "hypot", "not zero"), (np.float_power, "float_power", ("positive", "any")),
    (np.maximum, "maximum", KINKED), (np.minimum, "minimum", KINKED), (np.fmod, "fmod", KINKED),
]


def elementwise() -> Iterator[Row]:
    """Functions of one argument, of two, and the operators."""
    for domain, names in UNARY.items():
        for name in names.split():
            methods = ["round"] if name == "round" else []
            yield from rows(getattr(np, name), name, *SHAPES, also=methods, domain=domain)
    for function, theirs, domain in ALMOST_UNARY:
        yield from rows(function, theirs, *SHAPES, domain=domain)
    yield from rows(np.copy, "clone", [(2, 3)], call=lambda x: x.copy())
    yield from rows(np.round, lambda x: torch.round(x, decimals=1), [(3,)], then=(1,), also=["round"],
                    smooth=False)
    yield from rows(np.absolute, ..., [(2, 3)], call=abs, also=[np.abs], domain="not zero")
    yield from rows(np.negative, ..., [(2, 3)], call=operator.neg)
    yield from rows(np.positive, ..., [(2, 3)], call=operator.pos)
    yield from rows(np.nan_to_num, "nan_to_num", [[math.nan, math.inf, -1.0]], nan=2.0, posinf=3.0,
                    smooth=False)
    yield from rows(rules.astype, lambda x: x.to(torch.float64), [(2, 3)],
                    call=lambda x: x.astype(np.float64))
    if hasattr(np, "astype"):  # since NumPy 2.1
        yield from rows(np.astype, lambda x: x.to(torch.float64), [(2, 3)], then=(np.float64,))

    for function, theirs, domain, *operators in BINARY:
        yield from rows(function, theirs, *PAIRS, also=operators, domain=domain)
        for op in operators:
            base = "between" if op is operator.mod else "above one"
            yield from rows(function, ..., [(3,), (2, 3)], call=op,
                            domain=KINKED if op is operator.mod else base)
            yield from rows(function, ..., [(2, 3)], then=(2,), call=op, domain=base,
                            name=f"{op.__name__} with a number")
            yield from rows(function, lambda x, op=op: op(torch.tensor(7.3, dtype=x.dtype), x), [(2, 3)],
                            call=lambda x, op=op: op(7.3, x), name=f"{op.__name__} of 7.3 and",
                            domain="above one")
    flat = lambda x, y: torch.floor_divide(x, y).detach() + 0 * (x + y)  # PyTorch: no gradient, not zero
    yield from rows(np.floor_divide, flat, *PAIRS, also=[operator.floordiv], domain=KINKED)
    for e in (-2, -1.5, -1, 0, 0.5, 1, 1.5, 2, 3, 3.0):
        yield from rows(np.power, ..., [(2, 3)], call=operator.pow, then=(e,), domain="positive",
                        also=[lambda x, e=e: np.power(x, e)])
        yield from rows(np.power, lambda x, e=e: x**e, [(2, 3)], name=f"x ** array of {e}",
                        call=lambda x, e=e: x ** np.full(3, e, x.dtype), domain="positive")
    for e in (-3, 0, 1, 2, 5):
        yield from rows(np.power, ..., [(2, 3)], call=operator.pow, then=(float(e),), domain="not zero")
    yield from rows(np.subtract, ..., [(3,)], call=lambda x: x - x)
    yield from rows(np.multiply, ..., [(3,)], call=lambda x: x * x)

    rights = [shapes for shapes in PAIRS if np.broadcast_shapes(*shapes)[-1:] == (3,)]
    yield from rows(np.where, lambda x, y: torch.where(torch.tensor(C), x, y), *rights,
                    call=lambda x, y: np.where(C, x, y))
    yield from rows(np.where, lambda x: torch.where(torch.tensor(MASK), x, 0.5), [(3,)],
                    call=lambda x: np.where(MASK, x, 0.5))
    yield from rows(np.where, lambda x: torch.where(torch.tensor(MASK), 2.0, x), [(2, 1)],
                    call=lambda x: np.where(MASK, 2, x))
    yield from rows(np.where, lambda x: torch.where(x > 0, x, -x), [(2, 3)], domain="not zero",
                    call=lambda x: np.where(x > 0, x, -x))
    yield from rows(np.where, lambda x, y: x.expand(2) + 0 * y, [(), (2,)],
                    call=lambda x, y: np.where(True, x, y))
    yield from rows(np.select, lambda x, y: torch.where(x > 1, x * x, torch.where(x > 0, y, 0.5)),
                    [(2, 3), (3,)], call=lambda x, y: np.select([x > 1, x > 0], [x * x, y], 0.5),
                    domain="not zero")

    for bounds in ((-0.5, 0.5), (None, 0.5), (-0.5, None)):
        yield from rows(np.clip, "clip", *SHAPES, then=bounds, also=["clip"], domain="between")
    yield from rows(np.clip, lambda x: torch.clip(x, -0.5, 0.5), [(4,)], a_min=-0.5, a_max=0.5)
    yield from rows(clamp, "clip", [(2, 3), (3,), ()], call=np.clip, domain=("any", "unit", "above one"))
    yield from rows(clamp, lambda x, y: torch.clip(x, y, torch.tensor(0.5, dtype=x.dtype)),
                    [(2, 3), (3,)], call=np.clip, then=(0.5,))
    crossing = [[-1.0, 2.5, 4.0], [3.0], [2.0]]  # bounds that cross: the upper one wins
    yield from rows(clamp, "clip", crossing, call=np.clip)


def kinks() -> Iterator[Row]:
    """Where a function has no slope of its own, the choices of the table; and at zero, powers."""
    zeros = [0.0, -0.0]
    for function, theirs in (
        (np.absolute, "abs"), (np.sign, "sign"), (np.linalg.norm, "linalg.vector_norm"),
        (F.relu, "relu"), (F.leaky_relu, "nn.functional.leaky_relu"),
    ):
        yield from rows(function, theirs, [zeros], name=f"{function.__name__} at 0", smooth=False)
    yield from rows(F.elu, "nn.functional.elu", [zeros], then=(2.0,), smooth=False)
    yield from rows(np.linalg.norm, "linalg.vector_norm", [zeros], then=(3,), smooth=False)
    yield from rows(np.arctan2, "atan2", [zeros, zeros], name="arctan2 at 0", smooth=False)
    for name in ("maximum", "minimum"):
        yield from rows(getattr(np, name), name, [zeros, [0.0, 1.0]], name=f"np.{name}, a tie",
                        smooth=False)
        yield from rows(getattr(np, name), name, [[math.nan, 1.0], [1.0, math.nan]],
                        name=f"np.{name}, NaN", smooth=False)
    yield from rows(np.clip, "clip", [[0.0, 1.0, math.nan]], then=(0, 1), smooth=False)
    yield from rows(np.std, lambda x: torch.std(x, correction=0), [[2.0, 2.0, 2.0]], smooth=False)
    ties = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 0.0, 1.0]]
    for name in ("max", "min", "ptp"):
        for form in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)}):
            yield from rows(getattr(np, name), name, [ties], smooth=False, **form)
    for e in (0, 1, 2, 3, 2.0):
        yield from rows(np.power, ..., [zeros], call=operator.pow, then=(e,))
    yield from rows(np.power, "pow", [[0.0, 0.0, 2.0], [2.0, 0.0, 0.0]], smooth=False,
                    name="power, a base or exponent of 0")
    yield from rows(np.power, ..., [[2.0, 3.0]], call=lambda x: 0.0**x)
    yield from rows(np.linalg.norm, "linalg.vector_norm", [[1.0, -1.0, 0.0]], then=(np.inf,),
                    smooth=False)
