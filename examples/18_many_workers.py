# %% [markdown]
# # 18 Many workers
#
# *A batch in parts, for any number of workers, and what it costs. About 10 seconds.*
#
# A model that is too slow to train on one core can use more of them, or more machines. The way of this
# lesson rests on one sentence: **the gradient of a sum is the sum of the gradients.** So a batch can be
# cut into parts, and each part given to another worker.
#
# After it you can
#
# - compute a gradient in parts by hand, also where the parts differ in size;
# - show that floats do not add in any order, and say which order is fixed, and why;
# - say what threads, processes and machines share, and what has to be sent;
# - train a transformer with any number of workers, and compare the bits;
# - write workers that are processes, and kill one (optional);
# - add up gradients around a ring, and say from a model of the cost where more workers stop paying
#   (optional).
#
# The library uses Dask for processes on many machines. This lesson needs no more than the others.

# %%
import collections
import hashlib
import itertools
import math

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad import errors
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE, PURPLE
from minigrad.workers import Threads, tree
from minitransformer import tasks
from minitransformer.training.threads import one_thread

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("18")
rng = np.random.default_rng(0)

# %% [markdown]
# First two questions from older lessons.

# %%
ask("01/end_two_walks", ...)

# %%
ask("13/end_clipped", ...)

# %% [markdown]
# ## Two halves of a batch
#
# The smallest model there is: $y = w x$, with one weight, $w = 2$. The batch has four examples. The
# loss is the sum of the squared errors $e_i = w x_i - t_i$, and its derivative is
#
# $$\frac{dL}{dw} = \sum_i 2\, e_i\, x_i.$$
#
# | | $x$ | $t$ | $e = 2x - t$ | $2 e x$ |
# |---|---|---|---|---|
# | first half | 1 | 3 | -1 | -2 |
# | | 2 | 3 | 1 | 4 |
# | second half | 3 | 8 | -2 | -12 |
# | | 4 | 9 | -1 | -8 |
#
# The first half gives $-2 + 4 = 2$, the second $-12 - 8 = -20$, and all four together $-18$.

# %%
x, t = np.array([1.0, 2.0, 3.0, 4.0]), np.array([3.0, 3.0, 8.0, 9.0])


def loss(w, part):
    """The summed loss of the examples of a part."""
    return np.sum(np.square(w * x[part] - t[part]))


def slope(w, part):
    return mg.grad(loss)(w, part).item()


halves = [slope(2.0, slice(0, 2)), slope(2.0, slice(2, 4))]
whole = slope(2.0, slice(0, 4))
print("halves:", halves, "whole:", whole)
assert halves == [2, -20]
assert whole == sum(halves) == -18

# %% [markdown]
# To the engine, $w$ is a number that is used twice, once by each part, and gradients of a number that is
# used twice add (lesson 01). The page below steps through it. Go to its last steps, where 2 and -20
# arrive at `w`. (If you read this in a browser, [the steps are here](out/18_two_parts.html).)

# %%
w = mg.Tensor(2.0, requires_grad=True, dtype=np.float64)
with mg.record():
    first = np.sum(np.square(w * x[:2] - t[:2]))
    second = np.sum(np.square(w * x[2:] - t[2:]))
    both = first + second
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(both, pictures.folder / "18_two_parts.html", title="two parts, and their sum")
print("open in a browser:", page)
to_w = [share for step in mg.steps(both) for share in step.shares if share.name == "w"]
print("arrives at w:", [share.fitted.item() for share in to_w], "sum:", to_w[-1].after.item())
assert sorted(share.fitted.item() for share in to_w) == [-20, 2]

both.backward()
pictures("18_two_parts", mg.graph(both))

# %% [markdown]
# ## Means need care
#
# Most losses are means. And a mean of means is the mean of all only where the parts are equally large.
# Cut the four examples into three and one. The mean loss of the first three has the gradient
# $(-2 + 4 - 12) / 3 = -10/3$, that of the last one $-8$.

# %%
ask("unequal", ...)

# %% [markdown]
# The mean over a batch of $n$ examples is $\frac{1}{n} \sum_i$. So each part has to be divided by
# the size of the *whole* batch, and then the parts add; or, which is the same, the mean $\bar g_k$ of
# part $k$, which has $n_k$ examples, counts $n_k / n$. With $g_i$ the gradient of example $i$:
#
# $$g = \frac{1}{n} \sum_i g_i = \sum_k \frac{n_k}{n}\, \bar g_k.$$

