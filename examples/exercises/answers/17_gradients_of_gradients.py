"""Lesson 17: gradients of gradients."""

import numpy as np

import minigrad as mg
from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.exercise import SIZES
from minigrad.course.exercises.shared_files import draws

TRANSFORMS = [f"minigrad.transforms.{name}" for name in ("hvp", "jvp", "jacobian", "hessian")]


def slope(f, x):
    return mg.grad(f)(x).numpy()


def differences(f, x, v, h=1e-5):
    """J v: how fast f changes along v, by differences."""
    return (np.asarray(f(x + h * v)) - np.asarray(f(x - h * v))) / (2 * h)


# --- the Hessian times a vector -------------------------------------------------------------------

MANY = draws().MANY


def bowl_numbers(rng, n):
    return abs(numbers(rng, n)), numbers(rng, n), numbers(rng, n)


def function_and_two(rng, size):
    """With size 1, of two numbers, with a steep line added."""
    n = max(size, 2)
    f = draws().counted_bowl(*bowl_numbers(rng, n))
    return draws().steeper(f) if size == 1 else f, numbers(rng, n), numbers(rng, n)


def without_more(f):
    """f, without the steep line or the large number that was added."""
    return f.recipe.data[0] if f.recipe.maker in ("steeper", "higher") else f


@exercise(
    points=2,
    draw=function_and_two,
    sizes=(2, 2, 3, 3, 4, MANY, 1, 1, 1),
    truth=lambda f, x, v: differences(lambda z: slope(without_more(f), z), x, v),
    without=[*TRANSFORMS, "minitransformer"],
    rtol=1e-5,
    atol=1e-6,
    properties={
        "it is linear in v": lambda f, g, x, v: np.allclose(f(g, x, 2 * v), 2 * f(g, x, v)),
    },
    hints=[
        "mg.grad(f) is a function; its result is a Tensor, and can be computed with.",
        "np.sum(mg.grad(f)(z) * v) is one number for each z. What is its gradient at z = x?",
    ],
    worked=(
        lambda: (lambda x: x[0] ** 2 + x[0] * x[1], np.array([1.0, 2.0]), np.array([3.0, 4.0])),
        [
            "By hand: the gradient is (2 x0 + x1, x0), here {np.array([2 * x[0] + x[1], x[0]])}",
            "Times v, it is one number: 3 (2 x0 + x1) + 4 x0 = 10 x0 + 3 x1.",
            "The gradient of that number: {np.array([10.0, 3.0])}",
        ],
    ),
)
def hessian_times(f, x, v):
    along = lambda z: np.sum(mg.grad(f)(z) * v)
    return mg.grad(along)(x)


@hessian_times.mistake(
    "This is the slope of f along v, g . v: one number. Take the gradient of that number once more."
)
def _(f, x, v):
    return np.sum(mg.grad(f)(x) * v)


@hessian_times.mistake(
    "This is a finite difference of gradients. With a steep straight line added to f, the gradient is "
    "large, and the digits of the difference are lost: take the gradient of the gradient."
)
def _(f, x, v):
    return differences(lambda z: slope(f, z), x, v)


@hessian_times.mistake(
    "The gradient is multiplied by v, element by element; no second derivative is there."
)
def _(f, x, v):
    return mg.grad(f)(x) * v


@hessian_times.mistake(
    "v is left out: the gradient of the sum of the gradient is H times a vector of ones."
)
def _(f, x, v):
    return mg.grad(lambda z: np.sum(mg.grad(f)(z)))(x)


@hessian_times.mistake(
    "v is multiplied in after the second derivative: this is H times ones, times v element by "
    "element. It belongs inside."
)
def _(f, x, v):
    return mg.grad(lambda z: np.sum(mg.grad(f)(z)))(x) * v


@hessian_times.mistake(
    "Only the second derivative of each number by itself is there, the diagonal of H; numbers act "
    "on each other's slopes."
)
def _(f, x, v):
    own = lambda k: mg.grad(lambda z: mg.grad(f)(z)[k])(x)[k]
    return np.array([own(k).item() for k in range(len(x))]) * v


@hessian_times.mistake(
    "The product is squared, v . H v or g^2, or the like: the number to be differentiated is "
    "linear in the gradient."
)
def _(f, x, v):
    return mg.grad(lambda z: np.square(np.sum(mg.grad(f)(z) * v)))(x)


@hessian_times.mistake(
    "f is called once for each row of H, or more often: that makes the matrix. H v takes two "
    "walks back, however many numbers there are."
)
def _(f, x, v):
    row = lambda k: mg.grad(lambda z: mg.grad(f)(z)[k])(x).numpy()
    return np.array([row(k) for k in range(len(x))]) @ v


@hessian_times.mistake(
    "One walk back for each row of H makes the matrix, also if f is called once alone. H v takes two "
    "walks back, however many numbers there are."
)
def _(f, x, v):
    _, back = mg.vjp(mg.grad(f), x)
    return np.array([back(unit)[0].numpy() for unit in np.eye(len(x))]) @ v


# --- Newton's method ------------------------------------------------------------------------------


def solved(f, x):
    H = np.array([differences(lambda z: slope(f, z), x, unit) for unit in np.eye(len(x))])
    return x - np.linalg.solve(H, slope(f, x))


