# %% [markdown]
# # 11 Layer norm and residuals
#
# *What keeps a deep stack alive, up and down, from its first weights on. About 6 seconds.*
#
# A transformer is a stack of layers. Numbers must get through it on the way up, and gradients on
# the way down. Three things take care of that: norms, residuals, and how large the first weights are.
#
# After this lesson you can
#
# - write layer normalisation, and say what it does to a vector;
# - say how large first weights should be, and why they must differ;
# - say what residuals do to the gradient, and why; say what pre-norm and post-norm are, why a
#   pre-norm stack ends in a norm, and why post-norm needs a warm-up.

# %%
import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy, mse_loss
from minigrad.views.plots import gradient_size, gradient_sizes

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("11")
mg.manual_seed(0)
rng = np.random.default_rng(0)

BLUE, RED, GREY = "#1d5fa8", "#b3370f", "#94a3b8"

# %% [markdown]
# First two questions from older lessons.

# %%
ask("02/end_broadcast", ...)

# %%
ask("01/end_three_uses", ...)

# %% [markdown]
# ## Layer normalisation
#
# Take the vector $x$ of one word, of shape $(D,)$. Subtract its mean, divide by its standard
# deviation, and let the model choose a new size and a new middle for each number, a *gain* $\gamma$
# and a *bias* $\beta$, both of shape $(D,)$:
#
# $$\mu = \frac{1}{D} \sum_i x_i, \qquad \sigma^2 = \frac{1}{D} \sum_i (x_i - \mu)^2,$$
#
# $$\hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}, \qquad y = \gamma \hat x + \beta.$$
#
# The small $\varepsilon$ prevents a division by zero where all numbers are equal. Each word is
# normalised by itself: no other word, and no other sentence of the batch, takes part.

# %%
ask("normalised", ...)


# %%
def layer_norm(x, gain, bias, eps=1e-5):
    deviation = x - np.mean(x, axis=-1, keepdims=True)  # (..., D)
    variance = np.mean(np.square(deviation), axis=-1, keepdims=True)  # (..., 1)
    return deviation / np.sqrt(variance + eps) * gain + bias


print("(1, 2, 3) becomes", layer_norm(np.array([1.0, 2.0, 3.0]), 1.0, 0.0).round(3))

x = rng.normal(3, 10, size=(4, 6))  # four words
y = layer_norm(x, np.ones(6), np.zeros(6))
print("means:     ", y.mean(axis=-1).round(6))
print("deviations:", y.std(axis=-1).round(6))
assert np.allclose(y.mean(axis=-1), 0, atol=1e-12)
assert np.allclose(y.std(axis=-1), 1, atol=1e-5)
assert np.allclose(y, mt.LayerNorm(6)(x).detach())  # the library's, whose gain and bias begin so

# %% [markdown]
# Two things are lost: the mean, and the length. For $D = 3$ one can see it. After the mean is
# subtracted, the three numbers sum to zero: all such vectors lie in one plane. After the division,
# the mean of the squares is 1, so the length is $\sqrt 3$: a circle in that plane. Only a direction
# is left of each word.

# %%
cloud = rng.normal(size=(60, 3)) * [1.5, 0.8, 1.2] + [0.6, 0.3, 0.4]
ring = layer_norm(cloud, np.ones(3), np.zeros(3))
assert np.allclose(ring.sum(axis=1), 0, atol=1e-12)
assert np.allclose(np.linalg.norm(ring, axis=1), np.sqrt(3), atol=1e-3)


# %%
def to_a_ring():
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(9.5, 4.4))
    turn = np.linspace(0, 2 * np.pi, 100)
    across = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])  # spans the plane
    circle = np.sqrt(3) * np.stack([np.cos(turn), np.sin(turn)], axis=1) @ across
    hue = plt.cm.twilight(np.arctan2(*(ring @ across.T).T) / (2 * np.pi) + 0.5)
    titles = "sixty vectors", "after layer norm: one ring"
    for place, (title, points) in enumerate(zip(titles, (cloud, ring)), 1):
        ax = figure.add_subplot(1, 2, place, projection="3d", elev=30, azim=12)
        ax.plot(*circle.T, color=GREY, lw=1)
        ax.scatter(*points.T, c=hue, s=28, depthshade=False)
        ax.set(xlim=(-2.5, 2.5), ylim=(-2.5, 2.5), zlim=(-2.5, 2.5), title=title)
        ax.set(xticks=[-2, 0, 2], yticks=[-2, 0, 2], zticks=[-2, 0, 2])
        ax.set_box_aspect((1, 1, 1), zoom=0.9)
    return figure


