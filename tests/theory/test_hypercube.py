"""Laws, orthants and drifts on the cube: reference values, laws by quadrature over factors, symmetries, sampling, errors."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

from gatefield.data import Hypercube, NonlinearGP, line_correlation, ring_correlation
from gatefield.ledger.routes.gaussian import panels
from gatefield.theory import drift, hypercube, neuron, nlgp
from gatefield.theory import drift as any_drift

VALUES = {v["name"]: v for v in json.loads((Path(__file__).parents[1] / "reference/values.json").read_text())["values"]}
LOADS = np.array([[0.8, 0.3], [0.1, -0.9], [0.5, 0.5], [-0.6, 0.2], [0.3, 0.7], [0.7, -0.5], [0.2, 0.1], [-0.4, 0.6]])
FIELD = np.array([0.9, -0.37, 0.21, 1.3, -0.55, 0.4, 0.83, -1.07])
KEY = jax.random.key(0)


def two_factors(n):
    """A correlation with two factors, and the law of its signs by quadrature over both, corners in the package's order."""
    loads = LOADS[:n]
    own = np.sqrt(1 - (loads**2).sum(1))
    z, weight = np.polynomial.hermite_e.hermegauss(90)
    t = np.stack(np.meshgrid(z, z), -1).reshape(-1, 2)
    odds = ndtr(t @ (loads / own[:, None]).T)
    chances = np.outer(weight, weight).ravel() / (2 * np.pi)
    signs = np.array([[1 - 2 * (k >> i & 1) for i in range(n)] for k in range(2**n)])
    law = np.array([chances @ np.where(x > 0, odds, 1 - odds).prod(1) for x in signs])
    return loads @ loads.T + np.diag(own**2), signs, law


def ring(n, xi):
    return np.array([np.roll(ring_correlation(n, xi), k) for k in range(n)])


def reference(name):
    value = VALUES[name]
    return value["inputs"], value["expected"], value["atol"]


def slow_if(value, condition):
    return pytest.param(value, marks=pytest.mark.slow) if condition else value


@pytest.mark.parametrize("name", [slow_if(n, not n.startswith("sign_m4")) for n in VALUES if n.startswith("sign_m")])
def test_reference_moments(name):
    inputs, expected, atol = reference(name)
    places = inputs.get("idx", list(range(inputs["n"])))
    corr = line_correlation(inputs["n"], inputs["xi"])[np.ix_(places, places)]
    assert float(hypercube.sign_moment(corr)) == pytest.approx(expected, abs=atol)


@pytest.mark.parametrize("name", [slow_if("f_three_bumps_majority", True), "f_general_n5", "eq20_true_f"])
def test_reference_drifts(name):
    inputs, expected, atol = reference(name)
    value = hypercube.drift(inputs["w"], line_correlation(inputs["n"], inputs["xi"]))
    np.testing.assert_allclose(value, expected, atol=atol)


def test_reference_velocity():
    inputs, expected, atol = reference("flow_velocity_eq4")
    corr1, corr0 = (line_correlation(5, inputs[xi]) for xi in ("xi1", "xi0"))
    covs = nlgp.covariance(corr1, np.inf), nlgp.covariance(corr0, np.inf)
    value = neuron.velocity(inputs["w"], lambda w: hypercube.drift(w, corr1), *covs)
    np.testing.assert_allclose(value, expected, atol=atol)


@pytest.mark.parametrize("n", [4, 5, pytest.param(8, marks=pytest.mark.slow)])
def test_law_and_drift_against_quadrature_over_factors(n):
    corr, signs, law = two_factors(n)
    np.testing.assert_allclose(hypercube.pattern_law(corr), law, atol=1e-9)
    for w in (FIELD[:n], np.ones(n), np.arange(1.0, n + 1)):
        expected = (law * (0.5 + 0.5 * np.sign((signs @ w).round(9)))) @ signs
        np.testing.assert_allclose(hypercube.drift(w, corr), expected, atol=1e-8)


def test_singular_correlations():
    """Signs of cos(u - a_i) with u uniform: a pattern is an arc of the circle. And signs that always agree or differ."""
    angles = np.array([0.0, 0.3, 1.1, 2.0, 2.6])
    edges = np.sort(np.concatenate([angles + np.pi / 2, angles - np.pi / 2]) % (2 * np.pi))
    lengths = np.diff(np.append(edges, edges[0] + 2 * np.pi))
    signs = np.sign(np.cos((edges + lengths / 2)[:, None] - angles))
    expected = (lengths / (2 * np.pi) * (signs @ FIELD[:5] > 0)) @ signs
    estimate = hypercube.drift(FIELD[:5], np.cos(angles[:, None] - angles), with_error=True)
    assert (abs(estimate.value - expected) <= estimate.error + 1e-12).all()
    assert estimate.error.max() < 1e-8
    opposite = np.array([1, 1, -1, 1, -1])
    value = hypercube.drift(FIELD[:5], np.outer(opposite, opposite))
    np.testing.assert_allclose(value, 0.5 * np.sign(FIELD[:5] @ opposite) * opposite, atol=1e-14)


