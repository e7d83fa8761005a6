"""Do gates that adapt generalise better than frozen ones? Four networks on two digits."""

from collections.abc import Sequence
from typing import Annotated, Any

import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from gatefield.experiments.deep.digits.kernels import Kernel, by_gates
from gatefield.experiments.deep.digits.pair import QUICK, SETTING, Digits, PairSettings, finish, loss_panel, nu_panel
from gatefield.experiments.deep.digits.verdicts import falls, generalises, mean_nu, points, smaller_nu
from gatefield.kernels import tangent_kernel
from gatefield.lab import Bench, Experiment, Verdict
from gatefield.lab.kinds import Rate
from gatefield.plot import WIDTH, accuracy_panel, over_epochs, plain_log_scale

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
    gaps = [points(record, net, "galu") for net in ADAPTING]
    by = f"by {min(gaps):.2f} to {max(gaps):.2f} points"
    words: Any = {"kind": "claim", "source": MEASURE}
    ends = {net: mean_nu(record.nu.sel(net=net)) for net in NETS}
    low, *_, high = sorted((ends[net] for net in ADAPTING), key=lambda end: float(end.replace(",", "")))
    alone = f"ν {low} to {high}, not {ends['galu']}"
    plain = record.nu / record.trace
    return [
        Verdict.each(
            "ReLU, soft ReLU and soft GaLU networks are right on more test digits than a network with frozen gates",
            {NETS[net]: generalises("", record, net, "galu", NETS) for net in ADAPTING},
            kind="claim",
            source=SOURCE,
            note=_note(record),
            found=f"adapting gates beat frozen ones {by} on test digits",
            otherwise=f"not all adapting gates beat frozen ones on test digits ({by})",
        ),
        Verdict.each(
            "ν of the tangent kernel, with trace one, is smaller where gates adapt than behind frozen gates",
            {NETS[net]: smaller_nu("", record.nu.sel(net=net), record.nu.sel(net="galu")) for net in ADAPTING},
            found=f"K scaled to trace one fits the labels better ({alone})",
            otherwise=f"K scaled to trace one does not always fit the labels better ({alone})",
            **words,
        ),
        Verdict.each(
            "ν of the tangent kernel, as it is, is smaller where gates adapt than behind frozen gates",
            {NETS[net]: smaller_nu("", plain.sel(net=net), plain.sel(net="galu")) for net in ADAPTING},
            **words,
        ),
        Verdict.each(
            "training lets ν of the tangent kernel, with trace one, fall where gates adapt",
            {
                **{NETS[net]: falls("", record.nu.sel(net=net)) for net in ADAPTING},
                "soft GaLU, part of the gates": falls("", record.nu_gates),
            },
            **words,
        ),
        falls("training lets ν of the tangent kernel, with trace one, fall behind frozen gates too", record.nu.sel(net="galu")),
    ]


def _note(record: xr.Dataset) -> str:
    return f"test accuracy in percentage points; one-sided 95 % intervals of {record.sizes['seed']} seeds"


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 5.6))
    body: Any = figure.subfigures()
    panels = body.subplots(2, 2)
    loss_panel(panels[0, 0], record, NETS)
    accuracy_panel(panels[0, 1], record.test_accuracy, NETS)
    nu_panel(panels[1, 0], record.nu, NETS)
    over_epochs(panels[1, 1], record.nu / record.trace, NETS)
    plain_log_scale(panels[1, 1])
    panels[1, 1].set_ylabel(r"$\nu$ of $K$ as it is")
    gaps = [points(record, net, "galu") for net in ADAPTING]
    test = f"adapting gates: {min(gaps):+.2f} to {max(gaps):+.2f} points"
    titles = [_loss_text(record), test, _nu_text("trace one", record.nu), _nu_text("as it is", record.nu / record.trace)]
    finish(body, panels, record, NETS, titles, [record.nu, record.nu / record.trace])
    return figure


def _loss_text(record: xr.Dataset) -> str:
    """The loss at the end where gates adapt, as shares of that behind frozen gates."""
    last = record.loss.isel(step=-1).mean("seed")
    shares = [100 * float(last.sel(net=net) / last.sel(net="galu")) for net in ADAPTING]
    return f"adapting: {min(shares):.2g} to {max(shares):.2g} % of the frozen loss"


def _nu_text(kernel: str, nu: xr.DataArray) -> str:
    """Which networks whose gates adapt end above frozen gates."""
    last = nu.isel(step=-1).mean("seed")
    frozen = float(last.sel(net="galu"))
    above = [NETS[net] for net in ADAPTING if float(last.sel(net=net)) > frozen]
    if len(above) == 1:
        return f"{kernel}: {above[0]} ends above frozen gates"
    return f"{kernel}: " + (f"{len(above)} of {len(ADAPTING)} end above frozen" if above else "all end below frozen gates")


experiment = Experiment(
    name="gate-adaptation",
    title="Networks whose gates adapt, and one whose gates are frozen: test accuracy and kernels",
    source="paper 004, experiment 3, figures 7 (left) and 8; eps, batch and epochs are our choice",
    text="Four networks: ReLU; soft ReLU, with gates (1 + eps) sigmoid(beta q); soft GaLU, whose soft gates come from a second "
    "network that is trained too; and GaLU, whose hard gates come from a second network that stays frozen. Do the three whose "
    "gates adapt generalise better, with a smaller ν? " + SETTING + "K is the tangent kernel by all that is trained.",
    caption="(a) Loss on the training set. (b) Test accuracy, with the numbers at the end. (c) ν of the tangent kernel scaled "
    "to trace one, small where labels lie along its leading directions. (d) ν of the kernel as it is, which also falls if the "
    "kernel only grows. Numbers are those at the end. Lines are means over seeds, bands their standard errors.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5}},
    durations={"quick": "1 min", "full": "8 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
