"""One valid call of every public function of theory, kernels, gates and measures, as small as it can be."""

import importlib
import inspect
from typing import Any, NamedTuple

import jax
import numpy as np
import xarray as xr

from gatefield import Committee, DeepGated, gates, theory
from gatefield.data import Gaussian, SinglePulse, Task

ROOMS = ["theory", "kernels", "gates", "measures"]
THEORY = ["classes", "closure", "elliptical", "erf", "gated_linear", "hypercube", "neuron", "nlgp", "relu"]
MODULES = ["theory", *(f"theory.{name}" for name in THEORY), "kernels", "gates", "measures"]


class Call(NamedTuple):
    """A valid call: its arguments by name."""

    arguments: dict[str, Any]
    fixed: tuple[str, ...] = ()
    """Arguments that cannot be traced."""
    host: bool = False
    """Nothing can be traced."""
    unread: tuple[tuple, ...] = ()
    """What the result does not depend on."""


def call(*, fixed: str = "", host: bool = False, unread: tuple[tuple, ...] = (), **arguments: Any) -> Call:
    return Call(arguments, tuple(fixed.split()), host, unread)


KEY = jax.random.key(0)
W, V = np.array([1.0, 0.5, -0.3]), np.array([0.2, -0.4, 1.0])
FIELDS = np.stack([W, V])
COV1, COV0 = np.eye(3) + 0.2, np.eye(3) + 0.4
LAM1, LAM0 = np.array([2.0, 1.0, 0.5]), np.array([1.0, 1.0, 1.5])
LABELS = (1.0, 0.5)
TASK = Task(Gaussian(3, 1.0), Gaussian(3, 0.5))
PULSES = Task(SinglePulse(3, (1, 1)), SinglePulse(3, (2, 2)))
ONE = theory.classes.GaussianClass(COV1)
BOTH = theory.gated_linear.Mixture(ONE, theory.classes.GaussianClass(COV0))
GATES = gates.half_spaces(FIELDS)
NET = Committee(3, 2, init=FIELDS)
X = np.array([[1.0, 0.5, -0.3], [0.3, -1.0, 0.7]])
LAYERS, LAST = [np.ones((3, 2)) / 2, np.eye(2) + 0.1], np.ones((2, 1))
DEEP = DeepGated(3, [2, 2], gating="relu", init=[*LAYERS, LAST])
OPEN = [np.array([[1.0, 0.5], [0.2, 1.0]]), np.array([[1.0, 0.8], [0.4, 1.0]])]
BIASES = [np.array([0.1, 0.2]), np.array([0.3, 0.1]), np.array([0.5])]
RING = [np.array([[1.0, 0.5, 0.2], [0.4, 1.0, 0.6]])]
KERNEL = np.array([[2.0, 1.0], [1.0, 3.0]])
UNIT = {"w": W, "b": 0.3, "cov": COV1}
UNITS = {"w_j": W, "b_j": 0.3, "w_k": V, "b_k": -0.2, "cov": COV1}
LINEAR = {"A": COV1, "b": W, "w0": V, "K": 1}
CORR = np.array([[1.0, 0.5], [0.5, 1.0]])
CORNERS = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
CHANCES = np.array([0.25, 0.25, 0.25, 0.25])
MEANS, OPENED = np.array([0.8, 0.3, 0.4, 0.9]), np.array([[1.0], [0.0], [0.5], [1.0]])
SOFT = {"x": X, "beta": 2.0, "eps": 0.3}
FIELD = np.array([0.1, 0.5, 1.0, 0.4, -0.2, 0.1])
MOVING = {"positive": ONE, "total": COV1 + COV0, "w": FIELDS}
RECORD = xr.Dataset({"fields": (("run", "step", "unit", "position"), FIELDS[None, None])})