# %%
sizes = [3, 1]
of_means = [slope(2.0, slice(0, 3)) / 3, slope(2.0, slice(3, 4)) / 1]
mean_of_means = np.mean(of_means)
weighted = sum(n / 4 * g for n, g in zip(sizes, of_means))
print(f"right: {whole / 4}; weighted: {weighted:.2f}; the mean of the means: {mean_of_means:.2f}")
assert np.isclose(weighted, whole / 4)
assert not np.isclose(mean_of_means, whole / 4, atol=0.5)

# %% [markdown]
# In a transformer this matters even where all parts have the same number of sentences: their numbers of
# *symbols* differ, and the loss is a mean over the symbols that are written, without padding (lesson
# 13). Here are four parts of a batch of words to be reversed, and the share of each in the loss, which
# the library divides by the symbols of the batch. `run.job(part)` computes one part with the present
# weights. It gives a list: the part's share of the loss, and then its gradients, an array for each
# parameter.

# %%
task = tasks.make("reverse")
model_sizes = mt.Sizes(len(task.source), len(task.target), width=64, feed_forward=256)


def new_run():
    """A run of the trainer, from the same weights each time, with batches in four parts."""
    return mt.Training(task, model_sizes, mt.Settings(steps=100, batch=48, accumulate=4))


run = new_run()
parts = run.parts(1)
written = [sum(len(target) + 1 for _, target in part.examples) for part in parts]  # and <eos>
with one_thread():
    shares = [float(run.job(part)[0]) for part in parts]  # each part knows the symbols of the batch
    of_batch = float(run.loss(run.batch(1)).item())
means = [share * parts[0].symbols / n for share, n in zip(shares, written)]
print("symbols:", written, "in all:", parts[0].symbols)
print("mean losses:", np.round(means, 3), "and their mean:", np.mean(means).round(4))
print("sum of the shares:", round(sum(shares), 4), "loss of the batch:", round(of_batch, 4))
assert sum(written) == parts[0].symbols
assert np.isclose(sum(shares), of_batch, rtol=1e-5)
assert not np.isclose(np.mean(means), of_batch, rtol=0.01)

# %% [markdown]
# The cut follows from the batch, never from the number of workers: four parts may be computed by one
# worker or by four. And what a part gives depends on the weights and the part alone, even with dropout:
# each step and part has separate random numbers.
#
# ## Floats do not add in any order
#
# Floats are rounded after each addition, and what is rounded depends on what was added first. A float32
# keeps 24 binary digits (*bits*). $10^8$ has 27, so its last three are not kept, and neighbouring
# numbers there are $2^3 = 8$ apart.

# %%
ask("floats", ...)

# %% [markdown]
# Four numbers have 24 orders. We add in each of them, from left to right. (The last of the sums so far,
# `np.cumsum`, is added just so. `np.sum` adds in an order of its own.)

# %%
four = np.float32([1, 1e8, -1e8, 1])
from_left = lambda numbers: float(np.cumsum(numbers, dtype=np.float32)[-1])
found = collections.Counter(from_left(order) for order in itertools.permutations(four))
print("sums of the same four numbers:", dict(sorted(found.items())))
assert set(found) == {0, 1, 2}
assert math.fsum(four) == 2  # exactly

# %% [markdown]
# With gradients the differences are mostly in the last bits. But they are there:

# %%
with one_thread():
    gradients = [run.job(part)[1:] for part in parts]  # a list of arrays for each part
# With axis=None, np.concatenate puts all numbers of all arrays into one row.
flat = np.array([np.concatenate(g, axis=None) for g in gradients])  # (parts, weights)
forwards, backwards = np.cumsum(flat, axis=0)[-1], np.cumsum(flat[::-1], axis=0)[-1]
differ = np.mean(forwards != backwards)
print(f"{differ:.0%} of {flat.shape[1]:,} sums differ, by {np.abs(forwards - backwards).max():.1e}")
assert 0.1 < differ < 0.9
assert np.allclose(forwards, backwards, rtol=1e-3, atol=1e-7)

# %% [markdown]
# Does a last bit matter? We train twice from the same weights, with the same batches. The second run
# adds the parts of its *first* step in another order. All its later steps add as the first run does.
# (The trainer asks its workers for one thing, `total(job, parts)`: the sum of what the job gives for all
# parts.)


