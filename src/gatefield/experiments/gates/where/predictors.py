"""What may tell from a neuron's start where its field will localize: each predictor is a field, its peak the prediction."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.theory import closure, flow_end, relu

START = "w0"
"""The start itself."""
CHOSEN = "S1 w0"
"""The predictor that was named before any of these runs was made."""
TOGETHER = "S1 x committee flow"
"""The only predictor that knows of the other units. Its time was chosen on ten committees of other seeds."""
GAUSSIAN_TIME, CLOSURE_TIME, COMMITTEE_TIME = 10.0, 100.0, 40.0
PREDICTORS = {
    START: "$w(0)$",
    CHOSEN: r"$\Sigma_1 w(0)$",
    "S1^2 w0": r"$\Sigma_1^2 w(0)$",
    "S1 x Gaussian flow": rf"$\Sigma_1 w({GAUSSIAN_TIME:g}\tau)$, Gaussian flow",
    "closure flow": rf"$w({CLOSURE_TIME:g}\tau)$, closure flow",
    TOGETHER: rf"$\Sigma_1 w({COMMITTEE_TIME:g}K\tau)$, flow of all units",
}
STEP = 0.25
"""Step of the flows in units of tau, about a third of what would make them unstable at a length scale of 5."""
POINTS = 1_025
"""Of the tabulated amplifier: straight lines between them are off by 1e-6 at most."""


def predict(starts: Any, cov1: Any, cov0: Any, gains: Any) -> dict[str, np.ndarray]:
    """The predictors' fields, by name, in the shape of the starts.

    **Arguments**

    - `starts`: initial fields (settings, networks, units, n).
    - `cov1`, `cov0`: covariances (settings, n, n) of both classes.
    - `gains`: one for each setting.

    >>> import numpy as np
    >>> predicted = predict(np.eye(3)[None, :, None], np.eye(3)[None], np.eye(3)[None], [3.0])
    >>> predicted["closure flow"].argmax(-1).ravel()
    array([0, 1, 2])
    """
    all_starts, cov1, cov0 = (jnp.asarray(values, jnp.float32) for values in (starts, cov1, cov0))
    w = all_starts.reshape(len(all_starts), -1, all_starts.shape[-1])
    once = _filter(cov1, w)
    gaussian = closure_end(w, cov1, cov0, np.zeros(len(gains)), GAUSSIAN_TIME)
    ends = closure_end(w, cov1, cov0, gains, CLOSURE_TIME)
    together = committee_end(all_starts, cov1, cov0, COMMITTEE_TIME).reshape(w.shape)
    fields = (w, once, _filter(cov1, once), _filter(cov1, gaussian), ends, _filter(cov1, together))
    return {name: np.asarray(field).reshape(np.shape(starts)) for name, field in zip(PREDICTORS, fields, strict=True)}


def closure_end(w: Any, cov1: Any, cov0: Any, gains: Any, time: float) -> Float[Array, "settings fields n"]:
    r"""Where the flow $dw/dt = \frac12 f(w) - \frac14(\Sigma_0+\Sigma_1)w$ of single neurons ends, with f the closure's drift.

    At gain 0 it is the exact flow on Gaussian data.
    """
    tables = closure.tabulate(gains, points=POINTS).values
    return _neurons_end(*(jnp.asarray(values, jnp.float32) for values in (w, cov1, cov0, tables)), time)


def committee_end(w: Any, cov1: Any, cov0: Any, time: float) -> Float[Array, "settings networks units n"]:
    """Where the exact flow of committees on Gaussian data is after `time` K tau."""
    return _committees_end(*(jnp.asarray(values, jnp.float32) for values in (w, cov1, cov0)), time)


@jax.jit
@partial(jax.vmap, in_axes=(0, 0, 0, 0, None))
def _neurons_end(w: Array, cov1: Array, cov0: Array, table: Array, time: Any) -> Array:
    """Fields (fields, n) that share one setting, each a neuron alone."""
    one = partial(closure.velocity, cov1=cov1, cov0=cov0, gain=closure.Table(table))
    return flow_end(jax.vmap(one), w, time, step=STEP)


@jax.jit
@partial(jax.vmap, in_axes=(0, 0, 0, None))
def _committees_end(w: Array, cov1: Array, cov0: Array, time: Any) -> Array:
    """Committees (networks, units, n) that share one setting; their time runs K times slower."""
    units = w.shape[-2]
    return flow_end(jax.vmap(lambda fields: relu.velocity(fields, cov1, cov0)), w, time * units, step=STEP * units)


def _filter(cov: Array, w: Array) -> Array:
    return jnp.matmul(w, cov, precision="highest")
