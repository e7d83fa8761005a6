"""Steady states of one ReLU neuron whose positive class lives on the cube."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Bool, Float, Int, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, FieldLike, MatrixLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.core.ties import side
from gatefield.data.numerics import arcsine_covariance, corners
from gatefield.theory.hypercube import inputs
from gatefield.theory.hypercube.head import head_drift
from gatefield.theory.hypercube.margin import margin
from gatefield.theory.hypercube.moments import MOST_SITES
from gatefield.theory.inputs import values
from gatefield.theory.listed import gated_mean
from gatefield.theory.relaxation import share_of_the_way, towards


def _fields(name: str, value: Any) -> None:
    values(name, value)
    if not np.ndim(value):
        raise UserError(f"{name} must have shape (..., n), but is one number; give one number for each site.")


class LocalizedState(NamedTuple):
    """The field of a localized state, whether it exists, its loss, and by how much the sites that decide its gate lead."""

    field: Float[Exact, " n"]
    exists: Bool[Exact, ""]
    loss: Float[Exact, ""]
    lead: Float[Exact, ""]


class States(NamedTuple):
    """Steady states, one for each start: fields, losses, whether the gate keeps itself there, and steps taken."""

    fields: Float[Exact, "starts n"]
    losses: Float[Exact, " starts"]
    settled: Bool[Exact, " starts"]
    steps: Int[Exact, " starts"]


@exact
def localized_state(cov1: MatrixLike, cov0: MatrixLike, site: Any = 0) -> LocalizedState:
    r"""The steady state of one ReLU neuron whose gate one site decides.

    $$w = (C_0+C_1)^{-1}C_1 e_i, \qquad L = \tfrac14 - \tfrac18 e_i^\top C_1(C_0+C_1)^{-1}C_1e_i$$

    with $C_1$, $C_0$ the covariances of the inputs of both classes, the positive class on the cube. It exists if and only if
    $w_i > \sum_{j\ne i}|w_j|$, and is then stable: nearby the loss is
    $\tfrac14 + \tfrac18 w^\top(C_0+C_1)w - \tfrac12\langle w,f\rangle$ with $f = \tfrac12 C_1e_i$ constant.

    **Arguments**

    - `cov1`, `cov0`: covariances (n, n) of the inputs, not of the latent field.
    - `site`: i, from 0.

    **Returns** a `LocalizedState`: `field`, `exists`, `loss` and `lead`, which is $w_i - \sum_{j\ne i}|w_j|$; float64 NumPy
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


def head_state(corr1: MatrixLike, cov0: MatrixLike, head: FieldLike) -> LocalizedState:
    r"""The steady state of one ReLU neuron whose gate a few sites decide, such as a majority of three (*host*).

    $$w = 2(C_0+C_1)^{-1}f, \qquad f = E_1[1(\langle h,x\rangle>0)\,x], \qquad L = \tfrac14 - \tfrac14\langle w,f\rangle$$

    with h the head, zero but for a few sites M, and the positive class the signs of a Gaussian field. f is exact: that of each
    site is a sum over the corners of M and this site. The state exists if and only if its own gate is that of the head on every
    corner,

    $$\min_\sigma\,\operatorname{sign}(\langle h,\sigma\rangle)\sum_{i\in M}w_i\sigma_i \;>\; \sum_{j\notin M}|w_j|$$

    over all signs $\sigma$ of M, and is then stable, because the gate does not change nearby. With one site it is
    `localized_state`; with three equal weights of alternating sign the gate is a signed majority.

    **Arguments**

    - `corr1`: correlation (n, n) of the latent field of the positive class, $x = \operatorname{sign} z$.
    - `cov0`: covariance (n, n) of the inputs of the negative class, of any law.
    - `head`: weights (n,), at most 11 of them not zero, that give no tie on any corner.

    **Returns** a `LocalizedState`: `field`, `exists`, `loss` and `lead`, which is the left side of the condition less the right
    one; float64 NumPy.

    >>> from gatefield.data import Hypercube
    >>> source, cov0 = Hypercube(12, 1.0), Hypercube(12, 2.0).covariance()
    >>> state = head_state(source.squashed.correlation, cov0, [0, 0, 0, 0, -1, 1, -1, 0, 0, 0, 0, 0])
    >>> bool(state.exists), state.field[4:7].round(2).tolist(), round(float(state.loss), 4)
    (True, [-0.4, 0.44, -0.4], 0.1869)

    **Source:** no note has it; the cell of note 003, equation 4, for a gate of few sites.
    """
    n = inputs.correlation(corr1, "corr1")
    inputs.fields(head, n)
    corr, weights = np.asarray(corr1, float), np.asarray(head, float)
    cov1 = np.asarray(arcsine_covariance(corr, np.inf))
    inputs.covariances(cov1, cov0, n)
    sites = _head_sites(weights)
    f = head_drift(weights[sites], sites, corr)
    field = 2 * np.linalg.solve(cov1 + np.asarray(cov0, float), f)
    patterns = np.asarray(corners(len(sites)), float)
    least = (exact(side)(patterns, weights[None, sites])[:, 0] * (patterns @ field[sites])).min()
    lead = least - np.abs(np.delete(field, sites)).sum()
    return LocalizedState(field, np.asarray(lead > 0), np.asarray(0.25 - field @ f / 4), np.asarray(lead))


