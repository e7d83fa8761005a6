"""How each weight acts on a gate on the cube: is there a clear divide between weights that matter and weights that do not?"""

from gatefield.experiments.cube.gate_influence.figure import draw
from gatefield.experiments.cube.gate_influence.simulate import Settings, simulate
from gatefield.experiments.cube.gate_influence.verdicts import verdicts
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="gate-influence",
    title="A gate on the cube has a clear divide only where one weight leads; else influence takes all values",
    source="note 003, equations 18 to 22 and the two goals after equation 20",
    text="The note hopes that a gate on the cube either follows a site, where the weight is large, or ignores it, and that "
    "nothing falls in between. The influence of a site is how much likelier the gate is open if the site is +1 than if "
    "it is -1: 1 where the gate follows, 0 where it ignores. On the whole cube, all corners alike, it is counted exactly. "
    "For weights of similar size it is close to sqrt(2/pi) |w_j|/|w|, in between for the largest of them. A weight that "
    "grows from a crowd has influence erf(s/sqrt 2), s being its size over the length of the others: no divide but a "
    "slow rise. A clear divide is found where one weight exceeds the sum of all others, as in a trained localized "
    "field: it has influence 1, all others have 0. On the data's own law a site also goes with the gate through its "
    "neighbours, so that its difference 2|f_j| is not small even where its weight plays no part. Panel (c) therefore "
    "asks how often turning the site alone would turn the gate, for inputs of that law.",
    Parameters=Settings,
    presets={
        "full": {"batch_size": 4_000, "samples": 200_000},
        "quick": {
            "n": 30,
            "random_fields": 6,
            "samples": 10_000,
            "learning_rate": 0.1,
            "batch_size": 500,
            "steps": 2_000,
            "record_every": 20,
            "seeds": 4,
            "rests": 4,
        },
    },
    durations={"quick": "30 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
