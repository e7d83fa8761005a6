"""Refreshed gates against pieces solved one by one and against an integrator; ReLU paths against the exact flow."""

import jax
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from gatefield import UserError
from gatefield.data import Gaussian, NonlinearGP, Task
from gatefield.gates import half_spaces
from gatefield.theory import gated_linear, relu
from gatefield.theory.classes import EmpiricalClass, GaussianClass
from gatefield.theory.gated_linear import Mixture, refreshed_path, relu_path

TASK = Task(Gaussian(5, 1.5), Gaussian(5, 0.7))
GAUSSIAN = Mixture(*(GaussianClass(source.covariance()) for source in (TASK.positive, TASK.negative)))
SAMPLED = Mixture(*(EmpiricalClass.draw(NonlinearGP(5, xi, 3.0), jax.random.key(i), 300) for i, xi in enumerate((1.5, 0.7))))
RNG = np.random.default_rng(0)
STARTS = RNG.normal(size=(2, 2, 5))
PATHS = RNG.normal(size=(2, 7, 2, 5))


@pytest.mark.costly
@pytest.mark.parametrize("K", [1, 2])
def test_refreshed_gates_are_solved_piece_by_piece(K):
    """With statistics and `solve_pieces`, which share no code with it."""
    V, w0 = PATHS[:, :, :K], STARTS[:, :K]
    for every, starts in ((2, [0, 2, 4]), (4, [0, 4]), (6, [0])):
        found = refreshed_path(GAUSSIAN, V, w0, 0.5, every)
        for s in range(2):
            moments = [gated_linear.statistics(half_spaces(V[s, at]), TASK) for at in starts]
            pieces = [(0.5 * at, A, b) for at, (A, b, _) in zip(starts, moments, strict=True)]
            exact = gated_linear.solve_pieces(pieces, w0[s].ravel(), 0.5 * np.arange(7), K)
            np.testing.assert_allclose(found.fields[s].reshape(7, -1), exact, atol=1e-9)
            for time in range(7):
                A, b, power = moments[min(time // every, len(moments) - 1)]
                assert found.loss[s, time] == pytest.approx(float(gated_linear.loss(A, b, exact[time], K, power)), abs=1e-9)


@pytest.mark.costly
@pytest.mark.parametrize("data", [GAUSSIAN, SAMPLED], ids=["gaussian", "sampled"])
def test_gates_of_its_own_are_those_of_its_weights(data):
    """As if given the path that it takes; a network with gates of the start for ever takes those of its start."""
    own = refreshed_path(data, PATHS, STARTS, 0.5, 2, own=True)
    given = refreshed_path(data, own.fields, STARTS, 0.5, 2)
    np.testing.assert_allclose(own.fields, given.fields, atol=1e-12)
    frozen = refreshed_path(data, STARTS[:, None].repeat(7, 1), STARTS, 0.5, 1)
    np.testing.assert_allclose(refreshed_path(data, PATHS, STARTS, 0.5, 6, own=True).fields, frozen.fields, atol=1e-12)
    assert np.abs(own.fields - frozen.fields).max() > 1e-3


@pytest.mark.costly
@pytest.mark.parametrize("K", [1, 2])
def test_relu_paths_are_those_of_the_exact_flow(K):
    cov1, cov0 = (source.covariance() for source in (TASK.positive, TASK.negative))
    found = relu_path(GAUSSIAN, STARTS[:, :K], 0.5, 4)
    for s in range(2):
        w0 = STARTS[s, :K]
        push = lambda _, w, like=w0: relu.velocity(w.reshape(like.shape), cov1, cov0).ravel()  # noqa: E731
        path = solve_ivp(push, (0.0, 1.5), w0.ravel(), t_eval=[0.0, 0.5, 1.0, 1.5], rtol=1e-7, atol=1e-9).y.T
        np.testing.assert_allclose(found.fields[s].reshape(4, -1), path, atol=2e-5)
        losses = [float(relu.loss(w.reshape(w0.shape), cov1, cov0)) for w in path]
        np.testing.assert_allclose(found.loss[s], losses, atol=2e-5)


def test_relu_paths_on_a_sample_go_down_its_gradient():
    """One short step, by plain sums over the sample with both signs; the covariance of a single unit is the law's."""
    x = [np.concatenate([np.asarray(one.x, float)] * 2) * np.repeat([1.0, -1.0], 300)[:, None] for one in SAMPLED.classes]
    step = 1e-3
    w = STARTS[:1]
    found = (relu_path(SAMPLED, w, step, 2, substeps=1).fields[0, 1] - w[0]) / step
    out = [np.maximum(part @ w[0].T, 0.0).mean(1) for part in x]
    push = [((part @ w[0].T > 0) * (y - o)[:, None]).T @ part / 600 / 2 for part, o, y in zip(x, out, (1.0, 0.0), strict=True)]
    np.testing.assert_allclose(found, sum(push) / 2, atol=2e-3)
    alone = (relu_path(SAMPLED, w[:, :1], step, 2, substeps=1).fields[0, 1, 0] - w[0, 0]) / step
    drift = ((x[0] @ w[0, 0] > 0)[:, None] * x[0]).mean(0) / 2
    total = sum(np.asarray(NonlinearGP(5, xi, 3.0).covariance(), float) for xi in (1.5, 0.7))
    np.testing.assert_allclose(alone, drift - total @ w[0, 0] / 4, atol=2e-3)


@pytest.mark.slow
def test_ever_fresher_gates_come_to_the_relu_path():
    """The error of the end halves with the time between refreshments."""
    relu_way = relu_path(GAUSSIAN, STARTS, 0.125, 33)
    off = [
        np.linalg.norm(
            refreshed_path(GAUSSIAN, relu_way.fields, STARTS, 0.125, every, own=True).fields[:, -1] - relu_way.fields[:, -1]
        )
        for every in (1, 2, 4)
    ]
    assert 1.6 < off[1] / off[0] < 2.4
    assert 1.6 < off[2] / off[1] < 2.6


@pytest.mark.wrong_types
def test_errors_say_what_to_do():
    with pytest.raises(UserError, match="the same sets, units and sites"):
        refreshed_path(GAUSSIAN, PATHS, STARTS[:1], 0.5, 1)
    with pytest.raises(UserError, match="two times or more"):
        refreshed_path(GAUSSIAN, PATHS[:, :1], STARTS, 0.5, 1)
    with pytest.raises(UserError, match="times must be a whole number of at least 2"):
        relu_path(GAUSSIAN, STARTS, 0.5, 1)
    with pytest.raises(UserError, match="write mixture"):
        relu_path(TASK, STARTS, 0.5, 2)
