"""`gatefield report`."""

import dataclasses
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from gatefield.cli.find import find_experiments
from gatefield.cli.store_option import Store, default_store


@dataclasses.dataclass(frozen=True)
class Report:
    """Write one self-contained HTML page of everything in the store: figures, verdicts, provenance, the last check."""

    store: Store = dataclasses.field(default_factory=default_store)

    output: Annotated[Path, arg(metavar="FILE")] = Path("gatefield-report.html")
    """The page to write."""

    studies: Annotated[tuple[str, ...], Positional, arg(metavar="FILE.py...", help_behavior_hint="")] = ()
    """Files with experiments of your own, whose verdicts and figures are then made anew; else they are shown as last run."""

    def __call__(self) -> int:
        from gatefield import experiments, lab, ledger, show
        from gatefield.core.progress import training_progress

        own = {experiment.name: experiment for word in self.studies for experiment in find_experiments(word)}
        with training_progress(name="report") as progress:
            page = show.write_report(
                lab.Store(self.store).entries(),
                self.output,
                find=lambda name: own[name] if name in own else experiments.get(name),
                ledger=ledger.read_ledger(self.store),
                progress=progress,
            )
        print(f"The report page, for any browser: {page.resolve()}")
        return 0
