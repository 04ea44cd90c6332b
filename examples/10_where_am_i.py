# %% [markdown]
# # 10 Where am I?
#
# *Attention is blind to order; how a model is told what stands where. About 8 seconds.*
#
# Attention compares every word with every word, and takes a mean. Nothing in it says which word
# came first. This lesson shows that, and how a model is told.
#
# After it you can
#
# - show that attention treats a sentence as a bag of words, and what a causal mask changes;
# - compute the sine and cosine positions by hand, and say why there are both;
# - find the matrix that moves all positions by the same distance;
# - choose between sinusoidal, learned and rotary positions, and say why positions are added.

# %%
import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy
from minigrad.views.plots import BLUE, GREY, ORANGE, heat_map
from minitransformer import masks
from minitransformer.training.threads import one_thread
from minitransformer.views.model_plots import attention_map, positional_encodings

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("10")
mg.manual_seed(0)
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("08/end_scores", ...)

# %%
ask("05/end_cosine", ...)

# %% [markdown]
# ## A bag of words
#
# Who hit whom: "man hit car", or "car hit man"? Three words, with vectors that we choose, man =
# $(1, 0, 0, 0)$, hit = $(0, 1, 0, 0)$ and car = $(0, 0, 1, 0)$. They are queries, keys and values at
# once. (The maps $W_Q$, $W_K$ and $W_V$ are left out: they work on each row by itself, so they cannot
# tell an order either.) In "man hit car" the score of man for itself is $1 / \sqrt 4$, and for the
# others 0. So its weights are 0.452, 0.274 and 0.274, and man becomes $(0.452, 0.274, 0.274, 0)$.

# %%
ask("other_order", ...)

# %%
vector = {"man": [1.0, 0.0, 0.0, 0.0], "hit": [0.0, 1.0, 0.0, 0.0], "car": [0.0, 0.0, 1.0, 0.0]}
one, other = ["man", "hit", "car"], ["car", "hit", "man"]


def as_rows(words):
    return np.array([vector[word] for word in words])  # (3, 4)


def attend(X, mask=None):
    output, _ = mt.attention(X, X, X, mask)
    return output  # (T, D), as X


without = {"one": attend(as_rows(one)), "other": attend(as_rows(other))}
print("man hit car: man becomes", without["one"][0].round(3))
print("car hit man: man becomes", without["other"][2].round(3))
assert np.allclose(without["one"][0], [0.452, 0.274, 0.274, 0], atol=5e-4)
assert np.allclose(without["other"], without["one"][::-1], rtol=0, atol=1e-15)

# %% [markdown]
# Each word becomes the same in both sentences. Is it always so? To put the rows of $X$, of shape
# $(T, D)$, into another order is to multiply it from the left with a *permutation matrix* $P$, $(T, T)$,
# which has a single 1 in each row and column. Follow it through the formula:
#
# 1. The scores were $X X^\mathsf{T}$. As $(P X)^\mathsf{T} = X^\mathsf{T} P^\mathsf{T}$
#    ([mathematics](MATHEMATICS.md#matrices)), they become $P X X^\mathsf{T} P^\mathsf{T}$: the same
#    numbers, rows and columns exchanged alike.
# 2. The softmax works on each row, and does not mind the order in it. So the weights $A$ become
#    $P A P^\mathsf{T}$.
# 3. The output becomes $P A P^\mathsf{T} P X = P A X$, as $P^\mathsf{T} P$ is the identity. (A column of
#    $P$ has the product 1 with itself, and 0 with any other, which has its 1 in another row.) So
#
# $$\mathrm{attention}(P X) = P\, \mathrm{attention}(X).$$
#
# A function that answers a new order of its inputs by the same order of its outputs is called
# *equivariant* under permutations. A function that does not change at all is *invariant*: the mean of
# all outputs is.

