"""Is localization stable: against pushes, beside a linear pathway, and under a teacher?"""

from gatefield.experiments.gates.stability.figure import draw, more
from gatefield.experiments.gates.stability.settings import Settings
from gatefield.experiments.gates.stability.simulate import simulate
from gatefield.experiments.gates.stability.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="stability",
    title="Is localization stable: against pushes, beside a linear pathway, and under a teacher?",
    source="note 002, section 6, which has headings only",
    text="Three questions to localized fields. Pushes: end states of single neurons are moved by random vectors, or "
    "towards the same field at the far side of the ring, and trained on. Linear pathway: the output gets a term <v, x>, "
    "which on symmetric data can only take over the odd half of the ReLU: the field should come out the same but twice as "
    "long. Teacher: the labels come from a committee with localized, oscillating or random fields, and students are to "
    "find them. Gain 0.01 is the control: there fields do not localize.",
    caption="(a) After a push and more training, at gains at which fields localize: the share of fields that are back after "
    "random pushes (circles), after pushes towards the same field at the far side of the ring (squares), as foretold by the "
    "peak of Σ1 w (dotted), and the share that is localized (diamonds: all pushes), there or elsewhere. (b) One minus the "
    "cosine of students' fields with those of their teacher: median over fields and seeds, the line up to what nine in ten "
    "stay below; filled: students with as many units, open: with more; dashed: what counts as the same; dotted: rounding. (c) "
    "Inverse participation ratio (IPR) without and with a trained pathway, which is the same (large: median; small: seeds), "
    "and of field plus pathway beside frozen ones. (d) A seed whose field is at the same place with and without a pathway: "
    "field and pathway (dots) on the prediction (lines).",
    more=more,
    more_caption="(a) Eigenvalues of the Jacobian of the flow at the end states of single neurons: median and range over "
    "seeds, with the largest of all seeds where fields localize; dotted, in the same colours: the drift left out. (b) One "
    "field of each kind of teacher, scaled, and the student's, with their IPRs.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "batch_size": 200,
            "steps": 1_500,
            "seeds": 4,
            "sizes": (0.25, 0.5, 1.0, 2.0, 4.0),
            "samples": 40_000,
            "lines": 2_048,
            "student_batch": 100,
            "student_steps": 1_200,
        },
    },
    durations={"quick": "1 min", "full": "90 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
