# %% [markdown]
# # 20 What a compiler does
#
# *One call traced, written down as a program, and its memory planned. About 5 seconds.*
#
# A training step runs the same operations thousands of times, with other numbers. Still the engine
# finds out again at every step what is to be done. A *compiler* finds it out once, writes it down, and
# looks for what can be saved. This lesson compiles the step of lesson 13, and reads what was written.
#
# After it you can
#
# - say what tracing is, and run by hand the program that was written;
# - find lines that nothing needs, and the last use of every result;
# - plan buffers, and say which calls can work in place, and why the turn takes most memory;
# - say which rewritings keep every bit, and why others may change the last one;
# - say what cannot be compiled, and what to write for it.

# %%
import ast
import random
import timeit
import tracemalloc

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad import errors
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import cross_entropy
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE
from minitransformer import masks
from minitransformer.training.threads import one_thread

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("20")
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("13/end_clipped", ...)

# %%
ask("18/floats", ...)

# %% [markdown]
# ## One call, written down
#
# We begin with a step that fits on a page: three examples, one layer, one tanh,
#
# $$L = \frac{1}{3} \sum_i (y_i - t_i)^2, \qquad y = \tanh(x W + b).$$
#
# `mg.compile` returns a function that is called like the old one. The first call is *traced*: it runs
# as ever, and every operation is noted, as in the graphs of lesson 01. Then the whole is written as a
# program, forward and back. (Without `at_once`, that is done at the third call. `exact` keeps every
# bit: more on that below.)

# %%
x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])  # (3, 2)
t = np.array([[1.0], [0.0], [1.0]])  # (3, 1)
W = mg.Parameter(np.array([[0.5], [-0.25]]))
b = mg.Parameter(np.zeros(1))


def small_loss(x, t):
    y = np.tanh(x @ W + b)  # (3, 1)
    _largest = np.max(np.abs(y))  # to be looked at; nothing uses it
    return np.mean(np.square(y - t))


step = mg.compile(small_loss, exact=True, at_once=True)
loss = step(x, t)
loss.backward()
pictures("20_traced", step.graph)

# %%
print(step.source)

# %% [markdown]
# There is no Tensor, no node, and no walk: these are plain calls of NumPy. (`np.add.reduce` is what
# `np.sum` calls.) `d_W` is the gradient with respect to `W`, and above each group stands the line of
# yours that asked for it.
#
# The program is a *generator*: a function that can stop in the middle. At its first `yield` it hands
# out the loss, and waits. When a gradient is sent to it (1, for the loss itself), it goes on with the
# way back, and hands out the gradients. We run it by hand:

# %%
space = {}
exec(step.source, space)
run = space["program"](x, t, W.data, b.data)
by_hand = next(run)
gradients = run.send(1.0)
print(f"loss {by_hand:.4f}, gradients {[g.ravel().round(4).tolist() for g in gradients]}")
assert by_hand == loss.item()
assert all(np.array_equal(g, p.grad) for g, p in zip(gradients, (W, b)))

# %% [markdown]
# ## Dead code
#
# `_largest` is not in the program. Nothing that is returned needs it, so it is *dead code*. To find such
# lines, one goes from the last line to the first, and keeps a line only if its result is wanted; then
# what it reads is wanted too. This is the walk back of lesson 01, with "wanted" in place of gradients.
#
# Since the program is text, Python can read it for us: `ast` gives, for each line, the name that it
# defines, and the names that it reads.


# %%
def lines_of(source):
    """The lines of a program in order: the name that each defines, and those that it reads."""
    program = ast.parse(source).body[-1]
    found = []
    for line in program.body:
        reads = sorted({n.id for n in ast.walk(line.value) if isinstance(n, ast.Name)} - {"np"})
        found.append((line.targets[0].id if isinstance(line, ast.Assign) else "the end", reads))
    return found


def needed(lines, ends):
    """The lines that `ends` are computed by."""
    wanted, kept = set(ends), []
    for name, reads in reversed(lines):
        if name in wanted:
            wanted.update(reads)
            kept.append((name, reads))
    return kept[::-1]


lines = lines_of(step.source)
print(*lines[:3], sep="\n")
assert needed(lines, ["the end"]) == lines  # no line is dead
assert "np.max" not in step.source

