"""The one table of operations: a row for each way to call each function that has a derivative.

A row is a call as a learner writes it, the inputs to call it with, what PyTorch calls the same, and
other ways to write it. `test_operations` runs every row on arrays, on tensors and through PyTorch,
and compares; a rule that no row reaches fails there.

    Row(np.sum, "np.sum(x, axis=1)", [(2, 3)], "torch.sum(x, 1)", also=["x.sum(1)"])

`x`, `y` and `z` are the inputs, drawn for the shapes given, or arrays as they stand. Further names
are those of `NAMES`; PyTorch is given its own tensors of the arrays there.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import types
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad import functional as F
from minigrad.definitions.elementwise import clamp
from minigrad.engine import rules

try:
    import torch
except ImportError:  # the rows can be run without it
    torch = None  # type: ignore[assignment]


NUMPY = tuple(map(int, np.__version__.split(".")[:2]))


class Row(NamedTuple):
    """One way to call a function.

    Attributes:
        function: the function whose entry in the table of derivatives this is about.
        call: the expression.
        inputs: an array, or a shape to draw one for, for each of x, y, z.
        torch: the same for PyTorch's tensors; None where it has nothing like it.
        also: expressions that mean the same.
        order: how often finite differences can follow it: 2, or 0 at a kink.
        domain: where inputs are drawn from, one for all or one for each; see `DOMAINS`.
    """

    function: Callable
    call: str
    inputs: Sequence[Any]
    torch: str | None = None
    also: Sequence[str] = ()
    order: int = 2
    domain: Any = "any"

    def __str__(self) -> str:
        shapes = [i if isinstance(i, tuple) else np.shape(i) for i in self.inputs]
        return f"{self.call} {shapes}".replace(" ", "")

    def arrays(self) -> list[np.ndarray]:
        """The inputs, in float64; the same ones every time."""
        rng = np.random.default_rng(zlib.crc32(str(self).encode()))
        domains = self.domain if isinstance(self.domain, tuple) else (self.domain,) * 3
        return [
            np.array(DOMAINS[d](rng, i) if isinstance(i, tuple) else i, dtype=np.float64)
            for i, d in zip(self.inputs, domains)
        ]


def run(expression: str, inputs: Sequence[Any]) -> list[Any]:
    """The results of an expression, as a list. The inputs say for which library, and in which dtype."""
    array = next(x for x in inputs if hasattr(x, "dtype"))  # others may be lists
    names = _names("torch" if type(array).__module__ == "torch" else "numpy", array.dtype)
    result = eval(_compiled(expression), names | dict(zip("xyz", inputs)))
    return list(result) if isinstance(result, (list, tuple)) else [result]


@functools.cache
def _names(library: str, dtype: Any) -> dict[str, Any]:
    def converted(a: Any) -> Any:
        if not isinstance(a, np.ndarray):
            return a
        real = a.dtype == np.float64
        if library == "torch":
            return torch.tensor(a, dtype=dtype if real else None)
        return a.astype(dtype) if real else a

    return {name: converted(value) for name, value in NAMES.items()}


@functools.cache
def _compiled(expression: str) -> Any:
    return compile(expression.strip(), f"<{expression}>", "eval")


def numbers(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Fixed numbers in no order, neither near zero nor, in pairs, near each other."""
    n = np.arange(math.prod(shape))
    return (np.sin(2.3 * n + seed) + 1.1 * (-1.0) ** n).reshape(shape)


def product(xs: Iterable[Any], ys: Iterable[Any]) -> Any:
    """The sum of the products of all elements of two lists of arrays."""
    return sum(((x * y).sum() for x, y in zip(xs, ys)), 0.0)


def slope(f: Callable, arrays: Sequence[Any], direction: Sequence[Any], step: float = 1e-3) -> Any:
    """The derivative of `f` along a direction: central differences that are exact to fourth order."""

    def at(t: float) -> Any:
        return f([a + t * d for a, d in zip(arrays, direction)])

    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


# Functions of a generator and a shape. Those that keep off certain numbers do so because a function
# is not defined there, or has a kink that finite differences must not straddle.
DOMAINS: dict[str, Callable] = {
    "any": lambda rng, shape: rng.standard_normal(shape),
    "positive": lambda rng, shape: rng.uniform(0.3, 2.0, shape),
    "not zero": lambda rng, shape: rng.uniform(0.3, 2.0, shape) * rng.choice([-1, 1], shape),
    "unit": lambda rng, shape: rng.uniform(-0.8, 0.8, shape),
    "above one": lambda rng, shape: rng.uniform(1.2, 3.0, shape),
    "between": lambda rng, shape: rng.integers(-3, 3, shape) + rng.uniform(0.1, 0.4, shape),
    "halves": lambda rng, shape: rng.choice([-1.0, -0.5, 0.5, 1.0], shape),
    "apart": lambda rng, shape: rng.permuted(np.arange(math.prod(shape)) - 2.0).reshape(shape) / 2,
    "of different sizes": lambda rng, shape: (
        rng.permuted(np.sqrt(np.arange(1.0, 1 + math.prod(shape)))).reshape(shape)
        * rng.choice([-1, 1], shape)
    ),
    "regular": lambda rng, shape: rng.uniform(-0.5, 0.5, shape) + 2 * np.eye(shape[-1]),
    "regular, apart": lambda rng, shape: (
        rng.uniform(-0.4, 0.4, shape) + np.eye(*shape[-2:]) * np.arange(1.0, 1 + shape[-1])
    ),
}


def reduction(torch_of: Callable) -> Callable:
    """A reduction of PyTorch's, made to take `axis` and `keepdims` as NumPy's do."""

    def with_axis(x, axis=None, keepdims=False, **options):
        axes = tuple(range(x.ndim)) if axis is None else axis
        axes = axes if isinstance(axes, tuple) else (axes,)
        return torch_of(x, axes, keepdims, **options) if axes else x + 0

    return with_axis


def one_axis_at_a_time(torch_of: Callable) -> Callable:
    def over_axes(x, axes, keep):
        for axis in sorted((a % x.ndim for a in axes), reverse=True):
            x = torch_of(x, axis, keep)
        return x

    return over_axes


def nan_variance(x, axes, keep):
    deviation = torch.where(x.isnan(), 0, x - x.nanmean(axes, keepdim=True))
    return (deviation**2).sum(axes, keep) / (~x.isnan()).sum(axes, keep)


like = types.SimpleNamespace(
    sum=reduction(lambda x, axes, keep: torch.sum(x, axes, keep)),
    mean=reduction(lambda x, axes, keep: torch.mean(x, axes, keep)),
    prod=reduction(one_axis_at_a_time(lambda x, axis, keep: torch.prod(x, axis, keep))),
    max=reduction(lambda x, axes, keep: torch.amax(x, axes, keep)),
    min=reduction(lambda x, axes, keep: torch.amin(x, axes, keep)),
    amax=reduction(lambda x, axes, keep: torch.amax(x, axes, keep)),
    amin=reduction(lambda x, axes, keep: torch.amin(x, axes, keep)),
    ptp=reduction(lambda x, axes, keep: torch.amax(x, axes, keep) - torch.amin(x, axes, keep)),
    var=reduction(lambda x, axes, keep, ddof=0: torch.var(x, axes, correction=ddof, keepdim=keep)),
    std=reduction(lambda x, axes, keep, ddof=0: torch.std(x, axes, correction=ddof, keepdim=keep)),
    nanvar=reduction(lambda x, axes, keep: nan_variance(x, axes, keep)),
    lower=lambda x: torch.tril(x) + torch.tril(x, -1).mT,  # all that NumPy reads of it, symmetric
    norm=reduction(lambda x, axes, keep, ord=2: torch.linalg.vector_norm(x, ord, axes, keep)),  # noqa: A006
    matrix_norm=reduction(lambda x, axes, keep, ord: torch.linalg.matrix_norm(x, ord, axes, keep)),  # noqa: A006
)


C = np.array([True, False, True])
MASK = np.array([[True, False, True], [False, False, True]])
NAMES: dict[str, Any] = {
    "np": np,
    "F": F,
    "rules": rules,
    "torch": torch,
    "like": like,
    "math": math,
    "C": C,
    "MASK": MASK,
    "NONE": np.zeros((2, 3), bool),
    "ROWS": np.array([1, 0, 1, 1]),
    "COLUMNS": np.array([[2], [0]]),
    "ALONG": np.array([[2, 0], [1, 1]]),
    "A": np.array([[0.5, -1.5, 2.5], [1.0, 3.0, -2.0]]),
    "TARGETS": np.array([2, 0]),
    "YES": np.array([[1.0, 0.0, 0.25], [0.0, 1.0, 1.0]]),
}


# --- elementwise ----------------------------------------------------------------------------------

SHAPES = [(), (2, 3), (0, 3), (2, 1, 2, 1, 2)]
PAIRS = [
    [(2, 3), (2, 3)], [(2, 3), (3,)], [(2, 1), (1, 3)], [(), (3,)], [(2, 3), ()], [(1,), ()],
    [(0, 3), (1, 3)], [(4, 1, 3), (2, 1)], [(2, 1, 2, 1, 3), (2, 1, 1)],
]  # fmt: skip


