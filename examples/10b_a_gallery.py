# %% [markdown]
# # 10b A gallery
#
# *The story in five pictures; other ways to write attention, and to say where. About 6 seconds.*
#
# First the story, from recurrent networks to the models of today. What comes after it is optional,
# and nothing of it is needed further on. Each picture of the gallery stands by itself: look at those
# that you like, and go on with lesson 11.
#
# After what you choose of it, you can
#
# - tell how attention came to replace recurrent networks, and count what that changed;
# - read attention written in columns, and say what is special about $e^s$;
# - say in which sense attention projects, remembers, and moves points;
# - say what is wrong with simply counting up, and with sines alone;
# - see from a table of cosines that a formula for positions is off.
#
# | about attention (lesson 08) | about positions (lesson 10) |
# |---|---|
# | rows and columns | why not just count? |
# | other functions than exp | sines alone |
# | what a score is | digits that are cut |
# | a rough projection | a formula that is off |
# | a memory | exactly |
# | again and again | |

# %%
from fractions import Fraction

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import sigmoid, softmax, softplus
from minigrad.views.plots import BLUE, GREY, ORANGE, PURPLE, heat_map, shades, vectors

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("10b")
rng = np.random.default_rng(0)

# %% [markdown]
# ## From recurrent networks to today
#
# Five networks, of which you have built three, and will build the others. Each reads four words
# (below), and is drawn with a single layer. An arrow leads from a vector to one that is computed from
# it.
#
# - **1990, recurrent** (Elman; lesson 06). Each state is made from a word and the state before.
# - **2014, encoder and decoder** (Sutskever et al.; lesson 06). The last state is handed to a second
#   network, which writes. All that was read has to fit into it.
# - **2015, attention** (Bahdanau et al.; lesson 06). Each step of the decoder looks at all states,
#   with weights.
# - **2017, transformer** (Vaswani et al.; lesson 12). The chains are gone: attention connects the
#   words that are read, and those that are written, and the two. Positions say what stands where.
# - **2018, one half of it** (Radford et al.; lesson 15). A decoder alone, in which each word sees those
#   before it, continues a text. (BERT, of the same year, is an encoder alone: each word sees all.)
#
# The models of today are of the last kind, with more layers and wider ones, the norm before each part
# (lesson 11), and mostly rotary positions.
#
# Two counts tell what changed. How many arrows lie on the shortest way from the first word to the
# last vector? So many steps its gradient has to come back (lesson 06). And how long is the longest
# chain? So many steps have to wait for each other, when whole texts are there to learn from.

# %%
n = 4
words, before = range(n), [(i, j) for i in range(n) for j in range(n) if i <= j]
every = [(i, j) for i in range(n) for j in range(n)]
chain = lambda a: [((a, i), (a, i + 1)) for i in range(n - 1)]
of = lambda a, b, pairs: [((a, i), (b, j)) for i, j in pairs]
recurrent = of("x", "h", zip(words, words)) + chain("h")  # x is read, h are the states
handed = [*recurrent, (("h", n - 1), ("d", 0)), *of("t", "d", zip(words, words)), *chain("d")]
STORY = {  # the arrows; t are the words written so far, d the states of what writes
    "1990": recurrent,
    "2014": handed,
    "2015": handed + of("h", "d", every),
    "2017": of("x", "h", every) + of("h", "d", every) + of("t", "d", before),
    "2018": of("x", "h", before),
}


def ways(arrows):
    """Count the arrows of the shortest way from the first word to the last vector, and the longest."""
    into = {}
    for start, end in arrows:
        into.setdefault(end, []).append(start)
    shortest = lambda node: (
        0 if node == ("x", 0) else 1 + min(map(shortest, into[node])) if node in into else 99
    )
    longest = lambda node: 1 + max(map(longest, into[node])) if node in into else 0
    last = ("d" if ("d", 0) in into else "h", n - 1)
    return shortest(last), longest(last)


# %%
ask("waits", ...)

# %%
counted = {year: ways(arrows) for year, arrows in STORY.items()}
for year, (shortest, longest) in counted.items():
    print(f"{year}: {shortest} arrows from the first word, {longest} steps to wait")
assert counted == {"1990": (4, 4), "2014": (8, 8), "2015": (2, 8), "2017": (2, 2), "2018": (1, 1)}


