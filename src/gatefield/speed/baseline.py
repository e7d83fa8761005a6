"""Whether gatefield became slower beside its peers: ratios against kept ones, since times differ from machine to machine."""

from typing import NamedTuple

from gatefield.core.errors import UserError
from gatefield.core.text.words import number
from gatefield.speed.contest import Standing
from gatefield.speed.report import Report

SLACK = 0.25
"""By how much a ratio may fall: medians of seven rounds on a machine that others use differ by 10 to 15 percent."""

Key = tuple[str, str, str]
"""Case, contest and peer."""


class Compared(NamedTuple):
    """How many ratios were compared, and a phrase for each that fell by more than the slack."""

    ratios: int
    fell: list[str]


def every_ratio(report: Report) -> dict[Key, float]:
    """Every ratio of a report."""
    standings = [(case, one) for case, found in report.cases.items() for one in found if isinstance(one, Standing)]
    return {(case, one.contest, peer.name): peer.ratio.median for case, one in standings for peer in one.peers if peer.ratio}


def check_baseline(kept: Report, names: list[str], quick: bool) -> None:
    """See, before anything is measured, that there will be something to compare."""
    if kept.quick != quick:
        way = "with --quick" if kept.quick else "without --quick"
        raise UserError(f"The baseline was measured {way}, and sizes differ: measure {way}, too, or give another baseline.")
    if not any(case in names for case, _, _ in every_ratio(kept)):
        there = ", ".join(dict.fromkeys(case for case, _, _ in every_ratio(kept))) or "none"
        raise UserError(
            f"The baseline has no ratios of the cases {', '.join(names)}, but of these: {there}; name one of them, or give "
            "another baseline."
        )


def compare(found: Report, kept: Report) -> Compared:
    """Each ratio that both have."""
    new, old = every_ratio(found), every_ratio(kept)
    both = [key for key in new if key in old]
    return Compared(len(both), [_phrase(key, new[key], old[key]) for key in both if new[key] < (1 - SLACK) * old[key]])


def _phrase(key: Key, new: float, old: float) -> str:
    case, contest, peer = key
    return f"{case}, {contest}, against {peer}: {number(new)}, kept {number(old)}"
