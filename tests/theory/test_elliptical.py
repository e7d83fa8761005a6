"""Elliptical drifts: constants against tables, densities and samples; the velocity against the gradient of the loss."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield.data import Elliptical, fourier_basis, ring_correlation, ring_spectrum
from gatefield.data.laws import StudentT
from gatefield.ledger.routes import neuron
from gatefield.theory import elliptical

VALUES = {v["name"]: v for v in json.loads((Path(__file__).parents[1] / "reference/values.json").read_text())["values"]}


def circulant(row):
    return np.array([np.roll(row, k) for k in range(len(row))])


@pytest.mark.parametrize(
    ("radial", "n", "expected"),
    [
        ("gaussian", 7, 1 / np.sqrt(2 * np.pi)),
        ("laplace", 7, 1 / (2 * np.sqrt(2))),
        ("student:3", 7, 1 / np.pi),
        ("student:4", 40, 1 / (2 * np.sqrt(2))),
        ("sphere", 1, 0.5),
        ("sphere", 2, np.sqrt(2) / np.pi),  # of cos(t) sqrt 2
        ("sphere", 3, np.sqrt(3) / 4),  # a coordinate is uniform
    ],
)
def test_constants_in_closed_form(radial, n, expected):
    assert elliptical.constant(radial, n) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("df", [2.5, 5.0, 30.0])
def test_constant_of_student_by_its_marginal(df):
    assert elliptical.constant(StudentT(df), 9) == pytest.approx(neuron.student_size(df)[0], rel=1e-8)


def test_table():
    values = [elliptical.constant(radial, 5) for radial in ("student:5", "student:10", "sphere")]
    np.testing.assert_allclose(values, [0.367553, 0.386699, 0.419263], atol=6e-7)


def test_reference_values():
    assert elliptical.constant("student:3", 5) == pytest.approx(VALUES["ell_const_student_3"]["expected"], abs=1e-12)
    assert elliptical.constant("student:4", 5) == pytest.approx(VALUES["ell_const_student_4"]["expected"], abs=1e-12)
    assert elliptical.constant("laplace", 5) == pytest.approx(VALUES["ell_const_laplace_smg"]["expected"], abs=1e-12)
    scatter = elliptical.constant("student:5", 5) * np.sqrt(5 / 3)  # the covariance of t5 is 5/3 of its scatter matrix
    assert scatter == pytest.approx(VALUES["ell_const_student_5_scatter"]["expected"], abs=1e-12)
    case = VALUES["gauss_steady_norm_xi1_0.6_xi0_1.0"]
    n, mode = case["inputs"]["n"], case["inputs"]["mode"]
    amplitude = elliptical.steady_amplitude(ring_spectrum(n, 0.6)[mode], ring_spectrum(n, 1.0)[mode], "gaussian", n)
    assert amplitude == pytest.approx(case["expected"], abs=1e-12)


def test_drift_by_sampling():
    radial = "sphere"
    source, w = Elliptical(5, 1.2, radial), np.array([1.0, -0.3, 0.0, 0.7, 0.2])
    x = np.asarray(source.sample(jax.random.key(0), 200_000), np.float64)
    opened = (x @ w > 0)[:, None] * x
    value = elliptical.drift(w, source.covariance(), radial)
    assert np.all(abs(opened.mean(0) - value) < 5 * opened.std(0) / np.sqrt(len(x)))


def test_drift_of_a_field_without_variance_is_zero():
    cov = np.array([[1.0, 1.0], [1.0, 1.0]])
    np.testing.assert_array_equal(elliptical.drift([1.0, -1.0], cov, "laplace"), np.zeros(2))
    assert np.isfinite(jax.jacobian(lambda w: elliptical.drift(w, cov, "laplace"))(jnp.array([1.0, -1.0]))).all()


def test_drift_and_velocity_of_short_and_long_fields():
    cov, w = circulant(ring_correlation(5, 1.0)), np.array([1.0, -0.3, 0.0, 0.7, 0.2])
    expected = elliptical.constant("laplace", 5) * cov @ w / np.sqrt(w @ cov @ w)
    for scale in (1e-300, 1e-160, 1.0, 1e160, 1e300):
        np.testing.assert_allclose(elliptical.drift(scale * w, cov, "laplace"), expected, rtol=1e-13)
    np.testing.assert_allclose(elliptical.velocity(1e-170 * w, cov, cov, "laplace"), expected / 2, rtol=1e-13)
    np.testing.assert_allclose(elliptical.velocity(1e170 * w, cov, cov, "laplace"), -1e170 * cov @ w / 2, rtol=1e-13)
    with pytest.raises(ValueError, match="cov must have no negative eigenvalue"):
        elliptical.drift([1e170, -1e170], np.array([[1.0, 2.0], [2.0, 1.0]]), "laplace")


def test_slopes_of_short_and_long_fields_in_single_precision():
    cov, w = circulant(ring_correlation(5, 1.0)), np.array([1.0, -0.3, 0.0, 0.7, 0.2])
    scales = np.array([1e-20, 1.0, 1e20])
    slopes = jax.jit(jax.vmap(jax.jacrev(lambda w: elliptical.drift(w, cov, "gaussian"))))(np.float32(scales[:, None] * w))
    length, pull = np.sqrt(w @ cov @ w), cov @ w
    expected = (cov / length - np.outer(pull, pull) / length**3) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(slopes * scales[:, None, None], np.tile(expected, (3, 1, 1)), atol=1e-6)


@pytest.mark.parametrize("labels", [(1.0, 0.0), (1.0, -1.0)])
def test_velocity_is_minus_the_gradient_of_the_loss(labels):
    cov1, cov0, w = circulant(ring_correlation(6, 1.0)), circulant(ring_correlation(6, 2.0)), np.arange(6) - 1.7
    c = elliptical.constant("student:5", 6)

    def loss(w):
        """E relu = c |w| and E relu^2 = |w|^2/2 in each class."""
        parts = [
            (w @ cov @ w / 2 - 2 * y * c * jnp.sqrt(w @ cov @ w) + y**2) / 4
            for cov, y in zip((cov1, cov0), labels, strict=True)
        ]
        return sum(parts)

    with jax.enable_x64(True):
        gradient = jax.grad(loss)(jnp.asarray(w))
    np.testing.assert_allclose(elliptical.velocity(w, cov1, cov0, "student:5", labels), -np.asarray(gradient), rtol=1e-10)


def test_a_mode_of_the_steady_amplitude_is_at_rest():
    n, k = 6, 1
    cov1, cov0 = circulant(ring_correlation(n, 1.0)), circulant(ring_correlation(n, 2.0))
    amplitude = elliptical.steady_amplitude(ring_spectrum(n, 1.0)[k], ring_spectrum(n, 2.0)[k], "laplace", n)
    w = amplitude * fourier_basis(n)[:, 1:3] @ [0.6, 0.8]
    np.testing.assert_allclose(elliptical.velocity(w, cov1, cov0, "laplace"), np.zeros(n), atol=1e-15)


def test_errors():
    with pytest.raises(ValueError, match=r"Unknown radial law 'studnet': did you mean 'student'\?"):
        elliptical.constant("studnet:5", 4)
    with pytest.raises(ValueError, match="n must be a whole number of at least 1, but is 0"):
        elliptical.constant("sphere", 0)