pictures("11_ring", to_a_ring)

# %% [markdown]
# ## First weights
#
# Training changes weights by their gradients. With what does it begin? Not with zeros, and not with any
# number that is the same for all. In the smallest network, two hidden numbers $h_1, h_2$ have weights in
# and weights out. If they begin equal, they are equal, so they get equal gradients, and stay equal for
# ever: two hidden numbers do the work of one. What breaks the tie is chance. With zeros in both matrices
# nothing moves at all: $h = 0$, so the weights out get the gradient 0, and what comes back through
# them to $h$, and to the weights in, is multiplied by 0.

# %%
points = rng.normal(size=(50, 2))
targets = points[:, 0] * points[:, 1]
into, out = mg.Parameter(np.full((2, 2), 0.3)), mg.Parameter(np.full(2, 0.3))
into.data = [[0.3, 0.3], [-0.5, -0.5]]  # (2, 2): a column for each hidden number, both alike
descent = mg.optim.SGD([into, out], lr=0.1)
for _ in range(200):
    descent.zero_grad()
    mse_loss(np.tanh(points @ into) @ out, targets).backward()
    descent.step()
print("weights into both, after 200 steps:", *into.data.T.round(3))
assert np.array_equal(into.data[:, 0], into.data[:, 1])
assert abs(into.data[0, 0] - 0.3) > 0.05  # they have moved, together

zeros = mg.Parameter(np.zeros((2, 2))), mg.Parameter(np.zeros(2))
mse_loss(np.tanh(points @ zeros[0]) @ zeros[1], targets).backward()
assert not any(w.grad.data.any() for w in zeros)

# %% [markdown]
# How large? Take $y = x W$ with $D$ numbers in $x$. Each $y_j = \sum_i x_i w_{ij}$ is a sum of $D$
# products. If all numbers are independent with the mean 0, then the variance of a product is the product
# of the variances, and the variances of the $D$ terms add ([mathematics](MATHEMATICS.md)):
#
# $$\mathrm{Var}(y) = D\, \mathrm{Var}(x)\, \mathrm{Var}(w).$$
#
# So weights with the variance $1/D$ keep the size of the numbers. A relu sets about half of them to 0,
# and so halves the mean of the squares: behind it weights with $2/D$ make up for that. (There the mean
# of $x$ is not 0. That of the weights is, and that is enough: then the mean of the squares of $x$ stands
# in the place of its variance.) The walk back multiplies by $W^\mathsf{T}$, so the same holds for
# gradients, with the width of the output in place of $D$. (That is why Glorot and Bengio, 2010, take the
# mean of both widths; He et al., 2015, have the 2 for relu.)
#
# Now 24 layers $x \leftarrow \mathrm{relu}(x W)$, 100 numbers wide, without norms and residuals. The
# weights have the variance $1/D$, so each layer halves the mean square.

# %%
ask("halved", ...)

# %%
WIDE, LAYERS = 100, 24
after_all = {}
for variance in (1 / WIDE, 2 / WIDE, 4 / WIDE):
    draws = np.random.default_rng(0)
    x = draws.normal(size=(500, WIDE))
    for _ in range(LAYERS):
        x = np.maximum(x @ draws.normal(0, np.sqrt(variance), size=(WIDE, WIDE)), 0)
    after_all[variance] = np.mean(np.square(x))
    print(f"weights of variance {variance * WIDE:.0f}/D: mean square {after_all[variance]:.2g}")
assert 0.2 < after_all[2 / WIDE] < 5
assert after_all[1 / WIDE] / after_all[2 / WIDE] < 1e-6 < 1e6 < after_all[4 / WIDE]

# %% [markdown]
# The wrong factor, 2 in each layer, is $2^{24}$ in 24 of them: 17 million. (With $2/D$ about 3 is left
# here, and not just 1: the weights are drawn, so each layer's factor is only near 1, and 24 such
# factors multiply.) A norm in each layer makes that mistake harmless, as the next section shows. A
# residual, $x + f(x)$ in place of the $f(x)$ of a layer, makes it smaller. One more choice is worth
# knowing: if the *last* matrix of $f$ begins with zeros, then $x + f(x) = x$. The layer does nothing at
# first, and the deepest stack begins as the identity. That is no tie: the zeros get gradients that
# differ.

# %%
block = mt.FeedForward(4, 8)
last = [p for p in block.parameters() if p.ndim == 2][-1]  # W_2
last.data = np.zeros(last.shape)
x = rng.normal(size=(3, 4)).astype(np.float32)
assert np.array_equal((x + block(x)).data, x)
np.sum(block(x) * rng.normal(size=(3, 4))).backward()
assert len(np.unique(last.grad.data[np.any(last.grad.data, axis=1)])) > 4

