"""Note 001, the gate that looks at one site."""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("001")