def _head_sites(head: np.ndarray) -> np.ndarray:
    """The sites of the head, if it decides every corner."""
    if head.ndim != 1:
        raise UserError(f"head must have shape (n,), but has shape {head.shape}; give one gate.")
    sites = np.flatnonzero(head)
    if len(sites) > MOST_SITES - 1:
        raise UserError(
            f"head must have at most {MOST_SITES - 1} weights that are not zero, but has {len(sites)}; cut the others."
        )
    if margin(head[sites]) == 0:
        raise UserError("head must give no tie on any corner, but some of its weights cancel; take an odd number of equals.")
    return sites


@exact
def steady_states(
    points: Real[ArrayLike, "points n"] | Sequence,
    cov1: MatrixLike,
    cov0: MatrixLike,
    starts: Real[ArrayLike, "*starts n"] | Sequence,
    *,
    chances: Real[ArrayLike, " points"] | Sequence | None = None,
    time: float = 0.0,
    time_step: float = 0.05,
    most_steps: int = 2000,
) -> States:
    r"""Stable steady states of one ReLU neuron on the cube, each start followed until its gate keeps itself.

    $f(w) = E[1(\langle w,x\rangle\ge0)\,x]$ is constant where no corner changes sides: on a cell. The state of a cell is
    $w^* = 2(C_0+C_1)^{-1}f$, with loss $\tfrac14 - \tfrac14\langle w^*,f\rangle$; it is a stable steady state if it lies in
    that cell, and there are no others. For a time each start follows the flow
    $\dot w = \tfrac12f - \tfrac14(C_0+C_1)w$, exactly inside a cell, where the cell is found anew at each step $\Delta$:

    $$w \leftarrow w^* + e^{-(C_0+C_1)\Delta/4}(w - w^*)$$

    Then it goes from cell to cell at once, $w \leftarrow w^*$: the loss falls with each such step, because its concave part is
    linearised, and a state is reached after finitely many. Without a time for the flow a state is found in a few steps, but the
    basins are not those of the flow. Ties are decided up to rounding.

    **Arguments**

    - `points`: the support of the positive class, such as `corners(n)` with `chances=pattern_law(corr)`, or samples that stay
      fixed and stand for their mirror images too. Points in float32 are kept so, and the drift is summed in float32.
    - `cov1`, `cov0`: covariances of the inputs.
    - `starts`: fields, one per row.
    - `chances`: the probabilities of the points; equal ones by default.
    - `time`, `time_step`: how long to follow the flow, and about how long its steps are, in units of tau; for the basins of the
      flow, a step of at most about 0.1 over the largest eigenvalue of $C_0+C_1$.
    - `most_steps`: stop there after the flow.

    **Returns** `States`, with `fields` the states of the last cells and `settled` telling whether they lie in these cells.

    >>> from gatefield.data import Hypercube
    >>> from gatefield.theory.hypercube import corners, pattern_law
    >>> import numpy as np
    >>> source = Hypercube(5, 0.8)
    >>> covs = source.covariance(), Hypercube(5, 1.6).covariance()
    >>> states = steady_states(corners(5), *covs, np.eye(5), chances=pattern_law(source.squashed.correlation))
    >>> states.losses.round(6).tolist(), states.settled.all().item()
    ([0.183427, 0.183427, 0.183427, 0.183427, 0.183427], True)

    **Source:** note 003, equation 4, corrected.
    """
    _check_states(points, cov1, cov0, starts, chances)
    most_steps = checks.count("most_steps", most_steps)
    length = checks.scalar("time", checks.real("time", time, "zero or more and finite", lambda t: (t >= 0) & np.isfinite(t)))
    step = checks.scalar("time_step", checks.positive("time_step", time_step))
    steps = min(length / step, 2.0 * checks.MOST)  # of two floats it may be infinite, which is no whole number
    count = checks.count("time / time_step", max(1, round(steps))) if length else 0
    points = jnp.asarray(points) if getattr(points, "dtype", None) == np.float32 else real(points)
    weight = None if chances is None else real(chances)
    both = real(cov1) + real(cov0)
    return _settle(points, weight, both, jnp.atleast_2d(real(starts)), length / max(1, count), count, most_steps)


