# %% [markdown]
# # 16 A circuit: two heads that copy
#
# *How two layers do together what one layer cannot do. About 14 seconds.*
#
# A trained model is a large heap of numbers. Can one say what they *do*? For one small task one can,
# head by head. The task is to go on with something that was there before: after A B ... A comes B. Two
# heads of attention solve it together, and one of them alone cannot. Such a group of parts, which
# together compute something that one can name, is called a *circuit*.
#
# After it you can
#
# - say which two look-ups copy a repeated part, and write them as two heads, by hand;
# - say why one layer of attention cannot do it, and show that in the scores;
# - train a small model until both heads can be seen, and recognise each in its map;
# - leave out a head, and say from the loss what it was for.

# %%
import math

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad import nn, optim
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, PURPLE
from minitransformer import masks
from minitransformer.training.threads import one_thread
from minitransformer.views.model_plots import attention_map

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("16")
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("05/end_repeated_word", ...)

# %%
ask("12/end_causal", ...)

# %% [markdown]
# ## Two look-ups
#
# What comes next in `m d k b t d k`? Probably `b`: the last symbol is a `k`, and after the other `k`
# came a `b`. We did that in two steps.
#
# 1. At every position, note which symbol is *one back*.
# 2. Find the position whose note is the *present* symbol, and say which symbol is there.
#
# As a table:
#
# | position | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
# |---|---|---|---|---|---|---|---|
# | symbol | m | d | k | **b** | t | d | k |
# | note: one back | | m | d | **k** | b | t | d |
#
# The present symbol is the `k` at position 6. The note `k` is at position 3, and the symbol there is
# `b`. Both steps are look-ups, and the second uses what the first wrote down. Try it on another
# sequence:

# %%
ask("found", ...)


# %%
def rule(symbols):
    """Return the position right after the earlier occurrence of the last symbol."""
    notes = ["", *symbols[:-1]]  # the first look-up: one back
    return notes.index(symbols[-1])  # the second: whose note is the present symbol


for word in ("mdkbtdk", "tapsta"):
    place = rule(word)
    print(f"{word}: position {place}, so {word[place]} comes next")
assert rule("tapsta") == 2

# %% [markdown]
# ## What a key cannot know
#
# Attention is a look-up, too. The query of the last position asks, each position answers with its key,
# and the output is the value of the position with the highest score. So why should one head not be
# enough?
#
# Here is a head of a first layer, with random matrices. We put another symbol at position 2 of
# `m d k b t d k`, and compute the scores of the last query again.

# %%
ask("which_scores", ...)

# %%
letters = sorted(set("mdkbtdk"))  # b d k m t
before = np.array([letters.index(symbol) for symbol in "mdkbtdk"])
after = before.copy()
after[2] = letters.index("m")

D = 8
symbol_table, position_table = rng.normal(size=(len(letters), D)), rng.normal(size=(7, D))
W_Q, W_K = rng.normal(size=(2, D, D))


def scores_of_the_last(ids):
    X = symbol_table[ids] + position_table  # (T, D)
    return mt.scaled_dot(X[-1:] @ W_Q, X @ W_K)[0]  # (T,)


changed = scores_of_the_last(before) != scores_of_the_last(after)
print("positions whose score has changed:", np.flatnonzero(changed))
assert np.flatnonzero(changed).tolist() == [2]

# %% [markdown]
# Only the score of position 2 itself. A score comes from two vectors alone: that of the position which
# asks, and that of the position which is asked. In the first layer the vector at position 3 is made
# from the symbol `b` and the number 3. Nothing in it says that a `k` comes before it. So such a head
# can find the *other* `k`, at position 2, as both have the same symbol. But the value there is `k`,
# and not `b`. Another head has to write the note first.

# %% [markdown]
# ## Two heads by hand
#
# With two layers it is easy, so easy that we can write the matrices ourselves. Let the vector of a
# position have four parts, side by side: its *symbol* (a 1 for that symbol, 0 for all others), its
# *position* (a 1 at its number), and two parts that are empty at first, the *note* and the *answer*.
# (`np.split` cuts the identity matrix into four blocks of columns, one for each part. The list says at
# which columns it cuts.)

