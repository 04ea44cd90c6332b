# %% [markdown]
# # 21 Your PyTorch model under the glass
#
# *A model of PyTorch's, its graph, its way back, a NaN found. About 5 seconds.*
#
# PyTorch computes what minigrad computes, much faster for large models, but it shows little of it. This
# lesson puts a small PyTorch model under the glass: whatever PyTorch computes in a `with` block is
# computed here as well, compared, and can be looked at like all graphs of this course.
#
# After it you can
#
# - see the graph of a PyTorch model, with your own line beside each operation;
# - walk back through it, and compare each gradient with PyTorch's;
# - read model and gradient as a program in NumPy;
# - find the line that a NaN comes from, also where the loss is finite;
# - let a few steps of training be looked at for other mistakes;
# - say what such a glass cannot see.
#
# You need PyTorch: `pip install -e ".[torch]"`. Without it the lesson still runs: minigrad's own layers
# take PyTorch's place, since they have the same names, and what compares the two is left out.

# %%
import numpy as np

import minigrad as mg
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, PURPLE

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch, nn, F = None, mg.nn, mg.functional
    print('PyTorch is missing (pip install -e ".[torch]"): minigrad takes its place here.')

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("21")
# The functions that differ in name alone, of PyTorch or in its place.
tensor, tanh, sqrt, manual_seed = (
    (torch.tensor, torch.tanh, torch.sqrt, torch.manual_seed)
    if torch
    else (np.array, np.tanh, np.sqrt, mg.manual_seed)
)


def under_the_glass():
    """A block in which all that is computed is seen."""
    return mg.pytorch() if torch else mg.record()


# %% [markdown]
# First two questions from older lessons.

# %%
ask("13/gradient", ...)

# %%
ask("18/floats", ...)

# %% [markdown]
# ## The model
#
# It reads three letters of a name, and predicts the fourth. `ids` are the three letters as numbers, and
# a dot stands before the beginning and at the end. Each letter has a vector of $D$ numbers; the three,
# one after the other, go through a layer with tanh, which gives $H$ hidden numbers (no heads here), and
# then to a score for each of $N = 27$ symbols:
#
# $$h = \tanh(x\, W_1^{\mathsf T} + b_1), \qquad \mathrm{logits} = h\, W_2^{\mathsf T} + b_2.$$
#
# In PyTorch, `Linear` holds its matrix as (outputs, inputs). So it is transposed here.

# %%
NAMES = ["anna", "ella", "emma", "hannah", "leah", "lena", "mia", "nina", "noah", "otto"]
SYMBOLS = ".abcdefghijklmnopqrstuvwxyz"


def examples(names):
    """Three symbols (B, 3), and the one that follows (B,)."""
    ids, follows = [], []
    for name in names:
        padded = [SYMBOLS.index(c) for c in f"...{name}."]
        for k in range(len(name) + 1):
            ids.append(padded[k : k + 3])
            follows.append(padded[k + 3])
    return tensor(ids), tensor(follows)


class NextLetter(nn.Module):
    def __init__(self, N=27, D=6, H=16):
        super().__init__()
        self.letters = nn.Embedding(N, D)
        self.hidden = nn.Linear(3 * D, H)
        self.out = nn.Linear(H, N)

    def forward(self, ids):
        x = self.letters(ids).reshape(len(ids), -1)  # (B, 3 D)
        h = tanh(self.hidden(x))  # (B, H)
        return self.out(h)  # (B, N)


manual_seed(0)
model = NextLetter()
ids, follows = examples(NAMES)
print(len(ids), "examples, such as", ids[3].tolist(), "->", follows[3].item())

# %% [markdown]
# ## Under the glass
#
# Nothing in the model is changed. In a `with mg.pytorch()` block, PyTorch tells of each operation that
# it runs. Each is run here once more, by minigrad, and the two results are compared at once.
# `backward()` is called on PyTorch's own loss; the glass walks back as well, by the rules of lesson 02.
# In a program of yours, these lines are enough:
#
#     with mg.pytorch() as watched:
#         loss = loss_of(model(x))
#     loss.backward()
#     print(mg.graph(watched))

# %%
with under_the_glass() as watched:
    loss = F.cross_entropy(model(ids), follows)
loss.backward(retain_graph=True)  # so that steps can walk it again
glass = watched.loss if torch else loss  # our Tensor of the same loss
graph = mg.graph(glass)
print(graph)
assert np.isclose(glass.item(), loss.item())

pictures("21_graph", graph)

# %% [markdown]
# Each row is an operation, and at its right is your own line. `#7` is the number of a row. What PyTorch
# calls `F.cross_entropy` is one line of yours and a dozen operations: log-softmax, as lesson 13 has it,
# the choice of the right symbol, and a mean.
#
# ## The same gradient?
#
# PyTorch adds and multiplies in its own order, in float32, and so do we. How near are the two gradients?

# %%
ask("how_near", ...)

