"""`gatefield check`."""

import contextlib
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import UseAppendAction, arg

from gatefield.cli.messages import to_stderr
from gatefield.cli.programs import use_cache
from gatefield.cli.store_option import Store, default_store

if TYPE_CHECKING:
    from gatefield.ledger import Ledger


@dataclasses.dataclass(frozen=True)
class Check:
    """The ledger: every formula against its independent estimate, and what the printed equation gives.

    The exit code is 1 if a formula that the library implements disagrees with its estimate.
    """

    source: Annotated[tuple[tuple[str, ...], ...], UseAppendAction, arg(metavar="SOURCE...", help_behavior_hint="")] = ()
    """Only formulas of these sources: 000 to 004, or sheet for what no source prints."""

    name: Annotated[tuple[tuple[str, ...], ...], UseAppendAction, arg(metavar="TEXT...", help_behavior_hint="")] = ()
    """Only formulas with such a text in their name, place ("equation 45"), function (relu.velocity) or description."""

    json: Annotated[bool, arg(help_behavior_hint="")] = False
    """Print the findings as a JSON list instead of a table."""

    output: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="(default: gatefield-ledger.html)")] = None
    """The page to write. A check of some formulas only (--source, --name), or with --json, writes none unless this names it."""

    store: Store = dataclasses.field(default_factory=default_store)

    def __call__(self) -> int:
        to_stderr("gatefield check: every formula against an independent estimate, all in about a minute, less the next time.")
        use_cache()
        from gatefield.lab import check_output
        from gatefield.ledger import write_ledger

        sources, names = ([text for texts in given for text in texts] for given in (self.source, self.name))
        whole = not sources and not names
        page = self.output or (Path("gatefield-ledger.html") if whole and not self.json else None)
        if page:
            check_output(page, "html")
        ledger = self._check(sources, names)
        self._show(ledger)
        if whole:
            write_ledger(self.store, ledger)
        if page:
            self._write(ledger, page)
        return int(bool(ledger.bad))

    def _check(self, sources: Sequence[str], names: Sequence[str]) -> "Ledger":
        from gatefield.cli.check.helpers import helping
        from gatefield.core.progress import progress
        from gatefield.ledger import check

        def told(_: str, done: int, total: int) -> None:
            report("", done, total)

        few = contextlib.nullcontext(())  # those of one name are done before a helper is there
        with progress("check") as report, few if names else helping() as helpers:
            return check(sources=sources, names=names, progress=told, helpers=helpers)

    def _write(self, ledger: "Ledger", path: Path) -> None:
        from gatefield import show

        page = show.write_ledger_page(ledger, path)
        print(f"The ledger page, for any browser: {page.resolve()}", file=sys.stderr if self.json else sys.stdout)

    def _show(self, ledger: "Ledger") -> None:
        from rich.console import Console

        from gatefield.show import show_ledger

        if self.json:
            print(ledger.to_json(), flush=True)
        else:
            show_ledger(ledger.findings, Console())
