"""What all public functions of theory, kernels, gates and measures do with NaN, and with what is no argument at all."""

import ast
import functools
import inspect
import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from every_function import CALLS, function, public

from gatefield import Committee, UserError, kernels, measures
from gatefield.data import Hypercube, NonlinearGP
from gatefield.gates import GateSet, HalfSpace, bump, delta, fourier_mode
from gatefield.theory import closure, descent, elliptical, erf, gated_linear, hypercube, neuron, relu
from gatefield.theory.classes import GaussianClass, gate_signs

LONG = {"theory.flow_end", "theory.relu.single_path"}
"""Solvers of differential equations, which take seconds to compile."""
HOSTLESS = [name for name, call in CALLS.items() if not call.host]
TRACED = [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG or at % 2)) for at, name in enumerate(HOSTLESS)]
COUNTS = [10**30, -1, 1.5, "abc", None]
NO_NUMBERS = {
    "text": "abc",
    "nothing": None,
    "an object": object(),
    "complex numbers": np.array([1.0 + 1.0j, 2.0]),
    "a complex number": 1.0 + 2.0j,
    "rows of unequal length": [[1.0], [1.0, 2.0]],
    "no numbers": [],
    "dates": np.full((3, 3), np.datetime64("2020-01-01")),
    "objects": np.array([[1, 10**30], [2, 3]], object),
}


def places(value, at=()):
    """Where numbers stand in an argument: it may be a list of arrays."""
    if isinstance(value, list | tuple):
        return [place for i, part in enumerate(value) for place in places(part, (*at, i))]
    return [at] if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f") else []


def replaced(value, at, change):
    if not at:
        return change(value)
    return type(value)(replaced(part, at[1:], change) if i == at[0] else part for i, part in enumerate(value))


def with_nan(value, entry=0):
    array = np.array(value)
    array.flat[min(entry, array.size - 1)] = np.nan
    return float("nan") if isinstance(value, float) else array


def inexact(result):
    leaves = jax.tree.leaves(list(result) if hasattr(result, "__next__") else result)
    return [leaf for leaf in leaves if jnp.issubdtype(jnp.result_type(leaf), jnp.inexact)]


def outcome(name, arguments):
    """What the function gives, or its error if that is one for users."""
    try:
        return function(name)(**arguments)
    except UserError as error:
        return error


OFFERED = re.compile(r"write for instance (\w+)=([^;\s]+?)\.?$")
"""What a sentence proposes at its end."""
WRONG = [-1, np.nan, 10**30]


def offers(name):
    """The values that the function's sentences propose for its single numbers, each once."""
    arguments = CALLS[name].arguments
    for parameter in (key for key, value in arguments.items() if type(value) in (int, float)):
        refused = [outcome(name, {**arguments, parameter: wrong}) for wrong in WRONG]
        found = [OFFERED.search(str(error)) for error in refused if isinstance(error, UserError)]
        yield from sorted({(match[1], match[2]) for match in found if match and match[1] == parameter})


@pytest.mark.wrong_types
@pytest.mark.costly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CALLS if name not in LONG])
def test_what_a_sentence_proposes_is_not_refused(name):
    for parameter, value in offers(name):
        found = outcome(name, {**CALLS[name].arguments, parameter: ast.literal_eval(value)})
        assert not str(found).startswith(f"{parameter} must be "), f"{parameter}={value}: {found}"


def test_every_public_function_has_a_call_here():
    assert set(CALLS) == public()


@pytest.mark.costly
@pytest.mark.wrong_types
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CALLS if name not in LONG])
def test_counts_may_be_of_numpy(name):
    arguments = CALLS[name].arguments
    counts = {key: np.int64(value) for key, value in arguments.items() if type(value) is int}
    assert not isinstance(outcome(name, {**arguments, **counts}), UserError)


@pytest.mark.wrong_types
@pytest.mark.parametrize("name", CALLS)
def test_nan_is_refused_or_makes_nan(name):
    """Theory, kernels and gates refuse it; a measure refuses it or has a NaN in what it gives."""
    arguments = CALLS[name].arguments
    for parameter, value in arguments.items():
        for at in places(value):
            found = outcome(name, {**arguments, parameter: replaced(value, at, with_nan)})
            if isinstance(found, UserError):
                assert "nan" in str(found), parameter
            else:
                assert name.startswith("measures"), parameter
                assert any(np.isnan(leaf).any() for leaf in inexact(found)), parameter


