"""The work of one process of a cluster: it computes parts.

It keeps the job and the weights of the step, so that each is sent to it once. With a new job, it
compares its versions and its rounding with those of the process that it works for.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib
import importlib.util
import math
import pickle
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import errors
from .threads import threadpool_limits


class PartialSum(NamedTuple):
    """The sum of the results of some parts: the loss, and the gradients of all parameters in one array.

    `notes` has sentences about the workers that computed them.
    """

    loss: np.ndarray
    gradients: np.ndarray
    notes: frozenset[str]


class Versions(NamedTuple):
    """The versions and the rounding that a process computes with."""

    packages: frozenset[str]
    numpy: str
    source: str  # a digest of these packages
    rounding: str  # a digest of results


class SentJob(NamedTuple):
    """A job as it is sent to workers, with the versions of the process that sends it."""

    token: str
    pickled: bytes
    versions: Versions


class SentWeights(NamedTuple):
    """The weights of one step, all in one array."""

    token: str
    flat: np.ndarray


@dataclasses.dataclass
class _Here:
    """The job and the weights that this process has.

    Attributes:
        job_token, weights_token: the tokens of the job and the weights that it took last.
        job: computes a part.
        notes: sentences about the rounding of this process.
        limits: let each product run in one thread, for as long as the process lives.
    """

    job_token: str = ""
    weights_token: str = ""
    job: Any = None
    notes: frozenset[str] = frozenset()
    limits: Any = None

    def take_job(self, sent: SentJob) -> None:
        if self.job_token != sent.token:
            self.notes, self.job = _compared(sent.versions), pickle.loads(sent.pickled)
            self.limits = threadpool_limits()()
            self.job_token = sent.token

    def take_weights(self, sent: SentWeights) -> None:
        if self.weights_token != sent.token:
            parameters = self.job.parameters
            for parameter, array in zip(
                parameters, _parts(sent.flat, [p.shape for p in parameters])
            ):
                parameter.copy_(array, dtype=array.dtype)
            self.weights_token = sent.token


_here = _Here()
_alone = threading.Lock()  # a process may have several threads, and has the weights once


def part_of(job: SentJob, weights: SentWeights, part: object) -> PartialSum:
    """The result of a job for a part, with these weights."""
    with _alone:
        _here.take_job(job)
        _here.take_weights(weights)
        loss, *slopes = _here.job(part)
        return PartialSum(loss, np.concatenate(slopes, axis=None), _here.notes)


def sum_of(a: PartialSum, b: PartialSum) -> PartialSum:
    """The sum of two sums of parts."""
    return PartialSum(a.loss + b.loss, a.gradients + b.gradients, a.notes | b.notes)


def split(total: PartialSum, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    """The loss and the gradients, each an array."""
    return [total.loss, *_parts(total.gradients, shapes)]


def _parts(flat: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    return [a.reshape(shape) for a, shape in zip(np.split(flat, ends[:-1]), shapes)]


def _compared(theirs: Versions) -> frozenset[str]:
    """A sentence on this worker, if it rounds otherwise than the process that it works for.

    Raises:
        WorkersError: if it has other versions.
    """
    here = versions_of(theirs.packages)
    where = importlib.import_module("distributed").get_worker().address
    for package, own, expected in (
        ("NumPy", here.numpy, theirs.numpy),
        (" and ".join(sorted(here.packages)), here.source, theirs.source),
    ):
        if own != expected:
            raise errors.WorkersError(
                f"the worker {where} has {package} {own}, and this process {expected}: install the same"
            )
    if here.rounding == theirs.rounding:
        return frozenset()
    return frozenset(
        {f"the worker {where} rounds otherwise, with another processor or library: the weights will "
         f"not be the same bits as elsewhere"}
    )  # fmt: skip


@functools.cache
def versions_of(packages: frozenset[str]) -> Versions:
    """The versions of this process, and a digest of its rounding.

    Bits of products differ between the kernels of OpenBLAS for different processors, and bits of exp
    and tanh between the kernels of NumPy.
    """
    source = hashlib.sha256()
    specs = (importlib.util.find_spec(name) for name in sorted(packages) if name != "__main__")
    for folder in (f for spec in specs if spec for f in spec.submodule_search_locations or ()):
        for file in sorted(Path(folder).rglob("*.py")):
            source.update(file.read_bytes())
    x = np.random.default_rng(0).standard_normal((257, 129)).astype(np.float32)
    with threadpool_limits()():  # as parts are computed
        products = [x @ x.T, x.T @ x, x[:5] @ x.T, x[0] @ x.T]
    results = [*products, np.exp(x), np.tanh(x), x.sum(0), x.sum(1)]
    rounding = hashlib.sha256(b"".join(np.ascontiguousarray(y).tobytes() for y in results))
    return Versions(packages, np.__version__, source.hexdigest()[:12], rounding.hexdigest())
