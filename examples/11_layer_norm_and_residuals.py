# %% [markdown]
# # 11 Layer norm, residuals, feed-forward
#
# *What keeps a deep stack alive, and what happens within one word. About 4 seconds.*
#
# A transformer is a stack of layers, and a stack is only as good as what gets through it: numbers
# on the way up, gradients on the way down. Two plain parts see to that, norms and residuals. A
# third, the feed-forward layer, sees to what happens to a word between two attentions.
#
# After this lesson you can
#
# - write layer normalisation, say what it does to a vector, and find its gradient by hand;
# - recognise a gradient of it that is right only as long as all gains are equal;
# - say what residuals are for, and what pre-norm and post-norm are, from curves that you measured;
# - show that attention mixes words, that the feed-forward layer does not, and what it can do
#   instead.
#
# As before, name another folder for the pictures after the file's name, or in the next cell.

# %%
import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy, mse_loss
from minigrad.views.plots import gradient_size, gradient_sizes, heat_map

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("11")
mg.manual_seed(0)
rng = np.random.default_rng(0)

BLUE, RED, GREY = "#1d5fa8", "#b3370f", "#94a3b8"

# %% [markdown]
# ## Layer normalisation
#
# Take the vector $x$ of one word, of shape $(D,)$. Subtract its mean, divide by its standard
# deviation, and let the model choose a new size and a new middle for each number, a *gain* $\gamma$
# and a *bias* $\beta$, both of shape $(D,)$:
#
# $$\mu = \frac{1}{D} \sum_i x_i, \qquad \sigma^2 = \frac{1}{D} \sum_i (x_i - \mu)^2, \qquad
#   \hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}, \qquad y = \gamma \hat x + \beta.$$
#
# The small $\varepsilon$ keeps equal numbers from a division by zero. Each word is normalised by
# itself: no other word, and no other sentence of the batch, takes part.


# %%
def layer_norm(x, gain, bias, eps=1e-5):
    deviation = x - np.mean(x, axis=-1, keepdims=True)  # (..., D)
    variance = np.mean(np.square(deviation), axis=-1, keepdims=True)  # (..., 1)
    return deviation / np.sqrt(variance + eps) * gain + bias


x = rng.normal(3, 10, size=(4, 6))  # four words
y = layer_norm(x, np.ones(6), np.zeros(6))
print("means:     ", y.mean(axis=-1).round(6))
print("deviations:", y.std(axis=-1).round(6))
assert np.allclose(y.mean(axis=-1), 0, atol=1e-12)
assert np.allclose(y.std(axis=-1), 1, atol=1e-5)
assert np.allclose(y, mt.LayerNorm(6)(x).detach())  # the library's, whose gain and bias begin so

# %% [markdown]
# Two things are lost: the mean, and the length. For $D = 3$ one can see it. To subtract the mean
# is to go to the plane of all vectors that sum to zero; to divide by the deviation is to go to the
# circle of radius $\sqrt 3$ in it. Whatever a word was, it is now a direction.

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
# ## Its gradient
#
# Every $x_i$ acts on every $y_j$, through the mean and the deviation. The engine walks back
# through the operations, and nothing more need be said. Still, the result is worth knowing. With a
# loss $L$, its gradient $g$ by $y$, and $\hat g = \gamma g$ by $\hat x$, all of shape $(D,)$,
#
# $$\frac{\partial L}{\partial x} = \frac{1}{\sqrt{\sigma^2 + \varepsilon}} \Big(
#   \hat g - \mathrm{mean}(\hat g) - \hat x\, \mathrm{mean}(\hat g\, \hat x) \Big).$$
#
# The two terms that are subtracted are what layer norm throws away: the gradient has no part along
# $(1, \dots, 1)$, as the mean does not matter, and none along $\hat x$, as the length does not.


# %%
def normalised(x, eps=1e-5):
    deviation = x - np.mean(x, axis=-1, keepdims=True)
    scale = np.sqrt(np.mean(np.square(deviation), axis=-1, keepdims=True) + eps)
    return deviation / scale, scale  # (..., D), (..., 1)


def without_the_lost(g, x_hat):
    """What is left of g without its mean and its part along x_hat."""
    along = np.mean(g * x_hat, axis=-1, keepdims=True)
    return g - np.mean(g, axis=-1, keepdims=True) - x_hat * along


