# %% [markdown]
# # 08 Scaled dot-product attention
#
# *One query, then all: scores, scaling, softmax, and what they are as geometry. About 6 seconds.*
#
# This is the part that all transformers share. It is short: two products of matrices, a division,
# and a softmax. This lesson writes it for one query and for all, and asks of each piece why it is
# there.
#
# After it you can
#
# - write attention from its formula, for one query and for all, with every shape;
# - say why scores are divided by the square root of their width, and measure what happens without;
# - recognise the same formula in the two ways in which it is printed;
# - say in which sense attention is a projection, and what it does to points when repeated.
#
# As before, name another folder for the pictures after the file's name, or in the next cell.

# %%
import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import sigmoid, softmax, softplus
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, PURPLE, shades, vectors

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("08")
rng = np.random.default_rng(0)

# %% [markdown]
# ## Three spaces
#
# Words come as vectors in one space, the *input space*. To be compared they are mapped into
# another, the *attention space*: twice, as what a word asks for, its *query*, and as what it can be
# asked for, its *key*. What a word has to give, its *value*, lies in a third, the *output space*.
# Each map is a matrix and a vector, all of them learned:
#
# $$q = W_q\, e + b_q, \qquad k_t = W_k\, e_t + b_k, \qquad v_t = W_v\, e_t + b_v.$$
#
# Here $e$ is the word that asks, of shape $(C_x,)$, and $e_1, \dots, e_S$ the words that it may
# look at, the *context*, each of $(C_z,)$. $W_q$ is $(K, C_x)$, $W_k$ is $(K, C_z)$ and $W_v$ is
# $(V, C_z)$. So the attention space has $K$ dimensions (a paper may call this number
# $d_{\mathrm{attn}}$ or $d_k$), the output space $V$. Then
#
# $$s_t = \frac{q \cdot k_t}{\sqrt K}, \qquad
#   \alpha = \mathrm{softmax}(s), \qquad
#   \tilde v = \sum_{t=1}^{S} \alpha_t\, v_t .$$
#
# This is algorithm 3 of Phuong & Hutter. All sizes are different here, so that no shape fits by
# chance:

# %%
T, S, C_x, C_z, K, V = 3, 5, 4, 6, 2, 7
W_q, b_q = rng.normal(size=(K, C_x)) / 2, rng.normal(size=K) / 2
W_k, b_k = rng.normal(size=(K, C_z)) / 2, rng.normal(size=K) / 2
W_v, b_v = rng.normal(size=(V, C_z)) / 2, rng.normal(size=V) / 2
asking = rng.normal(size=(T, C_x))  # T words that ask, one a row
context = rng.normal(size=(S, C_z))  # S words that may be looked at


def one_query(e, context):
    q = W_q @ e + b_q  # (K,)
    k = [W_k @ e_t + b_k for e_t in context]  # S times (K,)
    s = np.array([q @ k_t for k_t in k]) / np.sqrt(K)  # (S,)
    alpha = np.exp(s) / np.exp(s).sum()  # (S,)
    return sum(a * (W_v @ e_t + b_v) for a, e_t in zip(alpha, context)), alpha  # (V,), (S,)


output, alpha = one_query(asking[0], context)
print("weights:", alpha.round(3), "sum", alpha.sum().round(12))
assert output.shape == (V,)
assert alpha.shape == (S,)

# %% [markdown]
# ## All queries at once
#
# Put the vectors side by side as the columns of matrices, $X$ of shape $(C_x, T)$ and $Z$ of
# $(C_z, S)$. Then all queries, keys, values and scores are products of matrices (algorithm 4; the
# softmax works on each column):
#
# $$Q = W_q X + b_q, \quad K = W_k Z + b_k, \quad V = W_v Z + b_v, \qquad
#   \tilde V = V\, \mathrm{softmax}\!\left(\frac{K^\mathsf{T} Q}{\sqrt{d_k}}\right).$$
#
# (The letters $K$ and $V$ are used twice: for the matrices, and for their heights. It is so in the
# papers.)