@pytest.mark.parametrize("name", TRACED)
def test_under_jit_nan_makes_nan(name):
    """All at once: one program, whose first axis is that of which argument has the NaN, and where."""
    call = CALLS[name]
    known = {key: value for key, value in call.arguments.items() if key not in call.fixed and places(value)}
    wrong = [(key, at) for key, value in known.items() for at in places(value) if (key, *at) not in call.unread]
    variants = [(key, at, entry) for key, at in wrong for entry in (0, 1)]
    if not variants:
        pytest.skip("no numbers that can be traced")
    each = [{**known, key: replaced(known[key], at, functools.partial(with_nan, entry=entry))} for key, at, entry in variants]
    stacked = jax.tree.map(lambda *parts: jnp.stack([jnp.asarray(part, float) for part in parts]), *each)
    rest = {key: value for key, value in call.arguments.items() if key not in known}
    found = jax.jit(jax.vmap(lambda traced: [*map(jnp.asarray, jax.tree.leaves(function(name)(**traced, **rest)))]))(stacked)
    for i, variant in enumerate(variants):
        marks = [np.isnan(leaf[i]) if jnp.issubdtype(leaf.dtype, jnp.inexact) else leaf[i] == -1 for leaf in found]
        assert any(mark.any() for mark in marks) or found[0].dtype == bool, variant


@pytest.mark.wrong_types
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_argument_is_refused_in_a_sentence(name):
    """Numbers that are none, and counts that are too large, negative or broken; what a function can work with it may take."""
    arguments = CALLS[name].arguments
    for parameter, value in arguments.items():
        whole = isinstance(value, int) and not isinstance(value, bool)
        kinds = COUNTS if whole else list(NO_NUMBERS.values()) if places(value) else ["abc", object()]
        spots = [(), *places(value)[:1]] if not callable(value) else []
        may_lack = inspect.signature(function(name)).parameters[parameter].default is None
        for at in dict.fromkeys(spots):
            for kind in kinds:
                if kind is None and may_lack:
                    continue
                found = outcome(name, {**arguments, parameter: replaced(value, at, lambda _, kind=kind: kind)})
                assert not isinstance(found, UserError) or len(str(found)) < 700, parameter