gain, bias = rng.normal(1, 0.6, size=6), rng.normal(size=6)
x = mg.Tensor(rng.normal(3, 10, size=(4, 6)), requires_grad=True)
g = rng.normal(size=(4, 6))
layer_norm(x, gain, bias).backward(g)

x_hat, scale = normalised(x.data)
by_hand = without_the_lost(gain * g, x_hat) / scale
assert np.allclose(x.grad, by_hand)
assert np.allclose(np.sum(x.grad.data, axis=-1), 0, atol=1e-12)
assert np.allclose(np.sum(x.grad.data * x_hat, axis=-1), 0, atol=1e-4)  # epsilon keeps it from 0

# %% [markdown]
# Here is a mistake that is easily made: the gain stands outside of the bracket, instead of inside
# of $\hat g$. While all gains are equal, which they are before training, that is the same. So a
# check with the gain as it begins is passed. (`mg.rule` gives a function its rules, and
# `mg.gradcheck` compares with finite differences, as in lesson 03.)


# %%
def gain_outside(g, y, x, gain):
    x_hat, scale = normalised(x)
    return gain * without_the_lost(g, x_hat) / scale


planted = mg.rule(
    lambda x, gain: normalised(x)[0] * gain,
    gain_outside,
    lambda g, y, x, gain: g * normalised(x)[0],
)
words = rng.normal(size=(4, 6))
gains = {"all gains equal": np.full(6, 1.3), "gains that differ": gain}
reports = {
    name: mg.gradcheck(planted, words, each, raise_on_failure=False) for name, each in gains.items()
}
for name, report in reports.items():
    print(f"{name}: {'the check is passed' if report.ok else 'the mistake is found'}")
print(reports["gains that differ"])
assert reports["all gains equal"].ok
assert not reports["gains that differ"].ok
assert mg.gradcheck(layer_norm, words, gain, bias).ok  # ours, with a gain that is not uniform


# %%
def faces():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.7), sharex=True, sharey=True)
    for ax, (name, report) in zip(axes, reports.items()):
        gradient = report.inputs[0]
        size = 2.6
        ax.plot([-size, size], [-size, size], color=GREY, lw=1)
        ax.scatter(gradient.numeric, gradient.analytic, color=BLUE if report.ok else RED, s=22)
        ax.set(title=name, xlabel="finite differences", aspect="equal")
        ax.set(xlim=(-size, size), ylim=(-size, size))
    axes[0].set_ylabel("the rule with the gain outside")
    return figure


pictures("11_gain_outside", faces)

# %% [markdown]
# ## Deep stacks
#
# Now put 24 layers on each other. Each applies a small network $f$ to every word: here a
# feed-forward layer, two linear maps with a relu between (more below). There are choices to make.
# A *residual* adds the layer's input to its output, so that $f$ only has to find what to change.
# And the norm may come after, as in the paper (*post-norm*), or before $f$, as in most models since
# (*pre-norm*):
#
# $$\begin{array}{lll}
#   & \text{with residual} & \text{without} \\
#   \text{post-norm} & x \leftarrow \mathrm{norm}(x + f(x)) & x \leftarrow \mathrm{norm}(f(x)) \\
#   \text{pre-norm}  & x \leftarrow x + f(\mathrm{norm}(x)) & x \leftarrow f(\mathrm{norm}(x)) \\
#   \text{no norm}   & x \leftarrow x + f(x)                & x \leftarrow f(x)
# \end{array}$$
#
# For each, we send random words through, compute a loss, walk back, and look at how large the
# gradient of $x$ is in front of every layer (the root of its mean square). `retain_grad()` says
# that the gradient of a result in between is to be kept.

# %%
D, T, B, depth = 32, 10, 8, 24


def feed_forward():
    return mt.FeedForward(D, 2 * D)


def self_attention():
    attention = mt.MultiHeadAttention(D, heads=4)
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
    """The size of the gradient at each depth, of how well words can be told apart in the end."""
    last = mt.LayerNorm(D)(between[-1]) if norm == "pre-norm" else between[-1]
    logits = mg.nn.Linear(D, 5)(last)  # (B, T, 5)
    cross_entropy(logits, rng.integers(5, size=(B, T))).backward()
    return [gradient_size(x) for x in between]


norms = ["post-norm", "pre-norm", "no norm"]
sizes = {}
for residual in (True, False):
    for norm in norms:
        runs = [
            gradients_in(through([feed_forward], norm, residual, seed), norm) for seed in range(2)
        ]
        sizes[norm, residual] = np.exp(np.mean(np.log(runs), axis=0))  # (25,)
