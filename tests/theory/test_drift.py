"""The drift of any source: its methods against each other, against enumeration and sampling; symmetries; errors."""

import json
from pathlib import Path

import jax
import numpy as np
import pytest
from scipy.special import erf

from gatefield.data import (
    Elliptical,
    Gaussian,
    GaussianClone,
    Hypercube,
    Ising,
    Marginal,
    NonlinearGP,
    SinglePulse,
    line_correlation,
    ring_correlation,
)
from gatefield.ledger.routes import cube, rings
from gatefield.theory import drift, nlgp

VALUES = {v["name"]: v for v in json.loads((Path(__file__).parents[1] / "reference/values.json").read_text())["values"]}
KEY = jax.random.key(0)
W = np.array([0.9, -0.37, 0.21, 1.3, -0.55, 0.4])
BUMP = np.eye(6)[2] * -0.7

AGREE = {
    "gaussian": (Gaussian(6, 1.5), W, "closed"),
    "student": (Elliptical(6, 1.5, "student:5"), W, "closed"),
    "clone-with-mean": (GaussianClone(SinglePulse(6, (1, 3))), W, "closed"),
    "nlgp-one-site": (NonlinearGP(6, 1.5, 3.0), BUMP, "closed"),
    "cube-one-site-leads": (Hypercube(6, 1.5), np.array([1.0, -5.0, 1.0, 0.5, 1.0, 1.0]), "closed"),
    "ising": (Ising(6, 0.6), W, "exact"),
    "ising-with-ties": (Ising(6, -0.6), np.array([1.0, 1.0, 1.0, -1.0, 1.0, 1.0]), "exact"),
    "pulse": (SinglePulse(6, (1, 3)), W, "exact"),
}


def sampled(source, w, key=KEY):
    """One size for all, so that each kind of source is compiled once."""
    return drift(source, w, method="sampled", key=key, samples=60_000, with_error=True)


@pytest.mark.parametrize("case", AGREE, ids=list(AGREE))
def test_sampling_agrees_with_what_auto_chooses(case):
    source, w, method = AGREE[case]
    best, estimate = drift(source, w, with_error=True), sampled(source, w)
    assert (best.method, estimate.method) == (method, "sampled")
    assert best.value.dtype == estimate.value.dtype == np.float64
    assert (best.error == 0).all()
    assert (abs(best.value - estimate.value) < 5 * estimate.error + 1e-7).all()
    assert (estimate.error < 0.005).all()


def samples_of_the_squashed_field(squash):
    """200000 samples on the ring of 6 sites with xi = 1.5, without the package's sampler."""
    root = np.linalg.cholesky([np.roll(ring_correlation(6, 1.5), k) for k in range(6)])
    return squash(np.random.default_rng(7).normal(size=(200_000, 6)) @ root.T)


@pytest.mark.parametrize(
    ("source", "squash"),
    [
        (NonlinearGP(6, 1.5, 3.0), lambda z: erf(3 * z) / nlgp.variance(3.0) ** 0.5),
        (Marginal(6, 1.5, "uniform"), lambda z: np.sqrt(3) * erf(z / np.sqrt(2))),
    ],
    ids=["nlgp", "marginal"],
)
def test_sampling_agrees_with_plain_averages(source, squash):
    estimate = drift(source, W, key=KEY, samples=60_000, with_error=True)
    assert estimate.method == "sampled"
    x = samples_of_the_squashed_field(squash)
    opened = (x @ W > 0)[:, None] * x
    error = np.hypot(estimate.error, opened.std(0) / np.sqrt(len(x)))
    assert (abs(estimate.value - opened.mean(0)) < 5 * error).all()


@pytest.mark.parametrize(
    ("case", "squash"), [("gaussian", lambda z: z), ("nlgp-one-site", lambda z: erf(3 * z) / nlgp.variance(3.0) ** 0.5)]
)
def test_control_variate_lowers_the_variance(case, squash):
    source, w, _ = AGREE[case]
    x = samples_of_the_squashed_field(squash)
    plain = (0.5 * x * np.sign(x @ w)[:, None]).std(0) / np.sqrt(65_536)  # 60000 in whole blocks of 8192
    others = np.arange(6) != np.argmax(abs(w))
    assert (sampled(source, w).error < 0.85 * plain)[others].all()


@pytest.mark.slow
def test_stated_error_is_that_of_repeated_runs():
    source = Ising(6, 0.6)
    runs = [sampled(source, W, jax.random.key(k)) for k in range(40)]
    scores = (np.array([run.value for run in runs]) - drift(source, W)) / runs[0].error
    assert np.sqrt((scores**2).mean(0)) == pytest.approx(1.0, abs=0.4)


