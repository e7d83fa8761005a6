"""A small experiment and entries of a store, for the tests of what is shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.pyplot import subplots

from gatefield.lab import About, Experiment, Parameters, Verdict


class BumpParameters(Parameters):
    gain: float = 3.0
    steps: int = 1000
    word: str = "half"


def judge(record: xr.Dataset) -> Sequence[Verdict]:
    return [
        Verdict.within("The field's peak is one", 1.0, float(record.field.max()), rtol=0.05),
        Verdict.within(
            "The field is as wide as a quarter of the ring",
            10.0,
            12345.678,
            rtol=0.1,
            kind="claim",
            source="Fig. 2",
            note="It is narrower.",
        ),
    ]


def draw(record: xr.Dataset) -> Figure:
    figure, (left, right) = subplots(1, 2)
    left.plot(record.position, record.field, "o", label="trained")
    left.plot(record.position, record.theory, label="theory")
    left.set(xlabel="position (site)", ylabel="weight", title="Field")
    left.legend()
    picture = np.outer(record.theory, record.theory)
    figure.colorbar(right.imshow(picture), ax=right, label="overlap")
    right.set(xlabel="position (site)", ylabel="position (site)", title=r"Overlap $w_i w_j$")
    return figure


BUMP = Experiment(
    name="bump",
    title="A field condenses on a ring",
    source="Section 2, Fig. 1",
    text="""A neuron is trained on two kinds of signal. Turn `gain` up and its field condenses.

    The line is theory; the dots are the trained field. <b>Not markup</b> & safe.""",
    Parameters=BumpParameters,
    presets={"quick": {"steps": 400}, "full": {"steps": 100_000}},
    durations={"quick": "about 5 s", "full": "about 10 min"},
    simulate=lambda parameters, bench: bump_record(**parameters.model_dump()),
    verdicts=judge,
    figure=draw,
)


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

    def files_digest(self) -> str:
        return ""  # nothing is on the disk

    def record(self) -> xr.Dataset:
        return bump_record(**self.parameters)

    def verdicts(self) -> Sequence[Verdict]:
        return judge(self.record())

    def about(self) -> About:
        return About(experiment=self.name, parameters=self.parameters, created="2024-01-01")


def find(name: str) -> Experiment:
    return {"bump": BUMP}[name]
