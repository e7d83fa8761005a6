"""`gatefield data`."""

import dataclasses
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from gatefield.cli.messages import report_error, to_stderr
from gatefield.core.errors import UserError, unknown_name

DATA_SETS = ("mnist", "cifar10")
"""For completion, which is to be quick: `gatefield.data` itself takes a second to load."""


@dataclasses.dataclass(frozen=True)
class Data:
    """Fetch and verify the published data sets, or check a folder that already has them."""

    names: Annotated[tuple[str, ...], Positional, arg(metavar="[NAME...]", help_behavior_hint="")] = ()
    """Which data sets; all of them by default."""

    folder: Annotated[Path | None, arg(metavar="FOLDER", help_behavior_hint="")] = None
    """A folder that holds the files; the environment variable GATEFIELD_DATA names one for good. Without, the user's cache."""

    mirror: Annotated[str | None, arg(metavar="NAME", help_behavior_hint="")] = None
    """Where to fetch from; by default one place after the other."""

    def __call__(self) -> int:
        from gatefield.data.images import COLLECTIONS

        names = list(dict.fromkeys(self.names)) or list(COLLECTIONS)
        for name in names:
            if name not in COLLECTIONS:
                raise unknown_name("data set", name, COLLECTIONS)
        return max([self._one(name) for name in names])

    def _one(self, name: str) -> int:
        """All files of one set; what is wrong with several of them is said once."""
        from gatefield.data.images import COLLECTIONS, Unreachable, files_of, locate

        wrong: dict[str, UserError] = {}
        for file in files_of(COLLECTIONS[name], self.folder):
            try:
                found = locate(COLLECTIONS[name], file, self.folder, self.mirror, to_stderr)
                print(f"{name}: {file} {found.status}, {found.path}", flush=True)
            except UserError as error:
                wrong[str(error)] = error
                if isinstance(error, Unreachable):
                    break
        return max(map(report_error, wrong.values()), default=0)