# %%
X = rng.normal(size=(5, 3))
shuffled = [3, 0, 4, 2, 1]
P = np.eye(5)[shuffled]
assert np.array_equal(P @ X, X[shuffled])
assert np.allclose(attend(P @ X), P @ attend(X))  # equivariant
assert np.allclose(attend(P @ X).mean(axis=0), attend(X).mean(axis=0))  # invariant

# %% [markdown]
# So who hit whom is lost. Without a mask no depth of layers brings it back: each layer passes the new
# order on, attention as above, all else because it works on each row by itself.

# %% [markdown]
# ## What a causal mask changes
#
# A model that writes may not look at words to come. A *causal mask* hides them: the first word sees
# itself alone, the second sees two words, and so on (lesson 12).

# %%
ask("causal_first", ...)

# %%
causal = {
    name: attend(as_rows(words), masks.causal(3))
    for name, words in (("one", one), ("other", other))
}
print(masks.show(masks.causal(3), one, one))
print("man, the first word:", causal["one"][0].round(3))
print("man, the last word: ", causal["other"][2].round(3))
assert np.array_equal(causal["one"][0], [1, 0, 0, 0])
assert np.allclose(causal["other"][2], [0.452, 0.274, 0.274, 0], atol=5e-4)
assert not np.allclose(causal["other"], causal["one"][::-1], atol=0.1)
assert not np.allclose(causal["other"].mean(axis=0), causal["one"].mean(axis=0), atol=0.1)

# %% [markdown]
# Under the mask man differs from man: it sees nothing but itself in the first position, and three
# words in the last. So attention with a causal mask is not equivariant, and the mean of its outputs is
# not invariant. It is *not* blind to order: such models learn something about positions even when
# nobody tells them (Haviv et al., 2022). But it is a weak signal. In one layer it tells which words have
# come so far, and in which shares; not in which order they came, nor how far back each is. An encoder,
# which has no such mask, has not even that.

# %% [markdown]
# ## Sines and cosines
#
# The remedy of the paper (Vaswani et al., 2017): add to the vector of each word a vector of its
# position. For position $\mathrm{pos}$ and the width $D$ it has, for $i = 0, 1, \dots, D/2 - 1$,
#
# $$PE(\mathrm{pos}, 2i) = \sin\frac{\mathrm{pos}}{10000^{2i/D}}, \qquad
#   PE(\mathrm{pos}, 2i+1) = \cos\frac{\mathrm{pos}}{10000^{2i/D}}.$$
#
# Numbers $2i$ and $2i + 1$ are a pair: the sine and the cosine of the same angle (in radians). In the
# first pair it grows by 1 from position to position, in each later pair more slowly, by the same
# factor from pair to pair (that is what the powers are for). And why 10000? The slowest pair should
# not have turned round once at the end of the longest text. With 10000 that takes almost
# $2 \pi \cdot 10000 = 62{,}832$ positions. Another large number would do. For $D = 4$ there are two
# pairs, with the angles $\mathrm{pos}$ and $\mathrm{pos}/100$.

# %%
ask("position_zero", ...)


