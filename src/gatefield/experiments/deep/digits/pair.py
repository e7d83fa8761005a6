"""What the experiments on two digits share: settings, one network's training with its kernels, and the two panels."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from gatefield.data import Dataset, Images
from gatefield.experiments.deep.digits.images import DigitSettings, fit, measured, two_digits
from gatefield.experiments.deep.digits.kernels import Kernel, Probe, probe
from gatefield.experiments.starts import seed_keys
from gatefield.kernels import tangent_kernel
from gatefield.lab import Bench
from gatefield.lab.kinds import Count, Depth
from gatefield.nets import DeepGated, Gating
from gatefield.plot import WIDTH, accuracy_panel, end_labels, legend_below, letter, over_epochs, plain_log_scale, say_setting

SETTING = (
    "Digits 4 and 7 of MNIST have the labels -1 and 1, the loss is squared, and there are no biases. ν = y'K⁻¹y of a kernel K "
    "with trace one on some training images is small where the labels y lie along leading directions of K. "
)
QUICK: Mapping[str, Any] = {
    "samples": 2_000, "width": 40, "epochs": 25, "learning_rate": 1e-3, "seeds": 3, "records": 10, "kernel_samples": 100,
}  # fmt: skip


class PairSettings(DigitSettings):
    """Networks of `depth` layers of weights, each hidden one of `width`.

    `kernel_samples`: training images on which kernels are evaluated. `ridge`: in units of the mean eigenvalue.
    """

    width: Count = 100
    depth: Depth = 6
    kernel_samples: Annotated[Count, Field(multiple_of=2)] = 200
    ridge: Annotated[float, Field(ge=0)] = 1e-8


class Digits:
    """The data of one experiment, and how its networks are made and trained."""

    def __init__(self, p: PairSettings) -> None:
        self.p = p
        self.images: Images = two_digits(p)
        self.task: Dataset = self.images.dataset()
        self.probe: Probe = probe(self.images, p.kernel_samples, p.ridge, p.seed)

    def net(self, gating: str, **settings: Any) -> DeepGated:
        """A network for each seed; those of the same seed have the same strengths, whatever their gates."""
        widths = [self.p.width] * (self.p.depth - 1)
        usual = {"init": self.p.init, "key": seed_keys(self.p)[0]}
        return DeepGated(self.task.n, widths, gating=cast(Gating, gating), **{**usual, **settings})

    def fit(self, bench: Bench, part: str, net: DeepGated, **kernels: Kernel) -> tuple[DeepGated, xr.Dataset]:
        """The trained net; its accuracies and, of each kernel (by default the tangent kernel), nu, trace and least eigenvalue.

        The first kernel gives `nu`, `trace` and `least`, the others these with their name: `nu_gates`.
        """
        kernels = kernels or {"kernel": tangent_kernel}
        trained, record = fit(bench, part, net, self.task, self.p, loss="mse", observe=self.probe.watch(kernels))
        kept = measured(record)
        for at, name in enumerate(kernels):
            judged = self.probe.judge(record[name])
            kept = kept.assign({f"{key}_{name}" if at else key: value for key, value in judged.items()})
        return trained, kept

    def gathered(self, parts: Mapping[str, xr.Dataset]) -> xr.Dataset:
        """All networks in one record."""
        record = xr.concat(parts.values(), xr.Variable("net", list(parts)))
        return record.assign_attrs(ridge=self.p.ridge, kernel_samples=self.p.kernel_samples)


def three_panels(record: xr.Dataset, names: Mapping[str, str], titles: Sequence[str]) -> Figure:
    """Training loss, test accuracy and nu, for all networks."""
    figure = Figure(figsize=(WIDTH, 3.5))
    body: Any = figure.subfigures()
    panels = body.subplots(1, 3, width_ratios=[0.85, 1.0, 1.0])
    loss_panel(panels[0], record, names)
    accuracy_panel(panels[1], record.test_accuracy, names)
    nu_panel(panels[2], record.nu, names)
    finish(body, panels, record, names, titles)
    return figure


def finish(
    body: Any,
    panels: Any,
    record: xr.Dataset,
    names: Mapping[str, str],
    titles: Sequence[str],
    nus: Sequence[xr.DataArray] = (),
    kernel: str = "",
) -> None:
    """Letters, final numbers beside the lines of test accuracies and of ν, the legend, and the setting.

    **Arguments**

    - `body`: the part of a figure that holds the panels: with a legend of its own, it does not cover the setting.
    - `nus`: what the third and later panels show; none is that of the record, in the third.
    - `kernel`: another kernel than the tangent kernel, in words.
    """
    letter(panels, titles)
    ends = (100 * record.test_accuracy.isel(step=-1).mean("seed").sel(net=list(names))).values.tolist()
    end_labels(np.ravel(panels)[1], ends, [f"{end:.2f}" for end in ends])
    for axes, nu in zip(np.ravel(panels)[2:], nus or [record.nu], strict=False):
        lasts = nu.isel(step=-1).mean("seed").sel(net=list(names)).values.tolist()
        end_labels(axes, lasts, [f"{last:,.0f}" if last >= 100 else f"{last:.2g}" for last in lasts])
    legend_below(body, np.ravel(panels)[0], ncols=2 if len(names) == 4 else len(names))
    say_setting(body.figure, *setting(record), kernel)


def setting(record: xr.Dataset) -> list[str]:
    """What the numbers depend on."""
    known = json.loads(record.attrs.get("parameters", "{}"))
    size = f"{known['depth']} layers of width {known['width']}" if {"depth", "width"} <= known.keys() else ""
    kernel = f"ν = y'K⁻¹y of labels y and tangent kernel K on {record.attrs['kernel_samples']} training images"
    seeds = f"{record.sizes['seed']} seeds", "lines: mean, bands: standard error"
    return ["MNIST, 4 against 7", size, f"{float(record.epoch[-1]):.0f} epochs", *seeds, kernel]


def loss_panel(axes: Any, record: xr.Dataset, names: Mapping[str, str]) -> None:
    over_epochs(axes, record.loss.clip(1e-12), names)
    axes.set(yscale="log", ylabel="loss on training set")


def nu_panel(axes: Any, nu: xr.DataArray, names: Mapping[str, str], kernel: str = "K") -> None:
    over_epochs(axes, nu, names)
    plain_log_scale(axes)
    axes.set(ylabel=rf"$\nu$ of ${kernel}$ with trace one")
