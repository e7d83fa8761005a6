r"""One ReLU neuron behind gates that change slowly: steps towards the limit of the gates it has now.

Let $T = S_0+S_1$ be the sum of the class covariances and f the drift of the positive class, with labels (1, 0) in equal shares.
While its gate stays, the field goes to $M = 2T^{-1}f$, by $\dot w = \tfrac12 f - \tfrac14 Tw = \tfrac14 T(M-w)$. A step of
length $\Delta$ that is exact for fixed gates (exponential Euler) goes the share $1-e^{-\Delta T/4}$ of the way there.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float

from gatefield.core.precision import real


def share_of_the_way(total: Any, time_step: Any = None) -> Float[Array, "n n"]:
    r"""$1-e^{-\Delta T/4}$; without a time step the whole way, as for an infinite one.

    >>> import numpy as np
    >>> share_of_the_way(4 * np.eye(1), np.log(2)).tolist()
    [[0.5]]
    """
    total = real(total)
    if time_step is None:
        return jnp.eye(len(total), dtype=total.dtype)
    rates, basis = jnp.linalg.eigh(total)
    return jnp.matmul(basis * -jnp.expm1(-real(time_step) * rates / 4), basis.T, precision="highest")


def towards(w: Float[Array, "*fields n"], limit: Float[Array, "*fields n"], share: Float[Array, "n n"]) -> Array:
    """The fields after one step, each towards its own limit."""
    return w + jnp.matmul(limit - w, share, precision="highest")
