# %% [markdown]
# # 17 Gradients of gradients
#
# *Derivatives of derivatives, and what they are good for. About 6 seconds.*
#
# The walk back is a computation like any other: it multiplies, adds and transposes. So it has a
# graph, and one can walk back over that. This lesson differentiates derivatives, and shows what
# that is good for.
#
# After it you can
#
# - draw the graph of a gradient, and walk back over it;
# - compute derivatives of any order, and use them;
# - multiply the matrix of all second derivatives by a vector without ever making the matrix;
# - find a minimum by Newton's method, and say why its error is squared at each step
#   (optional);
# - get a forward derivative from two walks back, and say how many walks of either kind a matrix of
#   derivatives takes, and what must be kept for them;
# - train with a loss that contains a gradient.

# %%
import itertools
import math
import time
import tracemalloc

import numpy as np

import minigrad as mg
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import mse_loss
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, PURPLE

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("17")
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("01/end_three_uses", ...)

# %%
ask("03/end_evaluations", ...)

# %% [markdown]
# ## A gradient has a graph
#
# Take $y = \sin(x^2)$ at $x = 0.8$. The walk back multiplies: the derivative of the sine, $\cos(x^2)$,
# times that of the square, $2x$. With `create_graph=True` it does so with Tensors, which remember how
# they were made. (The derivative of the cosine, needed below, is minus the sine.)

# %%
x = mg.Tensor(0.8, requires_grad=True, dtype=np.float64)
with mg.record():
    y = np.sin(np.square(x))
    y.backward(create_graph=True)
slope = x.grad
print("slope:", slope.item(), "by hand:", 2 * 0.8 * math.cos(0.8**2))
assert np.isclose(slope.item(), 2 * 0.8 * math.cos(0.8**2))
pictures("17_graph_of_a_gradient", mg.graph(y, slope).draw(gradients=False))

# %% [markdown]
# On the left of the drawing is what we wrote. The rest is what the walk back did, and it leads
# from $x$ to the slope: the sine's rule brought in a cosine of the same $x^2$, and $x$ is used
# once more where the square's rule has its $2x$. So we can ask for the derivative of the slope:
#
# $$y'' = \frac{d}{dx}\, 2x \cos(x^2) = 2 \cos(x^2) - 4 x^2 \sin(x^2).$$
#
# `mg.steps`, as in lesson 01, shows the walk back from it; `backward()` leaves the result in `x.grad`.
# (The slope is not computed from $y$, so this walk never comes to $y$. The drawing above has a box for
# $y$, too. So its boxes and the steps here have other numbers.)

# %%
x.grad = None
for step in mg.steps(slope):
    print(step)
slope.backward()
second = 2 * math.cos(0.64) - 4 * 0.64 * math.sin(0.64)
print("second derivative:", x.grad.item(), "by hand:", second)
assert np.isclose(x.grad.item(), second)

# %% [markdown]
# As $x$ is used twice in that graph, two gradients arrive, and their sum is the second derivative:
# the two terms of the product rule. Nobody had to teach the engine that rule.
#
# But its rules must compute with Tensors. An engine whose rules compute with plain arrays, as that of
# lesson 04, gives a slope without a graph: a second walk finds no gradient, or leaves out a part of it.
# The test is that of lesson 03, on the *first* derivative: are its differences the second one?

# %%
slope_of = mg.grad(lambda x: np.sin(np.square(x)))
after, before = (slope_of(np.float64(at)).item() for at in (0.8 + 1e-5, 0.8 - 1e-5))
by_differences = (after - before) / 2e-5
print(f"differences of the slope: {by_differences:.6f}, second derivative {second:.6f}")
assert np.isclose(by_differences, second)

# %% [markdown]
# Step through it: the page shows the same values, then the walk back from the slope. (If you read this
# in a browser, [the steps are here](out/17_steps.html).)

# %%
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(
    slope, pictures.folder / "17_steps.html", title="the slope of sin(x²), and its own"
)
print("open in a browser:", page)

