"""Student and teacher: fields to teach, and how well a student's fields match them."""

from typing import Any

import jax
import numpy as np
import xarray as xr
from scipy.optimize import linear_sum_assignment

from gatefield.core.grid import Grid
from gatefield.data import Taught
from gatefield.experiments.gates.stability.settings import Settings
from gatefield.experiments.orders import squashed_task
from gatefield.lab import Bench
from gatefield.measures import circular_distance, cosine, ipr
from gatefield.nets import Committee

TEACHERS = ("localized", "oscillating", "random")


def teacher_fields(kind: str, n: int, units: int, seed: int) -> np.ndarray:
    """Fields (units, n) of unit length for one teacher, the same for the same seed.

    `"localized"`: Gaussian bumps of width one site, spread evenly over the ring; `"oscillating"`: one cosine for each of the
    frequencies 2, 3, ..., with random phases; `"random"`: independent normal entries.

    >>> teacher_fields("localized", 12, 2, seed=0).argmax(axis=1).tolist()
    [8, 2]
    """
    random = np.random.default_rng([TEACHERS.index(kind), seed])
    sites, unit = np.arange(n), np.arange(units)[:, None]
    if kind == "localized":
        centre = random.uniform(0, n) + unit * n / units
        fields = np.exp(-(np.asarray(circular_distance(sites, centre, n), float) ** 2) / 2)
    elif kind == "oscillating":
        fields = np.cos(2 * np.pi * ((unit + 2) * sites / n + random.uniform(size=(units, 1))))
    else:
        fields = random.normal(size=(units, n))
    return fields / np.linalg.norm(fields, axis=1, keepdims=True)


def match(teacher: np.ndarray, student: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each unit of the teacher the student's unit that is its own, and their cosine.

    Units are paired one to one such that the sum of cosines is largest; a student may have units left over.

    >>> match(np.eye(2), np.array([[0.1, 2.0], [-1.0, 0.0], [3.0, 0.0]]))[0].tolist()
    [2, 0]
    """
    table = cosine(teacher[:, None], student[None])
    rows, columns = linear_sum_assignment(-table)
    return columns, table[rows, columns]


def _matched(record: xr.Dataset, teachers: np.ndarray) -> dict[str, Any]:
    """Cosines and IPRs of students' last fields, by the units of their teachers (teacher, seed, unit, position)."""
    ends = record.fields.isel(step=-1).values.astype(float)
    lead = ends.shape[:3]
    cosines, fields = np.zeros((*lead, teachers.shape[-2])), np.zeros((*lead, *teachers.shape[-2:]))
    for kind, gain, seed in np.ndindex(*lead):
        at = kind, gain, seed
        own, cosines[at] = match(teachers[kind, seed], ends[at])
        fields[at] = ends[at][own]
    dims = ("teacher", "gain", "seed", "taught_unit")
    return {
        "match_cosine": (dims, cosines, {"long_name": "cosine of a teacher's field with the student's"}),
        "student_ipr": (dims, np.asarray(ipr(fields)), {"long_name": "IPR of the student's field"}),
        "student_fields": ((*dims, "position"), fields, {"long_name": "the student's field for each of the teacher's"}),
        "student_loss": (dims[:-1], record.loss.isel(step=-1).values, {"long_name": "loss of the student at the end"}),
        "start_loss": (dims[:-1], record.loss.isel(step=0).values, {"long_name": "loss of the student at the start"}),
    }


def teachers(p: Settings) -> xr.Dataset:
    fields = np.array([[teacher_fields(kind, p.n, p.teacher_units, s) for s in range(p.seeds)] for kind in TEACHERS])
    dims = ("teacher", "seed", "taught_unit")
    data = {
        "teacher_fields": ((*dims, "position"), fields, {"long_name": "the teacher's fields"}),
        "teacher_ipr": (dims, np.asarray(ipr(fields)), {"long_name": "IPR of the teacher's fields"}),
    }
    return xr.Dataset(data)


def students(p: Settings, bench: Bench, K: int, key: Any) -> xr.Dataset:
    """Students of K units for every teacher, gain and seed."""
    net_key, train_key = jax.random.split(jax.random.fold_in(key, K))
    grid, taught = Grid(teacher=TEACHERS, gain=p.gains, seed=p.seeds), teachers(p).teacher_fields.values
    teacher = Committee(p.n, p.teacher_units, init=grid.share(taught, over=("teacher", "seed")))
    run = bench.train(
        f"students={K}",
        grid.share(Committee(p.n, K, key=jax.random.split(net_key, p.seeds)), over="seed"),
        Taught(squashed_task(p, grid.gain), teacher),
        steps=p.student_steps,
        batch_size=p.student_batch,
        learning_rate=p.student_rate * K,
        record_every=max(1, p.student_steps // 10),
        key=grid.share(jax.random.split(train_key, p.seeds), over="seed"),
        runs=grid,
    ).record
    return xr.Dataset(_matched(run, taught), {**grid.coords, "position": run.position})
