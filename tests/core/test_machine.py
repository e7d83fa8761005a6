"""What there is of a machine; what does not fit into its memory is refused before it is made."""

import os

import jax
import pytest

from gatefield import Committee, Task, UserError, train
from gatefield.core import machine
from gatefield.data import Gaussian


def test_a_container_may_have_less_than_the_machine(tmp_path, monkeypatch):
    there_is = machine.memory()
    monkeypatch.setattr(machine, "_LIMIT", tmp_path / "memory.max")
    for text, there in (("max\n", there_is), ("5000000\n", 5_000_000), (f"{2 * there_is}\n", there_is)):
        (tmp_path / "memory.max").write_text(text)
        assert machine.memory() == there


def test_a_record_that_does_not_fit_is_one_sentence(monkeypatch):
    """By hand: 2 runs of fields (1, 6) and a loss, 28 bytes in single precision, at 101 steps are 5,656 bytes."""
    monkeypatch.setattr(machine, "memory", lambda: 5_000)
    net, task = Committee(6, 1, key=jax.random.split(jax.random.key(0), 2)), Task(Gaussian(6, 1.0), Gaussian(6, 2.0))
    settings = {"batch_size": 10, "learning_rate": 0.1, "key": jax.random.key(1), "steps": 100}
    with pytest.raises(UserError, match=r"A record of 2 runs at 101 steps would take 5.7 kB .* there are 5 kB; choose fewer"):
        train(net, task, record_every=1, **settings)


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {5, 2}, raising=False)
    assert (machine.core_numbers(), machine.cores()) == ([2, 5], 2)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert (machine.core_numbers(), machine.cores()) == ([0, 1, 2], 3)
