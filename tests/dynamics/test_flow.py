"""Flow against a linear system's exact path, another integrator and the scalar reduction of the single neuron; steady states
against their closed form, and stability against known spectra."""

import functools
import re

import diffrax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from scipy import integrate, optimize
from traces import Traces

from gatefield import Grid, UserError, flow
from gatefield.data import Gaussian, fourier_basis, ring_spectrum
from gatefield.dynamics import stability
from gatefield.theory import elliptical, relu


def test_linear_flow_is_the_matrix_exponential():
    rng = np.random.default_rng(0)
    A, starts = rng.normal(size=(5, 5)), rng.normal(size=(3, 2, 5))
    record = flow(lambda w: w @ A.T, starts, [0.0, 0.7, 2.0])
    expected = starts @ scipy.linalg.expm(2.0 * A).T
    np.testing.assert_allclose(record.fields.values[:, -1], expected, rtol=1e-7, atol=1e-9)
    assert record.fields.dims == ("run", "time", "unit", "position")
    assert record.fields.dtype == np.float64


def test_single_neuron_follows_its_scalar_reduction():
    """u_k(t) = u_k(0) exp(-(l0+l1)t/4 + sqrt(2/pi) l1 s/4) with ds/dt = 1/r, integrated by scipy."""
    n, t = 12, 5.0
    w0 = np.random.default_rng(1).normal(size=(1, n)) / 3
    cov1, cov0 = (Gaussian(n, xi).covariance() for xi in (2.0, 1.0))
    record = flow(lambda w: relu.velocity(w, cov1, cov0), w0, [0.0, t])
    order = (np.arange(n) + 1) // 2
    l1, l0, u0 = ring_spectrum(n, 2.0)[order], ring_spectrum(n, 1.0)[order], fourier_basis(n).T @ w0[0]

    def modes(t, s):
        return u0 * np.exp(-(l0 + l1) * t / 4 + np.sqrt(2 / np.pi) * l1 * s / 4)

    path = integrate.solve_ivp(lambda t, s: 1 / np.sqrt(np.sum(l1 * modes(t, s) ** 2)), (0, t), [0.0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(
        fourier_basis(n).T @ record.fields.values[0, -1, 0], modes(t, path.y[0, -1]), rtol=1e-7, atol=1e-10
    )


SPIRAL = np.array([[-0.3, 1.0, 0.0], [-1.0, -0.3, 0.0], [0.2, 0.1, -0.5]])
"""Its eigenvalues are -0.3 +- i and -0.5."""


@pytest.mark.slow
def test_the_steady_time_is_where_a_linear_flow_gets_slow():
    """Three runs: two that decay to zero, whose time is found from the matrix exponential, and one that does not move."""
    calls = Traces()

    def velocity(w):
        calls.append(w)
        return w @ SPIRAL.T

    starts, tol = np.array([[[1.0, 2.0, -1.0]], [[0.0, 0.0, 5.0]], [[0.0, 0.0, 0.0]]]), 1e-6
    record = flow(velocity, starts, [0.0, 5.0, 40.0, 100.0], until="steady", steady_tol=tol)
    for run in (0, 1):
        start = starts[run, 0]

        def excess(t, start=start):
            return np.log(np.linalg.norm(SPIRAL @ scipy.linalg.expm(SPIRAL * t) @ start) / (tol * np.linalg.norm(start)))

        assert float(record.steady_time[run]) == pytest.approx(optimize.brentq(excess, 10, 90), abs=1e-3)
        np.testing.assert_allclose(record.fields[run, 1, 0], scipy.linalg.expm(5 * SPIRAL) @ start, atol=1e-8)
    assert record.steady.values.tolist() == [True, True, True]
    assert float(record.steady_time[2]) == 0.0
    assert np.all(record.residual <= tol * 1e-6)
    np.testing.assert_allclose(record.fields[:, -1], 0.0, atol=1e-12)
    np.testing.assert_allclose(record.eigenvalues, np.tile([-0.3, -0.3, -0.5], (3, 1)), atol=1e-12)
    np.testing.assert_allclose(record.eigenvalues_imag, np.tile([1.0, -1.0, 0.0], (3, 1)), atol=1e-12)
    assert record.unstable.values.tolist() == [0, 0, 0]

    traced = len(calls)
    again = flow(velocity, starts, [0.0, 4.0, 30.0, 90.0], until="steady", steady_tol=tol)
    assert len(calls) <= traced + 1  # its shape is looked at, and nothing is compiled anew
    np.testing.assert_allclose(again.steady_time, record.steady_time, atol=1e-3)


@pytest.mark.slow
def test_steady_states_of_a_single_neuron_are_the_fourier_modes():
    """Amplitude sqrt(2/pi) sqrt(l1)/(l0+l1) at each mode; unstable are all modes with a smaller l0/l1."""
    n, modes = 12, [0, 1, 2, 6]
    l1, l0 = ring_spectrum(n, 2.0), ring_spectrum(n, 1.0)
    cov1, cov0 = (Gaussian(n, xi).covariance() for xi in (2.0, 1.0))
    basis = fourier_basis(n)[:, [0, 1, 3, 11]]
    amplitude = np.sqrt(2 / np.pi) * np.sqrt(l1[modes]) / (l0[modes] + l1[modes])
    sizes = np.array([0.7, 0.7, 0.7, amplitude[3] * (1 + 1e-9)])  # rounding would grow to leave the last saddle
    record = flow(lambda w: relu.velocity(w, cov1, cov0), (sizes * basis).T[:, None], [0.0, 1e4], until="steady")
    fields = record.fields.values[:, -1, 0]
    np.testing.assert_allclose(np.sum(fields * basis.T, axis=1), amplitude, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(fields, axis=1), amplitude, rtol=1e-12)
    assert record.steady.all()
    assert record.refined.all()
    np.testing.assert_array_less(record.residual, 1e-15)
    assert record.unstable.values.tolist() == [np.sum(l0 / l1 < (l0 / l1)[k] * (1 - 1e-9)) for k in modes] == [0, 1, 3, 11]
    radial = -(l0[0] + l1[0]) / 4
    others = -l1 / 4 * (l0 / l1 - l0[0] / l1[0])
    np.testing.assert_allclose(record.eigenvalues[0], np.sort([radial, *others[1:]])[::-1], atol=1e-12)


@pytest.mark.slow
def test_biases_flow_along_with_their_fields():
    """A tuple of arrays, two runs, one bias vector for both, against scipy's integrator."""
    matrix = np.random.default_rng(2).normal(size=(3, 3)) / 3

    def change(module, W, b, b2):
        out = module.tanh(W).sum(-1) + b - b2
        return W @ matrix - W, module.sin(out) - b, out.mean(-1) - b2

    starts = np.random.default_rng(3).normal(size=(2, 2, 3))
    bias, output_bias = np.array([0.4, -0.2]), np.array([0.3, 1.0])
    record = flow(lambda W, b, b2: change(jnp, W, b, b2), (starts, bias, output_bias), [0.0, 1.0, 3.0])
    assert record.bias.dims == ("run", "time", "unit")
    assert record.output_bias.dims == ("run", "time")

    def flat(t, y):
        return np.concatenate([np.ravel(part) for part in change(np, y[:6].reshape(2, 3), y[6:8], y[8])])

    for run in (0, 1):
        y0 = np.concatenate([starts[run].ravel(), bias, output_bias[run, None]])
        end = integrate.solve_ivp(flat, (0, 3), y0, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
        last = record.isel(run=run, time=-1)
        np.testing.assert_allclose(last.fields, end[:6].reshape(2, 3), atol=1e-8)
        np.testing.assert_allclose(last.bias, end[6:8], atol=1e-8)
        np.testing.assert_allclose(last.output_bias, end[8], atol=1e-8)


@pytest.mark.slow
def test_a_stiff_flow_reaches_a_late_time():
    rates = np.array([-1e6, -1.0, -1e-4])

    def velocity(w):
        return rates * (w - 1.0)

    with pytest.raises(UserError, match=r"made 500 steps and reached time .* of 20000 in run 0: take solver='kvaerno5'"):
        flow(velocity, np.zeros((1, 3)), [0.0, 2e4], max_steps=500)
    record = flow(velocity, np.zeros((1, 3)), [0.0, 1.0, 2e4], solver="kvaerno5")
    expected = -np.expm1(rates * np.array([[0.0], [1.0], [2e4]]))
    np.testing.assert_allclose(record.fields[0, :, 0], expected, atol=1e-7)


@pytest.mark.slow
def test_a_line_of_steady_states_is_reached_without_a_shift_along_it():
    """v = w (1 - |w|^2) moves along rays: every start ends where its ray meets the sphere, a neutral direction aside."""
    starts = np.random.default_rng(5).normal(size=(5, 1, 3))
    record = flow(lambda w: w * (1 - jnp.sum(w**2)), starts, [0.0, 100.0], until="steady")
    assert record.refined.all()
    expected = starts / np.linalg.norm(starts, axis=-1, keepdims=True)
    np.testing.assert_allclose(record.fields[:, -1], expected, atol=1e-9)
    np.testing.assert_array_less(record.residual, 1e-15)
    np.testing.assert_allclose(record.eigenvalues, np.tile([0.0, 0.0, -2.0], (5, 1)), atol=1e-12)
    assert not record.unstable.any()


@pytest.mark.slow
def test_a_slow_place_without_a_steady_state_is_not_refined():
    """dw/dt = 1e-10 + (w - 1)^2 lingers at w = 1 and has no zero."""
    record = flow(lambda w: 1e-10 + (w - 1) ** 2, np.full((1, 1), 0.5), [0.0, 1e5], until="steady")
    assert record.steady.item()
    assert not record.refined.item()
    assert record.residual.item() == pytest.approx(1e-8, rel=1e-2)
    assert 0 < 1 - record.fields.values[0, -1, 0, 0] < 2e-4


def towards(w, end):
    return 0.01 * (end - w)


@pytest.mark.slow
def test_a_steady_state_far_away_is_another_one():
    """At w = 1 the flow 0.01 (w* - w) is slow enough for this tolerance; Newton's method goes to w*, near or far."""
    for end, refined in ((1.04, True), (3.0, False)):
        record = flow(
            functools.partial(towards, end=np.array(end)), np.ones((1, 1)), [0.0, 1.0], until="steady", steady_tol=0.05
        )
        assert record.refined.item() == refined
        assert record.fields.values[0, -1, 0, 0] == pytest.approx(end if refined else 1.0)


def test_stability_does_not_depend_on_the_scale_of_the_velocity():
    rates = np.array([3.0, 1e-3, 1e-12, -2.0])
    for scale in (1e-9, 1.0, 1e9):
        found, unstable = stability(lambda w, scale=scale: scale * rates * w, np.zeros((1, 4)))
        assert unstable == 2
        np.testing.assert_allclose(found, scale * rates, rtol=1e-12)
    assert stability(lambda w: rates * w, np.zeros((1, 4)), neutral=1e-2)[1] == 1
    assert stability(lambda w: rates * w, np.zeros((1, 4)), neutral=1e-15)[1] == 3


@pytest.mark.slow
def test_a_solver_of_diffrax_can_be_given():
    by_name, by_object = (
        flow(lambda w: w @ SPIRAL.T, np.ones((1, 3)), [0.0, 2.0], solver=solver) for solver in ("dopri8", diffrax.Tsit5())
    )
    np.testing.assert_allclose(by_object.fields, by_name.fields, rtol=1e-7)
    assert (by_name.attrs["solver"], by_object.attrs["solver"]) == ("dopri8", "Tsit5")


def test_runs_of_a_grid_have_its_axes():
    grid = Grid(size=[1.0, 2.0], seed=3)
    starts = grid.share(np.random.default_rng(6).normal(size=(3, 1, 2)), over="seed") * grid.size[:, None, None]
    record = flow(lambda w: -w, starts, [0.0, 1.0], runs=grid, until="steady")
    assert record.fields.dims == ("size", "seed", "time", "unit", "position")
    assert record.steady.dims == ("size", "seed")
    assert record.size.values.tolist() == [1.0, 2.0]
    np.testing.assert_allclose(record.fields.sel(size=2.0, seed=1, time=1.0)[0], starts[4, 0] / np.e, rtol=1e-8)
    with pytest.raises(UserError, match=r"runs is Grid\(size=2, seed=3\), 6 runs, but w0 is for 1; give one value for each"):
        flow(lambda w: -w, np.ones((1, 2)), [0.0, 1.0], runs=grid)


@pytest.mark.parametrize(("name", "until"), [("time", "times"), ("fields", "times"), ("mode", "steady")])
def test_an_axis_with_a_name_of_the_record_is_refused_before_the_flow(name, until):
    with pytest.raises(UserError, match=f"An axis of a grid cannot be called '{name}', which its record has"):
        flow(pytest.fail, np.ones((2, 1, 2)), [0.0, 1.0], until=until, runs=Grid(**{name: [7, 8]}))


def test_a_record_has_units():
    record = flow(lambda w: -w, np.ones((1, 2)), [0.0, 1.0], until="steady")
    assert not record.steady.any()
    assert np.isnan(record.steady_time).all()
    assert record.time.attrs["units"] == record.steady_time.attrs["units"] == "tau"
    assert record.position.attrs["units"] == "site"
    assert record.eigenvalues.attrs["units"] == "1/tau"
    assert record.attrs["kind"] == "flow"


def test_a_velocity_that_knows_the_time_has_no_steady_states():
    with pytest.raises(UserError, match="depends on time has no steady states; use until='times' with timed=True"):
        flow(lambda w, time: -w, np.ones((1, 2)), [0.0, 1.0], until="steady", timed=True)


def test_stability_counts_the_growing_modes():
    rng = np.random.default_rng(4)
    basis, rates = rng.normal(size=(6, 6)), np.array([2.0, 0.5, 0.0, -0.1, -1.0, -3.0])
    matrix = basis @ np.diag(rates) @ np.linalg.inv(basis)
    found, unstable = stability(lambda w: (w.ravel() @ matrix.T).reshape(w.shape), np.zeros((2, 3)))
    np.testing.assert_allclose(found, rates, atol=1e-11)
    assert unstable == 2
    found, unstable = stability(lambda W, b: (b[:, None] * jnp.ones_like(W), -W.sum(1)), (np.zeros((4, 1, 2)), np.zeros(1)))
    assert found.shape == (4, 3)
    np.testing.assert_allclose(sorted(found[0], key=np.imag), [-1j * np.sqrt(2), 0, 1j * np.sqrt(2)], atol=1e-12)
    assert unstable.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("w0", "times", "text"),
    [
        (
            np.ones((1, 1, 1, 3)),
            [0, 1],
            "w0 must have shape (n,), (K, n) or (runs, K, n), but has (1, 1, 1, 3); write for",
        ),
        (np.full((1, 3), np.nan), [0, 1], "w0 must be finite, but is nan"),
        (
            np.ones((1, 3)),
            [0, 0],
            "two or more increasing numbers, but are [0, 0]; write for instance times=[0, 10, 100].",
        ),
        (
            (np.ones((1, 3)),) * 4,
            [0, 1],
            "w0 must be an array of fields, or a tuple (fields, bias, output_bias), but has 4 parts; write for instance w0=",
        ),
        (
            (np.ones((2, 3)), np.ones(3)),
            [0, 1],
            "one bias for each unit, but has 2 units and 3 biases; write for instance w0=(fields, np.zeros(2)).",
        ),
        (
            (np.ones((2, 3)), 1.0),
            [0, 1],
            "shape (K,) or (runs, K), but has (); write for instance np.zeros(K).",
        ),
        (
            (np.ones((4, 2, 3)), np.ones((3, 2))),
            [0, 1],
            "equally many runs, but have 3, 4; give what all runs share without a run axis, such as bias[0].",
        ),
    ],
)
def test_bad_input_is_one_sentence(w0, times, text):
    with pytest.raises(UserError) as caught:
        flow(lambda w, *rest: -w, w0, times)
    assert text in str(caught.value)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"solver": "dopri5"}, "Unknown solver 'dopri5': did you mean 'dopri8'?"),
        ({"until": "stead"}, "Unknown end of a flow 'stead': did you mean 'steady'?"),
        ({"rtol": 0.0}, "rtol must be positive and finite, but is 0"),
        ({"max_steps": 0}, "max_steps must be a whole number of at least 1, but is 0; write for instance max_steps=1."),
    ],
)
def test_bad_settings_are_one_sentence(settings, text):
    with pytest.raises(UserError) as caught:
        flow(lambda w: -w, np.ones((1, 3)), [0, 1], **settings)
    assert text in str(caught.value)


