"""The search for the half-space gates that explain most: the gates with the smallest limiting loss."""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from scipy.optimize import minimize

from gatefield.core import checks
from gatefield.core.arrays import FieldsLike, Scalar
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.core.precision import exact, real
from gatefield.data import Task
from gatefield.theory.classes import GaussianClass
from gatefield.theory.gated_linear.mixture import Mixture, mixture
from gatefield.theory.inputs import check_sites, fields, one_key, sets

WIDTHS = (0.5, 0.2, 0.08)
"""Widths of soft gates on sampled data, one after another, in standard deviations of <v, x>.

The first is wide enough for a gradient from afar; the last is as sharp as some ten thousand samples can resolve.
"""


class SearchResult(NamedTuple):
    """What a search found."""

    directions: Float[np.ndarray, "K n"]
    """The best set, each of length one."""
    explained: float
    """What it explains: by the closed form, or on the sample it was chosen by (which flatters it; report on a fresh one)."""
    ends: Float[np.ndarray, "starts K n"]
    """Where each start ended."""
    end_explained: Float[np.ndarray, " starts"]
    refined: float
    """How much the local search added to the best end."""


@given(key=one_key, starts=checks.count, steps=checks.count, tries=checks.count, samples=checks.count, further_starts=sets)
def best_half_spaces(
    task: Task,
    K: int,
    *,
    key: PRNGKeyArray,
    starts: int = 16,
    steps: int = 300,
    tries: int = 300,
    samples: int = 20_000,
    further_starts: Any = None,
) -> SearchResult:
    r"""Search for the K half-space gates through 0 that explain most: $\max_V b^\top A^+ b$, the smallest limiting loss.

    From each start the directions V climb by L-BFGS: with hard gates in closed form on Gaussian data; with soft gates, sharper
    and sharper, on a fixed sample of other data. The gradient needs no derivative of the solution $u = A^+ b$, since
    $b^\top A^+ b = \max_u\,(2 b^\top u - u^\top A u)$. Ends are compared with hard gates, on a second sample, and an end that
    is worse than its start is given up. From the best a local search goes on by the same measure: it moves one gate at a time
    by a random step of random size, and keeps what is better.

    **Arguments**

    - `task`: two sources symmetric about 0.
    - `K`: number of gates.
    - `key`: for starts, samples and local search.
    - `starts`: random starts.
    - `further_starts`: starts beside the random ones (m, K, n), such as the fields of trained committees.
    - `steps`: of L-BFGS, for each width.
    - `tries`: of the local search.
    - `samples`: of each class in each of both samples, used with both signs; not needed on Gaussian data.

    **Returns** the best set, what it explains, and the same for each start, random ones first. The best found is a lower bound
    of the best there is.

    >>> import jax
    >>> from gatefield.data import Gaussian
    >>> found = best_half_spaces(Task(Gaussian(6, 1.5), Gaussian(6, 0.7)), 1, key=jax.random.key(0), starts=2, tries=1)
    >>> round(found.explained, 4)
    0.108

    **Source:** note 002, section 5.1, the second reading of the race; note 000, section 3.3.
    """
    K, key = checks.count("K", K), as_key(key)
    data_key, start_key, try_key = jax.random.split(key, 3)
    steps, tries, count = checks.count("steps", steps), checks.count("tries", tries), checks.count("samples", samples)
    with jax.enable_x64(True):
        climbed, chosen = (mixture(task, key=k, samples=count) for k in jax.random.split(data_key))
        first = _starts(start_key, checks.count("starts", starts), K, task.n, further_starts)
        widths = (None,) if isinstance(climbed.classes[0], GaussianClass) else WIDTHS
        white = _inverse_root(np.asarray(climbed.covariance()))
        ends = [_better(chosen, start, _climb(climbed, start, white, widths, steps), white) for start in first]
        reached = np.array([value for _, value in ends])
        V, value = _refine(chosen, ends[np.argmax(reached)][0], white, try_key, tries)
        if widths == (None,):
            V, value = _better(chosen, V, _climb(climbed, V, white, widths, steps), white)
    return SearchResult(_unit(V), value, np.stack([_unit(end) for end, _ in ends]), reached, value - float(reached.max()))


@given(V=fields)
@exact
def explained_by_directions(V: FieldsLike, task: Task) -> Scalar:
    r"""What half-space gates explain on Gaussian data, $b^\top A^{-1} b$: closed form, differentiable by their directions.

    **Arguments**

    - `V`: directions of the gates (K, n).
    - `task`: two Gaussian sources.

    **Returns** what the gates explain of the label power; float64 NumPy unless traced.

    >>> import numpy as np
    >>> from gatefield.data import Gaussian
    >>> float(explained_by_directions(np.ones((1, 6)), Task(Gaussian(6, 1.5), Gaussian(6, 0.7))).round(4))
    0.108
    """
    problem = mixture(task, key=jax.random.key(0), samples=1)
    if not isinstance(problem.classes[0], GaussianClass):
        raise UserError("This closed form is for Gaussian data; use explained(A, b) of statistics(gates, task, key=...).")
    check_sites(V, problem.covariance())
    return _at_best(problem, real(V))