# %%
class InOrder:
    """Workers that are this thread alone, and add from left to right, or from right to left."""

    def __init__(self, first_step):
        self.directions = itertools.chain([first_step], itertools.repeat(1))

    def total(self, job, parts):
        lists = [job(part) for part in parts][:: next(self.directions)]
        return [sum(arrays[1:], arrays[0]) for arrays in zip(*lists)]


def weights_of(run):
    """All weights in one row. (`state_dict()` has an array for the name of each parameter.)"""
    return np.concatenate(list(run.model.state_dict().values()), axis=None)


pair = new_run(), new_run()
pair[0].workers, pair[1].workers = InOrder(1), InOrder(-1)
apart = []
with one_thread():
    for _ in range(50):
        for one in pair:
            one.step()
        apart.append(np.abs(weights_of(pair[0]) - weights_of(pair[1])).max())
print(f"apart after 1 step {apart[0]:.0e}, after 50 {apart[-1]:.0e}")
print("their last losses:", *(f"{one.curve[-1].loss:.4f}" for one in pair))
assert apart[-1] > 10 * apart[0] > 0


# %%
def last_bits():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 3))
    ax.semilogy(range(1, 51), apart, color=ORANGE, lw=2)
    ax.set(xlabel="step", ylabel="the two weights furthest apart")
    return figure


pictures("18_last_bits", last_bits)

# %% [markdown]
# The runs drift apart. Neither is wrong, and both learn equally well. But now no test of a
# long run can tell a small mistake from rounding, and a run that went wrong cannot be repeated to see
# why. With several workers, chance decides which one finishes first. So the order of the sum must not be
# the order of arrival.
#
# ## A tree
#
# Parts are numbered, and added in pairs, then the pairs in pairs, and so on. A part that is left over
# waits for the next round. The order follows from the number of parts alone. `minigrad.workers.tree`
# adds anything; we let it add Tensors, and the graph of the sum is the tree:

# %%
letters = [mg.Tensor(float(2**k), requires_grad=True) for k in range(5)]
a, b, c, d, e = letters
with mg.record():
    total = tree(letters, np.add)
print(tree("abcde", lambda one, other: f"({one} + {other})"))
assert tree("abcde", lambda one, other: f"({one}{other})") == "(((ab)(cd))e)"
assert total.item() == 1 + 2 + 4 + 8 + 16
pictures("18_tree", mg.graph(total))

# %% [markdown]
# A tree is better than a line in two other ways. Sums at one level can be made at the same time, by
# different workers. And less is lost: each number passes through about $\log_2 n$ roundings, and
# not through up to $n$. We add $n$ numbers between 0 and 1 in float32 both ways, and compare with
# the exact sum.


# %%
def in_a_tree(numbers):
    """As `tree`, where n is a power of 2: a whole row of the tree at once."""
    while len(numbers) > 1:
        numbers = numbers[0::2] + numbers[1::2]
    return float(numbers[0])


counts = 2 ** np.arange(4, 19)
off = {from_left: [], in_a_tree: []}
for n in counts:
    rows = rng.random((8, n)).astype(np.float32)
    for add, values in off.items():
        values.append(np.mean([abs(add(row) / math.fsum(row) - 1) for row in rows]))
print(f"from left to right {off[from_left][-1]:.0e} off, in a tree {off[in_a_tree][-1]:.0e} off")
assert in_a_tree(rows[0]) == float(tree(rows[0], np.add))
assert off[from_left][-1] > 20 * off[in_a_tree][-1]


# %%
def roundings():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 3.3))
    ax.loglog(counts, off[from_left], "o-", color=ORANGE, label="from left to right")
    ax.loglog(counts, off[in_a_tree], "o-", color=BLUE, label="in a tree")
    ax.set(xlabel="numbers", ylabel="off, relative to the sum")
    ax.legend(frameon=False)
    return figure


pictures("18_roundings", roundings)

# %% [markdown]
# ## Threads, processes, machines
#
# | workers | share | are sent, each step | good to know |
# |---|---|---|---|
# | threads | weights and memory | nothing | NumPy's products run side by side, Python's code does not |
# | processes | nothing but the machine | weights; gradients come back | if one dies, the others go on |
# | machines | nothing | the same, over a network | there can be thousands, if the network is fast |
#
# The library has workers of all three kinds. A worker takes the next part as soon as it is free.
# Gradients are kept by the number of their part, and in the end the tree adds them. So chance decides
# which worker computes which part: it differs from run to run.

