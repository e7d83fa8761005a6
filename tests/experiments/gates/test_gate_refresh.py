"""Verdicts and figure of `gate-refresh` on records made by hand; its networks by a plain route."""

from functools import partial

import jax
import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, points
from judging import changed_at, judged, scrambled
from plain import cosine, covariance
from scipy.integrate import solve_ivp
from test_experiments import simulated, trained
from watched import assert_classes, assert_settings

from gatefield.data import Gaussian, Task
from gatefield.experiments.gates.gate_refresh import experiment
from gatefield.experiments.gates.gate_refresh.simulate import Settings, _classes, _substeps, batch_key, unit_key
from gatefield.experiments.gates.gate_refresh.verdicts import critical, settled, uniformity
from gatefield.gates import half_spaces
from gatefield.theory import gated_linear, relu
from gatefield.theory.classes import GaussianClass
from gatefield.theory.gated_linear import Mixture

DT, TIME = [0.5, 1.0, 2.0, 128.0], [0.0, 0.5, 1.0, 20.0, 32.0, 128.0]
LEAD = ("units", "gain")
FOLLOWING = {
    "distance": [1e-3, 0.04, 0.2, 1.0],
    "loss_distance": [0.01, 0.05, 0.25, 0.5],
    "path_distance": [0.01, 0.1, 0.5, 1.0],
}
PATHS = {
    "b_end": [0.5, 0.6, 0.96, 0.97, 0.98, 1.0],
    "b_start": [1.0, 0.9, 0.8, 0.7, 0.6, 0.5],
    "position": [0.1, 0.1, 0.4, 0.5, 0.96, 1.0],
    "frequency": [0.5, 0.5, 0.8, 0.9, 0.95, 1.0],
    "position_chance": [0.0] * 6,
    "frequency_chance": [0.5] * 6,
    "size": [1.0] * 6,
    "b_size": [1.0] * 6,
}


def made(time=1.0, **paths):
    """Alike for two gains and four seeds, in which all verdicts hold but that of the start's gates; times are scaled."""
    following = {
        name: ((*LEAD, "gates", "dt", "seed"), np.broadcast_to(np.array(path)[:, None], (1, 2, 2, 4, 4)).copy())
        for name, path in FOLLOWING.items()
    }
    settling = {
        f"{name}_path": ((*LEAD, "seed", "mark"), np.broadcast_to(path, (1, 2, 4, 6)).copy())
        for name, path in (PATHS | paths).items()
    }
    others = {
        "match": ((*LEAD, "gates", "dt", "seed"), np.ones((1, 2, 2, 4, 4))),
        "trained_distance": ((*LEAD, "seed"), np.full((1, 2, 4), 0.05)),
        "loss": ((*LEAD, "dt", "mark"), np.ones((1, 2, 4, 6))),
        "relu_loss": ((*LEAD, "seed", "mark"), np.ones((1, 2, 4, 6))),
        "end": ((*LEAD, "dt", "position"), np.ones((1, 2, 4, 8))),
        "relu_end": ((*LEAD, "position"), np.ones((1, 2, 8))),
    }
    coords = {"units": [1], "gain": [0.0, 3.0], "gates": ["ReLU's", "its own"], "dt": DT, "position": np.arange(8)}
    times = ("mark", time * np.array(TIME))
    return xr.Dataset(
        {**following, **settling, **others}, {**coords, "time": times}, {"pieces": 8, "n": 8, "xi1": 2.0, "xi0": 1.0}
    )


FROZEN, FRESH, B, GROWTH, SGD = "never refreshed", "shortest dt", "settles before the field", "growth is", "trained by SGD"
FIELDS, LOSS, OWN = "ReLU's gates anew once in 1 K² tau ends", "has the loss", "its own gates anew"


def put(name, value, gates=0, dt=0, gain=1, seed=slice(None)):
    return name, {"units": 0, "gain": gain, "gates": gates, "dt": dt, "seed": seed}, value


