"""How evenly places are spread over a ring, against places drawn at random."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Real
from scipy.signal import fftconvolve

from gatefield.core import checks
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.measures.labels import labelled

MOST_PLACES, MOST_SITES = 64, 128
"""The law of more places on a larger ring would take minutes."""
MOST_SETS = 4_096
ROUNDING = 1e-12
"""A probability below this is not told from zero: laws are added up by Fourier transforms in double precision."""


def _places(name: str, value: Any) -> None:
    """Sites (..., places): whole numbers, at least one."""
    sizes = checks.shape(name, value, f"{name} must be sites (..., places)")
    if not sizes or not sizes[-1]:
        raise UserError(f"{name} must have shape (places,) or (..., places), but has shape {sizes}; give one site or more.")
    numbers = np.asarray(value, float)
    if not np.all(np.isfinite(numbers) & (numbers == np.round(numbers))):
        wrong = numbers[~(np.isfinite(numbers) & (numbers == np.round(numbers)))].flat[0]
        raise UserError(
            f"{name} must be a site, which is a whole number, but is {wrong:g}; of fields, give peak_position(fields)."
        )


def _sets(name: str, value: Any) -> None:
    """Lists of sites, one for each set."""
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str) or not len(value):
        raise UserError(f"{name} must be a list with the sites of each set, but is {quoted(value)}; write {name}=[[0, 20]].")
    checks.count(f"the number of sets in {name}", len(value), most=MOST_SETS)
    for at, one in enumerate(value):
        _places(f"set {at} of {name}", one)
        if np.ndim(one) != 1:
            raise UserError(f"set {at} of {name} must be a list of sites, but has shape {np.shape(one)}; flatten it.")


@labelled(("peak_spacing", "sum of squared gaps over the square of the ring"), dim="unit")
@given(sites=_places, n=checks.count)
def peak_spacing(sites: Real[np.ndarray, "*batch places"] | Sequence, n: int) -> Float[np.ndarray, "..."]:
    r"""How unevenly places are spread over a ring of n sites: Greenwood's statistic of the gaps between neighbours (host).

    $$Q = \frac{1}{n^2}\sum_{k=1}^{K} d_k^2, \qquad \sum_k d_k = n$$

    with the gaps $d_k$ from each place to the next one around the ring, 0 where two coincide. It is 1/K for places at equal
    distances, 1 if all are at one site, and near 2/(K+1) in the mean over places drawn at random.

    **Arguments**

    - `sites`: the places (..., K), whole numbers that count around the ring; or a `DataArray`.
    - `n`: the number of sites.
    - `dim`: the dimension of a `DataArray` that holds the places.

    **Returns** Q of each set of places.

    >>> peak_spacing([[0, 10, 20, 30], [5, 5, 5, 5]], 40).tolist()
    [0.25, 1.0]
    """
    ordered = np.sort(np.mod(np.asarray(sites, float), n), axis=-1)
    gaps = np.diff(ordered, axis=-1, append=ordered[..., :1] + n)
    return np.asarray((gaps**2).sum(-1) / n**2)


@given(K=checks.count, n=checks.count)
def peak_spacing_law(K: int, n: int) -> Float[np.ndarray, " squares"]:
    r"""The exact law of $n^2 Q$, the sum of squared gaps, of K places drawn independently and uniformly on n sites (host).

    One place may be put at site 0. The others stand on sites 0 to n-1; a pattern with $m_s$ of them at site s has the
    probability $(K-1)!\,n^{-(K-1)}\prod_s 1/m_s!$. Patterns are summed from site to site, by how many places have been put
    and by the sum of squared gaps so far.

    **Arguments**

    - `K`: how many places, up to 64.
    - `n`: the number of sites, up to 128.

    **Returns** the probability of each value 0, 1, ..., n^2 of the sum of squared gaps.

    >>> law = peak_spacing_law(2, 4)
    >>> {int(square): float(law[square]) for square in np.flatnonzero(law)}
    {8: 0.25, 10: 0.5, 16: 0.25}
    """
    return _law(checks.count("K", K, most=MOST_PLACES), checks.count("n", n, most=MOST_SITES)).copy()


class SpacingTest(NamedTuple):
    """Places of several sets beside places drawn at random."""

    spacing: float
    """The mean of Q over sets."""
    expected: float
    """Its mean for random places."""
    even: float
    """The probability that random places are spread as evenly, or more so."""
    uneven: float
    """The probability that random places are spread as unevenly, or more so."""


@given(sites=_sets, n=checks.count)
def peak_spacing_test(sites: Sequence[Any] | Real[np.ndarray, "sets places"], n: int) -> SpacingTest:
    r"""Are places spread more evenly over the ring than chance has it? An exact test (host).

    The sum of $Q$ over all sets has, for places drawn independently and uniformly, the law that is the convolution of
    `peak_spacing_law` over the sets. Sets may have different numbers of places; those with one say nothing, but may stay.

    **Arguments**

    - `sites`: a list of sets of places, such as the peaks of each committee.
    - `n`: the number of sites, up to 128.

    **Returns** `SpacingTest`: the mean `spacing`, its `expected` value, and the one-sided p-values `even` and `uneven`;
    probabilities below 1e-12 are given as 1e-12.

    >>> found = peak_spacing_test([[0, 8, 20, 30], [5, 18, 25, 36]], 40)
    >>> round(found.spacing, 4), round(found.expected, 4), round(found.even, 4)
    (0.2587, 0.4004, 0.0003)
    """
    checks.count("n", n, most=MOST_SITES)
    rows = [np.asarray(one, float) for one in sites]
    squares = [round(float(peak_spacing(one, n)) * n**2) for one in rows]
    law = np.ones(1)
    for K, times in sorted(Counter(map(len, rows)).items()):
        law = _convolved(law, _power(_law(checks.count("the number of places", K, most=MOST_PLACES), n), times))
    total, mean = sum(squares), float(np.arange(len(law)) @ law / law.sum())
    even, uneven = law[: total + 1].sum(), law[total:].sum()
    p = [float(np.clip(tail / law.sum(), ROUNDING, 1.0)) for tail in (even, uneven)]
    return SpacingTest(total / len(rows) / n**2, mean / len(rows) / n**2, *p)


@lru_cache(maxsize=256)
def _law(K: int, n: int) -> np.ndarray:
    """`put[s, k, q]`: the weight of patterns with a place at site s, none beyond, k places beside the first, and the sum q."""
    weights = np.array([1 / math.factorial(m) for m in range(K)])
    put = np.zeros((n, K, n**2 + 1))
    put[0, :, 0] = weights
    for s in range(1, n):
        reached = np.zeros((K, n**2 + 1))
        for before in range(s):
            gap = (s - before) ** 2
            reached[:, gap:] += put[before, :, : n**2 + 1 - gap]
        for m in range(1, K):
            put[s, m:] += weights[m] * reached[: K - m]
    law = np.zeros(n**2 + 1)
    for last in range(n):
        gap = (n - last) ** 2
        law[gap:] += put[last, K - 1, : n**2 + 1 - gap]
    return law * math.factorial(K - 1) / float(n) ** (K - 1)


def _power(law: np.ndarray, times: int) -> np.ndarray:
    """The law of the sum of so many independent values, by squaring."""
    out = np.ones(1)
    while times:
        if times % 2:
            out = _convolved(out, law)
        times //= 2
        law = _convolved(law, law) if times else law
    return out


def _convolved(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.maximum(fftconvolve(a, b), 0.0)  # rounding may leave less than zero
