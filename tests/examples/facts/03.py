# %% a central difference is off by h^2 / 6 f'''
e, h = np.exp(0.5), 0.01
np.isclose(central(np.exp, 0.5, h) - e, h**2 / 6 * e, rtol=0.01)

# %% a one-sided one by h / 2 f''
e, h = np.exp(0.5), 0.01
np.isclose(one_sided(np.exp, 0.5, h) - e, h / 2 * e, rtol=0.05)

# %% truncation falls as h^2 in float64
abs(steepness(np.float64, 1e-1, 1e-4) - 2) < 0.02

# %% and in float32
abs(steepness(np.float32, 3e-1, 2e-2) - 2) < 0.05

# %% rounding grows as 1/h in float64
abs(steepness(np.float64, 1e-7, 1e-14) + 1) < 0.05

# %% and in float32
abs(steepness(np.float32, 1e-3, 1e-6) + 1) < 0.1

# %% the best step is where both are equal
expected / 8 < best[dtype][0] < expected * 8

# %% a planted bug is found and named
"transpose" in str(found)

# %% and so are others
kinds == [[], ["factor"], ["sign"], ["transpose"]]

# %% an input too regular lets it through
mg.gradcheck(product, A, np.eye(7)).ok

# %% and so does looking at a few elements only
right.sum() == 48

# %% and a sum with equal weights
mg.gradcheck(lambda x: np.sum(softmax(x)), rng.normal(size=(4, 3))).ok

# %% a check at a kink says so
report = mg.gradcheck(relu, np.array([-1.0, 0.0, 2.0]), raise_on_failure=False)
[finding.kind for finding in report.findings] == ["kink"]

# %% and at a tie of a maximum
report = mg.gradcheck(largest, ties, raise_on_failure=False)
[finding.kind for finding in report.findings] == ["kink"]

# %% beside them all is right
mg.gradcheck(relu, away).ok

# %% for a maximum with numbers that differ
mg.gradcheck(largest, different).ok

# %% at the best step, the derivative of the error is 0
eps, h = np.finfo(np.float64).eps, (3 * np.finfo(np.float64).eps) ** (1 / 3)
np.isclose(h / 3, eps / h**2)