# %%
ask("same_bits", ...)

# %% [markdown]
# Here are this thread alone, two threads and three. The next section does it with processes.


# %%
def digest(run):
    """64 letters that differ if one bit of all weights does."""
    return hashlib.sha256(weights_of(run).tobytes()).hexdigest()


def trained(run, workers):
    run.workers = workers
    with one_thread():
        for _ in range(4):
            run.step()
    return digest(run)


bits = {"this thread": trained(new_run(), Threads(1))}
try:
    for count in (2, 3):
        with Threads(count) as workers:
            bits[f"{count} threads"] = trained(new_run(), workers)
except errors.ConfigError as problem:
    print("left out:", problem)
print({name: of_all[:16] for name, of_all in bits.items()})
assert len(set(bits.values())) == 1

# %% [markdown]
# ## Two processes (optional)
#
# Now we build the second kind. A worker is a separate program. It is sent the job once (what to compute,
# with the model's sizes, but not its weights), and then weights and parts. It answers with a gradient:
# first its length, when it has been computed, and then the bytes. (A *pipe* carries bytes from one
# program to another. `pickle` makes bytes of objects, and objects of bytes.)

# %%
import concurrent.futures
import contextlib
import os
import pickle
import subprocess
import sys
import time

from minigrad.course.folders import ROOT
from minitransformer.training.threads import VARIABLES

PROGRAM = """
import pickle, sys
receive, send = sys.stdin.buffer, sys.stdout.buffer
job = pickle.load(receive)
while receive.peek(1):  # until the pipe is closed
    weights, part = pickle.load(receive)
    for parameter, array in zip(job.parameters, weights):
        parameter.copy_(array)
    answer = pickle.dumps(job(part))
    send.write(len(answer).to_bytes(8, "big")); send.flush()
    send.write(answer); send.flush()
"""


class Worker:
    """A process that computes parts, and a record of who did what, from when to when."""

    def __init__(self, name, log):
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        alone = dict.fromkeys(VARIABLES, "1")  # each multiplies in one thread
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=os.environ | alone | {"PYTHONPATH": paths},
        )  # fmt: skip
        self.name, self.log, self.alive, self.doomed = name, log, True, False

    def send(self, message):
        data = pickle.dumps(message)
        self.process.stdin.write(data)
        self.process.stdin.flush()
        return len(data)

    def compute(self, weights, part):
        times = [time.perf_counter()]
        sent = self.send((weights, part))  # no weights, if it has them already
        times.append(time.perf_counter())
        if self.doomed:
            self.process.kill()  # as kill -9 does
        size = int.from_bytes(self.process.stdout.read(8), "big")
        times.append(time.perf_counter())
        answer = self.process.stdout.read(size)
        if not size or len(answer) < size:  # it can die in the middle of its answer
            self.log.append((self.name, "dies", times[-2], times[-1], 0))
            raise EOFError
        answer = pickle.loads(answer)
        times.append(time.perf_counter())
        for what, start, end, moved in zip(
            ("send", "compute", "receive"), times, times[1:], (sent, 0, size)
        ):
            self.log.append((self.name, what, start, end, moved))
        return answer


# %% [markdown]
# The trainer asks for `total`, as above.


# %%
class Processes:
    """Workers that are processes, for `Training`."""

    def __init__(self, workers, job):
        self.workers = workers
        for worker in workers:
            worker.send(job)

    def total(self, job, parts):
        waiting, done = collections.deque(enumerate(parts)), {}

        def serve(worker):
            weights = [p.data for p in job.parameters]
            while waiting and worker.alive:
                with contextlib.suppress(IndexError):  # another worker was quicker
                    number, part = waiting.popleft()
                    try:
                        done[number] = worker.compute(weights, part)
                        weights = []  # sent once a step
                    except (EOFError, OSError):
                        worker.alive = False
                        waiting.append((number, part))

        with concurrent.futures.ThreadPoolExecutor(len(self.workers)) as pool:
            while len(done) < len(parts):
                list(pool.map(serve, [w for w in self.workers if w.alive]))
        return tree((done[number] for number in range(len(parts))), added)


