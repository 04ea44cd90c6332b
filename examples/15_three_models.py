# %% [markdown]
# # 15 One set of parts, three models
#
# *An encoder-decoder, an encoder and a decoder, from the same parts. About 28 seconds.*
#
# The transformer of lesson 12 has an encoder and a decoder. Many later models keep only one of the
# two. This lesson builds all three kinds from the same parts, opens them, and trains each for a task of
# its own, on a text that comes with Python.
#
# After it you can
#
# - say what differs between an encoder-decoder, an encoder-only and a decoder-only model, and what
#   does not;
# - compute each of them step by step, to the last bit;
# - train each in its own way: by translation, by hidden symbols, by next symbols;
# - tell how much a model of language knows, by comparing it with counting.

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
from minigrad.functional import cross_entropy, gelu, relu
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, heat_map
from minitransformer import decoding, masks
from minitransformer.model.encoder_only import hide
from minitransformer.training.threads import one_thread
from minitransformer.views.model_plots import attention_map

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("15")
mg.manual_seed(0)
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("11/end_norm", ...)

# %%
ask("12/end_decoder_layer", ...)

# %% [markdown]
# ## The text
#
# `pydoc_data.topics` is what Python's `help("while")` shows. We keep its words, in small letters, so
# that the alphabet is small. The last tenth is held out. (Other versions of Python have other words in
# it, so your numbers will differ a little.)

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
# They differ first in who may look at whom, and in what is asked of them. With $x_t$ the symbols of a
# text, $x_{1:t}$ the first $t$ of them, and $z$ a source:
#
# | kind | looks at | asked for | learns |
# |---|---|---|---|
# | encoder-decoder (Transformer) | source; target so far | next symbol | $P(x_{t+1} \mid x_{1:t}, z)$ |
# | encoder-only (BERT) | all that is not hidden | hidden symbols | $P(x_t \mid \text{all not hidden})$ |
# | decoder-only (GPT) | text so far | next symbol | $P(x_{t+1} \mid x_{1:t})$ |
#
# Here they are: a *translator*, a *guesser* and a *writer*.

# %%
translator = mt.Transformer(mt.Sizes(N, N, width=48, feed_forward=96))
HIDDEN = N  # one more id, which stands for a hidden symbol
guesser = mt.EncoderOnly(mt.EncoderSizes(N + 1, width=48, feed_forward=96, longest=12))
writer = mt.DecoderOnly(mt.DecoderSizes(N, width=64, feed_forward=128, longest=32))

# %% [markdown]
# All are made of attention, feed-forward layers, residuals and norms. But the papers that introduced
# them (the Transformer: Vaswani et al., 2017; BERT: Devlin et al., 2019; GPT-2: Radford et al., 2019)
# put these together in different ways, and so do the models here:
#
# | | encoder-decoder | encoder-only | decoder-only |
# |---|---|---|---|
# | its layers | encoder's and decoder's | encoder's | encoder's, with a causal mask |
# | norm | after each addition (*post*) | after each addition (*post*) | before each part (*pre*) |
# | final norm | none | after one more linear map | after the last layer |
# | activation | relu | GELU | GELU |
# | positions | sines and cosines | learned | learned |
#
# The lower four rows are choices of these papers. Each could be made otherwise, in any of the three:
# `mt.Sizes(..., norm="pre", activation="gelu")`. Only the first row, with the masks, makes the kind.

# %%
for model, layer in (
    (translator, translator.encoder.layers[0]),
    (guesser, guesser.encoder.layers[0]),
    (writer, writer.stack.layers[0]),
):
    made = model.sizes
    kinds = type(model).__name__, type(layer).__name__
    print("{:12} {:20}".format(*kinds), made.norm, made.activation, made.positions)
stacks = translator.encoder, guesser.encoder, writer.stack
assert {type(layer) for stack in stacks for layer in stack.layers} == {mt.EncoderLayer}
assert writer.stack.layers[0].residual1.pre  # before each part,
assert not guesser.encoder.layers[0].residual1.pre  # and after each addition
assert translator.encoder.norm is translator.decoder.norm is guesser.encoder.norm is None
assert isinstance(writer.stack.norm, mt.LayerNorm)
assert isinstance(guesser.norm, mt.LayerNorm)

