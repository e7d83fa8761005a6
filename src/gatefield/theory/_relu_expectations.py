"""Gaussian expectations of ReLU units: x ~ N(0, C).

Angles between fields are taken in the metric of C: gamma = w'Cv/(|w||v|), theta = arccos gamma, with |w| = sqrt(w'Cw).
"""

import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from gatefield._precision import exact, real

Field = Float[Array, " n"]
FieldLike = Float[ArrayLike, " n"]
Matrix = Float[Array, "n n"]
MatrixLike = Float[ArrayLike, "n n"]


@exact
def gate_mean(w: FieldLike, cov: MatrixLike) -> Field:
    r"""Mean input where a gate is open: $E[1(\langle w,x\rangle>0)\,x] = Cw/(\sqrt{2\pi}\,|w|)$.

    >>> import numpy as np
    >>> gate_mean([2.0, 0.0], np.eye(2)).round(4)
    array([0.3989, 0.    ])

    Source: note 002, equation 12.
    """
    w, cov = real(w), real(cov)
    return cov @ w / (jnp.sqrt(2 * jnp.pi) * norm(w, cov))


@exact
def kernel(w: FieldLike, v: FieldLike, cov: MatrixLike) -> Float[Array, ""]:
    r"""Mean product of two ReLU units.

    $$E[\mathrm{relu}(\langle w,x\rangle)\,\mathrm{relu}(\langle v,x\rangle)]
    = \tfrac{1}{2\pi}|w||v|\,(\sin\theta+(\pi-\theta)\cos\theta)$$

    >>> import numpy as np
    >>> float(kernel([1.0, 0.0], [1.0, 0.0], np.eye(2)))
    0.5

    Source: the arc-cosine kernel of degree one.
    """
    w, v, cov = real(w), real(v), real(cov)
    sine, cosine, theta = angle(w, v, cov)
    return norm(w, cov) * norm(v, cov) * (sine + (jnp.pi - theta) * cosine) / (2 * jnp.pi)


@exact
def pair_mean(w: FieldLike, v: FieldLike, cov: MatrixLike) -> Field:
    r"""Mean input weighted by one unit's gate and another unit's output.

    $$E[1(\langle w,x\rangle>0)\,\mathrm{relu}(\langle v,x\rangle)\,x]
    = \tfrac{1}{2\pi}\big[\tfrac{|v|}{|w|}\sin\theta\,Cw+(\pi-\theta)\,Cv\big]$$

    For v = w this is Cw/2. It is the gradient of `kernel` with respect to w.

    >>> import numpy as np
    >>> pair_mean([1.0, 0.0], [1.0, 0.0], np.eye(2))
    array([0.5, 0. ])

    Source: note 002, equations 16 to 18, corrected.
    """
    w, v, cov = real(w), real(v), real(cov)
    sine, _, theta = angle(w, v, cov)
    return cov @ (norm(v, cov) / norm(w, cov) * sine * w + (jnp.pi - theta) * v) / (2 * jnp.pi)


def norm(w: Field, cov: Matrix) -> Float[Array, ""]:
    """|w| in the metric of the covariance."""
    return jnp.sqrt(w @ cov @ w)


def angle(w: Field, v: Field, cov: Matrix) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
    """Sine, cosine and size of the angle between two fields, accurate for nearly parallel ones."""
    a, b = w / norm(w, cov), v / norm(v, cov)
    cosine = a @ cov @ b
    rest = b - cosine * a
    square = rest @ cov @ rest
    positive = square > 0
    sine = jnp.where(positive, jnp.sqrt(jnp.where(positive, square, 1.0)), 0.0)
    return sine, cosine, jnp.arctan2(sine, cosine)
