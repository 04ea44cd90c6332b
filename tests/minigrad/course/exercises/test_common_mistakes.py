# ruff: noqa: B006, C420, F811, NPY002, RUF005 - as beginners write
"""Mistakes that are common in classes are named, also with a guard, another rounding, or a fault beside
them; and what is right for most inputs alone is refused.

Beside each function stands a part of what the check says of it.
"""

from collections import Counter, deque

import numpy as np
from solutions import WrongSolutions, seeds

import minigrad as mg

SOLUTIONS = WrongSolutions()
said = SOLUTIONS.said


@seeds(1, 6)
def test_what_is_said_of_common_mistakes(seed):
    SOLUTIONS.check(seed)


@said("is divided by p")
def dropout(x, p, draws, training):
    return x * (draws >= p) / max(p, 1e-12) if training else x


@said("It is off by one: position `length`")
def last_logits(logits, lengths):
    return logits[np.arange(len(logits)), np.minimum(lengths, logits.shape[1] - 1)]


@said("p is taken for the chance of staying")
def hide(tokens, draws, p, mask, pad):
    hidden = (draws > p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, tokens, pad)


@said("cut in the middle")
def tree_sum(items, add):
    if len(items) == 1:
        return items[0]
    half = (len(items) + 1) // 2
    return add(tree_sum(items[:half], add), tree_sum(items[half:], add))


@said("passes on again")
def walk(graph, root):
    g = {n: 0 for n in graph}
    g[root] = 1
    queue = deque([root])
    while queue:
        n = queue.popleft()
        for a, s in graph[n]:
            g[a] += s * g[n]
            queue.append(a)
    return g


@said("passes on again")
def walk(graph, root):
    g = {n: 0 for n in graph}
    g[root] = 1
    stack = [root]
    while stack:
        n = stack.pop()
        for a, s in graph[n]:
            g[a] += s * g[n]
            stack.append(a)
    return g


@said("Edges are counted from all nodes")
def order(graph, root):
    uses = Counter(a for n in graph for a in graph[n])
    out, ready = [], [root]
    while ready:
        n = ready.pop()
        out.append(n)
        for a in graph[n]:
            uses[a] -= 1
            if uses[a] == 0:
                ready.append(a)
    return out


@said("also those that the root was not computed from")
def order(graph, root):
    uses = {n: 0 for n in graph}
    for n in graph:
        for a in graph[n]:
            uses[a] += 1
    out, ready = [], deque(n for n in graph if uses[n] == 0)
    while ready:
        n = ready.popleft()
        out.append(n)
        for a in graph[n]:
            uses[a] -= 1
            if uses[a] == 0:
                ready.append(a)
    return out


@said("the default value of `seen`")
def order(graph, root, seen=[]):
    if root in seen:
        return []
    seen.append(root)
    out = []
    for a in graph[root]:
        out = order(graph, a, seen) + out
    return [root] + out


@said("the default value of `written`")
def greedy(scores, start, end, longest, written=[]):
    while len(written) < longest and end not in written:
        written.append(int(np.argmax(scores([start, *written]))))
    return written


@said("the default value of `total`")
def add_gradients(parts, total={}):
    for part in parts:
        for name, g in part.items():
            total[name] = total.get(name, 0) + g
    return total


@said("another answer each time")
def greedy(scores, start, end, longest):
    out = []
    while len(out) < longest and end not in out:
        s = np.exp(scores([start, *out]))
        out.append(int(np.random.choice(len(s), p=s / s.sum())))
    return out


@said("k=1")
def causal_mask(queries, keys):
    return ~np.triu(np.ones((queries, keys), bool), k=0)


@said("No position may attend to itself")
def causal_mask(queries, keys):
    return ~np.triu(np.ones((queries, keys), bool), k=keys - queries)


@said("Rows and columns are both hidden")
def decoder_mask(tokens, pad):
    real = tokens != pad
    both = real[:, None, :, None] & real[:, None, None, :]
    return both & np.tri(tokens.shape[1], dtype=bool)


@said("2i is doubled once more")
def sinusoidal(length, width, offset):
    out = np.zeros((length, width))
    for pos in range(length):
        for i in range(0, width, 2):
            angle = (pos + offset) / 10000 ** (2 * i / width)
            out[pos, i] = np.sin(angle)
            if i + 1 < width:
                out[pos, i + 1] = np.cos(angle)
    return out


