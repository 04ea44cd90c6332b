"""Lesson 04: your own engine."""

import functools
import itertools

import numpy as np

import minigrad as mg
from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.exercise import SIZES
from minigrad.course.exercises.shared_files import shared_file
from minigrad.course.exercises.stubs import shipped
from minigrad.course.folders import EXAMPLES

engines = shared_file("engines")

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
    """The questions to an engine: rule after rule, and then all together."""
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


@engine.mistake(
    "The gradient of x[index] begins with whole numbers, and np.zeros(shape, int) takes no fractions: "
    "begin with zeros of the dtype of g."
)
def _():
    return planted(("np.zeros(shape, g.dtype)", "np.zeros(shape, int)"))


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


RULES = {  # what is said of a wrong rule, and the engine with it
    "The rule of sqrt: its derivative is 1 / (2 sqrt(a)).": ("g / (2 * y)", "g / (2 * a)"),
    "The rule of sqrt lacks the 2: its derivative is 1 / (2 sqrt(a)).": ("g / (2 * y)", "g / y"),
    "The rule of log divides by the logarithm; its derivative is 1 / a.": (": g / a,", ": g / y,"),
    "The rule of exp multiplies by a; its derivative is the result, y.": (
        "RULES[np.exp] =      lambda g, y, a: g * y",
        "RULES[np.exp] =      lambda g, y, a: g * a",
    ),
    "The rule of a product: each gets g times the *other* one.": (
        "g * b,        lambda g, y, a, b: g * a",
        "g * a,        lambda g, y, a, b: g * b",
    ),
    "The rule of a matrix product lacks the transposes.": (
        "g @ transposed(b), lambda g, y, a, b: transposed(a) @ g",
        "g @ b, lambda g, y, a, b: a @ g",
    ),
    "The rule of np.where gives what was chosen to the other one.": (
        "lambda g, y, c, a, b: np.where(c, g, 0), \\\n                     "
        "lambda g, y, c, a, b: np.where(c, 0, g)",
        "lambda g, y, c, a, b: np.where(c, 0, g), lambda g, y, c, a, b: np.where(c, g, 0)",
    ),
    "The rule of swapaxes is a reshape; the axes change places once more.": (
        "np.swapaxes(g, i, j)",
        "g.reshape(a.shape)",
    ),
    "A mean is divided by the count of all numbers; it is of those that it is the mean of.": (
        "(total.size / a.size)",
        "(1 / a.size)",
    ),
}
for _says, _change in RULES.items():
    engine.mistake(_says)(functools.partial(planted, _change))


def without(name):
    return planted(("# fmt: on", f"del RULES[np.{name}]\n# fmt: on"))


for _name in ("sqrt", "exp", "where"):
    engine.mistake(
        f"There is no rule for np.{_name}: its result is a plain array, and what passes through it "
        f"gets no gradient."
    )(functools.partial(without, _name))


# --- the museum: values used again -------------------------------------------------------------------

NAMES = "xabcdef"


def graph_of(rng, size):
    """A graph in which each node is made of one or two that are older, and mostly of recent ones."""
    graph = {"x": []}
    for k in range(1, size + 2):
        older = NAMES[max(0, k - 2) : k]
        slope = lambda: int(rng.choice([-2, -1, 1, 2, 3]))
        both = list(older) if size > 2 and k > 1 else rng.choice(list(older), 2)
        graph[NAMES[k]] = [(str(one), slope()) for one in both]
    return graph, NAMES[size + 1]


def in_any_order(rng, size):
    """The same, with the nodes of a large one in another order."""
    graph, root = graph_of(rng, size)
    return (dict(sorted(graph.items(), reverse=True)) if size == 4 else graph), root


def by_all_paths(graph, root):
    """The sum over all paths of the products of their slopes."""
    found = dict.fromkeys(graph, 0)
    waiting = [(root, 1)]
    while waiting:
        node, g = waiting.pop()
        found[node] += g
        waiting += [(argument, slope * g) for argument, slope in graph[node]]
    return found


