# %% [markdown]
# # 04 Your own engine
#
# *A tensor engine from an empty file, in seven steps. About 3 seconds.*
#
# Nothing explains a machine like building one. We begin with numbers that remember, and end with
# tensors on which NumPy's own functions work, in about 80 lines: [own_engine.py](own_engine.py).
# Each step runs, and each breaks on something that the next one mends.
#
# After it you can
#
# - write an engine that finds derivatives, and say what each of its parts is there for;
# - say why the walk back needs an order, and why it must not recurse;
# - undo a broadcast, and write the rules of a matrix product and of an index with repeats;
# - hand NumPy's functions a class of yours.
#
# Type along: the best way to read this lesson is with an empty file beside it. As before, name
# another folder for the pictures after the file's name, or in the next cell.

# %%
import heapq
import inspect
import itertools
import sys

import numpy as np

from minigrad.course.pictures import Pictures
from minigrad.course.places import EXAMPLES
from minigrad.course.questions import Questions
from minigrad.views.plots import BLUE, GREY, ORANGE

sys.path.insert(0, str(EXAMPLES))  # where own_engine.py is, for a notebook too
pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("04")
rng = np.random.default_rng(0)

# %% [markdown]
# ## 1. Numbers that remember
#
# A number remembers which numbers it was made of, and for each of them the *slope*: how fast it
# changes when that one does. For a sum both slopes are 1; in a product each factor has the other
# one.


# %%
class Number:
    def __init__(self, value, made_of=()):
        self.value = value
        self.made_of = made_of  # pairs (number, slope)
        self.grad = 0

    def __add__(self, other):
        return Number(self.value + other.value, [(self, 1), (other, 1)])

    def __mul__(self, other):
        return Number(self.value * other.value, [(self, other.value), (other, self.value)])


visits = 0


def walk(number, gradient=1):
    """Pass a gradient on to all that a number was made of."""
    global visits
    visits += 1
    number.grad += gradient
    for argument, slope in number.made_of:
        walk(argument, gradient * slope)


w, x, c = Number(3), Number(2), Number(-4)
s = w * x + c
y = s * s
walk(y)
print("y =", y.value, "and its derivatives by w, x, c:", w.grad, x.grad, c.grad)
assert (w.grad, x.grad, c.grad) == (8, 12, 4)

# %% [markdown]
# These are the derivatives of lesson 01, from twenty lines. `s` is used twice: it was visited
# twice, and `+=` added what came.
#
# **What breaks.** Each visit of `s` visits all below it once more. Predict: a number is doubled ten
# times, by `y = y + y`. How many visits does the walk make?


# %%
def doubled(kind, times):
    x = y = kind(1)
    for _ in range(times):
        y = y + y
    return x, y


counts = []
for times in range(1, 15):
    visits = 0
    x, y = doubled(Number, times)
    walk(y)
    assert x.grad == 2**times
    counts.append(visits)
print("visits:", counts)
assert counts == [2 ** (times + 1) - 1 for times in range(1, 15)]

# %% [markdown]
# Right answers, at a price that doubles: thirty doublings would take an hour. And a long chain,
# which is what a recurrent network is, does not work at all:

# %%
y = x = Number(1.0)
for _ in range(5000):
    y = y + c
try:
    walk(y)
except RecursionError:
    print("RecursionError: Python gives up some 1000 calls deep")

# %% [markdown]
# ## 2. A walk with an order
#
# Visit each number *once*, when all has arrived that will arrive. When is that? A number can only
# be used after it was made. So count the numbers as they are made, and always take the newest one
# that is waiting: all that use it are newer, and have had their turn. A heap keeps the newest on
# top, and the loop takes the place of the recursion.

# %%
count = itertools.count()


class Ordered(Number):
    def __init__(self, value, made_of=()):
        super().__init__(value, made_of)
        self.number = next(count)

    def __add__(self, other):
        return Ordered(self.value + other.value, [(self, 1), (other, 1)])

    def __mul__(self, other):
        return Ordered(self.value * other.value, [(self, other.value), (other, self.value)])


