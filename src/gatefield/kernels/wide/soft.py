"""Soft gates of Gaussian sums, exact for every steepness: how gates, their slopes and what passes them overlap in the mean.

A logistic variable is a normal one of random variance V (that of 4 times the square of a Kolmogorov variable), so that
sigmoid(beta q) is the mean of 1(q + noise > 0) over noise of the variance V/beta^2. Means over q and q' are those of hard
gates behind such noise, which are known, averaged over V and V'.
"""

import itertools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gatefield.core import checks
from gatefield.core.arrays import Matrix, MatrixLike, Numbers, ScalarLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.kernels.arrays import Kernel, Samples, full_precision, numbers
from gatefield.kernels.moments import MOST_LAYERS
from gatefield.kernels.paths import layer_deviations
from gatefield.kernels.soft.passes import check_soft


def _variances() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights for means over V, by the trapezoid rule in log V, where both ends of the law fall off very fast.

    Forty nodes are good to 1e-15: in sum, for the mean pi^2/3 of V, and for the logistic function itself.
    """
    logs = np.linspace(-1.9, 1.5, 40)
    root, term = np.exp(logs), np.arange(1, 60)[:, None]
    density = 8 * root * ((-1.0) ** (term + 1) * term**2 * np.exp(-2 * term**2 * root**2)).sum(0)
    return 4 * root**2, density * root * (logs[1] - logs[0])


V, WEIGHTS = _variances()


def _steepness(name: str, value: Any) -> None:
    """One positive number; infinite for hard gates."""
    checks.real(name, value, "positive, or infinite for hard gates", lambda beta: beta > 0)
    if checks.shape(name, value) != ():
        raise UserError(f"{name} must be one number, but has the shape {np.shape(value)}; write {name}=4.0.")


def _reach(name: str, value: Any) -> None:
    checks.number(name, value)
    checks.real(name, value, "zero or more and finite", lambda eps: (eps >= 0) & np.isfinite(eps))


class _Means(NamedTuple):
    """Means over two Gaussian sums, (samples, samples); without the factor (1 + eps)^2."""

    gates: Any
    """E[G G']."""
    slopes: Any
    """E[dG/dq dG'/dq']."""
    passed: Any
    """E[q G q' G']."""


@given(cov=checks.covariance, beta=_steepness, eps=_reach, other=_steepness)
@exact
def soft_overlap(cov: MatrixLike, beta: ScalarLike, eps: ScalarLike = 0.0, *, other: ScalarLike | None = None) -> Matrix:
    r"""Mean product of the soft gates of two samples in one unit, whose sums q, q' are Gaussian.

    $$E[GG']=(1+\epsilon)^2\Big(\tfrac14+\tfrac1{2\pi}E\arcsin\frac{c}{\sqrt{(s^2+V/\beta^2)(s'^2+V'/\beta^2)}}\Big)$$

    with the variances $s^2$, $s'^2$ and the covariance c of the sums, and independent V, V', for which a normal variable of
    variance V is logistic. With growing beta it tends to $(1+\epsilon)^2$ times the chance that both hard gates are open: as
    $\frac12-\frac{1}{\sqrt{2\pi}\beta s}$ for a sample with itself, and for two samples of correlation $\rho=c/ss'$ as
    $\frac{\pi-\theta}{2\pi}-\frac{\pi\rho}{12\beta^2\sqrt{1-\rho^2}}\left(\frac1{s^2}+\frac1{s'^2}\right)$.

    **Arguments**

    - `cov`: covariance of the sums of a unit, (samples, samples).
    - `beta`: steepness of the gates; infinite for hard ones.
    - `eps`: how far gates reach above 1.
    - `other`: steepness of the second sample's gates, if it is another: the matrix is then not symmetric.

    **Returns** the mean products, (samples, samples); float64 NumPy unless traced. Times the width, they are what each layer
    of a wide network adds to `path_overlap`.

    >>> soft_overlap([[1.0, 0.5], [0.5, 1.0]], beta=4.0).round(4)
    array([[0.4088, 0.3187],
           [0.3187, 0.4088]])

    **Source:** paper 004, table 2 and section 3.1 (role of beta), which prints no rate; derived here.
    """
    steep = real(beta)
    return (1 + real(eps)) ** 2 * _means(real(cov), steep, steep if other is None else real(other)).gates


@given(cov=checks.covariance)
@exact
def soft_slope_overlap(cov: MatrixLike, beta: ScalarLike, eps: ScalarLike = 0.0) -> Matrix:
    r"""Mean product of the slopes of the soft gates of two samples in one unit, whose sums q, q' are Gaussian.

    $$E\Big[\frac{\partial G}{\partial q}\frac{\partial G'}{\partial q'}\Big]
    =\frac{(1+\epsilon)^2}{2\pi}E\frac{1}{\sqrt{(s^2+V/\beta^2)(s'^2+V'/\beta^2)-c^2}}$$

    with the symbols of `soft_overlap`. It does not vanish where gates get steep: for a sample with itself it grows as
    $\frac{\beta}{6\sqrt{2\pi}s}$, because few sums are near the edge but slopes there are $\beta/4$; for two samples it tends
    to $\frac{1}{2\pi ss'\sqrt{1-\rho^2}}$, the density of both sums at the edge. At depth 2 and with other weights of deviation
    sigma, $E[K^a]=w\sigma^4(x^\top x)\circ(x^\top x)\circ E[\partial G\,\partial G']$.

    **Arguments**

    - `cov`, `eps`: as for `soft_overlap`.
    - `beta`: steepness of the gates, finite.

    **Returns** the mean products, (samples, samples); float64 NumPy unless traced.

    >>> soft_slope_overlap([[1.0, 0.5], [0.5, 1.0]], beta=4.0).round(4)
    array([[0.256 , 0.1467],
           [0.1467, 0.256 ]])

    **Source:** paper 004, section 3.1 (sensitive gates); derived here.
    """
    steep, reach = check_soft(beta, eps)
    return (1 + real(reach)) ** 2 * _means(real(cov), real(steep), real(steep)).slopes


@given(x=numbers, sigma=numbers, beta=_steepness, eps=_reach)
@full_precision
@exact
def wide_soft_galu_ntk(
    x: Samples, depth: int, width: int, sigma: Numbers, beta: ScalarLike = 4.0, eps: ScalarLike = 0.1
) -> Kernel:
    r"""The mean of K^w, the strengths' part of the tangent kernel, in a wide soft-GaLU network.

    $$E[K^w]=d\,\sigma^{2(d-1)}\,(x^\top x)\circ\prod_{l=1}^{d-1}wE[G_lG_l']$$

    with the mean products $E[G_lG_l']$ of `soft_overlap`, for sums of the covariances $\sigma^2x^\top x$ and then
    $w\sigma^2E[q_lG_lq_l'G_l']$. It tends to $(1+\epsilon)^{2(d-1)}$ times `wide_galu_ntk`: as $1/\beta$ on the diagonal, where
    the same gate counts twice, and as $1/\beta^2$ between samples.

    **Arguments**

    - `x`, `depth`, `width`, `sigma`: as for `wide_galu_ntk`; both networks have normal weights of deviation sigma.
    - `beta`: steepness of the gates; infinite for hard ones.
    - `eps`: how far gates reach above 1.

    **Returns** E[K^w]; float64 NumPy unless traced.

    >>> wide_soft_galu_ntk([[1.0, 0.0], [1.0, 1.0]], depth=3, width=100, sigma=0.02**0.5, beta=4.0, eps=0.0).round(4)
    array([[0.8371, 0.8336],
           [0.8336, 1.8344]])

    **Source:** paper 004, lemma 3.1 (ii), corrected, with gates of a wide network; derived here.
    """
    checks.count("depth", depth, least=2, most=MOST_LAYERS)
    units, deviations = checks.count("width", width), layer_deviations(sigma, depth)
    if np.ndim(x) != 2:
        raise UserError(f"x must have the shape (samples, inputs), not {np.shape(x)}; put the samples first.")
    gram, steep, reach = jnp.matmul(real(x), real(x).T, precision="highest"), real(beta), (1 + real(eps)) ** 2
    K = Z = gram
    cov = deviations[0] ** 2 * gram
    for below, above in itertools.pairwise(deviations):
        one = _means(cov, steep, steep)
        Z = Z * (units * below**2 * reach * one.gates)
        K = Z + K * (units * above**2 * reach * one.gates)
        cov = units * above**2 * reach * one.passed
    return K


@jax.jit
def _means(cov: Any, beta: Any, other: Any) -> _Means:
    r"""All means, node by node of V and V'.

    For hard gates behind noise of the variances $\alpha$, $\alpha'$, with $D=(s^2+\alpha)(s'^2+\alpha')-c^2$: the chance that
    both are open is $P=\frac14+\frac1{2\pi}\mathrm{atan2}(c,\sqrt D)$, the density of both sums at the edge $1/2\pi\sqrt D$,
    and $E[qq'1\,1']=cP+(s^2s'^2-c^2+c^2\alpha/(s^2+\alpha)+c^2\alpha'/(s'^2+\alpha'))/2\pi\sqrt D$, from integrations by
    parts. Nothing cancels.
    """
    power = jnp.diagonal(cov)
    variances, weights = (real(np.array(part)) for part in (V, WEIGHTS))  # copies, as `core.precision.detached` says why
    gap = jnp.maximum(power[:, None] * power - cov**2, 0.0)

    def at(noise: Any, weight: Any, others: Any, each: Any) -> _Means:
        first, second = power[:, None] + noise, power + others
        root = jnp.sqrt(gap + power * noise + power[:, None] * others + noise * others)
        open_root = jnp.where(root == 0, 1.0, root)
        left, right = (cov**2 * jnp.where(part == 0, 0.0, part / jnp.where(sum_ == 0, 1.0, sum_))
                       for part, sum_ in ((noise, first), (others, second)))  # fmt: skip
        both = 0.25 + jnp.arctan2(cov, root) / (2 * jnp.pi)
        rest = jnp.where(root == 0, 0.0, (gap + left + right) / open_root) / (2 * jnp.pi)
        share = weight * each
        return _Means(share * both, share / (2 * jnp.pi * root), share * (cov * both + rest))

    def row(node: Any) -> _Means:
        each = jax.vmap(lambda others, weight: at(node[0], node[1], others, weight))(variances / other**2, weights)
        return jax.tree.map(lambda part: part.sum(0), each)

    return jax.tree.map(lambda part: part.sum(0), jax.lax.map(row, (variances / beta**2, weights)))
