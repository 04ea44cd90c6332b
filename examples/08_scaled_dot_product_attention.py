# %% [markdown]
# # 08 Scaled dot-product attention
#
# *The formula, its scale, and softmax and masks in practice. About 5 seconds.*
#
# Lesson 07 computed attention by hand, for six small vectors. Here is the formula itself, which all
# transformers share. It is short: two products of matrices, a division, and a softmax. This lesson
# explains why each piece is there, and what goes wrong without it.
#
# After it you can
#
# - say the formula in words, build it from plain sums, and write it for one query and for all, with
#   every shape;
# - say why the products are divided by the square root of the width, and measure what happens without;
# - distinguish overflow and saturation, put a mask in the right place, and say what the output is
#   where a query may look at no key;
# - say which outputs attention can give, and walk back through it in numbers (optional).

# %%
import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import softmax
from minigrad.views.plots import BLUE, GREY, ORANGE, shades

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("08")
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("06/end_weights", ...)

# %%
ask("05/end_repeated_word", ...)

# %% [markdown]
# ## The formula in words
#
# A query asks, and every key is compared with it:
#
# 1. Multiply the query with each key. Such a product is large where the two point the same way.
# 2. Divide the products by the square root of the width, the number of numbers in a key. The results
#    are the *scaled scores*. From here on, *score* means the scaled one.
# 3. Turn the scores into weights by the softmax: positive numbers that sum to one.
# 4. Take the mean of the values with these weights. This is the output.
#
# In small numbers: the query $(1, 2, 0, 1)$, the keys $(2, 1, 5, 0)$ and $(0, 2, 1, 0)$, and the
# values $(0, 4)$ and $(6, 0)$.

# %%
ask("equal_scores", ...)

# %%
query = np.array([1.0, 2, 0, 1])  # (K,), K = 4
small_keys = np.array([[2.0, 1, 5, 0], [0, 2, 1, 0]])  # (S, K), S = 2
small_values = np.array([[0.0, 4], [6, 0]])  # (S, V), V = 2


def in_words(query):
    products = np.array([query @ key for key in small_keys])
    scores = products / np.sqrt(len(query))
    weights = np.exp(scores) / np.exp(scores).sum()
    output = weights[0] * small_values[0] + weights[1] * small_values[1]
    print(f"products {products}, scores {scores}, weights {weights.round(3)},", end=" ")
    print(f"output {output.round(3)}")
    return output


first, second = in_words(query), in_words(np.array([2.0, 0, 0, 0]))
assert np.allclose(first, [3, 2])
assert np.allclose(second, [0.715, 3.523], atol=5e-4)

# %% [markdown]
# The first query has the same product with both keys, so it gets the plain mean of the values. The
# output of the second is mainly the first value.

# %% [markdown]
# ## From plain sums to the formula
#
# Why these four steps? Begin with the simplest way to mix vectors $v_1, \dots, v_T$ so that likeness
# counts: a sum of all, each multiplied by how alike the two are,
#
# $$y_i = \sum_j (v_i \cdot v_j)\, v_j .$$
#
# Write the vectors as the rows of a matrix $X$. Then $X X^\mathsf{T}$ is the table of all products
# $v_i \cdot v_j$, and all sums together are $Y = X X^\mathsf{T} X$. Take the three vectors $(1, 0)$,
# $(0, 1)$ and $(1, 1)$.

# %%
ask("plain_sum", ...)

# %%
X = np.array([[1.0, 0], [0, 1], [1, 1]])  # (T, D)
plain_sums = [sum((v_i @ v_j) * v_j for v_j in X) for v_i in X]
print("plain sums:", *plain_sums)
assert np.allclose(plain_sums, X @ X.T @ X)

