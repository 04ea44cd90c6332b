"""Workers that are processes, on this machine or on many, started and served by Dask.

    with Cluster(count=4) as workers:                          processes of this machine
    with Cluster(scheduler="tcp://host:8786") as workers:      processes of a scheduler that runs already

For each total, the weights go to every worker once. Each part is a task, and so is each sum in the
tree of parts; one flat array comes back. If a worker dies, Dask gives its tasks to another worker.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import importlib
import importlib.util
import logging
import pickle
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import errors
from ..settings import whole
from .job import MOST_WORKERS, Gradients, T, Workers, tree
from .worker_process import PartialSum, SentJob, SentWeights, part_of, split, sum_of, versions_of

SETTINGS = {
    "distributed.scheduler.allowed-failures": 1_000_000,  # workers that may die over one task
    "distributed.admin.tick.limit": "1h",  # a process that computes for long is not ill
    "distributed.worker.memory.terminate": False,
}
# A terminal sends Ctrl-C to all its processes. The workers ignore it: this process decides.
PRELOAD = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
LOSSES = 50  # in one total: how often all copies of the weights may die with their workers
ANSWER = 6  # seconds in which a scheduler has to answer
SILENT = 15  # seconds of silence after which a worker is reported


class Cluster(Workers):
    """Processes that get their parts from a scheduler of Dask.

    Args:
        scheduler: its address; without one, a scheduler and workers are started here, and listen to
            this machine alone.
        count: how many workers to start here.
        patience: the seconds to wait while there is no worker.
        say: gets a sentence if a worker rounds otherwise than this process, or is silent.

    Raises:
        ConfigError: if the package `distributed` is missing, `scheduler` is no address, or `count` is
            not a whole number from 1 up to `MOST_WORKERS`.
        WorkersError: at the `with`: if no scheduler answers within `ANSWER` seconds, or if a worker ends
            while it starts. For a total: if there is no worker for `patience` seconds, if a worker has
            other versions than this process, if a part fails, if the job cannot be sent to another
            process, or outside the `with` block.
    """

    def __init__(
        self,
        scheduler: str | None = None,
        count: int = 1,
        patience: float = 60,
        say: Callable[[str], object] = warnings.warn,
    ):
        try:
            self.dask = importlib.import_module("distributed")
        except ImportError:
            raise errors.ConfigError(
                'workers that are processes need Dask: pip install -e ".[scale]"'
            ) from None
        self.scheduler = None if scheduler is None else self._checked_address(scheduler)
        self.count = whole("the number of workers", count, least=1, most=MOST_WORKERS)
        self.patience = patience
        self.say = say
        self.notes: set[str] = set()  # the sentences that `say` has got
        self.job: Gradients | None = None
        self.packed: SentJob | None = None  # the job, as it is sent
        self.sent: Any = None  # a future for it, on a worker
        self.local: Any = None  # what was started here
        self.client: Any = None  # while entered
        self.stack = contextlib.ExitStack()

    def __enter__(self) -> Cluster:
        with contextlib.ExitStack() as stack:
            stack.enter_context(importlib.import_module("dask").config.set(SETTINGS))
            if self.scheduler is None:
                self.local = stack.enter_context(self._local_cluster())
            self.client = stack.enter_context(self._connected(self.scheduler or self.local))
            self.stack = stack.pop_all()
        return self

    def _connected(self, scheduler: Any) -> Any:
        """A client of a scheduler, which is an address, or was started here.

        Raises:
            WorkersError: if no scheduler answers there.
        """
        # A client that failed waits again in its `__del__`, for minutes: so this one has none.
        client = type("Client", (self.dask.Client,), {"__del__": lambda self: None})
        limit = min(self.patience, ANSWER)
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        try:
            _in_thread(lambda: client(scheduler, timeout=limit, set_as_default=False), future)
            return future.result(limit + 1)
        except Exception as problem:  # many kinds, according to what listens there
            strange = isinstance(problem, MemoryError)  # for what it took for a message
            why = "what listens there is none" if strange else _first_line(problem)
            raise errors.WorkersError(
                f"no scheduler answers at {self.scheduler or '127.0.0.1'}: {why}: start one there, "
                f"or give the address that it prints"
            ) from None

    def _checked_address(self, address: Any) -> str:
        """The address of a scheduler.

        Raises:
            ConfigError: if it is none.
        """
        try:
            scheme, place = self.dask.comm.parse_address(address)
            self.dask.comm.registry.get_backend(scheme)
            host, port = self.dask.comm.parse_host_port(place)
            if host and " " not in host and 0 < port < 1 << 16:
                return address
            why = "it has no host" if not host else f"no host is {host!r}, or no port {port}"
        except (TypeError, ValueError) as problem:
            why = _first_line(problem)
        raise errors.ConfigError(
            f"{address!r} is no address of a scheduler ({why}): write one such as tcp://host:8786"
        )

    def _local_cluster(self) -> Any:
        """A scheduler and workers, as processes of this machine."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        try:
            _in_thread(
                lambda: self.dask.LocalCluster(
                    n_workers=self.count, threads_per_worker=1, host="127.0.0.1",
                    dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL, preload=PRELOAD,
                ), future,
            )  # fmt: skip
            return future.result()
        except KeyboardInterrupt:
            if not future.cancel():  # it has begun
                with contextlib.suppress(Exception):  # one that has half started cannot be closed
                    future.result().close()
            raise
        except Exception as problem:  # many kinds, according to what it was doing
            raise errors.WorkersError(
                f"a worker ended while it started ({_first_line(problem)}): start again, with fewer "
                f"workers if memory is short"
            ) from None

    def __exit__(self, *problem: object) -> None:
        self.client = self.local = self.sent = None
        self.stack.close()

    @property
    def page(self) -> str:
        """The address of the page on which Dask shows the work of what was started here; "" without
        the package bokeh, which draws it."""
        drawn = self.local is not None and importlib.util.find_spec("bokeh")
        return self.client.dashboard_link if drawn else ""

    def total(self, job: Gradients, parts: Sequence[object]) -> list[np.ndarray]:
        if self.client is None:
            raise errors.WorkersError(
                "the processes run within the block alone: write `with Cluster(...) as workers:`"
            )
        if job is not self.job:
            packages = frozenset(m.partition(".")[0] for m in (__name__, job.loss.__module__))
            self.packed = SentJob(uuid.uuid4().hex, _pickled(job), versions_of(packages))
            self.job, self.sent = job, None
        weights = np.concatenate([p._array for p in job.parameters], axis=None)
        result = self._sum(weights, parts)
        for note in sorted(result.notes):
            self._say_once(note)
        return split(result, [p.shape for p in job.parameters])

    def _say_once(self, note: str) -> None:
        if note not in self.notes:
            self.notes.add(note)
            self.say(note)

    def _sum(self, weights: np.ndarray, parts: Sequence[object]) -> PartialSum:
        """The sum of the results of all parts, computed again if workers died with what they had."""
        for _ in range(LOSSES):
            with contextlib.suppress(_LostError):
                return self._sum_once(weights, parts)
            self.sent = None  # the job may have died with a worker: send it again
        raise errors.WorkersError(
            f"workers died {LOSSES} times over one step: check how much memory each worker has"
        )

    def _sum_once(self, weights: np.ndarray, parts: Sequence[object]) -> PartialSum:
        """The sum of the results of all parts.

        Raises:
            _LostError: if the job or the weights died with their workers.
            WorkersError: if a part fails.
        """
        submit = functools.partial(self.client.submit, pure=False)
        self._until(lambda: bool(self._last_heard()), lambda: time.sleep(0.05))
        try:
            job = self.sent = self.sent or self._send(self.packed)
            sent = self._send(SentWeights(uuid.uuid4().hex, weights))
            total = tree((submit(part_of, job, sent, part) for part in parts),
                         functools.partial(submit, sum_of))  # fmt: skip

            def done() -> bool:
                if {job.status, sent.status, total.status} & {"lost", "cancelled"}:
                    raise _LostError  # Dask cannot compute again an object that was sent
                return total.done()

            with self.client.as_current():
                self._until(done, lambda: self.dask.wait(total, timeout=1))
            problem = total.exception()
            if problem is None:
                return total.result()
        except (errors.WorkersError, _LostError):
            raise
        except Exception as lost:  # many kinds, according to what a worker was doing when it died
            raise _LostError from lost
        if isinstance(problem, self.dask.scheduler.KilledWorker):
            raise _LostError
        if isinstance(problem, errors.MinigradError):
            raise problem
        raise errors.WorkersError(
            f"a part of the step failed on a worker: {type(problem).__name__}: {problem}"
        ) from problem

    def _send(self, what: object) -> Any:
        """Send an object to one worker, and return a future for it: the other workers fetch it there.

        (A broadcast would wait forever for a worker that dies.)
        """
        sending = self.client.scatter([what], hash=False, asynchronous=True)
        future = asyncio.run_coroutine_threadsafe(sending, self.client.loop.asyncio_loop)
        self._until(future.done, lambda: concurrent.futures.wait([future], timeout=1))
        return future.result()[0]

    def _last_heard(self) -> dict[str, float]:
        """For each worker, by its address, the time when the scheduler last heard of it.

        There are none if the scheduler does not answer.
        """
        if self.client.status != "running":
            return {}
        try:
            about = self.client.sync(self.client.scheduler.identity, callback_timeout=ANSWER)
        except (OSError, TimeoutError, self.dask.TimeoutError):
            return {}
        return {address: worker["last_seen"] for address, worker in about["workers"].items()}

    def _until(self, done: Callable[[], bool], wait: Callable[[], object]) -> None:
        """Wait until `done`, as long as there are workers; report the silent ones.

        A worker is silent while the scheduler gives the same time for it. The clock of the scheduler
        may differ from ours: so it is ours that measures for how long.
        """
        last_worker = time.monotonic()  # when there was one
        # Of each worker the scheduler's time, and ours when it was first that.
        heard: dict[str, tuple[float, float]] = {}
        while not done():
            if self.local is not None:  # Dask does not replace a worker that died while it started
                self.local.scale(self.count)
            with contextlib.suppress(TimeoutError, self.dask.TimeoutError):
                wait()
            workers, now = self._last_heard(), time.monotonic()
            heard = {
                worker: heard[worker] if heard.get(worker, (None,))[0] == last else (last, now)
                for worker, last in workers.items()
            }
            for worker, (_, since) in heard.items():
                if now - since > SILENT:
                    self._say_once(
                        f"the worker {worker} has not been heard of for {SILENT:g} s, and the step may "
                        f"wait for it: let it go on if it was stopped, or end it for others to take over"
                    )
            if workers:
                last_worker = now
            elif now - last_worker > self.patience:
                raise errors.WorkersError(
                    f"no worker has been there for {self.patience:g} s: start some, and go on from "
                    f"the last checkpoint"
                )
            elif now - last_worker > SILENT:
                self._say_once(
                    f"no worker is there: one is waited for, {self.patience:g} s at most"
                )


def _in_thread(make: Callable[[], T], future: concurrent.futures.Future[T]) -> None:
    """Run `make` in a thread that neither the caller nor the end of the process waits for.

    `future` gets the result. The caller made it, so that it can be interrupted while this starts.
    """

    def run() -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(make())
            except Exception as problem:
                future.set_exception(problem)

    threading.Thread(target=run, daemon=True).start()


def _first_line(problem: BaseException) -> str:
    """The first line of an error's text, or else its kind."""
    silent = isinstance(problem, concurrent.futures.TimeoutError)
    return str(problem).partition("\n")[0] or ("silence" if silent else type(problem).__name__)


def _pickled(job: Gradients) -> bytes:
    try:
        return pickle.dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        raise errors.WorkersError(
            f"the job cannot be sent to another process, {problem}: its loss must be a function, or an "
            f"object, of a file that the workers can import, and not a lambda"
        ) from None


class _LostError(Exception):
    """Raised when objects that were sent to workers have died with them."""
