"""What the simulations of experiments on flows and committees record, computed again by a plain route."""

import jax
import numpy as np
import pytest
from plain import cosine, covariance, flow_end, ipr
from test_experiments import simulated, trained
from watched import assert_by_seed, assert_classes, assert_settings

from gatefield import flow
from gatefield.data import Gaussian, Task
from gatefield.experiments.batch_noise import random_walk
from gatefield.experiments.fields.elliptical import _tame
from gatefield.measures import analytic_signal, entropies, gabor_fit, harper_slack
from gatefield.theory import closure, erf, relu

ORDERS = ((2.0, 1.0), (1.0, 2.0))


def of(name):
    """In the group of the contract tests of that experiment, so that one worker simulates it once."""
    return pytest.mark.xdist_group(name)


def apart(w, reference):
    return np.sqrt(((w - reference) ** 2).sum((-2, -1)) / (reference**2).sum((-2, -1)))


@pytest.mark.slow
@of("gaussian-committee")
def test_committees_start_alike_at_all_batch_sizes_and_draw_by_themselves():
    _, p, record = simulated("gaussian-committee")
    parts = trained("gaussian-committee")
    keys = [jax.random.key_data(part.settings["key"]) for part in parts.values()]
    assert len(np.unique(np.concatenate(keys), axis=0)) == 4
    for size in (20, 80):
        part = parts[f"K=2-batch={size}"]
        assert_settings(part, p, batch_size=size)
        assert (part.task.positive.xi, part.task.negative.xi) == (2.0, 1.0)
        np.testing.assert_array_equal(part.net.fields, parts["K=2-batch=20"].net.fields)
        np.testing.assert_array_equal(record.loss.sel(batch_size=size, committee=2), part.record.loss)
    assert not np.array_equal(*part.net.fields)
    np.testing.assert_allclose(record.start.sel(committee=2), part.net.fields[0], rtol=1e-6)
    np.testing.assert_allclose(record.final.sel(committee=2), part.record.fields[0, -1], rtol=1e-6)


@of("gaussian-committee")
def test_the_flow_as_printed_is_as_many_times_as_fast_as_there_are_units():
    """By steps of the midpoint rule, to the last record."""
    _, _, record = simulated("gaussian-committee")
    part = trained("gaussian-committee")["K=2-batch=80"]
    cov1, cov0 = Gaussian(12, 2.0).covariance(), Gaussian(12, 1.0).covariance()
    w, step = np.asarray(part.net.fields, float), 2 * float(record.time[-1]) / 10
    for _ in range(10):
        middle = w + step / 2 * np.array([relu.velocity(each, cov1, cov0) for each in w])
        w = w + step * np.array([relu.velocity(each, cov1, cov0) for each in middle])
    found = apart(part.record.fields.values[:, -1:].astype(float), w[:, None])
    np.testing.assert_allclose(record.printed_distance.sel(committee=2).isel(step=-1), found[:, 0], rtol=5e-3)


@of("gaussian-committee")
@pytest.mark.slow
def test_distances_of_committees_from_their_flows():
    """The flow as printed is as many times as fast as there are units."""
    _, _, record = simulated("gaussian-committee")
    parts, one = trained("gaussian-committee"), record.sel(committee=2)
    cov1, cov0 = Gaussian(12, 2.0).covariance(), Gaussian(12, 1.0).covariance()
    starts = np.asarray(parts["K=2-batch=80"].net.fields, float)
    exact, printed = (
        flow(lambda w: relu.velocity(w, cov1, cov0), starts, factor * record.time.values).fields.values for factor in (1, 2)
    )
    np.testing.assert_allclose(one.flow_final, exact[0, -1], atol=1e-6)
    large, small = (parts[f"K=2-batch={size}"].record.fields.values.astype(float) for size in (80, 20))
    np.testing.assert_allclose(one.distance.sel(batch_size=80), apart(large, exact), atol=1e-5)
    np.testing.assert_allclose(one.distance.sel(batch_size=20), apart(small, exact), atol=1e-5)
    np.testing.assert_allclose(one.printed_distance, apart(large, printed), atol=1e-5)
    np.testing.assert_allclose(one.travelled, apart(exact[:, :1], exact), atol=1e-5)
    w = starts
    for _ in range(20):
        w = w + 0.01 * np.array([relu.velocity(each, cov1, cov0) for each in w])
    np.testing.assert_allclose(one.step_distance.isel(step=1), apart(w, exact[:, 1]), atol=1e-6)
    for batch in (20, 80):
        walk = np.sqrt(0.01 / batch * 0.2 * _variance(starts[0]) / (exact[0, 1] ** 2).sum())
        assert float(one.noise_distance.sel(batch_size=batch)[0, 1]) == pytest.approx(walk, rel=0.15)


