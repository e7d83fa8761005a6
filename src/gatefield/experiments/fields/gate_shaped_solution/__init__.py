"""Least squares behind a fixed gate: how the gate's direction shapes the field."""

from gatefield.experiments.fields.gate_shaped_solution.figure import figure
from gatefield.experiments.fields.gate_shaped_solution.simulate import Settings, simulate
from gatefield.experiments.fields.gate_shaped_solution.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gate-shaped-solution",
    title="Which field does a fixed localized gate ask for?",
    source="note 002, figure 5 and section 5.2",
    text="Behind a fixed gate 1(⟨v,x⟩ > 0) a linear neuron learns the least-squares field 2 (S0+S1)⁻¹ f(v). S0 and S1 are the "
    "covariances of the classes, and f(v) = E[1(⟨v,x⟩ > 0) x] in the positive one. The input-input covariance (S0+S1)/4 "
    "does not depend on the gate; its inverse sharpens f(v). For a gate on a single site f(v) has a closed form at every "
    "gain; for a Mexican hat it is sampled. The note says that this explains localization; but the "
    "same gate gives a localized field for Gaussian data. What tells the data apart is self-consistency: how often the "
    "field's own gate opens for the same inputs. Colours stand for gains as in (c), or for classes as in (h).",
    Parameters=Settings,
    presets={"full": {}, "quick": {"samples": 100_000}},
    durations={"quick": "10 s", "full": "20 s"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