@pytest.mark.parametrize(
    ("words", "change", "measured", "outcome"),
    [
        (FROZEN, put("distance", 0.5, dt=3), 1.0, "refuted"),
        (FROZEN, put("distance", 0.0999, dt=3, gain=slice(None)), 0.0999, "confirmed"),
        (FIELDS, put("distance", 0.1001, dt=1), None, "refuted"),
        (FIELDS, put("distance", 0.1, dt=1), 1.0, "confirmed"),
        (FIELDS, put("distance", 0.2, dt=1, seed=0), None, "confirmed"),
        (FIELDS, put("distance", 0.2, dt=1, gates=1), None, "confirmed"),
        (OWN, put("distance", 0.1001, dt=1, gates=1), None, "refuted"),
        (OWN, put("distance", 0.2, dt=0, gates=1), 0.5, "refuted"),
        (LOSS, put("loss_distance", 0.1001, dt=1), None, "refuted"),
        (LOSS, put("loss_distance", 0.0999, dt=1), None, "confirmed"),
        (FRESH, put("path_distance", 0.0999), 0.0999, "confirmed"),
        (FRESH, put("path_distance", 0.1001), 0.1001, "off"),
        (SGD, ("trained_distance", {"gain": 1}, 0.0999), 0.0999, "confirmed"),
        (SGD, ("trained_distance", {"gain": 1}, 0.1001), 0.1001, "off"),
    ],
)  # fmt: skip
def test_both_sides_of_each_bound(words, change, measured, outcome):
    found = judged(experiment, changed_at(made(), change), words)
    assert found.outcome == outcome
    if measured is not None:
        assert found.measured == pytest.approx(measured)


def test_b_and_the_field_settle_at_times_of_their_own():
    """Of two gains the worse; b of one seed that is late leaves it open."""
    assert judged(experiment, made(), B).measured == pytest.approx(np.log(32.0))
    assert judged(experiment, made(), B).outcome == "confirmed"
    late = changed_at(made(), ("b_end_path", {"gain": 1}, [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]))
    assert judged(experiment, late, B).measured == pytest.approx(np.log(32 / 128))
    assert judged(experiment, late, B).outcome == "refuted"
    one = changed_at(made(), ("b_end_path", {"gain": 1, "seed": 0}, [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]))
    assert judged(experiment, one, B).outcome == "not decided"
    assert settled(np.array(TIME), np.array([0.99, 0.9, 0.95, 0.96, 0.97, 1.0])) == 1.0
    assert settled(np.array(TIME), np.ones(6)) == 0.0


def test_growth_is_judged_beyond_chance_between_1_and_a_quarter_of_the_time():
    """Means over times 1, 20 and 32: 0.62 in position; in frequency (0.883 - 0.5)/0.5."""
    record = made()
    np.testing.assert_allclose(uniformity(record, "position"), 0.62)
    np.testing.assert_allclose(uniformity(record, "frequency"), (2.65 / 3 - 0.5) / 0.5)
    assert judged(experiment, record, GROWTH).outcome == "confirmed"
    like = made(frequency=[0.5, 0.5, 0.8, 0.8, 0.82, 1.0])
    assert judged(experiment, like, GROWTH).measured == pytest.approx((2.42 / 3 - 0.5) / 0.5 - 0.62)
    assert judged(experiment, like, GROWTH).outcome == "refuted"


def test_the_critical_dt_lies_between_two():
    dt = np.array([1.0, 4.0, 16.0])
    assert critical(dt, np.array([0.01, 0.1, 0.2])) == pytest.approx(4.0)
    assert critical(dt, np.array([0.05, 0.2, 0.01])) == pytest.approx(2.0)
    assert critical(dt, np.array([0.01, 0.02, 0.05])) == 16.0
    assert critical(dt, np.array([0.2, 0.3, 0.5])) == 1.0
    assert critical(dt, np.array([0.05, np.nan, 0.5])) == 1.0


