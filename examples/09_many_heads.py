# %% [markdown]
# # 09 Many heads
#
# *Several attentions side by side: what each does, and what is lost without it. About 18 seconds.*
#
# One softmax makes one choice of where to look. A word often has more than one question: what comes
# before me, what after, what is all this about? So take several attentions side by side, the
# *heads*, each with separate matrices.
#
# After it you can
#
# - write multi-head attention in two ways, with every shape, and prove them equal;
# - train a model whose heads divide the work, and measure what each is worth by leaving it out, and
#   what is lost with most of them left out at once.

# %%
import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad import nn, optim
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy, softmax
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, heat_map
from minitransformer.training.threads import one_thread
from minitransformer.views.model_plots import attention_maps

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("09")
mg.manual_seed(0)
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("08/end_shape", ...)

# %%
ask("07/end_learned", ...)

# %% [markdown]
# ## Heads
#
# Let $X$ of shape $(T, D)$ be the vectors of a sentence ([all letters](SYMBOLS.md)). Each of the $H$
# heads maps them to queries, keys and values by separate matrices, and attends:
#
# $$\mathrm{head}_h = \mathrm{attention}(X W_Q^h,\; X W_K^h,\; X W_V^h),$$
#
# $$\mathrm{MultiHead} = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H)\, W_O .$$
#
# $W_Q^h$ and $W_K^h$ have the shape $(D, K)$, $W_V^h$ $(D, V)$, so a head is $(T, V)$. Side by side
# ($\mathrm{Concat}$) all heads are $(T, HV)$, and $W_O$ of shape $(HV, D)$ brings them back to the width
# of the input. Often $K = V = D / H$: then $H$ heads together cost what one of full width would. In
# small numbers: 6 words of width $D = 8$, $H = 3$ heads, $K = 4$ and $V = 5$.

# %%
ask("shape_of_w_o", ...)

# %%
T, D, H, K, V = 6, 8, 3, 4, 5
X = rng.normal(size=(T, D))
W_Q, W_K = rng.normal(size=(2, H, D, K)) / 2  # H matrices (D, K) each
W_V = rng.normal(size=(H, D, V)) / 2
W_O = rng.normal(size=(H * V, D)) / 2

heads = [mt.attention(X @ W_Q[h], X @ W_K[h], X @ W_V[h])[0] for h in range(H)]
output = np.concatenate(heads, axis=1) @ W_O
assert [head.shape for head in heads] == [(T, V)] * H
assert output.shape == (T, D)

# %% [markdown]
# ## Cut apart, and joined again
#
# One product of matrices makes the queries of all heads, if their matrices stand side by side in one,
# $(D, HK)$. Then each word has $HK$ numbers, head after head, and they must be cut apart. Take the
# word's numbers in $H$ rows of $K$, by `reshape`: $(T, HK)$ becomes $(T, H, K)$. But attention works
# on the last two axes, and these should be $T$ and $K$. So exchange the first two, by `swapaxes`:
# $(H, T, K)$. To join the heads, do the same backwards. In small numbers, with $T = 2$ words and
# $H = 2$ heads of $K = 3$:

# %%
side = np.array(
    [[1, 2, 3, 10, 20, 30], [4, 5, 6, 40, 50, 60]]
)  # (T, HK): each head has its own tens
cut = np.swapaxes(side.reshape(2, 2, 3), 0, 1)  # (T, H, K), then (H, T, K)
print("head 1:", cut[0].tolist(), " head 2:", cut[1].tolist())
assert cut.tolist() == [[[1, 2, 3], [4, 5, 6]], [[10, 20, 30], [40, 50, 60]]]
assert np.array_equal(np.swapaxes(cut, 0, 1).reshape(2, 6), side)  # joined again
print("by reshape alone:", side.reshape(2, 2, 3)[0].tolist(), "- a word in the place of a head")

# %% [markdown]
# There is no error: `reshape` asks only whether there are as many numbers, and here even the shapes are
# the same. Only the numbers tell. `mt.MultiHeadAttention` does it right:

# %%
side_by_side = lambda W: np.concatenate(list(W), axis=1)  # H of (D, K) -> (D, HK)
sizes = mt.AttentionSizes(D, H, key_width=K, value_width=V, bias=False)
layer = mt.MultiHeadAttention(sizes).astype(np.float64)
layer.query.weight.copy_(side_by_side(W_Q))  # copy_ gives a parameter these numbers
layer.key.weight.copy_(side_by_side(W_K))
layer.value.weight.copy_(side_by_side(W_V))
layer.output.weight.copy_(W_O)
with mg.no_grad():
    by_layer, weights = layer(X[None], X[None])  # what asks, and what is asked: here the same