# %%
def in_columns(X, Z):
    queries = W_q @ X + b_q[:, None]  # (K, T)
    keys = W_k @ Z + b_k[:, None]  # (K, S)
    values = W_v @ Z + b_v[:, None]  # (V, S)
    weights = softmax(keys.T @ queries / np.sqrt(K), axis=0)  # (S, T)
    return values @ weights, weights  # (V, T)


columns, weights_in_columns = in_columns(asking.T, context.T)
for t in range(T):
    output, alpha = one_query(asking[t], context)
    assert np.allclose(columns[:, t], output)
    assert np.allclose(weights_in_columns[:, t], alpha)

# %% [markdown]
# Others, among them Vaswani et al. and this project, write a vector as a row. Then everything is
# turned over, $(A B)^\mathsf{T} = B^\mathsf{T} A^\mathsf{T}$: matrices multiply from the right, and
# the softmax works along the rows,
#
# $$Q = X W_Q + b_q, \qquad K = Z W_K + b_k, \qquad V = Z W_V + b_v, \qquad
#   \mathrm{attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\mathsf{T}}{\sqrt{d_k}}\right) V .$$
#
# Nothing else changes. All that one printing has is the transpose of what the other has:

# %%
queries = asking @ W_q.T + b_q  # (T, K)
keys = context @ W_k.T + b_k  # (S, K)
values = context @ W_v.T + b_v  # (S, V)
scores = queries @ keys.T / np.sqrt(K)  # (T, S): row = query, column = key
weights = softmax(scores)  # (T, S)
rows = weights @ values  # (T, V)
assert np.allclose(rows, columns.T)
assert np.allclose(weights, weights_in_columns.T)

by_library, its_weights = mt.attention(queries, keys, values)
assert np.allclose(by_library, rows)
assert np.allclose(its_weights, weights)
assert np.allclose(mt.single_query(queries[0], keys, values)[0], rows[0])

# %% [markdown]
# Queries and context had different widths and lengths. Only this must fit: queries and keys are
# equally wide; there are as many values as keys; and the output has the length of the queries and
# the width of the values.

# %%
assert queries.shape[1] == keys.shape[1] == K
assert len(keys) == len(values) == S
assert rows.shape == (T, V)


def refusal(*given):
    try:
        mt.attention(*given)
    except mg.errors.ShapeError as problem:
        return str(problem)


narrower, fewer = refusal(queries, keys[:, :1], values), refusal(queries, keys, values[1:])
print("narrower keys:", narrower)
print("one value fewer:", fewer)
assert "equally wide" in narrower
assert "equal in number" in fewer


# %%
def shapes():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(11.5, 2.5))
    parts = [
        (queries, "queries\n(T, K)", "times"),
        (keys.T, "keys, transposed\n(K, S)", "gives"),
        (scores, "scores\n(T, S)", "softmax\ngives"),
        (weights, "weights\n(T, S)", "times"),
        (values, "values\n(S, V)", "gives"),
        (rows, "output\n(T, V)", ""),
    ]
    left = 0.0
    for table, title, then in parts:
        n, m = table.shape
        size = np.abs(table).max()
        box = (left, left + m, -n / 2, n / 2)
        ax.imshow(table, cmap=shades(-size, size), vmin=-size, vmax=size, extent=box)
        ax.hlines(np.arange(n + 1) - n / 2, left, left + m, color="white", lw=1)
        ax.vlines(left + np.arange(m + 1), -n / 2, n / 2, color="white", lw=1)
        ax.fill(
            [left, left, left + m, left + m], [-n / 2, n / 2, n / 2, -n / 2], ec=GREY, fc="none"
        )
        ax.text(left + m / 2, 3.6, title, ha="center", va="center")
        ax.text(left + m + 1.15, 0, then, ha="center", va="center", color=GREY)
        left += m + 2.3
    ax.set(xlim=(-0.5, left - 1.6), ylim=(-2.8, 4.4), aspect="equal")
    ax.axis("off")
    return figure


pictures("08_shapes", shapes)