@exercise(
    points=2,
    draw=in_any_order,
    truth=by_all_paths,
    hints=[
        "Step through u = x * 5, y = u + u in minigrad (`python -m minigrad step FILE`): how often is u "
        "visited? And here, with `print(node)` at the top of `backward`?",
        "What does the second visit of u pass on to x, and what had the first passed on already?",
        "A node is to pass its gradient on once, when all of it has arrived: put the nodes in an order "
        "first, each after all that were made of it, and then go through them in a loop.",
    ],
    worked=(
        lambda: ({"x": [], "u": [("x", 5)], "y": [("u", 1), ("u", 2)]}, "y"),
        [
            "y has 1. It is made of u twice: u gets 1 * 1 + 2 * 1 = {1 + 2}",
            "Now u has all of it, and passes it on once: x gets 5 * 3 = {5 * 3}",
            "{dict(x=15, u=3, y=1)}",
        ],
    ),
    story="""
The first micrograd called `backward` of each argument from within `backward`. A toy problem
still converged, and its author found out when a reader wrote: what is used twice, and is itself
made of something, passed its gradient on once for each path, and each time all that it had by
then. It has a topological order since.

Source: https://github.com/karpathy/micrograd/issues/2

What would have caught it: a comparison with differences, on y = u * u where u is made of x; a
test on a tree passes.
""",
)
def reused(graph, root):
    grad = dict.fromkeys(graph, 0)
    grad[root] = 1
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for argument, _ in graph[node]:
                visit(argument)
            order.append(node)

    visit(root)
    for node in reversed(order):
        for argument, slope in graph[node]:
            grad[argument] += slope * grad[node]
    return grad


shipped(__file__, reused, "right where only x is used again, and too large where another node is.")


@reused.mistake(
    "Each node passes its gradient on once, but some too soon: before all that uses it has had its turn."
)
def _(graph, root):
    grad = dict.fromkeys(graph, 0)
    grad[root] = 1
    seen = set()

    def backward(node):
        seen.add(node)
        for argument, slope in graph[node]:
            grad[argument] += slope * grad[node]
        for argument, _ in graph[node]:
            if argument not in seen:
                backward(argument)

    backward(root)
    return grad


@reused.mistake(
    "There is a queue now, but a node is in it once for each use, and each time passes on all that it "
    "has."
)
def _(graph, root):
    grad = dict.fromkeys(graph, 0)
    grad[root] = 1
    waiting = [root]
    while waiting:
        node = waiting.pop(0)
        for argument, slope in graph[node]:
            grad[argument] += slope * grad[node]
            waiting.append(argument)
    return grad


@reused.mistake("What arrives at a node replaces what was there; it adds.")
def _(graph, root):
    grad = dict.fromkeys(graph, 0)
    grad[root] = 1
    for node in reversed(graph):
        for argument, slope in graph[node]:
            grad[argument] = slope * grad[node]
    return grad


@reused.mistake(
    "There is a queue, in which each node is once; but some have their turn before all that uses "
    "them."
)
def _(graph, root):
    grad = dict.fromkeys(graph, 0)
    grad[root] = 1
    waiting = [root]
    for node in waiting:
        for argument, slope in graph[node]:
            grad[argument] += slope * grad[node]
            if argument not in waiting:
                waiting.append(argument)
    return grad


@reused.mistake(
    "The nodes have their turn as they stand in the dictionary, back to front; they stand in any "
    "order."
)
def _(graph, root):
    grad = dict.fromkeys(graph, 0)
    grad[root] = 1
    for node in reversed(graph):
        for argument, slope in graph[node]:
            grad[argument] += slope * grad[node]
    return grad


# --- the museum: a buffer that two have --------------------------------------------------------------


def sums_and_more(rng, size):
    """Nodes made of sums, and of a product here and there."""
    graph, root = graph_of(rng, size)
    factor = lambda: float(rng.choice([1, 1, 1, 2, -3]))
    reached = {root}
    for node in reversed(graph):
        reached |= {a for a, _ in graph[node]} if node in reached else set()
    graph = {n: [(a, factor()) for a, _ in edges] for n, edges in graph.items() if n in reached}
    return graph, "".join(reversed(graph)), numbers(rng, 2)