def _variance(w, samples=4_000):
    """Of the gradient of one sample within its class, summed over the weights of two units; half of each class."""
    out = 0.0
    for key, (xi, y) in enumerate(((2.0, 1.0), (1.0, 0.0))):
        x = np.asarray(Gaussian(12, xi).sample(jax.random.key(70 + key), samples), float)
        h = x @ w.T
        gradients = (np.maximum(h, 0).mean(1) - y)[:, None, None] * ((h > 0) / 2)[:, :, None] * x[:, None]
        out += gradients.var(axis=0).sum() / 2
    return out


def test_noise_is_that_of_each_class_with_its_label():
    """Of fields that stay; the same samples as there."""
    task, w = Task(Gaussian(12, 2.0), Gaussian(12, 1.0)), np.random.default_rng(0).normal(size=(2, 12))
    walk = random_walk(np.tile(w, (1, 2, 1, 1)), np.array([0.0, 3.0]), task, jax.random.key(5))[0, 1]
    keys = jax.random.split(jax.random.key(5))
    variance = 0.0
    for source, key, y in zip((task.positive, task.negative), keys, (1.0, 0.0), strict=True):
        x = np.asarray(source.sample(key, 2_000), float)
        h = x @ w.T
        gradients = (np.maximum(h, 0).mean(1) - y)[:, None, None] * ((h > 0) / 2)[:, :, None] * x[:, None]
        variance += gradients.var(axis=0).sum() / 2
    assert walk == pytest.approx(np.sqrt(3.0 * variance / (w**2).sum()), rel=1e-4)


@of("steady-modes")
def test_modes_of_exact_paths_and_of_sgd_from_the_same_starts():
    _, p, record = simulated("steady-modes")
    part = trained("steady-modes")["sgd"]
    assert_settings(part, p, record_every=1)
    xi1 = np.array([[2.0], [1.0]])
    assert_classes(part, xi1, 3.0 - xi1)
    starts = part.fold(part.net.fields)[:, :, 0].astype(float)
    np.testing.assert_array_equal(starts[0], starts[1])
    assert len(np.unique(part.keys.reshape(4, -1), axis=0)) == 4
    assert (record.xi1.values.tolist(), record.xi0.values.tolist()) == ([2.0, 1.0], [1.0, 2.0])
    assert record.attrs["note_time"] == pytest.approx(0.4)
    np.testing.assert_allclose(record.sgd_time[[1, -1]], [0.01, 0.4], rtol=1e-6)
    np.testing.assert_allclose(record.time[[1, -1]], [1.0, 1e6])
    for pair, start in np.ndindex(2, 2):
        cov1, cov0 = (covariance(12, xi) for xi in ORDERS[pair])
        for time in (0.4, 1.0):
            w = flow_end(starts[pair, start], cov1, cov0, time)
            at = record.isel(pair=pair, start=start).sel(time=time, method="nearest")
            power = _energy(w)
            np.testing.assert_allclose(at.share, power / power.sum(), atol=1e-6)
            assert float(at["size"]) == pytest.approx(np.linalg.norm(w), rel=1e-5)
            assert float(at.frequencies) == pytest.approx(power.sum() ** 2 / (power**2).sum(), rel=1e-5)
        power = _energy(part.record.fields.values[pair, start, :, 0].astype(float))
        found = record.sgd_frequencies.isel(pair=pair, trained=start)
        np.testing.assert_allclose(found, power.sum(-1) ** 2 / (power**2).sum(-1), rtol=1e-4)


