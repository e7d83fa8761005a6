"""Gated linear networks against an ODE solver, sampling, and automatic differentiation."""

import json
import pathlib

import equinox as eqx
import jax
import numpy as np
import pytest
from jaxtyping import Float
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag, expm, expm_frechet

from gatefield import GatedLinear, UserError, leaf
from gatefield.core.arrays import Exact
from gatefield.core.precision import real
from gatefield.data import Elliptical, Gaussian, Hypercube, NonlinearGP, SinglePulse, Source, Task, Taught
from gatefield.gates import Custom, GateSet, HalfSpace, Moving, Open, Scheduled, Shut, delta, fourier_mode, half_spaces
from gatefield.theory import gated_linear as gl

REFERENCE = {
    entry["name"]: entry
    for entry in json.loads((pathlib.Path(__file__).parents[2] / "reference" / "values.json").read_text())["values"]
}
TIMES = np.array([0.0, 0.3, 2.0, 30.0])
RNG = np.random.default_rng(7)


def _network(kind):
    """A, b, w0 and K of regular, exclusive, redundant and shut gates, from a small sample of gated inputs."""
    x, y = RNG.normal(size=(60, 3)), RNG.normal(size=60)
    v, u = RNG.normal(size=3), RNG.normal(size=3)
    sets = {"regular": [v, u], "exclusive": [v, -v], "redundant": [v, v], "mixed": [v, v, u]}
    g = np.stack([x @ d > 0 for d in sets.get(kind, [v, u])], axis=-1).astype(float)
    if kind == "shut":
        g[:, 1] = 0.0
    gated = (g[:, :, None] * x[:, None]).reshape(60, -1)
    return gated.T @ gated / 60, gated.T @ y / 60, RNG.normal(size=gated.shape[1]), g.shape[1], (gated, y)


KINDS = ["regular", "exclusive", "redundant", "mixed", "shut"]


