"""Least squares behind a fixed gate: how the gate's direction shapes the field."""

from gatefield.experiments.fields.gate_shaped_solution.figure import figure, more
from gatefield.experiments.fields.gate_shaped_solution.simulate import Settings, simulate
from gatefield.experiments.fields.gate_shaped_solution.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gate-shaped-solution",
    title="Which field does a fixed localized gate ask for?",
    source="note 002, figure 5 and section 5.2",
    text="Behind a fixed gate 1(⟨v,x⟩ > 0) a linear neuron learns the least-squares field 2 (S0+S1)⁻¹ f(v), with S0 and S1 "
    "the covariances of the classes and f(v) the mean input of the positive class behind the gate. The note says that a gate "
    "on one site explains localization. Here its field is laid beside trained neurons, which choose their own gate, at low "
    "and high gains; and it is counted how often the field's own gate opens for the same inputs as the first.",
    caption="(a) Inverse participation ratio (1/n: spread over all sites; 1: one site) of the least-squares field behind each "
    "gate (black: theory) and of trained neurons (small dots: seeds); the title of the panel counts the gains at which the "
    "one-site gate and training are on the same side of the level of a localized field, whatever their distance. On nearly "
    "Gaussian data (gain 0.01) the one-site gate asks for a localized field, and training ends in a spread one. (b) The field "
    "that the one-site gate asks for. (c) For how many inputs the gate of that field opens as the one-site gate does: sampled "
    "(marks), and for Gaussian data of the same covariance (lines); the title: the positive class, from the lowest gain to "
    "the highest. (d) The same for a Mexican hat.",
    more_caption="(a) A row of (S₀+S₁)⁻¹, which makes a field of the mean input behind a gate: more than a difference of "
    "neighbours; arrow: gain 3. (b) The directions of the gates. (c) and (d) Mean input of the positive class behind each "
    "gate, halved. (e) The least-squares field behind the Mexican hat. Shades: gains.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"samples": 100_000, "batch_size": 500, "seeds": 4}},
    durations={"quick": "20 s", "full": "1 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
    more=more,
)