def elementwise() -> Iterator[Row]:
    """Functions of one argument, of two, and the operators."""
    unary = {
        "positive": "any", "negative": "any", "square": "any", "exp": "any", "exp2": "any",
        "expm1": "any", "sin": "any", "cos": "any", "arctan": "any", "sinh": "any", "cosh": "any",
        "tanh": "any", "arcsinh": "any", "deg2rad": "any", "rad2deg": "any",
        "reciprocal": "not zero", "absolute": "not zero", "sign": "not zero",
        "sqrt": "positive", "log": "positive", "log2": "positive", "log10": "positive",
        "log1p": "positive", "arccosh": "above one",
        "tan": "unit", "arcsin": "unit", "arccos": "unit", "arctanh": "unit",
        "floor": "between", "ceil": "between", "trunc": "between", "round": "between",
    }  # fmt: skip
    for name, domain in unary.items():
        also = [f"x.{name}()"] if name == "round" else []
        for shape in SHAPES:
            yield Row(
                getattr(np, name), f"np.{name}(x)", [shape], f"torch.{name}(x)", also, domain=domain
            )
    others = {
        "cbrt": "torch.sign(x) * torch.abs(x) ** (1 / 3)", "fabs": "torch.abs(x)",
        "radians": "torch.deg2rad(x)", "degrees": "torch.rad2deg(x)", "copy": "torch.clone(x)",
        "nan_to_num": "torch.nan_to_num(x)", "rint": "torch.round(x)", "around": "torch.round(x)",
    }  # fmt: skip
    for name, torch_call in others.items():
        domain = "between" if name in ("rint", "around") else "not zero"
        for shape in SHAPES:
            yield Row(getattr(np, name), f"np.{name}(x)", [shape], torch_call, domain=domain)
    yield Row(np.copy, "x.copy()", [(2, 3)], "x.clone()")
    yield Row(np.round, "np.round(x, 1)", [(3,)], "torch.round(x, decimals=1)", ["x.round(1)"], 0)
    yield Row(np.absolute, "abs(x)", [(2, 3)], "abs(x)", ["np.abs(x)"], domain="not zero")
    yield Row(np.negative, "-x", [(2, 3)], "-x")
    yield Row(np.positive, "+x", [(2, 3)], "+x")
    yield Row(np.nan_to_num, "np.nan_to_num(x, nan=2.0, posinf=3.0)",
              [[math.nan, math.inf, -1.0]], "torch.nan_to_num(x, 2.0, 3.0)", order=0)  # fmt: skip
    yield Row(rules.astype, "x.astype(np.float64)", [(2, 3)], "x.to(torch.float64)")

    binary = {
        "add": ("+", "any"), "subtract": ("-", "any"), "multiply": ("*", "any"),
        "divide": ("/", "not zero"), "power": ("**", ("positive", "any")), "logaddexp": (None, "any"),
        "logaddexp2": (None, "any"), "copysign": (None, "not zero"),
        "arctan2": (None, "not zero"), "hypot": (None, "not zero"),
        "float_power": (None, ("positive", "any")), "maximum": (None, ("between", "halves")),
        "minimum": (None, ("between", "halves")), "mod": ("%", ("between", "halves")),
        "fmod": (None, ("between", "halves")), "floor_divide": ("//", ("between", "halves")),
    }  # fmt: skip
    torch_names = {"power": "pow", "mod": "remainder", "arctan2": "atan2"}
    for name, (sign, domain) in binary.items():
        also = [f"x {sign} y"] if sign else []
        for shapes in PAIRS:
            torch_call = f"torch.{torch_names.get(name, name)}(x, y)"
            if name == "floor_divide":  # PyTorch has no gradient for it, rather than zero
                torch_call = "torch.floor_divide(x, y).detach() + 0 * (x + y)"
            yield Row(
                getattr(np, name), f"np.{name}(x, y)", shapes, torch_call, also, domain=domain
            )
        if sign and name != "floor_divide":
            base = "above one"
            yield Row(getattr(np, name), f"x {sign} 2", [(2, 3)], f"x {sign} 2", domain=base)
            yield Row(getattr(np, name), f"7.5 {sign} x", [(2, 3)],
                      f"torch.tensor(7.5, dtype=x.dtype) {sign} x", domain=base)  # fmt: skip
            yield Row(getattr(np, name), f"x {sign} A", [(3,)], f"x {sign} A", domain=base)
            yield Row(getattr(np, name), f"abs(A) {sign} x", [(3,)], f"abs(A) {sign} x",
                      domain=base)  # fmt: skip
    for exponent in (-2, -1.5, -1, 0, 0.5, 1, 1.5, 2, 3, 3.0):
        yield Row(np.power, f"x ** {exponent}", [(2, 3)], f"x ** {exponent}",
                  [f"np.power(x, {exponent})"], domain="positive")  # fmt: skip
        yield Row(np.power, f"x ** np.full(3, {exponent}, x.dtype)", [(2, 3)], f"x ** {exponent}",
                  domain="positive")  # fmt: skip
    for exponent in (-3, 0, 1, 2, 5):
        yield Row(np.power, f"x ** {exponent}.0", [(2, 3)], f"x ** {exponent}", domain="not zero")
    yield Row(np.subtract, "x - x", [(3,)], "x - x")
    yield Row(np.multiply, "x * x", [(3,)], "x * x")

    for shapes in PAIRS:
        if np.broadcast_shapes(*shapes)[-1:] == (3,):
            yield Row(np.where, "np.where(C, x, y)", shapes, "torch.where(C, x, y)")
    yield Row(np.where, "np.where(MASK, x, 0.5)", [(3,)], "torch.where(MASK, x, 0.5)")
    yield Row(np.where, "np.where(MASK, 2, x)", [(2, 1)], "torch.where(MASK, 2.0, x)")
    yield Row(np.where, "np.where(x > 0, x, -x)", [(2, 3)], "torch.where(x > 0, x, -x)",
              domain="not zero")  # fmt: skip
    yield Row(np.where, "np.where(True, x, y)", [(), (2,)], "torch.where(torch.tensor(True), x, y)")
    yield Row(np.select, "np.select([x > 1, x > 0], [x * x, y], 0.5)", [(2, 3), (3,)],
              "torch.where(x > 1, x * x, torch.where(x > 0, y, 0.5))", domain="not zero")  # fmt: skip

    for call, torch_call in {
        "np.clip(x, -0.5, 0.5)": "torch.clip(x, -0.5, 0.5)",
        "np.clip(x, None, 0.5)": "torch.clip(x, None, 0.5)",
        "np.clip(x, -0.5, None)": "torch.clip(x, -0.5, None)",
    }.items():
        for shape in SHAPES:
            yield Row(np.clip, call, [shape], torch_call, [call.replace("np.clip(x, ", "x.clip(")],
                      domain="between")  # fmt: skip
    yield Row(np.clip, "np.clip(x, a_min=-0.5, a_max=0.5)", [(4,)], "torch.clip(x, -0.5, 0.5)")
    yield Row(clamp, "np.clip(x, y, z)", [(2, 3), (3,), ()], "torch.clip(x, y, z)",
              domain=("any", "unit", "above one"))  # fmt: skip
    yield Row(clamp, "np.clip(x, y, 0.5)", [(2, 3), (3,)],
              "torch.clip(x, y, torch.tensor(0.5, dtype=x.dtype))")  # fmt: skip
    yield Row(clamp, "np.clip(x, y, z)", [[-1.0, 2.5, 4.0], [3.0], [2.0]],
              "torch.clip(x, y, z)")  # bounds that cross: the upper one wins  # fmt: skip


def kinks() -> Iterator[Row]:
    """Where a function has no slope of its own, the choices of the table; and at zero, powers."""
    zeros = [0.0, -0.0]
    yield Row(np.absolute, "np.absolute(x)", [zeros], "torch.abs(x)", order=0)
    yield Row(np.sign, "np.sign(x)", [zeros], "torch.sign(x)", order=0)
    yield Row(np.arctan2, "np.arctan2(x, y)", [zeros, zeros], "torch.atan2(x, y)", order=0)
    for name in ("maximum", "minimum"):
        for x, y in (([0.0, 0.0], [0.0, 1.0]), ([math.nan, 1.0], [1.0, math.nan])):
            yield Row(getattr(np, name), f"np.{name}(x, y)", [x, y], f"torch.{name}(x, y)", order=0)
    yield Row(np.clip, "np.clip(x, 0, 1)", [[0.0, 1.0, math.nan]], "torch.clip(x, 0, 1)", order=0)
    yield Row(np.linalg.norm, "np.linalg.norm(x)", [zeros], "torch.linalg.vector_norm(x)", order=0)
    yield Row(np.linalg.norm, "np.linalg.norm(x, 3)", [zeros], "torch.linalg.vector_norm(x, 3)",
              order=0)  # fmt: skip
    yield Row(np.std, "np.std(x)", [[2.0, 2.0, 2.0]], "torch.std(x, correction=0)", order=0)
    ties = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 0.0, 1.0]]
    for name in ("max", "min", "ptp"):
        for form in ("", ", axis=0", ", axis=1, keepdims=True", ", axis=(0, 1)"):
            yield Row(getattr(np, name), f"np.{name}(x{form})", [ties], f"like.{name}(x{form})",
                      order=0)  # fmt: skip
    for exponent in (0, 1, 2, 3, 2.0):
        yield Row(np.power, f"x ** {exponent}", [zeros], f"x ** {exponent}")
    yield Row(np.power, "np.power(x, y)", [[0.0, 0.0, 2.0], [2.0, 0.0, 0.0]], "torch.pow(x, y)",
              order=0)  # fmt: skip
    yield Row(np.power, "0.0 ** x", [[2.0, 3.0]], "torch.pow(0.0, x)")
    yield Row(np.linalg.norm, "np.linalg.norm(x, np.inf)", [[1.0, -1.0, 0.0]],
              "torch.linalg.vector_norm(x, math.inf)", order=0)  # fmt: skip
    yield Row(F.relu, "F.relu(x)", [zeros], "torch.relu(x)", order=0)
    yield Row(
        F.leaky_relu, "F.leaky_relu(x)", [zeros], "torch.nn.functional.leaky_relu(x)", order=0
    )
    yield Row(F.elu, "F.elu(x, 2.0)", [zeros], "torch.nn.functional.elu(x, 2.0)", order=0)


# --- reductions -----------------------------------------------------------------------------------

FORMS = [
    "", ", axis=0", ", axis=-1", ", axis=(0, 2)", ", axis=(-1, 0), keepdims=True",
    ", axis=1, keepdims=True", ", keepdims=True", ", axis=(0, 1, 2)",
]  # fmt: skip


def a_reduction(function: Callable, name: str, forms: Iterable[str], **options) -> Iterator[Row]:
    method = name.startswith("np.") and name not in (
        "np.linalg.norm",
        "np.ptp",
        "np.amax",
        "np.amin",
    )
    for form in forms:
        also = [f"x.{name[3:]}({form[2:]})"] if method else []
        torch_call = f"like.{name.split('.')[-1]}(x{form})"
        yield Row(function, f"{name}(x{form})", [(2, 3, 4)], torch_call, also, **options)
        if "(" not in form:
            yield Row(function, f"{name}(x{form})", [(1, 3)], torch_call, also, **options)


