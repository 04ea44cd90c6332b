# %% [markdown]
# # 15 One set of parts, three models
#
# *An encoder-decoder, an encoder and a decoder, from the same layers. About 28 seconds.*
#
# The transformer of the paper translates: it has an encoder and a decoder. The models that came
# after mostly keep one half. This lesson builds all three from the same layers, and teaches each
# another trick on the same text, which comes with Python.
#
# After it you can
#
# - say what differs between an encoder-decoder, an encoder-only and a decoder-only model, and what
#   does not;
# - train each in its own way: by translation, by hidden symbols, by next symbols;
# - tell how much a model of language knows, by comparing it with counting;
# - let a model go on with a text, fill in blanks, and put vowels back.
#
# As before, name another folder for the pictures after the file's name, or in the next cell.
# Training takes about half a minute.

# %%
import math
import re
from collections import Counter
from pydoc_data.topics import topics

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, heat_map
from minitransformer import decoding, masks
from minitransformer.model.encoder_only import hide
from minitransformer.training.threads import one_thread
from minitransformer.views.plots import attention_map

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("15")
mg.manual_seed(0)
rng = np.random.default_rng(0)

# %% [markdown]
# ## The text
#
# `pydoc_data.topics` is what Python's `help("while")` shows. We keep its words, in small letters,
# so that the alphabet is small. The last tenth is held out. (Other versions of Python have other
# words in it, so your numbers will differ a little.)

# %%
text = " ".join(re.findall("[a-z]+", " ".join(topics.values()).lower()))
letters = mt.Vocabulary.of_characters(text)
N = len(letters)  # 30: 26 letters, the space, and three special symbols
held_out = text[len(text) * 9 // 10 :]
text = text[: len(text) * 9 // 10]
words = [word for word in text.split() if 3 <= len(word) <= 10]
print(f"{len(text):,} letters, {len(words):,} words of 3 to 10 letters; the first:", *words[:8])
assert N == 30

# %% [markdown]
# ## Three models
#
# All three are stacks of the same layers: self-attention, feed-forward, each with a residual and a
# norm. They differ in who may look at whom, and in what is asked of them. With $x_t$ the symbols of
# a text, and $z$ a source:
#
# $$\begin{array}{llll}
#   & \text{looks at} & \text{is asked for} & \text{learns} \\
#   \text{encoder-decoder} & \text{all of the source; the target so far}
#     & \text{the next of the target} & P(x_{t+1} \mid x_{1 \dots t}, z) \\
#   \text{encoder-only} & \text{everything} & \text{symbols that were hidden}
#     & P(x_t \mid \text{all others}) \\
#   \text{decoder-only} & \text{the text so far} & \text{the next symbol}
#     & P(x_{t+1} \mid x_{1 \dots t})
# \end{array}$$

# %%
translator = mt.Transformer(mt.Sizes(N, N, width=48, feed_forward=96))
HIDDEN = N  # one more id, which stands for a hidden symbol
guesser = mt.EncoderOnly(mt.EncoderSizes(N + 1, width=48, feed_forward=96, longest=12))
writer = mt.DecoderOnly(mt.DecoderSizes(N, width=64, feed_forward=128, longest=32))

for stack in (translator.encoder, guesser.encoder, writer.decoder):
    assert all(isinstance(layer, mt.EncoderLayer) for layer in stack.layers)

# %% [markdown]
# A decoder without a source has nothing for its second attention to look at. What is left is an
# encoder's layer with a causal mask. So a decoder-only model is, in full:

# %%
ids = np.array([letters.encode("while statement")])  # (1, T)
T = ids.shape[1]
x = writer.embedding(ids) * math.sqrt(64)  # (1, T, D)
x = writer.positions(x)  # learned positions are added
x, _ = writer.decoder(x, masks.causal(T))  # (1, T, D)
assert np.array_equal(writer.unembedding(x).data, writer(ids).data)  # (1, T, N)

with mg.record():
    logits = writer(ids)
pictures("15_decoder_only", mg.graph(logits).draw(depth=3))

# %% [markdown]
# Does each look where it may? As in lesson 12, put another letter into each place in turn, and
# note which outputs change at all.


# %%
def depends(outputs, ids):
    """Which outputs (rows) change with which letter of ids (1, T) (columns)."""
    before = outputs(ids)
    columns = []
    for place in range(ids.shape[1]):
        other = ids.copy()
        other[0, place] = 3 + (other[0, place] - 2) % 26  # an id that is not special, and another
        columns.append((outputs(other) != before).any(axis=-1)[0])
    return np.stack(columns, axis=1)


short = np.array([letters.encode("while")])
target = np.array([letters.encode("whil", start=True)])
hears = {
    "encoder-only": depends(lambda ids: guesser(ids).data, short),
    "decoder-only": depends(lambda ids: writer(ids).data, short),
    "encoder-decoder": np.concatenate(
        [
            depends(lambda ids: translator(ids, target).data, short),
            depends(lambda ids: translator(short, ids).data, target),
        ],
        axis=1,
    ),
}
causal = masks.causal(5)
assert hears["encoder-only"].all()
assert np.array_equal(hears["decoder-only"], causal)
assert np.array_equal(hears["encoder-decoder"], np.concatenate([causal | True, causal], axis=1))


# %%
def who_sees_what():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3), width_ratios=[1, 1, 2])
    for ax, (name, seen) in zip(axes, hears.items()):
        source, read = list("while"), ["<bos>", *"whil"]
        both = name == "encoder-decoder"
        sides = "output at", "source | target" if both else "text"
        heat_map(
            seen, rows=read if both else source, columns=source + read if both else list("while"),
            sides=sides, title=name, ax=ax,
        )  # fmt: skip
        ax.set_xticks(np.arange(-0.5, seen.shape[1]), minor=True)
        ax.set_yticks(np.arange(-0.5, 5), minor=True)
        ax.grid(which="minor", color="#94a3b8", lw=0.6)
        ax.tick_params(which="minor", length=0)
    axes[2].axvline(4.5, color="#b3370f", lw=2.5)
    return figure