print("shape of the output:", by_layer.shape, "and of the weights:", weights.shape)
assert np.allclose(by_layer[0], output)
assert weights.shape == (1, H, T, T)

# %% [markdown]
# ## Side by side, or added?
#
# Cut $W_O$ into $H$ blocks of $V$ rows, one below the other: $W_O^h$ of shape $(V, D)$ meets head
# $h$ and no other. So to join the heads and project is to project each, and add:
#
# $$\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H)\, W_O
#   = \sum_{h=1}^{H} \mathrm{head}_h\, W_O^h .$$

# %%
blocks = np.split(W_O, H)  # H of (V, D)
assert np.allclose(sum(head @ block for head, block in zip(heads, blocks)), output)

# %% [markdown]
# Each head adds its part to the output, and knows nothing of the others. That is why it makes sense
# to ask what a single head does.
#
# An article tells that an early version of the transformer *added* its heads, with no $W_O$: values
# as wide as the output, and $\sum_h \mathrm{head}_h$. (That is the formula above with the identity
# matrix as each $W_O^h$.) Its source, it says, is a conversation with Llion Jones, one of the paper's
# authors; nothing in print says so. But what it tells can be tested. Everything that joined heads
# compute, added heads can compute too: move $W_O^h$ into the values. Attention takes the same mean,
# whether before or after a matrix:
#
# $$A\,(X W_V^h)\, W_O^h = A\,\big(X\, (W_V^h W_O^h)\big).$$

# %%
sizes = mt.AttentionSizes(D, H, key_width=K, bias=False, join="add")
added = mt.MultiHeadAttention(sizes).astype(np.float64)
added.query.weight.copy_(side_by_side(W_Q))
added.key.weight.copy_(side_by_side(W_K))
added.value.weight.copy_(side_by_side(W_V[h] @ blocks[h] for h in range(H)))  # H of (D, D)
with mg.no_grad():
    assert np.allclose(added(X[None], X[None])[0], by_layer)

# %% [markdown]
# The other way round it does not hold: each product $W_V^h W_O^h$ goes through $V$ numbers only, and a
# matrix of values that is $D$ wide need not. So added heads can do a little more, and cost more to
# learn and to compute. With the sizes of "Attention Is All You Need" (Vaswani et al., 2017; from here
# on, *the paper*), $D = 512$, $H = 8$ and $K = V = 64$, the four matrices of joined heads have $512^2$
# numbers each, $4 \cdot 512^2$ in all.

# %%
ask("numbers_when_added", ...)

# %%
size = lambda layer: sum(parameter.size for parameter in layer.parameters())
joined = size(mt.MultiHeadAttention(mt.AttentionSizes(512, 8, bias=False)))
summed = size(mt.MultiHeadAttention(mt.AttentionSizes(512, 8, bias=False, join="add")))
print(f"D = 512, H = 8: {joined:,} parameters joined, {summed:,} added")
assert joined == 4 * 512**2
assert summed == (2 + 8) * 512**2

# %% [markdown]
# ## Heads that divide the work
#
# A task with three questions. A sentence is a ring of 8 random symbols; each position has to name the
# symbol to its *left*, the one to its *right*, and the *first* of the sentence. (On a ring, the last
# is left of the first.) The model: a vector for each symbol plus one for each position (lesson 10
# says why), a single multi-head attention, and three `nn.Linear` that read the answers from its
# output. Three such models are trained, 48 wide: with one head, with three and with four. (Loss and
# `Adam` are those of lesson 06. The rate grows at first and then shrinks, which lesson 13 explains.)

# %%
ask("who_answers_all", ...)

# %%
LENGTH, SYMBOLS = 8, 8
QUESTIONS = ["left", "right", "first"]


def batch(rng, size=64):
    """Rings (B, T) of symbols, and the answers to the three questions, each (B, T)."""
    x = rng.integers(0, SYMBOLS, (size, LENGTH))
    # np.roll moves everything along the ring by one position
    return x, [np.roll(x, 1, axis=1), np.roll(x, -1, axis=1), np.broadcast_to(x[:, :1], x.shape)]


