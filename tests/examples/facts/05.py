# %% king - man + woman = queen
np.allclose(made, words["queen"], rtol=0, atol=1e-15)

# %% the cosine of king and queen is 0.948
round(kings, 3) == 0.948

# %% that of man and woman is 0.927
round(people, 3) == 0.927

# %% and not 0.98, as published
not np.isclose(alike[0, 1], 0.98, atol=0.03)

# %% nor 0.99
not np.isclose(alike[2, 3], 0.99, atol=0.03)

# %% near a third means near each other
(between >= 2 * c**2 - 1 - 1e-9).all()

# %% two cosines of 0.9 in a chain force 0.62
round(fan[2], 2) == 0.62

# %% three 0.22, four nothing
round(fan[3], 2) == 0.22 and fan[4] < 0

# %% with random turns n of them give 0.9^n
np.allclose(along.mean(axis=1), 0.9**steps, atol=0.02)

# %% no word gets the weight zero
shares.max() < 3 * shares.min()

# %% similarity is symmetric
X = rng.normal(size=(6, 3))
np.array_equal(X @ X.T, (X @ X.T).T)

# %% a plain sum of products is X X^T X
X = rng.normal(size=(4, 2))
plain = [sum((v_i @ v_j) * v_j for v_j in X) for v_i in X]
np.allclose(plain, X @ X.T @ X)

# %% bank of the river moves to the river
by_river[0, 1] > 2 * by_river[0, 0]

# %% y_i = sum_j softmax_j(v_i . v_j) v_j
np.allclose(y_bank, by_river[0])

# %% trained vectors have the similarities asked for
np.abs(cosines(E) - S).max() < 0.01

# %% where their rank allows it
np.linalg.matrix_rank(S) == 4

# %% and geometry does
abs(losses[-1] - best) < 1e-4

# %% the first flaw stays
np.isclose(apart, 2 * both**2 - 1, atol=1e-3)

# %% the most frequent pair is merged first
merged[0] == ("es", 9)

# %% and some merges later a frequent word is whole
"low" in [piece for piece, _ in merged]

# %% one-hot times a table is the look-up
np.allclose((one_hot @ table).detach(), table[ids].detach())

# %% with the same gradient
np.allclose(by_product, by_index)