@pytest.mark.parametrize("kind", KINDS)
def test_path_solves_the_flow(kind):
    A, b, w0, K, _ = _network(kind)
    ode = solve_ivp(lambda t, w: (b - A @ w / K) / K, (0, 30), w0, "DOP853", TIMES, rtol=1e-12, atol=1e-14).y.T
    np.testing.assert_allclose(gl.solve(A, b, w0, TIMES, K), ode, atol=1e-9)
    np.testing.assert_allclose(gl.solve(A, b, w0, 2.0, K), ode[2], atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_flow_is_the_gradient_of_the_sample_loss(kind):
    A, b, w0, K, (gated, y) = _network(kind)

    def loss(w):
        return 0.5 * np.mean((gated @ w / K - y) ** 2)

    slope = np.array([(loss(w0 + e) - loss(w0 - e)) / 2e-6 for e in 1e-6 * np.eye(len(w0))])
    np.testing.assert_allclose(gl.velocity(w0.reshape(K, -1), A, b).ravel(), -slope, atol=1e-8)
    power = np.mean(y**2)
    assert float(gl.loss(A, b, w0, K, power)) == pytest.approx(loss(w0), rel=1e-12)
    path = [loss(w) for w in gl.solve(A, b, w0, TIMES, K)]
    np.testing.assert_allclose(gl.loss_path(A, b, w0, TIMES, K, power), path, rtol=1e-10)
    np.testing.assert_allclose(gl.loss(A, b, gl.solve(A, b, w0, TIMES, K), K, power), path, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_limit_is_the_least_squares_fit_nearest_to_the_start(kind):
    A, b, w0, K, (gated, y) = _network(kind)
    away = np.linalg.lstsq(gated / K, y - gated @ w0 / K, rcond=None)[0]
    end = gl.limit(A, b, w0, K)
    np.testing.assert_allclose(end, w0 + away, atol=1e-9)
    np.testing.assert_allclose(gl.solve(A, b, w0, 1e7, K), end, atol=1e-8)
    residual = 0.5 * np.mean((y - gated @ end / K) ** 2)
    assert float(gl.limiting_loss(A, b, np.mean(y**2))) == pytest.approx(residual, rel=1e-10)
    assert float(gl.explained(A, b)) == pytest.approx(np.mean(y**2) - 2 * residual, rel=1e-10)


def test_initial_rate_and_half_time():
    A, b, w0, K, _ = _network("regular")
    step = 1e-6
    early = gl.loss_path(A, b, 0 * w0, np.array([0.0, step]), K, 1.0)
    assert float(gl.initial_rate(b, K)) == pytest.approx((early[0] - early[1]) / step, rel=1e-4)
    losses = gl.loss_path(A, b, 0 * w0, np.array([0.0, float(gl.half_time(A, b, K)), 1e9]), K, 1.0)
    assert losses[1] == pytest.approx((losses[0] + losses[2]) / 2, rel=1e-9)


@pytest.mark.costly
@pytest.mark.parametrize("rates", [(1.0, 1e-9, 0.0), (3.0, 3.0, 3.0), (1e5, 1.0, 1e-3)])
def test_half_time_whatever_the_rates(rates):
    """By its equation, for sets of gates side by side of which one explains nothing."""
    pulls = np.array([[1.0, 1e-4, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    A = np.diag(rates)
    with jax.enable_x64(True):
        found = np.asarray(jax.vmap(lambda b: gl.half_time(A, b, 2))(jax.numpy.asarray(pulls)))
    weight = pulls**2 / np.where(np.array(rates) > 0, rates, 1.0)
    left = np.sum(weight * np.exp(-2 * np.array(rates) * found[:, None].clip(0, 1e12) / 4), axis=1)
    np.testing.assert_allclose(left[:2], weight.sum(1)[:2] / 2, rtol=1e-12)
    assert found[2] == np.inf


@pytest.mark.parametrize("share", [1e-3, 9e-3, 0.1, 3.0])
@pytest.mark.parametrize("kind", ["regular", "redundant"])
def test_slope_of_the_path_in_its_moments(kind, share):
    """At shares of the fastest time constant, short ones of which take a series: by the exponential of one larger matrix.

    The flow of (w, 1) is linear, with the matrix ((-A/K^2, b/K), (0, 0)). From zero weights only b drives it.
    """
    A, b, _, K, _ = _network(kind)
    m, time = len(b), share * K**2 / np.linalg.eigvalsh(A)[-1]
    turn = np.random.default_rng(5).normal(size=(m, m))
    turn = turn + turn.T
    whole, change = np.zeros((2, m + 1, m + 1))
    whole[:m, :m], whole[:m, m], change[:m, :m] = -A / K**2, b / K, -turn / K**2
    _, slope = expm_frechet(time * whole, time * change)
    with jax.enable_x64(True):
        _, found = jax.jvp(lambda A: gl.solve(A, b, 0 * b, time, K), (jax.numpy.asarray(A),), (jax.numpy.asarray(turn),))
    np.testing.assert_allclose(found, slope[:m, m], rtol=0, atol=1e-8 * np.abs(slope[:m, m]).max())


def test_redundant_units_by_their_sum():
    A, b, w0, K, _ = _network("redundant")
    general = gl.solve(A, b, w0, TIMES, K)
    np.testing.assert_allclose(
        gl.solve_redundant(A[:3, :3], b[:3], w0.reshape(2, 3), TIMES, K).reshape(4, 6), general, atol=1e-11
    )


def test_pieces_are_solved_one_after_another():
    A, b, w0, K, _ = _network("regular")
    other, pull, *_ = _network("exclusive")

    def move(t, w):
        return ((b - A @ w / K) if t < 1 else (pull - other @ w / K)) / K

    first = solve_ivp(move, (0, 1 - 1e-12), w0, "DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    late = solve_ivp(move, (1, 3), first, "DOP853", [1.5, 3.0], rtol=1e-12, atol=1e-14).y.T
    found = gl.solve_pieces([(0.0, A, b), (1.0, other, pull)], w0, [0.0, 1.5, 3.0], K)
    np.testing.assert_allclose(found, [w0, *late], atol=1e-9)


def test_reference_values():
    entry = REFERENCE["gdln_w_t10"]
    i = entry["inputs"]
    np.testing.assert_allclose(gl.solve(i["A"], i["b"], i["w0"], i["t"], i["K"]), entry["expected"], atol=1e-12)
    entry = REFERENCE["gdln_small_bump_winf_n8"]
    i = entry["inputs"]
    task = Task(NonlinearGP(i["n"], i["xi1"], i["g"]), NonlinearGP(i["n"], i["xi0"], i["g"]))
    A, b, _ = gl.statistics(delta(i["n"], i["i"]), task)
    np.testing.assert_allclose(gl.limit(A, b, 0 * b, 1), entry["expected"], atol=1e-10)


CLOSED = {
    "gaussian pair": (Gaussian, half_spaces(RNG.normal(size=(2, 5)))),
    "with open and shut": (Gaussian, GateSet([Open(), HalfSpace(RNG.normal(size=5)), Shut()])),
    "student pair": (lambda n, xi: Elliptical(n, xi, "student:6"), half_spaces(RNG.normal(size=(2, 5)))),
    "one site, squashed": (lambda n, xi: NonlinearGP(n, xi, 3.0), GateSet([delta(5, 1), HalfSpace(-np.eye(5)[1])])),
    "leading site, cube": (Hypercube, half_spaces([[3.0, 0.5, -0.4, 0.1, 1.0]])),
}


@pytest.mark.costly
@pytest.mark.parametrize("name", CLOSED)
def test_closed_moments_against_samples(name):
    kind, gates = CLOSED[name]
    task = Task(kind(5, 2.0), kind(5, 1.0), labels=(1.0, -0.5), proportion=0.3)
    A, b, power = gl.statistics(gates, task, with_error=True)
    assert A.method == b.method == power.method == "closed"
    assert not A.error.any()
    x, y = (np.asarray(part, float) for part in task.sample(jax.random.key(1), 50_000))
    gated = (np.asarray(gates(x))[:, :, None] * x[:, None]).reshape(len(x), -1)
    np.testing.assert_allclose(power.value, np.mean(y**2), rtol=1e-5)
    for value, terms in [(b.value, y[:, None] * gated), (A.value, gated[:, :, None] * gated[:, None])]:
        error = terms.std(0) / np.sqrt(len(x))
        assert np.abs(value - terms.mean(0)).max() < 5 * error.max() + 1e-6
        assert (np.abs(value - terms.mean(0)) <= 5.5 * error + 1e-6).all()


def test_sampled_moments_agree_with_closed_ones_within_their_errors():
    task = Task(Gaussian(4, 2.0), Gaussian(4, 1.0), labels=(1.0, -1.0))
    gates = half_spaces(RNG.normal(size=(2, 4)))
    exact = gl.statistics(gates, task)
    drawn = gl.statistics(gates, task, method="sampled", key=jax.random.key(0), samples=200_000, with_error=True)
    for name in ("A", "b"):
        one = getattr(drawn, name)
        assert one.method == "sampled"
        assert one.agrees(getattr(exact, name)).all()
        z = (one.value - getattr(exact, name)) / one.error
        assert np.abs(z).max() < 6  # 16 groups: Student's t with 15 degrees of freedom
        assert 0.5 < np.sqrt(np.mean(z**2)) < 2
    assert np.linalg.eigvalsh(drawn.A.value).min() > 0


def test_sampling_is_compiled_once_for_gates_and_sources_of_one_kind():
    prepared = []

    class Counted(Source):
        n: int = eqx.field(static=True)
        scale: Float[Exact, "*runs"] = leaf(0)

        def sampler(self):
            prepared.append(1)
            return lambda key, size: real(self.scale) * jax.random.normal(key, (size, self.n))

        def _covariance(self):
            return real(self.scale) ** 2 * np.eye(self.n)

    for scale in (1.0, 2.0):
        task = Task(Counted(3, np.asarray(scale)), Counted(3, np.asarray(3 * scale)))
        found = gl.statistics(half_spaces(RNG.normal(size=(2, 3))), task, key=jax.random.key(0), samples=20_000)
        np.testing.assert_allclose(np.diag(found.A), 2.5 * scale**2, rtol=0.1)  # half of the mean of both, open half the time
    assert len(prepared) == 1


@pytest.mark.slow
def test_any_gate_and_source_can_be_sampled():
    task = Task(SinglePulse(6, widths=(1, 2)), Gaussian(6, 1.0))
    gates = GateSet([Custom(lambda x: x[..., 0] > 0.5), HalfSpace(np.ones(6), threshold=0.2)])
    found = gl.statistics(gates, task, key=jax.random.key(2), samples=20_000)
    x, y = (np.asarray(part, float) for part in task.sample(jax.random.key(3), 20_000))
    expected = np.mean(y * (x[:, 0] > 0.5) * x[:, 0])
    assert found.b[0] == pytest.approx(expected, abs=5 * np.std(y * x[:, 0]) / 100)


@pytest.mark.slow
def test_race_table_for_gaussian_data():
    """Explained power, |b|^2, largest eigenvalue and half time of five pairs of gates, n = 40, length scales 2 and 1.

    The one-mode pairs have half time ln 2 K^2 / (2 l), l the largest eigenvalue.
    """
    task = Task(Gaussian(40, 2.0), Gaussian(40, 1.0))
    flat, site, fast, slow = (
        gate.direction for gate in (fourier_mode(40, 0), delta(40, 20), fourier_mode(40, 20), fourier_mode(40, 1))
    )
    table = {
        (0.2122, 0.2821, 1.329, 1.043): [flat, -flat],
        (0.1846, 0.1995, 1.329, 1.310): [site, -site],
        (0.0004, 0.0000, 1.329, 18.42): [fast, -fast],
        (0.1061, 0.2821, 2.659, 0.5214): [flat, flat],
        (0.1874, 0.2787, 2.396, 0.988): [flat, slow],
    }
    for expected, directions in table.items():
        A, b, power = gl.statistics(half_spaces(directions), task)
        found = gl.explained(A, b), b @ b, np.linalg.eigvalsh(A)[-1], gl.half_time(A, b, 2)
        np.testing.assert_allclose(found, expected, rtol=5e-4, atol=6e-5)
        assert power == 0.5
        assert np.trace(A) == pytest.approx(40)


def test_derivatives_and_batches():
    A, b, w0, K, _ = _network("redundant")
    assert np.isfinite(jax.grad(lambda b: gl.solve(A, b, w0, 1.0, K).sum())(b)).all()
    many = jax.vmap(lambda w: gl.solve(A, b, w, 1.0, K))(np.stack([w0, 2 * w0]))
    np.testing.assert_allclose(many[1], gl.solve(A, b, 2 * w0, 1.0, K), rtol=1e-4, atol=1e-5)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: gl.solve(np.eye(3), np.ones(2), np.ones(2), 1.0, 1), "shapes"),
        (lambda: gl.solve([[np.nan]], [1.0], [1.0], 1.0, 1), "A must be finite"),
        (lambda: gl.limit(np.zeros((1, 1)), [1.0], [0.0], 1), "grow without end"),
        (lambda: gl.solve(np.eye(1), [1.0], [1.0], 1.0, 0), "K must be a whole number"),
        (lambda: gl.limiting_loss(np.eye(1), [1.0], -1.0), "label_power must be zero or more, being a mean of squares"),
        (lambda: gl.statistics(half_spaces([[1.0, 0.0]]), Task(Gaussian(3, 1.0), Gaussian(3, 2.0))), "direction of 2 sites"),
        (lambda: gl.statistics([Open()], Gaussian(3, 1.0)), "task must be a task"),
        (lambda: gl.statistics([Open()], Task(Gaussian(3, 1.0), Gaussian(3, 2.0)), method="magic"), "Unknown method"),
        (
            lambda: gl.statistics(half_spaces([[1.0, 1.0, 0.1]]), Task(Hypercube(3, 1.0), Hypercube(3, 2.0))),
            "give key=",
        ),
        (lambda: gl.solve_pieces([(1.0, np.eye(1), [1.0])], [0.0], [1.0], 1), "first at 0"),
    ],
)
def test_bad_input_gets_one_sentence(make, words):
    with pytest.raises(UserError, match=words):
        make()


def test_exclusive_blocks_stand_alone():
    A, b, w0, K, _ = _network("exclusive")
    np.testing.assert_allclose(A, block_diag(A[:3, :3], A[3:, 3:]), atol=1e-15)
    np.testing.assert_allclose(gl.solve(A, b, w0, 2.0, K)[:3], gl.solve(A[:3, :3], b[:3], w0[:3], 2.0, K), atol=1e-12)


def test_moving_gates_have_moments_at_each_time():
    task, gate = (
        Task(Gaussian(2, 0.5), Gaussian(2, 0.5)),
        Moving(lambda t: jax.numpy.stack([jax.numpy.cos(t), jax.numpy.sin(t)])),
    )
    _, b, _ = gl.statistics([gate.at(np.pi / 2)], task, key=jax.random.key(0), samples=50_000)
    _, expected, _ = gl.statistics(half_spaces([[0.0, 1.0]]), task)
    np.testing.assert_allclose(b, expected, atol=0.01)


def test_derivatives_hold_where_eigenvalues_coincide():
    """On a ring A has pairs of equal eigenvalues; against the matrix exponential and finite differences."""
    A, b, power = gl.statistics(delta(6, 1), Task(Gaussian(6, 2.0), Gaussian(6, 1.0)))
    w0, weights, step = np.linspace(-1, 1, 6), np.arange(6.0), RNG.normal(size=(6, 6))
    step = step + step.T

    def path(A, t):
        flow = np.zeros((7, 7))
        flow[:6, :6], flow[:6, 6] = -A / 4, b / 2
        moved = expm(flow * t)
        return weights @ (moved[:6, :6] @ w0 + moved[:6, 6])

    with jax.enable_x64(True):
        slope = jax.grad(lambda A: weights @ gl.solve(A, b, w0, 3.0, 2))(jax.numpy.asarray(A))
        loss_slope = jax.grad(lambda A: gl.limiting_loss(A, b, power))(jax.numpy.asarray(A))
    expected = (path(A + 1e-5 * step, 3.0) - path(A - 1e-5 * step, 3.0)) / 2e-5
    assert float((np.asarray(slope) * step).sum()) == pytest.approx(expected, rel=1e-7)
    field = np.linalg.solve(A, b)
    np.testing.assert_allclose(loss_slope, np.outer(field, field) / 2, atol=1e-12)


def test_parallel_gates_on_symmetric_data_have_a_closed_A():
    task = Task(NonlinearGP(5, 2.0, 3.0), NonlinearGP(5, 1.0, 3.0))
    v = RNG.normal(size=5)
    found = gl.statistics(half_spaces([v, -v]), task, key=jax.random.key(0), samples=50_000, with_error=True)
    both = (np.asarray(task.positive.covariance()) + np.asarray(task.negative.covariance())) / 4
    assert (found.A.method, found.b.method) == ("closed", "sampled")
    np.testing.assert_allclose(found.A.value, block_diag(both, both), atol=1e-12)
    how = {"method": "sampled", "key": jax.random.key(1), "samples": 50_000, "with_error": True}
    drawn = gl.statistics(half_spaces([v, -v]), task, **how)
    assert (np.abs(found.b.value - drawn.b.value) < 6 * np.hypot(found.b.error, drawn.b.error)).all()


@pytest.mark.slow
def test_labels_of_a_teacher():
    """Gates of a linear teacher that are always open: b = A v, and all of E y^2 is explained."""
    teacher = GatedLinear(4, [Open()], init=[[1.0, -2.0, 0.5, 0.0]])
    task = Taught(Task(Gaussian(4, 2.0), Gaussian(4, 1.0)), teacher)
    A, b, power = gl.statistics([Open()], task, key=jax.random.key(0), samples=20_000)
    np.testing.assert_allclose(np.linalg.solve(A, b), teacher.weights[0], atol=1e-5)
    assert float(gl.explained(A, b)) == pytest.approx(power, rel=1e-5)


def test_scheduled_gates_are_solved_piece_by_piece():
    task = Task(Gaussian(4, 2.0), Gaussian(4, 1.0))
    early, late = delta(4, 0), delta(4, 2)
    found = gl.pieces([Scheduled([0.0, 2.0], [early, late]), Open()], task)
    assert [start for start, *_ in found] == [0.0, 2.0]
    for (_, A, b), gate in zip(found, (early, late), strict=True):
        expected = gl.statistics([gate, Open()], task)
        np.testing.assert_allclose(A, expected[0])
        np.testing.assert_allclose(b, expected[1])


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: gl.solve(-np.eye(2), np.ones(2), np.ones(2), 1.0, 1), "positive semidefinite"),
        (lambda: gl.solve([[1.0, 1.0], [0.0, 1.0]], np.ones(2), np.ones(2), 1.0, 1), "symmetric"),
        (lambda: gl.solve(np.eye(2), np.ones(2), np.ones(2), -1.0, 1), "a time of zero or more"),
        (lambda: gl.loss(np.eye(4), np.ones(4), np.ones((2, 2)), 2, 1.0), "flatten them"),
        (lambda: gl.half_time(np.eye(4), np.ones(3), 2), "shapes"),
        (lambda: gl.solve_redundant(np.eye(1), [1.0], np.ones((3, 1)), 1.0, 2), "K = 2 in all"),
        (lambda: gl.statistics([Custom(lambda x: x[..., 0] > 0)], Task(Gaussian(3, 1.0), Gaussian(3, 2.0)), key=0), "key"),
    ],
)
def test_more_bad_input_gets_one_sentence(make, words):
    with pytest.raises(UserError, match=words):
        make()


def test_the_number_of_units_may_be_traced():
    A, b, w0 = np.diag([2.0, 0.0]), np.array([1.0, 0.0]), np.array([0.0, 3.0])
    for solved in (lambda K: gl.solve(A, b, w0, 1.0, K), lambda K: gl.limit(A, b, w0, K), lambda K: gl.loss(A, b, w0, K, 0.5)):
        np.testing.assert_allclose(jax.jit(solved)(2), solved(2), rtol=1e-5, atol=1e-6)
