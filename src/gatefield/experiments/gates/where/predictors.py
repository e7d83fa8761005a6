"""What may tell from a neuron's start where its field will localize: each predictor is a field, its peak the prediction."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.theory import closure, relu

CHOSEN = "S1 w0"
"""The predictor that was named before any of these runs was made."""
TOGETHER = "S1 x committee flow"
"""The only predictor that knows of the other units. Its time was chosen on ten committees of other seeds."""
GAUSSIAN_TIME, CLOSURE_TIME, COMMITTEE_TIME = 10.0, 100.0, 40.0
PREDICTORS = {
    "w0": "$w(0)$",
    CHOSEN: r"$\Sigma_1 w(0)$",
    "S1^2 w0": r"$\Sigma_1^2 w(0)$",
    "S1 x Gaussian flow": rf"$\Sigma_1 w({GAUSSIAN_TIME:g}\tau)$, Gaussian flow",
    "closure flow": rf"$w({CLOSURE_TIME:g}\tau)$, closure flow",
    TOGETHER: rf"$\Sigma_1 w({COMMITTEE_TIME:g}K\tau)$, flow of all units",
}
STEP = 0.25
"""Step of the flows in units of tau, a tenth of what would make them unstable at a length scale of 5."""
POINTS = 1_025

Fields = Float[Array, "settings fields n"]


def predict(starts: Any, cov1: Any, cov0: Any, gains: Any) -> dict[str, np.ndarray]:
    """The predictors' fields, by name, in the shape of the starts.

    **Arguments:** `starts`: initial fields (settings, networks, units, n). `cov1`, `cov0`: covariances (settings, n, n) of both
    classes. `gains`: one for each setting.

    >>> import numpy as np
    >>> still = predict(np.eye(3)[None, :, None], np.eye(3)[None], np.eye(3)[None], [3.0])
    >>> still["closure flow"].argmax(-1).ravel()
    array([0, 1, 2])
    """
    all_starts, cov1, cov0 = (jnp.asarray(values, jnp.float32) for values in (starts, cov1, cov0))
    w = all_starts.reshape(len(all_starts), -1, all_starts.shape[-1])
    once = _filter(cov1, w)
    gaussian = flow_end(w, cov1, cov0, np.zeros(len(gains)), GAUSSIAN_TIME)
    ends = flow_end(w, cov1, cov0, gains, CLOSURE_TIME)
    together = committee_end(all_starts, cov1, cov0, COMMITTEE_TIME).reshape(w.shape)
    fields = (w, once, _filter(cov1, once), _filter(cov1, gaussian), ends, _filter(cov1, together))
    return {name: np.asarray(field).reshape(np.shape(starts)) for name, field in zip(PREDICTORS, fields, strict=True)}


def flow_end(w: Any, cov1: Any, cov0: Any, gains: Any, time: float) -> Fields:
    r"""Where the flow $dw/dt = \frac12 f(w) - \frac14(\Sigma_0+\Sigma_1)w$ of single neurons ends, with f the closure's drift.

    At gain 0 it is the exact flow on Gaussian data.
    """
    tables = np.stack([closure.amplifier(np.linspace(0.0, 1.0, POINTS), gain) for gain in gains])
    arrays = (jnp.asarray(values, jnp.float32) for values in (w, cov1, cov0, tables))
    return jax.vmap(_single, in_axes=(0, 0, 0, 0, None))(*arrays, round(time / STEP))


def committee_end(w: Any, cov1: Any, cov0: Any, time: float) -> Float[Array, "settings networks units n"]:
    """Where the exact flow of committees on Gaussian data is after `time` K tau."""
    arrays = (jnp.asarray(values, jnp.float32) for values in (w, cov1, cov0))
    return jax.vmap(_together, in_axes=(0, 0, 0, None))(*arrays, round(time / STEP))


@jax.jit
def _single(w: Array, cov1: Array, cov0: Array, table: Array, steps: Any) -> Array:
    """Fields (fields, n) that share one setting, each a neuron alone, after `steps` steps."""

    def velocity(w: Array) -> Array:
        pull = _filter(cov1, w)
        square = jnp.sum(w * pull, axis=-1, keepdims=True)
        a = pull / jnp.sqrt(jnp.where(square > 0, square, 1.0))
        return _read(table, a) / 2 - _filter(cov0 + cov1, w) / 4

    return _runge_kutta(velocity, w, STEP, steps)


@jax.jit
def _together(w: Array, cov1: Array, cov0: Array, steps: Any) -> Array:
    """Committees (networks, units, n) that share one setting, after `steps` steps."""
    velocity = jax.vmap(lambda fields: relu.velocity(fields, cov1, cov0))
    return _runge_kutta(velocity, w, STEP * w.shape[-2], steps)


def _runge_kutta(velocity: Callable[[Array], Array], w: Array, step: float, steps: Any) -> Array:
    """`steps` steps of fourth order."""

    def advance(_: Any, w: Array) -> Array:
        k1 = velocity(w)
        k2 = velocity(w + step / 2 * k1)
        k3 = velocity(w + step / 2 * k2)
        k4 = velocity(w + step * k3)
        return w + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return jax.lax.fori_loop(0, steps, advance, w)


def _filter(cov: Array, w: Array) -> Array:
    return jnp.matmul(w, cov, precision="highest")


def _read(table: Array, a: Array) -> Array:
    """The odd function tabulated at even distances on [0, 1], between its points by straight lines."""
    at = jnp.minimum(jnp.abs(a), 1.0) * (POINTS - 1)
    left = jnp.clip(jnp.floor(at).astype(int), 0, POINTS - 2)
    low, high = table[left], table[left + 1]
    return jnp.sign(a) * (low + (at - left) * (high - low))
