"""Is localization stable: against pushes, beside a linear pathway, and under a teacher?"""

import jax
import xarray as xr

from gatefield.experiments.gates.stability.neurons import pathways, pushed, spectra
from gatefield.experiments.gates.stability.settings import Settings
from gatefield.experiments.gates.stability.students import students, teachers
from gatefield.lab.bench import Bench


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    keys = jax.random.split(jax.random.key(p.seed), 5)
    neurons = pathways(p, bench, keys[0])
    parts = [
        neurons,
        spectra(p, neurons, keys[1]),
        pushed(p, bench, neurons.fields.sel(pathway="none").values, keys[2]),
        teachers(p),
        xr.concat([students(p, bench, K, keys[3]) for K in p.students], dim="student"),
    ]
    record = xr.merge(parts, combine_attrs="drop_conflicts", join="exact", compat="equals")
    return record.assign_coords(student=("student", list(p.students), {"long_name": "units of the student"}))
