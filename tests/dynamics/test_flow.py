"""Flow against a linear system's exact path, another integrator and the scalar reduction of the single neuron."""

import numpy as np
import pytest
import scipy.linalg
from scipy import integrate

from gatefield import UserError, flow
from gatefield.data import Gaussian, fourier_basis, ring_spectrum
from gatefield.theory import relu


def test_linear_flow_is_the_matrix_exponential():
    rng = np.random.default_rng(0)
    A, starts = rng.normal(size=(5, 5)), rng.normal(size=(3, 2, 5))
    record = flow(lambda w: w @ A.T, starts, [0.0, 0.7, 2.0])
    expected = starts @ scipy.linalg.expm(2.0 * A).T
    np.testing.assert_allclose(record.fields.values[:, -1], expected, rtol=1e-7, atol=1e-9)
    assert record.fields.dims == ("run", "time", "unit", "position")
    assert record.fields.dtype == np.float64


def test_single_neuron_follows_its_scalar_reduction():
    """u_k(t) = u_k(0) exp(-(l0+l1)t/4 + sqrt(2/pi) l1 s/4) with ds/dt = 1/r, integrated by scipy."""
    n, t = 12, 5.0
    w0 = np.random.default_rng(1).normal(size=(1, n)) / 3
    cov1, cov0 = (Gaussian(n, xi).covariance() for xi in (2.0, 1.0))
    record = flow(lambda w: relu.velocity(w, cov1, cov0), w0, [0.0, t])
    order = (np.arange(n) + 1) // 2
    l1, l0, u0 = ring_spectrum(n, 2.0)[order], ring_spectrum(n, 1.0)[order], fourier_basis(n).T @ w0[0]

    def modes(t, s):
        return u0 * np.exp(-(l0 + l1) * t / 4 + np.sqrt(2 / np.pi) * l1 * s / 4)

    path = integrate.solve_ivp(lambda t, s: 1 / np.sqrt(np.sum(l1 * modes(t, s) ** 2)), (0, t), [0.0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(
        fourier_basis(n).T @ record.fields.values[0, -1, 0], modes(t, path.y[0, -1]), rtol=1e-7, atol=1e-10
    )


@pytest.mark.parametrize(
    ("w0", "times", "text"),
    [
        (np.ones(3), [0, 1], "w0 must have shape (K, n) or (runs, K, n), but has (3,)."),
        (np.full((1, 3), np.nan), [0, 1], "w0 must be finite, but is nan"),
        (np.ones((1, 3)), [0, 0], "times must be two or more increasing numbers"),
    ],
)
def test_bad_input_is_one_sentence(w0, times, text):
    with pytest.raises(UserError) as caught:
        flow(lambda w: -w, w0, times)
    assert text in str(caught.value)


def test_a_flow_that_explodes_says_so():
    with pytest.raises(UserError, match="left the finite numbers"):
        flow(lambda w: w**2, np.ones((1, 2)), [0.0, 5.0])
