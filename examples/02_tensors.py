# %% [markdown]
# # 02 Tensors, broadcasting, matmul
#
# *Derivatives of arrays: copies, sums, picks and matrix products. About 3 seconds.*
#
# Lesson 01 found derivatives with respect to single numbers. Networks compute with *tensors*: arrays
# of numbers, with any number of axes. Nothing new is needed. You only have to follow which number
# went where.
#
# After it you can
#
# - say what shape a gradient has, and why;
# - find the gradient of anything that NumPy broadcasts, sums, picks or multiplies as a matrix;
# - find the gradient of `A @ B` from shapes alone, and prove it;
# - recognise the mistake that loses gradients where an index occurs twice.
#
# You need NumPy's shapes and axes, and sums written with $\sum$. The matrix product is explained
# where it comes up, and what the code uses of NumPy is on [one page](NUMPY.md). (`rng` draws random
# numbers. It starts from a *seed*, here 0, so every run draws the same.)

# %%
import itertools

import numpy as np

import minigrad as mg
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("02")
rng = np.random.default_rng(0)

# %% [markdown]
# ## A derivative for every element
#
# Let the result of a computation be a single number $L$. In training it is the *loss*, which says how
# wrong a model is. Every element of an array $X$ acts on it, so there is a derivative of $L$ with
# respect to each. Arranged as the elements are, these derivatives form the gradient of $X$,
#
# $$G_{ij} = \frac{\partial L}{\partial X_{ij}}, \qquad \text{of the same shape as } X.$$
#
# A function that works on each element by itself needs no other rule than that for one number. For
# $L = \sum_{ij} X_{ij}^2$ the gradient is $2 X_{ij}$:

# %%
X = mg.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
L = np.sum(np.square(X))
L.backward()
print("gradient of X:")
print(X.grad.numpy())  # .numpy() is the array of a Tensor
assert X.grad.shape == X.shape
assert np.array_equal(X.grad, [[2, 4, 6], [8, 10, 12]])

# %% [markdown]
# ## Broadcasting is copying
#
# Add a row $r$ of shape `(3,)` to a column $c$ of shape `(2, 1)`. NumPy makes them fit: it copies the
# row downwards and the column sideways, to shape `(2, 3)`. That is called *broadcasting*:
#
# $$Y_{ij} = c_i + r_j.$$
#
# Now $r_j$ is used in every row $i$, and $c_i$ in every column $j$. Lesson 01 says what happens
# where a number is used more than once: its gradients add. With $G$ the gradient of $Y$,
#
# $$\frac{\partial L}{\partial r_j} = \sum_i G_{ij}, \qquad
#   \frac{\partial L}{\partial c_i} = \sum_j G_{ij}.$$
#
# **The gradient of a copy is a sum**, along the axes along which the copies were made.
#
# `Y` is not a single number. `Y.backward(G)` starts the walk from a given gradient `G` of `Y`, as if
# it had come from a loss.

# %%
ask("column", ...)

# %%
row = mg.Tensor([10.0, 20.0, 30.0], requires_grad=True)  # (3,)
column = mg.Tensor([[1.0], [2.0]], requires_grad=True)  # (2, 1)
G = np.array([[1.0, 0.0, 2.0], [0.0, 5.0, 1.0]])  # (2, 3)

with mg.record():
    Y = column + row  # (2, 3)
for step in mg.steps(Y, G):
    print(step)

Y.backward(G)
assert np.array_equal(row.grad, G.sum(axis=0))
assert np.array_equal(column.grad, G.sum(axis=1, keepdims=True))

# %% [markdown]
# It is like a spreadsheet. Forwards, each number at the margin is copied along its row or column.
# Backwards, the totals of the rows and columns are written at the same margins.


# %%
def cells(ax, texts, left, bottom, colour, width=1.0):
    """Draw a table of texts as cells, one unit high, with the left bottom corner of all there."""
    for i, line in enumerate(reversed(texts)):
        for j, text in enumerate(line):
            x, y = left + j * width, bottom + i
            box = {"facecolor": colour, "alpha": 0.4, "edgecolor": "white", "lw": 2}
            ax.fill([x, x, x + width, x + width], [y, y + 1, y + 1, y], **box)
            ax.text(x + width / 2, y + 0.5, text, ha="center", va="center")


