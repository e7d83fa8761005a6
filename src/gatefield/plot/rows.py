"""Many fields side by side in one panel."""

from collections.abc import Sequence
from typing import Any

import numpy as np

GAP = 0.2
"""Between two fields of a row, as a part of their width."""


def field_row(axes: Any, fields: Any, names: Sequence[str] = (), style: str = "-", **options: Any) -> None:
    """Fields side by side in one panel, each scaled to its own largest entry, with its name below it.

    **Arguments**

    - `fields`: (field, position); a field that is NaN leaves its place empty.
    - `names`: one for each field; none leaves the axis without ticks.
    - `style`, `options`: as `axes.plot` takes them; the same panel can take several rows, one over the other.

    >>> from matplotlib.figure import Figure
    >>> axes = Figure().subplots()
    >>> field_row(axes, [[0.0, 2.0], [-4.0, 1.0]], ["first", "second"])
    >>> [line.get_ydata().tolist() for line in axes.lines[-2:]], axes.get_xticks().round(2).tolist()
    ([[0.0, 1.0], [-1.0, 0.25]], [0.5, 1.7])
    """
    fields = np.asarray(fields, float)
    count, n = fields.shape
    starts = np.arange(count) * (n - 1) * (1 + GAP)
    label = options.pop("label", None)
    for start in starts:
        axes.plot([start, start + n - 1], [0, 0], color="0.8", linewidth=0.8, zorder=0)
    for at, (start, field) in enumerate(zip(starts, fields, strict=True)):
        size = np.abs(field).max()
        axes.plot(start + np.arange(n), field / (size or 1.0), style, label=None if at else label, **options)
    axes.set(ylim=(-1.15, 1.15), yticks=[], xlim=(-0.02 * starts[-1] - 1, starts[-1] + n + 0.02 * starts[-1]))
    axes.set_xticks(starts + (n - 1) / 2 if len(names) else [], list(names), fontsize=8)
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