def reducing() -> Iterator[Row]:
    for function in (np.sum, np.mean, np.prod, np.max, np.min, np.amax, np.amin):
        name = function.__name__
        domain = "any" if function in (np.sum, np.mean, np.prod) else "apart"
        yield from a_reduction(function, f"np.{name}", [*FORMS, ", axis=()"], domain=domain)
        yield Row(function, f"np.{name}(x)", [()], f"like.{name}(x)")
        yield Row(function, f"np.{name}(x)", [(1,)], f"like.{name}(x)")
        yield Row(function, f"np.{name}(a=x, axis=1)", [(2, 3)], f"like.{name}(x, axis=1)")
        yield Row(function, f"np.{name}(x, 1, None)", [(2, 3)], f"like.{name}(x, axis=1)")
    for function in (np.sum, np.prod):
        name = function.__name__
        for form in ("", ", axis=0", ", axis=1, keepdims=True"):
            for shape in ((0, 3), (2, 0)):
                yield Row(function, f"np.{name}(x{form})", [shape], f"like.{name}(x{form})")
    for function in (
        np.sum,
        np.prod,
        np.max,
        np.min,
        np.cumprod,
    ):  # a number has an axis 0 for these
        last = "torch.cumprod(x.reshape(1), 0)" if function is np.cumprod else "1 * x"
        yield Row(function, f"np.{function.__name__}(x, axis=0)", [()], last)
    gaps = [[math.nan, 2.0, -3.0], [0.5, math.nan, math.nan]]
    for form in ("", ", axis=0", ", axis=1", ", axis=1, keepdims=True"):
        torch_form = form.replace("axis", "dim").replace("keepdims", "keepdim")
        for name in ("nansum", "nanmean"):
            yield Row(getattr(np, name), f"np.{name}(x{form})", [gaps],
                      f"torch.{name}(x{torch_form})", order=0)  # fmt: skip
            yield Row(getattr(np, name), f"np.{name}(x{form})", [(2, 3)],
                      f"torch.{name}(x{torch_form})")  # fmt: skip
    for function in (np.mean, np.max):
        name = function.__name__
        yield Row(function, f"np.{name}(x, axis=1)", [(0, 3)], f"like.{name}(x, axis=1)")
    yield Row(np.sum, "np.add.reduce(x)", [(2, 3)], "torch.sum(x, 0)")
    yield Row(np.sum, "np.add.reduce(x, axis=(0, 1), keepdims=True)", [(2, 3)],
              "torch.sum(x, (0, 1), True)")  # fmt: skip
    yield Row(np.prod, "np.multiply.reduce(x, axis=1)", [(2, 3)], "torch.prod(x, 1)")
    yield Row(np.max, "np.maximum.reduce(x, axis=1)", [(2, 3)], "torch.amax(x, 1)")
    yield Row(np.min, "np.minimum.reduce(x)", [(2, 3)], "torch.amin(x, 0)")
    yield Row(np.cumsum, "np.add.accumulate(x)", [(2, 3)], "torch.cumsum(x, 0)")
    yield Row(np.cumprod, "np.multiply.accumulate(x, axis=1)", [(2, 3)], "torch.cumprod(x, 1)")
    yield Row(np.subtract, "np.subtract.outer(x, y)", [(2, 3), (4,)], "x[..., None] - y")
    yield Row(np.sum, "np.sum(x, dtype=np.float64)", [(2, 3)], "torch.sum(x, dtype=torch.float64)")

    zero = [[0.0, 2.0, 3.0], [0.0, 0.0, 1.5], [1.0, -2.0, 0.5]]
    for form in ("", ", axis=0", ", axis=1"):
        yield Row(np.prod, f"np.prod(x{form})", [zero], f"like.prod(x{form})")
    for axis in (0, 1, -1):
        yield Row(np.cumprod, f"np.cumprod(x, axis={axis})", [zero], f"torch.cumprod(x, {axis})")
    for name in ("cumsum", "cumprod"):
        function = getattr(np, name)
        for shape in ((), (3,), (2, 3), (0, 3), (1, 1)):
            yield Row(function, f"np.{name}(x)", [shape], f"torch.{name}(x.reshape(-1), 0)",
                      [f"x.{name}()"])  # fmt: skip
        for axis in (0, 1, -1):
            for shape in ((2, 3, 4), (2, 0)):
                yield Row(function, f"np.{name}(x, axis={axis})", [shape],
                          f"torch.{name}(x, {axis})", [f"x.{name}({axis})"])  # fmt: skip
        yield Row(function, f"np.{name}(x)", [(7,)], f"torch.{name}(x, 0)")

    for name in ("var", "std"):
        function = getattr(np, name)
        yield from a_reduction(function, f"np.{name}", [f for f in FORMS if "(0, 1, 2)" not in f],
                               domain="apart")  # fmt: skip
        for form in (", ddof=1", ", axis=1, ddof=1", ", axis=(0, 1), ddof=2, keepdims=True"):
            yield Row(function, f"np.{name}(x{form})", [(3, 4)], f"like.{name}(x{form})",
                      [f"x.{name}({form[2:]})"])  # fmt: skip
        yield Row(function, f"np.{name}(x, 0, None, None, 1)", [(3, 4)],
                  f"like.{name}(x, 0, ddof=1)")  # fmt: skip
    yield from a_reduction(np.ptp, "np.ptp", FORMS, domain="apart")
    yield from a_reduction(np.linalg.norm, "np.linalg.norm", [f for f in FORMS if "(" not in f])
    yield Row(np.linalg.norm, "np.linalg.norm(x)", [(2, 3)], "torch.linalg.matrix_norm(x)",
              ["np.linalg.norm(x, 'fro')", "np.linalg.norm(x, axis=(0, 1))"])  # fmt: skip
    for order in (0, 1, 1.5, 2, 3, "np.inf", "-np.inf"):
        torch_order = str(order).replace("np", "math")
        for form in (", axis=1", ", axis=0, keepdims=True"):
            yield Row(np.linalg.norm, f"np.linalg.norm(x, {order}{form})", [(2, 3)],
                      f"like.norm(x, ord={torch_order}{form})" + " + 0 * x.sum()" * (order == 0),
                      domain="of different sizes")  # fmt: skip
    for order in (1, -1, "np.inf", "-np.inf"):
        torch_order = str(order).replace("np", "math")
        for form in (", axis=(0, 1)", ", axis=(2, 0)", ", axis=(-2, -1), keepdims=True"):
            yield Row(np.linalg.norm, f"np.linalg.norm(x, {order}{form})", [(2, 3, 4)],
                      f"like.matrix_norm(x, ord={torch_order}{form})",
                      domain="of different sizes")  # fmt: skip

    for form in ("", ", axis=0", ", axis=-1", ", axis=(0, 1), keepdims=True"):
        yield Row(np.median, f"np.median(x{form})", [(3, 4)], domain="apart")
        yield Row(np.median, f"np.median(x{form})", [(3, 3)], domain="apart")
    for form in ("", ", axis=0", ", axis=1, keepdims=True"):
        yield Row(np.average, f"np.average(x{form})", [(2, 3)], f"like.mean(x{form})")
        yield Row(np.average, f"np.average(x{form}, weights=y)", [(2, 3), (2, 3)],
                  f"like.sum(x * y{form}) / like.sum(y{form})", domain="positive")  # fmt: skip
    yield Row(np.average, "np.average(x, (2, 0), y)", [(2, 3, 4), (4, 2)],
              "(x * y.mT[:, None]).sum((0, 2)) / y.sum()", domain="positive")  # fmt: skip
    yield Row(np.average, "np.average(x, -1, y)", [(2, 3), (3,)], "(x * y).sum(1) / y.sum()",
              domain="positive")  # fmt: skip
    yield Row(np.trapezoid, "np.trapezoid(x)", [(2, 3)], "torch.trapezoid(x)")
    yield Row(np.trapezoid, "np.trapezoid(x, dx=0.5, axis=0)", [(2, 3)],
              "torch.trapezoid(x, dx=0.5, dim=0)")  # fmt: skip
    yield Row(np.trapezoid, "np.trapezoid(x, y, axis=0)", [(2, 3), (2,)],
              "torch.trapezoid(x, y[:, None], dim=0)")  # fmt: skip
    yield Row(np.trapezoid, "np.trapezoid(x, y)", [(2, 3), (3,)], "torch.trapezoid(x, y)")
    yield Row(np.trapezoid, "np.trapezoid(x, y, axis=0)", [(2, 3), (2, 3)],
              "torch.trapezoid(x, y, dim=0)")  # fmt: skip
    for form in ("", ", n=2", ", axis=0", ", n=0", ", n=3, axis=-1"):
        torch_form = form.replace("axis", "dim")
        yield Row(np.diff, f"np.diff(x{form})", [(3, 4)], f"torch.diff(x{torch_form})")
    for form in ("", ", axis=0", ", axis=-1", ", axis=-2, kind='stable'"):
        axis = 0 if "0" in form or "-2" in form else -1
        yield Row(np.sort, f"np.sort(x{form})", [(3, 4)], f"torch.sort(x, dim={axis})[0]")
    yield Row(np.sort, "np.sort(x, axis=None)", [(3, 4)], "torch.sort(x.reshape(-1))[0]")


# --- linear algebra -------------------------------------------------------------------------------

PRODUCTS = [
    [(3,), (3,)], [(2, 3), (3,)], [(3,), (3, 2)], [(2, 3), (3, 4)], [(5, 2, 3), (3,)],
    [(3,), (5, 3, 2)], [(5, 2, 3), (3, 4)], [(2, 3), (5, 3, 4)], [(5, 2, 3), (5, 3, 4)],
    [(2, 1, 2, 3), (5, 3, 4)], [(1, 2, 3), (4, 3, 2)], [(4, 2, 3), (1, 3, 2)], [(1, 1), (1, 1)],
    [(0, 3), (3, 2)], [(2, 0), (0, 3)], [(2, 3), (3, 0)], [(0,), (0,)], [(0, 2, 3), (3,)],
    [(2, 2, 0), (0, 3)], [(2, 2, 0), (0,)], [(0, 2, 3), (3, 4)],
]  # fmt: skip

EINSUMS = {
    "ij,jk->ik": [(2, 3), (3, 4)],
    "ij,jk": [(2, 3), (3, 4)],
    "ba": [(2, 3)],
    "ij->ji": [(2, 3)],
    "ij->": [(2, 3)],
    "ij->j": [(2, 3)],
    "ii": [(3, 3)],
    "ii->i": [(3, 3)],
    "iij->ij": [(2, 2, 3)],
    "iji->j": [(2, 3, 2)],
    "iii->i": [(2, 2, 2)],
    "iijj->ij": [(2, 2, 3, 3)],
    "iij,jk->ik": [(2, 2, 3), (3, 4)],
    "ii,jj->ij": [(2, 2), (3, 3)],
    "ii,ij->j": [(2, 2), (2, 3)],
    "i,i": [(3,), (3,)],
    "i,i->i": [(3,), (3,)],
    "i, i->i": [(1,), (3,)],  # a size of 1 is broadcast
    "ij, jk->ik": [(2, 1), (3, 4)],
    "ij, ij->": [(1, 3), (2, 1)],
    "ii, i->i": [(1, 1), (3,)],
    "i,j->ij": [(2,), (3,)],
    "i,j->j": [(2,), (3,)],
    "ij,kl->l": [(2, 3), (2, 2)],
    "ij,j->i": [(2, 3), (3,)],
    "bij,bjk->bik": [(2, 2, 3), (2, 3, 4)],
    "bhqd,bhkd->bhqk": [(2, 2, 3, 2), (2, 2, 4, 2)],
    "ij,jk,kl->il": [(2, 3), (3, 4), (4, 2)],
    "i,i,i->": [(3,), (3,), (3,)],
    "i,ij,j": [(2,), (2, 3), (3,)],
    "...ij,...jk->...ik": [(2, 2, 3), (3, 4)],
    "...ij,...jk": [(1, 2, 3), (4, 3, 2)],
    "...->...": [(2, 3)],
    "i...->...i": [(2, 3, 2)],
    "...i,...i->...": [(2, 3), (3,)],
    "...i, ...i->...": [(2, 3, 4), (3, 4)],  # as in broadcasting, the last axes belong together
    "i...,i...": [(2, 3), (2, 1)],
    "ij...,jk...->ik...": [(2, 3, 2), (3, 2, 2)],
    "...ii->...i": [(2, 3, 3)],
    "ij,ij->": [(2, 0), (2, 0)],
    "ij,jk->ik ": [(0, 3), (3, 2)],
    ",i->i": [(), (3,)],
    ",": [(), ()],
}