def test_squashed_classes_are_samples_of_which_the_larger_begins_with_the_smaller():
    p = Settings(n=6, samples=2_000)
    few, many = (_classes(p, 3.0, jax.random.key(1), count) for count in (2_000, 3_000))
    for xi, one, two in zip((2.0, 1.0), few.classes, many.classes, strict=True):
        np.testing.assert_array_equal(one.x, two.x[:2_000])
        np.testing.assert_allclose(two.x.T @ two.x / 3_000, covariance(6, xi, 3.0), atol=5 / np.sqrt(3_000))
        np.testing.assert_allclose(one.cov, covariance(6, xi, 3.0), atol=1e-6)
    assert abs(np.mean(few.classes[0].x * few.classes[1].x)) < 5 / np.sqrt(2_000)  # each class has noise of its own


def test_long_intervals_are_integrated_in_short_steps():
    """Of 40 sites at length scales 2 and 1, the flat mode has the mean variance 2.66; of four equal gates 5.3 per K² tau."""
    both = Mixture(GaussianClass(covariance(40, 2.0)), GaussianClass(covariance(40, 1.0)))
    assert [_substeps(both, K, 2.0) for K in (1, 4)] == [4, 11]


def test_a_short_time_decides_nothing_but_what_sgd_does():
    outcomes = {v.claim: v.outcome for v in experiment.verdicts(made(time=99 / 128))}
    assert {claim for claim, outcome in outcomes.items() if outcome != "not decided"} == {v for v in outcomes if SGD in v}


def test_headline_and_table():
    frozen = judged(experiment, made(), FROZEN)
    assert [bound.at for bound in frozen.table] == ["K = 1, gain 0", "K = 1, gain 3"]
    assert frozen.otherwise.startswith("behind the gates of the start fields end")
    assert "K²τ the loss stays within 10 %" in judged(experiment, made(), LOSS).found
    assert not judged(experiment, made(), FIELDS).found


def test_figure():
    record = scrambled(made())
    drawn = experiment.figure(record)
    fields, loss, ends, losses = drawn.axes
    growth, settling = experiment.more(record).axes
    gains = ["#440154", "#7ad151"]
    for axes, name in ((fields, "distance"), (loss, "loss_distance")):
        for gain, color in enumerate(gains):
            for gates, style in enumerate(["-", "--"]):
                values = np.median(record[name].values[0, gain, gates], axis=-1)
                assert_drawn(axes, values, at=DT, color=color, style=style)
    for axes, name in ((fields, "distance"), (loss, "loss_distance")):
        least = min(np.median([critical(np.array(DT), path) for path in one.T]) for one in record[name].values[0, :, 0])
        assert f"{least:.2g}" in [text.get_text() for text in axes.texts]
    never = 100 * np.median(record.distance.values[0, :, 0, -1], axis=-1)
    assert f"gates of the start:\n{never.min():.0f} to {never.max():.0f} %" in [text.get_text() for text in fields.texts]
    one = record.isel(units=0, gain=1)
    assert_drawn(ends, one.relu_end, color="black")
    assert_drawn(losses, one.relu_loss.values[0, 1:], at=TIME[1:], color="black")
    for color, dt in (("#0072B2", 1), ("#E69F00", 2), ("#CC79A7", 3)):
        assert_drawn(ends, one.end.values[dt], color=color)
        assert_drawn(losses, one.loss.values[dt, 1:], color=color)
    assert [text.get_text() for text in drawn.subfigs[1].legends[0].get_texts()][-1] == "gates of the start"
    for gain, color in enumerate(gains):
        at = record.isel(units=0, gain=gain)
        for name, axes, style in (("b_end", settling, "-"), ("position", settling, "--"), ("frequency", growth, "-")):
            assert_drawn(axes, np.median(at[f"{name}_path"].values, axis=0)[1:], color=color, style=style)
        ((_, chance),) = points(growth, color=color, style=":")
        np.testing.assert_allclose(chance, at.frequency_chance_path.values.mean(0)[1:])