# %% [markdown]
# ## As many as you like
#
# `mg.grad(f)` is the function that computes the gradient of $f$. It can be given to `mg.grad`
# again, and again. Take the sine.

# %%
ask("again_the_sine", ...)


# %%
def derivatives(f, order):
    """f, its first derivative, its second ..., as functions of one number."""
    every = [f]
    for _ in range(order):
        every.append(mg.grad(every[-1]))
    return every


at = 0.3
sine = [float(f(mg.Tensor(at, dtype=np.float64)).item()) for f in derivatives(np.sin, 7)]
print(np.round(sine, 4))
cycle = [math.sin(at), math.cos(at), -math.sin(at), -math.cos(at)]
assert np.allclose(sine, [*cycle, *cycle])
# The third derivative of x**2 is 0, also at 0. (By the power rule alone it is 2 * 1 * 0 * x**-1: 0 / 0.)
assert mg.grad(mg.grad(mg.grad(lambda x: x**2)))(0.0).item() == 0

# %% [markdown]
# ### Taylor's polynomial (optional)
#
# For many functions, such as the sine, all derivatives at one place together say what they do nearby.
# *Taylor's polynomial* puts them together:
#
# $$f(x) \approx \sum_{k=0}^{n} \frac{f^{(k)}(0)}{k!}\, x^k,$$
#
# with $f^{(k)}$ the $k$-th derivative, and $f^{(0)}$ the function itself.

# %%
at_zero = [f(mg.Tensor(0.0, dtype=np.float64)).item() for f in derivatives(np.sin, 13)]
line = np.linspace(-8, 8, 400)


def taylor(x, n):
    return sum(at_zero[k] / math.factorial(k) * x**k for k in range(n + 1))


assert np.allclose(taylor(np.linspace(-3, 3, 50), 13), np.sin(np.linspace(-3, 3, 50)), atol=2e-5)


# %%
def approximations():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.5, 3.4))
    ax.plot(line, np.sin(line), color="black", lw=3, alpha=0.25)
    for n, colour in ((1, ORANGE), (5, GREEN), (9, BLUE), (13, PURPLE)):
        values = taylor(line, n)
        ax.plot(line, np.where(np.abs(values) < 2.2, values, np.nan), color=colour, lw=1.8)
        end = line[(np.abs(values) < 2) & (line > 0)][-1]
        ax.text(end + 0.15, 1.85 * np.sign(taylor(end, n)), f"{n}", color=colour, size=12)
    ax.set(ylim=(-2.2, 2.2), title="sin, from its derivatives at 0 up to order 1, 5, 9 and 13")
    return figure


pictures("17_taylor", approximations)

# %% [markdown]
# ## Second derivatives of many numbers
#
# For a function of $n$ numbers there are $n^2$ second derivatives, the *Hessian* $H$ of shape
# $(n, n)$:
#
# $$H_{ij} = \frac{\partial^2 f}{\partial x_i\, \partial x_j}.$$

# %%
ask("hessian_size", ...)

# %% [markdown]
# ### The Hessian times a vector
#
# Often one only needs $H v$ for a vector $v$ of shape $(n,)$, and that is the gradient of one number,
# the product of gradient and $v$:
#
# $$(H v)_i = \sum_j \frac{\partial}{\partial x_i} \frac{\partial f}{\partial x_j} v_j
#   = \frac{\partial}{\partial x_i} \Big( \sum_j \frac{\partial f}{\partial x_j} v_j \Big).$$


# %%
def f(x):
    return np.sum(np.tanh(x) * np.roll(x, 1))  # each number meets its neighbour


def hessian_times(f, x, v):
    along = lambda x: np.sum(mg.grad(f)(x) * v)  # one number
    return mg.grad(along)(x)


x, v = rng.normal(size=(2, 30))
H = mg.hessian(f)(x).data  # (30, 30)
assert np.allclose(H, H.T)  # the order of the two derivatives does not matter
assert np.allclose(hessian_times(f, x, v), H @ v)
assert np.allclose(mg.hvp(f, x, v), H @ v)  # the library's

