# %% [markdown]
# # 07 Queries, keys and values by hand
#
# *What a word asks, where it is found, what it delivers: in small numbers. About 5 seconds.*
#
# A few words, small numbers, and every step on the page. Then a published example is tested, and
# gradient descent finds by itself what its matrices compute.
#
# After it you can
#
# - compute scores, weights and outputs of attention by hand;
# - say what a query, a key and a value are for, and why a word needs all three;
# - turn attention from a mean into nearly a look-up, with one factor;
# - check a published picture against its own numbers (optional);
# - read from $W_Q W_K^\mathsf{T}$ what is compared with what.

# %%
import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import mse_loss, softmax
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, PURPLE, heat_map, vectors
from minitransformer.views.model_plots import attention_map

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("07")
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("05/hot_and_cold", ...)

# %%
ask("06/end_weights", ...)

# %% [markdown]
# ## A word that asks
#
# "The ball broke the window, because it was hard." What was hard? To understand "it", a reader has to
# look at "ball". But "ball" can be read without "it". With one vector for each word this cannot be
# said: a product of two vectors is the same both ways (lesson 05).
#
# Lesson 06 compared two different things, a state of the decoder and a state of the encoder, and
# mapped each side by a different matrix. The transformer does the same within one sentence, which is
# called *self-attention*. There each word is mapped three times, and gets three vectors:
#
# - its *query* says what it asks for;
# - its *key* says what it is found by;
# - its *value* is what it delivers when it is found.
#
# The score of word $i$ with word $j$ is the product of the query of $i$ and the key of $j$,
#
# $$s_{ij} = q_i \cdot k_j ,$$
#
# and $i$ gets the *weighted mean* of all values; the weights are the softmax of its scores. In all
# tables below, the row is the word that asks, and the column is the word that is asked.
#
# Now in numbers. Four words with three numbers each: is it a pronoun, is it a thing, is it an action?
# (The window counts as less of a thing, 0.6: it is broken, and less likely to be talked about.) Each
# of the three numbers has a row in the matrix that makes queries, and one in the matrix that makes
# keys. We choose the keys first: a thing is found by $(1, 1)$, an action by $(1, -1)$, a pronoun by
# $(-1, -1)$. Then each asks in the direction of the key that it needs: a thing for an action, what it
# did or what was done to it, $(1, -1)$; an action for a thing, $(1, 1)$; and a pronoun for a thing as
# well, but more urgently, $(2.5, 1.5)$.

# %%
sentence = ["ball", "broke", "window", "it"]
words = np.array([[0, 1, 0], [0, 0, 1], [0, 0.6, 0], [1, 0, 0]])  # (4, 3): pronoun, thing, action
asks = np.array([[2.5, 1.5], [1, -1], [1, 1]])  # (3, 2): what a pronoun, thing, action asks
is_asked = np.array([[-1, -1], [1, 1], [1, -1]])  # (3, 2): what each is found by
ball, it = sentence.index("ball"), sentence.index("it")
print("it and ball, before they are mapped: product", words[it] @ words[ball])

# %% [markdown]
# So "it" and "ball" are at a right angle: before they are mapped they have nothing in common. A row
# of a product of matrices is easy to find by hand: "it" is $(1, 0, 0)$, which picks the
# first row, so its query is $(2.5, 1.5)$ and its key $(-1, -1)$. "ball" is $(0, 1, 0)$, which picks
# the second row: its query is $(1, -1)$ and its key $(1, 1)$.

# %%
ask("it_asks_ball", ...)

# %%
queries = words @ asks  # (4, 2)
keys = words @ is_asked  # (4, 2)
scores = queries @ keys.T  # (4, 4): row asks, column is asked
weights = softmax(scores)  # (4, 4)
print("scores:", scores.round(1), sep="\n")
print("weights:", weights.round(2), sep="\n")
assert weights[it, ball] > 3 * weights[ball, it]

# %% [markdown]
# The picture lays queries and keys over each other. A key in the direction of a query has a large
# product with it. At a right angle the product is zero, and in the opposite direction it is negative.


