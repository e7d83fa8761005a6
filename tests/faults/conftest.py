"""The scripts of `benchmarks/faults`, of which each has a short part here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "faults"))
