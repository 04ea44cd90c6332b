# %% [markdown]
# # 01 One derivative, and a graph
#
# *The chain rule, a graph, and the walk back over it. About 2 seconds.*
#
# A neural network learns by nudging its numbers, and a derivative says which way to nudge. This
# lesson is about how a program finds derivatives by itself, for expressions of single numbers.
# What is true here stays true for arrays, and for a transformer.
#
# After it you can
#
# - compute the derivatives of an expression by hand, with the chain rule, and let minigrad do it;
# - read the drawing of a computation, and step through the walk back over it;
# - say why gradients add up where a number is used twice;
# - say why the walk needs an order, and what goes wrong without one.
#
# Run it whole (`python examples/01_one_derivative.py`), or cell by cell in an editor or in Jupyter.
# Pictures, and a page to step through, go to the folder `out`; name another one after the file's
# name, or in the next cell.

# %%
import time
from collections import Counter

import numpy as np

import minigrad as mg
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.views.plots import BLUE, GREY, ORANGE

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("01")

# %% [markdown]
# ## What a derivative says
#
# Take three numbers, $w = 3$, $x = 2$ and $c = -4$, and compute
#
# $$y = (w x + c)^2.$$
#
# Raise one of the three by a little, $h$, and $y$ changes as well. How many times as much as what
# was changed? That ratio, for an ever smaller $h$, is the *derivative* of $y$ with respect to that
# number, written $\partial y / \partial w$ for the first:
#
# $$\frac{\partial y}{\partial w} \approx \frac{y(w + h, x, c) - y(w, x, c)}{h}$$


# %%
def f(w, x, c):
    return (w * x + c) ** 2


h = 1e-6
by_nudging = [
    (f(3 + h, 2, -4) - f(3, 2, -4)) / h,
    (f(3, 2 + h, -4) - f(3, 2, -4)) / h,
    (f(3, 2, -4 + h) - f(3, 2, -4)) / h,
]
print("y =", f(3, 2, -4))
print("its derivatives by w, x and c, by nudging:", np.round(by_nudging, 3))

# %% [markdown]
# So $y$ rises 8 times as fast as $w$, 12 times as fast as $x$, and 4 times as fast as $c$. These
# derivatives together, one for each input, are the *gradient* of $y$. (In what follows, the
# derivative of $y$ by a number is also called the gradient of that number, as it is in code.)
#
# Nudging needs one more evaluation of $f$ for each input. With three inputs, why not; a language
# model has billions. The method below finds the derivatives by all inputs together, at the cost of
# a few evaluations.

# %% [markdown]
# ## The chain rule
#
# Split the expression into steps that each do one thing, and name their results:
#
# $$p = w x, \qquad u = p + c, \qquad y = u^2.$$
#
# The derivative of each step by what it was computed from is easy. The *chain rule* puts them
# together: when $w$ acts on $p$, $p$ on $u$ and $u$ on $y$, their derivatives multiply,
#
# $$\frac{\partial y}{\partial w} =
#   \frac{\partial y}{\partial u} \cdot \frac{\partial u}{\partial p} \cdot \frac{\partial p}{\partial w}
#   = 2u \cdot 1 \cdot x.$$
#
# In numbers: $p$ changes 2 times as fast as $w$, $u$ just as fast as $p$, and $y$ 4 times as fast as
# $u$; so $y$ changes $4 \cdot 1 \cdot 2 = 8$ times as fast as $w$. There is no more to it.
#
# The values are computed forwards, from $w$, $x$ and $c$ to $y$. The derivatives are best computed
# backwards, from $y$: then the product so far, say $\partial y / \partial u$, is shared by all that
# comes before $u$. In the code `du` stands for $\partial y / \partial u$, and so on.

# %%
w, x, c = 3.0, 2.0, -4.0

p = w * x  # forwards: the values
u = p + c
y = u**2

dy = 1.0  # backwards: the derivative of y by y itself,
du = dy * 2 * u  # by u,
dp = du * 1  # by p, as u = p + c
dc = du * 1  # and by c,
dw = dp * x  # by w, as p = w x
dx = dp * w  # and by x
print(f"by hand: {dw = }, {dx = }, {dc = }")
assert np.allclose([dw, dx, dc], by_nudging, atol=1e-4)

