"""The nonlinear Gaussian process x = erf(g z)/Z(g): its moments in closed form."""

import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from gatefield._precision import exact, real
from gatefield.data import arcsine_covariance as covariance
from gatefield.data import gain_deviation
from gatefield.data import gain_variance as variance

__all__ = ["covariance", "half_gate_mean", "variance"]


@exact
def half_gate_mean(rho: Float[ArrayLike, "*shape"], gain: Float[ArrayLike, "*shape"]) -> Float[Array, "*shape"]:
    r"""Mean of $x_j$ where $x_i$ is positive, $E[1(x_i>0)\,x_j]$, for a latent correlation $\rho$ of the two sites.

    $$\frac{\arcsin(\sqrt\kappa\,\rho)}{\pi Z(g)}, \qquad \kappa = \frac{2g^2}{1+2g^2}$$

    The input-output covariance of the gate $1(x_i>0)$ is P(Y=1) times it. At gain 0 it is $\rho/\sqrt{2\pi}$, at gain infinity
    $\arcsin(\rho)/\pi$.

    >>> round(float(half_gate_mean(1.0, 1.0)), 10)
    0.4461459915

    Source: note 002, equations 71 to 74, with the prefactor corrected.
    """
    rho, gain = real(rho), real(gain)
    small = gain < 1e-30
    safe = jnp.where(small, 1.0, gain)
    root = jnp.where(jnp.isinf(gain), 1.0, safe / jnp.sqrt(0.5 + jnp.where(jnp.isinf(gain), 0.0, safe) ** 2))
    near = rho / jnp.sqrt(2 * jnp.pi)
    return jnp.where(small, near, jnp.arcsin(root * rho) / (jnp.pi * real(gain_deviation(safe))))
