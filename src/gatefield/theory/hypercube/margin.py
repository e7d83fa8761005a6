"""How near to zero a signed sum of weights can come."""

from typing import Any, Literal, NamedTuple, overload

import numpy as np

from gatefield.core import checks
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.theory.hypercube.integers import Scaled, rounded, scaled
from gatefield.theory.hypercube.listed import listed_nearest
from gatefield.theory.hypercube.search import nearest_to_zero

MOST_WEIGHTS = 60  # five minutes
_MOST_BITS = 61  # sums of two halves, and their difference, then fit the 63 bits of int64
_SMALL_TOTAL = 1 << 20  # the reachable sums are the binary digits of one integer, 0.1 MB for each weight


class Margin(NamedTuple):
    """The smallest size of a signed sum, its error, signs that reach it, and the method: an estimate with a witness."""

    value: int | float
    error: int | float
    """0 if the value is exact (but for one rounding to float64 unless the weights are integers)."""
    signs: np.ndarray
    method: str


@overload
def margin(w: Any) -> int | float: ...
@overload
def margin(w: Any, *, with_error: Literal[True]) -> Margin: ...
@given(with_error=checks.flag)
def margin(w: Any, *, with_error: bool = False) -> int | float | Margin:
    r"""The smallest size of a signed sum of weights (*host*).

    $$\delta(w) = \min_{x\in\{\pm1\}^n} \Big|\sum_i w_i x_i\Big|$$

    In integers: a float64 is an integer times a power of 2, so nothing is lost and $\delta = 0$ means a tie (`drift`, `walsh`
    and `head_errors` decide ties up to rounding instead). Deciding whether $\delta = 0$ is the partition problem, which is
    NP-complete; the time grows as $2^{n/2}$ and the memory as a fixed block and four lists of $2^{n/4}$: under a second at n =
    40, ten seconds and 64 MB at n = 50. Small integers are summed by dynamic programming at any n.

    Integers whose sizes add up to less than $2^{61}$ are searched as they are. Wider ones, such as floats of very different
    size, are rounded to a grid of that width; a sum then moves by at most n/2 steps of the grid, so all sums that can be the
    smallest are found and computed exactly. If there are more than 4096 of them, as for many equal weights, the different sums
    of each half are listed without rounding. Only if one half has more than a million the value keeps an error of n steps.

    **Arguments**

    - `w`: weights: integers of any size, floats or fractions; 60 at most unless one exceeds the sum of the others or all are
      small integers.
    - `with_error`: whether to give the error, signs that reach the value, and the method too.

    **Returns** $\delta$, an integer for integers, else a float; where it could only be bounded, a `UserError` says so. With
    `with_error` a `Margin` with `value`, `error`, `signs` and `method`: "one leads", "small integers" or "four lists".

    >>> margin([3, 2, 2]), margin([10**30, 10**30 - 7]), margin([0.1, 0.2, 0.3])
    (1, 7, 2.7755575615628914e-17)
    >>> margin([5.0, 2.0, 1.5], with_error=True)
    Margin(value=1.5, error=0.0, signs=array([ 1, -1, -1]), method='one leads')

    **Source:** note 003, equation 13; the lists are those of Schroeppel and Shamir (1981).
    """
    found = _signed_sum(w)
    if found.error and not with_error:
        raise UserError(
            f"The margin of these weights is at most {found.value}, but too many of their sums nearly tie for an exact search; "
            "margin(w, with_error=True) tells the value with its error."
        )
    return found if with_error else found.value


def _signed_sum(w: Any) -> Margin:
    whole = scaled(w)
    sizes = [abs(v) for v in whole.values]
    order = [i for i in sorted(range(len(sizes)), key=lambda i: -sizes[i]) if sizes[i]]
    value, error, signs, method = _margin([sizes[i] for i in order])
    full = np.ones(len(sizes), dtype=np.int64)
    full[order] = signs
    full[np.array([v < 0 for v in whole.values])] *= -1
    return Margin(whole.back(value), _error(whole, error), full, method)


def _error(whole: Scaled, error: int) -> int | float:
    return whole.back(error) if error or whole.whole else 0.0


