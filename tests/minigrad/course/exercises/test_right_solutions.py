# ruff: noqa: F811 - as people write
"""Right solutions in unusual styles are right: loops, recursion, einsum, other ways to find slopes."""

import functools
import math

import numpy as np
from solutions import marks, seeds

import minigrad as mg
from minigrad.course.exercises.marking.mark import RIGHT

SOLUTIONS = []


@seeds(1, 6)
def test_right_solutions_are_right(seed):
    found = marks(SOLUTIONS, seed)
    assert not [(f.__name__, mark) for f, mark in found if mark.state != RIGHT]


@SOLUTIONS.append
def product_rule(g, x, y):
    h = 1e-20  # a complex step
    return g * ((x + 1j * h) * y).imag / h, g * (x * (y + 1j * h)).imag / h


@SOLUTIONS.append
def order(graph, root):
    """Again and again, the next node of which no other that is left makes use."""
    left, todo = {root}, [root]
    while todo:
        new = set(graph[todo.pop()]) - left
        left |= new
        todo += new
    users = {n: [m for m in left if n in graph[m]] for n in left}
    out = []
    while left:
        free = [n for n in left if not any(m in left for m in users[n])]
        out += free
        left -= set(free)
    return out


@SOLUTIONS.append
def walk(graph, root):
    """A linear system: each gradient is its own start and what all others pass on."""
    place = {n: k for k, n in enumerate(graph)}
    A = np.eye(len(graph))
    for n in graph:
        for a, s in graph[n]:
            A[place[a], place[n]] -= s
    start = np.zeros(len(graph))
    start[place[root]] = 1
    return {n: round(float(g)) for n, g in zip(graph, np.linalg.solve(A, start))}


@SOLUTIONS.append
def walk(graph, root):
    users = {n: [] for n in graph}
    for n in graph:
        for a, s in graph[n]:
            users[a].append((n, s))

    @functools.lru_cache(None)
    def speed(n):
        return 1 if n == root else sum(s * speed(m) for m, s in users[n])

    return {n: speed(n) for n in graph}


@SOLUTIONS.append
def undo_broadcast(g, shape):
    out = np.zeros(shape)
    for at in np.ndindex(g.shape):
        own = at[len(at) - len(shape) :]
        out[tuple(0 if n == 1 else k for k, n in zip(own, shape))] += g[at]
    return out


@SOLUTIONS.append
def matmul_rule(g, a, b):
    return np.einsum("im,km->ik", g, b), np.einsum("ik,im->km", a, g)


@SOLUTIONS.append
def index_rule(g, shape, index):
    return (np.arange(shape[0])[:, None] == index).astype(float) @ g


@SOLUTIONS.append
def numerical_gradient(f, x, h):
    units = h * np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([(f(x + u) - f(x - u)) / (2 * h) for u in units]).reshape(x.shape)


@SOLUTIONS.append
def gradients_agree(analytic, numeric, rtol, atol):
    if np.shape(analytic) != np.shape(numeric):
        return False
    pairs = zip(np.ravel(analytic), np.ravel(numeric))
    return all(bool(abs(a - n) <= atol + rtol * abs(n)) for a, n in pairs)


@SOLUTIONS.append
def cosine(a, b):
    return sum(p * q for p, q in zip(a, b)) / math.hypot(*a) / math.hypot(*b)


@SOLUTIONS.append
def softmax(x):
    if x.ndim > 1:
        return np.array([softmax(row) for row in x])
    top = max(x)
    e = [math.exp(n - top) for n in x]
    return np.array([n / math.fsum(e) for n in e])


@SOLUTIONS.append
def softmax(x):
    return np.exp(x - np.logaddexp.reduce(x, axis=-1, keepdims=True))


@SOLUTIONS.append
def contextualise(v):
    s = np.einsum("id,jd->ij", v, v)
    return np.einsum("ij,jd->id", np.exp(s - np.logaddexp.reduce(s, 1)[:, None]), v)


