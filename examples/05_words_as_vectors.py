# %% [markdown]
# # 05 Words as vectors
#
# *What vectors of words can say, and what they cannot. About 3 seconds.*
#
# A network computes with numbers, so a word has to become numbers first. This lesson gives each
# word a list of them, a *vector*, and looks at what such vectors can say about words, and what they
# cannot.
#
# After it you can
#
# - compute with words: differences, analogies, cosine similarities;
# - prove that two words near a third must be near each other, and say why this is a nuisance;
# - let the words of a sentence change each other's vectors, with one softmax and one sum;
# - learn vectors from similarities by gradient descent, and say how many numbers a word needs.
#
# As before, name another folder for the pictures after the file's name, or in the next cell.

# %%
import numpy as np

import minigrad as mg
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import mse_loss, softmax
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, PURPLE, heat_map, vectors

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("05")
rng = np.random.default_rng(0)

# %% [markdown]
# ## Computing with words
#
# Four words, five numbers each. Think of the numbers as answers to questions such as "how
# powerful?". (These were made up so that the example works; the end of the lesson is about learning
# them.)

# %%
words = {
    "king": np.array([0.9, 0.8, 0.7, 0.1, 0.2]),
    "queen": np.array([0.9, 0.8, 0.7, 0.1, 0.7]),
    "man": np.array([0.8, 0.6, 0.6, 0.2, 0.1]),
    "woman": np.array([0.8, 0.6, 0.6, 0.2, 0.6]),
}

# %% [markdown]
# Vectors are added and subtracted number by number. What leads from man to king, added to woman,
# should lead to queen:
#
# $$\mathrm{king} - \mathrm{man} + \mathrm{woman} = \mathrm{queen}, \qquad \text{each of shape } (5,).$$

# %%
made = words["king"] - words["man"] + words["woman"]
in_other_order = words["king"] + words["woman"] - words["man"]
print("king - man + woman =", made)
print("             queen =", words["queen"])
print("off by", np.abs(made - words["queen"]).max(), end=", ")
print("in another order by", np.abs(in_other_order - words["queen"]).max())
assert np.allclose(made, words["queen"], rtol=0, atol=1e-15)
assert np.allclose(in_other_order, words["queen"], rtol=0, atol=1e-15)

# %% [markdown]
# Equal, up to rounding (lesson 03). Four points of which two differences are equal are the corners
# of a parallelogram, and lie in one plane. So they can be drawn without any loss, though five axes
# do not fit on paper.
#
# To find that plane, `np.linalg.svd` is given the points, less their mean. The first two rows of
# its third result are two arrows of length one, at right angles, along which the points are spread
# most: call them $P$, of shape $(2, 5)$. Then $P x$ are the two coordinates of $x$ on the paper. Its
# second result says how far the points are spread along each direction: beyond the second, not at
# all.

# %%
points = np.stack(list(words.values()))  # (4, 5)
_, spread, directions = np.linalg.svd(points - points.mean(axis=0))
print("spread along each direction:", spread.round(3))
assert np.allclose(spread[2:], 0)

P = directions[:2]  # (2, 5)
on_paper = points @ P.T  # (4, 2)
corner = dict(zip(words, on_paper))


# %%
def parallelogram():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6, 3.6))
    start = [corner["man"], corner["king"], corner["man"], corner["woman"]]
    end = [corner["king"], corner["queen"], corner["woman"], corner["queen"]]
    colours = [BLUE, ORANGE, ORANGE, BLUE]
    vectors(np.subtract(end, start), starts=start, colour=colours, ax=ax)
    middle = on_paper.mean(axis=0)
    for word, place in corner.items():
        away = 26 * (place - middle) / np.linalg.norm(place - middle)
        ax.annotate(word, place, away, textcoords="offset points", ha="center", va="center")
    low, high = on_paper.min(axis=0) - 0.12, on_paper.max(axis=0) + 0.12
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set(xlabel="along the first direction", ylabel="along the second")
    ax.set_title("equal differences: the blue arrows, and the orange ones", size=10)
    return figure


