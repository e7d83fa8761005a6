"""Note 000: gated linear networks.

- `flow.py`: equations 1 to 11, section 5
- `limiting_loss.py`: equations 13 to 18, section 3.3
- `special_gates.py`: equations 19 to 32
"""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("000")
