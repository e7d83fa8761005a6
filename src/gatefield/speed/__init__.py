"""How fast gatefield is beside what a user would otherwise run: contests in one process, and how cost grows with size.

`bench` holds the contests of named cases, one after the other; what it gives are `Standing`s and `Growth`s, which a `Report`
keeps as JSON. The names below are loaded when first used, so that the command line can offer the names of cases at once.
"""

from typing import TYPE_CHECKING

from gatefield.core.lazy import lazy_names

if TYPE_CHECKING:
    from gatefield.speed.baseline import SLACK as SLACK
    from gatefield.speed.baseline import Compared as Compared
    from gatefield.speed.baseline import check_baseline as check_baseline
    from gatefield.speed.baseline import compare as compare
    from gatefield.speed.contest import Contest as Contest
    from gatefield.speed.contest import Contestant as Contestant
    from gatefield.speed.contest import Missing as Missing
    from gatefield.speed.contest import Standing as Standing
    from gatefield.speed.contest import Timed as Timed
    from gatefield.speed.contest import hold as hold
    from gatefield.speed.entries import bench as bench
    from gatefield.speed.growth import Growth as Growth
    from gatefield.speed.growth import Ladder as Ladder
    from gatefield.speed.growth import grow as grow
    from gatefield.speed.names import CASES as CASES
    from gatefield.speed.names import chosen as chosen
    from gatefield.speed.report import Finding as Finding
    from gatefield.speed.report import Report as Report
    from gatefield.speed.report import new_report as new_report
    from gatefield.speed.report import read_report as read_report
    from gatefield.speed.rounds import Spread as Spread

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "baseline": ["SLACK", "Compared", "check_baseline", "compare"],
        "entries": ["bench"],
        "contest": ["Contest", "Contestant", "Missing", "Standing", "Timed", "hold"],
        "growth": ["Growth", "Ladder", "grow"],
        "names": ["CASES", "chosen"],
        "report": ["Finding", "Report", "new_report", "read_report"],
        "rounds": ["Spread"],
    },
)
