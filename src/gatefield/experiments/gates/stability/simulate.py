"""Is localization stable: against pushes, beside a linear pathway, and under a teacher?"""

import jax
import xarray as xr

from gatefield.experiments.gates.stability.neurons import pathways, pushed, spectra
from gatefield.experiments.gates.stability.settings import Settings
from gatefield.experiments.gates.stability.students import students, teachers
from gatefield.lab import Bench


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    pathway_key, jacobian_key, push_key, student_key, _ = jax.random.split(jax.random.key(p.seed), 5)
    neurons = pathways(p, bench, pathway_key)
    parts = [
        neurons,
        spectra(p, neurons, jacobian_key),
        pushed(p, bench, neurons.fields.sel(pathway="none").values, push_key),
        teachers(p),
        xr.concat([students(p, bench, K, student_key) for K in p.students], dim="student"),
    ]
    record = xr.merge(parts, combine_attrs="drop_conflicts", join="exact", compat="equals")
    return record.assign_coords(student=("student", list(p.students), {"long_name": "units of the student"}))