# %%
def queries_and_keys():
    from matplotlib import pyplot as plt

    figure, (arrows, table) = plt.subplots(1, 2, figsize=(10, 4.2))
    vectors(keys, colour=ORANGE, width=4, ax=arrows)
    vectors(queries[[it, ball]], colour=BLUE, ax=arrows)
    for text, tip, away, colour in [
        *((word, key, (-10, 2), ORANGE) for word, key in zip(sentence, keys)),
        ("it asks", queries[it], (6, 4), BLUE),
        ("ball asks", queries[ball], (6, -6), BLUE),
    ]:
        side = {"ha": "left" if away[0] > 0 else "right", "textcoords": "offset points"}
        arrows.annotate(text, tip, away, color=colour, **side)
    arrows.set(xlim=(-1.7, 3.4), ylim=(-1.7, 2.1), title="queries (blue) and keys (orange)")
    heat_map(
        scores, rows=sentence, columns=sentence, sides=("asks", "is asked"), numbers=".1f",
        title="scores", limits=(-4, 4), ax=table,
    )  # fmt: skip
    for i, j in ((it, ball), (ball, it)):
        table.add_patch(plt.Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, lw=2.5))
    return figure


pictures("07_queries_and_keys", queries_and_keys)

# %% [markdown]
# ## One matrix for both is not enough
#
# With the same matrix for queries and keys, $W_Q = W_K = W$, the table of scores is
# $X W (X W)^\mathsf{T}$. It is its own transpose: the score of "it" with "ball" is that of "ball" with
# "it", as both are the product of the same two rows of $X W$. Try a thousand matrices:

# %%
for _ in range(1000):
    W = rng.normal(size=(3, rng.integers(1, 7)))  # of any width from 1 to 6
    shared = (words @ W) @ (words @ W).T
    assert np.allclose(shared, shared.T)

# %% [markdown]
# This is about the scores. The softmax divides each row by a different sum, so the *weights* of the
# two can still differ. But whatever raises the score of "ball" for "it" raises that of "it" for
# "ball".

# %%
one_for_both = softmax(shared)
print(f"scores with the last of them: {shared[it, ball]:.2f} and {shared[ball, it]:.2f}; ", end="")
print(f"weights: {one_for_both[it, ball]:.2f} and {one_for_both[ball, it]:.2f}")
assert not np.allclose(one_for_both, one_for_both.T, atol=0.01)

# %% [markdown]
# ## Finding and delivering
#
# Why a value, besides the key? Lesson 05 had another complaint: "hot" and "cold" must both be near
# "temperature", so they come near each other, though they mean the opposite. Take two numbers for
# each. The first says how much the word is about temperature, the second is above zero for hot and
# below for cold:
#
# $$\mathrm{hot} = (1, 1), \qquad \mathrm{cold} = (1, -1), \qquad \mathrm{temperature} = (1, 0).$$
#
# A word about temperature should *find* both, by the first number. What it then *gets* is the second
# number. So the matrix of queries and keys drops the second number, and the matrix of values keeps it.
# (Here likeness is enough, so one matrix, `find`, serves for queries and keys.)

# %%
thermal = ["hot", "cold", "temperature"]
meaning = np.array([[1.0, 1], [1, -1], [1, 0]])  # (3, 2)
find = np.array([[1.0], [0]])  # (2, 1), for queries and keys: the first number
deliver = np.array([[0.0], [1]])  # (2, 1), for values: the second

# %%
ask("three_weights", ...)

# %%
queries, keys, values = meaning @ find, meaning @ find, meaning @ deliver  # (3, 1) each
found = softmax(queries @ keys.T)  # (3, 3)
print("keys:  ", dict(zip(thermal, keys[:, 0].tolist())))
print("values:", dict(zip(thermal, values[:, 0].tolist())))
print("weights that temperature gives:", found[2].round(3))

for other in (0, 1):
    pair = [other, 2]
    output = softmax(queries[pair] @ keys[pair].T) @ values[pair]  # (2, 1)
    print(f"with {thermal[other]} beside it, temperature gets {output[1, 0]:+.1f}")

# %% [markdown]
# All three are found alike, and still "hot" and "cold" deliver opposites. In one space for everything
# no vectors are both alike (cosine 1) and opposite (cosine -1). Here are the three spaces: the words as
# they are given, the space where they are compared, and the space of what they deliver.


