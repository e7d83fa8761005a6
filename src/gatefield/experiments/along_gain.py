"""Curves over the gain, whose last value may be infinity: evenly spaced, and not joined to what lies at infinity."""

from typing import Any

import numpy as np

from gatefield.plot import gain_text


def broken(gains: Any, values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Places of the gains on an evenly spaced axis, and the values there, with a gap before an infinite gain.

    >>> broken([1.0, 3.0, np.inf], [0.1, 0.2, 0.3])[1].tolist()
    [0.1, 0.2, nan, 0.3]
    """
    gains, values = np.asarray(gains, float), np.asarray(values, float)
    at = np.arange(len(gains), dtype=float)
    (gap,) = np.nonzero(np.isinf(gains))
    return np.insert(at, gap, np.nan), np.insert(values, gap, np.nan)


def gain_axis(axes: Any, gains: Any, words: str = "gain of the data") -> None:
    """Ticks at the gains, evenly spaced; what 0 and infinity stand for is said where they are there."""
    gains = np.asarray(gains, float)
    ends = [text for there, text in [(gains[0] < 0.1, "low: Gaussian"), (np.isinf(gains[-1]), "∞: ±1")] if there]
    axes.set_xticks(np.arange(len(gains)), [gain_text(gain) for gain in gains])
    axes.set_xlabel(f"{words} ({', '.join(ends)})" if ends else words)