# %%
T, N = len(before), len(letters)
X = np.concatenate([np.eye(N)[before], np.eye(T), np.zeros((T, 2 * N))], axis=1)  # (T, D)
D = X.shape[1]
symbol, position, note, answer = np.split(np.eye(D), [N, N + T, N + T + N], axis=1)

assert np.array_equal(X @ symbol, np.eye(N)[before])  # reads the part called symbol

# %% [markdown]
# `symbol` is a matrix of shape $(D, N)$: `X @ symbol` reads that part of all vectors. Transposed, such
# a matrix writes: `X @ symbol @ note.T` is zero except in the part called note, which holds the
# symbol. Now the two heads. With them a query is
#
# - *layer 1:* "I am position $t$, and want position $t - 1$"; the key is "I am position $s$"; and the
#   value is the symbol, written into the part called note;
# - *layer 2:* "my symbol is `k`"; the key is "my note is `k`"; and the value is the symbol, written
#   into the answer.
#
# In matrices: $W_Q$ of the first reads the position and moves the 1 by one, and $W_K$ reads the
# position. $W_Q$ of the second reads the symbol, and $W_K$ the note. Each head's output is added to
# the vectors, as in every transformer (the *residual*, lesson 11). The factor 20 makes the scores so
# far apart that the softmax is nearly an exact look-up.

# %%
one_back = np.eye(T, k=-1)  # (T, T): row t has its 1 at t - 1
sees = masks.causal(T)  # a position sees itself and those before it


def two_heads(X, without=None):
    """The answers (T, N), and both heads' weights (T, T)."""
    added, first = mt.attention(
        20 * X @ position @ one_back, X @ position, X @ symbol @ note.T, sees
    )
    if without != 1:
        X = X + added  # (T, D): the notes are written
    added, second = mt.attention(20 * X @ symbol, X @ note, X @ symbol @ answer.T, sees)
    if without != 2:
        X = X + added  # (T, D): the answers are written
    return X @ answer, first, second


answers, first, second = two_heads(X)
for t in (5, 6):
    said = letters[np.argmax(answers[t])]
    print(f"after {'mdkbtdk'[: t + 1]:>7}: {said}, with the weight {answers[t].max():.3f}")
assert answers[5, letters.index("k")] > 0.99
assert answers[6, letters.index("b")] > 0.99


# %%
def by_hand():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2))
    titles = "layer 1: one back", "layer 2: what followed"
    for ax, weights, title in zip(axes, (first, second), titles):
        attention_map(weights, queries=list("mdkbtdk"), keys=list("mdkbtdk"), title=title, ax=ax)
    return figure


pictures("16_by_hand", by_hand)

# %% [markdown]
# Read a row at a time. In the left map each symbol looks at the one before it: a diagonal below the
# main one. In the right map the lowest row is the last `k`, and it looks at `b`, which followed the
# other `k`; the `d` above it looks at the other `k`. The rows of symbols that are new look everywhere:
# no note fits. (The first position has nothing before it and looks at itself. Its note is therefore
# wrong, but no other position asks for an `m`.)
#
# Now take the first head away. Then all notes are empty.

# %%
ask("no_notes", ...)

# %%
_, _, even = two_heads(X, without=1)
no_answer, _, _ = two_heads(X, without=2)
print("without head 1, the last row of head 2:", even[6].round(3))
print("without head 2, the answers:           ", no_answer[6].round(3))
assert np.allclose(even[6], 1 / 7)
assert (no_answer == 0).all()

# %% [markdown]
# Empty notes have the product 0 with every query. Equal scores give equal weights, so the second head
# only takes the mean of all symbols. And without the second head the answers stay empty.

