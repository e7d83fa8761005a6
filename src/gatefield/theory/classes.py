"""One class of inputs, symmetric about 0, as formulas for gates see it: Gaussian in closed form, or a fixed sample.

Behind gates with directions V (K, n) the gated inputs are $\\tilde x = (g_1 x, \\dots, g_K x)$. What is needed of a class are
the moments of $\\tilde x$ as functions of V. Of a sample every input is used with both signs, so that nothing of its mean is
left.
"""

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.core.precision import real
from gatefield.core.runs import run_count
from gatefield.core.ties import side
from gatefield.data import Source
from gatefield.theory.inputs import check_sites, covariance, fields
from gatefield.theory.listed import gated_mean
from gatefield.theory.relu.geometry import Geometry, geometry, safe_sqrt

__all__ = ["EmpiricalClass", "GaussianClass", "SymmetricClass", "gate_signs"]

Directions = Float[Array, "K n"]
Width = Float[Array, ""] | None
"""Width of soft gates in standard deviations of <v, x>; None for hard gates."""

_BLOCK = 4096
"""Samples are drawn in blocks of this size, each with a key of its own, so that a larger sample begins with a smaller one."""


class SymmetricClass(eqx.Module):
    """One class of inputs that is symmetric about 0; V and u are arrays (K, n) of the precision in which to compute."""

    @abc.abstractmethod
    def covariance(self) -> Float[Exact, "n n"]:
        """The covariance of x."""

    @abc.abstractmethod
    def drift(self, V: Directions) -> Directions:
        r"""$f(v) = E[1(\langle v,x\rangle>0)\,x]$ for each direction, with one half at ties."""

    @abc.abstractmethod
    def moments(self, V: Directions, width: Width = None) -> tuple[Float[Array, " m"], Float[Array, "m m"]]:
        r"""$E\,\tilde x$ (Kn,) and $E\,\tilde x\tilde x^\top$ (Kn, Kn); gates with a width are soft."""

    @abc.abstractmethod
    def forms(self, V: Directions, u: Directions, width: Width = None) -> tuple[Float[Array, ""], Float[Array, ""]]:
        r"""Mean and mean square of $\sum_k g_k\langle u_k,x\rangle$, as cheap to differentiate by V as to compute."""


class GaussianClass(SymmetricClass):
    """Inputs x ~ N(0, C): closed forms, with hard gates only.

    >>> import jax.numpy as jnp, numpy as np
    >>> GaussianClass(np.eye(2)).drift(jnp.array([[2.0, 0.0]])).round(4).tolist()
    [[0.3989..., 0.0]]
    """

    cov: Float[Any, "n n"]

    @given(cov=covariance)
    def __init__(self, cov: Float[Any, "n n"]) -> None:
        self.cov = cov if hasattr(cov, "dtype") else np.asarray(cov, float)

    def covariance(self) -> Float[Exact, "n n"]:
        return self.cov

    def drift(self, V: Directions) -> Directions:
        image = V @ real(self.cov)
        return image / jnp.sqrt(2 * jnp.pi * jnp.sum(image * V, axis=-1, keepdims=True))

    def moments(self, V: Directions, width: Width = None) -> tuple[Float[Array, " m"], Float[Array, "m m"]]:
        r"""$2\pi E[g_j g_k xx^\top] = (\pi-\theta)C + [ad^\top + da^\top - \cos\theta\,(aa^\top+dd^\top)]/\sin\theta$.

        Here a and d are $Cv/|v|$ for the two gates: `relu.gate_second_moment`, for all pairs at once.
        """
        all_, inverse, a = self._parts(V)
        K, n = V.shape
        mixed = a[:, None, :, None] * a[None, :, None, :]
        same = a[:, :, None] * a[:, None, :]
        tilt = mixed + jnp.swapaxes(mixed, 0, 1) - all_.cosines[..., None, None] * (same[:, None] + same[None])
        blocks = all_.wedges[..., None, None] * real(self.cov) + inverse[..., None, None] * tilt
        return a.ravel() / jnp.sqrt(2 * jnp.pi), blocks.transpose(0, 2, 1, 3).reshape(K * n, K * n) / (2 * jnp.pi)

    def forms(self, V: Directions, u: Directions, width: Width = None) -> tuple[Float[Array, ""], Float[Array, ""]]:
        all_, inverse, a = self._parts(V)
        p = jnp.matmul(a, u.T, precision="highest")  # a_j . u_k
        own = jnp.diagonal(p)
        spread = jnp.matmul(jnp.matmul(u, real(self.cov), precision="highest"), u.T, precision="highest")
        tilt = own[:, None] * own + p * p.T - all_.cosines * (own[:, None] * p + p.T * own)
        return own.sum() / jnp.sqrt(2 * jnp.pi), jnp.sum(all_.wedges * spread + inverse * tilt) / (2 * jnp.pi)

    def _parts(self, V: Directions) -> tuple[Geometry, Float[Array, "K K"], Directions]:
        """The angles, 1/sin (0 where the sine is 0, and so is its factor), and C v/|v|."""
        all_ = geometry(V, real(self.cov))
        apart = all_.sines > 0
        return all_, jnp.where(apart, 1 / jnp.where(apart, all_.sines, 1.0), 0.0), jnp.asarray(all_.images)


