"""What the simulations of the cube experiments record, computed again by a plain route."""

import importlib
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from plain import cosine, covariance, gate_mean, ipr, site_gate_mean
from test_experiments import simulated, trained
from watched import assert_by_seed, assert_classes, assert_settings

from gatefield.data import NonlinearGP
from gatefield.experiments.cube.cube_states import search
from gatefield.experiments.cube.f_along_training.simulate import log_spaced
from gatefield.theory import closure, hypercube

cube_states = importlib.import_module("gatefield.experiments.cube.cube_states.simulate")
INF = float("inf")


def of(name):
    """In the group of the contract tests of that experiment, so that one worker simulates it once."""
    return pytest.mark.xdist_group(name)


def corners(n):
    return np.array(np.meshgrid(*[[1.0, -1.0]] * n, indexing="ij")).reshape(n, -1).T


def line(n, xi):
    return np.exp(-((np.subtract.outer(np.arange(n), np.arange(n)) / xi) ** 2))


def rank(w):
    """The last sites to be left out first."""
    return np.argsort(-np.abs(w))


def test_losses_of_states_are_taken_on_the_other_sample(monkeypatch):
    calls, turned = [], np.array([[0.0, 0.1], [0.0, 2.0], [0.3, 0.0]])

    def steady(x, cov1, cov0, starts, **settings):
        calls.append((np.asarray(x, float), cov1, cov0, starts, settings))
        return SimpleNamespace(fields=starts + (turned if len(calls) > 1 else 0.5), settled=np.array([True, False, True]))

    monkeypatch.setattr(search.hypercube, "steady_states", steady)
    starts = np.array([[1.0, 0.2], [0.4, -1.0], [-0.3, 0.8]])
    found = search.sampled_states(2, 2.0, 1.0, starts, jax.random.key(0), 300, time=3.0)
    (one, cov1, cov0, first, settings), (other, *same, second, _) = calls
    np.testing.assert_allclose([cov1, cov0], [covariance(2, xi, INF) for xi in (2.0, 1.0)], atol=1e-6)
    np.testing.assert_array_equal(same, [cov1, cov0])
    np.testing.assert_array_equal(first, starts)
    np.testing.assert_array_equal(second, found.fields)
    np.testing.assert_array_equal(found.fields, starts + 0.5)
    assert settings == {"time": 3.0}
    assert not np.array_equal(one, other)
    for x in (one, other):
        assert abs((x[:, 0] * x[:, 1]).mean() - cov1[0, 1]) < 5 / np.sqrt(300)
    total = cov1 + cov0
    for w, loss, lasting, again in zip(found.fields, found.losses, found.lasting, found.fields + turned, strict=True):
        assert loss == pytest.approx(0.25 - np.abs(other @ w).mean() / 4 + w @ total @ w / 8, abs=1e-6)
        assert lasting == (cosine(w, again) >= 0.95)
    assert found.lasting.tolist() == [True, False, True]
    assert found.settled.tolist() == [True, False, True]


