"""Lesson 11: layer norm and residuals."""

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.checking.differences import slopes
from minigrad.course.exercises import exercise, numbers, with_culprit
from minigrad.course.exercises.exercise import SIZES
from minigrad.course.exercises.shared_files import draws

# --- layer norm -----------------------------------------------------------------------------------


def by_the_library(x, gain, bias, eps):
    norm = mt.LayerNorm(x.shape[-1], eps)
    norm.gain.copy_(gain, dtype=np.float64)
    norm.bias.copy_(bias, dtype=np.float64)
    return norm(mg.Tensor(x)).detach().numpy()


def to_normalise(rng, size):
    """With size 6, numbers that are all the same; with size 7, nearly so."""
    shape = [(1, 2), (2, 2), (2, 3), (2, 2, 4), (3,), (2, 2), (2, 2)][size - 1]
    D = shape[-1]
    x = rng.permutation(np.arange(1, 1 + np.prod(shape)) / 5).reshape(shape) + numbers(rng, 1)
    if size == 6:
        x[1] = x[1, 0]
    if size == 7:
        x[1] = x[1, 0] + rng.permutation([0.0, 0.16])
    return x, numbers(rng, D), numbers(rng, D), 0.1


@exercise(
    points=2,
    draw=to_normalise,
    sizes=(*SIZES, 5, 6, 7),
    truth=by_the_library,
    properties={
        "adding 5 to all numbers changes nothing": lambda f, x, *rest: np.allclose(
            f(x + 5, *rest), f(x, *rest)
        ),
    },
    hints=[
        "Mean and variance along the last axis, with keepdims=True so that they fit beside x.",
        "np.var divides by D, as here. eps belongs under the root.",
    ],
    worked=(
        lambda: (
            np.array([[2.0, 4.0, 6.0]]),
            np.array([1.0, 1.0, 2.0]),
            np.array([0.0, 5.0, 0.0]),
            0.0,
        ),
        [
            "The mean is {x.mean()}. Taken off: {d := x - x.mean()}",
            "The squares are 4, 0, 4; their mean is the variance, {v := (d * d).mean()}, and its "
            "root {np.sqrt(v + eps)}",
            "Divided: {n := d / np.sqrt(v + eps)}",
            "Times the gain, plus the bias: {n * gain + bias}",
        ],
    ),
)
def layer_norm(x, gain, bias, eps):
    mean = x.mean(axis=-1, keepdims=True)
    variance = np.square(x - mean).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * gain + bias


def normalised(x, eps, axis=-1, ddof=0):
    mean, variance = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True, ddof=ddof)
    return (x - mean) / np.sqrt(variance + eps)


@layer_norm.mistake(
    "The variance is divided by D - 1, the count of statistics; here it is the mean of the "
    "squares, divided by D."
)
def _(x, gain, bias, eps):
    return normalised(x, eps, ddof=1) * gain + bias


@layer_norm.mistake(
    "It normalises over the positions, down the columns. That is another layer, batch norm; here "
    "each position is by itself."
)
def _(x, gain, bias, eps):
    return normalised(x, eps, axis=0) * gain + bias


@layer_norm.mistake(
    "One mean and one variance are taken of the whole array; each position has its own."
)
def _(x, gain, bias, eps):
    return normalised(x, eps, axis=None) * gain + bias


@layer_norm.mistake("eps is added to the standard deviation; it belongs under the root.")
def _(x, gain, bias, eps):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / (np.sqrt(np.square(x).mean(axis=-1, keepdims=True)) + eps) * gain + bias


@layer_norm.mistake("The bias is left out.")
def _(x, gain, bias, eps):
    return normalised(x, eps) * gain


@layer_norm.mistake("The bias is added before the gain multiplies; it comes last.")
def _(x, gain, bias, eps):
    return (normalised(x, eps) + bias) * gain


@layer_norm.mistake("eps is left out: where all numbers are equal, 0 is divided by 0.")
def _(x, gain, bias, eps):
    return normalised(x, 0.0) * gain + bias


@layer_norm.mistake(
    "eps takes the place of a standard deviation that is small; it is always added, under the root."
)
def _(x, gain, bias, eps):
    mean, deviation = x.mean(axis=-1, keepdims=True), x.std(axis=-1, keepdims=True)
    return (x - mean) / np.maximum(deviation, eps) * gain + bias


