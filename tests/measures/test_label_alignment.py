"""Label alignment, spectra and active gates against elimination, closed forms and stored values."""

import itertools
import json
from pathlib import Path

import jax
import numpy as np
import pytest

from gatefield import UserError, kernels, measures
from gatefield.ledger.routes import labels, paths

REFERENCE = json.loads((Path(__file__).parent.parent / "reference" / "values.json").read_text())["values"]


def reference(name):
    return next(value["expected"] for value in REFERENCE if value["name"] == name)


def ideal(depth, samples=200, mu=0.5):
    cross = mu ** (depth - 1)
    return (1 - cross) * np.eye(samples) + cross


def test_alignment_by_elimination():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(2, 12, 15))
    K, y = half @ half.swapaxes(1, 2), rng.normal(size=12)
    expected = [labels.nu(k, y, ridge=1e-3) for k in K]
    np.testing.assert_allclose(measures.label_alignment(K, y, ridge=1e-3), expected, rtol=1e-9)
    np.testing.assert_allclose(measures.alignment_ridge(K, 1e-3), 1e-3 * np.trace(K, axis1=1, axis2=2) / 12)
    np.testing.assert_allclose(jax.jit(measures.label_alignment)(K, y, 1e-3), expected, rtol=1e-2)


def test_alignment_of_the_identity():
    y = np.where(np.arange(200) % 3, 1, -1)
    assert measures.label_alignment(np.eye(200) / 200, y, 0.0) == pytest.approx(reference("nu_identity"), abs=1e-9)


def test_derivative_of_the_alignment_for_repeated_eigenvalues():
    rng, n, ridge, y = np.random.default_rng(0), 4, 1e-3, np.array([1.0, -1.0, 1.0, 1.0])
    half, change = rng.normal(size=(2, n, n))
    with jax.enable_x64(True):
        slope = jax.jit(jax.grad(lambda K: measures.label_alignment(K, y, ridge)))
        both = jax.jit(lambda K: jax.jvp(slope, (K,), (change,)))
        for K in (np.eye(n) / n, np.eye(n) + 0.1, np.ones((n, n)), half @ half.T):
            inverse = np.linalg.inv(K + ridge * np.trace(K) / n * np.eye(n))
            u, moved = inverse @ y, (change + change.T) / 2 + ridge * np.trace(change) / n * np.eye(n)
            first, second = (np.asarray(found) for found in both(K))
            np.testing.assert_allclose(first, -np.outer(u, u) - u @ u * ridge / n * np.eye(n), rtol=1e-9)
            np.testing.assert_allclose(np.sum(second * change), 2 * u @ moved @ inverse @ moved @ u, rtol=1e-8)


def test_derivative_of_spectral_sums_that_end_at_a_gap():
    def sums(K):
        return measures.cumulative_spectrum(K)[np.array([6, 7])]

    first = jax.jacrev(sums)(np.float32(ideal(3, 8)))
    np.testing.assert_allclose(first, [np.eye(8) - 1 / 8, np.eye(8)], atol=1e-5)


@pytest.mark.wrong_types
def test_a_singular_kernel_needs_a_ridge():
    K = np.ones((4, 4))
    with pytest.raises(UserError, match="K is singular with ridge 0"):
        measures.label_alignment(K, np.ones(4), 0.0)
    assert measures.label_alignment(K, np.ones(4), 1e-8) == pytest.approx(1, rel=1e-6)
    with pytest.raises(UserError, match="K must have no negative eigenvalue, but has -4"):
        measures.label_alignment(-K, np.ones(4), 1e-8)
    with pytest.raises(UserError, match="K must be symmetric"):
        measures.label_alignment(np.triu(K), np.ones(4), 1e-8)
    with pytest.raises(UserError, match="ridge must be zero or more and finite, but is -1"):
        measures.label_alignment(K, np.ones(4), -1.0)
    with pytest.raises(UserError, match="one label for each of the 4 samples"):
        measures.label_alignment(K, np.ones(3), 1e-8)
    with pytest.raises(UserError, match=r"must have the shape \(samples, samples\), not \(4, 3\)"):
        measures.alignment_ridge(K[:, :3], 1e-8)


