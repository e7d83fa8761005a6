"""Verdicts and figure of `gaussian-committee` on made-up records; and the parts that its verdicts rest on, by other routes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from drawn import assert_all_drawn, assert_drawn, panel
from field_records import assert_only, figure, judge
from judging import scrambled

from gatefield.data import Gaussian, Task
from gatefield.experiments.batch_noise import gradient_variance, random_walk
from gatefield.experiments.fields.gaussian_committee.simulate import _euler
from gatefield.nets import Committee

DIMS = ("committee", "batch_size", "seed", "step")


def made(worst=0.025, noise=1.0, slopes=(-0.5, -0.5), batches=(10_000, 2_500)):
    """Distances reach their largest on the way. Asked for is the worst seed of committees of 4, at the largest batch."""
    largest = np.array([[0.005, 0.010, 0.012], [0.005, 0.010, worst]])
    powers = np.power.outer(np.array(batches) / max(batches), slopes).T  # (committee, batch)
    on_the_way = powers[:, :, None] * largest[:, None]
    distance = np.stack([np.zeros_like(on_the_way), on_the_way, 0.5 * on_the_way], axis=-1)
    walk = np.full((2, len(batches), 3, 3), 0.2 * noise)
    walk[:, :, 1, 2] = np.where(np.array(batches) == max(batches), noise, 9.0)
    later = (2, 3, 3)
    data = {"distance": (DIMS, distance), "noise_distance": (DIMS, walk)}
    for end, name in enumerate(["printed_distance", "step_distance", "travelled"], 1):
        data[name] = (("committee", *DIMS[2:]), np.broadcast_to([7.0, 8.0, end], later))
    data |= {name: (("committee", "unit", "position"), np.ones((2, 4, 6))) for name in ("start", "final", "flow_final")}
    coords = {"committee": [2, 4], "batch_size": list(batches), "time": ("step", [0.0, 1.0, 2.0]), "unit": range(4)}
    return xr.Dataset(data, coords)


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (1, {"worst": 0.0299}, True),
        (1, {"worst": 0.0301}, False),
        (1, {"worst": 0.1299, "noise": 0.1, "batches": (400, 100)}, True),
        (1, {"worst": 0.1301, "noise": 0.1, "batches": (400, 100)}, False),
        (1, {"worst": 0.0299, "noise": 0.001, "batches": (10_001, 100)}, True),
        (1, {"worst": 0.0301, "noise": 0.03, "batches": (9_999, 100)}, True),
        (2, {"slopes": (-0.5, -0.3401)}, True),
        (2, {"slopes": (-0.6599, -0.5)}, True),
        (2, {"slopes": (-0.5, -0.3399)}, False),
        (2, {"slopes": (-0.6601, -0.5)}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("gaussian-committee", made(**change), place, expected)


def test_numbers():
    verdicts = judge("gaussian-committee", made(slopes=(-0.44, -0.52)))
    assert [v.measured for v in verdicts] == pytest.approx([0.010, 0.010, -0.48])
    assert [v.predicted for v in verdicts] == [0.0, 0.0, -0.5]
    assert "the flow itself went 3.00; from the flow as printed SGD is 1.00 away" in verdicts[0].note
    assert verdicts[2].note.endswith("mean over 6 fits (committees and seeds), standard error 0.018")  # 0.04 / sqrt(5)
    assert verdicts[1].claim == "4 neurons stay on the flow over t = 2"
    assert [v.holds for v in judge("gaussian-committee", made(batches=(10_000,)))] == [True, True, None]


def test_figure():
    record = scrambled(made())
    drawn = figure("gaussian-committee", record)
    left, right = panel(drawn, "(a)"), panel(drawn, "(b)")
    late = slice(1, None)
    for i, (K, letter) in enumerate([(2, "(c)"), (4, "(d)")]):
        distance = record.distance.values[i]
        assert_drawn(left, np.median(distance[0, :, late], axis=0), at=[1, 2], color=f"C{i}", style="-", words=f"K = {K}")
        band = left.collections[i].get_paths()[0].vertices[:, 1]
        np.testing.assert_allclose([band.min(), band.max()], [distance[0, :, late].min(), distance[0, :, late].max()])
        assert_drawn(left, np.median(record.step_distance.values[i, :, late], axis=0), color=f"C{i}", style=":")
        assert_drawn(left, np.median(record.printed_distance.values[i, :, late], axis=0), color=f"C{i}", style="--")
        worst = distance.max(-1)
        assert_drawn(right, np.median(worst, axis=1), at=[10_000, 2_500], color=f"C{i}", words=f"K = {K}")
        assert_all_drawn(right, [*worst.T, np.median(worst, axis=1)], color=f"C{i}", marker="o")
        walk = record.noise_distance.values[i].max(-1)
        assert_drawn(right, np.median(walk, axis=1), color=f"C{i}", style="-")
        for name, look in [("start", "0.55"), ("flow_final", "C1"), ("final", "C0")]:
            assert_drawn(panel(drawn, letter), record[name].values[i, 0], color=look)


def test_gradient_variance_is_that_of_autodiff_gradients():
    net = Committee(6, 3, key=jax.random.key(0))
    x = Gaussian(6, 1.5).sample(jax.random.key(1), 300)
    one = jax.grad(lambda w, x: 0.5 * (jax.nn.relu(w @ x).mean() - 1.0) ** 2)
    gradients = np.asarray(jax.vmap(one, (None, 0))(net.fields, x))
    expected = gradients.var(axis=0).sum()
    np.testing.assert_allclose(gradient_variance(net.fields, x, 1.0), expected, rtol=1e-4)


def test_random_walk_of_constant_noise_grows_as_the_root_of_time():
    task = Task(Gaussian(6, 1.5), Gaussian(6, 1.0))
    time = np.array([0.0, 1.0, 4.0])
    still = np.tile(np.asarray(Committee(6, 2, key=jax.random.key(0)).fields, float), (1, 3, 1, 1))
    walk = random_walk(still, time, task, jax.random.key(2))[0]
    np.testing.assert_allclose(walk / walk[1], np.sqrt(time), rtol=1e-6)


def test_exact_steps_follow_euler():
    starts = np.array([[[1.0, 2.0]], [[0.5, -1.0]]])
    path = _euler(lambda w: -(w**3), starts, 0.1, np.array([0, 1, 3]))
    w = [starts]
    for _ in range(3):
        w.append(w[-1] - 0.1 * w[-1] ** 3)
    np.testing.assert_allclose(path, np.stack([w[0], w[1], w[3]], axis=1), rtol=1e-14)
    assert path.dtype == np.float64
    assert jnp.ones(1).dtype == np.float32
