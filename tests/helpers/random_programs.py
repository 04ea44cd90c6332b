"""Random programs: straight lines of operations on arrays of all kinds, in NumPy's and PyTorch's names.

A program is data: the arrays that it begins with, and its steps, each an operation of the table in
`random_operations`, the numbers of the values that it takes, and its options. Its loss is the sum of
all values that no step takes, times fixed numbers.
"""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from operations.numbers import numbers, product
from random_operations import OPERATIONS, torch

# --- a program ------------------------------------------------------------------------------------


class Leaf(NamedTuple):
    """An array to begin with: one to differentiate by, or a plain one.

    Attributes:
        shape: its shape.
        elements: its elements in C order.
        layout: how they lie in memory; see `LAYOUTS`.
        plain: whether it stays an array, and no Tensor is made of it.
    """

    shape: tuple[int, ...]
    elements: list[float]
    layout: str = "C"
    plain: bool = False

    def array(self) -> np.ndarray:
        return LAYOUTS[self.layout](np.array(self.elements, np.float64).reshape(self.shape))


class Step(NamedTuple):
    """A call: of which operation of the table, on which values, with which options.

    Values are numbered: the leaves first, then the results of the steps.
    """

    operation: str
    arguments: tuple[int, ...]
    options: dict[str, Any]


class Program(NamedTuple):
    leaves: list[Leaf]
    steps: list[Step]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The program as lines of Python."""
        for i, leaf in enumerate(self.leaves):
            kind = "array" if leaf.plain else "leaf"
            yield f"v{i} = {kind}({leaf.elements}, shape={leaf.shape}, layout={leaf.layout!r})"
        for i, (operation, arguments, options) in enumerate(self.steps, len(self.leaves)):
            taken = [f"v{j}" for j in arguments] + [f"{k}={v!r}" for k, v in options.items()]
            yield f"v{i} = {operation}({', '.join(taken)})"
        yield "loss = " + " + ".join(
            f"np.sum(v{i} * numbers(v{i}.shape, {i}))" for i in self.ends()
        )

    def ends(self) -> list[int]:
        """The values that no step takes."""
        taken = {i for step in self.steps for i in step.arguments}
        return [i for i in range(len(self.leaves) + len(self.steps)) if i not in taken]

    def variables(self) -> list[int]:
        """The leaves to differentiate by."""
        return [i for i, leaf in enumerate(self.leaves) if not leaf.plain]

    def arrays(self) -> list[np.ndarray]:
        return [leaf.array() for leaf in self.leaves]


def values_of(program: Program, inputs: Iterable[Any], library: str = "ours") -> list[Any]:
    """All values: of arrays and Tensors with "ours", of PyTorch's tensors with "torchs"."""
    values = list(inputs)
    for operation, arguments, options in program.steps:
        call = getattr(OPERATIONS[operation], library)
        values.append(call(*(values[i] for i in arguments), **options))
    return values


def loss_of(program: Program, inputs: Iterable[Any], library: str = "ours") -> Any:
    values = values_of(program, inputs, library)
    weights = [numbers(tuple(values[i].shape), i) for i in program.ends()]
    if library == "torchs":
        weights = [torch.tensor(w) for w in weights]
    return product([values[i] for i in program.ends()], weights)


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda a: a,
    "Fortran": lambda a: np.copy(a, order="F"),
    "swapped": lambda a: a.swapaxes(0, -1).copy().swapaxes(0, -1) if a.ndim else a,
    "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a,
    "reversed": lambda a: np.flip(np.flip(a).copy()),
}


# --- programs at random -----------------------------------------------------------------------------

LARGEST = 20.0  # of the numbers in a program: beyond, derivatives drown in rounding


def random_program(seed: int) -> Program:
    """Two to four leaves and three to twelve steps."""
    rng = random.Random(seed)
    return continued(rng, Program(random_leaves(rng), []), rng.randint(3, 12))


def program_of(operation: str, seed: int) -> Program:
    """One that begins with this operation; two steps follow."""
    rng = random.Random(f"{operation} {seed}")
    while True:
        leaves = random_leaves(rng)
        step = random_step(rng, operation, [leaf.array() for leaf in leaves])
        if step is not None:
            return continued(rng, Program(leaves, [step]), 3)


def continued(rng: random.Random, program: Program, length: int) -> Program:
    """With more steps, of any operations."""
    steps = [*program.steps]
    values = values_of(program, program.arrays())
    while len(steps) < length:
        step = random_step(rng, rng.choice([*OPERATIONS]), values)
        if step is not None:
            steps.append(step)
            values.append(result_of(step, values))
    return program._replace(steps=steps)


def random_leaves(rng: random.Random) -> list[Leaf]:
    sizes = [1, *rng.choices([1, 2, 3, 3], k=2)]  # few, so that many shapes fit each other
    others = [random_leaf(rng, sizes, rng.random() < 0.2) for _ in range(rng.randint(1, 3))]
    return [random_leaf(rng, sizes, plain=False), *others]


def random_leaf(rng: random.Random, sizes: list[int], plain: bool) -> Leaf:
    ndim = rng.choices(range(5), [1, 3, 5, 3, 1])[0]
    shape = tuple(rng.choice(sizes) if rng.random() < 0.98 else 0 for _ in range(ndim))
    any_number, one_of_few = lambda: rng.gauss(0, 1), lambda: rng.choice([-1.0, 0.0, 0.5])
    # Of few numbers some are equal, or at a kink: PyTorch can judge that, and nothing else can.
    number = rng.choice([any_number, one_of_few]) if torch else any_number
    elements = [round(number(), 2) for _ in range(math.prod(shape))]
    return Leaf(shape, elements, rng.choice([*LAYOUTS]), plain)


def random_step(rng: random.Random, name: str, values: list[np.ndarray]) -> Step | None:
    """A call of an operation that NumPy can do, and that leads to numbers of a fair size."""
    operation = OPERATIONS[name]
    for _ in range(10**operation.takes):
        later = lambda: max(rng.randrange(len(values)), rng.randrange(len(values)))
        arguments = tuple(later() for _ in range(operation.takes))
        try:
            options = operation.draw(rng, *(values[i] for i in arguments))
            if options is not None and is_fair(result_of(Step(name, arguments, options), values)):
                return Step(name, arguments, options)
        except (ValueError, IndexError):
            continue
    return None


def result_of(step: Step, values: list[np.ndarray]) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is_fair does not let pass
        call = OPERATIONS[step.operation].ours
        return np.asarray(call(*(values[i] for i in step.arguments), **step.options))


def is_fair(x: np.ndarray) -> bool:
    return x.ndim <= 4 and x.size <= 60 and bool(np.all(np.abs(x) <= LARGEST))
