"""The drift f(w) along training: how many entries of the field decide the gate, and when f leaves the Gaussian form."""

from gatefield.experiments.cube.f_along_training.figure import draw, draw_more
from gatefield.experiments.cube.f_along_training.simulate import Settings, simulate
from gatefield.experiments.cube.f_along_training.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="f-along-training",
    title="The drift along training: how many entries decide the gate, and how Gaussian is f?",
    source="note 003, sections 2 and 3, which ask how f behaves and how small the head of w may be",
    text="While a ReLU neuron trains, its drift f(w) = E[1(<w,x> >= 0) x] over the positive class is compared with two forms. "
    "For Gaussian data it would be C1 w/√(2π w'C1 w). If the largest entry alone decided the gate, it would be that of one "
    "site, on the cube C1 e_max/2. Distances are relative to |f|, without what sampling adds. The head of w is the smallest "
    "number of its largest entries whose gate is that of all on 95 % of inputs. With the shorter range positive heads still "
    "fall when training stops here; late-localization goes on, and finds one-site states at gain ∞ after hundreds to thousands "
    "of tau for some pairs.",
    caption="(a), (b), (c) The drift f of one neuron: dots sampled, black line the form of one site, dashed the Gaussian form; "
    "above, how many entries decide the gate. (a) At the start. (b) When so few decide that their logarithm is half way down. "
    "(c) At the end. (d) How many entries decide the gate, by gain. (e) Which form f has: balance (d_G − d_1)/(d_G + d_1) of "
    "its distances from the Gaussian form and from that of one site. (f) How many entries decide the gate at the end, for all "
    "pairs of length scales; bars: quartiles; hollow: the shorter range is positive.",
    more=draw_more,
    more_caption="(a) Which form f has, from Gaussian (−1) to one site (1), over time, a column for each pair of length "
    "scales; the balance at the end and the highest gain is above. (b) How many entries decide the gate (+: the range of the "
    "positive class). (c) Final fields of the first seed at the lowest gain. (d) At the highest.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {"batch_size": 200, "steps": 2_400, "records": 240, "times": 14, "samples": 16_000, "seeds": 3},
    },
    durations={"quick": "50 s", "full": "2 h, or 3 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
