r"""The tie rule: on the edge a hard gate is one half, and rounding does not decide what lies there.

An input lies on the edge of the gate $1(\langle w,x\rangle > \theta)$ if $|\langle w,x\rangle - \theta|$ is at most

$$n\,\varepsilon\,(|w|_1 \max_i|x_i| + |\theta|)$$

with n the number of sites and $\varepsilon$ the spacing of the float type at 1 (1e-7 in float32, 2e-16 in float64). A computed
inner product is off by at most half of that; the other half is for weights and inputs that were rounded themselves. Sums that
are compared in integers (`theory.hypercube.chow`, `margin`) need no such rule. The gates of layered networks, $1(q > 0)$ of a
sum q, follow the convention of ReLU at q = 0 and are shut there.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from gatefield.core.arrays import Exact


def tied_sign(h: Float[Exact, "*h"], scale: Float[Exact, "*#h"], n: int) -> Float[Array, "*h"]:
    """The sign of `h`, an inner product over `n` sites less its threshold; 0 where it is 0 up to rounding.

    **Arguments**

    - `h`: the inner product less its threshold.
    - `scale`: |w|_1 max|x| + |threshold|, or a bound of it.
    - `n`: number of sites, each of which adds its rounding.

    >>> import jax.numpy as jnp
    >>> tied_sign(jnp.array([0.1 + 0.2 - 0.3, 0.001]), jnp.array(0.6), 3).tolist()
    [0.0, 1.0]
    """
    rounding = n * jnp.finfo(h.dtype).eps * scale
    return jnp.where(jnp.abs(h) <= rounding, 0.0, jnp.sign(h)).astype(h.dtype)


def inner_sign(
    h: Float[Exact, "*h"], x: Float[Exact, "*#h n"], w: Float[Exact, "*#h n"], threshold: Float[Exact, "#K"] | float = 0.0
) -> Float[Array, "*h"]:
    """The sign of `h`, which was computed as <w, x> less a threshold; 0 where rounding could have decided it.

    The sites of `x` and `w` are the last axis; their other axes are broadcast to those of `h`.

    >>> import jax.numpy as jnp
    >>> x, w = jnp.array([0.1, 0.2, -0.3]), jnp.array([[1.0, 1.0, 1.0], [1.0, 1.0, 0.5]])
    >>> inner_sign(w @ x, x, w).tolist()
    [0.0, 1.0]
    """
    scale = jnp.sum(jnp.abs(w), axis=-1) * jnp.max(jnp.abs(x), axis=-1) + jnp.abs(threshold)
    return tied_sign(h, scale, x.shape[-1])


def side(
    x: Float[Exact, "*samples n"], w: Float[Exact, "K n"], threshold: Float[Exact, "#K"] | float = 0.0
) -> Float[Array, "*samples K"]:
    """1 where <w, x> exceeds the threshold, -1 where it stays below, 0 on the edge."""
    h = jnp.matmul(x, w.T, precision="highest") - threshold
    return inner_sign(h, x[..., None, :], w, threshold)


def opened(
    x: Float[Exact, "*samples n"], w: Float[Exact, "K n"], threshold: Float[Exact, "#K"] | float = 0.0
) -> Float[Array, "*samples K"]:
    """The hard gates with these directions: 1 where <w, x> exceeds the threshold, 0 where it stays below, 1/2 on the edge.

    >>> import jax.numpy as jnp
    >>> opened(jnp.array([[2.0, 0.0], [1.0, 1.0]]), jnp.array([[1.0, -1.0]])).tolist()
    [[1.0], [0.5]]
    """
    return (1 + side(x, w, threshold)) / 2
