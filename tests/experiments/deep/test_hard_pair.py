"""The pair that no homogeneous network fits; verdicts and figure of `hard-pair` on a record made by hand."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_line, lines
from judging import changed, judged

from gatefield.experiments.deep.hard_pair import BEST, PLACE, experiment
from gatefield.lab import MemoryBench

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


def test_all_hold_in_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert [v.holds for v in found] == [True] * 6
    assert [v.predicted for v in found] == pytest.approx([1.8, 1.8, 0, 0, 0, -0.2])
    assert not any("too short" in v.note for v in found)
    short = experiment.verdicts(made(19_999))
    assert [v.outcome for v in short] == ["not decided"] * 6
    assert all("19999 steps are too short to decide, 20000 are usual" in v.note for v in short)


@pytest.mark.parametrize(
    ("place", "changes", "measured", "holds"),
    [
        (0, [end("ReLU", 1.8 - 0.9e-9)], 1.8, True),
        (0, [end("ReLU", 1.8 - 1.1e-9)], 1.8, False),
        (0, [end("ReLU", 1.80099)], 1.80001, True),
        (0, [end("ReLU", 1.80101)], 1.80001, False),
        (1, [end("GaLU", 1.79)], 1.79, False),
        (1, [end("GaLU", 1.81)], 1.80001, False),
        (2, [end("random", 0.9e-6)], 0.9e-6, True),
        (2, [end("random", 1.1e-6)], 1.1e-6, False),
        (3, [end("soft-GaLU", 1.1e-6)], 1.1e-6, False),
        (4, [end("soft-ReLU", np.inf)], 1e6, False),
        (5, [("output", {"kind": "ReLU", "run": 2}, [-0.219, -0.438])], -0.219, True),
        (5, [("output", {"kind": "ReLU", "run": 2}, [-0.221, -0.442])], -0.221, False),
        (5, [("output", {"kind": "GaLU", "run": 0}, [-0.181, -0.362])], -0.181, True),
        (5, [("output", {"kind": "GaLU", "run": 0}, [-0.179, -0.358])], -0.179, False),
        (5, [("output", {"kind": "GaLU", "run": 0}, [-0.2, -0.4 + 0.9e-9])], -0.2, True),
        (5, [("output", {"kind": "GaLU", "run": 0}, [-0.2, -0.4 - 1.1e-9])], -0.2, False),
        (5, [("output", {"kind": "random"}, 7.0)], -0.2, True),
    ],
)
def test_verdicts_on_both_sides_of_their_bounds(place, changes, measured, holds):
    found = experiment.verdicts(changed(made(), *changes))
    assert [v.holds for v in found] == [holds if i == place else True for i in range(6)]
    assert found[place].measured == pytest.approx(measured, rel=1e-8)


def test_notes_say_how_many_runs_fit():
    note = judged(experiment, changed(made(), end("random", 2e-6), end("random", 1e-8, 0)), "random gates").note
    assert note == "below it in 67% of 3 runs; least 1.0e-09, median 1.0e-08."


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
        drawn = [line.get_ydata() for line in lines(losses, color=f"C{i}")]
        np.testing.assert_allclose(drawn, np.maximum(record.loss.sel(kind=kind), 1e-30))
        ends = record.output.sel(kind=kind)
        assert_line(outputs, ends.sel(point="x"), ends.sel(point="2x"), label=name)
        assert len(lines(losses, label=name)) == 1
    assert_line(losses, [0, 1], [1.8, 1.8], style="--")
    assert_line(outputs, [1], [-1], label="labels")
    line = lines(outputs, color="0.6")[0]
    np.testing.assert_allclose(line.get_ydata(), 2 * np.asarray(line.get_xdata()))


def test_figure_shows_the_first_ten_runs():
    record = xr.concat([made()] * 4, "run")
    assert len(lines(experiment.figure(record).axes[0], color="C0")) == 10
