"""A small experiment and entries of a store, for the tests of what is shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.pyplot import subplots

from gatefield.lab.experiment import Experiment, Parameters, Verdict


class BumpParameters(Parameters):
    gain: float = 3.0
    steps: int = 1000
    word: str = "half"


class Bump(Experiment):
    name = "bump"
    title = "A field condenses on a ring"
    source = "Section 2, Fig. 1"
    text = """A neuron is trained on two kinds of signal. Turn `gain` up and its field condenses.

    The line is theory; the dots are the trained field. <b>Not markup</b> & safe."""
    Parameters = BumpParameters
    presets: ClassVar = {"quick": {"steps": 400}, "full": {"steps": 100_000}, "tiny": {"steps": 10}}
    durations: ClassVar = {"quick": "about 5 s", "full": "about 10 min", "tiny": "1 s"}

    def simulate(self, parameters: Any, bench: Any) -> xr.Dataset:
        return bump_record(**parameters.model_dump())

    def verdicts(self, record: xr.Dataset) -> Sequence[Verdict]:
        peak = float(record.field.max())
        return [
            Verdict("The field's peak is one", 1.0, peak, "within 5 %", abs(peak - 1) < 0.05),
            Verdict(
                "The field is as wide as a quarter of the ring", 10.0, 12345.678, "within 10 %", False, note="It is narrower."
            ),
        ]

    def figure(self, record: xr.Dataset) -> Figure:
        figure, (left, right) = subplots(1, 2)
        left.plot(record.position, record.field, "o", label="trained")
        left.plot(record.position, record.theory, label="theory")
        left.set(xlabel="position (site)", ylabel="weight", title="Field")
        left.legend()
        picture = np.outer(record.theory, record.theory)
        figure.colorbar(right.imshow(picture), ax=right, label="overlap")
        right.set(xlabel="position (site)", ylabel="position (site)", title=r"Overlap $w_i w_j$")
        return figure


def bump_record(gain: float = 3.0, steps: int = 400, word: str = "half") -> xr.Dataset:
    position = np.arange(40)
    theory = np.exp(-(((position - 20) / 4) ** 2))
    noise = 0.02 * np.random.default_rng(0).normal(size=40)
    data = {"field": ("position", theory + noise), "theory": ("position", theory)}
    attrs = {
        "experiment": "bump",
        "parameters": {"gain": gain, "steps": steps, "word": word},
        "device": "cpu (2 cores)",
        "key": 7,
    }
    return xr.Dataset(data, coords={"position": position}, attrs=attrs)


@dataclass
class FakeEntry:
    """What the report reads of an entry of a `gatefield.lab.Store`."""

    name: str = "bump"
    id: str = "0123abcd"
    path: Path = Path("gatefield-store/bump/0123abcd")
    status: str = "finished"
    problem: str | None = None
    parameters: dict[str, Any] = field(default_factory=lambda: {"gain": 3.0, "steps": 400, "word": "half"})

    def record(self) -> xr.Dataset:
        return bump_record(**self.parameters)

    def verdicts(self) -> Sequence[Verdict]:
        return Bump().verdicts(self.record())


def find(name: str) -> Experiment:
    return {"bump": Bump}[name]()
