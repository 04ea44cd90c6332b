"""Processes give the bits that one process gives, also when they are killed; nobody else gets in."""

import contextlib
import gc
import importlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from limits import SECONDS, never_endless
from worker_job import digest, job, parts

from minigrad import errors
from minigrad.workers import Gradients, Threads
from minigrad.workers import cluster as cluster_module

pytest.importorskip("distributed")
from minigrad.workers.cluster import LOSSES, Cluster

ROOT = Path(__file__).parents[3]
# Dask's own: deprecations of what it uses, and sockets that it leaves to the collector.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def expected():
    with Threads(1) as workers:
        return digest(workers.total(job(), parts()))


@pytest.fixture(scope="module", autouse=True)
def importable():
    """The processes find the job where this one does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests" / "helpers")]))
        yield


@pytest.fixture(scope="module")
def two(importable):
    with Cluster(count=2, patience=30) as workers:
        yield workers


def processes(workers):
    return list(workers.client.run(os.getpid, on_error="ignore").values())


# --- the same bits --------------------------------------------------------------------------------


@pytest.mark.slow
def test_processes_give_the_same_bits_as_one(two, expected):
    work = job()
    for _ in range(3):
        assert digest(two.total(work, parts())) == expected


@pytest.mark.slow
def test_the_weights_of_each_total_are_sent(two):
    work, other = job(), job()
    with Threads(1) as one:
        for both in zip(work.parameters, other.parameters):
            before = digest(two.total(work, parts()))
            for p in both:
                p.copy_(p.data * 1.5)
            after = two.total(work, parts())
            assert digest(after) != before
            assert digest(after) == digest(one.total(other, parts()))


@pytest.mark.slow
def test_any_number_of_processes_that_come_and_go_gives_the_same_bits(expected):
    with Cluster(count=4) as workers:
        assert digest(workers.total(job(), parts())) == expected
        for count in (1, 3, 2, 4, 1):
            workers.count = count
            workers.local.scale(count)
            assert digest(workers.total(job(), parts())) == expected


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_all_processes_killed_at_once_are_replaced(two, expected):
    """And with them all copies of the weights."""
    before = processes(two)
    killer = threading.Timer(0.2, lambda: [os.kill(pid, 9) for pid in before])
    killer.start()
    result = two.total(job(), parts("rest"))
    killer.join()
    with Threads(1) as one:
        assert digest(result) == digest(one.total(job(), parts()))
    assert set(processes(two)).isdisjoint(before)


@pytest.mark.slow
def test_processes_killed_at_random_change_no_bit(expected):
    """Six times in the middle of a step, one or all."""
    choose = random.Random(0)
    with Cluster(count=3) as workers:
        for _ in range(6):
            there = processes(workers)  # some of those killed before may not be back
            victims = choose.sample(there, min(len(there), choose.choice([1, 1, 2, 3])))
            wait = choose.uniform(0, 1)
            killer = threading.Timer(wait, lambda victims=victims: [os.kill(p, 9) for p in victims])
            killer.start()
            try:
                assert digest(workers.total(job(), parts("rest"))) == expected
            finally:
                killer.join()


@pytest.mark.slow
def test_a_part_that_fails_on_a_worker_is_told_in_one_line(two, expected):
    with pytest.raises(errors.WorkersError, match=r"ValueError: this part cannot be computed$"):
        two.total(job(), [*parts(), *parts("fail")])
    assert digest(two.total(job(), parts())) == expected


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("numpy", "1.2.3", r"the worker tcp://127\S+ has NumPy \S+, and this process 1\.2\.3"),
        (
            "source",
            "0a1b",
            "has minigrad and worker_job .*, and this process 0a1b: install the same",
        ),
    ],
)
def test_a_worker_with_another_version_is_refused_by_name(two, monkeypatch, name, value, message):
    monkeypatch.setattr(cluster_module, "versions_of", _changed(name, value))
    with pytest.raises(errors.WorkersError, match=message):
        two.total(job(), parts())


def test_a_worker_that_rounds_otherwise_is_told_of_once(two, monkeypatch, expected):
    said = []
    monkeypatch.setattr(cluster_module, "versions_of", _changed("rounding", "otherwise"))
    monkeypatch.setattr(two, "say", said.append)
    for _ in range(2):
        assert digest(two.total(job(), parts())) == expected
    assert said
    assert len(said) == len(set(said)) <= 2
    assert "rounds otherwise" in said[0]


def test_how_a_process_rounds_does_not_follow_from_how_many_threads_it_has():
    """A worker multiplies in one thread, and this process perhaps in more."""
    control = pytest.importorskip("threadpoolctl")
    digests = set()
    for threads in (1, 2):
        with control.threadpool_limits(threads, user_api="blas"):
            digests.add(cluster_module.versions_of.__wrapped__(frozenset()).rounding)
    assert len(digests) == 1


def _changed(name, value):
    real = cluster_module.versions_of
    return lambda packages: real(packages)._replace(**{name: value})


@pytest.mark.slow
def test_a_scheduler_that_is_not_there():
    with pytest.raises(errors.WorkersError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        Cluster("tcp://127.0.0.1:9", patience=0.5).__enter__()


@pytest.mark.parametrize(
    "given",
    ["nonsense", "http://host:1", "tcp://host", "tcp://host:port", "tcp://:8786", "tcp://host:99999",
     "tcp://host:0", "tcp://a host:1", "", 8786],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_before_anything_is_looked_for(given):
    with pytest.raises(
        errors.ConfigError, match=r"is no address of a scheduler .*tcp://host:8786$"
    ):
        Cluster(given)


STRANGERS = {
    "silent": lambda talk: talk.recv(1 << 16),
    "closing": lambda talk: talk.close(),
    "of the web": lambda talk: talk.sendall(b"HTTP/1.0 400 Bad request\r\n\r\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", STRANGERS)
def test_what_listens_there_and_is_no_scheduler(kind):
    """The call ends, and so does what is left of it when it goes."""
    kept = []

    def serve(server):
        with contextlib.suppress(OSError):
            while True:
                kept.append(server.accept()[0])
                threading.Thread(target=STRANGERS[kind], args=kept[-1:], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with (
            never_endless(),
            pytest.raises(errors.WorkersError, match=f"no .* at {address}: .+: st"),
        ):
            Cluster(address, patience=0.5).__enter__()
        with never_endless():
            gc.collect()
        for talk in kept:
            talk.close()


@pytest.mark.slow
def test_a_worker_that_dies_while_it_starts(monkeypatch, capfd):
    monkeypatch.setattr(cluster_module, "PRELOAD", "import os; os.kill(os.getpid(), 9)")
    with (
        never_endless(),
        pytest.raises(errors.WorkersError, match=r"ended while it started \(.+\): "),
    ):
        Cluster(count=1).__enter__()
    assert capfd.readouterr().err == ""


def interrupt():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def enter_and_wait(cluster):
    cluster.__enter__()
    time.sleep(SECONDS)  # until the interrupt comes


def interrupting(part, moment):
    """A part of Dask's that is interrupted before it starts, or when it has started."""

    class Interrupting(part):
        def __init__(self, *args, **kwargs):
            if moment == "before":
                interrupt()
            super().__init__(*args, **kwargs)
            if moment == "after":
                interrupt()

    return Interrupting


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("part", ["LocalCluster", "Client"])
def test_control_c_while_processes_start_ends_them(part, moment, monkeypatch, capfd):
    """And leaves none, and no word."""
    psutil = pytest.importorskip("psutil")
    there = lambda: {
        child for child in psutil.Process().children(recursive=True)
        if "resource_tracker" not in " ".join(child.cmdline())  # Python's own: it stays
    }  # fmt: skip
    before, dask = there(), importlib.import_module("distributed")
    monkeypatch.setattr(dask, part, interrupting(getattr(dask, part), moment))
    with never_endless(SECONDS), pytest.raises(KeyboardInterrupt):
        enter_and_wait(Cluster(count=1, patience=30))
    with never_endless(SECONDS):
        gc.collect()
        while there() - before:
            time.sleep(0.05)
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")
def test_control_c_while_a_scheduler_is_looked_for_ends_it(monkeypatch, capfd):
    dask = importlib.import_module("distributed")
    monkeypatch.setattr(dask, "Client", interrupting(dask.Client, "before"))
    with never_endless(), pytest.raises(KeyboardInterrupt):
        enter_and_wait(Cluster("tcp://127.0.0.1:9", patience=30))
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")
def test_a_worker_that_is_stopped_is_told_of_and_waited_for(two, monkeypatch, expected):
    stopped, *_ = processes(two)
    said = []

    def say(note):
        said.append(note)
        os.kill(stopped, signal.SIGCONT)

    monkeypatch.setattr(cluster_module, "SILENT", 1)
    monkeypatch.setattr(two, "say", say)
    os.kill(stopped, signal.SIGSTOP)
    try:
        with never_endless():
            assert digest(two.total(job(), parts())) == expected
    finally:
        os.kill(stopped, signal.SIGCONT)
    assert [re.sub(r"tcp://\S+", "ADDRESS", note)[:59] for note in said] == [
        "the worker ADDRESS has not been heard of for 1 s, and the s"
    ]


