# %% [markdown]
# # 13 Training, and what its numbers tell
#
# *The training loop, its numbers, and what happens without each part. About 35 seconds.*
#
# The model of lesson 12 is a function with many thousand parameters, drawn at random. This lesson
# trains it: a loss, its gradient, a step, again and again. Then it takes out one part after another, to
# see which of them matter.
#
# After it you can
#
# - write the training loop of a transformer, and say what it reads and what it is asked for;
# - derive the gradient of cross-entropy, and read a loss: perplexity, and how high the first one is;
# - compute a step of Adam, and say what warm-up, clipping and label smoothing (optional) do;
# - begin by memorising one batch; tell overfitting from two curves (optional);
# - tell from a table what happens without scaling, positions, warm-up, residuals, the causal mask or
#   the shift, and recognise a loss that is too good to be true.

# %%
import math
import random

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy, log_softmax, softmax
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, PURPLE
from minitransformer import masks, tasks
from minitransformer.training.threads import one_thread
from minitransformer.views.model_plots import curves

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("13")
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("06/end_weights", ...)

# %%
ask("12/end_causal", ...)

# %% [markdown]
# ## What goes in, what is asked for
#
# The task is to copy a word of two to eight letters. A batch has `B` pairs, each a source and a target,
# padded with 0 (lesson 12).
#
# The model is to predict each symbol of the target from those before it. In training we know them all,
# and feed in the right ones, not those that the model would have written itself. That is called
# *teacher forcing*: one pass asks all $T$ questions at once. What the decoder reads is the target with
# `<bos>` in front. What it is asked for is the target with `<eos>` at its end: at every position the
# *next* symbol. The two are shifted by one position.
#
# It has a price, *exposure bias*: in use (lesson 14) the model reads what it has written itself. It has
# never been trained on a text with mistakes, and one can lead to more. *Scheduled sampling* lets the
# decoder read, at more and more places, what the model itself has said (Bengio et al., 2015).

# %%
LETTERS = "abcdefghijklmnop"
letters = mt.Vocabulary.of_characters(LETTERS)
N = len(letters)  # 19: 16 letters and the three special symbols


def words(seed, size, shortest=2):
    """`size` pairs of a word and the same word."""
    draw = random.Random(seed)
    drawn = [draw.choices(LETTERS, k=draw.randint(shortest, 8)) for _ in range(size)]
    return [("".join(word), "".join(word)) for word in drawn]


def arrays(pairs):
    """The ids for the encoder (B, S), for the decoder (B, T), and those asked for (B, T)."""
    sources, targets = zip(*pairs)
    read = letters.batch(targets, start=True)
    return letters.batch(sources), read, letters.batch(targets, end=True)


source, read, write = arrays([("face", "face"), ("dig", "dig")])
for name, ids in (("source", source), ("read", read), ("write", write)):
    print(f"{name:>7}:", *(f"{symbol:<6}" for symbol in letters.tokens(ids[1])))
assert np.array_equal(read[0, 1:], write[0, :-1])  # shifted by one
assert letters.tokens(write[1]) == ["d", "i", "g", "<eos>", "<pad>"]

# %% [markdown]
# ## The loss
#
# The model answers with logits of shape $(B, T, N)$; a softmax over the last axis turns them into
# probabilities $p$. The loss is the mean *cross-entropy*: minus the logarithm of the probability that
# the right symbol $w_{bt}$ got,
#
# $$L = -\frac{1}{n} \sum_{b, t\,:\, w_{bt} \ne 0} \log p_{bt}(w_{bt}),$$
#
# over the $n$ positions that are not padding. A model that is always right, and sure of it, has the
# loss 0.

# %%
ask("even", ...)

# %%
logits = mg.Tensor(rng.normal(size=(2, 5, N)), requires_grad=True)
p = np.exp(logits.data) / np.sum(np.exp(logits.data), axis=-1, keepdims=True)
right = np.take_along_axis(p, write[..., None], axis=-1)[..., 0]  # (B, T)
asked = write != 0  # (B, T)

loss = cross_entropy(logits, write, ignore_index=0)
loss.backward()
assert np.isclose(loss.item(), -np.log(right[asked]).mean())
assert (logits.grad.data[~asked] == 0).all()  # nothing is learned from padding

