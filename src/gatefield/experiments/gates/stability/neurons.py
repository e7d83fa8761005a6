"""Single neurons of `stability`: beside linear pathways, in steady states, and after pushes."""

from typing import Any

import jax
import numpy as np
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP
from gatefield.experiments.gates.stability.settings import Settings, train_neurons
from gatefield.lab import Bench
from gatefield.measures import circular_distance, cosine, ipr, peak_position
from gatefield.nets import Committee
from gatefield.theory import drift, drift_jacobian
from gatefield.theory.neuron import pathway_velocity, velocity_spectrum

PUSHES = ("random", "other")
PARTS = 8
"""Independent parts of the lines by which Jacobians are sampled: their spread gives the error of an eigenvalue."""
EIGENVALUES = "eigenvalues of the Jacobian without a pathway, the largest first"


def pathways(p: Settings, bench: Bench, key: Any) -> xr.Dataset:
    """Ends of single neurons without a pathway (frozen at zero), with a trained one, and with some frozen at random."""
    net_key, pathway_key, train_key = jax.random.split(key, 3)
    starts = np.asarray(Committee(p.n, 1, key=jax.random.split(net_key, p.seeds)).fields)
    v = np.asarray(jax.random.normal(pathway_key, (p.seeds, p.n)), float)
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    frozen = {f"frozen {size:g}": size * v for size in p.pathway_sizes}
    parts = []
    for name, pathway, named in [("frozen", "frozen", {"none": 0 * v, **frozen}), ("trained", True, {"trained": 0 * v})]:
        grid = Grid(pathway=list(named), gain=p.gains, seed=p.seeds)
        linear = grid.share(np.stack(list(named.values())), over=("pathway", "seed"))
        net = Committee(p.n, 1, init=grid.share(starts, over="seed"), linear=pathway, linear_init=linear)
        keys = grid.share(jax.random.split(train_key, p.seeds), over="seed")
        parts.append(train_neurons(p, bench, f"pathway-{name}", net, grid, keys))
    record: Any = xr.concat(parts, dim="pathway", combine_attrs="drop_conflicts")
    return _ends(record.sel(pathway=["none", "trained", *frozen]))


