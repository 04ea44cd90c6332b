# %% its gradient, with a gain that is not uniform
x = mg.Tensor(rng.normal(3, 10, size=(4, 6)), requires_grad=True)
gain, bias, g = rng.normal(size=6), rng.normal(size=6), rng.normal(size=(4, 6))
layer_norm(x, gain, bias).backward(g)
x_hat, scale = normalised(x.data)
np.allclose(x.grad, without_the_lost(gain * g, x_hat) / scale)

# %% against finite differences
mg.gradcheck(layer_norm, words, gain, bias).ok

# %% a rule right for uniform gains only passes with those
reports["all gains equal"].ok

# %% and is found with others
not reports["gains that differ"].ok

# %% its steps by hand give the same: three numbers
d = np.array([-1.0, -1.0, 2.0])
s, g = np.sqrt(np.mean(d**2)), np.array([1.0, 0.0, 0.0])
g_s = -np.sum(g * d / s**2)
g_d = g / s + g_s * d / (3 * s)
np.allclose(g_d - g_d.mean(), small.grad, atol=1e-6)

# %% a word is normalised by itself
np.array_equal(layer_norm(other, 1.0, 0.0)[0], layer_norm(batch, 1.0, 0.0)[0])

# %% under batch norm it depends on the batch
not np.allclose(batch_norm(other)[0], batch_norm(batch)[0], atol=0.05)

# %% attention mixes words
(heard["attention"] > 0).all()

# %% the feed-forward layer works within one
(heard["feed-forward"][between_words] == 0).all()

# %% and computes what attention cannot
np.allclose(says, wanted, atol=0.05)

# %% dropout leaves the mean
abs(np.mean(threes) - 3) < 0.1

# %% and is off in use
np.array_equal(in_use, [3, 3, 3])

# %% with dropout the error on new examples is smaller
after[0.25][1] < 0.8 * after[0.0][1]
