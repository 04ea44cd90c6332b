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
# - prove that two words near a third must be near each other, and say why that is a problem;
# - let the words of a sentence change each other's vectors, with one softmax and one sum;
# - learn vectors from similarities by gradient descent, and say how many numbers a word needs.

# %%
from collections import Counter

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
# First two questions from older lessons.

# %%
ask("02/end_repeated", ...)

# %%
ask("01/end_two_walks", ...)

# %% [markdown]
# ## Computing with words
#
# Four words, five numbers each. Think of the numbers as answers to questions such as "how powerful?".
# They come from an article on attention, where they were made up so that the example works. (The
# course was checked against a few such articles, line by line. Where one prints something else than
# what comes out here, we say "the article". Which it was does not matter: lesson 19 has all of that
# together. How such numbers are learned, we see further down.)

# %%
words = {
    "king": np.array([0.9, 0.8, 0.7, 0.1, 0.2]),
    "queen": np.array([0.9, 0.8, 0.7, 0.1, 0.7]),
    "man": np.array([0.8, 0.6, 0.6, 0.2, 0.1]),
    "woman": np.array([0.8, 0.6, 0.6, 0.2, 0.6]),
}

# %% [markdown]
# Vectors are added and subtracted number by number. The difference king - man, added to woman,
# should give a word, too. Which numbers does it have?

# %%
ask("analogy", ...)

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
# It is queen, up to rounding (lesson 03):
#
# $$\mathrm{king} - \mathrm{man} + \mathrm{woman} = \mathrm{queen}, \qquad \text{each of shape } (5,).$$
#
# Four points of which two differences are equal are the corners of a *parallelogram*. Five axes do not
# fit on paper, so draw two of the five numbers, the second and the fifth. What is equal in all five
# numbers is equal in these two.

# %%
on_paper = {word: numbers[[1, 4]] for word, numbers in words.items()}  # (2,) each


def parallelogram():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(4.6, 4.6))
    ways = [("man", "king"), ("woman", "queen"), ("man", "woman"), ("king", "queen")]
    starts = np.array([on_paper[start] for start, _ in ways])
    ends = np.array([on_paper[end] for _, end in ways])
    vectors(ends - starts, starts=starts, colour=[BLUE, BLUE, ORANGE, ORANGE], ax=ax)
    for word, place in on_paper.items():
        way = {"queen": (0, 8), "woman": (0, 8), "man": (0, -14), "king": (22, -4)}[word]
        ax.annotate(word, place, way, textcoords="offset points", ha="center")
    ax.set(xlim=(0.4, 1.0), ylim=(0.0, 0.8), aspect="auto")
    ax.set(xlabel="second number", ylabel="fifth number")
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
# It is 1 for the same direction, 0 at a right angle, and -1 for opposite directions. The article gives
# 0.98 for king and queen, and 0.99 for man and woman. Which of three pairs is the most alike by
# its numbers? (Look at the numbers above, and at where two words differ most.)

# %%
ask("most_alike", ...)


# %%
def cosine(x, y):
    return x @ y / np.sqrt((x @ x) * (y @ y))


kings, people = cosine(words["king"], words["queen"]), cosine(words["man"], words["woman"])
print(f"king and queen: {kings:.3f}, man and woman: {people:.3f}")
assert round(kings, 3) == 0.948
assert round(people, 3) == 0.927

# %% [markdown]
# The article's 0.98 and 0.99 are not what these vectors have. One line of code checks it. Even the
# order is wrong. All pairs:

# %%
points = np.stack(list(words.values()))  # (4, 5)
units = points / np.linalg.norm(points, axis=1, keepdims=True)  # (4, 5), each of length one
alike = units @ units.T  # (4, 4)
assert np.isclose(alike[0, 1], kings)
assert not np.isclose(alike[0, 1], 0.98, atol=0.03)
assert not np.isclose(alike[2, 3], 0.99, atol=0.03)
assert kings > people  # the article has them the other way round
assert round(alike[0, 2], 3) == 0.991

names = list(words)
table = lambda: heat_map(
    alike,
    rows=names,
    columns=names,
    numbers=".3f",
    quantity="cosine",
    limits=(0.9, 1),
    title="colours begin at 0.9",
)
pictures("05_cosines", table)

