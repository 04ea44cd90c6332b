# %% [markdown]
# # 14 Generating
#
# *Choosing symbol after symbol: sampling, searching, remembering. About 27 seconds.*
#
# A trained model says how likely each next symbol is. To write, something has to choose, again and
# again. This lesson trains a model to read dates, some of them unreadable in part, so that there is
# something to choose between and we know what would be right.
#
# After it you can
#
# - write the loop that generates, and say when it ends;
# - sample with temperature, top-k and top-p, and say what each does to a distribution;
# - search with a beam, and say when that finds what greedy choice misses;
# - remember keys and values instead of computing them again, and prove that it changes nothing;
# - see which letters a model looks at for each digit that it writes.

# %%
import random
import re
import time

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy, softmax
from minigrad.views.plots import BLUE, GREY, ORANGE, heat_map
from minitransformer import decoding
from minitransformer.model.embedding import embed
from minitransformer.tasks.dates import MONTHS, Dates, fault
from minitransformer.training.threads import one_thread
from minitransformer.training.vocabulary import BOS, EOS
from minitransformer.views.model_plots import attention_map

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("14")
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("06/end_weights", ...)

# %%
ask("12/end_cross", ...)

# %% [markdown]
# ## Dates with ink spots
#
# The task `dates` has pairs such as `Tuesday the 3rd of March, 1998` and `1998-03-03`. We keep those
# whose month has a name, and which the calendar has. In two fifths of them we drop ink on the month:
# at most its first two letters can still be read, and a `?` stands for the rest. From `3 J? 1998`
# nobody can tell January, June and July apart.

# %%
MONTH = re.compile("(" + "|".join(name[:3] for name, _ in MONTHS) + ")[a-z]*", re.IGNORECASE)


def with_a_name(pairs, count):
    return [pair for pair in pairs if MONTH.search(pair[0]) and not fault(pair[1])][:count]


def with_spot(text, readable):
    return MONTH.sub(lambda month: month.group()[:readable] + "?", text)


class Blotted(Dates):
    source = mt.Vocabulary.of_characters([*Dates.source.symbols, "?"])

    def batch(self, step, size):
        ink = random.Random(f"ink {step}")
        return [
            (with_spot(text, ink.randrange(3)) if ink.random() < 0.4 else text, date)
            for text, date in with_a_name(super().batch(step, 3 * size), size)
        ]


task = Blotted()
for text, date in task.batch(1, 6):
    print(f"{text:>32} -> {date}")
assert with_spot("Tuesday the 3rd of March, 1998", 2) == "Tuesday the 3rd of Ma?, 1998"

# %% [markdown]
# `mt.Training` does what lesson 13 does by hand: batches, teacher forcing, Adam with a warm-up.

# %%
sizes = mt.Sizes(len(task.source), len(task.target), width=48, feed_forward=96)
training = mt.Training(task, sizes, mt.Settings(steps=1200, batch=32, learning_rate=5e-3))
with one_thread():
    training.fit(lambda run: run.steps_done % 300 == 0 and print(f"loss {run.curve[-1].loss:.3f}"))
reader = training.reader  # the model, and what turns texts into ids and back
model = reader.model.eval()  # used, and no longer trained (some layers, such as dropout, differ)

exam = with_a_name(task.held_out(400), 200)  # without spots, of days that it never saw
accuracy = reader.accuracy(exam)
print(f"{accuracy:.1%} of readable dates read without a mistake")
assert accuracy > 0.9

# %% [markdown]
# ## The loop
#
# The model gives for the source $z$ and a beginning $x_1 \dots x_t$ of the target the scores of all
# symbols as $x_{t+1}$, and a softmax turns them into probabilities:
#
# $$P(x_{t+1} \mid x_1 \dots x_t, z) = \mathrm{softmax}(\mathrm{logits}_t), \qquad
#   \mathrm{logits}: (T, N).$$
#
# Begin with `<bos>`; choose a symbol; put it at the end; ask again. The loop ends when the symbol is
# `<eos>`, or when a greatest length is reached, since `<eos>` may never come. *Greedy* choice takes
# the likeliest symbol. (A model that is used like this, and reads what it wrote, is *autoregressive*.)