def spreadsheets():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 2.7))
    r, c = row.tolist(), [line[0] for line in column.tolist()]
    forward = [
        [[f"{a:g}"] for a in c],
        [[f"{b:g}" for b in r]],
        [[f"{a:g} + {b:g}" for b in r] for a in c],
    ]
    backward = [
        [[" + ".join(f"{g:g}" for g in line) + f" = {line.sum():g}"] for line in G],
        [["+".join(f"{g:g}" for g in line) + f" = {line.sum():g}" for line in G.T]],
        [[f"{g:g}" for g in line] for line in G],
    ]
    for ax, texts, title, way in [
        (axes[0], forward, "forwards: the margins are copied", "->"),
        (axes[1], backward, "backwards: the margins are totals", "<-"),
    ]:
        cells(ax, texts[0], -3.1, 0, BLUE, 2.4)
        cells(ax, texts[1], 0, 2.7, ORANGE, 1.7)
        cells(ax, texts[2], 0, 0, GREEN, 1.7)
        arrow = {"arrowstyle": way, "color": GREY, "shrinkA": 0, "shrinkB": 0}
        for i in range(2):
            ax.annotate("", (0, i + 0.5), (-0.7, i + 0.5), arrowprops=arrow)
        for j in range(3):
            ax.annotate("", (1.7 * j + 0.85, 2), (1.7 * j + 0.85, 2.7), arrowprops=arrow)
        ax.set(xlim=(-3.2, 5.2), ylim=(-0.1, 3.8), aspect="equal")
        ax.set_title(title)
        ax.axis("off")
    return figure


pictures("02_broadcasting", spreadsheets)

# %% [markdown]
# ## The gradient of a sum
#
# Now the other way round. $X$ has the shape `(2, 3)`, and $s_j = \sum_i X_{ij}$ adds its two rows.

# %%
ask("of_a_sum", ...)

# %%
X = mg.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
s = np.sum(X, axis=0)  # (3,)
s.backward([7.0, 8.0, 9.0])
print("gradient of X:")
print(X.grad.numpy())
assert np.array_equal(X.grad, [[7, 8, 9], [7, 8, 9]])

# %% [markdown]
# **The gradient of a sum is a copy.** Every element counts once in its sum, so each gets the gradient
# of the sum that it went into.

# %% [markdown]
# ## The gradient of a matrix product, by its shape
#
# In a *matrix product* $Y = A B$, in Python `A @ B`, each element of $Y$ is made from a row of $A$
# and a column of $B$: multiply their numbers in pairs, and add. So the rows of $A$ must be as long as
# the columns of $B$. With $A$ of shape $(n, k)$ and $B$ of $(k, m)$, the product has the shape
# $(n, m)$:
#
# $$\begin{pmatrix} 1 & 2 \end{pmatrix} \begin{pmatrix} 3 & 5 \\ 4 & 6 \end{pmatrix} =
#   \begin{pmatrix} 1 \cdot 3 + 2 \cdot 4 & 1 \cdot 5 + 2 \cdot 6 \end{pmatrix}$$
#
# $$Y_{ij} = \sum_p A_{ip} B_{pj}.$$
#
# What is the gradient of $A$? It must have the shape of $A$, $(n, k)$. In $Y$ each element of $A$ is
# multiplied by elements of $B$: these are the slopes. And a gradient is a sum of slopes, each times
# the gradient that arrives, $G$. So it is made of products of elements of $G$ and of $B$, and $A$
# itself does not come in. Let us try all their products, with each matrix *transposed* or not.
# (`B.T`, in formulas $B^\mathsf{T}$, is $B$ with its rows written as columns.)

# %%
ask("left_factor", ...)

# %%
n, k, m = 2, 4, 3
A = mg.Tensor(rng.normal(size=(n, k)), requires_grad=True)
B = mg.Tensor(rng.normal(size=(k, m)), requires_grad=True)
G = rng.normal(size=(n, m))