# %% [markdown]
# ## The same, as a graph
#
# minigrad keeps books while it computes. A `Tensor` is an array (here of a single number) that
# remembers how it was made. `requires_grad=True` says that we shall ask for the derivative by it.
# Python's operators and NumPy's functions work on Tensors as they stand. Inside `mg.record()`, all
# values are kept, and the names and lines of code too, so that we can look at them afterwards.

# %%
w = mg.Tensor(3.0, requires_grad=True)
x = mg.Tensor(2.0, requires_grad=True)
c = mg.Tensor(-4.0, requires_grad=True)

with mg.record():
    p = w * x
    u = p + c
    y = np.square(u)

print(mg.graph(y))
pictures("01_forward", mg.graph(y))

# %% [markdown]
# This is a *graph*: boxes, called *nodes*, joined by arrows, called *edges*. A node with round
# corners is an operation that ran, with the value it gave; a square one, a *leaf*, was not computed
# from anything. An edge leads from a value to the operation that used it. There are no gradients
# yet: none has been computed, and minigrad never shows zeros for that.
#
# Now the walk back. `mg.steps(y)` takes the same steps that we took by hand, and each can be
# printed. In each, `g` is the gradient that has arrived: the derivative of $y$ by the result of this
# operation. Below it is what each argument gets: a rule from the table of derivatives (the file
# `minigrad/engine/rules.py`), and the number that the rule gives.

# %%
for step in mg.steps(y):
    print(step)

# %% [markdown]
# (`#5` and the like tell apart operations of the same name, in the order of their creation; every view
# has the same numbers.) `mg.steps` only shows. `y.backward()` is the same walk, run to its end without
# printing, and it keeps the gradients that reach the leaves, in `.grad`. Draw the graph again: below
# each value stands its gradient, and on each edge, in red, what the operation passed back along it.

# %%
y.backward()
print("by the walk:", w.grad, x.grad, c.grad)
assert [w.grad.item(), x.grad.item(), c.grad.item()] == [dw, dx, dc] == [8, 12, 4]

pictures("01_backward", mg.graph(y))

# %% [markdown]
# Better than to read these steps is to take them. `mg.explore` writes the same computation as a page,
# one file that any browser opens. The arrow keys go forwards through the values and then back through
# the gradients; beside the graph stand the line of code that runs and the rule that is used. The
# button *Predict* hides the gradients, and you work out each before you see it. It takes any
# computation of yours. (Where you read this as a page, [the steps are here](out/01_steps.html).)

# %%
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(y, pictures.folder / "01_steps.html", title="y = (w x + c)²")
print("open in a browser:", page)
assert "p = w * x" in page.read_text(encoding="utf-8")  # the lesson's own code is in it

# %% [markdown]
# ## Why gradients add
#
# What if a number is used twice? In $y = f(a, b)$ let both $a$ and $b$ be the same $x$. A nudge to
# $x$ is a nudge to both, so its effect is the effect of the one plus the effect of the other:
#
# $$y = f(x, x): \qquad
#   \frac{d y}{d x} = \frac{\partial f}{\partial a} + \frac{\partial f}{\partial b}$$
#
# ($d$ in place of $\partial$, as $x$ is the only input that is left).
# For $x \cdot x$ at $x = 3$, nudge the first factor alone, the second alone, and both:

# %%
product = lambda a, b: a * b
first = (product(3 + h, 3) - product(3, 3)) / h
second = (product(3, 3 + h) - product(3, 3)) / h
both = (product(3 + h, 3 + h) - product(3, 3)) / h
print(f"first factor {first:.3f} + second factor {second:.3f} = both {both:.3f}")
assert np.isclose(first + second, both)

# %% [markdown]
# That is why $x^2$ has the derivative $2x$: once $x$ for each of its two uses. In the drawings there
# are two edges from $x$, with a gradient on each, and `grad` is their sum.

# %%
x = mg.Tensor(3.0, requires_grad=True)
with mg.record():
    y = x + x
y.backward()
assert x.grad.item() == 1 + 1
pictures("01_x_plus_x", mg.graph(y))

# %%
x = mg.Tensor(3.0, requires_grad=True)
with mg.record():
    y = x * x
y.backward()
assert x.grad.item() == 3 + 3
assert np.allclose(both, x.grad.item())
pictures("01_x_times_x", mg.graph(y))

# %% [markdown]
# A program that stores what arrives, where it should add it, gets 1 and 3 here. It would still be
# right wherever each value is used once, so the mistake can stay hidden for long.

