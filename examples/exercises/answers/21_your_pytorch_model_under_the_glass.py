"""Lesson 21: your PyTorch model under the glass."""

import numpy as np

from minigrad.course.exercises import exercise, numbers

# --- distances ------------------------------------------------------------------------------------


def some_vectors(rng, size):
    """Vectors, two of which are equal from three on."""
    v = numbers(rng, size + 1, 2)
    if size > 1:
        v[-1] = v[0]
    return numbers(rng, size + 1, size + 1), v


def pair_by_pair(g, v):
    out = np.zeros_like(v)
    for i in range(len(v)):
        for j in range(len(v)):
            far = np.linalg.norm(v[i] - v[j])
            if far > 0:
                out[i] += g[i, j] * (v[i] - v[j]) / far
                out[j] -= g[i, j] * (v[i] - v[j]) / far
    return out


def unit(v):
    """The direction from each vector to each, 0 where they are equal: (N, N, D)."""
    apart = v[:, None] - v[None, :]
    far = np.linalg.norm(apart, axis=-1, keepdims=True)
    return apart / np.where(far == 0, 1, far)


@exercise(
    points=2,
    draw=some_vectors,
    truth=pair_by_pair,
    properties={
        "the gradients sum to 0: to move all vectors alike changes no distance": lambda f, g, v: (
            np.allclose(f(g, v).sum(axis=0), 0)
        ),
    },
    hints=[
        "v[:, None] - v[None, :] has all differences, (N, N, D). What is the slope of a length?",
        "The slope of |u| is u / |u|. Put 1 in the place of |u| where it is 0: then 0 / 1 is 0.",
        "v_i stands first in row i, and second, with a minus, in column i.",
    ],
    worked=(
        lambda: (np.array([[0.0, 2.0], [0.0, 0.0]]), np.array([[0.0, 5.0], [0.0, 1.0]])),
        [
            "The only g that is not 0 is that of the pair 0, 1: {u := v[0] - v[1]}",
            "Its slope has length one: {s := u / np.linalg.norm(u)}",
            "The first vector gets it, the second with a minus: {np.array([2 * s, -2 * s])}",
        ],
    ),
)
def distance_rule(g, v):
    apart = v[:, None] - v[None, :]
    far = np.sqrt(np.sum(apart * apart, axis=-1))
    slope = apart / np.where(far == 0, 1, far)[:, :, None]
    flow = g[:, :, None] * slope
    return np.sum(flow, axis=1) - np.sum(flow, axis=0)


@distance_rule.mistake("0 / 0 is NaN: where two vectors are equal, the gradient is 0.")
def _(g, v):
    apart = v[:, None] - v[None, :]
    with np.errstate(all="ignore"):
        flow = g[:, :, None] * apart / np.linalg.norm(apart, axis=-1, keepdims=True)
        return flow.sum(axis=1) - flow.sum(axis=0)


@distance_rule.mistake("v_j has a part, too: each vector stands in its row, and in its column.")
def _(g, v):
    return np.sum(g[:, :, None] * unit(v), axis=1)


@distance_rule.mistake("The second vector of a pair gets its part with a minus.")
def _(g, v):
    flow = g[:, :, None] * unit(v)
    return flow.sum(axis=1) + flow.sum(axis=0)


@distance_rule.mistake("The gradient goes the other way: a step along it makes distances shorter.")
def _(g, v):
    return -pair_by_pair(g, v)


@distance_rule.mistake("The slope of |u| is u / |u|, of length one. This is that of |u|^2 / 2.")
def _(g, v):
    flow = g[:, :, None] * (v[:, None] - v[None, :])
    return flow.sum(axis=1) - flow.sum(axis=0)


@distance_rule.mistake("The root is missing: it divides by the squares of the distances.")
def _(g, v):
    u = v[:, None] - v
    square = (u * u).sum(axis=-1)
    return (((g + g.T) / np.where(square == 0, 1, square))[..., None] * u).sum(axis=1)


@distance_rule.mistake("Each pair is taken once: g_ij and g_ji both count.")
def _(g, v):
    u, g = v[:, None] - v, np.triu(g)
    d = np.sqrt((u * u).sum(axis=-1))
    return (((g + g.T) / np.where(d == 0, 1, d))[..., None] * u).sum(axis=1)


@distance_rule.mistake("Only the diagonal is kept from 0 / 0; two vectors may be equal.")
def _(g, v):
    u = v[:, None] - v
    d = np.sqrt((u * u).sum(axis=-1)) + np.eye(len(v))
    return (((g + g.T) / d)[..., None] * u).sum(axis=1)


