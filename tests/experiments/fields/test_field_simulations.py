"""What the simulations of the field experiments record, computed again by a plain route."""

import jax
import numpy as np
import pytest
from plain import (
    covariance,
    flow_end,
    gate_mean,
    ipr,
    loss,
    site_gate_mean,
    squashing,
)
from test_experiments import simulated, trained
from watched import assert_by_seed, assert_classes, assert_settings

from gatefield.data import GaussianClone, NonlinearGP
from gatefield.experiments.fields.gate_shaped_solution.simulate import (
    AGREEMENT,
    MOMENTS,
    Settings,
    _blocks,
    _directions,
    _moments,
)

INF = float("inf")


def of(name):
    """In the group of the contract tests of that experiment, so that one worker simulates it once."""
    return pytest.mark.xdist_group(name)


@of("gaussian-clone")
@pytest.mark.slow
def test_clones_are_trained_beside_their_originals():
    _, p, record = simulated("gaussian-clone")
    parts = trained("gaussian-clone")
    gains = np.array([[3.0], [INF]])
    assert_classes(parts["original"], 2.0, 1.0, gains)
    for name, part in parts.items():
        assert_settings(part, p)
        assert_by_seed(part)
        np.testing.assert_array_equal(part.keys, parts["original"].keys)
        np.testing.assert_array_equal(part.net.fields, parts["original"].net.fields)
        np.testing.assert_array_equal(record.fields.sel(data=name), part.record.fields)
    for xi, source in zip((2.0, 1.0), (parts["clone"].task.positive, parts["clone"].task.negative), strict=True):
        assert source.gaussian
        expected = [covariance(12, xi, gain) for gain in (3.0, INF) for _ in range(2)]
        np.testing.assert_allclose(source.covariance(), expected, atol=1e-7)


@of("gaussian-clone")
def test_examples_are_of_the_positive_class_and_flows_of_their_own_gain():
    _, p, record = simulated("gaussian-clone")
    assert record.data.values.tolist() == ["original", "clone"]
    assert (record.time.values[-1], record.gain.values.tolist()) == (pytest.approx(0.05 * 40), [3.0, INF])
    for gain in p.gains:
        source = NonlinearGP(12, 2.0, gain)
        for data, one in (("original", source), ("clone", GaussianClone(source))):
            expected = np.asarray(one.sample(jax.random.key(p.seed), 1))[0]
            np.testing.assert_allclose(record.inputs.sel(data=data, gain=gain), expected, atol=1e-5)
        cov1, cov0 = covariance(12, 2.0, gain), covariance(12, 1.0, gain)
        for seed in range(2):
            end = flow_end(record.fields.values[0, 0, seed, 0, 0], cov1, cov0, 2.0)
            found = record.sel(gain=gain).isel(seed=seed)
            np.testing.assert_allclose(found.flow_fields, end, atol=1e-5)
            assert float(found.flow_ipr) == pytest.approx(ipr(end), rel=1e-4)
    np.testing.assert_allclose(record.ipr, ipr(record.fields.values.astype(float)), rtol=1e-5)


def test_moments_and_their_errors_are_those_of_gaussian_classes():
    """Open half the time, whatever x x' is, a gate halves all even moments; 5 standard errors, and 20 % of the errors."""
    p = Settings(n=5, site=1, gains=(0.0, 0.01), samples=4_000)
    vs = _directions(p)
    drift, drift_error, moment, moment_error = _moments(p, vs)
    cov1, cov0 = covariance(5, 2.0), covariance(5, 1.0)
    mean = np.array([gate_mean(v, cov1) for v in vs])
    np.testing.assert_allclose(drift_error, np.broadcast_to(np.sqrt((0.5 - mean**2) / 4_000), drift.shape), rtol=0.1)
    assert (np.abs(drift - mean) < 5 * drift_error).all()
    variance = sum((1 + 2 * cov**2) / 2 - cov**2 / 4 for cov in (cov1, cov0)) / 4_000
    np.testing.assert_allclose(moment_error, np.broadcast_to(np.sqrt(variance) / 2, moment.shape), rtol=0.2)
    assert (np.abs(moment - (cov1 + cov0) / 4) < 5 * moment_error).all()
    keys = [jax.random.key_data(_blocks(p, stream)[1]) for stream in (MOMENTS, AGREEMENT)]
    assert len(np.unique(np.concatenate(keys).reshape(-1, 2), axis=0)) == 4


