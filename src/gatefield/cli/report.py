"""`gatefield report`."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from gatefield.cli.messages import to_stderr
from gatefield.cli.programs import use_cache
from gatefield.cli.store_option import Store, check_store, default_store
from gatefield.cli.words.find import find_experiments, names_file
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted

if TYPE_CHECKING:
    from gatefield.lab import Entry


@dataclasses.dataclass(frozen=True)
class Report:
    """Write one self-contained HTML page of everything in the store: figures, verdicts, provenance, the last check."""

    store: Store = dataclasses.field(default_factory=default_store)

    output: Annotated[Path, arg(metavar="FILE")] = Path("gatefield-report.html")
    """The page to write."""

    studies: Annotated[tuple[str, ...], Positional, arg(metavar="[FILE.py...]", help_behavior_hint="")] = ()
    """Files with experiments of your own, whose verdicts and figures are then made anew; else they are shown as last run."""

    def __call__(self) -> int:
        use_cache()
        from gatefield import experiments, lab, ledger, show
        from gatefield.core.progress import training_progress

        lab.check_output(self.output, "html")
        for word in self.studies:
            if not names_file(word):
                raise UserError(
                    f"After `report` come files with experiments of your own, such as my_study.py, but {quoted(word)} is none; "
                    "the page has every experiment of the store, which --store names."
                )
        own = {experiment.name: experiment for word in self.studies for experiment in find_experiments(word)}
        entries = _entries(self.store)
        with training_progress(name="report") as progress:
            page = show.write_report(
                entries,
                self.output,
                find=lambda name: own[name] if name in own else experiments.get(name),
                ledger=ledger.read_ledger(self.store),
                sweeps=show.sweep_sections(lab.Store(self.store)),
                progress=progress,
                tell=lambda what: to_stderr(f"gatefield: {what}"),
            )
        print(f"The report page, for any browser: {page.resolve()}")
        return 0


def _entries(store: Path) -> "list[Entry]":
    """All entries of a store that is there."""
    from gatefield import lab

    check_store(store)
    entries = lab.Store(store).entries()
    if not entries and not any(lab.plans(lab.Store(store))):
        to_stderr(f"gatefield: the store '{store}' holds no entries yet.")
    return entries