# %% [markdown]
# ## GELU
#
# The *Gaussian error linear unit* is a relu without the corner. Relu multiplies $x$ by 0 or by 1,
# according to its sign. GELU multiplies it by a number between them, which grows with $x$: the
# probability $\Phi(x)$ that a *normal* random number is below $x$: one drawn from the bell curve with
# the mean 0 and the variance 1.
#
# $$\mathrm{gelu}(x) = x \, \Phi(x)$$
#
# 84.1 % of normal numbers are below 1, and as many are above $-1$.

# %%
ask("gelu", ...)

# %%
normal = np.random.default_rng(0).normal(size=100_000)
xs = np.linspace(-3.5, 3.5, 141)
for x in (-1.0, 1.0):
    print(f"gelu({x:g}) = {gelu(x).item():.3f}; by counting: {x * np.mean(normal < x):.3f}")
counted_below = np.array([x * np.mean(normal < x) for x in xs])
assert np.allclose(gelu(xs), counted_below, atol=0.02)


# %%
def with_and_without_a_corner():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(5, 2.6))
    ax.plot(xs, relu(xs), color=ORANGE, label="relu")
    ax.plot(xs, gelu(xs), color=BLUE, label="gelu")
    ax.legend()
    return figure


pictures("15_gelu", with_and_without_a_corner)

# %% [markdown]
# ## Opened
#
# As in lesson 12, we compute the two new models step by step. First one layer, in both orders:


# %%
def feed_forward(layer, x):
    """Of one layer with GELU: (B, T, D) to (B, T, F), and back."""
    return layer.feed_forward.narrow(gelu(layer.feed_forward.widen(x)))


def post_norm(layer, x, mask):
    heard, _ = layer.self_attention(x, x, mask)  # (B, T, D), and weights (B, H, T, T)
    x = layer.residual1.norm(x + heard)
    return layer.residual2.norm(x + feed_forward(layer, x))


def pre_norm(layer, x, mask):
    y = layer.residual1.norm(x)
    heard, _ = layer.self_attention(y, y, mask)
    x = x + heard
    return x + feed_forward(layer, layer.residual2.norm(x))


# %% [markdown]
# The **encoder-only** model is the encoder of lesson 12, then a linear map, GELU and a norm, then the
# scores. Every symbol may look at every other: its mask hides only padding.

# %%
ids = np.array([letters.encode("statement")])  # (1, T)
x = guesser.embedding(ids) * math.sqrt(48)  # (1, T, D)
x = x + guesser.positions.table(np.arange(9))  # a learned row for each position
for layer in guesser.encoder.layers:
    x = post_norm(layer, x, masks.padding(ids))  # (1, T, D)
x = guesser.norm(gelu(guesser.final(x)))  # (1, T, D)
assert np.array_equal(guesser.unembedding(x).data, guesser(ids).data)  # (1, T, N + 1)

# %% [markdown]
# The **decoder-only** model has no source, so its layers have no second attention. What is left of a
# decoder's layer is an encoder's layer with a causal mask.

# %%
ids = np.array([letters.encode("while statement")])  # (1, T)
x = writer.embedding(ids) * math.sqrt(64)  # (1, T, D)
x = x + writer.positions.table(np.arange(15))
for layer in writer.stack.layers:
    x = pre_norm(layer, x, masks.causal(15))  # (1, T, D)
x = writer.stack.norm(x)  # nothing has normalised the sums so far
assert np.array_equal(writer.unembedding(x).data, writer(ids).data)  # (1, T, N), to the last bit

with mg.record():
    logits = writer(ids)
pictures("15_decoder_only", mg.graph(logits).draw(depth=3))

# %% [markdown]
# ## Who looks at whom
#
# As in lesson 12, put another letter into each position in turn, and note which outputs change at all.
# The texts have five letters each; the translator reads `while` as its source and `<bos> w h i l` as
# its target, ten in all.

# %%
ask("depends", ...)


