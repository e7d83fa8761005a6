"""Experiments: one file each. A line here gives its class; it is loaded when it is asked for."""

import importlib
from typing import TYPE_CHECKING

from gatefield._errors import unknown_name

if TYPE_CHECKING:
    from gatefield.experiments._experiment import Experiment

_HOMES = {
    "gaussian-neuron": "_gaussian_neuron.GaussianNeuron",
    "localization": "_localization.Localization",
    "gaussian-committee": "_gaussian_committee.GaussianCommittee",
    "steady-modes": "_steady_modes.SteadyModes",
    "fourier-basis": "_fourier_basis.FourierBasis",
    "small-bump": "_small_bump.SmallBump",
    "gate-shaped-solution": "_gate_shaped_solution.GateShapedSolution",
    "uncertainty": "_uncertainty.Uncertainty",
    "gaussian-clone": "_gaussian_clone.GaussianCloneExperiment",
    "elliptical": "_elliptical.EllipticalExperiment",
    "amplifier": "_amplifier.Amplifier",
    "erf-populations": "_erf_populations.ErfPopulations",
    "gated-linear": "_gated_linear.GatedLinearExperiment",
    "gate-stability": "_gate_stability.GateStability",
    "where": "_where.Where",
    "stability": "_stability.Stability",
    "gates-to-relu": "_gates_to_relu.GatesToRelu",
    "self-consistency": "_self_consistency.SelfConsistency",
    "winning-gates": "_winning_gates.WinningGates",
    "bumps": "_bumps.Bumps",
    "drift-fields": "_drift_fields.DriftFields",
    "f-along-training": "_f_along_training.FAlongTraining",
    "margins": "_margins.Margins",
    "gate-influence": "_gate_influence.GateInfluence",
    "cube-states": "_cube_states.CubeStates",
    "depth-spectrum": "_depth_spectrum.DepthSpectrum",
    "galu-and-relu-depth": "_galu_and_relu_depth.GaluAndReluDepth",
    "linear-depth": "_linear_depth.LinearDepth",
    "hard-pair": "_hard_pair.HardPair",
    "kernel-concentration": "_kernel_concentration.KernelConcentration",
    "mnist-galu": "_mnist_galu.MnistGalu",
    "learned-subnetworks": "_learned_subnetworks.LearnedSubnetworks",
    "gate-adaptation": "_gate_adaptation.GateAdaptation",
    "frozen-or-adapting": "_frozen_or_adapting.FrozenOrAdapting",
    "gates-lottery": "_gates_lottery.GatesLottery",
    "rotation-invariance": "_rotation_invariance.RotationInvariance",
    "gates-only": "_gates_only.GatesOnly",
    "soft-gates-table": "_soft_gates_table.SoftGatesTable",
}


def names() -> tuple[str, ...]:
    """The names of all experiments; nothing is loaded for it."""
    return tuple(_HOMES)


def get(name: str) -> "Experiment":
    """The experiment of that name."""
    if name not in _HOMES:
        raise unknown_name("experiment", name, _HOMES)
    module, _, kind = _HOMES[name].partition(".")
    return getattr(importlib.import_module(f"gatefield.experiments.{module}"), kind)()
