# %% two layers without a bend are one
rng = np.random.default_rng(0)
x, W_1, b_1 = rng.normal(size=3), rng.normal(size=(3, 4)), rng.normal(size=4)
W_2, b_2 = rng.normal(size=(4, 2)), rng.normal(size=2)
np.allclose((x @ W_1 + b_1) @ W_2 + b_2, x @ (W_1 @ W_2) + (b_1 @ W_2 + b_2))

# %% tanh' = 1 - tanh^2
x = np.linspace(-2, 2, 9)
by_differences = (np.tanh(x + 1e-6) - np.tanh(x - 1e-6)) / 2e-6
np.allclose(by_differences, 1 - np.tanh(x) ** 2)

# %% no straight line gives the points
X = np.concatenate([points, np.ones((40, 1))], axis=1)
line = X @ np.linalg.lstsq(X, wanted)[0]
np.mean(np.sign(line) == wanted) < 0.6

# %% a network of four bends does
right == 1

# %% a small rate is slow, a large one diverges
runs[0.001][1][-1] > 1 and runs[1.0][1][-1] > 1e6 and losses[-1] < 0.2

# %% equal first weights stay equal
equal = [mg.Tensor(np.full(p.shape, 0.5), requires_grad=True) for p in start()]
for _ in range(20):
    for p in equal:
        p.grad = None
    np.mean(np.square(network(points, *equal) - wanted)).backward()
    equal = [mg.Tensor(p.data - 0.3 * p.grad.data, requires_grad=True) for p in equal]
np.ptp(equal[0].data) == 0 and not np.allclose(equal[0].data, 0.5)

# %% a batch's gradient is that of all, on average
max(off for _, off in agree.values()) < 0.2

# %% SGD with the same numbers gives the same loss
np.isclose(loss.item(), losses[-1], rtol=1e-3)