@pytest.mark.parametrize(("least", "refused"), [(1e-17, True), (3e-16, True), (1e-13, False)])
def test_a_nearly_singular_kernel_is_refused_without_a_ridge(least, refused):
    """Its least eigenvalue is positive, but so small that nothing is known of it."""
    K, y = np.diag([1.0, 0.5, least]), np.array([1.0, 1.0, 0.0])
    if refused:
        with pytest.raises(UserError, match=r"K is singular with ridge 0, .* give a larger one, such as ridge=1e-08"):
            measures.label_alignment(K, y, 0.0)
    else:
        assert measures.label_alignment(K, y, 0.0) == pytest.approx(3.0)
    assert measures.label_alignment(K, y, 1e-8) == pytest.approx(3.0, rel=1e-7)


@pytest.mark.parametrize("depth", [4, 8])
def test_spectrum_of_the_ideal_kernel(depth):
    sums, stored = measures.cumulative_spectrum(ideal(depth)), reference(f"eq5_eigs_d{depth}")
    found = {"rho_max": sums[-1] - sums[-2], "rho_min": sums[0], "cum100": sums[99], "cum199": sums[198], "total": sums[-1]}
    assert found == pytest.approx(stored, abs=1e-9)


@pytest.mark.parametrize("depth", [2, 8])
def test_error_recursion_with_the_ideal_kernel(depth):
    spectrum = np.diff(measures.cumulative_spectrum(ideal(depth)), prepend=0.0)
    shrunk = (1 - 0.1 * spectrum / spectrum[-1]) ** 200
    assert np.sqrt(shrunk.mean()) == pytest.approx(reference(f"ideal_conv_ratio_t100_d{depth}"), abs=1e-9)


def test_paths_of_a_gating_network_with_ties():
    gates = paths.tied_gates(3)
    total = np.prod([gate.sum(1) for gate in gates], axis=0)
    assert total.mean() == pytest.approx(reference("galu_lambda_self_ties_w3_d3"), abs=1e-12)
    np.testing.assert_array_equal(measures.subnetwork_sizes(gates)[0], total)
    np.testing.assert_array_equal(np.diag(kernels.path_overlap([gate[::50] for gate in gates])), total[::50])


@pytest.mark.parametrize("eps", [0.0, 0.1])
@pytest.mark.parametrize("active", [0.6, 0.9])
def test_active_gates_are_not_sensitive_at_the_threshold(eps, active):
    rng = np.random.default_rng(0)
    gating, x = [rng.normal(size=(3, 40)), rng.normal(size=(40, 30)) / 3], rng.normal(size=(50, 3))
    found = kernels.gate_sensitivity(gating, x, 4.0, eps)
    gates = paths.soft_gates(gating, x, 4.0, eps)
    bound = max(one.max() for one in found.sums)
    threshold = measures.sensitivity_threshold(active, 4.0, eps, bound)
    on = [np.asarray(mask) for mask in measures.active_gates(gates, active)]
    for least, expected in ((threshold, False), (0.02 * threshold, True)):
        moving = [np.asarray(mask) for mask in measures.sensitive_gates(found.gates, least)]
        assert any((a & s).any() for a, s in zip(on, moving, strict=True)) == expected


def test_the_threshold_of_sensitive_gates_vanishes_at_the_top_of_the_gate():
    """As tau_A tends to 1 + eps, tau_S does to 0, and below it is at most the distance times beta and the steepest sum."""
    for eps in (0.0, 0.1):
        away = np.array([0.1, 1e-3, 1e-6, 1e-9])
        found = np.array([measures.sensitivity_threshold(1 + eps - off, 4.0, eps, 2.0) for off in away])
        assert (found <= 8.0 * away * (1 + 1e-6)).all()
        np.testing.assert_allclose(found[2:] / away[2:], 8.0, rtol=1e-5)