# %% [markdown]
# ## First flaw: near a third, near each other
#
# "hot" and "cold" both have to do with "temperature". Yet they mean the opposite. Can both be near
# temperature and far from each other? Let all three have length one. Call temperature $t$, and let hot
# and cold both have the cosine $c$ with it. Then each consists of a part along $t$ and a part at a
# right angle to $t$:
#
# $$\mathrm{hot} = c\, t + r\, u, \qquad \mathrm{cold} = c\, t + r\, w, \qquad r = \sqrt{1 - c^2},$$
#
# where $u$ and $w$ have length one, too. Multiply, with $t \cdot t = 1$ and
# $t \cdot u = t \cdot w = 0$:
#
# $$\mathrm{hot} \cdot \mathrm{cold} = c^2 + r^2\, u \cdot w \ge c^2 - r^2 = 2c^2 - 1,$$
#
# as $u \cdot w$ is a cosine, and that is -1 at least. It is -1 where $w = -u$: then all three lie in
# the plane of $t$ and $u$, with temperature in the middle.

# %%
ask("hot_and_cold", ...)

# %% [markdown]
# To see it, draw 20,000 triples at random, each vector of four numbers, so that hot and
# cold have the same cosine $c$ with temperature. Not one is below the curve, and some come close.


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
# One set of vectors for all purposes is not enough: two words are alike or not, and nothing says in
# which respect. The remedy comes in lesson 07. There each vector is first multiplied by a matrix, and
# the results are compared. Such a matrix can drop what does not matter there: the number in which hot
# and cold differ.
#
# ## Second flaw: likeness is mutual
#
# $x \cdot y = y \cdot x$, number by number. So the table of all dot products of the rows of a matrix
# $X$, which is $X X^\mathsf{T}$, is symmetric (equal to its transpose), whatever the vectors are.

# %%
X = rng.normal(size=(6, 3))
assert np.array_equal(X @ X.T, (X @ X.T).T)

# %% [markdown]
# But what one word needs of another is not mutual. In "the ball broke a window because it was
# hard", "it" means nothing without "ball", while "ball" is clear without "it". No vectors can express
# this by their dot products, however they were learned. Lesson 07 gives each word two vectors, one
# for asking and one for being asked.
#
# ## A word in its sentence
#
# A bank can be at a river or full of money. One vector for "bank" has to serve both. The words around
# it say what it means: so let those change it. The simplest way: sum up all words, each times its dot
# product with the one that is to change, $y_i = \sum_j (v_i \cdot v_j)\, v_j$. But such a sum grows
# with the sentence, and products can be negative. Better is a *mean* of all words, in which those
# count more whose dot product with word $i$ is larger: they are more like it, or longer. With $v_i$ of
# shape $(D,)$,
#
# $$s_{ij} = v_i \cdot v_j, \qquad
#   a_{ij} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}, \qquad y_i = \sum_j a_{ij}\, v_j.$$
#
# The $s_{ij}$ are called *scores*. The middle step is the *softmax*. It turns all numbers into
# positive ones, by $e^s$, and divides by their sum, so that they sum to one: the *weights* of a mean.
# Why $e^s$? It is positive, and whoever has a score that is larger by 1 gets 2.7 times the weight.
# (No other function does that for all scores, except with another number than 2.7: lesson 10b.) In
# matrices, with a row for each of the $T$ words ([all letters](SYMBOLS.md)): $X$ of shape $(T, D)$,
# the weights $A = \mathrm{softmax}(X X^\mathsf{T})$ of $(T, T)$, each row by itself, and the new
# vectors $Y = A X$ of $(T, D)$. (The plain sum is $X X^\mathsf{T} X$.)
#
# Two numbers for each word are enough, one for money and one for water:

# %%
meaning = {
    "bank": [1.2, 1.2],
    "of": [0.2, 0.2],
    "the": [0.1, 0.1],
    "river": [0.0, 2.4],
    "treasury": [2.4, 0.0],
}

# %% [markdown]
# Which word of "bank of the river" gets the largest weight from "bank"? It takes four products.

# %%
ask("bank_looks", ...)


# %%
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
# The word has moved towards the last word of its sentence: the same vector in, a different one out
# for each sentence. This is attention already. But both flaws are still in it, and lesson 07 repairs
# them. On a page of its steps you can change every number, and see what "bank" becomes. (If you read
# this in a browser, [the page is here](out/05_bank.html).)

# %%
X = mg.Tensor([meaning[word] for word in sentences[0]], requires_grad=True)  # (T, D)
with mg.record():
    scores = X @ X.T  # (T, T)
    weights = softmax(scores)  # (T, T)
    Y = weights @ X  # (T, D)
    water = Y[0, 1]  # the second number of "bank"
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(water, pictures.folder / "05_bank.html", title="bank of the river: water")
print("open in a browser:", page)

