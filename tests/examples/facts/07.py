# %% W_Q and W_K are the transposes of six rows of three
W_Q = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0], [2, 0, 0]]).T
W_K = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 5], [0, 0, 3], [0, 0, 5], [2, 0, 0]]).T
np.allclose(products, (X @ W_Q) @ (X @ W_K).T)

# %% the products of v1's query with the six keys
np.allclose(products[0], [6, 5.7, 0, 0, -6, 3])

# %% the weights of v1
np.allclose(A[0], [0.424, 0.375, 0.037, 0.037, 0.003, 0.125], atol=5e-4)

# %% v3 gives the same weight to all
np.allclose(A[2], 1 / 6)

# %% the output of v6
np.allclose(Y[5], [0.636, 0.324, 0.136], atol=5e-4)

# %% and brought to length one
np.allclose(after[5], [0.876, 0.445, 0.188], atol=5e-4)

# %% the cosine of v6 and v3 is 0.58 before
round(alike_before[5, 2], 2) == 0.58

# %% and 0.84 after: it did not leave v3
round(alike_after[5, 2], 2) == 0.84

# %% nor v4
alike_after[5, 3] > alike_before[5, 3]

# %% and it moved towards v1 as well
alike_after[5, 0] > alike_before[5, 0]

# %% measured to where v3 was, it went away
round(to_where_it_was, 2) == 0.45

# %% W_Q W_K^T
np.array_equal(M, [[6, 0, 0], [0, 0, 0], [0, 0, 5]])

# %% is symmetric here
np.array_equal(M, M.T)

# %% so the scores are too
np.allclose(products, products.T)

# %% gradient descent finds matrices that do the same
losses[-1] < 1e-10

# %% with the same product
np.allclose(path[-1], M, atol=0.05)

# %% it attends to ball strongly
((words @ asks) @ (words @ is_asked).T)[it, ball] == 4

# %% and ball to it weakly
((words @ asks) @ (words @ is_asked).T)[ball, it] == 0

# %% in weights too
weights = softmax((words @ asks) @ (words @ is_asked).T)
weights[it, ball] > 3 * weights[ball, it]

# %% though before they are mapped they are perpendicular
words[it] @ words[ball] == 0

# %% with W_Q = W_K the scores cannot differ
np.allclose(shared, shared.T)

# %% though the weights can
not np.allclose(one_for_both, one_for_both.T, atol=0.01)

# %% keys that drop the second number give all one score
np.ptp(meaning @ find) == 0

# %% so that all are found alike
np.allclose(found, 1 / 3)

# %% values that keep it deliver opposites
(meaning @ deliver)[:2, 0].tolist() == [1, -1]

# %% scores times 0 give the mean of all values
np.isclose(softmax(0 * (keys @ warm)) @ values, np.mean(values))

# %% times 64 very nearly a look-up
np.isclose(softmax(64 * (keys @ warm)) @ values, degrees["hot"])

# %% and those between approach it
out = [softmax(factor * (keys @ warm)) @ values for factor in (0, 1, 4, 16, 64)]
(np.diff(out) > 0).all()

# %% queries may come from elsewhere
guess[0, 0] > 4 > guess[1, 0] > 2 > guess[2, 0]

# %% how an output moves with the scores is a variance
np.isclose(slope, variance)

# %% time flies like an arrow: the shapes of queries, keys and values
[t.shape for t in (x, q, k, v)] == [(T, D), (T, K), (T, K), (T, V)]

# %% of scores, weights and output
[t.shape for t in (scores, weights, y)] == [(T, T), (T, T), (T, V)]
