# %% the derivatives of (3 x 2 - 4)^2 are 8, 12 and 4
[dw, dx, dc] == [8, 12, 4]

# %% by the chain rule the same as by nudging
np.allclose([dw, dx, dc], by_nudging, atol=1e-4)

# %% the same on an interactive page
"p = w * x" in page.read_text(encoding="utf-8")

# %% gradients add in x + x
x = mg.Tensor(3.0, requires_grad=True)
(x + x).backward()
x.grad.item() == 1 + 1

# %% gradients add in x * x
x = mg.Tensor(3.0, requires_grad=True)
(x * x).backward()
x.grad.item() == 3 + 3

# %% on the smallest diamond a naive recursion says 6
wrong["x"] == 6

# %% where 4 is right
x = mg.Tensor(1.0, requires_grad=True)
u = 2 * x
(1 * u + 1 * u).backward()
x.grad.item() == 4

# %% one use fewer, and it would be right
naive({"x": [], "y": [("x", 1), ("x", 1)]}, "y", Counter(y=1))["x"] == 2

# %% the other recursion is right
gradients["x"] == 4

# %% but takes 2^n time
visits == [2 ** (n + 1) - 1 for n in sizes]

# %% and the walk in topological order n
in_order == [n + 1 for n in sizes]

# %% four lines learn
path[0] == 2 and abs(w.item() - 2 / 3) < 0.001

# %% and in the other form that people write
w = mg.Tensor(2.0, requires_grad=True)
for _ in range(20):
    y = (w * 3 - 2) ** 2
    w.grad = None
    y.backward()
    with mg.no_grad():
        w -= 0.02 * w.grad
abs(w.item() - 2 / 3) < 0.001
