"""Correlation of a Gaussian field on a ring or a line, and the basis that diagonalises it."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.precision import exact, real

BOUNDARIES = ("ring", "line")
_WRAPS = np.arange(-4, 5)  # the next term of either sum is below exp(-pi 4.5^2) = 2e-28


@exact
def ring_correlation(n: int, xi: Real[ArrayLike, "*runs"]) -> Float[Exact, "*runs n"]:
    r"""Correlation of a Gaussian field on a ring of `n` sites with the site at lag 0, ..., n-1.

    $$c_m = \frac{\sum_p \exp(-(m + p n)^2 / \xi^2)}{\sum_p \exp(-p^2 n^2 / \xi^2)}$$

    with $m$ the lag, $\xi$ the length scale and $p$ over all integers. Above $\xi = n/\sqrt\pi$ its Poisson dual
    is summed instead, so that nine terms give double precision at any $\xi > 0$.

    **Arguments**

    - `n`: number of sites.
    - `xi`: length scale in sites, or many of them, whose axes come first in the result.

    **Returns** the first row of the circulant correlation matrix, 1 at lag 0; float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(np.round(ring_correlation(6, 2.0), 6))
    [1.       0.780543 0.3861   0.210746 0.3861   0.780543]

    **Source:** the kernel of note 002, wrapped around the ring; unlike exp(-min(m, n-m)^2/xi^2) it is positive definite.
    """
    n, xi = checks.count("n", n), checks.length_scale(xi)
    values = _theta(n, (n / real(xi)) ** 2 / np.pi)
    return (values / values[..., :1]).at[..., 0].set(1.0)


@exact
def ring_spectrum(n: int, xi: Real[ArrayLike, "*runs"]) -> Float[Exact, "*runs n"]:
    r"""Eigenvalues of the correlation matrix of a Gaussian field on a ring, in DFT order k = 0, ..., n-1.

    $$\lambda_k = \frac{\sqrt\pi\,\xi}{c_0} \sum_q \exp(-\pi^2 \xi^2 (k/n + q)^2), \qquad \frac1n \sum_k \lambda_k = 1$$

    with $c_0 = \sum_p \exp(-p^2 n^2/\xi^2)$ and $q$ over all integers. The Poisson sum keeps the relative accuracy of the
    smallest eigenvalues, which a Fourier transform of the row would drown in rounding. Below $\xi = 1/\sqrt\pi$ its dual is
    summed instead. Frequencies k and n-k agree to the last bit.

    **Arguments**

    - `n`: number of sites.
    - `xi`: length scale in sites, or many of them, whose axes come first in the result.

    **Returns** n eigenvalues, all positive (until they underflow), of sum n; float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(ring_spectrum(40, 10.0)[[0, 1, 5]])
    [1.77245345e+01 9.56489414e+00 3.55801744e-06]

    **Source:** note 002, section 2 (Fourier transforms), for the wrapped kernel.
    """
    n, xi = checks.count("n", n), checks.length_scale(xi)
    values = _theta(n, np.pi * real(xi) ** 2)
    return values / jnp.mean(values, axis=-1, keepdims=True)


@exact
def line_correlation(n: int, xi: Real[ArrayLike, "*runs"]) -> Float[Exact, "*runs n n"]:
    r"""Correlation matrix of a Gaussian field on a line of `n` sites, without wrapping.

    $$R_{ij} = \exp(-(i - j)^2 / \xi^2)$$

    **Arguments**

    - `n`: number of sites.
    - `xi`: length scale in sites, or many of them, whose axes come first in the result.

    **Returns** the (n, n) Toeplitz matrix; float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(np.round(line_correlation(3, 1.0), 6))
    [[1.       0.367879 0.018316]
     [0.367879 1.       0.367879]
     [0.018316 0.367879 1.      ]]

    **Source:** the kernel as note 002 prints it; Toeplitz, hence not diagonal in the Fourier basis.
    """
    n, xi = checks.count("n", n), checks.length_scale(xi)
    return lag_matrix(jnp.exp(-((np.arange(n) / real(xi)[..., None]) ** 2)), n, "line")


@exact
def fourier_basis(n: int) -> Float[Exact, "n n"]:
    r"""Real orthonormal Fourier basis, which diagonalises every symmetric circulant matrix.

    Columns: $1/\sqrt n$; then for each frequency $0 < k < n/2$ the pair $\sqrt{2/n}\cos(2\pi k m/n)$,
    $\sqrt{2/n}\sin(2\pi k m/n)$; and, if n is even, the Nyquist column $(-1)^m/\sqrt n$, with $m$ the site.

    **Arguments**

    - `n`: number of sites.

    **Returns** the (n, n) orthogonal matrix; float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(np.round(fourier_basis(3), 4))
    [[ 0.5774  0.8165  0.    ]
     [ 0.5774 -0.4082  0.7071]
     [ 0.5774 -0.4082 -0.7071]]

    **Source:** note 002, section 2 (Fourier transforms), for the wrapped kernel.
    """
    n = checks.count("n", n)
    frequency = (np.arange(n) + 1) // 2
    angle = 2 * np.pi * (np.outer(np.arange(n), frequency) % n) / n
    columns = np.where(np.arange(n) % 2 == 1, np.cos(angle), np.sin(angle))
    columns[:, 0] = 1.0
    alone = (frequency == 0) | (2 * frequency == n)
    return real(columns * np.sqrt(np.where(alone, 1.0, 2.0) / n))


def lag_matrix(values: Float[Exact, "*runs lags"], n: int, boundary: str) -> Float[Exact, "*runs n n"]:
    """The symmetric matrix with entry (i, j) given by the distance of i and j; on a ring n//2 + 1 values are enough.

    **Arguments**

    - `values`: the entry at each distance (lags,), from 0 on.
    - `n`: number of sites.
    - `boundary`: `"ring"` or `"line"`.

    **Returns** the matrix (n, n), with the run axes of `values` in front.
    """
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return values[..., np.minimum(distance, n - distance) if boundary == "ring" else distance]


@functools.partial(jax.jit, static_argnums=0)
def _theta(n: int, t: Float[Array, "*runs"]) -> Float[Array, "*runs n"]:
    r"""$\sqrt t \sum_p \exp(-\pi t (p + s)^2) = \sum_q \exp(-\pi q^2/t) \cos(2\pi q s)$, by the sum that converges faster.

    Here s = m/n for m = 0, ..., n-1, folded to at most 1/2. Outside the clipped range the values no longer change, but
    derivatives could meet infinities.
    """
    shift = np.minimum(np.arange(n), n - np.arange(n))[:, None] / n
    t = t[..., None]
    direct, dual = jnp.clip(t, 1.0, 300.0 * n**2), jnp.clip(t, 1e-3, 1.0)
    near = jnp.sqrt(direct) * jnp.exp(-np.pi * direct[..., None] * real((_WRAPS + shift) ** 2)).sum(axis=-1)
    far = (real(np.cos(2 * np.pi * _WRAPS * shift)) * jnp.exp(-np.pi * _WRAPS**2 / dual)[..., None, :]).sum(axis=-1)
    return jnp.where(t > 1, near, far)