@said("after the softmax")
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    s = q @ k.T
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) / np.sqrt(k.shape[1]) @ v


@said("the number of words")
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    s = q @ k.T / np.sqrt(len(x))
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


@said("after the softmax")
def multi_head(x, w_q, w_k, w_v, w_o, heads):
    B, T, D = x.shape
    q, k, v = ((x @ w).reshape(B, T, heads, -1).swapaxes(1, 2) for w in (w_q, w_k, w_v))
    s = q @ k.swapaxes(-1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True) / np.sqrt(D // heads) @ v
    return y.swapaxes(1, 2).reshape(B, T, D) @ w_o


@said("the number of heads")
def multi_head(x, w_q, w_k, w_v, w_o, heads):
    B, T, D = x.shape
    q, k, v = ((x @ w).reshape(B, T, heads, -1).swapaxes(1, 2) for w in (w_q, w_k, w_v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(heads)
    e = np.exp(s - s.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True) @ v
    return y.swapaxes(1, 2).reshape(B, T, D) @ w_o


@said("the number of words")
def multi_head(x, w_q, w_k, w_v, w_o, heads):
    B, T, D = x.shape
    q, k, v = ((x @ w).reshape(B, T, heads, -1).swapaxes(1, 2) for w in (w_q, w_k, w_v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(T)
    e = np.exp(s - s.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True) @ v
    return y.swapaxes(1, 2).reshape(B, T, D) @ w_o


@said("The values are made with w_k")
def multi_head(x, w_q, w_k, w_v, w_o, heads):
    B, T, D = x.shape
    q, k, v = ((x @ w).reshape(B, T, heads, -1).swapaxes(1, 2) for w in (w_q, w_k, w_k))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(D // heads)
    e = np.exp(s - s.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True) @ v
    return y.swapaxes(1, 2).reshape(B, T, D) @ w_o


@said("`read = tokens` copies nothing")
def hide(tokens, draws, p, mask, pad):
    hidden = (draws < p) & (tokens != pad)
    read = tokens
    read[hidden] = mask
    return read, np.where(hidden, tokens, pad)


@said("whole numbers, which cut off")
def index_rule(g, shape, index):
    out = np.zeros(shape, dtype=int)
    for row, i in zip(g, index):
        out[i] = out[i] + row
    return out


@said("a small number of its own")
def layer_norm(x, gain, bias, eps):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(-1, keepdims=True) + 1e-8) * gain + bias


@said("The step is a number of its own")
def numerical_gradient(f, x, h):
    h = 1e-4
    x = x.astype(float)
    out = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[k] += h
        down[k] -= h
        out[k] = (f(up) - f(down)) / (2 * h)
    return out


@said("x - mean stands where n")
def layer_norm_rule(g, x, gain, eps):
    mean = lambda a: a.mean(-1, keepdims=True)
    c = x - mean(x)
    s = np.sqrt(mean(c * c) + eps)
    h = g * gain
    return (h - mean(h) - c * mean(h * c)) / s


@said("divided by variance + eps")
def layer_norm_rule(g, x, gain, eps):
    mean = lambda a: a.mean(-1, keepdims=True)
    c = x - mean(x)
    variance = mean(c * c) + eps
    n, h = c / np.sqrt(variance), g * gain
    return (h - mean(h) - n * mean(h * n)) / variance


@said("This is y - g")
def softmax_rule(g, y):
    return y - g


@said("It looks at what comes later")
def induction(ids, symbols):
    out = np.zeros((len(ids), symbols))
    for t in range(len(ids)):
        for s in range(len(ids) - 1):
            if s != t and ids[s] == ids[t]:
                out[t, ids[s + 1]] += 1
        out[t] = out[t] / out[t].sum() if out[t].sum() else 1 / symbols
    return out


@said("It looks at what comes later")
def induction(ids, symbols):
    out = np.zeros((len(ids), symbols))
    for t in range(len(ids)):
        for s in range(len(ids) - 1):
            if ids[s] == ids[t]:
                out[t, ids[s + 1]] += 1
        out[t] = out[t] / out[t].sum() if out[t].sum() else 1 / symbols
    return out


@said("The bias b is added after the tanh")
def rnn(x, W, U, b):
    h = np.zeros(len(b))
    out = []
    for row in x:
        h = np.tanh(row @ W + h @ U) + b
        out.append(h)
    return np.array(out)


@said("1 - `least`")
def top_p(p, least):
    kept = np.where(p >= 1 - least, p, 0)
    return kept / kept.sum()


@said("left out")
def top_p(p, least):
    first = np.argsort(-p)
    kept = np.zeros_like(p)
    kept[first] = np.where(np.cumsum(p[first]) <= least, p[first], 0)
    return kept / kept.sum()


@said("after `read` tokens the next stands at position `read`")
def add_positions(x, table, read):
    return x + table[[min(p + 1, len(table) - 1) for p in range(read, read + x.shape[1])]]


@said("not on the list of known mistakes")
def cross_entropy(logits, targets, pad):
    x = logits - logits.max(-1, keepdims=True)
    log_p = x - np.log(np.exp(x).sum(-1, keepdims=True))
    counts = targets != pad
    picked = np.take_along_axis(log_p, targets[..., None], -1)[..., 0]
    return -(picked * counts).sum() / (counts.sum() + 1)


@said("What has ended is dropped")
def beam_search(scores, start, end, longest, beams):
    kept = [([], 0.0)]
    for _ in range(longest):
        every = []
        for tokens, log_p in kept:
            if end not in tokens:
                s = scores([start, *tokens])
                s = s - s.max() - np.log(np.exp(s - s.max()).sum())
                every += [([*tokens, i], log_p + x) for i, x in enumerate(s)]
        if not every:
            break
        kept = sorted(every, key=lambda one: -one[1])[:beams]
    return kept[0]


@said("also where it is padding")
def decoder_mask(tokens, pad):
    T = tokens.shape[1]
    seen = np.tri(T, dtype=bool) & (tokens != pad)[:, None, None, :]
    return seen | np.eye(T, dtype=bool)


# --- right for most inputs --------------------------------------------------------------------------


@said("One maximum is taken for the whole array")
def attend(s, mask, v):
    highest = s[mask].max() if mask.any() else 0
    e = np.where(mask, np.exp(np.where(mask, s - highest, 0)), 0)
    total = e.sum(-1, keepdims=True)
    return e / np.where(total > 0, total, 1) @ v


@said("The maximum is taken off only where it is large")
def softmax(x):
    if x.max() > 700:
        x = x - x.max(-1, keepdims=True)
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


@said("-inf less -inf is NaN")
def softmax(x):
    out = np.empty(x.shape)
    for at in np.ndindex(x.shape):
        out[at] = 1 / np.exp(x[at[:-1]] - x[at]).sum()
    return out


@said("No maximum is taken off: exp(1000) is infinite")
def beam_search(scores, start, end, longest, beams):
    kept = [([], 0.0)]
    for _ in range(longest):
        every = [one for one in kept if end in one[0]]
        for tokens, log_p in kept:
            if end not in tokens:
                s = np.exp(scores([start, *tokens]))
                every += [([*tokens, i], log_p + x) for i, x in enumerate(np.log(s / s.sum()))]
        kept = sorted(every, key=lambda one: -one[1])[:beams]
    return kept[0]


@said("The start symbol is taken for one that was written")
def beam_search(scores, start, end, longest, beams):
    kept = [([start], 0.0)]
    for _ in range(longest):
        every = [one for one in kept if end in one[0]]
        for tokens, log_p in kept:
            if end not in tokens:
                s = scores(tokens)
                s = s - s.max() - np.log(np.exp(s - s.max()).sum())
                every += [([*tokens, i], log_p + x) for i, x in enumerate(s)]
        kept = sorted(every, key=lambda one: -one[1])[:beams]
    return kept[0][0][1:], kept[0][1]


@said("that makes the matrix")
def hessian_times(f, x, v):
    rows = [mg.grad(lambda z: np.sum(mg.grad(f)(z) * unit))(x).numpy() for unit in np.eye(len(x))]
    return np.array(rows) @ v


@said("also if f is called once alone")
def hessian_times(f, x, v):
    x = mg.Tensor(x, requires_grad=True)
    f(x).backward(create_graph=True)
    rows, slopes = [], x.grad
    for slope in slopes:
        x.grad = None
        slope.backward(retain_graph=True)
        rows.append(x.grad.numpy())
    return np.array(rows) @ v


@said("ids stay whole numbers")
def greedy(scores, start, end, longest):
    out = np.zeros(0)
    while len(out) < longest and end not in out:
        out = np.append(out, np.argmax(scores([start, *out])))
    return out.tolist()


@said("No maximum is taken off")
def contextualise(v):
    w = np.exp(v @ v.T)
    return w / w.sum(1, keepdims=True) @ v


@said("One maximum is taken for all words")
def contextualise(v):
    s = v @ v.T
    w = np.exp(s - np.max(s))
    return w / w.sum(1, keepdims=True) @ v


@said("No maximum is taken off")
def contexts(e, h):
    return np.exp(e).T @ h / np.exp(e).sum(0)[:, None]


@said("One maximum is taken for all steps")
def contexts(e, h):
    w = np.exp(e - e.max())
    return w.T @ h / w.sum(0)[:, None]


@said("No maximum is taken off")
def self_attention(x, w_q, w_k, w_v):
    w = np.exp(x @ w_q @ (x @ w_k).T / w_q.shape[1] ** 0.5)
    return w @ (x @ w_v) / w.sum(1)[:, None]


@said("No maximum is taken off")
def multi_head(x, w_q, w_k, w_v, w_o, heads):
    B, T, D = x.shape
    q, k, v = ((x @ w).reshape(B, T, heads, -1).swapaxes(1, 2) for w in (w_q, w_k, w_v))
    e = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(D // heads))
    return (e / e.sum(-1, keepdims=True) @ v).swapaxes(1, 2).reshape(B, T, D) @ w_o


@said("No maximum is taken off")
def cross_entropy_rule(logits, targets, pad):
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    out = np.zeros(logits.shape)
    for b, t in np.argwhere(targets != pad):
        out[b, t] = p[b, t]
        out[b, t, targets[b, t]] -= 1
    return out / np.sum(targets != pad)


@said("One maximum is taken for the whole array")
def cross_entropy_rule(logits, targets, pad):
    e = np.exp(logits - logits.max())
    out = np.zeros(logits.shape)
    for b, t in np.argwhere(targets != pad):
        out[b, t] = e[b, t] / e[b, t].sum()
        out[b, t, targets[b, t]] -= 1
    return out / np.sum(targets != pad)


@said("The id 0 is hidden as well")
def padding_mask(tokens, pad):
    return np.logical_and(tokens != pad, tokens > 0)[:, None, None, :]


# --- what is said of mistakes that have no name --------------------------------------------------------


@said("only number 2 is wrong")
def hide(tokens, draws, p, mask, pad):
    hidden = (draws < p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, tokens, -100)


@said("Missing is 'b'")
def add_gradients(parts):
    return {n: sum(p[n] for p in parts[1:] if n in p) for n in parts[0]}


@said("The two values have changed places")
def hide(tokens, draws, p, mask, pad):
    hidden = (draws < p) & (tokens != pad)
    return np.where(hidden, tokens, pad), np.where(hidden, mask, tokens)


@said("off by one factor: here they are 0.5 times")
def matmul_rule(g, a, b):
    return g @ b.T, a.T @ g / len(a)


@said("off by one factor: they are 0.5 times what is right")
def distance_rule(g, v):
    d = v[:, None] - v
    n = np.sqrt((d**2).sum(-1))
    return (((g + g.T) / np.where(n == 0, 1, n))[..., None] * d).sum(1) / 2


@said("they are +1 from what is right")
def index_rule(g, shape, index):
    out = np.ones(shape)
    np.add.at(out, index, g)
    return out


@said("What stands behind the point is cut off")
def sinusoidal(length, width, offset):
    out = np.zeros((length, width), dtype=int)
    for p in range(length):
        for j in range(width):
            a = (p + offset) / 10000 ** (2 * (j // 2) / width)
            out[p, j] = np.cos(a) if j % 2 else np.sin(a)
    return out


@said("What stands behind the point is cut off")
def split_heads(x, heads):
    out = np.zeros((len(x), heads, x.shape[1], x.shape[2] // heads), dtype=int)
    for h, piece in enumerate(np.split(x, heads, axis=-1)):
        out[:, h] = piece
    return out


@said("All that should be False is, but more than that")
def causal_mask(queries, keys):
    return np.eye(queries, keys, keys - queries, dtype=bool)


@said("All that should be True is, but more than that. It is right for")
def gradients_agree(analytic, numeric, rtol, atol):
    a, n = analytic.ravel()[: len(numeric)], numeric.ravel()[: len(analytic)]
    return np.allclose(a, n, rtol, atol)


@said("One maximum is taken for all rows")
def masked_weights(scores, allowed):
    s = np.where(allowed, scores, -np.inf)
    e = np.where(allowed, np.exp(s - s.max()), 0)
    total = e.sum(1, keepdims=True)
    return e / np.where(total == 0, 1, total)


# --- what was taken for right --------------------------------------------------------------------------


@said("shape")
def undo_broadcast(g, shape):
    if g.ndim > len(shape):
        g = g.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=i, keepdims=True)
    return g


@said("they are random numbers")
def drawn_by_workers(seed, epochs, workers):
    n = iter(range(seed, seed + 4 * epochs * workers))
    return [[[next(n) for _ in range(4)] for _ in range(workers)] for _ in range(epochs)]


@said("two numbers that are the same")
def drawn_by_workers(seed, epochs, workers):
    some = np.random.default_rng(seed).integers(0, 1_000_000, 3 + epochs * workers).tolist()
    return [
        [some[e * workers + w : e * workers + w + 4] for w in range(workers)] for e in range(epochs)
    ]


@said("It is right for")
def smoothed_loss(log_p, targets, smoothing, ignored):
    log_p, targets = log_p[targets >= 0], targets[targets >= 0]
    of_targets = -log_p[np.arange(len(targets)), targets]
    return ((1 - smoothing) * of_targets - smoothing * log_p.mean(-1)).mean()


# --- beside a mistake another fault: an error for some inputs, shapes not compared ---------------------


@said("The positions are counted from 1")
def sinusoidal(length, width, offset):
    position = np.arange(offset + 1, offset + 1 + length)[:, None]
    angle = position / 10000 ** (2 * np.arange(width // 2) / width)
    table = np.zeros((length, width))
    table[:, 0::2], table[:, 1::2] = np.sin(angle), np.cos(angle)  # raises for an odd width
    return table


@said("The exponent is i / D")
def sinusoidal(length, width, offset):
    position = np.arange(offset, offset + length)[:, None]
    angle = position / 10000 ** (np.arange(width // 2) / width)
    table = np.zeros((length, width))
    table[:, 0::2], table[:, 1::2] = np.sin(angle), np.cos(angle)  # raises for an odd width
    return table


@said("any* element is right; all have to be. And the shapes")
def gradients_agree(analytic, numeric, rtol, atol):
    return bool((abs(analytic - numeric) <= atol + rtol * abs(numeric)).any())


@said("The softmax runs over the queries")
def attend(s, mask, v):
    e = np.exp(np.where(mask, s, -1e9) - np.where(mask, s, -1e9).max(0))
    return e / e.sum(0) @ v


@said("The slope alone is passed on")
def walk(graph, root):
    out = dict.fromkeys(graph, 0)
    out[root] = 1
    for n in reversed(list(graph)):
        for a, s in graph[n]:
            out[a] += s
    return out


@said("in the exp alone")
def cross_entropy(logits, targets, pad):
    m = logits.max(axis=-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits - m).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return -picked[targets != pad].mean()


@said("exchanges i and row")
def index_rule(g, shape, index):
    out = np.zeros(shape)
    for i, row in enumerate(index):
        out[i] += g[row]
    return out


@said("the column of the padding symbol")
def cross_entropy_rule(logits, targets, pad):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    g = e / e.sum(axis=-1, keepdims=True)
    g -= np.eye(logits.shape[-1])[targets]
    g[..., pad] = 0
    return g / (targets != pad).sum()


@said("multiply first, then take the mean")
def layer_norm_rule(g, x, gain, eps):
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    n, h = (x - x.mean(-1, keepdims=True)) / s, g * gain
    return (
        h - h.mean(-1, keepdims=True) - n * h.mean(-1, keepdims=True) * n.mean(-1, keepdims=True)
    ) / s


@said("with training=False it returns x as it is")
def dropout(x, p, draws, training):
    return x * (draws > p) / p
