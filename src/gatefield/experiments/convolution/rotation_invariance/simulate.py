"""Circular convolutions with a mean over positions: invariant to rotations if the gates rotate too."""

import xarray as xr

from gatefield.experiments.convolution.rotation_invariance.maxima import maxima
from gatefield.experiments.convolution.rotation_invariance.moments import moments
from gatefield.experiments.convolution.rotation_invariance.ring import RingSettings
from gatefield.experiments.convolution.rotation_invariance.training import trainings
from gatefield.lab import Bench


def simulate(p: RingSettings, bench: Bench) -> xr.Dataset:
    """The record."""
    found = xr.merge([moments(p), maxima(p), trainings(p, bench)], join="exact", combine_attrs="drop_conflicts")
    return found.assign_attrs(length=p.length)
