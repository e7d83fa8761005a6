"""Gates of any shape on listed points: what they explain, and what no gates can explain more of."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from gatefield.core import checks
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.theory.gated_linear.path import NULL
from gatefield.theory.inputs import label_pair, labels

SUMS_TO_ONE = 1e-6
"""How far the sum of probabilities may be from 1: rounding in single precision."""


class Posterior(NamedTuple):
    """Both classes together, as a network that sees the inputs and not the class has to take them."""

    chances: Float[np.ndarray, " points"]
    """The probability of each point."""
    means: Float[np.ndarray, " points"]
    """The mean label at each point; 0 where no input lies."""

    @property
    def explained(self) -> float:
        """What the mean label itself explains of the label power: no function of the inputs explains more."""
        return float(self.chances @ self.means**2)


class ListedMoments(NamedTuple):
    """What a gated linear network learns from, for each set of gates."""

    A: Float[np.ndarray, "*sets m m"]
    """The second moment of the gated inputs."""
    b: Float[np.ndarray, "*sets m"]
    """Their mean product with the label."""


def probabilities(name: str, value: Any) -> None:
    """Probabilities (points,) that add up to 1; rounding may put them a little below 0."""
    checks.vector(name, value)
    checks.real(name, value, "zero or more", lambda p: p >= -SUMS_TO_ONE)
    total = float(np.sum(np.asarray(value, float)))
    if abs(total - 1) > SUMS_TO_ONE:
        raise UserError(f"{name} must add up to 1, but their sum is {total:g}; divide by it.")


def listed_points(name: str, value: Any) -> None:
    """Points (points, n), finite."""
    sizes = checks.shape(name, value, f"{name} must have shape (points, n)")
    if len(sizes) != 2 or 0 in sizes:
        raise UserError(f"{name} must have shape (points, n), one row for each point, but has shape {sizes}.")
    checks.finite(name, value)


def openings(name: str, value: Any) -> None:
    """How far gates are open (..., points, K), between 0 and 1."""
    sizes = checks.shape(name, value, f"{name} must have shape (..., points, K)")
    if len(sizes) < 2 or 0 in sizes[-2:]:
        raise UserError(f"{name} must have shape (..., points, K), one column for each gate, but has shape {sizes}.")
    checks.real(name, value, "from 0, shut, to 1, open", lambda g: (g >= 0) & (g <= 1))


def check_law(points: Any, chances: Any, means: Any) -> None:
    """A probability and a mean label for each point."""
    counts = len(points), len(chances), len(means)
    if len(set(counts)) > 1:
        raise UserError(
            f"There must be one probability and one mean label for each point, but there are {counts[0]} points, {counts[1]} "
            f"chances and {counts[2]} means; take them from the same list of points."
        )


@given(positive=probabilities, negative=probabilities, labels=labels)
def posterior(positive: Any, negative: Any, *, labels: Any = (1.0, 0.0), proportion: Any = 0.5) -> Posterior:
    r"""Both classes on listed points: how likely each point is, and its mean label (*host*).

    $$m(x) = p\,p_1(x) + (1-p)\,p_0(x), \qquad r(x) = E[y|x] = \frac{p\,y_1\,p_1(x) + (1-p)\,y_0\,p_0(x)}{m(x)}$$

    Of all functions of x the mean label has the least mean squared error, $E y^2 - \sum_x m(x)\,r(x)^2$. So nothing explains
    more of the label power than `explained` of what is returned.

    **Arguments**

    - `positive`, `negative`: probabilities of the points (points,) in each class, such as from `hypercube.pattern_law`.
    - `labels`: the pair (y1, y0).
    - `proportion`: the share p of the positive class.

    **Returns** a `Posterior` with `chances`, `means` and `explained`; float64.

    >>> found = posterior([0.5, 0.5], [1.0, 0.0])
    >>> found.chances, found.means.round(4), round(found.explained, 4)
    (array([0.75, 0.25]), array([0.3333, 1.    ]), 0.3333)

    **Source:** note 000, equation 16, whose least value over all gates it bounds.
    """
    if len(positive) != len(negative):
        raise UserError(
            f"Both classes must list the same points, but positive has {len(positive)} and negative {len(negative)}; give a "
            "point that one class never shows the probability 0."
        )
    share = checks.proportion(proportion)
    parts = share * _clipped(positive), (1 - share) * _clipped(negative)
    chances, (y1, y0) = parts[0] + parts[1], label_pair(labels)
    means = (float(y1) * parts[0] + float(y0) * parts[1]) / np.where(chances > 0, chances, 1.0)
    return Posterior(chances, means)


@given(gates=openings, points=listed_points, chances=probabilities, means=checks.vector)
def listed_moments(gates: Any, points: Any, chances: Any, means: Any) -> ListedMoments:
    r"""What networks behind any gates learn from, by a sum over listed points (*host*).

    $$A = \sum_x m(x)\,\tilde x\tilde x^\top, \qquad b = \sum_x m(x)\,r(x)\,\tilde x, \qquad
    \tilde x = (g_1(x)\,x, \dots, g_K(x)\,x)$$

    **Arguments**

    - `gates`: how far each gate is open at each point (..., points, K), from 0 to 1; leading axes are sets of gates.
    - `points`: the points (points, n).
    - `chances`, `means`: probability m and mean label r of each point, as from `posterior`.

    **Returns** `A` (..., Kn, Kn) and `b` (..., Kn); float64.

    >>> A, b = listed_moments([[1.0], [0.0]], [[1.0], [-1.0]], [0.5, 0.5], [1.0, 1.0])
    >>> A.tolist(), b.tolist()
    ([[0.5]], [0.5])

    **Source:** note 000, equations 6, 7 and 12.
    """
    check_law(points, chances, means)
    opened, x = np.asarray(gates, float), np.asarray(points, float)
    if opened.shape[-2] != len(x):
        raise UserError(f"gates must have shape (..., {len(x)}, K) for {len(x)} points, but has shape {opened.shape}.")
    m, r = _clipped(chances), np.asarray(means, float)
    gated = (opened[..., None] * x[:, None, :]).reshape(*opened.shape[:-1], -1)
    weighted = m[:, None] * gated
    return ListedMoments(np.swapaxes(gated, -1, -2) @ weighted, np.einsum("...xp,x->...p", weighted, r))


@given(gates=openings, points=listed_points, chances=probabilities, means=checks.vector)
def explained_by_gates(gates: Any, points: Any, chances: Any, means: Any) -> Float[np.ndarray, "*sets"]:
    r"""What gates of any shape explain on listed points, $b^\top A^+ b$, for many sets at once (*host*).

    **Arguments**

    - `gates`, `points`, `chances`, `means`: as for `listed_moments`; eigenvalues of A below 1e-12 of the largest count as zero.

    **Returns** what each set explains of the label power (...,); float64.

    >>> explained_by_gates([[[1.0], [0.0]], [[1.0], [1.0]]], [[1.0], [-1.0]], [0.5, 0.5], [1.0, 1.0]).tolist()
    [0.5, 0.0]

    **Source:** note 000, equations 16 and 18, corrected: second moments in place of products of means.
    """
    A, b = listed_moments(gates, points, chances, means)
    rates, basis = np.linalg.eigh(A)
    along = np.einsum("...pq,...p->...q", basis, b)
    kept = rates > NULL * np.maximum(rates[..., -1:], 0.0)
    return np.asarray(np.sum(np.where(kept, along**2 / np.where(kept, rates, 1.0), 0.0), axis=-1))


def _clipped(chances: Any) -> np.ndarray:
    """Without what rounding puts below 0."""
    return np.maximum(np.asarray(chances, float), 0.0)
