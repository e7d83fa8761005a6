"""How much work to send to the device at a time: what is sent cannot be called back."""

import contextlib
from collections.abc import Iterator

import jax
import numpy as np

SECONDS = 1.0
"""How long a piece should take."""
FIRST, FASTER = 16, 16
"""Steps of the first piece, when nothing is known yet, and by how much the next one may be longer at most."""


class Pace:
    """How many steps make a piece, learned from the piece before."""

    def __init__(self, first: int = FIRST, faster: int = FASTER) -> None:
        self.steps, self.faster = first, faster

    def learn(self, steps: int, seconds: float) -> None:
        """From a piece of so many steps."""
        if steps:
            fitting = int(steps * SECONDS / max(seconds, 1e-9))
            self.steps = int(np.clip(fitting, 1, min(self.faster * max(steps, self.steps), 2**30)))


@contextlib.contextmanager
def nothing_left_behind() -> Iterator[None]:
    """Let an interruption pass when the device is done: nothing is to wait behind it, nor is Python to end before it."""
    try:
        yield
    except KeyboardInterrupt:
        # Results are among the live arrays even if the interruption came before they had a name.
        jax.block_until_ready(jax.live_arrays())
        raise
