# %% [markdown]
# # 04 Your own engine
#
# *A tensor engine from an empty file, in eight steps. About 3 seconds.*
#
# Nothing explains a machine like building one. You begin with numbers that remember, and end with
# tensors on which NumPy's own functions work, in about 80 lines of code:
# [own_engine.py](own_engine.py), 140 lines with comments and docstrings. Each step runs, and each
# breaks on something that the next one repairs.
#
# After it you can
#
# - write an engine that finds derivatives, and say what each of its parts is there for;
# - say why the walk back needs an order, and why it must not recurse;
# - undo a broadcast, and write the rules of a matrix product and of an index with repeats;
# - let NumPy's functions work on a class of yours.
#
# Type along, in an empty file.

# %%
import heapq
import itertools
import sys

import numpy as np

import minigrad as mg
from minigrad.course.folders import EXAMPLES
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.views.plots import BLUE, ORANGE

sys.path.insert(0, str(EXAMPLES))  # where own_engine.py is, for a notebook too
pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("04")
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons: to recall something helps to keep it.

# %%
ask("01/end_three_uses", ...)

# %%
ask("02/end_broadcast", ...)

# %% [markdown]
# ## 1. Numbers that remember
#
# A number remembers which numbers it was made of, and for each of them the *slope*: how fast it
# changes when that one does. For a sum both slopes are 1. In a product each factor has the other one as
# its slope. The walk back gives each number its gradient, and goes on to what it was made of.


# %%
class Number:
    def __init__(self, value, made_of=()):
        self.value = value
        self.made_of = made_of  # pairs (number, slope)
        self.grad = 0

    def __add__(self, other):
        return type(self)(self.value + other.value, [(self, 1), (other, 1)])

    def __mul__(self, other):
        slopes = [(self, other.value), (other, self.value)]
        return type(self)(self.value * other.value, slopes)


def walk(number, gradient=1):
    number.grad = gradient
    for argument, slope in number.made_of:
        walk(argument, gradient * slope)


w, x, c = Number(3), Number(2), Number(-4)
s = w * x + c
walk(s)
print("s =", s.value, "and its derivatives with respect to w, x, c:", w.grad, x.grad, c.grad)
assert (w.grad, x.grad, c.grad) == (2, 3, 1)

# %% [markdown]
# Twenty lines, and it works. **What breaks?** Go one step further, to $y = s \cdot s$ with $s = 2$.
# Lesson 01 found 8 for $w$.

# %%
ask("set", ...)

# %%
w, x, c = Number(3), Number(2), Number(-4)
s = w * x + c
y = s * s
walk(y)
said = w.grad
print("y =", y.value, "and the walk says", said, "for w")

# %% [markdown]
# ## 2. Add what arrives
#
# `s` is used twice, so two gradients arrive there, and the second one replaced the first. They must
# add: `+=` in place of `=`. (The walk also counts its visits, as we want to know what it costs.)


# %%
def walk(number, gradient=1):
    """Add what arrives at a number, and pass that on; return how many visits were made."""
    number.grad += gradient
    return 1 + sum(walk(argument, gradient * slope) for argument, slope in number.made_of)


w, x, c = Number(3), Number(2), Number(-4)
s = w * x + c
y = s * s
walk(y)
print("derivatives with respect to w, x, c:", w.grad, x.grad, c.grad)
assert (w.grad, x.grad, c.grad) == (8, 12, 4)

# %% [markdown]
# Right. **What breaks?** Each visit of `s` visits all below it once more. Let `y = y + y`, again and
# again.

# %%
ask("visits", ...)


# %%
def doubled(kind, times):
    x = y = kind(1)
    for _ in range(times):
        y = y + y
    return x, y


counts = []
for times in range(1, 15):
    x, y = doubled(Number, times)
    counts.append(walk(y))
    assert x.grad == 2**times
print("visits:", counts)

# %% [markdown]
# Right, but each doubling doubles the time: forty of them would take days. And a long chain does not
# work at all:

# %%
y = Number(1.0)
for _ in range(5000):
    y = y + Number(1.0)
try:
    walk(y)
except RecursionError:
    print("RecursionError: Python gives up some 1000 calls deep, two for each sum")

