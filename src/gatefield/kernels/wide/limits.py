"""The tangent kernels of wide ReLU and GaLU networks: a recursion of angles between samples, layer by layer.

Behind a wide layer of independent weights the sums of two samples are Gaussian, and all that matters of them is the angle
theta between what enters. Both gates are open with the probability (pi - theta)/2 pi, and the angle behind the gates has the
cosine (sin theta + (pi - theta) cos theta)/pi. Angles are kept, and not cosines, which would lose half of the digits of small
ones; deep networks make all angles small.
"""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gatefield.core import checks
from gatefield.core.arrays import Numbers
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.kernels.arrays import Kernel, Samples, float_arrays, full_precision, numbers
from gatefield.kernels.moments import MOST_LAYERS
from gatefield.kernels.paths import layer_deviations

SMALL = 0.2
"""Angles below it, in radians, take the series: its sixth term is then below 1e-15 of the first."""
EXCESS = (1 / 3, -1 / 30, 1 / 840, -1 / 45_360, 1 / 3_991_680)
"""sin a - a cos a = a^3 (1/3 - a^2/30 + a^4/840 - ...)."""


@given(x=numbers, sigma=numbers, first=numbers)
@full_precision
def wide_relu_ntk(x: Samples, depth: int, width: int, sigma: Numbers, *, first: Numbers | None = None) -> Kernel:
    r"""The tangent kernel of a wide ReLU network, whose gates are those of its own weights.

    $$K=\sum_{l=1}^{d}Z_{l-1}\prod_{m=l}^{d-1}w\sigma^2P_m,\qquad P_l=\frac{\pi-\theta_l}{2\pi},\qquad
    Z_l=|z_l||z_l'|\cos\theta_{l+1}$$

    with $Z_0=x^\top x'$, the angle $\theta_1$ between x and x', and then, layer by layer,
    $\cos\theta_{l+1}=(\sin\theta_l+(\pi-\theta_l)\cos\theta_l)/\pi$ and $|z_l|^2=\frac12w\sigma^2|z_{l-1}|^2$. With a
    fixed $w\sigma^2$ it is the limit of large width; normal weights have it for their mean up to O(1/w), and on the diagonal
    exactly. No entry is below that of `wide_galu_ntk`, because $\cos\theta_{l+1}\geq2P_l\cos\theta_l$. With $w\sigma^2=2$ and
    growing depth $K(s,s')\to\frac14 d|x||x'|$ for all pairs of samples that are not parallel.

    **Arguments**

    - `x`: inputs (samples, fan-in).
    - `depth`: d layers of weights.
    - `width`: w units in each of the d - 1 gated layers.
    - `sigma`: standard deviation of the weights, or one for each of the d layers.
    - `first`: the weights of the first layer, if few are possible: all of them (choices, fan-in), equally likely, in units of
      sigma. Weights +-sigma on two inputs are four choices, whose sums are not Gaussian. By default they are normal.

    **Returns** K; float64 NumPy unless traced.

    >>> wide_relu_ntk([[1.0, 0.0], [0.0, 1.0]], depth=3, width=100, sigma=0.02**0.5).round(4)
    array([[3.    , 0.6857],
           [0.6857, 3.    ]])

    **Source:** paper 004, section 1, leaves it to future work; the recursion is that of the arc-cosine kernels.
    """
    return _Wide(x, depth, width, sigma, first).kernel(own=True)


@given(x=numbers, sigma=numbers, first=numbers)
@full_precision
def wide_galu_ntk(x: Samples, depth: int, width: int, sigma: Numbers, *, first: Numbers | None = None) -> Kernel:
    r"""The mean tangent kernel of a wide GaLU network, whose gates are those of another, independent ReLU network.

    $$E[K]=d\,\sigma^{2(d-1)}\,(x^\top x)\circ\lambda,\qquad
    \lambda=\prod_{l=1}^{d-1}w P_l,\qquad P_l=\frac{\pi-\theta_l}{2\pi}$$

    with the angles of `wide_relu_ntk`. It is `expected_ntk` averaged over the gates of normal weights, up to O(1/w), and
    on the diagonal exactly. With depth $\theta_l\to3\pi/l$, so that between samples it falls as $d^{-3}$ beside the diagonal.

    **Arguments**

    - `x`, `depth`, `width`, `sigma`: as for `wide_relu_ntk`; the weights of the gating network may be of any size.
    - `first`: as for `wide_relu_ntk`, of the gating network.

    **Returns** E[K]; float64 NumPy unless traced.

    >>> wide_galu_ntk([[1.0, 0.0], [1.0, 1.0]], depth=3, width=100, sigma=0.02**0.5).round(4)
    array([[3.    , 1.7383],
           [1.7383, 6.    ]])

    **Source:** paper 004, theorem 2.3, with gates of a wide network by the arc-cosine kernels.
    """
    return _Wide(x, depth, width, sigma, first).kernel(own=False)


