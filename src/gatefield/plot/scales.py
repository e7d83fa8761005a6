"""Numbers on axes and in titles, as one reads them."""

from typing import Any

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter


def gain_text(gain: float) -> str:
    """A gain for tick labels and titles.

    >>> gain_text(3.0), gain_text(float("inf"))
    ('3', '∞')
    """
    return "∞" if np.isinf(gain) else f"{gain:g}"


def gain_places(gains: Any) -> np.ndarray:
    """Where gains stand side by side on an axis: infinity a step and a half after the last, as it is no neighbour of any.

    >>> gain_places([0.01, 3.0, float("inf")]).tolist()
    [0.0, 1.0, 2.5]
    """
    return np.arange(len(gains)) + 0.5 * np.isinf(np.asarray(gains, float))


def finite_join(gains: Any, *values: Any) -> list[np.ndarray]:
    """Places and values for a line that joins finite gains and not infinity; give it markers, so that infinity is seen.

    >>> [row.tolist() for row in finite_join([1.0, 3.0, float("inf")], [5.0, 6.0, 7.0])]
    [[0.0, 1.0, nan, 2.5], [5.0, 6.0, nan, 7.0]]
    """
    at = np.flatnonzero(np.isinf(np.asarray(gains, float)))
    return [np.insert(np.asarray(row, float), at, np.nan) for row in (gain_places(gains), *values)]


def gain_axis(axes: Any, gains: Any, words: str = "gain", *, ends: bool = False) -> None:
    """Gains side by side along x, with their names; `ends`: say what a low gain and infinity stand for, if they are there."""
    gains, places = np.asarray(gains, float), gain_places(gains)
    said = [text for there, text in [(gains[0] < 0.1, "low: Gaussian"), (np.isinf(gains[-1]), "∞: ±1")] if there and ends]
    axes.set_xticks(places, [gain_text(gain) for gain in gains])
    axes.set(xlabel=f"{words} ({', '.join(said)})" if said else words, xlim=(places[0] - 0.4, places[-1] + 0.4))


def plain_log_scale(axes: Any, along: str = "y") -> None:
    """A logarithmic axis over few decades, with numbers as one reads them: 2,000 5,000 10,000."""
    axes.set(**{f"{along}scale": "log"})
    axis = getattr(axes, f"{along}axis")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if along == "y" else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
