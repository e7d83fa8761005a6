"""What `gate-stability` reads off paths of fields."""

import jax
import numpy as np
import xarray as xr
from scipy import stats

from gatefield.data import NonlinearGP, Task
from gatefield.experiments.gates.gate_stability.paths import BATCH, SETTLED, follow, settling

N, SAMPLES = 6, 4_000
TASK = Task(NonlinearGP(N, 2.0, 3.0), NonlinearGP(N, 1.0, 3.0))


def test_follow_against_counting():
    """Two paths of more states than fit into a batch, on an independent sample."""
    steps = BATCH + 4
    ends = np.random.default_rng(0).normal(size=(2, 2, 1, 2, N))
    share = np.linspace(0.0, 1.0, steps)[:, None, None] ** 0.5
    paths = ((1 - share) * ends[0] + share * ends[1]).astype(np.float32)
    found = {name: values for name, (_, values) in follow(paths, TASK, jax.random.key(0), SAMPLES).items()}
    x = np.concatenate([source.sample(jax.random.key(7), 50_000) for source in (TASK.positive, TASK.negative)])
    h = np.einsum("ptun,sn->ptus", paths[:, [0, 1, -1]], x)
    same = (h[:, 0] > 0) == (h[:, 1] > 0)
    like = (h[:, 0] > 0) == (h[:, 2] > 0)
    for value, counted in ((found["stability"][:, 0], same), (found["likeness"][:, 0], like)):
        p = counted.mean(-1)
        assert np.all(np.abs(value - p) < 4 * np.sqrt(p * (1 - p) / (2 * SAMPLES)) + 0.01)
    assert found["stability"].shape == (2, steps - 1, 2)
    np.testing.assert_allclose(found["likeness"][:, -1], 1.0)
    for inputs, part in ((0, slice(50_000)), (1, slice(50_000, None)), (2, slice(None))):
        expected = stats.kurtosis(h[:, 2, :, part], axis=-1)
        np.testing.assert_allclose(found["kurtosis"][:, -1, :, inputs], expected, atol=0.25)


def test_settling_finds_the_later_crossing():
    """The gate dips once more after it has settled; the field is half-way up from the second mark on."""
    likeness = xr.DataArray([[0.5], [0.96], [SETTLED - 0.01], [0.97], [1.0]], dims=("mark", "unit"))
    ipr = xr.DataArray([[0.1], [0.5], [0.6], [0.7], [0.8]], dims=("mark", "unit"))
    gate, shape = settling(xr.Dataset({"likeness": likeness, "ipr": ipr}))
    assert (int(gate[0]), int(shape[0])) == (3, 1)
