"""Deep linear networks on one sample beside `train`; verdicts and figure of `linear-depth` on a record made by hand."""

import jax
import numpy as np
import pytest
import xarray as xr
from depth_records import assert_bars, runs
from drawn import assert_line
from judging import changed, judged, told
from scipy import stats

from gatefield import Dataset, DeepGated, train
from gatefield.experiments.deep.linear_depth import experiment
from gatefield.experiments.deep.networks import draw
from gatefield.kernels import tangent_kernel
from gatefield.lab import MemoryBench

DEPTHS, STEPS = [2, 4, 10], [0, 1, 10, 59, 60]
FIRST = 0.8100, 0.8085, 0.8131
TENTH = 0.1027, 0.0799, 0.0560
GROWN = 1.402, 1.961, 3.227
"""Of the independent computation, 400 runs."""
DEVIATION = 0.0, 0.2, 0.4
"""Of K/d before training."""


def made(rate=0.1, width=100):
    """Four runs of each depth with the numbers of the independent computation."""
    each = ("depth", "run", "step")
    error, kernel, length = np.ones((3, 4, 5)), np.ones((3, 4, 5)), np.ones((3, 4, 5))
    error[..., 1], error[..., 2], error[..., 3:] = runs(FIRST, 0.001), runs(TENTH, 0.001), 1e-4
    kernel[..., 0], kernel[..., 3] = runs(1.0, DEVIATION), runs(GROWN, 0.01)
    kernel[..., 4] = runs([1.4, 2.0, 3.3], 0.0)
    length[..., 1:] = 1.1
    data = {"squared_error": (each, error), "kernel": (each, kernel), "length": (each, length)}
    data["start"] = ("depth", "run"), np.full((3, 4), np.sqrt(2 - 1.4**2))
    data["exact_deviation"] = "depth", list(DEVIATION)
    coords = {"depth": DEPTHS, "step": STEPS, "run": range(4)}
    return xr.Dataset(data, coords, {"width": width, "rate": rate})


def at(depth, step):
    return {"depth": depth, "step": step}


def test_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert [v.holds for v in found] == [True, True, False, True, True, True, True, True, True, True]
    assert [v.predicted for v in found] == pytest.approx([0.81, 0.9**20, 1, 1.4, 0, 0, 1, 0, 0, 0])
    assert [v.kind for v in found[-3:]] == ["regression"] * 3


LIMIT = stats.t.ppf(1 - 0.001 / 6, 3)
INSIDE, OUTSIDE = LIMIT - 0.01, LIMIT + 0.01
TABLE = 0.002 * np.sqrt(1 / 4 + 1 / 400)
LATE = 0.9**20 - 3 * 0.01 / 2


