"""A flow is integrated in pieces: they change no bit of it, and an interruption ends it at the next one."""

import signal
import subprocess
import sys
import time

import diffrax
import numpy as np
import pytest
import xarray as xr
from traces import Traces

from gatefield import UserError, flow
from gatefield.dynamics.flow import path

TIMES = [0.0, 0.5, 1.0, 40.0]
STARTS = np.array([[[0.1, 0.5]], [[1.0, -2.0]], [[0.0, 0.0]]])
"""Two runs that move, to be steady at different times, and one that does not."""


class OnePiece(path.Pace):
    """All steps at once."""

    def __init__(self, *_):
        super().__init__(10**6)


class Short(path.Pace):
    """Three steps at a time."""

    def __init__(self, *_):
        super().__init__(3)

    def learn(self, steps, seconds):
        """Nothing."""


def velocity(w):
    return w - w**3


@pytest.mark.parametrize(
    "settings", [{}, {"until": "steady"}, {"solver": "kvaerno5", "rtol": 1e-5}, {"solver": diffrax.Tsit5()}]
)
def test_pieces_change_no_bit(settings, monkeypatch):
    records = []
    for pace in (OnePiece, Short):
        monkeypatch.setattr(path, "Pace", pace)
        records.append(flow(velocity, STARTS, TIMES, **settings))
    xr.testing.assert_identical(*(record.drop_attrs() for record in records))


def test_the_longest_path_is_counted_over_all_pieces(monkeypatch):
    monkeypatch.setattr(path, "Pace", Short)
    with pytest.raises(UserError, match="The flow made 7 steps and reached time"):
        flow(velocity, STARTS, TIMES, max_steps=7)


def test_all_pieces_are_of_one_program(monkeypatch):
    traced = Traces()

    def counted(w):
        traced.append(1)
        return velocity(w)

    monkeypatch.setattr(path, "Pace", Short)
    flow(counted, STARTS, TIMES, max_steps=100)
    before = len(traced)
    monkeypatch.setattr(path, "Pace", OnePiece)
    flow(counted, STARTS, TIMES, max_steps=200)
    assert len(traced) - before <= 2  # the checks of the velocity, not the program


LONG = """
import signal, numpy as np, jax.numpy as jnp
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell ignores in what it starts in the background
from gatefield import flow
def rough(w):
    return jnp.where(jnp.sin(1e9 * w) > 0, 1.0, -0.9) + 0 * jnp.linalg.norm(jnp.sin(w.sum() + jnp.arange(30_000.0)))
print("starts", flush=True)
flow(rough, np.ones((1, 2)), [0.0, 1e3], max_steps=10**9)
"""


def test_an_interruption_ends_a_long_flow():
    """One that takes hours; without pieces it does not end."""
    child = subprocess.Popen(
        [sys.executable, "-c", LONG],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout.readline() == "starts\n"
        time.sleep(8)  # it is compiled by then, as a rule
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        begin = time.monotonic()
        _, said = child.communicate(timeout=30)
        assert time.monotonic() - begin < 15  # a piece is of one second of a machine that does nothing else
        assert said.rstrip().endswith("KeyboardInterrupt")
    finally:
        child.kill()
        child.wait()
