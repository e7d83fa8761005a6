"""What the record of `winning-gates` says."""

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.data import ring_spectrum
from gatefield.experiments.gates.winning_gates.sets import PAIRS
from gatefield.lab.verdict import Verdict
from gatefield.plot import gain_text

TABLE = {
    "± flat": (0.2122, 0.2821, 1.329, 1.05),
    "± delta": (0.1846, 0.1995, 1.329, 1.32),
    "± Nyquist": (0.0004, 3e-5, 1.329, 18.4),
    "redundant flat": (0.1061, 0.2821, 2.659, 0.53),
    "lowest modes": (0.1874, 0.2787, 2.396, 0.99),
}
"""Reference values for Gaussian data, n = 40, length scales 2 and 1, two gates:
explained, |b|^2, largest eigenvalue of A, half time."""
COLUMNS = {
    "explained": (0, 5e-5, "explained, to four decimals"),
    "pull": (1, 5e-5, "|b|^2, to four decimals (3e-5 to one digit)"),
    "largest": (2, 5e-4, "largest eigenvalue of A, to three decimals"),
}
GRID = 0.01
"""Step of the grid of times on which the half times of the table were read."""
SMALL_PAIR, SMALL_TILING = 0.24197, 0.21594
"""Gaussian data, n = 6, length scales 1.5 and 0.7: the best pair of half-spaces, and the best exclusive one."""
CLOSE = 0.02
"""Two sets explain the same if within this share of it."""
ALIKE = 0.9
"""Two sets are alike if their directions, matched at their best, have this mean cosine."""


def judge_race(record: xr.Dataset) -> list[Verdict]:
    """On the race between given sets."""
    one = record.isel(race_units=0)
    out = []
    if 2 in record.race_units and 0.0 in record.gain:
        two = record.sel(race_units=2, gain=0.0)
        out += [*_table(two), _single_mode(two)]
    return [*out, _early(record), _fastest(one), *_same_spectrum(one), *_speeds(one), _not_best(one)]


def judge_winners(record: xr.Dataset) -> list[Verdict]:
    """On the winners of the search."""
    out = [_small(record)]
    if 0.0 in record.gain:
        out.append(_one_gate(record))
    for gain in record.gain.values:
        at = record.sel(gain=gain)
        out += [
            *_tiling(at),
            _overlap(at),
            *(_as_trained(at.sel(units=K)) for K in at.units.values),
            _alike(at),
            _consistent(at),
        ]
    return out


def _table(two: xr.Dataset) -> list[Verdict]:
    """The reference table, if the record has its settings."""
    if (two.attrs["n"], two.attrs["xi1"], two.attrs["xi0"]) != (40, 2.0, 1.0):
        return []
    out = []
    for name, (column, unit, words) in COLUMNS.items():
        found = {key: float(two[name].sel(set=key)) for key in TABLE}
        off = {
            key: abs(value - TABLE[key][column]) / (5e-6 if TABLE[key][column] == 3e-5 else unit)
            for key, value in found.items()
        }
        worst = max(off, key=lambda key: off[key])
        each = ", ".join(f"{key} {value:.4g}" for key, value in found.items())
        expected = TABLE[worst][column]
        out.append(
            Verdict.judged(
                f"table of two gates, {words}", expected, found[worst], "to its digits", max(off.values()) <= 1, each
            )
        )
    return [*out, _table_times(two)]


def _table_times(two: xr.Dataset) -> Verdict:
    """Half times as the table has them: the first time on a grid at which half is learned."""
    exact = {key: float(two.half_time.sel(set=key)) for key in TABLE}
    on_grid = {key: np.ceil(value / GRID - 1e-9) * GRID for key, value in exact.items()}
    off = {key: abs(on_grid[key] - row[3]) / (0.05 if row[3] > 10 else 0.005) for key, row in TABLE.items()}
    worst = max(off, key=lambda key: off[key])
    apart = [key for key, row in TABLE.items() if abs(exact[key] - row[3]) > (0.05 if row[3] > 10 else 0.005)]
    return Verdict.judged(
        f"table of two gates, half times, read upwards onto a grid of {GRID}",
        TABLE[worst][3],
        float(on_grid[worst]),
        "to its digits",
        max(off.values()) <= 1,
        "exact values are " + ", ".join(f"{key} {value:.4f}" for key, value in exact.items()) + "; rounded to the table's "
        f"digits they differ from it for {', '.join(apart) or 'none'}: its times are the first grid points after the half time",
    )