# %%
def five_networks():
    from matplotlib import pyplot as plt

    widths = [1, 2, 2, 2, 1]
    figure, axes = plt.subplots(1, 5, figsize=(12, 2.2), width_ratios=widths)
    places = {"x": (0, 0), "h": (0, 1), "t": (n + 0.5, 0), "d": (n + 0.5, 1)}
    colours = {"x": GREY, "h": BLUE, "t": GREY, "d": ORANGE}
    for ax, (year, arrows) in zip(axes, STORY.items()):
        at = {
            node: (places[node[0]][0] + node[1], places[node[0]][1])
            for pair in arrows
            for node in pair
        }
        for start, end in arrows:
            curve = "arc3,rad=-0.35" if {start[0], end[0]} == {"h", "d"} else "arc3"
            line = {"arrowstyle": "-|>", "color": colours[end[0]], "alpha": 0.6, "lw": 1}
            ax.annotate("", at[end], at[start], arrowprops=line | {"connectionstyle": curve})
        for (kind, _), place in at.items():
            ax.plot(*place, "o", color=colours[kind], ms=9)
        ax.set(ylim=(-0.2, 2), title=year)
        ax.margins(x=0.15)
        ax.axis("off")
    return figure


pictures("10b_story", five_networks)

# %% [markdown]
# Below are words (grey): on the left those that are read, on the right those written so far. Above
# them is what reads (blue) and what writes (orange). In 2015 the way became short. In 2017 the
# waiting went, too: with more words it stays at 2, where it was twice their number. (Only while a
# model *writes* it still waits for each word: lesson 14.)
#
# Here the optional part begins.

# %% [markdown]
# Numbers for all of it, with the names of lessons 08 and 10: three vectors that ask, five that are
# asked, queries, keys and values; and the table of sines and cosines.

# %%
T, S, C_x, C_z, K, V = 3, 5, 4, 6, 2, 7
W_Q, b_q = rng.normal(size=(C_x, K)) / 2, rng.normal(size=K) / 2
W_K, b_k = rng.normal(size=(C_z, K)) / 2, rng.normal(size=K) / 2
W_V, b_v = rng.normal(size=(C_z, V)) / 2, rng.normal(size=V) / 2
x, z = rng.normal(size=(T, C_x)), rng.normal(size=(S, C_z))  # a vector a row
queries, keys, values = x @ W_Q + b_q, z @ W_K + b_k, z @ W_V + b_v
scores = queries @ keys.T / np.sqrt(K)  # (T, S)
weights = softmax(scores)  # (T, S)
rows = weights @ values  # (T, V)