# %%
def three_spaces():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4))
    compared, given, delivered = axes
    colours = [ORANGE, BLUE, PURPLE]
    vectors(np.column_stack([keys, 0 * keys]), colour=colours, ax=compared)
    compared.annotate("all three", (1, 0), (0, 8), textcoords="offset points", ha="center")
    vectors(meaning, thermal, colour=colours, ax=given)
    vectors(
        np.column_stack([0 * values, values])[:2], thermal[:2], colour=colours[:2], ax=delivered
    )
    delivered.plot([0], [0], "o", color=PURPLE)
    beside = {"xytext": (8, -4), "textcoords": "offset points"}
    delivered.annotate("temperature", (0, 0), **beside, color=PURPLE)
    titles = ["attention space: queries, keys", "input space: the words", "output space: values"]
    for ax, title in zip(axes, titles):
        ax.set(xlim=(-0.4, 2.1), ylim=(-1.4, 1.4), title=title, xlabel="", ylabel="")
    for text, x, side in (
        ("$\\leftarrow$ find", -0.4, "left"),
        ("deliver $\\rightarrow$", 2.1, "right"),
    ):
        given.text(x, -1.3, text, ha=side, color=GREY, size=13)
    return figure


pictures("07_three_spaces", three_spaces)

# %% [markdown]
# ## A soft dictionary
#
# The words *query*, *key* and *value* come from databases. There, as in a dictionary of Python, a
# value is stored under a key; a query that equals the key gets the value, and a query that equals no
# key gets an error:

# %%
degrees = {"hot": 30.0, "mild": 15.0, "cold": 0.0}
print("is 'warm' one of the keys?", "warm" in degrees)

# %% [markdown]
# Attention is a dictionary in which query and key do not have to be equal. Both are vectors, and every
# key counts, the more the better it fits:
#
# | | dictionary | attention |
# |---|---|---|
# | query and key | are equal or not | have a product: the score |
# | what counts | the one key that is equal | all keys, with weights |
# | result | its value | the mean of all values with these weights |
#
# Let "warm" be $(1, 0.5)$, between mild, $(1, 0)$, and hot, $(1, 1)$. Its scores with hot, mild and
# cold are $1.5$, $1$ and $0.5$. What comes out depends on how large the scores are: multiply all by
# one factor, and the weights change. The factor 0 makes all scores equal: then the result is the
# plain mean, 15 degrees. Factors of 1, 4, 16 and 64 follow.

# %%
ask("sharpest", ...)

# %%
warm = np.array([1, 0.5])
keys = np.array([[1.0, 1], [1, 0], [1, -1]])  # (3, 2): hot, mild, cold
values = np.array(list(degrees.values()))  # (3,)
for factor in (0, 1, 4, 16, 64):
    shares = softmax(factor * (keys @ warm))  # (3,)
    print(f"scores times {factor:2}: weights {shares.round(3)}, {shares @ values:.3f} degrees")


# %%
def from_mean_to_look_up():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 3.6))
    factors = np.geomspace(0.1, 100, 200)
    for name, query, colour in [
        ("warm", [1, 0.5], ORANGE), ("mild", [1, 0.0], GREEN), ("cool", [1, -0.4], BLUE)
    ]:  # fmt: skip
        out = softmax(factors[:, None] * (keys @ query)) @ values  # (200,)
        ax.semilogx(factors, out, color=colour, lw=2)
        ax.annotate(
            name, (factors[-1], out[-1]), (6, 0), textcoords="offset points", color=colour,
            va="center",
        )  # fmt: skip
    ax.set(xlabel="factor of all scores", ylabel="degrees that come out", xlim=(0.1, 160))
    ax.set_xticks([0.1, 1, 4, 16, 64], ["0.1", "1", "4", "16", "64"])
    ax.minorticks_off()
    return figure


pictures("07_soft_dictionary", from_mean_to_look_up)

# %% [markdown]
# With a large factor, attention is very nearly a look-up of the best key. With a small one it is a mean
# of everything. In between it is both, and its result changes smoothly with the query and the keys: so
# it has gradients, and can learn what to look up. (A tie stays a tie. The query "mild", $(1, 0)$, has
# the product 1 with all three keys. So each key gets a third with every factor, even 64, and 15 comes
# out.)
#
# ## Six vectors
#
# Now an example from an article, with more numbers (its picture is number 7 in lesson 19). Six vectors
# in space, as rows of $X$ of shape $(6, 3)$. v1 and v2 nearly agree, v3 and v4 do, v5 is the opposite of
# v1, and v6 is equally near to all three axes.

