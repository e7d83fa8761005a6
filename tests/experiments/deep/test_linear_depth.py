"""Deep linear networks on one sample beside `train`; verdicts and figure of `linear-depth` on a record made by hand."""

import jax
import numpy as np
import pytest
import xarray as xr
from depth_records import assert_bars, runs
from drawn import assert_line
from judging import changed
from rows import assert_row, row
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
"""Of the other program, 400 runs."""
DEVIATION = 0.0, 0.2, 0.4
"""Of K/d before training."""


def made(rate=0.1, width=100):
    """Four runs of each depth with the numbers of the other program."""
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


ALIKE, FASTER, FIRST_STEP, GROWS, MEAN, VARIANCE, CONSERVED, TABLE = range(8)
"""The places of the verdicts."""


def test_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert [v.outcome for v in found] == ["refuted", *["confirmed"] * 7]
    assert [v.kind for v in found] == ["claim", "prediction", "claim", *["prediction"] * 4, "regression"]
    assert found[ALIKE].sentence == (
        "deeper linear networks learn faster: 0.056 of the squared error is left after 10 steps at d = 10, 0.103 at d = 2"
    )


LIMIT = stats.t.ppf(1 - 0.001 / 6, 3)
INSIDE, OUTSIDE = LIMIT - 0.01, LIMIT + 0.01
BESIDE = 0.002 * np.sqrt(1 / 4 + 1 / 400)
LATE = 0.9**20


@pytest.mark.parametrize(
    ("place", "at_row", "changes", "measured", "outcome"),
    [
        (FIRST_STEP, "d = 4", [("squared_error", at(4, 1), 0.8299)], 0.8299, "holds"),
        (FIRST_STEP, "d = 4", [("squared_error", at(4, 1), 0.8301)], 0.8301, "missed"),
        (FIRST_STEP, "d = 10", [("squared_error", at(10, 1), 0.7901)], 0.7901, "holds"),
        (FIRST_STEP, "d = 10", [("squared_error", at(10, 1), 0.7899)], 0.7899, "missed"),
        (FIRST_STEP, "d = 10", [("squared_error", at(10, 1), runs(0.7901, 0.01))], 0.7901, "not decided"),
        (FASTER, "d = 10", [("squared_error", at(10, 10), runs(LATE - 0.0151, 0.01))], LATE - 0.0151, "holds"),
        (FASTER, "d = 10", [("squared_error", at(10, 10), runs(LATE - 0.0149, 0.01))], LATE - 0.0149, "not decided"),
        (FASTER, "d = 10", [("squared_error", at(10, 10), 0.9**20 + 1e-5)], 0.9**20 + 1e-5, "missed"),
        (GROWS, "d = 2", [("kernel", at(2, 60), 1.01)], 1.01, "holds"),
        (GROWS, "d = 2", [("kernel", at(2, 60), 0.99)], 0.99, "missed"),
        (GROWS, "d = 4", [("kernel", at(4, 60), 1.39)], 1.39, "missed"),
        (GROWS, "d = 10", [("kernel", at(10, 60), runs(2.016, 0.01))], 2.016, "holds"),
        (GROWS, "d = 10", [("kernel", at(10, 60), runs(2.014, 0.01))], 2.014, "not decided"),
        (TABLE, "e_1²/e_0²", [("squared_error", at(10, 1), runs(0.81315 + INSIDE * BESIDE, 0.002))], INSIDE, "holds"),
        (TABLE, "e_1²/e_0²", [("squared_error", at(10, 1), runs(0.81315 + OUTSIDE * BESIDE, 0.002))], OUTSIDE, "missed"),
        (TABLE, "e_10²/e_0²", [("squared_error", at(4, 10), runs(0.07995 + INSIDE * BESIDE, 0.002))], INSIDE, "holds"),
        (TABLE, "e_10²/e_0²", [("squared_error", at(4, 10), runs(0.07995 + OUTSIDE * BESIDE, 0.002))], OUTSIDE, "missed"),
        (TABLE, "K/d before update 60", [("kernel", at(2, 59), runs(1.4025 + INSIDE * BESIDE, 0.002))], INSIDE, "holds"),
        (TABLE, "K/d before update 60", [("kernel", at(2, 59), runs(1.4025 + OUTSIDE * BESIDE, 0.002))], OUTSIDE, "missed"),
    ],
)  # fmt: skip
def test_rows_on_both_sides_of_their_bounds(place, at_row, changes, measured, outcome):
    assert_row(experiment.verdicts(changed(made(), *changes))[place], at_row, measured, outcome)


LOST = 0.05**2 * (np.sqrt(2 - 1.4**2) - 1) ** 2 / (1 - 0.81)
"""What steps of 0.1/2 can lose of K² - 4y², with the output that the record starts from; of K half as much of it."""


