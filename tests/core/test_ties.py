"""The tie rule against exact arithmetic with fractions."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield.core.ties import inner_sign, opened, side, tied_sign

TYPES = ["float32", "float64"]


def arrays(dtype, *values):
    return [jnp.asarray(value, dtype) for value in values]


def exact_products(x, w, threshold):
    """<w, x> - threshold as fractions: floats are fractions, so that nothing is rounded."""
    inner = [[sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, unit, strict=True)) for unit in w] for row in x]
    return [[value - Fraction(float(t)) for value, t in zip(row, threshold, strict=True)] for row in inner]


@pytest.mark.parametrize("dtype", TYPES)
def test_a_sign_is_right_or_zero_and_what_is_zero_is_zero(dtype):
    """Weights and inputs that are small multiples of 0.1, rounded: some products are zero, but not as computed."""
    with jax.enable_x64(True):
        rng = np.random.default_rng(0)
        x, w, threshold = arrays(dtype, rng.integers(-5, 6, (200, 7)) * 0.1, rng.integers(-5, 6, (9, 7)) * 0.1, np.zeros(9))
        found = np.asarray(side(x, w, threshold))
        whole = np.rint(10 * np.asarray(x, float)) @ np.rint(10 * np.asarray(w, float)).T
        assert (whole == 0).sum() > 20
        assert np.asarray(x @ w.T)[whole == 0].any()
        np.testing.assert_array_equal(found, np.sign(whole))


@pytest.mark.parametrize("dtype", TYPES)
def test_only_what_rounding_cannot_decide_is_a_tie(dtype):
    """Where the exact product exceeds the stated width, the sign is that of the exact product."""
    with jax.enable_x64(True):
        rng = np.random.default_rng(1)
        x, w, threshold = arrays(dtype, rng.normal(size=(300, 12)), rng.normal(size=(4, 12)), rng.normal(size=4))
        found = np.asarray(side(x, w, threshold))
        exact = exact_products(np.asarray(x), np.asarray(w), np.asarray(threshold))
        eps, n = float(jnp.finfo(dtype).eps), 12
        for i, row in enumerate(exact):
            for k, value in enumerate(row):
                size = float(abs(w[k]).sum() * abs(x[i]).max() + abs(threshold[k]))
                if abs(value) > 1.5 * n * eps * size:  # the width itself, and what the computed product is off
                    assert found[i, k] == (1 if value > 0 else -1)
                elif abs(value) < 0.5 * n * eps * size:
                    assert found[i, k] == 0
        assert (found != 0).mean() > 0.999  # samples of a density do not tie


@pytest.mark.parametrize(("dtype", "spacing"), [("float32", 2.0**-23), ("float64", 2.0**-52)])
@pytest.mark.parametrize("n", [1, 40, 1000])
def test_the_width_of_a_tie_grows_with_the_sites_and_follows_the_float_type(dtype, spacing, n):
    """n times the spacing of the type at 1, times the scale: exact numbers, since all are powers of two but n."""
    with jax.enable_x64(True):
        width = n * spacing * 4.0
        h = jnp.asarray([0.5 * width, width, 1.01 * width, -width, -1.01 * width], dtype)
        assert tied_sign(h, jnp.asarray(4.0, dtype), n).tolist() == [0.0, 0.0, 1.0, 0.0, -1.0]


@pytest.mark.costly
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
def test_the_scale_of_weights_and_inputs_does_not_matter(dtype, scale):
    with jax.enable_x64(True):
        x, w = arrays(dtype, [[0.1, 0.2, -0.3], [0.1, 0.2, -0.2]], [[1.0, 1.0, 1.0]])
        assert opened(scale * x, w).tolist() == opened(x, scale * w).tolist() == [[0.5], [1.0]]


def test_a_threshold_moves_the_edge():
    x = jnp.array([[0.5, 0.25], [0.5, 0.5], [0.75, 0.5]])
    assert opened(x, jnp.array([[1.0, 1.0]]), jnp.array([1.0])).tolist() == [[0.0], [0.5], [1.0]]
    assert side(x, jnp.array([[1.0, 1.0]]), 1.0).tolist() == [[-1.0], [0.0], [1.0]]


def test_corners_of_the_cube_and_their_opposites_open_half_of_the_time():
    """By symmetry: a gate and its opposite together are 1 for every corner, ties included."""
    corners = jnp.array(np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T)
    w = jnp.array([[1.0, 1.0, 1.0, 1.0], [0.1, 0.2, 0.3, 0.4], [3.0, 1.0, 1.0, 1.0]])
    both = np.asarray(opened(corners, w) + opened(-corners, w))
    assert (both == 1).all()
    assert opened(corners, w).mean(0).tolist() == [0.5, 0.5, 0.5]
    assert (np.asarray(opened(corners, w)) == 0.5).sum(0).tolist() == [6, 2, 2]  # by hand: binomial(4, 2); 1+4 = 2+3; 3 = 1+1+1


@pytest.mark.parametrize("dtype", TYPES)
def test_signs_of_many_samples_at_once_are_those_one_by_one(dtype):
    """Two batches of samples, each with a field of its own."""
    with jax.enable_x64(True):
        rng = np.random.default_rng(2)
        x, w = arrays(dtype, rng.integers(-3, 4, (2, 50, 5)) * 0.1, rng.integers(-3, 4, (2, 5)) * 0.1)
        found = inner_sign(jnp.einsum("bn,bsn->bs", w, x), x, w[:, None])
        for at in range(2):
            np.testing.assert_array_equal(found[at], side(x[at], w[at][None])[:, 0])
        assert (found == 0).sum() > 5


def test_tied_sign_keeps_the_float_type():
    for dtype in (jnp.float32, jnp.float16):
        assert tied_sign(jnp.ones(3, dtype), jnp.ones(3, dtype), 5).dtype == dtype
