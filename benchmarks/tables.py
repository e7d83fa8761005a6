"""Small tables of what experiments found, for `verdicts.json`; Markdown, and places in pages that scripts fill."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.experiments.fields.late_localization.verdicts import time_to_localize
from gatefield.plot import gain_text

Cells = list[dict[str, Any]]
"""One table: of each cell its `row`, its `column` and its numbers."""


def ends(record: xr.Dataset) -> Cells:
    """Of each pair and gain: median IPR at the end, when fields localized, and how many ended in a state of how many sites.

    The time is the median over those seeds that localized, `none` if fewer than half did or if they did not stay, and an upper
    bound (`at_most`) if it is that of the first record after the start. Seeds that ended in no exact state are not in `ends`.
    """
    first = float(record.time[1])
    cells = []
    for i, g in np.ndindex(record.sizes["pair"], record.sizes["gain"]):
        one = record.isel(pair=i, gain=g)
        time, (sites, times) = float(time_to_localize(one)), np.unique(one.reached.values, return_counts=True)
        cells.append(
            {
                "row": str(one.pair.item()),
                "column": "∞" if np.isinf(float(one.gain)) else f"{float(one.gain):g}",
                "ipr": round(float(one.end_ipr.median()), 4),
                **({"time": time, "at_most": time <= first} if np.isfinite(time) else {"time": None}),
                "ends": {str(m): int(k) for m, k in zip(sites, times, strict=True) if m},
            }
        )
    return cells


ENDS = (
    "Rows: length scales of the positive and the negative class; columns: gain. Cells: the median IPR at the end; the median "
    "time, in τ, at which seeds localized (–: fewer than half did); seeds × sites of the exact state of the hypercube near "
    "which they end (at gain ∞: in which)."
)


def medians(record: xr.Dataset) -> Cells:
    """Of each ratio: the median IPR of SGD and of the closure at both times, at all gains in turn, to two digits.

    A row is one cell of the file, its numbers one text: a cell for each would be thousands of lines.
    """
    gains = [gain_text(float(f"{gain:.3g}")) for gain in record.gain.values]
    both = {"sgd": record.ipr.median("seed"), "closure": record.closure_ipr.median("seed")}
    cells = []
    for ratio in record.ratio.values:
        here = {
            f"{name}_{when}": " ".join(f"{value:.2f}" for value in values.sel(ratio=ratio, when=when).values)
            for name, values in both.items()
            for when in record.when.values
        }
        cells.append({"row": f"{ratio:.3g}", "columns": " ".join(gains), **here})
    return cells


MEDIANS = (
    "Rows: the length scale of the positive class over that of the negative one; columns: gain. Cells: the median IPR of SGD "
    "at the early and at the late time; in brackets that of the closure at both."
)
TABLES: Mapping[str, Mapping[str, Callable[[xr.Dataset], Cells]]] = {
    "late-localization": {ENDS: ends},
    "phase-diagram": {MEDIANS: medians},
}
"""Experiment -> words -> what makes the table from the record."""


def pivot(cells: Cells) -> str:
    """The table in Markdown, rows and columns in the order in which they first come.

    >>> cell = {"row": "1, 2", "column": "5", "ipr": 0.2, "time": 3900.0, "at_most": False, "ends": {"5": 16}}
    >>> print(pivot([cell, cell | {"column": "10", "time": None, "ends": {}}]))
    | | 5 | 10 |
    |---|---|---|
    | 1, 2 | 0.20 (3,900) 16×5 | 0.20 (–) |
    """
    cells = [one for cell in cells for one in _spread(cell)]
    columns, rows = (list(dict.fromkeys(cell[way] for cell in cells)) for way in ("column", "row"))
    words = {(cell["row"], cell["column"]): _words(cell) for cell in cells}
    return markdown(["", *columns], [[name, *(words.get((name, column), "") for column in columns)] for name in rows])


def _spread(cell: Mapping[str, Any]) -> Cells:
    """The cells of a row that is kept as texts of many numbers; a single cell as it is."""
    if "columns" not in cell:
        return [dict(cell)]
    series = {name: str(text).split() for name, text in cell.items() if name != "row"}
    columns = series.pop("columns")
    return [{"row": cell["row"], "column": at, **{n: v[k] for n, v in series.items()}} for k, at in enumerate(columns)]


def _words(cell: Mapping[str, Any]) -> str:
    if "sgd_early" in cell:
        return "{sgd_early} {sgd_late} ({closure_early} {closure_late})".format(**cell)
    time = "–" if cell["time"] is None else f"{'≤' if cell['at_most'] else ''}{cell['time']:,.0f}"
    return " ".join([f"{cell['ipr']:.2f} ({time})", *(f"{times}×{sites}" for sites, times in cell["ends"].items())])


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table.

    >>> print(markdown(["gain", "IPR"], [["3", "0.64"]]))
    | gain | IPR |
    |---|---|
    | 3 | 0.64 |
    """
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0].replace("|  |", "| |"), "|" + "---|" * len(head), *lines[1:]])


def fill(page: str, name: str, text: str) -> str:
    r"""The page with the text between the two marks of that name.

    >>> fill("<!-- ipr -->old<!-- /ipr -->", "ipr", "new")
    '<!-- ipr -->\nnew\n<!-- /ipr -->'
    """
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    found, times = re.subn(f"{begin}.*?{end}", lambda _: f"{begin}\n{text}\n{end}", page, flags=re.S)
    if times != 1:
        raise ValueError(f"The page must have the marks {begin} and {end} once, but has them {times} times.")
    return found