pictures("15_who_sees_what", who_sees_what)

# %% [markdown]
# The formal description of these models by Phuong and Hutter counts algorithms. Here they are,
# with what they are called in this project:
#
# - 8, 9, 10, the three models: `Transformer`, `EncoderOnly`, `DecoderOnly`;
# - 11, 12, 13, their training: below, the three functions that return a loss;
# - 14 and 15, writing with a decoder-only model and with an encoder-decoder: `decoding.sample`,
#   with a temperature.
#
# One loop will do for all three (lesson 13 explains its lines):


# %%
def train(model, loss_of, steps, peak):
    """The loss of every step; `loss_of()` draws a batch and returns its loss."""
    optimizer = mg.optim.Adam(model.parameters(), lr=peak, betas=(0.9, 0.98), eps=1e-9)
    schedule = mg.optim.warmup_cosine(peak, warmup=30, steps=steps)  # falls to 0 as a cosine does
    curve = []
    with one_thread():
        for step in range(1, steps + 1):
            loss = loss_of()
            optimizer.zero_grad()
            loss.backward()
            mg.optim.clip_grad_norm(optimizer.parameters, max_norm=1.0)
            optimizer.lr = schedule(step)
            optimizer.step()
            curve.append(loss.item())
    model.eval()
    return curve


# %% [markdown]
# ## Decoder-only: go on
#
# Algorithm 13: take pieces of the text; at every place, the next letter is asked for. Input and
# answer are the same piece, one letter apart:
#
# $$L = -\frac{1}{T} \sum_{t=1}^{T} \log P(x_{t+1} \mid x_1 \dots x_t).$$

# %%
as_ids = np.array(letters.encode(text))
held_out_ids = np.array(letters.encode(held_out))


def pieces(ids, size, T=32):
    """Pieces of T + 1 letters from anywhere: (size, T + 1)."""
    return np.stack([ids[i : i + T + 1] for i in rng.integers(len(ids) - T, size=size)])


def next_letters():
    x = pieces(as_ids, 32)
    return cross_entropy(writer(x[:, :-1]), x[:, 1:])


def go_on(beginning, temperature):
    """What the model writes after the beginning, to the end of its 32 places."""
    prompt = np.array([letters.encode(beginning)])
    length, draws = 31 - len(beginning), np.random.default_rng(1)
    ids = decoding.sample(writer, prompt, length, temperature=temperature, rng=draws)
    return letters.decode(ids[0])


before = go_on("the statement ", 0.5)
curve = train(writer, next_letters, steps=600, peak=1e-2)
print("before:", before)
for temperature in (0.0, 0.5, 1.0):
    print(f"temperature {temperature}: the statement {go_on('the statement ', temperature)}")