@SOLUTIONS.append
def rnn(x, W, U, b):
    if not len(x):
        return np.zeros((0, len(b)))
    before = rnn(x[:-1], W, U, b)
    h = before[-1] if len(before) else np.zeros(len(b))
    return np.vstack([before, np.tanh(x[-1] @ W + h @ U + b)])


@SOLUTIONS.append
def additive_scores(q, k, W, U, v):
    return np.array([[sum(v * np.tanh(a @ W + c @ U)) for c in k] for a in q])


@SOLUTIONS.append
def contexts(e, h):
    return np.array([np.average(h, axis=0, weights=np.exp(col - col.max())) for col in e.T])


@SOLUTIONS.append
def self_attention(x, w_q, w_k, w_v):
    s = x @ (w_q @ w_k.T) @ x.T / w_q.shape[1] ** 0.5
    return np.array([np.exp(r - r.max()) / np.exp(r - r.max()).sum() for r in s]) @ x @ w_v


@SOLUTIONS.append
def attend(s, mask, v):
    out = np.zeros((len(s), v.shape[1]))
    for i in range(len(s)):
        seen = np.flatnonzero(mask[i])
        if len(seen):
            w = np.exp(s[i, seen] - s[i, seen].max())
            out[i] = w @ v[seen] / w.sum()
    return out


@SOLUTIONS.append
def attend(s, mask, v):
    s = np.ma.masked_array(s, ~mask)
    e = np.ma.exp(s - s.max(axis=1, keepdims=True)).filled(0)
    total = e.sum(axis=1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0) @ v


@SOLUTIONS.append
def softmax_rule(g, y):
    return np.array([(np.diag(p) - np.outer(p, p)) @ r for r, p in zip(g, y)])


@SOLUTIONS.append
def split_heads(x, heads):
    return np.stack(np.split(x, heads, axis=-1), axis=1)


@SOLUTIONS.append
def join_heads(x):
    return np.concatenate(list(np.moveaxis(x, 1, 0)), axis=-1)


@SOLUTIONS.append
def multi_head(x, w_q, w_k, w_v, w_o, heads):
    K = x.shape[-1] // heads
    out = 0
    for h in range(heads):
        part = slice(h * K, (h + 1) * K)
        q, k, v = (x @ w[:, part] for w in (w_q, w_k, w_v))
        s = np.einsum("btk,bsk->bts", q, k) / math.sqrt(K)
        e = np.exp(s - s.max(-1, keepdims=True))
        out = out + e / e.sum(-1, keepdims=True) @ v @ w_o[part]
    return out


@SOLUTIONS.append
def sinusoidal(length, width, offset):
    j = np.arange(width)
    angle = np.add.outer(np.arange(length) + offset, 0 * j) / 10000 ** ((j - j % 2) / width)
    return np.sin(angle + (j % 2) * np.pi / 2)


@SOLUTIONS.append
def shift(width, k):
    M = np.zeros((width, width), complex)
    M[::2, ::2] = np.diag(np.exp(1j * k / 10000 ** (np.arange(0, width, 2) / width)))
    out = M.real + np.roll(np.roll(M.real, 1, 0), 1, 1)
    return out + np.roll(M.imag, 1, 1) - np.roll(M.imag, 1, 0)


@SOLUTIONS.append
def layer_norm(x, gain, bias, eps):
    D = x.shape[-1]
    centred = x @ (np.eye(D) - 1 / D)
    return centred / ((centred**2).sum(-1, keepdims=True) / D + eps) ** 0.5 * gain + bias


@SOLUTIONS.append
def layer_norm_rule(g, x, gain, eps):
    """A complex step along each number."""

    def y(row):
        c = row - row.mean()
        return c / np.sqrt((c * c).mean() + eps) * gain

    step = 1e-30j * np.eye(x.shape[1])
    return np.array([[(y(r + u).imag / 1e-30) @ gr for u in step] for r, gr in zip(x, g)])