def _energy(w):
    """Of each frequency of an even ring."""
    power = np.abs(np.fft.rfft(w)) ** 2 / w.shape[-1]
    power[..., 1:-1] *= 2
    return power


@of("steady-modes")
def test_predictions_of_each_pair():
    """Near a mode of amplitude A others grow at lambda1/4 (lambda0/lambda1 of the mode - their own)."""
    record = simulated("steady-modes")[2]
    for i, (xi1, xi0) in enumerate(ORDERS):
        a, b = (np.fft.rfft(covariance(12, xi)[0]).real for xi in (xi1, xi0))
        winner = int(np.argmin(b / a))
        rates = np.delete(a / 4 * (b[winner] / a[winner] - b / a), winner)
        slowest = int(np.delete(np.arange(7), winner)[rates.argmax()])
        one = record.isel(pair=i)
        assert (int(one.survivor), int(one.slowest)) == (winner, slowest)
        assert float(one.amplitude) == pytest.approx(np.sqrt(2 * a[winner] / np.pi) / (a + b)[winner], rel=1e-5)
        assert float(one.amplitude_printed) == pytest.approx(np.sqrt(np.sqrt(2 / np.pi) / (a + b)[winner]), rel=1e-5)
        assert float(one.time_scale) == pytest.approx(-1 / rates.max(), rel=1e-4)


@of("fourier-basis")
def test_covariances_of_ring_and_line_in_both_bases():
    record = simulated("fourier-basis")[2]
    lag = np.subtract.outer(np.arange(12), np.arange(12))
    for xi in (1.0, 2.0):
        for boundary, cov in (("ring", covariance(12, xi)), ("line", np.exp(-((lag / xi) ** 2)))):
            np.testing.assert_allclose(record.covariance.sel(boundary=boundary, xi=xi), cov, atol=1e-9)
            for transform in ("fourier", "dct"):
                basis = record.basis.sel(transform=transform).values
                found = record.rotated.sel(transform=transform, boundary=boundary, xi=xi)
                np.testing.assert_allclose(found, basis.T @ cov @ basis, atol=1e-9)
    assert record.frequency.values.tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]
    for transform in ("fourier", "dct"):
        basis = record.basis.sel(transform=transform).values
        np.testing.assert_allclose(basis.T @ basis, np.eye(12), atol=1e-12)


@of("amplifier")
def test_closure_flows_beside_sgd():
    """At gain 0.01 the closure is the Gaussian flow."""
    _, p, record = simulated("amplifier")
    part = trained("amplifier")["sgd"]
    xi1 = np.array([2.0, 1.0])[:, None, None]
    assert_classes(part, xi1, 3.0 - xi1, np.array([0.01, 3.0])[:, None])
    assert_settings(part, p)
    assert_by_seed(part)
    np.testing.assert_allclose(record.ipr, ipr(record.fields.values.astype(float)), rtol=1e-5)
    np.testing.assert_allclose(record.closure_ipr, ipr(record.closure_fields.values), rtol=1e-5)
    for i, gain, seed in np.ndindex(2, 2, 2):
        g = p.gains[gain]
        cov1, cov0 = (covariance(12, xi, g) for xi in ORDERS[i])
        one = record.isel(order=i, gain=gain, seed=seed)
        start, end = one.fields.values[0, 0], one.closure_fields.values
        if gain == 0:
            np.testing.assert_allclose(end, flow_end(start, cov1, cov0, float(record.time[-1])), atol=1e-4)
        elif seed == 1:
            push = lambda w, a, b, g=g: closure.drift(w, a, g) / 2 - (a + b) @ w / 4  # noqa: E731
            np.testing.assert_allclose(end, flow_end(start, cov1, cov0, float(record.time[-1]), 10, push), atol=1e-4)
        lag = abs(int(abs(one.fields.values[-1, 0]).argmax()) - int(abs(end).argmax()))
        assert int(one.peak_distance) == min(lag, 12 - lag)


