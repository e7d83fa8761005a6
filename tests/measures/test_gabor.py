"""The ring Gabor against its sum over images; fits against known parameters and against scipy's least squares."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from gatefield import UserError
from gatefield.ledger.routes.uncertainty import by_images
from gatefield.measures import gabor, gabor_fit

SITES = np.arange(40)


def distance(a, b, period):
    return np.abs((np.asarray(a) - b + period / 2) % period - period / 2)


@pytest.mark.parametrize("n", [9, 40])
def test_gabor_is_the_sum_over_images(n):
    rng = np.random.default_rng(n)
    for _ in range(30):
        mu, s, f, phi = rng.uniform(-n, 2 * n), np.exp(rng.uniform(-1.2, 3)), rng.uniform(0, n / 2), rng.uniform(-3, 3)
        np.testing.assert_allclose(gabor(n, mu, s, f, phi, 2.5), 2.5 * by_images(n, mu, s, f, phi), atol=1e-11)


def test_limits_of_the_gabor():
    np.testing.assert_allclose(gabor(40, 7.0, 0.05, 3.0), np.eye(40)[7], atol=1e-12)
    np.testing.assert_allclose(gabor(40, 7.0, 400.0), np.ones(40), atol=1e-12)
    np.testing.assert_allclose(gabor(40, 0.0, 400.0, 3.0, 0.5), np.cos(2 * np.pi * 3 * SITES / 40 + 0.5), atol=1e-12)


def test_parameters_are_broadcast():
    stack = gabor(12, [[1.0], [2.0]], [0.5, 1.0, 2.0], amplitude=3.0)
    assert stack.shape == (2, 3, 12)
    np.testing.assert_allclose(stack[1, 2], gabor(12, 2.0, 2.0, amplitude=3.0))


def test_recovers_gabors():
    """40 of 40, from width, frequency, phase, place and size drawn at random."""
    rng = np.random.default_rng(0)
    mu, s, f, phi = (
        rng.uniform(0, 40, 40),
        np.exp(rng.uniform(0.2, 2.1, 40)),
        rng.uniform(1, 18, 40),
        rng.uniform(-np.pi, np.pi, 40),
    )
    amplitude = np.exp(rng.normal(size=40))
    fields = np.array([a * by_images(40, *rest) for a, *rest in zip(amplitude, mu, s, f, phi, strict=True)])
    fit = gabor_fit(fields)
    assert fit.is_gabor.all()
    np.testing.assert_allclose(fit.R2, 1, atol=1e-12)
    assert distance(fit.mu, mu, 40).max() < 1e-5
    assert ((fit.mu >= 0) & (fit.mu < 40)).all()
    assert distance(fit.phi, phi, 2 * np.pi).max() < 1e-4
    for found, true in ((fit.s, s), (fit.f, f), (fit.amplitude, amplitude)):
        np.testing.assert_allclose(found, true, rtol=1e-4)


@pytest.mark.parametrize("place", [-0.3, 0.2, 11.7])
def test_places_near_the_seam_are_on_the_ring(place):
    fit = gabor_fit(by_images(12, place, 1.5, 0.0))
    assert fit.mu == pytest.approx(place % 12, abs=1e-4)


def test_recovers_plain_bumps():
    rng = np.random.default_rng(1)
    mu, s = rng.uniform(0, 40, 20), np.exp(rng.uniform(-0.5, 2, 20))
    fit = gabor_fit(np.array([-by_images(40, a, b, 0.0) for a, b in zip(mu, s, strict=True)]))
    assert not fit.is_gabor.any()
    np.testing.assert_allclose(fit.R2, 1, atol=1e-10)
    np.testing.assert_allclose(fit.f, 0)
    np.testing.assert_allclose(fit.s, s, rtol=1e-4)
    np.testing.assert_allclose(fit.amplitude, 1, rtol=1e-4)
    assert distance(fit.mu, mu, 40).max() < 1e-4
    assert distance(fit.phi, np.pi, 2 * np.pi).max() < 1e-6


@pytest.mark.costly
@pytest.mark.parametrize(
    ("field", "wave"),
    [
        (np.eye(40)[5], False),
        (-np.eye(40)[5], False),
        (np.ones(40), False),
        (np.cos(2 * np.pi * 3 * SITES / 40 + 0.5), True),
        ((-1.0) ** SITES, True),
        (np.eye(40)[5] - np.eye(40)[6], True),
    ],
)
def test_limiting_fields_are_fitted(field, wave):
    fit = gabor_fit(field)
    assert 1 - fit.R2 < 1e-6
    assert fit.is_gabor is wave
    rebuilt = gabor(40, fit.mu, fit.s, fit.f, fit.phi, fit.amplitude)
    np.testing.assert_allclose(rebuilt, field, atol=2e-3)


@pytest.mark.slow
def test_finds_what_scipy_finds():
    """No start of scipy's least squares on sums over images, out of many, leaves less over."""
    rng = np.random.default_rng(2)
    n = 10
    for field in rng.normal(size=(3, n)):
        field = field / np.linalg.norm(field)

        def difference(x, low, high, field=field):
            f = low + (high - low) * np.sin(x[2]) ** 2
            s = 0.15 + (2 * n - 0.15) * np.sin(x[1]) ** 2
            basis = np.stack([by_images(n, x[0], s, f), by_images(n, x[0], s, f, np.pi / 2)])[: 1 if high == 0 else 2]
            basis = basis / np.abs(basis).max()
            return field - np.linalg.lstsq(basis.T, field, rcond=1e-10)[0] @ basis  # both phases may be one up to rounding

        fit = gabor_fit(field)
        for limits, R2 in (((0.0, 0.0), fit.R2_bump), ((0.5, n / 2), fit.R2_gabor)):
            starts = np.stack([rng.uniform(0, n, 40), rng.uniform(0.05, 1, 40), rng.uniform(0.1, 1.4, 40)], axis=1)
            starts = sorted(starts, key=lambda x: np.sum(difference(x, *limits) ** 2))[:4]
            best = min(2 * least_squares(difference, x, args=limits).cost for x in starts)
            assert best >= 1 - R2 - 1e-5