# %% [markdown]
# ## A task that needs both heads
#
# Would a model find these two heads by itself, by gradient descent? A row of the task is 24 letters in
# random order. Then a part of it, 4 to 8 letters long, is copied over a later part. Its length, and
# both positions, are drawn again for each row. So positions alone do not tell what comes next: the
# model has to look at the letters. All letters but the copied ones are different, so that the answer
# is certain.

# %%
N, T = 24, 23  # letters, and positions that the model reads: the last letter is only asked for
ALPHABET = "abcdefghijklmnopqrstuvwx"


def batch(rng, size=32):
    """Rows of letters (B, T), and what comes next where it can be known, else -1: (B, T)."""
    in_order = np.tile(np.arange(N), (size, 1))  # (B, T + 1): a row with all letters, `size` times
    rows = rng.permuted(in_order, axis=1)  # each row shuffled by itself
    known = np.zeros(rows.shape, dtype=bool)
    for row, sure in zip(rows, known):
        n = rng.integers(4, 9)
        start = rng.integers(0, N - 2 * n + 1)
        to = rng.integers(start + n, N - n + 1)
        row[to : to + n] = row[start : start + n]
        sure[to + 1 : to + n] = True  # the first letter of the copy cannot be known
    return rows[:, :-1], np.where(known, rows, -1)[:, 1:]


x, y = batch(np.random.default_rng(1), 4)
for ids, following in zip(x, y):
    print("".join(ALPHABET[i] for i in ids))
    print("".join(ALPHABET[i] if i >= 0 else "." for i in following), "\n")

# %% [markdown]
# Below each row are the letters that come next, where the copy determines them. Only these count in
# the loss. As a measure: a model that guesses evenly among all 24 letters has the loss $\ln 24$
# (lesson 13).

# %%
guessing = math.log(N)
print(f"ln 24 = {guessing:.2f}")

# %% [markdown]
# At which position is the answer? At the one whose note, the letter one back, is the present letter.
# We need this several times, for all rows at once:


# %%
def places_of_answers(rows, known):
    """True where the answer to position t (row) is at position s (column): (B, T, T)."""
    notes = np.concatenate([np.full((len(rows), 1), -1), rows[:, :-1]], axis=1)  # (B, T)
    fits = rows[:, :, None] == notes[:, None, :]  # (B, T, T)
    return fits & masks.causal(T) & known[:, :, None]


new_x, new_y = batch(np.random.default_rng(2), 500)  # to examine the models with
asked = new_y >= 0  # (B, T)
answers_at = places_of_answers(new_x, asked)  # (B, T, T)
print("letters to be known:", asked.sum(), " positions of answers:", answers_at.sum())
assert np.array_equal(answers_at.sum(axis=2), asked)  # one for each

# %% [markdown]
# ## The model
#
# It has attention and nothing else that mixes positions, one head in each layer, and no feed-forward
# layers: a vector for each letter plus one for each position; then, in each layer, attention to the
# positions before, added to what was there (with a layer norm before it, as in lesson 11); and a
# linear map to the 24 letters.


# %%
class Copier(nn.Module):
    def __init__(self, layers, D=32):
        self.letters, self.positions = nn.Embedding(N, D), nn.Embedding(T, D)
        self.norms = nn.ModuleList(mt.LayerNorm(D) for _ in range(layers + 1))
        self.heads = nn.ModuleList(
            mt.MultiHeadAttention(mt.AttentionSizes(D, heads=1, bias=False)) for _ in range(layers)
        )
        self.read = nn.Linear(D, N)

    def forward(self, ids, without=None):
        """The scores of the next letter (B, T, N), and each head's weights (B, 1, T, T)."""
        *norms, last_norm = self.norms
        x = self.letters(ids) + self.positions(np.arange(ids.shape[1]))  # (B, T, D)
        maps = []
        for number, (norm, head) in enumerate(zip(norms, self.heads), 1):
            y = norm(x)
            y, weights = head(y, y, masks.causal(ids.shape[1]))
            maps.append(weights)
            if number != without:
                x = x + y  # (B, T, D)
        return self.read(last_norm(x)), maps


