"""Tasks side by side: order, errors, and BLAS as it was before."""

import numpy as np
import pytest
import threadpoolctl

from gatefield import kernels
from gatefield.kernels import threads
from gatefield.kernels.threads import side_by_side


def blas_threads():
    return {pool["filepath"]: pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"}


def test_results_come_in_order_and_blas_keeps_its_threads(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 2)
    before, inside = blas_threads(), []
    found = side_by_side([lambda i=i: inside.append(set(blas_threads().values())) or i for i in range(5)], 1e9)
    assert found == list(range(5))
    assert all(threads == {1} for threads in inside)
    assert blas_threads() == before


def test_an_error_in_a_task_is_raised_and_blas_is_set_back(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 2)
    before = blas_threads()
    with pytest.raises(ZeroDivisionError):
        side_by_side([lambda: 1, lambda: 1 // 0], 1e9)
    assert blas_threads() == before


@pytest.mark.parametrize("samples", [200, 600])
def test_large_kernels_by_layer_and_by_strip_are_the_plain_sum(samples, monkeypatch):
    """Two outputs; the sum over layers of the products of Gram matrices, as written."""
    monkeypatch.setattr(threads, "cores", lambda: 2)
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=s) / np.sqrt(s[0]) for s in ((30, 40), (40, 50), (50, 2))]
    gates = [rng.integers(0, 2, (samples, w)).astype(float) for w in (40, 50)]
    x = rng.normal(size=(samples, 30))
    z1 = gates[0] * (x @ weights[0])
    z2 = gates[1] * (z1 @ weights[1])
    expected = 2 * z2 @ z2.T
    for out in range(2):
        b2 = gates[1] * weights[2][:, out]
        b1 = gates[0] * (b2 @ weights[1].T)
        expected += (x @ x.T) * (b1 @ b1.T) + (z1 @ z1.T) * (b2 @ b2.T)
    np.testing.assert_allclose(kernels.ntk(weights, gates, x), expected, rtol=1e-12, atol=1e-12)
