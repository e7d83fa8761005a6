"""Gaussian expectations of error-function units s(h) = erf(h/sqrt 2), h = w.x + b, for x ~ N(0, C).

A unit sees its input only through b and the power s = w'Cw. Multiplying N(0, C) by the slope s'(h_j) gives a Gaussian again, of
mean -b_j C w_j/(1 + s_jj) and covariance C - C w_j w_j'C/(1 + s_jj): under it, unit k has another bias and another power.
"""

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf
from jaxtyping import Array

from gatefield.core.arrays import Exact, Field, FieldLike, MatrixLike, Scalar, ScalarLike
from gatefield.core.checks import given
from gatefield.core.precision import real
from gatefield.theory.erf.bivariate import sign_product_mean
from gatefield.theory.erf.compiled import compiled
from gatefield.theory.erf.inputs import ONE_UNIT, TWO_UNITS
from gatefield.theory.erf.tilt import tilted, units
from gatefield.theory.inputs import check_sites


@given(**ONE_UNIT)
@compiled
def mean(w: FieldLike, b: ScalarLike, cov: MatrixLike) -> Scalar:
    r"""Mean output of a unit: $E\,s(h) = \operatorname{erf}\big(b/\sqrt{2(1+s)}\big)$ with $s = w^\top C w$.

    **Arguments**

    - `w`: field.
    - `b`: bias.
    - `cov`: covariance C of the input.

    **Returns** the mean; float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(round(float(mean([1.0, 0.0], 1.0, np.eye(2))), 12))
    0.520499877813

    **Source:** section 3 of note 002, "Around init".
    """
    w, b, cov = _unit(w, b, cov)
    return unit_mean(b, w @ cov @ w)


@given(**ONE_UNIT)
@compiled
def slope_mean(w: FieldLike, b: ScalarLike, cov: MatrixLike) -> Scalar:
    r"""Mean slope of a unit.

    $$E\,s'(h) = H = \sqrt{\tfrac2\pi}\,\frac{e^{-b^2/(2(1+s))}}{\sqrt{1+s}}, \qquad s = w^\top C w$$

    **Arguments**

    - `w`: field.
    - `b`: bias.
    - `cov`: covariance C of the input.

    **Returns** the mean slope; float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(round(float(slope_mean([0.0, 0.0], 0.0, np.eye(2))) ** 2 * np.pi, 12))
    2.0

    **Source:** note 002, equation 39, which has it for erf(h).
    """
    w, b, cov = _unit(w, b, cov)
    return unit_slope(b, w @ cov @ w)


@given(**ONE_UNIT)
@compiled
def slope_input_mean(w: FieldLike, b: ScalarLike, cov: MatrixLike) -> Field:
    r"""Mean input weighted by the slope of a unit: $E[s'(h)\,x] = -\frac{b H}{1+s}\,Cw$, with H = `slope_mean`.

    **Arguments**

    - `w`: field.
    - `b`: bias.
    - `cov`: covariance C of the input.

    **Returns** the mean (n,); float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(slope_input_mean([1.0, 0.0], 0.5, np.eye(2)).round(6))
    [-0.132502 -0.      ]

    **Source:** note 002 leaves the motion of the field out; by Stein's lemma.
    """
    w, b, cov = _unit(w, b, cov)
    image = cov @ w
    s = w @ image
    return -b * unit_slope(b, s) / (1 + s) * image


@given(**TWO_UNITS)
@compiled
def product_slope_mean(w_j: FieldLike, b_j: ScalarLike, w_k: FieldLike, b_k: ScalarLike, cov: MatrixLike) -> Scalar:
    r"""Mean output of unit k times the slope of unit j.

    $$E[s(h_k)\,s'(h_j)] = H_j \operatorname{erf}\frac{m}{\sqrt{2(1+v)}}, \qquad
    m = b_k - \frac{s_{jk}b_j}{1+s_{jj}}, \quad v = s_{kk} - \frac{s_{jk}^2}{1+s_{jj}}$$

    with $s_{jk} = w_j^\top C w_k$ and $H_j$ = `slope_mean`; k = j is allowed.

    **Arguments**

    - `w_j`, `b_j`: field and bias of the unit whose slope is taken.
    - `w_k`, `b_k`: of the other.
    - `cov`: covariance C of the input.

    **Returns** the mean; float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(float(product_slope_mean([1.0, 0.0], 0.0, [0.3, 0.4], 0.0, np.eye(2))))
    0.0

    **Source:** section 3 of note 002, "Multiple Neurons", with the shift of the mean corrected; equation 41 for erf(h) and k =
    j.
    """
    w_j, b_j, cov = _unit(w_j, b_j, cov)
    w_k, b_k, cov = _unit(w_k, b_k, cov)
    one, other = units(w_j[None], b_j[None], cov), units(w_k[None], b_k[None], cov)
    tilt = tilted(one, other)
    return unit_slope(b_j, one.powers[0]) * unit_mean(tilt.mean, tilt.variance)[0, 0]


