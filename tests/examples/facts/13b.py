# %% the results are minigrad's
apart < 1e-6

# %% every gradient is minigrad's
furthest < 1e-6

# %% ids that are not read get no gradient
at_rest.tolist() == [0, 2]

# %% the transformer learns its task
right > 0.9

# %% along the same losses as on minigrad
np.allclose(losses[:10], theirs[:10], rtol=1e-6)
