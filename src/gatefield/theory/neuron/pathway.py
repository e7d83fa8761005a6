r"""One ReLU neuron with a linear pathway on symmetric data: its gradient flow and the spectrum of its Jacobian.

The output is $\max(\langle w,x\rangle, 0) + \langle v,x\rangle$, the labels are (1, 0). For two classes of equal shares, each
symmetric about zero, with covariances $S_1$, $S_0$, their sum $S$ and the drift $f(w) = E_1[1(\langle w,x\rangle>0)\,x]$,

$$\tau\dot w = \tfrac12 f(w) - \tfrac14 S(w + v), \qquad \tau\dot v = -\tfrac14 S(w + 2v).$$

A pathway that is trained goes to $v = -w/2$, and the field then follows $\dot w = \tfrac12 f(w) - \tfrac18 Sw$: as the drift
does not depend on the length of w, the steady states are those without a pathway, at twice the length, and the output is
$|\langle w/2,x\rangle|$. A pathway that is frozen shifts the field: in a steady state, $w + v = 2S^{-1}f(w)$.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Field, FieldLike, FieldsLike, MatrixLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.estimate import Estimate
from gatefield.core.keys import as_key
from gatefield.core.precision import exact, real
from gatefield.core.runs import run_count
from gatefield.core.ties import inner_sign
from gatefield.data import Source
from gatefield.theory.inputs import check_directions, check_sites, covariance, field, one_key, source
from gatefield.theory.inputs import fields as some_fields
from gatefield.theory.listed import gated_mean

PARTS = 8
"""Independent parts of the sample, whose spread gives the standard error."""


def _jacobians(name: str, value: Any) -> None:
    sizes = checks.shape(name, value)
    if len(sizes) != 3 or sizes[0] < 2 or not sizes[1] or sizes[1] != sizes[2]:
        raise UserError(f"{name} must have shape (part, n, n) with two parts or more, but has {sizes}; see sampled_jacobian.")
    checks.finite(name, value)


class SampledDrift(NamedTuple):
    """What a sample says of several fields; the leading axis is that of its independent parts."""

    drift: Float[np.ndarray, "part field n"]
    jacobian: Float[np.ndarray, "part field n n"]


class Spectrum(NamedTuple):
    """Eigenvalues of a Jacobian, the largest first, and the largest with its standard error."""

    values: Float[np.ndarray, " modes"]
    largest: Estimate


@given(w=field, v=field, drift=field, total=covariance)
@exact
def pathway_velocity(w: FieldLike, v: FieldLike, drift: FieldLike, total: MatrixLike) -> tuple[Field, Field]:
    r"""Velocities of the field and of the linear pathway of one ReLU neuron, labels (1, 0), classes of equal shares.

    $$\tau\dot w = \tfrac12 f - \tfrac14 S(w + v), \qquad \tau\dot v = -\tfrac14 S(w + 2v)$$

    **Arguments**

    - `w`, `v`: field and pathway (n,).
    - `drift`: the drift f (n,) of the positive class at w.
    - `total`: $S = S_0+S_1$ (n, n), the sum of the covariances of both classes.

    **Returns** the velocities of w and v, (n,) each; float64 NumPy unless traced.

    >>> w, v = pathway_velocity([2.0], [-1.0], [0.5], [[1.0]])
    >>> w.tolist(), v.tolist()
    ([0.0], [-0.0])

    **Source:** no note prints it; minus the gradient of half the mean squared error, with note 002, equation 14.
    """
    w, v, drift, total = map(real, (w, v, drift, total))
    for part in (w, v, drift):
        check_sites(part, total)
    return drift / 2 - total @ (w + v) / 4, -total @ (w + 2 * v) / 4


@given(source=source, fields=some_fields, key=one_key, width=checks.number)
def sampled_jacobian(
    source: Source, fields: FieldsLike, key: PRNGKeyArray, *, samples: int, width: float = 0.05
) -> SampledDrift:
    r"""Drift of each field and the drift's Jacobian $E[\delta(\langle w,x\rangle)\,xx^\top]$, by a gate of Gaussian edge.

    **Arguments**

    - `source`: the positive class, one run, symmetric about 0. On a discrete law, such as the hypercube, the drift is constant
      in cells: its Jacobian is zero almost everywhere, which a gate with an edge does not show.
    - `fields`: (field, n), none of them zero.
    - `key`: draws the sample.
    - `samples`: how many in all.
    - `width`: that of the edge, in standard deviations of $\langle w,x\rangle$; as it goes to zero, the Jacobian is that of the
      sharp gate.

    **Returns** a `SampledDrift`, with the independent parts of the sample in front (*host*).

    >>> import jax
    >>> from gatefield.data import Gaussian
    >>> sampled_jacobian(Gaussian(3, xi=1.0), [[1.0, 0.0, 0.0]], jax.random.key(0), samples=800).jacobian.shape
    (8, 1, 3, 3)

    **Source:** no note prints it; the derivative of note 003, equation 5.
    """
    if run_count(source) is not None:
        raise UserError("The source must be of one run; take gatefield.one_run(source, 0).")
    width = float(checks.positive("width", width))
    array = np.asarray(fields, float)
    check_sites(array, source.covariance())
    check_directions(array, {"source.covariance()": source.covariance()})
    scale = np.sqrt(np.einsum("fi,ij,fj->f", array, np.asarray(source.covariance(), float), array))
    size = max(1, checks.count("samples", samples) // PARTS)
    found = _sampled(
        source, jnp.asarray(fields, float), jnp.asarray(width * scale, float), jax.random.split(as_key(key), PARTS), size
    )
    return SampledDrift(*(np.asarray(part, np.float64) for part in found))


@eqx.filter_jit
def _sampled(source: Source, fields: Array, edge: Array, keys: Key[Array, " parts"], size: int) -> tuple[Array, Array]:
    draw = source.sampler()

    def part(key: PRNGKeyArray) -> tuple[Array, Array]:
        x = draw(key, size)

        def one(arguments: tuple[Array, Array]) -> tuple[Array, Array]:
            w, b = arguments
            h = jnp.matmul(x, w, precision="highest")
            density = jnp.exp(-((h / b) ** 2) / 2) / (b * np.sqrt(2 * np.pi))
            return gated_mean(inner_sign(h, x, w) / 2, x), jnp.matmul((density[:, None] * x).T, x, precision="highest") / size

        return jax.lax.map(one, (fields, edge))

    return jax.lax.map(part, keys)


@given(jacobian=_jacobians, total=covariance, pathway=checks.flag)
def velocity_spectrum(
    jacobian: Float[np.ndarray, "part n n"], total: Float[np.ndarray, "n n"], *, pathway: bool = False
) -> Spectrum:
    r"""Spectrum of the velocity's Jacobian, given the drift's.

    $$J = \tfrac12 f'(w) - \tfrac14 S, \qquad \text{or with a trained pathway} \qquad
    \begin{pmatrix} J & -\tfrac14 S \\ -\tfrac14 S & -\tfrac12 S \end{pmatrix}$$

    **Arguments**

    - `jacobian`: the drift's Jacobian in each independent part of a sample, as from `sampled_jacobian`.
    - `total`: $S = S_0+S_1$ (n, n).
    - `pathway`: whether there is a linear pathway that is trained too.

    **Returns** a `Spectrum`: `values`, and the `largest` as an `Estimate`; NumPy (*host*).

    >>> import numpy as np
    >>> velocity_spectrum(np.zeros((2, 2, 2)), np.diag([4.0, 8.0])).values.tolist()
    [-1.0, -2.0]

    **Source:** as for `pathway_velocity`.
    """
    jacobian, total = np.asarray(jacobian, float), np.asarray(total, float)
    check_sites(jacobian, total)
    values = np.linalg.eigvalsh(_whole(jacobian.mean(0), total, pathway))[::-1]
    tops = [np.linalg.eigvalsh(_whole(part, total, pathway))[-1] for part in jacobian]
    error = float(np.std(tops, ddof=1) / np.sqrt(len(tops)))
    return Spectrum(values, Estimate(float(values[0]), error, "sampled", standard_errors=4.0))


def _whole(jacobian: np.ndarray, total: np.ndarray, pathway: bool) -> np.ndarray:
    own = jacobian / 2 - total / 4
    return np.block([[own, -total / 4], [-total / 4, -total / 2]]) if pathway else own
