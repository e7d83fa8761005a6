"""`gatefield bench`."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from gatefield.cli.messages import to_stderr
from gatefield.core.errors import UserError

if TYPE_CHECKING:
    from gatefield.speed import Report

REPEATS = {False: 7, True: 3}
"""Rounds of each contest, by whether it is to be quick."""
MOST_REPEATS = 1000
"""More is a slip: seven take a quarter of an hour."""


@dataclasses.dataclass(frozen=True)
class Bench:
    """Speed beside what a user would otherwise run: side by side in one process, in an order drawn anew for each round.

    A ratio says how many times as long as gatefield a peer takes. Times say little on a machine that others use; ratios more.
    With --baseline the exit code is 1 if a ratio fell by more than a quarter.
    """

    names: Annotated[tuple[str, ...], Positional, arg(metavar="[NAME...]", help_behavior_hint="")] = ()
    """Which cases: training, kernels, paths, exact, start, growth; all of them by default."""

    quick: Annotated[bool, arg(help_behavior_hint="")] = False
    """Fewer and smaller sizes, and three rounds: a few minutes in all."""

    repeats: Annotated[int | None, arg(metavar="N", help_behavior_hint="(default: 7)")] = None
    """Rounds of each contest."""

    output: Annotated[Path | None, arg(metavar="FILE.json", help_behavior_hint="")] = None
    """Write what is found there, after each contest."""

    baseline: Annotated[Path | None, arg(metavar="FILE.json", help_behavior_hint="")] = None
    """What --output wrote earlier: ratios are compared with those in it."""

    def __call__(self) -> int:
        from gatefield.speed import chosen  # light: a wrong name is told at once

        names, repeats = chosen(self.names), self._repeats()
        from gatefield.speed import check_baseline, read_report

        kept = read_report(self.baseline) if self.baseline else None
        if kept:
            check_baseline(kept, names, self.quick)
        if self.output:
            self._check_output()
        found = self._measure(names, repeats)
        return self._compare(found, kept) if kept else 0

    def _repeats(self) -> int:
        if self.repeats is not None and not 1 <= self.repeats <= MOST_REPEATS:
            raise UserError(f"The option --repeats takes a whole number from 1 to {MOST_REPEATS}, but has {self.repeats}.")
        return self.repeats or REPEATS[self.quick]

    def _check_output(self) -> None:
        from gatefield.lab import check_output

        assert self.output is not None
        check_output(self.output, "json")

    def _measure(self, names: list[str], repeats: int) -> "Report":
        """Everything, shown as it is found, and written."""
        from rich.console import Console

        from gatefield.lab import write_file
        from gatefield.show import show_finding
        from gatefield.speed import bench, new_report

        report, console = new_report(self.quick, repeats), Console()
        for case, finding in bench(names, quick=self.quick, repeats=repeats, say=to_stderr):
            report.add(case, finding)
            show_finding(case, finding, console)
            console.file.flush()  # the next one may take minutes
            if self.output:
                write_file(self.output, report.to_json())
        return report

    def _compare(self, found: "Report", kept: "Report") -> int:
        """One sentence, and the exit code."""
        from gatefield.speed import SLACK, compare

        count, fell = compare(found, kept)
        beside = f"by more than {SLACK:.0%} below {self.baseline}"
        if fell:
            to_stderr(f"gatefield bench: {len(fell)} of {count} ratios fell {beside}: {'; '.join(fell)}.")
        else:
            to_stderr(f"gatefield bench: none of {count} ratios fell {beside}.")
        return int(bool(fell))