def test_a_pair_of_length_scales_on_the_cube(monkeypatch):
    seen = {}
    rng = np.random.default_rng(0)
    ends, sgd, starts = np.eye(6)[:5] + 0.1 * rng.normal(size=(5, 6)), rng.normal(size=(2, 6)), rng.normal(size=(4, 6))
    flags = np.array([True, False, True, True, False])

    def states(n, xi1, xi0, begin, key, samples, **settings):
        seen["begin"], seen["key"], seen["settings"] = begin, key, (n, xi1, xi0, samples, settings)
        return search.SearchResult(ends, np.arange(5.0), flags, ~flags)

    def values(n, xi1, xi0, fields, key, samples):
        seen["judged"] = n, xi1, xi0, fields, key, samples
        return SimpleNamespace(loss=np.array([7.0, 8.0]), limit=np.roll(fields, 1, axis=1))

    monkeypatch.setattr(search, "sampled_states", states)
    monkeypatch.setattr(search, "sampled_values", values)
    p = cube_states.Settings(exact_to=5, samples=99, time=3.0, time_step=0.5, most_steps=11)
    key = jax.random.key(3)
    one = cube_states._pair(p, 6, 0.8, 1.6, starts, sgd, key)
    assert seen["settings"] == (6, 0.8, 1.6, 99, {"time": 3.0, "time_step": 0.5, "most_steps": 11})
    assert seen["key"] == key
    np.testing.assert_array_equal(seen["begin"][:4], starts)
    np.testing.assert_allclose(seen["begin"][4], np.linalg.norm(starts, axis=1).mean() * np.eye(6)[3])
    n, xi1, xi0, fields, judge_key, samples = seen["judged"]
    assert (n, xi1, xi0, samples, judge_key) == (6, 0.8, 1.6, 99, jax.random.split(key)[1])  # where losses are measured
    np.testing.assert_array_equal(fields, sgd)
    for name, value in (("states", ends[:4]), ("loss", np.arange(4)), ("settled", flags[:4]), ("lasting", ~flags[:4])):
        np.testing.assert_array_equal(one[name], value)
    peaked = 2 * np.abs(ends).max(1) > np.abs(ends).sum(1)
    np.testing.assert_array_equal(one.localized, peaked[:4])
    assert float(one.from_site) == peaked[4]
    np.testing.assert_allclose(one.ipr, ipr(ends[:4]))
    assert len(np.unique(one.group)) >= 2
    cov1, cov0 = (covariance(6, xi, INF) for xi in (0.8, 1.6))
    state = np.linalg.solve(cov1 + cov0, cov1[3])
    np.testing.assert_allclose(one.site_state, state, atol=1e-6)
    assert float(one.site_cosine) == pytest.approx(cosine(ends[4], state), abs=1e-6)
    assert float(one.site_loss) == pytest.approx(0.25 - state @ cov1[3] / 4 + state @ (cov1 + cov0) @ state / 8, abs=1e-6)
    assert float(one.site_lead) == pytest.approx(2 * abs(state).max() - abs(state).sum(), abs=1e-6)
    np.testing.assert_array_equal(one.sgd, sgd)
    np.testing.assert_array_equal(one.sgd_loss, [7.0, 8.0])
    np.testing.assert_allclose(one.sgd_limit, cosine(sgd, np.roll(sgd, 1, axis=1)))
    np.testing.assert_allclose(one.sgd_same_start, cosine(sgd, ends[:2]))
    near = [[max(abs(cosine(w, np.roll(end, k))) for k in range(6)) for end in [*ends, state]] for w in sgd]
    np.testing.assert_allclose(one.sgd_nearest, np.max(near, axis=1), atol=1e-6)
    np.testing.assert_array_equal(one.sgd_localized, 2 * np.abs(sgd).max(1) > np.abs(sgd).sum(1))


@of("cube-states")
def test_states_and_sgd_of_the_tiny_ring():
    """On a fresh sample, the losses at the end of SGD are the same up to sampling errors."""
    _, p, record = simulated("cube-states")
    part = trained("cube-states")["sgd-n7"]
    xi1 = np.array([[0.8], [2.0]])
    assert_classes(part, xi1, np.array([[1.6], [1.0]]))
    assert_settings(part, p, record_every=10)
    starts = part.fold(part.net.fields)
    np.testing.assert_array_equal(starts[0], starts[1])
    assert len(np.unique(part.keys.reshape(4, -1), axis=0)) == 4
    assert (record.xi1.values.tolist(), record.xi0.values.tolist()) == ([0.8, 2.0], [1.6, 1.0])
    assert record.exact.values.tolist() == [False]
    one = record.isel(size=0)
    np.testing.assert_allclose(one.sgd, part.record.fields.values[:, :, -1, 0], rtol=1e-6)
    for pair, (xi1, xi0) in enumerate(p.pairs):
        x = np.asarray(NonlinearGP(7, xi1, INF).sample(jax.random.key(77), 20_000), float)
        total = covariance(7, xi1, INF) + covariance(7, xi0, INF)
        for w, loss in zip(one.sgd.values[pair], one.sgd_loss.values[pair], strict=True):
            h = np.abs(x @ w)
            fresh = 0.25 - h.mean() / 4 + w @ total @ w / 8
            assert abs(loss - fresh) < 5 * h.std() / 4 * np.sqrt(1 / 1_000 + 1 / 20_000)
    np.testing.assert_allclose(record.map_xi1, np.linspace(0.2, 5.0, 21))
    np.testing.assert_array_equal(record.map_xi1, record.map_xi0)
    np.testing.assert_allclose(record.lead_map[0], search.lead_map(7, record.map_xi1.values))


