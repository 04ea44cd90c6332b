# ruff: noqa: C420, F811 - as people write
"""The museum of bugs: repairs that people make, right ones and wrong ones, written apart from it."""

import math

import numpy as np
from solutions import WrongSolutions, marks, seeds

from minigrad.course.exercises.marking.mark import RIGHT

REPAIRS = []
SOLUTIONS = WrongSolutions()
right, said = REPAIRS.append, SOLUTIONS.said


@seeds(1, 12)
def test_repairs_are_right(seed):
    assert not [(f.__name__, mark) for f, mark in marks(REPAIRS, seed) if mark.state != RIGHT]


@seeds(1, 12)
def test_what_is_said_of_other_changes(seed):
    SOLUTIONS.check(seed)


@right
def reused(graph, root):
    """Along every path by itself: slow, and right."""
    grad = dict.fromkeys(graph, 0)

    def backward(node, g):
        grad[node] += g
        for argument, slope in graph[node]:
            backward(argument, slope * g)

    backward(root, 1)
    return grad


@right
def reused(graph, root):
    """By counting who has not had its turn yet."""
    users = {n: 0 for n in graph}
    seen, todo = {root}, [root]
    while todo:
        for a, _ in graph[todo.pop()]:
            users[a] += 1
            if a not in seen:
                seen.add(a)
                todo.append(a)
    grad = dict.fromkeys(graph, 0)
    grad[root] = 1
    ready = [root]
    while ready:
        n = ready.pop()
        for a, s in graph[n]:
            grad[a] += s * grad[n]
            users[a] -= 1
            if users[a] == 0:
                ready.append(a)
    return grad


@said("some too soon")
def reused(graph, root):
    grad = dict.fromkeys(graph, 0)
    grad[root] = 1
    done = set()

    def go(n):
        if n in done:
            return
        done.add(n)
        for a, s in graph[n]:
            grad[a] += s * grad[n]
        for a, _ in graph[n]:
            go(a)

    go(root)
    return grad


@said("There is a queue now")
def reused(graph, root):
    grad = {n: 0 for n in graph}
    grad[root] = 1
    todo = [root]
    while todo:
        n = todo.pop(0)
        for a, s in graph[n]:
            grad[a] = grad[a] + s * grad[n]
            todo.append(a)
    return grad


@right
def arrived(graph, order, g):
    grads = {node: np.zeros_like(g) for node in order}
    grads[order[0]] += g
    for node in order:
        for argument, factor in graph[node]:
            grads[argument] += factor * grads[node]
    return grads


@right
def arrived(graph, order, g):
    """In place, in arrays that are nobody else's."""
    grads = {order[0]: g}
    for node in order:
        for argument, factor in graph[node]:
            if argument in grads:
                grads[argument] += factor * grads[node]
            else:
                grads[argument] = np.array(factor * grads[node])
    return grads


@said("it adds")
def arrived(graph, order, g):
    found = {order[0]: g}
    for n in order:
        for a, f in graph[n]:
            found.update({a: f * found[n]})
    return found


@right
def max_rule(g, x):
    out = np.zeros(x.shape)
    for i, row in enumerate(x):
        at = np.flatnonzero(row == max(row))
        out[i, at] = g[i] / at.size
    return out


@said("Only the first of the largest")
def max_rule(g, x):
    return np.eye(x.shape[1])[np.argmax(x, axis=1)] * g[:, np.newaxis]


@right
def norm_rule(g, x):
    return np.array(
        [gi * row / math.hypot(*row) if row.any() else 0 * row for gi, row in zip(g, x)]
    )


@right
def norm_rule(g, x):
    with np.errstate(all="ignore"):
        return np.nan_to_num(g[:, None] * x / np.linalg.norm(x, axis=1, keepdims=True))


@said("a little off")
def norm_rule(g, x):
    return g[:, None] * x / (np.sqrt((x**2).sum(1, keepdims=True)) + 1e-3)


@right
def root_rule(g, x):
    out = np.zeros(len(x))
    up = x > 0
    out[up] = g[up] / (2 * np.sqrt(x[up]))
    return out


@right
def root_rule(g, x):
    return np.where(x > 0, g / (2 * np.sqrt(np.maximum(x, 1e-300))), 0)


@said("no number")
def root_rule(g, x):
    return np.where(x > 0, g, 0) * 0.5 * np.sqrt(np.abs(x)) ** -1


@said("What was not chosen")
def root_rule(g, x):
    return g / (2 * np.where(x > 0, x, 1) ** 0.5)


@right
def fill_rule(g, index):
    hit = np.isin(np.arange(len(g)), index)
    return np.where(hit, 0, g), np.sum(g[hit])


@right
def fill_rule(g, index):
    gx = g.copy()
    gx[index] = 0
    return gx, (g - gx).sum()


@said("averaged")
def fill_rule(g, index):
    gx = g.copy()
    gx[index] = 0
    return gx, np.mean(g[list(set(index.tolist()))])


@right
def accumulated_loss(parts):
    every = [loss for losses, counts in parts for loss, yes in zip(losses, counts) if yes]
    return sum(every) / len(every)


@said("As it shipped")
def accumulated_loss(parts):
    return float(np.mean([np.mean(losses[counts]) for losses, counts in parts]))


