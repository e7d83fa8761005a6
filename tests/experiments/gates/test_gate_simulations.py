"""What the simulations of the gate experiments record, computed again by a plain route."""

import importlib
from types import SimpleNamespace

import jax
import numpy as np
import pytest
import xarray as xr
from plain import cosine, covariance, flow_end, gate_mean, ipr, loss
from test_experiments import simulated, trained
from watched import assert_by_seed, assert_classes, assert_settings

from gatefield.data import Gaussian, Task
from gatefield.experiments.gates.stability.neurons import _spectra_at
from gatefield.experiments.gates.stability.settings import Settings as StabilitySettings
from gatefield.gates import learned
from gatefield.measures import best_match
from gatefield.theory import gated_linear, relu

# the packages have a function of that name
gates_to_relu, self_consistency, winning_gates = (
    importlib.import_module(f"gatefield.experiments.gates.{name}.simulate")
    for name in ("gates_to_relu", "self_consistency", "winning_gates")
)
ORDERS = ((2.0, 1.0), (1.0, 2.0))


def of(name):
    """In the group of the contract tests of that experiment, so that one worker simulates it once."""
    return pytest.mark.xdist_group(name)


def peaks_apart(a, b):
    lag = abs(np.abs(a).argmax(-1) - np.abs(b).argmax(-1))
    return np.minimum(lag, np.shape(a)[-1] - lag)


def all_differ(keys):
    flat = keys.reshape(-1, keys.shape[-1])
    return len(np.unique(flat, axis=0)) == len(flat)


@of("gates-to-relu")
def test_limits_behind_the_gates_of_gaussian_data():
    _, p, record = simulated("gates-to-relu")
    part = trained("gates-to-relu")["relu-2"]
    assert_classes(part, 2.0, 1.0, np.array([[0.01], [3.0]]))
    assert_settings(part, p, learning_rate=4 * 0.05)
    assert_by_seed(part)
    assert record.step.values.tolist() == [0, 5, 40]
    paths = part.record.fields.sel(gain=0.01, step=[0, 5, 40]).values.astype(float)
    cov = [covariance(8, xi, 0.01) for xi in (2.0, 1.0)]
    one, ends = record.sel(units=2, gain=0.01), paths[:, -1]
    for seed, step in np.ndindex(2, 3):
        w, at = paths[seed, step], one.isel(seed=seed, step=step)
        limit, worth = _limit(w, *cov)
        assert float(at.limit_loss) == pytest.approx(worth, rel=1e-4)
        assert float(at.own_loss) == pytest.approx(float(relu.loss(w, *cov)), rel=1e-4)
        assert float(at.limit_ipr) == pytest.approx(ipr(limit).mean(), rel=1e-3)
        assert float(at.own_ipr) == pytest.approx(ipr(w).mean(), rel=1e-4)
        assert float(at.limit_match) == pytest.approx(best_match(limit, ends[seed]), abs=1e-4)
        assert float(at.own_match) == pytest.approx(best_match(w, ends[seed]), abs=1e-4)
        if seed == 0:
            np.testing.assert_allclose(at.example, limit[0], atol=1e-3)
    np.testing.assert_allclose(one.example_end, ends[0, 0], rtol=1e-6)
    for seed in range(2):
        limit, worth = _limit(ends[1 - seed], *cov)
        assert float(one.wrong_loss[seed]) == pytest.approx(worth, rel=1e-4)
        assert float(one.wrong_match[seed]) == pytest.approx(best_match(limit, ends[seed]), abs=1e-4)


def _limit(w, cov1, cov0):
    """The best weights behind the gates of w on nearly Gaussian data, K A^-1 b, and their loss."""
    A, b, _ = gated_linear.statistics(learned(w), Task(Gaussian(8, 2.0), Gaussian(8, 1.0)))
    return np.reshape(len(w) * np.linalg.solve(A, b), w.shape), 0.25 - b @ np.linalg.solve(A, b) / 2


