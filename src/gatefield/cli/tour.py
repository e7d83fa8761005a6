"""The words around the tour."""

import textwrap

from gatefield.lab.experiment import Experiment

EXPERIMENTS = ("gaussian-neuron", "localization")

INTRODUCTION = """\
A neuron's receptive field is the weight it gives to each position of its input.
Here a neuron learns to tell two kinds of signal on a ring apart: one varies over long distances, the other over short ones.
Which shape does its field take: a wave around the whole ring, or a bump on a few neighbouring positions?"""


def story(experiment: Experiment) -> str:
    """The experiment in a few lines: what is asked, and what to look at."""
    first = " ".join(experiment.text.strip().split("\n\n")[0].split())
    return f"{experiment.title}\n{textwrap.fill(first, 100, initial_indent='  ', subsequent_indent='  ')}"