class EmpiricalClass(SymmetricClass):
    r"""A fixed sample of inputs, each used with both signs: $g = (1+s)/2$ with s odd in x, so that mirroring costs nothing.

    **Arguments**

    - `x`: the sample (samples, n), of any precision; signs are taken in that precision.
    - `cov`: the covariance (n, n) of the law if it is known, else that of the sample.

    >>> import jax.numpy as jnp
    >>> EmpiricalClass(jnp.array([[1.0, 1.0], [1.0, -1.0]])).drift(jnp.array([[2.0, 1.0]])).tolist()
    [[0.5, 0.0]]
    """

    x: Float[Any, "samples n"]
    cov: Float[Any, "n n"]

    @given(x=fields, cov=covariance)
    def __init__(self, x: Float[Any, "samples n"], cov: Float[Any, "n n"] | None = None) -> None:
        self.x = x if hasattr(x, "dtype") else np.asarray(x, float)
        self.cov = jnp.matmul(self.x.T, self.x, precision="highest") / len(x) if cov is None else cov
        check_sites(self.x, self.cov)

    @classmethod
    def draw(cls, source: Source, key: PRNGKeyArray, samples: int) -> "EmpiricalClass":
        """A sample of a source of one run that is symmetric about 0, with its exact covariance.

        >>> import jax
        >>> from gatefield.data import Hypercube
        >>> EmpiricalClass.draw(Hypercube(4, xi=1.0), jax.random.key(0), 100).x.shape
        (100, 4)
        """
        if run_count(source) is not None:
            raise UserError("A class is that of a source of one run; take gatefield.one_run(source, 0).")
        return cls(_draw(source, as_key(key), checks.count("samples", samples)), source.covariance())

    def covariance(self) -> Float[Exact, "n n"]:
        return self.cov

    def drift(self, V: Directions) -> Directions:
        r"""$\tfrac12 E[x \operatorname{sign}\langle v,x\rangle]$: as for a law, the gradient of a convex function."""
        return self._first(self._signs(V, None)).astype(V.dtype)

    def moments(self, V: Directions, width: Width = None) -> tuple[Float[Array, " m"], Float[Array, "m m"]]:
        r"""$E[g_j x] = \tfrac12 E[s_j x]$ and $E[g_j g_k xx^\top] = \tfrac14 E[(1 + s_j s_k)\,xx^\top]$."""
        s = self._signs(V, width)
        samples, K = s.shape
        signed = (s[:, :, None] * self.x[:, None, :]).reshape(samples, -1).astype(V.dtype)
        plain = jnp.asarray(self.x).astype(V.dtype)
        alike, both = (jnp.matmul(part.T, part, precision="highest") for part in (signed, plain))
        return self._first(s).ravel().astype(V.dtype), 0.25 * (alike + jnp.tile(both, (K, K))) / samples

    def forms(self, V: Directions, u: Directions, width: Width = None) -> tuple[Float[Array, ""], Float[Array, ""]]:
        h = jnp.matmul(self.x, u.astype(self.x.dtype).T, precision="highest")
        pull, whole = jnp.sum(self._signs(V, width) * h, axis=1).astype(V.dtype), h.sum(1).astype(V.dtype)
        return pull.mean() / 2, (jnp.mean(whole**2) + jnp.mean(pull**2)) / 4

    def _first(self, signs: Float[Array, "samples K"]) -> Directions:
        return gated_mean(signs / 2, self.x)

    def _signs(self, V: Directions, width: Width) -> Float[Array, "samples K"]:
        """2 g - 1: the sign of <v, x>, 0 on the plane; or tanh(<v, x>/(2 width sd)), with sd its standard deviation."""
        if width is None:
            return gate_signs(self.x, V)
        h = jnp.matmul(self.x, V.astype(self.x.dtype).T, precision="highest")
        return jnp.tanh(h / (2 * width * safe_sqrt(jnp.mean(h**2, axis=0))))


@given(x=fields, w=fields)
def gate_signs(x: Float[Exact, "samples n"], w: Float[Exact, "K n"]) -> Float[Array, "samples K"]:
    """The sign of <w, x> in the precision of x, 0 where it is 0 up to rounding.

    **Arguments**

    - `x`: inputs (samples, n).
    - `w`: fields (K, n).

    **Returns** -1, 0 or 1 for each input and field (samples, K).

    >>> import numpy as np
    >>> gate_signs(np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([[1.0, -1.0]])).tolist()
    [[1.0], [0.0]]
    """
    x = jnp.asarray(x)
    if x.shape[-1] != np.shape(w)[-1]:
        raise UserError(f"x and w must have the same sites, but have shapes {x.shape} and {np.shape(w)}; cut one of them.")
    return side(x, jnp.asarray(w).astype(x.dtype))


@eqx.filter_jit
def _draw(source: Source, key: PRNGKeyArray, samples: int) -> Float[Array, "samples n"]:
    draw, count = source.sampler(), -(-samples // _BLOCK)
    x = jax.lax.map(lambda i: draw(jax.random.fold_in(key, i), _BLOCK), jnp.arange(count))
    return x.reshape(count * _BLOCK, -1)[:samples]