def _check_states(points: Any, cov1: Any, cov0: Any, starts: Any, chances: Any) -> None:
    n = (inputs.shape("points", points) or (0,))[-1]
    inputs.chances(chances, inputs.points("points", points, n))
    inputs.covariances(cov1, cov0, n)
    sizes = inputs.shape("starts", starts)
    if len(sizes) not in (1, 2) or sizes[-1] != n:
        raise UserError(f"starts must have one row of {n} sites per field, but has shape {sizes}; put starts first.")
    checks.finite("starts", starts)
    if not isinstance(starts, Tracer) and not np.any(np.atleast_2d(starts) != 0, axis=1).all():
        raise UserError("starts must have no row of zeros, because its gate would be open nowhere; give other fields.")


@jax.jit
def _settle(points: Array, weight: Array | None, both: Array, starts: Array, step: Any, count: Any, most_steps: Any) -> States:
    """`count` steps of the flow for all starts at once, then of the map until every gate keeps itself."""
    inverse = jnp.linalg.inv(both)
    share = share_of_the_way(both, step)

    def goal(f: Array) -> Array:
        return 2 * jnp.matmul(f, inverse, precision="highest")

    def flow(_: Any, w: Array) -> Array:
        return towards(w, goal(_drift(points, weight, w)), share)

    def unsettled(carry: tuple[Array, Array, Array, Array]) -> Array:
        _, settled, _, made = carry
        return (made < most_steps) & ~settled.all()

    def jump(carry: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        f, settled, steps, made = carry
        after = _drift(points, weight, goal(f))
        same = jnp.all(jnp.abs(after - f) <= _slack(f), axis=1) & jnp.any(f != 0, axis=1)
        return jnp.where(settled[:, None], f, after), settled | same, steps + ~(settled | same), made + 1

    f = _drift(points, weight, jax.lax.fori_loop(0, count, flow, starts))
    blank = jnp.zeros(len(starts), bool), jnp.full(len(starts), count, jnp.int32), jnp.zeros((), jnp.int32)
    f, settled, steps, _ = jax.lax.while_loop(unsettled, jump, (f, *blank))
    return States(goal(f), 0.25 - jnp.sum(goal(f) * f, axis=1) / 4, settled, steps)


def _drift(points: Array, weight: Array | None, w: Float[Array, "starts n"]) -> Float[Array, "starts n"]:
    """Half of the mean of x sign<w, x> for each field, in the float type of the points."""
    return gated_mean(side(points, w.astype(points.dtype)) / 2, points, weight, w.dtype)


def _slack(f: Array) -> Array:
    """What rounding explains of a difference of drifts: sums over up to a million points."""
    return 1e4 * jnp.finfo(f.dtype).eps * jnp.max(jnp.abs(f), axis=1, keepdims=True)


@given(fields=_fields)
def is_localized(fields: Real[ArrayLike, "*batch n"] | Sequence) -> Bool[np.ndarray, "*batch"]:
    """Whether the largest weight exceeds the sum of the sizes of all others, so that one site decides the gate (*host*).

    >>> is_localized([[3.0, 1.0, -1.0], [1.0, 1.0, 1.0]])
    array([ True, False])
    """
    sizes = np.abs(np.asarray(fields, dtype=np.float64))
    return 2 * sizes.max(-1) > sizes.sum(-1)


@given(losses=checks.vector)
def levels(losses: Real[ArrayLike, " starts"] | Sequence, digits: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Distinct losses, rising, and how many starts ended in each; shifts and signs of a state share its loss (*host*).

    **Arguments**

    - `losses`: the loss at which each start ended.
    - `digits`: losses that agree to this many decimals count as one.

    **Returns** the losses and the counts.

    >>> levels([0.2, 0.1, 0.2])
    (array([0.1, 0.2]), array([1, 2]))
    """
    decimals = checks.count("digits", digits, least=0, most=300)
    return np.unique(np.round(np.asarray(losses, dtype=np.float64), decimals), return_counts=True)
