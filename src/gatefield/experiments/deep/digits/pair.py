"""What the experiments on two digits share: settings, one network's training with its kernels, and the two panels."""

from collections.abc import Mapping
from typing import Annotated, Any

import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from gatefield.data import Dataset, Images
from gatefield.experiments.deep.digits.figure import accuracy_panel, over_epochs, plain_log_scale
from gatefield.experiments.deep.digits.images import DigitSettings, fit, measured, seed_keys, two_digits
from gatefield.experiments.deep.digits.kernels import Kernel, Probe, probe, tangent
from gatefield.lab.bench import Bench
from gatefield.lab.kinds import Count
from gatefield.lab.whole_numbers import Depth
from gatefield.nets import DeepGated

SETTING = (
    "Digits 4 and 7 of MNIST have the labels -1 and 1, the loss is one half of the mean squared error, the sign of the output "
    "decides; at full size RMSprop at 1e-4, batches of 128, 100 epochs; no biases, sigma = sqrt(2/fan-in). "
    "nu = y'(K + r)^-1 y, with K divided by its trace and the ridge r = 1e-8 of the mean eigenvalue, is small where the labels "
    "lie along leading directions of the kernel K of 200 training images, 100 of each digit. "
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

    def net(self, gating: str, **how: Any) -> DeepGated:
        """A network for each seed; those of the same seed have the same strengths, whatever their gates."""
        widths = [self.p.width] * (self.p.depth - 1)
        return DeepGated(self.task.n, widths, gating=gating, **{"init": self.p.init, "key": seed_keys(self.p)[0], **how})

    def fit(self, bench: Bench, part: str, net: DeepGated, kernels: Mapping[str, Kernel] | None = None) -> tuple[Any, Any]:
        """Accuracies and, of each kernel (by default the tangent kernel), nu, trace and least eigenvalue; the trained net.

        The first kernel gives `nu`, `trace` and `least`, the others these with their name: `nu_gates`.
        """
        kernels = kernels or {"kernel": tangent}
        record, trained = fit(bench, part, net, self.task, self.p, loss="mse", observe=self.probe.watch(kernels))
        found = [measured(record)]
        for at, name in enumerate(kernels):
            judged = self.probe.judge(record, name)
            found.append(judged.rename({key: f"{key}_{name}" for key in judged.data_vars}) if at else judged)
        return xr.merge(found), trained

    def gathered(self, parts: Mapping[str, xr.Dataset]) -> xr.Dataset:
        """All networks in one record."""
        record = xr.concat(parts.values(), xr.Variable("net", list(parts)), join="outer")
        return record.assign_attrs(ridge=self.p.ridge, kernel_samples=self.p.kernel_samples)


def three_panels(record: xr.Dataset, names: Mapping[str, str]) -> Figure:
    """Training loss, test accuracy and nu, for all networks."""
    figure = Figure(figsize=(11.5, 3.9))
    panels: Any = figure.subplots(1, 3)
    loss_panel(panels[0], record, names, "(a) training")
    accuracy_panel(panels[1], record.test_accuracy, names, "(b) test set")
    nu_panel(panels[2], record.nu, names, "(c) labels against kernel")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(names))
    return figure


def loss_panel(axes: Any, record: xr.Dataset, names: Mapping[str, str], title: str) -> None:
    over_epochs(axes, record.loss.clip(1e-12), names)
    axes.set(yscale="log", ylabel="loss on training set", title=title)


def nu_panel(axes: Any, nu: xr.DataArray, names: Mapping[str, str], title: str, kernel: str = "K") -> None:
    over_epochs(axes, nu, names)
    plain_log_scale(axes)
    axes.set(ylabel=rf"$\nu$ of ${kernel}$ with trace one", title=title)