# %% [markdown]
# ## Why an order: a wrong answer
#
# By now it looks as if a few lines of our own would do. Write a graph as a dictionary, with the
# nodes in the order of their creation. Each has a list of its edges: what it was computed from, and
# its derivative by that, its *slope*. This is $u = 2x$, $y = u + u$. (A `Counter` is a dictionary in
# which everything starts at 0.)

# %%
graph = {
    "x": [],
    "u": [("x", 2)],
    "y": [("u", 1), ("u", 1)],
}


def naive(graph, node, gradients, say=lambda line: None, indent=""):
    """Pass the gradient of `node` on along each edge, and go on from there."""
    for argument, slope in graph[node]:
        passed = slope * gradients[node]
        gradients[argument] += passed
        say(f"{indent}{node} gives {passed} to {argument}, which now has {gradients[argument]}")
        naive(graph, argument, gradients, say, indent + "  ")
    return gradients


wrong = naive(graph, "y", Counter(y=1), say=print)
print("the derivative of y by x is", wrong["x"], "?")

# %% [markdown]
# It is not: $y = 4x$, so it is 4. Follow the lines. After the first edge from $y$, $u$ has received
# 1 and passes it on at once. After the second edge it has 2, and passes on 2: the first 1 is counted
# again. A node must wait until *all* that used it have been dealt with, and only then pass on what
# it has, once.
#
# This graph is the smallest on which that happens. Drawn with the two uses of $u$ as nodes of their
# own it is a diamond, and that is what such a shape is called. Two operations are needed: with one
# alone, as in $x + x$, what receives twice is a leaf, which has nothing to pass on.

# %%
assert naive({"x": [], "y": [("x", 1), ("x", 1)]}, "y", Counter(y=1))["x"] == 2  # right

x = mg.Tensor(5.0, requires_grad=True)
with mg.record():
    u = 2 * x
    a = 1 * u
    b = 1 * u
    y = a + b
y.backward()
assert wrong["x"] == 6
assert x.grad.item() == 4
pictures("01_diamond", mg.graph(y))

# %% [markdown]
# ## Why an order: a very late answer
#
# One can mend the recursion by carrying the gradient along, so that each call passes on its own
# share and nothing is counted again:


# %%
def carry(graph, node, gradient, gradients):
    """Add what arrives at `node`, pass on that alone; return the number of visits this took."""
    gradients[node] += gradient
    return 1 + sum(
        carry(graph, argument, gradient * slope, gradients) for argument, slope in graph[node]
    )


gradients = Counter()
visited = carry(graph, "y", 1, gradients)
print(f"the derivative of y by x is {gradients['x']}, after {visited} visits to 3 nodes")
assert gradients["x"] == 4

# %% [markdown]
# Right, but it walks every *path* from $y$ to a leaf by itself. Put $n$ such doublings after each
# other,
#
# $$u_1 = u_0 + u_0, \quad u_2 = u_1 + u_1, \quad \dots, \quad u_n = u_{n-1} + u_{n-1},$$
#
# and each has two edges to the one before: there are $2^n$ paths. The graph itself has only $n + 1$
# nodes.


# %%
def doublings(n):
    return {0: []} | {k: [(k - 1, 1), (k - 1, 1)] for k in range(1, n + 1)}


sizes = range(17)
visits = [carry(doublings(n), n, 1, Counter()) for n in sizes]
print("doublings n:", *(f"{n:4}" for n in sizes[:10]))
print("visits:     ", *(f"{times:4}" for times in visits[:10]))
assert visits == [2 ** (n + 1) - 1 for n in sizes]

# %% [markdown]
# ## The order
#
# An operation can only run after its arguments were computed. So in the order of creation,
# *reversed*, every node comes after all that use it: when its turn comes, all its gradients have
# arrived. An order like that is called *topological*. We have it for nothing, as the dictionary is in
# the order of creation. Here is the whole of backpropagation:


# %%
def walk(graph, root):
    """The derivative of `root` by every node, and the number of visits."""
    gradients = Counter({root: 1})
    for node in reversed(graph):
        for argument, slope in graph[node]:
            gradients[argument] += slope * gradients[node]
    return gradients, len(graph)


in_order = [walk(doublings(n), n)[1] for n in sizes]
print("in order, the derivative of y by x is", walk(graph, "y")[0]["x"])
print("visits for 16 doublings:", in_order[16], "in order,", visits[16], "by recursion")
assert walk(graph, "y")[0]["x"] == 4
assert in_order == [n + 1 for n in sizes]
assert all(walk(doublings(n), n)[0][0] == 2**n for n in sizes)

