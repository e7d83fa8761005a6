"""Radial laws, against their densities and tabulated constants."""

from typing import Any

import equinox as eqx
import jax
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import gamma

from gatefield.data import Elliptical
from gatefield.data.laws import GaussianRadial, LaplaceRadial, Shell, Sphere, StudentT

LAWS = [GaussianRadial(), StudentT(3.0), StudentT(10.0), LaplaceRadial(), Sphere(), Shell(), Shell(2.0)]


def ratio_by_quadrature(law, n):
    """E R / sqrt(E R^2) by the law of R = sqrt(V) chi, or of the uniform radius."""
    chi = stats.chi(n).mean() / np.sqrt(n)
    match law:
        case GaussianRadial():
            return chi
        case StudentT():
            df = float(law.df)
            return chi * np.sqrt(df - 2) * integrate.quad(lambda x: stats.chi2.pdf(x, df) / np.sqrt(x), 0, np.inf)[0]
        case LaplaceRadial():
            return chi * integrate.quad(lambda v: np.sqrt(v) * np.exp(-v), 0, np.inf)[0]
        case Sphere():
            return 1.0
        case Shell():
            r = np.linspace(1 - law.thickness / 2, 1 + law.thickness / 2, 200_001)
            return 1 / np.sqrt(integrate.simpson(r**2, x=r) / law.thickness)


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("n", [1, 5, 40])
def test_mean_ratio_is_that_of_the_density(law, n):
    assert float(law.mean_ratio(n)) == pytest.approx(ratio_by_quadrature(law, n), rel=1e-8)


@pytest.mark.parametrize(
    ("law", "constant"),
    [
        (GaussianRadial(), 0.398942),
        (LaplaceRadial(), 0.353553),
        (StudentT(3.0), 0.318310),
        (StudentT(5.0), 0.367553),
        (Sphere(), 0.419263),
    ],
)
def test_constants_of_the_mean_field(law, constant):
    n = 5
    value = float(law.mean_ratio(n)) / 2 * np.sqrt(n) * gamma(n / 2) / (np.sqrt(np.pi) * gamma((n + 1) / 2))
    assert value == pytest.approx(constant, abs=6e-7)


@pytest.mark.costly
@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_radii_have_the_stated_mean(law):
    n, size = 6, 200_000
    x = np.asarray(
        Elliptical(n, 0.05, law).sample(jax.random.key(0), size), np.float64
    )  # sites are uncorrelated at this length
    radii = np.linalg.norm(x, axis=1) / np.sqrt(n)
    assert abs(radii.mean() - float(law.mean_ratio(n))) < 5 * radii.std() / np.sqrt(size) + 1e-6


def test_sphere_and_shell_stay_within_their_radii():
    sphere = np.linalg.norm(Elliptical(6, 0.05, "sphere").sample(jax.random.key(0), 1000), axis=1)
    np.testing.assert_allclose(sphere, np.sqrt(6), rtol=1e-5)
    shell = np.linalg.norm(Elliptical(6, 0.05, "shell:0.2").sample(jax.random.key(0), 10_000), axis=1)
    middle = np.sqrt(6 / (1 + 0.2**2 / 12))
    assert 0.9 * middle - 1e-4 < shell.min() < 0.901 * middle
    assert 1.099 * middle < shell.max() < 1.1 * middle + 1e-4


def test_directions_are_independent_of_the_radius():
    x = np.asarray(Elliptical(3, 0.05, "laplace").sample(jax.random.key(0), 100_000), np.float64)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    np.testing.assert_allclose(unit.T @ unit / len(x), np.eye(3) / 3, atol=5e-3)


def test_names():
    names = {"gaussian": GaussianRadial(), "student:7": StudentT(7.0), "shell": Shell(0.1), "shell:0.3": Shell(0.3)}
    for name, law in names.items():
        assert eqx.tree_equal(Elliptical(4, 1.0, name).radial, law)


@pytest.mark.wrong_types
def test_errors():
    wrong: Any = 5
    with pytest.raises(ValueError, match=r"Unknown radial law 'spere': did you mean 'sphere'\?"):
        Elliptical(4, 1.0, "spere")
    with pytest.raises(ValueError, match=r"The radial law 'student' needs a parameter; write 'student:3'\."):
        Elliptical(4, 1.0, "student")
    with pytest.raises(
        ValueError, match=r"df must be above 2, for a finite covariance, and finite, but is 2; write for instance df=3\."
    ):
        Elliptical(4, 1.0, "student:2")
    with pytest.raises(
        ValueError, match=r"thickness must be above 0 and at most 2, but is 3; write for instance thickness=2\."
    ):
        Shell(3.0)
    with pytest.raises(ValueError, match=r"radial must be a radial law, such as Sphere\(\) or 'student:5', but is 5\."):
        Elliptical(4, 1.0, wrong)
