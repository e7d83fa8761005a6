"""Any law of finitely many points."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.runs import leaf
from gatefield.core.text.shown import shown
from gatefield.data.arrays import Draw
from gatefield.data.source import Source, Support

_ROUNDING = 1e-6
"""By how much a sum of probabilities, which may have been in single precision, may differ from 1."""


class Finite(Source):
    r"""Finitely many inputs, each with its probability.

    $$P(x = x_j) = p_j, \qquad \operatorname{Cov}(x) = \sum_j p_j x_jx_j^\top - \mu\mu^\top, \quad \mu = \sum_j p_j x_j$$

    with $x_j$ the points and $p_j$ their probabilities. It makes runs of laws that other sources hold in fixed settings, such
    as pulses of several widths: stack what their `support()` gives; points of probability 0 fill up short ones.

    **Arguments**

    - `points`: the inputs (points, n), one per row.
    - `probabilities`: (points,), zero or more, of sum 1; equal ones if they are not given.

    >>> import jax
    >>> source = Finite([[1.0, 0.0], [0.0, 2.0]], [0.75, 0.25])
    >>> source.mean().tolist(), source.covariance().tolist()
    ([0.75, 0.5], [[0.1875, -0.375], [-0.375, 0.75]])
    """

    n: int = eqx.field(static=True)
    points: Float[Exact, "*runs points n"] = leaf(2)
    probabilities: Float[Exact, "*runs points"] = leaf(1)

    def __init__(self, points: Any, probabilities: Any = None) -> None:
        shape = checks.shape("points", points, "points must be inputs (points, n), one per row")
        if len(shape) not in (2, 3) or 0 in shape:
            raise UserError(f"points must be inputs (points, n), one per row, but have shape {shape}; write [[1, 0], [0, 1]].")
        self.n = shape[-1]
        self.points = checks.finite("points", points)
        self.probabilities = _probabilities(probabilities, shape[:-1])

    def __repr__(self) -> str:
        return shown(self)

    def sampler(self) -> Draw:
        points, probabilities = real(self.points), real(self.probabilities)
        ends = jnp.cumsum(probabilities)
        last = jnp.max(jnp.where(probabilities > 0, np.arange(len(points)), 0))  # rounding must not lead beyond

        def draw(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
            place = jax.random.uniform(key, (size,)) * ends[-1]
            return points[jnp.minimum(jnp.searchsorted(ends, place, side="right"), last)]

        return draw

    def _support(self) -> Support:
        return Support(real(self.points), real(self.probabilities))

    def _mean(self) -> Float[Array, " n"]:
        return jnp.matmul(real(self.probabilities), real(self.points), precision="highest")

    def _covariance(self) -> Float[Exact, "n n"]:
        apart = real(self.points) - self._mean()
        matrix = jnp.matmul(apart.T * real(self.probabilities), apart, precision="highest")
        return (matrix + matrix.T) / 2  # rounding is not symmetric


def _probabilities(value: Any, shape: tuple[int, ...]) -> Any:
    if value is None:
        return np.full(shape, 1 / shape[-1])
    if checks.shape("probabilities", value) != shape:
        raise UserError(
            f"probabilities must be one for each point, of shape {shape}, but have shape {np.shape(value)}; leave them out for "
            "equal ones."
        )
    value = checks.real("probabilities", value, "zero or more and finite", lambda p: (p >= 0) & np.isfinite(p))
    if not isinstance(value, Tracer):
        sums = np.asarray(value, float).sum(axis=-1)
        off = np.abs(sums - 1) > _ROUNDING
        if off.any():
            raise UserError(
                f"probabilities must have the sum 1, but it is {np.atleast_1d(sums)[np.atleast_1d(off)][0]:g}; divide by it."
            )
    return value
