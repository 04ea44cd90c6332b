# %% a gradient has the shape of its tensor
W.grad.shape == W.shape

# %% the gradient of a copied row is a sum
row.grad.tolist() == [1, 5, 3]

# %% and of a copied column
column.grad.tolist() == [[3], [6]]

# %% the gradient of a sum is a copy
X = mg.Tensor(np.ones((2, 3)), requires_grad=True)
np.sum(X, axis=0).backward(np.array([7.0, 8.0, 9.0]))
np.array_equal(X.grad, [[7, 8, 9], [7, 8, 9]])

# %% a copy's walk back is a sum's matrix
np.array_equal(backwards["copy a row twice"], forwards["sum of two rows"])

# %% and any linear walk back a transpose
np.array_equal(backwards[name], forwards[name].T)

# %% by shape alone, that of A in A @ B is G @ B.T
list(fit["A"]) == ["G @ B.T"]

# %% and that of B is A.T @ G
list(fit["B"]) == ["A.T @ G"]

# %% which the engine confirms
np.allclose(A.grad, fit["A"]["G @ B.T"])

# %% for both
B = mg.Tensor(rng.normal(size=(3, 4)), requires_grad=True)
A, G = rng.normal(size=(2, 3)), rng.normal(size=(2, 4))
(A @ B).backward(G)
np.allclose(B.grad, A.T @ G)

# %% and so does a product made of copies and a sum
np.allclose(A.grad, by_rule[0])

# %% repeated indices add
table.grad[:, 0].tolist() == [sentence.count(word) for word in known]

# %% which += drops
dropped[known.index("the")] == 1

# %% and np.add.at does not
kept[known.index("the")] == 3

# %% in a layer, the bias gets a sum over the rows
np.array_equal(b.grad, (2 * Y.data).sum(axis=0))

# %% the matrix of a running sum, and of its walk back
f = lambda x: np.cumsum(x)
M = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]])
np.array_equal(forward_matrix(f, (3,)), M) and np.array_equal(backward_matrix(f, (3,)), M.T)
