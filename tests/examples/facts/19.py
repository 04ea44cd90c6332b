# %% 1: the cosines are 0.948 and 0.927
(round(royal, 3), round(people, 3)) == (0.948, 0.927)

# %% 2: weights must sum to one over the index of the sum that uses them
np.allclose(right_index.sum(axis=0), 1)

# %% and as printed do not
np.abs(printed_index.sum(axis=0) - 1).min() > 0.1

# %% 3: the values have no part in the weights
np.array_equal(mt.attention(queries, keys, 10 * values)[1], weights)

# %% 4: softmax(Q K^T) V^T fits no rows
not printed_in_rows

# %% and no columns
not printed_in_columns

# %% where softmax(Q K^T / sqrt d) V fits rows
np.allclose(by_rows, output)

# %% and V softmax(K^T Q / sqrt d) columns
np.allclose(by_columns.T, output)

# %% 5: n columns, m high, are (m, n)
side_by_side.shape == (m, n) != (n, m)

# %% 6: with one angle for a pair, likeness depends on the distance
np.ptp(at_distance_three(positions(6, 4))) < 0.01

# %% with the printed one it does not at D = 3
np.ptp(at_distance_three(positions(6, 4, shared=False))) > 0.6

# %% 7: the cosine of v6 and v3 rises from 0.58 to 0.84
(round(before[2], 2), round(after[2], 2)) == (0.58, 0.84)

# %% 8: the scores are symmetric
np.array_equal(scores, scores.T)

# %% and the weights are not
not np.allclose(shares, shares.T, atol=0.1)

# %% 9: three keys of length one give 1.5 q
np.allclose(gives_back, 1.5 * np.eye(2))

# %% 9: a tight frame gives back every q
np.allclose(three.T @ three, np.eye(2)) and len(three) == 3

# %% 10: exp alone ignores a common shift
[name for name, same in unmoved.items() if same] == ["exp", "2 to the power of"]

# %% 11: 0.99995 and -0.98999 were cut
(round(first, 5), round(other, 5)) == (0.99995, -0.98999)

# %% to 0.9999 and -0.9899
cut.tolist() == [0.9999, -0.9899]

# %% 12: W_voc (D, N) does not multiply a column
not fits(lambda: W_voc @ x)

# %% but a row
(x @ W_voc).shape == (N,)
