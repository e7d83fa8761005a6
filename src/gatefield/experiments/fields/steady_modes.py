"""Which Fourier mode of a single neuron survives on Gaussian data, how large it is, and when it is alone."""

from collections.abc import Sequence
from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from pydantic import Field

from gatefield.data import Gaussian, Task, fourier_basis, ring_spectrum
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Experiment, Parameters
from gatefield.lab.kinds import Count, LengthScale, Rate, Seed
from gatefield.lab.verdict import Verdict
from gatefield.nets import Committee
from gatefield.theory import relu

PER_DECADE = 25
HALO: Any = {"linewidth": 1.8, "path_effects": [withStroke(linewidth=4.0, foreground="white")]}
"""Lines that are seen on dark and on light ground."""


class Settings(Parameters):
    """Pairs (xi1, xi0) of length scales; exact paths to `horizon` tau, and SGD over the note's own horizon."""

    n: Count = 40
    pairs: Annotated[tuple[tuple[LengthScale, LengthScale], ...], Field(min_length=1)] = ((2.0, 1.0), (1.0, 2.0), (5.0, 2.0))
    starts: Count = 16
    horizon: Rate = 1e6
    learning_rate: Rate = 0.01
    batch_size: Count = 10_000
    steps: Count = 2_000
    trained: Count = 4
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    start_key, train_key = jax.random.split(jax.random.key(p.seed))
    starts = np.asarray(Committee(p.n, 1, key=jax.random.split(start_key, p.starts)).fields, float)[:, 0]
    note_time = p.learning_rate * p.steps
    times = np.unique(np.append(_times(p.horizon), note_time))
    energy = np.array([[_energy(_path(u0, *pair, times)) for u0 in starts @ fourier_basis(p.n)] for pair in p.pairs])
    trained = _train(p, bench, starts[: min(p.trained, p.starts)], train_key)
    lead = ("pair", "start", "time")
    data = {
        "share": ((*lead, "frequency"), energy / energy.sum(-1, keepdims=True), {"long_name": "share of the energy"}),
        "frequencies": (lead, _participation(energy), {"long_name": "participation ratio of frequencies"}),
        "size": (lead, np.sqrt(energy.sum(-1)), {"long_name": "norm of the field"}),
        "sgd_frequencies": (("pair", "trained", "sgd_time"), _participation(_energy(trained.values @ fourier_basis(p.n)))),
        **_predictions(p),
    }
    coords = {
        "pair": [f"{xi1:g}, {xi0:g}" for xi1, xi0 in p.pairs],
        "xi1": ("pair", [pair[0] for pair in p.pairs], {"units": "site"}),
        "xi0": ("pair", [pair[1] for pair in p.pairs], {"units": "site"}),
        "time": ("time", times, {"units": "tau"}),
        "sgd_time": ("sgd_time", trained.time.values, {"units": "tau"}),
        "frequency": ("frequency", np.arange(energy.shape[-1]), {"units": "cycles per ring"}),
    }
    record = xr.Dataset(data, coords, {**trained.attrs, "kind": "theory and training", "note_time": note_time})
    record["time_scale_measured"] = (("pair", "start"), _measured_time_scale(record), {"units": "tau"})
    return record


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    out = [verdict for pair in record.pair.values for verdict in _pair_verdicts(record.sel(pair=pair))]
    flow = record.frequencies.sel(time=record.attrs["note_time"]).isel(start=slice(record.sizes["trained"]))
    ratio = record.sgd_frequencies.isel(sgd_time=-1).values / flow.values
    worst = float(ratio.flat[abs(ratio - 1).argmax()])
    note = f"participation ratio of SGD over that of the flow, the worst of {ratio.size} runs"
    out.append(
        Verdict.judged("SGD keeps as many frequencies as the flow", 1.0, worst, "within 0.15", abs(worst - 1) < 0.15, note)
    )
    return out


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.5, 8.6))
    panels = figure.subplots(3, record.sizes["pair"], sharex=True, sharey="row", squeeze=False)
    for column, pair in enumerate(record.pair.values):
        one = record.sel(pair=pair)
        _share_panel(panels[0, column], one)
        _count_panel(panels[1, column], one)
        _size_panel(panels[2, column], one)
        panels[0, column].set_title(f"ξ1, ξ0 = {pair} sites")
        panels[2, column].set_xlabel("time (τ)")
        for axes in panels[:, column]:
            note_time, scale = record.attrs["note_time"], float(one.time_scale)
            axes.axvline(note_time, color="k", linestyle="--", label="the note's training time", **HALO)
            axes.axvline(scale, color="C1", linestyle=":", label="slowest time scale, theory", **HALO)
    labels = ["(a) share of energy, one start", "(b) frequencies in the field", "(c) size of the field, |w|"]
    for axes, label in zip(panels[:, 0], labels, strict=True):
        axes.set_ylabel(label)
    panels[2, 0].set_ylim(0, 1.1 * float(record.amplitude_printed.max()))
    figure.colorbar(_colours(record), ax=panels[0], label="frequency (cycles per ring)", ticks=record.frequency.values[::5])
    named = {label: handle for axes in panels[1:, 0] for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=3)
    return figure


