"""The option --store, which most commands have."""

import os
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

_HELP = "The folder of records; the environment variable GATEFIELD_STORE names another one for good."
Store = Annotated[Path, arg(metavar="FOLDER", help=_HELP)]


def default_store() -> Path:
    """The store unless one is named: asked when the command is given, since the environment may change."""
    return Path(os.environ.get("GATEFIELD_STORE") or "gatefield-store")