def added(one, other):
    return [np.add(x, y) for x, y in zip(one, other)]


# %%
log = []
run = new_run()
two = [Worker("worker 1", log), Worker("worker 2", log)]
both = Processes(two, run.job)
bits["2 processes"] = trained(run, both)
print("2 processes:", bits["2 processes"][:16])
assert len(set(bits.values())) == 1
assert {name for name, *_ in log} == {"worker 1", "worker 2"}

# %% [markdown]
# ### What is sent, and when
#
# Two more steps of the two processes, as they happened. Orange: weights and the part are sent.
# Blue: the worker computes. Green: its gradient comes back. The first line is this process: it cuts
# the batch, adds, and takes the step.


# %%
def watched(run):
    """A step of the two processes, with what this one did before and after they worked."""
    run.workers, before = both, len(log)
    with one_thread():
        start = time.perf_counter()
        run.step()
        end = time.perf_counter()
    inside = log[before:]
    first, last = min(start for *_, start, _, _ in inside), max(end for *_, end, _ in inside)
    log.extend([("this process", "cut", start, first, 0), ("this process", "add", last, end, 0)])


COLOURS = {"send": ORANGE, "compute": BLUE, "receive": GREEN, "dies": GREY}


def time_line(log):
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(9.5, 2.3))
    names = ["this process", "worker 1", "worker 2"]
    begin = min(start for _, _, start, _, _ in log)
    for name, what, start, end, _ in log:
        colour, row = COLOURS.get(what, PURPLE), -names.index(name)
        left, width = 1000 * (start - begin), 1000 * (end - start)
        ax.barh(row, width, left=left, color=colour, height=0.6, edgecolor="white", lw=0.5)
        if what == "dies":
            ax.plot(left + width, row, "x", color="black", ms=10, mew=2)
    for k, (what, colour) in enumerate(
        {"send": ORANGE, "compute": BLUE, "receive": GREEN, "cut; add and step": PURPLE}.items()
    ):
        ax.text(0.02 + 0.13 * k, 1.06, what, color=colour, transform=ax.transAxes, weight="bold")
    ax.set_yticks([0, -1, -2], names)
    ax.set(xlabel="milliseconds")
    ax.tick_params(axis="y", length=0)
    return figure


log.clear()
for _ in range(2):
    watched(run)
moved = {what: sum(n for _, w, *_, n in log if w == what) / 2 for what in ("send", "receive")}
print(f"a step sends {moved['send']:,.0f} bytes and gets back {moved['receive']:,.0f}")
of_weights = weights_of(run).nbytes
print(f"the weights have {of_weights:,} bytes: twice there, and back once for each of 4 parts")
assert 2 <= moved["send"] / of_weights < 2.1
assert 4 <= moved["receive"] / of_weights < 4.1

pictures("18_two_workers", lambda: time_line(log))

# %% [markdown]
# Look for the gaps. At the end of a step the quicker worker waits for the slower one, and then both for
# this process. And nothing can be sent before the weights are known. The model of cost below counts
# computing and sending, not these waits.
#
# ### A worker dies
#
# Machines fail, and the more there are, the more often. We kill one of our two processes while it
# computes a part. To compare, another run first takes the same two steps, and no process is killed.

# %%
ask("dies", ...)

# %%
undisturbed, with_death = new_run(), new_run()
for _ in range(2):
    watched(undisturbed)
log.clear()
watched(with_death)
two[1].doomed = True
watched(with_death)
count = collections.Counter(what for _, what, *_ in log)
print(f"parts computed: {count['compute']}; begun by a worker that died: {count['dies']}")
print(f"{digest(undisturbed)[:16]}... undisturbed, {digest(with_death)[:16]}... with a death")
assert (count["compute"], count["dies"]) == (2 * 4, 1)
assert digest(undisturbed) == digest(with_death)
assert not two[1].alive

pictures("18_one_dies", lambda: time_line(log))

# %%
for worker in two:
    worker.process.communicate()

