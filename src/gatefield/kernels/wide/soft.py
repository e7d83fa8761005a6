"""Soft gates of wide networks: how gates and their slopes overlap in the mean, and GaLU networks with such gates."""

from gatefield.core import checks
from gatefield.core.arrays import Matrix, MatrixLike, Numbers, ScalarLike
from gatefield.core.checks import given
from gatefield.core.precision import exact, real
from gatefield.kernels.arrays import Kernel, Samples, full_precision, numbers
from gatefield.kernels.soft.passes import check_soft
from gatefield.kernels.wide.means import reach, soft_layers, soft_means, steepness


@given(cov=checks.covariance, beta=steepness, eps=reach, other=steepness)
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
    return (1 + real(eps)) ** 2 * soft_means(real(cov), steep, steep if other is None else real(other)).gates


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
    steep, over = check_soft(beta, eps)
    return (1 + real(over)) ** 2 * soft_means(real(cov), real(steep), real(steep)).slopes


@given(x=numbers, sigma=numbers, beta=steepness, eps=reach)
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
    K, layers = soft_layers(x, depth, width, sigma, beta, eps)
    Z = K
    for layer in layers:
        Z = Z * (layer.below * layer.means.gates)
        K = Z + K * (layer.above * layer.means.gates)
    return K
