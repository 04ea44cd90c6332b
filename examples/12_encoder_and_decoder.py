# %% [markdown]
# # 12 Encoder and decoder
#
# *The whole model, its masks, and how many parameters it has. About 4 seconds.*
#
# All parts are there: embeddings, positions, attention, feed-forward, norms, residuals. This
# lesson puts them together into the model of "Attention Is All You Need", and then checks that it
# looks only where it may.
#
# After it you can
#
# - follow a sentence through the whole model, and say the shape of everything on the way;
# - read a mask, and say what the causal and the padding mask are for;
# - test that no output depends on a word that it must not see, to the last bit;
# - compute how many parameters such a model has.

# %%
import math

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.views.plots import BLUE, GREEN, heat_map
from minitransformer import masks

pictures = Pictures()  # or Pictures("another/folder")
mg.manual_seed(0)
ask = Questions("12")

# %% [markdown]
# First two questions from older lessons.

# %%
ask("08/end_shape", ...)

# %%
ask("11b/end_feed_forward", ...)

# %% [markdown]
# ## What goes in, what comes out
#
# The model reads a *source*, here English, and writes a *target*, here German. A *vocabulary* gives
# each word a whole number, its *id*. (What has an id, a word here and a letter later, is called a
# *symbol* in this course. The usual name is *token*.) Three ids are special: 0 is padding (`<pad>`),
# which fills up the shorter sentences of a batch; 1 stands for the beginning of a target (`<bos>`), 2
# for its end (`<eos>`).

# %%
english = ["time flies like an arrow", "time flies"]
german = ["die Zeit fliegt wie ein Pfeil", "die Zeit fliegt"]
source_words = mt.Vocabulary.of_words(english)
target_words = mt.Vocabulary.of_words(german)

source = source_words.batch(english)  # (B, S) = (2, 5)
target = target_words.batch(german, start=True)  # (B, T) = (2, 7); <eos> is never read (lesson 13)
print("source", source, "target", target, sep="\n")
assert source.shape == (2, 5)
assert target.shape == (2, 7)
assert target_words.tokens(target[1]) == [
    "<bos>", "die", "Zeit", "fliegt", "<pad>", "<pad>", "<pad>",
]  # fmt: skip

# %% [markdown]
# For every position of the target, the model says how likely each word is to come next, given all of
# the source and the target up to there:
#
# $$P(x_{t+1} \mid x_1, \dots, x_t,\ z_1, \dots, z_S),$$
#
# with the source $z$ of $S$ words and the target $x$, where $x_1$ is `<bos>`. ($P(a \mid b)$ is the
# probability of $a$ where $b$ is known: [mathematics](MATHEMATICS.md).) It does not give
# probabilities but scores, one for each of the $N$ words of the target's vocabulary, called *logits*;
# a softmax turns them into probabilities. A small model is enough here: width $D = 16$, $H = 2$
# heads, feed-forward width $F = 32$, two layers on each side. The German sentences have six different
# words.

# %%
ask("logits", ...)

# %%
D, H, F, L = 16, 2, 32, 2
sizes = mt.Sizes(
    source_symbols=len(source_words), target_symbols=len(target_words),
    encoder_layers=L, decoder_layers=L, width=D, heads=H, feed_forward=F,
)  # fmt: skip
model = mt.Transformer(sizes)

logits = model(source, target)  # (B, T, N)
print("logits:", logits.shape)
assert logits.shape == (2, 7, len(target_words))

# %% [markdown]
# ## All of it, step by step
#
# The same once more, with nothing hidden but the parts that earlier lessons opened. The *encoder*
# reads the source and turns it into the *memory*: a vector for each word, which depends on the words
# around it, too.
#
# $$x \leftarrow \mathrm{norm}(x + \mathrm{attention}(x, x)), \qquad
#   x \leftarrow \mathrm{norm}(x + \mathrm{ff}(x)).$$
#
# The *decoder* does the same with the target, and between the two steps it looks at the memory $m$:
# queries from the target, keys and values from the source. That is *cross-attention*:
#
# $$x \leftarrow \mathrm{norm}(x + \mathrm{attention}(x, x)),$$
#
# $$x \leftarrow \mathrm{norm}(x + \mathrm{attention}(x, m)),$$
#
# $$x \leftarrow \mathrm{norm}(x + \mathrm{ff}(x)).$$

# %%
ask("memory", ...)

# %%
may_be_read = masks.padding(source)  # (B, 1, 1, S), explained below
may_look_back = masks.causal(7) & masks.padding(target)  # (B, 1, T, T)

