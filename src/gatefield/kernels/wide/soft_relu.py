"""Wide soft-ReLU networks, whose soft gates are those of their own weights."""

from gatefield.core.arrays import Numbers, ScalarLike
from gatefield.core.checks import given
from gatefield.core.precision import exact
from gatefield.kernels.arrays import Kernel, Samples, full_precision, numbers
from gatefield.kernels.wide.means import reach, soft_layers, steepness


@given(x=numbers, sigma=numbers, beta=steepness, eps=reach)
@full_precision
@exact
def wide_soft_relu_ntk(
    x: Samples, depth: int, width: int, sigma: Numbers, beta: ScalarLike = 4.0, eps: ScalarLike = 0.1
) -> Kernel:
    r"""The tangent kernel of a wide soft-ReLU network, whose soft gates are those of its own weights.

    $$K=\sum_{l=1}^{d}Z_{l-1}\prod_{m=l}^{d-1}w\sigma^2E[f'(q_m)f'(q_m')],\qquad Z_l=wE[f(q_l)f(q_l')],\qquad
    f(q)=qG(q)=(1+\epsilon)\,q\,\mathrm{sigmoid}(\beta q)$$

    with $Z_0=x^\top x'$ and normal sums $q_l$ of the covariance $\sigma^2Z_{l-1}$. The slope $f'=G+qG'$ has both what the
    weights do as strengths of paths and what they do through the gates: it is the whole kernel, the sum of all parts of
    `soft_relu_ntk`, in the limit of large width. It tends to $(1+\epsilon)^{2(d-1)}$ times `wide_relu_ntk`. For a sample with
    itself, sums of variance $s^2$ and $\epsilon=0$

    $$E[f'^2]=\frac12+\frac{\pi^2/18-1/3}{\sqrt{2\pi}\,\beta s}+O(\beta^{-3}),\qquad
    E[f^2]=\frac{s^2}2-\frac{\pi^2s^2}{3\sqrt{2\pi}(\beta s)^3}+O(\beta^{-5}),$$

    so that the diagonal comes down to its limit as $1/\beta$. The strengths alone would come up to it,
    $E[G^2]=\frac12-\frac1{\sqrt{2\pi}\beta s}$, but the cross terms, $+\frac1{\sqrt{2\pi}\beta s}$, make up for it, and what
    is left is the part of the gates. For two samples at the angle $\theta$, and $\beta s\sin\theta$ large,

    $$E[f'f'^\prime]=\frac{\pi-\theta}{2\pi}+\frac{\pi\cot\theta}{12\beta^2}\Big(\frac1{s^2}+\frac1{s'^2}\Big)
    +O(\beta^{-4}),\qquad E[ff']=E_\infty-\frac{\pi\sin\theta}{12\beta^2}\Big(\frac s{s'}+\frac{s'}s\Big)+O(\beta^{-4}),$$

    with the opposite sign of what `soft_overlap` says of gates, because $f$ is the ReLU function less $\pi^2/6\beta^2$ times a
    delta function. At depth 2, $K=K_\infty+\frac{\pi w}{12\beta^2}\left(\frac s{s'}+\frac{s'}s\right)
    \frac{\cos2\theta}{\sin\theta}$: below its limit between 45 and 135 degrees, else above.

    **Arguments**

    - `x`, `depth`, `width`, `sigma`: as for `wide_relu_ntk`; weights are normal.
    - `beta`: steepness of the gates; infinite for hard ones.
    - `eps`: how far gates reach above 1.

    **Returns** K; float64 NumPy unless traced.

    >>> wide_soft_relu_ntk([[1.0, 0.0], [0.0, 1.0]], depth=3, width=2, sigma=1.0, beta=4.0, eps=0.0).round(4)
    array([[2.9375, 0.5628],
           [0.5628, 2.9375]])

    **Source:** paper 004, section 3 (soft-ReLU) and section 3.1 (role of beta), which prints no rate; derived here.
    """
    K, layers = soft_layers(x, depth, width, sigma, beta, eps)
    for layer in layers:
        K = layer.leaving + K * (layer.above * layer.means.answers)
    return K
