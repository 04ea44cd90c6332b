"""Lesson 03: trust, but check."""

import numpy as np

from minigrad.checking.differences import slope
from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.shared_files import draws

# --- finite differences ---------------------------------------------------------------------------


def some_function(rng, size):
    shape = [(1,), (1,), (2,), (2,), (2, 2), (3,), (), (2, 1, 2), (2,)][size]
    x = np.asarray(numbers(rng, *shape)) if size < 8 else rng.integers(1, 4, shape)
    return draws().cubic(numbers(rng, *shape), numbers(rng, *shape)), x, 0.25


def by_library(f, x, h):
    x = x.astype(float)
    along = lambda k: slope(lambda: [np.array(f(x))], [1.0], x, k, h, h)
    return np.reshape([along(k) for k in np.ndindex(x.shape)], x.shape)


@exercise(
    points=2,
    draw=some_function,
    sizes=range(9),
    truth=by_library,
    hints=[
        "For each element: take a copy of x with that one element raised by h, and one with it "
        "lowered by h.",
        "np.ndindex(x.shape) gives every index in turn. A copy of whole numbers holds whole "
        "numbers: x.astype(float) is a copy, too.",
    ],
    worked=(
        lambda: (lambda x: float(x[0] * x[1] + x[1]), np.array([3, 4]), 0.1),
        [
            "Whole numbers first become floats: {x := x.astype(float)}",
            "f at [3.1, 4] is {f(np.array([3.1, 4]))}, at [2.9, 4] it is {f(np.array([2.9, 4]))}: "
            "their difference over 0.2 is {a := (f(np.array([3.1, 4])) - f(np.array([2.9, 4]))) / "
            "0.2}",
            "f at [3, 4.1] is {f(np.array([3, 4.1]))}, at [3, 3.9] it is {f(np.array([3, 3.9]))}: "
            "{b := (f(np.array([3, 4.1])) - f(np.array([3, 3.9]))) / 0.2}",
            "Together {np.array([a, b])}",
        ],
    ),
)
def numerical_gradient(f, x, h):
    x = x.astype(float)
    gradient = np.empty(x.shape)
    for k in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[k] += h
        below[k] -= h
        gradient[k] = (f(above) - f(below)) / (2 * h)
    return gradient


@numerical_gradient.mistake(
    "This is a one-sided difference, whose error falls with h alone; the central one takes a step "
    "to either side, and its error falls with h squared."
)
def _(f, x, h):
    x = x.astype(float)
    gradient = np.empty(x.shape)
    for k in np.ndindex(x.shape):
        above = x.copy()
        above[k] += h
        gradient[k] = (f(above) - f(x)) / h
    return gradient


@numerical_gradient.mistake("It divides by h; the two points are 2h apart.")
def _(f, x, h):
    return 2 * numerical_gradient.solution(f, x, h)


@numerical_gradient.mistake(
    "All elements are nudged at once, which gives the sum of all slopes; nudge one and leave the "
    "others as they are."
)
def _(f, x, h):
    return np.full(x.shape, (f(x + h) - f(x - h)) / (2 * h))


@numerical_gradient.mistake(
    "The elements nudged before keep their nudge: put each back before the next one's turn."
)
def _(f, x, h):
    x = x.astype(float)
    gradient = np.empty(x.shape)
    for k in np.ndindex(x.shape):
        x[k] += h
        above = f(x)
        x[k] -= 2 * h
        gradient[k] = (above - f(x)) / (2 * h)
    return gradient


@numerical_gradient.mistake(
    "An array of whole numbers, and its copy too, cuts off a nudge of less than 1: convert x to floats "
    "first, by `x.astype(float)`."
)
def _(f, x, h):
    gradient = np.empty(x.shape)
    for k in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[k] = x[k] + h
        below[k] = x[k] - h
        gradient[k] = (f(above) - f(below)) / (2 * h)
    return gradient


