"""Note 000, gated linear networks: flow, limits, special gates."""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("000")
