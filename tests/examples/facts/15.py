# %% encoder-decoder and encoder-only have post-norm layers
stacks = translator.encoder, guesser.encoder
layers = [layer for stack in stacks for layer in stack.layers]
not any(layer.residual1.pre or layer.residual2.pre for layer in layers)

# %% decoder-only has pre-norm layers, and a final norm
pre = all(layer.residual1.pre and layer.residual2.pre for layer in writer.stack.layers)
pre and isinstance(writer.stack.norm, mt.LayerNorm)

# %% encoder-only, opened, to the last bit
ids = np.array([letters.encode("statement")])
x = guesser.embedding(ids) * math.sqrt(48) + guesser.positions.table(np.arange(9))
for layer in guesser.encoder.layers:
    x = post_norm(layer, x, masks.padding(ids))
x = guesser.norm(gelu(guesser.final(x)))
np.array_equal(guesser.unembedding(x).data, guesser(ids).data)

# %% decoder-only, opened, to the last bit
ids = np.array([letters.encode("statement")])
x = writer.embedding(ids) * math.sqrt(64) + writer.positions.table(np.arange(9))
for layer in writer.stack.layers:
    x = pre_norm(layer, x, masks.causal(9))
x = writer.stack.norm(x)
np.array_equal(writer.unembedding(x).data, writer(ids).data)

# %% gelu is x times the normal numbers below x
np.allclose(gelu(xs), counted_below, atol=0.02)

# %% encoder-only sees everything
hears["encoder-only"].all()

# %% decoder-only what came before
np.array_equal(hears["decoder-only"], causal)

# %% encoder-decoder all of the source too
both = np.concatenate([causal | True, causal], axis=1)
np.array_equal(hears["encoder-decoder"], both)

# %% a character model beats counting pairs
np.mean(curve[-50:]) < 0.9 * by_counting[1]

# %% on held-out text too
on_held_out < by_counting[1]

# %% masked tokens are filled in
accuracy > 2 * frequent

# %% sequence to sequence
share > 0.4