@pytest.mark.slow
def test_white_noise_is_no_gabor():
    fit = gabor_fit(np.random.default_rng(3).normal(size=(100, 40)))
    assert 0.15 < fit.R2.mean() < 0.3
    assert fit.R2.max() < 0.6
    assert (fit.R2_gabor >= fit.R2_bump - 0.05).all()


def test_bic_decides():
    rng = np.random.default_rng(4)
    bumps = gabor(40, rng.uniform(0, 40, 20), 2.0) + 0.1 * rng.normal(size=(20, 40))
    waves = gabor(40, rng.uniform(0, 40, 20), 4.0, 3.0) + 0.1 * rng.normal(size=(20, 40))
    of_bumps, of_waves = gabor_fit(bumps), gabor_fit(waves)
    assert of_waves.is_gabor.all()
    assert of_bumps.is_gabor.sum() <= 2
    expected = 40 * np.log((1 - of_bumps.R2_bump) / (1 - of_bumps.R2_gabor)) - 2 * np.log(40)
    np.testing.assert_allclose(of_bumps.bic_gain, expected, rtol=1e-9)
    np.testing.assert_array_equal(of_bumps.is_gabor, expected > 0)


@pytest.mark.wrong_types
def test_the_model_can_be_asked_for():
    field = gabor(40, 20.0, 2.0) + 0.05 * np.random.default_rng(5).normal(size=40)
    assert gabor_fit(field).f == 0
    wave = gabor_fit(field, model="gabor")
    assert wave.f >= 0.5
    assert wave.R2 == wave.R2_gabor == gabor_fit(field).R2_gabor
    with pytest.raises(UserError, match="Unknown model 'gabbor': did you mean 'gabor'"):
        gabor_fit(field, model="gabbor")


def test_scale_and_place_do_not_matter():
    field = np.random.default_rng(6).normal(size=40)
    fits = [gabor_fit(x) for x in (field, 1e-180 * field, 1e180 * field, np.roll(field, 7))]
    for fit in fits[1:]:
        assert abs(fit.R2 - fits[0].R2) < 1e-6
        assert fit.is_gabor == fits[0].is_gabor
    assert distance(fits[3].mu, fits[0].mu + 7, 40) < 1e-2
    assert fits[1].amplitude == pytest.approx(1e-180 * fits[0].amplitude, rel=1e-3)


def test_shapes_and_kinds_of_numbers():
    stack = gabor(12, [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]], 1.5, 2.0).astype(np.float32)
    fit = gabor_fit(stack)
    assert fit.s.shape == fit.is_gabor.shape == (2, 3)
    one = gabor_fit(stack[1, 2])
    assert isinstance(one.s, float)
    assert isinstance(one.is_gabor, bool)
    assert one.mu == pytest.approx(fit.mu[1, 2], abs=1e-9)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("field", "text"),
    [
        (np.zeros(12), "must not be zero everywhere"),
        (np.stack([np.ones(12), np.zeros(12)]), "must not be zero everywhere"),
        (np.full(12, np.nan), "w must be finite"),
        (np.ones(5), r"at least 6 sites, but w has shape \(5,\)"),
        (1.0, "at least 6 sites"),
    ],
)
def test_what_cannot_be_fitted(field, text):
    with pytest.raises(UserError, match=text):
        gabor_fit(field)


def test_widths_are_positive():
    with pytest.raises(UserError, match="s must be positive and finite, but is 0"):
        gabor(12, 3.0, 0.0)
