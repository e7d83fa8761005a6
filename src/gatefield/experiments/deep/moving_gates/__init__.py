"""Do the gates of deep networks keep changing while they train, and what do gates and strengths do apart?"""

from gatefield.experiments.deep.digits.pair import QUICK
from gatefield.experiments.deep.moving_gates.figure import draw, draw_more
from gatefield.experiments.deep.moving_gates.simulate import Settings, simulate
from gatefield.experiments.deep.moving_gates.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="moving-gates",
    title="Do the gates of deep networks keep changing, and what do gates and strengths do apart?",
    source="paper 004, section 3 and conceptual gain IV; how far gates move is not measured there",
    text="The paper explains why ReLU networks generalise better than GaLU by their gates, which keep changing. Here gates of "
    "ReLU, soft ReLU and soft GaLU are recorded on some training images of the digits 4 and 7: how many are on the other side "
    "of half their range than at the start, and how many flip from record to record. GaLU with frozen gates, and ReLU with a "
    "learning rate that falls to zero, are controls. Then soft GaLU is trained by its strengths alone, its gates "
    "alone, and both.",
    caption="(a) Share of gates on another side than at the end; framed: ReLU, soft ReLU and soft GaLU where the last quarter "
    "begins, with the range of the three. (b) Gates that flip from record to record, per epoch; one that flips back in between "
    "is not seen. Shaded: the last quarter of the training; arrow: from the mean rate of ReLU there to that with a learning "
    "rate that falls to zero. (c) Share of gates on another side than at the start; in the title, at the end, where gates may "
    "move. (d) The same at the end, layer by layer; small dots are seeds.",
    more=draw_more,
    more_caption="(a) Part of the gates in the speed at which a gradient flow would lower the loss, e'K^a e over e'K e; in "
    "numbers, of both at the start and at the end. (b) Training loss of soft GaLU from one start by its strengths alone, its "
    "gates alone, and both; beside the lines the test accuracy at the end. (c) Trace of K^w, the kernel of the strengths. (d) "
    "That of K^a, the kernel of the gates. (e) What is left of each image's open sub-network: paths open now and at the start, "
    "over those open at either time; dotted: unrelated networks. (f) ν of the tangent kernel, small where labels lie along its "
    "leading directions, against how far gates have moved.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5, "epochs": 20, "records": 12, "kernel_samples": 60, "seeds": 4}},
    durations={"quick": "1 min", "full": "30 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
