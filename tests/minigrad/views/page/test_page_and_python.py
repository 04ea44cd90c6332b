"""A page against Python: numbers are changed in both, and each number of the page is right, or marked.

A case is a function and the arrays that it is called with. Its page is opened, some numbers are changed
in it, and every value, gradient and contribution is compared with a run of Python at the new numbers.
Where they differ, the page must say at that number that it is not computed again.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from operations import ROWS
from operations.numbers import numbers, product, run
from random_programs import loss_of, random_program

import minigrad as mg
from minigrad import functional as F
from minigrad import nn
from minigrad.ran.recording import as_arguments
from minigrad.views.drawing import drawing

ADAPTER = Path(__file__).parents[3].joinpath("helpers", "shown.js").read_text(encoding="utf-8")
ERROR = 1e-9  # relative to the largest number of a run
N = np.nan


class Case(NamedTuple):
    """A computation to change numbers in.

    Attributes:
        function: of Tensors for arrays of floats, and of the others as they are.
        arrays: what it is called with.
    """

    name: str
    function: Callable[..., mg.Tensor]
    arrays: Sequence[np.ndarray]


class Shown(NamedTuple):
    """An array of a page, or None where there is none of a place.

    Attributes:
        array: its numbers.
        marked: whether the page says that it keeps its numbers.
        drawn: whether the pictures and tables have these numbers too.
    """

    array: np.ndarray
    marked: bool
    drawn: bool


# --- the two sides --------------------------------------------------------------------------------


def of_python(
    case: Case, arrays: Iterable[np.ndarray], proven: bool
) -> tuple[mg.Tensor, list[Any]]:
    """The loss at these numbers, recorded as a page has it; and the inputs."""
    leaf = lambda a: mg.Tensor(a, requires_grad=True) if a.dtype.kind == "f" else a
    inputs = [leaf(a) for a in arrays]
    mg.manual_seed(0)
    with mg.record(), np.errstate(all="ignore"):
        return case.function(*(as_arguments(inputs) if proven else inputs)), inputs


def told_by_python(
    case: Case, arrays: Iterable[np.ndarray], proven: bool
) -> tuple[list[str], list[Any]]:
    """The operations that ran; and every value, gradient and contribution, as a page has them."""
    loss, _ = of_python(case, arrays, proven)
    with np.errstate(all="ignore"):
        loss.backward(retain_graph=True)
    graph = mg.graph(loss)
    of_nodes = [a for n in graph.nodes for a in (n.value, n.gradient)]
    of_edges = [a for e in graph.edges for a in (e.passed or (None,) * 4)]
    return [n.operation or n.kind for n in graph.nodes], [*of_nodes, *of_edges]


def opened(browser: Any, page: Path) -> None:
    """Open a page that has the adapter at the end of its script."""
    end = "})();\n</script>"
    text = page.read_text(encoding="utf-8")
    assert text.count(end) == 1
    page.write_text(text.replace(end, f"{ADAPTER}{end}"), encoding="utf-8")
    browser.open(page)


def told_by_page(browser: Any, changes: Sequence[tuple]) -> tuple[list[Shown | None], bool]:
    """Every value, gradient and contribution of the open page, once these numbers are changed; and
    whether a line above the page names what Python did with such numbers."""
    shown = browser.run("return shownAfter(arguments[0]);", changes)
    read = lambda text: np.frombuffer(base64.b64decode(text))
    flat = [one for part in (shown["nodes"], shown["passed"]) for some in part for one in some]
    told = [None if one is None else Shown(read(one[0]), *one[1:]) for one in flat]
    return told, shown["warned"]


def changed(rng: random.Random, a: np.ndarray, with_nan: bool) -> tuple[int, Any]:
    """A place of an array and another number for it, of the kind of those that it has."""
    place = rng.randrange(a.size)
    v = a.flat[place]
    if a.dtype.kind == "b":
        return place, not v
    if a.dtype.kind != "f":
        return place, rng.randint(int(a.min()), int(a.max()))
    if with_nan and (np.isnan(v) or rng.random() < 0.3):
        return place, round(rng.gauss(0, 2), 2) if np.isnan(v) else N
    near = round(float(v) * rng.uniform(0.8, 1.2), 3)
    return place, rng.choice([near, near, -float(v), float(rng.choice(a.ravel())), near + 2])


def differing(
    case: Case, shown: list[Shown | None], warned: bool, arrays: list[np.ndarray], proven: bool
) -> Iterator[str]:
    """Say what a page shows that Python, at the same numbers, does not, and that has no mark."""
    operations, wanted = told_by_python(case, arrays, proven)
    before, _ = told_by_python(case, case.arrays, proven)
    if operations != before:  # Python took another path
        if not warned:
            yield f"{case.name}: other operations run, and the page does not say so"
        return
    assert len(shown) == len(wanted)
    for i, (one, right) in enumerate(zip(shown, wanted)):
        if one is None or right is None:
            continue
        if not one.drawn:
            yield f"{case.name}: number {i} is not what is drawn"
        off = not one.marked and not agree(one.array, right, wanted)
        if off and steady(case, arrays, i, right, proven):
            kind = ("value", "gradient")[i % 2] if i < 2 * len(before) else "contribution"
            yield f"{case.name}: {kind} {i} is {one.array}, and in Python {right}"


def agree(found: np.ndarray, right: np.ndarray, all_of_it: Iterable[Any]) -> bool:
    right = np.asarray(right, np.float64).ravel()
    if found.shape != right.shape:
        return False
    finite = (a[np.isfinite(a)] for a in all_of_it if a is not None and a.dtype.kind == "f")
    size = max([1.0, *(float(np.abs(a).max(initial=0)) for a in finite)])
    with np.errstate(all="ignore"):
        near = np.abs(found - right) <= ERROR * size
    return bool(np.all(near | (found == right) | (np.isnan(found) & np.isnan(right))))


def steady(
    case: Case, arrays: Iterable[np.ndarray], place: int, right: np.ndarray, proven: bool
) -> bool:
    """Tell whether a number of Python's stays near when the inputs change by their rounding."""
    moved = [a * (1 + 1e-13) if a.dtype.kind == "f" else a for a in arrays]
    _, then = told_by_python(case, moved, proven)
    return place < len(then) and agree(np.asarray(then[place], float).ravel(), right, then)