evenly = cross_entropy(np.zeros((2, 5, N)), write, ignore_index=0)
print(f"random logits: {loss.item():.3f}; all the same: {evenly:.3f} = log {N}")
assert np.isclose(evenly, math.log(N))

# %% [markdown]
# A loss is easier to read as a number of symbols. The *perplexity* is $e^L$. An even guess among $N$
# symbols has the perplexity $N$, and being sure and right has 1. So a perplexity of 4 says: on average
# as unsure as if it had to guess among four.

# %%
ask("perplexity", ...)

# %%
for value in (math.log(N), math.log(2), 0.05):
    print(f"a loss of {value:.3f} is a perplexity of {math.exp(value):.2f}")

# %% [markdown]
# ### Its gradient
#
# What arrives at the logits? Take one position, with the logits $z_1, \dots, z_N$ and the right symbol
# $w$. With $p_j = e^{z_j} / \sum_k e^{z_k}$, the loss is
#
# $$L = -\log p_w = -z_w + \log \sum_k e^{z_k}.$$
#
# The first term has the derivative $-1$ with respect to $z_w$, and 0 with respect to the others. The
# second has $e^{z_j} / \sum_k e^{z_k}$ with respect to $z_j$, and that is $p_j$ again. So
#
# $$\frac{\partial L}{\partial z_j} = p_j - t_j, \qquad t = (0, \dots, 0, 1, 0, \dots, 0)
#   \text{ with the 1 at } w.$$
#
# The gradient is *what the model says, less what is right*. Its numbers add up to 0, since those of $p$
# and of $t$ add up to 1. None is larger than 1 in size, and all are 0 only where the model is sure and
# right.

# %%
ask("gradient", ...)

# %%
z = mg.Tensor(np.log([0.7, 0.2, 0.1]), requires_grad=True)  # so that p = (0.7, 0.2, 0.1)
with mg.record():
    one = cross_entropy(z, np.array(1))  # counted from 0: the second is right
one.backward()
print("p less the target:", z.grad.data.round(3))
assert np.allclose(z.grad, [0.7, -0.8, 0.1])
assert np.allclose(logits.grad.data[asked], (p - np.eye(N)[write])[asked] / asked.sum())

pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(one, pictures.folder / "13_loss.html", title="cross-entropy of three symbols")
print("open in a browser:", page)

# %% [markdown]
# The page shows the same walk, operation by operation. (If you read this in a browser,
# [the steps are here](out/13_loss.html).)
#
# ### The logarithm of a softmax (optional)
#
# The formula $-z_w + \log \sum_k e^{z_k}$ is also how one should compute it: the logarithm and the
# softmax as *one* function. Apart, a probability that is too small for a float becomes 0, and its
# logarithm $-\infty$. Together, the exponential and the logarithm undo each other. The sum in it is
# called *log-sum-exp*, and it is kept from overflow as the softmax of lesson 08 is, with the largest
# logit $m$:
#
# $$\log p_w = z_w - \operatorname{logsumexp}(z), \qquad
#   \operatorname{logsumexp}(z) = m + \log \sum_k e^{z_k - m}.$$
#
# If the gradients $g_1, \dots, g_N$ arrive at the $N$ logarithms, then $g_j - p_j \sum_k g_k$ arrives
# at $z_j$. With $g = -t$ that is $p - t$ again.

# %%
far = np.array([0.0, 800.0])  # logits
with np.errstate(divide="ignore"):
    apart = np.log(softmax(far))
together = log_softmax(far)
print("the logarithm of the softmax:", apart, " as one function:", together)
assert apart[0] == -np.inf
assert np.array_equal(together, [-800.0, 0.0])

five, g = np.random.default_rng(1).normal(size=(2, 5))  # logits, and what arrives
five = mg.Tensor(five, requires_grad=True)
log_softmax(five).backward(g)
assert np.allclose(five.grad, g - softmax(five.data) * g.sum())

# %% [markdown]
# ### Label smoothing (optional)
#
# *Label smoothing* asks for a little less than certainty: the share $\lambda$ of each target (the paper
# writes $\varepsilon$) is spread evenly over all $N$ symbols. The loss is then $-\sum_j t_j \log p_j$.
# As the $t_j$ still sum to 1, its gradient is $p - t$ as before. So the loss is least where $p = t$: for
# the right symbol not at 1, which only infinite logits reach, but at $1 - \lambda + \lambda / N$.
# There the logits of two symbols differ by $\log(t_i / t_j)$, as $p_i / p_j = e^{z_i - z_j}$. And the
# loss is not 0 there but $-\sum_j t_j \log t_j$: less than that it cannot become, however good the model
# is. To see how good it is, look at the loss without smoothing.

