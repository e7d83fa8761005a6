"""One ReLU neuron on two Gaussian classes whose covariances share their eigenvectors: flow and steady states, mode by mode.

On a ring these are the Fourier modes. In mode k the classes have variances l1 and l0 (`lam1`, `lam0`), the field has the
coefficient u_k, and D_k = 1 + l0/l1 decides: the neuron ends on the mode of smallest D. Labels are (1, 0) where none are given.
Everywhere one `Task` of two sources on a ring may stand in place of `lam1` and `lam0`; its modes are then those of frequencies
0 to n-1, in the order of `data.ring_spectrum`.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float, Int, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, Labels
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.data import Task
from gatefield.theory.inputs import check_broadcast, field, labels, spectrum, unless_nan
from gatefield.theory.relu.geometry import safe_sqrt
from gatefield.theory.tasks import plain_labels, two_spectra

Modes = Float[Exact, " modes"]
ModesLike = Real[ArrayLike, " modes"] | Sequence
SomeModes = Float[Exact, "*modes"]
SomeModesLike = Real[ArrayLike, "*#modes"] | Sequence
"""Any number of modes, or one."""


def _mode(name: str, k: Any) -> None:
    if not isinstance(k, Tracer):
        checks.count(name, k.item() if getattr(k, "shape", None) == () else k, least=0)


@given(u=field, lam1=spectrum, lam0=spectrum, labels=labels)
@exact
def mode_velocity(u: ModesLike, lam1: ModesLike | Task, lam0: ModesLike | None = None, labels: Labels | None = None) -> Modes:
    r"""Velocity of one ReLU neuron's modes on two Gaussian classes.

    $$\tau\frac{du_k}{dt} = \sum_c p_c\Big[\frac{y_c}{\sqrt{2\pi}\,r_c}-\tfrac12\Big]\lambda_{ck}u_k,
    \qquad r_c^2 = \sum_k\lambda_{ck}u_k^2$$

    with class shares $p_c$. For labels (1, 0) and equal shares it is $-\tfrac14\lambda_{1k}(D_k-\sqrt{2/\pi}/r_1)\,u_k$ with $D
    = 1+\lambda_0/\lambda_1$.

    **Arguments**

    - `u`: coefficients (modes,), not all zero.
    - `lam1`, `lam0`: variances of both classes in each mode, of equal shares; or one `Task` in place of both.
    - `labels`: the pair (y1, y0), (1, 0) if not given.

    **Returns** the velocity (modes,); float64 NumPy unless traced.

    >>> mode_velocity([1.0, 0.5], [2.0, 1.0], [1.0, 1.0]).round(4)
    array([-0.484 , -0.1835])

    **Source:** note 002, equation 21.
    """
    classes = two_spectra(lam1, lam0, labels)
    positive, negative = spectra(classes.positive, classes.negative)
    pulling = [lam for lam, y in zip((positive, negative), classes.labels, strict=True) if isinstance(y, Tracer) or y != 0]
    return _mode_velocity(coefficients(u, pulling), *classes._replace(positive=positive, negative=negative).stacked())


@given(lam1=spectrum, lam0=spectrum)
@exact
def steady_amplitude(lam1: SomeModesLike | Task, lam0: SomeModesLike | None = None) -> SomeModes:
    r"""Amplitude of one ReLU neuron on a steady mode, $|u_k| = \sqrt{2/\pi}\,\sqrt{\lambda_1}/(\lambda_0+\lambda_1)$.

    Modes of equal $D = 1+\lambda_0/\lambda_1$ are steady together, with $\sum_k\lambda_{1k}u_k^2 = 2/(\pi D^2)$. The cosine and
    the sine of one frequency thus form a circle of this radius: the phase is free.

    **Arguments**

    - `lam1`, `lam0`: variances of both classes in the mode; they broadcast. Or one `Task` in place of both.

    **Returns** the amplitude, for each mode; 0 without variance in the positive class; float64 NumPy unless traced.

    >>> print(round(float(steady_amplitude(2.2, 1.45)), 12))
    0.324233987545

    **Source:** note 002, equations 25 to 31, corrected: the norm stands in the equation, not its square.
    """
    lam1, lam0 = variances(*plain_labels(two_spectra(lam1, lam0))[:2])
    total = lam0 + lam1
    return jnp.sqrt(2 / jnp.pi) * safe_sqrt(lam1) / jnp.where(total <= 0, 1.0, total)


@given(lam1=spectrum, lam0=spectrum)
@exact
def steady_loss(lam1: SomeModesLike | Task, lam0: SomeModesLike | None = None) -> SomeModes:
    r"""Loss of one ReLU neuron on a steady mode, $L^* = \frac14-\frac1{4\pi}\frac{\lambda_1}{\lambda_0+\lambda_1}$.

    **Arguments**

    - `lam1`, `lam0`: variances of both classes in the mode; they broadcast. Or one `Task` in place of both.

    **Returns** the loss, for each mode; 1/4 without variance in the positive class; float64 NumPy unless traced.

    >>> print(round(float(steady_loss(2.2, 1.45)), 12))
    0.202035496602

    **Source:** no note prints it; the loss of note 002, equation 3, at the steady state of equation 24.
    """
    lam1, lam0 = variances(*plain_labels(two_spectra(lam1, lam0))[:2])
    total = lam0 + lam1
    return 0.25 - lam1 / jnp.where(total <= 0, 1.0, total) / (4 * jnp.pi)


@given(k=_mode, lam1=spectrum, lam0=spectrum)
@exact
def growth_rates(k: Int[ArrayLike, ""], lam1: ModesLike | Task, lam0: ModesLike | None = None) -> Modes:
    r"""Rates at which small additions of each mode m grow, for one ReLU neuron in the steady state of mode k.

    $$-\tfrac14\lambda_{1m}(D_m-D_k) \quad (m \ne k), \qquad -\tfrac14(\lambda_{0k}+\lambda_{1k}) \quad (m = k),
    \qquad D = 1+\lambda_0/\lambda_1$$

    The second is the return of the amplitude. The state is stable only on a mode of smallest D; a mode of equal D (the other
    phase of the same frequency) has rate 0.

    **Arguments**

    - `k`: index of the mode of the steady state; with a task, its frequency.
    - `lam1`, `lam0`: variances (modes,) of both classes in each mode, in any order; or one `Task` in place of both.

    **Returns** the rates (modes,) in units of 1/tau; float64 NumPy unless traced.

    >>> growth_rates(1, [2.2, 0.8, 0.8, 0.2], [1.45, 0.95, 0.95, 0.65]).round(6)
    array([ 0.290625, -0.4375  ,  0.      , -0.103125])
    >>> from gatefield.data import Gaussian, Task
    >>> bool((growth_rates(0, Task(Gaussian(40, xi=2.0), Gaussian(40, xi=1.0))) < 0).all())
    True

    **Source:** no note prints it; the linearisation of note 002, equation 21.
    """
    lam1, lam0 = plain_spectra(lam1, lam0)
    _check_mode(k, lam1)
    k = jnp.asarray(k)
    ratio = lam0[k] / lam1[k]
    rates = jnp.where(lam0 * lam1[k] == lam0[k] * lam1, 0.0, lam1 * ratio - lam0) / 4
    return jnp.where(jnp.arange(len(lam1)) == k, -(lam0 + lam1) / 4, rates)


@given(lam1=spectrum, lam0=spectrum)
@exact
def winning_mode(lam1: ModesLike | Task, lam0: ModesLike | None = None) -> Int[Exact, ""]:
    r"""The mode on which one ReLU neuron ends: where $\lambda_1/(\lambda_0+\lambda_1)$ is largest, that is D smallest.

    Every start that contains the mode reaches it; all other steady states are saddles. Of equal modes the first is named.

    **Arguments**

    - `lam1`, `lam0`: variances (modes,) of both classes in each mode, in any order; or one `Task` in place of both.

    **Returns** the index of the mode, with a task its frequency; NumPy unless traced. Under `jit` NaN gives -1.

    >>> from gatefield.data import ring_spectrum
    >>> long, short = ring_spectrum(40, 2.0), ring_spectrum(40, 1.0)
    >>> print(winning_mode(long, short), winning_mode(short, long))
    0 20

    **Source:** note 002, section "Finding u_1", corrected: neither the sum of the variances nor their size matters.
    """
    ratio = ratios(*plain_spectra(lam1, lam0))
    return unless_nan(jnp.argmin(ratio), ratio, -1)


def ratios(lam1: Array, lam0: Array) -> Array:
    """D - 1 = l0/l1 of each mode, infinite without variance in the positive class."""
    without = lam1 <= 0
    return jnp.where(without, jnp.inf, lam0 / jnp.where(without, 1.0, lam1))


def plain_spectra(lam1: Any, lam0: Any) -> tuple[Array, Array]:
    """Both spectra, given or of a task, for labels (1, 0) in equal shares."""
    return spectra(*plain_labels(two_spectra(lam1, lam0))[:2])


def spectra(lam1: Any, lam0: Any) -> tuple[Array, Array]:
    """Both spectra as arrays of one shape; none of their values may be negative."""
    if np.shape(lam1) != np.shape(lam0):
        raise UserError(
            f"lam1 and lam0 must have one shape, but have {np.shape(lam1)} and {np.shape(lam0)}; give both for the same modes."
        )
    return variances(lam1, lam0)


def variances(lam1: Any, lam0: Any) -> tuple[Array, Array]:
    """Variances of both classes, which broadcast, as arrays; none may be negative."""
    rule = "finite, and zero or more in each mode (data.ring_spectrum never rounds below zero)"
    for name, lam in (("lam1", lam1), ("lam0", lam0)):
        checks.real(name, lam, rule, lambda x: (x >= 0) & np.isfinite(x))
    check_broadcast(lam1=lam1, lam0=lam0)
    return real(lam1), real(lam0)


def coefficients(u: Any, lams: list[Array]) -> Array:
    """A field's modes; with variance in the given classes, for else its gate has no direction there."""
    u = real(u)
    for lam in lams:
        if u.shape != lam.shape:
            raise UserError(
                f"The field has modes of shape {u.shape}, but the spectra are of shape {lam.shape}; give one of each."
            )
        unknown = isinstance(u, Tracer) or isinstance(lam, Tracer)
        if not unknown and not np.any((np.asarray(u) != 0) & (np.asarray(lam) > 0)):
            raise UserError("The field is zero in all modes that have variance: its gate has no direction; start it elsewhere.")
    return u


@jax.jit
def _mode_velocity(u: Modes, lams: Float[Array, "2 modes"], labels: Float[Array, "2"], shares: Float[Array, "2"]) -> Modes:
    scale = jax.lax.stop_gradient(jnp.max(jnp.abs(u)))
    radius = scale * safe_sqrt(jnp.sum(lams * (u / jnp.where(scale > 0, scale, 1.0)) ** 2, axis=1))
    pull = jnp.where(labels == 0, 0.0, labels / (jnp.sqrt(2 * jnp.pi) * jnp.where(labels == 0, 1.0, radius)))
    return u * jnp.sum((shares * (pull - 0.5))[:, None] * lams, axis=0)


def _check_mode(k: Any, lam1: Array) -> None:
    if isinstance(k, Tracer):
        return
    index = int(k)
    if lam1.ndim != 1 or index >= len(lam1):
        raise UserError(
            f"k must be the index of one of the {lam1.size} modes, from 0 on, but is {index}; write k=0 for the first."
        )
    if not isinstance(lam1, Tracer) and lam1[index] == 0:
        raise UserError(f"Mode {index} has no variance in the positive class: no steady state lies there; name another mode.")