def _margin(sizes: list[int]) -> tuple[int, int, np.ndarray, str]:
    """Margin, error, signs and method for positive integers in falling order."""
    rest = sum(sizes[1:])
    if sizes[0] >= rest:
        return sizes[0] - rest, 0, np.array([1] + [-1] * (len(sizes) - 1)), "one leads"
    if sizes[0] + rest <= _SMALL_TOTAL:
        return *_by_reachable_sums(sizes), "small integers"
    if len(sizes) > MOST_WEIGHTS:
        raise UserError(
            f"The margin is searched among at most {MOST_WEIGHTS} weights that are not zero, but there are {len(sizes)}; "
            "take the largest of them, or small integers."
        )
    return *_by_lists(sizes), "four lists"


def _by_reachable_sums(sizes: list[int]) -> tuple[int, int, np.ndarray]:
    """Which sums of subsets there are, as binary digits of one integer; then the way back from the middle."""
    reachable = [1]
    for size in sizes:
        reachable.append(reachable[-1] | reachable[-1] << size)
    total = sum(sizes)
    target = (reachable[-1] & ((1 << total // 2 + 1) - 1)).bit_length() - 1
    signs, left = np.ones(len(sizes), dtype=np.int64), target
    for i in reversed(range(len(sizes))):
        if not reachable[i] >> left & 1:
            signs[i], left = -1, left - sizes[i]
    return total - 2 * target, 0, signs


def _by_lists(sizes: list[int]) -> tuple[int, int, np.ndarray]:
    shift = max(0, sum(sizes).bit_length() - _MOST_BITS)
    if not shift:
        found = nearest_to_zero(sizes)
        assert found.signs
        return found.best, 0, found.signs[0]
    n = len(sizes)
    rounded = [(size + (1 << shift - 1)) >> shift for size in sizes]
    found = nearest_to_zero(rounded, window=n)
    if found.signs is None:
        listed = listed_nearest(sizes)
        if listed is not None:
            return _size(sizes, listed), 0, listed
        best = nearest_to_zero(rounded)
        assert best.signs
        return _size(sizes, best.signs[0]), n << shift, best.signs[0]
    signs = min(found.signs, key=lambda s: _size(sizes, s))
    return _size(sizes, signs), 0, signs


def _size(sizes: list[int], signs: np.ndarray) -> int:
    return abs(sum(size * sign for size, sign in zip(sizes, signs.tolist(), strict=True)))


def sdp_margin(w: Any) -> float:
    r"""Value of the semidefinite relaxation of $\delta_{\rm INT} = \max_x -\langle w,x\rangle^2 = -\delta^2$ (*host*).

    $$\max_{X \succeq 0,\; X_{ii} = 1} -w^\top X w = -\big(\max(0,\; 2\max_i|w_i| - \textstyle\sum_i|w_i|)\big)^2$$

    Proof. A feasible X is the Gram matrix of unit vectors $v_i$, and $w^\top X w = |\sum_i w_i v_i|^2$. If no weight exceeds
    the sum of the others, sticks of lengths $|w_i|$ close to a polygon in the plane; with $v_i$ along them (turned round where
    $w_i < 0$) the sum is zero. Else $|\sum_i w_i v_i| \ge |w|_{\max} - \sum_{\rm others}|w_i|$ by the triangle inequality, with
    equality if all other sticks point against the longest. ∎

    So the relaxation bounds $\delta$ from below only where one weight exceeds the sum of the others; there it equals
    $\delta^2$ and $\delta$ is in closed form anyway. Everywhere else it says $\delta \ge 0$. Grothendieck's inequality cannot
    mend this: it bounds the ratio of a relaxation to a maximum that is positive. Here both are at most 0, and their ratio is
    $0/(-\delta^2) = 0$ for (1, 1, 1), so no constant K gives $\delta_{\rm INT} \ge K\,{\rm SDP}$. As deciding $\delta = 0$ is
    NP-complete, no such bound that can be computed fast and vanishes only with $\delta$ is to be expected.

    **Arguments**

    - `w`: weights.

    **Returns** the value, zero or less, computed in integers and rounded once.

    >>> sdp_margin([5, 2, 1, 1]), sdp_margin([3.0, 2.0, 1.5])
    (-1.0, 0.0)

    **Source:** note 003, section "SDP", where $\delta_{\rm INT} = -\sqrt\delta$ is corrected to $-\delta^2$.
    """
    whole = scaled(w)
    sizes = [abs(v) for v in whole.values]
    return 0.0 - rounded((max(0, 2 * max(sizes) - sum(sizes)) * whole.unit) ** 2)
