# %% the parameters are those that were counted
counted == 24_189

# %% a table of two letters is the best
max(baselines, key=baselines.get) == 2

# %% one batch is known by heart
memory.reader.accuracy(same.batch(1, 32)) == 1

# %% and no rule
memory.reader.accuracy(plurals.held_out(200)) < 0.2

# %% it beats adding an s after 100 steps
right_at[100] > baselines[0] > right_at[50]

# %% no noun is in both parts
not {n for n, _ in seen} & {n for n, _ in plurals.held_out(1000)}

# %% real nouns need other data
len(right) < len(right_now)

# %% each head is missed
max(without.values()) < 0.75 * accuracy

# %% the times are right
clock("20 to one") == "12:40"

# %% a writer of nouns begins with nothing
endings > 0.9 and len(set(written)) > 100

# %% which is no text of its own
try:
    letters.encode("", start=True)
except mg.errors.VocabularyError:
    refused = True
refused
