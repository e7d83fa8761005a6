"""Laws of the radius of an elliptical source."""

import abc
import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.scipy.special import gammaln
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.core.text.quoted import quoted
from gatefield.core.text.shown import shown
from gatefield.data.arrays import Parameter
from gatefield.data.laws.named import from_text


class Radial(eqx.Module):
    r"""The law of the radius R of $x = R\,\Sigma^{1/2} u$, with u uniform on the unit sphere, scaled so that $E R^2 = n$.

    A new law is a final class with the first two methods below, and the third where it is known; parameters are arrays, as in a
    source.
    """

    def __repr__(self) -> str:
        return shown(self)

    @abc.abstractmethod
    def radii(self, key: PRNGKeyArray, chi: Float[Array, " size"], n: int) -> Float[Array, " size"]:
        """Draws of R. `chi` are the lengths of standard normal vectors, independent of their directions, free to be used."""

    @abc.abstractmethod
    def mean_ratio(self, n: int) -> Float[Exact, ""]:
        """E R / sqrt(E R^2) in `n` dimensions; float64 NumPy unless traced."""

    def characteristic(self, square: Float[Array, ""], n: int) -> Float[Array, ""] | None:
        r"""$E e^{i\langle w,x\rangle}$ as a function of $w^\top\Sigma w$, or None if it has no simple form."""
        return None


class GaussianRadial(Radial):
    r"""The radius of a Gaussian vector: R is chi-distributed with n degrees of freedom.

    $$\frac{E R}{\sqrt{E R^2}} = \sqrt{\frac2n}\,\frac{\Gamma((n+1)/2)}{\Gamma(n/2)}$$

    >>> print(round(float(GaussianRadial().mean_ratio(5)), 12))
    0.951532861948

    **Source:** note 003, section 2 (elliptical data).
    """

    def radii(self, key: PRNGKeyArray, chi: Float[Array, " size"], n: int) -> Float[Array, " size"]:
        return chi

    @exact
    def mean_ratio(self, n: int) -> Float[Exact, ""]:
        return real(_chi_ratio(n))

    def characteristic(self, square: Float[Array, ""], n: int) -> Float[Array, ""]:
        return jnp.exp(-square / 2)


class StudentT(Radial):
    r"""Multivariate Student t with `df` degrees of freedom: a Gaussian vector times $\sqrt V$, $V = (\nu - 2)/\chi^2_\nu$.

    $$\frac{E R}{\sqrt{E R^2}} = \sqrt{\frac{\nu-2}2}\,\frac{\Gamma((\nu-1)/2)}{\Gamma(\nu/2)}
      \sqrt{\frac2n}\,\frac{\Gamma((n+1)/2)}{\Gamma(n/2)}$$

    **Arguments**

    - `df`: the degrees of freedom nu, above 2 so that there is a covariance.

    >>> print(round(float(StudentT(3.0).mean_ratio(5)), 12))
    0.759213379645

    **Source:** note 003, section 2 (elliptical data).
    """

    df: Parameter

    def __init__(self, df: Any) -> None:
        self.df = checks.real("df", df, "above 2, for a finite covariance, and finite", lambda x: (x > 2) & (x < jnp.inf))

    def radii(self, key: PRNGKeyArray, chi: Float[Array, " size"], n: int) -> Float[Array, " size"]:
        df = real(self.df)
        return chi * jnp.sqrt((df - 2) / (2 * jax.random.gamma(key, df / 2, chi.shape, chi.dtype)))

    @exact
    def mean_ratio(self, n: int) -> Float[Exact, ""]:
        df = real(self.df)
        return jnp.sqrt((df - 2) / 2) * jnp.exp(gammaln((df - 1) / 2) - gammaln(df / 2)) * _chi_ratio(n)


class LaplaceRadial(Radial):
    r"""Multivariate Laplace: a Gaussian vector times $\sqrt V$, with V exponential of mean 1.

    $$\frac{E R}{\sqrt{E R^2}} = \frac{\sqrt\pi}2 \sqrt{\frac2n}\,\frac{\Gamma((n+1)/2)}{\Gamma(n/2)}$$

    >>> print(round(float(LaplaceRadial().mean_ratio(5)), 12))
    0.843274042712

    **Source:** note 003, section 2 (elliptical data).
    """

    def radii(self, key: PRNGKeyArray, chi: Float[Array, " size"], n: int) -> Float[Array, " size"]:
        return chi * jnp.sqrt(jax.random.exponential(key, chi.shape, chi.dtype))

    @exact
    def mean_ratio(self, n: int) -> Float[Exact, ""]:
        return real(math.sqrt(math.pi) / 2 * _chi_ratio(n))

    def characteristic(self, square: Float[Array, ""], n: int) -> Float[Array, ""]:
        return 1 / (1 + square / 2)


class Sphere(Radial):
    r"""The surface of an ellipsoid: $R = \sqrt n$ always, so that $E R/\sqrt{E R^2} = 1$.

    >>> float(Sphere().mean_ratio(5))
    1.0

    **Source:** note 003, section 2 (elliptical data).
    """

    def radii(self, key: PRNGKeyArray, chi: Float[Array, " size"], n: int) -> Float[Array, " size"]:
        return jnp.full_like(chi, math.sqrt(n))

    @exact
    def mean_ratio(self, n: int) -> Float[Exact, ""]:
        return real(1.0)


class Shell(Radial):
    r"""A thin shell: R is uniform on $[\mu(1 - t/2), \mu(1 + t/2)]$, with t the thickness relative to the mean radius.

    $$\frac{E R}{\sqrt{E R^2}} = \frac1{\sqrt{1 + t^2/12}}$$

    **Arguments**

    - `thickness`: t, above 0 and at most 2 (a radius is not negative).

    >>> print(round(float(Shell(0.1).mean_ratio(5)), 12))
    0.999583593569

    **Source:** note 003, section 2 (elliptical data).
    """

    thickness: Parameter

    def __init__(self, thickness: Any = 0.1) -> None:
        self.thickness = checks.real("thickness", thickness, "above 0 and at most 2", lambda x: (x > 0) & (x <= 2))

    def radii(self, key: PRNGKeyArray, chi: Float[Array, " size"], n: int) -> Float[Array, " size"]:
        offset = jax.random.uniform(key, chi.shape, chi.dtype, -0.5, 0.5)
        return math.sqrt(n) * real(self.mean_ratio(n)) * (1 + real(self.thickness) * offset)

    @exact
    def mean_ratio(self, n: int) -> Float[Exact, ""]:
        return 1 / jnp.sqrt(1 + real(self.thickness) ** 2 / 12)


RADIALS = {
    "gaussian": GaussianRadial,
    "student": StudentT,
    "laplace": LaplaceRadial,
    "sphere": Sphere,
    "shell": Shell,
}


def as_radial(value: Any) -> Radial:
    """A radial law, or the one of that name."""
    if isinstance(value, str):
        return from_text("radial law", value, RADIALS)
    if not isinstance(value, Radial):
        raise UserError(f"radial must be a radial law, such as Sphere() or 'student:5', but is {quoted(value)}.")
    return value


def _chi_ratio(n: int) -> float:
    """E chi / sqrt(E chi^2) for n degrees of freedom."""
    return math.sqrt(2 / n) * math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2))
