"""What the record of `gated-linear` says of each claim."""

import xarray as xr

from gatefield.lab import Verdict

BATCH, NEAR = 10_000, 0.02
"""SGD may be so far from the exact path at this batch size; at a smaller one the noise is larger, as one over its root."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [_followed(record), _printed(record)]


def noise(record: xr.Dataset) -> float:
    """How far SGD may be from the exact path: chosen at one batch size, it grows as the noise of smaller ones."""
    return NEAR * max(1.0, (BATCH / record.attrs["batch_size"]) ** 0.5)


def _followed(record: xr.Dataset) -> Verdict:
    off = {str(case): float(record.distance.sel(case=case).max()) for case in record.case.values}
    words = "largest relative distance of the weights"
    rows = {f"{case} gates": Verdict.below("", noise(record), value, predicted=0.0, of=words) for case, value in off.items()}
    worst, loss = max(off, key=lambda case: off[case]), float(record.loss_distance.max())
    losses = (
        f"behind all {len(off)} kinds of gates the loss of SGD is off the exact one by at most {100 * loss:.2g} % of its start"
    )
    return Verdict.each(
        "a gated linear network trained by SGD follows its exact solution",
        rows,
        source="note 000, section 4, with 1/K",
        note=f"worst of seeds, gains and times; bound: {NEAR:g} at a batch of {BATCH:,}, else by its root; "
        f"the loss is off by at most {loss:.4f} of its start",
        found=f"SGD stays within {100 * off[worst]:.2g} % of the exact path behind all {len(off)} kinds of gates",
        otherwise=f"SGD leaves the exact path behind {worst} gates (by {100 * off[worst]:.2g} %)",
        more_found=losses,
        more_otherwise=losses,
    )


def _printed(record: xr.Dataset) -> Verdict:
    """What the note prints, without 1/K before A, against the bound that SGD keeps."""
    ends = {case: float(record.printed_distance.sel(case=case).isel(step=-1).max()) for case in ("general", "exclusive")}
    words = "relative distance from the exact weights at the end"
    rows = {f"{case} gates": Verdict.below("", noise(record), value, of=words) for case, value in ends.items()}
    return Verdict.each(
        "the solution as printed, without the factor 1/K before A, ends at the weights of SGD",
        rows,
        kind="claim",
        source="note 002, equation 56",
        note="largest over seeds and gains; with one unit K = 1 and there is no difference",
        found="that of note 002, without a factor 1/K, ends there too",
        otherwise=f"that of note 002, without a factor 1/K, ends up to {100 * max(ends.values()):.0f} % off",
    )
