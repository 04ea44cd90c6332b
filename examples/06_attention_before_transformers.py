# %% [markdown]
# # 06 Attention before transformers
#
# *What a last state forgets, and the first attention that repaired it. About 12 seconds.*
#
# Attention was invented for networks that read one word after the other, because they forget. We build
# one, measure what it forgets, and repair it.
#
# After it you can
#
# - write a recurrent network, and measure what its last state can give back;
# - compute additive attention by the formula, and say over which index its weights sum to one;
# - train a network to reverse a sequence, and read from its weights that it does;
# - say how far away the first word is, for a recurrent network, a convolution and attention;
# - compare the classic scores, and say what each costs (optional).

# %%
import time

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad import nn, optim
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy, softmax
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, heat_map
from minitransformer.training.threads import one_thread
from minitransformer.views.model_plots import attention_map

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("06")
mg.manual_seed(0)  # for the first weights of the networks: the same in every run
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("05/bank_looks", ...)

# %%
ask("05/end_cosine", ...)

# %% [markdown]
# ## Reading one after the other
#
# A *recurrent* network reads a sequence $x_1, x_2, \dots$ of vectors of shape $(C,)$ and keeps a
# *state* $h_t$ of shape $(D,)$. Each new state is made from the new input and the state before,
#
# $$h_t = \tanh(x_t W + b + h_{t-1} U),$$
#
# with the parameters $W$ of shape $(C, D)$, $U$ of $(D, D)$, $b$ of $(D,)$. That is a layer (lesson
# 03b) for two inputs, the new vector and the old state, each with its matrix, and a bend. $\tanh$
# also keeps each number between -1 and 1: without it the numbers could grow at each step, as $U$
# multiplies them again and again. $h_t$ depends on all inputs so far: it is what the network
# remembers. Before the first input there is nothing to remember: $h_0$ is zero.
#
# `nn.Module` is a holder of parameters, `nn.Linear(C, D)` holds $W$ and $b$ and computes $x W + b$
# (with `bias=False` it has no $b$; one is enough for both). The product $x W$ alone, without $b$, is
# called a *linear map* of $x$: a sum of inputs gives the sum of their outputs, and an input times a
# number gives the output times that number. To call a module, `rnn(x)`, is to call its `forward`.
# Several sequences are read at once, as a batch: $B$ of them, side by side.


# %%
class RNN(nn.Module):
    def __init__(self, C, D):
        self.read = nn.Linear(C, D)
        self.keep = nn.Linear(D, D, bias=False)

    def forward(self, x, h=None):  # (B, T, C), and where it goes on from, (B, D)
        x, states = self.read(x), []
        for t in range(x.shape[1]):
            h = np.tanh(x[:, t] if h is None else x[:, t] + self.keep(h))  # (B, D)
            states.append(h)
        return np.stack(states, axis=1)  # (B, T, D)


rnn, x = RNN(3, 5), rng.normal(size=(1, 4, 3)).astype(np.float32)
states = rnn(x)
by_hand = np.tanh(x[0, 1] @ rnn.read.weight + rnn.read.bias + states[0, 0] @ rnn.keep.weight)
print("states:", states.shape)
assert np.allclose(states.detach()[0, 1], by_hand.detach(), atol=1e-6)

# %% [markdown]
# Now change the third of the four inputs, and read again.

# %%
ask("what_changes", ...)

# %%
changed = x.copy()
changed[0, 2] += 1  # the third input
moved = (rnn(changed).detach() != states.detach())[0].any(axis=1)  # (4,)
print("has the state changed?", moved)
assert np.array_equal(rnn(changed).detach()[0, :2], states.detach()[0, :2])

# %% [markdown]
# ## A task
#
# To see what such a network remembers, let it write back what it read, last symbol first. One RNN,
# the *encoder*, reads $S$ symbols and hands its last state to another, the *decoder*, which writes
# $T$ of them, each time told the symbol before. (In this task $S = T$.)
#
# `before` is what the decoder is told: the right answer, moved by one position, with a 0 at the start.

# %%
SYMBOLS = "abcdefghij"


def batch(length, size, rng):
    """Random sequences: what is read, what is known before each symbol is written, what to write."""
    read = rng.integers(1, len(SYMBOLS) + 1, (size, length))  # (B, S), from 1
    write = read[:, ::-1]  # (B, T)
    before = np.concatenate([np.zeros((size, 1), int), write[:, :-1]], axis=1)  # (B, T)
    return read, before, write