# %%
def probabilities(text, written):
    """Of every symbol that may follow what was written so far: (N,)."""
    source = reader.encode([text])  # (1, S)
    target = np.array([[BOS, *written]])  # (1, T)
    logits = model(source, target).data[0, -1].astype(np.float64)  # (N,): of the last position
    e = np.exp(logits - logits.max())
    return e / e.sum()


def write(text, choose, longest=12):
    written = []
    while len(written) < longest:
        symbol = int(choose(probabilities(text, written)))
        if symbol == EOS:
            break
        written.append(symbol)
    return task.target.decode(written)


for text in ("Tuesday the 3rd of March, 1998", "3 J? 1998"):
    print(f"{text:>32} -> {write(text, np.argmax)}")
print("at most four symbols:", write("3 J? 1998", np.argmax, longest=4))
assert write("Tuesday the 3rd of March, 1998", np.argmax) == "1998-03-03"
texts = [text for text, _ in exam[:20]]
assert [write(text, np.argmax) for text in texts] == reader.read(texts)  # the library's, in batches

# %% [markdown]
# ### What it thought on the way
#
# We look at its probabilities at each step of `3 J? 1998`.

# %%
ask("third", ...)

# %%
best = task.target.encode(write("3 J? 1998", np.argmax))
thought = np.array([probabilities("3 J? 1998", best[:t]) for t in range(len(best) + 1)])  # (T, N)
symbols = task.target.tokens(range(len(task.target)))
months = {s: thought[6][symbols.index(s)] for s in "167"}
print("the second digit of the month:", {s: round(float(p), 2) for s, p in months.items()})
assert sum(months.values()) > 0.8
assert min(months.values()) > 0.1

pictures("14_thoughts", lambda: heat_map(
    thought[:, 2:], rows=[f"{i}: {symbols[s]}" for i, s in enumerate([*best, EOS], 1)],
    columns=symbols[2:], sides=("step, and what was written", "how likely each symbol was"),
    limits=(0, 1), title="reading “3 J? 1998”", numbers=".2f",
))  # fmt: skip

# %% [markdown]
# The model is unsure at the month only, and there January, June and July share the probability. It
# should think each of them equally likely: nothing tells them apart.
#
# ## Sampling
#
# Greedy choice always writes the same month. To *sample*, draw each symbol with the probability that
# the model gives it. Three settings change the distribution before the draw:
#
# - **temperature** $\tau$ divides the logits, $\mathrm{softmax}(\mathrm{logits} / \tau)$. This
#   raises each probability to the power $1/\tau$ (and divides by their sum): below 1 the likely becomes
#   likelier, towards 0 it is greedy choice; above 1 all come nearer to each other, and towards infinity
#   all become equally likely;
# - **top-k** keeps the $k$ likeliest symbols, and divides their probabilities by their sum;
# - **top-p** keeps the *fewest* likeliest symbols whose probabilities sum to at least $p$, and divides
#   them by their sum as well: few where the model is sure, many where it is not. The symbol with which
#   the sum reaches $p$ is kept.


# %%
def with_temperature(p, temperature):
    raised = p ** (1 / temperature)
    return raised / raised.sum()


def top_k(p, k):
    kept = np.where(p >= np.sort(p)[-k], p, 0)
    return kept / kept.sum()


def top_p(p, least):
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]  # the probability of the likelier ones
    kept = np.zeros_like(p)
    kept[order] = np.where(before < least, p[order], 0)
    return kept / kept.sum()


p = np.array([0.5, 0.3, 0.15, 0.05])
scores = np.log(p)[None]  # (1, 4)
assert np.allclose(with_temperature(p, 0.5), decoding.distribution(scores, temperature=0.5))
assert np.allclose(top_k(p, 2), decoding.distribution(scores, top_k=2))
assert np.allclose(top_p(p, 0.9), decoding.distribution(scores, top_p=0.9))

# %% [markdown]
# ### A month that cannot be read
#
# At `3 ? 1998` nothing of the month can be read.

# %%
ask("zero_first", ...)

