r"""One ReLU neuron with a linear pathway on symmetric data: its gradient flow and the spectrum of its Jacobian.

The output is $\max(\langle w,x\rangle, 0) + \langle v,x\rangle$, the labels are (1, 0). For two balanced classes, each
symmetric about zero, with covariances $S_1$, $S_0$, their sum $S$ and the drift $f(w) = E_1[1(\langle w,x\rangle>0)\,x]$,

$$\dot w = \tfrac12 f(w) - \tfrac14 S(w + v), \qquad \dot v = -\tfrac14 S(w + 2v).$$

A pathway that is trained goes to $v = -w/2$, and the field then follows $\dot w = \tfrac12 f(w) - \tfrac18 Sw$: as the drift
does not depend on the length of w, the rests are those without a pathway, at twice the length, and the output is
$|\langle w/2,x\rangle|$. A pathway that is frozen shifts the field: at rest, $w + v = 2S^{-1}f(w)$.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.data import NonlinearGP

CHUNKS = 8
"""Independent parts of the sample, whose spread gives the standard error."""


class Sampled(NamedTuple):
    """What a sample says of several fields; the leading axis is that of its independent parts."""

    drift: Float[np.ndarray, "part field n"]
    jacobian: Float[np.ndarray, "part field n n"]


class Spectrum(NamedTuple):
    """Eigenvalues of a Jacobian, the largest first, and the standard error of the largest."""

    values: Float[np.ndarray, " modes"]
    error: float


def velocity(w: Any, v: Any, drift: Any, total: Any) -> tuple[Any, Any]:
    """The velocities of the field and of the pathway (see above), `total` being S0 + S1."""
    return drift / 2 - total @ (w + v) / 4, -total @ (w + 2 * v) / 4


def sampled(source: NonlinearGP, fields: Any, key: PRNGKeyArray, samples: int, width: float) -> Sampled:
    r"""Drift of each field and the drift's Jacobian $E[\delta(\langle w,x\rangle)\,xx^\top]$, by a gate of Gaussian edge.

    **Arguments:** `source`: the positive class, one run. `fields`: (field, n). `samples`: how many in all. `width`: that of
    the edge, in standard deviations of $\langle w,x\rangle$; as it goes to zero, the Jacobian is that of the sharp gate. On
    the hypercube the drift is constant in cells, so that its Jacobian is zero almost everywhere; zero is then returned.
    """
    fields = jnp.asarray(fields, float)
    scale = np.sqrt(np.einsum("fi,ij,fj->f", *(np.asarray(a, float) for a in (fields, source.covariance(), fields))))
    edge = jnp.asarray(width * scale, float)
    drift, jacobian = _sampled(source, fields, edge, jax.random.split(key, CHUNKS), max(1, samples // CHUNKS))
    flat = 0.0 if np.isinf(source.gain) else 1.0
    return Sampled(np.asarray(drift, np.float64), flat * np.asarray(jacobian, np.float64))


@eqx.filter_jit
def _sampled(source: NonlinearGP, fields: Array, edge: Array, keys: PRNGKeyArray, size: int) -> tuple[Array, Array]:
    draw = source.sampler()

    def part(key: PRNGKeyArray) -> tuple[Array, Array]:
        x = draw(key, size)

        def one(arguments: tuple[Array, Array]) -> tuple[Array, Array]:
            w, b = arguments
            h = jnp.matmul(x, w, precision="highest")
            density = jnp.exp(-((h / b) ** 2) / 2) / (b * np.sqrt(2 * np.pi))
            drift = jnp.matmul(jnp.sign(h), x, precision="highest") / (2 * size)
            return drift, jnp.matmul((density[:, None] * x).T, x, precision="highest") / size

        return jax.lax.map(one, (fields, edge))

    return jax.lax.map(part, keys)


def spectrum(jacobian: Float[np.ndarray, "part n n"], total: Float[np.ndarray, "n n"], *, pathway: bool) -> Spectrum:
    """Spectrum of the velocity's Jacobian, given the drift's: of the field alone, or with a pathway that is trained too."""
    values = np.linalg.eigvalsh(_whole(jacobian.mean(0), total, pathway))[::-1]
    tops = [np.linalg.eigvalsh(_whole(part, total, pathway))[-1] for part in jacobian]
    return Spectrum(values, float(np.std(tops, ddof=1) / np.sqrt(len(tops))))


def _whole(jacobian: np.ndarray, total: np.ndarray, pathway: bool) -> np.ndarray:
    own = jacobian / 2 - total / 4
    return np.block([[own, -total / 4], [-total / 4, -total / 2]]) if pathway else own