# %% [markdown]
# Three changes lead from here to the formula:
#
# | | | what for |
# |---|---|---|
# | plain sums | $X X^\mathsf{T} X$ | the more alike, the more it counts |
# | three maps | $Q K^\mathsf{T} V$ | asking, being asked and delivering may differ |
# | softmax | $\mathrm{softmax}(Q K^\mathsf{T})\, V$ | weights, so that the output is a mean |
# | root | $\mathrm{softmax}(Q K^\mathsf{T} / \sqrt{d_k})\, V$ | scores of the same size at every width |
#
# (For one query, the second row is $\sum_t (q \cdot k_t)\, v_t$.) The maps are those of lesson 07,
# $Q = X W_Q$, $K = X W_K$ and $V = X W_V$, and $d_k$ is the width of queries and keys. The softmax
# works on each row by itself. Without it the outputs have no fixed size. $X$ stands three times in the
# plain sums, so an $X$ twice as large gives sums 8 times as large. Repeat that, and large ones grow
# without end, while small ones shrink to nothing.

# %%
W_Q, W_K, W_V = rng.normal(size=(3, 2, 2))
q, k, v = X @ W_Q, X @ W_K, X @ W_V
formula = softmax(q @ k.T / np.sqrt(2)) @ v  # (T, V)
assert np.allclose(formula, mt.attention(q, k, v)[0])

by_hand = sum(
    (q[2] @ k_t) * v_t for k_t, v_t in zip(k, v)
)  # the second row of the table, for one query
assert np.allclose(by_hand, q[2] @ k.T @ v)

sums, means = X, X
for _ in range(5):
    sums, means = sums @ sums.T @ sums, softmax(means @ means.T / np.sqrt(2)) @ means
print(f"largest number after five times: plain sums {sums.max():.0e}, attention {means.max():.2f}")
assert sums.max() > 1e50
assert means.max() <= 1

# %% [markdown]
# ## Every shape
#
# Queries do not have to come from the same vectors as keys and values. In a translation the $T$ words
# that are written ask, and the $S$ words that were read are asked, as in lesson 06. The two may have
# different widths:
#
# $$q = x\, W_Q + b_q, \qquad k_t = z_t W_K + b_k, \qquad v_t = z_t W_V + b_v.$$
#
# Here $x$ is a vector that asks, $(C_x,)$, and $z_1, \dots, z_S$ are asked, $(C_z,)$ each. $W_Q$ is
# $(C_x, K)$, $W_K$ is $(C_z, K)$ and $W_V$ is $(C_z, V)$. So there are four spaces: that of the words
# written, that of the words read, one with $K$ dimensions in which queries are compared with keys, and
# one with $V$ dimensions for the values. For one query (algorithm 3 of Phuong & Hutter, "Formal
# Algorithms for Transformers", 2022, who write each part of a transformer down step by step):
#
# $$s_t = \frac{q \cdot k_t}{\sqrt K}, \qquad
#   \alpha = \mathrm{softmax}(s), \qquad y = \sum_{t=1}^{S} \alpha_t\, v_t .$$
#
# All sizes are different here, so that no shape fits by chance ([all letters](SYMBOLS.md)). (The
# numbers are random, as they are before training.)

# %%
T, S, C_x, C_z, K, V = 3, 5, 4, 6, 2, 7
W_Q, b_q = rng.normal(size=(C_x, K)) / 2, rng.normal(size=K) / 2
W_K, b_k = rng.normal(size=(C_z, K)) / 2, rng.normal(size=K) / 2
W_V, b_v = rng.normal(size=(C_z, V)) / 2, rng.normal(size=V) / 2
x = rng.normal(size=(T, C_x))  # T vectors that ask, one a row
z = rng.normal(size=(S, C_z))  # S vectors that are asked


def one_query(x, z):
    q = x @ W_Q + b_q  # (K,)
    k = [z_t @ W_K + b_k for z_t in z]  # S times (K,)
    s = np.array([q @ k_t for k_t in k]) / np.sqrt(K)  # (S,)
    alpha = np.exp(s) / np.exp(s).sum()  # (S,)
    return sum(a * (z_t @ W_V + b_v) for a, z_t in zip(alpha, z)), alpha  # (V,), (S,)


output, alpha = one_query(x[0], z)
print("weights of the first that asks:", alpha.round(3), "sum", alpha.sum().round(12))
assert output.shape == (V,)
assert alpha.shape == (S,)