def test_limits_are_fitted_to_one_sample_and_judged_on_another(monkeypatch):
    seen = {}

    def limits(data, gates, starts):
        seen["fit"] = data, gates, starts
        return gates, gates

    def losses(data, gates, w):
        seen["test"] = data, gates, w
        return np.zeros(len(gates))

    monkeypatch.setattr(gates_to_relu, "frozen_limits", limits)
    monkeypatch.setattr(gates_to_relu, "frozen_losses", losses)
    p = gates_to_relu.Settings(n=3, samples=2_000)
    w = np.random.default_rng(0).normal(size=(3, 2, 1, 3))
    fields = xr.DataArray(w, dims=("seed", "step", "unit", "position"))
    gates_to_relu._study(p, 3.0, fields, jax.random.key(0))
    samples = [np.asarray(one.x) for name in ("fit", "test") for one in seen[name][0].classes]
    for x, xi in zip(samples, (2.0, 1.0) * 2, strict=True):
        np.testing.assert_allclose(x.T @ x / 2_000, covariance(3, xi, 3.0), atol=5 * 1.5 / np.sqrt(2_000))
    assert len({np.abs(x).sum().item() for x in samples}) == 4
    np.testing.assert_array_equal(seen["fit"][1][-3:, 0], w[[1, 2, 0], -1, 0])  # behind the gates of the next seed
    np.testing.assert_array_equal(seen["fit"][2][-3:, 0], w[:, -1, 0])


@of("where")
@pytest.mark.slow
def test_starts_are_fresh_in_each_setting_and_the_first_are_trained_twice():
    _, p, record = simulated("where")
    for name, K, seeds, rate in (("neuron", 1, 3, 0.05), ("committee", 2, 2, 2.4)):
        part = trained("where")[name]
        assert_settings(part, p, learning_rate=rate, record_every=10)
        assert_classes(part, 2.0, 1.0, np.array([1.0, 3.0])[None, :, None])
        assert all_differ(part.keys)
        starts = part.fold(part.net.fields)
        assert starts.shape == (1, 2, seeds + 2, K, 12)
        np.testing.assert_array_equal(starts[:, :, seeds:], starts[:, :, :2])
        assert all_differ(starts[:, :, :seeds].reshape(-1, K * 12))
        fields = part.record.fields.isel(step=-1).values.astype(float)
        ends, again, first = fields[:, :, :seeds], fields[:, :, seeds:], starts[:, :, :seeds].astype(float)
        cov1 = np.stack([covariance(12, 2.0, gain) for gain in p.gains])[None]
        guess = np.einsum("pgij,pgsuj->pgsui", cov1, first)
        for predictor, field in (("w0", first), ("S1 w0", guess)):
            found = record[f"{name}_distance"].sel(predictor=predictor)
            np.testing.assert_array_equal(found, peaks_apart(field, ends))
            right = np.sign(_peak(field)) == np.sign(_peak(ends))
            np.testing.assert_array_equal(record[f"{name}_sign_right"].sel(predictor=predictor), right)
        np.testing.assert_allclose(record[f"{name}_ipr"], ipr(ends), rtol=1e-5)
        np.testing.assert_array_equal(record[f"{name}_again_distance"], peaks_apart(ends[:, :, :2], again))
        np.testing.assert_allclose(record[f"{name}_again_ipr"], np.minimum(ipr(ends[:, :, :2]), ipr(again)), rtol=1e-5)
        np.testing.assert_allclose(record[f"{name}_example_end"], ends[:, :, 0, 0], rtol=1e-5)
        np.testing.assert_allclose(record[f"{name}_example_guess"], guess[:, :, 0, 0], atol=1e-5)
    assert (record.xi1.values.tolist(), record.xi0.values.tolist()) == ([2.0], [1.0])
    assert record.attrs["noise"] == pytest.approx(0.05 / 30)


def _peak(w):
    return np.take_along_axis(w, np.abs(w).argmax(-1)[..., None], -1)[..., 0]


