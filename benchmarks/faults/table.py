"""Small valid arguments for every public function and class of the rooms, as `calls.py` varies them.

A whole number stands where only a whole number is right, and a float where any real one is. A class is called and then
used: what is looked at is what `USES` makes of it.
"""

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np

import gatefield as gf
from gatefield import data, dynamics, gates
from gatefield.theory.classes import GaussianClass
from gatefield.theory.gated_linear import Mixture

ROOMS = [
    "gatefield",
    "gatefield.data",
    "gatefield.data.laws",
    "gatefield.gates",
    "gatefield.theory",
    "gatefield.kernels",
    "gatefield.nets",
    "gatefield.dynamics",
    "gatefield.measures",
] + [
    f"gatefield.theory.{name}"
    for name in ("classes", "closure", "elliptical", "erf", "gated_linear", "hypercube", "neuron", "nlgp", "relu")
]

LEFT_OUT = {
    "abstract, for subclasses": "Network Parameters AbstractTask Source Gate SymmetricClass Quantile Radial Recorder",
    "only hold what functions give": (
        "Estimate Interrupted Support Squashed Images FrozenLimits GatedPaths Judged SearchResult Statistics "
        "LocalizedState Margin States Contrast GatePath GateValues SampledDrift Spectrum EntryMoments GateSensitivity "
        "PathBundles PathShares PathView SoftReluKernels BestGates ListedMoments Posterior Layout MemoryRecorder Resumable "
        "Training Variable GaborFit SpacingTest Stepper Table"
    ),
    "errors, numbers, texts and types": (
        "StoreError UserError Diverged __version__ ONE_SIDED_BOUND FLAT_FIELDS LOCALIZED Gating LossName OptimizerName "
        "Precision"
    ),
    "of the laboratory, for commands.py, damage.py and disk.py": "Experiment Store Verdict open_record",
    "of sweeps, for sweep_inputs.py": "sweep",
    "of the engine, for what plans trainings": "fingerprint runs_side_by_side",
    "read files that are fetched": "mnist binary_mnist cifar10",
    "gives memory back, of no arguments": "forget_programs",
    "for authors of sources and gates, who give functions": "leaf per_run gated_pass check_source",
    "take no arguments": "Open Shut GaussianRadial Laplace LaplaceRadial Sphere Uniform",
    "takes named axes of any name": "Grid",
}
"""Why -> public names without a line in the table."""

N = 4
KEY = jax.random.key(0)


def _cov(xi: float) -> np.ndarray:
    return np.array(data.Gaussian(N, xi).covariance())


