"""Steps of equal length: gradient descent on an exact loss, and the end of a flow for very many fields at once."""

import math
from collections.abc import Callable
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Numbers
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.functions import values_of
from gatefield.theory.inputs import unless_nan, values

_RULE = "velocity must be a function that gives one number for each weight"

MOST_STEPS = 10**8
"""Of one call, which cannot be interrupted: an hour or so."""


@given(velocity=checks.function, w0=values, learning_rate=checks.number, steps=checks.finite)
def descent(
    velocity: Callable[[Any], Any], w0: Numbers, learning_rate: float, steps: Numbers
) -> Float[np.ndarray, "steps *shape"]:
    r"""The path of gradient descent, $w_{s+1} = w_s + \eta\,v(w_s)$, with v minus the gradient of a loss.

    It is what stochastic gradient descent does with an infinite batch. Unlike the flow it has steps of finite length; unlike
    training it has no minibatch noise.

    **Arguments**

    - `velocity`: a function of the weights that JAX can trace, such as `lambda w: relu.velocity(w, task)`.
    - `w0`: weights at step 0, of any shape.
    - `learning_rate`: $\eta$.
    - `steps`: at which steps to keep the weights: whole numbers, increasing.

    **Returns** the weights at these steps (steps, ...), in float64 (*host*).

    >>> descent(lambda w: -w, [1.0], 0.5, [0, 1, 2]).tolist()
    [[1.0], [0.5], [0.25]]

    **Source:** note 002, equation 4, in the discrete form that is trained.
    """
    marks = np.asarray(checks.real("steps", steps, "zero or more", lambda s: s >= 0), float)
    if marks.ndim != 1 or not marks.size or np.any(np.diff(marks) <= 0) or np.any(marks != np.round(marks)):
        raise UserError(f"steps must be increasing whole numbers, such as [0, 10, 20], but are {quoted(steps)}.")
    checks.count("the last of steps", int(marks[-1]), least=0, most=MOST_STEPS)
    start = np.asarray(w0, float)
    rate = float(checks.positive("learning_rate", learning_rate))
    if marks[-1] == 0:
        return start[None]
    with jax.enable_x64(True):
        kept = diffrax.SaveAt(ts=jnp.asarray(marks))  # time is counted in steps
        return np.asarray(
            _solve(diffrax.Euler(), lambda w: rate * values_of(_RULE, velocity, w), jnp.asarray(start), marks[-1], 1.0, kept)
        )


def _one_step(name: str, step: Any) -> None:
    checks.number(name, step)
    checks.positive(name, step)


@given(velocity=checks.function, w0=values, time=checks.number, step=_one_step)
def flow_end(
    velocity: Callable[[Any], Any], w0: Float[Array, "*shape"], time: Real[Any, ""] | float, *, step: float
) -> Float[Array, "*shape"]:
    r"""Where the flow $\tau\,\dot w = v(w)$ is after a time, by equal steps of order five in the float type of `w0`.

    For very many fields side by side, where `dynamics.flow`, which is adaptive and in float64, would take long. Use it inside
    `jax.jit`; the time may be traced, so that several times share one program.

    **Arguments**

    - `velocity`: a function of the weights, minus the gradient of a loss.
    - `w0`: weights at time 0, of any shape.
    - `time`: in units of tau.
    - `step`: its length; keep it below 3 over the largest rate of decay, or the steps are unstable.

    **Returns** the weights at that time.

    >>> import jax.numpy as jnp
    >>> bool(abs(flow_end(lambda w: -w, jnp.ones(2), 1.0, step=0.25) - jnp.exp(-1)).max() < 1e-5)
    True
    """
    if not isinstance(time, Tracer):
        checks.real("time", time, "zero or more", lambda t: t >= 0)
        checks.count("time / step", max(1, math.ceil(float(time) / float(step))), most=MOST_STEPS)
    end = _solve(diffrax.Tsit5(), velocity, w0, time, float(step), diffrax.SaveAt(t1=True))[0]
    return unless_nan(end, jnp.asarray(time))


def _solve(solver: Any, velocity: Callable[[Any], Any], w0: Array, end: Any, step: float, kept: diffrax.SaveAt) -> Array:
    term = diffrax.ODETerm(lambda t, w, args: values_of(_RULE, velocity, w))
    # without a bound on steps there is no reverse-mode derivative, and no buffer either
    solution = diffrax.diffeqsolve(term, solver, 0.0, end, step, w0, saveat=kept, max_steps=None)
    assert solution.ys is not None
    return solution.ys