x = model.source_embedding(source) * math.sqrt(D)  # (B, S, D): a row of a table for each word
x = x + mt.sinusoidal(5, D)  # (B, S, D): lesson 10
for layer in model.encoder.layers:
    heard, _ = layer.self_attention(x, x, may_be_read)  # (B, S, D), and weights (B, H, S, S)
    x = layer.residual1.norm(x + heard)
    x = layer.residual2.norm(x + layer.feed_forward(x))
memory = x  # (B, S, D)

x = model.target_embedding(target) * math.sqrt(D)  # (B, T, D)
x = x + mt.sinusoidal(7, D)
for layer in model.decoder.layers:
    heard, _ = layer.self_attention(x, x, may_look_back)  # (B, T, D), and weights (B, H, T, T)
    x = layer.residual1.norm(x + heard)
    heard, weights = layer.cross_attention(x, memory, may_be_read)  # (B, T, D), (B, H, T, S)
    x = layer.residual2.norm(x + heard)
    x = layer.residual3.norm(x + layer.feed_forward(x))
by_hand = model.unembedding(x)  # (B, T, N)

assert memory.shape == (2, 5, D)
assert weights.shape == (2, H, 7, 5)
assert np.array_equal(by_hand.data, logits.data)  # to the last bit

# %% [markdown]
# Two details. The numbers of the embedding are drawn with the variance $1/D$, so that a row has a
# length of about 1. The sines and cosines that are added have a size of about 0.7 each. The factor
# $\sqrt D$ brings the embedding to the variance 1, so that neither of the two hides the other. And
# the last map is $x\, W_{\mathrm{voc}} + b$ with $W_{\mathrm{voc}}$ of shape $(D, N)$. (An article
# prints $W_{\mathrm{voc}}\, x$ with the same shape, which does not fit: see `19_misprints.py`.)

# %%
assert np.isclose((model.source_embedding(source).data * math.sqrt(D)).var(), 1, atol=0.4)
assert model.unembedding.weight.shape == (D, len(target_words))

# %% [markdown]
# ## Drawn at three depths
#
# Inside `mg.record()`, the engine keeps what a drawing shows. First from afar. A box with a purple
# border is a module that is not opened. What is grey is not learned: the ids, the positions, and the
# masks.

# %%
with mg.record():
    recorded = model(source, target)
pictures("12_from_afar", mg.graph(recorded).draw(depth=1, direction="right"))

# %% [markdown]
# Closer, with the layers opened. As all encoder layers are alike, and all decoder layers, each is
# drawn once: the $\times\, 2$ says how often it comes. Note the residuals, the arrows around each
# attention and feed-forward, and that the memory goes into every decoder layer. A result that has no
# name in the code has a number with a `#`, counted in the order in which results were made.

# %%
pictures("12_layers", mg.graph(recorded).draw(depth=3))

# %% [markdown]
# And one attention of the decoder to the source, down to its operations: three linear maps, cut
# into heads, scores, mask, softmax, weighted sum, and the heads joined again.

# %%
inside = mg.graph(recorded).inside("decoder.layers.0.cross_attention")
assert len(inside) < len(mg.graph(recorded)) / 5
pictures("12_attention", inside.draw(depth=2, gradients=False))

# %% [markdown]
# To walk through all of it, forwards and back, take one number: the score of `<eos>` after the last
# word of the first pair. (If you read this in a browser, [the steps are here](out/12_model.html).)

# %%
eos = 2
with mg.record():
    one_score = model(source[:1], target[:1])[0, -1, eos]
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(one_score, pictures.folder / "12_model.html", title="encoder and decoder")
print("open in a browser:", page)

# %% [markdown]
# ## Masks
#
# A *mask* says which query may look at which key: a table of booleans, rows are queries, columns
# are keys, true (`■`) where it may. Where it may not, the score is replaced by $-\infty$ before the
# softmax. As $e^{-\infty} = 0$, the weight there is exactly 0.
#
# The **causal** mask is for the decoder: in training all of the target is there at once, and position
# $t$ is to predict $x_{t+1}$, which it must not see.
#
# The **padding** mask hides what only fills up. It hides columns: nobody may look *at* padding.
# The rows of padded queries stay; what they compute is left out of the loss. Its shape is
# $(B, 1, 1, S)$ for the source and $(B, 1, 1, T)$ for the target: the first 1 stands for all heads, the
# second for all queries (broadcasting, lesson 02). Together with the causal mask, $(T, T)$, that of the
# target becomes $(B, 1, T, T)$.
#
# Each of the three kinds of attention has its masks:
#
# | attention | rows: queries | columns: keys | masks |
# |---|---|---|---|
# | of the encoder, to itself | source | source | padding of the source |
# | of the decoder, to itself | target | target | causal, and padding of the target |
# | of the decoder, to the memory | target | source | padding of the source |
#
# The second target is `<bos> die Zeit fliegt <pad> <pad> <pad>`. Both masks together are a table of
# $7 \times 7$.

