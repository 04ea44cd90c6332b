# %% layer norm composed of operations is the library's
x = rng.normal(3, 10, size=(4, 6))
np.allclose(layer_norm(x, np.ones(6), np.zeros(6)), mt.LayerNorm(6)(x).detach())

# %% norms keep gradients alike, with and without residuals
all(0.1 < ratio[norm, r] < 10 for norm in norms[:2] for r in (True, False))

# %% with neither they vanish
ratio["no norm", False] < 1e-4

# %% with residuals alone they explode
ratio["no norm", True] > 30

# %% by Pythagoras, since the two parts of the gradient are nearly perpendicular
abs(grows - np.sqrt(1 + shrinks**2)) < 0.08

# %% 24 times 1.19 is about 70
abs(np.hypot(1, 0.65) ** 24 - 70) < 5

# %% measured are 1.21, and about 90
abs(grows - 1.21) < 0.01 and abs(ratio["no norm", True] - 90) < 10

# %% not because x grows: the Jacobians at x and at 100 x are the same
f = feed_forward().astype(np.float64)
x = rng.normal(size=D)
np.allclose(mg.jacobian(f)(x).data, mg.jacobian(f)(100 * x).data)

# %% without a last norm the first loss is higher
unnormed > normed + 0.2

# %% pre-norm and post-norm differ
ratio["pre-norm", True] > 2 * ratio["post-norm", True] > 1

# %% without residuals all words become alike
min(alike[norm, False][2] for norm in norms[:2]) > 0.95

# %% the variance of y = x W is D Var(x) Var(w)
x, w = rng.normal(0, 3, size=(2000, 200)), rng.normal(0, 0.1, size=(200, 50))
abs(np.var(x @ w) / (200 * 9 * 0.01) - 1) < 0.05

# %% a relu halves the mean square
abs(np.mean(np.square(np.maximum(rng.normal(size=100_000), 0))) - 0.5) < 0.02

# %% equal weights stay equal
np.array_equal(into.data[:, 0], into.data[:, 1])

# %% gradients shrink with the depth before the norm, and not after it
shrunk = {n: first_gradients[n, 32] / first_gradients[n, 2] for n in norms[:2]}
shrunk["pre-norm"] < 0.6 and shrunk["post-norm"] > 1