W, ONES = np.array([1.0, 0.5, -0.3]), np.eye(3)
INDEFINITE = ONES + 3.0 * (1 - ONES)
DIVERGED = eqx.tree_at(lambda net: net.weights, Committee(3, 1, init=[W]), jnp.array([[1.0, np.nan, 0.0]]))
KEYS = jax.random.split(jax.random.key(0), 3)
SKEW = ONES + np.diag([0.5, 0.0], k=1)
FIELDS = xr.Dataset({"fields": ("position", W), "loss": ((), 0.5)})
REFUSED = [
    (lambda: relu.velocity([W], INDEFINITE, ONES), "cov1 must have no negative eigenvalue, but has -2"),
    (lambda: relu.loss([W], ONES, INDEFINITE), "cov0 must have no negative eigenvalue"),
    (lambda: relu.kernel(W, W, INDEFINITE), "cov must have no negative eigenvalue"),
    (lambda: relu.gate_mean(W, SKEW), "cov must be symmetric"),
    (lambda: neuron.gate_map(GaussianClass, ONES, [W]), "positive must be a class of inputs"),
    (lambda: kernels.outer_kernel([(ONES,)]), r"parts must be pairs \(f, b\) of arrays"),
    (lambda: descent(lambda w: None, W, learning_rate=0.5, steps=[0, 1]), "velocity must be a function .* must be numbers"),
    (lambda: relu.gate_mean(1j * W, ONES), "w must be a field of shape .* which is not a number"),
    (lambda: erf.slope_mean(W, 0.1, INDEFINITE), "cov must have no negative eigenvalue"),
    (lambda: kernels.trace_normalised(W), r"must have the shape \(samples, samples\), not \(3,\)"),
    (lambda: kernels.trace_normalised(np.ones((2, 3))), r"must have the shape \(samples, samples\), not \(2, 3\)"),
    (lambda: kernels.ntk([1j * ONES], []), "which is not a number"),
    (lambda: measures.ipr(1.0), r"must have shape \(n,\) or \(..., n\), but has shape \(\)"),
    (lambda: measures.entropies(1.0), r"must have shape \(n,\) or \(..., n\), but has shape \(\)"),
    (lambda: measures.peak_position(1.0), r"must have shape \(n,\) or \(..., n\), but has shape \(\)"),
    (lambda: HalfSpace(W)([1.0, np.nan, 0.0]), "x must be finite, but is nan"),
    (lambda: GateSet([HalfSpace(W)])([[1.0, np.nan, 0.0]]), "x must be finite, but is nan"),
    (lambda: HalfSpace(1j * W), "which is not a number"),
    (lambda: Hypercube(3, xi=np.datetime64("2020-01-01")), "xi must be a positive, finite length scale"),
    (lambda: gated_linear.velocity([W], SKEW, W), "A must be symmetric"),
    (lambda: gated_linear.velocity([W], INDEFINITE, W), "A must be positive semidefinite, but has the eigenvalue -2"),
    (
        lambda: neuron.velocity(W, lambda w: "abc", ONES, ONES),
        "drift1 must be .* what it gives must be numbers",
    ),
    (lambda: neuron.loss(W, dict, ONES, ONES), "drift1 must be a function that gives the drift .* but fails"),
    (lambda: gate_signs(np.ones((2, 3)), np.ones((2, 4))), r"the same sites, but have shapes \(2, 3\) and \(2, 4\)"),
    (lambda: gated_linear.Mixture(GaussianClass(ONES), GaussianClass(ONES), {0.0, 1.0}), "labels must be the pair"),
    (lambda: relu.growth_rates([[1], [1, 2]], W**2, W**2), "k must be a whole number"),
    (lambda: measures.harper_slack(np.ones((2, 3)), [0.5, 0.5, 0.5]), "alpha and the fields must broadcast"),
    (lambda: measures.subnetwork_sizes([ONES], [ONES[:, :2]]), "gates of layer 1 must have the same shape"),
    (lambda: measures.gate_stability([W], [W], Hypercube(3, 1.0), key=KEYS), r"one key, but has shape \(3,\)"),
    (lambda: kernels.tangent_kernel(Committee, ONES), "net must be a network of gatefield"),
    (lambda: kernels.tangent_kernel(DIVERGED, ONES), "net has NaN among its weights"),
    (lambda: erf.mean(W, 0.1, INDEFINITE), "cov must have no negative eigenvalue"),
    (lambda: erf.kernel(W, 0.1, W, 0.1, INDEFINITE), "cov must have no negative eigenvalue"),
    (lambda: erf.slope_mean(W, 0.1, INDEFINITE), "cov must have no negative eigenvalue"),
    (lambda: closure.drift(W, INDEFINITE, 1.0), "cov must have no negative eigenvalue"),
    (lambda: elliptical.drift(W, INDEFINITE, "laplace"), "cov must have no negative eigenvalue"),
    (lambda: neuron.pathway_velocity(W, W, W, INDEFINITE), "total must have no negative eigenvalue"),
    (lambda: hypercube.localized_state(INDEFINITE, ONES), "cov1 must have no negative eigenvalue"),
    (lambda: kernels.trace_normalised(SKEW), "K must be symmetric, but entries differ"),
    (
        lambda: kernels.trace_normalised(INDEFINITE),
        "K must have no negative eigenvalue, but has -2; give the kernel of",
    ),
    (lambda: kernels.cosine_normalised(-np.eye(3)), "K must have no negative eigenvalue, but has -1"),
    (lambda: measures.cumulative_spectrum(INDEFINITE), "K must have no negative eigenvalue"),
    (lambda: measures.label_alignment([np.eye(3), INDEFINITE], W, 1e-8), "K must have no negative eigenvalue"),
    (
        lambda: gated_linear.loss(ONES, W, W, K=2, label_power=0.5),
        "K must divide the number of weights, .* but is 2 for 3",
    ),
    (lambda: gated_linear.loss_path(ONES, W, W, [1.0], K=2, label_power=0.5), "K must divide the number of weights"),
    (lambda: kernels.cosine_normalised(np.ones(3)), "K must have the shape"),
    (lambda: measures.cumulative_spectrum(SKEW), "K must be symmetric, but entries differ"),
    (lambda: measures.cumulative_spectrum(np.ones((2, 3))), "K must have the shape"),
    (lambda: kernels.trace_normalised(np.ones(3)), "K must have the shape"),
    (lambda: kernels.trace_normalised(np.ones((2, 3))), "K must have the shape"),
    (lambda: measures.ipr([]), "w must have shape"),
    (lambda: measures.ipr(1.0), "w must have shape"),
    (lambda: measures.entropies(1.0), "w must have shape"),
    (lambda: delta(3, 1)([0.5, np.nan, 0.5]), "x must be finite, but is nan"),
    (lambda: delta(3, 1)(1j * ONES[0]), "x must be numbers"),
    (lambda: relu.kernel(1j * W, W, ONES), "not a number"),
    (lambda: kernels.path_kernel([ONES], 1j * ONES), "not a number"),
    (lambda: NonlinearGP(3, 1.0, gain=np.datetime64("2020-01-01")), "gain must be"),
    (lambda: measures.ipr(FIELDS), "w must be one array, but is a Dataset with the variables fields, loss"),
    (lambda: measures.peak_position([np.nan, 1.0]), "w must be a number, as a position"),
    (lambda: measures.circular_distance(1, 2, -3), "n must be a whole number of at least 1, but is -3"),
    (lambda: measures.active_gates([np.array([[np.nan]])], 0.5), "gates of layer 1 must be a number"),
    (lambda: fourier_mode(6, 1.5), "k must be a whole number"),
    (lambda: delta(6, 1.5), "site must be a whole number"),
    (lambda: bump(6, 1.5, 1.0), "site must be a whole number"),
    (lambda: hypercube.corners(10**30), "n must be at most 24"),
    (lambda: kernels.path_activations([np.ones((0, 2))]), "gates must be of one sample and one unit at least"),
    (
        lambda: gated_linear.Mixture(GaussianClass(ONES), GaussianClass(ONES), (y for y in (1.0, 0.0))),
        r"labels must be the pair \(y1, y0\)",
    ),
    (lambda: kernels.random_gate_moments(10**30, 3, 0.5, 0.7), "depth must be at most"),
    (lambda: gated_linear.solve(ONES, W, np.ones(6), [1.0], K=2), "A, b and w0 must have shapes .* the same m = K n"),
    (lambda: gated_linear.loss_path(ONES, W, W[None], [1.0], K=1, label_power=0.5), r"w0 must have shape \(K n,\)"),
]


