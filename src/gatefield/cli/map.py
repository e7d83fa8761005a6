"""`gatefield map`."""

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

from tyro.conf import arg


@dataclasses.dataclass(frozen=True)
class Map:
    """The reproduction map: each equation, figure, table, lemma, experiment and question of the sources, and what became of it.

    It is made from the ledger, the experiments and their verdicts at full size; nothing is run.
    """

    json: Annotated[bool, arg(help_behavior_hint="")] = False
    """Print all rows as a JSON list instead of counts."""

    output: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="(default: gatefield-map.html)")] = None
    """The page to write, or Markdown if its name ends in .md. With --json none is written unless this names it."""

    def __call__(self) -> int:
        from gatefield import lab

        path = self.output or (None if self.json else Path("gatefield-map.html"))
        if path is not None:
            lab.check_output(path, "md" if path.suffix == ".md" else "html")
        self._show()
        if path is not None:
            self._write(path)
        return 0

    def _show(self) -> None:
        import json

        from rich.console import Console

        from gatefield import show
        from gatefield.core.text.plain import plain

        if self.json:
            print(json.dumps(plain(show.map_rows()), indent=2, allow_nan=False), flush=True)
        else:
            show.show_map(Console())

    def _write(self, path: Path) -> None:
        from gatefield import show

        page = show.write_map(path)
        words = "in Markdown" if page.suffix == ".md" else "for any browser"
        print(f"The map, {words}: {page.resolve()}", file=sys.stderr if self.json else sys.stdout)