# --- the first that is not finite -----------------------------------------------------------------


def some_calls(rng, size):
    """Calls in order; what is not finite comes in by the data, or by a call, and goes on."""
    values = {"x": numbers(rng, 2), "y": numbers(rng, 2)}
    if rng.random() < 0.4:
        values["y"][0] = np.nan
    calls, names = [], ["x", "y"]
    for k in range(size + 2):
        name = chr(97 + k)
        arguments = [names[i] for i in rng.integers(len(names), size=1 + rng.integers(2))]
        if k == 0 and rng.random() < 0.2:  # by one argument alone
            arguments, values["y"][:] = rng.permutation(["x", "y"]).tolist(), np.nan
        with np.errstate(invalid="ignore"):
            made = sum(values[a] for a in arguments)
            if rng.random() < 0.35:
                odd = rng.choice([np.nan, np.inf, -np.inf])
                made = made + np.array([odd, rng.choice([0, 0, odd])])
        values[name] = made
        calls.append([name, *arguments])
        names.append(name)
    return calls, values


def one_by_one(calls, values):
    for name, *arguments in calls:
        if (
            all(np.isfinite(values[a]).all() for a in arguments)
            and not np.isfinite(values[name]).all()
        ):
            return name
    return None


def searching(ok=lambda a: np.isfinite(a).all(), order=lambda calls: calls, arguments_count=True):
    def function(calls, values):
        for name, *arguments in order(calls):
            fine = all(ok(values[a]) for a in arguments) or not arguments_count
            if fine and not ok(values[name]):
                return name
        return None

    return function


@exercise(
    draw=some_calls,
    truth=one_by_one,
    sizes=3 * (1,) + 6 * (2,) + 6 * (3,) + 6 * (4,) + 3 * (5,),
    properties={
        "there is none where all is finite": lambda f, calls, values: (
            f(calls, {name: np.zeros(2) for name in values}) is None
        ),
    },
    hints=[
        "Go through the calls in order. `np.isfinite(a).all()` says whether all of a is finite.",
        "A result that is not finite proves nothing if an argument was not.",
    ],
    worked=(
        lambda: (
            [["a", "x"], ["b", "y"], ["c", "b"]],
            {k: np.array(n) for k, n in (("x", np.nan), ("a", np.nan), ("y", 0.0), ("b", np.inf),
                                         ("c", np.inf))},
        ),
        [
            "a is not finite. Is its argument x finite? {bool(np.isfinite(values['x']))}",
            "b is not finite. Is its argument y finite? {bool(np.isfinite(values['y']))}",
            "So b is the one; c only passes it on: {'b'}",
        ],
    ),
)  # fmt: skip
def culprit(calls, values):
    bad = {name for name, a in values.items() if np.isfinite(a).sum() < np.size(a)}
    guilty = [name for name, *arguments in calls if name in bad and not bad & set(arguments)]
    return (guilty + [None])[0]  # noqa: RUF005 - as people write


for says, wrong in {
    "The first result that is not finite may come from an argument that was not: ask for these, too.":
        searching(arguments_count=False),
    "An infinity is not looked for: inf - inf is NaN only later.":
        searching(ok=lambda a: not np.isnan(a).any()),
    "NaN is not looked for: only infinities are found.":
        searching(ok=lambda a: not np.isinf(a).any()),
    "It is the last such call; the first was asked for.":
        searching(order=lambda calls: calls[::-1]),
    "A result of which one number is finite is taken for finite.":
        searching(ok=lambda a: np.isfinite(a).any()),
}.items():  # fmt: skip
    culprit.mistake(says)(wrong)


@culprit.mistake("An argument of which one number is finite is taken for finite.")
def _(calls, values):
    for name, *arguments in calls:
        if not np.isfinite(values[name]).all() and all(
            np.isfinite(values[a]).any() for a in arguments
        ):
            return name
    return None


@culprit.mistake("One argument that is finite is enough for it; all of them have to be.")
def _(calls, values):
    finite = {name: np.isfinite(value).all() for name, value in values.items()}
    return next((c[0] for c in calls if not finite[c[0]] and any(finite[a] for a in c[1:])), None)


@culprit.mistake("Only the first argument is looked at.")
def _(calls, values):
    for name, first, *_ in calls:
        if not np.isfinite(values[name]).all() and np.isfinite(values[first]).all():
            return name
    return None