# %% [markdown]
# ## Along a chain (optional)
#
# By the first flaw, words near a third are near each other. The article goes further. It says: from
# word to word, in the end everything is near everything, and so every word *attends* to every other,
# that is, gives it weight. How far does nearness reach? Take a chain of words in which each has a
# cosine of 0.9 with the next. The angle between neighbours is 25.84 degrees. We ask for the cosine
# between the first word and the word $n$ steps later. $n$ steps make at most $n$ times that angle,
# when all lie in one plane, like a fan that opens by it at each step. So the cosine is at least
# $\cos(25.84° n)$, up to $n = 6$. Seven steps are more than 180 degrees: from there on a chain that
# bends can make the two opposite, and the least is $-1$. Or let each step turn by the same angle, but
# to a side that is drawn at random. Each step keeps 0.9 of the vector before, and adds a part at a
# right angle to it, which is zero on average. So the cosine is $0.9^n$ on average.

# %%
steps = np.arange(9)
fan = np.cos(np.minimum(steps * np.arccos(0.9), np.pi))  # no more than opposite
chains = np.zeros((9, 2000, 50))  # 2000 chains of vectors with 50 numbers
chains[0, :, 0] = 1
for n in steps[1:]:
    chains[n] = at_cosine(np.full(2000, 0.9), chains[n - 1], rng)
along = np.sum(chains * chains[0], axis=-1)  # (9, 2000): the cosine with the first
print("steps:              ", *(f"{n:5}" for n in steps))
print("least possible:     ", *(f"{each:5.2f}" for each in fan))
print("with random turns:  ", *(f"{each:5.2f}" for each in along.mean(axis=1)))
assert np.allclose(along.mean(axis=1), 0.9**steps, atol=0.02)
assert (along >= fan[:, None] - 1e-9).all()

shares = softmax(chains[:, 0] @ chains[:, 0].T)[0]  # (9,): of the first word of one chain
print("weights of the first word:", shares.round(2))
assert round(shares.max() / shares.min(), 1) == 1.6

# %% [markdown]
# So two steps of 0.9 force 0.62, and three force 0.22. After four the cosine can be below zero, and
# after seven it can be anything. Nearness does not reach far. But the article is partly right: the
# softmax gives no word the weight zero, and between vectors of length one all scores lie between -1
# and 1. The largest weight is then at most $e^2 = 7.4$ times the smallest. In this chain it is 1.6
# times. So every word does attend to every other. In a short sentence, only where vectors are long, or
# where a factor makes scores larger (lesson 07), can a weight come so close to zero that it does not
# count.
#
# ## Learning vectors
#
# Where do the numbers come from? From what is known about the words. Suppose we are told how alike
# every two of six words should be, as a table $S$ of shape $(6, 6)$. Start with random vectors, rows
# of $E$ of shape $(6, D)$. Measure how far off their cosines are,
#
# $$L(E) = \frac{1}{36} \sum_{ij} \big(\cos(E_i, E_j) - S_{ij}\big)^2,$$
#
# and go down the gradient: $E \leftarrow E - \eta\, \partial L / \partial E$, again and again, with a
# learning rate $\eta$ (lesson 03b). `mg.optim.SGD` takes such steps, on each `mg.Parameter` that it is
# given: a Tensor that training may change. Each step uses all pairs.
#
# What we ask for: hot and cold at 0.8 to temperature, and at 0.28 to each other, which is
# $2 \cdot 0.8^2 - 1$, as far apart as can be. bank at 0.6 to river and at 0.8 to money. All other
# pairs should have the cosine 0, a right angle: they have nothing in common.
#
# How many numbers does that take? hot and cold are as far apart as they can be, so these three words
# lie in one plane, as we saw. Nor does bank need a direction of its own: as $0.6^2 + 0.8^2 = 1$, it
# can be $0.6$ river $+\ 0.8$ money, with river and money at a right angle. That is one plane again.

# %%
ask("how_many_numbers", ...)

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
# (Blue is above zero, orange below.) With four numbers for each word it works. With three or two the
# loss stops falling. The table $S$ itself says how many are needed. If the vectors have length one
# and do what is asked, $S = E E^\mathsf{T}$. Each row of $E E^\mathsf{T}$ is a sum of multiples of
# the $D$ rows of $E^\mathsf{T}$. So at most $D$ of them are *linearly independent*: none a sum of
# multiples of the others. Their number is called the *rank* of $S$ ([mathematics](MATHEMATICS.md),
# under Matrices).

# %%
print("the rank of S:", np.linalg.matrix_rank(S))
assert np.linalg.matrix_rank(S) == 4
assert all(np.isclose(learned[D][1][300], learned[D][1][-1]) for D in (2, 3))  # it has stopped

# %% [markdown]
# ## What cannot be learned (optional)
#
# The first flaw cannot be trained away. Ask for hot and cold to be at -0.5, and both still at
# 0.8 to temperature. The loss stops well above zero, and none of the three cosines comes out as asked.
#
# Could a longer training do better? Try all possibilities: hot at an angle $a$ to one side of
# temperature, cold at $b$ to the other. (Within one plane hot and cold are $a + b$ apart. If cold
# leaves the plane and keeps its angle to temperature, the two come nearer: the way by temperature is
# then a detour.) Of the nine numbers in the table, the three ones on the diagonal are right anyway,
# and the others come in pairs.

