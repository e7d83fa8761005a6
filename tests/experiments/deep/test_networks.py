"""Networks on a handful of samples: the step of descent by differences, the recursion by powers of a matrix."""

import jax
import numpy as np
import pytest
import xarray as xr

from gatefield import UserError, one_run
from gatefield.experiments.deep.networks import Case, descend, draw, own_gates, random_gates, ratio, recorded, recursion
from gatefield.kernels import ntk
from gatefield.lab import MemoryBench

RNG = np.random.default_rng(3)
SOFT = (4.0, 0.1)


def outputs(weights, gates, x):
    """Sample by sample and unit by unit."""
    found = []
    for s, row in enumerate(x):
        z = row
        for w, gate in zip(weights[:-1], gates, strict=True):
            z = np.array([gate[s, j] * sum(z[i] * w[i, j] for i in range(len(z))) for j in range(w.shape[1])])
        found.append(sum(z[j] * weights[-1][j, 0] for j in range(len(z))))
    return np.array(found)


def gates_of(weights, x, soft):
    """The gates of a ReLU or soft-ReLU network, sample by sample."""
    gates = [np.empty((len(x), w.shape[1])) for w in weights[:-1]]
    for s, row in enumerate(x):
        z = row
        for w, gate in zip(weights[:-1], gates, strict=True):
            q = z @ w
            gate[s] = np.where(q > 0, 1.0, 0.0) if soft is None else 1.1 / (1 + np.exp(-4.0 * q))
            z = q * gate[s]
    return gates


def drawn(count=2):
    return [draw(RNG, "gaussian", 0.5, depth=4, width=5, inputs=2) for _ in range(count)]


def stepped(weights, gate, x, y, rate):
    """Errors after a step on half the squared error whose slope is found by differences; `gate` gives the gates of weights."""

    def loss(at):
        return 0.5 * ((outputs(at, gate(at), x) - y) ** 2).sum()

    moved = [w.copy() for w in weights]
    for k, w in enumerate(weights):
        for at in np.ndindex(w.shape):
            ends = []
            for sign in (1, -1):
                other = [v.copy() for v in weights]
                other[k][at] += sign * 1e-6
                ends.append(loss(other))
            moved[k][at] -= rate * (ends[0] - ends[1]) / 2e-6
    return outputs(moved, gate(moved), x) - y


@pytest.mark.costly
@pytest.mark.parametrize("gating", ["free", "relu", "soft-relu"])
def test_descent_takes_the_step_that_differences_give(gating):
    soft, cases = SOFT if gating == "soft-relu" else None, []
    for weights in drawn():
        x, y = RNG.normal(size=(3, 2)), RNG.normal(size=3)
        gates = random_gates(RNG, 0.6, 4, 3, 5) if gating == "free" else own_gates(weights, x, soft)
        cases.append(Case(weights, gates, x, y))
    with jax.enable_x64(True):
        net, record = descend(MemoryBench(), gating, cases, 0.3, gating=gating, soft=soft, steps=1, record_every=1)
        ends = [np.asarray(one_run(net, run)(case.x)) - case.y for run, case in enumerate(cases)]
    for run, (weights, gates, x, y) in enumerate(cases):
        rate = 0.3 / np.linalg.norm(np.asarray(ntk(weights, gates, x)), 2)
        gate = (lambda _, gates=gates: gates) if gating == "free" else (lambda at, x=x: gates_of(at, x, soft))
        errors = [outputs(weights, gate(weights), x) - y, stepped(weights, gate, x, y, rate)]
        np.testing.assert_allclose(record.loss[run], [(e**2).sum() / 2 for e in errors], rtol=1e-7)
        np.testing.assert_allclose(ends[run], errors[1], atol=1e-7)


@pytest.mark.parametrize("soft", [None, SOFT])
def test_own_gates_and_errors_unit_by_unit(soft):
    (weights,), x, y = drawn(1), RNG.normal(size=(3, 2)), RNG.normal(size=3)
    gates = own_gates(weights, x, soft)
    np.testing.assert_allclose(gates, gates_of(weights, x, soft), rtol=1e-12)
    np.testing.assert_allclose(Case(weights, gates, x, y).error(), outputs(weights, gates, x) - y, rtol=1e-10)


def test_recursion_is_powers_of_a_matrix():
    case = Case(drawn(1)[0], random_gates(RNG, 0.8, 4, 3, 5), RNG.normal(size=(3, 2)), RNG.normal(size=3))
    kernel, error = case.kernel(), RNG.normal(size=3)
    values, found = recursion(kernel, error, 0.5, [0, 1, 7])
    step = np.eye(3) - 0.5 / np.linalg.norm(kernel, 2) * kernel
    expected = [np.linalg.norm(np.linalg.matrix_power(step, t) @ error) for t in (0, 1, 7)] / np.linalg.norm(error)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose([values.sum(), (values**2).sum()], [np.trace(kernel), np.trace(kernel @ kernel)])


def test_draws_have_their_law():
    signs = np.concatenate([w.ravel() for w in draw(RNG, "signs", 0.3, 4, 30)])
    assert set(abs(signs)) == {0.3}
    assert abs(signs.mean()) < 4 * 0.3 / np.sqrt(signs.size)
    normal = np.concatenate([w.ravel() for w in draw(RNG, "gaussian", 0.3, 4, 30)])
    assert normal.std() == pytest.approx(0.3, abs=4 * 0.3 / np.sqrt(2 * normal.size))
    gates = np.array(random_gates(RNG, 0.2, 5, 40, 30))
    assert gates.shape == (4, 40, 30)
    assert gates.mean() == pytest.approx(0.2, abs=4 * 0.4 / np.sqrt(gates.size))
    with pytest.raises(UserError, match=r"Unknown law of weights 'normal'"):
        draw(RNG, "normal", 1.0, 3, 2)


def test_a_diverged_run_has_an_infinite_ratio():
    loss = xr.DataArray([[8.0, 2.0, 18.0], [4.0, np.nan, np.inf]], dims=("run", "step"))
    assert ratio(loss).values.tolist() == [[1.0, 0.5, 1.5], [1.0, np.inf, np.inf]]


def test_recorded_steps_are_those_of_a_training():
    cases = [Case(drawn(1)[0], random_gates(RNG, 0.8, 4, 3, 5), np.ones((3, 2)), np.ones(3))]
    for steps in (6, 7):
        found = descend(MemoryBench(), "part", cases, 0.1, steps=steps, record_every=3).record
        assert found.step.values.tolist() == recorded(steps, 3).tolist()


def test_a_network_without_open_paths_is_refused():
    case = Case(drawn(1)[0], [np.zeros((3, 5))] * 3, np.ones((3, 2)), np.ones(3))
    with pytest.raises(UserError, match="A network of width 5 has no open path on any sample and cannot be trained; choose a"):
        descend(MemoryBench(), "part", [case], 0.1, steps=1, record_every=1)
