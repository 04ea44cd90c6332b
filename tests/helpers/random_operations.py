"""The operations that random programs are made of: each in NumPy and in PyTorch, and its options, drawn.

Below the class stand the functions that draw options, by what these are; then the table.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from operations.in_pytorch import like, reduction

from minigrad import functional as F

try:
    import torch
    from torch.nn import functional as TF
except ImportError:  # finite differences take its place
    torch = None  # type: ignore[assignment]


class Operation(NamedTuple):
    """A function of NumPy's or of `minigrad.functional`, and the same in PyTorch.

    Attributes:
        ours: the function, of Tensors and of arrays alike.
        torchs: the same of PyTorch's tensors.
        takes: how many arguments.
        draw: given random numbers and the arguments as arrays, it returns the options of a call;
            None, or a ValueError, says that there is no call that could be made.
    """

    ours: Callable[..., Any]
    torchs: Callable[..., Any]
    takes: int = 1
    draw: Callable[..., dict[str, Any] | None] = lambda rng, *arrays: {}


def alike(formula: Callable[..., Any], *rest: Any) -> Operation:
    """A formula in functions that NumPy and PyTorch call the same; `m` is one of the two."""
    return Operation(
        lambda *xs, **options: formula(np, *xs, **options),
        lambda *xs, **options: formula(torch, *xs, **options),
        *rest,
    )


def moving(
    function: Callable[..., Any], draw: Any = Operation._field_defaults["draw"]
) -> Operation:
    """A function that moves elements. PyTorch is told where each comes from, and gathers them."""

    def gather(x, **options):
        origins = function(np.arange(x.numel()).reshape(tuple(x.shape)), **options)
        return x.reshape(-1)[torch.from_numpy(np.array(origins, order="C"))]

    return Operation(function, gather, 1, draw)


# What options are drawn of. Axes count from either end.


def axis(rng: random.Random, x: np.ndarray) -> int:
    return rng.randrange(-x.ndim, x.ndim)


def some_axes(rng: random.Random, x: np.ndarray, count: int) -> tuple[int, ...]:
    return tuple(i - x.ndim * rng.randrange(2) for i in rng.sample(range(x.ndim), count))


def axes(rng: random.Random, x: np.ndarray) -> Any:
    """All axes, one, or some in any order."""
    kind = rng.choice(["all", "one", "some"])
    if kind == "all" or not x.ndim:
        return None
    return axis(rng, x) if kind == "one" else some_axes(rng, x, rng.randint(1, x.ndim))


def along(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    return {"axis": axis(rng, x)}


def along_any(rng: random.Random, x: np.ndarray) -> dict[str, Any] | None:
    return {"axis": rng.choice([None, axis(rng, x)])} if x.size else None


def over(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    return {"axis": axes(rng, x), "keepdims": rng.random() < 0.5}


def over_something(rng: random.Random, x: np.ndarray) -> dict[str, Any] | None:
    return over(rng, x) if x.ndim and x.size else None


def with_order(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    """The options of a norm."""
    chosen = over(rng, x)
    if isinstance(chosen["axis"], int):
        chosen["ord"] = rng.choice([1, 2, 3, math.inf])
    return chosen


def away_from_zero(f: Callable[..., Any], draw: Callable[..., Any]) -> Callable[..., Any]:
    """For a root: no call with a result near 0, where it has no derivatives."""

    def options(rng, x):
        chosen = draw(rng, x) if x.ndim and x.size else None
        return chosen if chosen and np.all(f(x, **chosen) > 0.05) else None

    return options


def away_from(jump: Callable[..., np.ndarray]) -> Callable[..., Any]:
    """No call with an argument so near a jump, where `jump` is 0, that rounding could cross it."""
    return lambda rng, *arrays: {} if np.all(np.abs(jump(*arrays)) > 1e-3) else None


def to_integer(x: np.ndarray) -> np.ndarray:
    return x - np.round(x)


def to_half(x: np.ndarray) -> np.ndarray:
    return to_integer(x - 0.5)


def to_multiple(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return to_integer(x / (y * y + 0.5))


def mask(rng: random.Random, shape: Sequence[int]) -> Any:
    """True and False in nested lists."""
    return [mask(rng, shape[1:]) for _ in range(shape[0])] if shape else rng.random() < 0.6


def places(rng: random.Random, n: int, shape: Sequence[int]) -> Any:
    """Places on an axis of `n`, some named twice, in nested lists."""
    return [places(rng, n, shape[1:]) for _ in range(shape[0])] if shape else rng.randrange(-n, n)


def some_slice(rng: random.Random, n: int) -> slice:
    ends = [None, *range(-n - 1, n + 2)]
    return slice(rng.choice(ends), rng.choice(ends), rng.choice([None, 1, 2, -1, -2]))


def an_index(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    """Integers, slices, lists of places, None and an ellipsis."""
    together = rng.randint(1, 4)  # the length of all lists
    draws = [
        lambda n: rng.randrange(-n, n),
        lambda n: some_slice(rng, n),
        lambda n: some_slice(rng, n),
        lambda n: places(rng, n, [together]),
    ]
    first = rng.randint(0, x.ndim)
    last = rng.choice([first, x.ndim, rng.randint(first, x.ndim)])
    items = [rng.choice(draws)(n) for n in x.shape[:first]]
    if last < x.ndim or rng.random() < 0.2:
        items += [..., *(rng.choice(draws)(n) for n in x.shape[last:])]
    if rng.random() < 0.2:
        items.insert(rng.randint(0, len(items)), None)
    return {"index": items[0] if len(items) == 1 else tuple(items)}


def a_mask(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    """For the first axes, or for all."""
    return {"chosen": mask(rng, x.shape[: rng.randint(0, x.ndim)])}


def a_mask_with_something_in_each_row(rng: random.Random, x: np.ndarray) -> dict[str, Any] | None:
    chosen = mask(rng, x.shape)
    return {"chosen": chosen} if x.ndim and x.size and np.any(chosen, -1).all() else None


def places_along(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    """As many places for each row of an axis."""
    i = axis(rng, x)
    shape = [*x.shape]
    shape[i] = rng.randint(1, 3)
    return {"indices": places(rng, x.shape[i], shape), "axis": i}


def places_on_an_axis(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    i = rng.choice([None, axis(rng, x)])
    shape = rng.choice([(), (2,), (4,), (2, 2)])
    return {"indices": places(rng, x.size if i is None else x.shape[i], shape), "axis": i}


def another_shape(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    """A shape for as many elements; NumPy may have to find out one side, -1."""
    size, sides = x.size, []
    while size > 1 and len(sides) < 3:
        sides.append(rng.choice([n for n in range(1, size + 1) if size % n == 0]))
        size //= sides[-1]
    sides.insert(rng.randint(0, len(sides)), rng.choice([size, -1]) if size else 0)
    return {"shape": tuple(sides), "order": rng.choice("CF")}


def a_wider_shape(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    """A shape to broadcast to."""
    sides = [rng.randint(1, 3) if n == 1 else n for n in x.shape]
    return {"shape": (*(rng.randint(1, 2) for _ in range(rng.randrange(2))), *sides)}


def a_shift(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    if x.ndim > 1 and rng.random() < 0.3:
        return {"shift": (rng.randint(-3, 3), rng.randint(-3, 3)), "axis": some_axes(rng, x, 2)}
    return {"shift": rng.randint(-4, 4), "axis": rng.choice([None, axis(rng, x)])}


def two_axes(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    first, second = some_axes(rng, x, 2)
    return {"axis1": first, "axis2": second}


def a_diagonal(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    return {"offset": rng.randint(-1, 1), **two_axes(rng, x)}


def a_diagonal_of_matrices(rng: random.Random, x: np.ndarray) -> dict[str, Any] | None:
    return {"k": rng.randint(-1, 1)} if x.ndim > 1 else None


def new_axes_of_old(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    count = rng.randint(1, x.ndim)
    return {"source": some_axes(rng, x, count), "destination": some_axes(rng, x, count)}


def an_axis_of_one(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    return {"axis": rng.choice([None, *(i for i, n in enumerate(x.shape) if n == 1)])}


def widths(rng: random.Random, x: np.ndarray) -> dict[str, Any] | None:
    """Of a border."""
    return (
        {"pad_width": [(rng.randrange(3), rng.randrange(3)) for _ in x.shape]} if x.ndim else None
    )


def elements_around(rng: random.Random, x: np.ndarray) -> dict[str, Any] | None:
    mode = rng.choice(["edge", "reflect", "symmetric", "wrap"])
    return {**widths(rng, x), "mode": mode} if x.ndim else None


def copies(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    """How often to repeat everything, or each place on an axis."""
    i = rng.choice([None, axis(rng, x)])
    if i is None or rng.random() < 0.5:
        return {"repeats": rng.randint(1, 2), "axis": i}
    return {"repeats": [rng.randrange(3) for _ in range(x.shape[i])], "axis": i}


def a_part(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    """Where to cut along an axis, or into how many parts, and the part to go on with."""
    i = axis(rng, x)
    cuts = sorted(rng.choices(range(x.shape[i] + 1), k=rng.randint(1, 2)))
    into = rng.choice([cuts, x.shape[i], 1])
    return {"into": into, "axis": i, "part": rng.randrange(into if into in (1, x.shape[i]) else 2)}


def sums_of_products(rng: random.Random, *arrays: np.ndarray) -> dict[str, Any]:
    """Subscripts that have a letter for each axis, and the same one only for the same size."""

    def fits(subscripts: str) -> bool:
        terms = subscripts.split("->")[0].split(",")
        return len(terms) == len(arrays) and all(map(term_fits, terms, arrays))

    return {"subscripts": rng.choice([s for s in EINSUMS if fits(s)])}


def term_fits(term: str, x: np.ndarray) -> bool:
    sizes = set(zip(term, x.shape))
    return "..." in term or (len(term) == x.ndim and len(sizes) == len(set(term)))


EINSUMS = [
    "i->", "ij->ji", "ij->j", "ij", "ii", "ii->i", "ijk->kj", "iij->ij", "iji->j", "...i->...",
    "...ij->i...j",
    "i,i", "i,j->ij", "ij,j->i", "ij,jk->ik", "ij,ij->", "ij,kj", "ij,kl->l", "ii,ij->j", "ijk,ikl->ijl",
    "ijk,k->ji", "...ij,...jk->...ik", "...i,...i->...", "i...,i...",
]  # fmt: skip


def axes_to_sum(rng: random.Random, x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """How many last axes of x and first ones of y, or which of them."""
    if rng.random() < 0.3:
        return {"axes": rng.randint(0, 2)}
    count = rng.randint(1, min(x.ndim, y.ndim))
    return {"axes": (some_axes(rng, x, count), some_axes(rng, y, count))}


def square(rng: random.Random, x: np.ndarray, *others: np.ndarray) -> dict[str, Any] | None:
    return {} if x.ndim > 1 and x.shape[-1] == x.shape[-2] else None


def regular(m: Any, x: Any) -> Any:
    """A matrix that is far from singular."""
    return 0.3 * m.tanh(x) + 2 * m.eye(x.shape[-1])


def same_shape(rng: random.Random, x: np.ndarray, y: np.ndarray) -> dict[str, Any] | None:
    return {} if x.shape == y.shape and x.size else None


def along_one(rng: random.Random, x: np.ndarray) -> dict[str, Any] | None:
    return along(rng, x) if x.size else None


def along_x(rng: random.Random, x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    return along(rng, x)


def a_map(rng: random.Random, x: np.ndarray, w: np.ndarray) -> dict[str, Any] | None:
    """Of the rows of `x`, by a matrix `w`."""
    return {} if x.ndim and w.ndim == 2 and w.size else None


def two_of_rows(rng: random.Random, x: np.ndarray, y: np.ndarray) -> dict[str, Any] | None:
    return {} if x.ndim > 1 and y.ndim > 1 and x.size and y.size else None


def two_of_three(rng: random.Random, x: np.ndarray, y: np.ndarray) -> dict[str, Any] | None:
    """Vectors with three elements."""
    return {} if x.ndim == y.ndim and x.shape[-1:] == y.shape[-1:] == (3,) else None


def axes_in_any_order(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    return {"axes": rng.choice([None, some_axes(rng, x, x.ndim)])}


def a_turn(rng: random.Random, x: np.ndarray) -> dict[str, Any]:
    return {"k": rng.randint(-1, 3), "axes": some_axes(rng, x, 2)}


def four_rows(rng: random.Random, x: np.ndarray) -> dict[str, Any] | None:
    return {"ids": [rng.randrange(len(x)) for _ in range(4)]} if x.ndim == 2 else None


def a_column_for_each_row(rng: random.Random, x: np.ndarray) -> dict[str, Any] | None:
    return {"ids": [rng.randrange(x.shape[1]) for _ in x]} if x.ndim == 2 and x.size else None


# What PyTorch has under other names.


def torch_mask(chosen: Any) -> Any:
    return torch.tensor(chosen, dtype=torch.bool)


def line(x: Any, axis: int | None) -> tuple[Any, int]:
    """All elements in one line, where no axis is named."""
    return (x.reshape(-1), 0) if axis is None else (x, axis)


def stable_sort(x: Any, axis: int) -> Any:
    return torch.sort(x, dim=axis, stable=True).values


# fmt: off
OPERATIONS: dict[str, Operation] = {
    # Elementwise. Where a function is not defined, or too steep, its formula keeps away.
    "positive":   alike(lambda m, x: +x),
    "negative":   alike(lambda m, x: -x),
    "shifted":    alike(lambda m, x: 2 * x - 1.0),
    "one_minus":  alike(lambda m, x: 1 - x),
    "square":     alike(lambda m, x: m.square(x)),
    "cube":       alike(lambda m, x: x ** 3),
    "power_2":    alike(lambda m, x: x ** 2.0),
    "power_neg":  alike(lambda m, x: (x * x + 0.5) ** -1.5),
    "two_power":  alike(lambda m, x: 2.0 ** m.tanh(x)),
    "reciprocal": alike(lambda m, x: m.reciprocal(x * x + 0.5)),
    "one_over":   alike(lambda m, x: 1 / (x * x + 0.5)),
    "sqrt":       alike(lambda m, x: m.sqrt(x * x + 0.5)),
    "cbrt":       Operation(lambda x: np.cbrt(x * x + 0.5), lambda x: (x * x + 0.5) ** (1 / 3)),
    "exp":        alike(lambda m, x: m.exp(m.tanh(x))),
    "exp2":       alike(lambda m, x: m.exp2(m.tanh(x))),
    "expm1":      alike(lambda m, x: m.expm1(m.tanh(x))),
    "log":        alike(lambda m, x: m.log(x * x + 0.5)),
    "log2":       alike(lambda m, x: m.log2(x * x + 0.5)),
    "log10":      alike(lambda m, x: m.log10(x * x + 0.5)),
    "log1p":      alike(lambda m, x: m.log1p(x * x)),
    "sin":        alike(lambda m, x: m.sin(x)),
    "cos":        alike(lambda m, x: m.cos(x)),
    "tan":        alike(lambda m, x: m.tan(m.tanh(x))),
    "arcsin":     alike(lambda m, x: m.arcsin(0.8 * m.tanh(x))),
    "arccos":     alike(lambda m, x: m.arccos(0.8 * m.tanh(x))),
    "arctan":     alike(lambda m, x: m.arctan(x)),
    "sinh":       alike(lambda m, x: m.sinh(m.tanh(x))),
    "cosh":       alike(lambda m, x: m.cosh(m.tanh(x))),
    "tanh":       alike(lambda m, x: m.tanh(x)),
    "arcsinh":    alike(lambda m, x: m.arcsinh(x)),
    "arccosh":    alike(lambda m, x: m.arccosh(x * x + 1.5)),
    "arctanh":    alike(lambda m, x: m.arctanh(0.8 * m.tanh(x))),
    "absolute":   alike(lambda m, x: m.absolute(x)),
    "fabs":       Operation(np.fabs, lambda x: torch.abs(x)),
    "deg2rad":    alike(lambda m, x: m.deg2rad(90 * x)),
    "rad2deg":    alike(lambda m, x: m.rad2deg(x / 90)),
    "nan_to_num": alike(lambda m, x: m.nan_to_num(x)),
    "clip":       alike(lambda m, x: m.clip(x, -0.5, 0.75)),
    "clip_below": alike(lambda m, x: m.clip(x, -0.5, None)),

    "add":         alike(lambda m, x, y: x + y, 2),
    "subtract":    alike(lambda m, x, y: x - y, 2),
    "multiply":    alike(lambda m, x, y: x * y, 2),
    "divide":      alike(lambda m, x, y: x / (y * y + 0.5), 2),
    "power":       alike(lambda m, x, y: (x * x + 0.5) ** m.tanh(y), 2),
    "float_power": alike(lambda m, x, y: m.float_power(x * x + 0.5, m.tanh(y)), 2),
    "logaddexp":   alike(lambda m, x, y: m.logaddexp(x, y), 2),
    "logaddexp2":  alike(lambda m, x, y: m.logaddexp2(x, y), 2),
    "arctan2":     alike(lambda m, x, y: m.arctan2(x, y * y + 0.5), 2),
    "hypot":       alike(lambda m, x, y: m.hypot(x, y * y + 0.5), 2),
    "maximum":     alike(lambda m, x, y: m.maximum(x, y), 2),
    "minimum":     alike(lambda m, x, y: m.minimum(x, y), 2),
    "clip_by":     alike(lambda m, x, y: m.clip(x, y - 0.5, y + 0.5), 2),

    # Elementwise with jumps, from which arguments are kept away.
    "sign":      alike(lambda m, x: m.sign(x), 1, away_from(lambda x: x)),
    "floor":     alike(lambda m, x: m.floor(x), 1, away_from(to_integer)),
    "ceil":      alike(lambda m, x: m.ceil(x), 1, away_from(to_integer)),
    "trunc":     alike(lambda m, x: m.trunc(x), 1, away_from(to_integer)),
    "round":     alike(lambda m, x: m.round(x), 1, away_from(to_half)),
    "rint":      Operation(np.rint, lambda x: torch.round(x), 1, away_from(to_half)),
    "tenths":    Operation(lambda x: np.round(x, 1), lambda x: torch.round(x, decimals=1),
                           1, away_from(lambda x: to_half(10 * x))),
    "positive_x":alike(lambda m, x, y: m.where(x > 0, x, y), 2, away_from(lambda x, y: x)),
    "copysign":  alike(lambda m, x, y: m.copysign(x, y), 2, away_from(lambda x, y: x * y)),
    "fmod":      alike(lambda m, x, y: m.fmod(x, y * y + 0.5), 2, away_from(to_multiple)),
    "mod":       Operation(lambda x, y: x % (y * y + 0.5),
                           lambda x, y: torch.remainder(x, y * y + 0.5), 2, away_from(to_multiple)),
    "floor_divide":  # PyTorch has no gradient for it, rather than zero
                 Operation(lambda x, y: x // (y * y + 0.5),
                           lambda x, y: (x // (y * y + 0.5)).detach() + 0 * (x + y),
                           2, away_from(to_multiple)),
    "select":    Operation(lambda x, y: np.select([x > 0.5, x > 0], [x * y, y], 0.25),
                           lambda x, y: torch.where(x > 0.5, x * y, torch.where(x > 0, y, 0.25)),
                           2, away_from(lambda x, y: x * (x - 0.5))),
    "where":     Operation(lambda x, y, chosen: np.where(np.array(chosen, bool), x, y),
                           lambda x, y, chosen: torch.where(torch_mask(chosen), x, y), 2,
                           lambda rng, x, y: {"chosen": mask(rng, np.broadcast(x, y).shape)}),

    # Reductions, running sums, sorting. Elements may be equal.
    "sum":       Operation(np.sum, like.sum, 1, over),
    "mean":      Operation(np.mean, like.mean, 1, over_something),
    "prod":      Operation(np.prod, like.prod, 1, over),
    "max":       Operation(np.max, like.max, 1, over),
    "min":       Operation(np.min, like.min, 1, over),
    "ptp":       Operation(np.ptp, like.ptp, 1, over_something),
    "var":       Operation(np.var, like.var, 1, over_something),
    "sample_var":
                 Operation(lambda x, **o: np.var(x, ddof=1, **o),
                           lambda x, **o: like.var(x, ddof=1, **o), 1,
                           lambda rng, x: over(rng, x) if min(x.shape, default=0) > 1 else None),
    "std":       Operation(np.std, like.std, 1, away_from_zero(np.std, over)),
    "norm":      Operation(np.linalg.norm, like.norm, 1, away_from_zero(np.linalg.norm, with_order)),
    "average":   Operation(lambda x, w, **o: np.average(x, weights=w * w + 0.5, **o),
                           lambda x, w, **o: like.sum(x * (w * w + 0.5), **o)
                           / like.sum(w * w + 0.5, **o), 2,
                           lambda rng, x, w: over_something(rng, x) if x.shape == w.shape else None),
    "median":    Operation(np.median, lambda x, axis: torch.quantile(x, 0.5, axis), 1, along_any),
    "cumsum":    Operation(np.cumsum, lambda x, axis: torch.cumsum(*line(x, axis)), 1, along_any),
    "cumprod":   Operation(np.cumprod, lambda x, axis: torch.cumprod(*line(x, axis)), 1, along_any),
    "sort":      Operation(np.sort, lambda x, axis: stable_sort(*line(x, axis)), 1, along_any),
    "diff":      Operation(np.diff, lambda x, n, axis: torch.diff(x, n, axis), 1,
                           lambda rng, x: {"n": rng.randrange(3), **along(rng, x)}),
    "trapezoid": Operation(np.trapezoid, lambda x, axis: torch.trapezoid(x, dim=axis), 1, along),

    # Products and matrices.
    "matmul":       alike(lambda m, x, y: x @ y, 2, lambda rng, x, y: {} if x.ndim and y.ndim else None),
    "dot":          Operation(np.dot, lambda x, y: x * y if not x.ndim * y.ndim else
                              torch.tensordot(x, y, ([x.ndim - 1], [max(y.ndim - 2, 0)])), 2),
    "inner":        Operation(np.inner, lambda x, y: x * y if not x.ndim * y.ndim else
                              torch.tensordot(x, y, ([x.ndim - 1], [y.ndim - 1])), 2),
    "outer":        Operation(np.outer, lambda x, y: torch.outer(x.reshape(-1), y.reshape(-1)), 2),
    "subtract_outer":
                    Operation(np.subtract.outer, lambda x, y: x[(..., *[None] * y.ndim)] - y, 2),
    "vdot":         Operation(np.vdot, lambda x, y: x.reshape(-1) @ y.reshape(-1), 2),
    "vecdot":       Operation(np.vecdot, lambda x, y: (x * y).sum(-1), 2),
    "einsum":       alike(lambda m, x, subscripts: m.einsum(subscripts, x), 1, sums_of_products),
    "einsum_2":
                    alike(lambda m, x, y, subscripts: m.einsum(subscripts, x, y), 2, sums_of_products),
    "tensordot":    alike(lambda m, x, y, axes: m.tensordot(x, y, axes), 2, axes_to_sum),
    "kron":         alike(lambda m, x, y: m.kron(x, y), 2),
    "cross":        Operation(np.cross, lambda x, y: torch.linalg.cross(x, y), 2,
                              two_of_three),
    "multi_dot":    Operation(lambda x, y: np.linalg.multi_dot([x, y, x]), lambda x, y: x @ y @ x, 2,
                              lambda rng, x, y: {} if x.ndim == y.ndim == 2 else None),
    "inv":          alike(lambda m, x: m.linalg.inv(regular(m, x)), 1, square),
    "det":          alike(lambda m, x: m.linalg.det(regular(m, x)), 1, square),
    "slogdet":      alike(lambda m, x: m.linalg.slogdet(regular(m, x))[1], 1, square),
    "matrix_power": alike(lambda m, x, n: m.linalg.matrix_power(regular(m, x) / 2, n), 1,
                          lambda rng, x: {"n": rng.randint(-2, 3)} if square(rng, x) == {} else None),
    "solve":        Operation(lambda x, y: np.linalg.solve(regular(np, x), y),
                              lambda x, y: torch.linalg.inv(regular(torch, x)) @ y, 2, square),
    "trace":        Operation(np.trace, lambda x, offset, axis1, axis2:
                              torch.diagonal(x, offset, axis1, axis2).sum(-1), 1, a_diagonal),
    "tril":         alike(lambda m, x, k: m.tril(x, k), 1, a_diagonal_of_matrices),
    "triu":         alike(lambda m, x, k: m.triu(x, k), 1, a_diagonal_of_matrices),
    "diag":         alike(lambda m, x, k: m.diag(x, k), 1, lambda rng, x: {"k": rng.randint(-1, 1)}),
    "diagflat":     alike(lambda m, x, k: m.diagflat(x, k), 1, lambda rng, x: {"k": rng.randint(-1, 1)}),

    # Zeros, or others, around elements.
    "pad":          Operation(lambda x, pad_width: np.pad(x, pad_width, constant_values=1.5),
                              lambda x, pad_width: TF.pad(
                                  x, [n for pair in pad_width[::-1] for n in pair], value=1.5),
                              1, widths),

    # Elements moved, dropped or repeated.
    "transpose":     moving(np.transpose, axes_in_any_order),
    "T":             moving(lambda x: x.T),
    "mT":            moving(lambda x: x.mT, lambda rng, x: {} if x.ndim > 1 else None),
    "swapaxes":      moving(np.swapaxes, two_axes),
    "moveaxis":      moving(np.moveaxis, new_axes_of_old),
    "rollaxis":      moving(np.rollaxis, along),
    "reshape":       moving(lambda x, shape, order: np.reshape(x, shape, order=order), another_shape),
    "ravel":         moving(np.ravel, lambda rng, x: {"order": rng.choice("CF")}),
    "copy":          moving(np.copy, lambda rng, x: {"order": rng.choice("CFK")}),
    "flip":          moving(np.flip, lambda rng, x: {"axis": axes(rng, x)}),
    "roll":          moving(np.roll, a_shift),
    "rot90":         moving(np.rot90, a_turn),
    "expand_dims":   moving(np.expand_dims,
                            lambda rng, x: {"axis": rng.choice([0, -1, x.ndim, (0, -1)])}),
    "squeeze":       moving(np.squeeze, an_axis_of_one),
    "atleast_2d":    moving(np.atleast_2d),
    "atleast_3d":    moving(np.atleast_3d),
    "broadcast_to":  moving(np.broadcast_to, a_wider_shape),
    "getitem":       moving(lambda x, index: x[index], an_index),
    "masked":        moving(lambda x, chosen: x[np.array(chosen, bool)], a_mask),
    "take":          moving(np.take, places_on_an_axis),
    "take_along_axis":
                     moving(lambda x, indices, axis: np.take_along_axis(x, np.array(indices), axis),
                            places_along),
    "diagonal":      moving(np.diagonal, a_diagonal),
    "tile":          moving(np.tile, lambda rng, x: {"reps": rng.choice([2, (1, 2), (2, 1, 1)])}),
    "repeat":        moving(np.repeat, copies),
    "pad_with_elements":
                     moving(np.pad, elements_around),
    "split":         moving(lambda x, into, axis, part: np.split(x, into, axis)[part], a_part),
    "array_split":   moving(lambda x, axis, part: np.array_split(x, 2, axis)[part],
                            lambda rng, x: {"axis": axis(rng, x), "part": rng.randrange(2)}),
    "rows_reversed": moving(lambda x: np.stack(list(x)[::-1]), lambda rng, x: {} if x.ndim else None),
    "rows_joined":   moving(np.concatenate, lambda rng, x: {"axis": rng.randrange(x.ndim - 1)}),

    # Arrays joined.
    "concatenate":   Operation(lambda x, y, axis: np.concatenate([x, y, x], axis),
                               lambda x, y, axis: torch.cat([x, y, x], axis), 2, along_x),
    "concatenate_all":
                     Operation(lambda x, y: np.concatenate([x, y], axis=None),
                               lambda x, y: torch.cat([x.reshape(-1), y.reshape(-1)]), 2),
    "append":        Operation(np.append, lambda x, y, axis: torch.cat([x, y], axis), 2, along_x),
    "stack":         Operation(lambda x, y, axis: np.stack([x, y, x], axis),
                               lambda x, y, axis: torch.stack([x, y, x], axis),
                               2, lambda rng, x, y: {"axis": rng.randint(-x.ndim - 1, x.ndim)}),
    "hstack":        alike(lambda m, x, y: m.hstack([x, y]), 2),
    "vstack":        alike(lambda m, x, y: m.vstack([x, y]), 2),
    "dstack":        alike(lambda m, x, y: m.dstack([x, y]), 2),
    "column_stack":  alike(lambda m, x, y: m.column_stack([x, y]), 2),
    "broadcast_arrays":
                     Operation(lambda x, y: np.broadcast_arrays(x, y)[0],
                               lambda x, y: torch.broadcast_tensors(x, y)[0], 2),
    "meshgrid":      Operation(lambda x, y: np.multiply(*np.meshgrid(x, y)), lambda x, y: y[:, None] * x,
                               2, lambda rng, x, y: {} if x.ndim == y.ndim == 1 else None),

    # minigrad.functional.
    "relu":        Operation(F.relu, lambda x: torch.relu(x)),
    "leaky_relu":  Operation(F.leaky_relu, lambda x: TF.leaky_relu(x)),
    "elu":         Operation(F.elu, lambda x: TF.elu(x)),
    "softplus":    Operation(F.softplus, lambda x: TF.softplus(x, threshold=1e9)),
    "sigmoid":     Operation(F.sigmoid, lambda x: torch.sigmoid(x)),
    "silu":        Operation(F.silu, lambda x: TF.silu(x)),
    "erf":         Operation(F.erf, lambda x: torch.erf(x)),
    "gelu":        Operation(F.gelu, lambda x, approximate: TF.gelu(x, approximate=approximate), 1,
                             lambda rng, x: {"approximate": rng.choice(["none", "tanh"])}),
    "softmax":     Operation(F.softmax, lambda x, axis: torch.softmax(x, axis), 1, along_one),
    "log_softmax": Operation(F.log_softmax, lambda x, axis: torch.log_softmax(x, axis), 1, along_one),
    "logsumexp":   Operation(F.logsumexp,
                             reduction(lambda x, axes, keep: torch.logsumexp(x, axes, keep)),
                             1, over_something),
    "standardize": Operation(lambda x, axis: F.standardize(x, axis, eps=0.1),
                             lambda x, axis: (x - x.mean(axis, True))
                             / (like.var(x, axis, True) + 0.1).sqrt(), 1, along_one),
    "layer_norm":  Operation(lambda x, gain: F.layer_norm(x, gain, gain * gain, eps=0.1),
                             lambda x, gain: TF.layer_norm(x, gain.shape, gain, gain * gain, eps=0.1), 2,
                             lambda rng, x, gain: {} if x.shape[-1:] == gain.shape and x.size else None),
    "masked_fill": Operation(lambda x, chosen: F.masked_fill(x, np.array(chosen, bool), -1.5),
                             lambda x, chosen: x.masked_fill(torch_mask(chosen), -1.5), 1,
                             lambda rng, x: {"chosen": mask(rng, x.shape)}),
    "masked_softmax":
                   Operation(lambda x, chosen: F.masked_softmax(x, np.array(chosen, bool)),
                             lambda x, chosen: torch.softmax(
                                 torch.where(torch_mask(chosen), x, -math.inf), -1),
                             1, a_mask_with_something_in_each_row),
    "linear":      Operation(lambda x, w: F.linear(x, w, w[0]), lambda x, w: x @ w + w[0], 2, a_map),
    "embedding":   moving(lambda x, ids: F.embedding(x, np.array(ids)), four_rows),
    "mse_loss":    Operation(F.mse_loss, lambda x, y: TF.mse_loss(x, y), 2, same_shape),
    "logits_loss": Operation(lambda x, y: F.binary_cross_entropy_with_logits(x, F.sigmoid(y)),
                             lambda x, y: TF.binary_cross_entropy_with_logits(x, torch.sigmoid(y)),
                             2, same_shape),
    "cross_entropy":
                   Operation(lambda x, ids: F.cross_entropy(x, np.array(ids), label_smoothing=0.2),
                             lambda x, ids: TF.cross_entropy(x, torch.tensor(ids), label_smoothing=0.2),
                             1, a_column_for_each_row),
}
# fmt: on