@layer_norm.mistake("The root is missing: it divides by the variance.")
def _(x, gain, bias, eps):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / (np.square(x).mean(axis=-1, keepdims=True) + eps) * gain + bias


@layer_norm.mistake(
    "The mean is not taken off. That is another layer, RMS norm, and in it the variance is taken "
    "around 0."
)
def _(x, gain, bias, eps):
    return x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + eps) * gain + bias


@layer_norm.mistake(
    "keepdims is forgotten: means and variances have lost the last axis, and are broadcast along "
    "the positions' numbers, where they fit at all."
)
def _(x, gain, bias, eps):
    return (x - x.mean(axis=-1)) / np.sqrt(x.var(axis=-1) + eps) * gain + bias


@layer_norm.mistake("Gain and bias are left out: the result is normalised, and nothing more.")
def _(x, gain, bias, eps):
    return layer_norm.solution(x, 1, 0, eps)


@layer_norm.mistake(
    "It multiplies by gain + bias; the gain multiplies, and then the bias is added."
)
def _(x, gain, bias, eps):
    return layer_norm.solution(x, gain + bias, 0, eps)


@layer_norm.mistake("The mean is not taken off x; it is divided alone.")
def _(x, gain, bias, eps):
    return x / np.sqrt(x.var(axis=-1, keepdims=True) + eps) * gain + bias


@layer_norm.mistake("It adds a small number of its own under the root; `eps` says which to add.")
def _(x, gain, bias, eps):
    return layer_norm.solution(x, gain, bias, 1e-5)


@layer_norm.mistake("The gain is left out.")
def _(x, gain, bias, eps):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(
        x.var(axis=-1, keepdims=True) + eps
    ) + bias


@layer_norm.mistake("Axis 1 is the last one of a matrix alone; -1 is the last of any array.")
def _(x, gain, bias, eps):
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(
        x.var(axis=1, keepdims=True) + eps
    ) * gain + bias


@layer_norm.mistake("The squares are summed; their mean is the variance.")
def _(x, gain, bias, eps):
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d * d).sum(axis=-1, keepdims=True) + eps) * gain + bias


@layer_norm.mistake("Only the mean is divided: x - mean needs brackets.")
def _(x, gain, bias, eps):
    s = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    return (x - x.mean(axis=-1, keepdims=True) / s) * gain + bias


# --- its rule -------------------------------------------------------------------------------------


def by_differences(g, x, gain, eps):
    x = x.copy()
    y = lambda: [layer_norm.solution(x, gain, 0 * gain, eps)]
    return slopes(y, [g], x, 1e-6)


def a_gradient(rng, size):
    x, gain, _, eps = to_normalise(rng, min(size, 3))
    gain = np.arange(1, len(gain) + 1) * rng.choice([0.5, 1.0, -1.0])  # never uniform
    return numbers(rng, *x.shape), x, gain, eps


def norm_drawn(inputs, given, right):
    g, x, gain, eps = inputs
    with mg.record():
        x, gain = mg.Tensor(x, requires_grad=True, name="x"), mg.Tensor(gain, name="gain")
        n = mg.functional.standardize(x, eps=eps)
        y = n * gain
    y.backward(g)
    return with_culprit(mg.graph(y), "x", f"your gradient of x is {np.round(given, 3).tolist()}")


@exercise(
    points=3,
    draw=a_gradient,
    truth=by_differences,
    rtol=1e-4,
    atol=1e-5,
    picture=norm_drawn,
    properties={
        "each position's gradient sums to 0": lambda f, *a: np.allclose(f(*a).sum(axis=-1), 0),
    },
    hints=[
        "First what arrives at n: g times the gain. Everything else is made of that.",
        "Both means are along the last axis, with keepdims=True.",
    ],
    worked=(
        lambda: (
            np.array([[1.0, 0.0, 0.0]]),
            np.array([[0.0, 3.0, 6.0]]),
            np.array([2.0, 1.0, 1.0]),
            0.0,
        ),
        [
            "h = g gain = {h := g * gain}, with the mean {h.mean()}",
            "x - mean = {d := x - x.mean()}, s = {s := np.sqrt((d * d).mean() + eps)}, n = {n := "
            "d / s}",
            "h n = {h * n}, with the mean {m := (h * n).mean()}",
            "(h - {h.mean()} - n * {m}) / s = {(h - h.mean() - n * m) / s}",
        ],
    ),
)
def layer_norm_rule(g, x, gain, eps):
    mean = lambda a: a.mean(axis=-1, keepdims=True)
    s = np.sqrt(mean(np.square(x - mean(x))) + eps)
    n, h = (x - mean(x)) / s, g * gain
    return (h - mean(h) - n * mean(h * n)) / s


