"""What sources say of themselves, over all of them, against samples and enumeration."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from every_source import SOURCES, N, every_source, exponential, one

from gatefield import data
from gatefield.core.ties import side
from gatefield.data import Elliptical, Finite, Gaussian, GaussianClone, Hypercube, Ising, Marginal, NonlinearGP, SinglePulse
from gatefield.data import laws as radii_and_sites

SIZE = 200_000
ELLIPTICAL = {"gaussian", "gaussian line", "student", "laplace radius line", "sphere", "shell", "clone", "pulse clone"}
FIELDS = np.concatenate([np.eye(N)[:2], np.random.default_rng(5).normal(size=(6, N))])


@pytest.fixture(scope="module")
def samples():
    """Samples of each source less its mean, in float64, drawn when they are first asked for."""
    drawn = {}

    def get(name):
        if name not in drawn:
            source = one(name)
            x = jax.jit(lambda key: source.sample(key, SIZE))(jax.random.key(1, impl="rbg"))
            drawn[name] = np.asarray(x, float) - source.mean()
        return drawn[name]

    return get


def deviation(values, expected=0.0):
    """How many standard errors the mean over samples is off, at most over the columns."""
    values = values.reshape(len(values), -1)
    return np.max(np.abs(values.mean(0) - expected) / (values.std(0) / np.sqrt(len(values)) + 1e-9))


@pytest.mark.costly
@every_source
def test_symmetry_is_stated_if_samples_show_no_sign_of_its_absence(name, samples):
    """Mean and third moments of projections vanish, or one of them does not by far."""
    source = one(name)
    y = samples(name) @ FIELDS.T
    off = deviation(y**3)
    if source.symmetric:
        assert not np.any(source.mean())
        assert off < 5
    else:
        assert np.any(source.mean()) or off > 20


@pytest.mark.costly
@every_source
def test_gaussian_laws_are_stated_if_fourth_moments_are_gaussian(name, samples):
    source = one(name)
    variance = np.einsum("fi,ij,fj->f", FIELDS, source.covariance(), FIELDS)
    off = deviation((samples(name) @ FIELDS.T) ** 4, 3 * variance**2)
    assert off < 5 if source.gaussian else off > 8


@pytest.mark.costly
@every_source
def test_elliptical_laws_have_the_stated_radius(name, samples):
    """The radius in the metric of the covariance has the stated mean, and is independent of where the sample points."""
    radial = one(name).elliptical
    assert (radial is not None) == (name in ELLIPTICAL)
    if radial is None:
        return
    y = samples(name)
    values, basis = np.linalg.eigh(one(name).covariance())
    white = (y @ basis)[:, values > 1e-6] / np.sqrt(values[values > 1e-6])
    if white.shape[1] < N:
        pytest.skip("a singular covariance leaves no radius in all directions")
    radius = np.linalg.norm(white, axis=1)
    assert deviation(radius / np.sqrt(N), float(radial.mean_ratio(N))) < 5 or np.ptp(radius) < 1e-4
    assert deviation((radius - radius.mean())[:, None] * (white / radius[:, None])[:, :3] ** 2) < 5


@pytest.mark.costly
@every_source
def test_inputs_of_continuous_laws_never_lie_on_an_edge(name):
    source = one(name)
    with jax.enable_x64(True):
        x = source.sample(jax.random.key(2), 20_000)
        ties = np.sum(np.asarray(side(x, jnp.asarray([*FIELDS, np.eye(N)[0] - np.eye(N)[1]]))) == 0, axis=0)
    if source.continuous:
        assert ties[:-1].max() == 0
    elif name != "exponential":  # of a plain quantile function nothing is known
        assert ties[-1] > 100


@every_source
def test_supports_have_the_stated_moments_and_hold_all_samples(name, samples):
    source = one(name)
    support = source.support()
    assert (support is not None) == isinstance(source, Finite | Ising | SinglePulse)
    if support is None:
        return
    points, chances = support
    assert points.dtype == chances.dtype == np.float64
    assert chances.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(chances @ points, source.mean(), atol=1e-12)
    y = points - source.mean()
    np.testing.assert_allclose((chances[:, None] * y).T @ y, source.covariance(), atol=1e-12)
    known = {tuple(row) for row in np.round(points, 4) + 0.0}
    assert {tuple(row) for row in np.round(samples(name)[:2000] + source.mean(), 4) + 0.0} <= known


def test_a_support_too_large_to_list_is_none():
    assert Ising(17, 0.5).support() is None
    assert Ising(16, 0.5).support().points.shape == (65_536, 16)


@every_source
def test_squashed_fields_are_made_of_their_latent_correlation(name, samples):
    source = one(name)
    squashed = source.squashed
    assert (squashed is not None) == (name in {"nonlinear", "hypercube"})
    if squashed is None:
        return
    kappa = 1.0 if np.isinf(squashed.gain) else 2 * squashed.gain**2 / (1 + 2 * squashed.gain**2)
    np.testing.assert_allclose(np.arcsin(kappa * squashed.correlation) / np.arcsin(kappa), source.covariance(), atol=1e-12)


def test_many_runs_are_something_if_each_of_them_is():
    assert NonlinearGP(N, 1.0, [0.0, 0.0]).gaussian
    assert not NonlinearGP(N, 1.0, [0.0, 1.0]).gaussian
    assert NonlinearGP(N, 1.0, [0.0, 1.0]).continuous
    assert not NonlinearGP(N, 1.0, [1.0, np.inf]).continuous
    assert GaussianClone(Hypercube(N, [1.0, 2.0])).symmetric
    chances = Ising(3, [0.0, 0.5]).support().probabilities
    np.testing.assert_allclose(chances[0], 1 / 8, atol=1e-15)
    np.testing.assert_array_equal(chances[1], Ising(3, 0.5).support().probabilities)
    assert NonlinearGP(N, [1.0, 2.0], np.inf).squashed.correlation.shape == (2, N, N)


def test_nothing_is_known_of_what_is_traced():
    found = []

    def ask(gain, centre):
        source = NonlinearGP(N, 1.0, gain)
        found.extend([source.gaussian, source.continuous, source.elliptical, source.symmetric])
        return gain

    jax.jit(ask)(0.0, 0.0)
    assert found == [False, False, None, True]


def test_what_a_source_is_follows_from_its_parameters():
    assert Elliptical(N, 1.0, "gaussian").gaussian
    assert not Elliptical(N, 1.0, "student:5").gaussian
    assert Marginal(N, 1.0, "uniform").symmetric
    assert not Marginal(N, 1.0, exponential).symmetric
    pulses = [SinglePulse(N, (1, 2), complement=c, centre=m) for c, m in ((True, True), (True, False), (False, True))]
    assert [pulse.symmetric for pulse in pulses] == [True, False, False]


@pytest.mark.parametrize("name", [name for name in SOURCES if not {"clone", "finite,"} & {*name.split()}])
def test_sources_are_shown_as_they_were_made(name):
    source = one(name)
    again = eval(repr(source), vars(data) | vars(radii_and_sites) | {"exponential": exponential})
    np.testing.assert_allclose(again.covariance(), source.covariance(), atol=1e-5)


def test_what_is_shown_is_short():
    assert repr(Gaussian(40, xi=2.0)) == "Gaussian(n=40, xi=2.0)"
    assert repr(NonlinearGP(40, 2.0, np.linspace(0, 3, 30))) == "NonlinearGP(n=40, xi=2.0, gain=f64[30])"
    assert repr(GaussianClone(Gaussian(40, 2.0))) == "GaussianClone(n=40)"
    task = data.Task(Gaussian(4, 2.0), Hypercube(4, 1.0), labels=(1.0, -1.0))
    assert repr(task) == "Task(positive=Gaussian(n=4, xi=2.0), negative=Hypercube(n=4, xi=1.0), labels=(1.0, -1.0))"
    whole = data.Dataset(np.ones((9, 2)), np.arange(9), test=(np.ones((9, 2)), np.arange(9)))
    assert repr(whole) == "Dataset(x=f32[9,2], y=i32[9], test=(f32[9,2], i32[9]))"
    images = data.Images(np.ones((9, 4)), np.arange(9), np.ones((9, 4)), np.arange(9))
    assert repr(images) == "Images(x=f64[9,4], y=i64[9], test_x=f64[9,4], test_y=i64[9])"
