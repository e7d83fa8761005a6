"""What training makes as small as it can: the loss of one ReLU neuron at the best size of its field."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real, scaled
from gatefield.core.ties import inner_sign
from gatefield.data import Source, Task
from gatefield.theory.drift.drift import drift
from gatefield.theory.inputs import one_key, some
from gatefield.theory.neuron.finite import check_fields, two_sources


class Contrast(NamedTuple):
    """Sharpness and rivalry of each field, its loss at the best size, and the factor that gives it that size."""

    sharpness: Float[Exact, "*fields"]
    rivalry: Float[Exact, "*fields"]
    loss: Float[Exact, "*fields"]
    size: Float[Exact, "*fields"]


@given(w=some, task=two_sources, key=one_key, samples=checks.count)
@exact
def contrast(w: Any, task: Task, *, key: PRNGKeyArray | None = None, samples: int = 262_144) -> Contrast:
    r"""Sharpness $c^2$ and rivalry D of a field, and the loss of a ReLU neuron at the field's best size.

    $$\min_{s\ge0} L(sw) = \frac p2\Big[1-\frac{c^2}{2D}\Big], \qquad c^2 = \frac{2\,(E_1h_+)^2}{E_1h_+^2}, \qquad
      D = 1 + \frac{(1-p)\,E_0h_+^2}{p\,E_1h_+^2}$$

    for labels (1, 0), with $h_+ = \max(\langle w,x\rangle, 0)$, p the share of the positive class and $E_c$ the mean over a
    class. With equal shares it is $\tfrac14 - c^2/(8D)$. So training makes $c^2/D$ as large as it can; every steady state is a
    stationary point of it. If a class is symmetric about zero, $c^2 = (E_1|h|)^2/E_1h^2$, which is $2/\pi$ if $h$ is Gaussian,
    1 if |h| is always the same, and 1/2 for the Laplace law; and $D = 1 + w^\top S_0w/w^\top S_1w$ in equal shares. With other
    labels, $\min L = \tfrac12 E y^2 - (E[y h_+])_+^2/(2E h_+^2)$.

    **Arguments**

    - `w`: a field (n,), or many (..., n); not zero.
    - `task`: two sources, each symmetric about zero or of few points.
    - `key`, `samples`: for sampling, where `theory.drift` of a source is not known.

    **Returns** `Contrast`: `sharpness`, `rivalry`, `loss`, and `size`, the factor by which w is multiplied there; each of the
    shape of w without the sites; float64 NumPy unless traced. Where no gate opens in the positive class, they are 0, infinite,
    $\tfrac12 E y^2$ and 0.

    >>> from gatefield.data import Gaussian, Hypercube
    >>> contrast([1.0, 0.0, 0.0], Task(Hypercube(3, xi=1.0), Hypercube(3, xi=0.5)))
    Contrast(sharpness=array(1.), rivalry=array(2.), loss=array(0.1875), size=array(0.5))
    >>> print(contrast([1.0, 0.0], Task(Gaussian(2, xi=1.0), Gaussian(2, xi=0.5))).sharpness.round(4))  # 2/pi
    0.6366

    **Source:** no note prints it; note 002, equation 3, minimised over the length of the field.
    """
    check_fields(w, task.n)
    field, keys = scaled(real(w)), (None, None) if key is None else jax.random.split(key)
    p, labels = task.proportion, task.labels
    first1, first0 = (
        _first(source, label, field, one, samples)
        for source, label, one in zip((task.positive, task.negative), labels, keys, strict=True)
    )
    second1, second0 = (_second(source, field) for source in (task.positive, task.negative))
    y1, y0 = (real(y) for y in labels)
    power = (p * y1**2 + (1 - p) * y0**2) / 2
    pull, size = p * y1 * first1 + (1 - p) * y0 * first0, p * second1 + (1 - p) * second0
    sharpness, rivalry = 2 * _ratio(first1**2, second1, 0.0), 1 + _ratio((1 - p) * second0, p * second1, jnp.inf)
    pull = jnp.maximum(pull, 0.0)
    factor = _ratio(pull, size, 0.0) * jnp.max(jnp.abs(field), axis=-1) / jnp.max(jnp.abs(real(w)), axis=-1)
    return Contrast(sharpness, rivalry, power - _ratio(pull**2, size, 0.0) / 2, factor)


def _first(source: Source, label: Any, w: Float[Array, "*fields n"], key: Any, samples: int) -> Array:
    r"""The mean of $h_+$, which is $\langle w,f(w)\rangle$ with f the drift; left out for a class whose label is 0."""
    if not isinstance(label, Tracer) and not np.any(label):
        return jnp.zeros(w.shape[:-1], w.dtype)
    support = source.support()
    if support is not None:
        return _opened(w, support.points) @ real(support.probabilities)
    return jnp.sum(w * real(drift(source, w, key=key, samples=samples)), axis=-1)


def _second(source: Source, w: Float[Array, "*fields n"]) -> Array:
    r"""The mean of $h_+^2$: half of that of $h^2$ if the class is symmetric about zero."""
    support = source.support()
    if support is not None:
        return _opened(w, support.points) ** 2 @ real(support.probabilities)
    if not source.symmetric:
        raise UserError(
            f"The contrast is for classes symmetric about 0 or of few points, but {type(source).__name__} inputs are not known "
            "to be either; take points of them, such as Finite(source.sample(jax.random.key(0), 1000))."
        )
    image = jnp.matmul(w, real(source.covariance()), precision="highest")
    return jnp.sum(w * image, axis=-1) / 2


def _opened(w: Float[Array, "*fields n"], points: Any) -> Float[Array, "*fields points"]:
    """$h_+$ at each point, 0 where h is 0 up to rounding: else a field along which there is nothing would explain anything."""
    x = real(points)
    h = jnp.matmul(w, x.T, precision="highest")
    return jnp.where(inner_sign(h, x, w[..., None, :]) < 1, 0.0, h)


def _ratio(above: Array, below: Array, instead: Any) -> Array:
    """The quotient, or another number where it has none; NaN stays NaN."""
    none = below <= 0
    return jnp.where(none, instead, above / jnp.where(none, 1.0, below))
