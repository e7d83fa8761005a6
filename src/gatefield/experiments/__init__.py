"""Experiments: one file each. A line here gives its class; it is loaded when it is asked for."""

import importlib
from typing import TYPE_CHECKING

from gatefield.core.errors import unknown_name

if TYPE_CHECKING:
    from gatefield.lab.experiment import Experiment

_HOMES = {
    "gaussian-neuron": "fields.gaussian_neuron.GaussianNeuron",
    "localization": "fields.localization.Localization",
    "gaussian-committee": "fields.gaussian_committee.GaussianCommittee",
    "steady-modes": "fields.steady_modes.SteadyModes",
    "fourier-basis": "fields.fourier_basis.FourierBasis",
    "small-bump": "fields.small_bump.SmallBump",
    "gate-shaped-solution": "fields.gate_shaped_solution.GateShapedSolution",
    "uncertainty": "fields.uncertainty.simulate.Uncertainty",
    "gaussian-clone": "fields.gaussian_clone.GaussianCloneExperiment",
    "elliptical": "fields.elliptical.EllipticalExperiment",
    "amplifier": "fields.amplifier.Amplifier",
    "erf-populations": "fields.erf_populations.simulate.ErfPopulations",
    "gated-linear": "gates.gated_linear.simulate.GatedLinearExperiment",
    "gate-stability": "gates.gate_stability.simulate.GateStability",
    "where": "gates.where.simulate.Where",
    "stability": "gates.stability.simulate.Stability",
    "gates-to-relu": "gates.gates_to_relu.simulate.GatesToRelu",
    "self-consistency": "gates.self_consistency.simulate.SelfConsistency",
    "winning-gates": "gates.winning_gates.simulate.WinningGates",
    "bumps": "cube.bumps.simulate.Bumps",
    "drift-fields": "cube.drift_fields.simulate.DriftFields",
    "f-along-training": "cube.f_along_training.simulate.FAlongTraining",
    "margins": "cube.margins.simulate.Margins",
    "gate-influence": "cube.gate_influence.simulate.GateInfluence",
    "cube-states": "cube.cube_states.simulate.CubeStates",
    "depth-spectrum": "deep.depth_spectrum.simulate.DepthSpectrum",
    "galu-and-relu-depth": "deep.galu_and_relu_depth.simulate.GaluAndReluDepth",
    "linear-depth": "deep.linear_depth.simulate.LinearDepth",
    "hard-pair": "deep.hard_pair.HardPair",
    "kernel-concentration": "deep.kernel_concentration.simulate.KernelConcentration",
    "mnist-galu": "deep.mnist_galu.MnistGalu",
    "learned-subnetworks": "deep.learned_subnetworks.LearnedSubnetworks",
    "gate-adaptation": "deep.gate_adaptation.GateAdaptation",
    "frozen-or-adapting": "deep.frozen_or_adapting.FrozenOrAdapting",
    "gates-lottery": "deep.gates_lottery.GatesLottery",
    "rotation-invariance": "convolution.rotation_invariance.simulate.RotationInvariance",
    "gates-only": "convolution.gates_only.GatesOnly",
    "soft-gates-table": "convolution.soft_gates_table.simulate.SoftGatesTable",
}


def names() -> tuple[str, ...]:
    """The names of all experiments; nothing is loaded for it."""
    return tuple(_HOMES)


def get(name: str) -> "Experiment":
    """The experiment of that name."""
    if name not in _HOMES:
        raise unknown_name("experiment", name, _HOMES)
    module, _, kind = _HOMES[name].rpartition(".")
    return getattr(importlib.import_module(f"gatefield.experiments.{module}"), kind)()
