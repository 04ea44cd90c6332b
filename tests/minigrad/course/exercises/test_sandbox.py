"""Functions run in processes of their own: what one does costs no other."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from learners import FIRST, checked, file_of, write
from limits import SECONDS

from minigrad.course.exercises import learner_file
from minigrad.course.exercises.marking.mark import BORROWED, RIGHT, WRONG


@pytest.mark.slow
def test_accidents_cost_one_exercise_only(run, folder):
    """The one of these that runs by default: a loop without end, and beside it what is right."""
    write(
        folder,
        """
        def product_rule(g, x, y):
            print("noise" * 1000)
            return g * y, g * x

        def order(graph, root):
            while True:
                pass

        while True:  # an experiment
            pass
        """,
    )
    assert checked(folder, "product_rule").state == RIGHT
    found = checked(folder, "order", seconds=1.5)
    assert found.state == "stopped"
    assert "not come to an end after 1.5 seconds" in found.says
    assert "--" not in found.says  # a student who is handed this back has no options
    out = run("check", "order", "--folder", folder, "--seconds", 1.5)[1]
    assert "`--seconds 60` behind the command" in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "state", "says"),
    [
        ("import os; os._exit(0)", "stopped", "before it answered, with the status 0"),
        ("import os; os.abort()", "stopped", "crashed Python, by the signal SIGABRT"),
        pytest.param(
            "import os; os.kill(os.getpid(), 40)",
            "stopped",
            "crashed Python, by the signal 40",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="has no such signal"),
        ),
        ("import sys; sys.exit(1)", "wrong", "ends the program"),
        ("return product_rule(g, x, y)", "wrong", "calls itself without end"),
        (
            "import sys; sys.setrecursionlimit(10**9); f = lambda n: max([n], key=f); return f(0)",
            ("stopped", "wrong"),
            "",
        ),
        ("return bytes(5 << 30)", "wrong", "MemoryError"),
        ("return input()", "wrong", "asks for input, and nobody answers"),
    ],
    ids=["exit", "abort", "real-time", "sys.exit", "recursion", "stack", "memory", "input"],
)
@pytest.mark.skipif(os.name == "nt", reason="signals and limits of POSIX")
def test_a_process_that_ends_in_its_own_way(body, state, says, folder):
    write(folder, f"\ndef product_rule(g, x, y):\n    {body}\n")
    found = checked(folder, "product_rule")
    assert found.state in state
    assert says in found.says


def descendants(pid):
    """The processes that a process has started, and those that these have, the innermost last."""
    children = []
    for path in Path("/proc", str(pid), "task").glob("*/children"):
        with contextlib.suppress(OSError):
            children += map(int, path.read_text().split())
    return [*children, *(one for child in children for one in descendants(child))]


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="reads /proc")
def test_ctrl_c_ends_what_runs_and_a_limit_what_is_left_behind(folder):
    import resource

    write(folder, "\ndef product_rule(g, x, y):\n    while True:\n        pass\n")
    command = [sys.executable, "-m", "minigrad", "exercises", "check", "product_rule"]
    checking = subprocess.Popen([*command, "--folder", folder, "--seconds", str(2 * SECONDS)])
    limits = lambda: [resource.prlimit(pid, resource.RLIMIT_CPU)[0] for pid in started]
    try:
        while not ((started := descendants(checking.pid)) and 0 < limits()[-1] < 86400):
            assert checking.poll() is None
            time.sleep(0.05)
        assert limits()[-1] > 2 * SECONDS
        checking.send_signal(signal.SIGINT)
        assert checking.wait(SECONDS) == 130
    finally:
        checking.kill()
    for _ in range(100):
        if not any(os.path.exists(f"/proc/{pid}") for pid in started):
            break
        time.sleep(0.05)
    assert not [pid for pid in started if os.path.exists(f"/proc/{pid}")]


@pytest.mark.slow
def test_a_thread_left_running_is_not_waited_for(folder):
    write(
        folder,
        """
        import threading, time

        def product_rule(g, x, y):
            threading.Thread(target=time.sleep, args=(600,)).start()
            return g * y, g * x
        """,
    )
    assert checked(folder, "product_rule", seconds=60).state == RIGHT


def test_a_file_that_is_missing_or_no_python(folder):
    (folder / FIRST).write_text("def product_rule(g, x, y:\n")
    assert "line 1" in checked(folder, "product_rule").says
    (folder / FIRST).write_bytes(b"\xff\xfe\x00")
    assert checked(folder, "product_rule").state == WRONG
    (folder / FIRST).write_text("def other(): pass\n")
    assert checked(folder, "product_rule").state == "missing"
    (folder / FIRST).write_text("def Product_Rule(g, x, y): pass\ndef order(graph, root): pass\n")
    assert "no function product_rule in" in (says := checked(folder, "product_rule").says)
    assert says.endswith("; there is Product_Rule.")
    (folder / FIRST).unlink()
    assert "no file" in checked(folder, "product_rule").says


@pytest.mark.parametrize(
    "text",
    [
        "def product_rule(g, x, y):\n    import torch\n    return torch.f(g)\n",
        "import torch as t\ndef helper(x):\n    return t.f(x)\n"
        "def product_rule(g, x, y):\n    return helper(g)\n",
    ],
    ids=["inside", "by another function"],
)
def test_torch_is_recognised_without_it(text, folder):
    write(folder, f"\n{text}")
    found = checked(folder, "product_rule")
    assert found.state == BORROWED
    assert "torch" in found.says


@pytest.mark.parametrize("padding", ["tokens != pad", "(tokens == pad)[:, None, None, :]"])
def test_a_function_that_calls_a_wrong_one_is_not_what_is_mended_first(
    padding, folder, monkeypatch
):
    write(
        folder,
        f"""
        def causal_mask(queries, keys):
            return np.tril(np.ones((queries, keys), bool), keys - queries)

        def padding_mask(tokens, pad):
            return {padding}

        def decoder_mask(tokens, pad):
            return causal_mask(tokens.shape[1], tokens.shape[1]) & padding_mask(tokens, pad)
        """,
        file_of("decoder_mask"),
    )
    assert checked(folder, "causal_mask").state == RIGHT
    found = checked(folder, "decoder_mask")
    assert found.state == WRONG
    assert found.says == "It calls your padding_mask, which is wrong: mend that first."
    reads = []
    content_of = learner_file.content_of
    monkeypatch.setattr(learner_file, "content_of", lambda p: reads.append(p) or content_of(p))
    checked(folder, "decoder_mask")
    assert len(reads) == 1, "what is judged, and what is run, is one text"
