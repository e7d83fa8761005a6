"""How each weight acts on a gate on the cube: is there a clear divide between weights that matter and weights that do not?"""

from gatefield.experiments.cube.fields import FULL, QUICK
from gatefield.experiments.cube.gate_influence.figure import draw, draw_more
from gatefield.experiments.cube.gate_influence.simulate import Settings, simulate
from gatefield.experiments.cube.gate_influence.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gate-influence",
    title="Is there a clear divide between weights that a gate on the cube follows and those it ignores?",
    source="note 003, equations 18 to 22 and the two goals after equation 20",
    text="The note hopes that a gate on the cube either follows a site, where the weight is large, or ignores it, with "
    "nothing in between. The influence of a site is how much likelier the gate is open if the site is +1 than if it is -1. "
    "With all corners alike it is counted exactly; on inputs with the data's law, where a site goes with the gate also through "
    "its neighbours, it is sampled. Random fields, fields whose sizes fall by a factor, and trained fields are compared.",
    caption="(a) How many sites of a field are ignored, followed, or in between, the mean over the fields of each kind, if all "
    "inputs of the cube are equally likely. (b) The same on inputs with the data's law. (c) Influence of each site by the size "
    "of its weight, one mark for each site of a field; black line: theory for one weight among many. (d) One weight grows "
    "among random ones: its influence (dots), the largest of the others (squares), and theory (line); dotted: where it is no "
    "longer ignored, and where it is followed.",
    more=draw_more,
    more_caption="(a) Influence of each site on inputs with the data's law, by the size of its weight; dashed: covariance of a "
    "site that decides with its neighbours. (b) Chance that turning this site alone turns the gate: small weights beside a "
    "large one have influence in (a) through their neighbour only; bracket: the neighbours of "
    "such sites.",
    Parameters=Settings,
    presets={"full": FULL, "quick": {**QUICK, "rests": 4}},
    durations={"quick": "30 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
