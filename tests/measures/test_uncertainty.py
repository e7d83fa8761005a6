"""Uncertainty measures against direct sums, other algorithms, optimisation and values known by hand."""

import json
from pathlib import Path

import jax
import numpy as np
import pytest
import scipy.signal
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gatefield import UserError, measures
from gatefield.ledger.routes.uncertainty import largest_sum

REFERENCE = json.loads((Path(__file__).parent.parent / "reference" / "values.json").read_text())["values"]
FIELDS = arrays(np.float64, (2, 10), elements=st.floats(-10, 10)).filter(lambda w: np.abs(w[0]).max() > 1e-3)


def reference(name):
    return next(value["expected"] for value in REFERENCE if value["name"] == name)


def resultants(w):
    """U and the complex V, from their definitions."""
    n = len(w)
    turn = np.exp(2j * np.pi * np.arange(n) / n)
    dft = np.exp(-2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n)
    p, q = np.abs(w) ** 2, np.abs(dft @ w) ** 2
    return abs(p @ turn) / p.sum(), (q @ turn) / q.sum()


def harper(n, alpha):
    """The Harper matrix with its second term made in frequency space."""
    cosine = np.cos(2 * np.pi * np.arange(n) / n)
    dft = np.exp(-2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n) / np.sqrt(n)
    return alpha * np.diag(cosine) + (1 - alpha) * dft.conj().T @ np.diag(cosine) @ dft


def test_reference_values():
    d = np.arange(40) - 20
    w = np.exp(-(d**2) / 8) * np.cos(2 * np.pi * 8 * d / 40)
    found = [measures.position_resultant(w), measures.frequency_resultant(w)]
    np.testing.assert_allclose(found, reference("UV_gabor_n40"), rtol=1e-9)
    comb = (np.arange(40) % 8 == 0).astype(float)
    np.testing.assert_allclose(measures.entropies(comb), reference("entropies_comb_n40_d8"), rtol=1e-9)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(FIELDS, st.floats(0, 1))
def test_resultants_and_the_harper_bound(parts, alpha):
    real, both = parts[0], parts[0] + 1j * parts[1]
    for w, signed in ((real, True), (both, False)):
        U, V = resultants(w)
        V = V.real if signed else abs(V)
        assert measures.frequency_resultant(w) == pytest.approx(V, abs=1e-12)
        bound = np.linalg.eigvalsh(harper(10, alpha))[-1]
        slack = measures.harper_slack(w, alpha)
        assert slack == pytest.approx(bound - alpha * U - (1 - alpha) * V, abs=1e-12)
        assert slack >= -1e-12


@pytest.mark.parametrize("n", [1, 2, 9])
def test_the_top_eigenvector_has_no_slack(n):
    for alpha in (0.3, 0.5, 0.9):
        values, vectors = np.linalg.eigh(harper(n, alpha))
        assert measures.harper_bound(n, alpha) == pytest.approx(values[-1], abs=1e-12)
        top = vectors[:, -1] * np.exp(-1j * np.angle(vectors[np.abs(vectors[:, -1]).argmax(), -1]))
        np.testing.assert_allclose(top.imag, 0, atol=1e-9)
        assert measures.harper_slack(top.real, alpha) == pytest.approx(0, abs=1e-10)


def test_no_complex_field_beats_the_bound():
    assert measures.harper_bound(5, 0.6) == pytest.approx(largest_sum(5, 0.6, starts=6), abs=1e-6)


def test_known_slacks():
    bump, wave = measures.gabor(40, 20.0, 2.5), measures.gabor(40, 20.0, 2.5, 8.0)
    assert measures.harper_slack(bump) == pytest.approx(1e-5, abs=5e-6)
    assert measures.harper_slack(wave) > 0.3
    assert measures.harper_slack(measures.analytic_signal(wave)) == pytest.approx(1e-5, abs=5e-6)


@pytest.mark.parametrize("n", [9, 10])
def test_analytic_signal_is_scipys(n):
    w = np.random.default_rng(n).normal(size=(3, n))
    np.testing.assert_allclose(measures.analytic_signal(w), scipy.signal.hilbert(w, axis=-1), atol=1e-12)


