# %% targets are shifted by one
np.array_equal(read[0, 1:], write[0, :-1])

# %% padding is ignored in the loss
(logits.grad.data[~asked] == 0).all()

# %% the gradient is p less the target
np.allclose(z.grad, [0.7, -0.8, 0.1])

# %% on a batch, too, padding left out
some, seen = mg.Tensor(rng.normal(size=(*read.shape, N)), requires_grad=True), read != 0
cross_entropy(some, read, ignore_index=0).backward()
p = np.exp(some.data) / np.sum(np.exp(some.data), axis=-1, keepdims=True)
np.allclose(some.grad.data[seen], (p - np.eye(N)[read])[seen] / seen.sum())

# %% perplexity is exp(loss): N for an even guess
np.isclose(math.exp(evenly), N)

# %% the first loss is near log N
abs(first_loss[1] - math.log(N)) < 0.5 and abs(memorised[0] - math.log(N)) < 1

# %% far above it where scores are large
first_loss[16] > 3 * math.log(N)

# %% Adam by hand is the library's
np.allclose(two.data, adam_path(gradients, 0.1, (0.9, 0.98))[-1])

# %% with bias correction its first step is the learning rate
np.allclose(adam_path([np.array([1000, 1e-3])], 0.1, (0.9, 0.999)), -0.1)

# %% without, it is 3.16 or 0.71 times that
found = [adam_path([1.0], 1, (0.9, b), corrected=False)[0] for b in (0.999, 0.98)]
np.allclose(found, [-(10**0.5), -(0.5**0.5)])

# %% and for a hundred steps three to seven times
sizes = step_sizes["0.999, without correction"][:100]
sizes.min() > 3 and sizes.max() < 7

# %% label smoothing
logits, right_ones = rng.normal(size=(4, 5)), np.array([1, 2, 3, 4])
log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
target = 0.9 * np.eye(5)[right_ones] + 0.1 / 5
loss = cross_entropy(logits, right_ones, label_smoothing=0.1).item()
np.isclose(loss, -np.sum(target * log_p, axis=-1).mean())

# %% is least at 1 - e + e / N
np.isclose(lowest[0.1], 0.9 + 0.1 / N, atol=1e-3)

# %% the warm-up of the paper
np.isclose(peak, (512 * 4000) ** -0.5)

# %% clipping
np.allclose(parameter.grad, [1.5, 2.0])

# %% one batch is memorised
memorised[-1] < 0.05

# %% copy is learned
right["all parts"] > 0.5

# %% without scaling worse
final["no scaling"] > final["all parts"]

# %% without positions not
right["no positions"] < 0.2

# %% without warm-up more slowly
np.mean(results["no warm-up"][0]) > np.mean(results["all parts"][0])

# %% without residuals not
right["no residuals"] < 0.2

# %% without the causal mask the loss is the best
final["no causal mask"] < final["all parts"]

# %% and nothing is right
right["no causal mask"] < 0.05

# %% so it is without the shift
final["no shift"] < final["all parts"]

# %% and nothing is right there
right["no shift"] < 0.05

# %% dates begin to be learned
run.curve[-1].loss < run.curve[0].loss / 3

# %% few words are known by heart, and new ones cost more than guessing
np.mean(few[0][-5:]) < 0.2 and few[1][100] > math.log(N)

# %% the held-out loss was least on the way
0 < stop[64] < 70

# %% more words lower both
many[1][100] < few[1][stop[64]] and np.mean(many[0][-5:]) < 1

# %% what was kept has that loss
np.isclose(again, few[1][stop[64]])
