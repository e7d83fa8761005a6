"""Trainings on an open line, for whose samples the root of a matrix is taken within the compiled program."""

import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest

from gatefield import Committee, Task
from gatefield.data import NonlinearGP
from gatefield.dynamics import init
from gatefield.dynamics.train.engine import advance

SCRIPT = """
import os
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
import jax, numpy as np, optax
from gatefield import Committee, Task, train
from gatefield.data import NonlinearGP
keys = jax.random.split(jax.random.key(0), 4)
task = Task(*(NonlinearGP(40, np.full(4, xi), np.full(4, 3.0), boundary="line") for xi in (2.0, 1.0)))
for settings in ({"learning_rate": 0.003, "optimizer": "adam"}, {"learning_rate": optax.cosine_decay_schedule(0.1, 20)}):
    train(Committee(40, 1, key=keys), task, steps=20, batch_size=50, record_every=10, key=keys, **settings)
"""


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="the threads of a CPU")
def test_a_program_has_no_batch_of_eigenproblems():
    """Of two batches in one program each can take one of two threads and wait for the other, for ever."""
    classes = [NonlinearGP(6, [xi] * 4, [3.0] * 4, boundary="line") for xi in (2.0, 1.0)]
    net = Committee(6, 1, key=jax.random.split(jax.random.key(0), 4))
    setup = init(net, Task(*classes), batch_size=5, learning_rate=0.1, optimizer="adam", key=jax.random.key(1)).setup
    marks, one = jnp.array([0, 1]), jnp.int32(1)
    text = advance.lower(setup.program, setup.state, setup.problem, marks, 1, setup.group, one, one).as_text()
    shapes = re.findall(r"syevd_ffi\(.*: \(tensor<([\dx]+)xf32>", text)
    assert setup.group == 4
    assert set(shapes) == {"6x6"}


@pytest.mark.slow
def test_adam_and_a_schedule_come_to_an_end_on_two_cores():
    subprocess.run([sys.executable, "-c", SCRIPT], timeout=120, check=True)