# %% [markdown]
# All queries at once are products of matrices (algorithm 4):
#
# $$\mathrm{attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\mathsf{T}}{\sqrt{d_k}}\right) V .$$
#
# (In this formula $K$ and $V$ are matrices, and $d_k$ is the width. In the code the matrices are
# called `queries`, `keys` and `values`, and `K` and `V` are the widths.)

# %%
queries = x @ W_Q + b_q  # (T, K)
keys = z @ W_K + b_k  # (S, K)
values = z @ W_V + b_v  # (S, V)
scores = queries @ keys.T / np.sqrt(K)  # (T, S): row = query, column = key
weights = softmax(scores)  # (T, S)
rows = weights @ values  # (T, V)
for t in range(T):
    assert np.allclose(rows[t], one_query(x[t], z)[0])

by_library, its_weights = mt.attention(queries, keys, values)
assert np.allclose(by_library, rows)
assert np.allclose(its_weights, weights)
assert np.allclose(mt.single_query(queries[0], keys, values)[0], rows[0])

# %% [markdown]
# Only this must fit: queries and keys are equally wide; there are as many values as keys. The output
# has the length of the queries and the width of the values. What does not fit is refused. (PyTorch
# takes the three in the same order. Keras takes query, value, key, and the key may be left out: then
# the values are the keys, too.) A key and the value with the same number belong together: the output is
# a sum over these pairs. With keys and values in another order, the same for both, it stays. With the
# keys alone in another order, each weight goes to another value.

# %%
assert queries.shape[1] == keys.shape[1] == K
assert len(keys) == len(values) == S
assert rows.shape == (T, V)

mixed = [3, 0, 4, 2, 1]  # another order
assert np.allclose(mt.attention(queries, keys[mixed], values[mixed])[0], rows)
assert not np.allclose(mt.attention(queries, keys[mixed], values)[0], rows)


def refusal(*three):
    try:
        return mt.attention(*three) and ""
    except mg.errors.ShapeError as problem:
        return str(problem)


refused = [refusal(queries[:, :1], keys, values), refusal(queries, keys, values[1:])]
print("refused:", *refused, sep="\n  ")
assert all(refused)


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
# Let the numbers in a query and a key be random, independent, and uniform on $[-a, a]$. Their mean is
# zero, and their variance (the mean of their squares) is $a^2/3$. (*Variance* and *independent* are
# explained, and this is derived, under [mathematics](MATHEMATICS.md).) For independent numbers, the
# mean of a product is the product of the means. So a product $x_i y_i$ has the mean zero, and its
# variance, the mean of $x_i^2 y_i^2$, is the mean of $x_i^2$ times that of $y_i^2$:
# $(a^2/3)^2 = a^4/9$. A query times a key is a sum of $d$ such products, and variances of independent
# numbers add:
#
# $$\mathrm{Var}(x \cdot y) = C d, \qquad C = \frac{a^4}{9}; \qquad
#   \mathrm{Var}\!\left(\frac{x \cdot y}{\sqrt d}\right) = C,$$
#
# as dividing numbers by $\sqrt d$ divides their variance by $d$. ($C$ is a short name for this number
# here, and no width.) (In general, for independent numbers
# with the mean zero and the variance $\sigma^2$: $d\, \sigma^4$ before the division, and $\sigma^4$
# after it.) So the wider the vectors, the larger the products, by $\sqrt d$; and the division removes
# exactly this factor. (If we divided the products by $d$ itself, the scores of wide vectors would be
# nearly 0, all weights nearly equal, and the output nearly the mean of the values.) We measure both
# variances on 20,000 pairs, with $a = 2$, at widths from 4 to 1024.

# %%
ask("wider", ...)

# %%
a = 2.0
C = a**4 / 9
wide = [4, 16, 64, 256, 1024]