# %%
X = np.array(
    [
        [1.0, 0.0, 0.0],
        [0.95, 0.1, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.95, 0.1],
        [-1.0, 0.0, 0.0],
        [0.5, 0.5, 0.5],
    ]
)
names = ["v1", "v2", "v3", "v4", "v5", "v6"]

# %% [markdown]
# The matrices are the article's. $W_Q$ and $W_K$ map three numbers to six, so they have the shape
# $(3, 6)$. (Any width would do, as long as both have the same. Two of the six columns of $W_Q$ are
# zeros and so count nothing.) $W_V$ is the *identity*, which changes nothing: the values are the
# vectors themselves. (The code writes the six columns as triples, and transposes.)

# %%
W_Q = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0], [2, 0, 0]]).T
W_K = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 5], [0, 0, 3], [0, 0, 5], [2, 0, 0]]).T
W_V = np.eye(3)
assert W_Q.shape == W_K.shape == (3, 6)

# %% [markdown]
# All queries are the rows of one matrix, $Q = X W_Q$, and in the same way all keys and values. Then all
# scores are one product of matrices, and so are all outputs:
#
# $$Q = X W_Q, \quad K = X W_K, \quad V = X W_V,$$
#
# $$A = \mathrm{softmax}\!\left(\frac{Q K^\mathsf{T}}{\sqrt 6}\right), \qquad Y = A V.$$
#
# $Q$ and $K$ have the shape $(6, 6)$ (six vectors, six numbers each), $Q K^\mathsf{T}$ and $A$ too
# (six that ask, six that are asked), and $Y$ is $(6, 3)$. The softmax works on each row. New is only
# the division by $\sqrt 6$, the root of the width of queries and keys. It is a factor as in the last
# section, here 0.41. Lesson 08 says why it is the root.

# %%
ask("zero_query", ...)

# %%
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
products = Q @ K.T
print("products of queries (rows) and keys (columns):")
print(products)
assert np.allclose(products[0], [6, 5.7, 0, 0, -6, 3])

A = softmax(products / np.sqrt(6))
Y = A @ V
print("weights:", A.round(3), sep="\n")
print("outputs:", Y.round(3), sep="\n")
assert np.allclose(A[0], [0.424, 0.375, 0.037, 0.037, 0.003, 0.125], atol=5e-4)
assert np.allclose(A[2], 1 / 6)  # v3 has no product with anything
assert np.allclose(Y[5], [0.636, 0.324, 0.136], atol=5e-4)
assert np.allclose(mt.attention(Q, K, V)[0], Y)  # the library's

by_hand = np.exp(products[5] / np.sqrt(6))  # v6 alone, by the formula
assert np.allclose(by_hand / by_hand.sum() @ X, Y[5])

picture_of_weights = lambda: attention_map(A, queries=names, keys=names, numbers=".2f")
pictures("07_weights", picture_of_weights)

# %% [markdown]
# ## Which way did v6 go? (optional)
#
# A mean of vectors that point in different ways is mostly shorter than they are. To compare
# directions, bring the outputs to length one. The article draws the six as arrows in space, before
# and after. In its picture v6 moves to v1 and v2, and away from v3 and v4. Is that true? Measure the
# cosines of all pairs, among the six before, and among the six after.

# %%
ask("moved", ...)

# %%
unit = lambda rows: rows / np.linalg.norm(rows, axis=1, keepdims=True)
before, after = unit(X), unit(Y)
alike_before, alike_after = before @ before.T, after @ after.T
for i in range(5):
    print(f"v6 with {names[i]}: {alike_before[5, i]:5.2f}, then {alike_after[5, i]:5.2f}")
assert np.allclose(after[5], [0.876, 0.445, 0.188], atol=5e-4)
assert round(alike_before[5, 2], 2) == 0.58  # with v3
assert round(alike_after[5, 2], 2) == 0.84

# %% [markdown]
# Its cosine with v3 rises from 0.58 to 0.84, and that with v4 as well. v6 has come nearer to v1 and
# v2, *and* nearer to v3 and v4. These numbers follow from the article's matrices. Its picture shows
# something else, since two of the outputs in it were rotated by hand.
#
# How can v6 come nearer to both? v3 and v4 have moved as well: v3 gives all six the same weight, so it
# moves to the mean of all. If v3 and v4 are turned back to where they *were*, v6 seems to move away
# from them, as in the right part of the next picture. A picture has to say which of the two it shows.

