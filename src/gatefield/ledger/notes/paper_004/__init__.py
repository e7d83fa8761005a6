"""Paper 004, Deep Gated Networks: paths, kernels, depth, soft gates, convolutions."""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("004")