# %% [markdown]
# ## Why divide by the square root?
#
# Let the numbers in a query and a key be random, independent, and uniform on $[-a, a]$. Each has
# the variance $a^2/3$ (the mean of its square), each product of two $(a^2/3)^2$, and a sum of $d$
# of those
#
# $$\mathrm{Var}(x \cdot y) = C d, \qquad C = \frac{a^4}{9}; \qquad
#   \mathrm{Var}\!\left(\frac{x \cdot y}{\sqrt d}\right) = C.$$
#
# So the wider the space, the larger the scores, by $\sqrt d$; and dividing by just that undoes it.
# Measured on 20,000 pairs, with $a = 2$:

# %%
a = 2.0
C = a**4 / 9
wide = [4, 16, 64, 256, 1024]


def products(d, pairs=20_000):
    x, y = rng.uniform(-a, a, size=(2, pairs, d)).astype(np.float32)
    return np.einsum("pd,pd->p", x, y)  # (pairs,)


variance, scaled_variance = [], []
for d in wide:
    plain = products(d)
    variance.append(plain.var())
    scaled_variance.append((plain / np.sqrt(d)).var())
    print(f"d = {d:4}: variance {variance[-1]:7.1f}, by the formula {C * d:7.1f}; scaled", end=" ")
    print(f"{scaled_variance[-1]:.3f}")
assert np.allclose(variance, C * np.array(wide), rtol=0.05)
assert np.allclose(scaled_variance, C, rtol=0.05)

# %% [markdown]
# And why do large scores hurt? Softmax of large scores is nearly one for the largest and zero for
# the rest. It is *saturated*: a small change of a score changes nothing, so the gradient is nearly
# zero, and nothing is learned. The derivative of weight $\alpha_i$ by score $s_j$ is
#
# $$\frac{\partial \alpha_i}{\partial s_j} = \alpha_i (\delta_{ij} - \alpha_j),
#   \qquad \delta_{ij} = 1 \text{ if } i = j, \text{ else } 0,$$
#
# which is zero where all $\alpha$ are 0 or 1. Take 16 keys, and see how large the table of these
# derivatives is, as the root of its mean square:

# %%
s = rng.normal(size=5)
alpha = softmax(s)
assert np.allclose(mg.jacobian(softmax)(s), np.diag(alpha) - np.outer(alpha, alpha))


def slopes(scores):
    """The typical size of the derivatives of the weights by the scores, for scores (n, keys)."""
    alpha = softmax(scores)
    J = np.eye(scores.shape[1]) * alpha[:, None, :] - alpha[:, :, None] * alpha[:, None, :]
    return np.sqrt(np.mean(np.square(J)))


plain_slope, scaled_slope, largest = [], [], []
for d in wide:
    s = products(d, 400 * 16).reshape(400, 16)
    plain_slope.append(slopes(s))
    scaled_slope.append(slopes(s / np.sqrt(d)))
    largest.append(softmax(s).max(axis=1).mean())
print("size of the slopes, plain:  ", np.round(plain_slope, 4))
print("size of the slopes, divided:", np.round(scaled_slope, 4))
print("largest weight, plain:      ", np.round(largest, 4))
assert plain_slope[-1] < plain_slope[0] / 3
assert max(scaled_slope) < 1.2 * min(scaled_slope)
assert largest[-1] > 0.97


# %%
def why_divide():
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.7))
    left.loglog(wide, variance, "o-", color=ORANGE)
    left.loglog(wide, scaled_variance, "o-", color=BLUE)
    left.loglog(wide, C * np.array(wide), "--", color=GREY, zorder=3)
    left.text(60, 260, "$x \\cdot y$, and $C d$", color=ORANGE, ha="right")
    left.text(60, 2.5, "$x \\cdot y\\, /\\, \\sqrt{d}$", color=BLUE)
    left.set(ylabel="variance of a score")
    right.semilogx(wide, plain_slope, "o-", color=ORANGE)
    right.semilogx(wide, scaled_slope, "o-", color=BLUE)
    right.text(300, 0.0095, "$x \\cdot y$", color=ORANGE)
    right.text(300, 0.0213, "$x \\cdot y\\, /\\, \\sqrt{d}$", color=BLUE)
    right.set(ylabel="size of the softmax's slopes", ylim=(0, 0.025))
    for ax in (left, right):
        ax.set_xticks(wide, [str(d) for d in wide])
        ax.minorticks_off()
        ax.set_xlabel("width $d$")
    return figure


