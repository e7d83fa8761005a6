"""What a search over half-space gates needs of the data: moments of gated inputs as functions of the directions.

The gated inputs of K gates with directions V (K, n) are $\\tilde x = (g_1 x, \\dots, g_K x)$. All laws are symmetric about 0.
"""

import abc

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from gatefield.gates.half_space import opened
from gatefield.theory.relu.geometry import Geometry, geometry, safe_sqrt

Directions = Float[Array, "K n"]
Vector = Float[Array, " m"]
Matrix = Float[Array, "m m"]
Width = Float[Array, ""] | None
"""Width of soft gates in standard deviations of <v, x>; None for hard gates."""

RIDGE = 1e-9
"""Added to A, times its mean diagonal, so that redundant gates can be searched through; what is explained only falls by it."""


class Law(eqx.Module):
    """One class of inputs, as a search sees it."""

    @abc.abstractmethod
    def covariance(self) -> Float[Array, "n n"]:
        """The covariance of x."""

    @abc.abstractmethod
    def moments(self, V: Directions, width: Width) -> tuple[Vector, Matrix]:
        """The first and second moment of the gated inputs; gates with a width are soft."""

    @abc.abstractmethod
    def forms(self, V: Directions, u: Directions, width: Width) -> tuple[Array, Array]:
        """The first and second moment of their projection on u, as cheap to differentiate by V as to compute."""


class GaussianLaw(Law):
    """Inputs x ~ N(0, C): closed forms, with hard gates only."""

    cov: Float[Array, "n n"]

    def covariance(self) -> Float[Array, "n n"]:
        return self.cov

    def moments(self, V: Directions, width: Width = None) -> tuple[Vector, Matrix]:
        r"""$2\pi E[g_j g_k xx^\top] = (\pi-\theta)C + [ad^\top + da^\top - \cos\theta\,(aa^\top+dd^\top)]/\sin\theta$.

        Here a and d are $Cv/|v|$ for the two gates: `relu.gate_second_moment`, for all pairs at once.
        """
        all_, inverse, a = self._parts(V)
        K, n = V.shape
        mixed = a[:, None, :, None] * a[None, :, None, :]
        same = a[:, :, None] * a[:, None, :]
        tilt = mixed + jnp.swapaxes(mixed, 0, 1) - all_.cosines[..., None, None] * (same[:, None] + same[None])
        blocks = all_.wedges[..., None, None] * self.cov + inverse[..., None, None] * tilt
        return a.ravel() / jnp.sqrt(2 * jnp.pi), blocks.transpose(0, 2, 1, 3).reshape(K * n, K * n) / (2 * jnp.pi)

    def forms(self, V: Directions, u: Directions, width: Width = None) -> tuple[Array, Array]:
        all_, inverse, a = self._parts(V)
        p = jnp.matmul(a, u.T, precision="highest")  # a_j . u_k
        own = jnp.diagonal(p)
        spread = jnp.matmul(jnp.matmul(u, self.cov, precision="highest"), u.T, precision="highest")
        tilt = own[:, None] * own + p * p.T - all_.cosines * (own[:, None] * p + p.T * own)
        return own.sum() / jnp.sqrt(2 * jnp.pi), jnp.sum(all_.wedges * spread + inverse * tilt) / (2 * jnp.pi)

    def _parts(self, V: Directions) -> tuple[Geometry, Float[Array, "K K"], Directions]:
        """The angles, 1/sin (0 where the sine is 0, and so is its factor), and C v/|v|."""
        all_ = geometry(V, self.cov)
        apart = all_.sines > 0
        return all_, jnp.where(apart, 1 / jnp.where(apart, all_.sines, 1.0), 0.0), all_.images


class SampledLaw(Law):
    """A fixed sample of inputs, each used with both signs: $g = (1+s)/2$ with s odd in x, so that mirroring costs nothing."""

    x: Float[Array, "samples n"]

    def covariance(self) -> Float[Array, "n n"]:
        return jnp.matmul(self.x.T, self.x, precision="highest") / self.x.shape[0]

    def moments(self, V: Directions, width: Width) -> tuple[Vector, Matrix]:
        r"""$E[g_j x] = \tfrac12 E[s_j x]$ and $E[g_j g_k xx^\top] = \tfrac14 E[(1 + s_j s_k)\,xx^\top]$."""
        s = self._signs(V, width)
        samples, K = s.shape
        gated = (s[:, :, None] * self.x[:, None, :]).reshape(samples, -1)
        ones = jnp.tile(self.covariance(), (K, K))
        return gated.mean(0) / 2, (ones + jnp.matmul(gated.T, gated, precision="highest") / samples) / 4

    def forms(self, V: Directions, u: Directions, width: Width) -> tuple[Array, Array]:
        h = jnp.matmul(self.x, u.T, precision="highest")
        pull = jnp.sum(self._signs(V, width) * h, axis=1)
        return pull.mean() / 2, (jnp.mean(h.sum(1) ** 2) + jnp.mean(pull**2)) / 4

    def _signs(self, V: Directions, width: Width) -> Float[Array, "samples K"]:
        """2 g - 1: the sign of <v, x>, 0 on the plane; or tanh(<v, x>/(2 width sd)), with sd its standard deviation."""
        if width is None:
            return 2 * opened(self.x, V) - 1
        h = jnp.matmul(self.x, V.T, precision="highest")
        return jnp.tanh(h / (2 * width * safe_sqrt(jnp.mean(h**2, axis=0))))


class Mixture(eqx.Module):
    """Both classes with their shares and labels."""

    laws: tuple[Law, Law]
    shares: Float[Array, "2"]
    labels: Float[Array, "2"]

    def covariance(self) -> Float[Array, "n n"]:
        """The covariance of both classes together."""
        return sum((p * law.covariance() for p, law in zip(self.shares, self.laws, strict=True)), start=jnp.zeros(()))

    def moments(self, V: Directions, width: Width = None) -> tuple[Matrix, Vector]:
        """A and b, as `statistics` has them."""
        parts = [law.moments(V, width) for law in self.laws]
        b = sum(p * y * m for p, y, (m, _) in zip(self.shares, self.labels, parts, strict=True))
        return sum(p * M for p, (_, M) in zip(self.shares, parts, strict=True)), b  # pyright: ignore[reportReturnType]

    def fit(self, V: Directions, width: Width = None) -> tuple[Array, Directions]:
        r"""What the gates explain, $b^\top(A+\epsilon)^{-1}b$, and the solution $u = (A+\epsilon)^{-1}b$ as (K, n)."""
        A, b = self.moments(V, width)
        ridge = RIDGE * jnp.trace(A) / len(b)
        u = jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(A + ridge * jnp.eye(len(b))), b)
        return b @ u, u.reshape(V.shape)

    def gain(self, V: Directions, u: Directions, width: Width = None) -> Array:
        r"""$2 b^\top u - u^\top A u$: what these gates explain with the solution u held fixed.

        Its gradient by V is that of $b^\top A^{-1} b$ where u solves A u = b, because the best u cannot be bettered.
        """
        parts = [law.forms(V, u, width) for law in self.laws]
        terms = (p * (2 * y * m - M) for p, y, (m, M) in zip(self.shares, self.labels, parts, strict=True))
        return sum(terms, start=jnp.zeros(()))
