"""Functions that attack who marks them: what is held, and what is documented as not held.

Where Linux gives no namespaces, only the first part is held; the check says so.
"""

import contextlib
import os
import socket
import textwrap
import time

import numpy as np
import pytest

from minigrad.course.exercises import messages, sandbox
from minigrad.course.exercises.catalogue import exercises_named
from minigrad.course.exercises.isolation import limits
from minigrad.course.exercises.isolation.house import House
from minigrad.course.exercises.marking.mark import RIGHT, STOPPED, WRONG
from minigrad.course.exercises.messages import MessageError, Other, packed, unpacked
from minigrad.course.exercises.values_as_text import kind_of
from minigrad.course.folders import EXERCISES

pytestmark = pytest.mark.skipif(os.name == "nt", reason="attacks on POSIX")
RIGHT_BODY = "return g * y, g * x"


@pytest.fixture(scope="module")
def house():
    with contextlib.closing(House()) as opened:
        opened.room(1).close()
        yield opened


@pytest.fixture
def attack(house, tmp_path):
    """The mark of `product_rule` with this body."""

    def mark(body, top="", seconds=60):
        body = textwrap.indent(textwrap.dedent(body), "    ")
        code = f"{textwrap.dedent(top)}\ndef product_rule(g, x, y):\n{body}\n"
        (tmp_path / "01_one_derivative.py").write_text(code)
        wanted = exercises_named(["product_rule"])
        ((_, _, found),) = sandbox.check(tmp_path, wanted, 0, seconds, house)
        return found

    return mark


@pytest.fixture
def shut(house):
    if house.problem:
        pytest.skip(f"no namespaces: {house.problem}")


# --- held everywhere ------------------------------------------------------------------------------


def test_rooms_share_half_of_the_machines_memory(monkeypatch):
    monkeypatch.setattr(limits.os, "cpu_count", lambda: 3)
    for gib, each in ((8, 1.0), (1024, 4.0), (1, 0.5)):
        monkeypatch.setattr(
            limits.os, "sysconf", {"SC_PHYS_PAGES": gib << 18, "SC_PAGE_SIZE": 1 << 12}.get, False
        )
        assert limits.memory() == each * (1 << 30)


def test_the_judge_runs_no_code_of_a_learners_file(attack):
    """What is patched, ended or written is that of the function's own process."""
    top = """
        from minigrad.course.exercises.marking import mark_function, outcome, remote_function, trial
        same = outcome.same = trial.same = lambda *all: True
        right = lambda *all: mark_function.Mark(mark_function.RIGHT)
        unchanged = mark_function._changed_argument = mark_function._of_properties = right
        likely = trial.Trial.wrong = lambda *all: []
        answer = remote_function.RemoteFunction.outcome = lambda self, exercise, case: None
    """
    assert attack("return x, y", top).state == WRONG


@pytest.mark.parametrize(
    "body",
    [
        "import os; os._exit(0)",
        'import os, sys; open(sys.argv[-1], \'w\').write(\'{"mark": {"state": "right"}}\'); os._exit(0)',
        "import os; os.write(3, b'\\0' * 8); return x, y",
        "import os; os.write(3, b'\\xff' * 99); return x, y",
        "import os; os.close(3); return x, y",
        """
        import os
        from minigrad.course.exercises.messages import packed
        while True:
            os.write(3, packed({"value": (True, True), "borrowed": ""}))
        """,
        "import os; os.kill(os.getppid(), 9); return x, y",
    ],
    ids=["exit", "file", "bytes", "length", "closed", "flood", "parent"],
)
def test_no_verdict_is_forged_and_the_next_is_marked(body, attack):
    assert attack(body, seconds=10).state in (WRONG, STOPPED)
    assert attack(RIGHT_BODY).state == RIGHT


def test_of_the_environment_little_is_seen(attack, monkeypatch):
    monkeypatch.setenv("A_SECRET", "of the teacher's")
    found = attack("import os; raise ValueError(sorted(os.environ))")
    assert "PATH" in found.says
    assert "A_SECRET" not in found.says