def products(d, pairs=20_000):
    x, y = rng.uniform(-a, a, size=(2, pairs, d)).astype(np.float32)
    return np.einsum("pd,pd->p", x, y)  # (pairs,): each x with its y, as d is summed (lesson 02)


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
# And why do large scores hurt? Scores that are large, some above and some below zero, are far apart.
# Their softmax is nearly one for the largest, and nearly zero for the rest. It is *saturated*: a small
# change of a score changes almost nothing, so the gradient is nearly zero, and almost nothing is
# learned. The derivative of the weight $\alpha_i$ with respect to the score $s_j$ is
#
# $$\frac{\partial \alpha_i}{\partial s_j} = \alpha_i (\delta_{ij} - \alpha_j),
#   \qquad \delta_{ij} = 1 \text{ if } i = j, \text{ else } 0,$$
#
# which is zero where all $\alpha$ are 0 or 1. This is the quotient rule: $\alpha_i = e^{s_i} / Z$ with
# $Z = \sum_k e^{s_k}$, and $\partial Z / \partial s_j = e^{s_j}$, so the derivative is
# $(\delta_{ij}\, e^{s_i} Z - e^{s_i} e^{s_j}) / Z^2 = \delta_{ij}\, \alpha_i - \alpha_i \alpha_j$. The
# table of all these derivatives is called the *Jacobian*, and `mg.jacobian` computes it.
#
# Let a gradient $g$ arrive at the weights. The gradient of $s_j$ is the sum over all weights,
# $\sum_i g_i\, \alpha_i (\delta_{ij} - \alpha_j) = \alpha_j \big(g_j - \sum_i g_i\, \alpha_i\big)$. This
# is the softmax rule of lesson 03, without the mistake that was put into it there. It does not need the
# table. Its numbers sum to 0, because a number that is added to *all* scores changes no weight (see
# below, under overflow), and so it does not change the loss. Check all this on five random scores:

# %%
s = rng.normal(size=5)
alpha = softmax(s)
J = mg.jacobian(softmax)(s)  # (5, 5)
assert np.allclose(J, np.diag(alpha) - np.outer(alpha, alpha))
g = np.arange(5.0)
assert np.allclose(g @ J, alpha * (g - g @ alpha))
assert np.isclose(np.sum(g @ J), 0)
print("both formulas agree with mg.jacobian")

# %% [markdown]
# ### The slopes, measured (optional)
#
# Call the numbers in the Jacobian *slopes*. How large are they, without the division by $\sqrt{d}$ and
# with it? We measure their size as the root of their mean square. At each of the widths above, we draw
# 16 products and take the softmax of them, once as they are, and once divided by $\sqrt d$; and we
# repeat that 400 times. We also take the mean of the largest of the 16 weights.


# %%
def slopes(scores):
    """The size of the derivatives of the weights with respect to the scores, for scores (n, keys)."""
    alpha = softmax(scores)
    # for each row of scores its Jacobian, as above: (n, keys, keys)
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
assert plain_slope[-1] < plain_slope[0] / 2
assert max(scaled_slope) < 1.2 * min(scaled_slope)
assert largest[-1] > 0.97


# %%
def why_divide():
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.7))
    left.loglog(wide, variance, "o-", color=ORANGE)
    left.loglog(wide, scaled_variance, "o-", color=BLUE)
    left.loglog(wide, C * np.array(wide), "--", color=GREY, zorder=3)
    left.text(40, 330, "$x \\cdot y$, and $C d$", color=ORANGE, ha="right")
    left.text(60, 2.5, "$x \\cdot y\\, /\\, \\sqrt{d}$", color=BLUE)
    left.set(ylabel="variance (logarithmic scale)")
    right.semilogx(wide, plain_slope, "o-", color=ORANGE)
    right.semilogx(wide, scaled_slope, "o-", color=BLUE)
    right.text(90, 0.0095, "$x \\cdot y$", color=ORANGE)
    right.text(300, 0.0213, "$x \\cdot y\\, /\\, \\sqrt{d}$", color=BLUE)
    right.set(ylabel="size of the softmax's slopes (linear scale)", ylim=(0, 0.025))
    for ax in (left, right):
        ax.set_xticks(wide, [str(d) for d in wide])
        ax.minorticks_off()
        ax.set_xlabel("width $d$")
    return figure