@of("bumps")
def test_bumps_on_the_cube_against_its_corners():
    record = simulated("bumps")[2]
    sites = {"edge": [4, 5, 6], "middle": [4, 3, 5], "apart": [4, 7, 0], "far": [4, 7, 1]}
    for name, places in sites.items():
        assert record.sites.sel(layout=name).values.tolist() == places
    alpha, beta = record.alpha.values, record.beta.values
    np.testing.assert_allclose([alpha[0], alpha[9], beta[0], beta[9]], np.array([0.2137, 9.2137, 0.5349, 9.5349]) * 0.4)
    sizes = np.array([[a, b, 1.0] for a in alpha for b in beta])
    largest = sizes.argmax(1)
    latent = covariance(9, 1.5)
    for name in ("middle", "apart"):
        one, places = record.sel(layout=name), np.array(sites[name])
        fields = np.zeros((103, 9))
        fields[:100, places], fields[100:, places] = sizes, np.eye(3)
        f = np.asarray(hypercube.drift(fields, latent))
        second, first = np.sort(f[:100], axis=1)[:, -2:].T
        picked = (f[:100].argmax(1) == places[largest]) & (first - second > 1e-9)
        np.testing.assert_array_equal(one.picked.values.ravel(), picked)
        alone = np.abs(f[:100] - f[100 + largest]).max(1) < 1e-9
        np.testing.assert_array_equal(one.one_site.values.ravel(), alone)
    for xi in (0.5, 1.5):
        fields = np.zeros((4, 9))
        for row, places in zip(fields, sites.values(), strict=True):
            row[places] = [1.5, 1.25, 1.0]
        np.testing.assert_allclose(record.vote.sel(xi=xi), hypercube.drift(fields, covariance(9, xi)), atol=1e-8)
        cov = covariance(9, xi, INF)
        assert float(record.lone_lead.sel(xi=xi)) == pytest.approx((cov[0, 0] - cov[0, 1]) / 2, abs=1e-7)
    field = np.zeros(8)
    field[[1, 4, 6]] = [2.5, 2.0, 1.0]
    f = np.asarray(hypercube.drift(field[None], line(8, 1.5)))[0]
    np.testing.assert_allclose(record.line_drift, f, atol=1e-8)
    np.testing.assert_allclose(record.line_at, f[[1, 4, 6]], atol=1e-8)
    np.testing.assert_allclose(record.line_lone, np.arcsin(line(8, 1.5)[1]) / np.pi, atol=1e-7)


@of("bumps")
def test_examples_of_bumps_and_their_sampling_errors():
    record = simulated("bumps")[2]
    i, j, k = 4, 7, 0
    latent, cov = covariance(9, 1.5), covariance(9, 1.5, INF)
    assert (record.attrs["length_scale"], record.attrs["samples"]) == (1.5, 20_000)
    np.testing.assert_allclose(record.covariance_row, cov[i], atol=1e-7)
    np.testing.assert_allclose(record.printed.sel(case="single"), latent[i], atol=1e-9)
    np.testing.assert_allclose(record.printed.sel(case="balanced"), latent[i] + latent[j], atol=1e-9)
    np.testing.assert_allclose(record.corrected, record.drift, atol=1e-7)
    fields = np.zeros((7, 9))
    fields[:, [i, j, k]] = [[1, 0, 0], [1, 1, 0], [2, 1, 0], [2, -1, 0], [4, 2, 1], [2.5, 2, 1], [3, 2, 1]]
    np.testing.assert_allclose(record.drift, hypercube.drift(fields, latent), atol=1e-8)
    assert (abs(record.sampled - record.drift) < 5 * record.sampled_error + 1e-9).all()
    # squares of +-1/2 are 1/4; of two equal bumps half open where they differ, they are 0 there
    for case, square in (("imbalanced", 0.25), ("balanced", (1 + cov[i, j]) / 8)):
        one = record.sel(case=case)
        expected = np.sqrt(np.maximum(square - one.sampled.values**2, 0.0) / 20_000)
        np.testing.assert_allclose(one.sampled_error, expected, rtol=0.05, atol=1e-6)


