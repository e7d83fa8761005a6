"""Gate stability against orthant probabilities, enumeration and sampling in NumPy."""

import itertools
import json
from pathlib import Path

import jax
import numpy as np
import pytest
import xarray as xr

from gatefield import Task, UserError
from gatefield.data import Elliptical, Gaussian, GaussianClone, Hypercube, NonlinearGP, SinglePulse
from gatefield.ledger.routes.gaussian import agreement
from gatefield.measures import gate_stability

RNG = np.random.default_rng(0)
BEFORE = RNG.normal(size=(3, 6))
AFTER = BEFORE + 0.7 * RNG.normal(size=(3, 6))
KEY = jax.random.key(0)


def by_orthants(cov):
    """Twice the probability that both projections are negative."""
    return [agreement(w, v, cov) for w, v in zip(BEFORE, AFTER, strict=True)]


@pytest.mark.parametrize(
    "source",
    [Gaussian(6, 1.5), Gaussian(6, 1.5, boundary="line"), GaussianClone(Hypercube(6, 1.5)), NonlinearGP(6, 1.5, 0.0)],
    ids=["gaussian", "line", "clone", "gain-zero"],
)
def test_gaussian_sources_are_exact(source):
    found = gate_stability(BEFORE, AFTER, source, with_error=True)
    np.testing.assert_allclose(found.value, by_orthants(source.covariance()), atol=1e-7)
    np.testing.assert_array_equal(found.error, 0)
    assert found.method == "closed form"


def test_reference_value():
    values = json.loads((Path(__file__).parent.parent / "reference" / "values.json").read_text())["values"]
    case = next(value for value in values if value["name"] == "gate_agreement_w1_w2_S1")
    row, W = np.array(case["inputs"]["Sigma1_first_row"]), np.array(case["inputs"]["W"])
    cov = np.array([np.roll(row, i) for i in range(4)])
    root = np.linalg.cholesky(cov)
    white = Gaussian(4, 0.05)  # so short a length scale that its covariance is the identity
    assert gate_stability(W[0] @ root, W[1] @ root, white) == pytest.approx(case["expected"], rel=1e-9)


def test_elliptical_sources_have_the_gaussian_value():
    source = Elliptical(6, 1.5, "sphere")
    found = gate_stability(BEFORE, AFTER, source)
    x = np.asarray(source.sample(KEY, 100_000), float)
    same = (x @ BEFORE.T > 0) == (x @ AFTER.T > 0)
    np.testing.assert_allclose(found, same.mean(0), atol=4.5 * 0.5 / np.sqrt(100_000))


def test_sampling_agrees_with_enumeration():
    """On independent signs; fields of whole numbers, so that some inputs lie on the edge of a gate and count one half."""
    before = np.array([[1.0, 1, 1, 1, 0, 0], [3.0, 2, 1, 0, 0, 0], [1.0, 1, 1, 1, 1, 1]])
    after = np.array([[1.0, 1, 1, 0, 0, 0], [3.0, 2, 1, 0, 0, 1], [1.0, 1, 1, 1, 1, 1]])
    x = np.array(list(itertools.product((-1, 1), repeat=6)))
    half = [(np.sign(x @ W.T) + 1) / 2 for W in (before, after)]
    exact = (1 - np.abs(half[0] - half[1])).mean(0)
    found = gate_stability(before, after, Hypercube(6, 0.05), key=KEY, samples=40_000, with_error=True)
    assert exact[2] == found.value[2] == 1
    assert (np.abs(found.value - exact) <= 4 * found.error).all()
    assert (found.error < 0.003).all()
    assert (found.method, found.standard_errors) == ("40000 samples", 4.0)


def test_nearly_gaussian_data_are_sampled_and_agree():
    source = NonlinearGP(6, 1.5, 0.01)
    found = gate_stability(BEFORE, AFTER, source, key=KEY, with_error=True)
    assert (found.error > 0).all()
    assert found.agrees(np.array(by_orthants(source.covariance()))).all()


def test_a_mean_that_is_not_zero_is_not_forgotten():
    clone = GaussianClone(SinglePulse(6, widths=(1, 3)))
    mean, cov = clone.mean(), clone.covariance()
    assert np.abs(mean).max() > 0.1
    found = gate_stability(BEFORE, AFTER, clone, key=KEY, with_error=True)
    x = np.random.default_rng(1).multivariate_normal(mean, cov, size=200_000)
    same = ((x @ BEFORE.T > 0) == (x @ AFTER.T > 0)).mean(0)
    assert (np.abs(found.value - same) <= 4 * np.sqrt(found.error**2 + same * (1 - same) / 200_000)).all()


def test_a_task_is_the_average_over_its_classes():
    one, zero = Gaussian(6, 2.0), Gaussian(6, 0.5)
    exact = [gate_stability(BEFORE, AFTER, source) for source in (one, zero)]
    np.testing.assert_allclose(gate_stability(BEFORE, AFTER, Task(one, zero)), np.mean(exact, axis=0))
    uneven = gate_stability(BEFORE, AFTER, Task(one, zero, proportion=0.2))
    np.testing.assert_allclose(uneven, 0.2 * exact[0] + 0.8 * exact[1])
    mixed = gate_stability(BEFORE, AFTER, Task(one, NonlinearGP(6, 0.5, 0.01)), key=KEY, with_error=True)
    assert mixed.agrees(np.mean(exact, axis=0)).all()


