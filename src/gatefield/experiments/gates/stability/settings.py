"""The settings of `stability`, and the task and training that its parts share."""

from typing import Annotated, Any

import pydantic
import xarray as xr

from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.experiments.orders import squashed_task
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.nets import Committee

Rates = Annotated[tuple[Rate, ...], pydantic.Field(min_length=1)]
Counts = Annotated[tuple[Count, ...], pydantic.Field(min_length=1)]


class Settings(Parameters):
    """One neuron for each gain and seed, its pathways and pushes; students of each size for each teacher, gain and seed.

    `sizes` are those of pushes, relative to the field; `pathway_sizes` are the lengths of pathways that are frozen;
    `student_rate` is the learning rate for each unit of a student; `samples` are inputs for the drift, `lines` those by which
    its Jacobian is sampled (see `theory.drift_jacobian`).
    """

    n: Count = 40
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    gains: Gains = (0.01, 3.0, float("inf"))
    learning_rate: Rate = 0.1
    batch_size: Count = 1_000
    steps: Count = 3_000
    seeds: Count = 32
    sizes: Rates = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
    pathway_sizes: Rates = (0.1, 0.2, 0.4)
    samples: Count = 400_000
    lines: Count = 40_960
    teacher_units: Count = 4
    students: Counts = (4, 8)
    student_rate: Rate = 1.0
    student_batch: Count = 500
    student_steps: Count = 4_000
    seed: Seed = 0

    @pydantic.model_validator(mode="after")
    def _enough_units(self) -> "Settings":
        if min(self.students) < self.teacher_units:
            raise UserError(
                f"students must have at least as many units as the teacher, {self.teacher_units}, but one has "
                f"{min(self.students)}; write for instance students={self.teacher_units},{2 * self.teacher_units}."
            )
        return self


def train_neurons(p: Settings, bench: Bench, part: str, net: Committee, grid: Grid, keys: Any) -> xr.Dataset:
    """Neurons with or without a pathway, one for each run of the grid."""
    return bench.train(
        part,
        net,
        squashed_task(p, grid.gain),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=max(1, p.steps // 20),
        key=keys,
        runs=grid,
    ).record