def linear_algebra() -> Iterator[Row]:
    for shapes in PRODUCTS:
        yield Row(np.matmul, "np.matmul(x, y)", shapes, "torch.matmul(x, y)", ["x @ y"])
    yield Row(np.matmul, "x @ A.T", [(3,)], "x @ A.T")
    yield Row(np.matmul, "A @ x", [(3, 2)], "A @ x")
    for shapes in PRODUCTS[:4]:
        yield Row(np.dot, "np.dot(x, y)", shapes, "torch.matmul(x, y)", ["x.dot(y)"])
    yield Row(np.dot, "np.dot(x, y)", [(), (3,)], "x * y")
    yield Row(np.dot, "np.dot(x, y)", [(2, 3), ()], "x * y")
    yield Row(np.dot, "np.dot(x, y)", [(2, 2, 3), (4, 3, 2)], "torch.tensordot(x, y, ([-1], [-2]))")
    yield Row(np.dot, "np.dot(x, y)", [(3,), (4, 3, 2)], "torch.tensordot(x, y, ([-1], [-2]))")
    for shapes in ([(3,), (3,)], [(2, 3), (3,)], [(2, 3), (4, 3)], [(2, 2, 3), (2, 3)]):
        yield Row(np.inner, "np.inner(x, y)", shapes, "torch.inner(x, y)")
    yield Row(np.inner, "np.inner(x, y)", [(), (3,)], "x * y")
    yield Row(np.outer, "np.outer(x, y)", [(2,), (3,)], "torch.outer(x, y)")
    yield Row(np.outer, "np.outer(x, y)", [(2, 2), (3, 1)],
              "torch.outer(x.reshape(-1), y.reshape(-1))")  # fmt: skip
    yield Row(np.outer, "np.outer(x, [1, 2])", [(3,)], "torch.outer(x, torch.tensor([1, 2]))")
    yield Row(np.vdot, "np.vdot(x, y)", [(3,), (3,)], "torch.vdot(x, y)")
    yield Row(
        np.vdot, "np.vdot(x, y)", [(2, 3), (3, 2)], "torch.vdot(x.reshape(-1), y.reshape(-1))"
    )
    for shapes in ([(3,), (3,)], [(2, 3), (3,)], [(2, 1, 3), (4, 3)], [(0, 3), (3,)]):
        yield Row(np.vecdot, "np.vecdot(x, y)", shapes, "torch.linalg.vecdot(x, y)")
    for axes, torch_axes, shapes in (
        ("2", "2", [(2, 3, 4), (3, 4, 2)]),
        ("1", "1", [(2, 3), (3, 2)]),
        ("0", "0", [(2,), (3,)]),
        ("([0], [1])", "([0], [1])", [(3, 2), (2, 3)]),
        ("((0, 1), (1, 0))", "([0, 1], [1, 0])", [(2, 3, 4), (3, 2)]),
        ("(-1, -2)", "([-1], [-2])", [(2, 3), (3, 2)]),
        ("([-1, 0], [0, 1])", "([-1, 0], [0, 1])", [(2, 3, 4), (4, 2)]),
        ("([1, 2], [1, 0])", "([1, 2], [1, 0])", [(2, 3, 0), (0, 3, 2)]),
    ):
        yield Row(np.tensordot, f"np.tensordot(x, y, axes={axes})", shapes,
                  f"torch.tensordot(x, y, {torch_axes})",
                  ["np.tensordot(x, y)"] if axes == "2" else [])  # fmt: skip
    for subscripts, shapes in EINSUMS.items():
        operands = ", ".join("xyz"[: len(shapes)])
        torch_call = f"torch.einsum('{subscripts}', {operands})"
        also = [f"np.einsum('{subscripts}', {operands}, optimize=True)"]
        yield Row(np.einsum, f"np.einsum('{subscripts}', {operands})", shapes, torch_call, also)
    yield Row(np.einsum, "np.einsum('ij,jk->ik', x, A)", [(3, 2)],
              "torch.einsum('ij,jk->ik', x, A)")  # fmt: skip
    yield Row(np.einsum, "np.einsum('i,i->', x, x)", [(3,)], "torch.einsum('i,i->', x, x)")

    for shape in ((3, 3), (2, 4), (4, 2), (1, 1), (0, 3)):
        for k in (0, 1, -2):
            yield Row(np.diagonal, f"np.diagonal(x, {k})", [shape], f"torch.diagonal(x, {k})",
                      [f"x.diagonal({k})"])  # fmt: skip
            yield Row(np.trace, f"np.trace(x, {k})", [shape], f"torch.diagonal(x, {k}).sum()",
                      [f"x.trace(offset={k})"])  # fmt: skip
            for name in ("tril", "triu"):
                yield Row(
                    getattr(np, name), f"np.{name}(x, k={k})", [shape], f"torch.{name}(x, {k})"
                )
        yield Row(np.diag, "np.diag(x, 1)", [shape], "torch.diag(x, 1)")
    for name in ("tril", "triu"):
        yield Row(getattr(np, name), f"np.{name}(x)", [(2, 3, 4)], f"torch.{name}(x)")
    for form in (", 0, 1, 2", ", 1, -1, 0", ", offset=-1, axis1=2, axis2=0"):
        call, torch_form = f"np.diagonal(x{form})", form.replace("axis", "dim")
        yield Row(np.diagonal, call, [(2, 3, 4)], f"torch.diagonal(x{torch_form})")
        yield Row(np.trace, call.replace("diagonal", "trace"), [(2, 3, 4)],
                  f"torch.diagonal(x{torch_form}).sum(-1)")  # fmt: skip
    for k in (0, 1, -2):
        yield Row(np.diag, f"np.diag(x, {k})", [(3,)], f"torch.diag(x, {k})")
        yield Row(np.diagflat, f"np.diagflat(x, {k})", [(2, 2)], f"torch.diagflat(x, {k})")
    for shapes in ([(2, 3), (3, 2)], [(2,), (3,)], [(2, 2), (3,)], [(), (3,)], [(2, 1, 2), (2, 2)],
                   [(2,), (2, 2, 1)], [(0, 2), (2, 2)]):  # fmt: skip
        yield Row(np.kron, "np.kron(x, y)", shapes, "torch.kron(x, y)")

    for shape in ((3, 3), (1, 1), (2, 3, 3), (2, 1, 2, 2), (0, 2, 2)):
        regular: dict[str, Any] = {"domain": "regular"}
        yield Row(np.linalg.inv, "np.linalg.inv(x)", [shape], "torch.linalg.inv(x)", **regular)
        yield Row(np.linalg.det, "np.linalg.det(x)", [shape], "torch.linalg.det(x)", **regular)
        yield Row(np.linalg.det, "np.linalg.det(-x)", [shape], "torch.linalg.det(-x)", **regular)
        yield Row(np.linalg.slogdet, "np.linalg.slogdet(x)[1]", [shape],
                  "torch.linalg.slogdet(x)[1]", ["np.linalg.slogdet(-x).logabsdet"],
                  **regular)  # fmt: skip
        for n in (-2, -1, 0, 1, 2, 3, 5, 6):
            yield Row(np.linalg.matrix_power, f"np.linalg.matrix_power(x, {n})", [shape],
                      f"torch.linalg.matrix_power(x, {n})" + " + 0 * x" * (n == 0),
                      **regular)  # fmt: skip
    solves = [
        [(3, 3), (3,)], [(3, 3), (3, 2)], [(2, 3, 3), (2, 3, 4)], [(2, 3, 3), (3, 2)],
        [(3, 3), (2, 3, 2)], [(2, 1, 2, 2), (3, 2, 1)], [(2, 3, 3), (3,)], [(1, 1), (1,)],
        [(0, 2, 2), (0, 2, 1)],
    ]  # fmt: skip
    for shapes in solves:
        torch_call = "torch.linalg.solve(x, y)"
        if len(shapes[1]) == 1:  # PyTorch reads a batch of vectors where it can
            torch_call = "torch.linalg.solve(x, y[:, None])[..., 0]"
        yield Row(np.linalg.solve, "np.linalg.solve(x, y)", shapes, torch_call,
                  domain=("regular", "any"))  # fmt: skip
    yield Row(np.linalg.multi_dot, "np.linalg.multi_dot([x, y])", [(2, 3, 4), (4,)],
              "x @ y")  # fmt: skip
    yield Row(np.linalg.multi_dot, "np.linalg.multi_dot([x, y, z])", [(2, 3), (3, 4), (4,)],
              "torch.linalg.multi_dot([x, y, z])")  # fmt: skip
    for form in ("", ", axis=0", ", axisa=1, axisb=-1, axisc=0"):
        torch_call = {"": "torch.cross(x, y, dim=-1)", ", axis=0": "torch.cross(x, y, dim=0)"}
        yield Row(np.cross, f"np.cross(x, y{form})", [(3, 3), (3, 3)],
                  torch_call.get(form, "torch.cross(x, y, dim=1).T"))  # fmt: skip
    yield Row(np.cross, "np.cross(x, y)", [(2, 3), (3,)], "torch.linalg.cross(x, y.expand(2, 3))")


# --- shapes ---------------------------------------------------------------------------------------


