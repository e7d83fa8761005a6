"""Sharpness, rivalry, the loss at the best size and the velocity on few points, against plain sums and searches."""

import itertools

import jax
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from gatefield import UserError
from gatefield.data import Finite, Gaussian, GaussianClone, SinglePulse, Source, Task
from gatefield.theory import neuron
from gatefield.theory.neuron import contrast, finite_velocity

N = 6
RNG = np.random.default_rng(3)
FIELDS = RNG.standard_normal((4, N))
POINTS = RNG.standard_normal((2, 9, N))
CHANCES = RNG.dirichlet(np.ones(9), size=2)


class Coins(Source):
    """Independent signs, of which nothing but symmetry is known."""

    n: int = N
    symmetric = True

    def sampler(self):
        return lambda key, size: jax.random.rademacher(key, (size, N), float)

    def _covariance(self):
        return jax.numpy.eye(N)


def lopsided(labels=(1.0, 0.0), proportion=0.5):
    """Two laws without any symmetry."""
    return Task(*(Finite(x, p) for x, p in zip(POINTS, CHANCES, strict=True)), labels=labels, proportion=proportion)


def plain_loss(w, labels=(1.0, 0.0), proportion=0.5):
    """Half the mean squared error, point by point."""
    total = 0.0
    for x, chance, label, share in zip(POINTS, CHANCES, labels, (proportion, 1 - proportion), strict=True):
        total += share * sum(p * (max(float(row @ w), 0.0) - label) ** 2 for row, p in zip(x, chance, strict=True))
    return total / 2


@pytest.mark.costly
@pytest.mark.parametrize("setting", [{}, {"labels": (1.0, 0.3)}, {"labels": (-1.0, 0.5)}, {"proportion": 0.2}])
def test_the_loss_is_the_least_of_all_sizes(setting):
    _, _, losses, sizes = contrast(FIELDS, lopsided(**setting))
    for w, found, size in zip(FIELDS, losses, sizes, strict=True):
        assert plain_loss(size * w, **setting) == pytest.approx(found, rel=1e-12)
        search = minimize_scalar(lambda s, w=w: plain_loss(s * w, **setting), bounds=(0.0, 20.0), method="bounded")
        at_zero = plain_loss(0 * w, **setting)
        assert found == pytest.approx(min(search.fun, at_zero), rel=1e-6)


@pytest.mark.parametrize("share", [0.5, 0.3])
def test_with_labels_one_and_zero_it_is_made_of_sharpness_and_rivalry(share):
    sharpness, rivalry, loss, _ = contrast(FIELDS, lopsided(proportion=share))
    np.testing.assert_allclose(loss, share / 2 * (1 - sharpness / rivalry / 2), rtol=1e-12)
    if share == 0.5:
        np.testing.assert_allclose(loss, 0.25 - sharpness / rivalry / 8, rtol=1e-12)


def test_on_signs_it_is_that_of_all_corners():
    """Independent signs against signs that are all alike, listed."""
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=4)))
    alike = np.array([[1.0] * 4, [-1.0] * 4])
    w = np.array([1.0, -0.4, 0.3, 0.2])
    h = corners @ w
    found = contrast(w, Task(Finite(corners), Finite(alike)))
    assert float(found.sharpness) == pytest.approx(np.abs(h).mean() ** 2 / (h**2).mean())
    assert float(found.rivalry) == pytest.approx(1 + w.sum() ** 2 / (w**2).sum())


def test_gaussian_and_sampled_laws():
    task = Task(Gaussian(N, 2.0), Gaussian(N, 1.0))
    np.testing.assert_allclose(contrast(FIELDS, task).sharpness, 2 / np.pi, rtol=1e-12)
    found = contrast([[1.0] + [0.0] * 5, [1.0] * 4 + [0.0] * 2], Task(Coins(), Coins()), key=jax.random.key(0), samples=40_000)
    np.testing.assert_allclose(found.sharpness, [1.0, 1.5**2 / 4], rtol=0.02)  # of four signs: 4 in 2 of 16, 2 in 8 of 16
    np.testing.assert_allclose(found.rivalry, 2.0)


def test_where_no_gate_opens_nothing_is_explained():
    pulses = Task(SinglePulse(N, (1, 2)), SinglePulse(N, (3, 3)))
    found = contrast(-np.ones(N), pulses)
    assert [float(part) for part in found] == [0.0, np.inf, 0.25, 0.0]


def test_velocity_on_few_points_is_minus_the_slope_of_the_loss():
    task = lopsided(labels=(1.0, 0.4), proportion=0.3)
    for w, found in zip(FIELDS, finite_velocity(FIELDS, task), strict=True):
        steps = 1e-6 * np.eye(N)
        slope = [plain_loss(w + e, (1.0, 0.4), 0.3) - plain_loss(w - e, (1.0, 0.4), 0.3) for e in steps]
        np.testing.assert_allclose(found, -np.array(slope) / 2e-6, atol=1e-7)


@pytest.mark.slow
def test_velocity_on_symmetric_points_is_that_of_the_neuron():
    pulses = [SinglePulse(N, widths, complement=True, centre=True) for widths in ((2, 3), (1, 2))]
    np.testing.assert_allclose(finite_velocity(FIELDS[0], Task(*pulses)), neuron.velocity(FIELDS[0], Task(*pulses)), atol=1e-12)


def test_what_cannot_be_summed_is_refused():
    gaussian = Task(Gaussian(N, 2.0), Gaussian(N, 1.0))
    with pytest.raises(UserError, match="Gaussian inputs have no support"):
        finite_velocity(FIELDS, gaussian)
    with pytest.raises(UserError, match="GaussianClone inputs are not known"):
        contrast(FIELDS, Task(SinglePulse(N, (1, 2)), GaussianClone(SinglePulse(N, (1, 2)))))
    with pytest.raises(UserError, match="one entry for each of the 6 sites"):
        contrast(np.ones(5), gaussian)
    with pytest.raises(UserError, match="task must be a Task of two sources, but is 3"):
        finite_velocity(FIELDS, 3)
    with pytest.raises(UserError, match="one run"):
        contrast(FIELDS, Task(Gaussian(N, [1.0, 2.0]), Gaussian(N, 1.0)))


def test_rounding_opens_no_gate():
    """Pulses of one width, centred, have the same sum: along the flat field there is nothing, whatever rounding leaves."""
    task = Task(*(SinglePulse(40, (width, width), centre=True) for width in (12, 2)))
    for sign in (1, -1):
        found = contrast(np.full(40, sign / np.sqrt(40)), task)
        assert (float(found.sharpness), float(found.rivalry)) == (0.0, np.inf)
        assert (float(found.loss), float(found.size)) == (0.25, 0.0)