@pytest.mark.parametrize(
    ("words", "changes", "measured", "holds"),
    [
        ("the first step leaves", [("squared_error", at(4, 1), 0.8299)], 0.8299, True),
        ("the first step leaves", [("squared_error", at(4, 1), 0.8301)], 0.8301, False),
        ("the first step leaves", [("squared_error", at(10, 1), 0.7901)], 0.7901, True),
        ("the first step leaves", [("squared_error", at(10, 1), 0.7899)], 0.7899, False),
        ("later the error falls faster", [("squared_error", at(10, 10), runs(LATE - 1e-5, 0.01))], LATE - 1e-5, True),
        ("later the error falls faster", [("squared_error", at(10, 10), runs(LATE + 1e-5, 0.01))], LATE + 1e-5, False),
        ("later the error falls faster", [("squared_error", at(10, 10), 0.9**20 + 1e-5)], 0.9**20 + 1e-5, False),
        ("irrespective of the depth", [("squared_error", at(10, 10), 0.1027 * 1.099)], 1.099, True),
        ("irrespective of the depth", [("squared_error", at(10, 10), 0.1027 * 1.101)], 1.101, False),
        ("irrespective of the depth", [("squared_error", at(10, 10), 0.1027 * 0.901)], 0.901, True),
        ("irrespective of the depth", [("squared_error", at(10, 10), 0.1027 * 0.899)], 0.899, False),
        ("K grows over training", [("kernel", at(2, 60), 1.01)], 3.3, True),
        ("K grows over training", [("kernel", at(2, 60), 0.99)], 3.3, False),
        ("K grows over training", [("kernel", at(4, 60), 1.39)], 3.3, False),
        ("K grows over training", [("kernel", at(10, 60), 1.99)], 1.99, False),
        ("K/d is 1 on average", [("kernel", at(4, 0), runs(1 + INSIDE * 0.1, 0.2))], INSIDE, True),
        ("K/d is 1 on average", [("kernel", at(4, 0), runs(1 - OUTSIDE * 0.1, 0.2))], OUTSIDE, False),
        ("K/2 ends near sqrt(2", [("kernel", {**at(2, 60), "run": 2}, 1.4 * 1.049)], 1.049, True),
        ("K/2 ends near sqrt(2", [("kernel", {**at(2, 60), "run": 2}, 1.4 * 1.051)], 1.051, False),
        ("K/2 ends near sqrt(2", [("kernel", {**at(2, 60), "run": 2}, 1.4 * 0.949)], 0.949, False),
        ("e_1^2/e_0^2 agrees", [("squared_error", at(10, 1), runs(0.81315 + INSIDE * TABLE, 0.002))], INSIDE, True),
        ("e_1^2/e_0^2 agrees", [("squared_error", at(10, 1), runs(0.81315 + OUTSIDE * TABLE, 0.002))], OUTSIDE, False),
        ("e_10^2/e_0^2 agrees", [("squared_error", at(4, 10), runs(0.07995 + INSIDE * TABLE, 0.002))], INSIDE, True),
        ("e_10^2/e_0^2 agrees", [("squared_error", at(4, 10), runs(0.07995 + OUTSIDE * TABLE, 0.002))], OUTSIDE, False),
        ("K/d before update 60 agrees", [("kernel", at(2, 59), runs(1.4025 + INSIDE * TABLE, 0.002))], INSIDE, True),
        ("K/d before update 60 agrees", [("kernel", at(2, 59), runs(1.4025 + OUTSIDE * TABLE, 0.002))], OUTSIDE, False),
    ],
)  # fmt: skip
def test_verdicts_on_both_sides_of_their_bounds(words, changes, measured, holds):
    found = judged(experiment, changed(made(), *changes), words)
    assert found.holds is holds
    assert found.measured == pytest.approx(measured, rel=1e-6)


@pytest.mark.parametrize(("beyond", "holds"), [(-0.01, True), (0.01, False)])
def test_the_variance_of_the_first_kernel(beyond, holds):
    """Of five runs 1 +- a and 1: variance a^2/2, fourth moment 2 a^4/5; the variance of a run in a sample of five."""
    a, limit = 0.3, stats.norm.isf(0.001 / 6)
    start = np.ones((3, 5))
    start[1, :2] = 1 + a, 1 - a
    record = xr.concat([made(), made().isel(run=[0]).assign_coords(run=[4])], "run", data_vars="minimal")
    record["kernel"].loc[{"step": 0}] = start
    error = np.sqrt((2 * a**4 / 5 - a**4 / 4) / 5)
    exact = np.sqrt(a**2 / 2 + (limit + beyond) * error)
    record["exact_deviation"][:] = np.array([0.0, exact, 0.0])
    found = judged(experiment, record, "the variance of K/d is the exact one")
    assert (found.holds, found.measured) == (holds, pytest.approx(limit + beyond, rel=1e-6))
    assert f"0.0000 (0.0000), {np.sqrt(a**2 / 2):.4f} ({exact:.4f}), 0.0000 (0.0000)" in found.note