# %%
largest = {}
for name, parameter in model.named_parameters():
    ours = (watched.of(parameter) if torch else parameter).grad
    theirs = np.array(parameter.grad.tolist())
    largest[name] = np.abs(np.array(ours.tolist()) - theirs).max()
    size = np.abs(theirs).max()
    print(f"{name:>14}: largest gradient {size:.3f}, largest difference {largest[name]:.1e}")
if torch:
    print(watched.compare())
assert max(largest.values()) < 1e-6


# %%
def differences():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4))
    colours = BLUE, ORANGE, GREY, GREEN, PURPLE
    for (name, parameter), colour in zip(model.named_parameters(), colours):
        ours = (watched.of(parameter) if torch else parameter).grad
        theirs = np.ravel(parameter.grad.tolist())
        apart = np.abs(np.ravel(ours.tolist()) - theirs)
        ax.loglog(np.abs(theirs) + 1e-9, apart + 1e-12, ".", ms=5, color=colour, label=name)
    ends = np.array([1e-5, 0.3])
    ax.loglog(ends, ends * 2.0**-24, color="black", lw=0.8)
    ax.text(0.3, 0.3 * 2.0**-24, " one\n bit", va="center")
    ax.set(xlabel="size of the gradient", ylabel="difference (below: none)", xlim=(1e-6, 3))
    ax.legend(frameon=False, loc="upper left", ncols=2)
    ax.set_ylim(3e-13, 3e-6)
    return figure


pictures("21_differences", differences)

# %% [markdown]
# A point is one of the 925 numbers of the gradient. Those at the bottom have the same bits. No other
# lies below the line, for the smallest difference is one bit, and most are a bit or a few. Small
# gradients lie higher: they are what is left where larger terms cancel, and these were rounded. So what
# differs is rounding, and the rules of this course give the derivative that PyTorch computes.
#
# ## Step by step
#
# `mg.steps` walks back as in lesson 01, one operation at a time. Before you look: the gradient of the
# loss with respect to `out.bias` is the mean of $p - t$ over the examples (lesson 13): 27 numbers.

# %%
ask("bias", ...)

# %%
walk = list(mg.steps(glass))
bias = np.array(model.out.bias.grad.tolist())
print(f"{len(walk)} steps; the gradients of out.bias sum to {bias.sum():.1e}\n")
for step in walk:
    if "np.tanh" in str(step).splitlines()[0]:
        print(step, "\n")
assert abs(bias.sum()) < 1e-6

# %% [markdown]
# This step is the tanh: its line, its rule, and where the first number comes from. And here is the whole
# as a program in NumPy, forward and back: your PyTorch model and its gradient, without PyTorch and
# without minigrad. We print the lines of the way back through the two layers.

# %%
program = str(graph.program())
begin, end = program.index("# back through out"), program.index("# back through letters")
print(program[begin:end])
assert "import torch" not in program
assert "minigrad" not in program

# %% [markdown]
# ## A NaN, planted
#
# Somebody wants the vectors of letters to stay close together. So the distances of all pairs are added
# to the loss, with a small factor:
#
# $$L' = L + 0.01 \cdot \mathrm{mean}_{ij}\, \lVert v_i - v_j \rVert, \qquad
#   \lVert u \rVert = \sqrt{\textstyle\sum_k u_k^2}.$$
#
# The loss is a finite number, a little larger than before. But one step of training later, all is NaN.
# On the diagonal, $i = j$, the distance is the root of 0. The slope of a root, $1 / (2 \sqrt u)$, is
# infinite there; it is multiplied by the slope of the square, which is 0. And `0 * inf` is NaN. Which
# parameters does it reach in this first step?

# %%
ask("reaches", ...)


# %%
def distances(v, above=0.0):
    """The distance of each vector from each: (N, N)."""
    apart = v[:, None] - v[None, :]  # (N, N, D)
    return sqrt((apart * apart).sum(-1) + above)


def watched_loss(above):
    """The loss with distances, under the glass, and where the gradients are NaN."""
    for parameter in model.parameters():
        parameter.grad = None
    with np.errstate(all="ignore"), under_the_glass() as block:
        loss = F.cross_entropy(model(ids), follows)
        total = loss + 0.01 * distances(model.letters.weight, above).mean()
    with np.errstate(all="ignore"):
        total.backward(retain_graph=True)
    bad = {
        name: np.isnan(np.array(parameter.grad.tolist())).mean()
        for name, parameter in model.named_parameters()
    }
    return (block.loss if torch else total), bad


sick, bad = watched_loss(above=0.0)
print(f"the loss is {sick.item():.3f}")
for name, share in bad.items():
    print(f"{name:>14}: {share:.0%} of the gradient is NaN")
assert np.isfinite(sick.item())
assert bad["letters.weight"] == 1
assert sum(bad.values()) == 1

# %% [markdown]
# No other parameter is behind the distances. But the next step computes all with a table of NaN. To look
# for the place by hand is tedious: the loss is finite, and PyTorch's NaN has no address. `mg.diagnose`
# reads the graph, and names the first operation that gave what is not finite, forward or back:

# %%
with np.errstate(all="ignore"):
    found = mg.diagnose(sick)
