"""Descent, recursion and comparison of means, by independent routes."""

import numpy as np
import pytest
import xarray as xr

from gatefield import UserError
from gatefield.core.intervals import against_table
from gatefield.experiments.deep import descent as deep
from gatefield.experiments.deep.depth_spectrum.simulate import Settings
from gatefield.experiments.deep.depth_spectrum.verdicts import ideal, ideal_ratio
from gatefield.experiments.deep.galu_and_relu_depth.verdicts import table_row as galu_row
from gatefield.kernels import ntk

RNG = np.random.default_rng(3)
X = RNG.normal(size=(2, 3, 2))
Y = RNG.normal(size=(2, 3))


def _networks():
    return [deep.draw(RNG, "gaussian", 0.5, depth=4, width=5, inputs=2) for _ in range(2)]


def _one_step(layers, gate, x, y, rate):
    """A step on half the squared error whose slope is found by differences; `gate` gives all gates of given weights."""

    def loss(at):
        return 0.5 * ((deep.outputs(at, gate(at), x) - y) ** 2).sum()

    moved = deep.Layers(*(w.copy() for w in layers))
    for k, w in enumerate(layers):
        for at in np.ndindex(w.shape):
            ends = []
            for sign in (1, -1):
                other = deep.Layers(*(v.copy() for v in layers))
                other[k][at] += sign * 1e-6
                ends.append(loss(other))
            moved[k][at] -= rate * (ends[0] - ends[1]) / 2e-6
    return deep.outputs(moved, gate(moved), x) - y


@pytest.mark.parametrize("kind", ["given", "hard", "soft"])
def test_descent_takes_the_step_that_differences_give(kind):
    many, rates, soft = _networks(), np.array([0.1, 0.02]), deep.Soft(4.0, 0.1) if kind == "soft" else None
    gates = [deep.random_gates(RNG, 0.6, 4, 3, 5) for _ in many]
    found = deep.descend(
        deep.stacked(many), X, Y, rates, gates=np.stack(gates) if kind == "given" else None, soft=soft, steps=1, record_every=1
    )
    for run, layers in enumerate(many):
        x = X[run]
        gate = (lambda _, run=run: gates[run]) if kind == "given" else (lambda at, x=x: deep.own_gates(at, x, soft))
        np.testing.assert_allclose(found.errors[run, 0], deep.outputs(layers, gate(layers), x) - Y[run], atol=1e-12)
        np.testing.assert_allclose(found.errors[run, 1], _one_step(layers, gate, x, Y[run], rates[run]), atol=1e-8)


def test_recursion_is_slow_descent():
    layers, gates = _networks()[0], deep.random_gates(RNG, 0.8, 4, 3, 5)
    kernel, error = np.asarray(ntk(layers.listed(), list(gates), X[0])), RNG.normal(size=3)
    values, ratio = deep.recursion(kernel, error, 0.5, [0, 1, 7])
    step = np.eye(3) - 0.5 / np.linalg.norm(kernel, 2) * kernel
    expected = [np.linalg.norm(np.linalg.matrix_power(step, t) @ error) for t in (0, 1, 7)] / np.linalg.norm(error)
    np.testing.assert_allclose(ratio, expected, rtol=1e-9)
    np.testing.assert_allclose(values.sum(), np.trace(kernel))


def test_ideal_spectrum_and_error():
    d, n, mu = 5, 7, 0.3
    kernel = np.full((n, n), mu ** (d - 1)) + (1 - mu ** (d - 1)) * np.eye(n)
    values = np.linalg.eigvalsh(kernel)
    np.testing.assert_allclose(ideal(np.array(d), n, mu), [values[0], values[-1]])
    squares = [deep.recursion(kernel, error, 0.1, [30])[1] ** 2 for error in np.eye(n)]
    np.testing.assert_allclose(ideal_ratio(np.array(d), n, mu, 0.1, 30), np.sqrt(np.mean(squares)))


def test_a_diverged_run_has_an_infinite_ratio():
    ended = deep.Descent(_networks()[0], np.array([[[3.0, 4.0], [np.nan, 1.0]]]))
    assert ended.ratio.tolist() == [[1.0, np.inf]]


def test_comparison_allows_for_rounding_and_bounds():
    values = np.array([[0.1, 0.3], [1e-7, 3e-7], [2.0, 2.0]])
    assert against_table(values, ["0.2", "<1e-5", "2.0"], 5).distance == 0
    assert against_table(values, ["0.2", "<1e-8", "2.0"], 5).at == 1
    off = against_table(values, ["0.2", "<1e-5", "2.2"], 5)
    assert off.at == 2
    assert not off.holds


def test_comparison_rarely_fails_for_means_of_one_law():
    draws = RNG.normal(size=(300, 7, 5))
    other = RNG.normal(size=(300, 7, 20)).mean(-1)
    fails = [not against_table(a, [f"{m:.9f}" for m in b], 20).holds for a, b in zip(draws, other, strict=True)]
    assert np.mean(fails) < 0.02  # 0.001 by design


def test_depths_must_increase():
    with pytest.raises(ValueError, match="depths must be two or more increasing whole numbers, but are"):
        Settings(depths=(4, 2))
    with pytest.raises(UserError, match=r"Unknown law of weights 'normal'"):
        deep.draw(RNG, "normal", 1.0, 3, 2)


def test_the_table_of_galu_and_relu_is_found_in_a_record_that_says_more_of_itself():
    attrs = {"samples": 100, "width": 100, "rate": 0.1, "experiment": "galu-and-relu-depth"}
    record = xr.Dataset(coords={"step": [0, 300], "depth": [2, 8]}, attrs=attrs)
    assert galu_row(record, "GaLU") == {2: ".957", 8: ".786"}
    assert galu_row(record.assign_attrs(width=50), "GaLU") == {}
    assert galu_row(record.isel(step=[0]), "GaLU") == {}