@SOLUTIONS.append
def causal_mask(queries, keys):
    return np.array([[q + keys - queries >= k for k in range(keys)] for q in range(queries)])


@SOLUTIONS.append
def causal_mask(queries, keys):
    return ~np.triu(np.ones((queries, keys), bool), k=keys - queries + 1)


@SOLUTIONS.append
def cross_entropy(logits, targets, pad):
    return np.mean([
        np.logaddexp.reduce(row) - row[t]
        for row, t in zip(logits.reshape(-1, logits.shape[-1]), targets.ravel())
        if t != pad
    ])  # fmt: skip


@SOLUTIONS.append
def dropout(x, p, draws, training):
    kept = np.heaviside(draws - p, 1.0)
    return x * kept / (1 - p) if training else +x


@SOLUTIONS.append
def greedy(scores, start, end, longest):
    def rest(tokens):
        if len(tokens) > longest:
            return []
        best = np.argsort(scores(tokens))[-1]
        return [best] if best == end else [best, *rest([*tokens, best])]

    return rest([start])


@SOLUTIONS.append
def top_p(p, least):
    if p.max() >= least:
        return (p == p.max()) * 1.0
    rest = np.where(p == p.max(), 0, p)
    others = top_p(rest / rest.sum(), (least - p.max()) / rest.sum()) > 0
    kept = p * (others | (p == p.max()))
    return kept / kept.sum()


@SOLUTIONS.append
def beam_search(scores, start, end, longest, beams):
    def log_p(tokens):
        s = np.asarray(scores([start, *tokens]))
        return s - np.logaddexp.reduce(s)

    def grow(kept, n):
        open_ones = [one for one in kept if end not in one[1]]
        if not n or not open_ones:
            return max(kept)
        more = [(a + b, [*t, i]) for a, t in open_ones for i, b in enumerate(log_p(t))]
        ended = [one for one in kept if end in one[1]]
        return grow(sorted(more + ended, reverse=True)[:beams], n - 1)

    best, tokens = grow([(0.0, [])], longest)
    return tokens, best


@SOLUTIONS.append
def cross_entropy_rule(logits, targets, pad):
    out = np.zeros(logits.shape)
    count = sum(t != pad for t in targets.flat)
    for at in np.ndindex(targets.shape):
        if targets[at] != pad:
            out[at] = np.exp(logits[at] - np.logaddexp.reduce(logits[at])) / count
            out[(*at, targets[at])] -= 1 / count
    return out


@SOLUTIONS.append
def induction(ids, symbols):
    out = []
    for t in range(len(ids)):
        row = np.bincount(ids[1 : t + 1][ids[:t] == ids[t]], minlength=symbols)
        out.append(row / row.sum() if row.any() else np.full(symbols, 1 / symbols))
    return np.array(out)


@SOLUTIONS.append
def hessian_times(f, x, v):
    _, back = mg.vjp(mg.grad(f), x)
    return back(v)[0]  # H is symmetric


@SOLUTIONS.append
def newton_step(f, x):
    H = np.array([mg.grad(lambda z, k=k: mg.grad(f)(z)[k])(x).numpy() for k in range(len(x))])
    return x - np.linalg.inv(H) @ mg.grad(f)(x).numpy()


@SOLUTIONS.append
def forward_derivative(f, x, v):
    y, back = mg.vjp(f, x)
    return np.array([back(u)[0].numpy() @ v for u in np.eye(len(y))])


@SOLUTIONS.append
def add_gradients(parts):
    names = dict.fromkeys(name for part in parts for name in part)
    return {n: functools.reduce(np.add, [p[n] for p in parts if n in p]) for n in names}


@SOLUTIONS.append
def tree_sum(items, add):
    if len(items) == 1:
        return items[0]
    n = 1 << (len(items) - 1).bit_length() - 1
    return add(tree_sum(items[:n], add), tree_sum(items[n:], add))