def test_exact_by_enumeration():
    expected = cube.opened(W, cube.ring_law(6, 0.6), cube.corners(6))
    np.testing.assert_allclose(drift(Ising(6, 0.6), W), expected, rtol=1e-12)


@pytest.mark.parametrize("w", [(1.0, 0.5, 0.2), (1.0, 1.0, 1.0), (1.0, -1.0, 0.0), (1.0, 0.6, -0.4)])
def test_three_signs_by_hand(w):
    """One site leads: C e_i/2. Majority of three: C(1,1,1)/4 less m/4, m_l = E[x_1 x_2 x_3 x_l] = C_jk. Balance: a quarter."""
    C = 2 / np.pi * np.arcsin(line_correlation(3, 1.5))
    expected = {
        (1.0, 0.5, 0.2): C[0] / 2,
        (1.0, 1.0, 1.0): (C.sum(0) - [C[1, 2], C[0, 2], C[0, 1]]) / 4,
        (1.0, -1.0, 0.0): (C[0] - C[1]) / 4,
    }
    signed = C * np.outer([1, 1, -1], [1, 1, -1])  # at a tie, the mean of the two regimes beside it
    majority = (signed.sum(0) - [signed[1, 2], signed[0, 2], signed[0, 1]]) / 4 * [1, 1, -1]
    expected[(1.0, 0.6, -0.4)] = (majority + C[0] / 2) / 2
    np.testing.assert_allclose(drift(Hypercube(3, 1.5, boundary="line"), w, method="exact"), expected[w], atol=1e-12)
    infinite = NonlinearGP(3, 1.5, np.inf, boundary="line")
    np.testing.assert_allclose(drift(infinite, w, method="exact"), expected[w], atol=1e-12)


def test_centred_pulses_with_their_complements_by_enumeration():
    pulses = rings.pulses(6, 2, 4)
    x = np.concatenate([pulses, 1 - pulses]) - 0.5
    expected = ((x @ W > 0)[:, None] * x).mean(0)
    np.testing.assert_allclose(drift(SinglePulse(6, (2, 4), complement=True, centre=True), W), expected, atol=1e-15)


@pytest.mark.parametrize("name", [n for n in VALUES if n.startswith("f_erf_n2")])
def test_two_sites_are_exact(name):
    rho, gain, w = (VALUES[name]["inputs"][k] for k in ("rho", "g", "w"))
    estimate = drift(NonlinearGP(2, np.sqrt(-1 / np.log(rho)), gain, boundary="line"), w, with_error=True)
    assert estimate.method == "exact"
    np.testing.assert_allclose(estimate.value, VALUES[name]["expected"], atol=VALUES[name]["atol"])


def test_closure_is_near():
    source, w = NonlinearGP(6, 1.0, 1.0), np.array([1.0, 1.0, 0.8, 0.5, 0.2, 0.6])
    near, value = drift(source, w, method="closure"), sampled(source, w).value
    assert 0.002 < np.linalg.norm(near - value) / np.linalg.norm(value) < 0.1
    cube, binary = (drift(s, w, method="closure") for s in (Hypercube(6, 1.0), NonlinearGP(6, 1.0, np.inf)))
    np.testing.assert_allclose(cube, binary, rtol=1e-12)


def test_sinusoids_keep_the_symmetry_of_the_ring_at_infinite_gain():
    """<w, x> is 0 on many corners; were the sign of rounding errors to decide, shifted sites would differ by a few percent."""
    source, wave = NonlinearGP(6, 1.5, np.inf), np.cos(2 * np.pi * np.arange(6) / 6)
    estimate, shifted = sampled(source, wave), sampled(source, np.roll(wave, 1), jax.random.key(1))
    assert (abs(estimate.value + np.roll(estimate.value, 3)) < 5 * np.sqrt(2) * estimate.error + 1e-9).all()
    error = np.hypot(shifted.error, np.roll(estimate.error, 1))
    assert (abs(shifted.value - np.roll(estimate.value, 1)) < 5 * error + 1e-9).all()


def test_scale_sign_and_shift():
    source = Ising(6, 0.6)
    value = drift(source, W)
    np.testing.assert_allclose(drift(source, 7.3 * W), value, rtol=1e-13)
    np.testing.assert_allclose(drift(source, -W), -value, rtol=1e-12)
    np.testing.assert_allclose(drift(source, np.roll(W, 2)), np.roll(value, 2), rtol=1e-12)