# %%
ask("both_masks", ...)

# %%
words = target_words.tokens(target[1])
print(masks.show(masks.causal(7), words, words))

print(masks.show(masks.padding(target)[1], ["all"], words))
print()
print(masks.show(may_look_back[1], words, words))
assert may_look_back.shape == (2, 1, 7, 7)
assert np.array_equal(may_look_back[1, 0], masks.causal(7) & (target[1] != 0))


# %%
def three_masks():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6))
    both = {
        "causal": masks.causal(7),
        "padding": np.broadcast_to(target[1] != 0, (7, 7)),
        "both: causal & padding": may_look_back[1, 0],
    }
    for ax, (title, mask) in zip(axes, both.items()):
        sides = "query", "key"
        heat_map(mask, rows=words, columns=list(words), sides=sides, title=title, ax=ax)
        ax.set_xticks(np.arange(-0.5, 7), minor=True)
        ax.set_yticks(np.arange(-0.5, 7), minor=True)
        ax.grid(which="minor", color="#94a3b8", lw=0.6)
        ax.tick_params(which="minor", length=0)
    return figure


pictures("12_masks", three_masks)

# %% [markdown]
# ## Does it hold?
#
# A mask that is transposed, or forgotten in one of the attentions, raises no error, and a model that
# can see the answer has a very low loss. So we test it. Put another word into a position that must not
# be seen: the outputs must stay the same, and not nearly the same but *to the last bit*, because a
# weight of exactly 0 is multiplied with whatever is there. In the first target, let us reverse the
# last three words, positions 4, 5 and 6 (counted from 0).

# %%
ask("which_change", ...)

# %%
changed = target.copy()
changed[0, 4:] = changed[0, 4:][::-1]  # another future, from position 4 on
after = model(source, changed)
assert np.array_equal(after.data[0, :4], logits.data[0, :4])  # no output before has changed
assert not np.array_equal(after.data[0, 4:], logits.data[0, 4:])  # those after have

in_padding = source.copy()
in_padding[1, 2:] = source[0, 2:]  # words, where the second sentence has padding,
memory = model.encode(in_padding, may_be_read)  # the encoder alone: vectors, and the mask as it was
after = model.next_scores(target, memory)  # the decoder alone, which uses both: (B, T, N)
assert np.array_equal(after.data[1], logits.data[1])

# %% [markdown]
# Let us do so for every word of the second pair, one after the other, and note which outputs change
# at all. Rows are its outputs; columns are its words, first those of the source with its padding,
# then those of the target.


# %%
def outputs_of(source_ids, target_ids):
    """The logits of the second pair, with the source's mask as it was: (4, N)."""
    memory = model.encode(source_ids, may_be_read)
    return model.next_scores(target_ids, memory).data[1, :4]


def with_another_word(ids, position, N):
    other = ids.copy()
    other[1, position] = 3 + (ids[1, position] - 2) % (N - 3)  # the next id that is not special
    return other


before = outputs_of(source, target)
pairs = [(with_another_word(source, i, len(source_words)), target) for i in range(5)]
pairs += [(source, with_another_word(target, i, len(target_words))) for i in range(4)]
depends = np.stack([(outputs_of(*pair) != before).any(axis=1) for pair in pairs], axis=1)

assert depends[:, :2].all()  # every output depends on both words of the source,
assert not depends[:, 2:5].any()  # and none on its padding;
assert np.array_equal(depends[:, 5:], masks.causal(4))  # of the target, on what came before


# %%
def dependence():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7.4, 3.6))
    columns = [*source_words.tokens(source[1]), *words[:4]]
    heat_map(depends, rows=[f"after {word}" for word in words[:4]], columns=columns, ax=ax)
    ax.set_xticks(np.arange(-0.5, 9), minor=True)
    ax.set_yticks(np.arange(-0.5, 4), minor=True)
    ax.grid(which="minor", color="#94a3b8", lw=0.6)
    ax.tick_params(which="minor", length=0)
    ax.axvline(4.5, color="#b3370f", lw=2.5)
    ax.text(2, -0.65, "source", ha="center", color="#b3370f")
    ax.text(6.5, -0.65, "target", ha="center", color="#b3370f")
    return figure


pictures("12_dependence", dependence)

# %% [markdown]
# Two columns of the source, and a triangle: just what the masks say. A white square stands for no
# change at all, not for a small one.
#
# One mask is not tested by this: the padding mask of the target. All padding comes after the words,
# where the causal mask hides it already. So the padding mask changes only the rows of the padding
# itself, which the loss leaves out. To test it, put padding *before* the words. Then give the padding
# symbol another vector, and look at the words:

# %%
padded_in_front = np.array([[0, 0, 1, 3, 4]])  # two times padding, the start, and two words
memory_of_one = model.encode(source[:1])  # vectors (1, S, D)


def scores_of_words():
    scores = model.next_scores(padded_in_front, memory_of_one)  # (1, T, N)
    return scores[0, 2:].detach().numpy()


with_one_vector = scores_of_words()
embedding = model.target_embedding.weight
learned = embedding.detach().numpy()
embedding.copy_(np.concatenate([learned[:1] + 1, learned[1:]]))
assert np.array_equal(scores_of_words(), with_one_vector)  # to the last bit
_ = embedding.copy_(learned)

# %% [markdown]
# ## How many parameters has it?
#
# How many numbers does the model learn? With all biases and gains, for the width $D$, the feed-forward
# width $F$, and vocabularies of $N_\text{source}$ and $N_\text{target}$ words:
#
# | part | its parameters |
# |---|---|
# | attention (queries, keys, values, output) | $4 (D^2 + D)$ |
# | feed-forward | $2 D F + F + D$ |
# | layer norm | $2 D$ |
# | encoder layer | attention + feed-forward + 2 norms |
# | decoder layer | 2 attentions + feed-forward + 3 norms |
# | embeddings | $N_\text{source} D + N_\text{target} D$ |
# | unembedding | $D N_\text{target} + N_\text{target}$ |
#
# The number of heads does not occur, as more heads are narrower heads. Nor do the positions: sines
# and cosines are not learned.


# %%
def formula(D, F, layers, N_source, N_target):
    attention, ff, norm = 4 * (D * D + D), 2 * D * F + F + D, 2 * D
    return {
        "source_embedding": N_source * D,
        "target_embedding": N_target * D,
        "encoder": layers * (attention + ff + 2 * norm),
        "decoder": layers * (2 * attention + ff + 3 * norm),
        "unembedding": D * N_target + N_target,
    }


counted = {
    name: sum(p.size for p in part.parameters())
    for name, part in model.named_children()
    if part.parameters()
}
expected = formula(D, F, L, len(source_words), len(target_words))
for name, number in counted.items():
    print(f"{name:>16}: {number:6,} counted, {expected[name]:6,} by the formula")
assert counted == expected
assert sum(counted.values()) == sum(p.size for p in model.parameters())

# %% [markdown]
# For the base model of the paper, $D = 512$, $F = 2048$, six layers on each side, one table of
# about 37,000 symbols that serves as both embeddings and as the unembedding, the formula gives 63
# million. (The paper's table 3 says 65 million; the exact size of its vocabulary is not given.) A table
# with several uses gets the sum of their gradients: what its picked rows get, added at their places
# (lesson 02), and what the product with it gives. Where are the parameters?

# %%
ask("where", ...)

# %%
base = formula(512, 2048, 6, 37_000, 37_000)
attention, ff = 4 * (512 * 512 + 512), 2 * 512 * 2048 + 2048 + 512
base_parts = {
    "the one embedding": base["source_embedding"],
    "encoder: attention": 6 * attention,
    "encoder: feed-forward": 6 * ff,
    "decoder: attention to itself": 6 * attention,
    "decoder: attention to the source": 6 * attention,
    "decoder: feed-forward": 6 * ff,
    "all norms": 6 * 5 * 1024,
}
total = sum(base_parts.values())
print(f"the base model: {total:,} numbers")
assert total == base["source_embedding"] + base["encoder"] + base["decoder"]
assert round(total / 1e6) == 63


# %%
def where_they_are():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 3.2))
    colours = ["#d9700f", BLUE, GREEN, BLUE, BLUE, GREEN, "#7a7f87"]
    for row, number in enumerate(base_parts.values()):
        ax.barh(-row, number / 1e6, color=colours[row])
        ax.text(number / 1e6 + 0.2, -row, f"{number / 1e6:.1f}", va="center")
    ax.set_yticks([-row for row in range(len(base_parts))], list(base_parts))
    ax.set(xlabel="millions of numbers, in the base model of the paper")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return figure


pictures("12_parameters", where_they_are)

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_causal", ...)

# %%
ask("end_decoder_layer", ...)

# %%
ask("end_cross", ...)

# %% [markdown]
# The exercises of this lesson are `causal_mask`, `padding_mask` and `decoder_mask`:
# `python -m minigrad exercises check 12` marks yours.
#
# That was the second promise of lesson 00: a whole model, computed by hand. Next: `13_training.py`.
# So far the model knows no German.

# %%
print(pictures)