for (norm, residual), found in sizes.items():
    how = "with residuals" if residual else "without"
    print(f"{norm:>9}, {how:<14}: first / last gradient = {found[0] / found[-1]:.3g}")


# %%
def by_depth():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    for ax, residual in zip(axes, (True, False)):
        chosen = {norm: sizes[norm, residual] for norm in norms}
        title = "with residuals" if residual else "without residuals"
        gradient_sizes(chosen, layers="in front of layer", title=title, ax=ax)
    axes[1].set_ylabel("")
    return figure


pictures("11_gradients", by_depth)

# %% [markdown]
# Look at the green lines first. Without norms and without residuals each layer shrinks the
# gradient, to less than a ten-thousandth in 24 layers: the first layers learn nothing. With
# residuals alone it grows instead, since $x$ itself grows with every addition. Either norm keeps
# it alike over the whole stack, to within a factor of ten. Post-norm and pre-norm differ too: with
# pre-norm $x$ is only ever added to, so that each later layer changes it, and the loss, less.

# %%
ratio = {which: found[0] / found[-1] for which, found in sizes.items()}
assert ratio["no norm", False] < 1e-4
assert ratio["no norm", True] > 30
assert all(0.1 < ratio[norm, r] < 10 for norm in norms[:2] for r in (True, False))
assert ratio["pre-norm", True] > 2 * ratio["post-norm", True] > 1

# %% [markdown]
# By size alone, then, norms without residuals look healthy. But what do the numbers carry? Put
# attention into the stack, which replaces each word by a mean over words, and ask how alike the
# words of a sentence have become: the mean cosine between two of them, 0 for random ones, 1 for
# equal ones.


# %%
def likeness(x):
    """The mean cosine between two different words of a sentence."""
    unit = x.data / np.linalg.norm(x.data, axis=-1, keepdims=True)  # (B, T, D)
    cosines = unit @ np.swapaxes(unit, 1, 2)  # (B, T, T)
    return cosines[:, ~np.eye(T, dtype=bool)].mean()


alike = {}
for norm in norms[:2]:
    for residual in (True, False):
        between = through([self_attention, feed_forward], norm, residual, seed=0)
        alike[norm, residual] = [likeness(x) for x in between]
for (norm, residual), found in alike.items():
    how = "with residuals" if residual else "without"
    print(
        f"{norm:>9}, {how:<14}: after 0, 2, 4, 8 layers", *(f"{found[n]:.2f}" for n in (0, 2, 4, 8))
    )
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
# means. What says nothing of the input can be taught nothing, whatever the size of its gradient. A
# residual adds each word itself. With post-norm this only delays the end, to about the tenth layer,
# since every norm shrinks the sum, and with it what was there before. With pre-norm nothing shrinks
# it, and words can be told apart after all 24 layers. (All this is before training. Training can
# move weights so that it does not happen, if there is a gradient to begin with.)

# %% [markdown]
# ## What the feed-forward layer adds
#
# $$\mathrm{ff}(x) = \mathrm{relu}(x W_1 + b_1)\, W_2 + b_2, \qquad
#   W_1: (D, F), \quad W_2: (F, D), \quad F \text{ often } 4 D.$$
#
# It is applied to each word alone, the same for all. We can see who acts on whom: the *Jacobian*
# holds the derivative of every number of the output by every number of the input. Its size for a
# pair of words, one of the output and one of the input, says how much the one hears of the other.

# %%
sentence = ["time", "flies", "like", "an", "arrow"]
x = rng.normal(size=(1, 5, 8))
attention = mt.MultiHeadAttention(8, heads=2)
ff = mt.FeedForward(8, 32)
for module in (attention, ff):
    module.astype(np.float64)


def hears(f):
    """How much each word of f's output depends on each of its input: (5, 5)."""
    derivatives = mg.jacobian(f)(x).data  # (1, 5, 8, 1, 5, 8)
    return np.sqrt(np.sum(np.square(derivatives), axis=(0, 2, 3, 5)))


