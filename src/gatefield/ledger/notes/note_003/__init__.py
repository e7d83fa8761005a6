"""Note 003, one ReLU neuron: the drift on any data, and signs on the corners of the cube."""

from gatefield.ledger.formula import by_status

holds, holds_if, corrected, refuted, left_open = by_status("003")
