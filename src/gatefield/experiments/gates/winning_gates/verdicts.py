"""What the record of `winning-gates` says."""

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.data import ring_spectrum
from gatefield.experiments.gates.winning_gates.sets import LEARNED, PAIRS
from gatefield.experiments.needs import Need, exactly, holding, lacking, lasting
from gatefield.lab import Verdict
from gatefield.plot import gain_text

TABLE = {
    "± flat": ("0.2122", "0.2821", "1.329", "1.05"),
    "± delta": ("0.1846", "0.1995", "1.329", "1.32"),
    "± Nyquist": ("0.0004", "3e-5", "1.329", "18.4"),
    "redundant flat": ("0.1061", "0.2821", "2.659", "0.53"),
    "lowest modes": ("0.1874", "0.2787", "2.396", "0.99"),
}
"""An earlier computation, as printed, for Gaussian data, n = 40, length scales 2 and 1, two gates."""
COLUMNS = {"explained": "explained", "pull": "|b|^2", "largest": "largest eigenvalue of A", "half_time": "half time"}
GRID = 0.01
"""The half times of the table are the first of a grid of times with this step at which half is learned."""
ROUNDING = 1e-9
"""Of closed forms in float64."""
SMALL_PAIR, SMALL_TILING, SMALL_DIGITS = 0.24197, 0.21594, 5e-6
"""Gaussian data, n = 6, length scales 1.5 and 0.7: the best pair of half-spaces of an earlier search, the best exclusive one,
and their rounding."""
SEARCH_MISS = 1e-4
"""By which part of the known best value a search may miss it."""
SIGMAS = 3
"""What is sampled is larger if it is so by this many standard errors."""
CLOSE = 0.02
"""Two sets explain the same if within this share of it."""
CLEAR = 0.01
"""Label power, of which there is 1/2, that the better of two sets must explain more."""
ALIKE = 0.9
"""Two sets are alike if their directions, matched at their best, have this mean cosine."""
AS_FAST = 1.1
"""Gates learn as fast as the fastest set if their half time is at most this times that set's."""
ENOUGH = 200.0
"""Time in tau after which fields that localize have done so, and the gates of a training are those that it learns."""
RACE, TILES = "note 002, section 5.1", "note 000, section 3.3"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim: of the race between given sets, and of the winners of the search."""
    one = record.isel(race_units=0)
    pairs = holding("race_units", [2], record.race_units.values)
    out = [*_table(record, pairs), _single_mode(record, pairs)]
    out += [_early(record), _fastest(one), *_same_spectrum(one), _speeds(one), _not_best(one), _small(record)]
    out += [_one_gate(record)]
    for gain in record.gain.values:
        at = record.sel(gain=gain)
        out += [_implemented(at.isel(race_units=0), lacking(lasting(record, ENOUGH)))]
        out += [*_tiling(at), *_overlap(at), *(_as_trained(at.sel(units=K)) for K in at.units.values), _alike(at)]
        out += [_consistent(at)]
    return out


def _gain(one: xr.Dataset) -> str:
    return f"gain {gain_text(float(one.gain))}"


def _no_gaussian(record: xr.Dataset) -> Need | None:
    return holding("gains", [0.0], record.gain.values)


def _table(record: xr.Dataset, pairs: Need | None) -> list[Verdict]:
    """The table's columns, each judged by the set that is furthest off; if the record has its settings."""
    claims = [f"table of two gates, Gaussian data, n = 40, length scales 2 and 1: {words}" for words in COLUMNS.values()]
    setting = [exactly(name, value, record.attrs[name]) for name, value in {"n": 40, "xi1": 2.0, "xi0": 1.0}.items()]
    if why := lacking(*setting, pairs, _no_gaussian(record)):
        return [Verdict.not_judged(claim, why, kind="regression") for claim in claims]
    two, out = record.sel(race_units=2, gain=0.0), []
    for column, (claim, name) in enumerate(zip(claims, COLUMNS, strict=True)):
        printed = {key: float(row[column]) for key, row in TABLE.items()}
        half = {key: 0.5 * 10.0 ** int(Decimal(row[column]).as_tuple().exponent) for key, row in TABLE.items()}
        exact = {key: float(two[name].sel(set=key)) for key in TABLE}
        found = {key: _on_grid(value) for key, value in exact.items()} if name == "half_time" else exact
        worst = max(TABLE, key=lambda key: abs(found[key] - printed[key]) / half[key])
        off = [key for key in TABLE if abs(exact[key] - printed[key]) > half[key]]
        note = f"{', '.join(f'{key} {value:.4g}' for key, value in exact.items())}; rounded, other than the table's: "
        out.append(
            Verdict.within(
                claim,
                printed[worst],
                found[worst],
                atol=half[worst],
                of=f"that of {worst}" + (f", upwards onto a grid of {GRID}," if name == "half_time" else ""),
                kind="regression",
                note=note + (", ".join(off) or "none"),
            )
        )
    return out


