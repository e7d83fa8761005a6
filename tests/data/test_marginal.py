"""Fields with given marginals, against closed forms and adaptive quadrature."""

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, special

from gatefield.data import Gaussian, Marginal
from gatefield.data.laws import Algebraic, Laplace, QuantileFunction, Uniform, as_quantile
from gatefield.data.numerics import normal_moments, pair_moment

RHO = np.array([0.0, 0.05, 0.3, 0.7, 0.95, 0.9999, 1.0])


def correlation(quantile, rho):
    law = as_quantile(quantile)
    mean = normal_moments(law, np.inf)[0]
    return np.array([float(pair_moment(law, mean, r)) for r in np.atleast_1d(rho)]) / float(pair_moment(law, mean, 1.0))


def tail(z):
    """1 - |v| for v = 2 Phi(z) - 1."""
    return 2 * special.ndtr(-np.abs(z))


def laplace(z):
    return -np.sign(z) * np.log(tail(z))


def algebraic(z, k):
    v = 1 - tail(z)
    rest = np.where(tail(z) < 1e-8, k * tail(z), 1 - v**k)
    return np.sign(z) * v / rest ** (1 / k)


def by_cubature(h, rho, reach):
    """E h(Z_1) h(Z_2) / E h(Z)^2 for an odd h, quadrant by quadrant."""

    def integrand(z, sign):
        a, b = z[:, 0], z[:, 1]
        density = np.exp(-(a * a + b * b - 2 * sign * rho * a * b) / (2 * (1 - rho**2))) / np.sqrt(1 - rho**2)
        return sign * h(a) * h(b) * density

    same, opposite = (
        integrate.cubature(integrand, [0, 0], [reach, reach], args=(sign,), rtol=1e-11, max_subdivisions=4000).estimate
        for sign in (1, -1)
    )
    square = integrate.quad_vec(lambda z: h(z) ** 2 * np.exp(-z * z / 2), 1e-12, reach, epsabs=1e-12)[0]
    return (same + opposite) / (np.sqrt(2 * np.pi) * square)


def test_uniform_has_a_closed_form():
    np.testing.assert_allclose(correlation("uniform", RHO), 6 / np.pi * np.arcsin(RHO / 2), atol=1e-14)


def test_exponential_at_full_correlation_and_none():
    values = correlation(lambda u: -jnp.log1p(-u), [0.0, 1.0, -1.0])
    np.testing.assert_allclose(values, [0.0, 1.0, 1 - np.pi**2 / 6], atol=1e-13)


def test_normal_quantile_gives_back_the_field():
    np.testing.assert_allclose(correlation(jax.scipy.special.ndtri, RHO), RHO, atol=1e-12)


def test_square_has_a_closed_form():
    # u^2 is even about the median plus odd: Cov(U1^2, U2^2) from the uniform covariance and E V1^2 V2^2, V = 2u - 1
    rho = 0.6

    def product(b, a):
        values = special.erf(a / np.sqrt(2)) * special.erf((rho * a + 0.8 * b) / np.sqrt(2))
        return values**2 * np.exp(-(a * a + b * b) / 2) / (2 * np.pi)

    even = integrate.dblquad(product, -9, 9, -9, 9, epsabs=1e-10)[0]
    odd = 2 / np.pi * np.arcsin(rho / 2)
    covariance = ((even - 1 / 9) + 4 * odd) / 16
    assert correlation(lambda u: u**2, rho) == pytest.approx(covariance / (1 / 5 - 1 / 9), abs=1e-9)


@pytest.mark.costly
@pytest.mark.parametrize(
    ("quantile", "h", "reach"),
    [
        ("laplace", laplace, 12.0),
        ("algebraic:6", functools.partial(algebraic, k=6.0), 14.0),
        ("algebraic:3", functools.partial(algebraic, k=3.0), 18.0),
        ("algebraic:2.1", functools.partial(algebraic, k=2.1), 36.0),
    ],
)
@pytest.mark.parametrize("rho", [0.3, 0.9])
def test_correlation_agrees_with_adaptive_quadrature(quantile, h, reach, rho):
    assert correlation(quantile, rho) == pytest.approx(by_cubature(h, rho, reach), abs=1e-8)


