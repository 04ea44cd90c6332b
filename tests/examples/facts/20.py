# %% the program, run by hand, gives the loss
by_hand == small_loss(x, t).item()

# %% no line of it is dead
needed(lines, ["the end"]) == lines

# %% what nothing needs is not in it
small = mg.compile(small_loss, exact=True, at_once=True)
small(x, t)
"np.max" not in small.source

# %% y and y - t are kept for the way back
names = [name for name, _ in lines]
back = names.index("d_t9")
[name for name in names[:back] if last_use.get(name, 0) > back] == ["y", "t7"]

# %% five lines need two buffers
len(buffers_of(five)) == 2

# %% most memory is in use at the turn
abs(most - compiled_chain.memory().forward) <= 4

# %% there are far fewer buffers than calls
count["buffers"] < count["calls"] / 8

# %% a third of the calls work in place
0.2 < count["work in place"] / count["calls"] < 0.5

# %% the buffers take a fifth of what all results would
exact.memory().peak < exact.memory().alone / 5

# %% with exact=True the gradients are the same bits
np.array_equal(by_exact, itself)

# %% and the weights after training
np.array_equal(plain, compiled)

# %% without, most of them are not
np.mean(by_fast != itself) > 0.5

# %% but close
np.abs(by_fast - itself).max() < 1e-5 * np.abs(itself).max()

# %% 49 times a 49th is not 1
49 * (1 / 49) != 1

# %% an if on a number is refused, and nothing else
list(refused) == ["1"]

# %% its line is named
"if loss > 1" in refused["1"]