# %% [markdown]
# To the left, five doublings as they are, in blue, and as the recursion sees them, in orange. It does
# not see that all dots of a row are one and the same node. To the right, the visits of both.


# %%
def trees_and_visits():
    from matplotlib import pyplot as plt

    figure, (tree, curve) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=[2, 1])
    n = 5
    for k in range(n + 1):
        tree.scatter(-0.2, k, color=BLUE, s=60, zorder=2)
        tree.text(-0.27, k, f"$u_{k}$", ha="right", va="center", color=BLUE, fontsize=12)
        places = (np.arange(2 ** (n - k)) + 0.5) / 2 ** (n - k)
        tree.scatter(places, np.full_like(places, k), color=ORANGE, s=22, zorder=2)
        if k > 0:
            below = (np.arange(2 ** (n - k + 1)) + 0.5) / 2 ** (n - k + 1)
            tree.plot([places.repeat(2), below], [k, k - 1], color=GREY, lw=1, zorder=1)
            for bend in (-0.3, 0.3):
                curved = {"arrowstyle": "-", "color": GREY, "connectionstyle": f"arc3,rad={bend}"}
                tree.annotate("", (-0.2, k), (-0.2, k - 1), arrowprops=curved, zorder=1)
        visited = f"{len(places)} visit{'s' if k < n else ''}"
        tree.text(1.03, k, visited, va="center", color=ORANGE)
    tree.text(-0.2, n + 0.5, "the graph", ha="center", color=BLUE)
    tree.text(0.5, n + 0.5, "what the recursion sees of it", ha="center", color=ORANGE)
    tree.set(xlim=(-0.35, 1.2), ylim=(-0.3, n + 0.8))
    tree.axis("off")

    curve.semilogy(sizes, visits, "o-", color=ORANGE, ms=4)
    curve.semilogy(sizes, in_order, "o-", color=BLUE, ms=4)
    curve.text(9.5, visits[10] * 3, "recursion: $2^{n+1} - 1$", color=ORANGE, ha="right")
    curve.text(16, in_order[16] * 2, "in order: $n + 1$", color=BLUE, ha="right")
    curve.set(xlabel="doublings $n$", ylabel="visits", ylim=(0.7, None))
    return figure


pictures("01_visits", trees_and_visits)

# %% [markdown]
# minigrad walks in that order, and in a loop, so that depth costs nothing either: Python gives up
# recursions some 1000 calls deep. Here are 2000 layers, $u_k = u_{k-1}/2 + u_{k-1}/2$. The recursion
# would need more than $2^{2000}$ visits.

# %%
x = mg.Tensor(1.0, requires_grad=True)
y = x
for _ in range(2000):
    half = y / 2
    y = half + half

start = time.perf_counter()
y.backward()
milliseconds = 1000 * (time.perf_counter() - start)
print(f"2000 layers in {milliseconds:.0f} ms; the derivative is {x.grad.item()}")
assert x.grad.item() == 1

# %% [markdown]
# ## Downhill
#
# What is a derivative good for? It says which way is down. Where $dy/dw = 8$, a slightly smaller $w$
# makes $y$ smaller. So take a small step against the derivative, compute it again, and repeat: that
# is *gradient descent*, and training is nothing else. `.grad` has to be cleared before each new walk,
# because gradients add up between walks, too.

# %%
w = mg.Tensor(2.0, requires_grad=True)
for step in range(5):
    y = (w * 3 - 2) ** 2  # it is 0 at w = 2/3
    w.grad = None
    y.backward()
    print(f"step {step}: w = {w.item():.4f}, y = {y.item():7.4f}, dy/dw = {w.grad.item():7.4f}")
    w.data -= 0.02 * w.grad
assert abs(w.item() - 2 / 3) < 0.2

# %% [markdown]
# (`w -= 0.02 * w.grad` inside `with mg.no_grad():` does the same.)
#
# ## Questions
#
# Work them out first: on paper, or in a cell of your own.

# %%
ask("end_three_uses", ...)

# %%
ask("end_naive", ...)

# %%
ask("end_two_walks", ...)

# %% [markdown]
# Next: `02_tensors.py`, where the numbers become arrays.

# %%
print(pictures)