@given(**TWO_UNITS)
@compiled
def product_slope_input_mean(w_j: FieldLike, b_j: ScalarLike, w_k: FieldLike, b_k: ScalarLike, cov: MatrixLike) -> Field:
    r"""Mean input weighted by the output of unit k and the slope of unit j.

    $$E[s(h_k)\,s'(h_j)\,x] = H_j\Big\{-\frac{b_j}{1+s_{jj}}\operatorname{erf}\frac{m}{\sqrt{2(1+v)}}\,Cw_j
    + \sqrt{\tfrac2\pi}\,\frac{e^{-m^2/(2(1+v))}}{\sqrt{1+v}}\Big[Cw_k - \frac{s_{jk}}{1+s_{jj}}\,Cw_j\Big]\Big\}$$

    with m, v and $H_j$ as in `product_slope_mean`; k = j is allowed.

    **Arguments**

    - `w_j`, `b_j`: field and bias of the unit whose slope is taken.
    - `w_k`, `b_k`: of the other.
    - `cov`: covariance C of the input.

    **Returns** the mean (n,); float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(product_slope_input_mean([0.0, 0.0], 0.0, [1.0, 0.0], 0.0, np.eye(2)).round(6))
    [0.450158 0.      ]

    **Source:** note 002 leaves the motion of the field out; by Stein's lemma under the tilted Gaussian.
    """
    w_j, b_j, cov = _unit(w_j, b_j, cov)
    w_k, b_k, cov = _unit(w_k, b_k, cov)
    one, other = units(w_j[None], b_j[None], cov), units(w_k[None], b_k[None], cov)
    m, v, rest, keep = (part[0, 0] for part in tilted(one, other))
    s = one.powers[0]
    field = unit_slope(m, v) * (rest + keep * w_j) - b_j / (1 + s) * unit_mean(m, v) * w_j
    return unit_slope(b_j, s) * jnp.matmul(field, cov, precision="highest")


@given(**TWO_UNITS)
@compiled
def kernel(w_j: FieldLike, b_j: ScalarLike, w_k: FieldLike, b_k: ScalarLike, cov: MatrixLike) -> Scalar:
    r"""Mean product of the outputs of two units.

    $$E[s(h_j)\,s(h_k)] = 4\Phi_2(a_j,a_k;r) - 2\Phi(a_j) - 2\Phi(a_k) + 1, \qquad
    a = \frac{b}{\sqrt{1+s}}, \quad r = \frac{s_{jk}}{\sqrt{(1+s_{jj})(1+s_{kk})}}$$

    with $\Phi_2$ the bivariate normal distribution function; without biases it is $\frac2\pi\arcsin r$.

    **Arguments**

    - `w_j`, `b_j`, `w_k`, `b_k`: fields and biases of the two units.
    - `cov`: covariance C of the input.

    **Returns** the mean product; float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(round(float(kernel([1.0, 0.0], 0.0, [1.0, 0.0], 0.0, np.eye(2))), 12))
    0.333333333333

    **Source:** note 002 has no loss; without biases the arcsine kernel.
    """
    w_j, b_j, cov = _unit(w_j, b_j, cov)
    w_k, b_k, cov = _unit(w_k, b_k, cov)
    return unit_kernel(b_j, w_j @ cov @ w_j, w_j @ cov @ w_k, b_k, w_k @ cov @ w_k)


def _unit(w: FieldLike, b: ScalarLike, cov: MatrixLike) -> tuple[Array, Array, Array]:
    """A unit and its covariance as arrays that fit each other."""
    check_sites(w, cov)
    return real(w), real(b), real(cov)


def unit_mean(b: Array, s: Array) -> Array:
    """E s(h) for h of mean b and variance s."""
    return erf(b / jnp.sqrt(2 * (1 + s)))


def unit_slope(b: Array, s: Array) -> Array:
    """E s'(h) for h of mean b and variance s."""
    return np.sqrt(2 / np.pi) * jnp.exp(-(b**2) / (2 * (1 + s))) / jnp.sqrt(1 + s)


def unit_kernel(b_j: Array, s_jj: Array, s_jk: Array, b_k: Array, s_kk: Array) -> Exact:
    """E s(h_j) s(h_k) for means b and covariances s."""
    a_j, a_k = b_j / jnp.sqrt(1 + s_jj), b_k / jnp.sqrt(1 + s_kk)
    return sign_product_mean(a_j, a_k, s_jk / jnp.sqrt((1 + s_jj) * (1 + s_kk)))
