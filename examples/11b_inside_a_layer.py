# %% [markdown]
# # 11b Inside a layer
#
# *Layer norm's gradient by hand, and what happens within one word. About 5 seconds.*
#
# Lesson 11 has stacked layers, and looked at them from outside. What does each part do? Layer norm acts
# on one word, and its gradient is a good piece of work by hand. The feed-forward layer works on each
# word between two attentions. And dropout is there in training only.
#
# After this lesson you can
#
# - find the gradient of layer normalisation by hand, and say what it has no part along;
# - show that attention mixes words, that the feed-forward layer does not, and what it can compute;
# - say what dropout does in training and in use.

# %%
import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import mse_loss
from minigrad.views.plots import heat_map, shades

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("11b")
mg.manual_seed(0)
rng = np.random.default_rng(0)

BLUE, RED, GREY = "#1d5fa8", "#b3370f", "#94a3b8"

# %% [markdown]
# First a question from an older lesson.

# %%
ask("02/end_repeated", ...)

# %% [markdown]
# Layer norm, as lesson 11 has it:


# %%
def layer_norm(x, gain, bias, eps=1e-5):
    deviation = x - np.mean(x, axis=-1, keepdims=True)  # (..., D)
    variance = np.mean(np.square(deviation), axis=-1, keepdims=True)  # (..., 1)
    return deviation / np.sqrt(variance + eps) * gain + bias


# %% [markdown]
# ## Its gradient, by hand
#
# Every $x_i$ acts on every $y_j$, through the mean and the deviation. Go back step by step. Let $g$ be
# the gradient of the loss $L$ with respect to $y$, and give the steps names:
#
# $$d = x - \mathrm{mean}(x), \qquad s = \sqrt{\mathrm{mean}(d^2) + \varepsilon},$$
#
# $$\hat x = \frac{d}{s}, \qquad y = \gamma \hat x + \beta.$$
#
# 1. **The gain.** At $\hat x$ arrives $\hat g = \gamma g$. (At $\gamma$ itself arrives $g\, \hat x$, at
#    $\beta$ arrives $g$. Both are used by all words, so what arrives is summed over the words.)
# 2. **The division.** $\hat x_i = d_i / s$. So $d_i$ gets $\hat g_i / s$. And $s$ is used $D$ times: its
#    gradients add up to $-\sum_i \hat g_i\, d_i / s^2 = -D\, \mathrm{mean}(\hat g\, \hat x) / s$.
# 3. **The root.** $\partial s / \partial d_i = d_i / (D s) = \hat x_i / D$. So $d_i$ gets a second
#    contribution, $-\hat x_i\, \mathrm{mean}(\hat g\, \hat x) / s$. Call the sum of both $g^d_i$.
# 4. **The mean.** Each $x_i$ is a part of its own $d_i$, and with $-1/D$ of every $d_j$, through the
#    mean. So it gets $g^d_i - \mathrm{mean}(g^d)$. The mean of $\hat x$ is 0, so
#    $\mathrm{mean}(g^d) = \mathrm{mean}(\hat g) / s$.
#
# Together:
#
# $$\frac{\partial L}{\partial x} = \frac{1}{s} \Big(
#   \hat g - \mathrm{mean}(\hat g) - \hat x\, \mathrm{mean}(\hat g\, \hat x) \Big).$$
#
# The two terms that are subtracted are what layer norm throws away: the gradient has no part along
# $(1, \dots, 1)$, because the mean does not matter, and none along $\hat x$, because the length does
# not matter. So of $D$ directions $D - 2$ are left for it: of three numbers, a single one. Try it on
# three numbers, where all means are thirds:

# %%
ask("three_numbers", ...)

# %%
small = mg.Tensor([0.0, 0.0, 3.0], requires_grad=True)
with mg.record():
    deviation = small - np.mean(small)
    scale = np.sqrt(np.mean(np.square(deviation)))
    normal = deviation / scale
    first = normal[0]  # so that g = (1, 0, 0)
first.backward()
print("x hat:", normal.data.round(3), " gradient:", small.grad.data.round(3))
assert np.allclose(small.grad, np.array([0.5, -0.5, 0]) / np.sqrt(2), atol=1e-6)

# %% [markdown]
# Walk through it on a page. `small` and `deviation` are both used twice: look at where their two
# contributions meet. (If you read this in a browser, [the steps are here](out/11b_layer_norm.html).)

# %%
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(
    first, pictures.folder / "11b_layer_norm.html", title="layer norm of three numbers"
)
print("open in a browser:", page)

# %% [markdown]
# And the formula, on four words with gains that differ:


# %%
def normalised(x, eps=1e-5):
    deviation = x - np.mean(x, axis=-1, keepdims=True)
    scale = np.sqrt(np.mean(np.square(deviation), axis=-1, keepdims=True) + eps)
    return deviation / scale, scale  # (..., D), (..., 1)