# %% [markdown]
# ## Deep stacks
#
# Now stack 24 layers. Each applies a small network $f$ to every word: here a feed-forward layer, two
# linear maps with a relu between them (lesson 11b says what it is for). A *residual* adds the layer's
# input to its output, so that $f$ only has to find what to change. And the norm may come after, as in
# the paper (*post-norm*), or before $f$, as in most models since (*pre-norm*):
#
# | the new $x$ is | with residual | without |
# |---|---|---|
# | post-norm | $\mathrm{norm}(x + f(x))$ | $\mathrm{norm}(f(x))$ |
# | pre-norm | $x + f(\mathrm{norm}(x))$ | $f(\mathrm{norm}(x))$ |
# | no norm | $x + f(x)$ | $f(x)$ |
#
# For each, we send random words through, compute a loss (which one does not matter here; it is that of
# lesson 06), walk back, and look at how large the gradient of $x$ is in front of every layer (the root
# of its mean square). `retain_grad()` says that the gradient of a result in between is to be kept. Each
# stack is made twice, and we take the *geometric mean* of the two sizes, which is the mean of their
# logarithms, turned back by $e^x$: 10 and 1000 have the geometric mean 100.

# %%
ask("vanishes", ...)

# %%
D, T, B, depth = 32, 10, 8, 24


def feed_forward():
    return mt.FeedForward(D, 2 * D)


def self_attention():
    attention = mt.MultiHeadAttention(mt.AttentionSizes(D, heads=4))
    return lambda x: attention(x, x)[0]


def through(parts, norm, residual, seed):
    """The words before the first layer, between the layers, and after the last: each (B, T, D)."""
    mg.manual_seed(seed)
    start = np.random.default_rng(seed).normal(size=(B, T, D)).astype(np.float32)
    x = mg.Tensor(start, requires_grad=True)
    between = [x]
    for _ in range(depth):
        for make in parts:
            f, normalise = make(), mt.LayerNorm(D)
            y = f(normalise(x)) if norm == "pre-norm" else f(x)
            x = x + y if residual else y
            x = normalise(x) if norm == "post-norm" else x
        between.append(x)
    for x in between:
        x.retain_grad()
    return between


def gradients_in(between, norm):
    """The size of the gradient of each x. The loss: to name a class of five, drawn at random."""
    # With pre-norm, the last x is not normalised by any layer: one more norm, as explained below.
    last = mt.LayerNorm(D)(between[-1]) if norm == "pre-norm" else between[-1]
    scores = mg.nn.Linear(D, 5)(last)  # (B, T, 5)
    cross_entropy(scores, rng.integers(5, size=(B, T))).backward()
    return [gradient_size(x) for x in between]


norms = ["post-norm", "pre-norm", "no norm"]
how = {True: "with residuals", False: "without residuals"}
sizes = {}
for residual in (True, False):
    for norm in norms:
        runs = [
            gradients_in(through([feed_forward], norm, residual, seed), norm) for seed in range(2)
        ]
        found = np.exp(np.mean(np.log(runs), axis=0))  # (25,): the geometric mean
        sizes[norm, residual] = found
        print(f"{norm:>9}, {how[residual]:<17}: first / last gradient = {found[0] / found[-1]:.3g}")


# %%
def by_depth():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    layers = "in front of layer (backprop runs from right to left)"
    for ax, residual in zip(axes, (True, False)):
        chosen = {norm: sizes[norm, residual] for norm in norms}
        gradient_sizes(chosen, layers=layers, title=how[residual], ax=ax)
    axes[1].set_ylabel("")
    return figure


pictures("11_gradients", by_depth)

# %% [markdown]
# Look at the green lines, those with no norm. Without residuals the gradient shrinks to less than a
# ten-thousandth in 24 layers. ($x$ shrinks on its way forward, too: so the gradients of the weights are
# tiny in every layer, and gradient descent hardly moves them.) With residuals it grows. Either norm
# keeps it within a factor of ten. (The last point of each line is after layer 24.)
#
# For a single number, a layer $x \leftarrow f(x)$ multiplies the gradient by its derivative $f'$, and
# $x \leftarrow x + f(x)$ multiplies it by $1 + f'$. For vectors the derivatives of all outputs with
# respect to all inputs make a table, the *Jacobian* $J$ of shape $(D, D)$. The gradient $g$ of the
# output becomes $J^\mathsf{T} g$ without a residual, and $g + J^\mathsf{T} g$ with one. (Number $j$ of
# $J^\mathsf{T} g$ is $\sum_i g_i\, \partial y_i / \partial x_j$ by the chain rule: a sum down column $j$
# of $J$.)
#
# Here $J^\mathsf{T} g$ is about 0.65 times as long as $g$: the first weights have the variance
# 2 / (in + out), not 2 / in, and there is a relu. In each layer that is a factor of 0.65, and
# $0.65^{24}$ is 0.00003. And with the residual? Before training $J$ is random, so $J^\mathsf{T} g$
# points neither along $g$ nor against it. It is nearly perpendicular, as two random vectors of many
# numbers are ([mathematics](MATHEMATICS.md), at its end).

