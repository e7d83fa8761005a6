"""Gated linear networks that are given the gates of a ReLU committee anew after some time, and the path of that committee."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, ScalarLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.theory.gated_linear.frozen import SetsLike, a_mixture
from gatefield.theory.gated_linear.mixture import Mixture
from gatefield.theory.inputs import check_directions, check_sites, sets

MOST_TIMES = 10**6
"""Of one path, which is kept as a whole."""
PathsLike = Real[ArrayLike, "sets times K n"] | Sequence


class GatedPaths(NamedTuple):
    """Networks over time."""

    fields: Float[Exact, "sets times K n"]
    loss: Float[Exact, "sets times"]
    """Half of the mean squared error, behind the gates of that time."""


def _paths(name: str, V: Any) -> None:
    """Directions over time (sets, times, K, n), finite, at two times or more."""
    sizes = checks.shape(name, V)
    if len(sizes) != 4 or 0 in sizes or sizes[1] < 2:
        raise UserError(
            f"{name} must have shape (sets, times, K, n) with two times or more, but has shape {sizes}; stack them."
        )
    checks.finite(name, V)


def _span(name: str, value: Any) -> None:
    checks.number(name, value)
    checks.positive(name, value)


@given(data=a_mixture, w0=sets, step=_span)
@exact
def relu_path(data: Mixture, w0: SetsLike, step: ScalarLike, times: int, *, substeps: int = 4) -> GatedPaths:
    r"""The gradient flow of ReLU committees on two classes, $K\tau\,\dot w = b(w) - \tfrac1K A(w)\,w$, from many starts.

    A(w) and b(w) are the moments behind the committee's own gates, so that it is a gated linear network whose gates are always
    fresh. Exact for Gaussian classes but for steps of order four; on a sample, that of the sample.

    **Arguments**

    - `data`: both classes, a `Mixture`.
    - `w0`: fields at time 0 (sets, K, n), none of them zero.
    - `step`: time between two records, in units of tau.
    - `times`: how many records there are, that of time 0 among them.
    - `substeps`: steps of the integrator from one record to the next; keep each below 2.7 K² over the largest rate of decay.

    **Returns** `GatedPaths`: `fields` (sets, times, K, n) and `loss` (sets, times); float64 NumPy unless traced.

    >>> import numpy as np
    >>> from gatefield.theory.classes import GaussianClass
    >>> both = Mixture(GaussianClass(np.eye(2)), GaussianClass(np.eye(2)))
    >>> relu_path(both, [[[1.0, 0.0]]], 50.0, 2, substeps=50).fields[0, -1].round(4).tolist()
    [[0.3989, 0.0]]

    **Source:** note 002, equations 4 and 44, with the factor 1/K.
    """
    _check_gates(data, w0)
    times = checks.count("times", times, least=2, most=MOST_TIMES)
    return _relu(data, real(w0), real(step), times, checks.count("substeps", substeps, most=MOST_TIMES))


@given(data=a_mixture, V=_paths, w0=sets, step=_span, own=checks.flag)
@exact
def refreshed_path(data: Mixture, V: PathsLike, w0: SetsLike, step: ScalarLike, every: int, *, own: bool = False) -> GatedPaths:
    r"""Gated linear networks whose gates $1(\langle v_k,x\rangle>0)$ are refreshed every so often, exactly.

    Between two refreshments A and b stay, and the path is that of `solve`: with $z = -\Delta A/(K^2\tau)$

    $$w(t+\Delta) = e^{z}\,w(t) + \tfrac{\Delta}{K\tau}\,\varphi_1(z)\,b$$

    For a single gate A is half of the covariance, whatever the gate.

    **Arguments**

    - `data`: both classes, a `Mixture`.
    - `V`: directions over time (sets, times, K, n), such as the fields of `relu_path`.
    - `w0`: weights at time 0 (sets, K, n).
    - `step`: time between two records, in units of tau.
    - `every`: gates are those of the records 0, `every`, 2 `every`, ...; with times - 1 or more, those of the start for ever.
    - `own`: take the directions of the network's own weights at these times, in place of `V`.

    **Returns** `GatedPaths`: `fields` (sets, times, K, n) and `loss` (sets, times), at a time of refreshment behind the new
    gates; float64 NumPy unless traced.

    >>> import numpy as np
    >>> from gatefield.theory.classes import GaussianClass
    >>> both = Mixture(GaussianClass(np.eye(2)), GaussianClass(np.eye(2)))
    >>> gates = np.array([[[1.0, 0.0]], [[0.0, 1.0]], [[0.0, 1.0]]])[None]
    >>> refreshed_path(both, gates, [[[0.0, 0.0]]], 50.0, every=1).fields[0, :, 0].round(4).tolist()
    [[0.0, 0.0], [0.3989, 0.0], [0.0, 0.3989]]

    **Source:** note 000, section 2.3 and section 5, first idea.
    """
    check_sites(w0, data.classes[0].covariance())
    if np.shape(V)[:1] + np.shape(V)[2:] != np.shape(w0):
        raise UserError(
            f"V and w0 must be of the same sets, units and sites, but have shapes {np.shape(V)} and {np.shape(w0)}; give one "
            "start for each path."
        )
    _check_gates(data, w0 if own else V)
    every = checks.count("every", every, most=MOST_TIMES)
    return _refreshed(data, real(V), real(w0), real(step), jnp.asarray(every), jnp.asarray(own))


def _check_gates(data: Mixture, V: Any) -> None:
    """Each direction has as many sites as the data, and is not zero."""
    check_sites(V, data.classes[0].covariance())
    covs = {name: one.covariance() for name, one in zip(("class 1", "class 0"), data.classes, strict=True)}
    check_directions(real(V).reshape(-1, np.shape(V)[-1]), covs)


@eqx.filter_jit
def _relu(data: Mixture, w0: Array, step: Array, times: int, substeps: int) -> GatedPaths:
    def velocity(w: Array) -> Array:
        if len(w) == 1:  # A is known whatever the gate, and b is quicker than the loss
            return data.mean_product(w).reshape(w.shape) - jnp.matmul(w, data.covariance(), precision="highest") / 2
        return -jax.grad(lambda u: data.loss(jax.lax.stop_gradient(w), u))(w)

    def move(w: Array, _: Any) -> tuple[Array, tuple[Array, Array]]:
        moved = jax.lax.fori_loop(0, substeps, lambda _, at: _runge_kutta(velocity, at, step / substeps), w)
        return moved, (w, _loss(data, w))

    def one(start: Array) -> GatedPaths:
        return GatedPaths(*jax.lax.scan(move, start, None, length=times)[1])

    return jax.vmap(one)(w0)


def _runge_kutta(velocity: Callable[[Array], Array], w: Array, step: Any) -> Array:
    """One step of order four."""
    first = velocity(w)
    second = velocity(w + step / 2 * first)
    third = velocity(w + step / 2 * second)
    return w + step / 6 * (first + 2 * second + 2 * third + velocity(w + step * third))


def _loss(data: Mixture, w: Array) -> Array:
    """Of a committee behind its own gates, with A of a single gate as everywhere here."""
    if len(w) > 1:
        return data.loss(w, w)
    A, b = data.hard_moments(w)
    return _quadratic(data, A, b, w.ravel(), 1)


def _quadratic(data: Mixture, A: Array, b: Array, w: Array, K: int) -> Array:
    power = jnp.sum(real(data.shares) * real(data.labels) ** 2)
    return 0.5 * (power - 2 * b @ w / K + w @ A @ w / K**2)


@eqx.filter_jit
def _refreshed(data: Mixture, V: Array, w0: Array, step: Array, every: Array, own: Array) -> GatedPaths:
    K = w0.shape[1]

    def gated(directions: Array) -> tuple[Array, Array, Array, Array]:
        """A and b, and the matrix and the vector that take the weights one step on."""
        A, b = data.hard_moments(directions)
        rates, basis = jnp.linalg.eigh(A)
        z = jnp.maximum(rates, 0.0) * step / K**2
        filling = jnp.where(z == 0, 1.0, -jnp.expm1(-z) / jnp.where(z == 0, 1.0, z))
        return A, b, (basis * jnp.exp(-z)) @ basis.T, step / K * (basis @ (filling * (basis.T @ b)))

    def one(directions: Array, start: Array) -> GatedPaths:
        def move(state: Any, now: Any) -> Any:
            w, gates = state
            at, fresh = now
            given = jnp.where(own, w.reshape(fresh.shape), fresh)
            gates = jax.lax.cond(at % every == 0, gated, lambda _: gates, given)
            A, b, matrix, vector = gates
            return (matrix @ w + vector, gates), (w, _quadratic(data, A, b, w, K))

        first = start.ravel(), gated(jnp.where(own, start, directions[0]))
        (w, gates), (fields, losses) = jax.lax.scan(move, first, (jnp.arange(len(directions) - 1), directions[:-1]))
        fields = jnp.concatenate([fields, w[None]]).reshape(directions.shape)
        return GatedPaths(fields, jnp.append(losses, _quadratic(data, gates[0], gates[1], w, K)))

    return jax.vmap(one)(V, w0)
