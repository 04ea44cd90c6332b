# %% attention made the way short
counted["2014"][0] == 8 and counted["2015"][0] == 2

# %% and a transformer has no chain to wait for
counted["2015"][1] == 8 and counted["2017"][1] == 2

# %% column and row conventions are one another's transpose
np.allclose(columns, rows.T)

# %% the weights too
np.allclose(weights_in_columns, weights.T)

# %% softmax(Q K^T) V^T fits neither
not printed_in_rows and not printed_in_columns

# %% three positive increasing functions make weights
np.allclose(phi_weights.sum(axis=-1), 1)

# %% but far below zero only exp makes them
of = lambda phi: mt.attention(np.ones((1, 1)), far_below, np.eye(2), phi=phi)[1].sum()
[of(phi) > 0 for phi in choices.values()] == [True, False, False]

# %% in the same order
np.array_equal(np.argsort(phi_weights, axis=-1), order)

# %% the scaled product is symmetric
np.isclose(inner(x, y), inner(y, x))

# %% linear
np.isclose(inner(2 * x + y, z), 2 * inner(x, z) + inner(y, z))

# %% and positive: an inner product
inner(x, x) > 0

# %% scores are a bilinear form e^T W_q^T W_k e'
e, f = rng.normal(size=(2, C_x))
np.isclose(score(e, f), e @ form @ f)

# %% linear in the first
e, f, g = rng.normal(size=(3, C_x))
np.isclose(score(2 * e + f, g), 2 * score(e, g) + score(f, g))

# %% linear in the second
e, f, g = rng.normal(size=(3, C_x))
np.isclose(score(g, 2 * e + f), 2 * score(g, e) + score(g, f))

# %% sum_t <k_t, q> k_t is the projection for orthonormal keys
np.allclose(mix(orthonormal, q), projection)

# %% and not for others
not np.allclose(mix(other_keys, q), projection, atol=0.1)

# %% except for tight frames
np.allclose(mix(three, q[:2]), q[:2])

# %% one Hopfield update is attention
update = softmax(damaged @ stored.T / np.sqrt(64)) @ stored
np.allclose(update, recalled) and np.array_equal(np.sign(recalled)[0], stored[0])

# %% the residual step is one Euler step
np.allclose(follow(points, 1, 1), points + attend(points))

# %% whose error halves with its length
1.7 < off[0] / off[1] < 2.3

# %% repeated, points cluster
counts[3000] <= 3

# %% permuting the inputs permutes the outputs, exactly
np.array_equal(attend_exactly(exact[shuffled]), attend_exactly(exact)[shuffled])

# %% two published digits are cut
(cut[0, 3], cut[2, 1]) == (0.9999, -0.9899)

# %% with sines alone (0,3), (1,2) and (4,5) nearly collide
{(i, j) for *_, i, j in by_distance[:3]} == {(0, 3), (1, 2), (4, 5)}

# %% with a sine and a cosine the distance decides
np.allclose(apart["one pair"], 2 * np.sin((second - first) / 2))

# %% published for D = 3
off3 == [
    0.76,
    0.74,
    0.99,
    0.79,
    0.71,
    1.00,
    0.85,
    0.21,
    0.09,
    0.83,
    0.17,
    0.05,
    0.70,
    0.61,
    0.99,
]

# %% published for D = 512
off512 == [
    0.97,
    0.91,
    0.83,
    0.77,
    0.74,
    0.97,
    0.91,
    0.83,
    0.77,
    0.97,
    0.91,
    0.83,
    0.97,
    0.91,
    0.97,
]

# %% the variant at D = 3
np.array_equal(in_pairs(alike["encoding_off", 3]), off3)

# %% and at D = 512
np.array_equal(in_pairs(alike["encoding_off", 512]), off512)

# %% where the paper agrees
np.array_equal(in_pairs(alike["encoding", 512]), off512)

# %% but not at D = 3
not np.allclose(in_pairs(alike["encoding", 3]), off3, atol=0.1)

# %% as the angles of a pair differ by 21.5
10000 ** (1 / 3) > 21

# %% or by 1.018
10000 ** (1 / 512) < 1.02

# %% a ramp draws all attention to the end
looks["a ramp"][:, -10:].sum(axis=1).mean() > 0.5

# %% and is lost in a layer norm
np.allclose(*same, atol=1e-12)