# %%
to_where_it_was = after[5] @ before[2]
print(f"v6 after, with v3 before: {to_where_it_was:.2f}")
assert round(to_where_it_was, 2) == 0.45
assert np.allclose(Y[2], X.mean(axis=0))


# %%
def before_and_after():
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(12, 4))
    colours = [BLUE, BLUE, GREEN, GREEN, GREY, ORANGE]
    labels = ["", "v1, v2", "", "v3, v4", "v5", "v6"]
    turned = after.copy()
    turned[2:4] = before[2:4]
    told = {"before": before, "after attention": after, "after, but v3 and v4 turned back": turned}
    for place, (title, rows) in enumerate(told.items(), 1):
        ax = figure.add_subplot(1, 3, place, projection="3d")
        vectors(rows, labels, colour=colours, names=("x", "y", "z"), title=title, ax=ax)
        ax.set(xlim=(-1.1, 1.3), ylim=(-0.2, 1.1), zlim=(-0.1, 0.7))
        ax.set_box_aspect((2.4, 1.3, 0.8), zoom=1.1)
        ax.view_init(elev=28, azim=-72)
    return figure


pictures("07_before_and_after", before_and_after)

# %% [markdown]
# ## What is compared with what
#
# The scores depend on $W_Q$ and $W_K$ only through one matrix, of shape $(3, 3)$. In a transposed
# product [the order turns round](MATHEMATICS.md#matrices):
# $(X W_K)^\mathsf{T} = W_K^\mathsf{T} X^\mathsf{T}$. So, as $Q = X W_Q$ and $K = X W_K$,
#
# $$Q K^\mathsf{T} = X \,(W_Q W_K^\mathsf{T})\, X^\mathsf{T}.$$
#
# Its number in row $a$, column $b$ says how much the number $a$ of the vector that asks counts with
# the number $b$ of the one that is asked.

# %%
ask("first_with_first", ...)

# %%
M = W_Q @ W_K.T
print("W_Q W_K^T:")
print(M)
assert np.array_equal(M, [[6, 0, 0], [0, 0, 0], [0, 0, 5]])
assert np.allclose(X @ M @ X.T, products)

# %% [markdown]
# Read it: the first number of one is compared with the first of the other, six times; the third with
# the third, five times; the second number with nothing. That is why v3, which has only a second
# number, finds nothing to compare, and takes the mean.
#
# This matrix is symmetric, though $W_Q$ and $W_K$ are different. So here the scores are symmetric
# too: the score of v1 with v6 is that of v6 with v1. With two matrices, scores can differ in the two
# directions, but they do not have to.

# %%
assert not np.array_equal(W_Q, W_K)
assert np.array_equal(M, M.T)
assert np.allclose(products, products.T)

# %% [markdown]
# ## Let gradient descent find them
#
# Now keep only what went in, $X$, which is the values, too, and what came
# out, $Y$. Start with random $W_Q$ and $W_K$, and go down the gradient of how far off the output is.
# (`Adam` takes the steps, as in lesson 06.)

# %%
found_q = mg.Parameter(rng.normal(size=(3, 6)) / 3)
found_k = mg.Parameter(rng.normal(size=(3, 6)) / 3)
optimizer = mg.optim.Adam([found_q, found_k], lr=0.05)
losses, path = [], []
for _ in range(1500):
    optimizer.zero_grad()
    output, _ = mt.attention(X @ found_q, X @ found_k, X)
    loss = mse_loss(output, Y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    path.append((found_q.detach() @ found_k.detach().T).numpy())
print(f"the loss falls from {losses[0]:.3f} to {losses[-1]:.1e}")
print("W_Q by the article, and learned:")
print(W_Q)
print(found_q.detach().numpy().round(1))
print("W_Q W_K^T, learned:")
print(path[-1].round(2))
assert losses[-1] < 1e-10
assert not np.allclose(found_q.detach(), W_Q, atol=0.5)
assert np.allclose(path[-1], M, atol=0.05)

# %% [markdown]
# It did not find the same matrices, but the same product $W_Q W_K^\mathsf{T}$, on which alone the
# outputs depend.


# %%
def finding():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 5, figsize=(12, 2.9), width_ratios=[1, 1, 1, 1, 1.6])
    for ax, step in zip(axes, (0, 50, 200, 1499)):
        heat_map(path[step], limits=(-6, 6), numbers=".1f", title=f"step {step + 1}", ax=ax)
        ax.set(xticks=[], yticks=[])
    axes[4].semilogy(losses, color=BLUE)
    axes[4].set(xlabel="step", ylabel="loss")
    figure.suptitle("$W_Q W_K^T$ as it is learned, and the loss", size=11)
    return figure