@of("stability")
def test_neurons_beside_pathways():
    _, p, record = simulated("stability")
    frozen, free = (trained("stability")[f"pathway-{name}"] for name in ("frozen", "trained"))
    for part, kinds in ((frozen, ["none", "frozen 0.4"]), (free, ["trained"])):
        assert part.grid.axes["pathway"].tolist() == kinds
        assert_settings(part, p, record_every=2)
        assert_classes(part, 2.0, 1.0, np.array([0.01, np.inf])[:, None])
        assert_by_seed(part)
        np.testing.assert_array_equal(part.keys[0, 0], frozen.keys[0, 0])
        np.testing.assert_array_equal(part.net.fields[:2], frozen.net.fields[:2])
        late = part.record.isel(step=slice(16, None), unit=0)
        assert part.record.sizes["step"] == 21
        for i, kind in enumerate(kinds):
            one = record.sel(pathway=kind)
            fields, linear = (late[name].values[i].astype(float).mean(-2) for name in ("fields", "linear"))
            np.testing.assert_allclose(one.fields, fields, atol=1e-6)
            np.testing.assert_allclose(one.linear, linear, atol=1e-6)
            np.testing.assert_allclose(one.ipr, ipr(fields), rtol=1e-4)
            np.testing.assert_allclose(one.sum_ipr, ipr(fields + linear), rtol=1e-4)
            np.testing.assert_allclose(one.loss, late.loss.values[i].mean(-1), rtol=1e-5)
    v = frozen.fold(frozen.net.linear)
    np.testing.assert_array_equal(v[0], 0.0)
    np.testing.assert_allclose(np.linalg.norm(v[1], axis=-1), 0.4, rtol=1e-5)
    np.testing.assert_array_equal(v[1, 0], v[1, 1])
    assert not np.array_equal(*v[1, 0])
    assert (frozen.net.frozen, free.net.frozen) == (("linear",), ())
    np.testing.assert_array_equal(free.net.linear, 0.0)


@of("stability")
def test_pushes_and_their_returns():
    """A push to the other place is the field itself, half around the ring."""
    _, p, record = simulated("stability")
    part = trained("stability")["pushed"]
    assert_settings(part, p, record_every=2)
    assert_classes(part, 2.0, 1.0, np.array([0.01, np.inf])[:, None])
    assert all_differ(part.keys)
    before = record.fields.sel(pathway="none").values
    starts, last = (w.astype(float) for w in (part.fold(part.net.fields)[..., 0, :], part.record.fields.values[..., -1, 0, :]))
    length = np.linalg.norm(before, axis=-1)
    np.testing.assert_allclose(np.linalg.norm(starts - before, axis=-1)[:, 0], np.stack([0.5 * length] * 2), rtol=1e-4)
    np.testing.assert_allclose((starts - before)[1, 0], 0.5 * np.roll(before, 6, axis=-1), atol=1e-5)
    np.testing.assert_allclose(record.return_cosine, cosine(last, before), atol=1e-5)
    np.testing.assert_allclose(record.return_ipr, ipr(last), rtol=1e-4)
    cov1 = np.stack([covariance(12, 2.0, gain) for gain in (0.01, np.inf)])
    seen = np.einsum("gij,...gsj->...gsi", cov1, starts)
    back = (peaks_apart(seen, np.broadcast_to(before, seen.shape)) <= 1) & (np.sign(_peak(seen)) == np.sign(_peak(before)))
    np.testing.assert_array_equal(record.foretold, back)


@of("stability")
def test_students_of_teachers():
    _, p, record = simulated("stability")
    part = trained("stability")["students=2"]
    assert_settings(part, p, learning_rate=2 * p.student_rate, steps=40, batch_size=20, record_every=4)
    assert_by_seed(part)
    teachers = part.fold(part.task.teacher.fields)
    taught = record.teacher_fields.values
    np.testing.assert_allclose(teachers, np.broadcast_to(taught[:, None], teachers.shape), atol=1e-6)
    np.testing.assert_allclose(part.fold(part.task.sources.positive.gain)[0, :, 0], [0.01, np.inf])
    assert float(np.unique(part.task.sources.positive.xi).item()) == 2.0
    np.testing.assert_allclose(record.teacher_ipr, ipr(taught), rtol=1e-6)
    one = record.sel(student=2)
    ends = part.record.fields.isel(step=-1).values.astype(float)
    for kind, gain, seed in np.ndindex(3, 2, 2):
        table = cosine(taught[kind, seed][:, None], ends[kind, gain, seed][None])
        own = [0, 1] if table[0, 0] + table[1, 1] > table[0, 1] + table[1, 0] else [1, 0]
        at = one.isel(teacher=kind, gain=gain, seed=seed)
        np.testing.assert_allclose(at.match_cosine, table[[0, 1], own], atol=1e-5)
        np.testing.assert_allclose(at.student_fields, ends[kind, gain, seed][own], rtol=1e-5)
    np.testing.assert_allclose(record.student_ipr, ipr(record.student_fields.values), rtol=1e-5)
    np.testing.assert_array_equal(one.student_loss, part.record.loss.isel(step=-1))
    np.testing.assert_array_equal(one.start_loss, part.record.loss.isel(step=0))