class Result(NamedTuple):
    """What comparing pages gave: what is wrong, and how many arrays were compared, or have a mark."""

    wrong: list[str]
    arrays: int
    marked: int


def compared(
    browser: Any, folder: Path, cases: Iterable[Case], *, proven: bool, changes: int = 2
) -> Result:
    """Open the page of each case, change numbers in it, and compare."""
    wrong: list[str] = []
    arrays_seen = marks = 0
    for case in cases:
        rng = random.Random(case.name)
        loss, inputs = of_python(case, case.arrays, proven)
        if not (isinstance(loss, mg.Tensor) and loss.requires_grad):
            continue
        places = [place_of(mg.graph(loss), x) for x in inputs]
        with np.errstate(all="ignore"):
            if proven:
                page = mg.explore(case.function, folder / "page.html", inputs=inputs)
            else:
                page = mg.explore(loss, folder / "page.html")
        opened(browser, page)
        able = browser.run("return changeable(arguments[0]);", places)
        able = [i for i, yes in enumerate(able or ()) if yes and case.arrays[i].size]
        with_nan = any(np.isnan(a).any() for a in case.arrays if a.dtype.kind == "f")
        for _ in range(changes if able else 0):
            arrays = [a.copy() for a in case.arrays]
            given = []
            for i in rng.choices(able, k=rng.randint(1, 2)):
                place, number = changed(rng, arrays[i], with_nan)
                arrays[i].flat[place] = number
                given.append((places[i], place, repr(float(number))))
            shown, warned = told_by_page(browser, given)
            try:
                wrong += differing(case, shown, warned, arrays, proven)
            except (mg.errors.MinigradError, ValueError, np.linalg.LinAlgError):
                continue  # what Python refuses, no page can have
            arrays_seen += sum(one is not None for one in shown)
            marks += sum(one is not None and one.marked for one in shown)
        assert browser.messages() == []
    return Result(wrong, arrays_seen, marks)


def place_of(graph: Any, x: Any) -> int | None:
    """The number of the leaf that an input is in the graph; None where it is not there, or twice."""
    a = x.data if isinstance(x, mg.Tensor) else x
    alike = lambda v: v.dtype == a.dtype and v.shape == a.shape and v.tobytes() == a.tobytes()
    found = [n.number for n in graph.nodes if n.kind != "operation" and alike(np.asarray(n.value))]
    return found[0] if len(found) == 1 else None


# --- cases ----------------------------------------------------------------------------------------


def array(*values: Any) -> np.ndarray:
    return np.array(values, np.float64)


def of_rows(rows: Iterable[Any]) -> Iterator[Case]:
    """The rows of the table of operations; of a function that leaves NaN out, with some too."""
    for row in rows:

        def weighted(*xs, row=row):
            ys = [y for y in run(row.call, xs) if isinstance(y, mg.Tensor) and y.requires_grad]
            return product(ys, [numbers(y.shape) for y in ys])

        arrays = row.arrays()
        yield Case(row.name, weighted, arrays)
        if ".nan" in row.name:
            for a in arrays:
                a.flat[1::3] = N
            yield Case(f"{row.name}, with NaN", weighted, arrays)