pictures("07_learned", finding)

# %% [markdown]
# ## Why no other product does it (optional)
#
# Could another product give the same outputs? No. The scores of a vector $x$ with the rows of $X$ are
# $X r$, with three numbers $r$, which are $x\, W_Q W_K^\mathsf{T} / \sqrt 6$. Its output is the mean
# $m(r)$ of the rows with the weights $\mathrm{softmax}(X r)$. Go from one $r$ to another, straight, in
# the direction $d$. On the way, how does $m \cdot d$ change? Its derivative is the *variance* of the
# six numbers $u = X d$ under the weights: the mean of their squared distances from their mean (see
# [mathematics](MATHEMATICS.md)). (By the
# quotient rule a weight $a_j$ changes by $a_j (u_j - \bar u)$, where $\bar u = \sum_k a_k u_k$ is the
# mean of the six. So $m \cdot d = \sum_j a_j u_j$ changes by $\sum_j a_j (u_j - \bar u)\, u_j$, which
# is the variance. Lesson 08 derives this rule of the softmax.) The variance is zero only if all six
# numbers $u_j$ are equal; and they are not, as the six points do not lie in one plane. So $m \cdot d$
# rises all the way, and another $r$ has another mean. And v1, v3 and v6 together fix all of
# $W_Q W_K^\mathsf{T}$, as every vector is a sum of multiples of these three.

# %%
r, d = rng.normal(size=(2, 3))
along = lambda t: softmax(X @ (r + t * d)) @ X @ d  # m . d, on the way
weights_here = softmax(X @ r)
variance = weights_here @ (X @ d - weights_here @ X @ d) ** 2
slope = (along(1e-5) - along(-1e-5)) / 2e-5
print(f"slope {slope:.6f}, variance {variance:.6f}")
assert np.isclose(slope, variance)
assert np.linalg.matrix_rank(X - X.mean(axis=0)) == 3  # in no plane

# %% [markdown]
# ## When a score measures likeness (optional)
#
# With one matrix for both, $W_Q = W_K = W$, the score of $x$ and $y$ is $x M y$ with
# $M = W W^\mathsf{T}$. Then $x M x$ is the product of $x W$ with itself, never below zero. If it is
# zero for $x = 0$ only, $M$ is called *positive definite*, and $x M y$ is an *inner product*: it has
# all that the dot product has. It measures lengths and angles, only with another ruler: some
# numbers count more than others. So one matrix gives likeness, and nothing else. With two matrices,
# $M = W_Q W_K^\mathsf{T}$ need not be symmetric, nor positive definite: in the first example "it" has
# the score $-4$ with itself, and no inner product gives that.
#
# The article's $M$ is close to an inner product. But v3 has length zero by it, though it is not zero.

# %%
W = rng.normal(size=(3, 3))
ruler = W @ W.T
x, y = rng.normal(size=(2, 3))
assert np.isclose(x @ ruler @ y, (x @ W) @ (y @ W))
# the numbers that `eigvalsh` gives are all above 0 just if `ruler` is positive definite
assert (np.linalg.eigvalsh(ruler) > 0).all()
assert (x @ ruler @ y) ** 2 < (x @ ruler @ x) * (y @ ruler @ y)  # so cosines are between -1 and 1
own = words @ asks @ is_asked.T @ words.T
print("it with itself:", own[it, it], " v3 with itself, by the article's:", X[2] @ M @ X[2])
assert own[it, it] == -4

# %% [markdown]
# ## Queries from elsewhere (optional)
#
# Queries, keys and values do not have to come from the same vectors. A shop knows what somebody has
# read and how they liked it. How will they like three new books? Query: a new book. Keys: the books
# that they know. Values: the stars that they gave. Each book has two numbers, crime and cooking:

# %%
read = {"Murder at Sea": [1.0, 0.0], "The Third Clue": [0.9, 0.1], "Soups": [0.0, 1.0]}
stars = np.array([[5.0], [4.0], [1.0]])
new = {"A Knife in the Dark": [1.0, 0.1], "The Poisoned Cake": [0.6, 0.6], "Bread": [0.1, 1.0]}
guess, by = mt.attention(
    4 * np.array(list(new.values())), np.array(list(read.values())), stars
)  # queries (3, 2), keys (3, 2), values (3, 1)
for title, (number,), shares in zip(new, guess, by):
    print(f"{title}: {number:.1f} stars, from weights {shares.round(2)}")
