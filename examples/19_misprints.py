# %% [markdown]
# # 19 Misprints
#
# *What was printed, what is right, and the cell that shows it. About 2 seconds.*
#
# Attention has been explained in many articles, and well: this course has learned from them. Such
# texts contain small mistakes, and so does ours. They do no harm to a reader who computes everything
# again. We found twelve, and numbered them. Nine of them you have met, and a table says where. Of the
# other three, here is what was printed, what is right, and a cell that shows it.
#
# After it you can
#
# - test a printed formula in five ways: by its shapes, by its sums, by the example printed beside it, by
#   a small example that you make, and by a case that should make no difference;
# - say for each of these twelve what is right, and why;
# - distinguish a typing mistake from a claim that is too strong.

# %%
import numpy as np

import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import sigmoid, softmax, softplus
from minigrad.views.plots import ORANGE, heat_map

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("19")
rng = np.random.default_rng(0)


def fits(compute):
    """Tell whether the shapes allow it."""
    try:
        compute()
    except ValueError:
        return False
    return True


# %% [markdown]
# First two questions from older lessons.

# %%
ask("08/end_shape", ...)

# %%
ask("05/end_cosine", ...)

# %% [markdown]
# ## Five questions
#
# Begin with five that you have met. The third is the drawing of lesson 07, in which v6 moves away from
# v3 and v4. (By the matrices of that article all scores of v3 are 0.) Some are in the gallery, 10b: if
# you have not read it, they can be answered all the same.

# %%
ask("sum_of_all", ...)

# %%
ask("shapes_that_meet", ...)

# %%
ask("after_attention", ...)

# %%
ask("three_keys", ...)

# %%
ask("rounded", ...)

# %% [markdown]
# ## 3. Keys, not values
#
# - *Printed:* "$a_{ij}$ is the similarity of $q_i$ to $v_j$".
# - *Right:* of $q_i$ to $k_j$, the *key*. The output is a sum of values, and no value is compared with
#   anything.
# - *How to find it:* the values may have another width than the queries, and then there is no product
#   of the two (`08_scaled_dot_product_attention.py`). And with other values the weights stay the same.

# %%
T, S, K, V = 3, 5, 2, 7  # queries, keys, their width, and the width of the values
queries, keys, values = rng.normal(size=(T, K)), rng.normal(size=(S, K)), rng.normal(size=(S, V))
output, weights = mt.attention(queries, keys, values)
assert fits(lambda: queries @ keys.T)
assert not fits(lambda: queries @ values.T)
assert np.array_equal(mt.attention(queries, keys, 10 * values)[1], weights)
assert not np.allclose(mt.attention(queries, 10 * keys, values)[1], weights)

# %% [markdown]
# ## 5. How many columns?
#
# - *Printed:* the matrix $V$ is $n \times m$, and its $n$ columns are the values.
# - *Right:* with $n$ columns, each $m$ numbers high, it is $m \times n$: the number of rows comes
#   first.
# - *How to find it:* count. In `08_scaled_dot_product_attention.py` every shape is in the code.

# %%
n, m = S, V  # five values of seven numbers each
side_by_side = np.stack(list(values), axis=1)  # each value is a column
print("five columns, seven high:", side_by_side.shape)
assert side_by_side.shape == (m, n)
assert side_by_side.shape != (n, m)

# %% [markdown]
# ## 12. A matrix on the wrong side
#
# - *Printed:* the scores of all words as $W_{\mathrm{voc}}\, x$, with $W_{\mathrm{voc}}$ of shape
#   $(D, N)$ and the output $x$ of shape $(D,)$.
# - *Right:* $x\, W_{\mathrm{voc}}$, or $W_{\mathrm{voc}}^\mathsf{T}\, x$: one score for each of the $N$
#   words of the vocabulary.
# - *How to find it:* by shapes. `12_encoder_and_decoder.py` has the model in full, with its last map.

# %%
D, N = 4, 6
W_voc, x = rng.normal(size=(D, N)), rng.normal(size=D)
assert not fits(lambda: W_voc @ x)
assert (x @ W_voc).shape == (N,)
assert np.allclose(W_voc.T @ x, x @ W_voc)