def test_subnetwork_sizes_by_listing_paths():
    rng = np.random.default_rng(1)
    kinds = [rng.integers(0, 3, size=(4, w)) for w in (3, 4, 2)]  # 0 neither, 1 active, 2 sensitive
    active, sensitive = [k == 1 for k in kinds], [k == 2 for k in kinds]
    found = measures.subnetwork_sizes(active, sensitive, inputs=5)
    for s in range(4):
        listed = [sorted(p) for p in itertools.product(*(k[s] for k in kinds))]
        assert found[0][s] == 5 * listed.count([1, 1, 1])
        assert found[1][s] == 5 * listed.count([1, 1, 2])


@pytest.mark.parametrize("may_be_both", [False, True])
def test_path_shares_by_listing_paths(may_be_both):
    rng = np.random.default_rng(3)
    kinds = [
        rng.integers(0, 4 if may_be_both else 3, size=(5, w)) for w in (3, 4, 2)
    ]  # 0 neither, 1 active, 2 sensitive, 3 both
    active, sensitive = [k % 2 == 1 for k in kinds], [k >= 2 for k in kinds]
    found = measures.path_shares(active, sensitive)
    for s in range(5):
        listed = np.array(list(itertools.product(*(k[s] for k in kinds))))
        on, steep = listed % 2 == 1, listed >= 2
        others = np.stack([np.delete(on, at, 1).all(1) for at in range(3)], 1)
        expected = [on.all(1), (steep & others).any(1), on.all(1) & steep.any(1), steep.any(1)]
        np.testing.assert_allclose([share[s] for share in found[:4]], np.mean(expected, 1), atol=1e-15)
        np.testing.assert_allclose(found.layers[s], (steep & others).mean(0), atol=1e-15)
    counts = measures.subnetwork_sizes(active, sensitive)
    np.testing.assert_allclose(found.active, counts[0] / 24)
    np.testing.assert_allclose(found.layers.sum(1), counts[1] / 24, atol=1e-15)
    if not may_be_both:
        assert not found.both.any()
        np.testing.assert_allclose(found.sensitive, counts[1] / 24, atol=1e-15)


def test_path_shares_of_other_masks():
    with pytest.raises(UserError, match="2 layers of active gates need as many of sensitive ones, not 1"):
        measures.path_shares([np.ones((1, 2))] * 2, [np.ones((1, 2))])


def test_wrong_thresholds():
    with pytest.raises(UserError, match=r"active must be between \(1 \+ eps\)/2 = 0.55 and 1 \+ eps = 1.1, .* but is 0.3"):
        measures.sensitivity_threshold(0.3, 4.0, 0.1, 1.0)
    with pytest.raises(UserError, match="2 layers of active gates need as many of sensitive ones, not 1"):
        measures.subnetwork_sizes([np.ones((1, 2))] * 2, [np.ones((1, 2))])


@pytest.mark.parametrize("share", [0.5, 0.9, 0.97])
def test_carrying_share_by_adding_gate_after_gate(share):
    rng = np.random.default_rng(2)
    parts, by = ([rng.uniform(-0.1, 1.0, (5, w)) for w in (3, 7)] for _ in range(2))
    for rank, given in ((by, by), (parts, None)):
        pairs = sorted(zip(np.concatenate(rank, 1).ravel(), np.concatenate(parts, 1).ravel(), strict=True), reverse=True)
        sums = list(itertools.accumulate(c for _, c in pairs))
        count = next(k for k, total in enumerate(sums, 1) if total >= share * sums[-1])
        assert measures.carrying_share(parts, given, share) == pytest.approx(count / 50)


def test_carrying_share_of_parts_that_are_alike_and_of_none():
    assert measures.carrying_share([np.ones((2, 50))], share=0.9) == pytest.approx(0.9)
    assert np.isnan(measures.carrying_share([np.zeros((2, 3))]))
    with pytest.raises(UserError, match=r"by must have the shapes \[\(1, 2\)\] of the parts, not \[\(1, 3\)\]"):
        measures.carrying_share([np.ones((1, 2))], [np.ones((1, 3))])
    with pytest.raises(UserError, match="share must be strictly between 0 and 1, but is 1"):
        measures.carrying_share([np.ones((1, 2))], share=1.0)
