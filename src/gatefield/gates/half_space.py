"""Gates that open on one side of a plane."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.runs import leaf
from gatefield.core.ties import opened
from gatefield.gates.gate import Gate, gate_inputs

PARALLEL = 1e-9
"""Two directions are parallel if the sine of their angle is below this: directions that were computed in float64 are not
further apart, and gates this close differ on fewer inputs than any sample shows."""


class HalfSpace(Gate):
    r"""Open on one side of a plane: $g(x) = 1(\langle v,x\rangle > \theta)$, and one half on the plane itself.

    **Arguments**

    - `direction`: v (n,), or one for each run (runs, n).
    - `threshold`: $\theta$.
    - `width`: 0 for a hard gate; with a positive width s the gate is soft, the logistic function of
      $(\langle v,x\rangle - \theta)/s$, and has a gradient.

    >>> import numpy as np
    >>> HalfSpace([1.0, -1.0])(np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])).tolist()
    [1.0, 0.0, 0.5]

    **Source:** note 000, equation 2, with one half at ties.
    """

    width: float = eqx.field(static=True)
    direction: Float[Exact, "*runs n"] = leaf(1)
    threshold: Float[Exact, "*runs"] = leaf(0)

    def __init__(self, direction: Any, threshold: Any = 0.0, *, width: float = 0.0) -> None:
        self.direction = checks.finite("direction", direction)
        self.threshold = checks.finite("threshold", threshold)
        rule = "zero or more and finite"
        self.width = checks.scalar("width", checks.real("width", width, rule, lambda s: (s >= 0) & np.isfinite(s)))
        if np.ndim(direction) not in (1, 2) or not np.size(direction):
            raise UserError(
                f"direction must have shape (n,), or (runs, n) with one for each run, but has {np.shape(direction)}; "
                "give one number for each site."
            )
        if np.ndim(threshold) > 1:
            raise UserError(f"threshold must be one number, or one for each run, but has shape {np.shape(threshold)}.")
        if not isinstance(direction, Tracer) and not np.any(np.asarray(direction), axis=-1).all():
            raise UserError(
                "A direction must not be zero everywhere, because its gate would open nowhere; use Shut() for that."
            )

    def __call__(self, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples"]:
        x = gate_inputs(self, x, self.direction)
        if not self.width:
            return opened(x, real(self.direction)[None], real(self.threshold)[None])[..., 0]
        h = jnp.matmul(x, real(self.direction), precision="highest") - real(self.threshold)
        return jnp.reciprocal(1 + jnp.exp(-jnp.clip(h / self.width, -60.0, 60.0)))  # clipped: no overflow in a derivative

    def alignment(self, other: "HalfSpace") -> int:
        """1 if the directions of two gates are parallel, -1 if they are opposite, else 0.

        >>> HalfSpace([1.0, 0.0]).alignment(HalfSpace([-2.0, 0.0]))
        -1
        """
        a, b = (np.asarray(gate.direction, float) for gate in (self, other))
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        return next((sign for sign in (1, -1) if np.linalg.norm(a - sign * b) < PARALLEL), 0)