# %% [markdown]
# The part of the dead worker went back to the parts that wait, and the other worker computed it. The
# library's `Cluster` does the same with Dask, which brings what is missing here: workers on
# other machines, a scheduler that gives new ones work, sums that are made on the workers, and a
# page to watch them. The order of its sum is the same tree.
#
# ## What it costs
#
# A step of $N$ workers (here $N$ is not the vocabulary) takes the time of the work, shared; and the
# time to send. To send a message takes its *latency* $\alpha$, whatever is in it, and the number of its
# bytes divided by the *bandwidth* $\beta$. So with $m$ messages after each other, which carry $v$ bytes
# in all,
#
# $$\text{time} = \frac{\text{work}}{N} + m\, \alpha + \frac{v}{\beta}.$$
#
# Whichever of the three is largest says in which *regime* we are: that of compute, of latency, or of
# bandwidth. More workers shorten the first term only: they help as long as it shrinks by more than the
# others grow.
#
# How many messages there are depends on the way that gradients take. Let a gradient have $s$ bytes.
#
# - **Through the centre**: one process receives a gradient from each of the $N$ workers, and sends the
#   weights to each. $m = 2N$, $v = 2 N s$.
# - **Up a tree and down again**, the workers of a level at the same time:
#   $m = 2 \lceil \log_2 N \rceil$ ($\lceil\ \rceil$ rounds up), $v = m\, s$.
# - **Around a ring** (the next section says why): $m = 2 (N - 1)$, $v = 2 s (N - 1) / N$.
#
# ### The ring (optional)
#
# Each of $N$ workers has the gradient of its part, cut into $N$ chunks. In every round all of them
# send one chunk to their neighbour on the right, at the same time. In round $k$, counted from 0,
# worker $r$ sends its chunk $(r - k) \bmod N$. ($\bmod N$ counts around the ring, from 0 to $N - 1$:
# $-1 \bmod 4$ is 3.) In the first $N - 1$ rounds the neighbour *adds* what arrives; then each has one
# chunk that is complete. In $N - 1$ further rounds what arrives *replaces* what was there, until all
# have everything.


# %%
def rounds(gradients):
    """The chunks (N, N) of all workers, at first and after each round; a row is a worker."""
    N = len(gradients)
    chunks = [list(row) for row in gradients]
    yield np.array(chunks)
    for k in range(2 * (N - 1)):
        sent = [chunks[r][(r - k) % N] for r in range(N)]  # all at the same time
        for r in range(N):
            right, c = (r + 1) % N, (r - k) % N
            chunks[right][c] = chunks[right][c] + sent[r] if k < N - 1 else sent[r]
        yield np.array(chunks)


own = rng.normal(size=(4, 4)).astype(
    np.float32
)  # (N, N): four workers, four chunks of a number each
*_, last = rounds(own)
assert np.allclose(last, own.sum(axis=0), atol=1e-6)
assert (last == last[0]).all()  # all have the same bits
held = list(rounds(np.ones((4, 4), int)))  # how many gradients are in each chunk
assert (held[3] == 4).sum() == 4  # after N - 1 rounds each has one complete chunk
assert (held[-1] == 4).all()


# %%
def the_ring():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 7, figsize=(11, 2.4), sharey=True)
    for k, (ax, table) in enumerate(zip(axes, held)):
        ax.imshow(table, cmap="Blues", vmin=0, vmax=5)
        for r, c in itertools.product(range(4), repeat=2):
            sends = k < 6 and c == (r - k) % 4
            ax.text(
                c, r, table[r, c], ha="center", va="center",
                color="white" if table[r, c] > 2 else "black", weight="bold" if sends else "normal",
            )  # fmt: skip
            if sends:
                ax.add_patch(
                    plt.Rectangle((c - 0.46, r - 0.46), 0.92, 0.92, fill=False, ec=ORANGE, lw=2)
                )
        ax.set(xticks=[], yticks=[], title="at first" if not k else f"round {k - 1}")
    axes[0].set_yticks(range(4), [f"worker {r}" for r in range(4)])
    for ax in axes:
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    return figure


pictures("18_ring", the_ring)

# %% [markdown]
# Numbers say how many gradients are in a chunk; columns are chunks. An orange frame marks what is
# sent next, to the row below (and from the last row to the first).

# %%
ask("ring", ...)

# %% [markdown]
# A worker sends $2 (N - 1)$ chunks of $s / N$ bytes: $m = 2 (N - 1)$ messages and
# $v = 2 s (N - 1) / N$ bytes, less than twice its gradient, *however many workers there are*. That is
# why the ring is widely used (Patarasuk and Yuan prove that no way needs fewer bytes). It has two
# disadvantages: the number of messages grows with $N$, and each chunk is added in another order, which
# depends on $N$. Four workers get other bits than three.