class Model(nn.Module):
    def __init__(self, D, H, join="concat"):
        self.symbols, self.positions = nn.Embedding(SYMBOLS, D), nn.Embedding(LENGTH, D)
        self.attention = mt.MultiHeadAttention(mt.AttentionSizes(D, H, bias=False, join=join))
        self.readers = nn.ModuleList(nn.Linear(D, SYMBOLS) for _ in QUESTIONS)

    def forward(self, x):
        e = self.symbols(x) + self.positions(np.arange(LENGTH))  # (B, T, D)
        y, weights = self.attention(e, e)  # (B, T, D), (B, H, T, T)
        return [read(y) for read in self.readers], weights


def train(H, join="concat", steps=500):
    mg.manual_seed(0)
    rng = np.random.default_rng(0)
    model = Model(48, H, join)
    optimizer = optim.Adam(model.parameters())
    schedule = optim.warmup_cosine(1e-2, warmup=20, steps=steps)
    for step in range(1, steps + 1):
        optimizer.lr = schedule(step)
        optimizer.zero_grad()
        x, answers = batch(rng)
        sum(map(cross_entropy, model(x)[0], answers)).backward()
        optimizer.step()
    return model


def right(model):
    """The right answers to each question, in per cent."""
    x, answers = batch(np.random.default_rng(8), 500)
    with mg.no_grad():
        guesses = [np.argmax(scores, axis=-1) for scores in model(x)[0]]
    return [100 * np.mean(guess == answer) for guess, answer in zip(guesses, answers)]


with one_thread():  # to share matrices this small between cores costs more than it saves
    models = {H: train(H) for H in (1, 3, 4, 12)}  # the one with 12 is for further down
    adding = train(3, join="add")
told = lambda percent: "  ".join(f"{q} {r:5.1f} %" for q, r in zip(QUESTIONS, percent))
print("right answers, by question")
for H in (1, 3, 4):
    print(f"    heads: {H}  {told(right(models[H]))}")
print(f" 3, but added  {told(right(adding))}")
assert min(right(models[1])) < 60
assert min(right(models[3])) > 99
assert min(right(models[4])) > 99
assert min(right(adding)) > 99

# %% [markdown]
# (On new rings; a guess is right once in eight.) One head, though it is as wide as all three
# together, fails at one of the questions. It has one mean for three symbols, and has learned to carry
# only two of them. Three heads answer all. (Two often do, but not always.) Added heads do as well as
# joined ones.
#
# Where do the four heads look? With a row for each position that asks:

# %%
x, _ = batch(np.random.default_rng(9), 200)
with mg.no_grad():
    _, weights = models[4](x)
average = weights.data.mean(axis=0)  # (H, T, T)
looks = np.argmax(average, axis=-1)  # (H, T)
positions = np.arange(LENGTH)
patterns = {
    "left": (positions - 1) % LENGTH,
    "right": (positions + 1) % LENGTH,
    "first": 0 * positions,
}
jobs = [[q for q, where in patterns.items() if np.array_equal(where, look)] for look in looks]
for h, job in enumerate(jobs):
    print(f"head {h + 1} looks at:", *job)
assert all(len(job) == 1 for job in jobs)  # each does one thing,
assert {job[0] for job in jobs} == set(QUESTIONS)  # and together they do all three

numbered = [str(position) for position in positions]
maps = lambda: attention_maps([average], queries=numbered, keys=numbered, columns=4)
pictures("09_heads", maps)

# %% [markdown]
# Nobody told them to divide the work. (The random start decides which does what.)

# %% [markdown]
# ## How much does each matter?
#
# Leave one out, and see what is lost: that is called an *ablation*. As the output is a sum over heads,
# $\sum_h \mathrm{head}_h W_O^h$, this is easy: leave its part out of the sum. The maps that read the
# answers stay as they are. We begin with the model of three heads.

# %%
ask("one_left_out", ...)


# %%
def parts(model, x):
    """The part of the output that each head adds, (H, B, T, D)."""
    attention = model.attention
    with mg.no_grad():
        e = model.symbols(x) + model.positions(np.arange(LENGTH))  # (B, T, D)
        _, weights = attention(e, e)  # (B, H, T, T)
        heads = weights @ attention.value(e)  # (B, H, T, V)
    blocks = np.split(attention.output.weight.data, attention.heads)  # H of (V, D)
    return np.stack([heads.data[:, h] @ block for h, block in enumerate(blocks)])


x, answers = batch(np.random.default_rng(8), 500)
parts_of = {H: parts(model, x) for H, model in models.items()}