pictures("08_why_divide", why_divide)

# %% [markdown]
# ## Why exp?
#
# All that is asked of it is that weights are positive, and larger for larger scores. Any positive
# increasing function $\phi$ would do, in $\alpha_t = \phi(s_t) / \sum_u \phi(s_u)$. Three of them:

# %%
choices = {"exp": np.exp, "softplus": softplus, "sigmoid": sigmoid}
order = np.argsort(scores, axis=-1)
print("weights of the first query, by")
for name, phi in choices.items():
    _, weights = mt.attention(queries, keys, values, phi=phi)
    print(f"{name:>8}:", weights[0].round(3))
    assert (weights > 0).all()
    assert np.allclose(weights.sum(axis=-1), 1)
    assert np.array_equal(np.argsort(weights, axis=-1), order)  # the same key comes first
    moved = phi(scores[0] + 5) / phi(scores[0] + 5).sum()
    assert np.allclose(moved, weights[0]) == (name == "exp")

# %% [markdown]
# exp has one property that the others lack, which the last line checks: adding the same number to
# all scores changes nothing, since $e^{s + c} = e^c e^s$, and $e^c$ cancels. Only differences of
# scores count. The picture has two keys, of which one has the score 0:


# %%
def three_choices():
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4))
    line = np.linspace(-4, 4, 200)
    for (name, phi), colour in zip(choices.items(), (BLUE, ORANGE, GREEN)):
        left.plot(line, phi(line), color=colour, label=name, lw=2)
        shares = phi(line) / (phi(line) + phi(0 * line))
        right.plot(line, shares, color=colour, lw=2)
    left.set(ylim=(-0.1, 5), xlabel="score $s$", ylabel="$\\phi(s)$")
    left.legend(frameon=False)
    right.set(xlabel="score of one key; the other's is 0", ylabel="its weight", ylim=(0, 1))
    return figure


pictures("08_phi", three_choices)

# %% [markdown]
# ## What a score is
#
# $\langle x, y \rangle = x \cdot y / \sqrt K$ is an *inner product*: it is symmetric, linear in
# each of the two, and $\langle x, x \rangle > 0$ except for zero. So it measures lengths and
# angles, only with another unit. But of the inputs $e$ and $e'$, by way of $W_q$ and $W_k$ and
# without biases, the score is
#
# $$s(e, e') = \frac{(W_q e) \cdot (W_k e')}{\sqrt K}
#   = \frac{e^\mathsf{T}\, W_q^\mathsf{T} W_k\, e'}{\sqrt K},$$
#
# linear in each as well, which is called a *bilinear form*; but it need not be symmetric, and
# $s(e, e)$ may be negative. That is the freedom that lesson 05 lacked. The one matrix
# $W_q^\mathsf{T} W_k$, of shape $(C_x, C_z)$, says all about it. And as there are $K$ dimensions to
# compare in, its rank is at most $K$.


# %%
def inner(x, y):
    return x @ y / np.sqrt(len(x))


x, y, z = rng.normal(size=(3, K))
assert np.isclose(inner(x, y), inner(y, x))
assert np.isclose(inner(2 * x + y, z), 2 * inner(x, z) + inner(y, z))
assert inner(x, x) > 0

W_k2 = rng.normal(size=(K, C_x))  # asking and asked are of the same kind
form = W_q.T @ W_k2 / np.sqrt(K)  # (C_x, C_x)
e, f, g = rng.normal(size=(3, C_x))
score = lambda e, f: inner(W_q @ e, W_k2 @ f)
assert np.isclose(score(e, f), e @ form @ f)
assert np.isclose(score(2 * e + f, g), 2 * score(e, g) + score(f, g))
assert np.isclose(score(g, 2 * e + f), 2 * score(g, e) + score(g, f))
assert not np.isclose(score(e, f), score(f, e))
assert np.linalg.matrix_rank(form) == K < C_x
assert np.linalg.eigvalsh(form + form.T)[0] < 0  # so for some e, s(e, e) is negative