@of("drift-fields")
def test_drifts_of_fields():
    _, p, record = simulated("drift-fields")
    np.testing.assert_allclose((record.w**2).sum("position"), 1.0)
    assert record.w.sel(field=0).values.tolist() == np.eye(12)[6].tolist()
    rng = np.random.default_rng(p.seed).standard_normal((3, 12))
    np.testing.assert_allclose(record.w[-3:], rng / np.linalg.norm(rng, axis=1)[:, None])
    w = record.w.values
    for gain in p.gains:
        for xi in p.xis:
            one, cov = record.sel(gain=gain, xi=xi), covariance(12, xi, gain)
            np.testing.assert_allclose(one.gaussian, [gate_mean(v, cov) for v in w], atol=1e-6)
            np.testing.assert_allclose(one.closure[[0, 3, -1]], [closure.drift(w[i], cov, gain) for i in (0, 3, -1)], atol=1e-6)
            np.testing.assert_allclose(one.site_exact, site_gate_mean(12, xi, gain, 6), atol=1e-7)
            power = np.einsum("fi,ij,fj->f", w, cov, w) / np.linalg.eigvalsh(cov)[-1]
            np.testing.assert_allclose(one.passed, power, atol=1e-6)
            length = np.linalg.norm(one.sampled, axis=-1)
            noise = np.linalg.norm(one.error, axis=-1)
            apart = np.sum((one.closure.values - one.sampled.values) ** 2, axis=-1) - noise**2
            np.testing.assert_allclose(one.closure_error, np.sqrt(np.maximum(apart, 0)) / length, atol=1e-4)
            np.testing.assert_allclose(one.noise, noise / length, rtol=1e-4)
    near = (record.sampled - record.gaussian).sel(gain=0.01) / record.error.sel(gain=0.01)
    assert abs(near).max() < 5.5
    assert 0.4 < float((near**2).mean()) < 2.5
    site = ((record.sampled.sel(field=0) - record.site_exact) / record.error.sel(field=0)).where(record.error.sel(field=0) > 0)
    assert float(abs(site).max()) < 5.5


@of("drift-fields")
def test_drifts_on_the_small_ring_are_exact_sampled_and_by_the_closure():
    _, p, record = simulated("drift-fields")
    rows = np.random.default_rng(p.seed + 1).standard_normal((3, 4))
    rows = rows / np.linalg.norm(rows, axis=1)[:, None]
    kinds = record.small_kind.values.tolist()
    assert kinds[:1] + kinds[-3:] == ["site", "random", "random", "random"]
    error = record.small_sampling_error.clip(0.5 / 20_000)  # where signs differ from the linear part in one case of 20,000
    assert (abs(record.small_sampled - record.small_exact) < 5.5 * error).all()
    for xi in p.xis:
        one = record.sel(xi=xi)
        exact = np.asarray(hypercube.drift(rows, covariance(4, xi)))
        np.testing.assert_allclose(one.small_exact[-3:], exact, atol=1e-8)
        guess = np.array([closure.drift(w, covariance(4, xi, INF), np.inf) for w in rows])
        apart = np.linalg.norm(guess - exact, axis=1) / np.linalg.norm(exact, axis=1)
        np.testing.assert_allclose(one.small_closure_error[-3:], apart, atol=1e-5)