def of_programs(seeds: Iterable[int]) -> Iterator[Case]:
    """Random programs that consist of operations alone."""
    for seed in seeds:
        program = random_program(seed)
        at = iter(program.variables())
        of = {i: k for k, i in enumerate(at)}
        plain = program.arrays()

        def loss(*xs, program=program, of=of, plain=plain):
            return loss_of(program, [xs[of[i]] if i in of else a for i, a in enumerate(plain)])

        yield Case(f"program {seed}", loss, [np.array(plain[i]) for i in of])


def mask_of(x, y):
    return (x > 0) & (y > 0)


@mg.definition
def halved(x):
    """x, where it is positive, and half of it elsewhere: by a mask that is followed, and another."""
    positive = x > 0
    return np.where(positive, x, 0) + np.where(~positive, x / 2, 0)


def by_count_and_literal(x, y):
    n = np.count_nonzero(x > 1)
    return x * n + np.sum(y > 1) * y + 1


def by_branch(x, y):
    return x * y if np.max(x).item() > 1 else x - y


def by_definition(x, y):
    n = float(x.data[0])
    return np.clip(y, -n, n) * F.leaky_relu(x, n)


def by_chain(x, y):
    mask = mask_of(x, y)
    scale = np.sum(np.where(mask, x, 0.25)).item()
    return y / scale


def by_determinant(x, y):
    return y * float(np.linalg.det(x[:, None] * y + np.eye(3)).detach())


def by_index(x, y):
    return x[int(np.argmax(y))] * y[np.argmin(x.data)] * x


def by_array(x, y):
    weights = np.exp(x.detach().numpy())
    return y * (weights / weights.sum())


def by_leaf(x, y):
    return y * mg.Tensor(x.data * 2.0, dtype=np.float64)


READING: dict[str, Callable] = {  # what Python or NumPy make of numbers
    "both": lambda x, y: np.where(mask_of(x, y), x * y, x + y),
    "either": lambda x, y: np.where((x > 0) | (y > 0), x * y, x + y),
    "one of the two": lambda x, y: np.where((x > 0) ^ (y > 0), x * y, x + y),
    "not": lambda x, y: np.where(~(x > 0), x * y, x + y),
    "not in a definition": lambda x, y: halved(x) * y,
    "a mask in a function": lambda x, y: F.masked_fill(x, mask_of(x, y), 2.0) * y,
    "a mask of softmax": lambda x, y: F.masked_softmax(x * y, ~mask_of(x, y)),
    "picked by a mask": lambda x, y: np.sum(x[mask_of(x, y)]) + y,
    "a count": lambda x, y: np.count_nonzero(x > 0) * x * y,
    "a count and literals": by_count_and_literal,
    "a count of NaN": lambda x, y: x * np.sum(~np.isnan(y)),
    "a mean without NaN": lambda x, y: x * np.nanmean(y),
    "a branch": by_branch,
    "an item": lambda x, y: x / (np.max(x).item() + 3) * y,
    "a float": lambda x, y: x * float(y.data[0]) + y,
    "a float in a definition": by_definition,
    "a chain": by_chain,
    "a determinant": by_determinant,
    "an index": by_index,
    "an array": by_array,
    "a leaf": by_leaf,
    "a power": lambda x, y: (x * x + 1) ** int(np.sum(y > 0)) * y,
    "lines between points": lambda x, y: np.interp(x, np.sort(y), x * y),
    "a search": lambda x, y: x * np.searchsorted(np.sort(y.data), x.data),
    "a quantile": lambda x, y: np.nanquantile(x, 0.3) * y + np.median(y) * x,
    "where it is close": lambda x, y: np.where(np.isclose(x.data, y.data), x, x * y),
}  # fmt: skip


def of_reading(seeds: Iterable[int]) -> Iterator[Case]:
    """Each way to make constants of numbers, alone and with what others give."""
    for seed in seeds:
        for name, call in READING.items():
            rng = random.Random(f"{name} {seed}")
            then = READING[rng.choice([*READING])] if seed else None

            def loss(x, y, call=call, then=then):
                z = call(x, y)
                z = z if then is None else then(np.sin(z) + x, y)
                return np.sum(np.sin(z) * x) + np.sum(y * y)

            draw = lambda rng=rng: array(*(round(rng.gauss(0.4, 1.5), 2) for _ in range(3)))
            yield Case(f"{name} {seed}", loss, [draw(), draw()])


