"""Convolutional gated networks: outputs by plain loops, gates, what is trained, one program for all soft gates, bad input."""

import itertools
import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import ConvGated, DeepGated, UserError, kernels, train
from gatefield.core.runs import one_run, run_axes, run_count
from gatefield.data import Dataset

KEY = jax.random.key(0)
SAMPLES = 3
IMAGE, RING = (6, 5, 2), (7, 2)
RNG = np.random.default_rng(0)
X = {shape: RNG.normal(size=(SAMPLES, int(np.prod(shape)))).astype(np.float32) for shape in (IMAGE, RING)}
KINDS = ["linear", "free", "galu", "relu", "soft-relu", "soft-galu", "gates-only"]


def image(gating="relu", key=KEY, **settings):
    extra = {"samples": SAMPLES} if gating == "free" and "free_gates" not in settings else {}
    layers = {"kernel_size": [3, 2], "dense": [4], "outputs": 3, "pool": [None, "max"], **extra, **settings}
    return ConvGated(IMAGE, [3, 2], gating=gating, key=key, **layers)


def plain_convolution(z, matrix, side, padding, stride):
    """Sums over the kernel at each position, by loops; `same` puts the odd zero behind."""
    positions = z.shape[:-1]
    kernel = matrix.reshape(*(side,) * len(positions), z.shape[-1], -1)
    if padding == "same":
        ends = [max((-(-n // stride) - 1) * stride + side - n, 0) for n in positions]
        z = np.pad(z, [*((e // 2, e - e // 2) for e in ends), (0, 0)])
        whole = [-(-n // stride) for n in positions]
    elif padding == "circular":
        z = np.pad(z, [*((0, side - 1) for _ in positions), (0, 0)], mode="wrap")
        whole = [-(-n // stride) for n in positions]
    else:
        whole = [-(-(n - side + 1) // stride) for n in positions]
    q = np.zeros((*whole, kernel.shape[-1]))
    for at in itertools.product(*map(range, whole)):
        for shift in itertools.product(*(range(side) for _ in positions)):
            q[at] += z[tuple(stride * a + s for a, s in zip(at, shift, strict=True))] @ kernel[shift]
    return q


def plain_pool(z, pool):
    if pool is None:
        return z
    left = [n // 2 for n in z.shape[:-1]]
    out = np.zeros((*left, z.shape[-1]))
    for at in itertools.product(*map(range, left)):
        out[at] = getattr(z[tuple(slice(2 * a, 2 * a + 2) for a in at)].reshape(-1, z.shape[-1]), pool)(0)
    return out


def plain(net, x, sides, strides, pools, padding, head):
    """The output of one sample after the other, in float64."""
    soft = lambda q: (1 + float(net.eps)) / (1 + np.exp(-float(net.beta) * q))  # noqa: E731
    gate = (lambda q: (q > 0).astype(float)) if net.hard else soft
    layers = [np.asarray(w, float) for w in net.weights]
    gating = None if net.gating_weights is None else [np.asarray(w, float) for w in net.gating_weights]

    def sums(z, at, weights):
        return plain_convolution(z, weights[at], sides[at], padding, strides[at]) if at < len(sides) else z @ weights[at]

    def after(z, at):
        z = plain_pool(z, pools[at]) if at < len(sides) else z
        if at == len(sides) - 1:
            z = z.mean(tuple(range(z.ndim - 1))) if head == "mean" else z.ravel()
        return z

    out = []
    for s, row in enumerate(np.asarray(x, float)):
        z = g = row.reshape(net.shape)
        for at in range(net.gated_layers):
            q = sums(z, at, layers)
            if net.gating == "linear":
                opened = np.ones_like(q)
            elif net.gating == "free":
                opened = np.asarray(net.free_gates[at][s]).reshape(q.shape)
            elif gating is None:
                opened = gate(q)
            else:
                p = sums(g, at, gating)
                opened = gate(p)
                g = after(opened * p, at)
            z = after(opened * q, at)
        out.append(z @ layers[-1] if net.readout else z)
    return np.array(out)


@pytest.mark.costly
@pytest.mark.parametrize("gating", KINDS)
def test_output_of_an_image_network_is_the_plain_pass(gating):
    net = image(gating)
    expected = plain(net, X[IMAGE], [3, 2], [1, 1], [None, "max"], "valid", "flatten")
    np.testing.assert_allclose(net(X[IMAGE]), expected, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize(
    ("padding", "stride", "pool", "head"),
    [("same", 2, None, "flatten"), ("circular", 1, "mean", "mean"), ("circular", 2, "max", "flatten")],
)
def test_padding_stride_and_pooling_on_a_ring(padding, stride, pool, head):
    net = ConvGated(
        RING, [3], gating="relu", kernel_size=3, padding=padding, stride=stride, pool=pool, head=head, outputs=2, key=KEY
    )
    expected = plain(net, X[RING], [3], [stride], [pool], padding, head)
    np.testing.assert_allclose(net(X[RING]), expected, rtol=2e-4, atol=2e-5)


def test_a_ring_of_one_channel_with_pooling_is_the_mean_over_positions():
    x = X[RING][:, :7]
    net = ConvGated((7, 1), [1, 1], gating="galu", kernel_size=2, padding="circular", head="mean", init="bernoulli", key=KEY)
    assert net.outputs == 1
    expected = plain(net, x, [2, 2], [1, 1], [None, None], "circular", "mean")[:, 0]
    np.testing.assert_allclose(net(x), expected, rtol=2e-4, atol=1e-6)
    np.testing.assert_allclose(net(np.roll(x, 3, 1)), expected, rtol=2e-4, atol=1e-6)


def test_moments_over_drawn_networks_are_those_of_the_theory():
    """E[y y'] by 4,000 networks behind the same gates, within 5 standard errors."""
    x, sigma = X[RING][:, :7], 0.7
    gates = [g[..., 0] for g in ConvGated((7, 1), [1, 1], gating="relu", padding="circular", head="mean", key=KEY).gates(x)]
    drawn = jax.random.split(jax.random.key(1), 4000)
    nets = ConvGated(
        (7, 1),
        [1, 1],
        gating="free",
        free_gates=gates,
        padding="circular",
        head="mean",
        init="bernoulli",
        sigma=sigma,
        key=drawn,
    )
    arrays, rest = eqx.partition(nets, eqx.is_array)
    one = jax.vmap(lambda a: eqx.combine(a, rest)(jnp.asarray(x)), (run_axes(arrays),))
    y = np.asarray(jax.jit(one)(arrays), float)
    products = y[:, :, None] * y[:, None, :]
    error = products.std(0) / np.sqrt(len(y))
    exact = kernels.conv_gap_moment([np.asarray(g, float) for g in gates], x, sigma, 3)
    assert np.all(np.abs(products.mean(0) - exact) <= 5 * error + 1e-12)


@pytest.mark.costly
@pytest.mark.parametrize("gating", ["relu", "soft-galu"])
def test_biases_shift_every_sum(gating):
    """A constant input channel of ones with the bias as its weight does the same."""
    net = ConvGated((5, 1), [2], gating=gating, kernel_size=1, dense=[3], outputs=2, bias=True, key=KEY)
    moved = jax.tree.map(lambda b: b + 0.3, (net.biases, net.gating_biases))
    net = eqx.tree_at(lambda n: (n.biases, n.gating_biases), net, moved, is_leaf=lambda a: a is None)
    x = X[RING][:, :5]
    z = g = x[..., None].astype(float)
    gate = (lambda q: (q > 0) * 1.0) if net.hard else (lambda q: 1.1 / (1 + np.exp(-4 * q)))
    for at in range(2):
        z, g = (z.reshape(3, -1), g.reshape(3, -1)) if at else (z, g)
        q = z @ np.asarray(net.weights[at]) + 0.3
        p = q if net.gating_weights is None else g @ np.asarray(net.gating_weights[at]) + 0.3
        z, g = gate(p) * q, gate(p) * p
    np.testing.assert_allclose(net(x), z @ np.asarray(net.weights[2]) + 0.3, rtol=2e-4, atol=1e-5)


def test_gates_have_the_shape_of_their_units_and_are_those_of_the_output():
    net = image("soft-galu", pool=None)
    gates = net.gates(X[IMAGE])
    assert [g.shape[1:] for g in gates] == net.units == [(4, 3, 3), (3, 2, 2), (4,)]
    twin = image("free", pool=None, free_gates=gates, init=net.weights, key=None)
    np.testing.assert_allclose(twin(X[IMAGE]), net(X[IMAGE]), rtol=1e-5, atol=1e-6)


def test_gates_of_another_network_are_taken_over_frozen():
    relu = image("relu", bias=True)
    other = image(None, gates_from=relu, key=jax.random.key(5))
    assert other.gating == "galu"
    for mine, theirs in zip(other.gates(X[IMAGE]), relu.gates(X[IMAGE]), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_what_is_trained():
    for gating, moves in {"relu": {"weights"}, "galu": {"weights"}, "gates-only": {"gating_weights"}}.items():
        marks = image(gating).trainable()
        names = ("beta", "eps", "weights", "gating_weights")
        assert {name for name in names if any(jax.tree.leaves(getattr(marks, name)))} == moves
    assert all(jax.tree.leaves(image("soft-galu").trainable().gating_weights))


def test_bfloat16_sums_change_the_output_by_their_rounding_alone():
    single, half = (image("soft-relu", precision=p)(X[IMAGE]) for p in ("float32", "bfloat16"))
    assert half.dtype == single.dtype
    gap = np.abs(half - single).max() / np.abs(single).max()
    assert 0 < gap < 0.05


def test_one_program_trains_all_beta_and_eps(monkeypatch):
    """A second training with other gates traces nothing anew; and runs side by side are those that go alone."""
    keys, traced = jax.random.split(KEY, 2), []
    plain_gate = ConvGated._gate
    monkeypatch.setattr(ConvGated, "_gate", lambda self, at, q: traced.append(at) or plain_gate(self, at, q))
    task = Dataset(X[IMAGE], np.arange(3, dtype=np.int32))

    def trained(beta, eps, chosen=keys):
        net = image("soft-relu", beta=beta, eps=eps, key=chosen, pool=None)
        return train(
            net, task, steps=4, batch_size="all", learning_rate=0.1, loss="cross-entropy", record_every=2, key=keys
        ).record

    both = trained([1.0, 8.0], [0.1, 0.4])
    assert traced
    once = len(traced)
    other = trained([2.0, 8.0], 0.4)
    assert len(traced) == once + 3  # what is new is looked at for its shapes, in three layers, and nothing is compiled
    np.testing.assert_array_equal(both.loss[1], other.loss[1])
    assert not np.allclose(both.loss[0], other.loss[0])


def test_a_last_interval_may_be_shorter():
    task = Dataset(X[IMAGE], np.arange(3, dtype=np.int32))
    settings = {"steps": 5, "batch_size": "all", "learning_rate": 0.01, "loss": "cross-entropy", "key": KEY}
    often, seldom = (train(image("soft-relu"), task, record_every=every, **settings) for every in (1, 2))
    assert seldom.record.step.values.tolist() == [0, 2, 4, 5]
    np.testing.assert_allclose(seldom.record.loss, often.record.loss.sel(step=seldom.record.step), rtol=1e-5)


def test_a_run_axis_of_free_gates():
    gates = [np.stack([np.ones((3, *u)), np.zeros((3, *u))]) for u in image("relu").units]
    net = image("free", free_gates=gates, key=jax.random.split(KEY, 2))
    assert run_count(net) == 2
    assert np.any(one_run(net, 0)(X[IMAGE]))
    assert not np.any(one_run(net, 1)(X[IMAGE]))


def test_glorot_counts_the_kernel_on_both_sides():
    net = ConvGated((9, 9, 4), [400], gating="relu", init="uniform", sigma="glorot", outputs=100, head="mean", key=KEY)
    for weights, deviation in zip(net.weights, (np.sqrt(2 / (9 * 4 + 9 * 400)), np.sqrt(2 / 500)), strict=True):
        assert abs(np.std(weights) / deviation - 1) < 0.03
        assert np.abs(weights).max() <= np.sqrt(3) * deviation * 1.0001


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"padding": "same"}, "padding = same (there valid)"),
        ({"stride": [2, 1], "pool": None}, "stride = [2, 1] (there [1, 1]), pool = [None, None] (there [None, 'max'])"),
        ({"head": "mean"}, "head = mean (there flatten)"),
        ({"dense": [5], "kernel_size": 2}, "kernel_size = [2, 2] (there [3, 2]), dense = [5] (there [4])"),
    ],
)
def test_gates_come_from_a_network_of_the_same_layout(settings, words):
    with pytest.raises(UserError, match=re.escape(words)):
        image(None, gates_from=image("relu"), **settings)


def test_inputs_in_their_shape_are_the_flat_ones():
    net, x = image("relu"), jnp.asarray(X[IMAGE])
    shaped = x.reshape(SAMPLES, *IMAGE)
    np.testing.assert_array_equal(net(shaped), net(x))
    for a, b in zip(net.gates(shaped), net.gates(x), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("shape", [(SAMPLES, 6, 2, 5), (SAMPLES, 59), ()])
def test_inputs_of_another_shape_are_one_sentence(shape):
    with pytest.raises(UserError, match=re.escape(f"the last axis n = 60, or the last axes (6, 5, 2), but have shape {shape}")):
        image("relu")(jnp.ones(shape))


@pytest.mark.costly
@pytest.mark.parametrize("settings", [{"key": jax.random.split(KEY, 2)}, {"beta": [1.0, 2.0]}])
def test_several_runs_are_not_called_as_one(settings):
    nets, x = image("soft-relu", **settings), jnp.asarray(X[IMAGE])
    with pytest.raises(UserError, match=r"stands for 2 runs and cannot be called as one; .*one_run"):
        nets(x)
    assert one_run(nets, 0)(x).shape == (SAMPLES, 3)
    assert jax.vmap(lambda net: net(x), in_axes=(run_axes(nets),))(nets).shape == (2, SAMPLES, 3)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"shape": (8,)}, r"shape must be \(positions, channels\) or \(height, width, channels\)"),
        ({"channels": []}, "channels must be a list of one or more numbers"),
        ({"padding": "circle"}, "did you mean 'circular'"),
        ({"stride": [1, 2, 1]}, "stride must be one number, or one for each of the 2 convolutions"),
        ({"stride": 0}, "stride must be"),
        ({"pool": "maximum"}, "Unknown pool 'maximum'"),
        ({"kernel_size": 9}, "kernels of side 9, but only .* enter; take kernel_size=. there, or padding='same'"),
        ({"pool": "max", "stride": 4, "kernel_size": 1}, "leaves no positions"),
        ({"gating": "soft-relu", "beta": [1.0, np.inf]}, "trains no gates|beta must be finite for all runs"),
        ({"gating": "gates-only", "beta": np.inf}, "trains no gates, because hard gates have no gradient"),
        ({"gates_from": "relu", "gating": None}, "gates_from must be a ConvGated network"),
        ({"gating": None}, "ConvGated needs a gating: give one of linear, free"),
        ({"gating": "soft-relu", "beta": [1.0, 2.0], "eps": [0.1, 0.2, 0.3]}, r"but have shapes \(2,\) and \(3,\)"),
        ({"precision": "half"}, "Unknown precision 'half'"),
        ({"samples": 5}, "belong to gating='free'"),
        ({"dense": 5}, "dense must be a list of widths"),
    ],
)
def test_bad_input_is_one_sentence(settings, words):
    settings = {"shape": (5, 5, 1), "channels": [2, 2], "gating": "relu", "outputs": 2, "key": KEY, **settings}
    if "gates_from" in settings:
        settings["gates_from"] = DeepGated(4, [3], gating="relu", key=KEY)
    with pytest.raises(UserError, match=words) as caught:
        ConvGated(settings.pop("shape"), settings.pop("channels"), **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("run", [-1, 2])
def test_a_run_that_is_not_there_is_named(run):
    with pytest.raises(UserError, match=f"run must be one of the 2 runs, counted from 0, but is {run}"):
        one_run(image("relu", key=jax.random.split(KEY, 2)), run)


@pytest.mark.parametrize("gating", ["linear", "relu", "soft-relu"])
def test_pixels_may_be_whole_numbers_or_lists(gating):
    net = image(gating)
    pixels = np.random.default_rng(1).integers(0, 255, (SAMPLES, *IMAGE))
    expected, gates = net(pixels.astype(np.float32)), net.gates(pixels.astype(np.float32))
    for given in (pixels.astype(np.uint8), pixels, pixels.astype(float), pixels.tolist()):
        np.testing.assert_array_equal(net(given), expected)
        for found, unit in zip(net.gates(given), gates, strict=True):
            np.testing.assert_array_equal(found, unit)


def test_gates_of_a_linear_network_are_open():
    for found, unit in zip(image("linear").gates(X[IMAGE]), image("relu").gates(X[IMAGE]), strict=True):
        np.testing.assert_array_equal(found, np.ones(unit.shape))


def test_kernels_larger_than_the_image_need_room_beside_it():
    x = RNG.normal(size=(2, 2, 2, 1)).astype(np.float32)
    net = ConvGated((2, 2, 1), [1], gating="linear", kernel_size=3, padding="same", outputs=None, key=KEY)
    kernel = np.asarray(net.weights[0]).reshape(3, 3)
    padded = np.pad(x[..., 0], [(0, 0), (1, 1), (1, 1)])
    sums = [[(padded[:, i : i + 3, j : j + 3] * kernel).sum((1, 2)) for j in (0, 1)] for i in (0, 1)]
    np.testing.assert_allclose(net(x), np.array(sums).transpose(2, 0, 1).reshape(2, 4), rtol=1e-5, atol=1e-6)
    with pytest.raises(UserError, match="kernels of side 3, but only"):
        ConvGated((2, 2, 1), [1], gating="linear", kernel_size=3, padding="valid", key=KEY)


def test_the_dense_kernel_says_that_it_does_not_cover_convolutions():
    net = image()
    with pytest.raises(UserError, match="convolutions are not covered"):
        kernels.ntk(net.weights, net.gates(X[IMAGE]), X[IMAGE])
