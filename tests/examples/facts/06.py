# %% a recurrent state depends on all inputs so far, and on none after
np.array_equal(rnn(changed).detach()[0, :2], states.detach()[0, :2])

# %% the cell is tanh(x W + b + h U)
np.allclose(states.detach()[0, 1], by_hand.detach(), atol=1e-6)

# %% Bahdanau's weights sum to one over j, for each i
np.allclose(a.sum(axis=1), 1)

# %% c_i = sum_j a_ij h_j with s_ij = tanh([d_i ; h_j] W) v
np.allclose(context, c)

# %% over the other index they do not sum to one
not np.allclose(wrong.sum(axis=1), 1)

# %% and the mean of equal states is another
not np.allclose(wrong @ np.ones((S, 1)), 1, atol=0.1)

# %% and a single output cannot choose
np.array_equal(only, np.ones((1, S)))

# %% and the first context depends on later steps
not np.allclose(of_first(later, 0), of_first(s, 0), atol=0.01)

# %% one last state gives back two symbols
right[False][1] > 95

# %% but not twelve
right[False][11] < 70

# %% with attention all come back
min(right[True]) > 95

# %% the alignment of a reversal is the anti-diagonal
share > 0.98

# %% with nearly all of the weight
on_it > 0.8

# %% Luong's dot, general and concat
np.allclose(all_at_once, each)

# %% additive is concat from S + T maps
np.allclose(in_parts, all_pairs(d, h))

# %% and mt.Additive computes it
additive = mt.Additive(D, hidden=K).astype(np.float64)
joined = np.concatenate([additive.query, additive.key]).detach()  # (2D, K)
of_pair = lambda d, h: np.tanh(np.concatenate([d, h]) @ joined) @ additive.vector.detach()
each = [[of_pair(d_i, h_j)[0] for h_j in h] for d_i in d]
np.allclose(additive(d, h).detach(), each)

# %% concat multiplies S T times by W
count(concat_scores, (T, D), (S, D), (2 * D, K), K) == expected["concat"]

# %% additive S + T times, and by v for each pair
count(additive_scores, (T, D), (S, D), (D, K), (D, K), K) == expected["additive"]

# %% mapping first takes S + T maps and one product
count(mapped_scores, (T, D), (S, D), (D, K), (D, K)) == expected["mapped, then dot"]

# %% f(d) . g(h) compares sizes
sizes_alike.argmax(axis=1).tolist() == [0, 1]

# %% a width-3 convolution needs a layer for each word of distance
[layers_needed(n + 1) for n in range(1, 20)] == list(range(1, 20))

# %% the gradient that reaches the first word of a recurrent network vanishes
arriving[network][5] < 1e-4

# %% that of attention does not
arriving[looks][5] > 1e-2

# %% which is far quicker
taken["concat"][-1] > 5 * taken["mapped, then dot"][-1]
