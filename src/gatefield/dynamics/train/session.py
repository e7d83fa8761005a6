"""One training from its first record, or the last committed one, to its last: the loop between chunks.

This one loop serves recording, checkpoints, progress and stopping. A commit is written while the next records are computed.
"""

import dataclasses
import functools
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array

from gatefield.core.errors import UserError
from gatefield.core.machine import check_room
from gatefield.dynamics.pace import Pace
from gatefield.dynamics.train.behind import Behind
from gatefield.dynamics.train.engine import State, observe
from gatefield.dynamics.train.pieces import pieces
from gatefield.dynamics.train.problem import Setup
from gatefield.dynamics.train.recorder import Layout, Recorder, Variable

SECONDS_PER_COMMIT = 2.0
"""About what a kill may cost, and how long progress may be silent."""
BYTES_PER_COMMIT = 2**25
RECORDS_PER_COMMIT = 1000
"""They bound the buffers of the compiled program, which hold the records of one commit."""

Rows = dict[str, np.ndarray]
Made = Future[Rows]
"""Records on their way from the device."""
Progress = Callable[[int, int], None]

UNITS = {"position": "site", "time": "tau", "learning_rate": "tau"}
STATUS = {"flag_values": [0, 1], "flag_meanings": "ok diverged"}


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during training; `record` holds what was committed before it."""

    def __init__(self, record: xr.Dataset, steps: int) -> None:
        self.record = record
        self.step = int(record.step[-1]) if record.sizes.get("step") else 0
        super().__init__(f"Stopped; the last commit is at step {self.step} of {steps}.")


@dataclasses.dataclass
class Session:
    """One call of `train`.

    `marks` are the recorded steps, `chunk` the records per commit (None: by time and memory), `keep_network` whether the last
    commit holds the state too.
    """

    setup: Setup
    marks: np.ndarray
    coords: Mapping[str, tuple[tuple[str, ...], np.ndarray]]
    attrs: Mapping[str, Any]
    identity: str
    chunk: int | None
    keep_network: bool = True
    pace: Pace = dataclasses.field(default_factory=Pace)
    behind: Behind = dataclasses.field(default_factory=Behind)

    def run(self, recorder: Recorder, progress: Progress) -> tuple[Any, xr.Dataset]:
        """Go on from what the recorder finds, or begin, until all records are committed; the trained network and the record.

        The network is None if it was not kept.
        """
        try:
            state = self._run(recorder, progress)
        except KeyboardInterrupt:
            self.behind.close()
            raise Interrupted(recorder.dataset(), int(self.marks[-1])) from None
        finally:
            self.behind.close()
        if not self.keep_network:
            return None, recorder.dataset()
        if state is None:
            raise UserError(
                "The trained network is not in this record, which was made with keep_network=False; pass keep_network=False to "
                "open the record alone, or record the training anew."
            )
        return self.setup.network(state, int(self.marks[-1])), recorder.dataset()

    def _run(self, recorder: Recorder, progress: Progress) -> State | None:
        """Go on until all records are committed; the state after the last one, None if it was not kept when that was found."""
        done, last, state = 0, int(self.marks[-1]), self.setup.state
        capacity = max(self._capacity(state), min(self.chunk or 0, len(self.marks)))
        found, made = recorder.find(self.identity, state), list[Made]()
        if found is None:
            progress(0, last)
            made, state, block = self._begin(state, capacity)
            create = functools.partial(recorder.create, self._layout(state, block))
            self.behind.do(create)
            if not made:  # what comes next compiles, which as making files touches the filters of warnings of all threads
                self.behind.wait()
        else:
            done, state, block = found.records, found.state, found.block
            progress(self._step(done), last)
        while done < len(self.marks):
            count = min(block, len(self.marks) - done)
            more, state = self._advance(state, done + len(made), count - len(made), max(capacity, block))
            kept = state if self.keep_network or done + count < len(self.marks) else None
            commit = functools.partial(_commit, recorder, done, [*made, *more], kept)
            self.behind.do(commit, functools.partial(progress, self._step(done + count), last))
            done, made = done + count, []
        self.behind.wait()
        return state

    def _step(self, done: int) -> int:
        return int(self.marks[done - 1]) if done else 0

    def _begin(self, state: State, capacity: int) -> tuple[list[Made], State, int]:
        """The first records, and how many make a commit: as many as take about two seconds, if they fit into memory."""
        if self.chunk or len(self.marks) == 2:
            return [], state, self.chunk or capacity
        rows, state = self._advance(state, 0, 1, capacity)  # compiles
        start = time.perf_counter()
        more, state = self._advance(state, 1, 1, capacity)
        seconds = time.perf_counter() - start
        return [*rows, *more], state, int(np.clip(SECONDS_PER_COMMIT / seconds, 2, capacity))

    def _observe(self, state: State) -> dict[str, Array]:
        """What all runs show at step 0; only its shapes are asked for, so that it is not compiled."""
        return observe(self.setup.program, state, self.setup.problem, self.setup.group, jnp.int32(0))

    def _capacity(self, state: State) -> int:
        """How many records the buffers of the compiled program can hold."""
        shapes = eqx.filter_eval_shape(self._observe, state)
        size = sum(np.prod(shape.shape) * shape.dtype.itemsize for shape in shapes.values())
        words = f"A record of {shapes['loss'].shape[0]:,} runs at {len(self.marks):,} steps"
        check_room(words, int(size) * len(self.marks), "choose fewer runs, a larger record_every, or smaller sizes")
        return int(np.clip(BYTES_PER_COMMIT // size, 2, min(len(self.marks), RECORDS_PER_COMMIT)))

    def _advance(self, state: State, first: int, count: int, capacity: int) -> tuple[list[Made], State]:
        """The next records, which are fetched from the device behind what it computes next."""
        made: list[Made] = []
        for piece, rows, records in pieces(self.setup, state, self.marks, first, count, capacity, self.pace):
            state = piece
            if records:
                made.append(self.behind.later(functools.partial(_host, rows, records)))
            self.behind.tell()
        return made, state

    def _layout(self, state: State, block: int) -> Layout:
        shapes, dims = eqx.filter_eval_shape(self._observe, state), self.setup.dims
        variables = {name: Variable(("run", "step", *dims[name]), np.dtype(s.dtype)) for name, s in shapes.items()}
        variables["status"] = Variable(("run", "step"), np.dtype(np.int8), STATUS)
        sizes = {"run": shapes["loss"].shape[0], "step": len(self.marks)}
        sizes |= {d: n for name, s in shapes.items() for d, n in zip(dims[name], s.shape[1:], strict=True)}
        coords = {d: ((d,), np.arange(sizes[d]), _unit(d)) for d in sizes if d != "step"}
        coords["step"] = (("step",), self.marks, {})
        coords |= {name: (along, values, _unit(name)) for name, (along, values) in self.coords.items()}
        return Layout("step", sizes, variables, coords, self.attrs, self.identity, block)


def _unit(name: str) -> dict[str, str]:
    return {"units": UNITS[name]} if name in UNITS else {}


def _commit(recorder: Recorder, start: int, made: Sequence[Made], state: State | None) -> None:
    parts = [part.result() for part in made]
    rows = parts[0] if len(parts) == 1 else {name: np.concatenate([part[name] for part in parts], axis=1) for name in parts[0]}
    recorder.commit(start, rows, state)


def _host(rows: dict[str, Array], count: int) -> Rows:
    """The first rows as NumPy arrays, with the status of each run: diverged once its fields or its loss are not finite."""
    arrays = {name: np.asarray(value)[:, :count] for name, value in rows.items()}
    judged = [arrays[name] for name in ("fields", "loss") if name in arrays]
    wrong = [~np.isfinite(a).all(axis=tuple(range(2, a.ndim))) for a in judged]
    return {**arrays, "status": np.any(wrong, axis=0).astype(np.int8)}
