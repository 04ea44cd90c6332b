"""Lesson 02: tensors, broadcasting, matmul."""

import numpy as np

import minigrad as mg
from minigrad.course.exercises import exercise, numbers, with_culprit


def gradients(f, g, *arrays):
    """The gradients that the engine computes."""
    leaves = [mg.Tensor(a, requires_grad=True) for a in arrays]
    f(*leaves).backward(g)
    return tuple(leaf.grad.numpy() for leaf in leaves)


# --- broadcasting undone --------------------------------------------------------------------------

SHAPES = [
    (1,),
    (2, 1),
    (3,),
    (1, 3),
    (3, 1, 1),
    (1, 2),
    (),
    (2, 3),
]  # broadcast to (3, 2, 3) or less
WIDE = [(2,), (2, 3), (2, 3), (2, 3), (3, 2, 3), (2, 3, 2), (2, 3), (2, 3)]


def copied(g, shape):
    return gradients(lambda x: x + np.zeros(g.shape), g, np.zeros(shape))[0]


def drawn(inputs, given, right):
    g, shape = inputs
    with mg.record():
        x = mg.Tensor(np.ones(shape), requires_grad=True, name="x")
        other = mg.Tensor(np.zeros(g.shape), name="other")
        y = x + other
    y.backward(g)
    says = f"x is {shape}; your gradient of it has the shape {np.shape(given)}"
    if np.shape(given) == shape:
        says = f"your gradient of x is {np.round(given, 3).tolist()}"
    return with_culprit(mg.graph(y), "x", says)


@exercise(
    points=2,
    draw=lambda rng, size: (numbers(rng, *WIDE[size]), SHAPES[size]),
    sizes=range(len(SHAPES)),
    truth=copied,
    picture=drawn,
    properties={
        "the result has the shape asked for": lambda f, g, shape: f(g, shape).shape == shape,
    },
    hints=[
        "Along which axes were copies made? Those that g has more of, in front; and those where "
        "the shape has a 1 and g has not.",
        "Sum over the axes in front until both have as many; then over the others, with "
        "keepdims=True.",
    ],
    worked=(
        lambda: (np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), (1, 3)),
        [
            'g is (2, 3), and the array was (1, 3): its one row was copied into two.',
            'So a column of g has the gradients of two copies of one number. The first: 1 + 4 = '
            '{g[0, 0] + g[1, 0]}',
            'All columns, with the axis kept: {g.sum(axis=0, keepdims=True)}',
        ],
    ),
)  # fmt: skip
def undo_broadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    stretched = tuple(k for k, n in enumerate(shape) if n == 1)
    return g.sum(axis=stretched, keepdims=True)


@undo_broadcast.mistake(
    "The broadcast is not summed back: the gradient still has the shape of the copies. The "
    "gradient of a copy is a sum."
)
def _(g, shape):
    return g


@undo_broadcast.mistake(
    "keepdims is forgotten: the sum over an axis of length 1 drops that axis, where it should "
    "leave it there, with length 1."
)
def _(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(k for k, n in enumerate(shape) if n == 1))


@undo_broadcast.mistake(
    "Only the new axes in front are summed. An axis of length 1 was stretched, and its copies have "
    "to be summed as well."
)
def _(g, shape):
    return g.sum(axis=tuple(range(g.ndim - len(shape))))


@undo_broadcast.mistake(
    "Only the axes of length 1 are summed; those that broadcasting put in front are still there."
)
def _(g, shape):
    extra = g.ndim - len(shape)
    return g.sum(axis=tuple(k + extra for k, n in enumerate(shape) if n == 1), keepdims=True)


@undo_broadcast.mistake(
    "The shapes are aligned on the left: the last axes are summed away. Broadcasting aligns them on "
    "the right, and puts new axes in front."
)
def _(g, shape):
    g = g.sum(axis=tuple(range(len(shape), g.ndim)))
    return g.sum(axis=tuple(k for k, n in enumerate(shape) if n == 1), keepdims=True)


@undo_broadcast.mistake(
    "All numbers of g are summed, and each element gets the whole: each gets the sum of its own "
    "copies."
)
def _(g, shape):
    return np.full(shape, g.sum())


@undo_broadcast.mistake(
    "It takes the mean of the copies. Each copy acts on the loss by itself, so their gradients add."
)
def _(g, shape):
    extra = g.ndim - len(shape)
    g = g.mean(axis=tuple(range(extra))) if extra else g
    return g.mean(axis=tuple(k for k, n in enumerate(shape) if n == 1), keepdims=True)


@undo_broadcast.mistake("It keeps the gradient of the first copy alone; those of all copies add.")
def _(g, shape):
    g = g[(0,) * (g.ndim - len(shape))]
    return g[tuple(slice(1) if n == 1 else slice(None) for n in shape)]


@undo_broadcast.mistake(
    "The numbers are cut to the shape, and the others thrown away; every copy passes its gradient on."
)
def _(g, shape):
    return np.resize(g, shape)


