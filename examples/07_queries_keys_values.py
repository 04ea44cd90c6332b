# %% [markdown]
# # 07 Queries, keys and values by hand
#
# *Attention with numbers that you can read, and a published picture tested. About 6 seconds.*
#
# Six small vectors, matrices that you can read, and every number on the page. Then gradient descent
# finds the matrices by itself, and you can check whether it found the same.
#
# After it you can
#
# - compute the weights and outputs of attention by hand, and say which vector moved where;
# - check a published picture against its own numbers;
# - read from $W_Q W_K^\mathsf{T}$ what is compared with what, and say when the scores are
#   symmetric;
# - follow the shapes of a sentence through attention.
#
# As before, name another folder for the pictures after the file's name, or in the next cell.

# %%
import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import mse_loss, softmax
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, heat_map, vectors
from minitransformer.views.plots import attention_map

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("07")
rng = np.random.default_rng(0)

# %% [markdown]
# ## Six vectors
#
# They stand in space, as rows of $X$ of shape $(6, 3)$. v1 and v2 nearly agree, v3 and v4 do, v5 is
# the opposite of v1, and v6 stands between.

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
# The matrices, from an article, map three numbers to six: $W_Q$ and $W_K$ of shape $(3, 6)$. $W_V$
# is the *identity*, which changes nothing, so the values are the vectors themselves.

# %%
W_Q = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0], [2, 0, 0]]).T
W_K = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 5], [0, 0, 3], [0, 0, 5], [2, 0, 0]]).T
W_V = np.eye(3)
assert W_Q.shape == W_K.shape == (3, 6)

# %% [markdown]
# ## Step by step
#
# As in lesson 08, in rows:
#
# $$Q = X W_Q, \quad K = X W_K, \quad V = X W_V, \qquad
#   A = \mathrm{softmax}\!\left(\frac{Q K^\mathsf{T}}{\sqrt{d_k}}\right), \qquad Y = A V,$$
#
# with $d_k = 6$. $Q$ and $K$ have the shape $(6, 6)$ (six vectors, six numbers each),
# $Q K^\mathsf{T}$ and $A$ too (six queries, six keys), and $Y$ is $(6, 3)$.

# %%
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
products = Q @ K.T
print("products of queries (rows) and keys (columns):")
print(products)
assert np.allclose(products[0], [6, 5.7, 0, 0, -6, 3])

A = softmax(products / np.sqrt(6))
Y = A @ V
print("weights:")
print(A.round(3))
print("outputs:")
print(Y.round(3))
assert np.allclose(A[0], [0.424, 0.375, 0.037, 0.037, 0.003, 0.125], atol=5e-4)
assert np.allclose(A[2], 1 / 6)  # v3 has no product with anything
assert np.allclose(Y[5], [0.636, 0.324, 0.136], atol=5e-4)
assert np.allclose(mt.attention(Q, K, V)[0], Y)

by_hand = np.exp(products[5] / np.sqrt(6))  # v6 alone, by the formula
assert np.allclose(by_hand / by_hand.sum() @ X, Y[5])

# %% [markdown]
# A mean of vectors is shorter than they are. To compare directions, bring the outputs to length
# one:

# %%
unit = lambda rows: rows / np.linalg.norm(rows, axis=1, keepdims=True)
before, after = unit(X), unit(Y)
print("outputs of length one:")
print(after.round(3))
assert np.allclose(after[5], [0.876, 0.445, 0.188], atol=5e-4)

picture_of_weights = lambda: attention_map(A, queries=names, keys=names, numbers=".2f")
pictures("07_weights", picture_of_weights)


# %%
def before_and_after():
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(11, 4.8))
    colours = [BLUE, BLUE, GREEN, GREEN, GREY, ORANGE]
    labels = ["", "v1, v2", "", "v3, v4", "v5", "v6"]
    for place, rows, title in ((1, before, "before"), (2, after, "after attention")):
        ax = figure.add_subplot(1, 2, place, projection="3d")
        vectors(rows, labels, colour=colours, names="xyz", title=title, ax=ax)
        ax.set(xlim=(-1.1, 1.3), ylim=(-0.2, 1.1), zlim=(-0.1, 0.7))
        ax.set_box_aspect((2.4, 1.3, 0.8), zoom=1.1)
        ax.view_init(elev=28, azim=-72)
    return figure


pictures("07_before_and_after", before_and_after)

# %% [markdown]
# v1 and v2 have all but joined, v3 and v4 too. And v6?
#
# ## Which way did v6 go?
#
# The article shows v6 moving to v1 and v2, and away from v3 and v4. Measure it. Here are the
# cosines of all pairs, before and after:

