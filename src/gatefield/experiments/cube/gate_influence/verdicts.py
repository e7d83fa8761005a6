"""What `gate-influence` says of each claim."""

import numpy as np
import xarray as xr
from scipy.special import erf, erfinv

from gatefield.data import ring_correlation
from gatefield.experiments.cube import fields as cube
from gatefield.lab.verdict import Verdict

LOW, HIGH = 0.1, 0.9
"""Below, a gate ignores the site; above, it follows it; what lies between is what the note hopes not to find."""
LAWS = {"uniform": "all corners alike", "own": "the data's law"}


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [*_divides(record), *_known(record), _regular(record), *_neighbours(record), *_leader(record)]


def between(values: xr.DataArray) -> xr.DataArray:
    """How many sites of each field have an influence that is neither small nor large."""
    return ((values > LOW) & (values < HIGH)).sum("position")


def _divides(record: xr.Dataset) -> list[Verdict]:
    out = []
    for name in cube.families(record):
        if name in cube.SETTLED.values():
            continue
        one = cube.family(record, name)
        for law, words in LAWS.items():
            count = float(between(one[law]).mean())
            follow = float((one[law] >= HIGH).sum("position").mean())
            turns = float(between(one.turns).mean())
            note = (
                f"sites per field with influence between {LOW} and {HIGH}, of {record.sizes['position']}; {follow:.3g} above, "
                f"the largest {float(one[law].max('position').mean()):.3f}"
            )
            if law == "own":
                note += f"; turning one site alone turns the gate with such a chance at {turns:.3g} sites"
            claim = f"{name}, {words}: a clear divide"
            out.append(Verdict.judged(claim, 0.0, count, "no site in between", count == 0.0, note))
    return out


def _known(record: xr.Dataset) -> list[Verdict]:
    nine = float(record.equal.sel(equal_size=9))
    last = record.equal.isel(equal_size=-1)
    limit = float(np.sqrt(2 / (np.pi * last.equal_size)))
    top = float(record.ladder[-1])
    return [
        Verdict.judged("nine equal weights: every site's influence is in between", 0.2734375, nine, "exactly",
                nine == 0.2734375, "70/256"),
        Verdict.judged(f"n equal weights: influence sqrt(2/(pi n)) at n = {int(last.equal_size)}", limit, float(last), "within 1 %",
                abs(float(last) / limit - 1) < 0.01),
        Verdict.judged("weights 1 to 40: f at the largest", 0.108717, top, "within 1e-6", abs(top - 0.108717) < 1e-6,
                f"w_j/(sqrt(2 pi) |w|) is {float(record.rung[-1] / np.sqrt(2 * np.pi * (record.rung**2).sum())):.6f}"),
    ]  # fmt: skip


def _regular(record: xr.Dataset) -> Verdict:
    one = cube.family(record, cube.RANDOM)
    line = np.sqrt(2 / np.pi) * one.share
    worst = float((abs(one.uniform - line).max("position") / line.max("position")).max())
    return Verdict.judged(
        "random fields: influence is sqrt(2/pi) |w_j|/|w|",
        0.0,
        worst,
        "largest deviation below 10 % of the largest influence",
        worst < 0.1,
        "worst site of all random fields, all corners alike",
    )


def _neighbours(record: xr.Dataset) -> list[Verdict]:
    """Where one site decides, a neighbour's weight plays no part, and yet f is its covariance with that site."""
    alone = record.isel(field=np.flatnonzero(record.uniform.max("position").values == 1.0))
    if not alone.sizes["field"]:
        return []
    n = record.sizes["position"]
    peaks = alone.uniform.argmax("position").values[:, None] + np.array([-1, 1])
    found = np.take_along_axis(alone.own.values, peaks % n, 1).mean(1)
    expected = np.array([2 / np.pi * np.arcsin(ring_correlation(n, xi)[1]) for xi in alone.xi.values])
    worst = int(np.argmax(np.abs(found - expected)))
    slack = 4 / np.sqrt(record.attrs["samples"])
    return [
        Verdict.judged(
            "where one site decides, a neighbour's influence on the data's law is its covariance with that site",
            float(expected[worst]),
            float(found[worst]),
            f"within {slack:.2g}, four standard errors",
            bool(abs(found[worst] - expected[worst]) < slack),
            f"the worst of {len(found)} fields; sites other than the largest are not independent of the gate",
        )
    ]


def _leader(record: xr.Dataset) -> list[Verdict]:
    lead, mean = record["lead"].values, record.leader.mean("crowd").values
    off = float(np.abs(mean - erf(lead / np.sqrt(2))).max())
    low, high = (float(np.interp(level, mean, lead)) for level in (LOW, HIGH))
    expected = float(erfinv(HIGH) / erfinv(LOW))
    return [
        Verdict.judged(
            "a weight that grows from a crowd has influence erf(s/sqrt 2)",
            0.0,
            off,
            "within 0.05",
            off < 0.05,
            "largest deviation of the mean over crowds; s is its size over the length of the others",
        ),
        Verdict.judged(
            f"from influence {LOW} to {HIGH} its size grows by a clear step",
            1.5,
            high / low,
            "a factor below 1.5",
            high / low < 1.5,
            f"a crowd of independent signs predicts a factor of {expected:.1f}: there is no step",
        ),
    ]