@pytest.mark.wrong_types
@pytest.mark.parametrize(("call", "text"), REFUSED, ids=[text for _, text in REFUSED])
def test_it_says_what_is_wrong(call, text):
    with pytest.raises(UserError, match=text):
        call()


def test_a_position_of_nan_is_minus_one_under_jit():
    assert jax.jit(measures.peak_position)(jnp.array([[1.0, jnp.nan], [1.0, 2.0]])).tolist() == [-1, 1]
    assert jax.jit(relu.winning_mode)(jnp.array([1.0, jnp.nan]), jnp.ones(2)) == -1


def test_what_is_no_kernel_is_nan_under_jit():
    """Beside one that is a kernel, and keeps its values."""
    K = jnp.stack([jnp.eye(3), -jnp.eye(3)])
    for normalise in (kernels.trace_normalised, kernels.cosine_normalised):
        good, wrong = jax.jit(normalise)(K)
        np.testing.assert_allclose(good, normalise(np.eye(3)))
        assert np.isnan(np.diagonal(wrong)).all()
    assert jax.jit(measures.cumulative_spectrum)(K)[0].tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(jax.jit(measures.cumulative_spectrum)(K)[1]).all()
    assert np.isnan(jax.jit(measures.label_alignment)(K, jnp.ones(3), 1e-8)).tolist() == [False, True]


@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e12])
def test_rounding_of_a_kernel_is_no_negative_eigenvalue(scale):
    x = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32) * np.float32(scale)
    K = x @ x.T  # of rank 3, so that 57 eigenvalues are rounding, half of them negative
    assert np.linalg.eigvalsh(K).min() < 0
    assert kernels.trace_normalised(K).trace() == pytest.approx(1.0)
    assert measures.cumulative_spectrum(K)[-1] == pytest.approx(K.trace())
    assert kernels.trace_normalised(np.zeros((2, 2))).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_the_ridge_that_is_proposed_is_enough():
    x = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
    for K, ridge in ((np.ones((4, 4)), 0.0), (x @ x.T, 1e-8)):
        y = np.resize([1.0, -1.0], len(K))
        with pytest.raises(UserError, match="K is singular with ridge") as refused:
            measures.label_alignment(K, y, ridge)
        proposed = float(re.search(r"such as ridge=(\S+)\.$", str(refused.value))[1])
        assert proposed > ridge
        assert np.isfinite(measures.label_alignment(K, y, proposed))


def test_the_alignment_of_labels_is_nan_where_all_gates_are_shut():
    """A record of kernels, one of which is zero and one broken: the others keep their values."""
    K = np.stack([np.eye(2), np.zeros((2, 2)), np.full((2, 2), np.nan)])
    np.testing.assert_array_equal(measures.label_alignment(K, [1.0, -1.0], 1e-8), [2 / (1 + 1e-8), np.nan, np.nan])