@functools.cache
def _table() -> dict[str, dict[str, Any]]:
    rng = np.random.default_rng(0)
    w, W, x, fields = (rng.normal(size=shape) for shape in [(N,), (2, N), (6, N), (3, N)])
    C, C1, C0 = _cov(1.0), _cov(1.5), _cov(0.7)
    lam1, lam0 = np.array([3.0, 1.0, 0.5, 0.5]), np.array([1.5, 1.0, 1.0, 0.5])
    gauss, other = data.Gaussian(N, 1.5), data.Gaussian(N, 0.7)
    pulses = gf.Task(data.SinglePulse(N, (1, 2)), data.SinglePulse(N, (1, 1)))
    task, cube = gf.Task(gauss, other), gf.Task(data.Hypercube(N, 0.8), data.Hypercube(N, 1.6))
    committee = gf.Committee(N, 2, key=KEY)
    half, positive = gates.half_spaces(W), GaussianClass(C1)
    both = Mixture(positive, GaussianClass(C0))
    A, b = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, 0.5])
    opened = [np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])]
    x1, ring = np.array([[1.0], [2.0], [-1.0]]), np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]])
    conv = [np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]])]
    weights = [rng.normal(size=(1, 2)), rng.normal(size=(2,))]
    soft = [rng.normal(size=(2, 2)), rng.normal(size=(2,))]
    record = dynamics.flow(lambda v: -v, W[None], [0.0, 1.0])
    corr = np.array(0.5 * (1 + np.eye(N)))
    points = np.array(gf.theory.hypercube.corners(N))
    listed = {"points": x[:4], "chances": np.array([0.4, 0.3, 0.2, 0.1]), "means": np.array([0.5, 1.0, 0.2, 0.7])}
    openings = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.0]])
    labels = (1.0, 0.0)
    training = {
        "net": committee,
        "task": task,
        "batch_size": 4,
        "learning_rate": 0.1,
        "key": KEY,
        "optimizer": "sgd",
        "loss": "mse",
    }
    erf = {"W": W, "b": np.array([0.1, 0.2]), "output_bias": 0.1, "cov1": C1, "cov0": C0, "labels": labels}
    pair = {"w_j": w, "b_j": 0.1, "w_k": W[0], "b_k": 0.2, "cov": C}
    neuron = {"w": w, "drift1": lambda v: gf.theory.relu.gate_mean(v, C1), "cov1": C1, "cov0": C0, "labels": labels}
    image = {"gates": conv, "x": ring, "sigma": 0.5, "kernel_size": 2}
    smooth = {"beta": 4.0, "eps": 0.1}
    sampled = {"key": KEY, "samples": 200}
    gl = "theory.gated_linear."
    return {
        "one_run": {"tree": gf.Committee(N, 2, key=jax.random.split(KEY, 3)), "run": 1},
        "train": {**training, "steps": 3, "record_every": 2, "chunk": 1, "keep_network": True, "observe": None},
        "flow": {
            "velocity": lambda v: -v,
            "w0": W,
            "times": np.array([0.0, 0.5]),
            "rtol": 1e-6,
            "atol": 1e-8,
            "max_steps": 1000,
            "until": "times",
            "solver": "dopri8",
            "timed": False,
        },
        "Committee": {
            "n": N,
            "K": 2,
            "activation": "relu",
            "bias": True,
            "readout": "mean",
            "init": W,
            "key": KEY,
            "init_scale": 1.0,
            "bias_init": 0.1,
            "output_bias": True,
        },
        "GatedLinear": {"n": N, "gates": half, "init": W, "init_scale": 1.0, "key": KEY},
        "DeepGated": {
            "n": N,
            "widths": (3, 3),
            "gating": "galu",
            "outputs": 1,
            "sigma": 0.5,
            "bias": False,
            "precision": "float32",
            "key": KEY,
        },
        "ConvGated": {
            "shape": (4, 4, 1),
            "channels": (2,),
            "gating": "galu",
            "outputs": 2,
            "kernel_size": 3,
            "sigma": 0.5,
            "bias": False,
            "padding": "valid",
            "stride": 1,
            "key": KEY,
        },
        "Task": {"positive": gauss, "negative": other, "labels": labels, "proportion": 0.5, "stratified": True},
        "Dataset": {
            "x": x,
            "y": np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0]),
            "test": (x[:2], np.array([0.0, 1.0])),
            "batches": "shuffled",
            "block": 4,
            "evaluated": 2,
        },
        "data.Gaussian": {"n": N, "xi": 1.5, "boundary": "ring"},
        "data.Elliptical": {"n": N, "xi": 1.5, "radial": "laplace", "boundary": "ring"},
        "data.Finite": {"points": x, "probabilities": np.full(len(x), 1 / len(x))},
        "data.GaussianClone": {"source": data.Hypercube(N, 1.0)},
        "data.Hypercube": {"n": N, "xi": 1.5, "boundary": "line"},
        "data.Ising": {"n": N, "coupling": 0.5, "boundary": "ring"},
        "data.Marginal": {"n": N, "xi": 1.5, "quantile": "uniform", "boundary": "ring"},
        "data.NonlinearGP": {"n": N, "xi": 1.5, "gain": 3.0, "boundary": "ring"},
        "data.SinglePulse": {"n": N, "widths": (1, 2), "complement": False, "centre": False},
        "data.Taught": {"sources": gauss, "teacher": committee, "noise": 0.1},
        "data.fourier_basis": {"n": N},
        "data.line_correlation": {"n": N, "xi": 1.5},
        "data.ring_correlation": {"n": N, "xi": 1.5},
        "data.ring_spectrum": {"n": N, "xi": np.array([1.0, 2.0])},
        "data.laws.Algebraic": {"k": 3.0},
        "data.laws.QuantileFunction": {"function": lambda u: 2.0 * u - 1.0, "breaks": (0.2, 0.8)},
        "data.laws.Shell": {"thickness": 0.1},
        "data.laws.StudentT": {"df": 5.0},
        "data.laws.as_quantile": {"value": "uniform"},
        "data.laws.as_radial": {"value": "laplace"},
        "gates.Bernoulli": {"gate": gates.HalfSpace(w, width=0.5)},
        "gates.Constant": {"value": 0.5},
        "gates.Custom": {"function": lambda u: u.sum(-1) > 0},
        "gates.GateSet": {"gates": [gates.Open(), gates.HalfSpace(w)]},
        "gates.HalfSpace": {"direction": w, "threshold": 0.1, "width": 0.5},
        "gates.Moving": {"path": lambda t: w + t, "now": 0.0},
        "gates.Scheduled": {"times": np.array([0.0, 1.0]), "gates": [gates.Open(), gates.Shut()], "now": 0.0},
        **{f"gates.{name}": {"gates": half, "x": x} for name in ("are_exclusive", "are_redundant", "are_tiling", "overlap")},
        "gates.bump": {"n": N, "site": 1, "width": 1.0},
        "gates.mexican_hat": {"n": N, "site": 1, "width": 1.0},
        "gates.delta": {"n": N, "site": 1},
        "gates.fourier_mode": {"n": N, "k": 1, "phase": "cos"},
        "gates.half_spaces": {"directions": W, "thresholds": np.array([0.0, 0.1])},
        "gates.learned": {"fields": W, "bias": np.array([0.0, 0.1])},
        "gates.learned_from": {"record": record, "step": -1, "run": 0},
        "gates.random": {"n": N, "key": KEY},
        "theory.characteristic": {"source": data.Ising(N, 0.5), "w": w, "method": "auto", **sampled, "with_error": False},
        "theory.descent": {"velocity": lambda v: -v, "w0": w, "learning_rate": 0.5, "steps": np.array([0, 1, 2])},
        "theory.drift": {"source": data.Hypercube(N, 1.0), "w": w, "method": "auto", "with_error": False},
        "theory.drift_jacobian": {
            "source": data.NonlinearGP(N, 1.0, 2.0),
            "w": w,
            "method": "auto",
            **sampled,
            "with_error": False,
        },
        "theory.flow_end": {"velocity": lambda v: -v, "w0": jax.numpy.asarray(w), "time": 1.0, "step": 0.25},
        "theory.classes.EmpiricalClass": {"x": x, "cov": C},
        "theory.classes.GaussianClass": {"cov": C},
        "theory.classes.gate_signs": {"x": x, "w": W},
        "theory.closure.amplifier": {"a": np.array([0.1, 0.5]), "gain": 1.0},
        "theory.closure.drift": {"w": w, "cov": C, "gain": 1.0},
        "theory.closure.expansion": {"a": 0.1, "kurtosis": -1.0},
        "theory.closure.tabulate": {"gain": 1.0, "points": 5},
        "theory.closure.velocity": {"w": w, "cov1": C1, "cov0": C0, "gain": 1.0},
        "theory.elliptical.constant": {"radial": "laplace", "n": N},
        "theory.elliptical.drift": {"w": w, "cov": C, "radial": "laplace"},
        "theory.elliptical.steady_amplitude": {"lam1": 2.2, "lam0": 1.45, "radial": "laplace", "n": N},
        "theory.elliptical.velocity": {"w": w, "cov1": C1, "cov0": C0, "radial": "laplace", "labels": labels},
        "theory.erf.bias_velocity": {"b": 0.1, "s1": 1.0, "s0": 2.0, "labels": labels, "output_bias": 0.1},
        "theory.erf.bivariate_cdf": {"a": 0.1, "b": 0.2, "r": 0.5},
        "theory.erf.linear_rates": {
            "b": np.array([0.1, 0.2]),
            "lam1": lam1,
            "lam0": lam0,
            "labels": labels,
            "output_bias": 0.1,
        },
        **{f"theory.erf.{name}": erf for name in ("loss", "velocity")},
        **{f"theory.erf.{name}": {"w": w, "b": 0.1, "cov": C} for name in ("mean", "slope_mean", "slope_input_mean")},
        **{f"theory.erf.{name}": pair for name in ("kernel", "product_slope_mean", "product_slope_input_mean")},
        gl + "Mixture": {"positive": positive, "negative": GaussianClass(C0), "labels": labels, "proportion": 0.5},
        gl + "best_gates": {**listed, "K": 1, "overlap": "exclusive", "most": 1000},
        gl + "best_half_spaces": {"task": task, "K": 1, "key": KEY, "starts": 1, "steps": 2, "tries": 1, "samples": 50},
        gl + "explained": {"A": A, "b": b},
        gl + "explained_by_directions": {"V": W, "task": task},
        gl + "explained_by_gates": {"gates": openings, **listed},
        gl + "frozen_limits": {"data": both, "V": W[None], "w0": np.zeros((1, 2, N))},
        gl + "frozen_losses": {"data": both, "V": W[None], "w": W[None]},
        gl + "half_time": {"A": A, "b": b, "K": 1},
        gl + "initial_rate": {"b": b, "K": 1},
        gl + "judge": {"directions": W, "task": task, **sampled},
        gl + "limit": {"A": A, "b": b, "w0": np.zeros(2), "K": 1},
        gl + "limiting_loss": {"A": A, "b": b, "label_power": 1.0},
        gl + "listed_moments": {"gates": openings, **listed},
        gl + "loss": {"A": A, "b": b, "w": np.zeros(2), "K": 1, "label_power": 1.0},
        gl + "loss_path": {"A": A, "b": b, "w0": np.zeros(2), "times": np.array([0.0, 1.0]), "K": 1, "label_power": 1.0},
        gl + "mixture": {"task": cube, **sampled},
        gl + "pieces": {
            "gates": [gates.Scheduled([0.0, 5.0], [gates.Shut(), gates.Open()])],
            "task": task,
            "method": "auto",
            **sampled,
        },
        gl + "posterior": {
            "positive": listed["chances"],
            "negative": np.array([0.1, 0.2, 0.3, 0.4]),
            "labels": labels,
            "proportion": 0.4,
        },
        gl + "refreshed_path": {
            "data": both,
            "V": W[None, None].repeat(2, 1),
            "w0": np.zeros((1, 2, N)),
            "step": 0.5,
            "every": 1,
            "own": False,
        },
        gl + "relu_path": {"data": both, "w0": W[None], "step": 0.5, "times": 2, "substeps": 1},
        gl + "single_gate_field": {"cov1": C1, "cov0": C0, "drift": w},
        gl + "solve": {"A": A, "b": b, "w0": np.zeros(2), "times": np.array([0.0, 1.0]), "K": 1},
        gl + "solve_pieces": {"pieces": [(0.0, A, b), (2.0, A, b)], "w0": np.zeros(2), "times": np.array([1.0, 2.5]), "K": 1},
        gl + "solve_redundant": {
            "A11": A,
            "b1": b,
            "w0": np.array([[1.0, 0.0], [0.0, 0.0]]),
            "times": np.array([0.0, 1.0]),
            "K": 2,
        },
        gl + "statistics": {
            "gates": half,
            "task": gf.Task(data.Ising(N, 0.5), data.Ising(N, 0.2)),
            "method": "auto",
            "with_error": False,
            **sampled,
        },
        gl + "velocity": {"w": np.zeros((2, 1)), "A": A, "b": b},
        **{
            f"theory.hypercube.{name}": {"w": np.array([1.1, 0.7, -0.45, 0.3])}
            for name in ("chow", "head_size", "influence", "sdp_margin", "walsh")
        },
        "theory.hypercube.margin": {"w": np.array([3.0, 2.0, 2.5]), "with_error": False},
        "theory.hypercube.corners": {"n": N},
        "theory.hypercube.drift": {"w": w, "corr": corr, "method": "auto", "with_error": False},
        "theory.hypercube.head_errors": {"w": w, "x": points, "chances": np.full(2**N, 0.5**N)},
        "theory.hypercube.head_drift": {"w": [1.0, 0.5], "sites": [0, 2], "corr": corr},
        "theory.hypercube.head_state": {"corr1": corr, "cov0": C0, "head": w},
        "theory.hypercube.is_localized": {"fields": fields},
        "theory.hypercube.levels": {"losses": np.array([0.2, 0.1, 0.2]), "digits": 8},
        "theory.hypercube.localized_state": {"cov1": C1, "cov0": C0, "site": 0},
        "theory.hypercube.orthant": {
            "corr": corr,
            "pattern": np.ones(N),
            "method": "auto",
            "points": 64,
            "replicates": 4,
            "with_error": False,
        },
        "theory.hypercube.pattern_law": {"corr": corr},
        "theory.hypercube.probable_head": {"w": w, "x": points, "share": 0.3, "chances": np.full(2**N, 0.5**N)},
        "theory.hypercube.sign_moment": {"corr": corr, "with_error": False},
        "theory.hypercube.steady_states": {
            "points": points,
            "cov1": C1,
            "cov0": C0,
            "starts": W,
            "chances": np.full(2**N, 0.5**N),
            "time": 0.1,
            "time_step": 0.05,
            "most_steps": 20,
        },
        "theory.neuron.contrast": {"w": W, "task": task, **sampled},
        "theory.neuron.finite_velocity": {"w": W, "task": pulses},
        "theory.neuron.gate_flow": {"positive": positive, "total": C1 + C0, "w": W, "time": 0.5, "step": 0.1},
        "theory.neuron.gate_map": {"positive": positive, "total": C1 + C0, "w": W},
        "theory.neuron.iterate_gate_map": {"positive": positive, "total": C1 + C0, "w": W, "steps": 20, "tolerance": 1e-6},
        "theory.neuron.pathway_velocity": {"w": w, "v": W[0], "drift": W[1], "total": C1 + C0},
        "theory.neuron.sampled_jacobian": {"source": gauss, "fields": W, **sampled, "width": 0.05},
        "theory.neuron.velocity_spectrum": {"jacobian": np.zeros((2, N, N)), "total": C1 + C0, "pathway": False},
        **{f"theory.neuron.{name}": neuron for name in ("loss", "velocity")},
        "theory.nlgp.covariance": {"rho": np.array([0.1, 0.5]), "gain": 1.0},
        "theory.nlgp.excess_kurtosis": {"gain": 1.0},
        "theory.nlgp.half_gate_mean": {"rho": np.array([0.1, 0.5]), "gain": 1.0},
        "theory.nlgp.pair_drift": {"w": np.array([1.0, 0.5]), "rho": 0.5, "gain": 1.0},
        "theory.nlgp.variance": {"gain": 1.0},
        **{
            f"theory.relu.{name}": {"w": w, "v": W[0], "cov": C}
            for name in ("gate_agreement", "gate_second_moment", "kernel", "pair_mean")
        },
        "theory.relu.gate_mean": {"w": w, "cov": C},
        "theory.relu.generalised_modes": {"cov1": C1, "cov0": C0},
        "theory.relu.growth_rates": {"k": 1, "lam1": lam1, "lam0": lam0},
        "theory.relu.mode_velocity": {"u": w, "lam1": lam1, "lam0": lam0, "labels": labels},
        "theory.relu.single_path": {"u0": 0.1, "lam1": 2.0, "lam0": 1.0, "times": np.array([0.0, 1.0])},
        "theory.relu.steady_amplitude": {"lam1": lam1, "lam0": lam0},
        "theory.relu.steady_loss": {"lam1": lam1, "lam0": lam0},
        "theory.relu.winning_mode": {"lam1": lam1, "lam0": lam0},
        **{
            f"theory.relu.{name}": {"W": W, "cov1": C1, "cov0": C0, "labels": labels, "output_bias": 0.1}
            for name in ("loss", "velocity")
        },
        **{f"kernels.{name}": image for name in ("conv_gap_moment", "conv_moment", "rotation_terms")},
        "kernels.expected_conv_ntk": {**image, "pool": True},
        "kernels.all_paths": {"widths": (3, 2), "inputs": 2},
        "kernels.cosine_normalised": {"K": A},
        "kernels.effective_weights": {"weights": weights},
        "kernels.trace_normalised": {"K": A},
        "kernels.expected_ntk": {"gates": opened, "x": x1, "sigma": 0.5},
        "kernels.ntk_variance": {"gates": opened, "x": x1, "sigma": 0.5, "kurtosis": 1.0},
        "kernels.path_activations": {"gates": opened, "inputs": 2},
        "kernels.path_features": {"gates": opened, "x": x1},
        "kernels.path_kernel": {"gates": opened, "x": x1},
        "kernels.path_overlap": {"gates": opened},
        "kernels.gate_ntk_through": {
            "weights": soft,
            "gating_weights": soft,
            "x": W[:, :2],
            "moving": [np.ones((len(W), 2))],
            **smooth,
        },
        "kernels.gate_parts": {"weights": soft, "gating_weights": soft, "x": W[:, :2], **smooth},
        "kernels.gate_path_sensitivity": {"gating_weights": [np.array([[0.5, 0.1]])], "x": x1, **smooth},
        "kernels.gate_sensitivity": {"gating_weights": [np.array([[0.5, 0.1]])], "x": x1, **smooth},
        "kernels.ntk": {"weights": weights, "gates": opened, "x": x1},
        "kernels.ntk_blocks": {"weights": weights, "gates": opened, "x": x1, "block": 2},
        "kernels.outer_kernel": {"parts": [(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[1.0], [3.0]]))]},
        "kernels.path_strengths": {"weights": weights},
        "kernels.path_view": {"net": gf.DeepGated(N, [3, 2], gating="relu", key=KEY), "x": x},
        "kernels.path_bundles": {"n": 3, "kernel_size": 2, "layers": 3},
        "kernels.paths_through_weight": {"layer": 1, "widths": (3, 3, 3), "inputs": 2},
        "kernels.random_gate_moments": {"depth": 4, "width": 10, "mu": 0.5, "sigma": 0.3, "kurtosis": 1.0},
        "kernels.soft_gate": {"q": np.array([0.0, 0.5]), **smooth},
        "kernels.soft_overlap": {"cov": A, **smooth, "other": 2.0},
        "kernels.soft_slope_overlap": {"cov": A, **smooth},
        "kernels.soft_relu_ntk": {"weights": soft, "x": W[:, :2], **smooth},
        "kernels.strength_and_gate_ntk": {"weights": soft, "gating_weights": soft, "x": W[:, :2], **smooth},
        "kernels.tangent_kernel": {"net": committee, "x": x},
        "kernels.wide_soft_galu_ntk": {"x": x, "depth": 3, "width": 5, "sigma": 0.6, **smooth},
        "kernels.wide_soft_relu_ntk": {"x": x, "depth": 3, "width": 5, "sigma": 0.6, **smooth},
        **{
            f"kernels.wide_{name}_ntk": {"x": x, "depth": 3, "width": 5, "sigma": 0.6, "first": fields}
            for name in ("galu", "relu")
        },
        "dynamics.advance": {"stepper": dynamics.init(**training), "steps": 2},
        "dynamics.init": training,
        "dynamics.stability": {"velocity": lambda v: -v, "w": W, "neutral": 1e-8},
        "measures.active_gates": {"gates": opened, "threshold": 0.9},
        "measures.path_shares": {"active": opened, "sensitive": opened},
        "measures.aligned": {"field": w},
        "measures.alignment_ridge": {"K": A, "ridge": 1e-3},
        **{
            f"measures.{name}": {"w": W}
            for name in ("analytic_signal", "entropies", "frequency_resultant", "ipr", "peak_position", "position_resultant")
        },
        "measures.localized": {"w": W, "rule": "flat"},
        "measures.localized_ipr": {"n": N, "rule": "flat"},
        "measures.best_match": {"a": W, "b": W[::-1].copy()},
        "measures.carrying_share": {"parts": opened, "by": opened, "share": 0.9},
        "measures.circular_distance": {"i": 1.0, "j": 3.0, "n": N},
        "measures.cosine": {"a": w, "b": W[0]},
        "measures.shifted_cosine": {"a": w, "b": W[0]},
        "measures.cumulative_spectrum": {"K": A},
        "measures.excess_kurtosis": {"samples": x, "axis": 0},
        "measures.gabor": {"n": 8, "mu": 2.0, "s": 1.0, "f": 1.0, "phi": 0.1, "amplitude": 1.0},
        "measures.gabor_fit": {"w": rng.normal(size=8), "model": "best"},
        "measures.gate_stability": {
            "W_t": W,
            "W_next": W + 0.1,
            "source": data.Hypercube(N, 1.0),
            **sampled,
            "with_error": False,
        },
        "measures.groups": {"fields": fields, "least": 0.9},
        "measures.harper_bound": {"n": N, "alpha": 0.7},
        "measures.harper_slack": {"w": W, "alpha": 0.7},
        "measures.label_alignment": {"K": A, "y": np.array([1.0, -1.0]), "ridge": 0.1},
        "measures.peak_spacing": {"sites": np.array([0.0, 2.0, 3.0]), "n": N},
        "measures.peak_spacing_law": {"K": 2, "n": N},
        "measures.peak_spacing_test": {"sites": [np.array([0.0, 2.0]), np.array([1.0, 3.0, 3.0])], "n": 4},
        "measures.sensitive_gates": {"sensitivities": opened, "threshold": 0.9},
        "measures.sensitivity_threshold": {"active": 0.9, "beta": 4.0, "eps": 0.1, "bound": 2.0},
        "measures.spreads": {"w": W, "one_sided": False},
        "measures.flipped_gates": {"before": opened, "after": opened, "threshold": 0.5},
        "measures.gate_change": {"before": opened, "after": opened},
        "measures.subnetwork_overlap": {"before": opened, "after": opened},
        "measures.subnetwork_sizes": {"active": [opened[0] > 0], "sensitive": [opened[0] > 0], "inputs": 1},
    }


