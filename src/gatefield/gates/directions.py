"""Directions of half-space gates, by shape. All are of length one."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.data import fourier_basis
from gatefield.gates.half_space import HalfSpace

MOST = 10**6
"""Sites of a direction: more fill the memory together with inputs."""


def delta(n: int, site: int) -> HalfSpace:
    """The gate of one site, 1(x_i > 0): the small bump of note 001.

    **Arguments**

    - `n`: number of sites.
    - `site`: i, from 0 to n - 1.

    **Returns** a hard `HalfSpace`.

    >>> delta(4, 1).direction.tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    return HalfSpace(np.eye(1, _sites(n), _site(n, site))[0])


def bump(n: int, site: int, width: float) -> HalfSpace:
    r"""A bump on the ring: $v_j \propto \exp(-d_{ij}^2/(2 s^2))$, with d the distance on the ring and s the width in sites.

    **Arguments**

    - `n`: number of sites on the ring.
    - `site`: i, the peak, from 0 to n - 1.
    - `width`: s, in sites.

    **Returns** a hard `HalfSpace`.

    >>> bump(4, 1, 0.6).direction.round(2).tolist()
    [0.24, 0.94, 0.24, 0.0]
    """
    return HalfSpace(_unit(np.exp(-_ring_square(n, site) / (2 * _width(width) ** 2))))


def mexican_hat(n: int, site: int, width: float) -> HalfSpace:
    r"""A Mexican hat on the ring: $v_j \propto (1 - d_{ij}^2/s^2)\exp(-d_{ij}^2/(2 s^2))$, with s the width in sites.

    **Arguments**

    - `n`: number of sites on the ring.
    - `site`: i, the peak, from 0 to n - 1.
    - `width`: s, in sites; the hat is below zero beyond it.

    **Returns** a hard `HalfSpace`.

    >>> mexican_hat(5, 2, 0.6).direction.round(2).tolist()
    [-0.03, -0.38, 0.85, -0.38, -0.03]
    """
    square = _ring_square(n, site) / _width(width) ** 2
    return HalfSpace(_unit((1 - square) * np.exp(-square / 2)))


def fourier_mode(n: int, k: int, phase: str = "cos") -> HalfSpace:
    """A sinusoid of k periods around the ring, `"cos"` or `"sin"`; k = 0 is flat.

    **Arguments**

    - `n`: number of sites on the ring.
    - `k`: periods, from 0 to n/2; the sine has none of 0, nor of n/2.
    - `phase`: `"cos"` or `"sin"`.

    **Returns** a hard `HalfSpace`.

    >>> fourier_mode(4, 2).direction.tolist()
    [0.5, -0.5, 0.5, -0.5]
    """
    n, k = _sites(n), checks.count("k", k, least=0)
    sine = checks.choice("phase", phase, ("cos", "sin")) == "sin"
    column = 0 if k == 0 else 2 * k - 1 + sine
    if not 0 <= k <= n // 2 or column >= n or (k == 0 and sine):
        last = n // 2 if phase == "cos" else (n - 1) // 2
        raise UserError(f"On {n} sites there is no {phase} mode of {k} periods; give k from {int(sine)} to {last}.")
    return HalfSpace(np.asarray(fourier_basis(n))[:, column])


def random(n: int, *, key: PRNGKeyArray) -> HalfSpace:
    """A direction drawn evenly from the sphere.

    **Arguments**

    - `n`: number of sites.
    - `key`: one key of `jax.random`.

    **Returns** a hard `HalfSpace`.

    >>> direction = random(3, key=jax.random.key(0)).direction
    >>> direction.shape, round(float(jnp.linalg.norm(direction)), 6)
    ((3,), 1.0)
    """
    key = as_key(key)
    if key.shape:
        raise UserError(f"key must be one key, but there are {key.shape}; give one of them, such as key[0].")
    v = jax.random.normal(key, (_sites(n),))
    return HalfSpace(v / jnp.linalg.norm(v))


def _unit(v: np.ndarray) -> Float[Array, " n"] | Any:
    return v / np.linalg.norm(v)


def _ring_square(n: int, site: int) -> np.ndarray:
    """The squared distance of each site from `site` on the ring."""
    away = np.abs(np.arange(_sites(n)) - _site(n, site))
    return np.minimum(away, n - away).astype(float) ** 2


def _width(width: float) -> float:
    """The width; what is wider than any ring counts as 1e150, the square of which is still a number."""
    return min(checks.scalar("width", checks.positive("width", width)), 1e150)


def _sites(n: int) -> int:
    return checks.count("n", n, most=MOST)


def _site(n: int, site: int) -> int:
    site = checks.count("site", site, least=0)
    if site >= _sites(n):
        raise UserError(f"There is no site {site} among {n}; give one from 0 to {n - 1}.")
    return site
