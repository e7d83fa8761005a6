"""The signed sum nearest to zero among integers of any size, by listing the different sums of each half."""

import numpy as np

_MOST_SUMS = 1 << 20  # Python integers of a set take about 100 MB then


def listed_nearest(sizes: list[int]) -> np.ndarray | None:
    """Signs of the sum nearest to zero; None if one half has more than 2^20 different sums.

    Equal weights make equal sums, so that many of them cost little. The halves grow from both ends of the list, which is
    sorted, always the one with fewer sums.
    """
    low, high = 0, len(sizes)
    head, tail = {0}, {0}
    while low < high:
        if len(head) <= len(tail):
            head, low = _extended(head, sizes[low]), low + 1
        else:
            tail, high = _extended(tail, sizes[high - 1]), high - 1
        if max(len(head), len(tail)) > _MOST_SUMS:
            return None
    one, other = _nearest_pair(sorted(head), sorted(tail))
    return np.concatenate([_signs(sizes[:low], one), _signs(sizes[low:], other)])


def _extended(sums: set[int], size: int) -> set[int]:
    return {s + size for s in sums} | {s - size for s in sums}


def _nearest_pair(a: list[int], b: list[int]) -> tuple[int, int]:
    """The entries of two sorted lists whose sum is nearest to zero, by walking up one list and down the other."""
    best = a[0], b[-1]
    i, j = 0, len(b) - 1
    while i < len(a) and j >= 0:
        total = a[i] + b[j]
        if abs(total) < abs(sum(best)):
            best = a[i], b[j]
        i, j = (i + 1, j) if total < 0 else (i, j - 1)
    return best


def _signs(sizes: list[int], target: int) -> np.ndarray:
    """Signs with which the sizes add up to the target, by the sums of their two halves."""
    cut = len(sizes) // 2
    first, second = _ways(sizes[:cut]), _ways(sizes[cut:])
    one = next(value for value in first if target - value in second)
    places = first[one], second[target - one]
    groups = range(cut), range(len(sizes) - cut)
    return np.array(
        [1 - 2 * (place >> digit & 1) for place, group in zip(places, groups, strict=True) for digit in group], dtype=np.int64
    )


def _ways(sizes: list[int]) -> dict[int, int]:
    """One way to make each signed sum; the binary digits of a way are the minus signs."""
    ways = {0: 0}
    for digit, size in enumerate(sizes):
        ways = {s - size: way | 1 << digit for s, way in ways.items()} | {s + size: way for s, way in ways.items()}
    return ways
