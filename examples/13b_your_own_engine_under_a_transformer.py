# %% [markdown]
# # 13b Your own engine, under a transformer
#
# *An engine of one file computes a transformer's gradients, and trains it. About 10 seconds.*
#
# In `04_your_own_engine.py` we wrote an engine in about 80 lines of code. Here it takes minigrad's
# place: the encoder-decoder of `minitransformer/model/` runs on it, and gives the same numbers. The
# model's code calls only NumPy's functions, so it does not know whose tensors it is given.
#
# After it you can
#
# - run a model on the tensors of another engine, and check that all gradients are right;
# - say which functions a transformer needs, and which of them need a rule;
# - write Adam, and train with it;
# - say what a larger engine is for.

# %%
import importlib.util
import os
import random
import time

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.exercises.own_engine import compare, of_engine
from minigrad.course.folders import EXAMPLES
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy
from minigrad.views.plots import BLUE, ORANGE
from minitransformer.training.threads import one_thread

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("13b")

# %% [markdown]
# The engine is that of lesson 04. If you have written it yourself, with the names that it has there,
# name your file, and all that follows runs on yours.

# %%
FILE = os.environ.get("ENGINE", EXAMPLES / "own_engine.py")  # or "my_engine.py", yours
spec = importlib.util.spec_from_file_location("own_engine", FILE)
own_engine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(own_engine)
Tensor, backward = own_engine.Tensor, own_engine.backward

# %% [markdown]
# First two questions from older lessons.

# %%
ask("04/end_index", ...)

# %%
ask("13/first_step", ...)

# %% [markdown]
# ## A model, and a batch
#
# The task: to write a word of four letters backwards. A batch has the ids of sources and targets; 1
# begins a target, and 2 ends it (lesson 12). There are 8 letters, with the ids 3 to 10. As all words
# have the same length, there is no padding, id 0. With it, there are $N = 11$ symbols.

# %%
ask("first_loss", ...)

# %%
LETTERS, WORD = 8, 4


def batch(step, size=16):
    """Words, and the same words backwards between the start symbol and the end symbol."""
    draw = random.Random(step)
    source = np.array([[draw.randrange(3, 3 + LETTERS) for _ in range(WORD)] for _ in range(size)])
    ends = np.ones((size, 1), int)
    return source, np.concatenate([ends, source[:, ::-1], 2 * ends], axis=1)  # (B, S), (B, T + 1)


def new_model():
    mg.manual_seed(0)
    sizes = mt.Sizes(3 + LETTERS, 3 + LETTERS, width=16, heads=2, feed_forward=32)
    return mt.Transformer(sizes).astype(np.float64)


def loss_of(model, source, target):
    logits = model(source, target[:, :-1])  # (B, T, N)
    return cross_entropy(logits, target[:, 1:], ignore_index=0)


source, target = batch(0)
reference = new_model()
expected = loss_of(reference, source, target)
expected.backward()
print("the loss, by minigrad:", expected.item())

# %% [markdown]
# ## Other tensors in the same model
#
# A module keeps its weights as attributes. It refuses an assignment that would replace a Tensor by
# another type, so we write into the dictionary of its attributes, `vars(module)`: a tensor of ours for
# each.


# %%
def on_own_engine(model):
    """Put our tensors in the place of minigrad's; returns where each weight is, by its path."""
    own = {}
    for path, module in model.named_modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, mg.Tensor):
                own[f"{path}.{name}"] = (module, name)
                vars(module)[name] = Tensor(value.data)
    return own


model = new_model()
weights = on_own_engine(model)
print(len(weights), "weights, such as", ", ".join(list(weights)[:2]))

# %% [markdown]
# Which functions does the model call? `call` of our engine sees each that is given a Tensor of ours, and
# can note it.

# %%
ask("not_needed", ...)

# %%
RULES, WRITTEN = own_engine.RULES, own_engine.WRITTEN
asked = set()
original = own_engine.call


def noting(function, args, kwargs):
    asked.add(function)
    return original(function, args, kwargs)


own_engine.call = noting
loss = loss_of(model, source, target)
own_engine.call = original
backward(loss)

names = lambda functions: ", ".join(sorted(f.__name__ for f in functions))
with_rules = {f for f in asked if f in RULES}
written = {f for f in asked if f in WRITTEN}
print(len(with_rules), "with rules:", names(with_rules))
print(len(written), "written in these:", names(written))
print(
    len(asked - with_rules - written),
    "that need no rule here:",
    names(asked - with_rules - written),
)

# %% [markdown]
# That is a whole transformer: embeddings, positions, attention with masks and many heads, layer
# norm, residuals, feed-forward, and the loss.
#
# ## The same gradients
#
# An engine with a mistake would not say so. So ask it first, one function at a time, for what a small
# transformer asks it, from the loss back: the first function that is wrong is where to look. Then the
# small transformer itself runs on it, weight by weight.

# %%
compared = compare(of_engine(Tensor, backward))
print(compared)
assert compared.right, (
    compared.first or "a gradient is wrong, though each function is right by itself"
)