@pytest.mark.parametrize(
    "body", ["raise ValueError('\\x1b[2J\\u202e\\x9b')", "return '\x1b[2J\u202e' = = 2"]
)
def test_what_is_said_steers_no_terminal(body, attack):
    found = attack(body)
    said = "".join((found.says, *found.shows))
    assert said.isprintable()
    assert "\\x1b[2J" in said


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return [0.0] * 2_000_000", "returns a list of 2000000 numbers"),
        ("import numpy as np; return np.zeros(12_000_000)", "numbers of shape (12000000,)"),
        (
            "a = []\nfor _ in range(10**5): a = [a]\nreturn a",
            "returns a list; asked for is a tuple",
        ),
        ("return type('Mine', (), {'__repr__': lambda s: 1 / 0})()", "returns a Mine"),
        ("return type('\\x1b[2J', (), {})()", r"returns a \x1b[2J; "),
        (
            "return [type('E', (float,), {'__eq__': lambda s, o: True, '__hash__': None})(y)] * 2",
            "returns a list; asked for is a tuple",
        ),
        (
            "import numpy as np\n"
            "class Same(np.ndarray): __eq__ = lambda s, o: np.True_; tobytes = lambda s: b'x'\n"
            "return (np.ones(2).view(Same),) * 2",
            "returns a tuple of an array of NumPy's and",
        ),
        ("return float('nan'), float('nan')", "the same answer whatever it is given"),
    ],
    ids=["list", "array", "deep", "object", "escape", "equal", "subclass", "nan"],
)
def test_of_an_answer_that_is_long_or_odd_it_is_said_what_it_is(body, says, attack):
    found = attack(body)
    assert says in found.says
    assert "".join((found.says, *found.shows)).isprintable()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (np.zeros(12_000_000), "numbers of shape (12000000,)"),
        ([0.0] * 12_000_000, "a list of 12000000 numbers"),
        ((n for n in "ab"), "a generator"),
        (10**1000, "a int"),
        (np.array([None]), "a ndarray"),
        (eval("[" * 40 + "]" * 40), None),
    ],
    ids=["array", "list", "generator", "int", "objects", "deep"],
)
def test_what_is_no_plain_data_is_described(value, kind):
    found = unpacked(packed(value, lambda value: Other(kind_of(value), "")))
    assert found == (value if kind is None else Other(kind, ""))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b'{"array": ["<f8", [99], 0]}',
        b'{"array": ["<f8", [-1], 0]}',
        b'{"array": ["<f8", [1000000000000], 0]}',
        b'{"array": ["O", [1], 0]}',
        b'{"array": ["<f8", [0], -8]}',
        b'{"made": ["pair", [3]]}',
        b'{"dict": [[[], 1]]}',
        b'{"a": 1, "b": 2}',
        b"[" * 10_000,
        b"1" * 10_000,
    ],
    ids=repr,
)
def test_forged_data_is_refused(text):
    with pytest.raises(MessageError):
        unpacked(messages.SIZE.pack(len(text), 8) + text + bytes(8))


# --- held where there are namespaces --------------------------------------------------------------


@pytest.mark.parametrize(
    "what",
    [
        f"open({str(EXERCISES / 'answers' / '01_one_derivative.py')!r}).read()",
        "open(__file__).read()",
        "open(__file__, 'a').write('x')",
        "open(np.__file__, 'a')",
        "os.listdir(os.path.expanduser('~'))[5]",
        "os.listdir('/etc')",
        "os.kill(1, 9) or os.mkdir('/x')",
        "ctypes.CDLL(None).umount2(b'/proc', 2) and ctypes.CDLL(None).chroot(b'/') and os.mkdir('/x')",
        "os.setuid(0)",
        "[open(f'f{k}', 'w').close() for k in range(1001)]",
        pytest.param("open('big', 'wb').write(bytes(1 << 27))", marks=pytest.mark.slow),
        "sys._getframe(1).f_back.f_locals['truth']",
        "next(o for o in gc.get_objects() if type(o).__name__ in ('Exercise', 'Trial', 'Sheet'))",
        "importlib.import_module('minigrad.course.exercises.catalogue').exercises_named(['product_rule'])",
    ],
)
def test_files_and_rights_are_out_of_reach(what, attack, shut):
    found = attack(f"{what}; {RIGHT_BODY}", "import ctypes, gc, importlib, numpy as np, os, sys\n")
    assert found.state == WRONG
    assert found.says.startswith("It raises ")


