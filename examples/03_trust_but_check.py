# %% [markdown]
# # 03 Trust, but check
#
# *How to find out that a gradient is wrong. About 4 seconds.*
#
# A rule with a mistake in it raises no error. The gradient is wrong, and the model learns badly, or
# nearly well. This lesson finds such mistakes with nothing more than a subtraction and a division.
#
# After it you can
#
# - estimate a derivative from values alone, and say how wrong the estimate is;
# - choose the step for it, and say why it takes float64;
# - check a rule of yours with `mg.gradcheck`, and read what it finds;
# - say which inputs would let a mistake through, and keep a check away from a kink.

# %%
import numpy as np

import minigrad as mg
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.views.plots import BLUE, GREY, ORANGE

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("03")
rng = np.random.default_rng(0)

# %% [markdown]
# ## Nudge to both sides
#
# How far off is the nudging of lesson 01? Take $f(x) = x^3$ and multiply out:
#
# $$f(x + h) = (x + h)^3 = x^3 + h \cdot 3x^2 + h^2 \cdot 3x + h^3.$$
#
# First comes $f(x)$ itself, then $h$ times the derivative $3x^2$. The rest tells how the curve bends:
# $3x$ is half of $6x$, which is the derivative of the derivative, $f''(x)$. And 1 is a sixth of 6,
# the third derivative, $f'''(x)$. *Taylor's formula* says that it is so for every smooth function,
# only that then more terms follow, with higher powers of $h$:
#
# $$f(x \pm h) = f(x) \pm h f'(x) + \frac{h^2}{2} f''(x) \pm \frac{h^3}{6} f'''(x) + \dots$$
#
# (Read all upper signs, or all lower ones.) Put that into the difference to one side, and into the one
# to both sides, the *central difference*:
#
# $$\frac{f(x + h) - f(x)}{h} = f'(x) + \frac{h}{2} f''(x) + \dots$$
#
# $$\frac{f(x + h) - f(x - h)}{2h} = f'(x) + \frac{h^2}{6} f'''(x) + \dots$$
#
# To both sides the terms with $f''$ cancel. What is left beside $f'(x)$ is the error. It comes from
# cutting off the formula, and is called *truncation*. We try it on $f(x) = e^x$, as all derivatives of
# $e^x$ are $e^x$ again.

# %%
ask("ten_times", ...)


# %%
def one_sided(f, x, h):
    return (f(x + h) - f(x)) / h


def central(f, x, h):
    above, below = x + h, x - h
    return (f(above) - f(below)) / (above - below)  # the step that was taken: x + h is rounded


x, exact = 0.5, np.exp(0.5)
for h in (0.1, 0.01, 0.001):
    one, both = one_sided(np.exp, x, h) - exact, central(np.exp, x, h) - exact
    print(f"h = {h:<5}  one-sided off by {one:.2e}, central by {both:.2e}")
    assert np.isclose(one, h / 2 * exact, rtol=0.05)
    assert np.isclose(both, h**2 / 6 * exact, rtol=0.01)

# %% [markdown]
# ## Not too small
#
# Then the smaller $h$, the better? A computer keeps only so many digits of a number: about 16 in
# *float64*, which is what NumPy uses, and 7 in *float32*, which needs half the memory and is what
# networks use. Here are central differences of $e^x$ in float64, with four steps.

# %%
ask("best_of_four", ...)

# %%
for step in (0.1, 1e-5, 1e-10, 1e-15):
    print(f"h = {step:<7}  off by {abs(central(np.exp, x, step) - exact):.0e}")

# %% [markdown]
# With the smallest step only the first digits are right. Why? $f(x + h)$ is rounded to the digits
# that there are, and so is off by up to about $\varepsilon |f(x)|$. Here $\varepsilon$ is the
# distance from 1 to the next number that the computer knows: $2.2 \cdot 10^{-16}$ in float64 and
# $1.2 \cdot 10^{-7}$ in float32. When two nearly equal numbers are subtracted, their leading digits
# cancel, and this error is left. The division by $2h$ then makes it large. This part of the error is
# called *rounding*. It grows as $h$ shrinks. Both parts together:
#
# $$\text{error}(h) \approx \underbrace{\frac{h^2}{6} |f'''|}_{\text{truncation}} +
#   \underbrace{\frac{\varepsilon}{h} |f|}_{\text{rounding, at most}}.$$
#
# The best step is where this is least, and there its derivative with respect to $h$ is 0:
#
# $$\frac{h}{3} |f'''| - \frac{\varepsilon}{h^2} |f| = 0, \qquad \text{so} \qquad
#   h^3 = 3\, \varepsilon \left| \frac{f}{f'''} \right|.$$
#
# For $e^x$, where $f''' = f$, the best step is the cube root of $3\varepsilon$. Now measure it: with
# steps from 1/2 down, each half of the one before, at 500 places between 0 and 1. (In the code
# `np.finfo(dtype).eps` is $\varepsilon$. In the picture both axes
# [count powers of ten](MATHEMATICS.md#axes-that-count-powers-of-ten).)


