"""What the simulations of the convolution experiments record, computed again by a plain route."""

import importlib

import jax
import numpy as np
import pytest
from made_up import made_up
from test_experiments import simulated, trained

from gatefield import one_run
from gatefield.experiments.convolution.rotation_invariance.ring import RingSettings, ramps

ring_moments = importlib.import_module("gatefield.experiments.convolution.rotation_invariance.moments")
ring_maxima = importlib.import_module("gatefield.experiments.convolution.rotation_invariance.maxima")
PAIR, TRAINING_SETS, PLACES, TEST_SETS = 5, 6, 7, 8


def of(name):
    """In the group of the contract tests of that experiment, so that one worker simulates it once."""
    return pytest.mark.xdist_group(name)


@of("rotation-invariance")
def test_sampled_moments_are_the_exact_ones():
    """Pooled outputs do not see rotations if gates rotate too; all terms together make the moment."""
    record = simulated("rotation-invariance")[2]
    assert (abs(record.found - record.exact) < 5 * record.error).all()
    rotating, kept, unpooled = record.exact.values
    np.testing.assert_allclose(rotating, rotating[0], rtol=1e-9)
    assert kept[0] == pytest.approx(rotating[0])
    assert np.ptp(kept) > 1e-3
    assert np.ptp(unpooled) > 1e-3
    np.testing.assert_allclose(record.terms.sum("rotation"), rotating[0], rtol=1e-6)
    np.testing.assert_allclose(record.terms[1], np.roll(record.terms[0], -2), atol=1e-9)  # turned by two positions
    assert record.turn.values.tolist() == [0, 2]
    assert float(record.change[0]) < 1e-4 < float(record.change[1])


def test_moments_over_draws_have_their_own_errors(monkeypatch):
    """Three networks for each: what is pooled and whole, by hand."""
    p, seen = RingSettings(positions=4, length=2, layers=1, channels=1, draws=3), []
    pooled = np.arange(24.0).reshape(2, 3, 4) ** 2

    def over_draws(net, x):
        seen.append((net, x))
        return ring_moments.Drawn(pooled[len(seen) - 1], 3 * pooled[len(seen) - 1], np.array([0.1, 0.3, 0.2]) * len(seen))

    monkeypatch.setattr(ring_moments, "_over_draws", over_draws)
    record = ring_moments.moments(p)
    for case, values in (("rotating", pooled[0]), ("kept", pooled[1]), ("unpooled", 3 * pooled[0])):
        one = record.sel(case=case)
        np.testing.assert_allclose(one.found, values.mean(0))
        np.testing.assert_allclose(one.error, values.std(0) / np.sqrt(3))
    np.testing.assert_allclose(record.change, [0.3, 0.6])
    (rotating, x), (kept, same) = seen
    np.testing.assert_array_equal(x, same)
    rising, falling = ramps(np.random.default_rng([p.seed, PAIR]), 2, p)[0]
    np.testing.assert_allclose(x, [rising, falling, *(np.roll(falling, -r) for r in (1, 2, 3))])
    first = np.asarray(kept.free_gates[0]).reshape(5, -1)
    np.testing.assert_array_equal(first[1:], np.repeat(first[1:2], 4, axis=0))
    moving = np.asarray(one_run(rotating, 0).gates(jax.numpy.asarray(x, float))[0]).reshape(5, -1)
    np.testing.assert_array_equal(first[:2], moving[:2])
    for one, other in zip(rotating.weights, kept.weights, strict=True):
        np.testing.assert_array_equal(one, other)
        assert len(np.unique(np.asarray(one).reshape(3, -1), axis=0)) == 3


@of("rotation-invariance")
def test_maxima_over_positions():
    """With positions that the gating network chooses the moment is exact; all but blocks are invariant in every network."""
    record = simulated("rotation-invariance")[2]
    chosen = record.sel(pooling="chosen")
    assert (abs(chosen.max_found - record.max_exact) < 5 * chosen.max_error).all()
    np.testing.assert_allclose(record.max_exact, record.max_exact[0], rtol=1e-9)
    assert (record.max_change.sel(pooling=["chosen", "own"]) < 1e-4).all()
    blocks = record.max_change.sel(pooling="blocks").values
    assert blocks[::2].max() < 1e-4 < 1e-2 < blocks[1::2].min()


