"""The same training step as plain NumPy, its backward pass derived by hand: no engine at all.

Each layer is a pair of functions. The forward one returns its result and what the backward one
needs; the backward one is given the gradient of the result, returns that of the input, and puts the
gradients of its parameters into a dictionary under their names.
"""

import math

import numpy as np


def linear(p, name, x):
    w, b = p[f"{name}.weight"], p[f"{name}.bias"]
    x2 = x.reshape(-1, x.shape[-1])
    y = x2 @ w
    y += b
    return y.reshape(*x.shape[:-1], -1), (name, x2, w, x.shape)


def linear_back(kept, g, grads):
    name, x2, w, shape = kept
    g2 = g.reshape(-1, g.shape[-1])
    grads[f"{name}.weight"] = x2.T @ g2
    grads[f"{name}.bias"] = g2.sum(axis=0)
    return (g2 @ w.T).reshape(shape)


def layer_norm(p, name, x, eps=1e-5):
    d = x - x.mean(axis=-1, keepdims=True)
    scale = 1 / np.sqrt(np.mean(d * d, axis=-1, keepdims=True) + eps)
    d *= scale
    return d * p[f"{name}.gain"] + p[f"{name}.bias"], (name, d, scale, p[f"{name}.gain"])


def layer_norm_back(kept, g, grads):
    name, y, scale, gain = kept
    D = y.shape[-1]
    grads[f"{name}.gain"] = (g * y).reshape(-1, D).sum(axis=0)
    grads[f"{name}.bias"] = g.reshape(-1, D).sum(axis=0)
    g = g * gain
    mean, along = g.mean(axis=-1, keepdims=True), np.mean(g * y, axis=-1, keepdims=True)
    g -= mean
    g -= y * along
    g *= scale
    return g


