"""Steady states of one ReLU neuron whose positive class lives on the cube."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Bool, Float, Int

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.theory.hypercube import inputs
from gatefield.theory.hypercube.walsh import tied_sign
from gatefield.theory.relaxation import share_of_the_way, towards

MatrixLike = Float[ArrayLike, "n n"]


class LocalizedState(NamedTuple):
    """The field of the localized state, whether it exists, its loss, and by how much its largest weight leads."""

    field: Float[Array, " n"]
    exists: Bool[Array, ""]
    loss: Float[Array, ""]
    lead: Float[Array, ""]


class States(NamedTuple):
    """Where starts came to rest: fields, losses, whether the gate keeps itself there, and steps taken."""

    fields: Float[Array, "starts n"]
    losses: Float[Array, " starts"]
    settled: Bool[Array, " starts"]
    steps: Int[Array, " starts"]


@exact
def localized_state(cov1: MatrixLike, cov0: MatrixLike, site: int = 0) -> LocalizedState:
    r"""The steady state of one ReLU neuron whose gate one site decides.

    $$w = (C_0+C_1)^{-1}C_1 e_i, \qquad L = \tfrac14 - \tfrac18 e_i^\top C_1(C_0+C_1)^{-1}C_1e_i$$

    with $C_1$, $C_0$ the covariances of the inputs of both classes, the positive class on the cube. It exists if and only if
    $w_i > \sum_{j\ne i}|w_j|$, and is then stable: nearby the loss is
    $\tfrac14 + \tfrac18 w^\top(C_0+C_1)w - \tfrac12\langle w,f\rangle$ with $f = \tfrac12 C_1e_i$ constant.

    **Arguments:** `cov1`, `cov0`: covariances (n, n) of the inputs, not of the latent field. `site`: i, from 0.

    **Returns:** a `LocalizedState`: `field`, `exists`, `loss` and `lead`, which is $w_i - \sum_{j\ne i}|w_j|$; float64 NumPy
    unless traced. Works under `vmap`, for maps of where it exists.

    >>> from gatefield.data import Hypercube
    >>> state = localized_state(Hypercube(7, 0.8).covariance(), Hypercube(7, 1.6).covariance())
    >>> bool(state.exists), state.field.round(4)[:3].tolist(), round(float(state.loss), 6)
    (True, [0.5579, -0.0933, -0.0093], 0.183405)

    **Source:** note 003, equations 4 and 8, corrected; the note does not print the state.
    """
    site = inputs.site(site, inputs.covariances(cov1, cov0))
    cov1, cov0 = real(cov1), real(cov0)
    field = jnp.linalg.solve(cov0 + cov1, cov1[:, site])
    lead = field[site] + jnp.abs(field[site]) - jnp.sum(jnp.abs(field))
    return LocalizedState(field, lead > 0, 0.25 - jnp.vdot(field, cov1[:, site]) / 8, lead)


@exact
def steady_states(
    points: Float[ArrayLike, "points n"],
    cov1: MatrixLike,
    cov0: MatrixLike,
    starts: Float[ArrayLike, "starts n"],
    *,
    chances: Float[ArrayLike, " points"] | None = None,
    time_step: float | None = None,
    most_steps: int = 2000,
) -> States:
    r"""Stable steady states of one ReLU neuron on the cube, each start followed until its gate keeps itself.

    $f(w) = E[1(\langle w,x\rangle\ge0)\,x]$ is constant where no corner changes sides: on a cell. The state of a cell is
    $w^* = 2(C_0+C_1)^{-1}f$, with loss $\tfrac14 - \tfrac14\langle w^*,f\rangle$; it is a stable steady state if it lies in
    that cell, and there are no others. With a time step $\Delta$ each start follows the flow
    $\dot w = \tfrac12f - \tfrac14(C_0+C_1)w$, exactly inside a cell, cells being told apart once per step:

    $$w \leftarrow w^* + e^{-(C_0+C_1)\Delta/4}(w - w^*)$$

    Ties are told up to rounding. Without a time step, $w \leftarrow w^*$ at once. Then the loss falls with each step, because
    its concave part is linearised, and a state is reached after finitely many; but the basins are not those of the flow.

    **Arguments:** `points`: the support of the positive class, such as `corners(n)` with `chances=pattern_law(corr)`, or
    samples that stay fixed. `cov1`, `cov0`: covariances of the inputs. `starts`: fields, one per row. `time_step`: in units of
    tau, at most about 0.1 over the largest eigenvalue of $C_0+C_1$ for the basins of the flow. `most_steps`: stop there.

    **Returns:** `States`, with `fields` the states of the last cells and `settled` telling whether they lie in these cells.

    >>> from gatefield.data import Hypercube, ring_correlation
    >>> from gatefield.theory.hypercube import corners, pattern_law
    >>> import numpy as np
    >>> corr = np.array([np.roll(ring_correlation(5, 0.8), k) for k in range(5)])
    >>> covs = Hypercube(5, 0.8).covariance(), Hypercube(5, 1.6).covariance()
    >>> states = steady_states(corners(5), *covs, np.eye(5), chances=pattern_law(corr))
    >>> states.losses.round(6).tolist(), states.settled.all().item()
    ([0.183427, 0.183427, 0.183427, 0.183427, 0.183427], True)

    **Source:** note 003, equation 4, corrected.
    """
    _check_states(points, cov1, cov0, starts, chances)
    most_steps = checks.count("most_steps", most_steps)
    points, starts = real(points), jnp.atleast_2d(real(starts))
    weight = jnp.full(len(points), 1 / len(points)) if chances is None else real(chances)
    both = real(cov1) + real(cov0)
    share = share_of_the_way(both, None if time_step is None else checks.positive("time_step", time_step))
    return _settle(points, weight, both, share, time_step is None, starts, most_steps)


def _check_states(points: Any, cov1: Any, cov0: Any, starts: Any, chances: Any) -> None:
    n = (inputs.shape("points", points) or (0,))[-1]
    inputs.chances(chances, inputs.points("points", points, n))
    inputs.covariances(cov1, cov0, n)
    sizes = inputs.shape("starts", starts)
    if len(sizes) not in (1, 2) or sizes[-1] != n:
        raise UserError(f"starts must have one row of {n} sites per field, but has shape {sizes}; give such fields.")
    checks.finite("starts", starts)
    if not isinstance(starts, Tracer) and not np.any(np.atleast_2d(starts) != 0, axis=1).all():
        raise UserError("starts must have no row of zeros, because its gate would be open nowhere; give other fields.")


@functools.partial(jax.jit, static_argnames="at_once")
def _settle(points: Array, weight: Array, both: Array, share: Array, at_once: bool, starts: Array, most_steps: int) -> States:
    inverse = jnp.linalg.inv(both)

    def target(w: Array) -> tuple[Array, Array]:
        f = 0.5 * jnp.matmul(weight * tied_sign(points, w), points, precision="highest")
        return 2 * inverse @ f, f

    def settled(w: Array) -> Array:
        goal, f = target(w)
        return jnp.all(jnp.abs(target(goal)[1] - f) <= _slack(f)) & jnp.any(f != 0)

    def one(start: Array) -> tuple[Array, Array, Array, Array]:
        def unsettled(carry: tuple[Array, Array]) -> Array:
            w, step = carry
            near = jnp.linalg.norm(w - target(w)[0]) <= 0.3 * jnp.linalg.norm(w)
            return (step < most_steps) & ~(settled(w) & (near | at_once))

        def move(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            w, step = carry
            return towards(w, target(w)[0], share), step + 1

        w, steps = jax.lax.while_loop(unsettled, move, (start, jnp.zeros((), jnp.int32)))
        goal, f = target(w)
        return goal, 0.25 - jnp.vdot(goal, f) / 4, settled(w), steps

    return States(*jax.lax.map(one, starts))


def _slack(f: Array) -> Array:
    """What rounding explains of a difference of drifts."""
    return 1e4 * jnp.finfo(f.dtype).eps * jnp.max(jnp.abs(f))


def is_localized(fields: Float[ArrayLike, "*batch n"]) -> Bool[np.ndarray, "*batch"]:
    """Whether the largest weight exceeds the sum of the sizes of all others, so that one site decides the gate (*host*).

    >>> is_localized([[3.0, 1.0, -1.0], [1.0, 1.0, 1.0]])
    array([ True, False])
    """
    sizes = np.abs(np.asarray(fields, dtype=np.float64))
    return 2 * sizes.max(-1) > sizes.sum(-1)


def levels(losses: Float[ArrayLike, " starts"], digits: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Distinct losses, rising, and how many starts ended in each; shifts and signs of a state share its loss (*host*).

    >>> levels([0.2, 0.1, 0.2])
    (array([0.1, 0.2]), array([1, 2]))
    """
    return np.unique(np.round(np.asarray(losses, dtype=np.float64), digits), return_counts=True)