@pytest.mark.parametrize(
    "record",
    [made(width=99), made(rate=0.2), made().isel(step=slice(3)), made().assign_coords(depth=[3, 5, 7])],
    ids=["width", "rate", "steps", "depths"],
)
def test_the_independent_computation_is_asked_in_its_setting_alone(record):
    assert [v.outcome for v in experiment.verdicts(record) if v.kind == "regression"] == ["not judged"] * 3
    assert not [v for v in told(experiment, record) if v.kind == "regression"]


def test_other_rates_and_depths_have_their_own_ideals():
    found = experiment.verdicts(made(rate=0.2).isel(depth=[1, 2]))
    assert [v.predicted for v in found[:2]] == pytest.approx([0.64, 0.8**20])
    assert [v.outcome for v in found if v.claim.startswith("d = 2")] == ["not judged"]


def test_the_record_is_that_of_a_training():
    record = experiment.simulate(experiment.Parameters(width=6, depths=(2, 4), runs=22, steps=10), MemoryBench())
    many = [
        draw(rng, "signs", 6**-0.5, 4, 6) for i in range(2) for rng in [np.random.default_rng([0, 4, i])] for _ in range(20)
    ]
    observe = {"kernel": ((), lambda net: tangent_kernel(net, jax.numpy.ones((1, 1)))[0, 0])}
    with jax.enable_x64(True):
        net = DeepGated(1, [6, 6, 6], gating="linear", init=[np.stack(w) for w in zip(*many[:22], strict=True)])
        settings = {"batch_size": "all", "learning_rate": 0.1 / 4, "loss": "sse", "record_every": 1, "observe": observe}
        found = train(net, Dataset([[1.0]], [1.0]), steps=10, key=jax.random.key(0), progress=False, **settings).record
    one, length = record.sel(depth=4).transpose("run", "step"), np.linalg.norm(found.weight_norm.values, axis=-1)
    np.testing.assert_allclose(one.squared_error, found.loss / found.loss.values[:, :1], rtol=1e-9)
    np.testing.assert_allclose(one.kernel, found.kernel / 4, rtol=1e-9)
    np.testing.assert_allclose(one.length, length / length[:, :1], rtol=1e-9)
    y = [float((w[0] @ w[1] @ w[2] @ w[3])[0, 0]) for w in many[:22]]
    np.testing.assert_allclose(one.start, y, atol=1e-12)
    np.testing.assert_allclose(record.exact_deviation.sel(depth=2), 0, atol=1e-12)


def test_figure_shows_start_errors_kernels_and_lengths():
    record, rng = made(rate=0.2), np.random.default_rng(0)
    for name in ("squared_error", "kernel", "length"):
        record[name][:] = rng.uniform(0.1, 2, (3, 4, 5))
    start, *panels = experiment.figure(record).axes
    sampled, exact = start.containers
    mean, spread = record.kernel.values[..., 0].mean(1), record.kernel.values[..., 0].std(1, ddof=1)
    assert_bars(sampled, np.array(DEPTHS) - 0.12, mean, mean - spread, mean + spread)
    assert_bars(exact, np.array(DEPTHS) + 0.12, None, 1 - np.array(DEVIATION), 1 + np.array(DEVIATION))
    for axes, name in zip(panels, ("squared_error", "kernel", "length"), strict=True):
        for i, d in enumerate(DEPTHS):
            assert_line(axes, STEPS, record[name].values[i].mean(0), color=f"C{i}", label=f"d = {d}")
    assert_line(panels[0], STEPS, [0.64**t for t in STEPS], style="--", label="0.64$^t$")
    low = record.kernel.values[1].mean(0) - record.kernel.values[1].std(0, ddof=1)
    assert panels[1].collections[1].get_paths()[0].get_extents().y0 == pytest.approx(low.min())
    assert [axes.get_title()[:14] for axes in panels] == ["(b) squared er", "(c) K/d, mean ", "(d) length of "]
