# %% [markdown]
# # 01 One derivative, and a graph
#
# *The chain rule, a graph, and the walk back over it. About 2 seconds.*
#
# These four lines learn:
#
#     y = (w * 3 - 2) ** 2
#     w.grad = None
#     y.backward()
#     w.data -= 0.02 * w.grad
#
# Run them again and again, and `w` moves by itself to the number for which `y` is smallest. (`w.data`
# is the number that `w` holds.) A language model, and the reader of dates in lesson 00, learn in the
# same way. They only have a longer first line, and thousands or billions of numbers like `w`. The
# third line does the work: it finds out what a small change of `w` does to `y`. In this lesson you do
# that yourself, by hand, as a drawing and as a program. At its end these four lines run.
#
# After it you can
#
# - compute the derivatives of an expression by hand, with the chain rule, and let minigrad do it;
# - read the drawing of a computation, and step through the walk back over it;
# - say why gradients add up where a number is used twice;
# - say why the walk needs an order, and what goes wrong without one.
#
# You need Python and a little NumPy ([what the code uses of it](NUMPY.md)), and from school what a
# derivative is: at $x$, the curve $x^2$ has the slope $2x$. All else is explained where it comes up.
#
# Now and then the lesson asks you what comes next. Answer first, with pen and paper, and then read on:
# you will remember more. Would you rather play first? In a browser (`python -m minigrad course`) there
# is [a page where every number can be changed](out/01_steps.html). Pictures go to the folder `out`, or
# to one that you name in the next cell.

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
# Now raise one of the three by a little. Then $y$ changes as well.

# %%
ask("nudge", ...)


# %%
def f(w, x, c):
    return (w * x + c) ** 2


h = 0.001
rise = f(3 + h, 2, -4) - f(3, 2, -4)
print(f"y = {f(3, 2, -4)}; w rises by {h}, y by {rise:.6f}: {rise / h:.3f} times as much")

# %% [markdown]
# Let the change $h$ become smaller and smaller. Then this ratio comes as close to 8 as you like. The
# number that it comes close to is the *derivative* of $y$ with respect to $w$, written
# $\partial y / \partial w$:
#
# $$\frac{\partial y}{\partial w} \approx \frac{f(w + h, x, c) - f(w, x, c)}{h}$$
#
# There is one derivative for each input. Together they are the *gradient* of $y$. (We also call the
# derivative of $y$ with respect to one number the gradient of that number.)
#
# To find derivatives by such small changes, or *nudges*, takes one more evaluation of $f$ for each
# input. That is fine for three inputs. But a language model has billions. The method below finds the
# derivatives with respect to all inputs together, at the cost of a few evaluations.

# %% [markdown]
# ## The chain rule
#
# Split the expression into steps that each do one thing, and name their results:
#
# $$p = w x, \qquad u = p + c, \qquad y = u^2.$$
#
# The derivative of each step with respect to what it was computed from is easy. The *chain rule* puts
# them together. When $w$ acts on $p$, $p$ on $u$ and $u$ on $y$, their derivatives multiply:
#
# $$\frac{\partial y}{\partial w} =
#   \frac{\partial y}{\partial u} \cdot \frac{\partial u}{\partial p} \cdot \frac{\partial p}{\partial w}
#   = 2u \cdot 1 \cdot x.$$
#
# In numbers: $p$ changes 2 times as fast as $w$, $u$ just as fast as $p$, and $y$ 4 times as fast as
# $u$. So $y$ changes $4 \cdot 1 \cdot 2 = 8$ times as fast as $w$.

# %%
ask("by_x", ...)

# %% [markdown]
# The values are computed forwards, from $w$, $x$ and $c$ to $y$: this is the *forward pass*. It is
# best to compute the derivatives backwards, from $y$, in a *backward pass*. We mostly call it *the
# walk back*. Then the product so far, such as $\partial y / \partial u$, is shared by all that comes
# before $u$. In the code `du` stands for $\partial y / \partial u$, and so on.

