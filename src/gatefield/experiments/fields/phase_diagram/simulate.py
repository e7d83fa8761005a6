"""One neuron for every gain and ratio of the length scales, read at two times; and rings of other sizes along two cuts."""

from typing import Annotated, Any

import numpy as np
import xarray as xr
from pydantic import AfterValidator, BeforeValidator, Field

from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP, Task
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.ends import settled
from gatefield.experiments.few_sites import reached, states
from gatefield.experiments.fields.phase_diagram.theory import closure_fields, site_loss, wave_loss
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Rates, Seed, increasing, listed
from gatefield.measures import ipr
from gatefield.theory.hypercube import is_localized

EARLY = 200.0
"""In tau: until when most trainings look; the first of the two times."""
TIMES = ("early", "late")
Sizes = Annotated[
    tuple[Annotated[Count, Field(ge=9)], ...], BeforeValidator(listed), increasing("increasing whole numbers", "20,40")
]


def _positive(gains: tuple[float, ...], info: Any) -> tuple[float, ...]:
    """Gains that have a place on a logarithmic scale, one of them at least."""
    if gains[0] <= 0 or np.isinf(gains[0]):
        raise UserError(
            f"{info.field_name} must be above 0 and begin with a finite one, because they stand on a logarithmic scale, but "
            f"begin with {gains[0]:g}; write for instance {info.field_name}=0.3,3,inf."
        )
    return gains


Squashings = Annotated[Gains, AfterValidator(_positive)]


def spaced(low: float, high: float, count: int) -> tuple[float, ...]:
    """Numbers evenly spaced in the logarithm, in six digits.

    >>> spaced(0.25, 4.0, 5)
    (0.25, 0.5, 1.0, 2.0, 4.0)
    """
    return tuple(float(f"{value:.6g}") for value in np.geomspace(low, high, count))


class Settings(Parameters):
    """One neuron for each gain, ratio xi1/xi0 of the length scales and seed; rings of several `sizes` at the ratios `cuts`.

    The geometric mean of the length scales is the same everywhere. So a ratio and its inverse are the same two classes in
    either order, and with sqrt 2 sites the ratios 2 and 1/2 are the pair 2 and 1 of other experiments. Exact states are those
    of 1, 3, ... up to `most_sites` neighbouring sites of alternating sign. Batches are `batch_size` on n sites, and on other
    rings as much larger as these are.
    """

    n: Annotated[Count, Field(ge=9)] = 40
    mean_length: LengthScale = 2**0.5
    gains: Squashings = (*spaced(0.3, 30.0, 24), float("inf"))
    ratios: Rates = spaced(0.25, 4.0, 25)
    most_sites: Annotated[Count, Field(le=7)] = 5
    sizes: Sizes = (20, 40, 80, 160)
    cuts: Rates = (0.5, 2.0)
    cut_gains: Squashings = (*spaced(0.3, 30.0, 12), float("inf"))
    learning_rate: Rate = 0.25
    batch_size: Count = 1_000
    steps: Count = 40_000
    record_every: Count = 800
    seeds: Count = 8
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    grid = Grid(gain=p.gains, ratio=p.ratios, seed=p.seeds)
    trained = _train(p, grid, "sgd", bench)
    cuts = [_cut(p, n, bench) for n in p.sizes]
    record = xr.merge([_read(trained), _theory(p, trained, grid), _states(p)]).assign_attrs(trained.attrs)
    record["cut_ipr"] = xr.concat(cuts, "size")
    lengths = _lengths(p, np.asarray(p.ratios))
    record = record.assign_coords(
        size=list(p.sizes),
        time=("when", _times(trained), {"units": "tau"}),
        xi1=("ratio", lengths[0], {"units": "site"}),
        xi0=("ratio", lengths[1], {"units": "site"}),
    )
    return _named(record).assign_attrs(mean_length=p.mean_length, record_every=p.record_every)