def _on_grid(time: float) -> float:
    """The first time of the grid that is not before this one."""
    return float(np.ceil(time / GRID - ROUNDING) * GRID)


def _single_mode(record: xr.Dataset, pairs: Need | None) -> Verdict:
    """A flat pair excites one mode only, so that its half time is known."""
    claim = "± flat learns one mode: its half time is ln 2 K^2/(2 lambda)"
    if why := lacking(pairs, _no_gaussian(record)):
        return Verdict.not_judged(claim, why)
    two = record.sel(race_units=2, gain=0.0)
    found, rate = (float(two[name].sel(set="± flat")) for name in ("half_time", "largest"))
    return Verdict.within(
        claim,
        float(np.log(2) * 4 / (2 * rate)),
        found,
        rtol=ROUNDING,
        of="half time",
        note=f"lambda = {rate:.6f}",
    )


def _early(record: xr.Dataset) -> Verdict:
    rates, shares = record.mode_rate.values, record.mode_learned.values
    order = float(np.corrcoef(stats.rankdata(rates.round(9)), stats.rankdata(shares.round(9)))[0, 1])
    first, last = float(shares[np.argmax(rates)]), float(shares[np.argmin(rates)])
    return Verdict.above(
        "the largest eigenvalues win the race early, not the smallest",
        0.99,
        order,
        predicted=1.0,
        of="rank correlation over modes between eigenvalue and share learned at half time",
        source=f"{RACE}, corrected",
        note=f"± delta, Gaussian: the mode of eigenvalue {rates.max():.3g} has reached {first:.3f} of its limit, that of "
        f"{rates.min():.3g} has reached {last:.3f}. Note 002 says the smallest win",
    )


def _fastest(one: xr.Dataset) -> Verdict:
    """Between sets: the note's reading of the race."""
    at = one.isel(gain=0)
    times = at.half_time.where(at.explained > 0, np.inf)
    name = str(at["set"].values[int(times.argmin("set"))])
    return Verdict.within(
        "the set with the shortest half time has the largest leading eigenvalue of all sets",
        float(at.largest.max()),
        float(at.largest.sel(set=name)),
        rtol=1e-6,
        of="its leading eigenvalue",
        source=RACE,
        note=f"{name}, half time {float(times.min()):.4f}, {_gain(at)}; the trace of A is Kn/2 for all",
    )


def _same_spectrum(one: xr.Dataset) -> list[Verdict]:
    """By the closed form to rounding; on samples, where inputs may lie on the plane of a gate, to their standard error."""
    out, claims = [], [f"gain {gain_text(gain)}: A does not depend on the gate for ± pairs" for gain in one.gain.values]
    if int(one.race_units) != 2:
        why = lacking(Need("2 as the first of race_units", f"{int(one.race_units)}", {"race_units": [2, int(one.race_units)]}))
        return [Verdict.not_judged(claim, why) for claim in claims]
    for gain, claim in zip(one.gain.values, claims, strict=True):
        spectra = one.spectrum.sel(gain=gain, set=list(PAIRS)).dropna("mode").values
        sampled = " Sampled, the same samples for all; inputs on a plane, where both gates are half open, differ"
        out.append(
            Verdict.below(
                claim,
                ROUNDING if gain == 0 else SIGMAS / one.attrs["samples"] ** 0.5,
                float(np.max(np.abs(spectra - spectra[0])) / spectra[0].max()),
                predicted=0.0,
                of="largest difference of spectra, over the largest eigenvalue,",
                note=f"{len(PAIRS)} sets of 2 gates.{'' if gain == 0 else sampled}",
            )
        )
    return out


