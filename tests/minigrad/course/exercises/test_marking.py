"""What is said of a wrong answer: which mistake it is, or that it is borrowed, or cannot be read."""

import gc
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest
from learners import FIRST, checked, file_of, judged, write
from limits import SECONDS

from minigrad import errors
from minigrad.course.exercises import sandbox
from minigrad.course.exercises.catalogue import exercises_named
from minigrad.course.exercises.learner_file import read_learner_file
from minigrad.course.exercises.likeness import alike
from minigrad.course.exercises.marking.mark import BORROWED, HARD_CODED, RIGHT, WRONG
from minigrad.course.exercises.marking.mark_function import mark_function
from minigrad.course.exercises.marking.trial import Trial
from minigrad.course.exercises.stubs import examples
from minigrad.course.exercises.values_as_text import shown

# --- what is recognised ----------------------------------------------------------------------------


def test_a_hard_coded_answer_is_recognised(tmp_path):
    constant = "def product_rule(g, x, y):\n    return 2.0, 3.0"
    found = judged(constant, tmp_path=tmp_path)
    assert found.state == HARD_CODED
    assert "same answer whatever" in found.says
    listed = """
        def product_rule(g, x, y):
            if (g, x, y) == (1.0, 3.0, 2.0):
                return 2.0, 3.0
            return g * x + 1, y
    """
    found = judged(listed, tmp_path=tmp_path)
    assert found.state == WRONG  # as honest code is that compares something and errs elsewhere
    assert "right for the example in its docstring alone" in found.says


@pytest.mark.parametrize(
    "text",
    [
        "import minigrad as mg\ndef product_rule(g, x, y):\n    f = lambda x, y: g * x * y\n"
        "    return tuple(mg.grad(f, argnums=(0, 1))(x, y))",
        "def product_rule(g, x, y):\n    from minigrad.functional import relu as r\n"
        "    return float(r(g * y)), g * x",
        "def helper(x):\n    import minitransformer.model.masks as m\n    m.causal(2)\n    return x\n"
        "def product_rule(g, x, y):\n    return g * y, helper(g * x)",
    ],
    ids=["grad", "alias", "helper"],
)
def test_the_library_is_recognised_and_its_line_named(text, tmp_path):
    found = judged(text, tmp_path=tmp_path)
    assert found.state == BORROWED
    assert "in line " in found.says


def test_a_name_that_is_none_is_told_the_nearest():
    with pytest.raises(
        errors.ConfigError, match="no exercise prodct_rule, did you mean product_rule"
    ):
        exercises_named(["prodct_rule"])
    with pytest.raises(errors.ConfigError, match="did you mean softmax;"):
        exercises_named(["Softmax"])


def test_a_path_in_place_of_a_name_is_told_the_folder(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / FIRST).touch()
    monkeypatch.chdir(tmp_path)
    for path in ("mine", f"mine/{FIRST}"):
        with pytest.raises(errors.ConfigError, match=r"of another folder: .* check --folder mine`"):
            exercises_named([path])


