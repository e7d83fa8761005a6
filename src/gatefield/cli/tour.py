"""The tour: the main job in about two minutes."""

import dataclasses
import textwrap
from typing import TYPE_CHECKING

from gatefield.cli.messages import to_stderr
from gatefield.cli.programs import use_cache
from gatefield.cli.report import Report
from gatefield.cli.run import run_experiment
from gatefield.cli.store_option import Store, default_store

if TYPE_CHECKING:
    from gatefield.lab import Experiment

EXPERIMENTS = ("gaussian-neuron", "localization")

INTRODUCTION = """\
A neuron's receptive field is the weight it gives to each position of its input.
Here a neuron learns to tell two kinds of signal on a ring apart: one varies over long distances, the other over short ones.
Which shape does its field take: a wave around the whole ring, or a bump on a few neighbouring positions?"""


@dataclasses.dataclass(frozen=True)
class Tour:
    """The main job in about two minutes: train neurons on two kinds of data, lay theory over both, write a report page."""

    store: Store = dataclasses.field(default_factory=default_store)

    def __call__(self) -> int:
        to_stderr("gatefield tour: two experiments, about two minutes; stop it at any time, and it goes on from there.")
        use_cache()
        from gatefield import experiments

        print(f"\n{INTRODUCTION}")
        for name in EXPERIMENTS:
            experiment = experiments.get(name)
            print(f"\n{story(experiment)}\n", flush=True)
            run_experiment(experiment, "quick", (), self.store, fresh=False)
        print()
        return Report(self.store)()


def story(experiment: "Experiment") -> str:
    """The experiment in a few lines: what is asked, and what to look at."""
    first = " ".join(experiment.text.strip().split("\n\n")[0].split())
    return f"{experiment.title}\n{textwrap.fill(first, 100, initial_indent='  ', subsequent_indent='  ')}"
