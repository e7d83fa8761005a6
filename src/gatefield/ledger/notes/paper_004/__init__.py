"""Paper 004: deep gated networks.

- `gram_matrix.py`: section 1, equations 1 and 2, table 1
- `fixed_gates.py`: equation 3, lemmas 2.1, 2.2 and 2.4, theorem 2.3
- `depth.py`: section 2, experiments 2 and 8, figures 1 to 3
- `soft_gates.py`: section 3, definition 3.1, lemma 3.1, experiments 3, 4 and 6, table 2
- `sub_networks.py`: section 3.1, the sensitive sub-network
- `alignment.py`: section 3, figures 6 and 8
- `convolution.py`: section 4, footnote 5, lemmas 4.1 and 8.2
- `proofs.py`: section 7, corollary 8.1, equations 10 to 16
"""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("004")