def shaping() -> Iterator[Row]:
    t = (2, 3, 4)
    for shape, also in {
        "(6, 4)": ["x.reshape(6, 4)", "x.reshape((6, -1))"], "-1": ["x.reshape(-1)"],
        "(4, 1, 6)": [], "24": [], "(-1, 1, 8)": [],
    }.items():  # fmt: skip
        yield Row(np.reshape, f"np.reshape(x, {shape})", [t], f"torch.reshape(x, {shape})".replace(
            "x, -1", "x, (-1,)").replace("x, 24", "x, (24,)"), also)  # fmt: skip
    if NUMPY >= (2, 1):
        yield Row(np.reshape, "np.reshape(x, shape=(4, 6))", [t], "x.reshape(4, 6)")
    yield Row(np.reshape, "np.reshape(x, (4, 6), order='F')", [t],
              "x.permute(2, 1, 0).reshape(6, 4).T", ["x.reshape(4, 6, order='F')"])  # fmt: skip
    yield Row(np.reshape, "np.reshape(x, ())", [(1, 1)], "x.reshape(())")
    yield Row(np.reshape, "np.reshape(x, (3, 0))", [(0, 2)], "x.reshape(3, 0)")
    for shape in ((), (3,), t, (0, 2)):
        yield Row(np.ravel, "np.ravel(x)", [shape], "x.reshape(-1)", ["x.ravel()", "x.flatten()"])
    yield Row(np.ravel, "np.ravel(x, order='F')", [t], "x.permute(2, 1, 0).reshape(-1)")
    for form in ("", ", (1, 2, 0)", ", axes=(-1, 0, 1)", ", [2, 1, 0]"):
        axes = {"": "2, 1, 0", ", (1, 2, 0)": "1, 2, 0", ", [2, 1, 0]": "2, 1, 0"}.get(
            form, "2, 0, 1"
        )
        also = ["x.T", "x.transpose()", "x.transpose(2, 1, 0)"] if not form else []
        yield Row(np.transpose, f"np.transpose(x{form})", [t], f"x.permute({axes})", also)
    yield Row(np.transpose, "np.transpose(x)", [()], "x + 0")
    yield Row(np.matrix_transpose, "np.matrix_transpose(x)", [t], "x.mT")
    yield Row(np.linalg.matrix_transpose, "np.linalg.matrix_transpose(x)", [t], "x.mT")
    yield Row(np.swapaxes, "np.swapaxes(x, -1, -2)", [t], "x.mT", ["x.mT", "x.swapaxes(2, 1)"])
    yield Row(np.swapaxes, "np.swapaxes(x, 0, 2)", [t], "x.transpose(0, 2)")
    yield Row(np.moveaxis, "np.moveaxis(x, 0, -1)", [t], "torch.moveaxis(x, 0, -1)")
    yield Row(np.moveaxis, "np.moveaxis(x, (0, 1), (-1, 0))", [t], "x.movedim((0, 1), (-1, 0))")
    yield Row(np.rollaxis, "np.rollaxis(x, 2)", [t], "torch.moveaxis(x, 2, 0)")
    yield Row(np.rollaxis, "np.rollaxis(x, 0, 3)", [t], "torch.moveaxis(x, 0, 2)")
    yield Row(np.rollaxis, "np.rollaxis(x, -1, -2)", [t], "torch.moveaxis(x, 2, 1)")
    for axis in ("0", "-1", "(0, -1)"):
        unsqueezed = "x[None, ..., None]" if "(" in axis else f"torch.unsqueeze(x, {axis})"
        for shape in ((), (3,), (2, 3)):
            yield Row(np.expand_dims, f"np.expand_dims(x, {axis})", [shape], unsqueezed)
    yield Row(np.squeeze, "np.squeeze(x)", [(1, 3, 1)], "torch.squeeze(x)", ["x.squeeze()"])
    yield Row(np.squeeze, "np.squeeze(x, -1)", [(1, 3, 1)], "torch.squeeze(x, -1)")
    yield Row(np.squeeze, "np.squeeze(x, axis=(0, 2))", [(1, 3, 1)], "torch.squeeze(x, (0, 2))")
    for shape, to in (
        ((3,), "(2, 3)"),
        ((2, 1), "(4, 2, 3)"),
        ((), "(2,)"),
        ((1,), "(0,)"),
        ((3,), "3"),
    ):
        torch_to = "(3,)" if to == "3" else to
        yield Row(
            np.broadcast_to, f"np.broadcast_to(x, {to})", [shape], f"x.broadcast_to({torch_to})"
        )
    yield Row(np.broadcast_arrays, "np.broadcast_arrays(x, y)", [(2, 1), (3,)],
              "torch.broadcast_tensors(x, y)")  # fmt: skip
    for form in ("", ", indexing='ij'", ", sparse=True"):
        torch_call = f"torch.meshgrid(x, y, z, indexing='{'ij' if 'ij' in form else 'xy'}')"
        if "sparse" in form:
            torch_call = "x[None, :, None], y[:, None, None], z[None, None, :]"
        yield Row(np.meshgrid, f"np.meshgrid(x, y, z{form})", [(2,), (3,), (2,)], torch_call)
    yield Row(np.full_like, "np.full_like(x, 2.0) * x", [(3,)], "2.0 * x")
    yield Row(np.full_like, "np.full_like(x, x[0])", [(2, 3)], "0 * x + x[0]")

    for axis in (0, 1, -1):
        shapes = {0: [(2, 3), (1, 3)], 1: [(2, 3), (2, 2)], -1: [(2, 3), (2, 0)]}[axis]
        yield Row(np.concatenate, f"np.concatenate([x, y], axis={axis})", shapes,
                  f"torch.cat([x, y], {axis})", [f"np.concat((x, y), {axis})"])  # fmt: skip
    yield Row(np.concatenate, "np.concatenate([x, y, x])", [(2,), (3,)], "torch.cat([x, y, x])")
    yield Row(np.concatenate, "np.concatenate([x, y], axis=None)", [(2, 2), (3,)],
              "torch.cat([x.reshape(-1), y])")  # fmt: skip
    yield Row(np.concatenate, "np.concatenate([A, x])", [(1, 3)], "torch.cat([A, x])")
    yield Row(np.concatenate, "np.concatenate(x, axis=1)", [(2, 3, 2)], "torch.cat(list(x), 1)")
    yield Row(np.append, "np.append(x, y)", [(2, 2), (3,)], "torch.cat([x.reshape(-1), y])")
    yield Row(np.append, "np.append(x, y, axis=1)", [(2, 2), (2, 1)], "torch.cat([x, y], 1)")
    for axis in (0, 1, -1):
        yield Row(np.stack, f"np.stack([x, y], axis={axis})", [(2, 3), (2, 3)],
                  f"torch.stack([x, y], {axis})")  # fmt: skip
    yield Row(np.stack, "np.stack([x, y, x])", [(), ()], "torch.stack([x, y, x])")
    for name in ("hstack", "vstack", "dstack"):
        function = getattr(np, name)
        for shapes in ([(), ()], [(3,), (3,)], [(2, 3), (2, 3)], [(2, 3, 1), (2, 3, 1)]):
            yield Row(function, f"np.{name}([x, y])", shapes, f"torch.{name}([x, y])")
    yield Row(np.vstack, "np.vstack(x)", [(2, 3)], "torch.vstack(list(x))")
    for shapes in ([(3,), (3,)], [(3, 2), (3,)], [(2, 3, 2), (2, 1, 2)], [(), ()]):
        yield Row(np.column_stack, "np.column_stack((x, y))", shapes, "torch.column_stack((x, y))")
    for form, torch_form in (
        ("2", "2"), ("[1, 3]", "(1, 3)"), ("(2,)", "(2,)"), ("[]", None), ("[1, -1]", None),
        ("[0, 5]", None), ("4", "4"),
    ):  # fmt: skip
        for name in ("split", "array_split"):
            torch_call = f"torch.tensor_split(x, {torch_form}, dim=1)" if torch_form else None
            yield Row(getattr(np, name), f"np.{name}(x, {form}, axis=1)", [(2, 4)], torch_call)
    yield Row(np.array_split, "np.array_split(x, 3)", [(7, 2)], "torch.tensor_split(x, 3)")
    yield Row(np.array_split, "np.array_split(x, 4, axis=-1)", [(3,)], "torch.tensor_split(x, 4)")
    yield Row(np.hsplit, "np.hsplit(x, 2)", [(3, 4)], "torch.hsplit(x, 2)")
    yield Row(np.hsplit, "np.hsplit(x, [1])", [(4,)], "torch.hsplit(x, [1])")
    yield Row(np.vsplit, "np.vsplit(x, 2)", [(4, 3)], "torch.vsplit(x, 2)")
    yield Row(np.dsplit, "np.dsplit(x, 2)", [t], "torch.dsplit(x, 2)")

    for form, dims in (
        ("", "(0, 1, 2)"),
        (", 0", "(0,)"),
        (", axis=(0, -1)", "(0, -1)"),
        (", -2", "(1,)"),
    ):
        yield Row(np.flip, f"np.flip(x{form})", [t], f"torch.flip(x, {dims})")
    yield Row(np.fliplr, "np.fliplr(x)", [(2, 3)], "torch.fliplr(x)")
    yield Row(np.flipud, "np.flipud(x)", [(2, 3)], "torch.flipud(x)")
    for form, torch_form in (
        ("2", "2"), ("-5", "-5"), ("1, axis=1", "1, 1"), ("(1, 2), axis=(0, 1)", "(1, 2), (0, 1)"),
        ("[1, 2], axis=(0, -1)", "(1, 2), (0, -1)"), ("0, axis=0", "0, 0"),
    ):  # fmt: skip
        yield Row(np.roll, f"np.roll(x, {form})", [(2, 3)], f"torch.roll(x, {torch_form})")
    yield Row(np.roll, "np.roll(x, 1, axis=(0, 1))", [(2, 3)], "torch.roll(x, (1, 1), (0, 1))")
    yield Row(np.roll, "np.roll(x, 1)", [(0,)], "torch.roll(x, 1)")
    for form in ("", ", 2", ", -1", ", k=3", ", 1, (1, 2)", ", k=1, axes=(2, 0)"):
        torch_form = form.replace("axes", "dims") if form else ", 1"
        torch_form = torch_form if "(" in form else f"{torch_form}, dims=(0, 1)"
        yield Row(np.rot90, f"np.rot90(x{form})", [t], f"torch.rot90(x{torch_form})")
    for reps in ("2", "(2, 3)", "(2, 1, 2)", "0", "[2]", "(1, 1)"):
        torch_reps = reps.strip("([])")
        for shape in ((), (3,), (2, 3)):
            yield Row(np.tile, f"np.tile(x, {reps})", [shape], f"torch.tile(x, ({torch_reps},))")
    for form, torch_form in (
        ("2", "2"), ("2, axis=0", "2, 0"), ("3, axis=-1", "3, -1"), ("0, axis=1", "0, 1"),
        ("[1, 0, 2], axis=1", "torch.tensor([1, 0, 2]), 1"),
        ("np.array([2, 1]), 0", "torch.tensor([2, 1]), 0"),
    ):  # fmt: skip
        yield Row(np.repeat, f"np.repeat(x, {form})", [(2, 3)],
                  f"torch.repeat_interleave(x, {torch_form})", [f"x.repeat({form})"])  # fmt: skip
    yield Row(np.repeat, "np.repeat(x, 3)", [()], "x.repeat(3)")
    for form, torch_form in (
        ("1", "(1, 1, 1, 1)"), ("(1, 2)", "(1, 2, 1, 2)"), ("((0, 1), (2, 0))", "(2, 0, 0, 1)"),
        ("((1, 1), (0, 0)), constant_values=2.5", "(0, 0, 1, 1), value=2.5"),
        ("1, 'edge'", "(1, 1, 1, 1), 'replicate'"), ("(1, 2), mode='wrap'", "(1, 2, 1, 2), 'circular'"),
        ("((1, 0), (2, 1)), 'reflect'", "(2, 1, 1, 0), 'reflect'"), ("2, mode='symmetric'", None),
    ):  # fmt: skip
        torch_call = None
        if torch_form:
            torch_call = f"torch.nn.functional.pad(x[None, None], {torch_form})[0, 0]"
        yield Row(np.pad, f"np.pad(x, {form})", [(2, 3)], torch_call)
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        for shape in ((), (3,), (2, 3), (2, 3, 2)):
            yield Row(getattr(np, name), f"np.{name}(x)", [shape], f"torch.{name}(x)")
        yield Row(getattr(np, name), f"np.{name}(x, y)", [(), (3,)], f"torch.{name}(x, y)")