LENGTHS = {
    "gaussian": (Gaussian(6, 1.5), {}),
    "student": (Elliptical(6, 1.5, "student:5"), {}),
    "clone-with-mean": (GaussianClone(SinglePulse(6, (1, 3))), {}),
    "closure": (NonlinearGP(6, 1.5, 3.0), {"method": "closure"}),
    "sampled": (NonlinearGP(6, 1.5, 3.0), {"key": KEY, "samples": 60_000}),
}


@pytest.mark.parametrize("case", LENGTHS, ids=list(LENGTHS))
def test_the_length_of_the_field_does_not_matter(case):
    source, how = LENGTHS[case]
    value = drift(source, W, **how, with_error=True)
    for scale in (1e-300, 1e-160, 1e160, 1e300):
        other = drift(source, scale * W, **how, with_error=True)
        np.testing.assert_allclose(other.value, value.value, rtol=1e-12)
        np.testing.assert_allclose(other.error, value.error, rtol=1e-10)


@pytest.mark.parametrize("source", [Gaussian(6, 1.5), GaussianClone(SinglePulse(6, (1, 3)))], ids=["gaussian", "clone"])
def test_the_length_of_the_field_does_not_matter_in_single_precision(source):
    fields = np.float32(np.array([[1e-35], [1e-20], [1e20], [1e35]]) * W)
    values = jax.jit(jax.vmap(lambda w: drift(source, w)))(fields)
    np.testing.assert_allclose(values, np.tile(drift(source, W), (4, 1)), atol=1e-6)


def test_slopes_of_a_source_with_a_mean():
    """By finite differences; a field 1e150 times as long has slopes 1e150 times smaller."""
    source = GaussianClone(SinglePulse(6, (1, 3)))
    expected = np.stack([(drift(source, W + h) - drift(source, W - h)) / 2e-5 for h in 1e-5 * np.eye(6)], axis=1)
    with jax.enable_x64(True):
        slopes = jax.jit(jax.vmap(jax.jacfwd(lambda w: drift(source, w))))(np.stack([W, 1e150 * W]))
    np.testing.assert_allclose(slopes[0], expected, atol=1e-9)
    np.testing.assert_allclose(1e150 * np.asarray(slopes[1]), expected, atol=1e-9)


def test_two_sites_that_are_one_variable():
    """At long length scales the latent correlation of two sites rounds to 1, in double or in single precision."""
    gain = 3.0
    size = np.arctan(np.sqrt(2) * gain) / (np.pi * np.sqrt(2 / np.pi * np.arcsin(2 * gain**2 / (1 + 2 * gain**2))))
    np.testing.assert_allclose(drift(NonlinearGP(2, 4.0, gain), [1.0, 0.5]), size, rtol=1e-14)
    fields = np.array([[1.0, -0.5], [0.5, -1.0], [1.0, 1.0], [1.0, -1.0], [0.0, -1.0]], np.float32)
    values = jax.jit(jax.vmap(lambda w: drift(NonlinearGP(2, 3.0, gain), w)))(fields)
    np.testing.assert_allclose(values, size * np.array([[1, -1, 1, 0, -1]] * 2).T, atol=1e-6)


def test_run_axis_under_jit():
    couplings = [0.1, 0.6]
    estimate = jax.jit(lambda w: drift(Ising(6, couplings), w, method="sampled", key=KEY, samples=60_000, with_error=True))(W)
    exact = np.array([drift(Ising(6, coupling), W) for coupling in couplings])
    assert (abs(estimate.value - exact) < 5 * estimate.error).all()
    np.testing.assert_allclose(drift(Ising(6, couplings), W), exact, rtol=1e-12)


MANY = {
    "closed": (Gaussian(6, 1.5), {}),
    "one site": (NonlinearGP(6, [1.5, 0.7], 3.0), {}),
    "summed": (Ising(6, [0.6, -0.2]), {}),
    "cube": (Hypercube(6, [1.5, 0.7]), {"method": "exact"}),
    "two sites": (NonlinearGP(2, 1.0, [1.0, 3.0]), {}),
    "closure": (NonlinearGP(6, 1.5, [1.0, 3.0]), {"method": "closure"}),
    "sampled": (NonlinearGP(6, [1.5, 0.7], 3.0), {"method": "sampled", "key": KEY, "samples": 5_000}),
}


