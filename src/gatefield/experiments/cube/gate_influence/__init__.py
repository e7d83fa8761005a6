"""How each weight acts on a gate on the cube: is there a clear divide between weights that matter and weights that do not?"""

from gatefield.experiments.cube.fields import FULL, QUICK
from gatefield.experiments.cube.gate_influence.figure import draw
from gatefield.experiments.cube.gate_influence.simulate import Settings, simulate
from gatefield.experiments.cube.gate_influence.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gate-influence",
    title="Is there a clear divide between weights that a gate on the cube follows and those it ignores?",
    source="note 003, equations 18 to 22 and the two goals after equation 20",
    text="The note hopes that a gate on the cube either follows a site, where the weight is large, or ignores it, with "
    "nothing in between. The influence of a site is how much likelier the gate is open if the site is +1 than if it is -1. "
    "With all corners alike it is counted exactly. For weights of similar size it is near sqrt(2/pi) |w_j|/|w|. A weight that "
    "grows from a crowd has influence erf(s/sqrt 2), without a divide. There is one where one weight exceeds the sum of all "
    "others, as in a localized field. On the data's law a site goes with the gate also through its neighbours; panel (c) asks "
    "how often turning it alone turns the gate.",
    Parameters=Settings,
    presets={"full": FULL, "quick": {**QUICK, "rests": 4}},
    durations={"quick": "30 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