def that_fit(shape, **two):
    """Every product of the two matrices, in either order and transposed or not, of that shape."""
    found = {}
    for (one, P), (other, Q) in itertools.permutations(two.items()):
        for turn_P, turn_Q in itertools.product([False, True], repeat=2):
            left, right = P.T if turn_P else P, Q.T if turn_Q else Q
            if left.shape[1] == right.shape[0] and (left.shape[0], right.shape[1]) == shape:
                name = one + ".T" * turn_P + " @ " + other + ".T" * turn_Q
                found[name] = left @ right
    return found


with mg.no_grad():  # inside, nothing is remembered: these products are no part of a graph
    fit = {"A": that_fit(A.shape, G=G, B=B), "B": that_fit(B.shape, G=G, A=A)}
print("of the shape of A:", *fit["A"])
print("of the shape of B:", *fit["B"])
assert list(fit["A"]) == ["G @ B.T"]
assert list(fit["B"]) == ["A.T @ G"]

# %% [markdown]
# One product is left for each, since the three lengths differ. (If two of them were equal, more than
# one could fit.) In the drawing, the first factor is to the left of the result and the second above
# it. The pieces fit in one way only:


# %%
def puzzle():
    from matplotlib import pyplot as plt

    widths = [k + m + 1.5, m + k + 1.5, n + m + 1.5]
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.7), width_ratios=widths)
    products = [
        ("$Y = A\\,B$", ("A", BLUE, "n", "k"), ("B", ORANGE, "k", "m"), ("Y", GREEN)),
        ("gradient of $A$", ("G", GREEN, "n", "m"), ("B^T", ORANGE, "m", "k"), ("G\\,B^T", BLUE)),
        ("gradient of $B$", ("A^T", BLUE, "k", "n"), ("G", GREEN, "n", "m"), ("A^T G", ORANGE)),
    ]
    for ax, wide, (title, first, second, (name, colour)) in zip(axes, widths, products):
        rows, between, columns = first[2], first[3], second[3]
        block(ax, *first, -length[between] - 0.5, 0)
        block(ax, *second, 0, length[rows] + 0.5)
        block(ax, name, colour, rows, columns, 0, 0)
        right = length[columns] + 0.5
        ax.set(xlim=(right - wide, right), ylim=(-0.7, 6.7), aspect="equal")
        ax.set_title(title)
        ax.axis("off")
    return figure


def block(ax, name, colour, rows, columns, left, bottom):
    """A matrix as a block of unit cells, with the letters of its lengths beside it."""
    high, wide = length[rows], length[columns]
    cells(ax, [[""] * wide] * high, left, bottom, colour)
    ax.text(left + wide / 2, bottom + high / 2, f"${name}$", ha="center", va="center", size=16)
    ax.text(left + wide + 0.15, bottom + high / 2, f"${rows}$", va="center")
    ax.text(left + wide / 2, bottom - 0.1, f"${columns}$", ha="center", va="top")


length = {"n": n, "k": k, "m": m}
pictures("02_shapes", puzzle)

# %% [markdown]
# ## The proof
#
# To fit is no proof: $2\,G B^\mathsf{T}$ fits as well. So look once more at
# $Y_{ij} = \sum_p A_{ip} B_{pj}$. One element $A_{ip}$ is used in $Y_{i1}, Y_{i2}, \dots, Y_{im}$, in
# $Y_{ij}$ with the factor $B_{pj}$. Its gradients add, so
#
# $$\frac{\partial L}{\partial A_{ip}} = \sum_j G_{ij} B_{pj} = \sum_j G_{ij} (B^\mathsf{T})_{jp}
#   = (G B^\mathsf{T})_{ip},$$
#
# and in the same way $\partial L / \partial B = A^\mathsf{T} G$. The engine agrees:

# %%
(A @ B).backward(G)
assert np.allclose(A.grad, fit["A"]["G @ B.T"])
assert np.allclose(B.grad, fit["B"]["A.T @ G"])

# %% [markdown]
# There is another proof, which leaves the work to the rules above. A matrix product is made of
# copies, products of numbers, and a sum: copy $A$ to every column $j$, copy $B$ to every row $i$,
# multiply, and sum over $p$. On the way back, each copy becomes a sum and the sum becomes a copy. The
# same gradients come out, and no rule for matrix products was needed. (`None` as an index puts in an
# axis of length 1: `A[:, :, None]` is $A$ with shape $(n, k, 1)$, and along the new axis it is
# copied. See [None as an index](NUMPY.md#none-as-an-index).)

