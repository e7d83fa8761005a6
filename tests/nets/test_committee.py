"""Committees: outputs by hand, initial fields by their statistics, what may be trained, and bad input."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

from gatefield import Committee, Task, UserError, train
from gatefield.data import Gaussian

KEY = jax.random.key(0)
REFERENCE = {
    "relu": lambda h: np.maximum(h, 0),
    "erf": lambda h: scipy.special.erf(h / np.sqrt(2)),
    "sigmoid": scipy.special.expit,
    "linear": lambda h: h,
}


@pytest.mark.costly
@pytest.mark.parametrize("activation", REFERENCE)
@pytest.mark.parametrize("readout", ["mean", "learned"])
def test_output_is_the_sum_over_units(activation, readout):
    bias = np.array([0.3, -0.2, 0.5])
    net = Committee(
        5, 3, activation=activation, readout=readout, bias=True, bias_init=bias, output_bias=True, output_bias_init=0.7, key=KEY
    )
    x = np.random.default_rng(1).normal(size=(7, 5))
    expected = [sum(REFERENCE[activation](w @ row + b) for w, b in zip(net.fields, bias, strict=True)) / 3 + 0.7 for row in x]
    np.testing.assert_allclose(net(jnp.asarray(x)), expected, rtol=2e-5)


def test_xavier_scale():
    fields = np.asarray(Committee(40, 10, key=jax.random.split(KEY, 500)).fields)
    error = np.sqrt(2 / 50) / np.sqrt(2 * fields.size)
    assert abs(fields.std() - np.sqrt(2 / 50)) < 5 * error
    assert abs(fields.mean()) < 5 * np.sqrt(2 / 50) / np.sqrt(fields.size)


def test_scaled_xavier_is_xavier_times_the_scale():
    plain, scaled = (Committee(8, 2, init_scale=s, key=KEY).fields for s in (1.0, 0.1))
    np.testing.assert_allclose(scaled, 0.1 * plain, rtol=1e-6)


def test_normal_fields_have_deviation_one_at_any_size():
    xavier, normal = (np.asarray(Committee(40, 10, init=init, key=KEY).fields) for init in ("xavier", "normal"))
    np.testing.assert_allclose(normal, 5 * xavier, rtol=1e-6)  # Xavier's is sqrt(2/50)
    np.testing.assert_allclose(Committee(40, 10, init="normal", init_scale=0.5, key=KEY).fields, normal / 2, rtol=1e-6)


@pytest.mark.parametrize(("n", "sites"), [(12, [0, 3, 6, 9]), (10, [0, 2, 5, 7])])
def test_basis_fields_are_spread_over_the_ring(n, sites):
    fields = np.asarray(Committee(n, 4, init="basis", key=KEY).fields)
    assert fields.argmax(1).tolist() == sites
    np.testing.assert_array_equal(np.sort(fields, axis=1)[:, :-1], 0.0)


def test_mostly_positive_fields_are_nine_tenths_positive():
    fields = np.asarray(Committee(40, 10, init="positive", key=jax.random.split(KEY, 100)).fields)
    assert abs((fields > 0).mean() - 0.9) < 5 * np.sqrt(0.09 / fields.size)
    for sizes in (fields[fields > 0], -fields[fields < 0]):  # Xavier's, whatever the sign: of N(0, 0.2^2)
        assert abs(sizes.mean() - 0.2 * np.sqrt(2 / np.pi)) < 5 * 0.2 * np.sqrt((1 - 2 / np.pi) / sizes.size)


def test_given_fields_are_kept():
    given = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(Committee(3, 2, init=given, key=KEY).fields, given)


def test_given_fields_need_no_key():
    given = np.arange(12.0).reshape(2, 2, 3)
    net = Committee(3, 2, init=given, bias=True, bias_init=[0.5, -0.5])
    np.testing.assert_array_equal(net.fields, given)
    np.testing.assert_array_equal(net.bias, [[0.5, -0.5]] * 2)


def test_linear_pathway_is_added_to_the_output():
    v = np.array([1.0, -2.0, 0.5, 0.0, 3.0])
    plain = Committee(5, 3, output_bias=True, output_bias_init=0.7, key=KEY)
    bent = Committee(5, 3, output_bias=True, output_bias_init=0.7, linear=True, linear_init=v, key=KEY)
    x = np.random.default_rng(1).normal(size=(7, 5))
    np.testing.assert_allclose(bent(jnp.asarray(x)), np.asarray(plain(jnp.asarray(x))) + x @ v, rtol=2e-5, atol=1e-6)
    assert "linear" not in plain.observables()
    dims, value = bent.observables()["linear"]
    assert dims == ("position",)
    np.testing.assert_array_equal(value, v)


def test_linear_pathway_starts_at_zero_in_every_run():
    net = Committee(6, 2, linear=True, key=jax.random.split(KEY, 3))
    np.testing.assert_array_equal(net.linear, np.zeros((3, 6)))
    own = Committee(6, 2, linear="frozen", linear_init=np.eye(3, 6), key=jax.random.split(KEY, 3))
    np.testing.assert_array_equal(own.linear, np.eye(3, 6))


@pytest.mark.slow
def test_linear_pathway_is_trained_by_the_gradient():
    """One step of length 0.1 along minus the gradient of the loss, E[(yhat - y) x], on the very batch of the step."""
    task, v = Task(Gaussian(6, 2.0), Gaussian(6, 1.0)), np.linspace(-1.0, 1.0, 6)
    net = Committee(6, 2, linear=True, linear_init=v, key=KEY)
    record = train(net, task, steps=1, batch_size=20, learning_rate=0.1, key=jax.random.key(7)).record
    assert record.linear.dims == ("run", "step", "position")
    key = jax.random.wrap_key_data(jnp.asarray(record.train_key.values[0]))
    x, y = (np.asarray(a) for a in task.sample(jax.random.fold_in(key, 0), 20))
    error = np.maximum(x @ np.asarray(net.fields).T, 0).mean(1) + x @ v - y
    np.testing.assert_allclose(record.linear[0, 1], v - 0.1 * error @ x / 20, rtol=1e-4, atol=1e-6)


def test_frozen_bias_is_not_trainable():
    net = Committee(3, 2, bias="frozen", output_bias=True, readout="learned", linear="frozen", key=KEY)
    mask = net.trainable()
    assert (mask.weights, mask.bias, mask.output_bias, mask.readout, mask.linear) == (True, False, True, True, False)


def test_many_keys_make_many_networks():
    keys = jax.random.split(KEY, 3)
    together = Committee(6, 2, bias=True, key=keys)
    assert together.fields.shape == (3, 2, 6)
    assert together.bias is not None
    assert together.bias.shape == (3, 2)
    np.testing.assert_array_equal(together.fields[1], Committee(6, 2, key=keys[1]).fields)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"K": 0}, "K must be a whole number of at least 1, but is 0; write for instance K=1."),
        ({"n": 2.5}, "n must be a whole number of at least 1, but is 2.5; write for instance n=40."),
        ({"activation": "rellu"}, "Unknown activation 'rellu': did you mean 'relu'?"),
        ({"readout": "sum"}, "Unknown readout 'sum'"),
        ({"init": "xavierr"}, "Unknown init 'xavierr': did you mean 'xavier'?"),
        ({"init": np.ones((2, 2))}, "Given fields must have shape (K, n) = (2, 3), or (runs, 2, 3), but have (2, 2)."),
        ({"init": np.full((2, 3), np.nan)}, "init must be finite, but is nan"),
        ({"bias": "frozne"}, "bias must be False, True or 'frozen', but is 'frozne'; write bias=True."),
        ({"linear": "Frozen"}, "linear must be False, True or 'frozen', but is 'Frozen'; write linear=True."),
        (
            {"bias": True, "bias_init": [0.1, 0.2, 0.3]},
            "bias_init must be one number or have shape (2,), but has shape (3,); bias_init=0.1 serves all",
        ),
        ({"bias": True, "bias_init": np.nan}, "bias_init must be finite, but is nan; write for instance bias_init=2."),
        (
            {"output_bias": True, "output_bias_init": [0.1]},
            "output_bias_init must be one number, but has shape (1,); output_bias_init=0.1 serves all",
        ),
        (
            {"linear": True, "linear_init": np.ones((4, 3)), "key": jax.random.split(KEY, 5)},
            "linear_init must be one number or have shape (3,) or (5, 3), but has shape (4, 3); linear_init=0.1 serves all",
        ),
        (
            {"linear": True, "linear_init": [1.0, np.inf, 0.0]},
            "linear_init must be finite, but is inf; change its value at [1].",
        ),
        ({"key": None}, "Initial fields by the rule 'xavier' need a key; give one, such as key=jax.random.key(0)."),
        ({"key": 3}, "key must be a JAX PRNG key, but is 3; make one with jax.random.key(0)."),
    ],
)
def test_bad_input_is_one_sentence(arguments, text):
    with pytest.raises(UserError) as caught:
        Committee(**{"n": 3, "K": 2, "key": KEY, **arguments})
    assert text in str(caught.value)


def test_activation_may_be_a_function():
    net = Committee(5, 3, activation=lambda h: jnp.sin(h) + h, bias=True, bias_init=0.2, key=KEY)
    x = np.random.default_rng(1).normal(size=(7, 5))
    h = x @ np.asarray(net.fields, float).T + 0.2
    np.testing.assert_allclose(net(x), (np.sin(h) + h).mean(-1), rtol=2e-5, atol=1e-6)
    named, given = (Committee(5, 3, activation=a, key=KEY)(x) for a in ("sigmoid", jax.nn.sigmoid))
    np.testing.assert_array_equal(named, given)


def test_trainings_with_other_functions_are_other_runs():
    """Two functions of one name: the record of one must not be taken for that of the other."""
    task = Task(Gaussian(5, 2.0), Gaussian(5, 1.0))

    def record(activation):
        net = Committee(5, 2, activation=activation, key=KEY)
        return train(net, task, steps=1, batch_size=10, learning_rate=0.1, key=jax.random.key(7)).record

    single, double = record(lambda h: h), record(lambda h: 2 * h)
    assert single.attrs["fingerprint"] != double.attrs["fingerprint"]
    assert single.attrs["fingerprint"] == record(lambda h: h).attrs["fingerprint"]
    assert np.all(single.fields[0, 1] != double.fields[0, 1])


def test_initial_fields_may_be_made_by_a_function():
    """One call for each key, with the number of units, of inputs, and the scale."""

    def ramps(key, units, n, scale):
        return scale * (jnp.arange(units)[:, None] + jnp.linspace(0, 1, n) + jax.random.uniform(key))

    keys = jax.random.split(KEY, 2)
    net = Committee(4, 3, init=ramps, init_scale=0.5, key=keys)
    expected = [0.5 * (np.arange(3)[:, None] + np.linspace(0, 1, 4) + float(jax.random.uniform(k))) for k in keys]
    np.testing.assert_allclose(net.fields, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"activation": lambda h: h.sum()},
            "activation must be elementwise, such as jax.nn.softplus, but makes shape () of (2, 3).",
        ),
        ({"activation": lambda h: h @ h}, "activation must be an elementwise function, such as jax.nn.softplus, but fails: "),
        (
            {"init": lambda key, units, n, scale: jnp.ones(n)},
            "init must be a function (key, units, n, scale) that gives shape (2, 3), but gives (3,).",
        ),
        ({"init": jnp.ones, "key": None}, "Initial fields by the rule 'ones' need a key"),
    ],
)
def test_functions_that_do_not_fit_are_one_sentence(arguments, text):
    with pytest.raises(UserError) as caught:
        Committee(**{"n": 3, "K": 2, "key": KEY, **arguments})
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_given_fields_are_scaled_too():
    given = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(Committee(3, 2, init=given, init_scale=0.3).fields, 0.3 * given, rtol=1e-6)