# --- indexing -------------------------------------------------------------------------------------


def indexing() -> Iterator[Row]:
    basic = [
        "x[0]", "x[-1]", "x[1, 2]", "x[1, 2, -1]", "x[:]", "x[1:]", "x[::2]", "x[:, 1:3]",
        "x[..., 0]", "x[0, ..., 1]", "x[None]", "x[:, None, 1]", "x[...]", "x[()]", "x[5:]",
        "x[np.int64(1)]", "x[..., None]", "x[:, :, -2:]",
    ]  # fmt: skip
    for call in basic:
        yield Row(operator.getitem, call, [(2, 3, 4)], call.replace("np.int64(1)", "1"))
    for call in ("x[::-1]", "x[:, ::-2]", "x[::-1, 2:0:-1]"):  # PyTorch has no negative steps
        yield Row(operator.getitem, call, [(2, 3, 4)])
    yield Row(operator.getitem, "x[()]", [()], "x[()]")
    yield Row(operator.getitem, "x[..., None]", [()], "x[..., None]")
    advanced = [
        "x[ROWS]", "x[[1, 0, 1]]", "x[ROWS, 0]", "x[:, ROWS]", "x[ROWS, ROWS]", "x[..., ROWS]",
        "x[ROWS, :, 0]", "x[COLUMNS, ROWS]", "x[:, COLUMNS]", "x[ROWS[:0]]",
        "x[None, ROWS]", "x[ROWS, 1:]", "x[1:, ROWS]", "x[-ROWS]", "x[ROWS * 2 - 1]", "x[[0], [1], [2]]",
        "x[MASK]", "x[~MASK]", "x[NONE]", "x[MASK, 1]", "x[MASK, ::2]", "x[:, C]", "x[0, C]",
        "x[[True, False]]", "x[C[:2]]", "x[:, C, 1]", "x[ROWS, :, COLUMNS]",
    ]  # fmt: skip
    for call in advanced:
        shape = (3, 3, 4) if "COLUMNS" in call else (2, 3, 4)
        yield Row(operator.getitem, call, [shape], call)
    yield Row(operator.getitem, "x[0, :, ROWS]", [(2, 3, 4)])  # where PyTorch puts the axis last
    yield Row(operator.getitem, "x[COLUMNS, ROWS]", [(3, 3)], "x[COLUMNS, ROWS]")
    yield Row(operator.getitem, "x[x > 0]", [(2, 3)], "x[x > 0]")
    yield Row(operator.getitem, "x[True]", [(2,)], "x[True]")
    yield Row(operator.getitem, "x[False]", [(2,)], "x[False]")
    yield Row(operator.getitem, "x[np.array(1)]", [(2, 3)], "x[torch.tensor(1)]")
    yield Row(operator.getitem, "x[np.array(True)]", [(2, 3)], "x[torch.tensor(True)]")
    yield Row(rules.scatter_add, "rules.scatter_add(x, ROWS, (3, 2))", [(4, 2)],
              "torch.zeros(3, 2, dtype=x.dtype).index_add(0, ROWS, x)")  # fmt: skip
    yield Row(rules.scatter_add, "rules.scatter_add(x, (slice(0, 1), ROWS), (2, 3))", [(1, 4)])

    for form, torch_index in (
        ("ROWS, axis=0", "ROWS"), ("ROWS, 1", ":, ROWS"), ("COLUMNS, -1", "..., COLUMNS"),
        ("1, axis=1", ":, 1"), ("[0, 0], axis=0", "[0, 0]"), ("(0, -1), axis=2", "..., [0, -1]"),
    ):  # fmt: skip
        yield Row(np.take, f"np.take(x, {form})", [(2, 3, 4)], f"x[{torch_index}]",
                  [f"x.take({form})"])  # fmt: skip
    yield Row(np.take, "np.take(x, [True, False, True], axis=1)", [(2, 3)], "x[:, [1, 0, 1]]")
    yield Row(np.take, "np.take(x, ALONG)", [(2, 3)], "x.reshape(-1)[ALONG]")
    yield Row(np.take, "np.take(x, (0, 5, 5))", [(2, 3)], "x.reshape(-1)[[0, 5, 5]]")
    for axis in (1, -1):
        yield Row(np.take_along_axis, f"np.take_along_axis(x, ALONG, axis={axis})", [(2, 3)],
                  f"torch.take_along_dim(x, ALONG, {axis})")  # fmt: skip
    yield Row(np.take_along_axis, "np.take_along_axis(x, ALONG[:, :1], axis=0)", [(3, 4)],
              "torch.take_along_dim(x, ALONG[:, :1], 0)")  # fmt: skip
    yield Row(np.take_along_axis, "np.take_along_axis(x, ALONG, axis=1)", [(1, 3)],
              "torch.take_along_dim(x, ALONG, 1)")  # fmt: skip
    yield Row(np.take_along_axis, "np.take_along_axis(x, ROWS, axis=None)", [(2, 3)],
              "torch.take_along_dim(x.reshape(-1), ROWS, 0)")  # fmt: skip


# --- functional -----------------------------------------------------------------------------------


def functional() -> Iterator[Row]:
    tf = "torch.nn.functional"
    for shape in SHAPES:
        yield Row(F.relu, "F.relu(x)", [shape], "torch.relu(x)", domain="not zero")
        yield Row(
            F.leaky_relu, "F.leaky_relu(x)", [shape], f"{tf}.leaky_relu(x)", domain="not zero"
        )
        yield Row(F.elu, "F.elu(x)", [shape], f"{tf}.elu(x)", domain="not zero")
        yield Row(F.softplus, "F.softplus(x)", [shape], f"{tf}.softplus(x, threshold=1e9)")
        yield Row(F.sigmoid, "F.sigmoid(x)", [shape], "torch.sigmoid(x)")
        yield Row(F.silu, "F.silu(x)", [shape], f"{tf}.silu(x)")
        yield Row(F.gelu, "F.gelu(x)", [shape], f"{tf}.gelu(x)")
        yield Row(F.gelu, "F.gelu(x, 'tanh')", [shape], f"{tf}.gelu(x, approximate='tanh')")
        yield Row(F.erf, "F.erf(x)", [shape], "torch.erf(x)")
        if shape:
            yield Row(F.softmax, "F.softmax(x)", [shape], "torch.softmax(x, -1)")
            yield Row(F.log_softmax, "F.log_softmax(x)", [shape], "torch.log_softmax(x, -1)")
            yield Row(F.logsumexp, "F.logsumexp(x)", [shape], "torch.logsumexp(x, -1)")
            yield Row(F.standardize, "F.standardize(x)", [shape],
                      f"{tf}.layer_norm(x, x.shape[-1:])")  # fmt: skip
    yield Row(F.leaky_relu, "F.leaky_relu(x, 0.3)", [(3,)], f"{tf}.leaky_relu(x, 0.3)",
              domain="not zero")  # fmt: skip
    yield Row(F.elu, "F.elu(x, alpha=1.5)", [(3,)], f"{tf}.elu(x, 1.5)", domain="not zero")
    for axis in (0, 1, -2):
        yield Row(F.softmax, f"F.softmax(x, axis={axis})", [(2, 3, 4)], f"torch.softmax(x, {axis})")
        yield Row(F.log_softmax, f"F.log_softmax(x, {axis})", [(2, 3, 4)],
                  f"torch.log_softmax(x, {axis})")  # fmt: skip
        yield Row(F.logsumexp, f"F.logsumexp(x, {axis}, keepdims=True)", [(2, 3, 4)],
                  f"torch.logsumexp(x, {axis}, True)")  # fmt: skip
        yield Row(F.standardize, f"F.standardize(x, {axis}, eps=0.1)", [(2, 3, 4)],
                  f"{tf}.layer_norm(x.movedim({axis}, -1), [x.shape[{axis}]], eps=0.1)"
                  f".movedim(-1, {axis})")  # fmt: skip
    yield Row(F.logsumexp, "F.logsumexp(x, axis=(0, 2))", [(2, 3, 4)], "torch.logsumexp(x, (0, 2))")
    yield Row(F.logsumexp, "F.logsumexp(x, axis=None)", [(2, 3)], "torch.logsumexp(x, (0, 1))")
    yield Row(F.masked_softmax, "F.masked_softmax(x, MASK)", [(4, 2, 3)],
              "torch.softmax(torch.where(MASK, x, -math.inf), -1)")  # fmt: skip
    yield Row(F.masked_softmax, "F.masked_softmax(x)", [(2, 3)], "torch.softmax(x, -1)")
    yield Row(F.masked_softmax, "F.masked_softmax(x, MASK, axis=0)", [(2, 3)],
              None)  # a column with nothing to choose from  # fmt: skip

    losses = {
        "": "", ", reduction='sum'": ", reduction='sum'", ", reduction='none'": ", reduction='none'",
        ", ignore_index=0": ", ignore_index=0",
    }  # fmt: skip
    for form, torch_form in losses.items():
        yield Row(F.nll_loss, f"F.nll_loss(x, TARGETS{form})", [(2, 3)],
                  f"{tf}.nll_loss(x, TARGETS{torch_form})")  # fmt: skip
        for smoothing in ("", ", label_smoothing=0.2"):
            yield Row(F.cross_entropy, f"F.cross_entropy(x, TARGETS{form}{smoothing})", [(2, 3)],
                      f"{tf}.cross_entropy(x, TARGETS{torch_form}{smoothing})")  # fmt: skip
        if "ignore" not in form:
            yield Row(F.mse_loss, f"F.mse_loss(x, y{form})", [(2, 3), (2, 3)],
                      f"{tf}.mse_loss(x, y{torch_form})")  # fmt: skip
            name = "binary_cross_entropy_with_logits"
            yield Row(F.binary_cross_entropy_with_logits, f"F.{name}(x, YES{form})", [(2, 3)],
                      f"{tf}.{name}(x, YES{torch_form})")  # fmt: skip
    yield Row(F.nll_loss, "F.nll_loss(x, ALONG)", [(2, 2, 3)],
              f"{tf}.nll_loss(x.movedim(-1, 1), ALONG)")  # fmt: skip
    yield Row(F.cross_entropy, "F.cross_entropy(x, ALONG)", [(2, 2, 3)],
              f"{tf}.cross_entropy(x.movedim(-1, 1), ALONG)")  # fmt: skip
    yield Row(F.cross_entropy, "F.cross_entropy(x, 1)", [(3,)],
              f"{tf}.cross_entropy(x, torch.tensor(1))")  # fmt: skip
    yield Row(F.mse_loss, "F.mse_loss(x, A)", [(2, 3)], f"{tf}.mse_loss(x, A)")
    yield Row(F.binary_cross_entropy_with_logits, "F.binary_cross_entropy_with_logits(x, y)",
              [(2, 3), (2, 3)], f"{tf}.binary_cross_entropy_with_logits(x, y)",
              domain=("any", "unit"))  # fmt: skip
    yield Row(F.embedding, "F.embedding(x, ALONG)", [(3, 4)], f"{tf}.embedding(ALONG, x)")
    yield Row(F.linear, "F.linear(x, y, z)", [(2, 2, 3), (3, 4), (4,)], f"{tf}.linear(x, y.T, z)")
    yield Row(F.linear, "F.linear(x, y)", [(0, 2, 3), (3, 4)], f"{tf}.linear(x, y.T)")
    yield Row(F.linear, "F.linear(x, y)", [(3,), (3, 4)], f"{tf}.linear(x, y.T)")
    yield Row(F.linear, "F.linear(x, y)", [(2, 3), (3, 4)], f"{tf}.linear(x, y.T)")
    for shape in ((2, 3, 4), (4,)):
        yield Row(F.layer_norm, "F.layer_norm(x, y, z)", [shape, (4,), (4,)],
                  f"{tf}.layer_norm(x, (4,), y, z)")  # fmt: skip
    yield Row(F.masked_fill, "F.masked_fill(x, MASK, -2.0)", [(2, 3)],
              "x.masked_fill(MASK, -2.0)")  # fmt: skip
    yield Row(F.dropout, "F.dropout(x, 0.4, rng=np.random.default_rng(3))", [(4, 5)])


