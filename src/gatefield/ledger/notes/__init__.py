"""The formulas of the ledger: a folder for each source, a file for each of its parts."""

import importlib

from gatefield.ledger.formula import Entry

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
    "note_000.gated_linear",
    "note_002.race",
    "note_002.relu",
    "note_002.modes",
    "note_002.erf",
    "note_001.data",
    "unprinted.closure",
    "note_003.drift",
    "note_003.hypercube",
    "note_002.uncertainty",
    "paper_004.kernels",
    "paper_004.paths",
    "paper_004.depth",
    "paper_004.soft",
    "paper_004.deep_soft",
    "paper_004.convolution",
    "paper_004.measures",
    "paper_004.alignment",
)
"""The files with entries, in the order in which they are shown; a new file is one more name here."""


def entries() -> tuple[Entry, ...]:
    """All entries, file by file.

    >>> len({entry.name for entry in entries()}) == len(entries())
    True
    """
    modules = (importlib.import_module(f"gatefield.ledger.notes.{name}") for name in MODULES)
    return tuple(entry for module in modules for entry in module.ENTRIES)
