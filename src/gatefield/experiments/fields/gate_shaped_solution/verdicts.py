"""What a record of `gate-shaped-solution` says of each claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.experiments.nearly_gaussian import GAUSSIAN
from gatefield.experiments.needs import Need, exactly, holding, lacking
from gatefield.lab import Verdict
from gatefield.plot import gain_text

INVERSE_ROW = (0.841, -0.380, 0.075, -0.012)
"""First entries of a row of (S0 + S1)^-1 at gain 3, length scales 2 and 1, on 40 sites."""
IPRS = {0.01: 0.41, 3.0: 0.76}
"""Inverse participation ratio of the least-squares field behind the small bump's gate, by gain."""
AGREEMENT = {0.01: 0.937, 1.0: 0.958, 3.0: 0.980, 100.0: 0.9994}
"""How often the gate of the least-squares field agrees with the gate it was made for, in the positive class, by gain."""
SECTION = "note 002, section 5.2"
LOWEST = 0.01
"""The lowest gain of these."""
CHANCE = 4.0
"""Standard errors that chance is granted in a single comparison."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    out = [_covariance(record), _hat_drift(record.isel(gain=0).sel(gate="hat")), _hat_agreement(record)]
    bump = record.sel(gate="bump")
    return [*out, _inverse_row(bump), *_iprs(bump), *_agreements(bump)]


def _unpublished(bump: xr.Dataset, gain: float) -> str:
    """Why there is no published number at this gain, if there is none."""
    xi1, xi0, n = bump.attrs["xi1"], bump.attrs["xi0"], bump.sizes["position"]
    setting = exactly("n", 40, n), exactly("xi1", 2.0, xi1), exactly("xi0", 1.0, xi0)
    return lacking(*setting, holding("gains", [gain], bump.gain.values))


def _covariance(record: xr.Dataset) -> Verdict:
    n = record.sizes["position"]
    entries = record.sizes["gain"] * record.sizes["gate"] * n * (n + 1) // 2
    return Verdict.below(
        "the input-input covariance is (S0 + S1)/4, whatever the gate",
        5.5,
        float(abs(record.moment_z).max()),
        predicted=0.0,
        of="largest deviation of the sampled one in standard errors",
        kind="prediction",
        source="note 001, equations 8 to 13, corrected",
        note=f"over {entries:,} entries, gates and gains",
    )


def _hat_drift(hat: xr.Dataset) -> Verdict:
    gain = float(hat.gain)
    claim = f"f(v) of the Mexican hat is the Gaussian closed form at gain {gain_text(min(gain, LOWEST))}"
    if gain > GAUSSIAN:
        return Verdict.not_judged(claim, lacking(Need(f"a gain up to {GAUSSIAN:g}", f"{gain:g}", {"gains": [LOWEST, gain]})))
    return Verdict.below(
        claim,
        4.5,
        float(abs((hat.drift_sampled - hat.drift_gaussian) / hat.drift_error).max()),
        predicted=0.0,
        of="largest deviation of the sampled one in standard errors",
        kind="prediction",
        note=f"over {hat.sizes['position']} sites",
    )


def _hat_agreement(record: xr.Dataset) -> Verdict:
    """How the self-consistency of the Mexican hat changes from the lowest to the highest gain."""
    claim, gains = "the gate of the field agrees less with the Mexican hat as the gain grows", record.gain.values
    if len(gains) < 2:
        return Verdict.not_judged(claim, lacking(holding("gains", [LOWEST, 3.0], gains)))
    ends = record.sel(gate="hat", label="positive").isel(gain=[0, -1])
    low, high = ends.agreement.values
    error = float(np.sqrt((ends.agreement_error**2).sum()))
    return Verdict.below(
        claim,
        0.0,
        float(high - low),
        error=CHANCE * error,
        of="change of the agreement",
        kind="prediction",
        note=f"from {low:.3f} to {high:.3f}, standard error {error:.1g}; for the small bump it grows with the gain",
    )


def _inverse_row(bump: xr.Dataset) -> Verdict:
    """What the small bump is known to give on 40 sites with length scales 2 and 1; so the two below."""
    claim = "the inverse takes more than differences of neighbours: its row at gain 3"
    if why := _unpublished(bump, 3.0):
        return Verdict.not_judged(claim, why, kind="reproduction", source=SECTION)
    site = int(bump.attrs["site"])
    row = np.roll(bump.inverse.sel(gain=3.0).isel(position=site).values, -site)[: len(INVERSE_ROW)]
    verdict = Verdict.within(
        claim,
        INVERSE_ROW[0],
        float(row[0]),
        atol=0.001,
        of="entry at lag 0",
        kind="reproduction",
        source=SECTION,
        note=f"from lag 0 on it is {_listed(row)}; expected {_listed(INVERSE_ROW)}",
    )
    return verdict.and_below(0.001, float(abs(row - INVERSE_ROW).max()), or_equal=True, of="largest deviation of an entry")


def _iprs(bump: xr.Dataset) -> list[Verdict]:
    out, of = [], "IPR of the least-squares field"
    for gain, expected in IPRS.items():
        where = "for Gaussian data too" if gain < 0.1 else f"at gain {gain:g}"
        note = "so this gate does not explain why trained fields localize on non-Gaussian data only" if gain < 0.1 else ""
        claim, words = f"the small bump's gate gives a localized field {where}", _words(SECTION, note)
        if why := _unpublished(bump, gain):
            out.append(Verdict.not_judged(claim, why, **words))
        else:
            out.append(Verdict.within(claim, expected, float(bump.ipr.sel(gain=gain)), atol=0.01, of=of, **words))
    return out


def _words(source: str, note: str) -> Any:
    return {"kind": "reproduction", "source": source, "note": note}


def _agreements(bump: xr.Dataset) -> list[Verdict]:
    out, of = [], "share of inputs of the positive class"
    for gain, expected in AGREEMENT.items():
        claim = f"the field's gate agrees with the small bump's, gain {gain_text(gain)}"
        if why := _unpublished(bump, gain):
            out.append(Verdict.not_judged(claim, why, kind="reproduction"))
            continue
        one = bump.sel(gain=gain)
        value, error = (float(values.sel(label="positive")) for values in (one.agreement, one.agreement_error))
        note = f"standard error {error:.1g}; in the negative class {float(one.agreement.sel(label='negative')):.4f}"
        atol = 0.001 + CHANCE * error
        out.append(Verdict.within(claim, expected, value, atol=atol, of=of, **_words("", note)))
    return out


def _listed(values: Sequence[float] | np.ndarray) -> str:
    return ", ".join(f"{value:.3f}" for value in values)
