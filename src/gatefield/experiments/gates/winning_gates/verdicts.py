"""What the record of `winning-gates` says."""

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.core.intervals import standard_error
from gatefield.data import ring_spectrum
from gatefield.experiments.gates.winning_gates.sets import LEARNED, NAMES, PAIRS
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, exactly, holding, lacking, lasting
from gatefield.plot import gain_text

TABLE = {
    "± flat": ("0.2122", "0.2821", "1.329", "1.05"),
    "± delta": ("0.1846", "0.1995", "1.329", "1.32"),
    "± Nyquist": ("0.0004", "3e-5", "1.329", "18.4"),
    "redundant flat": ("0.1061", "0.2821", "2.659", "0.53"),
    "lowest modes": ("0.1874", "0.2787", "2.396", "0.99"),
}
"""An earlier computation, as printed, for Gaussian data, n = 40, length scales 2 and 1, two gates."""
COLUMNS = {"explained": "explained", "pull": "|b|²", "largest": "largest eigenvalue of A", "half_time": "half time"}
GRID = 0.01
"""The half times of the table were read off a grid of times with this step."""
ROUNDING = 1e-9
"""Of closed forms in float64."""
SMALL_PAIR, SMALL_TILING, SMALL_DIGITS = 0.24197, 0.21594, 5e-6
"""Gaussian data, n = 6, length scales 1.5 and 0.7: the best pair of half-spaces of an earlier search, the best exclusive one,
and their rounding."""
SEARCH_MISS = 1e-4
"""By which part of the known best value a search may miss it."""
SIGMAS = 3
"""What is sampled is larger if it is so by this many standard errors."""
ERRORS = 2
"""Standard errors over seeds that a mean may be off by chance."""
CLOSE = 0.02
"""Two sets explain the same if within this share of it."""
CLEAR = 0.01
"""Label power, of which there is 1/2, that the better of two sets must explain more."""
ALIKE = 0.9
"""Two sets are alike if their directions, matched at their best, have this mean cosine."""
AS_FAST = 1.1
"""Gates learn as fast as the fastest set if their half time is at most this times that set's."""
TILED = 0.99
"""Gates that tile have exactly one open for every input; gates with fewer inputs than this part overlap or leave gaps."""
ENOUGH = 200.0
"""Time in tau after which fields that localize have done so, and the gates of a training are those that it learns."""
RACE, TILES = "note 002, section 5.1", "note 000, section 3.3"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim: of the race between given sets, and of the winners of the search."""
    one = record.isel(race_units=0)
    return [
        _tiling(record),
        _as_trained(record),
        _alike(record),
        _consistent(record),
        _overlap(record),
        _implemented(one, lacking(lasting(record, ENOUGH))),
        _not_best(one),
        _fastest(one),
        _early(record),
        _same_spectrum(one),
        _speeds(one),
        _one_gate(record),
        _table(record),
        _small(record),
    ]


def _gain(one: xr.Dataset) -> str:
    return f"gain {gain_text(float(one.gain))}"


def _cells(record: xr.Dataset) -> dict[str, xr.Dataset]:
    """Each number of gates and gain, by the words for it."""
    each = [record.sel(units=K, gain=gain) for gain in record.gain.values for K in record.units.values]
    return {f"{_gain(cell)}, K = {int(cell.units)}": cell for cell in each}


def _no_gaussian(record: xr.Dataset) -> Need | None:
    return holding("gains", [0.0], record.gain.values)


def _tiling(record: xr.Dataset) -> Verdict:
    """Two gates of the search beside the best exclusive pair."""
    claim = "two half-space gates that explain the most do not tile the inputs: they explain more than the best exclusive pair"
    source = f"{TILES}, corrected"
    if why := lacking(holding("units", [2], record.units.values)):
        return Verdict.not_judged(claim, why, source=source)
    two, rows = record.sel(units=2), {}
    for gain in record.gain.values:
        at = two.sel(gain=gain)
        error = max(SIGMAS * float(at.winner_error), ROUNDING)
        rows[_gain(at)] = Verdict.above("", at.tiling, at.winner, of="explained by two gates", error=error)
    first = two.isel(gain=0)
    numbers = f"{float(first.winner):.3f} against {float(first.tiling):.3f} of 0.5 at {_gain(first)}"
    return Verdict.each(
        claim,
        rows,
        source=source,
        note=f"error: {SIGMAS} standard errors; half-spaces through 0 tile only as a pair of opposites",
        found=f"the best two gates overlap and beat tilings ({numbers})",
        otherwise=f"the best two gates found do not beat tilings at every gain ({numbers})",
    )


def _as_trained(record: xr.Dataset) -> Verdict:
    rows, (worst, least) = {}, worst_trained(record)
    for at, cell in _cells(record).items():
        found, best = float(cell.winner), float(cell.trained.max())
        error = SIGMAS * float(cell.winner_error)
        words = "explained by trained gates, best seed,"
        rows[at] = Verdict.above("", (1 - CLOSE) * found, best, predicted=found, of=words, error=error)
    return Verdict.each(
        "the gates of trained ReLU committees explain as much as the best gates that a search over all half-spaces finds",
        rows,
        kind="claim",
        source=RACE,
        note=f"as much: within {CLOSE:.0%}; {record.sizes['seed']} seeds; error: {SIGMAS} standard errors of the winner",
        found=f"trained ReLU gates explain {100 * least:.0f} % or more of that",
        otherwise=f"trained ReLU reaches {100 * least:.0f} % of the best ({worst})",
    )


def worst_trained(record: xr.Dataset) -> tuple[str, float]:
    """Where the gates of the best trained seed explain the least of what the winner does, and which part."""
    parts = {at: float(cell.trained.max()) / float(cell.winner) for at, cell in _cells(record).items()}
    return min(parts.items(), key=lambda item: item[1])


def _alike(record: xr.Dataset) -> Verdict:
    rows = {
        at: Verdict.above("", ALIKE, cell.alike.max("seed"), predicted=1.0, or_equal=True, of="mean cosine, best seed,")
        for at, cell in _cells(record).items()
    }
    return Verdict.each(
        "the gates that ReLU training finds are the best ones that a search over all half-spaces finds, up to order and "
        "symmetry",
        rows,
        kind="claim",
        source=RACE,
        note=f"median over cells: trained gates {float(record.alike.median()):.3f}, random directions "
        f"{float(record.chance.median()):.3f}",
    )


def _consistent(record: xr.Dataset) -> Verdict:
    rows = {
        at: Verdict.above(
            "", ALIKE, cell.winner_consistent, predicted=1.0, or_equal=True, of="mean cosine of gate and limit field"
        )
        for at, cell in _cells(record).items()
    }
    return Verdict.each(
        "the best gates that a search over all half-spaces finds could be those of a ReLU network in a steady state, each "
        "along its own field",
        rows,
        note=f"trained ReLU committees: {float(record.trained_consistent.median()):.3f} in the median",
    )


def _overlap(record: xr.Dataset) -> Verdict:
    claim = (
        "two or more half-space gates that explain the most overlap, where a tiling has exactly one gate open for every input"
    )
    many = record.isel(units=(record.units > 1).values)
    if not many.sizes["units"]:
        return Verdict.not_judged(claim, lacking(holding("units", [2], record.units.values)), source=TILES)
    words = "share of inputs with exactly one gate open"
    rows = {at: Verdict.below("", TILED, cell.one_open.mean("class"), of=words) for at, cell in _cells(many).items()}
    return Verdict.each(
        claim,
        rows,
        source=TILES,
        note=f"trained ReLU gates: {float(many.trained_one_open.median()):.3f} in the median; a tiling: 1",
    )


def _implemented(one: xr.Dataset, why: str) -> Verdict:
    """The first reading of the race: does a ReLU network end behind the gates that learn fastest?"""
    claim = "ReLU training ends with gates that learn as fast as the fastest of all other sets"
    if why:
        return Verdict.not_judged(claim, why, kind="claim", source=RACE)
    rows, names = {}, []
    for gain in one.gain.values:
        at = one.sel(gain=gain)
        times = at.half_time.where((at.explained > 0) & (at["set"] != LEARNED), np.inf)
        name, best = str(at["set"].values[int(times.argmin("set"))]), float(times.min())
        known = "learned_half_time" in at  # records of before have the first seed's alone
        found = (at.learned_half_time.values if known else at.half_time.sel(set=[LEARNED]).values) / best
        error = ERRORS * standard_error(found) if len(found) > 1 else 0.0
        words = "half time over the shortest"
        rows[_gain(at)] = Verdict.below("", AS_FAST, found.mean(), predicted=1.0, or_equal=True, of=words, error=error)
        names.append(f"{_gain(at)}: {name}, {best:.3g} τ")
    note = f"K = {int(one.race_units)}; fastest {'; '.join(names)}; error: {ERRORS} standard errors over seeds"
    return Verdict.each(claim, rows, kind="claim", source=RACE, note=note)


def _not_best(one: xr.Dataset) -> Verdict:
    """The fastest set against the best."""
    rows, names = {}, []
    for gain in one.gain.values:
        at = one.sel(gain=gain)
        fast = int(at.half_time.where(at.explained > 0, np.inf).argmin("set"))
        best = int(at.explained.argmax("set"))
        gap = float(at.explained[best] - at.explained[fast])
        rows[_gain(at)] = Verdict.above("", CLEAR, gap, of="explained, best set less fastest,")
        names.append(f"{_gain(at)}: {at['set'].values[fast]} and {at['set'].values[best]}")
    words = _fast_and_best(one.isel(gain=0))
    return Verdict.each(
        "the set of gates that learns fastest is not the one that explains the most in the end",
        rows,
        source=RACE,
        note=f"K = {int(one.race_units)}; fastest and best at {'; '.join(names)}",
        more_found=words,
        more_otherwise=words,
    )


def _fast_and_best(at: xr.Dataset) -> str:
    """The headline of the second figure: the fastest set and the best."""
    fast = at.isel(set=int(at.half_time.where(at.explained > 0, np.inf).argmin("set")))
    best = at.isel(set=int(at.explained.argmax("set")))
    name, other = (NAMES.get(str(part["set"].values), str(part["set"].values)) for part in (fast, best))
    words = f"the fastest gates ({name}) explain {float(fast.explained):.3f}"
    return f"{words} of the label power, those {other} {float(best.explained):.3f} ({_gain(at)})"


def _fastest(one: xr.Dataset) -> Verdict:
    """Between sets: the note's reading of the race."""
    at = one.isel(gain=0)
    times = at.half_time.where(at.explained > 0, np.inf)
    name = str(at["set"].values[int(times.argmin("set"))])
    return Verdict.within(
        f"at {_gain(at)} the set with the shortest half time has the largest leading eigenvalue of all sets",
        float(at.largest.max()),
        float(at.largest.sel(set=name)),
        rtol=1e-6,
        of="leading eigenvalue of the fastest set",
        kind="claim",
        source=f"{RACE}, corrected",
        note=f"{name}, half time {float(times.min()):.4f}; the trace of A is Kn/2 for all sets",
    )