def equal_moment(k, r):
    """E of the k-th power of the mean sign given the common factor, by quadrature in panels."""
    t, weight = panels(np.append(0, np.geomspace(1e-4, 12, 60)))
    return float(2 * stats.norm.pdf(t) * weight @ (2 * ndtr(t * np.sqrt(r / (1 - r))) - 1) ** k)


def test_moments_near_singular_correlations():
    for r in (0.9, 0.99, 0.999, 0.9999):
        moment = hypercube.sign_moment(r + (1 - r) * np.eye(4), with_error=True)
        assert abs(moment.value - equal_moment(4, r)) <= moment.error < 1e-9
    signs = np.array([1, -1, 1, 1, 1, -1, -1, 1])
    for k in (2, 4, 6, 8):
        assert float(hypercube.sign_moment(np.outer(signs, signs)[:k, :k])) == signs[:k].prod()
    doubled = np.kron(np.array([[1.0, 0.5], [0.5, 1.0]]), np.ones((3, 3)))
    assert float(hypercube.sign_moment(doubled)) == pytest.approx(1 / 3, abs=1e-13)  # that of one pair


def test_orthants_near_singular_correlations_keep_their_bounds():
    r, estimate = 0.99, hypercube.orthant(0.99 + 0.01 * np.eye(4), np.ones(4), with_error=True)
    expected = (1 + 6 * equal_moment(2, r) + equal_moment(4, r)) / 16
    assert abs(estimate.value - expected) <= estimate.error < 1e-11


def test_traced_errors_that_are_not_known_are_nan():
    estimate = jax.jit(lambda corr: hypercube.sign_moment(corr, with_error=True))(np.eye(2))
    assert (np.isnan(estimate.error), np.isfinite(estimate.value)) == (True, True)
    assert jax.eval_shape(lambda corr: hypercube.orthant(corr, np.ones(4), with_error=True), np.eye(4)).method == "sampled"


@pytest.mark.slow
def test_small_orthants_keep_their_relative_accuracy_when_traced():
    """A probability of order 1e-9, in float32."""
    site = np.arange(8)
    corr, pattern = np.exp(-(np.subtract.outer(site, site) ** 2) / 4), np.tile([1, -1], 4)
    estimate = jax.jit(lambda corr: hypercube.orthant(corr, pattern, with_error=True))(corr)
    assert estimate.method == "sampled"
    assert abs(estimate.value - 5.58103e-09) < 5 * estimate.error < 2e-11
    assert abs(hypercube.orthant(corr, pattern) - 5.58103e-09) < 1e-13


def test_orthants_of_three_sites():
    half = (1 + np.eye(3)) / 2
    assert float(hypercube.orthant(half, [1, 1, 1])) == pytest.approx(1 / 4, abs=1e-15)
    assert float(hypercube.orthant(half, [1, -1, 1])) == pytest.approx(1 / 12, abs=1e-15)


@pytest.mark.slow
def test_orthants_state_their_errors():
    n = 10
    half = (1 + np.eye(n)) / 2
    estimates = [
        hypercube.orthant(half, np.ones(n), key=jax.random.key(seed), points=512, with_error=True) for seed in range(12)
    ]
    scores = [float((e.value - 1 / (n + 1)) / e.error) for e in estimates]
    assert estimates[0].method == "sampled"
    assert np.max(np.abs(scores)) < 5
    assert 0.6 < np.sqrt(np.mean(np.square(scores))) < 1.6
    assert max(float(e.error) for e in estimates) * (n + 1) < 3e-3


@pytest.mark.slow
def test_small_orthants_keep_their_relative_accuracy():
    """Alternating signs of equal correlations: an integral over the common factor."""
    t = np.linspace(-3, 3, 2001)
    corr, pattern = 0.1 * np.eye(10) + 0.9, np.where(np.arange(10) % 2, 1, -1)
    expected = np.trapezoid((ndtr(3 * t) * ndtr(-3 * t)) ** 5 * stats.norm.pdf(t), t)
    estimate = hypercube.orthant(corr, pattern, points=512, with_error=True)
    assert expected < 1e-3
    assert abs(estimate.value - expected) < 5 * estimate.error < 0.02 * expected


