"""The gate of a field as a function on the cube: its Walsh expansion and, under the uniform law, its Chow parameters."""

from typing import Any

import jax
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gatefield.core.arrays import Exact, FieldLike
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.core.ties import opened, side
from gatefield.data.numerics import corners
from gatefield.theory.hypercube import inputs
from gatefield.theory.hypercube.integers import ordered_sums, scaled
from gatefield.theory.hypercube.law import hadamard
from gatefield.theory.listed import gated_mean

MOST_WALSH = 20  # its 2^20 corners of 20 sites take 168 MB in float64
MOST_FLOATS = 44  # four to sixteen seconds
_SMALL_TOTAL = 1 << 16  # the counts of so many sums are one integer of (n + 1) 2^16 binary digits, 0.3 MB at n = 40


@exact
def walsh(w: FieldLike) -> Float[Exact, " sets"]:
    r"""Walsh coefficients of the gate of a field on the cube.

    $$1(\langle w,x\rangle\ge0) = \sum_S c_S \prod_{i\in S} x_i, \qquad
    c_S = 2^{-n}\sum_x 1(\langle w,x\rangle\ge0)\prod_{i\in S}x_i$$

    over all sets S of sites; a gate counts one half at ties, up to rounding (`chow` decides them exactly).
    $c_\emptyset = 1/2$, all other even sets have 0, and the squares of the odd ones add up to 1/4 (less where there are ties).
    The drift of any law on the cube that is symmetric about zero is $f_j = \sum_S c_S\,E[x_j\prod_{i\in S}x_i]$; the sets of
    one site alone give $C\,c^{(1)}$ with C the covariance.

    **Arguments**

    - `w`: a field of at most 20 sites, not zero everywhere.

    **Returns** 2^n coefficients, the set being the binary digits of the place; float64 NumPy unless traced.

    >>> walsh([3.0, 2.0, 2.0])
    array([ 0.5 ,  0.25,  0.25,  0.  ,  0.25,  0.  ,  0.  , -0.25])

    **Source:** note 003, equation 20, corrected: there the product over sites became a sum.
    """
    n = inputs.field(w)
    if n > MOST_WALSH:
        raise UserError(f"The Walsh expansion is summed up to {MOST_WALSH} sites, but w has {n}; use chow for single sites.")
    return _walsh(real(w))


@jax.jit
def _walsh(w: Float[Array, " n"]) -> Float[Array, " sets"]:
    points = real(corners(len(w)))
    return hadamard(opened(points, w[None])[:, 0]) / len(points)


def chow(w: Any) -> Float[Exact, " n"]:
    r"""Drift of the uniform law on the cube, ties decided exactly: half of the Chow parameters of degree one of the gate.

    $$c_j = \tfrac12 E[\operatorname{sign}\langle w,x\rangle\,x_j]
    = \tfrac12\operatorname{sign}(w_j)\big[P(|S_j| < |w_j|) + \tfrac12 P(|S_j| = |w_j|)\big],
    \qquad S_j = \sum_{i\ne j} w_i x_i$$

    Given one sign, the gate is open with probability $P(\Theta|x_j) = 1/2 + x_j c_j$. For weights of similar size $c_j$ is near
    $w_j/(\sqrt{2\pi}|w|)$.

    A float64 is an integer times a power of 2, and sums are compared in integers: (0.1, 0.2, 0.3) has no tie. `drift` and
    `walsh` decide ties up to rounding, and there it has one; so does `chow` under a transformation.

    **Arguments**

    - `w`: weights. Integers with a sum of sizes up to 65536 are counted by dynamic programming at any n; others, in integers
      without loss, by meeting in the middle up to n = 44 (at n = 40 one to four seconds, the longer the wider the range of
      sizes; at 44 four times as long). Under a transformation all corners are summed, up to n = 20.

    **Returns** n numbers, exact up to one rounding; float64 NumPy unless traced.

    >>> chow([3, 2, 2]), chow([1.1, 0.7, -0.45, 0.3, 0.2])
    (array([0.25, 0.25, 0.25]), array([ 0.375,  0.125, -0.125,  0.125,  0.   ]))

    **Source:** note 003, equations 18 to 22.
    """
    if isinstance(w, Tracer):
        return _by_corners(w)
    values = scaled(w).values
    if sum(map(abs, values)) <= _SMALL_TOTAL:
        return _by_counting(values)  # pyright: ignore[reportReturnType]
    return _by_halves(values)  # pyright: ignore[reportReturnType]