# %% [markdown]
# ## The last use
#
# A result is needed from its line to its last use. After that its memory is free. In one pass over the
# lines, each use overwrites the one before, and so the last one stays:

# %%
last_use = {read: number for number, (_, reads) in enumerate(lines) for read in reads}
for number, (name, _) in enumerate(lines):
    if name in last_use:
        rest = last_use[name] - number - 1
        print(f"{number:>3} {name:>9}  " + "   " * number + "[==" + "===" * rest + "]")
assert last_use["y"] > [name for name, _ in lines].index("d_t9")  # it is read on the way back

# %% [markdown]
# Two bars are long: `y`, and `y - t`, which is called `t7`. They are read on the way back, because the
# derivative of $\tanh$ is $1 - y^2$, and that of a square is twice its argument. So they must be *kept*
# meanwhile. The others are needed for three lines at most.
#
# ## Buffers
#
# So the program does not need an array for each result. It needs *buffers*: arrays that are made once,
# and used again by one result after the other. Two rules:
#
# - **Share.** When a result is not needed any more, a later one may have its buffer.
# - **In place.** A call that works element by element may write over an operand that is used there for
#   the last time: element $i$ of $\exp(a)$ needs element $i$ of $a$ alone, and nobody needs that later.
#   In a matrix product, every element needs a whole row, so it never works in place.
#
# What is returned is always a new array: somebody outside has it, and the next call must not change it.
# Nor is anything written over an argument of the function, such as `x`: it belongs to the caller.


# %%
def five_lines(x):
    a = x + 1
    b = 2 * a
    c = np.exp(b)
    d = b * c
    return np.sum(d)


# %%
ask("buffers", ...)


# %%
def buffers_of(step):
    """The lines that make the buffers of a compiled function."""
    text = step.program(buffers=True)
    return [line for line in text.splitlines() if line.startswith("b") and "np.empty" in line]


five = mg.compile(five_lines, exact=True, at_once=True)
five(mg.Tensor(x))
print(five.program(buffers=True))
assert len(buffers_of(five)) == 2

# %% [markdown]
# `out=` says where NumPy writes a result. `b` is written over `a`, and so it has `a`'s name here; later
# `d`, too. `c` cannot be written over `b`, which the next line needs.
#
# Now the way back comes in. Take a chain of ten tanh. Going back through one of them needs what it gave,
# since its derivative is $1 - y^2$. At which place of the program is most memory in use?

# %%
ask("turn", ...)


# %%
def chain(x, links=10):
    for _ in range(links):
        x = np.tanh(x)
    return np.sum(x)


compiled_chain = mg.compile(chain, exact=True, at_once=True)
compiled_chain(mg.Tensor(rng.normal(size=(100, 100)), requires_grad=True)).backward()
use = compiled_chain.memory()
most = 1 + int(np.argmax(use.in_use))
# in_use counts bytes. An array here has 100 x 100 numbers of 8 bytes: 80,000.
print("arrays in use, line by line:", [round(n / 80_000) for n in use.in_use])
print(f"the way forward has {use.forward} lines; most is in use in line {most}")
assert abs(most - use.forward) <= 4


# %% [markdown]
# Forward, each link adds one array that has to wait. Backward, each link frees one. (So the memory of a
# network grows with its depth. What can be done about it is to forget some results, and to compute them
# again on the way back: checkpointing, lesson 17.)
#
# ## The step of lesson 13
#
# Here is the model of lesson 13 with all its parts, and its loss: two layers on each side, width 32.


# %%
LETTERS = "abcdefghijklmnop"
letters = mt.Vocabulary.of_characters(LETTERS)
N = len(letters)  # 19


class Small(mg.nn.Module):
    def __init__(self, D=32, H=4, L=2):
        several = lambda n, make: mg.nn.ModuleList(make() for _ in range(n))
        attention = lambda: mt.MultiHeadAttention(mt.AttentionSizes(D, H))
        self.source, self.target = mg.nn.Embedding(N, D), mg.nn.Embedding(N, D)
        self.positions = mt.positions.POSITIONS["sinusoidal"](D, 16)
        self.reads, self.looks_back, self.looks_over = (several(L, attention) for _ in range(3))
        self.feed_forward = several(2 * L, lambda: mt.FeedForward(D, 2 * D))
        self.norms = several(5 * L, lambda: mt.LayerNorm(D))
        self.out = mg.nn.Linear(D, N)

    def forward(self, source, target):
        norms, feed_forward = iter(self.norms), iter(self.feed_forward)
        then = lambda x, y: next(norms)(x + y)
        seen = masks.padding(source)  # (B, 1, 1, S)
        behind = masks.padding(target) & masks.causal(target.shape[1])  # (B, 1, T, T)
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


