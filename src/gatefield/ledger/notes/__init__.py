"""The formulas of the ledger: a folder for each source, a file for each of its parts.

Equation 18 of note 002: open `note_002/__init__.py`, which lists the equations that each file holds. Those in no list define
things; docs/reproduction.md has a row for each. What no source prints is in `unprinted/`, under names that begin with `sheet-`.
"""

import dataclasses
import importlib
import pkgutil

from gatefield.ledger.formula import Formula

SOURCES = {
    "000": "Note 000",
    "001": "Note 001",
    "002": "Note 002",
    "003": "Note 003",
    "004": "Paper 004, Deep Gated Networks",
    "sheet": "What no source prints",
}
"""What a formula's `source` may be, and its name for readers."""


def formulas() -> tuple[Formula, ...]:
    """All formulas, source by source and file by file, in the order of their names.

    >>> len({formula.name for formula in formulas()}) == len(formulas())
    True
    """
    files = [found.name for found in pkgutil.walk_packages(__path__, f"{__name__}.") if not found.ispkg]
    listed = [item for file in files for item in importlib.import_module(file).FORMULAS.items()]
    return tuple(dataclasses.replace(formula, name=name) for name, formula in listed)