@pytest.mark.slow
def test_spectra_of_end_states():
    """On Gaussian data f' = (C1 - C1 w w'C1/w'C1w)/sqrt(2 pi w'C1w); on the hypercube gates have no slope."""
    p = StabilitySettings(n=4, samples=80_000, gains=(0.01,), lines=8_192)
    rng = np.random.default_rng(0)
    fields, linear = rng.normal(size=(2, 1, 4)), np.stack([np.zeros((1, 4)), rng.normal(size=(1, 4))])
    lead = ("pathway", "seed")
    ends = xr.Dataset(
        {"fields": ((*lead, "position"), fields), "linear": ((*lead, "position"), linear), "ipr": (lead, np.zeros((2, 1)))},
        {"pathway": ["none", "trained"], "seed": [0]},
    )
    found, cube = (_spectra_at(p, ends, gain, jax.random.key(0)) for gain in (0.01, np.inf))
    cov1, cov0 = covariance(4, 2.0, 0.01), covariance(4, 1.0, 0.01)
    total = cov1 + cov0
    for i, (w, v) in enumerate(zip(fields[:, 0], linear[:, 0], strict=True)):
        size = np.sqrt(w @ cov1 @ w)
        slope = (cov1 - np.outer(cov1 @ w, cov1 @ w) / size**2) / np.sqrt(2 * np.pi) / size
        whole = slope / 2 - total / 4
        if i == 0:
            np.testing.assert_allclose(found.eigenvalues[0], np.linalg.eigvalsh(whole)[::-1], atol=0.01)
        else:
            whole = np.block([[whole, -total / 4], [-total / 4, -total / 2]])
        one = found.isel(pathway=i, seed=0)
        assert abs(float(one.top) - np.linalg.eigvalsh(whole)[-1]) < 5 * float(one.top_error) + 1e-4
        assert 0 < float(one.top_error) < 0.05
        pull = gate_mean(w, cov1) / 2
        unrest = np.linalg.norm(pull - total @ (w + v) / 4) / np.linalg.norm(pull)
        assert float(one.unrest) == pytest.approx(unrest, rel=0.05)
    np.testing.assert_allclose(found.damping, -np.linalg.eigvalsh(total) / 4, atol=1e-6)
    total = covariance(4, 2.0, np.inf) + covariance(4, 1.0, np.inf)
    np.testing.assert_allclose(cube.eigenvalues[0], -np.linalg.eigvalsh(total) / 4, atol=1e-6)
    np.testing.assert_array_equal(cube.top_error, 0.0)


@of("winning-gates")
def test_committees_and_what_they_explain():
    _, p, record = simulated("winning-gates")
    part = trained("winning-gates")["K=2"]
    assert_settings(part, p, learning_rate=0.4, record_every=10)
    assert_classes(part, 1.5, 0.7, 0.0)
    assert all_differ(part.keys)
    assert all_differ(np.asarray(part.net.fields).reshape(2, -1))
    cov = [covariance(6, xi) for xi in (1.5, 0.7)]
    one, fields = record.sel(units=2, gain=0.0), part.record.fields.values[0, :, -1].astype(float)
    expected = [0.5 - 2 * float(relu.loss(w, *cov)) for w in fields]  # of the mean square of the labels
    np.testing.assert_allclose(one.relu, expected, atol=1e-5)
    opened = [np.mean([_one_open(w, c) for c in cov]) for w in fields]
    np.testing.assert_allclose(one.trained_one_open, opened, atol=0.02)
    V = one.winner_directions.values
    np.testing.assert_allclose(one.one_open, [_one_open(V, c) for c in cov], atol=0.02)
    A, b, _ = gated_linear.statistics(learned(V), Task(Gaussian(6, 1.5), Gaussian(6, 0.7)))
    limit = 2 * np.linalg.pinv(A, rcond=1e-9) @ b
    np.testing.assert_allclose(one.winner_fields, limit.reshape(2, 6), atol=1e-4)
    assert float(one.winner_error) == float(one.trained_error) == 0.0
    assert float(one.on_search_sample) == pytest.approx(float(one.winner), rel=1e-4)
    both = sum(cov) / 2
    for name, rows, limits in (("winner", V, limit.reshape(2, 6)),):
        each = [v @ both @ w / np.sqrt((v @ both @ v) * (w @ both @ w)) for v, w in zip(rows, limits, strict=True)]
        assert float(one[name + "_consistent"]) == pytest.approx(np.mean(each), abs=1e-3)
    for seed, w in enumerate(fields):
        A, b, _ = gated_linear.statistics(learned(w), Task(Gaussian(6, 1.5), Gaussian(6, 0.7)))
        found = float(record.learned_half_time.sel(race_units=2, gain=0.0)[seed])
        rates, basis = np.linalg.eigh(A)
        share = (basis.T @ b) ** 2 / rates
        assert share @ np.exp(-2 * rates * found / 4) == pytest.approx(share.sum() / 2, rel=1e-4)
    first = float(record.half_time.sel(race_units=2, gain=0.0, set="learned"))
    assert float(record.learned_half_time[0, 0, 0]) == pytest.approx(first, rel=1e-9)
    times = record.time.values
    np.testing.assert_allclose(times[[0, 1, 160]], [0.0, 0.01, 1e4])
    assert record.set.size == 17
    np.testing.assert_allclose(record.tiling, 2 * record.one_gate, rtol=1e-5)  # two opposite gates never share an input


