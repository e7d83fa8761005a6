"""Pure functions of `kernel-concentration`, `linear-depth`, `hard-pair` and `galu-and-relu-depth`, by independent routes."""

import numpy as np
import xarray as xr

from gatefield import experiments
from gatefield.experiments.deep import descent as deep
from gatefield.experiments.deep.galu_and_relu_depth.simulate import Settings as GaluSettings
from gatefield.experiments.deep.galu_and_relu_depth.simulate import _case as galu_case
from gatefield.experiments.deep.hard_pair import BEST, PLACE, _losses
from gatefield.experiments.deep.kernel_concentration.simulate import _estimates
from gatefield.experiments.deep.kernel_concentration.verdicts import leading_order
from gatefield.experiments.deep.linear_depth.simulate import _vectors
from gatefield.kernels import ntk, random_gate_moments
from gatefield.lab import MemoryBench


def test_leading_order_is_the_limit_of_the_exact_variance():
    w = 10**7
    for d in (3, 6, 11):
        for kurtosis in (1.0, 3.0):
            exact = random_gate_moments(d, w, 1.0, w**-0.5, kurtosis).self_variance
            np.testing.assert_allclose(exact * w, leading_order(np.array(d), kurtosis), rtol=1e-4)


def test_errors_of_moments_cover():
    draws = np.random.default_rng(0).exponential(size=(400, 500))
    found, error = _estimates(draws)
    for moment in range(2):
        z = (found[:, moment] - 1.0) / error[:, moment]
        assert np.mean(abs(z) < 2) > 0.85  # 0.95 for large samples; the variance of a skewed law covers a little less


def test_least_loss_of_the_pair():
    y = np.linspace(-2, 2, 40_001)
    loss = (y - 1) ** 2 + (2 * y + 1) ** 2
    np.testing.assert_allclose([loss.min(), y[loss.argmin()]], [BEST, PLACE], atol=1e-7)
    assert _losses(np.array([[np.nan, 1.0], [2.0, 1.0]])).tolist() == [np.inf, 5.0]


def test_kernel_of_a_linear_network_from_its_vectors():
    rng, depth, width = np.random.default_rng(5), 4, 6
    layers = deep.draw(rng, "signs", width**-0.5, depth, width)
    batch = [np.array(w.reshape(-1, width) if i < depth - 1 else w[:, None])[None] for i, w in enumerate(layers.listed())]
    forward, backward = _vectors(batch)
    kernel = sum(float((z**2).sum() * (b**2).sum()) for z, b in zip(forward, backward, strict=True))
    np.testing.assert_allclose(kernel, ntk(layers.listed(), [np.ones(width)] * 3, [[1.0]])[0, 0])


def test_linear_depth_record_agrees_with_descent():
    p = experiments.get("linear-depth").Parameters(width=6, depths=(2, 4), runs=2, steps=10)
    record = experiments.get("linear-depth").simulate(p, MemoryBench())
    rng = np.random.default_rng([p.seed, 4, 0])
    many = deep.stacked([deep.draw(rng, "signs", 6**-0.5, 4, 6) for _ in range(2)])
    ones = np.ones((2, 3, 1, 6))
    found = deep.descend(many, np.ones((2, 1, 1)), np.ones((2, 1)), np.full(2, 0.1 / 4), gates=ones, steps=10, record_every=1)
    expected = xr.DataArray(found.ratio**2, dims=("run", "step"))
    np.testing.assert_allclose(record.squared_error.sel(depth=4).transpose("run", "step"), expected, rtol=1e-9)


def test_signs_with_two_inputs_leave_rank_six():
    p = GaluSettings(samples=40, width=30)
    for net in ("GaLU", "ReLU"):
        for law, expected in (("signs", 6), ("gaussian", 20)):
            layers, gates, x, _ = galu_case(p, net, law, 2, 0)
            rank = np.linalg.matrix_rank(ntk(layers.listed(), list(gates), x), tol=1e-9)
            assert rank == expected if law == "signs" else rank > expected
