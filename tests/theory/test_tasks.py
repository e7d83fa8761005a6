"""Theory takes tasks: velocities, losses and spectra of a task are those of its covariances and labels."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, Task, UserError, flow, train
from gatefield.data import (
    Elliptical,
    Gaussian,
    GaussianClone,
    Hypercube,
    Ising,
    Marginal,
    NonlinearGP,
    SinglePulse,
    Source,
    Taught,
    ring_spectrum,
)
from gatefield.gates import Open
from gatefield.nets import GatedLinear
from gatefield.theory import closure, drift, elliptical, erf, neuron, relu

SOURCES = {
    "gaussian": lambda xi: Gaussian(6, xi),
    "squashed": lambda xi: NonlinearGP(6, xi, 3.0),
    "hypercube": lambda xi: Hypercube(6, xi),
    "elliptical": lambda xi: Elliptical(6, xi, "student:5"),
    "marginal": lambda xi: Marginal(6, xi, "laplace"),
    "ising": lambda xi: Ising(6, xi / 4),
    "clone": lambda xi: GaussianClone(NonlinearGP(6, xi, 3.0)),
}


def trained(task):
    net = Committee(6, 1, key=jax.random.key(0))
    return train(net, task, steps=2, batch_size=10, learning_rate=0.1, key=jax.random.key(1)).record.fields.values


def test_sources_that_a_flow_has_traced_train_as_before():
    """A flow traces in float64, training in float32, both with the same sources: neither may leave its precision behind."""
    first, task = (Task(Gaussian(6, 2.0), Gaussian(6, 1.0)) for _ in range(2))

    def velocity(w):
        own = relu.velocity(w, task.positive.covariance(), task.negative.covariance())
        return (own + relu.velocity(w, task)) / 2

    record = flow(velocity, np.asarray(Committee(6, 1, key=jax.random.key(0)).fields, float), [0.0, 0.1])
    assert record.fields.dtype == np.float64
    np.testing.assert_array_equal(trained(task), trained(first))


@pytest.mark.parametrize("name", ["squashed", "marginal", "ising"])
def test_sources_traced_in_float64_serve_in_float32(name):
    """The compiled function, which stays alive, holds on to what it was traced with; its sources must not."""
    source = SOURCES[name](2.0)

    def both(w):
        return w @ source.covariance() @ w + jnp.sum(source.mean()) + jnp.sum(source.sample(jax.random.key(0), 2))

    traced = jax.jit(both)
    with jax.enable_x64(True):
        assert traced(jnp.ones(6)).dtype == np.float64
    drawn = jax.jit(lambda one: one.sampler()(jax.random.key(0), 3))(source)
    np.testing.assert_array_equal(drawn, jax.jit(lambda one: one.sampler()(jax.random.key(0), 3))(SOURCES[name](2.0)))
    assert drawn.dtype == np.float32


RNG = np.random.default_rng(0)
W = RNG.normal(size=(2, 6))
B = np.array([0.3, -0.5])
UNEVEN = Task(Gaussian(6, 2.0), Gaussian(6, 1.0), labels=(1.5, -0.5), proportion=0.3)
PLAIN = Task(Gaussian(6, 2.0), Gaussian(6, 1.0))


class Skewed(Source):
    """A source of a user, of mean zero, that says nothing of its law."""

    n: int = eqx.field(static=True)

    def sampler(self):
        return lambda key, size: jax.random.exponential(key, (size, self.n)) - 1

    def _covariance(self):
        return jnp.eye(self.n)


def covariances(task):
    return task.positive.covariance(), task.negative.covariance()


@pytest.mark.parametrize("name", SOURCES)
def test_a_task_stands_for_its_covariances_and_labels(name):
    task = Task(*(GaussianClone(SOURCES[name](xi)) for xi in (2.0, 1.0)), labels=(1.0, -0.5))
    covs, labels = covariances(task), (1.0, -0.5)
    np.testing.assert_array_equal(relu.velocity(W, task), relu.velocity(W, *covs, labels))
    assert relu.loss(W, task, output_bias=0.1) == relu.loss(W, *covs, labels, output_bias=0.1)
    for one, two in zip(erf.velocity(W, B, 0.2, task), erf.velocity(W, B, 0.2, *covs, labels), strict=True):
        np.testing.assert_array_equal(one, two)
    assert erf.loss(W, B, 0.2, task) == erf.loss(W, B, 0.2, *covs, labels)


@pytest.mark.parametrize(
    "function",
    [
        lambda task: relu.velocity(W, task),
        lambda task: relu.loss(W, task),
        lambda task: erf.velocity(W, B, 0.2, task),
        lambda task: erf.loss(W, B, 0.2, task),
        relu.generalised_modes,
        relu.winning_mode,
        relu.steady_amplitude,
        lambda task: relu.single_path(W[0], task, times=[1.0]),
    ],
)
def test_formulas_for_gaussian_inputs_refuse_others(function):
    """They would be those of another law, without a word; the clones of the sources are taken."""
    with pytest.raises(UserError, match=r"Hypercube inputs.*GaussianClone\(Hypercube\(\.\.\.\)\)"):
        function(Task(Gaussian(6, 2.0), Hypercube(6, 1.0)))
    function(Task(Gaussian(6, 2.0), GaussianClone(Hypercube(6, 1.0))))


def test_formulas_for_any_law_take_any_source():
    task = Task(Hypercube(6, 2.0), Hypercube(6, 1.0))
    spectra = [np.fft.fft(cov[0]).real for cov in covariances(task)]
    np.testing.assert_allclose(erf.linear_rates(B, task), erf.linear_rates(B, *spectra), rtol=1e-10)
    assert neuron.velocity(W[0], task).shape == (6,)


def weighted(function, task):
    """p times what the positive class gives by itself, plus (1-p) times the negative class: each as a balanced task of two."""
    p, labels = task.proportion, [float(y) for y in task.labels]
    parts = [function(cov, cov, (y, y)) for cov, y in zip(covariances(task), labels, strict=True)]
    return jax.tree.map(lambda one, two: p * one + (1 - p) * two, *parts)


def test_class_shares_weigh_the_classes():
    """Formulas are means over classes, so that they follow from those for a single class."""
    readout = np.array([0.7, -0.4])
    for function in (relu.velocity, relu.loss):
        expected = weighted(lambda *args, f=function: f(W, *args, readout=readout), UNEVEN)
        np.testing.assert_allclose(function(W, UNEVEN, readout=readout), expected, rtol=1e-12)
    for function in (erf.velocity, erf.loss):
        expected = weighted(lambda *args, f=function: f(W, B, 0.2, *args), UNEVEN)
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12), function(W, B, 0.2, UNEVEN), expected)
    expected = weighted(lambda a, b, labels: elliptical.velocity(W[0], a, b, "gaussian", labels), UNEVEN)
    np.testing.assert_allclose(elliptical.velocity(W[0], UNEVEN), expected, rtol=1e-12)


def test_class_shares_against_a_large_sample():
    """The loss of a committee on the task itself, drawn with its shares."""
    x, y = (np.asarray(part, float) for part in UNEVEN.sample(jax.random.key(0), 400_000))
    errors = 0.5 * (np.maximum(x @ W.T, 0).mean(1) - y) ** 2
    assert abs(relu.loss(W, UNEVEN) - errors.mean()) < 4 * errors.std() / np.sqrt(len(errors))


def test_the_flow_of_one_neuron_on_a_gaussian_task_in_four_ways():
    """By the committee, by the drifts of its sources, by elliptical data, and mode by mode."""
    w = W[0]
    for task in (PLAIN, UNEVEN):
        expected = relu.velocity([w], task)[0]
        np.testing.assert_allclose(neuron.velocity(w, task), expected, rtol=1e-10)
        np.testing.assert_allclose(elliptical.velocity(w, task), expected, rtol=1e-10)
        assert neuron.loss(w, task) == pytest.approx(float(relu.loss([w], task)), rel=1e-12)
    # a field of one frequency and phase: its modes are real in a basis of cosines
    cosine = np.cos(2 * np.pi * np.arange(6) / 6) / np.sqrt(3)
    u = np.array([0.0, 0.8, 0.0, 0.0, 0.0, 0.0])
    moved = relu.mode_velocity(u, PLAIN)
    np.testing.assert_allclose(relu.velocity([0.8 * cosine], PLAIN)[0], moved[1] * cosine, atol=1e-12)


def test_the_neuron_takes_the_drift_of_any_source():
    """On the cube by summing over its corners, and by closure or sampling where asked for."""
    task = Task(Hypercube(6, 2.0), Hypercube(6, 1.0), labels=(1.0, -1.0), proportion=0.4)
    f1, f0 = (drift(source, W[0]) for source in (task.positive, task.negative))
    cov1, cov0 = covariances(task)
    expected = 0.4 * (f1 - cov1 @ W[0] / 2) + 0.6 * (-f0 - cov0 @ W[0] / 2)
    np.testing.assert_allclose(neuron.velocity(W[0], task), expected, atol=1e-12)
    drawn = neuron.velocity(W[0], task, method="sampled", key=jax.random.key(0), samples=200_000)
    np.testing.assert_allclose(drawn, expected, atol=0.01)
    near = neuron.velocity(W[0], task, method="closure")
    closed = [closure.drift(W[0], cov, np.inf) for cov in (cov1, cov0)]
    np.testing.assert_allclose(near - expected, 0.4 * (closed[0] - f1) - 0.6 * (closed[1] - f0), atol=1e-12)


def test_laws_of_the_radius_come_from_the_task():
    task = Task(Elliptical(6, 2.0, "laplace"), Elliptical(6, 1.0, "student:5"), labels=(1.0, -1.0))
    cov1, cov0 = covariances(task)
    pulls = elliptical.drift(W[0], cov1, "laplace") - elliptical.drift(W[0], cov0, "student:5")
    np.testing.assert_allclose(elliptical.velocity(W[0], task), pulls / 2 - (cov0 + cov1) @ W[0] / 4, rtol=1e-12)
    plain = Task(Elliptical(6, 2.0, "laplace"), Elliptical(6, 1.0, "laplace"))
    spectra = ring_spectrum(6, 2.0), ring_spectrum(6, 1.0)
    np.testing.assert_array_equal(elliptical.steady_amplitude(plain), elliptical.steady_amplitude(*spectra, "laplace", 6))


def test_spectra_of_a_ring_keep_their_small_values():
    """At long range most modes lie below the rounding of the largest, and yet decide the race."""
    task, spectra = Task(Gaussian(40, 3.0), Gaussian(40, 5.0)), (ring_spectrum(40, 3.0), ring_spectrum(40, 5.0))
    assert relu.winning_mode(task) == relu.winning_mode(*spectra) == 20
    for function in (relu.steady_amplitude, relu.steady_loss):
        np.testing.assert_array_equal(function(task), function(*spectra))
    np.testing.assert_array_equal(relu.growth_rates(20, task), relu.growth_rates(20, *spectra))
    u = np.ones(40)
    np.testing.assert_array_equal(relu.single_path(u, task, times=[0.0, 1.0]), relu.single_path(u, *spectra, [0.0, 1.0]))
    np.testing.assert_array_equal(erf.linear_rates(B, task), erf.linear_rates(B, *spectra))


def test_spectra_of_other_rings_are_the_eigenvalues_of_their_covariances():
    task = Task(GaussianClone(NonlinearGP(7, 1.0, 3.0)), GaussianClone(Hypercube(7, 0.5)))
    amplitudes = relu.steady_amplitude(task)
    lams = [np.array([np.cos(2 * np.pi * k * np.arange(7) / 7) @ cov[0] for k in range(7)]) for cov in covariances(task)]
    np.testing.assert_allclose(amplitudes, np.sqrt(2 / np.pi) * np.sqrt(lams[0]) / (lams[0] + lams[1]), rtol=1e-10)
    D, _ = relu.generalised_modes(task)
    np.testing.assert_allclose(D, np.sort(1 + lams[1] / lams[0]), rtol=1e-9)


def test_linear_rates_weigh_the_classes():
    """As the Jacobian of the whole flow at zero fields, on a task of uneven shares."""
    with jax.enable_x64(True):
        jacobian = np.asarray(jax.jacobian(lambda w: erf.velocity(w, B, 0.1, UNEVEN)[0])(jnp.zeros((2, 6))))
    modes = np.fft.fft(np.eye(6), norm="ortho")
    rates = np.einsum("km,jmin,kn->kji", modes.conj(), jacobian, modes)
    np.testing.assert_allclose(erf.linear_rates(B, UNEVEN, output_bias=0.1), rates.real, atol=1e-12)


def test_tasks_work_under_transformations():
    """In a trace, in float32 without and in float64 with x64; and with a length scale that is traced itself."""
    assert jax.jit(lambda w: relu.velocity(w, PLAIN))(W).dtype == np.float32
    gradient = jax.grad(lambda w: relu.loss(w, PLAIN))(jnp.asarray(W))
    np.testing.assert_allclose(gradient, -relu.velocity(W, PLAIN), rtol=1e-4, atol=1e-6)
    with jax.enable_x64(True):
        slope = jax.grad(lambda xi: relu.loss(W, Task(Gaussian(6, xi), Gaussian(6, 1.0))))(2.0)
    step = 1e-5
    losses = [relu.loss(W, Task(Gaussian(6, xi), Gaussian(6, 1.0))) for xi in (2 + step, 2 - step)]
    assert float(slope) == pytest.approx(float(losses[0] - losses[1]) / (2 * step), rel=1e-6)


def test_a_covariance_is_not_computed_again_at_each_step():
    """What is traced of a velocity are operations on the fields alone: as many as with the covariances given."""
    cov1, cov0 = covariances(PLAIN)
    with_task, plain = (
        len(str(jax.make_jaxpr(f)(jnp.ones((2, 6)))).splitlines())
        for f in (lambda w: relu.velocity(w, PLAIN), lambda w: relu.velocity(w, cov1, cov0))
    )
    assert with_task <= plain + 2


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: relu.velocity(W, PLAIN, np.eye(6)), "A task gives both classes and their labels; leave out"),
        (lambda: relu.loss(W, PLAIN, labels=(1.0, 0.0)), "A task gives both classes and their labels; leave out"),
        (lambda: neuron.velocity(W[0], PLAIN, np.eye(6)), "A task gives both classes and their labels; leave out"),
        (lambda: relu.velocity(W, np.eye(6)), "Only one covariance is given; write cov1, cov0"),
        (lambda: relu.winning_mode([1.0, 2.0]), "Only one spectrum is given; write lam1, lam0"),
        (
            lambda: relu.velocity(W, Task(Gaussian(6, [1.0, 2.0]), Gaussian(6, 1.0))),
            r"a task of one run; take gatefield\.one_run",
        ),
        (
            lambda: relu.velocity(W, Task(SinglePulse(6, (1, 2)), Gaussian(6, 1.0))),
            "inputs of mean zero, but SinglePulse inputs have means",
        ),
        (lambda: relu.growth_rates(0, UNEVEN), r"labels \(1, 0\), but the task has labels \(1\.5, -0\.5\)"),
        (lambda: relu.winning_mode(Task(Gaussian(6, 2.0), Gaussian(6, 1.0), proportion=0.3)), "has the share 0.3"),
        (lambda: relu.generalised_modes(UNEVEN), r"for labels \(1, 0\)"),
        (lambda: relu.steady_loss(Task(Gaussian(6, 2.0, boundary="line"), Gaussian(6, 1.0))), "is not that of a ring"),
        (lambda: relu.steady_loss(Task(GaussianClone(Gaussian(40, 5.0)), Gaussian(40, 1.0))), "is lost in the rounding"),
        (lambda: relu.single_path(W[0], PLAIN), "The times of the path are missing"),
        (
            lambda: elliptical.velocity(W[0], Task(Hypercube(6, 2.0), Gaussian(6, 1.0))),
            "Hypercube data are not known to be ellip",
        ),
        (lambda: elliptical.velocity(W[0], PLAIN, radial="laplace"), "leave radial out"),
        (lambda: elliptical.velocity(W[0], np.eye(6), np.eye(6)), "The law of the radius is missing"),
        (lambda: elliptical.steady_amplitude(1.0, 2.0, "laplace"), "The number of sites n is missing"),
        (
            lambda: neuron.velocity(W[0], Task(Marginal(6, 2.0, lambda p: -jnp.log1p(-p) - 1), Gaussian(6, 1.0))),
            "classes symmetric about 0, which Mar.*; train with a large batch, such as batch_size=10_000",
        ),
        (
            lambda: neuron.velocity(W[0], Task(NonlinearGP(6, 2.0, 3.0), Gaussian(6, 1.0))),
            r"^The drift of this NonlinearGP is sampled; give a key",
        ),
        (lambda: neuron.velocity(W[:1], PLAIN), r"but has shape \(1, 6\); give its only row, w\[0\]\."),
        (lambda: relu.velocity(W, Task(Gaussian(7, 2.0), Gaussian(7, 1.0))), "or that of a task's source, must have shape"),
    ],
)
def test_what_a_formula_cannot_take_is_refused(call, text):
    with pytest.raises(UserError, match=text):
        call()


def test_the_way_out_for_other_inputs_works():
    task = Task(NonlinearGP(6, 2.0, 3.0), Gaussian(6, 1.0))
    with pytest.raises(UserError, match=r"take theory\.neuron\.velocity\(w, task, key=jax\.random\.key\(0\)\)\.$"):
        relu.velocity(W, task)
    assert neuron.velocity(W[0], task, key=jax.random.key(0), samples=100).shape == (6,)
    skew = Task(Marginal(6, 2.0, lambda p: -jnp.log1p(-p) - 1), Gaussian(6, 1.0))
    with pytest.raises(UserError, match=r"write GaussianClone\(Marginal\(...\)\) in the task\.$"):
        relu.velocity(W, skew)


@pytest.mark.wrong_types
def test_other_tasks_are_refused():
    taught = Taught(PLAIN, GatedLinear(6, [Open()], init=[W[0]]))
    with pytest.raises(UserError, match=r"needs a Task of two sources, but this is a Taught; write Task\(positive, negative\)"):
        relu.velocity(W, taught)