# %% [markdown]
# Its loss, and the gradient of every weight, are minigrad's. Look at one of them first. The embedding
# of the target is a table with a row for each of the 11 ids. In a batch in which every letter occurs,
# some rows get no gradient at all.

# %%
ask("rows_at_rest", ...)

# %%
table = vars(model.target_embedding)["weight"].grad  # (N, D)
at_rest = np.flatnonzero((table == 0).all(axis=1))
print("rows of the target embedding with no gradient:", at_rest)

apart = abs(float(loss.array) - expected.item())
off = {}
for (path, (module, name)), parameter in zip(weights.items(), reference.parameters()):
    own = getattr(module, name)
    assert own.shape == parameter.shape
    off[path] = np.max(abs(own.grad - parameter.grad.numpy()))
worst = max(off, key=off.get)
furthest = off[worst]
print(f"the losses are {apart:.1e} apart, the gradients {furthest:.1e} at most, of {worst}")
assert apart < 1e-6
assert furthest < 1e-6, f"the gradient of {worst} is off by {furthest:.1e}"

with mg.record():
    one_word = loss_of(reference, source[:1], target[:1])
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(one_word, pictures.folder / "13b_loss.html", title="the loss of one word")
print("open in a browser:", page)

# %% [markdown]
# minigrad can show what it did, for the loss of one word. (If you read this in a browser,
# [the steps are here](out/13b_loss.html).)
#
# ## It learns
#
# Adam as in lesson 13, with both running means for every weight. A tensor does not change, so each
# step puts a new one in the place of the old.


# %%
class Adam:
    def __init__(self, rate):
        self.rate, self.steps, self.means = rate, 0, {}

    def step(self, weights):
        self.steps += 1
        for path, (module, name) in weights.items():
            w = getattr(module, name)
            m, v = self.means.get(path, (0, 0))
            m, v = 0.9 * m + 0.1 * w.grad, 0.98 * v + 0.02 * w.grad**2
            self.means[path] = m, v
            m, v = m / (1 - 0.9**self.steps), v / (1 - 0.98**self.steps)
            vars(module)[name] = Tensor(w.array - self.rate * m / (np.sqrt(v) + 1e-9))


STEPS = 300
model, losses = new_model(), []
weights, adam = on_own_engine(model), Adam(5e-3)
with one_thread():
    started = time.perf_counter()
    for step in range(STEPS):
        loss = loss_of(model, *batch(step))
        backward(loss)
        adam.step(weights)
        losses.append(float(loss.array))
    own_seconds = time.perf_counter() - started

source, target = batch(STEPS, 100)  # words that it may not have seen
logits = model(source, target[:, :-1]).array  # (B, T, N)
right = np.mean(np.argmax(logits, axis=-1) == target[:, 1:])
print(
    f"the loss went from {losses[0]:.2f} to {losses[-1]:.3f}; {right:.0%} of the symbols are right"
)
assert right > 0.9

# %% [markdown]
# The same by minigrad, with its Adam, from the same weights:

# %%
model = new_model()
optimizer = mg.optim.Adam(model.parameters(), 5e-3, betas=(0.9, 0.98), eps=1e-9)
theirs = []
with one_thread():
    started = time.perf_counter()
    for step in range(STEPS):
        loss = loss_of(model, *batch(step))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        theirs.append(loss.item())
    seconds = time.perf_counter() - started
print(f"first ten losses: {np.max(np.abs(np.subtract(losses, theirs))[:10]):.1e} apart at most")
print(
    f"a step: {own_seconds / STEPS * 1e3:.1f} ms on our engine, {seconds / STEPS * 1e3:.1f} on minigrad"
)
assert np.allclose(losses[:10], theirs[:10], rtol=1e-6)


# %%
def curves():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.4, 3.4))
    ax.plot(losses, color=BLUE, lw=3, alpha=0.6, label="on the engine of one file")
    ax.plot(theirs, "--", color=ORANGE, lw=1, label="on minigrad")
    ax.set(yscale="log", xlabel="step", ylabel="loss")
    ax.legend(frameon=False)
    return figure


pictures("13b_losses", curves)

# %% [markdown]
# ## What a larger engine is for
#
# Our engine does the same work, and takes about as long, or up to twice as long. What minigrad has
# beyond it is for the time when something goes wrong, and for what comes next. The error for a shape
# that does not fit names the line of code. An array that is changed after its use does not change the
# gradient. Large arrays are let go when no rule needs them any more. Every step can be looked at. And
# gradients of gradients work: lesson 17.
#
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_functions", ...)

# %%
ask("end_copies", ...)

# %% [markdown]
# `python -m minigrad exercises engine my_engine.py` compares an engine of yours with minigrad, as above,
# and names a mistake that it knows; engines of other courses come in by an adapter of 20 lines. This
# lesson has no exercises. `python -m minigrad exercises run` does for half of the other exercises, those
# that are parts of the engine or of the model, what this lesson did for the engine: it trains a
# transformer with what you wrote.
#
# Next: `14_generating.py`, which lets a trained model write.

# %%
print(pictures)
