"""What the record of `gated-linear` says of each claim."""

import xarray as xr

from gatefield.lab import Verdict

BATCH, NEAR = 10_000, 0.02
"""SGD may be so far from the exact path at this batch size; at a smaller one the noise is larger, as one over its root."""
ROUNDING = 1e-9
"""Beside an ODE solver with a relative tolerance of 1e-12, over the whole path."""
OFF = 0.1
"""The printed solution is wrong if it ends this far off, which is many times what SGD may be."""
SINGLE = 1e-4
"""Weights of SGD are in single precision: rounding of 1e-7 in each of some thousand steps."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [
        *(_followed(record.sel(case=case)) for case in record.case.values),
        _solved(record),
        _printed(record),
        _kept(record),
    ]


def _followed(one: xr.Dataset) -> Verdict:
    return Verdict.below(
        f"{one.case.values} gates: SGD follows the exact path",
        NEAR * max(1.0, (BATCH / one.attrs["batch_size"]) ** 0.5),
        one.distance.max(),
        predicted=0.0,
        of="largest relative distance of the weights",
        source="note 000, section 4, with 1/K",
        note="worst of seeds and gains, over the whole path; the loss is off by at most "
        f"{float(one.loss_distance.max()):.4f} of its start",
    )


def _solved(record: xr.Dataset) -> Verdict:
    return Verdict.below(
        "the solution agrees with an ODE solver",
        ROUNDING,
        record.ode_distance.max(),
        predicted=0.0,
        of="largest relative distance",
        source="note 002, section 7, with 1/K",
        note="general, exclusive and redundant gates, and a single one",
    )


def _printed(record: xr.Dataset) -> Verdict:
    return Verdict.above(
        "the printed solution, without 1/K before A, is wrong",
        OFF,
        record.printed_distance.sel(case=["general", "exclusive"]).isel(step=-1).min(),
        of="its relative distance from the exact one at the end",
        kind="control",
        source="note 002, equation 56",
        note="the least over seeds and gains, for general and exclusive gates",
    )


def _kept(record: xr.Dataset) -> Verdict:
    return Verdict.below(
        "redundant units keep their difference",
        SINGLE,
        record.kept.max(),
        predicted=0.0,
        of="largest change, as a share of it",
        source="note 002, section 7.3",
    )