# %%
smooth = 0.1
target = (1 - smooth) * np.eye(N)[write] + smooth / N  # (B, T, N)
by_hand = -np.sum(target * np.log(p), axis=-1)[asked].mean()
library = cross_entropy(logits, write, ignore_index=0, label_smoothing=smooth)
assert np.isclose(library.item(), by_hand)

sure = np.linspace(0.02, 0.9995, 2000)  # of the right symbol; the others share the rest evenly
spread = np.stack([sure, *[(1 - sure) / (N - 1)] * (N - 1)], axis=1)  # (2000, N)
smoothed = lambda u: np.array([1 - u + u / N, *[u / N] * (N - 1)])
losses = {u: -(np.log(spread) @ smoothed(u)) for u in (0.0, 0.1)}
lowest = {u: sure[loss.argmin()] for u, loss in losses.items()}
print("the loss is least at", {u: round(float(p), 3) for u, p in lowest.items()})
assert np.isclose(lowest[0.1], 0.9 + 0.1 / N, atol=1e-3)
assert lowest[0.0] == sure[-1]
t = smoothed(0.1)
print(f"the least smoothed loss is {losses[0.1].min():.3f}; the logits then differ by", end=" ")
print(f"{math.log(t[0] / t[1]):.2f}")
assert np.isclose(losses[0.1].min(), -np.sum(t * np.log(t)), atol=1e-4)


# %%
def smoothing():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 3.3))
    for (e, loss), colour in zip(losses.items(), (BLUE, ORANGE)):
        ax.plot(sure, loss, color=colour, lw=2)
        ax.plot(lowest[e], loss.min(), "o", color=colour, ms=8)
    ax.text(0.45, 0.25, "no smoothing", color=BLUE, ha="center")
    ax.text(0.62, 1.35, "smoothed by a tenth", color=ORANGE, ha="center")
    ax.set(xlabel="probability given to the right symbol", ylabel="loss", ylim=(-0.1, 3))
    return figure


pictures("13_smoothing", smoothing)

# %% [markdown]
# ## How large a step
#
# Gradient descent (lesson 03b) takes a step of the *learning rate* times the gradient. (The rate was
# $\eta$ there. Here it is $\mathrm{lr}$, as in the code.) But gradients are of very different sizes: a
# number with a large one runs away while another hardly moves. And those of different batches contradict
# each other.
#
# ### Momentum (optional)
#
# *Momentum* is the older remedy, against the second: add up the gradients $g$ of all steps so far, the
# old ones ever less, and go along the sum $b$,
#
# $$b \leftarrow \beta b + g, \qquad w \leftarrow w - \mathrm{lr}\; b, \qquad
#   \text{usually } \beta = 0.9.$$
#
# If the gradient is always the same, then $b$ comes to
# $g + \beta g + \beta^2 g + \dots = g / (1 - \beta)$, ten times $g$. If it changes its sign at every
# step, then $b$ comes to $g / (1 + \beta)$, about half of it: what agrees grows, what contradicts
# itself does not.

# %%
ends = {}
for name, sign in (("the same", 1), ("alternating", -1)):
    w = mg.Parameter(np.array([0.0]))
    descent = mg.optim.SGD([w], lr=1.0, momentum=0.9)
    for step in range(200):
        before = w.data.copy()
        w.grad = mg.Tensor([float(sign**step)])
        descent.step()
    ends[name] = abs(w.data - before).item()
    print(f"gradients of size 1, {name}: steps of {ends[name]:.3f}")
assert np.isclose(ends["the same"], 1 / (1 - 0.9))
assert np.isclose(ends["alternating"], 1 / (1 + 0.9))

