"""The option --store, which most commands have."""

import os
import shlex
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from gatefield.core.errors import UserError
from gatefield.core.text.expanded import expanded
from gatefield.core.text.quoted import quoted

_HELP = "The folder of records; the environment variable GATEFIELD_STORE names another one for good."
Store = Annotated[Path, arg(metavar="FOLDER", help=_HELP)]


def default_store() -> Path:
    """The store unless one is named: asked when the command is given, since the environment may change."""
    return Path(os.environ.get("GATEFIELD_STORE") or "gatefield-store")


def of_store(command: str, store: Path) -> str:
    """The command as it is typed for this store.

    >>> of_store("gatefield store", Path("my records"))
    "gatefield store --store 'my records'"
    """
    return command if store == default_store() else f"{command} --store {shlex.quote(str(store))}"


def check_store(store: Path, make: str | None = None) -> None:
    """See that a store is there: one that is not is more likely mistyped than empty; `make` is the command that makes it."""
    from gatefield import lab

    with lab.reading(store):
        missing = not expanded(store).exists()
    if missing:
        where = quoted(str(store))
        make = make or of_store("gatefield tour", store)
        raise UserError(f"There is no store {where}: name another one by --store, or make this one by `{make}`.")