# %% [markdown]
# Here the product costs two to three times as much as the gradient. The whole Hessian needs one such
# product for each of its $n$ rows.
#
# ### The time that it takes (optional)
#
# We measure all three, for $f$ of 25 to 400 numbers.

# %%
timed = {"gradient": [], "Hessian times a vector": [], "Hessian": []}
lengths = [25, 50, 100, 200, 400]
for n in lengths:
    x, v = rng.normal(size=(2, n))
    todo = [lambda: mg.grad(f)(x), lambda: mg.hvp(f, x, v), lambda: mg.hessian(f)(x)]
    for name, compute in zip(timed, todo):
        best = math.inf
        for _ in range(3):
            start = time.perf_counter()
            compute()
            best = min(best, time.perf_counter() - start)
        timed[name].append(1000 * best)
for name, milliseconds in timed.items():
    print(f"{name:>22}: {np.round(milliseconds, 2)} ms")
assert timed["Hessian"][-1] > 10 * timed["Hessian times a vector"][-1]


# %%
def costs():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 3.6))
    for (name, milliseconds), colour in zip(timed.items(), (BLUE, GREEN, ORANGE)):
        ax.loglog(lengths, milliseconds, "o-", color=colour)
        ax.text(lengths[-1] * 1.1, milliseconds[-1], name, color=colour, va="center")
    ax.set(xlabel="numbers that $f$ depends on", ylabel="milliseconds", xlim=(20, 1800))
    ax.set_xticks(lengths, lengths)
    ax.minorticks_off()
    return figure


pictures("17_costs", costs)

# %% [markdown]
# ## Newton's method
#
# Gradient descent uses the slope alone: it steps downhill, by a length that we have to choose. With
# the second derivatives we can do better. Near $x$ a smooth function is almost a parabola. With the
# gradient $g$ of shape $(n,)$, and a small move $d$ (lesson 03 has it for one number):
#
# $$f(x + d) \approx f(x) + g^\mathsf{T} d + \tfrac12\, d^\mathsf{T} H d.$$
#
# (Along $x + t\,d$, $f$ is a function of the one number $t$. At $t = 0$, by the chain rule, its first
# derivative is $g^\mathsf{T} d = \sum_i g_i d_i$, and its second
# $d^\mathsf{T} H d = \sum_{ij} d_i H_{ij} d_j$.) The gradient of the right side with respect to $d$ is
# $g + H d$: each $d_i$ stands on both sides of $H$, which is symmetric, so the half goes. At the lowest
# point of the parabola it is zero, so $d = -H^{-1} g$ ($H^{-1}$, the inverse, undoes $H$:
# [mathematics](MATHEMATICS.md); $g$ and $d$ are columns here). *Newton's method* goes there at once:
#
# $$x \leftarrow x - H^{-1} g.$$
#
# Here is a long bent valley, the function of Rosenbrock (with 20 where he has 100), whose lowest
# point is $(1, 1)$:
#
# $$f(a, b) = (1 - a)^2 + 20\, (b - a^2)^2.$$


# %%
def valley(x):
    return (1 - x[0]) ** 2 + 20 * (x[1] - x[0] ** 2) ** 2


def newton(f, x, steps):
    path = [x]
    for _ in range(steps):
        x = x - np.linalg.solve(mg.hessian(f)(x).data, mg.grad(f)(x).data)  # H^-1 g, no inverse
        path.append(x)
    return np.array(path)  # (steps + 1, n)


def descent(f, x, steps, lr):
    path = [x]
    for _ in range(steps):
        x = x - lr * mg.grad(f)(x).data
        path.append(x)
    return np.array(path)


start = np.array([-1.2, 1.0])
paths = {
    "gradient descent": descent(valley, start, 400, lr=0.006),
    "Newton's method": newton(valley, start, 8),
}
for name, path in paths.items():
    print(f"{name}: after {len(path) - 1} steps {np.linalg.norm(path[-1] - 1):.1e} away")

errors = np.linalg.norm(paths["Newton's method"] - 1, axis=1)
print("Newton, step by step:", *(f"{error:.0e}" for error in errors))
assert errors[-1] < 1e-12 < 0.05 < np.linalg.norm(paths["gradient descent"][-1] - 1)
assert (errors[5:8] < errors[4:7] ** 2).all()  # at 0.5 and less, each step more than squares it


