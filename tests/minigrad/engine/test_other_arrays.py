"""Tensors that hold Dask arrays: the same rules, the same numbers, and nothing computed early."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors
from minigrad import functional as F

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

pytestmark = pytest.mark.filterwarnings("error")  # Dask's warning that it fell back to NumPy too


def values(*shape, seed=0):
    return np.random.default_rng(seed).random(shape) + 0.5


def chunked(array):
    return da.from_array(array, chunks=2)


@pytest.fixture(autouse=True)
def _no_early_computing(monkeypatch):
    """Whatever computes a Dask array before the end of a test's walk is an error; and no threads, which
    for a few numbers take longer than the work."""
    monkeypatch.setattr(da.Array, "__array__", property(lambda self: pytest.fail("computed early")))
    monkeypatch.setattr(da.Array, "__bool__", lambda self: pytest.fail("computed early"))
    monkeypatch.setattr(da.Array, "__float__", lambda self: pytest.fail("computed early"))
    with dask.config.set(scheduler="synchronous"):
        yield


def is_lazy(tensor):
    return isinstance(tensor._array, da.Array)


def leaves(wrap):
    arrays = values(6, 4), values(6, 4, seed=1), values(4, 3, seed=2)
    return [mg.Tensor(wrap(a), requires_grad=True) for a in arrays]


def results(f, wrap):
    """What f makes of three leaves, and their gradients, one of which arrives twice."""
    tensors = leaves(wrap)
    y = f(*tensors)
    np.sum(np.sin(y) + y * 0.5).backward()
    return [y, *(t.grad for t in tensors)]


UNARY = [
    np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sin, np.cos, np.tan, np.arctan,
    np.sinh, np.cosh, np.tanh, np.arcsinh, np.sqrt, np.cbrt, np.square, np.reciprocal, np.negative,
    np.absolute, np.sign, np.floor, np.ceil, np.positive,
]  # fmt: skip
BINARY = [
    np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum, np.hypot,
    np.arctan2, np.logaddexp, np.mod, np.floor_divide,
]  # fmt: skip
PROMISED = {
    **{u.__name__: (lambda x, y, w, u=u: u(x)) for u in UNARY},
    **{b.__name__: (lambda x, y, w, b=b: b(x, y)) for b in BINARY},
    "broadcasting": lambda x, y, w: x * y[0] + y[:, :1],
    "constants": lambda x, y, w: 2.0**x - x**3 / 2 + values(6, 4) * x,
    "a Dask constant": lambda x, y, w: x * constant(x) + constant(x) / x,
    "a Dask constant first": lambda x, y, w: constant(x) * x + np.add(constant(x), x),
    "where": lambda x, y, w: np.where(x > y, x * 2, y),
    "clip": lambda x, y, w: np.clip(x, 0.6, 1.2),
    "round": lambda x, y, w: np.round(x, 1) * x,
    "sum": lambda x, y, w: np.sum(x),
    "sum over an axis": lambda x, y, w: np.sum(x, axis=1),
    "sum with keepdims": lambda x, y, w: x.sum(axis=(0, 1), keepdims=True),
    "mean": lambda x, y, w: np.mean(x, axis=-1),
    "var": lambda x, y, w: np.var(x, axis=0, ddof=1),
    "std": lambda x, y, w: np.std(x),
    "max": lambda x, y, w: np.max(x, axis=1),
    "min": lambda x, y, w: np.min(x),
    "prod": lambda x, y, w: np.prod(x, axis=1),
    "cumsum": lambda x, y, w: np.cumsum(x, axis=0),
    "cumprod": lambda x, y, w: np.cumprod(x, axis=1),
    "norm": lambda x, y, w: np.linalg.norm(x),
    "matrix by matrix": lambda x, y, w: x @ w,
    "matrix by vector": lambda x, y, w: x @ w[:, 0],
    "vector by matrix": lambda x, y, w: x[0] @ w,
    "vector by vector": lambda x, y, w: x[0] @ y[0],
    "batches": lambda x, y, w: x.reshape(2, 3, 4) @ np.swapaxes(y.reshape(2, 3, 4), -1, -2),
    "dot": lambda x, y, w: np.dot(x, w),
    "inner": lambda x, y, w: np.inner(x, y),
    "outer": lambda x, y, w: np.outer(x[0], y[0]),
    "vdot": lambda x, y, w: np.vdot(x, y),
    "tensordot": lambda x, y, w: np.tensordot(x, y, axes=((0,), (0,))),
    "einsum": lambda x, y, w: np.einsum("ij,jk->ik", x, w),
    "einsum, implicit": lambda x, y, w: np.einsum("ij,jk", x, w),
    "einsum to a number": lambda x, y, w: np.einsum("ij,ij->", x, y),
    "einsum of three": lambda x, y, w: np.einsum("ij,ij,jk->ik", x, y, w),
    "einsum that sums one": lambda x, y, w: np.einsum("ij->i", x),
    "kron": lambda x, y, w: np.kron(x, w),
    "reshape": lambda x, y, w: x.reshape(2, 3, 4).reshape(-1),
    "ravel": lambda x, y, w: np.ravel(x) * x.flatten(),
    "transpose": lambda x, y, w: np.transpose(x.reshape(2, 3, 4), (2, 0, 1)),
    "T": lambda x, y, w: x.T,
    "swapaxes": lambda x, y, w: np.swapaxes(x, 0, 1),
    "moveaxis": lambda x, y, w: np.moveaxis(x, 0, 1),
    "expand_dims": lambda x, y, w: np.expand_dims(x, 1),
    "squeeze": lambda x, y, w: np.squeeze(x[:, :1]),
    "broadcast_to": lambda x, y, w: np.broadcast_to(x, (2, 6, 4)),
    "concatenate": lambda x, y, w: np.concatenate([x, y], axis=1),
    "stack": lambda x, y, w: np.stack([x, y], axis=1),
    "hstack": lambda x, y, w: np.hstack([x, y]),
    "vstack": lambda x, y, w: np.vstack([x, y]),
    "split": lambda x, y, w: np.split(x, 2)[1],
    "flip": lambda x, y, w: np.flip(x, 0),
    "roll": lambda x, y, w: np.roll(x, 1, 0),
    "rot90": lambda x, y, w: np.rot90(x),
    "tile": lambda x, y, w: np.tile(x, (2, 1)),
    "repeat": lambda x, y, w: np.repeat(x, 2, axis=0),
    "pad": lambda x, y, w: np.pad(x, 1),
    "tril": lambda x, y, w: np.tril(x[:4]) + np.triu(y[:4]),
    "diff": lambda x, y, w: np.diff(x, axis=0),
    "slices": lambda x, y, w: x[1:4, ::2] * x[-1, 0],
    "slices backwards": lambda x, y, w: x[::-1],
    "new axes": lambda x, y, w: x[:, None] * y[None, ..., None, :],
    "softmax": lambda x, y, w: F.softmax(x),
    "log_softmax": lambda x, y, w: F.log_softmax(x),
    "relu": lambda x, y, w: F.relu(x - 1),
    "sigmoid": lambda x, y, w: F.sigmoid(x) * F.silu(y),
    "standardize": lambda x, y, w: F.standardize(x),
    "linear": lambda x, y, w: F.linear(x, w),
}


def constant(x):
    """A constant array of the kind that x holds."""
    array = values(6, 4, seed=3)
    return chunked(array) if is_lazy(x) else array


@pytest.mark.slow
@pytest.mark.parametrize("name", PROMISED)
def test_a_dask_array_gives_what_numpy_gives_and_stays_lazy(name):
    f = PROMISED[name]
    right, found = results(f, np.array), results(f, chunked)
    for r, d in zip(right, found):
        assert (r is None) == (d is None)
        if d is not None:
            assert is_lazy(d)
            np.testing.assert_allclose(d._array.compute(), r._array, 1e-10, 1e-12)


def test_derivatives_of_derivatives_stay_lazy():
    f = lambda x: np.sum(np.tanh(x) @ x.T)
    x, v = values(4, 4), values(4, 4, seed=1)
    for derivative in (lambda x, v: mg.grad(f)(x), lambda x, v: mg.hvp(f, x, v)):
        lazy = derivative(mg.Tensor(chunked(x)), mg.Tensor(chunked(v)))
        assert is_lazy(lazy)
        np.testing.assert_allclose(lazy._array.compute(), derivative(x, v)._array)


def test_linear_regression_over_a_chunked_array():
    """Data in chunks, parameters in NumPy: each step computes two small gradients and no more."""
    rng = np.random.default_rng(0)
    X, noise = rng.standard_normal((400, 3)), rng.standard_normal(400) * 0.01
    true = np.array([1.0, -2.0, 0.5])
    y = X @ true + 3.0 + noise

    def fitted(X, y):
        w = mg.Tensor(np.zeros(3), requires_grad=True)
        b = mg.Tensor(np.zeros(()), requires_grad=True)
        opt = mg.optim.SGD([w, b], lr=0.4)
        for _ in range(12):
            opt.zero_grad()
            loss = np.mean((X @ w + b - y) ** 2)
            loss.backward()
            for p in (w, b):
                gradient = p.grad._array
                p.grad = gradient.compute() if isinstance(gradient, da.Array) else gradient
            opt.step()
        return np.append(w.detach().numpy(), b.item())

    chunks = da.from_array(X, chunks=(100, 3)), da.from_array(y, chunks=100)
    found = fitted(*chunks)
    np.testing.assert_allclose(found, fitted(X, y), 1e-10)
    np.testing.assert_allclose(found, [*true, 3.0], atol=1e-2)


def attention(x, wq, wk, wv, wo, mask):
    """One block: attention under a mask, a residual, a norm and a feed-forward layer."""
    q, k, v = x @ wq, x @ wk, x @ wv  # (B, T, D)
    scores = q @ np.swapaxes(k, -1, -2) / 2.0  # (B, T, T)
    weights = F.softmax(np.where(mask, scores, -np.inf))
    x = F.standardize(x + weights @ v @ wo)
    return x + np.tanh(x @ wo) @ wq


def test_a_block_of_attention():
    arrays = [values(2, 4, 4), *(values(4, 4, seed=i) - 1 for i in range(1, 5))]
    mask = np.tri(4, dtype=bool)

    def gradients(wrap):
        tensors = [mg.Tensor(wrap(a), requires_grad=True) for a in arrays]
        y = attention(*tensors, mask)
        np.sum(y * y).backward()
        return [y, *(t.grad for t in tensors)]

    for lazy, right in zip(gradients(chunked), gradients(np.array)):
        assert is_lazy(lazy)
        np.testing.assert_allclose(lazy._array.compute(), right._array, 1e-9, 1e-12)


NOT_PROMISED = {
    "indexing by two arrays": lambda x: x[[0, 1], [1, 2]],
    "scatter-add": lambda x: np.sum(x[[0, 2, 2]]).backward(),
    "take": lambda x: np.sum(np.take(x, [0, 0], axis=0)).backward(),
    "diagonal": lambda x: np.diagonal(x[:4]),
    "a reshape across chunks": lambda x: x.reshape(3, 8),
}


@pytest.mark.parametrize("name", NOT_PROMISED)
def test_what_is_not_promised_says_so(name):
    x = mg.Tensor(chunked(values(6, 4)), requires_grad=True)
    with pytest.raises(errors.UnsupportedError) as caught:
        NOT_PROMISED[name](x)
    assert "index" in str(caught.value) or "reshape" in str(caught.value)
    assert x.grad is None


def test_a_tensor_shows_a_lazy_array_without_computing_it():
    x = mg.Tensor(chunked(values(6, 4)), requires_grad=True, name="x")
    assert "dask.array" in repr(x)
    first, *_ = mg.steps(np.sum(x * x))
    assert "not computed yet" in str(first)


def test_a_fallback_and_an_early_computation_would_be_noticed():
    with pytest.raises(FutureWarning):
        np.linalg.matrix_rank(chunked(values(4, 4)))
    with pytest.raises(pytest.fail.Exception, match="computed early"):
        np.asarray(chunked(values(4, 4)))
