"""What `gate-influence` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.special import erf, erfinv

from gatefield.data import ring_correlation
from gatefield.experiments.cube import fields as cube
from gatefield.lab import Verdict
from gatefield.lab.needs import command_line, undecided

LOW, HIGH = 0.1, 0.9
"""Below, a gate ignores the site; above, it follows it; what lies between is what the note hopes not to find."""
LAWS = {"uniform": "all corners alike", "own": "on inputs with the data's law"}
NOTE = "note 003, the two goals after equation 20"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [*(_divide(record, law) for law in LAWS), *_leader(record), _regular(record), *_neighbours(record), _ladder(record)]


def shown(record: xr.Dataset) -> list[str]:
    """The families that are looked at: averages over training would hide the trained fields."""
    return [name for name in cube.families(record) if name not in cube.SETTLED.values()]


def between(values: xr.DataArray) -> float:
    """How many sites of a field have an influence that is neither small nor large, the mean over fields."""
    return float(((values > LOW) & (values < HIGH)).sum("position").mean())


def _divide(record: xr.Dataset, law: str) -> Verdict:
    """For each family of fields."""
    why, n = cube.too_short(record), record.sizes["position"]
    many = {name: between(cube.family(record, name)[law]) for name in shown(record)}
    rows = {name: Verdict.below("", 0.0, count, or_equal=True, of="sites per field in between") for name, count in many.items()}
    rows |= {name: undecided(why, rows[name])[0] for name in cube.TRAINED.values()}
    words = {}
    if law == "uniform":
        here, data = ([between(cube.family(record, name)[one]) for name in (cube.RANDOM, cube.TRAINED["long"])] for one in LAWS)
        words = {
            "found": f"a gate either follows or ignores each of its {n} sites",
            "otherwise": f"gates do not just follow or ignore a site: {here[0]:.2g} of {n} lie between in random fields, "
            f"{f'{here[1]:.2g}' if here[1] else 'none'} in localized ones ({data[0]:.2g} and {data[1]:.2g} if inputs are "
            "correlated)",
        }
    return Verdict.each(
        f"a gate on the cube either follows a site or ignores it, {LAWS[law]}",
        rows,
        kind="claim",
        source=NOTE,
        note=why or f"in between: influence above {LOW} and below {HIGH}; n = {n}",
        **words,
    )


def _ladder(record: xr.Dataset) -> Verdict:
    rungs = record.rung
    alike = float(rungs[-1] / np.sqrt(2 * np.pi * (rungs**2).sum()))
    return Verdict.within(
        "the drift of weights 1 to 40 at the largest of them is the one found before, 0.108717",
        0.108717,
        float(record.ladder[-1]),
        atol=1e-6,
        kind="regression",
        note=f"for weights of similar size theory says w_j/(sqrt(2 pi) |w|) = {alike:.6f}",
    )


def crowd_law(share: Any) -> Any:
    """Influence of a weight of this share of the length, if the sum of the others is normal: erf(s/sqrt(2 (1 - s²)))."""
    return erf(share / np.sqrt(2 * (1 - share**2)))


def _regular(record: xr.Dataset) -> Verdict:
    one = cube.family(record, cube.RANDOM)
    law = crowd_law(one.share)
    return Verdict.below(
        "the sites of random fields have the influence erf(s/sqrt(2(1 - s²))), with s = |w_j|/|w|, all corners alike",
        float((one.share**4).sum("position").max()) / 2,
        float((abs(one.uniform - law).max("position") / law.max("position")).max()),
        of="largest deviation over the field's largest influence",
        note="granted: twice the next term, a quarter of the sum of s⁴, that the kurtosis of a sum of signs brings",
    )


def decided(record: xr.Dataset) -> xr.Dataset:
    """The fields whose gate one site decides."""
    return record.isel(field=np.flatnonzero(record.uniform.max("position").values == 1.0))


def beside(alone: xr.DataArray, peaks: np.ndarray) -> np.ndarray:
    """The mean over both neighbours of the site that decides."""
    return np.take_along_axis(alone.values, (peaks[:, None] + np.array([-1, 1])) % alone.sizes["position"], 1).mean(1)


def near(n: int, scales: np.ndarray) -> np.ndarray:
    """The covariance of two neighbours on a ring of n sites, at each of these length scales."""
    return np.array([2 / np.pi * np.arcsin(ring_correlation(n, xi)[1]) for xi in scales])


def _span(values: np.ndarray) -> str:
    """One number, or the least and the largest.

    >>> _span(np.array([0.571, 0.569])), _span(np.array([0.234, 0.571]))
    ('0.57', '0.23 to 0.57')
    """
    return " to ".join(dict.fromkeys(f"{value:.2f}" for value in (values.min(), values.max())))


def _neighbours(record: xr.Dataset) -> list[Verdict]:
    """Where one site decides, a neighbour's weight plays no part, and yet f is its covariance with that site."""
    alone = decided(record)
    claim = "where one site decides a gate, a neighbour's influence on the data's law is its covariance with that site"
    if not alone.sizes["field"]:
        why = f"no field here is decided by one site; run with weights that fall by half, {command_line(ratios=[0.5, 0.9])}"
        return [Verdict.not_judged(claim, why)]
    n = record.sizes["position"]
    peaks = alone.uniform.argmax("position").values
    found, turned = (beside(alone[name], peaks) for name in ("own", "turns"))
    expected = near(n, alone.xi.values)
    worst = int(np.argmax(np.abs(found - expected)))
    return [
        Verdict.within(
            claim,
            float(expected[worst]),
            float(found[worst]),
            atol=4 / np.sqrt(record.attrs["samples"]),
            of=f"the worst of {len(found)} fields",
            note="four standard errors are granted; sites other than the largest are not independent of the gate",
            more_found=f"neighbours of a site that decides the gate have influence by covariance only ({_span(found)}): "
            f"turning one turns the gate in {100 * turned.max():.2g} % of inputs",
            more_otherwise=f"where one site decides, a neighbour's influence is {found[worst]:.2f}, not its covariance with "
            f"that site, {expected[worst]:.2f}",
        )
    ]


def steps(record: xr.Dataset) -> tuple[float, float]:
    """The sizes at which a weight that grows is no longer ignored, and at which it is followed."""
    mean = record.leader.mean("crowd")
    low, high = (float(np.interp(level, mean, record["lead"].values)) for level in (LOW, HIGH))
    return low, high


def _leader(record: xr.Dataset) -> list[Verdict]:
    lead, mean = record["lead"].values, record.leader.mean("crowd").values
    low, high = steps(record)
    return [
        Verdict.below(
            f"the influence of a weight that grows among others steps from {LOW} to {HIGH} while its size grows by half",
            1.5,
            high / low,
            of="factor by which the size grows",
            kind="claim",
            source=NOTE,
            note=f"a normal sum of the others predicts a factor of {erfinv(HIGH) / erfinv(LOW):.1f}",
        ),
        Verdict.below(
            "a weight s times as large as the length of all others has the influence erf(s/sqrt 2), all corners alike",
            0.05,
            float(np.abs(mean - erf(lead / np.sqrt(2))).max()),
            of="largest deviation of the mean over crowds",
            note="0.05 is granted because the sum of the others is not quite normal",
        ),
    ]
