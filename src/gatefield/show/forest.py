"""All margins of a page in one picture: a row for each experiment, a mark for each claim."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gatefield.lab import Verdict
from gatefield.show.sections import Section

LEFT, RIGHT, ROW = 250.0, 985.0, 20.0
"""Where the axis begins and ends, and the height of a row, in units of the picture, which is 1,000 across."""
TICKS = ((-math.inf, "far outside"), (-1.0, "by all of it"), (0.0, "bound"), (1.0, "by all of it"), (math.inf, "far inside"))


@dataclass(frozen=True)
class Mark:
    """One claim."""

    x: float
    y: float
    outcome: str
    claim: str
    anchor: str


@dataclass(frozen=True)
class Row:
    """One experiment."""

    y: float
    name: str
    anchor: str
    marks: Sequence[Mark]


def place(margin: float) -> float:
    """Where a margin lies on the axis: half-way at 0, in the middle of each half at a margin of 1, at the ends beyond all.

    >>> [round(place(margin)) for margin in (-math.inf, -1.0, 0.0, 1.0, math.inf)]
    [250, 434, 618, 801, 985]
    """
    share = math.copysign(1.0, margin) if math.isinf(margin) else margin / (1 + abs(margin))
    return LEFT + (RIGHT - LEFT) * (1 + share) / 2


def rows(sections: Sequence[Section]) -> list[Row]:
    """The picture: claims that were judged, each where its margin is; marks that would cover each other stand apart."""
    found = []
    for number, section in enumerate(sections):
        y = ROW * (number + 1.5)
        found.append(Row(y, section.name, section.anchor, _marks(section, y)))
    return found


def _marks(section: Section, y: float) -> list[Mark]:
    judged = [(at, verdict) for at, verdict in enumerate(section.verdicts, 1) if not math.isnan(verdict.margin)]
    marks: list[Mark] = []
    for at, verdict in sorted(judged, key=lambda pair: pair[1].margin):
        x = place(verdict.margin)
        level = sum(abs(mark.x - x) < 8 for mark in marks[-2:])
        marks.append(
            Mark(round(x, 1), round(y + (0, -5, 5)[level], 1), verdict.outcome, _said(verdict), f"{section.anchor}-{at}")
        )
    return marks


def _said(verdict: Verdict) -> str:
    return f"{verdict.outcome}: {verdict.claim}"