def words(seed, size=32):
    """The ids for the encoder (B, S), for the decoder (B, T), and those asked for (B, T)."""
    draw = random.Random(seed)
    drawn = ["".join(draw.choices(LETTERS, k=8 - k % 7)) for k in range(size)]
    ids = letters.batch
    return ids(drawn), ids(drawn, start=True), ids(drawn, end=True)


mg.manual_seed(0)
model = Small()


def loss_of(source, read, write):
    return cross_entropy(model(source, read), write, ignore_index=0)


exact = mg.compile(loss_of, exact=True, at_once=True)
batch = words(1)
with one_thread():
    exact(*batch).backward()
program = exact.source.splitlines()
first = next(i for i, line in enumerate(program) if "reads.0/attention" in line)
print(f"{len(lines_of(exact.source))} calls, and these are the first attention:\n")
print("\n".join(program[first : first + 32]))

# %% [markdown]
# You can still read it: scores divided by $\sqrt 8 = 2.83$, the mask, the softmax with its largest
# score taken off. (A formula at the end of a line is a rewriting: see below. `.mT` exchanges the last
# two axes. `np.maximum.reduceat` takes the largest of each piece of a long row.) With buffers, the same
# calls write into arrays that are there already. What is the same in every run is made once, above the
# program: buffers, and all *views*, such as heads cut apart by `np.reshape`, which look at a buffer in
# another way, and have no numbers of their own. `memory()` gives a table of what is in use, and a
# picture:

# %%
use = exact.memory()
table = str(use).splitlines()
print("\n".join([*table[:6], "...", *table[-3:]]))
assert 5 * use.peak < use.alone
pictures("20_memory", use.draw)

# %% [markdown]
# ### Counted, and drawn (optional)
#
# How many calls work in place, how many views are made once, and how many buffers are there? Python
# reads the program with buffers, and we count.


# %%
def names_in(code):
    return [n.id for n in ast.walk(code) if isinstance(n, ast.Name) and n.id != "np"]


def occupied(source):
    """Find the results of a program with buffers: for each, its buffer, first and last line."""
    *above, program = ast.parse(source).body
    place = {}  # the result that a name stands for, also where it is a view; and its buffer
    for line in above:
        if isinstance(line, ast.Assign) and (of := names_in(line.value)):
            name = line.targets[0].id
            place[name] = place[of[0]] if of[0] in place else (of[0], name)
    used = {}
    for number, line in enumerate(program.body):
        for name in names_in(line):
            if name in place:
                used.setdefault(place[name], []).append(number)
    return [(buffer, min(at), max(at)) for (buffer, _), at in used.items()], len(place)


def works_in_place(line):
    """Tell whether a line of a program writes over one of its own arguments."""
    call = getattr(line, "value", None)
    into = [names_in(k.value) for k in getattr(call, "keywords", ()) if k.arg == "out"]
    return bool(into) and into[0][0] in [name for a in call.args for name in names_in(a)]


planned = exact.program(buffers=True)
results, named = occupied(planned)
body = ast.parse(planned).body[-1].body
turn = next(k for k, line in enumerate(body) if isinstance(getattr(line, "value", None), ast.Yield))
count = {
    "calls": len(lines_of(exact.source)),
    "work in place": sum(map(works_in_place, body)),
    "views made once": named - len(results),
    "buffers": len(buffers_of(exact)),
}
print(count)
assert count["buffers"] < count["work in place"] < count["calls"] / 2


# %%
def buffers_over_time():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.5, 5))
    rows = {buffer: row for row, buffer in enumerate(dict.fromkeys(b for b, _, _ in results))}
    for buffer, first, last in sorted(results, key=lambda r: r[1] - r[2]):
        colour = BLUE if last < turn else GREEN if first < turn else ORANGE
        ax.barh(rows[buffer], last - first + 1, left=first, height=0.8, color=colour)
    for colour, text in ((BLUE, "forward"), (GREEN, "kept for the way back"), (ORANGE, "back")):
        ax.barh(0, 0, color=colour, label=text)
    ax.legend(frameon=False, loc="lower left")
    ax.axvline(turn, color=GREY, lw=0.8, ls=":")
    ax.invert_yaxis()
    ax.set(xlabel="line of the program: forward, then back", ylabel="buffer")
    return figure