def _single_mode(two: xr.Dataset) -> Verdict:
    """A flat pair excites one mode only, so that its half time is known."""
    found, rate = (float(two[name].sel(set="± flat")) for name in ("half_time", "largest"))
    expected = float(np.log(2) * 4 / (2 * rate))
    return Verdict.judged(
        "± flat learns one mode: its half time is ln 2 K^2/(2 lambda)", expected, found, "relative 1e-9",
        abs(found / expected - 1) < 1e-9, f"lambda = {rate:.6f}",
    )  # fmt: skip


def _early(record: xr.Dataset) -> Verdict:
    rates, shares = record.mode_rate.values, record.mode_learned.values
    order = float(np.corrcoef(stats.rankdata(rates.round(9)), stats.rankdata(shares.round(9)))[0, 1])
    first, last = float(shares[np.argmax(rates)]), float(shares[np.argmin(rates)])
    return Verdict.judged(
        "the largest eigenvalues win the race early, not the smallest",
        1.0,
        order,
        "rank correlation over modes between eigenvalue and share learned at half time, above 0.99",
        order > 0.99,
        f"± delta, Gaussian: the mode of eigenvalue {rates.max():.3g} has reached {first:.3f} of its limit, that of "
        f"{rates.min():.3g} has reached {last:.3f}. Note 002 says the smallest win",
    )


def _fastest(one: xr.Dataset) -> Verdict:
    """Between sets: the note's reading of the race."""
    at = one.isel(gain=0)
    times = at.half_time.where(at.explained > 0, np.inf)
    name = str(at["set"].values[int(times.argmin("set"))])
    found, most = float(at.largest.sel(set=name)), float(at.largest.max())
    return Verdict.judged(
        "the set with the shortest half time has the largest leading eigenvalue of all sets",
        most,
        found,
        "relative 1e-6",
        abs(found / most - 1) < 1e-6,
        f"{name}, half time {float(times.min()):.4f}, gain {gain_text(float(at.gain))}; the trace of A is Kn/2 for all",
    )


def _same_spectrum(one: xr.Dataset) -> list[Verdict]:
    """By the closed form to rounding; on samples, where inputs may lie on the plane of a gate, to their standard error."""
    out = []
    for gain in one.gain.values:
        spectra = one.spectrum.sel(gain=gain, set=list(PAIRS)).dropna("mode").values
        apart = float(np.max(np.abs(spectra - spectra[0])) / spectra[0].max())
        allowed = 1e-9 if gain == 0 else 3 / one.attrs["samples"] ** 0.5
        tie = (
            "" if gain == 0 else " Sampled, the same samples for all; inputs on a plane, where both gates are half open, differ"
        )
        out.append(
            Verdict.judged(
                f"gain {gain_text(gain)}: A does not depend on the gate for ± pairs",
                0.0,
                apart,
                f"spectra of all ± sets within {allowed:.2g} of the largest eigenvalue",
                apart < allowed,
                f"{len(PAIRS)} sets of {int(one.race_units)} gates.{tie}",
            )
        )
    return out if int(one.race_units) == 2 else []


def _speeds(one: xr.Dataset) -> list[Verdict]:
    at = one.isel(gain=0)
    times = at.half_time.sel(set=list(PAIRS))
    ratio = float(times.max() / times.min())
    note = ", ".join(f"{name} {float(times.sel(set=name)):.3g}" for name in PAIRS)
    claim = "yet ± pairs learn at different speeds: b decides"
    return [Verdict.judged(claim, 2.0, ratio, "slowest half time at least twice the fastest", ratio > 2, f"half times: {note}")]


def _not_best(one: xr.Dataset) -> Verdict:
    """The fastest set against the best, at the gain where they are closest."""
    open_ = one.where(one.explained > 0)
    fast = open_.half_time.fillna(np.inf).argmin("set")
    gap = one.explained.max("set") - one.explained.isel(set=fast)
    names = []
    for g, gain in enumerate(one.gain.values):
        values, first = one.explained.isel(gain=g), int(fast[g])
        last = int(values.argmax("set"))
        names.append(
            f"gain {gain_text(gain)}: fastest {one['set'].values[first]} explains {float(values[first]):.4f}, "
            f"best {one['set'].values[last]} {float(values[last]):.4f}"
        )
    found = float(gap.min())
    return Verdict.judged(
        "the fastest set is not the best",
        0.0,
        found,
        "explained, best less fastest, above 0.01",
        found > 0.01,
        "; ".join(names),
    )


