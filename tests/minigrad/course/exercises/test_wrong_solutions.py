# ruff: noqa: B007, C420, F811, NPY002, RET503, RUF005 - as beginners write
"""Wrong solutions that beginners write, and what is said of each: written apart from the exercises.

Beside each function stands a part of what the check says of it.
"""

import numpy as np
from solutions import WrongSolutions, seeds

import minigrad as mg

SOLUTIONS = WrongSolutions()
said = SOLUTIONS.said


@seeds(1, 6)
def test_what_is_said_of_wrong_solutions(seed):
    SOLUTIONS.check(seed)


@said("The mean of each row")
def softmax(x):
    e = np.exp(x - x.mean(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@said("does not depend on are left out")
def walk(graph, root):
    g = {root: 1}
    for n in reversed(graph):
        if n in g:
            for a, s in graph[n]:
                g[a] = g.get(a, 0) + s * g[n]
    return g


@said("Of two edges")
def walk(graph, root):
    g = {n: 0 for n in graph}
    g[root] = 1
    for n in reversed(list(graph)):
        for a, s in dict(graph[n]).items():
            g[a] += s * g[n]
    return g


@said("The slope is added")
def walk(graph, root):
    g = {n: 0 for n in graph}
    g[root] = 1
    for n in reversed(list(graph)):
        for a, s in graph[n]:
            g[a] += s + g[n]
    return g


@said("The slopes are left out")
def walk(graph, root):
    g = {n: 0 for n in graph}
    g[root] = 1
    for n in reversed(list(graph)):
        for a, s in graph[n]:
            g[a] += g[n]
    return g


@said("h U is added after it")
def rnn(x, W, U, b):
    h = np.zeros(U.shape[0])
    out = []
    for t in range(len(x)):
        h = np.tanh(x[t] @ W + b) + h @ U
        out.append(h)
    return np.array(out)


@said("is ones")
def rnn(x, W, U, b):
    h = np.ones(U.shape[0])
    out = []
    for t in range(len(x)):
        h = np.tanh(x[t] @ W + b + h @ U)
        out.append(h)
    return np.array(out)


@said("One array holds the state")
def rnn(x, W, U, b):
    h = np.zeros(U.shape[0])
    out = []
    for t in range(len(x)):
        h[:] = np.tanh(x[t] @ W + b + h @ U)
        out.append(h)
    return np.array(out)


@said("It returns (a str, one number); expected is a tuple of 2 numbers")
def product_rule(g, x, y):
    return "red", g


@said("It returns a list; asked for is an array")
def causal_mask(queries, keys):
    return [[k <= q + keys - queries for k in range(keys)] for q in range(queries)]


@said("ones and zeros")
def causal_mask(queries, keys):
    m = np.zeros((queries, keys))
    for q in range(queries):
        for k in range(keys):
            m[q, k] = k <= q + keys - queries
    return m


@said("the same array")
def numerical_gradient(f, x, h):
    out = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        xp, xm = x, x
        xp[k] += h
        xm[k] -= h
        out[k] = (f(xp) - f(xm)) / (2 * h)
    return out


@said("np.zeros_like(x) of whole numbers")
def numerical_gradient(f, x, h):
    out = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        xp, xm = x.astype(float), x.astype(float)
        xp[k] += h
        xm[k] -= h
        out[k] = (f(xp) - f(xm)) / (2 * h)
    return out


@said("Whole rows are nudged")
def numerical_gradient(f, x, h):
    x = x.astype(float)
    out = np.zeros(x.shape)
    for i in range(len(x)):
        xp, xm = x.copy(), x.copy()
        xp[i] += h
        xm[i] -= h
        out[i] = (f(xp) - f(xm)) / (2 * h)
    return out


@said("It returns a list")
def numerical_gradient(f, x, h):
    out = []
    for k in range(x.size):
        xp, xm = x.astype(float), x.astype(float)
        xp.flat[k] += h
        xm.flat[k] -= h
        out.append((f(xp) - f(xm)) / (2 * h))
    return out


@said("aligned on the left")
def undo_broadcast(g, shape):
    g = g.sum(axis=tuple(range(len(shape), g.ndim)))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


@said("All numbers of g are summed")
def undo_broadcast(g, shape):
    return np.full(shape, g.sum())


@said("aligned on the left")
def undo_broadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=-1)
    for i, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=i, keepdims=True)
    return g