# %%
by_rule = [A.grad, B.grad]
A.grad = B.grad = None  # or what comes now would be added to it

with mg.record():
    Y = np.sum(A[:, :, None] * B[None, :, :], axis=1)  # (n, k, 1) * (1, k, m), summed to (n, m)
Y.backward(G)
assert np.allclose(A.grad, by_rule[0])
assert np.allclose(B.grad, by_rule[1])
pictures("02_matmul", mg.graph(Y))

# %% [markdown]
# The notes on the edges say where broadcasting made copies. (minigrad has a rule for `@` nevertheless:
# with it, the $n k m$ products do not have to be written to memory at all.)
#
# ## A batch of matrices
#
# Networks multiply many matrices at once, a *batch*: $X$ of shape `(5, n, k)` holds five matrices, and
# `X @ B` multiplies each of them by the same $B$ of shape $(k, m) = (4, 3)$.

# %%
ask("batch", ...)

# %%
X = mg.Tensor(rng.normal(size=(5, n, k)), requires_grad=True)
G = rng.normal(size=(5, n, m))
B.grad = None
(X @ B).backward(G)
print("shape of the gradient of B:", B.grad.shape)
assert np.allclose(B.grad, sum(X.data[b].T @ G[b] for b in range(5)))

# %% [markdown]
# $B$ was copied five times, so its gradient is a sum of five.
#
# ## Letters: einsum
#
# `np.einsum` writes such products with a letter for each axis. `np.einsum("ij,jk->ik", A, B)` is
# $A B$: $j$ stands in both arguments, so the two are multiplied along it in pairs, and it is missing
# behind the arrow, so it is summed:
#
# $$Y_{ik} = \sum_j A_{ij} B_{jk} .$$
#
# With one letter more for a batch, `"bqd,bkd->bqk"` multiplies, in each example $b$, every row $q$ of
# the first with every row $k$ of the second. `"ii->"` sums the diagonal. And for the way back you
# only move letters: the gradient of $A$ has the letters of $A$, and is made of $G$ and of $B$, with
# theirs.

# %%
ask("letters", ...)

# %%
A_, B_ = mg.Tensor(A.data, requires_grad=True), mg.Tensor(B.data, requires_grad=True)
G_ = rng.normal(size=(n, m))
np.einsum("ij,jk->ik", A_, B_).backward(G_)
assert np.allclose(A_.grad, np.einsum("ik,jk->ij", G_, B_.data))
assert np.allclose(B_.grad, np.einsum("ij,ik->jk", A_.data, G_))
print("the gradient of A in ij,jk->ik is ik,jk->ij")

X_ = mg.Tensor(np.ones((2, 3)), requires_grad=True)
np.einsum("ij->i", X_).backward([7.0, 8.0])
print("the gradient of X in ij->i, when (7, 8) arrives:", X_.grad.tolist())
assert X_.grad.tolist() == [[7, 7, 7], [8, 8, 8]]

# %% [markdown]
# In the second one $j$ is in no other argument. It was summed, so its gradient is a copy along $j$.

# %% [markdown]
# ## Picking, and picking twice
#
# `x[ids]` picks elements: $y_i = x_{\mathrm{ids}_i}$. This is how a network reads words. It has a
# table, called an *embedding*, with a row of numbers for each word that it knows, and a sentence
# picks the rows of its words. Here the table knows six words, and a gradient of ones arrives at each
# of the eight rows that the sentence "the cat the dog saw saw the bird" has picked.

# %%
ask("picked", ...)

# %%
known = ["bird", "cat", "dog", "fish", "saw", "the"]
sentence = ["the", "cat", "the", "dog", "saw", "saw", "the", "bird"]
ids = np.array([known.index(word) for word in sentence])

table = mg.Tensor(rng.normal(size=(6, 2)), requires_grad=True)  # two numbers for each word
picked = table[ids]  # (8, 2)
picked.backward(np.ones((8, 2)))
print("gradient of each word's row:", dict(zip(known, table.grad[:, 0].tolist())))
assert table.grad[:, 0].tolist() == [sentence.count(word) for word in known]