pictures("20_buffers", buffers_over_time)

# %% [markdown]
# Each row is a buffer, each bar a result that lives in it. The dotted line is the turn, and green bars
# cross it: what came first is needed last, as in the chain. To their right, gradients take the buffers
# of what has been used.

# %% [markdown]
# ## Fewer and quicker passes
#
# So far every bit is as it was. If we give up the last bit, more can be saved. A *rewriting* is a line
# of algebra: it replaces a line of the program by others that are equal as formulas, and quicker.
# Without `exact=True`, all that fit are used. Layer norm divides all $D$ numbers of a row by the same
# number:

# %%
fast = mg.compile(loss_of, at_once=True)
with one_thread():
    made = 1e3 * timeit.timeit(lambda: fast(*batch).backward(), number=1)
for name, step in (("exact", exact), ("rewritten", fast)):
    norm = next(part for part in step.source.split("\n\n") if "np.sqrt" in part)
    print(f"{name}:\n{norm}\n")
code = [line for line in fast.source.splitlines() if not line.strip().startswith("#")]
notes = [line.partition("  # ")[2] for line in code if "  # " in line]
for formula in dict.fromkeys(notes):
    print(f"{notes.count(formula):>4} lines  {formula}")
assert "a / b = a (1 / b)" in notes

# %% [markdown]
# A division takes several times as long as a product. There was one for each number, and now there is
# one for each row. And `sum(x, -1) = x @ 1`, where 1 is a column of ones, lets the matrix product add,
# which NumPy does faster. There is no mistake in the algebra. But is it the same for floats?

# %%
ask("same_bits", ...)

# %%
one, other = rng.random((2, 100_000), dtype=np.float32) + np.float32(0.5)
equal = np.mean(one / other == one * (1 / other))
print(f"{equal:.0%} of the quotients have the same bits; 49 * (1 / 49) = {49 * (1 / 49)}")
assert 0.5 < equal < 0.99
assert 49 * (1 / 49) != 1

# %% [markdown]
# The quotient is rounded once. The product with $1/b$ is rounded twice: that may change the last bit.
# And a matrix product adds a row in another order than `np.sum`, and floats do not add in any order
# (lesson 18). So only rewritings that keep each rounding, such as $a + (-b) = a - b$, are used with
# `exact=True`. We compare the loss and all gradients with those of the function itself:


# %%
def loss_and_gradients(step):
    model.zero_grad()
    loss = step(*batch)
    loss.backward()
    return loss.item(), np.concatenate([p.grad.data for p in model.parameters()], axis=None)


with one_thread():
    (loss, itself), (same, by_exact), (near, by_fast) = map(
        loss_and_gradients, (loss_of, exact, fast)
    )
print("exact: the same bits" if np.array_equal(by_exact, itself) else "exact: other bits")
print(f"rewritten: {np.mean(by_fast != itself):.0%} of {itself.size:,} gradients differ;")
print(f"the largest is {np.abs(itself).max():.1e}, the largest difference", end=" ")
print(f"{np.abs(by_fast - itself).max():.1e}; the losses differ by {abs(near - loss):.1e}")
assert same == loss
assert np.array_equal(by_exact, itself)
assert 0 < np.abs(by_fast - itself).max() < 1e-5 * np.abs(itself).max()

# %% [markdown]
# ## What it saves
#
# Memory first. If each result had an array of its own, they would take what the table above calls
# *without sharing*. But the engine does not do that either: Python frees an array at its last use, and
# a node saves only what its rule will read. `tracemalloc` measures what a step takes at most while it
# runs.


# %%
def milliseconds(step):
    return 1e3 * min(timeit.repeat(lambda: loss_and_gradients(step), number=1, repeat=15))


def megabytes(step):
    """Measure what a step takes in each run, and its buffers if it has some."""
    tracemalloc.start()
    loss_and_gradients(step)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (peak + (0 if step is loss_of else step.memory().peak)) / 1e6


cost = {}
with one_thread():
    for name, step in (("as it is", loss_of), ("compiled, exact", exact), ("compiled", fast)):
        cost[name] = milliseconds(step), megabytes(step)
        print(f"{name:>16}: {cost[name][0]:5.1f} ms, {cost[name][1]:5.1f} MB")