pictures("08_why_divide", why_divide)

# %% [markdown]
# Without the division the slopes at the greatest width are about a third of those at the smallest. With
# it they hardly change. These sizes are means: most of the 400 softmaxes at the greatest width are
# saturated, with slopes of nearly zero, and the few others make up the mean.
#
# ### And if queries and keys are alike? (optional)
#
# The root rests on one word: *independent*. Take it away, and let each position have the same vector as
# its query and as its key, $q = k$. The product of a vector with itself is a sum of squares, and these
# do not cancel: its mean is $d\, a^2 / 3$, and no longer zero. Divided by $\sqrt d$ it is still
# $\sqrt d\, a^2 / 3$, and grows with the width.

# %%
ask("alike", ...)

# %%
own = np.random.default_rng(1)
with_itself, on_itself = [], []
for d in wide:
    both = own.uniform(-a, a, size=(2000, d))  # each a query, and a key too
    with_itself.append(np.mean(np.sum(both * both, axis=1)) / np.sqrt(d))
    weights_of_16 = softmax(both[:16] @ both[:16].T / np.sqrt(d))  # (16, 16)
    on_itself.append(np.diag(weights_of_16).mean())
print("score of a vector with itself:", np.round(with_itself, 1))
print("its weight among 16:          ", np.round(on_itself, 3))
assert np.allclose(with_itself, a**2 / 3 * np.sqrt(wide), rtol=0.05)
assert on_itself[0] < 0.6
assert on_itself[-1] > 0.999

# %% [markdown]
# So each position looks at itself alone, saturated in spite of the root. Queries and keys come from two
# matrices that are drawn apart, and are independent before the first step. Training makes them alike: a
# query is to fit its key. So the root is right at the start, and promises nothing later. Two remedies:
# divide by $d$ instead, which is right where query and key are alike (Yang et al., 2022); or make each
# query and key equally long, and learn one factor for the scores (Henry et al., 2020).
#
# ## Softmax in practice: overflow
#
# The largest number that float64 can hold is about $e^{709}$, and float32 about $e^{88}$. Beyond it
# $e^s$ *overflows* to infinity, and infinity divided by infinity is no number (NaN). The remedy:
# subtract the same number $c$ from all scores of a row. It changes no weight, since
# $e^{s - c} = e^s e^{-c}$ and $e^{-c}$ cancels in the division. With the largest score of the row as
# $c$, all exponents are zero or less, and nothing overflows.

# %%
ask("shifted", ...)


# %%
def naive_softmax(s):
    return np.exp(s) / np.exp(s).sum()


large = np.array([1000, 1000 + np.log(3)])
with np.errstate(over="ignore", invalid="ignore"):  # NumPy would warn
    print("without care:", naive_softmax(large))
    assert np.isnan(naive_softmax(large)).all()
print("the largest taken off first:", naive_softmax(large - large.max()).round(3))
assert np.allclose(naive_softmax(large - large.max()), [0.25, 0.75])
assert np.allclose(softmax(large), [0.25, 0.75])  # the library does the same

# %% [markdown]
# Overflow and saturation both come from large scores, but they are not the same. Overflow is a fault
# of the *computation*: the weights exist, and the usual way to compute them fails. Saturation is a
# property of the *weights*: computed without any error, they hardly react to the scores. Subtracting
# the maximum prevents overflow, and does not change the saturation. Only smaller *differences* of
# scores help there.

# %%
apart = np.array([1000.0, 1040.0])
slope = np.abs(mg.jacobian(softmax)(apart)).max()
print(f"weights of {apart}: {softmax(apart)}; the largest slope is {slope.item():.0e}")
assert np.isfinite(softmax(apart)).all()  # no overflow,
assert slope < 1e-16  # and no gradient either

