"""Do the gates of deep networks keep changing while they train, and what do gates and strengths do apart?"""

from gatefield.experiments.deep.digits.pair import QUICK, SETTING
from gatefield.experiments.deep.moving_gates.figure import draw
from gatefield.experiments.deep.moving_gates.simulate import Settings, simulate
from gatefield.experiments.deep.moving_gates.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="moving-gates",
    title="Do the gates of deep networks keep changing, and what do gates and strengths do apart?",
    source="paper 004, section 3 and conceptual gain IV; how far gates move is not measured there",
    text="The paper explains why ReLU networks generalise better than GaLU by their gates, which keep changing. Here the gates "
    "of ReLU, soft ReLU and soft GaLU are recorded on some training images: which part of them is on the other side of half "
    "their range than at the start, layer by layer; how many flip from record to record, which tells whether they come to "
    "rest; how many are as at the end; and how much of each image's open sub-network is left: lambda, the paths open both now "
    "and at the start, over those open at either time. A gate that flips and flips back between two records is not seen. GaLU "
    "with frozen gates is a control; so is ReLU with a learning rate that falls to zero, which tells gates that drift from "
    "those that the noise of batches flips to and fro. Then soft GaLU is trained from one start by its strengths alone, its "
    "gates alone, and both. In a gradient flow the loss falls at the speed e'K^w e/n² + e'K^a e/n², e the errors on n images. "
    "These speeds are measured at the start, by one small step of gradient descent for each; later the three networks are in "
    "different places. " + SETTING + "K is the tangent kernel by all that is trained.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5, "epochs": 20, "records": 12, "kernel_samples": 60, "seeds": 4}},
    durations={"quick": "1 min", "full": "15 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
