"""Lesson 04: your own engine."""

import functools
import itertools

import numpy as np

from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.sheets import beside
from minigrad.course.places import EXAMPLES

engines = beside("engines")

# --- the whole engine -------------------------------------------------------------------------------

WHOLE = (EXAMPLES / "own_engine.py").read_text(encoding="utf-8")
LINES = {  # of sums and products; the numbers are those of values, leaves first
    "a tensor used twice": ([("multiply", 0, 0)], [(1,)]),
    "an older one used later": ([("multiply", 0, 0), ("multiply", 1, 1), ("add", 1, 2)], [(1,)]),
    "the same, turned round": ([("multiply", 0, 0), ("multiply", 1, 1), ("add", 2, 1)], [(1,)]),
    "new axes": ([("multiply", 0, 1)], [(2, 2), (2,)]),
    "stretched axes": ([("multiply", 0, 1), ("add", 2, 0)], [(2, 1), (1, 3)]),
    "doubled again and again": ([("add", k, k) for k in range(50)], [(1,)]),
}


def positive(rng, *shape):
    return abs(numbers(rng, *shape)) + 0.5


def rules(rng):
    """A call for each rule, and further ones where a rule depends on the arguments: (function,
    arguments, keywords, place)."""
    x, row = positive(rng, 2, 3), positive(rng, 3)
    pairs = [(x, row), (row, x), (x, 1.5), (2.5, x)]
    for name in ("multiply", "add", "subtract", "divide", "maximum"):
        for a, b in pairs:
            b = b + rng.choice([-0.55, 0.55]) if name == "maximum" else b  # no two are equal
            yield from ((name, (a, b), {}, k) for k in (0, 1) if isinstance((a, b)[k], np.ndarray))
    for name in ("negative", "exp", "log", "sqrt"):
        yield name, (x,), {}, 0
    for keywords in ({}, {"axis": 1}, {"axis": -1, "keepdims": True}):
        yield "sum", (x,), keywords, 0
        yield "mean", (x,), keywords, 0
    many, matrix = numbers(rng, 2, 2, 3), numbers(rng, 3, 2)
    for a, b in ((many[0], matrix), (many, matrix), (many, np.swapaxes(many, 1, 2))):
        yield from (("matmul", (a, b), {}, place) for place in (0, 1))
    yield from (("where", (x > 1.5, x, row), {}, place) for place in (1, 2))
    yield "reshape", (x, (3, 2)), {}, 0
    yield "swapaxes", (many, -1, -2), {}, 0
    yield "getitem", (x, np.array([1, 0, 1])), {}, 0
    yield "getitem", (x, ("...", 0)), {}, 0
    yield "take_along_axis", (x, rng.integers(3, size=(2, 1))), {"axis": -1}, 0


FEW = len(list(rules(np.random.default_rng(0))))
OTHERS = (  # what is asked after the rules, one by one
    *(lambda rng, lines=lines, shapes=shapes: ("walk", lines, [positive(rng, *s) for s in shapes])
      for lines, shapes in LINES.values()),
    lambda rng: ("chain", 1200),  # Python calls no deeper than 1000
    lambda rng: ("transformer", *engines.transformer_case(rng)),
)  # fmt: skip


def case(rng, size):
    """What an engine is asked: rule after rule, and then all together."""
    if size >= FEW:
        return OTHERS[size - FEW](rng)
    name, arguments, keywords, place = next(itertools.islice(rules(rng), size, None))
    y = engines.function_of(name)(*map(engines.index, arguments), **keywords)
    return "rule", name, arguments, keywords, place, numbers(rng, *np.shape(y))


@functools.cache
def planted(*changes):
    """The engine of lesson 04 with a mistake in it, as (Tensor, backward)."""
    text = WHOLE
    for right, wrong in changes:
        assert right in text, right
        text = text.replace(right, wrong)
    space = {"__name__": "exercises_planted"}
    exec(compile(text, "an engine", "exec"), space)
    return space["Tensor"], space["backward"]