# %%
def encoding(length, D):
    """The positions 0 to length - 1: (length, D)."""
    pos = np.arange(length)[:, None]  # (length, 1)
    frequency = 10000.0 ** -(np.arange(0, D, 2) / D)  # (D / 2,)
    table = np.empty((length, D))
    table[:, 0::2] = np.sin(pos * frequency)
    table[:, 1::2] = np.cos(pos * frequency)[:, : D // 2]  # an odd width ends with a sine
    return table


positions = encoding(4, 4)
for pos, row in enumerate(positions):
    print(f"position {pos}:", row.round(4))
assert np.allclose(positions[1], [0.8415, 0.5403, 0.0100, 1.0000], rtol=0, atol=5e-5)
assert np.allclose(encoding(50, 33), mt.sinusoidal(50, 33), atol=1e-6)  # the library's, in float32

# %% [markdown]
# Now add the vectors of the positions 1, 2 and 3 to the words. (A symbol that begins the sentence would
# have position 0.)

# %%
placed = {name: as_rows(words) + positions[1:] for name, words in (("one", one), ("other", other))}
print("man, the first word:", placed["one"][0].round(4))
print("man, the last word: ", placed["other"][2].round(4))
assert np.allclose(placed["one"][0], [1.8415, 0.5403, 0.0100, 1.0000], atol=5e-5)
assert np.allclose(placed["other"][2], [1.1411, -0.9900, 0.0300, 0.9996], atol=5e-5)

after = {name: attend(X) for name, X in placed.items()}
assert np.abs(after["one"][0] - after["other"][2]).max() > 0.1  # man is not man any more


# %%
def two_orders():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(8.4, 4.6))
    told = ((without, "words alone"), (after, "words and their positions"))
    for row, (outputs, title) in zip(axes, told):
        for ax, output, words in zip(row, outputs.values(), (one, other)):
            heat_map(output, rows=words, limits=(-1.6, 1.6), numbers=".2f", ax=ax)
            ax.set_title(f"{title}: {' '.join(words)}")
            corner = (-0.5, words.index("man") - 0.5)
            ax.add_patch(plt.Rectangle(corner, 4, 1, fill=False, ec=ORANGE, lw=3))
    return figure


pictures("10_two_orders", two_orders)

# %% [markdown]
# Above, the output for *man* (framed) is the same row in both sentences. Below it is not, so that what
# comes after can tell who hit whom.
#
# Here are 60 positions of a width of 32. Each row is what is added to a word; each column is a wave,
# and the columns to the right hardly move within a sentence. It works like the digits of a number,
# of which the last changes with every step and the first hardly ever.

# %%
table = encoding(60, 32)


def waves():
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), width_ratios=[1, 1.35])
    positional_encodings(table, title="the table", ax=left)
    figure.colorbar(left.images[0], ax=left, label="number")
    fine = np.linspace(0, 59, 600)
    for step, i in enumerate((0, 4, 8, 12)):
        w = 10000 ** (-i / 32)
        base = -2.6 * step
        for wave, start, colour in ((np.sin, i, ORANGE), (np.cos, i + 1, BLUE)):
            right.plot(fine, base + wave(w * fine), color=colour, lw=1)
            right.plot(np.arange(60), base + table[:, start], "o", ms=2.5, color=colour)
        right.text(61, base, f"dimensions\n{i} and {i + 1}", va="center")
    right.text(24, 1.5, "sine", color=ORANGE, ha="right")
    right.text(26, 1.5, "cosine", color=BLUE)
    right.set(xlabel="position", yticks=[], title="some of its columns", ylim=(-9.2, 2.2))
    right.spines["left"].set_visible(False)
    return figure


pictures("10_waves", waves)

# %% [markdown]
# ## Why both
#
# Look at one pair alone, and let its angle grow by a twelfth of a turn from position to position:
# the cosine is then the height of a clock hand's tip, and the sine is how far to the right it is.
# With the height alone, 1 o'clock and 11 o'clock are the same.

# %%
ask("heights", ...)

# %%
hours = np.arange(12)
angle = 2 * np.pi * hours / 12
height, right_of = np.cos(angle), np.sin(angle)  # 0 is at the top of a clock, where cos is 1
by_height = {tuple(row) for row in height.round(12)[:, None]}
by_both = {tuple(row) for row in np.stack([height, right_of], axis=1).round(12)}
print(f"12 positions: {len(by_height)} heights, {len(by_both)} points")
assert len(by_height) == 7
assert len(by_both) == 12