def encoding(length, D):
    """The sines and cosines of the positions 0 to length - 1: (length, D)."""
    pos = np.arange(length)[:, None]  # (length, 1)
    frequency = 10000.0 ** -(np.arange(0, D, 2) / D)  # (D / 2,)
    table = np.empty((length, D))
    table[:, 0::2] = np.sin(pos * frequency)
    table[:, 1::2] = np.cos(pos * frequency)[:, : D // 2]
    return table


# %% [markdown]
# ## Rows and columns (optional)
#
# There are two ways to print attention. Vaswani et al. ("Attention Is All You Need", 2017) and this
# project write vectors as rows. Others, among them Phuong & Hutter, write them as columns, side by side.
# $X$ has the vectors that ask, and is $(C_x, T)$. $Z$ has those that are asked,
# and is $(C_z, S)$. The output $\tilde V$ is $(V, T)$, a column for each query. Then everything is
# transposed, as $(A B)^\mathsf{T} = B^\mathsf{T} A^\mathsf{T}$: matrices stand to the left
# ($W_q = W_Q^\mathsf{T}$), and the softmax works down the columns,
#
# $$Q = W_q X + b_q, \quad K = W_k Z + b_k, \quad V = W_v Z + b_v,$$
#
# $$\tilde V = V\, \mathrm{softmax}\!\left(\frac{K^\mathsf{T} Q}{\sqrt{d_k}}\right).$$


# %%
def in_columns(X, Z):
    Q = W_Q.T @ X + b_q[:, None]  # (K, T)
    K_ = W_K.T @ Z + b_k[:, None]  # (K, S)
    V_ = W_V.T @ Z + b_v[:, None]  # (V, S)
    weights = softmax(K_.T @ Q / np.sqrt(K), axis=0)  # (S, T)
    return V_ @ weights, weights  # (V, T)


columns, weights_in_columns = in_columns(x.T, z.T)
assert np.allclose(columns, rows.T)  # one printing has the transpose of what the other has
assert np.allclose(weights_in_columns, weights.T)

# %% [markdown]
# One also finds $\mathrm{softmax}(Q K^\mathsf{T} / \sqrt{d_k})\, V^\mathsf{T}$ printed. It fits
# neither:


# %%
def fits(compute):
    """Tell whether the shapes allow it."""
    try:
        compute()
    except ValueError:
        return False
    return True


printed_in_rows = fits(lambda: softmax(queries @ keys.T) @ values.T)
printed_in_columns = fits(lambda: softmax(queries.T @ keys) @ values)  # Q, K, V with columns
print("the printed form fits rows:", printed_in_rows, " and columns:", printed_in_columns)
assert not printed_in_rows
assert not printed_in_columns

# %% [markdown]
# ## Other functions than exp (optional)
#
# The weights must be positive, and larger for larger scores. Any positive increasing function $\phi$
# does that, in $\alpha_t = \phi(s_t) / \sum_u \phi(s_u)$. Three of them: exp; *softplus*,
# $\ln(1 + e^s)$; and *sigmoid*, $1 / (1 + e^{-s})$. Far below zero the last two are nearly $e^s$.

# %%
choices = {"exp": np.exp, "softplus": softplus, "sigmoid": sigmoid}
order = np.argsort(scores, axis=-1)
print("weights of the first query, by")
for name, phi in choices.items():
    _, phi_weights = mt.attention(queries, keys, values, phi=phi)
    print(f"{name:>8}:", phi_weights[0].round(3))
    assert (phi_weights > 0).all()
    assert np.allclose(phi_weights.sum(axis=-1), 1)
    assert np.array_equal(np.argsort(phi_weights, axis=-1), order)  # the same key comes first
    moved = phi(scores[0] + 5) / phi(scores[0] + 5).sum()
    assert np.allclose(moved, phi_weights[0]) == (name == "exp")

# %% [markdown]
# But only exp, to any base, ignores a number that is added to all scores. The last line checks it for
# these three. And no other can: if no such number changes the weights, then $\phi(s + c) / \phi(s)$
# is the same for all $s$, so $\phi(s + c) = \phi(s)\, \phi(c) / \phi(0)$. A sum becomes a product,
# and of the increasing functions only $a\, b^s$ does that. So with exp only differences of scores
# count, and the maximum may be subtracted. Softplus and sigmoid have no such remedy. They do not
# overflow, but they *underflow*: with scores below about -745, $\phi$ is so small that float64 rounds
# it to zero. If that happens to all scores of a query, its weights are all zero, as if everything
# were hidden. So $\phi > 0$ holds in the formula, and not always in the computation:

# %%
far_below = np.array([[-1400.0], [-1410.0]])  # (S, 1)
for name, phi in choices.items():
    _, underflowed = mt.attention(np.ones((1, 1)), far_below, np.eye(2), phi=phi)
    print(f"{name:>8}: weights of the scores -1400 and -1410: {underflowed[0].round(5)}")
    assert np.isclose(underflowed.sum(), name == "exp")

# %% [markdown]
# ## What a score is (optional)
#
# $\langle x, y \rangle = x \cdot y / \sqrt K$ is an *inner product*: it is symmetric, linear in
# each of the two, and $\langle x, x \rangle > 0$ except for zero. So it measures lengths and
# angles, only with another unit. But of the inputs $e$ and $e'$, by way of $W_Q$ and $W_K$ and
# without biases, the score is
#
# $$s(e, e') = \frac{(e W_Q) \cdot (e' W_K)}{\sqrt K}
#   = \frac{e\, W_Q W_K^\mathsf{T}\, e'^\mathsf{T}}{\sqrt K},$$
#
# linear in each as well, which is called a *bilinear form*; but it does not have to be symmetric, and
# $s(e, e)$ can be negative. That is the freedom that plain products lack (lesson 05). The one matrix
# $W_Q W_K^\mathsf{T}$ says all about it. (In columns it is $e^\mathsf{T} W_q^\mathsf{T} W_k\, e'$.)


# %%
def inner(x, y):
    return x @ y / np.sqrt(len(x))


x, y, z = rng.normal(size=(3, K))
assert np.isclose(inner(x, y), inner(y, x))
assert np.isclose(inner(2 * x + y, z), 2 * inner(x, z) + inner(y, z))
assert inner(x, x) > 0

W_K2 = rng.normal(size=(C_x, K))  # asking and asked are of the same kind
form = W_Q @ W_K2.T / np.sqrt(K)  # (C_x, C_x)
e, f, g = rng.normal(size=(3, C_x))
score = lambda e, f: inner(e @ W_Q, f @ W_K2)
assert np.isclose(score(e, f), e @ form @ f)
assert np.isclose(score(2 * e + f, g), 2 * score(e, g) + score(f, g))
assert np.isclose(score(g, 2 * e + f), 2 * score(g, e) + score(g, f))
assert not np.isclose(score(e, f), score(f, e))
assert min(score(e, e) for e in rng.normal(size=(100, C_x))) < 0

# %% [markdown]
# ## Attention as a rough projection (optional)
#
# Take the keys as values too, and leave out the softmax and the division. What is left,
#
# $$p = \sum_t (k_t \cdot q)\, k_t ,$$
#
# has a geometric meaning. If the keys have length one and are at right angles to each other
# (*orthonormal*), $p$ is the *projection* of $q$: of all sums of multiples of the keys, the
# one nearest to $q$. Other keys usually give another point: keys that point nearly the same way count
# twice. Below, both pairs of keys lie in the plane of the first two numbers. So the nearest point is
# $q$ without its third number.

# %%
mix = lambda keys, q: sum((k @ q) * k for k in keys)
q = np.array([0.3, -1.2, 0.8])
projection = np.array([0.3, -1.2, 0])
orthonormal = np.array([[0.6, 0.8, 0], [-0.8, 0.6, 0]])
other_keys = np.array([[1, 0, 0], [0.6, 0.8, 0]])  # of length one, but not at a right angle
print("orthonormal keys:", mix(orthonormal, q), " others:", mix(other_keys, q).round(3))
assert np.allclose(mix(orthonormal, q), projection)
assert not np.allclose(mix(other_keys, q), projection, atol=0.1)

# %% [markdown]
# For which keys is $p$ the projection of every $q$? Often one reads "if and only if they are
# orthonormal". That holds for keys of which none is a sum of multiples of the others. Take a key $k_j$
# as $q$. It is its own projection, so $\sum_t (k_t \cdot k_j)\, k_t = k_j$. As only one sum of multiples
# of such keys gives $k_j$, it follows that $k_j \cdot k_j = 1$, and all other products are 0.
#
# In general the condition is that the matrix $\sum_t k_t^\mathsf{T} k_t$ leaves every sum of multiples
# of the keys unchanged. With more keys than dimensions there are other such keys: three at 120 degrees
# in the plane, each of length $\sqrt{2/3}$. They cannot be at right angles, and still the sum gives back
# every $q$. Three of length one at these angles give $1.5\, q$. If the sum gives every $q$ times the
# same number, the keys are called a *tight frame*. Only the length $\sqrt{2/3}$ makes this number 1.

# %%
turns = np.pi / 2 + np.array([0, 2, 4]) * np.pi / 3
three = np.sqrt(2 / 3) * np.stack([np.cos(turns), np.sin(turns)], axis=1)  # (3, 2)
assert not np.allclose(three @ three.T, np.eye(3), atol=0.1)
assert np.allclose(mix(three, q[:2]), q[:2])
assert np.allclose(three.T @ three, np.eye(2))  # the sum of k^T k changes no vector of the plane
assert np.allclose(mix(three / np.sqrt(2 / 3), q[:2]), 1.5 * q[:2])  # of length one


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


pictures("10b_projection", projections)

# %% [markdown]
# ## Attention as a memory (optional)
#
# A *Hopfield network* is a memory that completes: it stores patterns, is given a damaged one, and
# moves it step by step towards a stored one. (It comes from the physics of *spin systems*: many small
# magnets, each 1 or -1, that turn until their energy is least. A stored pattern is a place of least
# energy.) In its modern form (Ramsauer et al., 2020) one step is
# $\xi \leftarrow \mathrm{softmax}(\beta\, \xi X^\mathsf{T})\, X$. Here the row $\xi$ is the damaged
# pattern, the rows of $X$ are the stored ones, and $\beta$ is a factor of the scores. With
# $\beta = 1/\sqrt{d}$ that is attention: the query is the damaged pattern, and keys and values are
# the stored ones. Here are 6 patterns of 64 numbers, 1 or -1, and one of them with the signs of 12
# numbers changed:

# %%
stored = rng.choice([-1.0, 1.0], size=(6, 64))
damaged = stored[:1].copy()  # (1, 64)
damaged[0, rng.choice(64, 12, replace=False)] *= -1
recalled, recall_weights = mt.attention(damaged, stored, stored)
print("weights of the stored patterns:", recall_weights[0].round(3))
print("wrong numbers:", (damaged != stored[0]).sum(), "before,", end=" ")
print((np.sign(recalled) != stored[0]).sum(), "after one step")
assert np.array_equal(np.sign(recalled)[0], stored[0])

# %% [markdown]
# ## Again and again (optional)
#
# In a transformer the result of attention is added to what went in,
#
# $$e_i \leftarrow e_i + \mathrm{attention}(e)_i .$$
#
# Let every point move at each moment with the speed $\mathrm{attention}(e)_i$. Euler's way to follow
# such a motion is to go straight on for a short time $h$, and then to look again:
# $e \leftarrow e + h\, \mathrm{attention}(e)$. So a layer has the form of one of Euler's steps, with
# $h = 1$. The error of Euler's method is in proportion to $h$. We check this: half of $h$, with twice
# as many steps, brings us twice as near to the true motion. (For that we take very many steps, 2048.)


# %%
def attend(e, sharpness=1.0):
    return mt.attention(e * sharpness, e, e)[0]


def follow(e, until, h):
    for _ in range(round(until / h)):
        e = e + h * attend(e)
    return e


points = rng.normal(size=(8, 2))
truth = follow(points, 1, 1 / 2048)
off = [np.abs(follow(points, 1, h) - truth).max() for h in (1 / 8, 1 / 16, 1 / 32)]
print("off by", np.round(off, 4), "with h = 1/8, 1/16, 1/32")
assert np.allclose(follow(points, 1, 1), points + attend(points))  # one step is one layer
assert 1.7 < off[0] / off[1] < 2.3
assert 1.7 < off[1] / off[2] < 2.3

# %% [markdown]
# What does it do to many points in the end? Each moves towards a mean of those most like it. So
# that they do not all run away to infinity, bring them back to length one after each step, much as
# the normalisation of lesson 11 does. On the circle, only their angles are left. `sharpness` is a
# factor of all scores: the larger it is, the more of its weight each point gives to its nearest
# neighbours. The points gather in clusters:

# %%
angles = np.sort(rng.uniform(0, 2 * np.pi, 24))
e = np.stack([np.cos(angles), np.sin(angles)], axis=1)  # (24, 2)
path = [e]
for _ in range(3000):
    e = e + 0.05 * attend(e, sharpness=12.0)
    e = e / np.linalg.norm(e, axis=1, keepdims=True)
    path.append(e)


def clusters(e):
    """Count the groups, if a gap of more than 0.1 divides two."""
    around = np.sort(np.arctan2(e[:, 1], e[:, 0]))  # the angle of each point, in order
    gaps = np.diff(np.append(around, around[0] + 2 * np.pi))  # from each to the next, all round
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


pictures("10b_clusters", clustering)

# %% [markdown]
# ## Why not just count? (optional)
#
# The simplest idea: add $\mathrm{pos} / D$ to every number of a word's vector, a *linear ramp*. It has
# two faults. The first: it grows without end, so that from some position on it is much larger than the
# word. Here are words of random vectors, and which positions each attends to, with the ramp and with
# the sines and cosines. There are 100 positions, and $D = 32$.

# %%
ask("last_ten", ...)

# %%
T, D = 100, 32
words = rng.normal(size=(T, D))  # (T, D)
ramp = np.arange(T)[:, None] / D * np.ones(D)  # (T, D)
kinds = {"words alone": 0 * ramp, "a ramp": ramp, "sines and cosines": encoding(T, D)}
looks = {name: mt.attention(words + p, words + p, words)[1] for name, p in kinds.items()}
for name, given in looks.items():
    print(f"{name:>17}: the last 10 positions get {given[:, -10:].sum(1).mean():.0%} of all weight")
assert looks["a ramp"][:, -10:].sum(axis=1).mean() > 0.5
assert looks["sines and cosines"][:, -10:].sum(axis=1).mean() < 0.15


# %%
def three_maps():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.7), sharey=True)
    for ax, (name, given) in zip(axes, looks.items()):
        image = ax.imshow(given, cmap=shades(0, 0.5), vmin=0, vmax=0.5)
        ax.set(title=name, xlabel="position of the key")
    axes[0].set_ylabel("position of the query")
    figure.colorbar(image, ax=axes[-1], label="weight (0.5 and more)")
    return figure