# %%
def down_the_valley():
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4), width_ratios=[1.5, 1])
    a, b = np.meshgrid(np.linspace(-1.7, 1.6, 200), np.linspace(-2.7, 2.2, 200))
    height = valley(np.stack([a, b]))
    left.contourf(a, b, np.log10(height + 1e-3), levels=24, cmap="Greys_r", alpha=0.7)
    for path, colour, mark in zip(paths.values(), (ORANGE, BLUE), (".", "o")):
        left.plot(*path.T, mark, ls="-", color=colour, lw=1.2, ms=3 if mark == "." else 6)
        gaps = np.maximum(np.linalg.norm(path - 1, axis=1), 1e-16)
        right.semilogy(gaps, mark, ls="-", color=colour, ms=3 if mark == "." else 5)
    for step, (u, w) in enumerate(paths["Newton's method"][:5]):
        left.annotate(step, (u, w), (6, 5), textcoords="offset points", color=BLUE)
    left.plot(1, 1, "*", color="black", ms=13)
    left.set(xlabel="$a$", ylabel="$b$", xlim=(-1.7, 1.6), ylim=(-2.7, 2.2))
    right.set(xscale="symlog", xlabel="steps", ylabel="distance from (1, 1)")
    right.set_xticks([0, 1, 10, 100, 400], ["0", "1", "10", "100", "400"])
    right.text(10, 1e-9, "Newton's method", color=BLUE)
    right.text(11, 20, "gradient descent", color=ORANGE)
    right.set_ylim(1e-17, 1e3)
    return figure


pictures("17_newton", down_the_valley)

# %% [markdown]
# The price is the Hessian, and a system of $n$ equations at every step. And far from a minimum the
# parabola fits badly: at first the errors above do not shrink, and one even grows. It may also open
# downwards in some direction, and have no lowest point, so that methods in use take more care. That is
# why networks are trained with slopes alone, and with what can be guessed from them.
#
# ### Why so fast? (optional)
#
# Take one number. At the minimum $x^*$ the slope $f'$ is 0, and $e = x - x^*$ is the error. What
# Newton's method leaves out is the term with $f'''$:
#
# $$0 = f'(x^*) \approx f'(x) - f''(x)\, e + \tfrac12\, f'''(x)\, e^2.$$
#
# Divide by $f''(x)$, and put $e - f'(x) / f''(x)$, the error after the step, on one side:
#
# $$e_\text{new} \approx \frac{f'''(x)}{2\, f''(x)}\, e^2.$$
#
# So a small error is squared, up to a factor: the number of right digits doubles. For
# $f(x) = \mathrm e^x - 2x$, with its minimum at $\ln 2$, both $f''$ and $f'''$ are $\mathrm e^x$.

# %%
ask("next_error", ...)

# %%
slope_at, bend_at = derivatives(lambda x: np.exp(x) - 2 * x, 2)[1:]
x = np.float64(1.5)
for step in range(1, 6):
    error = x - math.log(2)
    x = x - slope_at(x).item() / bend_at(x).item()
    new = x - math.log(2)
    print(
        f"step {step}: error {error:.1e} becomes {new:.1e}, {new / error**2:.3f} times its square"
    )
    if 1e-5 < error < 0.1:
        assert np.isclose(new / error**2, 0.5, atol=0.05)
assert abs(new) < 1e-14

# %% [markdown]
# ## Forwards, from two walks back
#
# A function of $n$ numbers with $m$ results has a matrix of derivatives, the *Jacobian* $J$, of shape
# $(m, n)$: a row for each result, a column for each argument. Let $u$ be the gradient of a loss
# with respect to the results $y = f(x)$. The walk back turns it into the gradient with respect to the
# arguments $x$. By the chain rule its number $j$ is $\sum_i u_i\, \partial y_i / \partial x_j$, which is
# number $j$ of $J^\mathsf{T} u$: a *vector-Jacobian product*,
#
#     y, back = mg.vjp(f, x)       # back(u) is J^T u
#
# The other product, $J v$, says how the results move when the arguments move along $v$. How do we get
# it, when all we can do is to walk back?
#
# Look at `back` as a function of $u$. It only multiplies: there is a matrix $A$, the same for all $u$,
# with $\mathrm{back}(u) = A u$.