@exercise(
    points=6,
    draw=case,
    sizes=range(FEW + len(OTHERS)),
    truth=engines.asked(engines.minigrad),
    through="engines.asked",
    whole=f"{WHOLE}\n\ndef engine():\n    return Tensor, backward",
    hints=[
        "Begin with `call`, and let both protocols and `__getitem__` hand over to it: what functions "
        "give of the arrays, and a Tensor that remembers the function and its arguments.",
        "`backward` is the walk of step 5 with the rules looked up; `undo_broadcast` where a gradient "
        "reaches its argument. The lesson has both; each rule is a line of a table.",
        "One function after the other: `python -m minigrad exercises engine` shows a line for each, "
        "and names the first that is wrong.",
    ],
    worked=(
        lambda: (),
        [
            "y = x * x + x for x = 3: the walk begins with 1 at y.",
            "It gives 1 to the product and 1 to x; x has to wait for what the product gives.",
            "The product gives 1 * 3 to x, twice: {1 + 3 + 3}",
        ],
    ),
)
def engine():
    return planted()


@engine.mistake(
    "A gradient that arrives replaces the one that was there. A tensor that is used twice gets two, "
    "and they add."
)
def _():
    return planted(("arrived.get(a, 0) + given", "given"))


@engine.mistake(
    "The walk takes the tensor that has waited longest, and so passes a gradient on before all of it "
    "has arrived. Take the newest one that is waiting."
)
def _():
    return planted(
        ("_, y = heapq.heappop(waiting)", "_, y = waiting.pop(0)"),
        ("heapq.heappush(waiting, (-a.number, a))", "waiting.append((-a.number, a))"),
        ("arrived.pop(y)", "arrived.pop(y, 0)"),
    )


@engine.mistake(
    "The walk takes the tensor that was reached last, and so passes a gradient on before all of it "
    "has arrived. Take the newest one that is waiting, by its number."
)
def _():
    return planted(
        ("_, y = heapq.heappop(waiting)", "_, y = waiting.pop()"),
        ("heapq.heappush(waiting, (-a.number, a))", "waiting.append((-a.number, a))"),
        ("arrived.pop(y)", "arrived.pop(y, 0)"),
    )


@engine.mistake(
    "Where broadcasting stretched an axis of length 1, the gradient is the mean of what the copies "
    "get; it is their sum."
)
def _():
    return planted(("return g.sum(axis=tuple(i for i", "return g.mean(axis=tuple(i for i"))


@engine.mistake(
    "Where broadcasting put new axes in front, the gradient is the mean of what the copies get; it is "
    "their sum."
)
def _():
    front = "axis=tuple(range(g.ndim - len(shape)))"
    return planted((f"g = g.sum({front})", f"g = g.mean({front})"))


@engine.mistake("No broadcast is undone: a gradient has the shape of the copies.")
def _():
    return planted(
        ("given = undo_broadcast(", "given = (lambda g, shape: g)("),
    )


@engine.mistake(
    "The rule of x[index] loses repeats: an element that is picked twice gets one gradient. "
    "`np.add.at` adds every time."
)
def _():
    return planted(("np.add.at(out, index, g)", "out[index] += g"))


@engine.mistake("The rule of a quotient, by what is below: its derivative is -a / b**2.")
def _():
    return planted(("-g * y / b", "-g / b"))


@engine.mistake("The rule of a quotient, by what is below, has lost its sign: it is -a / b**2.")
def _():
    return planted(("-g * y / b", "g * y / b"))


@engine.mistake("The rule of a difference gives its second argument the sign of the first.")
def _():
    return planted(("lambda g, y, a, b: -g\n", "lambda g, y, a, b: g\n"))


@engine.mistake(
    "The rule of a matrix product turns all axes round with .T; of a batch, only the last two change "
    "places."
)
def _():
    return planted(("return np.swapaxes(a, -1, -2)", "return a.T"))


@engine.mistake("The rule of a sum does not put back the axis that was summed away.")
def _():
    return planted(
        ("return g if axis is None or keepdims else np.expand_dims(g, axis)", "return g")
    )


@engine.mistake("A mean passes on what a sum would: it is to be divided by the count.")
def _():
    return planted(("total * (total.size / a.size)", "total"))


@engine.mistake("The rule of sqrt: its derivative is 1 / (2 sqrt(a)).")
def _():
    return planted(("g / (2 * y)", "g / (2 * a)"))


def without(name):
    return planted(("# fmt: on", f"del RULES[np.{name}]\n# fmt: on"))


for _name in ("sqrt", "exp", "where"):
    engine.mistake(
        f"There is no rule for np.{_name}: its result is a plain array, and what passes through it "
        f"gets no gradient."
    )(functools.partial(without, _name))
