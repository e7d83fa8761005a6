"""The exact path of one ReLU neuron on two Gaussian classes, by one scalar equation."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer, eval_context
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.data import Task
from gatefield.theory.inputs import field, some, spectrum, unless_nan
from gatefield.theory.relu.modes import ModesLike, coefficients, plain_spectra, ratios

P = ParamSpec("P")

_TOLERANCE = 1e-12
_LOOSE, _ROOT = 1e-5, 1e-3
"""Tolerances of float32: of a step, and of the equations within it, which rounding keeps from being solved much better."""
"""Of the solver, in float64: near what rounding allows to sigma, of which coefficients are exponentials."""


def _exact_solve(function: Callable[P, Any]) -> Callable[P, Any]:
    """Like `core.precision.exact`, for functions that call diffrax, whose checks cannot be evaluated at compile time."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
        traced = any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves((args, kwargs)))
        if traced or jax.config.jax_enable_x64:  # pyright: ignore[reportAttributeAccessIssue]
            return function(*args, **kwargs)
        with jax.enable_x64(True), eval_context():
            return np.asarray(function(*args, **kwargs))

    return wrapper


@given(u0=field, lam1=spectrum, lam0=spectrum, times=some)
@_exact_solve
def single_path(
    u0: ModesLike,
    lam1: ModesLike | Task,
    lam0: ModesLike | None = None,
    times: Real[ArrayLike, "*times"] | Sequence | None = None,
) -> Float[Exact, "*times modes"]:
    r"""Path of one ReLU neuron's modes on two Gaussian classes of equal shares with labels (1, 0).

    $$u_k(t) = u_k(0)\,\exp\big[\tfrac14\lambda_{1k}\,(\sigma(t)-(D_k-D_*)\,t)\big], \qquad
    \frac{d\sigma}{dt} = \frac{\sqrt{2/\pi}}{r(t)}-D_*, \qquad r^2 = \sum_k\lambda_{1k}u_k^2$$

    with $D = 1+\lambda_0/\lambda_1$, and $D_*$ its smallest value among the modes that the start contains. All modes follow
    from the single number $\sigma$, which tends to a constant. Exponents are kept as such, so that nothing over- or underflows
    however long the path is; modes that have died out are 0. It can be differentiated in both modes (`jax.grad`,
    `jax.jacfwd`).

    **Arguments**

    - `u0`: coefficients (modes,) at time 0, not all zero.
    - `lam1`, `lam0`: variances of both classes in each mode; or one `Task` in place of both, as in
      `single_path(u0, task, times=[0.0, 1.0])`.
    - `times`: one time, or increasing times, in units of tau.

    **Returns** the coefficients at each time (times, modes), or (modes,) for one time; float64 NumPy unless traced.

    >>> single_path([0.3, -0.2], [2.2, 0.8], [1.45, 0.95], [0.0, 2.0]).round(6)
    array([[ 0.3     , -0.2     ],
           [ 0.305081, -0.162888]])

    **Source:** the solution of note 002, equation 21, which the note holds to have none; time is in units of tau.
    """
    if times is None:
        raise UserError("The times of the path are missing; write single_path(u0, task, times=[0.0, 1.0]).")
    lam1, lam0 = plain_spectra(lam1, lam0)
    u0 = coefficients(u0, [lam1])
    times = real(checks.real("times", times, "zero or more, and finite", lambda t: (t >= 0) & np.isfinite(t)))
    _check_order(times)
    marks = _padded(jnp.atleast_1d(times))
    clock = unless_nan(marks, marks, jnp.arange(1.0, len(marks) + 1))  # the solver stops at times of NaN with an error
    path = unless_nan(_path(u0, lam1, lam0, clock), marks)
    if not isinstance(path, Tracer) and not np.isfinite(np.asarray(path)).all():
        raise UserError(f"The path cannot be followed to time {np.max(times):g}: it takes too many steps; end it sooner.")
    return path[: times.size] if times.ndim else path[0]


def _padded(times: Array) -> Array:
    """The times with the last one repeated, up to 8, 16, 32, ...: so that few lengths need compiling."""
    size = max(8, 1 << (len(times) - 1).bit_length())
    return jnp.pad(times, (0, size - len(times)), mode="edge")


