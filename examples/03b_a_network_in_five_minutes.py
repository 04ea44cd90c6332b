# %% [markdown]
# # 03b A network in five minutes
#
# *Layer, bias, bend, loss, rate, batch: on points that no line can part. About 3 seconds.*
#
# You can find derivatives, and check them. From here on the course computes with *networks*, and this
# short lesson says what that is. There are six words to learn, and each is one line of code.
#
# After it you can
#
# - say what a layer computes, and what its bias is for;
# - show that two layers without a bend between them are one;
# - train a small network by gradient descent, and say what rate and batch are;
# - derive the derivative of $\tanh$.

# %%
import numpy as np

import minigrad as mg
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minigrad.functional import relu
from minigrad.views.plots import BLUE, GREEN, GREY, ORANGE

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("03b")

# %% [markdown]
# ## A layer
#
# A *layer* turns one vector $x$ of $n$ numbers into another one $y$ of $m$ numbers. Each result is a sum
# of all inputs, each times a *weight*, plus one number more, the *bias*:
#
# $$y_j = \sum_i x_i W_{ij} + b_j, \qquad \text{in short} \qquad y = x W + b,$$
#
# with $W$ of shape $(n, m)$ and $b$ of $(m,)$. Why a bias? Without it $x = 0$ would always give
# $y = 0$. With one input and one output, $y = w x + b$ is a straight line: $w$ is its slope, and $b$
# its height at $x = 0$. Weights and biases are the *parameters*: the numbers that are learned.

# %%
W = np.array([[1.0, 0.0, -1.0], [0.5, 1.0, 0.0]])  # (n, m) = (2, 3)
b = np.array([0.0, 1.0, 2.0])  # (3,)
x = np.array([2.0, 4.0])
print("y =", x @ W + b)
assert np.array_equal(x @ W + b, [4, 5, 0])

# %% [markdown]
# Several vectors are computed at once, as the rows of a matrix $X$ of shape $(B, n)$. That is a
# *batch*. $X W + b$ is $(B, m)$: NumPy copies $b$ into each row.
#
# ## Two layers are one
#
# Can two layers do more than one? Let the first compute $u = 2x + 1$, and the second $y = 3u - 1$.

# %%
ask("one_line", ...)

# %%
W_1, b_1, W_2, b_2 = 2.0, 1.0, 3.0, -1.0
W_both, b_both = W_1 * W_2, b_1 * W_2 + b_2
print(f"both together: y = {W_both:g} x + {b_both:g}")
for x in (-1.0, 0.0, 5.0):
    assert (x * W_1 + b_1) * W_2 + b_2 == x * W_both + b_both

# %% [markdown]
# It is the same with matrices:
#
# $$(x W_1 + b_1) W_2 + b_2 = x\,(W_1 W_2) + (b_1 W_2 + b_2).$$
#
# The two matrices together are one matrix, and so however many layers follow each other, they do what
# one can do.
#
# ## A bend
#
# So something must come in between that is not straight. It is applied to each number by itself. Two are
# used most:
#
# - $\tanh$ climbs from -1 to 1, and is steepest at 0, where its slope is 1;
# - $\mathrm{relu}(x) = \max(x, 0)$ is 0 up to 0, and $x$ from there on.
#
# (Both are called *activation functions*. The numbers between two layers, which nobody sees from
# outside, are called *hidden*.) What is the slope of $\tanh$ at other places? Write it with two
# shorter names,
#
# $$\tanh x = \frac{u}{v}, \qquad u = e^x - e^{-x}, \qquad v = e^x + e^{-x}.$$
#
# Then $u' = v$ and $v' = u$, and the [quotient rule](MATHEMATICS.md#derivatives) says
#
# $$\tanh' x = \frac{u' v - u v'}{v^2} = \frac{v^2 - u^2}{v^2} = 1 - \tanh^2 x .$$

# %%
ask("slope_of_tanh", ...)

# %%
slope_at = lambda x: 1 - np.tanh(x) ** 2
where = np.arctanh(0.8)  # the place where tanh is 0.8
print(f"slope where tanh is 0.8: {slope_at(where):.2f}")
h = 1e-5
for x in (-2.0, 0.0, 0.5):
    by_differences = (np.tanh(x + h) - np.tanh(x - h)) / (2 * h)
    print(f"at {x:4}: 1 - tanh^2 = {slope_at(x):.6f}, by differences {by_differences:.6f}")
    assert np.isclose(slope_at(x), by_differences)

# %% [markdown]
# ## Points that no line can part
#
# Here are 40 numbers $x$ from -1 to 1. Those in the middle should give 1, the others -1. A line
# $y = w x + b$ would have to be below 0, then above, then below again. No line is.
#
# A network of two layers: the first makes 4 hidden numbers of each $x$, $\tanh$ bends them, and the
# second makes one number of these four,
#
# $$y = \tanh(x W_1 + b_1)\, W_2 + b_2 .$$

# %%
points = np.linspace(-1, 1, 40)[:, None]  # (B, 1)
wanted = np.where(np.abs(points) < 0.5, 1.0, -1.0)  # (B, 1)


