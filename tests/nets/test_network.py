"""What every network promises, tested on one of each."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from networks import NETWORKS, SAMPLES, Cubic, N, X, cubic, every, moved

from gatefield import Committee, GatedLinear, Network, Task, UserError, one_run, train
from gatefield.core.runs import leaf, run_axes, run_count
from gatefield.data import Dataset, Gaussian
from gatefield.gates import half_spaces

KEY = jax.random.key(0)


def one_step(net, **settings):
    """The network after one step on all samples, and the record."""
    labels = np.arange(SAMPLES, dtype=np.int32) % 2 if net.outputs > 1 else np.linspace(-1.0, 1.0, SAMPLES)
    loss = "cross-entropy" if net.outputs > 1 else "mse"
    return train(net, Dataset(X, labels), steps=1, batch_size="all", learning_rate=0.1, loss=loss, key=KEY, **settings)


@pytest.mark.costly
@every
def test_a_run_axis_is_refused(make):
    nets = make(jax.random.split(KEY, N))
    assert run_count(nets) == N
    with pytest.raises(UserError, match=f"stands for {N} runs and cannot be called as one; .* gatefield.one_run"):
        nets(X)
    assert len(one_run(nets, 0)(X)) == SAMPLES


def test_as_many_runs_as_units_and_inputs_give_no_wrong_numbers():
    """All axes have the length 6, so that a product of the wrong ones would fit."""
    with pytest.raises(UserError, match="stands for 6 runs"):
        Committee(6, 6, key=jax.random.split(KEY, 6))(np.ones((2, 6)))
    with pytest.raises(UserError, match="stands for 6 runs"):
        GatedLinear(6, half_spaces(np.eye(6)), key=jax.random.split(KEY, 6))(np.ones((2, 6)))


@pytest.mark.costly
@every
@pytest.mark.parametrize("shape", [(SAMPLES, N + 1), (N - 1,), ()])
def test_inputs_that_do_not_fit_are_one_sentence(make, shape):
    with pytest.raises(UserError, match=rf"Inputs must have the last axis n = {N}.* but have shape \(") as caught:
        make(KEY)(np.ones(shape))
    assert "\n" not in str(caught.value)


@pytest.mark.costly
@every
def test_inputs_may_be_lists_or_whole_numbers(make):
    net, whole = make(KEY), np.arange(SAMPLES * N).reshape(SAMPLES, N) % 5
    expected = np.asarray(net(whole.astype(np.float32)))
    for given in (whole, whole.astype(np.uint8), whole.tolist()):
        np.testing.assert_array_equal(net(given), expected)
    with pytest.raises(UserError, match="Inputs must be an array of numbers"):
        net([["a"] * N])


@pytest.mark.costly
@every
def test_outputs_have_the_shape_of_the_samples(make):
    net = make(KEY)
    y = net(X)
    assert y.shape == ((SAMPLES,) if net.outputs == 1 else (SAMPLES, net.outputs))
    if net.samples is None:
        np.testing.assert_allclose(net(X[0]), y[0], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(net(X[None]), y[None], rtol=1e-5, atol=1e-6)


@pytest.mark.costly
@every
def test_jit_and_vmap_over_runs_give_the_same(make):
    nets, x = make(jax.random.split(KEY, 2)), jnp.asarray(X, jnp.float32)
    alone = np.stack([one_run(nets, run)(x) for run in range(2)])
    rough = 0.05 if getattr(nets, "precision", "float32") == "bfloat16" else 1e-5
    np.testing.assert_allclose(jax.vmap(lambda net: net(x), (run_axes(nets),))(nets), alone, rtol=rough, atol=rough)
    np.testing.assert_allclose(eqx.filter_jit(lambda net, x: net(x))(one_run(nets, 0), x), alone[0], rtol=rough, atol=rough)
    np.testing.assert_allclose(make(jax.random.split(KEY, 2)[1])(x), alone[1], rtol=rough, atol=rough)


@pytest.mark.costly
@every
def test_float64_where_it_is_switched_on(make):
    single = np.asarray(make(KEY)(X))
    with jax.enable_x64(True):
        net = make(KEY)
        double = np.asarray(net(X))
    assert double.dtype == np.float64
    assert single.dtype == np.float32
    if "bfloat16" not in (getattr(net, "precision", ""),) and getattr(net, "gating", "") != "free":
        again = np.asarray(jax.tree.map(lambda a: jnp.asarray(a, jnp.float32) if eqx.is_array(a) else a, net)(X))
        np.testing.assert_allclose(again, double, rtol=1e-4, atol=1e-5)


@pytest.mark.costly
@every
def test_one_step_moves_what_is_trainable_and_nothing_else_and_what_is_shown_is_recorded(make):
    """A training of two runs moves both, and records at step 0 what each network shows by itself."""
    nets = moved(make(jax.random.split(KEY, 2)))
    after, record = one_step(nets)
    for run in range(2):
        net, then = one_run(nets, run), one_run(after, run)
        mask = net.trainable()
        assert jax.tree.structure(mask) == jax.tree.structure(net)
        assert any(jax.tree.leaves(mask))
        named = zip(jax.tree_util.tree_leaves_with_path(net), jax.tree.leaves(mask), jax.tree.leaves(then), strict=True)
        for (path, old), may_move, new in named:
            assert np.any(np.asarray(old) != np.asarray(new)) == may_move, jax.tree_util.keystr(path)
        for name, (dims, array) in net.observables().items():
            assert array.ndim == len(dims), name
            assert record[name].dims == ("run", "step", *dims)
            np.testing.assert_allclose(record[name].values[run, 0], array, rtol=1e-6, atol=1e-7, err_msg=name)


@pytest.mark.costly
@every
def test_repr_is_one_line(make):
    net = make(KEY)
    line = repr(net)
    assert line.startswith(f"{type(net).__name__}(")
    assert "\n" not in line
    assert len(line) < 200
    assert repr(make(jax.random.split(KEY, 3))) == f"{line[:-1]}, runs=3)" or isinstance(net, Cubic)
    assert type(net).__name__ in repr(net.trainable())


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("committee", "Committee(n=6, K=6)"),
        ("committee of all parts", "Committee(n=6, K=3, activation='erf', bias=True, readout='learned', output_bias=True, "
         "linear=True)"),
        ("gated linear", "GatedLinear(n=6, gates={'HalfSpace': 6})"),
        ("deep relu", "DeepGated(n=6, widths=(5, 4), gating='relu')"),
        ("deep free", "DeepGated(n=6, widths=(5, 4), gating='free', samples=5)"),
        ("deep soft-galu", "DeepGated(n=6, widths=(5, 4), gating='soft-galu', beta=4.0, eps=0.1)"),
        ("deep without readout", "DeepGated(n=6, widths=(5, 4), gating='soft-galu', outputs=None, beta=4.0, eps=0.1, "
         "bias=True)"),
        ("ring with pooling", "ConvGated(shape=(3, 2), channels=(4, 3), gating='relu', kernel_size=2, padding='circular', "
         "head='mean')"),
        ("a user's own", "Cubic(power=3, fields=f32[2,6], offset=0.3)"),
    ],
)  # fmt: skip
def test_repr_shows_how_it_was_made(name, line):
    assert repr(NETWORKS[name](KEY)) == line


@pytest.mark.costly
@pytest.mark.parametrize("runs", [None, 3])
def test_a_network_of_ones_own_trains(runs):
    """One step along minus the gradient of half the mean squared error, by hand; each run by itself."""

    class Squared(Network):
        weights: jax.Array = leaf(1)

        def forward(self, x):
            return (x @ self.weights) ** 2

        def observables(self):
            return {"fields": (("position",), self.weights)}

    start = np.random.default_rng(1).normal(size=(N,) if runs is None else (runs, N))
    task = Task(Gaussian(N, 2.0), Gaussian(N, 1.0))
    net, record = train(Squared(jnp.asarray(start)), task, steps=1, batch_size=20, learning_rate=0.1, key=KEY)
    assert record.fields.dims == ("run", "step", "position")
    assert net.weights.shape == start.shape
    for run, w in enumerate(np.atleast_2d(start)):
        key = jax.random.wrap_key_data(jnp.asarray(record.train_key.values[run]))
        x, y = (np.asarray(a, float) for a in task.sample(jax.random.fold_in(key, 0), 20))
        error = (x @ w) ** 2 - y
        expected = w - 0.1 * (error * 2 * (x @ w)) @ x / 20
        np.testing.assert_allclose(np.atleast_2d(net.weights)[run], expected, rtol=1e-4, atol=1e-5)


def test_a_network_that_would_skip_the_checks_is_refused():
    with pytest.raises(UserError, match="Hasty must not define __call__, which checks the inputs; name the method forward"):

        class Hasty(Network):
            def __call__(self, x):
                return x


def test_a_network_that_is_not_complete_cannot_be_made():
    class Silent(Network):
        def forward(self, x):
            return x[..., 0]

    with pytest.raises(TypeError, match="abstract"):
        Silent()


def test_the_user_s_own_network_has_the_outputs_it_says():
    net = cubic(KEY)
    np.testing.assert_allclose(net(X), (X @ np.asarray(net.fields).T) ** 3 + 0.3, rtol=1e-4, atol=1e-5)