# %% [markdown]
# ### Adam
#
# *Adam* remedies both. Its steps do not depend on the size of the gradients: they are about as large as
# the learning rate where the gradients of several steps agree, and smaller where they do not. For each
# number $w$ that is trained it keeps two running means, both 0 at first: $m$ of its gradient $g$, and
# $v$ of the square of it:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2.$$
#
# With $\beta = 0.9$ a mean keeps 0.9 of what it was, and takes in a tenth of what is new. What came $k$
# steps ago has the weight $0.9^k / 10$: it remembers about ten steps, $1 / (1 - \beta)$ in general.
# Usual are $\beta_1 = 0.9$ and $\beta_2 = 0.999$ (a thousand steps); the paper of the transformer has
# 0.98 (fifty).
#
# A step would then be the learning rate times $m / \sqrt v$. If all gradients are the same,
# $m / \sqrt v$ should be 1 in size.

# %%
ask("uncorrected", ...)

# %% [markdown]
# At first both means are too small, $v$ far more so, because they start at 0. After $t$ steps, the
# weights of all gradients so far sum to $(1 - \beta)(1 + \beta + \dots + \beta^{t-1}) = 1 - \beta^t$
# instead of 1. *Bias correction* divides by that:
#
# $$\hat m = \frac{m}{1 - \beta_1^t}, \qquad \hat v = \frac{v}{1 - \beta_2^t}, \qquad
#   w \leftarrow w - \mathrm{lr}\, \frac{\hat m}{\sqrt{\hat v} + \varepsilon}.$$
#
# The small $\varepsilon$, such as $10^{-9}$, prevents a division by zero where a number has had no
# gradient so far.

# %%
ask("first_step", ...)


# %%
def adam_path(gradients, lr, betas, eps=1e-9, corrected=True):
    """The path of numbers that start at 0, step by step, given the gradients of every step."""
    w, m, v, path = 0.0, 0.0, 0.0, []
    for t, g in enumerate(gradients, 1):
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g**2
        m_hat = m / (1 - betas[0] ** t) if corrected else m
        v_hat = v / (1 - betas[1] ** t) if corrected else v
        w = w - lr * m_hat / (np.sqrt(v_hat) + eps)
        path.append(w)
    return np.array(path)  # (steps, ...)


print("after one step:", adam_path([np.array([1000.0, 0.001])], 0.1, (0.9, 0.999))[0].round(4))
print("without correction:", adam_path([1.0], 1.0, (0.9, 0.999), corrected=False)[0].round(3))

gradients = rng.normal(size=(20, 3))  # 20 steps of three numbers
two = mg.Parameter(np.zeros(3))
library = mg.optim.Adam([two], lr=0.1, betas=(0.9, 0.98), eps=1e-9)
for g in gradients:
    two.grad = mg.Tensor(g)
    library.step()
assert np.allclose(two.data, adam_path(gradients, 0.1, (0.9, 0.98))[-1])

# %% [markdown]
# ### Adam without the correction (optional)
#
# How large are the steps, if the gradient is always the same?

# %%
same = np.ones(1000)  # a thousand steps with one and the same gradient
step_sizes = {
    "0.999, without correction": adam_path(same, 1.0, (0.9, 0.999), corrected=False),
    "0.98, without correction": adam_path(same, 1.0, (0.9, 0.98), corrected=False),
    "with correction": adam_path(same, 1.0, (0.9, 0.98)),
}
step_sizes = {name: -np.diff(path, prepend=0) for name, path in step_sizes.items()}
for name, size in step_sizes.items():
    print(f"{name:>25}: first step {size[0]:.2f}, largest {size.max():.2f}, last {size[-1]:.2f}")


# %%
def first_steps():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 3.2))
    for (name, size), colour in zip(step_sizes.items(), (ORANGE, GREEN, BLUE)):
        ax.semilogx(np.arange(1, 1001), size, color=colour, lw=2, label=name)
    ax.legend(frameon=False, title="$\\beta_2$")
    ax.set(xlabel="step, always the same gradient", ylabel="size / learning rate", ylim=(0, None))
    return figure


pictures("13_first_steps", first_steps)

# %% [markdown]
# Without the correction, the first hundred steps with 0.999 would be three to seven times too large,
# at the worst time: before the model knows anything. With 0.98 the very first would be 0.71 times the
# learning rate, too small, and later ones too large. With the correction, each is as large as the
# rate.
#
# ### Warm-up
#
# At first the means rest on few batches, and the model is all wrong, so steps should be small.
# The paper lets the rate rise over the first steps, the *warm-up*, and fall after. With the width
# $D$ and the number of steps of the warm-up, it is
#
# $$\mathrm{lr}(\mathrm{step}) = D^{-1/2} \min\big(\mathrm{step}^{-1/2},\;
#   \mathrm{step} \cdot \mathrm{warmup}^{-3/2}\big).$$
#
# At $\mathrm{step} = \mathrm{warmup}$ both are equal. Before it the second is smaller, and the rate
# rises in a straight line; after it the first, and the rate falls.


