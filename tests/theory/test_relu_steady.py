"""A single ReLU neuron on Gaussian classes: its path against an ODE solver, its rests and their stability against Jacobians."""

import json
from pathlib import Path

import jax
import numpy as np
import pytest
import scipy.linalg

from gatefield import Committee
from gatefield.core.errors import UserError
from gatefield.data import fourier_basis, line_correlation, ring_correlation, ring_spectrum
from gatefield.ledger.routes import neuron
from gatefield.ledger.routes.calculus import jacobian
from gatefield.theory import relu

VALUES = json.loads((Path(__file__).parents[1] / "reference/values.json").read_text())["values"]
REFERENCE = {entry["name"]: entry for entry in VALUES}
LAM1, LAM0 = np.array([2.2, 0.8, 0.8, 0.2]), np.array([1.45, 0.95, 0.95, 0.65])
U0 = np.array([0.3, -0.2, 0.5, 0.1])


def follow(u0, lam1, lam0, times):
    """Equation 20 of note 002 mode by mode, integrated by SciPy."""
    return neuron.follow(u0, np.diag(lam1), np.diag(lam0), np.array(times), rtol=1e-12)


def ring_modes(n, xi):
    """Variances in the order of `fourier_basis`."""
    return ring_spectrum(n, xi)[(np.arange(n) + 1) // 2]


@pytest.mark.parametrize("name", [n for n in REFERENCE if n.startswith(("relu_single_", "relu_linear_"))])
def test_reference_values(name):
    inputs, expected = REFERENCE[name]["inputs"], REFERENCE[name]["expected"]
    spectra = inputs["lambda1"], inputs["lambda0"]
    if "steady_u" in name:
        value = relu.steady_amplitude(*spectra)
    elif "steady_loss" in name:
        value = relu.steady_loss(*spectra)
    elif "trajectory" in name:
        value = relu.single_path(inputs["u0"], *spectra, inputs["t"])
    else:
        k = {"k0": 0, "cos1": 1, "sin1": 2, "nyq": 3}[inputs["k"]]
        value = np.delete(relu.growth_rates(k, *spectra), k)
    np.testing.assert_allclose(value, expected, rtol=REFERENCE[name]["rtol"], atol=1e-15)


def test_mode_velocity_is_the_velocity_of_one_unit_in_the_fourier_basis():
    basis, cov1, cov0 = fourier_basis(6), *(scipy.linalg.circulant(ring_correlation(6, xi)) for xi in (1.5, 0.7))
    u = np.random.default_rng(0).normal(size=6)
    for labels in [(1.0, 0.0), (0.3, -2.0)]:
        expected = basis.T @ relu.velocity([basis @ u], cov1, cov0, labels)[0]
        np.testing.assert_allclose(relu.mode_velocity(u, ring_modes(6, 1.5), ring_modes(6, 0.7), labels), expected, rtol=1e-11)
    np.testing.assert_allclose(
        relu.mode_velocity(U0, LAM1, LAM0), neuron.velocity(U0, np.diag(LAM1), np.diag(LAM0)), rtol=1e-13
    )


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_path_against_an_ode_solver(scale):
    times = [0.0, 0.01, 1.0, 2.0, 17.0, 60.0]
    expected = follow(scale * U0, LAM1, LAM0, times)
    np.testing.assert_allclose(relu.single_path(scale * U0, LAM1, LAM0, times), expected, rtol=2e-8, atol=1e-11)


def test_path_solves_its_equation_to_ten_digits():
    """The derivative in time, by finite differences of high order, is the velocity."""
    step, weights = 0.02, np.array([-1 / 60, 3 / 20, -3 / 4, 0, 3 / 4, -3 / 20, 1 / 60])
    for middle in (0.5, 3.0):
        path = relu.single_path(U0, LAM1, LAM0, middle + step * np.arange(-3, 4))
        np.testing.assert_allclose(weights @ path / step, relu.mode_velocity(path[3], LAM1, LAM0), atol=1e-10)


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_long_paths_end_on_the_winning_mode(scale):
    path = relu.single_path(scale * U0, LAM1, LAM0, [1e3, 1e5])
    k = int(relu.winning_mode(LAM1, LAM0))
    assert path[-1, k] == pytest.approx(relu.steady_amplitude(LAM1[k], LAM0[k]), rel=1e-10)
    assert np.all(abs(np.delete(path[-1], k)) < 1e-100)


def test_rounding_does_not_hold_up_a_path_that_has_settled():
    """From this start the path took more steps than there may be, all of them at its end, where the slope is rounding."""
    keys = jax.random.split(jax.random.split(jax.random.key(1))[0], 16)
    start = (np.asarray(Committee(40, 1, key=keys).fields, float)[:, 0] @ fourier_basis(40))[1]
    lam1, lam0 = (ring_modes(40, xi) for xi in (5.0, 2.0))
    path = relu.single_path(start, lam1, lam0, np.unique(np.append(np.geomspace(1.0, 1e6, 151), 20.0)))
    assert abs(path[-1, 0]) == pytest.approx(relu.steady_amplitude(lam1[0], lam0[0]), rel=1e-12)


def test_invariant_of_the_path():
    """|u_m|^(1/l1m) / |u_k|^(1/l1k) changes by exp(-(D_m - D_k) t/4)."""
    start, end = relu.single_path(U0, LAM1, LAM0, [0.0, 5.0])
    growth, D = np.log(abs(end / start)) / LAM1, 1 + LAM0 / LAM1
    np.testing.assert_allclose(growth - growth[0], -(D - D[0]) * 5.0 / 4, atol=1e-12)


def test_modes_that_the_start_lacks_stay_away():
    path = relu.single_path([0.0, -0.2, 0.5, 0.0], LAM1, LAM0, 300.0)
    assert path[0] == path[3] == 0
    assert np.hypot(path[1], path[2]) == pytest.approx(relu.steady_amplitude(0.8, 0.95), rel=1e-12)
    assert path[1] / path[2] == pytest.approx(-0.4, rel=1e-12)


def test_a_mode_without_variance_in_the_positive_class_decays():
    path = relu.single_path([0.3, 0.5, 0.1, 2.0], [2.2, 0.0, 0.8, 0.0], [1.45, 2.0, 0.9, 0.0], [1.0, 10.0])
    np.testing.assert_allclose(path[:, 1], 0.5 * np.exp([-0.5, -5.0]), rtol=1e-13)
    np.testing.assert_allclose(path[:, 3], 2.0, rtol=1e-13)


@pytest.mark.slow
def test_no_path_is_lost_in_float32():
    rng = np.random.default_rng(0)
    starts = rng.normal(size=(100, 4)) * 10 ** rng.uniform(-3, 1, (100, 1))
    lam1, lam0 = rng.uniform(0.1, 3, (2, 100, 4))
    times = np.geomspace(1e-3, 1e3, 8)
    paths = jax.jit(jax.vmap(lambda u, a, b: relu.single_path(u, a, b, times)))(starts, lam1, lam0)
    for one, path in zip(zip(starts, lam1, lam0, strict=True), paths, strict=True):
        exact = relu.single_path(*one, times)
        np.testing.assert_allclose(path, exact, atol=2e-4 * np.abs(exact).max())


@pytest.mark.slow
def test_path_under_jit_and_vmap_in_float32():
    starts = np.stack([U0, 2 * U0[::-1]])
    paths = jax.jit(jax.vmap(lambda u: relu.single_path(u, LAM1, LAM0, 3.0)))(starts)
    assert paths.dtype == np.float32
    for start, path in zip(starts, paths, strict=True):
        np.testing.assert_allclose(path, relu.single_path(start, LAM1, LAM0, 3.0), rtol=1e-4)


@pytest.mark.slow
def test_gradient_of_the_path():
    with jax.enable_x64(True):
        gradients = [jax.jit(mode(lambda u: relu.single_path(u, LAM1, LAM0, 3.0)[1]))(U0) for mode in (jax.grad, jax.jacfwd)]
    expected = jacobian(lambda u: relu.single_path(u, LAM1, LAM0, 3.0), U0, step=1e-4)[1]
    for gradient in gradients:
        np.testing.assert_allclose(gradient, expected, atol=1e-8)


def test_rests_have_no_velocity_and_the_stated_loss():
    for k in (0, 1, 3):
        u = relu.steady_amplitude(LAM1, LAM0)[k] * np.eye(4)[k]
        np.testing.assert_allclose(relu.mode_velocity(u, LAM1, LAM0), 0, atol=1e-16)
        assert relu.loss([u], np.diag(LAM1), np.diag(LAM0)) == pytest.approx(relu.steady_loss(LAM1, LAM0)[k], rel=1e-13)
    circle = relu.steady_amplitude(0.8, 0.95) * np.array([0, np.cos(0.7), np.sin(0.7), 0])
    np.testing.assert_allclose(relu.mode_velocity(circle, LAM1, LAM0), 0, atol=1e-16)


def test_one_variance_stands_for_all_modes():
    """At rest D sqrt(l1) u = sqrt(2/pi) in each mode."""
    others = np.array([1.45, 0.5])
    amplitude = relu.steady_amplitude(LAM1[:, None], others)
    np.testing.assert_allclose((LAM1[:, None] + others) / np.sqrt(LAM1[:, None]) * amplitude, np.sqrt(2 / np.pi), rtol=1e-14)
    np.testing.assert_allclose(relu.steady_amplitude(2.2, LAM0)[0], np.sqrt(2 / np.pi * 2.2) / 3.65, rtol=1e-14)
    np.testing.assert_allclose(relu.steady_loss(LAM1, 1.45)[0], 0.25 - 2.2 / (3.65 * 4 * np.pi), rtol=1e-14)


def test_growth_rates_are_those_of_the_jacobian():
    for k in range(4):
        u = relu.steady_amplitude(LAM1, LAM0)[k] * np.eye(4)[k]
        rates = jacobian(lambda u: neuron.velocity(u, np.diag(LAM1), np.diag(LAM0)), u)
        np.testing.assert_allclose(rates, np.diag(relu.growth_rates(k, LAM1, LAM0)), atol=1e-9)
    every = jax.vmap(relu.growth_rates, in_axes=(0, None, None))(np.arange(4), LAM1, LAM0)
    np.testing.assert_allclose(every[2], relu.growth_rates(2, LAM1, LAM0), atol=1e-6)


def test_number_of_unstable_directions_on_a_ring():
    n, lam1, lam0 = 40, ring_modes(40, 2.0), ring_modes(40, 1.0)
    cov1, cov0 = (scipy.linalg.circulant(ring_correlation(n, xi)) for xi in (2.0, 1.0))
    for frequency, unstable in [(0, 0), (1, 1), (2, 3), (20, 39)]:
        column = max(2 * frequency - 1, 0)
        w = relu.steady_amplitude(lam1[column], lam0[column]) * fourier_basis(n)[:, column]
        matrix = jacobian(lambda w: neuron.velocity(w, cov1, cov0), w)
        assert np.sum(np.linalg.eigvalsh((matrix + matrix.T) / 2) > 1e-8) == unstable
        assert np.sum(relu.growth_rates(column, lam1, lam0) > 1e-12) == unstable


def test_winning_mode_on_rings():
    for xi1, xi0, k in [
        (2.0, 1.0, 0),
        (3.0, 1.0, 0),
        (1.0, 0.5, 0),
        (0.5, 1.0, 20),
        (5.0, 2.0, 0),
        (10.0, 5.0, 0),
        (1.0, 2.0, 20),
    ]:
        assert relu.winning_mode(ring_spectrum(40, xi1), ring_spectrum(40, xi0)) == k


def test_generalised_modes_of_a_ring_are_its_fourier_modes():
    D, modes = relu.generalised_modes(*(scipy.linalg.circulant(ring_correlation(8, xi)) for xi in (1.5, 0.8)))
    lam1, lam0 = ring_modes(8, 1.5), ring_modes(8, 0.8)
    np.testing.assert_allclose(D, np.sort(1 + lam0 / lam1), rtol=1e-10)
    assert abs(modes[:, 0] @ fourier_basis(8)[:, 0]) == pytest.approx(np.linalg.norm(modes[:, 0]), rel=1e-12)


def test_generalised_modes_are_the_rests_on_a_line():
    cov1, cov0 = line_correlation(7, 2.0), line_correlation(7, 1.0)
    D, modes = relu.generalised_modes(cov1, cov0)
    np.testing.assert_allclose(D, 1 + scipy.linalg.eigh(cov0, cov1, eigvals_only=True), rtol=1e-8)
    np.testing.assert_allclose(cov0 @ modes, cov1 @ modes * (D - 1), atol=1e-9)
    for k, (ratio, mode) in enumerate(zip(D, modes.T, strict=True)):
        w = np.sqrt(2 / (np.pi * ratio)) * mode
        np.testing.assert_allclose(neuron.velocity(w, cov1, cov0), 0, atol=1e-10)
        assert relu.loss([w], cov1, cov0) == pytest.approx(0.25 - 1 / (4 * np.pi * ratio), rel=1e-12)
        matrix = jacobian(lambda w: neuron.velocity(w, cov1, cov0), w, step=1e-5 * np.linalg.norm(w))
        assert np.sum(np.linalg.eigvalsh((matrix + matrix.T) / 2) > 1e-9) == k


def test_generalised_modes_where_the_positive_class_is_singular():
    D, modes = relu.generalised_modes(np.diag([1.0, 0.0]), np.diag([3.0, 1.0]))
    np.testing.assert_allclose(D, [4.0, np.inf])
    np.testing.assert_allclose(abs(modes), np.diag([0.5, 1.0]), atol=1e-15)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: relu.single_path(0 * U0, LAM1, LAM0, 1.0), "its gate has no direction"),
        (lambda: relu.single_path(U0[:2], LAM1, LAM0, 1.0), r"modes of shape \(2,\)"),
        (lambda: relu.single_path(U0, LAM1, LAM0, [2.0, 1.0]), "times must increase"),
        (lambda: relu.single_path(U0, LAM1, LAM0, -1.0), "times must be zero or more"),
        (lambda: relu.single_path(U0, LAM1, LAM0, np.ones((2, 2))), r"shape \(2, 2\)"),
        (lambda: relu.mode_velocity(0 * U0, LAM1, LAM0), "its gate has no direction"),
        (lambda: relu.growth_rates(4, LAM1, LAM0), "one of the 4 modes"),
        (lambda: relu.growth_rates(0, [0.0, 1.0], [1.0, 1.0]), "Mode 0 has no variance in the positive class"),
        (lambda: relu.winning_mode(LAM1, -LAM0), "lam0 must be finite, and zero or more"),
        (lambda: relu.steady_amplitude(LAM1, LAM0[:2]), "must have one shape"),
        (lambda: relu.generalised_modes(np.diag([1.0, 0.0]), np.diag([1.0, 0.0])), "positive definite"),
        (lambda: relu.generalised_modes(np.eye(2), np.eye(3)), "square and alike"),
    ],
)
def test_wrong_arguments(call, text):
    with pytest.raises(UserError, match=text):
        call()