@jax.jit
def _path(u0: Array, lam1: Array, lam0: Array, times: Array) -> Array:
    present = u0 != 0
    log_u0 = jnp.log(jnp.abs(jnp.where(present, u0, 1.0)))
    ratio = ratios(lam1, lam0)
    best = jnp.min(jnp.where(present, ratio, jnp.inf))
    ceiling = 0.99 * jnp.log(jnp.finfo(times.dtype).max)  # a start may be so small that 1/r overflows
    fall = jnp.where(ratio == best, 0.0, jnp.maximum(lam0 - lam1 * best, 0.0))

    def exponent(t: Array, sigma: Array) -> Array:
        return log_u0 + (lam1 * sigma - fall * t) / 4

    seen = present & (lam1 > 0)

    def log_squares(t: Array, sigma: Array) -> Array:
        return jnp.where(seen, 2 * exponent(t, sigma) + jnp.log(jnp.where(seen, lam1, 1.0)), -jnp.inf)

    def log_radius(t: Array, sigma: Array) -> Array:
        return 0.5 * jax.nn.logsumexp(log_squares(t, sigma))

    def rounding(t: Array, sigma: Array) -> Array:
        """Of the slope, once r is near its limit: as large as the exponents of the modes that make up r."""
        sizes = jnp.abs(log_u0) + (jnp.abs(lam1 * sigma) + fall * t) / 4
        sizes = jnp.sum(jax.nn.softmax(log_squares(t, sigma)) * sizes)
        return 8 * jnp.finfo(times.dtype).eps * (1 + best) * (1 + sizes)

    def slope(t: Array, sigma: Array) -> Array:
        value = jnp.sqrt(2 / jnp.pi) * jnp.exp(jnp.minimum(-log_radius(t, sigma), ceiling)) - (1 + best)
        # What is rounding only would hold the steps small for ever. It is a shift of exponents by less than four times as much.
        noise = rounding(t, sigma)
        return value - jax.lax.stop_gradient(jnp.clip(value, -noise, noise))

    start = jnp.zeros((), times.dtype)
    brief = jax.lax.stop_gradient(jax.nn.sigmoid(log_radius(start, start)))
    sigmas = _integrate(slope, times, brief)
    return jnp.where(present, jnp.sign(u0) * jnp.exp(jax.vmap(exponent)(times, sigmas)), 0.0)


def _integrate(slope: Callable[[Array, Array], Array], times: Array, brief: Array) -> Array:
    """sigma at each time, with the clock s = log(exp(t + `brief`) - 1): log t for short times, t for long ones.

    A small start grows within a time of its own size, so that sigma is first smooth in log t. Later the equation is stiff,
    which an implicit solver does not mind. Every time asked for is the end of a step.
    """
    late = times + brief
    clock = late + jnp.log(-jnp.expm1(-late))
    wide = times.dtype == jnp.float64
    tolerance, root = (_TOLERANCE, _TOLERANCE) if wide else (_LOOSE, _ROOT)
    controller = diffrax.PIDController(rtol=tolerance, atol=tolerance)
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(lambda s, sigma, args: jax.nn.sigmoid(s) * slope(jax.nn.softplus(s) - brief, sigma)),
        diffrax.Kvaerno5(root_finder=diffrax.VeryChord(rtol=root, atol=root)),
        t0=brief + jnp.log(-jnp.expm1(-brief)),
        t1=clock[-1],
        dt0=None,
        y0=jnp.zeros((), times.dtype),
        saveat=diffrax.SaveAt(ts=clock),
        stepsize_controller=diffrax.ClipStepSizeController(controller, step_ts=clock),
        adjoint=diffrax.DirectAdjoint(),
        max_steps=100_000,
        throw=False,
    )
    assert solution.ys is not None
    return solution.ys


def _check_order(times: Array) -> None:
    if times.ndim > 1 or times.size == 0:
        raise UserError(f"times must be one time or a list of times, but have shape {times.shape}.")
    if not isinstance(times, Tracer) and np.any(np.diff(np.atleast_1d(times)) <= 0):
        raise UserError("times must increase from each to the next; sort them and drop repetitions.")