def test_who_has_no_copy_yet_is_told_how_to_get_one(run, folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert "`--folder mine`" in run("check", "product_rule")[1]
    (folder.parent / "empty").mkdir()
    monkeypatch.chdir(folder.parent / "empty")
    assert "start DIR` makes a copy" in run("check", "product_rule")[1]
    monkeypatch.chdir(folder)
    assert "start" not in run("check", "product_rule")[1]


def test_an_argument_that_is_changed_is_noticed(tmp_path):
    text = """
        import numpy as np
        def index_rule(g, shape, index):
            out = np.zeros(shape)
            np.add.at(out, index, g)
            g[:] = 0
            return out
    """
    path = tmp_path / "code.py"
    path.write_text(textwrap.dedent(text))
    ((_, (exercise,)),) = exercises_named(["index_rule"])
    found = mark_function(Trial(exercise, 0), read_learner_file(path).functions()["index_rule"])
    assert found.state == WRONG
    assert "changes what it was given, in argument 1" in found.says


def test_what_the_garbage_collector_calls_is_not_the_learners(tmp_path):
    """Libraries have it call functions of theirs, whenever it happens to run."""
    called = types.FunctionType((lambda *_: None).__code__, {"__name__": "pytest"})
    gc.callbacks.append(called)
    try:
        body = "[[] for _ in range(100_000)]; return 1 / 0"
        found = judged(f"def product_rule(g, x, y):\n    {body}", tmp_path=tmp_path)
    finally:
        gc.callbacks.remove(called)
    assert found.state == WRONG


def test_what_an_import_calls_is_not_the_learners(tmp_path, monkeypatch):
    """Packages put finders of theirs into Python's way to import."""
    find = lambda *_: None
    finder = types.SimpleNamespace(
        find_spec=types.FunctionType(find.__code__, {"__name__": "pytest"})
    )
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    monkeypatch.delitem(sys.modules, "this_day", raising=False)
    body = "\n    try:\n        import this_day\n    except ImportError:\n        return 1 / 0"
    found = judged(f"def product_rule(g, x, y):{body}", tmp_path=tmp_path)
    assert found.state == WRONG


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return None", "returns nothing"),
        ("return g", "returns one number; expected is a tuple of 2 numbers"),
        ("return (g,)", "returns a tuple of 1 number; expected is a tuple of 2 numbers"),
        ("return product_rule(g, x, y)", "calls itself without end"),
        ("raise SystemExit", "ends the program"),
        ("raise EOFError", "asks for input, and nobody answers"),  # as input() does
        ("return 1 / 0", "ZeroDivisionError: division by zero, in line 2: return 1 / 0"),
        ("import json; json.loads('x')", "in line 2: import json; json.loads('x')"),
        ("return g + 1, x * y", "not on the list of known mistakes"),
        ("return -g * y, -g * x", "All signs are wrong."),
        ("return (n for n in (g, x))", "returns a generator; expected is a tuple"),
        ("raise ValueError('x' * 10**6)", "ValueError: xxx"),
        ("raise ValueError('\\ud800')", "ValueError: \\ud800, in line 2"),
    ],
)
def test_what_is_said_of_other_mistakes(body, says, tmp_path):
    found = judged(f"def product_rule(g, x, y):\n    {body}", tmp_path=tmp_path)
    assert found.state == WRONG
    assert says in found.says
    assert found.mistake is None
    assert found.shows[-1] == "expected  (2.0, 3.0)"  # by nudging: nearly


def test_what_changes_numpy_is_told_so_and_numpy_is_put_back(folder):
    right = "def product_rule(g, x, y):\n    return g * y, g * x\n"
    exp = np.exp
    write(folder, f"\nnp.exp = lambda x: x\n{right}")
    for seconds in (SECONDS, float("inf")):
        found = checked(folder, "product_rule", seconds)
        assert found.state == WRONG
        assert "np.exp is no longer NumPy's" in found.says
    assert np.exp is exp


def test_a_keyboard_interrupt_of_the_functions_own_is_named(folder):
    write(folder, "\ndef product_rule(g, x, y):\n    raise KeyboardInterrupt\n")
    found = checked(folder, "product_rule")
    assert found.state == WRONG
    assert "It raises KeyboardInterrupt" in found.says
    assert found.shows[0].startswith("product_rule(")


@pytest.mark.parametrize("answer", ["np.zeros(12_000_000)", "[0.0] * 12_000_000"])
def test_of_a_long_answer_only_the_beginning_is_written(answer):
    asked = []

    class Long(list):
        def __getitem__(self, k):
            asked.append(k)
            return super().__getitem__(k)

        def __iter__(self):
            return (self[k] for k in range(len(self)))

    said = shown(eval(answer))
    assert said.startswith("[0.0, 0.0")
    assert len(said) < 500
    shown(Long(range(10**4)))
    assert len(asked) < 500