# %%
def rate(step, D=512, warmup=4000):
    return D**-0.5 * min(step**-0.5, step * warmup**-1.5)


peak = rate(4000)
print(f"the paper's highest rate: {peak:.2e}")
library = mg.optim.warmup_inverse_sqrt(peak, warmup=4000)
assert all(np.isclose(rate(step), library(step)) for step in (1, 100, 4000, 4001, 50_000))


# %%
def rates():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7.5, 3))
    steps = np.arange(50, 40_001, 50)
    for (D, warmup), colour in (((512, 4000), BLUE), ((512, 8000), GREEN), ((256, 4000), ORANGE)):
        values = [1e4 * rate(step, D, warmup) for step in steps]
        ax.plot(steps, values, color=colour, lw=2, label=f"$D = {D}$, warm-up {warmup}")
    ax.legend(frameon=False)
    ax.set(xlabel="step", ylabel="learning rate / 0.0001", ylim=(0, None))
    return figure


pictures("13_rates", rates)

# %% [markdown]
# ### Clipping
#
# Now and then a batch has a huge gradient. If the length of the whole gradient, over all parameters,
# is above $c$, all of it is made shorter; its direction stays:
#
# $$g \leftarrow g \cdot \min\Big(1, \frac{c}{\lVert g \rVert}\Big).$$

# %%
parameter = mg.Parameter(np.array([10.0, 10.0]))
(parameter @ np.array([3.0, 4.0])).backward()
length = mg.optim.clip_grad_norm([parameter], max_norm=2.5)
print("length", length, "clipped to", parameter.grad.data.round(4))
assert length == 5
assert np.allclose(parameter.grad, [1.5, 2.0])

# %% [markdown]
# ## A model to take apart
#
# It is the model of lesson 12, small, and with a switch for each part that we take out later. Each
# `then` is a residual and a norm. (The factor $\sqrt D$ of lesson 12 is not needed: these embeddings
# are drawn with the variance 1.)


# %%
class Small(mg.nn.Module):
    def __init__(
        self, score="scaled_dot", positions="sinusoidal", residual=True, causal=True, D=32, H=4, L=2
    ):
        several = lambda n, make: mg.nn.ModuleList(make() for _ in range(n))
        attention = lambda: mt.MultiHeadAttention(mt.AttentionSizes(D, H, score=score))
        self.source, self.target = mg.nn.Embedding(N, D), mg.nn.Embedding(N, D)
        self.positions = mt.positions.POSITIONS[positions](D, 16)  # a function of embeddings
        self.reads, self.looks_back, self.looks_over = (several(L, attention) for _ in range(3))
        self.feed_forward = several(2 * L, lambda: mt.FeedForward(D, 2 * D))
        self.norms = several(5 * L, lambda: mt.LayerNorm(D))
        self.out = mg.nn.Linear(D, N)
        self.residual, self.causal = residual, causal

    def forward(self, source, target):
        norms, feed_forward = iter(self.norms), iter(self.feed_forward)
        then = lambda x, y: next(norms)(x + y if self.residual else y)
        seen = masks.padding(source)  # (B, 1, 1, S)
        behind = masks.padding(target)  # (B, 1, 1, T)
        if self.causal:
            behind = behind & masks.causal(target.shape[1])  # (B, 1, T, T)

        m = self.positions(self.source(source))  # (B, S, D)
        for attention in self.reads:
            m = then(m, attention(m, m, seen)[0])
            m = then(m, next(feed_forward)(m))
        x = self.positions(self.target(target))  # (B, T, D)
        for look_back, look_over in zip(self.looks_back, self.looks_over):
            x = then(x, look_back(x, x, behind)[0])
            x = then(x, look_over(x, m, seen)[0])
            x = then(x, next(feed_forward)(x))
        return self.out(x)  # (B, T, N)


# %% [markdown]
# And the loop, in full. `batch(step)` gives the pairs of a step. (`shifted=False` is a mistake that we
# make on purpose below.)


