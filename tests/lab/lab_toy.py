"""A small experiment without any training, and a script that runs it: `python lab_toy.py STORE SECONDS`."""

import math
import sys
import time

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.lab import Store, run
from gatefield.lab.experiment import Experiment, Parameters, Verdict


class Toy(Experiment):
    name = "toy"
    title = "A parabola"
    source = "none"
    text = "Squares of numbers."

    class Parameters(Parameters):
        size: int = 5
        gain: float = math.inf
        seconds: float = 0.0

    presets = {"quick": {}, "full": {"size": 50}}  # noqa: RUF012
    durations = {"quick": "no time", "full": "no time"}  # noqa: RUF012

    def __init__(self) -> None:
        self.simulations = 0

    def simulate(self, parameters, bench):
        self.simulations += 1
        time.sleep(parameters.seconds)
        x = np.arange(parameters.size)
        return xr.Dataset({"square": ("x", x**2.0)}, {"x": x}, {"note": "made by simulate"})

    def verdicts(self, record):
        largest = float(record.square.max())
        return [
            Verdict("the largest square", (record.sizes["x"] - 1) ** 2, largest, "exact", True),
            Verdict("no limit", math.inf, math.nan, "none", np.bool_(False), note="numbers without end"),  # pyright: ignore
        ]

    def figure(self, record):
        return Figure()


if __name__ == "__main__":
    run(Toy(), Toy.Parameters(seconds=float(sys.argv[2])), Store(sys.argv[1]))