# %% [markdown]
# ## 3. A walk with an order
#
# Visit each number *once*, when all has arrived that will arrive. When is that? A number can only be
# used after it was made. So count the numbers as they are made, and always take the newest one that is
# waiting: all that use it are newer, and have had their turn. (If we took the oldest one that is
# waiting, it could pass on its gradient before all of it has arrived.) A *heap* is a list that always
# has its smallest entry ready (`heapq`), so we put in the negative of the count. The loop takes the
# place of the recursion.

# %%
count = itertools.count()


class Ordered(Number):
    def __init__(self, value, made_of=()):
        super().__init__(value, made_of)
        self.number = next(count)


def walk_in_order(root):
    """Give every number its gradient; return how many visits were made."""
    root.grad, waiting, seen, visits = 1, [(-root.number, root)], {root}, 0
    while waiting:
        _, node = heapq.heappop(waiting)
        visits += 1
        for argument, slope in node.made_of:
            argument.grad = argument.grad + slope * node.grad
            if argument not in seen:
                seen.add(argument)
                heapq.heappush(waiting, (-argument.number, argument))
    return visits


in_order = []
for times in range(1, 15):
    x, y = doubled(Ordered, times)
    in_order.append(walk_in_order(y))
    assert x.grad == 2**times
print("visits:", in_order)

y = x = Ordered(1.0)
for _ in range(5000):
    y = y + Ordered(1.0)
walk_in_order(y)
print("through 5000 sums:", x.grad)
assert x.grad == 1


# %% [markdown]
# Nothing here asks what a number is. Put arrays in, and the same class works on them, element by
# element. The result is an array then. The walk starts with a single 1. Times an array of slopes,
# NumPy copies it to each element: a 1 arrives at every element of the result. That is the gradient of
# their sum. So where the result is an array, the walk takes the sum of its elements for the loss:

# %%
x, w = Ordered(np.array([1.0, 2.0])), Ordered(np.array([3.0, 4.0]))
walk_in_order(x * w)
print("gradient of x:", x.grad, "  of w:", w.grad)

# %% [markdown]
# **What breaks?** A bias (lesson 03b) of two numbers is added to a batch of three rows, of shape (3,
# 2). NumPy copies it into each row.

# %%
ask("bias_shape", ...)

# %%
batch, bias = Ordered(np.ones((3, 2))), Ordered(np.zeros(2))
walk_in_order((batch + bias) * Ordered(np.ones((3, 2))))  # times ones: so (3, 2) arrives at the sum
wrong_shape = bias.grad.shape
print("the bias has the shape", bias.value.shape, "and its gradient", wrong_shape)
print("after a step of learning the bias has the shape", (bias.value - 0.1 * bias.grad).shape)

# %% [markdown]
# There is no error: the bias has become a matrix, and nobody is told.
#
# ## 4. Undo the broadcast
#
# What was copied acts on the loss through each of its copies, so its gradient is their *sum*. To
# broadcast, NumPy puts new axes in front, and stretches axes of length 1. So sum over these. (Where
# there are none, the tuple of axes is empty: `g.sum(axis=())` sums over no axis.)