pictures("05_parallelogram", parallelogram)

# %% [markdown]
# ## How alike are two words?
#
# The *dot product* of two vectors multiplies number by number and sums. For vectors of length one
# it is the cosine of the angle between them. So divide by the lengths, and get the *cosine
# similarity*:
#
# $$\cos(x, y) = \frac{x \cdot y}{|x|\,|y|}, \qquad x \cdot y = \sum_d x_d\, y_d,
#   \qquad |x| = \sqrt{x \cdot x}.$$
#
# It is 1 for the same direction, 0 at a right angle, and -1 for opposite directions.


# %%
def cosine(x, y):
    return x @ y / np.sqrt((x @ x) * (y @ y))


kings, people = cosine(words["king"], words["queen"]), cosine(words["man"], words["woman"])
print(f"king and queen: {kings:.3f}, man and woman: {people:.3f}")
assert round(kings, 3) == 0.948
assert round(people, 3) == 0.927

# %% [markdown]
# An article that uses these very vectors gives 0.98 and 0.99 for them. That is not what they have:
# it takes one line to check, and one should. (Even the order is wrong.) All of them:

# %%
units = points / np.linalg.norm(points, axis=1, keepdims=True)  # (4, 5), each of length one
alike = units @ units.T  # (4, 4)
assert np.isclose(alike[0, 1], kings)
assert not np.isclose(alike[0, 1], 0.98, atol=0.03)
assert not np.isclose(alike[2, 3], 0.99, atol=0.03)
assert kings > people  # the article has them the other way round
assert round(alike[0, 2], 3) == 0.991

names = list(words)
table = lambda: heat_map(
    alike, rows=names, columns=names, numbers=".3f", quantity="cosine", limits=(0.9, 1)
)
pictures("05_cosines", table)

# %% [markdown]
# ## First flaw: near a third, near each other
#
# "hot" and "cold" both have to do with "temperature". Yet they mean the opposite. Can both be near
# temperature and far from each other? Angles do not allow it. Going from hot to cold by way of
# temperature is no shorter than going straight, so with an angle $\theta$ to temperature for both,
# theirs is at most $2\theta$. With $c = \cos\theta$,
#
# $$\cos(\mathrm{hot}, \mathrm{cold}) \ge \cos 2\theta = 2c^2 - 1.$$
#
# If you would rather see it than believe it: draw 20,000 triples of vectors at random, in four
# dimensions, so that hot and cold have the same cosine $c$ with temperature. Not one is below the
# curve, and some come close to it.


# %%
def at_cosine(c, middle, rng):
    """Vectors of length one that have the cosines c (n,) with the unit vectors `middle` (n, D)."""
    side = rng.normal(size=middle.shape)
    side -= np.sum(side * middle, axis=1, keepdims=True) * middle  # at a right angle to it
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    return c[:, None] * middle + np.sqrt(1 - c[:, None] ** 2) * side


c = rng.uniform(0, 1, 20_000)
temperature = rng.normal(size=(20_000, 4))
temperature /= np.linalg.norm(temperature, axis=1, keepdims=True)
hot, cold = at_cosine(c, temperature, rng), at_cosine(c, temperature, rng)
between = np.sum(hot * cold, axis=1)
assert np.allclose(np.sum(hot * temperature, axis=1), c)
assert np.allclose(np.sum(cold * temperature, axis=1), c)
assert (between >= 2 * c**2 - 1 - 1e-9).all()
assert (between < 2 * c**2 - 1 + 0.01).any()
print(f"at 0.9 to temperature, hot and cold are at {2 * 0.9**2 - 1:.2f} or more")


