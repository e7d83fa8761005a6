"""The second figure of `uncertainty`: how well Gabors and bumps fit final fields, and examples."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.uncertainty.figure import KINDS, case_text, cases, kinds, model, say
from gatefield.experiments.fields.uncertainty.verdicts import GOOD
from gatefield.measures import gabor
from gatefield.plot import WIDTH, gain_text, letter

GREY = "0.55"
"""Of fields that nothing fits well."""
COLOURS = (*(colour for colour, *_ in KINDS), GREY)
"""Of final fields, by kind."""


def more(record: xr.Dataset) -> Figure:
    """Fits of all final fields, and some of these fields."""
    figure = Figure(figsize=(WIDTH, 7.8))
    parts = cast(Any, figure.subfigures(5, 1, height_ratios=[2.1, 1, 1, 1, 1.35]))
    axes = parts[0].subplots()
    _fit_panel(axes, record)
    letter([axes], [_good_words(record)])
    for part, (network, order), at in zip(parts[1:], cases(record), "bcde", strict=True):
        one = record.isel(unit=network, step=-1, gain=[0, -1][: record.sizes["gain"]]).sel(order=order)
        _strip(part, one, f"({at}) {case_text(network, order)}")
    for part in parts[1:4]:
        for axes in part.axes:
            axes.tick_params(labelbottom=False)
    for axes in parts[4].axes:
        axes.set_xlabel("sites from the centre")
    examples = "(b-e) of the commonest kind the field of median R² (dots), over its largest entry, and its fit (black)"
    say(figure, record, examples)
    return figure


def _good(one: xr.Dataset) -> str:
    """The share of fields with a good fit."""
    return f"{100 * float((one.fit_R2 > GOOD).mean()):.0f} %"


def _good_words(record: xr.Dataset) -> str:
    """For which network and order fits are best, and worst."""
    shares = {
        f"{'one neuron' if network.stop == 1 else 'committees'}, {order}er range": record.isel(unit=network).sel(order=order)
        for network, order in cases(record)
    }
    ends = [choose(shares, key=lambda name: float((shares[name].fit_R2 > GOOD).mean())) for choose in (max, min)]
    return "; ".join(f"{name}: {_good(shares[name])}" for name in ends) + f" of fits are good (R² above {GOOD:g})"


def _fit_panel(axes: Any, record: xr.Dataset) -> None:
    """R2 of every final field, by network, order and gain; marks say which model was chosen, colours whether it fits well."""
    gains, rng = record.gain.values, np.random.default_rng(0)
    width = len(gains) + 1
    for group, (network, order) in enumerate(cases(record)):
        for i, gain in enumerate(gains):
            one = record.isel(unit=network).sel(order=order, gain=gain)
            _marks(axes, one, group * width + i + rng.uniform(-0.25, 0.25, one.fit_R2.size))
        middle = group * width + (width - 2) / 2
        words = (
            f"{case_text(network, order).replace(' positive', '')}:\n{_good(record.isel(unit=network).sel(order=order))} good"
        )
        axes.text(middle, 1.03, words, ha="center", va="bottom", fontsize=7.5)
    for colour, marker, label in KINDS:
        axes.plot([], [], marker, color=colour, markersize=4, label=label.replace(" of ", "\nof "))
    axes.axhline(GOOD, color="0.4", linewidth=1.0, linestyle="--", label=f"good: above {GOOD:g}\n(grey: not good)")
    axes.axhline(float(record.noise_R2), color="0.4", linewidth=1.0, linestyle=":", label="of white noise")
    ticks = [group * width + i for group in range(4) for i in range(len(gains))]
    axes.set_xticks(ticks, [gain_text(gain) for gain in gains] * 4)
    axes.set(xlabel="gain", ylabel="R² of the fit", ylim=(0, 1.38), yticks=[0, 0.5, 1], xlim=(-0.6, 4 * width - 1.4))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7.5)


def _marks(axes: Any, one: xr.Dataset, x: np.ndarray) -> None:
    """The fields of one network, order and gain."""
    R2, chosen, kind = (values.values.ravel() for values in (one.fit_R2, model(one), kinds(one)))
    for j, (_, marker, _) in enumerate(KINDS):
        for colour, there in ((COLOURS[j], kind == j), (GREY, (chosen == j) & (kind != j))):
            look = {"color": colour, "markersize": 3.5, "alpha": 0.6, "markeredgewidth": 0}
            axes.plot(x[there], R2[there], marker, **look)


def _strip(part: Any, record: xr.Dataset, words: str) -> None:
    """One final field for each gain, and its fit."""
    panels = np.ravel(part.subplots(1, record.sizes["gain"], sharex=True))
    titles = []
    for axes, gain in zip(panels, record.gain.values, strict=True):
        one = _typical(record.sel(gain=gain).stack(field=("seed", "unit")))
        _field_and_fit(axes, one)
        titles.append(f"gain {gain_text(gain)}, R² {float(one.fit_R2):.2f}")
        axes.set_title(titles[-1], loc="left", fontsize=8)
    head = words.replace("\n", " ")
    panels[0].set_title(f"{head}\n{titles[0]}", loc="left", fontsize=8)


def _typical(fields: xr.Dataset) -> xr.Dataset:
    """Of the kind that most fields are of, the field of median R2."""
    kind = kinds(fields).values
    places = np.flatnonzero(kind == np.bincount(kind).argmax())
    return fields.isel(field=int(places[np.argsort(fields.fit_R2.values[places])[len(places) // 2]]))


def _field_and_fit(axes: Any, one: xr.Dataset) -> None:
    """A field turned until its centre is in the middle, the right way up, in the colour of its kind; its fit over it."""
    n, (mu, *rest) = one.sizes["position"], (float(one["fit_" + x]) for x in ("mu", "s", "f", "phi", "amplitude"))
    scale = one.fields.values[np.abs(one.fields.values).argmax()]
    place, turn = np.arange(n) - n // 2, n // 2 - round(mu)
    field, fit = np.roll(one.fields.values, turn) / scale, np.roll(gabor(n, mu, *rest), turn) / scale
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    axes.plot(place, field, "o", color=COLOURS[int(kinds(one))], markersize=3)
    axes.plot(place, fit, "-", color="k", linewidth=0.9)
    axes.set(ylim=(-1.15, 1.15), yticks=[], xticks=[-(n // 2), 0, n // 2])
    axes.spines["left"].set_visible(False)