def three_levels(u):
    return jnp.where(u < 0.2, -1.0, jnp.where(u > 0.7, 2.0, 0.0))


def test_jumps_are_exact_where_they_are_stated():
    rho, low, high = 0.8, special.ndtri(0.2), special.ndtri(0.7)
    both = functools.partial(orthant, rho=rho)
    # E h1 h2 of h = 2 1(z > high) - 1(z < low); 1(z < low) is 1(-z > -low), of correlation -rho with the other
    product = 4 * both(high, high) + both(-low, -low) - 4 * orthant(high, -low, rho=-rho)
    mean, square = 2 * 0.3 - 0.2, 4 * 0.3 + 0.2
    expected = (product - mean**2) / (square - mean**2)
    assert correlation(QuantileFunction(three_levels, breaks=(0.2, 0.7)), rho) == pytest.approx(expected, abs=1e-12)


def orthant(a, b, rho):
    """P(Z_1 > a, Z_2 > b)."""
    return integrate.quad(
        lambda z: np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * special.ndtr((rho * z - b) / np.sqrt(1 - rho**2)),
        a,
        12,
        epsabs=1e-14,
    )[0]


def test_kinks_are_exact_where_they_are_stated():
    def clipped(u):
        return jnp.clip(u, 0.2, 0.9)

    source = Marginal(3, 1.0, QuantileFunction(clipped, breaks=(0.2, 0.9)), boundary="line")
    rho, edges = np.exp(-1.0), [-9.0, special.ndtri(0.2), special.ndtri(0.9), 9.0]

    def by_panels(f):
        return sum(integrate.fixed_quad(f, a, b, n=80)[0] for a, b in itertools.pairwise(edges))

    def inner(z):
        density = np.sqrt(2 * np.pi * (1 - rho**2))
        return by_panels(lambda b: clip(b) * np.exp(-((b - rho * z) ** 2) / (2 * (1 - rho**2))) / density)

    def clip(z):
        return np.clip(special.ndtr(z), 0.2, 0.9)

    values = by_panels(lambda z: clip(z) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * np.array([inner(one) for one in z]))
    mean = 0.2 * 0.2 + (0.81 - 0.04) / 2 + 0.1 * 0.9
    square = 0.2 * 0.04 + (0.729 - 0.008) / 3 + 0.1 * 0.81
    assert source.covariance()[0, 1] == pytest.approx((values - mean**2) / (square - mean**2), abs=1e-11)


@pytest.mark.parametrize(
    ("law", "mean", "variance"), [(Uniform(), 0, 1 / 3), (Laplace(), 0, 2), (Algebraic(3.0), 0, 1.0), (three_levels, 0.4, 1.24)]
)
def test_moments_of_the_marginal(law, mean, variance):
    law = QuantileFunction(law, breaks=(0.2, 0.7)) if law is three_levels else law
    found = normal_moments(law, np.inf)
    np.testing.assert_allclose(found[:2], [mean, variance], atol=1e-13)


@pytest.mark.parametrize("law", [Uniform(), Laplace(), Algebraic(2.5), Algebraic(6.0)])
def test_ready_made_quantiles_are_accurate_in_the_tails(law):
    z = np.array([-5.0, -1.5, -0.7, -1e-3, 1e-3, 0.7, 1.5, 5.0])
    formula = {Uniform: lambda z: np.sign(z) * (1 - tail(z)), Laplace: laplace}.get(type(law))
    formula = formula or functools.partial(algebraic, k=float(law.k))
    with jax.enable_x64(True):
        np.testing.assert_allclose(law.from_normal(jnp.asarray(z)), formula(z), rtol=1e-9)
        np.testing.assert_allclose(law(special.ndtr(z)), formula(z), rtol=1e-8)
    np.testing.assert_allclose(law.from_normal(jnp.asarray(z, np.float32)), formula(z), rtol=2e-5)