@of("f-along-training")
def test_drift_and_its_forms_along_training():
    _, p, record = simulated("f-along-training")
    part = trained("f-along-training")["sgd"]
    assert_classes(part, 2.0, 1.0, np.array([1.0, INF])[None, :, None])
    assert_settings(part, p, record_every=4)
    starts = part.fold(part.net.fields)
    np.testing.assert_array_equal(starts[0, 0], starts[0, 1])
    assert not np.array_equal(*starts[0, 0])
    assert len(np.unique(part.keys.reshape(4, -1), axis=0)) == 4
    chosen = log_spaced(11, 4)
    assert chosen.tolist() == [0, 1, 3, 10]
    np.testing.assert_allclose(record.time, 0.05 * 4 * chosen)
    assert (record.xi1.values.tolist(), record.xi0.values.tolist(), record.share.values.tolist()) == (
        [2.0],
        [1.0],
        [0.01, 0.05],
    )
    fields = part.record.fields.values[0][:, :, chosen, 0].astype(float)
    np.testing.assert_allclose(record.end[0], fields[:, :, -1], rtol=1e-6)
    np.testing.assert_allclose(record.ipr[0], ipr(fields), rtol=1e-4)
    key = jax.random.split(jax.random.key(p.seed))[1]
    for g, gain in enumerate(p.gains):
        one, w = record.isel(pair=0, gain=g), fields[g]
        cov1, cov0 = covariance(12, 2.0, gain), covariance(12, 1.0, gain)
        x = np.asarray(NonlinearGP(12, 2.0, gain).sample(jax.random.key(77), 20_000), float)
        heads = np.asarray(NonlinearGP(12, 2.0, gain).sample(key, 500), float)
        for step in range(4):
            v, at = w[0, step], one.isel(step=step)
            gaussian, f = gate_mean(v, cov1), at.drift.values
            place = np.abs(v).argmax()
            site = np.sign(v[place]) * site_gate_mean(12, 2.0, gain, place)
            np.testing.assert_allclose(at.gaussian_form, gaussian, atol=1e-6)
            np.testing.assert_allclose(at.site_form, site, atol=1e-6)
            fresh = (np.sign(x @ v) @ x) / 40_000
            assert np.abs(f - fresh).max() < 5 * 0.5 * np.sqrt(1 / 500 + 1 / 20_000)
            first = at.isel(seed=0)
            assert float(first.gaussian_cosine) == pytest.approx(cosine(f, gaussian), abs=1e-4)
            assert float(first.site_cosine) == pytest.approx(cosine(f, site), abs=1e-4)
            brake = np.linalg.norm((cov0 + cov1) @ v)
            assert float(first.pull) == pytest.approx(2 * np.linalg.norm(f) / brake, rel=1e-4)
            noise = (0.25 - f**2).sum() / 500
            for name, form in (("gaussian_distance", gaussian), ("site_distance", site)):
                square = max(((form - f) ** 2).sum() - noise, 0.0) / (f @ f)
                assert float(first[name]) ** 2 == pytest.approx(square, abs=0.03)
            if gain == 1.0:  # without ties
                for seed in range(2):
                    u = w[seed, step]
                    order = rank(u)
                    partial = np.cumsum(heads[:, order] * u[order], axis=1)
                    errors = (np.sign(partial) != np.sign(partial[:, -1:])).mean(0)
                    sizes = [int((errors <= share + 1e-9).argmax()) + 1 for share in (0.01, 0.05)]
                    assert at.head_size.values[seed].tolist() == sizes


def assert_collected(name):
    """The fields of `margins` and `gate-influence`, and where they come from."""
    _, p, record = simulated(name)
    part = trained(name)["sgd"]
    xi1 = np.array([[2.0], [1.0]])
    assert_classes(part, xi1, 3.0 - xi1)
    assert_settings(part, p)
    assert_by_seed(part)
    path = part.record.fields.values[:, :, :, 0].astype(float)
    assert path.shape[2] == 5
    rows = [("random", 2.0, w) for w in np.random.default_rng(p.seed).normal(size=(2, 10))]
    places = [0, 1, 9, 2, 8, 3, 7, 4, 6, 5]
    rows += [(f"geometric {r:g}", 2.0, (r ** np.arange(10))[np.argsort(places)]) for r in (0.5, 0.9)]
    for family, fields in (("trained", path[:, :, -1]), ("averaged", path[:, :, 2:].mean(2))):
        for i, (order, xi) in enumerate((("long", 2.0), ("short", 1.0))):
            rows += [(f"{family}, {order} range", xi, w) for w in fields[i]]
    assert record.family.values.tolist() == [row[0] for row in rows]
    assert record.xi.values.tolist() == [row[1] for row in rows]
    np.testing.assert_allclose(record.weights, [row[2] for row in rows], atol=1e-6)
    assert list(record.attrs["length_scales"]) == [2.0, 1.0]
    key = jax.random.fold_in(jax.random.key(p.seed), 3)
    return p, record, {xi: np.asarray(NonlinearGP(10, xi, INF).sample(key, 500), float) for xi in (2.0, 1.0)}


