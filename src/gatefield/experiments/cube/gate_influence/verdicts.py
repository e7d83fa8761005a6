"""What `gate-influence` says of each claim."""

import numpy as np
import xarray as xr
from scipy.special import erf, erfinv

from gatefield.data import ring_correlation
from gatefield.experiments.cube import fields as cube
from gatefield.experiments.needs import command_line, undecided
from gatefield.lab import Verdict

LOW, HIGH = 0.1, 0.9
"""Below, a gate ignores the site; above, it follows it; what lies between is what the note hopes not to find."""
LAWS = {"uniform": "all corners alike", "own": "the data's law"}
NOTE = "note 003, the two goals after equation 20"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    names = [name for name in cube.families(record) if name not in cube.SETTLED.values()]
    divides = [part for name in names for part in _divides(record, name)]
    return [*divides, *_known(record), _regular(record), *_neighbours(record), *_leader(record)]


def _divides(record: xr.Dataset, name: str) -> list[Verdict]:
    """For one family of fields, on both laws."""
    why = cube.too_short(record) if name in cube.TRAINED.values() else ""
    return undecided(why, *(_divide(cube.family(record, name), name, law) for law in LAWS))


def between(values: xr.DataArray) -> float:
    """How many sites of a field have an influence that is neither small nor large, the mean over fields."""
    return float(((values > LOW) & (values < HIGH)).sum("position").mean())


def _divide(one: xr.Dataset, name: str, law: str) -> Verdict:
    follow = float((one[law] >= HIGH).sum("position").mean())
    note = f"of {one.sizes['position']}; {follow:.3g} above, the largest {float(one[law].max('position').mean()):.3f}"
    if law == "own":
        note += f"; turning one site alone turns the gate with such a chance at {between(one.turns):.3g} sites"
    return Verdict.equals(
        f"{name}, {LAWS[law]}: there is a clear divide between sites that the gate follows and sites that it ignores",
        0.0,
        between(one[law]),
        of=f"sites per field with influence between {LOW} and {HIGH}:",
        kind="claim",
        source=NOTE,
        note=note,
    )


def _known(record: xr.Dataset) -> list[Verdict]:
    last, rungs = record.equal.isel(equal_size=-1), record.rung
    alike = float(rungs[-1] / np.sqrt(2 * np.pi * (rungs**2).sum()))
    return [
        Verdict.equals(
            "each of nine equal weights has the influence 70/256, in between",
            0.2734375,
            float(record.equal.sel(equal_size=9)),
        ),
        Verdict.within(
            f"each of n equal weights has the influence sqrt(2/(pi n)) at n = {int(last.equal_size)}",
            float(np.sqrt(2 / (np.pi * last.equal_size))),
            float(last),
            rtol=0.01,
        ),
        Verdict.within(
            "weights 1 to 40 have f = 0.108717 at the largest",
            0.108717,
            float(record.ladder[-1]),
            atol=1e-6,
            kind="regression",
            note=f"w_j/(sqrt(2 pi) |w|) is {alike:.6f}",
        ),
    ]


def _regular(record: xr.Dataset) -> Verdict:
    one = cube.family(record, cube.RANDOM)
    line = np.sqrt(2 / np.pi) * one.share
    return Verdict.below(
        "the sites of random fields have the influence sqrt(2/pi) |w_j|/|w|",
        0.1,
        float((abs(one.uniform - line).max("position") / line.max("position")).max()),
        predicted=0.0,
        of="largest deviation over the field's largest influence",
        note="worst site of all random fields, all corners alike",
    )


def _neighbours(record: xr.Dataset) -> list[Verdict]:
    """Where one site decides, a neighbour's weight plays no part, and yet f is its covariance with that site."""
    alone = record.isel(field=np.flatnonzero(record.uniform.max("position").values == 1.0))
    claim = "where one site decides, a neighbour's influence on the data's law is its covariance with that site"
    if not alone.sizes["field"]:
        why = f"no field here is decided by one site; run with weights that fall by half, {command_line(ratios=[0.5, 0.9])}"
        return [Verdict.not_judged(claim, why)]
    n = record.sizes["position"]
    peaks = alone.uniform.argmax("position").values[:, None] + np.array([-1, 1])
    found = np.take_along_axis(alone.own.values, peaks % n, 1).mean(1)
    expected = np.array([2 / np.pi * np.arcsin(ring_correlation(n, xi)[1]) for xi in alone.xi.values])
    worst = int(np.argmax(np.abs(found - expected)))
    return [
        Verdict.within(
            claim,
            float(expected[worst]),
            float(found[worst]),
            atol=4 / np.sqrt(record.attrs["samples"]),
            of=f"the worst of {len(found)} fields",
            note="four standard errors are granted; sites other than the largest are not independent of the gate",
        )
    ]


def _leader(record: xr.Dataset) -> list[Verdict]:
    lead, mean = record["lead"].values, record.leader.mean("crowd").values
    low, high = (float(np.interp(level, mean, lead)) for level in (LOW, HIGH))
    return [
        Verdict.below(
            "a weight that grows from a crowd has influence erf(s/sqrt 2)",
            0.05,
            float(np.abs(mean - erf(lead / np.sqrt(2))).max()),
            predicted=0.0,
            of="largest deviation of the mean over crowds",
            note="s is its size over the length of the others",
        ),
        Verdict.below(
            f"the size of a weight in a crowd grows by a clear step from influence {LOW} to {HIGH}",
            1.5,
            high / low,
            of="factor",
            kind="claim",
            source=NOTE,
            note=f"a crowd of independent signs predicts a factor of {erfinv(HIGH) / erfinv(LOW):.1f}: there is no step",
        ),
    ]