def _early(record: xr.Dataset) -> Verdict:
    rates, shares = record.mode_rate.values, record.mode_learned.values
    order = float(np.corrcoef(stats.rankdata(rates.round(9)), stats.rankdata(shares.round(9)))[0, 1])
    first, last = float(shares[np.argmax(rates)]), float(shares[np.argmin(rates)])
    return Verdict.below(
        "behind a pair of opposite one-site gates the modes with the smallest eigenvalues of A are learned first",
        0.0,
        order,
        of="rank correlation over modes between eigenvalue and share learned at half time",
        kind="claim",
        source=f"{RACE}, as printed",
        note=f"± delta, Gaussian data, at half time: the mode of eigenvalue {rates.max():.3g} has reached {first:.3f} of its "
        f"limit, that of {rates.min():.3g} has reached {last:.3f}",
    )


def _same_spectrum(one: xr.Dataset) -> Verdict:
    """On samples, where inputs may lie on the plane of a gate; on Gaussian data it is an identity, which a test has."""
    claim = "pairs of opposite gates have one spectrum of A, whichever the gate, on data that are not Gaussian"
    squashed = one.gain.values[one.gain.values > 0]
    two = exactly("the first of race_units", 2, int(one.race_units))
    need = two and two._replace(settings={"race_units": [2, int(one.race_units)]})
    some = None if len(squashed) else Need("a gain above 0", "none", {"gains": [0.0, 3.0]})
    if why := lacking(need, some):
        return Verdict.not_judged(claim, why)
    rows = {}
    for gain in squashed:
        at = one.sel(gain=gain)
        spectra = at.spectrum.sel(set=list(PAIRS)).dropna("mode").values
        off = float(np.max(np.abs(spectra - spectra[0])) / spectra[0].max())
        bound, words = SIGMAS / one.attrs["samples"] ** 0.5, "largest difference, over the largest eigenvalue,"
        rows[_gain(at)] = Verdict.below("", bound, off, predicted=0.0, of=words)
    note = f"{len(PAIRS)} pairs on the same samples; bound {SIGMAS}/√samples. Inputs on the plane of a gate open both by half"
    return Verdict.each(claim, rows, note=note)


