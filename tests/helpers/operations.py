"""The one table of operations: a row for each way to call each function that has a derivative.

A row is a function, inputs to call it with, what PyTorch calls the same, and other ways to write it.
`test_operations` runs every row on arrays, on tensors and through PyTorch, and compares; a rule that
no row reaches fails there.

    rows(np.sum, "sum", [(2, 3)], [(4,)], also=["sum"], axis=0)

makes two rows: `np.sum(x, axis=0)` on arrays of two shapes, which is `torch.sum(x, axis=0)` in
PyTorch, and `x.sum(axis=0)` as a method.
"""

from __future__ import annotations

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
from minigrad.engine.names import name_of
from minigrad.ran.rules_as_text import source_of

try:
    import torch
    from torch.nn import functional as tf
except ImportError:  # the rows can be run without it
    torch = tf = None  # type: ignore[assignment]


NUMPY = tuple(map(int, np.__version__.split(".")[:2]))


class Row(NamedTuple):
    """One way to call a function.

    Attributes:
        name: the call and its inputs, in short.
        function: the function whose entry in the table of derivatives this is about.
        call: a function of the inputs.
        inputs: an array (as a list), or a shape to draw one for, for each argument.
        torch: the same for PyTorch's tensors; None where it has nothing like it.
        also: other functions of the inputs that mean the same.
        smooth: whether finite differences can follow it, to second order.
        domain: where inputs are drawn from, one for all or one for each; see `DOMAINS`.
        given: what is called, and what it is called with after the inputs, by position and by name.
    """

    name: str
    function: Callable
    call: Callable
    inputs: Sequence[Any]
    torch: Callable | None = None
    also: Sequence[Callable] = ()
    smooth: bool = True
    domain: Any = "any"
    given: tuple[Callable, tuple, dict[str, Any]] | None = None

    def arrays(self) -> list[np.ndarray]:
        """The inputs, in float64; the same ones every time."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        domains = self.domain if isinstance(self.domain, tuple) else (self.domain,) * 3
        return [
            np.array(DOMAINS[d](rng, i) if isinstance(i, tuple) else i, dtype=np.float64)
            for i, d in zip(self.inputs, domains)
        ]


def rows(
    function: Callable,
    torch_call: Any,
    *several: Sequence[Any],
    then: tuple = (),
    call: Callable | None = None,
    name: str | None = None,
    also: Iterable[Any] = (),
    smooth: bool = True,
    domain: Any = "any",
    **options: Any,
) -> Iterator[Row]:
    """A row for each of `several` inputs. The call is of the inputs, then of `then` and the options.

    Args:
        torch_call: a name of PyTorch's, called with the same arguments; `...` for the same call; or
            a function of the inputs alone. None where PyTorch has nothing like it.
        call: what is called, where that is not `function` itself.
        name: what the rows are called, where not by the function or the text of `call`.
        also: the names of methods, called with the same arguments; or functions of the inputs alone.
    """
    f = call or function
    text = name or (name_of(function) if call is None else written(call))
    more = [*map(shown, then), *(f"{k}={shown(v)}" for k, v in options.items())]
    if torch_call is ... or isinstance(torch_call, str):
        torch_call = same_in_torch(f if torch_call is ... else torch_call, then, options)
    others = [
        (lambda x, *xs, method=operator.attrgetter(o): method(x)(*xs, *then, **options))
        if isinstance(o, str)
        else o
        for o in also
    ]  # fmt: skip
    for inputs in several:
        sizes = ", ".join(shown(i if isinstance(i, tuple) else np.shape(i)) for i in inputs)
        yield Row(
            "; ".join([f"{text} of {sizes}", *more]), function, lambda *xs: f(*xs, *then, **options),
            inputs, torch_call, others, smooth, domain, (f, then, options),
        )  # fmt: skip


def same_in_torch(f: Any, then: tuple, options: dict[str, Any]) -> Callable:
    def call(*xs: Any) -> Any:
        found = f if callable(f) else getattr(like, f, None) or operator.attrgetter(f)(torch)
        return found(*xs, *in_torch(then), **in_torch(options))

    return call


def in_torch(value: Any) -> Any:
    """Arguments with PyTorch's arrays in place of NumPy's."""
    if isinstance(value, np.ndarray):
        return torch.tensor(value)
    if isinstance(value, dict):
        return {k: in_torch(v) for k, v in value.items()}
    return type(value)(map(in_torch, value)) if isinstance(value, (tuple, list)) else value


def shown(value: Any) -> str:
    """An argument in the name of a row."""
    if isinstance(value, np.ndarray):
        return f"array {value.tolist()}"
    if isinstance(value, slice):
        ends = ("" if end is None else str(end) for end in (value.start, value.stop, value.step))
        return ":".join(ends)
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    return "..." if value is ... else getattr(value, "__name__", repr(value))


def written(value: Any) -> str | None:
    """The text of a function, as the name of a test; None for anything else."""
    if hasattr(value, "__code__"):
        return source_of(value)
    return getattr(value, "__name__", None)


def run(call: Callable, inputs: Sequence[Any]) -> list[Any]:
    """The results of a call, as a list."""
    result = call(*inputs)
    return list(result) if isinstance(result, (list, tuple)) else [result]


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
    "negative": lambda rng, shape: rng.uniform(-2.0, -0.3, shape),
    "probabilities": lambda rng, shape: rng.uniform(0.2, 0.8, shape),
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


like = types.SimpleNamespace(  # what PyTorch writes in another way
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
    nanvar=reduction(nan_variance),
    nanstd=lambda x, **options: like.nanvar(x, **options) ** 0.5,
    nanprod=lambda x, **options: like.prod(torch.where(x.isnan(), 1, x), **options),
    nanmax=lambda x, **options: like.max(torch.where(x.isnan(), -math.inf, x), **options),
    nanmin=lambda x, **options: like.min(torch.where(x.isnan(), math.inf, x), **options),
    lower=lambda x: torch.tril(x) + torch.tril(x, -1).mT,  # all that NumPy reads of it, symmetric
    norm=reduction(lambda x, axes, keep, ord=2: torch.linalg.vector_norm(x, ord, axes, keep)),  # noqa: A006
    matrix_norm=reduction(lambda x, axes, keep, ord: torch.linalg.matrix_norm(x, ord, axes, keep)),  # noqa: A006
)


C = np.array([True, False, True])
MASK = np.array([[True, False, True], [False, False, True]])
NONE = np.zeros((2, 3), bool)
PLACES = np.array([1, 0, 1, 1])  # some more than once
COLUMNS = np.array([[2], [0]])
ALONG = np.array([[2, 0], [1, 1]])
TARGETS = np.array([2, 0])
YES = [[0.95, 0.05, 0.25], [0.1, 0.9, 0.5]]


# fmt: off

# --- elementwise ----------------------------------------------------------------------------------

SHAPES = [[()], [(2, 3)], [(0, 3)], [(2, 1, 2, 1, 2)]]
PAIRS = [
    [(2, 3), (2, 3)], [(2, 3), (3,)], [(2, 1), (1, 3)], [(), (3,)], [(2, 3), ()], [(1,), ()],
    [(0, 3), (1, 3)], [(4, 1, 3), (2, 1)], [(2, 1, 2, 1, 3), (2, 1, 1)],
]

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
KINKED = ("between", "halves")  # apart from each other
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


# --- reductions -----------------------------------------------------------------------------------

LAST_KEPT = {"axis": 1, "keepdims": True}
FORMS: list[dict[str, Any]] = [
    {}, {"axis": 0}, {"axis": -1}, {"axis": (0, 2)}, {"axis": (-1, 0), "keepdims": True}, LAST_KEPT,
    {"keepdims": True}, {"axis": (0, 1, 2)},
]
ONE_AXIS = [form for form in FORMS if not isinstance(form.get("axis"), tuple)]


def in_every_form(function: Callable, forms: Iterable[dict], **more: Any) -> Iterator[Row]:
    name = function.__name__
    for form in forms:
        several = [[(2, 3, 4)], [(1, 3)]] if form in ONE_AXIS else [[(2, 3, 4)]]
        yield from rows(function, name, *several, **more, **form)


def reducing() -> Iterator[Row]:
    for name in ("sum", "mean", "prod", "max", "min", "amax", "amin"):
        function = getattr(np, name)
        domain = "any" if name in ("sum", "mean", "prod") else "apart"
        methods = [] if name.startswith("a") else [name]
        yield from in_every_form(function, [*FORMS, {"axis": ()}], also=methods, domain=domain)
        yield from rows(function, name, [()], [(1,)])
        theirs = lambda x, name=name: getattr(like, name)(x, axis=1)
        by_name = lambda x, function=function: function(a=x, axis=1)
        yield from rows(function, theirs, [(2, 3)], call=by_name, name=f"np.{name}(a=x, axis=1)")
        yield from rows(function, theirs, [(2, 3)], then=(1, None))
    for name in ("sum", "prod"):
        for form in ({}, {"axis": 0}, LAST_KEPT):
            yield from rows(getattr(np, name), name, [(0, 3)], [(2, 0)], **form)
    for function in (np.sum, np.prod, np.max, np.min):  # a number has an axis 0 for these
        yield from rows(function, lambda x: 1 * x, [()], axis=0)
    yield from rows(np.cumprod, lambda x: torch.cumprod(x.reshape(1), 0), [()], axis=0)
    gaps = [[math.nan, 2.0, -3.0], [0.5, math.nan, math.nan]]
    for name in ("nansum", "nanmean"):
        for form in ({}, {"axis": 0}, {"axis": 1}, LAST_KEPT):
            yield from rows(getattr(np, name), name, [gaps], name=f"np.{name}, gaps", smooth=False,
                            **form)
            yield from rows(getattr(np, name), name, [(2, 3)], **form)
    for name in ("mean", "max"):
        yield from rows(getattr(np, name), name, [(0, 3)], axis=1)
    for function, reduce, theirs, *form in (
        (np.sum, np.add.reduce, lambda x: torch.sum(x, 0)),
        (
            np.sum,
            np.add.reduce,
            lambda x: torch.sum(x, (0, 1), True),
            {"axis": (0, 1), "keepdims": True},
        ),
        (np.prod, np.multiply.reduce, "prod", {"axis": 1}),
        (np.max, np.maximum.reduce, "amax", {"axis": 1}),
        (np.min, np.minimum.reduce, lambda x: torch.amin(x, 0)),
        (np.cumsum, np.add.accumulate, lambda x: torch.cumsum(x, 0)),
        (np.cumprod, np.multiply.accumulate, "cumprod", {"axis": 1}),
    ):
        name = f"{reduce.__self__.__name__}.{reduce.__name__}"
        yield from rows(function, theirs, [(2, 3)], call=reduce, name=name, **dict(*form))
    yield from rows(np.subtract, lambda x, y: x[..., None] - y, [(2, 3), (4,)], call=np.subtract.outer)
    yield from rows(np.sum, lambda x: torch.sum(x, dtype=torch.float64), [(2, 3)], dtype=np.float64)

    zero = [[0.0, 2.0, 3.0], [0.0, 0.0, 1.5], [1.0, -2.0, 0.5]]
    for form in ({}, {"axis": 0}, {"axis": 1}):
        yield from rows(np.prod, "prod", [zero], name="np.prod of zeros", **form)
    for axis in (0, 1, -1):
        yield from rows(np.cumprod, "cumprod", [zero], name="np.cumprod of zeros", axis=axis)
    for name in ("cumsum", "cumprod"):
        function, shapes = getattr(np, name), [[()], [(3,)], [(2, 3)], [(0, 3)], [(1, 1)], [(7,)]]
        theirs = lambda x, name=name: getattr(torch, name)(x.reshape(-1), 0)
        yield from rows(function, theirs, *shapes, also=[name])
        for axis in (0, 1, -1):
            yield from rows(function, name, [(2, 3, 4)], [(2, 0)], also=[name], axis=axis)

    for name in ("var", "std"):
        function = getattr(np, name)
        yield from in_every_form(function, FORMS[:-1], also=[name], domain="apart")
        for form in ({"ddof": 1}, {"axis": 1, "ddof": 1}, {"axis": (0, 1), "ddof": 2, "keepdims": True}):
            yield from rows(function, name, [(3, 4)], also=[name], **form)
        yield from rows(function, lambda x, name=name: getattr(like, name)(x, 0, ddof=1), [(3, 4)],
                        then=(0, None, None, 1))
    yield from in_every_form(np.ptp, FORMS, domain="apart")
    yield from in_every_form(np.linalg.norm, ONE_AXIS)
    yield from rows(np.linalg.norm, "linalg.matrix_norm", [(2, 3)], name="norm of a matrix",
                    also=[lambda x: np.linalg.norm(x, "fro"), lambda x: np.linalg.norm(x, axis=(0, 1))])
    for form in ({"axis": 1}, {"axis": 0, "keepdims": True}):
        for order in (1, 1.5, 2, 3, np.inf, -np.inf):
            yield from rows(np.linalg.norm, "norm", [(2, 3)], ord=order, **form,
                            domain="of different sizes")
        count = lambda x, form=form: like.norm(x, ord=0, **form) + 0 * x.sum()
        yield from rows(np.linalg.norm, count, [(2, 3)], ord=0, **form, domain="of different sizes")
    for order in (1, -1, np.inf, -np.inf, "nuc", 2, -2):
        for axes in ((0, 1), (2, 0), (-2, -1)):
            form = {"axis": axes, "keepdims": True} if axes == (-2, -1) else {"axis": axes}
            yield from rows(np.linalg.norm, "matrix_norm", [(2, 3, 4)], ord=order, **form,
                            domain="of different sizes")

    for form in ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1), "keepdims": True}):
        yield from rows(np.median, None, [(3, 4)], [(3, 3)], domain="apart", **form)
    for form in ({}, {"axis": 0}, LAST_KEPT):
        yield from rows(np.average, "mean", [(2, 3)], **form)
        yield from rows(np.average,
                        lambda x, y, form=form: like.sum(x * y, **form) / like.sum(y, **form),
                        [(2, 3), (2, 3)], call=lambda x, y, form=form: np.average(x, weights=y, **form),
                        name=f"weighted average {form}", domain="positive")
    yield from rows(np.average, lambda x, y: (x * y.mT[:, None]).sum((0, 2)) / y.sum(),
                    [(2, 3, 4), (4, 2)], call=lambda x, y: np.average(x, (2, 0), y), domain="positive")
    yield from rows(np.average, lambda x, y: (x * y).sum(1) / y.sum(), [(2, 3), (3,)],
                    call=lambda x, y: np.average(x, -1, y), domain="positive")
    yield from rows(np.trapezoid, "trapezoid", [(2, 3)], [(2, 3), (3,)])
    yield from rows(np.trapezoid, lambda x: torch.trapezoid(x, dx=0.5, dim=0), [(2, 3)], dx=0.5, axis=0)
    yield from rows(np.trapezoid, lambda x, y: torch.trapezoid(x, y[:, None], dim=0), [(2, 3), (2,)],
                    axis=0)
    yield from rows(np.trapezoid, lambda x, y: torch.trapezoid(x, y, dim=0), [(2, 3), (2, 3)], axis=0)
    for form in ({}, {"n": 2}, {"axis": 0}, {"n": 0}, {"n": 3, "axis": -1}):
        yield from rows(np.diff, "diff", [(3, 4)], **form)
    for axis, form in (
        (-1, {}), (0, {"axis": 0}), (-1, {"axis": -1}), (-2, {"axis": -2, "kind": "stable"}),
    ):
        yield from rows(np.sort, lambda x, a=axis: torch.sort(x, dim=a)[0], [(3, 4)], **form)
    yield from rows(np.sort, lambda x: torch.sort(x.reshape(-1))[0], [(3, 4)], axis=None)


# --- linear algebra -------------------------------------------------------------------------------

PRODUCTS = [
    [(3,), (3,)], [(2, 3), (3,)], [(3,), (3, 2)], [(2, 3), (3, 4)], [(5, 2, 3), (3,)],
    [(3,), (5, 3, 2)], [(5, 2, 3), (3, 4)], [(2, 3), (5, 3, 4)], [(5, 2, 3), (5, 3, 4)],
    [(2, 1, 2, 3), (5, 3, 4)], [(1, 2, 3), (4, 3, 2)], [(4, 2, 3), (1, 3, 2)], [(1, 1), (1, 1)],
    [(0, 3), (3, 2)], [(2, 0), (0, 3)], [(2, 3), (3, 0)], [(0,), (0,)], [(0, 2, 3), (3,)],
    [(2, 2, 0), (0, 3)], [(2, 2, 0), (0,)], [(0, 2, 3), (3, 4)],
]

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
REGULAR: dict[str, Any] = {"domain": "regular"}


def linear_algebra() -> Iterator[Row]:
    yield from rows(np.matmul, "matmul", *PRODUCTS, also=[operator.matmul])
    yield from rows(np.matmul, ..., [(3,), (2, 3)], call=lambda x, a: x @ a.T)
    yield from rows(np.matmul, ..., [(2, 3), (3, 2)], call=operator.matmul)
    yield from rows(np.dot, "matmul", *PRODUCTS[:4], also=["dot"])
    yield from rows(np.dot, operator.mul, [(), (3,)], [(2, 3), ()])
    yield from rows(np.dot, lambda x, y: torch.tensordot(x, y, ([-1], [-2])), [(2, 2, 3), (4, 3, 2)],
                    [(3,), (4, 3, 2)])
    yield from rows(np.inner, "inner", [(3,), (3,)], [(2, 3), (3,)], [(2, 3), (4, 3)],
                    [(2, 2, 3), (2, 3)])
    yield from rows(np.inner, operator.mul, [(), (3,)])
    yield from rows(np.outer, lambda x, y: torch.outer(x.reshape(-1), y.reshape(-1)), [(2,), (3,)],
                    [(2, 2), (3, 1)])
    yield from rows(np.outer, lambda x: torch.outer(x, torch.tensor([1, 2])), [(3,)], then=([1, 2],))
    yield from rows(np.vdot, lambda x, y: torch.vdot(x.reshape(-1), y.reshape(-1)), [(3,), (3,)],
                    [(2, 3), (3, 2)])
    yield from rows(np.vecdot, "linalg.vecdot", [(3,), (3,)], [(2, 3), (3,)], [(2, 1, 3), (4, 3)],
                    [(0, 3), (3,)])
    for axes, shapes in (
        (2, [(2, 3, 4), (3, 4, 2)]), (1, [(2, 3), (3, 2)]), (0, [(2,), (3,)]),
        (([0], [1]), [(3, 2), (2, 3)]), (((0, 1), (1, 0)), [(2, 3, 4), (3, 2)]),
        ((-1, -2), [(2, 3), (3, 2)]), (([-1, 0], [0, 1]), [(2, 3, 4), (4, 2)]),
        (([1, 2], [1, 0]), [(2, 3, 0), (0, 3, 2)]),
    ):
        lists = ([-1], [-2]) if axes == (-1, -2) else axes
        theirs = lambda x, y, axes=lists: torch.tensordot(x, y, axes)
        yield from rows(np.tensordot, theirs, shapes, axes=axes,
                        also=[np.tensordot] if axes == 2 else [])
    for subscripts, shapes in EINSUMS.items():
        yield from rows(np.einsum, lambda *xs, s=subscripts: torch.einsum(s, *xs), shapes,
                        call=lambda *xs, s=subscripts: np.einsum(s, *xs), name=f"einsum {subscripts!r}",
                        also=[lambda *xs, s=subscripts: np.einsum(s, *xs, optimize=True)])
    yield from rows(np.einsum, lambda x: x @ x, [(3,)], call=lambda x: np.einsum("i,i->", x, x))

    wide = [[(3, 3)], [(2, 4)], [(4, 2)], [(1, 1)], [(0, 3)]]
    for k in (0, 1, -2):
        yield from rows(np.diagonal, "diagonal", *wide, then=(k,), also=["diagonal"])
        yield from rows(np.trace, lambda x, k=k: torch.diagonal(x, k).sum(), *wide, then=(k,),
                        also=[lambda x, k=k: x.trace(offset=k)])
        yield from rows(np.tril, lambda x, k=k: torch.tril(x, k), *wide, k=k)
        yield from rows(np.triu, lambda x, k=k: torch.triu(x, k), *wide, k=k)
        yield from rows(np.diag, "diag", [(3,)], then=(k,))
        yield from rows(np.diagflat, "diagflat", [(2, 2)], then=(k,))
    yield from rows(np.diag, "diag", *wide, then=(1,))
    yield from rows(np.tril, "tril", [(2, 3, 4)])
    yield from rows(np.triu, "triu", [(2, 3, 4)])
    for offset, axis1, axis2 in ((0, 1, 2), (1, -1, 0), (-1, 2, 0)):
        theirs = lambda x, a=(offset, axis1, axis2): torch.diagonal(x, *a)
        form = {"offset": offset, "axis1": axis1, "axis2": axis2}
        yield from rows(np.diagonal, theirs, [(2, 3, 4)], **form,
                        also=[lambda x, form=form: np.diagonal(x, *form.values())])
        yield from rows(np.trace, lambda x, f=theirs: f(x).sum(-1), [(2, 3, 4)], **form,
                        also=[lambda x, form=form: np.trace(x, *form.values())])
    yield from rows(np.kron, "kron", [(2, 3), (3, 2)], [(2,), (3,)], [(2, 2), (3,)], [(), (3,)],
                    [(2, 1, 2), (2, 2)], [(2,), (2, 2, 1)], [(0, 2), (2, 2)])

    square = [[(3, 3)], [(1, 1)], [(2, 3, 3)], [(2, 1, 2, 2)], [(0, 2, 2)]]
    yield from rows(np.linalg.inv, "linalg.inv", *square, **REGULAR)
    yield from rows(np.linalg.det, "linalg.det", *square, **REGULAR)
    yield from rows(np.linalg.det, lambda x: torch.linalg.det(-x), *square,
                    call=lambda x: np.linalg.det(-x), **REGULAR)
    yield from rows(np.linalg.slogdet, lambda x: torch.linalg.slogdet(x)[1], *square,
                    call=lambda x: np.linalg.slogdet(x)[1],
                    also=[lambda x: np.linalg.slogdet(-x).logabsdet], **REGULAR)
    for n in (-2, -1, 0, 1, 2, 3, 5, 6):
        theirs = lambda x, n=n: torch.linalg.matrix_power(x, n) + 0 * x
        yield from rows(np.linalg.matrix_power, theirs, *square, then=(n,), **REGULAR)
    yield from rows(np.linalg.solve, "linalg.solve", [(3, 3), (3, 2)], [(2, 3, 3), (2, 3, 4)],
                    [(2, 3, 3), (3, 2)], [(3, 3), (2, 3, 2)], [(2, 1, 2, 2), (3, 2, 1)],
                    [(0, 2, 2), (0, 2, 1)], domain=("regular", "any"))
    yield from rows(  # PyTorch reads a batch of vectors where it can
        np.linalg.solve,
        lambda x, y: torch.linalg.solve(x, y[:, None])[..., 0],
        [(3, 3), (3,)],
        [(2, 3, 3), (3,)],
        [(1, 1), (1,)],
        domain=("regular", "any"),
    )
    in_a_row = lambda *xs: np.linalg.multi_dot(xs)
    yield from rows(np.linalg.multi_dot, operator.matmul, [(2, 3, 4), (4,)], call=in_a_row,
                    name="multi_dot of two")
    yield from rows(np.linalg.multi_dot, lambda *xs: torch.linalg.multi_dot(xs), [(2, 3), (3, 4), (4,)],
                    call=in_a_row, name="multi_dot of three")
    for form, theirs in (
        ({}, lambda x, y: torch.cross(x, y, dim=-1)),
        ({"axis": 0}, lambda x, y: torch.cross(x, y, dim=0)),
        ({"axisa": 1, "axisb": -1, "axisc": 0}, lambda x, y: torch.cross(x, y, dim=1).T),
    ):
        yield from rows(np.cross, theirs, [(3, 3), (3, 3)], **form)
    yield from rows(np.cross, lambda x, y: torch.linalg.cross(x, y.expand(2, 3)), [(2, 3), (3,)])


# --- shapes ---------------------------------------------------------------------------------------

T = (2, 3, 4)
NUMBER, VECTOR, MATRIX = [()], [(3,)], [(2, 3)]


def shaping() -> Iterator[Row]:
    yield from rows(np.reshape, "reshape", [T], then=((6, 4),),
                    also=["reshape", lambda x: x.reshape(6, -1)])
    yield from rows(np.reshape, lambda x: x.reshape(-1), [T], then=(-1,), also=["reshape"])
    yield from rows(np.reshape, lambda x: x.reshape(24), [T], then=(24,))
    for shape in ((4, 1, 6), (-1, 1, 8)):
        yield from rows(np.reshape, "reshape", [T], then=(shape,))
    if NUMPY >= (2, 1):
        yield from rows(np.reshape, lambda x: x.reshape(4, 6), [T], shape=(4, 6))
    yield from rows(np.reshape, lambda x: x.permute(2, 1, 0).reshape(6, 4).T, [T], then=((4, 6),),
                    order="F", also=["reshape"])
    yield from rows(np.reshape, "reshape", [(1, 1)], then=((),))
    yield from rows(np.reshape, "reshape", [(0, 2)], then=((3, 0),))
    yield from rows(np.ravel, lambda x: x.reshape(-1), NUMBER, VECTOR, [T], [(0, 2)],
                    also=["ravel", "flatten"])
    yield from rows(np.ravel, lambda x: x.permute(2, 1, 0).reshape(-1), [T], order="F")
    yield from rows(np.transpose, lambda x: x.permute(2, 1, 0), [T],
                    also=["transpose", lambda x: x.T, lambda x: x.transpose(2, 1, 0)])
    for axes in ((1, 2, 0), [2, 1, 0]):
        yield from rows(np.transpose, "permute", [T], then=(axes,))
    yield from rows(np.transpose, lambda x: x.permute(2, 0, 1), [T], axes=(-1, 0, 1))
    yield from rows(np.transpose, lambda x: x + 0, NUMBER)
    yield from rows(np.matrix_transpose, lambda x: x.mT, [T])
    yield from rows(np.linalg.matrix_transpose, lambda x: x.mT, [T])
    yield from rows(np.swapaxes, "swapaxes", [T], then=(-1, -2), also=["swapaxes", lambda x: x.mT])
    yield from rows(np.swapaxes, "swapaxes", [T], then=(0, 2))
    yield from rows(np.moveaxis, "moveaxis", [T], then=(0, -1))
    yield from rows(np.moveaxis, "moveaxis", [T], then=((0, 1), (-1, 0)))
    for then, axes in (((2,), (2, 0)), ((0, 3), (0, 2)), ((-1, -2), (2, 1))):
        yield from rows(np.rollaxis, lambda x, a=axes: torch.moveaxis(x, *a), [T], then=then)
    for axis in (0, -1):
        yield from rows(np.expand_dims, "unsqueeze", NUMBER, VECTOR, MATRIX, then=(axis,))
    yield from rows(np.expand_dims, lambda x: x[None, ..., None], NUMBER, VECTOR, MATRIX,
                    then=((0, -1),))
    yield from rows(np.squeeze, "squeeze", [(1, 3, 1)], also=["squeeze"])
    yield from rows(np.squeeze, "squeeze", [(1, 3, 1)], then=(-1,))
    yield from rows(np.squeeze, "squeeze", [(1, 3, 1)], axis=(0, 2))
    for shape, to in (((3,), (2, 3)), ((2, 1), (4, 2, 3)), ((), (2,)), ((1,), (0,))):
        yield from rows(np.broadcast_to, "broadcast_to", [shape], then=(to,))
    yield from rows(np.broadcast_to, lambda x: 1 * x, [(3,)], then=(3,))
    yield from rows(np.broadcast_arrays, "broadcast_tensors", [(2, 1), (3,)])
    yield from rows(np.meshgrid, lambda *xs: torch.meshgrid(*xs, indexing="xy"), [(2,), (3,), (2,)])
    yield from rows(np.meshgrid, "meshgrid", [(2,), (3,), (2,)], indexing="ij")
    yield from rows(np.meshgrid, lambda x, y, z: (x[None, :, None], y[:, None, None], z[None, None, :]),
                    [(2,), (3,), (2,)], sparse=True)
    yield from rows(np.full_like, lambda x: 2.0 * x, VECTOR, call=lambda x: np.full_like(x, 2.0) * x)
    yield from rows(np.full_like, lambda x: 0 * x + x[0], MATRIX, call=lambda x: np.full_like(x, x[0]))

    for axis, shapes in ((0, [(2, 3), (1, 3)]), (1, [(2, 3), (2, 2)]), (-1, [(2, 3), (2, 0)])):
        yield from rows(np.concatenate, lambda *xs, a=axis: torch.cat(xs, a), shapes,
                        name=f"concatenate, {axis}",
                        call=lambda *xs, a=axis: np.concatenate(list(xs), axis=a),
                        also=[lambda *xs, a=axis: np.concat(xs, a)])
        yield from rows(np.stack, lambda *xs, a=axis: torch.stack(xs, a), [(2, 3), (2, 3)],
                        call=lambda *xs, a=axis: np.stack(xs, axis=a), name=f"stack, {axis}")
    flat = lambda x, y: torch.cat([x.reshape(-1), y])
    yield from rows(np.concatenate, lambda x, y: torch.cat([x, y, x]), [(2,), (3,)],
                    call=lambda x, y: np.concatenate([x, y, x]))
    yield from rows(np.concatenate, flat, [(2, 2), (3,)], call=lambda *xs: np.concatenate(xs, axis=None))
    yield from rows(np.concatenate, lambda x: torch.cat(list(x), 1), [(2, 3, 2)], axis=1)
    yield from rows(np.append, flat, [(2, 2), (3,)])
    yield from rows(np.append, lambda x, y: torch.cat([x, y], 1), [(2, 2), (2, 1)], axis=1)
    yield from rows(np.stack, lambda x, y: torch.stack([x, y, x]), [(), ()],
                    call=lambda x, y: np.stack([x, y, x]))
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        function = getattr(np, name)
        several = {
            "column_stack": [[(3,), (3,)], [(3, 2), (3,)], [(2, 3, 2), (2, 1, 2)], [(), ()]],
        }.get(name, [[(), ()], [(3,), (3,)], [(2, 3), (2, 3)], [(2, 3, 1), (2, 3, 1)]])
        yield from rows(function, lambda *xs, name=name: getattr(torch, name)(xs), *several,
                        call=lambda *xs, f=function: f(xs), name=name)
    yield from rows(np.vstack, lambda x: torch.vstack(list(x)), MATRIX)
    for function in (np.split, np.array_split):
        for parts in (2, (1, 3), (2,), 4):
            yield from rows(function, lambda x, n=parts: torch.tensor_split(x, n, dim=1), [(2, 4)],
                            then=(parts,), axis=1)
        for places in ([], [1, -1], [0, 5]):
            yield from rows(function, None, [(2, 4)], then=(places,), axis=1)
    yield from rows(np.array_split, "tensor_split", [(7, 2)], then=(3,))
    yield from rows(np.array_split, lambda x: torch.tensor_split(x, 4), [(3,)], then=(4,), axis=-1)
    for name, shape, parts in (
        ("hsplit", (3, 4), 2), ("hsplit", (4,), [1]), ("vsplit", (4, 3), 2), ("dsplit", T, 2),
    ):
        yield from rows(getattr(np, name), name, [shape], then=(parts,))

    every = lambda x: torch.flip(x, (0, 1, 2))
    yield from rows(np.flip, every, [T])
    yield from rows(np.flip, lambda x: torch.flip(x, (0, -1)), [T], axis=(0, -1))
    for axis in (0, -2):
        yield from rows(np.flip, lambda x, axis=axis: torch.flip(x, (axis,)), [T], then=(axis,))
    yield from rows(np.fliplr, "fliplr", MATRIX)
    yield from rows(np.flipud, "flipud", MATRIX)
    for shift, axis in (
        (2, None), (-5, None), (1, 1), ((1, 2), (0, 1)), ([1, 2], (0, -1)), (0, 0), (1, (0, 1)),
    ):
        shifts = (1, 1) if (shift, axis) == (1, (0, 1)) else shift
        theirs = lambda x, a=(shifts, axis): torch.roll(x, *(a if a[1] is not None else a[:1]))
        yield from rows(np.roll, theirs, MATRIX, then=(shift,), **{} if axis is None else {"axis": axis})
    yield from rows(np.roll, "roll", [(0,)], then=(1,))
    for then, form, *theirs in (
        ((), {}, 1, (0, 1)), ((2,), {}, 2, (0, 1)), ((-1,), {}, -1, (0, 1)), ((), {"k": 3}, 3, (0, 1)),
        ((1, (1, 2)), {}, 1, (1, 2)), ((), {"k": 1, "axes": (2, 0)}, 1, (2, 0)),
    ):
        yield from rows(np.rot90, lambda x, a=theirs: torch.rot90(x, *a), [T], then=then, **form)
    for reps in ((2, 3), (2, 1, 2), (1, 1)):
        yield from rows(np.tile, "tile", NUMBER, VECTOR, MATRIX, then=(reps,))
    for reps in (2, 0, [2]):
        theirs = lambda x, n=reps: torch.tile(x, (n,) if isinstance(n, int) else n)
        yield from rows(np.tile, theirs, NUMBER, VECTOR, MATRIX, then=(reps,))
    for times, form in (
        (2, {}), (2, {"axis": 0}), (3, {"axis": -1}), (0, {"axis": 1}), ([1, 0, 2], {"axis": 1}),
        (np.array([2, 1]), {"axis": 0}),
    ):
        theirs = lambda x, n=times, form=form: torch.repeat_interleave(x, torch.tensor(n),
                                                                       *form.values())
        yield from rows(np.repeat, theirs, MATRIX, then=(times,), also=["repeat"], **form)
    yield from rows(np.repeat, lambda x: x.repeat(3), NUMBER, then=(3,))
    for width, form, *theirs in (
        (1, {}, (1, 1, 1, 1)), ((1, 2), {}, (1, 2, 1, 2)), (((0, 1), (2, 0)), {}, (2, 0, 0, 1)),
        (((1, 1), (0, 0)), {"constant_values": 2.5}, (0, 0, 1, 1), "constant", 2.5),
        (1, {"mode": "edge"}, (1, 1, 1, 1), "replicate"),
        ((1, 2), {"mode": "wrap"}, (1, 2, 1, 2), "circular"),
        (((1, 0), (2, 1)), {"mode": "reflect"}, (2, 1, 1, 0), "reflect"),
    ):
        padded = lambda x, a=theirs: tf.pad(x[None, None], *a)[0, 0]
        yield from rows(np.pad, padded, MATRIX, then=(width,), **form)
    yield from rows(np.pad, None, MATRIX, then=(2, "symmetric"))
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        yield from rows(getattr(np, name), name, NUMBER, VECTOR, MATRIX, [(2, 3, 2)], [(), (3,)])


# --- indexing -------------------------------------------------------------------------------------

INDICES = [  # each of an array of shape (2, 3, 4)
    0,
    -1,
    (1, 2),
    (1, 2, -1),
    np.s_[:],
    np.s_[1:],
    np.s_[::2],
    np.s_[:, 1:3],
    (..., 0),
    (0, ..., 1),
    None,
    np.s_[:, None, 1],
    ...,
    (),
    np.s_[5:],
    np.int64(1),
    (..., None),
    np.s_[:, :, -2:],
    # arrays of places
    PLACES,
    [1, 0, 1],
    (PLACES, 0),
    np.s_[:, PLACES],
    (PLACES, PLACES),
    (..., PLACES),
    np.s_[PLACES, :, 0],
    PLACES[:0],
    (None, PLACES),
    np.s_[PLACES, 1:],
    np.s_[1:, PLACES],
    -PLACES,
    PLACES * 2 - 1,
    ([0], [1], [2]),
    # masks
    MASK,
    ~MASK,
    NONE,
    (MASK, 1),
    np.s_[MASK, ::2],
    np.s_[:, C],
    (0, C),
    [True, False],
    C[:2],
    np.s_[:, C, 1],
]


def indexing() -> Iterator[Row]:
    get, along = operator.getitem, np.take_along_axis
    for index in INDICES:
        yield from rows(get, ..., [T], then=(index,), name="index")
    for index in np.s_[::-1, :], np.s_[:, ::-2], np.s_[::-1, 2:0:-1]:
        yield from rows(get, None, [T], then=(index,))  # PyTorch has no negative steps
    for index in (), (..., None):
        yield from rows(get, ..., NUMBER, then=(index,))
    for index in (COLUMNS, PLACES), np.s_[:, COLUMNS], np.s_[PLACES, :, COLUMNS]:
        yield from rows(get, ..., [(3, 3, 4)], then=(index,))
    yield from rows(get, ..., [(3, 3)], then=((COLUMNS, PLACES),))
    yield from rows(get, None, [T], then=(np.s_[0, :, PLACES],))  # PyTorch puts the axis last
    yield from rows(get, ..., MATRIX, call=lambda x: x[x > 0])
    for index in (True, False):
        yield from rows(get, ..., [(2,)], then=(index,))
    for index in (np.array(1), np.array(True)):
        yield from rows(get, ..., MATRIX, then=(index,))
    yield from rows(rules.scatter_add, lambda x: x.new_zeros(3, 2).index_add(0, torch.tensor(PLACES), x),
                    [(4, 2)], then=(PLACES, (3, 2)))
    yield from rows(rules.scatter_add, None, [(1, 4)], then=((slice(0, 1), PLACES), (2, 3)))

    for places, axis in ((PLACES, 0), (PLACES, 1), (COLUMNS, -1), (1, 1), ([0, 0], 0), ((0, -1), 2)):
        where = (..., places) if axis in (-1, 2) else (slice(None),) * axis + (places,)
        theirs = lambda x, where=where: x[in_torch(where)]
        yield from rows(np.take, theirs, [T], then=(places,), axis=axis, also=["take"])
    yield from rows(np.take, lambda x: x[:, [1, 0, 1]], MATRIX, then=([True, False, True],), axis=1)
    yield from rows(np.take, "take", MATRIX, then=(ALONG,))
    yield from rows(np.take, lambda x: x.reshape(-1)[[0, 5, 5]], MATRIX, then=((0, 5, 5),))
    yield from rows(along, "take_along_dim", MATRIX, then=(ALONG, 1))
    for shape, places, axis in (((2, 3), ALONG, -1), ((3, 4), ALONG[:, :1], 0), ((1, 3), ALONG, 1)):
        theirs = lambda x, a=(places, axis): torch.take_along_dim(x, *in_torch(a))
        yield from rows(along, theirs, [shape], then=(places,), axis=axis)
    yield from rows(along, lambda x: x.reshape(-1)[PLACES], MATRIX, then=(PLACES,), axis=None)


# --- functional -----------------------------------------------------------------------------------


def functional() -> Iterator[Row]:
    nn = "nn.functional."
    for function, theirs, domain in (
        (F.relu, "relu", "not zero"), (F.leaky_relu, f"{nn}leaky_relu", "not zero"),
        (F.elu, f"{nn}elu", "not zero"), (F.softplus, lambda x: tf.softplus(x, threshold=1e9), "any"),
        (F.sigmoid, "sigmoid", "any"), (F.silu, f"{nn}silu", "any"), (F.gelu, f"{nn}gelu", "any"),
        (F.erf, "erf", "any"),
    ):
        yield from rows(function, theirs, *SHAPES, domain=domain)
    yield from rows(F.gelu, lambda x: tf.gelu(x, approximate="tanh"), *SHAPES, then=("tanh",))
    yield from rows(F.leaky_relu, f"{nn}leaky_relu", VECTOR, then=(0.3,), domain="not zero")
    yield from rows(F.elu, f"{nn}elu", VECTOR, alpha=1.5, domain="not zero")
    for name in ("softmax", "log_softmax", "logsumexp"):
        function = getattr(F, name)
        theirs = lambda x, name=name: getattr(torch, name)(x, -1)
        yield from rows(function, theirs, *SHAPES[1:])
        for axis in (0, 1, -2):
            keep = {"keepdims": True} if name == "logsumexp" else {}
            yield from rows(function, name, [T], axis=axis, **keep)
    yield from rows(F.standardize, lambda x: tf.layer_norm(x, x.shape[-1:]), *SHAPES[1:], domain="apart")
    for axis in (0, 1, -2):
        last = lambda x, axis=axis: x.movedim(axis, -1)
        theirs = lambda x, last=last, axis=axis: tf.layer_norm(
            last(x), [x.shape[axis]], eps=0.1
        ).movedim(-1, axis)
        yield from rows(F.standardize, theirs, [T], then=(axis,), eps=0.1)
    yield from rows(F.logsumexp, "logsumexp", [T], axis=(0, 2))
    yield from rows(F.logsumexp, lambda x: torch.logsumexp(x, (0, 1)), MATRIX, axis=None)
    hidden = lambda x: torch.softmax(torch.where(torch.tensor(MASK), x, -math.inf), -1)
    yield from rows(F.masked_softmax, hidden, [(4, 2, 3)], then=(MASK,))
    yield from rows(F.masked_softmax, lambda x: torch.softmax(x, -1), MATRIX)
    # a column with nothing to choose from
    yield from rows(F.masked_softmax, None, MATRIX, then=(MASK,), axis=0)

    bce = F.binary_cross_entropy_with_logits
    for form in ({}, {"reduction": "sum"}, {"reduction": "none"}, {"ignore_index": 0}):
        yield from rows(F.nll_loss, f"{nn}nll_loss", MATRIX, then=(TARGETS,), domain="negative",
                        **form)
        for smoothed in (form, {**form, "label_smoothing": 0.2}):
            yield from rows(F.cross_entropy, f"{nn}cross_entropy", MATRIX, then=(TARGETS,), **smoothed)
        if "ignore_index" not in form:
            yield from rows(F.mse_loss, f"{nn}mse_loss", [(2, 3), (2, 3)], **form)
            yield from rows(bce, f"{nn}{bce.__name__}", [(2, 3), YES], **form)
    for name, domain in (("nll_loss", "negative"), ("cross_entropy", "any")):
        theirs = lambda x, name=name: getattr(tf, name)(x.movedim(-1, 1), torch.tensor(ALONG))
        yield from rows(getattr(F, name), theirs, [(2, 2, 3)], then=(ALONG,), domain=domain)
    yield from rows(F.cross_entropy, lambda x: tf.cross_entropy(x, torch.tensor(1)), VECTOR, then=(1,))
    yield from rows(bce, f"{nn}{bce.__name__}", [(2, 3), (2, 3)], name="bce with any targets",
                    domain=("any", "probabilities"))
    yield from rows(F.embedding, lambda x: tf.embedding(torch.tensor(ALONG), x), [(3, 4)], then=(ALONG,))
    yield from rows(F.linear, lambda x, y, z=None: tf.linear(x, y.T, z), [(2, 2, 3), (3, 4), (4,)],
                    [(0, 2, 3), (3, 4)], [(3,), (3, 4)], [(2, 3), (3, 4)])
    yield from rows(F.layer_norm, lambda x, y, z: tf.layer_norm(x, (4,), y, z), [T, (4,), (4,)],
                    [(4,), (4,), (4,)])
    yield from rows(F.masked_fill, "masked_fill", MATRIX, then=(MASK, -2.0))
    yield from rows(F.dropout, None, [(4, 5)],
                    call=lambda x: F.dropout(x, 0.4, rng=np.random.default_rng(3)))


# --- decompositions -------------------------------------------------------------------------------


def decompositions() -> Iterator[Row]:
    """Of vectors whose sign is any, PyTorch is asked for the absolute values."""
    la, apart = np.linalg, {"domain": "regular, apart"}
    lower, upper = lambda x: like.lower(x), lambda x: like.lower(x.mT)
    square = [[(3, 3)], [(1, 1)], [(2, 3, 3)], [(0, 2, 2)], [(0, 0)]]
    for then, half in (((), lower), (("U",), upper)):
        yield from rows(la.eigh, None, *square, then=then, **apart)
        yield from rows(la.eigh, lambda x, half=half: abs(torch.linalg.eigh(half(x))[1]), *square,
                        call=lambda x, then=then: abs(la.eigh(x, *then)[1]),
                        name=f"vectors of eigh{then}", smooth=False, **apart)
    yield from rows(la.eigvalsh, lambda x: torch.linalg.eigvalsh(lower(x)), *square,
                    also=[lambda x: la.eigh(x).eigenvalues], **apart)
    yield from rows(la.cholesky, lambda x: torch.linalg.cholesky(lower(x)), *square, **REGULAR)
    yield from rows(la.cholesky, lambda x: torch.linalg.cholesky(upper(x)).mT, *square, upper=True,
                    **REGULAR)
    yield from rows(la.pinv, lambda x: torch.linalg.pinv(lower(x)), *square, hermitian=True, **REGULAR)
    yield from rows(la.svd, None, *square, **apart)
    yield from rows(la.qr, "linalg.qr", *square, then=("complete",), **apart)

    wide = [[(3, 3)], [(4, 2)], [(2, 4)], [(2, 3, 2)], [(0, 2, 3)], [(3, 0)], [(0, 3)]]
    yield from rows(la.svd, None, *wide, full_matrices=False, **apart)
    for i in (0, 2):
        theirs = lambda x, i=i: abs(torch.linalg.svd(x, full_matrices=False)[i])
        yield from rows(la.svd, theirs, *wide, call=lambda x, i=i: abs(la.svd(x, False)[i]),
                        name=f"vectors {i} of svd", smooth=False, **apart)
    yield from rows(la.svdvals, "linalg.svdvals", *wide,
                    also=[lambda x: la.svd(x).S, lambda x: la.svd(x, compute_uv=False)], **apart)
    yield from rows(la.qr, "linalg.qr", *wide, **apart)
    yield from rows(la.qr, lambda x: torch.linalg.qr(x)[1], *wide, mode="r", **apart)
    yield from rows(la.pinv, "linalg.pinv", *wide, also=[lambda x: la.pinv(x, 1e-12)], **apart)
    solution = lambda x, y: torch.linalg.pinv(x) @ y
    several = [[s, (s[0], *more)] for (s,) in wide if len(s) == 2 for more in ((), (2,))]
    yield from rows(la.lstsq, solution, *several, call=lambda x, y: la.lstsq(x, y)[0],
                    domain=("regular, apart", "any"))
    yield from rows(la.lstsq, lambda x, y: ((y - x @ solution(x, y)) ** 2).reshape(4, -1).sum(0),
                    [(4, 2), (4,)], [(4, 2), (4, 2)], call=lambda x, y: la.lstsq(x, y, None)[1],
                    domain=("regular, apart", "any"))
    for order in ("nuc", 2, -2):
        yield from rows(la.matrix_norm, "linalg.matrix_norm", [(2, 3, 3)], ord=order)


# --- statistics, with and without NaN ---------------------------------------------------------------

GAPS = [[math.nan, 2.0, -3.0, 1.0], [0.5, math.nan, math.nan, -2.0]]
UNLIKE_PYTORCH = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "weibull", "hazen",
    "interpolated_inverted_cdf", "median_unbiased", "normal_unbiased",
)


def statistics() -> Iterator[Row]:
    for form in ({}, {"axis": 0}, LAST_KEPT):
        for name in ("nanprod", "nanmax", "nanmin", "nanvar", "nanstd", "nanmedian"):
            function, theirs = getattr(np, name), None if name == "nanmedian" else name
            explicit = lambda x, f=function, form=form: f(x, ddof=0, **form)
            also = [explicit] if name in ("nanvar", "nanstd") else []
            yield from rows(function, theirs, [(3, 4)], also=also, domain="apart", **form)
            if name != "nanstd" or form == {}:  # PyTorch's root has no slope at 0
                yield from rows(function, theirs, [GAPS], name=f"np.{name}, gaps", also=also,
                                smooth=False, **form)
    for name in ("nancumsum", "nancumprod"):
        filled = lambda x, name=name: torch.where(x.isnan(), int(name == "nancumprod"), x)
        over = lambda x, axis, name=name, filled=filled: getattr(torch, name[3:])(filled(x), axis)
        yield from rows(getattr(np, name), lambda x, over=over: over(x.reshape(-1), 0), [GAPS],
                        smooth=False)
        yield from rows(getattr(np, name), lambda x, over=over: over(x, 0), [GAPS], axis=0, smooth=False)
    yield from rows(np.nanvar, lambda x: torch.var(x, 0), [(3, 4)], axis=0, ddof=1)
    several = [0.1, 0.5, 0.75]
    for name in ("quantile", "nanquantile"):
        function, theirs = getattr(np, name), lambda x, *a, name=name: getattr(torch, name)(x, *a)
        for q, form, asked in (
            (0.3, {"axis": 0}, (0.3, 0)), (0, {"axis": -1, "keepdims": True}, (0.0, -1, True)),
            (1.0, {}, (1.0,)),
        ):
            yield from rows(function, lambda x, f=theirs, a=asked: f(x, *a), [T], then=(q,), **form,
                            domain="apart")
        yield from rows(function, None, [T], then=(0.45,), axis=(0, 2), domain="apart")
        yield from rows(function, lambda x, f=theirs: f(x, torch.tensor(several, dtype=x.dtype), 1), [T],
                        call=lambda x, f=function: f(x, np.array(several, x.dtype), 1),
                        name=f"several of {name}", domain="apart")
        yield from rows(
            function,
            None,
            [T],
            name=f"several of {name}, two axes",
            domain="apart",
            call=lambda x, f=function: f(
                x, np.array(several, x.dtype), axis=(0, -1), keepdims=True
            ),
        )
    yield from rows(np.quantile, None, [(4,)], then=(np.array([0.1, 0.9]),), domain="apart")
    yield from rows(np.nanquantile, "nanquantile", [GAPS], then=(0.4,), axis=1, smooth=False)
    for method in ("lower", "higher", "nearest", "midpoint"):
        theirs = lambda x, method=method: torch.quantile(x, 0.4, interpolation=method)
        yield from rows(np.quantile, theirs, [(6,)], then=(0.4,), method=method, domain="apart")
    for method in UNLIKE_PYTORCH:
        yield from rows(np.quantile, None, [(5,)], then=(0.4,), method=method, domain="apart")
    for function, theirs in (
        (np.percentile, lambda x: torch.quantile(x, 0.3, 1)),
        (np.nanpercentile, lambda x: torch.nanquantile(x, 0.3, 1)),
    ):
        yield from rows(function, theirs, [(2, 4)], then=(30,), axis=1, domain="apart")
        yield from rows(function, None, [(2, 4)], name=f"{function.__name__} of a matrix",
                        domain="apart", call=lambda x, f=function: f(x, np.array([[10, 90.0]], x.dtype)))
    yield from rows(np.cov, "cov", [(3, 4)], also=[lambda x: np.cov(x.T, rowvar=False)])
    yield from rows(np.cov, lambda x: torch.cov(x, correction=0), [(3, 4)], bias=True,
                    also=[lambda x: np.cov(x, ddof=0)])
    yield from rows(np.cov, "cov", [(4,)])
    yield from rows(np.cov, lambda x, y: torch.cov(torch.cat([x.T, y[None]])), [(4, 2), (4,)],
                    rowvar=False)


# --- samples, and NumPy's newer names ---------------------------------------------------------------


def convolved(x: Any, y: Any, padding: int) -> Any:
    long, short = (x, y) if len(x) >= len(y) else (y, x)
    return torch.conv1d(long[None, None], short.flip(0)[None, None], padding=padding)[0, 0]


def samples() -> Iterator[Row]:
    yield from rows(np.sinc, "sinc", *SHAPES)
    yield from rows(np.sinc, None, [[0.0, 1e-9, 0.3, 0.318, 0.319, 4.0]])
    for name in ("fmax", "fmin"):
        yield from rows(getattr(np, name), name, *PAIRS, domain=KINKED)
        one, other = [math.nan, 1.0, 2.0, math.nan], [1.0, math.nan, 3.0, math.nan]
        yield from rows(getattr(np, name), None, [one, other], smooth=False)
    points = [[0.7, -1.2, 2.3, 3.4, -0.6], [0.0, 1.0, 3.0], [1.0, -2.0, 5.0]]
    for form in ({}, {"left": -4.0}, {"right": 7.0, "left": 0.25}, {"period": 2.5}, {"period": -3.7}):
        yield from rows(np.interp, None, points, **form)
    yield from rows(np.interp, None, [(2, 3), (3,)], domain="not zero",
                    call=lambda x, y: np.interp(x, np.array([0.0, 0.4, 2.5]), y, y[0] * 2))
    yield from rows(np.interp, lambda x, y: y.expand(2, 2) + 0 * x, [[[0.0, 1.0], [2.0, 3.0]], (1,)],
                    call=lambda x, y: np.interp(x, np.array([1.0]), y))
    for n, m in ((5, 3), (2, 4), (4, 4), (3, 1), (1, 1)):
        for mode, padding in (("full", min(n, m) - 1), ("same", None), ("valid", 0)):
            theirs = lambda x, y, padding=padding: convolved(x, y, padding)
            yield from rows(np.convolve, None if padding is None else theirs, [(n,), (m,)], then=(mode,),
                            also=[np.convolve] if mode == "full" else [])
    yield from rows(np.block, lambda x, y, z: torch.cat([torch.cat([x, y], 1), torch.cat([y.T, z], 1)]),
                    [(2, 2), (2, 3), (3, 3)], call=lambda x, y, z: np.block([[x, y], [y.T, z]]))
    yield from rows(np.block, lambda x, y: torch.cat([x, y[None]]), [(2,), ()],
                    call=lambda x, y: np.block([x, y]))
    yield from rows(np.block, lambda x, y: torch.cat([x, y])[None], [(2,), (2,)],
                    call=lambda x, y: np.block([[x, y]]))
    yield from rows(np.block, lambda x: 1 * x, MATRIX)
    for mode, places in (("wrap", [2, 0, 1, 0]), ("clip", [2, 0, 2, 0])):
        yield from rows(np.take, lambda x, places=places: x[:, places], MATRIX, then=([5, 0, 4, -3], 1),
                        mode=mode,
                        call=lambda x, places, axis, mode: np.take(x, places, axis, mode=mode),
                        also=[lambda x, mode=mode: x.take([5, 0, 4, -3], 1, mode=mode)])
    yield from rows(np.full_like, lambda x: x[0].expand(2, 2) + 0, VECTOR,
                    call=lambda x: np.full_like(x, x[0], shape=(2, 2)))
    yield from rows(np.full_like, lambda x: 1 * x, [(2,)], call=lambda x: np.full_like(x, x, shape=2))
    for order in (0.5, -0.5, -1, -2.0):
        for form in ({"axis": 1}, {"axis": 0, "keepdims": True}):
            yield from rows(np.linalg.norm, "norm", MATRIX, ord=order, **form, domain="not zero")
        yield from rows(np.linalg.norm, "norm", [[0.0, 2.0, -1.0]], ord=order, smooth=False)
    for theirs, ours, *shapes in (  # operands and lists of axes in turn
        ("ij,jk->ik", lambda x, y: np.einsum(x, [0, 1], y, [1, 2], [0, 2]), (4, 2), (2, 3)),
        ("ij,jk", lambda x, y: np.einsum(x, [0, 1], y, [1, 30]), (4, 2), (2, 3)),
        ("...i,ij->j", lambda x, y: np.einsum(x, [..., 3], y, [3, ...], [...]), (2,), (2, 3)),
        ("ii,ij->", lambda x, y: np.einsum(x, [0, 0], y, [0, 2], []), (2, 2), (2, 3)),
    ):
        yield from rows(np.einsum, lambda *xs, s=theirs: torch.einsum(s, *xs), shapes, call=ours,
                        name=f"einsum by lists {theirs!r}")


NEWER: list[tuple[str, Any, list, dict[str, Any]]] = [  # some came after NumPy 2.0
    ("linalg.matmul", "matmul", [(2, 3), (3, 4)], {}),
    ("linalg.outer", "outer", [(2,), (3,)], {}),
    ("linalg.cross", "cross", [(3, 2), (3, 2)], {"axis": 0}),
    ("linalg.trace", lambda x: torch.diagonal(x, 1, -2, -1).sum(-1), [T], {"offset": 1}),
    ("linalg.diagonal", lambda x: torch.diagonal(x, -1, -2, -1), [T], {"offset": -1}),
    ("linalg.tensordot", operator.matmul, [(2, 3), (3, 4)], {"axes": 1}),
    ("linalg.vecdot", lambda x, y: torch.linalg.vecdot(x, y, dim=0), [(3, 2), (3, 2)], {"axis": 0}),
    ("linalg.vector_norm", "norm", [(2, 3)], {}),
    ("linalg.vector_norm", "norm", [T], {"axis": (0, 2), "ord": 3}),
    ("linalg.vector_norm", "norm", [(2, 3)], {"axis": 1, "keepdims": True, "ord": 1}),
    (
        "linalg.matrix_norm",
        lambda x: torch.linalg.matrix_norm(x, keepdim=True),
        [T],
        {"keepdims": True},
    ),
    ("unstack", lambda x: torch.unbind(x, 1), [(2, 3)], {"axis": 1}),
    ("cumulative_sum", lambda x: torch.cumsum(x, 0), [(3,)], {}),
    (
        "cumulative_sum",
        lambda x: tf.pad(torch.cumsum(x, 1), (1, 0)),
        [(2, 3)],
        {"axis": -1, "include_initial": True},
    ),
    (
        "cumulative_prod",
        lambda x: torch.cat([0 * x[:1] + 1, torch.cumprod(x, 0)]),
        [(2, 3)],
        {"axis": 0, "include_initial": True},
    ),
    ("matvec", operator.matmul, [(5, 2, 3), (3,)], {}),
    ("matvec", lambda x, y: y @ x.T, [(2, 3), (4, 3)], {}),
    ("vecmat", operator.matmul, [(2,), (5, 2, 3)], {}),
    ("vecmat", operator.matmul, [(4, 2), (2, 3)], {}),
]


def newer_names() -> Iterator[Row]:
    for name, theirs, shapes, form in NEWER:
        home, name = (np.linalg, name[7:]) if name.startswith("linalg.") else (np, name)
        if hasattr(home, name):
            yield from rows(getattr(home, name), theirs, shapes, **form)


FIVE, SIX = (2, 1, 2, 1, 3), (2, 1, 2, 3, 1)
OF_FIVE_AXES: dict[Callable, dict[str, Any]] = {
    np.sum: {"axis": (1, -1)}, np.mean: {"axis": (0, 2), "keepdims": True}, np.var: {"axis": (0, 4)},
    np.std: {"axis": -1}, np.prod: {"axis": (0, 4)}, np.cumsum: {"axis": 4}, np.cumprod: {"axis": -1},
    np.diff: {"axis": 2}, np.average: {"axis": (2, 4)}, np.trapezoid: {"axis": 0},
    np.linalg.norm: {"axis": -1}, np.ravel: {}, np.reshape: {"then": ((3, 2, 2),)},
    np.transpose: {"axes": (4, 2, 0, 1, 3)}, np.swapaxes: {"then": (0, 4)},
    np.moveaxis: {"then": ((0, 4), (4, 1))}, np.rollaxis: {"then": (4, 1)}, np.flip: {"axis": (0, 4)},
    np.roll: {"shift": (1, 2), "axis": (0, 4)}, np.rot90: {"axes": (2, 4)},
    np.squeeze: {"axis": (1, 3)}, np.expand_dims: {"axis": (0, 3)},
    np.broadcast_to: {"shape": (2, 4, 2, 2, 3)}, np.tril: {}, np.triu: {},
    np.diagonal: {"axis1": 2, "axis2": 4}, np.trace: {"axis1": 0, "axis2": 2},
    np.split: {"then": ([1],), "axis": 2}, np.tile: {"reps": (2, 1, 1, 2, 1)},
    np.repeat: {"repeats": 2, "axis": 3}, np.pad: {"pad_width": 1},
    np.take: {"then": (PLACES,), "axis": 2}, operator.getitem: {"then": ((0, ..., [0, 2]),)},
    F.softmax: {}, F.logsumexp: {"axis": (0, 4)}, F.standardize: {"axis": 4, "domain": "apart"},
    np.clip: {"then": (-0.05, 0.05), "domain": "between"}, np.max: {"axis": (0, 4), "domain": "apart"},
    np.min: {"axis": -1, "keepdims": True, "domain": "apart"}, np.sort: {"axis": 4, "domain": "apart"},
    np.ptp: {"axis": (2, 4), "domain": "apart"}, np.median: {"axis": 4, "domain": "apart"},
}


def five_axes() -> Iterator[Row]:
    """What takes arrays of any number of axes, with five."""
    for function, form in OF_FIVE_AXES.items():
        yield from rows(function, None, [FIVE], **form)
    yield from rows(np.concatenate, None, [FIVE], call=lambda x: np.concatenate([x, x * x], axis=3))
    yield from rows(np.stack, None, [FIVE], call=lambda x: np.stack([x, x * x], axis=-1))
    yield from rows(np.where, None, [FIVE], call=lambda x: np.where(C, x, 2 * x))
    yield from rows(np.matmul, None, [FIVE, SIX], call=operator.matmul)
    yield from rows(np.einsum, None, [FIVE, SIX], call=lambda x, y: np.einsum("...ij,...jk->...k", x, y))
    yield from rows(np.tensordot, None, [FIVE, SIX], then=(([4, 0], [3, 2]),))
    yield from rows(np.inner, None, [FIVE, (2, 3)])
    yield from rows(np.kron, None, [FIVE, (2, 2)])
    yield from rows(F.linear, None, [FIVE, (3, 2), (2,)])
    yield from rows(F.layer_norm, None, [FIVE, (3,), (3,)], then=(0.1,))


ROWS: list[Row] = [
    *elementwise(), *kinks(), *reducing(), *linear_algebra(), *decompositions(), *statistics(),
    *samples(), *newer_names(), *shaping(), *indexing(), *functional(), *five_axes(),
]