@said("padding does not count")
def accumulated_loss(parts):
    total = n = 0
    for losses, counts in parts:
        total += (losses * counts).sum()
        n += len(losses)
    return total / n


@right
def drawn_by_workers(seed, epochs, workers):
    """One generator for all, drawn from in turn."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 1_000_000, (epochs, workers, 4)).tolist()


@right
def drawn_by_workers(seed, epochs, workers):
    """By spawning, as NumPy's documentation says."""
    own = np.random.SeedSequence(seed).spawn(epochs * workers)
    rows = [np.random.default_rng(one).integers(0, 1_000_000, 4).tolist() for one in own]
    return [rows[k * workers : (k + 1) * workers] for k in range(epochs)]


@said("each draws the same in every epoch")
def drawn_by_workers(seed, epochs, workers):
    return [
        [
            np.random.default_rng(1000 * seed + w).integers(0, 1_000_000, 4).tolist()
            for w in range(workers)
        ]
        for _ in range(epochs)
    ]


@said("the same arguments give the same numbers")
def drawn_by_workers(seed, epochs, workers):
    return np.random.default_rng().integers(0, 1_000_000, (epochs, workers, 4)).tolist()


@right
def smoothed_loss(log_p, targets, smoothing, ignored):
    N = log_p.shape[1]
    losses = []
    for row, target in zip(log_p, targets):
        if target != ignored:
            wanted = np.full(N, smoothing / N)
            wanted[target] += 1 - smoothing
            losses.append(-wanted @ row)
    return np.mean(losses)


@said("divides by all positions")
def smoothed_loss(log_p, targets, smoothing, ignored):
    yes = targets != ignored
    own = log_p[np.arange(len(targets)), np.where(yes, targets, 0)]
    return -np.mean(((1 - smoothing) * own + smoothing * log_p.mean(-1)) * yes)


@right
def clipped(gradients, most):
    length = math.sqrt(sum(float(x) ** 2 for g in gradients for x in g.flat))
    factor = most / length if length > most else 1
    return [factor * g for g in gradients]


@said("Short gradients are made longer")
def clipped(gradients, most):
    length = np.linalg.norm(np.concatenate(gradients))
    return [most * g / length for g in gradients]


@said("As it shipped")
def clipped(gradients, most):
    return [g if (n := np.linalg.norm(g)) < most else g / n * most for g in gradients]


@right
def normalized(x, gain, bias, eps):
    out = []
    for row in x:
        m = sum(row) / len(row)
        s = (sum((a - m) ** 2 for a in row) / len(row) + eps) ** 0.5
        out.append((row - m) / s * gain + bias)
    return np.array(out)


@said("eps is added behind the root")
def normalized(x, gain, bias, eps):
    d = x - x.mean(1, keepdims=True)
    return gain * d / (np.sqrt((d * d).mean(1, keepdims=True)) + eps) + bias


@said("the variance divides by D - 1")
def normalized(x, gain, bias, eps):
    d = x - x.mean(1, keepdims=True)
    return gain * d / np.sqrt((d * d).sum(1, keepdims=True) / (x.shape[1] - 1) + eps) + bias


@right
def embedded(new, cached, table, positions):
    return table[new] + positions[np.arange(len(new)) + cached]


@said("that of a beginning")
def embedded(new, cached, table, positions):
    return np.stack([table[a] + positions[t] for t, a in enumerate(new)])


@right
def attended(q, k, v):
    out = np.empty(q.shape)
    for h in range(q.shape[1]):
        w = np.exp(q[:, h] @ k[:, h].T / np.sqrt(q.shape[2]))
        out[:, h] = w @ v[:, h] / w.sum(axis=1)[:, None]
    return out


@said("divided by the root of D")
def attended(q, k, v):
    out = np.empty(q.shape)
    for h in range(q.shape[1]):
        w = np.exp(q[:, h] @ k[:, h].T)
        out[:, h] = w @ v[:, h] / w.sum(axis=1, keepdims=True)
    return out


@said("As it shipped")
def attended(q, k, v):
    s = np.einsum("ihd,jhd->ijh", q, k) / math.sqrt(q.shape[-1])
    w = np.exp(s) / np.exp(s).sum(0, keepdims=True)
    return np.einsum("ijh,jhd->ihd", w, v)


@right
def masked_weights(scores, allowed):
    low = np.where(allowed, scores, -np.inf).max(axis=1, keepdims=True, initial=-1e9)
    e = np.where(allowed, np.exp(np.where(allowed, scores - low, 0)), 0)
    return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-300)


@said("gives what is no number")
def masked_weights(scores, allowed):
    e = np.exp(np.ma.masked_array(scores, ~allowed).filled(-np.inf))
    top = np.where(allowed, scores, -np.inf).max(1, keepdims=True)
    e = np.where(allowed, np.exp(scores - top), 0)
    return e / e.sum(1, keepdims=True)


@said("attends to everything")
def masked_weights(scores, allowed):
    s = np.where(allowed, scores, -1e30)
    e = np.exp(s - s.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@right
def best_beam(prompt, beams, penalty):
    scores = np.array([one.sum() * len(one) ** -penalty for one in beams])
    return int(scores.argmax()), float(scores.max())


@said("not divided at all")
def best_beam(prompt, beams, penalty):
    sums = [float(one.sum()) for one in beams]
    return sums.index(max(sums)), max(sums)