def _speeds(one: xr.Dataset) -> Verdict:
    times = one.isel(gain=0).half_time.sel(set=list(PAIRS))
    slow, fast = (str(times["set"].values[int(at)]) for at in (times.argmax("set"), times.argmin("set")))
    return Verdict.above(
        f"at {_gain(one.isel(gain=0))} pairs of opposite gates, which share the spectrum of A, differ over twofold in speed",
        2.0,
        float(times.max() / times.min()),
        of="slowest half time over the fastest",
        note=f"{fast} {float(times.min()):.3g} τ, {slow} {float(times.max()):.3g} τ: it is b that decides",
        more_found=f"± pairs differ {float(times.max() / times.min()):.2g}-fold in speed",
        more_otherwise=f"± pairs differ {float(times.max() / times.min()):.2g}-fold in speed",
    )


def _one_gate(record: xr.Dataset) -> Verdict:
    claim = "the search for one gate on Gaussian data finds the known best, the mode with the largest λ1/(λ0 + λ1)"
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


def _table(record: xr.Dataset) -> Verdict:
    """The table, to its digits; its half times are known to its digits and its grid of times."""
    claim = "two gates on Gaussian data (n = 40, length scales 2 and 1) have the numbers of an earlier computation"
    setting = [exactly(name, value, record.attrs[name]) for name, value in {"n": 40, "xi1": 2.0, "xi0": 1.0}.items()]
    if why := lacking(*setting, holding("race_units", [2], record.race_units.values), _no_gaussian(record)):
        return Verdict.not_judged(claim, why, kind="regression")
    two, rows = record.sel(race_units=2, gain=0.0), {}
    for column, (name, words) in enumerate(COLUMNS.items()):
        for key, row in TABLE.items():
            digits = 0.5 * 10.0 ** int(Decimal(row[column]).as_tuple().exponent)
            atol = digits + (GRID if name == "half_time" else 0.0)
            rows[f"{key}: {words}"] = Verdict.within("", float(row[column]), float(two[name].sel(set=key)), atol=atol)
    return Verdict.each(claim, rows, kind="regression", note=f"to the digits printed; half times also to their grid of {GRID}")


def _small(record: xr.Dataset) -> Verdict:
    ends = record.small_ends.values
    cosines = " and ".join(f"{c:+.2f}" for c in record.small_cosines.values)
    again = float(np.mean(np.abs(ends - SMALL_PAIR) <= SMALL_DIGITS))
    return Verdict.above(
        "on a small Gaussian task (n = 6) the search finds a pair of gates no worse than an earlier search did",
        SMALL_PAIR - SMALL_DIGITS,
        float(record.small_pair),
        predicted=SMALL_PAIR,
        of="explained",
        kind="regression",
        note=f"cosines of the pair in both classes {cosines}; of {len(ends)} starts {again:.0%} end at the earlier value, "
        f"{float(np.mean(ends > SMALL_PAIR + SMALL_DIGITS)):.0%} above it",
    ).and_within(SMALL_TILING, float(record.small_tiling), atol=SMALL_DIGITS, of="explained by the best exclusive pair")