# %%
w, x, c = 3.0, 2.0, -4.0

p = w * x  # forwards: the values
u = p + c
y = u**2

dy = 1.0  # backwards: the derivative of y with respect to y itself
du = dy * 2 * u  # of y with respect to u,
dp = du * 1  # with respect to p, as u = p + c,
dc = du * 1  # with respect to c,
dw = dp * x  # with respect to w, as p = w x,
dx = dp * w  # and with respect to x
print(f"by hand: {dw = }, {dx = }, {dc = }")

h = 1e-6
raised = np.array([f(w + h, x, c), f(w, x + h, c), f(w, x, c + h)])
by_nudging = (raised - y) / h
print("by nudging:", np.round(by_nudging, 3))
assert np.allclose([dw, dx, dc], by_nudging, atol=1e-4)

# %% [markdown]
# ## The same, as a graph
#
# A `Tensor` of minigrad is an array (here of a single number) that remembers how it was made.
# `requires_grad=True` says that we want the derivative with respect to it. Python's operators and
# most of NumPy's functions work on Tensors as on arrays. Each makes a new Tensor: an array that is
# there never changes.
#
# A Tensor always has its value, and until the walk back it remembers what the walk needs: for
# `np.square(u)` that is $u$, since the derivative is $2u$; for `p + c` it is nothing, since both
# derivatives are 1. `mg.record()` is for us who want to look: inside it minigrad also keeps the other
# values, such as $p$, and the names and lines of code. `.item()` is the number alone, as Python has
# it.

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
# printed. In each, `g` is the gradient that has arrived: the derivative of $y$ with respect to the
# result of this operation. Below it is what each argument gets: a rule from the table of derivatives
# (the file `minigrad/engine/rules.py`), and the number that the rule gives. An argument has two names,
# the one in the rule and the one in our code: `for x, which is u`. (`()` is the shape of a single
# number. `float32` says how it is stored, with about 7 digits; lesson 03 has more on that.)

# %%
*operations, _, _, _ = mg.steps(y)  # the last three store what arrived at c, x and w in .grad
for step in operations:
    print(step)

# %% [markdown]
# (`#5` is a number: every tensor of a computation has one, in the order of creation. It is the same in
# every view of this computation.) `mg.steps` only shows. `y.backward()` is the same walk without
# printing. It keeps the gradients that reach the leaves, in `.grad`. Draw the graph again: below each
# value is its gradient, and on each edge, in red, what the operation passed back along it.

# %%
y.backward()
print("by the walk:", w.grad, x.grad, c.grad)
assert [w.grad.item(), x.grad.item(), c.grad.item()] == [dw, dx, dc] == [8, 12, 4]

pictures("01_backward", mg.graph(y))

# %% [markdown]
# Now take these steps yourself. `mg.explore` writes a computation, this one or any of yours, as an
# interactive page: one file that any browser opens. The arrow keys go forwards through the values and
# then back through the gradients. Beside the graph are the line of code that runs and the rule that is
# used. (If you read this in a browser, [the interactive page is here](out/01_steps.html).)
#
# Every number on it can be changed, and all that follows is computed again. Change $w$ from 3 to 2.
# What happens to the gradients, all at once, and why? Then press *Predict*: it hides the gradients,
# and you work out each before you see it.

# %%
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(y, pictures.folder / "01_steps.html", title="y = (w x + c)²")
print("open in a browser:", page)
assert "p = w * x" in page.read_text(encoding="utf-8")  # the lesson's own code is in it

# %% [markdown]
# ## Why gradients add
#
# What if a number is used twice, as in $y = x \cdot x$?

# %%
ask("two_uses", ...)

