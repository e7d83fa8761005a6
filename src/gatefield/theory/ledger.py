"""The ledger's entries about theory. Those of other rooms are gathered in `gatefield.lab`."""

import importlib

from gatefield.theory._entry import Entry as Entry
from gatefield.theory._entry import Estimate as Estimate

SOURCES = {
    "000": "Note 000",
    "001": "Note 001",
    "002": "Note 002",
    "003": "Note 003",
    "004": "Paper 004, Deep Gated Networks",
    "sheet": "What no source prints",
}
"""What an entry's `source` may be, and its name for readers."""

MODULES = (
    "_ledger_gated_linear",
    "_ledger_gated_race",
    "_ledger_relu",
    "_ledger_relu_modes",
    "_ledger_erf",
    "_ledger_data",
    "_ledger_closure",
    "_ledger_drift",
    "_ledger_hypercube",
)
"""The files with entries, in the order in which they are shown; a new file is one more name here."""

__all__ = ["MODULES", "SOURCES", "Entry", "Estimate", "entries"]


def entries() -> tuple[Entry, ...]:
    """All entries of the theory room.

    >>> len({entry.name for entry in entries()}) == len(entries())
    True
    """
    modules = (importlib.import_module(f"gatefield.theory.{name}") for name in MODULES)
    return tuple(entry for module in modules for entry in module.ENTRIES)