# %%
year = task.target.encode("1998-")
first = probabilities("3 ? 1998", year)
second = probabilities("3 ? 1998", [*year, *task.target.encode("0")])
digits = [symbols.index(s) for s in "0123456789"]
print(f"after 1998-: 0 with {first[digits[0]]:.2f}, 1 with {first[digits[1]]:.2f}")
print("after 1998-0: 0 to 9 with", second[digits].round(2))
assert 0.5 < first[digits[0]] < 0.95
assert second[digits[1:]].min() > 0.02

# %% [markdown]
# Nine of twelve months begin with 0, and after `1998-0` each of nine digits should have a ninth, 0.11.
# In the second step it comes near to that; in the first it says 0 too often. Here is how the settings
# change the second distribution. (The orange marks are the distribution before the change.)


# %%
def settings():
    from matplotlib import pyplot as plt

    changed = {
        "as it is": second,
        "temperature 0.5": with_temperature(second, 0.5),
        "temperature 2": with_temperature(second, 2),
        "top-k, k = 3": top_k(second, 3),
        "top-p, p = 0.8": top_p(second, 0.8),
    }
    figure, axes = plt.subplots(1, 5, figsize=(11.5, 2.7), sharey=True)
    for ax, (name, p) in zip(axes, changed.items()):
        ax.bar(range(10), p[digits], color=BLUE)
        ax.plot(range(10), second[digits], "_", color=ORANGE, ms=11, mew=2)
        ax.set(title=name, xticks=range(10))
    axes[0].set_ylabel("probability of the digit")
    return figure


pictures("14_settings", settings)

# %% [markdown]
# ### Whole dates
#
# Now we draw whole dates, 400 for each of four texts, and count the months. In the last text the day
# is the 31st, and June has 30 days. How often has the model met this? It was trained on 1,200 times 32
# texts. Two fifths of them have ink, a third of these leaves two letters, and one day of 365 is 31
# July: about 14 texts. With `Ju?` and any day there were about 850, half of them of June.

# %%
ask("thirty_first", ...)

# %%
spotted = ["3 ? 1998", "3 J? 1998", "3 Ju? 1998", "31 Ju? 1998"]
possible = [range(1, 13), [1, 6, 7], [6, 7], [7]]
shares = {}
for text, right in zip(spotted, possible):
    source = np.repeat(reader.encode([text]), 400, axis=0)  # (400, S)
    written = [task.target.decode(row) for row in decoding.sample(model, source, 12, rng=rng)]
    counts = [sum(date[5:7] == f"{month:02}" for date in written) for month in range(1, 13)]
    shares[text] = np.array(counts) / 400
    print(f"{text:>12}: {shares[text][[m - 1 for m in right]].sum():.0%} of the draws possible")
assert shares["3 Ju? 1998"][[5, 6]].sum() > 0.8
assert min(shares["3 Ju? 1998"][[5, 6]]) > 0.15
assert shares["3 J? 1998"][[0, 5, 6]].sum() > 0.8
assert (shares["3 ? 1998"] > 0).sum() >= 10


# %%
def drawn_months():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(11.5, 2.8), sharey=True)
    for ax, text, right in zip(axes, spotted, possible):
        ax.bar(range(1, 13), shares[text], color=BLUE)
        ax.plot(list(right), [1 / len(right)] * len(right), "_", color=ORANGE, ms=9, mew=2.5)
        ax.set(title=text, xticks=range(1, 13), xlabel="month")
    axes[0].set_ylabel("share of 400 draws")
    return figure


pictures("14_months", drawn_months)

# %% [markdown]
# Orange is what the letters and the calendar allow. The second and third come near to it; in the first,
# some late months come too seldom. Nobody told the model how many months begin with a J; it found that
# out from examples. In the fourth it fails: it does not use the day to tell the month. It met few texts
# that teach this. The score above cannot show such a fault: its dates have no spots.
#
# ## Searching
#
# Taking the likeliest symbol each time does not always find the likeliest text. Here is a small tree of
# two steps: the probabilities of the first symbol, and for each of them those of the second.

# %%
tree = {
    "": {"a": 0.5, "b": 0.4, "c": 0.1},
    "a": {"a": 0.4, "b": 0.3, "c": 0.3},
    "b": {"a": 0.05, "b": 0.9, "c": 0.05},
    "c": {"a": 0.2, "b": 0.2, "c": 0.6},
}