# %% [markdown]
# ## Attention as a rough projection
#
# Take the keys as values too, and leave out the softmax. What is left,
#
# $$p = \sum_t \langle k_t, q \rangle\, k_t \qquad \text{(with the plain dot product, of shape } (K,)),$$
#
# is an old acquaintance. If the keys have length one and stand at right angles to each other
# (*orthonormal*), $p$ is the *projection* of $q$: of all points that can be mixed from the keys,
# the one nearest to $q$. Otherwise it is off: keys that point the same way count twice.

# %%
project = lambda keys, q: keys.T @ np.linalg.lstsq(keys.T, q, rcond=None)[0]  # the nearest mixture
mix = lambda keys, q: sum((k @ q) * k for k in keys)
q = rng.normal(size=3)
orthonormal = np.linalg.qr(rng.normal(size=(3, 2)))[0].T  # (2, 3)
assert np.allclose(mix(orthonormal, q), project(orthonormal, q))

other_keys = np.array([[1, 0, 0], [0.6, 0.8, 0]])  # of length one, but not at a right angle
assert not np.allclose(mix(other_keys, q), project(other_keys, q), atol=0.1)

# %% [markdown]
# Often one reads "if and only if the keys are orthonormal". That holds for keys of which none can
# be mixed from the others. With more keys than dimensions there are other ways: three of length
# $\sqrt{2/3}$ in the plane, at 120 degrees. They cannot be at right angles, and still the sum gives
# back every $q$.

# %%
turns = np.pi / 2 + np.array([0, 2, 4]) * np.pi / 3
three = np.sqrt(2 / 3) * np.stack([np.cos(turns), np.sin(turns)], axis=1)  # (3, 2)
assert not np.allclose(three @ three.T, np.eye(3), atol=0.1)
assert np.allclose(mix(three, q[:2]), q[:2])


def two_keys(degrees):
    first, second = np.radians(45 - degrees / 2), np.radians(45 + degrees / 2)
    return np.array([[np.cos(first), np.sin(first)], [np.cos(second), np.sin(second)]])


def projections():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), width_ratios=[1, 1, 1.1])
    q = np.array([0.55, 1.0])
    for ax, degrees in zip(axes, (90, 50)):
        keys = two_keys(degrees)
        parts = np.array([(k @ q) * k for k in keys])
        vectors(keys, ["k1", "k2"], colour=GREY, ax=ax)
        vectors(parts[:1], colour=ORANGE, width=1.2, ax=ax)
        vectors(parts[1:], starts=parts[:1], colour=ORANGE, width=1.2, ax=ax)
        vectors([q], colour=BLUE, ax=ax)
        ax.annotate("q", q, (-12, 4), textcoords="offset points", color=BLUE)
        ax.annotate("sum", parts.sum(axis=0), (6, 0), textcoords="offset points", color=ORANGE)
        ax.set(xlim=(-0.25, 1.6), ylim=(-0.25, 1.9), title=f"keys at {degrees} degrees")
        ax.set(xlabel="", ylabel="")
    degrees = np.arange(5, 176)
    ways = np.stack([np.cos(np.arange(0, 6.28, 0.1)), np.sin(np.arange(0, 6.28, 0.1))], axis=1)
    off = [np.mean([np.linalg.norm(mix(two_keys(d), q) - q) for q in ways]) for d in degrees]
    axes[2].plot(degrees, off, color=ORANGE, lw=2)
    axes[2].set(xlabel="degrees between the keys", ylabel="how far the sum is from q, on average")
    axes[2].set(xticks=[0, 45, 90, 135, 180], ylim=(0, None))
    return figure


pictures("08_projection", projections)

# %% [markdown]
# Attention proper has the softmax, so it takes positive shares that sum to one. What it returns
# lies among the values, never outside: within their least and greatest in each dimension.