@of("amplifier")
def test_amplifier_and_kurtosis_at_each_gain():
    """The excess kurtosis of erf(g z), by a sum over z; weak correlations are amplified by 1/sqrt(2 pi) at any gain."""
    _, p, record = simulated("amplifier")
    z = np.linspace(-9, 9, 200_001)
    weight = np.exp(-(z**2) / 2) / np.exp(-(z**2) / 2).sum()
    for gains, found in ((p.gains, record.kurtosis), (record.fine_gain.values[::40], record.fine_kurtosis[::40])):
        x = [np.asarray(jax.scipy.special.erf(g * z), float) for g in gains]
        expected = [(weight @ v**4) / (weight @ v**2) ** 2 - 3 for v in x]
        np.testing.assert_allclose(found, expected, atol=1e-3)
    np.testing.assert_allclose(record.fine_gain[[0, 40, 80]], [0.01, 1.0, 100.0])
    np.testing.assert_allclose(record.correlation[[0, 50, 100]], [0.0, 0.5, 1.0])
    a = record.correlation.values
    for gain in p.gains:
        one = record.sel(gain=gain)
        np.testing.assert_allclose(one.amplifier, closure.amplifier(a, gain))
        np.testing.assert_allclose(one.expansion, closure.expansion(a, float(one.kurtosis)))
    weak = record.isel(correlation=1)
    np.testing.assert_allclose([weak.amplifier, weak.expansion], 0.01 / np.sqrt(2 * np.pi), rtol=1e-3)


@of("uncertainty")
@pytest.mark.slow
def test_neurons_and_committees_have_rates_and_starts_of_their_own():
    _, p, record = simulated("uncertainty")
    parts = trained("uncertainty")
    xi1 = np.array([2.0, 1.0])[:, None, None]
    for name, rate in (("K=1", p.learning_rate), ("K=2", p.committee_rate)):
        assert_settings(parts[name], p, learning_rate=rate)
        assert_by_seed(parts[name])
        assert_classes(parts[name], xi1, 3.0 - xi1, np.array([0.01, 3.0])[:, None])
    keys = np.concatenate([part.keys[0, 0] for part in parts.values()])
    assert len(np.unique(keys, axis=0)) == 4
    assert (record.K.values.tolist(), record["size"].values.tolist()) == ([1, 2, 2], [1, 2])
    assert record.attrs["neuron_rate"] == p.learning_rate
    np.testing.assert_array_equal(record.fields[..., :1, :], parts["K=1"].record.fields)
    np.testing.assert_array_equal(record.fields[..., 1:, :], parts["K=2"].record.fields)
    np.testing.assert_array_equal(record.loss.sel(size=2), parts["K=2"].record.loss)