@pytest.mark.parametrize("case", MANY)
def test_many_fields_at_once_have_the_drifts_they_have_one_by_one(case):
    source, how = MANY[case]
    fields = np.random.default_rng(2).normal(size=(2, 3, source.n))
    if case == "one site":
        fields *= np.eye(6)[:3]
    found = drift(source, fields, **how, with_error=True)
    runs = () if case == "closed" else (2,)
    assert found.value.shape == found.error.shape == (*runs, 2, 3, source.n)
    for i, j in [(0, 2), (1, 0)]:
        one = drift(source, fields[i, j], **how, with_error=True)
        assert one.method == found.method
        np.testing.assert_allclose(found.value[..., i, j, :], one.value, atol=1e-12)
        np.testing.assert_allclose(found.error[..., i, j, :], one.error, atol=1e-12)


def test_a_method_must_apply_to_all_fields():
    fields = np.stack([np.eye(6)[0], W])
    assert drift(NonlinearGP(6, 1.5, 3.0), fields, key=KEY, samples=4_096, with_error=True).method == "sampled"
    with pytest.raises(ValueError, match=r"^The method 'closed' does not apply"):
        drift(NonlinearGP(6, 1.5, 3.0), fields, method="closed")
    with pytest.raises(ValueError, match=r"^w must not be zero everywhere"):
        drift(Gaussian(6, 1.5), [W, np.zeros(6)])


def test_runs_that_differ_in_gain_alone_share_the_law_of_signs():
    both = drift(NonlinearGP(4, 1.0, [np.inf, np.inf]), W[:4], method="exact")
    np.testing.assert_array_equal(both, np.tile(drift(Hypercube(4, 1.0), W[:4], method="exact"), (2, 1)))


def test_a_leading_weight_decides_signs_alone():
    """Of infinite gain as of a hypercube; at finite gain the others matter."""
    lead = np.array([1.0, -5.0, 1.0, 0.5, 1.0, 1.0])
    infinite = drift(NonlinearGP(6, 1.5, np.inf), lead, with_error=True)
    assert infinite.method == "closed"
    np.testing.assert_allclose(infinite.value, -np.asarray(Hypercube(6, 1.5).covariance())[1] / 2, atol=1e-14)
    assert drift(NonlinearGP(6, 1.5, 3.0), lead, key=KEY, samples=4_096, with_error=True).method == "sampled"


def test_slopes():
    slope = jax.jit(jax.jacobian(lambda w: drift(Gaussian(6, 1.5), w)))(jax.numpy.asarray(W))
    np.testing.assert_allclose(slope, slope.T, atol=1e-6)
    np.testing.assert_allclose(slope @ W, np.zeros(6), atol=1e-6)


@pytest.mark.wrong_types
def test_errors():
    cube = Hypercube(13, 1.0)
    with pytest.raises(
        ValueError, match=r"^Unknown method 'samples': did you mean 'sampled'\? There are: auto, closed, closure"
    ):
        drift(cube, np.ones(13), method="samples")
    with pytest.raises(
        ValueError,
        match=r"^The method 'exact' does not apply to this Hypercube of 13 sites and this w; use 'closure' or 'sampled'\.$",
    ):
        drift(cube, np.ones(13), method="exact")
    with pytest.raises(ValueError, match=r"'closed' does not apply to this Marginal of 5 sites and this w; use 'sampled'\.$"):
        drift(Marginal(5, 1.0, "uniform"), np.eye(5)[0], method="closed")
    with pytest.raises(
        ValueError, match=r"^The drift of this Hypercube is sampled; give a key, such as key=jax.random.key\(0\)"
    ):
        drift(cube, np.ones(13))
    with pytest.raises(ValueError, match=r"^w must not be zero everywhere"):
        drift(cube, np.zeros(13))
    with pytest.raises(ValueError, match=r"^w must be finite, but is nan"):
        drift(cube, [1.0, np.nan, *np.zeros(11)])
    with pytest.raises(ValueError, match=r"^w must have one entry for each of the 13 sites, but has shape \(4,\); give it"):
        drift(cube, np.ones(4))
    with pytest.raises(ValueError, match=r"^source must be a source, such as Hypercube\(40, xi=2.0\), but is 3"):
        drift(3, np.ones(4))
    with pytest.raises(ValueError, match=r"^samples must be a whole number of at least 1, but is 0"):
        drift(cube, np.ones(13), key=KEY, samples=0)


def test_gain_zero_is_gaussian():
    np.testing.assert_allclose(drift(NonlinearGP(6, 1.5, 0.0), W), drift(Gaussian(6, 1.5), W), rtol=1e-12)
    np.testing.assert_allclose(drift(NonlinearGP(6, 1.5, 0.0), BUMP), drift(Gaussian(6, 1.5), BUMP), rtol=1e-12)
