"""Gaussian expectations of ReLU units: x ~ N(0, C).

Angles between fields are taken in the metric of C: gamma = w'Cv/(|w||v|), theta = arccos gamma, with |w| = sqrt(w'Cw).
"""

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float

from gatefield.core.arrays import Field, FieldLike, Fields, Matrix, MatrixLike, Scalar
from gatefield.core.checks import SINGLE, given
from gatefield.core.precision import exact
from gatefield.theory.inputs import check_directions, covariance, field
from gatefield.theory.relu.geometry import geometry, overlap, pair


@given(w=field, cov=covariance)
@exact
def gate_mean(w: FieldLike, cov: MatrixLike) -> Field:
    r"""Mean input where a gate is open: $E[1(\langle w,x\rangle>0)\,x] = Cw/(\sqrt{2\pi}\,|w|)$.

    **Arguments**

    - `w`: field (n,), not zero.
    - `cov`: covariance C (n, n) of the input.

    **Returns** the mean (n,); float64 NumPy unless traced.

    >>> import numpy as np
    >>> gate_mean([2.0, 0.0], np.eye(2)).round(4)
    array([0.3989, 0.    ])

    **Source:** note 002, equation 12.
    """
    fields, cov = pair(w, w, cov)
    check_directions(fields[:1], {"cov": cov}, names=("w",))
    return _gate_mean(fields[:1], cov)


@given(w=field, v=field, cov=covariance)
@exact
def kernel(w: FieldLike, v: FieldLike, cov: MatrixLike) -> Scalar:
    r"""Mean product of two ReLU units.

    $$E[\mathrm{relu}(\langle w,x\rangle)\,\mathrm{relu}(\langle v,x\rangle)]
    = \tfrac{1}{2\pi}|w||v|\,(\sin\theta+(\pi-\theta)\cos\theta)$$

    **Arguments**

    - `w`, `v`: fields (n,); the mean is 0 if one is zero.
    - `cov`: covariance C (n, n) of the input.

    **Returns** the mean; float64 NumPy unless traced. Under `jit` it is NaN where w'Cw or v'Cv is negative.

    >>> import numpy as np
    >>> float(kernel([1.0, 0.0], [1.0, 0.0], np.eye(2)))
    0.5

    **Source:** the arc-cosine kernel of degree one.
    """
    fields, cov = pair(w, v, cov)
    mean = _kernel(fields, cov)
    return jnp.where(_are_lengths(fields, cov), mean, jnp.nan) if isinstance(mean, Tracer) else mean


@given(w=field, v=field, cov=covariance)
@exact
def pair_mean(w: FieldLike, v: FieldLike, cov: MatrixLike) -> Field:
    r"""Mean input weighted by one unit's gate and another unit's output.

    $$E[1(\langle w,x\rangle>0)\,\mathrm{relu}(\langle v,x\rangle)\,x]
    = \tfrac{1}{2\pi}\big[\tfrac{|v|}{|w|}\sin\theta\,Cw+(\pi-\theta)\,Cv\big]$$

    For v = w this is Cw/2. It is the gradient of `kernel` with respect to w.

    **Arguments**

    - `w`: field (n,) of the gate, not zero.
    - `v`: field (n,) of the output.
    - `cov`: covariance C (n, n) of the input.

    **Returns** the mean (n,); float64 NumPy unless traced.

    >>> import numpy as np
    >>> pair_mean([1.0, 0.0], [1.0, 0.0], np.eye(2))
    array([0.5, 0. ])

    **Source:** note 002, equations 16 to 18, corrected.
    """
    fields, cov = pair(w, v, cov)
    check_directions(fields[:1], {"cov": cov}, names=("w",))
    return _pair_mean(fields, cov)


