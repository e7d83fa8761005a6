"""The map from a gate's direction to the limit of the gated linear unit behind it, and the flow whose rests it shares.

With labels (1, 0) and T = S0 + S1, the limit behind the gate of w is M(w) = 2 T^-1 f(w), and the gradient flow of the ReLU
neuron is dw/dt = T (M(w) - w)/4. The exponential Euler step of length dt is w + (1 - exp(-dt T/4)) (M(w) - w), which is the
map itself for infinite dt. The loss L = 1/4 - <w, f(w)>/2 + w'Tw/8 is a parabola less a convex function, and M(w) is its
minimum if the convex part is replaced by its tangent at w: the loss cannot rise.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.core.precision import exact, real
from gatefield.experiments.fixed_sample import Law


class Path(NamedTuple):
    """Where all starts ended, how far each step went (relative to the field), and the loss before it."""

    end: Float[Any, "starts n"]
    moved: Float[Any, "steps starts"]
    loss: Float[Any, "steps starts"]


class Values(NamedTuple):
    """The limit field behind each field's gate, and each field's loss."""

    limit: Float[Any, "fields n"]
    loss: Float[Any, " fields"]


@exact
def evaluate(law: Law, total: Float[Any, "n n"], w: Float[Any, "fields n"]) -> Values:
    """M(w) = 2 (S0+S1)^-1 f(w) and the loss of a ReLU neuron with labels (1, 0), for each field."""
    return _evaluate(law, real(total), real(w))


def iterate(law: Law, total: Any, w: Any, *, steps: int, tolerance: float, room: int | None = None) -> Path:
    """Apply the map until no field moves by more than `tolerance` of its length, or `steps` times.

    Calls with the same `room`, which holds `steps` or more, share one compiled program.
    """
    return _run(law, total, np.eye(len(total)), w, steps, tolerance, room or steps)


def flow(law: Law, total: Any, w: Any, *, time: float, step: float, room: int | None = None) -> Path:
    """Follow the gradient flow for a time, in exponential Euler steps of about the given length."""
    count = step_count(time, step)
    rates, basis = np.linalg.eigh(total)
    part = -np.expm1(-time / count * rates / 4)
    return _run(law, total, (basis * part) @ basis.T, w, count, -1.0, room or count)


def step_count(time: float, step: float) -> int:
    """How many steps the flow takes."""
    return max(1, round(time / step))


@exact
def _run(law: Law, total: Any, share: Any, w: Any, steps: int, tolerance: float, room: int) -> Path:
    count, end, moved, losses = _loop(law, real(total), real(share), real(w), jnp.asarray(steps), real(tolerance), room)
    made = int(count)
    return Path(end, np.asarray(moved)[:made], np.asarray(losses)[:made])


@eqx.filter_jit
def _loop(law: Law, total: Array, share: Array, w: Array, steps: Array, tolerance: Array, room: int) -> tuple[Array, ...]:
    inverse = jnp.linalg.inv(total)
    blank = jnp.zeros((room, len(w)), w.dtype)

    def going(state: tuple[Array, ...]) -> Array:
        i, _, moved, _ = state
        return (i < steps) & ((i == 0) | (jnp.max(moved[i - 1]) > tolerance))

    def step(state: tuple[Array, ...]) -> tuple[Array, ...]:
        i, w, moved, losses = state
        drift = law.drift(w)
        new = w + (2 * drift @ inverse - w) @ share
        far = jnp.linalg.norm(new - w, axis=-1) / jnp.linalg.norm(new, axis=-1)
        return i + 1, new, moved.at[i].set(far), losses.at[i].set(_loss(drift, total, w))

    return jax.lax.while_loop(going, step, (jnp.zeros((), steps.dtype), w, blank, blank))


@eqx.filter_jit
def _evaluate(law: Law, total: Array, w: Array) -> Values:
    drift = law.drift(w)
    return Values(2 * drift @ jnp.linalg.inv(total), _loss(drift, total, w))


def _loss(drift: Array, total: Array, w: Array) -> Array:
    return 0.25 - 0.5 * jnp.sum(w * drift, axis=-1) + 0.125 * jnp.sum((w @ total) * w, axis=-1)