# %% [markdown]
# ## Nine that you have met
#
# | | what was printed, and what is right | found by | is shown in |
# |---|---|---|---|
# | 1 | cosines of 0.98 and 0.99: they are 0.948 and 0.927 | its example | 05 |
# | 2 | weights summed over the contexts: over the states | sums | 06 |
# | 4 | a product with $V^\mathsf{T}$ behind the softmax: with $V$ | shapes | 10b, *Rows and columns* |
# | 6 | sine and cosine of two angles: they share one | a small example | 10b, *A formula that is off* |
# | 7 | v6 moves away from v3 and v4: it comes nearer | its example | 07, *Which way did v6 go?* |
# | 8 | equal weights of "it" and "ball": equal scores | a small example | 07, *One matrix for both* |
# | 9 | *only* if keys are orthonormal: others do, too | a small example | 10b, *A rough projection* |
# | 10 | any increasing function: only exp ignores a shift | no difference | 10b, *Other functions* |
# | 11 | 0.9999 and -0.9899: cut; rounded 1.0000 and -0.9900 | its example | 10b, *Digits that are cut* |
#
# (*No difference* is a case that should make none.) The tests of all nine follow, in three cells. That
# of number 4 uses the queries, keys and values of number 3.

# %%
# 1
words = {
    "king": np.array([0.9, 0.8, 0.7, 0.1, 0.2]),
    "queen": np.array([0.9, 0.8, 0.7, 0.1, 0.7]),
    "man": np.array([0.8, 0.6, 0.6, 0.2, 0.1]),
    "woman": np.array([0.8, 0.6, 0.6, 0.2, 0.6]),
}
cosine = lambda x, y: x @ y / (np.linalg.norm(x) * np.linalg.norm(y))
royal, people = cosine(words["king"], words["queen"]), cosine(words["man"], words["woman"])
print(f"king and queen {royal:.3f}, man and woman {people:.3f}")
assert round(royal, 3) == 0.948
assert round(people, 3) == 0.927

# 2: e_ij, i a state, j a context
e = np.random.default_rng(0).normal(size=(5, 3))
right_index = np.exp(e) / np.exp(e).sum(axis=0)
printed_index = np.exp(e) / np.exp(e).sum(axis=1, keepdims=True)
print("sums of the contexts' weights:")
print("   right:  ", right_index.sum(axis=0).round(3), "in all", right_index.sum().round(3))
print("   printed:", printed_index.sum(axis=0).round(3), "in all", printed_index.sum().round(3))
assert np.allclose(right_index.sum(axis=0), 1)
assert not np.allclose(printed_index.sum(axis=0), 1, atol=0.1)

# 4: by rows, and the same vectors as columns
scaled = queries @ keys.T / np.sqrt(K)  # (T, S)
by_rows = softmax(scaled) @ values  # (T, V)
Q_columns, K_columns, V_columns = queries.T, keys.T, values.T  # the same vectors as columns
by_columns = V_columns @ softmax(K_columns.T @ Q_columns / np.sqrt(K), axis=0)  # (V, T)
assert np.allclose(by_rows, output)
assert np.allclose(by_columns.T, output)

printed_in_rows = fits(lambda: softmax(scaled) @ values.T)
printed_in_columns = fits(lambda: softmax(Q_columns @ K_columns.T) @ V_columns.T)
print("the printed form fits rows:", printed_in_rows, " and columns:", printed_in_columns)
assert not printed_in_rows
assert not printed_in_columns


# %%
# 6
def positions(length, D, shared=True):
    pos, number = np.arange(length)[:, None], np.arange(D)
    exponent = number - number % 2 if shared else number
    angle = pos / 10000.0 ** (exponent / D)  # (length, D)
    return np.where(number % 2 == 0, np.sin(angle), np.cos(angle))


def at_distance_three(table):
    return [cosine(table[p], table[p + 3]) for p in range(3)]


for D in (4, 512):
    for shared, name in ((True, "right"), (False, "printed")):
        alike = np.round(at_distance_three(positions(6, D, shared)), 2)
        print(f"D = {D:3}, {name:>7}: positions 0 and 3, 1 and 4, 2 and 5:", alike)
assert np.allclose(positions(6, 512), mt.sinusoidal(6, 512), atol=1e-6)
assert np.ptp(at_distance_three(positions(6, 4))) < 0.01
assert np.ptp(at_distance_three(positions(6, 4, shared=False))) > 0.6
assert np.ptp(at_distance_three(positions(6, 512, shared=False))) < 0.01

