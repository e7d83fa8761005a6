"""The best of all gates on listed points, by branch and bound."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from gatefield.core import checks
from gatefield.core.checks import given
from gatefield.theory.gated_linear.listed import check_law, explained_by_gates, listed_points, probabilities

OVERLAPS = ("any", "exclusive", "tiling")
CUT = 1e-12
"""A branch is followed only if it may explain more than the best so far by this: some thousand roundings of a sum."""
OUTSIDE = 1e-12
"""Which squared part of a gated input must lie outside of those before it, to be a new direction: far above rounding."""
CHUNK = 2048
"""Nodes that are opened at once: their matrices then take some ten MB."""
STARTS, ROUNDS = 64, 40
"""Of the climb before the search. What is found does not depend on it, only how soon branches can be cut."""
MOST_GATES = 6
"""With 2^6 ways in which gates can be open at a point, even three points have a quarter of a million."""


class BestGates(NamedTuple):
    """The best gates, and how sure that is."""

    gates: Int[np.ndarray, "points K"]
    """1 where a gate is open."""
    explained: float
    """What they explain of the label power."""
    upper: float
    """No gates explain more, but for 1e-12: the same as `explained` unless the search was stopped."""
    nodes: int
    """Assignments of gates to some of the points that were looked at."""

    @property
    def proven(self) -> bool:
        """Whether no gates are better, but for rounding."""
        return self.upper - self.explained <= CUT


class _Problem(NamedTuple):
    """Points with some chance, the one with most to explain first."""

    points: np.ndarray
    chances: np.ndarray
    means: np.ndarray
    patterns: np.ndarray
    """(patterns, K): the ways in which the gates can be open at a point."""

    @property
    def features(self) -> np.ndarray:
        """The gated input of each point in each pattern (points, patterns, Kn)."""
        parts = self.patterns[:, :, None] * self.points[:, None, None, :]
        return parts.reshape(len(self.points), len(self.patterns), -1)


class _Nodes(NamedTuple):
    """Gates at the first points, with the least-squares fit to those points alone; one row for each node."""

    chosen: np.ndarray
    """(nodes, depth): the pattern at each point so far."""
    equal: np.ndarray
    """(nodes, K - 1): whether gates k and k + 1 agree so far. The first difference must be that k is open: order is free."""
    weights: np.ndarray
    inverse: np.ndarray
    """The pseudo-inverse of A."""
    outside: np.ndarray
    """The projector onto what no gated input so far reaches."""
    missed: np.ndarray
    """The part of the mean square label at these points that no weights explain: it can only grow."""

    def take(self, rows: Any) -> "_Nodes":
        return _Nodes(*(part[rows] for part in self))


@given(points=listed_points, chances=probabilities, means=checks.vector)
def best_gates(
    points: Any,
    chances: Any,
    means: Any,
    K: int,
    *,
    overlap: str = "any",
    most: int = 2_000_000,
) -> BestGates:
    r"""The best of all gates on listed points, of any shape: $\max_{g:\,x\mapsto\{0,1\}^K} b^\top A^+ b$ (*host*).

    By branch and bound over the $2^{K}$ ways to be open at each point in turn. What the best weights miss at the points so far,
    $\min_w \sum_x m(x)\,(\hat y(x) - r(x))^2$, can only grow as points are added; a branch that misses more than all points of
    the best gates so far is cut. The fit is carried along exactly, by one update for each point. Gates that differ in their
    order alone are looked at once.

    **Arguments**

    - `points`: the points (points, n), such as the corners of a small cube.
    - `chances`, `means`: probability m and mean label r of each point, as from `posterior`.
    - `K`: number of gates, 6 at most.
    - `overlap`: "any"; "exclusive" for gates of which at most one is open at a point; "tiling" for exactly one.
    - `most`: nodes to look at before the search is stopped. Time and nodes grow steeply with K and with the points.

    **Returns** `BestGates`: `gates` (points, K), what they explain, and `upper`, which no gates exceed; `proven` says whether
    the search came to its end.

    >>> found = best_gates([[1.0], [-1.0]], [0.5, 0.5], [1.0, 1.0], 2)
    >>> found.gates.tolist(), round(found.explained, 6), found.proven
    ([[1, 0], [0, 1]], 1.0, True)

    **Source:** note 000, section 3.3: which gates minimise equation 16.
    """
    check_law(points, chances, means)
    K, limit = checks.count("K", K, most=MOST_GATES), checks.count("most", most)
    checks.choice("overlap", overlap, OVERLAPS)
    x, m, r = (np.asarray(part, float) for part in (points, chances, means))
    order = np.argsort(-m * r**2, kind="stable")
    order = order[m[order] > 0]
    problem = _Problem(x[order], m[order], r[order], _patterns(K, overlap))
    chosen, left, nodes = _search(problem, limit)
    gates = np.broadcast_to(problem.patterns[0], (len(x), K)).copy()
    gates[order] = problem.patterns[chosen]
    gates = gates[:, np.lexsort(gates[::-1])[::-1]]  # their order is free: where two differ first, the earlier is open
    total = float(problem.chances @ problem.means**2)
    found = total - _missed(problem, chosen)
    return BestGates(gates.astype(int), found, max(found, total - left), nodes)


def _patterns(K: int, overlap: str) -> np.ndarray:
    every = ((np.arange(2**K)[:, None] >> np.arange(K)[::-1]) & 1).astype(float)
    count = every.sum(1)
    return every[{"any": count >= 0, "exclusive": count <= 1, "tiling": count == 1}[overlap]]


def _search(problem: _Problem, limit: int) -> tuple[np.ndarray, float, int]:
    """The best patterns, the least that nodes never opened miss (infinite if there are none), and the number of nodes."""
    features = problem.features
    best = _climb(problem, features)
    missed = _missed(problem, best)
    stack, nodes = [_root(problem, features)], 0
    while stack and nodes < limit:
        now = stack.pop()
        now = now.take(np.flatnonzero(now.missed < missed - CUT))
        if len(now.missed) > CHUNK:
            stack += _parted(now)
        elif len(now.missed) and now.chosen.shape[1] == len(features):
            first = int(np.argmin(now.missed))
            best, missed = now.chosen[first], float(now.missed[first])
        elif len(now.missed):
            stack.append(_children(problem, features, now, missed - CUT))
            nodes += len(stack[-1].missed)
    return best, min((float(left.missed.min(initial=np.inf)) for left in stack), default=np.inf), nodes


def _root(problem: _Problem, features: np.ndarray) -> _Nodes:
    K, size = problem.patterns.shape[1], features.shape[2]
    nothing = np.zeros((1, size, size))
    return _Nodes(
        np.zeros((1, 0), np.int8), np.ones((1, K - 1), bool), nothing[:, 0], nothing, nothing + np.eye(size), np.zeros(1)
    )


def _parted(nodes: _Nodes) -> list[_Nodes]:
    """In parts of at most a chunk, the most hopeful last, where it is taken from first."""
    order = np.argsort(-nodes.missed, kind="stable")
    return [nodes.take(rows) for rows in np.array_split(order, -(-len(order) // CHUNK))]


def _children(problem: _Problem, features: np.ndarray, nodes: _Nodes, cut: float) -> _Nodes:
    """The nodes with one point more, in every pattern, that miss less than `cut`."""
    at = nodes.chosen.shape[1]
    x, m, r = features[at], problem.chances[at], problem.means[at]
    image, new = nodes.inverse @ x.T, nodes.outside @ x.T  # (nodes, Kn, patterns)
    error = r - nodes.weights @ x.T
    spread = 1 / m + np.einsum("npg,gp->ng", image, x)
    size = np.einsum("npg,npg->ng", new, new)
    is_new = size > OUTSIDE * np.einsum("gp,gp->g", x, x)  # false for gates that are all shut
    missed = nodes.missed[:, None] + np.where(is_new, 0.0, error**2 / spread)
    one, two = problem.patterns[:, :-1], problem.patterns[:, 1:]
    ordered = np.all(~nodes.equal[:, None] | (one >= two), axis=2)
    row, pattern = np.nonzero((missed < cut) & ordered)
    fit = _Update(*(part[row, :, pattern] for part in (image, new)), *(part[row, pattern] for part in (error, spread, size)))
    return _Nodes(
        np.concatenate([nodes.chosen[row], pattern[:, None].astype(np.int8)], axis=1),
        nodes.equal[row] & (one == two)[pattern],
        *_updated(nodes.take(row), fit, is_new[row, pattern]),
        missed[row, pattern],
    )


class _Update(NamedTuple):
    """What one gated input x of weight m and error e brings: A^+ x, its part outside, e, 1/m + x'A^+x, and |outside|²."""

    image: np.ndarray
    new: np.ndarray
    error: np.ndarray
    spread: np.ndarray
    size: np.ndarray