@numerical_gradient.mistake(
    "The result has the dtype of x: np.zeros_like(x) of whole numbers holds whole numbers, and cuts "
    "the slopes off."
)
def _(f, x, h):
    gradient = np.zeros_like(x)
    gradient[...] = numerical_gradient.solution(f, x, h)
    return gradient


@numerical_gradient.mistake(
    "Both names stand for the same array: `above = below = x` copies nothing, so that both differences "
    "are taken at one point, and are 0."
)
def _(f, x, h):
    return np.zeros(x.shape)


@numerical_gradient.mistake(
    "Whole rows are nudged at once: with more than one axis, each element needs an index for every axis."
)
def _(f, x, h):
    x = x.astype(float)
    gradient = np.empty(x.shape)
    for k in range(len(x)):
        above, below = x.copy(), x.copy()
        above[k] += h
        below[k] -= h
        gradient[k] = (f(above) - f(below)) / (2 * h)
    return gradient


@numerical_gradient.mistake(
    "The difference is upside down: f above minus f below, or the slope gets the wrong sign."
)
def _(f, x, h):
    return -numerical_gradient.solution(f, x, h)


@numerical_gradient.mistake("It does not divide: the two points are 2h apart.")
def _(f, x, h):
    return numerical_gradient.solution(f, x, h) * (2 * h)


@numerical_gradient.mistake("`/ 2 * h` divides by 2 and multiplies by h: write `/ (2 * h)`.")
def _(f, x, h):
    return numerical_gradient.solution(f, x, h) * (2 * h) / 2 * h


@numerical_gradient.mistake("The step is a number of its own; `h` says how large it is to be.")
def _(f, x, h):
    return numerical_gradient.solution(f, x, 1e-5)


@numerical_gradient.mistake(
    "An element that was nudged stays so while the next ones are: put it back."
)
def _(f, x, h):
    slopes, above, below = np.zeros(x.shape), x.astype(float), x.astype(float)
    for k in np.ndindex(x.shape):
        above[k] += h
        below[k] -= h
        slopes[k] = (f(above) - f(below)) / (2 * h)
    return slopes


@numerical_gradient.mistake(
    "Only f below is divided: the difference needs brackets, (above - below) / (2 * h)."
)
def _(f, x, h):
    slopes = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[k] = h
        slopes[k] = f(x + step) - f(x - step) / (2 * h)
    return slopes


@numerical_gradient.mistake("It steps by half of h to either side; the step is h.")
def _(f, x, h):
    slopes = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[k] = h / 2
        slopes[k] = (f(x + step) - f(x - step)) / h
    return slopes


@numerical_gradient.mistake(
    "The last element is left out: `range(n)` ends at n - 1, so `range(x.size)` takes all of them."
)
def _(f, x, h):
    slopes = numerical_gradient.solution(f, x, h)
    slopes.flat[-1] = 0
    return slopes


# --- a checker ------------------------------------------------------------------------------------

KINDS = (
    "right",
    "one wrong",
    "too small",
    "wrong",
    "opposite",
    "turned",
    "nan",
    "shape",
    "relative",
    "zero",
    "between",
    "at the edge",
    "both",
    "far off",
    "little off",
    "as many axes",
    "broadcast",
)
SHAPES = {  # of the gradient, and of the differences
    "shape": ((3, 1), (3,)),
    "as many axes": ((1, 3), (3, 1)),
    "broadcast": ((3,), (2, 3)),
}