# %%
def depends(outputs, ids):
    """Tell which outputs (rows) change with which letter of ids (1, T) (columns)."""
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
    source, read = list("while"), ["<bos>", *"whil"]
    for ax, (name, seen) in zip(axes, hears.items()):
        both = name == "encoder-decoder"
        heat_map(
            seen, rows=read if both else source, columns=source + read if both else source,
            sides=("output at", "source | target" if both else "text"), title=name, ax=ax,
        )  # fmt: skip
    axes[2].axvline(4.5, color=ORANGE, lw=2.5)
    return figure


pictures("15_who_sees_what", who_sees_what)

# %% [markdown]
# ## Trained by one loop
#
# M. Phuong and M. Hutter, "Formal Algorithms for Transformers" (2022), write down all three models in
# one notation, as numbered algorithms. To compare with it:
#
# | | the model | its training, below | to write with it |
# |---|---|---|---|
# | encoder-decoder | 8: `Transformer` | 11: `next_of_target` | 15: `decoding.sample` |
# | encoder-only | 9: `EncoderOnly` | 12: `hidden_letters` | |
# | decoder-only | 10: `DecoderOnly` | 13: `next_letters` | 14: `decoding.sample` |
#
# One loop trains all three (lesson 13 explains its lines):


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
# Take pieces of the text; at every position, the next letter is asked for:
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
    """The beginning, and what the model writes after it: 31 letters, of 32 positions."""
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
# At a temperature of 0.5 most of what it writes are words, at 1 about half; they make no sense.
#
# ### Better than counting?
#
# How good is that? Compare it with counting. A guess that uses the share $P(a)$ of each letter $a$ in
# the text, and nothing else, has the loss $-\sum_a P(a) \log P(a)$: $a$ costs $-\log P(a)$ each time,
# and the share $P(a)$ of all letters are $a$. A guess that also knows the letter before, or the two
# before, counts pairs and triples. And a guess that knows nothing gives each of the 27 letters (with the
# space) the same probability.

# %%
ask("even_guess", ...)


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
x = pieces(held_out_ids, 256)
with mg.no_grad():
    on_held_out = cross_entropy(writer(x[:, :-1]), x[:, 1:]).item()
print(f"even guess {math.log(27):.2f}; by 0, 1, 2 letters before", np.round(by_counting, 2))
print(f"the model: {np.mean(curve[-50:]):.2f}, on the held-out text {on_held_out:.2f}")
assert math.log(27) > by_counting[0] > by_counting[1] > by_counting[2]
assert np.mean(curve[-50:]) < 0.9 * by_counting[1]
assert np.mean(curve[-50:]) < by_counting[2]
assert on_held_out < by_counting[1]


# %%
def learning_to_write():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 3.8))
    ax.plot(np.convolve(curve, np.full(15, 1 / 15), "valid"), color=BLUE, label="the model")
    known = ["how often each letter occurs", "and the letter before", "and the two letters before"]
    for name, loss in zip(known, by_counting):
        ax.axhline(loss, color=ORANGE, lw=1, ls="--")
        ax.text(600, loss + 0.02, f"{name}: {loss:.2f}", color=ORANGE, ha="right", size=9)
    ax.set(xlabel="step", ylabel="loss of a letter, mean of 15 steps")
    ax.legend()
    return figure


pictures("15_going_on", learning_to_write)

# %% [markdown]
# The model's curve passes one line after the other. First it learns which letters are frequent, then
# which follows which. In the end its loss is lower than that of counting with two letters before: it
# uses more of what came before.
#
# ## Encoder-only: fill in
#
# Hide some letters of a word, each with the probability 0.2: one extra symbol, `HIDDEN`, replaces
# them. Ask for these letters, and for nothing else. Such a model is a *masked language model*. With
# $M$ the hidden positions, $|M|$ of them, the loss is
#
# $$L = -\frac{1}{|M|} \sum_{t \in M} \log P(x_t \mid x_{\text{not in } M}).$$


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

learned = train(guesser, hidden_letters, steps=600, peak=8e-3)
print(f"loss: {learned[0]:.2f} at first, {np.mean(learned[-50:]):.2f} in the end")

# %% [markdown]
# ### How many does it find?
#
# The most frequent letter, always said, would be right for about 14 % of the hidden letters.

# %%
ask("filled_in", ...)