def without_the_lost(g, x_hat):
    """g without its mean and its part along x_hat."""
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
# ## A mistake that equal gains hide (optional)
#
# A mistake that is easily made: to multiply by the gain at the end, outside of the bracket, instead
# of inside, in $\hat g$. While all gains are equal, as they are before training, that is the same. So
# a check with the first gains finds nothing. (`mg.rule` gives a function its rules, and
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
assert mg.gradcheck(layer_norm, words, gain, bias).ok  # ours, with gains that differ


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


pictures("11b_gain_outside", faces)

# %% [markdown]
# ## What the feed-forward layer adds
#
# $$\mathrm{ff}(x) = \mathrm{relu}(x W_1 + b_1)\, W_2 + b_2,$$
#
# $$W_1: (D, F), \quad W_2: (F, D), \quad F \text{ often } 4 D.$$
#
# It is applied to each word alone, the same for all. The Jacobian shows which word acts on which. It
# holds the derivative of every number of the output with respect to every number of the input. For a
# pair of words, one of the output and one of the input, it has a block of $D \times D$ derivatives.
# The size of that block says how much the first depends on the second; a block of zeros says: not at
# all.

# %%
sentence = ["time", "flies", "like", "an", "arrow"]
x = rng.normal(size=(1, 5, 8))
attention = mt.MultiHeadAttention(mt.AttentionSizes(8, heads=2))
ff = mt.FeedForward(8, 32)
for module in (attention, ff):
    module.astype(np.float64)


def hears(f):
    """Measure how much each word of f's output depends on each of its input: (5, 5)."""
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


pictures("11b_who_hears_whom", who_hears_whom)

# %% [markdown]
# Attention moves things between words. What can it do *within* a word? Its output is a weighted mean
# of the values, and each value is a linear map of one word (its vector times a matrix). The weights
# depend on the words, but they only say which words count. Take a sentence of one word: its only
# weight is 1, whatever the word is, and a linear map plus a constant is all that is left. For every
# such map $f$, and all words $a$ and $b$, $f(a) + f(b) = f(a + b) + f(0)$.

# %%
a, b = rng.normal(size=(2, 1, 1, 8))  # two sentences of one word each
alone = lambda x: attention(x, x)[0].data
assert np.allclose(alone(a) + alone(b), alone(a + b) + alone(0 * a))
assert not np.allclose(ff(a).data + ff(b).data, ff(a + b).data + ff(0 * a).data, atol=0.01)

# %% [markdown]
# So in a sentence of one word, attention cannot answer a simple question about its two numbers: "is one
# of them 1, but not both?" (*exclusive or*, XOR). Ask it of four words: $(0, 0)$ and $(1, 1)$ should
# give 0, $(0, 1)$ and $(1, 0)$ should give 1. The best linear map plus constant, the one with the least
# mean square error, says the same for all four. A feed-forward layer learns the right answers in a
# second.

# %%
ask("best_line", ...)

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
        image = ax.pcolormesh(
            line, line, values, cmap=shades(-0.3, 1.3), vmin=-0.3, vmax=1.3, rasterized=True
        )
        for (u, v), t in zip(corners, wanted):
            ax.plot(u, v, "o", ms=15, color="white", mec="black")
            ax.text(u, v, f"{t:g}", ha="center", va="center")
        ax.set(title=title, xlabel="first number", aspect="equal")
    axes[0].set_ylabel("second number")
    figure.colorbar(image, ax=axes, label="answer")
    return figure


pictures("11b_either_or", either_or)

# %% [markdown]
# Attention fetches, the feed-forward layer computes, residuals keep what was there, and norms keep its
# size: that is a transformer layer. Most of its weights are in the feed-forward part, $2 D F = 8 D^2$
# for $F = 4 D$, against the $4 D^2$ of attention.

# %%
layer = mt.EncoderLayer(mt.LayerSizes(width=64, heads=4, feed_forward=256))
weights = {
    name: sum(p.size for p in part.parameters() if p.ndim == 2)
    for name, part in layer.named_children()
}
for name in ("self_attention", "feed_forward"):
    print(f"{name:>14}: {weights[name]:,} weights")
assert weights["feed_forward"] == 8 * 64**2 == 2 * weights["self_attention"]

# %% [markdown]
# ## Dropout
#
# A model with many parameters can *memorise* its examples, with everything in them that is there by
# chance, and then be wrong on new ones: it *overfits* (two curves of that: lesson 13). *Dropout* makes
# that harder. In training, each number is set to 0 with the probability $p$, at random and again at
# every step, and the others are divided by $1 - p$. So no single number can be relied on. In use nothing
# is dropped. In the transformer it acts on the sum of embedding and position, and on the output of each
# part, before the residual adds it.
#
# The division keeps the mean. With $p = 1/4$, what becomes of a 3 that is kept?

# %%
ask("kept", ...)