def some_gradients(rng, size):
    """A gradient and its differences, wrong in one of the ways that matter, or not at all."""
    kind = KINDS[size]
    n = {"zero": 1, "relative": 1, "between": 1, "far off": 12, "little off": 12}.get(kind, 3)
    numeric = rng.integers(2, 10, n) * 1.0 * rng.choice([-1, 1])
    analytic, rtol, atol = numeric.copy(), 0.0, 0.1
    place = rng.integers(n)
    if kind == "right":
        analytic[place] += 0.05
    elif kind == "one wrong":
        analytic[place] += 0.2  # of which the mean is tolerated
    elif kind == "too small":
        analytic -= 1.0
    elif kind == "wrong":
        analytic += 1.0
    elif kind == "opposite":
        analytic += np.array([1.0, -0.5, -0.5])
    elif kind == "turned":
        numeric = np.array([3.0, -5.0, 9.0]) * rng.choice([-1, 1])
        analytic = np.roll(numeric, 1)
    elif kind == "nan":
        analytic[place] = np.nan
    elif kind in SHAPES:
        analytic, numeric = (np.full(shape, numeric[0]) for shape in SHAPES[kind])
    elif kind == "both":  # more than either tolerates, and less than both
        numeric = abs(numeric)
        rtol, atol = 0.25, 4.0
        analytic = numeric + atol + rtol / 2 * abs(numeric)
    elif kind == "far off":  # and eleven right
        analytic[place] += 9.0
    elif kind == "little off":  # beside the largest, and beside all together
        numeric[place - 1] = 1000.0
        analytic, rtol = numeric.copy(), 0.25
        analytic[place] += 4.0
    elif kind == "relative":
        numeric = -abs(numeric)
        analytic, rtol, atol = numeric * 1.05, 0.1, 0.0
    elif kind == "between":  # tolerated, if it were relative to the other
        analytic, rtol, atol = numeric * 1.105, 0.1, 0.0
    elif kind == "at the edge":  # exactly what is tolerated, in numbers that are exact
        analytic[place] += 0.5
        atol = 0.5
    else:
        numeric[:], analytic[:], rtol = 0.0, 0.01, 0.1
    return analytic, numeric, rtol, atol


def element_by_element(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    pairs = zip(analytic.ravel().tolist(), numeric.ravel().tolist())
    return all(n - atol - rtol * abs(n) <= a <= n + atol + rtol * abs(n) for a, n in pairs)


@exercise(
    draw=some_gradients,
    sizes=range(len(KINDS)),
    truth=element_by_element,
    hints=[
        "A single wrong element makes the whole gradient wrong. Is a difference of -5 tolerated?",
        "Comparisons with NaN are False. Ask whether all elements are right, not whether none is "
        "wrong.",
        "Arrays of shapes (3, 1) and (3,) broadcast: their difference has nine elements.",
    ],
    worked=(
        lambda: (np.array([10.0, -2.0]), np.array([10.5, -2.2]), 0.1, 0.0),
        [
            "The differences, as sizes: {off := abs(analytic - numeric)}",
            "What is tolerated, for each element: {may := atol + rtol * abs(numeric)}",
            "Is each within it? {off <= may}. All of them: {bool((off <= may).all())}",
        ],
    ),
)
def gradients_agree(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.all(np.abs(analytic - numeric) <= atol + rtol * np.abs(numeric)))


@gradients_agree.mistake(
    "The differences have no absolute value, so that an element that is too small by any amount "
    "passes."
)
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.all(analytic - numeric <= atol + rtol * np.abs(numeric)))


@gradients_agree.mistake(
    "The mean over all elements is judged, in which one that is wrong gets lost among many that "
    "are right."
)
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    off, near = np.abs(analytic - numeric).mean(), np.abs(numeric).mean()
    return bool(off <= atol + rtol * near)


@gradients_agree.mistake("It is content if *any* element is right; all have to be.")
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.any(np.abs(analytic - numeric) <= atol + rtol * np.abs(numeric)))


@gradients_agree.mistake(
    "A NaN passes: it is not larger than what is tolerated, as no comparison with NaN is true. Ask "
    "that every element is within the tolerance."
)
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return not np.any(np.abs(analytic - numeric) > atol + rtol * np.abs(numeric))


@gradients_agree.mistake(
    "A gradient of the wrong shape passes, because NumPy broadcasts the two: compare the shapes "
    "first."
)
def _(analytic, numeric, rtol, atol):
    return bool(np.all(np.abs(analytic - numeric) <= atol + rtol * np.abs(numeric)))