for name, ids in zip(("read", "before", "write"), batch(5, 1, rng)):
    print(f"{name:>6}:", " ".join(("." + SYMBOLS)[i] for i in ids[0]))

# %% [markdown]
# ## The bottleneck
#
# Of what was read, the decoder knows only the encoder's last state: $D$ numbers, whether the sequence is
# short or long. For a long one it is a *bottleneck*: what does not fit is lost.
#
# ## Attention
#
# The remedy, of Bahdanau, Cho and Bengio: keep all the encoder's states $h_1, \dots, h_S$, and let
# the decoder, at each step $i$, look back at them with its own state $d_i$. How well $h_j$ suits
# $d_i$ is a number, its *score* $s_{ij}$; softmax turns the scores into weights; and the *context* $c_i$
# is the weighted mean that the decoder gets:
#
# $$s_{ij} = \tanh([d_i\,;\,h_j]\, W)\, v,$$
#
# $$a_{ij} = \frac{\exp s_{ij}}{\sum_{k=1}^{S} \exp s_{ik}}, \qquad
#   c_i = \sum_{j=1}^{S} a_{ij}\, h_j.$$
#
# $[d_i\,;\,h_j]$ is the row of shape $(2D,)$ with $h_j$ after $d_i$; $W$ has the shape $(2D, K)$ and
# $v$ the shape $(K,)$, with any width $K$. $W$ and $v$ are learned; here they are random. It is the
# network of lesson 03b, without biases: two states go in, $K$ hidden numbers are bent by $\tanh$, and
# one number comes out. It is called *additive* attention, as the product with $W$ is the sum of two,
# one of $d_i$ and one of $h_j$ ([all letters](SYMBOLS.md)). In the tables, as in the formulas, the
# first index is the one that looks: a row for each step of the decoder, a column for each state of
# the encoder. The three formulas, term by term:

# %%
S, T, D, K = 5, 3, 4, 6
h, d = rng.normal(size=(S, D)), rng.normal(size=(T, D))  # states of encoder and decoder
W, v = rng.normal(size=(2 * D, K)), rng.normal(size=K)

fits = lambda d_i, h_j: np.tanh(np.concatenate([d_i, h_j]) @ W) @ v  # a number
s = np.array([[fits(d[i], h[j]) for j in range(S)] for i in range(T)])  # (T, S)
a = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)  # (T, S): for each i, over all j
c = np.array([sum(a[i, j] * h[j] for j in range(S)) for i in range(T)])  # (T, D)
assert np.allclose(a.sum(axis=1), 1)
assert np.allclose(c, a @ h)

# %% [markdown]
# Here is a page of its steps, for one $d$ and three $h_j$, on which you can change every number, and see
# which $h_j$ gets the weight. (If you read this in a browser, [the page is here](out/06_context.html).)


# %%
def first_of_context(d, h, W, v):
    pairs = np.concatenate([np.broadcast_to(d, h.shape), h], axis=1)  # (S, 2D)
    scores = np.tanh(pairs @ W) @ v  # (S,)
    weights = softmax(scores)  # (S,)
    return (weights @ h)[0]


numbers = [
    mg.Tensor(rng.normal(size=shape), requires_grad=True) for shape in [2, (3, 2), (4, 2), 2]
]
with mg.record():
    first = first_of_context(*numbers)
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(first, pictures.folder / "06_context.html", title="one d, three h")
print("open in a browser:", page)

# %% [markdown]
# ## Over which index?
#
# The sum below the line runs over $k$, the states of the encoder. An article (number 2 in lesson 19)
# sums over the other index, the steps of the decoder:
#
# $$a_{ij} = \frac{\exp s_{ij}}{\sum_{k=1}^{T} \exp s_{kj}}, \qquad \text{and then} \qquad
#   c_i = \sum_j a_{ij}\, h_j .$$
#
# (It writes $i$ for the encoder, $j$ for the decoder and $e$ for the score. So there it is
# $\exp e_{ij} / \sum_k \exp e_{ik}$, which looks like the right one.)

# %%
ask("only_one", ...)