# %%
alike_before, alike_after = before @ before.T, after @ after.T
with_v6 = [(names[i], alike_before[5, i], alike_after[5, i]) for i in range(5)]
for name, was, now in with_v6:
    print(f"v6 with {name}: {was:5.2f} before, {now:5.2f} after")
assert round(alike_before[5, 2], 2) == 0.58  # with v3
assert round(alike_after[5, 2], 2) == 0.84
assert alike_after[5, 3] > alike_before[5, 3]  # with v4
assert alike_after[5, 0] > alike_before[5, 0]  # with v1


# %%
def cosines():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2))
    for ax, table, title in zip(axes, (alike_before, alike_after), ("before", "after attention")):
        heat_map(
            table, rows=names, columns=names, limits=(-1, 1), numbers=".2f", title=title, ax=ax
        )
        ax.add_patch(plt.Rectangle((1.5, 4.5), 2, 1, fill=False, lw=2.5))
    return figure


pictures("07_cosines", cosines)

# %% [markdown]
# In the frame: its cosine with v3 rises from 0.58 to 0.84, and that with v4 as well. v6 has come
# nearer to v1 and v2, and nearer to v3 and v4. These numbers follow from the article's own
# matrices. Its picture shows something else since two of the outputs in it were rotated by hand.
#
# How can v6 come nearer to both? Because v3 and v4 have moved as well: v3 gives all six the same
# weight, so it moves to the mean of all. Measured against where v3 *was*, v6 did go away. A picture
# has to say which of the two it shows.

# %%
to_where_it_was = after[5] @ before[2]
print(f"v6 after, with v3 before: {to_where_it_was:.2f}")
assert round(to_where_it_was, 2) == 0.45
assert np.allclose(Y[2], X.mean(axis=0))

# %% [markdown]
# ## What is compared with what
#
# The scores depend on $W_Q$ and $W_K$ only through one matrix, of shape $(3, 3)$:
#
# $$Q K^\mathsf{T} = X \,(W_Q W_K^\mathsf{T})\, X^\mathsf{T}.$$

# %%
M = W_Q @ W_K.T
print("W_Q W_K^T:")
print(M)
assert np.array_equal(M, [[6, 0, 0], [0, 0, 0], [0, 0, 5]])
assert np.allclose(X @ M @ X.T, products)

# %% [markdown]
# Read it: the first number of one is compared with the first of the other, six times; the third
# with the third, five times; the second number with nothing. That is why v3, which has only a
# second number, finds nothing to compare, and takes the mean.
#
# This matrix is symmetric, though $W_Q$ and $W_K$ are different. So here the scores are symmetric
# too: v1 asks v6 just as loudly as v6 asks v1. Two matrices can make a difference, but they need
# not.

# %%
assert not np.array_equal(W_Q, W_K)
assert np.array_equal(M, M.T)
assert np.allclose(products, products.T)

# %% [markdown]
# ## Let gradient descent find them
#
# Now forget the matrices, and keep only what went in, $X$, and what came out, $Y$. Start with
# random $W_Q$ and $W_K$, and go down the gradient of how far off the output is.

# %%
found_q = mg.Parameter(rng.normal(size=(3, 6)) / 3)
found_k = mg.Parameter(rng.normal(size=(3, 6)) / 3)
optimizer = mg.optim.Adam([found_q, found_k])
schedule = mg.optim.warmup_cosine(0.05, warmup=10, steps=2500)
losses, path = [], []
for step in range(2500):
    optimizer.lr = schedule(step)
    optimizer.zero_grad()
    output, _ = mt.attention(X @ found_q, X @ found_k, X)
    loss = mse_loss(output, Y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    path.append((found_q.detach() @ found_k.detach().T).numpy())
print(f"the loss falls from {losses[0]:.3f} to {losses[-1]:.1e}")
assert losses[-1] < 1e-10

# %% [markdown]
# Did it find the same matrices? No: it could not know them. But their product is all that counts,
# and that it found:

# %%
print("W_Q by the article, and learned:")
print(W_Q)
print(found_q.detach().numpy().round(1))
print("W_Q W_K^T, learned:")
print(path[-1].round(2))
assert not np.allclose(found_q.detach(), W_Q, atol=0.5)
assert np.allclose(path[-1], M, atol=0.05)


# %%
def finding():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 5, figsize=(12, 2.9), width_ratios=[1, 1, 1, 1, 1.6])
    for ax, step in zip(axes, (0, 50, 200, 2499)):
        heat_map(path[step], limits=(-6, 6), numbers=".1f", title=f"step {step + 1}", ax=ax)
        ax.set(xticks=[], yticks=[])
    axes[4].semilogy(losses, color=BLUE)
    axes[4].set(xlabel="step", ylabel="loss")
    figure.suptitle("$W_Q W_K^T$ as it is learned, and the loss", size=11)
    return figure