@undo_broadcast.mistake(
    "Only the axes of length 1 are summed, and their place is counted from the front, where the new "
    "axes stand. These are to be summed first."
)
def _(g, shape):
    for axis, length in enumerate(shape):
        if length == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


FIRST_COPY = (
    "Of the axes that broadcasting put in front, only the first copy is kept, `g[0]`; the gradients of "
    "all copies add."
)


@undo_broadcast.mistake(FIRST_COPY)
def _(g, shape):
    g = g[(0,) * (g.ndim - len(shape))]
    return g.sum(axis=tuple(k for k, n in enumerate(shape) if n == 1), keepdims=True)


@undo_broadcast.mistake(FIRST_COPY)
def _(g, shape):
    return g[(0,) * (g.ndim - len(shape))]


FIRST_AXIS = (
    "Only the first axis is looked at, whatever the shapes are: there may be several new axes in front, "
    "or none, and an axis of length 1 may stand anywhere."
)


@undo_broadcast.mistake(FIRST_AXIS)
def _(g, shape):
    return g.sum(axis=0)


@undo_broadcast.mistake(FIRST_AXIS)
def _(g, shape):
    return g.sum(axis=0, keepdims=True)


@undo_broadcast.mistake(FIRST_AXIS)
def _(g, shape):
    return g[0]


# --- a matrix product -----------------------------------------------------------------------------


def of_product(g, a, b):
    return gradients(np.matmul, g, a, b)


def factors(rng, size):
    n, k, m = [(1, 1, 1), (1, 2, 1), (2, 2, 2), (2, 3, 4), (3, 2, 2)][size]
    return numbers(rng, n, m), numbers(rng, n, k), numbers(rng, k, m)


def product_drawn(inputs, given, right):
    g, a, b = inputs
    with mg.record():
        a, b = (mg.Tensor(x, requires_grad=True, name=n) for x, n in ((a, "a"), (b, "b")))
        y = a @ b
    y.backward(g)
    fits = np.shape(given[0]) == right[0].shape and np.allclose(given[0], right[0])
    k = 1 if fits else 0
    says = f"your gradient of it is {np.round(given[k], 3).tolist()}"
    return with_culprit(mg.graph(y), "ab"[k], says)


@exercise(
    points=2,
    draw=factors,
    sizes=(0, 1, 2, 2, 2, 3, 3, 4, 4),
    truth=of_product,
    picture=product_drawn,
    hints=[
        "The gradient of a has the shape of a, (n, k), and is made of g, (n, m), and b, (k, m). "
        "Which product of the two, transposed or not, has that shape?",
        "y_ij = sum_p a_ip b_pj: a_ip acts on the whole row i of y, on y_ij with the factor b_pj.",
    ],
    worked=(
        lambda: (
            np.array([[1.0, 10.0]]),
            np.array([[2.0, 3.0]]),
            np.array([[4.0, 5.0], [6.0, 7.0]]),
        ),
        [
            "y = a @ b is {a @ b}; its first number is 2 * 4 + 3 * 6.",
            "The number 2 of a meets the row 4, 5 of b. Its gradient: 1 * 4 + 10 * 5 = {g[0] @ "
            "b[0]}",
            "The number 3 of a meets the row 6, 7: {g[0] @ b[1]}. Together {ga := g @ b.T}",
            "The number 4 of b meets the 2 of a, and acts on the first number of y: 2 * 1. All of "
            "b: {gb := a.T @ g}",
            "Both: {(ga, gb)}",
        ],
    ),
)
def matmul_rule(g, a, b):
    return g @ b.T, a.T @ g


@matmul_rule.mistake(
    "A transpose is missing: g @ b and a @ g. The shapes only fit when all are square, and even "
    "then it is wrong: a_ip meets row p of b."
)
def _(g, a, b):
    return g @ b, a @ g


@matmul_rule.mistake(
    "The factors are swapped: b.T @ g and g @ a.T. Matrix products do not commute; g stands where "
    "y stood, and b.T takes the place of b, to its right."
)
def _(g, a, b):
    return b.T @ g, g @ a.T


@matmul_rule.mistake(
    "g is transposed, and it is the other factor that has to be: b.T beside g, and a.T beside g."
)
def _(g, a, b):
    return g.T @ b, a @ g.T


@matmul_rule.mistake(
    "These are the transposes of the gradients: each has the shape of its argument."
)
def _(g, a, b):
    return b @ g.T, g.T @ a


@matmul_rule.mistake("The two gradients are exchanged: that of a comes first.")
def _(g, a, b):
    return a.T @ g, g @ b.T


@matmul_rule.mistake(
    "The transpose of b is missing; that of a is there. Both rules follow from the shapes."
)
def _(g, a, b):
    return g @ b, a.T @ g


@matmul_rule.mistake(
    "The factors are multiplied element by element, with `*`; the rule is made of matrix products, `@`."
)
def _(g, a, b):
    return g * b.T, a.T * g


@matmul_rule.mistake(
    "The incoming gradient is taken to be all ones. It need not be: multiply by g itself."
)
def _(g, a, b):
    return np.ones_like(g) @ b.T, a.T @ np.ones_like(g)


