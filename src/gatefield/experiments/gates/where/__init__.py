"""Where will a field localize? A predictor named beforehand, put to the test on fresh starts."""

from gatefield.experiments.gates.where.figure import draw
from gatefield.experiments.gates.where.simulate import Settings, simulate
from gatefield.experiments.gates.where.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="where",
    title="Where will a field localize? What its start tells, alone and among others",
    source="note 002, section 4.2, which asks whether the place can be predicted",
    text="A neuron starts from noise and ends as a bump somewhere on the ring. Can one tell where? Early in training the start "
    "is filtered by the covariance of the positive class, and what is largest then is amplified most. So the predictor, "
    "named before these runs were made, is the largest |Sigma_1 w(0)|. Beside it stand others that look at one unit alone, and "
    "one that follows the flow of a whole committee. A prediction hits if it is within one site of the final peak; by "
    "chance 3 in n do. Only units that localize count. Minibatch noise sets a limit: how often two trainings from the same "
    "start, on other samples, end within one site of each other.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "pairs": ((2.0, 1.0), (3.0, 1.0)),
            "gains": (1.0, 3.0, float("inf")),
            "batch_size": 400,
            "steps": 2_000,
            "seeds": 12,
            "committees": 3,
            "repeats": 3,
        },
    },
    durations={"quick": "45 s", "full": "15 h; minutes on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