def rule_parts(x, eps):
    """The normalised x, and what it was divided by."""
    s = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    return (x - x.mean(axis=-1, keepdims=True)) / s, s


def rule(h, x, eps, about_mean=1.0, about_variance=1.0):
    mean = lambda a: a.mean(axis=-1, keepdims=True)
    n, s = rule_parts(x, eps)
    return (h - about_mean * mean(h) - about_variance * n * mean(h * n)) / s


@layer_norm_rule.mistake(
    "This is right only for a uniform gain: the gain is multiplied in at the end, after the "
    "means. It belongs to g, before them."
)
def _(g, x, gain, eps):
    return rule(g, x, eps) * gain


@layer_norm_rule.mistake("The gain is left out: what arrives at n is g times the gain.")
def _(g, x, gain, eps):
    return rule(g, x, eps)


@layer_norm_rule.mistake(
    "Mean and variance are taken for constants; they are computed from x, and a nudge to x moves "
    "both."
)
def _(g, x, gain, eps):
    return rule(g * gain, x, eps, 0, 0)


@layer_norm_rule.mistake(
    "The variance is taken for a constant: the part with n and the mean of h n is missing. Or it is 0, "
    "as with the mean of h times the mean of n: multiply first, then take the mean."
)
def _(g, x, gain, eps):
    return rule(g * gain, x, eps, 1, 0)


@layer_norm_rule.mistake("The mean is taken for a constant: the mean of h is missing.")
def _(g, x, gain, eps):
    return rule(g * gain, x, eps, 0, 1)


@layer_norm_rule.mistake("Sums stand where the means should be: divide by D.")
def _(g, x, gain, eps):
    D = x.shape[-1]
    return rule(g * gain, x, eps, D, D)


@layer_norm_rule.mistake("The sum of h n stands where its mean should be: divide by D.")
def _(g, x, gain, eps):
    return rule(g * gain, x, eps, 1, x.shape[-1])


@layer_norm_rule.mistake(
    "The means run over the positions, down the columns; each position is by itself."
)
def _(g, x, gain, eps):
    return rule((g * gain).T, x.T, eps).T


@layer_norm_rule.mistake(
    "The means of h and of h n run over the positions, down the columns; each position is by itself."
)
def _(g, x, gain, eps):
    n, s = rule_parts(x, eps)
    h = g * gain
    return (h - h.mean(axis=0) - n * (h * n).mean(axis=0)) / s


@layer_norm_rule.mistake(
    "n and s are found down the columns, over the positions; each position is by itself."
)
def _(g, x, gain, eps):
    n, s = (part.T for part in rule_parts(x.T, eps))
    h = g * gain
    mean = lambda a: a.mean(axis=-1, keepdims=True)
    return (h - mean(h) - n * mean(h * n)) / s


@layer_norm_rule.mistake("The division by the standard deviation is missing.")
def _(g, x, gain, eps):
    return rule(g * gain, x, eps) * np.sqrt(x.var(axis=-1, keepdims=True) + eps)


@layer_norm_rule.mistake(
    "The last mean is of h x, and should be of h n: n is what was normalised, x is not."
)
def _(g, x, gain, eps):
    mean = lambda a: a.mean(axis=-1, keepdims=True)
    s = np.sqrt(mean(np.square(x - mean(x))) + eps)
    n, h = (x - mean(x)) / s, g * gain
    return (h - mean(h) - n * mean(h * x)) / s