# %%
ask("back_matrix", ...)

# %% [markdown]
# Such a function is *linear*, and its own Jacobian is $A$, at every $u$. So to walk back through it is
# to multiply by $A^\mathsf{T}$. Here $A = J^\mathsf{T}$, and $A^\mathsf{T} = J$: what we wanted.
#
# | function | takes | gives | is |
# |---|---|---|---|
# | $f$ | $x$, $n$ numbers | $m$ numbers | any function; its Jacobian is $J$ |
# | the walk back through $f$ | $u$, $m$ numbers | $n$ numbers | $J^\mathsf{T} u$ |
# | the walk back through that | $v$, $n$ numbers | $m$ numbers | $(J^\mathsf{T})^\mathsf{T} v = J v$ |


# %%
def forward_derivative(f, x, v):
    """J v, for f from (n,) to (m,), by two walks back."""
    y, back = mg.vjp(f, x)  # back(u) is the tuple (J^T u,), one gradient for each argument
    _, back_through_it = mg.vjp(lambda u: back(u)[0], np.zeros(y.shape))  # any u does: it is linear
    return back_through_it(v)[0].data


def swirl(x):
    """Points of the plane (2, ...), each turned about the origin, the further out the less."""
    radius = np.sqrt(np.sum(np.square(x), axis=0))
    angle = 1.6 * np.exp(-radius)
    turned = [
        x[0] * np.cos(angle) - x[1] * np.sin(angle), x[0] * np.sin(angle) + x[1] * np.cos(angle),
    ]  # fmt: skip
    return np.stack(turned)


x, v = np.array([0.7, -0.4]), np.array([1.0, 0.5])
h = 1e-6
print("two walks back:    ", forward_derivative(swirl, x, v))
print("finite differences:", (swirl(x + h * v) - swirl(x - h * v)) / (2 * h))
assert np.allclose(forward_derivative(swirl, x, v), (swirl(x + h * v) - swirl(x - h * v)) / (2 * h))
assert np.allclose(forward_derivative(swirl, x, v), mg.jacobian(swirl)(x).data @ v)
assert np.allclose(forward_derivative(swirl, x, v), mg.jvp(swirl, x, v)[1])  # the library's


# %%
def carried_along():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), sharex=True, sharey=True)
    fine, coarse = np.linspace(-2, 2, 120), np.linspace(-2, 2, 9)
    for ax, g in ((axes[0], lambda p: p), (axes[1], swirl)):
        for c in coarse:
            ax.plot(*g(np.stack([fine, np.full(120, c)])), color=GREY, lw=0.7)
            ax.plot(*g(np.stack([np.full(120, c), fine])), color=GREY, lw=0.7)
    for a, b in itertools.product(coarse[1:-1:2], coarse[1:-1:2]):
        for direction, colour in (((0.4, 0.0), ORANGE), ((0.0, 0.4), BLUE)):
            p, d = np.array([a, b]), np.array(direction)
            arrow = {"color": colour, "width": 0.035, "length_includes_head": True, "zorder": 3}
            axes[0].arrow(*p, *d, **arrow)
            axes[1].arrow(*swirl(p), *forward_derivative(swirl, p, d), **arrow)
    axes[0].set(title="arguments, and small moves $v$", aspect="equal")
    axes[1].set(title="results, and how they move: $J v$", aspect="equal")
    for ax in axes:
        ax.axis("off")
    return figure


pictures("17_forwards", carried_along)

# %% [markdown]
# Each arrow on the right lies along the curve that its grid line has become.
#
# ## Which way, and what it keeps
#
# One walk back with $u = (0, \dots, 1, \dots, 0)$ gives one row of the Jacobian, and one product $J v$
# with such a $v$ gives one column.

