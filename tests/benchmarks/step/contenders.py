"""The contenders: each makes, from the same weights and the same batch, a function that takes one
training step and returns its loss.

Started as a process of its own, a contender takes steps when it is told to:

    python contenders.py NAME FOLDER        reads `n` from standard input, takes n steps, and
                                            prints the seconds and the loss of each; `memory`
                                            prints its peak in MB
"""

import json
import math
import resource
import sys
import time
from pathlib import Path

import numpy as np

# At a learning rate of 1e-3 the third losses of the largest size lie 2.5e-4 apart.
LR, BETAS, EPS = 1e-4, (0.9, 0.98), 1e-9


def minigrad(p, sizes, source, read, write, compiled=True):
    """The loss compiled, as the trainer has it; its program is made in the third step."""
    import minigrad as mg
    from minigrad.functional import cross_entropy
    from minitransformer import Sizes, Transformer

    model = Transformer(Sizes(**sizes))
    model.load_state_dict(p)
    optimizer = mg.optim.Adam(model.parameters(), LR, BETAS, EPS)

    def loss_of(source, read, write):
        return cross_entropy(model(source, read), write, ignore_index=0)

    if compiled:
        loss_of = mg.compile(loss_of)

    def step():
        loss = loss_of(source, read, write)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def uncompiled(p, sizes, source, read, write):
    return minigrad(p, sizes, source, read, write, compiled=False)


def two_threads(p, sizes, source, read, write):
    """minigrad, with half of the batch in each of two threads, compiled."""
    import minigrad as mg
    from minigrad.engine.tensor import tensor_of
    from minigrad.functional import cross_entropy
    from minigrad.workers import Gradients, Threads
    from minitransformer import Sizes, Transformer

    model = Transformer(Sizes(**sizes))
    model.load_state_dict(p)
    optimizer = mg.optim.Adam(model.parameters(), LR, BETAS, EPS)
    symbols, half = int((write != 0).sum()), len(source) // 2

    @mg.compile
    def summed(source, read, write):
        return cross_entropy(model(source, read), write, ignore_index=0, reduction="sum")

    def share(rows):
        return summed(source[rows], read[rows], write[rows]) / symbols

    job = Gradients(share, model.parameters())
    workers = Threads(2).__enter__()  # for as long as the process lives

    def step():
        loss, *gradients = workers.total(job, [slice(half), slice(half, None)])
        for parameter, gradient in zip(job.parameters, gradients, strict=True):
            parameter.grad = tensor_of(gradient)
        optimizer.step()
        return float(loss)

    return step


def by_hand(p, sizes, source, read, write):
    import by_hand

    optimizer = by_hand.Adam(p, LR)

    def step():
        loss, grads = by_hand.loss_and_gradients(p, sizes, source, read, write)
        optimizer.step(p, grads)
        return loss

    return step