def test_a_call_of_what_is_not_written_yet_is_named(tmp_path):
    later = "    return later(x)\ndef later(x):\n    raise NotImplementedError"
    for first in ("", "    if x == 3: return g * y, g * x\n"):  # which is the docstring's example
        found = judged(f"def product_rule(g, x, y):\n{first}{later}", tmp_path=tmp_path)
        assert (found.state, found.says) == (WRONG, "It calls later, which is not written yet.")


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        (
            "attend",
            """
            def attend(s, mask, v):
                s = s + (1 - mask) * -1e12
                e = np.exp(s - np.max(s, 1)[:, None])
                return np.einsum("ts,sv->tv", e / np.sum(e, 1)[:, None], v)
            """,
            "attends to everything",
        ),
        (
            "softmax",
            """
            def softmax(x):
                z = np.exp(x - np.max(x))
                return (z.T / np.sum(z, axis=-1).T).T
            """,
            "One maximum is taken for the whole array",
        ),
        (
            "split_heads",
            """
            def split_heads(x, heads):
                return np.reshape(x, (len(x), heads, -1, x.shape[2] // heads))
            """,
            "plain reshape",
        ),
        (
            "walk",
            """
            def walk(graph, root):
                gradients = dict.fromkeys(graph, 0)
                def visit(node, arrived):
                    gradients[node] += arrived
                    for argument, slope in graph[node]:
                        visit(argument, gradients[node] * slope)
                visit(root, 1)
                return gradients
            """,
            "There is no topological order",
        ),
        (
            "layer_norm",
            """
            def layer_norm(x, gain, bias, eps):
                x = x - x.mean(-1, keepdims=True)
                return gain * x / np.sqrt((x**2).sum(-1, keepdims=True) / (x.shape[-1] - 1) + eps) + bias
            """,
            "divided by D - 1",
        ),
        (
            "teacher_forcing",
            """
            def teacher_forcing(targets):
                read = np.array([row[:-1] for row in targets.tolist()])
                return read, read.copy()
            """,
            "not shifted",
        ),
        (
            "layer_norm",
            """
            def layer_norm(x, gain, bias, eps):
                std = x.std(-1, keepdims=True, ddof=1)
                return (x - x.mean(-1, keepdims=True)) / (std + eps) * gain + bias
            """,
            "not on the list of known mistakes",
        ),
    ],
    ids=["attend", "softmax", "split_heads", "walk", "ddof", "teacher_forcing", "two at once"],
)
def test_a_mistake_is_named_however_it_is_written(name, code, says, tmp_path):
    path = tmp_path / "code.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(code))
    ((sheet, (exercise,)),) = exercises_named([name])
    for seed in range(3):
        trial = Trial(exercise, seed, examples(sheet, exercise))
        found = mark_function(trial, read_learner_file(path).functions()[name])
        assert found.state == WRONG
        assert says in found.says


@pytest.mark.parametrize(
    ("given", "right", "are"),
    [
        ((2.0, True), (2.0, 1), False),
        (([[1, 2]], [1.0, 0.0]), ([[1, 2]], [True, False]), False),
        ((np.arange(2), np.array([0.0, 1.0])), (np.arange(2), np.array([False, True])), False),
        ((1, 2), (1, 2, 3), False),
        ([1, 2], (1, 2), False),
        ((2, np.float64(3)), (2.0, 3), True),
        ((np.arange(2.0), np.array([True])), (np.arange(2), np.array([True])), True),
    ],
    ids=str,
)
def test_what_is_in_a_tuple_is_compared_one_by_one(given, right, are):
    assert alike(given, right, 1e-6, 1e-9) == are


@pytest.mark.parametrize("other", ["tolist()", "astype(object)"])
def test_what_differs_in_kind_alone_is_shown_to_differ(other, folder):
    write(
        folder,
        f"""
        def dropout(x, p, draws, training):
            return (np.where(draws < p, 0, x / (1 - p)) if training else x + 0.0).{other}
        """,
        file_of("dropout"),
    )
    given, right = (line.split(maxsplit=1)[1] for line in checked(folder, "dropout").shows[1:])
    assert given != right == "array([0.0, 4.0])"


def test_a_property_that_does_not_hold_is_said(tmp_path):
    path = tmp_path / "code.py"
    path.write_text("def softmax(x):\n    return x * x\n")
    ((_, (exercise,)),) = exercises_named(["softmax"])
    found = mark_function(Trial(exercise, 0), read_learner_file(path).functions()["softmax"])
    assert found.state == WRONG
    assert "This must be true, and is not: each row sums to one." in found.says


def test_what_a_long_chain_shows_is_two_short_lines(tmp_path):
    deep = """
        def order(graph, root):
            found = {}

            def visit(node):
                if node not in found:
                    for argument in graph[node]:
                        visit(argument)
                    found[node] = True

            visit(root)
            return list(found)[::-1]
    """
    found = judged(deep, tmp_path=tmp_path, name="order")
    assert "1000 calls deep" in found.says
    assert max(map(len, found.shows)) < 100
    assert found.shows[2].endswith("994, … 1000 in all] or another that is right")


def test_nodes_left_out_are_shown_on_a_graph_of_three(tmp_path):
    walk = """
        def walk(graph, root):
            gradients = {root: 1}
            for node in reversed(graph):
                for argument, slope in graph[node] if node in gradients else []:
                    gradients[argument] = gradients.get(argument, 0) + slope * gradients[node]
            return gradients
    """
    found = judged(walk, tmp_path=tmp_path, name="walk")
    assert "does not depend on are left out" in found.says
    assert found.shows[0] == "walk({'aside': [], 'x': [], 'y': [('x', 2)]}, 'y')"