@pytest.mark.parametrize("method", ["recursion", pytest.param("sampled", marks=pytest.mark.slow)])
def test_orthants_in_batches_and_their_slopes(method):
    """The derivative in a correlation is the density of that pair at zero times the orthant of the others given it."""
    half = jnp.asarray((1 + np.eye(4)) / 2)

    def chance(rho, pattern):
        estimate = hypercube.orthant(half.at[0, 1].set(rho).at[1, 0].set(rho), pattern, method=method, with_error=True)
        return estimate.value, estimate.error

    patterns = jnp.array([[1.0, 1, 1, 1], [-1, -1, 1, 1], [-1, 1, 1, 1]])
    (values, errors), slopes = jax.jit(jax.vmap(jax.value_and_grad(chance, has_aux=True), in_axes=(None, 0)))(0.5, patterns)
    assert (np.isnan(errors) == (method == "recursion")).all()
    others = 1 / 4 + 1 / (2 * np.pi) * np.arcsin(0.25)  # two sites of correlation 1/4
    slope = others / (2 * np.pi * np.sqrt(0.75))
    np.testing.assert_allclose(slopes, [slope, slope, -slope], rtol=3e-3)
    np.testing.assert_allclose(values, [1 / 5, 1 / 30, 1 / 20], rtol=1e-3)  # 1/5 over the ways to choose such signs


def test_scipy_agrees():
    corr, pattern = ring(5, 1.2), np.array([1, -1, -1, 1, 1])
    signed = corr * np.outer(pattern, pattern)
    expected = stats.multivariate_normal(cov=signed, seed=0).cdf(np.zeros(5))  # pyright: ignore[reportArgumentType]
    assert float(hypercube.orthant(corr, pattern)) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_scale_sign_shift_and_monotonicity(seed):
    w, v = np.random.default_rng(seed).normal(size=(2, 5))
    corr = ring(5, 1.2)
    value, other = hypercube.drift(w, corr), hypercube.drift(v, corr)
    np.testing.assert_allclose(hypercube.drift(7.3 * w, corr), value, atol=1e-15)
    np.testing.assert_allclose(hypercube.drift(-w, corr), -value, atol=1e-15)
    np.testing.assert_allclose(hypercube.drift(np.roll(w, 2), corr), np.roll(value, 2), atol=1e-13)
    assert (value - other) @ (w - v) >= -1e-12
    assert abs(w @ value) <= 0.5 * np.sqrt(w @ nlgp.covariance(corr, np.inf) @ w) + 1e-12