@exercise(
    points=2,
    draw=sums_and_more,
    truth=lambda graph, order, g: {n: k * g for n, k in by_all_paths(graph, order[0]).items()},
    hints=[
        "Draw a graph of sums, and write `id(grads[node])` beside each node. Who shares an array with "
        "whom?",
        "`a += b` on an array changes the array, for all who hold it; and g is one of them.",
        "`a = a + b` makes a new array. What is passed on may then be shared: nobody changes it.",
    ],
    worked=(
        lambda: ({"z": [("x", 1), ("y", 1), ("x", 2)], "x": [], "y": []}, "zxy", np.array([1.0])),
        [
            "z = x + y + 2 x. x gets the gradient of z, {g}, and so does y, the very same array.",
            "Then x gets 2 more. In a new array that is {g + 2 * g}; y still has {g}",
            "{dict(z=g, x=g + 2 * g, y=g)}",
        ],
    ),
    story="""
For x + y both gradients are the gradient of the sum, and to save memory an engine hands on the
same array. OneFlow added further gradients to it in place: with z = x + y and p = x / z, what
came for x by the quotient landed in the gradient of y too. Addition in place is allowed only
where the array is known to be one's own.

Source: https://github.com/Oneflow-Inc/oneflow/issues/8248

What would have caught it: a comparison with differences on a sum of which one part is used
again; or arrays that nobody can write to.
""",
)  # fmt: skip
def arrived(graph, order, g):
    grads = {order[0]: g}
    for node in order:
        for argument, factor in graph[node]:
            passed = factor * grads[node]
            grads[argument] = grads[argument] + passed if argument in grads else passed
    return grads


shipped(__file__, arrived, "what arrives at one node shows up at others, too.")


@arrived.mistake("What arrives at a node replaces what was there; it adds.")
def _(graph, order, g):
    grads = {order[0]: g}
    for node in order:
        for argument, factor in graph[node]:
            grads[argument] = factor * grads[node]
    return grads


@arrived.mistake(
    "Now it is the gradient of the node above that is changed: it is what is passed on."
)
def _(graph, order, g):
    grads = {order[0]: g.copy()}
    for node in order:
        for argument, factor in graph[node]:
            passed = grads[node] if factor == 1 else factor * grads[node]
            if argument in grads:
                passed += grads[argument]
            grads[argument] = passed
    return grads


@arrived.mistake("`dict.fromkeys(order, np.zeros(...))` makes one array, which all nodes have.")
def _(graph, order, g):
    grads = dict.fromkeys(order, np.zeros_like(g))
    grads[order[0]] = g
    for node in order:
        for argument, factor in graph[node]:
            grads[argument] += factor * grads[node]
    return grads


# --- the museum: rules at their kinks ---------------------------------------------------------------


def by_engine(function):
    """The gradient of x by minigrad, given that of function(x)."""

    def truth(g, x):
        leaf = mg.Tensor(x, requires_grad=True)
        function(leaf).backward(g)
        return leaf.grad.numpy()

    return truth


@exercise(
    draw=lambda rng, size: (numbers(rng, size), rng.integers(0, 3, (size, size + 1)).astype(float)),
    truth=by_engine(lambda x: np.max(x, axis=-1)),
    hints=[
        "Sum your gradient over each row, and compare with g.",
        "Draw a row in which the largest number is there twice. How much of g arrives?",
        "Divide by how many are the largest, row by row.",
    ],
    worked=(
        lambda: (np.array([6.0]), np.array([[2.0, 9.0, 9.0, 9.0]])),
        [
            "The largest are at {x == 9}, three of them.",
            "Each gets a third of g: {g / 3}",
            "{np.array([[0.0, 2.0, 2.0, 2.0]])}",
        ],
    ),
    story="""
MXNet gave the whole gradient to every element that was equal to the maximum: for a column of
ones, a gradient of ones. Nothing shows it with random numbers, where no two are equal; but
after relu, or with whole numbers, many are. Autograd, JAX and minigrad share it evenly; PyTorch
does in amax.

Source: https://github.com/apache/mxnet/issues/18563

What would have caught it: a property: the gradients of a row sum to what arrived. Differences
do not help at a kink.
""",
)
def max_rule(g, x):
    largest = x == x.max(axis=-1, keepdims=True)
    return g[:, None] * largest / largest.sum(axis=-1, keepdims=True)


shipped(__file__, max_rule, "in some rows more goes back than has arrived.")


@max_rule.mistake("Only the first of the largest gets something; they share it evenly.")
def _(g, x):
    out = np.zeros(x.shape)
    out[np.arange(len(x)), x.argmax(axis=-1)] = g
    return out


@max_rule.mistake("It is divided by the length of the row; divide by how many are the largest.")
def _(g, x):
    return g[:, None] * (x == x.max(axis=-1, keepdims=True)) / x.shape[-1]


@max_rule.mistake("All the largest of all rows are counted together; each row shares its own.")
def _(g, x):
    largest = x == x.max(axis=-1, keepdims=True)
    return g[:, None] * largest / largest.sum()