pictures("10b_ramp", three_maps)

# %% [markdown]
# With the ramp most of the weight goes to the end of the sentence, whatever the words are: the dot
# product of the vectors of two positions is $D \cdot (p/D)(q/D) = pq/D$, most for the last key. With
# sines and cosines, neighbours are alike and the vector of every position is as long as every other.
#
# The second fault: the ramp adds the same to all numbers of a vector. Layer normalisation takes just
# that away: it subtracts from each vector its mean (lesson 11). In models that normalise *before*
# each attention (pre-norm; lesson 11) this is the first thing after the addition, and no trace of the
# position is left. In the model of the paper (post-norm) attention comes first and sees the ramp, and
# only the norm after it removes the ramp from the vectors.

# %%
norm = mt.LayerNorm(D)
with mg.no_grad():
    same = norm(words + ramp).numpy(), norm(words).numpy()
    other_than = norm(words + encoding(T, D)).numpy()
print(
    f"after the norm, the ramp has changed no number by more than {np.ptp(same, axis=0).max():.0e}"
)
assert np.allclose(*same, atol=1e-12)
assert np.abs(other_than - same[1]).max() > 0.5

# %% [markdown]
# ## Sines alone (optional)
#
# Lesson 10 has a cosine beside every sine. With more pairs, and other angles, would the sines alone
# do? Take the positions 0 to 5, $D = 3$, and three sines, with the angles
# $\mathrm{pos} / 10000^{i/3}$ for $i = 0, 1, 2$: $\mathrm{pos}$, $\mathrm{pos}/21.5$ and
# $\mathrm{pos}/464$. How far is each position from each other?

