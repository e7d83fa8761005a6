"""Do gates that adapt generalise better than frozen ones? Four networks on two digits."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from gatefield.experiments.deep.digits import verdicts as say
from gatefield.experiments.deep.digits.figure import accuracy_panel, over_epochs, plain_log_scale
from gatefield.experiments.deep.digits.kernels import Kernel, by_gates, tangent
from gatefield.experiments.deep.digits.pair import QUICK, SETTING, Digits, PairSettings, loss_panel, nu_panel
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Experiment
from gatefield.lab.kinds import Rate
from gatefield.lab.verdict import Verdict

NETS = {"galu": "GaLU, frozen gates", "relu": "ReLU", "soft-relu": "soft ReLU", "soft-galu": "soft GaLU"}
ADAPTING = ("relu", "soft-relu", "soft-galu")


class Settings(PairSettings):
    """`beta` and `eps` belong to the soft gates (1 + eps) sigmoid(beta q)."""

    beta: Rate = 4.0
    eps: Annotated[float, Field(ge=0)] = 0.1


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    digits, parts = Digits(p), {}
    for gating in NETS:
        soft: dict[str, Any] = {"beta": p.beta, "eps": p.eps} if gating.startswith("soft") else {}
        kernels: Mapping[str, Kernel] = {"kernel": tangent, **({"gates": by_gates} if gating == "soft-galu" else {})}
        parts[gating] = digits.fit(bench, gating, digits.net(gating, **soft), kernels)[0]
    gates = parts["soft-galu"][["nu_gates", "trace_gates", "least_gates"]]
    parts["soft-galu"] = parts["soft-galu"].drop_vars(list(gates))
    return digits.gathered(parts).assign({name: gates[name] for name in gates})


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    test = record.test_accuracy.isel(step=-1)
    frozen = f"GaLU with frozen gates {say.spread(test.sel(net='galu'), 100)} %"
    out = [
        say.exceeds(
            f"{NETS[net]} generalises better than frozen gates (percentage points)",
            test.sel(net=net),
            test.sel(net="galu"),
            scale=100,
            note=f"{NETS[net]} {say.spread(test.sel(net=net), 100)} %, {frozen}; the paper shows a curve, no numbers",
        )
        for net in ADAPTING
    ]
    whole = record.nu / record.trace
    for net in ADAPTING:
        name = NETS[net]
        out.append(
            say.smaller_nu(f"{name}: nu (trace one) below that of frozen gates", record.nu.sel(net=net), _galu(record.nu))
        )
        out.append(say.smaller_nu(f"{name}: nu (K as it is) below that of frozen gates", whole.sel(net=net), _galu(whole)))
    out += [say.falls(f"{NETS[net]}: nu (trace one) falls", record.nu.sel(net=net)) for net in NETS]
    out.append(say.falls("soft GaLU: nu of K^a (trace one) falls", record.nu_gates))
    return [*out, say.ridge_is_small(record.least, record.attrs["ridge"])]


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
    panels[5].legend(*panels[0].get_legend_handles_labels(), loc="center left", fontsize=11)
    return figure


def _galu(values: xr.DataArray) -> xr.DataArray:
    return values.sel(net="galu")


def _gates_panel(axes: Any, record: xr.Dataset) -> None:
    both = xr.concat([record.nu_gates, record.nu_gates / record.trace_gates], xr.Variable("net", ["one", "plain"]))
    for key, style in {"one": "-", "plain": "--"}.items():
        values = both.sel(net=key)
        axes.plot(values.epoch, values.mean("seed"), style, color="C3", label="trace one" if key == "one" else "as it is")
        axes.fill_between(values.epoch, values.min("seed"), values.max("seed"), color="C3", alpha=0.2, linewidth=0)
    axes.set(yscale="log", xlabel="epoch", ylabel=r"$\nu$ of $K^a$", title="(e) part of the gates, soft GaLU")
    axes.legend()


experiment = Experiment(
    name="gate-adaptation",
    title="Networks whose gates adapt, and one whose gates are frozen: test accuracy and kernels",
    source="paper 004, experiment 3, figures 7 (left) and 8; eps, batch and epochs are our choice",
    text="Four networks of depth 6 and width 100: ReLU; soft ReLU, its gates 1.1 sigmoid(4 q); soft GaLU, whose soft gates "
    "come from a second network that is trained too; and GaLU, whose gates come from a second network that is frozen. "
    "The paper says that the three with adaptable gates generalise better, and that nu is smaller for them. "
    + SETTING
    + "K is the "
    "tangent kernel by all that is trained, for soft gates with the part through the gates; K^a is that part alone, of "
    "soft GaLU. Lines are means over seeds, bands the range of seeds. (a) loss, (b) test accuracy, (c) nu of K with trace "
    "one, (d) nu of K as it is, (e) nu of K^a with trace one and as it is.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5}},
    durations={"quick": "1 min", "full": "8 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
