"""Note 002: ReLU units, error-function units, gated linear networks, uncertainty."""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("002")