def _one_open(V, cov):
    """The probability that one of two gates is open, and one only: their angle over pi."""
    C = V @ cov @ V.T
    return np.arccos(C[0, 1] / np.sqrt(C[0, 0] * C[1, 1])) / np.pi


def test_search_and_judge_have_samples_of_their_own(monkeypatch):
    calls = []

    def search(task, K, **given):
        calls.append((task, K, given))
        return SimpleNamespace(directions=f"found {len(calls)}")

    def judge(directions, task, **given):
        calls.append((directions, task, given))

    monkeypatch.setattr(winning_gates, "best_half_spaces", search)
    monkeypatch.setattr(winning_gates, "judge", judge)
    p = winning_gates.Settings(n=4, gains=(0.0, 3.0), samples=50, search_samples=20, starts=3, climb=7, tries=9)
    fields = np.random.default_rng(0).normal(size=(2, 6, 2, 4))
    winning_gates._winners(p, 2, fields, jax.random.key(1), jax.random.key(2))
    for g in range(2):
        (task, K, given), (directions, same, judged) = calls[2 * g : 2 * g + 2]
        assert (K, given["starts"], given["steps"], given["tries"], given["samples"]) == (2, 3, 7, 9, 20)
        np.testing.assert_array_equal(given["further_starts"], fields[g, :4])
        assert given["key"] == jax.random.fold_in(jax.random.key(1), 2)
        assert (directions, judged) == (f"found {2 * g + 1}", {"key": jax.random.key(2), "samples": 50})
        for source, xi in ((task.positive, 2.0), (task.negative, 1.0)):
            np.testing.assert_allclose(source.covariance(), covariance(4, xi, (0.0, 3.0)[g]), atol=1e-6)
        assert same is task


@of("gate-stability")
def test_gates_along_training():
    _, p, record = simulated("gate-stability")
    part = trained("gate-stability")["sgd"]
    assert_settings(part, p, learning_rate=np.repeat([0.01, 0.5], 4))
    assert_classes(part, 2.0, 1.0, np.array([0.01, 3.0])[None, :, None])
    assert_by_seed(part)
    steps = np.arange(0, 201, 20)
    np.testing.assert_array_equal(record.step, steps)
    np.testing.assert_array_equal(record.interval, steps[:-1])
    np.testing.assert_array_equal(record.mark, [0, 100, 200])
    assert record.inputs.values.tolist() == ["positive", "negative", "both"]
    for g, r in np.ndindex(2, 2):
        one = record.isel(gain=g, rate=r)
        path = part.record.fields.sel(gain=p.gains[g], rate=p.learning_rates[r]).values.astype(float)
        np.testing.assert_allclose(one.final, path[:, -1], rtol=1e-6)
        np.testing.assert_array_equal(one.loss, part.record.loss.sel(gain=p.gains[g], rate=p.learning_rates[r]))
        np.testing.assert_allclose(one.ipr, ipr(path[:, ::5]), rtol=1e-4)
        same = np.zeros(path[:, 1:, :, 0].shape)
        for xi in (2.0, 1.0):
            cov = covariance(12, xi, p.gains[g])
            before, after = path[:, :-1], path[:, 1:]
            square = [np.einsum("...i,ij,...j", a, cov, a) for a in (before, after)]
            angle = np.einsum("...i,ij,...j", before, cov, after) / np.sqrt(square[0] * square[1])
            same += (1 - np.arccos(np.minimum(angle, 1.0)) / np.pi) / 2
        np.testing.assert_allclose(one.gaussian_stability, same, atol=2e-4)
    near = record.isel(gain=0)
    error = np.sqrt(np.maximum(near.gaussian_stability * (1 - near.gaussian_stability), 1e-3) / (2 * 400))
    assert (abs(near.stability - near.gaussian_stability) < 5 * error).all()
    assert (abs(near.kurtosis) < 5 * np.sqrt(96 / 400)).all()  # of a sample of 400; both signs of excess