pictures("07_learned", finding)

# %% [markdown]
# That no other product does it is no accident. The weights of each vector are set by three numbers,
# its row of $X W_Q W_K^\mathsf{T}$; and different numbers give a different mean of the six vectors,
# as these do not lie in one plane.
#
# ## To ask, and to be asked
#
# In "ball broke window it", what should "it" look at? At things, not at itself. And the ball needs
# no "it". Three numbers for each word: is it a pronoun, is it a thing, is it an action? (The window
# counts as less of a thing, 0.6: it is broken now, and less likely to be talked about.)

# %%
sentence = ["ball", "broke", "window", "it"]
words = np.array([[0, 1, 0], [0, 0, 1], [0, 0.6, 0], [1, 0, 0]])  # (4, 3): pronoun, thing, action
asks = np.array([[4.0], [0], [0]])  # (3, 1): a pronoun asks for a thing,
is_asked = np.array([[0.0], [1], [0]])  # (3, 1): and a thing is what can be asked for

scores = (words @ asks) @ (words @ is_asked).T  # (4, 4)
weights = softmax(scores)
ball, it = sentence.index("ball"), sentence.index("it")
print(f"it looks at ball: score {scores[it, ball]:.1f}, weight {weights[it, ball]:.2f}")
print(f"ball looks at it: score {scores[ball, it]:.1f}, weight {weights[ball, it]:.2f}")
assert scores[it, ball] == 4
assert scores[ball, it] == 0
assert weights[it, ball] > 3 * weights[ball, it]

# %% [markdown]
# With one matrix for both, $W_Q = W_K = W$, it cannot be: the scores are $X W (X W)^\mathsf{T}$,
# their own transpose. Try a thousand matrices:

# %%
for _ in range(1000):
    W = rng.normal(size=(3, rng.integers(1, 7)))  # of any width from 1 to 6
    shared = (words @ W) @ (words @ W).T
    assert np.allclose(shared, shared.T)

# %% [markdown]
# This is about the scores. The softmax divides each row by its own sum, so *weights* can differ all
# the same: a word that scores high with itself has less left for others. But then it looks at
# itself; and whatever raises the score of "ball" for "it" raises that of "it" for "ball".

# %%
W = asks + is_asked  # one matrix that has both
shared = (words @ W) @ (words @ W).T
assert shared[it, ball] == shared[ball, it] == 4
its_own = softmax(shared)
print(f"with one matrix, it looks at ball with the weight {its_own[it, ball]:.2f},", end=" ")
print(f"ball at it with {its_own[ball, it]:.2f}, and it at itself with {its_own[it, it]:.2f}")
assert not np.allclose(its_own, its_own.T, atol=0.01)
assert its_own[ball, it] > 0.5 > its_own[it, ball]  # the wrong way round


# %%
def to_ask_and_be_asked():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.9))
    for ax, table, title in [
        (axes[0], scores, "scores with two matrices"),
        (axes[1], shared, "scores with one"),
    ]:
        heat_map(
            table, rows=sentence, columns=sentence, sides=("asks", "is asked"), numbers=".1f",
            title=title, limits=(0, 16), ax=ax,
        )  # fmt: skip
        for i, j in ((it, ball), (ball, it)):
            ax.add_patch(plt.Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, lw=2.5))
    return figure


pictures("07_asymmetry", to_ask_and_be_asked)

# %% [markdown]
# ## The shapes of a sentence
#
# "time flies like an arrow": five words, $T = 5$. Let each have a vector of $D = 8$ numbers,
# queries and keys $K = 4$, and values $V = 6$. The numbers are random, as they are before training;
# the shapes are what they are in any transformer.

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
# With $T$ twice as long, the scores are four times as many; the learned matrices stay as they are.
# So one and the same attention reads sentences of any length.

# %%
longer = rng.normal(size=(2 * T, D))
assert ((longer @ W_Q) @ (longer @ W_K).T).size == 4 * scores.size

# %% [markdown]
# ## Questions
#
# Work them out first: on paper, or in a cell of your own.

# %%
ask("end_weight", ...)

# %%
ask("end_product", ...)

# %%
ask("end_learned", ...)

# %% [markdown]
# Next: `09_many_heads.py`. One comparison is not enough for a sentence; take several, side by side.

# %%
print(pictures)