@max_rule.mistake("Only the last of the largest gets something; they share it evenly.")
def _(g, x):
    last = x.shape[1] - 1 - x[:, ::-1].argmax(axis=-1)
    return g[:, None] * (np.arange(x.shape[1]) == last[:, None])


def rows_and_zeros(rng, size):
    x = numbers(rng, size, 2)
    x[1::2] = 0
    x[2:, 0] = 0
    return numbers(rng, size), x * (1e-9 if size == 5 else 1)  # which is no 0


@exercise(
    draw=rows_and_zeros,
    sizes=(*SIZES, 5),
    truth=by_engine(lambda x: np.linalg.norm(x, axis=-1)),
    hints=[
        "Which row makes a number that is none? `np.isnan(norm_rule(g, x)).any(axis=-1)` tells; on a "
        "model, `mg.diagnose(loss)` names the line.",
        "0 / 0. What comes out of the division has to be right; afterwards it is too late.",
        "Divide by 1 where the length is 0: the numbers above are 0 there anyway.",
    ],
    worked=(
        lambda: (np.array([10.0, 3.0]), np.array([[0.0, 5.0], [0.0, 0.0]])),
        [
            "The lengths: {np.linalg.norm(x, axis=-1)}",
            "The first row, divided by its length, times 10: {10 * x[0] / 5}",
            "The second has no direction: zeros. {np.array([[0.0, 10.0], [0.0, 0.0]])}",
        ],
    ),
    story="""
In PyTorch the gradient of a norm of zeros was NaN. In 99 % of cases, the report says, that is
no issue; in the others a single row of zeros, padding for example, made every weight NaN in one
step, and people searched for hours. Since the repair it is 0, one of the slopes that lie
between those to both sides.

Source: https://github.com/pytorch/pytorch/issues/2421, repaired by pull request 2775

What would have caught it: every rule tried at 0, at kinks and at the edges of what it takes;
and a trainer that stops at the first NaN and names the line.
""",
)
def norm_rule(g, x):
    y = np.sqrt((x * x).sum(axis=-1))
    return g[:, None] * x / np.where(y > 0, y, 1)[:, None]


shipped(__file__, norm_rule, "for some rows it gives what is no number.")


@norm_rule.mistake("Something is added to every length, and so every gradient is a little off.")
def _(g, x):
    y = np.sqrt((x * x).sum(axis=-1))
    return g[:, None] * x / (y + 0.001)[:, None]


@norm_rule.mistake(
    "A small number is added to every length: a row of small numbers, such as 1e-9, then loses its "
    "gradient. Divide by 1 where the length is 0, and by the length elsewhere."
)
def _(g, x):
    y = np.sqrt((x * x).sum(axis=-1))
    return g[:, None] * x / (y + 1e-8)[:, None]


@norm_rule.mistake("It divides by the length of all of x; each row has its own.")
def _(g, x):
    y = np.sqrt((x * x).sum())
    return g[:, None] * x / (y if y > 0 else 1)


@norm_rule.mistake("It divides by the squared length: the derivative of the root is missing.")
def _(g, x):
    y = (x * x).sum(axis=-1)
    return g[:, None] * x / np.where(y > 0, y, 1)[:, None]


@norm_rule.mistake("A row in which one number is 0 gets zeros; only one whose length is 0 does.")
def _(g, x):
    y = np.sqrt((x * x).sum(axis=-1, keepdims=True))
    return np.where((x == 0).any(axis=-1, keepdims=True), 0, g[:, None] * x / np.where(y > 0, y, 1))