saved = cost["as it is"][0] - cost["compiled"][0]
print(f"the program is made in {made:.0f} ms, which is won back after {made / saved:.0f} steps")
assert max(megabytes for _, megabytes in cost.values()) < exact.memory().alone / 2e6

# %% [markdown]
# So the memory is nearly the same. What the compiler saves is time: no nodes are made, no rules are
# looked up, and no memory is asked for and given back, a thousand times for each step. The rewritings
# can save some more. The larger the arrays, the less all this counts beside the arithmetic itself.
#
# ## To train with it (optional)
#
# To train with it, change one line of lesson 13's loop: compute the loss by the compiled function. All
# else stays, and with `exact=True` so does every weight:


# %%
def trained(make, steps=20):
    """The weights after some steps, from the same ones at first."""
    global model
    mg.manual_seed(0)
    model = Small()
    step, optimizer = make(loss_of), mg.optim.Adam(model.parameters(), lr=3e-3)
    for k in range(steps):
        optimizer.zero_grad()
        step(*words(k)).backward()
        optimizer.step()
    return np.concatenate([p.data for p in model.parameters()], axis=None)


with one_thread():
    plain = trained(lambda f: f)
    compiled = trained(lambda f: mg.compile(f, exact=True))
print("after 20 steps: the same bits" if np.array_equal(plain, compiled) else "other bits")
assert np.array_equal(plain, compiled)

# %% [markdown]
# ## What cannot be compiled
#
# A trace is what *one* call did. The operations, the shapes, and every number and text that is no array
# are part of the program. A loop over layers is fine: it is written out, layer by layer. Arguments of
# another shape, or another number, get a program of their own. And in a call that runs the program, your
# Python does not run any more: nothing is printed, no list grows.
#
# What cannot work is a decision about numbers that come again at each call. Here are four ways to
# change a loss, the first two of which make it softer where it is large:

# %%
ways = {
    "1": lambda loss, x: np.sqrt(loss) if loss > 1 else loss,
    "2": lambda loss, x: np.where(loss > 1, np.sqrt(loss), loss),
    "3": lambda loss, x: np.sqrt(loss) if x.shape[0] > 2 else loss,
    "4": lambda loss, x: sum([loss / k for k in range(1, 4)]),
}

# %%
ask("refused", ...)


# %%
def error_of(way):
    def loss(x, t):
        return way(small_loss(x, t), x)

    try:
        mg.compile(loss, at_once=True)(x, t)
    except errors.GraphError as problem:
        return str(problem)


refused = {name: says for name, way in ways.items() if (says := error_of(way))}
print(refused)
assert list(refused) == ["1"]
assert "if loss > 1" in refused["1"]

# %% [markdown]
# It names the line. In a trace, `if loss > 1` leaves nothing but the branch that was taken *that* time:
# without this error, the program would take it for ever. `np.where` computes both, and chooses among
# numbers, so the choice is an operation like any other, and it is in the program.
#
# ## Other compilers (optional)
#
# This is so for every compiler that traces. JAX's `jit` refuses the same `if`, and has `jnp.where` and
# `lax.cond` in its place; PyTorch's `torch.compile` cuts the program in two there. And their programs
# are not NumPy's: they join whole groups of lines into one new loop, which is compiled for the
# processor. That is called *fusing*: a result between two lines is then never written to memory at
# all. It changes the last bit for the same two reasons: other roundings, and another order of sums.
#
# What can be fused is what works element by element, and a sum of it. A matrix product cannot: each of
# its elements needs a whole row. Count how often an array is read or written, line by line:
# `u = np.exp(x)` reads one and writes one, `v = u * x` reads two and writes one, `s = np.sum(v)` reads
# one. That is four read and two written. As one loop it is one read, `x`, and none written. (What the
# way back needs has to be written all the same.)
#
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_dead", ...)

# %%
ask("end_in_place", ...)

# %%
ask("end_programs", ...)

# %% [markdown]
# `minigrad/compiler/memory.py` plans the buffers.
#
# To write yourself: `once` and `share_buffers` (`python -m minigrad exercises check 20`).
#
# Next: `21_your_pytorch_model_under_the_glass.py`.

# %%
print(pictures)