@of("uncertainty")
def test_measures_and_flows():
    record = simulated("uncertainty")[2]
    np.testing.assert_allclose(record.flow_time[[0, 100, 200]], [0.0, 15.0, 60.0])
    for prefix, fields in (("", record.fields), ("flow_", record.flow_fields)):
        w = fields.values.astype(float)
        power = w**2 / (w**2).sum(-1, keepdims=True)
        spectrum = np.abs(np.fft.fft(w)) ** 2 / 12
        spectrum = spectrum / spectrum.sum(-1, keepdims=True)
        total = -sum((q * np.log(np.maximum(q, 1e-300))).sum(-1) for q in (power, spectrum))
        np.testing.assert_allclose(record[prefix + "entropy"], total, atol=1e-4)
        np.testing.assert_allclose(total, np.sum(entropies(w), axis=0), atol=1e-9)
        np.testing.assert_allclose(record[prefix + "slack"], harper_slack(w), atol=1e-4)
        np.testing.assert_allclose(record[prefix + "analytic_slack"], harper_slack(analytic_signal(w)), atol=1e-4)
    starts = record.flow_fields.isel(flow_time=0).values
    np.testing.assert_array_equal(starts[0], starts[1])
    assert not np.array_equal(*starts[0])
    for i, start in np.ndindex(2, 2):
        cov1, cov0 = (covariance(12, xi) for xi in ORDERS[i])
        end = flow_end(starts[i, start], cov1, cov0, 60 * 0.25**2)
        np.testing.assert_allclose(record.flow_fields[i, start, 50], end, atol=1e-5)
    fit = gabor_fit(record.fields.values[1, 1, :, -1])
    for name, value in fit._asdict().items():
        # A fit stops where it does not matter any more, which is elsewhere among other fields; R2 hardly tells of it.
        np.testing.assert_allclose(record["fit_" + name][1, 1], value, rtol=0.05, atol=1e-6 if name == "R2" else 1e-3)
    noise = gabor_fit(np.random.default_rng(0).normal(size=(64, 12))).R2
    assert float(record.noise_R2) == pytest.approx(np.mean(noise))
    assert float(record.gabor_product) == pytest.approx(2.177, abs=1e-3)


@of("elliptical")
def test_elliptical_classes_and_their_control():
    _, p, record = simulated("elliptical")
    parts = trained("elliptical")
    for part in parts.values():
        assert_settings(part, p)
        assert_by_seed(part)
        np.testing.assert_array_equal(part.keys, parts["control"].keys)
        np.testing.assert_array_equal(part.net.fields, parts["control"].net.fields)
    assert_classes(parts["laplace"], 2.0, 1.0)
    assert_classes(parts["control"], 2.0, 1.0, 3.0)
    assert {source.radial for source in (parts["laplace"].task.positive, parts["laplace"].task.negative)} == {
        type(parts["laplace"].task.positive.radial)()
    }
    np.testing.assert_array_equal(record.fields.sel(law="laplace"), parts["laplace"].record.fields)
    np.testing.assert_array_equal(record.control_fields, parts["control"].record.fields)
    assert [_tame(law) for law in ("student:3", "student:4", "student:4.5", "sphere")] == [False, False, True, True]
    assert record.attrs["control_gain"] == 3.0


@of("elliptical")
def test_elliptical_flow_is_the_gaussian_one_with_another_constant():
    """With c = 2**-1.5 of the Laplace law in place of 1/sqrt(2 pi)."""
    record = simulated("elliptical")[2]
    cov1, cov0 = covariance(12, 2.0), covariance(12, 1.0)
    one = record.sel(law="laplace").isel(unit=0)

    def push(w, cov1, cov0):
        return 2**-1.5 * cov1 @ w / np.sqrt(w @ cov1 @ w) / 2 - (cov1 + cov0) @ w / 4

    for seed in range(2):
        end = flow_end(one.fields.values[seed, 0], cov1, cov0, float(record.time[-1]), push=push)
        np.testing.assert_allclose(one.flow_fields[seed, -1], end, atol=1e-5)
    trained_, theory = (one[name].values.astype(float) for name in ("fields", "flow_fields"))
    np.testing.assert_allclose(one.cosine, cosine(trained_, theory), atol=1e-5)
    for name, w in (("size", trained_), ("flow_size", theory)):
        np.testing.assert_allclose(one[name], np.sqrt(np.einsum("...i,ij,...j", w, cov1, w)), rtol=1e-5)
    for name in ("ipr", "flow_ipr", "control_ipr"):
        np.testing.assert_allclose(record[name], ipr(record[name.replace("ipr", "fields")].values.astype(float)), rtol=1e-5)