# %%
ask("walks", ...)

# %%
draws = np.random.default_rng(1)
tall, x = draws.normal(size=(1000, 3)), draws.normal(size=3)
f = lambda x: np.sin(tall @ x)  # from (3,) to (1000,)
y, back = mg.vjp(f, x)
by_rows = np.stack([back(u)[0].data for u in np.eye(1000)])  # (1000, 3), a walk back for each row
by_columns = np.stack([forward_derivative(f, x, v) for v in np.eye(3)], axis=1)  # (1000, 3)
assert np.allclose(by_rows, by_columns)
assert np.allclose(by_rows, np.cos(tall @ x)[:, None] * tall)  # by hand

# %% [markdown]
# A loss has one result, $m = 1$, and a million arguments: one walk back gives its whole gradient, where
# a million walks forward would be needed. That is why training walks back.
#
# ### The price of walking back
#
# Our engine gets $J v$ from two walks back. One can also compute it *forwards*, together with the
# values: beside each value $y$ carry its derivative $\dot y$ along $v$ (*forward mode*; the walk back
# is *reverse mode*). For $y = \sin(x)$ that is $\dot y = \cos(x)\, \dot x$. Take a chain of sines,
# $y = \sin(\sin(\dots \sin(x)))$, with 100,000 numbers at each step. How much memory does either way
# need when the chain grows twice as long?

# %%
ask("memory", ...)


# %%
def sines(x, steps):
    for _ in range(steps):
        x = np.sin(x)
    return x


def backwards(x, steps):
    _, back = mg.vjp(lambda x: sines(x, steps), x)
    return back(np.ones_like(x))[0].data


def forwards(x, steps):
    dot = np.ones_like(x)
    for _ in range(steps):
        x, dot = np.sin(x), np.cos(x) * dot  # the values before are forgotten
    return dot


x = draws.normal(size=100_000)  # 0.8 megabytes
peaks = {}
for way in (backwards, forwards):
    for steps in (20, 40):
        tracemalloc.start()
        way(x, steps)
        peaks[way.__name__, steps] = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
for (name, steps), megabytes in peaks.items():
    print(f"{name:>9}, {steps} steps: {megabytes:5.1f} megabytes at most")
assert np.allclose(backwards(x, 20), forwards(x, 20))
assert 1.7 < peaks["backwards", 40] / peaks["backwards", 20] < 2.3
assert peaks["forwards", 40] < 1.1 * peaks["forwards", 20]

# %% [markdown]
# The walk back meets the last step first. So all values that its rules need must be kept until then:
# for each sine its $x$, because of $\cos(x)$. Forwards, each value is used at once and forgotten. That
# is why training needs far more memory than use.
#
# | for a Jacobian of shape $(m, n)$ | gives | walks for all of it | keeps |
# |---|---|---|---|
# | back, $J^\mathsf{T} u$ | a row | $m$ | what the rules need, of every step |
# | forwards, $J v$ | a column | $n$ | the present step only |
#
# ### Recomputation (optional)
#
# Long chains can keep a few values only, and compute the others again when the walk comes there:
# *recomputation*, or *checkpointing* (Chen et al., 2016). Of a chain of $n$ steps keep every $k$-th
# value. Then walk back, one piece after the other, the last one first: compute its $k$ values again
# from the one that was kept, walk back through them, and forget them. At most $n / k + k$ values are
# there at a time. Its derivative by $k$ is $-n / k^2 + 1$, and 0 at $k = \sqrt n$: so of 36 steps keep
# every sixth, and $6 + 6$ values are enough in place of 36, and the few that the present step works
# with. The price is one more pass forward.


# %%
def in_pieces(x, steps, k):
    """The derivative that `backwards` gives, with every k-th value kept."""
    kept = [x]
    while len(kept) < steps // k:
        kept.append(sines(kept[-1], k))
    g = np.ones_like(x)
    while kept:
        _, back = mg.vjp(lambda x: sines(x, k), kept.pop())
        g = back(g)[0].data
        del back  # and with it the values of this piece
    return g