def influence(w: Any) -> Float[Exact, " n"]:
    r"""Influence of each site on the gate under the uniform law, $2|c_j|$ with c the `chow` parameters.

    Without ties it is the probability that turning the sign of site j opens or shuts the gate. It takes all values between 0
    and 1: n equal weights, n odd, have $\binom{n-1}{(n-1)/2}2^{1-n} \approx \sqrt{2/(\pi n)}$.

    **Arguments**

    - `w`: weights, as for `chow`, with the same treatment of ties and the same time.

    **Returns** n numbers; float64 NumPy unless traced.

    >>> print(influence([1] * 9)[0])
    0.2734375

    **Source:** note 003, the goals after equation 20: there is no divide between influence 0 and 1.
    """
    return 2 * abs(chow(w))


def _by_corners(w: Tracer) -> Array:
    n = inputs.field(w)
    if n > MOST_WALSH:
        raise UserError(
            f"Under a transformation the Chow parameters are summed up to {MOST_WALSH} sites, but w has {n}; "
            "give w as plain numbers."
        )
    points = real(corners(n))
    return gated_mean(side(points, real(w)[None])[:, 0] / 2, points)


def _by_counting(values: tuple[int, ...]) -> np.ndarray:
    """Counts of all sums of the other sizes, packed into one integer with n + 1 binary digits each.

    The counts of all sizes are the product of 1 + B^size, with B one place; dividing by one factor leaves those of the others.
    """
    digits, sizes = len(values) + 1, [abs(v) for v in values]
    packed, found = 1, {0: 0.0}
    for size in sizes:
        packed += packed << size * digits
    for size in set(sizes) - {0}:
        others = _divided(packed, size * digits)
        inside, edges = (_count(others, digits, sum(sizes) - size, reach) for reach in (size - 1, size))
        found[size] = (inside + edges) / 2**digits
    return np.array([float(np.sign(v)) * found[abs(v)] for v in values])


def _divided(packed: int, step: int) -> int:
    """packed / (1 + z) with z = 2^step, as packed (1 - z)(1 + z^2)(1 + z^4)... up to the length of packed."""
    length = packed.bit_length()
    kept = (1 << length) - 1
    packed = packed - (packed << step) & kept
    while (step := 2 * step) < length:
        packed = packed + (packed << step) & kept
    return packed


def _count(packed: int, digits: int, total: int, reach: int) -> int:
    """How many signed sums have size at most `reach`: those of subsets between (total - reach)/2 and (total + reach)/2."""
    low, high = max(0, -(-(total - reach) // 2)), min(total, (total + reach) // 2)
    if high < low:
        return 0
    part = packed >> low * digits & (1 << (high - low + 1) * digits) - 1
    return part % ((1 << digits) - 1)  # the sum of its digits


def _by_halves(values: tuple[int, ...]) -> np.ndarray:
    """For each signed sum of one half, how many of the other half open the gate less how many shut it."""
    n = len(values)
    if n > MOST_FLOATS or sum(map(abs, values)).bit_length() > 1000:
        raise UserError(f"The Chow parameters of {n} weights are not counted; give at most {MOST_FLOATS}, or small integers.")
    cut = n // 2
    parts = ordered_sums(values[:cut], values[cut:])
    result = np.empty(n)
    for here, other, sites in ((0, 1, range(cut)), (1, 0, range(cut, n))):
        ranked = np.sort(parts[other])
        shut, not_open = (np.searchsorted(ranked, -parts[here], side=side) for side in ("left", "right"))
        balance = len(ranked) - shut - not_open
        for digit, site in enumerate(sites):
            even, odd = np.moveaxis(balance.reshape(-1, 2, 2**digit), 1, 0)
            result[site] = float(int(even.sum()) - int(odd.sum())) / 2.0 ** (n + 1)
    return result