# %%
def errors(dtype):
    """Return the steps, and for each the typical error of the central difference of exp."""
    x = np.linspace(0, 1, 500, dtype=dtype)
    smallest = int(-np.log2(np.finfo(dtype).eps)) - 2
    h = 2.0 ** -np.arange(1, smallest)
    off = [central(np.exp, x, dtype(step)) - np.exp(x.astype(np.float64)) for step in h]
    return h, np.sqrt(np.mean(np.square(off), axis=1))


measured = {dtype: errors(dtype) for dtype in (np.float32, np.float64)}
best = {}
for dtype, (h, error) in measured.items():
    best[dtype] = h[error.argmin()], error.min()
    expected = (3 * np.finfo(dtype).eps) ** (1 / 3)  # as all derivatives of exp are exp
    print(
        f"{dtype.__name__}: best step {best[dtype][0]:.1e}, by the formula {expected:.1e};", end=" "
    )
    print(f"then off by {best[dtype][1]:.1e}")
    assert expected / 8 < best[dtype][0] < expected * 8


# %%
def v_curves():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 4.6))
    everywhere = 2.0 ** -np.arange(1, 50)
    ax.loglog(everywhere, everywhere**2 / 6 * 1.8, "--", color=GREY, lw=1)  # 1.8: a typical e^x
    ax.text(2e-2, 8e-6, "truncation $\\sim h^2$", color=GREY)
    colours = {np.float32: ORANGE, np.float64: BLUE}
    for dtype, (h, error) in measured.items():
        colour, eps = colours[dtype], np.finfo(dtype).eps
        ax.loglog(h, eps / h / 3, "--", color=GREY, lw=1)  # as measured; at most it is 1.8 eps / h
        ax.loglog(h, error, "o-", ms=3.5, color=colour)
        step, least = best[dtype]
        ax.plot(step, least, "o", ms=11, mfc="none", mec=colour)
        label = f"{dtype.__name__}: {least:.0e} at best"
        ax.text(step / 3, least / 2, label, color=colour, ha="right")
    ax.text(1e-12, 1e-7, "rounding $\\sim 1/h$", color=GREY, ha="right")
    ax.set(xlabel="step $h$", ylabel="error of the central difference", ylim=(1e-13, 3))
    return figure


pictures("03_v_curves", v_curves)

# %% [markdown]
# The formula says $9 \cdot 10^{-6}$ in float64 and $7 \cdot 10^{-3}$ in float32. The measured best
# steps are about half of that: rounding is mostly smaller than the largest possible one, so the best
# step is smaller, too. Even the best step leaves only about five right digits in float32, and eleven
# in float64. So gradients are checked in float64, with a step between $10^{-6}$ and $10^{-5}$, even
# if the model computes in float32 later.
#
# ### The slopes of the V (optional)
#
# Both axes count powers of ten: what is drawn is $\log h$ and the logarithm of the error. As
# $\log h^2 = 2 \log h$, $h^2$ is a line of slope 2, and $1/h$ one of slope $-1$. To the right
# the slope should be 2, from truncation, and to the left $-1$, from rounding. It is:


# %%
def steepness(dtype, largest, smallest):
    """Fit a line to the curve between these two steps; return its slope."""
    h, error = measured[dtype]
    part = (h <= largest) & (h >= smallest)
    return np.polyfit(np.log(h[part]), np.log(error[part]), 1)[0]


print(f"float64: {steepness(np.float64, 1e-1, 1e-4):.3f} to the right,", end=" ")
print(f"{steepness(np.float64, 1e-7, 1e-14):.3f} to the left")
assert abs(steepness(np.float64, 1e-1, 1e-4) - 2) < 0.02
assert abs(steepness(np.float32, 3e-1, 2e-2) - 2) < 0.05
assert abs(steepness(np.float64, 1e-7, 1e-14) + 1) < 0.05
assert abs(steepness(np.float32, 1e-3, 1e-6) + 1) < 0.1