at_most = {}
for k in (2, 6, 18, 36):  # with 36, all in one piece
    tracemalloc.start()
    result = in_pieces(x, 36, k)
    at_most[k] = tracemalloc.get_traced_memory()[1] / x.nbytes
    tracemalloc.stop()
    print(f"every {k:>2}th value kept: {at_most[k]:4.1f} arrays at most; n / k + k = {36 // k + k}")
    assert np.allclose(result, forwards(x, 36))
assert min(at_most, key=at_most.get) == 6

# %% [markdown]
# ## A gradient in the loss
#
# Last, a network that is punished for being steep. Twelve noisy points of a smooth curve; a network
# large enough to go through all of them with their noise. The *gradient penalty* is the mean square of
# its slope at $m = 101$ points $z_j$ among them, times a number $\lambda$ that we choose:
#
# $$L = \frac{1}{12} \sum_i (f(x_i) - y_i)^2 + \lambda \cdot \frac{1}{m} \sum_j f'(z_j)^2.$$
#
# The slope $f'$ is itself a result of a walk back, so training walks back over that. In the code
# it is one line. (Each $f(z_j)$ depends on $z_j$ alone, so that the gradient of their sum has all
# the slopes.)

# %%
points = np.linspace(-1, 1, 12)[:, None]  # (12, 1)
curve = lambda x: np.sin(3 * x)
noisy = curve(points) + rng.normal(0, 0.3, size=points.shape)
between = np.linspace(-1, 1, 101)[:, None]  # (101, 1)


def fitted(penalty, steps=800):
    mg.manual_seed(0)
    net = mg.nn.Sequential(
        mg.nn.Linear(1, 32), lambda x: np.tanh(3 * x), mg.nn.Linear(32, 32), np.tanh,
        mg.nn.Linear(32, 1),
    )  # fmt: skip
    net.astype(np.float64)
    slopes = mg.grad(lambda x: np.sum(net(x)))  # (101, 1) -> (101, 1)
    optimizer = mg.optim.Adam(net.parameters(), lr=5e-3)
    for _ in range(steps):
        loss = mse_loss(net(points), noisy)
        if penalty:
            loss = loss + penalty * np.mean(np.square(slopes(between)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net(between).data, slopes(between).data


fits = {penalty: fitted(penalty) for penalty in (0, 0.02)}
for penalty, (values, slope) in fits.items():
    off = np.sqrt(np.mean(np.square(values - curve(between))))
    print(f"penalty {penalty}: steepest {np.abs(slope).max():.1f}, {off:.2f} off the curve")
off = [np.sqrt(np.mean(np.square(values - curve(between)))) for values, _ in fits.values()]
assert off[1] < 0.75 * off[0]
assert np.abs(fits[0.02][1]).max() < np.abs(fits[0][1]).max() / 2


# %%
def two_fits():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.5), sharey=True)
    for ax, (penalty, (values, _)), colour in zip(axes, fits.items(), (ORANGE, BLUE)):
        ax.plot(between, curve(between), color="black", lw=5, alpha=0.15)
        ax.plot(between, values, color=colour, lw=2)
        ax.plot(points, noisy, "o", color="black", ms=6)
        ax.set_title("with the gradient penalty" if penalty else "without")
        ax.set(xlabel="$x$", ylim=(-2.2, 2.2))
    return figure


pictures("17_penalty", two_fits)

# %% [markdown]
# The wide grey line is the curve without noise. The network never saw it. (With 32 other draws of
# the noise, the network with the penalty came nearer to the curve in 28.)
#
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_third", ...)

# %%
ask("end_newton", ...)

# %%
ask("end_product", ...)

# %% [markdown]
# To write yourself: `hessian_times`, `newton_step` and `forward_derivative`
# (`python -m minigrad exercises check 17`).
#
# Most of it, from one derivative to a transformer, runs on the table of derivatives in
# `minigrad/engine/rules.py`; you can now read it from top to bottom. The other derivatives are in
# `minigrad/definitions` and `minigrad/functional`.
#
# Next: `18_many_workers.py`, where many share the work of one gradient.

# %%
print(pictures)
