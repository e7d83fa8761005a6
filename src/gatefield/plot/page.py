"""What stands around the panels of a figure: its finding above, its setting below, and letters."""

import re
import textwrap
from typing import Any

import numpy as np

WIDTH = 7.0
"""Inches: two columns of a journal; text in a figure of this width is read at the size it was set in."""
_PER_INCH = 10.5
"""Letters of a title in an inch of its line, which is bold."""
_LETTER = 0.58
"""The mean width of a letter, in sizes of its font."""
_UNSEEN = re.compile(r"\\[a-zA-Z]+|[$\\{}^_]")
"""What of a formula takes no place, or that of one letter at most."""


def entitle(figure: Any, finding: str) -> None:
    """Put what was found above a figure, in as many lines as it needs; a finding that is there already is replaced."""
    lines = textwrap.fill(finding, max(24, int(figure.get_figwidth() * _PER_INCH)))
    figure.suptitle(lines, x=0.012, ha="left", fontweight="bold")


def say_setting(figure: Any, *words: str) -> None:
    """Put below a figure what its numbers depend on: sizes, length scales, time, seeds, and what a band is.

    >>> from matplotlib.figure import Figure
    >>> figure = Figure(figsize=(WIDTH, 3))
    >>> say_setting(figure, "n = 40", "length scales 2 and 1", "200 τ", "16 seeds", "band: quartiles")
    >>> figure.get_supxlabel()
    'n = 40, length scales 2 and 1, 200 τ, 16 seeds, band: quartiles'
    """
    lines = textwrap.fill(", ".join(filter(None, words)), max(40, int(figure.get_figwidth() * 17)))
    figure.supxlabel(lines, x=0.012, ha="left", fontsize=8, color="0.35")


def legend_below(part: Any, *panels: Any, **options: Any) -> None:
    """Put below a part of a figure what its panels name, each name once: in a panel a legend would hide data, or look like it.

    **Arguments**

    - `part`: a sub-figure, so that its legend stays apart from the setting and from other legends.
    - `panels`: those whose names are told, in their order.
    - `options`: of matplotlib's `legend`; `ncols` is the most columns that there may be, and fewer are taken where the part is
      too narrow for them; without it all names stand in one row, or in as few rows as they need.

    >>> from matplotlib.figure import Figure
    >>> part = Figure().subfigures()
    >>> panels = part.subplots(1, 2)
    >>> _ = [axes.plot([0], [1], label="SGD") for axes in panels]
    >>> legend_below(part, *panels)
    >>> [text.get_text() for text in part.legends[0].get_texts()]
    ['SGD']
    """
    named = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    look: Any = {"loc": "outside lower center", "fontsize": 8.0, "handlelength": 2.0, "columnspacing": 1.4, **options}
    fitting = _columns(list(named), part.bbox.width / part.get_figure(root=True).dpi * 72, look)
    rows = -(-len(named) // fitting)
    look["ncols"] = min(options.get("ncols", len(named)), -(-len(named) // max(1, rows)))
    part.legend(named.values(), named.keys(), **look)


def _columns(names: list[str], points: float, look: dict[str, Any]) -> int:
    """In how many columns, filled one after another, these names of a legend can stand in so many points.

    >>> look = {"fontsize": 8.0, "handlelength": 2.0, "columnspacing": 1.4}
    >>> [_columns(["SGD", "flow", "a long name of something"], points, look) for points in (400.0, 200.0, 50.0)]
    [3, 2, 1]
    """
    size = look["fontsize"]
    beside = look["handlelength"] + look.get("handletextpad", 0.8) + look["columnspacing"]
    widths = [size * (_LETTER * len(_UNSEEN.sub("", name)) + beside) for name in names]
    for count in range(len(names), 1, -1):
        rows = -(-len(names) // count)
        if sum(max(widths[at : at + rows]) for at in range(0, len(names), rows)) <= points:
            return count
    return 1


def letter(panels: Any, titles: Any = (), start: str = "a") -> None:
    """Give panels their letters, in their order, and after each its title, if there is one.

    >>> from matplotlib.figure import Figure
    >>> panels = Figure().subplots(1, 2)
    >>> letter(panels, ["both follow the flow"])
    >>> [axes.get_title(loc="left") for axes in panels]
    ['(a) both follow the flow', '(b)']
    """
    panels = list(np.ravel(panels))
    titles = [*titles, *[""] * (len(panels) - len(titles))]
    for at, (axes, title) in enumerate(zip(panels, titles, strict=True)):
        axes.set_title(f"({chr(ord(start) + at)}) {title}".rstrip(), loc="left")