# %% [markdown]
# ## Masks in practice
#
# Some positions must not be looked at: words that only fill up a batch (*padding*), or, for a model
# that writes, the words that come later (lesson 12). A *mask* says for each query and key whether it
# may be looked at; in this project True stands for "may". Where does it act: on the scores, before
# the softmax, or on the weights, after it?
#
# - *Before:* hidden scores become minus infinity. Their weights are $e^{-\infty} = 0$, and the others
#   sum to one.
# - *After:* hidden weights are multiplied by zero. The weight that the hidden ones had is lost.
#
# (To multiply a hidden *score* by zero hides nothing: 0 is a score like any other, and $e^0 = 1$.)

# %%
ask("one_hidden", ...)

# %%
may = np.array([True, True, True, False])
before = lambda s: softmax(np.where(may, s, -np.inf))
after = lambda s: softmax(s) * may
for s in (np.zeros(4), np.array([2.0, 1, 0, 5])):
    print(f"scores {s}: before {before(s).round(3)}, after {after(s).round(3)}", end=" ")
    print(f"with the sum {after(s).sum():.3f}")
    assert np.allclose(before(s), [*softmax(s[:3]), 0])
assert np.allclose(before(np.zeros(4)), [1 / 3, 1 / 3, 1 / 3, 0])
assert np.isclose(after(np.zeros(4)).sum(), 3 / 4)
assert after(s).sum() < 0.1
assert softmax(s * may)[3] > 0.08  # the score times zero: e^0 in the place of e^5, and still seen

# %% [markdown]
# With the scores 2, 1, 0 and 5 the hidden one takes nearly all, and then it is thrown away: the
# output is less than a tenth of a mean. Worse, what was hidden still counts, as it is part of the
# sum below the line. Change the hidden score, and all weights of *after* change. Those of *before*
# do not, to the last bit:

# %%
other = np.array([2.0, 1, 0, -3])
assert np.array_equal(before(s), before(other))
assert not np.allclose(after(s)[:3], after(other)[:3])

# %% [markdown]
# ### A row with nothing to choose from
#
# What if *all* is hidden from a query? Weights that are all zero cannot sum to one, so each
# program has to choose what to return. Three programs give three answers:

# %%
nothing = np.full(4, -np.inf)
with np.errstate(invalid="ignore"):
    by_infinity = np.exp(nothing - nothing.max())  # minus infinity less minus infinity
by_large_number = softmax(np.full(4, -1e4))
print("minus infinity:", by_infinity, "| -10,000:", by_large_number, "| here:", softmax(nothing))
assert np.isnan(by_infinity).all()
assert np.allclose(by_large_number, 1 / 4)
assert np.array_equal(softmax(nothing), np.zeros(4))

# %% [markdown]
# With minus infinity it is NaN. A single score of minus infinity does no harm, as long as another one
# in its row is finite. But a row of them is NaN, and NaN spreads: 0 times NaN is NaN. So it does not
# help that this row may be multiplied by 0 later. The loss is a mean over the batch, so it is NaN,
# too, every gradient is, and after one step every number of the model:

# %%
weight = mg.Tensor(2.0, requires_grad=True)  # of a model, which all examples share
outputs = np.array([[1.0, 2.0], [np.nan, np.nan]]) * weight  # two examples
loss = np.mean(outputs * np.array([[1.0], [0.0]]))  # the second does not count, as it seems
loss.backward()
print("the loss:", loss.item(), "the gradient of the weight:", weight.grad.item())
assert np.isnan(weight.grad.item())

# %% [markdown]
# With a large negative number, as many programs have it, the query looks at everything that was hidden,
# without any warning. This project gives zeros: the output is zero, and so is the gradient.

# %%
mask = np.array([[True] * S, [False] * S, [True, False, True, False, True]])  # (T, S)
asking = mg.Tensor(queries, requires_grad=True)
masked, masked_weights = mt.attention(asking, keys, values, mask)
masked.sum().backward()
print("weights:", masked_weights.data.round(2), sep="\n")
assert np.array_equal(masked.data[1], np.zeros(V))
assert np.isfinite(asking.grad.data).all()
assert np.array_equal(asking.grad.data[1], np.zeros(K))

