"""What does not fit into memory is refused before it is made."""

import jax
import pytest

from gatefield import Committee, Task, UserError, train
from gatefield.core import memory
from gatefield.data import Gaussian


def test_a_container_may_have_less_than_the_machine(tmp_path, monkeypatch):
    machine = memory.memory()
    monkeypatch.setattr(memory, "_LIMIT", tmp_path / "memory.max")
    for text, there in (("max\n", machine), ("5000000\n", 5_000_000), (f"{2 * machine}\n", machine)):
        (tmp_path / "memory.max").write_text(text)
        assert memory.memory() == there


def test_a_record_that_does_not_fit_is_one_sentence(monkeypatch):
    """By hand: 2 runs of fields (1, 6) and a loss, 28 bytes in single precision, at 101 steps are 5,656 bytes."""
    monkeypatch.setattr(memory, "memory", lambda: 5_000)
    net, task = Committee(6, 1, key=jax.random.split(jax.random.key(0), 2)), Task(Gaussian(6, 1.0), Gaussian(6, 2.0))
    settings = {"batch_size": 10, "learning_rate": 0.1, "key": jax.random.key(1), "steps": 100}
    with pytest.raises(UserError, match=r"A record of 2 runs at 101 steps would take 5.7 kB .* there are 5 kB; choose fewer"):
        train(net, task, record_every=1, **settings)
