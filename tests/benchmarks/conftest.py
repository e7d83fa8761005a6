"""The scripts of `benchmarks` that write the results at full size."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