# %% [markdown]
# ## Which outputs are possible? (optional)
#
# Weights are positive and sum to one. So the output lies *among* the values, as a centre of mass
# lies among the masses. Take three values, $(0, 0)$, $(2, 0)$ and $(0, 2)$. Whatever the weights are,
# the output lies in the triangle between the three, which is called their *convex hull*.

# %%
ask("reachable", ...)

# %%
corners = np.array([[0.0, 0], [2, 0], [0, 2]])
reached = softmax(rng.normal(size=(3000, 3)) * 3) @ corners  # (3000, 2)
needed = lambda x, y: np.array([1 - (x + y) / 2, x / 2, y / 2])  # the only weights that give (x, y)
print("weights that give (0.5, 1):", needed(0.5, 1), "and (1.5, 1.5):", needed(1.5, 1.5))
assert np.allclose(needed(1.5, 1.5) @ corners, [1.5, 1.5])
assert needed(1.5, 1.5).min() < 0  # so no softmax gives them
assert (reached > 0).all()
assert (reached.sum(axis=1) < 2).all()

sharper = [softmax(factor * np.array([0.0, 1, 0])) @ corners for factor in (1, 4, 16)]
print("scores (0, 1, 0), times 1, 4 and 16:", *(point.round(7) for point in sharper))
assert [point[0] < 2 for point in sharper] == [True] * 3
assert 2 - sharper[-1][0] < 1e-6

on_edge = softmax(np.array([0.0, 1, -np.inf])) @ corners  # the third is hidden
assert 0 < on_edge[0] < 2
assert on_edge[1] == 0


# %%
def triangle():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(4.6, 4.2))
    ax.plot(*reached.T, ".", color=BLUE, ms=2, rasterized=True)
    ax.plot(*corners.T, "o", color=ORANGE, ms=9)
    ax.plot(1.5, 1.5, "x", color=GREY, ms=10, mew=2)
    ax.text(1.5, 1.6, "never", ha="center", color=GREY)
    ax.text(0.06, -0.17, "the values are the corners", color=ORANGE)
    ax.set(aspect="equal", xlim=(-0.15, 2.2), ylim=(-0.25, 2.2))
    ax.set(xlabel="first number", ylabel="second number")
    return figure


pictures("08_triangle", triangle)

# %% [markdown]
# $(1.5, 1.5)$ is not among them, though each of its numbers is between the least and the greatest of
# the values. The border of the triangle is not reached either. With two keys or more, finite scores
# give no weight that is exactly 0, as on an edge, or exactly 1, as at a corner (though a computer
# rounds it to that in the end). The larger the differences of scores, the nearer it comes. So the
# outputs fill the inside of the triangle, without its border. A mask is the exception: where the
# third key is hidden, its weight is 0, and the output lies on the edge between the first two. Where
# one key is seen alone, its weight is 1, and the output is its value.
#
# In general the outputs are the mixtures in which every visible value has a weight above 0: the
# *relative interior* of the convex hull of these values. It is called relative because the hull is
# often flat. Between two values it is a line, without its ends; ten values of 512 numbers each have
# at most nine dimensions.
#
# How does a model get outside? After attention comes one more matrix, $W_O$ (lesson 09), and the sum
# $e + \mathrm{attention}(e)$ (lesson 11). A matrix moves the corners themselves. With
# $W_O$ = 2 times the identity, $(0.75, 0.75)$, which lies in the triangle, becomes $(1.5, 1.5)$.

# %%
W_O = 2 * np.eye(2)
assert needed(0.75, 0.75).min() > 0
assert np.allclose(needed(0.75, 0.75) @ corners @ W_O, [1.5, 1.5])

