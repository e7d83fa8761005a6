"""Flags are True or False, and numbers are real, in networks, tasks and trainings; everything else is one sentence."""

import jax
import numpy as np
import pytest

from gatefield import Committee, ConvGated, DeepGated, Task, UserError, flow, train
from gatefield.data import Gaussian, SinglePulse

KEY = jax.random.key(0)
N = 4
TASK = Task(Gaussian(N, 2.0), Gaussian(N, 1.0))
FLAGS = {
    "stratified": lambda flag: Task(Gaussian(N, 2.0), Gaussian(N, 1.0), stratified=flag),
    "complement": lambda flag: SinglePulse(N, (1, 2), complement=flag),
    "centre": lambda flag: SinglePulse(N, (1, 2), centre=flag),
    "bias": lambda flag: DeepGated(N, [3], gating="relu", bias=flag, key=KEY),
    "record_weights": lambda flag: ConvGated((N, 1), [2], gating="relu", record_weights=flag, key=KEY),
    "keep_network": lambda flag: run(keep_network=flag),
    "progress": lambda flag: run(progress=flag),
    "timed": lambda flag: flow(lambda w: -w, np.ones((1, N)), [0.0, 1.0], timed=flag),
}


def run(**changes):
    return train(Committee(N, 2, key=KEY), TASK, **{"steps": 2, "batch_size": 2, "learning_rate": 0.1, "key": KEY, **changes})


@pytest.mark.wrong_types
@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("value", ["abc", float("nan"), 1, np.ones(2)], ids=str)
def test_flags_are_true_or_false(name, value):
    with pytest.raises(UserError, match=f"{name} must be True or False, but is .*; write {name}=True"):
        FLAGS[name](value)


@pytest.mark.wrong_types
@pytest.mark.parametrize("part", ["bias", "output_bias", "linear"])
@pytest.mark.parametrize("value", ["abc", 1, np.ones(2)], ids=str)
def test_parts_of_a_committee_are_there_or_not_or_frozen(part, value):
    with pytest.raises(UserError, match=f"{part} must be False, True or 'frozen', but is"):
        Committee(N, 2, key=KEY, **{part: value})


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Committee(N, 2, init=1j * np.ones((2, N))), "init"),
        (lambda: Committee(N, 2, init=np.ones((2, N)), bias=True, bias_init=1j), "bias_init"),
        (lambda: DeepGated(N, [3], gating="relu", init=[np.ones((N, 3)), 1j * np.ones(3)]), "init"),
        (lambda: flow(lambda w: -w, 1j * np.ones((1, N)), [0.0, 1.0]), "w0"),
        (lambda: Gaussian(N, np.datetime64("2020-01-01")), "xi"),
        (lambda: run(learning_rate=np.timedelta64(1, "s")), "learning_rate"),
        (lambda: Committee(N, 2, key=KEY)(1j * np.ones((2, N))), "Inputs"),
    ],
)  # fmt: skip
def test_numbers_are_real(make, name):
    with pytest.raises(UserError, match=f"{name} must be .* but is .* not a number"):
        make()