@of("gate-shaped-solution")
def test_least_squares_behind_gates():
    _, p, record = simulated("gate-shaped-solution")
    assert {name: record.attrs[name] for name in ("site", "xi1", "xi0", "samples")} == {
        "site": 5,
        "xi1": 2.0,
        "xi0": 1.0,
        "samples": 10_000,
    }
    for gain in p.gains:
        cov1, cov0 = covariance(12, 2.0, gain), covariance(12, 1.0, gain)
        one = record.sel(gain=gain)
        np.testing.assert_allclose(one.covariance, (cov1 + cov0) / 4, atol=1e-9)
        np.testing.assert_allclose(one.inverse, np.linalg.inv(cov1 + cov0), rtol=1e-6)
        np.testing.assert_allclose(one.drift.sel(gate="bump"), site_gate_mean(12, 2.0, gain, 5), atol=1e-9)
        np.testing.assert_array_equal(one.drift.sel(gate="hat"), one.drift_sampled.sel(gate="hat"))
        assert (abs(one.drift_sampled - one.drift) < 5 * one.drift_error + 1e-9).all()
        for gate in ("bump", "hat"):
            field, v = one.field.sel(gate=gate).values, one.direction.sel(gate=gate).values
            np.testing.assert_allclose((cov1 + cov0) @ field, 2 * one.drift.sel(gate=gate), atol=1e-6)
            np.testing.assert_allclose(one.drift_gaussian.sel(gate=gate), gate_mean(v, cov1), atol=1e-6)
            assert float(one.ipr.sel(gate=gate)) == pytest.approx(ipr(field), rel=1e-5)
            for label, cov in (("positive", cov1), ("negative", cov0)):
                angle = np.arccos(v @ cov @ field / np.sqrt((v @ cov @ v) * (field @ cov @ field)))
                at = one.sel(gate=gate, label=label)
                assert float(at.agreement_gaussian) == pytest.approx(1 - angle / np.pi, abs=1e-5)
    near = record.sel(gain=0.01)
    assert (abs(near.agreement - near.agreement_gaussian) < 5 * near.agreement_error).all()
    share = record.agreement
    np.testing.assert_allclose(record.agreement_error, np.sqrt(share * (1 - share) / 10_000))
    assert 0.5 < float((record.moment_z**2).mean()) < 2.0


@of("gate-shaped-solution")
def test_agreement_of_squashed_inputs_is_that_of_other_samples():
    record = simulated("gate-shaped-solution")[2].sel(gain=3.0)
    for xi, label in ((2.0, "positive"), (1.0, "negative")):
        x = np.asarray(NonlinearGP(12, xi, 3.0).sample(jax.random.key(77), 10_000), float)
        for gate in ("bump", "hat"):
            one = record.sel(gate=gate, label=label)
            agree = ((x @ one.direction.values > 0) == (x @ one.field.values > 0)).mean()
            assert abs(agree - float(one.agreement)) < 5 * np.sqrt(2) * float(one.agreement_error)


@of("small-bump")
def test_bump_is_sampled_in_the_positive_class():
    """Half of the inputs are positive, and half of these pass: the mean square is 1/4 at every site."""
    record = simulated("small-bump")[2]
    assert record.attrs["site"] == 5
    for gain in (0.01, 3.0):
        one = record.sel(gain=gain)
        x = np.asarray(NonlinearGP(12, 2.0, gain).sample(jax.random.key(77), 20_000), float)
        mean = np.where(x[:, 5, None] > 0, x, 0.0).mean(0) / 2
        assert (abs(one.sampled - mean) < 5 * np.sqrt(2) * one.error).all()
        np.testing.assert_allclose(one.error, np.sqrt((0.25 - one.sampled.values**2) / 20_000), rtol=0.06)
        exact = site_gate_mean(12, 2.0, gain, 5) / 2
        np.testing.assert_allclose(one.exact, exact, atol=1e-9)
        np.testing.assert_allclose(one.printed, exact * 2 * np.sqrt(np.pi), atol=1e-9)
        deviation = np.sqrt(2 / np.pi * np.arcsin(squashing(gain)))
        np.testing.assert_allclose(one.printed_001, abs(exact) * 2 * deviation, atol=1e-9)
        np.testing.assert_allclose(one.z, (one.sampled - one.exact) / one.error)


