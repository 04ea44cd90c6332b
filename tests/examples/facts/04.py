# %% a walk that sets a gradient is wrong where a number is used twice
said == 4

# %% and one that adds is right
w, x, c = Number(3), Number(2), Number(-4)
s = w * x + c
walk(s * s)
(w.grad, x.grad, c.grad) == (8, 12, 4)

# %% without an order, the walk makes 2^n visits
counts == [2 ** (n + 1) - 1 for n in range(1, len(counts) + 1)]

# %% with one, it visits each node once
in_order == [n + 1 for n in range(1, len(in_order) + 1)]


# %% and walks a chain that is too long for a recursion
def through(kind, walk):
    x = y = kind(1.0)
    for _ in range(20_000):
        y = y + kind(1.0)
    try:
        walk(y)
    except RecursionError:
        return None
    return x.grad


through(Number, walk) is None and through(Ordered, walk_in_order) == 1

# %% a bias gets a gradient for each row
wrong_shape == (3, 2)

# %% until the broadcast is undone
undo_broadcast(np.ones((3, 2)), (2,)).tolist() == [3, 3]

# %% rules of a product of batches
a, b = Array(rng.normal(size=(2, 3, 4))), Array(rng.normal(size=(4, 2)))
walk_with_rules(a @ b)
ones = np.ones((2, 3, 2))
of_a = slopes(lambda x: x @ b.value, ones, a.value)
of_b = slopes(lambda x: a.value @ x, ones, b.value)
np.allclose(a.grad, of_a) and np.allclose(b.grad, of_b)

# %% a repeated index loses one with +=
lost.tolist() == [0, 0, 10]

# %% and none with np.add.at
added_at((3,), np.array([2, 2]), np.array([1.0, 10.0])).tolist() == [0, 0, 11]

# %% minigrad's gradient is the same
np.allclose(mine, x.grad, atol=1e-6)

# %% the engine has at most 120 lines
len(code) <= 120

# %% and trains a network
right > 0.98