# %%
wrong = np.exp(s) / np.exp(s).sum(axis=0)  # for each j, over all i
print("the weights of each context sum to", a.sum(axis=1), "normalised over j, and to", end=" ")
print(wrong.sum(axis=1).round(2), "over i")
assert not np.allclose(wrong.sum(axis=1), 1)

# %% [markdown]
# 1. The weights of a context do not sum to one, so it is no mean. If all states are the same, their
#    mean must be that same state, for any scores. The wrong one is not.
# 2. If only one symbol is to be written, the sum has one term, and every weight is 1: the network
#    cannot choose at all.
# 3. The first context depends on the last state of the decoder, which is made later.

# %%
same = np.tile(h[0], (S, 1))  # (S, D): S rows, all of them h[0]
assert np.allclose(a @ same, h[0])
assert not np.allclose(wrong @ same, h[0], atol=0.1)

only = np.exp(s[:1]) / np.exp(s[:1]).sum(axis=0)
assert np.array_equal(only, np.ones((1, S)))

later = s.copy()
later[-1] += rng.normal(size=S)  # another last state of the decoder
of_first = lambda s, axis: (np.exp(s) / np.exp(s).sum(axis=axis, keepdims=True))[0]
assert np.array_equal(of_first(later, 1), of_first(s, 1))
assert not np.allclose(of_first(later, 0), of_first(s, 0), atol=0.01)


# %%
def two_sums():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 2.6))
    inputs, outputs = [f"h{j + 1}" for j in range(S)], [f"d{i + 1}" for i in range(T)]
    for ax, table, title in zip(axes, (a, wrong), ("rows sum to 1: right", "columns do: wrong")):
        heat_map(
            table, rows=outputs, columns=inputs, limits=(0, 1), numbers=".2f", title=title, ax=ax
        )
    return figure


pictures("06_two_sums", two_sums)

# %% [markdown]
# ## Queries, keys and values
#
# Three words are used from here on: $d_i$, which asks, is a *query*; $h_j$, which is asked, is a
# *key*; and what is averaged are the *values*, here the states $h_j$ once more. `mt.attention` takes
# queries, keys, values, and a function that makes the table of scores:

# %%
all_pairs = lambda d, h: np.array([[fits(d_i, h_j) for h_j in h] for d_i in d])  # (T, S)
context, weights = mt.attention(d, h, h, score=all_pairs)
assert np.allclose(weights, a)
assert np.allclose(context, c)

# %% [markdown]
# ## Does it help?
#
# Here is the whole network, with attention or without. Keys and score are as above (`mt.Additive`
# computes the same score at less cost). For the values we take the vectors of the symbols, not the
# states: then what arrives tells which symbol was looked at, and nothing else.


# %%
class Reverser(nn.Module):
    def __init__(self, D, attends):
        self.symbols = nn.Embedding(len(SYMBOLS) + 1, D)
        self.encoder, self.decoder = RNN(D, D), RNN(D, D)
        self.score = mt.Additive(D) if attends else None
        self.out = nn.Linear(2 * D if attends else D, len(SYMBOLS) + 1)

    def forward(self, read, before):
        x = self.symbols(read)  # (B, S, D)
        h = self.encoder(x)  # (B, S, D)
        d = self.decoder(self.symbols(before), h[:, -1])  # (B, T, D)
        if self.score is None:
            return self.out(d), None
        c, weights = mt.attention(d, h, x, score=self.score)  # (B, T, D), (B, T, S)
        return self.out(np.concatenate([d, c], axis=-1)), weights  # (B, T, symbols)


def train(attends, steps=600, longest=12):
    mg.manual_seed(0)
    rng = np.random.default_rng(0)
    model = Reverser(32, attends)
    optimizer = optim.Adam(model.parameters())
    for step in range(steps):
        optimizer.lr = 5e-3 * (1 - step / steps)  # ever smaller steps
        optimizer.zero_grad()
        read, before, write = batch(rng.integers(1, longest + 1), 64, rng)
        cross_entropy(model(read, before)[0], write).backward()
        optimizer.step()
    return model