# %%
def clock():
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4), width_ratios=[1, 0.8])
    left.plot(np.sin(np.linspace(0, 7, 200)), np.cos(np.linspace(0, 7, 200)), color=GREY, lw=1)
    left.plot(right_of, height, "o", color=BLUE, ms=9)
    for hour, x, y in zip(hours, right_of, height):
        left.text(1.2 * x, 1.2 * y, hour, ha="center", va="center", size=13, color=BLUE)
    for y in sorted({*height.round(12)}):
        same = [str(hour) for hour in hours if np.isclose(height[hour], y)]
        colour = ORANGE if len(same) > 1 else BLUE
        right.plot([0], [y], "o", color=colour, ms=9)
        right.text(0.15, y, " and ".join(same), va="center", size=13, color=colour)
    left.set(title="height and width: 12 points", aspect="equal", xlim=(-1.5, 1.5))
    right.set(title="the height alone: 7 points", xlim=(-0.6, 1.4))
    for ax in (left, right):
        ax.set_ylim(-1.45, 1.45)
        ax.axis("off")
    return figure


pictures("10_clock", clock)

# %% [markdown]
# There is a second reason. From 1 o'clock the hand goes down, from 11 it goes up: the height alone does
# not say what comes next. With both numbers, the way to the next position is the same from everywhere:
# turn by a twelfth.

# %% [markdown]
# ## A shift is a rotation
#
# For every pair there is a matrix that takes each position to the one $k$ further on, the same for all
# positions. With $w = 10000^{-2i/D}$, the rules for the sine and cosine of a sum (from school) say
#
# $$\begin{pmatrix} \sin w(p + k) & \cos w(p + k) \end{pmatrix} =
#   \begin{pmatrix} \sin wp & \cos wp \end{pmatrix}
#   \begin{pmatrix} \cos wk & -\sin wk \\ \sin wk & \cos wk \end{pmatrix}.$$
#
# Multiply out the first number: $\sin wp \cos wk + \cos wp \sin wk$. A matrix of this form turns
# every vector of the plane by the same angle, here $wk$, and leaves its length as it is. It is called
# a *rotation*. Is it true? Ask for the matrix that takes the first 57 rows of a table as nearly as
# possible to the last 57, three positions on. (`np.linalg.lstsq` finds it: the one for which the sum
# of all squared errors is least.) If it is exact, such a matrix exists. And a matrix is just what
# attention has: if $W_K$ turns all keys by three positions and $W_Q$ leaves the queries, the key of
# position $p$ is what the query of position $p + 3$ looks like. So each position looks three back.

# %%
D, k = 8, 3
table8 = encoding(60, D)
found, *_ = np.linalg.lstsq(table8[:-k], table8[k:])  # (D, D): rows times it are rows three on
print(f"largest error over all positions: {np.abs(table8[:-k] @ found - table8[k:]).max():.0e}")
assert np.allclose(table8[:-k] @ found, table8[k:], atol=1e-10)

expected = np.zeros((D, D))
for i in range(0, D, 2):
    c, s = np.cos(k * 10000 ** (-i / D)), np.sin(k * 10000 ** (-i / D))
    expected[i : i + 2, i : i + 2] = [[c, -s], [s, c]]
assert np.allclose(found, expected, atol=1e-4)  # the slowest pair turns by 0.003 only

sines = table8[:, 0::2]  # (60, 4): with the sines alone there is no such matrix
nearest, *_ = np.linalg.lstsq(sines[:-k], sines[k:])
error_of_sines = np.abs(sines[:-k] @ nearest - sines[k:]).max()
print(f"with the sines alone: {error_of_sines:.1f}")
assert error_of_sines > 0.1


# %%
def rotation():
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2))
    title = "the matrix that moves every position by 3"
    heat_map(found.round(4) + 0, title=title, limits=(-1, 1), numbers=".2f", ax=left)
    round_ = np.linspace(0, 2 * np.pi, 200)
    right.plot(np.sin(round_), np.cos(round_), color=GREY, lw=1)
    w = 10000 ** (-4 / 32)  # numbers 4 and 5 of the table of width 32
    bent = {"arrowstyle": "-|>", "color": ORANGE, "lw": 2, "connectionstyle": "arc3,rad=0.25"}
    for p in range(16):
        x, y = np.sin(w * p), np.cos(w * p)
        right.plot(x, y, "o", color=BLUE, ms=7)
        right.text(1.13 * x, 1.13 * y, p, color=BLUE, ha="center", va="center")
        if p in (0, 5, 11):
            to = np.sin(w * (p + k)), np.cos(w * (p + k))
            right.annotate("", to, (x, y), arrowprops=bent | {"shrinkA": 6, "shrinkB": 6})
    right.set(aspect="equal", ylim=(-1.2, 1.25), title="3 positions on: the same turn everywhere")
    right.axis("off")
    return figure


