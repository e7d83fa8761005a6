"""Note 002: ReLU units, error-function units, gated linear networks, uncertainty.

- `relu_flow.py`: equations 4 to 20
- `relu_modes.py`: equations 21 to 31
- `fourier_basis.py`: equations 32 to 35, and after 20
- `small_bump.py`: equations 36 and 66 to 74, section 5.2
- `erf.py`: equations 38 to 43, section 3
- `gated_linear.py`: equations 44 to 59 and 64
- `race.py`: equations 60 to 63 and 65, section 5.1
- `uncertainty.py`: section on the uncertainty principle
"""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("002")
