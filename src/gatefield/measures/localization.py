"""How localized a field is, and where."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Complex, Float, Int, Num, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.precision import exact, real, scaled
from gatefield.measures.inputs import fields, known, known_fields
from gatefield.measures.labels import labelled

FieldsLike = Real[ArrayLike, "*batch n"] | Sequence
Scores = Float[Exact, "*batch"]


@labelled(("ipr", "inverse participation ratio"))
@given(w=fields)
@exact
def ipr(w: FieldsLike) -> Scores:
    r"""Inverse participation ratio of a field.

    $$\mathrm{IPR} = \frac{\sum_j w_j^4}{(\sum_j w_j^2)^2}$$

    1/n for a flat field, about 1.5/n for a sinusoid, 1 for a single site. It does not depend on the scale of `w`;
    the zero field has no ratio and gives NaN. Entries below the smallest normal number (2.2e-308, or 1.2e-38 under `jit` in
    single precision) count as zero.

    **Arguments**

    - `w`: one field (n,), or many (..., n); or a `DataArray`.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** the ratio of each field: a float64 NumPy array unless traced, or a `DataArray` without `dim`.

    >>> float(ipr([0.0, 2.0, 0.0, 0.0]))
    1.0
    >>> import xarray as xr
    >>> ipr(xr.DataArray([[1.0, 1.0], [0.0, 3.0]], dims=("unit", "position"))).dims
    ('unit',)
    """
    p = _shares(scaled(real(w)) ** 2)
    return jnp.sum(p**2, axis=-1)


@labelled(
    ("position_entropy", "entropy of the energy over positions", "nat"),
    ("frequency_entropy", "entropy of the energy over frequencies", "nat"),
)
@given(w=fields)
@exact
def entropies(w: FieldsLike) -> tuple[Scores, Scores]:
    r"""Entropies of a field's energy over positions and over frequencies, in nats.

    $$H_p = -\sum_j p_j\ln p_j,\quad p_j = \frac{w_j^2}{|w|^2};\qquad
    H_q = -\sum_k q_k\ln q_k,\quad q_k = \frac{|W_k|^2}{\sum_l|W_l|^2}$$

    with the complex DFT $W$; $H_p + H_q \ge \ln n$. The zero field has none and gives NaN.

    **Arguments**

    - `w`: one field (n,), or many (..., n); or a `DataArray`.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** $(H_p, H_q)$, both for each field.

    >>> [round(float(h), 6) + 0.0 for h in entropies([1.0, 0.0, 0.0, 0.0])]
    [0.0, 1.386294]

    **Source:** note 002, section on uncertainty.
    """
    w = scaled(real(w))
    return _entropy(_shares(w**2)), _entropy(_shares(energy(jnp.fft.fft(w, axis=-1))))


@labelled(("position_resultant", "length of the circular mean of position"))
@given(w=fields)
@exact
def position_resultant(w: FieldsLike) -> Scores:
    r"""Length of the circular mean of position.

    $$U = \Big|\sum_j p_j e^{2\pi i j/n}\Big|,\qquad p_j = w_j^2/|w|^2$$

    1 for a single site, 0 for a field spread evenly over the ring, NaN for the zero field.

    **Arguments**

    - `w`: one field (n,), or many (..., n); or a `DataArray`.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** U of each field.

    >>> round(float(position_resultant([0.0, 3.0, 0.0, 0.0])), 12)
    1.0
    """
    return position_length(scaled(real(w)))


@labelled(("peak_position", "site of the largest weight", "site"))
@given(w=known_fields)
@exact
def peak_position(w: FieldsLike) -> Int[Exact, "*batch"]:
    """The site where the field is largest in absolute value; the first of equal ones, and 0 for the zero field.

    **Arguments**

    - `w`: one field (n,), or many (..., n); or a `DataArray`.
    - `dim`: the dimension of a `DataArray` that holds the sites, which are counted from 0.

    **Returns** the site of each field. NaN has no place and is refused; under `jit` it gives -1.

    >>> int(peak_position([0.1, -2.0, 0.3]))
    1
    """
    w = jnp.asarray(w)
    return jnp.where(jnp.isnan(w).any(-1), -1, jnp.argmax(jnp.abs(w), axis=-1))


@labelled(("circular_distance", "distance on the ring", "site"), dim=())
@given(i=known, j=known, n=checks.count)
@exact
def circular_distance(
    i: Real[ArrayLike, "*#batch"] | Sequence, j: Real[ArrayLike, "*#batch"] | Sequence, n: int
) -> Real[Exact, "*batch"]:
    """Distance of two positions on a ring of `n` sites.

    **Arguments**

    - `i`, `j`: positions, numbers or arrays that broadcast.
    - `n`: the number of sites.

    **Returns** the shorter way around the ring, in sites.

    >>> int(circular_distance(1, 39, 40))
    2
    """
    lag = jnp.mod(_whole("i", i) - _whole("j", j), n)
    return jnp.minimum(lag, n - lag)


def _whole(name: str, value: Any) -> Array:
    """Whole numbers stay whole."""
    return jnp.asarray(value if isinstance(value, jax.Array) else checks.numbers(name, value))


def position_length(w: Num[Array, "*batch n"]) -> Float[Array, "*batch"]:
    """`position_resultant` of scaled fields, which may be complex."""
    n = w.shape[-1]
    angle = 2 * jnp.pi * jnp.arange(n) / n
    return modulus(jnp.sum(_shares(energy(w)) * jnp.exp(1j * angle), axis=-1))


def energy(w: Num[Array, "*shape"]) -> Float[Array, "*shape"]:
    return jnp.real(w) ** 2 + jnp.imag(w) ** 2


def modulus(z: Complex[Array, "*batch"]) -> Float[Array, "*batch"]:
    """The absolute value, with derivative 0 at 0."""
    square = energy(z)
    zero = square == 0
    return jnp.where(zero, 0.0, jnp.sqrt(jnp.where(zero, 1.0, square)))


def _shares(energies: Float[Array, "*batch n"]) -> Float[Array, "*batch n"]:
    """Each entry's share of the whole; NaN for zeros."""
    return energies / jnp.sum(energies, axis=-1, keepdims=True)


def _entropy(p: Float[Array, "*batch n"]) -> Float[Array, "*batch"]:
    empty = p == 0  # false for NaN, which stays NaN
    return -jnp.sum(jnp.where(empty, 0.0, p * jnp.log(jnp.where(empty, 1.0, p))), axis=-1)