pictures("10_rotation", rotation)

# %% [markdown]
# ### How alike two positions are (optional)
#
# A rotation does not change lengths or angles. So how alike two positions are, the cosine of the angle
# between them, depends on their distance alone. With $w_i$ the $w$ of pair $i$,
#
# $$PE(p) \cdot PE(q) = \sum_i (\sin w_i p \sin w_i q + \cos w_i p \cos w_i q)$$
#
# $$= \sum_i \cos w_i (p - q).$$

# %%
p, q = np.arange(60)[:, None, None], np.arange(60)[:, None]  # (60, 1, 1) and (60, 1)
w = 10000.0 ** -(np.arange(0, D, 2) / D)  # (D / 2,)
assert np.allclose(table8 @ table8.T, np.sum(np.cos(w * (p - q)), axis=-1))  # (60, 60)
assert np.allclose(np.linalg.norm(table8, axis=1), np.sqrt(D / 2))  # p = q: all are equally long

# %% [markdown]
# ## Learned, and rotary
#
# **Learned** positions are a table (longest, $D$), a row a position,
# that starts at random and learns like the embedding of words. Nothing relates one row to the
# next, unless training finds that it should; and a position beyond the table has no row.

# %%
learned = mt.Learned(longest=8, width=4)
print("eight positions:", learned(np.zeros((8, 4), dtype=np.float32)).shape)
try:
    learned(np.zeros((9, 4), dtype=np.float32))
except mg.errors.LengthError as problem:
    refused = str(problem)
    print("nine positions: ", refused)

# %% [markdown]
# **Rotary** positions add nothing. They turn each pair of numbers of a query and of a key, by the
# angle $w_i$ times the position ($w_i$ is the $w$ above, of pair $i$): the query at $p$ becomes
# $q R_p$, the key at $r$ becomes $k R_r$, with rotation matrices $R_p$ and $R_r$ as above. (Which way
# they turn does not matter, if all turn the same way. `mt.rotary` turns against the clock: $(a, b)$
# becomes $(a \cos - b \sin,\; a \sin + b \cos)$, as under
# [mathematics](MATHEMATICS.md#matrices).) Turn both by the same angle and their dot product stays, so
#
# $$(q R_p) \cdot (k R_r) = (q R_{p - r}) \cdot k :$$
#
# the score depends on the two vectors and on their distance. Give the same query and the same key
# to every position, and the scores are equal along each diagonal:

# %%
q, k = rng.normal(size=(2, 1, 16))
turned_q, turned_k = (mt.rotary(np.repeat(x, 20, axis=0)) for x in (q, k))  # (20, 16) each
rotary_scores = turned_q @ turned_k.T  # (20, 20)
# ptp, "peak to peak", is the largest less the smallest
assert all(np.ptp(np.diagonal(rotary_scores, d)) < 1e-12 for d in range(-19, 20))
assert np.isclose(rotary_scores[3, 3], (q @ k.T).item())  # at the distance 0, as without

# with sinusoids that are added, the scores depend on both positions
added_scores = (q + encoding(20, 16)) @ (k + encoding(20, 16)).T
assert max(np.ptp(np.diagonal(added_scores, d)) for d in range(-10, 11)) > 1


