"""Note 003: a single ReLU neuron on hypercube data.

- `drift.py`: equations 1 to 5, sections 1 and 2
- `elliptical.py`: equation 6, Gaussian and elliptical data
- `squashed.py`: equation 7
- `bumps.py`: equations 8 to 12, section 3
- `corners.py`: equations 13 to 22, section 3.1
"""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("003")
