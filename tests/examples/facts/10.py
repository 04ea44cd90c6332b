# %% and in floats to rounding
np.allclose(without["other"], without["one"][::-1], rtol=0, atol=1e-15)

# %% without a mask: equivariant
X = np.arange(15.0).reshape(5, 3) / 9
np.allclose(attend(P @ X), P @ attend(X))

# %% and their mean invariant
X = np.arange(15.0).reshape(5, 3) / 9
np.allclose(attend(P @ X).mean(axis=0), attend(X).mean(axis=0))

# %% a causal mask breaks it
X, mask = np.arange(15.0).reshape(5, 3) / 9, masks.causal(5)
not np.allclose(attend(P @ X, mask), P @ attend(X, mask), atol=0.01)

# %% man is [1, 0, 0, 0] first
causal["one"][0].tolist() == [1, 0, 0, 0]

# %% and [.452, .274, .274, 0] last
np.allclose(causal["other"][2], [0.452, 0.274, 0.274, 0], atol=5e-4)

# %% [v ; p] W = v W_1 + p W_2
np.allclose(side_by_side, word @ W_1 + place @ W_2)

# %% adding is the tied case
tied = np.concatenate([W_1, W_1])
np.allclose(np.concatenate([word, place]) @ tied, (word + place) @ W_1)

# %% which learns as fast; multiplying does not
min(joined["added"], joined["side by side"]) > 0.93 > 0.85 > joined["multiplied"]

# %% p1 = 0.8415, 0.5403, 0.0100, 1.0000
np.allclose(positions[1], [0.8415, 0.5403, 0.0100, 1.0000], rtol=0, atol=5e-5)

# %% p2 = 0.9093, -0.4161, 0.0200, 0.9998
np.allclose(positions[2], [0.9093, -0.4161, 0.0200, 0.9998], rtol=0, atol=5e-5)

# %% p3 = 0.1411, -0.9900, 0.0300, 0.9996
np.allclose(positions[3], [0.1411, -0.9900, 0.0300, 0.9996], rtol=0, atol=5e-5)

# %% added to man, as the first word
np.allclose(placed["one"][0], [1.8415, 0.5403, 0.0100, 1.0000], rtol=0, atol=5e-5)

# %% and as the last
np.allclose(placed["other"][2], [1.1411, -0.9900, 0.0300, 0.9996], rtol=0, atol=5e-5)

# %% with one of sine and cosine positions collide
len(by_height) == 7

# %% with both they do not
len(by_both) == 12

# %% a shift by k is a matrix
np.allclose(table8[:-3] @ found, table8[3:], atol=1e-10)

# %% of rotations
np.allclose(found, expected, atol=1e-4)

# %% learned positions end
"8 learned positions" in refused

# %% rotary scores depend on the distance alone
all(np.ptp(np.diagonal(rotary_scores, d)) < 1e-12 for d in range(-19, 20))

# %% without positions the task fails
results["none"][0] < 0.3