# %% [markdown]
# Four parts are new:
#
# - `nn.Embedding` is the table of lesson 02, a learned vector for each symbol.
# - The model gives a number for each symbol that may come next, and a softmax turns them into
#   *probabilities*: shares from 0 to 1 that sum to 1.
# - `cross_entropy` is the loss: the mean of $-\log p$, with $p$ the probability that it gave to the
#   right symbol. For $p = 1$ it is 0; for $p = 1/10$, a guess, it is 2.3.
# - `Adam` goes down the gradient as `SGD` does in lesson 03b, but gives each number a step of about the
#   same size, `lr`, however large its gradient is.
#
# (Lesson 13 explains the last two.)
#
# Both are trained on sequences of 1 to 12 symbols, and then tested on new ones. There are ten
# symbols, so guessing gets 10 in 100 right. Can a state of 32 numbers keep a sequence? Two symbols it
# keeps well: as you will see, more than 95 in 100 are right. With each symbol more, less room is left
# for each. The last ones that were read are kept best, as they have passed through the fewest steps,
# and the first ones are lost. So of twelve, some come back, and the others are guessed.

# %%
ask("twelve", ...)

# %%
lengths = range(1, 13)
models, right = {}, {}
for attends in (False, True):
    with one_thread():  # to share such small products between processors takes longer than it saves
        models[attends] = train(attends)
    right[attends] = []
    with mg.no_grad():
        for length in lengths:
            read, before, write = batch(length, 300, np.random.default_rng([5, length]))
            guess = np.argmax(models[attends](read, before)[0], axis=-1)
            right[attends].append(100 * np.mean(guess == write))
print("symbols right, in per cent:")
print("symbols in all :", *(f"{length:4}" for length in lengths))
for attends, told in ((False, "last state only"), (True, "with attention ")):
    print(f"{told}:", *(f"{r:4.0f}" for r in right[attends]))
assert right[False][1] > 95  # two symbols are kept
assert right[False][11] < 70  # twelve are not, by this training
assert min(right[True]) > 95


# %%
def forgetting():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 3.6))
    ax.plot(lengths, right[True], "o-", color=BLUE)
    ax.plot(lengths, right[False], "s-", color=ORANGE)
    ax.axhline(10, color=GREY, lw=1, ls="--")
    ax.text(1, 12, "guessing, one of ten", color=GREY)
    ax.text(9, 91, "with attention", color=BLUE)
    ax.text(6.2, 66, "last state only", color=ORANGE)
    ax.set(xlabel="symbols in the sequence", ylabel="symbols right (%)", ylim=(0, 105))
    return figure


pictures("06_bottleneck", forgetting)

# %% [markdown]
# Without attention more and more is lost. (A longer training gets further, but there is always a
# length that is too long.)
#
# ## Where does it look?
#
# Draw its weights. This table is called the *alignment*. Nobody told the network where to look.

# %%
ask("first_look", ...)

# %%
read, before, write = batch(8, 200, np.random.default_rng(6))
with mg.no_grad():
    _, alignment = models[True](read, before)  # (B, T, S)
looks_at = np.argmax(alignment, axis=-1)  # (B, T)
share = np.mean(looks_at == np.arange(8)[::-1])
on_it = alignment.data[:, np.arange(8), np.arange(8)[::-1]].mean()
print(f"{100 * share:.1f} % look where they should, with {on_it:.2f} of the weight")
assert share > 0.98
assert on_it > 0.8

letters = lambda ids: [SYMBOLS[i - 1] for i in ids]
look = lambda: attention_map(
    alignment[0], queries=letters(write[0]), keys=letters(read[0]), sides=("written", "read"),
    numbers=".2f",
)  # fmt: skip
pictures("06_alignment", look)

# %% [markdown]
# The weights lie on the *anti-diagonal*, from bottom left to top right.
#
# ## How far away is the first word?
#
# The last vector of a sequence should depend on the first. How many steps lie between the two, each
# waiting for the one before? There are three ways to build such a network.
#
# - *Recurrent:* a step for each word, one after the other.
# - *Attention:* one step. Every word looks at every other at once.
# - *Convolution* of width 3: each new vector is computed from three neighbours, $x_{t-1}$, $x_t$ and
#   $x_{t+1}$, each times a matrix. All positions are computed at once, but one layer sees one word
#   to each side. Layers are stacked until the last vector sees the first.
#
# (The attention measured here has the plainest score: map the words by two matrices, $q = x W_q$ and
# $k = x W_k$, and take the product of each $q_i$ with each $k_j$. `mt.attention` also divides it by a
# root, for which lesson 08 gives the reason.)