# %%
def undo_broadcast(g, shape):
    """The gradient of an array, given that of its copies: a sum."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


print(undo_broadcast(bias.grad, (2,)), undo_broadcast(np.ones((3, 2)), (3, 1)).tolist())
assert undo_broadcast(bias.grad, (2,)).tolist() == [3, 3]

# %% [markdown]
# The call belongs in the walk, once, where a gradient reaches its argument. Then no rule has to know of
# broadcasting.
#
# **What breaks?** A matrix product. In `a @ b` one element of `a` acts on a whole row of the result.
# Which number is its slope? It is not the other factor:

# %%
a, b, g = rng.normal(size=(3, 4)), rng.normal(size=(4, 2)), rng.normal(size=(3, 2))
try:
    b * g  # a slope times what arrives at a @ b
except ValueError as problem:
    print("ValueError:", problem)

# %% [markdown]
# ## 5. Rules in place of slopes
#
# So let an edge hold a function, a *rule*. It takes the gradient of the result, and gives that of the
# argument. For a product of numbers it is `g * b`. For a product of matrices we know it from lesson 02.
# The walk is the same, but it starts from an array of ones, in the shape of the result, and the line
# with `rule` undoes broadcasts as well. (It no longer counts visits.)


# %%
transposed = lambda a: a.T


class Array(Ordered):
    def __add__(self, other):
        return Array(self.value + other.value, [(self, lambda g: g), (other, lambda g: g)])

    def __mul__(self, other):
        a, b = self.value, other.value
        return Array(a * b, [(self, lambda g: g * b), (other, lambda g: g * a)])

    def __matmul__(self, other):
        a, b = self.value, other.value
        of_a = lambda g: g @ transposed(b)  # (n, m) @ (m, k)
        of_b = lambda g: transposed(a) @ g  # (k, n) @ (n, m)
        return Array(a @ b, [(self, of_a), (other, of_b)])


def walk_with_rules(root):
    root.grad, waiting, seen = np.ones(root.value.shape), [(-root.number, root)], {root}
    while waiting:
        _, node = heapq.heappop(waiting)
        for argument, rule in node.made_of:
            argument.grad = argument.grad + undo_broadcast(rule(node.grad), argument.value.shape)
            if argument not in seen:
                seen.add(argument)
                heapq.heappush(waiting, (-argument.number, argument))


def slopes(f, g, x, h=1e-6):
    """The gradient of x for the loss np.sum(g * f(x)), by differences: each element is nudged to both
    sides (lesson 03)."""
    found = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        nudge = np.zeros(x.shape)
        nudge[k] = h
        found[k] = np.sum(g * (f(x + nudge) - f(x - nudge))) / (2 * h)
    return found


x, w = Array(rng.normal(size=(3, 4))), Array(rng.normal(size=(4, 2)))
bias, weight = Array(rng.normal(size=2)), Array(rng.normal(size=(3, 2)))
walk_with_rules((x @ w + bias) * weight)
layer = lambda x, w, bias: x @ w + bias
assert np.allclose(x.grad, slopes(lambda a: layer(a, w.value, bias.value), weight.value, x.value))
assert np.allclose(w.grad, slopes(lambda a: layer(x.value, a, bias.value), weight.value, w.value))
assert np.allclose(
    bias.grad, slopes(lambda a: layer(x.value, w.value, a), weight.value, bias.value)
)
print("a layer with a bias: the gradients of x, w and the bias agree with differences")

# %% [markdown]
# **What breaks?** Later we multiply batches of matrices: `a` of shape (5, 3, 4) with `b` of (5, 4,
# 2). What we want of `transposed(b)` is five matrices (2, 4), so (5, 2, 4). But `.T` writes *all*
# axes in reverse order: of a matrix the two, and of three axes all three.

# %%
ask("turned", ...)

# %%
a, b = Array(rng.normal(size=(5, 3, 4))), Array(rng.normal(size=(5, 4, 2)))
print("b has the shape", b.value.shape, "and b.T", b.value.T.shape)
try:
    walk_with_rules(a @ b)
except ValueError as problem:
    print("ValueError:", str(problem).partition(":")[2].strip()[:60])

# %% [markdown]
# ## 6. Batches, and picks
#
# Only the last two axes are a matrix, so only these may change places. We need not touch the class: it
# finds the new `transposed` by its name.

# %%
transposed = lambda a: np.swapaxes(a, -1, -2)

a, b = Array(rng.normal(size=(5, 3, 4))), Array(rng.normal(size=(4, 2)))
walk_with_rules(a @ b)  # one b for all five
ones = np.ones((5, 3, 2))
assert np.allclose(a.grad, slopes(lambda x: x @ b.value, ones, a.value))
assert np.allclose(b.grad, slopes(lambda x: a.value @ x, ones, b.value))
print("gradients of the shapes", a.grad.shape, "and", b.grad.shape)

# %% [markdown]
# `b` was copied for each of the five, and `undo_broadcast` has summed.
#
# Next, indexing. `x[index]` picks. What was picked gets its gradient back, and what was not picked
# gets 0. (`out[index] += g` reads `out[index]`, adds `g`, and writes the results, each for all of the
# index together.)


# %%
def added_at(shape, index, g):
    out = np.zeros(shape)
    out[index] += g
    return out


def pick(self, index):
    back = lambda g: added_at(self.value.shape, index, g)
    return Array(self.value[index], [(self, back)])


Array.__getitem__ = pick

x, weight = Array(np.zeros(3)), Array(np.array([1.0, 10.0]))
walk_with_rules(x[np.array([2, 0])] * weight)
print("the gradient of x:", x.grad, "- right")
assert x.grad.tolist() == [10, 0, 1]

# %% [markdown]
# **What breaks?** An element that is picked twice, with the index [2, 2].

# %%
ask("lost", ...)

# %%
index, g = np.array([2, 2]), np.array([1.0, 10.0])
lost = added_at((3,), index, g)
print(lost, "and by differences", slopes(lambda x: x[index], g, np.zeros(3)))

# %% [markdown]
# ## 7. Add at every index, and a table
#
# It was the trap of lesson 02: the first of the two is lost. `np.add.at` adds every time.
# This is the same law for the third time: what is used twice gets a sum.


# %%
def added_at(shape, index, g):
    out = np.zeros(shape)
    np.add.at(out, index, g)
    return out


x = Array(np.zeros(3))
walk_with_rules(x[index] * Array(g))
print("the gradient of x:", x.grad)
assert x.grad.tolist() == [0, 0, 11]

# %% [markdown]
# Soon your engine needs `exp`, `log`, `sqrt` and more. Methods for them would differ in the function
# and its rules alone. So write these as data, in a table:
#
#     RULES[np.exp]      = lambda g, y, a: g * y,
#     RULES[np.multiply] = lambda g, y, a, b: g * b,   lambda g, y, a, b: g * a
#
# There is a line for each function, and a rule for each argument. (The comma behind the only rule of
# `np.exp` makes it a tuple of one rule, so that every line holds a tuple.) `g` is the gradient of the
# result, `y` the result, and then come the arguments. It reads like the table at the back of a
# calculus book. One function, `call`, computes, and makes a tensor that remembers the function and
# its arguments. The walk looks the rules up.
#
# **What breaks?** You would have to write `call(np.exp, x)` everywhere, for this does not work:

# %%
try:
    np.exp(Array(np.ones(2)))
except TypeError as problem:
    print("TypeError:", str(problem)[:78])

# %% [markdown]
# ## 8. NumPy's protocols
#
# (`np.exp` and the others that work number by number are *ufuncs*, universal functions.) NumPy asks
# first. If an argument has a method `__array_ufunc__`, then `np.exp(x)` does not compute, but calls
# that, with the function and its arguments. `__array_function__` does the same for `np.sum`,
# `np.reshape` and the like. (Such an agreement on the name of a method is called a *protocol*.) Two
# methods that hand over to `call`, and the functions in the table work, with the arguments that their
# rules know. (What is not in the table gives a plain array, and its gradient is lost.) A class that
# NumPy brings along, `NDArrayOperatorsMixin`, turns `x * y` into `np.multiply(x, y)`, and so on for the
# other operators.
#
# This is the whole engine:

# %%
import own_engine
from own_engine import RULES, Tensor, backward

text = (EXAMPLES / "own_engine.py").read_text(encoding="utf-8")
print(text)
code = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
assert len(code) <= 120

x = Tensor([[1.0, 2.0], [3.0, 4.0]])
loss = np.sum(np.exp(-x) @ x[[0, 0]] + np.array([1.0, 2.0]))
backward(loss)
print("the gradient:", np.round(x.grad, 4).tolist())

# %% [markdown]
# ### Read once more (optional)
#
# Read it once more with the steps in mind: `arrived.get(a, 0) + given` is step 2, `number` and the heap
# are step 3, `undo_broadcast` is step 4, the rules step 5, `transposed` step 6, `added_at` and `RULES`
# step 7, and the two methods whose names begin with `__array` step 8. What is new:
#
# - `WRITTEN` holds functions that need no rule, because they are written in others. A mean is a sum
#   times a number. `take_along_axis` is an index: for each axis, `np.indices` gives the places along
#   it, and the axis that is asked for gets the indices in their place.
# - `property(lambda self: ...)` makes `x.shape` call that function, without brackets.
# - The base class (a *mixin*, which brings methods along) has an `==` of its own, and Python then
#   forbids to use a Tensor as a key of a dictionary, such as `arrived`. `__hash__` allows it again.
# - `method` is `"__call__"` for `np.exp(x)`. Others, such as that of `np.add.reduce(x)`, are refused.
# - A rule `None` says that an argument gets no gradient, such as the condition of `np.where`.
# - `kept` puts back the axes that a sum took away.
#
# ## Checked by differences (optional)
#
# A rule with a mistake in it raises no error (lesson 03). So compare every rule with differences, in
# one call of its function, on numbers that lie at no kink:

# %%
matrix, positive = rng.normal(size=(3, 3)), rng.uniform(1, 2, (3, 3))
also = {
    np.where: (matrix > 0, matrix, positive),
    np.matmul: (rng.normal(size=(2, 3, 3)), matrix),
    np.reshape: (matrix, (9,)),
    np.swapaxes: (rng.normal(size=(2, 3, 4)), 0, 2),
    np.sum: (matrix, 0),
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
print(len(RULES), "functions: each rule agrees with differences, in one call")

# %% [markdown]
# ## And it learns
#
# Some points lie on a small ring, others on a large ring around it. No straight line separates them,
# but a network as in lesson 03b learns to: two numbers go in, 16 hidden ones are bent by `np.tanh`,
# and one comes out. It should say 1 inside and -1 outside, and the loss is the mean of the squared
# errors. The rate is 0.1. (The second matrix starts smaller, as its 16 products add up.)

# %%
angle, inside = rng.uniform(0, 2 * np.pi, 200), np.arange(200) < 100
radius = np.where(inside, 0.4, 1.0) + rng.normal(0, 0.08, 200)
points = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)  # (B, 2)
wanted = np.where(inside, 1.0, -1.0)[:, None]  # (B, 1)

weights = [
    Tensor(rng.normal(0, 1, (2, 16))), Tensor(np.zeros(16)),
    Tensor(rng.normal(0, 0.3, (16, 1))), Tensor(np.zeros(1)),
]  # fmt: skip


def network(x, w, b, v, c):
    return np.tanh(x @ w + b) @ v + c  # (B, 1)


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

    figure, ax = plt.subplots(figsize=(3.6, 3.4))
    line = np.linspace(-1.5, 1.5, 80)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    height = network(grid, *weights).array.reshape(80, 80)
    ax.contourf(line, line, height, levels=[0, 9], colors=[BLUE], alpha=0.25)
    ax.scatter(*points[inside].T, s=8, color=BLUE)
    ax.scatter(*points[~inside].T, s=8, color=ORANGE)
    ax.set(aspect="equal", title="where the network says: inside")
    return figure


pictures("04_ring", ring)

# %% [markdown]
# That is the first promise of lesson 00, kept: one walk finds the derivatives of all parameters
# together, and you have written it.
#
# ## Step through it (optional)
#
# minigrad is this engine with what you would miss when something goes wrong: errors that say what to
# do, arrays that nobody can change unseen, memory that is given back, and views. Its walk and its way
# of undoing a broadcast are the ones that you have built. Its table is longer, and shares the gradient
# between equal arguments of `np.maximum`, where yours gives 0 to both. The loss of step 8 has
# no maximum in it: with minigrad's Tensors it gives the same gradient, and an interactive page. Predict
# its steps, with your own engine in mind. Where does the index with repeats come back, and where are the
# gradients of both uses of `x` added? (If you read this in a browser, [the interactive page is
# here](out/04_steps.html).)

# %%
mine = x.grad
x = mg.Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
with mg.record():
    loss = np.sum(np.exp(-x) @ x[[0, 0]] + np.array([1.0, 2.0]))
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(
    loss, pictures.folder / "04_steps.html", title="The sum of exp(-x) x[[0, 0]] + (1, 2)"
)
print("open in a browser:", page)
loss.backward()
assert np.allclose(mine, x.grad, atol=1e-6)

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_chain", ...)

# %%
ask("end_bias", ...)

# %%
ask("end_index", ...)

# %% [markdown]
# To write yourself: this engine once more, tomorrow. It is the exercise `engine`
# (`python -m minigrad exercises check engine`). Its parts are exercises of lessons 01 and 02: `order`,
# `walk`, `undo_broadcast`, `matmul_rule` and `index_rule`.
#
# To repair: six programs of the *museum of bugs*. Each shipped in an engine that many people used; it
# runs, and looks right: `reused`, `arrived`, `max_rule`, `norm_rule`, `root_rule`, `fill_rule`. Find the
# bug by stepping, by a drawing, or by differences; then `exercises check` tells its story.
#
# It is enough for a transformer: `python -m minigrad exercises engine` runs yours under one, and
# compares every gradient; `13b_your_own_engine_under_a_transformer.py`, after lesson 13, trains with it.
#
# Next: `05_words_as_vectors.py`, where the numbers begin to mean something.

# %%
print(pictures)
