r"""The drift's Jacobian for squashed Gaussian fields, by sampling lines instead of points.

$J = E[\delta(\langle w,x\rangle)\,xx^\top]$ with $x = X(z)$, $z = C^{1/2}y$ and y standard normal. A line $y + te$ is drawn,
with y orthogonal to the unit vector e. The density of t on it is the normal $\varphi(t)$, and the roots t of
$h(t) = \langle w,x(t)\rangle$ are found numerically: the delta function is integrated exactly, with no width and no bias.

One fixed direction would weigh a root by $1/|h'(t)|$, which has no variance where the line touches the surface h = 0. So a
share q of the lines runs along the mean gradient $e_1 \propto C^{1/2}w$ and the others in random directions orthogonal to it,
and each root gets the weight

$$\frac{\varphi(t)\,|\partial_e h|}{q\,(\partial_1 h)^2 + \frac{1-q}{n-1}\,|\nabla_\perp h|^2}$$

Over both kinds of lines the means of $(\partial_e h)^2$ add up to the denominator, which leaves $\delta(h)$. Where a line
touches the surface the weight is 0, so that two roots that lie too close to be told apart do not matter. At every root
$\langle w,x\rangle = 0$: each sample, not only their mean, obeys $Jw = 0$.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core.precision import real
from gatefield.data import Squashed
from gatefield.data.numerics import symmetric_root
from gatefield.theory.drift.arrays import Field
from gatefield.theory.drift.sampled import undifferentiated
from gatefield.theory.inputs import unless_nan
from gatefield.theory.squash import Squash, normal_density, squash

Matrices = tuple[Float[Array, "*fields n n"], Float[Array, "*fields n n"]]

_BLOCK = 256
"""Lines at a time: the values at the nodes of 256 lines on 40 sites take 18 MB."""
_ALONG = 0.75
"""The share of lines along the mean gradient, in fourths: on Gaussian data these alone would do."""
_REACH = 8.0
"""Beyond so many standard deviations the normal density is below 1e-14."""
_BENDS = np.array([-2.4, -1.2, 0.0, 1.2, 2.4])
"""Where a site is looked at, in widths of its erf: 1.2 from its middle it is nine tenths of the way, at 2.4 all but 7e-4."""
_EVENLY = np.linspace(-_REACH, _REACH, 17)
_STEPS = 20
"""Of Newton's method between two nodes, or of bisection where it leads outside."""


class _Line(NamedTuple):
    """Latent values z = a + t d, and the weights w of the sites."""

    w: Field
    a: Field
    d: Field
    s: Squash

    def height(self, t: Array) -> Array:
        """h, up to the factor Z."""
        return jnp.sum(self.w * erf(self.s.gain * (self.a + t[..., None] * self.d)), axis=-1)