# %%
def lines_to_rows():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 3.6))
    middle = (len(sentence) - len(known)) / 2
    for i, word in enumerate(sentence):
        row = known.index(word)
        ax.plot([i, row + middle], [0.75, 0.28], color=ORANGE if word == "the" else GREY, lw=1.5)
        ax.text(i, 0.8, f"{word}", ha="center", size=12)
    for row, (word, (gradient, _)) in enumerate(zip(known, table.grad.tolist())):
        colour = ORANGE if word == "the" else "black"
        ax.text(row + middle, 0.18, word, ha="center", size=12)
        ax.text(row + middle, 0.02, f"{gradient:g}", ha="center", size=12, color=colour)
    for y, text in ((0.8, "sentence"), (0.18, "table"), (0.02, "gradient")):
        ax.text(-0.8, y, text, ha="right", color=GREY)
    ax.set(xlim=(-2, len(sentence) - 0.5), ylim=(0, 0.9))
    ax.axis("off")
    return figure


pictures("02_picking", lines_to_rows)

# %% [markdown]
# What was not picked has no effect, and gets the gradient 0. What was picked gets the gradient of its
# copy. And what was picked twice was copied twice, so its gradients add. Forwards, a row is copied up
# along its lines. Backwards, the gradients come down the same lines, and add:
#
# $$\frac{\partial L}{\partial x_j} = \sum_{i \,:\, \mathrm{ids}_i = j} g_i.$$
#
# ## A trap
#
# To write this rule in NumPy, begin with zeros, and add what arrives: `grad[ids] += g`. It looks
# right. But NumPy takes it apart into three steps, each for all of `ids` together: it *reads*
# `grad[ids]`, *adds* `g`, and *writes* the results to `grad[ids]`.

# %%
ask("plus_equals", ...)

# %%
dropped, kept = np.zeros(6), np.zeros(6)
dropped[ids] += 1
np.add.at(kept, ids, 1)
print("with +=:       ", dropped)
print("with np.add.at:", kept)
assert dropped[known.index("the")] == 1
assert kept[known.index("the")] == 3

# %% [markdown]
# For a row that `ids` names three times, 0 is read three times, and the same 1 is written three
# times. `np.add.at` adds every time. No error would have told you.

# %% [markdown]
# ## One picture for all of it (optional)
#
# Copying, summing and picking have something in common: every element of the result is a sum of
# elements of the argument, each times a fixed number. Such a function is called *linear*. An example
# is the *running sum* of three numbers:
#
# $$y_1 = x_1, \qquad y_2 = x_1 + x_2, \qquad y_3 = x_1 + x_2 + x_3.$$
#
# Write the fixed numbers as a matrix, a row for each $y$. Then the function is the product with this
# matrix (here $x$ and $y$ are columns, so the matrix stands to the left):
#
# $$y = M x, \qquad M = \begin{pmatrix} 1 & 0 & 0 \\ 1 & 1 & 0 \\ 1 & 1 & 1 \end{pmatrix}.$$
#
# If somebody hides the formula, you can still find $M$. Give the function $x = (1, 0, 0)$: it answers
# $(1, 1, 1)$, the first column of $M$. $(0, 1, 0)$ gives the second column, $(0, 1, 1)$, and
# $(0, 0, 1)$ the third.
#
# Now do the same with the walk back. Let $g = (0, 1, 0)$ arrive, which is to say $L = y_2$. As
# $y_2 = x_1 + x_2$, the walk back answers $(1, 1, 0)$: the second *row* of $M$. The answers to
# $(1, 0, 0)$, $(0, 1, 0)$ and $(0, 0, 1)$ are the three rows of $M$. An answer is a column of the
# matrix of the walk back, as above. So this matrix is $M^\mathsf{T}$. The same holds for every linear
# function:
#
# $$\frac{\partial L}{\partial x_j} = \sum_i g_i\, M_{ij} = (M^\mathsf{T} g)_j.$$
#
# **The walk back through a linear function is the product with its transpose.** The next cell finds
# both matrices of five functions. It puts in arrays that have a 1 in one place, and zeros elsewhere.
# (Arrays with two axes are written one row behind the other.)