@pytest.mark.slow
def test_nobody_to_compute(tmp_path, expected):
    """A scheduler whose only worker is killed for good, in the middle of a step; then one comes."""
    dask = [sys.executable, "-m", "distributed.cli."]
    start = lambda what, *more: subprocess.Popen(
        [*dask[:2], dask[2] + what, *more], stderr=subprocess.DEVNULL, cwd=tmp_path
    )
    file = tmp_path / "scheduler.json"
    join = ("--scheduler-file", str(file), "--host", "127.0.0.1")
    worker = ("--no-nanny", "--nthreads", "1", "--no-dashboard")
    with start("dask_scheduler", *join, "--no-dashboard", "--port", "0") as scheduler:
        try:
            while not file.exists():
                time.sleep(0.05)
            address = json.loads(file.read_text())["address"]
            with Cluster(address, patience=3) as workers:
                with pytest.raises(errors.WorkersError, match="no worker has been there for 3 s"):
                    workers.total(job(), parts())
                with start("dask_worker", *worker, *join) as first:
                    workers.patience = 60
                    assert digest(workers.total(job(), parts())) == expected
                    workers.patience = 3
                    threading.Timer(0.5, first.kill).start()
                    with pytest.raises(errors.WorkersError, match="start some, and go on"):
                        workers.total(job(), parts("rest") * 20)
                with start("dask_worker", *worker, *join) as second:
                    workers.patience = 60
                    assert digest(workers.total(job(), parts())) == expected
                    second.kill()
        finally:
            scheduler.kill()