def heads(x, H):
    B, T, D = x.shape
    return x.reshape(B, T, H, D // H).transpose(0, 2, 1, 3)


def joined(x):
    B, H, T, K = x.shape
    return x.transpose(0, 2, 1, 3).reshape(B, T, H * K)


def attention(p, name, x, context, mask, H):
    q, kq = linear(p, f"{name}.query", x)
    k, kk = linear(p, f"{name}.key", context)
    v, kv = linear(p, f"{name}.value", context)
    q, k, v = heads(q, H), heads(k, H), heads(v, H)
    factor = 1 / math.sqrt(q.shape[-1])
    s = (q * factor) @ k.transpose(0, 1, 3, 2)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    s -= s.max(axis=-1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(axis=-1, keepdims=True)
    y, ko = linear(p, f"{name}.output", joined(s @ v))
    return y, (kq, kk, kv, ko, q, k, v, s, factor, H)


def attention_back(kept, g, grads):
    kq, kk, kv, ko, q, k, v, s, factor, H = kept
    g = heads(linear_back(ko, g, grads), H)
    gv = s.transpose(0, 1, 3, 2) @ g
    gs = g @ v.transpose(0, 1, 3, 2)
    gs -= (gs * s).sum(axis=-1, keepdims=True)
    gs *= s
    gs *= factor
    gx = linear_back(kq, joined(gs @ k), grads)
    gc = linear_back(kk, joined(gs.transpose(0, 1, 3, 2) @ q), grads)
    gc += linear_back(kv, joined(gv), grads)
    return gx, gc


def feed_forward(p, name, x):
    h, k1 = linear(p, f"{name}.widen", x)
    np.maximum(h, 0, out=h)
    y, k2 = linear(p, f"{name}.narrow", h)
    return y, (k1, k2, h)


def feed_forward_back(kept, g, grads):
    k1, k2, h = kept
    g = linear_back(k2, g, grads)
    g *= h > 0
    return linear_back(k1, g, grads)


def encoder_layer(p, name, x, mask, H):
    a, k1 = attention(p, f"{name}.self_attention", x, x, mask, H)
    x, n1 = layer_norm(p, f"{name}.residual1.norm", x + a)
    f, k2 = feed_forward(p, f"{name}.feed_forward", x)
    x, n2 = layer_norm(p, f"{name}.residual2.norm", x + f)
    return x, (k1, n1, k2, n2)


def encoder_layer_back(kept, g, grads):
    k1, n1, k2, n2 = kept
    g = layer_norm_back(n2, g, grads)
    g = g + feed_forward_back(k2, g, grads)
    g = layer_norm_back(n1, g, grads)
    gx, gc = attention_back(k1, g, grads)
    return g + gx + gc


def decoder_layer(p, name, x, memory, self_mask, cross_mask, H):
    a, k1 = attention(p, f"{name}.self_attention", x, x, self_mask, H)
    x, n1 = layer_norm(p, f"{name}.residual1.norm", x + a)
    a, k2 = attention(p, f"{name}.cross_attention", x, memory, cross_mask, H)
    x, n2 = layer_norm(p, f"{name}.residual2.norm", x + a)
    f, k3 = feed_forward(p, f"{name}.feed_forward", x)
    x, n3 = layer_norm(p, f"{name}.residual3.norm", x + f)
    return x, (k1, n1, k2, n2, k3, n3)


def decoder_layer_back(kept, g, grads):
    k1, n1, k2, n2, k3, n3 = kept
    g = layer_norm_back(n3, g, grads)
    g = g + feed_forward_back(k3, g, grads)
    g = layer_norm_back(n2, g, grads)
    gx, gm = attention_back(k2, g, grads)
    g = layer_norm_back(n1, g + gx, grads)
    gx, gc = attention_back(k1, g, grads)
    return g + gx + gc, gm


def embed(p, name, ids, D):
    x = p[f"{name}.weight"][ids] * math.sqrt(D)
    T = ids.shape[1]
    angle = np.arange(T)[:, None] / 10000 ** (np.arange(0, D, 2) / D)
    x[..., 0::2] += np.sin(angle).astype(x.dtype)
    x[..., 1::2] += np.cos(angle).astype(x.dtype)[:, : D // 2]
    return x, (name, ids)


def embed_back(kept, g, grads, p):
    name, ids = kept
    table = np.zeros_like(p[f"{name}.weight"])
    np.add.at(table, ids, g * math.sqrt(g.shape[-1]))
    grads[f"{name}.weight"] = table


def loss_and_gradients(p, sizes, source, read, write):
    """The mean cross-entropy (0 is padding and does not count), and the gradient of each parameter.

    Args:
        p: parameters by name.
        sizes: a dictionary with width, heads, encoder_layers, decoder_layers.
        source, read, write: ids (B, S), (B, T), (B, T).
    """
    D, H = sizes["width"], sizes["heads"]
    grads = {}
    source_mask = (source != 0)[:, None, None, :]
    T = read.shape[1]
    target_mask = np.tri(T, dtype=bool) & (read != 0)[:, None, None, :]
    memory, kept_source = embed(p, "source_embedding", source, D)
    encoder = []
    for i in range(sizes["encoder_layers"]):
        memory, kept = encoder_layer(p, f"encoder.layers.{i}", memory, source_mask, H)
        encoder.append(kept)
    x, kept_target = embed(p, "target_embedding", read, D)
    decoder = []
    for i in range(sizes["decoder_layers"]):
        name = f"decoder.layers.{i}"
        x, kept = decoder_layer(p, name, x, memory, target_mask, source_mask, H)
        decoder.append(kept)
    logits, kept_out = linear(p, "unembedding", x)

    z = logits.reshape(-1, logits.shape[-1])
    ids = write.reshape(-1)
    counted = ids != 0
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    total = e.sum(axis=-1, keepdims=True)
    rows = np.arange(len(ids))
    n = counted.sum()
    loss = float((np.log(total[:, 0]) - z[rows, ids])[counted].sum() / n)

    e /= total
    e[rows, ids] -= 1
    e *= (counted / n).astype(e.dtype)[:, None]
    g = linear_back(kept_out, e.reshape(logits.shape), grads)
    g_memory = np.zeros_like(memory)
    for kept in reversed(decoder):
        g, gm = decoder_layer_back(kept, g, grads)
        g_memory += gm
    embed_back(kept_target, g, grads, p)
    for kept in reversed(encoder):
        g_memory = encoder_layer_back(kept, g_memory, grads)
    embed_back(kept_source, g_memory, grads, p)
    return loss, grads


class Adam:
    """As the library's: betas (0.9, 0.98), eps 1e-9."""

    def __init__(self, p, lr):
        self.lr, self.t = lr, 0
        self.m = {k: np.zeros_like(v) for k, v in p.items()}
        self.v = {k: np.zeros_like(v) for k, v in p.items()}

    def step(self, p, grads, b1=0.9, b2=0.98, eps=1e-9):
        self.t += 1
        for k, g in grads.items():
            m, v = self.m[k], self.v[k]
            m *= b1
            m += (1 - b1) * g
            v *= b2
            v += (1 - b2) * (g * g)
            size = np.sqrt(v)
            size /= math.sqrt(1 - b2**self.t)
            size += eps
            np.divide(m, size, out=size)
            size *= self.lr / (1 - b1**self.t)
            p[k] -= size
