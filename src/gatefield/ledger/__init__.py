"""Every formula of the sources, checked against an independent estimate; and the inventory of what the sources say and ask."""

from gatefield.ledger.check import check as check
from gatefield.ledger.check import examine as examine
from gatefield.ledger.file import Ledger as Ledger
from gatefield.ledger.file import read_ledger as read_ledger
from gatefield.ledger.file import write_ledger as write_ledger
from gatefield.ledger.formula import Finding as Finding
from gatefield.ledger.formula import Formula as Formula
from gatefield.ledger.inventory import Item as Item
from gatefield.ledger.inventory import inventory as inventory
from gatefield.ledger.notes import SOURCES as SOURCES
from gatefield.ledger.notes import formulas as formulas

__all__ = [
    "SOURCES",
    "Finding",
    "Formula",
    "Item",
    "Ledger",
    "check",
    "examine",
    "formulas",
    "inventory",
    "read_ledger",
    "write_ledger",
]
