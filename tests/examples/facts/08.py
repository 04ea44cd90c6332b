# %% equal products: the mean of the values
first.tolist() == [3, 2]

# %% plain sums are X X^T X
np.allclose(plain_sums, X @ X.T @ X)

# %% with three maps and no softmax: the sum of (q . k_t) v_t
np.allclose([sum((q_i @ k_t) * v_t for k_t, v_t in zip(k, v)) for q_i in q], q @ k.T @ v)

# %% they grow without end
sums.max() > 1e50

# %% and means do not
means.max() <= 1

# %% algorithm 3: one query
np.allclose(rows[2], one_query(x[2], z)[0])

# %% its weights
np.allclose(weights[2], one_query(x[2], z)[1])

# %% queries and keys share a width
queries.shape[1] == keys.shape[1] == K

# %% keys and values share a length
len(keys) == len(values) == S

# %% what does not fit is refused
all(refused)

# %% the output has the queries' length and the values' width
rows.shape == (T, V)

# %% the library agrees with algorithm 4
np.allclose(by_library, rows)

# %% Var(x . y) grows as C d
np.allclose(variance, C * np.array(wide), rtol=0.05)

# %% and stays C after scaling
np.allclose(scaled_variance, C, rtol=0.05)

# %% in general it is d sigma^4, and sigma^4 after
x, y = rng.normal(0, 1.5, size=(2, 100_000, 8))
plain = (x * y).sum(axis=1)
np.allclose([plain.var(), (plain / 8**0.5).var()], [8 * 1.5**4, 1.5**4], rtol=0.05)

# %% saturation takes the softmax's gradient
0.28 < plain_slope[-1] / plain_slope[0] < 0.41

# %% and scaling keeps it
max(scaled_slope) < 1.2 * min(scaled_slope)

# %% exp overflows beyond 709
with np.errstate(over="ignore"):
    infinite = np.isinf(np.exp(710.0)) and np.isinf(np.exp(np.float32(89)))
infinite and np.isfinite(np.exp(709.0)) and np.isfinite(np.exp(np.float32(88)))

# %% the maximum taken off mends it
np.allclose(softmax(large), [0.25, 0.75])

# %% saturation is not overflow
np.isfinite(softmax(apart)).all()

# %% and stays
slope < 1e-16

# %% masked before: the rest sum to one
np.isclose(before(other).sum(), 1)

# %% masked after: they do not
np.isclose(after(np.zeros(4)).sum(), 3 / 4)

# %% and what is hidden still counts
loud = np.array([2.0, 1, 0, 5])
np.array_equal(before(loud), before(other)) and not np.allclose(after(loud), after(other))

# %% nothing to choose from: NaN by minus infinity
np.isnan(by_infinity).all()

# %% and NaN spreads: 0 times it is NaN
np.isnan(0 * by_infinity).all()

# %% everything by a large number
np.allclose(by_large_number, 1 / 4)

# %% zeros here
np.array_equal(masked.data[1], np.zeros(V))

# %% and finite gradients
np.isfinite(asking.grad.data).all()

# %% outputs lie in the convex hull
(reached > 0).all() and (reached.sum(axis=1) < 2).all()

# %% which is no box
needed(1.5, 1.5).min() < 0

# %% corners are a limit
0 < 2 - sharper[-1][0] < 1e-6

# %% a mask reaches an edge
0 < on_edge[0] < 2 and on_edge[1] == 0

# %% W_O gets outside
np.allclose(needed(0.75, 0.75) @ corners @ W_O, [1.5, 1.5])

# %% query and key alike: the score grows with the root of the width
np.allclose(np.array(with_itself) / np.sqrt(wide), a**2 / 3, rtol=0.05)

# %% and each looks at itself alone
on_itself[-1] > 0.999

# %% the way back, by the engine
all(np.allclose(one.grad, by_hand) for one, by_hand in zip(three, (d_q, d_k, d_v)))

# %% a value gets the gradient by its weight
np.allclose(d_v, [[0.5, 0.5], [0.5, 0.5]])

# %% a step against the gradient makes the second weight smaller
softmax((Q - 0.1 * d_q) @ small_keys.T / 2)[0, 1] < A[0, 1]

# %% the numbers of dS sum to 0
np.allclose(d_s, [[-0.5, 0.5]])