def right_with(H, kept):
    """The right answers with these of H heads, in per cent."""
    y = parts_of[H][list(kept)].sum(axis=0)  # (B, T, D)
    with mg.no_grad():
        guesses = [np.argmax(read(y), axis=-1) for read in models[H].readers]
    return [100 * np.mean(guess == answer) for guess, answer in zip(guesses, answers)]


others = lambda H, h: [kept for kept in range(H) if kept != h]
lost = {H: np.array([right_with(H, others(H, h)) for h in range(H)]) for H in (3, 4)}
for H, table in lost.items():
    for h, found in enumerate(table):
        print(f"{H} heads, without head {h + 1}:  {told(found)}")
assert np.allclose(right_with(4, range(4)), right(models[4]), atol=0.1)  # nothing left out
assert ((lost[3] < 30).sum(axis=1) == 1).all()  # of three heads, each answers one question,
assert ((lost[3] > 99).sum(axis=1) == 2).all()  # and is not needed for the others


# %%
def ablation():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4))
    for ax, (H, table) in zip(axes, lost.items()):
        rows = [f"without head {h + 1}" for h in range(H)] + ["with all"]
        heat_map(
            np.vstack([table, right(models[H])]), rows=rows, columns=QUESTIONS, numbers=".0f",
            limits=(0, 100), title=f"{H} heads: right answers in per cent", ax=ax,
        )  # fmt: skip
        ax.set_aspect("auto")
    return figure


pictures("09_ablation", ablation)

# %% [markdown]
# With three heads, each has one question to itself: without it the answer is a guess, right once in
# eight, and the other two do not notice. With four heads, two look at the same position: without one
# of them the other is left, and less is lost, once next to nothing.

# %%
(shared,) = [q for q in QUESTIONS if sum(q in job for job in jobs) == 2]
partners = [h for h, job in enumerate(jobs) if shared in job]
alone = [lost[4][h, QUESTIONS.index(shared)] for h in partners]
print(f"'{shared}' is looked at by two heads; with one of them left it is right in", end=" ")
print(f"{alone[0]:.0f} and {alone[1]:.0f} %")
assert min(alone) > 50
assert max(alone) > 95

# %% [markdown]
# ### Zero, or its mean?
#
# Is it fair to put zero in the place of a head? A head may add something that is nearly always the
# same, a constant, on which the rest relies as on a bias. With zeros that is gone as well, and what
# is lost seems larger than what the head *finds out*. So one also puts its *mean* there: its part of
# the output, averaged over many sentences and all positions. Then only what differs from case to case
# is lost (Wang et al., 2022). Do the two differ? We leave out head 1 of the model with four, and then
# the same after a constant has been put into it:


# %%
def right_without(parts, h, by):
    """The right answers with zero, or its mean, in the place of head h of four, in per cent."""
    mean = parts[h].mean(axis=(0, 1)) if by == "mean" else 0  # (D,): over sentences and positions
    y = parts[others(4, h)].sum(axis=0) + mean  # (B, T, D)
    with mg.no_grad():
        guesses = [np.argmax(read(y), axis=-1) for read in models[4].readers]
    return [100 * np.mean(guess == answer) for guess, answer in zip(guesses, answers)]


constant = 20 * rng.normal(size=48).astype(np.float32)
moved = parts_of[4].copy()
moved[0] += constant  # head 1 always adds this,
moved[1] -= constant  # and head 2 takes it away: together they do what they did
cut_out = {
    (name, by): right_without(parts, 0, by)
    for name, parts in (("as trained", parts_of[4]), ("with a constant", moved))
    for by in ("zero", "mean")
}
for (name, by), percent in cut_out.items():
    print(f"head 1 {name:>15}, {by} in its place:  {told(percent)}")
assert np.allclose(cut_out["as trained", "zero"], cut_out["as trained", "mean"], atol=5)
assert np.allclose(cut_out["with a constant", "mean"], cut_out["as trained", "mean"], atol=0.1)
assert np.mean(cut_out["with a constant", "zero"]) < np.mean(cut_out["as trained", "zero"]) - 10

# %% [markdown]
# As trained, these heads hold hardly any constant, and both ways say the same. With one that is put
# in by hand, which changes nothing in what the model does, zeros blame head 1 for all questions. The
# mean does not.
#
# ## Most of them at once
#
# That an ablation costs little does not mean that a head does nothing: another may do it as well. So
# it does not mean either that *all* such heads can go. Take a model with 12 heads, each only 4 wide,
# and leave out one after the other. Each time, try every head that is left, and leave out the one that
# costs the fewest right answers.