@of("margins")
def test_margins_and_heads_by_all_corners():
    p, record, samples = assert_collected("margins")
    x = corners(10)
    for i, (w, xi) in enumerate(zip(record.weights.values, record.xi.values, strict=True)):
        one, order = record.isel(field=i), rank(w)
        assert float(one.margin) == pytest.approx(np.abs(x @ w).min() / np.linalg.norm(w), rel=1e-6, abs=1e-12)
        assert float(one["lead"]) == pytest.approx(2 - np.abs(w).sum() / np.abs(w).max())
        partial = np.cumsum(x[:, order] * w[order], axis=1)
        agree = (np.sign(partial) == np.sign(partial[:, -1:])).all(0)
        assert int(one["head"]) == int(agree.argmax()) + 1
        partial = np.cumsum(samples[xi][:, order] * w[order], axis=1)
        errors = (np.abs(np.sign(partial) - np.sign(partial[:, -1:])) / 2).mean(0)
        np.testing.assert_allclose(one.errors, errors, atol=1e-9)
        assert one.probable.values.tolist() == [int((errors <= share + 1e-9).argmax()) + 1 for share in (0.01, 0.05)]
    assert record.kept.values.tolist() == list(range(1, 11))
    assert record.share.values.tolist() == [0.01, 0.05]
    rng = np.random.default_rng([p.seed, 1])
    for size in p.sizes:
        weights, one, x = rng.normal(size=(20, size)), record.sel(size=size), corners(size)
        least = np.abs(weights @ x.T).min(1)
        np.testing.assert_allclose(one.random_margin, least, rtol=1e-6)
        length = np.linalg.norm(weights, axis=1)
        np.testing.assert_allclose(one.scaled_margin, least * 2**size / (np.sqrt(2 * np.pi) * length), rtol=1e-6)
        smallest = np.abs(weights).min(1)
        others = weights[np.abs(weights) > smallest[:, None]].reshape(20, -1)
        np.testing.assert_array_equal(one.random_head < size, np.abs(others @ corners(size - 1).T).min(1) > smallest)
    for i, order in enumerate(((2.0, 1.0), (1.0, 2.0))):
        cov1, cov0 = (covariance(10, xi, INF) for xi in order)
        state = np.linalg.solve(cov0 + cov1, cov1[0])
        assert float(record.steady_lead[i]) == pytest.approx(2 - np.abs(state).sum() / state[0], abs=1e-6)


@of("gate-influence")
def test_influences_by_all_corners():
    p, record, samples = assert_collected("gate-influence")
    x = corners(10)
    for i, (w, xi) in enumerate(zip(record.weights.values, record.xi.values, strict=True)):
        one = record.isel(field=i)
        np.testing.assert_allclose(one["share"], np.abs(w) / np.linalg.norm(w))
        np.testing.assert_allclose(one.uniform, np.abs(np.sign(x @ w) @ x) / 1024, atol=1e-9)
        y = samples[xi]
        np.testing.assert_allclose(one.own, np.abs(np.sign(y @ w) @ y) / 500, atol=1e-9)
        turned = [np.abs(np.sign((y * np.where(np.arange(10) == j, -1, 1)) @ w) - np.sign(y @ w)).mean() / 2 for j in range(10)]
        np.testing.assert_allclose(one.turns, turned, atol=1e-9)
    np.testing.assert_allclose(record.equal[:2], [70 / 256, 2704156 / 2**24])  # (n - 1 over (n - 1)/2)/2^(n - 1)
    assert record.rung.values.tolist() == list(range(1, 41))
    np.testing.assert_allclose(record["lead"], p.leads)
    crowds, x = np.random.default_rng([p.seed, 2]).normal(size=(2, 10)), corners(11)
    for at in (0, 9, 18):
        for c, rest in enumerate(crowds):
            w = np.append(p.leads[at] * np.linalg.norm(rest), rest)
            found = np.abs(np.sign(x @ w) @ x) / 2048
            one = record.isel(lead=at, crowd=c)
            assert float(one.leader) == pytest.approx(found[0])
            assert float(one.follower) == pytest.approx(found[1:].max())