@exercise(
    draw=lambda rng, size: (draws().bowl(*bowl_numbers(rng, size + 1)), numbers(rng, size + 1)),
    sizes=(1, 1, 2, 2, 3),
    truth=solved,
    without=["minitransformer"],
    rtol=1e-4,
    atol=1e-5,
    hints=[
        "mg.hessian(f)(x) is a Tensor (n, n), and mg.grad(f)(x) one of shape (n,); .numpy() makes "
        "arrays of them.",
        "np.linalg.solve(H, g) is H^-1 g, without the inverse.",
    ],
    worked=(
        lambda: (lambda x: x[0] ** 2 + 2 * x[1] ** 2 - 4 * x[0], np.array([0.0, 1.0])),
        [
            "By hand: the gradient is (2 x0 - 4, 4 x1) = {g := np.array([2 * x[0] - 4, 4 * "
            "x[1]])}, the Hessian {H := np.array([[2.0, 0.0], [0.0, 4.0]])}",
            "H^-1 g = {d := np.linalg.solve(H, g)}",
            "x less that: {x - d}. There the gradient is 0.",
        ],
    ),
)
def newton_step(f, x):
    H, g = mg.hessian(f)(x).numpy(), mg.grad(f)(x).numpy()
    return x - np.linalg.solve(H, g)


def hessian(f, x):
    return mg.hessian(f)(x).numpy()


@newton_step.mistake(
    "The sign is wrong: the step leads just as far, but away from the lowest point of the parabola."
)
def _(f, x):
    return x + np.linalg.solve(hessian(f, x), slope(f, x))


@newton_step.mistake("This is a step down the slope; Newton divides the slope by the curvature.")
def _(f, x):
    return x - slope(f, x)


@newton_step.mistake("It multiplies by the Hessian; its inverse is needed.")
def _(f, x):
    return x - hessian(f, x) @ slope(f, x)


@newton_step.mistake(
    "Each slope is divided by the curvature of its own number, the diagonal of H: right only if "
    "the numbers do not act on each other."
)
def _(f, x):
    return x - slope(f, x) / np.diag(hessian(f, x))


@newton_step.mistake("This is the step, H^-1 g; where it leads was asked for, x - H^-1 g.")
def _(f, x):
    return np.linalg.solve(hessian(f, x), slope(f, x))


@newton_step.mistake(
    "The gradient is divided by the Hessian element by element, and NumPy broadcasts: the result "
    "is a matrix."
)
def _(f, x):
    return x - slope(f, x) / hessian(f, x)


@newton_step.mistake("This is the step alone; it leads on from x.")
def _(f, x):
    return -np.linalg.solve(mg.hessian(f)(x).numpy(), mg.grad(f)(x).numpy())


@newton_step.mistake(
    "Each number of the Hessian is inverted by itself; what is needed is the inverse of the matrix."
)
def _(f, x):
    return x - (1 / mg.hessian(f)(x).numpy()) @ mg.grad(f)(x).numpy()


# --- forwards -------------------------------------------------------------------------------------


def some_wave(rng, size):
    """With size 5, with a large number added."""
    n, m = [(2, 2), (2, 3), (3, 2), (3, 1), (2, 1)][size - 1]
    f = draws().wave(numbers(rng, n, m) / 2)
    return draws().higher(f) if size == 5 else f, numbers(rng, n), numbers(rng, n)


@exercise(
    points=2,
    draw=some_wave,
    sizes=(*SIZES, 5, 5, 5),
    truth=lambda f, x, v: differences(without_more(f), x, v),
    without=[*TRANSFORMS, "minitransformer"],
    rtol=1e-5,
    atol=1e-6,
    properties={
        "it is linear in v": lambda f, g, x, v: np.allclose(f(g, x, 2 * v), 2 * f(g, x, v)),
    },
    hints=[
        "u -> back(u)[0] is linear, and its matrix is J^T. Walking back through it multiplies by "
        "the transpose of J^T.",
        "mg.vjp(lambda u: back(u)[0], zeros) gives the second walk; the zeros have the shape of y.",
    ],
    worked=(
        lambda: (lambda x: x[0] * x, np.array([2.0, 3.0]), np.array([1.0, 10.0])),
        [
            "By hand: f = (x0 x0, x0 x1), so J = {J := np.array([[2 * x[0], 0.0], [x[1], x[0]]])}",
            "One walk back, from u, gives J^T u = (4 u0 + 3 u1, 2 u1).",
            "Walk back through that, from v: u0 gets 4 v0, u1 gets 3 v0 + 2 v1: {J @ v}",
        ],
    ),
)
def forward_derivative(f, x, v):
    y, back = mg.vjp(f, x)
    _, back_through_it = mg.vjp(lambda u: back(u)[0], np.zeros(y.shape))
    return back_through_it(v)[0]


@forward_derivative.mistake(
    "This is one walk back, J^T v, and not J v: it fits only where there are as many results as "
    "arguments, and is right only where J is symmetric."
)
def _(f, x, v):
    return mg.vjp(f, x)[1](v)[0]


@forward_derivative.mistake(
    "This is a finite difference. With a large number added to f, the digits of the difference are "
    "lost: walk back instead, twice."
)
def _(f, x, v):
    return differences(f, x, v)


@forward_derivative.mistake("These are the results, f(x), and not how fast they change.")
def _(f, x, v):
    return f(x)


@forward_derivative.mistake(
    "This is f at x + v: a derivative is how fast f changes, for ever smaller steps."
)
def _(f, x, v):
    return f(x + v)


@forward_derivative.mistake(
    "The results' change over a step of the length of v is no derivative: f is no straight line."
)
def _(f, x, v):
    return f(x + v) - f(x)


@forward_derivative.mistake(
    "All results are summed before the derivative is taken: a number came out, and (m,) was asked "
    "for."
)
def _(f, x, v):
    return np.sum(mg.grad(lambda z: np.sum(f(z)))(x) * v)


@forward_derivative.mistake(
    "It is the slope of the sum of all results, times v element by element."
)
def _(f, x, v):
    return mg.grad(lambda x: np.sum(f(x)))(x).numpy() * v