# %%
dropout = mg.nn.Dropout(0.25)
threes = dropout(np.full(10_000, 3.0))
print("in training:", threes[:8], "mean", np.mean(threes).round(2), end="; ")
print("zeros:", f"{np.mean(threes == 0):.1%}")
assert set(np.unique(threes)) == {0.0, 4.0}
assert abs(np.mean(threes) - 3) < 0.1
in_use = dropout.eval()(np.full(3, 3.0))
assert np.array_equal(in_use, [3.0, 3.0, 3.0])

# %% [markdown]
# The walk back takes the zeros of the way forward. With $m$ for 1 where a number is kept and 0 where it
# is dropped, the result is $x\, m / (1 - p)$. So the gradient that arrives is multiplied by the same
# $m / (1 - p)$. A rule that draws a new $m$ would give gradients to numbers that had no effect on the
# loss, and none to some that had one. On average they would have the right size, but they would be
# the derivative of another function than the one that was computed.
#
# For the same reason a check by differences (lesson 03) fails if each evaluation draws new zeros: then
# it compares two functions. Start the random numbers from the same seed before each evaluation, or
# switch dropout off.

# %%
some = mg.Tensor(np.arange(1.0, 9.0), requires_grad=True)
dropped = dropout.train()(some)
np.sum(dropped).backward()
print("kept or not, times 4/3:", some.grad.data.round(3))
assert np.allclose(some.grad, dropped.data / some.data)

# %% [markdown]
# With and without, in the smallest case: a linear map of 20 numbers, trained on 24 examples. The right
# answer is twice the first number; noise is added, and the other 19 numbers have nothing to do with
# it. With 21 parameters, the map can fit nearly all of the noise. We test it on a thousand new
# examples. (`net.eval()` says that training is over: all dropout in it is off.)


# %%
def examples(count):
    x = rng.normal(size=(count, 20)).astype(np.float32)
    return x, (2 * x[:, 0] + rng.normal(size=count)).astype(np.float32)


def error(net, x, y):
    return mse_loss(net(x)[:, 0], y)


known, new = examples(24), examples(1000)
after = {}
for p in (0.0, 0.25):
    net = mg.nn.Sequential(mg.nn.Dropout(p), mg.nn.Linear(20, 1))
    optimizer = mg.optim.Adam(net.parameters(), lr=0.03)
    for _ in range(500):
        optimizer.zero_grad()
        error(net, *known).backward()
        optimizer.step()
    net.eval()
    after[p] = error(net, *known).item(), error(net, *new).item()
    print(f"p = {p}: error {after[p][0]:.2f} on the known examples, {after[p][1]:.2f} on new ones")
assert after[0.25][0] > after[0.0][0]  # worse at what it has seen,
assert after[0.25][1] < 0.8 * after[0.0][1]  # better at what is new
assert after[0.0][1] > np.mean(np.square(new[1]))  # the error of a map that always says 0

# %% [markdown]
# Without dropout it is nearly perfect on what it has seen, and on new examples worse than a map that
# always says 0 (whose error is about 5: $2^2$ from the first number, and 1 from the noise). With dropout
# it is better where it matters. (With other random numbers the first is so for most, and the second for
# nearly all.)

# %% [markdown]
# ## And batch norm? (optional)
#
# An older way, *batch norm*, takes mean and variance the other way: for each of the $D$ numbers, over
# all words of all sentences of the batch. Then the result for a word depends on which other sentences
# are in the batch, and on how much of the batch is padding. And a single sentence, in use, has no
# batch: means that were kept from training must be used instead. For sentences, layer norm is simpler.


# %%
def batch_norm(x, eps=1e-5):
    deviation = x - np.mean(x, axis=(0, 1), keepdims=True)  # (B, T, D)
    variance = np.mean(np.square(deviation), axis=(0, 1), keepdims=True)  # (1, 1, D)
    return deviation / np.sqrt(variance + eps)


batch = rng.normal(size=(2, 5, 6))  # two sentences
other = batch.copy()
other[1] = rng.normal(size=(5, 6))  # beside the first, another one
for name, norm in ("layer norm", lambda x: layer_norm(x, 1.0, 0.0)), ("batch norm", batch_norm):
    changed = np.abs(norm(other)[0] - norm(batch)[0]).max()
    print(f"{name}: the first sentence changes by {changed:.2f} at most")
assert np.array_equal(layer_norm(other, 1.0, 0.0)[0], layer_norm(batch, 1.0, 0.0)[0])
assert not np.allclose(batch_norm(other)[0], batch_norm(batch)[0], atol=0.05)

# %% [markdown]
# ## Questions
#
# Work it out first, on paper or in a new cell.

# %%
ask("end_feed_forward", ...)

# %% [markdown]
# The exercise `layer_norm_rule` is among those of lesson 11, and `dropout` among those of lesson 13.
#
# Next: `12_encoder_and_decoder.py` puts all parts together.

# %%
print(pictures)