@eqx.filter_jit
def _at_best(problem: Mixture, V: Float[Array, "K n"]) -> Float[Array, ""]:
    """What the gates explain; the solution is held fixed in its derivative, which is exact all the same."""
    _, u = problem.fit(jax.lax.stop_gradient(V))
    return problem.gain(V, jax.lax.stop_gradient(u))


def _starts(key: PRNGKeyArray, count: int, K: int, n: int, further_starts: Any) -> np.ndarray:
    """Random directions, then the given ones."""
    drawn = np.asarray(jax.random.normal(key, (count, K, n)), float)
    if further_starts is None:
        return drawn
    further = np.asarray(further_starts, float)
    if further.shape[1:] != (K, n):
        raise UserError(
            f"further_starts must have shape (starts, {K}, {n}), but has {further.shape}; give one set for each start."
        )
    if not further.any(-1).all():
        raise UserError("further_starts must have no row of zeros, which is no direction of a gate; give other fields.")
    return np.concatenate([drawn, further])


def _inverse_root(cov: np.ndarray) -> np.ndarray:
    """cov^(-1/2): in these coordinates angles are those that gates see, and L-BFGS has a fair start."""
    values, basis = np.linalg.eigh(cov)  # modes of less than 1e-6 of the largest variance are not blown up further
    return basis @ np.diag(np.maximum(values, 1e-6 * values[-1]) ** -0.5) @ basis.T


def _climb(problem: Mixture, start: np.ndarray, white: np.ndarray, widths: tuple[Any, ...], steps: int) -> np.ndarray:
    """The directions after L-BFGS with each width in turn, in coordinates where both classes together are white."""
    shape = start.shape

    def loss(flat: np.ndarray, width: Any) -> tuple[float, np.ndarray]:
        value, slope = _slope(problem, flat.reshape(shape) @ white, width)
        return -float(value), -(np.asarray(slope) @ white).ravel()

    U = np.linalg.solve(white, start.T).T
    for width in widths:
        U = U / np.linalg.norm(U, axis=1, keepdims=True)
        soft = None if width is None else jnp.asarray(width)
        options = {"maxiter": steps, "ftol": 1e-13}  # as far as rounding of the objective lets it
        U = minimize(loss, U.ravel(), args=(soft,), jac=True, method="L-BFGS-B", options=options).x.reshape(shape)
    return U @ white


@eqx.filter_jit
def _slope(problem: Mixture, V: Any, width: Any) -> tuple[Array, Float[Array, "K n"]]:
    """What the gates explain, and its gradient by their directions."""
    value, u = problem.fit(V, width)
    return value, jax.grad(problem.gain)(V, u, width)


def _refine(problem: Mixture, V: np.ndarray, white: np.ndarray, key: PRNGKeyArray, tries: int) -> tuple[np.ndarray, float]:
    """The directions after so many tries of the local search, and what they explain."""
    U, value = _attempts(problem, np.linalg.solve(white, V.T).T, white, key, jnp.asarray(tries))
    return np.asarray(U) @ white, float(value)


def _better(problem: Mixture, V: np.ndarray, W: np.ndarray, white: np.ndarray) -> tuple[np.ndarray, float]:
    """Whichever of two sets explains more with hard gates, and what it explains."""
    key = jax.random.key(0)
    return max((_refine(problem, rows, white, key, 0) for rows in (V, W)), key=lambda found: found[1])


@eqx.filter_jit
def _attempts(problem: Mixture, U: Any, white: Any, key: PRNGKeyArray, tries: Array) -> tuple[Array, Array]:
    """One gate after another is moved by a random step, of a size between 0.001 and 1 of its length; kept if better."""

    def attempt(i: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        U, value = now
        size_key, step_key = jax.random.split(jax.random.fold_in(key, i))
        k, size = i % U.shape[0], 10 ** jax.random.uniform(size_key, minval=-3.0, maxval=0.0)
        step = jax.random.normal(step_key, U.shape[1:], U.dtype) * jnp.where(i > 0, size, 0.0)  # the first only measures
        moved = U.at[k].add(jnp.linalg.norm(U[k]) * step / jnp.sqrt(U.shape[1]))
        other = problem.fit(moved @ white)[0]
        return jnp.where(other > value, moved, U), jnp.maximum(other, value)

    return jax.lax.fori_loop(0, tries + 1, attempt, (U, jnp.asarray(-jnp.inf)))


def _unit(V: np.ndarray) -> np.ndarray:
    return V / np.linalg.norm(V, axis=-1, keepdims=True)