# %% [markdown]
# ## Every element of every input
#
# For a function of arrays, nudge one element at a time. This is the whole of a gradient checker. (The
# function to try it on has `np.tanh` in it, a curve that climbs from -1 to 1; any other would do.)


# %%
def differences(f, x, h=1e-6):
    """Find the gradient of the number f(x), for an array x in float64, by central differences."""
    found = np.empty_like(x)
    for index in np.ndindex(x.shape):
        nudge = np.zeros_like(x)
        nudge[index] = h
        found[index] = (f(x + nudge) - f(x - nudge)) / (2 * h)
    return found


f = lambda x: np.sum(np.tanh(x) * x)
x = mg.Tensor(rng.normal(size=(2, 3)), requires_grad=True)
f(x).backward()
print("by the walk:")
print(x.grad.numpy())
print("by differences:")
print(differences(f, x.data))
assert np.allclose(x.grad, differences(f, x.data), atol=1e-8)

# %% [markdown]
# The walk back finds all derivatives at once, but this function evaluates $f$ again and again for each
# element. That is good for a check, and much too slow to train. `mg.gradcheck` does the same for every
# input, with more care, and says how close the two came, as a share of what it tolerates. *Analytic* is
# what the rules say, and *finite differences* is what the nudges say: central differences, with a step
# of a fixed size, which does not shrink to nothing.

# %%
report = mg.gradcheck(f, rng.normal(size=(2, 3)))
print(report)
assert report.ok

# %% [markdown]
# *Order 1* are the derivatives of lesson 01 (a derivative of a derivative has order 2). *Tolerated* is
# a difference of about a millionth of the slope. That is generous: truncation and rounding make some
# 1e-10 of $f$, but $f$ may be a sum that is much larger than one slope. Less than 1 times what is
# tolerated is right. What is wrong is mostly off by thousands of times as much.

# %% [markdown]
# ## A planted bug
#
# `mg.rule` gives a function of yours its rules, one for each argument: from `g`, the gradient that
# arrives, the result `y` and the arguments, each computes the gradient of one argument. Here is a
# matrix product. Its author tried it on square matrices. The shapes were right, and there was no error.
# (Its result is a matrix, and no single number. `gradcheck` makes one number of it: each element times a
# random weight, summed. These weights are the `g` that arrives.)

# %%
product = mg.rule(
    lambda a, b: a @ b,
    lambda g, y, a, b: g @ b,
    lambda g, y, a, b: a.T @ g,
)

A, B = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
try:
    mg.gradcheck(product, A, B)
except mg.errors.GradcheckError as problem:
    found = problem
    print(found)
assert "transpose" in str(found)

# %% [markdown]
# The report names the argument, the element that is furthest off with both numbers, and what the
# mistake looks like: with `b` transposed, it would be right. By lesson 02 it should be `g @ b.T`.
#
# Many mistakes can be seen. Draw each element of the gradient as a dot: how far to the right is what it
# should be, how far up is what the rule says. Right ones lie on the diagonal, the line through zero
# with slope 1.

# %%
ask("where_dots", ...)

# %% [markdown]
# With `raise_on_failure=False`, `gradcheck` returns its report instead of raising an error.

# %%
variants = {
    "g @ b.T": lambda g, y, a, b: g @ b.T,
    "2 * g @ b.T": lambda g, y, a, b: 2 * g @ b.T,
    "-g @ b.T": lambda g, y, a, b: -g @ b.T,
    "g @ b": lambda g, y, a, b: g @ b,
}
A, B = rng.normal(size=(7, 7)), rng.normal(size=(7, 7))
reports = {}
for text, rule in variants.items():
    variant = mg.rule(lambda a, b: a @ b, rule, lambda g, y, a, b: a.T @ g)
    reports[text] = mg.gradcheck(variant, A, B, raise_on_failure=False)
kinds = [[finding.kind for finding in report.findings] for report in reports.values()]
print("what is found:", dict(zip(reports, kinds)))
assert kinds == [[], ["factor"], ["sign"], ["transpose"]]