@of("self-consistency")
def test_states_of_the_map_and_of_sgd():
    _, p, record = simulated("self-consistency")
    part = trained("self-consistency")["sgd"]
    xi1 = np.array([2.0, 1.0])[:, None, None]
    assert_classes(part, xi1, 3.0 - xi1, np.array([0.01, 3.0])[:, None])
    assert_settings(part, p, record_every=10)
    starts = part.fold(part.net.fields)[..., 0, :]
    np.testing.assert_array_equal(starts, np.broadcast_to(starts[0, 0], starts.shape))
    assert all_differ(part.keys)
    np.testing.assert_allclose(record.sgd, part.record.fields.isel(step=-1).values[..., 0, :], rtol=1e-6)
    for i, g in np.ndindex(2, 2):
        cov1, cov0 = (covariance(12, xi, p.gains[g]) for xi in ORDERS[i])
        one = record.isel(order=i, gain=g)
        sgd, ends = one.sgd.values, one.ends.values
        site = np.linalg.solve(cov1 + cov0, cov1[6])
        if g == 0:
            np.testing.assert_allclose(one.site_state, site, atol=1e-5)
            np.testing.assert_allclose(one.loss, [loss(w, cov1, cov0) for w in ends], atol=1e-5)
            np.testing.assert_allclose(one.sgd_loss, [loss(w, cov1, cov0) for w in sgd], atol=1e-5)
            flat = np.full(12, 2 * gate_mean(np.ones(12), cov1).mean() / (cov1 + cov0)[0].sum())
            assert float(one.flat_loss) == pytest.approx(loss(flat, cov1, cov0), abs=1e-5)
            for start, found in zip(starts[0, 0], one.flow_ends.values, strict=False):
                np.testing.assert_allclose(found, flow_end(start, cov1, cov0, 0.1 * 40), atol=0.06)
        state = one.site_state.values
        assert float(one.site_margin) == pytest.approx(2 * abs(state).max() - abs(state).sum())
        np.testing.assert_allclose(one.ipr, ipr(ends), rtol=1e-5)
        np.testing.assert_allclose(one.sgd_ipr, ipr(sgd), rtol=1e-5)
        np.testing.assert_allclose(one.flow_match, cosine(ends, one.flow_ends), atol=1e-5)
        np.testing.assert_allclose(one.sgd_same_start, cosine(sgd, ends[:2]), atol=1e-5)
        np.testing.assert_allclose(one.sgd_flow, cosine(sgd, one.flow_ends[:2]), atol=1e-5)
        np.testing.assert_array_equal(one.sgd_distance, peaks_apart(sgd, ends[:2]))
        turned = [[max(abs(cosine(w, np.roll(end, k))) for k in range(12)) for end in ends] for w in sgd]
        np.testing.assert_allclose(one.sgd_match, np.max(turned, axis=1), atol=1e-5)


