"""The velocity of one ReLU neuron on classes of few points, symmetric about zero or not."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.core.runs import run_count
from gatefield.core.text.quoted import quoted
from gatefield.core.ties import inner_sign
from gatefield.data import Task
from gatefield.theory.inputs import some

Fields = Float[Exact, "*fields n"]


class Points(NamedTuple):
    """All inputs of both classes, how often each comes, and its label."""

    x: Float[Array, "points n"]
    weight: Float[Array, " points"]
    label: Float[Array, " points"]


def two_sources(name: str, task: Any) -> None:
    """A task of two sources, of one run."""
    if not isinstance(task, Task):
        raise UserError(f"{name} must be a Task of two sources, but is {quoted(task)}; write Task(positive, negative).")
    if run_count(task) is not None:
        raise UserError("Theory takes a task of one run; take gatefield.one_run(task, 0), or use jax.vmap over its parameters.")


def check_fields(w: Any, n: int) -> None:
    """Fields (..., n), finite."""
    checks.finite("w", w)
    if np.shape(w)[-1:] != (n,):
        raise UserError(f"w must have one entry for each of the {n} sites, but has shape {np.shape(w)}; give (..., {n}).")


@given(w=some, task=two_sources)
@exact
def finite_velocity(w: Any, task: Task) -> Fields:
    r"""Velocity $\tau\,dw/dt = -\partial L/\partial w$ of one ReLU neuron on two classes of few points, symmetric or not.

    $$\tau\frac{dw}{dt} = \sum_c p_c\sum_i P_c(x_i)\,1(\langle w,x_i\rangle>0)\,(y_c-\langle w,x_i\rangle)\,x_i$$

    with labels $y_c$, class shares $p_c$ and probabilities $P_c(x_i)$ of the points, all of which are summed. A gate counts
    one half where $\langle w,x\rangle = 0$. Unlike `velocity` it asks for no symmetry; each class must have a `support()`, as
    SinglePulse has, and Ising to 16 sites.

    **Arguments**

    - `w`: a field (n,), or many (..., n).
    - `task`: two sources of few points, with labels and shares.

    **Returns** the velocity, of the shape of w; float64 NumPy unless traced.

    >>> from gatefield.data import SinglePulse
    >>> finite_velocity([1.0, 0.0], Task(SinglePulse(2, (1, 1)), SinglePulse(2, (2, 2)))).tolist()
    [-0.5, -0.375]

    **Source:** note 002, equation 4, for one neuron, by summing over all inputs.
    """
    check_fields(w, task.n)
    return velocity_on(points(task), real(w))


def velocity_on(all_: Points, w: Float[Array, "*fields n"]) -> Float[Array, "*fields n"]:
    """The velocity of each field, from points at hand."""
    rows = w.reshape(-1, w.shape[-1])
    h = jnp.matmul(all_.x, rows.T, precision="highest")
    gate = (1 + inner_sign(h, all_.x[:, None], rows)) / 2
    pull = (all_.weight[:, None] * gate * (all_.label[:, None] - h)).T
    return jnp.matmul(pull, all_.x, precision="highest").reshape(w.shape)


def points(task: Task) -> Points:
    """The points of both classes, with the labels and shares of the task."""
    parts = []
    shares = (task.proportion, 1 - task.proportion)
    for source, label, share in zip((task.positive, task.negative), task.labels, shares, strict=True):
        support = source.support()
        if support is None:
            raise UserError(
                f"Only laws of few points can be summed, but {type(source).__name__} inputs have no support(); "
                "take SinglePulse, Ising to 16 sites, or train with a large batch."
            )
        x, probabilities = map(real, support)
        parts.append((x, share * probabilities, jnp.broadcast_to(real(label), probabilities.shape)))
    return Points(*(jnp.concatenate(part) for part in zip(*parts, strict=True)))