# %%
def forward_matrix(f, shape):
    """Find the matrix of a linear function f of arrays of that shape: a column for each single 1."""
    units = np.eye(int(np.prod(shape)))
    return np.stack([np.ravel(f(unit.reshape(shape))) for unit in units], axis=1)


def backward_matrix(f, shape):
    """Find the matrix of the walk back through f: a column for each single 1 that arrives."""

    def walk(unit):
        x = mg.Tensor(np.zeros(shape), requires_grad=True)
        y = f(x)
        y.backward(unit.reshape(y.shape))
        return np.ravel(x.grad)

    return np.stack([walk(unit) for unit in np.eye(f(np.zeros(shape)).size)], axis=1)


functions = {
    "copy a row twice": (lambda x: np.broadcast_to(x, (2, 3)), (3,)),
    "sum of two rows": (lambda x: np.sum(x, axis=0), (2, 3)),
    "pick 0, 3, 3, 1": (lambda x: x[[0, 3, 3, 1]], (4,)),
    "transpose": (lambda x: np.transpose(x), (2, 3)),
    "running sum": (lambda x: np.cumsum(x), (5,)),
}
forwards = {name: forward_matrix(*given) for name, given in functions.items()}
backwards = {name: backward_matrix(*given) for name, given in functions.items()}
for name in functions:
    assert np.array_equal(backwards[name], forwards[name].T)
assert np.array_equal(backwards["copy a row twice"], forwards["sum of two rows"])


# %%
def matrices():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, len(functions), figsize=(10, 4.4))
    for column, name in enumerate(functions):
        for ax, found, colour in (
            (axes[0, column], forwards[name], "Blues"),
            (axes[1, column], backwards[name], "Oranges"),
        ):
            ax.pcolormesh(found, cmap=colour, vmin=0, vmax=1.4, edgecolors=GREY, lw=0.3)
            ax.set(xticks=[], yticks=[], xlim=(0, 6), ylim=(6, 0), aspect="equal")
            ax.spines[:].set_visible(False)
        axes[0, column].set_title(name, size=11)
    axes[0, 0].set_ylabel("forwards")
    axes[1, 0].set_ylabel("backwards")
    return figure


pictures("02_transposes", matrices)

# %% [markdown]
# Coloured cells are ones, the others zeros. Below each matrix is its transpose. The first two
# functions belong together: the walk back through a copy is a sum, and the other way round.

# %% [markdown]
# ## Step through it
#
# Here is $Y = X W + b$, with a matrix product and a broadcast: $b$ is added to each row. (It is
# called a layer of a network, and lesson 03b says what it is for.) On its interactive page each step
# shows its rule, and one element worked out with its numbers. Change one number of $b$, and see which
# numbers of $Y$ follow. Then go to the step that gives $b$ its gradient, and see the sum. (If you
# read this in a browser, [the interactive page is here](out/02_steps.html).)

# %%
X = mg.Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])  # (3, 2)
W = mg.Tensor([[1.0, 0.0, -1.0], [0.5, 1.0, 0.0]], requires_grad=True)  # (2, 3)
b = mg.Tensor([0.0, 1.0, 2.0], requires_grad=True)  # (3,)
with mg.record():
    Y = X @ W + b  # (3, 3)
    L = np.sum(np.square(Y))
pictures.folder.mkdir(parents=True, exist_ok=True)
print("open in a browser:", mg.explore(L, pictures.folder / "02_steps.html", title="Y = X W + b"))

L.backward()
assert np.array_equal(W.grad, X.data.T @ (2 * Y.data))
assert np.array_equal(b.grad, (2 * Y.data).sum(axis=0))

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_broadcast", ...)

# %%
ask("end_square", ...)

# %%
ask("end_repeated", ...)

# %% [markdown]
# To write yourself: `undo_broadcast`, `matmul_rule` and `index_rule`
# (`python -m minigrad exercises check 02`).
#
# Next: `03_trust_but_check.py`. Any of these rules could have a mistake in it. How would you find it?

# %%
print(pictures)
