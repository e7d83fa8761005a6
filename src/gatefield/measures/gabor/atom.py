"""The ring Gabor: a Gaussian envelope times a carrier, wrapped around the ring. It is built in Fourier space."""

import math
from typing import Any

import numpy as np
from jaxtyping import Complex, Float

from gatefield.core import checks
from gatefield.core.arrays import Numbers
from gatefield.core.checks import given
from gatefield.core.errors import UserError

_DECAY = 40.0
"""Spectral terms below exp(-40) of the largest are left out."""
_FASTEST = 1e9
"""Cycles per ring; the whole part of a faster carrier cannot be told from rounding."""
_MOST_TERMS = 10**8
"""Of them; more would not fit into memory."""


@given(mu=checks.finite, s=checks.positive, f=checks.finite, phi=checks.finite, amplitude=checks.finite)
def gabor(
    n: int, mu: Numbers, s: Numbers, f: Numbers = 0.0, phi: Numbers = 0.0, amplitude: Numbers = 1.0
) -> Float[np.ndarray, "*batch n"]:
    r"""The real Gabor on a ring of n sites (host).

    $$w_j = A\,\Re\Big[e^{i\varphi}\,\frac{G_j}{G(\mu)}\Big],\qquad
    G_j = \sum_p e^{-(j-\mu+pn)^2/2s^2}\,e^{2\pi i f(j-\mu+pn)/n}
    \;\propto\; \sum_k e^{-2\pi^2 s^2 (k-f)^2/n^2}\,e^{2\pi i k(j-\mu)/n}$$

    with p and k over all integers. The sum over k is what is computed, so that every limit is right: a single site for small s,
    a sinusoid for large s, and a flat field if also f = 0. $G(\mu)$ is the sum at the centre, so that A is the height of the
    envelope there; it is 1 up to exp(-n^2/2s^2) while the envelope is narrower than the ring.

    **Arguments**

    - `n`: number of sites.
    - `mu`: centre, in sites. This and the following may be arrays, which are broadcast.
    - `s`: width of the envelope, in sites.
    - `f`: carrier frequency, in cycles per ring.
    - `phi`: phase of the carrier at the centre.
    - `amplitude`: A.

    **Returns** the field, with the broadcast shape in front.

    >>> gabor(8, mu=2.0, s=1.0).round(3)
    array([0.135, 0.607, 1.   , 0.607, 0.135, 0.011, 0.001, 0.011])

    **Source:** note 002, section on the uncertainty principle, where Gabors are named but not defined.
    """
    n, shape = checks.count("n", n), _broadcast(mu, s, f, phi, amplitude)
    mu, s, f, phi, amplitude = (np.broadcast_to(np.asarray(v, float), shape).ravel() for v in (mu, s, f, phi, amplitude))
    fields = amplitude[:, None] * np.real(np.exp(1j * phi)[:, None] * atom(n, mu, s, f))
    return fields.reshape(*shape, n)


def _broadcast(*values: Any) -> tuple[int, ...]:
    shapes = [np.shape(value) for value in values]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        shape = (0,)
    if 0 in shape:
        raise UserError(f"mu, s, f, phi and amplitude must broadcast, but have shapes {shapes}; give one of each.")
    return shape


def atom(
    n: int, mu: Float[np.ndarray, " batch"], s: Float[np.ndarray, " batch"], f: Float[np.ndarray, " batch"]
) -> Complex[np.ndarray, "batch n"]:
    """G_j/G(mu) for each set of parameters."""
    return _moments(n, mu, s, f, 1)[0]


def atom_and_slopes(
    n: int, mu: Float[np.ndarray, " batch"], s: Float[np.ndarray, " batch"], f: Float[np.ndarray, " batch"]
) -> tuple[Complex[np.ndarray, "batch n"], ...]:
    """The atom and its derivatives by mu, log s and f, each up to a multiple of the atom itself."""
    zeroth, first, second = _moments(n, mu, s, f, 3)
    width = (2 * np.pi * s[:, None]) ** 2
    return zeroth, -2j * np.pi * first, -width * second, width / n * first


def _moments(
    n: int, mu: Float[np.ndarray, " batch"], s: Float[np.ndarray, " batch"], f: Float[np.ndarray, " batch"], count: int
) -> list[Complex[np.ndarray, "batch n"]]:
    """The sums over k with each term times ((k-f)/n)^m, for m = 0 .. count-1; aliases k, k+n, ... are folded first."""
    alias = _aliases(n, s, f)
    x = (n * alias[:, None] + np.arange(n) - f[:, None, None]) / n
    square = x**2
    c = np.exp(-2 * (np.pi * s[:, None, None]) ** 2 * (square - square.min(axis=(1, 2), keepdims=True)))
    c /= c.sum(axis=(1, 2), keepdims=True)
    shift = np.exp(-2j * np.pi * mu[:, None] * alias)
    phase = n * np.exp(-2j * np.pi * mu[:, None] * np.arange(n) / n)
    terms = [c, c * x, c * square][:count]
    return [np.fft.ifft(phase * np.matmul(shift[:, None], term)[:, 0], axis=-1) for term in terms]


def _aliases(n: int, s: Float[np.ndarray, " batch"], f: Float[np.ndarray, " batch"]) -> Float[np.ndarray, " alias"]:
    """Which multiples of n, added to k = 0 .. n-1, give every term that counts."""
    reach = math.sqrt(_DECAY / 2) / (np.pi * s.min()) + 1 / n
    if abs(f).max() > _FASTEST:
        raise UserError(f"f must be at most {_FASTEST:g} cycles per ring, but is {abs(f).max():g} in size; write f=1.0.")
    if reach * n > _MOST_TERMS:
        raise UserError(f"s must be no smaller than 1e-5 sites, but is {s.min():g}; write s=0.1 for a single site.")
    return np.arange(math.floor(f.min() / n - reach), math.floor(f.max() / n + reach) + 1.0)
