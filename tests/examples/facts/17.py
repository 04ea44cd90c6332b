# %% a gradient's graph is differentiated
x = mg.Tensor(0.8, requires_grad=True, dtype=np.float64)
np.sin(np.square(x)).backward(create_graph=True)
slope, x.grad = x.grad, None
slope.backward()
np.isclose(x.grad.item(), 2 * math.cos(0.64) - 4 * 0.64 * math.sin(0.64))

# %% to any order
np.allclose(sine, [*cycle, *cycle])

# %% Hessian-vector products
f = lambda x: np.sum(np.tanh(x) * np.roll(x, 1))
x, v = rng.normal(size=(2, 30))
np.allclose(hessian_times(f, x, v), mg.hessian(f)(x).data @ v)

# %% cost less than the Hessian
timed["Hessian"][-1] > 10 * timed["Hessian times a vector"][-1]

# %% Newton's method
errors[-1] < 1e-12

# %% whose error is squared at each step
x = np.float64(math.log(2) + 0.01)
new = x - slope_at(x).item() / bend_at(x).item() - math.log(2)
np.isclose(new / 0.01**2, 0.5, rtol=0.01)

# %% jvp by two vjps
x, v = np.array([0.7, -0.4]), np.array([1.0, 0.5])
np.allclose(forward_derivative(swirl, x, v), mg.jvp(swirl, x, v)[1])

# %% a Jacobian by rows and by columns
np.allclose(by_rows, by_columns)

# %% reverse mode keeps the values of every step
peaks["backwards", 40] > 1.7 * peaks["backwards", 20]

# %% forward mode none
peaks["forwards", 40] < 1.1 * peaks["forwards", 20]

# %% a gradient penalty
off[1] < 0.75 * off[0]