# %%
ask("how_many_can_go", ...)

# %%
kept, pruned = list(range(12)), {12: right_with(12, range(12))}
alone_out = [min(right_with(12, others(12, h))) for h in kept]  # the worst question
while len(kept) > 1:
    kept.remove(max(kept, key=lambda h: sum(right_with(12, [k for k in kept if k != h]))))
    pruned[len(kept)] = right_with(12, kept)
spare = [h for h, worst in enumerate(alone_out) if worst > 95]
all_spare_out = right_with(12, [h for h in range(12) if h not in spare])
print(
    f"{len(spare)} of 12 heads can go, one at a time; all {len(spare)} at once:",
    told(all_spare_out),
)
for left, found in pruned.items():
    print(f"{left:2} heads left:  {told(found)}")
assert len(spare) > 6
assert min(all_spare_out) < 80
assert min(pruned[12]) > 99
assert min(pruned[6]) > 90
assert min(pruned[2]) < 80
assert sorted(pruned[1])[1] < 50


# %%
def most_left_out():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 3.4))
    curves = np.array(list(pruned.values())).T  # (questions, 12)
    for question, curve, colour in zip(QUESTIONS, curves, (BLUE, ORANGE, GREEN)):
        ax.plot(list(pruned), curve, "o-", color=colour, label=question, ms=4)
    ax.axhline(100 / SYMBOLS, color=GREY, lw=1, ls=":")
    ax.invert_xaxis()
    ax.set(xlabel="heads that are left", ylabel="right answers in per cent (dots: a guess)")
    ax.legend(frameon=False)
    return figure


pictures("09_most_left_out", most_left_out)

# %% [markdown]
# One at a time, nearly every head can go. All of these at once cannot: some were spare only because
# of the others. Chosen one after the other, half of the heads can go, and hardly an answer is lost. The
# rows below "4 heads left" are worse: these heads have not learned to work alone. Michel et al. (2019)
# found the same in large models: nearly every head could be left out alone. Together, about 20 % of all
# heads of a translator could go, and 40 % of those of BERT, a model that reads. When more were left out,
# both soon became much worse.

# %% [markdown]
# ## Step through it
#
# `mg.explore` writes one reading as a page: one ring, the model with three heads, and the loss of the
# first question. (If you read this in a browser, [the steps are here](out/09_steps.html).)

# %%
ring, (its_left, *_) = batch(np.random.default_rng(1), 1)
with mg.record():
    (left_scores, *_), _ = models[3](ring)
    loss = cross_entropy(left_scores, its_left)
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(loss, pictures.folder / "09_steps.html", title="a ring: what stands to the left?")
print("open in a browser:", page)
assert loss.item() < 0.1

# %% [markdown]
# ## A head as a convolution (optional)
#
# A *convolution* makes each new vector from a few neighbours, everywhere in the same way. In its
# plainest form each number of the vector (each *channel* $d$) has separate weights for the
# neighbours, the *kernel* $k$ of shape (neighbours, $D$):
#
# $$y_{t,d} = \sum_{o} k_{o,d}\; x_{t+o,\,d}, \qquad o = -1, 0, 1 .$$
#
# Attention takes $y_t = \sum_s a_{t,s}\, x_s$, with weights that come from the words. Suppose that they
# come from the distance $o = s - t$ alone, $a_{t,s} = a_o$. Then $y_{t,d} = \sum_o a_o\, x_{t+o,d}$: a
# convolution, whose kernel has the same value in every column, as $a_o$ does not depend on $d$.

# %%
ask("smoothed", ...)