def line_jacobians(squashed: Squashed, fields: Float[Array, "fields n"], key: PRNGKeyArray, samples: int) -> Matrices:
    """The Jacobian at each field, and the standard error of each entry, from at least so many lines in whole blocks."""
    root, s, blocks = real(symmetric_root(squashed.correlation)), squash(real(squashed.gain)), -(-samples // _BLOCK)
    value, error = _at_each(root, undifferentiated(fields), s, key, blocks)
    sharp = jnp.isinf(real(squashed.gain))  # signs: constant in cells
    return jnp.where(sharp, 0.0, value), jnp.where(sharp, 0.0, error)


@eqx.filter_jit
def _at_each(root: Array, fields: Float[Array, "fields n"], s: Squash, key: PRNGKeyArray, blocks: int) -> Matrices:
    def one(w: Field) -> Matrices:
        size = jnp.max(jnp.abs(w))
        value, error = _averaged(root, w / size, s, key, blocks)
        return unless_nan(value / size, w), unless_nan(error / size, w)

    return jax.lax.map(one, fields)


def _averaged(root: Array, w: Field, s: Squash, key: PRNGKeyArray, blocks: int) -> Matrices:
    n = len(w)
    gradient = jnp.matmul(root, w, precision="highest")
    length = jnp.linalg.norm(gradient)
    main = jnp.where(length > 0, gradient / jnp.where(length > 0, length, 1.0), jnp.eye(n)[0])
    along = jnp.arange(_BLOCK) % 4 < 4 * _ALONG if n > 1 else jnp.full(_BLOCK, True)
    one = jax.vmap(lambda key, kind: _weighted_root(root, w, s, main, key, kind))

    def add(total: Matrices, block: Array) -> tuple[Matrices, None]:
        weight, x = one(jax.random.split(jax.random.fold_in(key, block), _BLOCK), along)
        first = jnp.matmul((weight[:, None] * x).T, x, precision="highest")
        second = jnp.matmul((weight[:, None] * x**2 * weight[:, None]).T, x**2, precision="highest")
        return (total[0] + first, total[1] + second), None

    zero = jnp.zeros((n, n), w.dtype)
    count = blocks * _BLOCK
    mean, square = (part / count for part in jax.lax.scan(add, (zero, zero), jnp.arange(blocks))[0])
    return mean, jnp.sqrt(jnp.maximum(square - mean**2, 0.0) / count)


def _weighted_root(root: Array, w: Field, s: Squash, main: Field, key: PRNGKeyArray, along: Array) -> tuple[Array, Field]:
    """The weight of one root of a line drawn at random, and x there; the weight is 0 if it has no root."""
    y_key, turn_key, choice_key = jax.random.split(key, 3)
    turn = jax.random.normal(turn_key, w.shape, w.dtype)
    turn = turn - jnp.dot(turn, main) * main
    e = jnp.where(along, main, turn / jnp.where(along, 1.0, jnp.linalg.norm(turn)))
    y = jax.random.normal(y_key, w.shape, w.dtype)
    line = _Line(w, root @ (y - jnp.dot(y, e) * e), root @ e, s)
    t, chances = _some_root(line, jax.random.uniform(choice_key, (), w.dtype))
    z = line.a + t * line.d
    gradient = root @ (w * s.slope * jnp.exp(-((s.gain * z) ** 2)))
    first, square = jnp.dot(gradient, main), jnp.dot(gradient, gradient)
    share = _ALONG if len(w) > 1 else 1.0
    spread = share * first**2 + (1 - share) * jnp.maximum(square - first**2, 0.0) / max(len(w) - 1, 1)
    weight = chances * normal_density(t) * jnp.abs(jnp.dot(gradient, e)) / jnp.where(spread > 0, spread, 1.0)
    return jnp.where(spread > 0, weight, 0.0), erf(s.gain * z) / s.deviation


def _some_root(line: _Line, uniform: Array) -> tuple[Array, Array]:
    """One root of h, drawn in proportion to the density near it, and one over its chance; 0 if there is none."""
    t = _nodes(line)
    above = line.height(t) > 0
    middle = (t[1:] + t[:-1]) / 2
    density = jnp.where(above[1:] != above[:-1], normal_density(middle), 0.0)
    total = jnp.cumsum(density)
    cell = jnp.argmax(total > uniform * total[-1])
    found = total[-1] > 0
    odds = jnp.where(found, total[-1] / jnp.where(found, density[cell], 1.0), 0.0)
    return _refined(line, t[cell], t[cell + 1]), odds


def _nodes(line: _Line) -> Float[Array, " nodes"]:
    """Where h is looked at: about the bends of each site, and evenly."""
    steep = jnp.abs(line.d) > 1e-12
    d = jnp.where(steep, line.d, 1.0)
    places = -line.a[:, None] / d[:, None] + real(_BENDS) / (line.s.gain * jnp.abs(d))[:, None]
    places = jnp.where(steep[:, None], jnp.clip(places, -_REACH, _REACH), _REACH)
    return jnp.sort(jnp.concatenate([places.ravel(), real(_EVENLY)]))


def _refined(line: _Line, low: Array, high: Array) -> Array:
    """The root between two nodes."""
    rising = line.height(high) > 0

    def step(_: Any, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        low, high, t = state
        h = line.height(t)
        beyond = (h > 0) == rising
        low, high = jnp.where(beyond, low, t), jnp.where(beyond, t, high)
        bends = jnp.exp(-((line.s.gain * (line.a + t * line.d)) ** 2))
        slope = 2 / np.sqrt(np.pi) * line.s.gain * jnp.sum(line.w * line.d * bends)
        newton = t - h / jnp.where(slope == 0, 1.0, slope)
        inside = (newton >= low) & (newton <= high) & (slope != 0)
        return low, high, jnp.where(inside, newton, (low + high) / 2)

    return jax.lax.fori_loop(0, _STEPS, step, (low, high, (low + high) / 2))[2]