# %%
def step_time(work, N, size, latency, bandwidth, way):
    """Seconds of a step for compute, latency and bandwidth, with gradients of `size` bytes."""
    levels = 2 * math.ceil(math.log2(N))
    messages, volume = {
        "centre": (2 * N, 2 * N * size),
        "ring": (2 * (N - 1), 2 * size * (N - 1) / N),
        "tree": (levels, levels * size),
    }[way]
    return work / N, messages * latency, volume / bandwidth


sent_by_one = 2 * (4 - 1) * (8e6 / 4)  # bytes, of a gradient of 8 MB
assert np.isclose(sent_by_one, step_time(0, 4, 8e6, 0, 1, "ring")[2])

# %% [markdown]
# After the ring each worker takes the step itself, on weights of its own. These stay equal only if
# everything else is equal, too: the first weights, Adam's two means, the rate, the number of steps. A
# worker that begins again without its means, or leaves out a step, moves away from the others, and there
# is no error. So compare a digest of the weights now and then.

# %%
own_weights = [mg.Parameter(np.zeros(1)) for _ in range(2)]
own_adams = [mg.optim.Adam([weights], lr=0.1) for weights in own_weights]
for number, g in enumerate((1.0, -0.5, 2.0, 1.0)):  # the same gradients for both
    if number == 2:
        own_adams[1] = mg.optim.Adam([own_weights[1]], lr=0.1)  # the second begins again
    for weights, adam in zip(own_weights, own_adams):
        weights.grad = mg.Tensor([g])
        adam.step()
    print(f"step {number}:", *(f"{weights.item():.4f}" for weights in own_weights))
    assert np.array_equal(own_weights[0], own_weights[1]) == (number < 2)

# %% [markdown]
# ### In numbers (optional)
#
# First our own two processes, as if each sent back one gradient, with a bandwidth from the time line
# above (on a busy machine it varies a lot), and an assumed 10 microseconds a message.

# %%
taken = collections.defaultdict(list)
for _, what, start, end, size in log:
    taken[what].append((end - start, size))
part_time = np.median([seconds for seconds, _ in taken["compute"]])
seconds, sizes = np.sum(taken["send"] + taken["receive"], axis=0)
here = step_time(4 * part_time, 2, of_weights, 1e-5, sizes / seconds, "centre")
print(f"{1000 * part_time:.1f} ms a part; {sizes / seconds / 1e9:.2f} GB/s through a pipe")
print("two workers, by the model, ms:", np.round(1000 * np.array(here), 1))

# %% [markdown]
# Now machines that we do not have. **What follows was not run: it is the formula, on paper.** Assumed
# are a network of 25 gigabits a second and 20 microseconds a message, and machines that compute
# $150 \cdot 10^{12}$ operations a second. They train the base model of lesson 12, with 63 million
# weights of 4 bytes, and a million symbols a step. A step takes about six operations for each weight and
# symbol: two forwards, a multiplication and an addition, and four back, as many for the gradient of what
# came in and for that of the weight.

# %%
ask("small", ...)

# %%
LATENCY, BANDWIDTH, SPEED = 20e-6, 25e9 / 8, 150e12
WEIGHTS = 63e6
WAYS = {"centre": ORANGE, "tree": GREEN, "ring": BLUE}
machines = np.unique(np.geomspace(1, 100_000, 80).round().astype(int))


def network(N, way, symbols=1e6, weights=WEIGHTS):
    return step_time(6 * weights * symbols / SPEED, N, 4 * weights, LATENCY, BANDWIDTH, way)


total = {way: np.array([sum(network(N, way)) for N in machines]) for way in WAYS}
for way, seconds in total.items():
    print(
        f"{way:>6}: quickest with some {machines[seconds.argmin()]:,} machines, {seconds.min():.2f} s"
    )
quickest = {
    weights: min(WAYS, key=lambda way: sum(network(1000, way, 1e6, weights)))
    for weights in (2_500, WEIGHTS, 175e9)
}
print("by a thousand machines, for so many weights:", quickest)
assert quickest == {2_500: "tree", WEIGHTS: "ring", 175e9: "ring"}
assert machines[total["centre"].argmin()] < 10