# %% [markdown]
# It writes words, mostly, if no sense. How good is that? Compare with counting. Who knows only the
# share $P(a)$ of each letter $a$ in the text has the loss $-\sum_a P(a) \log P(a)$. Who also looks
# at the letter before, or at the two before, counts pairs and triples:


# %%
def counted(n):
    """The loss of a guess by the n letters before, all counted in the text itself."""
    longer = Counter(text[i : i + n + 1] for i in range(len(text) - n))
    total = sum(longer.values())
    before = Counter()
    for letters_, count in longer.items():
        before[letters_[:n]] += count
    return -sum(c / total * math.log(c / before[letters_[:n]]) for letters_, c in longer.items())


by_counting = [counted(n) for n in range(3)]
x = pieces(held_out_ids, 64)
with mg.no_grad():
    on_held_out = cross_entropy(writer(x[:, :-1]), x[:, 1:]).item()
print(f"even guess {math.log(27):.2f}; by 0, 1, 2 letters before", np.round(by_counting, 2))
print(f"the model: {np.mean(curve[-50:]):.2f}, on the held-out text {on_held_out:.2f}")
assert math.log(27) > by_counting[0] > by_counting[1] > by_counting[2]
assert np.mean(curve[-50:]) < 0.9 * by_counting[1]
assert on_held_out < by_counting[1]


# %%
def learning_to_write():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 3.8))
    smooth = np.convolve(curve, np.full(15, 1 / 15), "valid")
    ax.plot(np.arange(len(smooth)) + 15, smooth, color=BLUE, lw=2)
    known = ["how often each letter occurs", "and the letter before", "and the two letters before"]
    for name, loss in zip(known, by_counting):
        ax.axhline(loss, color=ORANGE, lw=1, ls="--")
        ax.text(615, loss + 0.02, f"{name}: {loss:.2f}", color=ORANGE, ha="right", size=9)
    ax.text(90, smooth[90] - 0.32, "the model", color=BLUE)
    ax.set(xlabel="step", ylabel="loss of a letter", xlim=(0, 620))
    return figure


pictures("15_going_on", learning_to_write)

# %% [markdown]
# The model's curve passes one line after the other: first it learns which letters are frequent,
# then what follows what, and in the end it beats whoever counts with two letters of memory. It
# remembers more.
#
# ## Encoder-only: fill in
#
# Algorithm 12: hide some letters of a word, each with the probability 0.2, behind one more symbol,
# and ask for them. Nothing is asked elsewhere:
#
# $$L = -\frac{1}{|M|} \sum_{t \in M} \log P(x_t \mid \text{all letters but those in } M),
#   \qquad M: \text{the places that are hidden}.$$


# %%
def some_words(size):
    return [words[i] for i in rng.integers(len(words), size=size)]


def hidden_letters():
    read, guess = hide(letters.batch(some_words(64)), HIDDEN, 0.2, rng=rng)  # (B, T) each
    return cross_entropy(guesser(read), guess, ignore_index=0)


read, guess = hide(letters.batch(["statement"]), HIDDEN, 0.4, rng=np.random.default_rng(2))
print("read: ", *("?" if i == HIDDEN else letters.decode([i]) for i in read[0]))
print("guess:", *(letters.decode([i]) or "." for i in guess[0]))
assert np.array_equal(np.where(guess == 0, read, guess), letters.batch(["statement"]))

train(guesser, hidden_letters, steps=600, peak=8e-3)

blanks = letters.batch(some_words(500))  # of the same text: most of these words were seen
read, guess = hide(blanks, HIDDEN, 0.2, rng=rng)
with mg.no_grad():
    said = np.argmax(guesser(read).data, axis=-1)
accuracy = (said == guess)[guess != 0].mean()
frequent = max(Counter("".join(words)).values()) / sum(map(len, words))
print(f"{accuracy:.0%} of hidden letters right; the most frequent letter would give {frequent:.0%}")
assert accuracy > 2 * frequent


# %%
def belief(word):
    """What the model thinks of the place of the `?`: (N + 1,)."""
    place = word.index("?")
    ids = np.array([letters.encode(word.replace("?", "a"))])
    ids[0, place] = HIDDEN
    return mg.functional.softmax(guesser(ids)[0, place]).data


