"""Where decompositions have a derivative, and where they say that they have none.

That their derivatives are right where they exist is tested with those of all other operations.
"""

import numpy as np
import pytest
from leaves import leaf

import minigrad as mg
from minigrad import errors

ROTATION, _ = np.linalg.qr(np.sin(np.arange(9.0)).reshape(3, 3) + np.eye(3))
DISTINCT = ROTATION @ np.diag([1.0, 2.0, 4.0]) @ ROTATION.T
EQUAL = ROTATION @ np.diag([2.0, 2.0, 5.0]) @ ROTATION.T  # two of them, to rounding
TALL = np.vstack([DISTINCT, np.ones((1, 3))])
FLAT = [TALL * [1.0, 1.0, 0.0], TALL[:, :2] @ ROTATION[:2]]  # of rank 2; the second to rounding


def gradient(f, a):
    x = leaf(a)
    f(x).backward()
    return x.grad.data


def of_vectors(factors):
    """A number that depends on how the vectors are turned."""
    return sum(np.sum(f * np.cos(np.arange(f.size)).reshape(f.shape)) for f in factors)


# --- equal values ---------------------------------------------------------------------------------

VECTORS = {
    "eigenvectors": lambda x: of_vectors([np.linalg.eigh(x).eigenvectors]),
    "left singular vectors": lambda x: of_vectors([np.linalg.svd(x).U]),
    "right singular vectors": lambda x: of_vectors([np.linalg.svd(x).Vh]),
}
VALUES = {
    "eigvalsh": np.linalg.eigvalsh,
    "eigh": lambda x: np.linalg.eigh(x).eigenvalues,
    "svdvals": np.linalg.svdvals,
    "svd": lambda x: np.linalg.svd(x).S,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", VECTORS)
def test_vectors_of_equal_values_have_no_derivative(name, dtype):
    f, distinct, equal = VECTORS[name], DISTINCT.astype(dtype), EQUAL.astype(dtype)
    assert np.isfinite(gradient(f, distinct)).all()
    for matrices in (equal, np.eye(3, dtype=dtype), np.stack([distinct, equal])):
        with pytest.raises(errors.GraphError, match="values of a matrix are equal here"):
            gradient(f, matrices)


@pytest.mark.parametrize("name", VALUES)
def test_values_that_are_equal_have_a_derivative_where_it_does_not_depend_on_the_vectors(name):
    """Their sum and the sum of their squares do not: the trace, and the sum of all squares."""
    f = VALUES[name]
    for a in (EQUAL, np.eye(3)):
        close(symmetric(gradient(lambda x: np.sum(f(x)), a)), np.eye(3))
        close(symmetric(gradient(lambda x: np.sum(f(x) ** 2), a)), 2 * a)


def symmetric(g):
    """The gradient within symmetric matrices: NumPy reads one triangle for both."""
    return (g + g.T) / 2


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_a_second_derivative_at_equal_values_says_that_it_cannot_be_found():
    first = mg.grad(lambda x: np.sum(np.exp(np.linalg.eigvalsh(x))))
    with pytest.raises(errors.GraphError, match="two eigenvalues of a matrix are equal here"):
        gradient(lambda x: np.sum(first(x) ** 2), np.eye(3))


def test_the_spectral_norm_of_equal_singular_values_is_shared_evenly():
    """As the maximum of equal numbers is."""
    close(gradient(lambda x: np.linalg.norm(x, 2), np.eye(4)), np.eye(4) / 4)
    close(gradient(lambda x: np.linalg.norm(x, "nuc"), np.eye(4)), np.eye(4))


# --- too low a rank -------------------------------------------------------------------------------

RANKED = {
    "pinv": (np.linalg.pinv, "its smaller size: here it is below 3"),
    "lstsq": (lambda x: np.linalg.lstsq(x, np.ones(4))[0], "smaller size"),
    "qr": (lambda x: np.linalg.qr(x).R, "the columns depend on each other"),
    "U": (lambda x: np.linalg.svd(x, full_matrices=False).U, "or one is 0"),
}


@pytest.mark.parametrize("flat", FLAT)
@pytest.mark.parametrize("name", RANKED)
def test_a_rank_that_is_too_low_says_so(name, flat):
    """Only on the way back: there is a value."""
    f, words = RANKED[name]
    assert np.isfinite(gradient(lambda x: of_vectors([f(x)]), TALL)).all()
    close(f(leaf(flat)).data, f(flat))
    with pytest.raises(errors.GraphError, match=words):
        gradient(lambda x: of_vectors([f(x)]), flat)


def test_a_pseudo_inverse_that_leaves_small_singular_values_out_says_so():
    nearly = ROTATION @ np.diag([1.0, 1.0, 1e-6])
    assert np.isfinite(gradient(lambda x: np.sum(np.linalg.pinv(x)), nearly)).all()
    with pytest.raises(errors.GraphError, match="smaller size"):
        gradient(lambda x: np.sum(np.linalg.pinv(x, 1e-4)), nearly)


@pytest.mark.parametrize("flat", FLAT)
def test_the_singular_values_that_are_not_zero_have_a_derivative_at_every_rank(flat):
    u, _, vh = np.linalg.svd(flat, full_matrices=False)
    found = gradient(lambda x: np.sum(np.linalg.svdvals(x)[:2]), flat)
    close(found, u[:, :2] @ vh[:2])


@pytest.mark.parametrize("a", [TALL, TALL.T])
def test_vectors_that_do_not_follow_from_the_matrix_have_no_derivative(a):
    """The others, and the values, have what they have in the smaller decomposition."""
    for i, same in enumerate([np.s_[:, :3], np.s_[:], np.s_[:3]]):
        whole = gradient(lambda x: of_vectors([np.linalg.svd(x)[i][same]]), a)
        part = gradient(lambda x: of_vectors([np.linalg.svd(x, full_matrices=False)[i]]), a)
        close(whole, part)
    u, _, vh = np.linalg.svd(leaf(a))
    with pytest.raises(errors.GraphError, match="full_matrices=False"):
        of_vectors([u[:, 3:], vh[3:]]).backward()


def test_columns_that_complete_q_have_no_derivative():
    q, r = np.linalg.qr(leaf(TALL), mode="complete")
    np.testing.assert_array_equal(r[3:].data, 0)
    of_vectors([q[:, :3], r]).backward(retain_graph=True)
    with pytest.raises(errors.GraphError, match="mode='reduced'"):
        of_vectors([q]).backward()


UNDEFINED = {
    "eigh": (lambda x: np.linalg.eigh(x).eigenvectors, np.eye(3)),
    "twice": (
        lambda x: (v := np.linalg.eigh(x).eigenvectors, -v),
        np.eye(3),
    ),  # they add up to zero
    "svd": (lambda x: np.linalg.svd(x).U, TALL),
    "qr": (lambda x: np.linalg.qr(x, mode="complete").Q, TALL),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_a_derivative_along_a_direction_is_refused_as_well(name):
    f, a = UNDEFINED[name]
    with pytest.raises(errors.GraphError, match="derivative"):
        mg.jvp(f, a, np.ones_like(a))


# --- of one triangle ------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [np.linalg.eigvalsh, np.linalg.cholesky])
def test_what_numpy_does_not_read_has_no_gradient(f):
    """Of a symmetric expression the gradient is symmetric: here that of log det, the inverse."""
    logarithm = lambda x: np.sum(np.log(np.linalg.cholesky(x).diagonal())) * 2
    if f is np.linalg.eigvalsh:
        logarithm = lambda x: np.sum(np.log(f(x)))
    inverse = np.linalg.inv(DISTINCT)
    close(gradient(logarithm, DISTINCT), np.tril(2 * inverse) - np.diag(np.diag(inverse)))
    close(gradient(lambda x: logarithm((x + x.T) / 2), DISTINCT), inverse)


def test_a_matrix_that_is_not_positive_is_refused_by_name():
    with pytest.raises(
        errors.ShapeError, match=r"np\.linalg\.cholesky cannot .* positive definite"
    ):
        np.linalg.cholesky(leaf(-np.eye(2)))


def test_results_have_the_names_that_numpy_gives_them():
    x, plain = leaf(DISTINCT), DISTINCT
    for f in (np.linalg.eigh, np.linalg.svd, np.linalg.qr):
        assert type(f(x)) is type(f(plain))
        for name, value in f(plain)._asdict().items():
            np.testing.assert_allclose(getattr(f(x), name).data, value, atol=1e-12)


SQUARE = {  # what NumPy knows of square matrices alone, and some that it knows of all
    "inv": np.linalg.inv,
    "det": np.linalg.det,
    "slogdet": lambda a: np.linalg.slogdet(a)[1],
    "eigh": lambda a: np.linalg.eigh(a)[0],
    "eigh of the upper": lambda a: np.linalg.eigh(a, "U")[0],
    "eigvalsh": np.linalg.eigvalsh,
    "cholesky": np.linalg.cholesky,
    "pinv": np.linalg.pinv,
    "pinv, hermitian": lambda a: np.linalg.pinv(a, hermitian=True),
    "power 0": lambda a: np.linalg.matrix_power(a, 0),
    "power 1": lambda a: np.linalg.matrix_power(a, 1),
    "power 3": lambda a: np.linalg.matrix_power(a, 3),
    "power -1": lambda a: np.linalg.matrix_power(a, -1),
    "solve": lambda a: np.linalg.solve(a, np.ones((*a.shape[-1:], 1))),
    "svd": lambda a: np.linalg.svd(a, compute_uv=False),
    "qr": lambda a: np.linalg.qr(a)[1],
}
SHAPES = [(1, 3), (3, 1), (3, 2), (2, 3), (3, 2, 1), (2, 1, 3), (1, 1), (2, 2), (3,), ()]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", SQUARE)
def test_shapes_are_refused_where_numpy_refuses_them(name, shape):
    array = np.zeros(shape) + (np.eye(*shape[-2:]) * 2 + 0.5 if len(shape) > 1 else 1)
    try:
        expected = SQUARE[name](array)
    except (np.linalg.LinAlgError, ValueError):
        with pytest.raises(errors.MinigradError):
            SQUARE[name](mg.Tensor(array, requires_grad=True))
    else:
        found = SQUARE[name](mg.Tensor(array, requires_grad=True))
        np.testing.assert_allclose(np.abs(found.data), np.abs(expected), atol=1e-12)
