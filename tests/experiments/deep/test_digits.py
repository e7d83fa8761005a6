"""What the experiments on digits are made of: images, networks, recorded kernels, and comparisons of seeds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from digit_records import SMALL, assert_judged
from made_up import made_up, made_up_data
from scipy import stats

from gatefield.experiments.by_seed import spread
from gatefield.experiments.deep.digits.images import DigitSettings, images, two_digits
from gatefield.experiments.deep.digits.kernels import Probe, by_gates, paths, probe
from gatefield.experiments.deep.digits.pair import Digits, PairSettings
from gatefield.experiments.deep.digits.verdicts import falls, smaller_nu
from gatefield.experiments.starts import seed_keys
from gatefield.kernels import tangent_kernel
from gatefield.lab import exceeds
from gatefield.nets import DeepGated

X = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)


def test_made_up_images_are_ten_classes_that_differ_by_more_than_noise():
    one, again, other = made_up(3), made_up(3), made_up(4)
    np.testing.assert_array_equal(one.x, again.x)
    assert not np.array_equal(one.x, other.x)
    assert one.x.min() >= 0
    assert one.x.max() <= 1
    centres = np.stack([one.x[one.y == c].mean(0) for c in range(10)])
    nearest = np.argmin(((one.test_x[:, None] - centres) ** 2).sum(-1), axis=1)
    assert (nearest == one.test_y).mean() > 0.9


def test_fours_are_minus_one_and_sevens_one():
    with made_up_data() as whole:
        pair = two_digits(DigitSettings())
    for digit, label in ((4, -1), (7, 1)):
        np.testing.assert_array_equal(pair.x[pair.y == label], whole.x[whole.y == digit])
        np.testing.assert_array_equal(pair.test_x[pair.test_y == label], whole.test_x[whole.test_y == digit])
    assert set(np.unique(pair.y)) == {-1, 1}


def test_images_are_at_most_as_many_as_are_asked_for():
    with made_up_data() as whole:
        sizes = [[len(some(DigitSettings(samples=size)).y) for size in (600, 599, 50)] for some in (images, two_digits)]
        assert images(DigitSettings(samples=600)) is whole
    assert sizes == [[600, 599, 50], [120, 120, 50]]


def test_each_seed_has_a_key_for_its_networks_and_one_for_its_batches():
    nets, batches = (jax.random.key_data(keys) for keys in seed_keys(DigitSettings(seeds=3, seed=5)))
    assert len(np.unique(np.concatenate([nets, batches]), axis=0)) == 6
    more, _ = (jax.random.key_data(keys) for keys in seed_keys(DigitSettings(seeds=3, seed=6)))
    assert not np.array_equal(more, nets)


@pytest.mark.parametrize("gating", ["relu", "galu", "soft-relu", "soft-galu"])
def test_kernel_is_the_gram_matrix_of_all_that_is_trained(gating):
    net = DeepGated(4, [3, 3], gating=gating, key=jax.random.key(1))
    held = {"weights": net.weights} | ({"gating_weights": net.gating_weights} if gating == "soft-galu" else {})

    def gram(parts):
        return sum(np.einsum("sij,tij->st", *[np.asarray(one, float)] * 2) for one in jax.tree.leaves(parts))

    J = jax.jacobian(lambda parts: _with(net, parts)(jnp.asarray(X)))(held)
    np.testing.assert_allclose(tangent_kernel(net, X), gram(J), rtol=2e-5, atol=1e-6)
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
    samples = Probe(X, y, 0.01)
    ((dims, triangle),) = samples.watch({"kernel": paths}).values()
    rows = np.asarray(triangle(net))
    assert dims == ("pair",)
    judged = samples.judge(xr.DataArray(np.stack([rows, 2 * rows])[None], dims=("seed", "step", "pair")))
    gates = (X @ np.asarray(net.weights[0]) > 0).astype(float)
    M = (X @ X.T).astype(float) * (gates @ gates.T)
    M /= np.trace(M)
    expected = y @ np.linalg.solve(M + 0.01 * np.eye(5) / 5, y)
    found = {name: values for name, (dims, values) in judged.items() if dims == ("seed", "step")}
    np.testing.assert_allclose(found["nu"], [[expected, expected]], rtol=1e-4)
    np.testing.assert_allclose(found["trace"][0, 1] / found["trace"][0, 0], 2.0)
    np.testing.assert_allclose(found["least"], 5 * np.linalg.eigvalsh(M)[0] * np.ones((1, 2)), rtol=1e-3, atol=1e-6)
    assert samples.triangle(paths) is triangle


def test_eigenvalues_that_rounding_makes_negative_count_as_zero():
    """K = diag(1, -0.001): with trace one and ridge r of the mean eigenvalue, nu = 1/(1 + r/2) + 1/(r/2)."""
    judged = Probe(X[:2], np.ones(2), 0.2).judge(xr.DataArray([[[1.0, 0.0, -0.001]]], dims=("seed", "step", "pair")))
    np.testing.assert_allclose(judged["nu"][1], [[1 / 1.1 + 1 / 0.1]])
    np.testing.assert_allclose(judged["least"][1], [[-0.002 / 0.999]])


def test_kernels_are_seen_on_as_many_images_of_each_label():
    with made_up_data():
        pair = two_digits(DigitSettings())
    some, again, other = (probe(pair, 10, 0.5, seed) for seed in (1, 1, 2))
    assert [probe(pair, 10, 0.5, seed).y.sum() for seed in range(8)] == [0] * 8
    assert some.ridge == 0.5
    np.testing.assert_array_equal(some.x, again.x)
    assert not np.array_equal(some.x, other.x)


def test_networks_of_a_seed_start_alike():
    with made_up_data():
        digits = Digits(PairSettings(**SMALL))
    relu, galu = digits.net("relu"), digits.net("galu")
    assert relu.widths == (4, 4)
    for one, other in zip(relu.weights, galu.weights, strict=True):
        np.testing.assert_array_equal(one, other)
        assert not np.array_equal(one[0], one[1])


def test_difference_of_seeds_is_judged_by_a_paired_t_test():
    rng = np.random.default_rng(5)
    for shift in (0.2, 0.6, 1.0, 2.0):
        low, high = rng.normal(size=5), rng.normal(size=5) + shift
        verdict = exceeds("c", xr.DataArray(high, dims="seed"), xr.DataArray(low, dims="seed"), note="")
        assert verdict.holds == (stats.ttest_rel(high, low, alternative="greater").pvalue < 0.05)


def test_difference_of_one_seed_decides_nothing():
    one, other = xr.DataArray([0.6], dims="seed"), xr.DataArray([0.5], dims="seed")
    assert_judged(exceeds("c", one, other, note="n", scale=100), 10, "not decided")
    assert_judged(exceeds("c", other, one, note="n"), -0.1, "not decided")
    note = "needs seeds of at least 2, has 1; run with --set seeds=2; n"
    assert exceeds("c", one, other, note="n").note == note
    assert spread(one, 100) == "60.00 ± 0.00"
    nu = xr.DataArray([[9.0, 4.0, 3.0]], dims=("seed", "step"))
    assert_judged(smaller_nu("c", nu, 2 * nu[:, ::-1]), np.log10(2.0), "not decided")


def test_nu_must_be_smaller_at_all_records_after_the_start():
    nu = xr.DataArray([[9.0, 4.0, 3.0], [9.0, 5.0, 2.0]], dims=("seed", "step"))
    other = xr.DataArray([[8.0, 400.0, 5.0], [8.0, 500.0, 5.0]], dims=("seed", "step"))
    found = smaller_nu("c", nu, other)
    assert_judged(found, np.log10([5 / 3, 5 / 2]).mean(), "not decided")
    assert found.note.startswith("at the end 2.5 (seeds 2 to 3) against 5 (seeds 5 to 5)")
    nu[:, 2] = [0.05, 0.06]
    other[:, 1] = [3.9, 4.876]
    assert_judged(smaller_nu("c", nu, other), np.log10([3.9 / 4, 4.876 / 5]).mean(), "refuted")


def test_nu_must_fall_seed_by_seed():
    nu = xr.DataArray([[9.0, 10.0, 4.5], [9.0, 9.0, 4.0]], dims=("seed", "step"))
    found = falls("c", nu)
    assert_judged(found, np.log10([2.0, 2.25]).mean(), "confirmed")
    assert found.note.startswith("ν from 9 (seeds 9 to 9) to 4.25 (seeds 4 to 4.5)")
    nu[:, 2] = [9.1, 9.0]
    assert_judged(falls("c", nu), np.log10([9 / 9.1, 1]).mean(), "not decided")


def test_a_small_ridge_leaves_nu_as_it_is():
    """Of a kernel whose smallest eigenvalue is a hundred times the ridge: less than one percent."""
    rng = np.random.default_rng(0)
    vectors, y = np.linalg.qr(rng.normal(size=(5, 5)))[0], np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    K = (vectors * [1e-2, 0.5, 1.0, 1.5, 2.0]) @ vectors.T
    rows = xr.DataArray(K[np.triu_indices(5)][None, None], dims=("seed", "step", "pair"))
    found = Probe(X, y, 1e-4 * 5 / np.trace(K)).judge(rows)["nu"][1]
    np.testing.assert_allclose(found, [[y @ np.linalg.solve(K / np.trace(K), y)]], rtol=0.01)