@said("A small number is added")
def cross_entropy(logits, targets, pad):
    x = logits - logits.max(-1, keepdims=True)
    p = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    lp = np.log(np.take_along_axis(p, targets[..., None], -1)[..., 0] + 1e-9)
    return -lp[targets != pad].mean()


@said("The logarithm is taken of the softmax")
def cross_entropy(logits, targets, pad):
    x = logits - logits.max(-1, keepdims=True)
    p = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    lp = np.log(np.take_along_axis(p, targets[..., None], -1)[..., 0])
    return -lp[targets != pad].mean()


@said("One maximum is taken")
def cross_entropy(logits, targets, pad):
    x = logits - logits.max()
    lp = x - np.log(np.exp(x).sum(-1, keepdims=True))
    lp = np.take_along_axis(lp, targets[..., None], -1)[..., 0]
    return -lp[targets != pad].mean()


@said("taken to be 0")
def cross_entropy(logits, targets, pad):
    x = logits - logits.max(-1, keepdims=True)
    lp = x - np.log(np.exp(x).sum(-1, keepdims=True))
    lp = np.take_along_axis(lp, targets[..., None], -1)[..., 0]
    return -lp[targets != 0].mean()


@said("number of queries")
def scores(q, k):
    return q @ k.T / np.sqrt(q.shape[0])


@said("It returns numbers of shape (1,); expected is numbers of shape (1, 1)")
def scores(q, k):
    return (q * k).sum(-1) / np.sqrt(q.shape[-1])


@said("It returns nothing")
def order(graph, root):
    pass


@said("as they stand in the dictionary")
def order(graph, root):
    return list(reversed(graph))


@said("It returns a dict; expected is a list")
def order(graph, root):
    return graph


@said("The bias is left out")
def layer_norm(x, gain, bias, eps):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * gain


