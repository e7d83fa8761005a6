"""The modes of one ReLU neuron when the two covariances do not share their eigenvectors."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array

from gatefield.core.arrays import Field, Matrix, MatrixLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact
from gatefield.data import Task
from gatefield.theory.inputs import covariance
from gatefield.theory.tasks import plain_labels, two_classes


@given(cov1=covariance, cov0=covariance)
@exact
def generalised_modes(cov1: MatrixLike | Task, cov0: MatrixLike | None = None) -> tuple[Field, Matrix]:
    r"""The steady states of one ReLU neuron on any two Gaussian classes: the modes of $S_0 v = (D-1)\,S_1 v$.

    The steady states are $w = \pm\sqrt{2/(\pi D)}\,v$ with $v^\top(S_0+S_1)v = 1$, of loss $\frac14-\frac1{4\pi D}$. As many
    directions of one are unstable as there are modes of smaller D, so that only the first attracts. Unlike Fourier modes on a
    ring, these modes do not move independently of each other.

    **Arguments**

    - `cov1`, `cov0`: covariances (n, n) of the positive and the negative class, of positive definite sum; or one `Task` in
      place of both, of Gaussian sources, with labels (1, 0) and equal shares.

    **Returns** D in increasing order (infinite where the positive class has no variance), and the modes as columns, scaled as
    above; float64 NumPy unless traced. Derivatives exist where no two D are equal.

    >>> import numpy as np
    >>> D, modes = generalised_modes(np.diag([1.0, 2.0]), np.diag([3.0, 1.0]))
    >>> print(D.round(12))
    [1.5 4. ]

    **Source:** note 002, equation 20; for covariances that are not circulant no note says it.
    """
    cov1, cov0, *_ = plain_labels(two_classes(cov1, cov0, None))
    if cov1.shape != cov0.shape:
        raise UserError(
            f"cov1 and cov0 must be square and alike, but have shapes {cov1.shape} and {cov0.shape}; give both the same sites."
        )
    D, modes = _generalised_modes(cov1, cov0)
    if not isinstance(D, Tracer) and np.isnan(np.asarray(D)).any():
        raise UserError("cov1 + cov0 must be positive definite: some direction has no variance in either class; leave it out.")
    return D, modes


@jax.jit
def _generalised_modes(cov1: Matrix, cov0: Matrix) -> tuple[Array, Matrix]:
    """By the share 1/D of the positive class: cov1 v = (1/D)(cov0 + cov1) v is well posed even if cov1 is singular."""
    root = jnp.linalg.cholesky(cov0 + cov1)
    half = jax.scipy.linalg.solve_triangular(root, cov1, lower=True)
    inner = jax.scipy.linalg.solve_triangular(root, half.T, lower=True)
    shares, vectors = jnp.linalg.eigh((inner + inner.T) / 2)
    shares, vectors = shares[::-1], vectors[:, ::-1]
    positive = ~(shares <= 0)
    D = jnp.where(positive, 1 / jnp.where(positive, shares, 1.0), jnp.inf)
    return D, jax.scipy.linalg.solve_triangular(root.T, vectors, lower=False)