# %%
def forced():
    from matplotlib import pyplot as plt

    figure, (picture, cloud) = plt.subplots(1, 2, figsize=(9, 3.8), width_ratios=[1, 1.2])
    angle = np.arccos(0.9)
    ways = np.pi / 2 + np.array([0, angle, -angle])
    colours = [GREY, ORANGE, BLUE]
    tips = np.stack([np.cos(ways), np.sin(ways)], axis=1)
    vectors(tips, ["temperature", "hot", "cold"], colour=colours, ax=picture)
    picture.set(
        xlim=(-0.8, 0.8), ylim=(-0.1, 1.2), title="at most this far apart, if both are at 0.9"
    )
    picture.axis("off")
    cloud.scatter(c, between, s=1, color=GREY, alpha=0.5, linewidths=0, rasterized=True)
    line = np.linspace(0, 1, 100)
    cloud.plot(line, 2 * line**2 - 1, color=ORANGE, lw=2)
    cloud.text(0.5, -0.72, "$2c^2 - 1$", color=ORANGE)
    cloud.set(xlabel="cosine of each with temperature, $c$", ylabel="cosine of hot and cold")
    return figure


pictures("05_forced", forced)

# %% [markdown]
# One space for all purposes is not enough: in it two words are alike or not, and it cannot say in
# what. The remedy, in lesson 08, is to compare words in another space, into which a matrix maps them.
# It can drop what does not matter there: say, the number that tells hot from cold.
#
# ## Second flaw: likeness is mutual
#
# $x \cdot y = y \cdot x$, number by number. So the table of all dot products of the rows of a
# matrix $X$, which is $X X^\mathsf{T}$, is symmetric, whatever the vectors are: its own transpose.

# %%
X = rng.normal(size=(6, 3))
assert np.array_equal(X @ X.T, (X @ X.T).T)

# %% [markdown]
# But what one word needs of another is not mutual. In "the ball broke a window because it was
# hard", "it" is nothing without "ball", while "ball" does well without "it". No vectors, however
# they were learned, can say so by their dot products. Lesson 07 gives each word two vectors, one
# for asking and one for being asked.
#
# ## A word in its sentence
#
# A bank can be at a river or full of money. One vector for "bank" has to serve both. What it means
# is said by the words around it: so let those change it. Take for each word $i$ of a sentence a
# mean of all its words, and let those count more that are more like it. With $v_i$ of shape $(D,)$,
#
# $$s_{ij} = v_i \cdot v_j, \qquad
#   a_{ij} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}, \qquad
#   y_i = \sum_j a_{ij}\, v_j.$$
#
# The middle step is called *softmax*. It makes positive numbers of any, by $e^s$, and divides by
# their sum, so that they sum to one: shares, or *weights*, of a mean. In matrices, with a row for
# each of the $T$ words: $X$ of shape $(T, D)$, the weights $A = \mathrm{softmax}(X X^\mathsf{T})$
# of $(T, T)$, each row by itself, and the new vectors $Y = A X$ of $(T, D)$.
#
# Two numbers each will do, one for money and one for water:

# %%
meaning = {
    "bank": [1.2, 1.2],
    "of": [0.2, 0.2],
    "the": [0.1, 0.1],
    "river": [0.0, 2.4],
    "treasury": [2.4, 0.0],
}


def contextualise(sentence):
    X = np.array([meaning[word] for word in sentence])  # (T, D)
    A = softmax(X @ X.T)  # (T, T)
    return A @ X, A


sentences = [["bank", "of", "the", end] for end in ("river", "treasury")]
(by_river, A), (by_treasury, _) = map(contextualise, sentences)
print("bank, by itself:         ", meaning["bank"])
print("bank of the river:       ", by_river[0].round(2))
print("bank of the treasury:    ", by_treasury[0].round(2))
assert np.allclose(A.sum(axis=1), 1)
assert by_river[0, 1] > 2 * by_river[0, 0]
assert np.allclose(by_treasury[0], by_river[0][::-1])  # the same, with the axes exchanged