print(found)
assert "return sqrt((apart * apart)" in str(found)

# %% [markdown]
# It names the line, what arrived there, and what people do about it: a small number under the root. The
# distances change by at most a millionth, and the slope at 0 is finite, times 0:

# %%
healed, bad = watched_loss(above=1e-12)
print(f"the loss is {healed.item():.3f}; NaN: {sum(bad.values()):.0%}")
print(mg.diagnose(healed))
assert sum(bad.values()) == 0
assert np.isclose(healed.item(), sick.item())

# %% [markdown]
# It need not be a diagonal. `where` computes *both* of its branches, and its rule sends the gradient 0
# into the one that was not chosen. If the slope there is infinite, `0 * inf` is NaN once more, though
# the value was never used. The remedy: let `where` first choose an argument that is safe.

# %%
here = np if torch is None else torch
leaf = lambda: (
    mg.Tensor([0.0, 4.0], requires_grad=True)
    if torch is None
    else torch.tensor([0.0, 4.0], requires_grad=True)
)
one, other = leaf(), leaf()
with np.errstate(all="ignore"):
    here.where(one > 0, sqrt(one), 0 * one).sum().backward()
safe = here.where(other > 0, other, 0 * other + 1)  # 1 in the place of 0
here.where(other > 0, sqrt(safe), 0 * other).sum().backward()
print("gradients of the roots of 0 and 4:", one.grad.tolist(), "made safe:", other.grad.tolist())
assert np.isnan(one.grad.tolist()[0])
assert other.grad.tolist() == [0, 0.25]

# %% [markdown]
# Without a glass: look for NaN in every gradient after the first walk back, before the step. Clipping
# by the length of the whole gradient (lesson 13) would spread it to all parameters: the length is NaN,
# too. PyTorch's `torch.autograd.set_detect_anomaly(True)` stops at the first rule that gives NaN, and
# names the line of yours that it belongs to.

# %% [markdown]
# ## What else is wrong
#
# `mg.diagnose` looks for more than NaN. It also tells of
#
# - gradients that are 0, that reach no parameter, or that vanish or explode on their way;
# - units of a layer that are dead, saturated, or all alike;
# - losses that are given something else than they take, such as probabilities in the place of scores,
#   a column less a row, and two softmaxes in a row;
# - attention whose softmax, mask or heads are along a wrong axis;
# - in PyTorch: gradients that are another's, or that 16 bits round to 0;
# - steps that are too long, that change nothing, or that add to the gradients of the step before.
#
# `help("minigrad.views.troubles")` lists all. For the last of them it needs more than one step: let the
# whole loop stand in the block, for a few steps; of a model of minigrad's own, in a block of
# `with mg.record() as watched:`. Make the data before the block, since what makes it
# would be computed twice, and drawn as well. Something is missing in this loop:

# %%
if torch:
    manual_seed(0)
    model = NextLetter()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with mg.pytorch() as watched:
        for _ in range(3):
            loss = F.cross_entropy(model(ids), follows)
            loss.backward()
            optimizer.step()
    kept = mg.diagnose(watched)
    print(kept)
    assert [trouble.kind for trouble in kept] == ["kept"]

# %% [markdown]
# No trouble does not mean that the model is right: nothing here knows which labels, inputs or axes you
# meant.
#
# ## The page
#
# `mg.explore` writes the page of lesson 01 for it: change a number, walk forward and back, see the rule
# of each step. It needs neither PyTorch nor Python. (If you read this in a browser,
# [here it is](out/21_next_letter.html).)

# %%
manual_seed(0)
model = NextLetter(D=2, H=3)
few, follow = ids[:2], follows[:2]
with under_the_glass() as watched:
    loss = F.cross_entropy(model(few), follow)
loss.backward(retain_graph=True)
pictures.folder.mkdir(parents=True, exist_ok=True)
page = pictures.folder / "21_next_letter.html"
mg.explore(watched if torch else loss, page, title="the next letter")
assert "tanh" in page.read_text(encoding="utf-8")

# %% [markdown]
# ## What the glass does not see
#
# - What happens outside of PyTorch: numbers that you take out by `.item()` or `.numpy()`, compute with,
#   and bring back. They come in as constants; and PyTorch's own gradient ends there, too.
# - Operations that have no row in `minigrad/aten/rows`: they are constants as well, and `compare` names
#   them. A gradient that would go through one of them is refused.
# - Gradients of gradients, as of a penalty: `torch.autograd.grad(..., create_graph=True)` is refused.
# - Time: everything is computed twice, and slowly the second time. So look at a few steps, with a small
#   batch of a small copy of your model.
#
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_detach", ...)

# %%
ask("end_layers", ...)

# %% [markdown]
# `python -c "import minigrad; help(minigrad.idioms)"` says how to write here what you know from PyTorch,
# JAX or Keras.
#
# To write yourself: `distance_rule` and `culprit` (`python -m minigrad exercises check 21`).
#
# Next: `22_your_project.py`, the last.

# %%
print(pictures)