assert guess[0, 0] > guess[1, 0] > guess[2, 0]

# %% [markdown]
# Nobody trained this: it is a look-up by likeness, with the factor 4 for a sharper one. (As
# `mt.attention` divides by $\sqrt{2}$, the products are multiplied by 2.8 in all.) In a
# transformer that translates, queries come from one language, and keys and values from another: lesson
# 12.
#
# ## The shapes of a sentence
#
# "time flies like an arrow": five words, $T = 5$. Let each have a vector of $D = 8$ numbers, queries
# and keys $K = 4$, and values $V = 6$. The numbers are random, as they are before training; the
# shapes are what they are in any transformer. (In shapes $K$ and $V$ are widths, in formulas they are
# the matrices of all keys and values: [symbols](SYMBOLS.md).)

# %%
sentence = ["time", "flies", "like", "an", "arrow"]
T, D, K, V = 5, 8, 4, 6
embedding = {word: rng.normal(size=D) for word in sentence}
x = mg.Tensor(np.stack([embedding[word] for word in sentence]))  # (T, D)
W_Q = mg.Parameter(rng.normal(size=(D, K)))
W_K = mg.Parameter(rng.normal(size=(D, K)))
W_V = mg.Parameter(rng.normal(size=(D, V)))

with mg.record():
    q = x @ W_Q  # (T, K)
    k = x @ W_K  # (T, K)
    v = x @ W_V  # (T, V)
    scores = q @ k.T / np.sqrt(K)  # (T, T)
    weights = softmax(scores)  # (T, T)
    y = weights @ v  # (T, V)

steps = {"x": x, "W_Q": W_Q, "q": q, "k": k, "v": v, "scores": scores, "weights": weights, "y": y}
for name, tensor in steps.items():
    print(f"{name:>8} {tensor.shape}")
assert [t.shape for t in (x, q, k, v)] == [(T, D), (T, K), (T, K), (T, V)]
assert [t.shape for t in (scores, weights, y)] == [(T, T), (T, T), (T, V)]
pictures("07_time_flies", mg.graph(y).draw(depth=0, values=False, direction="right"))

# %% [markdown]
# With $T$ twice as long, the scores are four times as many, and the learned matrices stay as they are:
# one attention reads sentences of any length.

# %%
longer = rng.normal(size=(2 * T, D))
assert ((longer @ W_Q) @ (longer @ W_K).T).size == 4 * scores.size

# %% [markdown]
# ## Change it yourself (optional)
#
# The first example as a page on which every number can be changed: the words, the three matrices. Here
# the output of "it" should become what "ball" is. The loss says how far off it is. Press *Learn*, and
# *Play*: mostly the values change, and "it" looks where it did. Then start again, switch off $W_V$ under
# *what learns*, and take the rate 0.1: now "it" looks more and more at "ball". (If you read this in a
# browser, [the page is here](out/07_it_and_ball.html).)


# %%
def to_ball(X, W_Q, W_K, W_V):
    q = X @ W_Q  # (T, K)
    k = X @ W_K  # (T, K)
    v = X @ W_V  # (T, V)
    weights = softmax(q @ k.T)  # (T, T)
    y = weights @ v  # (T, V)
    return np.sum(np.square(y[it] - words[ball]))


matrices = [mg.Parameter(matrix.astype(float)) for matrix in (asks, is_asked, np.eye(3))]
with mg.record():
    loss = to_ball(mg.Tensor(words, requires_grad=True), *matrices)
pictures.folder.mkdir(parents=True, exist_ok=True)
page = pictures.folder / "07_it_and_ball.html"
print("open in a browser:", mg.explore(loss, page, title="it and ball"))

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_deliver", ...)

# %%
ask("end_exchanged", ...)

# %%
ask("end_learned", ...)

# %% [markdown]
# Now write it: the exercises `self_attention` and `bilinear` (`python -m minigrad exercises check 07`).
# `self_attention` divides by the root of the width, as the article does.
#
# Next: `08_scaled_dot_product_attention.py`, with the formula that all transformers share, and the
# reason for the root.

# %%
print(pictures)
