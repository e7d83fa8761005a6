"""Note 001: the one-site gate.

- `small_bump.py`: all equations, 4 to 13
"""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("001")