# %%
def faces():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(10, 3.1), sharex=True, sharey=True)
    for ax, (text, report) in zip(axes, reports.items()):
        gradient = report.inputs[0]
        size = 1.1 * np.abs(gradient.numeric).max()
        ax.plot([-size, size], [-size, size], color=GREY, lw=1)
        colour = BLUE if report.ok else ORANGE
        ax.scatter(gradient.numeric, gradient.analytic, s=16, color=colour)
        kind = report.findings[0].kind if report.findings else "right"
        ax.set_title(f"{text}\n{kind}", size=11)
        ax.set_xlabel("what it should be")
    axes[0].set_ylabel("what the rule says")
    return figure


pictures("03_faces", faces)

# %% [markdown]
# ## What lets a mistake through
#
# A check is only as good as its inputs. Check the planted bug, `g @ b` in place of `g @ b.T`, again.
# But now let $B$ be the *identity*, the matrix with ones on its diagonal and zeros elsewhere.

# %%
ask("identity", ...)

# %%
print(mg.gradcheck(product, A, np.eye(7), raise_on_failure=False))

# %% [markdown]
# Here are three ways to miss this bug, or one like it:
#
# - **An input that is too regular.** The identity is its own transpose. Take random numbers, and
#   lengths that differ.
# - **A few elements only.** If the rule is wrong for one element alone, such as the last, a look at any
#   other finds nothing. `gradcheck` looks at all.
# - **A sum at the end, with equal weights.** The *softmax* takes $e^x$ of each number of a row, and
#   divides by their sum, so that the row sums to 1, whatever goes in. (Attention uses it. Its rule is
#   derived in lesson 08; here we need not know why it is right, only that a factor in it is not.) So
#   the gradient of the sum of all is 0, and a rule that is wrong by any factor still says 0.
#   `gradcheck` multiplies every element of the result by another random weight before it sums.

# %%
assert mg.gradcheck(product, A, np.eye(7)).ok  # the planted bug goes through

corner = np.ones((7, 7))
corner[6, 6] = 2  # twice too much, in one of 49
doubled = mg.rule(lambda a: a + 0, lambda g, y, a: g * corner)
report = mg.gradcheck(doubled, A, raise_on_failure=False)
right = np.isclose(report.inputs[0].analytic, report.inputs[0].numeric)
print(f"right: {right.sum()} of {right.size} elements")
assert not report.ok
assert right.sum() == 48


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))  # less the largest: e^1000 would be too large
    return e / np.sum(e, axis=-1, keepdims=True)


softmax = mg.rule(
    softmax, lambda g, y, x: y * (g - np.sum(g * y, axis=-1, keepdims=True)) / x.shape[0]
)

x = rng.normal(size=(4, 3))
assert mg.gradcheck(lambda x: np.sum(softmax(x)), x).ok  # this one too
report = mg.gradcheck(softmax, x, raise_on_failure=False)
print(report)
assert [finding.kind for finding in report.findings] == ["factor"]

# %% [markdown]
# Its author had divided by the number of rows, for a loss that is a mean over them. That division
# belongs to the mean, not to the softmax. The report even says where the 4 may come from.

# %% [markdown]
# ## Kinks
#
# $\mathrm{relu}(x) = \max(x, 0)$, which networks use everywhere, has a corner at 0, a *kink*. Its slope
# is 0 to the left and 1 to the right. At 0 there is no derivative, but a program must say something:
# minigrad says 0, as PyTorch does. (Its choices at kinks are listed in
# `minigrad/definitions/__init__.py`.) What does the central difference say?

# %%
ask("at_the_kink", ...)

# %%
relu = mg.functional.relu
for h in (0.1, 0.001, 1e-6):
    print(f"h = {h:<6} central difference of relu at 0: {central(relu, 0.0, h)}")

report = mg.gradcheck(lambda x: np.sum(relu(x)), np.array([-1.0, 0.0, 2.0]), raise_on_failure=False)
print(report)
assert [finding.kind for finding in report.findings] == ["kink"]

# %% [markdown]
# Neither is wrong, although the report begins with WRONG. The two points of the difference lie on both
# sides of the kink, and the finding *kink* at the end of the report says so. With a step of $10^{-6}$,
# random numbers hardly ever lie so close to a kink. But round numbers do, and zeros, and in a maximum
# *ties*, which is to say equal numbers. To keep a check away from kinks:
#
# - **Choose the inputs.** Move random numbers away from 0. For a maximum, take numbers that all differ,
#   such as a random order of 0, 1, 2 ...
# - **Look at what reaches the kink.** In a network this is not an input but a computed value. Measure
#   how close it comes, and where it is closer than a hundred steps (a step can grow on its way), draw
#   other numbers.

