# %% the whole model, step by step
np.array_equal(by_hand.data, logits.data)

# %% the causal and the padding mask, joined
np.array_equal(may_look_back[1, 0], masks.causal(7) & (target[1] != 0))

# %% a future token changes no bit
np.array_equal(after.data[0, :4], logits.data[0, :4])

# %% nor does a padded one
np.array_equal(after.data[1], logits.data[1])

# %% every output depends on what the masks say
np.array_equal(depends[:, 5:], masks.causal(4))

# %% for words the causal mask hides what the target's padding mask hides
np.array_equal(may_look_back[1, 0, :4], masks.causal(7)[:4])

# %% parameters by module as by the formula
counted == expected

# %% 63 million for the base model
round(total / 1e6) == 63

# %% the last map is x W_voc, with W_voc of shape (D, N)
model.unembedding.weight.shape == (D, len(target_words))