# %%
impossible = np.array([[1, 0.8, -0.5], [0.8, 1, 0.8], [-0.5, 0.8, 1]])  # hot, temperature, cold
compromise, losses = learn(impossible, 3)
a, b = np.meshgrid(*2 * [np.linspace(0, np.pi / 2, 250)])  # (250, 250) each: every a, every b
off = np.stack([np.cos(a) - 0.8, np.cos(b) - 0.8, np.cos(a + b) + 0.5])  # (3, 250, 250)
best = (2 / 9 * np.sum(np.square(off), axis=0)).min()
print(f"the loss ends at {losses[-1]:.4f}; the best of {a.size:,} pairs of angles has {best:.4f}")
print("learned:")
print(cosines(compromise).numpy().round(2))
assert abs(losses[-1] - best) < 1e-4
assert losses[-1] > 0.02
both, apart = cosines(compromise)[0, 1].item(), cosines(compromise)[0, 2].item()
assert apart > -0.5 + 0.15
assert both < 0.8 - 0.1
assert np.isclose(apart, 2 * both**2 - 1, atol=1e-3)  # on the curve of the picture

# %% [markdown]
# ## From text to rows of numbers (optional)
#
# Which words get a vector? All words of a language are too many, and single letters say too little. So
# one takes *subwords*: common words whole, rare ones in pieces. They are found by counting, in a way
# that is called *byte pair encoding* (BPE). Begin with letters. Find the pair of neighbours that
# occurs most often (the first one, if several occur equally often), and join it into one piece.
# Repeat. Here is a text with four words, and how often each occurs (`_` is the end of a word):

# %%
text = {"low_": 5, "lower_": 2, "newest_": 6, "widest_": 3}
pieces = {word: list(word) for word in text}
merged = []
for _ in range(6):
    pairs = Counter()
    for word, times in text.items():
        for pair in zip(pieces[word], pieces[word][1:]):
            pairs[pair] += times
    (first, second), most = max(pairs.items(), key=lambda item: item[1])
    merged.append((first + second, most))
    for word, old in pieces.items():
        new = []
        for piece in old:
            if new and new[-1] == first and piece == second:
                new[-1] = first + second
            else:
                new.append(piece)
        pieces[word] = new
print("merged:", *(f"{piece} ({times} times)" for piece, times in merged))
print("words:", *("|".join(each) for each in pieces.values()))
assert merged[:3] == [("es", 9), ("est", 9), ("est_", 9)]

# %% [markdown]
# By hand: `e` `s` occurs in "newest" 6 times and in "widest" 3 times, 9 in all, and no pair more
# often. After six such steps "low" and "est_" are pieces, and a new word such as "lowest_" is
# written with two of them.
#
# Each piece has a number, its place in the list of pieces, and a row in a table of vectors. In papers
# the look-up is often written as a product: the piece as a row of zeros with a single 1 (*one-hot*),
# times the table. The 1 picks the row at its place. On the way back, the transposed matrix brings each
# gradient to the row that was picked, and adds where one was picked twice. So it gives the same result
# and the same gradient as an index (lesson 02), only slower: $n$ pieces of $N$, $D$ wide, take $n N D$
# multiplications, nearly all of them by 0, and an array of $(n, N)$ zeros and ones, for a copy of $n$
# rows. (For a function `f` of a Tensor, `mg.grad(f)` is a function, too: `mg.grad(f)(x)` is the
# gradient of the number `f(x)` with respect to `x`.)

# %%
known = ["low", "est_", "n", "e", "w"]
table = mg.Tensor(rng.normal(size=(5, 3)), requires_grad=True)  # a row for each piece
ids = [known.index(piece) for piece in ("low", "est_")]
one_hot = np.eye(5)[ids]  # (2, 5)
G = rng.normal(size=(2, 3))
by_product = mg.grad(lambda table: np.sum((one_hot @ table) * G))(table)
by_index = mg.grad(lambda table: np.sum(table[ids] * G))(table)
assert np.allclose((one_hot @ table).detach(), table[ids].detach())
assert np.allclose(by_product, by_index)

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_cosine", ...)

# %%
ask("end_least", ...)

# %%
ask("end_repeated_word", ...)

# %% [markdown]
# Now write it: the exercises `cosine`, `softmax` and `contextualise`
# (`python -m minigrad exercises check 05`).
#
# Next: `06_attention_before_transformers.py`, where attention is invented, for another reason.

# %%
print(pictures)