# %%
ask("likeliest", ...)

# %% [markdown]
# Greedy choice takes *a*, and after *a* no symbol has more than 0.4. A *beam* of width $k$ keeps the
# $k$ likeliest beginnings at each step, and continues them all.


# %%
def beam(tree, width, length=2):
    """The likeliest texts found, when the best `width` beginnings are kept at each step."""
    kept = {"": 1.0}
    for _ in range(length):
        longer = {
            text + symbol: probability * p
            for text, probability in kept.items()
            for symbol, p in tree[text].items()
        }
        kept = dict(sorted(longer.items(), key=lambda item: -item[1])[:width])
    return kept


for width, name in ((1, "a beam of 1, greedy"), (2, "a beam of 2")):
    found = {text: round(probability, 3) for text, probability in beam(tree, width).items()}
    print(f"{name}: {found}")
assert list(beam(tree, 1)) == ["aa"]
assert next(iter(beam(tree, 2))) == "bb"
assert max(tree[x][y] * tree[""][x] for x in "abc" for y in "abc") == beam(tree, 2)["bb"]


# %%
def two_paths():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 3.6))
    place = {"": (0, 4), "a": (1, 7), "b": (1, 4), "c": (1, 1)}
    colours = {"a": ORANGE, "aa": ORANGE, "b": BLUE, "bb": BLUE}
    for text, branches in tree.items():
        (u, v) = place[text]
        for i, (symbol, p) in enumerate(branches.items()):
            s, t = place.setdefault(text + symbol, (2, v + 1 - i))
            colour = colours.get(text + symbol, GREY)
            ax.plot([u, s], [v, t], color=colour, lw=0.6 + 7 * p, solid_capstyle="round")
            at = ((u + 2 * s) / 3, (v + 2 * t) / 3)
            ax.text(*at, f"{p:g}", ha="center", backgroundcolor="white")
            whole = f"  {text + symbol}  {tree[''][text] * p:.3g}" if text else f"{symbol}\n\n"
            ax.text(s, t, whole, va="center", color=colour)
    ax.set(xlim=(-0.05, 2.4), title="greedy: orange; found by a beam of 2: blue")
    ax.axis("off")
    return figure


pictures("14_tree", two_paths)

# %% [markdown]
# A beam of 1 is greedy; one as wide as the number of all texts misses nothing. A beam between the two
# can miss the likeliest text, if its beginning was not among the $k$ that were kept. A text that has
# ended is not made longer; it keeps its place until $k$ better ones are found. For our model a beam of
# 4 lists its readings, best first, with their probabilities:

# %%
found, log_p = decoding.beam_search(model, reader.encode(["3 J? 1998"]), 12, beams=4)
for row, score in zip(found[0], log_p[0]):
    print(f"{task.target.decode(row)}  {np.exp(score):.3f}")
best_three = {task.target.decode(row) for row in found[0][:3]}
assert best_three == {"1998-01-03", "1998-06-03", "1998-07-03"}
one, _ = decoding.beam_search(model, reader.encode(texts[:5]), 12, beams=1)
assert [task.target.decode(row[0]) for row in one] == reader.read(texts[:5])

# %% [markdown]
# ### Texts of different lengths (optional)
#
# Every further symbol multiplies by a number below 1, so longer texts get lower probabilities. Where
# lengths differ, one divides $\log P$, the logarithm of a text's probability, by a *length penalty*
# that grows with its length, with an exponent $\alpha$ (0 for none):
#
# $$\mathrm{score} = \frac{\log P}{\big((5 + \mathrm{length}) / 6\big)^\alpha}.$$
#
# (Wu et al., 2016, chose the 5 and the 6. A text of one symbol is divided by 1.)

# %%
ask("penalty", ...)


# %%
def penalised(log_p, length, alpha):
    return log_p / ((5 + length) / 6) ** alpha


for alpha in (0, 1):
    short, long = penalised(-3.0, 5, alpha), penalised(-3.5, 10, alpha)
    print(f"alpha = {alpha}: five symbols {short:.2f}, ten symbols {long:.2f}")