def pytorch(p, sizes, source, read, write):
    import torch
    import torch.nn.functional as F

    D, H = sizes["width"], sizes["heads"]
    # PyTorch lays weights out as (out, in); that is its fastest way too.
    p = {
        k: torch.tensor(v.T if v.ndim == 2 and not k.endswith("_embedding.weight") else v)
        .contiguous()
        .requires_grad_()
        for k, v in p.items()
    }
    optimizer = torch.optim.Adam(p.values(), LR, BETAS, EPS)
    source, read, write = (torch.tensor(ids) for ids in (source, read, write))

    def linear(name, x):
        return F.linear(x, p[f"{name}.weight"], p[f"{name}.bias"])

    def norm(name, x):
        return F.layer_norm(x, (D,), p[f"{name}.gain"], p[f"{name}.bias"])

    def heads(x):
        return x.view(*x.shape[:2], H, -1).transpose(1, 2)

    def attention(name, x, context, mask):
        q = heads(linear(f"{name}.query", x))
        k = heads(linear(f"{name}.key", context))
        v = heads(linear(f"{name}.value", context))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return linear(f"{name}.output", y.transpose(1, 2).flatten(2))

    def feed_forward(name, x):
        return linear(f"{name}.narrow", F.relu(linear(f"{name}.widen", x)))

    def positions(T):
        angle = torch.arange(T)[:, None] / 10000 ** (torch.arange(0, D, 2) / D)
        return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)[:, :D]

    tables = {T: positions(T) for T in {source.shape[1], read.shape[1]}}

    def embed(name, ids):
        return F.embedding(ids, p[f"{name}.weight"]) * math.sqrt(D) + tables[ids.shape[1]]

    def forward():
        seen = (source != 0)[:, None, None, :]
        T = read.shape[1]
        before = torch.ones(T, T, dtype=torch.bool).tril() & (read != 0)[:, None, None, :]
        memory = embed("source_embedding", source)
        for i in range(sizes["encoder_layers"]):
            at = f"encoder.layers.{i}"
            memory = norm(
                f"{at}.residual1.norm",
                memory + attention(f"{at}.self_attention", memory, memory, seen),
            )
            memory = norm(
                f"{at}.residual2.norm", memory + feed_forward(f"{at}.feed_forward", memory)
            )
        x = embed("target_embedding", read)
        for i in range(sizes["decoder_layers"]):
            at = f"decoder.layers.{i}"
            x = norm(f"{at}.residual1.norm", x + attention(f"{at}.self_attention", x, x, before))
            x = norm(
                f"{at}.residual2.norm", x + attention(f"{at}.cross_attention", x, memory, seen)
            )
            x = norm(f"{at}.residual3.norm", x + feed_forward(f"{at}.feed_forward", x))
        return linear("unembedding", x)

    def step():
        loss = F.cross_entropy(forward().flatten(0, 1), write.flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def loss_in(xp, sizes, source, read, write):
    """The loss as a function of the weights, in the functions of a module like NumPy."""
    D, H = sizes["width"], sizes["heads"]

    def linear(p, name, x):
        return xp.dot(x, p[f"{name}.weight"]) + p[f"{name}.bias"]

    def norm(p, name, x):
        d = x - xp.mean(x, axis=-1, keepdims=True)
        y = d / xp.sqrt(xp.mean(d * d, axis=-1, keepdims=True) + 1e-5)
        return y * p[f"{name}.gain"] + p[f"{name}.bias"]

    def heads(x):
        return xp.swapaxes(xp.reshape(x, (*x.shape[:2], H, -1)), 1, 2)

    def attention(p, name, x, context, mask):
        q = heads(linear(p, f"{name}.query", x))
        k = heads(linear(p, f"{name}.key", context))
        v = heads(linear(p, f"{name}.value", context))
        s = xp.where(mask, xp.matmul(q, xp.swapaxes(k, 2, 3)) * (D // H) ** -0.5, -np.inf)
        e = xp.exp(s - xp.max(s, axis=-1, keepdims=True))
        y = xp.matmul(e / xp.sum(e, axis=-1, keepdims=True), v)
        return linear(p, f"{name}.output", xp.reshape(xp.swapaxes(y, 1, 2), x.shape))

    def feed_forward(p, name, x):
        return linear(p, f"{name}.narrow", xp.maximum(linear(p, f"{name}.widen", x), 0))

    def embed(p, name, ids):
        angle = np.arange(ids.shape[1])[:, None] / 10000 ** (np.arange(0, D, 2) / D)
        table = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(len(angle), -1)[:, :D]
        x = p[f"{name}.weight"][ids] * math.sqrt(D)
        return x + table.astype(np.float32)

    def loss_of(p):
        seen = (source != 0)[:, None, None, :]
        T = read.shape[1]
        before = np.tri(T, dtype=bool) & (read != 0)[:, None, None, :]
        memory = embed(p, "source_embedding", source)
        for i in range(sizes["encoder_layers"]):
            at = f"encoder.layers.{i}"
            memory = norm(
                p,
                f"{at}.residual1.norm",
                memory + attention(p, f"{at}.self_attention", memory, memory, seen),
            )
            memory = norm(
                p, f"{at}.residual2.norm", memory + feed_forward(p, f"{at}.feed_forward", memory)
            )
        x = embed(p, "target_embedding", read)
        for i in range(sizes["decoder_layers"]):
            at = f"decoder.layers.{i}"
            x = norm(
                p, f"{at}.residual1.norm", x + attention(p, f"{at}.self_attention", x, x, before)
            )
            x = norm(
                p,
                f"{at}.residual2.norm",
                x + attention(p, f"{at}.cross_attention", x, memory, seen),
            )
            x = norm(p, f"{at}.residual3.norm", x + feed_forward(p, f"{at}.feed_forward", x))
        z = linear(p, "unembedding", x)
        z = z - xp.max(z, axis=-1, keepdims=True)
        z = xp.reshape(z - xp.log(xp.sum(xp.exp(z), axis=-1, keepdims=True)), (-1, z.shape[-1]))
        counted = (write != 0).ravel().astype(np.float32)
        return -xp.sum(z[np.arange(write.size), write.ravel()] * counted) / np.float32(
            counted.sum()
        )

    return loss_of


def hips_autograd(p, sizes, source, read, write):
    import autograd.numpy as anp
    import by_hand
    from autograd import value_and_grad

    both = value_and_grad(loss_in(anp, sizes, source, read, write))
    optimizer = by_hand.Adam(p, LR)

    def step():
        loss, grads = both(p)
        optimizer.step(p, {k: g.astype(np.float32) for k, g in grads.items()})
        return float(loss)

    return step


def jax_jit(p, sizes, source, read, write):
    """One function for the whole step, compiled by XLA, which gets its weights and means back."""
    import jax
    import jax.numpy as jnp

    loss_of = loss_in(jnp, sizes, source, read, write)
    map2 = jax.tree_util.tree_map

    def train(p, m, v, t):
        loss, g = jax.value_and_grad(loss_of)(p)
        m = map2(lambda m, g: BETAS[0] * m + (1 - BETAS[0]) * g, m, g)
        v = map2(lambda v, g: BETAS[1] * v + (1 - BETAS[1]) * g * g, v, g)
        at, root = LR / (1 - BETAS[0] ** t), (1 - BETAS[1] ** t) ** -0.5
        p = map2(lambda p, m, v: p - at * m / (jnp.sqrt(v) * root + EPS), p, m, v)
        return loss, p, m, v

    train = jax.jit(train, donate_argnums=(0, 1, 2))
    state = [
        {k: jnp.array(a) for k, a in p.items()},
        *({k: jnp.zeros_like(a) for k, a in p.items()} for _ in range(2)),
    ]
    steps = 0

    def step():
        nonlocal steps
        steps += 1
        loss, *state[:] = train(*state, jnp.float32(steps))
        return float(loss)

    return step


CONTENDERS = {
    f.__name__: f
    for f in (minigrad, uncompiled, two_threads, by_hand, pytorch, jax_jit, hips_autograd)
}


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    with np.load(folder / "weights.npz") as file:
        p = dict(file)
    with np.load(folder / "batch.npz") as file:
        batch = [file[side] for side in ("source", "read", "write")]
    step = CONTENDERS[name](p, json.loads((folder / "sizes.json").read_text()), *batch)
    for line in sys.stdin:
        if line.strip() == "memory":
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, flush=True)
            continue
        done = []
        for _ in range(int(line)):
            start = time.perf_counter()
            loss = step()
            done.append((time.perf_counter() - start, loss))
        print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main()
