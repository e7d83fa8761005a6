"""The search over half-space gates: its objective, its gradient, and what it finds where the best is known."""

import equinox as eqx
import jax
import numpy as np
import pytest

from gatefield import UserError
from gatefield.data import Gaussian, Hypercube, NonlinearGP, SinglePulse, Task
from gatefield.gates import half_spaces
from gatefield.theory import gated_linear
from gatefield.theory.gated_linear import best_half_spaces, explained_by_directions, mixture

TASK = Task(Gaussian(6, 1.5), Gaussian(6, 0.7))
V = np.random.default_rng(0).normal(size=(2, 6))


def _monte_carlo(V, task, samples, seed):
    """What gates explain, by NumPy's own Gaussian samples, and the standard error of it."""
    rng, parts = np.random.default_rng(seed), []
    for source in (task.positive, task.negative):
        x = rng.multivariate_normal(np.zeros(task.n), source.covariance(), size=samples)
        parts.append(((x @ V.T > 0)[:, :, None] * x[:, None, :]).reshape(samples, -1))
    A = sum(g.T @ g / samples for g in parts) / 2
    b = parts[0].mean(0) / 2
    u = np.linalg.solve(A, b)
    terms = [2 * y * (g @ u) - (g @ u) ** 2 for y, g in zip((1.0, 0.0), parts, strict=True)]
    return b @ u, np.sqrt(sum(t.var() for t in terms) / samples) / 2


def test_objective_is_what_the_moments_explain():
    A, b, _ = gated_linear.statistics(half_spaces(V), TASK)
    np.testing.assert_allclose(explained_by_directions(V, TASK), b @ np.linalg.solve(A, b), rtol=1e-8)


def test_gradient_by_finite_differences():
    with jax.enable_x64(True):
        slope = np.asarray(jax.grad(lambda v: explained_by_directions(v, TASK))(V))
    step, numbers = 1e-5, np.zeros_like(V)
    for index in np.ndindex(V.shape):
        shift = np.zeros_like(V)
        shift[index] = step
        numbers[index] = (explained_by_directions(V + shift, TASK) - explained_by_directions(V - shift, TASK)) / (2 * step)
    np.testing.assert_allclose(slope, numbers, atol=1e-8)


@pytest.mark.slow
def test_sampled_objective_mirrors_the_sample():
    """On a fixed sample the moments are those of all inputs with both signs."""
    task = Task(NonlinearGP(6, 1.5, 3.0), NonlinearGP(6, 0.7, 3.0))
    with jax.enable_x64(True):
        problem = mixture(task, key=jax.random.key(0), samples=200)
        u = np.random.default_rng(1).normal(size=V.shape)
        A, b = map(np.asarray, eqx.filter_jit(problem.moments)(V))
        gain = float(eqx.filter_jit(problem.gain)(V, u))
    expected_A, expected_b = 0.0, 0.0
    for label, law in zip((1.0, 0.0), problem.classes, strict=True):
        x = np.concatenate([np.asarray(law.x), -np.asarray(law.x)])
        g = ((x @ V.T > 0)[:, :, None] * x[:, None, :]).reshape(len(x), -1)
        expected_A, expected_b = expected_A + g.T @ g / len(x) / 2, expected_b + label * g.mean(0) / 2
    np.testing.assert_allclose(A, expected_A, atol=1e-12)
    np.testing.assert_allclose(b, expected_b, atol=1e-12)
    np.testing.assert_allclose(gain, 2 * u.ravel() @ b - u.ravel() @ A @ u.ravel(), rtol=1e-10)


@pytest.mark.slow
def test_best_pair_beats_the_known_one_and_the_best_tiling():
    """An earlier search found 0.24197, which many starts reach; there is a better pair, confirmed by sampling."""
    found = best_half_spaces(TASK, 2, key=jax.random.key(5), starts=16, steps=150, tries=20)
    assert np.any(np.abs(found.end_explained - 0.24197) < 5e-6)
    assert found.explained > 0.24197 + 1e-3
    value, error = _monte_carlo(found.directions, TASK, 150_000, seed=1)
    assert abs(value - found.explained) < 4 * error
    cov1, cov0 = TASK.positive.covariance(), TASK.negative.covariance()
    best_share = max(np.linalg.eigvals(np.linalg.solve(cov0 + cov1, cov1)).real)
    assert found.explained > best_share / np.pi + 0.02  # the best exclusive pair
    np.testing.assert_allclose(np.linalg.norm(found.directions, axis=1), 1.0)


def test_single_gate_is_the_best_mode():
    found = best_half_spaces(TASK, 1, key=jax.random.key(0), starts=2, steps=100, tries=1)
    cov1, cov0 = TASK.positive.covariance(), TASK.negative.covariance()
    best_share = max(np.linalg.eigvals(np.linalg.solve(cov0 + cov1, cov1)).real)
    np.testing.assert_allclose(found.explained, best_share / (2 * np.pi), rtol=1e-6)


@pytest.mark.slow
def test_local_search_and_given_starts_never_lose():
    """On sampled data: at least as good as each end, on the search's own sample."""
    task = Task(Hypercube(6, 1.5), Hypercube(6, 0.7))
    found = best_half_spaces(task, 2, key=jax.random.key(1), starts=1, steps=10, tries=30, samples=500, further_starts=V[None])
    assert found.end_explained.shape == (2,)
    assert found.explained >= found.end_explained.max() - 1e-12
    assert found.refined == pytest.approx(found.explained - found.end_explained.max())


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("task", "extra", "words"),
    [
        ("task", {}, "task must be a Task"),
        (Task(SinglePulse(6, (1, 2)), SinglePulse(6, (3, 3))), {}, "data symmetric about 0"),
        (TASK, {"further_starts": V}, r"further_starts must have shape \(sets, K, n\).*but has shape \(2, 6\)"),
        (TASK, {"further_starts": 0 * V[None]}, "further_starts must have no row of zeros"),
        (TASK, {"starts": 0}, "starts must be a whole number of at least 1"),
    ],
)
def test_errors(task, extra, words):
    with pytest.raises(UserError, match=words):
        best_half_spaces(task, 2, key=jax.random.key(0), **extra)


def test_closed_objective_is_for_gaussian_data():
    with pytest.raises(UserError, match="closed form is for Gaussian data"):
        explained_by_directions(V, Task(Hypercube(6, 1.5), Hypercube(6, 0.7)))