# --- decompositions -------------------------------------------------------------------------------


def decompositions() -> Iterator[Row]:
    """Of vectors whose sign is any, PyTorch is asked for the absolute values."""
    la = "np.linalg"
    tl = "torch.linalg"
    regular: dict[str, Any] = {"domain": "regular, apart"}
    for shape in ((3, 3), (1, 1), (2, 3, 3), (0, 2, 2), (0, 0)):
        triangles = {"x": "like.lower(x)", "x, 'U'": "like.lower(x.mT)"}
        for form, torch_form in triangles.items():
            yield Row(np.linalg.eigh, f"{la}.eigh({form})", [shape], **regular)
            yield Row(np.linalg.eigh, f"abs({la}.eigh({form})[1])", [shape],
                      f"abs({tl}.eigh({torch_form})[1])", order=0, **regular)  # fmt: skip
        yield Row(np.linalg.eigvalsh, f"{la}.eigvalsh(x)", [shape],
                  f"{tl}.eigvalsh({triangles['x']})", [f"{la}.eigh(x).eigenvalues"],
                  **regular)  # fmt: skip
        yield Row(np.linalg.cholesky, f"{la}.cholesky(x)", [shape],
                  f"{tl}.cholesky(like.lower(x))", domain="regular")  # fmt: skip
        yield Row(np.linalg.cholesky, f"{la}.cholesky(x, upper=True)", [shape],
                  f"{tl}.cholesky(like.lower(x.mT)).mT", domain="regular")  # fmt: skip
        yield Row(np.linalg.pinv, f"{la}.pinv(x, hermitian=True)", [shape],
                  f"{tl}.pinv(like.lower(x))", domain="regular")  # fmt: skip
        yield Row(np.linalg.svd, f"{la}.svd(x)", [shape], **regular)
        yield Row(np.linalg.qr, f"{la}.qr(x, 'complete')", [shape], f"{tl}.qr(x, 'complete')",
                  **regular)  # fmt: skip
    for shape in ((3, 3), (4, 2), (2, 4), (2, 3, 2), (0, 2, 3), (3, 0), (0, 3)):
        yield Row(np.linalg.svd, f"{la}.svd(x, full_matrices=False)", [shape], **regular)
        for i in (0, 2):
            yield Row(np.linalg.svd, f"abs({la}.svd(x, False)[{i}])", [shape],
                      f"abs({tl}.svd(x, full_matrices=False)[{i}])", order=0, **regular)  # fmt: skip
        yield Row(np.linalg.svdvals, f"{la}.svdvals(x)", [shape], f"{tl}.svdvals(x)",
                  [f"{la}.svd(x).S", f"{la}.svd(x, compute_uv=False)"], **regular)  # fmt: skip
        yield Row(np.linalg.qr, f"{la}.qr(x)", [shape], f"{tl}.qr(x)", **regular)
        yield Row(np.linalg.qr, f"{la}.qr(x, mode='r')", [shape], f"{tl}.qr(x)[1]", **regular)
        yield Row(np.linalg.pinv, f"{la}.pinv(x)", [shape], f"{tl}.pinv(x)",
                  [f"{la}.pinv(x, 1e-12)"], **regular)  # fmt: skip
        if len(shape) > 2:
            continue
        for more in ((), (2,)):
            solution, shapes = f"{tl}.pinv(x) @ y", [shape, (shape[0], *more)]
            several: dict[str, Any] = {"domain": ("regular, apart", "any")}
            yield Row(np.linalg.lstsq, f"{la}.lstsq(x, y)[0]", shapes, solution, **several)
            if shape == (4, 2):
                yield Row(np.linalg.lstsq, f"{la}.lstsq(x, y, None)[1]", shapes,
                          f"((y - x @ {solution}) ** 2).reshape(4, -1).sum(0)", **several)  # fmt: skip
    for order in ("'nuc'", 2, -2):
        for form in (", axis=(0, 1)", ", axis=(2, 0)", ", axis=(-2, -1), keepdims=True"):
            yield Row(np.linalg.norm, f"{la}.norm(x, {order}{form})", [(2, 3, 4)],
                      f"like.matrix_norm(x, ord={order}{form})",
                      domain="of different sizes")  # fmt: skip
        yield Row(np.linalg.matrix_norm, f"{la}.matrix_norm(x, ord={order})", [(2, 3, 3)],
                  f"{tl}.matrix_norm(x, {order})")  # fmt: skip


# --- statistics, with and without NaN ---------------------------------------------------------------


def statistics() -> Iterator[Row]:
    gaps = [[math.nan, 2.0, -3.0, 1.0], [0.5, math.nan, math.nan, -2.0]]
    for form in ("", ", axis=0", ", axis=1, keepdims=True"):
        for name, torch_call in {
            "nanprod": "like.prod(torch.where(x.isnan(), 1, x){})",
            "nanmax": "like.max(torch.where(x.isnan(), -math.inf, x){})",
            "nanmin": "like.min(torch.where(x.isnan(), math.inf, x){})",
            "nanvar": "like.nanvar(x{})",
            "nanstd": "like.nanvar(x{}) ** 0.5",
            "nanmedian": None,
        }.items():
            call = f"np.{name}(x{form})"
            also = [f"{call[:-1]}, ddof=0)"] if name in ("nanvar", "nanstd") else []
            theirs = torch_call and torch_call.format(form)
            yield Row(getattr(np, name), call, [(3, 4)], theirs, also, domain="apart")
            if name != "nanstd" or form == "":  # PyTorch's root has no slope at 0
                yield Row(getattr(np, name), call, [gaps], theirs, also, order=0)
        for name in ("nancumsum", "nancumprod"):
            if "keepdims" not in form:
                start = int(name == "nancumprod")
                yield Row(getattr(np, name), f"np.{name}(x{form})", [gaps],
                          f"torch.{name[3:]}(torch.where(x.isnan(), {start}, x)"
                          f"{'.reshape(-1)' if not form else ''}, {int('1' in form)})",
                          order=0)  # fmt: skip
    yield Row(np.nanvar, "np.nanvar(x, axis=0, ddof=1)", [(3, 4)], "torch.var(x, 0)")
    several = "[0.1, 0.5, 0.75]"
    for form, torch_form in {
        "0.3, axis=0": "0.3, 0",
        "0, axis=-1, keepdims=True": "0.0, -1, True",
        "1.0": "1.0",
        "0.45, axis=(0, 2)": None,
        f"np.array({several}, x.dtype), 1": f"torch.tensor({several}, dtype=x.dtype), 1",
        f"np.array({several}, x.dtype), axis=(0, -1), keepdims=True": None,
    }.items():
        for name in ("quantile", "nanquantile"):
            yield Row(getattr(np, name), f"np.{name}(x, {form})", [(2, 3, 4)],
                      torch_form and f"torch.{name}(x, {torch_form})", domain="apart")  # fmt: skip
    yield Row(np.quantile, "np.quantile(x, np.array([0.1, 0.9]))", [(4,)], domain="apart")
    yield Row(np.nanquantile, "np.nanquantile(x, 0.4, axis=1)", [gaps],
              "torch.nanquantile(x, 0.4, 1)", order=0)  # fmt: skip
    for method in ("lower", "higher", "nearest", "midpoint"):
        yield Row(np.quantile, f"np.quantile(x, 0.4, method='{method}')", [(6,)],
                  f"torch.quantile(x, 0.4, interpolation='{method}')", domain="apart")  # fmt: skip
    for method in ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "weibull", "hazen",
                   "interpolated_inverted_cdf", "median_unbiased", "normal_unbiased"):  # fmt: skip
        yield Row(np.quantile, f"np.quantile(x, 0.4, method='{method}')", [(5,)], domain="apart")
    for name in ("percentile", "nanpercentile"):
        yield Row(getattr(np, name), f"np.{name}(x, 30, axis=1)", [(2, 4)],
                  f"torch.{name.replace('percent', 'quant')}(x, 0.3, 1)", domain="apart")  # fmt: skip
        yield Row(getattr(np, name), f"np.{name}(x, np.array([[10, 90.]], x.dtype))", [(2, 4)],
                  domain="apart")  # fmt: skip
    yield Row(np.cov, "np.cov(x)", [(3, 4)], "torch.cov(x)", ["np.cov(x.T, rowvar=False)"])
    yield Row(np.cov, "np.cov(x, bias=True)", [(3, 4)], "torch.cov(x, correction=0)",
              ["np.cov(x, ddof=0)"])  # fmt: skip
    yield Row(np.cov, "np.cov(x)", [(4,)], "torch.cov(x)")
    yield Row(np.cov, "np.cov(x, y, rowvar=False)", [(4, 2), (4,)],
              "torch.cov(torch.cat([x.T, y[None]]))")  # fmt: skip


# --- samples, and NumPy's newer names ---------------------------------------------------------------