# %%
def stripes():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.8))
    both = {"rotary: stripes": rotary_scores, "sinusoids, added: no stripes": added_scores}
    for ax, (title, scores) in zip(axes, both.items()):
        heat_map(scores - scores.mean(), sides=("query", "key"), title=title, ax=ax)
        ax.set(xticks=range(0, 20, 5), yticks=range(0, 20, 5))
    return figure


pictures("10_rotary", stripes)

# %% [markdown]
# ### A penalty for distance (optional)
#
# *ALiBi* (Press et al., 2022) changes no vector at all. Under a causal mask it subtracts from each score
# the distance times a number $m$, the *slope*, which is fixed, another one for each head:
#
# $$s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} - m\,(i - j), \qquad j \le i .$$
#
# So if the products are equal, each step back multiplies the weight by $e^{-m}$:

# %%
slope, back = np.log(3), np.arange(4)[::-1]  # position 3 sees what is 3, 2, 1 and 0 steps back
by_distance = mg.functional.softmax(-slope * back)
print("with the slope ln 3, times 40:", (40 * by_distance).round(3))
assert np.allclose(by_distance, np.array([1, 3, 9, 27]) / 40)

# %% [markdown]
# ## At work: no positions, and three kinds
#
# A task that is nothing but position: for every letter of a random text, write the letter before it.
# The model is as small as can be: a vector for each letter (the *embedding*), positions, one attention
# with a single head, and a linear map to the letters. It is trained with Adam at a fixed rate, on `B`
# texts of `T` letters out of `N`.

# %%
B, T, N, D = 32, 12, 10, 32


WAYS = mt.positions.POSITIONS | {  # by name; and two more, for the next section
    "concatenated": lambda D, T: (
        lambda e: np.concatenate([e, e * 0 + mt.sinusoidal(T, D)], axis=-1)
    ),
    "multiplied": lambda D, T: lambda e: e * mt.sinusoidal(T, D),
}


class Before(mg.nn.Module):
    def __init__(self, kind):
        self.embedding = mg.nn.Embedding(N, D)
        self.positions = WAYS[kind](D, T)  # a function of embeddings
        width = 2 * D if kind == "concatenated" else D
        sizes = mt.AttentionSizes(
            width, 1, key_width=D, value_width=D, output_width=D, rotary=kind == "rotary"
        )
        self.attention = mt.MultiHeadAttention(sizes)
        self.letters = mg.nn.Linear(D, N)

    def forward(self, ids):  # (B, T)
        x = self.positions(self.embedding(ids))  # (B, T, D), or (B, T, 2 D)
        x, weights = self.attention(x, x)
        return self.letters(x), weights  # (B, T, N), (B, 1, T, T)


def trained(kind, steps=150):
    mg.manual_seed(1)
    texts = np.random.default_rng(1)
    model = Before(kind)
    optimizer = mg.optim.Adam(model.parameters(), lr=2e-2)
    for _ in range(steps):
        ids = texts.integers(N, size=(B, T))
        scores, _ = model(ids)
        loss = cross_entropy(scores[:, 1:], ids[:, :-1])  # nothing stands before the first
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    ids = texts.integers(N, size=(200, T))
    scores, weights = model(ids)
    right = np.argmax(scores.data, axis=-1)[:, 1:] == ids[:, :-1]
    return right.mean(), weights.data.mean(axis=(0, 1))  # (T, T), over 200 texts


with one_thread():
    results = {kind: trained(kind) for kind in ("none", "sinusoidal", "learned", "rotary")}
for kind, (right, _) in results.items():
    print(f"{kind:>10}: {right:.0%} of the letters right")
assert results["none"][0] < 0.3
assert min(right for kind, (right, _) in results.items() if kind != "none") > 0.95


# %%
def maps_of_four():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(11, 3.2))
    for ax, (kind, (right, weights)) in zip(axes, results.items()):
        numbers = [str(p) for p in range(T)]
        title = f"{kind}: {right:.0%} right"
        attention_map(weights, queries=numbers, keys=numbers, title=title, ax=ax)
    return figure


pictures("10_four_kinds", maps_of_four)

