"""Student and teacher: fields to teach, and how well a student's fields match them."""

from typing import Any

import jax
import numpy as np
import xarray as xr
from scipy.optimize import linear_sum_assignment

from gatefield.data import Taught
from gatefield.experiments.gates.stability.settings import Settings, two_classes
from gatefield.experiments.unfold import unfold
from gatefield.lab.bench import Bench
from gatefield.measures import circular_distance, ipr
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
    unit = [w / np.linalg.norm(w, axis=1, keepdims=True) for w in (teacher, student)]
    cosines = unit[0] @ unit[1].T
    rows, columns = linear_sum_assignment(-cosines)
    return columns, cosines[rows, columns]


def _matched(record: xr.Dataset, teachers: np.ndarray) -> dict[str, Any]:
    """Cosines and IPRs of students' last fields (teacher, gain, seed, unit, position), by the teacher's units."""
    lead, units = record.fields.shape[:3], teachers.shape[-2]
    ends = record.fields.isel(step=-1).values.astype(float)
    cosine, fields = np.zeros((*lead, units)), np.zeros((*lead, units, teachers.shape[-1]))
    for i in np.ndindex(*lead):
        own, cosine[i] = match(teachers[i], ends[i])
        fields[i] = ends[i][own]
    dims = ("teacher", "gain", "seed", "taught_unit")
    return {
        "match_cosine": (dims, cosine, {"long_name": "cosine of a teacher's field with the student's"}),
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
    by_seed = teachers(p).teacher_fields.values
    taught = np.broadcast_to(by_seed[:, None], (len(TEACHERS), len(p.gains), *by_seed.shape[1:]))
    gain = np.broadcast_to(np.asarray(p.gains)[:, None], taught.shape[:3])
    copies = gain.size // p.seeds
    run = bench.train(
        f"students={K}",
        Committee(p.n, K, key=jax.numpy.tile(jax.random.split(net_key, p.seeds), copies)),
        Taught(two_classes(p, gain.ravel()), Committee(p.n, p.teacher_units, init=taught.reshape(-1, p.teacher_units, p.n))),
        steps=p.student_steps,
        batch_size=p.student_batch,
        learning_rate=p.student_rate * K,
        record_every=max(1, p.student_steps // 10),
        key=jax.numpy.tile(jax.random.split(train_key, p.seeds), copies),
    ).record
    run = unfold(run, {"teacher": TEACHERS, "gain": p.gains, "seed": range(p.seeds)})
    return xr.Dataset(_matched(run, taught), {name: run[name] for name in ("teacher", "gain", "seed", "position")})