@of("localization")
def test_localization_trains_each_order_at_each_gain():
    _, p, record = simulated("localization")
    part = trained("localization")["sgd"]
    xi1 = np.array([2.0, 1.0])[:, None, None]
    assert_classes(part, xi1, 3.0 - xi1, np.array([0.01, 3.0])[:, None])
    assert_settings(part, p)
    assert_by_seed(part)
    assert record.order.values.tolist() == ["long", "short"]
    assert list(record.attrs["length_scales"]) == [2.0, 1.0]
    np.testing.assert_allclose(record.ipr, ipr(record.fields.values.astype(float)), rtol=1e-5)
    for i, gain, seed in np.ndindex(2, 2, 2):
        g = p.gains[gain]
        cov1, cov0 = covariance(12, (2.0, 1.0)[i], g), covariance(12, (1.0, 2.0)[i], g)
        end = flow_end(record.fields.values[i, gain, seed, 0, 0], cov1, cov0, 0.05 * 40)
        assert float(record.flow_ipr[i, gain, seed]) == pytest.approx(ipr(end), rel=1e-4)
        bump = np.linalg.solve(cov1 + cov0, site_gate_mean(12, (2.0, 1.0)[i], g))
        assert float(record.bump_ipr[i, gain]) == pytest.approx(ipr(bump), rel=1e-5)


@of("gaussian-neuron")
def test_a_neuron_beside_its_flow():
    _, p, record = simulated("gaussian-neuron")
    part = trained("gaussian-neuron")["sgd"]
    assert_settings(part, p)
    assert (part.task.positive.xi, part.task.negative.xi) == (2.0, 1.0)
    assert {float(source.gain) for source in (part.task.positive, part.task.negative)} == {p.gain}
    keys = np.concatenate([jax.random.key_data(part.settings["key"])])
    assert len(np.unique(keys, axis=0)) == 2
    cov1, cov0 = covariance(12, 2.0, p.gain), covariance(12, 1.0, p.gain)
    for run in range(2):
        one = record.isel(run=run, unit=0)
        for step in (1, -1):
            w = flow_end(one.fields.values[0], cov1, cov0, float(one.time[step]))
            at = one.isel(step=step)
            np.testing.assert_allclose(at.flow_fields, w, atol=1e-5)
            assert float(at.flow_loss) == pytest.approx(loss(w, cov1, cov0), rel=1e-5)
            away = np.linalg.norm(at.fields.values - w) / np.linalg.norm(w)
            assert float(at.distance) == pytest.approx(away, rel=1e-3)
            until = slice(None, int(record.sizes["step"]) + step + 1 if step < 0 else step + 1)
            powers = [_noise_power(field.values, cov1, cov0) for field in one.flow_fields[until]]
            walked = np.trapezoid(powers, one.time.values[until])
            noise = np.sqrt(p.learning_rate / p.batch_size * walked) / np.linalg.norm(w)
            assert float(at.noise_distance) == pytest.approx(noise, rel=0.1)  # from 2,000 samples of each class


def _noise_power(w, cov1, cov0):
    """Variance of the gradient (h - y) 1(h > 0) x, h = <w, x>, summed over weights: x given h is c h/s² and a rest."""
    power = 0.0
    for cov, y in ((cov1, 1.0), (cov0, 0.0)):
        c, s = cov @ w, np.sqrt(w @ cov @ w)
        m0, m1, m2, m3, m4 = 0.5, s / np.sqrt(2 * np.pi), s**2 / 2, 2 * s**3 / np.sqrt(2 * np.pi), 1.5 * s**4
        along, rest = (c @ c) / s**4, np.trace(cov) - (c @ c) / s**2
        square = along * (m4 - 2 * y * m3 + y**2 * m2) + rest * (m2 - 2 * y * m1 + y**2 * m0)
        mean = (m2 - y * m1) / s**2 * c
        power += 0.5 * (square - mean @ mean)
    return power