assert penalised(-3.0, 5, 0) > penalised(-3.5, 10, 0)
assert penalised(-3.0, 5, 1) < penalised(-3.5, 10, 1)

# %% [markdown]
# ### Is the likeliest text a good one? (optional)
#
# Of a date one wants the likeliest reading. A story is another matter. People do not write the likeliest
# word each time, and the likeliest texts of a model of language are dull and repeat themselves: where a
# phrase has come twice, the model finds it likelier that it comes again (Holtzman et al., 2020). Nor is
# the likeliest text a typical one. If a coin shows heads 7 times of 10, the likeliest row of 100 throws
# is 100 heads. Nobody will see it: what is seen has about 70. So one searches for a translation, and
# draws a story.

# %%
heads = (np.random.default_rng(0).random((10_000, 100)) < 0.7).sum(axis=1)
print(f"heads in 10,000 rows of 100 throws: from {heads.min()} to {heads.max()}")
assert heads.max() < 95

# %% [markdown]
# ## Remembering
#
# Our loop computes everything again for each symbol: for the $t$-th it runs all $t$ positions through
# the decoder. But what stands before has not changed, and since the mask is causal, nothing that was
# computed for it depends on the new symbol. So keep the keys and values of every attention, and
# compute those of the new position alone. (Those made from the source never change.) That is a *cache*.
# (Without the causal mask, in a decoder of two or more layers, each new symbol would change what the
# first layer gives for the earlier ones, and so their keys and values in the second: what was kept would
# be out of date.)
#
# One thing is easily forgotten. With a cache the model is given a single symbol. But that does not stand
# at position 0: its position is the number of symbols that the cache remembers. With the cache, the
# model's scores must be the same as without it. Are they?

# %%
source = reader.encode([texts[0]])
target = np.array([[BOS, *task.target.encode(exam[0][1])]])  # (1, T)
all_at_once = model(source, target).data[0]  # (T, N): as in training

memory = model.encode(source)
cache = mt.Cache()
one_by_one = [
    model.next_scores(target[:, t : t + 1], memory, cache).data[0, 0]
    for t in range(target.shape[1])
]  # (T, N)
difference = np.abs(np.array(one_by_one) - all_at_once).max()
print(f"cached and all at once differ by {difference:.1e}, in scores up to {all_at_once.max():.1f}")
assert difference < 1e-3

model.astype(np.float64)  # the rest was rounding: with more digits there is less of it
memory, cache = model.encode(source), mt.Cache()
for t, expected in enumerate(model(source, target).data[0]):
    scores = model.next_scores(target[:, t : t + 1], memory, cache)
    assert np.allclose(scores.data[0, 0], expected, rtol=0, atol=1e-10)
model.astype(np.float32)

last = target[:, -1:]  # the newest symbol, (1, 1)
offset = target.shape[1] - 1  # how many the cache remembers of those before it
embedding, positions = model.target_embedding, model.positions
in_its_row = embed(target, embedding, positions).data[:, -1:]  # (1, 1, D)
assert np.array_equal(embed(last, embedding, positions, offset).data, in_its_row)
assert not np.allclose(embed(last, embedding, positions).data, in_its_row)  # as if it came first

ids = reader.encode(texts)
remembering = decoding.greedy(model, ids, 12)
assert np.array_equal(remembering, decoding.greedy(model, ids, 12, cached=False))

# %% [markdown]
# It changes nothing but the time. The price is memory: a key and a value of $D$ numbers (all heads
# together) for each of $T$ positions, in each of $L$ layers, $2\, L\, T\, D$ numbers for one text. With
# a decoder-only model of random weights (lesson 15 says what that is), we measure how long each of 240
# steps takes.

# %%
with one_thread():
    big = mt.DecoderOnly(mt.DecoderSizes(50, layers=2, width=128, heads=4, feed_forward=256)).eval()
    line = rng.integers(3, 50, size=(1, 240))
    taken = {"without": [], "with a cache": []}
    cache = mt.Cache()
    with mg.no_grad():
        for t in range(1, 241):
            start = time.perf_counter()
            big.next_scores(line[:, t - 1 : t], cache=cache)
            middle = time.perf_counter()
            big(line[:, :t])
            taken["with a cache"].append(middle - start)
            taken["without"].append(time.perf_counter() - middle)