# %% [markdown]
# ## The way back, in numbers (optional)
#
# All rules are known: that of a product of matrices (lesson 02), and that of the softmax (above). Put
# them together. Let $S = Q K^\mathsf{T} / \sqrt d$ be the scores, $A$ their softmax, $Y = A V$ the
# output, and $G$ the gradient that arrives at $Y$. Write $dV$ for the gradient of $V$, and so on. Then,
# step by step backwards,
#
# $$dV = A^\mathsf{T} G, \qquad dA = G V^\mathsf{T}, \qquad
#   dS = A * \big(dA - \textstyle\sum (A * dA)\big),$$
#
# $$dQ = \frac{dS\, K}{\sqrt d}, \qquad dK = \frac{dS^\mathsf{T} Q}{\sqrt d}.$$
#
# ($*$ multiplies element by element, and the sum is that of each row.) A value gets of $G$
# what its weight is. The gradient of a query is a sum of keys, weighted by $dS$; that of a key is such a
# sum of queries.
#
# In numbers: the first query of this lesson, whose two weights are $1/2$, and $G = (1, 1)$. The keys are
# $(2, 1, 5, 0)$ and $(0, 2, 1, 0)$, the values $(0, 4)$ and $(6, 0)$. So $dA$ is $(4, 6)$: the product
# of $G$ with each value. The mean of these by the weights is 5. So $dS = \tfrac12 (4 - 5,\ 6 - 5)$.

# %%
ask("back_to_query", ...)

# %%
Q, G = query[None], np.array([[1.0, 1.0]])  # (1, K), (1, V)
A = softmax(Q @ small_keys.T / 2)  # (1, S): 2 is the root of 4
d_v = A.T @ G  # (S, V)
d_a = G @ small_values.T  # (1, S)
d_s = A * (d_a - np.sum(A * d_a, axis=-1, keepdims=True))
d_q = d_s @ small_keys / 2  # (1, K)
d_k = d_s.T @ Q / 2  # (S, K)
for name, gradient in {"d_v": d_v, "d_a": d_a, "d_s": d_s, "d_q": d_q, "d_k": d_k}.items():
    print(f"{name} = {gradient.tolist()}")

three = [mg.Tensor(one, requires_grad=True) for one in (Q, small_keys, small_values)]
mt.attention(*three)[0].backward(G)
assert all(np.allclose(one.grad, by_hand) for one, by_hand in zip(three, (d_q, d_k, d_v)))

# %% [markdown]
# The second value fits $G$ better, with 6 against 4. So its score gets a positive gradient, and the
# first as much with a minus sign. (The loss falls *against* the gradient: the step makes the second
# weight smaller.) $dV$ needs $A$, and $dS$ needs it, too: that is why the way forward keeps a table of
# $T \times S$ weights for each head.
#
# ## Step through it (optional)
#
# The two queries of the beginning, as a page: each step forwards and back, where every number can be
# changed. Make a key longer, and see the weights saturate and the gradients go. (If you read this in a
# browser, [the steps are here](out/08_steps.html).)

# %%
query = mg.Tensor([[1.0, 2, 0, 1], [2, 0, 0, 0]], requires_grad=True)  # (T, K)
key = mg.Tensor(small_keys, requires_grad=True)  # (S, K)
value = mg.Tensor(small_values, requires_grad=True)  # (S, V)
with mg.record():
    s = query @ key.T / 2  # (T, S): 2 is the root of 4
    alpha = softmax(s)  # (T, S)
    y = alpha @ value  # (T, V)
    loss = np.sum(np.square(y - 1))
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(
    loss, pictures.folder / "08_steps.html", title="two queries, two keys, two values"
)
print("open in a browser:", page)
assert np.allclose(y.data, [first, second])

# %% [markdown]
# ## Kept, and more
#
# That is the second promise of lesson 00, kept in its main part: how it looks. (In lesson 12 you
# compute a whole model with it by hand.) More of this kind is in the gallery, `10b_a_gallery.py`:
# attention written in columns; with other functions than $e^s$; as an inner product, a projection, a
# memory, and a motion.
#
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_scores", ...)

# %%
ask("end_shape", ...)

# %%
ask("end_variances", ...)

# %%
ask("end_back", ...)

# %% [markdown]
# To write yourself: `scores`, `attend` and `softmax_rule` (`python -m minigrad exercises check 08`).
#
# Next: `09_many_heads.py`. One comparison is not enough for a sentence; take several, side by side.

# %%
print(pictures)