def _ends(record: xr.Dataset) -> xr.Dataset:
    """Fields, pathways and loss, each the mean over the last quarter of training, which takes out minibatch noise."""
    late = record.isel(step=slice(-max(1, record.sizes["step"] // 4), None), unit=0).mean("step")
    fields, linear = late.fields.values.astype(float), late.linear.values.astype(float)
    lead = ("pathway", "gain", "seed")
    data = {
        "fields": ((*lead, "position"), fields, {"long_name": "field, mean over the last quarter of training"}),
        "linear": ((*lead, "position"), linear, {"long_name": "linear pathway, the same mean"}),
        "ipr": (lead, np.asarray(ipr(fields)), {"long_name": "inverse participation ratio"}),
        "sum_ipr": (lead, np.asarray(ipr(fields + linear)), {"long_name": "IPR of field plus pathway"}),
        "loss": (lead, late.loss.values, {"long_name": "loss"}),
    }
    return xr.Dataset(data, {name: record[name] for name in (*lead, "position")}, record.attrs)


def spectra(p: Settings, neurons: xr.Dataset, key: Any) -> xr.Dataset:
    """Eigenvalues of the Jacobian at every end state, and how far each is from a steady state by the flow's velocity."""
    parts = [_spectra_at(p, neurons.sel(gain=gain), gain, key) for gain in p.gains]
    return xr.concat(parts, dim="gain").assign_coords(gain=list(p.gains))


def _spectra_at(p: Settings, ends: xr.Dataset, gain: float, key: Any) -> xr.Dataset:
    source = NonlinearGP(p.n, p.xi1, gain)
    total = np.asarray(source.covariance() + NonlinearGP(p.n, p.xi0, gain).covariance(), float)
    shape = ends.ipr.shape
    fields, linear = (ends[name].values.reshape(-1, p.n) for name in ("fields", "linear"))
    drift_key, *keys = jax.random.split(key, 1 + PARTS)
    slopes = np.stack([drift_jacobian(source, fields, key=k, samples=-(-p.lines // PARTS)) for k in keys])
    trained = np.repeat(ends.pathway.values == "trained", shape[1])
    found = [velocity_spectrum(slopes[:, i], total, pathway=bool(both)) for i, both in enumerate(trained)]
    top = np.array([one.values[0] for one in found])
    half = np.asarray(drift(source, fields, key=drift_key, samples=p.samples)) / 2
    moving = [pathway_velocity(w, v, 2 * f, total)[0] for w, v, f in zip(fields, linear, half, strict=True)]
    lead = ("pathway", "seed")
    data = {
        "eigenvalues": (("seed", "mode"), np.stack([one.values for one in found[: shape[1]]]), {"long_name": EIGENVALUES}),
        "damping": ("mode", -np.linalg.eigvalsh(total) / 4, {"long_name": "eigenvalues of -(S0 + S1)/4"}),
        "top": (lead, top.reshape(shape), {"long_name": "largest eigenvalue of the Jacobian"}),
        "top_error": (lead, np.reshape([one.largest.error for one in found], shape), {"long_name": "its standard error"}),
        "unrest": (
            lead,
            (np.linalg.norm(moving, axis=1) / np.linalg.norm(half, axis=1)).reshape(shape),
            {"long_name": "length of the field's velocity, relative to the drift's half"},
        ),
    }
    return xr.Dataset(data, {"mode": np.arange(p.n), **{name: ends[name] for name in lead}})


def pushed(p: Settings, bench: Bench, ends: np.ndarray, key: Any) -> xr.Dataset:
    """Ends of training from pushed fields: cosine with the field before the push, IPR, and whether a return was foretold."""
    push_key, train_key = jax.random.split(key)
    noise = np.asarray(jax.random.normal(push_key, (len(p.sizes), *ends.shape)), float)
    far = np.broadcast_to(np.roll(ends, p.n // 2, axis=-1), noise.shape)
    push = np.stack([noise, far])
    push *= np.linalg.norm(ends, axis=-1, keepdims=True) / np.linalg.norm(push, axis=-1, keepdims=True)
    starts = ends + np.asarray(p.sizes)[:, None, None, None] * push
    grid = Grid(push=PUSHES, size=p.sizes, gain=p.gains, seed=p.seeds)
    net = Committee(p.n, 1, init=starts.reshape(-1, 1, p.n), linear="frozen")
    run = train_neurons(p, bench, "pushed", net, grid, jax.random.split(train_key, len(grid)))
    last = run.fields.isel(step=-1, unit=0).values.astype(float)
    lead = tuple(grid.axes)
    data = {
        "return_cosine": (lead, cosine(last, ends), {"long_name": "cosine with the field before the push"}),
        "return_ipr": (lead, np.asarray(ipr(last)), {"long_name": "IPR after the push and training"}),
        "foretold": (lead, _foretold(starts, ends, p), {"long_name": "whether the filtered field's peak foretells a return"}),
    }
    return xr.Dataset(data, {"push": list(PUSHES), "size": list(p.sizes)})


def _foretold(starts: np.ndarray, ends: np.ndarray, p: Settings) -> np.ndarray:
    """Whether the peak of S1 w, the pushed field as the early flow filters it, is the old one: within one site, same sign."""
    filters = NonlinearGP(p.n, p.xi1, np.asarray(p.gains)).covariance()
    seen = np.einsum("...gsj,gij->...gsi", starts, filters)
    peaks = [np.asarray(peak_position(w)) for w in (seen, ends)]
    heights = [np.take_along_axis(w, peak[..., None], -1)[..., 0] for w, peak in zip((seen, ends), peaks, strict=True)]
    near = np.asarray(circular_distance(peaks[0], peaks[1], p.n)) <= 1
    return near & (np.sign(heights[0]) == np.sign(heights[1]))