@given(w=field, v=field, cov=covariance)
@exact
def gate_second_moment(w: FieldLike, v: FieldLike, cov: MatrixLike) -> Matrix:
    r"""Second moment of the input where two gates are open together.

    $$E[1(\langle w,x\rangle>0)\,1(\langle v,x\rangle>0)\,xx^\top] = \tfrac{1}{2\pi}\big[(\pi-\theta)\,C
    + \sin\theta\cos\theta\,(aa^\top-dd^\top) + \sin^2\theta\,(ad^\top+da^\top)\big]$$

    with $a = Cw/|w|$, $d = Cr/|r|$ and $r = v/|v| - \cos\theta\,w/|w|$. It is C/2 for v = w and 0 for v = -w, and symmetric in
    w and v.

    **Arguments**

    - `w`, `v`: fields (n,), not zero.
    - `cov`: covariance C (n, n) of the input.

    **Returns** the symmetric matrix (n, n); float64 NumPy unless traced.

    >>> import numpy as np
    >>> gate_second_moment([1.0, 0.0], [0.0, 1.0], np.eye(2)).round(4)
    array([[0.25  , 0.1592],
           [0.1592, 0.25  ]])

    **Source:** no note prints it; it follows from two integrations by parts.
    """
    fields, cov = pair(w, v, cov)
    check_directions(fields, {"cov": cov}, names=("w", "v"))
    return _gate_second_moment(fields, cov)


@given(w=field, v=field, cov=covariance)
@exact
def gate_agreement(w: FieldLike, v: FieldLike, cov: MatrixLike) -> Scalar:
    r"""Probability that two gates agree, $P[1(\langle w,x\rangle>0) = 1(\langle v,x\rangle>0)] = 1-\theta/\pi$.

    **Arguments**

    - `w`, `v`: fields (n,), not zero.
    - `cov`: covariance C (n, n) of the input.

    **Returns** the probability; float64 NumPy unless traced. Where two classes are mixed, average over them.

    >>> import numpy as np
    >>> float(gate_agreement([1.0, 0.0], [0.0, 3.0], np.eye(2)))
    0.5

    **Source:** the closed form of note 002, equation 45, for Gaussian data.
    """
    fields, cov = pair(w, v, cov)
    check_directions(fields, {"cov": cov}, names=("w", "v"))
    return _gate_agreement(fields, cov)


def _are_lengths(fields: Fields, cov: Matrix) -> Array:
    """Whether no w'Cw is negative beyond the rounding that `covariance` allows; under `jit` nothing else sees that C is none.

    The largest eigenvalue is at most the largest row sum.
    """
    squares = jnp.einsum("ji,ik,jk->j", fields, cov, fields)
    rounding = SINGLE * jnp.sum(jnp.abs(cov), axis=1).max() * jnp.sum(fields**2, axis=1)
    return ~jnp.any(squares < -rounding)  # NaN passes, and stays NaN


@jax.jit
def _gate_mean(fields: Fields, cov: Matrix) -> Field:
    one = geometry(fields, cov)
    return directed(one.lengths, one.images)[0] / jnp.sqrt(2 * jnp.pi)


@jax.jit
def _kernel(fields: Fields, cov: Matrix) -> Scalar:
    both = geometry(fields, cov)
    return both.lengths[0] * both.lengths[1] * overlap(both.sines, both.cosines)[0, 1] / (2 * jnp.pi)


@jax.jit
def _pair_mean(fields: Fields, cov: Matrix) -> Field:
    """As overlap times a plus wedge times (b - cos theta a), with a = Cw/|w| and b = Cv/|v|: nothing cancels for v near -w."""
    both = geometry(fields, cov)
    a, b = directed(both.lengths, both.images)[0], both.images[1]
    along, aside = overlap(both.sines, both.cosines)[0, 1], both.wedges[0, 1]
    return both.lengths[1] * (along * a + aside * (b - both.cosines[0, 1] * a)) / (2 * jnp.pi)


@jax.jit
def _gate_second_moment(fields: Fields, cov: Matrix) -> Matrix:
    both = geometry(fields, cov)
    a, b = directed(both.lengths, both.images)
    sine, cosine = both.sines[0, 1], both.cosines[0, 1]
    apart = sine > 0
    d = jnp.where(apart, (b - cosine * a) / jnp.where(apart, sine, 1.0), 0.0)
    mixed = jnp.outer(a, d)
    tilt = sine * cosine * (jnp.outer(a, a) - jnp.outer(d, d)) + sine**2 * (mixed + mixed.T)
    return (both.wedges[0, 1] * cov + tilt) / (2 * jnp.pi)


@jax.jit
def _gate_agreement(fields: Fields, cov: Matrix) -> Scalar:
    both = geometry(fields, cov)
    return jnp.where(jnp.all(both.lengths > 0), both.wedges[0, 1], jnp.nan) / jnp.pi


def directed(lengths: Float[Array, " K"], images: Fields) -> Fields:
    """The images, NaN for a field of length zero, whose gate has no direction."""
    return jnp.where((lengths > 0)[:, None], images, jnp.nan)