def _speeds(one: xr.Dataset) -> Verdict:
    times = one.isel(gain=0).half_time.sel(set=list(PAIRS))
    return Verdict.above(
        "± pairs, which share one A, learn at different speeds: b decides",
        2.0,
        float(times.max() / times.min()),
        of="slowest half time over the fastest",
        note="half times: " + ", ".join(f"{name} {float(times.sel(set=name)):.3g}" for name in PAIRS),
    )


def _not_best(one: xr.Dataset) -> Verdict:
    """The fastest set against the best, at the gain where they are closest."""
    gaps, names = [], []
    for gain in one.gain.values:
        at = one.sel(gain=gain)
        fast = int(at.half_time.where(at.explained > 0, np.inf).argmin("set"))
        best = int(at.explained.argmax("set"))
        gaps.append(float(at.explained[best] - at.explained[fast]))
        names.append(
            f"{_gain(at)}: fastest {at['set'].values[fast]} explains {float(at.explained[fast]):.4f}, "
            f"best {at['set'].values[best]} {float(at.explained[best]):.4f}"
        )
    return Verdict.above(
        "the fastest set is not the best",
        CLEAR,
        min(gaps),
        predicted=0.0,
        of="explained, best less fastest,",
        source=RACE,
        note="; ".join(names),
    )


def _implemented(at: xr.Dataset, why: str) -> Verdict:
    """The first reading of the race: does a ReLU network end behind the gates that learn fastest?"""
    claim = f"{_gain(at)}: ReLU training ends with gates that learn as fast as the fastest set"
    if why:
        return Verdict.not_judged(claim, why, kind="claim", source=RACE)
    times = at.half_time.where((at.explained > 0) & (at["set"] != LEARNED), np.inf)
    name, best = str(at["set"].values[int(times.argmin("set"))]), float(times.min())
    known = "learned_half_time" in at  # records of before have the first seed's alone
    found = (at.learned_half_time.values if known else at.half_time.sel(set=[LEARNED]).values) / best
    error = float(np.std(found, ddof=1) / len(found) ** 0.5) if len(found) > 1 else 0.0
    faster = int(np.sum(times.values < found.mean() * best))
    return Verdict.below(
        claim,
        AS_FAST,
        found.mean(),
        predicted=1.0,
        or_equal=True,
        of=f"mean half time of learned gates over that of {name}",
        error=error,
        kind="claim",
        source=RACE,
        note=f"half times, K = {int(at.race_units)}: {name} {best:.4g}, learned {best * found.mean():.4g} ± {best * error:.2g} "
        f"(standard error over {len(found)} seeds); {faster} of {np.isfinite(times.values).sum()} other sets are faster",
    )


def _small(record: xr.Dataset) -> Verdict:
    tiling, ends = float(record.small_tiling), record.small_ends.values
    cosines = ", ".join(f"{c:+.2f}" for c in record.small_cosines.values)
    again = float(np.mean(np.abs(ends - SMALL_PAIR) <= SMALL_DIGITS))
    return Verdict.above(
        "small Gaussian task (n = 6): the best pair found is not below that of an earlier search, and beats the best exclusive "
        "pair",
        SMALL_PAIR - SMALL_DIGITS,
        float(record.small_pair),
        predicted=SMALL_PAIR,
        of="explained",
        kind="regression",
        note=f"exclusive pair {tiling:.5f}; cosine of the best pair by class {cosines}. {again:.0%} of {len(ends)} starts end "
        f"at the earlier search's value, {float(np.mean(ends > SMALL_PAIR + SMALL_DIGITS)):.0%} above it",
    ).and_within(SMALL_TILING, tiling, atol=SMALL_DIGITS, of="explained by the exclusive pair")


def _one_gate(record: xr.Dataset) -> Verdict:
    claim = "one gate, Gaussian: the search finds the known best, the mode with the largest l1/(l0 + l1)"
    if why := lacking(_no_gaussian(record)):
        return Verdict.not_judged(claim, why, kind="control")
    n, xi1, xi0 = (record.attrs[name] for name in ("n", "xi1", "xi0"))
    l1, l0 = (np.asarray(ring_spectrum(n, xi)) for xi in (xi1, xi0))
    best = float(np.max(l1 / (l0 + l1)) / (2 * np.pi))
    return Verdict.between(
        claim,
        (1 - SEARCH_MISS) * best,
        (1 + ROUNDING) * best,
        float(record.one_gate.sel(gain=0.0)),
        predicted=best,
        of="explained",
        kind="control",
    )