# %%
product = lambda a, b: a * b
first = (product(3 + h, 3) - product(3, 3)) / h
second = (product(3, 3 + h) - product(3, 3)) / h
both = (product(3 + h, 3 + h) - product(3, 3)) / h
print(f"first factor {first:.3f} + second factor {second:.3f} = both {both:.3f}")
assert np.isclose(first + second, both)

# %% [markdown]
# In general: in $y = f(a, b)$ let both $a$ and $b$ be the same $x$. To nudge $x$ is to nudge both. So
# its effect is the effect of the first plus the effect of the second:
#
# $$y = f(x, x): \qquad
#   \frac{d y}{d x} = \frac{\partial f}{\partial a} + \frac{\partial f}{\partial b}$$
#
# ($d$ in place of $\partial$, as $x$ is the only input that is left.) That is why $x^2$ has the
# derivative $2x$: there is one $x$ for each of its two uses. In the drawings there are two edges from
# $x$, with a gradient on each, and `grad` is their sum.

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
# A program that stores what arrives, where it should add it, gets 1 and 3 here. It is still right
# wherever each value is used once. So this mistake can stay hidden for a long time.

# %% [markdown]
# ## Why an order: a wrong answer
#
# It looks as if a few lines are enough to walk back. Write a graph as a dictionary, with the nodes in
# the order of their creation. Each has a list of its edges: what it was computed from, and its
# derivative with respect to that, the *slope* of the edge. This is $u = 2x$, $y = u + u$, so that
# $y = 4x$. The function passes on along each edge what has arrived, and goes on from there at once.
# (A `Counter` is a dictionary in which everything starts at 0.)

# %%
graph = {"x": [], "u": [("x", 2)], "y": [("u", 1), ("u", 1)]}


def naive(graph, node, gradients, say=lambda line: None, indent=""):
    """Pass the gradient of `node` on along each edge, and go on from there."""
    for argument, slope in graph[node]:
        passed = slope * gradients[node]
        gradients[argument] += passed
        say(f"{indent}{node} gives {passed} to {argument}, which now has {gradients[argument]}")
        naive(graph, argument, gradients, say, indent + "  ")
    return gradients


# %%
ask("naive", ...)

# %%
wrong = naive(graph, "y", Counter(y=1), say=print)
print("the derivative of y with respect to x is", wrong["x"], "?")

# %% [markdown]
# It is not: $y = 4x$, so it is 4. Follow the lines. After the first edge from $y$, $u$ has received
# 1, and passes on $2 \cdot 1$ at once. After the second edge it has 2, and passes on $2 \cdot 2$: the
# first 1 is counted again. A node must wait until *all* that use it have had their turn. Only then may
# it pass on what it has, once.
#
# This graph, of three nodes and two operations, is the smallest on which that happens. With one
# operation alone, as in $x + x$, what receives twice is a leaf, which has nothing to pass on. The
# drawing below has a node for each of the two uses of $u$, and so four operations. It has the shape of
# a *diamond*, and is called one.

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
# The recursion can be repaired: let each call carry its own share of the gradient along, and pass on
# that alone. Then nothing is counted again:


# %%
def carry(graph, node, gradient, gradients):
    """Add what arrives at `node`, and pass on that alone; return how many visits were made."""
    gradients[node] += gradient
    return 1 + sum(
        carry(graph, argument, gradient * slope, gradients) for argument, slope in graph[node]
    )


gradients = Counter()
visited = carry(graph, "y", 1, gradients)
print(f"dy/dx = {gradients['x']}, after {visited} visits to 3 nodes")
assert gradients["x"] == 4

# %% [markdown]
# That is right, but it walks each *path* from $y$ to a leaf separately: $y$, $u$, $x$ over the first
# edge, and then $u$ and $x$ once more over the second, which makes 5 visits. Now put $n$ such doublings
# behind each other,
#
# $$u_1 = u_0 + u_0, \quad u_2 = u_1 + u_1, \quad \dots, \quad u_n = u_{n-1} + u_{n-1},$$
#
# and each has two edges to the one before: there are $2^n$ paths. The graph itself has only $n + 1$
# nodes.

