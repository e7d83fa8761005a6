"""A small experiment without any training, and a script that runs it: `python lab_toy.py STORE SECONDS`."""

import math
import sys
import time

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.lab import Experiment, Parameters, Store, Verdict, run


class ToyParameters(Parameters):
    size: int = 5
    gain: float = math.inf
    seconds: float = 0.0


class Counted:
    """A function that counts its calls, and can be told to fail at the first one."""

    def __init__(self, function, fails=""):
        self.function, self.fails, self.calls = function, fails, 0

    def __call__(self, *args):
        if self.fails:
            text, self.fails = self.fails, ""
            raise RuntimeError(text)
        self.calls += 1
        return self.function(*args)


def square(parameters, bench):
    time.sleep(parameters.seconds)
    x = np.arange(parameters.size)
    return xr.Dataset({"square": ("x", x**2.0)}, {"x": x}, {"note": "made by simulate"})


def judge(record):
    largest = float(record.square.max())
    return [
        Verdict.equals("the largest square", (record.sizes["x"] - 1) ** 2, largest),
        Verdict.below("no limit", math.inf, math.nan, note="numbers without end"),
    ]


def toy(simulate=square, fails="") -> Experiment:
    """The experiment; `fails` is "simulate" or "judge" for one that fails there at its first try."""
    return Experiment(
        name="toy",
        title="A parabola",
        text="Squares of numbers.",
        Parameters=ToyParameters,
        presets={"quick": {}, "full": {"size": 50}},
        simulate=Counted(simulate, "cannot simulate" if fails == "simulate" else ""),
        verdicts=Counted(judge, "cannot judge" if fails == "judge" else ""),
        figure=lambda record: Figure(),
    )


if __name__ == "__main__":
    run(toy(), ToyParameters(seconds=float(sys.argv[2])), Store(sys.argv[1]))
