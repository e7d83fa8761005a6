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


def plain_log_scale(axes: Any, along: str = "y") -> None:
    """A logarithmic axis over few decades, with numbers as one reads them: 2,000 5,000 10,000."""
    axes.set(**{f"{along}scale": "log"})
    axis = getattr(axes, f"{along}axis")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if along == "y" else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