def _times(horizon: float) -> np.ndarray:
    return np.geomspace(1.0, horizon, 1 + max(1, round(PER_DECADE * np.log10(horizon))))


def _spectra(n: int, xi1: float, xi0: float) -> tuple[np.ndarray, np.ndarray]:
    """Both classes' variances in the order of the real Fourier basis."""
    order = (np.arange(n) + 1) // 2
    return np.asarray(ring_spectrum(n, xi1))[order], np.asarray(ring_spectrum(n, xi0))[order]


def _path(u0: np.ndarray, xi1: float, xi0: float, times: np.ndarray) -> np.ndarray:
    return np.asarray(relu.single_path(u0, *_spectra(len(u0), xi1, xi0), times))


def _energy(u: np.ndarray) -> np.ndarray:
    """Energy of each frequency, cosine and sine together, from coefficients in the real Fourier basis."""
    n = u.shape[-1]
    sums = np.zeros((n, n // 2 + 1))
    sums[np.arange(n), (np.arange(n) + 1) // 2] = 1.0
    return u**2 @ sums


def _participation(energy: np.ndarray) -> np.ndarray:
    """(sum e)^2 / sum e^2: how many frequencies share the energy."""
    share = energy / energy.sum(-1, keepdims=True)
    return 1 / (share**2).sum(-1)


def _predictions(p: Settings) -> dict[str, Any]:
    """What the theory says of each pair: survivor, amplitude (and the printed one), slowest mode and its time scale."""
    rows = []
    for xi1, xi0 in p.pairs:
        lam1, lam0 = _spectra(p.n, xi1, xi0)
        winner = int(relu.winning_mode(lam1, lam0))
        order = (np.arange(p.n) + 1) // 2
        rates = np.where(order == order[winner], -np.inf, relu.growth_rates(winner, lam1, lam0))
        slow = int(np.argmax(rates))
        printed = np.sqrt(np.sqrt(2 / np.pi) / (lam0[winner] + lam1[winner]))
        rows.append((order[winner], relu.steady_amplitude(lam1, lam0)[winner], printed, order[slow], -1 / rates[slow]))
    winner, amplitude, printed, slow, scale = map(np.asarray, zip(*rows, strict=True))
    return {
        "survivor": ("pair", winner, {"units": "cycles per ring"}),
        "amplitude": ("pair", amplitude, {"long_name": "amplitude of the survivor"}),
        "amplitude_printed": ("pair", printed, {"long_name": "amplitude by equation 25 as printed"}),
        "slowest": ("pair", slow, {"units": "cycles per ring", "long_name": "frequency that dies out last"}),
        "time_scale": ("pair", scale, {"units": "tau", "long_name": "time scale of the slowest mode"}),
    }


def _measured_time_scale(record: xr.Dataset) -> np.ndarray:
    """From the slope of the slowest mode's log amplitude, once the survivor has 99.9 % of the energy and until rounding.

    It is -1 where fewer than two recorded times are left.
    """
    scales = np.full((record.sizes["pair"], record.sizes["start"]), -1.0)
    for i, j in np.ndindex(scales.shape):
        shares = record.share.values[i, j]
        slow = shares[:, int(record.slowest[i])]
        late = (shares[:, int(record.survivor[i])] > 0.999) & (slow > 1e-25)
        if late.sum() > 1:
            scales[i, j] = -2 / np.polyfit(record.time.values[late], np.log(slow[late]), 1)[0]
    return scales


def _train(p: Settings, bench: Bench, starts: np.ndarray, key: Any) -> xr.DataArray:
    """SGD from the first starts for every pair: fields (pair, trained, time, position)."""
    xi1, xi0 = np.repeat(np.asarray(p.pairs).T, len(starts), axis=1)
    record = bench.train(
        "sgd",
        Committee(p.n, 1, init=np.tile(starts, (len(p.pairs), 1))[:, None], key=key),
        Task(Gaussian(p.n, xi1), Gaussian(p.n, xi0)),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=max(1, p.steps // 40),
        key=jax.random.split(key, len(xi1)),
    ).record
    values = record.fields.isel(unit=0).values.astype(float)
    shape = (len(p.pairs), len(starts), *values.shape[1:])
    dims = ("pair", "trained", "time", "position")
    return xr.DataArray(values.reshape(shape), dims=dims, coords={"time": record.time.values}, attrs=record.attrs)


def _pair_verdicts(one: xr.Dataset) -> list[Verdict]:
    """Survivor, amplitude, number of frequencies at the note's time, and time scale, for one pair of length scales."""
    pair, end = str(one.pair.values), one.isel(time=-1)
    found = end.share.argmax("frequency").values
    survivor, share = int(one.survivor), float(end.share.isel(frequency=int(one.survivor)).min())
    size, expected, printed = float(end["size"].median()), float(one.amplitude), float(one.amplitude_printed)
    off = float(abs(end["size"] / expected - 1).max())
    early = one.frequencies.sel(time=one.attrs["note_time"])
    scales = one.time_scale_measured.values[one.time_scale_measured.values > 0]
    scale, slow = float(one.time_scale), int(one.slowest)
    measured = float(np.median(scales)) if len(scales) else 0.0
    near = len(scales) > 0 and bool((abs(scales / scale - 1) < 0.02).all())
    return [
        Verdict.judged(
            f"ξ = ({pair}): the mode k = {survivor} survives",
            survivor,
            float(found[abs(found - survivor).argmax()]),
            "same frequency in every start, with 99 % of the energy",
            bool((found == survivor).all() and share > 0.99),
            f"after {float(one.time[-1]):.0e} tau, {len(found)} starts, smallest share {share:.4f}",
        ),
        Verdict.judged(
            f"ξ = ({pair}): its amplitude is √(2/π) √λ1/(λ0+λ1)",
            expected,
            size,
            "within 0.5 % in every start",
            off < 0.005,
            f"equation 25 as printed gives {printed:.4f}, {printed / size:.2f} times as much",
        ),
        Verdict.judged(
            f"ξ = ({pair}): several frequencies are alive at t = {one.attrs['note_time']:g}",
            2.0,
            float(early.median()),
            "median participation ratio 2 or more, and 1.5 in every start",
            bool(early.median() >= 2.0 and early.min() >= 1.5),
            f"{float(early.min()):.2f} to {float(early.max()):.2f}: the note's 'one or two modes', which is one frequency, "
            "come true only in the long limit",
        ),
        Verdict.judged(
            f"ξ = ({pair}): the last mode to die out, k = {slow}, has the time scale of the theory (in tau)",
            scale,
            measured,
            "within 2 % in every start",
            near,
            "1/[(λ1/4) (D - D_min)] with D = 1 + λ0/λ1; measured on the exact path",
        ),
    ]


def _colours(record: xr.Dataset) -> ScalarMappable:
    """A colour for each frequency."""
    return ScalarMappable(Normalize(0, record.sizes["frequency"] - 1), "cividis")


def _share_panel(axes: Any, one: xr.Dataset) -> None:
    """Shares of the frequencies over time, for the first start, stacked."""
    colours = _colours(one).to_rgba(one.frequency.values)
    for area in axes.stackplot(one.time, one.share.isel(start=0).T.values, colors=colours):
        area.set(edgecolor="face", linewidth=0.3)
    axes.set(xscale="log", ylim=(0, 1), xlim=(1.0, float(one.time[-1])))


def _count_panel(axes: Any, one: xr.Dataset) -> None:
    for start in one.frequencies.transpose("start", "time").values:
        axes.plot(one.time, start, color="C0", alpha=0.35, linewidth=0.8)
    axes.plot(one.time, one.frequencies.median("start"), color="C0", label="flow, exact (thick in (b): median; thin: starts)")
    sgd = one.sgd_frequencies.where(one.sgd_time >= 1, drop=True)
    for i, run in enumerate(sgd.transpose("trained", "sgd_time").values):
        axes.plot(sgd.sgd_time, run, "o", color="C4", markersize=2.5, label=None if i else "SGD")
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set(yscale="log", yticks=[1, 2, 5, 10], yticklabels=["1", "2", "5", "10"])
    axes.minorticks_off()


def _size_panel(axes: Any, one: xr.Dataset) -> None:
    for start in one["size"].transpose("start", "time").values:
        axes.plot(one.time, start, color="C0", alpha=0.35, linewidth=0.8)
    axes.axhline(float(one.amplitude), color="C2", linewidth=1.4, label="survivor's amplitude")
    axes.axhline(float(one.amplitude_printed), color="C3", linewidth=1.6, linestyle="-.", label="equation 25 as printed")


experiment = Experiment(
    name="steady-modes",
    title="One Fourier mode survives, but long after training ends",
    source="note 002, equations 22 to 31 and the claims after them",
    text="On Gaussian data the flow of a single neuron has one stable rest: the Fourier mode with the smallest λ0/λ1, of "
    "amplitude √(2/π) √λ1/(λ0+λ1). The note finds that only one or two modes (the cosine and sine of one frequency) can "
    "stay, and prints an amplitude with the square of a norm for the norm. The exact path, which is one scalar equation, "
    "shows when this comes true: the upper row is the share of each frequency in the field's energy, the middle row the "
    "number of frequencies (participation ratio), the lower row the size of the field. Vertical lines mark the note's "
    "training time, 20 tau, and the slowest time scale of the theory. At 20 tau several frequencies are alive, in the "
    "flow as under SGD.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"starts": 8, "batch_size": 500, "trained": 2}},
    durations={"quick": "20 s", "full": "2 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