@pytest.mark.parametrize(
    ("place", "changes", "measured", "outcome"),
    [
        (ALIKE, [("squared_error", at([2, 10], 10), [[0.1] * 4, [0.1099] * 4])], 1.099, "confirmed"),
        (ALIKE, [("squared_error", at([2, 10], 10), [[0.1] * 4, [0.1101] * 4])], 1.101, "refuted"),
        (ALIKE, [("squared_error", at([2, 10], 10), [[0.1] * 4, [0.0901] * 4])], 0.901, "confirmed"),
        (ALIKE, [("squared_error", at([2, 10], 10), [[0.1] * 4, [0.0899] * 4])], 0.899, "refuted"),
        (ALIKE, [("squared_error", at([2, 10], 10), [[0.1] * 4, runs(0.0899, 0.01)])], 0.899, "not decided"),
        (MEAN, [("kernel", at(4, 0), runs(1 + INSIDE * 0.1, 0.2))], INSIDE, "confirmed"),
        (MEAN, [("kernel", at(4, 0), runs(1 - OUTSIDE * 0.1, 0.2))], OUTSIDE, "refuted"),
        (CONSERVED, [("kernel", {**at(2, 60), "run": 2}, 1.4 * (1 - 0.99 * LOST))], 1 - 0.99 * LOST, "confirmed"),
        (CONSERVED, [("kernel", {**at(2, 60), "run": 2}, 1.4 * (1 - 1.01 * LOST))], 1 - 1.01 * LOST, "refuted"),
        (CONSERVED, [("kernel", {**at(2, 60), "run": 2}, 1.4 * (1 + 1.01 * LOST))], 1 + 1.01 * LOST, "refuted"),
    ],
)  # fmt: skip
def test_verdicts_on_both_sides_of_their_bounds(place, changes, measured, outcome):
    found = experiment.verdicts(changed(made(), *changes))[place]
    assert (found.outcome, found.measured) == (outcome, pytest.approx(measured, rel=1e-6))


def test_the_error_of_the_ratio_of_both_ends():
    """Relative errors of a ratio add in squares: 0.05 and 0.02, each with its own mean."""
    ends = [runs(0.4, 0.4 * 0.05), runs(0.1, 0.1 * 0.02)]
    found = experiment.verdicts(changed(made(), ("squared_error", at([2, 10], 10), ends)))
    rows = [row(found[FASTER], place) for place in ("d = 2", "d = 10")]
    relative = [one.error / one.measured for one in rows]
    assert relative[0] == pytest.approx(2.5 * relative[1])
    assert found[ALIKE].bounds[0].error == pytest.approx(0.25 * np.sqrt(relative[0] ** 2 + relative[1] ** 2))


def test_what_descent_conserves_at_depth_two():
    """Each step changes K² - 4y² by the factor (1 - (rate e/2)²)², exactly."""
    record = experiment.simulate(experiment.Parameters(width=6, depths=(2, 3), runs=5, steps=10), MemoryBench())
    one = record.sel(depth=2).transpose("run", "step")
    error = np.sqrt(one.squared_error.values) * np.abs(one.start.values[:, None] - 1)
    left = np.cumprod((1 - (0.05 * error) ** 2) ** 2, axis=1)[:, :-1]
    output = 1 + np.sign(one.start.values[:, None] - 1) * error
    kept = 4 * one.kernel.values**2 - 4 * output**2
    np.testing.assert_allclose(kept[:, 1:], kept[:, :1] * left, atol=1e-9)


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
    found = experiment.verdicts(record)[VARIANCE]
    assert (found.holds, found.measured) == (holds, pytest.approx(limit + beyond, rel=1e-6))
    assert f"0.0000 (0.0000), {np.sqrt(a**2 / 2):.4f} ({exact:.4f}), 0.0000 (0.0000)" in found.note


@pytest.mark.parametrize(
    "record",
    [made(width=99), made(rate=0.2), made().isel(step=slice(3)), made().assign_coords(depth=[3, 5, 7])],
    ids=["width", "rate", "steps", "depths"],
)
def test_the_other_program_is_asked_in_its_setting_alone(record):
    assert experiment.verdicts(record)[TABLE].outcome == "not judged"


def test_other_rates_and_depths_have_their_own_ideals():
    found = experiment.verdicts(made(rate=0.2).isel(depth=[1, 2]))
    assert row(found[FIRST_STEP], "d = 4").predicted == pytest.approx(0.64)
    assert row(found[FASTER], "d = 4").high == pytest.approx(0.8**20)
    assert found[CONSERVED].outcome == "not judged"


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


def test_figure_shows_errors_kernels_and_the_start():
    record, rng = made(rate=0.2), np.random.default_rng(0)
    for name in ("squared_error", "kernel"):
        record[name][:] = rng.uniform(0.1, 2, (3, 4, 5))
    errors, kernels, start = experiment.figure(record).axes
    sampled, exact = start.containers
    mean, spread = record.kernel.values[..., 0].mean(1), record.kernel.values[..., 0].std(1, ddof=1)
    assert_bars(sampled, np.array(DEPTHS) - 0.15, mean, mean - spread, mean + spread)
    assert_bars(exact, np.array(DEPTHS) + 0.15, np.ones(3), 1 - np.array(DEVIATION), 1 + np.array(DEVIATION))
    for axes, name in ((errors, "squared_error"), (kernels, "kernel")):
        for i, d in enumerate(DEPTHS):
            assert_line(axes, STEPS, record[name].values[i].mean(0), label=f"d = {d}")
    assert_line(errors, STEPS, [0.64**t for t in STEPS], color="black")
    assert_line(kernels, [36, 60], [1.4, 1.4], color="black")
    at_ten = list(STEPS).index(10)
    for i in (0, -1):
        left = record.squared_error.values[i, :, at_ten].mean()
        assert [10.0, left] in [line.get_xydata().tolist()[0] for line in errors.lines if len(line.get_xdata()) == 1]
        assert f"{left:.3f}\nat d = {DEPTHS[i]}" in [text.get_text() for text in errors.texts]
    low = record.kernel.values[1].mean(0) - record.kernel.values[1].std(0, ddof=1)
    assert kernels.collections[1].get_paths()[0].get_extents().y0 == pytest.approx(low.min())