causal = mt.masks.causal(5)
heard = {
    "attention": hears(lambda x: attention(x, x)[0]),
    "attention, causal": hears(lambda x: attention(x, x, causal)[0]),
    "feed-forward": hears(ff),
    "layer norm": hears(lambda x: layer_norm(x, 1.0, 0.0)),
}
between_words = ~np.eye(5, dtype=bool)
assert (heard["attention"] > 0).all()
assert np.array_equal(heard["attention, causal"] > 0, causal)
assert (heard["feed-forward"][between_words] == 0).all()
assert (heard["layer norm"][between_words] == 0).all()


# %%
def who_hears_whom():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(11, 3.3))
    for ax, (name, found) in zip(axes, heard.items()):
        sides = "output", "input"
        heat_map(
            found / found.max(), rows=sentence, columns=list(sentence), sides=sides, title=name,
            ax=ax,
        )  # fmt: skip
    return figure


pictures("11_who_hears_whom", who_hears_whom)

# %% [markdown]
# Attention moves things between words, and only mixes: for given weights, its output is a weighted
# mean of linear maps of the words. What it cannot do is compute. Let there be one word alone, so
# that its weight is 1: then attention is a linear map plus a constant, for which $f(a) + f(b) =
# f(a + b) + f(0)$.

# %%
a, b = rng.normal(size=(2, 1, 1, 8))
alone = lambda x: attention(x, x)[0].data
assert np.allclose(alone(a) + alone(b), alone(a + b) + alone(0 * a))
assert not np.allclose(ff(a).data + ff(b).data, ff(a + b).data + ff(0 * a).data, atol=0.01)

# %% [markdown]
# A thing as simple as "one or the other, but not both" of two numbers is out of its reach. The
# best such map says 1/2 everywhere. A feed-forward layer learns it in a second.

# %%
corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], dtype=np.float32)  # four words
wanted = np.array([0.0, 1.0, 1.0, 0.0], dtype=np.float32)  # one, but not both

with_one = np.concatenate([corners, np.ones((4, 1))], axis=1)
best, *_ = np.linalg.lstsq(with_one, wanted)
print("the best linear map says", (with_one @ best).round(3))
assert np.allclose(with_one @ best, 0.5)

mg.manual_seed(0)
net = mt.FeedForward(width=2, hidden=16)
optimizer = mg.optim.Adam(net.parameters(), lr=0.02)
for _ in range(400):
    loss = mse_loss(net(corners)[:, 0], wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
says = net(corners)[:, 0].data
print("the feed-forward layer says", says.round(3))
assert np.allclose(says, wanted, atol=0.05)


# %%
def either_or():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.5), sharey=True)
    line = np.linspace(-0.3, 1.3, 161, dtype=np.float32)
    grid = np.stack(np.meshgrid(line, line), axis=-1)  # (161, 161, 2)
    linear = grid @ best[:2] + best[2]
    for ax, values, title in (
        (axes[0], linear, "the best linear map"),
        (axes[1], net(grid)[..., 0].data, "a feed-forward layer"),
    ):
        image = ax.pcolormesh(line, line, values, cmap="RdBu", vmin=-0.3, vmax=1.3, rasterized=True)
        for (u, v), t in zip(corners, wanted):
            ax.plot(u, v, "o", ms=15, color="white", mec="black")
            ax.text(u, v, f"{t:g}", ha="center", va="center")
        ax.set(title=title, xlabel="first number", aspect="equal")
    axes[0].set_ylabel("second number")
    figure.colorbar(image, ax=axes, label="answer")
    return figure


pictures("11_either_or", either_or)

# %% [markdown]
# Attention to fetch, feed-forward to compute, residuals so that nothing is lost, norms so that
# nothing grows: that is a transformer layer. Most of its weights are in the feed-forward part, $2
# D F = 8 D^2$ against the $4 D^2$ of attention.

# %%
layer = mt.EncoderLayer(width=64, heads=4, feed_forward=256)
weights = {
    name: sum(p.size for p in part.parameters() if p.ndim == 2)
    for name, part in layer.named_children()
}
for name in ("self_attention", "feed_forward"):
    print(f"{name:>14}: {weights[name]:,} weights")
assert weights["feed_forward"] == 8 * 64**2 == 2 * weights["self_attention"]

# %% [markdown]
# ## Questions
#
# Work them out first: on paper, or in a cell of your own.

# %%
ask("end_norm", ...)

# %%
ask("end_slopes", ...)

# %%
ask("end_feed_forward", ...)

# %% [markdown]
# Next: `12_encoder_and_decoder.py` puts all parts together.

# %%
print(pictures)