def test_maxima_of_three_networks_by_hand():
    """One convolution of one channel and kernel size 2 on a ring of four: sums, gates, positions and products written out."""
    p = RingSettings(positions=4, length=2, kernel_size=2, layers=1, channels=1, draws=3)
    record = ring_maxima.maxima(p)
    rising, falling = ramps(np.random.default_rng([p.seed, PAIR]), 2, p)[0]
    x = np.array([rising, *(np.roll(falling, -r) for r in range(4))])
    gating = ring_moments.network(p, jax.random.key(p.seed), gating="galu")
    keys = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), 1), 3)
    weights = np.asarray(ring_moments.network(p, keys, gates_from=gating).weights[0], float).reshape(3, 2)

    def convolve(theta):
        return theta[0] * x + theta[1] * np.roll(x, -1, 1)

    sums = convolve(np.asarray(gating.gating_layers[0], float).reshape(2))
    rows = np.arange(5)
    z = np.array([(sums > 0) * convolve(theta) for theta in weights])
    outputs = [z[:, rows, sums.argmax(1)], z.max(2), z.reshape(3, 5, 2, 2).max(3).mean(2)]
    for y, pooling in zip(outputs, ("chosen", "own", "blocks"), strict=True):
        one = record.sel(pooling=pooling)
        products = y[:, 1:] * y[:, :1]
        np.testing.assert_allclose(one.max_found, products.mean(0), rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(one.max_error, products.std(0) / 3**0.5, rtol=1e-4, atol=1e-7)
        change = abs(y[:, 1:] - y[:, 1:2]) / abs(y[:, 1:]).max(1, keepdims=True)
        np.testing.assert_allclose(one.max_change, change.max(0), rtol=1e-4, atol=1e-6)
    features = np.stack([x, np.roll(x, -1, 1)], -1) * (sums > 0)[..., None]
    at = features[rows, sums.argmax(1)]
    np.testing.assert_allclose(record.max_exact, at[1:] @ at[0], rtol=1e-12)  # weights of variance 2/2


@of("rotation-invariance")
def test_ramps_at_one_place_or_any():
    _, p, record = simulated("rotation-invariance")
    parts = trained("rotation-invariance")
    places = np.random.default_rng([p.seed, PLACES]).integers(8, size=(2, 16))
    for kind, part in parts.items():
        given = part.settings
        assert (given["steps"], given["batch_size"], given["optimizer"], given["record_every"]) == (20, "all", "adam", 1)
        assert given["learning_rate"] == p.learning_rate
        assert part.grid.shape == (2, 2)
        x, y = part.fold(part.task.x), part.fold(part.task.y)
        for seed in range(2):
            base, labels = ramps(np.random.default_rng([p.seed, TRAINING_SETS, seed]), 16, p)
            turned = np.array([np.roll(row, -turn) for row, turn in zip(base, places[seed], strict=True)])
            np.testing.assert_allclose(x[:, seed], [base, turned], rtol=1e-5)
            np.testing.assert_array_equal(y[:, seed], [labels, labels])
        for own, common in zip(part.net.weights[:2], parts["rotating"].net.weights[:2], strict=True):
            np.testing.assert_array_equal(own, common)
            folded = part.fold(own)
            np.testing.assert_array_equal(folded[0], folded[1])
            assert not np.array_equal(folded[0, 0], folded[0, 1])
        one = record.sel(net=kind)
        for name in ("loss", "train_accuracy"):
            np.testing.assert_array_equal(one[name], part.record[name])
    gates = parts["kept"].net.free_gates
    assert [parts[kind].net.gating for kind in ("rotating", "kept", "flatten")] == ["galu", "free", "galu"]
    for run in range(4):  # for the inputs before they are turned
        base = ramps(np.random.default_rng([p.seed, TRAINING_SETS, run % 2]), 16, p)[0]
        seen = one_run(parts["rotating"].net, run).gates(jax.numpy.asarray(base, float))
        for kept, gate in zip(gates, seen, strict=True):
            np.testing.assert_array_equal(kept[run], np.asarray(gate).reshape(16, -1))


@of("rotation-invariance")
def test_accuracy_at_each_rotation_of_the_test_set():
    _, p, record = simulated("rotation-invariance")
    for kind in ("rotating", "flatten"):
        for run in (1, 2):
            x, y = ramps(np.random.default_rng([p.seed, TEST_SETS, run % 2]), 16, p)
            net = one_run(trained("rotation-invariance")[kind].end, run)
            every = np.stack([np.roll(x, -r, axis=1) for r in range(8)])
            output = np.asarray(net(jax.numpy.asarray(every.reshape(-1, 8), float))).reshape(8, 16)
            one = record.sel(net=kind).isel(training=run // 2, seed=run % 2)
            assert abs(one.accuracy - ((output > 0) == (y > 0)).mean(1)).max() < 0.07  # one of 16 may be near zero
            change = abs(output - output[0]).max() / abs(output).max()
            assert float(one.output_change) == pytest.approx(change, rel=0.05, abs=1e-4)


@of("gates-only")
def test_gates_alone_are_trained():
    _, p, record = simulated("gates-only")
    (part,) = trained("gates-only").values()
    assert record.net.values.tolist() == ["beta=8"]
    assert (part.net.gating, part.net.beta, part.net.eps) == ("gates-only", 8.0, p.eps)
    assert_image_training(part, record.sel(net="beta=8"), p, epochs=2)


@of("soft-gates-table")
def test_rows_of_soft_gates():
    _, p, record = simulated("soft-gates-table")
    parts = trained("soft-gates-table")
    rows = [
        ("relu", "relu", np.inf, 0.0),
        ("beta=1+eps=0.1", "soft-relu", 1.0, 0.1),
        ("beta=16+eps=0.1", "soft-relu", 16.0, 0.1),
    ]
    assert record.row.values.tolist() == list(parts) == [row[0] for row in rows]
    for name, gating, beta, eps in rows:
        part, one = parts[name], record.sel(row=name)
        assert (str(one.gating.values), float(one.beta), float(one.eps)) == (gating, beta, eps)
        assert part.net.gating == gating
        if gating == "soft-relu":
            assert (part.net.beta, part.net.eps) == (beta, eps)
        for own, common in zip(part.net.weights, parts["relu"].net.weights, strict=True):
            np.testing.assert_array_equal(own, common)
        assert_image_training(part, one, p, epochs=3)


def assert_image_training(part, one, p, epochs):
    """600 images in batches of 100: six steps make an epoch, after each of which is a record."""
    given = part.settings
    assert (given["steps"], given["batch_size"], given["record_every"]) == (6 * epochs, 100, 6)
    assert (given["learning_rate"], given["optimizer"], given["loss"]) == (1e-2, "adam", "cross-entropy")
    np.testing.assert_allclose(one.epoch, np.arange(epochs + 1))
    for name in ("loss", "train_accuracy", "test_loss", "test_accuracy"):
        np.testing.assert_array_equal(one[name], part.record[name])
    data = made_up(0)
    np.testing.assert_allclose(np.asarray(part.task.x).reshape(600, -1), data.x, atol=1e-6)
    np.testing.assert_array_equal(np.asarray(part.task.y), data.y)
    keys = jax.random.key_data(given["key"])
    assert not np.array_equal(*keys)
    assert not np.array_equal(*part.net.weights[0])
    layout = {"samples": p.samples, "epochs": epochs, "channels": [4], "dense": [8], "stride": [1], "padding": "valid"}
    assert {name: one.attrs[name] for name in layout} == layout