# %%
T, D = 24, 3
OFFSETS = (-1, 0, 1)
x = np.stack([np.repeat([0.0, 1.0, 0.0], 8), np.repeat([1.0, 0.0], 12), rng.random(T)], axis=1)
distance = (np.arange(T)[None, :] - np.arange(T)[:, None] + T // 2) % T - T // 2  # on a ring


def convolve(x, kernel):
    """Each channel with its own column of the kernel (3, D), around a ring: (T, D)."""
    return sum(k * np.roll(x, -o, axis=0) for o, k in zip(OFFSETS, kernel))


def attend_by_distance(x, shares):
    """One head that gives each neighbour its share (3,), whatever the words are."""
    scores = np.full((T, T), -np.inf)  # others get the weight 0
    for o, share in zip(OFFSETS, shares):
        scores[distance == o] = np.log(share)  # the softmax takes exp, and the shares sum to one
    return softmax(scores) @ x  # (T, D)


shares = np.array([0.25, 0.5, 0.25])
same_in_every_column = np.tile(shares[:, None], D)  # (3, D)
by_head = attend_by_distance(x, shares)
assert np.allclose(by_head, convolve(x, same_in_every_column))

# %% [markdown]
# What can a convolution do that one head cannot?
#
# 1. **Subtract.** A kernel of -1, 0, 1 finds where something changes. The weights of attention are
#    positive and sum to one: what is the same everywhere stays so, whatever the weights. The kernel
#    makes it 0.
# 2. **Treat channels differently.** Move one channel to the left and another to the right: if two
#    channels of $x$ are equal, attention makes them equal again. The kernel does not.

# %%
change = np.tile(np.array([[-1.0], [0], [1]]), D)
apart = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])  # right, left, and one stays
constant = np.ones((T, D))
twins = np.repeat(x[:, :1], D, axis=1)  # three channels alike
for _ in range(100):  # whatever the weights, these or any others
    anything = np.exp(rng.normal(size=(T, T)))
    A = anything / anything.sum(axis=1, keepdims=True)
    assert np.allclose(A @ constant, 1)
    assert np.allclose((A @ twins).T, (A @ twins)[:, 0])
assert np.allclose(convolve(constant, change), 0)
assert not np.allclose(convolve(twins, apart)[:, 0], convolve(twins, apart)[:, 1])


# %%
def one_head_and_a_convolution():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(11, 4.8), width_ratios=[1, 2, 2])
    channels, neighbours = ["d1", "d2", "d3"], ["before", "here", "after"]
    mixed = np.stack([change[:, 0], apart[:, 1], shares], axis=1)
    for row, kernel, title, colour in [
        (axes[0], same_in_every_column, "one head: columns alike", BLUE),
        (axes[1], mixed, "a convolution", ORANGE),
    ]:
        heat_map(
            kernel, rows=neighbours, columns=channels, limits=(-1, 1), numbers=".2f", title=title,
            ax=row[0],
        )  # fmt: skip
        for d in (0, 1):
            row[d + 1].step(range(T), x[:, d], color=GREY, where="mid", lw=1.2)
            row[d + 1].plot(range(T), convolve(x, kernel)[:, d], "o-", color=colour, ms=3.5)
            row[d + 1].set(ylim=(-1.3, 1.3), yticks=[-1, 0, 1], xticks=[])
    axes[0, 1].set_title("channel d1: smoothed", size=10)
    axes[0, 2].set_title("channel d2: smoothed the same way", size=10)
    axes[1, 1].set_title("channel d1: where it changes", size=10)
    axes[1, 2].set_title("channel d2: moved by one position", size=10)
    for ax in axes[1, 1:]:
        ax.set_xlabel("position (grey: what went in)")
    return figure


pictures("09_convolution", one_head_and_a_convolution)

# %% [markdown]
# Many heads can do all of it. Let each head look at one neighbour only. Its value is the vector there,
# unchanged, and its part of $W_O$ does what the convolution does with this neighbour: for the kernel
# above, it multiplies each channel by a number. Even one that mixes channels, with a matrix
# $M_o$ of shape $(D, D)$ for each neighbour, is a sum over heads: the output projection of each head
# is the matrix of its neighbour.
#
# $$y_t = \sum_o x_{t+o}\, M_o = \sum_h \mathrm{head}_h\, W_O^h,$$
#
# where $\mathrm{head}_h$ has $x_{t+o_h}$ in its row $t$, and $W_O^h = M_{o_h}$.

# %%
W = rng.normal(size=(3, D, D))  # a matrix for each neighbour
convolution = sum(np.roll(x, -o, axis=0) @ M_o for o, M_o in zip(OFFSETS, W))
heads = [mt.attention(x, x, x, mask=distance == o)[0] for o in OFFSETS]  # one neighbour each
assert np.allclose(np.concatenate(heads, axis=1) @ np.concatenate(list(W)), convolution)

# %% [markdown]
# So with fixed weights, heads are a convolution. What a convolution cannot do is to choose by what
# the words are: that is what the softmax of queries and keys is for.

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_rows", ...)

# %%
ask("end_numbers", ...)

# %%
ask("end_added", ...)

# %% [markdown]
# To write yourself: `split_heads`, `join_heads` and `multi_head`
# (`python -m minigrad exercises check 09`).
#
# Next: `10_where_am_i.py`. These heads could tell left from right since each position had a
# separate vector. Without one, attention cannot.

# %%
print(pictures)
