"""How the experiments on digits train: steps, records, rule and keys."""

import jax
import numpy as np
import pytest
from test_experiments import simulated, trained


@pytest.mark.costly
@pytest.mark.parametrize(
    ("name", "size", "batch"),
    [
        pytest.param("mnist-galu", 600, 600, marks=pytest.mark.xdist_group("mnist-galu")),
        pytest.param("gates-lottery", 120, 120, marks=pytest.mark.xdist_group("gates-lottery")),
    ],
)
def test_epochs_are_whole_passes_and_all_networks_see_the_same_batches(name, size, batch):
    """Six epochs of one batch each; three records after the start."""
    _, p, record = simulated(name)
    parts = trained(name)
    first = jax.random.key_data(next(iter(parts.values())).settings["key"])
    assert not np.array_equal(*first)
    for part_name, part in parts.items():
        given, early = part.settings, part_name.endswith("-early")
        assert (given["steps"], given["batch_size"], given["record_every"]) == ((2, batch, 1) if early else (6, batch, 2))
        assert (given["learning_rate"], given["optimizer"]) == (1e-2, "rmsprop")
        assert given["loss"] == ("cross-entropy" if name == "mnist-galu" else "mse")
        assert part.task.size == size
        np.testing.assert_array_equal(jax.random.key_data(given["key"]), first)
    np.testing.assert_allclose(record.epoch, [0, 2, 4, 6])
    if name == "mnist-galu":
        np.testing.assert_allclose(record.early_epoch, [0, 1, 2])
        assert (record.attrs["samples"], list(record.attrs["widths"])) == (p.samples, [12, 8])
    else:
        assert (record.attrs["ridge"], record.attrs["kernel_samples"]) == (p.ridge, 10)