def _small(record: xr.Dataset) -> Verdict:
    found, tiling, ends = float(record.small_pair), float(record.small_tiling), record.small_ends.values
    cosines = ", ".join(f"{c:+.2f}" for c in record.small_cosines.values)
    again = float(np.mean(np.abs(ends - SMALL_PAIR) <= 5e-6))
    return Verdict.judged(
        "small Gaussian task (n = 6): the best pair overlaps and beats the best exclusive pair",
        SMALL_PAIR,
        found,
        f"not below an earlier search's {SMALL_PAIR} by over 5e-6; the exclusive pair {SMALL_TILING} within 5e-6",
        found > SMALL_PAIR - 5e-6 and abs(tiling - SMALL_TILING) <= 5e-6,
        f"exclusive pair {tiling:.5f}; cosine of the best pair by class {cosines}. {again:.0%} of {len(ends)} starts end "
        f"at the earlier search's value, {float(np.mean(ends > SMALL_PAIR + 5e-6)):.0%} above it",
    )


def _one_gate(record: xr.Dataset) -> Verdict:
    n, xi1, xi0 = (record.attrs[name] for name in ("n", "xi1", "xi0"))
    l1, l0 = (np.asarray(ring_spectrum(n, xi)) for xi in (xi1, xi0))
    expected, found = float(np.max(l1 / (l0 + l1)) / (2 * np.pi)), float(record.one_gate.sel(gain=0.0))
    return Verdict.judged(
        "one gate, Gaussian: the search finds the known best, the mode with the largest l1/(l0 + l1)",
        expected,
        found,
        "relative 1e-4, and not above",
        -1e-4 < found / expected - 1 < 1e-9,
    )


def _tiling(at: xr.Dataset) -> list[Verdict]:
    if 2 not in at.units:
        return []
    two = at.sel(units=2)
    found, tiling, error = float(two.winner), float(at.tiling), float(two.winner_error)
    return [
        Verdict.judged(
            f"gain {gain_text(float(at.gain))}: a tiling is not best",
            tiling,
            found,
            "two gates found by search explain more than the best exclusive pair, by over 3 standard errors",
            found - tiling > max(3 * error, 1e-9),
            f"standard error {error:.2g}. Half-spaces through 0 tile only as a pair of opposites",
        )
    ]


def _overlap(at: xr.Dataset) -> Verdict:
    many = at.where(at.units > 1, drop=True)
    shares = many.one_open.mean("class")
    each = ", ".join(
        f"K = {K}: {float(one.sel({'class': 'positive'})):.3f} of positive and {float(one.sel({'class': 'negative'})):.3f} of "
        f"negative inputs (trained ReLU gates {float(many.trained_one_open.sel(units=K).median()):.3f} of all)"
        for K, one in ((K, many.one_open.sel(units=K)) for K in many.units.values)
    )
    return Verdict.judged(
        f"gain {gain_text(float(at.gain))}: the winners overlap",
        1.0,
        float(shares.max()),
        "for every K > 1 exactly one gate is open for less than 0.99 of inputs (1 is a tiling)",
        float(shares.max()) < 0.99,
        f"exactly one gate is open, {each}",
    )


def _as_trained(cell: xr.Dataset) -> Verdict:
    found, best = float(cell.winner), float(cell.trained.max())
    K = int(cell.units)
    return Verdict.judged(
        f"gain {gain_text(float(cell.gain))}, K = {K}: gates of trained ReLU committees explain as much as the winner",
        found,
        best,
        f"the best of all seeds within {CLOSE:.0%}",
        best > (1 - CLOSE) * found,
        f"the winner at K = {K} explains {found:.4f} (error {float(cell.winner_error):.2g}), trained ReLU gates explain "
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
    return Verdict.judged(
        f"gain {gain_text(float(at.gain))}: the winner's gates are those that ReLU training finds",
        1.0,
        float(found.min()),
        f"mean cosine of directions, best seed, up to order and symmetry, at least {ALIKE} for every K",
        float(found.min()) >= ALIKE,
        each,
    )


def _consistent(at: xr.Dataset) -> Verdict:
    found = at.winner_consistent
    each = ", ".join(
        f"K = {K}: {float(found.sel(units=K)):.3f} (trained {float(at.trained_consistent.sel(units=K).median()):.3f})"
        for K in at.units.values
    )
    return Verdict.judged(
        f"gain {gain_text(float(at.gain))}: the winner could be a ReLU network at rest, each field along its own gate",
        1.0,
        float(found.min()),
        f"mean cosine between a gate's direction and its limit field at least {ALIKE} for every K",
        float(found.min()) >= ALIKE,
        each,
    )