def walk_in_order(root):
    global visits
    root.grad, waiting, seen = 1, [(-root.number, root)], {root}
    while waiting:
        visits += 1
        _, node = heapq.heappop(waiting)
        for argument, slope in node.made_of:
            argument.grad = argument.grad + slope * node.grad
            if argument not in seen:
                seen.add(argument)
                heapq.heappush(waiting, (-argument.number, argument))


in_order = []
for times in range(1, 15):
    visits = 0
    x, y = doubled(Ordered, times)
    walk_in_order(y)
    assert x.grad == 2**times
    in_order.append(visits)
print("visits:", in_order)

y = x = Ordered(1.0)
for _ in range(5000):
    y = y + Ordered(1.0)
walk_in_order(y)
print("through 5000 sums:", x.grad)
assert x.grad == 1


# %%
def visits_by_size():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.4, 3.2))
    ax.plot(range(1, 15), counts, "o-", color=ORANGE)
    ax.plot(range(1, 15), in_order, "o-", color=BLUE)
    ax.text(11, 9000, "every path by itself", color=ORANGE, ha="right")
    ax.text(11, 20, "each number once, newest first", color=BLUE, ha="right")
    ax.set(yscale="log", xlabel="doublings", ylabel="visits")
    return figure


pictures("04_visits", visits_by_size)

# %% [markdown]
# ## 3. Arrays
#
# Nothing above asks what a number is. Put arrays in, and the same class works on them, element by
# element:

# %%
x, w = Ordered(np.array([1.0, 2.0])), Ordered(np.array([3.0, 4.0]))
walk_in_order(x * w)
print("gradient of x:", x.grad, "  of w:", w.grad)

# %% [markdown]
# **What breaks.** A bias of two numbers is added to a batch of three rows. NumPy copies it into
# each row. Predict the shape of its gradient.

# %%
batch, bias = Ordered(np.ones((3, 2))), Ordered(np.zeros(2))
walk_in_order((batch + bias) * Ordered(np.ones((3, 2))))
print("the bias has the shape", bias.value.shape, "and its gradient", bias.grad.shape)
print("after a step of learning the bias has the shape", (bias.value - 0.1 * bias.grad).shape)

# %% [markdown]
# No error: the bias has quietly become a matrix. What was copied acts on the loss through each of
# its copies, and so its gradient is their *sum*. Broadcasting puts new axes in front, and stretches
# axes of length 1:


# %%
def undo_broadcast(g, shape):
    """The gradient of an array, given that of its copies: a sum."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


print(undo_broadcast(bias.grad, (2,)), undo_broadcast(np.ones((3, 2)), (3, 1)).tolist())
assert undo_broadcast(bias.grad, (2,)).tolist() == [3, 3]

# %% [markdown]
# Where does the call belong? At the edge, once, where a gradient reaches its argument. Then no rule
# has to know of broadcasting, not even that of a matrix product.
#
# ## 4. Matrix products
#
# Here a slope is no longer a number to multiply by: one element of `a` acts on a whole row of `a @
# b`. So an edge holds a function, the *rule*, which takes the gradient of the result to that of the
# argument. Shapes tell which: `g` is (n, m), `b` is (k, m transposed), and (n, k) is wanted.


# %%
def of_left(g, a, b):
    return g @ b.T  # (n, m) @ (m, k)


def of_right(g, a, b):
    return a.T @ g  # (k, n) @ (n, m)


def slopes(f, g, x, h=1e-6):
    """The gradient of x by differences: each element nudged to both sides (lesson 03)."""
    found = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        nudge = np.zeros(x.shape)
        nudge[k] = h
        found[k] = np.sum(g * (f(x + nudge) - f(x - nudge))) / (2 * h)
    return found


a, b, g = rng.normal(size=(3, 4)), rng.normal(size=(4, 2)), rng.normal(size=(3, 2))
assert np.allclose(of_left(g, a, b), slopes(lambda a: a @ b, g, a))
assert np.allclose(of_right(g, a, b), slopes(lambda b: a @ b, g, b))
print("both rules agree with differences")

# %% [markdown]
# **What breaks.** Attention multiplies batches of matrices, and `.T` turns all axes round:

# %%
a, b, g = rng.normal(size=(5, 3, 4)), rng.normal(size=(5, 4, 2)), rng.normal(size=(5, 3, 2))
try:
    of_left(g, a, b)
except ValueError as problem:
    print("ValueError:", str(problem).partition(":")[2].strip()[:60])

# %% [markdown]
# Only the last two axes are a matrix: `np.swapaxes(b, -1, -2)`. Then one rule does for a batch,
# too, and where NumPy copied a matrix for each of the batch, `undo_broadcast` sums.
#
# ## 5. Indexing
#
# `x[index]` picks. What was picked gets its gradient back, what was not picked gets 0:


# %%
def back_to(shape, index, g):
    out = np.zeros(shape)
    out[index] += g
    return out


index, g = np.array([2, 0]), np.array([1.0, 10.0])
print(back_to((3,), index, g), "right")

# %% [markdown]
# **What breaks.** A word that is in the sentence twice: its row of the embedding is picked twice.
# Predict what `out[index] += g` does with a repeated index.

# %%
index, g = np.array([2, 2]), np.array([1.0, 10.0])
print(back_to((3,), index, g), "and by differences", slopes(lambda x: x[index], g, np.zeros(3)))

# %% [markdown]
# NumPy reads `out[index]` once, adds, and writes twice: the first is lost. `np.add.at(out, index,
# g)` adds every time. This is the same law a third time: what is used twice gets a sum.
#
# ## 6. A table of rules
#
# Sums, products, matrix products, indexing, and soon `exp`, `log`, `sqrt`: a method for each would
# be long, and each would do the same three things. What differs is the function and its rules, so
# let these be data:
#
#     RULES[np.exp]      = lambda g, y, a: g * y,
#     RULES[np.multiply] = lambda g, y, a, b: g * b,   lambda g, y, a, b: g * a
#
# A line for each function, a rule for each argument: `g` is the gradient of the result, `y` the
# result, and then come the arguments. It reads like the table at the back of a calculus book. One
# function, `call`, computes, and makes a tensor that remembers the function and its arguments; the
# walk looks the rules up.
#
# **What breaks.** To use it, we would have to write `call(np.exp, x)`. This does not work:

# %%
try:
    np.exp(Ordered(1.0))
except TypeError as problem:
    print("TypeError:", str(problem)[:78])

# %% [markdown]
# ## 7. NumPy's protocols
#
# NumPy asks. If an argument has a method `__array_ufunc__`, then `np.exp(x)` calls that instead of
# computing, with the function and its arguments; `__array_function__` does the same for `np.sum`,
# `np.reshape` and the like. Two methods that hand over to `call`, and all of NumPy that is in the
# table works. The base class `NDArrayOperatorsMixin` makes `x * y` of `np.multiply`, and so on.
#
# This is the whole engine:

# %%
import own_engine
from own_engine import RULES, Tensor, backward

print("\n\n".join(map(inspect.getsource, (Tensor, own_engine.call, backward))))
text = (EXAMPLES / "own_engine.py").read_text(encoding="utf-8").splitlines()
code = [line for line in text if line.strip() and not line.strip().startswith("#")]
assert len(code) <= 120

x = Tensor([[1.0, 2.0], [3.0, 4.0]])
loss = np.sum(np.exp(-x) @ x[[0, 0]] + np.array([1.0, 2.0]))
backward(loss)
print("the gradient:", np.round(x.grad, 4).tolist())

# %% [markdown]
# Read it once more, with the seven steps in mind: `number` and the heap are step 2,
# `undo_broadcast` at the edge is step 3, `transposed` step 4, `added_at` step 5, `RULES` step 6,
# and the two methods step 7.
#
# ## Checked by differences
#
# A rule with a mistake in it raises no error (lesson 03). So every rule meets differences, on
# numbers that are no kinks:

# %%
matrix, positive = rng.normal(size=(3, 3)), rng.uniform(1, 2, (3, 3))
also = {
    np.where: (matrix > 0, matrix, positive),
    np.matmul: (rng.normal(size=(2, 3, 3)), matrix),
    np.reshape: (matrix, (9,)),
    np.swapaxes: (matrix, 0, 1),
    own_engine.operator.getitem: (matrix, np.array([2, 0, 2])),
}
for function, rules in RULES.items():
    arguments = also.get(function, (positive, rng.normal(size=(3, 3)))[: len(rules)])
    for i in (k for k, rule in enumerate(rules) if rule):
        leaf = Tensor(arguments[i])
        y = function(*arguments[:i], leaf, *arguments[i + 1 :])
        g = rng.normal(size=y.shape)
        backward(np.sum(y * g))
        by_hand = lambda a: function(*arguments[:i], a, *arguments[i + 1 :])
        assert np.allclose(leaf.grad, slopes(by_hand, g, arguments[i]), atol=1e-6), function
print(len(RULES), "functions, every rule agrees with differences")

# %% [markdown]
# ## And it learns
#
# Points on a small ring, and points on a large one around it: no straight line parts them. A
# network with one layer of
# 16 in between learns to. Each step computes the loss, walks back, and goes a little way down.

# %%
angle, inside = rng.uniform(0, 2 * np.pi, 200), np.arange(200) < 100
radius = np.where(inside, 0.4, 1.0) + rng.normal(0, 0.08, 200)
points = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)  # (N, 2)
wanted = np.where(inside, 1.0, -1.0)[:, None]  # (N, 1)

weights = [
    Tensor(rng.normal(0, 1, (2, 16))), Tensor(np.zeros(16)),
    Tensor(rng.normal(0, 0.3, (16, 1))), Tensor(np.zeros(1)),
]  # fmt: skip


def network(x, w, b, v, c):
    return np.tanh(x @ w + b) @ v + c  # (N, 1)


losses = []
for _ in range(400):
    error = network(points, *weights) - wanted
    loss = np.mean(error * error)
    backward(loss)
    losses.append(float(loss.array))
    weights = [Tensor(w.array - 0.1 * w.grad) for w in weights]
right = np.mean(np.sign(network(points, *weights).array) == wanted)
print(
    f"the loss went from {losses[0]:.2f} to {losses[-1]:.3f}; {right:.0%} of the points are right"
)
assert right > 0.98


# %%
def ring():
    from matplotlib import pyplot as plt

    figure, (left, middle) = plt.subplots(1, 2, figsize=(8.4, 3.4))
    left.plot(losses, color=BLUE)
    left.set(yscale="log", xlabel="step", ylabel="loss")
    line = np.linspace(-1.5, 1.5, 80)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    height = network(grid, *weights).array.reshape(80, 80)
    middle.contourf(line, line, height, levels=[0, 9], colors=[BLUE], alpha=0.25)
    middle.scatter(*points[inside].T, s=8, color=BLUE)
    middle.scatter(*points[~inside].T, s=8, color=ORANGE)
    middle.set(aspect="equal", title="where the network says: inside")
    left.axhline(1, color=GREY, lw=0.8)
    return figure


pictures("04_ring", ring)

# %% [markdown]
# ## Questions
#
# Work them out first: on paper, or in a cell of your own.

# %%
ask("end_visits", ...)

# %%
ask("end_bias", ...)

# %%
ask("end_index", ...)

# %% [markdown]
# minigrad is this engine with what one misses when something goes wrong: errors that say what to
# do, arrays that nobody can change behind its back, memory that is given back, and views. Its
# table, its walk and its way of undoing a broadcast are the ones that you have seen. And this one
# is enough for a transformer: `13b_your_own_engine_under_a_transformer.py`, after lesson 13.

# %%
print(pictures)