@gradients_agree.mistake(
    "It counts the numbers and not the axes: a gradient of another shape passes if it holds as many. "
    "Compare the shapes."
)
def _(analytic, numeric, rtol, atol):
    if analytic.size != numeric.size:
        return False
    return gradients_agree.solution(analytic.ravel(), numeric.ravel(), rtol, atol)


@gradients_agree.mistake(
    "It counts the axes and not what they hold: NumPy broadcasts an axis of length 1. Compare the "
    "shapes."
)
def _(analytic, numeric, rtol, atol):
    if analytic.ndim != numeric.ndim:
        return False
    return bool(np.all(np.abs(analytic - numeric) <= atol + rtol * np.abs(numeric)))


@gradients_agree.mistake(
    "The largest difference is judged by the largest slope; each element is judged by its own, or one "
    "that is wrong gets lost beside one that is large."
)
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.max(np.abs(analytic - numeric)) <= atol + rtol * np.max(np.abs(numeric)))


@gradients_agree.mistake(
    "The norm of all differences is judged; each element is judged by itself, or one that is wrong "
    "gets lost among many."
)
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.linalg.norm(analytic - numeric) <= atol + rtol * np.linalg.norm(numeric))


@gradients_agree.mistake("The larger of the two tolerances is taken; they are added.")
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.all(np.abs(analytic - numeric) <= np.maximum(atol, rtol * np.abs(numeric))))


@gradients_agree.mistake(
    "The differences are taken with their sign in what is tolerated: where they are negative, that "
    "gets smaller. It is their absolute value."
)
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.all(np.abs(analytic - numeric) <= atol + rtol * numeric))


@gradients_agree.mistake(
    "Only the sizes of the two gradients are compared, their norms; gradients that are different "
    "can be equally long."
)
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    a, n = np.linalg.norm(analytic), np.linalg.norm(numeric)
    return bool(abs(a - n) <= atol + rtol * n)


@gradients_agree.mistake(
    "The tolerance is relative to the gradient that is judged; it is relative to the differences."
)
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.all(np.abs(analytic - numeric) <= atol + rtol * np.abs(analytic)))


@gradients_agree.mistake(
    "rtol and atol are not used: they say how far off a number may be. (np.array_equal allows nothing; "
    "np.allclose has tolerances of its own, unless it is given others.)"
)
def _(analytic, numeric, rtol, atol):
    return analytic.shape == numeric.shape and bool(np.allclose(analytic, numeric))


@gradients_agree.mistake(
    "The tolerance is relative alone, without atol: where the slope is 0, nothing but 0 passes, "
    "and rounding never gives exactly that."
)
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.all(np.abs(analytic - numeric) <= rtol * np.abs(numeric)))


@gradients_agree.mistake("A difference of exactly what is tolerated is refused: it is <=, not <.")
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.all(np.abs(analytic - numeric) < atol + rtol * np.abs(numeric)))


@gradients_agree.mistake("rtol and atol have changed places.")
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.all(abs(analytic - numeric) <= rtol + atol * abs(numeric)))


for _says, _judged in {
    "It is content if *any* element is right; all have to be": lambda d, n, rtol, atol: np.any(
        abs(d) <= atol + rtol * abs(n)
    ),
    "The tolerance is relative alone, without atol": lambda d, n, rtol, atol: np.all(
        abs(d) <= rtol * abs(n)
    ),
    "The differences have no absolute value": lambda d, n, rtol, atol: np.all(
        d <= atol + rtol * abs(n)
    ),
}.items():
    gradients_agree.mistake(f"{_says}. And the shapes have to be the same: compare them first.")(
        lambda analytic, numeric, rtol, atol, judged=_judged: bool(
            judged(analytic - numeric, numeric, rtol, atol)
        )
    )


@gradients_agree.mistake("It looks at the first element alone: a `return` in a loop ends it.")
def _(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    one, other = analytic.flat[0], numeric.flat[0]
    return bool(abs(one - other) <= atol + rtol * abs(other))