def _tiling(at: xr.Dataset) -> list[Verdict]:
    claim = f"{_gain(at)}: a tiling is not best, two gates found by search explain more than the best exclusive pair"
    if why := lacking(holding("units", [2], at.units.values)):
        return [Verdict.not_judged(claim, why, source=f"{TILES}, corrected")]
    error = float(at.winner_error.sel(units=2))
    return [
        Verdict.above(
            claim,
            at.tiling,
            at.winner.sel(units=2),
            error=max(SIGMAS * error, ROUNDING),
            of="explained",
            source=f"{TILES}, corrected",
            note=f"standard error {error:.2g}, of which {SIGMAS} are asked for. Half-spaces through 0 tile only as a pair of "
            "opposites",
        )
    ]


def _overlap(at: xr.Dataset) -> list[Verdict]:
    many = at.isel(units=(at.units > 1).values)
    claim = f"{_gain(at)}: the winners of more than one gate overlap, where a tiling has exactly one gate open"
    if not many.sizes["units"]:
        return [Verdict.not_judged(claim, lacking(holding("units", [2], at.units.values)), source=TILES)]
    each = ", ".join(
        f"K = {K}: {float(one.one_open.sel({'class': 'positive'})):.3f} of positive and "
        f"{float(one.one_open.sel({'class': 'negative'})):.3f} of negative inputs (trained ReLU gates "
        f"{float(one.trained_one_open.median()):.3f} of all)"
        for K, one in ((K, many.sel(units=K)) for K in many.units.values)
    )
    return [
        Verdict.below(
            claim,
            0.99,
            many.one_open.mean("class").max(),
            predicted=1.0,
            of="largest share of inputs with exactly one gate open",
            source=TILES,
            note=f"exactly one gate is open, {each}",
        )
    ]


def _as_trained(cell: xr.Dataset) -> Verdict:
    found, best = float(cell.winner), float(cell.trained.max())
    K = int(cell.units)
    return Verdict.above(
        f"{_gain(cell)}, K = {K}: gates of trained ReLU committees explain as much as the winner",
        (1 - CLOSE) * found,
        best,
        predicted=found,
        of="explained with the best seed",
        kind="claim",
        source=RACE,
        note=f"the winner at K = {K} explains {found:.4f} (error {float(cell.winner_error):.2g}), trained ReLU gates explain "
        f"{best:.4f} at best, {float(cell.trained.median()):.4f} in the median of {cell.sizes['seed']} seeds; the ReLU "
        f"networks themselves {float(cell.relu.max()):.4f} at best. Where it was chosen the winner explains "
        f"{float(cell.on_search_sample):.4f}; local search added {float(cell.refined):.1g}",
    )


def _alike(at: xr.Dataset) -> Verdict:
    found = at.alike.max("seed")
    each = ", ".join(
        f"K = {K}: {float(found.sel(units=K)):.3f} (median {float(at.alike.sel(units=K).median()):.3f}, "
        f"random directions {float(at.chance.sel(units=K).median()):.3f})"
        for K in at.units.values
    )
    return Verdict.above(
        f"{_gain(at)}: the winner's gates are those that ReLU training finds",
        ALIKE,
        found.min(),
        predicted=1.0,
        or_equal=True,
        of="mean cosine of directions, best seed, up to order and symmetry, least over K,",
        kind="claim",
        source=RACE,
        note=each,
    )


def _consistent(at: xr.Dataset) -> Verdict:
    found = at.winner_consistent
    each = ", ".join(
        f"K = {K}: {float(found.sel(units=K)):.3f} (trained {float(at.trained_consistent.sel(units=K).median()):.3f})"
        for K in at.units.values
    )
    return Verdict.above(
        f"{_gain(at)}: the winner could be a ReLU network in a steady state, each field along its own gate",
        ALIKE,
        found.min(),
        predicted=1.0,
        or_equal=True,
        of="mean cosine between a gate's direction and its limit field, least over K,",
        note=each,
    )