# %%
ask("layers", ...)


# %%
def convolution(x, kernel):  # (T, C), (3, C, C)
    edge = np.zeros_like(x[:1])
    x = np.concatenate([edge, x, edge])  # (T + 2, C)
    return x[:-2] @ kernel[0] + x[1:-1] @ kernel[1] + x[2:] @ kernel[2]  # (T, C)


def layers_needed(T, C=2):
    """Count the layers until the last of T vectors depends on the first."""
    x, kernel, layers = np.zeros((T, C)), np.ones((3, C, C)), 0
    x[0] = 1  # only the first is not zero, so what reaches the last comes from there
    while not x[-1].any():
        x, layers = convolution(x, kernel), layers + 1
    return layers


mg.manual_seed(0)
wide, distances = 32, [1, 2, 4, 8, 16, 32, 64, 128]
network = RNN(wide, wide)
W_q, W_k = nn.Linear(wide, wide, bias=False), nn.Linear(wide, wide, bias=False)
looks = lambda x: mt.attention(W_q(x), W_k(x), x)[0]  # (B, T, C)


def reaches(f, distance, size=40):
    """The size of the gradient that reaches the first vector from the last."""
    x = mg.Tensor(
        rng.normal(size=(size, distance + 1, wide)).astype(np.float32), requires_grad=True
    )
    # in place of a loss: a random gradient arrives at the last vector
    way = rng.normal(size=(size, wide)).astype(np.float32)
    np.sum(f(x)[:, -1] * way).backward()
    return np.sqrt(np.mean(np.square(x.grad[:, 0]))).item()


def milliseconds(f, *arguments, repeats=3):
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        f(*arguments)
        best = min(best, time.perf_counter() - start)
    return 1000 * best


arriving = {f: [reaches(f, distance) for distance in distances] for f in (network, looks)}
print("          convolution  recurrent network              attention")
print("distance       layers  steps    ms  gradient          steps    ms  gradient")
for i, distance in enumerate(distances):
    print(f"{distance:8} {layers_needed(distance + 1):12}", end="")
    for f, steps in ((network, distance + 1), (looks, 1)):
        x = rng.normal(size=(1, distance + 1, wide)).astype(np.float32)
        with mg.no_grad(), one_thread():
            ms = milliseconds(f, x)
        print(f" {steps:6} {ms:5.2f}   {arriving[f][i]:.0e}        ", end="")
    print()
assert [layers_needed(distance + 1) for distance in distances[:5]] == distances[:5]
assert arriving[network][5] < 1e-4 < 1e-2 < arriving[looks][5]


# %%
def reach():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.4, 3.4))
    for f, colour, name in ((network, ORANGE, "recurrent"), (looks, BLUE, "attention")):
        shown = [each if each > 1e-12 else np.nan for each in arriving[f]]
        ax.loglog(distances, shown, "o-", color=colour, label=name)
    ax.set_xticks(distances, [str(distance) for distance in distances])
    ax.minorticks_off()
    ax.set(xlabel="distance from the last word to the first", ylabel="gradient that arrives")
    ax.legend(frameon=False)
    return figure


pictures("06_reach", reach)

# %% [markdown]
# The walk back over a recurrent network multiplies by $U$ and by the slope of $\tanh$ at each step. So
# the gradient changes *exponentially* with the distance. Here, at the start of training, each step
# makes it smaller: it *vanishes*, and 32 words back nothing is left to learn from. With a large $U$ it
# can also grow, and *explode*. With attention it falls only as the weights do, in proportion to one
# over the length. And the time of the recurrent network
# grows with every word. Attention pays in another way: its table of scores grows with the
# *square* of the length (counted in lesson 14).
#
# The transformer takes the score that was measured here, in which a plain product compares two mapped
# vectors: it is the fastest, as is measured below, under *What a score costs*. And it drops the
# recurrent network, which has to wait for each state before it makes the next. What is left to connect
# the words is attention.
#
# ## Other scores (optional)
#
# Luong, Pham and Manning compare three scores of a decoder's state $d$ and an encoder's state $h$.
# With rows they are
#
# $$\text{dot: } d\, h^\mathsf{T}, \qquad \text{general: } d\, W h^\mathsf{T}, \qquad
#   \text{concat: } \tanh([d\,;\,h]\, W)\, v.$$
#
# "dot" learns nothing, and needs both to be equally wide. "general" learns $W$, of shape
# (width of $d$, width of $h$), and they need not be. "concat" is the formula of Bahdanau et al., with
# their two matrices below each other in one. All pairs at once, and one pair at a time:

# %%
general, concat = mt.General(D).astype(np.float64), mt.Concat(D).astype(np.float64)
pairs = [[(d_i, h_j) for h_j in h] for d_i in d]  # T rows of S
of_concat = lambda d, h: np.tanh(np.concatenate([d, h]) @ concat.weight) @ concat.vector[:, 0]
with mg.no_grad():
    for told, all_at_once, one_pair in [
        ("dot", mt.dot(d, h), lambda d, h: d @ h),
        ("general", general(d, h), lambda d, h: d @ general.weight @ h),
        ("concat", concat(d, h), of_concat),
    ]:
        each = [[np.asarray(one_pair(*pair)) for pair in row] for row in pairs]
        print(f"{told:>8}: scores {all_at_once.shape}")
        assert np.allclose(all_at_once, each)

# %% [markdown]
# ## What a score costs (optional)
#
# "concat" multiplies by $W$ once for each of the $S T$ pairs. That can be saved: cut $W$ into the
# part that meets $d$ and the part that meets $h$. Then
#
# $$[d_i\,;\,h_j]\, W = d_i W_d + h_j W_h,$$
#
# and each of the two products is needed once for each state.

# %%
ask("products", ...)

# %%
W_d, W_h = W[:D], W[D:]  # what meets d, and what meets h
in_parts = np.tanh((d @ W_d)[:, None] + (h @ W_h)[None, :]) @ v  # (T, S): each d with each h
assert np.allclose(in_parts, all_pairs(d, h))

# %% [markdown]
# So $S + T$ products with a part of $W$ are enough. Only the sum, $\tanh$ and the product with $v$ are
# left for each pair. `mt.Additive` computes it like this.
#
# The other saving drops $\tanh$: map both sides to a shared space, where a plain dot product compares
# them. That is $S + T$ maps and a single product of matrices, which computers are best at:
#
# $$q_i = d_i W_q, \qquad k_j = h_j W_k, \qquad s_{ij} = q_i \cdot k_j.$$
#
# Count the multiplications, with states $D$ wide and a shared space $K$ wide:


# %%
def multiplications(S, T, D, K):
    pairs = S * T
    return {
        "concat": pairs * (2 * D * K + K),
        "additive": (S + T) * D * K + pairs * K,
        "mapped, then dot": (S + T) * D * K + pairs * K,
    }


costs = multiplications(256, 256, 64, 64)
print("multiplications for 256 states on each side, all 64 wide:")
for name, times in costs.items():
    print(f"{name:>17}: {times:11,}")
assert costs["concat"] > 85 * costs["mapped, then dot"]

# %% [markdown]
# By this count the last two are alike. But for each pair "additive" still makes $K$ numbers, and
# takes the $\tanh$ of each; a matrix product never stores them. Time all three:

# %%
sizes = [16, 32, 64, 128, 256]
width = 64
W_q, W_k = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
methods = {
    "concat": mt.Concat(width),
    "additive": mt.Additive(width),
    "mapped, then dot": lambda d, h: mt.dot(W_q(d), W_k(h)),
}


taken = {name: [] for name in methods}
with mg.no_grad(), one_thread():
    for size in sizes:
        two = rng.normal(size=(2, size, width)).astype(np.float32)
        for name, method in methods.items():
            taken[name].append(milliseconds(method, *two))
print(f"time for {sizes[-1]} states on each side:")
for name, times in taken.items():
    print(f"{name:>17}: {times[-1]:7.2f} ms")
assert taken["concat"][-1] > 5 * taken["mapped, then dot"][-1]


# %%
def times_by_length():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.4, 3.6))
    for name, colour in {"concat": ORANGE, "additive": GREEN, "mapped, then dot": BLUE}.items():
        ax.loglog(sizes, taken[name], "o-", color=colour, ms=4)
        ax.text(sizes[-1] * 1.1, taken[name][-1], name, color=colour, va="center")
    ax.set(xlabel="states on each side", ylabel="milliseconds", xlim=(None, 1500))
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
    return figure