# %%
def train(model, batch, steps=220, peak=1e-2, warmup=50, shifted=True):
    """The loss of every step."""
    optimizer = mg.optim.Adam(model.parameters(), lr=peak, betas=(0.9, 0.98), eps=1e-9)
    schedule = mg.optim.warmup_inverse_sqrt(peak, warmup) if warmup else lambda step: peak
    curve = []
    for step in range(1, steps + 1):
        source, read, write = arrays(batch(step))
        read = read if shifted else write
        loss = cross_entropy(model(source, read), write, ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        mg.optim.clip_grad_norm(optimizer.parameters, max_norm=1.0)
        optimizer.lr = schedule(step)
        optimizer.step()
        curve.append(loss.item())
    return curve


# %% [markdown]
# ## The first loss
#
# Before its first step, a model knows nothing, and should say so: its scores should be small, its
# probabilities nearly even, and its loss near $\log N$.

# %%
ask("far_above", ...)

# %%
mg.manual_seed(0)
source, read, write = arrays(words("eight", 8))
scores = Small()(source, read).data  # (B, T, N), of a new model
first_loss = {}
for factor in (0.1, 1, 4, 16):
    first_loss[factor] = cross_entropy(factor * scores, write, ignore_index=0)
    print(f"scores times {factor:>3}: first loss {first_loss[factor]:5.2f}")
assert abs(first_loss[1] - math.log(N)) < 0.5
assert first_loss[16] > 3 * math.log(N)

# %% [markdown]
# A loss far above $\log N$ is worse than knowing nothing: the model is sure, and wrong. That comes from
# scores that are too large: an initial value that is too large, or a last norm that is missing (lesson
# 11). The first steps then do nothing but shrink them. A first loss far *below* $\log N$ is as strange:
# a new model cannot know anything.
#
# ## Memorise one batch
#
# Before any long training, take a single batch, and train on that alone. A model with thousands of
# parameters must be able to memorise eight words, and the loss must go to 0. If it does not, there is
# a mistake in the model or in the loop, and you have lost a second, not a night.

# %%
mg.manual_seed(0)
model = Small()
eight = words("eight", 8)
with one_thread():
    memorised = train(model, lambda step: eight, steps=100)
print(f"loss at first {memorised[0]:.2f} (evenly: {math.log(N):.2f}), at last {memorised[-1]:.4f}")
assert memorised[-1] < 0.05

# %% [markdown]
# ## Copy, with a part missing
#
# Now the task itself: new words at every step. And six times more, each time without one of the
# parts: the $1 / \sqrt{K}$ of the attention (lesson 08), positions (10), warm-up, residuals (11), the
# causal mask (12), and the shift: there the decoder reads just what it is asked for. In the end each
# model has to write 200 new words by itself: it begins with `<bos>`, takes the likeliest symbol, and
# reads what it wrote. What counts is the share of words that are right to the last letter. (The model
# without the shift is trained for 100 steps only, which is enough for it; the others for 220.)

# %%
ask("too_good", ...)


# %%
def share_right(model, pairs):
    source, _, _ = arrays(pairs)
    written = np.ones((len(pairs), 1), dtype=int)  # (B, 1): <bos>
    with mg.no_grad():
        for _ in range(9):
            likeliest = np.argmax(model(source, written).data[:, -1], axis=-1)  # (B,)
            written = np.concatenate([written, likeliest[:, None]], axis=1)
    return np.mean([letters.decode(row[1:]) == word for row, (word, _) in zip(written, pairs)])


without = {  # for the model, and for its training
    "all parts": ({}, {}),
    "no scaling": ({"score": "dot"}, {}),
    "no positions": ({"positions": "none"}, {}),
    "no warm-up": ({}, {"warmup": 0}),
    "no residuals": ({"residual": False}, {}),
    "no causal mask": ({"causal": False}, {}),
    "no shift": ({}, {"shifted": False, "steps": 100}),
}
exam = words("exam", 200, shortest=4)  # shorter ones may have come up in training
results = {}
with one_thread():
    for name, (parts, training) in without.items():
        mg.manual_seed(0)
        model = Small(**parts)
        curve = train(model, lambda step: words(step, 32), **training)
        results[name] = curve, share_right(model, exam)

final = {name: np.mean(curve[-20:]) for name, (curve, _) in results.items()}
right = {name: share for name, (_, share) in results.items()}
print(f"{'':>14}  loss in the end  perplexity  words right")
for name, loss in final.items():
    print(f"{name:>14}  {loss:15.3f}  {math.exp(loss):10.2f}  {right[name]:11.0%}")
assert right["all parts"] > 0.5
assert right["no positions"] < 0.2
assert right["no residuals"] < 0.2
for name in ("no causal mask", "no shift"):
    assert final[name] < final["all parts"]  # the best of all losses,
    assert right[name] < 0.05  # and not a word


# %%
def table_as_picture():
    from matplotlib import pyplot as plt

    figure, (left, bars) = plt.subplots(1, 2, figsize=(10.5, 3.9), width_ratios=[1.6, 1])
    colours = [BLUE, GREEN, PURPLE, GREY, "#b3370f", ORANGE, "#8a6d00"]
    for row, (name, (curve, share)) in enumerate(results.items()):
        smooth = np.convolve(curve, np.full(10, 0.1), "valid")
        style = ":" if name in ("no causal mask", "no shift") else "-"
        left.semilogy(np.arange(10, len(curve) + 1), smooth, color=colours[row], lw=2, ls=style)
        left.text(
            len(curve) + 4 + 9 * (row % 2), smooth[-1], row + 1, color=colours[row], va="center"
        )
        bars.barh(f"{row + 1} {name}", 100 * share, color=colours[row])
        bars.text(100 * share + 2, row, f"{100 * share:.0f} %", va="center", color=colours[row])
    left.axhline(math.log(N), color=GREY, lw=0.8, ls=":")
    left.text(220, math.log(N) * 1.05, "guessing", ha="right", color="#64748b", size=9)
    left.set(xlabel="step", ylabel="loss (mean of 10)", xlim=(0, 242))
    left.set_title("while learning (dotted: they read the answer)")
    bars.set(xlim=(0, 115), xticks=[], title="words right, when writing by itself")
    bars.invert_yaxis()
    bars.spines[["left", "bottom"]].set_visible(False)
    return figure


pictures("13_ablations", table_as_picture)

# %% [markdown]
# The models of the last two rows learned to read the answer. Without the causal mask it stands one
# position to the right of each question, and attention fetches it. Without the shift it *is* what the
# decoder reads at that position, and the model has only to repeat it. When they have to write, there is
# no answer to be read. A loss that is too good to be true is a reason to test the masks, and to print
# what is read above what is asked for.
#
# Without positions the model cannot know the order of the source's letters. Without residuals two layers
# on each side are already too deep. Without scaling or warm-up so small a model learns, too, but more
# slowly. (Each row is one run: other seeds differ a little.)

# %% [markdown]
# ## Right on what it has seen, wrong on what is new (optional)
#
# The models above saw new words at every step, so their loss was that on new words, too. Mostly there
# are only so many examples, and they come again and again. Take 64 words, and a loss on 100 *held-out*
# words, which training never sees.

# %%
ask("held_out", ...)


# %%
def two_losses(size, steps=100, every=10):
    """The loss on `size` words and on held-out ones, by the step; and the parameters that had the
    least held-out loss."""
    mg.manual_seed(0)
    model, few, draw = Small(L=1), words("few", size, shortest=4), random.Random(0)
    source, read, write = arrays(exam[:100])
    held_out, best = {}, {}

    def batch(step):
        if step % every == 1:  # before this step
            with mg.no_grad():
                loss = cross_entropy(model(source, read), write, ignore_index=0).item()
            if loss < min(held_out.values(), default=math.inf):
                best.update({name: np.array(p) for name, p in model.state_dict().items()})
            held_out[step - 1] = loss
        return draw.sample(few, 32)

    return train(model, batch, steps + 1), held_out, best  # a step more, for the last look


with one_thread():
    fits = {size: two_losses(size) for size in (64, 256)}
stop = {size: min(held_out, key=held_out.get) for size, (_, held_out, _) in fits.items()}
for size, (curve, held_out, _) in fits.items():
    print(f"{size:3} words, loss on them and on new ones:", end=" ")
    print(*(f"{step}: {np.mean(curve[max(0, step - 4) : step + 1]):.2f} and {held_out[step]:.2f}"
            for step in (20, 40, 70, 100)), sep=", ")  # fmt: skip
    print(f"          the least on new ones: {held_out[stop[size]]:.2f}, after {stop[size]} steps")
few, many = fits[64], fits[256]
assert np.mean(few[0][-5:]) < 0.2
assert few[1][100] > math.log(N)  # worse than guessing,
assert few[1][stop[64]] < few[1][100] - 0.5  # and it has been better
assert many[1][100] < 1


# %%
def overfitting():
    from matplotlib import pyplot as plt

    figure, both = plt.subplots(1, 2, figsize=(9.5, 3.3), sharey=True)
    for ax, (size, (curve, held_out, _)) in zip(both, fits.items()):
        ax.plot(curve, color=BLUE, lw=2)
        ax.plot(list(held_out), list(held_out.values()), "o-", color=ORANGE, ms=4)
        ax.axhline(math.log(N), color=GREY, lw=0.8, ls=":")
        ax.axvline(stop[size], color=GREY, lw=0.8)
        ax.set(xlabel="step", title=f"{size} words")
    both[0].set_ylabel("loss")
    both[0].text(70, 0.35, "on these words", color=BLUE)
    both[0].text(66, 2.25, "on new ones", color=ORANGE)
    return figure


pictures("13_overfitting", overfitting)

# %% [markdown]
# (An upright line stands where the loss on new words is least.) With 64 words the two curves part. First
# both fall: what is learned is true of all words. Then the loss on the 64 goes on to 0, while that on
# new ones *rises* above guessing: the model knows its words by heart, is sure of them, and is sure and
# wrong elsewhere. That is *overfitting*. (A loss that is high on *both* is the other fault: the model is
# too small, or was trained too little.) What to do:
#
# 1. *More examples*, or ever new ones: the strongest remedy. With 256 words both curves fall.
# 2. *Early stopping*: keep the parameters at the least held-out loss, here `best`, and go back to them.
#    It costs nothing, but it adds nothing either: with 64 words what is kept is a poor model.
# 3. *Less freedom*: fewer parameters, dropout (lesson 11b), smaller weights (`weight_decay` of
#    `mg.optim.AdamW`).
#
# By the held-out words you have now chosen when to stop. So they flatter, and the last word has a third
# set, by which nothing was chosen (lesson 22).

# %%
kept = Small(L=1)
kept.load_state_dict(few[2])
with mg.no_grad():
    new = arrays(exam[:100])
    again = cross_entropy(kept(*new[:2]), new[2], ignore_index=0).item()
print(f"back at step {stop[64]}: the loss on new words is {again:.2f}")
assert np.isclose(again, few[1][stop[64]])

# %% [markdown]
# ## Dates (optional)
#
# `mt.Training` is the same loop for any task, and can save its state and go on later. Here it reads
# dates as people write them. Three hundred steps are not enough to learn that, but you see how the
# learning goes. Lesson 14 trains longer; `python -m minitransformer train dates` trains to the end.

# %%
dates = tasks.make("dates")  # pairs of texts, such as these:
print(*(f"{text!r} -> {date}" for text, date in dates.batch(1, 3)), sep="\n")
sizes = mt.Sizes(len(dates.source), len(dates.target), width=48, feed_forward=96)
run = mt.Training(dates, sizes, mt.Settings(steps=300, batch=32, learning_rate=5e-3))


def look(run):
    if run.steps_done % 75 == 0:
        run.curve[-1].accuracy = run.reader.accuracy(dates.held_out(100))


with one_thread():
    run.fit(look)
text, date = dates.held_out(1)[0]
print(f"{run.curve[-1].accuracy:.0%} read exactly; {text!r} -> {run.reader.read([text])[0]}")
assert run.curve[-1].loss < run.curve[0].loss / 3

pictures("13_dates", lambda: curves(run.curve))

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_smoothing", ...)

# %%
ask("end_rate", ...)

# %%
ask("end_clipped", ...)

# %%
ask("end_curves", ...)

# %% [markdown]
# To write yourself: `teacher_forcing`, `cross_entropy` and `dropout`
# (`python -m minigrad exercises check 13`).
#
# The reader of dates in lesson 00 was trained by this loop: that was the third promise.
#
# Next: `13b_your_own_engine_under_a_transformer.py` trains a transformer on the engine of lesson 04.
# Or go on to `14_generating.py`, which lets a trained model write.

# %%
print(pictures)