# 11
table = positions(4, 4)
first, other = table[1, 3], table[3, 1]  # position 1, its last number; position 3, its second
cut = np.trunc(np.array([first, other]) * 10_000) / 10_000
print(f"{first:.6f} and {other:.6f}: rounded {first:.4f} and {other:.4f}, cut", cut)
assert (f"{first:.4f}", f"{other:.4f}") == ("1.0000", "-0.9900")
assert np.array_equal(cut, [0.9999, -0.9899])

# %%
# 7: the matrices of lesson 07
X = np.array([[1, 0, 0], [0.95, 0.1, 0], [0, 1, 0], [0, 0.95, 0.1], [-1, 0, 0], [0.5, 0.5, 0.5]])
W_Q = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0], [2, 0, 0]]).T
W_K = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 5], [0, 0, 3], [0, 0, 5], [2, 0, 0]]).T
Y = mt.attention(X @ W_Q, X @ W_K, X)[0]
before, after = ([cosine(rows[5], rows[i]) for i in range(5)] for rows in (X, Y))
for i in range(5):
    print(f"v6 with v{i + 1}: {before[i]:5.2f} before, {after[i]:5.2f} after")
assert (round(before[2], 2), round(after[2], 2)) == (0.58, 0.84)
assert after[3] > before[3]

# 8
it_and_others = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])  # it, ball, window
scores = it_and_others @ it_and_others.T
shares = softmax(scores)
print(f"score of it for ball {scores[0, 1]:.1f}, of ball for it {scores[1, 0]:.1f}")
print(f"weight of it for ball {shares[0, 1]:.2f}, of ball for it {shares[1, 0]:.2f}")
assert np.array_equal(scores, scores.T)
assert shares[0, 1] > 2 * shares[1, 0]

# 9
turns = np.radians([90, 210, 330])
three = np.stack([np.cos(turns), np.sin(turns)], axis=1)  # (3, 2), of length one
gives_back = three.T @ three  # the sum is q times this matrix
print("with keys of length one, q is multiplied by")
print(gives_back.round(12))
length = 1 / np.sqrt(gives_back[0, 0])
three = length * three
q = rng.normal(size=2)
assert np.isclose(length, np.sqrt(2 / 3))
assert np.allclose(sum((k @ q) * k for k in three), q)
assert not np.allclose(three @ three.T, np.eye(3), atol=0.1)

# 10: one more on every score
some_scores = np.array([2.0, 0.5, -1.0])
functions = {"exp": np.exp, "2 to the power of": np.exp2, "softplus": softplus, "sigmoid": sigmoid}
unmoved = {}
for name, phi in functions.items():
    share, moved = (phi(s) / phi(s).sum() for s in (some_scores, some_scores + 1))
    unmoved[name] = np.allclose(share, moved)
    print(f"{name:>17}: {share.round(3)}, and with one more: {moved.round(3)}")
assert unmoved == {"exp": True, "2 to the power of": True, "softplus": False, "sigmoid": False}


# %% [markdown]
# Number 2 as a picture:


# %%
def two_indices():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(7.5, 3.8))
    states = [f"h{i + 1}" for i in range(5)]
    for ax, table, title in (
        (axes[0], right_index, "right"),
        (axes[1], printed_index, "as printed"),
    ):
        heat_map(
            np.vstack([table, table.sum(axis=0)]), rows=[*states, "sum"], columns=["c1", "c2", "c3"],
            limits=(0, 2), numbers=".2f", title=title, ax=ax,
        )  # fmt: skip
        ax.axhline(4.5, color=ORANGE, lw=2)
        ax.set_aspect("auto")
    return figure


pictures("19_two_indices", two_indices)

# %% [markdown]
# ## What to remember
#
# Five of the twelve are found by shapes or sums alone, each with one line of code. Three are claims in
# words that are a little too general (8, 9, 10): there one counterexample is enough. If you find a
# mistake in this course, you know how to show it.

# %% [markdown]
# ## Questions

# %%
ask("end_columns", ...)

# %%
ask("end_smallest", ...)

# %%
ask("end_four_keys", ...)

# %% [markdown]
# Programs have misprints, too, and they run. To repair: nine programs of the *museum of bugs*, which
# shipped in transformers and in trainers that many people used: `accumulated_loss`, `drawn_by_workers`,
# `smoothed_loss`, `clipped`, `normalized`, `embedded`, `attended`, `masked_weights`, `best_beam`
# (`python -m minigrad exercises check 19`). The five tests of this lesson find most of them. Six more,
# of engines, are with lesson 04.
#
# Next: `20_what_a_compiler_does.py`.

# %%
print(pictures)