# %% [markdown]
# Which map is correct is known beforehand: each position looks at the one before it, a diagonal just
# below the main one. Three kinds of position find it. Without, every letter gets its share, and the
# model can do no better than to guess the letter that occurs most often.

# %% [markdown]
# ## Why are positions added? (optional)
#
# If $v$ is the vector of a word and $p$ that of its position, does $v + p$ not mix up the two? One
# could put them side by side instead, $[v\,;\,p]$, twice as wide. What comes next is a matrix, $W_Q$
# say. Cut it into two, one for the numbers of $v$ and one for those of $p$:
#
# $$[v\,;\,p]\, W = v\, W_1 + p\, W_2, \qquad \text{and} \qquad (v + p)\, W = v\, W + p\, W .$$
#
# So to add is to put side by side with *tied* matrices, $W_1 = W_2$. That is a restriction, but a
# small one: the vectors of words are learned, and in many dimensions they can keep out of the way of
# those of the positions. And it costs half the numbers in $W$. What about $v \odot p$, the product
# number by number (*elementwise*)? Here are the three, at the same task, after 60 steps.

# %%
ask("which_learns_least", ...)

# %%
word, place = rng.normal(size=(2, 6))
W_1, W_2 = rng.normal(size=(2, 6, 4))
side_by_side = np.concatenate([word, place]) @ np.concatenate([W_1, W_2])
assert np.allclose(side_by_side, word @ W_1 + place @ W_2)
assert np.allclose(np.concatenate([word, place]) @ np.concatenate([W_1, W_1]), (word + place) @ W_1)

with one_thread():
    joined = {
        name: trained(kind, steps=60)[0]
        for name, kind in [
            ("added", "sinusoidal"),
            ("side by side", "concatenated"),
            ("multiplied", "multiplied"),
        ]
    }
for name, right in joined.items():
    print(f"{name:>12}: {right:.0%} of the letters right after 60 steps")
assert min(joined["added"], joined["side by side"]) > 0.93
assert joined["multiplied"] < 0.85

# %% [markdown]
# Adding learns as fast as side by side, with half of the numbers. Multiplied, it takes longer (with
# 150 steps it gets there as well): at position 0 all sines are 0 and wipe out half of the word, and
# the vector of a word looks different at every position, so that each word has to be learned many times.

# %% [markdown]
# ## Step through it (optional)
#
# "man hit car", with positions, as a page: forwards to the output of attention for *man*, and back.
# (To have one number to go back from, it ends with the sum of the squares of this output.) Change a
# number of a position, and see who is looked at. (If you read this in a browser, [the steps are
# here](out/10_steps.html).)

# %%
words_ = mg.Tensor(as_rows(one), requires_grad=True)  # (T, D)
PE = mg.Tensor(positions[1:], requires_grad=True)  # (T, D)
with mg.record():
    x = words_ + PE  # (T, D)
    s = x @ x.T / 2  # (T, T): 2 is the root of 4
    alpha = mg.functional.softmax(s)  # (T, T)
    y = alpha @ x  # (T, D)
    loss = np.sum(np.square(y[0]))
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(loss, pictures.folder / "10_steps.html", title="man hit car, with positions")
print("open in a browser:", page)
assert np.allclose(y.data, after["one"])

# %% [markdown]
# More about positions is in the gallery, `10b_a_gallery.py`: what is wrong with simply counting up,
# what sines alone do, a formula in which a sine and its cosine do not share an angle, and attention
# without rounding.
#
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_same_width", ...)

# %%
ask("end_with_itself", ...)

# %%
ask("end_far", ...)

# %% [markdown]
# To write yourself: `sinusoidal`, `add_positions` and `shift` (`python -m minigrad exercises check 10`).
#
# Next: `10b_a_gallery.py`, with the story so far, and pictures to choose from. Or go on at once with
# `11_layer_norm_and_residuals.py`, what keeps a deep stack of layers alive.

# %%
print(pictures)
