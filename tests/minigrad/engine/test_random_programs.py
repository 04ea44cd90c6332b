"""Random programs against PyTorch.

`problem` runs a program and says what is wrong with it:

    value       must be NumPy's on plain arrays, and PyTorch's
    gradient    must be PyTorch's, and the same with create_graph=True and under record()
    Hessian     times a fixed direction must be PyTorch's
    program()   of the graph must give the same bits as backward()
    steps()     must leave the same bits in the leaves as backward()

Where PyTorch has other derivatives, finite differences decide. At a kink, or near one, they cannot:
nothing is said there. Without PyTorch, they decide everywhere.

A program that fails is made as small as it will go, and printed so that `check` can be given it again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from leaves import gradients
from operations.numbers import numbers, product, slope
from random_operations import OPERATIONS, torch
from random_programs import (
    LAYOUTS,
    Leaf,
    Program,
    Step,
    loss_of,
    program_of,
    random_program,
    values_of,
)

import minigrad as mg
from minigrad import transforms

# A program at random may give a loss what a softmax has made.
pytestmark = pytest.mark.filterwarnings("ignore:.* takes scores")

SEEDS = 25  # of the programs that are always run
EACH = 3  # of an operation's own programs; the first is always run
MORE = 1000  # of the slow test's

# --- what is wrong with a program -------------------------------------------------------------------


class Derivatives(NamedTuple):
    """At the leaves of a program: its value, its gradient, and the Hessian times `direction`."""

    value: Any
    gradient: list[np.ndarray]
    hessian: list[np.ndarray]


def direction(program: Program) -> list[np.ndarray]:
    return [numbers(program.leaves[i].shape, 7 + i) for i in program.variables()]


def in_minigrad(program: Program) -> Derivatives:
    leaves, loss = computed(program)
    loss.backward(create_graph=True)
    first = [mg.Tensor(np.zeros(x.shape)) if x.grad is None else x.grad for x in leaves]
    gradients(leaves)
    total = product(first, direction(program))
    if total.requires_grad:
        total.backward()
    return Derivatives(loss.item(), [g.detach().numpy() for g in first], gradients(leaves))


def in_torch(program: Program) -> Derivatives:
    inputs = [
        torch.tensor(a.copy(), requires_grad=not leaf.plain)
        for a, leaf in zip(program.arrays(), program.leaves)
    ]
    leaves = [inputs[i] for i in program.variables()]
    loss = loss_of(program, inputs, "torchs")
    first = torch_gradients(loss, leaves)
    total = product(first, map(torch.tensor, direction(program)))
    second = torch_gradients(total, leaves)
    # PyTorch's own zeros may have no memory, into which numpy(force=True) writes: copy them.
    plain = lambda g: torch.zeros(g.shape, dtype=g.dtype).copy_(g.detach()).numpy()
    arrays = [[plain(g) for g in gs] for gs in (first, second)]
    return Derivatives(loss.item(), *arrays)


def torch_gradients(loss: Any, leaves: list[Any]) -> list[Any]:
    """Zero where PyTorch has nothing to differentiate."""
    if not loss.requires_grad:
        return [torch.zeros_like(x) for x in leaves]
    return torch.autograd.grad(
        loss, leaves, create_graph=True, allow_unused=True, materialize_grads=True
    )


def computed(
    program: Program, arrays: Sequence[np.ndarray] | None = None
) -> tuple[list[mg.Tensor], mg.Tensor]:
    """The leaves to differentiate by, and the loss."""
    inputs: list[Any] = list(program.arrays() if arrays is None else arrays)
    for i in program.variables():
        inputs[i] = mg.Tensor(inputs[i], requires_grad=True, name=f"v{i}")
    return [inputs[i] for i in program.variables()], loss_of(program, inputs)


def gradient(program: Program, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    leaves, loss = computed(program, arrays)
    return gradient_of(loss, leaves)


def gradient_of(loss: mg.Tensor, leaves: list[mg.Tensor]) -> list[np.ndarray]:
    loss.backward(retain_graph=True)
    return gradients(leaves)


def gradient_by_steps(loss: mg.Tensor, leaves: list[mg.Tensor]) -> list[np.ndarray]:
    for _ in mg.steps(loss, accumulate=True):
        pass
    return gradients(leaves)


def gradient_by_each(loss: mg.Tensor, leaves: list[mg.Tensor]) -> list[np.ndarray]:
    """With a walk for each leaf, which calls no rule that does not lead there."""
    one = np.ones_like(loss.data)
    found = [transforms.gradients([loss], [one], [x], retain_graph=True)[0] for x in leaves]
    return [np.zeros(x.shape) if g is None else g for g, x in zip(found, leaves)]


def problem(program: Program) -> str | None:
    """What is wrong: its kind, a colon, and more. None if everything is as it should be."""
    try:
        return next(problems(program), None)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def problems(program: Program) -> Iterator[str]:
    found = in_minigrad(program)
    wanted = in_torch(program) if torch else Derivatives(None, None, None)
    yield from wrong_value(program, found.value, wanted.value)

    value = lambda arrays: loss_of(program, arrays)
    check_gradient = Slopes(program, value)
    yield from check_gradient.wrong("gradient", found.gradient, wanted.gradient)
    along = direction(program)
    check_hessian = Slopes(program, lambda arrays: product(gradient(program, arrays), along))
    yield from check_hessian.wrong("Hessian", found.hessian, wanted.hessian)

    leaves, loss = computed(program)
    plain = gradient_of(loss, leaves)
    yield from check_gradient.wrong("gradient without create_graph", plain, found.gradient)
    yield from different("steps()", gradient_by_steps(loss, leaves), plain)
    yield from different("gradient by each leaf alone", gradient_by_each(loss, leaves), plain)
    with mg.record():
        leaves, loss = computed(program)
    recorded = gradient_of(loss, leaves)
    yield from check_gradient.wrong("gradient under record()", recorded, plain)
    result, by_name = mg.graph(loss).program().run()
    yield from different("value of program()", [result], [loss.detach().numpy()])
    yield from different(
        "gradient of program()", [by_name.get(x.name, np.zeros(x.shape)) for x in leaves], recorded
    )
    yield from different("steps() under record()", gradient_by_steps(loss, leaves), recorded)


def wrong_value(program: Program, found: float, in_torch: float | None) -> Iterator[str]:
    in_numpy = loss_of(program, program.arrays())
    for library, wanted in (("NumPy", in_numpy), ("PyTorch", in_torch)):
        if wanted is not None and not np.isclose(found, wanted, rtol=1e-9, atol=1e-9):
            yield f"value: {found}, and in {library} {wanted}"


def different(what: str, found: list[np.ndarray], wanted: list[np.ndarray]) -> Iterator[str]:
    for a, b in zip(found, wanted):
        if not (a.dtype == b.dtype and np.array_equal(a, b)):
            yield f"{what}: {a.tolist()} instead of {b.tolist()}"


class Slopes(NamedTuple):
    """Judges derivatives of a function of the arrays that a program begins with."""

    program: Program
    f: Callable[[list[np.ndarray]], Any]

    def wrong(
        self, what: str, found: list[np.ndarray], wanted: list[np.ndarray] | None
    ) -> Iterator[str]:
        """What is neither as wanted, nor what finite differences say."""
        tolerance = 1e-9 * (1 + max(np.max(np.abs(x), initial=0) for x in found))
        for k, i in enumerate(self.program.variables()):
            way = numbers(found[k].shape, 3)
            if wanted is not None:
                apart = found[k] - wanted[k]
                if np.all(np.abs(apart) <= tolerance):
                    continue
                way = apart if np.all(np.isfinite(apart)) else way
            way = way / max(np.linalg.norm(way), 1e-9)
            measured = self.along(i, way)
            if (
                measured is not None
                and not abs(np.sum(found[k] * way) - measured) < 1e4 * tolerance
            ):
                known = "" if wanted is None else f", elsewhere {wanted[k].tolist()}"
                yield f"{what}: by v{i} {found[k].tolist()}{known}"

    def along(self, i: int, way: np.ndarray) -> float | None:
        """The slope as array `i` goes some way; None where it is at a kink, or near one.

        A kink may not show along that way: another is tried as well.
        """
        return None if self.steady(i, numbers(way.shape, 3)) is None else self.steady(i, way)

    def steady(self, i: int, way: np.ndarray) -> float | None:
        """The slope, if it is the same forwards and backwards, and over long and short steps."""
        arrays = self.program.arrays()
        ways = [way if j == i else np.zeros(a.shape) for j, a in enumerate(arrays)]
        at = lambda t: self.f([a + t * d for a, d in zip(arrays, ways)])
        sides = (at(1e-6) - at(0)) / 1e-6, (at(0) - at(-1e-6)) / 1e-6
        long, short = (slope(self.f, arrays, ways, step) for step in (1e-3, 1e-4))
        steady = np.isclose(long, short, 1e-6, 1e-6) and np.allclose(sides, short, 1e-3, 1e-3)
        return short if steady else None


# --- a smaller program with the same problem ----------------------------------------------------------


def shrunk(program: Program) -> Program:
    """The smallest program with a problem of the same kind that comes of simpler and simpler ones."""
    found = kind(program)
    for smaller in simpler(program):
        if kind(smaller) == found:
            return shrunk(smaller)
    return program


def kind(program: Program) -> str:
    return (problem(program) or "").partition(":")[0]


def simpler(program: Program) -> Iterator[Program]:
    """Without one of its ends; with the result of a step as a leaf; with a leaf in the usual layout."""
    first = len(program.leaves)
    values = values_of(program, program.arrays())
    for i in program.ends():
        if i >= first or len(program.variables()) > 1:
            yield without(program, i)
    for i in range(first, first + len(program.steps)):
        x = np.asarray(values[i])
        yield with_leaf(program, i, Leaf(x.shape, x.ravel().tolist()))
    for i, leaf in enumerate(program.leaves):
        if leaf.layout != "C":
            leaves = [*program.leaves]
            leaves[i] = leaf._replace(layout="C")
            yield program._replace(leaves=leaves)


def renumbered(steps: Iterable[Step], number: Callable[[int], int]) -> list[Step]:
    return [s._replace(arguments=tuple(number(i) for i in s.arguments)) for s in steps]


def without(program: Program, end: int) -> Program:
    """Without a value that no step takes."""
    first = len(program.leaves)
    leaves = [leaf for i, leaf in enumerate(program.leaves) if i != end]
    steps = [step for i, step in enumerate(program.steps, first) if i != end]
    return Program(leaves, renumbered(steps, lambda i: i - (i > end)))


def with_leaf(program: Program, step: int, leaf: Leaf) -> Program:
    """With a leaf in the place of a step: the last of the leaves."""
    first = len(program.leaves)
    number = lambda i: first if i == step else i + (first <= i < step)
    steps = [s for i, s in enumerate(program.steps, first) if i != step]
    return Program([*program.leaves, leaf], renumbered(steps, number))


# --- the tests --------------------------------------------------------------------------------------


def check(program: Program) -> None:
    if problem(program):
        program = shrunk(program)
        raise AssertionError(f"{problem(program)}\n\n{program}\n\ncheck({program!r})")


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_program(seed):
    check(random_program(seed))


@pytest.mark.parametrize(
    "operation",
    [pytest.param(o, marks=pytest.mark.slow if i % 4 else ()) for i, o in enumerate(OPERATIONS)],
)
def test_an_operation(operation):
    check(program_of(operation, 0))


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS)
def test_more_of_an_operation(operation):
    for seed in range(1, EACH):
        check(program_of(operation, seed))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(SEEDS, SEEDS + MORE, 100))
def test_a_hundred_programs_more(first):
    for seed in range(first, first + 100):
        check(random_program(seed))


def test_the_programs_have_leaves_of_all_kinds():
    programs = [random_program(seed) for seed in range(SEEDS)]
    leaves = [leaf for program in programs for leaf in program.leaves]
    calls = [step.arguments for program in programs for step in program.steps]
    assert {leaf.layout for leaf in leaves} == {*LAYOUTS}
    assert {len(leaf.shape) for leaf in leaves} == {0, 1, 2, 3, 4}
    assert {leaf.plain for leaf in leaves} == {True, False}
    assert any(0 in leaf.shape for leaf in leaves)
    assert any(len(taken) == 2 and taken[0] == taken[1] for taken in calls)


# Rules that are wrong, and what is wrong with them.


def outside(x: Any) -> Any:
    """`x` as a number that nothing can be differentiated by."""
    return x.detach() if isinstance(x, mg.Tensor) else x


WRONG = {
    "value": lambda x: np.square(x) + (isinstance(x, mg.Tensor) and 1),
    "gradient": mg.rule(lambda x: x * x, lambda g, y, x: g * x),
    "Hessian": mg.rule(lambda x: x * x, lambda g, y, x: 2 * g * outside(x)),
    "ShapeError": mg.rule(lambda x: x * x, lambda g, y, x: np.sum(g)),
}


@pytest.mark.parametrize("kind_of_mistake", WRONG)
def test_a_mistake_is_found_and_shown_alone(kind_of_mistake, monkeypatch):
    operation = OPERATIONS["square"]._replace(ours=WRONG[kind_of_mistake])
    monkeypatch.setitem(OPERATIONS, "square", operation)
    program = Program(
        [Leaf((2,), [0.5, 2.0]), Leaf((3, 2), [1.0, -1.0, 0.5, 2.0, 0.25, -0.5])],
        [Step("multiply", (0, 1), {}), Step("square", (2,), {}), Step("sum", (3,), {"axis": 0})],
    )
    with pytest.raises(AssertionError, match=f"^{kind_of_mistake}: ") as failure:
        check(program)
    lines = re.findall(r"^v\d.*", str(failure.value), re.MULTILINE)
    assert lines[-1] == f"v{len(lines) - 1} = square(v0)"
    assert all("leaf" in line for line in lines[:-1])
