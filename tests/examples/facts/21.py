# %% the glass computes the same loss
np.isclose(watched.loss.item() if torch else loss.item(), loss.item())

# %% the gradients of both are equal to the last bits
max(largest.values()) < 1e-6

# %% those of the last bias sum to 0
abs(bias.sum()) < 1e-6

# %% the program needs neither library
"import torch" not in program and "minigrad" not in program

# %% the loss is finite where the gradient is not
np.isfinite(sick.item())

# %% NaN reaches the table of letters alone
_, first = watched_loss(above=0.0)
{name: float(share) for name, share in first.items() if share} == {"letters.weight": 1.0}

# %% the line is named
"return sqrt((apart * apart)" in str(found)

# %% a small number under the root heals it
sum(bad.values()) == 0

# %% gradients that are kept are told
torch is None or [trouble.kind for trouble in kept] == ["kept"]
