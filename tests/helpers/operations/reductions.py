"""Rows: what makes one number of many, along axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from .in_pytorch import like, torch
from .inputs import LAST_KEPT
from .row import Row, rows

# fmt: off

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