def _lengths(p: Settings, ratio: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Length scales of the positive and of the negative class."""
    return p.mean_length * np.sqrt(ratio), p.mean_length / np.sqrt(ratio)


def _classes(p: Settings, grid: Grid) -> tuple[NonlinearGP, NonlinearGP]:
    xi1, xi0 = _lengths(p, grid.ratio)
    return NonlinearGP(p.n, xi1, grid.gain), NonlinearGP(p.n, xi0, grid.gain)


def _train(p: Settings, grid: Grid, part: str, bench: Bench) -> xr.Dataset:
    return train_by_seed(bench, part, Task(*_classes(p, grid)), grid, p)


def _early(trained: xr.Dataset) -> int:
    """The place of the record nearest to the early time."""
    return int(np.abs(trained.time.values - EARLY).argmin())


def _times(trained: xr.Dataset) -> list[float]:
    return [float(trained.time[_early(trained)]), float(trained.time[-1])]


def _read(trained: xr.Dataset) -> xr.Dataset:
    """The IPR at both times, the field at the end, whether one site decides its gate, and the noise of the batches."""
    fields = trained.fields.isel(unit=0, drop=True)
    early = fields.isel(step=_early(trained), drop=True).astype(float).drop_vars("time", errors="ignore")
    end, noise, records = settled(fields)
    both = np.stack([ipr(early.values), ipr(end.values)])
    lead = end.dims[:-1]
    data: dict[str, Any] = {"ipr": (("when", *lead), both), "one_site": (lead, is_localized(end.values))}
    return xr.Dataset(data | {"end": end, "noise": noise, "records": records}).assign_coords(when=list(TIMES))


def _theory(p: Settings, trained: xr.Dataset, grid: Grid) -> xr.Dataset:
    """The closure from the same starts at the same times, and the losses of one site and of the best wave."""
    starts = trained.fields.isel(step=0, unit=0).values.astype(float).reshape(len(grid), -1)
    fields = closure_fields(starts, _classes(p, grid), grid.gain, _times(trained))
    losses = [[_losses(p, gain, ratio) for ratio in p.ratios] for gain in p.gains]
    both = ("gain", "ratio")
    return xr.Dataset(
        {
            "closure_ipr": (("when", *both, "seed"), np.stack([grid.fold(ipr(each)) for each in fields])),
            "site_loss": (both, [[one for one, _ in row] for row in losses]),
            "wave_loss": (both, [[wave for _, wave in row] for row in losses]),
        },
        {**grid.coords, "when": list(TIMES)},
    )


def _losses(p: Settings, gain: float, ratio: float) -> tuple[float, float]:
    classes = _classes(p, Grid(gain=[gain], ratio=[ratio]))
    return site_loss(*classes), wave_loss(*classes)


def _states(p: Settings) -> xr.Dataset:
    """The exact states at gain infinity, along the ratio."""
    pairs = list(zip(*(lengths.tolist() for lengths in _lengths(p, np.asarray(p.ratios))), strict=True))
    return states(p.n, pairs, p.most_sites, over="ratio").assign_coords(ratio=list(p.ratios))


def _cut(p: Settings, n: int, bench: Bench) -> xr.DataArray:
    """The IPR at both times on a ring of n sites, at the ratios of the cuts."""
    grid = Grid(cut=p.cuts, cut_gain=p.cut_gains, seed=p.seeds)
    # what batches add to a field grows with its sites: at the same batch a larger ring would be a hotter one
    sized = p.model_copy(update={"n": n, "batch_size": max(1, round(p.batch_size * n / p.n))})
    xi1, xi0 = _lengths(p, grid.cut)
    task = Task(NonlinearGP(n, xi1, grid.cut_gain), NonlinearGP(n, xi0, grid.cut_gain))
    return _read(train_by_seed(bench, f"sgd-n{n}", task, grid, sized)).ipr


def _named(record: xr.Dataset) -> xr.Dataset:
    """Which state each end at gain infinity is, and the words for all variables."""
    found = np.zeros(record.one_site.shape, int)
    at = np.isinf(record.gain.values)
    if at.any():
        found[at] = reached(record.end.sel(gain=np.inf).values, record)[None]
    record["reached"] = (record.one_site.dims, found)
    names = {
        "ipr": "inverse participation ratio; of the late field, without the noise of the batches where it stays in place",
        "one_site": "whether one site decides the gate of the end",
        "end": "field, mean over the last quarter of the time if it stays in place",
        "noise": "square of what batches add to the field of one record, over that of the end",
        "records": "how many records the end is the mean of",
        "closure_ipr": "IPR of the closure flow",
        "site_loss": "loss behind a gate that one site decides",
        "wave_loss": "loss of the best wave, if its input is Gaussian",
        "state": "exact steady state on the cube",
        "state_ipr": "IPR of the exact state",
        "state_exists": "whether the state keeps its gate",
        "state_loss": "loss of the exact state",
        "state_lead": "by how much the sites that decide lead",
        "cut_ipr": "IPR on rings of several sizes",
        "reached": "sites of the exact state that the end is at gain infinity, 0 for none",
        "ratio": "length scale of the positive class over that of the negative one",
        "when": "first or second time",
    }
    for name, words in names.items():
        record[name].attrs["long_name"] = words
    return record