def of_models() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    draw = lambda *shape: rng.standard_normal(shape)
    ids = np.array([2, 0, 3, 1])

    def attention(q, k, v, mask):
        weights = F.masked_softmax(q @ k.T / np.sqrt(4), mask)  # (T, T)
        return np.mean(np.square(weights @ v))

    def reading(table, w, ids):
        x = F.layer_norm(table[ids] @ w, np.ones(5), np.zeros(5))
        x = x + np.where((ids != 0)[:, None], F.gelu(x), 0)
        return F.cross_entropy(x, np.array([1, 0, 4, 2]), ignore_index=0)

    def network(x, targets):
        mg.manual_seed(1)
        net = nn.Sequential(nn.Linear(3, 4), np.tanh, nn.Dropout(0.2), nn.Linear(4, 3))
        return F.cross_entropy(net(x), targets, label_smoothing=0.1)

    def least_squares(x, y):
        return np.sum(np.square(x @ np.linalg.solve(x.T @ x, x.T @ y) - y))

    mask = np.tril(np.ones((4, 4), bool))
    yield Case("attention", attention, [draw(4, 4), draw(4, 4), draw(4, 4), mask])
    yield Case("reading", reading, [draw(5, 4), draw(4, 5), ids])
    yield Case("network", network, [draw(4, 3), np.array([0, 2, 1, 1])])
    yield Case("least squares", least_squares, [draw(5, 2), draw(5)])


# --- tests ----------------------------------------------------------------------------------------


@pytest.fixture
def compare(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "rendered", lambda dot, kind: None)  # tables show the same numbers
    before = mg.get_default_dtype()
    mg.set_default_dtype(np.float64)
    yield lambda cases, **options: compared(browser, tmp_path, cases, **options)
    mg.set_default_dtype(before)


FIRST = [*{row.function: row for row in reversed(ROWS)}.values()]  # of each function
PARTS = ("nan", "interp", "median", "quantile", "percentile")  # of the names of what reads the data
HARD = [row for row in ROWS if any(part in row.name for part in PARTS)]
PROVEN = pytest.mark.parametrize("proven", [False, True], ids=["recorded", "run again"])


@pytest.mark.slow
def test_what_python_made_of_numbers_is_marked_where_it_is_wrong(compare):
    cases = [case for case in of_reading([0]) if case.name[:-2] not in FOLLOWED]
    result = compare(cases, proven=False, changes=1)
    assert result.wrong == []
    assert result.marked > 100


@pytest.mark.slow
@PROVEN
def test_models_are_right_or_marked(compare, proven):
    result = compare(of_models(), proven=proven)
    assert result.wrong == []
    assert result.arrays > 500


def right(proven: bool) -> Iterator[Case]:
    """Computations of which a page follows every number: of ids too, if they are the page's inputs."""
    yield Case("a product", lambda x, y: np.sum(x * y), [array(1, 2, 3), array(4, 5, 6)])
    yield Case("a mask", lambda x: np.sum(np.where(x > 0, x * 3, x)), [array(1, -2, 3)])
    missing = lambda x: np.nanmean(x) + np.nanvar(x) * np.nanmedian(x) + np.nanquantile(x, 0.3)
    yield Case("missing", lambda x: missing(x) * np.nanstd(x), [array(1, N, 3, 7)])
    between = lambda x, xp, fp: np.sum(np.interp(x, xp, fp, period=2.5) ** 2)
    yield Case("between", between, [array(0.5, 2.2), array(0, 1, 3), array(1, 2, 5)])
    yield Case("a row", lambda x, y: np.sum(x / np.max(y).detach()), [array(1, -2), array(1, 3)])
    yield from (c for c in of_models() if c.name in ("attention", "network", proven and "reading"))
    yield from (c for c in of_reading([0]) if c.name[:-2] in FOLLOWED and not proven)


FOLLOWED = {  # of READING: all that NumPy makes is an operation that the page has
    "both", "either", "one of the two", "not", "not in a definition", "a mask in a function",
    "a mask of softmax", "a count of NaN", "a mean without NaN", "lines between points", "a quantile",
}  # fmt: skip
if isinstance(np.count_nonzero([1]), np.generic):  # older versions give a number of Python's
    FOLLOWED |= {"a count", "a count and literals"}


@pytest.mark.slow
@PROVEN
def test_what_is_right_has_no_mark(compare, proven):
    result = compare(right(proven), proven=proven)
    assert result.wrong == []
    assert result.arrays > 200
    assert result.marked == 0


@pytest.mark.slow
@PROVEN
def test_constants_made_of_what_others_give_are_marked(compare, proven):
    assert compare(of_reading([int(proven)]), proven=proven).wrong == []


@pytest.mark.slow
@PROVEN
def test_random_programs_are_right_or_marked(compare, proven):
    result = compare(of_programs(range(15)), proven=proven)
    assert result.wrong == []
    assert result.arrays > 1_500


@pytest.mark.slow
def test_a_row_of_each_operation_is_right_or_marked(compare):
    result = compare(of_rows(FIRST), proven=False, changes=1)
    assert result.wrong == []
    assert result.arrays > 6_000


@pytest.mark.slow
@PROVEN
def test_what_reads_the_data_is_right_or_marked(compare, proven):
    assert compare(of_rows(HARD[int(proven) :: 8]), proven=proven, changes=1).wrong == []