# %%
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
    """The probabilities of the symbols at the position of the `?`: (N + 1,)."""
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
        best = np.argsort(-belief(riddle))[:5]
        ax.bar(range(5), belief(riddle)[best], color=[BLUE, *[GREY] * 4])
        ax.set_xticks(range(5), letters.tokens(best), fontsize=12)
        ax.set(title=riddle, ylim=(0, 1))
    axes[0].set_ylabel("probability")
    return figure


pictures("15_filling_in", filled_in)

# %% [markdown]
# It uses both sides: what comes before the blank, and what comes after. A decoder-only model cannot:
# where it is asked for the second letter of `m?thod`, it has read only the `m`. An encoder-only model,
# on the other hand, is not made to write a text: it fills blanks, and is told where
# they are and how many.
#
# ## Encoder-decoder: translate
#
# Now a source and a target. Hebrew and Arabic leave out most vowels in writing; here is a reader for
# English that is written so. The source is the word without *a, e, i, o, u*, the target is the word.


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
# ### The best that is possible
#
# Some words have the same consonants. Suppose that a reader knows each word of the text and how often it
# occurs, and always says the most frequent word with the consonants that it sees.

# %%
ask("restored", ...)

# %%
with_these = {}
for word in words:
    with_these.setdefault(without_vowels(word), Counter())[word] += 1
most = sum(counts.most_common(1)[0][1] for counts in with_these.values()) / len(words)
print(f"at most {most:.0%} of words; how often fr stands for what:", dict(with_these["fr"]))
assert share < most + 0.05


# %% [markdown]
# ## Where the decoder looks (optional)
#
# As in lesson 14, we draw the attention to the source, for the longest word that it restored. A row is
# a letter that it writes, vowels in green. Each number is the largest of all heads, not their mean. A
# *correlation* says how far two rows of numbers rise together: it is 1 if they lie on a rising straight
# line, and 0 if a line says nothing of one from the other. (`np.corrcoef(a, b)[0, 1]` computes it.)

# %%
restorable = [w for w, a in zip(exam, restored(exam)) if w == a]


def looks(word):
    """The largest weight that a head gives a letter, at each step: (T, S)."""
    source = letters.batch([without_vowels(word)])
    wrote = decoding.greedy(translator, source, 12)
    (weights,) = decoding.cross_attention(translator, source, wrote)  # (1, H, T, S)
    return weights[0].max(axis=0)


def goes_right(word):
    """The correlation of the number of the step with the consonant that is looked at most."""
    places = looks(word)[: len(word)].argmax(axis=1)
    return np.corrcoef(np.arange(len(word)), places)[0, 1] if np.ptp(places) else 0.0


right = [goes_right(w) for w in restorable if len(without_vowels(w)) >= 4]
print(f"of {len(right)} words, mean correlation of step and consonant: {np.mean(right):.2f}")
assert np.mean(right) > 0.5
word = max(restorable, key=len)


# %%
def where_it_looked():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(4.6, 4.6))
    rows, columns = [*word, "<eos>"], list(without_vowels(word))
    attention_map(looks(word), queries=rows, keys=columns, sides=("written", "read"), ax=ax)
    for label in ax.get_yticklabels():
        label.set_color(GREEN if label.get_text() in "aeiou" else "black")
    return figure


pictures("15_vowels", where_it_looked)

# %% [markdown]
# While it writes a word, it moves through the consonants from left to right.
#
# ## Step through it
#
# `mg.explore` writes one reading of the trained decoder-only model as a page: it has read `clas`, and
# the number at the end is its loss for `s`. (If you read this in a browser,
# [the steps are here](out/15_steps.html).)

# %%
with mg.record():
    logits = writer(np.array([letters.encode("clas")]))
    loss = cross_entropy(logits[:, -1], np.array(letters.encode("s")))
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(loss, pictures.folder / "15_steps.html", title="c l a s: what comes next?")
print("open in a browser:", page)
print(f"the loss of s: {loss.item():.3f}")
assert loss.item() < by_counting[0]

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_pairs", ...)

# %%
ask("end_both_sides", ...)

# %%
ask("end_loss", ...)

# %% [markdown]
# To write yourself: `hide`, `last_logits` and `cross_entropy_rule`
# (`python -m minigrad exercises check 15`).
#
# Next: `16_a_circuit.py`, two heads of which one can say what they do.

# %%
print(pictures)