# %%
pos = np.arange(6)[:, None]
sines_alone = np.sin(pos / 10000 ** (np.arange(3) / 3))  # (6, 3)
with_cosine = np.concatenate([np.sin(pos), np.cos(pos)], axis=1)  # (6, 2): one pair, of angle pos
first, second = np.triu_indices(6, 1)  # (0,1), (0,2) ... (4,5)
apart = {
    name: np.linalg.norm(table[first] - table[second], axis=1)
    for name, table in (("sines alone", sines_alone), ("one pair", with_cosine))
}
by_distance = sorted(zip(apart["sines alone"], apart["one pair"], first, second))
for sines_, pair_, i, j in by_distance[:5]:
    print(f"positions {i} and {j}: {sines_:.2f} apart by three sines, {pair_:.2f} by one pair")
assert {(i, j) for *_, i, j in by_distance[:3]} == {(0, 3), (1, 2), (4, 5)}
assert by_distance[2][0] < by_distance[3][0] / 2
assert np.allclose(apart["one pair"], 2 * np.sin((second - first) / 2))

# %% [markdown]
# With the sines, three pairs of positions nearly fall together: 1 and 2, 0 and 3, 4 and 5. The first
# sine is nearly the same for both of a pair, and the other two hardly move. So 0 seems nearer to 3
# than to 1. With one sine and its cosine, neighbours are all equally far apart, and 0 is farther
# from 3.
#