# %%
rows, _ = mt.attention(queries, keys, values)
assert (rows >= values.min(axis=0)).all()
assert (rows <= values.max(axis=0)).all()

# %% [markdown]
# ## Again and again
#
# In a transformer the result of attention is added to what went in,
#
# $$e_i \leftarrow e_i + \mathrm{attention}(e)_i .$$
#
# Let time pass, and let every point move at each moment with the speed $\mathrm{attention}(e)_i$.
# Euler's way to follow such a motion is to go straight on for a short time $h$, and then to look
# again: $e \leftarrow e + h\, \mathrm{attention}(e)$. So a layer is one of Euler's steps, with
# $h = 1$. If that is true, halving $h$, with twice as many steps, should halve how far we are from
# the true motion. (That we follow more exactly, in another way: go half a step, look there, and
# take the whole step with what was seen.)


# %%
def attend(e, sharpness=1.0):
    return mt.attention(e * sharpness, e, e)[0]


def follow(e, until, h):
    for _ in range(round(until / h)):
        e = e + h * attend(e)
    return e


points = rng.normal(size=(8, 2))
truth = points
for _ in range(256):
    truth = truth + attend(truth + attend(truth) / 512) / 256
off = [np.abs(follow(points, 1, h) - truth).max() for h in (1 / 8, 1 / 16, 1 / 32)]
print("off by", np.round(off, 4), "with h = 1/8, 1/16, 1/32")
assert np.allclose(follow(points, 1, 1), points + attend(points))  # one step is one layer
assert 1.7 < off[0] / off[1] < 2.3
assert 1.7 < off[1] / off[2] < 2.3

# %% [markdown]
# What does it do to many points in the end? Each moves towards a mean of those most like it. So
# that they do not all run away to infinity, bring them back to length one after each step, much as
# the normalisation of lesson 11 does. On the circle, only their angles are left. `sharpness` is a
# factor of all scores: the larger, the more each point minds its neighbours only. They gather in
# clusters:

# %%
angles = np.sort(rng.uniform(0, 2 * np.pi, 24))
e = np.stack([np.cos(angles), np.sin(angles)], axis=1)  # (24, 2)
path = [e]
for _ in range(3000):
    e = e + 0.05 * attend(e, sharpness=12.0)
    e = e / np.linalg.norm(e, axis=1, keepdims=True)
    path.append(e)


def clusters(e):
    """How many groups there are, if a gap of more than 0.1 divides two."""
    around = np.sort(np.arctan2(e[:, 1], e[:, 0]))
    gaps = np.diff(np.append(around, around[0] + 2 * np.pi))
    return max(1, int((gaps > 0.1).sum()))


counts = [clusters(e) for e in path]
print("groups after 0, 100, 500, 3000 steps:", [counts[i] for i in (0, 100, 500, 3000)])
assert counts[0] > 10
assert counts[100] < counts[0] / 2
assert counts[3000] <= 3


# %%
def clustering():
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=[1, 1.8])
    left.scatter(*path[0].T, s=26, facecolor="none", edgecolor=GREY, label="at the start")
    left.scatter(*path[300].T, s=40, color=PURPLE, label="after 300 steps")
    left.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.5), aspect="equal")
    left.legend(frameon=False, loc="upper center", ncols=2, fontsize=9)
    left.axis("off")
    degrees = np.degrees([np.arctan2(e[:, 1], e[:, 0]) for e in path])  # (steps, 24)
    right.plot(np.arange(len(path)) + 1, (degrees + 150) % 360 - 150, color=PURPLE, lw=1)
    right.set(xlabel="step", ylabel="angle of each point (degrees)", xscale="log")
    return figure


pictures("08_clusters", clustering)

# %% [markdown]
# ## Questions
#
# Work them out first: on paper, or in a cell of your own.

# %%
ask("end_scores", ...)

# %%
ask("end_shape", ...)

# %%
ask("end_variances", ...)

# %% [markdown]
# Next: `07_queries_keys_values.py`, where you choose the matrices yourself.

# %%
print(pictures)