def shares(model):
    """The weight that the first head gives to one back, and the second to the answer's position."""
    with mg.no_grad():
        _, maps = model(new_x)
    first, second = (weights.data[:, 0] for weights in maps)  # (B, T, T) each
    return np.diagonal(first, -1, axis1=1, axis2=2).mean(), second[answers_at].mean()


def train(layers, steps=800):
    """The model, the loss of every step, and the shares of its two heads at every 20th."""
    mg.manual_seed(0)
    rng = np.random.default_rng(0)
    model = Copier(layers)
    optimizer = optim.Adam(model.parameters(), lr=5e-3)
    curve, looks = [], []
    for step in range(steps):
        if layers == 2 and step % 20 == 0:
            looks.append(shares(model))
        x, y = batch(rng)
        loss = cross_entropy(model(x)[0], y, ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    return model, curve, looks


# %% [markdown]
# We train one with a single layer and one with two.

# %%
ask("one_layer", ...)

# %%
with one_thread():  # small matrices: a second thread would cost more than it saves
    models, learned = {}, {}
    for layers in (1, 2):
        models[layers], learned[layers], looks = train(layers)


def examined(model, without=None):
    """The loss on new rows, and the share of the copied letters that are right."""
    with mg.no_grad():
        logits, _ = model(new_x, without)
    loss = cross_entropy(logits, new_y, ignore_index=-1).item()
    return loss, np.mean((np.argmax(logits.data, axis=-1) == new_y)[asked])


reached = {layers: examined(model) for layers, model in models.items()}
for layers, (loss, right) in reached.items():
    print(f"{layers} layer{'s'[layers == 1 :]}: loss {loss:.2f}, {right:.1%} right")
assert reached[1][1] < 0.3
assert reached[2][1] > 0.97

# %% [markdown]
# The rows of this test are new, and in training, too, each row was new. So neither model could memorise
# rows.
#
# The single layer does better than an even guess, which is right once in 24. What does it know? It
# knows its position, and from each position the answer is at some positions more often than at others.
# Count in many rows at which position the answer is. Then always name the letter at the most frequent
# position.

# %%
rows, following = batch(np.random.default_rng(3), 10_000)
counts = places_of_answers(rows, following >= 0).sum(axis=0)  # (T, T)
by_position = counts.max(axis=1).sum() / counts.sum()
print(f"always naming the letter at the likeliest position: {by_position:.0%} right")
print(f"the single layer:                                   {reached[1][1]:.0%} right")
assert abs(by_position - 0.19) < 0.015
assert reached[1][1] < by_position + 0.1


# %%
def two_curves():
    from matplotlib import pyplot as plt

    figure, (top, below) = plt.subplots(2, 1, figsize=(8.5, 5.6), sharex=True, height_ratios=[3, 2])
    for curve, colour in zip(learned.values(), (ORANGE, BLUE)):
        smooth = np.convolve(curve, np.full(10, 0.1), "valid")
        top.plot(np.arange(len(smooth)) + 10, smooth, color=colour, lw=2)
    top.axhline(guessing, color=GREY, lw=1, ls=":")
    top.text(805, guessing + 0.06, "a guess among 24: ln 24", color=GREY, ha="right")
    top.text(560, 2.45, "one layer", color=ORANGE)
    top.text(330, 0.75, "two layers", color=BLUE)
    top.set(ylabel="loss on the copied part (mean of 10)", xlim=(0, 810), ylim=(0, 3.6))
    steps, (one_back, answer) = np.arange(len(looks)) * 20, np.transpose(looks)
    below.plot(steps, one_back, color=GREEN, lw=2, label="head 1, for one back")
    below.plot(steps, answer, color=PURPLE, lw=2, label="head 2, for the answer")
    below.legend(frameon=False)
    below.set(xlabel="step", ylabel="weight given", ylim=(0, 1.05))
    return figure


pictures("16_two_curves", two_curves)

# %% [markdown]
# So the single layer has learned little more than which positions are likely. Look at the curve of two
# layers. For a long time it hardly falls, and then it falls suddenly. Below it are the weights that
# its heads give to the positions that they should look at. When do these rise?

# %%
to_half = np.argmax(np.array(looks) > np.array(looks[-1]) / 2, axis=0) * 20
print(f"half of the final share: head 1 at step {to_half[0]}, head 2 at step {to_half[1]}")
assert abs(to_half[0] - to_half[1]) <= 60

# %% [markdown]
# Both at the same time, and with them the loss falls. As long as no notes are written, the second head
# has nothing to look for. As long as no head reads the notes, writing them does not lower the loss.
# Once both have begun, each makes the other more useful, and both improve fast.

# %% [markdown]
# ## Look at the heads
#
# Now a row that the model has never seen, and both maps of the model with two layers. The part
# `fourth` begins a second time, up to its `t`.

# %%
ask("looks_at", ...)

# %%
text = "apfourthxqlmbdfourt"
ids = np.array([[ALPHABET.index(letter) for letter in text]])
with mg.no_grad():
    logits, maps = models[2](ids)
first, second = (weights.data[0, 0] for weights in maps)  # (T, T) each
print("position of the highest weight in the last row:", np.argmax(second[-1]))
print("the next letter:", ALPHABET[np.argmax(logits.data[0, -1])])
assert np.argmax(second[-1]) == 7
assert ALPHABET[np.argmax(logits.data[0, -1])] == "h"


# %%
def learned_maps():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 5.4))
    for ax, weights, title in zip(axes, (first, second), ("layer 1", "layer 2")):
        attention_map(weights, queries=list(text), keys=list(text), title=title, ax=ax)
    return figure


