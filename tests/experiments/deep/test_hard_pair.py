"""The pair that no homogeneous network fits; verdicts and figure of `hard-pair` on a record made by hand."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_line, lines
from judging import changed
from rows import row

from gatefield.experiments.deep.hard_pair import BEST, PLACE, experiment
from gatefield.lab import MemoryBench
from gatefield.plot import COLOURS

KINDS = ["ReLU", "GaLU", "random", "soft-GaLU", "soft-ReLU"]


def made(steps=20_000):
    """Three runs of each kind that end as they should; hard ones at 9/5, others at 1e-9."""
    end = np.full((5, 3), 1e-9)
    end[:2] = 1.8 + 1e-5
    output = np.broadcast_to([1.0, -1.0], (5, 3, 2)).copy()
    output[:2] = [-0.2, -0.4]
    loss = np.stack([np.full((5, 3), 2.0), end], -1)
    coords = {"kind": KINDS, "run": range(3), "step": [0, steps], "point": ["x", "2x"]}
    return xr.Dataset({"loss": (("kind", "run", "step"), loss), "output": (("kind", "run", "point"), output)}, coords)


def end(kind, value, run=1):
    return "loss", {"kind": kind, "run": run, "step": 20_000}, value


def test_least_loss_of_the_pair():
    y = np.linspace(-2, 2, 40_001)
    loss = (y - 1) ** 2 + (2 * y + 1) ** 2
    np.testing.assert_allclose([loss.min(), y[loss.argmin()]], [BEST, PLACE], atol=1e-7)


STUCK, FITS, PLACED = range(3)
"""The places of the verdicts."""


def test_all_hold_in_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert [v.outcome for v in found] == ["confirmed"] * 3
    assert [bound.predicted for bound in found[STUCK].table] == pytest.approx([1.8, None, 1.8, None])
    assert not any("too short" in v.note for v in found)
    short = experiment.verdicts(made(19_999))
    assert [v.outcome for v in short] == ["not decided"] * 3
    assert all("19999 steps are too short to decide, 20000 are usual" in v.note for v in short)


@pytest.mark.parametrize(
    ("place", "at_row", "which", "changes", "measured", "outcome"),
    [
        (STUCK, "ReLU", 0, [end("ReLU", 1.8 - 0.9e-9)], 1.8, "holds"),
        (STUCK, "ReLU", 0, [end("ReLU", 1.8 - 1.1e-9)], 1.8, "missed"),
        (STUCK, "ReLU", 1, [end("ReLU", 1.80099)], 1.80099, "holds"),
        (STUCK, "ReLU", 1, [end("ReLU", 1.80101)], 1.80101, "missed"),
        (STUCK, "GaLU", 0, [end("GaLU", 1.79)], 1.79, "missed"),
        (STUCK, "GaLU", 1, [end("GaLU", 1.81)], 1.81, "missed"),
        (FITS, "random gates", 0, [end("random", 0.9e-6)], 0.9e-6, "holds"),
        (FITS, "random gates", 0, [end("random", 1.1e-6)], 1.1e-6, "missed"),
        (FITS, "soft GaLU", 0, [end("soft-GaLU", 1.1e-6)], 1.1e-6, "missed"),
        (FITS, "soft ReLU", 0, [end("soft-ReLU", np.inf, run) for run in range(3)], 1e6, "missed"),
    ],
)
def test_rows_on_both_sides_of_their_bounds(place, at_row, which, changes, measured, outcome):
    found = experiment.verdicts(changed(made(), *changes))
    bound = row(found[place], at_row, which)
    assert (bound.outcome, bound.measured) == (outcome, pytest.approx(measured, rel=1e-8))
    assert [v.outcome for at, v in enumerate(found) if at != place] == ["confirmed"] * 2


def test_a_run_that_diverged_says_nothing_of_what_can_be_fitted():
    found = experiment.verdicts(changed(made(), end("soft-ReLU", np.inf)))[FITS]
    bound = row(found, "soft ReLU", 0)
    assert (found.outcome, bound.outcome) == ("confirmed", "holds")
    assert "1 of 3 runs diverged and are left out" in bound.rule


@pytest.mark.parametrize(
    ("kind", "value", "outcome"),
    [
        ("ReLU", -0.219, "confirmed"),
        ("ReLU", -0.221, "refuted"),
        ("GaLU", -0.181, "confirmed"),
        ("GaLU", -0.179, "refuted"),
        ("random", 7.0, "confirmed"),
    ],
)
def test_the_output_at_x_is_that_of_the_least_loss(kind, value, outcome):
    found = experiment.verdicts(changed(made(), ("output", {"kind": kind, "run": 2, "point": "x"}, value)))[PLACED]
    assert found.outcome == outcome
    assert found.measured == pytest.approx(value if kind != "random" else -0.2)


def test_a_small_run_by_hand():
    """Gradient descent of each kind, two layers of weights, with gradients written out; losses and outputs are in float64."""
    p = experiment.Parameters(inputs=2, width=8, depth=2, runs=2, steps=3, record_every=3)
    record = experiment.simulate(p, MemoryBench())
    assert record.kind.values.tolist() == KINDS
    for kind in KINDS:
        for run in range(2):
            losses, output = trained(p, kind, np.random.default_rng([0, run]))
            one = record.sel(kind=kind).isel(run=run)
            np.testing.assert_allclose(one.loss, losses, rtol=1e-10)
            np.testing.assert_allclose(one.output, output, rtol=1e-10)
    hard = record.output.sel(kind=["ReLU", "GaLU"])  # hard gates are the same at both points
    np.testing.assert_allclose(hard.sel(point="2x"), 2 * hard.sel(point="x"), rtol=1e-12)


def trained(p, kind, rng):
    x = np.outer([1.0, 2.0], rng.normal(size=2) / np.sqrt(2))
    size = np.sqrt(2 / 8)
    (u, v), (gating, _) = ([size * rng.normal(size=shape) for shape in ((2, 8), 8)] for _ in range(2))
    drawn = rng.random((2, 8)) < 0.5

    def gates(u):
        """Gates, and their slope times the sum where it moves with the weights."""
        q = x @ (u if kind.endswith("ReLU") else gating)
        soft = 1.1 / (1 + np.exp(-4 * q))
        opened = {"random": drawn}.get(kind, soft if kind.startswith("soft") else q > 0)
        return opened, 4 * soft * (1 - soft / 1.1) * q if kind == "soft-ReLU" else 0.0

    opened, _ = gates(u)
    kernel = (x @ x.T) * ((opened * v) @ (opened * v).T) + (opened * (x @ u)) @ (opened * (x @ u)).T
    rate, found = 0.05 / np.linalg.norm(kernel, 2), []
    for step in range(4):
        opened, slope = gates(u)
        output = (opened * (x @ u)) @ v
        error = output - [1.0, -1.0]
        found += [(error**2).sum()] if step in (0, 3) else []
        u, v = u - rate * x.T @ (error[:, None] * (opened + slope) * v), v - rate * error @ (opened * (x @ u))
    return found, output


def test_figure_shows_losses_and_outputs():
    rng = np.random.default_rng(0)
    record = made()
    record["loss"][:], record["output"][:] = rng.uniform(0.1, 2, (5, 3, 2)), rng.uniform(-1, 1, (5, 3, 2))
    record["loss"][2, 1, 1] = 0.0
    losses, outputs = experiment.figure(record).axes
    names = ["ReLU", "GaLU", "random gates", "soft GaLU", "soft ReLU"]
    for i, (kind, name) in enumerate(zip(KINDS, names, strict=True)):
        drawn = [line.get_ydata() for line in lines(losses, color=COLOURS[i])]
        np.testing.assert_allclose(drawn, np.maximum(record.loss.sel(kind=kind), 1e-12))
        ends = record.output.sel(kind=kind)
        assert_line(outputs, ends.sel(point="x"), ends.sel(point="2x"), label=name)
    assert_line(losses, [0, 1], [1.8, 1.8], color="black")
    assert_line(outputs, [1], [-1], label="labels (1, −1)")
    line = lines(outputs, color="black", style="-")[0]
    np.testing.assert_allclose(line.get_ydata(), 2 * np.asarray(line.get_xdata()))


def test_figure_shows_the_first_ten_runs():
    record = xr.concat([made()] * 4, "run")
    assert len(lines(experiment.figure(record).axes[0], color=COLOURS[0])) == 10


def test_figure_shows_every_run_that_diverged_and_counts_those_that_fit():
    """The last of forty runs of soft GaLU, which is not among the first ten; it leaves at the step at which it is infinite."""
    record = changed(xr.concat([made()] * 14, "run").assign_coords(run=range(42)), end("soft-GaLU", np.inf, 39))
    axes = experiment.figure(record).axes[0]
    drawn = lines(axes, color=COLOURS[3])
    assert len(drawn) == 12
    np.testing.assert_allclose(drawn[10].get_xydata(), [[0, 2.0], [20, axes.get_ylim()[1]]])
    np.testing.assert_allclose(drawn[11].get_xydata(), [[20, axes.get_ylim()[1]]])
    words = " ".join(text.get_text().replace("\n", " ") for text in axes.texts)
    assert "diverged (1 of 42 soft GaLU)" in words
    assert "125 of 126 runs with random or soft gates fit" in words
    assert "all 84 runs with hard gates" in words
    assert "1 of 126 runs diverged" in experiment.verdicts(record)[FITS].found


def test_figure_shows_and_counts_runs_that_do_not_fit():
    record = changed(xr.concat([made()] * 4, "run").assign_coords(run=range(12)), end("random", 0.1, 11), end("ReLU", 1.7, 11))
    axes = experiment.figure(record).axes[0]
    assert [len(lines(axes, color=COLOURS[i])) for i in range(5)] == [11, 10, 11, 10, 10]
    words = " ".join(text.get_text().replace("\n", " ") for text in axes.texts)
    assert "35 of 36 runs with random or soft gates fit" in words
    assert "23 of 24 runs with hard gates" in words
    assert "diverged" not in words
    assert axes.get_title(loc="left") == "(a) sum of squared errors"