@of("erf-populations")
@pytest.mark.slow
def test_erf_trainings():
    _, p, record = simulated("erf-populations")
    parts = trained("erf-populations")
    gains = np.array([0.01, 3.0])
    assert_classes(parts["erf"], 2.0, 1.0, gains[:, None, None, None], labels=(1.0, -1.0))
    assert_classes(parts["sigmoid"], 2.0, 1.0, gains[:, None], labels=(1.0, 0.0))
    assert_classes(parts["balanced"], 2.0, 1.0, 3.0, labels=(1.0, -1.0))
    for name, part in parts.items():
        assert_settings(part, p, learning_rate=p.rate_per_unit * 4 * (8 if name == "sigmoid" else 1))
        assert part.net.activation == ("sigmoid" if name == "sigmoid" else "erf")
        np.testing.assert_array_equal(part.keys[(0,) * (part.keys.ndim - 2)], parts["erf"].keys[0, 0, 0])
    for name in ("sigmoid", "balanced"):
        for key in ("fields", "bias"):
            np.testing.assert_array_equal(record[f"{name}_{key}"], parts[name].record[key].isel(step=-1))
        np.testing.assert_allclose(record[name + "_ipr"], ipr(record[name + "_fields"].values.astype(float)), rtol=1e-5)
    np.testing.assert_allclose(record.ipr, ipr(record.fields.isel(step=-1).values.astype(float)), rtol=1e-5)


@of("erf-populations")
def test_what_is_read_off_erf_committees():
    _, p, record = simulated("erf-populations")
    for i, gain in enumerate((0.01, 3.0)):
        cov1, cov0 = covariance(12, 2.0, gain), covariance(12, 1.0, gain)
        one = record.isel(gain=i)
        lam1, lam0 = np.fft.rfft(cov1[0]).real, np.fft.rfft(cov0[0]).real
        np.testing.assert_allclose([one.spectrum1, one.spectrum0], [lam1, lam0], atol=1e-9)
        w = one.fields.isel(step=0).values.astype(float)
        np.testing.assert_allclose(one.push, np.einsum("...i,ij,...j", w, cov1 - cov0, w), atol=1e-5)
        for name, slow in (("", lam1 > lam0), ("sigmoid_", lam1 > lam0)):
            end = one if name else one.isel(step=-1)
            energy = _energy(end[name + "fields"].values.astype(float))
            energy = energy / energy.sum(-1, keepdims=True)
            named = np.where(slow == (end[name + "bias"].values < 0)[..., None], energy, 0.0).sum(-1)
            np.testing.assert_allclose(one[name + "named_share"], named, atol=1e-5)
            np.testing.assert_array_equal(one[name + "peak_frequency"], energy.argmax(-1))
            np.testing.assert_array_equal(one[name + "oscillates"], (lam1 < lam0)[energy.argmax(-1)])
    slow = record.spectrum1.isel(gain=1).values > record.spectrum0.isel(gain=1).values
    energy = _energy(record.balanced_fields.values.astype(float))
    named = np.where(slow == (record.balanced_bias.values < 0)[..., None], energy, 0.0).sum(-1) / energy.sum(-1)
    np.testing.assert_allclose(record.balanced_named_share, named, atol=1e-5)
    last = record.fields.isel(gain=0, step=-1)
    np.testing.assert_allclose(record.flow_cosine, cosine(last, record.flow_fields), atol=1e-5)
    cov1, cov0 = covariance(12, 2.0, 0.01), covariance(12, 1.0, 0.01)
    start = tuple(record[name].values[0, 1, 1, 1, 0] for name in ("fields", "bias", "output_bias"))
    push = lambda W, b, c: erf.velocity(W, b, c, cov1, cov0, (1.0, -1.0))  # noqa: E731
    path = flow(push, start, [0.0, p.rate_per_unit * 4 * 40], rtol=1e-6)
    np.testing.assert_allclose(record.flow_fields[1, 1, 1], path.fields.values[..., -1, :, :].squeeze(), atol=1e-4)
    np.testing.assert_allclose(record.flow_bias[1, 1, 1], path.bias.values[..., -1, :].squeeze(), atol=1e-4)