v = [np.array(meaning[word]) for word in sentences[0]]  # the formula, word by word
raised = [np.exp(v[0] @ v_j) for v_j in v]
y_bank = sum(e / sum(raised) * v_j for e, v_j in zip(raised, v))
assert np.allclose(y_bank, by_river[0])


# %%
def bank():
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), width_ratios=[1, 1.2])
    heat_map(
        A, rows=sentences[0], columns=sentences[0], sides=("word", "looks at"), numbers=".2f",
        limits=(0, 1), title="weights: each row sums to one", ax=left,
    )  # fmt: skip
    others = ["river", "treasury"]
    vectors([meaning[word] for word in others], others, colour=GREY, ax=right)
    vectors([meaning["bank"]], ["bank"], colour=PURPLE, ax=right)
    after = [by_river[0], by_treasury[0]]
    told = ["bank of\nthe river", "bank of\nthe treasury"]
    vectors(after, colour=[BLUE, ORANGE], ax=right)
    right.annotate(told[0], after[0], (8, 6), textcoords="offset points", color=BLUE)
    right.annotate(told[1], after[1], (6, 6), textcoords="offset points", color=ORANGE)
    right.set(xlabel="money", ylabel="water", ylim=(-0.2, 2.8), xlim=(-0.3, 2.9))
    return figure


pictures("05_bank", bank)

# %% [markdown]
# The word has moved towards its neighbour: the same vector in, a different one out for each
# sentence. This is attention already, but for what lessons 06 and 08 add: the two flaws are still
# in it.
#
# ## Learning vectors
#
# Where do the numbers come from? From what is known about the words. Suppose we are told how alike
# each two of six words should be, as a table $S$ of shape $(6, 6)$. Start with random vectors, rows
# of $E$ of shape $(6, D)$. Measure how far off their cosines are,
#
# $$L(E) = \frac{1}{36} \sum_{ij} \big(\cos(E_i, E_j) - S_{ij}\big)^2,$$
#
# and go down the gradient: $E \leftarrow E - \eta\, \partial L / \partial E$, again and again, with
# a number $\eta$, the *learning rate*, that says how far. `mg.optim.SGD` takes such steps, on every
# `mg.Parameter`, which is a Tensor that is to be learned. (Its name, *stochastic gradient descent*,
# is about losses from random samples; here nothing is random.)

# %%
six = ["hot", "temperature", "cold", "river", "bank", "money"]
asked = {
    ("hot", "temperature"): 0.8,
    ("cold", "temperature"): 0.8,
    ("hot", "cold"): 0.28,  # which is 2 * 0.8^2 - 1: as far apart as can be
    ("bank", "river"): 0.6,
    ("bank", "money"): 0.8,
}
S = np.eye(6)  # what is not in the list is to have nothing in common
for (one, other), similarity in asked.items():
    i, j = six.index(one), six.index(other)
    S[i, j] = S[j, i] = similarity


def cosines(E):
    units = E / np.sqrt(np.sum(np.square(E), axis=1, keepdims=True))
    return units @ units.T


def learn(S, D, steps=600, lr=1.0):
    """Vectors (n, D) whose cosines are as near to S (n, n) as they came, and all losses."""
    E = mg.Parameter(np.random.default_rng(1).normal(size=(len(S), D)))
    optimizer = mg.optim.SGD([E], lr=lr)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()  # or gradients would add up from step to step
        loss = mse_loss(cosines(E), S)  # L(E), the mean square of how far off they are
        loss.backward()
        optimizer.step()  # E <- E - lr * E.grad
        losses.append(loss.item())
    return E.detach(), losses  # detached: the vectors alone, with no graph behind them


learned = {D: learn(S, D) for D in (2, 3, 4)}
for D, (_, losses) in learned.items():
    print(f"D = {D}: the loss falls from {losses[0]:.3f} to {losses[-1]:.6f}")
