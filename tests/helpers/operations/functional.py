"""Rows: the functions of `minigrad.functional`."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from minigrad import functional as F

from .in_pytorch import tf, torch
from .inputs import ALONG, MASK, MATRIX, SHAPES, TARGETS, VECTOR, YES, T
from .row import Row, rows

# fmt: off

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