@layer_norm_rule.mistake(
    "x - mean stands where n should be, before the last mean or in it: n is x - mean divided by s."
)
def _(g, x, gain, eps):
    mean = lambda a: a.mean(axis=-1, keepdims=True)
    s = np.sqrt(mean(np.square(x - mean(x))) + eps)
    n, h = x - mean(x), g * gain
    return (h - mean(h) - n * mean(h * n)) / s


@layer_norm_rule.mistake(
    "x - mean stands where n should be, before the last mean or in it: n is x - mean divided by s."
)
def _(g, x, gain, eps):
    mean = lambda a: a.mean(axis=-1, keepdims=True)
    s = np.sqrt(mean(np.square(x - mean(x))) + eps)
    n, h = x - mean(x), g * gain
    return (h - mean(h) - n * mean(h * n / s)) / s


@layer_norm_rule.mistake("It is divided by variance + eps; s is the square root of that.")
def _(g, x, gain, eps):
    return rule(g * gain, x, eps) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)


@layer_norm_rule.mistake(
    "It adds a small number of its own under the root; `eps` says which to add."
)
def _(g, x, gain, eps):
    return rule(g * gain, x, 1e-5)


@layer_norm_rule.mistake("It is multiplied by s; divide by it.")
def _(g, x, gain, eps):
    s = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    n, h = (x - x.mean(axis=-1, keepdims=True)) / s, g * gain
    return (h - h.mean(axis=-1, keepdims=True) - n * (h * n).mean(axis=-1, keepdims=True)) * s


@layer_norm_rule.mistake("Only the last part is divided by s: all three are, in brackets.")
def _(g, x, gain, eps):
    s = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    n, h = (x - x.mean(axis=-1, keepdims=True)) / s, g * gain
    return h - h.mean(axis=-1, keepdims=True) - n * (h * n).mean(axis=-1, keepdims=True) / s


@layer_norm_rule.mistake("x stands where n should: the normalized numbers.")
def _(g, x, gain, eps):
    s, h = np.sqrt(x.var(axis=-1, keepdims=True) + eps), g * gain
    return (h - h.mean(axis=-1, keepdims=True) - x * (h * x).mean(axis=-1, keepdims=True)) / s


@layer_norm_rule.mistake("The part with n is added; it is taken off.")
def _(g, x, gain, eps):
    s = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    n, h = (x - x.mean(axis=-1, keepdims=True)) / s, g * gain
    return (h - h.mean(axis=-1, keepdims=True) + n * (h * n).mean(axis=-1, keepdims=True)) / s


# --- residuals ------------------------------------------------------------------------------------


def a_layer(rng, size):
    layer = draws().layer(numbers(rng, size, size))
    return numbers(rng, 2, size), layer, draws().norm()


@exercise(
    draw=a_layer,
    sizes=(1, 1, 2, 2, 3),
    truth=lambda x, layer, norm: np.add(layer(norm(x)), x),
    properties={
        "with a layer that finds nothing, x stays as it is": lambda f, x, layer, norm: np.allclose(
            f(x, draws().nothing(), norm), x
        ),
    },
    hints=["x goes on unchanged, past the layer; the layer sees it normalised."],
    worked=(
        lambda: (np.array([[4.0, 8.0]]), lambda x: x * x, lambda x: x / 4),
        [
            "Normalised, by this norm a quarter: {n := norm(x)}",
            "The layer, here a square, finds {y := layer(n)}",
            "Added to x as it was: {x + y}",
        ],
    ),
)
def residual_step(x, layer, norm):
    return x + layer(norm(x))


@residual_step.mistake(
    "The residual is missing: the layer's result takes the place of x, and in a deep stack the "
    "gradient has to pass through every layer."
)
def _(x, layer, norm):
    return layer(norm(x))


@residual_step.mistake(
    "This is post-norm, norm(x + layer(x)): the norm stands on the way past the layer, and x does "
    "not go on unchanged."
)
def _(x, layer, norm):
    return norm(x + layer(x))


@residual_step.mistake("It is norm(x) that is added; x itself goes past the layer.")
def _(x, layer, norm):
    return norm(x) + layer(norm(x))


@residual_step.mistake("The layer sees x as it is; the norm is left out.")
def _(x, layer, norm):
    return x + layer(x)


@residual_step.mistake("The norm comes after the layer: it should come before it.")
def _(x, layer, norm):
    return x + norm(layer(x))
