"""The signed sum nearest to zero, by meeting in the middle with four short lists."""

import heapq
import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gatefield.theory.hypercube.integers import sign_sums

_BLOCK = 1 << 20  # sums of one half that are sorted at a time: 8 MB
_SAMPLE = 1 << 14  # sums that are drawn to cut all of them into blocks of about equal size
_MOST_KEPT = 4096  # pairs of sums that are kept; more are only counted when many weights are equal


class Nearest(NamedTuple):
    """The smallest size of a sum, and the signs of all sums within `window` of it (of one, if the window is 0)."""

    best: int
    signs: list[np.ndarray] | None
    """None if there were too many."""


class _Half(NamedTuple):
    """Signed sums of half of the weights as all sums of one entry of each of two sorted lists."""

    first: np.ndarray
    second: np.ndarray
    first_order: np.ndarray
    second_order: np.ndarray

    def between(self, low: int, high: int) -> np.ndarray:
        """All sums in [low, high), sorted."""
        begin, end = (np.searchsorted(self.second, edge - self.first) for edge in (low, high))
        count = end - begin
        place = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count - begin, count)
        sums = np.repeat(self.first, count)
        sums += self.second[place]
        sums.sort()
        return sums

    def places(self, value: int) -> Iterator[tuple[int, int]]:
        """Where in the unsorted lists the two parts of a sum are, for all ways to make it."""
        begin, end = (np.searchsorted(self.second, value - self.first, side=side) for side in ("left", "right"))
        for i in np.flatnonzero(end > begin):
            for j in range(begin[i], end[i]):
                yield int(self.first_order[i]), int(self.second_order[j])

    def edges(self, size: int) -> np.ndarray:
        """Values that cut the sums into blocks of about `size`."""
        blocks = -(-len(self.first) * len(self.second) // size)
        rng = np.random.default_rng(0)
        sample = rng.choice(self.first, _SAMPLE) + rng.choice(self.second, _SAMPLE)
        inner = np.quantile(sample, np.arange(1, blocks) / blocks, method="nearest")
        ends = self.first[0] + self.second[0], self.first[-1] + self.second[-1] + 1
        return np.unique(np.concatenate([ends[:1], inner, ends[1:]]))


def differencing(values: list[int]) -> int:
    """A small signed sum: the two largest sizes are replaced by their difference until one is left (Karmarkar and Karp)."""
    heap = [-abs(v) for v in values]
    heapq.heapify(heap)
    while len(heap) > 1:
        large = heapq.heappop(heap)
        heapq.heappush(heap, large - heapq.heappop(heap))
    return -heap[0]


def nearest_to_zero(values: list[int], window: int = 0) -> Nearest:
    """The signed sum of smallest size; the sizes must add up to less than 2^61.

    The first weight keeps its sign. Sums of each half are made in blocks of neighbouring values from two lists of about
    2^(n/4) entries, sorted, and matched with the block of the other half that can cancel them.
    """
    groups = [list(range(k, len(values), 4)) for k in range(4)]
    halves = _half(values, groups[0], groups[1], fixed=True), _half(values, groups[2], groups[3])
    best, kept = differencing(values), []
    edges = halves[0].edges(_BLOCK)
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        a = halves[0].between(low, high)
        b = halves[1].between(-high - best - window, -low + best + window + 1)
        if len(a) and len(b):
            best, close = _match(a, b, best, window)
            kept = [pair for pair in kept if abs(sum(pair)) <= best + window] + close
        if len(kept) > _MOST_KEPT:
            return Nearest(_only_best(halves, edges, best), None)
        kept = kept if window else kept[:1]
    most = _MOST_KEPT + 1 if window else 1
    ways = list(itertools.islice((way for pair in kept for way in _ways(halves, pair)), most))
    return Nearest(best, [_signs(len(values), groups, way) for way in ways] if len(ways) <= _MOST_KEPT else None)


def _only_best(halves: tuple[_Half, _Half], edges: np.ndarray, best: int) -> int:
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        a, b = halves[0].between(low, high), halves[1].between(-high - best, -low + best + 1)
        if len(a) and len(b):
            best = min(best, int(_distance(a, b).min()))
    return best


def _distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """For each a, the smallest size of a + b."""
    place = np.searchsorted(b, -a)
    above = np.abs(a + b[np.minimum(place, len(b) - 1)])
    return np.minimum(above, np.abs(a + b[np.maximum(place - 1, 0)]))


def _match(a: np.ndarray, b: np.ndarray, best: int, window: int) -> tuple[int, list[tuple[int, int]]]:
    """The smallest size of a sum so far, and the pairs within the window of it; one pair at most without a window."""
    distance = _distance(a, b)
    best = min(best, int(distance.min()))
    close = np.flatnonzero(distance <= best + window)
    close = close[: _MOST_KEPT + 1] if window else close[:1]
    pairs = []
    for value in np.unique(a[close]).tolist():
        begin, end = np.searchsorted(b, [-value - best - window, -value + best + window + 1])
        pairs += [(value, other) for other in np.unique(b[begin:end]).tolist()]
    return best, pairs if window else pairs[:1]


def _half(values: list[int], first: list[int], second: list[int], *, fixed: bool = False) -> _Half:
    """The lists of one half; if `fixed`, the first weight keeps its sign."""
    lists = [sign_sums([values[i] for i in group]) for group in (first, second)]
    if fixed:
        lists[0] = values[first[0]] + sign_sums([values[i] for i in first[1:]])
    orders = [np.argsort(one) for one in lists]
    return _Half(lists[0][orders[0]], lists[1][orders[1]], orders[0] << int(fixed), orders[1])


def _ways(halves: tuple[_Half, _Half], pair: tuple[int, int]) -> Iterator[tuple[int, ...]]:
    """Places in the four lists for all ways to make both sums."""
    for one in halves[0].places(pair[0]):
        for other in halves[1].places(pair[1]):
            yield *one, *other


def _signs(n: int, groups: list[list[int]], places: tuple[int, ...]) -> np.ndarray:
    """The signs that the binary digits of the places stand for."""
    signs = np.ones(n, dtype=np.int64)
    for group, place in zip(groups, places, strict=True):
        for digit, site in enumerate(group):
            signs[site] = 1 - 2 * (place >> digit & 1)
    return signs
