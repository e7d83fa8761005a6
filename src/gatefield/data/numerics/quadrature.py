"""Moments of a function of one, or of two correlated, standard normal variables."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float

from gatefield.core.arrays import Exact
from gatefield.core.precision import exact, real
from gatefield.data.laws.quantiles import Quantile

_PANELS, _RADIAL_NODES, _ANGULAR_NODES = 16, 16, 64
"""Enough for moments of the laws in `data.laws` to 1e-10; angles need more nodes, because a sector may be half of the plane."""


@exact
def normal_moments(law: Quantile, edge: float, panels: int = _PANELS) -> tuple[Float[Exact, ""], ...]:
    """Mean and variance of h(Z) for a standard normal Z, and the share of the variance that comes from |Z| > `edge`.

    **Arguments**

    - `law`: the `Quantile` whose `from_normal` is h.
    - `edge`: where the tail begins.
    - `panels`: how many of Gauss-Legendre quadrature, before they are cut at the breaks of h.
    """
    return _moments(law, real(edge), panels)


@eqx.filter_jit
def _moments(law: Quantile, edge: Float[Array, ""], panels: int) -> tuple[Float[Array, ""], ...]:
    fixed = np.linspace(0.0, _reach(), panels + 1)
    z, weight = _gauss(real(np.sort(np.append(fixed, _break_sizes(law)))), _RADIAL_NODES)
    weight = weight * jnp.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    up, down = law.from_normal(z), law.from_normal(-z)
    mean = jnp.sum(weight * (up + down))
    square = weight * ((up - mean) ** 2 + (down - mean) ** 2)
    return mean, jnp.sum(square), jnp.sum(jnp.where(z > edge, square, 0.0)) / jnp.sum(square)


@exact
def pair_moment(law: Quantile, mean: Float[ArrayLike, ""], rho: Float[ArrayLike, ""]) -> Float[Exact, ""]:
    r"""E (h(Z_1) - m)(h(Z_2) - m) for standard normal Z_1, Z_2 of correlation $\rho = \cos\alpha$.

    In polar coordinates, the lines Z_1 = 0 and Z_2 = 0 cut the plane into two sectors of width $\pi - \alpha$, where both have
    the same sign, and two of width $\alpha$. Each is integrated by Gauss-Legendre panels in radius, cut where Z_1 or Z_2 meets
    a break of h, and in angle, cut where two such radii cross. A break at 0 lies between the sectors, and nothing becomes
    narrow as $\rho \to 1$.

    **Arguments**

    - `law`: the `Quantile` whose `from_normal` is h.
    - `mean`: m, that of h(Z).
    - `rho`: the correlation.
    """
    return _pair(law, real(mean), real(rho))


@eqx.filter_jit
def _pair(law: Quantile, mean: Float[Array, ""], rho: Float[Array, ""]) -> Float[Array, ""]:
    angle = _arccos(jnp.clip(rho, -1.0, 1.0))
    return _sector(law, mean, (np.pi - angle) / 2, 1.0) + _sector(law, mean, angle / 2, -1.0)


def _arccos(rho: Array) -> Array:
    """The angle, with derivative 0 at -1 and 1, where the true one is infinite."""
    inside = jnp.abs(rho) < 1
    return jnp.where(inside, jnp.arccos(jnp.where(inside, rho, 0.0)), jnp.arccos(jnp.sign(jax.lax.stop_gradient(rho))))


def _sector(law: Quantile, mean: Array, half: Array, sign: float) -> Array:
    """The two sectors of width 2 `half` in which the product of Z_1 and Z_2 has that sign."""
    turn, angular = _gauss(_angle_edges(law, half), _ANGULAR_NODES)
    first, second = jnp.sin(half + turn)[:, None], jnp.sin(half - turn)[:, None]
    radius, radial = _gauss(_radius_edges(law, first, second), _RADIAL_NODES)

    def product(side: float) -> Array:
        return (law.from_normal(side * radius * first) - mean) * (law.from_normal(side * sign * radius * second) - mean)

    inner = jnp.sum(radial * radius * jnp.exp(-(radius**2) / 2) * (product(1.0) + product(-1.0)), axis=1)
    return jnp.sum(angular * inner) / (2 * np.pi)


def _angle_edges(law: Quantile, half: Array) -> Array:
    """Edges from -half to half, with cuts where sin(half + turn)/sin(half - turn) is the ratio of two breaks."""
    sizes = np.append(_break_sizes(law), 1.0)
    ratios = np.unique(np.subtract.outer(sizes, sizes) / np.add.outer(sizes, sizes))
    cuts = jnp.arctan(jnp.tan(half) * real(ratios))
    return jnp.sort(jnp.concatenate([jnp.stack([-half, half]), cuts]))


def _radius_edges(law: Quantile, first: Array, second: Array) -> Array:
    """Edges from 0 to the reach, the same for all angles, with cuts at the breaks, which depend on the angle."""
    fixed = jnp.broadcast_to(real(np.linspace(0.0, _reach(), _PANELS + 1)), (len(first), _PANELS + 1))
    sizes = real(_break_sizes(law))
    cuts = jnp.concatenate([sizes / first, sizes / second], axis=1)
    return jnp.sort(jnp.concatenate([fixed, jnp.clip(cuts, 0.0, _reach())], axis=1))


def _gauss(edges: Float[Array, "*batch edges"], count: int) -> tuple[Array, Array]:
    """Nodes and weights of Gauss-Legendre panels between the edges."""
    nodes, weights = (real(values) for values in np.polynomial.legendre.leggauss(count))
    width = jnp.diff(edges)[..., None]
    points = edges[..., :-1, None] + width * (1 + nodes) / 2
    shape = (*edges.shape[:-1], -1)
    return points.reshape(shape), (width * weights / 2).reshape(shape)


def _break_sizes(law: Quantile) -> np.ndarray:
    """Distances from 0 at which h may have a kink or a jump; 0 itself is always allowed for."""
    sizes = np.unique(np.abs(np.asarray(law.breaks, dtype=float)))
    return sizes[(sizes > 0) & (sizes < _reach())]


def _reach() -> float:
    """Where the normal tail is about to underflow."""
    return 37.0 if jnp.result_type(float) == jnp.float64 else 12.5