def _used_source(source: Any) -> Any:
    return source.covariance(), source.sample(KEY, 4)


def _each(names: str, use: Callable[[Any], Any]) -> dict[str, Callable[[Any], Any]]:
    return dict.fromkeys(names.split(), use)


USES: dict[str, Callable[[Any], Any]] = {
    **_each("Gaussian Elliptical Finite GaussianClone Hypercube Ising Marginal NonlinearGP SinglePulse", _used_source),
    **_each("Task Dataset Taught", lambda task: task.sample(KEY, 4)),
    **_each("Committee GatedLinear DeepGated", lambda net: net(np.ones((3, N)))),
    "ConvGated": lambda net: net(np.ones((3, 16))),
    **_each(
        "Bernoulli Constant Custom GateSet HalfSpace Moving Scheduled bump mexican_hat delta fourier_mode "
        "half_spaces learned learned_from random",
        lambda gate: gate(np.ones((3, N))),
    ),
    **_each("Algebraic QuantileFunction as_quantile", lambda law: law(np.array([0.3, 0.7]))),
    **_each("Shell StudentT as_radial", lambda law: law.mean_ratio(N)),
    **_each("EmpiricalClass GaussianClass", lambda law: law.drift(jax.numpy.ones((2, N)))),
    "ntk_blocks": lambda blocks: [part for _, _, part in blocks],
    "train": lambda training: training.record,
    "init": lambda stepper: stepper.observe(),
    "advance": lambda stepper: stepper.observe(),
}
"""What is done with a result before it is looked at, by the name of the function or class."""