remembered = [cache.kept(layer.self_attention) for layer in big.stack.layers]
assert sum(key.size + value.size for key, value in remembered) == 2 * 2 * 240 * 128  # 2 L T D
milliseconds = {name: 1000 * np.reshape(seconds, (6, 40)) for name, seconds in taken.items()}
print("median of symbols", *(f"{i + 1:>4} to {i + 40}" for i in range(0, 240, 40)))
for name, of_40 in milliseconds.items():
    print(f"{name:>17}", *(f"{ms:8.2f} ms" for ms in np.median(of_40, axis=1)))
faster = np.median(milliseconds["without"][-1]) / np.median(milliseconds["with a cache"][-1])
print(f"the last 40 symbols: {faster:.1f} times as fast with the cache")
assert faster > 2

# %% [markdown]
# ### What a symbol costs, counted (optional)
#
# How much work is one layer of attention, how much a recurrent network (lesson 06), and what does the
# cache save? Count multiplications, for $T$ symbols, $D$ wide; a product $(n, m) \times (m, p)$ has
# $n m p$. Queries, keys, values and the last projection are four products with a $(D, D)$ matrix:
# $4 T D^2$. The scores are $T \times T$ products of $D$ numbers, and so are the mixtures of the values:
# $2 T^2 D$. (A causal mask hides half of them; most programs compute all.) A recurrent network has two
# products with a $(D, D)$ matrix for each symbol: $2 T D^2$.

# %%
ask("same_work", ...)

# %%
work = []  # multiplications, product by product


def times(a, b):
    """A product of matrices, counted."""
    work.append(a.shape[0] * a.shape[1] * b.shape[1])
    return a @ b


def all_symbols(x, w_q, w_k, w_v, w_o):
    """Attention of all symbols at once, x (T, D)."""
    q, k, v = times(x, w_q), times(x, w_k), times(x, w_v)
    scores = np.where(np.tri(len(x), dtype=bool), times(q, k.T), -np.inf)
    return times(times(softmax(scores / np.sqrt(x.shape[1])), v), w_o)


def next_symbol(x, k, v, w_q, w_k, w_v, w_o):
    """The same for one more symbol, x (1, D), with the keys and values that were kept."""
    k, v = np.concatenate([k, times(x, w_k)]), np.concatenate([v, times(x, w_v)])
    scores = times(times(x, w_q), k.T)
    return times(times(softmax(scores / np.sqrt(x.shape[1])), v), w_o), k, v


def cost(T, D):
    """Multiplications for a text of T symbols: all at once; written with a cache, without; recurrent."""
    at_once = lambda t: 4 * t * D**2 + 2 * t**2 * D
    by_symbol = [4 * D**2 + 2 * t * D for t in range(1, T + 1)]
    return at_once(T), sum(by_symbol), sum(map(at_once, range(1, T + 1))), 2 * T * D**2


own = np.random.default_rng(0)
some, matrices = own.normal(size=(6, 4)), own.normal(size=(4, 4, 4))  # T = 6, D = 4
expected_rows = all_symbols(some, *matrices)
counted_work = [sum(work)]
work.clear()
k = v = np.zeros((0, 4))
for t in range(6):
    row, k, v = next_symbol(some[t : t + 1], k, v, *matrices)
    assert np.allclose(row, expected_rows[t])
counted_work.append(sum(work))
work.clear()
for t in range(1, 7):
    all_symbols(some[:t], *matrices)
counted_work.append(sum(work))
work.clear()
h = np.zeros((1, 4))
for t in range(6):
    h = np.tanh(times(some[t : t + 1], matrices[0]) + times(h, matrices[1]))
counted_work.append(sum(work))
assert counted_work == list(cost(6, 4))

print("D = 512, millions:  at once   with a cache   without   recurrent")
for T in (128, 1024, 8192):
    print(f"{T:9} symbols {cost(T, 512)[0] / 1e6:11,.0f} {cost(T, 512)[1] / 1e6:14,.0f}", end=" ")
    print(f"{cost(T, 512)[2] / 1e6:9,.0f} {cost(T, 512)[3] / 1e6:11,.0f}")