# %%
ask("grows", ...)

# %%
ratio = {which: found[0] / found[-1] for which, found in sizes.items()}
shrinks = ratio["no norm", False] ** (1 / depth)  # by each layer
grows = ratio["no norm", True] ** (1 / depth)
print(f"a layer without a residual: {shrinks:.2f}; with one: {grows:.2f};", end=" ")
print(f"Pythagoras: {np.sqrt(1 + shrinks**2):.2f}")
assert ratio["no norm", False] < 1e-4
assert ratio["no norm", True] > 30
assert abs(grows - np.sqrt(1 + shrinks**2)) < 0.08
assert all(0.1 < ratio[norm, r] < 10 for norm in norms[:2] for r in (True, False))
assert ratio["pre-norm", True] > 2 * ratio["post-norm", True] > 1

# %% [markdown]
# So each layer multiplies the length by $\sqrt{1 + 0.65^2} = 1.19$, and 24 such factors make about
# $(1 + 0.65^2)^{12} = 69$. Both 0.65 and the right angle are only approximate: measured is a factor of
# 1.21, and in 24 layers a growth of about 90. (That $x$ grows, too, is not the cause: these layers,
# whose biases are still 0, have the same Jacobian at $x$ and at $100\,x$.)
#
# And the norms? A norm that divides numbers by their size divides the gradient by that size, too.
#
# - *Without residuals*, $f$ makes the vectors about 0.65 times as long, and the gradient as well. The
#   norm, before $f$ or after it, divides by that 0.65. Both stay about as they are: in 24 layers the
#   gradient is multiplied by 0.6 (before) or 1.2 (after).
# - *After each sum*, the norm divides by the size of the sum, about 1.19 times that of $x$. That takes
#   the growth back: measured is a factor of 1.2 in 24 layers.
# - *Before $f$, with residuals*, the norm divides by the size of $x$, which grows from layer to layer:
#   each layer adds about $0.65^2 = 0.42$ to its square, so after $n$ layers it is
#   $\sqrt{1 + 0.42\, n}$. Divided by that size, the Jacobian's 0.65 gets smaller. By Pythagoras a
#   layer's factor is the size after it, divided by the size before it. In the product of all 24, all
#   cancels but the last size: $\sqrt{1 + 24 \cdot 0.42} = 3.3$, and measured is 3.7. So the gradient
#   grows with the root of the depth, and not exponentially.
#
# In short: in $x + f(\mathrm{norm}(x))$ the sums are a way from the last layer to the first with no norm
# on it. What arrives at the last $x$ comes to the first unchanged, and the layers only add to it.
# With post-norm, every gradient has to go through a norm in each layer.
#
# ### Why a pre-norm stack ends in a norm
#
# With pre-norm, every layer adds to $x$, and nothing makes the sum smaller again. The last linear map,
# which turns it into scores, would get larger numbers from a deeper stack, and give larger scores.
# Before training these are wrong, and the first loss is high. One more norm, after the last layer,
# makes the size independent of the depth. `gradients_in` above has it.

# %%
between = through([feed_forward], "pre-norm", residual=True, seed=0)
last_size = np.sqrt(np.mean(np.square(between[-1].data)))
head, classes = mg.nn.Linear(D, 5), rng.integers(5, size=(B, T))
unnormed = cross_entropy(head(between[-1]), classes).item()
normed = cross_entropy(head(mt.LayerNorm(D)(between[-1])), classes).item()
print(f"numbers of size {last_size:.1f} after {depth} layers; the first loss without a last norm")
print(f"{unnormed:.2f}, with it {normed:.2f}; with 1/5 for each class {np.log(5):.2f}")
assert unnormed > normed + 0.2