# %%
def regimes():
    from matplotlib import pyplot as plt
    from matplotlib.colors import ListedColormap

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
    for way, colour in WAYS.items():
        left.loglog(machines, total[way], color=colour, lw=2)
        least = total[way].argmin()
        left.plot(machines[least], total[way][least], "o", color=colour, ms=8)
        up = "bottom" if way == "ring" else "top"
        left.text(machines[-1] * 1.2, total[way][-1], way, color=colour, va=up)
    left.loglog(machines, total["ring"][0] / machines, ":", color=GREY)
    left.text(
        machines[-1] * 1.2, total["ring"][0] / machines[-1], "work / N", color=GREY, va="center"
    )
    left.set(xlabel="machines", ylabel="seconds a step", title="a million symbols a step")

    symbols = np.geomspace(1e3, 1e9, 80)
    largest = [[np.argmax(network(N, "ring", s)) for N in machines] for s in symbols]
    colours = [BLUE, PURPLE, ORANGE]
    shades = ListedColormap(colours)
    right.pcolormesh(machines, symbols, largest, cmap=shades, alpha=0.35, lw=0, rasterized=True)
    for name, at in (
        ("compute", (20, 1e8)), ("bandwidth", (100, 2e4)), ("latency", (20_000, 2e6))
    ):  # fmt: skip
        right.text(*at, name, ha="center", size=12)
    right.axhline(1e6, color="black", lw=0.8, ls=":")
    right.set(
        xscale="log", yscale="log", xlabel="machines", ylabel="symbols a step",
        title="what takes longest, around a ring",
    )  # fmt: skip
    return figure


pictures("18_regimes", regimes)

# %% [markdown]
# Read the right picture along its dotted line, a million symbols a step. With few machines, computing
# takes longest; with more, sending the bytes; in the end, the many messages of the ring. To move up
# from that line, give each machine more to do between two sums: larger batches. To move the border,
# send less: gradients of 2 bytes or fewer for a number (*compression*), or a sum only every few steps
# (*local steps*). Both give other weights, and have to be shown to learn as well.
#
# ## What more workers change in learning (optional)
#
# If 100 machines each get as many examples as one had, the batch is 100 times as large. Then there are
# 100 times fewer steps for the same examples, and each step must be longer to come as far. The *linear
# scaling rule* (Goyal et al.) makes the learning rate 100 times as high, since 100 small steps nearly
# add up to one large step, as long as the weights change little. Early in training they change much,
# and a warm-up is needed.
#
# Another way is not to wait. A *parameter server* hands out weights and takes gradients whenever they
# come (Dean et al., Li et al.). No worker waits. But a gradient was computed with the weights of some
# steps ago. On a parabola, $L = w^2 / 2$, the gradient is $w$ itself, and it is easy to see what a
# delay does:


# %%
def delayed(delay, lr=0.3, steps=60):
    path = [1.0] * (delay + 1)
    for _ in range(steps):
        path.append(path[-1] - lr * path[-1 - delay])
    return np.array(path[delay:])  # (steps + 1,)


paths = {delay: delayed(delay) for delay in (0, 2, 5)}
print({delay: float(abs(path[-10:]).max().round(4)) for delay, path in paths.items()})
assert abs(paths[0][-1]) < abs(paths[2][-10:]).max() < 0.1
assert abs(paths[5][-10:]).max() > 1


# %%
def delays():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 3))
    for (delay, path), colour in zip(paths.items(), (GREEN, BLUE, ORANGE)):
        ax.plot(path, color=colour, lw=2, label=f"gradients {delay} steps old")
    ax.axhline(0, color=GREY, lw=0.8)
    ax.legend(frameon=False, loc="upper left")
    ax.set(xlabel="step", ylabel="$w$", ylim=(-3, 3))
    return figure


pictures("18_delays", delays)

# %% [markdown]
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_mean", ...)

# %%
ask("end_tree", ...)

# %%
ask("end_cost", ...)

# %% [markdown]
# `minigrad/workers/` has the tree in `job.py`, and in other files the threads and the processes. Try
# them: `python -m minitransformer --accumulate 4 --workers 2`, and with another number; the weights
# are the same bits.
#
# To write yourself: `add_gradients`, `weighted_mean`, `tree_sum` and `ring_round`
# (`python -m minigrad exercises check 18`).
#
# Next: `19_misprints.py`.

# %%
print(pictures)