class _Wide:
    """A wide network and its samples, checked."""

    def __init__(self, x: Any, depth: int, width: int, sigma: Any, first: Any) -> None:
        checks.count("depth", depth, least=2, most=MOST_LAYERS)
        self.width = checks.count("width", width)
        self.deviations = layer_deviations(sigma, depth)
        (self.x,), choices = float_arrays([x], [] if first is None else [first], exact=True)
        if self.x.ndim != 2:
            raise UserError(f"x must have the shape (samples, inputs), not {self.x.shape}; put the samples first.")
        self.first: Any = choices[0] if choices else None
        if choices and (self.first.ndim != 2 or self.first.shape[1] != self.x.shape[1]):
            rule = f"(choices, {self.x.shape[1]}), as many as there are inputs"
            raise UserError(f"first must have the shape {rule}, not {self.first.shape}; transpose or cut it.")
        traced = any(isinstance(value, jax.Array) for value in (self.x, self.first, *self.deviations))
        self.xp: Any = jnp if traced else np

    def layers(self) -> Iterator[tuple[Any, Any]]:
        """For each gated layer: how likely both gates are open, and the products of what leaves a ReLU network there."""
        xp, x = self.xp, self.x
        lengths, angles = self.polar(x)
        for layer, sigma in enumerate(self.deviations[:-1]):
            gain = self.width * sigma**2
            if layer == 0 and self.first is not None:
                q = x @ self.first.T
                opened = (q > 0) + 0 * q  # NaN stays NaN
                both = opened @ opened.T / len(self.first)
                lengths, angles = self.polar(q * opened * xp.sqrt(gain / len(self.first)))
            else:
                both = (np.pi - angles) / (2 * np.pi)
                lengths, angles = lengths * xp.sqrt(gain / 2), self.behind_gates(angles)
            yield both, lengths[:, None] * lengths * xp.cos(angles)

    def kernel(self, *, own: bool) -> Any:
        """K for gates of its own or of another network; a layer adds its own weights, and passes on those below."""
        K = Z = self.x @ self.x.T
        for (both, relu), below, above in zip(self.layers(), self.deviations, self.deviations[1:], strict=False):
            Z = relu if own else Z * (self.width * below**2 * both)
            K = Z + K * (self.width * above**2 * both)
        return K

    def polar(self, x: Any) -> tuple[Any, Any]:
        """Lengths of the rows, and angles between them: exactly 0 for a row and itself, and to rounding for near ones."""
        xp = self.xp
        largest = xp.abs(x).max(1)
        scale = xp.where(largest == 0, 1.0, largest)
        rows = x / scale[:, None]
        size = xp.sqrt((rows**2).sum(1))
        units = rows / xp.where(size == 0, 1.0, size)[:, None]
        apart, along = (xp.stack([xp.sqrt(((units + sign * row) ** 2).sum(1)) for row in units]) for sign in (-1, 1))
        return scale * size, 2 * xp.arctan2(apart, along)

    def behind_gates(self, angles: Any) -> Any:
        """From angles before a layer of ReLU units to those behind it, by 1 - cos, in which nothing cancels."""
        xp = self.xp
        near = xp.where(angles < SMALL, angles, 0.0)
        series = near**3 * xp.polyval(np.array(EXCESS[::-1]), near**2)
        excess = xp.where(angles < SMALL, series, xp.sin(angles) - angles * xp.cos(angles))
        drop = xp.maximum(2 * xp.sin(angles / 2) ** 2 - excess / np.pi, 0.0)
        return 2 * xp.arctan2(xp.sqrt(drop), xp.sqrt(2 - drop))
