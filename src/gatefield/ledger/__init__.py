"""Every formula of the sources, checked against an independent estimate."""

from gatefield.ledger.check import Finding as Finding
from gatefield.ledger.check import check as check
from gatefield.ledger.check import ledger as ledger
from gatefield.ledger.file import Ledger as Ledger
from gatefield.ledger.file import read_ledger as read_ledger
from gatefield.ledger.file import write_ledger as write_ledger
from gatefield.ledger.notes import SOURCES as SOURCES

__all__ = ["SOURCES", "Finding", "Ledger", "check", "ledger", "read_ledger", "write_ledger"]