# %%
ask("visits", ...)


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
# An operation can only run after its arguments were computed. So take the order of creation, and
# *reverse* it: now every node comes after all that use it. When its turn comes, all its gradients have
# arrived. An order like that is called *topological*. It costs us nothing, as the dictionary is in the
# order of creation. Here is the whole of *backpropagation*, as this walk is called:


# %%
def walk(graph, root):
    """The derivative of `root` with respect to every node, and the number of visits."""
    gradients = Counter({root: 1})
    for node in reversed(graph):
        for argument, slope in graph[node]:
            gradients[argument] += slope * gradients[node]
    return gradients, len(graph)


in_order = [walk(doublings(n), n)[1] for n in sizes]
print("in order, dy/dx =", walk(graph, "y")[0]["x"])
print("visits for 16 doublings:", in_order[16], "in order,", visits[16], "by recursion")
assert walk(graph, "y")[0]["x"] == 4
assert in_order == [n + 1 for n in sizes]
assert all(walk(doublings(n), n)[0][0] == 2**n for n in sizes)

# %% [markdown]
# Five doublings: in blue the graph, in orange what the recursion sees of it. On the right, the visits of
# both, on an axis that [counts powers of ten](MATHEMATICS.md#axes-that-count-powers-of-ten).


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
# minigrad walks in that order, and in a loop. So long chains are no problem either, where a recursion
# stops with an error: Python allows it some 1000 calls, one inside the other. Here are 2000 layers,
# $u_k = u_{k-1}/2 + u_{k-1}/2$. The recursion would need more than $2^{2000}$ visits.

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
# makes $y$ smaller. So take a small step against the derivative, compute it again, and repeat. That is
# *gradient descent*, and all training of networks is made of such steps.
#
# Here are the four lines from the beginning, with $y = (3w - 2)^2$, which is 0 at $w = 2/3$. We start
# at $w = 2$, where $dy/dw = 24$, and go 0.02 times that in each step. This factor is called the
# *learning rate*. We chose it: with a much smaller one it takes many more steps, and with a much
# larger one each step goes beyond the lowest point (lesson 03b tries three).

# %%
ask("next_w", ...)

# %%
w = mg.Tensor(2.0, requires_grad=True)
path = []
for step in range(20):
    path.append(w.item())
    y = (w * 3 - 2) ** 2
    w.grad = None
    y.backward()
    if step < 5:
        print(f"step {step}: w = {w.item():.4f}, y = {y.item():7.4f}, dy/dw = {w.grad.item():7.4f}")
    w.data -= 0.02 * w.grad
print(f"after 20 steps: w = {w.item():.4f}")
assert abs(w.item() - 2 / 3) < 0.001

# %% [markdown]
# So `w` comes to two thirds. `w.grad = None` is there because gradients add up between walks, too:
# without it each walk would add to what the last one left. The last line gives `w` another array, and
# leaves the old one as it was. (In NumPy, `-=` writes into the array itself. The array in `w.data`
# cannot be written to, so a new one takes its place.) There is another way to write it, which people who
# know PyTorch will expect: `w -= 0.02 * w.grad` inside `with mg.no_grad():`. What is computed in there
# is not remembered, as the step is no part of what is to be differentiated.
#
# This is the beginning of the first promise of lesson 00: one number, and which way to move it.
# Lesson 04 does it for all.
#
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_three_uses", ...)

# %%
ask("end_naive", ...)

# %%
ask("end_two_walks", ...)

# %% [markdown]
# To write yourself: `product_rule`, `order` and `walk`. `python -m minigrad exercises start mine` makes
# a copy in the folder `mine`. Write in it, and in that folder `python -m minigrad exercises check 01`
# says what is right.
#
# Next: `02_tensors.py`, where the numbers become arrays.

# %%
print(pictures)