riddles = ["th?", "obj?ct", "func?ion", "m?thod", "c?ass", "st?tement"]
for riddle in riddles:
    best = np.argsort(-belief(riddle))[:3]
    print(f"{riddle:>10}:", *(f"{letters.tokens([i])[0]} {belief(riddle)[i]:.0%} " for i in best))
assert letters.tokens([np.argmax(belief("th?"))]) == ["e"]


# %%
def filled_in():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 6, figsize=(11.5, 2.6), sharey=True)
    for ax, riddle in zip(axes, riddles):
        p = belief(riddle)
        best = np.argsort(-p)[:5]
        ax.bar(range(5), p[best], color=[BLUE, *[GREY] * 4])
        ax.set_xticks(range(5), letters.tokens(best), fontsize=12)
        ax.set(title=riddle, ylim=(0, 1))
        ax.tick_params(axis="x", length=0)
    axes[0].set_ylabel("probability")
    return figure


pictures("15_filling_in", filled_in)

# %% [markdown]
# It uses both sides: what comes before the blank, and what comes after. A decoder-only model could
# not: to it, `m?thod` ends at the `m`. On the other hand one cannot let an encoder-only model
# write: it was never asked what comes next.
#
# ## Encoder-decoder: translate
#
# Algorithm 11: a source and a target. Hebrew and Arabic leave out most vowels in writing; here is
# a reader for such English. The source is the word without *a, e, i, o, u*, the target is the word.


# %%
def without_vowels(word):
    return re.sub("[aeiou]", "", word)


words = [word for word in words if without_vowels(word)]


def next_of_target():
    batch = some_words(32)
    source = letters.batch([without_vowels(word) for word in batch])  # (B, S)
    read, write = letters.batch(batch, start=True), letters.batch(batch, end=True)  # (B, T)
    return cross_entropy(translator(source, read), write, ignore_index=0)


train(translator, next_of_target, steps=600, peak=6e-3)


def restored(several):
    source = letters.batch([without_vowels(word) for word in several])
    return [letters.decode(ids) for ids in decoding.greedy(translator, source, 12)]


exam = some_words(300)  # again of the same text
share = np.mean([answer == word for answer, word in zip(restored(exam), exam)])
print(f"{share:.0%} of words restored")
for word, answer in zip(exam[:8], restored(exam[:8])):
    print(f"{without_vowels(word):>9} -> {answer}{'' if answer == word else f', not {word}'}")
assert share > 0.4

# %% [markdown]
# Nobody could restore all of them, as some words have the same consonants. Who knows all words and
# always says the most frequent one with these consonants is right this often:

# %%
with_these = {}
for word in words:
    with_these.setdefault(without_vowels(word), Counter())[word] += 1
most = sum(counts.most_common(1)[0][1] for counts in with_these.values()) / len(words)
print(f"at most {most:.0%} of words; how often fr stands for what:", dict(with_these["fr"]))
assert share < most + 0.05


# %% [markdown]
# As in lesson 14, ask where the decoder looked:

# %%
word = max((w for w, a in zip(exam, restored(exam)) if w == a), key=len)
source = letters.batch([without_vowels(word)])
wrote = decoding.greedy(translator, source, 12)
(weights,) = decoding.cross_attention(translator, source, wrote)  # (1, H, T, S)
looked = weights[0].max(axis=0)  # (T, S), of the head that looked most
assert looked.shape == (len(word) + 1, len(without_vowels(word)))


# %%
def where_it_looked():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(4.6, 4.6))
    rows, columns = [*word, "<eos>"], list(without_vowels(word))
    attention_map(looked, queries=rows, keys=columns, sides=("written", "read"), ax=ax)
    ax.set_title("putting vowels back", size=10)
    for row, letter in enumerate(word):
        ax.get_yticklabels()[row].set_color(GREEN if letter in "aeiou" else "black")
    return figure


pictures("15_vowels", where_it_looked)

# %% [markdown]
# It goes through the consonants from left to right, more or less, and while it writes a vowel
# (green) it looks at those around.
#
# ## Questions
#
# Work them out first: on paper, or in a cell of your own.

# %%
ask("end_pairs", ...)

# %%
ask("end_both_sides", ...)

# %%
ask("end_loss", ...)

# %% [markdown]
# Next: `16_a_circuit.py`, two heads of which one can say what they do.

# %%
print(pictures)