E, losses = learned[4]
assert np.abs(cosines(E) - S).max() < 0.01
assert losses[-1] < 1e-5 < 1e-3 < learned[3][1][-1] < learned[2][1][-1]


# %%
def learning():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(12, 3.9), width_ratios=[1, 1, 1, 1.1])
    before = cosines(np.random.default_rng(1).normal(size=(6, 4)))
    tables = {"at the start": before, "learned, D = 4": cosines(E), "asked for": S}
    for ax, (title, table) in zip(axes, tables.items()):
        heat_map(table, rows=six, columns=six, limits=(-1, 1), title=title, ax=ax)
    for ax in axes[1:3]:
        ax.set_yticks([])
    for (D, (_, losses)), colour in zip(learned.items(), (ORANGE, PURPLE, GREEN)):
        axes[3].semilogy(losses, color=colour)
        end = (620, losses[-1]) if losses[-1] > 1e-9 else (200, 1e-9)
        axes[3].text(*end, f"D = {D}", color=colour, va="center")
    axes[3].set(xlabel="step", ylabel="loss", xlim=(0, 800), ylim=(1e-10, 2))
    return figure


pictures("05_learning", learning)

# %% [markdown]
# (Blue is above zero, orange below.) With four numbers for each word it works, with three or two it
# does not: the loss stops falling. Why four? If the vectors have length one and do what is asked,
# $S = E E^\mathsf{T}$. Such a product of a $(6, D)$ and a $(D, 6)$ matrix has at most $D$
# *independent* rows, of which none can be mixed from the others: its *rank*. So the table itself
# says how many numbers it takes.

# %%
print("the rank of S:", np.linalg.matrix_rank(S))
assert np.linalg.matrix_rank(S) == 4
assert all(np.isclose(learned[D][1][300], learned[D][1][-1]) for D in (2, 3))  # it has stopped

# %% [markdown]
# And the first flaw cannot be trained away. Ask for hot and cold to be at -0.5, and both still at
# 0.8 to temperature. The loss stops well above zero, and the learned vectors give way on all sides.
#
# Could a longer training do better? Try all there is: hot at an angle $a$ to one side of
# temperature, cold at $b$ to the other. (Out of that plane they only come nearer to each other.) Of
# the nine numbers in the table, three are right anyway, and the others come in pairs.

# %%
impossible = np.array([[1, 0.8, -0.5], [0.8, 1, 0.8], [-0.5, 0.8, 1]])  # hot, temperature, cold
compromise, losses = learn(impossible, 3)
a, b = np.meshgrid(*2 * [np.linspace(0, np.pi / 2, 250)])
off = np.stack([np.cos(a) - 0.8, np.cos(b) - 0.8, np.cos(a + b) + 0.5])  # (3, 250, 250)
best = (2 / 9 * np.sum(np.square(off), axis=0)).min()
print(f"the loss ends at {losses[-1]:.4f}; the best of {a.size:,} pairs of angles has {best:.4f}")
print("cosines of hot, temperature and cold, asked for:")
print(impossible)
print("learned:")
print(cosines(compromise).numpy().round(2))
assert abs(losses[-1] - best) < 1e-4
assert losses[-1] > 0.02
both, apart = cosines(compromise)[0, 1].item(), cosines(compromise)[0, 2].item()
assert apart > -0.5 + 0.15
assert both < 0.8 - 0.1
assert np.isclose(apart, 2 * both**2 - 1, atol=1e-3)  # on the curve of the picture

# %% [markdown]
# ## Questions
#
# Work them out first: on paper, or in a cell of your own.

# %%
ask("end_cosine", ...)

# %%
ask("end_least", ...)

# %%
ask("end_repeated_word", ...)

# %% [markdown]
# Next: `06_attention_before_transformers.py`, where attention is invented, for another reason.

# %%
print(pictures)
