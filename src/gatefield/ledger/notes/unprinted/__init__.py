"""What no source prints, and the library has: by subject."""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("sheet")
