"""What rings of several sizes say: whether the line moves, and whether localized fields stay as they are."""

from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from gatefield.experiments.fields.phase_diagram.boundary import falls, from_gain, inside, localized, step
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, lacking
from gatefield.measures import LOCALIZED
from gatefield.plot import gain_text

USUAL = 40
"""Sites of the ring beside which larger ones are put: on 20 a random field has the IPR of a localized one."""
FALL = 0.25
"""How far the power of the fall may be from 0 or 1: medians over 8 seeds are known to a tenth, which over a factor of 8 in the
size makes 0.05; and settings near the line lie between."""


def moving(record: xr.Dataset) -> Verdict:
    """The gain from which on fields localize, on the largest ring over that on the usual one."""
    claim = "the gain from which on fields localize is the same on larger rings"
    if why := lacking(_larger(record)):
        return Verdict.not_judged(claim, why)
    gains, rows = record.cut_gain.values, {}
    factor, (usual, largest) = step(gains), (_usual(record), record["size"].values.tolist()[-1])
    for cut, when in product(record.cut.values.tolist(), record.when.values.tolist()):
        lines = [line_at(record, size, cut, when) for size in (usual, largest)]
        if any(inside(line, gains) for line in lines):
            rows[f"ratio {cut:g}, {when}"] = Verdict.between(
                "", 1 / factor, factor, lines[1] / lines[0], predicted=1.0, of="gain over that on the usual ring"
            )
    if not rows:
        need = Need("gains between which fields begin to localize", "none", {"cut_gains": [0.3, 1.0, 3.0, 10.0, 30.0]})
        return Verdict.not_judged(claim, lacking(need))
    said = _sizes_words(record)
    note = f"n = {largest} over n = {usual}; the bound is one step of the grid"
    return Verdict.each(claim, rows, note=note, more_found=said, more_otherwise=said)


def _sizes_words(record: xr.Dataset) -> str:
    """On which rings late fields localize at the largest gain, for each ratio."""
    sizes = record["size"].values.tolist()
    found = {cut: rings_localized(record, cut, -1) for cut in record.cut.values.tolist()}
    parts = [f"at ratio {cut:g} on {_rings_text(there, sizes)}" for cut, there in found.items()]
    time, gain = f"{float(record.time[-1]):,.0f} τ", gain_text(float(record.cut_gain[-1]))
    return f"at gain {gain} fields on rings of {_and(sizes)} sites localize after {time} {', '.join(parts)}"


def _rings_text(there: list[int], sizes: list[int]) -> str:
    """On which of all rings."""
    if len(there) in (0, len(sizes)):
        return "all" if there else "none"
    return f"those of {_and(there)}"


def _and(numbers: list[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}" if first else last


def rings_localized(record: xr.Dataset, cut: float, when: int) -> list[int]:
    """The sizes of the rings on which fields are localized at the largest gain, at the first time or the last."""
    ends = record.cut_ipr.sel(cut=cut).isel(when=when, cut_gain=-1)
    return record["size"].values[localized(ends).values].tolist()


def line_at(record: xr.Dataset, size: int, cut: float, when: str) -> float:
    """The gain from which on fields localize on a ring of this size."""
    values = record.cut_ipr.sel(size=size, cut=cut, when=when).median("seed")
    return from_gain(values, LOCALIZED, record.cut_gain.values)


def falling(record: xr.Dataset) -> Verdict:
    """The power by which the IPR falls with the size, of late fields that are localized on the usual ring and of others."""
    claim = "late fields that count as localized keep their IPR on larger rings, and that of all others falls as 1/n"
    if why := lacking(_larger(record)):
        return Verdict.not_judged(claim, why)
    late = record.cut_ipr.sel(when="late")
    power, there = falls(late), localized(late.sel(size=_usual(record)))
    rows: dict[str, Any] = {}
    for words, which, predicted in (("localized", there, 0.0), ("spread", ~there, 1.0)):
        if which.any():
            found = float(np.nanmedian(power.where(which)))
            rows[f"{words}: {int(which.sum())} settings"] = Verdict.within("", predicted, found, atol=FALL, of="median power")
    return Verdict.each(claim, rows, note=f"by the median IPR on n = {_usual(record)}; power of 1/n over all sizes")


def _usual(record: xr.Dataset) -> int:
    sizes = record["size"].values
    return int(sizes[np.abs(sizes - USUAL).argmin()])


def _larger(record: xr.Dataset) -> Need | None:
    sizes = record["size"].values.tolist()
    return (
        None if sizes[-1] > _usual(record) else Need("rings larger than the usual one", f"{sizes[-1]}", {"sizes": [20, 40, 80]})
    )