def test_the_error_of_a_task_is_that_of_independent_classes():
    """The share-weighted mean of two independent means: over many keys it spreads by what is stated; and by hand."""
    classes, samples = [Hypercube(6, 0.8), NonlinearGP(6, 1.5, 3.0)], 400
    task = Task(*classes, proportion=0.3)
    found = gate_stability(BEFORE, AFTER, task, key=KEY, samples=samples, with_error=True)
    assert found.method == "400 samples"
    shares = [gate_stability(BEFORE, AFTER, source, key=KEY, samples=100_000) for source in classes]
    expected = np.sqrt(sum((share * np.sqrt(p * (1 - p) / samples)) ** 2 for share, p in zip((0.3, 0.7), shares, strict=True)))
    np.testing.assert_allclose(found.error, expected, rtol=0.1)
    many = [gate_stability(BEFORE, AFTER, task, key=k, samples=samples) for k in jax.random.split(KEY, 200)]
    np.testing.assert_allclose(np.std(many, axis=0), expected, rtol=0.2)


def test_labels_are_kept():
    fields = xr.DataArray(
        np.stack([BEFORE, AFTER, BEFORE - AFTER]),
        dims=("step", "unit", "position"),
        coords={"step": [0, 10, 20], "time": ("step", [0.0, 0.5, 1.0]), "unit": [4, 5, 6]},
    )
    source = Gaussian(6, 1.5)
    found = gate_stability(fields.isel(step=slice(-1)), fields.isel(step=slice(1, None)), source)
    assert found.dims == ("step", "unit")
    assert found.step.values.tolist() == [0, 10]
    assert found.time.values.tolist() == [0.0, 0.5]
    np.testing.assert_array_equal(found, gate_stability(fields.values[:-1], fields.values[1:], source))
    turned = gate_stability(
        fields.isel(step=0).T, fields.isel(step=1).T, Hypercube(6, 1.0), key=KEY, samples=50, with_error=True
    )
    assert turned.value.dims == turned.error.dims == ("unit",)
    np.testing.assert_array_equal(turned.value, gate_stability(BEFORE, AFTER, Hypercube(6, 1.0), key=KEY, samples=50))
    with pytest.raises(UserError, match="W_t and W_next do not fit each other; select the same from both"):
        gate_stability(fields.isel(step=slice(-1)), fields, source)


def test_many_runs_and_shapes():
    before, after = np.stack([BEFORE, AFTER]), np.stack([AFTER, BEFORE])
    exact = gate_stability(before, after, Gaussian(6, [2.0, 0.5]))
    assert exact.shape == (2, 3)
    np.testing.assert_allclose(exact[1], gate_stability(AFTER, BEFORE, Gaussian(6, 0.5)))
    sampled = gate_stability(before, after, NonlinearGP(6, [2.0, 0.5], 0.01), key=KEY, samples=20_000)
    np.testing.assert_allclose(sampled, exact, atol=4.5 * 0.5 / np.sqrt(20_000))
    assert gate_stability(BEFORE[0], AFTER[0], Gaussian(6, 2.0)).shape == ()
    np.testing.assert_allclose(gate_stability(BEFORE[0], AFTER, Gaussian(6, 2.0))[0], exact[0, 0])


def test_same_and_opposite_and_zero_fields():
    source = Gaussian(6, 1.0)
    np.testing.assert_allclose(gate_stability(BEFORE, 3 * BEFORE, source), 1, atol=1e-7)
    np.testing.assert_allclose(gate_stability(BEFORE, -BEFORE, source), 0, atol=1e-7)
    dead = BEFORE * np.array([[1.0], [0.0], [1.0]])
    for law, how in ((source, {}), (Hypercube(6, 1.0), {"key": KEY, "samples": 100})):
        np.testing.assert_array_equal(np.isnan(gate_stability(dead, AFTER, law, **how)), [False, True, False])


def test_works_under_jit():
    source = Gaussian(6, 1.5)
    found = jax.jit(lambda a, b: gate_stability(a, b, source))(BEFORE, AFTER)
    np.testing.assert_allclose(found, gate_stability(BEFORE, AFTER, source), atol=1e-5)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((BEFORE, AFTER, Hypercube(6, 1.0)), r"The gates on Hypercube inputs must be sampled, .* give key=jax.random.key\(0\)"),
        (
            (BEFORE, AFTER, Gaussian(7, 1.0)),
            r"Fields must have 7 sites, .* have shapes \(3, 6\) and \(3, 6\); give .* \(7,\)",
        ),
        ((BEFORE, AFTER, Gaussian(6, [1.0, 2.0])), r"The source stands for 2 runs.*; write W_t\[None\] and W_next\[None\]"),
        (
            (BEFORE, AFTER, "gaussian"),
            r"source must be a source or .*; write for instance source=Gaussian\(6, xi=2.0\)",
        ),
    ],
)
def test_what_is_refused(arguments, text):
    with pytest.raises(UserError, match=text):
        gate_stability(*arguments)
