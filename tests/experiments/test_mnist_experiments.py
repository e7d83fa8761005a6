"""What the experiments on digits are made of: made-up images, missing files, recorded kernels, and comparisons of seeds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from made_up import made_up, made_up_data
from scipy import stats

from gatefield import UserError, experiments
from gatefield.dynamics import Training
from gatefield.experiments.deep.digits.kernels import Probe, by_gates, paths, tangent
from gatefield.experiments.deep.digits.pair import Digits, PairSettings
from gatefield.experiments.deep.digits.verdicts import exceeds, falls, ridge_is_small, smaller_nu
from gatefield.experiments.deep.gates_lottery import Settings as LotterySettings
from gatefield.experiments.deep.mnist_galu import Settings
from gatefield.lab import MemoryBench
from gatefield.lab.parameters import resolve
from gatefield.nets import DeepGated

X = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
SMALL = {"width": 4, "depth": 3, "kernel_samples": 6, "seeds": 2}


def test_made_up_images_are_ten_classes_that_differ_by_more_than_noise():
    one, again, other = made_up(3), made_up(3), made_up(4)
    np.testing.assert_array_equal(one.x, again.x)
    assert not np.array_equal(one.x, other.x)
    assert one.x.min() >= 0
    assert one.x.max() <= 1
    centres = np.stack([one.x[one.y == c].mean(0) for c in range(10)])
    nearest = np.argmin(((one.test_x[:, None] - centres) ** 2).sum(-1), axis=1)
    assert (nearest == one.test_y).mean() > 0.9


def test_without_mnist_the_way_out_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("GATEFIELD_DATA", str(tmp_path))
    with pytest.raises(
        UserError, match=r"The data set mnist is not in .*: run `gatefield data mnist` .* or set GATEFIELD_DATA"
    ) as caught:
        experiments.get("mnist-galu").simulate(Settings(), MemoryBench())
    assert "\n" not in str(caught.value)


def test_wrong_sizes_are_one_sentence():
    with pytest.raises(UserError, match="samples must be at most 60000, which is all of MNIST, but is 70000; give fewer"):
        resolve(experiments.get("mnist-galu"), "full", {"samples": 70_000})
    with pytest.raises(UserError, match="widths must have at least 1 value, but has 0"):
        resolve(experiments.get("mnist-galu"), "full", ["widths=[]"])


@pytest.mark.parametrize("gating", ["relu", "galu", "soft-relu", "soft-galu"])
def test_kernel_is_the_gram_matrix_of_all_that_is_trained(gating):
    net = DeepGated(4, [3, 3], gating=gating, key=jax.random.key(1))
    held = {"weights": net.weights} | ({"gating_weights": net.gating_weights} if gating == "soft-galu" else {})

    def gram(parts):
        return sum(np.einsum("sij,tij->st", *[np.asarray(one, float)] * 2) for one in jax.tree.leaves(parts))

    J = jax.jacobian(lambda parts: _with(net, parts)(jnp.asarray(X)))(held)
    np.testing.assert_allclose(tangent(net, X), gram(J), rtol=2e-5, atol=1e-6)
    if gating == "soft-galu":
        np.testing.assert_allclose(by_gates(net, X), gram(J["gating_weights"]), rtol=2e-5, atol=1e-6)


def _with(net, parts):
    copy = object.__new__(type(net))
    for name in net.__dataclass_fields__:
        object.__setattr__(copy, name, parts.get(name, getattr(net, name)))
    return copy


def test_recorded_kernel_gives_nu_by_solving():
    net = DeepGated(4, [6], gating="relu", key=jax.random.key(0))
    y = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    probe = Probe(X, y, 0.01)
    ((dims, triangle),) = probe.watch({"kernel": paths}).values()
    rows = np.asarray(triangle(net))
    assert dims == ("pair",)
    record = xr.Dataset({"kernel": (("seed", "step", "pair"), np.stack([rows, 2 * rows])[None])}, {"seed": [0], "step": [0, 5]})
    gates = (X @ np.asarray(net.weights[0]) > 0).astype(float)
    M = (X @ X.T).astype(float) * (gates @ gates.T)
    M /= np.trace(M)
    expected = y @ np.linalg.solve(M + 0.01 * np.eye(5) / 5, y)
    judged = probe.judge(record, "kernel")
    np.testing.assert_allclose(judged.nu, [[expected, expected]], rtol=1e-4)
    np.testing.assert_allclose(judged.trace[0, 1] / judged.trace[0, 0], 2.0)
    assert probe.triangle(paths) is triangle


def test_networks_of_a_seed_start_alike_and_gates_are_handed_on():
    with made_up_data():
        digits = Digits(PairSettings(**SMALL))
    relu = digits.net("relu")
    frozen = digits.net("galu", gates_from=relu, init=relu.weights)
    for one, other in zip(relu.weights, digits.net("galu").weights, strict=True):
        np.testing.assert_array_equal(one, other)
    x = jnp.asarray(digits.probe.x)
    np.testing.assert_array_equal(jax.vmap(lambda net: net(x))(relu), jax.vmap(lambda net: net(x))(frozen))
    assert sorted(digits.probe.y) == [-1] * 3 + [1] * 3


def test_lottery_trains_learned_and_unlearned_gates_from_the_same_fresh_weights():
    seen = {}

    class Stop(Exception):
        pass

    class Watching:
        def train(self, part, net, task, *, observe, steps, **_):
            seen[part] = net
            if part == "learned":
                raise Stop
            kernel = np.stack([np.asarray(jax.vmap(observe["kernel"][1])(net))] * 2, axis=1)
            values = {name: (("run", "step"), np.ones((2, 2))) for name in ("loss", "test_accuracy")}
            return Training(net, xr.Dataset({**values, "kernel": (("run", "step", "pair"), kernel)}, {"step": [0, steps]}))

    with made_up_data(), pytest.raises(Stop):
        experiments.get("gates-lottery").simulate(LotterySettings(**SMALL), Watching())
    relu, unlearned, learned = (seen[name] for name in ("relu", "unlearned", "learned"))
    np.testing.assert_array_equal(learned.weights[0], unlearned.weights[0])
    np.testing.assert_array_equal(learned.gating_weights[0], relu.weights[0])
    assert not np.array_equal(learned.weights[0], relu.weights[0])
    assert not np.array_equal(unlearned.gating_weights[0], relu.weights[0])


def test_difference_of_seeds_is_judged_by_a_paired_t_test():
    rng = np.random.default_rng(5)
    for shift in (0.2, 0.6, 1.0, 2.0):
        low, high = rng.normal(size=5), rng.normal(size=5) + shift
        verdict = exceeds("c", xr.DataArray(high, dims="seed"), xr.DataArray(low, dims="seed"), note="")
        assert verdict.holds == (stats.ttest_rel(high, low, alternative="greater").pvalue < 0.05)


def test_nu_is_compared_after_the_start_and_over_training():
    nu = xr.DataArray([[9.0, 4.0, 3.0], [9.0, 5.0, 2.0]], dims=("seed", "step"))
    other = xr.DataArray([[8.0, 6.0, 5.0], [8.0, 6.0, 5.0]], dims=("seed", "step"))
    assert smaller_nu("c", nu, other).measured == pytest.approx(4.5 / 6)
    assert not smaller_nu("c", other, nu).holds
    assert falls("c", nu).measured == pytest.approx(1 / 3)
    assert ridge_is_small(nu, 1e-8).holds
    assert not ridge_is_small(1e-5 * nu, 1e-8).holds
