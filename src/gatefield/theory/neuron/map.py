r"""The map from a gate's direction to the limit of the linear unit behind it, and the flow whose steady states it shares.

With labels (1, 0) in equal shares, $T = S_0+S_1$ and f the drift of the positive class, the limit behind the gate of w is
$M(w) = 2T^{-1}f(w)$, and the gradient flow of the ReLU neuron is $\dot w = \tfrac14T(M(w)-w)$. The loss
$L = \tfrac14 - \tfrac12\langle w,f(w)\rangle + \tfrac18 w^\top Tw$ is a parabola less a convex function, and M(w) is its
minimum if the convex part is replaced by its tangent at w: along the map the loss cannot rise.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.arrays import FieldsLike, MatrixLike
from gatefield.core.checks import given
from gatefield.core.precision import exact, real
from gatefield.theory.classes import SymmetricClass
from gatefield.theory.inputs import check_sites, covariance, fields, symmetric_class
from gatefield.theory.relaxation import share_of_the_way, towards

MOST_STEPS = 10**6
"""Of a flow of gates, each of which is kept."""
_known = given(positive=symmetric_class, total=covariance, w=fields, time=checks.number, step=checks.number)


class GatePath(NamedTuple):
    """Where all starts ended, how far each step went (relative to the field), and the loss before it."""

    end: Float[np.ndarray, "starts n"]
    moved: Float[np.ndarray, "steps starts"]
    loss: Float[np.ndarray, "steps starts"]


class GateValues(NamedTuple):
    """The limit field behind each field's gate, and each field's loss."""

    limit: Float[Any, "fields n"]
    loss: Float[Any, " fields"]


@_known
@exact
def gate_map(positive: SymmetricClass, total: MatrixLike, w: FieldsLike) -> GateValues:
    r"""The limit field behind each field's gate, $M(w) = 2(S_0+S_1)^{-1}f(w)$, and the loss of a ReLU neuron with that field.

    **Arguments**

    - `positive`: the positive class, a `GaussianClass` or an `EmpiricalClass`; its label is 1, that of the other class 0.
    - `total`: $S_0+S_1$ (n, n), the sum of the covariances of both classes.
    - `w`: fields (fields, n), none of them zero.

    **Returns** `GateValues`: `limit` (fields, n) and `loss` (fields,); float64 NumPy unless traced.

    >>> import numpy as np
    >>> from gatefield.theory.classes import GaussianClass
    >>> gate_map(GaussianClass(np.eye(2)), 2 * np.eye(2), [[3.0, 0.0]]).limit.round(4).tolist()
    [[0.3989, 0.0]]

    **Source:** note 002, section 5; the fixed points are the steady states of note 003, equation 4.
    """
    check_sites(w, total, positive.covariance())
    return _values(positive, real(total), real(w))


@_known
def iterate_gate_map(
    positive: SymmetricClass, total: MatrixLike, w: FieldsLike, *, steps: int = 2000, tolerance: float = 1e-9
) -> GatePath:
    r"""Repeat $w \leftarrow M(w)$ until no field moves by more than `tolerance` of its length.

    **Arguments**

    - `positive`, `total`, `w`: as for `gate_map`.
    - `steps`: stop after so many.
    - `tolerance`: of the step of each field, relative to its length.

    **Returns** a `GatePath`: the ends, the steps' relative lengths and the losses before them; float64 NumPy (*host*).

    >>> import numpy as np
    >>> from gatefield.theory.classes import GaussianClass
    >>> path = iterate_gate_map(GaussianClass(np.diag([2.0, 1.0])), np.diag([3.0, 3.0]), [[1.0, 1.0]])
    >>> path.end.round(4).tolist()
    [[0.3761, 0.0]]

    **Source:** as for `gate_map`.
    """
    return _run(
        positive,
        total,
        None,
        w,
        checks.count("steps", steps, most=MOST_STEPS),
        checks.scalar("tolerance", checks.finite("tolerance", tolerance)),
    )


@_known
def gate_flow(positive: SymmetricClass, total: MatrixLike, w: FieldsLike, *, time: float, step: float = 0.1) -> GatePath:
    r"""Follow the gradient flow $\dot w = \tfrac14T(M(w)-w)$, by steps that are exact while no gate changes.

    **Arguments**

    - `positive`, `total`, `w`: as for `gate_map`.
    - `time`: when to end, in units of tau.
    - `step`: about how long each step is; gates are looked at once per step.

    **Returns** a `GatePath`, as for `iterate_gate_map` (*host*).

    >>> import numpy as np
    >>> from gatefield.theory.classes import GaussianClass
    >>> gate_flow(GaussianClass(np.eye(1)), 2 * np.eye(1), [[1.0]], time=100.0).end.round(4).tolist()
    [[0.3989]]

    **Source:** note 003, equation 4, with the factors of half the mean squared error.
    """
    time, step = float(checks.positive("time", time)), float(checks.positive("step", step))
    count = checks.count("time / step", max(1, round(time / step)), most=MOST_STEPS)
    return _run(positive, total, time / count, w, count, -1.0)


@exact
def _run(positive, total, time_step, w, steps, tolerance) -> GatePath:
    """All steps; room for their records is a power of two, so that few numbers of steps need compiling."""
    check_sites(w, total, positive.covariance())
    total, room = real(total), max(64, 1 << (steps - 1).bit_length())
    share = share_of_the_way(total, time_step)
    count, end, moved, losses = _loop(positive, total, share, real(w), jnp.asarray(steps), real(tolerance), room)
    made = int(count)
    return GatePath(np.asarray(end), np.asarray(moved)[:made], np.asarray(losses)[:made])


@eqx.filter_jit
def _loop(
    positive: SymmetricClass, total: Array, share: Array, w: Array, steps: Array, tolerance: Array, room: int
) -> tuple[Array, ...]:
    inverse = jnp.linalg.inv(total)
    blank = jnp.zeros((room, len(w)), w.dtype)

    def going(state: tuple[Array, ...]) -> Array:
        i, _, moved, _ = state
        return (i < steps) & ((i == 0) | (jnp.max(moved[i - 1]) > tolerance))

    def step(state: tuple[Array, ...]) -> tuple[Array, ...]:
        i, w, moved, losses = state
        drift = positive.drift(w)
        new = towards(w, 2 * drift @ inverse, share)
        far = jnp.linalg.norm(new - w, axis=-1) / jnp.linalg.norm(new, axis=-1)
        return i + 1, new, moved.at[i].set(far), losses.at[i].set(_loss(drift, total, w))

    return jax.lax.while_loop(going, step, (jnp.zeros((), steps.dtype), w, blank, blank))


@eqx.filter_jit
def _values(positive: SymmetricClass, total: Array, w: Array) -> GateValues:
    drift = positive.drift(w)
    return GateValues(2 * drift @ jnp.linalg.inv(total), _loss(drift, total, w))


def _loss(drift: Array, total: Array, w: Array) -> Array:
    return 0.25 - 0.5 * jnp.sum(w * drift, axis=-1) + 0.125 * jnp.sum((w @ total) * w, axis=-1)