pictures("16_learned_maps", learned_maps)

# %% [markdown]
# These are the two heads that we wrote by hand. Layer 1 looks one back. (In rows that are longer than
# this one it does not at the last four positions: answers hardly ever stand there, so no head needs
# their notes. Therefore the share below is not near 100 %.) Layer 2 looks at several positions as long
# as letters are new: the loss does not count there. From the second `f` on, each letter looks at what
# followed the same letter before, and that makes a second diagonal.
#
# One map proves little. So measure on all 500 rows:

# %%
to_previous, to_follower = shares(models[2])
print(f"the first head gives {to_previous:.0%} of its weight to the position one back")
print(f"the second gives {to_follower:.0%} to the position that followed")
assert to_previous > 0.6
assert to_follower > 0.8

# %% [markdown]
# In papers a head of the first kind is called a *previous-token head*, and one of the second an
# *induction head*.

# %% [markdown]
# ## Leave out one head
#
# What is each head worth? Leave one out, as in lesson 09: its output is not added.

# %%
ask("left_out", ...)

# %%
table = {"both heads": examined(models[2])}
table |= {f"without head {h}": examined(models[2], without=h) for h in (1, 2)}
for name, (loss, right) in table.items():
    print(f"{name:>14}: loss {loss:5.2f}, {right:6.1%} right")
assert table["without head 1"][1] < 0.3
assert table["without head 2"][1] < 0.3


# %%
def what_is_lost():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 2.4))
    rows = {"one layer": reached[1][1]} | {name: right for name, (_, right) in table.items()}
    for place, (name, right) in enumerate(rows.items()):
        colour = BLUE if name == "both heads" else ORANGE
        ax.barh(-place, 100 * right, color=colour)
        ax.text(100 * right + 1.5, -place, f"{100 * right:.0f} %", va="center", color=colour)
    ax.set_yticks([-place for place in range(len(rows))], list(rows))
    ax.axvline(100 / N, color=GREY, lw=1, ls=":")
    ax.set(xlim=(0, 112), xlabel="copied letters right, in per cent (dots: a guess)")
    ax.tick_params(axis="y", length=0)
    return figure


pictures("16_what_is_lost", what_is_lost)