@pytest.mark.slow
def test_deaths_without_end_are_told(two, monkeypatch):
    """Such as those of processes that the system ends for want of memory."""
    monkeypatch.setattr(cluster_module, "LOSSES", 1)
    with pytest.raises(errors.WorkersError, match="workers died 1 times over one step"):
        two.total(job(), parts("die"))
    assert LOSSES > 10


# --- who may come in ------------------------------------------------------------------------------


def test_only_this_machine_is_listened_to(two):
    psutil = pytest.importorskip("psutil")
    workers = processes(two)
    listening = {
        pid: {c.laddr.ip for c in psutil.Process(pid).net_connections() if c.status == "LISTEN"}
        for pid in (os.getpid(), *workers)
    }
    assert listening == {pid: {"127.0.0.1"} for pid in listening}


def test_a_job_that_cannot_be_sent(two, expected):
    with pytest.raises(errors.WorkersError, match=r"cannot be sent .*<lambda>.*can import"):
        two.total(Gradients(lambda part: job().loss(part), job().parameters), parts())
    assert digest(two.total(job(), parts())) == expected


def test_a_total_outside_the_block():
    with pytest.raises(errors.WorkersError, match=r"write `with Cluster\(.*\) as workers:`"):
        Cluster(count=2).total(job(), parts())


def test_without_dask_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(errors.ConfigError, match=r'pip install -e "\.\[scale\]"'):
        Cluster()
