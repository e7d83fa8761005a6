"""What a record of `gate-shaped-solution` says of each claim."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.experiments.nearly_gaussian import GAUSSIAN
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, exactly, holding, lacking, lasting, undecided
from gatefield.measures import LOCALIZED
from gatefield.plot import gain_text

INVERSE_ROW = (0.841, -0.380, 0.075, -0.012)
"""First entries of a row of (S0 + S1)^-1 at gain 3, length scales 2 and 1, on 40 sites, found earlier."""
IPRS = {0.01: 0.41, 3.0: 0.76}
"""Inverse participation ratio of the least-squares field behind the one-site gate, by gain, found earlier."""
AGREEMENT = {0.01: 0.937, 1.0: 0.958, 3.0: 0.980, 100.0: 0.9994}
"""How often the gate of the least-squares field agrees with the one-site gate, in the positive class, found earlier."""
SECTION = "note 002, section 5.2"
LOWEST = 0.01
"""The lowest gain of these."""
CHANCE = 4.0
"""Standard errors that chance is granted in a single comparison."""
ENOUGH = 200.0
"""Time in tau after which fields that localize have done so."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    bump = record.sel(gate="bump")
    out = [_covariance(record), _hat_drift(record.isel(gain=0).sel(gate="hat"))]
    out += undecided(lacking(lasting(record, ENOUGH)), _explains(bump))
    return [*out, _bump_agreement(record), _hat_agreement(record), _inverse_row(bump), _iprs(bump), _agreements(bump)]


def _covariance(record: xr.Dataset) -> Verdict:
    n = record.sizes["position"]
    entries = record.sizes["gain"] * record.sizes["gate"] * n * (n + 1) // 2
    return Verdict.below(
        "the input-input covariance behind a gate is (S0 + S1)/4, whatever the direction of the gate",
        5.5,
        float(abs(record.moment_z).max()),
        predicted=0.0,
        of="largest deviation of the sampled one in standard errors",
        source="note 001, equations 8 to 13, corrected",
        note=f"over {entries:,} entries, gates and gains; chance alone passes 5.5 once in some thousand records",
    )


def _hat_drift(hat: xr.Dataset) -> Verdict:
    gain = float(hat.gain)
    claim = f"the mean input behind a Mexican-hat gate is that of Gaussian data at gain {gain_text(min(gain, LOWEST))}"
    if gain > GAUSSIAN:
        return Verdict.not_judged(claim, lacking(Need(f"a gain up to {GAUSSIAN:g}", f"{gain:g}", {"gains": [LOWEST, gain]})))
    return Verdict.below(
        claim,
        4.5,
        float(abs((hat.drift_sampled - hat.drift_gaussian) / hat.drift_error).max()),
        predicted=0.0,
        of="largest deviation of the sampled f(v) from its closed form in standard errors",
        note=f"over {hat.sizes['position']} sites; chance alone passes 4.5 once in some thousand records",
    )


def _explains(bump: xr.Dataset) -> Verdict:
    """Whether the one-site gate asks for a localized field at those gains at which training ends in one."""
    trained, same = bump.trained_ipr.median("seed"), explained(bump)
    worst = bump.ipr.gain.values[int(np.argmin(same))]
    asked, found = (float(values.sel(gain=worst)) for values in (bump.ipr, trained))
    low, high = gain_text(bump.gain.values[0]), gain_text(bump.gain.values[-1])
    return Verdict.equals(
        "a gate on one site explains at which gains trained fields localize",
        1.0,
        float(same.mean()),
        of=f"share of gains at which both fields, or neither, have an IPR above {LOCALIZED:g}",
        kind="claim",
        source=SECTION,
        note=f"trained: median of {bump.sizes['seed']} neurons that start at random and choose their own gate",
        found=f"from gain {low} to {high} a one-site gate asks for a localized field where trained ones are",
        otherwise=f"at gain {gain_text(worst)} a one-site gate asks for a field of IPR {asked:.2f}, but training for "
        f"{trained_for(bump)} ends at {found:.2f}: the gate alone does not tell what localizes",
    )


def explained(bump: xr.Dataset) -> np.ndarray:
    """At which gains the field of the one-site gate and the trained one are both localized, or neither."""
    return ((bump.ipr > LOCALIZED) == (bump.trained_ipr.median("seed") > LOCALIZED)).values


def trained_for(record: xr.Dataset) -> str:
    """The time of the training."""
    return f"{record.attrs['learning_rate'] * record.attrs['steps']:g} τ"


def _bump_agreement(record: xr.Dataset) -> Verdict:
    claim = "the gate of the field agrees with the one-site gate more often as the gain grows"
    return _change(record.sel(gate="bump"), claim, Verdict.above)