def test_symmetry_of_the_law():
    """If Ax has the law of x, then f(A'w) = A^-1 f(w); on the cube A permutes and turns signs."""
    corr, w = ring(5, 1.2), FIELD[:5]
    a = -np.eye(5)[::-1]
    np.testing.assert_allclose(hypercube.drift(a.T @ w, corr), np.linalg.solve(a, hypercube.drift(w, corr)), atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("gain", [1.0, 10.0])
def test_slopes_at_smooth_gains(gain):
    """Two sites: symmetric, no negative eigenvalue, and the field in the null space."""
    w, step = np.array([1.0, 0.6]), 1e-5
    slope = np.array(
        [(nlgp.pair_drift(w + d, 0.5, gain) - nlgp.pair_drift(w - d, 0.5, gain)) / (2 * step) for d in step * np.eye(2)]
    )
    assert slope[0, 1] == pytest.approx(slope[1, 0], abs=1e-6)
    assert np.linalg.eigvalsh((slope + slope.T) / 2)[0] > -1e-6
    np.testing.assert_allclose(slope @ w, 0, atol=1e-6)


def test_sinusoids():
    """Many corners are ties of a sinusoid; rounding must not decide them, so that f moves with the field."""
    wave = np.cos(2 * np.pi * np.arange(5) / 5)
    np.testing.assert_allclose(
        hypercube.drift(np.roll(wave, 1), ring(5, 1.2)), np.roll(hypercube.drift(wave, ring(5, 1.2)), 1), atol=1e-13
    )


@pytest.mark.slow
def test_sampled_sinusoids():
    n = 16
    wave, corr = np.cos(2 * np.pi * np.arange(n) / 4), ring(n, 1.5)
    estimate, moved = (
        hypercube.drift(w, corr, key=jax.random.key(k), samples=50_000, with_error=True)
        for k, w in enumerate((wave, np.roll(wave, 1)))
    )
    assert estimate.method == "sampled"
    assert (abs(moved.value - np.roll(estimate.value, 1)) < 5 * np.hypot(moved.error, np.roll(estimate.error, 1)) + 1e-9).all()
    assert abs(estimate.value[1::2]).max() < 5 * estimate.error.max() + 1e-9


@pytest.mark.wrong_types
def test_a_key_scrambles_the_points_of_an_orthant():
    half = (1 + np.eye(9)) / 2
    found = [
        float(hypercube.orthant(half, np.ones(9), key=key, points=64)) for key in (None, None, KEY, KEY, jax.random.key(1))
    ]
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert len(set(found)) == 3
    np.testing.assert_allclose(found, 0.1, rtol=0.05)
    with pytest.raises(ValueError, match="key must be a JAX PRNG key, but is 3"):
        hypercube.orthant(half, np.ones(9), key=3)


def test_many_fields_at_once_on_the_cube():
    corr, fields = ring(5, 1.2), np.random.default_rng(0).normal(size=(3, 5))
    for how in ({"method": "exact"}, {"method": "sampled", "key": KEY, "samples": 4096}):
        found = hypercube.drift(fields, corr, **how, with_error=True)
        singles = [hypercube.drift(w, corr, **how, with_error=True) for w in fields]
        np.testing.assert_allclose(found.value, [one.value for one in singles], atol=1e-14)
        np.testing.assert_allclose(found.error, [one.error for one in singles], atol=1e-14)


def test_exact_and_sampled_agree():
    corr = ring(5, 1.2)
    estimate = hypercube.drift(FIELD[:5], corr, method="sampled", key=KEY, samples=50_000, with_error=True)
    assert (abs(estimate.value - hypercube.drift(FIELD[:5], corr)) < 5 * estimate.error + 1e-9).all()


def test_sources_on_the_cube_use_the_law():
    w = FIELD[:5]
    cube, infinite = (
        drift(source, w, with_error=True) for source in (Hypercube(5, [0.8, 1.2]), NonlinearGP(5, [0.8, 1.2], np.inf))
    )
    expected = [hypercube.drift(w, ring(5, xi)) for xi in (0.8, 1.2)]
    assert cube.method == infinite.method == "exact"
    assert 0 < cube.error.max() < 1e-10
    np.testing.assert_allclose(cube.value, expected, atol=1e-13)
    np.testing.assert_allclose(infinite.value, expected, atol=1e-13)
    np.testing.assert_allclose(jax.jit(lambda w: any_drift(Hypercube(5, 1.2), w))(w), expected[1], atol=1e-6)


@pytest.mark.wrong_types
def test_errors():
    corr = np.eye(3)
    with pytest.raises(ValueError, match=r"^corr must be a correlation matrix \(n, n\), but has shape \(3,\)"):
        hypercube.sign_moment(np.ones(3))
    with pytest.raises(ValueError, match=r"^corr must have ones on its diagonal, but has 2"):
        hypercube.orthant(2 * corr, np.ones(3))
    with pytest.raises(ValueError, match=r"^corr must have no negative eigenvalue, but has -0.9"):
        hypercube.drift(np.ones(2), np.array([[1.0, 1.9], [1.9, 1.0]]))
    with pytest.raises(ValueError, match=r"^pattern must be 1 or -1 at each site, but is 0"):
        hypercube.orthant(corr, [1, 0, 1])
    with pytest.raises(ValueError, match=r"^points must be a power of 2, but is 1000; give 1024"):
        hypercube.orthant(corr, np.ones(3), points=1000)
    with pytest.raises(ValueError, match=r"^The method 'closed' reaches 3 sites, but corr has 4; use 'sampled'"):
        hypercube.orthant(np.eye(4), np.ones(4), method="closed")
    with pytest.raises(ValueError, match=r"^The drift of 13 signs is sampled; give a key"):
        hypercube.drift(np.ones(13), np.eye(13))
    with pytest.raises(ValueError, match=r"^w must have one entry for each of the 3 sites, but has shape \(2,\)"):
        hypercube.drift(np.ones(2), corr)
    with pytest.raises(ValueError, match=r"^Unknown method 'exat': did you mean 'exact'\?"):
        hypercube.drift(np.ones(3), corr, method="exat")
    with pytest.raises(ValueError, match=r"^corr must be an array of real numbers, but its rows differ in length"):
        hypercube.orthant([[1.0, 0.0], [0.0]], [1, 1])  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match=r"^corr must be an array of real numbers, but has type complex128"):
        hypercube.sign_moment(np.eye(2) + 0j)