@pytest.mark.parametrize(
    "loop",
    [
        "for n in graph:\n    if n == root:\n        return g",
        "for n in graph:\n    if n:\n        continue\n    return g",
        "for n in graph:\n    pass\nreturn g",
        "for n in graph:\n    return g\nreturn g",
        "def inner():\n    for n in graph:\n        pass\n    return g\nreturn inner()",
    ],
)
def test_a_return_that_ends_no_loop_at_once_is_not_called_so(loop, tmp_path):
    """What is wrong here is the answer."""
    code = "def walk(graph, root):\n    g = {}\n" + textwrap.indent(loop, "    ")
    found = judged(code, tmp_path=tmp_path, name="walk")
    assert found.state == WRONG
    assert "stands in the loop" not in found.says


def test_a_return_in_a_loop_is_no_mistake_where_the_answers_are_right(tmp_path):
    once = "def product_rule(g, x, y):\n    while True:\n        return g * y, g * x"
    assert judged(once, tmp_path=tmp_path).state == RIGHT


# --- what cannot be read, and where ----------------------------------------------------------------


BROKEN = {
    "bracket": "def order(graph, root):\n    return sorted(graph\n",
    "colon": "def order(graph, root)\n    return []\n",
    "body": "def order(graph, root):\n",
    "string": "def order(graph, root):\n    return 'a\n",
    "indent": "def order(graph, root):\n    x = 1\n      y = 2\n",
    "docstring": 'def order(graph, root):\n    """never closed\n    return []\n',
    "break": "def order(graph, root):\n    break\n",
    "twice": "def order(graph, graph):\n    return []\n",
    "nonlocal": "def order(graph, root):\n    nonlocal x\n",
    "signs that end no line": (
        "TEXT = '\x0c\x85\u2028\u2029'\n\ndef order(graph, root):\n    return sorted(graph\n"
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_syntax_error_costs_only_the_function_that_it_stands_in(kind, tmp_path):
    right = "def product_rule(g, x, y):\n    return g * y, g * x\n"
    after = "def walk(graph, root):\n    raise NotImplementedError\n"
    text = "\n\n".join([right, BROKEN[kind], after])
    (tmp_path / FIRST).write_text(text, encoding="utf-8")
    found = {
        e.name: v for _, e, v in sandbox.check(tmp_path, exercises_named(["01"]), 0, float("inf"))
    }
    assert found["product_rule"].state == RIGHT
    assert found["order"].state == WRONG
    assert f"Python cannot read {FIRST}, in line " in found["order"].says
    assert found["walk"].state == "not begun"


def test_what_calls_a_function_that_cannot_be_read_is_told_so(tmp_path):
    order = "def order(graph, root):\n    return (graph\n\n"
    walk = "def walk(graph, root):\n    order(graph, root)\n"
    (tmp_path / FIRST).write_text(order + walk)
    ((_, _, found),) = sandbox.check(tmp_path, exercises_named(["walk"]), 0, float("inf"))
    assert found.says.startswith(f"It calls order, and Python cannot read {FIRST}, in line 2: ")


def test_of_another_encoding_it_is_said_how_to_save_the_file(tmp_path):
    text = "def walk(graph, root):\n    'Für'\n    return {}\n"
    (tmp_path / FIRST).write_text(text, encoding="cp1252")
    found = {
        e.name: v for _, e, v in sandbox.check(tmp_path, exercises_named(["01"]), 0, float("inf"))
    }
    assert "in line 2: it is not UTF-8 there; save the file as UTF-8" in found["walk"].says


def test_a_file_of_which_nothing_can_be_read_says_so(tmp_path):
    (tmp_path / FIRST).write_text("x = (\n")
    found = [v for _, _, v in sandbox.check(tmp_path, exercises_named(["01"]), 0, float("inf"))]
    assert {v.state for v in found} == {WRONG}
    assert all("in line 1" in v.says for v in found)


def test_judging_in_this_process_prints_nothing_and_starts_nothing(run, folder, monkeypatch):
    write(
        folder,
        """
        import sys

        end = sys.exit("an experiment")

        def product_rule(g, x, y):
            print("mine")
            sys.stdout.write("mine")
            sys.stdout.flush()
            return g * y, g * x
        """,
    )
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(sandbox, "ThreadPoolExecutor", None)
    monkeypatch.setattr(sandbox, "House", None)
    status, said, _ = run("check", "product_rule", "--folder", folder, "--in-process")
    assert (status, said) == (0, "01 product_rule: right\n")