pictures("06_costs", times_by_length)

# %% [markdown]
# ## Counted one by one (optional)
#
# Are the three formulas for the multiplications right? Give the same computations numbers that count
# how often any of them is multiplied.


# %%
class Counted:
    """A number that counts how often any of them is multiplied."""

    times = 0

    def __mul__(self, other):
        Counted.times += 1
        return self

    def __add__(self, other):
        return self

    def tanh(self):
        return self


def count(f, *shapes):
    Counted.times = 0
    f(*(np.full(shape, Counted(), dtype=object) for shape in shapes))
    return Counted.times


def concat_scores(d, h, W, v):
    return [[np.tanh(np.concatenate([d_i, h_j]) @ W) @ v for h_j in h] for d_i in d]


def additive_scores(d, h, W_d, W_h, v):
    return np.tanh((d @ W_d)[:, None] + (h @ W_h)[None, :]) @ v


def mapped_scores(d, h, W_q, W_k):
    return (d @ W_q) @ (h @ W_k).T


expected = multiplications(S, T, D, K)
assert count(concat_scores, (T, D), (S, D), (2 * D, K), K) == expected["concat"]
assert count(additive_scores, (T, D), (S, D), (D, K), (D, K), K) == expected["additive"]
assert count(mapped_scores, (T, D), (S, D), (D, K), (D, K)) == expected["mapped, then dot"]
print(f"counted for {S} and {T} states:", expected)

# %% [markdown]
# ## Any two maps (optional)
#
# The two maps into the shared space do not have to be matrices. With any functions $f$ and $g$, such as
# small networks, the score $f(d) \cdot g(h)$ still takes $S + T$ maps and one product of matrices, and
# it can compare what matrices cannot. Let a state be one number, and let $d$ and $h$ fit well if they
# have the same *size*, whatever their signs. With matrices the score is $d\, w\, h$, with one number
# $w$, which changes its sign with $h$. But
#
# $$-(d^2 - h^2)^2 = f(d) \cdot g(h),$$
#
# $$f(d) = (-d^4,\ 2 d^2,\ -1), \qquad g(h) = (1,\ h^2,\ h^4),$$
#
# is a plain dot product in a shared space of three numbers, and is largest for equal sizes.

# %%
asking, asked = np.array([-2.0, 1.0]), np.array([2.0, -1.0, 0.5, -3.0])
f = np.stack([-(asking**4), 2 * asking**2, -np.ones(2)], axis=1)  # (2, 3)
g = np.stack([np.ones(4), asked**2, asked**4], axis=1)  # (4, 3)
sizes_alike = f @ g.T  # (2, 4)
print(
    "best for -2:",
    asked[np.argmax(sizes_alike[0])],
    " best for 1:",
    asked[np.argmax(sizes_alike[1])],
)
assert np.allclose(sizes_alike, -((asking[:, None] ** 2 - asked**2) ** 2))

# %% [markdown]
# ## In the letters of Bahdanau et al. (optional)
#
# | here | there |
# |---|---|
# | rows: $\tanh(d_i W_d + h_j W_h)\, v$ | columns: $v^\mathsf{T} \tanh(W s_{i-1} + U h_j)$ |
# | the two parts of $W$, to the right | $W$ and $U$, transposed, to the left |
# | score $s_{ij}$ | $e_{ij}$ |
# | the state at step $i$ looks, as in Luong et al. | the state *before* step $i$ looks |
# | $c_i$ comes after that state | $c_i$ goes into the next state |
# | the values are the vectors of the symbols | the values are the states $h_j$ |
#
# A state knows some of the symbols before it as well. So with states as values one can look at a
# neighbour and learn the same. That is why we took the symbols: the alignment is clearer. The formula
# for the weights is the same there and here.

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_weights", ...)

# %%
ask("end_concat", ...)

# %%
ask("end_column", ...)

# %% [markdown]
# Now write it: the exercises `rnn`, `additive_scores` and `contexts`
# (`python -m minigrad exercises check 06`). `contexts` is given its scores the other way round, with
# a row for each state of the encoder.
#
# Next: `07_queries_keys_values.py`, where the fastest score compares the words of one sentence with
# each other, in numbers that you can read.

# %%
print(pictures)