def network(x, W_1, b_1, W_2, b_2):
    return np.tanh(x @ W_1 + b_1) @ W_2 + b_2  # (B, 1) -> (B, 4) -> (B, 1)


# %%
ask("parameters", ...)


# %%
def start():
    """The first weights are random. (Equal ones would get equal gradients, and stay equal.)"""
    rng = np.random.default_rng(0)
    shapes = [(1, 4), (4,), (4, 1), (1,)]  # of W_1, b_1, W_2, b_2
    return [mg.Tensor(0.5 * rng.normal(size=shape), requires_grad=True) for shape in shapes]


print(sum(parameter.size for parameter in start()), "parameters")

# %% [markdown]
# ## Loss, step and rate
#
# The *loss* is one number that says how wrong the network is. Here it is the mean of the squared errors,
#
# $$L = \frac{1}{B} \sum_i (y_i - \mathrm{wanted}_i)^2 .$$
#
# Training is what the four lines at the end of lesson 01 did, with more numbers. A *step* computes the
# loss, walks back, and moves each parameter against its gradient,
#
# $$W \leftarrow W - \eta\, \frac{\partial L}{\partial W} .$$
#
# First all gradients are found, and only then the parameters move. If $W_2$ moves as soon as its own
# gradient is there, the walk goes on to $W_1$ through the *new* $W_2$, and what arrives is not the
# gradient of any network. The new $W_2$ differs from the old by the rate times a gradient. So the
# mistake is in proportion to the rate: with a tiny one it can hardly be seen.


# %%
def gradient_of_the_first(rate, x=2.0, w_1=3.0, w_2=0.5, g=4.0):
    """Of w_1 in y = x w_1 w_2, where g arrives at y, if w_2 has taken its step already."""
    return g * x * (w_2 - rate * g * x * w_1)


for rate in (0.0, 0.001, 0.01):
    print(f"w_2 moved at the rate {rate}: the gradient of w_1 is {gradient_of_the_first(rate):.3f}")
off = [gradient_of_the_first(rate) - gradient_of_the_first(0) for rate in (0.001, 0.01)]
assert np.isclose(off[1], 10 * off[0])

# %% [markdown]
# $\eta$ is the *learning rate*. It says how far a step goes. We take 500 steps each with three rates:
# 0.001, 0.3 and 1.

# %%
ask("three_rates", ...)


# %%
def train(rate, steps=500):
    """Return the parameters after training, and the loss before each step."""
    parameters, losses = start(), []
    for _ in range(steps):
        error = network(points, *parameters) - wanted
        loss = np.mean(error * error)
        losses.append(loss.item())  # .item(): the number alone, without its graph
        if losses[-1] > 1e6:
            break  # it will not come back
        for parameter in parameters:
            parameter.grad = None  # or gradients would add up from step to step
        loss.backward()
        with mg.no_grad():  # what is computed in here is not part of any graph
            for parameter in parameters:
                parameter -= rate * parameter.grad
    return parameters, losses


runs = {rate: train(rate) for rate in (0.001, 0.3, 1.0)}
for rate, (_, losses) in runs.items():
    print(f"rate {rate:5}: the loss goes from {losses[0]:.2f} to {losses[-1]:.3g}", end=" ")
    print(f"in {len(losses)} steps")
trained, losses = runs[0.3]
right = np.mean(np.sign(network(points, *trained).data) == wanted)
print(f"with the rate 0.3, {right:.0%} of the points are right")
assert losses[-1] < 0.2 < runs[0.001][1][-1] < runs[1.0][1][-1]
assert right == 1


# %%
def bends():
    from matplotlib import pyplot as plt

    figure, (left, middle, last) = plt.subplots(1, 3, figsize=(11.5, 3.3))
    line = np.linspace(-1.2, 1.2, 200)[:, None]
    W_1, b_1, W_2, b_2 = (parameter.data for parameter in trained)
    wide = 3 * line
    left.plot(wide, np.tanh(wide), color=BLUE, label="tanh")
    left.plot(wide, relu(wide), color=ORANGE, label="relu")
    left.legend(frameon=False)
    left.set(title="two bends", xlabel="$x$", ylim=(-1.2, 2))
    parts = np.tanh(line @ W_1 + b_1) * W_2[:, 0]  # (200, 4)
    middle.plot(line, parts, color=GREY, lw=1)
    middle.plot(line, parts.sum(axis=1) + b_2, color=GREEN, lw=2)
    middle.scatter(points, wanted, s=10, color=np.where(wanted[:, 0] > 0, BLUE, ORANGE))
    middle.set(title="four bends (grey), and their sum", xlabel="$x$")
    for (rate, (_, curve)), colour in zip(runs.items(), (GREY, GREEN, ORANGE)):
        last.plot(curve, color=colour, label=f"rate {rate:g}")
    last.set(yscale="log", xlabel="step", ylabel="loss")
    last.legend(frameon=False)
    return figure


pictures("03b_bends", bends)

