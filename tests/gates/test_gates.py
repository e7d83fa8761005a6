"""The contract of every gate, and how sets of them lie to each other."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from scipy import stats

from gatefield import Committee, Task, UserError, gates, train
from gatefield.data import Gaussian
from gatefield.gates import Bernoulli, Custom, GateSet, HalfSpace, Moving, Open, Scheduled, Shut, half_spaces

N = 6
GATES = {
    "half-space": HalfSpace([1.0, -2.0, 0.5, 0.0, 3.0, 1.0]),
    "with threshold": HalfSpace(np.ones(N), threshold=0.7),
    "soft": HalfSpace(np.ones(N), width=0.3),
    "delta": gates.delta(N, 2),
    "bump": gates.bump(N, 2, 1.0),
    "hat": gates.mexican_hat(N, 5, 1.0),
    "mode": gates.fourier_mode(N, 2, "sin"),
    "random": gates.random(N, key=jax.random.key(3)),
    "open": Open(),
    "shut": Shut(),
    "scheduled": Scheduled([0.0, 1.0], [Shut(), HalfSpace(np.ones(N))]),
    "moving": Moving(lambda t: jnp.cos(t + jnp.arange(N))),
    "custom": Custom(lambda x: x[..., 0] > 0),
    "bernoulli": Bernoulli(HalfSpace(np.ones(N), width=0.3)),
}


@pytest.mark.costly
@pytest.mark.parametrize("name", GATES)
def test_values_lie_between_0_and_1_for_each_input(name):
    x = np.random.default_rng(0).normal(size=(50, 3, N))
    values = np.asarray(GATES[name](x))
    assert values.shape == (50, 3)
    assert ((values >= 0) & (values <= 1)).all()
    np.testing.assert_array_equal(jax.jit(lambda x: GATES[name](x))(x), values)


@pytest.mark.parametrize("name", ["half-space", "delta", "bump", "hat", "mode", "random", "moving"])
def test_a_half_space_and_its_mirror_image_tile(name):
    x = np.random.default_rng(1).normal(size=(200, N))
    np.testing.assert_array_equal(np.asarray(GATES[name](x)) + np.asarray(GATES[name](-x)), 1.0)


def test_ties_count_one_half_whatever_the_rounding():
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * N)).reshape(N, -1).T
    wave = np.cos(2 * np.pi * np.arange(N) / N + 0.4)
    for shift in range(N):
        g = np.asarray(HalfSpace(np.roll(wave, shift))(corners.astype(np.float32)))
        exact = np.array([np.sign(round(float(np.roll(wave, shift) @ x), 9)) for x in corners])
        np.testing.assert_array_equal(g, (1 + exact) / 2)


def test_shapes_of_directions():
    bump, hat = gates.bump(12, 3, 1.5).direction, gates.mexican_hat(12, 3, 1.5).direction
    away = np.array([3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 5, 4])
    density = stats.norm(scale=1.5).pdf(away)
    np.testing.assert_allclose(bump, density / np.linalg.norm(density), rtol=1e-12)
    fine = np.linspace(-6, 6, 12001)
    curve = -np.gradient(np.gradient(stats.norm(scale=1.5).pdf(fine), 1e-3), 1e-3)
    second = curve[6000 + 1000 * away.clip(max=5)]
    inner = away < 5
    np.testing.assert_allclose(hat[inner] / hat[3], second[inner] / second[3], atol=1e-4)
    spectrum = np.abs(np.fft.rfft(gates.fourier_mode(12, 4).direction))
    assert np.argmax(spectrum) == 4
    assert spectrum[4] ** 2 > 0.999 * (spectrum**2).sum()
    lengths = [np.linalg.norm(g.direction) for g in (gates.bump(9, 1, 2.0), gates.random(9, key=jax.random.key(0)))]
    np.testing.assert_allclose(lengths, 1, rtol=1e-6)


def test_time_moves_gates():
    x = np.random.default_rng(2).normal(size=(40, N))
    gate = GATES["scheduled"]
    np.testing.assert_array_equal(gate.at(0.5)(x), 0.0)
    np.testing.assert_array_equal(gate.at(1.0)(x), x.sum(-1) > 0)
    moving = GateSet([GATES["moving"], Open()]).at(0.3)
    np.testing.assert_array_equal(moving(x)[:, 0], x @ np.cos(0.3 + np.arange(N)) > 0)


def test_sets_by_structure_and_by_samples_agree():
    x = np.random.default_rng(3).normal(size=(300, N))
    v, u = np.eye(N)[0], np.eye(N)[1]
    cases = {
        "pair": (half_spaces([v, -v]), (True, False, True)),
        "copies": (half_spaces([v, 2 * v]), (False, True, False)),
        "crossing": (half_spaces([v, u]), (False, False, False)),
        "with shut": (GateSet([HalfSpace(v), HalfSpace(-v), Shut()]), (True, False, True)),
        "open": (GateSet([Open()]), (True, True, True)),
        "shut": ([Shut(), Shut()], (True, True, False)),
    }
    for made, expected in cases.values():
        checks = (gates.are_exclusive, gates.are_redundant, gates.are_tiling)
        assert tuple(check(made, x) for check in checks) == expected
        assert tuple(check(made) for check in checks) == expected
    np.testing.assert_allclose(gates.overlap(cases["crossing"][0], x)[0, 1], np.mean((x[:, 0] > 0) & (x[:, 1] > 0)))


def test_directions_a_little_apart_are_not_parallel():
    """Gates 0.005 rad apart differ on 0.16 % of inputs, and on as many they are open together with the opposite one."""
    v, u = np.array([1.0, 0.0]), np.array([np.cos(0.005), np.sin(0.005)])
    x = np.random.default_rng(0).normal(size=(20_000, 2))
    for given in (None, x):
        assert not gates.are_redundant(half_spaces([v, u]), given)
        assert not gates.are_exclusive(half_spaces([v, -u]), given)
        assert not gates.are_tiling(half_spaces([v, -u]), given)
    aligned = [HalfSpace(v).alignment(HalfSpace(w)) for w in (v, 3 * v, -0.1 * v, u, -u, np.array([1.0, 1e-12]))]
    assert aligned == [1, 1, -1, 0, 0, 1]


def test_gates_frozen_at_a_time_are_those_of_that_time():
    x = np.random.default_rng(2).normal(size=(40, N))
    made = GateSet([GATES["scheduled"], GATES["moving"], GATES["soft"]])
    for time in (0.0, 0.7, 1.0, 5.0):
        frozen = made.at(time).frozen()
        assert [type(gate) for gate in frozen.gates] == [Shut if time < 1 else HalfSpace, HalfSpace, HalfSpace]
        np.testing.assert_array_equal(frozen(x), made.at(time)(x))
        np.testing.assert_array_equal(frozen.at(100.0)(x), frozen(x))


def test_a_traced_time_cannot_be_frozen():
    def kinds(time):
        found.extend(type(gate.at(time).frozen()) for gate in (GATES["scheduled"], GATES["moving"]))
        return time

    found = []
    jax.jit(kinds)(0.5)
    assert found == [Scheduled, Moving]


def test_a_set_takes_a_set_a_gate_or_a_list():
    single = HalfSpace([1.0, 0.0])
    made = GateSet([single])
    assert GateSet(made).gates is made.gates
    assert GateSet(single).K == GateSet((single,)).K == 1


def test_open_and_shut_are_constants():
    for made, value in ((Open(), 1.0), (Shut(), 0.0)):
        assert isinstance(made, gates.Constant)
        assert (type(made).__name__ + "()", float(made.value)) == (repr(made), value)
    assert repr(gates.Constant(0.5)) == "Constant(value=0.5)"


def test_gates_are_shown_as_they_were_made():
    assert repr(HalfSpace([1.0, -2.0], 0.5)) == "HalfSpace(direction=[1.0, -2.0], threshold=0.5)"
    assert repr(GATES["soft"]) == "HalfSpace(direction=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], width=0.3)"
    assert repr(gates.delta(40, 3)) == "HalfSpace(direction=f64[40])"
    assert repr(Scheduled([0.0, 1.0], [Shut(), Open()])) == "Scheduled(times=[0.0, 1.0], gates=(Shut(), Open()))"


def test_gates_of_a_training_record():
    task = Task(Gaussian(N, 2.0), Gaussian(N, 1.0))
    net = Committee(N, 2, bias=True, key=jax.random.split(jax.random.key(0), 2))
    net, record = train(net, task, steps=20, batch_size=20, learning_rate=0.1, record_every=10, key=jax.random.key(1))
    x = np.random.default_rng(5).normal(size=(50, N)).astype(np.float32)
    for run, step in ((0, -1), (1, 0)):
        one = record.isel(run=run, step=step)
        expected = x @ one.fields.values.T + one.bias.values > 0
        np.testing.assert_array_equal(gates.learned_from(record, step=step, run=run)(x), expected)
    with pytest.raises(UserError, match="no step number 7; it has 3, counted from 0"):
        gates.learned_from(record, step=7)


def test_gates_of_the_record_of_a_flow():
    """Which has times and no steps."""
    fields = np.random.default_rng(6).normal(size=(1, 3, 2, N))
    record = xr.Dataset({"fields": (("run", "time", "unit", "position"), fields)})
    x = np.random.default_rng(7).normal(size=(50, N))
    for at in (0, -1):
        np.testing.assert_array_equal(gates.learned_from(record, step=at)(x), x @ fields[0, at].T > 0)
    with pytest.raises(UserError, match="no time number 3; it has 3, counted from 0"):
        gates.learned_from(record, step=3)


def test_learned_gates_are_those_of_relu_units():
    rng = np.random.default_rng(4)
    fields, bias, x = rng.normal(size=(3, N)), rng.normal(size=3), rng.normal(size=(100, N))
    fields[1] = 0
    slope = jax.grad(lambda h: jax.nn.relu(h).sum())(jnp.asarray(x @ fields.T + np.where(fields.any(-1), bias, 0)))
    np.testing.assert_array_equal(gates.learned(fields, bias)(x), slope)


def test_soft_gates_have_a_gradient():
    def value(v):
        return HalfSpace(v, width=0.5)(jnp.ones(N))

    v = jnp.linspace(-0.2, 0.3, N)
    expected = [(value(v.at[i].add(1e-2)) - value(v.at[i].add(-1e-2))) / 2e-2 for i in range(N)]
    np.testing.assert_allclose(jax.grad(value)(v), expected, rtol=1e-2)


def test_gates_are_data_for_a_compiled_program():
    count = []

    @eqx.filter_jit
    def run(gate, x):
        count.append(1)
        return gate(x)

    for site in range(3):
        run(HalfSpace(jnp.eye(N)[site], jnp.zeros(())), jnp.ones((2, N)))
    assert len(count) == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: HalfSpace([0.0, 0.0]), "must not be zero everywhere"),
        (lambda: HalfSpace([np.nan, 0.0]), "direction must be finite"),
        (lambda: HalfSpace([1.0], width=-1.0), "width must be zero or more"),
        (lambda: gates.Constant(1.5), "between 0 and 1"),
        (lambda: gates.delta(4, 4), "no site 4 among 4"),
        (lambda: gates.fourier_mode(6, 4), "no cos mode of 4 periods"),
        (lambda: gates.fourier_mode(6, 1, "tan"), "Unknown phase 'tan'"),
        (lambda: gates.bump(6, 1, 0.0), "width must be positive"),
        (lambda: Scheduled([1.0], [Open()]), "increasing times from 0"),
        (lambda: HalfSpace(3.0), r"shape \(n,\)"),
        (lambda: GateSet([gates.delta(4, 1), gates.delta(5, 1)]), "same number of sites"),
        (lambda: Scheduled([0.0], [3]), "made of gates"),
        (lambda: gates.are_exclusive([gates.delta(4, 1), gates.delta(4, 2)], np.ones((2, 3))), "direction of 4 sites"),
        (lambda: gates.are_tiling([GATES["custom"]]), "give inputs to try"),
        (lambda: gates.are_tiling([HalfSpace([1.0, 0.0], 0.5), HalfSpace([-1.0, 0.0])]), "give inputs to try"),
        (lambda: gates.are_tiling([HalfSpace([1.0, 0.0], width=0.5), HalfSpace([-1.0, 0.0])]), "give inputs to try"),
        (lambda: GateSet([]), "one or more gates"),
        (lambda: GateSet([3]), "one or more gates"),
        (lambda: half_spaces([1.0, 2.0]), r"shape \(K, n\)"),
        (lambda: Custom(3), "needs a function"),
        (lambda: Custom(lambda x: x)(np.ones((2, 3))), "one value for each input"),
        (lambda: gates.are_exclusive(GateSet([GATES["custom"], Open()])), "give inputs to try"),
    ],
)
def test_bad_input_gets_one_sentence(make, words):
    with pytest.raises(UserError, match=words):
        make()


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_ties_are_told_at_any_scale_of_the_inputs(scale):
    x = scale * np.array([[1.0, 0.0], [-1.0, 5.0], [0.1, 0.2], [0.0, 0.0]])
    for gate, expected in (
        (HalfSpace([1.0, 0.0]), [1.0, 0.0, 1.0, 0.5]),
        (HalfSpace([2.0, -1.0]), [1.0, 0.0, 0.5, 0.5]),
        (HalfSpace([1.0, 0.0], threshold=0.1 * scale), [1.0, 0.0, 0.5, 0.0]),
        (Moving(lambda _: jnp.array([2.0, -1.0])), [1.0, 0.0, 0.5, 0.5]),
    ):
        assert gate(x).tolist() == expected
    assert half_spaces([[1.0, 0.0], [2.0, -1.0]])(x).T.tolist() == [[1.0, 0.0, 1.0, 0.5], [1.0, 0.0, 0.5, 0.5]]


def test_units_without_a_field_follow_their_bias():
    found = gates.learned(np.zeros((3, 2)), [1.0, 0.0, -1.0])
    assert found(np.ones((1, 2))).tolist() == [[1.0, 0.0, 0.0]]


def test_constants_tile_if_they_add_up_to_one():
    for values, tile in (([0.5, 0.5], True), ([1.0, 0.0], True), ([0.5, 0.4], False), ([0.0], False)):
        constants = [gates.Constant(value) for value in values]
        assert gates.are_tiling(constants) == gates.are_tiling(constants, np.ones((2, 3))) == tile


def test_three_gates_on_one_edge_are_not_exclusive():
    edges = [HalfSpace([1.0, 0.0]), HalfSpace([-1.0, 0.0]), HalfSpace([1.0, -1.0])]
    assert gates.are_exclusive(edges[:2], [[0.0, 1.0]])
    assert not gates.are_exclusive(edges, [[0.0, 0.0]])


def test_gates_half_open_for_good_are_not_exclusive():
    both = [gates.Constant(0.5)] * 2
    assert not gates.are_exclusive(both)
    assert not gates.are_exclusive(both, np.ones((3, N)))