# %% [markdown]
# ### The first steps
#
# Both norms keep gradients alive from layer to layer. They differ in how large the gradients of the
# *weights* are before the first step. With pre-norm, $x$ has grown by the root of the depth when it
# comes to the last norm, which divides by that: the deeper the stack, the smaller the gradients of its
# layers. With post-norm, those of the last layer do not get smaller. Large gradients of a model that
# knows nothing point somewhere by chance (and Adam steps in full from the first on). So a deep
# post-norm stack needs small first steps, a *warm-up* of the learning rate, and a pre-norm stack does
# without (Xiong et al., 2020). Lesson 13 trains with a warm-up, and without.


# %%
def last_weights(norm, layers, seed):
    """The size of the gradient of the last layer's weights, before training."""
    mg.manual_seed(seed)
    x = mg.Tensor(np.random.default_rng(seed).normal(size=(B, T, D)).astype(np.float32))
    for _ in range(layers):
        f, normalise = feed_forward(), mt.LayerNorm(D)
        x = x + f(normalise(x)) if norm == "pre-norm" else normalise(x + f(x))
    x.retain_grad()
    gradients_in([x], norm)
    return np.mean([gradient_size(p) for p in f.parameters() if p.ndim == 2])


first_gradients = {}
for norm in norms[:2]:
    for layers in (2, 8, 32):
        found = np.mean([last_weights(norm, layers, seed) for seed in range(5)])
        first_gradients[norm, layers] = found
        print(f"{norm:>9}, {layers:>2} layers: {found:.1e}")
assert first_gradients["post-norm", 32] > first_gradients["post-norm", 2]
assert first_gradients["pre-norm", 32] < 0.6 * first_gradients["pre-norm", 2]

# %% [markdown]
# ## What many layers of attention do
#
# By the size of the gradient alone, norms without residuals look healthy. But do the numbers still say
# which word they belong to? Put attention into the stack, which replaces each word by a mean over
# words. How alike have the words of a sentence become? We take the mean cosine between two of them: 0
# for random ones, 1 for equal ones.

# %%
ask("alike", ...)


# %%
def likeness(x):
    """The mean cosine between two different words of a sentence."""
    unit = x.data / np.linalg.norm(x.data, axis=-1, keepdims=True)  # (B, T, D)
    cosines = unit @ np.swapaxes(unit, 1, 2)  # (B, T, T)
    return cosines[:, ~np.eye(T, dtype=bool)].mean()  # without the diagonal


alike = {}
for norm in norms[:2]:
    for residual in (True, False):
        between = through([self_attention, feed_forward], norm, residual, seed=0)
        alike[norm, residual] = [likeness(x) for x in between]
print("after 0, 2, 4, 8, 10, 24 layers:")
for (norm, residual), found in alike.items():
    print(f"{norm:>9}, {how[residual]:<17}:", np.round([found[n] for n in (0, 2, 4, 8, 10, 24)], 2))
assert min(alike[norm, False][2] for norm in norms[:2]) > 0.95  # all words alike after two layers
assert alike["post-norm", True][4] < 0.9 < 0.98 < alike["post-norm", True][-1]  # it takes longer
assert alike["pre-norm", True][-1] < 0.95  # and here it does not happen


# %%
def likeness_by_depth():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 3.8))
    for (norm, residual), found in alike.items():
        colour = BLUE if norm == "pre-norm" else RED
        ax.plot(found, "-" if residual else ":", color=colour, lw=2)
    ax.text(14, 0.65, "pre-norm, with residuals", color=BLUE)
    ax.text(6.4, 0.8, "post-norm, with residuals", color=RED)
    ax.text(1.3, 1.03, "without residuals, either norm (dotted)", color="#475569")
    ax.set(xlabel="after layer", ylabel="likeness of two words", ylim=(-0.02, 1.1))
    return figure


pictures("11_likeness", likeness_by_depth)

# %% [markdown]
# Without residuals two layers are enough to make all words of a sentence nearly the same: a mean of
# means. Then the result hardly says which word it was, and later layers cannot get that back. A
# residual adds each word itself. With post-norm the words become alike, too, but only at about the
# tenth layer: every norm shrinks the sum, and with it what was there before. With pre-norm nothing
# shrinks it, and words can be told apart after all 24 layers. (All this is before training. Training
# can move the weights so that it does not happen.)

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_norm", ...)

# %%
ask("end_slopes", ...)

# %% [markdown]
# The exercises are `layer_norm`, `layer_norm_rule` (for which lesson 11b has the formula) and
# `residual_step`. `python -m minigrad exercises check 11` marks yours.
#
# Next: `11b_inside_a_layer.py`, the gradient of layer norm, and what happens within one word.

# %%
print(pictures)