@said("The bias is added before")
def layer_norm(x, gain, bias, eps):
    return ((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + bias) * gain


@said("attends to everything")
def attend(s, mask, v):
    s = s + np.where(mask, 0, -1e9)
    s = s - s.max(-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(-1, keepdims=True) @ v


@said("it changes what it was given, in argument 1")
def attend(s, mask, v):
    s[~mask] = -np.inf
    m = s.max(-1, keepdims=True)
    m[np.isinf(m)] = 0
    e = np.exp(s - m)
    t = e.sum(-1, keepdims=True)
    t[t == 0] = 1
    return e / t @ v


@said("No maximum is taken off")
def attend(s, mask, v):
    e = np.exp(s) * mask
    t = e.sum(-1, keepdims=True)
    return e / np.where(t == 0, 1, t) @ v


@said("It returns a list")
def split_heads(x, heads):
    return np.split(x, heads, axis=-1)


@said("TypeError: 'float' object")
def split_heads(x, heads):
    B, T, D = x.shape
    return x.reshape(B, T, heads, D / heads).swapaxes(1, 2)


@said("another answer each time")
def dropout(x, p, draws, training):
    return x * (np.random.rand(*x.shape) >= p) / (1 - p) if training else x


@said("it changes what it was given, in argument 1")
def dropout(x, p, draws, training):
    if training:
        x[draws < p] = 0
        x /= 1 - p
    return x


@said("A draw that is p itself")
def dropout(x, p, draws, training):
    return x * (draws > p) / (1 - p) if training else x


@said("shifted the wrong way")
def teacher_forcing(targets):
    return targets[:, 1:], targets[:, :-1]


@said("ids stay whole numbers")
def teacher_forcing(targets):
    read = np.zeros((targets.shape[0], targets.shape[1] - 1))
    write = np.zeros_like(read)
    for b in range(len(targets)):
        for t in range(targets.shape[1] - 1):
            read[b, t] = targets[b, t]
            write[b, t] = targets[b, t + 1]
    return read, write


@said("element by element")
def matmul_rule(g, a, b):
    return g * b.T, a.T * g


@said("It returns a list; asked for is a tuple")
def matmul_rule(g, a, b):
    return [g @ b.T, a.T @ g]


@said("cut off what is behind the point")
def index_rule(g, shape, index):
    out = np.zeros(shape, dtype=int)
    for i, r in enumerate(index):
        out[r] += g[i].astype(int)
    return out


@said("compared by size")
def padding_mask(tokens, pad):
    return (tokens > pad)[:, None, None, :]


@said("The sign is wrong")
def softmax_rule(g, y):
    return y * ((g * y).sum(-1, keepdims=True) - g)


@said("g is left out")
def softmax_rule(g, y):
    return y * (1 - y)


@said("*least* likely")
def greedy(scores, start, end, longest):
    out = []
    while len(out) < longest:
        t = int(np.argmin(scores([start] + out)))
        out.append(t)
        if t == end:
            break
    return out


@said("asked for is a list")
def greedy(scores, start, end, longest):
    out = []
    while len(out) < longest:
        t = int(np.argmax(scores([start] + out)))
        out.append(t)
        if t == end:
            break
    return np.array(out)


@said("is left out")
def top_p(p, least):
    order = np.argsort(p)[::-1]
    n = np.searchsorted(np.cumsum(p[order]), least)
    kept = np.zeros_like(p)
    kept[order[:n]] = p[order[:n]]
    return kept / kept.sum()


@said("2j / D")
def sinusoidal(length, width, offset):
    out = np.zeros((length, width))
    for p in range(length):
        for j in range(width):
            a = (p + offset) / 10000 ** (2 * j / width)
            out[p, j] = np.sin(a) if j % 2 == 0 else np.cos(a)
    return out


@said("base 2")
def beam_search(scores, start, end, longest, beams):
    kept = [([], 0.0)]
    for _ in range(longest):
        c = []
        for t, lp in kept:
            if end in t:
                c.append((t, lp))
                continue
            s = scores([start, *t])
            p = np.exp(s - s.max())
            p /= p.sum()
            c += [([*t, i], lp + np.log2(x)) for i, x in enumerate(p)]
        kept = sorted(c, key=lambda o: -o[1])[:beams]
    return kept[0]


@said("it changes what it was given, in argument 1")
def hide(tokens, draws, p, mask, pad):
    read, guess = tokens, tokens.copy()
    hidden = (draws < p) & (tokens != pad)
    read[hidden] = mask
    guess[~hidden] = pad
    return read, guess


@said("relative to the gradient that is judged")
def gradients_agree(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.all(np.abs(analytic - numeric) <= atol + rtol * np.abs(analytic)))


@said("rtol and atol are not used")
def gradients_agree(analytic, numeric, rtol, atol):
    return analytic.shape == numeric.shape and np.allclose(analytic, numeric)


@said("a distance")
def cosine(a, b):
    return 1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


@said("The sign is taken off")
def cosine(a, b):
    return abs(a @ b) / (np.linalg.norm(a) * np.linalg.norm(b))


@said("Queries and keys are exchanged")
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    s = k @ q.T / np.sqrt(k.shape[1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


@said("multiplied by the positions")
def add_positions(x, table, read):
    return x * table[read : read + x.shape[1]]


@said("it changes what it was given, in argument 1")
def add_positions(x, table, read):
    x += table[read : read + x.shape[1]]
    return x


@said("as they stand in the dictionary")
def order(graph, root):
    return list(graph)


@said("It returns a dict; expected is")
def order(graph, root):
    out, waiting = {}, [root]
    while waiting:
        n = waiting.pop()
        out.pop(n, None)
        out[n] = True
        waiting.extend(graph[n])
    return out


@said("when it is first reached")
def order(graph, root):
    seen = []

    def visit(n):
        seen.append(n)
        for a in graph[n]:
            if a not in seen:
                visit(a)

    visit(root)
    return seen


@said("cut to the shape")
def undo_broadcast(g, shape):
    return g.ravel()[: int(np.prod(shape))].reshape(shape)


@said("Only the axes of length 1")
def undo_broadcast(g, shape):
    for i in range(len(shape)):
        if shape[i] == 1:
            g = np.sum(g, axis=i, keepdims=True)
    return g


@said("g is left out")
def matmul_rule(g, a, b):
    return np.transpose(b), np.transpose(a)


@said("the way forward once more")
def index_rule(g, shape, index):
    out = np.zeros((len(index), shape[1]))
    for i in range(len(index)):
        out[i] = g[index[i]]
    return out


@said("It does not divide")
def numerical_gradient(f, x, h):
    out = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        xp, xm = x.astype(float), x.astype(float)
        xp[k] += h
        xm[k] -= h
        out[k] = f(xp) - f(xm)
    return out


@said("divides by 2 and multiplies by h")
def numerical_gradient(f, x, h):
    out = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        xp, xm = x.astype(float), x.astype(float)
        xp[k] += h
        xm[k] -= h
        out[k] = (f(xp) - f(xm)) / 2 * h
    return out


@said("This is the angle")
def cosine(a, b):
    return np.arccos(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


@said("-1 is the last of any array")
def softmax(x):
    e = np.exp(x - np.max(x, 1)[:, None])
    return e / np.sum(e, 1)[:, None]


@said("There is no exp")
def softmax(x):
    return x / np.sum(x, axis=-1, keepdims=True)


@said("share one sum")
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / np.sum(e)


@said("to divide does")
def softmax(x):
    x = x / np.max(x, axis=-1, keepdims=True)
    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)


@said("before it has read its word")
def rnn(x, W, U, b):
    h = np.zeros(len(b))
    out = []
    for row in x:
        out.append(h)
        h = np.tanh(row @ W + h @ U + b)
    return np.array(out)


@said("the scores before it are asked for")
def additive_scores(q, k, W, U, v):
    s = np.tanh((q @ W)[:, None] + k @ U) @ v
    e = np.exp(s - s.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@said("not by its square root")
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    s = q @ k.T / k.shape[1]
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


@said("polarity is reversed")
def attend(s, mask, v):
    s = s.copy()
    s[mask] = -1e9
    e = np.exp(s - s.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True) @ v


@said("It takes the mean of g y")
def softmax_rule(g, y):
    return y * g - y * np.mean(y * g, axis=-1, keepdims=True)


@said("from `offset` to `length`")
def sinusoidal(length, width, offset):
    out = np.zeros((max(length - offset, 0), width))
    for p in range(offset, length):
        for j in range(width):
            a = p / 10000 ** (2 * (j // 2) / width)
            out[p - offset, j] = np.cos(a) if j % 2 else np.sin(a)
    return out


@said("a sine comes first")
def sinusoidal(length, width, offset):
    out = np.zeros((length, width))
    for p in range(length):
        for j in range(width):
            a = (p + offset) / 10000 ** (2 * (j // 2) / width)
            out[p, j] = np.sin(a) if j % 2 else np.cos(a)
    return out


@said("however many tokens there are")
def add_positions(x, table, read):
    return table[read:] + x


@said("The rows end at T")
def add_positions(x, table, read):
    return x + table[read : len(x[0])]


@said("Gain and bias are left out")
def layer_norm(x, gain, bias, eps):
    d = x - np.mean(x, -1, keepdims=True)
    return d / np.sqrt(np.mean(d**2, -1, keepdims=True) + eps)


@said("gain + bias")
def layer_norm(x, gain, bias, eps):
    n = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)
    return n * (gain + bias)


@said("moved the wrong way")
def causal_mask(queries, keys):
    m = np.zeros((queries, keys), dtype=bool)
    for q in range(queries):
        for k in range(keys):
            m[q, k] = k <= q - (keys - queries)
    return m


@said("exp overflows")
def cross_entropy(logits, targets, pad):
    p = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    loss, count = 0.0, 0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] != pad:
                loss -= np.log(p[b, t, targets[b, t]])
                count += 1
    return loss / count


@said("the chance of being kept")
def dropout(x, p, draws, training):
    if not training:
        return x
    return x * (draws < p) / p if p else np.zeros_like(x)


@said("The start symbol is returned as well")
def greedy(scores, start, end, longest):
    out = [start]
    while len(out) < longest:
        out.append(int(np.argmax(scores(out))))
        if out[-1] == end:
            break
    return out


@said("*all* positions")
def cross_entropy_rule(logits, targets, pad):
    p = np.exp(logits - logits.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    p[:, :, targets] -= 1
    return p * (targets != pad)[:, :, None] / np.sum(targets != pad)


@said("It is off by little")
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.round(e / e.sum(axis=-1, keepdims=True), 4)


@said("asked for is a tuple of a list and a number")
def beam_search(scores, start, end, longest, beams):
    return [end]


@said("divides by one length")
def cosine(a, b):
    return np.dot(a, b) / np.linalg.norm(a) * np.linalg.norm(b)


@said("it is <=")
def gradients_agree(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool((abs(analytic - numeric) < atol + rtol * abs(numeric)).all())


@said("The mean is not taken off")
def layer_norm(x, gain, bias, eps):
    return gain * x / np.sqrt(np.var(x, axis=-1, keepdims=True) + eps) + bias


@said("No position may attend to itself")
def decoder_mask(tokens, pad):
    B, T = tokens.shape
    m = np.zeros((B, 1, T, T), dtype=bool)
    for b in range(B):
        for q in range(T):
            m[b, 0, q, :q] = tokens[b, :q] != pad
    return m


@said("The logarithm is taken of the softmax")
def cross_entropy(logits, targets, pad):
    p = np.exp(logits - logits.max(-1, keepdims=True))
    p = p / p.sum(-1, keepdims=True)
    loss = [-np.log(q[t]) for q, t in zip(p.reshape(-1, p.shape[-1]), targets.ravel()) if t != pad]
    return np.mean(loss)


@said("the wrong way round")
def dropout(x, p, draws, training):
    if training:
        return x
    return x * (draws >= p) / (1 - p)


@said("Where nothing is to be guessed")
def hide(tokens, draws, p, mask, pad):
    read, guess = tokens.copy(), np.full_like(tokens, mask)
    for at in np.ndindex(tokens.shape):
        if draws[at] < p and tokens[at] != pad:
            read[at], guess[at] = mask, tokens[at]
    return read, guess


@said("an argument may be 0")
def product_rule(g, x, y):
    p = x * y
    return g * p / x, g * p / y


@said("count edges")
def order(graph, root):
    uses = {root: 0}
    todo = [root]
    while todo:
        for a in set(graph[todo.pop()]):
            if a not in uses:
                uses[a] = 0
                todo.append(a)
            uses[a] += 1
    out, ready = [], [root]
    while ready:
        n = ready.pop()
        out.append(n)
        for a in graph[n]:
            uses[a] -= 1
            if uses[a] == 0:
                ready.append(a)
    return out


@said("judged by the largest slope")
def gradients_agree(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(abs(analytic - numeric).max() <= atol + rtol * abs(numeric).max())


@said("The norm of all differences")
def gradients_agree(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.linalg.norm(analytic - numeric) <= atol + rtol * np.linalg.norm(numeric))


@said("The larger of the two tolerances")
def gradients_agree(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    off, n = abs(analytic - numeric), abs(numeric)
    return bool(((off <= atol) | (off <= rtol * n)).all())


@said("It counts the axes")
def gradients_agree(analytic, numeric, rtol, atol):
    if len(analytic.shape) != len(numeric.shape):
        return False
    return bool(np.all(abs(analytic - numeric) <= atol + rtol * abs(numeric)))


@said("It counts the numbers")
def gradients_agree(analytic, numeric, rtol, atol):
    if analytic.size != numeric.size:
        return False
    a, n = analytic.ravel(), numeric.ravel()
    return bool(np.all(abs(a - n) <= atol + rtol * abs(n)))


@said("with their sign in what is tolerated")
def gradients_agree(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.all(abs(analytic - numeric) <= atol + rtol * numeric))


@said("All that should be True is, but more than that")
def gradients_agree(analytic, numeric, rtol, atol):
    if analytic.shape != numeric.shape:
        return False
    return bool(np.mean(abs(analytic - numeric) <= atol + rtol * abs(numeric)) > 0.9)


@said("taken to be 1")
def contextualise(v):
    out = np.zeros_like(v)
    for i in range(len(v)):
        w = np.array([np.exp(v[i] @ v[j]) if i != j else np.exp(1) for j in range(len(v))])
        out[i] = w / w.sum() @ v
    return out


@said("The root is cut to a whole number")
def scores(q, k):
    return q @ k.T / int(np.sqrt(q.shape[1]))


@said("attends to everything, by its scores")
def attend(s, mask, v):
    s = np.where(mask | ~mask.any(1, keepdims=True), s, -np.inf)
    e = np.exp(s - s.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True) @ v


@said("never below 0")
def attend(s, mask, v):
    s = s * mask
    e = np.exp(s - s.max(1, keepdims=True)) * mask
    t = e.sum(1, keepdims=True)
    return e / np.where(t == 0, 1, t) @ v


@said("never below 0")
def attend(s, mask, v):
    m = s.max(axis=1, keepdims=True, where=mask, initial=0)
    e = np.where(mask, np.exp(np.where(mask, s - m, 0)), 0)
    t = e.sum(1, keepdims=True)
    return e / np.where(t == 0, 1, t) @ v


@said("eps takes the place of a standard deviation")
def layer_norm(x, gain, bias, eps):
    s = x.std(-1, keepdims=True)
    return (x - x.mean(-1, keepdims=True)) / np.where(s < eps, eps, s) * gain + bias


@said("whatever follows the first of it is hidden")
def padding_mask(tokens, pad):
    mask = np.zeros(tokens.shape, dtype=bool)
    for b in range(len(tokens)):
        for t in tokens[b]:
            if t == pad:
                break
            mask[b, mask[b].sum()] = True
    return mask[:, None, None, :]


@said("it is counted")
def padding_mask(tokens, pad):
    lengths = np.sum(tokens != pad, axis=1)
    return (np.arange(tokens.shape[1]) < lengths[:, None])[:, None, None, :]


@said("the start symbol is counted")
def greedy(scores, start, end, longest):
    tokens = [start]
    while len(tokens) < longest:
        tokens.append(int(np.argmax(scores(tokens))))
        if tokens[-1] == end:
            break
    return tokens[1:]


@said("before it looks at `longest`")
def greedy(scores, start, end, longest):
    out = []
    while True:
        out.append(int(np.argmax(scores([start] + out))))
        if out[-1] == end or len(out) >= longest:
            return out


@said("taken for one that was written")
def greedy(scores, start, end, longest):
    tokens = [start]
    while end not in tokens and len(tokens) <= longest:
        tokens.append(int(np.argmax(scores(tokens))))
    return tokens[1:]


@said("one symbol too many is taken")
def top_p(p, least):
    order = np.argsort(p)[::-1]
    n = np.searchsorted(np.cumsum(p[order]), least, side="right") + 1
    kept = np.zeros_like(p)
    kept[order[:n]] = p[order[:n]]
    return kept / kept.sum()


@said("one symbol too many is taken")
def top_p(p, least):
    q = p.copy()
    while q.sum() > least:
        i = np.argmin(np.where(q > 0, q, 2))
        last, q[i] = q[i], 0
    q[i] = last
    return q / q.sum()


@said("put aside")
def beam_search(scores, start, end, longest, beams):
    kept, done = [([], 0.0)], []
    for _ in range(longest):
        c = []
        for t, lp in kept:
            s = scores([start, *t])
            s = s - s.max() - np.log(np.exp(s - s.max()).sum())
            c += [([*t, i], lp + x) for i, x in enumerate(s)]
        best = sorted(c, key=lambda o: -o[1])[:beams]
        done += [o for o in best if o[0][-1] == end]
        kept = [o for o in best if o[0][-1] != end]
        if not kept:
            break
    return max(kept + done, key=lambda o: o[1])


@said("whose draw is p itself")
def hide(tokens, draws, p, mask, pad):
    hidden = (draws <= p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, tokens, pad)


@said("whatever `mask` says")
def hide(tokens, draws, p, mask, pad):
    hidden = (draws < p) & (tokens != pad)
    return np.where(hidden, 9, tokens), np.where(hidden, tokens, pad)


@said("expected is (numbers of shape (1, 6), booleans of shape (1, 6))")
def repeat_part(x, start, to, length):
    rows, known = x.astype(float), np.zeros(x.shape)
    for b, (s, t, n) in enumerate(zip(start, to, length)):
        rows[b, t : t + n] = x[b, s : s + n]
        known[b, t + 1 : t + n] = 1
    return rows, known


@said("symbols stay whole numbers")
def repeat_part(x, start, to, length):
    rows, known = np.zeros(x.shape), np.zeros(x.shape, dtype=bool)
    rows[:] = x
    for b, (s, t, n) in enumerate(zip(start, to, length)):
        rows[b, t : t + n] = x[b, s : s + n]
        known[b, t + 1 : t + n] = True
    return rows, known


@said("because it stood in the row before")
def repeat_part(x, start, to, length):
    rows = x.copy()
    for b, (s, t, n) in enumerate(zip(start, to, length)):
        rows[b, t : t + n] = x[b, s : s + n]
    known = np.array([[row[j] in row[:j] for j in range(len(row))] for row in rows])
    known[np.arange(len(x)), to] = False
    return rows, known


@said("just before is left out")
def induction(ids, symbols):
    out = []
    for t in range(len(ids)):
        c = np.zeros(symbols)
        for s in range(t - 1):
            if ids[s] == ids[t]:
                c[ids[s + 1]] += 1
        out.append(c / c.sum() if c.sum() else np.full(symbols, 1 / symbols))
    return np.array(out)


@said("With a steep straight line added to f")
def hessian_times(f, x, v):
    h = 1e-6
    return (mg.grad(f)(x + h * v).numpy() - mg.grad(f)(x - h * v).numpy()) / (2 * h)


@said("f was called more than 11 times")
def hessian_times(f, x, v):
    h = 1e-4
    F = lambda z: float(f(z))
    out = []
    for e in h * np.eye(len(x)):
        u = h * v
        out.append((F(x + e + u) - F(x - e + u) - F(x + e - u) + F(x - e - u)) / (4 * h * h))
    return np.array(out)


@said("With a large number added to f")
def forward_derivative(f, x, v):
    h = 1e-6
    return (np.asarray(f(x + h * v)) - np.asarray(f(x - h * v))) / (2 * h)


@said("With a large number added to f")
def forward_derivative(f, x, v):
    h = 1e-8
    return (np.asarray(f(x + h * v)) - np.asarray(f(x))) / h


@said("It returns (")
def once(lines, result):  # lists in lists, of different lengths
    name, function, *arguments = lines[0]
    return [[name, function, arguments]], result


@said("np.array_equal allows nothing")
def gradients_agree(analytic, numeric, rtol, atol):
    return analytic.shape == numeric.shape and bool(np.array_equal(analytic, numeric))


# --- a return in the loop -------------------------------------------------------------------------


@said("Its return stands in the loop")
def walk(graph, root):
    g = dict.fromkeys(graph, 0)
    g[root] = 1
    for n in reversed(graph):
        for a, s in graph[n]:
            g[a] += s * g[n]
        return g


@said("Either it walks in the order of creation")
def walk(graph, root):
    g = dict.fromkeys(graph, 0)
    g[root] = 1
    for n in reversed(graph):
        for a, s in graph[n]:
            g[a] += s * g[n]
        break
    return g


@said("Its return stands in the loop")
def numerical_gradient(f, x, h):
    out = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        up, down = x.astype(float), x.astype(float)
        up[k] += h
        down[k] -= h
        out[k] = (f(up) - f(down)) / (2 * h)
        return out


@said("Its return stands in the loop")
def rnn(x, W, U, b):
    h, out = np.zeros_like(b), []
    for row in x:
        h = np.tanh(row @ W + h @ U + b)
        out.append(h)
        return np.array(out)


@said("Its return stands in the loop")
def undo_broadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
        for i, n in enumerate(shape):
            if n == 1:
                g = g.sum(axis=i, keepdims=True)
        return g


# --- an input that no example of a lesson shows -----------------------------------------------------


@said("`break` where `continue`")
def cross_entropy(logits, targets, pad):
    total, count = 0.0, 0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] == pad:
                break
            x = logits[b, t] - logits[b, t].max()
            total -= x[targets[b, t]] - np.log(np.exp(x).sum())
            count += 1
    return total / max(count, 1)


@said("A small number is added to every length")
def norm_rule(g, x):
    y = np.sqrt((x * x).sum(axis=-1))
    return g[:, None] * x / (y + 1e-8)[:, None]


# --- mistakes of a student who tried them ----------------------------------------------------------


@said("The sum is added to g")
def softmax_rule(g, y):
    return y * (g + (g * y).sum(axis=-1, keepdims=True))


@said("The means of h and of h n run over the positions")
def layer_norm_rule(g, x, gain, eps):
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    n, h = (x - x.mean(-1, keepdims=True)) / s, g * gain
    return (h - h.mean(0) - n * (h * n).mean(0)) / s


@said("n and s are found down the columns")
def layer_norm_rule(g, x, gain, eps):
    s = np.sqrt(x.var(0) + eps)
    n, h = (x - x.mean(0)) / s, g * gain
    mean = lambda a: a.mean(-1, keepdims=True)
    return (h - mean(h) - n * mean(h * n)) / s


@said("The softmax runs along the positions")
def cross_entropy(logits, targets, pad):
    x = logits - logits.max(1, keepdims=True)
    lp = x - np.log(np.exp(x).sum(1, keepdims=True))
    return -np.take_along_axis(lp, targets[..., None], -1)[..., 0][targets != pad].mean()


@said("divides by B T N")
def cross_entropy(logits, targets, pad):
    x = logits - logits.max(-1, keepdims=True)
    lp = x - np.log(np.exp(x).sum(-1, keepdims=True))
    return -(np.eye(logits.shape[-1])[targets] * lp).mean()


@said("divides by N once more")
def cross_entropy(logits, targets, pad):
    x = logits - logits.max(-1, keepdims=True)
    lp = x - np.log(np.exp(x).sum(-1, keepdims=True))
    return -(np.eye(logits.shape[-1])[targets] * lp)[targets != pad].mean()


@said("The last row of g is left out")
def index_rule(g, shape, index):
    out = np.zeros(shape)
    for i in range(len(index) - 1):
        out[index[i]] += g[i]
    return out


@said("The last element is left out")
def numerical_gradient(f, x, h):
    x = x.astype(float)
    out = np.zeros(x.shape)
    for i in range(x.size - 1):
        a, b = x.copy(), x.copy()
        a.flat[i] += h
        b.flat[i] -= h
        out.flat[i] = (f(a) - f(b)) / (2 * h)
    return out


@said("reaches `least` is left out")
def top_p(p, least):
    kept, total = np.zeros_like(p), 0.0
    for i in np.argsort(-p):
        if total + p[i] >= least:
            break
        kept[i] = p[i]
        total += p[i]
    return kept / kept.sum()


@said("The last projection is transposed")
def multi_head(x, w_q, w_k, w_v, w_o, heads):
    B, T, D = x.shape
    split = lambda a: a.reshape(B, T, heads, D // heads).swapaxes(1, 2)
    q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)
    e = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(D // heads))
    y = e / e.sum(-1, keepdims=True) @ v
    return y.swapaxes(1, 2).reshape(B, T, D) @ w_o.T


@said("`range(i)` ends before i")
def causal_mask(queries, keys):
    m = np.zeros((queries, keys), bool)
    for i in range(queries):
        for j in range(i):
            m[i, j] = True
    return m


@said("only the first copy is kept")
def undo_broadcast(g, shape):
    while g.ndim > len(shape):
        g = g[0]
    for k, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=k, keepdims=True)
    return g


@said("Only the first axis is looked at")
def undo_broadcast(g, shape):
    return g.sum(axis=0)


@said("Only the first axis is looked at")
def undo_broadcast(g, shape):
    return g[0]


# --- answers of another shape: nothing else is said of them, which would be false --------------------


@said("is numbers of shape", alone=True)
def shift(width, k):
    return np.eye(width + 1)


@said("is booleans of shape", alone=True)
def causal_mask(queries, keys):
    return np.ones((keys + 1, queries), bool)


@said("is there a return at its end?", alone=True)
def cosine(a, b):
    print(a @ b / np.sqrt(a @ a * (b @ b)))


@said("by its own length")
def cosine(a, b):
    return (a @ b) / np.linalg.norm(a @ b)


@said("own vector is added")
def contextualise(v):
    s = v @ v.T
    e = np.exp(s - s.max(-1, keepdims=True))
    return v + (e / e.sum(-1, keepdims=True)) @ v


@said("The targets are not used")
def cross_entropy(logits, targets, pad):
    x = logits - logits.max(-1, keepdims=True)
    return -(x - np.log(np.exp(x).sum(-1, keepdims=True))).mean()


@said("The mean is taken of p")
def cross_entropy(logits, targets, pad):
    p = np.exp(logits - logits.max(-1, keepdims=True))
    p = p / p.sum(-1, keepdims=True)
    right = np.take_along_axis(p, targets[..., None], -1)[..., 0]
    return -np.log(right[targets != pad].mean())


@said("the right numbers, rounded")
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.round(e / e.sum(-1, keepdims=True), 2)


@said("the right numbers, rounded")
def cosine(a, b):
    return round(float(a @ b / np.sqrt((a @ a) * (b @ b))), 3)