def _hat_agreement(record: xr.Dataset) -> Verdict:
    claim = "the gate of the field agrees with the Mexican hat less often as the gain grows"
    return _change(record.sel(gate="hat"), claim, Verdict.below)


def _change(one: xr.Dataset, claim: str, side: Callable[..., Verdict]) -> Verdict:
    """How the self-consistency of a gate changes from the lowest to the highest gain."""
    gains = one.gain.values
    if len(gains) < 2:
        return Verdict.not_judged(claim, lacking(holding("gains", [LOWEST, 3.0], gains)))
    ends = one.sel(label="positive").isel(gain=[0, -1])
    low, high = ends.agreement.values
    return side(
        claim,
        0.0,
        float(high - low),
        error=CHANCE * float(np.sqrt((ends.agreement_error**2).sum())),
        of="change of the share of inputs of the positive class",
        note=f"from {low:.4f} to {high:.4f}; the error is {CHANCE:g} standard errors",
    )


def _known(bump: xr.Dataset, gain: float) -> str:
    """Why there is no earlier number at this gain, if there is none."""
    xi1, xi0, n = bump.attrs["xi1"], bump.attrs["xi0"], bump.sizes["position"]
    setting = exactly("n", 40, n), exactly("xi1", 2.0, xi1), exactly("xi0", 1.0, xi0)
    return lacking(*setting, holding("gains", [gain], bump.gain.values))


def _rows(bump: xr.Dataset, expected: Mapping[float, float], row: Callable[[float, float], Verdict]) -> Any:
    """A row of a table for each gain, judged where there is an earlier number."""
    unknown = {gain: _known(bump, gain) for gain in expected}
    return {
        f"gain {gain_text(gain)}": Verdict.not_judged("", unknown[gain]) if unknown[gain] else row(gain, value)
        for gain, value in expected.items()
    }


def _inverse_row(bump: xr.Dataset) -> Verdict:
    """On 40 sites with length scales 2 and 1; so the two below."""
    claim = "a row of the inverse of S0 + S1 at gain 3 has the entries found earlier, on more sites than the nearest two"
    words: Any = {"kind": "regression", "source": f"{SECTION}, which names a difference of neighbours"}
    if why := _known(bump, 3.0):
        return Verdict.not_judged(claim, why, **words)
    site = int(bump.attrs["site"])
    row = np.roll(bump.inverse.sel(gain=3.0).isel(position=site).values, -site)
    rows = {f"lag {lag}": Verdict.within("", x, float(row[lag]), atol=0.001, of="entry") for lag, x in enumerate(INVERSE_ROW)}
    low = float(bump.gain[0])
    least = np.roll(bump.inverse.sel(gain=low).isel(position=site).values, -site)[2]
    more = f"; gain {gain_text(low)}, lag 2: {least:.2f}".replace("-", "−") if low < 3 else ""
    first = f"gain 3, lags 0 to 2: {entries(row)}{more}"
    words |= {
        "more_found": f"the inverse covariance (S₀ + S₁)⁻¹ reaches beyond nearest neighbours ({first})",
        "more_otherwise": f"the inverse covariance (S₀ + S₁)⁻¹ is not the earlier one ({first})",
    }
    return Verdict.each(claim, rows, **words)


def entries(row: np.ndarray) -> str:
    """The first three, at lags 0, 1 and 2.

    >>> entries(np.array([0.841, -0.38, 0.075, -0.012]))
    '0.84, −0.38, 0.07'
    """
    return ", ".join(f"{value:.2f}" for value in row[:3]).replace("-", "−")


def _iprs(bump: xr.Dataset) -> Verdict:
    def row(gain: float, expected: float) -> Verdict:
        return Verdict.within("", expected, float(bump.ipr.sel(gain=gain)), atol=0.01, of="IPR of the least-squares field")

    claim = "the least-squares field behind the one-site gate has the IPR found earlier"
    return Verdict.each(claim, _rows(bump, IPRS, row), kind="regression")


def _agreements(bump: xr.Dataset) -> Verdict:
    def row(gain: float, expected: float) -> Verdict:
        one = bump.sel(gain=gain, label="positive")
        atol = 0.001 + CHANCE * float(one.agreement_error)
        return Verdict.within("", expected, float(one.agreement), atol=atol, of="share of inputs of the positive class")

    claim = "the gate of the field agrees with the one-site gate on the share of inputs found earlier"
    note = f"the last digit of the earlier share, and {CHANCE:g} standard errors"
    return Verdict.each(claim, _rows(bump, AGREEMENT, row), kind="regression", note=note)
