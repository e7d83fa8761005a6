"""What stands around the panels of a figure: its finding above, its setting below, and letters."""

import textwrap
from typing import Any

import numpy as np

WIDTH = 7.0
"""Inches: two columns of a journal; text in a figure of this width is read at the size it was set in."""
_PER_INCH = 10.5
"""Letters of a title in an inch of its line, which is bold."""


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
    - `options`: of matplotlib's `legend`; without `ncols` all names stand in one row.

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
    look = {"loc": "outside lower center", "ncols": len(named), "columnspacing": 1.4, **options}
    part.legend(named.values(), named.keys(), **look)


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