# %% [markdown]
# With the small rate the loss falls, but slowly: after 500 steps it is where the rate 0.3 is after a
# few. With a large one each step jumps over the valley and lands higher than before, until the numbers
# are too large to compute with: training *diverges*. In between it learns. In the middle picture, each
# grey curve is one hidden number times its weight: a step upwards or downwards at some place. Their
# sum, with the bias, is up in the middle and down at both sides.
#
# ## A batch
#
# With a million examples, a step would take a million evaluations. But the loss is a mean, and the mean
# of some examples, drawn at random, is near the mean of all. So each step takes a *batch* of them, for
# example 8. That is called *stochastic gradient descent*, SGD: stochastic means by chance. How near are
# the gradients of such batches to that of all 40 points? We draw 200, at the start and after 20 steps,
# and compute their cosines with it. (A cosine is 1 for the same direction, and 0 at a right angle. It is
# the [product of two vectors, divided by both lengths](MATHEMATICS.md#matrices).)


# %%
def gradient(parameters, rows):
    for parameter in parameters:
        parameter.grad = None
    np.mean(np.square(network(points[rows], *parameters) - wanted[rows])).backward()
    return np.concatenate([parameter.grad.numpy().ravel() for parameter in parameters])


def cosines(parameters):
    """Of 200 batches with all points; and how far their mean is from the gradient of all."""
    rng = np.random.default_rng(1)
    of_all = gradient(parameters, np.arange(40))
    # choice draws 8 of the 40 rows, none of them twice
    batches = [gradient(parameters, rng.choice(40, 8, replace=False)) for _ in range(200)]
    lengths = np.linalg.norm(batches, axis=1) * np.linalg.norm(of_all)
    off = np.linalg.norm(np.mean(batches, axis=0) - of_all) / np.linalg.norm(batches, axis=1).mean()
    return np.array(batches) @ of_all / lengths, off


agree = {steps: cosines(train(0.3, steps)[0] if steps else start()) for steps in (0, 20)}
for steps, (found, off) in agree.items():
    print(f"after {steps:2} steps: cosines from {found.min():.2f} to {found.max():.2f};", end=" ")
    print(f"their mean is off by {off:.2f} of their length")
assert agree[0][0].min() > 0.9
assert agree[20][0].min() < 0.5
assert max(off for _, off in agree.values()) < 0.2

# %% [markdown]
# At the start all of them point nearly the same way. After 20 steps the loss hardly falls for a while
# (see the curve), its gradient is small, and that of a single batch may be at a right angle to it. But
# their mean is near it, the nearer the more batches there are, and so many small steps go the right
# way.
#
# ## The same, with parts that are there already
#
# minigrad has these lines as parts, under the names that PyTorch gives them. `nn.Linear(n, m)` holds
# $W$ and $b$, and computes $x W + b$. `optim.SGD` takes steps: `zero_grad()` forgets the last
# gradients, `step()` moves each parameter. `mse_loss` is the mean of the squared errors.
# (`optim.Adam` does the same, but makes steps of about the same size for all parameters; lesson 13
# has its formula.) Here SGD starts from the same numbers, and gives the same loss:

# %%
first, second = mg.nn.Linear(1, 4).astype(np.float64), mg.nn.Linear(4, 1).astype(np.float64)
of_parts = [first.weight, first.bias, second.weight, second.bias]
for parameter, value in zip(of_parts, start()):
    parameter.copy_(value.data)  # copy_ gives a parameter other numbers
optimizer = mg.optim.SGD(of_parts, lr=0.3)
for _ in range(500):
    loss = mg.functional.mse_loss(second(np.tanh(first(points))), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"by parts, the loss before the last step is {loss.item():.4f}; by hand {losses[-1]:.4f}")
assert np.isclose(loss.item(), losses[-1], rtol=1e-3)

# %% [markdown]
# ## Train it yourself (optional)
#
# The same network on six of the points, as a page on which every number can be changed. Press
# *Learn*, and *Play*: the parameters move, step by step, and the loss falls. Then start again with
# another rate. (If you read this in a browser, [the page is here](out/03b_network.html).)

# %%
few = np.arange(0, 40, 7)  # (6,)
parameters = [mg.Parameter(parameter.data) for parameter in start()]
with mg.record():
    loss_of_six = np.mean(np.square(network(points[few], *parameters) - wanted[few]))
pictures.folder.mkdir(parents=True, exist_ok=True)
page = mg.explore(
    loss_of_six, pictures.folder / "03b_network.html", title="a network of two layers"
)
print("open in a browser:", page)

# %% [markdown]
# ## Six words
#
# | word | what it is |
# |---|---|
# | layer | $x W + b$; its numbers are learned, and are called parameters |
# | bias | $b$: what a layer gives for $x = 0$ |
# | bend | a function between two layers that is not straight, such as $\tanh$ |
# | loss | one number: how wrong the network is |
# | step, rate | $W \leftarrow W - \eta\, \partial L / \partial W$; $\eta$ is the rate |
# | batch | the examples of one step, computed side by side |
#
# That is all that the next lessons need. A transformer has other layers too, but its training is this
# loop.
#
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_count", ...)

# %%
ask("end_step", ...)

# %% [markdown]
# Next: `04_your_own_engine.py`. Here minigrad found the gradients. Now write what finds them.

# %%
print(pictures)