# %% [markdown]
# | | all symbols, in training | the $t$-th symbol, in writing | kept, in writing |
# |---|---|---|---|
# | attention, without a cache | $4 T D^2 + 2 T^2 D$ | $4 t D^2 + 2 t^2 D$ | the text |
# | attention, with a cache | | $4 D^2 + 2 t D$ | $2 t D$ numbers |
# | recurrent | $2 T D^2$ | $2 D^2$ | $D$ numbers |
#
# In a short text, $T$ below $2 D$, attention costs its matrices, which grow with $T$ alone; in a long
# one its tables, which grow with $T^2$. In training they take memory, too: $T^2$ weights for each head,
# where a recurrent network keeps $T D$ states. But its $T$ steps wait for each other, and attention's
# products do not: what computes in parallel has them all at once. In writing it is the other way round.
# Both go symbol by symbol, and the recurrent network pays the same for each, with a memory that does not
# grow. Attention pays more for every further one, since it still sees all of them, where the other has
# only what fits into $D$ numbers.

# %% [markdown]
# ## Where it looks
#
# The decoder's attention to the source says which letters it looked at for each symbol it wrote. Take
# `Tuesday the 3rd of March, 1998`, and the mean over the four heads. If its weight were spread evenly
# over the 30 characters, 7 of 30, or 23 %, would be on the weekday.

# %%
ask("weekday", ...)

# %%
text, date = "Tuesday the 3rd of March, 1998", "1998-03-03"
ids = reader.encode([text])
wrote = decoding.greedy(model, ids, 12)  # (1, T), with the end
assert task.target.decode(wrote[0]) == date
(weights,) = decoding.cross_attention(model, ids, wrote)  # one layer: (1, H, T, S)
looked = weights[0].mean(axis=0)  # (T, S): row t is the step that wrote symbol t
assert np.allclose(looked.sum(axis=-1), 1, atol=1e-5)


def share_of(part, steps):
    """The share of the weight, at these steps, that is on that part of the text."""
    start = text.index(part)
    return looked[steps, start : start + len(part)].sum(axis=-1).mean()


parts = {part: share_of(part, steps) for part, steps in
         (("1998", range(4)), ("March", range(5, 7)), ("3rd", range(8, 10)))}  # fmt: skip
for part, share in parts.items():
    even = len(part) / len(text)
    print(f"{share:.0%} of the weight on {part!r} when it is written (evenly spread: {even:.0%})")
weekday = share_of("Tuesday", range(10))
print(f"{weekday:.0%} of the weight on 'Tuesday', over the ten steps of the date")
assert all(share > 1.3 * len(part) / len(text) for part, share in parts.items())
assert weekday < 0.5 * len("Tuesday") / len(text)

pictures("14_reading", lambda: attention_map(
    looked, queries=[*date, "<eos>"], keys=list(text), sides=("written", "read")
))  # fmt: skip

# %% [markdown]
# Each part of the date is read where it stands, and the weekday is hardly looked at: nothing that is
# asked depends on it.
#
# ## Step through it (optional)
#
# `mg.explore` writes one step of the loop as a page: the model has read `3 J? 1998` and written
# `1998-0`, and the number at the end is the loss of `6`, $-\log P(6)$. The arrow keys go through it.
# (If you read this in a browser, [the steps are here](out/14_steps.html).)

# %%
with mg.record():
    logits = model(reader.encode(["3 J? 1998"]), np.array([[BOS, *task.target.encode("1998-0")]]))
    loss = cross_entropy(logits[:, -1], np.array(task.target.encode("6")))
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(loss, pictures.folder / "14_steps.html", title="3 J? 1998: 1998-0, and then?")
print("open in a browser:", page)
assert np.isclose(loss.item(), -np.log(months["6"]), atol=1e-4)

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_top_p", ...)

# %%
ask("end_temperature", ...)

# %%
ask("end_places", ...)

# %% [markdown]
# To write yourself: `greedy`, `top_p` and `beam_search` (`python -m minigrad exercises check 14`).
#
# Next: `15_three_models.py`, the same parts put together in two other ways.

# %%
print(pictures)
