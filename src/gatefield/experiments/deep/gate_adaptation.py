"""Do gates that adapt generalise better than frozen ones? Four networks on two digits."""

from collections.abc import Sequence
from typing import Annotated, Any

import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from gatefield.experiments.deep.digits.kernels import Kernel, by_gates
from gatefield.experiments.deep.digits.pair import (
    QUICK,
    SETTING,
    Digits,
    PairSettings,
    loss_panel,
    nu_panel,
    seeds_text,
)
from gatefield.experiments.deep.digits.verdicts import falls, generalises, ridge_is_small, smaller_nu
from gatefield.kernels import tangent_kernel
from gatefield.lab import Bench, Experiment, Verdict
from gatefield.lab.kinds import Rate
from gatefield.plot import accuracy_panel, over_epochs, plain_log_scale

NETS = {"galu": "GaLU, frozen gates", "relu": "ReLU", "soft-relu": "soft ReLU", "soft-galu": "soft GaLU"}
ADAPTING = ("relu", "soft-relu", "soft-galu")
SOURCE, MEASURE = "paper 004, experiment 3, figure 7 (left)", "paper 004, measure for generalisation, figure 8"


class Settings(PairSettings):
    """`beta` and `eps` belong to the soft gates (1 + eps) sigmoid(beta q)."""

    beta: Rate = 4.0
    eps: Annotated[float, Field(ge=0)] = 0.1


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    digits, parts = Digits(p), {}
    for gating in NETS:
        soft: dict[str, Any] = {"beta": p.beta, "eps": p.eps} if gating.startswith("soft") else {}
        more: dict[str, Kernel] = {"gates": by_gates} if gating == "soft-galu" else {}
        parts[gating] = digits.fit(bench, gating, digits.net(gating, **soft), kernel=tangent_kernel, **more)[1]
    gates = parts["soft-galu"][["nu_gates", "trace_gates", "least_gates"]]
    parts["soft-galu"] = parts["soft-galu"].drop_vars(list(gates))
    return digits.gathered(parts).assign(gates.data_vars)


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    out = [_better(record, net) for net in ADAPTING]
    for net in ADAPTING:
        for nu, scale in ((record.nu, "trace one"), (record.nu / record.trace, "K as it is")):
            claim = f"{NETS[net]}: nu ({scale}) is below that of frozen gates"
            out.append(smaller_nu(claim, nu.sel(net=net), nu.sel(net="galu"), kind="claim", source=MEASURE))
    for net, name in NETS.items():
        kind: Any = "claim" if net in ADAPTING else "prediction"
        out.append(falls(f"{name}: nu (trace one) falls", record.nu.sel(net=net), kind=kind, source=MEASURE))
    out.append(falls("soft GaLU: nu of K^a (trace one) falls", record.nu_gates, kind="claim", source=MEASURE))
    return [*out, ridge_is_small(record)]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(11.5, 7.2))
    panels: Any = figure.subplots(2, 3).ravel()
    loss_panel(panels[0], record, NETS, "(a) training")
    accuracy_panel(panels[1], record.test_accuracy, NETS, "(b) test set")
    nu_panel(panels[2], record.nu, NETS, "(c) labels against kernel")
    over_epochs(panels[3], record.nu / record.trace, NETS)
    plain_log_scale(panels[3])
    panels[3].set(ylabel=r"$\nu$ of $K$ as it is", title="(d) the same, not normalised")
    _gates_panel(panels[4], record)
    panels[5].axis("off")
    panels[5].legend(*panels[0].get_legend_handles_labels(), loc="center left", fontsize=11, title=seeds_text(record))
    return figure


def _better(record: xr.Dataset, net: str) -> Verdict:
    names = {key: NETS[key] for key in (net, "galu")}
    return generalises(f"{NETS[net]} generalises better than frozen gates", record, net, "galu", names, source=SOURCE)


def _gates_panel(axes: Any, record: xr.Dataset) -> None:
    nu = record.nu_gates
    for values, style, label in ((nu, "-", "trace one"), (nu / record.trace_gates, "--", "as it is")):
        axes.plot(nu.epoch, values.mean("seed"), style, color="C3", label=label)
        axes.fill_between(nu.epoch, values.min("seed"), values.max("seed"), color="C3", alpha=0.2, linewidth=0)
    axes.set(yscale="log", xlabel="epoch", ylabel=r"$\nu$ of $K^a$", title="(e) part of the gates, soft GaLU")
    axes.legend()


experiment = Experiment(
    name="gate-adaptation",
    title="Networks whose gates adapt, and one whose gates are frozen: test accuracy and kernels",
    source="paper 004, experiment 3, figures 7 (left) and 8; eps, batch and epochs are our choice",
    text="Four networks: ReLU; soft ReLU, with gates (1 + eps) sigmoid(beta q); soft GaLU, whose soft gates come from a second "
    "network that is trained too; and GaLU, whose hard gates come from a second network that stays frozen. The paper says that "
    "the three whose gates adapt generalise better and have a smaller nu. " + SETTING + "K is the tangent kernel by all that "
    "is trained; K^a is its part through the gates, in soft GaLU.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5}},
    durations={"quick": "1 min", "full": "8 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