def _updated(nodes: _Nodes, fit: _Update, is_new: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights, pseudo-inverse of A + m x x' and projector: by Sherman and Morrison, or by Greville where x is new."""
    across = fit.new / np.where(is_new, fit.size, 1.0)[:, None]
    gain = np.where(is_new[:, None], across, fit.image / fit.spread[:, None])
    weights = nodes.weights + gain * fit.error[:, None]
    turned = _outer(across, fit.image)
    grown = fit.spread[:, None, None] * _outer(across, across) - turned - np.swapaxes(turned, 1, 2)
    shrunk = -_outer(fit.image, fit.image) / fit.spread[:, None, None]
    where = is_new[:, None, None]
    return (
        weights,
        nodes.inverse + np.where(where, grown, shrunk),
        nodes.outside - np.where(where, _outer(fit.new, across), 0.0),
    )


def _outer(one: Float[np.ndarray, "nodes p"], two: Float[np.ndarray, "nodes p"]) -> Float[np.ndarray, "nodes p p"]:
    return one[:, :, None] * two[:, None, :]


def _missed(problem: _Problem, chosen: np.ndarray) -> float:
    """What the best weights behind these patterns miss, by least squares."""
    gated, root = problem.features[np.arange(len(chosen)), chosen], np.sqrt(problem.chances)
    weights = np.linalg.lstsq(root[:, None] * gated, root * problem.means, rcond=OUTSIDE)[0]
    return float(problem.chances @ (gated @ weights - problem.means) ** 2)


def _climb(problem: _Problem, features: np.ndarray) -> np.ndarray:
    """The best of patterns from random starts, each point in turn given the pattern that suits the weights."""
    m, r, patterns = problem.chances, problem.means, problem.patterns
    chosen = np.random.default_rng(0).integers(len(patterns), size=(STARTS, len(m)))
    for _ in range(ROUNDS):
        gated = features[np.arange(len(m)), chosen]
        weighted = m[:, None] * gated
        inverse = np.linalg.pinv(np.swapaxes(gated, 1, 2) @ weighted, rcond=OUTSIDE, hermitian=True)
        weights = np.einsum("spq,sxq,x->sp", inverse, weighted, r, optimize=True)
        better = np.argmin((np.einsum("xgp,sp->sxg", features, weights) - r[:, None]) ** 2, axis=2)
        if np.array_equal(better, chosen):
            break
        chosen = better
    return chosen[int(np.argmax(explained_by_gates(patterns[chosen], problem.points, m / m.sum(), r)))]