@matmul_rule.mistake("The incoming gradient g is left out: these are the two factors alone.")
def _(g, a, b):
    return b.T, a.T


@matmul_rule.mistake(
    "reshape is taken for a transpose: it keeps the numbers in their order, and a transpose "
    "exchanges rows and columns."
)
def _(g, a, b):
    return g @ b.reshape(b.shape[::-1]), a.reshape(a.shape[::-1]) @ g


@matmul_rule.mistake("In the loop a term replaces the one before: `=` where it should be `+=`.")
def _(g, a, b):
    return np.outer(g[:, -1], b[:, -1]), np.outer(a[-1], g[-1])


# --- picking --------------------------------------------------------------------------------------


def picked(g, shape, index):
    return gradients(lambda x: x[index], g, np.zeros(shape))[0]


def some_rows(rng, size):
    """At least one row picked twice, and with size 3 and more, one that is not picked."""
    N, D = size + 1, size
    index = rng.permutation([0, 0, *rng.integers(0, max(N - 1, 1), size)])
    return numbers(rng, len(index), D), (N, D), index


@exercise(
    points=2,
    draw=some_rows,
    truth=picked,
    hints=[
        "What was not picked has no effect on the result, and gets 0. What was picked twice was "
        "copied twice.",
        "NumPy's x[index] += g adds only once for each row. np.add.at adds every time; a loop "
        "does, too.",
    ],
    worked=(
        lambda: (np.array([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]), (3, 2), np.array([2, 2, 1])),
        [
            "Start with zeros of the shape of x: {np.zeros((3, 2))}",
            "Row 0 of g goes to row 2, row 1 of g to row 2 as well: they add, {g[0] + g[1]}",
            "Row 2 of g goes to row 1. Row 0 was not picked: {np.array([[0.0, 0.0], g[2], g[0] + "
            "g[1]])}",
        ],
    ),
)
def index_rule(g, shape, index):
    gradient = np.zeros(shape)
    np.add.at(gradient, index, g)
    return gradient


@index_rule.mistake(
    "Repeated indices are dropped: a row that was picked twice gets the last of its gradients, and "
    "should get their sum. In a loop that takes `+=`; `gradient[index] += g` adds once for each row, "
    "however often it is named."
)
def _(g, shape, index):
    gradient = np.zeros(shape)
    gradient[index] += g
    return gradient


@index_rule.mistake(
    "This picks rows from g, as the way forward does from x. On the way back each row of g goes to "
    "the row that it came from."
)
def _(g, shape, index):
    gradient = np.zeros(shape)
    for row in range(min(len(index), shape[0])):
        gradient[row] = g[index[row]]
    return gradient


@index_rule.mistake("Row i of g goes to row i, and should go to row index[i].")
def _(g, shape, index):
    gradient = np.zeros(shape)
    rows = min(len(g), shape[0])
    gradient[:rows] = g[:rows]
    return gradient


@index_rule.mistake(
    "The gradients of a row that was picked several times are averaged; each copy acts by itself, "
    "so they add."
)
def _(g, shape, index):
    gradient = np.zeros(shape)
    for row in set(index.tolist()):
        gradient[row] = g[index == row].mean(axis=0)
    return gradient


WHOLE = (
    "The gradient is made of whole numbers, which cut off what is behind the point: np.zeros makes "
    "floats, unless it is told otherwise."
)


@index_rule.mistake(WHOLE)
def _(g, shape, index):
    gradient = np.zeros(shape, int)
    for row, i in zip(g, index):
        gradient[i] = gradient[i] + row
    return gradient


@index_rule.mistake(WHOLE)
def _(g, shape, index):
    gradient = np.zeros(shape, int)
    for row, i in zip(g, index):
        gradient[i] += row
    return gradient


@index_rule.mistake(WHOLE)
def _(g, shape, index):
    gradient = np.zeros(shape, int)
    np.add.at(gradient, index, g.astype(int))
    return gradient


@index_rule.mistake(
    "The gradient has the shape of what was picked; it needs the shape of x, with 0 for rows that "
    "were not picked."
)
def _(g, shape, index):
    return g


@index_rule.mistake(
    "It picks rows of g, which is the way forward once more; on the way back, row i of g is added to "
    "row index[i] of the result."
)
def _(g, shape, index):
    return g[index]


@index_rule.mistake(
    "`gradient[i] += g[row]` exchanges i and row: it picks rows of g, as the way forward picks rows of "
    "x. Row i of g is added to row index[i]."
)
def _(g, shape, index):
    gradient = np.zeros(shape)
    for i, row in enumerate(index):
        gradient[i] += g[row]
    return gradient


@index_rule.mistake("It counts how often each row was picked; g is left out.")
def _(g, shape, index):
    counts = np.bincount(index, minlength=shape[0])
    return np.tile(counts[:, None], shape[1]).astype(float)


@index_rule.mistake(
    "The last row of g is left out: `range(n)` ends at n - 1, so `range(len(index))` takes all of them."
)
def _(g, shape, index):
    return index_rule.solution(g[:-1], shape, index[:-1])