def test_covariance_on_a_long_ring():
    rho = Gaussian(24, 3.0).covariance()
    np.testing.assert_allclose(Marginal(24, 3.0, "uniform").covariance(), 6 / np.pi * np.arcsin(rho / 2), atol=1e-13)


def test_infinite_variance_is_an_error():
    with pytest.raises(ValueError, match=r"quantile must have a finite, positive variance, .* choose one with lighter tails\."):
        Marginal(4, 1.0, lambda u: jnp.tan(jnp.pi * (u - 0.5)))
    with pytest.raises(ValueError, match=r"quantile must have a finite, positive variance, but that of .* is nan"):
        Marginal(4, 1.0, lambda u: jnp.log(u - 0.5))
    with pytest.raises(ValueError, match=r"quantile must have a finite, positive variance, but that of .* is 0"):
        Marginal(4, 1.0, jnp.zeros_like)
    with pytest.raises(
        ValueError, match=r"k must be above 2, for a finite variance, and finite, but is 2; write for instance k=3\."
    ):
        Marginal(4, 1.0, "algebraic:2")
    with pytest.raises(ValueError, match=r"far tails; choose one with lighter tails"):
        Marginal(4, 1.0, Algebraic(2.005))


def test_unstated_jumps_are_an_error():
    with pytest.raises(
        ValueError, match=r"has kinks or jumps; say where by QuantileFunction\(function, breaks=\(u1, u2, \.\.\.\)\)\."
    ):
        Marginal(4, 1.0, three_levels)
    Marginal(4, 1.0, lambda u: jnp.where(u < 0.5, -1.0, 1.0))  # the median needs no mention


@pytest.mark.wrong_types
def test_names_and_functions_that_do_not_work():
    number: Any = 3
    untraceable: Any = np.sort
    with pytest.raises(
        ValueError, match=r"Unknown quantile 'unifrom': did you mean 'uniform'\? There are: algebraic, laplace, uniform\."
    ):
        Marginal(4, 1.0, "unifrom")
    with pytest.raises(
        ValueError, match=r"The quantile 'algebraic:x' must end in a number, as in 'algebraic:3', but ends in 'x'\."
    ):
        Marginal(4, 1.0, "algebraic:x")
    with pytest.raises(ValueError, match=r"The quantile 'algebraic' needs a parameter; write 'algebraic:3'\."):
        Marginal(4, 1.0, "algebraic")
    with pytest.raises(ValueError, match=r"The quantile 'uniform:3' takes no parameter; write 'uniform'\."):
        Marginal(4, 1.0, "uniform:3")
    with pytest.raises(
        ValueError, match=r"quantile must be a function of u, a Quantile, or a name such as 'laplace', but is 3\."
    ):
        Marginal(4, 1.0, number)
    with pytest.raises(ValueError, match=r"quantile must be an elementwise function .* with jax\.numpy, but fails: "):
        Marginal(4, 1.0, untraceable)
    with pytest.raises(ValueError, match="but gives nothing; return an array of real numbers"):
        as_quantile(lambda u: None)
    with pytest.raises(ValueError, match=r"breaks must be numbers, but is None"):
        QuantileFunction(three_levels, breaks=None)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="k must be one number, or one for each run, but there is none"):
        Algebraic([])
    with pytest.raises(ValueError, match=r"quantile must be elementwise, but .* gives shape \(\) for shape \(3,\)\."):
        Marginal(4, 1.0, jnp.sum)
    with pytest.raises(
        ValueError,
        match=r"breaks must be strictly between 0 and 1, but is 1; change its value at \[1\]\.",
    ):
        QuantileFunction(three_levels, breaks=(0.2, 1.0))