CALLS: dict[str, Call] = {
    "theory.characteristic": call(source=Gaussian(3, 1.0), w=W, samples=10),
    "theory.descent": call(velocity=lambda w: -w, w0=W, learning_rate=0.5, steps=[0, 1], host=True),
    "theory.drift": call(source=Gaussian(3, 1.0), w=W, samples=10),
    "theory.drift_jacobian": call(source=Gaussian(3, 1.0), w=W, samples=10),
    "theory.flow_end": call(velocity=lambda w: -w, w0=W, time=1.0, step=0.5, fixed="step"),
    "theory.classes.EmpiricalClass": call(x=X, cov=COV1),
    "theory.classes.GaussianClass": call(cov=COV1),
    "theory.classes.gate_signs": call(x=X, w=FIELDS),
    "theory.closure.amplifier": call(a=np.array([0.5, 0.9]), gain=1.0),
    "theory.closure.drift": call(w=W, cov=COV1, gain=1.0),
    "theory.closure.expansion": call(a=0.5, kurtosis=-1.0),
    "theory.closure.tabulate": call(gain=1.0, points=5),
    "theory.closure.velocity": call(w=W, cov1=COV1, cov0=COV0, gain=1.0),
    "theory.elliptical.constant": call(radial="laplace", n=3, host=True),
    "theory.elliptical.drift": call(w=W, cov=COV1, radial="laplace"),
    "theory.elliptical.steady_amplitude": call(lam1=LAM1, lam0=LAM0, radial="laplace", n=3),
    "theory.elliptical.velocity": call(w=W, cov1=COV1, cov0=COV0, radial="laplace", labels=LABELS),
    "theory.erf.bias_velocity": call(b=0.3, s1=0.8, s0=0.4, labels=LABELS, output_bias=0.1),
    "theory.erf.bivariate_cdf": call(a=np.array([0.3, 1.0]), b=-0.2, r=0.5),
    "theory.erf.kernel": call(**UNITS),
    "theory.erf.linear_rates": call(
        b=np.array([-1.0, 1.0]), lam1=LAM1, lam0=LAM0, labels=LABELS, output_bias=0.1, readout=np.array([0.5, 0.5])
    ),
    "theory.erf.loss": call(
        W=FIELDS, b=np.array([0.1, -0.2]), output_bias=0.1, cov1=COV1, cov0=COV0, labels=LABELS, readout=np.array([0.5, 0.4])
    ),
    "theory.erf.mean": call(**UNIT),
    "theory.erf.product_slope_input_mean": call(**UNITS),
    "theory.erf.product_slope_mean": call(**UNITS),
    "theory.erf.slope_input_mean": call(**UNIT),
    "theory.erf.slope_mean": call(**UNIT),
    "theory.erf.velocity": call(
        W=FIELDS, b=np.array([0.1, -0.2]), output_bias=0.1, cov1=COV1, cov0=COV0, labels=LABELS, readout=np.array([0.5, 0.4])
    ),
    "theory.gated_linear.Mixture": call(positive=ONE, negative=ONE, labels=LABELS, proportion=0.4, host=True),
    "theory.gated_linear.best_gates": call(points=CORNERS, chances=CHANCES, means=MEANS, K=1, most=100, host=True),
    "theory.gated_linear.best_half_spaces": call(
        task=TASK, K=1, key=KEY, starts=1, steps=1, tries=1, samples=10, further_starts=W[None, None], host=True
    ),
    "theory.gated_linear.explained": call(A=COV1, b=W),
    "theory.gated_linear.explained_by_directions": call(V=FIELDS, task=TASK),
    "theory.gated_linear.explained_by_gates": call(gates=OPENED, points=CORNERS, chances=CHANCES, means=MEANS, host=True),
    "theory.gated_linear.frozen_limits": call(data=BOTH, V=FIELDS[None], w0=FIELDS[None]),
    "theory.gated_linear.frozen_losses": call(data=BOTH, V=FIELDS[None], w=FIELDS[None]),
    "theory.gated_linear.half_time": call(A=COV1, b=W, K=1),
    "theory.gated_linear.initial_rate": call(b=W, K=1),
    "theory.gated_linear.judge": call(directions=FIELDS, task=TASK, key=KEY, samples=10, host=True),
    "theory.gated_linear.limit": call(**LINEAR),
    "theory.gated_linear.limiting_loss": call(A=COV1, b=W, label_power=0.5),
    "theory.gated_linear.listed_moments": call(gates=OPENED, points=CORNERS, chances=CHANCES, means=MEANS, host=True),
    "theory.gated_linear.loss": call(A=COV1, b=W, w=V, K=1, label_power=0.5),
    "theory.gated_linear.loss_path": call(**LINEAR, times=np.array([0.0, 1.0]), label_power=0.5),
    "theory.gated_linear.mixture": call(task=TASK, key=KEY, samples=10, host=True),
    "theory.gated_linear.pieces": call(gates=GATES, task=TASK, key=KEY, samples=10, host=True),
    "theory.gated_linear.posterior": call(positive=CHANCES, negative=CHANCES, labels=LABELS, proportion=0.4, host=True),
    "theory.gated_linear.refreshed_path": call(
        data=BOTH, V=FIELDS[None, None].repeat(2, 1), w0=FIELDS[None], step=0.5, every=1, own=False, fixed="every own"
    ),
    "theory.gated_linear.relu_path": call(data=BOTH, w0=FIELDS[None], step=0.5, times=2, substeps=1, fixed="times substeps"),
    "theory.gated_linear.single_gate_field": call(cov1=COV1, cov0=COV0, drift=W),
    "theory.gated_linear.solve": call(**LINEAR, times=np.array([0.0, 1.0])),
    "theory.gated_linear.solve_pieces": call(
        pieces=[(0.0, COV1, W), (2.0, COV0, V)], w0=V, times=np.array([0.0, 3.0]), K=1, host=True
    ),
    "theory.gated_linear.solve_redundant": call(A11=COV1, b1=W, w0=FIELDS, times=np.array([0.0, 1.0]), K=2),
    "theory.gated_linear.statistics": call(gates=GATES, task=TASK, key=KEY, samples=10, host=True),
    "theory.gated_linear.velocity": call(w=W[None], A=COV1, b=W),
    "theory.hypercube.chow": call(w=W),
    "theory.hypercube.corners": call(n=2, host=True),
    "theory.hypercube.drift": call(w=np.array([1.0, 0.5]), corr=CORR, samples=10),
    "theory.hypercube.head_drift": call(w=np.array([1.0, 0.5]), sites=[0, 1], corr=CORR, host=True),
    "theory.hypercube.head_errors": call(w=np.array([1.0, 0.5]), x=CORNERS, chances=CHANCES),
    "theory.hypercube.head_size": call(w=W, host=True),
    "theory.hypercube.influence": call(w=W),
    "theory.hypercube.is_localized": call(fields=FIELDS, host=True),
    "theory.hypercube.levels": call(losses=np.array([0.2, 0.1]), digits=8, host=True),
    "theory.hypercube.localized_state": call(cov1=COV1, cov0=COV0, site=0),
    "theory.hypercube.head_state": call(corr1=CORR, cov0=CORR, head=np.array([1.0, 0.4]), host=True),
    "theory.hypercube.margin": call(w=W, host=True),
    "theory.hypercube.orthant": call(corr=CORR, pattern=np.array([1.0, -1.0]), points=8, replicates=2, fixed="pattern"),
    "theory.hypercube.pattern_law": call(corr=CORR),
    "theory.hypercube.probable_head": call(w=np.array([1.0, 0.5]), x=CORNERS, share=0.3, chances=CHANCES, host=True),
    "theory.hypercube.sdp_margin": call(w=W, host=True),
    "theory.hypercube.sign_moment": call(corr=CORR),
    "theory.hypercube.steady_states": call(
        points=CORNERS,
        cov1=CORR,
        cov0=CORR,
        starts=np.eye(2),
        chances=CHANCES,
        time=0.1,
        time_step=0.1,
        most_steps=5,
        fixed="time time_step",
    ),
    "theory.hypercube.walsh": call(w=W),
    "theory.neuron.contrast": call(w=FIELDS, task=TASK, fixed="task samples", samples=16),
    "theory.neuron.finite_velocity": call(w=FIELDS, task=PULSES, fixed="task"),
    "theory.neuron.gate_flow": call(**MOVING, time=1.0, step=0.5, host=True),
    "theory.neuron.gate_map": call(**MOVING),
    "theory.neuron.iterate_gate_map": call(**MOVING, steps=2, tolerance=1e-3, host=True),
    "theory.neuron.loss": call(w=W, drift1=lambda w: w, cov1=COV1, cov0=COV0, labels=LABELS, drift0=lambda w: w, samples=10),
    "theory.neuron.pathway_velocity": call(w=W, v=V, drift=W, total=COV1 + COV0),
    "theory.neuron.sampled_jacobian": call(source=TASK.positive, fields=FIELDS, key=KEY, samples=16, width=0.1, host=True),
    "theory.neuron.velocity": call(
        w=W, drift1=lambda w: w, cov1=COV1, cov0=COV0, labels=LABELS, drift0=lambda w: w, samples=10
    ),
    "theory.neuron.velocity_spectrum": call(jacobian=np.stack([COV1, COV0]), total=COV1, host=True),
    "theory.nlgp.covariance": call(rho=np.array([0.5, 0.2]), gain=1.0),
    "theory.nlgp.excess_kurtosis": call(gain=np.array([1.0, 0.1])),
    "theory.nlgp.half_gate_mean": call(rho=np.array([0.5, 0.2]), gain=1.0),
    "theory.nlgp.pair_drift": call(w=np.array([1.0, 0.5]), rho=0.3, gain=1.0),
    "theory.nlgp.variance": call(gain=1.0),
    "theory.relu.gate_agreement": call(w=W, v=V, cov=COV1),
    "theory.relu.gate_mean": call(w=W, cov=COV1),
    "theory.relu.gate_second_moment": call(w=W, v=V, cov=COV1),
    "theory.relu.generalised_modes": call(cov1=COV1, cov0=COV0),
    "theory.relu.growth_rates": call(k=1, lam1=LAM1, lam0=LAM0),
    "theory.relu.kernel": call(w=W, v=V, cov=COV1),
    "theory.relu.loss": call(W=FIELDS, cov1=COV1, cov0=COV0, labels=LABELS, readout=np.array([0.5, 0.4]), output_bias=0.1),
    "theory.relu.mode_velocity": call(u=W, lam1=LAM1, lam0=LAM0, labels=LABELS),
    "theory.relu.pair_mean": call(w=W, v=V, cov=COV1),
    "theory.relu.single_path": call(u0=W, lam1=LAM1, lam0=LAM0, times=np.array([0.1, 1.0])),
    "theory.relu.steady_amplitude": call(lam1=LAM1, lam0=LAM0),
    "theory.relu.steady_loss": call(lam1=LAM1, lam0=LAM0),
    "theory.relu.velocity": call(W=FIELDS, cov1=COV1, cov0=COV0, labels=LABELS, readout=np.array([0.5, 0.4]), output_bias=0.1),
    "theory.relu.winning_mode": call(lam1=LAM1, lam0=LAM0),
    "kernels.all_paths": call(widths=[3, 2], inputs=2, host=True),
    "kernels.conv_gap_moment": call(gates=RING, x=X, sigma=0.7, kernel_size=2),
    "kernels.conv_moment": call(gates=RING, x=X, sigma=0.7, kernel_size=2),
    "kernels.cosine_normalised": call(K=KERNEL),
    "kernels.effective_weights": call(weights=[*LAYERS, LAST]),
    "kernels.expected_conv_ntk": call(gates=RING, x=X, sigma=0.7, kernel_size=2, pool=True),
    "kernels.expected_ntk": call(gates=OPEN, x=X, sigma=0.7),
    "kernels.gate_ntk_through": call(weights=[*LAYERS, LAST], gating_weights=LAYERS, **SOFT, moving=OPEN, kept=OPEN),
    "kernels.gate_parts": call(weights=[*LAYERS, LAST], gating_weights=LAYERS, **SOFT, along=np.array([1.0, -0.5])),
    "kernels.gate_path_sensitivity": call(gating_weights=LAYERS, **SOFT, kept=OPEN, moving=OPEN),
    "kernels.gate_sensitivity": call(gating_weights=LAYERS, **SOFT),
    "kernels.gated_pass": call(layers=[lambda z: z @ LAYERS[0]], x=X, gate=lambda at, q: q > 0, host=True),
    "kernels.ntk": call(weights=[*LAYERS, LAST], gates=OPEN, x=X, biases=BIASES, output=0, unread=(("biases", 2),)),
    "kernels.ntk_blocks": call(weights=[*LAYERS, LAST], gates=OPEN, x=X, biases=BIASES, output=0, block=1, host=True),
    "kernels.ntk_variance": call(gates=OPEN, x=X, sigma=0.7, kurtosis=2.0),
    "kernels.outer_kernel": call(parts=[(X, X)]),
    "kernels.path_activations": call(gates=OPEN, inputs=2),
    "kernels.path_bundles": call(n=3, kernel_size=2, layers=2, host=True),
    "kernels.path_features": call(gates=OPEN, x=X),
    "kernels.path_kernel": call(gates=OPEN, x=X),
    "kernels.path_overlap": call(gates=OPEN),
    "kernels.path_strengths": call(weights=[*LAYERS, LAST]),
    "kernels.path_view": call(net=DEEP, x=X),
    "kernels.paths_through_weight": call(layer=1, widths=[3, 2], inputs=2, host=True),
    "kernels.random_gate_moments": call(depth=3, width=4, mu=0.5, sigma=0.7, kurtosis=2.0, host=True),
    "kernels.rotation_terms": call(gates=RING, x=X, sigma=0.7, kernel_size=2),
    "kernels.soft_gate": call(q=np.array([0.5, -0.5]), beta=2.0, eps=0.1),
    "kernels.soft_overlap": call(cov=KERNEL, beta=2.0, eps=0.1, other=3.0),
    "kernels.soft_slope_overlap": call(cov=KERNEL, beta=2.0, eps=0.1),
    "kernels.soft_relu_ntk": call(weights=[*LAYERS, LAST], **SOFT, biases=BIASES, unread=(("biases", 2),)),
    "kernels.strength_and_gate_ntk": call(
        weights=[*LAYERS, LAST],
        gating_weights=LAYERS,
        **SOFT,
        biases=BIASES,
        gating_biases=BIASES[:2],
        unread=(("biases", 2),),
    ),
    "kernels.tangent_kernel": call(net=NET, x=X),
    "kernels.trace_normalised": call(K=KERNEL),
    "kernels.wide_galu_ntk": call(x=X, depth=3, width=4, sigma=0.7, first=FIELDS),
    "kernels.wide_relu_ntk": call(x=X, depth=3, width=4, sigma=0.7, first=FIELDS),
    "kernels.wide_soft_galu_ntk": call(**SOFT, depth=3, width=4, sigma=0.7),
    "kernels.wide_soft_relu_ntk": call(**SOFT, depth=3, width=4, sigma=0.7),
    "gates.Bernoulli": call(gate=gates.Constant(0.5), host=True),
    "gates.Constant": call(value=0.5, host=True),
    "gates.Custom": call(function=lambda x: x[..., 0] > 0, host=True),
    "gates.GateSet": call(gates=[gates.Open(), gates.HalfSpace(W)], host=True),
    "gates.HalfSpace": call(direction=W, threshold=0.1, width=0.5, host=True),
    "gates.Moving": call(path=lambda t: t * W, now=1.0, host=True),
    "gates.Open": call(host=True),
    "gates.Scheduled": call(times=np.array([0.0, 1.0]), gates=[gates.Open(), gates.Shut()], now=0.5, host=True),
    "gates.Shut": call(host=True),
    "gates.are_exclusive": call(gates=GATES, x=X, host=True),
    "gates.are_redundant": call(gates=GATES, x=X, host=True),
    "gates.are_tiling": call(gates=GATES, x=X, host=True),
    "gates.bump": call(n=4, site=1, width=1.5, host=True),
    "gates.delta": call(n=4, site=1, host=True),
    "gates.fourier_mode": call(n=4, k=1, phase="cos", host=True),
    "gates.half_spaces": call(directions=FIELDS, thresholds=np.array([0.1, 0.2]), host=True),
    "gates.learned": call(fields=FIELDS, bias=np.array([0.1, 0.2]), host=True),
    "gates.learned_from": call(record=RECORD, step=0, run=0, host=True),
    "gates.mexican_hat": call(n=4, site=1, width=1.5, host=True),
    "gates.overlap": call(gates=GATES, x=X),
    "gates.random": call(n=4, key=KEY, host=True),
    "measures.active_gates": call(gates=OPEN, threshold=0.5),
    "measures.aligned": call(field=FIELD, host=True),
    "measures.alignment_ridge": call(K=KERNEL, ridge=1e-3),
    "measures.analytic_signal": call(w=FIELD),
    "measures.best_match": call(a=FIELDS, b=FIELDS, host=True),
    "measures.carrying_share": call(parts=OPEN, by=OPEN[::-1], share=0.9),
    "measures.circular_distance": call(i=1.0, j=3.0, n=4),
    "measures.cosine": call(a=W, b=V, host=True),
    "measures.cumulative_spectrum": call(K=KERNEL),
    "measures.entropies": call(w=FIELD),
    "measures.excess_kurtosis": call(samples=FIELD, axis=0),
    "measures.flipped_gates": call(before=OPEN, after=OPEN[::-1], threshold=0.6),
    "measures.frequency_resultant": call(w=FIELD),
    "measures.gabor": call(n=6, mu=1.0, s=1.0, f=0.5, phi=0.1, amplitude=2.0, host=True),
    "measures.gabor_fit": call(w=FIELD, model="best", host=True),
    "measures.gate_change": call(before=OPEN, after=OPEN[::-1]),
    "measures.gate_stability": call(W_t=FIELDS, W_next=FIELDS[::-1], source=TASK, key=KEY, samples=10),
    "measures.groups": call(fields=FIELDS, least=0.9, host=True),
    "measures.harper_bound": call(n=6, alpha=0.5),
    "measures.harper_slack": call(w=FIELD, alpha=0.5),
    "measures.ipr": call(w=FIELD),
    "measures.label_alignment": call(K=KERNEL, y=np.array([1.0, -1.0]), ridge=1e-3),
    "measures.localized": call(w=FIELD, fixed="rule", rule="sites"),
    "measures.localized_ipr": call(n=40, rule="flat", host=True),
    "measures.path_shares": call(active=OPEN, sensitive=OPEN[::-1]),
    "measures.peak_position": call(w=FIELD),
    "measures.peak_spacing": call(sites=np.array([0.0, 2.0, 3.0]), n=6, host=True),
    "measures.peak_spacing_law": call(K=2, n=4, host=True),
    "measures.peak_spacing_test": call(sites=[np.array([0.0, 2.0]), np.array([1.0, 3.0, 3.0])], n=4, host=True),
    "measures.position_resultant": call(w=FIELD),
    "measures.sensitive_gates": call(sensitivities=OPEN, threshold=0.5),
    "measures.sensitivity_threshold": call(active=0.9, beta=4.0, eps=0.1, bound=2.0, host=True),
    "measures.shifted_cosine": call(a=W, b=V, host=True),
    "measures.spreads": call(w=FIELD, one_sided=False),
    "measures.subnetwork_overlap": call(before=OPEN, after=OPEN[::-1]),
    "measures.subnetwork_sizes": call(active=OPEN, sensitive=OPEN, inputs=2),
}
"""By name."""


def public() -> set[str]:
    """All public functions, and classes that users make; not the tuples that functions give, nor what is only derived from."""
    names = [(module, name) for module in MODULES for name in importlib.import_module(f"gatefield.{module}").__all__]
    return {f"{module}.{name}" for module, name in names if _is_called(function(f"{module}.{name}"))}


def function(name: str) -> Any:
    module, _, own = name.rpartition(".")
    return getattr(importlib.import_module(f"gatefield.{module}"), own)


def _is_called(thing: Any) -> bool:
    given = inspect.isclass(thing) and (issubclass(thing, tuple) or inspect.isabstract(thing))
    return callable(thing) and not given
