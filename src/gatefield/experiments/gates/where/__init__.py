"""Where will a field localize? A predictor named beforehand, put to the test on fresh starts."""

from gatefield.experiments.gates.where.figure import draw, more
from gatefield.experiments.gates.where.simulate import Settings, simulate
from gatefield.experiments.gates.where.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="where",
    title="Where will a field localize? What its start tells, alone and among others",
    source="note 002, section 4.2, which asks whether the place can be predicted",
    text="A neuron starts from noise and ends as a bump somewhere on the ring. Can one tell where? Early in training the "
    "start is filtered by the covariance Σ1 of the positive class, and what is largest then is amplified most. So the "
    "predictor, named before these runs were made, is the largest |Σ1 w(0)|. A prediction hits if it is within one site of "
    "the final peak. Only units that localize count. Minibatch noise sets a limit: how often two trainings from the same "
    "start agree.",
    caption="(a) One neuron: share of hits of each predictor, all settings together, with 95 % intervals (diamond: the one "
    "chosen beforehand); dashed with its band: how often two trainings from the same start agree; dotted: chance. "
    "(b) The same for units of committees. (c) Hits of the chosen predictor in each setting, one neuron, a mark for "
    "each pair of length scales; settings in which fewer than 10 units localize are left out. (d) The same for "
    "committees.",
    more=more,
    more_caption="(a) One neuron: how often each predictor has the sign of the final peak, all length scales together; "
    "dotted: chance. (b) The share of units that localize, and so count, in each setting: filled single "
    "neurons, open committees. (c) The first start at each gain, one neuron: what the predictor looks at "
    "(dashed) and the final field (black). (d) The same for the first unit of a committee.",
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
