"""Gates on the cube that few sites decide: their drift, and how many of the largest weights of a field decide its gate."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array as JaxArray
from jaxtyping import ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, FieldLike, MatrixLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.core.text.quoted import quoted
from gatefield.core.ties import inner_sign, side
from gatefield.data.numerics import corners
from gatefield.theory.hypercube import inputs
from gatefield.theory.hypercube.integers import scaled
from gatefield.theory.hypercube.law import pattern_law
from gatefield.theory.hypercube.margin import margin
from gatefield.theory.hypercube.moments import MOST_SITES
from gatefield.theory.hypercube.search import differencing


def head_size(w: Any) -> int:
    r"""The smallest number of weights that decide a gate on every corner of the cube (*host*).

    The k largest sizes decide the sign of $\langle w,x\rangle$ everywhere if and only if

    $$\sum_{i>k}|w_i| < \delta(w_1,\dots,w_k) \quad\text{or}\quad \sum_{i>k}|w_i| = 0$$

    with $\delta$ the `margin`. If this holds at k, it holds at k + 1, so k is found by bisection; no other set of weights
    decides with fewer, and it is the set of sites the gate depends on. Where ties occur, all weights but zeros are needed; they
    are decided exactly, in integers (`drift`, `walsh` and `head_errors` decide them up to rounding). A small sum that is found
    fast excludes most k without the search for $\delta$.

    **Arguments**

    - `w`: weights, as for `margin`.

    **Returns** k, from 1 to n.

    >>> head_size([10, 7, 5.5, 0.3, 0.1, 0.05]), head_size([4, 2, 1]), head_size([1, 1, 1])
    (3, 1, 3)

    **Source:** note 003, equation 13 and the condition after it, which is necessary too.
    """
    sizes = sorted((abs(v) for v in scaled(w).values if v), reverse=True)
    low, high = 1, len(sizes)
    while low < high:
        k = (low + high) // 2
        low, high = (low, k) if _decides(sizes, k) else (k + 1, high)
    return low


def _decides(sizes: list[int], k: int) -> bool:
    """Whether the first k of the sizes, which fall, decide the gate."""
    tail = sum(sizes[k:])
    return differencing(sizes[:k]) > tail and margin(sizes[:k]) > tail


@exact
def head_errors(
    w: FieldLike, x: Real[ArrayLike, "points n"] | Sequence, chances: Real[ArrayLike, " points"] | Sequence | None = None
) -> Float[Exact, " n"]:
    r"""How often the k largest weights alone open another gate than all of them, for k = 1, ..., n.

    $$\varepsilon_k = P\big(\operatorname{sign}\langle w,x\rangle \ne \operatorname{sign}\langle w_{\rm head},x\rangle\big)$$

    where a tie of one of them, up to rounding, counts one half (`head_size` decides ties exactly). The drift of the head
    differs from that of the field by at most $\varepsilon_k$ at each site, and $\varepsilon_k \le P(|{\rm head}| \le |{\rm
    tail}|)$. All k come from one pass of cumulative sums. $\varepsilon_k$ need not fall with k.

    **Arguments**

    - `w`: a field.
    - `x`: points, one per row: samples, or all points of the support.
    - `chances`: probabilities of the points; equal ones by default.

    **Returns** $\varepsilon_1, \dots, \varepsilon_n$; float64 NumPy unless traced.

    >>> from gatefield.theory.hypercube import corners
    >>> head_errors([3.0, 2.0, 2.0], corners(3))
    array([0.25, 0.25, 0.  ])

    **Source:** note 003, section 3, "some subset of it that occurs with high probability".
    """
    n = inputs.field(w)
    inputs.chances(chances, inputs.points("x", x, n))
    w, x = real(w), real(x)
    weight = jnp.full(len(x), 1 / len(x)) if chances is None else real(chances)
    return _head_errors(w, x, weight)


def _head_errors(w: JaxArray, x: JaxArray, weight: JaxArray) -> JaxArray:
    order = jnp.argsort(-jnp.abs(w), stable=True)
    heads = jnp.cumsum(x[:, order] * w[order], axis=1)
    signs = inner_sign(heads, x[:, None], w)
    return jnp.matmul(weight, jnp.abs(signs - signs[:, -1:]) / 2, precision="highest")


@given(sites=checks.vector)
def head_drift(
    w: Real[ArrayLike, "*fields k"] | Sequence, sites: Real[ArrayLike, " k"] | Sequence, corr: MatrixLike
) -> Float[np.ndarray, "*fields n"]:
    r"""Drift of gates that k sites decide, on the signs of a Gaussian vector of any number of sites (*host*).

    $$f_l = \tfrac12\sum_c \operatorname{sign}(\langle w,c\rangle)\,E[1(x_M = c)\,x_l]$$

    over the corners c of the sites M; the sign is 0 at ties, up to rounding. The gate sees no other site, so that the law of M
    and one more site is all that f needs.

    **Arguments**

    - `w`: weights of these sites (k,), not all zero, or of many gates (..., k).
    - `sites`: M, at most 11 of them, counted from 0.
    - `corr`: correlation (n, n) of the Gaussian vector.

    **Returns** the drift at all sites (..., n), 0 where nothing is correlated with M; float64 NumPy.

    >>> import numpy as np
    >>> head_drift([1.0, 0.5], [0, 2], np.eye(3))
    array([0.5, 0. , 0. ])

    **Source:** note 003, equations 5 and 14 to 17, for a gate of few sites.
    """
    n = inputs.correlation(corr)
    places = _places(sites, n)
    inputs.fields(w, len(places))
    gates = np.asarray(w, float).reshape(-1, len(places))
    signs = np.asarray(exact(side)(np.asarray(corners(len(places)), float), gates))
    f = (signs / 2).T @ _corner_means(np.asarray(corr, float), places)
    return f.reshape(*np.shape(w)[:-1], n)


def _places(sites: Any, n: int) -> list[int]:
    found = np.asarray(sites)
    whole = found.size and np.all((found == np.round(found)) & (found >= 0) & (found < n))
    if not whole or len(np.unique(found)) < len(found) or len(found) > MOST_SITES - 1:
        raise UserError(
            f"sites must be from 1 to {MOST_SITES - 1} different numbers from 0 to {n - 1}, but are {quoted(sites)}; "
            "count sites from 0."
        )
    return [int(site) for site in found]


def _corner_means(corr: np.ndarray, sites: list[int]) -> np.ndarray:
    """E[1(x_sites = c) x_l] for each corner c of the sites and each site l: (corners, n)."""
    points = np.asarray(corners(len(sites)), float)
    means = np.zeros((len(points), len(corr)))
    means[:, sites] = pattern_law(corr[np.ix_(sites, sites)])[:, None] * points
    for site in np.flatnonzero(np.abs(corr[sites]).max(axis=0) > 0):
        if site not in sites:
            among = [*sites, site]
            up, down = pattern_law(corr[np.ix_(among, among)]).reshape(2, -1)
            means[:, site] = up - down
    return means


@given(share=checks.number)
def probable_head(
    w: FieldLike,
    x: Real[ArrayLike, "points n"] | Sequence,
    share: float,
    chances: Real[ArrayLike, " points"] | Sequence | None = None,
) -> int:
    r"""The smallest number of weights that decide a gate but for a share of the points (*host*).

    The smallest k with $\varepsilon_k \le$ `share`, found by looking at all k because $\varepsilon_k$ (see `head_errors`) is
    not monotone.

    **Arguments**

    - `w`, `x`, `chances`: as for `head_errors`.
    - `share`: from 0 to 1.

    **Returns** k, from 1 to n.

    >>> from gatefield.theory.hypercube import corners
    >>> probable_head([3.0, 2.0, 2.0], corners(3), 0.3)
    1

    **Source:** note 003, section 3, after equation 13.
    """
    checks.real("share", share, "from 0 to 1", lambda s: (s >= 0) & (s <= 1))
    errors = head_errors(w, x, chances)
    # errors are sums of chances: one that is the share itself may be above it by rounding
    return int((errors <= share + 1e-12).argmax()) + 1