def test_end_states_are_pushed_and_followed_on_another_sample(monkeypatch):
    calls = []

    def settle(positive, total, w, **given):
        calls.append((positive, total, w, given))
        return self_consistency.GatePath(2.0 * w, np.zeros((1, len(w))), np.zeros((2, len(w))))

    monkeypatch.setattr(self_consistency, "iterate_gate_map", settle)
    monkeypatch.setattr(self_consistency, "gate_flow", settle)
    p = self_consistency.Settings(n=4, samples=300, iterations=7, gaussian_iterations=11, steps=40)
    rng = np.random.default_rng(0)
    starts, noise, sgd = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
    for gain, steps in ((0.05, 11), (3.0, 7)):
        calls.clear()
        self_consistency._study(p, 2.0, 1.0, gain, starts, noise, sgd, jax.random.key(0))
        (one, _, a, first), (same, _, b, flowed), (other, _, c, _), (again, _, d, _) = calls
        assert (one is same, other is again, other is one) == (True, True, False)
        assert first["steps"] == steps
        assert flowed["time"] == pytest.approx(4.0)
        np.testing.assert_array_equal(a, starts)
        np.testing.assert_array_equal(b, starts)
        np.testing.assert_array_equal(c, d)
        push = c - 2 * starts
        np.testing.assert_allclose(np.linalg.norm(push, axis=1), 0.1 * np.linalg.norm(2 * starts, axis=1))
        for _, total, _, _ in calls:
            np.testing.assert_allclose(total, one.cov + covariance(4, 1.0, gain), atol=1e-6)
    assert not np.isin(np.asarray(one.x), np.asarray(other.x)).all()
    for sample in (one, other):
        x = np.asarray(sample.x)
        np.testing.assert_allclose(x.T @ x / len(x), covariance(4, 2.0, 3.0), atol=5 * 1.5 / np.sqrt(300))


@of("gated-linear")
@pytest.mark.slow
def test_gates_and_distances_of_gated_linear_networks():
    """A site in the middle; a bump a quarter around; a wave that is where it began at the end."""
    _, p, record = simulated("gated-linear")
    parts = trained("gated-linear")
    site = np.eye(10)[5]
    away = np.minimum(abs(np.arange(10) - 2), 10 - abs(np.arange(10) - 2))
    bump = np.exp(-(away**2) / 8)
    pairs = [[site, bump / np.linalg.norm(bump)], [site, -site], [site, site]]
    found = np.stack([np.asarray(gate.direction) for gate in parts["general"].net.gates.gates], axis=1)
    np.testing.assert_allclose(found, np.repeat(pairs, 2, axis=0), atol=1e-9)
    np.testing.assert_array_equal(parts["single"].net.gates.gates[0].direction, site)
    for name, shape in (("single", (2, 1)), ("general", (3, 2, 1)), ("scheduled", (1,)), ("moving", (1,))):
        part = parts[name]
        assert part.grid.shape == shape
        assert_settings(part, p)
        assert all_differ(part.keys)
        gain = np.array([[0.0], [3.0]]) if len(shape) > 1 else 0.0
        assert_classes(part, 2.0, 1.0, gain)
        assert_by_seed(part) if len(part.keys.ravel()) == 2 else None
        starts = part.fold(part.net.fields)
        np.testing.assert_array_equal(starts, np.broadcast_to(starts[(0,) * (len(shape) - 1)], starts.shape))
    cases = {"single": parts["single"].record.fields.values[:, 0], "moving": parts["moving"].record.fields.values}
    cases |= {case: parts["general"].record.fields.values[i, :, 0] for i, case in enumerate(record.case.values[1:4])}
    cases["scheduled"] = parts["scheduled"].record.fields.values
    for case, fields in cases.items():
        one = record.sel(case=case)
        units = fields.shape[-2]
        np.testing.assert_allclose(one.final[: len(fields), :units], fields[:, -1], rtol=1e-6)
        exact = one.exact_final.values[: len(fields), :units]
        size = np.sqrt((exact**2).sum((-2, -1)))
        apart = np.sqrt(((fields[:, -1] - exact) ** 2).sum((-2, -1))) / size
        np.testing.assert_allclose(one.distance[: len(fields), 0, -1], apart, atol=1e-5)
        gap = abs(one.loss - one.exact_loss) / one.exact_loss.isel(step=0)
        np.testing.assert_allclose(one.loss_distance, gap.transpose(*one.loss_distance.dims), atol=1e-9)
    apart = cases["redundant"][..., 0, :] - cases["redundant"][..., 1, :]
    moved = np.linalg.norm(apart - apart[:, :1], axis=-1) / np.linalg.norm(apart, axis=-1)
    assert float(record.kept.sel(case="redundant")) == pytest.approx(moved.max(), rel=1e-3)
