# %% each head is (T, V)
heads = [mt.attention(X @ q, X @ k, X @ v)[0] for q, k, v in zip(W_Q, W_K, W_V)]
[head.shape for head in heads] == [(len(X), W_V.shape[-1])] * len(W_V)

# %% joined and projected they are (T, D)
heads = [mt.attention(X @ q, X @ k, X @ v)[0] for q, k, v in zip(W_Q, W_K, W_V)]
(np.concatenate(heads, axis=1) @ W_O).shape == X.shape

# %% the layer computes Concat(head_1 ... head_H) W_O
np.allclose(by_layer[0], output)

# %% concatenate-then-project is a sum of per-head projections
heads = [mt.attention(X @ q, X @ k, X @ v)[0] for q, k, v in zip(W_Q, W_K, W_V)]
apart = sum(head @ block for head, block in zip(heads, blocks))
np.allclose(apart, np.concatenate(heads, axis=1) @ W_O)

# %% added heads can compute all that joined ones do
np.allclose(added(X[None], X[None])[0], by_layer)

# %% at another cost: joined
joined == 4 * 512**2

# %% and added
summed == (2 + 8) * 512**2

# %% and it learns as well
min(right(adding)) > 99

# %% one head fails
min(right(models[1])) < 60

# %% several do not
min(right(models[4])) > 99

# %% they divide the work
{job[0] for job in jobs} == set(QUESTIONS)

# %% ablation: each of three heads answers one question
((lost[3] < 30).sum(axis=1) == 1).all()

# %% and is not needed for the others
((lost[3] > 99).sum(axis=1) == 2).all()

# %% a head whose work is done twice costs less
min(alone) > 50

# %% a head's part left out is its rows of W_O at zero
W_O, V = models[4].attention.output.weight, 12
whole = W_O.data.copy()
W_O.copy_(whole * (np.arange(48) >= V)[:, None])
cut = right(models[4])
W_O.copy_(whole)
np.allclose(cut, lost[4][0], atol=0.1)

# %% cut apart by reshape and swapaxes
np.array_equal(cut, [[[1, 2, 3], [4, 5, 6]], [[10, 20, 30], [40, 50, 60]]])

# %% by its mean, a constant that a head adds does not count
np.allclose(cut_out["with a constant", "mean"], cut_out["as trained", "mean"], atol=0.1)

# %% by zero, it does
np.mean(cut_out["with a constant", "zero"]) < np.mean(cut_out["as trained", "zero"]) - 10

# %% of 12 heads most can go, one at a time
len(spare) > 6

# %% but not all of these at once
min(all_spare_out) < 80

# %% half of them can go at once
min(pruned[6]) > 90

# %% fewer than three cannot do it
min(pruned[2]) < 80

# %% attention is a convolution whose kernel has the same value in every column
np.allclose(by_head, convolve(x, same_in_every_column))

# %% a convolution can subtract
np.allclose(convolve(constant, change), 0)

# %% which attention cannot
np.allclose(A @ constant, 1)

# %% a convolution can treat channels differently
not np.allclose(convolve(twins, apart)[:, 0], convolve(twins, apart)[:, 1])

# %% which attention cannot
np.allclose((A @ twins).T, (A @ twins)[:, 0])

# %% many heads can do all of it
np.allclose(np.concatenate(heads, axis=1) @ np.concatenate(list(W)), convolution)