def test_spreads_from_their_definition():
    w = np.exp(-0.3 * (np.arange(15) - 7) ** 2) + 0.1
    U, V = resultants(w)
    found = measures.spreads(w)
    np.testing.assert_allclose(found, [15 / 2 / np.pi * np.sqrt(1 / x**2 - 1) for x in (U, V.real)], rtol=1e-10)
    q = np.abs(np.fft.rfft(w)) ** 2
    q[1:] *= 2
    k = np.arange(8)
    mean = q @ k / q.sum()
    assert measures.spreads(w, one_sided=True)[1] == pytest.approx(np.sqrt(q @ (k - mean) ** 2 / q.sum()), rel=1e-10)


@pytest.mark.parametrize(("carrier", "product"), [(0.0, 0.5), (3.0, 2.1769)])
def test_product_of_spreads_on_the_line(carrier, product):
    n, s = 40_000, 200.0
    x, k = measures.spreads(measures.gabor(n, n / 2, s, carrier * n / (2 * np.pi * s)))
    assert 2 * np.pi / n * x * k == pytest.approx(product, rel=1e-3)


def test_the_least_one_sided_product_is_attained():
    """By the lowest state of -d^2/dk^2 + (k - xi)^2 with zero slope at 0, continued evenly to negative frequencies."""
    n, h, xi = 4096, 0.05, np.sqrt(2 * measures.ONE_SIDED_BOUND)
    k = h * np.arange(200)
    kinetic = 2 * np.eye(200) - np.eye(200, k=1) - np.eye(200, k=-1)
    kinetic[0, 1] = -2
    values, states = np.linalg.eig(kinetic / h**2 + np.diag((k - xi) ** 2))
    assert values.real.min() / 2 == pytest.approx(measures.ONE_SIDED_BOUND, rel=1e-3)
    spectrum = np.zeros(n // 2 + 1)
    spectrum[:200] = states[:, values.real.argmin()].real
    x, spread = measures.spreads(np.fft.irfft(spectrum), one_sided=True)
    assert 2 * np.pi / n * x * spread == pytest.approx(measures.ONE_SIDED_BOUND, rel=2e-3)


def test_single_sites_and_flat_fields():
    site, flat = np.eye(8)[3], np.ones(8)
    assert measures.spreads(site)[0] == pytest.approx(0, abs=1e-6)
    assert measures.spreads(flat)[1] == pytest.approx(0, abs=1e-6)
    assert measures.frequency_resultant(flat) == pytest.approx(1)
    assert measures.frequency_resultant((-1.0) ** np.arange(8)) == pytest.approx(-1)
    assert measures.harper_slack(1e-200 * flat) == pytest.approx(float(measures.harper_slack(flat)))
    assert np.isnan(measures.harper_slack(np.zeros(8)))
    assert np.isnan(measures.harper_slack(np.zeros(8) + 0j))
    assert np.isnan(measures.spreads(np.zeros(8))).all()


@pytest.mark.parametrize("field", [np.eye(8)[3], np.ones(8), np.eye(8)[0] + np.eye(8)[4], np.cos(np.pi * np.arange(8) / 2)])
def test_derivatives_are_finite(field):
    for function in (measures.harper_slack, lambda w: measures.harper_slack(measures.analytic_signal(w))):
        assert np.isfinite(jax.grad(function)(field)).all()


def test_stacks_and_transformations():
    w = np.random.default_rng(0).normal(size=(2, 3, 10))
    slack = measures.harper_slack(w)
    assert slack.shape == (2, 3)
    np.testing.assert_allclose(jax.vmap(jax.vmap(measures.harper_slack))(w), slack, atol=1e-5)
    np.testing.assert_allclose(jax.jit(measures.harper_slack)(w), slack, atol=1e-5)
    np.testing.assert_allclose(
        measures.harper_slack(w, np.array([0.2, 0.5, 1.0]))[1, 0], measures.harper_slack(w[1, 0], 0.2), atol=1e-12
    )


def test_alpha_is_a_share():
    with pytest.raises(UserError, match=r"alpha must be between 0 and 1, but is 1\.5"):
        measures.harper_slack(np.ones(4), 1.5)