# %%
away = rng.normal(size=(3, 4))
away += 0.1 * np.sign(away)  # none is closer to 0 than 0.1
assert mg.gradcheck(relu, away).ok

ties = np.array([[2.0, 2.0, 2.0], [0.0, 3.0, 1.0]])
different = rng.permutation(np.arange(6.0)).reshape(2, 3)
largest = lambda x: np.max(x, axis=1)
for numbers in (ties, different):
    report = mg.gradcheck(largest, numbers, raise_on_failure=False)
    told = "right" if report.ok else report.findings[0].kind
    print(f"the largest of each row of {numbers.tolist()}: {told}")

x, W = rng.normal(size=(5, 4)), rng.normal(size=(4, 3))
print(f"what reaches relu comes as close to 0 as {np.abs(x @ W).min():.3f}; the step is 0.000001")
assert np.abs(x @ W).min() > 1e-4
assert mg.gradcheck(lambda x, W: relu(x @ W), x, W).ok

# %% [markdown]
# ## How far a kink reaches (optional)
#
# A central difference feels the kink wherever its two points lie on both sides of it:
#
# $$\frac{\mathrm{relu}(x + h) - \mathrm{relu}(x - h)}{2h} = \frac{x + h}{2h}
#   \qquad \text{for } -h \le x \le h.$$
#
# Between $-h$ and $h$ it climbs from 0 to 1. With a step as large as $h = 1/2$ that can be seen.

# %%
h = 0.5
places = np.linspace(-1.5, 1.5, 301)
by_differences = central(relu, places, h)
x = mg.Tensor(places, requires_grad=True)
relu(x).backward(np.ones_like(places))
by_the_walk = x.grad.numpy()

near = np.abs(places) < h
assert np.allclose(by_differences[near], (places[near] + h) / (2 * h))
assert np.allclose(by_differences[~near], by_the_walk[~near])


# %%
def kink():
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), sharex=True)
    left.plot(places, relu(places), color="black")
    left.plot([-h, h], [0, h], "o-", color=ORANGE)
    left.text(-0.1, 0.5, "slope 1/2", color=ORANGE, ha="right")
    left.set(title="relu, and a central difference at 0", xlabel="$x$")
    right.axvspan(-h, h, color=GREY, alpha=0.12, lw=0)
    right.text(0, 1.03, "$2h$", ha="center", color=GREY)
    for part in (places <= 0, places > 0):
        right.plot(places[part], by_the_walk[part], color=BLUE, lw=2)
    right.plot(places, by_differences, "--", color=ORANGE)
    right.text(0.6, 0.88, "the walk", color=BLUE)
    right.text(-0.45, 0.45, "differences", color=ORANGE, ha="right")
    right.set(title="its slope: two answers near the kink", xlabel="$x$", ylim=(-0.1, 1.15))
    return figure


pictures("03_kink", kink)

# %% [markdown]
# ## Step through it
#
# A central difference is a computation like any other, and so it has an interactive page. It shows the
# error at $x = 0.5$ with $h = 0.1$. Make $h$ ten times smaller, again and again: the error falls to a
# hundredth each time, until rounding takes over. Where is that? (If you read this in a browser,
# [the interactive page is here](out/03_steps.html).)

# %%
x = mg.Tensor(np.array(0.5), requires_grad=True)  # arrays stay float64
h = mg.Tensor(np.array(0.1), requires_grad=True)
with mg.record():
    slope = (np.exp(x + h) - np.exp(x - h)) / (2 * h)
    error = slope - np.exp(x)
print(f"the error with h = {h.item()}: {error.item():.2e}")
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(error, pictures.folder / "03_steps.html", title="A central difference of exp")
print("open in a browser:", page)

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_differences", ...)

# %%
ask("end_beside_the_kink", ...)

# %%
ask("end_evaluations", ...)

# %% [markdown]
# Every rule of minigrad is checked in this way by its tests, and so is every part of the transformer.
#
# To write yourself: `numerical_gradient` and `gradients_agree`
# (`python -m minigrad exercises check 03`).
#
# Next: `03b_a_network_in_five_minutes.py`. You can find derivatives, and check them. What learns by
# them?

# %%
print(pictures)