def test_a_velocity_of_another_shape_is_one_sentence():
    with pytest.raises(UserError, match=r"must give an array of shape \(1, 3\) for fields, but gives an array of shape \(1,\)"):
        flow(lambda w: w.sum(1), np.ones((1, 3)), [0, 1])
    with pytest.raises(UserError, match=r"must give 2 arrays of shape \(1, 3\) and \(1,\) for fields and bias, but gives an"):
        flow(lambda w, b: w, (np.ones((1, 3)), np.ones(1)), [0, 1])


def wild(w):
    """Diverges at time one from w = 1, and is undefined at w = 0."""
    return w**3 / w


def test_a_flow_that_explodes_says_so():
    with pytest.raises(UserError, match=r"left the finite numbers: the velocity diverges in run 0 near time 1;") as caught:
        flow(wild, np.ones((1, 2)), [0.0, 5.0])
    assert "near time 1; ask for less time: --set a smaller number of steps" in caught.value.shell


def test_a_velocity_that_is_undefined_at_the_start_says_so():
    with pytest.raises(UserError, match=r"not finite at the start of run 0: see that no field is zero"):
        flow(wild, np.zeros((1, 2)), [0.0, 5.0])


@pytest.mark.slow
def test_a_single_field_flows_by_a_velocity_of_one_field():
    start, cov1, cov0 = np.array([0.3, -0.2, 0.1]), np.eye(3), np.diag([0.2, 0.5, 1.0])
    velocity = functools.partial(elliptical.velocity, cov1=cov1, cov0=cov0, radial="laplace")
    record = flow(velocity, start, [0.0, 3.0])
    path = integrate.solve_ivp(lambda _, w: velocity(w), (0, 3), start, "DOP853", rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(record.fields.values[0, -1, 0], path.y[:, -1], rtol=1e-7)
    late = flow(lambda w, time: 0 * w + time, np.zeros(2), [0.0, 2.0], timed=True)
    np.testing.assert_allclose(late.fields.values[0, -1], [[2.0, 2.0]])


def test_a_velocity_that_jumps_as_sampled_ones_do_needs_the_tolerances_that_the_message_names():
    """Gates of a sample: at the default tolerances the steps run out, at those of the message they are enough."""
    x = np.random.default_rng(0).normal(size=(500, 3))

    def velocity(w):
        return (x * (x @ w[0] > 0)[:, None]).mean(0)[None] - w

    start = np.array([[1.0, 0.5, 0.2]])
    with pytest.raises(
        UserError, match=r"made 50 steps .* larger rtol and atol \(1e-3 for a velocity estimated from samples"
    ) as caught:
        flow(velocity, start, [0.0, 1.0], max_steps=50)
    assert re.fullmatch(
        r"The flow made 50 steps and reached time \S+ of 1 in run 0; ask for less time: --set a smaller number of steps, or a "
        r"smaller learning rate\.",
        caught.value.shell,
    )
    assert np.isfinite(flow(velocity, start, [0.0, 1.0], max_steps=50, rtol=1e-3, atol=1e-3).fields).all()