# %% [markdown]
# ## Digits that are cut (optional)
#
# An article prints the positions 1, 2 and 3 for $D = 4$, twelve numbers. Two of them are cut there, and
# not rounded: 0.9999 for 0.99995 and -0.9899 for -0.98999.

# %%
positions = encoding(4, 4)
cut = np.trunc(1e4 * positions[1:]) / 1e4
print("cut:    ", cut[0, 3], cut[2, 1])
print("rounded:", positions[1, 3].round(4), positions[3, 1].round(4))
assert (cut[0, 3], cut[2, 1]) == (0.9999, -0.9899)

# %% [markdown]
# ## A formula that is off (optional)
#
# One finds code in which sine and cosine of a pair do not share their angle: the cosines use
# $10000^{(2i+1)/D}$. Compare the positions 0 to 5 with each other by both formulas.


# %%
def encoding_off(length, D):
    pos, number = np.arange(length)[:, None], np.arange(D)
    angle = pos / 10000.0 ** (number / D)  # one for each number, not for each pair
    return np.where(number % 2 == 0, np.sin(angle), np.cos(angle))


def cosines(rows):
    """The likeness of each row to each: (T, T), from -1 to 1."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


def in_pairs(square):
    """(0,1), (0,2) ... (4,5) of a table (6, 6), to two digits."""
    return square[np.triu_indices(6, 1)].round(2)


alike = {(f.__name__, D): cosines(f(6, D)) for D in (3, 512) for f in (encoding_off, encoding)}
print("positions (0,1), (0,2) ... (4,5):")
for (name, D), square in alike.items():
    print(f"{name:>12}, D = {D:<3}:", *in_pairs(square))

off3 = [0.76, 0.74, 0.99, 0.79, 0.71, 1.00, 0.85, 0.21, 0.09, 0.83, 0.17, 0.05, 0.70, 0.61, 0.99]
off512 = [0.97, 0.91, 0.83, 0.77, 0.74, 0.97, 0.91, 0.83, 0.77, 0.97, 0.91, 0.83, 0.97, 0.91, 0.97]
assert np.array_equal(in_pairs(alike["encoding_off", 3]), off3)
assert np.array_equal(in_pairs(alike["encoding_off", 512]), off512)
assert np.array_equal(in_pairs(alike["encoding", 512]), off512)  # the same as by the paper
assert not np.allclose(in_pairs(alike["encoding", 3]), off3, atol=0.1)


# %%
def four_squares():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(11.5, 3.2))
    names = {"encoding_off": "the variant", "encoding": "the paper"}
    for ax, ((name, D), square) in zip(axes, alike.items()):
        heat_map(square, title=f"{names[name]}, D = {D}", limits=(-1, 1), numbers=".2f", ax=ax)
    return figure


pictures("10b_variant", four_squares)

# %% [markdown]
# By the paper each diagonal has one number: equal distances, equal likeness. By the variant with
# $D = 3$ that is lost: positions 0 and 3 are as good as equal (0.99), 2 and 5 are not (0.05), though
# both pairs are three apart. At $D = 512$ nobody would notice. Why? In the variant the angle of
# the cosine grows more slowly than that of its sine, by the factor $10000^{1/D}$:

# %%
for D in (3, 512):
    print(f"D = {D:<3}: the angles of a pair differ by the factor {10000 ** (1 / D):.3f}")
assert 10000 ** (1 / 3) > 21
assert 10000 ** (1 / 512) < 1.02


def spread(square):
    """The largest difference between numbers of one diagonal."""
    return max(np.ptp(np.diagonal(square, distance)) for distance in range(1, 5))


assert spread(alike["encoding_off", 3]) > 0.9
assert spread(alike["encoding_off", 512]) < 0.01
assert spread(cosines(encoding(6, 4))) < 1e-12  # an even width: every sine has its cosine
assert spread(alike["encoding", 3]) < 1e-3  # the third number is a sine without one, and small

# %% [markdown]
# ## Exactly (optional)
#
# In lesson 10 attention gave the same outputs for two orders of its words, up to differences of
# $10^{-15}$. To the last bit they need not be: a sum of rounded numbers can depend on their order.
# Python's fractions are not rounded, so with them the two are equal. (As $e^s$ of a fraction $s$ is
# no fraction, $\phi(s) = 1 + s^2$ stands in for it.)

# %%
shuffled = [3, 0, 4, 2, 1]
numbers = rng.integers(-9, 10, size=(5, 3))
exact = np.array([[Fraction(int(n), 4) for n in row] for row in numbers])  # (5, 3)


def attend_exactly(X):
    output, _ = mt.attention(X, X, X, score=mt.dot, phi=lambda s: 1 + s * s)
    return output


print("one number of the output:", attend_exactly(exact)[0, 0])
assert np.array_equal(attend_exactly(exact[shuffled]), attend_exactly(exact)[shuffled])

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_columns", ...)

# %%
ask("end_ramp", ...)

# %% [markdown]
# Next: `11_layer_norm_and_residuals.py`.

# %%
print(pictures)
