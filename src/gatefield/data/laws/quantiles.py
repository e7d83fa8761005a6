"""Quantile functions, which give the sites of a field a law of one's choice."""

import abc
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
from jax.scipy.special import erf, erfc, ndtr, ndtri
from jaxtyping import Array, ArrayLike, Float

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.text.quoted import quoted
from gatefield.core.text.shown import shown
from gatefield.core.tracing.functions import shape_of, values_of
from gatefield.data.arrays import Parameter
from gatefield.data.laws.named import from_text


class Quantile(eqx.Module):
    """A quantile function Q composed with the normal distribution function Phi, accurate in both tails.

    A new one is a final class with `from_normal(z)`, which gives Q(Phi(z)) without forming Phi(z) where that would round
    to 1. Its mean and variance need not be 0 and 1, but must exist. Q may have a kink or a jump at the median; if it has
    others, the property `breaks` gives the z where they lie.
    """

    symmetric: ClassVar[bool] = False
    """Whether the law is known to be the same about its mean when mirrored."""
    continuous: ClassVar[bool] = False
    """Whether no value is known to have a positive probability."""

    def __repr__(self) -> str:
        return shown(self)

    @abc.abstractmethod
    def from_normal(self, z: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Q(Phi(z))."""

    @property
    def breaks(self) -> tuple[float, ...]:
        """The z other than 0 at which Q(Phi(z)) has a kink or a jump."""
        return ()

    def __call__(self, u: Float[ArrayLike, "*shape"]) -> Float[Array, "*shape"]:
        """Q(u)."""
        return self.from_normal(ndtri(real(u)))


class Uniform(Quantile):
    r"""The uniform law: $Q(u) = 2u - 1$.

    >>> float(Uniform()(0.75))
    0.5
    """

    symmetric, continuous = True, True

    def from_normal(self, z: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        return erf(z / np.sqrt(2))


class Laplace(Quantile):
    r"""The Laplace law: $Q(u) = -\operatorname{sign}(v) \log(1 - |v|)$ with $v = 2u - 1$.

    >>> print(round(float(Laplace()(0.75)), 6))  # log 2
    0.693147
    """

    symmetric, continuous = True, True

    def from_normal(self, z: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        size = jnp.abs(z) / np.sqrt(2)
        near = jnp.log1p(-erf(jnp.minimum(size, 1.0)))
        return -jnp.sign(z) * jnp.where(size < 1, near, jnp.log(erfc(jnp.maximum(size, 1.0))))


class Algebraic(Quantile):
    r"""A law with algebraic tails: $Q(u) = v/(1 - |v|^k)^{1/k}$ with $v = 2u - 1$.

    The density falls off as $|x|^{-k-1}$, so that the variance is finite for $k > 2$; k = 2 would be Student t with
    2 degrees of freedom. The larger k, the nearer to uniform.

    **Arguments**

    - `k`: the exponent, above 2.

    >>> print(round(float(Algebraic(4)(0.75)), 6))  # 0.5 / (15/16)**(1/4)
    0.508133
    """

    symmetric, continuous = True, True

    k: Parameter

    def __init__(self, k: Any) -> None:
        if 0 in checks.shape("k", k):
            raise UserError("k must be one number, or one for each run, but there is none; write for instance k=4.")
        self.k = checks.real("k", k, "above 2, for a finite variance, and finite", lambda x: (x > 2) & np.isfinite(x))

    def from_normal(self, z: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        return erf(z / np.sqrt(2)) * _tail(real(self.k), jnp.abs(z) / np.sqrt(2))


class QuantileFunction(Quantile):
    """Any quantile function u -> Q(u); its argument is kept inside (0, 1) in the working precision.

    **Arguments**

    - `function`: elementwise, written with jax.numpy, and the same object whenever the same is meant.
    - `breaks`: the u in (0, 1), other than the median, at which it has a kink or a jump; moments are then still exact.

    >>> import jax.numpy as jnp
    >>> levels = QuantileFunction(lambda u: jnp.where(u < 0.2, -1.0, jnp.where(u > 0.8, 1.0, 0.0)), breaks=(0.2, 0.8))
    >>> float(levels(0.9))
    1.0
    """

    function: Callable[[Array], Array] = eqx.field(static=True)
    places: tuple[float, ...] = eqx.field(static=True)

    def __init__(self, function: Callable[[Array], Array], breaks: Sequence[float] = ()) -> None:
        self.function = _traceable(function)
        if len(checks.shape("breaks", breaks)) != 1:
            raise UserError(f"breaks must be a list of numbers, but is {quoted(breaks)}; write breaks=(0.2, 0.8).")
        places = checks.real("breaks", breaks, "strictly between 0 and 1", lambda u: (u > 0) & (u < 1))
        self.places = tuple(float(u) for u in places)

    def __repr__(self) -> str:
        return shown(self, breaks=self.places)

    @property
    def breaks(self) -> tuple[float, ...]:
        return tuple(float(z) for z in scipy.special.ndtri(self.places))

    def from_normal(self, z: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        limits = jnp.finfo(z.dtype)
        return values_of(_RULE, self.function, jnp.clip(ndtr(z), limits.tiny, 1 - limits.epsneg))


_RULE = "quantile must be an elementwise function of numbers from 0 to 1, written with jax.numpy"

QUANTILES = {"uniform": Uniform, "laplace": Laplace, "algebraic": Algebraic}


def as_quantile(value: Any) -> Quantile:
    """A quantile function, the one of that name, or a plain function of u."""
    if isinstance(value, str):
        return from_text("quantile", value, QUANTILES)
    if isinstance(value, Quantile):
        return value
    if not callable(value):
        raise UserError(f"quantile must be a function of u, a Quantile, or a name such as 'laplace', but is {quoted(value)}.")
    return QuantileFunction(cast(Callable[[Array], Array], value))


@jax.custom_jvp
def _tail(k: Array, size: Array) -> Array:
    """(1 - v^k)^(-1/k) with v = erf(size), accurate near v = 1."""
    return _rest(k, size) ** (-1 / k)


@_tail.defjvp
def _tail_slope(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    """By its logarithm, as powers of 1 - v^k overflow; log v is bounded, since v^k log v is 0 at v = 0."""
    (k, size), (dk, dsize) = primals, tangents
    value, rest, log_v = _tail(k, size), _rest(k, size), jnp.maximum(jnp.log1p(-erfc(size)), -100.0)
    steepness = 2 / np.sqrt(np.pi) * jnp.exp(-(size**2)) / jnp.maximum(erf(size), 1e-30)
    odds = jnp.exp(k * log_v) / rest
    return value, value * ((jnp.log(rest) / k**2 + odds * log_v / k) * dk + odds * steepness * dsize)


def _rest(k: Array, size: Array) -> Array:
    """1 - erf(size)^k."""
    return -jnp.expm1(k * jnp.log1p(-erfc(size)))


def _traceable(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    if not callable(function):
        raise UserError(f"quantile must be a function of numbers from 0 to 1, but is {quoted(function)}; write lambda u: u.")
    u = jax.ShapeDtypeStruct((3,), jnp.result_type(float))
    shape = shape_of(_RULE, lambda u: function(u), u)
    if shape != (3,):
        raise UserError(f"quantile must be elementwise, but {quoted(function)} gives shape {shape} for shape (3,).")
    return function