# %% [markdown]
# Without one of the two heads the model is worse than the one with a single layer. It still gives high
# probabilities, but to wrong letters, so the loss is above the 3.18 of an even guess. In lesson 09 a
# head could be left out and the others went on with their own questions. There the heads were *side by
# side*. Here the second comes *after* the first, and uses what it wrote. That is why a second layer is
# needed.

# %% [markdown]
# ## How does the second head get the note? (optional)
#
# The second head computes three things from its input: queries, keys and values. In the heads that we
# wrote by hand, only the keys read the note. Is it so in the trained model? Give the second head its
# input *without* the first head's note, except for one of the three:


# %%
def with_note_in(*parts, model=models[2]):
    """The share that is right, if only these parts of the second head see the first one's note."""
    with mg.no_grad():
        bare = model.letters(new_x) + model.positions(np.arange(T))  # (B, T, D)
        y = model.norms[0](bare)
        noted = bare + model.heads[0](y, y, masks.causal(T))[0]
        inputs = {part: model.norms[1](noted if part in parts else bare) for part in PARTS}
        found, _ = model.heads[1](**inputs, mask=masks.causal(T))
        logits = model.read(model.norms[2](bare + found)).data
    return np.mean((np.argmax(logits, axis=-1) == new_y)[asked])


PARTS = ("query", "key", "value")
by_way = {part: with_note_in(part) for part in PARTS} | {"all three": with_note_in(*PARTS)}
for part, right in by_way.items():
    print(f"{part:>9}: {right:.1%} right")
assert by_way["key"] > 0.9 > 0.3 > max(by_way["query"], by_way["value"])

# %% [markdown]
# The keys need the note, the queries and values do not. Elhage et al. (2021, see below) call this
# *K-composition*: the keys of one head are composed with the output of another.

# %% [markdown]
# ## What a large model does with it (optional)
#
# Elhage and others (2021) analysed small models that consist of attention alone. Those of two layers
# had such pairs of heads, and those of one layer cannot have them. Olsson and others (2022) looked at
# models of many sizes, up to 13 billion numbers. In models of more than one layer, induction heads
# appeared early in training and within a short time, as in the curve above. At the same time the
# models became better at using what is far back in their text. For small models of attention alone
# they show that the heads are the cause. For large ones they only show that both happen at the same
# time. That is weaker evidence, as they say.
#
# To find such heads in a model, one gives it $n$ random symbols, and then the same $n$ again. In the
# first half nothing tells what comes next: of $N$ symbols, no model can have a lower loss than $\ln N$
# on average. In the second half two look-ups tell it, and the loss falls to nearly 0. Without these
# heads a model can at best prefer the symbols that have come so far: if they are $m$ different ones,
# the loss is about $\ln m$. (A head that is cut out of a trained model can cost more, as above.)
#
# Copying is more useful than it looks. A model can repeat a new name, even if it was in no text of the
# training. And in large models they found induction heads that match by meaning and not letter by
# letter: some match a text and its translation.

# %% [markdown]
# ## Step through it (optional)
#
# `mg.explore` writes one reading as a page: each step of the forward pass and of the walk back, for
# the loss of the letter after `abcdab`, which should be `c`, by the trained model with two layers.
# Change a number, and see what follows. (If you read this in a browser, [the steps are
# here](out/16_steps.html).)

# %%
short = np.array([[ALPHABET.index(letter) for letter in "abcdab"]])
with mg.record():
    logits, _ = models[2](short)
    loss = cross_entropy(logits[:, -1], np.array([ALPHABET.index("c")]))
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(loss, pictures.folder / "16_steps.html", title="a b c d a b: what comes next?")
print("open in a browser:", page)
print(f"the loss of c: {loss.item():.3f}")
assert loss.item() < 1

# %% [markdown]
# ## Questions

# %%
ask("end_twice", ...)

# %%
ask("end_two_back", ...)

# %%
ask("end_key", ...)

# %% [markdown]
# To write yourself: `repeat_part`, `previous_share` and `induction`
# (`python -m minigrad exercises check 16`).
#
# Next: `17_gradients_of_gradients.py`, which walks back over the walk back.

# %%
print(pictures)