def _velocity(_, w, cov):
    return relu.velocity(w.reshape(2, 8), *cov).ravel()


@pytest.mark.xdist_group("gate-refresh")
def test_networks_on_gaussian_data_by_a_plain_route():
    """Of the first seed: gates of the start from closed moments; ReLU by an integrator of its exact velocity."""
    _, p, record = simulated("gate-refresh")
    part = trained("gate-refresh")["behind-gates-2"]
    assert_settings(part, p, learning_rate=8.0 * 4 / 40, steps=40, record_every=40)
    assert_classes(part, 2.0, 1.0, 0.0)
    starts = part.fold(part.net.fields).astype(float)
    assert not np.isin(starts[0, 0], starts[0, 1]).any()
    cov = [covariance(8, xi) for xi in (2.0, 1.0)]
    push = partial(_velocity, cov=cov)
    found = solve_ivp(push, (0.0, 32.0), starts[0, 0].ravel(), t_eval=2.0 * np.arange(17), rtol=1e-6, atol=1e-8)
    one, path = record.sel(units=2, gain=0.0), found.y.T.reshape(17, 2, 8)
    np.testing.assert_allclose(one.relu_end, path[-1][0], atol=1e-4)
    np.testing.assert_allclose(one.time, 8.0 / 16 * np.arange(17))
    np.testing.assert_allclose(one.dt, [0.5, 1.0, 2.0, 4.0, 8.0])
    np.testing.assert_allclose(one.relu_loss[0], [float(relu.loss(v, *cov)) for v in path], atol=1e-4)
    task = Task(Gaussian(8, 2.0), Gaussian(8, 1.0))
    A, b, power = gated_linear.statistics(half_spaces(starts[0, 0]), task)
    end = np.reshape(gated_linear.solve(A, b, starts[0, 0].ravel(), 32.0, 2), (2, 8))
    np.testing.assert_allclose(one.end[-1], end[0], atol=1e-4)
    away = np.linalg.norm(end - path[-1]) / np.linalg.norm(path[-1])
    np.testing.assert_allclose(one.distance.isel(dt=-1, seed=0), [away, away], rtol=1e-3)
    assert float(one.loss[-1, -1]) == pytest.approx(float(gated_linear.loss(A, b, end.ravel(), 2, power)), abs=1e-6)
    np.testing.assert_allclose(one.position_path[0], cosine(path, path[-1]).mean(-1), atol=1e-3)
    np.testing.assert_allclose(
        one.frequency_path[0], cosine(*(abs(np.fft.rfft(v)) for v in (path, path[-1]))).mean(-1), atol=1e-3
    )
    pulls = np.array([np.reshape(gated_linear.statistics(half_spaces(v), task).b, (2, 8)) for v in path[[0, 4, -1]]])
    np.testing.assert_allclose(one.b_end_path[0, [0, 4]], cosine(pulls[:2], pulls[-1]).mean(-1), atol=1e-3)
    np.testing.assert_allclose(one.b_start_path[0, [4, -1]], cosine(pulls[1:], pulls[0]).mean(-1), atol=1e-3)
    assert (record.distance.isel(dt=0) < record.distance.isel(dt=-1)).all()
    assert record.trained_distance.max() < 0.5


@pytest.mark.parametrize("units", [(1, 4), (1, 3), (3, 1), (2, 5, 11)])
def test_no_stream_serves_two_purposes(units):
    p = Settings(units=units)
    found = [jax.random.split(key(p, K), count) for K in units for key, count in ((unit_key, 2), (batch_key, p.seeds))]
    keys = np.concatenate([jax.random.key_data(one) for one in found])
    assert len(np.unique(keys, axis=0)) == len(keys)


def test_batches_of_the_usual_units_are_those_of_earlier_records():
    assert all(batch_key(Settings(), K) == jax.random.fold_in(jax.random.key(0), stream) for K, stream in ((1, 3), (4, 9)))