def samples() -> Iterator[Row]:
    for shape in SHAPES:
        yield Row(np.sinc, "np.sinc(x)", [shape], "torch.sinc(x)")
    yield Row(np.sinc, "np.sinc(x)", [[0.0, 1e-9, 0.3, 0.318, 0.319, 4.0]])
    for name in ("fmax", "fmin"):
        for shapes in PAIRS:
            yield Row(getattr(np, name), f"np.{name}(x, y)", shapes, f"torch.{name}(x, y)",
                      domain=("between", "halves"))  # fmt: skip
        one, other = [math.nan, 1.0, 2.0, math.nan], [1.0, math.nan, 3.0, math.nan]
        yield Row(getattr(np, name), f"np.{name}(x, y)", [one, other], order=0)
    points = [[0.7, -1.2, 2.3, 3.4, -0.6], [0.0, 1.0, 3.0], [1.0, -2.0, 5.0]]
    for form in ("", ", left=-4.0", ", right=7.0, left=0.25", ", period=2.5", ", period=-3.7"):
        yield Row(np.interp, f"np.interp(x, y, z{form})", points)
    yield Row(np.interp, "np.interp(x, np.array([0.0, 0.4, 2.5]), y, y[0] * 2)", [(2, 3), (3,)],
              domain="not zero")  # fmt: skip
    yield Row(np.interp, "np.interp(x, np.array([1.0]), y)", [[[0.0, 1.0], [2.0, 3.0]], (1,)],
              "torch.stack([y, y]).expand(2, 2) + 0 * x")  # fmt: skip
    for mode in ("full", "same", "valid"):
        for n, m in ((5, 3), (2, 4), (4, 4), (3, 1), (1, 1)):
            pad = {"full": min(n, m) - 1, "same": None, "valid": 0}[mode]
            long, short = ("x", "y") if n >= m else ("y", "x")
            yield Row(np.convolve, f"np.convolve(x, y, '{mode}')", [(n,), (m,)],
                      None if pad is None else
                      f"torch.conv1d({long}[None, None], {short}.flip(0)[None, None], padding={pad})"
                      f"[0, 0]", ["np.convolve(x, y)"] if mode == "full" else [])  # fmt: skip
    yield Row(np.block, "np.block([[x, y], [y.T, z]])", [(2, 2), (2, 3), (3, 3)],
              "torch.cat([torch.cat([x, y], 1), torch.cat([y.T, z], 1)])")  # fmt: skip
    yield Row(np.block, "np.block([x, y])", [(2,), ()], "torch.cat([x, y[None]])")
    yield Row(np.block, "np.block([[x, A[:, 0]]])", [(2,)], "torch.cat([x, A[:, 0]])[None]")
    yield Row(np.block, "np.block(x)", [(2, 3)], "1 * x")
    for mode in ("wrap", "clip"):
        places = {"wrap": "[2, 0, 1, 0]", "clip": "[2, 0, 2, 0]"}[mode]
        yield Row(np.take, f"np.take(x, [5, 0, 4, -3], axis=1, mode='{mode}')", [(2, 3)],
                  f"x[:, {places}]", [f"x.take([5, 0, 4, -3], 1, mode='{mode}')"])  # fmt: skip
    yield Row(np.full_like, "np.full_like(x, x[0], shape=(2, 2))", [(3,)], "x[0].expand(2, 2) + 0")
    yield Row(np.full_like, "np.full_like(x, x, shape=2)", [(2,)], "1 * x")
    for order, form in itertools.product(
        (0.5, -0.5, -1, -2.0), (", axis=1", ", axis=0, keepdims=True")
    ):
        yield Row(np.linalg.norm, f"np.linalg.norm(x, {order}{form})", [(2, 3)],
                  f"like.norm(x, ord={order}{form})", domain="not zero")  # fmt: skip
        yield Row(np.linalg.norm, f"np.linalg.norm(x, {order})", [[0.0, 2.0, -1.0]],
                  f"like.norm(x, ord={order})", order=0)  # fmt: skip
    for form, of_string in {
        "x, [0, 1], y, [1, 2], [0, 2]": "ij,jk->ik",
        "x, [0, 1], y, [1, 30]": "ij,jk",
        "x, [Ellipsis, 3], y, [3, ...], [...]": "...i,ij->j",
        "x, [0, 0], y, [0, 2], []": "ii,ij->",
    }.items():
        shapes = {"...i,ij->j": [(2,), (2, 3)], "ii,ij->": [(2, 2), (2, 3)]}
        yield Row(np.einsum, f"np.einsum({form})", shapes.get(of_string, [(4, 2), (2, 3)]),
                  f"torch.einsum('{of_string}', x, y)")  # fmt: skip


def newer_names() -> Iterator[Row]:
    la, tl = "np.linalg", "torch.linalg"
    for call, shapes, torch_call in (
        (f"{la}.matmul(x, y)", [(2, 3), (3, 4)], "x @ y"),
        (f"{la}.outer(x, y)", [(2,), (3,)], "torch.outer(x, y)"),
        (f"{la}.cross(x, y, axis=0)", [(3, 2), (3, 2)], "torch.cross(x, y, dim=0)"),
        (f"{la}.trace(x, offset=1)", [(2, 3, 4)], "torch.diagonal(x, 1, -2, -1).sum(-1)"),
        (f"{la}.diagonal(x, offset=-1)", [(2, 3, 4)], "torch.diagonal(x, -1, -2, -1)"),
        (f"{la}.tensordot(x, y, axes=1)", [(2, 3), (3, 4)], "x @ y"),
        (f"{la}.vecdot(x, y, axis=0)", [(3, 2), (3, 2)], f"{tl}.vecdot(x, y, dim=0)"),
        (f"{la}.vector_norm(x)", [(2, 3)], f"{tl}.vector_norm(x)"),
        (f"{la}.vector_norm(x, axis=(0, 2), ord=3)", [(2, 3, 4)], f"{tl}.vector_norm(x, 3, (0, 2))"),
        (f"{la}.vector_norm(x, axis=1, keepdims=True, ord=1)", [(2, 3)],
         f"{tl}.vector_norm(x, 1, 1, True)"),
        (f"{la}.matrix_norm(x, keepdims=True)", [(2, 3, 4)], f"{tl}.matrix_norm(x, keepdim=True)"),
        ("np.unstack(x, axis=1)", [(2, 3)], "torch.unbind(x, 1)"),
        ("np.cumulative_sum(x)", [(3,)], "torch.cumsum(x, 0)"),
        ("np.cumulative_sum(x, axis=-1, include_initial=True)", [(2, 3)],
         "torch.nn.functional.pad(torch.cumsum(x, 1), (1, 0))"),
        ("np.cumulative_prod(x, axis=0, include_initial=True)", [(2, 3)],
         "torch.cat([0 * x[:1] + 1, torch.cumprod(x, 0)])"),
        ("np.matvec(x, y)", [(5, 2, 3), (3,)], "x @ y"),
        ("np.matvec(x, y)", [(2, 3), (4, 3)], "y @ x.T"),
        ("np.vecmat(x, y)", [(2,), (5, 2, 3)], "x @ y"),
        ("np.vecmat(x, y)", [(4, 2), (2, 3)], "x @ y"),
    ):  # fmt: skip
        home, _, name = call[3 : call.index("(")].rpartition(".")
        function = getattr(np.linalg if home else np, name, None)
        if function is not None:  # some came after NumPy 2.0
            yield Row(function, call, shapes, torch_call)


def five_axes() -> Iterator[Row]:
    """What takes arrays of any number of axes, with five."""
    five, six = (2, 1, 2, 1, 3), (2, 1, 2, 3, 1)
    for function, call in {
        np.sum: "np.sum(x, axis=(1, -1))", np.mean: "np.mean(x, axis=(0, 2), keepdims=True)",
        np.var: "np.var(x, axis=(0, 4))", np.std: "np.std(x, axis=-1)",
        np.prod: "np.prod(x, axis=(0, 4))",
        np.cumsum: "np.cumsum(x, 4)", np.cumprod: "np.cumprod(x, -1)", np.diff: "np.diff(x, axis=2)",
        np.average: "np.average(x, axis=(2, 4))", np.trapezoid: "np.trapezoid(x, axis=0)",
        np.linalg.norm: "np.linalg.norm(x, axis=-1)", np.reshape: "np.reshape(x, (3, 2, 2))",
        np.ravel: "np.ravel(x)", np.transpose: "np.transpose(x, (4, 2, 0, 1, 3))",
        np.swapaxes: "np.swapaxes(x, 0, 4)", np.moveaxis: "np.moveaxis(x, (0, 4), (4, 1))",
        np.rollaxis: "np.rollaxis(x, 4, 1)", np.flip: "np.flip(x, (0, 4))",
        np.roll: "np.roll(x, (1, 2), axis=(0, 4))", np.rot90: "np.rot90(x, axes=(2, 4))",
        np.squeeze: "np.squeeze(x, axis=(1, 3))", np.expand_dims: "np.expand_dims(x, (0, 3))",
        np.broadcast_to: "np.broadcast_to(x, (2, 4, 2, 2, 3))",
        np.tril: "np.tril(x)", np.triu: "np.triu(x)",
        np.diagonal: "np.diagonal(x, axis1=2, axis2=4)", np.trace: "np.trace(x, axis1=0, axis2=2)",
        np.concatenate: "np.concatenate([x, x * x], axis=3)",
        np.stack: "np.stack([x, x * x], axis=-1)",
        np.split: "np.split(x, [1], axis=2)", np.tile: "np.tile(x, (2, 1, 1, 2, 1))",
        np.repeat: "np.repeat(x, 2, axis=3)", np.pad: "np.pad(x, 1)",
        np.take: "np.take(x, ROWS, axis=2)",
        operator.getitem: "x[0, ..., [0, 2]]", np.where: "np.where(C, x, 2 * x)",
        np.clip: "np.clip(x, -0.05, 0.05)", F.softmax: "F.softmax(x)",
        F.logsumexp: "F.logsumexp(x, axis=(0, 4))",
        F.standardize: "F.standardize(x, axis=4)",
    }.items():  # fmt: skip
        yield Row(function, call, [five], domain="between" if function is np.clip else "any")
    for function, call in {
        np.max: "np.max(x, axis=(0, 4))", np.min: "np.min(x, axis=-1, keepdims=True)",
        np.sort: "np.sort(x, axis=4)", np.ptp: "np.ptp(x, axis=(2, 4))",
        np.median: "np.median(x, axis=4)",
    }.items():  # fmt: skip
        yield Row(function, call, [five], domain="apart")
    yield Row(np.matmul, "x @ y", [five, six])
    yield Row(np.einsum, "np.einsum('...ij,...jk->...k', x, y)", [five, six])
    yield Row(np.tensordot, "np.tensordot(x, y, ([4, 0], [3, 2]))", [five, six])
    yield Row(np.inner, "np.inner(x, y)", [five, (2, 3)])
    yield Row(np.kron, "np.kron(x, y)", [five, (2, 2)])
    yield Row(F.linear, "F.linear(x, y, z)", [five, (3, 2), (2,)])
    yield Row(F.layer_norm, "F.layer_norm(x, y, z, 0.1)", [five, (3,), (3,)])


ROWS: list[Row] = [
    *elementwise(), *kinks(), *reducing(), *linear_algebra(), *decompositions(), *statistics(),
    *samples(), *newer_names(), *shaping(), *indexing(), *functional(), *five_axes(),
]  # fmt: skip