@exercise(
    points=2,
    draw=lambda rng, size: (
        numbers(rng, size + 1),
        numbers(rng, size + 1) * rng.choice([0, 1, 4], size + 1),
    ),
    truth=lambda g, x: np.array([a / (2 * b**0.5) if b > 0 else 0.0 for a, b in zip(g, x)]),
    hints=[
        "Try x = 0 and x = -1, and print both lines of the function.",
        "The rule of np.where did its part: there is a 0. What is 0 divided by 0, and by NaN?",
        "Take the root of numbers for which it is safe: `np.where(x > 0, x, 1)`. What is chosen "
        "afterwards does not change.",
    ],
    worked=(
        lambda: (np.array([2.0, 3.0]), np.array([0.25, 0.0])),
        [
            "Nothing goes to the second: {np.where(x > 0, g, 0)}",
            "The root of 1 in its place, which is safe: {np.sqrt(np.where(x > 0, x, 1))}",
            "So 2 / (2 * 0.5), and 0 / (2 * 1): {np.array([2.0, 0.0])}",
        ],
    ),
    story="""
np.where picks the harmless branch, the loss is fine, and the gradient is NaN: the branch that
was not picked gets 0, and its own rule makes 0 * inf of that. It was filed for TensorFlow in
2016, for JAX in 2019, for PyTorch in 2025, and the first answer still holds: an engine that
follows the rules cannot help it. JAX has it among its frequent questions. Who writes the
way forward alone needs two np.where: one around what goes in, and one around what comes out.

Source: https://github.com/tensorflow/tensorflow/issues/2540 and
https://github.com/jax-ml/jax/issues/347

What would have caught it: the gradient, and not only the value, tried on the input for which
the where is there.
""",
)
def root_rule(g, x):
    safe = np.where(x > 0, x, 1)
    return np.where(x > 0, g, 0) / (2 * np.sqrt(safe))


shipped(__file__, root_rule, "for some x it gives what is no number.")


@root_rule.mistake("The root of 0 is still taken, and 0 / 0 is no number.")
def _(g, x):
    return np.where(x > 0, g, 0) / (2 * np.sqrt(abs(x)))


@root_rule.mistake("What was not chosen gets a gradient, too.")
def _(g, x):
    return g / (2 * np.sqrt(np.where(x > 0, x, 1)))


@root_rule.mistake("The derivative of the root is 1 / (2 sqrt(x)): the 2 is missing.")
def _(g, x):
    return np.where(x > 0, g, 0) / np.sqrt(np.where(x > 0, x, 1))


@root_rule.mistake("x is taken without its sign: where it is not above 0, the gradient is 0.")
def _(g, x):
    return g / (2 * np.sqrt(abs(x)))


# --- the museum: places named twice -----------------------------------------------------------------


def fills(rng, size):
    n = size + 1
    return numbers(rng, n), rng.integers(0, n, size)


def by_differences(g, index):
    """Both gradients by a change of one number at a time; y is linear in both."""

    def loss(x, v):
        y = x.copy()
        y[index] = v
        return np.sum(g * y)

    zero = np.zeros(len(g))
    gx = np.array([loss(one, 0.0) for one in np.eye(len(g))]) - loss(zero, 0.0)
    return gx, loss(zero, 1.0) - loss(zero, 0.0)


@exercise(
    draw=fills,
    truth=by_differences,
    hints=[
        "Compare with differences: let v be larger by 1, and see how much larger np.sum(g * y) is.",
        "Try an index that names a place twice. How often is v in y?",
        "Each place counts once, however often it is named: np.unique.",
    ],
    worked=(
        lambda: (np.array([3.0, 5.0, 7.0]), np.array([1, 1, 1])),
        [
            "y = {np.array([0, 1, 0])} * v + {np.array([1, 0, 1])} * x: v is there once.",
            "So v gets {g[1]}",
            "{(np.array([3.0, 0.0, 7.0]), g[1])}",
        ],
    ),
    story="""
The rule of index_fill in PyTorch summed the gradient over the index. Where the index names a
place twice, the value is written twice and is there once, but its gradient was counted twice.
It is the mirror image of x[index], where what is picked twice counts twice; that was wrong in
PyTorch, in Autograd and in Zygote, in its turn. With an index without repeats the checker says
that all is well.

Source: https://github.com/pytorch/pytorch/issues/57006

What would have caught it: gradcheck with an index that names a place twice. A check is as good
as its inputs.
""",
)
def fill_rule(g, index):
    gx = g.copy()
    gx[index] = 0
    return gx, g[np.unique(index)].sum()


shipped(__file__, fill_rule, "the gradient of v is too large for some index.")


@fill_rule.mistake("x gets a gradient at places where y has v.")
def _(g, index):
    return g.copy(), g[np.unique(index)].sum()


@fill_rule.mistake("The gradients of v are averaged; they add.")
def _(g, index):
    gx = g.copy()
    gx[index] = 0
    return gx, g[np.unique(index)].mean()


@fill_rule.mistake("v gets the gradient of all of y.")
def _(g, index):
    gx = g.copy()
    gx[index] = 0
    return gx, g.sum()


@fill_rule.mistake(
    "What v gets is summed when it is 0 already: sum it before; and `gx = g` copies nothing."
)
def _(g, index):
    gx = g.copy()
    gx[index] = 0
    return gx, gx[index].sum()