COMPLEX = {f"measures.{name}" for name in ("spreads", "harper_slack", "frequency_resultant")}
"""Measures that take complex fields, such as analytic signals."""

IGNORED = {
    "GatedLinear.key",  # the weights are given
    "Committee.key",
    "theory.gated_linear.judge.samples",  # Gaussian sources need no samples
    "theory.gated_linear.pieces.samples",
    "measures.gate_stability.samples",  # a small hypercube is listed
    "measures.excess_kurtosis.axis",  # None is all axes, as in NumPy
    "DeepGated.outputs",  # None leaves the last layer out, as the docstring says
}
"""Arguments on which the result does not depend here."""


class Entry:
    """One line of the table: what is called, with which arguments, and what is done with what it gives."""

    def __init__(self, name: str, arguments: Mapping[str, Any]) -> None:
        self.name, self.arguments = name, arguments
        self.function = getattr(importlib.import_module(f"gatefield.{name}".rpartition(".")[0]), name.rpartition(".")[2])
        self.defaults = {key: value.default for key, value in inspect.signature(self.function).parameters.items()}

    def __call__(self, arguments: Mapping[str, Any]) -> Any:
        result = self.function(**arguments)
        use = USES.get(self.name.rpartition(".")[2])
        return use(result) if use else result

    @property
    def room(self) -> str:
        return self.name.rpartition(".")[0] or "gatefield"


def entries() -> list[Entry]:
    """The table, line by line."""
    return [Entry(name, arguments) for name, arguments in _table().items()]


def public_names() -> set[str]:
    """All names that the rooms offer, but for modules."""
    found = set()
    for room in ROOMS:
        module = importlib.import_module(room)
        found |= {name for name in module.__all__ if not inspect.ismodule(getattr(module, name))}
    return found


def unlisted() -> set[str]:
    """Public names that are neither in the table nor left out; there must be none."""
    left_out = {name for names in LEFT_OUT.values() for name in names.split()}
    return public_names() - left_out - {name.rpartition(".")[2] for name in _table()}