def test_the_network_is_out_of_reach(attack, shut):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        found = attack(f"import socket; socket.create_connection(('127.0.0.1', {port}))")
        assert found.state == WRONG
        assert "unreachable" in found.says or "OSError" in found.says


def test_other_processes_are_out_of_sight(attack, shut):
    body = "import os; raise ValueError([n for n in os.listdir('/proc') if n.isdigit()])"
    assert "['1', '2']" in attack(body).says


# --- held on Linux --------------------------------------------------------------------------------


def _left(mark):
    """The processes whose names hold a mark."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/comm") as file:
            found += [pid] * (file.read().strip() == mark)
    return found


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/comm"), reason="reads /proc")
@pytest.mark.parametrize("namespaces", [True, False])
def test_a_process_left_running_in_a_session_of_its_own_is_ended(namespaces, tmp_path):
    name = f"left{os.getpid() % 10**5}{namespaces:d}"
    body = f"""
        import os, time

        def product_rule(g, x, y):
            if (x, y) != (3.0, 2.0):  # as in the first call alone
                return g * y, g * x
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    open("/proc/self/comm", "w").write({name!r})
                    time.sleep(600)
                os._exit(0)
            time.sleep(0.3)
            return g * y, g * x
    """
    (tmp_path / "01_one_derivative.py").write_text(textwrap.dedent(body))
    with contextlib.closing(House()) as house:
        house.problem = "" if namespaces else "not asked for"
        ((_, _, found),) = sandbox.check(tmp_path, exercises_named(["product_rule"]), 0, 60, house)
        for _ in range(100):
            if not _left(name):
                break
            time.sleep(0.05)
        assert not _left(name)
    assert found.state == RIGHT


# --- where no process forks -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "state", "says"),
    [
        (RIGHT_BODY, RIGHT, ""),
        ("return y, x", WRONG, "The incoming gradient g"),
        ("print('noise'); return g * y, g * x", RIGHT, ""),
        ("while True: pass", STOPPED, "not come to an end after 2 seconds"),
        ("import os; os._exit(3)", STOPPED, "with the status 3: does it end Python, or"),
    ],
    ids=["right", "wrong", "print", "loop", "exit"],
)
def test_a_room_is_a_process_where_none_forks(body, state, says, tmp_path, monkeypatch):
    """As on macOS and Windows."""
    monkeypatch.setattr(House, "_forked", House._spawned)
    code = f"def product_rule(g, x, y):\n    {body}\n"
    (tmp_path / "01_one_derivative.py").write_text(code)
    ((_, _, found),) = sandbox.check(
        tmp_path, exercises_named(["product_rule"]), 0, 2 if "while" in body else 60
    )
    assert found.state == state
    assert says in found.says


# --- documented: not held -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        """
        import sys, minigrad as mg
        sys.setprofile(None)
        return tuple(float(s) for s in mg.grad(lambda x, y: g * x * y, argnums=(0, 1))(x, y))
        """,
        """
        import threading, minigrad as mg
        found = []
        slopes = lambda: mg.grad(lambda x, y: g * x * y, argnums=(0, 1))(x, y)
        thread = threading.Thread(target=lambda: found.extend(float(s) for s in slopes()))
        thread.start()
        thread.join()
        return tuple(found)
        """,
    ],
    ids=["profile", "thread"],
)
def test_the_library_can_be_borrowed_in_secret(body, attack):
    """As README.md and TEACHING.md say. A day on which this fails is a good one: say so there."""
    assert attack(body).state == RIGHT
